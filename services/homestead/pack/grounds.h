/* grounds.h - the ground textures, painted in layers.
 *
 * Each is a wrapping canvas of STN_GROUND_SIDE pixels for 25/4 tiles (docs/spec/terrain-mesh.md 10.9), about
 * 7 pixels a map unit: quiet warped noise below, thousands of small strokes, a soft large tint above.
 * Variants of one ground share its palette and differ in what stands how densely, so that their blend reads
 * as one ground that changes.
 *
 * Source: docs/look.md, "Ground": palettes and features.
 */
#ifndef STN_HOMESTEAD_PACK_GROUNDS_H
#define STN_HOMESTEAD_PACK_GROUNDS_H

#include "homestead/pack/paint.h"

#define STN_GROUND_SIDE 512

typedef struct stn_ground_look {
    const char *name; /* "grass" … */
    unsigned variants;
    float steep; /* of its bump map */
} stn_ground_look;

/* heath grass forest field dirt sand rock bed deepbed */
#define STN_GROUND_LOOKS 9
const stn_ground_look *stn_ground_looks(void);

/* Paints variant `v` of look `i`; NULL when out of memory. */
stn_canvas *stn_ground_paint(unsigned i, unsigned v);
/* Cliff faces of the rock: 11 units wide, 22 high, 256 x 512 pixels. */
stn_canvas *stn_cliff_paint(void);

#endif
