/* layer_material.c - "mat2" and "light". Source: docs/spec/resource-format.md 17 and 18. */
#include "res/internal.h"

#include <math.h>

stn_status stn_decode_mat(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_mat *m = stn_rd_zalloc(c, 1, sizeof *m);
    stn_vec specs = {0};

    if (!m)
        return stn_rd_end(c);
    m->id = stn_bytes_u16(in);
    while (stn_rd_ok(c) && stn_bytes_left(in) > 0) {
        const char *name = stn_rd_text(c, in);
        stn_values args = stn_rd_ok(c) ? stn_rd_values(c, in) : (stn_values){0};
        stn_mat_spec *s = stn_rd_ok(c) ? stn_vec_push(c, &specs, sizeof *s) : NULL;
        if (s)
            *s = (stn_mat_spec){name, args};
    }
    m->count = specs.count;
    m->specs = specs.items;
    *out = m;
    return stn_rd_end(c);
}

void stn_encode_mat(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_mat *m = layer->as.mat;

    stn_wr_u16(w, m->id, "id");
    for (uint32_t i = 0; i < m->count; i++) {
        stn_wr_text(w, m->specs[i].name, "spec name");
        stn_wr_values(w, &m->specs[i].args, true);
    }
}

/* ---- light ---- */

/* Compact floats stay the doubles that they are until the colour is cut to 0..255. */
static double number(stn_rd *c, stn_bytes *in, uint8_t version)
{
    return version == 0 ? stn_rd_cfloat(c, in) : (double)stn_bytes_f32(in);
}

static void read_color(stn_rd *c, stn_bytes *in, uint8_t version, float f[4], uint8_t out[4])
{
    for (int k = 0; k < 4; k++) {
        double v = number(c, in, version), scaled = v * 255.0;
        if (!stn_rd_ok(c))
            return;
        if (isnan(scaled)) /* as an integer it is 0 */
            scaled = 0;
        if (!(scaled > -1.0 && scaled < 256.0)) { /* truncation makes (-1, 0) a zero */
            stn_rd_fail(c, STN_FAULT_VALUE, "colour component %g is outside 0..1", v);
            return;
        }
        f[k] = (float)v;
        out[k] = (uint8_t)(int)scaled;
    }
}

stn_status stn_decode_light(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_light *l = stn_rd_zalloc(c, 1, sizeof *l);
    uint8_t version = stn_bytes_u8(in);

    if (!l)
        return stn_rd_end(c);
    if (version > 1)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known are 0 and 1", version);
    l->id = version == 0 ? stn_bytes_i8(in) : stn_bytes_i16(in);
    read_color(c, in, version, l->fambient, l->ambient);
    read_color(c, in, version, l->fdiffuse, l->diffuse);
    read_color(c, in, version, l->fspecular, l->specular);
    while (stn_rd_ok(c) && stn_bytes_left(in) > 0) {
        uint8_t part = stn_bytes_u8(in);
        if (part == 1 || part == 2) {
            float *to = part == 1 ? l->att : l->dir;
            *(part == 1 ? &l->has_att : &l->has_dir) = true;
            for (int k = 0; k < 3; k++)
                to[k] = (float)number(c, in, version);
        } else if (part == 3) {
            l->has_exp = true;
            l->exp = (float)number(c, in, version);
        } else {
            return stn_rd_fail(c, STN_FAULT_FORMAT, "part %u, known are 1 to 3", part);
        }
    }
    *out = l;
    return stn_rd_end(c);
}

static void put_color(stn_wr *w, const float f[4], const uint8_t bytes[4])
{
    for (int k = 0; k < 4; k++) {
        /* the float that was read when it still says this byte, else one that does */
        bool same = (double)f[k] * 255.0 > -1.0 && (double)f[k] * 255.0 < 256.0 &&
                    (int)((double)f[k] * 255.0) == bytes[k];
        stn_buf_f32(w->b, same ? f[k] : ((float)bytes[k] + 0.5f) / 255.0f);
    }
}

void stn_encode_light(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_light *l = layer->as.light;

    stn_buf_u8(w->b, 1);
    stn_wr_i16(w, l->id, "id");
    put_color(w, l->fambient, l->ambient);
    put_color(w, l->fdiffuse, l->diffuse);
    put_color(w, l->fspecular, l->specular);
    for (int part = 1; part <= 2; part++) {
        if (!(part == 1 ? l->has_att : l->has_dir))
            continue;
        stn_buf_u8(w->b, (uint8_t)part);
        for (int k = 0; k < 3; k++)
            stn_buf_f32(w->b, part == 1 ? l->att[k] : l->dir[k]);
    }
    if (l->has_exp) {
        stn_buf_u8(w->b, 3);
        stn_buf_f32(w->b, l->exp);
    }
}
