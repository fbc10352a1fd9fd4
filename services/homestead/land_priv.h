/* land_priv.h - inside of a land, shared by land.c and land_file.c alone. */
#ifndef STN_HOMESTEAD_LAND_PRIV_H
#define STN_HOMESTEAD_LAND_PRIV_H

#include "homestead/land.h"
#include "homestead/land_gen.h"

/* One grid of a recorded land; the tiles are kinds of ground already. */
typedef struct stn_land_recorded_grid {
    int32_t gx, gy;
    int64_t id;
    uint8_t kinds[STN_LAND_GRID * STN_LAND_GRID];
    float z[STN_LAND_GRID * STN_LAND_GRID];
} stn_land_recorded_grid;

struct stn_land {
    uint64_t seed;
    /* Recorded land alone; NULL for generated. Sorted by (gy, gx). */
    stn_land_recorded_grid *grids;
    size_t n_grids;
    stn_land_object *objects; /* as recorded, without ids */
    size_t n_objects;
    bool dressed; /* woods and water's edge grow by the rules of generated land */
    double spawn_x, spawn_y, spawn_angle;
};

const stn_land_recorded_grid *stn_land_recorded(const stn_land *land, int32_t gx, int32_t gy);

#endif
