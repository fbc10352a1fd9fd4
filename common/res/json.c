#include "res/json.h"

#include "base/bytes.h"
#include "res/json_layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

json_t *stn_res_json_text(const char *raw, size_t len)
{
    size_t cap = 3 * len + 1;
    char *text = malloc(cap);
    json_t *j = NULL;
    if (text)
        j = json_stringn_nocheck(text, stn_res_text(raw, len, text, cap));
    free(text);
    return j;
}

json_t *stn_js_text(const char *raw)
{
    return stn_res_json_text(raw, strlen(raw));
}

json_t *stn_js_hex(uint64_t v, int digits)
{
    char text[20];
    snprintf(text, sizeof text, "%0*llx", digits, (unsigned long long)v);
    return json_string(text);
}

json_t *stn_js_f32(float v)
{
    return stn_js_hex(stn_bits_of_f32(v), 8);
}

json_t *stn_js_f64(double v)
{
    return stn_js_hex(stn_bits_of_f64(v), 16);
}

json_t *stn_js_crc(const void *data, size_t len)
{
    return stn_js_hex(crc32_z(0, data, len), 8);
}

json_t *stn_js_bytes(const uint8_t *data, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * len + 1);
    json_t *j = NULL;
    if (text) {
        for (size_t i = 0; i < len; i++) {
            text[2 * i] = digits[data[i] >> 4];
            text[2 * i + 1] = digits[data[i] & 15];
        }
        j = json_stringn(text, 2 * len);
    }
    free(text);
    return j;
}

json_t *stn_js_floats(const float *f, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(a, stn_js_f32(f[i]));
    return a;
}

#define SHOWN 8

static json_t *summary(size_t count, uint32_t crc, json_t *first)
{
    return json_pack("{s:I, s:o, s:o}", "count", (json_int_t)count, "crc32", stn_js_hex(crc, 8), "first",
                     first);
}

json_t *stn_js_float_array(const float *f, size_t n)
{
    uint32_t crc = (uint32_t)crc32_z(0, NULL, 0);
    for (size_t i = 0; i < n; i++) {
        uint8_t b[4];
        stn_st32(b, stn_bits_of_f32(f[i]));
        crc = (uint32_t)crc32_z(crc, b, 4);
    }
    return summary(n, crc, stn_js_floats(f, n < SHOWN ? n : SHOWN));
}

json_t *stn_js_int_array(const int32_t *v, size_t n)
{
    uint32_t crc = (uint32_t)crc32_z(0, NULL, 0);
    json_t *first = json_array();
    for (size_t i = 0; i < n; i++) {
        uint8_t b[4];
        stn_st32(b, (uint32_t)v[i]);
        crc = (uint32_t)crc32_z(crc, b, 4);
        if (i < SHOWN)
            json_array_append_new(first, json_integer(v[i]));
    }
    return summary(n, crc, first);
}

json_t *stn_js_u16_array(const uint16_t *v, size_t n)
{
    uint32_t crc = (uint32_t)crc32_z(0, NULL, 0);
    json_t *first = json_array();
    for (size_t i = 0; i < n; i++) {
        uint8_t b[2];
        stn_st16(b, v[i]);
        crc = (uint32_t)crc32_z(crc, b, 2);
        if (i < SHOWN)
            json_array_append_new(first, json_integer(v[i]));
    }
    return summary(n, crc, first);
}

/* ---- typed values ---- */

json_t *stn_js_values(const stn_values *l)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < l->count; i++)
        json_array_append_new(a, stn_res_json_value(&l->items[i]));
    return a;
}

static int by_key_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Entries sorted by the canonical text of their key. */
static json_t *map_json(const stn_map *m)
{
    json_t *out = json_array(), *pairs = json_object();
    const char **keys = calloc((size_t)m->count + 1, sizeof *keys);
    size_t n = 0;

    for (uint32_t i = 0; keys && i < m->count; i++) {
        const stn_value *pair = &m->items[2 * (size_t)m->order[i]];
        json_t *entry = json_array();
        json_array_append_new(entry, stn_res_json_value(&pair[0]));
        json_array_append_new(entry, stn_res_json_value(&pair[1]));
        char *key = json_dumps(json_array_get(entry, 0), JSON_COMPACT);
        char *unique = key ? malloc(strlen(key) + 16) : NULL;
        if (unique) { /* keys that are lists may read alike and are not */
            sprintf(unique, "%s %u", key, i);
            json_object_set_nocheck(pairs, unique, entry);
        }
        json_decref(entry);
        free(key);
        free(unique);
    }
    const char *key;
    json_t *entry;
    json_object_foreach(pairs, key, entry) if (keys && n < m->count) keys[n++] = key;
    if (n)
        qsort(keys, n, sizeof *keys, by_key_text);
    for (size_t i = 0; i < n; i++)
        json_array_append(out, json_object_get(pairs, keys[i]));
    free(keys);
    json_decref(pairs);
    return json_pack("[s, o]", "map", out);
}

static json_t *norm_json(const char *name, const stn_value *v, unsigned bits, bool is_signed)
{
    uint32_t pattern = is_signed ? (uint32_t)v->u.i : v->u.bits;
    if (bits < 32)
        pattern &= (1u << bits) - 1;
    return json_pack("[s, o, o, o]", name, stn_js_hex(pattern, 8), stn_js_f32(stn_value_norm_float(v)),
                     stn_js_f64(stn_value_norm_double(v)));
}

