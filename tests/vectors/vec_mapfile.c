#include "vectors/vec_mapfile.h"

#include "base/table.h"
#include "world/mapfile/export.h"
#include "world/mapfile/mapfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOW_MS INT64_C(1700000000000)

/* ---- a store in memory */

typedef struct blob {
    uint8_t *data;
    size_t len;
} blob;

typedef struct store {
    stn_names *blobs;
    int64_t random;
} store;

static stn_status store_get(void *arg, const char *key, uint8_t **data, size_t *len)
{
    const blob *b = stn_names_get(((store *)arg)->blobs, key);
    if (!b)
        return STN_NOT_FOUND;
    *data = malloc(b->len + 1);
    memcpy(*data, b->data, b->len);
    *len = b->len;
    return STN_OK;
}

static stn_status store_put(void *arg, const char *key, const uint8_t *data, size_t len)
{
    blob *b = malloc(sizeof *b);
    void *old = NULL;
    b->data = malloc(len + 1);
    if (len > 0)
        memcpy(b->data, data, len);
    b->len = len;
    stn_names_put(((store *)arg)->blobs, key, b, &old);
    if (old)
        free(((blob *)old)->data);
    free(old);
    return STN_OK;
}

static int64_t store_random(void *arg)
{
    return (int64_t)((uint64_t)++((store *)arg)->random * UINT64_C(0x5bd1e9955bd1e995));
}

static int64_t store_now(void *arg)
{
    (void)arg;
    return NOW_MS;
}

static stn_mapfile_hooks hooks_of(store *s)
{
    return (stn_mapfile_hooks){
        .get = store_get, .put = store_put, .random = store_random, .now_ms = store_now, .arg = s};
}

static void store_free(store *s)
{
    size_t it = 0;
    const char *key;
    void *v;
    while (stn_names_next(s->blobs, &it, &key, &v)) {
        free(((blob *)v)->data);
        free(v);
    }
    stn_names_free(s->blobs);
}

/* ---- dumps */

static char *take_str(stn_bytes *in)
{
    uint16_t n = stn_bytes_u16(in);
    const uint8_t *p = stn_bytes_take(in, n);
    return p ? strndup((const char *)p, n) : strdup("?");
}

static stn_record *take_dump(stn_bytes *in)
{
    stn_record *r = stn_record_new();
    uint16_t n;

    r->mtime = stn_bytes_i64(in);
    n = stn_bytes_u16(in);
    for (uint16_t i = 0; i < n && stn_bytes_ok(in); i++) {
        char *name = take_str(in);
        uint16_t version = stn_bytes_u16(in);
        stn_record_append_set(r, name, version, stn_bytes_u8(in));
        free(name);
    }
    for (size_t i = 0; i < STN_GRID_CELLS; i++)
        r->tiles[i] = stn_bytes_u16(in);
    for (size_t i = 0; i < STN_GRID_CELLS; i++)
        r->z[i] = stn_bytes_f32(in);
    n = stn_bytes_u16(in);
    for (uint16_t i = 0; i < n && stn_bytes_ok(in); i++) {
        char *name = take_str(in);
        uint16_t version = stn_bytes_u16(in);
        const uint8_t *bits = stn_bytes_take(in, STN_RECORD_MASK);
        stn_record_overlay *o = stn_record_add_overlay(r, name, version);
        if (bits)
            memcpy(o->bits, bits, STN_RECORD_MASK);
        free(name);
    }
    return r;
}

/* NULL when equal, else what differs. */
static const char *difference(const stn_record *a, const stn_record *b)
{
    if (a->mtime != b->mtime)
        return "time";
    if (a->n_sets != b->n_sets || a->n_overlays != b->n_overlays)
        return "counts";
    for (size_t i = 0; i < a->n_sets; i++)
        if (strcmp(a->sets[i].name, b->sets[i].name) != 0 || a->sets[i].version != b->sets[i].version ||
            a->sets[i].prio != b->sets[i].prio)
            return "tilesets";
    if (memcmp(a->tiles, b->tiles, sizeof a->tiles) != 0)
        return "tiles";
    if (memcmp(a->z, b->z, sizeof a->z) != 0)
        return "heights";
    for (size_t i = 0; i < a->n_overlays; i++)
        if (strcmp(a->overlays[i].name, b->overlays[i].name) != 0 ||
            a->overlays[i].version != b->overlays[i].version ||
            memcmp(a->overlays[i].bits, b->overlays[i].bits, STN_RECORD_MASK) != 0)
            return "overlays";
    return NULL;
}

