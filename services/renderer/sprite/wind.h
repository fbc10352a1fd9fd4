/* wind.h - the wind over all: a slow turning breeze and now and then a gust. One for a scene; not
 * reproducible. Source: docs/spec/sprites.md 21.8. */
#ifndef STN_SPRITE_WIND_H
#define STN_SPRITE_WIND_H

#include "renderer/sprite/track.h"

typedef struct stn_wind {
    float direction; /* radians */
    float speed; /* 0..20 */
    float gust[2];
    float now[2]; /* x, y, render space */
} stn_wind;

void stn_wind_tick(stn_wind *w, float dt, stn_rnd *rnd);

#endif
