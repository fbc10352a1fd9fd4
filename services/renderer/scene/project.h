/* project.h - from the scene to the screen and back.
 *
 * Source: docs/spec/rendering.md 7.
 */
#ifndef STN_RENDERER_SCENE_PROJECT_H
#define STN_RENDERER_SCENE_PROJECT_H

#include "renderer/scene/m4.h"

/* Clip planes of a mask. */
enum {
    STN_CLIP_NX = 1,
    STN_CLIP_PX = 2,
    STN_CLIP_NY = 4,
    STN_CLIP_PY = 8,
    STN_CLIP_NZ = 16,
    STN_CLIP_PZ = 32,
    STN_CLIP_ALL = 63
};

/* P * (V * (W * (p, 1))), as three products. */
stn_v4 stn_project_clip(const stn_m4 *world, const stn_m4 *view, const stn_m4 *proj, stn_v3 p);
/* Clip space to the rectangle; meaningless unless clip.w > 0, which the caller checks. */
stn_v3 stn_project_view(stn_v4 clip, float x0, float y0, float w, float h);
bool stn_project_clipped(stn_v4 c, unsigned mask);
/* The nearest point of a -> b on a selected plane; not finite when there is none. */
stn_v4 stn_project_line_clip(stn_v4 a, stn_v4 b, unsigned mask);
/* Normalised device coordinates, or a point of the eye plane, back to eye space. A projection that has no
 * inverse gives zeros. */
stn_v4 stn_project_from_ndc(const stn_m4 *proj, stn_v3 n);
stn_v4 stn_project_from_clip(const stn_m4 *proj, stn_v3 c);
/* The ray in the scene behind pixel (px, py) of a w x h view, y down. False: the matrices have no inverse. */
bool stn_project_ray(const stn_m4 *view, const stn_m4 *proj, double px, double py, double w, double h,
                     stn_v3 *origin, stn_v3 *dir);

#endif
