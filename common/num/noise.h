/* num/noise.h - the reference's simplex noise, to the bit.
 *
 * f64 throughout, each operation rounded on its own; divisions by 3, 6 and r stay divisions. A table is
 * immutable after it is made and may be read by any number of threads. This is the plain form; the mesher has
 * a vector form of the same bits for whole rows. Source: docs/spec/terrain-mesh.md 2, vectors
 * terrain/prims/snoise.tsv.
 */
#ifndef STN_NUM_NOISE_H
#define STN_NUM_NOISE_H

#include "num/j48.h"

typedef struct stn_noise {
    uint8_t p[256];
} stn_noise;

/* Shuffles the table with 256 draws. */
void stn_noise_init(stn_noise *n, stn_j48 *r);
static inline stn_noise stn_noise_of(int64_t seed)
{
    stn_noise n;
    stn_j48 r = stn_j48_of(seed);
    stn_noise_init(&n, &r);
    return n;
}

/* -1..1; r is the size of a cell, not 0. */
double stn_noise_get(const stn_noise *n, double r, double x, double y, double z);
/* Scaled to lo..hi. */
double stn_noise_range(const stn_noise *n, double lo, double hi, double r, double x, double y, double z);
/* Scaled to lo..hi-1. */
int32_t stn_noise_int(const stn_noise *n, int32_t lo, int32_t hi, double r, double x, double y, double z);

/* The two middle corners of a cell by the first test that holds among the six of the spec, as bits x=1 y=2
 * z=4: corner 1 in the low nibble, corner 2 in the high one. */
static inline unsigned stn_noise_corners(double dx, double dy, double dz)
{
    if (dx >= dy && dy >= dz)
        return 1 | 3 << 4;
    if (dx >= dz && dz >= dy)
        return 1 | 5 << 4;
    if (dz >= dx && dx >= dy)
        return 4 | 5 << 4;
    if (dz >= dy && dy >= dx)
        return 4 | 6 << 4;
    if (dy >= dz && dz >= dx)
        return 2 | 6 << 4;
    return 2 | 3 << 4;
}

#endif
