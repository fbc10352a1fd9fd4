/* manim.h - a mesh animation (a `manim` layer) running: which two frames are shown, and how far between them.
 *
 * Sequential ones walk through the frames; random ones pick the next frame by a generator of their own. Frame
 * numbers and fractions are bit-exact. The layer is borrowed. Source: docs/spec/sprites.md 15.
 */
#ifndef STN_SPRITE_MANIM_H
#define STN_SPRITE_MANIM_H

#include "num/j48.h"
#include "renderer/sprite/fault.h"
#include "renderer/sprite/track.h"
#include "res/layers.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct stn_manim {
    const stn_res_manim *layer;
    stn_j48 random; /* of this instance, for random ones */
    uint32_t from, to; /* frames shown */
    float a; /* 0 = from, towards 1 = to */
    /* clock */
    int32_t current, next;
    float length, at;
} stn_manim;

/* Starts it; `seed` is for random ones. MALFORMED: a random one with fewer than two frames. */
stn_sprite_fault stn_manim_init(stn_manim *m, const stn_res_manim *layer, int64_t seed, stn_err *err);
/* *wrapped: came back to frame 0 in this tick (sequential ones only). */
void stn_manim_tick(stn_manim *m, float dt, bool *wrapped);
/* A random phase; sequential ones draw from `rnd`, random ones from their own generator. */
void stn_manim_age(stn_manim *m, stn_rnd *rnd);

/* Whether any vertex that the mesh's triangles use occurs in any frame; only numbers are compared, not
 * buffers. */
bool stn_manim_animates(const stn_res_manim *layer, const stn_res_mesh *mesh);

/* Moves vertices to where the animation has them now: adds to `pos` and, where the first frame has them, to
 * `nrm` (NULL: none), three floats a vertex, `stride` floats from one to the next. Vertices beyond `num` are
 * left out. */
void stn_manim_apply(const stn_manim *m, uint32_t num, size_t stride, float *pos, float *nrm);

/* The offsets as a texture of half floats, three a texel. Texel of vertex v in frame f: (v - min_vertex) +
 * count * f. */
typedef struct stn_manim_texture {
    uint32_t width, height, vertices;
} stn_manim_texture;
stn_manim_texture stn_manim_texture_size(const stn_res_manim *layer);
/* out: 3 * width * height halfs. `normals`: of the normal offsets instead of the positions. */
void stn_manim_texture_fill(const stn_res_manim *layer, bool normals, uint16_t *out);
#endif
