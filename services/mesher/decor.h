/* mesher/decor.h - the decoration of a cut: which flavor objects stand where.
 *
 * Pure and exact: the same ground gives the same objects in the same order everywhere, and fewer at a lower
 * density, never others. Reads the cut's own tiles alone. Source: docs/spec/terrain-extras.md 1; vectors
 * flavor.
 */
#ifndef STN_MESHER_DECOR_H
#define STN_MESHER_DECOR_H

#include "base/arena.h"
#include "mesher/job.h"

typedef struct stn_decor_object {
    const stn_tileset *set;
    uint16_t id; /* tile id */
    uint16_t flavor; /* index in the set's list */
    uint8_t tile_x, tile_y; /* in the cut */
    double x, y; /* world, map units */
    double angle; /* radians */
    int64_t seed; /* of the object's own random draws */
} stn_decor_object;

/* Objects under one material: that of the tilesets they come from, or none (NULL res). */
typedef struct stn_decor_group {
    stn_material material;
    uint32_t count;
    const uint32_t *objects; /* by emission */
} stn_decor_group;

typedef struct stn_decor {
    int64_t seed; /* the cut's decoration seed */
    uint32_t count;
    const stn_decor_object *objects; /* in the order in which they were put */
    uint32_t ngroups;
    const stn_decor_group *groups; /* in the order of first use */
} stn_decor;

/* Everything lies in the arena. A tile id without a set has no flavors. */
stn_status stn_decor_run(const stn_job *job, stn_arena *arena, stn_decor *out, stn_err *err);

#endif
