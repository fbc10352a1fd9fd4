/* res_text_values.c - typed values in text: ["tag", …].
 *
 *   ["int", n] ["uint8", n] ["uint16", n] ["int8", n] ["int16", n] ["long", n]     integers, by the tag they
 * have
 *   ["text", "…"]  ["coord", x, y]  ["color", r, g, b, a]  ["fcolor", r, g, b, a]
 *   ["list", v, …]  ["map", k, v, …]            "list-open", "map-open": closed by the end of the payload
 *   ["nil"]  ["nil-id"] (a resource id that says nil)  ["uid", "16 hex digits"]
 *   ["bytes", "hex"]  ["bytes", "hex", first]   first: the length byte of the long form
 *   ["float32", x] ["float64", x] ["point32", x, y] ["point64", x, y] ["float8", bits] ["float16", bits]
 *   ["snorm8", n] … ["mnorm32", n]              norms by their integer
 *   ["res", "name", version]  ["resid", n]
 */
#include "client/res/res_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t tag, kind;
} words[] = {
    {"int", STN_TAG_INT, STN_VALUE_INT},
    {"uint8", STN_TAG_UINT8, STN_VALUE_INT},
    {"uint16", STN_TAG_UINT16, STN_VALUE_INT},
    {"int8", STN_TAG_INT8, STN_VALUE_INT},
    {"int16", STN_TAG_INT16, STN_VALUE_INT},
    {"long", STN_TAG_LONG, STN_VALUE_LONG},
    {"text", STN_TAG_TEXT, STN_VALUE_TEXT},
    {"coord", STN_TAG_COORD, STN_VALUE_COORD},
    {"color", STN_TAG_COLOR, STN_VALUE_COLOR},
    {"fcolor", STN_TAG_FCOLOR, STN_VALUE_FCOLOR},
    {"list", STN_TAG_LIST, STN_VALUE_LIST},
    {"map", STN_TAG_MAP, STN_VALUE_MAP},
    {"nil", STN_TAG_NIL, STN_VALUE_NIL},
    {"nil-id", STN_TAG_RESID, STN_VALUE_NIL},
    {"uid", STN_TAG_UID, STN_VALUE_UID},
    {"bytes", STN_TAG_BYTES, STN_VALUE_BYTES},
    {"float32", STN_TAG_F32, STN_VALUE_F32},
    {"float64", STN_TAG_F64, STN_VALUE_F64},
    {"point32", STN_TAG_POINT32, STN_VALUE_POINT},
    {"point64", STN_TAG_POINT64, STN_VALUE_POINT},
    {"float8", STN_TAG_F8, STN_VALUE_F8},
    {"float16", STN_TAG_F16, STN_VALUE_F16},
    {"snorm8", STN_TAG_SNORM8, STN_VALUE_SNORM8},
    {"unorm8", STN_TAG_UNORM8, STN_VALUE_UNORM8},
    {"mnorm8", STN_TAG_MNORM8, STN_VALUE_MNORM8},
    {"snorm16", STN_TAG_SNORM16, STN_VALUE_SNORM16},
    {"unorm16", STN_TAG_UNORM16, STN_VALUE_UNORM16},
    {"mnorm16", STN_TAG_MNORM16, STN_VALUE_MNORM16},
    {"snorm32", STN_TAG_SNORM32, STN_VALUE_SNORM32},
    {"unorm32", STN_TAG_UNORM32, STN_VALUE_UNORM32},
    {"mnorm32", STN_TAG_MNORM32, STN_VALUE_MNORM32},
    {"res", STN_TAG_RES, STN_VALUE_RES},
    {"resid", STN_TAG_RESID, STN_VALUE_RESID},
};

static const char *word_of(const stn_value *v)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].tag == v->tag && words[i].kind == v->kind)
            return words[i].name;
    return "nil";
}

static json_t *f32_json(float v)
{
    return stn_rt_float_json((double)v, stn_bits_of_f32(v), 8);
}

static json_t *f64_json(double v)
{
    return stn_rt_float_json(v, stn_bits_of_f64(v), 16);
}

static void append_all(json_t *a, const stn_value *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(a, stn_rt_value_json(&items[i]));
}

