#include "world/mapfile/mapfile.h"

#include "base/log.h"
#include "base/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MAX 192
#define LIVE_MAX 64
#define LEVEL_MAX 30

typedef struct segment {
    int64_t id;
    stn_table *grids; /* place key -> int64_t*: grid id */
} segment;

struct stn_mapfile {
    stn_mapfile_hooks on;
    char prefix[96]; /* "map/NAME/" */
    int64_t *known; /* segments listed in the index */
    size_t n_known, cap_known;
    stn_marker *markers;
    size_t n_markers, cap_markers;
    stn_table *segments; /* id -> segment, as read */
};

static void key_of(const stn_mapfile *m, char out[KEY_MAX], const char *kind, int64_t id)
{
    snprintf(out, KEY_MAX, "%s%s-%" PRIx64, m->prefix, kind, (uint64_t)id);
}

void stn_mapfile_zoom_key(const stn_mapfile *m, int64_t seg, int32_t level, stn_coord at, char out[KEY_MAX])
{
    snprintf(out, KEY_MAX, "%szgrid-%" PRIx64 "-%d-%d-%d", m->prefix, (uint64_t)seg, level, at.x, at.y);
}

static stn_status get(stn_mapfile *m, const char *key, uint8_t **data, size_t *len)
{
    *data = NULL;
    *len = 0;
    return m->on.get(m->on.arg, key, data, len);
}

static stn_status put(stn_mapfile *m, const char *key, stn_buf *b, stn_err *err)
{
    stn_status st = b->failed ? stn_fail(err, STN_NO_MEMORY, "recorded map: %s", key)
                              : m->on.put(m->on.arg, key, b->data, b->len);
    if (st != STN_OK && !b->failed)
        stn_fail(err, st, "recorded map: %s cannot be stored", key);
    stn_buf_fini(b);
    return st;
}

/* ---- the index */

static bool room(void *p, size_t *cap, size_t n, size_t size)
{
    void **at = p, *more;
    size_t want = *cap ? *cap * 2 : 16;
    if (n <= *cap)
        return true;
    if (!(more = realloc(*at, want * size)))
        return false;
    *at = more;
    *cap = want;
    return true;
}

static stn_status add_known(stn_mapfile *m, int64_t id, stn_err *err)
{
    if (!room(&m->known, &m->cap_known, m->n_known + 1, sizeof *m->known))
        return stn_fail(err, STN_NO_MEMORY, "recorded map: segments");
    m->known[m->n_known++] = id;
    return STN_OK;
}

static stn_status read_index(stn_mapfile *m, const uint8_t *data, size_t len, stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);
    uint8_t version = stn_bytes_u8(&in);
    int32_t n = stn_bytes_i32(&in);
    stn_status st;

    if (!stn_bytes_ok(&in) || version != 1)
        return stn_fail(err, STN_VERSION, "recorded map: index version %u, known is 1", version);
    for (int32_t i = 0; i < n && stn_bytes_ok(&in); i++) {
        int64_t id = stn_bytes_i64(&in);
        if (stn_bytes_ok(&in) && (st = add_known(m, id, err)) != STN_OK)
            return st;
    }
    n = stn_bytes_i32(&in);
    for (int32_t i = 0; i < n && stn_bytes_ok(&in); i++) {
        if (!room(&m->markers, &m->cap_markers, m->n_markers + 1, sizeof *m->markers))
            return stn_fail(err, STN_NO_MEMORY, "recorded map: markers");
        if ((st = stn_marker_read(&in, &m->markers[m->n_markers], err)) != STN_OK)
            return st;
        m->n_markers++;
    }
    return stn_bytes_ok(&in) ? STN_OK : stn_fail(err, STN_TRUNCATED, "recorded map: the index ends early");
}

static stn_status write_index(stn_mapfile *m, stn_err *err)
{
    stn_buf b = {0};
    char key[KEY_MAX];
    stn_status st = STN_OK;

    snprintf(key, sizeof key, "%sindex", m->prefix);
    stn_buf_u8(&b, 1);
    stn_buf_u32(&b, (uint32_t)m->n_known);
    for (size_t i = 0; i < m->n_known; i++)
        stn_buf_u64(&b, (uint64_t)m->known[i]);
    stn_buf_u32(&b, (uint32_t)m->n_markers);
    for (size_t i = 0; i < m->n_markers && st == STN_OK; i++)
        st = stn_marker_write(&m->markers[i], &b, err);
    if (st != STN_OK) {
        stn_buf_fini(&b);
        return st;
    }
    return put(m, key, &b, err);
}

