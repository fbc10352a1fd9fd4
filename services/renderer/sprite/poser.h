/* poser.h - the animations of a mod sprite's own skeleton: which run, and the pose that comes out.
 * Source: docs/spec/sprites.md 7.4. Layers are borrowed from the resource. */
#ifndef STN_SPRITE_POSER_H
#define STN_SPRITE_POSER_H

#include "renderer/sprite/fault.h"
#include "renderer/sprite/pose.h"
#include "renderer/sprite/track.h"
#include "res/res.h"

typedef struct stn_poser stn_poser;

/* *out = NULL with STN_SPRITE_OK when the resource has no skeleton or no animation. */
stn_sprite_fault stn_poser_new(const stn_res *res, stn_poser **out, stn_err *err);
void stn_poser_free(stn_poser *poser);

/* Runs the layers that `flags` enable, blending over 0.3 s from what was shown when they changed. */
stn_sprite_fault stn_poser_build(stn_poser *poser, uint32_t flags, stn_err *err);
stn_sprite_fault stn_poser_tick(stn_poser *poser, double dt, double speed, stn_track_event_fn *fn, void *user,
                                stn_err *err);
/* The pose follows at the next tick. */
stn_sprite_fault stn_poser_age(stn_poser *poser, stn_rnd *rnd, stn_err *err);

const stn_pose *stn_poser_pose(const stn_poser *poser);
const stn_pose *stn_poser_bind(const stn_poser *poser);
bool stn_poser_static(const stn_poser *poser);
float stn_poser_blend(const stn_poser *poser); /* what is left of the blend, 1 at its start, 0 = none */
uint32_t stn_poser_running(const stn_poser *poser);
const stn_track *stn_poser_track(const stn_poser *poser, uint32_t i); /* i-th running one, file order */

#endif
