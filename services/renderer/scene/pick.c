#include "renderer/scene/pick.h"

#include "base/bytes.h"
#include "num/small_float.h"
#include "renderer/scene/material.h"

#include <math.h>
#include <string.h>

size_t stn_pick_mask_bytes(uint32_t width, uint32_t height)
{
    return ((size_t)width * height + 7) / 8;
}

bool stn_pick_mask_fill(uint8_t *bits, const uint8_t *rgba, uint32_t width, uint32_t height)
{
    size_t n = (size_t)width * height;
    bool holes = false;

    memset(bits, 0, stn_pick_mask_bytes(width, height));
    for (size_t i = 0; i < n; i++) {
        bool solid = rgba[4 * i + 3] >= 128;

        bits[i / 8] = (uint8_t)(bits[i / 8] | (unsigned)solid << (i % 8));
        holes |= !solid;
    }
    return holes;
}

static uint32_t texel(float at, uint32_t size)
{
    float scaled = floorf(at * (float)size), n = (float)size;

    if (!isfinite(scaled))
        return 0;
    scaled -= n * floorf(scaled / n);
    return scaled >= n ? size - 1 : (uint32_t)scaled;
}

bool stn_pick_mask_solid(const stn_pick_mask *m, float u, float v)
{
    size_t at = (size_t)texel(v, m->height) * m->width + texel(u, m->width);

    return m->bits[at / 8] >> (at % 8) & 1;
}

struct corner {
    double x, y, z, w; /* clip space; x and y from the point that is asked for */
    float own[2], tex[2];
};

/* The weighted sum of the vertex's bones. False: it names one that there is not. */
static bool skin(const stn_pick_thing *t, uint32_t vertex, stn_v3 *p)
{
    float bone[4], weight[4];
    stn_m4 pose = {{0}};

    if (!stn_mesh_read(&t->mesh, vertex, STN_VTX_BONE, bone) ||
        !stn_mesh_read(&t->mesh, vertex, STN_VTX_WEIGHT, weight))
        return false;
    for (int i = 0; i < 4; i++) {
        if (!(bone[i] >= 0.0f && bone[i] < (float)t->bone_count))
            return false;
        for (int k = 0; k < 16; k++)
            pose.m[k] += t->bones[(uint32_t)bone[i]].m[k] * weight[i];
    }
    *p = stn_m4_pt(&pose, *p);
    return true;
}

/* What a mesh animation adds between two of its frames, which are half floats. */
static void morph(const stn_pick_thing *t, uint32_t vertex, stn_v3 *p)
{
    const stn_mesh_morph *m = &t->mesh.morph;
    uint32_t first = (uint32_t)t->frames[0] % 65536, count = (uint32_t)t->frames[1];
    size_t from = count * (size_t)t->frames[2] + vertex - first,
           to = count * (size_t)t->frames[3] + vertex - first;
    float d[3];

    if (!m->texels || vertex < first || vertex - first >= count || from >= (size_t)m->width * m->height ||
        to >= (size_t)m->width * m->height)
        return;
    for (size_t i = 0; i < 3; i++)
        d[i] = stn_f32_of_f16(m->texels[3 * from + i]) * (1.0f - t->between) +
               stn_f32_of_f16(m->texels[3 * to + i]) * t->between;
    *p = (stn_v3){p->x + d[0], p->y + d[1], p->z + d[2]};
}

static void sway(const stn_pick_eye *eye, const stn_pick_thing *t, stn_v3 *at)
{
    stn_v3 from = {at->x - t->model.m[12], at->y - t->model.m[13], at->z - t->model.m[14]};
    float slow = sinf(eye->time * t->sway_slow[3]) * fmaxf(from.z, 0.0f);
    float fast =
        sinf(eye->time * t->sway_fast[3]) * fmaxf(sqrtf(from.x * from.x + from.y * from.y) - 5.0f, 0.0f);

    at->x += eye->wind * (t->sway_slow[0] * slow + t->sway_fast[0] * fast);
    at->y += eye->wind * (t->sway_slow[1] * slow + t->sway_fast[1] * fast);
    at->z += eye->wind * (t->sway_slow[2] * slow + t->sway_fast[2] * fast);
}

