/* pacing.h - when the next frame is due, and what is left out when it would be late. Pure.
 *
 * Frames are paced by deadlines and not by pauses, so that the beat keeps its time whatever a frame takes; a
 * frame that is late by a whole beat starts the beat anew, and is not made good by hurry. With vertical sync
 * the swap waits too: the display then gives the beat, and there is nothing left to sleep. Source:
 * docs/spec/rendering.md 22.1.
 */
#ifndef STN_RENDERER_PACING_H
#define STN_RENDERER_PACING_H

#include <stdbool.h>
#include <stdint.h>

#define STN_BACKGROUND_HZ 5

typedef struct stn_pacing_facts {
    int wanted_hz; /* holds everywhere, before all else; < 0: as follows */
    int cap_hz; /* while in front; 0: no limit */
    bool background; /* nobody looks: behind other windows, hidden, or without a window */
    bool awaited; /* somebody waits for a picture */
} stn_pacing_facts;

int stn_pacing_hz(const stn_pacing_facts *f); /* 0: no limit */
/* A frame is done at now_ns: how long to sleep. *due_ns is the beat, kept between calls. */
int64_t stn_pacing_next(int64_t *due_ns, int hz, int64_t now_ns);

/* What frames leave out, one thing more when they go on being late: first what is seen least. The frame
 * itself is never left out. Source: docs/spec/rendering.md 22.3. */
typedef enum stn_strain_level {
    STN_STRAIN_NONE,
    STN_STRAIN_PICKS, /* pictures of numbers: a ray answers clicks */
    STN_STRAIN_UPLOADS, /* but for a small part */
    STN_STRAIN_SHADOWS, /* every second shadow map */
    STN_STRAIN_MORE_SHADOWS, /* three of four */
    STN_STRAIN_DETAIL /* what is small in the picture */
} stn_strain_level;

typedef struct stn_strain {
    stn_strain_level level;
    double busy_ms; /* how long a frame works, smoothed */
    int late, easy; /* frames in a row */
    uint64_t frames;
} stn_strain;

/* A frame worked so long and came so long after the one before; target_ms: of a beat. STN_STRAIN_LATE frames
 * in a row that fill their beat, or come half a beat late, raise the level; STN_STRAIN_EASY that leave a
 * quarter of it free lower it. */
#define STN_STRAIN_LATE 4
#define STN_STRAIN_EASY 60
void stn_strain_frame(stn_strain *s, double busy_ms, double apart_ms, double target_ms);
/* Whether this frame does without a new shadow map. */
bool stn_strain_keeps_shadows(const stn_strain *s);

#endif
