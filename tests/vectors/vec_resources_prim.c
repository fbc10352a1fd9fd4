/* vec_resources_prim.c - primitives.json: each key is a list of cases of one number format. */
#include "vec_resources_prim.h"

#include "res/json.h"
#include "res/packed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct suite {
    vec_report *r;
    const char *key;
    size_t at; /* case number */
} suite;

static void check(suite *s, bool same, const char *got, const json_t *want)
{
    char *text = NULL;
    if (same) {
        vec_pass(s->r);
        return;
    }
    text = json_dumps(want, JSON_COMPACT | JSON_ENCODE_ANY);
    vec_fail(s->r, "primitives %s case %zu: got %s, expected %s", s->key, s->at, got, text ? text : "?");
    free(text);
}

static const char *str(const json_t *c, size_t i)
{
    const char *s = json_string_value(json_array_get(c, i));
    return s ? s : "";
}

static void check_hex(suite *s, const json_t *c, size_t i, uint64_t got, int digits)
{
    char text[20];
    snprintf(text, sizeof text, "%0*" PRIx64, digits, got);
    check(s, strcmp(text, str(c, i)) == 0, text, json_array_get(c, i));
}

static float float_arg(const json_t *c, size_t i)
{
    return stn_f32_of_bits((uint32_t)strtoul(str(c, i), NULL, 16));
}

/* ---- fixed-size formats ---- */

static void one_number(suite *s, const json_t *c, stn_bytes *in)
{
    const char *k = s->key;
    float f = 0;
    double d = 0;
    bool wide = false;

    if (strcmp(k, "f8") == 0)
        f = stn_res_f8(stn_bytes_u8(in));
    else if (strcmp(k, "f16") == 0)
        f = stn_res_f16(stn_bytes_u16(in));
    else if (strcmp(k, "snorm8") == 0)
        f = stn_res_snorm8(stn_bytes_i8(in));
    else if (strcmp(k, "unorm8") == 0)
        f = stn_res_unorm8(stn_bytes_u8(in));
    else if (strcmp(k, "mnorm8") == 0)
        f = stn_res_mnorm8(stn_bytes_u8(in));
    else if (strcmp(k, "snorm16") == 0)
        f = stn_res_snorm16(stn_bytes_i16(in));
    else if (strcmp(k, "unorm16") == 0)
        f = stn_res_unorm16(stn_bytes_u16(in));
    else if (strcmp(k, "mnorm16") == 0)
        f = stn_res_mnorm16(stn_bytes_u16(in));
    else {
        wide = true;
        if (strcmp(k, "snorm32") == 0)
            d = stn_res_snorm32(stn_bytes_i32(in));
        else if (strcmp(k, "unorm32") == 0)
            d = stn_res_unorm32(stn_bytes_u32(in));
        else
            d = stn_res_mnorm32(stn_bytes_u32(in));
    }
    if (wide)
        check_hex(s, c, 1, stn_bits_of_f64(d), 16);
    else
        check_hex(s, c, 1, stn_bits_of_f32(f), 8);
}

static void cfloat(suite *s, const json_t *c, stn_bytes *in)
{
    double d = 0;
    int8_t e = stn_bytes_i8(in);
    bool fine = stn_res_cfloat(e, stn_bytes_u32(in), &d);
    uint8_t back[5];

    if (!fine) {
        check(s, str(c, 1)[0] == '!', "an error", json_array_get(c, 1));
        return;
    }
    check_hex(s, c, 1, stn_bits_of_f64(d), 16);
    check_hex(s, c, 2, stn_bits_of_f32((float)d), 8);
    /* -128 with a zero mantissa stands for zero whatever the sign; every other one is written back as it was
     */
    bool same = stn_res_to_cfloat(d, back) && (d == 0 || memcmp(back, in->data, 5) == 0);
    check(s, same, "other bytes when written back", json_array_get(c, 0));
}

static void sf9995(suite *s, const json_t *c, stn_bytes *in)
{
    float v[3];
    stn_res_sf9995(stn_bytes_u32(in), v);
    for (size_t i = 0; i < 3; i++)
        check_hex(s, c, 1 + i, stn_bits_of_f32(v[i]), 8);
}

static void check_float(suite *s, const json_t *want, float got)
{
    char text[16];
    const char *w = json_string_value(want);
    snprintf(text, sizeof text, "%08x", stn_bits_of_f32(got));
    check(s, w && (strcmp(w, "nan") == 0 ? isnan(got) : strcmp(w, text) == 0), text, want);
}

