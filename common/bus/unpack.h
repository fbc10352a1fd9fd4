/* unpack.h - protobuf bodies from outside, in bounded memory.
 *
 * protobuf-c has no limit of its own and a small message can ask for much memory (each empty submessage of 2
 * bytes costs a structure). So the size is checked before unpacking and every allocation is taken from a
 * block that may grow to `max_bytes` and no further; all of it is freed together. One unpacker is kept and
 * reused for all messages of a loop: in the steady state nothing is allocated.
 */
#ifndef STN_BUS_UNPACK_H
#define STN_BUS_UNPACK_H

#include "base/err.h"

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_unpacker stn_unpacker;

/* max_bytes: the most memory that one message may take when unpacked. NULL when out of memory. */
stn_unpacker *stn_unpacker_new(size_t max_bytes);
void stn_unpacker_free(stn_unpacker *u);

/* *out is owned by the unpacker: valid until the next unpack with it. STN_TOO_BIG: unpacked it would be over
 * max_bytes; STN_BAD_DATA: not this message. The descriptor's name is in the text. */
stn_status stn_unpack(stn_unpacker *u, const ProtobufCMessageDescriptor *type, const void *data, size_t len,
                      const ProtobufCMessage **out, stn_err *err);

#endif
