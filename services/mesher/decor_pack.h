/* mesher/decor_pack.h - from a decoration pass to the bytes that travel (map/decoration.h). */
#ifndef STN_MESHER_DECOR_PACK_H
#define STN_MESHER_DECOR_PACK_H

#include "map/decoration.h"
#include "mesher/decor.h"

typedef struct stn_decor_pack stn_decor_pack;

/* Memory of the plan is the arena; *total bytes are needed. STN_TOO_BIG over STN_DECORATION_MAX objects. */
stn_status stn_decor_pack_new(const stn_decor *d, stn_arena *arena, stn_decor_pack **out, size_t *total,
                              stn_err *err);
/* Writes every byte of `out`. */
void stn_decor_pack_write(const stn_decor_pack *p, uint8_t *out);

#endif
