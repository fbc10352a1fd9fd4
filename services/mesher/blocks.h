/* mesher/blocks.h - the noise of the ground, kept in blocks of 25 x 25 world tiles.
 *
 * Which layer a tile shows and how strongly each layer is blurred depend on the tileset and the world
 * coordinate alone: not on the cut, the map or any setting. So they are made once, by quarters of a block and
 * only for the layers that are asked for, and the least recently used block goes when more than `max_blocks`
 * are held. Blocks never go stale. The cache is shared by all build threads: lookup and publishing hold a
 * lock, making does not; two threads may make the same part and get the same bits. It is invisible in
 * results. Source: docs/spec/terrain-mesh.md 10.1, 10.2, 10.8.
 */
#ifndef STN_MESHER_BLOCKS_H
#define STN_MESHER_BLOCKS_H

#include "map/coords.h"
#include "map/tileset.h"

#define STN_BLOCK 25
#define STN_BLOCK_SPLIT 13 /* quarters meet here: a full blend margin of 12 then reads whole quarters */
#define STN_BLOCKS_DEFAULT 1024

typedef struct stn_blocks stn_blocks;

struct stn_kernels;

typedef struct stn_blocks_stats {
    uint64_t hits, made, dropped; /* hits and makings in quarters, per tile layer or weight layer */
    size_t held;
} stn_blocks_stats;

/* kernels NULL: the best. NULL when out of memory. */
stn_blocks *stn_blocks_new(size_t max_blocks, const struct stn_kernels *kernels);
void stn_blocks_free(stn_blocks *c); /* no thread may be using it */
void stn_blocks_read_stats(stn_blocks *c, stn_blocks_stats *out);

/* Forgets one block of the set (all of them when `all`); for measuring, and to answer memory pressure. */
void stn_blocks_forget(stn_blocks *c, const stn_tileset *set, bool all, stn_coord block);

/* Makes the parts of a block that are missing: an idle thread ahead of time. */
stn_status stn_blocks_make(stn_blocks *c, const stn_tileset *set, stn_coord block, stn_err *err);

/* The blocks under a rectangle of world tiles, held until released. At most 3 x 3. */
typedef struct stn_block stn_block;
typedef struct stn_block_view {
    stn_blocks *cache;
    const stn_tileset *set;
    stn_coord first; /* block coordinate */
    int nx, ny;
    stn_block *block[9];
} stn_block_view;
stn_status stn_blocks_hold(stn_blocks *c, const stn_tileset *set, stn_coord ul, int w, int h,
                           stn_block_view *view, stn_err *err);
void stn_blocks_release(stn_block_view *view);

/* Layer number of each tile of a rectangle of world tiles inside the view. */
void stn_blocks_layers(stn_block_view *view, stn_coord ul, int w, int h, uint8_t *out, size_t pitch);
/* Blur weight of `layer` at each vertex (upper-left corner of the tile) of a rectangle. */
void stn_blocks_weights(stn_block_view *view, unsigned layer, stn_coord ul, int w, int h, float *out,
                        size_t pitch);

#endif
