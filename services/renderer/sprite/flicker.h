/* flicker.h - the brightness of a fire's light: it moves evenly from one random level to the next.
 * Source: docs/spec/sprites.md 21.4. */
#ifndef STN_SPRITE_FLICKER_H
#define STN_SPRITE_FLICKER_H

#include "renderer/sprite/light.h"
#include "renderer/sprite/track.h"

typedef struct stn_flicker {
    float min; /* lowest level, 0..1 */
    float rate; /* about how many seconds a change takes, 0..60 */
    float from, to, at, length; /* levels, and seconds on the way between them */
    float level; /* now, min..1 */
} stn_flicker;

#define STN_FLICKER_MIN 0.5f
#define STN_FLICKER_RATE 0.1f

/* Numbers out of range are brought into it. */
stn_flicker stn_flicker_of(float min, float rate, stn_rnd *rnd);
void stn_flicker_tick(stn_flicker *f, float dt, stn_rnd *rnd);
/* The light at that level: its colours, not its reach. */
stn_light stn_flicker_light(const stn_light *light, float level);

#endif
