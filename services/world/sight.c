#include "world/sight.h"

#include <math.h>
#include <stdlib.h>

#define CUT_UNITS (STN_CUT_TILES * STN_TILE_UNITS)
#define UNSEEN 4 /* twice as far, squared */

bool stn_sight_ok(const stn_sight *s)
{
    double length = hypot(s->look_x, s->look_y);

    return isfinite(s->x) && isfinite(s->y) && isfinite(length) && isfinite(s->look_cos) &&
           (length == 0 || fabs(length - 1) < 1e-3) && s->look_cos >= 0 && s->look_cos <= 1;
}

bool stn_sight_sees(const stn_sight *s, stn_coord cut)
{
    double radius = CUT_UNITS * sqrt(0.5);
    double dx = (cut.x + 0.5) * CUT_UNITS - s->x, dy = (cut.y + 0.5) * CUT_UNITS - s->y;
    double ahead = dx * s->look_x + dy * s->look_y, aside = fabs(dx * s->look_y - dy * s->look_x);
    double look_sin = sqrt(1 - s->look_cos * s->look_cos);

    if (s->look_x == 0 && s->look_y == 0)
        return true;
    /* Behind the camera only the circle around it counts; else the distance to the wedge's nearer edge. */
    return hypot(dx, dy) <= radius || (ahead > -radius && aside * s->look_cos - ahead * look_sin <= radius);
}

int32_t stn_sight_distance(const stn_sight *s, stn_coord cut, int dx, int dy)
{
    int32_t distance = dx * dx + dy * dy;

    if ((abs(dx) <= STN_SIGHT_NEAR && abs(dy) <= STN_SIGHT_NEAR) || stn_sight_sees(s, cut))
        return distance;
    return UNSEEN * distance;
}
