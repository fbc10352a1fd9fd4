/* boneoff.h - attach points: where a `boneoff` layer puts something on a pose.
 *
 * Source: docs/spec/sprites.md 14.1. Locations compose outermost first; the first is taken as it is.
 */
#ifndef STN_SPRITE_BONEOFF_H
#define STN_SPRITE_BONEOFF_H

#include "base/err.h"
#include "renderer/sprite/pose.h"
#include "res/layers.h"

/* What the point is on. `pose` serves alignments and is NULL for a target that is not a bare pose (a
 * composite) or when there is none. `equip` gives the location of a named point on the target: STN_NOT_FOUND
 * when it has none; NULL = the pose's bones by name. */
typedef struct stn_equip_target {
    const stn_pose *pose;
    stn_status (*equip)(void *user, const char *name, stn_mat4 *out, stn_err *err);
    void *user;
} stn_equip_target;

stn_status stn_equip_find(const stn_equip_target *target, const char *name, stn_mat4 *out, stn_err *err);
stn_status stn_boneoff_place(const stn_res_boneoff *layer, const stn_equip_target *target, stn_mat4 *out,
                             stn_err *err);

#endif
