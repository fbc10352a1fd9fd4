#include "res/picture.h"

#include "base/bytes.h"
#include "res/codec.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static stn_status fail(stn_res_fault_kind *fault, stn_res_fault_kind kind)
{
    if (fault)
        *fault = kind;
    return stn_res_fault_status(kind);
}

/* ---- headers ---- */

/* What one byte of compressed data can stand for at most, in pixels of one bit: what a file of a few bytes
 * claims beyond that is not in it. deflate expands 1032 times; a JPEG block of 64 pixels takes at least a bit
 * for each of its at most two ways of being subsampled; an LZW code of 12 bits stands for at most 4096 bytes.
 */
#define PNG_BITS_PER_BYTE (8 * 1032u)
#define JPEG_PIXELS_PER_BYTE 1024u
#define GIF_PIXELS_PER_BYTE 2731u

static bool probe_png(const uint8_t *d, size_t len, stn_picture_info *out, uint64_t *most)
{
    static const uint8_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
    stn_bytes in = stn_bytes_of(d, len);

    stn_bytes_skip(&in, 8);
    uint32_t n = stn_bytes_u32be(&in), type = stn_bytes_u32be(&in);
    out->w = stn_bytes_u32be(&in);
    out->h = stn_bytes_u32be(&in);
    uint8_t depth = stn_bytes_u8(&in), color = stn_bytes_u8(&in);
    if (in.bad || n != 13 || type != 0x49484452 || color > 6 || !channels[color] || depth == 0 || depth > 16)
        return false;
    *most = (uint64_t)len * PNG_BITS_PER_BYTE / ((uint64_t)depth * channels[color]);
    return true;
}

static bool probe_jpeg(const uint8_t *d, size_t len, stn_picture_info *out, uint64_t *most)
{
    stn_bytes in = stn_bytes_of(d, len);

    stn_bytes_skip(&in, 2);
    while (!in.bad) {
        uint8_t m = stn_bytes_u8(&in);
        if (m != 0xff) /* bytes between markers are skipped, as the decoder does */
            continue;
        do
            m = stn_bytes_u8(&in);
        while (m == 0xff && !in.bad);
        if (m == 0 || m == 1 || (m >= 0xd0 && m <= 0xd8))
            continue;
        if (m == 0xd9 || m == 0xda) /* end, or a scan before any frame */
            return false;
        uint16_t n = stn_bytes_u16be(&in);
        if (m >= 0xc0 && m <= 0xcf && m != 0xc4 && m != 0xc8 && m != 0xcc) {
            stn_bytes_skip(&in, 1);
            out->h = stn_bytes_u16be(&in);
            out->w = stn_bytes_u16be(&in);
            uint8_t components = stn_bytes_u8(&in);
            *most = (uint64_t)len * JPEG_PIXELS_PER_BYTE;
            /* baseline, extended and progressive Huffman; grey or three colours */
            return !in.bad && m <= 0xc2 && (components == 1 || components == 3);
        }
        if (n < 2)
            return false;
        stn_bytes_skip(&in, n - 2u);
    }
    return false;
}

static bool probe_gif(const uint8_t *d, size_t len, stn_picture_info *out, uint64_t *most)
{
    stn_bytes in = stn_bytes_of(d, len);

    stn_bytes_skip(&in, 10);
    uint8_t flags = stn_bytes_u8(&in);
    stn_bytes_skip(&in, 2);
    if (flags & 128)
        stn_bytes_skip(&in, (size_t)3 << ((flags & 7) + 1));
    while (!in.bad) {
        uint8_t block = stn_bytes_u8(&in);
        if (block == 0x2c) {
            stn_bytes_skip(&in, 4);
            out->w = stn_bytes_u16(&in);
            out->h = stn_bytes_u16(&in);
            *most = (uint64_t)len * GIF_PIXELS_PER_BYTE;
            return !in.bad;
        }
        if (block != 0x21)
            return false;
        stn_bytes_skip(&in, 1);
        for (uint8_t n; !in.bad && (n = stn_bytes_u8(&in)) != 0;)
            stn_bytes_skip(&in, n);
    }
    return false;
}

