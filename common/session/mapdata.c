#include "session/mapdata.h"

#include "session/wire.h"

#include <stdlib.h>
#include <zlib.h>

static void write_section(stn_buf *out, const char *name, const stn_buf *body)
{
    stn_buf_cstr(out, name);
    stn_buf_u8(out, 0x80); /* the long form of the length, which fits every section */
    stn_buf_u32(out, (uint32_t)body->len);
    stn_buf_put(out, body->data, body->len);
}

/* `t3`: the code of a tile is the place of its id in the list. */
static stn_status write_tiles(stn_buf *out, const stn_mapgrid_out *g, stn_err *err)
{
    uint16_t *code_of = malloc(65536 * sizeof *code_of);
    bool wide = g->n_tilesets > 256;
    stn_status st = STN_OK;

    if (!code_of)
        return stn_fail(err, STN_NO_MEMORY, "tile codes of grid %d,%d", g->gc_x, g->gc_y);
    for (size_t i = 0; i < 65536; i++)
        code_of[i] = 0xffff;
    for (size_t i = 0; i < g->n_tilesets; i++) {
        code_of[g->ids[i]] = (uint16_t)i;
        stn_buf_u16(out, (uint16_t)i);
        stn_buf_u16(out, g->ids[i]);
        stn_buf_u16(out, g->resids[i]);
    }
    stn_buf_u16(out, 0xffff);
    for (size_t i = 0; i < STN_MAPDATA_CELLS && st == STN_OK; i++) {
        uint16_t code = code_of[g->tiles[i]];

        if (code == 0xffff)
            st = stn_fail(err, STN_BAD_DATA, "grid %d,%d: tile id %u at cell %zu has no tileset", g->gc_x,
                          g->gc_y, g->tiles[i], i);
        else if (wide)
            stn_buf_u16(out, code);
        else
            stn_buf_u8(out, (uint8_t)code);
    }
    free(code_of);
    return st;
}

static void write_heights(stn_buf *out, const float *z)
{
    bool flat = true;

    for (size_t i = 1; flat && i < STN_MAPDATA_CELLS; i++)
        flat = z[i] == z[0];
    stn_buf_u8(out, flat ? 0 : 3);
    for (size_t i = 0; i < (flat ? 1u : (size_t)STN_MAPDATA_CELLS); i++)
        stn_buf_f32(out, z[i] / 11.0f);
}

/* Each plot has an entry of its own in the index. */
static stn_status write_plots(stn_buf *index, stn_buf *plots, const stn_mapgrid_out *g, stn_err *err)
{
    if (g->n_plots > STN_MAPDATA_PLOTS)
        return stn_fail(err, STN_TOO_BIG, "grid %d,%d: %zu plots, at most %d", g->gc_x, g->gc_y, g->n_plots,
                        STN_MAPDATA_PLOTS);
    for (size_t i = 0; i < g->n_plots; i++) {
        const stn_mapgrid_plot *p = &g->plots[i];

        if (p->x1 >= p->x2 || p->y1 >= p->y2 || p->x2 > 100 || p->y2 > 100)
            return stn_fail(err, STN_BAD_DATA, "grid %d,%d: plot %zu from %u,%u to %u,%u", g->gc_x, g->gc_y,
                            i, p->x1, p->y1, p->x2, p->y2);
        stn_buf_u8(index, (uint8_t)i);
        stn_buf_u16(index, p->resid);
        stn_buf_u8(plots, (uint8_t)i);
        stn_buf_u8(plots, p->bits ? 1 : 0);
        stn_buf_u8(plots, p->x1);
        stn_buf_u8(plots, p->y1);
        stn_buf_u8(plots, p->x2);
        stn_buf_u8(plots, p->y2);
        if (p->bits)
            stn_buf_put(plots, p->bits, ((size_t)(p->x2 - p->x1) * (size_t)(p->y2 - p->y1) + 7) / 8);
    }
    stn_buf_u8(index, 255);
    stn_buf_u8(plots, 255);
    return STN_OK;
}

stn_status stn_mapgrid_write(stn_buf *out, const stn_mapgrid_out *grid, stn_err *err)
{
    stn_buf body = {0}, plots = {0}, layers = {0}, packed = {0};
    uLongf n;
    stn_status st;

    stn_buf_u64(&body, (uint64_t)grid->id);
    write_section(&layers, "m", &body);
    stn_buf_clear(&body);
    if ((st = write_tiles(&body, grid, err)) != STN_OK)
        goto out;
    write_section(&layers, "t3", &body);
    stn_buf_clear(&body);
    write_heights(&body, grid->z);
    write_section(&layers, "h", &body);
    if (grid->n_plots > 0) {
        stn_buf_clear(&body);
        if ((st = write_plots(&body, &plots, grid, err)) != STN_OK)
            goto out;
        write_section(&layers, "pi", &body); /* a reader wants the index first */
        write_section(&layers, "p", &plots);
    }
    n = compressBound((uLong)layers.len);
    if (!stn_buf_add(&packed, n) || layers.failed || body.failed || plots.failed) {
        st = stn_fail(err, STN_NO_MEMORY, "message of grid %d,%d", grid->gc_x, grid->gc_y);
        goto out;
    }
    if (compress2(packed.data, &n, layers.data, (uLong)layers.len, 6) != Z_OK) {
        st = stn_fail(err, STN_IO, "zlib does not pack grid %d,%d", grid->gc_x, grid->gc_y);
        goto out;
    }
    packed.len = n;
    if (n > 65500) {
        st = stn_fail(err, STN_TOO_BIG, "grid %d,%d packs to %lu bytes; a map message holds 65535",
                      grid->gc_x, grid->gc_y, (unsigned long)n);
        goto out;
    }
    stn_buf_u32(out, (uint32_t)grid->gc_x);
    stn_buf_u32(out, (uint32_t)grid->gc_y);
    stn_buf_u8(out, 1);
    write_section(out, "z", &packed);
    if (out->failed)
        st = stn_fail(err, STN_NO_MEMORY, "message of grid %d,%d", grid->gc_x, grid->gc_y);
out:
    stn_buf_fini(&packed);
    stn_buf_fini(&layers);
    stn_buf_fini(&plots);
    stn_buf_fini(&body);
    return st;
}

size_t stn_mapdata_pieces(size_t len)
{
    return len ? (len + STN_MAPDATA_CHUNK - 1) / STN_MAPDATA_CHUNK : 1;
}

void stn_mapdata_write(stn_buf *out, uint32_t packet, const uint8_t *blob, size_t len, size_t piece)
{
    size_t from = piece * STN_MAPDATA_CHUNK;
    size_t n = len - from < STN_MAPDATA_CHUNK ? len - from : STN_MAPDATA_CHUNK;

    stn_buf_u8(out, STN_PACKET_MAPDATA);
    stn_buf_u32(out, packet);
    stn_buf_u16(out, (uint16_t)from);
    stn_buf_u16(out, (uint16_t)len);
    stn_buf_put(out, blob + from, n);
}
