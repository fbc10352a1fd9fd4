/* pose.h - the state of a skeleton: where each bone is, and the matrices that follow from it.
 *
 * Arrays have skel->count entries in the skeleton's order (parents first). Local values are relative to the
 * parent, global ones to the model; globals are right after stn_pose_globalise(), which also moves `seq`, so
 * that a consumer sees that it must look again. The skeleton layer is borrowed and must outlive the pose.
 * Source: docs/spec/sprites.md 13.2, 13.3, 13.5.
 */
#ifndef STN_SPRITE_POSE_H
#define STN_SPRITE_POSE_H

#include "renderer/sprite/quat.h"
#include "res/layers.h"

#include <stdint.h>

typedef struct stn_pose {
    const stn_res_skel *skel;
    uint32_t seq;
    stn_sprite_vec *local_pos;
    stn_quat *local_rot;
    stn_sprite_vec *global_pos;
    stn_quat *global_rot;
} stn_pose;

/* What a track adds to a pose, per bone. */
typedef struct stn_pose_delta {
    stn_sprite_vec *pos;
    stn_quat *rot;
} stn_pose_delta;

stn_pose *stn_pose_new(const stn_res_skel *skel); /* the bind pose, globalised; NULL when out of memory */
void stn_pose_free(stn_pose *pose); /* NULL is fine */
void stn_pose_reset(stn_pose *pose); /* locals of the bind pose; globals stay until globalise */
void stn_pose_copy(stn_pose *to, const stn_pose *from); /* all values; both of the same skeleton */
void stn_pose_apply(stn_pose *pose, const stn_pose_delta *delta);
void stn_pose_blend(stn_pose *pose, const stn_pose *other,
                    float d); /* locals, towards other's by d in 0..1 */
void stn_pose_globalise(stn_pose *pose);

/* `bind` is a globalised bind pose of the same skeleton. Bones are indices in range. */
stn_mat4 stn_pose_bone_matrix(const stn_pose *pose, const stn_pose *bind, uint32_t bone); /* for skinning */
stn_mat4 stn_pose_rigid(const stn_pose *pose, const stn_pose *bind,
                        uint32_t bone); /* of a mesh on one bone */
stn_mat4 stn_pose_equip(const stn_pose *pose, uint32_t bone); /* where something attached to it stands */

#endif
