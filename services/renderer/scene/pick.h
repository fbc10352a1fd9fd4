/* pick.h - which triangle lies under a point of the picture. Pure; the counterpart of the picture of numbers
 * that gl/picker.h draws, and written so that both see the same: vertices go through the same transforms in
 * f32 as in gl/shaders/vertex.glsl (bones, morph, sway), and only then the ray meets them, in f64.
 *
 * Rules for both: faces seen from behind are left out unless the material keeps them; what lies before the
 * near or behind the far plane is not met; of an alpha-tested texture the texel that the coordinate falls
 * into is read at full size, without filter, and alpha below 128 is a hole. A texture through a palette has
 * no holes. Source: docs/spec/rendering.md 18, 23.6.
 */
#ifndef STN_RENDERER_SCENE_PICK_H
#define STN_RENDERER_SCENE_PICK_H

#include "renderer/scene/m4.h"
#include "renderer/scene/mesh.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a texture, which repeats, is solid: bit x + width * y, lowest bit of the first byte first. */
typedef struct stn_pick_mask {
    uint32_t width, height;
    const uint8_t *bits;
} stn_pick_mask;

/* Bytes for the bits of a picture. */
size_t stn_pick_mask_bytes(uint32_t width, uint32_t height);
/* Reads RGBA; false: it has no hole, so that no mask is needed. */
bool stn_pick_mask_fill(uint8_t *bits, const uint8_t *rgba, uint32_t width, uint32_t height);
bool stn_pick_mask_solid(const stn_pick_mask *m, float u, float v);

/* A mesh as it stands in the picture. All borrowed. */
typedef struct stn_pick_thing {
    stn_mesh_view mesh; /* checked: every index names a vertex */
    uint32_t features; /* of its material, STN_MAT_* */
    bool no_cull;
    const stn_pick_mask *mask; /* NULL: solid */
    float scroll[2];
    stn_m4 model;
    float sway_slow[4], sway_fast[4];
    float frames[4], between; /* of a mesh animation: `special` and `morph` of the instance (gl/view.h) */
    const stn_m4 *bones;
    uint32_t bone_count;
} stn_pick_thing;

typedef struct stn_pick_eye {
    stn_m4 view, proj;
    float time, wind; /* of the sway: seconds modulo 3000, strength */
} stn_pick_eye;

typedef struct stn_pick_hit {
    double depth; /* -1 at the near plane to 1 at the far one: what a depth buffer compares */
    double x, y; /* place in the mesh's own plane, as its vertices have it */
} stn_pick_hit;

/* The nearest triangle under (px, py) of a w x h picture, pixels from the upper left corner; a pixel's middle
 * is at .5. False: none. */
bool stn_pick_nearest(const stn_pick_eye *eye, double px, double py, double w, double h,
                      const stn_pick_thing *thing, stn_pick_hit *hit);

#endif
