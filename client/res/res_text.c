#include "client/res/res_text.h"

#include "base/text.h"
#include "res/numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool stn_rt_ok(stn_rt *t)
{
    if (t->st == STN_OK && t->to_text && t->in.bad)
        t->st = stn_fail(t->err, STN_TRUNCATED, "the payload ends inside a field");
    return t->st == STN_OK;
}

void stn_rt_fail(stn_rt *t, const char *fmt, ...)
{
    char text[200];
    va_list ap;
    if (!stn_rt_ok(t))
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    t->st = stn_fail(t->err, STN_BAD_DATA, "%s", text);
}

/* The member, or NULL after failing. */
static const json_t *member(stn_rt *t, const char *key)
{
    const json_t *j = t->st == STN_OK ? json_object_get(t->cur, key) : NULL;
    if (!j)
        stn_rt_fail(t, "field \"%s\" is missing", key);
    return j;
}

static void set(stn_rt *t, const char *key, json_t *j)
{
    if (!j || json_object_set_new_nocheck(t->cur, key, j) != 0)
        stn_rt_fail(t, "no memory for field \"%s\"", key);
}

/* ---- numbers ---- */

static const struct {
    int64_t lo, hi;
    uint8_t bytes;
} ints[] = {
    [STN_RT_U8] = {0, UINT8_MAX, 1},   [STN_RT_I8] = {INT8_MIN, INT8_MAX, 1},
    [STN_RT_U16] = {0, UINT16_MAX, 2}, [STN_RT_I16] = {INT16_MIN, INT16_MAX, 2},
    [STN_RT_U32] = {0, UINT32_MAX, 4}, [STN_RT_I32] = {INT32_MIN, INT32_MAX, 4},
};

static int64_t take_int(stn_bytes *in, stn_rt_type type)
{
    switch (type) {
    case STN_RT_U8:
        return stn_bytes_u8(in);
    case STN_RT_I8:
        return stn_bytes_i8(in);
    case STN_RT_U16:
        return stn_bytes_u16(in);
    case STN_RT_I16:
        return stn_bytes_i16(in);
    case STN_RT_U32:
        return stn_bytes_u32(in);
    default:
        return stn_bytes_i32(in);
    }
}

static void put_int(stn_rt *t, const char *key, stn_rt_type type, int64_t v)
{
    if (v < ints[type].lo || v > ints[type].hi) {
        stn_rt_fail(t, "field \"%s\": %lld does not fit %lld..%lld", key, (long long)v,
                    (long long)ints[type].lo, (long long)ints[type].hi);
        return;
    }
    if (ints[type].bytes == 1)
        stn_buf_u8(t->b, (uint8_t)v);
    else if (ints[type].bytes == 2)
        stn_buf_u16(t->b, (uint16_t)v);
    else
        stn_buf_u32(t->b, (uint32_t)v);
}

int64_t stn_rt_int(stn_rt *t, const char *key, stn_rt_type type)
{
    if (!stn_rt_ok(t))
        return 0;
    if (t->to_text) {
        int64_t v = take_int(&t->in, type);
        set(t, key, json_integer(v));
        return v;
    }
    const json_t *j = member(t, key);
    if (j && !json_is_integer(j))
        stn_rt_fail(t, "field \"%s\" must be an integer", key);
    if (!stn_rt_ok(t))
        return 0;
    put_int(t, key, type, json_integer_value(j));
    return json_integer_value(j);
}

/* The fewest digits that give the same number: as a float when `single`, else as a double. */
static void shortest(double v, bool single, char out[32])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, v);
        double back = strtod(out, NULL);
        if (single ? (float)back == (float)v : back == v)
            return;
    }
}

json_t *stn_rt_float_json(double v, uint64_t bits, int digits)
{
    char text[32];
    if (!isfinite(v)) {
        snprintf(text, sizeof text, "bits:%0*llx", digits, (unsigned long long)bits);
        return json_string(text);
    }
    shortest(v, digits <= 8, text);
    return json_real(strtod(text, NULL)); /* a float's short decimal, which reads back as that float */
}