stn_status stn_picture_probe(const uint8_t *data, size_t len, const stn_res_limits *limits,
                             stn_picture_info *out, stn_res_fault_kind *fault, stn_err *err)
{
    static const char *const names[] = {"PNG", "JPEG", "GIF"};
    uint64_t most = 0;
    bool fine;

    *out = (stn_picture_info){0};
    if (fault)
        *fault = STN_FAULT_NONE;
    if (!limits)
        limits = &stn_res_default_limits;
    if (len >= 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0) {
        out->format = STN_PICTURE_PNG;
        fine = probe_png(data, len, out, &most);
    } else if (len >= 2 && data[0] == 0xff && data[1] == 0xd8) {
        out->format = STN_PICTURE_JPEG;
        fine = probe_jpeg(data, len, out, &most);
    } else if (len >= 6 && memcmp(data, "GIF8", 4) == 0) {
        out->format = STN_PICTURE_GIF;
        fine = probe_gif(data, len, out, &most);
    } else {
        stn_fail(err, STN_BAD_DATA, "picture of %zu bytes is neither PNG, JPEG nor GIF", len);
        return fail(fault, STN_FAULT_IMAGE);
    }
    if (!fine || out->w == 0 || out->h == 0) {
        stn_fail(err, STN_BAD_DATA, "%s picture of %zu bytes: header refused", names[out->format], len);
        return fail(fault, STN_FAULT_IMAGE);
    }
    uint64_t area = (uint64_t)out->w * out->h;
    if (out->w > limits->max_side || out->h > limits->max_side || area > limits->max_pixels) {
        stn_fail(err, STN_TOO_BIG, "%s picture of %ux%u pixels, at most %u a side and %llu in all",
                 names[out->format], out->w, out->h, limits->max_side,
                 (unsigned long long)limits->max_pixels);
        return fail(fault, STN_FAULT_LIMIT);
    }
    if (area > most) {
        stn_fail(err, STN_BAD_DATA, "%s picture of %ux%u pixels cannot be in %zu bytes", names[out->format],
                 out->w, out->h, len);
        return fail(fault, STN_FAULT_IMAGE);
    }
    return STN_OK;
}

/* ---- pixels ---- */

stn_status stn_picture_rgba(const uint8_t *data, size_t len, const stn_res_limits *limits, uint8_t *out,
                            size_t out_bytes, stn_res_fault_kind *fault, stn_err *err)
{
    stn_picture_info info;
    stn_status st = stn_picture_probe(data, len, limits, &info, fault, err);

    if (st != STN_OK)
        return st;
    if ((uint64_t)info.w * info.h * 4 > out_bytes)
        return stn_fail(err, STN_USAGE, "%zu bytes for a picture of %ux%u pixels", out_bytes, info.w, info.h);
    stn_codec_job job = {data, len, info.w, info.h, err};
    switch (info.format) {
    case STN_PICTURE_PNG:
        return fail(fault, stn_png_rgba(&job, out));
    case STN_PICTURE_JPEG:
        return fail(fault, stn_jpeg_rgba(&job, out));
    case STN_PICTURE_GIF:
        return fail(fault, stn_gif_rgba(&job, out));
    }
    return STN_OK;
}

stn_status stn_picture_raster(const uint8_t *data, size_t len, const stn_res_limits *limits, stn_raster *out,
                              stn_res_fault_kind *fault, stn_err *err)
{
    stn_picture_info info;
    stn_status st = stn_picture_probe(data, len, limits, &info, fault, err);

    *out = (stn_raster){0};
    if (st != STN_OK)
        return st;
    stn_codec_job job = {data, len, info.w, info.h, err};
    stn_res_fault_kind kind = STN_FAULT_NONE;
    out->w = info.w;
    out->h = info.h;
    switch (info.format) {
    case STN_PICTURE_PNG:
        kind = stn_png_raster(&job, out);
        break;
    case STN_PICTURE_JPEG:
        kind = stn_jpeg_raster(&job, out);
        break;
    case STN_PICTURE_GIF:
        kind = stn_gif_raster(&job, out);
        break;
    }
    if (kind != STN_FAULT_NONE)
        stn_raster_fini(out);
    return fail(fault, kind);
}

void stn_raster_fini(stn_raster *raster)
{
    free(raster->samples);
    *raster = (stn_raster){0};
}

void stn_raster_fill_palette(stn_raster *raster, uint32_t count)
{
    for (uint32_t i = count; i < 256; i++) {
        if (count)
            memcpy(raster->palette[i], raster->palette[count - 1], 3);
        raster->palette[i][3] = 255;
    }
}

