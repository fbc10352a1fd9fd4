/* map/window.h - a rectangle of tiles or of tile corners around a cut, by place in the cut.
 *
 * (0,0) is the cut's upper-left tile. Rows y then x. What lies outside is not known, which is a different
 * thing from empty ground: stn_window_has() first.
 */
#ifndef STN_MAP_WINDOW_H
#define STN_MAP_WINDOW_H

#include "map/coords.h"

#include <stddef.h>

typedef struct stn_window {
    int16_t x, y; /* of the first cell */
    uint16_t w, h;
} stn_window;

/* Tiles that any build reads, and corners. */
#define STN_WINDOW_TILES ((stn_window){-1, -1, 27, 27})
#define STN_WINDOW_CORNERS ((stn_window){-1, -1, 28, 28})
/* The same for a cut that contains water. */
#define STN_WINDOW_WATER_TILES ((stn_window){-11, -11, 47, 47})
#define STN_WINDOW_WATER_CORNERS ((stn_window){-11, -11, 48, 48})

static inline size_t stn_window_cells(stn_window w)
{
    return (size_t)w.w * w.h;
}
static inline bool stn_window_has(stn_window w, int x, int y)
{
    return x >= w.x && y >= w.y && x - w.x < w.w && y - w.y < w.h;
}
/* Whether all of `inner` lies in `w`. */
static inline bool stn_window_covers(stn_window w, stn_window inner)
{
    return inner.x >= w.x && inner.y >= w.y && inner.x + inner.w <= w.x + w.w &&
           inner.y + inner.h <= w.y + w.h;
}
static inline size_t stn_window_at(stn_window w, int x, int y)
{
    return (size_t)(x - w.x) + (size_t)(y - w.y) * w.w;
}

#endif
