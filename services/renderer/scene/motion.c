#include "renderer/scene/motion.h"

#include <math.h>

void stn_motion_tick(stn_motion *m, double dt)
{
    if (!(dt > 0.0))
        return;
    if (m->kind == STN_MOVE_HOMING)
        m->dist += m->v * (dt * STN_MOTION_RATE);
    else if (m->kind == STN_MOVE_LINEAR)
        stn_linear_tick(&m->line, dt);
}

void stn_motion_place(const stn_motion *m, double x, double y, bool has_target, double tx, double ty,
                      double *out_x, double *out_y)
{
    *out_x = x;
    *out_y = y;
    switch (m->kind) {
    case STN_MOVE_LINEAR:
        stn_linear_at(&m->line, out_x, out_y);
        break;
    case STN_MOVE_HOMING:
        stn_homing_at(x, y, has_target ? tx : m->tx, has_target ? ty : m->ty, m->dist, out_x, out_y);
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
    const stn_linear *l = &m->line;

    switch (m->kind) {
    case STN_MOVE_LINEAR:
        return l->frozen || (l->has_end && l->t >= l->end) ? 0.0 : stn_linear_speed(l);
    case STN_MOVE_HOMING:
        return fabs(m->v);
    default:
        return 0.0;
    }
}