json_t *stn_rt_value_json(const stn_value *v)
{
    json_t *a = json_array();
    char text[24];

    if ((v->kind == STN_VALUE_LIST || v->kind == STN_VALUE_MAP) && v->form)
        json_array_append_new(a, json_string(v->kind == STN_VALUE_LIST ? "list-open" : "map-open"));
    else
        json_array_append_new(a, json_string(word_of(v)));
    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_NIL:
        break;
    case STN_VALUE_INT:
    case STN_VALUE_RESID:
    case STN_VALUE_SNORM32:
        json_array_append_new(a, json_integer(v->u.i));
        break;
    case STN_VALUE_SNORM8:
        json_array_append_new(a, json_integer(v->form ? INT8_MIN : v->u.i));
        break;
    case STN_VALUE_SNORM16:
        json_array_append_new(a, json_integer(v->form ? INT16_MIN : v->u.i));
        break;
    case STN_VALUE_LONG:
        json_array_append_new(a, json_integer(v->u.l));
        break;
    case STN_VALUE_TEXT:
        json_array_append_new(a, stn_rt_raw_text(v->u.text, v->len));
        break;
    case STN_VALUE_COORD:
        json_array_append_new(a, json_integer(v->u.coord[0]));
        json_array_append_new(a, json_integer(v->u.coord[1]));
        break;
    case STN_VALUE_COLOR:
        for (int i = 0; i < 4; i++)
            json_array_append_new(a, json_integer(v->u.color[i]));
        break;
    case STN_VALUE_FCOLOR:
        for (int i = 0; i < 4; i++)
            json_array_append_new(a, f32_json(v->u.fcolor[i]));
        break;
    case STN_VALUE_LIST:
        append_all(a, v->u.list.items, v->u.list.count);
        break;
    case STN_VALUE_MAP:
        append_all(a, v->u.map->items, 2 * v->u.map->pairs);
        break;
    case STN_VALUE_UID:
        snprintf(text, sizeof text, "%016" PRIx64, (uint64_t)v->u.l);
        json_array_append_new(a, json_string(text));
        break;
    case STN_VALUE_BYTES: {
        static const char digits[] = "0123456789abcdef";
        char *hex = malloc(2 * (size_t)v->len + 1);
        for (size_t i = 0; hex && i < v->len; i++) {
            hex[2 * i] = digits[v->u.bytes[i] >> 4];
            hex[2 * i + 1] = digits[v->u.bytes[i] & 15];
        }
        json_array_append_new(a, hex ? json_stringn(hex, 2 * (size_t)v->len) : NULL);
        free(hex);
        if (v->form)
            json_array_append_new(a, json_integer(v->form));
        break;
    }
    case STN_VALUE_F32:
        json_array_append_new(a, f32_json(v->u.f32));
        break;
    case STN_VALUE_F64:
        json_array_append_new(a, f64_json(v->u.f64));
        break;
    case STN_VALUE_POINT: /* a signalling NaN of tag 18 became quiet: text cannot say it, the layer is then
                             kept raw */
        json_array_append_new(a, f64_json(v->u.point[0]));
        json_array_append_new(a, f64_json(v->u.point[1]));
        break;
    case STN_VALUE_F8:
    case STN_VALUE_F16:
    case STN_VALUE_UNORM8:
    case STN_VALUE_MNORM8:
    case STN_VALUE_UNORM16:
    case STN_VALUE_MNORM16:
    case STN_VALUE_UNORM32:
    case STN_VALUE_MNORM32:
        json_array_append_new(a, json_integer(v->u.bits));
        break;
    case STN_VALUE_RES:
        json_array_append_new(a, stn_rt_raw_text(v->u.res.name, strlen(v->u.res.name)));
        json_array_append_new(a, json_integer(v->u.res.version));
        break;
    }
    return a;
}

/* ---- back ---- */

static bool integer(const json_t *a, size_t i, int64_t lo, int64_t hi, int64_t *out, stn_err *err)
{
    const json_t *j = json_array_get(a, i);
    *out = json_integer_value(j);
    if (json_is_integer(j) && *out >= lo && *out <= hi)
        return true;
    stn_fail(err, STN_BAD_DATA, "\"%s\": item %zu must be an integer in %" PRId64 "..%" PRId64,
             json_string_value(json_array_get(a, 0)), i, lo, hi);
    return false;
}

static bool real(const json_t *a, size_t i, bool single, double *out, stn_err *err)
{
    bool is_bits;
    uint64_t bits = 0;
    if (!stn_rt_float_of(json_array_get(a, i), out, &is_bits, &bits)) {
        stn_fail(err, STN_BAD_DATA, "\"%s\": item %zu must be a number or \"bits:HEX\"",
                 json_string_value(json_array_get(a, 0)), i);
        return false;
    }
    if (is_bits)
        *out = single ? (double)stn_f32_of_bits((uint32_t)bits) : stn_f64_of_bits(bits);
    return true;
}

