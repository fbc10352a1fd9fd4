#include "world/gridmsg.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct reader {
    stn_gridmsg *m;
    stn_gridmsg_known known;
    void *arg;
    size_t unpacked; /* bytes that z layers have given so far */
    bool has_index; /* a pi layer came and no p layer has used it */
    uint32_t index[255]; /* session resource id by plot index; UINT32_MAX = undefined */
    uint32_t declared[65536 / 32]; /* tile ids that this message declares */
} reader;

static stn_status short_of(stn_err *err, const char *layer)
{
    return stn_fail(err, STN_TRUNCATED, "grid layer \"%s\": the payload ends early", layer);
}

static stn_status declare(reader *r, uint16_t tile, const char *name, size_t name_len, uint16_t version,
                          uint16_t resid, stn_err *err)
{
    stn_gridmsg *m = r->m;
    struct stn_gridmsg_tileset *t;

    if (m->n_tilesets == m->cap_tilesets) {
        size_t cap = m->cap_tilesets ? m->cap_tilesets * 2 : 32;
        t = realloc(m->tilesets, cap * sizeof *t);
        if (!t)
            return stn_fail(err, STN_NO_MEMORY, "grid tileset table of %zu entries", cap);
        m->tilesets = t;
        m->cap_tilesets = cap;
    }
    t = &m->tilesets[m->n_tilesets];
    *t = (struct stn_gridmsg_tileset){.tile = tile, .ref = {.version = version, .resid = resid}};
    if (name && !(t->ref.name = strndup(name, name_len)))
        return stn_fail(err, STN_NO_MEMORY, "tileset name of %zu bytes", name_len);
    m->n_tilesets++;
    r->declared[tile / 32] |= 1u << tile % 32;
    return STN_OK;
}

static stn_status take_cell(reader *r, size_t i, uint16_t tile, stn_err *err)
{
    if (!(r->declared[tile / 32] >> tile % 32 & 1) && !(r->known && r->known(r->arg, tile)))
        return stn_fail(err, STN_BAD_DATA, "grid cell %zu: tile id %u has no tileset", i, tile);
    r->m->tiles[i] = tile;
    return STN_OK;
}

static stn_status read_id(reader *r, stn_bytes *in, stn_err *err)
{
    int64_t id = stn_bytes_i64(in);
    if (!stn_bytes_ok(in))
        return short_of(err, "m");
    r->m->id = id;
    r->m->has_id = true;
    return STN_OK;
}

static stn_status read_tiles(reader *r, stn_bytes *in, stn_err *err)
{
    const uint8_t *cells;
    stn_status st;

    for (;;) {
        uint8_t tile = stn_bytes_u8(in);
        const char *name;
        size_t name_len = 0;
        uint16_t version;
        if (!stn_bytes_ok(in))
            return short_of(err, "t");
        if (tile == 255)
            break;
        name = stn_bytes_cstr(in, &name_len);
        version = stn_bytes_u16(in);
        if (!stn_bytes_ok(in))
            return short_of(err, "t");
        if ((st = declare(r, tile, name, name_len, version, 0, err)) != STN_OK)
            return st;
    }
    if (!(cells = stn_bytes_take(in, STN_GRID_CELLS)))
        return short_of(err, "t");
    for (size_t i = 0; i < STN_GRID_CELLS; i++)
        if ((st = take_cell(r, i, cells[i], err)) != STN_OK)
            return st;
    r->m->has_tiles = true;
    return STN_OK;
}

