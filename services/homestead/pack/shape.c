#include "homestead/pack/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265f

stn_v3 stn_v3_add(stn_v3 a, stn_v3 b)
{
    return (stn_v3){a.x + b.x, a.y + b.y, a.z + b.z};
}

stn_v3 stn_v3_sub(stn_v3 a, stn_v3 b)
{
    return (stn_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

stn_v3 stn_v3_scale(stn_v3 a, float k)
{
    return (stn_v3){a.x * k, a.y * k, a.z * k};
}

stn_v3 stn_v3_mix(stn_v3 a, stn_v3 b, float t)
{
    return (stn_v3){stn_mixf(a.x, b.x, t), stn_mixf(a.y, b.y, t), stn_mixf(a.z, b.z, t)};
}

float stn_v3_dot(stn_v3 a, stn_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

stn_v3 stn_v3_cross(stn_v3 a, stn_v3 b)
{
    return (stn_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

float stn_v3_len(stn_v3 a)
{
    return sqrtf(stn_v3_dot(a, a));
}

stn_v3 stn_v3_norm(stn_v3 a)
{
    float l = stn_v3_len(a);

    return l > 1e-9f ? stn_v3_scale(a, 1.0f / l) : (stn_v3){0, 0, 1};
}

stn_xf stn_xf_id(void)
{
    return (stn_xf){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
}

stn_xf stn_xf_at(float x, float y, float z)
{
    stn_xf a = stn_xf_id();

    a.o = (stn_v3){x, y, z};
    return a;
}

stn_v3 stn_xf_dir(const stn_xf *a, float x, float y, float z)
{
    return stn_v3_add(stn_v3_add(stn_v3_scale(a->x, x), stn_v3_scale(a->y, y)), stn_v3_scale(a->z, z));
}

stn_v3 stn_xf_point(const stn_xf *a, float x, float y, float z)
{
    return stn_v3_add(a->o, stn_xf_dir(a, x, y, z));
}

static stn_xf turn_one(stn_xf a, int axis, float angle)
{
    float c = cosf(angle), s = sinf(angle);
    stn_xf r = a;

    if (axis == 0) {
        r.y = stn_v3_add(stn_v3_scale(a.y, c), stn_v3_scale(a.z, s));
        r.z = stn_v3_add(stn_v3_scale(a.z, c), stn_v3_scale(a.y, -s));
    } else if (axis == 1) {
        r.z = stn_v3_add(stn_v3_scale(a.z, c), stn_v3_scale(a.x, s));
        r.x = stn_v3_add(stn_v3_scale(a.x, c), stn_v3_scale(a.z, -s));
    } else {
        r.x = stn_v3_add(stn_v3_scale(a.x, c), stn_v3_scale(a.y, s));
        r.y = stn_v3_add(stn_v3_scale(a.y, c), stn_v3_scale(a.x, -s));
    }
    return r;
}

stn_xf stn_xf_turn(stn_xf a, float rx, float ry, float rz)
{
    return turn_one(turn_one(turn_one(a, 0, rx), 1, ry), 2, rz);
}

stn_xf stn_xf_move(stn_xf a, float x, float y, float z)
{
    a.o = stn_xf_point(&a, x, y, z);
    return a;
}

stn_xf stn_xf_scale(stn_xf a, float k)
{
    a.x = stn_v3_scale(a.x, k);
    a.y = stn_v3_scale(a.y, k);
    a.z = stn_v3_scale(a.z, k);
    return a;
}

stn_xf stn_xf_along(stn_v3 at, stn_v3 dir)
{
    stn_v3 z = stn_v3_norm(dir), ref = fabsf(z.z) < 0.95f ? (stn_v3){0, 0, 1} : (stn_v3){0, 1, 0};
    stn_v3 x = stn_v3_norm(stn_v3_cross(ref, z));

    return (stn_xf){x, stn_v3_cross(z, x), z, at};
}

/* ---- the growing lists ---- */

void stn_shape_fini(stn_shape *s)
{
    free(s->v);
    free(s->tri);
    *s = (stn_shape){0};
}

uint32_t stn_shape_vertex(stn_shape *s, stn_v3 p, stn_v3 n, float u, float v)
{
    if (s->nv == s->cap_v && !s->failed) {
        size_t cap = s->cap_v ? s->cap_v * 2 : 256;
        stn_vertex *more = realloc(s->v, cap * sizeof *more);

        if (!more) {
            s->failed = true;
        } else {
            s->v = more;
            s->cap_v = cap;
        }
    }
    if (s->failed)
        return 0;
    s->v[s->nv] = (stn_vertex){.p = p, .n = stn_v3_norm(n), .s = u, .t = v, .bone = {-1, -1, -1, -1}};
    return (uint32_t)s->nv++;
}

void stn_shape_tri(stn_shape *s, uint32_t a, uint32_t b, uint32_t c)
{
    if (s->nt == s->cap_t && !s->failed) {
        size_t cap = s->cap_t ? s->cap_t * 2 : 256;
        uint32_t *more = realloc(s->tri, 3 * cap * sizeof *more);

        if (!more) {
            s->failed = true;
        } else {
            s->tri = more;
            s->cap_t = cap;
        }
    }
    if (s->failed)
        return;
    s->tri[3 * s->nt] = a;
    s->tri[3 * s->nt + 1] = b;
    s->tri[3 * s->nt + 2] = c;
    s->nt++;
}

void stn_shape_card(stn_shape *s, const stn_v3 corner[4], const stn_v3 normal[4], float s0, float t0,
                    float s1, float t1)
{
    uint32_t a = stn_shape_vertex(s, corner[0], normal[0], s0, t1),
             b = stn_shape_vertex(s, corner[1], normal[1], s1, t1);
    uint32_t c = stn_shape_vertex(s, corner[2], normal[2], s1, t0),
             d = stn_shape_vertex(s, corner[3], normal[3], s0, t0);

    stn_shape_tri(s, a, b, c);
    stn_shape_tri(s, a, c, d);
}

void stn_shape_quad(stn_shape *s, stn_v3 a, stn_v3 b, stn_v3 c, stn_v3 d, float s0, float t0, float s1,
                    float t1)
{
    stn_v3 n = stn_v3_norm(stn_v3_cross(stn_v3_sub(b, a), stn_v3_sub(d, a)));
    stn_v3 corner[4] = {a, b, c, d}, normal[4] = {n, n, n, n};

    stn_shape_card(s, corner, normal, s0, t0, s1, t1);
}

/* ---- beams ---- */

void stn_shape_beam(stn_shape *sides, stn_shape *ends, const stn_xf *xf, float x, float y, float z,
                    float bevel, float scale, float s0, float t0)
{
    float hx = x / 2, hy = y / 2, hz = z / 2, b = fminf(bevel, 0.45f * fminf(y, z));
    /* The outline across the grain, counter-clockwise seen from +x; eight corners when the edges are broken.
     */
    float ring[8][2];
    int n = 0;

    if (b > 0.0f) {
        const float r[8][2] = {{-hy + b, -hz}, {hy - b, -hz}, {hy, -hz + b}, {hy, hz - b},
                               {hy - b, hz},   {-hy + b, hz}, {-hy, hz - b}, {-hy, -hz + b}};

        memcpy(ring, r, sizeof r);
        n = 8;
    } else {
        const float r[4][2] = {{-hy, -hz}, {hy, -hz}, {hy, hz}, {-hy, hz}};

        memcpy(ring, r, sizeof r);
        n = 4;
    }
    float t = t0;

    for (int i = 0; i < n; i++) {
        const float *p = ring[i], *q = ring[(i + 1) % n];
        float w = hypotf(q[0] - p[0], q[1] - p[1]) * scale * 2.0f;
        stn_v3 a = stn_xf_point(xf, hx, p[0], p[1]), e = stn_xf_point(xf, -hx, p[0], p[1]);
        stn_v3 c = stn_xf_point(xf, -hx, q[0], q[1]), d = stn_xf_point(xf, hx, q[0], q[1]);

        stn_shape_quad(sides, a, e, c, d, s0, t, s0 + x * scale, t + w);
        t += w;
    }
    if (!ends)
        return;
    for (int side = 0; side < 2; side++) {
        float sx = side ? hx : -hx;
        stn_v3 normal = stn_xf_dir(xf, side ? 1.0f : -1.0f, 0, 0);
        uint32_t first = 0;

        for (int i = 0; i < n; i++) {
            const float *p = ring[side ? i : n - 1 - i];
            uint32_t v =
                stn_shape_vertex(ends, stn_xf_point(xf, sx, p[0], p[1]), normal,
                                 0.5f + p[0] / (2 * fmaxf(hy, hz)), 0.5f + p[1] / (2 * fmaxf(hy, hz)));

            if (i == 0)
                first = v;
            else if (i >= 2)
                stn_shape_tri(ends, first, v - 1, v);
        }
    }
}

/* ---- sweeps ---- */

void stn_shape_tube(stn_shape *s, const stn_v3 *path, const float *radius, size_t n, unsigned around,
                    float repeat_s, float repeat_t, bool closed_end)
{
    stn_v3 right = {1, 0, 0};
    float along = 0;
    size_t first = s->nv;

    for (size_t i = 0; i < n; i++) {
        stn_v3 dir = stn_v3_norm(stn_v3_sub(path[i + 1 < n ? i + 1 : i], path[i > 0 ? i - 1 : 0]));

        /* The frame is carried along, so that the tube does not twist. */
        if (i == 0)
            right = stn_xf_along(path[0], dir).x;
        right = stn_v3_norm(stn_v3_sub(right, stn_v3_scale(dir, stn_v3_dot(right, dir))));
        stn_v3 up = stn_v3_cross(dir, right);
        float next = i + 1 < n ? radius[i + 1] : radius[i], prev = i > 0 ? radius[i - 1] : radius[i];
        float run = stn_v3_len(stn_v3_sub(path[i + 1 < n ? i + 1 : i], path[i > 0 ? i - 1 : 0]));
        float lean = run > 1e-6f ? (prev - next) / run : 0.0f;

        if (i > 0)
            along += stn_v3_len(stn_v3_sub(path[i], path[i - 1]));
        for (unsigned k = 0; k <= around; k++) {
            float a = 2 * PI * (float)k / (float)around, ca = cosf(a), sa = sinf(a);
            stn_v3 out = stn_v3_add(stn_v3_scale(right, ca), stn_v3_scale(up, sa));

            stn_shape_vertex(s, stn_v3_add(path[i], stn_v3_scale(out, radius[i])),
                             stn_v3_add(out, stn_v3_scale(dir, lean)), repeat_s * (float)k / (float)around,
                             -along * repeat_t);
        }
    }
    for (size_t i = 0; i + 1 < n; i++)
        for (unsigned k = 0; k < around; k++) {
            uint32_t a = (uint32_t)(first + i * (around + 1) + k), b = a + 1, c = a + around + 1, d = c + 1;

            stn_shape_tri(s, a, b, d);
            stn_shape_tri(s, a, d, c);
        }
    if (closed_end && n > 1) {
        stn_v3 dir = stn_v3_norm(stn_v3_sub(path[n - 1], path[n - 2]));
        uint32_t tip = stn_shape_vertex(s, stn_v3_add(path[n - 1], stn_v3_scale(dir, radius[n - 1] * 0.7f)),
                                        dir, repeat_s * 0.5f, -(along + radius[n - 1]) * repeat_t);
        uint32_t last = (uint32_t)(first + (n - 1) * (around + 1));

        for (unsigned k = 0; k < around; k++)
            stn_shape_tri(s, last + k, last + k + 1, tip);
    }
}

void stn_shape_disc(stn_shape *s, stn_v3 at, stn_v3 normal, float radius, unsigned around)
{
    stn_xf f = stn_xf_along(at, normal);
    uint32_t mid = stn_shape_vertex(s, at, f.z, 0.5f, 0.5f), first = 0;

    for (unsigned k = 0; k <= around; k++) {
        float a = 2 * PI * (float)k / (float)around;
        uint32_t v = stn_shape_vertex(s, stn_xf_point(&f, radius * cosf(a), radius * sinf(a), 0), f.z,
                                      0.5f + 0.48f * cosf(a), 0.5f + 0.48f * sinf(a));

        if (k == 0)
            first = v;
        else
            stn_shape_tri(s, mid, v - 1, v);
    }
    (void)first;
}

void stn_shape_lathe(stn_shape *s, const stn_xf *xf, const float (*profile)[2], size_t n, unsigned around,
                     float repeat_s, float repeat_t)
{
    size_t first = s->nv;
    float along = 0;

    for (size_t i = 0; i < n; i++) {
        const float *p = profile[i], *q = profile[i + 1 < n ? i + 1 : i], *o = profile[i > 0 ? i - 1 : 0];
        /* The outline turned a quarter to the right points outwards. */
        float nr = q[1] - o[1], nz = o[0] - q[0];

        if (i > 0)
            along += hypotf(p[0] - o[0], p[1] - o[1]);
        for (unsigned k = 0; k <= around; k++) {
            float a = 2 * PI * (float)k / (float)around, ca = cosf(a), sa = sinf(a);

            stn_shape_vertex(s, stn_xf_point(xf, p[0] * ca, p[0] * sa, p[1]),
                             stn_xf_dir(xf, nr * ca, nr * sa, nz), repeat_s * (float)k / (float)around,
                             -along * repeat_t);
        }
    }
    for (size_t i = 0; i + 1 < n; i++)
        for (unsigned k = 0; k < around; k++) {
            uint32_t a = (uint32_t)(first + i * (around + 1) + k), b = a + 1, c = a + around + 1, d = c + 1;

            stn_shape_tri(s, a, b, d);
            stn_shape_tri(s, a, d, c);
        }
}

/* ---- stones ---- */

/* A point of the stone's surface in the direction d. */
static stn_v3 stone_point(stn_v3 d, stn_v3 r, uint32_t seed, float rough, float facets)
{
    float k = 1.0f + rough * stn_fbm3(seed, d.x * 1.7f, d.y * 1.7f, d.z * 1.7f, 4);

    /* Facets: the ball is cut by planes of its own chance, a little inside its surface. */
    for (uint32_t i = 0; i < 11 && facets > 0.0f; i++) {
        stn_v3 n = stn_v3_norm((stn_v3){stn_unit_of(i, seed + 1) - 0.5f, stn_unit_of(i, seed + 2) - 0.5f,
                                        stn_unit_of(i, seed + 3) - 0.35f});
        float reach = 0.72f + 0.22f * stn_unit_of(i, seed + 4), along = stn_v3_dot(n, d) * k;

        if (along > reach)
            k *= stn_mixf(1.0f, reach / along, facets);
    }
    return (stn_v3){d.x * r.x * k, d.y * r.y * k, d.z * r.z * k};
}

void stn_shape_stone(stn_shape *s, const stn_xf *xf, stn_v3 r, uint32_t seed, float rough, float facets,
                     float scale, unsigned detail)
{
    unsigned rows = detail, cols = detail * 2;
    size_t first = s->nv;

    for (unsigned j = 0; j <= rows; j++)
        for (unsigned i = 0; i <= cols; i++) {
            float th = PI * (float)j / (float)rows, ph = 2 * PI * (float)(i % cols) / (float)cols;
            stn_v3 p = stone_point((stn_v3){sinf(th) * cosf(ph), sinf(th) * sinf(ph), cosf(th)}, r, seed,
                                   rough, facets);

            p.z += r.z * 0.55f; /* sits in the ground by its lower part */
            if (p.z < -0.12f * r.z)
                p.z = -0.12f * r.z;
            /* Laid from above, with the sides unrolled: no texel is stretched by more than the slope. */
            float u = (p.x + 0.6f * p.z) * scale, v = (p.y + 0.8f * p.z) * scale;

            stn_shape_vertex(s, stn_xf_point(xf, p.x, p.y, p.z), stn_xf_dir(xf, 0, 0, 1), u, v);
        }
    for (unsigned j = 0; j < rows; j++)
        for (unsigned i = 0; i < cols; i++) {
            uint32_t a = (uint32_t)(first + j * (cols + 1) + i), b = a + 1, c = a + cols + 1, d = c + 1;

            if (j > 0)
                stn_shape_tri(s, a, c, b);
            if (j + 1 < rows)
                stn_shape_tri(s, b, c, d);
        }
    stn_shape_smooth(s, first);
}

/* ---- finishing ---- */

void stn_shape_bind(stn_shape *s, size_t first, int8_t bone)
{
    for (size_t i = first; i < s->nv; i++) {
        s->v[i].bone[0] = bone;
        s->v[i].weight[0] = 1.0f;
    }
}

void stn_shape_smooth(stn_shape *s, size_t first)
{
    if (s->failed)
        return;
    for (size_t i = first; i < s->nv; i++)
        s->v[i].n = (stn_v3){0, 0, 0};
    for (size_t t = 0; t < s->nt; t++) {
        const uint32_t *k = s->tri + 3 * t;

        if (k[0] < first)
            continue;
        stn_v3 n =
            stn_v3_cross(stn_v3_sub(s->v[k[1]].p, s->v[k[0]].p), stn_v3_sub(s->v[k[2]].p, s->v[k[0]].p));

        for (int c = 0; c < 3; c++)
            s->v[k[c]].n = stn_v3_add(s->v[k[c]].n, n);
    }
    /* Seams and poles hold several vertices at one place: they share the sum. Few vertices, so every pair is
     * looked at within a window of one ring. */
    for (size_t i = first; i < s->nv; i++)
        for (size_t k = i + 1; k < s->nv && k < i + 130; k++)
            if (stn_v3_len(stn_v3_sub(s->v[i].p, s->v[k].p)) < 1e-4f) {
                stn_v3 n = stn_v3_add(s->v[i].n, s->v[k].n);

                s->v[i].n = s->v[k].n = n;
            }
    for (size_t i = first; i < s->nv; i++)
        s->v[i].n = stn_v3_norm(s->v[i].n);
}

void stn_shape_add(stn_shape *s, const stn_shape *from, const stn_xf *xf)
{
    uint32_t base = (uint32_t)s->nv;

    for (size_t i = 0; i < from->nv; i++) {
        const stn_vertex *v = &from->v[i];

        stn_shape_vertex(s, stn_xf_point(xf, v->p.x, v->p.y, v->p.z), stn_xf_dir(xf, v->n.x, v->n.y, v->n.z),
                         v->s, v->t);
    }
    for (size_t t = 0; t < from->nt; t++)
        stn_shape_tri(s, base + from->tri[3 * t], base + from->tri[3 * t + 1], base + from->tri[3 * t + 2]);
}
