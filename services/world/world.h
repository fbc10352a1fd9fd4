/* world/world.h - the world service: one session, its caches, the viewers and the meshers.
 *
 * Everything runs in the loop's thread. The line to the server feeds the caches; 20 times a second the world
 * ticks: objects move, viewers get what changed, cuts that somebody wants are ordered. Products are forwarded
 * as they came.
 */
#ifndef STN_WORLD_WORLD_H
#define STN_WORLD_WORLD_H

#include "bus/bus.h"
#include "bus/report.h"
#include "world/line.h"

typedef struct stn_world stn_world;

typedef struct stn_world_settings {
    stn_line_settings line;
    const char *character; /* NULL = the first one offered */
    size_t max_grids; /* 0 = default */
    size_t product_bytes; /* 0 = default */
    const char *state_file; /* where the ground settings are kept; NULL = nowhere */
    const char *map_file; /* the recorded map; NULL = none is kept */
    const char *mesh_endpoint; /* one more endpoint for meshers, for other machines; NULL = none */
    const stn_keys *keys; /* with it */
    const char *allow_folder;
} stn_world_settings;

stn_status stn_world_new(stn_bus *bus, const stn_world_settings *settings, stn_world **out, stn_err *err);
void stn_world_free(stn_world *w);
void stn_world_report(void *world, stn_report *report);

#endif
