/* vec-mapcache: the map cache's checked values, one folder. The README of the vectors tells the shapes. */
#include "vectors/vec_mapfile.h"

#include "base/bytes.h"
#include "map/height.h"
#include "world/defrag.h"
#include "world/gridmsg.h"
#include "world/half.h"
#include "world/mapcache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t int_at(const json_t *a, size_t i)
{
    return (int32_t)json_integer_value(json_array_get(a, i));
}

static bool is_coord(const json_t *a, stn_coord c)
{
    return int_at(a, 0) == c.x && int_at(a, 1) == c.y;
}

static void check_coords(const char *dir, vec_report *r)
{
    json_t *all = vec_json(dir, "coords.json"), *e;
    size_t i;

    json_array_foreach(all, i, e)
    {
        const json_t *t = json_object_get(e, "tc");
        stn_coord tc = {int_at(t, 0), int_at(t, 1)}, cc = stn_cut_of_tile(tc);
        if (is_coord(json_object_get(e, "grid"), stn_grid_of_tile(tc)) &&
            is_coord(json_object_get(e, "in"), stn_tile_in_grid(tc)) &&
            is_coord(json_object_get(e, "cut"), cc) &&
            is_coord(json_object_get(e, "cutgrid"), stn_grid_of_cut(cc)) &&
            is_coord(json_object_get(e, "cutin"), stn_cut_in_grid(cc)))
            vec_pass(r);
        else
            vec_fail(r, "coords.json: tile %d,%d", tc.x, tc.y);
    }
    json_decref(all);
}

/* u16 length and that many bytes; NUL-terminated copy in fresh memory. */
static char *take_str(stn_bytes *in)
{
    uint16_t n = stn_bytes_u16(in);
    const uint8_t *p = stn_bytes_take(in, n);
    return p ? strndup((const char *)p, n) : strdup("?");
}

static const char *class_of(stn_status st)
{
    return st == STN_TRUNCATED  ? "truncated"
           : st == STN_VERSION  ? "version"
           : st == STN_BAD_DATA ? "bad-data"
                                : stn_status_name(st);
}

static bool same_tilesets(const stn_mapcache *c, stn_bytes *in)
{
    int32_t want = stn_bytes_i32(in), have = 0;
    bool same = true;

    for (uint32_t tile = 0; tile < 65536; tile++)
        have += stn_mapcache_tileset(c, (uint16_t)tile) != NULL;
    for (int32_t i = 0; i < want && stn_bytes_ok(in); i++) {
        uint16_t tile = stn_bytes_u16(in);
        const stn_tileset_name *ref = stn_mapcache_tileset(c, tile);
        if (stn_bytes_u8(in) == 0) {
            char *name = take_str(in);
            uint16_t version = stn_bytes_u16(in);
            same &= ref && ref->name && !strcmp(ref->name, name) && ref->version == version;
            free(name);
        } else {
            uint16_t resid = stn_bytes_u16(in);
            same &= ref && !ref->name && ref->resid == resid;
        }
    }
    return same && have == want;
}

static bool same_overlays(const stn_grid *g, stn_bytes *in)
{
    int32_t want = stn_bytes_i32(in);
    bool same = g->has_overlays == (want >= 0) && (want < 0 || (size_t)want == g->n_overlays);

    for (int32_t i = 0; i < want && stn_bytes_ok(in); i++) {
        uint16_t resid = stn_bytes_u16(in);
        const uint8_t *bits = stn_bytes_take(in, STN_GRID_MASK_BYTES);
        same = same && bits && g->overlays[i].resid == resid &&
               !memcmp(bits, g->overlays[i].bits, STN_GRID_MASK_BYTES);
    }
    return same;
}

