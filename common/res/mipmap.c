/* mipmap.c - the chain of smaller levels. Alpha is a yes or no from level 1 on: a sample is solid from 128,
 * one solid sample of four is not enough. Source: docs/spec/resource-format.md 11. */
#include "res/picture.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

uint32_t stn_mip_levels(stn_mipmapper mapper, uint32_t w, uint32_t h)
{
    uint32_t n = 1;
    if (mapper == STN_MIP_NONE)
        return 1;
    for (uint32_t side = w > h ? w : h; side > 1; side /= 2)
        n++;
    return n;
}

size_t stn_mip_bytes(stn_mipmapper mapper, uint32_t w, uint32_t h)
{
    size_t bytes = 0;
    for (uint32_t n = stn_mip_levels(mapper, w, h); n > 0; n--) {
        bytes += (size_t)w * h * 4;
        w = w > 1 ? w / 2 : 1;
        h = h > 1 ? h / 2 : 1;
    }
    return bytes;
}

static void average(const uint8_t *const *solid, unsigned n, uint8_t *out)
{
    for (int k = 0; k < 3; k++) {
        unsigned sum = 0;
        for (unsigned i = 0; i < n; i++)
            sum += solid[i][k];
        out[k] = (uint8_t)(sum / n);
    }
    out[3] = 255;
}

/* The solid sample farthest from the mean, or nearest to it; the first in order on a tie. */
static void pick(const uint8_t *const *solid, unsigned n, bool farthest, uint8_t *out)
{
    uint8_t mean[4];
    int best = -1;

    average(solid, n, mean);
    for (unsigned i = 0; i < n; i++) {
        int d = abs(solid[i][0] - mean[0]) + abs(solid[i][1] - mean[1]) + abs(solid[i][2] - mean[2]);
        if (best < 0 || (farthest ? d > best : d < best)) {
            best = d;
            memcpy(out, solid[i], 3);
        }
    }
    out[3] = 255;
}

static void texel(stn_mipmapper mapper, const uint8_t *const s[4], uint8_t *out)
{
    const uint8_t *solid[4];
    unsigned n = 0;

    for (int i = 0; i < 4; i++)
        if (s[i][3] >= 128)
            solid[n++] = s[i];
    if (n <= 1)
        memset(out, 0, 4);
    else if (mapper == STN_MIP_AVG)
        average(solid, n, out);
    else
        pick(solid, n, mapper == STN_MIP_CNT, out);
}

#ifdef __SSE2__
/* Four texels at a time, the same integers as texel(); one lane of 32 bits is one texel. */

static __m128i choose(__m128i mask, __m128i yes, __m128i no)
{
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

/* sum / n per channel for one half of the lanes: n as a reciprocal of 16 bits, exact for sums up to 4 * 255.
 */
static __m128i mean_half(const __m128i masked[4], __m128i reciprocal, int high)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i sum = zero;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        sum = _mm_add_epi16(sum,
                            high ? _mm_unpackhi_epi8(masked[i], zero) : _mm_unpacklo_epi8(masked[i], zero));
    __m128i r =
        high ? _mm_unpackhi_epi32(reciprocal, reciprocal) : _mm_unpacklo_epi32(reciprocal, reciprocal);
    return _mm_mulhi_epu16(sum, r);
}

/* |r| + |g| + |b| of the differences, in each lane. */
static __m128i distance(__m128i a, __m128i b)
{
    const __m128i pairs = _mm_set1_epi32(0x00ff00ff);
    __m128i d = _mm_or_si128(_mm_subs_epu8(a, b), _mm_subs_epu8(b, a));
    d = _mm_and_si128(d, _mm_set1_epi32(0x00ffffff));
    d = _mm_add_epi16(_mm_and_si128(d, pairs), _mm_and_si128(_mm_srli_epi16(d, 8), pairs));
    return _mm_and_si128(_mm_add_epi32(d, _mm_srli_epi32(d, 16)), _mm_set1_epi32(0xffff));
}

