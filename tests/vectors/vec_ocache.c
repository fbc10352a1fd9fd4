/* vec-ocache: object streams against states of the reference, and tracker scripts. The README of the vectors
 * tells the shapes. */
#include "vectors/vec_tracker.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "session/objdata.h"
#include "session/wire.h"
#include "world/ocache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slots and kinds of the published attributes of the test world. */
enum { SLOT_BASE = 1, SLOT_OTHER = 2 };
enum { SUB1 = 1, SUB2 = 2, OTHER = 3 };

typedef struct run {
    stn_ocache *c;
    bool resolved[65536];
    json_t *events; /* those since the last record that is no event */
} run;

static stn_status on_traits(void *arg, uint16_t resid, stn_res_traits *t)
{
    run *r = arg;
    unsigned kind = resid & 0xf0u;

    if (resid >= 0x100 && !r->resolved[resid])
        return STN_AGAIN;
    t->skeleton = kind == 0x80;
    t->live_update = kind == 0x40 || kind == 0x70;
    t->deferred_end = kind == 0x50 || kind == 0x70;
    t->published = kind == 0x90;
    t->published_slot = (resid & 3) < 2 ? SLOT_BASE : SLOT_OTHER;
    t->published_kind = (resid & 3) == 0 ? SUB1 : (resid & 3) == 1 ? SUB2 : OTHER;
    t->published_deletes_any = (resid & 3) != 1;
    return STN_OK;
}

static bool on_overlay_done(void *arg, const stn_gob *g, const stn_overlay *ol)
{
    unsigned kind = ol->res.resid & 0xf0u;
    (void)arg;
    (void)g;
    if (kind == 0x60)
        return ol->age >= 0.75;
    return (kind == 0x50 || kind == 0x70) && ol->deleted && ol->ending >= 0.5;
}

static double on_height(void *arg, bool drawn, double x, double y)
{
    double z = x * 0.125 - y * 0.0625;
    (void)arg;
    return drawn ? z + 1.5 : z;
}

static void on_added(void *arg, stn_gob *g)
{
    run *r = arg;
    json_array_append_new(r->events, json_pack("{sssIsb}", "k", "added", "id", (json_int_t)g->id, "virtual",
                                               (int)g->is_virtual));
}

static void on_removed(void *arg, stn_gob *g)
{
    run *r = arg;
    json_array_append_new(r->events, json_pack("{sssI}", "k", "removed", "id", (json_int_t)g->id));
}

static void on_disposed(void *arg, const stn_gob *g, const stn_published *old)
{
    run *r = arg;
    if (old->kind != OTHER)
        json_array_append_new(r->events, json_pack("{sssIss}", "k", "dispose", "id", (json_int_t)g->id,
                                                   "class", old->kind == SUB1 ? "TestSub1" : "TestSub2"));
}

/* ---- our state in the vectors' words */

static json_t *hex_of(const uint8_t *data, size_t n)
{
    char *text = malloc(2 * n + 1);
    json_t *v;
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", data[i]);
    v = json_string(text);
    free(text);
    return v;
}

static json_t *f64(double v)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)stn_bits_of_f64(v));
    return json_string(text);
}

static json_t *f32(float v)
{
    char text[9];
    snprintf(text, sizeof text, "%08x", stn_bits_of_f32(v));
    return json_string(text);
}

/* A name of the wire, its malformed parts replaced as the files show them. */
static json_t *name_of(const char *wire)
{
    stn_buf b = {0};
    json_t *v;

    stn_wire_text(&b, (const uint8_t *)wire, strlen(wire));
    stn_buf_u8(&b, 0);
    v = json_string((const char *)b.data);
    stn_buf_fini(&b);
    return v;
}

static json_t *sres_list(const stn_sres_list *l)
{
    json_t *a = json_array();
    for (size_t i = 0; i < l->n; i++)
        json_array_append_new(a, json_pack("[io]", l->at[i].resid, hex_of(l->at[i].sdt, l->at[i].len)));
    return a;
}