static void attr(suite *s, const json_t *c)
{
    size_t n = (size_t)json_integer_value(json_array_get(c, 1)), len;
    uint8_t *data = vec_unhex(str(c, 2), &len);
    stn_bytes in = stn_bytes_of(data, len);
    const json_t *want = json_array_get(c, 3);
    stn_packed p;
    float *out = calloc(n + 1, sizeof *out);
    stn_err err = {0};

    if (stn_packed_open(&in, n, &p, NULL, &err) != STN_OK) {
        check(s, json_is_string(want), err.text, want);
    } else {
        stn_packed_decode(&p, out);
        check(s, strcmp(p.format, str(c, 0)) == 0 && json_array_size(want) == n, p.format,
              json_array_get(c, 0));
        for (size_t i = 0; i < n; i++)
            check_float(s, json_array_get(want, i), out[i]);
    }
    free(out);
    free(data);
}

static void oct(suite *s, const json_t *c, bool inverse)
{
    float v[3];
    size_t ins = inverse ? 3 : 2, outs = inverse ? 2 : 3;
    if (inverse)
        stn_res_to_oct(float_arg(c, 0), float_arg(c, 1), float_arg(c, 2), v);
    else
        stn_res_oct(float_arg(c, 0), float_arg(c, 1), v);
    for (size_t i = 0; i < outs; i++)
        check_float(s, json_array_get(c, ins + i), v[i]);
}

static void delta(suite *s, const json_t *c, stn_bytes *in)
{
    int32_t v;
    bool pick;
    char text[48];
    bool fine = stn_res_delta(in, &v, &pick);
    snprintf(text, sizeof text, "%s %d %d", fine ? "value" : "error", v, pick);
    if (json_is_string(json_array_get(c, 1)))
        check(s, !fine, text, json_array_get(c, 1));
    else
        check(s,
              fine && v == json_integer_value(json_array_get(c, 1)) &&
                  pick == json_is_true(json_array_get(c, 2)) && stn_bytes_left(in) == 0,
              text, c);
}

static void string(suite *s, const json_t *c, stn_bytes *in)
{
    size_t len = 0;
    const char *raw = stn_bytes_cstr(in, &len);
    json_t *got = raw ? stn_res_json_text(raw, len) : json_null();
    char *text = json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY);
    check(s, json_equal(got, json_array_get(c, 1)), text ? text : "?", json_array_get(c, 1));
    free(text);
    json_decref(got);
}

/* ---- typed values ---- */

static bool error_fits(stn_res_fault_kind fault, const char *name)
{
    static const struct {
        const char *name;
        stn_res_fault_kind a, b;
    } table[] = {
        {"!EOF", STN_FAULT_TRUNCATED, STN_FAULT_LENGTH},
        {"!NegativeSize", STN_FAULT_LENGTH, STN_FAULT_TRUNCATED},
        {"!OutOfMemory", STN_FAULT_LENGTH, STN_FAULT_LIMIT},
        {"!FormatError", STN_FAULT_FORMAT, STN_FAULT_FORMAT},
        {"!UnknownFormat", STN_FAULT_FORMAT, STN_FAULT_FORMAT},
        {"!IllegalValue", STN_FAULT_VALUE, STN_FAULT_VALUE},
        {"!StackOverflow", STN_FAULT_LIMIT, STN_FAULT_LIMIT},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(name, table[i].name) == 0)
            return fault == table[i].a || fault == table[i].b;
    return fault != STN_FAULT_NONE; /* an error of a kind that has no twin here */
}

