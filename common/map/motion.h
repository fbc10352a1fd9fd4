/* motion.h - the clock of an object that moves along a line, as viewers run it between the server's steps.
 *
 * Units are map units and movement seconds; a tick's seconds are scaled by 0.9. All double, no fused
 * operations. Source: docs/spec/object-cache.md A4.1.
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

#endif
