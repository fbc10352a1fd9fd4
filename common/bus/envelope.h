/* envelope.h - the first frame of a message: pack and unpack, pure.
 *
 * Shape   proto/envelope.proto, message Envelope.
 * Limits  at most STN_ENVELOPE_MAX bytes, at most STN_BULK_FRAMES_MAX frame lengths; the peer id is 1 to 95
 * bytes of a-z A-Z 0-9 . _ - @; sender epoch and kind are not 0; stream is under STN_STREAMS. Errors
 * STN_TOO_BIG, STN_BAD_DATA (what is wrong), STN_VERSION (major differs: the fields are filled in as far as
 *         peer and epochs, so that a Reject can be sent).
 */
#ifndef STN_BUS_ENVELOPE_H
#define STN_BUS_ENVELOPE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define STN_PROTOCOL_MAJOR 1u
#define STN_PROTOCOL_MINOR 0u

#define STN_PEER_ID_MAX 96 /* with its NUL; also the limit of a routing id here (libzmq: 255) */
#define STN_STREAMS 32u /* 0–15 state, 16–31 bulk */
#define STN_STREAM_BULK 16u /* the first bulk stream */
#define STN_BULK_FRAMES_MAX 64u /* bulk frames in one message */
#define STN_ENVELOPE_MAX 1024u /* bytes: ids, numbers and 64 frame lengths of 10 bytes fit */

typedef struct stn_envelope {
    uint32_t major, minor;
    char peer[STN_PEER_ID_MAX];
    uint64_t sender_epoch, receiver_epoch;
    uint32_t stream;
    uint64_t sequence, correlation;
    uint32_t kind;
    uint64_t transfer;
    uint32_t piece_frame;
    uint64_t piece_offset;
    uint32_t n_frame_bytes;
    uint64_t frame_bytes[STN_BULK_FRAMES_MAX];
} stn_envelope;

/* Writes to out (STN_ENVELOPE_MAX bytes are always enough); returns the length. Fields are taken as they are.
 */
size_t stn_envelope_pack(const stn_envelope *env, uint8_t out[STN_ENVELOPE_MAX]);
stn_status stn_envelope_unpack(const void *data, size_t len, stn_envelope *out, stn_err *err);
/* 1 to 95 bytes of the allowed characters. */
int stn_peer_id_ok(const char *id);

#endif
