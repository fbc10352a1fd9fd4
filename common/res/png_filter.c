#include "res/png_filter.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { FILTER_NONE, FILTER_SUB, FILTER_UP, FILTER_AVERAGE, FILTER_PAETH };

/* ---- byte by byte ---- */

static uint8_t nearest(int left, int above, int corner)
{
    int p = above - corner, q = left - corner; /* how far the guess left + above - corner is from each */
    int to_left = abs(p), to_above = abs(q), to_corner = abs(p + q);
    if (to_left <= to_above && to_left <= to_corner)
        return (uint8_t)left;
    return (uint8_t)(to_above <= to_corner ? above : corner);
}

bool stn_png_unfilter_plain(uint8_t filter, unsigned bpp, uint8_t *out, const uint8_t *in, const uint8_t *up,
                            size_t n)
{
    if (filter > FILTER_PAETH)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint8_t left = i < bpp ? 0 : out[i - bpp], above = up ? up[i] : 0;
        uint8_t corner = up && i >= bpp ? up[i - bpp] : 0, guess = 0;
        if (filter == FILTER_SUB)
            guess = left;
        else if (filter == FILTER_UP)
            guess = above;
        else if (filter == FILTER_AVERAGE)
            guess = (uint8_t)((left + above) / 2);
        else if (filter == FILTER_PAETH)
            guess = nearest(left, above, corner);
        out[i] = (uint8_t)(in[i] + guess);
    }
    return true;
}

#ifdef __SSE2__

/* ---- a pixel of three or four bytes at a time ---- */

static inline __m128i load_pixel(const uint8_t *p, unsigned bpp)
{
    uint32_t v = 0;
    if (bpp == 4)
        memcpy(&v, p, 4);
    else
        v = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return _mm_cvtsi32_si128((int)v);
}

static inline void store_pixel(uint8_t *p, __m128i v, unsigned bpp)
{
    uint32_t u = (uint32_t)_mm_cvtsi128_si32(v);
    if (bpp == 4) {
        memcpy(p, &u, 4);
    } else {
        memcpy(p, &u, 2);
        p[2] = (uint8_t)(u >> 16);
    }
}

static void add_above(uint8_t *out, const uint8_t *in, const uint8_t *up, size_t n)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(in + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(up + i));
        _mm_storeu_si128((__m128i *)(void *)(out + i), _mm_add_epi8(a, b));
    }
    for (; i < n; i++)
        out[i] = (uint8_t)(in[i] + up[i]);
}

/* Four pixels at a time: their running sums, then the last pixel before them on top of each. */
static size_t add_left_by_four(uint8_t *out, const uint8_t *in, size_t n)
{
    __m128i last = _mm_setzero_si128();
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(in + i));
        x = _mm_add_epi8(x, _mm_slli_si128(x, 4));
        x = _mm_add_epi8(x, _mm_slli_si128(x, 8));
        x = _mm_add_epi8(x, last);
        last = _mm_shuffle_epi32(x, 0xff);
        _mm_storeu_si128((__m128i *)(void *)(out + i), x);
    }
    return i;
}

static inline void add_left(uint8_t *out, const uint8_t *in, size_t n, unsigned bpp)
{
    size_t i = bpp == 4 ? add_left_by_four(out, in, n) : 0;
    __m128i left = i ? load_pixel(out + i - bpp, bpp) : _mm_setzero_si128();
    for (; i < n; i += bpp) {
        left = _mm_add_epi8(left, load_pixel(in + i, bpp));
        store_pixel(out + i, left, bpp);
    }
}

static inline void add_average(uint8_t *out, const uint8_t *in, const uint8_t *up, size_t n, unsigned bpp)
{
    const __m128i one = _mm_set1_epi8(1);
    __m128i left = _mm_setzero_si128();
    for (size_t i = 0; i < n; i += bpp) {
        __m128i above = load_pixel(up + i, bpp);
        /* the instruction rounds up, the filter down */
        __m128i odd = _mm_and_si128(_mm_xor_si128(left, above), one);
        __m128i mean = _mm_sub_epi8(_mm_avg_epu8(left, above), odd);
        left = _mm_add_epi8(load_pixel(in + i, bpp), mean);
        store_pixel(out + i, left, bpp);
    }
}

static inline __m128i magnitude(__m128i v)
{
    return _mm_max_epi16(v, _mm_sub_epi16(_mm_setzero_si128(), v));
}

static inline __m128i choose(__m128i mask, __m128i yes, __m128i no)
{
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

static inline void add_paeth(uint8_t *out, const uint8_t *in, const uint8_t *up, size_t n, unsigned bpp)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i left = zero, corner = zero; /* 16 bits a channel */
    for (size_t i = 0; i < n; i += bpp) {
        __m128i above = _mm_unpacklo_epi8(load_pixel(up + i, bpp), zero);
        __m128i x = _mm_unpacklo_epi8(load_pixel(in + i, bpp), zero);
        __m128i p = _mm_sub_epi16(above, corner), q = _mm_sub_epi16(left, corner);
        __m128i to_left = magnitude(p), to_above = magnitude(q);
        __m128i to_corner = magnitude(_mm_add_epi16(p, q));
        __m128i least = _mm_min_epi16(to_corner, _mm_min_epi16(to_left, to_above));
        __m128i guess = choose(_mm_cmpeq_epi16(least, to_left), left,
                               choose(_mm_cmpeq_epi16(least, to_above), above, corner));
        corner = above;
        left = _mm_add_epi8(x, guess); /* the upper bytes are zero and stay it */
        store_pixel(out + i, _mm_packus_epi16(left, left), bpp);
    }
}

static inline bool unfilter_pixels(uint8_t filter, unsigned bpp, uint8_t *out, const uint8_t *in,
                                   const uint8_t *up, size_t n)
{
    switch (filter) {
    case FILTER_NONE:
        if (out != in)
            memcpy(out, in, n);
        return true;
    case FILTER_SUB:
        add_left(out, in, n, bpp);
        return true;
    case FILTER_UP:
        add_above(out, in, up, n);
        return true;
    case FILTER_AVERAGE:
        add_average(out, in, up, n, bpp);
        return true;
    case FILTER_PAETH:
        add_paeth(out, in, up, n, bpp);
        return true;
    default:
        return false;
    }
}

bool stn_png_unfilter(uint8_t filter, unsigned bpp, uint8_t *out, const uint8_t *in, const uint8_t *up,
                      size_t n)
{
    if (!up && filter == FILTER_PAETH)
        filter = FILTER_SUB; /* below zeros the left one is always the nearest */
    else if (!up && filter == FILTER_UP)
        filter = FILTER_NONE;
    /* a constant size of pixels in each call lets the compiler drop the other's work */
    if (bpp == 4 && (up || filter != FILTER_AVERAGE))
        return unfilter_pixels(filter, 4, out, in, up, n);
    if (bpp == 3 && (up || filter != FILTER_AVERAGE))
        return unfilter_pixels(filter, 3, out, in, up, n);
    return stn_png_unfilter_plain(filter, bpp, out, in, up, n);
}

#else

bool stn_png_unfilter(uint8_t filter, unsigned bpp, uint8_t *out, const uint8_t *in, const uint8_t *up,
                      size_t n)
{
    return stn_png_unfilter_plain(filter, bpp, out, in, up, n);
}

#endif
