#include "renderer/sprite/sway.h"

#include "base/bytes.h"
#include "num/small_float.h"

#include <math.h>

#define STEM 5.0f /* nearer than this nothing trembles */

static float between(stn_rnd *rnd, float a, float b)
{
    return a + rnd->next(rnd->user) * (b - a);
}

/* The order of the draws is the reference's. */
stn_sway stn_sway_of(float bend, float tremble, stn_rnd *rnd)
{
    stn_sway s;

    s.bend[0] = between(rnd, -0.05f * bend, 0.05f * bend);
    s.bend[1] = between(rnd, -0.05f * bend, 0.05f * bend);
    s.bend[2] = between(rnd, -0.01f * bend, 0.01f * bend);
    s.bend[3] = between(rnd, 0.05f, 0.2f) * STN_PI_F * 2;
    s.tremble[0] = between(rnd, -0.02f * tremble, 0.02f * tremble);
    s.tremble[1] = between(rnd, -0.02f * tremble, 0.02f * tremble);
    s.tremble[2] = between(rnd, -0.03f * tremble, 0.03f * tremble);
    s.tremble[3] = between(rnd, 0.5f, 1.5f) * STN_PI_F * 2;
    return s;
}

stn_sprite_fault stn_sway_read(const uint8_t *data, size_t len, stn_rnd *rnd, stn_sway *out, stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);
    float bend = STN_SWAY_BEND, tremble = STN_SWAY_TREMBLE;

    if (len > 0) {
        stn_bytes_u8(&in);
        bend = stn_f32_of_f8(stn_bytes_u8(&in));
        tremble = stn_f32_of_f8(stn_bytes_u8(&in));
        if (!stn_bytes_ok(&in))
            return stn_sprite_fail(err, STN_SPRITE_EOF, "sway: %zu bytes, expected none or 3", len);
    }
    if (!isfinite(bend) || !isfinite(tremble))
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "sway: a strength that is no number");
    *out = stn_sway_of(bend, tremble, rnd);
    return STN_SPRITE_OK;
}

stn_sprite_vec stn_sway_at(const stn_sway *sway, stn_sprite_vec origin, stn_sprite_vec p, float time)
{
    float dx = p.x - origin.x, dy = p.y - origin.y;
    float bend = sinf(time * sway->bend[3]) * fmaxf(p.z - origin.z, 0);
    float tremble = sinf(time * sway->tremble[3]) * fmaxf(sqrtf(dx * dx + dy * dy) - STEM, 0);

    return (stn_sprite_vec){p.x + sway->bend[0] * bend + sway->tremble[0] * tremble,
                            p.y + sway->bend[1] * bend + sway->tremble[1] * tremble,
                            p.z + sway->bend[2] * bend + sway->tremble[2] * tremble};
}
