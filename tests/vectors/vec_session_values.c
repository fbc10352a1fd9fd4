/* Typed lists and reliable messages. */
#include "vec_session.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "res/values.h"
#include "session/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64

static bool int_is(const json_t *o, const char *key, int64_t v)
{
    return json_is_integer(json_object_get(o, key)) && json_integer_value(json_object_get(o, key)) == v;
}

static bool bits32_are(const json_t *hex, float v)
{
    return json_is_string(hex) && strtoull(json_string_value(hex), NULL, 16) == stn_bits_of_f32(v);
}

static bool bits64_are(const json_t *hex, double v)
{
    return json_is_string(hex) && strtoull(json_string_value(hex), NULL, 16) == stn_bits_of_f64(v);
}

/* A norm: its kept bits as the file shows them, and what it is worth both ways. */
static bool same_norm(const json_t *o, const stn_value *v)
{
    bool wide = v->kind == STN_VALUE_SNORM32 || v->kind == STN_VALUE_UNORM32 || v->kind == STN_VALUE_MNORM32;
    uint32_t mask =
        wide ? 0xffffffffu
        : v->kind == STN_VALUE_SNORM8 || v->kind == STN_VALUE_UNORM8 || v->kind == STN_VALUE_MNORM8 ? 0xffu
                                                                                                    : 0xffffu;
    int64_t bits = wide ? (int64_t)v->u.i : (int64_t)(v->u.bits & mask);
    float f;
    double d;

    return int_is(o, "bits", bits) && stn_value_as_float(v, &f, NULL) == STN_OK &&
           stn_value_as_double(v, &d, NULL) == STN_OK && bits32_are(json_object_get(o, "f"), f) &&
           bits64_are(json_object_get(o, "d"), d);
}

static bool same_bytes(const json_t *hex, const uint8_t *data, size_t len)
{
    size_t n;
    uint8_t *want = json_is_string(hex) ? vec_unhex(json_string_value(hex), &n) : NULL;
    bool same = want && n == len && !memcmp(want, data, len);

    free(want);
    return same;
}

static bool same_text(const json_t *text, const char *have)
{
    stn_buf b = {0};
    bool same;

    stn_wire_text(&b, (const uint8_t *)have, strlen(have));
    stn_buf_u8(&b, 0);
    same = json_is_string(text) && !b.failed && !strcmp(json_string_value(text), (const char *)b.data);
    stn_buf_fini(&b);
    return same;
}

static bool same_value(const json_t *o, const stn_value *v);

bool vec_same_values(const json_t *list, const stn_values *have)
{
    if (json_array_size(list) != have->count)
        return false;
    for (uint32_t i = 0; i < have->count; i++)
        if (!same_value(json_array_get(list, i), &have->items[i]))
            return false;
    return true;
}

/* The file sorts a map's pairs by the text of the key, which is its own affair: pairs are looked for. */
static bool same_map(const json_t *pairs, const stn_map *map)
{
    if (json_array_size(pairs) != map->count)
        return false;
    for (size_t p = 0; p < json_array_size(pairs); p++) {
        const json_t *pair = json_array_get(pairs, p);
        bool found = false;

        for (uint32_t i = 0; i < map->count && !found; i++) {
            const stn_value *kv = &map->items[2 * map->order[i]];

            found =
                same_value(json_array_get(pair, 0), &kv[0]) && same_value(json_array_get(pair, 1), &kv[1]);
        }
        if (!found)
            return false;
    }
    return true;
}

static bool same_numbers(const json_t *array, const stn_value *v, size_t n)
{
    if (json_array_size(array) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(array, i);
        bool same = v->kind == STN_VALUE_COORD    ? json_integer_value(x) == v->u.coord[i]
                    : v->kind == STN_VALUE_COLOR  ? json_integer_value(x) == v->u.color[i]
                    : v->kind == STN_VALUE_FCOLOR ? bits32_are(x, v->u.fcolor[i])
                                                  : bits64_are(x, v->u.point[i]);

        if (!same)
            return false;
    }
    return true;
}