/* A float that keeps the payload of a NaN. */
static bool single(const json_t *a, size_t i, float *out, stn_err *err)
{
    double v;
    bool is_bits;
    uint64_t bits = 0;
    if (stn_rt_float_of(json_array_get(a, i), &v, &is_bits, &bits) && is_bits) {
        *out = stn_f32_of_bits((uint32_t)bits);
        return true;
    }
    if (!real(a, i, true, &v, err))
        return false;
    *out = (float)v;
    return true;
}

static bool items_of(const json_t *a, stn_arena *arena, uint32_t *n, stn_value **items, stn_err *err)
{
    *n = (uint32_t)json_array_size(a) - 1;
    *items = stn_arena_array(arena, *n + 1, sizeof **items);
    if (!*items) {
        stn_fail(err, STN_NO_MEMORY, "list of %u values", *n);
        return false;
    }
    for (uint32_t i = 0; i < *n; i++)
        if (!stn_rt_value_of(json_array_get(a, i + 1), arena, &(*items)[i], err))
            return false;
    return true;
}

static bool map_of(const json_t *a, stn_arena *arena, stn_value *out, stn_err *err)
{
    uint32_t n;
    stn_value *items;
    stn_map *map = stn_arena_alloc(arena, sizeof *map);
    if (!map || !items_of(a, arena, &n, &items, err))
        return false;
    if (n % 2) {
        stn_fail(err, STN_BAD_DATA, "\"map\": the last key has no value");
        return false;
    }
    *map = (stn_map){.pairs = n / 2, .items = items};
    out->u.map = map;
    return true;
}

static bool bytes_of(const json_t *a, stn_arena *arena, stn_value *out, stn_err *err)
{
    const json_t *hex = json_array_get(a, 1);
    size_t len = json_string_length(hex) / 2;
    uint8_t *data = json_is_string(hex) ? stn_arena_alloc(arena, len + 1) : NULL;
    int64_t first = 0;
    bool fine = data && json_string_length(hex) % 2 == 0;

    for (size_t i = 0; fine && i < len; i++) {
        char pair[3] = {json_string_value(hex)[2 * i], json_string_value(hex)[2 * i + 1], 0}, *end;
        data[i] = (uint8_t)strtoul(pair, &end, 16);
        fine = *end == 0 && pair[0] != '-' && pair[0] != '+' && pair[0] != ' ';
    }
    if (!fine) {
        stn_fail(err, STN_BAD_DATA, "\"bytes\" must hold pairs of hex digits");
        return false;
    }
    if (json_array_size(a) > 2 && !integer(a, 2, 128, 255, &first, err))
        return false;
    out->form = (uint8_t)first;
    out->len = (uint32_t)len;
    out->u.bytes = data;
    return true;
}

