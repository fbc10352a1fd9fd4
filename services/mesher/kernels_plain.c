/* The plain form: one value after the other, as the spec states it. */
#include "mesher/kernels.h"

#include "mesher/kernels_forms.h"

#include <math.h>
#include <string.h>

static void noise(const stn_noise *table, double r, double wx, double wy, double z, unsigned w, unsigned h,
                  double *out)
{
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++)
            *out++ = stn_noise_get(table, r, wx + x, wy + y, z);
}

static void octave(const double *add, size_t n, bool first, unsigned left, double lo, double hi, double *sum,
                   uint8_t *maybe)
{
    for (size_t i = 0; i < n; i++) {
        /* 0.0 + the first: a -0.0 becomes +0.0. */
        sum[i] = first ? 0.0 + add[i] : sum[i] + add[i];
        double most = sum[i], least = sum[i];
        for (unsigned k = 0; k < left; k++) {
            most += 1.0;
            least -= 1.0;
        }
        maybe[i] = most / 2 >= lo && least / 2 <= hi;
    }
}

static void weights(const double *v, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++) {
        float c = (float)((((v[i] * 0.5) + 0.5) * (1.5 - 0.5)) + 0.5);
        out[i] = c * c;
    }
}

static void start(const uint8_t *tile, uint8_t layer, size_t pitch, int rows, float *b)
{
    for (size_t i = 0; i < pitch * (size_t)rows; i++) {
        const uint8_t *up = tile + i, *down = up + pitch;
        b[i] = up[0] == layer || up[1] == layer || down[0] == layer || down[1] == layer ? 1.0f : 0.0f;
    }
}

static void blur(const float *from, float *to, const float *lw, const float *den, size_t pitch, int x0,
                 int x1, int y0, int y1)
{
    for (int y = y0; y <= y1; y++) {
        size_t row = (size_t)y * pitch;
        for (int x = x0; x <= x1; x++) {
            const float *b = from + row + x;
            float w = lw[row + (size_t)x];
            float s = b[0] * 4;
            s += b[-1] * w;
            s += b[-(ptrdiff_t)pitch] * w;
            s += b[1] * w;
            s += b[pitch] * w;
            to[row + (size_t)x] = s / den[row + (size_t)x];
        }
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

static void tangents(const stn_vec3 *n, size_t count, stn_vec3 *tan, stn_vec3 *bit)
{
    for (size_t i = 0; i < count; i++) {
        /* All products are computed, also those with zero: the sign of a zero comes from them. */
        tan[i] = stn_vec3_norm(stn_vec3_cross((stn_vec3){0, 1, 0}, n[i]));
        bit[i] = stn_vec3_norm(stn_vec3_cross(n[i], (stn_vec3){1, 0, 0}));
    }
}

const stn_kernels stn_kernels_plain = {
    .name = "plain",
    .noise = noise,
    .octave = octave,
    .weights = weights,
    .start = start,
    .blur = blur,
    .denominators = denominators,
    .finish = finish,
    .normals = stn_ground_normals,
    .tangents = tangents,
};
