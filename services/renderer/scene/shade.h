/* shade.h - what the shaders compute, once more in C and f64.
 *
 * gl/shaders/ is what draws; this is what tests and tools compare it with, and what answers a question about
 * a colour without a GPU. Colours are r g b a in 0..1, vectors eye space. Source:
 * docs/spec/rendering.md 9.3, 10.4, 11.5, 11.6, 12, 14.3 to 14.5, 15, 16.
 */
#ifndef STN_RENDERER_SCENE_SHADE_H
#define STN_RENDERER_SCENE_SHADE_H

#include <stddef.h>

typedef struct stn_shade_light {
    double amb[4], dif[4], spc[4], pos[4]; /* pos[3] = 0: direction */
    double ac, al, aq, at;
} stn_shade_light;

typedef struct stn_shade_surface {
    double emi[4], amb[4], dif[4], spc[4], shine;
} stn_shade_surface;

/* shadowed: index of the light that `share` belongs to, -1 none. */
void stn_shade_phong(const stn_shade_surface *m, const double pos[3], const double normal[3],
                     const stn_shade_light *lights, size_t count, int shadowed, double share, double bcol[3],
                     double scol[3]);
void stn_shade_cel(const double c[3], double out[3]);
void stn_shade_colblend(const double b[4], const double s[4], double out[4]);
void stn_shade_olblend(const double b[4], const double s[4], double out[4]);
void stn_shade_cpblend(const double b[4], const double s[4], double out[4]);
void stn_shade_rgb2hsv(const double c[3], double out[3]);
void stn_shade_hsv2rgb(const double h[3], double out[3]);
void stn_shade_hue(const double c[3], double target, double amount, double saturation, double out[3]);
void stn_shade_lin2srgb(const double c[4], double out[4]);
void stn_shade_turn(const double v[3], const double q[4], double out[3]);
/* The scene's default blend of src over dst. */
void stn_shade_blend(const double src[4], const double dst[4], double out[4]);
void stn_shade_bump(const double m[3], const double t[3], const double b[3], const double n[3],
                    double out[3]);
/* n: the four samples A1 A2 B1 B2; gives N and the normal. */
void stn_shade_waves(const double n[4][3], double time, const double eyen[3], double wave[3], double out[3]);
void stn_shade_bottom_fog(const double c[4], double depth, double out[4]);
void stn_shade_object_fog(const double c[4], double depth, double out[4]);
double stn_shade_cloud(double l, double cmin, double cmax, double rmin, double rmax);
/* depth and normals: here, -x, +x, -y, +y. */
double stn_shade_outline(const double depth[5], const double normal[5][3]);
/* A square depth map of n x n, rows from v = 0. */
double stn_shade_tap16(const double *map, int n, double u, double v, double z, double thr);
double stn_shade_pcf(const double *map, int n, double u, double v, double z, double thr);

#endif
