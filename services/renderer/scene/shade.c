#include "renderer/scene/shade.h"

#include <math.h>
#include <string.h>

static double clamp(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}
static double mix(double a, double b, double k)
{
    return a * (1.0 - k) + b * k;
}
static double fract(double v)
{
    return v - floor(v);
}
static double smoothstep(double a, double b, double v)
{
    double t = clamp((v - a) / (b - a), 0.0, 1.0);

    return t * t * (3.0 - 2.0 * t);
}
static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void normalise(double v[3])
{
    double len = sqrt(dot(v, v));

    if (len > 0.0)
        for (int i = 0; i < 3; i++)
            v[i] /= len;
}

void stn_shade_phong(const stn_shade_surface *m, const double pos[3], const double normal[3],
                     const stn_shade_light *lights, size_t count, int shadowed, double share, double bcol[3],
                     double scol[3])
{
    double eye[3] = {-pos[0], -pos[1], -pos[2]};

    normalise(eye);
    for (int c = 0; c < 3; c++) {
        bcol[c] = m->emi[c];
        scol[c] = 0.0;
    }
    for (size_t i = 0; i < count; i++) {
        const stn_shade_light *l = &lights[i];
        double d[3] = {l->pos[0], l->pos[1], l->pos[2]}, reach = 1.0, k, s = 0.0, r[3];

        if (l->pos[3] != 0.0) {
            double len;

            for (int c = 0; c < 3; c++)
                d[c] -= pos[c];
            len = sqrt(dot(d, d));
            normalise(d);
            reach = fmin(1.0 / (l->ac + l->al * len + l->aq * len * len), 1.0);
            reach *= clamp((reach - l->at) * 20.0, 0.0, 1.0);
        }
        k = dot(normal, d);
        for (int c = 0; c < 3; c++)
            bcol[c] += m->amb[c] * l->amb[c] * reach;
        if (!(k > 0.0))
            continue;
        for (int c = 0; c < 3; c++)
            r[c] = -d[c] + 2.0 * k * normal[c];
        if (m->shine > 0.5)
            s = pow(fmax(dot(eye, r), 0.0), m->shine);
        for (int c = 0; c < 3; c++) {
            bcol[c] += m->dif[c] * l->dif[c] * k * ((int)i == shadowed ? share : 1.0) * reach;
            if (m->shine > 0.5)
                scol[c] += m->spc[c] * l->spc[c] * s * reach;
        }
    }
}

void stn_shade_cel(const double c[3], double out[3])
{
    double m = fmax(c[0], fmax(c[1], c[2])), v = m > 0.5 ? 1.0 : m > 0.1 ? 0.5 : 0.0;

    for (int i = 0; i < 3; i++)
        out[i] = m >= 0.01 ? c[i] * (v / m) : 0.0; /* not a number and negative come out as 0 */
}

void stn_shade_colblend(const double b[4], const double s[4], double out[4])
{
    for (int i = 0; i < 3; i++)
        out[i] = b[i] * (1.0 - s[3]) + s[i] * s[3];
    out[3] = b[3];
}

static void overlay(const double b[4], const double s[4], const double *pick, double out[4])
{
    for (int i = 0; i < 3; i++)
        out[i] = mix(2.0 * b[i] * s[i], 1.0 - 2.0 * (1.0 - b[i]) * (1.0 - s[i]),
                     clamp((pick[i] - 0.5) * 1000.0, 0, 1));
    out[3] = b[3];
}

void stn_shade_olblend(const double b[4], const double s[4], double out[4])
{
    overlay(b, s, s, out);
}

void stn_shade_cpblend(const double b[4], const double s[4], double out[4])
{
    overlay(b, s, b, out);
}

void stn_shade_rgb2hsv(const double c[3], double out[3])
{
    double r = c[0], g = c[1], b = c[2], p[4], q[4], d;
    const double bg[4] = {b, g, -1.0, 2.0 / 3.0}, gb[4] = {g, b, 0.0, -1.0 / 3.0};

    memcpy(p, g < b ? bg : gb, sizeof p);
    if (r < p[0]) {
        q[0] = p[0];
        q[1] = p[1];
        q[2] = p[3];
        q[3] = r;
    } else {
        q[0] = r;
        q[1] = p[1];
        q[2] = p[2];
        q[3] = p[0];
    }
    d = q[0] - fmin(q[3], q[1]);
    out[0] = fabs(q[2] + (q[3] - q[1]) / (6.0 * d + 1e-10));
    out[1] = d / (q[0] + 1e-10);
    out[2] = q[0];
}

void stn_shade_hsv2rgb(const double h[3], double out[3])
{
    static const double k[3] = {1.0, 2.0 / 3.0, 1.0 / 3.0};

    for (int i = 0; i < 3; i++)
        out[i] = h[2] * mix(1.0, clamp(fabs(fract(h[0] + k[i]) * 6.0 - 3.0) - 1.0, 0.0, 1.0), h[1]);
}

void stn_shade_hue(const double c[3], double target, double amount, double saturation, double out[3])
{
    double t[3];

    stn_shade_rgb2hsv(c, t);
    t[0] = fract((fract(t[0] + (1.5 - target)) - 0.5) * (1.0 - amount) + (1.0 + target));
    t[1] *= saturation;
    stn_shade_hsv2rgb(t, out);
}