stn_status stn_mapfile_open(const char *name, const stn_mapfile_hooks *hooks, stn_mapfile **out, stn_err *err)
{
    stn_mapfile *m = calloc(1, sizeof *m);
    char key[KEY_MAX];
    uint8_t *data;
    size_t len;
    stn_status st;

    *out = NULL;
    if (!m || !(m->segments = stn_table_new())) {
        free(m);
        return stn_fail(err, STN_NO_MEMORY, "recorded map");
    }
    m->on = *hooks;
    snprintf(m->prefix, sizeof m->prefix, name[0] ? "map/%.80s/" : "map/%.80s", name);
    snprintf(key, sizeof key, "%sindex", m->prefix);
    st = get(m, key, &data, &len);
    if (st == STN_OK)
        st = read_index(m, data, len, err);
    else if (st == STN_NOT_FOUND)
        st = STN_OK;
    free(data);
    if (st != STN_OK) {
        stn_mapfile_free(m);
        return st;
    }
    *out = m;
    return STN_OK;
}

/* ---- segments */

static void free_segment(segment *s)
{
    size_t it = 0;
    uint64_t key;
    void *id;
    while (s->grids && stn_table_next(s->grids, &it, &key, &id))
        free(id);
    stn_table_free(s->grids);
    free(s);
}

void stn_mapfile_free(stn_mapfile *m)
{
    size_t it = 0;
    uint64_t key;
    void *s;

    if (!m)
        return;
    while (stn_table_next(m->segments, &it, &key, &s))
        free_segment(s);
    stn_table_free(m->segments);
    for (size_t i = 0; i < m->n_markers; i++)
        stn_marker_fini(&m->markers[i]);
    free(m->markers);
    free(m->known);
    free(m);
}

static bool set_grid(segment *s, stn_coord at, int64_t id)
{
    int64_t *value = malloc(sizeof *value);
    void *old = NULL;
    if (!value)
        return false;
    *value = id;
    if (!stn_table_put(s->grids, stn_coord_key(at), value, &old)) {
        free(value);
        return false;
    }
    free(old);
    return true;
}

static segment *new_segment(stn_mapfile *m, int64_t id)
{
    segment *s = calloc(1, sizeof *s);
    if (!s || !(s->grids = stn_table_new()) || !stn_table_put(m->segments, (uint64_t)id, s, NULL)) {
        if (s)
            free_segment(s);
        return NULL;
    }
    s->id = id;
    return s;
}

static stn_status read_segment(segment *s, const uint8_t *file, size_t len, stn_err *err)
{
    uint8_t *body;
    size_t n;
    stn_bytes in;
    int32_t count;
    stn_status st;

    if (file[0] != 1)
        return stn_fail(err, STN_VERSION, "recorded map: segment version %u, known is 1", file[0]);
    if ((st = stn_record_unpack(file + 1, len - 1, &body, &n, err)) != STN_OK)
        return st;
    in = stn_bytes_of(body, n);
    if (stn_bytes_i64(&in) != s->id)
        st = stn_fail(err, STN_BAD_DATA, "recorded map: a segment's id is not that of its key");
    count = stn_bytes_i32(&in);
    for (int32_t i = 0; st == STN_OK && i < count && stn_bytes_ok(&in); i++) {
        stn_coord at = {stn_bytes_i32(&in), 0};
        int64_t id;
        at.y = stn_bytes_i32(&in);
        id = stn_bytes_i64(&in);
        if (stn_bytes_ok(&in) && !set_grid(s, at, id))
            st = stn_fail(err, STN_NO_MEMORY, "recorded map: segment");
    }
    if (st == STN_OK && !stn_bytes_ok(&in))
        st = stn_fail(err, STN_TRUNCATED, "recorded map: a segment ends early");
    free(body);
    return st;
}

