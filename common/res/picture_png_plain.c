/* picture_png_plain.c - the PNG of nearly every resource, in two strides: inflate it whole, then walk its
 * rows once, from the filtered bytes to what is shown.
 *
 * libpng, which takes a row at a time through zlib, is the rule; this is a short way to the same pixels, over
 * twice as fast. It takes only what leaves no question open: 8 bits a sample, not interlaced, chunks that are
 * whole and in order, data that fill the rows exactly and match their own checksum. All else, and all that
 * is wrong in any way, is left to libpng, so that what is refused and with which words is decided there
 * alone.
 *
 * The checksum is what makes the two agree: libdeflate accepts a few codes that zlib does not (of symbols
 * that are not defined, in tables that are not full), which no damage turns up together with the right
 * checksum.
 */
#include "base/bytes.h"
#include "res/codec.h"
#include "res/png_filter.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

/* Pictures whose rows take more go through libpng, which holds one row at a time. */
#define ROWS_MAX ((size_t)32 << 20)
#define CHUNK_MAX ((size_t)1 << 20) /* of what libpng skips without a word */

#define CHUNK_PLTE UINT32_C(0x504c5445)
#define CHUNK_IDAT UINT32_C(0x49444154)
#define CHUNK_TRNS UINT32_C(0x74524e53)
#define ANCILLARY UINT32_C(0x20000000) /* the case of the first letter */

enum { GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGBA = 6 };

typedef struct plain {
    stn_raster meta; /* without samples */
    size_t row; /* bytes of one, without its filter */
    const uint8_t *data; /* of the IDAT chunks, */
    size_t len; /* together */
    unsigned parts;
    stn_bytes first; /* where the first of them starts */
    bool has_palette, has_alphas;
    uint32_t colors;
} plain;

static bool letters(uint32_t type)
{
    for (int i = 0; i < 4; i++, type >>= 8) {
        uint8_t c = (uint8_t)(type | 0x20);
        if (c < 'a' || c > 'z')
            return false;
    }
    return true;
}

static bool take_header(stn_bytes *in, const stn_codec_job *job, plain *p)
{
    static const uint8_t bands[7] = {1, 0, 3, 1, 2, 0, 4};
    stn_bytes_skip(in, 8 + 8 + 8); /* signature, length and type, size: probed */
    uint8_t depth = stn_bytes_u8(in), color = stn_bytes_u8(in), compression = stn_bytes_u8(in);
    uint8_t filter = stn_bytes_u8(in), interlace = stn_bytes_u8(in);
    stn_bytes_skip(in, 4);
    if (in->bad || depth != 8 || color > RGBA || !bands[color] || compression || filter || interlace ||
        job->w > stn_res_default_limits.max_side || job->h > stn_res_default_limits.max_side)
        return false;
    p->meta =
        (stn_raster){.w = job->w, .h = job->h, .bands = bands[color], .bits = 8, .indexed = color == PALETTE};
    p->row = (size_t)job->w * bands[color];
    return p->row + 1 <= ROWS_MAX / job->h;
}

static bool take_palette(plain *p, const uint8_t *data, uint32_t n)
{
    if (!p->meta.indexed || p->has_palette || n == 0 || n > 3 * 256 || n % 3)
        return false;
    p->has_palette = true;
    p->colors = n / 3;
    for (uint32_t i = 0; i < p->colors; i++) {
        memcpy(p->meta.palette[i], data + (size_t)3 * i, 3);
        p->meta.palette[i][3] = 255;
    }
    return true;
}

static bool take_alphas(plain *p, const uint8_t *data, uint32_t n)
{
    if (!p->has_palette || p->has_alphas || n == 0 || n > p->colors)
        return false; /* a key colour too: it adds a channel */
    p->has_alphas = true;
    for (uint32_t i = 0; i < n; i++)
        p->meta.palette[i][3] = data[i];
    return true;
}

