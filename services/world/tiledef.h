/* world/tiledef.h - from a tileset resource to the definition that building a cut needs. Pure.
 *
 * A set may lean on others: `trans` (only its masks are used), the ground under water or in a cave (`floor`),
 * and flavors, whose resources decide whether they can be placed. stn_tiledef_needs() names them; the caller
 * gets them and calls stn_tiledef_make(). What is missing for good is left out. Source:
 * docs/spec/terrain-mesh.md 9; docs/spec/terrain-extras.md 1, 3, 6, 7.
 */
#ifndef STN_WORLD_TILEDEF_H
#define STN_WORLD_TILEDEF_H

#include "map/tileset.h"
#include "res/res.h"

/* How much of a set is made: sets that others lean on need less, which also keeps circles from closing. */
typedef enum stn_tiledef_level {
    STN_TILEDEF_MASKS, /* as `trans` of another: leans on nothing */
    STN_TILEDEF_FLOOR, /* as floor: with its trans, without a floor of its own and without flavors */
    STN_TILEDEF_FULL,
    STN_TILEDEF_LEVELS
} stn_tiledef_level;

typedef struct stn_tiledef_needs {
    stn_resref trans, floor; /* name NULL = none. Borrowed from the resource */
    const char *floor_tiler; /* "" = by its own tiler */
    stn_status problem; /* an argument that cannot be understood: the set cannot be made */
    char text[160];
} stn_tiledef_needs;

/* STN_NOT_FOUND: the resource holds no tileset. */
stn_status stn_tiledef_find_needs(const stn_res *res, const char *name, stn_tiledef_needs *out, stn_err *err);

typedef struct stn_flavor_facts {
    bool gone; /* missing or broken: places nothing */
    bool code; /* made by published code: places nothing */
    bool ambient;
} stn_flavor_facts;
/* Layer types of a flavor's resource, one call a layer; start from zero. audio_id and link_kind: of `audio2`
 * and `rlink` layers when known, else NULL and -1. */
void stn_flavor_facts_layer(stn_flavor_facts *f, const char *type, const char *audio_id, int link_kind);

/* flavors: one for each of the tileset layer's flavors; NULL at lower levels. */
stn_status stn_tiledef_make(const stn_res *res, const char *name, int32_t version, stn_tiledef_level level,
                            uint32_t handle, const stn_tileset *trans, const stn_tileset *floor,
                            const stn_flavor_facts *flavors, stn_tileset **out, stn_err *err);

#endif
