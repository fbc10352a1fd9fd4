#include "session/objdata.h"

#define END 0xff

static const uint8_t compact_types[8] = {0, 20, 10, 1, 2, 3, 4, 11};

/* One attribute head and its bytes; false at the end marker or when the input is cut (then in->bad). */
static bool read_attr(stn_bytes *in, uint8_t *type, const uint8_t **data, uint16_t *len)
{
    uint8_t b = stn_bytes_u8(in);

    if (!stn_bytes_ok(in) || b == END)
        return false;
    if (b & 0x80) {
        uint8_t l = stn_bytes_u8(in);

        *type = b & 0x7f;
        *len = l & 0x80 ? stn_bytes_u16(in) : l;
    } else {
        unsigned n = b >> 3 & 15u;

        *type = compact_types[b & 7];
        *len = (uint16_t)(n ? n + 1 : 0);
    }
    *data = stn_bytes_take(in, *len);
    return stn_bytes_ok(in);
}

static bool read_delta(stn_bytes *in, stn_objdelta *d)
{
    uint8_t type;
    const uint8_t *data;
    uint16_t len;

    *d = (stn_objdelta){0};
    d->flags = stn_bytes_u8(in);
    d->id = stn_bytes_u32(in);
    d->frame = stn_bytes_i32(in);
    if (d->flags & STN_OBJ_INITIAL)
        d->initframe = d->frame;
    if (d->flags & STN_OBJ_INITFRAME)
        d->initframe = stn_bytes_i32(in);
    if (d->initframe < 0)
        d->initframe = 0;
    if (!stn_bytes_ok(in))
        return false;
    d->attrs = in->data + in->pos;
    while (read_attr(in, &type, &data, &len))
        if (type == STN_OD_REM)
            d->removal = true;
    if (!stn_bytes_ok(in))
        return false;
    d->attrs_len = (size_t)(in->data + in->pos - d->attrs) - 1;
    return true;
}

stn_status stn_objdata_check(const uint8_t *payload, size_t len, size_t *count, stn_err *err)
{
    stn_bytes in = stn_bytes_of(payload, len);
    stn_objdelta d;
    size_t n = 0;

    while (stn_bytes_left(&in)) {
        size_t at = in.pos;

        if (!read_delta(&in, &d))
            return stn_fail(err, STN_TRUNCATED,
                            "OBJDATA: the delta at byte %zu (object %u) does not end within %zu bytes", at,
                            d.id, len);
        n++;
    }
    if (count)
        *count = n;
    return STN_OK;
}

bool stn_objdata_next(stn_bytes *in, stn_objdelta *out)
{
    return stn_bytes_ok(in) && stn_bytes_left(in) && read_delta(in, out);
}

bool stn_objdelta_attr_raw(const stn_objdelta *d, size_t *pos, stn_objattr *out)
{
    stn_bytes in = stn_bytes_of(d->attrs, d->attrs_len);

    in.pos = *pos;
    if (!stn_bytes_left(&in) || !read_attr(&in, &out->type, &out->data, &out->len))
        return false;
    *pos = in.pos;
    return true;
}

bool stn_objdelta_attr(const stn_objdelta *d, size_t *pos, stn_objattr *out)
{
    while (stn_objdelta_attr_raw(d, pos, out))
        if (out->type != STN_OD_REM)
            return true;
    return false;
}

void stn_objdata_begin(stn_buf *out, uint8_t flags, uint32_t id, int32_t frame, int32_t initframe)
{
    stn_buf_u8(out, flags);
    stn_buf_u32(out, id);
    stn_buf_u32(out, (uint32_t)frame);
    if (flags & STN_OBJ_INITFRAME)
        stn_buf_u32(out, (uint32_t)initframe);
}

void stn_objdata_attr(stn_buf *out, uint8_t type, const void *data, size_t len)
{
    if (len == 0 || (len >= 2 && len <= 16)) {
        for (unsigned i = 0; i < 8; i++) {
            if (compact_types[i] != type)
                continue;
            stn_buf_u8(out, (uint8_t)(i | (len ? (len - 1) << 3 : 0)));
            stn_buf_put(out, data, len);
            return;
        }
    }
    stn_buf_u8(out, type | 0x80);
    if (len < 0x80) {
        stn_buf_u8(out, (uint8_t)len);
    } else {
        stn_buf_u8(out, 0x80);
        stn_buf_u16(out, (uint16_t)len);
    }
    stn_buf_put(out, data, len);
}

void stn_objdata_end(stn_buf *out)
{
    stn_buf_u8(out, END);
}

stn_status stn_objack_check(const uint8_t *payload, size_t len, size_t *count, stn_err *err)
{
    (void)payload;
    if (len % 8)
        return stn_fail(err, STN_TRUNCATED, "OBJACK of %zu bytes: not a whole number of 8-byte pairs", len);
    *count = len / 8;
    return STN_OK;
}

stn_objack stn_objack_at(const uint8_t *payload, size_t i)
{
    return (stn_objack){.id = stn_ld32(payload + 8 * i), .frame = (int32_t)stn_ld32(payload + 8 * i + 4)};
}
