/* test_res_picture.c - every kind of PNG against section 9 of the format, written out once more in plain
 * steps. */
#include "res/res.h"
#include "support/support.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define W 21
#define H 13

typedef struct kind {
    int color, depth;
    bool key; /* tRNS */
    bool interlaced;
} kind;

static uint32_t seed = 12345;

static uint32_t chance(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void on_write(png_structp png, png_bytep data, size_t n)
{
    stn_buf_put(png_get_io_ptr(png), data, n);
}

static void on_flush(png_structp png)
{
    (void)png;
}

static uint8_t channels_of(int color)
{
    return color == PNG_COLOR_TYPE_GRAY_ALPHA  ? 2
           : color == PNG_COLOR_TYPE_RGB       ? 3
           : color == PNG_COLOR_TYPE_RGB_ALPHA ? 4
                                               : 1;
}

typedef struct source {
    kind k;
    uint16_t s[H][W][4]; /* samples */
    png_color palette[256];
    uint8_t alpha[256];
    int colors, alphas;
    uint16_t key[3];
} source;

static void invent(source *p, kind k)
{
    uint32_t top = 1u << k.depth;
    memset(p, 0, sizeof *p);
    p->k = k;
    p->colors = k.color == PNG_COLOR_TYPE_PALETTE ? (int)(top > 200 ? 200 : top) : 0;
    for (int i = 0; i < p->colors; i++) {
        p->palette[i] = (png_color){(uint8_t)chance(256), (uint8_t)chance(256), (uint8_t)chance(256)};
        p->alpha[i] = (uint8_t)(chance(3) ? chance(256) : 255);
    }
    p->alphas = k.key ? p->colors / 2 : 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 4; c++)
                p->s[y][x][c] = (uint16_t)chance(p->colors ? (uint32_t)p->colors : top);
    for (int c = 0; c < 3; c++)
        p->key[c] = p->s[H / 2][W / 2][c]; /* a colour that occurs */
}

static void write_png(const source *p, stn_buf *out)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    uint8_t rows[H][W * 8], *pointers[H];
    uint8_t n = channels_of(p->k.color);

    png_set_write_fn(png, out, on_write, on_flush);
    png_set_IHDR(png, info, W, H, p->k.depth, p->k.color,
                 p->k.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_gAMA(png, info, 0.3); /* to be ignored */
    if (p->colors)
        png_set_PLTE(png, info, p->palette, p->colors);
    if (p->alphas)
        png_set_tRNS(png, info, p->alpha, p->alphas, NULL);
    else if (p->k.key && !p->colors) {
        png_color_16 key = {.red = p->key[0], .green = p->key[1], .blue = p->key[2], .gray = p->key[0]};
        png_set_tRNS(png, info, NULL, 0, &key);
    }
    png_write_info(png, info);
    png_set_packing(png);
    for (int y = 0; y < H; y++) {
        pointers[y] = rows[y];
        for (int x = 0; x < W; x++)
            for (int c = 0; c < n; c++)
                if (p->k.depth == 16) {
                    rows[y][2 * (x * n + c)] = (uint8_t)(p->s[y][x][c] >> 8);
                    rows[y][2 * (x * n + c) + 1] = (uint8_t)p->s[y][x][c];
                } else {
                    rows[y][x * n + c] = (uint8_t)p->s[y][x][c];
                }
    }
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
}

static uint8_t linear(double x)
{
    return (uint8_t)floor(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055) + 0.5);
}

static uint8_t narrow(uint32_t v)
{
    return (uint8_t)((v * 255 + 32767) / 65535);
}

static void composite(uint8_t *p)
{
    uint64_t a = p[3];
    for (int c = 0; c < 3; c++) {
        uint64_t q = (a * 0x10101 * p[c] + 0x800000) >> 24;
        if (a == 0)
            p[c] = 0;
        else
            p[c] = q >= a ? 255 : (uint8_t)((0x800000 + q * ((0xff000000 + a / 2) / a)) >> 24);
    }
}