static bool bits_of(const char *text, uint64_t *bits)
{
    char *end;
    if (!stn_text_starts(text, "bits:") || !isxdigit((unsigned char)text[5]))
        return false;
    *bits = strtoull(text + 5, &end, 16);
    return *end == 0;
}

bool stn_rt_float_of(const json_t *j, double *v, bool *is_bits, uint64_t *bits)
{
    *is_bits = json_is_string(j);
    if (*is_bits)
        return bits_of(json_string_value(j), bits);
    *v = json_number_value(j);
    return json_is_number(j);
}

/* One number of a floating type: its value and its bits. */
static double take_real(stn_bytes *in, stn_rt_type type, uint64_t *bits, int *digits)
{
    double v = 0;
    if (type == STN_RT_F32) {
        uint32_t b = stn_bytes_u32(in);
        *bits = b;
        *digits = 8;
        return (double)stn_f32_of_bits(b);
    }
    if (type == STN_RT_F16) {
        uint16_t b = stn_bytes_u16(in);
        *bits = b;
        *digits = 4;
        return (double)stn_res_f16(b);
    }
    if (type == STN_RT_F8) {
        uint8_t b = stn_bytes_u8(in);
        *bits = b;
        *digits = 2;
        return (double)stn_res_f8(b);
    }
    uint8_t e = stn_bytes_u8(in), back[5] = {0};
    uint32_t m = stn_bytes_u32(in);
    *bits = (uint64_t)e << 32 | m;
    *digits = 10;
    /* spelled in another way than the number would be written: only the bits say it */
    if (!stn_res_cfloat((int8_t)e, m, &v) || !stn_res_to_cfloat(v, back) || back[0] != e ||
        stn_ld32(back + 1) != m)
        return (double)NAN;
    return v;
}

static void put_real(stn_rt *t, const char *key, stn_rt_type type, double v, bool is_bits, uint64_t bits)
{
    uint8_t c[5];
    switch (type) {
    case STN_RT_F32:
        stn_buf_u32(t->b, is_bits ? (uint32_t)bits : stn_bits_of_f32((float)v));
        break;
    case STN_RT_F16:
        stn_buf_u16(t->b, is_bits ? (uint16_t)bits : stn_res_to_f16((float)v));
        break;
    case STN_RT_F8:
        stn_buf_u8(t->b, is_bits ? (uint8_t)bits : stn_res_to_f8((float)v));
        break;
    default:
        if (is_bits) {
            stn_buf_u8(t->b, (uint8_t)(bits >> 32));
            stn_buf_u32(t->b, (uint32_t)bits);
        } else if (stn_res_to_cfloat(v, c)) {
            stn_buf_put(t->b, c, 5);
        } else {
            stn_rt_fail(t, "field \"%s\": %g does not fit a compact float", key, v);
        }
        break;
    }
}

void stn_rt_real(stn_rt *t, const char *key, stn_rt_type type)
{
    double v = 0;
    uint64_t bits = 0;
    int digits = 0;
    bool is_bits;

    if (!stn_rt_ok(t))
        return;
    if (t->to_text) {
        v = take_real(&t->in, type, &bits, &digits);
        set(t, key, stn_rt_float_json(v, bits, digits));
        return;
    }
    const json_t *j = member(t, key);
    if (j && !stn_rt_float_of(j, &v, &is_bits, &bits))
        stn_rt_fail(t, "field \"%s\" must be a number or \"bits:HEX\"", key);
    else if (j)
        put_real(t, key, type, v, is_bits, bits);
}

static bool is_real(stn_rt_type type)
{
    return type >= STN_RT_F32;
}

static void numbers_to_text(stn_rt *t, const char *key, stn_rt_type type, size_t count, size_t per_line)
{
    json_t *lines = json_array();
    stn_buf line = {0};

    for (size_t i = 0; i < count && stn_rt_ok(t); i++) {
        if (is_real(type)) {
            uint64_t bits;
            int digits;
            char text[32];
            double v = take_real(&t->in, type, &bits, &digits);
            if (isfinite(v))
                shortest(v, digits <= 8, text);
            else
                snprintf(text, sizeof text, "bits:%0*llx", digits, (unsigned long long)bits);
            stn_buf_printf(&line, "%s%s", line.len ? " " : "", text);
        } else {
            stn_buf_printf(&line, "%s%lld", line.len ? " " : "", (long long)take_int(&t->in, type));
        }
        if ((i + 1) % per_line == 0 || i + 1 == count) {
            json_array_append_new(lines, json_stringn((const char *)line.data, line.len));
            stn_buf_clear(&line);
        }
    }
    stn_buf_fini(&line);
    set(t, key, lines);
}

