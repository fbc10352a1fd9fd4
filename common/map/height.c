#include "map/height.h"

#include <math.h>

/* Corners in the order (0,0), (1,0), (1,1), (0,1), widened to f64. */
static stn_status corners(stn_corner_fn corner, void *arg, stn_coord u, double h[4])
{
    static const int8_t off[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int k = 0; k < 4; k++) {
        float z;
        stn_status st = corner(arg, stn_coord_add(u, off[k][0], off[k][1]), &z);
        if (st != STN_OK)
            return st;
        h[k] = (double)z;
    }
    return STN_OK;
}

stn_status stn_height_at(stn_corner_fn corner, void *arg, double x, double y, double *z)
{
    stn_coord u = stn_tile_of_point(x, y);
    double sx = (x - (double)u.x * STN_TILE_UNITS) / STN_TILE_UNITS;
    double sy = (y - (double)u.y * STN_TILE_UNITS) / STN_TILE_UNITS;
    double ix = 1.0 - sx, iy = 1.0 - sy, h[4];
    stn_status st = corners(corner, arg, u, h);

    if (st != STN_OK)
        return st;
    /* The order of these f64 operations is part of the result. */
    *z = iy * ((ix * h[0]) + (sx * h[1])) + sy * ((ix * h[3]) + (sx * h[2]));
    return STN_OK;
}

static void norm(float v[3])
{
    float sum = (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
    float l = (float)sqrt((double)sum);
    for (int i = 0; i < 3; i++)
        v[i] = l == 0.0f ? 0.0f : v[i] / l;
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

stn_status stn_height_normal(stn_corner_fn corner, void *arg, double x, double y, float n[3])
{
    stn_coord u = stn_tile_of_point(x, y);
    double sy = (y - (double)u.y * STN_TILE_UNITS) / STN_TILE_UNITS;
    double iy = 1.0 - sy, h[4], nx, ny;
    stn_status st = corners(corner, arg, u, h);

    if (st != STN_OK)
        return st;
    nx = ((h[1] * iy) + (h[2] * sy)) - ((h[0] * iy) + (h[3] * sy));
    ny = ((h[3] * iy) + (h[2] * sy)) - ((h[0] * iy) + (h[1] * sy));
    cross((float[3]){11.0f, 0.0f, (float)nx}, (float[3]){0.0f, 11.0f, (float)ny}, n);
    norm(n);
    return STN_OK;
}

stn_status stn_height_normal_fd(stn_corner_fn corner, void *arg, double x, double y, float n[3])
{
    const double d = 0.01;
    double tlx = x - (x - STN_TILE_UNITS * floor(x / STN_TILE_UNITS));
    double tly = y - (y - STN_TILE_UNITS * floor(y / STN_TILE_UNITS));
    double l = fmax(x - d, tlx), r = fmin(x + d, tlx + STN_TILE_UNITS);
    double t = fmax(y - d, tly), b = fmin(y + d, tly + STN_TILE_UNITS);
    const double at[4][2] = {{x, t}, {r, y}, {x, b}, {l, y}};
    double z[4];

    for (int i = 0; i < 4; i++) {
        stn_status st = stn_height_at(corner, arg, at[i][0], at[i][1], &z[i]);
        if (st != STN_OK)
            return st;
    }
    cross((float[3]){(float)(r - l), 0.0f, (float)(z[1] - z[3])},
          (float[3]){0.0f, (float)(b - t), (float)(z[2] - z[0])}, n);
    norm(n);
    return STN_OK;
}
