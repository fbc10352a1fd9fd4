/* land_gen.h - generated ground: elevation and kind of ground at any place, from a seed.
 *
 * Far from the spawn the fields are free noise: lakes, coast, hills, woods, heath, rocky highland with
 * cliffs. Around the spawn they are composed (docs/look.md, "The first picture"), and the two blend between
 * STN_SCENE_IN and STN_SCENE_OUT tiles. Coordinates are tiles, fractions allowed; corners are whole numbers,
 * a tile's middle is + 0.5.
 */
#ifndef STN_HOMESTEAD_LAND_GEN_H
#define STN_HOMESTEAD_LAND_GEN_H

#include <stdbool.h>
#include <stdint.h>

#define STN_SPAWN_TX 50 /* the fire of the composed scene, tiles */
#define STN_SPAWN_TY 50
#define STN_SCENE_IN 78.0
#define STN_SCENE_OUT 118.0
#define STN_WATER_LEVEL 20.0 /* map units */

/* What the ground is made of. A tileset per kind; the ids (land.c) decide which lies over which. */
typedef enum stn_ground {
    STN_GROUND_CAVE, /* in the caves' level alone */
    STN_GROUND_HEATH,
    STN_GROUND_GRASS,
    STN_GROUND_FOREST,
    STN_GROUND_FIELD,
    STN_GROUND_DIRT,
    STN_GROUND_SAND,
    STN_GROUND_ROCK,
    STN_GROUND_WATER,
    STN_GROUND_DEEP,
    STN_GROUND_DARK, /* in the caves' level, what is not dug: it can be neither seen nor entered */
    STN_GROUND_COUNT
} stn_ground;

/* The level of the caves: grids from here on, in both directions; three each way up to the land's end, dug in
 * the middle alone, so that nobody sees out. Its ground is level. */
#define STN_CAVE_GRID 118
#define STN_CAVE_REACH 48.0 /* tiles from the hall */
#define STN_CAVE_HEIGHT 24.0f
/* Its hall, tiles; a mouth leads there. */
#define STN_CAVE_TX (STN_CAVE_GRID * 100 + 150)
#define STN_CAVE_TY (STN_CAVE_GRID * 100 + 150)

/* The fields of one place. */
typedef struct stn_site {
    double e; /* elevation before water fills it, map units */
    double inland; /* composed part: tiles from the shore, negative in the lake */
    double scene; /* weight of the composed part, 0..1 */
    double forest; /* density of trees, 0..1 */
    double birch; /* share of birches among them, 0..1 */
    double heath, rock; /* above 0 the ground is that */
    double wild; /* slow noise, for species and undergrowth */
} stn_site;

stn_site stn_land_site(uint64_t seed, double tx, double ty);
/* Height of a corner: water fills what lies below its level. A multiple of 1/8, exact in float. */
float stn_land_corner(uint64_t seed, int32_t tx, int32_t ty);
/* Kind of ground of a tile, given the corner heights NW, NE, SE, SW of it. */
stn_ground stn_land_kind_of(uint64_t seed, int32_t tx, int32_t ty, const float z[4]);

/* Distance in tiles from the nearest path or yard of the composed scene; large elsewhere. */
double stn_land_path_distance(double tx, double ty);

#endif
