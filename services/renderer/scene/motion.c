#include "renderer/scene/motion.h"

#include <math.h>

#define PACE 0.9 /* predicted time runs slower, so that a late word rarely pulls anything back */

void stn_motion_tick(stn_motion *m, double dt)
{
    if (!(dt > 0.0))
        return;
    if (m->kind == STN_MOVE_HOMING)
        m->dist += m->v * (dt * PACE);
    if (m->kind != STN_MOVE_LINEAR || m->frozen)
        return;
    m->t += dt * PACE;
    if (m->has_end && m->t > m->e) {
        m->t = m->e;
    } else if (m->t > m->lt + 0.5) {
        m->t = m->lt + 0.5;
        m->frozen = true;
    }
}

void stn_motion_place(const stn_motion *m, double x, double y, bool has_target, double tx, double ty,
                      double *out_x, double *out_y)
{
    double dx, dy, e;

    *out_x = x;
    *out_y = y;
    switch (m->kind) {
    case STN_MOVE_LINEAR:
        *out_x = m->sx + m->vx * m->t;
        *out_y = m->sy + m->vy * m->t;
        break;
    case STN_MOVE_HOMING:
        dx = (has_target ? tx : m->tx) - x;
        dy = (has_target ? ty : m->ty) - y;
        e = hypot(dx, dy);
        if (m->dist > e) {
            *out_x = x + dx;
            *out_y = y + dy;
        } else if (e > 0.00001) {
            double q = m->dist / e;

            *out_x = x + dx * q;
            *out_y = y + dy * q;
        }
        break;
    case STN_MOVE_FOLLOWING:
        if (has_target) {
            *out_x = tx;
            *out_y = ty;
        }
        break;
    case STN_MOVE_NONE:
        break;
    }
}

double stn_motion_speed(const stn_motion *m)
{
    switch (m->kind) {
    case STN_MOVE_LINEAR:
        return m->frozen || (m->has_end && m->t >= m->e) ? 0.0 : hypot(m->vx, m->vy);
    case STN_MOVE_HOMING:
        return fabs(m->v);
    default:
        return 0.0;
    }
}