static bool same_grid(const stn_mapcache *c, const stn_grid *g, stn_bytes *in)
{
    int64_t id = stn_bytes_i64(in);
    int32_t seq = stn_bytes_i32(in);
    bool tiles = stn_bytes_u8(in), heights = stn_bytes_u8(in);
    bool same = g && g->id == id && g->seq == seq;
    bool tilesets;

    for (size_t i = 0; i < STN_GRID_CELLS; i++) {
        uint16_t v = tiles ? stn_bytes_u16(in) : 0;
        same = same && g->tiles[i] == v;
    }
    for (size_t i = 0; i < STN_GRID_CELLS; i++) {
        uint32_t v = heights ? stn_bytes_u32(in) : 0;
        same = same && stn_bits_of_f32(g->z[i]) == v;
    }
    tilesets = same_tilesets(c, in);
    return g ? same_overlays(g, in) && tilesets && same : false;
}

static void check_gridfill(const char *dir, vec_report *r)
{
    size_t len;
    uint8_t *data = vec_read(dir, "gridfill.bin", &len);
    stn_bytes in = stn_bytes_of(data, len);
    int32_t n;

    if (!data)
        return;
    stn_bytes_skip(&in, 4);
    n = stn_bytes_i32(&in);
    for (int32_t i = 0; i < n && stn_bytes_ok(&in); i++) {
        stn_mapcache *c = stn_mapcache_new(NULL, 0);
        char *name = take_str(&in), *class = NULL;
        int32_t blob_len = stn_bytes_i32(&in);
        const uint8_t *blob = stn_bytes_take(&in, (size_t)blob_len);
        stn_err err = {0};
        stn_status st = stn_mapcache_fill(c, (stn_coord){0, 0}, blob, (size_t)blob_len, &err);
        if (stn_bytes_u8(&in)) {
            class = take_str(&in);
            if (strcmp(class_of(st), class) != 0)
                vec_fail(r, "gridfill.bin %s: expected %s, got %s", name, class, st ? err.text : "ok");
            else if (stn_mapcache_count(c) != 0)
                vec_fail(r, "gridfill.bin %s: a failed message left a grid behind", name);
            else
                vec_pass(r);
        } else if (!same_grid(c, stn_mapcache_held(c, (stn_coord){0, 0}), &in)) {
            vec_fail(r, "gridfill.bin %s: %s", name, st ? err.text : "contents differ");
        } else {
            vec_pass(r);
        }
        free(name);
        free(class);
        stn_mapcache_free(c);
    }
    if (!stn_bytes_ok(&in))
        vec_fail(r, "gridfill.bin: the file ends early");
    free(data);
}

typedef struct sent_list {
    json_t *hex;
} sent_list;

static void on_send(void *arg, stn_coord gc)
{
    sent_list *s = arg;
    char text[17];
    uint8_t b[8];

    stn_st32(b, (uint32_t)gc.x);
    stn_st32(b + 4, (uint32_t)gc.y);
    for (int i = 0; i < 8; i++)
        snprintf(text + 2 * i, 3, "%02x", b[i]);
    json_array_append_new(s->hex, json_string(text));
}

static bool same_set(const json_t *a, const json_t *b)
{
    size_t i, j, found = 0;
    json_t *x, *y;
    json_array_foreach(a, i, x) json_array_foreach(b, j, y) found += json_equal(x, y) ? 1u : 0u;
    return json_array_size(a) == json_array_size(b) && found == json_array_size(a);
}

static bool same_state(const stn_mapcache *c, const json_t *e)
{
    enum { ROOM = 4096 };
    static stn_coord list[ROOM];
    json_t *req = json_array(), *grids = json_array();
    size_t n = stn_mapcache_request_list(c, list, ROOM);
    bool same;

    for (size_t i = 0; i < n && i < ROOM; i++)
        json_array_append_new(req, json_pack("[ii]", list[i].x, list[i].y));
    n = stn_mapcache_grids(c, list, ROOM);
    for (size_t i = 0; i < n && i < ROOM; i++) {
        const stn_grid *g = stn_mapcache_held(c, list[i]);
        char id[24];
        snprintf(id, sizeof id, "%lld", (long long)g->id);
        json_array_append_new(grids, json_pack("[iisi]", list[i].x, list[i].y, id, g->seq));
    }
    same = same_set(req, json_object_get(e, "req")) && same_set(grids, json_object_get(e, "grids")) &&
           stn_mapcache_olseq(c) == json_integer_value(json_object_get(e, "olseq")) &&
           stn_mapcache_chseq(c) == json_integer_value(json_object_get(e, "chseq")) &&
           stn_mapcache_fragments(c) == (size_t)json_integer_value(json_object_get(e, "frags"));
    json_decref(req);
    json_decref(grids);
    return same;
}

