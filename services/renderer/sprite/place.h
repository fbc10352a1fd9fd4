/* place.h - where an object stands on the ground, and how it is turned.
 *
 * A placer follows the `place` property of the drawable's resource. Positions come as doubles (world x and
 * y), leave as the float triple (x, y, z) and the rotation R; the matrix of the object is translate(x, -y, z)
 * * R. Source: docs/spec/sprites.md 19.
 */
#ifndef STN_SPRITE_PLACE_H
#define STN_SPRITE_PLACE_H

#include "renderer/sprite/fault.h"
#include "renderer/sprite/quat.h"
#include "res/res.h"

typedef enum stn_place_surface { STN_SURFACE_MAP, STN_SURFACE_TERRAIN } stn_place_surface;

/* The ground; LOADING where it is not there yet. */
typedef struct stn_ground {
    stn_sprite_fault (*z)(void *user, stn_place_surface surface, double x, double y, double *out,
                          stn_err *err);
    stn_sprite_fault (*normal)(void *user, stn_place_surface surface, double x, double y, stn_sprite_vec *out,
                               stn_err *err);
    void *user;
} stn_ground;

typedef enum stn_placer_kind {
    STN_PLACER_SURFACE,
    STN_PLACER_INCLINE,
    STN_PLACER_BASE,
    STN_PLACER_LINE,
    STN_PLACER_PLANE
} stn_placer_kind;

typedef struct stn_placer {
    stn_placer_kind kind;
    stn_place_surface surface;
    const stn_res_obst *obst; /* BASE, LINE, PLANE; borrowed from the resource */
    double extra_angle; /* LINE, radians */
} stn_placer;

/* Of a drawable's resource; NULL: an object without one. MALFORMED for an unknown mandatory type, NO_LAYER
 * without its obstacle. */
stn_sprite_fault stn_placer_of(const stn_res *res, stn_placer *out, stn_err *err);

/* The points of an edge where heights are taken: its start, and wherever it meets the tile grid; not its end.
 * Stops at the first fault. */
typedef stn_sprite_fault stn_place_point_fn(void *user, double x, double y);
stn_sprite_fault stn_place_along(double x0, double y0, double x1, double y1, stn_place_point_fn *fn,
                                 void *user);

typedef struct stn_placed {
    stn_sprite_vec at; /* world x, y and the height; y is not negated */
    stn_mat4 turn;
} stn_placed;

/* `z_offset` is added to the height after all else. */
stn_sprite_fault stn_place(const stn_placer *placer, const stn_ground *ground, double x, double y,
                           double angle, float z_offset, stn_placed *out, stn_err *err);
stn_mat4 stn_placed_matrix(const stn_placed *placed);

#endif