static json_t *moving(const stn_moving *m)
{
    if (m->kind == STN_MOVING_LINEAR)
        return json_pack("{sss[oo]s[oo]sosososb}", "t", "linmove", "s", f64(m->line.sx), f64(m->line.sy), "v",
                         f64(m->line.vx), f64(m->line.vy), "time", f64(m->line.t), "lt", f64(m->line.lt), "e",
                         m->line.has_end ? f64(m->line.end) : json_null(), "ts", (int)m->line.frozen);
    if (m->kind == STN_MOVING_HOMING)
        return json_pack("{sssIs[oo]soso}", "t", "homing", "tgt", (json_int_t)m->target, "tc", f64(m->tx),
                         f64(m->ty), "v", f64(m->v), "dist", f64(m->dist));
    return json_pack("{sssIsiso}", "t", "following", "tgt", (json_int_t)m->target, "xfres", m->xf, "xfname",
                     name_of(m->bone));
}

static json_t *mods(const stn_drawable *d)
{
    json_t *a = json_array();
    for (size_t i = 0; i < d->n_mods; i++)
        json_array_append_new(a, json_pack("{sisiso}", "id", (int)i, "mod", d->mods[i].mod, "tex",
                                           sres_list(&d->mods[i].textures)));
    return a;
}

static json_t *equipment(const stn_drawable *d)
{
    json_t *a = json_array();
    for (size_t i = 0; i < d->n_equ; i++) {
        const stn_equ *e = &d->equ[i];
        json_array_append_new(a, json_pack("{sisisosisos[ooo]}", "id", (int)i, "t", e->type, "at",
                                           name_of(e->at), "res", e->res.resid, "sdt",
                                           hex_of(e->res.sdt, e->res.len), "off", f32(e->off[0]),
                                           f32(e->off[1]), f32(e->off[2])));
    }
    return a;
}

static json_t *drawable(const stn_drawable *d)
{
    if (d->kind == STN_DRAW_RESOURCE)
        return json_pack("{sssisososi}", "t", "res", "res", d->res.resid, "sdt",
                         hex_of(d->res.sdt, d->res.len), "sprsdt", hex_of(d->res.sdt, d->res.len), "upds",
                         (int)d->updates);
    return json_pack("{sssisisosososososo}", "t", "composite", "base", d->res.resid, "pseq", d->pseq, "poses",
                     d->has_poses ? sres_list(&d->poses) : json_null(), "interp",
                     d->has_poses ? json_boolean(d->interp) : json_null(), "tposes",
                     d->has_timed ? sres_list(&d->timed) : json_null(), "ttime",
                     d->has_timed ? f32(d->timed_s) : json_null(), "mod", d->has_mods ? mods(d) : json_null(),
                     "equ", d->has_equ ? equipment(d) : json_null());
}

static json_t *attributes(const stn_gob *g)
{
    json_t *a = json_object();

    if (g->moving.kind != STN_MOVING_NONE)
        json_object_set_new(a, "moving", moving(&g->moving));
    if (g->drawable.kind != STN_DRAW_NONE)
        json_object_set_new(a, "drawable", drawable(&g->drawable));
    if (g->offset.instance)
        json_object_set_new(
            a, "offset", json_pack("{sss[ooo]}", "t", "drawoffset", "off", f32(0), f32(0), f32(g->offset.z)));
    if (g->lumin.instance)
        json_object_set_new(a, "lumin",
                            json_pack("{sss[ii]sisi}", "t", "lumin", "off", g->lumin.x, g->lumin.y, "sz",
                                      g->lumin.size, "str", g->lumin.strength));
    if (g->avatar.instance) {
        json_t *l = json_array();
        for (size_t i = 0; i < g->avatar.n; i++)
            json_array_append_new(l, json_integer(g->avatar.layers[i]));
        json_object_set_new(a, "avatar", json_pack("{ssso}", "t", "avatar", "layers", l));
    }
    if (g->speaking.instance)
        json_object_set_new(
            a, "speaking",
            json_pack("{sssoss}", "t", "speaking", "zo", f32(g->speaking.z), "text", g->speaking.text));
    if (g->health.instance)
        json_object_set_new(a, "health", json_pack("{ssso}", "t", "health", "hp", f32(g->health.hp)));
    if (g->icon.instance)
        json_object_set_new(a, "icon",
                            json_pack("{sssiso}", "t", "icon", "res", g->icon.res.resid, "sdt",
                                      hex_of(g->icon.res.sdt, g->icon.res.len)));
    for (size_t i = 0; i < g->n_published; i++) {
        const stn_published *p = &g->published[i];
        json_object_set_new(a, p->slot == SLOT_BASE ? "TestBase" : "TestOther",
                            json_pack("{ssso}", "t",
                                      p->kind == SUB1   ? "TestSub1"
                                      : p->kind == SUB2 ? "TestSub2"
                                                        : "TestOther",
                                      "data", hex_of(p->data, p->len)));
    }
    return a;
}