/* One word of a line; false when it is no number. */
static bool put_word(stn_rt *t, const char *key, stn_rt_type type, const char *word)
{
    char *end;
    uint64_t bits = 0;

    if (!is_real(type)) {
        long long v = strtoll(word, &end, 10);
        if (*end)
            return false;
        put_int(t, key, type, v);
        return true;
    }
    bool is_bits = bits_of(word, &bits);
    double v = is_bits ? 0 : strtod(word, &end);
    if (!is_bits && *end)
        return false;
    put_real(t, key, type, v, is_bits, bits);
    return true;
}

void stn_rt_numbers(stn_rt *t, const char *key, stn_rt_type type, size_t count, size_t per_line)
{
    size_t i, n = 0;
    json_t *line;

    if (!stn_rt_ok(t))
        return;
    if (t->to_text) {
        numbers_to_text(t, key, type, count, per_line);
        return;
    }
    const json_t *lines = member(t, key);
    json_array_foreach(lines, i, line)
    {
        const char *s = json_string_value(line);
        char *copy = s ? stn_arena_strdup(t->arena, s) : NULL, *save = NULL;
        if (!copy) {
            stn_rt_fail(t, "field \"%s\": line %zu is no text", key, i + 1);
            return;
        }
        for (char *w = strtok_r(copy, " \t,", &save); w; w = strtok_r(NULL, " \t,", &save), n++)
            if (!put_word(t, key, type, w)) {
                stn_rt_fail(t, "field \"%s\" line %zu: \"%.20s\" is no number", key, i + 1, w);
                return;
            }
    }
    if (n != count)
        stn_rt_fail(t, "field \"%s\" holds %zu numbers, %zu are needed", key, n, count);
}

/* ---- text and bytes ---- */

static json_t *hex_json(const uint8_t *data, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * len + 1);
    json_t *j = NULL;
    for (size_t i = 0; text && i < len; i++) {
        text[2 * i] = digits[data[i] >> 4];
        text[2 * i + 1] = digits[data[i] & 15];
    }
    if (text)
        j = json_stringn(text, 2 * len);
    free(text);
    return j;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static uint8_t *hex_of(const json_t *j, stn_arena *arena, size_t *len)
{
    const char *s = json_string_value(j);
    size_t n = s ? json_string_length(j) : 1;
    uint8_t *out = n % 2 ? NULL : stn_arena_alloc(arena, n / 2 + 1);
    for (size_t i = 0; out && i < n; i += 2) {
        if (digit(s[i]) < 0 || digit(s[i + 1]) < 0)
            return NULL;
        out[i / 2] = (uint8_t)(digit(s[i]) << 4 | digit(s[i + 1]));
    }
    *len = n / 2;
    if (out)
        out[*len] = 0;
    return out;
}

json_t *stn_rt_raw_text(const char *raw, size_t len)
{
    if (stn_text_is_utf8(raw, len))
        return json_stringn_nocheck(raw, len);
    return json_pack("{s:o}", "hex", hex_json((const uint8_t *)raw, len));
}

const char *stn_rt_raw_of(const json_t *j, stn_arena *arena, size_t *len)
{
    const char *s = json_string_value(j);
    if (s)
        *len = json_string_length(j);
    else
        s = (const char *)hex_of(json_object_get(j, "hex"), arena, len);
    return s && !memchr(s, 0, *len) ? s : NULL;
}