/* t2 names its tilesets, t3 gives session resource ids; both map codes to tile ids. */
static stn_status read_coded_tiles(reader *r, stn_bytes *in, bool named, stn_err *err)
{
    const char *layer = named ? "t2" : "t3";
    uint32_t *tile_of = malloc(65536 * sizeof *tile_of);
    uint32_t largest = 0;
    const uint8_t *cells;
    stn_status st = STN_OK;
    size_t width;

    if (!tile_of)
        return stn_fail(err, STN_NO_MEMORY, "grid tile codes");
    memset(tile_of, 0xff, 65536 * sizeof *tile_of);
    for (;;) {
        uint16_t code = stn_bytes_u16(in), tile, version = 0, resid = 0;
        const char *name = NULL;
        size_t name_len = 0;
        if (stn_bytes_ok(in) && code == 65535)
            break;
        tile = stn_bytes_u16(in);
        if (named) {
            name = stn_bytes_cstr(in, &name_len);
            version = stn_bytes_u16(in);
        } else {
            resid = stn_bytes_u16(in);
        }
        if (!stn_bytes_ok(in)) {
            st = short_of(err, layer);
            goto out;
        }
        if ((st = declare(r, tile, name, name_len, version, resid, err)) != STN_OK)
            goto out;
        tile_of[code] = tile;
        if (code > largest)
            largest = code;
    }
    width = largest >= 256 ? 2 : 1;
    if (!(cells = stn_bytes_take(in, width * STN_GRID_CELLS))) {
        st = short_of(err, layer);
        goto out;
    }
    for (size_t i = 0; i < STN_GRID_CELLS && st == STN_OK; i++) {
        uint32_t code = width == 2 ? stn_ld16(cells + 2 * i) : cells[i];
        if (tile_of[code] > 65535)
            st = stn_fail(err, STN_BAD_DATA, "grid layer \"%s\": cell %zu has code %u, which is not declared",
                          layer, i, (unsigned)code);
        else
            st = take_cell(r, i, (uint16_t)tile_of[code], err);
    }
    if (st == STN_OK)
        r->m->has_tiles = true;
out:
    free(tile_of);
    return st;
}

static stn_status read_heights(reader *r, stn_bytes *in, stn_err *err)
{
    uint8_t format = stn_bytes_u8(in);
    float *z = r->m->z;

    /* Every product and sum is rounded to f32 by itself: the width decides bits here. */
    if (format == 0) {
        float v = stn_bytes_f32(in) * 11.0f;
        for (size_t i = 0; i < STN_GRID_CELLS; i++)
            z[i] = v;
    } else if (format == 1 || format == 2) {
        float min = stn_bytes_f32(in) * 11.0f, q = stn_bytes_f32(in) * 11.0f;
        const uint8_t *v = stn_bytes_take(in, (size_t)format * STN_GRID_CELLS);
        for (size_t i = 0; v && i < STN_GRID_CELLS; i++) {
            float step = (float)(format == 1 ? v[i] : stn_ld16(v + 2 * i)) * q;
            z[i] = min + step;
        }
    } else if (format == 3) {
        const uint8_t *v = stn_bytes_take(in, 4u * STN_GRID_CELLS);
        for (size_t i = 0; v && i < STN_GRID_CELLS; i++)
            z[i] = stn_f32_of_bits(stn_ld32(v + 4 * i)) * 11.0f;
    } else if (stn_bytes_ok(in)) {
        return stn_fail(err, STN_BAD_DATA, "grid layer \"h\": height format %u, known are 0 to 3", format);
    }
    if (!stn_bytes_ok(in))
        return short_of(err, "h");
    r->m->has_z = true;
    return STN_OK;
}

static stn_status read_plot_index(reader *r, stn_bytes *in, stn_err *err)
{
    memset(r->index, 0xff, sizeof r->index);
    while (stn_bytes_left(in) > 0) {
        uint8_t i = stn_bytes_u8(in);
        uint16_t resid;
        if (i == 255)
            break;
        resid = stn_bytes_u16(in);
        if (!stn_bytes_ok(in))
            return short_of(err, "pi");
        r->index[i] = resid;
    }
    r->has_index = true;
    return STN_OK;
}

static stn_overlay_mask *overlay_of(stn_gridmsg *m, uint16_t resid)
{
    for (size_t i = 0; i < m->n_overlays; i++)
        if (m->overlays[i].resid == resid)
            return &m->overlays[i];
    /* At most one per plot index, and there are 255 of those: the array was made for them. */
    m->overlays[m->n_overlays].resid = resid;
    memset(m->overlays[m->n_overlays].bits, 0, STN_GRID_MASK_BYTES);
    return &m->overlays[m->n_overlays++];
}