/* As gl/shaders/vertex.glsl places it. False: a vertex that cannot be read has no place. */
static bool place(const stn_pick_eye *eye, const stn_pick_thing *t, uint32_t vertex, double nx, double ny,
                  struct corner *out)
{
    float pos[4], z[4], tex[4];
    stn_v3 p;
    stn_v4 clip;

    if (!stn_mesh_read(&t->mesh, vertex, STN_VTX_POS, pos))
        return false;
    p = (stn_v3){pos[0], pos[1], pos[2]};
    if (t->features & STN_MAT_TERRAIN) {
        stn_mesh_read(&t->mesh, vertex, STN_VTX_Z, z);
        p.z = z[0];
        if (t->features & STN_MAT_GRID) {
            p.x *= 11.0f;
            p.y *= -11.0f;
        }
    }
    if (t->features & STN_MAT_MORPH)
        morph(t, vertex, &p);
    if ((t->features & STN_MAT_SKIN) && !skin(t, vertex, &p))
        return false;
    out->own[0] = p.x;
    out->own[1] = p.y;
    stn_mesh_read(&t->mesh, vertex, STN_VTX_TEX, tex);
    out->tex[0] = tex[0] + t->scroll[0] * eye->time;
    out->tex[1] = tex[1] + t->scroll[1] * eye->time;
    p = stn_m4_pt(&t->model, p);
    if (t->features & STN_MAT_SWAY)
        sway(eye, t, &p);
    clip = stn_m4_v4(&eye->view, (stn_v4){p.x, p.y, p.z, 1.0f});
    clip = stn_m4_v4(&eye->proj, clip);
    out->z = (double)clip.z;
    out->w = (double)clip.w;
    /* The point's ray is where both of these are zero: no inverse of any matrix is needed. */
    out->x = (double)clip.x - nx * out->w;
    out->y = (double)clip.y - ny * out->w;
    return true;
}

static double edge(const struct corner *a, const struct corner *b)
{
    return a->x * b->y - a->y * b->x;
}

/* Takes the hit if the triangle is under the point and nearer than what there is. */
static bool meet(const stn_pick_thing *t, const struct corner c[3], stn_pick_hit *hit)
{
    double part[3] = {edge(&c[1], &c[2]), edge(&c[2], &c[0]), edge(&c[0], &c[1])};
    double sum = part[0] + part[1] + part[2], z = 0.0, w = 0.0, u = 0.0, v = 0.0, x = 0.0, y = 0.0, depth;
    bool front = part[0] >= 0.0 && part[1] >= 0.0 && part[2] >= 0.0;
    bool back = part[0] <= 0.0 && part[1] <= 0.0 && part[2] <= 0.0;

    if (!(front || (back && t->no_cull)) || sum == 0.0)
        return false;
    for (int i = 0; i < 3; i++) {
        double share = part[i] / sum;

        z += share * c[i].z;
        w += share * c[i].w;
        u += share * (double)c[i].tex[0];
        v += share * (double)c[i].tex[1];
        x += share * (double)c[i].own[0];
        y += share * (double)c[i].own[1];
    }
    if (!(w > 0.0 && z >= -w && z <= w))
        return false;
    depth = z / w;
    if (depth >= hit->depth || (t->mask && !stn_pick_mask_solid(t->mask, (float)u, (float)v)))
        return false;
    *hit = (stn_pick_hit){depth, x, y};
    return true;
}

/* A test that costs little and never turns away what the exact one takes: for things that keep their shape,
 * where a vertex is to the ray is one product of matrices. In f64; `slack` is far above what f32 may differ
 * by. */
struct sieve {
    bool on;
    const stn_mesh_attr *pos, *z;
    double x[4], y[4], w[4];
};

static const stn_mesh_attr *attr_of(const stn_mesh_view *m, uint8_t slot)
{
    for (uint32_t i = 0; i < m->attr_count; i++)
        if (m->attrs[i].slot == slot)
            return &m->attrs[i];
    return NULL;
}