static void verdict(vec_report *r, const char *why, const char *fmt, int64_t n)
{
    char what[96];
    snprintf(what, sizeof what, fmt, n);
    if (why)
        vec_fail(r, "%s: %s", what, why);
    else
        vec_pass(r);
}

static void check_grids(const char *dir, vec_report *r)
{
    size_t len;
    uint8_t *data = vec_read(dir, "mapfile-grids.bin", &len);
    stn_bytes in = stn_bytes_of(data, len);
    int32_t n;

    if (!data)
        return;
    stn_bytes_skip(&in, 4);
    n = stn_bytes_i32(&in);
    for (int32_t i = 0; i < n && stn_bytes_ok(&in); i++) {
        int64_t id = stn_bytes_i64(&in);
        int32_t file_len = stn_bytes_i32(&in);
        const uint8_t *file = stn_bytes_take(&in, (size_t)file_len);
        uint32_t body_len = stn_bytes_u32(&in), crc = stn_bytes_u32(&in);
        stn_record *given = take_dump(&in), *wanted = take_dump(&in), *got = NULL;
        stn_buf written = {0};
        stn_err err = {0};
        uint8_t *body = NULL;
        size_t n_body = 0;
        const char *why = NULL;

        if (stn_record_read_grid(file, (size_t)file_len, id, NOW_MS, &got, &err) != STN_OK)
            why = err.text;
        else
            why = difference(wanted, got);
        verdict(r, why, "mapfile-grids.bin case %" PRId64 ", reading", i);
        if (stn_record_write_grid(given, id, &written, &err) != STN_OK ||
            stn_record_unpack(written.data + 1, written.len - 1, &body, &n_body, &err) != STN_OK)
            why = err.text;
        else
            why = n_body == body_len && vec_crc32(body, n_body) == crc && written.data[0] == file[0]
                      ? NULL
                      : "payload differs";
        verdict(r, why, "mapfile-grids.bin case %" PRId64 ", writing", i);
        free(body);
        stn_buf_fini(&written);
        stn_record_free(given);
        stn_record_free(wanted);
        stn_record_free(got);
    }
    if (!stn_bytes_ok(&in))
        vec_fail(r, "mapfile-grids.bin: the file ends early");
    free(data);
}

static void check_merge(const char *dir, vec_report *r)
{
    size_t len;
    uint8_t *data = vec_read(dir, "mapfile-merge.bin", &len);
    stn_bytes in = stn_bytes_of(data, len);
    int32_t n;

    if (!data)
        return;
    stn_bytes_skip(&in, 4);
    n = stn_bytes_i32(&in);
    for (int32_t i = 0; i < n && stn_bytes_ok(&in); i++) {
        uint16_t k = stn_bytes_u16(&in);
        bool *norepl = calloc((size_t)k + 1, sizeof *norepl);
        stn_record *fresh, *older, *wanted;
        stn_err err = {0};
        for (uint16_t j = 0; j < k; j++)
            norepl[j] = stn_bytes_u8(&in) != 0;
        fresh = take_dump(&in);
        older = take_dump(&in);
        wanted = take_dump(&in);
        verdict(r,
                stn_record_merge(fresh, older, norepl, &err) != STN_OK ? err.text : difference(wanted, fresh),
                "mapfile-merge.bin case %" PRId64, i);
        free(norepl);
        stn_record_free(fresh);
        stn_record_free(older);
        stn_record_free(wanted);
    }
    if (!stn_bytes_ok(&in))
        vec_fail(r, "mapfile-merge.bin: the file ends early");
    free(data);
}

