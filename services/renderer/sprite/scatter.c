#include "renderer/sprite/scatter.h"

#include <math.h>

#define TILE 11.0f

static stn_sprite_fault add(const stn_scatter *s, stn_obj_random *angles, uint32_t variant, float x, float y,
                            stn_sprout *out, uint32_t *n, stn_err *err)
{
    double z;
    stn_mat4 move, turn;
    float angle;
    stn_sprite_fault fault;

    if (*n == STN_SPROUTS_MAX)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "more than %d plants in one place",
                               STN_SPROUTS_MAX);
    fault = s->ground->z(s->ground->user, STN_SURFACE_MAP, (double)(s->x + x), (double)(s->y + y), &z, err);
    if (fault)
        return fault;
    angle = (float)((double)stn_j48_float(&angles->j48) * M_PI * 2);
    move = stn_mat4_translate((stn_sprite_vec){x, -y, (float)z - s->z});
    turn = stn_mat4_rotate((stn_sprite_vec){0, 0, 1}, angle);
    out[*n] = (stn_sprout){variant, x, y, stn_mat4_mul(&move, &turn)};
    ++*n;
    return STN_SPRITE_OK;
}

static stn_sprite_fault check(int32_t num, int32_t variants, stn_err *err)
{
    if (variants < 1)
        return stn_sprite_fail(err, STN_SPRITE_RESOURCE, "plant: nothing to show at this stage");
    if (num < 0 || num > STN_SPROUTS_MAX)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "plant: %d sprouts, expected 0 to %d", num,
                               STN_SPROUTS_MAX);
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_scatter_growing(const stn_scatter *s, int32_t num, int32_t variants, stn_sprout *out,
                                     uint32_t *n, stn_err *err)
{
    stn_obj_random rnd = stn_obj_random_of(s->object), angles = rnd;
    float wide = num > 1 ? 11.0f : 4.4f, half = num > 1 ? 5.5f : 2.2f;
    stn_sprite_fault fault = check(num, variants, err);

    *n = 0;
    for (int32_t i = 0; i < num && !fault; i++) {
        int32_t v = stn_j48_below(&rnd.j48, variants);
        float x = stn_j48_float(&rnd.j48) * wide - half, y = stn_j48_float(&rnd.j48) * wide - half;
        fault = add(s, &angles, (uint32_t)v, x, y, out, n, err);
    }
    return fault;
}

stn_sprite_fault stn_scatter_trellis(const stn_scatter *s, int32_t num, int32_t variants, stn_sprout *out,
                                     uint32_t *n, stn_err *err)
{
    stn_obj_random rnd = stn_obj_random_of(s->object), angles = rnd;
    float along = (float)cos(s->angle), across = -(float)sin(s->angle);
    float d = TILE / (float)num, c = -(TILE / 2) + (d / 2);
    stn_sprite_fault fault = check(num, variants, err);

    *n = 0;
    for (int32_t i = 0; i < num && !fault; i++) {
        int32_t v = stn_j48_below(&rnd.j48, variants);
        fault = add(s, &angles, (uint32_t)v, c * across, c * along, out, n, err);
        c += d;
    }
    return fault;
}

stn_sprite_fault stn_scatter_gaussian(const stn_scatter *s, int32_t low, int32_t high, float radius,
                                      int32_t groups, const uint32_t *members, stn_sprout *out, uint32_t *n,
                                      stn_err *err)
{
    stn_obj_random rnd = stn_obj_random_of(s->object), angles = rnd;
    stn_sprite_fault fault = check(high, groups, err);
    int32_t count;

    *n = 0;
    if (!fault && (low < 0 || low > high))
        fault = stn_sprite_fail(err, STN_SPRITE_MALFORMED, "plant: from %d to %d sprouts", low, high);
    if (fault)
        return fault;
    count = stn_j48_below(&rnd.j48, high - low + 1) + low;
    for (int32_t i = 0; i < count && !fault; i++) {
        float x = (float)stn_obj_random_gauss(&rnd) * radius, y = (float)stn_obj_random_gauss(&rnd) * radius;
        int32_t v = stn_j48_below(&rnd.j48, groups);
        for (uint32_t m = 0; m < (members ? members[v] : 1) && !fault; m++)
            fault = add(s, &angles, (uint32_t)v, x, y, out, n, err);
    }
    return fault;
}

stn_tilt stn_tree_tilt(int64_t grid, int32_t tile_x, int32_t tile_y)
{
    stn_obj_random r = stn_obj_random_seeded(grid);
    stn_tilt tilt;
    stn_sprite_vec axis;

    stn_j48_seed(&r.j48, stn_j48_long(&r.j48) ^ tile_x);
    stn_j48_seed(&r.j48, stn_j48_long(&r.j48) ^ tile_y);
    tilt.direction = stn_j48_double(&r.j48) * M_PI * 2;
    tilt.amount = stn_obj_random_gauss(&r) * M_PI / 64;
    axis = stn_sprite_vec_norm((stn_sprite_vec){(float)sin(tilt.direction), (float)cos(tilt.direction), 0});
    tilt.turn = stn_mat4_rotate(axis, (float)tilt.amount);
    return tilt;
}

bool stn_health_crack(int64_t object, float hp, stn_crack *out)
{
    stn_obj_random r = stn_obj_random_of(object);
    int32_t level = 3 - (int32_t)floor((double)(hp * 4) + 0.5);
    float x, y, z, angle, s;
    stn_sprite_vec axis;

    if (level < 0)
        return false;
    x = 2 * stn_j48_float(&r.j48) - 1;
    y = 2 * stn_j48_float(&r.j48) - 1;
    z = 2 * stn_j48_float(&r.j48) - 1;
    axis = stn_sprite_vec_norm((stn_sprite_vec){x, y, z});
    angle = stn_j48_float(&r.j48) * STN_PI_F * 2;
    s = (float)sin((double)(angle * 0.5f));
    out->index = level < 2 ? level : 2;
    out->turn[0] = axis.x * s;
    out->turn[1] = axis.y * s;
    out->turn[2] = axis.z * s;
    out->turn[3] = (float)cos((double)(angle * 0.5f));
    out->mix[0] = 1;
    out->mix[1] = out->mix[2] = 0;
    out->mix[3] = (float)(64 - (int32_t)floor((double)(hp * 64) + 0.5)) / 255.0f;
    return true;
}
