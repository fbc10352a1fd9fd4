/* values_write.c - typed values back to bytes, canonically or as they were read. */
#include "res/values.h"

typedef struct writer {
    stn_buf *b;
    stn_err *err;
    bool exact;
    uint32_t depth_left;
} writer;

static stn_status write_value(writer *w, const stn_value *v);

static stn_status write_body(writer *w, const stn_values *list)
{
    if (w->depth_left == 0)
        return stn_fail(w->err, STN_USAGE, "value nests deeper than %u levels",
                        stn_res_default_limits.max_depth);
    w->depth_left--;
    for (uint32_t i = 0; i < list->count; i++) {
        stn_status st = write_value(w, &list->items[i]);
        if (st != STN_OK)
            return st;
    }
    w->depth_left++;
    return STN_OK;
}

static stn_status write_map(writer *w, const stn_value *v)
{
    const stn_map *m = v->u.map;
    stn_status st = STN_OK;

    if (w->exact)
        return write_body(w, &(stn_values){2 * m->pairs, m->items});
    for (uint32_t i = 0; st == STN_OK && i < m->count; i++)
        st = write_body(w, &(stn_values){2, &m->items[2 * (size_t)m->order[i]]});
    return st;
}

/* The tag that says an integer in the fewest bytes, in the reference's order of preference. */
static uint8_t int_tag(int32_t i)
{
    if (i >= 0 && i <= 255)
        return STN_TAG_UINT8;
    if (i >= 0 && i <= 65535)
        return STN_TAG_UINT16;
    if (i >= -128 && i < 0)
        return STN_TAG_INT8;
    if (i >= -32768 && i < 0)
        return STN_TAG_INT16;
    return STN_TAG_INT;
}

static void write_int(writer *w, uint8_t tag, int32_t i)
{
    stn_buf_u8(w->b, tag);
    if (tag == STN_TAG_UINT8 || tag == STN_TAG_INT8)
        stn_buf_u8(w->b, (uint8_t)i);
    else if (tag == STN_TAG_UINT16 || tag == STN_TAG_INT16)
        stn_buf_u16(w->b, (uint16_t)i);
    else
        stn_buf_u32(w->b, (uint32_t)i);
}

static void write_bytes(writer *w, const stn_value *v)
{
    uint8_t first = w->exact ? v->form : 0;
    stn_buf_u8(w->b, STN_TAG_BYTES);
    if (!first && v->len < 128) {
        stn_buf_u8(w->b, (uint8_t)v->len);
    } else {
        stn_buf_u8(w->b, first ? first : 0x80);
        stn_buf_u32(w->b, v->len);
    }
    if (v->len)
        stn_buf_put(w->b, v->u.bytes, v->len);
}

static void write_point(writer *w, const stn_value *v)
{
    if (!w->exact || v->tag != STN_TAG_POINT32) {
        stn_buf_u8(w->b, STN_TAG_POINT64);
        stn_buf_f64(w->b, v->u.point[0]);
        stn_buf_f64(w->b, v->u.point[1]);
        return;
    }
    stn_buf_u8(w->b, STN_TAG_POINT32);
    for (int i = 0; i < 2; i++) {
        uint32_t bits = stn_bits_of_f32((float)v->u.point[i]);
        if (v->form & 1 << i)
            bits &= ~UINT32_C(0x400000); /* was a signalling NaN */
        stn_buf_u32(w->b, bits);
    }
}

static stn_status write_res(writer *w, const stn_value *v)
{
    if (v->u.res.version < 0 || v->u.res.version > 65535)
        return stn_fail(w->err, STN_USAGE, "resource \"%s\": version %d does not fit 0..65535", v->u.res.name,
                        v->u.res.version);
    stn_buf_u8(w->b, STN_TAG_RES);
    stn_buf_cstr(w->b, v->u.res.name);
    stn_buf_u16(w->b, (uint16_t)v->u.res.version);
    return STN_OK;
}

static void write_list_end(writer *w, const stn_value *v)
{
    if (!w->exact || !v->form)
        stn_buf_u8(w->b, STN_TAG_END);
}