/* NULL: there is none, it was deleted, or it cannot be read. */
static segment *load_segment(stn_mapfile *m, int64_t id)
{
    segment *s = stn_table_get(m->segments, (uint64_t)id);
    char key[KEY_MAX];
    uint8_t *data;
    size_t len;
    stn_err err = {0};

    if (s)
        return s;
    key_of(m, key, "seg", id);
    if (get(m, key, &data, &len) != STN_OK || len == 0) {
        free(data);
        return NULL;
    }
    s = new_segment(m, id);
    if (s && read_segment(s, data, len, &err) != STN_OK) {
        stn_log_warn("%s; it counts as absent", err.text);
        free_segment(stn_table_remove(m->segments, (uint64_t)id));
        s = NULL;
    }
    free(data);
    return s;
}

static stn_status store_segment(stn_mapfile *m, const segment *s, stn_err *err)
{
    stn_buf body = {0}, file = {0};
    size_t it = 0;
    uint64_t place;
    void *id;
    char key[KEY_MAX];
    stn_status st;

    stn_buf_u64(&body, (uint64_t)s->id);
    stn_buf_u32(&body, (uint32_t)stn_table_count(s->grids));
    while (stn_table_next(s->grids, &it, &place, &id)) {
        stn_coord at = stn_coord_of_key(place);
        stn_buf_u32(&body, (uint32_t)at.x);
        stn_buf_u32(&body, (uint32_t)at.y);
        stn_buf_u64(&body, (uint64_t) * (int64_t *)id);
    }
    stn_buf_u8(&file, 1);
    st = body.failed ? stn_fail(err, STN_NO_MEMORY, "recorded map: segment")
                     : stn_record_pack(body.data, body.len, &file, err);
    stn_buf_fini(&body);
    if (st != STN_OK) {
        stn_buf_fini(&file);
        return st;
    }
    key_of(m, key, "seg", s->id);
    return put(m, key, &file, err);
}

static stn_status store_place(stn_mapfile *m, int64_t grid, int64_t seg, stn_coord at, stn_err *err)
{
    stn_buf b = {0};
    char key[KEY_MAX];

    stn_buf_u8(&b, 1);
    stn_buf_u64(&b, (uint64_t)grid);
    stn_buf_u64(&b, (uint64_t)seg);
    stn_buf_u32(&b, (uint32_t)at.x);
    stn_buf_u32(&b, (uint32_t)at.y);
    key_of(m, key, "gi", grid);
    return put(m, key, &b, err);
}

stn_status stn_mapfile_place(stn_mapfile *m, int64_t grid, int64_t *seg, stn_coord *at, stn_err *err)
{
    char key[KEY_MAX];
    uint8_t *data;
    size_t len;
    stn_bytes in;
    stn_status st;
    bool right;

    key_of(m, key, "gi", grid);
    if ((st = get(m, key, &data, &len)) != STN_OK)
        return stn_fail(err, st, "grid %" PRIx64 " is not recorded", (uint64_t)grid);
    in = stn_bytes_of(data, len);
    right = stn_bytes_u8(&in) == 1;
    right &= stn_bytes_i64(&in) == grid;
    *seg = stn_bytes_i64(&in);
    at->x = stn_bytes_i32(&in);
    at->y = stn_bytes_i32(&in);
    right &= stn_bytes_ok(&in);
    free(data);
    return right ? STN_OK : stn_fail(err, STN_BAD_DATA, "recorded map: %s is not what its key says", key);
}

stn_status stn_mapfile_grid_at(stn_mapfile *m, int64_t seg, stn_coord at, int64_t *grid, stn_err *err)
{
    const segment *s = load_segment(m, seg);
    const int64_t *id = s ? stn_table_get(s->grids, stn_coord_key(at)) : NULL;
    if (!id)
        return stn_fail(err, STN_NOT_FOUND, "nothing is recorded at %d,%d", at.x, at.y);
    *grid = *id;
    return STN_OK;
}

size_t stn_mapfile_segments(const stn_mapfile *m, const int64_t **ids)
{
    *ids = m->known;
    return m->n_known;
}

size_t stn_mapfile_segment_size(stn_mapfile *m, int64_t id)
{
    const segment *s = load_segment(m, id);
    return s ? stn_table_count(s->grids) : 0;
}

