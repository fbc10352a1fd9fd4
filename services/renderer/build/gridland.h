/* gridland.h - a grid as it came, made into heights for placing and clicking and colours for the minimap. */
#ifndef STN_RENDERER_BUILD_GRIDLAND_H
#define STN_RENDERER_BUILD_GRIDLAND_H

#include "bus/bus.h"
#include "renderer/build/job.h"
#include "renderer/build/store.h"

#include "proto/world.pb-c.h"

/* `g` is what `msg` carries; its arrays are read from the message's bulk frames. *coloured: false while a
 * tileset is on its way: then the same grid is worth making again later. STN_BAD_DATA names the array;
 * STN_NO_MEMORY. */
stn_status stn_gridland_job(stn_store *store, const Stenness__Grid *g, const stn_msg *msg, uint64_t frame,
                            stn_job **out, bool *coloured, stn_err *err);

#endif
