/* shape.h - triangles by code: the solids, sweeps and cards that the pack's things are built from.
 *
 * Space is a resource's own: x forward or right, y left or up on the map (the map's y runs the other way), z
 * up, map units, counter-clockwise triangles face the viewer (docs/spec/rendering.md 3). Texture coordinates
 * have t = 0 at the picture's top; wood runs along s. A shape grows; out of memory sets `failed` and later
 * calls do nothing.
 */
#ifndef STN_HOMESTEAD_PACK_SHAPE_H
#define STN_HOMESTEAD_PACK_SHAPE_H

#include "homestead/pack/paint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_v3 {
    float x, y, z;
} stn_v3;

stn_v3 stn_v3_add(stn_v3 a, stn_v3 b);
stn_v3 stn_v3_sub(stn_v3 a, stn_v3 b);
stn_v3 stn_v3_scale(stn_v3 a, float k);
stn_v3 stn_v3_mix(stn_v3 a, stn_v3 b, float t);
float stn_v3_dot(stn_v3 a, stn_v3 b);
stn_v3 stn_v3_cross(stn_v3 a, stn_v3 b);
float stn_v3_len(stn_v3 a);
stn_v3 stn_v3_norm(stn_v3 a); /* +z when the length is 0 */

/* A rigid placement with a uniform scale: columns right, forward, up, then the origin. */
typedef struct stn_xf {
    stn_v3 x, y, z, o;
} stn_xf;

stn_xf stn_xf_id(void);
stn_xf stn_xf_at(float x, float y, float z);
stn_xf stn_xf_turn(stn_xf a, float rx, float ry, float rz); /* then about its own x, then y, then z */
stn_xf stn_xf_move(stn_xf a, float x, float y, float z); /* along its own axes */
stn_xf stn_xf_scale(stn_xf a, float k);
/* z along `dir` (need not be normed), x level where possible. */
stn_xf stn_xf_along(stn_v3 at, stn_v3 dir);
stn_v3 stn_xf_point(const stn_xf *a, float x, float y, float z);
stn_v3 stn_xf_dir(const stn_xf *a, float x, float y, float z);

#define STN_SHAPE_BONES 4
typedef struct stn_vertex {
    stn_v3 p, n;
    float s, t;
    int8_t bone[STN_SHAPE_BONES]; /* -1 = none */
    float weight[STN_SHAPE_BONES];
} stn_vertex;

typedef struct stn_shape {
    stn_vertex *v;
    size_t nv, cap_v;
    uint32_t *tri; /* 3 a triangle */
    size_t nt, cap_t;
    bool failed;
} stn_shape;

void stn_shape_fini(stn_shape *s);
uint32_t stn_shape_vertex(stn_shape *s, stn_v3 p, stn_v3 n, float u, float v);
void stn_shape_tri(stn_shape *s, uint32_t a, uint32_t b, uint32_t c);

/* Corners counter-clockwise; texture (s0,t1) at a, (s1,t1) b, (s1,t0) c, (s0,t0) d. Flat normal. */
void stn_shape_quad(stn_shape *s, stn_v3 a, stn_v3 b, stn_v3 c, stn_v3 d, float s0, float t0, float s1,
                    float t1);
/* The same with one normal a corner of the caller's choosing: leaves shade as a mass. */
void stn_shape_card(stn_shape *s, const stn_v3 corner[4], const stn_v3 normal[4], float s0, float t0,
                    float s1, float t1);

/* A beam around the origin of xf: `x` long, `y` wide, `z` thick. Its four long sides go to `sides` with the
 * grain along x, `scale` texture repeats a unit along it and twice as many across (a plank picture is twice
 * as long as wide), starting at `s0`, `t0`; its two ends go to `ends` (NULL: none). Edges broken by `bevel`
 * units (0: sharp). */
void stn_shape_beam(stn_shape *sides, stn_shape *ends, const stn_xf *xf, float x, float y, float z,
                    float bevel, float scale, float s0, float t0);

/* A round sweep: `n` rings of `around` sides at path[i] with radius[i]. The texture runs `repeat_s` times
 * around and repeat_t a unit along. closed_end: the last ring is drawn together. Open otherwise. */
void stn_shape_tube(stn_shape *s, const stn_v3 *path, const float *radius, size_t n, unsigned around,
                    float repeat_s, float repeat_t, bool closed_end);
/* A disc that closes a tube: centre, outward normal, radius; the whole picture on it. */
void stn_shape_disc(stn_shape *s, stn_v3 at, stn_v3 normal, float radius, unsigned around);
/* A turned body about xf's z: profile of (radius, height) pairs from below; one texture around `repeat_s`
 * times. */
void stn_shape_lathe(stn_shape *s, const stn_xf *xf, const float (*profile)[2], size_t n, unsigned around,
                     float repeat_s, float repeat_t);

/* A stone: an ellipsoid of radii r, displaced, with flat facets where `facets` > 0 (0..1), its foot cut off
 * at z = 0. The texture is laid from three sides at `scale` repeats a unit. */
void stn_shape_stone(stn_shape *s, const stn_xf *xf, stn_v3 r, uint32_t seed, float rough, float facets,
                     float scale, unsigned detail);

/* Every vertex from `first` on moves with these bones (weights are normed by whoever reads). */
void stn_shape_bind(stn_shape *s, size_t first, int8_t bone);
/* Normals from the triangles, averaged over vertices at the same place from `first` on. */
void stn_shape_smooth(stn_shape *s, size_t first);
/* A copy of `from` placed by xf. */
void stn_shape_add(stn_shape *s, const stn_shape *from, const stn_xf *xf);

#endif
