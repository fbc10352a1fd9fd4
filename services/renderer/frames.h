/* frames.h - how long frames take and why: the last STN_FRAMES_KEPT of them, with what each did. Pure.
 *
 * A frame is everything between two waits for the next one: its work and what is done behind it. Times of
 * phases are processor time of the thread. What a frame took longer than that by the clock, outside the swap,
 * it was off the processor: by itself when it waited for something (STN_COUNT_WAITS), else because the
 * machine gave the processor to others.
 */
#ifndef STN_RENDERER_FRAMES_H
#define STN_RENDERER_FRAMES_H

#include "base/buf.h"

#include <stdint.h>

#define STN_FRAMES_KEPT 16384
#define STN_FRAMES_WORST 10 /* told one by one */

typedef enum stn_phase {
    STN_PHASE_INPUT,
    STN_PHASE_UPLOAD,
    STN_PHASE_TICK,
    STN_PHASE_CULL,
    STN_PHASE_DRAW,
    STN_PHASE_HUD,
    STN_PHASE_SWAP,
    STN_PHASE_BEHIND, /* programs made ready, pictures, figures */
    STN_PHASES
} stn_phase;

typedef enum stn_frame_count {
    STN_COUNT_JOBS, /* finished things taken */
    STN_COUNT_BYTES, /* that they moved to the driver */
    STN_COUNT_FREES, /* meshes, textures and things of the scene let go */
    STN_COUNT_SCENES, /* begun or swapped */
    STN_COUNT_PROGRAMS, /* drawn for the first time */
    STN_COUNT_FAULTS, /* pages that were touched for the first time */
    STN_COUNT_WAITS, /* times the thread gave up the processor by itself, but for swap and pacing */
    STN_COUNT_TAKEN, /* times the processor was taken from it */
    STN_COUNTS
} stn_frame_count;

typedef struct stn_frame_cost {
    float at_s; /* when it began, since the figures began */
    float work_ms, cpu_ms; /* by the clock, without pacing; processor time of the thread */
    float off_ms; /* off the processor, outside the swap */
    float swap_ms; /* the swap by the clock */
    float phase_ms[STN_PHASES];
    uint32_t counts[STN_COUNTS];
} stn_frame_cost;

typedef struct stn_frames {
    stn_frame_cost kept[STN_FRAMES_KEPT];
    uint64_t count;
    int64_t started_ns;
} stn_frames;

void stn_frames_reset(stn_frames *f, int64_t now_ns);
void stn_frames_add(stn_frames *f, const stn_frame_cost *cost);
/* Of work_ms; 0 when there are none. */
double stn_frames_mean(const stn_frames *f, size_t last);
/* Quantiles of everything, and the STN_FRAMES_WORST longest one by one. Sorts copies: milliseconds, and never
 * on the thread that draws. */
void stn_frames_json(const stn_frames *f, int64_t now_ns, stn_buf *out);

#endif