static void check_protocol(const char *dir, vec_report *r)
{
    json_t *all = vec_json(dir, "protocol.json"), *e;
    stn_mapcache *c = stn_mapcache_new(NULL, 0);
    int64_t now = 1000000;
    size_t i;

    json_array_foreach(all, i, e)
    {
        const char *ev = json_string_value(json_object_get(e, "ev")),
                   *want = json_string_value(json_object_get(e, "result"));
        const char *hex = json_string_value(json_object_get(e, "msg"));
        char got[64] = "";
        size_t len = 0;
        uint8_t *msg = hex ? vec_unhex(hex, &len) : NULL;
        stn_err err = {0};
        stn_status st;
        bool ok = true;

        if (!strcmp(ev, "get")) {
            const json_t *g = json_object_get(e, "gc");
            stn_coord gc = {int_at(g, 0), int_at(g, 1)};
            if (stn_mapcache_need(c, gc))
                snprintf(got, sizeof got, "ok");
            else
                snprintf(got, sizeof got, "loading(%d,%d)", gc.x, gc.y);
        } else if (!strcmp(ev, "send")) {
            sent_list s = {json_array()};
            stn_mapcache_send(c, now, on_send, &s);
            ok = same_set(s.hex, json_object_get(e, "sent"));
            json_decref(s.hex);
        } else if (!strcmp(ev, "time")) {
            now += json_integer_value(json_object_get(e, "ms"));
        } else {
            st = !strcmp(ev, "iv") ? stn_mapcache_invalidate(c, msg, len, &err)
                                   : stn_mapcache_data(c, msg, len, now, &err);
            snprintf(got, sizeof got, "%s", st == STN_OK || st == STN_AGAIN ? "ok" : class_of(st));
        }
        if (ok && !strcmp(got, want) && same_state(c, e))
            vec_pass(r);
        else
            vec_fail(r, "protocol.json event %zu (%s): expected \"%s\", got \"%s\" %s", i, ev, want, got,
                     err.text);
        free(msg);
    }
    stn_mapcache_free(c);
    json_decref(all);
}

static void check_defrag(const char *dir, vec_report *r)
{
    json_t *all = vec_json(dir, "defrag.json"), *e, *f;
    size_t i, j;

    json_array_foreach(all, i, e)
    {
        size_t len;
        uint8_t *data = vec_unhex(json_string_value(json_object_get(e, "data")), &len);
        stn_blob b;
        bool ok = stn_blob_init(&b, (uint16_t)json_integer_value(json_object_get(e, "len")), NULL) == STN_OK,
             whole = false;

        json_array_foreach(json_object_get(e, "frags"), j, f)
        {
            const json_t *want = json_array_get(f, 2);
            uint16_t off = (uint16_t)int_at(f, 0);
            stn_status st = stn_blob_add(&b, off, data + off, (size_t)int_at(f, 1), NULL);
            whole = st == STN_OK;
            if (st != (json_is_string(want) ? STN_TOO_BIG : json_is_true(want) ? STN_OK : STN_AGAIN)) {
                vec_fail(r, "defrag.json case %zu fragment %zu: %s", i, j, stn_status_name(st));
                ok = false;
                break;
            }
        }
        if (ok && whole && memcmp(b.data, data, len) != 0)
            vec_fail(r, "defrag.json case %zu: the blob differs", i);
        else if (ok)
            vec_pass(r);
        stn_blob_fini(&b);
        free(data);
    }
    json_decref(all);
}

