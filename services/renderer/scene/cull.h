/* cull.h - whether a box is in the picture, and how large it is there.
 *
 * Source: docs/spec/rendering.md 20, 9.3.
 */
#ifndef STN_RENDERER_SCENE_CULL_H
#define STN_RENDERER_SCENE_CULL_H

#include "renderer/scene/m4.h"

#define STN_CULL_CORNERS 8
#define STN_CULL_IN 1.1f /* margin to come in … */
#define STN_CULL_OUT 1.2f /* … and to go out */

typedef struct stn_cull_box {
    stn_v3 min, max;
} stn_cull_box;

/* The eight corners of a model box in the world; corner i: bit 0 x, bit 1 y, bit 2 z, clear = min. */
void stn_cull_corners(const stn_m4 *world, const stn_cull_box *box, stn_v3 out[STN_CULL_CORNERS]);
/* clip = P * V. False only when all corners are outside the same side, near plane included, far not. */
bool stn_cull_inside(const stn_m4 *clip, const stn_v3 corners[STN_CULL_CORNERS], float k);
/* How near the nearest corner is: the smallest w of their clip coordinates (1 in a parallel view). */
float stn_cull_nearest(const stn_m4 *clip, const stn_v3 corners[STN_CULL_CORNERS]);
/* Size on the screen, as a part of its height, of a sphere of `diameter` whose box is that near; infinite
 * when it is at or behind the eye. */
double stn_lod_size(const stn_m4 *clip, float nearest, double diameter);
/* Both at once. */
double stn_cull_size(const stn_m4 *clip, const stn_v3 corners[STN_CULL_CORNERS], double diameter);
/* The largest scale of a model matrix, by which a diameter in the model counts. */
float stn_lod_scale(const stn_m4 *model);
/* Level of detail 0..3 for that size times the bias of the settings, steady around the current one. */
int stn_lod_level(double size, int current);
/* Whether something of that size, times the bias, is worth drawing, steady around what it was. */
bool stn_lod_seen(double size, bool seen);
/* Quaternion x, y, z, w of a turn about an axis. */
stn_v4 stn_quat_about(stn_v3 axis, float angle);

#endif
