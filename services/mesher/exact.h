/* mesher/exact.h - a mesh as the reference has it: f32 attributes, interleaved, and u16 indices.
 *
 * Attributes lie in the reference's order: pos, nrm, then the layers as they were first asked for.
 * Interleaved with `stride` floats a vertex, as a renderer would upload it. What travels between processes is
 * the compact form (mesher/pack.h); these are what is compared bit for bit. Source:
 * docs/spec/terrain-mesh.md 8.2, 10.9.
 */
#ifndef STN_MESHER_EXACT_H
#define STN_MESHER_EXACT_H

#include "mesher/build.h"

typedef struct stn_exact_mesh {
    const stn_model *model;
    uint32_t nv, ni;
    unsigned nattrs, stride;
    uint8_t attr[STN_MESH_ATTR_COUNT]; /* stn_mesh_attr */
    uint8_t offset[STN_MESH_ATTR_COUNT]; /* in floats */
    float *data; /* nv * stride; 32-byte aligned is not promised */
    const uint16_t *index;
} stn_exact_mesh;

typedef struct stn_exact {
    unsigned n;
    stn_exact_mesh *meshes; /* in model order */
    size_t bytes; /* of all vertices and indices */
} stn_exact;

/* All models of a build; memory from its arena. */
stn_status stn_build_exact(stn_build *b, stn_exact *out);

#endif
