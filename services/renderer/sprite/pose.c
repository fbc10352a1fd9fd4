#include "renderer/sprite/pose.h"

#include <stdlib.h>
#include <string.h>

stn_pose *stn_pose_new(const stn_res_skel *skel)
{
    size_t n = skel->count;
    stn_pose *pose = calloc(1, sizeof *pose + n * (2 * sizeof(stn_sprite_vec) + 2 * sizeof(stn_quat)));

    if (!pose)
        return NULL;
    pose->skel = skel;
    pose->local_rot = (stn_quat *)(pose + 1);
    pose->global_rot = pose->local_rot + n;
    pose->local_pos = (stn_sprite_vec *)(pose->global_rot + n);
    pose->global_pos = pose->local_pos + n;
    stn_pose_reset(pose);
    stn_pose_globalise(pose);
    return pose;
}

void stn_pose_free(stn_pose *pose)
{
    free(pose);
}

void stn_pose_reset(stn_pose *pose)
{
    for (uint32_t i = 0; i < pose->skel->count; i++) {
        const stn_bone *b = &pose->skel->bones[i];
        pose->local_pos[i] = (stn_sprite_vec){b->pos[0], b->pos[1], b->pos[2]};
        pose->local_rot[i] = (stn_quat){b->local_rot[0], b->local_rot[1], b->local_rot[2], b->local_rot[3]};
    }
}

void stn_pose_copy(stn_pose *to, const stn_pose *from)
{
    size_t n = from->skel->count;
    memcpy(to->local_pos, from->local_pos, n * sizeof *to->local_pos);
    memcpy(to->local_rot, from->local_rot, n * sizeof *to->local_rot);
    memcpy(to->global_pos, from->global_pos, n * sizeof *to->global_pos);
    memcpy(to->global_rot, from->global_rot, n * sizeof *to->global_rot);
    to->seq++;
}

void stn_pose_apply(stn_pose *pose, const stn_pose_delta *delta)
{
    for (uint32_t i = 0; i < pose->skel->count; i++) {
        pose->local_pos[i] = stn_sprite_vec_add(pose->local_pos[i], delta->pos[i]);
        pose->local_rot[i] = stn_quat_mul(pose->local_rot[i], delta->rot[i]);
    }
}

static float towards(float a, float b, float d)
{
    return a + ((b - a) * d);
}

void stn_pose_blend(stn_pose *pose, const stn_pose *other, float d)
{
    for (uint32_t i = 0; i < pose->skel->count; i++) {
        stn_sprite_vec *p = &pose->local_pos[i];
        const stn_sprite_vec *o = &other->local_pos[i];
        pose->local_rot[i] = stn_quat_slerp(pose->local_rot[i], other->local_rot[i], d);
        *p = (stn_sprite_vec){towards(p->x, o->x, d), towards(p->y, o->y, d), towards(p->z, o->z, d)};
    }
}

void stn_pose_globalise(stn_pose *pose)
{
    for (uint32_t i = 0; i < pose->skel->count; i++) {
        int32_t parent = pose->skel->bones[i].parent;
        if (parent < 0) {
            pose->global_pos[i] = pose->local_pos[i];
            pose->global_rot[i] = pose->local_rot[i];
        } else {
            pose->global_rot[i] = stn_quat_mul(pose->global_rot[parent], pose->local_rot[i]);
            pose->global_pos[i] = stn_sprite_vec_add(
                stn_quat_rotate(pose->global_rot[parent], pose->local_pos[i]), pose->global_pos[parent]);
        }
    }
    pose->seq++;
}

/* From the bind pose to this one, about the model's origin. */
static void offset(const stn_pose *pose, const stn_pose *bind, uint32_t bone, stn_sprite_vec *x, stn_quat *r)
{
    stn_sprite_vec b = bind->global_pos[bone];
    *r = stn_quat_mul(pose->global_rot[bone], stn_quat_inverse(bind->global_rot[bone]));
    *x = stn_sprite_vec_add(pose->global_pos[bone], stn_quat_rotate(*r, (stn_sprite_vec){-b.x, -b.y, -b.z}));
}

stn_mat4 stn_pose_bone_matrix(const stn_pose *pose, const stn_pose *bind, uint32_t bone)
{
    stn_sprite_vec x;
    stn_quat r;
    offset(pose, bind, bone, &x, &r);
    return stn_mat4_bone(x, r);
}

stn_mat4 stn_pose_rigid(const stn_pose *pose, const stn_pose *bind, uint32_t bone)
{
    stn_sprite_vec x;
    stn_quat r;
    offset(pose, bind, bone, &x, &r);
    return stn_mat4_rigid(x, r);
}

stn_mat4 stn_pose_equip(const stn_pose *pose, uint32_t bone)
{
    return stn_mat4_rigid(pose->global_pos[bone], pose->global_rot[bone]);
}
