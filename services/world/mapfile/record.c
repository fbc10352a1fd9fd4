#include "world/mapfile/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GRID_VERSION 5
#define ZOOM_VERSION 4
#define UNPACKED_MAX (4u << 20)
#define OVERLAYS_MAX 1024
#define EPSILON 0.01f

stn_record *stn_record_new(void)
{
    return calloc(1, sizeof(stn_record));
}

void stn_record_free(stn_record *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n_sets; i++)
        free(r->sets[i].name);
    for (size_t i = 0; i < r->n_overlays; i++)
        free(r->overlays[i].name);
    free(r->sets);
    free(r->overlays);
    free(r);
}

int stn_record_append_set(stn_record *r, const char *name, uint16_t version, uint8_t prio)
{
    stn_record_set *more;
    char *copy;

    if (r->n_sets >= 65536 || !(copy = strdup(name)))
        return -1;
    if (!(more = realloc(r->sets, (r->n_sets + 1) * sizeof *more))) {
        free(copy);
        return -1;
    }
    r->sets = more;
    r->sets[r->n_sets] = (stn_record_set){copy, version, prio};
    return (int)r->n_sets++;
}

int stn_record_add_set(stn_record *r, const char *name, uint16_t version, uint8_t prio)
{
    for (size_t i = 0; i < r->n_sets; i++)
        if (!strcmp(r->sets[i].name, name))
            return (int)i;
    return stn_record_append_set(r, name, version, prio);
}

stn_record_overlay *stn_record_add_overlay(stn_record *r, const char *name, uint16_t version)
{
    stn_record_overlay *more;
    char *copy;

    for (size_t i = 0; i < r->n_overlays; i++)
        if (!strcmp(r->overlays[i].name, name))
            return &r->overlays[i];
    if (r->n_overlays >= OVERLAYS_MAX || !(copy = strdup(name)))
        return NULL;
    if (!(more = realloc(r->overlays, (r->n_overlays + 1) * sizeof *more))) {
        free(copy);
        return NULL;
    }
    r->overlays = more;
    more[r->n_overlays] = (stn_record_overlay){.name = copy, .version = version};
    return &more[r->n_overlays++];
}

/* ---- zlib */

stn_status stn_record_unpack(const uint8_t *data, size_t len, uint8_t **out, size_t *out_len, stn_err *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len};
    stn_buf b = {.max = UNPACKED_MAX};
    uint8_t *p;
    int rc;

    *out = NULL;
    *out_len = 0;
    if (inflateInit(&z) != Z_OK)
        return stn_fail(err, STN_NO_MEMORY, "recorded map: inflate");
    do {
        if (!(p = stn_buf_add(&b, 65536))) {
            inflateEnd(&z);
            stn_buf_fini(&b);
            return stn_fail(err, STN_TOO_BIG, "recorded map: unpacks to more than %u bytes", UNPACKED_MAX);
        }
        z.next_out = p;
        z.avail_out = 65536;
        rc = inflate(&z, Z_NO_FLUSH);
        b.len -= z.avail_out;
    } while (rc == Z_OK && (z.avail_in > 0 || z.avail_out == 0));
    inflateEnd(&z);
    if (rc != Z_STREAM_END) {
        stn_buf_fini(&b);
        return rc == Z_OK || rc == Z_BUF_ERROR
                   ? stn_fail(err, STN_TRUNCATED, "recorded map: the zlib stream ends early")
                   : stn_fail(err, STN_BAD_DATA, "recorded map: not a zlib stream");
    }
    if (b.len == 0) {
        stn_buf_fini(&b);
        return stn_fail(err, STN_TRUNCATED, "recorded map: nothing inside");
    }
    *out = stn_buf_take(&b, out_len);
    return STN_OK;
}

stn_status stn_record_pack(const uint8_t *data, size_t len, stn_buf *out, stn_err *err)
{
    uLongf packed = compressBound((uLong)len);
    uint8_t *p = stn_buf_add(out, packed);
    size_t room = packed;

    if (!p || compress2(p, &packed, data, (uLong)len, 9) != Z_OK)
        return stn_fail(err, STN_NO_MEMORY, "recorded map: deflate");
    out->len -= room - packed;
    return STN_OK;
}