/* Up to the last of the IDAT chunks that follow each other; what stands behind them is not looked at. */
static bool take_chunks(stn_bytes *in, plain *p)
{
    const size_t most = p->meta.h * (p->row + 1) > CHUNK_MAX ? p->meta.h * (p->row + 1) : CHUNK_MAX;
    for (;;) {
        stn_bytes start = *in;
        uint32_t n = stn_bytes_u32be(in), type = stn_bytes_u32be(in);
        if (p->parts && (in->bad || type != CHUNK_IDAT))
            return true;
        const uint8_t *data = stn_bytes_take(in, n);
        stn_bytes_skip(in, 4); /* its checksum */
        if (in->bad || !letters(type) || n > (type == CHUNK_IDAT ? most : CHUNK_MAX))
            return false;
        if (type == CHUNK_IDAT) {
            if (!p->parts++) {
                p->first = start;
                p->data = data;
            }
            p->len += n;
        } else if (type == CHUNK_PLTE   ? !take_palette(p, data, n)
                   : type == CHUNK_TRNS ? !take_alphas(p, data, n)
                                        : !(type & ANCILLARY)) {
            return false;
        }
    }
}

static void join(const plain *p, uint8_t *out)
{
    stn_bytes in = p->first;
    for (unsigned i = 0; i < p->parts; i++) {
        uint32_t n = stn_bytes_u32be(&in);
        stn_bytes_skip(&in, 4);
        const uint8_t *data = stn_bytes_take(&in, n);
        if (data && n)
            memcpy(out, data, n);
        out += n;
        stn_bytes_skip(&in, 4);
    }
}

/* zlib knows only as many bytes back as the stream's own header says; libdeflate does not care. */
static bool window_holds(const uint8_t *data, size_t len, size_t bytes)
{
    unsigned size = len ? data[0] >> 4 : 8;
    return size == 7 || (size < 7 && bytes <= (size_t)256 << size);
}

static bool inflate_rows(const plain *p, uint8_t *rows, size_t bytes)
{
    const uint8_t *data = p->data;
    uint8_t *joined = NULL;
    bool good = false;
    if (p->parts > 1) {
        data = joined = malloc(p->len + 1);
        if (!joined)
            return false;
        join(p, joined);
    }
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (d && window_holds(data, p->len, bytes)) {
        size_t used;
        good = libdeflate_zlib_decompress_ex(d, data, p->len, rows, bytes, &used, NULL) == LIBDEFLATE_SUCCESS;
    }
    libdeflate_free_decompressor(d);
    free(joined);
    return good;
}

/* RGBA is finished in place, and composited one row late, since the next row's filter wants it as it was. */
static bool show_rgba(const plain *p, const uint8_t *rows, uint8_t *out)
{
    const uint8_t *up = NULL;
    for (uint32_t y = 0; y < p->meta.h; y++, rows += p->row + 1) {
        uint8_t *to = out + y * p->row;
        if (!stn_png_unfilter(rows[0], 4, to, rows + 1, up, p->row))
            return false;
        if (y)
            stn_picture_composite(to - p->row, p->meta.w);
        up = to;
    }
    stn_picture_composite(out + (p->meta.h - 1) * p->row, p->meta.w);
    return true;
}

static bool show_others(const plain *p, uint8_t *rows, uint8_t *out)
{
    const uint8_t *up = NULL;
    for (uint32_t y = 0; y < p->meta.h; y++, rows += p->row + 1) {
        if (!stn_png_unfilter(rows[0], p->meta.bands, rows + 1, rows + 1, up, p->row))
            return false;
        stn_raster_show(&p->meta, rows + 1, p->meta.w, out + (size_t)y * p->meta.w * 4);
        up = rows + 1;
    }
    return true;
}

bool stn_png_plain_rgba(const stn_codec_job *job, uint8_t *out)
{
    stn_bytes in = stn_bytes_of(job->data, job->len);
    plain p = {0};

    if (!take_header(&in, job, &p) || !take_chunks(&in, &p) || (p.meta.indexed && !p.has_palette))
        return false;
    if (p.meta.indexed)
        stn_raster_fill_palette(&p.meta, p.colors);
    size_t bytes = (p.row + 1) * job->h;
    uint8_t *rows = malloc(bytes);
    bool good = rows && inflate_rows(&p, rows, bytes) &&
                (p.meta.bands == 4 ? show_rgba(&p, rows, out) : show_others(&p, rows, out));
    free(rows);
    return good;
}
