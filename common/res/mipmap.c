/* mipmap.c - the chain of smaller levels. Alpha is a yes or no from level 1 on: a sample is solid from 128,
 * one solid sample of four is not enough. Source: docs/spec/resource-format.md 11. */
#include "res/picture.h"

#include <stdlib.h>
#include <string.h>

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

static void level(stn_mipmapper mapper, const uint8_t *src, uint32_t sw, uint32_t sh, uint8_t *dst,
                  uint32_t *seed)
{
    uint32_t w = sw > 1 ? sw / 2 : 1, h = sh > 1 ? sh / 2 : 1;
    size_t right = sw > 1 ? 4 : 0, below = sh > 1 ? (size_t)sw * 4 : 0;

    for (uint32_t y = 0; y < h; y++) {
        const uint8_t *p = src + (size_t)y * 2 * below;
        for (uint32_t x = 0; x < w; x++, p += 2 * right, dst += 4) {
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