/* The blob under a key without its compression, to compare with. */
static bool same_inflated(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    uint8_t *x = NULL, *y = NULL;
    size_t nx = 0, ny = 0;
    bool same = a_len > 1 && b_len > 1 && a[0] == b[0] &&
                stn_record_unpack(a + 1, a_len - 1, &x, &nx, NULL) == STN_OK &&
                stn_record_unpack(b + 1, b_len - 1, &y, &ny, NULL) == STN_OK && nx == ny &&
                memcmp(x, y, nx) == 0;
    free(x);
    free(y);
    return same;
}

/* A segment of grids at given places, put into the store in the file's own form. */
static void put_segment(store *s, const char *name, int64_t segment, const stn_coord *at, const int64_t *ids,
                        int32_t n)
{
    stn_buf body = {0}, file = {0};
    char key[192];

    stn_buf_u64(&body, (uint64_t)segment);
    stn_buf_u32(&body, (uint32_t)n);
    for (int32_t i = 0; i < n; i++) {
        stn_buf_u32(&body, (uint32_t)at[i].x);
        stn_buf_u32(&body, (uint32_t)at[i].y);
        stn_buf_u64(&body, (uint64_t)ids[i]);
    }
    stn_buf_u8(&file, 1);
    stn_record_pack(body.data, body.len, &file, NULL);
    snprintf(key, sizeof key, "map/%s/seg-%" PRIx64, name, (uint64_t)segment);
    store_put(s, key, file.data, file.len);
    stn_buf_fini(&body);
    stn_buf_fini(&file);
}

/* The folder's name in the keys of the figures, between "map/" and the next slash. */
static void name_of_key(const char *key, char out[64])
{
    const char *a = strchr(key, '/'), *b = a ? strchr(a + 1, '/') : NULL;
    snprintf(out, 64, "%.*s", a && b ? (int)(b - a - 1) : 0, a ? a + 1 : "");
}

static void check_zoom_requests(stn_bytes *in, store *s, int64_t segment, const stn_coord *at,
                                const int64_t *ids, int32_t n, vec_report *r)
{
    int32_t m = stn_bytes_i32(in);
    stn_mapfile *mf = NULL;
    stn_mapfile_hooks hooks = hooks_of(s);
    stn_bytes ahead = *in;
    char name[64] = "testw";

    /* The first existing cell's key tells the map file's name. */
    for (int32_t i = 0; i < m && stn_bytes_ok(&ahead); i++) {
        stn_bytes_skip(&ahead, 12);
        if (stn_bytes_u8(&ahead)) {
            char *key = take_str(&ahead);
            name_of_key(key, name);
            free(key);
            break;
        }
    }
    put_segment(s, name, segment, at, ids, n);
    for (int32_t i = 0; i < n; i++) {
        char from[32], key[192];
        const blob *b;
        snprintf(from, sizeof from, "grid-%" PRIx64, (uint64_t)ids[i]);
        snprintf(key, sizeof key, "map/%s/%s", name, from);
        b = stn_names_get(s->blobs, from);
        store_put(s, key, b->data, b->len);
    }
    stn_mapfile_open(name, &hooks, &mf, NULL);
    for (int32_t i = 0; i < m && stn_bytes_ok(in); i++) {
        int32_t level = stn_bytes_i32(in);
        stn_coord cell = {stn_bytes_i32(in), 0};
        stn_record *got = NULL, *wanted;
        stn_err err = {0};
        stn_status st;
        char ours[192], *key;
        const char *why = NULL;
        const blob *b;
        const uint8_t *file;
        int32_t len;

        cell.y = stn_bytes_i32(in);
        st = stn_mapfile_zoom(mf, segment, level, cell, &got, &err);
        if (!stn_bytes_u8(in)) {
            verdict(r, st == STN_NOT_FOUND ? NULL : "a cell that should be absent",
                    "mapfile-zoom.bin request %" PRId64, i);
            stn_record_free(got);
            continue;
        }
        key = take_str(in);
        len = stn_bytes_i32(in);
        file = stn_bytes_take(in, (size_t)len);
        wanted = take_dump(in);
        stn_mapfile_zoom_key(mf, segment, level, cell, ours);
        b = stn_names_get(s->blobs, key);
        if (st != STN_OK)
            why = err.text;
        else if (strcmp(ours, key) != 0)
            why = ours;
        else if (!b || !same_inflated(b->data, b->len, file, (size_t)len))
            why = "the stored file differs";
        else
            why = difference(wanted, got);
        verdict(r, why, "mapfile-zoom.bin request %" PRId64, i);
        stn_record_free(got);
        stn_record_free(wanted);
        free(key);
    }
    stn_mapfile_free(mf);
}