stn_status stn_mapfile_list(stn_mapfile *m, int64_t id, stn_live_grid **out, size_t *n, stn_err *err)
{
    const segment *s = load_segment(m, id);
    size_t it = 0;
    uint64_t place;
    void *grid;

    *n = 0;
    if (!(*out = calloc((s ? stn_table_count(s->grids) : 0) + 1, sizeof **out)))
        return stn_fail(err, STN_NO_MEMORY, "recorded map: grids of a segment");
    while (s && stn_table_next(s->grids, &it, &place, &grid))
        (*out)[(*n)++] = (stn_live_grid){stn_coord_of_key(place), *(int64_t *)grid};
    return STN_OK;
}

/* ---- growing and merging (10.2) */

/* Zoom cells above a place are made void, up to the first level that was never made. */
static stn_status void_zooms(stn_mapfile *m, int64_t seg, stn_coord at, stn_err *err)
{
    for (int32_t level = 1; level <= LEVEL_MAX; level++) {
        stn_coord cell = {at.x & ~((1 << level) - 1), at.y & ~((1 << level) - 1)};
        char key[KEY_MAX];
        uint8_t *data;
        size_t len;
        stn_buf empty = {0};
        stn_status st;
        stn_mapfile_zoom_key(m, seg, level, cell, key);
        st = get(m, key, &data, &len);
        free(data);
        if (st != STN_OK)
            return STN_OK;
        if ((st = put(m, key, &empty, err)) != STN_OK)
            return st;
    }
    return STN_OK;
}

static stn_status include(stn_mapfile *m, segment *s, stn_coord at, int64_t grid, stn_err *err)
{
    stn_status st;
    if (!set_grid(s, at, grid))
        return stn_fail(err, STN_NO_MEMORY, "recorded map: segment");
    if ((st = store_place(m, grid, s->id, at, err)) != STN_OK)
        return st;
    return void_zooms(m, s->id, at, err);
}

static stn_coord minus(stn_coord a, stn_coord b)
{
    return (stn_coord){(int32_t)((uint32_t)a.x - (uint32_t)b.x), (int32_t)((uint32_t)a.y - (uint32_t)b.y)};
}

/* All of `from` into `into`: a place p becomes p - off. */
static stn_status move_all(stn_mapfile *m, segment *from, segment *into, stn_coord off, stn_err *err)
{
    size_t it = 0;
    uint64_t place;
    void *id;
    char key[KEY_MAX];
    stn_buf empty = {0};
    stn_status st;
    int64_t gone = from->id;

    while (stn_table_next(from->grids, &it, &place, &id))
        if ((st = include(m, into, minus(stn_coord_of_key(place), off), *(int64_t *)id, err)) != STN_OK)
            return st;
    for (size_t i = 0; i < m->n_markers; i++)
        if (m->markers[i].segment == gone) {
            m->markers[i].segment = into->id;
            m->markers[i].tile = minus(m->markers[i].tile, stn_tile_of_grid(off));
        }
    free_segment(stn_table_remove(m->segments, (uint64_t)gone));
    for (size_t i = 0; i < m->n_known; i++)
        if (m->known[i] == gone) {
            memmove(&m->known[i], &m->known[i + 1], (m->n_known - i - 1) * sizeof *m->known);
            m->n_known--;
            break;
        }
    key_of(m, key, "seg", gone);
    return put(m, key, &empty, err);
}

typedef struct merge {
    int64_t seg;
    stn_coord off; /* place in it minus place in the main segment */
} merge;

static stn_status merge_all(stn_mapfile *m, segment **main, const merge *list, size_t n, stn_err *err)
{
    stn_coord shift = {0, 0}; /* of the main segment's frame against the one the offsets were taken in */

    for (size_t i = 0; i < n; i++) {
        segment *other = load_segment(m, list[i].seg);
        stn_coord off = minus(list[i].off, shift);
        stn_status st;
        if (!other || other == *main)
            continue;
        if (stn_table_count(other->grids) < stn_table_count((*main)->grids)) {
            if ((st = move_all(m, other, *main, off, err)) != STN_OK)
                return st;
        } else {
            stn_coord back = minus((stn_coord){0, 0}, off);
            if ((st = move_all(m, *main, other, back, err)) != STN_OK)
                return st;
            *main = other;
            shift = stn_coord_add(shift, off.x, off.y);
        }
    }
    return STN_OK;
}

