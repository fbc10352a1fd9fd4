/* picture_gif.c - the first frame of a GIF by giflib. The picture is the frame, not the logical screen. */
#include "res/codec.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

typedef struct source {
    const stn_codec_job *job;
    size_t pos;
} source;

static int on_read(GifFileType *gif, GifByteType *out, int n)
{
    source *s = gif->UserData;
    size_t left = s->job->len - s->pos, take = n < 0 ? 0 : (size_t)n;
    if (take > left)
        take = left;
    memcpy(out, s->job->data + s->pos, take);
    s->pos += take;
    return (int)take;
}

/* Walks to the first frame; the transparent index of the last graphics control before it, or -1. */
static bool find_frame(GifFileType *gif, int *transparent)
{
    GifRecordType type;
    *transparent = -1;
    while (DGifGetRecordType(gif, &type) == GIF_OK) {
        if (type == IMAGE_DESC_RECORD_TYPE)
            return DGifGetImageDesc(gif) == GIF_OK;
        if (type != EXTENSION_RECORD_TYPE)
            return false;
        int code;
        GifByteType *block;
        if (DGifGetExtension(gif, &code, &block) != GIF_OK)
            return false;
        if (code == GRAPHICS_EXT_FUNC_CODE && block && block[0] >= 4)
            *transparent = block[1] & 1 ? block[4] : -1;
        while (block)
            if (DGifGetExtensionNext(gif, &block) != GIF_OK)
                return false;
    }
    return false;
}

static bool read_frame(GifFileType *gif, stn_raster *r)
{
    static const uint8_t first[4] = {0, 4, 2, 1}, step[4] = {8, 8, 4, 2};

    if (!gif->Image.Interlace) {
        for (uint32_t y = 0; y < r->h; y++)
            if (DGifGetLine(gif, r->samples + (size_t)y * r->w, (int)r->w) != GIF_OK)
                return false;
        return true;
    }
    for (int pass = 0; pass < 4; pass++)
        for (uint32_t y = first[pass]; y < r->h; y += step[pass])
            if (DGifGetLine(gif, r->samples + (size_t)y * r->w, (int)r->w) != GIF_OK)
                return false;
    return true;
}

static bool read_palette(const GifFileType *gif, int transparent, stn_raster *r)
{
    const ColorMapObject *map = gif->Image.ColorMap ? gif->Image.ColorMap : gif->SColorMap;
    if (!map || map->ColorCount <= 0)
        return false;
    for (int i = 0; i < map->ColorCount && i < 256; i++) {
        r->palette[i][0] = map->Colors[i].Red;
        r->palette[i][1] = map->Colors[i].Green;
        r->palette[i][2] = map->Colors[i].Blue;
        r->palette[i][3] = i == transparent ? 0 : 255;
    }
    stn_raster_fill_palette(r, (uint32_t)map->ColorCount);
    return true;
}

stn_res_fault_kind stn_gif_raster(const stn_codec_job *job, stn_raster *out)
{
    source src = {job, 0};
    int code = 0, transparent;
    stn_res_fault_kind kind = STN_FAULT_IMAGE;
    GifFileType *gif = DGifOpen(&src, on_read, &code);

    if (!gif) {
        const char *why = GifErrorString(code);
        stn_fail(job->err, STN_BAD_DATA, "GIF picture: %s", why ? why : "not readable");
        return STN_FAULT_IMAGE;
    }
    if (!find_frame(gif, &transparent)) {
        stn_fail(job->err, STN_BAD_DATA, "GIF picture without a frame");
    } else if (gif->Image.Width != (int)job->w || gif->Image.Height != (int)job->h) {
        stn_fail(job->err, STN_BAD_DATA, "GIF frame of %dx%d, expected %ux%u", gif->Image.Width,
                 gif->Image.Height, job->w, job->h);
    } else if (!read_palette(gif, transparent, out)) {
        stn_fail(job->err, STN_BAD_DATA, "GIF frame without a palette");
    } else if (!(out->samples = malloc((size_t)job->w * job->h))) {
        stn_fail(job->err, STN_NO_MEMORY, "GIF picture of %ux%u", job->w, job->h);
        kind = STN_FAULT_MEMORY;
    } else {
        out->bands = 1;
        out->bits = 8;
        out->indexed = true;
        if (read_frame(gif, out)) {
            kind = STN_FAULT_NONE;
        } else {
            const char *why = GifErrorString(gif->Error);
            stn_fail(job->err, STN_BAD_DATA, "GIF picture of %ux%u: %s", job->w, job->h,
                     why ? why : "bad data");
        }
    }
    DGifCloseFile(gif, &code);
    return kind;
}

stn_res_fault_kind stn_gif_rgba(const stn_codec_job *job, uint8_t *out)
{
    stn_raster r = {.w = job->w, .h = job->h};
    stn_res_fault_kind kind = stn_gif_raster(job, &r);
    if (kind == STN_FAULT_NONE)
        stn_raster_rgba(&r, out);
    free(r.samples);
    return kind;
}
