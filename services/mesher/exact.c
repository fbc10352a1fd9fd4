#include "mesher/exact.h"

#include <string.h>

/* What depends on the surface vertex alone, made once for each. */
typedef struct around {
    float pos[3], nrm[3], tan[3], bit[3];
} around;

static around *make_around(const stn_build *b)
{
    around *a = stn_arena_array(b->arena, b->nv, sizeof *a);
    stn_vec3 *tan = stn_arena_array(b->arena, 2 * (size_t)b->nv, sizeof *tan);

    if (!a || !tan)
        return NULL;
    /* Rows of corners 0..25, then what tilers added; the outermost corners are in no mesh and may have no
     * normal. */
    for (int y = 0; y <= STN_CUT_TILES + 1; y++) {
        uint32_t v = y < STN_CUT_VERTICES ? stn_ground_vertex(0, y) : STN_GROUND_VERTICES;
        uint32_t n = y < STN_CUT_VERTICES ? STN_CUT_VERTICES : b->nv - STN_GROUND_VERTICES;
        b->kernels->tangents(b->nrm + v, n, tan + v, tan + b->nv + v);
        for (uint32_t end = v + n; v < end; v++) {
            memcpy(a[v].pos, &b->pos[v], sizeof a[v].pos);
            memcpy(a[v].nrm, &b->nrm[v], sizeof a[v].nrm);
            memcpy(a[v].tan, &tan[v], sizeof a[v].tan);
            memcpy(a[v].bit, &tan[b->nv + v], sizeof a[v].bit);
        }
    }
    return a;
}

static void add(stn_exact_mesh *e, stn_mesh_attr a)
{
    e->attr[e->nattrs] = (uint8_t)a;
    e->offset[e->nattrs++] = (uint8_t)e->stride;
    e->stride += stn_mesh_attr_components(a);
}

static void layout(const stn_model *m, stn_exact_mesh *e)
{
    add(e, STN_MESH_ATTR_POS);
    add(e, STN_MESH_ATTR_NRM);
    if (m->raw) {
        for (unsigned i = 0; i < m->nlayers; i++)
            add(e, (stn_mesh_attr)m->layers[i]);
    } else if (m->blend) {
        if (m->depth)
            add(e, STN_MESH_ATTR_DEPTH);
        if (m->state.clip)
            add(e, STN_MESH_ATTR_CLIP);
        add(e, STN_MESH_ATTR_TAN);
        add(e, STN_MESH_ATTR_BIT);
        add(e, STN_MESH_ATTR_TEX);
        add(e, STN_MESH_ATTR_COL);
    } else {
        add(e, STN_MESH_ATTR_TEX);
        if (m->depth)
            add(e, STN_MESH_ATTR_DEPTH);
    }
}

static float depth_of(const stn_model *m, uint32_t v)
{
    return v >= m->depth_first && v - m->depth_first < m->depth_n ? m->depth[v - m->depth_first] : 0.0f;
}

static void fill_terrain(const stn_model *m, const around *ar, stn_exact_mesh *e)
{
    float *out = e->data;

    for (uint32_t i = 0; i < m->nv; i++) {
        const around *a = &ar[m->surface[i]];
        memcpy(out, a->pos, sizeof a->pos);
        memcpy(out + 3, a->nrm, sizeof a->nrm);
        out += 6;
        if (m->depth)
            *out++ = depth_of(m, m->surface[i]);
        if (m->clip_uv) {
            out[0] = m->clip_uv[2 * i];
            out[1] = m->clip_uv[2 * i + 1];
            out += 2;
        }
        memcpy(out, a->tan, sizeof a->tan);
        memcpy(out + 3, a->bit, sizeof a->bit);
        /* 25 tiles hold the texture four times; a true division. */
        out[6] = m->tile_xy[2 * i] / 6.25f;
        out[7] = m->tile_xy[2 * i + 1] / 6.25f;
        out[8] = out[9] = out[10] = 1.0f;
        out[11] = (float)m->alpha[i] / 255.0f;
        out += 12;
    }
}

static void fill_other(const stn_build *b, const stn_model *m, stn_exact_mesh *e)
{
    float *out = e->data;

    for (uint32_t i = 0; i < m->nv; i++) {
        uint32_t v = m->surface[i];
        memcpy(out, &b->pos[v], 3 * sizeof *out);
        memcpy(out + 3, &b->nrm[v], 3 * sizeof *out);
        out += 6;
        if (!m->raw) {
            out[0] = m->clip_uv[2 * i];
            out[1] = m->clip_uv[2 * i + 1];
            out += 2;
            if (m->depth)
                *out++ = depth_of(m, v);
        }
        for (unsigned k = 0; m->raw && k < m->nlayers; k++) {
            unsigned n = stn_mesh_attr_components((stn_mesh_attr)m->layers[k]);
            memcpy(out, m->extra[m->layers[k]] + (size_t)i * n, n * sizeof *out);
            out += n;
        }
    }
}

stn_status stn_build_exact(stn_build *b, stn_exact *out)
{
    around *ar = make_around(b);
    stn_exact_mesh *meshes = stn_arena_zalloc(b->arena, b->nmodels ? b->nmodels : 1, sizeof *meshes);
    size_t bytes = 0;

    if (!ar || !meshes)
        return stn_fail(b->err, STN_NO_MEMORY, "exact meshes");
    for (uint32_t i = 0; i < b->nmodels; i++) {
        const stn_model *m = b->models[i];
        stn_exact_mesh *e = &meshes[i];
        e->model = m;
        e->nv = m->nv;
        e->ni = m->ni;
        e->index = m->index;
        layout(m, e);
        e->data = stn_arena_array(b->arena, (size_t)m->nv * e->stride, sizeof(float));
        if (!e->data)
            return stn_fail(b->err, STN_NO_MEMORY, "exact meshes");
        if (!m->raw && m->blend)
            fill_terrain(m, ar, e);
        else
            fill_other(b, m, e);
        bytes += (size_t)m->nv * e->stride * sizeof(float) + m->ni * sizeof(uint16_t);
    }
    *out = (stn_exact){.n = b->nmodels, .meshes = meshes, .bytes = bytes};
    return STN_OK;
}
