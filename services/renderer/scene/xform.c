#include "renderer/scene/xform.h"

#include <math.h>
#include <string.h>

stn_xform stn_xform_identity(void)
{
    return (stn_xform){.m = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                       .s = {1, 1, 1},
                       .identity = true,
                       .rotation = true,
                       .uniform = true};
}

void stn_xform_translate(stn_xform *x, stn_sg_v3 t)
{
    x->t[0] = t.x;
    x->t[1] = t.y;
    x->t[2] = t.z;
    x->identity = false;
}

stn_status stn_xform_scale(stn_xform *x, stn_sg_v3 s, stn_err *err)
{
    if (!x->rotation)
        return stn_fail(err, STN_USAGE, "a scale on a transform whose matrix is no rotation");
    if (s.x == 0.0 && s.y == 0.0 && s.z == 0.0)
        return stn_fail(err, STN_USAGE, "a scale of zero in all three directions");
    x->s[0] = s.x;
    x->s[1] = s.y;
    x->s[2] = s.z;
    x->identity = false;
    x->uniform = s.x == s.y && s.y == s.z;
    return STN_OK;
}

static bool orthonormal(const stn_sg_real m[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            stn_sg_real d = m[3 * i] * m[3 * k] + m[3 * i + 1] * m[3 * k + 1] + m[3 * i + 2] * m[3 * k + 2];

            if (fabs(d - (i == k ? 1.0 : 0.0)) > 1e-4)
                return false;
        }
    return true;
}

static bool is_identity(const stn_sg_real m[9])
{
    static const stn_sg_real one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

    return memcmp(m, one, sizeof one) == 0;
}

static void reflag(stn_xform *x)
{
    x->identity = is_identity(x->m) && x->t[0] == 0.0 && x->t[1] == 0.0 && x->t[2] == 0.0 && x->s[0] == 1.0 &&
                  x->s[1] == 1.0 && x->s[2] == 1.0;
    x->rotation = x->identity || orthonormal(x->m);
    x->uniform = x->identity || (x->rotation && x->s[0] == x->s[1] && x->s[1] == x->s[2]);
}

void stn_xform_matrix(stn_xform *x, const stn_sg_real m[9])
{
    memcpy(x->m, m, sizeof x->m);
    reflag(x);
}

static void product(const stn_sg_real a[9], const stn_sg_real b[9], stn_sg_real out[9])
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}

static stn_sg_v3 times(const stn_sg_real m[9], stn_sg_v3 v)
{
    return (stn_sg_v3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                       m[6] * v.x + m[7] * v.y + m[8] * v.z};
}

/* The 3x3 with its scale in the columns. */
static void scaled(const stn_xform *x, stn_sg_real out[9])
{
    memcpy(out, x->m, sizeof x->m);
    if (!x->rotation)
        return;
    for (int i = 0; i < 9; i++)
        out[i] = x->m[i] * x->s[i % 3];
}

stn_xform stn_xform_combine(const stn_xform *a, const stn_xform *b)
{
    stn_xform out = {.identity = false};
    stn_sg_v3 bt = {b->t[0], b->t[1], b->t[2]}, t;

    if (a->identity)
        return *b;
    if (b->identity)
        return *a;
    if (a->rotation && b->rotation && a->uniform) {
        product(a->m, b->m, out.m);
        t = times(a->m, bt);
        out.t[0] = t.x * a->s[0] + a->t[0];
        out.t[1] = t.y * a->s[0] + a->t[1];
        out.t[2] = t.z * a->s[0] + a->t[2];
        for (int i = 0; i < 3; i++)
            out.s[i] = a->s[0] * b->s[b->uniform ? 0 : i];
        out.rotation = true;
        out.uniform = b->uniform;
        return out;
    }
    {
        stn_sg_real x[9], y[9];

        scaled(a, x);
        scaled(b, y);
        product(x, y, out.m);
        t = times(x, bt);
        out.t[0] = t.x + a->t[0];
        out.t[1] = t.y + a->t[1];
        out.t[2] = t.z + a->t[2];
        out.s[0] = out.s[1] = out.s[2] = 1.0;
        reflag(&out);
        return out;
    }
}

stn_sg_v3 stn_xform_apply(const stn_xform *x, stn_sg_v3 p)
{
    stn_sg_v3 v;

    if (x->identity)
        return p;
    v = stn_xform_apply_vector(x, p);
    return (stn_sg_v3){v.x + x->t[0], v.y + x->t[1], v.z + x->t[2]};
}

stn_sg_v3 stn_xform_apply_vector(const stn_xform *x, stn_sg_v3 v)
{
    if (x->identity)
        return v;
    if (x->rotation)
        v = (stn_sg_v3){v.x * x->s[0], v.y * x->s[1], v.z * x->s[2]};
    return times(x->m, v);
}

stn_sg_real stn_xform_largest_scale(const stn_xform *x)
{
    stn_sg_v3 v = {x->s[0], x->s[1], x->s[2]};

    if (!x->rotation)
        v = times(x->m, (stn_sg_v3){1.0, 1.0, 1.0});
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}
