/* The plain form: one value after the other, as the spec states it. */
#include "mesher/kernels.h"

#include "mesher/kernels_forms.h"

#include <math.h>
#include <string.h>

static void noise_row(const stn_noise *noise, double r, double wx, double wy, double z, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = stn_noise_get(noise, r, wx + (double)i, wy, z);
}

static void blur(float *b, const float *lw, const float *den, size_t pitch, int x0, int x1, int y0, int y1,
                 float *line)
{
    /* `line` keeps the row above and the row itself as they were before the pass. */
    float *above = line, *here = line + pitch;

    memcpy(above, b + (size_t)(y0 - 1) * pitch, pitch * sizeof *b);
    for (int y = y0; y <= y1; y++) {
        float *row = b + (size_t)y * pitch;
        const float *w = lw + (size_t)y * pitch, *d = den + (size_t)y * pitch;
        memcpy(here, row, pitch * sizeof *b);
        for (int x = x0; x <= x1; x++) {
            float s = here[x] * 4;
            s += here[x - 1] * w[x];
            s += above[x] * w[x];
            s += here[x + 1] * w[x];
            s += row[x + (int)pitch] * w[x];
            row[x] = s / d[x];
        }
        float *swap = above;
        above = here;
        here = swap;
    }
}

static void denominators(const float *lw, float *den, size_t n)
{
    for (size_t i = 0; i < n; i++)
        den[i] = (((4 + lw[i]) + lw[i]) + lw[i]) + lw[i];
}

static void finish(const float *b, size_t n, float *w, uint8_t *alpha, uint32_t *low, uint32_t *high)
{
    memset(low, 0, n / 32 * sizeof *low);
    memset(high, 0, n / 32 * sizeof *high);
    for (size_t i = 0; i < n; i++) {
        float v = b[i] * 1.2f - 0.1f;
        v = v < 0 ? 0 : v > 1 ? 1 : 0.25f + 0.75f * v;
        w[i] = v;
        alpha[i] = (uint8_t)(int32_t)(v * 255.0f);
        low[i / 32] |= (uint32_t)(v < 0.001f) << i % 32;
        high[i / 32] |= (uint32_t)(v > 0.99f) << i % 32;
    }
}

const stn_kernels stn_kernels_plain = {
    .name = "plain",
    .noise_row = noise_row,
    .blur = blur,
    .denominators = denominators,
    .finish = finish,
    .normals = stn_ground_normals,
};