static bool same_value(const json_t *o, const stn_value *v)
{
    static const char *const names[] = {
        [STN_VALUE_NIL] = "nil",         [STN_VALUE_INT] = "int",         [STN_VALUE_LONG] = "long",
        [STN_VALUE_TEXT] = "str",        [STN_VALUE_COORD] = "coord",     [STN_VALUE_COLOR] = "color",
        [STN_VALUE_FCOLOR] = "fcolor",   [STN_VALUE_LIST] = "list",       [STN_VALUE_MAP] = "map",
        [STN_VALUE_UID] = "uid",         [STN_VALUE_BYTES] = "bytes",     [STN_VALUE_F32] = "float32",
        [STN_VALUE_F64] = "float64",     [STN_VALUE_POINT] = "fcoord",    [STN_VALUE_F8] = "float8",
        [STN_VALUE_F16] = "float16",     [STN_VALUE_SNORM8] = "snorm8",   [STN_VALUE_UNORM8] = "unorm8",
        [STN_VALUE_MNORM8] = "mnorm8",   [STN_VALUE_SNORM16] = "snorm16", [STN_VALUE_UNORM16] = "unorm16",
        [STN_VALUE_MNORM16] = "mnorm16", [STN_VALUE_SNORM32] = "snorm32", [STN_VALUE_UNORM32] = "unorm32",
        [STN_VALUE_MNORM32] = "mnorm32", [STN_VALUE_RES] = "resspec",     [STN_VALUE_RESID] = "resid",
    };
    const json_t *x = json_object_get(o, "v");
    char text[32];
    float f;

    if (v->kind >= sizeof names / sizeof *names || strcmp(vec_text(o, "t", ""), names[v->kind]))
        return false;
    switch (v->kind) {
    case STN_VALUE_NIL:
        return true;
    case STN_VALUE_INT:
    case STN_VALUE_RESID:
        return json_integer_value(x) == v->u.i;
    case STN_VALUE_LONG:
        snprintf(text, sizeof text, "%" PRId64, v->u.l);
        return !strcmp(vec_text(o, "v", ""), text);
    case STN_VALUE_UID:
        return strtoull(vec_text(o, "v", "x"), NULL, 16) == (uint64_t)v->u.l;
    case STN_VALUE_TEXT:
        return same_text(x, v->u.text);
    case STN_VALUE_COORD:
    case STN_VALUE_POINT:
        return same_numbers(x, v, 2);
    case STN_VALUE_COLOR:
    case STN_VALUE_FCOLOR:
        return same_numbers(x, v, 4);
    case STN_VALUE_LIST:
        return vec_same_values(x, &v->u.list);
    case STN_VALUE_MAP:
        return same_map(x, v->u.map);
    case STN_VALUE_BYTES:
        return same_bytes(x, v->u.bytes, v->len);
    case STN_VALUE_F64:
        return bits64_are(x, v->u.f64);
    case STN_VALUE_F32:
        return bits32_are(x, v->u.f32);
    case STN_VALUE_F8:
    case STN_VALUE_F16:
        return stn_value_as_float(v, &f, NULL) == STN_OK && bits32_are(x, f);
    case STN_VALUE_RES:
        return same_text(json_object_get(o, "name"), v->u.res.name) && int_is(o, "ver", v->u.res.version);
    default:
        return same_norm(o, v);
    }
}

/* ---- tto */

static void one_list(vec_report *r, unsigned line, const json_t *o, stn_arena *arena)
{
    size_t len;
    uint8_t *data = vec_field_hex(o, "data", &len);
    stn_bytes in = stn_bytes_of(data, len);
    stn_values list;
    stn_err err = {0};
    stn_buf again = {0};
    const json_t *want = json_object_get(o, "reencoded");

    if (stn_values_read(&in, arena, DEPTH, &list, NULL, NULL, &err) != STN_OK)
        vec_fail(r, "tto line %u: %s", line, err.text);
    else if (!vec_same_values(json_object_get(o, "list"), &list))
        vec_fail(r, "tto line %u: the values differ", line);
    else if (!same_bytes(json_object_get(o, "rest"), data + in.pos, len - in.pos))
        vec_fail(r, "tto line %u: the rest differs", line);
    else if (json_is_string(want) && (stn_args_write(&again, &list, &err) != STN_OK ||
                                      !same_bytes(want, again.data ? again.data : data, again.len)))
        vec_fail(r, "tto line %u: the encoding differs (%s)", line, err.text);
    else
        vec_pass(r);
    stn_buf_fini(&again);
    free(data);
}