void stn_shade_lin2srgb(const double c[4], double out[4])
{
    for (int i = 0; i < 3; i++)
        out[i] = pow(c[i], 1.0 / 2.2);
    out[3] = c[3];
}

void stn_shade_turn(const double v[3], const double q[4], double out[3])
{
    double x = q[0], y = q[1], z = q[2], w = q[3], vx = v[0], vy = v[1], vz = v[2];

    out[0] = w * w * vx + 2 * w * y * vz - 2 * w * z * vy + x * x * vx + 2 * x * y * vy + 2 * x * z * vz -
             z * z * vx - y * y * vx;
    out[1] = 2 * x * y * vx + y * y * vy + 2 * y * z * vz + 2 * w * z * vx - z * z * vy + w * w * vy -
             2 * w * x * vz - x * x * vy;
    out[2] = 2 * x * z * vx + 2 * y * z * vy + z * z * vz - 2 * w * y * vx - y * y * vz + 2 * w * x * vy -
             x * x * vz + w * w * vz;
}

void stn_shade_blend(const double src[4], const double dst[4], double out[4])
{
    for (int i = 0; i < 3; i++)
        out[i] = src[i] * src[3] + dst[i] * (1.0 - src[3]);
    out[3] = fmax(src[3], dst[3]);
}

void stn_shade_bump(const double m[3], const double t[3], const double b[3], const double n[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (m[0] - 0.5) * 2.0 * t[i] + (m[1] - 0.5) * 2.0 * b[i] + (m[2] - 0.5) * 2.0 * n[i];
    normalise(out);
}

void stn_shade_waves(const double n[4][3], double time, const double eyen[3], double wave[3], double out[3])
{
    static const double scale[3] = {1.0 / 16.0, 1.0 / 16.0, 1.0};
    double k = fabs(fmod(time, 2.0) - 1.0);

    for (int i = 0; i < 3; i++)
        wave[i] = (mix(n[0][i] + n[1][i], n[2][i] + n[3][i], k) - 1.0) * scale[i];
    out[0] = wave[0] + wave[2] * eyen[0];
    out[1] = wave[1] + wave[2] * eyen[1];
    out[2] = wave[2] * eyen[2];
    normalise(out);
}

static void fog(const double c[4], double k, double out[4])
{
    static const double water[3] = {0.0, 16.0 / 255.0, 48.0 / 255.0};

    for (int i = 0; i < 3; i++)
        out[i] = mix(c[i], water[i], k);
    out[3] = c[3];
}

void stn_shade_bottom_fog(const double c[4], double depth, double out[4])
{
    fog(c, fmin(depth / 8.0, 1.0), out);
}

void stn_shade_object_fog(const double c[4], double depth, double out[4])
{
    fog(c, clamp(depth / 8.0, 0.0, 1.0), out);
}

double stn_shade_cloud(double l, double cmin, double cmax, double rmin, double rmax)
{
    return rmin + (rmax - rmin) * smoothstep(cmin, cmax, l);
}

double stn_shade_outline(const double depth[5], const double normal[5][3])
{
    double hi = 0.0002, lo = -0.0002, r;

    for (int i = 1; i < 5; i++) {
        double d = depth[0] - depth[i];

        hi = fmax(hi, d);
        lo = fmin(lo, d);
    }
    r = smoothstep(5.0, 6.0, hi / -lo);
    for (int i = 1; i < 5; i++)
        if (normal[0][0] * normal[i][1] - normal[0][1] * normal[i][0] > 0.0)
            r += 1.0 - fabs(dot(normal[0], normal[i]));
    return smoothstep(0.4, 0.6, fmin(r, 1.0));
}

static double texel(const double *map, int n, int x, int y)
{
    x = x < 0 ? 0 : x >= n ? n - 1 : x;
    y = y < 0 ? 0 : y >= n ? n - 1 : y;
    return map[y * n + x];
}

/* Bilinear, clamped to the edge: of the values, or of the comparisons when `z` is given. */
static double bilinear(const double *map, int n, double u, double v, const double *z)
{
    double x = u * n - 0.5, y = v * n - 0.5, fx = fract(x), fy = fract(y), t[4];
    int ix = (int)floor(x), iy = (int)floor(y);

    for (int i = 0; i < 4; i++) {
        t[i] = texel(map, n, ix + (i & 1), iy + (i >> 1));
        if (z)
            t[i] = *z <= t[i] ? 1.0 : 0.0;
    }
    return mix(mix(t[0], t[1], fx), mix(t[2], t[3], fx), fy);
}

double stn_shade_tap16(const double *map, int n, double u, double v, double z, double thr)
{
    int lit = 0;

    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            if (bilinear(map, n, u + (x - 1.5) / n, v + (y - 1.5) / n, NULL) + thr > z)
                lit++;
    return lit / 16.0;
}

double stn_shade_pcf(const double *map, int n, double u, double v, double z, double thr)
{
    double px = 1.0 / n, at = z - thr;

    if (u < 0.0 || u > 1.0 || v < 0.0 || v > 1.0 || z > 1.0)
        return 1.0;
    return 0.25 * (bilinear(map, n, u - px, v - px, &at) + bilinear(map, n, u + px, v - px, &at) +
                   bilinear(map, n, u - px, v + px, &at) + bilinear(map, n, u + px, v + px, &at));
}
