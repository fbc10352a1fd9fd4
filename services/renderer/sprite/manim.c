#include "renderer/sprite/manim.h"

#include "num/small_float.h"

#include <math.h>
#include <string.h>

/* So many frames passed in one tick are a broken layer's or a broken clock's. */
#define MOST_STEPS 65536

/* Frame lengths of zero would turn for ever, lengths that vanish beside the time nearly so: a whole round
 * without progress ends the tick, and so does the first whole round after so many steps. */
static void step_sequential(stn_manim *m, float dt, bool *wrapped)
{
    const stn_res_manim *l = m->layer;
    int32_t n = (int32_t)l->count;
    float round = 0;
    int32_t steps = 0;

    *wrapped = false;
    m->at += dt;
    while (!(m->at < m->length)) {
        m->at -= m->length;
        m->current = (m->current + 1) % n;
        m->length = m->current == n - 1 ? l->len - l->frames[m->current].time
                                        : l->frames[m->current + 1].time - l->frames[m->current].time;
        if (m->current == 0)
            *wrapped = true;
        round += m->length;
        if (++steps % n == 0) {
            if (!(round > 0) || !isfinite(m->at) || steps >= MOST_STEPS) {
                m->current = 0;
                m->at = 0;
                m->a = 0;
                m->from = 0;
                m->to = n > 1 ? 1 : 0;
                return;
            }
            round = 0;
        }
    }
    m->from = (uint32_t)m->current;
    m->to = (uint32_t)((m->current + 1) % n);
    m->a = m->at / m->length;
}

static void set_frame(stn_manim *m, int32_t i)
{
    const stn_res_manim *l = m->layer;
    int32_t n = (int32_t)l->count;

    m->current = i;
    m->next = stn_j48_below(&m->random, n - 1);
    if (m->next >= i)
        m->next++;
    m->length = (i < n - 1 ? l->frames[i + 1].time : l->len) - l->frames[i].time;
}

static void show_random(stn_manim *m)
{
    m->from = (uint32_t)m->current;
    m->to = (uint32_t)m->next;
    m->a = m->at / m->length;
}

stn_sprite_fault stn_manim_init(stn_manim *m, const stn_res_manim *layer, int64_t seed, stn_err *err)
{
    bool wrapped;

    memset(m, 0, sizeof *m);
    m->layer = layer;
    if (layer->count == 0 || (layer->random && layer->count < 2))
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "mesh animation %d: %s with %u frame%s", layer->id,
                               layer->random ? "random" : "sequential", layer->count,
                               layer->count == 1 ? "" : "s");
    if (layer->random) {
        stn_j48_seed(&m->random, seed);
        set_frame(m, stn_j48_below(&m->random, (int32_t)layer->count));
        show_random(m);
    } else {
        m->current = -1;
        step_sequential(m, 0, &wrapped);
    }
    return STN_SPRITE_OK;
}

void stn_manim_tick(stn_manim *m, float dt, bool *wrapped)
{
    *wrapped = false;
    if (!m->layer->random) {
        step_sequential(m, dt, wrapped);
        return;
    }
    m->at += dt;
    if (m->at >= m->length) {
        m->at -= m->length;
        set_frame(m, m->next);
        if (m->at >= m->length) {
            m->at = 0;
            set_frame(m, stn_j48_below(&m->random, (int32_t)m->layer->count));
        }
    }
    show_random(m);
}

void stn_manim_age(stn_manim *m, stn_rnd *rnd)
{
    bool wrapped;
    if (m->layer->random) {
        set_frame(m, stn_j48_below(&m->random, (int32_t)m->layer->count));
        m->at = stn_j48_float(&m->random) * m->length;
        show_random(m);
    } else {
        step_sequential(m, rnd->next(rnd->user) * m->layer->len, &wrapped);
    }
}

bool stn_manim_animates(const stn_res_manim *layer, const stn_res_mesh *mesh)
{
    uint8_t moved[65536 / 8] = {0};

    for (uint32_t f = 0; f < layer->count; f++)
        for (uint32_t i = 0; i < layer->frames[f].count; i++)
            moved[layer->frames[f].idx[i] >> 3] |= (uint8_t)(1u << (layer->frames[f].idx[i] & 7));
    for (size_t i = 0; i < (size_t)mesh->tris * 3; i++)
        if (moved[mesh->indices[i] >> 3] >> (mesh->indices[i] & 7) & 1)
            return true;
    return false;
}

stn_manim_texture stn_manim_texture_size(const stn_res_manim *layer)
{
    uint32_t vertices = (uint32_t)(layer->max_vertex + 1 - layer->min_vertex), width = 1;
    uint64_t texels = (uint64_t)vertices * layer->count;

    while ((uint64_t)width * width < texels)
        width *= 2;
    return (stn_manim_texture){width, (uint32_t)((texels + width - 1) / width), vertices};
}

void stn_manim_texture_fill(const stn_res_manim *layer, bool normals, uint16_t *out)
{
    stn_manim_texture size = stn_manim_texture_size(layer);

    memset(out, 0, (size_t)size.width * size.height * 3 * sizeof *out);
    for (uint32_t f = 0; f < layer->count; f++) {
        const stn_manim_frame *frame = &layer->frames[f];
        const float *values = normals ? frame->nrm : frame->pos;
        for (uint32_t i = 0; values && i < frame->count; i++) {
            size_t texel = (size_t)(frame->idx[i] - layer->min_vertex) + (size_t)size.vertices * f;
            for (int c = 0; c < 3; c++)
                out[3 * texel + (size_t)c] = stn_f16_of_f32(values[3 * i + (uint32_t)c]);
        }
    }
}

static void add_frame(const stn_manim_frame *f, float weight, bool normals, uint32_t num, size_t stride,
                      float *to)
{
    const float *from = normals ? f->nrm : f->pos;

    for (uint32_t i = 0; from && i < f->count; i++)
        if (f->idx[i] >= 0 && (uint32_t)f->idx[i] < num)
            for (int k = 0; k < 3; k++)
                to[(size_t)f->idx[i] * stride + (size_t)k] += from[3 * i + (uint32_t)k] * weight;
}

void stn_manim_apply(const stn_manim *m, uint32_t num, size_t stride, float *pos, float *nrm)
{
    const stn_manim_frame *a = &m->layer->frames[m->from], *b = &m->layer->frames[m->to];

    add_frame(a, 1 - m->a, false, num, stride, pos);
    add_frame(b, m->a, false, num, stride, pos);
    if (nrm && m->layer->has_normals) {
        add_frame(a, 1 - m->a, true, num, stride, nrm);
        add_frame(b, m->a, true, num, stride, nrm);
    }
}
