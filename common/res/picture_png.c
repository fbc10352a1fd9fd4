/* picture_png.c - PNG by libpng: all colour types, 1 to 16 bits, interlaced. Checksums of chunks are not
 * looked at (the reference does not either), ancillary chunks other than tRNS are not read. What most
 * pictures are takes the short way of picture_png_plain.c. */
#include "res/codec.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    const stn_codec_job *job;
    size_t pos;
    bool told;
} source;

static void on_error(png_structp png, png_const_charp text)
{
    source *s = png_get_error_ptr(png);
    if (!s->told) {
        s->told = true;
        stn_fail(s->job->err, STN_BAD_DATA, "PNG picture of %ux%u: %s", s->job->w, s->job->h, text);
    }
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text; /* what libpng can live with, so can we: the pixels come out the same */
}

static void on_read(png_structp png, png_bytep out, size_t n)
{
    source *s = png_get_io_ptr(png);
    if (n > s->job->len - s->pos)
        png_error(png, "ends inside the picture data");
    memcpy(out, s->job->data + s->pos, n);
    s->pos += n;
}

/* Reads the header and sets up the conversions to one byte (or two) a sample. */
static void start(png_structp png, png_infop info, stn_raster *r)
{
    int color, depth;

    png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
#ifdef PNG_IGNORE_ADLER32
    /* stands behind the last row, where nobody reads; summing it up is a tenth of the time */
    png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_user_limits(png, stn_res_default_limits.max_side, stn_res_default_limits.max_side);
    png_set_chunk_malloc_max(png, 1 << 20);
    png_read_info(png, info);
    if (png_get_image_width(png, info) != r->w || png_get_image_height(png, info) != r->h)
        png_error(png, "two headers that differ");
    color = png_get_color_type(png, info);
    depth = png_get_bit_depth(png, info);
    r->bits = (uint8_t)depth;
    r->bands = png_get_channels(png, info);
    if (color == PNG_COLOR_TYPE_PALETTE) {
        png_colorp colors = NULL;
        png_bytep alpha = NULL;
        int count = 0, alphas = 0;
        png_get_PLTE(png, info, &colors, &count);
        png_get_tRNS(png, info, &alpha, &alphas, NULL);
        if (count <= 0)
            png_error(png, "palette picture without a palette");
        r->indexed = true;
        for (int i = 0; i < count && i < 256; i++) {
            uint8_t *p = r->palette[i];
            p[0] = colors[i].red;
            p[1] = colors[i].green;
            p[2] = colors[i].blue;
            p[3] = i < alphas ? alpha[i] : 255;
        }
        stn_raster_fill_palette(r, (uint32_t)count);
    } else if (png_get_valid(png, info, PNG_INFO_tRNS)) {
        png_set_tRNS_to_alpha(png); /* widens shallow grey to 8 bits as well */
        r->bands++;
        if (depth < 8)
            r->bits = 8;
    }
    if (r->bits < 8)
        png_set_packing(png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (depth == 16)
        png_set_swap(png);
#endif
}

/* Plain 8-bit colour goes straight into RGBA rows. */
static bool is_direct(const stn_raster *r)
{
    return r->bits == 8 && r->bands >= 3;
}

static void read_rows(png_structp png, int passes, uint8_t *out, size_t stride, uint32_t h)
{
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < h; y++)
            png_read_row(png, out + y * stride, NULL);
}

/* rgba or whole: exactly one is wanted. */
static stn_res_fault_kind decode(const stn_codec_job *job, stn_raster *r, uint8_t *rgba, bool whole)
{
    source src = {job, 0, false};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &src, on_error, on_warning);
    png_infop volatile info = png ? png_create_info_struct(png) : NULL;
    uint8_t *volatile row = NULL;
    volatile stn_res_fault_kind kind = STN_FAULT_IMAGE;

    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        stn_fail(job->err, STN_NO_MEMORY, "PNG reader");
        return STN_FAULT_MEMORY;
    }
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &src, on_read);
        start(png, info, r);
        bool filled = !whole && r->bits == 8 && r->bands == 3;
        if (filled)
            png_set_filler(png, 0xff, PNG_FILLER_AFTER);
        int passes = png_set_interlace_handling(png);
        png_read_update_info(png, info);
        size_t stride = png_get_rowbytes(png, info);
        /* A transparent colour that libpng has dropped again, since a palette came behind it, ends here. */
        if (stride != (size_t)r->w * (filled ? 4u : r->bands) * (r->bits == 16 ? 2 : 1))
            png_error(png, "row of an unexpected size");
        if (whole || (passes > 1 && !is_direct(r))) {
            r->samples = calloc(r->h, stride); /* zeroed: interlaced passes write it piecemeal */
            if (r->samples) {
                read_rows(png, passes, r->samples, stride, r->h);
                if (rgba)
                    stn_raster_rgba(r, rgba);
                kind = STN_FAULT_NONE;
            }
        } else if (is_direct(r)) {
            if (passes > 1) {
                read_rows(png, passes, rgba, stride, r->h);
                if (r->bands == 4)
                    stn_picture_composite(rgba, (size_t)r->w * r->h);
            } else {
                for (uint32_t y = 0; y < r->h; y++) {
                    png_read_row(png, rgba + y * stride, NULL);
                    if (r->bands == 4)
                        stn_picture_composite(rgba + y * stride, r->w);
                }
            }
            kind = STN_FAULT_NONE;
        } else if ((row = malloc(stride)) != NULL) {
            for (uint32_t y = 0; y < r->h; y++) {
                png_read_row(png, row, NULL);
                stn_raster_show(r, row, r->w, rgba + (size_t)y * r->w * 4);
            }
            kind = STN_FAULT_NONE;
        }
        if (kind != STN_FAULT_NONE) {
            kind = STN_FAULT_MEMORY;
            stn_fail(job->err, STN_NO_MEMORY, "PNG picture of %ux%u", r->w, r->h);
        }
    }
    free(row);
    png_infop last = info;
    png_destroy_read_struct(&png, &last, NULL);
    return kind;
}

stn_res_fault_kind stn_png_rgba(const stn_codec_job *job, uint8_t *out)
{
    return stn_png_plain_rgba(job, out) ? STN_FAULT_NONE : stn_png_libpng_rgba(job, out);
}

stn_res_fault_kind stn_png_libpng_rgba(const stn_codec_job *job, uint8_t *out)
{
    stn_raster r = {.w = job->w, .h = job->h};
    stn_res_fault_kind kind = decode(job, &r, out, false);
    free(r.samples);
    return kind;
}

stn_res_fault_kind stn_png_raster(const stn_codec_job *job, stn_raster *out)
{
    return decode(job, out, NULL, true);
}
