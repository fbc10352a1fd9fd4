#include "mesher/resolve.h"

#include <string.h>

#define UNSEEN 0xffff

/* Weight of a layer at a place of a tile as a byte, f32 and in this order. At the corners it is the corner's
 * own. */
static uint8_t alpha_at(const stn_blend_layer *l, const stn_part *p, unsigned i)
{
    const float *w = l->weight + p->x + STN_BLEND_PITCH * p->y;
    float tx = p->tx[i], ty = p->ty[i], ix = 1 - tx, iy = 1 - ty;
    float a = ((w[0] * ix + w[1] * tx) * iy) + ((w[STN_BLEND_PITCH] * ix + w[STN_BLEND_PITCH + 1] * tx) * ty);
    return (uint8_t)(int32_t)(a * 255.0f);
}

static stn_status make_room(stn_build *b, stn_model *m, uint32_t nv, uint32_t ni)
{
    m->surface = stn_arena_array(b->arena, nv, sizeof *m->surface);
    m->index = stn_arena_array(b->arena, ni, sizeof *m->index);
    bool ok = m->surface && m->index;
    if (m->blend)
        ok = ok && (m->alpha = stn_arena_array(b->arena, nv, 1)) &&
             (m->tile_xy = stn_arena_array(b->arena, nv, 2 * sizeof(float)));
    if (m->state.clip)
        ok = ok && (m->clip_uv = stn_arena_array(b->arena, nv, 2 * sizeof(float)));
    m->cap_v = nv;
    m->cap_i = ni;
    return ok ? STN_OK : stn_fail(b->err, STN_NO_MEMORY, "the job needs more memory than one build may take");
}

/* A vertex of a part, at the end of the model. */
static void put_vertex(stn_model *m, const stn_blend_layer *l, const stn_part *p, unsigned i, uint16_t image)
{
    uint32_t n = m->nv++;

    m->surface[n] = (uint16_t)p->v[i];
    if (l) {
        m->alpha[n] = alpha_at(l, p, i);
        m->tile_xy[2 * n] = (float)p->x + p->tx[i];
        m->tile_xy[2 * n + 1] = (float)p->y + p->ty[i];
    }
    if (image != STN_NO_IMAGE) {
        const stn_image_place *pl = &m->state.clip->places[image];
        m->clip_uv[2 * n] = pl->l + pl->w * p->tx[i];
        m->clip_uv[2 * n + 1] = pl->t + pl->h * p->ty[i];
    }
}

static void put_faces(stn_model *m, const stn_part *p, uint32_t base)
{
    for (unsigned i = 0; i < p->nf; i++)
        m->index[m->ni++] = (uint16_t)(base + p->f[i]);
}

static void resolve_fresh(const stn_build *b, stn_model *m, const stn_blend_layer *l)
{
    stn_quad quad;

    for (uint32_t k = 0; k < m->nplaces; k++) {
        const stn_part *p = stn_build_part(b, m->places[k].part, &quad);
        uint32_t base = m->nv;
        for (unsigned i = 0; i < p->nv; i++)
            put_vertex(m, l, p, i, m->places[k].image);
        put_faces(m, p, base);
    }
}

/* The first part that touches a surface vertex makes its vertex. */
static void resolve_shared(const stn_build *b, stn_model *m, const stn_blend_layer *l, uint16_t *seen)
{
    stn_quad quad;

    memset(seen, 0xff, b->nv * sizeof *seen);
    for (uint32_t k = 0; k < m->nplaces; k++) {
        const stn_part *p = stn_build_part(b, m->places[k].part, &quad);
        for (unsigned i = 0; i < p->nv; i++)
            if (seen[p->v[i]] == UNSEEN) {
                seen[p->v[i]] = (uint16_t)m->nv;
                put_vertex(m, l, p, i, m->places[k].image);
            }
        for (unsigned i = 0; i < p->nf; i++)
            m->index[m->ni++] = seen[p->v[p->f[i]]];
    }
}

stn_status stn_build_resolve(stn_build *b)
{
    uint16_t *seen = stn_arena_array(b->arena, b->nv, sizeof *seen);

    if (!seen)
        return stn_fail(b->err, STN_NO_MEMORY, "build");
    for (uint32_t i = 0; i < b->nmodels; i++) {
        stn_model *m = b->models[i];
        if (m->raw)
            continue;
        uint32_t ni = 0, nv = m->part_vertices;
        stn_quad quad;
        for (uint32_t k = 0; k < m->nplaces; k++)
            ni += stn_build_part(b, m->places[k].part, &quad)->nf;
        if (m->shared && nv > b->nv)
            nv = b->nv;
        if (nv > 65535)
            return stn_fail(b->err, STN_TOO_BIG, "too many vertices in a mesh: %u, indices have 16 bits", nv);
        stn_status st = make_room(b, m, nv, ni);
        if (st != STN_OK)
            return st;
        const stn_blend_layer *l = m->blend ? &m->blend->layers[m->state.layer] : NULL;
        if (m->shared)
            resolve_shared(b, m, l, seen);
        else
            resolve_fresh(b, m, l);
    }
    return STN_OK;
}
