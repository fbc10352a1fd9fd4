#include "renderer/scene/cull.h"

#include <math.h>

void stn_cull_corners(const stn_m4 *world, const stn_cull_box *b, stn_v3 out[STN_CULL_CORNERS])
{
    for (int i = 0; i < STN_CULL_CORNERS; i++)
        out[i] = stn_m4_pt(world, (stn_v3){i & 1 ? b->max.x : b->min.x, i & 2 ? b->max.y : b->min.y,
                                           i & 4 ? b->max.z : b->min.z});
}

/* The eight corners side by side, so that the compiler takes several at once. Each sum is made in the order
 * of stn_m4_v4(): where a corner lies on a side's very edge the last bit decides. */
typedef struct lanes {
    float at[STN_CULL_CORNERS];
} lanes;

static lanes clip_row(const float *m, const lanes *x, const lanes *y, const lanes *z)
{
    lanes out;

    for (int i = 0; i < STN_CULL_CORNERS; i++)
        out.at[i] = m[0] * x->at[i] + m[4] * y->at[i] + m[8] * z->at[i] + m[12] * 1.0f;
    return out;
}

/* Whether every corner is below its limit. */
static bool all_below(const lanes *c, const lanes *limit)
{
    int below = 1;

    for (int i = 0; i < STN_CULL_CORNERS; i++)
        below &= c->at[i] < limit->at[i];
    return below;
}

static bool all_above(const lanes *c, const lanes *limit)
{
    int above = 1;

    for (int i = 0; i < STN_CULL_CORNERS; i++)
        above &= c->at[i] > limit->at[i];
    return above;
}

bool stn_cull_inside(const stn_m4 *clip, const stn_v3 corners[STN_CULL_CORNERS], float k)
{
    lanes x, y, z, c, w, high, low, near;

    for (int i = 0; i < STN_CULL_CORNERS; i++) {
        x.at[i] = corners[i].x;
        y.at[i] = corners[i].y;
        z.at[i] = corners[i].z;
    }
    w = clip_row(clip->m + 3, &x, &y, &z);
    for (int i = 0; i < STN_CULL_CORNERS; i++) {
        high.at[i] = k * w.at[i];
        low.at[i] = -high.at[i];
        near.at[i] = -w.at[i];
    }
    c = clip_row(clip->m, &x, &y, &z);
    if (all_below(&c, &low) || all_above(&c, &high))
        return false;
    c = clip_row(clip->m + 1, &x, &y, &z);
    if (all_below(&c, &low) || all_above(&c, &high))
        return false;
    c = clip_row(clip->m + 2, &x, &y, &z);
    return !all_below(&c, &near);
}

float stn_cull_nearest(const stn_m4 *clip, const stn_v3 corners[STN_CULL_CORNERS])
{
    float minw = INFINITY;

    for (int i = 0; i < STN_CULL_CORNERS; i++) {
        stn_v4 c = stn_m4_v4(clip, (stn_v4){corners[i].x, corners[i].y, corners[i].z, 1.0f});

        minw = c.w < minw ? c.w : minw;
    }
    return minw;
}

double stn_lod_size(const stn_m4 *clip, float nearest, double diameter)
{
    const float *m = clip->m;

    if (!((double)nearest > 1e-3))
        return INFINITY;
    return diameter * sqrt((double)(m[1] * m[1] + m[5] * m[5] + m[9] * m[9])) / (2.0 * (double)nearest);
}

double stn_cull_size(const stn_m4 *clip, const stn_v3 corners[STN_CULL_CORNERS], double diameter)
{
    return stn_lod_size(clip, stn_cull_nearest(clip, corners), diameter);
}

int stn_lod_level(double size, int current)
{
    static const double at[3] = {0.10, 0.05, 0.025};
    int level = 0;

    for (int i = 0; i < 3; i++)
        if (size < at[i] * (current <= i ? 0.9 : 1.1))
            level++;
    return level;
}

bool stn_lod_seen(double size, bool seen)
{
    return !(size < 0.0015 * (seen ? 0.9 : 1.1));
}

float stn_lod_scale(const stn_m4 *model)
{
    const float *m = model->m;
    float most = 0.0f;

    for (int i = 0; i < 12; i += 4)
        most = fmaxf(most, m[i] * m[i] + m[i + 1] * m[i + 1] + m[i + 2] * m[i + 2]);
    return sqrtf(most);
}

stn_v4 stn_quat_about(stn_v3 axis, float angle)
{
    float s = (float)sin((double)(angle * 0.5f));

    return (stn_v4){s * axis.x, s * axis.y, s * axis.z, (float)cos((double)(angle * 0.5f))};
}
