/* xform.h - a transform of the scene graph: 3x3, scale, translation, in f64, with what is known about it.
 *
 * The scalar of the scene graph is stn_sg_real: f64. The order of every sum is part of the definition.
 * Source: docs/spec/rendering.md 23.1, 23.8.
 */
#ifndef STN_RENDERER_SCENE_XFORM_H
#define STN_RENDERER_SCENE_XFORM_H

#include "base/err.h"

#include <stdbool.h>

typedef double stn_sg_real;

typedef struct stn_sg_v3 {
    stn_sg_real x, y, z;
} stn_sg_v3;

typedef struct stn_xform {
    stn_sg_real m[9]; /* row-major */
    stn_sg_real s[3], t[3];
    bool identity;
    bool rotation; /* the 3x3 is orthonormal and the scale stands apart */
    bool uniform; /* rotation, and equal scales */
} stn_xform;

stn_xform stn_xform_identity(void);
void stn_xform_translate(stn_xform *x, stn_sg_v3 t);
/* STN_USAGE: the 3x3 is no rotation, or all three are zero. */
stn_status stn_xform_scale(stn_xform *x, stn_sg_v3 s, stn_err *err);
void stn_xform_matrix(stn_xform *x, const stn_sg_real m[9]);
/* Parent a, then b. */
stn_xform stn_xform_combine(const stn_xform *a, const stn_xform *b);
stn_sg_v3 stn_xform_apply(const stn_xform *x, stn_sg_v3 p);
/* Vectors: without the translation. */
stn_sg_v3 stn_xform_apply_vector(const stn_xform *x, stn_sg_v3 v);
stn_sg_real stn_xform_largest_scale(const stn_xform *x);

static inline stn_sg_v3 stn_sg_sub(stn_sg_v3 a, stn_sg_v3 b)
{
    return (stn_sg_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline stn_sg_real stn_sg_dot(stn_sg_v3 a, stn_sg_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

#endif
