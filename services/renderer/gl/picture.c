#include "renderer/gl/picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

stn_status stn_picture_to_png(const uint8_t *rgba, int width, int height, int with_alpha, uint8_t **png,
                              size_t *len, stn_err *err)
{
    png_image image;
    png_alloc_size_t bytes;
    uint8_t *pixels = NULL, *out = NULL;
    size_t n = (size_t)width * (size_t)height;
    stn_status st = STN_OK;

    *png = NULL;
    *len = 0;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    image.format = with_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
    if (!with_alpha) {
        pixels = malloc(n * 3);
        if (!pixels)
            return stn_fail(err, STN_NO_MEMORY, "picture of %dx%d", width, height);
        for (size_t i = 0; i < n; i++)
            memcpy(pixels + i * 3, rgba + i * 4, 3);
    }
    bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
    out = malloc(bytes);
    if (!out)
        st = stn_fail(err, STN_NO_MEMORY, "picture of %dx%d", width, height);
    else if (!png_image_write_to_memory(&image, out, &bytes, 0, pixels ? pixels : rgba, 0, NULL))
        st = stn_fail(err, STN_IO, "PNG of %dx%d: %s", width, height, image.message);
    free(pixels);
    if (st != STN_OK) {
        free(out);
        return st;
    }
    *png = out;
    *len = bytes;
    return STN_OK;
}

stn_status stn_picture_from_png(const uint8_t *png, size_t len, uint8_t **rgba, int *width, int *height,
                                stn_err *err)
{
    png_image image;
    uint8_t *out;

    *rgba = NULL;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, png, len))
        return stn_fail(err, STN_BAD_DATA, "PNG of %zu bytes: %s", len, image.message);
    if (image.width < 1 || image.height < 1 || image.width > 16384 || image.height > 16384) {
        png_image_free(&image);
        return stn_fail(err, STN_TOO_BIG, "PNG of %ux%u: at most 16384 a side", image.width, image.height);
    }
    image.format = PNG_FORMAT_RGBA;
    out = malloc(PNG_IMAGE_SIZE(image));
    if (!out) {
        png_image_free(&image);
        return stn_fail(err, STN_NO_MEMORY, "PNG of %ux%u", image.width, image.height);
    }
    if (!png_image_finish_read(&image, NULL, out, 0, NULL)) {
        free(out);
        return stn_fail(err, STN_BAD_DATA, "PNG of %ux%u: %s", image.width, image.height, image.message);
    }
    *width = (int)image.width;
    *height = (int)image.height;
    *rgba = out;
    return STN_OK;
}
