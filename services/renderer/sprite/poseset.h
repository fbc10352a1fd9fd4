/* poseset.h - what a composite's pose is made of: groups of animations with a jitter of their own.
 *
 * A set has entries; each is the animations of one resource combined (or nothing, which never ends). Exactly
 * one set is current on a pose; setting one blends linearly from what was shown. Source: docs/spec/sprites.md
 * 17, "Poses".
 */
#ifndef STN_SPRITE_POSESET_H
#define STN_SPRITE_POSESET_H

#include "renderer/sprite/pose.h"
#include "renderer/sprite/random.h"
#include "renderer/sprite/source.h"
#include "renderer/sprite/track.h"

typedef struct stn_poseset stn_poseset;

/* A set on a pose of that skeleton; `seed` of its own random. */
stn_poseset *stn_poseset_new(const stn_res_skel *skel, int64_t seed);
void stn_poseset_free(stn_poseset *set);

/* One more entry: the layers of `res` that `mask` enables, or all of them (`all`), in the given mode when
 * `once`. */
stn_sprite_fault stn_poseset_add(stn_poseset *set, const stn_res *res, uint32_t mask, bool all, bool once,
                                 stn_err *err);
stn_sprite_fault stn_poseset_age(stn_poseset *set, stn_rnd *rnd, stn_err *err);
void stn_poseset_limit(stn_poseset *set, float seconds); /* ends after so long; without it, never */
/* Starts its random source anew, with jitter `j` (1 = none so far). */
void stn_poseset_reseed(stn_poseset *set, int64_t seed, float j);

/* Makes it the pose's set: blending over `seconds` from what `pose` shows (0: at once). */
void stn_poseset_install(stn_poseset *set, stn_pose *pose, float seconds);
/* *done: a limited set is over. */
stn_sprite_fault stn_poseset_tick(stn_poseset *set, stn_pose *pose, float dt, double speed, bool *done,
                                  stn_err *err);

float stn_poseset_blend(const stn_poseset *set);
float stn_poseset_left(const stn_poseset *set);
float stn_poseset_rate(const stn_poseset *set);
uint32_t stn_poseset_tracks(const stn_poseset *set);
const stn_track *stn_poseset_track(const stn_poseset *set, uint32_t i);

#endif
