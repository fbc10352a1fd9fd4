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

/* Length of the well-formed sequence at p, 0 when there is none. */
static size_t utf8_step(const unsigned char *p, size_t left)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n;
    uint32_t c;

    if (p[0] < 0x80)
        return p[0] ? 1 : 0;
    if (p[0] >= 0xc2 && p[0] < 0xe0) {
        n = 2;
        c = p[0] & 0x1fu;
    } else if (p[0] >= 0xe0 && p[0] < 0xf0) {
        n = 3;
        c = p[0] & 0x0fu;
    } else if (p[0] >= 0xf0 && p[0] < 0xf5) {
        n = 4;
        c = p[0] & 0x07u;
    } else {
        return 0;
    }
    if (n > left)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3fu);
    }
    if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    return n;
}

bool stn_text_is_utf8(const char *text, size_t len)
{
    for (size_t i = 0, n; i < len; i += n)
        if ((n = utf8_step((const unsigned char *)text + i, len - i)) == 0)
            return false;
    return true;
}

char *stn_text_show(const char *text, size_t len, char *out, size_t cap)
{
    size_t o = 0;
    if (cap == 0)
        return out;
    for (size_t i = 0; i < len;) {
        size_t n = utf8_step((const unsigned char *)text + i, len - i);
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
