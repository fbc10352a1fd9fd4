#include "renderer/scene/project.h"

#include <math.h>

stn_v4 stn_project_clip(const stn_m4 *world, const stn_m4 *view, const stn_m4 *proj, stn_v3 p)
{
    stn_v4 v = stn_m4_v4(world, (stn_v4){p.x, p.y, p.z, 1.0f});

    v = stn_m4_v4(view, v);
    return stn_m4_v4(proj, v);
}

stn_v3 stn_project_view(stn_v4 c, float x0, float y0, float w, float h)
{
    float f = 1.0f / c.w;
    float x = c.x * f, y = c.y * f, z = c.z * f;

    return (stn_v3){x0 + ((x + 1.0f) * 0.5f) * w, y0 + ((-y + 1.0f) * 0.5f) * h, (z + 1.0f) * 0.5f};
}

bool stn_project_clipped(stn_v4 c, unsigned mask)
{
    return c.w <= 0.0f || ((mask & STN_CLIP_NX) && c.x < -c.w) || ((mask & STN_CLIP_PX) && c.x > c.w) ||
           ((mask & STN_CLIP_NY) && c.y < -c.w) || ((mask & STN_CLIP_PY) && c.y > c.w) ||
           ((mask & STN_CLIP_NZ) && c.z < -c.w) || ((mask & STN_CLIP_PZ) && c.z > c.w);
}

stn_v4 stn_project_line_clip(stn_v4 a, stn_v4 b, unsigned mask)
{
    stn_v4 d = {b.x - a.x, b.y - a.y, b.z - a.z, b.w - a.w};
    const float at[6] = {(-a.w - a.x) / (d.x + d.w), (a.w - a.x) / (d.x - d.w),  (-a.w - a.y) / (d.y + d.w),
                         (a.w - a.y) / (d.y - d.w),  (-a.w - a.z) / (d.z + d.w), (a.w - a.z) / (d.z - d.w)};
    float t = INFINITY;

    for (int i = 0; i < 6; i++)
        if ((mask & 1u << i) && at[i] >= 0.0f && at[i] < t)
            t = at[i];
    return (stn_v4){a.x + d.x * t, a.y + d.y * t, a.z + d.z * t, a.w + d.w * t};
}

stn_v4 stn_project_from_ndc(const stn_m4 *proj, stn_v3 n)
{
    stn_m4 inv;
    float w;

    if (!stn_m4_invert(proj, &inv))
        return (stn_v4){0.0f, 0.0f, 0.0f, 0.0f};
    w = 1.0f / (n.x * inv.m[3] + n.y * inv.m[7] + n.z * inv.m[11] + inv.m[15]);
    return stn_m4_v4(&inv, (stn_v4){n.x * w, n.y * w, n.z * w, w});
}

stn_v4 stn_project_from_clip(const stn_m4 *proj, stn_v3 c)
{
    stn_m4 inv;
    float w;

    if (!stn_m4_invert(proj, &inv))
        return (stn_v4){0.0f, 0.0f, 0.0f, 0.0f};
    w = (1.0f - c.x * inv.m[3] - c.y * inv.m[7] - c.z * inv.m[11]) / inv.m[15];
    return stn_m4_v4(&inv, (stn_v4){c.x, c.y, c.z, w});
}

bool stn_project_ray(const stn_m4 *view, const stn_m4 *proj, double px, double py, double w, double h,
                     stn_v3 *origin, stn_v3 *dir)
{
    float x = (float)(px / w * 2.0 - 1.0), y = (float)(1.0 - py / h * 2.0);
    stn_m4 inv, back;
    stn_v4 a, b;

    if (!stn_m4_invert(proj, &inv) || !stn_m4_invert(view, &back))
        return false;
    a = stn_project_from_ndc(proj, (stn_v3){x, y, -1.0f});
    b = stn_project_from_ndc(proj, (stn_v3){x, y, 1.0f});
    *origin = stn_m4_pt(&back, (stn_v3){a.x, a.y, a.z});
    *dir = stn_v3_norm(stn_v3_sub(stn_m4_pt(&back, (stn_v3){b.x, b.y, b.z}), *origin));
    return stn_v3_finite(*origin) && stn_v3_finite(*dir);
}
