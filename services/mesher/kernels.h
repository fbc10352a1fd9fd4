/* mesher/kernels.h - the few loops in which a build spends its time, in forms for different processors.
 *
 * Every form gives the same bits: lanes run over tiles or vertices, which do not depend on each other; no
 * operation inside one of them is reordered, fused or estimated. The plain form is the twin that tests
 * compare with. The best form that the processor can run is chosen at the first call;
 * STN_SIMD=plain|sse2|avx2|avx512 lowers the choice. Source: docs/spec/terrain-mesh.md 18.2.
 */
#ifndef STN_MESHER_KERNELS_H
#define STN_MESHER_KERNELS_H

#include "map/ground.h"
#include "num/noise.h"

#define STN_NOISE_RECT 25 /* most points along a side of a rectangle of noise */

typedef struct stn_kernels {
    const char *name;

    /* Noise at (wx + x, wy + y, z) for a rectangle of w x h points, at most STN_NOISE_RECT each, row by row;
     * cells of size r: 8, 16, 32 or 64. `out` has room for w * h + 7. */
    void (*noise)(const stn_noise *noise, double r, double wx, double wy, double z, unsigned w, unsigned h,
                  double *out);

    /* One octave more of n sums (the first starts them). maybe[i] becomes non-zero where half the sum may
     * still lie within lo..hi when `left` more octaves of -1..1 come. Tables have room for n + 7. */
    void (*octave)(const double *add, size_t n, bool first, unsigned left, double lo, double hi, double *sum,
                   uint8_t *maybe);

    /* Blur weights of noise values: the square of the noise scaled to 0.5..1.5. Tables have room for n + 7.
     */
    void (*weights)(const double *noise, size_t n, float *out);

    /* Start values of a layer over `rows` rows: 1 where any of the four tiles around a vertex shows it, else
     * 0. Vertex (x, y) lies between tiles (x, y) and (x + 1, y + 1) of `tile`. All tables have `pitch`
     * entries a row, a multiple of 16; tile has one row more and 16 bytes behind it. */
    void (*start)(const uint8_t *tile, uint8_t layer, size_t pitch, int rows, float *b);

    /* One blur pass over vertices x0..x1, y0..y1, from `from` to `to`, tables with `pitch` floats a row.
     * Reads one vertex around; up to 15 vertices to the right of x1 are scratch. den is the sum of the five
     * weights. */
    void (*blur)(const float *from, float *to, const float *lw, const float *den, size_t pitch, int x0,
                 int x1, int y0, int y1);

    /* lw = c*c and den = (((4+lw)+lw)+lw)+lw over n values. */
    void (*denominators)(const float *lw, float *den, size_t n);

    /* Final weights of n values: stretched and lifted; also as bytes. Bits of `low` and `high` (32 values a
     * word) say where the weight is below 0.001 and above 0.99. n is a multiple of 32. */
    void (*finish)(const float *b, size_t n, float *w, uint8_t *alpha, uint32_t *low, uint32_t *high);

    /* stn_ground_normals() for corners 0..25. */
    void (*normals)(const float z[STN_GROUND_VERTICES], const uint8_t *split, stn_vec3 *nrm);

    /* Bump tangents and bitangents of normals. */
    void (*tangents)(const stn_vec3 *n, size_t count, stn_vec3 *tan, stn_vec3 *bit);
} stn_kernels;

const stn_kernels *stn_kernels_best(void);
/* By name, or NULL when unknown or not runnable here. */
const stn_kernels *stn_kernels_named(const char *name);

#endif
