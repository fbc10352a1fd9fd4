/* picture.h - RGBA pixels to and from PNG. */
#ifndef STN_RENDERER_GL_PICTURE_H
#define STN_RENDERER_GL_PICTURE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* To fresh memory (free()). Rows from the top, width * 4 bytes each; alpha is written too when with_alpha. */
stn_status stn_picture_to_png(const uint8_t *rgba, int width, int height, int with_alpha, uint8_t **png,
                              size_t *len, stn_err *err);
/* Fresh memory (free()), RGBA. At most 16384 a side. */
stn_status stn_picture_from_png(const uint8_t *png, size_t len, uint8_t **rgba, int *width, int *height,
                                stn_err *err);

#endif