/* Also puts the grids of the figures into the store under their short names, for the export. */
static void check_zoom(const char *dir, store *s, vec_report *r)
{
    size_t len;
    uint8_t *data = vec_read(dir, "mapfile-zoom.bin", &len);
    stn_bytes in = stn_bytes_of(data, len);
    int64_t segment, *ids;
    stn_coord *at;
    int32_t n;

    if (!data)
        return;
    stn_bytes_skip(&in, 4);
    segment = stn_bytes_i64(&in);
    n = stn_bytes_i32(&in);
    at = calloc((size_t)n + 1, sizeof *at);
    ids = calloc((size_t)n + 1, sizeof *ids);
    for (int32_t i = 0; i < n && stn_bytes_ok(&in); i++) {
        char key[32];
        int32_t file_len;
        const uint8_t *file;
        at[i].x = stn_bytes_i32(&in);
        at[i].y = stn_bytes_i32(&in);
        ids[i] = stn_bytes_i64(&in);
        file_len = stn_bytes_i32(&in);
        file = stn_bytes_take(&in, (size_t)file_len);
        snprintf(key, sizeof key, "grid-%" PRIx64, (uint64_t)ids[i]);
        store_put(s, key, file, (size_t)file_len);
    }
    check_zoom_requests(&in, s, segment, at, ids, n, r);
    if (!stn_bytes_ok(&in))
        vec_fail(r, "mapfile-zoom.bin: the file ends early");
    free(at);
    free(ids);
    free(data);
}

/* ---- markers and the index */

static json_t *marker_json(const stn_marker *m, bool place)
{
    char id[24], *hex = calloc(1, 2 * m->data_len + 1);
    json_t *v = json_object();

    for (size_t i = 0; i < m->data_len; i++)
        snprintf(hex + 2 * i, 3, "%02x", m->data[i]);
    if (place) {
        snprintf(id, sizeof id, "%" PRId64, m->segment);
        json_object_set_new(v, "seg", json_string(id));
        json_object_set_new(v, "tc", json_pack("[ii]", m->tile.x, m->tile.y));
        json_object_set_new(v, "nm", json_string(m->name));
    }
    json_object_set_new(v, "type", json_string(m->is_object ? "s" : "p"));
    if (m->is_object) {
        snprintf(id, sizeof id, "%" PRId64, m->object);
        json_object_set_new(v, "oid", json_string(id));
        json_object_set_new(v, "res", json_string(m->res));
        json_object_set_new(v, "ver", json_integer(m->version));
        json_object_set_new(v, "dat", json_string(hex));
    } else {
        json_object_set_new(v, "color",
                            json_pack("[iiii]", m->colour[0], m->colour[1], m->colour[2], m->colour[3]));
        json_object_set_new(v, "onmap", json_boolean(m->on_map));
    }
    free(hex);
    return v;
}

static json_t *marker_list(const stn_mapfile *mf)
{
    const stn_marker *list;
    size_t n = stn_mapfile_markers(mf, &list);
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(a, marker_json(&list[i], true));
    return a;
}

