/* world/resources.h - what world knows of resources: asked of the loader by name, once each.
 *
 * World needs little: of what an object is made of, whether it is there, how large it is and how its sprite
 * behaves; of a tileset, its whole definition for meshers. Entries live as long as the table. Asks survive
 * the loader: when it comes back everything outstanding is asked again. "Not yet" (pending) and "never"
 * (failed) are kept apart; what failed is tried again when the loader restarts or says that the resource
 * changed.
 */
#ifndef STN_WORLD_RESOURCES_H
#define STN_WORLD_RESOURCES_H

#include "bus/bus.h"
#include "map/tileset.h"
#include "world/gob.h"
#include "world/tiledef.h"

#define STN_WORLD_RESOURCES_MAX 65536

typedef enum stn_known_state { STN_KNOWN_PENDING, STN_KNOWN_READY, STN_KNOWN_FAILED } stn_known_state;

typedef struct stn_known {
    char *name;
    int32_t version;
    uint32_t number; /* dense, from 0: the slot of published attributes */
    stn_known_state state;
    char why[160]; /* with FAILED */
    uint32_t wanted; /* ResourceWant bits asked for */
    uint32_t have; /* bits that came */
    bool look_inside; /* its payload is asked for too, to see what its sprite can */
    int32_t priority; /* of the ask */
    uint64_t correlation; /* of the ask under way, 0 = none */
    stn_res_traits traits;
    double size; /* largest side of the model's bounds, map units; 0 = no model */
    stn_flavor_facts flavor;
    stn_res *res; /* of tilesets alone, once they came raw */
    stn_tileset *sets[STN_TILEDEF_LEVELS]; /* made on demand */
    bool broken[STN_TILEDEF_LEVELS]; /* cannot be made: why */
} stn_known;

typedef struct stn_resources_hooks {
    void (*settled)(void *arg, stn_known *k); /* it became ready or failed, also again after a reload */
    void *arg;
} stn_resources_hooks;

typedef struct stn_resources stn_resources;

stn_status stn_resources_new(stn_bus *bus, const stn_resources_hooks *hooks, stn_resources **out,
                             stn_err *err);
void stn_resources_free(stn_resources *r);

/* The entry, asked for with at least these wishes and priority. NULL: out of memory or too many. */
stn_known *stn_resources_want(stn_resources *r, const char *name, int32_t version, uint32_t want,
                              int32_t priority);
/* The tileset at a level, with all that it leans on. STN_OK: *out, borrowed as long as the table lives or
 * until the resource changes; STN_AGAIN: something is still asked for; else it cannot be had, err says why.
 */
stn_status stn_resources_tileset(stn_resources *r, stn_known *k, stn_tiledef_level level, stn_tileset **out,
                                 stn_err *err);

typedef struct stn_resources_stats {
    size_t known, pending, failed, tilesets;
    bool connected;
} stn_resources_stats;
void stn_resources_get_stats(const stn_resources *r, stn_resources_stats *out);
const char *stn_resources_diagnosis(const stn_resources *r);

#endif