const char *stn_rt_text(stn_rt *t, const char *key)
{
    size_t len = 0;
    const char *s;

    if (!stn_rt_ok(t))
        return "";
    if (t->to_text) {
        s = stn_bytes_cstr(&t->in, &len);
        if (s)
            set(t, key, stn_rt_raw_text(s, len));
        return s ? s : "";
    }
    const json_t *j = member(t, key);
    s = j ? stn_rt_raw_of(j, t->arena, &len) : NULL;
    if (!s) {
        stn_rt_fail(t, "field \"%s\" must be text without NUL, or {\"hex\": …}", key);
        return "";
    }
    stn_buf_cstr(t->b, s);
    return s;
}

void stn_rt_hex(stn_rt *t, const char *key, size_t count)
{
    size_t len;
    if (!stn_rt_ok(t))
        return;
    if (t->to_text) {
        const uint8_t *d = stn_bytes_take(&t->in, count);
        if (d)
            set(t, key, hex_json(d, count));
        return;
    }
    const json_t *j = member(t, key);
    const uint8_t *d = j ? hex_of(j, t->arena, &len) : NULL;
    if (!d || (count != SIZE_MAX && len != count))
        stn_rt_fail(t, "field \"%s\" must be %s hex digits", key,
                    count == SIZE_MAX ? "pairs of" : "exactly as many");
    else
        stn_buf_put(t->b, d, len);
}

void stn_rt_rest_hex(stn_rt *t, const char *key)
{
    stn_rt_hex(t, key, t->to_text ? stn_bytes_left(&t->in) : SIZE_MAX);
}

void stn_rt_rest_text(stn_rt *t, const char *key)
{
    if (!stn_rt_ok(t))
        return;
    if (t->to_text) {
        size_t n = stn_bytes_left(&t->in);
        const char *s = (const char *)stn_bytes_take(&t->in, n);
        /* here a NUL is text like any other byte, which JSON says as \u0000 */
        bool plain = s && !memchr(s, 0, n) && stn_text_is_utf8(s, n);
        set(t, key,
            plain ? json_stringn_nocheck(s, n) : json_pack("{s:o}", "hex", hex_json((const uint8_t *)s, n)));
        return;
    }
    const json_t *j = member(t, key);
    size_t len = json_string_length(j);
    const char *s = json_string_value(j);
    if (j && !s)
        s = (const char *)hex_of(json_object_get(j, "hex"), t->arena, &len);
    if (!s)
        stn_rt_fail(t, "field \"%s\" must be text, or {\"hex\": …}", key);
    else
        stn_buf_put(t->b, s, len);
}

static const char *picture_ending(const uint8_t *d, size_t n)
{
    if (n >= 4 && memcmp(d, "\x89PNG", 4) == 0)
        return "png";
    if (n >= 2 && d[0] == 0xff && d[1] == 0xd8)
        return "jpg";
    return n >= 4 && memcmp(d, "GIF8", 4) == 0 ? "gif" : "bin";
}

void stn_rt_blob(stn_rt *t, const char *key, size_t count, const char *ending)
{
    char name[128];
    if (!stn_rt_ok(t))
        return;
    if (t->to_text) {
        size_t n = count == SIZE_MAX ? stn_bytes_left(&t->in) : count;
        const uint8_t *d = stn_bytes_take(&t->in, n);
        if (!stn_rt_ok(t))
            return;
        if (strcmp(ending, "picture") == 0)
            ending = picture_ending(d, n);
        if (t->blobs++)
            snprintf(name, sizeof name, "%s-%u.%s", t->stem, t->blobs, ending);
        else
            snprintf(name, sizeof name, "%s.%s", t->stem, ending);
        t->st = t->files->save(t->files->user, name, d, n, t->err);
        set(t, key, json_string(name));
        return;
    }
    const char *file = json_string_value(member(t, key));
    uint8_t *data = NULL;
    size_t len = 0;
    if (!file)
        stn_rt_fail(t, "field \"%s\" must be a file name", key);
    if (!stn_rt_ok(t))
        return;
    t->st = t->files->load(t->files->user, file, &data, &len, t->err);
    if (t->st == STN_OK && len)
        stn_buf_put(t->b, data, len);
    free(data);
}

/* ---- typed values ---- */

