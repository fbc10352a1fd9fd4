/* motion.h - where a moving object is between the words of the server.
 *
 * Parameters come from world as of a moment of its clock; from there both sides predict alike (map/motion.h).
 * Units: map units and seconds; doubles throughout. Source: docs/spec/object-cache.md A4.
 */
#ifndef STN_RENDERER_SCENE_MOTION_H
#define STN_RENDERER_SCENE_MOTION_H

#include "map/motion.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum stn_motion_kind {
    STN_MOVE_NONE,
    STN_MOVE_LINEAR,
    STN_MOVE_HOMING,
    STN_MOVE_FOLLOWING
} stn_motion_kind;

typedef struct stn_motion {
    stn_motion_kind kind;
    stn_linear line; /* linear */
    int64_t target; /* homing, following */
    double tx, ty, v, dist; /* homing */
} stn_motion;

void stn_motion_tick(stn_motion *m, double dt);
/* The place; (x, y) is the object's own word, (tx, ty) the target's own word when `has_target`. */
void stn_motion_place(const stn_motion *m, double x, double y, bool has_target, double tx, double ty,
                      double *out_x, double *out_y);
/* Units a second, for the pace of legs: none where the object is shown standing. */
double stn_motion_speed(const stn_motion *m);

#endif