static void expect(const source *p, int x, int y, uint8_t out[4])
{
    const uint16_t *s = p->s[y][x];
    uint32_t max = (1u << p->k.depth) - 1;
    bool wide = p->k.depth == 16, key = p->k.key && !p->colors;

    out[3] = 255;
    if (p->colors) {
        out[0] = p->palette[s[0]].red;
        out[1] = p->palette[s[0]].green;
        out[2] = p->palette[s[0]].blue;
        out[3] = s[0] < p->alphas ? p->alpha[s[0]] : 255;
    } else if (p->k.color == PNG_COLOR_TYPE_GRAY_ALPHA || (p->k.color == PNG_COLOR_TYPE_GRAY && key)) {
        /* shallow grey is widened to 8 bits before its curve */
        out[0] = out[1] = out[2] =
            wide ? linear(s[0] / 65535.0) : linear((double)(s[0] * 255u / max) / 255.0);
        out[3] = key ? (s[0] == p->key[0] ? 0 : 255) : wide ? narrow(s[1]) : (uint8_t)s[1];
    } else if (p->k.color == PNG_COLOR_TYPE_GRAY) {
        out[0] = out[1] = out[2] = (uint8_t)(wide ? s[0] >> 8 : s[0] * 255u / max);
    } else {
        for (int c = 0; c < 3; c++)
            out[c] = wide ? narrow(s[c]) : (uint8_t)s[c];
        if (p->k.color == PNG_COLOR_TYPE_RGB_ALPHA)
            out[3] = wide ? narrow(s[3]) : (uint8_t)s[3];
        else if (key && memcmp(s, p->key, sizeof p->key) == 0)
            out[3] = 0;
    }
    composite(out);
}

static void every_kind_of_png_follows_the_rules(void **state)
{
    (void)state;
    static const struct {
        int color, depth;
    } kinds[] = {
        {PNG_COLOR_TYPE_GRAY, 1},       {PNG_COLOR_TYPE_GRAY, 2},        {PNG_COLOR_TYPE_GRAY, 4},
        {PNG_COLOR_TYPE_GRAY, 8},       {PNG_COLOR_TYPE_GRAY, 16},       {PNG_COLOR_TYPE_PALETTE, 1},
        {PNG_COLOR_TYPE_PALETTE, 2},    {PNG_COLOR_TYPE_PALETTE, 4},     {PNG_COLOR_TYPE_PALETTE, 8},
        {PNG_COLOR_TYPE_GRAY_ALPHA, 8}, {PNG_COLOR_TYPE_GRAY_ALPHA, 16}, {PNG_COLOR_TYPE_RGB, 8},
        {PNG_COLOR_TYPE_RGB, 16},       {PNG_COLOR_TYPE_RGB_ALPHA, 8},   {PNG_COLOR_TYPE_RGB_ALPHA, 16},
    };
    static source p;
    unsigned tried = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int variant = 0; variant < 4; variant++) {
            kind k = {kinds[i].color, kinds[i].depth, variant & 1, variant & 2};
            stn_buf png = {0};
            uint8_t got[W * H * 4], again[W * H * 4];
            stn_raster raster;
            stn_err err = {0};
            if (k.key && (k.color & PNG_COLOR_MASK_ALPHA))
                continue;
            invent(&p, k);
            write_png(&p, &png);
            if (stn_picture_rgba(png.data, png.len, NULL, got, sizeof got, NULL, &err) != STN_OK ||
                stn_picture_raster(png.data, png.len, NULL, &raster, NULL, &err) != STN_OK)
                fail_msg("color %d depth %d: %s", k.color, k.depth, err.text);
            stn_raster_rgba(&raster, again);
            assert_memory_equal(got, again, sizeof got); /* straight into memory or by way of the samples */
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++) {
                    uint8_t want[4];
                    expect(&p, x, y, want);
                    if (memcmp(want, got + 4 * (y * W + x), 4) != 0)
                        fail_msg("color %d depth %d key %d interlaced %d at %d,%d", k.color, k.depth, k.key,
                                 k.interlaced, x, y);
                }
            stn_raster_fini(&raster);
            /* cut anywhere, it is refused or whole, and nothing is read behind it */
            for (size_t len = 0; len < png.len; len += 1 + len / 8) {
                uint8_t *cut = malloc(len + 1);
                memcpy(cut, png.data, len);
                stn_picture_rgba(cut, len, NULL, got, sizeof got, NULL, NULL);
                free(cut);
            }
            stn_buf_fini(&png);
            tried++;
        }
    assert_int_equal(tried, 52);
}

