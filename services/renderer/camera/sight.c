#include "renderer/camera/sight.h"

#include "renderer/scene/project.h"

#include <math.h>

#define TURNED_COS 0.99 /* 8 degrees */
#define WIDER 0.1 /* in the cosine */
#define STEPPED 137.5 /* half a cut, map units */

stn_camera_sight stn_camera_sight_of(const stn_m4 *view, const stn_m4 *proj)
{
    static const double corners[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    stn_camera_sight s = {0};
    stn_v3 ahead, corner, ignored;
    stn_m4 stand;
    double length;

    /* The last row of a perspective is (0, 0, -1, 0). */
    if (proj->m[11] == 0 || !stn_project_ray(view, proj, 0.5, 0.5, 1, 1, &ignored, &ahead) ||
        !stn_m4_invert(view, &stand))
        return s;
    s.eye_x = (double)stand.m[12];
    s.eye_y = -(double)stand.m[13];
    length = hypot((double)ahead.x, (double)ahead.y);
    if (length < 1e-3)
        return s;
    s.x = (double)ahead.x / length;
    s.y = -(double)ahead.y / length;
    s.cos = 1;
    for (int i = 0; i < 4; i++) {
        double across, c;
        if (!stn_project_ray(view, proj, corners[i][0], corners[i][1], 1, 1, &ignored, &corner))
            return (stn_camera_sight){0};
        across = hypot((double)corner.x, (double)corner.y);
        c = ((double)corner.x * s.x - (double)corner.y * s.y) / (across > 0 ? across : 1);
        s.cos = c < s.cos ? c : s.cos;
    }
    /* Wider than half a circle: it sees the ground below itself. */
    if (s.cos < 0)
        return (stn_camera_sight){.eye_x = s.eye_x, .eye_y = s.eye_y};
    return s;
}

bool stn_camera_sight_moved(const stn_camera_sight *a, const stn_camera_sight *b)
{
    bool around_a = a->x == 0 && a->y == 0, around_b = b->x == 0 && b->y == 0;

    if (around_a || around_b)
        return around_a != around_b;
    return a->x * b->x + a->y * b->y < TURNED_COS || fabs(a->cos - b->cos) > WIDER ||
           hypot(a->eye_x - b->eye_x, a->eye_y - b->eye_y) > STEPPED;
}
