/* handler.h - the frame handler: what happens in one frame, and in which order.
 *
 * One frame: the time since the one before is taken; every updater runs, in the order they were added; then
 * every canvas draws. A canvas draws in place or on a thread of its own, and says when it is done; those that
 * are not done make up the frame's latch. The handler waits for the latch as long as it was told to (tools,
 * tests: 5 s), then warns once and goes on; told not to wait (the renderer) it goes on at once. A canvas that
 * is still drawing is left out of the frames until it is done, which is counted.
 *
 * Threads   all but stn_canvas_done() belongs to the one thread that runs the frames; that takes no lock
 *           unless the handler waits. Nothing is allocated after stn_frame_handler_new().
 * Source    docs/spec/rendering.md 23.4.
 */
#ifndef STN_RENDERER_SCENE_HANDLER_H
#define STN_RENDERER_SCENE_HANDLER_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define STN_UPDATERS_MAX 16
#define STN_CANVASES_MAX 16
#define STN_FRAME_WAIT_NS (INT64_C(5) * 1000000000)

typedef struct stn_frame_handler stn_frame_handler;
typedef struct stn_canvas_turn stn_canvas_turn; /* one canvas's drawing */

/* Two with the same functions and `arg` are the same one. `init` (may be NULL) runs once, before the first
 * use. */
typedef struct stn_updater {
    void (*init)(void *arg);
    void (*update)(void *arg, double seconds); /* since the frame before; 0 in the first one */
    void *arg;
} stn_updater;
typedef struct stn_canvas {
    void (*init)(void *arg);
    void (*draw)(void *arg, stn_canvas_turn *turn); /* has stn_canvas_done() called sooner or later, always */
    void *arg;
} stn_canvas;

/* wait_ns: for canvases that are not done; 0 = not at all. NULL: no memory. */
stn_frame_handler *stn_frame_handler_new(int64_t wait_ns);
/* The threads that draw are done with it. NULL is fine. */
void stn_frame_handler_free(stn_frame_handler *h);

/* What is added during a frame takes part from the next one; what is there already is not added again.
 * STN_TOO_BIG: there are as many as can be. */
stn_status stn_frame_handler_add_updater(stn_frame_handler *h, const stn_updater *updater, stn_err *err);
stn_status stn_frame_handler_add_canvas(stn_frame_handler *h, const stn_canvas *canvas, stn_err *err);

void stn_frame_handler_frame(stn_frame_handler *h, int64_t now_ns);
/* From any thread, once for each draw, also when it failed; NULL is fine. */
void stn_canvas_done(stn_canvas_turn *turn);

typedef struct stn_frame_handler_counts {
    uint64_t frames;
    uint64_t late; /* frames that went on without all that drew in them, after the wait */
    uint64_t skipped; /* times that a canvas was left out, still drawing */
} stn_frame_handler_counts;
stn_frame_handler_counts stn_frame_handler_get(const stn_frame_handler *h);

#endif
