/* mesher/pack.h - from a build to the compact product that travels (map/product.h).
 *
 * Two steps, so that the bytes go straight to where they will be sent from: plan, then write into plan.total
 * bytes. What the compact form changes against the exact arrays: normals are rounded to 10 bits a part, atlas
 * coordinates to 1/32768 (exact on plain quads of atlases up to that size), flows to half floats. Positions,
 * heights, alpha and the texture coordinates of terrain on the tile grid stay what they are.
 */
#ifndef STN_MESHER_PACK_H
#define STN_MESHER_PACK_H

#include "mesher/build.h"

typedef struct stn_pack stn_pack;

/* Memory of the plan is the build's arena. plan->total bytes are needed. */
stn_status stn_pack_new(stn_build *b, stn_pack **out, size_t *total);
/* Writes every byte of `out`. */
void stn_pack_write(const stn_pack *p, uint8_t *out);

#endif
