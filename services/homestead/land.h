/* land.h - the ground of homestead and what stands on it: generated from a seed, or recorded.
 *
 * Tiles are in map coordinates: x east, y south, 11 map units each; grids of 100 x 100 tiles. The height of a
 * tile is that of its upper-left (north-west) corner, in map units. Angles are radians in map space (0 = +x,
 * growing towards +y), as they travel in object data.
 *
 * Everything is a pure function of the seed (or of the loaded file): any grid at any time, in any order,
 * gives the same bits on every machine that has IEEE doubles. A land is immutable after it was made, so
 * several threads may read one.
 *
 * Generated land reaches STN_LAND_REACH grids from the origin; a recorded one holds the grids of its file.
 * stn_land_grid() answers STN_NOT_FOUND outside.
 *
 * Source: docs/spec/map-cache.md 1 (coordinates), 6 (heights); docs/look.md (the composed scene).
 */
#ifndef STN_HOMESTEAD_LAND_H
#define STN_HOMESTEAD_LAND_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_LAND_TILE 11.0 /* map units */
#define STN_LAND_GRID 100 /* tiles */
#define STN_LAND_REACH 120 /* grids in each direction from the origin */
#define STN_LAND_MAX_OBJECTS 4000 /* of one grid */
#define STN_LAND_MAX_SDT 8 /* bytes */
#define STN_LAND_MAX_MATERIALS 4

typedef struct stn_land stn_land;

/* A tile id and the tileset resource that it stands for. Ids fit one byte and are never 0. */
typedef struct stn_land_tileset {
    uint16_t id;
    uint16_t version;
    const char *name;
} stn_land_tileset;

typedef enum stn_land_kind {
    STN_LAND_THING, /* stands where it is */
    STN_LAND_TREE, /* the same; sdt is stage and scale of lib/tree */
    STN_LAND_BEAST, /* walks or swims about `x`, `y` within `roam`, `speed` map units a second */
} stn_land_kind;

/* A material for the slot of its place in the list: variable materials, sent as a resource attribute of
 * STN_LAND_VMAT (docs/spec/sprites.md 11). */
#define STN_LAND_NAMES "homestead/people/name" /* the carrier of people's names */
#define STN_LAND_VMAT "lib/vmat"
#define STN_LAND_VMAT_VERSION 39
typedef struct stn_land_material {
    const char *name;
    uint16_t version;
    int8_t id; /* mat2 layer; -1 = the first */
} stn_land_material;

typedef struct stn_land_object {
    uint32_t id; /* unique in the land, the same in every run; 0x10000000 and above, below 0x80000000 */
    stn_land_kind kind;
    uint16_t version;
    const char *name; /* resource; static text */
    double x, y; /* map units */
    double angle;
    double roam; /* beasts: map units */
    double speed; /* beasts: map units a second when walking */
    bool swims; /* beasts: keeps to the water; others keep to the land */
    uint8_t sdt_len;
    uint8_t sdt[STN_LAND_MAX_SDT];
    uint8_t n_materials; /* 0 = no variable materials */
    stn_land_material materials[STN_LAND_MAX_MATERIALS];
} stn_land_object;

typedef struct stn_land_grid_data {
    int64_t id; /* never 0 */
    uint16_t tiles[STN_LAND_GRID * STN_LAND_GRID]; /* index x + 100 * y */
    float z[STN_LAND_GRID * STN_LAND_GRID];
} stn_land_grid_data;

/* Version of every resource of the pack that is homestead's own; raised whenever the pack's content changes,
 * so that no cache serves an older picture. */
#define STN_PACK_VERSION 4

/* NULL when out of memory. */
stn_land *stn_land_new(uint64_t seed);
void stn_land_free(stn_land *land);

/* The tileset table, ascending ids. Borrowed until free. */
const stn_land_tileset *stn_land_tilesets(const stn_land *land, size_t *count);

/* Tiles, heights and id of one grid. STN_NOT_FOUND when the land has no such grid. */
stn_status stn_land_grid(const stn_land *land, int32_t gx, int32_t gy, stn_land_grid_data *out);

/* Objects that stand in one grid, ascending ids, at most `max`; the number there is in *count (more than
 * `max` never happens with STN_LAND_MAX_OBJECTS). STN_NOT_FOUND when the land has no such grid. */
stn_status stn_land_objects(const stn_land *land, int32_t gx, int32_t gy, stn_land_object *out, size_t max,
                            size_t *count);

/* Tile id and height of one tile; 0 and 0.0f where the land has none. For whole grids stn_land_grid() is many
 * times cheaper. */
uint16_t stn_land_tile(const stn_land *land, int32_t tx, int32_t ty);
float stn_land_height(const stn_land *land, int32_t tx, int32_t ty);
/* Height between the corners, bilinear as the client places objects. */
double stn_land_z(const stn_land *land, double x, double y);
bool stn_land_is_water(const stn_land *land, int32_t tx, int32_t ty);

/* Generated land has caves: a level of their own in the land's south-east corner, which nobody reaches but by
 * a mouth (things/cavemouth). Where one comes out who goes in by the mouth at x, y; false: it leads nowhere.
 */
bool stn_land_passage(const stn_land *land, double x, double y, double *to_x, double *to_y);

/* Tiles of one grid that belong to somebody, counted in the grid; x2 and y2 are behind the last. */
#define STN_LAND_PLOTS 8 /* of one grid */
typedef struct stn_land_plot {
    uint8_t x1, y1, x2, y2;
} stn_land_plot;
/* How many there are; 0 in recorded land. */
size_t stn_land_plots(const stn_land *land, int32_t gx, int32_t gy, stn_land_plot out[STN_LAND_PLOTS]);

/* Where a person enters, map units, and which way it looks. */
void stn_land_spawn(const stn_land *land, double *x, double *y, double *angle);
/* Another place for it, map units. */
void stn_land_set_spawn(stn_land *land, double x, double y);

#endif