json_t *stn_res_json_value(const stn_value *v)
{
    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_NIL:
        return json_pack("[s]", "nil");
    case STN_VALUE_INT:
        return json_pack("[s, i]", "i", v->u.i);
    case STN_VALUE_LONG:
        return json_pack("[s, I]", "l", (json_int_t)v->u.l);
    case STN_VALUE_TEXT:
        return json_pack("[s, o]", "s", stn_res_json_text(v->u.text, v->len));
    case STN_VALUE_COORD:
        return json_pack("[s, i, i]", "c", v->u.coord[0], v->u.coord[1]);
    case STN_VALUE_COLOR:
        return json_pack("[s, i, i, i, i]", "col", v->u.color[0], v->u.color[1], v->u.color[2],
                         v->u.color[3]);
    case STN_VALUE_FCOLOR:
        return json_pack("[s, o, o, o, o]", "fcol", stn_js_f32(v->u.fcolor[0]), stn_js_f32(v->u.fcolor[1]),
                         stn_js_f32(v->u.fcolor[2]), stn_js_f32(v->u.fcolor[3]));
    case STN_VALUE_LIST:
        return json_pack("[s, o]", "list", stn_js_values(&v->u.list));
    case STN_VALUE_MAP:
        return map_json(v->u.map);
    case STN_VALUE_UID:
        return json_pack("[s, o]", "uid", stn_js_hex((uint64_t)v->u.l, 16));
    case STN_VALUE_BYTES:
        return json_pack("[s, o]", "b", stn_js_bytes(v->u.bytes, v->len));
    case STN_VALUE_F32:
        return json_pack("[s, o]", "f32", stn_js_f32(v->u.f32));
    case STN_VALUE_F64:
        return json_pack("[s, o]", "f64", stn_js_f64(v->u.f64));
    case STN_VALUE_POINT:
        return json_pack("[s, o, o]", "fc", stn_js_f64(v->u.point[0]), stn_js_f64(v->u.point[1]));
    case STN_VALUE_F8:
        return json_pack("[s, o, o]", "f8", stn_js_hex(v->u.bits, 2),
                         stn_js_f32(stn_res_f8((uint8_t)v->u.bits)));
    case STN_VALUE_F16:
        return json_pack("[s, o, o]", "f16", stn_js_hex(v->u.bits, 4),
                         stn_js_f32(stn_res_f16((uint16_t)v->u.bits)));
    case STN_VALUE_SNORM8:
        return norm_json("sn8", v, 8, true);
    case STN_VALUE_UNORM8:
        return norm_json("un8", v, 8, false);
    case STN_VALUE_MNORM8:
        return norm_json("mn8", v, 8, false);
    case STN_VALUE_SNORM16:
        return norm_json("sn16", v, 16, true);
    case STN_VALUE_UNORM16:
        return norm_json("un16", v, 16, false);
    case STN_VALUE_MNORM16:
        return norm_json("mn16", v, 16, false);
    case STN_VALUE_SNORM32:
        return norm_json("sn32", v, 32, true);
    case STN_VALUE_UNORM32:
        return norm_json("un32", v, 32, false);
    case STN_VALUE_MNORM32:
        return norm_json("mn32", v, 32, false);
    case STN_VALUE_RES:
        return json_pack("[s, o, i]", "res", stn_js_text(v->u.res.name), v->u.res.version);
    case STN_VALUE_RESID:
        return json_pack("[s, i]", "resid", v->u.i);
    }
    return json_null();
}

static json_t *set_text_key(json_t *object, const char *raw, json_t *value)
{
    size_t len = strlen(raw), cap = 3 * len + 1;
    char *key = malloc(cap);
    if (key)
        stn_res_text(raw, len, key, cap);
    if (!key || json_object_set_new_nocheck(object, key, value) != 0)
        json_decref(value);
    free(key);
    return object;
}

json_t *stn_js_entries(const stn_entries *e)
{
    json_t *o = json_object();
    for (uint32_t i = 0; i < e->count; i++) /* a repeated key is set again: the last counts */
        set_text_key(o, e->items[i].key, stn_res_json_value(&e->items[i].value));
    return o;
}

json_t *stn_js_set(json_t *object, const char *raw_key, json_t *value)
{
    return set_text_key(object, raw_key, value);
}

/* ---- the whole ---- */

json_t *stn_res_json(const stn_res *res, const char *name)
{
    json_t *records = json_array();
    for (uint32_t i = 0; i < stn_res_count(res); i++) {
        const stn_res_layer *l = stn_res_layer_at(res, i);
        json_t *r =
            json_pack("{s:I, s:o, s:I, s:I, s:o, s:b}", "i", (json_int_t)i, "type", stn_js_text(l->type),
                      "offset", (json_int_t)l->offset, "len", (json_int_t)l->raw_len, "crc32",
                      stn_js_crc(l->raw, l->raw_len), "known", l->kind != STN_LAYER_UNKNOWN);
        json_t *decoded = stn_res_json_layer(res, l, name);
        if (decoded)
            json_object_set_new(r, "decoded", decoded);
        json_array_append_new(records, r);
    }
    return json_pack("{s:i, s:o}", "version", stn_res_version(res), "records", records);
}
