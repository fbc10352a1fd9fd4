#include "renderer/sprite/quat.h"

#include <math.h>

const stn_mat4 stn_mat4_identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
const stn_quat stn_quat_identity = {1, 0, 0, 0};

stn_sprite_vec stn_sprite_vec_norm(stn_sprite_vec v)
{
    float a = (float)sqrt((double)((v.x * v.x) + (v.y * v.y) + (v.z * v.z)));
    if (a == 0)
        return (stn_sprite_vec){0, 0, 0};
    return (stn_sprite_vec){v.x / a, v.y / a, v.z / a};
}

stn_sprite_vec stn_sprite_vec_cross(stn_sprite_vec a, stn_sprite_vec b)
{
    return (stn_sprite_vec){(a.y * b.z) - (a.z * b.y), (a.z * b.x) - (a.x * b.z), (a.x * b.y) - (a.y * b.x)};
}

float stn_sprite_vec_dot(stn_sprite_vec a, stn_sprite_vec b)
{
    return (a.x * b.x) + (a.y * b.y) + (a.z * b.z);
}

stn_sprite_vec stn_sprite_vec_add(stn_sprite_vec a, stn_sprite_vec b)
{
    return (stn_sprite_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

stn_quat stn_quat_of_axis(stn_sprite_vec axis, float angle)
{
    float s = (float)sin((double)angle / 2.0), w = (float)cos((double)angle / 2.0);
    return (stn_quat){w, s * axis.x, s * axis.y, s * axis.z};
}

stn_quat stn_quat_mul(stn_quat a, stn_quat b)
{
    return (stn_quat){
        .w = (a.w * b.w) - (a.x * b.x) - (a.y * b.y) - (a.z * b.z),
        .x = (a.w * b.x) + (a.x * b.w) + (a.y * b.z) - (a.z * b.y),
        .y = (a.w * b.y) - (a.x * b.z) + (a.y * b.w) + (a.z * b.x),
        .z = (a.w * b.z) + (a.x * b.y) - (a.y * b.x) + (a.z * b.w),
    };
}

stn_quat stn_quat_inverse(stn_quat q)
{
    return (stn_quat){q.w, -q.x, -q.y, -q.z};
}

stn_sprite_vec stn_quat_rotate(stn_quat q, stn_sprite_vec v)
{
    return (stn_sprite_vec){
        .x = q.w * q.w * v.x + 2 * q.w * q.y * v.z - 2 * q.w * q.z * v.y + q.x * q.x * v.x +
             2 * q.x * q.y * v.y + 2 * q.x * q.z * v.z - q.z * q.z * v.x - q.y * q.y * v.x,
        .y = 2 * q.x * q.y * v.x + q.y * q.y * v.y + 2 * q.y * q.z * v.z + 2 * q.w * q.z * v.x -
             q.z * q.z * v.y + q.w * q.w * v.y - 2 * q.w * q.x * v.z - q.x * q.x * v.y,
        .z = 2 * q.x * q.z * v.x + 2 * q.y * q.z * v.y + q.z * q.z * v.z - 2 * q.w * q.y * v.x -
             q.y * q.y * v.z + 2 * q.w * q.x * v.y - q.x * q.x * v.z + q.w * q.w * v.z,
    };
}

stn_quat stn_quat_slerp(stn_quat a, stn_quat b, float t)
{
    float c, k0, k1;

    if (a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z)
        return a;
    c = (a.w * b.w) + (a.x * b.x) + (a.y * b.y) + (a.z * b.z);
    if (c < 0) {
        b = (stn_quat){-b.w, -b.x, -b.y, -b.z};
        c = -c;
    }
    if (c > 0.9999f) {
        k0 = 1 - t;
        k1 = t;
    } else {
        float clamped = c < 0 ? 0 : c > 1 ? 1 : c;
        float da = (float)acos((double)clamped);
        float nf = 1 / (float)sin((double)da);
        /* The arguments are float products; only the sine is taken in double. */
        float a0 = (1 - t) * da, a1 = t * da;
        k0 = (float)sin((double)a0) * nf;
        k1 = (float)sin((double)a1) * nf;
    }
    return (stn_quat){k0 * a.w + k1 * b.w, k0 * a.x + k1 * b.x, k0 * a.y + k1 * b.y, k0 * a.z + k1 * b.z};
}

stn_mat4 stn_mat4_mul(const stn_mat4 *a, const stn_mat4 *b)
{
    stn_mat4 n;
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            n.m[r + 4 * c] = (a->m[r] * b->m[4 * c]) + (a->m[r + 4] * b->m[4 * c + 1]) +
                             (a->m[r + 8] * b->m[4 * c + 2]) + (a->m[r + 12] * b->m[4 * c + 3]);
    return n;
}

stn_mat4 stn_mat4_translate(stn_sprite_vec t)
{
    stn_mat4 n = stn_mat4_identity;
    n.m[12] = t.x;
    n.m[13] = t.y;
    n.m[14] = t.z;
    return n;
}

stn_mat4 stn_mat4_rotate_sc(stn_sprite_vec v, float s, float c)
{
    float x = v.x, y = v.y, z = v.z, C = 1.0f - c;
    stn_mat4 n = stn_mat4_identity;

    n.m[0] = x * x * C + c;
    n.m[4] = y * x * C - z * s;
    n.m[8] = z * x * C + y * s;
    n.m[1] = x * y * C + z * s;
    n.m[5] = y * y * C + c;
    n.m[9] = z * y * C - x * s;
    n.m[2] = x * z * C - y * s;
    n.m[6] = y * z * C + x * s;
    n.m[10] = z * z * C + c;
    return n;
}

stn_mat4 stn_mat4_rotate(stn_sprite_vec axis, float angle)
{
    return stn_mat4_rotate_sc(axis, (float)sin((double)angle), (float)cos((double)angle));
}

stn_mat4 stn_mat4_rigid(stn_sprite_vec x, stn_quat r)
{
    stn_mat4 move = stn_mat4_translate(x), turn;
    double w = (double)r.w;

    if (!(w < 0.999999))
        return move;
    /* Below -1 (a pose that is not quite unit) acos would give NaN: the axis is then as good as any. */
    turn = stn_mat4_rotate(stn_sprite_vec_norm((stn_sprite_vec){r.x, r.y, r.z}),
                           (float)(acos(w < -1 ? -1 : w) * 2.0));
    return stn_mat4_mul(&move, &turn);
}

stn_mat4 stn_mat4_bone(stn_sprite_vec p, stn_quat r)
{
    float w = -r.w, x = r.x, y = r.y, z = r.z;
    float xw = x * w * 2, xx = x * x * 2, xy = x * y * 2, xz = x * z * 2;
    float yw = y * w * 2, yy = y * y * 2, yz = y * z * 2;
    float zw = z * w * 2, zz = z * z * 2;
    stn_mat4 n = stn_mat4_identity;

    n.m[0] = 1 - (yy + zz);
    n.m[5] = 1 - (xx + zz);
    n.m[10] = 1 - (xx + yy);
    n.m[1] = xy - zw;
    n.m[2] = xz + yw;
    n.m[4] = xy + zw;
    n.m[6] = yz - xw;
    n.m[8] = xz - yw;
    n.m[9] = yz + xw;
    n.m[12] = p.x;
    n.m[13] = p.y;
    n.m[14] = p.z;
    return n;
}
