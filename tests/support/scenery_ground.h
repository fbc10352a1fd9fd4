/* scenery_ground.h - the generated land as cuts, made in this process: what mesher and world do, without
 * either.
 *
 * Apart from scenery.h because the headers of the mesher and of the renderer name some things alike.
 */
#ifndef STN_TESTS_SCENERY_GROUND_H
#define STN_TESTS_SCENERY_GROUND_H

#include "base/err.h"
#include "homestead/land.h"

typedef struct scenery_ground scenery_ground;

/* `pack`: the folder of homestead's resources. */
stn_status scenery_ground_new(uint64_t seed, const char *pack, scenery_ground **out, stn_err *err);
void scenery_ground_free(scenery_ground *g);
const stn_land *scenery_ground_land(const scenery_ground *g);
/* Made once and kept; NULL: there is no such grid. */
const stn_land_grid_data *scenery_ground_grid(scenery_ground *g, int32_t gx, int32_t gy);
/* The product of a cut (map/product.h), or its decoration (map/decoration.h); malloc()ed. */
stn_status scenery_ground_cut(scenery_ground *g, int32_t cx, int32_t cy, bool decoration, uint8_t **data,
                              size_t *len, stn_err *err);

#endif
