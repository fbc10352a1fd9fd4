/* m4.c - see m4.h. Do not reorder any sum: the order is the definition. */
#include "renderer/scene/m4.h"

#include <math.h>

stn_v3 stn_v3_cross(stn_v3 a, stn_v3 b)
{
    return (stn_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static float root(float v)
{
    return (float)sqrt((double)v);
}

float stn_v3_abs(stn_v3 a)
{
    return root(a.x * a.x + a.y * a.y + a.z * a.z);
}

stn_v3 stn_v3_norm(stn_v3 a)
{
    float len = stn_v3_abs(a);

    if (len == 0.0f)
        return (stn_v3){0.0f, 0.0f, 0.0f};
    return (stn_v3){a.x / len, a.y / len, a.z / len};
}

float stn_v3_dist(stn_v3 a, stn_v3 b)
{
    return stn_v3_abs(stn_v3_sub(b, a));
}

float stn_v3_xyangle(stn_v3 a, stn_v3 b)
{
    stn_v3 c = stn_v3_sub(b, a);
    float q;

    if (c.x == 0.0f)
        return c.y < 0.0f ? -STN_PI32 / 2.0f : STN_PI32 / 2.0f;
    q = c.y / c.x;
    if (c.x > 0.0f)
        return (float)atan((double)q);
    if (c.y < 0.0f)
        return (float)(-STN_PI + atan((double)q));
    return (float)(STN_PI + atan((double)q));
}

stn_v3 stn_v3_sph(float elev, float azim, float radius)
{
    float ce = (float)cos((double)elev), se = (float)sin((double)elev);
    float ca = (float)cos((double)azim), sa = (float)sin((double)azim);

    return (stn_v3){ca * ce * radius, sa * ce * radius, se * radius};
}

bool stn_v3_finite(stn_v3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

stn_m4 stn_m4_identity(void)
{
    return (stn_m4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

stn_m4 stn_m4_mul(stn_m4 a, stn_m4 b)
{
    stn_m4 out;

    for (int k = 0; k < 4; k++)
        for (int r = 0; r < 4; r++)
            out.m[4 * k + r] =
                ((a.m[r] * b.m[4 * k] + a.m[r + 4] * b.m[4 * k + 1]) + a.m[r + 8] * b.m[4 * k + 2]) +
                a.m[r + 12] * b.m[4 * k + 3];
    return out;
}

stn_v3 stn_m4_pt(const stn_m4 *a, stn_v3 p)
{
    const float *m = a->m;

    return (stn_v3){m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12],
                    m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13],
                    m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14]};
}

stn_v4 stn_m4_v4(const stn_m4 *a, stn_v4 v)
{
    const float *m = a->m;

    return (stn_v4){m[0] * v.x + m[4] * v.y + m[8] * v.z + m[12] * v.w,
                    m[1] * v.x + m[5] * v.y + m[9] * v.z + m[13] * v.w,
                    m[2] * v.x + m[6] * v.y + m[10] * v.z + m[14] * v.w,
                    m[3] * v.x + m[7] * v.y + m[11] * v.z + m[15] * v.w};
}

stn_v3 stn_m4_dir(const stn_m4 *a, stn_v3 d)
{
    const float *m = a->m;

    return (stn_v3){m[0] * d.x + m[4] * d.y + m[8] * d.z, m[1] * d.x + m[5] * d.y + m[9] * d.z,
                    m[2] * d.x + m[6] * d.y + m[10] * d.z};
}

stn_m4 stn_m4_transpose(stn_m4 a)
{
    stn_m4 out;

    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            out.m[4 * c + r] = a.m[4 * r + c];
    return out;
}

stn_m4 stn_m4_trim3(stn_m4 a, float e)
{
    a.m[3] = a.m[7] = a.m[11] = a.m[12] = a.m[13] = a.m[14] = 0.0f;
    a.m[15] = e;
    return a;
}

stn_m4 stn_m4_rxinvert(stn_m4 a)
{
    return stn_m4_mul(stn_m4_transpose(stn_m4_trim3(a, 1.0f)),
                      stn_m4_xlate((stn_v3){-a.m[12], -a.m[13], -a.m[14]}));
}

/* The adjugate: element i is the sum of sign*(m[a]*m[b])*m[c], in this order. A leading minus negates the
 * first factor, which for f32 is the same as negating the product. */
static const struct term {
    signed char sign, a, b, c;
} terms[16][6] = {
    {{1, 5, 10, 15}, {-1, 5, 11, 14}, {-1, 9, 6, 15}, {1, 9, 7, 14}, {1, 13, 6, 11}, {-1, 13, 7, 10}},
    {{-1, 1, 10, 15}, {1, 1, 11, 14}, {1, 9, 2, 15}, {-1, 9, 3, 14}, {-1, 13, 2, 11}, {1, 13, 3, 10}},
    {{1, 1, 6, 15}, {-1, 1, 7, 14}, {-1, 5, 2, 15}, {1, 5, 3, 14}, {1, 13, 2, 7}, {-1, 13, 3, 6}},
    {{-1, 1, 6, 11}, {1, 1, 7, 10}, {1, 5, 2, 11}, {-1, 5, 3, 10}, {-1, 9, 2, 7}, {1, 9, 3, 6}},
    {{-1, 4, 10, 15}, {1, 4, 11, 14}, {1, 8, 6, 15}, {-1, 8, 7, 14}, {-1, 12, 6, 11}, {1, 12, 7, 10}},
    {{1, 0, 10, 15}, {-1, 0, 11, 14}, {-1, 8, 2, 15}, {1, 8, 3, 14}, {1, 12, 2, 11}, {-1, 12, 3, 10}},
    {{-1, 0, 6, 15}, {1, 0, 7, 14}, {1, 4, 2, 15}, {-1, 4, 3, 14}, {-1, 12, 2, 7}, {1, 12, 3, 6}},
    {{1, 0, 6, 11}, {-1, 0, 7, 10}, {-1, 4, 2, 11}, {1, 4, 3, 10}, {1, 8, 2, 7}, {-1, 8, 3, 6}},
    {{1, 4, 9, 15}, {-1, 4, 11, 13}, {-1, 8, 5, 15}, {1, 8, 7, 13}, {1, 12, 5, 11}, {-1, 12, 7, 9}},
    {{-1, 0, 9, 15}, {1, 0, 11, 13}, {1, 8, 1, 15}, {-1, 8, 3, 13}, {-1, 12, 1, 11}, {1, 12, 3, 9}},
    {{1, 0, 5, 15}, {-1, 0, 7, 13}, {-1, 4, 1, 15}, {1, 4, 3, 13}, {1, 12, 1, 7}, {-1, 12, 3, 5}},
    {{-1, 0, 5, 11}, {1, 0, 7, 9}, {1, 4, 1, 11}, {-1, 4, 3, 9}, {-1, 8, 1, 7}, {1, 8, 3, 5}},
    {{-1, 4, 9, 14}, {1, 4, 10, 13}, {1, 8, 5, 14}, {-1, 8, 6, 13}, {-1, 12, 5, 10}, {1, 12, 6, 9}},
    {{1, 0, 9, 14}, {-1, 0, 10, 13}, {-1, 8, 1, 14}, {1, 8, 2, 13}, {1, 12, 1, 10}, {-1, 12, 2, 9}},
    {{-1, 0, 5, 14}, {1, 0, 6, 13}, {1, 4, 1, 14}, {-1, 4, 2, 13}, {-1, 12, 1, 6}, {1, 12, 2, 5}},
    {{1, 0, 5, 10}, {-1, 0, 6, 9}, {-1, 4, 1, 10}, {1, 4, 2, 9}, {1, 8, 1, 6}, {-1, 8, 2, 5}},
};

bool stn_m4_invert(const stn_m4 *a, stn_m4 *out)
{
    const float *m = a->m;
    float det, k;

    for (int i = 0; i < 16; i++) {
        float sum = 0.0f;

        for (int t = 0; t < 6; t++) {
            const struct term *u = &terms[i][t];
            float p = (m[u->a] * m[u->b]) * m[u->c];

            if (t == 0)
                sum = u->sign < 0 ? -p : p;
            else
                sum = u->sign < 0 ? sum - p : sum + p;
        }
        out->m[i] = sum;
    }
    det = ((m[0] * out->m[0] + m[1] * out->m[4]) + m[2] * out->m[8]) + m[3] * out->m[12];
    if (det == 0.0f)
        return false;
    k = 1.0f / det;
    for (int i = 0; i < 16; i++)
        out->m[i] *= k;
    return true;
}

stn_m4 stn_m4_xlate(stn_v3 v)
{
    stn_m4 out = stn_m4_identity();

    out.m[12] = v.x;
    out.m[13] = v.y;
    out.m[14] = v.z;
    return out;
}

stn_m4 stn_m4_scale(float x, float y, float z)
{
    stn_m4 out = stn_m4_identity();

    out.m[0] = x;
    out.m[5] = y;
    out.m[10] = z;
    return out;
}

stn_m4 stn_m4_rot_sc(stn_v3 v, float s, float c)
{
    float x = v.x, y = v.y, z = v.z, C = 1.0f - c;

    return (stn_m4){{x * x * C + c, x * y * C + z * s, x * z * C - y * s, 0, y * x * C - z * s, y * y * C + c,
                     y * z * C + x * s, 0, z * x * C + y * s, z * y * C - x * s, z * z * C + c, 0, 0, 0, 0,
                     1}};
}

stn_m4 stn_m4_rot(stn_v3 axis, float angle)
{
    return stn_m4_rot_sc(axis, (float)sin((double)angle), (float)cos((double)angle));
}

stn_m4 stn_m4_frustum(float l, float r, float b, float t, float n, float f)
{
    stn_m4 out = {{0}};

    out.m[0] = (2.0f * n) / (r - l);
    out.m[5] = (2.0f * n) / (t - b);
    out.m[8] = (r + l) / (r - l);
    out.m[9] = (t + b) / (t - b);
    out.m[10] = -(f + n) / (f - n);
    out.m[11] = -1.0f;
    out.m[14] = -(2.0f * f * n) / (f - n);
    return out;
}

stn_m4 stn_m4_ortho(float l, float r, float b, float t, float n, float f)
{
    stn_m4 out = {{0}};

    out.m[0] = 2.0f / (r - l);
    out.m[5] = 2.0f / (t - b);
    out.m[10] = -2.0f / (f - n);
    out.m[12] = -(r + l) / (r - l);
    out.m[13] = -(t + b) / (t - b);
    out.m[14] = -(f + n) / (f - n);
    out.m[15] = 1.0f;
    return out;
}

stn_m4 stn_m4_onlyxl(stn_m4 a)
{
    return stn_m4_xlate((stn_v3){a.m[12], a.m[13], a.m[14]});
}

stn_m4 stn_m4_nullrot(stn_m4 a)
{
    a.m[0] = a.m[5] = a.m[10] = 1.0f;
    a.m[1] = a.m[2] = a.m[4] = a.m[6] = a.m[8] = a.m[9] = 0.0f;
    return a;
}

bool stn_m4_finite(const stn_m4 *a)
{
    for (int i = 0; i < 16; i++)
        if (!isfinite(a->m[i]))
            return false;
    return true;
}

stn_m4 stn_m4_pointed(stn_v3 base, float dist, float e, float a)
{
    stn_m4 out = stn_m4_xlate((stn_v3){0.0f, 0.0f, -dist});

    out = stn_m4_mul(out, stn_m4_rot((stn_v3){-1.0f, 0.0f, 0.0f}, STN_PI32 / 2.0f - e));
    out = stn_m4_mul(out, stn_m4_rot((stn_v3){0.0f, 0.0f, -1.0f}, STN_PI32 / 2.0f + a));
    return stn_m4_mul(out, stn_m4_xlate((stn_v3){-base.x, -base.y, -base.z}));
}

stn_m4 stn_m4_camdir(stn_v3 base, stn_v3 d)
{
    stn_v3 axis = stn_v3_cross((stn_v3){0.0f, 0.0f, -1.0f}, d);
    float angle = (float)asin((double)stn_v3_abs(axis));

    return stn_m4_mul(stn_m4_rot(axis, -angle), stn_m4_xlate((stn_v3){-base.x, -base.y, -base.z}));
}

stn_m4 stn_place_default(double angle)
{
    return stn_m4_rot((stn_v3){0.0f, 0.0f, 1.0f}, -(float)angle);
}

stn_m4 stn_place_incline(double angle, stn_v3 n)
{
    stn_m4 turn = stn_place_default(angle);
    stn_v3 c;
    float s;

    n.y = -n.y;
    c = stn_v3_cross((stn_v3){0.0f, 0.0f, 1.0f}, n);
    s = stn_v3_abs(c);
    if (s > 0.0f)
        turn = stn_m4_mul(stn_m4_rot_sc(stn_v3_mul(c, 1.0f / s), s, root(1.0f - s * s)), turn);
    return turn;
}