static json_t *state_of(const stn_ocache *c, stn_gob *g)
{
    json_t *ols = json_array(), *v;
    float pos[3];

    stn_ocache_position(c, g, pos);
    for (size_t i = 0; i < g->n_overlays; i++) {
        const stn_overlay *o = &g->overlays[i];
        json_array_append_new(ols, json_pack("{sisisosbsbsisbso}", "id", o->id, "res", o->res.resid, "sdt",
                                             hex_of(o->res.sdt, o->res.len), "delign", (int)o->delign, "old",
                                             (int)o->old, "upds", (int)o->updates, "deleted", (int)o->deleted,
                                             "age", f64(o->age)));
    }
    v = json_pack("{sIsbs[oo]sosIsis[ooo]soso}", "id", (json_int_t)g->id, "virtual", (int)g->is_virtual, "rc",
                  f64(g->x), f64(g->y), "a", f64(g->angle), "updateseq", (json_int_t)g->updateseq, "lastolid",
                  g->lastolid, "pos", f32(pos[0]), f32(pos[1]), f32(pos[2]), "attrs", attributes(g), "ols",
                  ols);
    json_object_set_new(v, "v", f64(stn_ocache_speed(c, g)));
    return v;
}

static uint64_t bits_of_text(const json_t *v)
{
    return strtoull(json_string_value(v), NULL, 16);
}

/* Equal but for the speed, which hypot may round to the next number. */
static bool same_gob(json_t *want, json_t *got)
{
    uint64_t a = bits_of_text(json_object_get(want, "v")), b = bits_of_text(json_object_get(got, "v"));
    bool same;

    if ((a > b ? a - b : b - a) > 1)
        return false;
    json_object_set(got, "v", json_object_get(want, "v"));
    same = json_equal(want, got);
    return same;
}

static int by_id(const void *a, const void *b)
{
    const stn_gob *const *p = a, *const *q = b;
    return ((*p)->id > (*q)->id) - ((*p)->id < (*q)->id);
}

static void check_state(run *u, json_t *want, const char *where, vec_report *r)
{
    size_t n = stn_ocache_count(u->c);
    stn_gob **gobs = malloc((n + 1) * sizeof(stn_gob *));
    bool same = json_array_size(want) == n;

    for (size_t i = 0; i < n; i++)
        gobs[i] = stn_ocache_at(u->c, i);
    qsort(gobs, n, sizeof(stn_gob *), by_id);
    for (size_t i = 0; i < n && same; i++) {
        json_t *got = state_of(u->c, gobs[i]);
        if (!same_gob(json_array_get(want, i), got)) {
            char *a = json_dumps(json_array_get(want, i), JSON_SORT_KEYS),
                 *b = json_dumps(got, JSON_SORT_KEYS);
            vec_fail(r, "%s:\n  want %s\n  got  %s", where, a, b);
            free(a);
            free(b);
            json_decref(got);
            free(gobs);
            return;
        }
        json_decref(got);
    }
    if (same)
        vec_pass(r);
    else
        vec_fail(r, "%s: %zu objects, expected %zu", where, n, json_array_size(want));
    free(gobs);
}

static void start(run *u)
{
    static const stn_ocache_hooks hooks = {.traits = on_traits,
                                           .disposed = on_disposed,
                                           .overlay_done = on_overlay_done,
                                           .height = on_height,
                                           .added = on_added,
                                           .removed = on_removed};
    stn_ocache_hooks h = hooks;
    h.arg = u;
    stn_ocache_free(u->c);
    u->c = stn_ocache_new(&h);
    memset(u->resolved, 0, sizeof u->resolved);
    json_array_clear(u->events);
}

static bool is_event(const char *k)
{
    return !strcmp(k, "added") || !strcmp(k, "removed") || !strcmp(k, "dispose");
}