static stn_status read_plot(reader *r, stn_bytes *in, uint8_t index, stn_err *err)
{
    uint8_t flags = stn_bytes_u8(in);
    int x1 = stn_bytes_u8(in), y1 = stn_bytes_u8(in), x2 = stn_bytes_u8(in), y2 = stn_bytes_u8(in);
    int cells = (x2 - x1) * (y2 - y1), used = 0;
    bool wanted = r->index[index] != UINT32_MAX;
    uint8_t bits = 0;
    stn_overlay_mask *ol = NULL;

    if (!stn_bytes_ok(in))
        return short_of(err, "p");
    if (cells < 0)
        return stn_fail(err, STN_BAD_DATA, "grid layer \"p\": rectangle %d,%d to %d,%d is inside out", x1, y1,
                        x2, y2);
    if (wanted)
        ol = overlay_of(r->m, (uint16_t)r->index[index]);
    if (flags & 1) {
        const uint8_t *mask = stn_bytes_take(in, cells == 0 ? 1 : (size_t)(cells + 7) / 8);
        if (!mask)
            return short_of(err, "p");
        for (int y = y1; y < y2; y++)
            for (int x = x1; x < x2; x++, used++) {
                int cell = x + 100 * y;
                if (used % 8 == 0)
                    bits = *mask++;
                if (!(bits >> used % 8 & 1) || !ol)
                    continue;
                if (cell >= STN_GRID_CELLS)
                    return stn_fail(err, STN_BAD_DATA, "grid layer \"p\": cell %d,%d is outside the grid", x,
                                    y);
                ol->bits[cell / 8] |= (uint8_t)(1u << cell % 8);
            }
        return STN_OK;
    }
    for (int y = y1; ol && y < y2; y++)
        for (int x = x1; x < x2; x++) {
            int cell = x + 100 * y;
            if (cell >= STN_GRID_CELLS)
                return stn_fail(err, STN_BAD_DATA, "grid layer \"p\": cell %d,%d is outside the grid", x, y);
            ol->bits[cell / 8] |= (uint8_t)(1u << cell % 8);
        }
    return STN_OK;
}

static stn_status read_plots(reader *r, stn_bytes *in, stn_err *err)
{
    stn_status st;

    if (!r->has_index)
        return STN_OK;
    if (!r->m->overlays) {
        r->m->overlays = malloc(STN_GRID_MAX_OVERLAYS * sizeof *r->m->overlays);
        if (!r->m->overlays)
            return stn_fail(err, STN_NO_MEMORY, "grid overlays");
    }
    r->m->n_overlays = 0;
    r->m->has_overlays = true;
    while (stn_bytes_left(in) > 0) {
        uint8_t index = stn_bytes_u8(in);
        if (index == 255)
            break;
        if ((st = read_plot(r, in, index, err)) != STN_OK)
            return st;
    }
    r->has_index = false;
    return STN_OK;
}

static stn_status read_layers(reader *r, stn_bytes *in, int depth, stn_err *err);

static stn_status inflate_all(const uint8_t *data, size_t len, size_t ceiling, uint8_t **out, size_t *out_len,
                              stn_err *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len};
    uint8_t *buf = NULL;
    size_t cap = 0;
    stn_status st = STN_OK;
    int rc;

    if (inflateInit(&z) != Z_OK)
        return stn_fail(err, STN_NO_MEMORY, "grid layer \"z\": inflate");
    do {
        /* One byte over the ceiling is given, so that going over it is seen. */
        size_t more = cap ? cap * 2 : 32768;
        uint8_t *p;
        if (more > ceiling + 1)
            more = ceiling + 1;
        if (z.total_out == cap) {
            if (cap == more) {
                st = stn_fail(err, STN_TOO_BIG, "grid layer \"z\": unpacks to more than %zu bytes", ceiling);
                goto out;
            }
            if (!(p = realloc(buf, more))) {
                st = stn_fail(err, STN_NO_MEMORY, "grid layer \"z\": %zu bytes", more);
                goto out;
            }
            buf = p;
            cap = more;
        }
        z.next_out = buf + z.total_out;
        z.avail_out = (uInt)(cap - z.total_out);
        rc = inflate(&z, Z_NO_FLUSH);
        if (rc == Z_STREAM_END)
            break;
        if (rc == Z_BUF_ERROR && z.avail_out > 0) {
            st = stn_fail(err, STN_TRUNCATED, "grid layer \"z\": the zlib stream ends early");
            goto out;
        }
        if (rc != Z_OK && rc != Z_BUF_ERROR) {
            st = stn_fail(err, STN_BAD_DATA, "grid layer \"z\": %s", z.msg ? z.msg : "not a zlib stream");
            goto out;
        }
        if (z.avail_in == 0 && z.avail_out > 0) {
            st = stn_fail(err, STN_TRUNCATED, "grid layer \"z\": the zlib stream ends early");
            goto out;
        }
    } while (true);
    if (z.total_out > ceiling) {
        st = stn_fail(err, STN_TOO_BIG, "grid layer \"z\": unpacks to more than %zu bytes", ceiling);
        goto out;
    }
    *out = buf;
    *out_len = z.total_out;
    buf = NULL;
