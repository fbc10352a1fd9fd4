#include "renderer/scene/bound.h"

#include <math.h>

stn_bound stn_bound_box(stn_sg_v3 c, stn_sg_v3 e)
{
    return (stn_bound){.kind = STN_BOUND_BOX, .c = c, .e = e};
}

stn_bound stn_bound_sphere(stn_sg_v3 c, stn_sg_real r)
{
    return (stn_bound){.kind = STN_BOUND_SPHERE, .c = c, .r = r};
}

stn_bound stn_bound_infinite(void)
{
    return stn_bound_sphere((stn_sg_v3){0, 0, 0}, INFINITY);
}

bool stn_bound_is_finite(const stn_bound *b)
{
    switch (b->kind) {
    case STN_BOUND_BOX:
        return isfinite(b->c.x) && isfinite(b->c.y) && isfinite(b->c.z) && isfinite(b->e.x) &&
               isfinite(b->e.y) && isfinite(b->e.z);
    case STN_BOUND_SPHERE:
        return isfinite(b->c.x) && isfinite(b->c.y) && isfinite(b->c.z) && isfinite(b->r);
    case STN_BOUND_NULL:
        break;
    }
    return false;
}

static stn_bound from_min_max(stn_sg_v3 lo, stn_sg_v3 hi)
{
    stn_bound b = {.kind = STN_BOUND_BOX};

    b.c = (stn_sg_v3){(hi.x + lo.x) * 0.5, (hi.y + lo.y) * 0.5, (hi.z + lo.z) * 0.5};
    b.e = stn_sg_sub(hi, b.c);
    return b;
}

static stn_bound transform_box(const stn_bound *b, const stn_xform *x)
{
    stn_bound out = *b;
    stn_sg_v3 lo = {INFINITY, INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY, -INFINITY};

    if (x->rotation) {
        const stn_sg_real *m = x->m;
        stn_sg_v3 e = {b->e.x * x->s[0], b->e.y * x->s[1], b->e.z * x->s[2]};

        out.c = stn_xform_apply(x, b->c);
        out.e.x = fabs(fabs(m[0]) * e.x + fabs(m[1]) * e.y + fabs(m[2]) * e.z);
        out.e.y = fabs(fabs(m[3]) * e.x + fabs(m[4]) * e.y + fabs(m[5]) * e.z);
        out.e.z = fabs(fabs(m[6]) * e.x + fabs(m[7]) * e.y + fabs(m[8]) * e.z);
        return out;
    }
    for (int i = 0; i < 8; i++) {
        stn_sg_v3 p = stn_xform_apply(x, (stn_sg_v3){b->c.x + (i & 1 ? b->e.x : -b->e.x),
                                                     b->c.y + (i & 2 ? b->e.y : -b->e.y),
                                                     b->c.z + (i & 4 ? b->e.z : -b->e.z)});

        lo = (stn_sg_v3){fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z)};
        hi = (stn_sg_v3){fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z)};
    }
    out = from_min_max(lo, hi);
    out.plane = b->plane;
    return out;
}

stn_bound stn_bound_transform(const stn_bound *b, const stn_xform *x)
{
    stn_bound out = *b;

    if (b->kind == STN_BOUND_NULL)
        return out;
    if (b->kind == STN_BOUND_BOX)
        return transform_box(b, x);
    if (isinf(b->r))
        return out;
    out.c = stn_xform_apply(x, b->c);
    /* The reference adds 1.00001 and takes 1 away again; the bits of that are kept. */
    out.r = (fabs(stn_xform_largest_scale(x) * b->r) + 1.00001) - 1.0;
    return out;
}

static void merge_box(stn_bound *a, const stn_bound *b)
{
    stn_sg_v3 e = b->kind == STN_BOUND_BOX ? b->e : (stn_sg_v3){b->r, b->r, b->r};
    stn_sg_v3 lo = {fmin(a->c.x - a->e.x, b->c.x - e.x), fmin(a->c.y - a->e.y, b->c.y - e.y),
                    fmin(a->c.z - a->e.z, b->c.z - e.z)};
    stn_sg_v3 hi = {fmax(a->c.x + a->e.x, b->c.x + e.x), fmax(a->c.y + a->e.y, b->c.y + e.y),
                    fmax(a->c.z + a->e.z, b->c.z + e.z)};
    int plane = a->plane;

    *a = from_min_max(lo, hi);
    a->plane = plane;
}

static void merge_sphere(stn_bound *a, const stn_bound *b)
{
    stn_sg_real r = b->kind == STN_BOUND_SPHERE ? b->r : sqrt(stn_sg_dot(b->e, b->e));
    stn_sg_v3 d = stn_sg_sub(b->c, a->c);
    stn_sg_real d2 = stn_sg_dot(d, d), dr = r - a->r, len;

    if (dr * dr >= d2) {
        if (dr > 0.0) {
            a->c = b->c;
            a->r = r;
        }
        return;
    }
    len = sqrt(d2);
    if (len > 2.220446049250313e-16) {
        stn_sg_real k = (len + dr) / (2.0 * len);

        a->c = (stn_sg_v3){a->c.x + d.x * k, a->c.y + d.y * k, a->c.z + d.z * k};
    }
    a->r = 0.5 * (len + a->r + r);
}

