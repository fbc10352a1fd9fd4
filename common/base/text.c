#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool stn_text_i64(const char *text, int64_t min, int64_t max, int64_t *out)
{
    char *end;
    long long v;
    const char *digits = text[0] == '-' ? text + 1 : text;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    v = strtoll(text, &end, 10);
    if (errno || *end || v < min || v > max)
        return false;
    *out = v;
    return true;
}

bool stn_text_u64(const char *text, uint64_t max, uint64_t *out)
{
    char *end;
    unsigned long long v;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    v = strtoull(text, &end, 10);
    if (errno || *end || v > max)
        return false;
    *out = v;
    return true;
}

bool stn_text_f64(const char *text, double min, double max, double *out)
{
    char *end;
    double v;

    if (!((*text >= '0' && *text <= '9') || *text == '-' || *text == '.'))
        return false;
    errno = 0;
    v = strtod(text, &end);
    if (errno || *end || !(v >= min && v <= max))
        return false;
    *out = v;
    return true;
}

size_t stn_text_utf8_part(const void *text, size_t left, bool *whole)
{
    const uint8_t *p = text;
    uint8_t lo = 0x80, hi = 0xbf, first = p[0];
    size_t need = first < 0x80                     ? 1
                  : first >= 0xc2 && first <= 0xdf ? 2
                  : first >= 0xe0 && first <= 0xef ? 3
                  : first >= 0xf0 && first <= 0xf4 ? 4
                                                   : 0;
    size_t n = 1;

    if (first == 0xe0)
        lo = 0xa0; /* overlong forms */
    if (first == 0xf0)
        lo = 0x90;
    if (first == 0xf4)
        hi = 0x8f; /* above U+10FFFF */
    while (n < need && n < left && p[n] >= lo && p[n] <= hi) {
        lo = 0x80;
        hi = 0xbf;
        n++;
    }
    /* A surrogate has the form of three bytes: it is read as one, and is one error. */
    *whole = n == need && !(first == 0xed && p[1] >= 0xa0);
    return n;
}

/* Length of the well-formed sequence at p, 0 when there is none or it is NUL. */
static size_t utf8_step(const char *p, size_t left)
{
    bool whole;
    size_t n = stn_text_utf8_part(p, left, &whole);

    return whole && *p ? n : 0;
}

bool stn_text_is_utf8(const char *text, size_t len)
{
    for (size_t i = 0, n; i < len; i += n)
        if ((n = utf8_step(text + i, len - i)) == 0)
            return false;
    return true;
}

char *stn_text_show(const char *text, size_t len, char *out, size_t cap)
{
    size_t o = 0;
    if (cap == 0)
        return out;
    for (size_t i = 0; i < len;) {
        size_t n = utf8_step(text + i, len - i);
        size_t room = cap - 1 - o, w = n ? n : 1;
        if (w > room || (w + 3 > room && len - i > room)) {
            size_t dots = room < 3 ? room : 3;
            memcpy(out + o, "...", dots);
            o += dots;
            break;
        }
        if (n == 0 || (n == 1 && ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)))
            out[o] = '?';
        else
            memcpy(out + o, text + i, n);
        o += w;
        i += w;
    }
    out[o] = 0;
    return out;
}

bool stn_text_starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool stn_text_ends(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}
