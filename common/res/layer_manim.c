/* layer_manim.c - "manim": vertex animation. Source: docs/spec/resource-format.md 13. */
#include "res/internal.h"

static const uint8_t entry_bytes[5] = {0, 24, 4, 6, 3};

/* The offsets of one vertex. Position into p; true when type 1 gave normal offsets into n. */
static void read_entry(stn_bytes *in, const stn_manim_frame *f, float p[3], float n[3])
{
    switch (f->type) {
    case 1:
        for (int k = 0; k < 3; k++)
            p[k] = stn_bytes_f32(in);
        for (int k = 0; k < 3; k++)
            n[k] = stn_bytes_f32(in);
        break;
    case 2:
        stn_res_sf9995(stn_bytes_u32(in), p);
        break;
    case 3:
        for (int k = 0; k < 3; k++)
            p[k] = stn_res_f16(stn_bytes_u16(in));
        break;
    default: /* two roundings: product, then sum */
        for (int k = 0; k < 3; k++)
            p[k] = f->scale[2 * k] + (f->scale[2 * k + 1] * stn_res_unorm8(stn_bytes_u8(in)));
        break;
    }
}

static void read_frame(stn_rd *c, stn_bytes *in, stn_res_manim *m, stn_manim_frame *f)
{
    f->time = stn_bytes_f32(in);
    f->count = stn_bytes_u16(in);
    for (int k = 0; f->type == 4 && k < 6; k++)
        f->scale[k] = stn_res_f16(stn_bytes_u16(in));
    if (!stn_rd_fits(c, in, f->count, entry_bytes[f->type], "animated vertices"))
        return;
    int32_t *idx = stn_rd_alloc(c, f->count, sizeof *idx);
    float *pos = stn_rd_alloc(c, 3 * (size_t)f->count, sizeof *pos);
    float *nrm = f->type == 1 ? stn_rd_alloc(c, 3 * (size_t)f->count, sizeof *nrm) : NULL, unused[3] = {0};
    if (!idx || !pos || (f->type == 1 && !nrm))
        return;
    f->idx = idx;
    f->pos = pos;
    for (uint32_t i = 0; i < f->count && stn_rd_ok(c);) {
        uint16_t start = stn_bytes_u16(in), run = stn_bytes_u16(in);
        if (run > f->count - i) {
            stn_rd_fail(c, STN_FAULT_RANGE, "run of %u vertices, %u of the frame's %u are left", run,
                        f->count - i, f->count);
            return;
        }
        for (uint32_t k = 0; k < run; k++, i++) {
            idx[i] = (int32_t)(start + k);
            read_entry(in, f, pos + 3 * (size_t)i, nrm ? nrm + 3 * (size_t)i : unused);
            if (nrm &&
                (nrm[3 * (size_t)i] != 0 || nrm[3 * (size_t)i + 1] != 0 || nrm[3 * (size_t)i + 2] != 0))
                f->nrm = nrm;
            m->min_vertex = idx[i] < m->min_vertex ? idx[i] : m->min_vertex;
            m->max_vertex = idx[i] > m->max_vertex ? idx[i] : m->max_vertex;
        }
    }
}

stn_status stn_decode_manim(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_manim *m = stn_rd_zalloc(c, 1, sizeof *m);
    stn_vec frames = {0};
    uint8_t version = stn_bytes_u8(in);

    if (!m)
        return stn_rd_end(c);
    if (version != 1)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known is 1", version);
    m->id = stn_bytes_i16(in);
    m->random = stn_bytes_u8(in) != 0;
    m->len = stn_bytes_f32(in);
    m->min_vertex = INT32_MAX;
    m->max_vertex = -1;
    while (stn_rd_ok(c)) {
        uint8_t type = stn_bytes_u8(in);
        if (type == 0)
            break;
        if (type > 4)
            return stn_rd_fail(c, STN_FAULT_FORMAT, "frame of type %u, known are 1 to 4", type);
        stn_manim_frame *f = stn_vec_push(c, &frames, sizeof *f);
        if (!f)
            break;
        f->type = type;
        read_frame(c, in, m, f);
    }
    if (stn_rd_ok(c) && m->max_vertex < 0)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "%u frames without any vertex", frames.count);
    m->count = frames.count;
    m->frames = frames.items;
    m->has_normals = frames.count && m->frames[0].nrm;
    *out = m;
    return stn_rd_end(c);
}

/* Frames whose offsets survive in three halves are written so; others in full. */
void stn_encode_manim(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_manim *m = layer->as.manim;

    stn_buf_u8(w->b, 1);
    stn_wr_i16(w, m->id, "id");
    stn_buf_u8(w->b, m->random);
    stn_buf_f32(w->b, m->len);
    for (uint32_t i = 0; i < m->count; i++) {
        const stn_manim_frame *f = &m->frames[i];
        bool halves = !f->nrm;
        for (size_t k = 0; halves && k < 3 * (size_t)f->count; k++)
            halves = stn_bits_of_f32(stn_res_f16(stn_res_to_f16(f->pos[k]))) == stn_bits_of_f32(f->pos[k]);
        stn_buf_u8(w->b, halves ? 3 : 1);
        stn_buf_f32(w->b, f->time);
        stn_wr_u16(w, f->count, "frame vertices");
        for (uint32_t at = 0; at < f->count;) {
            uint32_t n = 1;
            while (at + n < f->count && f->idx[at + n] == f->idx[at] + (int32_t)n)
                n++;
            stn_wr_u16(w, f->idx[at], "vertex");
            stn_buf_u16(w->b, (uint16_t)n);
            for (; n > 0; n--, at++) {
                for (size_t k = 3 * (size_t)at; k < 3 * (size_t)at + 3; k++)
                    if (halves)
                        stn_buf_u16(w->b, stn_res_to_f16(f->pos[k]));
                    else
                        stn_buf_f32(w->b, f->pos[k]);
                for (size_t k = 3 * (size_t)at; !halves && k < 3 * (size_t)at + 3; k++)
                    stn_buf_f32(w->b, f->nrm ? f->nrm[k] : 0);
            }
        }
    }
    stn_buf_u8(w->b, 0);
}