static bool fill(const json_t *a, stn_arena *arena, stn_value *v, stn_err *err)
{
    int64_t n = 0, m = 0;
    size_t len = 0;
    bool fine = true;

    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_NIL:
        return true;
    case STN_VALUE_INT: {
        static const struct {
            int64_t lo, hi;
        } range[] = {[STN_TAG_INT] = {INT32_MIN, INT32_MAX},
                     [STN_TAG_UINT8] = {0, UINT8_MAX},
                     [STN_TAG_UINT16] = {0, UINT16_MAX},
                     [STN_TAG_INT8] = {INT8_MIN, INT8_MAX},
                     [STN_TAG_INT16] = {INT16_MIN, INT16_MAX}};
        fine = integer(a, 1, range[v->tag].lo, range[v->tag].hi, &n, err);
        v->u.i = (int32_t)n;
        return fine;
    }
    case STN_VALUE_RESID:
        fine = integer(a, 1, 0, 65534, &n, err);
        v->u.i = (int32_t)n;
        return fine;
    case STN_VALUE_SNORM8:
        fine = integer(a, 1, INT8_MIN, INT8_MAX, &n, err);
        v->form = n == INT8_MIN;
        v->u.i = (int32_t)n;
        return fine;
    case STN_VALUE_SNORM16:
        fine = integer(a, 1, INT16_MIN, INT16_MAX, &n, err);
        v->form = n == INT16_MIN;
        v->u.i = (int32_t)n;
        return fine;
    case STN_VALUE_SNORM32:
        fine = integer(a, 1, -INT32_MAX, INT32_MAX, &n, err);
        v->u.i = (int32_t)n;
        return fine;
    case STN_VALUE_LONG:
        fine = integer(a, 1, INT64_MIN, INT64_MAX, &n, err);
        v->u.l = n;
        return fine;
    case STN_VALUE_TEXT:
        v->u.text = stn_rt_raw_of(json_array_get(a, 1), arena, &len);
        v->len = (uint32_t)len;
        if (!v->u.text)
            stn_fail(err, STN_BAD_DATA, "\"text\" must hold text without NUL, or {\"hex\": …}");
        return v->u.text != NULL;
    case STN_VALUE_COORD:
        fine = integer(a, 1, INT32_MIN, INT32_MAX, &n, err) && integer(a, 2, INT32_MIN, INT32_MAX, &m, err);
        v->u.coord[0] = (int32_t)n;
        v->u.coord[1] = (int32_t)m;
        return fine;
    case STN_VALUE_COLOR:
        for (size_t i = 0; fine && i < 4; i++) {
            fine = integer(a, i + 1, 0, 255, &n, err);
            v->u.color[i] = (uint8_t)n;
        }
        return fine;
    case STN_VALUE_FCOLOR:
        for (size_t i = 0; fine && i < 4; i++)
            fine = single(a, i + 1, &v->u.fcolor[i], err);
        return fine;
    case STN_VALUE_LIST: {
        stn_value *items;
        fine = items_of(a, arena, &v->u.list.count, &items, err);
        v->u.list.items = items;
        return fine;
    }
    case STN_VALUE_MAP:
        return map_of(a, arena, v, err);
    case STN_VALUE_UID: {
        const char *s = json_string_value(json_array_get(a, 1));
        char *end = NULL;
        v->u.l = s ? (int64_t)strtoull(s, &end, 16) : 0;
        if (!s || !*s || *end)
            stn_fail(err, STN_BAD_DATA, "\"uid\" must hold hex digits");
        return s && *s && !*end;
    }
    case STN_VALUE_BYTES:
        return bytes_of(a, arena, v, err);
    case STN_VALUE_F32:
        return single(a, 1, &v->u.f32, err);
    case STN_VALUE_F64:
        return real(a, 1, false, &v->u.f64, err);
    case STN_VALUE_POINT:
        return real(a, 1, false, &v->u.point[0], err) && real(a, 2, false, &v->u.point[1], err);
    case STN_VALUE_F8:
    case STN_VALUE_UNORM8:
    case STN_VALUE_MNORM8:
        fine = integer(a, 1, 0, UINT8_MAX, &n, err);
        break;
    case STN_VALUE_F16:
    case STN_VALUE_UNORM16:
    case STN_VALUE_MNORM16:
        fine = integer(a, 1, 0, UINT16_MAX, &n, err);
        break;
    case STN_VALUE_UNORM32:
    case STN_VALUE_MNORM32:
        fine = integer(a, 1, 0, UINT32_MAX, &n, err);
        break;
    case STN_VALUE_RES:
        v->u.res.name = stn_rt_raw_of(json_array_get(a, 1), arena, &len);
        if (!v->u.res.name) {
            stn_fail(err, STN_BAD_DATA, "\"res\" must hold a name");
            return false;
        }
        fine = integer(a, 2, 0, 65535, &n, err);
        v->u.res.version = (int32_t)n;
        return fine;
    }
    v->u.bits = (uint32_t)n;
    return fine;
}

bool stn_rt_value_of(const json_t *j, stn_arena *arena, stn_value *out, stn_err *err)
{
    const char *word = json_string_value(json_array_get(j, 0));
    bool open = word && (strcmp(word, "list-open") == 0 || strcmp(word, "map-open") == 0);

    *out = (stn_value){.form = open};
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].name, word) != 0 &&
            !(open && strncmp(words[i].name, word, strlen(word) - 5) == 0 &&
              strlen(words[i].name) == strlen(word) - 5))
            continue;
        out->tag = words[i].tag;
        out->kind = words[i].kind;
        return fill(j, arena, out, err);
    }
    stn_fail(err, STN_BAD_DATA,
             "a typed value must be a list that starts with its type, such as [\"int\", 5]%s%.20s",
             word ? ", not " : "", word ? word : "");
    return false;
}