/* Takes the event out of those that happened; false when it did not. */
static bool take_event(run *u, json_t *e)
{
    size_t i;
    json_t *x;
    json_array_foreach(u->events, i, x)
    {
        if (json_equal(x, e)) {
            json_array_remove(u->events, i);
            return true;
        }
    }
    return false;
}

static void feed(run *u, const char *hex)
{
    size_t len;
    uint8_t *data = vec_unhex(hex, &len);
    stn_bytes in = stn_bytes_of(data, len);
    stn_objdelta d;

    while (stn_objdata_next(&in, &d))
        stn_ocache_receive(u->c, &d);
    free(data);
}

/* required: our own rules instead of the reference's events and states, or NULL. */
static void check_stream(const char *dir, const char *file, json_t *required, vec_report *r)
{
    size_t len, it = 0, line = 0, state = 0;
    char *text = (char *)vec_read(dir, file, &len), name[64] = "", where[192];
    run u = {.events = json_array()};
    json_t *e;
    const json_t *rule = NULL;

    for (; text && (e = vec_jsonl_next(text, len, &it)) != NULL; json_decref(e)) {
        const char *k = json_string_value(json_object_get(e, "k"));

        k = k ? k : "";
        line++;
        snprintf(where, sizeof where, "%s:%zu (%s)", file, line, name);
        if (is_event(k)) {
            if (!required && !take_event(&u, e))
                vec_fail(r, "%s: %s of object %lld did not happen", where, k,
                         (long long)json_integer_value(json_object_get(e, "id")));
            continue;
        }
        if (!required && json_array_size(u.events) > 0)
            vec_fail(r, "%s: %zu events too many before this", where, json_array_size(u.events));
        json_array_clear(u.events);
        if (!strcmp(k, "scenario")) {
            snprintf(name, sizeof name, "%s", json_string_value(json_object_get(e, "name")));
            rule = json_object_get(required, name);
            state = 0;
            start(&u);
        } else if (!strcmp(k, "objd")) {
            feed(&u, json_string_value(json_object_get(e, "data")));
        } else if (!strcmp(k, "pump")) {
            stn_ocache_pump(u.c);
        } else if (!strcmp(k, "resolve")) {
            uint16_t id = (uint16_t)json_integer_value(json_object_get(e, "id"));
            u.resolved[id] = true;
            stn_ocache_resolved(u.c, id);
        } else if (!strcmp(k, "tick")) {
            stn_ocache_tick(u.c, stn_f64_of_bits(bits_of_text(json_object_get(e, "dtb"))));
        } else if (!strcmp(k, "state")) {
            check_state(&u,
                        required ? json_array_get(json_object_get(rule, "states"), state++)
                                 : json_object_get(e, "gobs"),
                        where, r);
        } else if (strcmp(k, "end") != 0) {
            /* What the reference dies of stands in the hostile file alone. */
            if (!required || (strcmp(k, "exception") != 0 && strcmp(k, "apply-exception") != 0))
                vec_fail(r, "%s: a record of the unknown kind \"%s\"", where, k);
        } else if (rule) {
            stn_ocache_stats s;
            stn_ocache_get_stats(u.c, &s);
            if (s.dropped_attributes ==
                (uint64_t)json_integer_value(json_object_get(rule, "dropped_attributes")))
                vec_pass(r);
            else
                vec_fail(r, "%s: %llu attributes dropped", where, (unsigned long long)s.dropped_attributes);
        }
    }
    stn_ocache_free(u.c);
    json_decref(u.events);
    free(text);
}

int main(int argc, char **argv)
{
    vec_report r = {0};
    char **names;
    json_t *required;

    if (argc != 2) {
        fprintf(stderr, "usage: vec-ocache FOLDER\n");
        return 2;
    }
    names = vec_list(argv[1], ".jsonl");
    required = vec_json(argv[1], "required.json");
    for (char **n = names; *n; n++) {
        if (!strncmp(*n, "tracker_", 8))
            vec_tracker(argv[1], *n, &r);
        else if (strncmp(*n, "hostile", 7) != 0)
            check_stream(argv[1], *n, NULL, &r);
        else if (required)
            check_stream(argv[1], *n, required, &r);
        else
            vec_skip(&r, "%s: required.json is not there", *n);
    }
    json_decref(required);
    vec_list_free(names);
    return vec_done(&r);
}
