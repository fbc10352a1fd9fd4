#include "homestead/pack/poses.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265f

stn_quat stn_quat_id(void)
{
    return (stn_quat){1, 0, 0, 0};
}

stn_quat stn_quat_mul(stn_quat a, stn_quat b)
{
    return (stn_quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

stn_quat stn_quat_turn(float rx, float ry, float rz)
{
    stn_quat x = {cosf(rx / 2), sinf(rx / 2), 0, 0}, y = {cosf(ry / 2), 0, sinf(ry / 2), 0},
             z = {cosf(rz / 2), 0, 0, sinf(rz / 2)};

    return stn_quat_mul(stn_quat_mul(x, y), z);
}

stn_v3 stn_quat_rotate(stn_quat q, stn_v3 v)
{
    stn_v3 u = {q.x, q.y, q.z}, c = stn_v3_cross(u, v);

    return stn_v3_add(v, stn_v3_add(stn_v3_scale(c, 2 * q.w), stn_v3_scale(stn_v3_cross(u, c), 2)));
}

void stn_model_joint(stn_model *m, const char *name, const char *parent, float x, float y, float z)
{
    assert(m->n_joints < STN_MODEL_JOINTS);
    m->joints[m->n_joints++] = (stn_joint){.name = name, .parent = parent, .head = {x, y, z}};
}

int stn_model_bone(const stn_model *m, const char *name)
{
    for (size_t i = 0; i < m->n_joints; i++)
        if (strcmp(m->joints[i].name, name) == 0)
            return (int)i;
    assert(false && "a bone that the builder did not make");
    return 0;
}

void stn_pose_turn(const stn_model *m, stn_pose *p, const char *bone, float rx, float ry, float rz)
{
    int i = stn_model_bone(m, bone);

    p->turn[i] = stn_quat_mul(p->turn[i], stn_quat_turn(rx, ry, rz));
}

void stn_model_cycle(stn_model *m, int16_t id, float seconds, float speed, stn_pose_fn *fn)
{
    enum { KEYS = 16 };
    static stn_pose poses[KEYS];

    assert(m->n_cycles < sizeof m->cycles / sizeof m->cycles[0]);
    stn_cycle *c = &m->cycles[m->n_cycles++];

    *c = (stn_cycle){.id = id, .length = seconds, .speed = speed};
    for (int k = 0; k < KEYS; k++) {
        for (int i = 0; i < STN_MODEL_JOINTS; i++) {
            poses[k].turn[i] = stn_quat_id();
            poses[k].move[i] = (stn_v3){0, 0, 0};
        }
        fn(m, (float)k / KEYS, &poses[k]);
    }
    for (size_t i = 0; i < m->n_joints; i++) {
        stn_track *t = &c->tracks[c->n];
        bool moves = false;

        *t = (stn_track){.bone = m->joints[i].name, .n = KEYS};
        for (int k = 0; k < KEYS; k++) {
            stn_quat q = poses[k].turn[i];
            stn_v3 axis = {q.x, q.y, q.z};
            float s = stn_v3_len(axis);

            /* The file has turns from 0 on: a negative one is told about the opposite axis. */
            if (q.w < 0) {
                q.w = -q.w;
                axis = stn_v3_scale(axis, -1);
            }
            t->keys[k] = (stn_key){.time = seconds * (float)k / KEYS,
                                   .move = poses[k].move[i],
                                   .axis = stn_v3_norm(axis),
                                   .angle = 2 * atan2f(s, q.w)};
            moves |= s > 1e-4f || stn_v3_len(poses[k].move[i]) > 1e-4f;
        }
        c->n += moves;
    }
}

stn_step stn_step_at(float phase, float stance, float reach, float lift)
{
    phase -= floorf(phase);
    if (phase < stance) {
        float t = phase / stance;

        /* The heel comes up in the last third while the toe still stands. */
        return (stn_step){.x = reach * (1 - 2 * t),
                          .z = 0,
                          .pitch = 0.75f * stn_smooth(0.60f, 1.0f, t) - 0.28f * stn_smooth(0.14f, 0.0f, t),
                          .down = true};
    }
    float t = (phase - stance) / (1 - stance), ease = t * t * (3 - 2 * t);

    return (stn_step){.x = reach * (2 * ease - 1),
                      .z = lift * sinf(PI * t) * (1.15f - 0.5f * t),
                      .pitch = stn_mixf(0.75f, -0.28f, stn_smooth(0.15f, 0.85f, t)),
                      .down = false};
}

void stn_pose_leg(const stn_model *m, stn_pose *p, const char *upper, const char *lower, const char *foot,
                  float dx, float dz, float pitch, float hip_turn, float knee)
{
    int iu = stn_model_bone(m, upper), il = stn_model_bone(m, lower), jf = stn_model_bone(m, foot);
    stn_v3 hip = m->joints[iu].head, kn = m->joints[il].head, an = m->joints[jf].head;
    float ux = kn.x - hip.x, uz = kn.z - hip.z, lx = an.x - kn.x, lz = an.z - kn.z;
    float lu = hypotf(ux, uz), ll = hypotf(lx, lz), tx = an.x - hip.x + dx, tz = an.z - hip.z + dz;
    float d = stn_clampf(hypotf(tx, tz), fabsf(lu - ll) + 0.05f, (lu + ll) * 0.999f);
    /* Angles from straight down, forward positive. */
    float to = atan2f(tx, -tz), open = acosf(stn_clampf((lu * lu + d * d - ll * ll) / (2 * lu * d), -1, 1));
    float bend = acosf(stn_clampf((lu * lu + ll * ll - d * d) / (2 * lu * ll), -1, 1));
    float thigh = to + knee * open, shin = thigh - knee * (PI - bend);
    /* Forward is a negative turn about +y. */
    float a = -(thigh - atan2f(ux, -uz)), b = -(shin - atan2f(lx, -lz)) - a;

    stn_pose_turn(m, p, upper, 0, a - hip_turn, 0);
    stn_pose_turn(m, p, lower, 0, b, 0);
    stn_pose_turn(m, p, foot, 0, pitch - a - b, 0);
}
