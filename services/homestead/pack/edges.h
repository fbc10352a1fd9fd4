/* edges.h - transition masks: how the upper ground grows over the lower at a tile's sides and corners.
 *
 * A mask is a canvas of STN_EDGE_SIDE pixels for one tile: white, the alpha is the coverage. `sides` has bit
 * 0 west, 1 north, 2 east, 3 south; `corners` bit 0 north-west, 1 north-east, 2 south-east, 3 south-west
 * (docs/spec/terrain-mesh.md 12.1). Coverage is a distance to the masked sides or corners; raggedness fades
 * to nothing at the tile's borders, where every mask of the style cuts the border at STN_EDGE_REACH of its
 * length, so that neighbouring tiles meet.
 */
#ifndef STN_HOMESTEAD_PACK_EDGES_H
#define STN_HOMESTEAD_PACK_EDGES_H

#include "homestead/pack/paint.h"

#define STN_EDGE_SIDE 128
#define STN_EDGE_REACH 0.34f

typedef enum stn_edge_style {
    STN_EDGE_BLADE, /* grass, heath, litter: single blades reach over the lower ground */
    STN_EDGE_SOFT, /* sand, dirt, silt: thins out grain by grain */
    STN_EDGE_HARD, /* rock: broken outline */
    STN_EDGE_STYLES
} stn_edge_style;

const char *stn_edge_name(stn_edge_style style); /* "blade" … */

/* One of `sides`, `corners` is 1..15, the other 0. Variants differ in chance alone. NULL when out of memory.
 */
stn_canvas *stn_edge_paint(stn_edge_style style, unsigned sides, unsigned corners, unsigned variant);

#endif
