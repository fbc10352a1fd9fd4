/* sight.h - what of the ground a viewer looks at, so that it is built before what lies behind. Pure.
 *
 * The viewer's camera as seen from above: where it stands, where it looks, and how wide. A cut is seen when
 * any of it may lie in that wedge; a circle around the cut stands for it, so that a cut at the edge counts as
 * seen. Map units: docs/spec/map-cache.md 1. Source of the rule: docs/design.md 5, View.
 */
#ifndef STN_WORLD_SIGHT_H
#define STN_WORLD_SIGHT_H

#include "map/coords.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct stn_sight {
    double x, y; /* the camera */
    double look_x, look_y; /* unit vector; both 0: it sees all around */
    double look_cos; /* cosine of half its width, 0 to 1: 90 to 0 degrees to each side */
} stn_sight;

/* Cuts so near the focus (in each direction) are wanted soonest wherever the viewer looks: it may turn. */
#define STN_SIGHT_NEAR 2

/* All finite, the direction a unit vector or none, the cosine in its range. */
bool stn_sight_ok(const stn_sight *sight);
bool stn_sight_sees(const stn_sight *sight, stn_coord cut);
/* How far off a cut counts, squared, in cuts: dx and dy are its steps from the focus. What is not seen counts
 * as twice as far as it is, beyond STN_SIGHT_NEAR. */
int32_t stn_sight_distance(const stn_sight *sight, stn_coord cut, int dx, int dy);

#endif
