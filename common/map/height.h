/* map/height.h - the height and the normal of the ground between tile corners.
 *
 * Bilinear in f64 over the four corners of the point's tile; it does not follow the triangles of the mesh.
 * Units: map units, all three axes. A corner whose grid is not held gives STN_AGAIN, and so does the whole.
 * Source: docs/spec/map-cache.md 6, vectors mapcache/zsamples.bin.
 */
#ifndef STN_MAP_HEIGHT_H
#define STN_MAP_HEIGHT_H

#include "base/err.h"
#include "map/coords.h"

/* The height of a tile's upper-left corner as it was streamed. STN_OK or STN_AGAIN. */
typedef stn_status (*stn_corner_fn)(void *arg, stn_coord tc, float *z);

stn_status stn_height_at(stn_corner_fn corner, void *arg, double x, double y, double *z);
/* The normal at the point. Both sums weigh with the y fractions: a quirk that the reference has. */
stn_status stn_height_normal(stn_corner_fn corner, void *arg, double x, double y, float n[3]);
/* The normal by finite differences of 0.01 inside the point's tile. */
stn_status stn_height_normal_fd(stn_corner_fn corner, void *arg, double x, double y, float n[3]);

#endif
