/* motion.h - where an object is between the words of the server: world and viewers predict alike.
 *
 * Units are map units and movement seconds; a tick's seconds are scaled by 0.9. All double, no fused
 * operations: the order of the operations decides bits. Source: docs/spec/object-cache.md A4.
 */
#ifndef STN_MAP_MOTION_H
#define STN_MAP_MOTION_H

#include <stdbool.h>

#define STN_MOTION_RATE 0.9
#define STN_MOTION_AHEAD 0.5 /* how far it runs past the last step before it stands still */

typedef struct stn_linear {
    double sx, sy, vx, vy; /* start and velocity */
    double t, lt; /* now, and the last step's time */
    double end; /* when has_end */
    bool has_end, frozen;
} stn_linear;

void stn_linear_tick(stn_linear *m, double dt);
/* A step of the server: `end` < 0 = none known. Never moves the object back. */
void stn_linear_step(stn_linear *m, double t, double end);
void stn_linear_at(const stn_linear *m, double *x, double *y);
double stn_linear_speed(const stn_linear *m);

/* Homing: the place after `gone` units from (x, y) towards (tx, ty), never beyond it. */
void stn_homing_at(double x, double y, double tx, double ty, double gone, double *out_x, double *out_y);

#endif