static void check_index(const char *dir, vec_report *r)
{
    json_t *j = vec_json(dir, "mapfile-index.json"), *v, *seg;
    store s = {.blobs = stn_names_new()};
    stn_mapfile_hooks hooks = hooks_of(&s);
    stn_mapfile *mf = NULL, *again = NULL;
    const char *key;
    char name[64] = "";
    stn_err err = {0};
    const int64_t *known;
    int64_t id;
    size_t i;

    json_object_foreach(json_object_get(j, "files"), key, v)
    {
        size_t len;
        uint8_t *data = vec_unhex(json_string_value(v), &len);
        store_put(&s, key, data, len);
        name_of_key(key, name);
        free(data);
    }
    if (j && stn_mapfile_open(name, &hooks, &mf, &err) != STN_OK)
        vec_fail(r, "mapfile-index.json: %s", err.text);
    if (!mf)
        goto out;
    seg = json_object_get(j, "segment");
    id = strtoll(json_string_value(json_object_get(seg, "id")), NULL, 10);
    json_array_foreach(json_object_get(seg, "grids"), i, v)
    {
        stn_coord at = {(int32_t)json_integer_value(json_array_get(v, 0)),
                        (int32_t)json_integer_value(json_array_get(v, 1))},
                  place = {0, 0};
        int64_t want = strtoll(json_string_value(json_array_get(v, 2)), NULL, 10), grid = 0, in = 0;
        bool same = stn_mapfile_grid_at(mf, id, at, &grid, NULL) == STN_OK && grid == want &&
                    stn_mapfile_place(mf, grid, &in, &place, NULL) == STN_OK && in == id &&
                    stn_coord_eq(place, at);
        verdict(r, same ? NULL : "its place differs", "mapfile-index.json grid %" PRId64, want);
    }
    verdict(r,
            stn_mapfile_segment_size(mf, id) == json_array_size(json_object_get(seg, "grids"))
                ? NULL
                : "size differs",
            "mapfile-index.json segment", 0);
    json_array_foreach(json_object_get(j, "knownsegs"), i, v)
    {
        size_t n = stn_mapfile_segments(mf, &known);
        verdict(r, i < n && known[i] == strtoll(json_string_value(v), NULL, 10) ? NULL : "differs",
                "mapfile-index.json known segment %" PRId64, (int64_t)i);
    }
    v = marker_list(mf);
    verdict(r, json_equal(v, json_object_get(j, "markers")) ? NULL : "differ", "mapfile-index.json markers",
            0);
    /* Written by us, read again: the same. */
    if (stn_mapfile_update(mf, NULL, 0, &err) != STN_OK ||
        stn_mapfile_open(name, &hooks, &again, &err) != STN_OK) {
        vec_fail(r, "mapfile-index.json, written again: %s", err.text);
    } else {
        json_t *w = marker_list(again);
        verdict(r, json_equal(v, w) ? NULL : "markers differ", "mapfile-index.json, written again", 0);
        json_decref(w);
    }
    json_decref(v);
out:
    stn_mapfile_free(mf);
    stn_mapfile_free(again);
    store_free(&s);
    json_decref(j);
}

static void check_old_markers(const char *dir, vec_report *r)
{
    json_t *j = vec_json(dir, "mapfile-oldmarkers.json"), *v;
    size_t i;

    json_array_foreach(j, i, v)
    {
        size_t len;
        uint8_t *data = vec_unhex(json_string_value(json_object_get(v, "bytes")), &len);
        stn_bytes in = stn_bytes_of(data, len);
        stn_marker m;
        stn_err err = {0};
        char name[8];
        json_t *got;

        if (stn_marker_read(&in, &m, &err) != STN_OK) {
            vec_fail(r, "mapfile-oldmarkers.json %zu: %s", i, err.text);
            free(data);
            continue;
        }
        snprintf(name, sizeof name, "m%d", data[0]);
        got = marker_json(&m, false);
        json_object_del(v, "bytes");
        verdict(r,
                json_equal(got, v) && m.segment == 99 && m.tile.x == data[0] && m.tile.y == -data[0] &&
                        !strcmp(m.name, name)
                    ? NULL
                    : "differs",
                "mapfile-oldmarkers.json %" PRId64, (int64_t)i);
        json_decref(got);
        stn_marker_fini(&m);
        free(data);
    }
    json_decref(j);
}

/* ---- the export */

