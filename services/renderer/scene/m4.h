/* m4.h - single-precision matrices and vectors with a fixed order of evaluation.
 *
 * Matrices are column-major: element (column c, row r) at 4*c + r; vectors are columns; A*B applies B first.
 * Every product-sum is taken left to right and rounded after each operation, because these values are
 * compared with the reference bit for bit: the functions here must never be rewritten with fused or reordered
 * sums. sin, cos, asin, atan and sqrt are taken in double of the promoted argument and rounded once. Source:
 * docs/spec/rendering.md 1, 4, 5.1, 6.
 */
#ifndef STN_RENDERER_SCENE_M4_H
#define STN_RENDERER_SCENE_M4_H

#include <stdbool.h>

typedef struct stn_v3 {
    float x, y, z;
} stn_v3;
typedef struct stn_v4 {
    float x, y, z, w;
} stn_v4;
typedef struct stn_m4 {
    float m[16];
} stn_m4;

#define STN_PI32 3.14159274101257324219f /* pi rounded to f32 */
#define STN_PI 3.14159265358979323846

static inline stn_v3 stn_v3_of(float x, float y, float z)
{
    return (stn_v3){x, y, z};
}
static inline stn_v3 stn_v3_add(stn_v3 a, stn_v3 b)
{
    return (stn_v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline stn_v3 stn_v3_sub(stn_v3 a, stn_v3 b)
{
    return (stn_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline stn_v3 stn_v3_mul(stn_v3 a, float k)
{
    return (stn_v3){a.x * k, a.y * k, a.z * k};
}
static inline float stn_v3_dot(stn_v3 a, stn_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
stn_v3 stn_v3_cross(stn_v3 a, stn_v3 b);
float stn_v3_abs(stn_v3 a);
stn_v3 stn_v3_norm(stn_v3 a); /* (0,0,0) for the zero vector */
float stn_v3_dist(stn_v3 a, stn_v3 b);
float stn_v3_xyangle(stn_v3 a, stn_v3 b); /* direction from a to b seen from above, radians */
stn_v3 stn_v3_sph(float elev, float azim, float radius);
bool stn_v3_finite(stn_v3 a);

stn_m4 stn_m4_identity(void);
stn_m4 stn_m4_mul(stn_m4 a, stn_m4 b);
stn_v3 stn_m4_pt(const stn_m4 *m, stn_v3 p); /* row 3 is ignored */
stn_v4 stn_m4_v4(const stn_m4 *m, stn_v4 v);
stn_v3 stn_m4_dir(const stn_m4 *m, stn_v3 d); /* the 3x3 alone */
stn_m4 stn_m4_transpose(stn_m4 a);
stn_m4 stn_m4_trim3(stn_m4 a, float e); /* keeps the 3x3; element 15 = e */
stn_m4 stn_m4_rxinvert(stn_m4 a); /* inverse of rotation + translation */
bool stn_m4_invert(const stn_m4 *a, stn_m4 *out); /* false: the determinant is exactly 0 */
stn_m4 stn_m4_xlate(stn_v3 v);
stn_m4 stn_m4_scale(float x, float y, float z);
stn_m4 stn_m4_rot_sc(stn_v3 axis, float s, float c);
stn_m4 stn_m4_rot(stn_v3 axis, float angle); /* the axis is used as given, not normalised */
stn_m4 stn_m4_frustum(float l, float r, float b, float t, float n, float f);
stn_m4 stn_m4_ortho(float l, float r, float b, float t, float n, float f);
stn_m4 stn_m4_onlyxl(stn_m4 a); /* keeps the position alone */
stn_m4 stn_m4_nullrot(stn_m4 a); /* the 3x3 becomes the identity */
bool stn_m4_finite(const stn_m4 *m);

/* Camera looking at `base` from `dist` away at elevation e (0 = level) and azimuth a. */
stn_m4 stn_m4_pointed(stn_v3 base, float dist, float e, float a);
/* View along d. The axis is not normalised: for a tilted d this is no rigid matrix (only the shadow map uses
 * it, with the same matrix for drawing and for reading). */
stn_m4 stn_m4_camdir(stn_v3 base, stn_v3 d);

/* Object rotations: about +z by the map-space angle, and the same tilted to a map-space ground normal. */
stn_m4 stn_place_default(double angle);
stn_m4 stn_place_incline(double angle, stn_v3 normal);

#endif
