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

/* The plain quad, the common case, without the detour over a part: corners UL, DL, DR, UR. */
static const uint8_t corner_x[4] = {0, 0, 1, 1}, corner_y[4] = {0, 1, 1, 0};
static const uint16_t corner_v[4] = {0, STN_GROUND_SIDE, STN_GROUND_SIDE + 1, 1};
static const uint8_t corner_w[4] = {0, STN_BLEND_PITCH, STN_BLEND_PITCH + 1, 1};
static const uint8_t faces[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 1, 3, 1, 2, 3}};

typedef struct tile_corner {
    unsigned x, y;
    uint32_t surface; /* of the upper-left corner */
    const uint8_t *alpha; /* likewise */
    const uint8_t *faces;
} tile_corner;

static inline tile_corner corner_of(const stn_build *b, const stn_blend_layer *l, unsigned tile)
{
    unsigned x = tile % STN_CUT_TILES, y = tile / STN_CUT_TILES;
    return (tile_corner){.x = x,
                         .y = y,
                         .surface = stn_ground_vertex((int)x, (int)y),
                         .alpha = l ? l->alpha + x + STN_BLEND_PITCH * y : NULL,
                         .faces = faces[b->split[stn_ring_tile((int)x, (int)y)]]};
}

static inline void put_corner(stn_model *m, uint32_t n, const tile_corner *q, unsigned k)
{
    m->surface[n] = (uint16_t)(q->surface + corner_v[k]);
    if (q->alpha) {
        m->alpha[n] = q->alpha[corner_w[k]];
        m->tile_xy[2 * n] = (float)(q->x + corner_x[k]);
        m->tile_xy[2 * n + 1] = (float)(q->y + corner_y[k]);
    }
}

static void put_quad(stn_model *m, const tile_corner *q, uint16_t image)
{
    uint32_t base = m->nv;

    for (unsigned k = 0; k < 4; k++)
        put_corner(m, base + k, q, k);
    if (image != STN_NO_IMAGE) {
        const stn_image_place *pl = &m->state.clip->places[image];
        float right = pl->l + pl->w, bottom = pl->t + pl->h, *uv = m->clip_uv + 2 * base;
        /* l + w * 0: the sum with +0 is l itself, l being no -0. */
        uv[0] = uv[2] = pl->l;
        uv[4] = uv[6] = right;
        uv[1] = uv[7] = pl->t;
        uv[3] = uv[5] = bottom;
    }
    for (unsigned i = 0; i < 6; i++)
        m->index[m->ni + i] = (uint16_t)(base + q->faces[i]);
    m->nv += 4;
    m->ni += 6;
}

static void put_faces(stn_model *m, const stn_part *p, uint32_t base)
{
    for (unsigned i = 0; i < p->nf; i++)
        m->index[m->ni++] = (uint16_t)(base + p->f[i]);
}

static void resolve_fresh(const stn_build *b, stn_model *m, const stn_blend_layer *l)
{
    for (uint32_t k = 0; k < m->nplaces; k++) {
        const stn_part *p = b->parts[m->places[k].part];
        if (!p) {
            tile_corner q = corner_of(b, l, m->places[k].part);
            put_quad(m, &q, m->places[k].image);
            continue;
        }
        uint32_t base = m->nv;
        for (unsigned i = 0; i < p->nv; i++)
            put_vertex(m, l, p, i, m->places[k].image);
        put_faces(m, p, base);
    }
}

/* The first part that touches a surface vertex makes its vertex. */
static void resolve_shared(const stn_build *b, stn_model *m, const stn_blend_layer *l, uint16_t *seen)
{
    memset(seen, 0xff, b->nv * sizeof *seen);
    for (uint32_t k = 0; k < m->nplaces; k++) {
        const stn_part *p = b->parts[m->places[k].part];
        if (!p) {
            tile_corner q = corner_of(b, l, m->places[k].part);
            uint16_t n[4];
            for (unsigned i = 0; i < 4; i++) {
                uint16_t *s = &seen[q.surface + corner_v[i]];
                if (*s == UNSEEN) {
                    *s = (uint16_t)m->nv;
                    put_corner(m, m->nv++, &q, i);
                }
                n[i] = *s;
            }
            for (unsigned i = 0; i < 6; i++)
                m->index[m->ni + i] = n[q.faces[i]];
            m->ni += 6;
            continue;
        }
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
        for (uint32_t k = 0; k < m->nplaces; k++) {
            const stn_part *p = b->parts[m->places[k].part];
            ni += p ? p->nf : 6;
        }
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
