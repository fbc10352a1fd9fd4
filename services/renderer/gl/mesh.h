/* mesh.h - meshes in the driver's memory, known by id. Ids carry a generation: an old one finds nothing. */
#ifndef STN_RENDERER_GL_MESH_H
#define STN_RENDERER_GL_MESH_H

#include "renderer/gl/record.h"
#include "renderer/scene/mesh.h"

/* What is known of the levels of a mesh. */
typedef enum stn_mesh_asked { STN_LEVELS_UNKNOWN, STN_LEVELS_ASKED, STN_LEVELS_KNOWN } stn_mesh_asked;

typedef struct stn_gpu_mesh {
    uint32_t vao, vertex_buffer, index_buffer;
    uint32_t index_type, index_count; /* GL enum */
    uint32_t primitive; /* GL enum: triangles or lines */
    uint32_t first_index_byte;
    int32_t base_vertex;
    uint32_t morph; /* texture of its animation's frames, 0 = none */
    uint32_t group; /* meshes that share buffers have the same, 0 = its own */
    uint32_t id; /* 0 = free */
    size_t bytes;
    float diameter; /* of its bounds, when it may have levels of detail; 0 = none */
    stn_mesh_asked asked; /* for its levels */
    uint32_t level[STN_MESH_LEVELS]; /* ids of what stands for it from afar; 0 = not here */
    uint32_t full_count; /* of a level: indices of the mesh that it stands for */
    stn_mesh_view source; /* what stn_meshes_keep() was given */
} stn_gpu_mesh;

typedef struct stn_meshes stn_meshes;

stn_meshes *stn_meshes_new(stn_glrec *rec); /* NULL: out of memory */
void stn_meshes_free(stn_meshes *m);
/* Uploads a mesh that stn_mesh_check() passed. 0: out of room or memory. */
uint32_t stn_meshes_add(stn_meshes *m, const stn_mesh_desc *d);
/* Gives a mesh the frames of its animation, for good. */
void stn_meshes_animate(stn_meshes *m, uint32_t id, const stn_mesh_morph *morph);
/* Uploads buffers that all parts share: u16 indices. ids gets one for each part; false: out of room or
 * memory, and none was made. The caller has checked the parts (stn_product_open). */
bool stn_meshes_add_parts(stn_meshes *m, const void *vertices, size_t vertex_bytes, const void *indices,
                          size_t index_bytes, const stn_mesh_part *parts, uint32_t count, uint32_t *ids);
/* Of its bounds: it may have levels of detail, which are to be asked for. */
void stn_meshes_measure(stn_meshes *m, uint32_t id, float diameter);
void stn_meshes_asked(stn_meshes *m, uint32_t id);
/* Uploads its levels, once; they go with it. Without lists, or out of room, it has none. */
void stn_meshes_add_levels(stn_meshes *m, uint32_t id, const stn_mesh_levels *levels);
/* Where the CPU finds the same mesh: borrowed until it is removed. For picking; without it none is met. */
void stn_meshes_keep(stn_meshes *m, uint32_t id, const stn_mesh_view *source);
void stn_meshes_remove(stn_meshes *m, uint32_t id); /* unknown ids are fine */
const stn_gpu_mesh *stn_meshes_get(const stn_meshes *m, uint32_t id); /* NULL: unknown */
size_t stn_meshes_count(const stn_meshes *m);
size_t stn_meshes_bytes(const stn_meshes *m);

#endif
