#include "renderer/sprite/boneoff.h"

#include <math.h>
#include <string.h>

stn_status stn_equip_find(const stn_equip_target *target, const char *name, stn_mat4 *out, stn_err *err)
{
    int32_t bone;

    if (target && target->equip)
        return target->equip(target->user, name, out, err);
    if (!target || !target->pose || (bone = stn_res_skel_find(target->pose->skel, name)) < 0)
        return stn_fail(err, STN_NOT_FOUND, "attach point \"%.60s\": no such bone", name);
    *out = stn_pose_equip(target->pose, (uint32_t)bone);
    return STN_OK;
}

static float clamp_cos(float v)
{
    return v < -1 ? -1 : v > 1 ? 1 : v;
}

/* At bone `origin`, turned so that the line from it to bone `target` falls on `ref`. */
static stn_status align(const stn_boneoff_step *step, const stn_pose *pose, stn_mat4 *out, stn_err *err)
{
    stn_sprite_vec ref = {step->ref[0], step->ref[1], step->ref[2]}, a, b, cur;
    int32_t origin, target;
    stn_mat4 move, turn;
    float angle;

    if (!pose)
        return stn_fail(err, STN_BAD_DATA,
                        "attach point aligned to bones, but its target has no pose of its own");
    origin = stn_res_skel_find(pose->skel, step->bone);
    target = stn_res_skel_find(pose->skel, step->target);
    if (origin < 0 || target < 0)
        return stn_fail(err, STN_BAD_DATA, "attach point aligned to bone \"%.60s\", which the skeleton lacks",
                        origin < 0 ? step->bone : step->target);
    a = pose->global_pos[origin];
    b = pose->global_pos[target];
    cur = stn_sprite_vec_norm((stn_sprite_vec){b.x - a.x, b.y - a.y, b.z - a.z});
    angle = -(float)acos((double)clamp_cos(stn_sprite_vec_dot(cur, ref)));
    move = stn_mat4_translate(a);
    turn = stn_mat4_rotate(stn_sprite_vec_norm(stn_sprite_vec_cross(cur, ref)), angle);
    *out = stn_mat4_mul(&move, &turn);
    return STN_OK;
}

stn_status stn_boneoff_place(const stn_res_boneoff *layer, const stn_equip_target *target, stn_mat4 *out,
                             stn_err *err)
{
    stn_mat4 all = stn_mat4_identity, step;
    bool first = true;

    for (uint32_t i = 0; i < layer->count; i++) {
        const stn_boneoff_step *s = &layer->steps[i];
        stn_status st = STN_OK;
        switch (s->op) {
        case STN_BONEOFF_MOVE:
        case STN_BONEOFF_TURN:
        case STN_BONEOFF_SCALE:
            memcpy(step.m, s->matrix, sizeof step.m);
            break;
        case STN_BONEOFF_BONE:
            st = stn_equip_find(target, s->bone, &step, err);
            break;
        case STN_BONEOFF_ALIGN:
            st = align(s, target ? target->pose : NULL, &step, err);
            break;
        case STN_BONEOFF_NO_TURN: {
            stn_sprite_vec at = {all.m[12], all.m[13], all.m[14]};
            all = stn_mat4_translate(at);
            first = false;
            continue;
        }
        }
        if (st != STN_OK)
            return st;
        all = first ? step : stn_mat4_mul(&all, &step);
        first = false;
    }
    *out = all;
    return STN_OK;
}
