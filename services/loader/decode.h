/* decode.h - from the bytes of a source to a verdict and a packed resource. Pure; runs where a crash costs
 * little.
 * Source  docs/spec/resource-loading.md 3; common/res/wire.h for what comes out.
 */
#ifndef STN_LOADER_DECODE_H
#define STN_LOADER_DECODE_H

#include "base/buf.h"
#include "loader/judge.h"
#include "res/wire.h"

/* What to decode. All borrowed. */
typedef struct stn_decode_in {
    const uint8_t *data;
    size_t len;
    int want; /* -1 or the only version accepted */
    bool judge_only; /* no packing: the verdict alone */
    /* Of a reload: whole records to stand behind the layers, in the place of the file's own `code` and
     * `codeentry` layers, which a reload never changes. NULL with len 0: the file's own stay. */
    bool keep_code;
    const uint8_t *code;
    size_t code_len;
} stn_decode_in;

typedef struct stn_decode_out {
    stn_verdict verdict;
    stn_buf body; /* packed Ready; the caller ends it */
    /* Of the frames. That of the file is 0 when the input is the file as it goes on, which it is but for
     * keep_code. */
    size_t bytes[STN_WIRE_FRAMES];
    uint32_t problems; /* layers that a full decode found bad */
    char problem[STN_MISS_TEXT]; /* the first one */
} stn_decode_out;

/* Gives room for the frames: frames[i] of bytes[i] each. False: out of memory, or too big. */
typedef bool stn_decode_room(void *ctx, const size_t bytes[STN_WIRE_FRAMES],
                             uint8_t *frames[STN_WIRE_FRAMES]);

void stn_decode(const stn_decode_in *in, stn_decode_room *room, void *ctx, stn_decode_out *out);

/* The `code` and `codeentry` records of an opened resource, as stn_decode_in.code. */
stn_status stn_decode_code_records(const stn_wire *wire, stn_buf *out, stn_err *err);

#endif