typedef struct exported {
    store *grids; /* of mapfile-zoom.bin, by short name */
    json_t *markers, *wanted;
    size_t n_grids;
    stn_buf again;
    vec_report *r;
} exported;

static stn_status on_grid(void *arg, int64_t id, int64_t segment, stn_coord at, stn_record *rec, stn_err *err)
{
    exported *e = arg;
    char key[32];
    const blob *b;
    stn_record *stored = NULL, *back = NULL;
    stn_buf twice = {0};
    stn_bytes in;
    const char *why = "not among the grids of mapfile-zoom.bin";

    snprintf(key, sizeof key, "grid-%" PRIx64, (uint64_t)id);
    b = stn_names_get(e->grids->blobs, key);
    /* A grid comes out of the store and its heights are written anew. */
    if (b && stn_record_read_grid(b->data, b->len, id, NOW_MS, &stored, err) == STN_OK) {
        stn_record_put_heights(stored, &twice);
        in = stn_bytes_of(twice.data, twice.len);
        stn_record_take_heights(stored, &in, NULL);
        why = difference(stored, rec);
    }
    verdict(e->r, why, "mapfile-export.hmap grid %" PRIx64, id);
    stn_export_put_grid(&e->again, id, segment, at, rec, err);
    e->n_grids++;
    stn_buf_fini(&twice);
    stn_record_free(stored);
    stn_record_free(back);
    stn_record_free(rec);
    return STN_OK;
}

static stn_status on_marker(void *arg, const stn_marker *m, stn_err *err)
{
    exported *e = arg;
    (void)err;
    json_array_append_new(e->markers, marker_json(m, true));
    return stn_export_put_marker(&e->again, m, err);
}

static stn_status count_grid(void *arg, int64_t id, int64_t segment, stn_coord at, stn_record *rec,
                             stn_err *err)
{
    (void)id;
    (void)segment;
    (void)at;
    (void)err;
    ++*(size_t *)arg;
    stn_record_free(rec);
    return STN_OK;
}

static stn_status count_marker(void *arg, const stn_marker *m, stn_err *err)
{
    (void)m;
    (void)err;
    ++*(size_t *)arg;
    return STN_OK;
}

static void check_export(const char *dir, store *grids, vec_report *r)
{
    size_t len, counted = 0, i, j;
    uint8_t *data = vec_read(dir, "mapfile-export.hmap", &len);
    json_t *index = vec_json(dir, "mapfile-index.json"), *a, *b;
    exported e = {.grids = grids, .markers = json_array(), .r = r};
    stn_export_hooks hooks = {on_grid, on_marker, &e}, count = {count_grid, count_marker, &counted};
    stn_buf file = {0};
    stn_err err = {0};

    if (data && stn_names_count(grids->blobs) == 0) {
        vec_skip(r, "mapfile-export.hmap: mapfile-zoom.bin, whose grids it holds, is not there");
    } else if (data && stn_export_read(data, len, &hooks, &err) != STN_OK) {
        vec_fail(r, "mapfile-export.hmap: %s", err.text);
    } else if (data) {
        if (index) {
            size_t found = 0;
            json_array_foreach(json_object_get(index, "markers"), i, a) json_array_foreach(e.markers, j, b)
                found += json_equal(a, b) ? 1u : 0u;
            verdict(r, found == json_array_size(e.markers) ? NULL : "differ", "mapfile-export.hmap markers",
                    0);
        }
        if (stn_export_finish(&e.again, &file, &err) != STN_OK ||
            stn_export_read(file.data, file.len, &count, &err) != STN_OK)
            vec_fail(r, "mapfile-export.hmap, written again: %s", err.text);
        else
            verdict(r, counted == e.n_grids + json_array_size(e.markers) ? NULL : "records are missing",
                    "mapfile-export.hmap, written again", 0);
    }
    json_decref(index);
    json_decref(e.markers);
    stn_buf_fini(&e.again);
    stn_buf_fini(&file);
    free(data);
}

/* ---- segments */

typedef struct numbering {
    int64_t ids[256];
    size_t n;
} numbering;

