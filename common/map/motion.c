#include "map/motion.h"

#include <math.h>

void stn_linear_tick(stn_linear *m, double dt)
{
    if (m->frozen)
        return;
    m->t += dt * STN_MOTION_RATE;
    if (m->has_end && m->t > m->end) {
        m->t = m->end;
    } else if (m->t > m->lt + STN_MOTION_AHEAD) {
        m->t = m->lt + STN_MOTION_AHEAD;
        m->frozen = true;
    }
}

void stn_linear_step(stn_linear *m, double t, double end)
{
    m->lt = t;
    if (t > m->t) {
        m->t = t;
        m->frozen = false;
    }
    m->has_end = end >= 0;
    m->end = end;
}

void stn_linear_at(const stn_linear *m, double *x, double *y)
{
    *x = m->sx + m->vx * m->t;
    *y = m->sy + m->vy * m->t;
}

double stn_linear_speed(const stn_linear *m)
{
    return hypot(m->vx, m->vy);
}
