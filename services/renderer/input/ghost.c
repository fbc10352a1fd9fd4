#include "renderer/input/ghost.h"

#include "renderer/input/bindings.h"

#include <math.h>

#define TILE 11.0

/* The reference's rounding: halves go up. */
static double rounded(double v)
{
    return floor(v + 0.5);
}

static double wrapped(double a)
{
    if (!isfinite(a))
        return 0.0;
    a = fmod(a, 2.0 * M_PI);
    return a > M_PI ? a - 2.0 * M_PI : a < -M_PI ? a + 2.0 * M_PI : a;
}

static double snapped(double p, bool fine, double steps)
{
    if (!fine)
        return floor(p / TILE) * TILE + 5.5;
    return steps > 0.0 ? rounded(p / TILE * steps) / steps * TILE : p;
}

void stn_ghost_begin(stn_ghost *g, uint32_t number)
{
    *g = (stn_ghost){.number = number};
}

void stn_ghost_point(stn_ghost *g, double x, double y)
{
    if (!g->number || !isfinite(x) || !isfinite(y))
        return;
    g->at_x = x;
    g->at_y = y;
    g->pointed = true;
}

bool stn_ghost_settle(stn_ghost *g, const stn_ghost_input *in)
{
    bool fine = (in->modifiers & STN_MOD_SHIFT) != 0;

    if (!g->number || !g->pointed)
        return false;
    g->x = snapped(g->at_x, fine, in->steps);
    g->y = snapped(g->at_y, fine, in->steps);
    if (!g->turned && in->has_player && isfinite(in->player_x) && isfinite(in->player_y))
        g->angle = rounded(atan2(in->player_y - g->y, in->player_x - g->x) / (M_PI / 2.0)) * (M_PI / 2.0);
    return true;
}

bool stn_ghost_turn(stn_ghost *g, double n, unsigned modifiers)
{
    const double eighth = M_PI / 4.0;

    if (!g->number || !isfinite(n) || !(modifiers & (STN_MOD_CTRL | STN_MOD_SHIFT)))
        return false;
    if (modifiers & STN_MOD_CTRL)
        g->angle = eighth * rounded((g->angle + n * eighth) / eighth);
    else
        g->angle += n * (M_PI / 12.0);
    g->angle = wrapped(g->angle);
    g->turned = true;
    return true;
}

bool stn_ghost_wheel(stn_ghost *g, double n, unsigned modifiers)
{
    double whole;

    if (!g->number || !isfinite(n) || !(modifiers & (STN_MOD_CTRL | STN_MOD_SHIFT)))
        return false;
    /* Parts that make a step together do so in spite of their rounding. */
    whole = trunc((g->wheel + n) * (1.0 + 1e-9));
    g->wheel += n - whole;
    return whole == 0.0 || stn_ghost_turn(g, whole, modifiers);
}