/* An integer whose encoding is asked for; it may need 64 bits. */
static void one_int(vec_report *r, unsigned line, const json_t *o, const json_t *number)
{
    int64_t n =
        json_is_string(number) ? strtoll(json_string_value(number), NULL, 10) : json_integer_value(number);
    stn_value v =
        n >= INT32_MIN && n <= INT32_MAX ? stn_value_int((int32_t)n) : (stn_value){.kind = STN_VALUE_LONG};
    const json_t *want =
        json_object_get(o, "data") ? json_object_get(o, "data") : json_object_get(o, "encoded");
    stn_buf b = {0};

    if (v.kind == STN_VALUE_LONG)
        v.u.l = n;
    if (stn_args_write(&b, &(stn_values){1, &v}, NULL) != STN_OK || !same_bytes(want, b.data, b.len))
        vec_fail(r, "tto line %u: the encoding of %" PRId64 " differs", line, n);
    else
        vec_pass(r);
    stn_buf_fini(&b);
}

static void hostile_list(vec_report *r, const json_t *o, const json_t *required, stn_arena *arena)
{
    const char *name = vec_text(o, "name", "?"),
               *want = vec_text(json_object_get(required, "tto"), name, NULL);
    size_t len;
    uint8_t *data = vec_field_hex(o, "data", &len);
    stn_bytes in = stn_bytes_of(data, len);
    stn_values list;
    stn_status st = stn_values_read(&in, arena, DEPTH, &list, NULL, NULL, NULL);

    if (!want)
        want = !strcmp(vec_text(o, "reference", ""), "ok") ? "ACCEPT" : "REJECT";
    if (!strcmp(want, "REJECT") ? st == STN_OK
                                : st != STN_OK || !vec_same_values(json_object_get(o, "list"), &list))
        vec_fail(r, "hostile_tto %s: wanted %s", name, want);
    else
        vec_pass(r);
    free(data);
}

/* ---- reliable messages */