static void check_written(suite *s, const json_t *c, const stn_value *v, const uint8_t *input, size_t used)
{
    stn_buf b = {0};
    json_t *again = NULL;

    /* as it was read: the same bytes, whatever their spelling */
    bool same =
        stn_value_write_exact(&b, v, NULL) == STN_OK && b.len == used && memcmp(b.data, input, used) == 0;
    check(s, same, "other bytes when written exactly", json_array_get(c, 0));
    stn_buf_clear(&b);
    if (stn_value_write(&b, v, NULL) != STN_OK) {
        check(s, false, "an error when written", c);
    } else if (json_is_string(json_array_get(c, 2))) {
        size_t len;
        uint8_t *want = vec_unhex(str(c, 2), &len);
        check(s, len == b.len && memcmp(want, b.data, len) == 0, "other canonical bytes",
              json_array_get(c, 2));
        free(want);
    } else { /* with a map in it the order is free: the meaning is compared */
        stn_bytes in = stn_bytes_of(b.data, b.len);
        stn_arena *arena = stn_arena_new(4096, 0);
        stn_value back;
        if (stn_value_read(&in, arena, 64, &back, NULL, NULL) == STN_OK)
            again = stn_res_json_value(&back);
        check(s, again && json_equal(again, json_array_get(c, 1)), "another value when read again", c);
        json_decref(again);
        stn_arena_free(arena);
    }
    stn_buf_fini(&b);
}

static void tto(suite *s, const json_t *c, bool edge)
{
    size_t len;
    uint8_t *data = vec_unhex(str(c, 0), &len);
    stn_bytes in = stn_bytes_of(data, len);
    stn_arena *arena = stn_arena_new(4096, 64 << 20);
    stn_res_fault_kind fault;
    stn_value v;
    const json_t *want = json_array_get(c, 1);

    if (stn_value_read(&in, arena, stn_res_default_limits.max_depth, &v, &fault, NULL) != STN_OK) {
        const char *name = json_string_value(want);
        check(s, name && error_fits(fault, name), stn_res_fault_name(fault), want);
    } else {
        json_t *got = stn_res_json_value(&v);
        char *text = json_dumps(got, JSON_COMPACT);
        check(s, json_equal(got, want), text ? text : "?", want);
        free(text);
        json_decref(got);
        if (edge)
            check(s, json_integer_value(json_array_get(c, 2)) == (json_int_t)in.pos, "another length", c);
        else
            check_written(s, c, &v, data, in.pos);
    }
    stn_arena_free(arena);
    free(data);
}

static void run_case(suite *s, const json_t *c)
{
    const char *k = s->key;
    size_t len = 0;
    uint8_t *data;

    if (strcmp(k, "tto") == 0 || strcmp(k, "tto_edge") == 0) {
        tto(s, c, k[3] != 0);
        return;
    }
    if (strcmp(k, "attr") == 0) {
        attr(s, c);
        return;
    }
    if (strcmp(k, "oct2uvec") == 0 || strcmp(k, "uvec2oct") == 0) {
        oct(s, c, k[0] == 'u');
        return;
    }
    if (strcmp(k, "enc_f16") == 0) {
        check_hex(s, c, 1, stn_res_to_f16(float_arg(c, 0)), 4);
        return;
    }
    if (strcmp(k, "enc_f8") == 0) {
        check_hex(s, c, 1, stn_res_to_f8(float_arg(c, 0)), 2);
        return;
    }
    data = vec_unhex(str(c, 0), &len);
    stn_bytes in = stn_bytes_of(data, len);
    if (strcmp(k, "cpfloat") == 0)
        cfloat(s, c, &in);
    else if (strcmp(k, "sf9995") == 0)
        sf9995(s, c, &in);
    else if (strcmp(k, "delta") == 0)
        delta(s, c, &in);
    else if (strcmp(k, "string") == 0)
        string(s, c, &in);
    else
        one_number(s, c, &in);
    free(data);
}

void vec_primitives(vec_report *r, const char *dir)
{
    static const char *const keys[] = {
        "f8",       "f16",      "snorm8",  "unorm8",  "mnorm8", "snorm16",  "unorm16", "mnorm16",
        "snorm32",  "unorm32",  "mnorm32", "cpfloat", "sf9995", "attr",     "enc_f16", "enc_f8",
        "oct2uvec", "uvec2oct", "delta",   "string",  "tto",    "tto_edge",
    };
    json_t *all = vec_json(dir, "primitives.json");

    if (!all) {
        vec_skip(r, "primitives.json: not in this folder");
        return;
    }
    const char *key;
    json_t *cases;
    json_object_foreach(all, key, cases)
    {
        suite s = {r, NULL, 0};
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (strcmp(keys[i], key) == 0)
                s.key = keys[i];
        if (!s.key) {
            vec_fail(r, "primitives: key \"%s\" is not known here", key);
            continue;
        }
        const json_t *c;
        json_array_foreach(cases, s.at, c) run_case(&s, c);
    }
    json_decref(all);
}
