/* track.h - one animation (a `skan` layer) running on one skeleton: its clock, its events, and what it adds
 * to a pose.
 *
 * Evaluation and clock are bit-exact. The layers (animation, its own skeleton, the target skeleton) are
 * borrowed and must outlive the track. Events are told through a callback, in order, during the tick. Source:
 * docs/spec/sprites.md 13.4.
 */
#ifndef STN_SPRITE_TRACK_H
#define STN_SPRITE_TRACK_H

#include "base/err.h"
#include "renderer/sprite/pose.h"
#include "res/layers.h"

#include <stdbool.h>

typedef struct stn_track stn_track;

/* A source of floats in [0, 1); tests put a seeded one here. */
typedef struct stn_rnd {
    float (*next)(void *user);
    void *user;
} stn_rnd;

/* `event` NULL: the listener's "tick" of this part of the time line. */
typedef void stn_track_event_fn(void *user, const stn_skan_event *event, float time);

/* Fails with STN_BAD_DATA when a track names a bone that the skeleton lacks, or a track cannot be sampled at
 * 0. */
stn_status stn_track_new(const stn_res_skan *skan, const stn_res_skel *target, stn_track **out, stn_err *err);
void stn_track_free(stn_track *track); /* NULL is fine */

const stn_res_skan *stn_track_layer(const stn_track *track);
const stn_pose_delta *stn_track_delta(const stn_track *track);
void stn_track_set_mode(stn_track *track,
                        stn_skan_mode mode); /* before the first tick; the layer's own by default */
/* Jumps to `time` (clamped to the length above) and evaluates. STN_BAD_DATA: a track starts after that time.
 */
stn_status stn_track_set(stn_track *track, float time, stn_err *err);
/* Moves the clock. `speed` is the owner's, in units a second. *moved: whether the pose changed. */
stn_status stn_track_tick(stn_track *track, float dt, double speed, stn_track_event_fn *fn, void *user,
                          bool *moved, stn_err *err);
/* As if it had run for long: a random phase, drawn from `rnd` (values in [0, 1)). */
stn_status stn_track_age(stn_track *track, stn_rnd *rnd, stn_err *err);

float stn_track_time(const stn_track *track);
float stn_track_scale(const stn_track *track);
bool stn_track_done(const stn_track *track);
bool stn_track_static(const stn_track *track);

#endif
