/* simplify.h - coarser triangles for a mesh seen from afar: index lists over the same vertices. Pure.
 *
 * Up to three levels, each of fewer triangles than the one before: half, a quarter and a tenth of what the
 * mesh has, as far as the surface moves no more than 1, 2 and 4 % of the diagonal of its bounds. A level that
 * would save less than a fifth of the one before repeats it. Meshes of few triangles (STN_SIMPLIFY_LEAST), or
 * of many small pieces (cards of leaves), have no levels.
 *
 * Method: vertices at one place are one point; edges are collapsed onto one of their ends, cheapest first by
 * the mean square distance to the planes that met there (borders count ten times). What is kept, always:
 *   - every place of the full mesh lies within the limit of some triangle of the level;
 *   - no triangle turns by more than about 78 degrees (cosine 0.2) from how it lay in the full mesh;
 *   - borders collapse along themselves alone, and points on edges of three or more triangles stay;
 *   - corners get vertices of the point they move to: on the same side of a seam in texture coordinates or
 *     colours, and of those the one whose normal fits best;
 *   - a piece keeps two triangles.
 * The same mesh gives the same lists, on every machine.
 *
 * Limits: what stn_mesh_check() asks, places of f32, STN_SIMPLIFY_MOST triangles, STN_SIMPLIFY_VERTICES
 * vertices. Source: docs/spec/rendering.md 20.
 */
#ifndef STN_RENDERER_SCENE_SIMPLIFY_H
#define STN_RENDERER_SCENE_SIMPLIFY_H

#include "renderer/scene/mesh.h"

#define STN_SIMPLIFY_LEAST 48 /* triangles: fewer are never simplified */
#define STN_SIMPLIFY_PIECE 6 /* triangles a piece, in the mean: below, a mesh has no levels */
#define STN_SIMPLIFY_MOST 65536
#define STN_SIMPLIFY_VERTICES 262144

/* Of level i + 1: most triangles as a part of all, most that the surface moves as a part of the diagonal. */
extern const double stn_simplify_part[STN_MESH_LEVELS], stn_simplify_error[STN_MESH_LEVELS];

typedef struct stn_simplified {
    stn_mesh_levels levels; /* its indices are those below */
    uint32_t *indices; /* of all lists; NULL when there are none */
    uint32_t *source; /* indices / 3 -> the triangle of the full mesh that this one was */
} stn_simplified;

/* Diagonal of the bounds of the vertices that are used. 0: this mesh can have no levels. */
float stn_simplify_diagonal(const stn_mesh_desc *d);
/* STN_BAD_DATA or STN_TOO_BIG as stn_mesh_check() has it or beyond the limits above; STN_NO_MEMORY. A mesh
 * that has no levels is no fault. Takes some milliseconds for 1,000 triangles: not for the GL thread. */
stn_status stn_simplify(const stn_mesh_desc *d, stn_simplified *out, stn_err *err);
void stn_simplified_fini(stn_simplified *s);

#endif
