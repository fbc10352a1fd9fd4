/* write.h - resources back to bytes.
 *
 * A resource that was read is written from the raw payloads that it kept, so reading and writing never
 * changes a byte, known layers and unknown ones alike. New and edited layers are written from their decoded
 * form by the canonical encoder of their kind: the newest form of the format, values in canonical spelling,
 * pictures and sound copied as they are. A value that does not fit its field is refused (STN_USAGE), never
 * cut.
 *
 * Bone attributes of a vertex buffer are written as "bones2" from the kept weights: what the reader dropped
 * (influences beyond four, the scale before normalising) is not there any more.
 * Source  docs/spec/resource-format.md 29.
 */
#ifndef STN_RES_WRITE_H
#define STN_RES_WRITE_H

#include "base/buf.h"
#include "res/layers.h"

struct stn_res;

/* The whole file, byte for byte as it was read. */
stn_status stn_res_write(const struct stn_res *res, stn_buf *out, stn_err *err);

/* The payload of one layer from its decoded form (layer->as); unknown layers from layer->raw. Only kind, as
 * and for unknown layers raw are looked at, so a caller may fill a stn_res_layer of its own. */
stn_status stn_res_encode(const stn_res_layer *layer, stn_buf *out, stn_err *err);

/* One record: type name, length and canonical payload. */
stn_status stn_res_put_layer(stn_buf *out, const stn_res_layer *layer, stn_err *err);

/* How vertex attributes are packed when a buffer is written. */
typedef enum stn_vbuf_pack {
    STN_VBUF_EXACT, /* "f4": loses nothing */
    STN_VBUF_SMALL /* positions and coordinates "rn2", directions "uvec2", colours "un1", weights "un2" */
} stn_vbuf_pack;
stn_status stn_res_encode_vbuf(const stn_res_vbuf *vbuf, stn_vbuf_pack pack, stn_buf *out, stn_err *err);

#endif
