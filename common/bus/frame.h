/* frame.h - a block of bytes that is shared and never changes once it is shared.
 *
 * Bodies and bulk arrays are frames. The count of references is atomic, so that a frame may be handed to a
 * worker thread and let go of there; the bytes are read-only for everyone but the maker, before the first
 * sharing. Sending and forwarding take a reference and copy nothing. The base of a frame that came from
 * outside has no alignment: read by memcpy or stn_ld32().
 */
#ifndef STN_BUS_FRAME_H
#define STN_BUS_FRAME_H

#include <stddef.h>
#include <stdint.h>

typedef struct stn_frame stn_frame;

/* Fresh memory of len bytes, uninitialised, 64-byte aligned, one reference. NULL when out of memory. */
stn_frame *stn_frame_new(size_t len);
/* The same with a copy of the bytes (counted by stn_frame_copied_bytes()). */
stn_frame *stn_frame_copy(const void *data, size_t len);
/* Around memory of the caller's: done(ctx) runs once, in whichever thread lets go last. NULL when out of
 * memory; then done is not called. */
stn_frame *stn_frame_wrap(const void *data, size_t len, void (*done)(void *ctx), void *ctx);
/* Part of another frame, which it keeps alive. NULL when out of range or out of memory. */
stn_frame *stn_frame_slice(stn_frame *of, size_t offset, size_t len);

stn_frame *stn_frame_ref(stn_frame *f); /* returns f; NULL is fine */
void stn_frame_unref(stn_frame *f); /* NULL is fine */

const uint8_t *stn_frame_data(const stn_frame *f); /* never NULL, also for length 0; NULL frame: length 0 */
size_t stn_frame_len(const stn_frame *f);
/* For the maker, while nobody else has a reference. */
uint8_t *stn_frame_writable(stn_frame *f);

/* Bytes that this process copied between frames since its start: what "without copying" is checked by. */
uint64_t stn_frame_copied_bytes(void);

#endif
