/* land_scene.h - what stands on the ground: the composed scene, and the growth of the wild.
 *
 * All placements are pure functions of seed and place. Coordinates are map units in the results.
 */
#ifndef STN_HOMESTEAD_LAND_SCENE_H
#define STN_HOMESTEAD_LAND_SCENE_H

#include "homestead/land.h"
#include "homestead/land_gen.h"

/* The names by which the ground's dressing asks for the ground, so that recorded land can be dressed by the
 * same rules as generated land. */
typedef struct stn_land_view {
    uint64_t seed;
    /* Kind of ground of a tile; STN_GROUND_COUNT where there is none. */
    stn_ground (*kind)(const void *self, int32_t tx, int32_t ty);
    /* Fields of a place, for the density and choice of trees. */
    stn_site (*site)(const void *self, double tx, double ty);
    const void *self;
    bool composed; /* the scene around the spawn is part of it */
    double clear_x, clear_y, clear; /* nothing grows within so many tiles of this place; 0 = anywhere */
} stn_land_view;

/* A growing list that is full at STN_LAND_MAX_OBJECTS; ids are left to the caller. */
typedef struct stn_land_list {
    stn_land_object *at;
    size_t count, max;
} stn_land_list;

/* Appends the composed objects that stand in the grid. */
void stn_land_scene(int32_t gx, int32_t gy, stn_land_list *out);
/* Appends trees, undergrowth, stones, reeds and beasts of one grid. */
void stn_land_growth(const stn_land_view *view, int32_t gx, int32_t gy, stn_land_list *out);

/* stn_land_plots() of generated land: the yard around the house, and its field. */
size_t stn_land_scene_plots(int32_t gx, int32_t gy, stn_land_plot out[STN_LAND_PLOTS]);

/* stn_land_passage() of generated land. */
bool stn_land_scene_passage(double x, double y, double *to_x, double *to_y);

/* The scene's spawn point. */
void stn_land_scene_spawn(double *x, double *y, double *angle);

/* A thing of the pack by its short name ("things/rowboat"), as it would stand at x, y. False: no such name.
 */
bool stn_land_make(const char *short_name, double x, double y, double angle, stn_land_object *out);

#endif