stn_status stn_bound_merge(stn_bound *a, const stn_bound *b, stn_err *err)
{
    if (b->kind == STN_BOUND_NULL)
        return STN_OK;
    if (a->kind == STN_BOUND_NULL) {
        *a = *b;
        return STN_OK;
    }
    if ((a->kind == STN_BOUND_SPHERE && isinf(a->r)) || (b->kind == STN_BOUND_SPHERE && isinf(b->r))) {
        *a = stn_bound_infinite();
        return STN_OK;
    }
    if (a->kind == STN_BOUND_BOX)
        merge_box(a, b);
    else
        merge_sphere(a, b);
    if (isnan(a->c.x) || isnan(a->c.y) || isnan(a->c.z))
        return stn_fail(err, STN_BAD_DATA, "a merged bound has no centre");
    return STN_OK;
}

int stn_bound_side(const stn_bound *b, const stn_sg_plane *p)
{
    stn_sg_real d = stn_sg_dot(p->n, b->c) - p->k;

    if (b->kind == STN_BOUND_BOX) {
        stn_sg_real r = fabs(b->e.x * p->n.x) + fabs(b->e.y * p->n.y) + fabs(b->e.z * p->n.z);

        return d < -r ? -1 : d > r ? 1 : 0;
    }
    return d <= -b->r ? -1 : d >= b->r ? 1 : 0;
}

static bool clip(stn_sg_real den, stn_sg_real num, stn_sg_real t[2])
{
    if (den > 0.0) {
        if (num > den * t[1])
            return false;
        if (num > den * t[0])
            t[0] = num / den;
        return true;
    }
    if (den < 0.0) {
        if (num > den * t[0])
            return false;
        if (num > den * t[1])
            t[1] = num / den;
        return true;
    }
    return num <= 0.0;
}

static bool ray_box(const stn_bound *b, const stn_sg_ray *ray, stn_sg_real t[2])
{
    stn_sg_v3 d = stn_sg_sub(ray->origin, b->c);
    stn_sg_v3 e = {b->e.x < 1e-4 ? 1e-4 : b->e.x, b->e.y < 1e-4 ? 1e-4 : b->e.y,
                   b->e.z < 1e-4 ? 1e-4 : b->e.z};

    t[0] = 0.0;
    t[1] = INFINITY;
    return clip(ray->dir.x, -d.x - e.x, t) && clip(-ray->dir.x, d.x - e.x, t) &&
           clip(ray->dir.y, -d.y - e.y, t) && clip(-ray->dir.y, d.y - e.y, t) &&
           clip(ray->dir.z, -d.z - e.z, t) && clip(-ray->dir.z, d.z - e.z, t);
}

static bool ray_sphere(const stn_bound *b, const stn_sg_ray *ray, stn_sg_real t[2])
{
    stn_sg_v3 d = stn_sg_sub(ray->origin, b->c);
    stn_sg_real a = stn_sg_dot(d, d) - b->r * b->r, k, disc, root;

    k = stn_sg_dot(ray->dir, d);
    if (a <= 0.0) { /* from inside: where it leaves */
        t[0] = t[1] = sqrt(k * k - a) - k;
        return true;
    }
    if (k >= 0.0)
        return false;
    disc = k * k - a;
    if (disc < 0.0)
        return false;
    root = sqrt(disc);
    t[0] = -k - root;
    t[1] = -k + root;
    return true;
}

bool stn_bound_ray(const stn_bound *b, const stn_sg_ray *ray, stn_sg_real *in, stn_sg_real *out)
{
    stn_sg_real t[2] = {0.0, INFINITY};
    bool hit = false;

    if (b->kind == STN_BOUND_BOX)
        hit = ray_box(b, ray, t);
    else if (b->kind == STN_BOUND_SPHERE)
        hit = isinf(b->r) || ray_sphere(b, ray, t);
    *in = t[0];
    *out = t[1];
    return hit;
}

stn_sg_real stn_bound_distance(const stn_bound *b, stn_sg_v3 p)
{
    stn_sg_v3 d = stn_sg_sub(p, b->c);

    if (b->kind == STN_BOUND_BOX) {
        stn_sg_v3 q = {fabs(d.x) - b->e.x, fabs(d.y) - b->e.y, fabs(d.z) - b->e.z};
        stn_sg_v3 o = {fmax(q.x, 0.0), fmax(q.y, 0.0), fmax(q.z, 0.0)};

        return sqrt(stn_sg_dot(o, o));
    }
    return sqrt(stn_sg_dot(d, d)) - b->r;
}
