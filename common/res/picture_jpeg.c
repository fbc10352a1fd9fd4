/* picture_jpeg.c - JPEG by libjpeg-turbo with its defaults: accurate integer IDCT, smooth chroma upsampling,
 * which give the bytes of the classic library. Profiles are not read. */
#include "res/codec.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

/* A progressive picture may announce any number of scans, each a walk over all of it. */
#define MAX_SCANS 256

typedef struct reader {
    struct jpeg_error_mgr mgr; /* first: libjpeg hands out a pointer to it */
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    const stn_codec_job *job;
} reader;

static void on_error(j_common_ptr c)
{
    reader *r = (reader *)c->err;
    char text[JMSG_LENGTH_MAX];
    c->err->format_message(c, text);
    stn_fail(r->job->err, STN_BAD_DATA, "JPEG picture of %ux%u: %s", r->job->w, r->job->h, text);
    longjmp(r->jump, 1);
}

static void on_message(j_common_ptr c, int level)
{
    (void)c;
    (void)level; /* data that ends early or holds stray bytes is shown as far as it goes, as the reference
                    does */
}

static void on_progress(j_common_ptr c)
{
    reader *r = (reader *)c->err;
    if (((j_decompress_ptr)c)->input_scan_number > MAX_SCANS) {
        stn_fail(r->job->err, STN_BAD_DATA, "JPEG picture with more than %d scans", MAX_SCANS);
        longjmp(r->jump, 1);
    }
}

static stn_res_fault_kind decode(const stn_codec_job *job, uint8_t *rgba, stn_raster *raster)
{
    struct jpeg_decompress_struct c;
    reader r = {.job = job, .progress.progress_monitor = on_progress};
    volatile stn_res_fault_kind kind = STN_FAULT_IMAGE;

    c.err = jpeg_std_error(&r.mgr);
    r.mgr.error_exit = on_error;
    r.mgr.emit_message = on_message;
    if (setjmp(r.jump) == 0) {
        jpeg_create_decompress(&c);
        c.progress = &r.progress;
        /* coefficients of a progressive picture: 2 bytes for each of at most 3 full planes, and slack */
        c.mem->max_memory_to_use = (long)((uint64_t)job->w * job->h * 8 + (8u << 20));
        jpeg_mem_src(&c, job->data, job->len);
        jpeg_read_header(&c, TRUE);
        if (c.image_width != job->w || c.image_height != job->h || c.arith_code ||
            (c.num_components != 1 && c.num_components != 3)) {
            stn_fail(job->err, STN_BAD_DATA, "JPEG picture of %ux%u: %d components%s", c.image_width,
                     c.image_height, c.num_components, c.arith_code ? ", arithmetic coding" : "");
        } else {
            size_t stride = (size_t)job->w * 4;
            uint8_t *out = rgba;
            if (raster) {
                raster->bits = 8;
                raster->bands = c.num_components == 1 ? 1 : 3;
                stride = (size_t)job->w * raster->bands;
                out = raster->samples = malloc(stride * job->h);
                c.out_color_space = raster->bands == 1 ? JCS_GRAYSCALE : JCS_RGB;
            } else {
                c.out_color_space = JCS_EXT_RGBA;
            }
            if (out) {
                jpeg_start_decompress(&c);
                while (c.output_scanline < c.output_height) {
                    JSAMPROW row = out + c.output_scanline * stride;
                    jpeg_read_scanlines(&c, &row, 1);
                }
                kind = STN_FAULT_NONE;
            } else {
                stn_fail(job->err, STN_NO_MEMORY, "JPEG picture of %ux%u", job->w, job->h);
                kind = STN_FAULT_MEMORY;
            }
        }
    }
    jpeg_destroy_decompress(&c);
    return kind;
}

stn_res_fault_kind stn_jpeg_rgba(const stn_codec_job *job, uint8_t *out)
{
    return decode(job, out, NULL);
}

stn_res_fault_kind stn_jpeg_raster(const stn_codec_job *job, stn_raster *out)
{
    return decode(job, NULL, out);
}
