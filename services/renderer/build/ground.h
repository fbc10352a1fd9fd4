/* ground.h - the materials of terrain: layers, skirts, flat tiles, walls, water. rendering.md 14. */
#ifndef STN_RENDERER_BUILD_GROUND_H
#define STN_RENDERER_BUILD_GROUND_H

#include "renderer/build/store.h"

typedef enum stn_ground_kind {
    STN_GROUND_LAYER,
    STN_GROUND_SKIRT, /* laid over other ground, cut out by a mask */
    STN_GROUND_FLAT, /* one image a tile */
    STN_GROUND_WALL,
    STN_GROUND_WATER,
    STN_GROUND_FOAM
} stn_ground_kind;

typedef struct stn_ground_mesh {
    stn_ground_kind kind;
    const char *material, *common, *atlas; /* resource names, "" = none */
    int32_t material_version, common_version, atlas_version;
    int32_t material_id, common_id;
    bool clipped, bed, on_grid, has_atlas; /* bed: lies under water */
    int32_t main, order;
} stn_ground_mesh;

/* LOADING while a resource is on its way. *casts: it belongs into the shadow map. */
stn_sprite_fault stn_ground_material(stn_store *s, const stn_ground_mesh *g, stn_matstate *out, bool *casts,
                                     stn_err *err);

#endif
