/* mesher/blend.h - how strongly each layer of a tileset shows at each corner of a cut.
 *
 * Made once per tile id and cut, the first time it is needed. Values exist for the tiles of `area` only (and
 * their corners); nothing else may be read. Rows of 32: corner (x, y) is at x + 32 y. Source:
 * docs/spec/terrain-mesh.md 10; vectors terrain/stage.
 */
#ifndef STN_MESHER_BLEND_H
#define STN_MESHER_BLEND_H

#include "base/arena.h"
#include "mesher/blocks.h"
#include "mesher/kernels.h"

#define STN_BLEND_PITCH 32
#define STN_BLEND_ROWS STN_CUT_VERTICES
#define STN_BLEND_VALUES (STN_BLEND_PITCH * STN_BLEND_ROWS)

typedef struct stn_blend_layer {
    uint32_t on[STN_CUT_TILES]; /* bit x of row y: the layer is drawn on that tile */
    bool any; /* on some tile */
    float *weight; /* STN_BLEND_VALUES; NULL when the layer is 0 everywhere in the area */
    uint8_t *alpha; /* (i32)(weight * 255) */
} stn_blend_layer;

typedef struct stn_blend {
    unsigned nlayers;
    stn_blend_layer *layers;
} stn_blend;

/* Tiles x0..x1, y0..y1 of the cut, 0..24. */
typedef struct stn_blend_area {
    int8_t x0, y0, x1, y1;
} stn_blend_area;
#define STN_BLEND_ALL ((stn_blend_area){0, 0, STN_CUT_TILES - 1, STN_CUT_TILES - 1})

/* Called with the tables of a stage, for the stage vectors: the region has n vertices a side, pitch floats a
 * row, its first vertex is (-passes, -passes). pass -1 = start values, 0.. = after that pass. NULL functions
 * are not called. */
typedef struct stn_blend_probe {
    void *arg;
    void (*layer)(void *arg, unsigned layer, int pass, const float *table, size_t pitch);
} stn_blend_probe;

/* passes 0..12. The blend lives in the arena. */
stn_status stn_blend_make(stn_arena *arena, const stn_kernels *k, stn_blocks *blocks, const stn_tileset *set,
                          stn_coord ul, unsigned passes, stn_blend_area area, const stn_blend_probe *probe,
                          stn_blend **out, stn_err *err);

#endif
