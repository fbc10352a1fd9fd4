#include "homestead/pack/joiner.h"

#include <math.h>
#include <stddef.h>

#define PI 3.14159265f

stn_model *stn_joiner_model(const char *wood, stn_joiner *j, uint64_t seed)
{
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    for (int i = 0; i < 3; i++) {
        stn_model_link(m, (uint16_t)i, wood, (int16_t)i);
        stn_model_part(m, i)->vm = i;
    }
    stn_model_link(m, STN_MAT_IRON, "homestead/stuff/iron", 0);
    stn_model_part(m, STN_MAT_IRON);
    *j = (stn_joiner){&m->parts[0].shape, &m->parts[1].shape, &m->parts[2].shape, &m->parts[3].shape,
                      stn_rng_of(seed)};
    return m;
}

stn_joiner stn_joiner_leaf(stn_model *m, const stn_joiner *j, int16_t id, bool variable)
{
    stn_part *p[4];

    for (int i = 0; i < 4; i++) {
        p[i] = stn_model_part(m, i);
        p[i]->id = id;
        p[i]->vm = variable && i < 3 ? i : -1;
    }
    return (stn_joiner){&p[0]->shape, &p[1]->shape, &p[2]->shape, &p[3]->shape, j->r};
}

void stn_joiner_saw(stn_joiner *j, stn_shape *to, stn_xf xf, float x, float y, float z, float bevel)
{
    /* Hand work: no two boards lie quite alike. */
    xf = stn_xf_turn(xf, 0.006f * stn_rng_bell(&j->r), 0.004f * stn_rng_bell(&j->r),
                     0.004f * stn_rng_bell(&j->r));
    stn_shape_beam(to, j->end, &xf, x, y, z, bevel, STN_GRAIN, stn_rng_unit(&j->r), stn_rng_unit(&j->r));
}

stn_xf stn_joiner_upright(float x, float y, float z)
{
    return stn_xf_turn(stn_xf_at(x, y, z), 0, -PI / 2, 0);
}

void stn_joiner_nail(stn_joiner *j, stn_v3 at, stn_v3 out)
{
    stn_xf f = stn_xf_along(at, out);

    stn_shape_quad(j->iron, stn_xf_point(&f, -0.16f, -0.16f, 0.05f), stn_xf_point(&f, 0.16f, -0.16f, 0.05f),
                   stn_xf_point(&f, 0.16f, 0.16f, 0.05f), stn_xf_point(&f, -0.16f, 0.16f, 0.05f), 0, 0, 0.2f,
                   0.2f);
}

void stn_joiner_iron(stn_joiner *j, stn_xf xf, float x, float y, float z)
{
    stn_shape_beam(j->iron, j->iron, &xf, x, y, z, 0, 0.1f, stn_rng_unit(&j->r), stn_rng_unit(&j->r));
}

/* Staves: strips along the outline with the grain upright, each a flat facet across. */
void stn_joiner_staves(stn_joiner *j, stn_shape *to, const stn_xf *xf, const float (*profile)[2], size_t n,
                       unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        float s = stn_rng_unit(&j->r), t0 = stn_rng_unit(&j->r),
              a0 = 2 * PI * (float)k / (float)count + 0.008f;
        float a1 = 2 * PI * (float)(k + 1) / (float)count - 0.008f, in = 1.0f - 0.012f * stn_rng_unit(&j->r);

        for (size_t i = 0; i + 1 < n; i++) {
            const float *p = profile[i], *q = profile[i + 1];
            float run = hypotf(q[0] - p[0], q[1] - p[1]) * STN_GRAIN, wide = (a1 - a0) * p[0] * STN_GRAIN * 2,
                  mid = (a0 + a1) / 2;
            stn_v3 c[4] = {stn_xf_point(xf, p[0] * in * cosf(a0), p[0] * in * sinf(a0), p[1]),
                           stn_xf_point(xf, p[0] * in * cosf(a1), p[0] * in * sinf(a1), p[1]),
                           stn_xf_point(xf, q[0] * in * cosf(a1), q[0] * in * sinf(a1), q[1]),
                           stn_xf_point(xf, q[0] * in * cosf(a0), q[0] * in * sinf(a0), q[1])};
            stn_v3 nn = stn_xf_dir(xf, cosf(mid) * (q[1] - p[1]), sinf(mid) * (q[1] - p[1]), p[0] - q[0]);
            uint32_t v[4];

            for (int e = 0; e < 4; e++)
                v[e] = stn_shape_vertex(to, c[e], nn, s + (e >= 2 ? run : 0.0f),
                                        t0 + (e == 1 || e == 2 ? wide : 0.0f));
            stn_shape_tri(to, v[0], v[1], v[2]);
            stn_shape_tri(to, v[0], v[2], v[3]);
            s += run;
            if (i + 2 == n)
                break;
        }
    }
}

void stn_joiner_hoop(stn_joiner *j, const stn_xf *xf, float z, float r0, float r1, float tall)
{
    const float band[4][2] = {
        {r0 + 0.05f, z}, {r0 + 0.28f, z}, {r1 + 0.28f, z + tall}, {r1 + 0.05f, z + tall}};

    stn_shape_lathe(j->iron, xf, band, 4, 20, 3, 0.1f);
}

/* A round lid of boards. */
void stn_joiner_lid(stn_joiner *j, const stn_xf *xf, float radius, float z, int boards)
{
    for (int b = 0; b < boards; b++) {
        float y0 = -radius + 2 * radius * (float)b / (float)boards + 0.04f,
              y1 = -radius + 2 * radius * (float)(b + 1) / (float)boards - 0.04f;
        float x0 = sqrtf(fmaxf(0, radius * radius - y0 * y0)),
              x1 = sqrtf(fmaxf(0, radius * radius - y1 * y1));
        float s = stn_rng_unit(&j->r), t = stn_rng_unit(&j->r);
        stn_v3 up = stn_xf_dir(xf, 0, 0, 1),
               c[4] = {stn_xf_point(xf, -x0, y0, z), stn_xf_point(xf, x0, y0, z), stn_xf_point(xf, x1, y1, z),
                       stn_xf_point(xf, -x1, y1, z)};
        float ss[4] = {-x0, x0, x1, -x1}, tt[4] = {0, 0, y1 - y0, y1 - y0};
        uint32_t v[4];

        for (int e = 0; e < 4; e++)
            v[e] = stn_shape_vertex(j->board, c[e], up, s + ss[e] * STN_GRAIN, t + tt[e] * STN_GRAIN * 2);
        stn_shape_tri(j->board, v[0], v[1], v[2]);
        stn_shape_tri(j->board, v[0], v[2], v[3]);
    }
}

/* A log from end to end, its cut faces shown. */
void stn_joiner_log(stn_shape *bark, stn_shape *ends, stn_v3 a, stn_v3 b, float ra, float rb, unsigned around,
                    float repeat)
{
    stn_v3 path[2] = {a, b}, dir = stn_v3_sub(b, a);
    float radius[2] = {ra, rb};

    stn_shape_tube(bark, path, radius, 2, around, repeat, 1.0f / 20.0f, false);
    stn_shape_disc(ends, a, stn_v3_scale(dir, -1), ra, around);
    stn_shape_disc(ends, b, dir, rb, around);
}