static size_t number_of(numbering *k, int64_t segment)
{
    size_t i;
    for (i = 0; i < k->n && k->ids[i] != segment; i++)
        ;
    if (i == k->n && k->n < 256)
        k->ids[k->n++] = segment;
    return i;
}

static const char *compare_segments(stn_mapfile *mf, const json_t *u, numbering *k)
{
    size_t i;
    json_t *v;
    const stn_marker *markers;
    size_t n = stn_mapfile_markers(mf, &markers);

    json_array_foreach(json_object_get(u, "grids"), i, v)
    {
        int64_t grid = strtoll(json_string_value(json_array_get(v, 0)), NULL, 10), seg, there;
        stn_coord at;
        if (stn_mapfile_place(mf, grid, &seg, &at, NULL) != STN_OK ||
            stn_mapfile_grid_at(mf, seg, at, &there, NULL) != STN_OK || there != grid)
            return "a grid is lost";
        if (number_of(k, seg) != (size_t)json_integer_value(json_array_get(v, 1)))
            return "a segment differs";
        if (at.x != json_integer_value(json_array_get(v, 2)) ||
            at.y != json_integer_value(json_array_get(v, 3)))
            return "a place differs";
    }
    if (json_array_size(json_object_get(u, "markers")) != n)
        return "the markers' number differs";
    json_array_foreach(json_object_get(u, "markers"), i, v)
    {
        if (number_of(k, markers[i].segment) != (size_t)json_integer_value(json_array_get(v, 0)) ||
            markers[i].tile.x != json_integer_value(json_array_get(v, 1)) ||
            markers[i].tile.y != json_integer_value(json_array_get(v, 2)))
            return "a marker differs";
    }
    return NULL;
}

static void check_segments(const char *dir, vec_report *r)
{
    static const stn_coord marks[2] = {{17, 23}, {-5, 250}};
    json_t *j = vec_json(dir, "mapfile-segments.json"), *script, *u, *g;
    size_t n_script, n_update, i;

    json_array_foreach(j, n_script, script)
    {
        store s = {.blobs = stn_names_new(), .random = (int64_t)n_script};
        stn_mapfile_hooks hooks = hooks_of(&s);
        stn_mapfile *mf = NULL;
        numbering k = {.n = 0};

        stn_mapfile_open("t", &hooks, &mf, NULL);
        json_array_foreach(script, n_update, u)
        {
            stn_live_grid live[64];
            size_t n = 0;
            stn_err err = {0};
            const char *why = NULL;
            json_array_foreach(json_object_get(u, "update"), i, g)
            {
                if (n < 64)
                    live[n++] = (stn_live_grid){{(int32_t)json_integer_value(json_array_get(g, 0)),
                                                 (int32_t)json_integer_value(json_array_get(g, 1))},
                                                strtoll(json_string_value(json_array_get(g, 2)), NULL, 10)};
            }
            if (stn_mapfile_update(mf, live, n, &err) != STN_OK)
                why = err.text;
            if (!why && n_update < 2) {
                stn_marker m = {.tile = marks[n_update], .name = (char *)(uintptr_t) "mark"};
                stn_coord at;
                if (stn_mapfile_place(mf, live[0].id, &m.segment, &at, &err) != STN_OK ||
                    stn_mapfile_add_marker(mf, &m, &err) != STN_OK)
                    why = err.text;
            }
            if (!why)
                why = compare_segments(mf, u, &k);
            verdict(r, why, "mapfile-segments.json script and update %" PRId64,
                    (int64_t)(n_script * 1000 + n_update));
        }
        stn_mapfile_free(mf);
        store_free(&s);
    }
    json_decref(j);
}

void vec_mapfile(const char *dir, vec_report *r)
{
    store s = {.blobs = stn_names_new()};
    check_grids(dir, r);
    check_merge(dir, r);
    check_zoom(dir, &s, r);
    check_index(dir, r);
    check_old_markers(dir, r);
    check_export(dir, &s, r);
    check_segments(dir, r);
    store_free(&s);
}
