/* pacing.h - when the next frame is due. Pure.
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

#endif
