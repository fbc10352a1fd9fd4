#include "session/recording.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stn_recording {
    const char *text;
    size_t len, pos;
    unsigned line;
    uint64_t skipped;
    stn_arena *arena;
};

/* A word within a line, not terminated. */
typedef struct word {
    const char *p;
    size_t len;
} word;

stn_recording *stn_recording_new(const char *text, size_t len)
{
    stn_recording *r = calloc(1, sizeof *r);

    if (!r || !(r->arena = stn_arena_new(4096, 4u * STN_RECORDING_LINE))) {
        free(r);
        return NULL;
    }
    r->text = text;
    r->len = len;
    return r;
}

void stn_recording_free(stn_recording *r)
{
    if (!r)
        return;
    stn_arena_free(r->arena);
    free(r);
}

uint64_t stn_recording_skipped(const stn_recording *r)
{
    return r->skipped;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The next word of the line; empty at its end. */
static word next_word(word *line)
{
    word w;

    while (line->len && is_space(*line->p)) {
        line->p++;
        line->len--;
    }
    w.p = line->p;
    while (line->len && !is_space(*line->p)) {
        line->p++;
        line->len--;
    }
    w.len = (size_t)(line->p - w.p);
    return w;
}

static bool word_is(word w, const char *text)
{
    return w.len == strlen(text) && !memcmp(w.p, text, w.len);
}

static bool word_number(word w, int64_t min, int64_t max, int64_t *out)
{
    char text[24];

    if (!w.len || w.len >= sizeof text)
        return false;
    memcpy(text, w.p, w.len);
    text[w.len] = 0;
    return stn_text_i64(text, min, max, out);
}

static bool word_time(word w, double *out)
{
    char text[40], *comma;

    if (!w.len || w.len >= sizeof text)
        return false;
    memcpy(text, w.p, w.len);
    text[w.len] = 0;
    if ((comma = strchr(text, ',')) != NULL)
        *comma = '.';
    return stn_text_f64(text, 0.0, 1e12, out);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Printed bytes: a backslash is doubled, or two hex digits follow it. */
static bool unescape(word w, uint8_t *out, size_t *len)
{
    size_t n = 0;

    for (size_t i = 0; i < w.len; i++) {
        int hi, lo;

        if (w.p[i] != '\\') {
            out[n++] = (uint8_t)w.p[i];
            continue;
        }
        if (++i < w.len && w.p[i] == '\\') {
            out[n++] = '\\';
            continue;
        }
        if (i + 1 >= w.len || (hi = hex_digit(w.p[i])) < 0 || (lo = hex_digit(w.p[i + 1])) < 0)
            return false;
        out[n++] = (uint8_t)(hi << 4 | lo);
        i++;
    }
    *len = n;
    return true;
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool unbase64(word w, uint8_t *out, size_t *len)
{
    size_t n = 0;

    if (w.len % 4)
        return false;
    for (size_t i = 0; i < w.len; i += 4) {
        bool last = i + 4 == w.len;
        int pad = last && w.p[i + 3] == '=' ? (w.p[i + 2] == '=' ? 2 : 1) : 0;
        uint32_t v = 0;

        for (int k = 0; k < 4; k++) {
            int d = k >= 4 - pad ? 0 : base64_digit(w.p[i + (size_t)k]);

            if (d < 0)
                return false;
            v = v << 6 | (uint32_t)d;
        }
        for (int k = 0; k < 3 - pad; k++)
            out[n++] = (uint8_t)(v >> (16 - 8 * k));
    }
    *len = n;
    return true;
}

static const char *read_rmsg(stn_recording *r, word line, stn_recorded *out)
{
    int64_t type;
    uint8_t *data = stn_arena_alloc(r->arena, line.len + 1);

    if (!data)
        return "is too long";
    if (!word_number(next_word(&line), 0, 255, &type))
        return "has no message type";
    if (!unescape(next_word(&line), data, &out->len))
        return "has a wrong escape";
    out->type = (uint8_t)type;
    out->data = data;
    return NULL;
}

static const char *read_map(stn_recording *r, word line, stn_recorded *out)
{
    uint8_t *data = stn_arena_alloc(r->arena, line.len + 1);

    if (!data)
        return "is too long";
    if (!unbase64(next_word(&line), data, &out->len))
        return "is no base64";
    out->data = data;
    return NULL;
}

static const char *read_flags(word w, stn_objdelta *d, bool *init)
{
    *init = false;
    for (size_t i = 0; i < w.len; i++) {
        switch (w.p[i]) {
        case 'i':
            *init = true;
            break;
        case 'v':
            d->flags |= STN_OBJ_VIRTUAL;
            break;
        case 'o':
            d->flags |= STN_OBJ_OLD;
            break;
        case 'd':
            d->removal = true;
            break;
        case 'n':
            break;
        default:
            return "has an unknown flag";
        }
    }
    return w.len ? NULL : "has no flags";
}

static const char *read_objd(stn_recording *r, word line, stn_recorded *out)
{
    stn_buf attrs = {.max = STN_RECORDING_LINE};
    uint8_t *bytes = stn_arena_alloc(r->arena, line.len + 1);
    int64_t id, frame, initframe = 0, type;
    bool init;
    const char *wrong = bytes ? read_flags(next_word(&line), &out->obj, &init) : "is too long";

    if (wrong)
        return wrong;
    if (!word_number(next_word(&line), 0, UINT32_MAX, &id) ||
        !word_number(next_word(&line), INT32_MIN, INT32_MAX, &frame) ||
        (init && !word_number(next_word(&line), INT32_MIN, INT32_MAX, &initframe)))
        return "has a wrong object or frame number";
    out->obj.id = (uint32_t)id;
    out->obj.frame = (int32_t)frame;
    out->obj.initframe = initframe > 0 ? (int32_t)initframe : 0;
    for (word w = next_word(&line); w.len; w = next_word(&line)) {
        const char *colon = memchr(w.p, ':', w.len);
        word number = {w.p, colon ? (size_t)(colon - w.p) : 0}, value = {NULL, 0};
        size_t len = 0;

        if (colon)
            value = (word){colon + 1, w.len - number.len - 1};
        if (!colon || !word_number(number, 0, 126, &type) || !unescape(value, bytes, &len) || len > 65535) {
            stn_buf_fini(&attrs);
            return "has a wrong attribute";
        }
        stn_objdata_attr(&attrs, (uint8_t)type, bytes, len);
    }
    out->obj.attrs = attrs.failed ? NULL : bytes;
    if (out->obj.attrs && attrs.len)
        out->obj.attrs = stn_arena_dup(r->arena, attrs.data, attrs.len);
    out->obj.attrs_len = attrs.len;
    stn_buf_fini(&attrs);
    return out->obj.attrs ? NULL : "is too long";
}

stn_status stn_recording_next(stn_recording *r, stn_recorded *out, stn_err *err)
{
    while (r->pos < r->len) {
        const char *begin = r->text + r->pos, *end = memchr(begin, '\n', r->len - r->pos);
        word line = {begin, end ? (size_t)(end - begin) : r->len - r->pos}, first, kind;
        const char *wrong = NULL;

        r->pos += line.len + 1;
        r->line++;
        first = next_word(&line);
        if (!first.len || first.p[0] == '#')
            continue;
        stn_arena_reset(r->arena);
        *out = (stn_recorded){0};
        kind = next_word(&line);
        if (line.len > STN_RECORDING_LINE)
            wrong = "is too long";
        else if (!word_time(first, &out->time))
            wrong = "has no time";
        else if (word_is(kind, "rmsg"))
            wrong = read_rmsg(r, line, out);
        else if (word_is(kind, "objd")) {
            out->kind = STN_RECORDED_OBJD;
            wrong = read_objd(r, line, out);
        } else if (word_is(kind, "map")) {
            out->kind = STN_RECORDED_MAP;
            wrong = read_map(r, line, out);
        } else if (word_is(kind, "close")) {
            out->kind = STN_RECORDED_CLOSE;
        } else {
            r->skipped++;
            continue;
        }
        return wrong ? stn_fail(err, STN_BAD_DATA, "recording line %u %s", r->line, wrong) : STN_OK;
    }
    return STN_NOT_FOUND;
}

/* ---- writing */

static void escape(stn_buf *out, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (data[i] == '\\')
            stn_buf_put(out, "\\\\", 2);
        else if (data[i] >= 33 && data[i] <= 126)
            stn_buf_u8(out, data[i]);
        else
            stn_buf_printf(out, "\\%02x", data[i]);
    }
}

static void base64(stn_buf *out, const uint8_t *data, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t v =
            (uint32_t)data[i] << 16 | (n > 1 ? (uint32_t)data[i + 1] << 8 : 0) | (n > 2 ? data[i + 2] : 0u);

        for (size_t k = 0; k < 4; k++)
            stn_buf_u8(out, k <= n ? (uint8_t)digits[v >> (18 - 6 * k) & 63] : '=');
    }
}

static void write_objd(stn_buf *out, const stn_objdelta *d)
{
    size_t pos = 0;
    stn_objattr a;
    bool init = d->initframe > 0, virt = d->flags & STN_OBJ_VIRTUAL, old = d->flags & STN_OBJ_OLD;

    stn_buf_printf(out, "objd %s%s%s%s%s %" PRIu32 " %" PRId32, init ? "i" : "", virt ? "v" : "",
                   old ? "o" : "", d->removal ? "d" : "", !init && !virt && !old && !d->removal ? "n" : "",
                   d->id, d->frame);
    if (init)
        stn_buf_printf(out, " %" PRId32, d->initframe);
    while (stn_objdelta_attr_raw(d, &pos, &a)) {
        stn_buf_printf(out, " %u:", a.type);
        escape(out, a.data, a.len);
    }
}

void stn_recording_write(stn_buf *out, const stn_recorded *rec)
{
    stn_buf_printf(out, "%.6f ", rec->time);
    switch (rec->kind) {
    case STN_RECORDED_RMSG:
        stn_buf_printf(out, "rmsg %u ", rec->type);
        escape(out, rec->data, rec->len);
        break;
    case STN_RECORDED_OBJD:
        write_objd(out, &rec->obj);
        break;
    case STN_RECORDED_MAP:
        stn_buf_put(out, "map ", 4);
        base64(out, rec->data, rec->len);
        break;
    case STN_RECORDED_CLOSE:
        stn_buf_put(out, "close", 5);
        break;
    }
    stn_buf_u8(out, '\n');
}
