#include "world/mapfile/export.h"

#include <string.h>
#include <zlib.h>

#define SIGNATURE "Haven Mapfile 1"
#define GRID_FORM 4
#define BODY_MAX (1u << 30)

static stn_status unpack(const uint8_t *data, size_t len, stn_buf *out, stn_err *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len};
    uint8_t *p;
    int rc;

    if (len > UINT32_MAX)
        return stn_fail(err, STN_TOO_BIG, "map export of %zu bytes", len);
    if (inflateInit(&z) != Z_OK)
        return stn_fail(err, STN_NO_MEMORY, "map export: inflate");
    do {
        if (!(p = stn_buf_add(out, 1 << 18))) {
            inflateEnd(&z);
            return stn_fail(err, STN_TOO_BIG, "map export: unpacks to more than %u bytes", BODY_MAX);
        }
        z.next_out = p;
        z.avail_out = 1 << 18;
        rc = inflate(&z, Z_NO_FLUSH);
        out->len -= z.avail_out;
    } while (rc == Z_OK && (z.avail_in > 0 || z.avail_out == 0));
    inflateEnd(&z);
    if (rc == Z_STREAM_END)
        return STN_OK;
    return rc == Z_OK || rc == Z_BUF_ERROR
               ? stn_fail(err, STN_TRUNCATED, "map export: the zlib stream ends early")
               : stn_fail(err, STN_BAD_DATA, "map export: not a zlib stream");
}

static stn_status take_grid(stn_bytes *in, const stn_export_hooks *on, stn_err *err)
{
    uint8_t form = stn_bytes_u8(in);
    int64_t id = stn_bytes_i64(in), segment = stn_bytes_i64(in), mtime = stn_bytes_i64(in);
    stn_coord at = {stn_bytes_i32(in), 0};
    stn_record *r;
    stn_status st;

    at.y = stn_bytes_i32(in);
    if (form < 1 || form > GRID_FORM)
        return stn_fail(err, STN_VERSION, "map export: grid form %u, known are 1 to %d", form, GRID_FORM);
    if (!(r = stn_record_new()))
        return stn_fail(err, STN_NO_MEMORY, "map export: grid");
    r->mtime = mtime;
    if (form < GRID_FORM) {
        st = stn_record_take_sets(r, in, false, err);
        if (st == STN_OK && form >= 2 && stn_bytes_i32(in) != STN_GRID_CELLS)
            st = stn_fail(err, STN_BAD_DATA, "map export: a grid has %d cells", STN_GRID_CELLS);
    } else {
        st = stn_bytes_i32(in) == STN_GRID_CELLS
                 ? stn_record_take_sets(r, in, true, err)
                 : stn_fail(err, STN_BAD_DATA, "map export: a grid has %d cells", STN_GRID_CELLS);
    }
    if (st == STN_OK)
        st = stn_record_take_cells(r, in, form == GRID_FORM, err);
    if (st == STN_OK && form >= 2)
        st = stn_record_take_heights(r, in, err);
    if (st == STN_OK && form >= 3)
        st = stn_record_take_overlays(r, in, err);
    if (st != STN_OK) {
        stn_record_free(r);
        return st;
    }
    return on->grid(on->arg, id, segment, at, r, err);
}

stn_status stn_export_read(const uint8_t *file, size_t len, const stn_export_hooks *hooks, stn_err *err)
{
    const size_t head = sizeof SIGNATURE - 1;
    stn_buf body = {.max = BODY_MAX};
    stn_bytes in;
    stn_status st;

    if (len < head || memcmp(file, SIGNATURE, head) != 0)
        return stn_fail(err, STN_BAD_DATA, "not a map export: it begins otherwise");
    st = unpack(file + head, len - head, &body, err);
    in = stn_bytes_of(body.data, body.len);
    while (st == STN_OK && stn_bytes_left(&in) > 0) {
        const char *type = stn_bytes_cstr(&in, NULL);
        int32_t n = stn_bytes_i32(&in);
        stn_bytes part = stn_bytes_sub(&in, n > 0 ? (size_t)n : 0);
        stn_marker marker;
        if (!stn_bytes_ok(&in) || !type)
            st = stn_fail(err, STN_TRUNCATED, "map export: a record ends early");
        else if (!strcmp(type, "grid"))
            st = take_grid(&part, hooks, err);
        else if (!strcmp(type, "mark") && (st = stn_marker_read(&part, &marker, err)) == STN_OK) {
            st = hooks->marker(hooks->arg, &marker, err);
            stn_marker_fini(&marker);
        }
    }
    stn_buf_fini(&body);
    return st;
}

static stn_status put_part(stn_buf *body, const char *type, stn_buf *part, stn_err *err)
{
    stn_buf_cstr(body, type);
    stn_buf_u32(body, (uint32_t)part->len);
    stn_buf_put(body, part->data, part->len);
    if (part->failed)
        body->failed = true;
    stn_buf_fini(part);
    return body->failed ? stn_fail(err, STN_NO_MEMORY, "map export") : STN_OK;
}

stn_status stn_export_put_grid(stn_buf *body, int64_t id, int64_t segment, stn_coord at, const stn_record *r,
                               stn_err *err)
{
    stn_buf p = {0};
    stn_buf_u8(&p, GRID_FORM);
    stn_buf_u64(&p, (uint64_t)id);
    stn_buf_u64(&p, (uint64_t)segment);
    stn_buf_u64(&p, (uint64_t)r->mtime);
    stn_buf_u32(&p, (uint32_t)at.x);
    stn_buf_u32(&p, (uint32_t)at.y);
    stn_buf_u32(&p, STN_GRID_CELLS);
    stn_record_put_tiles(r, &p);
    stn_record_put_heights(r, &p);
    stn_record_put_overlays(r, &p);
    return put_part(body, "grid", &p, err);
}

stn_status stn_export_put_marker(stn_buf *body, const stn_marker *m, stn_err *err)
{
    stn_buf p = {0};
    stn_status st = stn_marker_write(m, &p, err);
    if (st != STN_OK) {
        stn_buf_fini(&p);
        return st;
    }
    return put_part(body, "mark", &p, err);
}

stn_status stn_export_finish(const stn_buf *body, stn_buf *file, stn_err *err)
{
    stn_buf_put(file, SIGNATURE, sizeof SIGNATURE - 1);
    return stn_record_pack(body->data, body->len, file, err);
}
