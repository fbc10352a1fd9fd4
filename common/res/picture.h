/* picture.h - encoded pictures (PNG, JPEG, GIF) to RGBA8, exactly as the reference shows them.
 *
 * The container is sniffed from its first bytes. Output is always r,g,b,a bytes, row-major, top row first,
 * straight alpha, after the lossy draw of section 9.2: colour under zero alpha is lost, low-alpha colours are
 * quantised. Bytes after the picture are ignored; gamma chunks and colour profiles too.
 *
 * Limits  side, area (stn_res_limits), and the area against the bytes at hand: a picture whose data could not
 *         hold it at the best possible compression is refused before anything is allocated.
 * Errors  class E_IMAGE (STN_BAD_DATA), E_LIMIT (STN_TOO_BIG).
 * Threads none shared; every call stands alone.
 * Source  docs/spec/resource-format.md 9.
 */
#ifndef STN_RES_PICTURE_H
#define STN_RES_PICTURE_H

#include "res/fault.h"

#include <stdbool.h>

typedef enum stn_picture_format { STN_PICTURE_PNG, STN_PICTURE_JPEG, STN_PICTURE_GIF } stn_picture_format;

typedef struct stn_picture_info {
    stn_picture_format format;
    uint32_t w, h;
} stn_picture_info;

/* The undecoded samples of a picture, before section 9.1: what masks and UI scaling work on. */
typedef struct stn_raster {
    uint32_t w, h;
    uint8_t bands; /* 1 grey or palette index, 2 grey+alpha, 3 RGB, 4 RGBA */
    uint8_t bits; /* 1..8: one byte a sample; 16: two bytes, native order */
    bool indexed; /* palette picture */
    uint8_t palette[256][4]; /* indexed: r g b a; entries past the palette repeat the last one, opaque */
    uint8_t *samples; /* w*h*bands samples; stn_raster_fini() frees */
} stn_raster;

/* Header only: format and size, checked against the limits (NULL: the defaults). *fault may be NULL. */
stn_status stn_picture_probe(const uint8_t *data, size_t len, const stn_res_limits *limits,
                             stn_picture_info *out, stn_res_fault_kind *fault, stn_err *err);

/* Decodes into the caller's memory: w*h*4 bytes of the probed size (out_bytes is checked). The rows of *out
 * are written even when the call fails half-way. */
stn_status stn_picture_rgba(const uint8_t *data, size_t len, const stn_res_limits *limits, uint8_t *out,
                            size_t out_bytes, stn_res_fault_kind *fault, stn_err *err);

stn_status stn_picture_raster(const uint8_t *data, size_t len, const stn_res_limits *limits, stn_raster *out,
                              stn_res_fault_kind *fault, stn_err *err);
void stn_raster_fini(stn_raster *raster);
/* Sections 9.1 and 9.2 over a raster: w*h*4 bytes. */
void stn_raster_rgba(const stn_raster *raster, uint8_t *out);

/* Section 9.2 over n pixels in place. */
void stn_picture_composite(uint8_t *rgba, size_t n);

/* Section 9.4: the raster filtered to tw x th, then shown. Both sides at most, or both at least, the
 * source's; else E_VALUE, as for 16-bit pictures. Sides equal: no filtering. out: tw*th*4 bytes. */
stn_status stn_raster_scaled(const stn_raster *raster, uint32_t tw, uint32_t th, uint8_t *out,
                             stn_res_fault_kind *fault, stn_err *err);

/* ---- mip levels (section 11) ---- */

typedef enum stn_mipmapper {
    STN_MIP_NONE = 0, /* level 0 alone */
    STN_MIP_AVG,
    STN_MIP_RND,
    STN_MIP_CNT,
    STN_MIP_DAV
} stn_mipmapper;

/* Levels of a chain from w x h down to 1 x 1 (both at least 1); 1 for STN_MIP_NONE. */
uint32_t stn_mip_levels(stn_mipmapper mapper, uint32_t w, uint32_t h);
/* Bytes of all levels together, RGBA8, one behind the other. */
size_t stn_mip_bytes(stn_mipmapper mapper, uint32_t w, uint32_t h);
/* Fills levels 1.. behind level 0, which stands at the start of `chain` (stn_mip_bytes() long). STN_MIP_RND
 * draws from a fixed seed. */
void stn_mip_chain(stn_mipmapper mapper, uint8_t *chain, uint32_t w, uint32_t h);

#endif
