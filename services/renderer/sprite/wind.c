#include "renderer/sprite/wind.h"

#include "renderer/sprite/quat.h"

#include <math.h>

#define FULL_TURN (2 * STN_PI_F)
#define MAX_SPEED 20.0f

static float draw(stn_rnd *rnd)
{
    return rnd->next(rnd->user);
}

void stn_wind_tick(stn_wind *w, float dt, stn_rnd *rnd)
{
    /* What is felt is the breeze of before this change. */
    float x = cosf(w->direction) * w->speed, y = sinf(w->direction) * w->speed, fade;

    w->direction += (draw(rnd) * 2 - 1) * 0.005f;
    if (w->direction < 0)
        w->direction += FULL_TURN;
    else if (w->direction >= FULL_TURN)
        w->direction -= FULL_TURN;
    w->speed = fminf(w->speed + draw(rnd) * 0.005f, MAX_SPEED);
    if (draw(rnd) < 1.0f / 2000) {
        w->gust[0] = draw(rnd) * 200 - 100;
        w->gust[1] = draw(rnd) * 200 - 100;
    }
    fade = powf(0.2f, dt);
    w->gust[0] *= fade;
    w->gust[1] *= fade;
    w->now[0] = x + w->gust[0];
    w->now[1] = y + w->gust[1];
}
