/* mesh.h - a mesh on its way to the driver: interleaved vertices, triangles, and the check that makes it
 * safe.
 *
 * Attributes have fixed slots for all programs, so that one vertex array serves every program.
 * Limits: 2^24 vertices, 2^26 indices, 256 bytes a vertex; every index below the vertex count; positions
 * finite. Source: docs/spec/rendering.md 21.3, 25.
 */
#ifndef STN_RENDERER_SCENE_MESH_H
#define STN_RENDERER_SCENE_MESH_H

#include "base/err.h"
#include "renderer/scene/m4.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Attribute slots = shader locations (gl/shaders/vertex.glsl). */
enum {
    STN_VTX_POS,
    STN_VTX_NRM,
    STN_VTX_TEX,
    STN_VTX_COL,
    STN_VTX_OTEX,
    STN_VTX_TAN,
    STN_VTX_BIT,
    STN_VTX_CLIP,
    STN_VTX_BONE,
    STN_VTX_WEIGHT,
    STN_VTX_Z, /* height of terrain vertices, whose position has two parts */
    STN_VTX_COUNT
};

typedef enum stn_vtx_type {
    STN_VTX_F32,
    STN_VTX_U8,
    STN_VTX_S8,
    STN_VTX_U16,
    STN_VTX_S16,
    STN_VTX_F16,
    STN_VTX_S10X3 /* three signed 10-bit parts in 32 bits, x lowest; comps is 4 */
} stn_vtx_type;

typedef struct stn_mesh_attr {
    uint8_t slot, comps; /* comps 1..4 */
    uint8_t type; /* stn_vtx_type; always read as float in the shader */
    bool normalized; /* integers: to 0..1 or -1..1 */
    uint16_t offset; /* in the vertex, bytes */
} stn_mesh_attr;

typedef struct stn_mesh_desc {
    const void *vertices;
    uint32_t stride, vertex_count;
    stn_mesh_attr attrs[STN_VTX_COUNT];
    uint32_t attr_count;
    const void *indices; /* triangles */
    uint32_t index_bytes, index_count; /* bytes: 2 or 4 */
} stn_mesh_desc;

/* The frames of a mesh animation: offsets of the vertices as half floats, three a texel, `width` texels a
 * row. Vertex v of frame f is texel (v - first) + count * f; the normals' offsets, if there are any, stand
 * `height` / 2 rows below. Source: docs/spec/sprites.md 15.2. */
typedef struct stn_mesh_morph {
    const uint16_t *texels; /* NULL = no animation */
    uint32_t width, height;
} stn_mesh_morph;

/* Coarser triangles over the vertices of a mesh (simplify.h). */
#define STN_MESH_LEVELS 3 /* besides the full mesh, which is level 0 */
typedef struct stn_mesh_levels {
    const void *indices; /* of all lists, as wide as the mesh's own */
    uint32_t index_count;
    uint8_t list_of[STN_MESH_LEVELS + 1]; /* level -> list it draws; 0 = the full mesh */
    uint32_t list_count; /* 0: there are none */
    uint32_t first[STN_MESH_LEVELS], count[STN_MESH_LEVELS]; /* list - 1 -> where in `indices` */
} stn_mesh_levels;

/* STN_BAD_DATA or STN_TOO_BIG with a text that says which index, vertex or attribute is wrong. */
stn_status stn_mesh_check(const stn_mesh_desc *d, stn_err *err);

/* One of several meshes that share a vertex and an index buffer; attributes and stride of their own. */
typedef struct stn_mesh_part {
    stn_mesh_attr attrs[STN_VTX_COUNT];
    uint32_t attr_count, stride;
    uint32_t base_vertex; /* in strides */
    uint32_t first_index, index_count;
    bool lines; /* pairs of indices, not triangles: they are seen, but nothing can be pointed at */
} stn_mesh_part;

/* A checked mesh as the CPU reads it: what picking needs. Borrowed. `vertices` points at the vertex that
 * index 0 means; indices may lie at any address. */
typedef struct stn_mesh_view {
    const uint8_t *vertices, *indices; /* NULL: not kept */
    const stn_mesh_attr *attrs;
    uint32_t attr_count, stride;
    uint32_t index_bytes, index_count;
    stn_mesh_morph morph; /* texels NULL: it has no animation */
} stn_mesh_view;

stn_mesh_view stn_mesh_view_of(const stn_mesh_desc *d);
/* Of a part: `vertices` and `indices` are the buffers that all parts share. */
stn_mesh_view stn_mesh_view_of_part(const stn_mesh_part *p, const void *vertices, const void *indices);
/* Up to four parts of an attribute as the driver hands them to a shader; false when there is none. What is
 * not stored is 0, the fourth 1. */
bool stn_mesh_read(const stn_mesh_view *m, uint32_t vertex, uint8_t slot, float out[4]);
uint32_t stn_mesh_index(const stn_mesh_view *m, uint32_t i);

/* The box around the positions (f32 attribute in STN_VTX_POS) of a checked mesh. False when it has no such
 * positions. */
bool stn_mesh_bounds(const stn_mesh_desc *d, stn_v3 *min, stn_v3 *max);

#endif
