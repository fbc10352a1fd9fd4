/* sway.h - how a plant moves in the wind: a slow bend that grows with height, and a quick tremble of what
 * stands out from the stem. Numbers are drawn once, when the sway is made, and are not the object's own:
 * nothing can be reproduced from its id. Source: docs/spec/sprites.md 21.2.
 */
#ifndef STN_SPRITE_SWAY_H
#define STN_SPRITE_SWAY_H

#include "renderer/sprite/fault.h"
#include "renderer/sprite/quat.h"
#include "renderer/sprite/track.h"

#include <stddef.h>
#include <stdint.h>

/* Amplitudes a unit of distance, in map space; w is the angular frequency, radians a second. */
typedef struct stn_sway {
    float bend[4]; /* times the height above the origin */
    float tremble[4]; /* times the distance from the origin beyond 5 */
} stn_sway;

#define STN_SWAY_BEND 0.5f /* strengths when nobody says others */
#define STN_SWAY_TREMBLE 0.25f

stn_sway stn_sway_of(float bend, float tremble, stn_rnd *rnd);
/* The bytes of the published attribute: none, or flags and two packed floats. EOF when cut short, MALFORMED
 * for strengths that are no number. */
stn_sprite_fault stn_sway_read(const uint8_t *data, size_t len, stn_rnd *rnd, stn_sway *out, stn_err *err);
/* What the vertex shader does with a vertex `p` of an object that stands at `origin`; both in render space.
 */
stn_sprite_vec stn_sway_at(const stn_sway *sway, stn_sprite_vec origin, stn_sprite_vec p, float time);

#endif
