/* readback.h - a picture beside the view's own, and its way to memory without waiting for the GPU.
 *
 * Drawn into a screen of its own (stn_view_aim), read into a buffer once the drawing is done, mapped once the
 * reading is: each is asked for with a fence, looked at and never waited for. The mapped rows may be read by
 * another thread. The GL thread's. Source: docs/spec/rendering.md 22.3.
 */
#ifndef STN_RENDERER_GL_READBACK_H
#define STN_RENDERER_GL_READBACK_H

#include "renderer/gl/screen.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct stn_readback {
    stn_screen screen; /* stn_view_fit() makes it */
    uint32_t buffer;
    size_t bytes; /* of the buffer */
    void *fence; /* GLsync; NULL: nothing is under way */
    bool reading; /* the fence is that of reading, not of drawing */
    const uint8_t *rows; /* RGBA, lowest row first; NULL: not there */
} stn_readback;

/* The picture has been drawn. */
void stn_readback_drawn(stn_readback *b);
/* Takes the next step if the GPU is that far. True: it is over; `rows` are there, or NULL: the driver
 * refused. */
bool stn_readback_step(stn_readback *b, stn_glrec *rec);
/* Lets the rows go. */
void stn_readback_end(stn_readback *b);
void stn_readback_fini(stn_readback *b, stn_glrec *rec); /* zeroed is fine */

#endif