void stn_rt_value(stn_rt *t, const char *key)
{
    stn_value v;
    if (!stn_rt_ok(t))
        return;
    if (t->to_text) {
        t->st = stn_value_read(&t->in, t->arena, stn_res_default_limits.max_depth, &v, NULL, t->err);
        if (t->st == STN_OK)
            set(t, key, stn_rt_value_json(&v));
        return;
    }
    const json_t *j = member(t, key);
    if (!j)
        return;
    if (!stn_rt_value_of(j, t->arena, &v, t->err))
        t->st = stn_fail_in(t->err, STN_BAD_DATA, "field \"%s\"", key);
    else
        t->st = stn_value_write_exact(t->b, &v, t->err);
}

/* A list body is ["list", …] or, when the end of the payload closed it, ["list-open", …]. */
void stn_rt_values(stn_rt *t, const char *key)
{
    stn_value v = {.kind = STN_VALUE_LIST, .tag = STN_TAG_LIST};
    bool open;
    if (!stn_rt_ok(t))
        return;
    if (t->to_text) {
        t->st = stn_values_read(&t->in, t->arena, stn_res_default_limits.max_depth, &v.u.list, &open, NULL,
                                t->err);
        v.form = open;
        if (t->st == STN_OK)
            set(t, key, stn_rt_value_json(&v));
        return;
    }
    const json_t *j = member(t, key);
    if (!j)
        return;
    if (!stn_rt_value_of(j, t->arena, &v, t->err)) {
        t->st = stn_fail_in(t->err, STN_BAD_DATA, "field \"%s\"", key);
    } else if (v.kind != STN_VALUE_LIST) {
        stn_rt_fail(t, "field \"%s\" must be a [\"list\", …]", key);
    } else {
        for (uint32_t i = 0; t->st == STN_OK && i < v.u.list.count; i++)
            t->st = stn_value_write_exact(t->b, &v.u.list.items[i], t->err);
        if (!v.form)
            stn_buf_u8(t->b, STN_TAG_END);
    }
}

/* ---- structure ---- */

bool stn_rt_left(const stn_rt *t)
{
    return t->to_text && !t->in.bad && stn_bytes_left(&t->in) > 0;
}

bool stn_rt_peek_text(const stn_rt *t)
{
    return stn_rt_left(t) && t->in.data[t->in.pos] != 0;
}

void stn_rt_end_text(stn_rt *t)
{
    if (!stn_rt_ok(t))
        return;
    if (!t->to_text)
        stn_buf_u8(t->b, 0);
    else if (stn_bytes_u8(&t->in) != 0)
        stn_rt_fail(t, "a list is not closed by an empty text");
}

void stn_rt_list_begin(stn_rt *t, stn_rt_list *l, const char *key)
{
    *l = (stn_rt_list){.outer = t->cur};
    if (!stn_rt_ok(t))
        return;
    if (t->to_text) {
        l->array = json_array();
        set(t, key, l->array);
    } else {
        l->array = (json_t *)(uintptr_t)member(t, key);
        if (l->array && !json_is_array(l->array))
            stn_rt_fail(t, "field \"%s\" must be a list", key);
    }
}

bool stn_rt_item(stn_rt *t, stn_rt_list *l, bool more)
{
    if (!stn_rt_ok(t))
        return false;
    if (t->to_text) {
        if (!more)
            return false;
        t->cur = json_object();
        if (json_array_append_new(l->array, t->cur) != 0)
            stn_rt_fail(t, "no memory for a list");
        return stn_rt_ok(t);
    }
    if (l->at >= json_array_size(l->array))
        return false;
    t->cur = json_array_get(l->array, l->at++);
    if (!json_is_object(t->cur))
        stn_rt_fail(t, "item %zu of a list must be an object", l->at);
    return stn_rt_ok(t);
}

void stn_rt_list_end(stn_rt *t, stn_rt_list *l)
{
    t->cur = l->outer;
}

size_t stn_rt_list_size(const stn_rt *t, const char *key)
{
    return json_array_size(json_object_get(t->cur, key));
}

