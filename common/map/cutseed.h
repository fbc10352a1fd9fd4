/* map/cutseed.h - the random streams of one cut.
 *
 * Source: docs/spec/terrain-mesh.md 4, 6; vectors terrain/prims/cutseed.tsv.
 */
#ifndef STN_MAP_CUTSEED_H
#define STN_MAP_CUTSEED_H

#include "map/coords.h"
#include "num/j48.h"

/* The mesh seed of a cut, from the id of its grid and its place 0..3 in it. */
static inline int64_t stn_cut_seed(int64_t grid_id, stn_coord cut)
{
    stn_j48 g = stn_j48_of(grid_id);
    stn_j48_seed(&g, (int64_t)(stn_j48_int(&g) ^ cut.x));
    stn_j48_seed(&g, (int64_t)(stn_j48_int(&g) ^ cut.y));
    return stn_j48_long(&g);
}

/* The generator of one place: the same at every call. */
static inline stn_j48 stn_place_rnd(int64_t seed, int32_t x, int32_t y)
{
    stn_j48 g = stn_j48_of(seed);
    stn_j48_seed(&g, (int64_t)stn_wrap_add(stn_j48_int(&g), x));
    stn_j48_seed(&g, (int64_t)stn_wrap_add(stn_j48_int(&g), y));
    return g;
}
/* rnd(lc): private to the cut, by tile in the cut. */
static inline stn_j48 stn_cut_rnd(int64_t mesh_seed, int32_t lx, int32_t ly)
{
    return stn_place_rnd(mesh_seed, lx, ly);
}
/* grnd(c): equal in every cut that asks, by world tile; where seams must meet. */
static inline stn_j48 stn_world_rnd(stn_coord c)
{
    return stn_place_rnd(INT64_C(1192414289), c.x, c.y);
}

#endif