typedef struct corner_window {
    int32_t x0, y0, w, h;
    const uint8_t *z;
} corner_window;

static stn_status window_corner(void *arg, stn_coord tc, float *z)
{
    const corner_window *w = arg;
    if (tc.x < w->x0 || tc.y < w->y0 || tc.x >= w->x0 + w->w || tc.y >= w->y0 + w->h)
        return STN_AGAIN;
    *z = stn_f32_of_bits(
        stn_ld32(w->z + 4 * ((size_t)(tc.x - w->x0) + (size_t)(tc.y - w->y0) * (size_t)w->w)));
    return STN_OK;
}

static bool same_floats(const float *v, stn_bytes *in, int n)
{
    bool same = true;
    for (int i = 0; i < n; i++)
        same &= stn_bits_of_f32(v[i]) == stn_bytes_u32(in);
    return same;
}

static void check_zsamples(const char *dir, vec_report *r)
{
    size_t len;
    uint8_t *data = vec_read(dir, "zsamples.bin", &len);
    stn_bytes in = stn_bytes_of(data, len);
    corner_window w;
    int32_t n;

    if (!data)
        return;
    stn_bytes_skip(&in, 4);
    w.x0 = stn_bytes_i32(&in);
    w.y0 = stn_bytes_i32(&in);
    w.w = stn_bytes_i32(&in);
    w.h = stn_bytes_i32(&in);
    w.z = stn_bytes_take(&in, 4u * (size_t)w.w * (size_t)w.h);
    n = stn_bytes_i32(&in);
    for (int32_t i = 0; i < n && stn_bytes_ok(&in); i++) {
        double x = stn_bytes_f64(&in), y = stn_bytes_f64(&in), z = 0, zf = 0;
        float n1[3] = {0}, n2[3] = {0}, f;
        bool ok = stn_height_at(window_corner, &w, x, y, &z) == STN_OK;
        ok &= stn_bits_of_f64(z) == stn_bytes_u64(&in);
        ok &= stn_bits_of_f64(z) == stn_bytes_u64(&in);
        ok &= stn_height_at(window_corner, &w, (double)(float)x, (double)(float)y, &zf) == STN_OK;
        f = (float)zf;
        ok &= same_floats(&f, &in, 1);
        ok &= stn_height_normal(window_corner, &w, x, y, n1) == STN_OK;
        ok &= same_floats(n1, &in, 3);
        ok &= stn_height_normal_fd(window_corner, &w, x, y, n2) == STN_OK;
        ok &= same_floats(n2, &in, 3);
        if (ok)
            vec_pass(r);
        else
            vec_fail(r, "zsamples.bin point %d at %.17g,%.17g", i, x, y);
    }
    if (!stn_bytes_ok(&in))
        vec_fail(r, "zsamples.bin: the file ends early");
    free(data);
}

/* The single queue of the scripts: tickets in order, cancelled ones stay in it until their turn. */
typedef struct script {
    stn_half half;
    uint64_t queue[1024];
    bool cancelled[4096];
    size_t n_queue;
    uint64_t tickets;
    uint64_t values;
    uint32_t generation;
    uint64_t gone[8];
    size_t n_gone;
} script;

static void apply(script *s, const stn_half_effect *fx)
{
    if (fx->cancel && fx->cancel < 4096)
        s->cancelled[fx->cancel] = true;
    if (fx->queue && s->n_queue < 1024)
        s->queue[s->n_queue++] = fx->queue;
    if (fx->release)
        s->gone[s->n_gone++] = fx->release;
    /* release_built is ours: the reference leaves a product that was never shown to its garbage collector. */
}

