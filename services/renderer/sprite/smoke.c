#include "renderer/sprite/smoke.h"

#include <math.h>

#define EVERY 0.1f /* seconds between births */
#define LATE 1.0f /* seconds that are made up for at most */
#define DRAG 0.2f
#define JITTER 0.3f
#define SIDE_NOISE 0.5f
#define RISE_NOISE 2.0f

static float draw(stn_rnd *rnd)
{
    return rnd->next(rnd->user);
}

static float gauss(stn_smoke *s, stn_rnd *rnd)
{
    float a, b, q, k;
    int tries = 0;

    if (s->has_gauss) {
        s->has_gauss = false;
        return s->gauss;
    }
    do {
        a = 2 * draw(rnd) - 1;
        b = 2 * draw(rnd) - 1;
        q = a * a + b * b;
    } while ((q >= 1 || q == 0) && ++tries < 64); /* a source that is stuck must not hold us up */
    if (q >= 1 || q == 0)
        return 0;
    k = sqrtf(-2 * logf(q) / q);
    s->gauss = b * k;
    s->has_gauss = true;
    return a * k;
}

static float rise(const stn_smoke *s)
{
    return s->look.life > 0 ? s->look.height / s->look.life : 0;
}

static void give_birth(stn_smoke *s, stn_rnd *rnd)
{
    int n = (int)((1 + draw(rnd) * 0.5f) * s->look.density);

    for (int i = 0; i < n && s->count < STN_SMOKE_MAX; i++) {
        float r = sqrtf(draw(rnd)) * s->look.spread, turn = draw(rnd) * 2 * STN_PI_F;
        stn_puff *p = &s->puffs[s->count++];
        *p = (stn_puff){.at = {r * cosf(turn), r * sinf(turn), 0}};
        p->at.x += gauss(s, rnd) * JITTER;
        p->at.y += gauss(s, rnd) * JITTER;
        p->at.z += gauss(s, rnd) * JITTER;
        p->v = (stn_sprite_vec){gauss(s, rnd) * JITTER, gauss(s, rnd) * JITTER, rise(s)};
    }
}

static void move(stn_smoke *s, stn_puff *p, float dt, stn_sprite_vec wind, stn_rnd *rnd)
{
    p->v.x += dt * (-DRAG * (p->v.x - wind.x) + gauss(s, rnd) * SIDE_NOISE);
    p->v.y += dt * (-DRAG * (p->v.y - wind.y) + gauss(s, rnd) * SIDE_NOISE);
    p->v.z += dt * (-DRAG * (p->v.z - wind.z - rise(s)) + gauss(s, rnd) * RISE_NOISE);
    p->at.x += p->v.x * dt;
    p->at.y += p->v.y * dt;
    p->at.z += p->v.z * dt;
    p->age += dt;
}

void stn_smoke_tick(stn_smoke *s, float dt, stn_sprite_vec wind, stn_rnd *rnd)
{
    dt = dt > 0 ? fminf(dt, LATE) : 0;
    for (uint32_t i = 0; i < s->count;) {
        move(s, &s->puffs[i], dt, wind, rnd);
        if (s->puffs[i].age < s->look.life)
            i++;
        else
            s->puffs[i] = s->puffs[--s->count];
    }
    s->since += dt;
    for (; s->since >= EVERY; s->since -= EVERY)
        if (!s->ending)
            give_birth(s, rnd);
}

void stn_smoke_end(stn_smoke *s)
{
    s->ending = true;
}

bool stn_smoke_done(const stn_smoke *s)
{
    return s->ending && s->count == 0;
}

stn_smoke_point stn_smoke_point_of(const stn_smoke *s, uint32_t i)
{
    const stn_smoke_look *look = &s->look;
    const stn_puff *p = &s->puffs[i];
    stn_smoke_point point = {.at = p->at, .size = look->size};
    float left = look->life > 0 ? 1 - powf(p->age / look->life, look->fade) : 0;

    for (int k = 0; k < 4; k++)
        point.color[k] = look->color[k];
    point.color[3] *= left < 0 ? 0 : left > 1 ? 1 : left;
    return point;
}
