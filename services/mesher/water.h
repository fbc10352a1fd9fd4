/* mesher/water.h - the tiler `water`: a surface, foam where it flows, and a bottom laid by another tiler.
 *
 * What it keeps of a cut. Windows are by place in the cut: depths of corners -9..34, flow of corners 0..25.
 * Source: docs/spec/terrain-extras.md 6. */
#ifndef STN_MESHER_WATER_H
#define STN_MESHER_WATER_H

#include "mesher/build.h"

#define STN_WATER_SIDE 44 /* corners -9..34 */
#define STN_FLOW_REACH 10 /* how far around the cut flow is computed, in corners and in rounds */

typedef struct stn_water {
    float depth[STN_WATER_SIDE * STN_WATER_SIDE];
    uint8_t shore[STN_WATER_SIDE * STN_WATER_SIDE];
    uint32_t bottom_first; /* the bottom's vertices stand in the ground's order */
    float bottom_depth[STN_GROUND_VERTICES];
    uint8_t split[STN_CUT_AREA]; /* of the bottom's faces */
    bool flows; /* made when the first water tile was laid */
    float flow_x[STN_CUT_VERTICES * STN_CUT_VERTICES], flow_y[STN_CUT_VERTICES * STN_CUT_VERTICES];
    uint16_t bottom[STN_CUT_AREA]; /* laid part of each water tile's bottom */
} stn_water;

static inline size_t stn_water_corner(int x, int y)
{
    return (size_t)((x + 9) + (y + 9) * STN_WATER_SIDE);
}

/* Of a build with a water tile; NULL when it has none. */
const stn_water *stn_build_water(const stn_build *b);

/* Flow at the corners 0..25 (mesher/flow.c). Heights as drawn. */
stn_status stn_water_flow(stn_build *b, stn_water *w);

extern const stn_tiler_kind stn_tiler_water;

#endif