out:
    free(buf);
    inflateEnd(&z);
    return st;
}

static stn_status read_packed(reader *r, stn_bytes *in, int depth, stn_err *err)
{
    uint8_t *data = NULL;
    size_t len = 0;
    stn_bytes inner;
    stn_status st;

    if (depth >= STN_GRID_Z_DEPTH)
        return stn_fail(err, STN_TOO_BIG, "grid layer \"z\" nests deeper than %d", STN_GRID_Z_DEPTH);
    st =
        inflate_all(in->data + in->pos, stn_bytes_left(in), STN_GRID_Z_BYTES - r->unpacked, &data, &len, err);
    if (st != STN_OK)
        return st;
    r->unpacked += len;
    inner = stn_bytes_of(data, len);
    st = read_layers(r, &inner, depth + 1, err);
    free(data);
    return st;
}

static stn_status read_layer(reader *r, const char *name, stn_bytes *in, int depth, stn_err *err)
{
    if (!strcmp(name, "z"))
        return read_packed(r, in, depth, err);
    if (!strcmp(name, "m"))
        return read_id(r, in, err);
    if (!strcmp(name, "t"))
        return read_tiles(r, in, err);
    if (!strcmp(name, "t2"))
        return read_coded_tiles(r, in, true, err);
    if (!strcmp(name, "t3"))
        return read_coded_tiles(r, in, false, err);
    if (!strcmp(name, "h"))
        return read_heights(r, in, err);
    if (!strcmp(name, "pi"))
        return read_plot_index(r, in, err);
    if (!strcmp(name, "p"))
        return read_plots(r, in, err);
    return STN_OK;
}

static stn_status read_layers(reader *r, stn_bytes *in, int depth, stn_err *err)
{
    while (stn_bytes_left(in) > 0) {
        const char *name = stn_bytes_cstr(in, NULL);
        int64_t len = stn_bytes_u8(in);
        stn_bytes payload;
        stn_status st;

        if (len & 0x80)
            len = stn_bytes_i32(in);
        if (!stn_bytes_ok(in))
            return stn_fail(err, STN_TRUNCATED, "grid message: ends in a layer's name or length");
        payload = stn_bytes_sub(in, len > 0 ? (size_t)len : 0);
        if (!stn_bytes_ok(in))
            return stn_fail(err, STN_TRUNCATED, "grid layer \"%.8s\": payload of %lld bytes, %zu left", name,
                            (long long)len, stn_bytes_left(in));
        if ((st = read_layer(r, name, &payload, depth, err)) != STN_OK)
            return st;
    }
    return STN_OK;
}

stn_status stn_gridmsg_read(const uint8_t *data, size_t len, stn_gridmsg_known known, void *arg,
                            stn_gridmsg **out, stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);
    reader *r;
    stn_gridmsg *m;
    uint8_t version = stn_bytes_u8(&in);
    stn_status st;

    *out = NULL;
    if (!stn_bytes_ok(&in))
        return stn_fail(err, STN_TRUNCATED, "grid message of no bytes");
    if (version != 1)
        return stn_fail(err, STN_VERSION, "grid message version %u, known is 1", version);
    r = calloc(1, sizeof *r);
    m = calloc(1, sizeof *m);
    if (!r || !m) {
        free(r);
        free(m);
        return stn_fail(err, STN_NO_MEMORY, "grid message");
    }
    r->m = m;
    r->known = known;
    r->arg = arg;
    st = read_layers(r, &in, 0, err);
    free(r);
    if (st != STN_OK) {
        stn_gridmsg_free(m);
        return st;
    }
    *out = m;
    return STN_OK;
}

void stn_gridmsg_free(stn_gridmsg *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_tilesets; i++)
        free(m->tilesets[i].ref.name);
    free(m->tilesets);
    free(m->overlays);
    free(m);
}
