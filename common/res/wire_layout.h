/* wire_layout.h - the small decoded fields of a layer (Layer.head), shared by wire_pack.c and wire_open.c.
 *
 * Little-endian. tex, image, tileset2: i32 id, u32 w, u32 h, u8 mipmapper. vbuf2: i32 id, u32 num, u32
 * count, then per attribute u8 kind, u8 components. mesh: i32 id, u32 layer of its vbuf, u32 triangles, u8
 * has bounds, 6 f32. Others: nothing. Arrays: one of pixels; one per attribute; one of indices.
 */
#ifndef STN_RES_WIRE_LAYOUT_H
#define STN_RES_WIRE_LAYOUT_H

#include "res/wire.h"

#define STN_WIRE_ALIGN 16u

/* Whether a layer of this kind carries a picture. */
static inline bool stn_wire_has_pixels(stn_layer_kind kind)
{
    return kind == STN_LAYER_TEX || kind == STN_LAYER_IMAGE || kind == STN_LAYER_TILESET;
}

#endif
