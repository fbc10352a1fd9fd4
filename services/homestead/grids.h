/* grids.h - map messages of the land, made once and kept for a while: the same bytes serve every client.
 *
 * Inside of the server core. Source: docs/spec/session-protocol.md 11.
 */
#ifndef STN_HOMESTEAD_GRIDS_H
#define STN_HOMESTEAD_GRIDS_H

#include "base/buf.h"
#include "homestead/sim.h"

typedef struct stn_grids stn_grids;
stn_grids *stn_grids_new(const stn_land *land, const stn_sim *sim); /* NULL when out of memory */
void stn_grids_free(stn_grids *g);
#define STN_GRIDS_DATAGRAMS 384 /* of map data between two calls of stn_grids_step(), to all together */
/* Making a message takes many milliseconds: one is made between two calls of this. */
void stn_grids_step(stn_grids *g);
/* As many datagrams of map data may be sent now, at most `most`; what is not used is given back. */
unsigned stn_grids_share(stn_grids *g, unsigned most);
void stn_grids_unused(stn_grids *g, unsigned datagrams);
/* The message of a grid in *blob, borrowed until the next call; NULL when the land has none. False: later. */
bool stn_grids_get(stn_grids *g, int32_t gx, int32_t gy, const stn_buf **blob);
uint64_t stn_grids_sent(const stn_grids *g);

#endif
