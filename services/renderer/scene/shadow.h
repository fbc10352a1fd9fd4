/* shadow.h - where the shadow map stands, and which matrix reads it.
 *
 * The map is a box `size` to each side of a centre near the player, looking along the day light. Its view
 * matrix is not rigid (see stn_m4_camdir): drawing and reading share it, nothing else may use it. Source:
 * docs/spec/rendering.md 15.
 */
#ifndef STN_RENDERER_SCENE_SHADOW_H
#define STN_RENDERER_SCENE_SHADOW_H

#include "renderer/scene/m4.h"

#include <stdbool.h>

#define STN_SHADOW_SIZE 750.0f /* half the side of the box, units */
#define STN_SHADOW_DEPTH 5000.0f

typedef struct stn_shadow_place {
    stn_m4 view, proj;
} stn_shadow_place;

/* day: direction toward the light (w = 0), render space. */
stn_shadow_place stn_shadow_place_at(stn_v4 day, stn_v3 centre, float size);
/* Eye space of the main camera to the map, with the scale and offset of a half. */
stn_m4 stn_shadow_matrix(const stn_shadow_place *place, const stn_m4 *main_view);

/* The centre that follows the player in steps: moves when it is over 50 units away, and is placed again at
 * most every 0.1 s otherwise. */
typedef struct stn_shadow_follow {
    bool placed;
    stn_v3 centre;
    stn_v4 day;
    double since; /* seconds since the last placing */
    stn_shadow_place place;
} stn_shadow_follow;

/* True when the map was placed anew. */
bool stn_shadow_follow_tick(stn_shadow_follow *f, double dt, stn_v4 day, stn_v3 player, float size);

#endif