static void run_ticket(script *s, const char *want, char *got, size_t cap)
{
    uint64_t t;
    const char *outcome = strchr(want, ':');

    if (s->n_queue == 0) {
        snprintf(got, cap, "idle");
        return;
    }
    t = s->queue[0];
    memmove(s->queue, s->queue + 1, --s->n_queue * sizeof s->queue[0]);
    if (t < 4096 && s->cancelled[t]) {
        snprintf(got, cap, "job%llu:skipped", (unsigned long long)t);
        return;
    }
    /* The outcome is given by the script; whether the half takes it is what is tested by the events after. */
    outcome = outcome ? outcome + 1 : "";
    if (!strcmp(outcome, "ok"))
        stn_half_done(&s->half, t, ++s->values);
    else if (!strcmp(outcome, "loading"))
        stn_half_parked(&s->half, t);
    else if (!strcmp(outcome, "error"))
        stn_half_failed(&s->half, t);
    else
        outcome = "ran";
    snprintf(got, cap, "job%llu:%s", (unsigned long long)t, outcome);
}

static void check_script(const json_t *events, size_t number, vec_report *r)
{
    script *s = calloc(1, sizeof *s);
    size_t i, j;
    json_t *e, *g;

    stn_half_init(&s->half, 0);
    json_array_foreach(events, i, e)
    {
        const char *ev = json_string_value(json_object_get(e, "ev")),
                   *want = json_string_value(json_object_get(e, "res"));
        const json_t *gone = json_object_get(e, "disposed");
        stn_half_effect fx = {0};
        char got[64] = "";
        bool ok = true;

        s->n_gone = 0;
        if (!strcmp(ev, "get")) {
            stn_half_answer a = stn_half_get(&s->half, s->generation, &s->tickets, &fx);
            if (a == STN_HALF_VALUE)
                snprintf(got, sizeof got, "v%llu", (unsigned long long)s->half.value);
            else
                snprintf(got, sizeof got, "%s",
                         a == STN_HALF_FAILED     ? "error"
                         : a == STN_HALF_WAIT_JOB ? "loading-job"
                                                  : "loading-map");
        } else if (!strcmp(ev, "run")) {
            run_ticket(s, want, got, sizeof got);
        } else if (!strcmp(ev, "invalidate")) {
            stn_half_invalidate(&s->half, &fx);
        } else if (!strcmp(ev, "generation")) {
            s->generation++;
        } else if (!strcmp(ev, "dispose")) {
            stn_half_dispose(&s->half, &fx);
        } else if (!strcmp(ev, "cur")) {
            if (stn_half_cur(&s->half))
                snprintf(got, sizeof got, "v%llu", (unsigned long long)stn_half_cur(&s->half));
            else
                snprintf(got, sizeof got, "null");
        } else {
            snprintf(got, sizeof got, "unknown event");
        }
        apply(s, &fx);
        ok = !strcmp(got, want) && json_array_size(gone) == s->n_gone &&
             s->tickets == (uint64_t)json_integer_value(json_object_get(e, "jobs")) &&
             s->n_queue == (size_t)json_integer_value(json_object_get(e, "queued"));
        json_array_foreach(gone, j, g)
        {
            char name[24];
            snprintf(name, sizeof name, "v%llu", (unsigned long long)(j < s->n_gone ? s->gone[j] : 0));
            ok = ok && !strcmp(name, json_string_value(g));
        }
        if (!ok) {
            vec_fail(r, "cutstate.json script %zu event %zu (%s): expected \"%s\", got \"%s\"", number, i, ev,
                     want, got);
            free(s);
            return;
        }
        vec_pass(r);
    }
    free(s);
}

static void check_cutstate(const char *dir, vec_report *r)
{
    json_t *all = vec_json(dir, "cutstate.json"), *e;
    size_t i;
    json_array_foreach(all, i, e) check_script(e, i, r);
    json_decref(all);
}

int main(int argc, char **argv)
{
    vec_report r = {0};

    if (argc != 2) {
        fprintf(stderr, "usage: vec-mapcache FOLDER\n");
        return 2;
    }
    check_coords(argv[1], &r);
    check_gridfill(argv[1], &r);
    check_protocol(argv[1], &r);
    check_defrag(argv[1], &r);
    check_zsamples(argv[1], &r);
    check_cutstate(argv[1], &r);
    vec_mapfile(argv[1], &r);
    return vec_done(&r);
}
