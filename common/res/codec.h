/* codec.h - the three picture codecs behind picture.h; not for its users.
 *
 * A job's header was probed: size and limits hold. A codec returns STN_FAULT_NONE, STN_FAULT_IMAGE or
 * STN_FAULT_MEMORY with the text in job->err, and never allocates more than a small multiple of the picture's
 * size. */
#ifndef STN_RES_CODEC_H
#define STN_RES_CODEC_H

#include "res/picture.h"

typedef struct stn_codec_job {
    const uint8_t *data;
    size_t len;
    uint32_t w, h;
    stn_err *err;
} stn_codec_job;

/* w*h*4 bytes, sections 9.1 and 9.2 applied. */
stn_res_fault_kind stn_png_rgba(const stn_codec_job *job, uint8_t *out);
/* Its two ways. The plain one takes pictures of the common kind that are whole, gives what libpng gives, and
 * says false to all others, which then take libpng's; *out may have been written. */
bool stn_png_plain_rgba(const stn_codec_job *job, uint8_t *out);
stn_res_fault_kind stn_png_libpng_rgba(const stn_codec_job *job, uint8_t *out);
stn_res_fault_kind stn_jpeg_rgba(const stn_codec_job *job, uint8_t *out);
stn_res_fault_kind stn_gif_rgba(const stn_codec_job *job, uint8_t *out);
/* out->samples is allocated here; the caller frees it, also after a failure. */
stn_res_fault_kind stn_png_raster(const stn_codec_job *job, stn_raster *out);
stn_res_fault_kind stn_jpeg_raster(const stn_codec_job *job, stn_raster *out);
stn_res_fault_kind stn_gif_raster(const stn_codec_job *job, stn_raster *out);

/* Section 9.1 over n pixels of a raster's samples, then 9.2. */
void stn_raster_show(const stn_raster *meta, const uint8_t *samples, size_t n, uint8_t *out);
/* Repeats the last of `count` palette entries, opaque, to the end of the table. */
void stn_raster_fill_palette(stn_raster *raster, uint32_t count);

/* Memory that a decoded row or picture takes; false: the sizes do not multiply. */
static inline size_t stn_raster_bytes(const stn_raster *r)
{
    return (size_t)r->w * r->h * r->bands * (r->bits == 16 ? 2 : 1);
}

#endif