/* ---- parts */

void stn_record_put_tiles(const stn_record *r, stn_buf *out)
{
    stn_buf_u16(out, (uint16_t)r->n_sets);
    for (size_t i = 0; i < r->n_sets; i++) {
        stn_buf_cstr(out, r->sets[i].name);
        stn_buf_u16(out, r->sets[i].version);
        stn_buf_u8(out, r->sets[i].prio);
    }
    for (size_t i = 0; i < STN_GRID_CELLS; i++)
        if (r->n_sets <= 256)
            stn_buf_u8(out, (uint8_t)r->tiles[i]);
        else
            stn_buf_u16(out, r->tiles[i]);
}

static stn_status cut_short(stn_err *err, const char *part)
{
    return stn_fail(err, STN_TRUNCATED, "recorded map: the %s end early", part);
}

stn_status stn_record_take_sets(stn_record *r, stn_bytes *in, bool wide, stn_err *err)
{
    size_t n = wide ? stn_bytes_u16(in) : stn_bytes_u8(in);

    for (size_t i = 0; i < n; i++) {
        const char *name = stn_bytes_cstr(in, NULL);
        uint16_t version = stn_bytes_u16(in);
        uint8_t prio = stn_bytes_u8(in);
        if (!stn_bytes_ok(in) || !name)
            break;
        if (stn_record_append_set(r, name, version, prio) < 0)
            return stn_fail(err, STN_NO_MEMORY, "recorded map: tilesets");
    }
    return stn_bytes_ok(in) ? STN_OK : cut_short(err, "tilesets");
}

stn_status stn_record_take_cells(stn_record *r, stn_bytes *in, bool wide, stn_err *err)
{
    size_t width = wide && r->n_sets > 256 ? 2 : 1;
    const uint8_t *p = stn_bytes_take(in, width * STN_GRID_CELLS);

    if (!p)
        return cut_short(err, "tiles");
    for (size_t i = 0; i < STN_GRID_CELLS; i++) {
        r->tiles[i] = width == 2 ? stn_ld16(p + 2 * i) : p[i];
        if (r->tiles[i] >= r->n_sets)
            return stn_fail(err, STN_BAD_DATA, "recorded map: cell %zu has tileset %u of %zu", i, r->tiles[i],
                            r->n_sets);
    }
    return STN_OK;
}

/* Rounded to the nearest, halves up; saturating, NaN gives 0. */
static int32_t rounded(float v)
{
    float f = floorf(v + 0.5f);
    return f != f ? 0 : f >= 2147483648.0f ? INT32_MAX : f < -2147483648.0f ? INT32_MIN : (int32_t)f;
}

