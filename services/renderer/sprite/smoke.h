/* smoke.h - puffs that rise from a disc, drift with the wind and fade. Pure: time, wind and chance are given.
 * Positions are in the space of the thing that smokes. At most STN_SMOKE_MAX puffs live at once; more are not
 * born. Source: docs/spec/sprites.md 21.5.
 */
#ifndef STN_SPRITE_SMOKE_H
#define STN_SPRITE_SMOKE_H

#include "renderer/sprite/quat.h"
#include "renderer/sprite/track.h"

#include <stdbool.h>
#include <stdint.h>

#define STN_SMOKE_MAX 1024

typedef struct stn_smoke_look {
    float size; /* of a point, units */
    float color[4];
    float density; /* puffs in a tenth of a second */
    float fade; /* the power by which they fade */
    float life; /* seconds */
    float height; /* that a puff would reach alone */
    float spread; /* radius of the disc, units */
} stn_smoke_look;

typedef struct stn_puff {
    stn_sprite_vec at, v;
    float age;
} stn_puff;

typedef struct stn_smoke {
    stn_smoke_look look;
    stn_puff puffs[STN_SMOKE_MAX];
    uint32_t count;
    float since; /* the last birth, seconds */
    bool ending;
    float gauss; /* the second of a pair */
    bool has_gauss;
} stn_smoke;

/* A point to be drawn: a square that faces the eye. */
typedef struct stn_smoke_point {
    stn_sprite_vec at;
    float size;
    float color[4];
} stn_smoke_point;

/* `wind` as the smoking thing feels it, in its own space. At most a second is made up for. */
void stn_smoke_tick(stn_smoke *s, float dt, stn_sprite_vec wind, stn_rnd *rnd);
/* No more births; the smoke is done when it is empty. */
void stn_smoke_end(stn_smoke *s);
bool stn_smoke_done(const stn_smoke *s);
/* Point i of `count`, in no order. */
stn_smoke_point stn_smoke_point_of(const stn_smoke *s, uint32_t i);

#endif
