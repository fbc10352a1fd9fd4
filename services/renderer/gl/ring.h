/* ring.h - memory for what is new in each picture: instances, uniform blocks, quads of the HUD.
 *
 * One buffer of three regions. What a frame writes lies in one of them; the next frame takes the next, and a
 * region is written again only when the driver has finished every frame that reads it (the record's count of
 * frames, which the surface keeps by fences: record.h). When it has not, or nobody counts, the buffer gets
 * fresh storage and the driver keeps the old one as long as it needs it. Nothing is waited for.
 *
 * The buffer stays mapped where the driver can do that (ARB_buffer_storage); else the part that is written is
 * mapped without synchronisation, which the rule above makes safe. Source: docs/spec/rendering.md 22.3.
 */
#ifndef STN_RENDERER_GL_RING_H
#define STN_RENDERER_GL_RING_H

#include "renderer/gl/record.h"

#include <stddef.h>

#define STN_RING_REGIONS 3

typedef struct stn_ring {
    stn_glrec *rec;
    uint32_t target, buffer; /* GL enum and name; the name changes with the storage when that stays mapped */
    size_t region_bytes;
    size_t used; /* of the region in use */
    unsigned region;
    size_t limit; /* of the whole buffer, 0 = none */
    uint64_t read_until[STN_RING_REGIONS]; /* how many frames must be finished before it is free; 0 = free */
    uint64_t storage; /* moves whenever it is replaced: what refers to `buffer` must look again */
    uint8_t *mapped; /* for good; NULL: a part at a time */
    bool open;
} stn_ring;

/* Regions of so many bytes to begin with; they grow until the buffer has `limit` bytes, 0 = without end. */
void stn_ring_init(stn_ring *r, stn_glrec *rec, uint32_t target, size_t region_bytes, size_t limit);
void stn_ring_fini(stn_ring *r);
/* Where to write `bytes` that begin at a multiple of `align`; only to be written to. *offset: of them in the
 * buffer. NULL: the driver gives no memory, or more than a region may have. Each is ended before the next
 * begins and before anything is drawn with it. */
void *stn_ring_begin(stn_ring *r, size_t bytes, size_t align, size_t *offset);
void stn_ring_end(stn_ring *r);

#endif
