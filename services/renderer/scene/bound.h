/* bound.h - boxes and spheres around things: transformed, merged, tested against planes and rays. f64.
 *
 * Source: docs/spec/rendering.md 23.1 "Bounds", 23.2, 23.6.
 */
#ifndef STN_RENDERER_SCENE_BOUND_H
#define STN_RENDERER_SCENE_BOUND_H

#include "renderer/scene/xform.h"

typedef enum stn_bound_kind { STN_BOUND_NULL, STN_BOUND_BOX, STN_BOUND_SPHERE } stn_bound_kind;

typedef struct stn_bound {
    stn_bound_kind kind; /* NULL: none, always visible */
    stn_sg_v3 c;
    stn_sg_v3 e; /* box: half extents */
    stn_sg_real r; /* sphere; may be infinite */
    int plane; /* the plane that put it outside last: tried first the next time */
} stn_bound;

stn_bound stn_bound_box(stn_sg_v3 c, stn_sg_v3 e);
stn_bound stn_bound_sphere(stn_sg_v3 c, stn_sg_real r);
stn_bound stn_bound_infinite(void); /* a sphere without end: what a mesh has until it is told better */
bool stn_bound_is_finite(const stn_bound *b);

stn_bound stn_bound_transform(const stn_bound *b, const stn_xform *x);
/* Grows a, whose kind stays; a NULL bound takes b. STN_BAD_DATA: the result's centre is not a number. */
stn_status stn_bound_merge(stn_bound *a, const stn_bound *b, stn_err *err);

typedef struct stn_sg_plane {
    stn_sg_v3 n;
    stn_sg_real k; /* points with n.p - k < 0 are behind */
} stn_sg_plane;
/* -1 wholly behind, 1 wholly in front, 0 across. */
int stn_bound_side(const stn_bound *b, const stn_sg_plane *p);

typedef struct stn_sg_ray {
    stn_sg_v3 origin, dir; /* dir of length 1 */
} stn_sg_ray;
/* The distances at which the ray enters and leaves (0 at the least). */
bool stn_bound_ray(const stn_bound *b, const stn_sg_ray *ray, stn_sg_real *in, stn_sg_real *out);
/* From p to the edge; negative inside. */
stn_sg_real stn_bound_distance(const stn_bound *b, stn_sg_v3 p);

#endif