static stn_status keep_record(stn_mapfile *m, size_t live, int64_t id, stn_err *err)
{
    const stn_record *r = m->on.record ? m->on.record(m->on.arg, live) : NULL;
    return r ? stn_mapfile_put_grid(m, id, r, err) : STN_OK;
}

stn_status stn_mapfile_update(stn_mapfile *m, const stn_live_grid *live, size_t n, stn_err *err)
{
    segment *main = NULL;
    stn_coord offset = {0, 0};
    bool missing[LIVE_MAX] = {false};
    merge merges[LIVE_MAX];
    size_t n_merges = 0, n_missing = 0;
    stn_status st;

    if (n > LIVE_MAX)
        return stn_fail(err, STN_USAGE, "an update of %zu grids, at most %d", n, LIVE_MAX);
    for (size_t i = 0; i < n; i++) {
        int64_t seg;
        stn_coord at;
        segment *s;
        const int64_t *there;
        if (stn_mapfile_place(m, live[i].id, &seg, &at, NULL) != STN_OK || !(s = load_segment(m, seg)) ||
            !(there = stn_table_get(s->grids, stn_coord_key(at))) || *there != live[i].id) {
            missing[i] = true;
            n_missing++;
            continue;
        }
        if ((st = keep_record(m, i, live[i].id, err)) != STN_OK ||
            (st = include(m, s, at, live[i].id, err)) != STN_OK)
            return st;
        if (!main) {
            main = s;
            offset = minus(at, live[i].gc);
        } else if (s != main) {
            size_t k;
            for (k = 0; k < n_merges && merges[k].seg != seg; k++)
                ;
            if (k == n_merges)
                merges[n_merges++] = (merge){seg, minus(at, stn_coord_add(live[i].gc, offset.x, offset.y))};
        }
    }
    if (!main && n > 0) {
        if (!(main = new_segment(m, m->on.random(m->on.arg))))
            return stn_fail(err, STN_NO_MEMORY, "recorded map: segment");
        if ((st = add_known(m, main->id, err)) != STN_OK)
            return st;
    }
    for (size_t i = 0; i < n; i++)
        if (missing[i] && ((st = keep_record(m, i, live[i].id, err)) != STN_OK ||
                           (st = include(m, main, stn_coord_add(live[i].gc, offset.x, offset.y), live[i].id,
                                         err)) != STN_OK))
            return st;
    if ((st = main ? merge_all(m, &main, merges, n_merges, err) : STN_OK) != STN_OK)
        return st;
    if (main && (n_missing > 0 || n_merges > 0) && (st = store_segment(m, main, err)) != STN_OK)
        return st;
    return write_index(m, err);
}

/* ---- grids and zoom cells */

stn_status stn_mapfile_grid(stn_mapfile *m, int64_t grid, stn_record **out, stn_err *err)
{
    char key[KEY_MAX];
    uint8_t *data;
    size_t len;
    stn_status st;

    *out = NULL;
    key_of(m, key, "grid", grid);
    if ((st = get(m, key, &data, &len)) != STN_OK)
        return stn_fail(err, st, "grid %" PRIx64 " is not recorded", (uint64_t)grid);
    st = stn_record_read_grid(data, len, grid, m->on.now_ms(m->on.arg), out, err);
    free(data);
    return st;
}

stn_status stn_mapfile_put_grid(stn_mapfile *m, int64_t grid, const stn_record *r, stn_err *err)
{
    char key[KEY_MAX];
    stn_buf file = {0};
    stn_status st = stn_record_write_grid(r, grid, &file, err);

    if (st != STN_OK) {
        stn_buf_fini(&file);
        return st;
    }
    key_of(m, key, "grid", grid);
    return put(m, key, &file, err);
}

static stn_status cell(stn_mapfile *m, int64_t seg, int32_t level, stn_coord at, stn_record **out,
                       stn_err *err)
{
    int64_t grid = 0;
    stn_status st;
    if (level > 0)
        return stn_mapfile_zoom(m, seg, level, at, out, err);
    *out = NULL;
    if ((st = stn_mapfile_grid_at(m, seg, at, &grid, err)) != STN_OK)
        return st;
    return stn_mapfile_grid(m, grid, out, err);
}

