/* sight.h - the camera as seen from above, for whoever builds the ground: what is in view comes first. Pure.
 *
 * Map coordinates (y grows the other way than in the scene: docs/spec/rendering.md 1).
 */
#ifndef STN_RENDERER_CAMERA_SIGHT_H
#define STN_RENDERER_CAMERA_SIGHT_H

#include "renderer/scene/m4.h"

typedef struct stn_camera_sight {
    double eye_x, eye_y; /* where it stands */
    double x, y; /* where it looks: a unit vector; 0,0: it sees all around */
    double cos; /* cosine of half the width of what it sees, 0 to 1 */
} stn_camera_sight;

/* A camera that looks down on its surroundings, that is orthographic, or whose matrices have no inverse sees
 * all around. */
stn_camera_sight stn_camera_sight_of(const stn_m4 *view, const stn_m4 *proj);
/* Different enough to be told: another way to look by 8 degrees, another width, or another place by half a
 * cut. */
bool stn_camera_sight_moved(const stn_camera_sight *a, const stn_camera_sight *b);

#endif