static void the_draw_of_every_colour_and_alpha(void **state)
{
    (void)state;
    for (uint32_t a = 0; a < 256; a++)
        for (uint32_t c = 0; c < 256; c += 3) {
            uint8_t run[9 * 4], one[4] = {(uint8_t)c, (uint8_t)(c + 1), (uint8_t)(c + 2), (uint8_t)a};
            for (int i = 0; i < 9; i++) { /* among opaque and empty neighbours */
                memset(run + 4 * i, i % 2 ? 0 : 255, 4);
                if (i == (int)(c % 9))
                    memcpy(run + 4 * i, one, 4);
            }
            stn_picture_composite(run, 9);
            composite(one);
            assert_memory_equal(run + 4 * (c % 9), one, 4);
        }
}

static void a_mask_of_another_size_than_the_layer_says_is_refused(void **state)
{
    (void)state;
    static source color, mask;
    stn_buf cp = {0}, mp = {0}, payload = {0}, file = {0};
    stn_res *res = NULL;
    stn_err err = {0};
    uint8_t out[32 * 16 * 4], rgba[W * H * 4];

    invent(&color, (kind){PNG_COLOR_TYPE_RGB, 8, false, false});
    write_png(&color, &cp);
    invent(&mask, (kind){PNG_COLOR_TYPE_GRAY, 4, false, false});
    write_png(&mask, &mp); /* 21x13 is no texture size: the layer must refuse it on use */
    stn_res_tex t = {.id = 1,
                     .w = 32,
                     .h = 16,
                     .picture = cp.data,
                     .picture_len = (uint32_t)cp.len,
                     .mask = mp.data,
                     .mask_len = (uint32_t)mp.len,
                     .mag_linear = true,
                     .min_linear = true,
                     .mip_filter = -1};
    stn_res_layer l = {.kind = STN_LAYER_TEX, .as.tex = &t};
    assert_int_equal(stn_res_encode(&l, &payload, NULL), STN_OK);
    stn_res_put_head(&file, 1);
    stn_res_put_record(&file, "tex", 3, payload.data, payload.len, NULL);
    assert_int_equal(stn_res_new(file.data, file.len, NULL, &res, NULL, NULL), STN_OK);
    stn_res_fault_kind fault;
    assert_int_equal(
        stn_res_tex_pixels(stn_res_first(res, STN_LAYER_TEX)->as.tex, NULL, out, sizeof out, &fault, &err),
        STN_BAD_DATA);
    assert_int_equal(fault, STN_FAULT_IMAGE);
    /* the same colour picture alone is shown as it is */
    assert_int_equal(stn_picture_rgba(cp.data, cp.len, NULL, rgba, sizeof rgba, NULL, NULL), STN_OK);
    assert_int_equal(rgba[0], color.s[0][0][0]);
    stn_res_free(res);
    stn_buf_fini(&cp);
    stn_buf_fini(&mp);
    stn_buf_fini(&payload);
    stn_buf_fini(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_png_follows_the_rules),
        cmocka_unit_test(the_draw_of_every_colour_and_alpha),
        cmocka_unit_test(a_mask_of_another_size_than_the_layer_says_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
