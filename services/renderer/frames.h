/* frames.h - how long frames take: the last STN_FRAMES_KEPT of them, in total and by phase. Pure. */
#ifndef STN_RENDERER_FRAMES_H
#define STN_RENDERER_FRAMES_H

#include "base/buf.h"

#include <stdint.h>

#define STN_FRAMES_KEPT 16384

typedef enum stn_phase {
    STN_PHASE_INPUT,
    STN_PHASE_UPLOAD,
    STN_PHASE_TICK,
    STN_PHASE_CULL,
    STN_PHASE_DRAW,
    STN_PHASE_HUD,
    STN_PHASE_SWAP,
    STN_PHASES
} stn_phase;

typedef struct stn_frames {
    float work_ms[STN_FRAMES_KEPT]; /* wall time without pacing */
    float cpu_ms[STN_FRAMES_KEPT]; /* of the thread */
    float phase_ms[STN_PHASES][STN_FRAMES_KEPT];
    float waits[STN_FRAMES_KEPT]; /* times the thread gave up the processor by itself, but for swap and pacing
                                   */
    uint64_t count;
    int64_t started_ns;
} stn_frames;

void stn_frames_reset(stn_frames *f, int64_t now_ns);
void stn_frames_add(stn_frames *f, double work_ms, double cpu_ms, unsigned waits,
                    const double phases[STN_PHASES]);
/* Quantile of the kept work times, 0..1; 0 when there are none. Sorts a copy: not for every frame. */
double stn_frames_quantile(const stn_frames *f, double q);
double stn_frames_mean(const stn_frames *f, size_t last);
void stn_frames_json(const stn_frames *f, int64_t now_ns, stn_buf *out);

#endif
