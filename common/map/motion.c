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

void stn_homing_at(double x, double y, double tx, double ty, double gone, double *out_x, double *out_y)
{
    double dx = tx - x, dy = ty - y, e = hypot(dx, dy);

    *out_x = x;
    *out_y = y;
    if (gone > e) {
        *out_x = tx;
        *out_y = ty;
    } else if (e > 0.00001) {
        double q = gone / e;

        *out_x = x + dx * q;
        *out_y = y + dy * q;
    }
}
