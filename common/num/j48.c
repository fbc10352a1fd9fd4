#include "num/j48.h"

int32_t stn_j48_below(stn_j48 *r, int32_t n)
{
    if (n <= 0)
        return -1;
    int32_t v = stn_j48_next(r, 31), m = n - 1;
    /* A power of two takes the high bits: the low ones of this generator are poor. */
    if ((n & m) == 0)
        return (int32_t)(((int64_t)n * v) >> 31);
    for (;;) {
        int32_t u = v;
        v = u % n;
        /* The draws at the top that would favour small results overflow here and are drawn again. */
        if ((int32_t)((uint32_t)u - (uint32_t)v + (uint32_t)m) >= 0)
            return v;
        v = stn_j48_next(r, 31);
    }
}

static uint64_t mirror(uint64_t v)
{
    uint64_t out = 0;
    for (int i = 0; i < 64; i++, v >>= 1)
        out = out << 1 | (v & 1);
    return out;
}

stn_j48 stn_j48_mixed(int64_t seed)
{
    uint64_t rev = mirror((uint64_t)seed);
    uint64_t t = (uint64_t)seed ^ rev;
    uint64_t mixed = (t & UINT64_C(0x0000FFFFFFFFFFFF)) ^ ((rev & UINT64_C(0xFFFFFFFFFFFF0000)) >> 16);
    return stn_j48_of((int64_t)mixed);
}

stn_j48 stn_keyed(int64_t k, const int64_t *args, size_t n)
{
    stn_j48 g = stn_j48_of(k ^ args[0]);
    for (size_t i = 1; i < n; i++)
        stn_j48_seed(&g, stn_j48_long(&g) ^ args[i]);
    return g;
}

/* Decodes one character of well-formed UTF-8; returns its bytes, or 1 with U+FFFD. */
static size_t decode(const unsigned char *p, size_t left, uint32_t *cp)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 && p[0] < 0xf8 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc0 ? 2 : 0;

    *cp = 0xfffd;
    if (n == 0 || p[0] >= 0xf8 || n > left)
        return 1;
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 1;
        c = c << 6 | (p[i] & 0x3fu);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 1;
    *cp = c;
    return n;
}

int32_t stn_name_hash(const char *text, size_t len)
{
    uint32_t h = 0, cp;
    for (size_t i = 0; i < len;) {
        i += decode((const unsigned char *)text + i, len - i, &cp);
        if (cp >= 0x10000) {
            h = h * 31 + (0xd800 + ((cp - 0x10000) >> 10));
            h = h * 31 + (0xdc00 + ((cp - 0x10000) & 0x3ff));
        } else {
            h = h * 31 + cp;
        }
    }
    return (int32_t)h;
}

int32_t stn_pick(stn_j48 *r, const uint16_t *weights, size_t n, int32_t total)
{
    int32_t p = stn_j48_below(r, total);
    if (p < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if ((p -= weights[i]) < 0)
            return (int32_t)i;
    return -1; /* the weights sum to less than `total` */
}
