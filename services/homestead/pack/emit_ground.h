/* emit_ground.h - tilesets: painted grounds, their edges, water and cliffs as resources.
 *
 * Source  docs/spec/terrain-mesh.md 9 (tilesets, `trn`), docs/spec/terrain-extras.md 1 (flavors), 4 (ridges),
 * 6 (water), 7 (caves).
 */
#ifndef STN_HOMESTEAD_PACK_EMIT_GROUND_H
#define STN_HOMESTEAD_PACK_EMIT_GROUND_H

#include "homestead/pack/edges.h"
#include "homestead/pack/emit.h"
#include "homestead/pack/grounds.h"

/* The tileset of one painted ground (index into stn_ground_looks()). */
void stn_emit_ground(stn_emit *e, unsigned look);
/* A tileset of transition masks alone. */
void stn_emit_edges(stn_emit *e, stn_edge_style style);
/* Water over a bed: depth in map units. */
void stn_emit_water(stn_emit *e, int depth, const char *bed);
/* Caves: walls of cliff, and a floor of rock. And what lies around them: nothing that can be seen. */
void stn_emit_cave(stn_emit *e);
void stn_emit_dark(stn_emit *e);
/* The material of cliff faces. */
void stn_emit_cliff(stn_emit *e);

/* Pictures that the client's water wants: a sky of 4 x 3 cells, waves as normals, foam. */
void stn_emit_sky(stn_emit *e);
void stn_emit_waves(stn_emit *e);
void stn_emit_foam(stn_emit *e);

#endif