stn_status stn_mapfile_zoom(stn_mapfile *m, int64_t seg, int32_t level, stn_coord at, stn_record **out,
                            stn_err *err)
{
    stn_record *from[4] = {NULL};
    stn_buf file = {0};
    char key[KEY_MAX];
    uint8_t *data;
    size_t len;
    stn_status st;
    int32_t half;

    *out = NULL;
    if (level < 1 || level > LEVEL_MAX)
        return stn_fail(err, STN_USAGE, "zoom level %d, there are 1 to %d", level, LEVEL_MAX);
    half = 1 << (level - 1);
    stn_mapfile_zoom_key(m, seg, level, at, key);
    st = get(m, key, &data, &len);
    if (st == STN_OK && len > 0) {
        stn_err why = {0};
        st = stn_record_read_zoom(data, len, seg, level, at, out, &why);
        free(data);
        if (st == STN_OK)
            return STN_OK;
        stn_log_warn("%s; it is made again", why.text);
    } else {
        free(data);
    }
    for (int k = 0; k < 4; k++) /* what cannot be had is absent */
        cell(m, seg, level - 1, stn_coord_add(at, k % 2 * half, k / 2 * half), &from[k], NULL);
    if (from[0] || from[1] || from[2] || from[3]) {
        st = stn_record_zoom((const stn_record *const *)from, out, err);
        if (st == STN_OK && (st = stn_record_write_zoom(*out, seg, level, at, &file, err)) == STN_OK)
            st = put(m, key, &file, err);
    } else {
        st = stn_fail(err, STN_NOT_FOUND, "nothing is recorded below the cell");
    }
    for (int k = 0; k < 4; k++)
        stn_record_free(from[k]);
    if (st != STN_OK) {
        stn_record_free(*out);
        *out = NULL;
    }
    return st;
}

/* ---- adding by hand */

stn_status stn_mapfile_add_segment(stn_mapfile *m, int64_t *id, stn_err *err)
{
    segment *s = new_segment(m, m->on.random(m->on.arg));

    if (!s)
        return stn_fail(err, STN_NO_MEMORY, "recorded map: segment");
    *id = s->id;
    return add_known(m, s->id, err);
}

stn_status stn_mapfile_add_grid(stn_mapfile *m, int64_t seg, stn_coord at, int64_t grid, const stn_record *r,
                                bool *added, stn_err *err)
{
    segment *s = load_segment(m, seg);
    int64_t in;
    stn_coord place;
    stn_status st;

    *added = false;
    if (!s)
        return stn_fail(err, STN_NOT_FOUND, "there is no segment %" PRIx64, (uint64_t)seg);
    if (stn_table_get(s->grids, stn_coord_key(at)) || stn_mapfile_place(m, grid, &in, &place, NULL) == STN_OK)
        return STN_OK;
    if ((st = stn_mapfile_put_grid(m, grid, r, err)) == STN_OK)
        st = include(m, s, at, grid, err);
    *added = st == STN_OK;
    return st;
}

stn_status stn_mapfile_store(stn_mapfile *m, int64_t seg, stn_err *err)
{
    const segment *s = load_segment(m, seg);
    stn_status st = s ? store_segment(m, s, err)
                      : stn_fail(err, STN_NOT_FOUND, "there is no segment %" PRIx64, (uint64_t)seg);
    return st == STN_OK ? write_index(m, err) : st;
}

/* ---- markers */

size_t stn_mapfile_markers(const stn_mapfile *m, const stn_marker **list)
{
    *list = m->markers;
    return m->n_markers;
}

stn_status stn_mapfile_add_marker(stn_mapfile *m, const stn_marker *marker, stn_err *err)
{
    stn_buf b = {0};
    stn_bytes in;
    stn_status st = stn_marker_write(marker, &b, err);

    if (st == STN_OK && !room(&m->markers, &m->cap_markers, m->n_markers + 1, sizeof *m->markers))
        st = stn_fail(err, STN_NO_MEMORY, "recorded map: markers");
    if (st == STN_OK) {
        in = stn_bytes_of(b.data, b.len);
        st = stn_marker_read(&in, &m->markers[m->n_markers], err);
    }
    stn_buf_fini(&b);
    if (st != STN_OK)
        return st;
    m->n_markers++;
    return write_index(m, err);
}