static inline void four_texels(stn_mipmapper mapper, const uint8_t *row0, const uint8_t *row1, uint8_t *dst)
{
    __m128 a0 = _mm_loadu_ps((const float *)(const void *)row0);
    __m128 a1 = _mm_loadu_ps((const float *)(const void *)(row0 + 16));
    __m128 b0 = _mm_loadu_ps((const float *)(const void *)row1);
    __m128 b1 = _mm_loadu_ps((const float *)(const void *)(row1 + 16));
    const __m128i s[4] = {_mm_castps_si128(_mm_shuffle_ps(a0, a1, _MM_SHUFFLE(2, 0, 2, 0))),
                          _mm_castps_si128(_mm_shuffle_ps(a0, a1, _MM_SHUFFLE(3, 1, 3, 1))),
                          _mm_castps_si128(_mm_shuffle_ps(b0, b1, _MM_SHUFFLE(2, 0, 2, 0))),
                          _mm_castps_si128(_mm_shuffle_ps(b0, b1, _MM_SHUFFLE(3, 1, 3, 1)))};
    __m128i solid[4], masked[4], n = _mm_setzero_si128();

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        solid[i] = _mm_srai_epi32(s[i], 31); /* alpha from 128 is the sign of the lane */
        masked[i] = _mm_and_si128(s[i], solid[i]);
        n = _mm_sub_epi32(n, solid[i]);
    }
    /* 65536 / n rounded up, twice in each lane: 1/2, 1/3, 1/4 */
    __m128i reciprocal = choose(_mm_cmpeq_epi32(n, _mm_set1_epi32(2)), _mm_set1_epi32((int)0x80008000),
                                choose(_mm_cmpeq_epi32(n, _mm_set1_epi32(3)), _mm_set1_epi32(0x55565556),
                                       _mm_set1_epi32(0x40004000)));
    __m128i mean = _mm_packus_epi16(mean_half(masked, reciprocal, 0), mean_half(masked, reciprocal, 1));
    __m128i out = mean;
    if (mapper != STN_MIP_AVG) {
        __m128i best = _mm_set1_epi32(INT32_MAX);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            __m128i d = distance(s[i], mean);
            if (mapper == STN_MIP_CNT) /* the farthest is the one with the least of what is left */
                d = _mm_sub_epi32(_mm_set1_epi32(3 * 255), d);
            d = choose(solid[i], d, _mm_set1_epi32(INT32_MAX));
            __m128i better = _mm_cmplt_epi32(d, best); /* strictly: the first wins a tie */
            best = choose(better, d, best);
            out = choose(better, s[i], out);
        }
    }
    out = _mm_or_si128(out, _mm_set1_epi32((int)0xff000000));
    out = _mm_and_si128(out, _mm_cmpgt_epi32(n, _mm_set1_epi32(1)));
    _mm_storeu_si128((__m128i *)(void *)dst, out);
}
#endif

static void level(stn_mipmapper mapper, const uint8_t *src, uint32_t sw, uint32_t sh, uint8_t *dst,
                  uint32_t *seed)
{
    uint32_t w = sw > 1 ? sw / 2 : 1, h = sh > 1 ? sh / 2 : 1;
    size_t right = sw > 1 ? 4 : 0, below = sh > 1 ? (size_t)sw * 4 : 0;

    for (uint32_t y = 0; y < h; y++) {
        const uint8_t *p = src + (size_t)y * 2 * below;
        uint32_t x = 0;
#ifdef __SSE2__
        /* a constant mapper in each loop lets the compiler drop the others' work */
        if (mapper == STN_MIP_AVG)
            for (; x + 4 <= w; x += 4, p += 32, dst += 16)
                four_texels(STN_MIP_AVG, p, p + below, dst);
        else if (mapper == STN_MIP_CNT)
            for (; x + 4 <= w; x += 4, p += 32, dst += 16)
                four_texels(STN_MIP_CNT, p, p + below, dst);
        else if (mapper == STN_MIP_DAV)
            for (; x + 4 <= w; x += 4, p += 32, dst += 16)
                four_texels(STN_MIP_DAV, p, p + below, dst);
#endif
        for (; x < w; x++, p += 2 * right, dst += 4) {
            const uint8_t *s[4] = {p, p + right, p + below, p + below + right};
            if (mapper == STN_MIP_RND) {
                *seed = *seed * 1664525u + 1013904223u;
                memcpy(dst, s[*seed >> 30], 4);
            } else {
                texel(mapper, s, dst);
            }
        }
    }
}

void stn_mip_chain(stn_mipmapper mapper, uint8_t *chain, uint32_t w, uint32_t h)
{
    uint32_t seed = 1;
    for (uint32_t n = stn_mip_levels(mapper, w, h); n > 1; n--) {
        uint8_t *next = chain + (size_t)w * h * 4;
        level(mapper, chain, w, h, next, &seed);
        chain = next;
        w = w > 1 ? w / 2 : 1;
        h = h > 1 ? h / 2 : 1;
    }
}
