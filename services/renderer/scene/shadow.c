#include "renderer/scene/shadow.h"

#include <string.h>

stn_shadow_place stn_shadow_place_at(stn_v4 day, stn_v3 centre, float size)
{
    stn_v3 d = {-day.x, -day.y, -day.z};
    stn_v3 base = stn_v3_sub(centre, stn_v3_mul(d, 1000.0f));

    return (stn_shadow_place){.view = stn_m4_camdir(base, d),
                              .proj = stn_m4_ortho(-size, size, -size, size, 1.0f, STN_SHADOW_DEPTH)};
}

stn_m4 stn_shadow_matrix(const stn_shadow_place *p, const stn_m4 *main_view)
{
    static const stn_m4 half = {{0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, 0.5f, 0.5f, 0.5f, 1}};

    return stn_m4_mul(stn_m4_mul(stn_m4_mul(half, p->proj), p->view), stn_m4_rxinvert(*main_view));
}

bool stn_shadow_follow_tick(stn_shadow_follow *f, double dt, stn_v4 day, stn_v3 player, float size)
{
    bool far = !f->placed || stn_v3_dist(f->centre, player) > 50.0f;

    f->since += dt;
    if (!far && (f->since <= 0.1 || memcmp(&day, &f->day, sizeof day) == 0))
        return false;
    if (far)
        f->centre = player;
    f->placed = true;
    f->since = 0.0;
    f->day = day;
    f->place = stn_shadow_place_at(day, f->centre, size);
    return true;
}