/* Row `row` of proj * view * model. */
static void row_of(const stn_pick_eye *eye, const stn_m4 *model, int row, double out[4])
{
    double pv[4];

    for (int c = 0; c < 4; c++) {
        pv[c] = 0.0;
        for (int k = 0; k < 4; k++)
            pv[c] += (double)eye->proj.m[4 * k + row] * (double)eye->view.m[4 * c + k];
    }
    for (int c = 0; c < 4; c++) {
        out[c] = 0.0;
        for (int k = 0; k < 4; k++)
            out[c] += pv[k] * (double)model->m[4 * c + k];
    }
}

static struct sieve sieve_of(const stn_pick_eye *eye, const stn_pick_thing *t, double nx, double ny)
{
    struct sieve s = {.pos = attr_of(&t->mesh, STN_VTX_POS), .z = attr_of(&t->mesh, STN_VTX_Z)};
    bool ground = (t->features & STN_MAT_TERRAIN) != 0, grid = ground && (t->features & STN_MAT_GRID);

    if (!s.pos || (t->features & (STN_MAT_SKIN | STN_MAT_SWAY | STN_MAT_MORPH)))
        return s;
    if (s.pos->normalized)
        return s;
    if (ground ? !s.z || s.z->type != STN_VTX_F32 || s.pos->type != (grid ? STN_VTX_U8 : STN_VTX_F32)
               : s.pos->type != STN_VTX_F32 || s.pos->comps != 3)
        return s;
    s.on = true;
    row_of(eye, &t->model, 0, s.x);
    row_of(eye, &t->model, 1, s.y);
    row_of(eye, &t->model, 3, s.w);
    for (int i = 0; i < 4; i++) {
        s.x[i] -= nx * s.w[i];
        s.y[i] -= ny * s.w[i];
    }
    for (int i = 0; grid && i < 2; i++) {
        double k = i == 0 ? 11.0 : -11.0;

        s.x[i] *= k;
        s.y[i] *= k;
        s.w[i] *= k;
    }
    if (!ground)
        s.z = NULL;
    return s;
}

static double along(const double row[4], const double p[3])
{
    return row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
}

/* False: all three corners lie on one side of the ray. */
static bool may_meet(const struct sieve *s, const stn_mesh_view *m, const uint32_t index[3])
{
    unsigned sides[4] = {0, 0, 0, 0};

    for (int i = 0; i < 3; i++) {
        const uint8_t *v = m->vertices + (size_t)index[i] * m->stride, *at = v + s->pos->offset;
        double p[3], x, y, slack;

        if (s->pos->type == STN_VTX_U8) {
            p[0] = at[0];
            p[1] = at[1];
        } else {
            p[0] = (double)stn_f32_of_bits(stn_ld32(at));
            p[1] = (double)stn_f32_of_bits(stn_ld32(at + 4));
        }
        p[2] = (double)stn_f32_of_bits(stn_ld32(s->z ? v + s->z->offset : at + 8));
        x = along(s->x, p);
        y = along(s->y, p);
        slack = 0.002 * fabs(along(s->w, p));
        sides[0] += x > slack;
        sides[1] += x < -slack;
        sides[2] += y > slack;
        sides[3] += y < -slack;
    }
    return sides[0] < 3 && sides[1] < 3 && sides[2] < 3 && sides[3] < 3;
}

bool stn_pick_nearest(const stn_pick_eye *eye, double px, double py, double w, double h,
                      const stn_pick_thing *t, stn_pick_hit *hit)
{
    double nx = px / w * 2.0 - 1.0, ny = 1.0 - py / h * 2.0;
    stn_pick_hit best = {INFINITY, 0.0, 0.0};
    bool found = false;
    struct sieve sieve;

    if (!t->mesh.vertices)
        return false;
    sieve = sieve_of(eye, t, nx, ny);
    for (uint32_t i = 0; i + 2 < t->mesh.index_count; i += 3) {
        uint32_t index[3];
        struct corner c[3];
        bool placed = true;

        for (uint32_t k = 0; k < 3; k++)
            index[k] = stn_mesh_index(&t->mesh, i + k);
        if (sieve.on && !may_meet(&sieve, &t->mesh, index))
            continue;
        for (uint32_t k = 0; k < 3 && placed; k++)
            placed = place(eye, t, index[k], nx, ny, &c[k]);
        found |= placed && meet(t, c, &best);
    }
    if (found)
        *hit = best;
    return found;
}
