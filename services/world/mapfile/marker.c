#include "world/mapfile/marker.h"

#include "base/arena.h"
#include "res/values.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16
#define MARKER_VERSION 4

void stn_marker_fini(stn_marker *m)
{
    free(m->name);
    free(m->res);
    free(m->data);
    *m = (stn_marker){0};
}

static stn_status bad(stn_err *err, const char *what)
{
    return stn_fail(err, STN_BAD_DATA, "marker: %s", what);
}

static bool keep_data(stn_marker *m, const uint8_t *data, size_t len)
{
    m->data = malloc(len ? len : 1);
    if (!m->data)
        return false;
    if (len > 0)
        memcpy(m->data, data, len);
    m->data_len = len;
    return true;
}

static stn_status read_fixed(stn_bytes *in, uint8_t version, stn_marker *m, stn_err *err)
{
    const char *name;
    uint8_t type;

    m->segment = stn_bytes_i64(in);
    m->tile.x = stn_bytes_i32(in);
    m->tile.y = stn_bytes_i32(in);
    name = stn_bytes_cstr(in, NULL);
    type = stn_bytes_u8(in);
    if (!stn_bytes_ok(in) || !name)
        return stn_fail(err, STN_TRUNCATED, "marker: ends early");
    if (!(m->name = strdup(name)))
        return stn_fail(err, STN_NO_MEMORY, "marker");
    if (type == 'p') {
        for (int i = 0; i < 4; i++)
            m->colour[i] = stn_bytes_u8(in);
        m->on_map = version >= 2 && stn_bytes_u8(in) != 0;
    } else if (type == 's') {
        const char *res;
        size_t n = 0;
        m->is_object = true;
        m->object = stn_bytes_i64(in);
        res = stn_bytes_cstr(in, NULL);
        m->version = stn_bytes_u16(in);
        if (version >= 3)
            n = stn_bytes_u8(in);
        if (!res || !(m->res = strdup(res)) || !keep_data(m, stn_bytes_take(in, n), stn_bytes_ok(in) ? n : 0))
            return stn_fail(err, res ? STN_NO_MEMORY : STN_TRUNCATED, "marker: ends early");
    } else {
        return bad(err, "of unknown type");
    }
    return stn_bytes_ok(in) ? STN_OK : stn_fail(err, STN_TRUNCATED, "marker: ends early");
}

static stn_status take_map(const stn_map *map, stn_marker *m, stn_err *err)
{
    const stn_value *seg = stn_map_get(map, "seg"), *c = stn_map_get(map, "c"), *nm = stn_map_get(map, "nm");
    const stn_value *col = stn_map_get(map, "col"), *md = stn_map_get(map, "md"),
                    *res = stn_map_get(map, "res");
    const stn_value *oid = stn_map_get(map, "oid"), *dat = stn_map_get(map, "dat");
    int32_t at[2];

    if (!seg || seg->kind != STN_VALUE_UID || !c || stn_value_as_coord(c, at, NULL) != STN_OK || !nm ||
        nm->kind != STN_VALUE_TEXT)
        return bad(err, "without segment, place or name");
    m->segment = seg->u.l;
    m->tile = (stn_coord){at[0], at[1]};
    if (!(m->name = strdup(nm->u.text)))
        return stn_fail(err, STN_NO_MEMORY, "marker");
    if (col) {
        if (stn_value_as_color(col, m->colour, err) != STN_OK)
            return bad(err, "its colour is none");
        if (md && stn_value_as_bool(md, &m->on_map, err) != STN_OK)
            return bad(err, "its mode is none");
        return STN_OK;
    }
    if (!res || res->kind != STN_VALUE_RES || !oid || oid->kind != STN_VALUE_UID)
        return bad(err, "neither a colour nor a resource");
    m->is_object = true;
    m->object = oid->u.l;
    m->version = (uint16_t)res->u.res.version; /* 65535: any */
    if (!(m->res = strdup(res->u.res.name)))
        return stn_fail(err, STN_NO_MEMORY, "marker");
    if (dat && dat->kind == STN_VALUE_BYTES && !keep_data(m, dat->u.bytes, dat->len))
        return stn_fail(err, STN_NO_MEMORY, "marker");
    return STN_OK;
}

stn_status stn_marker_read(stn_bytes *in, stn_marker *out, stn_err *err)
{
    uint8_t version = stn_bytes_u8(in);
    stn_arena *arena;
    stn_value v;
    stn_status st;

    *out = (stn_marker){0};
    if (!stn_bytes_ok(in))
        return stn_fail(err, STN_TRUNCATED, "marker: ends early");
    if (version >= 1 && version < MARKER_VERSION) {
        st = read_fixed(in, version, out, err);
    } else if (version == 0) {
        st = stn_fail(err, STN_VERSION, "marker of version 0");
    } else if (!(arena = stn_arena_new(1024, 1 << 20))) {
        st = stn_fail(err, STN_NO_MEMORY, "marker");
    } else {
        st = stn_value_read(in, arena, DEPTH_MAX, &v, NULL, err);
        if (st == STN_OK)
            st = v.kind == STN_VALUE_MAP ? take_map(v.u.map, out, err) : bad(err, "not a map");
        stn_arena_free(arena);
    }
    if (st != STN_OK)
        stn_marker_fini(out);
    return st;
}

static void add(stn_value *items, uint32_t *n, const char *key, stn_value value)
{
    items[*n * 2] = stn_value_text(key);
    items[*n * 2 + 1] = value;
    ++*n;
}

stn_status stn_marker_write(const stn_marker *m, stn_buf *out, stn_err *err)
{
    stn_value items[14];
    uint32_t order[7], n = 0;
    stn_map map = {0};
    stn_value v = {.kind = STN_VALUE_MAP};

    add(items, &n, "seg", (stn_value){.kind = STN_VALUE_UID, .u.l = m->segment});
    add(items, &n, "c", (stn_value){.kind = STN_VALUE_COORD, .u.coord = {m->tile.x, m->tile.y}});
    add(items, &n, "nm", stn_value_text(m->name));
    if (m->is_object) {
        add(items, &n, "res", (stn_value){.kind = STN_VALUE_RES, .u.res = {m->res, m->version}});
        add(items, &n, "oid", (stn_value){.kind = STN_VALUE_UID, .u.l = m->object});
        if (m->data_len > 0)
            add(items, &n, "dat",
                (stn_value){.kind = STN_VALUE_BYTES, .len = (uint32_t)m->data_len, .u.bytes = m->data});
    } else {
        stn_value colour = {.kind = STN_VALUE_COLOR};
        memcpy(colour.u.color, m->colour, 4);
        add(items, &n, "col", colour);
        if (m->on_map)
            add(items, &n, "md", stn_value_int(1));
    }
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    map = (stn_map){.pairs = n, .items = items, .count = n, .order = order};
    v.u.map = &map;
    stn_buf_u8(out, MARKER_VERSION);
    return stn_value_write(out, &v, err);
}
