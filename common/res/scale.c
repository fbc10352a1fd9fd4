/* scale.c - UI scaling of pictures: a separable Lanczos filter of three lobes over the undecoded samples, 8
 * bits between the passes. The order of the double sums decides bits. Source:
 * docs/spec/resource-format.md 9.4. */
#include "res/codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOBES 3.0

static double lanczos(double d)
{
    if (d == 0)
        return 1.0;
    if (fabs(d) > LOBES)
        return 0.0;
    double pd = M_PI * d;
    return (sin(pd) / pd) * (sin(pd / LOBES) / (pd / LOBES));
}

/* Source range and weights of one target sample. Returns the number of weights. */
static uint32_t weights_of(uint32_t x, uint32_t n, uint32_t t, bool down, uint32_t *from, double *w)
{
    double f = (double)n / t, g = 1.0 / f, sum = 0, lo, hi;
    if (down) {
        lo = floor((x + 0.5 - LOBES) * f);
        hi = ceil((x + 0.5 + LOBES) * f);
    } else {
        lo = ceil(((x + 0.5) * f) - LOBES - 0.5);
        hi = floor(((x + 0.5) * f) + LOBES - 0.5);
    }
    uint32_t l = lo < 0 ? 0 : (uint32_t)lo, h = hi > n - 1 ? n - 1 : (uint32_t)(hi < 0 ? 0 : hi), count = 0;
    for (uint32_t s = l; s <= h; s++) {
        double d = down ? ((s + 0.5) * g) - x - 0.5 : (s + 0.5) - ((x + 0.5) * f);
        w[count] = lanczos(d);
        sum += w[count++];
    }
    double inverse = 1.0 / sum;
    for (uint32_t i = 0; i < count; i++)
        w[i] *= inverse;
    *from = l;
    return count;
}

static uint8_t clamp8(double v)
{
    return v >= 255 ? 255 : v <= 0 ? 0 : (uint8_t)v;
}

/* One pass: `lines` independent lines of n samples with `step` bytes between neighbours, to t samples. */
static bool pass(const uint8_t *in, size_t in_step, size_t in_line, uint8_t *out, size_t out_step,
                 size_t out_line, uint32_t n, uint32_t t, uint32_t lines, uint8_t bands)
{
    bool down = t <= n;
    double *w = malloc(((size_t)n + 1) * sizeof *w);
    if (!w)
        return false;
    for (uint32_t x = 0; x < t; x++) {
        uint32_t from, count = weights_of(x, n, t, down, &from, w);
        for (uint32_t y = 0; y < lines; y++)
            for (uint8_t b = 0; b < bands; b++) {
                const uint8_t *p = in + y * in_line + from * in_step + b;
                double sum = 0;
                for (uint32_t i = 0; i < count; i++)
                    sum += p[i * in_step] * w[i];
                out[y * out_line + x * out_step + b] = clamp8(sum);
            }
    }
    free(w);
    return true;
}

stn_status stn_raster_scaled(const stn_raster *raster, uint32_t tw, uint32_t th, uint8_t *out,
                             stn_res_fault_kind *fault, stn_err *err)
{
    size_t bands = raster->bands, w = raster->w, h = raster->h;
    stn_res_fault_kind kind = STN_FAULT_NONE;
    uint8_t *half = NULL, *full = NULL;

    if (tw == w && th == h) {
        stn_raster_rgba(raster, out);
    } else if (tw == 0 || th == 0 || ((tw > w || th > h) && (tw < w || th < h))) {
        stn_fail(err, STN_BAD_DATA,
                 "picture of %zux%zu cannot be scaled to %ux%u: one side grows, one shrinks", w, h, tw, th);
        kind = STN_FAULT_VALUE;
    } else if (raster->bits == 16) {
        stn_fail(err, STN_BAD_DATA, "pictures of 16 bits a sample are not scaled");
        kind = STN_FAULT_VALUE;
    } else {
        half = malloc((size_t)tw * h * bands);
        full = malloc((size_t)tw * th * bands);
        if (!half || !full ||
            !pass(raster->samples, bands, w * bands, half, bands, tw * bands, raster->w, tw, raster->h,
                  raster->bands) ||
            !pass(half, tw * bands, bands, full, tw * bands, bands, raster->h, th, tw, raster->bands)) {
            stn_fail(err, STN_NO_MEMORY, "scaling a picture to %ux%u", tw, th);
            kind = STN_FAULT_MEMORY;
        } else {
            stn_raster_show(raster, full, (size_t)tw * th, out);
        }
    }
    free(half);
    free(full);
    if (fault)
        *fault = kind;
    return stn_res_fault_status(kind);
}