uint64_t stn_rt_count(stn_rt *t, const char *list_key, stn_rt_type type)
{
    if (!stn_rt_ok(t))
        return 0;
    if (t->to_text) {
        int64_t n = take_int(&t->in, type);
        if (n < 0)
            stn_rt_fail(t, "%lld %s", (long long)n, list_key);
        return n < 0 ? 0 : (uint64_t)n;
    }
    size_t n = stn_rt_list_size(t, list_key);
    put_int(t, list_key, type, (int64_t)n);
    return n;
}

void stn_rt_sub_begin(stn_rt *t, stn_rt_sub *s, stn_rt_type type)
{
    *s = (stn_rt_sub){.outer_in = t->in, .outer_b = t->b};
    t->depth++;
    if (!stn_rt_ok(t))
        return;
    if (!t->to_text) {
        t->b = &s->own;
        return;
    }
    int64_t n = take_int(&t->in, type);
    if (n < 0 || (uint64_t)n > stn_bytes_left(&t->in)) {
        stn_rt_fail(t, "a part of %lld bytes, %zu left", (long long)n, stn_bytes_left(&t->in));
        return;
    }
    const uint8_t *d = stn_bytes_take(&t->in, (size_t)n);
    s->outer_in = t->in;
    t->in = stn_bytes_of(d, (size_t)n);
}

/* Bytes that no field takes. Parts within parts share an object, so each depth has a name of its own. */
static void trailing(stn_rt *t)
{
    static const char *const keys[] = {"trailing", "part_trailing", "inner_trailing"};
    const char *key = keys[t->depth];
    if (t->to_text ? stn_rt_left(t) : json_object_get(t->cur, key) != NULL)
        stn_rt_rest_hex(t, key);
}

void stn_rt_sub_end(stn_rt *t, stn_rt_sub *s, stn_rt_type type)
{
    if (stn_rt_ok(t))
        trailing(t);
    t->depth--;
    t->in = s->outer_in;
    t->b = s->outer_b;
    if (!t->to_text && stn_rt_ok(t)) {
        put_int(t, "length of a part", type, (int64_t)s->own.len);
        stn_buf_put(t->b, s->own.data, s->own.len);
    }
    stn_buf_fini(&s->own);
}

/* ---- a whole layer ---- */

stn_status stn_rt_to_text(const char *type, const uint8_t *payload, size_t len, const char *stem,
                          const stn_rt_files *files, json_t **out, stn_err *err)
{
    stn_rt t = {.to_text = true, .in = stn_bytes_of(payload, len), .stem = stem, .files = files, .err = err};

    *out = NULL;
    t.arena = stn_arena_new(4096, stn_res_default_limits.max_decoded);
    t.cur = json_object();
    if (!t.arena || !t.cur)
        t.st = stn_fail(err, STN_NO_MEMORY, "layer \"%s\"", type);
    else if (!stn_rt_describe(&t, type))
        t.st = stn_fail(err, STN_UNSUPPORTED, "type \"%s\" has no text form", type);
    else if (stn_rt_ok(&t))
        trailing(&t);
    stn_rt_ok(&t);
    if (t.st == STN_OK)
        *out = json_incref(t.cur);
    json_decref(t.cur);
    stn_arena_free(t.arena);
    return t.st;
}

stn_status stn_rt_to_bytes(const char *type, const json_t *text, const stn_rt_files *files, stn_buf *out,
                           stn_err *err)
{
    stn_rt t = {.b = out, .cur = (json_t *)(uintptr_t)text, .files = files, .err = err};

    t.arena = stn_arena_new(4096, 0);
    if (!t.arena)
        t.st = stn_fail(err, STN_NO_MEMORY, "layer \"%s\"", type);
    else if (!json_is_object(text))
        t.st = stn_fail(err, STN_BAD_DATA, "the text of a layer must be an object");
    else if (!stn_rt_describe(&t, type))
        t.st = stn_fail(err, STN_UNSUPPORTED, "type \"%s\" has no text form", type);
    else
        trailing(&t);
    if (t.st == STN_OK && out->failed)
        t.st = stn_fail(err, STN_NO_MEMORY, "layer \"%s\"", type);
    stn_arena_free(t.arena);
    return t.st;
}