/* Grey with alpha is taken as linear light and shown in sRGB. */
static uint8_t linear8[256];
static uint8_t linear16[65536];
static pthread_once_t linear_once = PTHREAD_ONCE_INIT;

static double srgb(double x)
{
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
}

static void fill_linear(void)
{
    for (int i = 0; i < 256; i++)
        linear8[i] = (uint8_t)floor(255.0 * srgb(i / 255.0) + 0.5);
    for (int i = 0; i < 65536; i++)
        linear16[i] = (uint8_t)floor(255.0 * srgb(i / 65535.0) + 0.5);
}

static inline uint16_t sample16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}

static inline uint8_t narrow16(uint16_t v)
{
    return (uint8_t)((v * 255u + 32767u) / 65535u);
}

static void show16(uint8_t bands, const uint8_t *s, size_t n, uint8_t *out)
{
    for (size_t i = 0; i < n; i++, s += 2 * bands, out += 4) {
        uint16_t v = sample16(s);
        if (bands == 1) {
            out[0] = out[1] = out[2] = (uint8_t)(v >> 8);
            out[3] = 255;
        } else if (bands == 2) {
            out[0] = out[1] = out[2] = linear16[v];
            out[3] = narrow16(sample16(s + 2));
        } else {
            for (int k = 0; k < 3; k++)
                out[k] = narrow16(sample16(s + 2 * k));
            out[3] = bands == 4 ? narrow16(sample16(s + 6)) : 255;
        }
    }
}

static void show8(const stn_raster *meta, const uint8_t *s, size_t n, uint8_t *out)
{
    uint32_t max = (1u << meta->bits) - 1;

    for (size_t i = 0; i < n; i++, s += meta->bands, out += 4) {
        switch (meta->bands) {
        case 1:
            if (meta->indexed) {
                memcpy(out, meta->palette[s[0]], 4);
            } else {
                uint32_t v = s[0] > max ? max : s[0]; /* filtering may overshoot a shallow grey */
                out[0] = out[1] = out[2] = (uint8_t)(v * 255 / max);
                out[3] = 255;
            }
            break;
        case 2:
            out[0] = out[1] = out[2] = linear8[s[0]];
            out[3] = s[1];
            break;
        case 3:
            memcpy(out, s, 3);
            out[3] = 255;
            break;
        default:
            memcpy(out, s, 4);
            break;
        }
    }
}

void stn_raster_show(const stn_raster *meta, const uint8_t *samples, size_t n, uint8_t *out)
{
    if (meta->bands == 2)
        pthread_once(&linear_once, fill_linear);
    if (meta->bits == 16)
        show16(meta->bands, samples, n, out);
    else
        show8(meta, samples, n, out);
    if (meta->indexed || meta->bands == 2 || meta->bands == 4)
        stn_picture_composite(out, n);
}

void stn_raster_rgba(const stn_raster *raster, uint8_t *out)
{
    stn_raster_show(raster, raster->samples, (size_t)raster->w * raster->h, out);
}

void stn_picture_composite(uint8_t *rgba, size_t n)
{
    uint32_t last = 0, inverse = 0; /* neighbours tend to share their alpha: one division for a run */

    for (uint8_t *p = rgba, *end = rgba + 4 * n; p < end; p += 4) {
#ifdef __SSE2__
        /* most pictures are opaque or empty nearly everywhere: pass over four such pixels at once */
        while (end - p >= 16) {
            __m128i four = _mm_loadu_si128((const __m128i *)(const void *)p);
            __m128i opaque = _mm_cmpeq_epi32(_mm_srli_epi32(four, 24), _mm_set1_epi32(255));
            if (_mm_movemask_epi8(opaque) != 0xffff &&
                _mm_movemask_epi8(_mm_cmpeq_epi32(four, _mm_setzero_si128())) != 0xffff)
                break;
            p += 16;
        }
        if (p == end)
            break;
#endif
        uint32_t a = p[3];
        if (a == 255)
            continue;
        if (a == 0) {
            memset(p, 0, 4);
            continue;
        }
        if (a != last) {
            last = a;
            inverse = (0xff000000u + a / 2) / a;
        }
        for (int k = 0; k < 3; k++) {
            uint32_t q = (uint32_t)(((uint64_t)a * 0x10101u * p[k] + 0x800000u) >> 24);
            p[k] = q >= a ? 255 : (uint8_t)((0x800000u + (uint64_t)q * inverse) >> 24);
        }
    }
}
