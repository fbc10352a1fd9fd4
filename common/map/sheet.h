/* map/sheet.h - what is draped over the ground of a cut: overlay sheets and outlines, grid lines, the click
 * mesh.
 *
 * All of them walk the laid part of every tile, rows y then x. Most tiles are plain quads, known from their
 * split alone; a tile whose tiler has a shape of its own brings its part. Outputs are appended to buffers
 * (clear them first; reused buffers stop allocating). Indices are u16: STN_TOO_BIG when a vertex number does
 * not fit. Source: docs/spec/terrain-mesh.md 7, 15; docs/spec/terrain-extras.md 8.1 to 8.3; vectors
 * terrain/overlay.
 */
#ifndef STN_MAP_SHEET_H
#define STN_MAP_SHEET_H

#include "base/buf.h"
#include "base/err.h"
#include "map/ground.h"

/* What a tiler lays over one tile. `f` holds triples into the part's own vertices. */
typedef struct stn_part {
    uint8_t x, y; /* tile in the cut */
    uint16_t nv, nf; /* nf counts index entries */
    const uint32_t *v; /* surface vertices */
    const float *tx, *ty; /* place in the tile, 0..1 */
    const uint16_t *f;
} stn_part;

/* The plain quad: storage and part in one. */
typedef struct stn_quad {
    stn_part part;
    uint32_t v[4];
} stn_quad;
void stn_quad_of(int x, int y, bool split, stn_quad *out);

typedef struct stn_laid {
    const stn_vec3 *pos, *nrm; /* by surface vertex */
    uint32_t nv;
    const uint8_t *split; /* 27 x 27 */
    const stn_part *const *parts; /* by tile x + 25 y, NULL entries = plain; NULL = all plain */
    const stn_part *const *walls; /* covers that follow the ground part in the click mesh; NULL = none */
} stn_laid;

#define STN_SHEET_NONE 0xffff

/* The vertices that all overlays of a cut share: 16 bytes each, f32 x, y, z, the normal as three signed
 * bytes, a zero. number[v] becomes the index of surface vertex v or STN_SHEET_NONE; it has laid->nv entries.
 */
stn_status stn_sheet_vertices(const stn_laid *laid, stn_buf *vertices, uint16_t *number, stn_err *err);
/* Triangles (u16) of the tiles set in the 27 x 27 mask. */
void stn_sheet_fill(const stn_laid *laid, const uint16_t *number, const uint8_t *mask, stn_buf *indices);
/* Lines (pairs of u16) along the sides of set tiles whose neighbour is not set. */
void stn_sheet_outline(const stn_laid *laid, const uint16_t *number, const uint8_t *mask, stn_buf *indices);

/* Lines along all tile borders: 3 f32 a vertex, vertices shared inside one tile only; pairs of u16. */
stn_status stn_grid_lines(const stn_laid *laid, stn_buf *positions, stn_buf *indices, stn_err *err);

/* The click mesh of the tiles whose bucket (by tile x + 25 y; NULL = all 0) equals `bucket`: pos (3 f32) and
 * loc (2 f32) in arrays of their own, u16 triangles. loc is the place in the cut, 0..1. */
stn_status stn_click_mesh(const stn_laid *laid, const uint8_t *buckets, uint8_t bucket, stn_buf *pos,
                          stn_buf *loc, stn_buf *indices, stn_err *err);

#endif
