#include "num/noise.h"

#include "num/convert.h"

#include <math.h>

void stn_noise_init(stn_noise *n, stn_j48 *r)
{
    for (int i = 0; i < 256; i++)
        n->p[i] = (uint8_t)i;
    for (int i = 0; i < 256; i++) {
        int32_t k = stn_j48_below(r, 256);
        uint8_t t = n->p[i];
        n->p[i] = n->p[k];
        n->p[k] = t;
    }
}

/* The twelve gradients each add two components. Leaving out the product with the zero and the multiplications
 * by one changes no bit of the sum for finite input. */
static double gradient(unsigned g, double x, double y, double z)
{
    double a = g >= 8 ? y : x, b = g < 4 ? y : z;
    return ((g & 1) ? -a : a) + ((g & 2) ? -b : b);
}

static unsigned hash(const stn_noise *n, uint32_t i, uint32_t j, uint32_t k, unsigned corner)
{
    unsigned q = n->p[(k + (corner >> 2 & 1)) & 255];
    q = n->p[(j + (corner >> 1 & 1) + q) & 255];
    q = n->p[(i + (corner & 1) + q) & 255];
    return q % 12;
}

double stn_noise_get(const stn_noise *n, double r, double x, double y, double z)
{
    const double sixth = 1.0 / 6.0, third = 1.0 / 3.0;

    x /= r;
    y /= r;
    z /= r;
    double s = (x + y + z) / 3.0;
    double i = floor(x + s), j = floor(y + s), k = floor(z + s);
    double t = (i + j + k) / 6.0;
    double dx = x - (i - t), dy = y - (j - t), dz = z - (k - t);
    unsigned mid = stn_noise_corners(dx, dy, dz);
    unsigned corner[4] = {0, mid & 7, mid >> 4, 7};
    double at[4][3] = {
        {dx, dy, dz},
        {(dx - (double)(corner[1] & 1)) + sixth, (dy - (double)(corner[1] >> 1 & 1)) + sixth,
         (dz - (double)(corner[1] >> 2)) + sixth},
        {(dx - (double)(corner[2] & 1)) + third, (dy - (double)(corner[2] >> 1 & 1)) + third,
         (dz - (double)(corner[2] >> 2)) + third},
        {dx - 0.5, dy - 0.5, dz - 0.5},
    };
    uint32_t ip = (uint32_t)stn_i32_of_f64(i), jp = (uint32_t)stn_i32_of_f64(j),
             kp = (uint32_t)stn_i32_of_f64(k);
    double v = 0.0;

    for (int c = 0; c < 4; c++) {
        const double *p = at[c];
        double m = ((0.6 - p[0] * p[0]) - p[1] * p[1]) - p[2] * p[2];
        if (m > 0.0)
            v += (((m * m) * m) * m) * gradient(hash(n, ip, jp, kp, corner[c]), p[0], p[1], p[2]);
    }
    return fmin(fmax(v * 32.0, -1.0), 1.0);
}

double stn_noise_range(const stn_noise *n, double lo, double hi, double r, double x, double y, double z)
{
    return (((stn_noise_get(n, r, x, y, z) * 0.5) + 0.5) * (hi - lo)) + lo;
}

int32_t stn_noise_int(const stn_noise *n, int32_t lo, int32_t hi, double r, double x, double y, double z)
{
    int32_t span = (int32_t)((uint32_t)hi - (uint32_t)lo);
    int32_t v = stn_i32_of_f64(((stn_noise_get(n, r, x, y, z) * 0.5) + 0.5) * (double)span);
    int32_t most = (int32_t)((uint32_t)span - 1u);
    return (int32_t)((uint32_t)(v < most ? v : most) + (uint32_t)lo);
}
