/* map/coords.h - map units, tiles, cuts and grids.
 *
 * A tile is 11x11 map units, a cut 25x25 tiles, a grid 100x100 tiles = 4x4 cuts. Coordinates are pairs of
 * i32, relative to the session; y grows south. Products wrap at 32 bits, so that the extremes of i32 give the
 * results that the vectors hold. Source: docs/spec/map-cache.md 1, vectors mapcache/coords.json.
 */
#ifndef STN_MAP_COORDS_H
#define STN_MAP_COORDS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define STN_TILE_UNITS 11.0
#define STN_POSITION_UNIT 0.0107421875 /* map units of a position unit on the wire: 11/1024, exactly */
#define STN_CUT_TILES 25
#define STN_GRID_TILES 100
#define STN_GRID_CELLS 10000
#define STN_GRID_CUTS 4 /* cuts along one side of a grid */
/* Grids farther out than this are refused at the wire: tile arithmetic never overflows inside. */
#define STN_GRID_FAR (1 << 24)

typedef struct stn_coord {
    int32_t x, y;
} stn_coord;

static inline bool stn_coord_eq(stn_coord a, stn_coord b)
{
    return a.x == b.x && a.y == b.y;
}
static inline int32_t stn_wrap_add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}
static inline int32_t stn_wrap_mul(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}
static inline stn_coord stn_coord_add(stn_coord a, int32_t dx, int32_t dy)
{
    return (stn_coord){stn_wrap_add(a.x, dx), stn_wrap_add(a.y, dy)};
}
/* One key for tables; a coordinate and its key are a bijection. */
static inline uint64_t stn_coord_key(stn_coord c)
{
    return (uint64_t)(uint32_t)c.x << 32 | (uint32_t)c.y;
}
static inline stn_coord stn_coord_of_key(uint64_t key)
{
    return (stn_coord){(int32_t)(uint32_t)(key >> 32), (int32_t)(uint32_t)key};
}

/* Floor division and its remainder, exact for every i32; b > 0. */
static inline int32_t stn_fdiv(int32_t a, int32_t b)
{
    return a < 0 ? (a + 1) / b - 1 : a / b;
}
static inline int32_t stn_fmod(int32_t a, int32_t b)
{
    int32_t r = a % b;
    return r < 0 ? r + b : r;
}

static inline stn_coord stn_grid_of_tile(stn_coord tc)
{
    return (stn_coord){stn_fdiv(tc.x, STN_GRID_TILES), stn_fdiv(tc.y, STN_GRID_TILES)};
}
/* World tile of the grid's first tile. */
static inline stn_coord stn_tile_of_grid(stn_coord gc)
{
    return (stn_coord){stn_wrap_mul(gc.x, STN_GRID_TILES), stn_wrap_mul(gc.y, STN_GRID_TILES)};
}
/* Place in its grid, 0..99 each. */
static inline stn_coord stn_tile_in_grid(stn_coord tc)
{
    stn_coord ul = stn_tile_of_grid(stn_grid_of_tile(tc));
    return (stn_coord){(int32_t)((uint32_t)tc.x - (uint32_t)ul.x),
                       (int32_t)((uint32_t)tc.y - (uint32_t)ul.y)};
}
static inline stn_coord stn_cut_of_tile(stn_coord tc)
{
    return (stn_coord){stn_fdiv(tc.x, STN_CUT_TILES), stn_fdiv(tc.y, STN_CUT_TILES)};
}
static inline stn_coord stn_grid_of_cut(stn_coord cc)
{
    return (stn_coord){stn_fdiv(cc.x, STN_GRID_CUTS), stn_fdiv(cc.y, STN_GRID_CUTS)};
}
static inline stn_coord stn_cut_in_grid(stn_coord cc)
{
    return (stn_coord){stn_fmod(cc.x, STN_GRID_CUTS), stn_fmod(cc.y, STN_GRID_CUTS)};
}
static inline stn_coord stn_tile_of_cut(stn_coord cc)
{
    return (stn_coord){stn_wrap_mul(cc.x, STN_CUT_TILES), stn_wrap_mul(cc.y, STN_CUT_TILES)};
}

/* Floor to i32: saturating, NaN gives 0. */
static inline int32_t stn_floor_i32(double v)
{
    v = floor(v);
    if (v != v)
        return 0;
    if (v <= -2147483648.0)
        return INT32_MIN;
    if (v >= 2147483647.0)
        return INT32_MAX;
    return (int32_t)v;
}
static inline stn_coord stn_tile_of_point(double x, double y)
{
    return (stn_coord){stn_floor_i32(x / STN_TILE_UNITS), stn_floor_i32(y / STN_TILE_UNITS)};
}

#endif
