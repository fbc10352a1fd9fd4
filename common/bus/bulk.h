/* bulk.h - messages larger than one piece: how they are cut, and how they are put together again. Pure.
 *
 * A message whose bulk is over STN_PIECE_MAX is sent as its envelope (with the length of every bulk frame)
 * and body, then BUS_PIECE messages in order: all of frame 0, then frame 1, …, each at most STN_PIECE_MAX
 * bytes. A zero-length frame has no piece. Bulk streams of one peer share one lane, so one transfer is open
 * at a time.
 */
#ifndef STN_BUS_BULK_H
#define STN_BUS_BULK_H

#include "base/err.h"
#include "bus/envelope.h"
#include "bus/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_PIECE_MAX (1u << 20) /* bulk bytes in one message on the wire */
#define STN_MESSAGE_MAX (4u << 20) /* a larger frame kills the connection: ZMQ_MAXMSGSIZE */
#define STN_BODY_MAX (1u << 20) /* protobuf body */

/* Where the next piece of a message is. Starts at {0, 0}. */
typedef struct stn_piece_at {
    uint32_t frame;
    size_t offset;
} stn_piece_at;
/* The next piece from *at on: false at the end. Moves *at behind it. */
bool stn_bulk_next_piece(stn_frame *const *frames, size_t n_frames, stn_piece_at *at, uint32_t *frame,
                         size_t *offset, size_t *len);

typedef struct stn_reassembly stn_reassembly;
stn_reassembly *stn_reassembly_new(void);
void stn_reassembly_free(stn_reassembly *r);
/* Begins a transfer: takes the announced lengths, checks their number and their sum against max_bytes, and
 * allocates. An open transfer is dropped (STN_BAD_DATA is returned by stn_reassembly_open() users who care).
 */
stn_status stn_reassembly_begin(stn_reassembly *r, const stn_envelope *env, uint64_t max_bytes, stn_err *err);
/* Adds one piece: transfer, frame and offset must be exactly the next. *done when the last byte is there.
 * After an error the transfer is dropped. */
stn_status stn_reassembly_add(stn_reassembly *r, const stn_envelope *env, const void *data, size_t len,
                              bool *done, stn_err *err);
bool stn_reassembly_open(const stn_reassembly *r);
/* Borrowed until the next begin, drop or free; complete after *done. */
stn_frame *const *stn_reassembly_frames(const stn_reassembly *r, size_t *n);
void stn_reassembly_drop(stn_reassembly *r);

#endif