static bool same_ids(const json_t *list, const int32_t *ids, uint32_t n)
{
    if (json_array_size(list) != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (json_integer_value(json_array_get(list, i)) != ids[i])
            return false;
    return true;
}

static bool same_coord(const json_t *o, const char *key, const int32_t c[2])
{
    const json_t *a = json_object_get(o, key);

    return json_integer_value(json_array_get(a, 0)) == c[0] &&
           json_integer_value(json_array_get(a, 1)) == c[1];
}

static bool same_mapiv(const json_t *o, const stn_message *m)
{
    const char *kind = vec_text(o, "kind", "");

    if (!strcmp(kind, "invalidate"))
        return m->u.mapiv.kind == 0 && same_coord(o, "grid", m->u.mapiv.ul);
    if (!strcmp(kind, "trim"))
        return m->u.mapiv.kind == 1 && same_coord(o, "ul", m->u.mapiv.ul) &&
               same_coord(o, "lr", m->u.mapiv.lr);
    if (!strcmp(kind, "trim-all"))
        return m->u.mapiv.kind == 2;
    return m->u.mapiv.kind > 2;
}

static bool same_message(const json_t *o, const stn_message *m)
{
    switch (m->type) {
    case STN_RMSG_NEWWDG:
        return int_is(o, "id", m->u.new_widget.id) && int_is(o, "parent", m->u.new_widget.parent) &&
               same_text(json_object_get(o, "wtype"), m->u.new_widget.kind) &&
               vec_same_values(json_object_get(o, "pargs"), &m->u.new_widget.pargs) &&
               vec_same_values(json_object_get(o, "cargs"), &m->u.new_widget.cargs);
    case STN_RMSG_ADDWDG:
        return int_is(o, "id", m->u.add_widget.id) && int_is(o, "parent", m->u.add_widget.parent) &&
               vec_same_values(json_object_get(o, "pargs"), &m->u.add_widget.pargs);
    case STN_RMSG_WDGMSG:
        return int_is(o, "id", m->u.widget.id) && same_text(json_object_get(o, "msg"), m->u.widget.name) &&
               vec_same_values(json_object_get(o, "args"), &m->u.widget.args);
    case STN_RMSG_DSTWDG:
        return int_is(o, "id", m->u.dead_widget);
    case STN_RMSG_WDGBAR:
        return same_ids(json_object_get(o, "deps"), m->u.barrier.deps, m->u.barrier.n_deps) &&
               same_ids(json_object_get(o, "bars"), m->u.barrier.bars, m->u.barrier.n_bars);
    case STN_RMSG_RESID:
        return int_is(o, "resid", m->u.resid.id) && int_is(o, "resver", m->u.resid.version) &&
               same_text(json_object_get(o, "resname"), m->u.resid.name);
    case STN_RMSG_MAPIV:
        return same_mapiv(o, m);
    case STN_RMSG_USERAGENT:
        return same_text(json_object_get(o, "key"), m->u.agent.key) &&
               same_text(json_object_get(o, "val"), m->u.agent.value);
    case STN_RMSG_SESSKEY:
        return !json_object_get(o, "value") || same_value(json_object_get(o, "value"), &m->u.session_key);
    default:
        return m->type == STN_RMSG_GLOBLOB;
    }
}

/* What a client sends is also written, and must come out to the byte. */
static bool same_written(const stn_message *m, const uint8_t *data, size_t len)
{
    stn_buf b = {0};
    bool same = true;

    if (m->type == STN_RMSG_WDGMSG)
        same =
            stn_message_write_widget(&b, m->u.widget.id, m->u.widget.name, &m->u.widget.args, NULL) == STN_OK;
    else if (m->type == STN_RMSG_USERAGENT)
        same = stn_message_write_agent(&b, m->u.agent.key, m->u.agent.value, NULL) == STN_OK;
    if (b.len)
        same = same && b.len == len && !memcmp(b.data, data, len);
    stn_buf_fini(&b);
    return same;
}

static void one_message(vec_report *r, unsigned line, const json_t *o, stn_arena *arena)
{
    size_t len;
    uint8_t *data = vec_field_hex(o, "data", &len);
    bool from_client = !strcmp(vec_text(o, "dir", "s2c"), "c2s");
    stn_message m;
    stn_err err = {0};

    if (stn_message_read((uint8_t)json_integer_value(json_object_get(o, "type")), data, len, from_client,
                         arena, &m, &err) != STN_OK)
        vec_fail(r, "rmsg line %u: %s", line, err.text);
    else if (!same_message(o, &m))
        vec_fail(r, "rmsg line %u: the fields of %s differ", line, vec_text(o, "name", "?"));
    else if (from_client && !same_written(&m, data, len))
        vec_fail(r, "rmsg line %u: %s is written differently", line, vec_text(o, "name", "?"));
    else
        vec_pass(r);
    free(data);
}

void vec_session_values(vec_report *r, const char *dir)
{
    static const char *const files[] = {"tto.jsonl", "hostile_tto.jsonl", "rmsg.jsonl"};
    stn_arena *arena = stn_arena_new(65536, 64u << 20);
    json_t *required = vec_json(dir, "required.json"), *o;

    for (int f = 0; f < 3 && arena; f++) {
        size_t len, it = 0;
        uint8_t *text = vec_read(dir, files[f], &len);
        unsigned line = 0;

        while (text && (o = vec_jsonl_next((const char *)text, len, &it)) != NULL) {
            line++;
            stn_arena_reset(arena);
            if (f == 0 && json_object_get(o, "encode_int")) {
                one_int(r, line, o, json_object_get(o, "encode_int"));
                one_list(r, line, o, arena);
            } else if (f == 0)
                one_list(r, line, o, arena);
            else if (f == 1)
                hostile_list(r, o, required, arena);
            else
                one_message(r, line, o, arena);
            json_decref(o);
        }
        free(text);
    }
    json_decref(required);
    stn_arena_free(arena);
}