static float gcd(float x, float y)
{
    float a = x > y ? x : y, b = x > y ? y : x;
    while (b > EPSILON) {
        float rest = fmodf(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* f32 at every step: the width decides which form is chosen and which values it holds. */
void stn_record_put_heights(const stn_record *r, stn_buf *out)
{
    const float *z = r->z;
    float min = z[0], max = z[0], q = 0, iq;
    int32_t most;
    uint8_t format;

    for (size_t i = 1; i < STN_GRID_CELLS; i++) {
        min = z[i] < min ? z[i] : min;
        max = z[i] > max ? z[i] : max;
    }
    if (min == max) {
        stn_buf_u8(out, 0);
        stn_buf_f32(out, min);
        return;
    }
    for (size_t i = 0; i < STN_GRID_CELLS; i++)
        if (z[i] > min + EPSILON)
            q = q == 0 ? z[i] - min : gcd(q, z[i] - min);
    iq = 1.0f / q;
    most = rounded((max - min) * iq);
    format = most > 0xff ? 2 : 1;
    if (most > 0xffff)
        format = 3;
    for (size_t i = 0; i < STN_GRID_CELLS && format != 3; i++) {
        float back = ((float)rounded((z[i] - min) * iq) * q) + min;
        if (!(fabsf(back - z[i]) <= EPSILON))
            format = 3;
    }
    stn_buf_u8(out, format);
    if (format != 3) {
        stn_buf_f32(out, min);
        stn_buf_f32(out, q);
    }
    for (size_t i = 0; i < STN_GRID_CELLS; i++)
        if (format == 3)
            stn_buf_f32(out, z[i]);
        else if (format == 2)
            stn_buf_u16(out, (uint16_t)rounded((z[i] - min) * iq));
        else
            stn_buf_u8(out, (uint8_t)rounded((z[i] - min) * iq));
}

stn_status stn_record_take_heights(stn_record *r, stn_bytes *in, stn_err *err)
{
    uint8_t format = stn_bytes_u8(in);

    if (format == 0) {
        float v = stn_bytes_f32(in);
        for (size_t i = 0; i < STN_GRID_CELLS; i++)
            r->z[i] = v;
    } else if (format == 1 || format == 2) {
        float min = stn_bytes_f32(in), q = stn_bytes_f32(in);
        const uint8_t *p = stn_bytes_take(in, (size_t)format * STN_GRID_CELLS);
        for (size_t i = 0; p && i < STN_GRID_CELLS; i++) {
            float step = (float)(format == 1 ? p[i] : stn_ld16(p + 2 * i)) * q;
            r->z[i] = min + step;
        }
    } else if (format == 3) {
        for (size_t i = 0; i < STN_GRID_CELLS; i++)
            r->z[i] = stn_bytes_f32(in);
    } else if (stn_bytes_ok(in)) {
        return stn_fail(err, STN_BAD_DATA, "recorded map: height format %u", format);
    }
    return stn_bytes_ok(in) ? STN_OK : cut_short(err, "heights");
}

void stn_record_put_overlays(const stn_record *r, stn_buf *out)
{
    for (size_t i = 0; i < r->n_overlays; i++) {
        stn_buf_cstr(out, r->overlays[i].name);
        stn_buf_u16(out, r->overlays[i].version);
        stn_buf_put(out, r->overlays[i].bits, STN_RECORD_MASK);
    }
    stn_buf_cstr(out, "");
}

stn_status stn_record_take_overlays(stn_record *r, stn_bytes *in, stn_err *err)
{
    for (;;) {
        size_t len = 0;
        const char *name = stn_bytes_cstr(in, &len);
        uint16_t version;
        const uint8_t *bits;
        stn_record_overlay *o;
        if (name && len == 0)
            return STN_OK;
        version = stn_bytes_u16(in);
        bits = stn_bytes_take(in, STN_RECORD_MASK);
        if (!name || !bits)
            return cut_short(err, "overlays");
        if (!(o = stn_record_add_overlay(r, name, version)))
            return stn_fail(err, STN_NO_MEMORY, "recorded map: overlays, at most %d", OVERLAYS_MAX);
        o->version = version;
        memcpy(o->bits, bits, STN_RECORD_MASK);
    }
}

/* ---- files */

/* What of a record a version of its format holds. */
typedef struct holds {
    bool mtime, heights, overlays, wide;
} holds;

static stn_status take_body(stn_record *r, stn_bytes *in, holds h, stn_err *err)
{
    stn_status st = stn_record_take_sets(r, in, h.wide, err);
    if (st == STN_OK)
        st = stn_record_take_cells(r, in, h.wide, err);
    if (st == STN_OK && h.heights)
        st = stn_record_take_heights(r, in, err);
    if (st == STN_OK && h.overlays)
        st = stn_record_take_overlays(r, in, err);
    return st;
}

/* The version byte and the inflated rest. */
static stn_status open_file(const uint8_t *file, size_t len, unsigned newest, unsigned *version,
                            uint8_t **body, stn_bytes *in, stn_err *err)
{
    size_t n;
    stn_status st;

    if (len < 1)
        return stn_fail(err, STN_TRUNCATED, "recorded map: an empty record");
    *version = file[0];
    if (*version < 1 || *version > newest)
        return stn_fail(err, STN_VERSION, "recorded map: record version %u, known are 1 to %u", *version,
                        newest);
    st = stn_record_unpack(file + 1, len - 1, body, &n, err);
    if (st == STN_OK)
        *in = stn_bytes_of(*body, n);
    return st;
}

static stn_status finish(stn_status st, uint8_t *body, stn_record *r, stn_record **out)
{
    free(body);
    if (st != STN_OK)
        stn_record_free(r);
    else
        *out = r;
    return st;
}

stn_status stn_record_read_grid(const uint8_t *file, size_t len, int64_t id, int64_t now_ms, stn_record **out,
                                stn_err *err)
{
    unsigned version = 0;
    uint8_t *body = NULL;
    stn_bytes in;
    stn_record *r;
    stn_status st = open_file(file, len, GRID_VERSION, &version, &body, &in, err);

    *out = NULL;
    if (st != STN_OK)
        return st;
    if (!(r = stn_record_new()))
        return finish(stn_fail(err, STN_NO_MEMORY, "recorded grid"), body, NULL, out);
    if (stn_bytes_i64(&in) != id)
        return finish(stn_fail(err, STN_BAD_DATA, "recorded grid: its id is not that of its key"), body, r,
                      out);
    r->mtime = version >= 2 ? stn_bytes_i64(&in) : now_ms;
    st = take_body(r, &in, (holds){version >= 2, version >= 3, version >= 4, version >= 5}, err);
    return finish(st, body, r, out);
}

stn_status stn_record_read_zoom(const uint8_t *file, size_t len, int64_t segment, int32_t level, stn_coord at,
                                stn_record **out, stn_err *err)
{
    unsigned version = 0;
    uint8_t *body = NULL;
    stn_bytes in;
    stn_record *r;
    stn_status st = open_file(file, len, ZOOM_VERSION, &version, &body, &in, err);
    bool same;

    *out = NULL;
    if (st != STN_OK)
        return st;
    if (!(r = stn_record_new()))
        return finish(stn_fail(err, STN_NO_MEMORY, "recorded zoom cell"), body, NULL, out);
    same = stn_bytes_i64(&in) == segment;
    same &= stn_bytes_i32(&in) == level;
    same &= stn_bytes_i32(&in) == at.x;
    same &= stn_bytes_i32(&in) == at.y;
    if (!same)
        return finish(stn_fail(err, STN_BAD_DATA, "recorded zoom cell: its place is not that of its key"),
                      body, r, out);
    r->mtime = stn_bytes_i64(&in);
    st = take_body(r, &in, (holds){true, version >= 2, version >= 3, version >= 4}, err);
    return finish(st, body, r, out);
}

static stn_status write_file(const stn_record *r, uint8_t version, stn_buf *body, stn_buf *file, stn_err *err)
{
    stn_status st;

    stn_buf_u64(body, (uint64_t)r->mtime);
    stn_record_put_tiles(r, body);
    stn_record_put_heights(r, body);
    stn_record_put_overlays(r, body);
    stn_buf_u8(file, version);
    st = body->failed ? stn_fail(err, STN_NO_MEMORY, "recorded map")
                      : stn_record_pack(body->data, body->len, file, err);
    stn_buf_fini(body);
    return st;
}

stn_status stn_record_write_grid(const stn_record *r, int64_t id, stn_buf *file, stn_err *err)
{
    stn_buf body = {0};
    stn_buf_u64(&body, (uint64_t)id);
    return write_file(r, GRID_VERSION, &body, file, err);
}

stn_status stn_record_write_zoom(const stn_record *r, int64_t segment, int32_t level, stn_coord at,
                                 stn_buf *file, stn_err *err)
{
    stn_buf body = {0};
    stn_buf_u64(&body, (uint64_t)segment);
    stn_buf_u32(&body, (uint32_t)level);
    stn_buf_u32(&body, (uint32_t)at.x);
    stn_buf_u32(&body, (uint32_t)at.y);
    return write_file(r, ZOOM_VERSION, &body, file, err);
}