static stn_status write_value(writer *w, const stn_value *v)
{
    stn_status st = STN_OK;
    stn_buf *b = w->b;

    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_NIL:
        if (w->exact && v->tag == STN_TAG_RESID) {
            stn_buf_u8(b, STN_TAG_RESID);
            stn_buf_u16(b, 65535);
        } else {
            stn_buf_u8(b, STN_TAG_NIL);
        }
        break;
    case STN_VALUE_INT:
        write_int(w, w->exact && v->tag ? v->tag : int_tag(v->u.i), v->u.i);
        break;
    case STN_VALUE_LONG:
        stn_buf_u8(b, STN_TAG_LONG);
        stn_buf_u64(b, (uint64_t)v->u.l);
        break;
    case STN_VALUE_TEXT:
        if (memchr(v->u.text, 0, v->len))
            return stn_fail(w->err, STN_USAGE, "a text of %u bytes holds a NUL", v->len);
        stn_buf_u8(b, STN_TAG_TEXT);
        stn_buf_put(b, v->u.text, v->len);
        stn_buf_u8(b, 0);
        break;
    case STN_VALUE_COORD:
        stn_buf_u8(b, STN_TAG_COORD);
        stn_buf_u32(b, (uint32_t)v->u.coord[0]);
        stn_buf_u32(b, (uint32_t)v->u.coord[1]);
        break;
    case STN_VALUE_COLOR:
        stn_buf_u8(b, STN_TAG_COLOR);
        stn_buf_put(b, v->u.color, 4);
        break;
    case STN_VALUE_FCOLOR:
        stn_buf_u8(b, STN_TAG_FCOLOR);
        for (int i = 0; i < 4; i++)
            stn_buf_f32(b, v->u.fcolor[i]);
        break;
    case STN_VALUE_LIST:
        stn_buf_u8(b, STN_TAG_LIST);
        st = write_body(w, &v->u.list);
        write_list_end(w, v);
        break;
    case STN_VALUE_MAP:
        stn_buf_u8(b, STN_TAG_MAP);
        st = write_map(w, v);
        write_list_end(w, v);
        break;
    case STN_VALUE_UID:
        stn_buf_u8(b, STN_TAG_UID);
        stn_buf_u64(b, (uint64_t)v->u.l);
        break;
    case STN_VALUE_BYTES:
        write_bytes(w, v);
        break;
    case STN_VALUE_F32:
        stn_buf_u8(b, STN_TAG_F32);
        stn_buf_f32(b, v->u.f32);
        break;
    case STN_VALUE_F64:
        stn_buf_u8(b, STN_TAG_F64);
        stn_buf_f64(b, v->u.f64);
        break;
    case STN_VALUE_POINT:
        write_point(w, v);
        break;
    case STN_VALUE_F8:
    case STN_VALUE_UNORM8:
    case STN_VALUE_MNORM8:
        stn_buf_u8(b, v->kind == STN_VALUE_F8       ? STN_TAG_F8
                      : v->kind == STN_VALUE_UNORM8 ? STN_TAG_UNORM8
                                                    : STN_TAG_MNORM8);
        stn_buf_u8(b, (uint8_t)v->u.bits);
        break;
    case STN_VALUE_F16:
    case STN_VALUE_UNORM16:
    case STN_VALUE_MNORM16:
        stn_buf_u8(b, v->kind == STN_VALUE_F16       ? STN_TAG_F16
                      : v->kind == STN_VALUE_UNORM16 ? STN_TAG_UNORM16
                                                     : STN_TAG_MNORM16);
        stn_buf_u16(b, (uint16_t)v->u.bits);
        break;
    case STN_VALUE_UNORM32:
    case STN_VALUE_MNORM32:
        stn_buf_u8(b, v->kind == STN_VALUE_UNORM32 ? STN_TAG_UNORM32 : STN_TAG_MNORM32);
        stn_buf_u32(b, v->u.bits);
        break;
    case STN_VALUE_SNORM8:
        stn_buf_u8(b, STN_TAG_SNORM8);
        stn_buf_u8(b, w->exact && v->form ? 0x80 : (uint8_t)v->u.i);
        break;
    case STN_VALUE_SNORM16:
        stn_buf_u8(b, STN_TAG_SNORM16);
        stn_buf_u16(b, w->exact && v->form ? 0x8000 : (uint16_t)v->u.i);
        break;
    case STN_VALUE_SNORM32:
        stn_buf_u8(b, STN_TAG_SNORM32);
        stn_buf_u32(b, (uint32_t)v->u.i);
        break;
    case STN_VALUE_RES:
        st = write_res(w, v);
        break;
    case STN_VALUE_RESID:
        stn_buf_u8(b, STN_TAG_RESID);
        stn_buf_u16(b, (uint16_t)v->u.i);
        break;
    }
    if (st == STN_OK && b->failed)
        st = stn_fail(w->err, STN_NO_MEMORY, "typed value");
    return st;
}

stn_status stn_value_write(stn_buf *out, const stn_value *value, stn_err *err)
{
    writer w = {out, err, false, stn_res_default_limits.max_depth};
    return write_value(&w, value);
}

stn_status stn_value_write_exact(stn_buf *out, const stn_value *value, stn_err *err)
{
    writer w = {out, err, true, stn_res_default_limits.max_depth};
    return write_value(&w, value);
}

stn_status stn_values_write(stn_buf *out, const stn_values *values, bool close, stn_err *err)
{
    writer w = {out, err, false, stn_res_default_limits.max_depth + 1};
    stn_status st = write_body(&w, values);
    if (st == STN_OK && close)
        stn_buf_u8(out, STN_TAG_END);
    return st;
}
