/* packed.h - packed arrays of floats, the encodings of vertex attributes.
 *
 * Shape   uint8 version 1, NUL-terminated format name, its header floats, elements. Formats: f4 f2 f1, sn4
 * sn2 sn1, un4 un2 un1, rn4 rn2 rn1, and three elements at a time: sf9995 uvech uvec1 uvec2. Errors  unknown
 * version or format E_FORMAT; a triple format with a count not divisible by 3 E_RANGE. Source
 * docs/spec/resource-format.md 8.1 and 29.
 */
#ifndef STN_RES_PACKED_H
#define STN_RES_PACKED_H

#include "base/buf.h"
#include "base/bytes.h"
#include "res/fault.h"

typedef struct stn_packed {
    const char *format; /* a constant of this module */
    const uint8_t *data; /* elements, borrowed */
    size_t count;
    float scale, offset; /* the header's F and M */
} stn_packed;

/* Reads the head and checks that `count` elements are there, before anyone allocates for them. The cursor
 * stands behind the elements afterwards. */
stn_status stn_packed_open(stn_bytes *in, size_t count, stn_packed *out, stn_res_fault_kind *fault,
                           stn_err *err);
/* count floats. */
void stn_packed_decode(const stn_packed *packed, float *out);

/* Version byte, format name, header and elements. Decoding gives back each value within half a step of the
 * format. STN_USAGE: unknown format, a count that does not suit it, a value it cannot hold (NaN, infinite).
 */
stn_status stn_packed_write(stn_buf *out, const char *format, const float *values, size_t count,
                            stn_err *err);

#endif
