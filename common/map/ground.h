/* map/ground.h - the ground surface of one cut: vertices, which way each tile is split, normals.
 *
 * Vertices are numbered row by row over the corners -1..26 both ways, 28 a row: stn_ground_vertex(). Position
 * of corner (x, y): (x*11, y*-11, height), f32; y of corner row 0 is -0.0. Tilers with a shape of their own
 * add vertices behind these 784. Normals are means that were not normalised again: shorter than 1. Bits
 * matter: f32 throughout, sums in the order in which faces are made. Source: docs/spec/terrain-mesh.md
 * 5, 7.2; docs/spec/terrain-extras.md 2.
 */
#ifndef STN_MAP_GROUND_H
#define STN_MAP_GROUND_H

#include "map/coords.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_GROUND_SIDE 28
#define STN_GROUND_VERTICES (STN_GROUND_SIDE * STN_GROUND_SIDE)
#define STN_GROUND_SPLITS 27 /* tiles -1..25 along a side */
#define STN_CUT_VERTICES 26 /* corners 0..25 along a side */
#define STN_BLEND_MAX 12 /* most passes of the ground blend setting */

typedef struct stn_vec3 {
    float x, y, z;
} stn_vec3;

/* Vertex number of corner (x, y), -1..26. */
static inline uint32_t stn_ground_vertex(int x, int y)
{
    return (uint32_t)((x + 1) + (y + 1) * STN_GROUND_SIDE);
}
/* Index of tile (x, y), -1..25, in a table of 27 a row: splits, overlay masks. */
static inline size_t stn_ring_tile(int x, int y)
{
    return (size_t)((x + 1) + (y + 1) * STN_GROUND_SPLITS);
}

/* Positions of the 784 ground vertices from their heights. */
void stn_ground_positions(const float z[STN_GROUND_VERTICES], stn_vec3 pos[STN_GROUND_VERTICES]);
/* 1 where the drawn quad of the tile is cut from upper right to lower left. NaN heights give 0. */
void stn_ground_splits(const float z[STN_GROUND_VERTICES],
                       uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS]);

/* The two faces that tile (x, y) gives to the surface, as six vertex numbers. The diagonal is not the drawn
 * one. */
void stn_ground_faces(int x, int y, bool split, uint32_t out[6]);
/* The faces of the 104 border tiles, which come after all others, in their order: 6 * 104 vertex numbers.
 * Returns 104. */
size_t stn_ground_border(const uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS], uint32_t *out);
/* Adds each face's corner normals, in face order, and takes the mean. n faces of three vertex numbers below
 * nv. A vertex without a face has NaN. */
void stn_face_normals(const stn_vec3 *pos, size_t nv, const uint32_t *faces, size_t n, stn_vec3 *nrm,
                      uint16_t *count);
/* Normals of the corners 0..25 of a cut of plain tiles; the outermost ring of `nrm` is left alone. The same
 * bits as stn_face_normals() over all faces in order. */
void stn_ground_normals(const float z[STN_GROUND_VERTICES],
                        const uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS],
                        stn_vec3 nrm[STN_GROUND_VERTICES]);

/* f32, every product and difference rounded. */
static inline stn_vec3 stn_vec3_sub(stn_vec3 a, stn_vec3 b)
{
    return (stn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline stn_vec3 stn_vec3_add(stn_vec3 a, stn_vec3 b)
{
    return (stn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline stn_vec3 stn_vec3_cross(stn_vec3 a, stn_vec3 b)
{
    return (stn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
stn_vec3 stn_vec3_norm(stn_vec3 v); /* zero stays zero */

#endif
