#include "homestead/land_noise.h"

static uint64_t mix64(uint64_t v)
{
    v ^= v >> 30;
    v *= UINT64_C(0xbf58476d1ce4e5b9);
    v ^= v >> 27;
    v *= UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

uint64_t stn_land_hash(uint64_t seed, int32_t a, int32_t b)
{
    uint64_t h = mix64(seed + UINT64_C(0x9e3779b97f4a7c15));

    h = mix64(h ^ (uint64_t)(uint32_t)a * UINT64_C(0x9e3779b97f4a7c15));
    return mix64(h ^ (uint64_t)(uint32_t)b * UINT64_C(0xd1b54a32d192ed03));
}

double stn_land_unit(uint64_t *state)
{
    *state = mix64(*state + UINT64_C(0x9e3779b97f4a7c15));
    return (double)(*state >> 11) * 0x1p-53;
}

/* floor() as an integer; the noise is asked for coordinates far inside the range of int32. */
static int32_t floor_i32(double v)
{
    int32_t i = (int32_t)v;

    return (double)i > v ? i - 1 : i;
}

static double corner(uint64_t seed, int32_t ix, int32_t iy, double dx, double dy)
{
    /* Sixteen directions; the diagonal ones alone would leave a visible lattice. */
    static const double dir[16][2] = {
        {1, 0},
        {0.9238795325112867, 0.3826834323650898},
        {0.7071067811865476, 0.7071067811865476},
        {0.3826834323650898, 0.9238795325112867},
        {0, 1},
        {-0.3826834323650898, 0.9238795325112867},
        {-0.7071067811865476, 0.7071067811865476},
        {-0.9238795325112867, 0.3826834323650898},
        {-1, 0},
        {-0.9238795325112867, -0.3826834323650898},
        {-0.7071067811865476, -0.7071067811865476},
        {-0.3826834323650898, -0.9238795325112867},
        {0, -1},
        {0.3826834323650898, -0.9238795325112867},
        {0.7071067811865476, -0.7071067811865476},
        {0.9238795325112867, -0.3826834323650898},
    };
    const double *g = dir[stn_land_hash(seed, ix, iy) & 15];

    return g[0] * dx + g[1] * dy;
}

static double fade(double t)
{
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

double stn_land_noise(uint64_t seed, double x, double y)
{
    int32_t ix = floor_i32(x), iy = floor_i32(y);
    double dx = x - ix, dy = y - iy, fx = fade(dx), fy = fade(dy);
    double a = corner(seed, ix, iy, dx, dy), b = corner(seed, ix + 1, iy, dx - 1.0, dy);
    double c = corner(seed, ix, iy + 1, dx, dy - 1.0), d = corner(seed, ix + 1, iy + 1, dx - 1.0, dy - 1.0);

    return 1.4 * stn_land_mix(stn_land_mix(a, b, fx), stn_land_mix(c, d, fx), fy);
}

double stn_land_fbm(uint64_t seed, double x, double y, unsigned octaves)
{
    double sum = 0.0, weight = 1.0, total = 0.0;

    for (unsigned i = 0; i < octaves; i++) {
        sum += weight * stn_land_noise(seed + i, x, y);
        total += weight;
        weight *= 0.5;
        /* The shift keeps the zeros of the octaves' lattices apart. */
        x = x * 2.0 + 17.31;
        y = y * 2.0 - 9.73;
    }
    return sum / total;
}

double stn_land_step(double lo, double hi, double v)
{
    double t = (v - lo) / (hi - lo);

    if (t <= 0.0)
        return 0.0;
    if (t >= 1.0)
        return 1.0;
    return t * t * (3.0 - 2.0 * t);
}

double stn_land_mix(double a, double b, double t)
{
    return a + (b - a) * t;
}
