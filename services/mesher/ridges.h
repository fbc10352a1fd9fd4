/* mesher/ridges.h - the tiler `trn-r`: terrain whose steps above a threshold break into cliffs.
 *
 * What it keeps of a cut, for what comes after the build (the cliff's lip, the vectors). All of it lies in
 * the build's arena. Source: docs/spec/terrain-extras.md 4.
 */
#ifndef STN_MESHER_RIDGES_H
#define STN_MESHER_RIDGES_H

#include "mesher/build.h"

/* Sides of tiles by number: 2 * (x + 26 y) is the W side of tile (x, y), one more its N side. */
#define STN_RIDGE_SIDES (2 * STN_CUT_VERTICES * STN_CUT_VERTICES)

/* A wall over one tile: its part, and per vertex where it lies on the cliff. Rows are positions in the part:
 * the lower and the upper edge of each piece. */
typedef struct stn_ridge_wall {
    stn_part *part;
    float *rx, *ry; /* part->nv: across and up, 0..1 */
    uint32_t *column; /* part->nv: index into heights */
    float *height; /* of each column */
    uint32_t ncolumns;
    uint32_t nlower, nupper; /* rows */
    const uint16_t *const *lower, *const *upper;
    const uint32_t *lower_n, *upper_n;
} stn_ridge_wall;

typedef struct stn_ridges {
    uint8_t broken[STN_RIDGE_SIDES];
    float edge[2 *
               STN_RIDGE_SIDES]; /* low and high end of each side's column, where the lip runs; 0 untouched */
    const stn_part *ground[STN_CUT_AREA]; /* NULL: none */
    const stn_ridge_wall *wall[STN_CUT_AREA];
    uint8_t failed[STN_CUT_AREA]; /* a shape that could not be made: laid as plain ground without a wall */
} stn_ridges;

/* Of a build with a ridge tile; NULL when it has none. */
const stn_ridges *stn_build_ridges(const stn_build *b);

/* Whether a tile counts as a cliff on a map: by heights of its corners (h[0..3]: x,y; x+1,y; x+1,y+1; x,y+1)
 * and the lowest break height of it and its ridge neighbours. Source: docs/spec/terrain-extras.md 4.8. */
bool stn_ridge_is_cliff(const double h[4], int32_t lowest_break);

extern const stn_tiler_kind stn_tiler_ridges;

#endif
