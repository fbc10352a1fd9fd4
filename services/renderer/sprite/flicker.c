#include "renderer/sprite/flicker.h"

#include <math.h>

static float clamped(float v, float low, float high, float otherwise)
{
    return isnan(v) ? otherwise : v < low ? low : v > high ? high : v;
}

static float next_level(const stn_flicker *f, stn_rnd *rnd)
{
    return rnd->next(rnd->user) * (1 - f->min) + f->min;
}

static float next_length(const stn_flicker *f, stn_rnd *rnd)
{
    return (rnd->next(rnd->user) - 0.5f) * f->rate * 0.5f + f->rate;
}

static void show(stn_flicker *f)
{
    /* A rate of nothing jumps from level to level. */
    f->level = f->length > 0 ? f->from + (f->at / f->length) * (f->to - f->from) : f->to;
}

stn_flicker stn_flicker_of(float min, float rate, stn_rnd *rnd)
{
    stn_flicker f = {.min = clamped(min, 0, 1, STN_FLICKER_MIN),
                     .rate = clamped(rate, 0, 60, STN_FLICKER_RATE)};

    f.from = next_level(&f, rnd);
    f.to = next_level(&f, rnd);
    f.length = next_length(&f, rnd);
    show(&f);
    return f;
}

void stn_flicker_tick(stn_flicker *f, float dt, stn_rnd *rnd)
{
    f->at += dt;
    if (f->at > f->length) {
        f->from = f->to;
        f->to = next_level(f, rnd);
        f->at -= f->length;
        f->length = next_length(f, rnd);
        /* A tick that spans more than one change does not catch up with all of them. */
        if (f->at > f->length) {
            f->from = f->to;
            f->to = next_level(f, rnd);
            f->at = 0;
        }
    }
    show(f);
}

stn_light stn_flicker_light(const stn_light *light, float level)
{
    stn_light lit = *light;

    for (int i = 0; i < 4; i++) {
        lit.ambient[i] *= level;
        lit.diffuse[i] *= level;
        lit.specular[i] *= level;
    }
    return lit;
}
