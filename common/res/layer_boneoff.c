/* layer_boneoff.c - "boneoff": attachment points. Source: docs/spec/resource-format.md 16. */
#include "res/internal.h"

#include <math.h>

static void identity(float m[16])
{
    for (int i = 0; i < 16; i++)
        m[i] = i % 5 == 0 ? 1.0f : 0.0f;
}

/* Sine and cosine are double, rounded to float; the rest is float, products left to right. */
static void rotation(float angle, const float axis[3], float m[16])
{
    float s = (float)sin((double)angle), c = (float)cos((double)angle), t = 1.0f - c;
    float x = axis[0], y = axis[1], z = axis[2];

    identity(m);
    m[0] = x * x * t + c;
    m[1] = x * y * t + z * s;
    m[2] = x * z * t - y * s;
    m[4] = y * x * t - z * s;
    m[5] = y * y * t + c;
    m[6] = y * z * t + x * s;
    m[8] = z * x * t + y * s;
    m[9] = z * y * t - x * s;
    m[10] = z * z * t + c;
}

static void read_turn(stn_rd *c, stn_bytes *in, stn_boneoff_step *s)
{
    float axis[3];

    if (s->code == 1) {
        for (int k = 0; k < 4; k++)
            s->args[k] = (float)stn_rd_cfloat(c, in);
        memcpy(axis, s->args + 1, sizeof axis);
    } else {
        s->args[0] = stn_res_angle16(stn_bytes_u16(in));
        float x = stn_res_snorm16(stn_bytes_i16(in)), y = stn_res_snorm16(stn_bytes_i16(in));
        stn_res_oct(x, y, s->args + 1);
        memcpy(axis, s->args + 1, sizeof axis);
    }
    stn_normalise(axis);
    rotation(s->args[0], axis, s->matrix);
}

static void read_step(stn_rd *c, stn_bytes *in, stn_boneoff_step *s)
{
    *s = (stn_boneoff_step){.code = stn_bytes_u8(in), .bone = "", .target = ""};
    s->op = (stn_boneoff_op)(s->code & 15);
    identity(s->matrix);
    switch (s->code) {
    case 0:
    case 16:
        for (int k = 0; k < 3; k++)
            s->matrix[12 + k] = s->args[k] = s->code ? stn_bytes_f32(in) : (float)stn_rd_cfloat(c, in);
        break;
    case 1:
    case 17:
        read_turn(c, in, s);
        break;
    case 2:
        s->bone = stn_rd_text(c, in);
        break;
    case 3:
        for (int k = 0; k < 3; k++)
            s->ref[k] = (float)stn_rd_cfloat(c, in);
        stn_normalise(s->ref);
        s->bone = stn_rd_text(c, in);
        s->target = stn_rd_text(c, in);
        break;
    case 19: {
        float x = stn_res_snorm16(stn_bytes_i16(in)), y = stn_res_snorm16(stn_bytes_i16(in));
        stn_res_oct(x, y, s->ref);
        s->bone = stn_rd_text(c, in);
        s->target = stn_rd_text(c, in);
        break;
    }
    case 4:
        break;
    case 5:
        s->args[0] = stn_bytes_f32(in);
        for (int k = 0; k < 3; k++)
            s->matrix[5 * k] = s->args[0];
        break;
    default:
        stn_rd_fail(c, STN_FAULT_FORMAT, "instruction %u is not known", s->code);
        break;
    }
}

stn_status stn_decode_boneoff(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_boneoff *b = stn_rd_zalloc(c, 1, sizeof *b);
    stn_vec steps = {0};

    if (!b)
        return stn_rd_end(c);
    b->name = stn_rd_text(c, in);
    while (stn_rd_ok(c) && stn_bytes_left(in) > 0) {
        stn_boneoff_step *s = stn_vec_push(c, &steps, sizeof *s);
        if (s)
            read_step(c, in, s);
    }
    b->count = steps.count;
    b->steps = steps.items;
    *out = b;
    return stn_rd_end(c);
}

/* Each step in the spelling that its code says: compact floats (0, 1, 3), full floats (16) or 16-bit angles
 * and directions (17, 19). */
void stn_encode_boneoff(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_boneoff *b = layer->as.boneoff;

    stn_wr_text(w, b->name, "name");
    for (uint32_t i = 0; i < b->count; i++) {
        const stn_boneoff_step *s = &b->steps[i];
        bool align = s->op == STN_BONEOFF_ALIGN;
        const float *numbers = align ? s->ref : s->args;
        int count = s->op == STN_BONEOFF_MOVE || align ? 3 : s->op == STN_BONEOFF_TURN ? 4 : 0;

        if ((s->code & 15) != (int)s->op || s->code > 19 || s->code == 18)
            stn_wr_fail(w, "step %u: code %u does not fit its kind %d", i, s->code, (int)s->op);
        stn_buf_u8(w->b, s->code);
        if (s->code == 17)
            stn_wr_angle16(w, s->args[0]);
        if (s->code == 17 || s->code == 19)
            stn_wr_unit_axis(w, align ? s->ref : s->args + 1);
        for (int k = 0; s->code < 16 && k < count; k++)
            stn_wr_cfloat(w, (double)numbers[k], "number");
        for (int k = 0; s->code == 16 && k < count; k++)
            stn_buf_f32(w->b, numbers[k]);
        if (s->op == STN_BONEOFF_SCALE)
            stn_buf_f32(w->b, s->args[0]);
        if (s->op == STN_BONEOFF_BONE || align)
            stn_wr_text(w, s->bone, "bone");
        if (align)
            stn_wr_text(w, s->target, "target bone");
    }
}
