/* test_res_png.c - the two ways to the pixels of a PNG come to the same: whatever the file is, the common way
 * gives what libpng alone gives, or leaves it to libpng with its errors and words.
 *
 * The pictures are put together here chunk by chunk, out of random filtered bytes (any are valid), so that
 * order, splitting, checksums and the stream's own header can be anything.
 */
#include "base/buf.h"
#include "res/codec.h"
#include "res/png_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#define SIDE_MAX 40u

static uint32_t seed = 2024;

static uint32_t chance(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static bool one_in(uint32_t n)
{
    return chance(n) == 0;
}

/* ---- filters ---- */

static void every_filter_gives_what_it_gives_byte_by_byte(void **state)
{
    (void)state;
    enum { MOST = 8 * 19 };
    uint8_t in[MOST], up[MOST], want[MOST], got[MOST];
    for (unsigned turn = 0; turn < 40; turn++)
        for (unsigned bpp = 1; bpp <= 8; bpp++)
            for (uint8_t filter = 0; filter <= 5; filter++)
                for (int first = 0; first < 2; first++) {
                    size_t n = bpp * (1 + chance(19));
                    /* steep and flat ones, since the nearest of three depends on ties */
                    uint32_t top = one_in(2) ? 256 : 4;
                    for (size_t i = 0; i < n; i++) {
                        in[i] = (uint8_t)chance(top);
                        up[i] = (uint8_t)chance(top);
                    }
                    const uint8_t *above = first ? NULL : up;
                    assert_int_equal(stn_png_unfilter_plain(filter, bpp, want, in, above, n), filter <= 4);
                    assert_int_equal(stn_png_unfilter(filter, bpp, got, in, above, n), filter <= 4);
                    if (filter > 4)
                        continue;
                    assert_memory_equal(want, got, n);
                    assert_true(stn_png_unfilter(filter, bpp, in, in, above, n)); /* in place */
                    assert_memory_equal(want, in, n);
                }
}

/* ---- pictures ---- */

typedef struct shape {
    uint32_t w, h;
    uint8_t depth, color;
    bool interlaced;
    unsigned odd; /* one in so many of the things that are unusual happens */
} shape;

static void put_be32(stn_buf *b, uint32_t v)
{
    for (int i = 24; i >= 0; i -= 8)
        stn_buf_u8(b, (uint8_t)(v >> i));
}

static void put_chunk(stn_buf *b, const shape *s, const char *type, const uint8_t *data, size_t n)
{
    put_be32(b, (uint32_t)n);
    stn_buf_put(b, type, 4);
    if (n)
        stn_buf_put(b, data, n);
    uLong crc = crc32(crc32(0, (const Bytef *)type, 4), n ? data : (const Bytef *)"", (uInt)n);
    put_be32(b, one_in(8 * s->odd) ? ~(uint32_t)crc : (uint32_t)crc);
}

static uint32_t samples_of(uint8_t color)
{
    return color == 2 ? 3 : color == 4 ? 2 : color == 6 ? 4 : 1;
}

static void put_rows(stn_buf *raw, const shape *s, uint32_t w, uint32_t h)
{
    size_t n = ((size_t)w * samples_of(s->color) * s->depth + 7) / 8;
    uint32_t top = one_in(2) ? 256 : 5;
    for (uint32_t y = 0; w && y < h; y++) {
        stn_buf_u8(raw, (uint8_t)(one_in(64 * s->odd) ? 5 + chance(251) : chance(5)));
        for (size_t i = 0; i < n; i++)
            stn_buf_u8(raw, (uint8_t)chance(top));
    }
}

/* The filtered rows, in seven passes when interlaced. */
static void put_picture(stn_buf *raw, const shape *s)
{
    static const uint8_t x0[7] = {0, 4, 0, 2, 0, 1, 0}, dx[7] = {8, 8, 4, 4, 2, 2, 1};
    static const uint8_t y0[7] = {0, 0, 4, 0, 2, 0, 1}, dy[7] = {8, 8, 8, 4, 4, 2, 2};
    if (!s->interlaced)
        put_rows(raw, s, s->w, s->h);
    for (int i = 0; s->interlaced && i < 7; i++)
        put_rows(raw, s, (s->w + dx[i] - 1u - x0[i]) / dx[i], (s->h + dy[i] - 1u - y0[i]) / dy[i]);
    size_t n = 1 + chance(9);
    if (one_in(6 * s->odd))
        stn_buf_zero(raw, n);
    else if (one_in(6 * s->odd))
        raw->len -= raw->len > n ? n : 1;
}

static void deflate_all(const stn_buf *raw, const shape *s, stn_buf *out)
{
    z_stream z = {0};
    int window = one_in(s->odd) ? 9 + (int)chance(7) : 15, level = (int)chance(10);
    assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, window, 8, (int)chance(5)), Z_OK);
    size_t room = deflateBound(&z, raw->len) + 64;
    uint8_t *to = stn_buf_add(out, room);
    z.next_in = raw->data;
    z.avail_in = (uInt)raw->len;
    z.next_out = to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->len -= z.avail_out;
    deflateEnd(&z);
    if (one_in(6 * s->odd)) { /* another window than it was made with, its header in order */
        uint8_t cmf = (uint8_t)(8 | chance(10) << 4), flags = (uint8_t)(to[1] & 0xe0);
        to[0] = cmf;
        to[1] = (uint8_t)(flags + (31 - (cmf * 256u + flags) % 31) % 31);
    }
    if (one_in(6 * s->odd))
        out->data[out->len - 1 - chance(4)] ^= 1; /* its checksum */
    if (one_in(6 * s->odd))
        stn_buf_zero(out, 1 + chance(20));
    else if (one_in(6 * s->odd))
        out->len -= 1 + chance(6);
}

static void put_extra(stn_buf *b, const shape *s, bool before)
{
    static const uint8_t zeros[64];
    static const char types[][5] = {"gAMA", "sRGB", "sBIT", "pHYs", "tEXt", "iCCP", "bKGD",
                                    "hIST", "tIME", "wiLd", "aBcD", "PLTE", "tRNS"};
    static const char hard[][5] = {"CgBI", "IEND", "IHDR", "a1cd", "IDAT"};
    while (one_in(2)) {
        const char *type = types[chance(sizeof types / sizeof *types)];
        if ((type[0] == 'P' || type[0] == 't') && !one_in(s->odd))
            continue;
        put_chunk(b, s, type, zeros, chance(sizeof zeros));
    }
    if (one_in((before ? 10 : 5) * s->odd))
        put_chunk(b, s, hard[chance(sizeof hard / sizeof *hard)], zeros, chance(sizeof zeros));
    if (one_in(200)) { /* longer than libpng reads without a word */
        uint8_t *much = calloc(1, (1u << 20) + 1);
        put_chunk(b, s, "zzZz", much, (1u << 20) + chance(2));
        free(much);
    }
}

static void put_colors(stn_buf *b, const shape *s)
{
    uint8_t rgb[257 * 3], alpha[257];
    uint32_t n = one_in(s->odd) ? 1 + chance(257) : s->depth < 8 ? 1u << s->depth : 256;
    for (size_t i = 0; i < sizeof rgb; i++)
        rgb[i] = (uint8_t)chance(256);
    for (size_t i = 0; i < sizeof alpha; i++)
        alpha[i] = (uint8_t)(one_in(2) ? chance(256) : 255);
    bool late = one_in(6 * s->odd), alphas = one_in(2);
    if (alphas && late)
        put_chunk(b, s, "tRNS", alpha, 1 + chance(n));
    if (!one_in(6 * s->odd))
        put_chunk(b, s, "PLTE", rgb, (size_t)n * 3 - (one_in(6 * s->odd) ? chance(3) : 0));
    if (alphas && !late)
        put_chunk(b, s, "tRNS", alpha, one_in(6 * s->odd) ? chance(257) : 1 + chance(n));
}

static void make_png(const shape *s, stn_buf *out)
{
    stn_buf raw = {0}, data = {0}, head = {0};
    uint8_t key[6] = {0, 1, 0, 2, 0, 3};

    put_be32(&head, s->w);
    put_be32(&head, s->h);
    stn_buf_u8(&head, s->depth);
    stn_buf_u8(&head, s->color);
    stn_buf_u8(&head, one_in(16 * s->odd));
    stn_buf_u8(&head, (uint8_t)(one_in(16 * s->odd) ? 64 : 0));
    stn_buf_u8(&head, s->interlaced);
    stn_buf_put(out, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(out, s, "IHDR", head.data, head.len);
    put_extra(out, s, true);
    if (s->color == 3)
        put_colors(out, s);
    else if ((s->color == 0 || s->color == 2) && one_in(s->odd))
        put_chunk(out, s, "tRNS", key, s->color == 0 ? 2 : 6);
    put_extra(out, s, true);
    put_picture(&raw, s);
    deflate_all(&raw, s, &data);
    size_t piece = one_in(2) ? data.len : 1 + chance(60);
    for (size_t at = 0; at < data.len;) {
        size_t n = one_in(5) ? 0 : data.len - at < piece ? data.len - at : piece;
        put_chunk(out, s, "IDAT", data.data + at, n);
        at += n;
        if (one_in(30 * s->odd))
            put_extra(out, s, false);
    }
    if (!one_in(4))
        put_extra(out, s, false);
    if (!one_in(4))
        put_chunk(out, s, "IEND", NULL, 0);
    if (one_in(4))
        stn_buf_zero(out, chance(30));
    assert_false(out->failed);
    stn_buf_fini(&raw);
    stn_buf_fini(&data);
    stn_buf_fini(&head);
}

typedef struct tally {
    unsigned plain, by_libpng, refused; /* how pictures ended */
} tally;

/* True when it went the plain way. The file is copied to its own size, so that a sanitizer sees every read
 * behind its end. */
static bool compare(const uint8_t *data, size_t len, tally *t)
{
    stn_picture_info info;
    uint8_t *file = malloc(len ? len : 1);
    memcpy(file, data, len);
    const stn_res_limits limits = {.max_side = 4 * SIDE_MAX, .max_pixels = 16 * SIDE_MAX * SIDE_MAX};
    if (stn_picture_probe(file, len, &limits, &info, NULL, NULL) != STN_OK ||
        info.format != STN_PICTURE_PNG) {
        free(file);
        return false;
    }
    size_t bytes = (size_t)info.w * info.h * 4;
    uint8_t *want = malloc(bytes), *got = malloc(bytes), *way = malloc(bytes);
    stn_err want_err = {0}, got_err = {0};
    stn_codec_job job = {file, len, info.w, info.h, &want_err};
    stn_res_fault_kind want_kind = stn_png_libpng_rgba(&job, want);
    job.err = &got_err;
    stn_res_fault_kind got_kind = stn_png_rgba(&job, got);
    bool plain = stn_png_plain_rgba(&job, way);

    assert_int_equal(want_kind, got_kind);
    assert_int_equal(want_err.code, got_err.code);
    assert_string_equal(want_err.text, got_err.text);
    if (want_kind == STN_FAULT_NONE)
        assert_memory_equal(want, got, bytes);
    assert_true(!plain || want_kind == STN_FAULT_NONE);
    if (plain)
        assert_memory_equal(want, way, bytes);
    t->plain += plain;
    t->by_libpng += !plain && want_kind == STN_FAULT_NONE;
    t->refused += want_kind != STN_FAULT_NONE;
    free(want);
    free(got);
    free(way);
    free(file);
    return plain;
}

static const struct {
    uint8_t color, depth;
} kinds[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
             {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static shape any_shape(unsigned kind, unsigned odd)
{
    return (shape){.w = 1 + chance(SIDE_MAX),
                   .h = 1 + chance(SIDE_MAX),
                   .depth = kinds[kind].depth,
                   .color = kinds[kind].color,
                   .odd = odd,
                   .interlaced = one_in(5)};
}

static void what_is_whole_and_common_takes_the_plain_way(void **state)
{
    (void)state;
    tally t = {0};
    for (unsigned i = 0; i < 600; i++) {
        stn_buf png = {0};
        shape s = any_shape(i % KINDS, 1u << 20);
        make_png(&s, &png);
        bool plain = compare(png.data, png.len, &t);
        if (png.len < 1u << 20) /* a long chunk is left to libpng */
            assert_int_equal(plain, s.depth == 8 && !s.interlaced);
        stn_buf_fini(&png);
    }
    assert_int_equal(t.refused, 0);
    assert_true(t.plain > 100 && t.by_libpng > 100);
}

static void odd_files_end_as_with_libpng_alone(void **state)
{
    (void)state;
    tally t = {0};
    for (unsigned i = 0; i < 6000; i++) {
        stn_buf png = {0};
        shape s = any_shape(i % KINDS, 4);
        make_png(&s, &png);
        compare(png.data, png.len, &t);
        stn_buf_fini(&png);
    }
    assert_true(t.plain > 300 && t.by_libpng > 300 && t.refused > 300);
}

static void damaged_files_end_as_with_libpng_alone(void **state)
{
    (void)state;
    tally t = {0};
    for (unsigned i = 0; i < 1500; i++) {
        stn_buf png = {0};
        shape s = any_shape(i % KINDS, 1u << 20);
        s.interlaced = false;
        make_png(&s, &png);
        size_t few = png.len < 4096 ? png.len : 4096; /* of what may be a long chunk */
        for (unsigned turn = 0; turn < 12; turn++) {
            uint8_t *bad = malloc(png.len);
            size_t len = png.len;
            memcpy(bad, png.data, png.len);
            for (unsigned n = 1 + chance(3); n > 0; n--)
                bad[chance((uint32_t)few)] = (uint8_t)chance(256);
            if (one_in(3))
                len = chance((uint32_t)png.len);
            compare(bad, len, &t);
            free(bad);
        }
        stn_buf_fini(&png);
    }
    assert_true(t.plain > 300 && t.by_libpng > 300 && t.refused > 300);
}

static void a_file_cut_anywhere_ends_as_with_libpng_alone(void **state)
{
    (void)state;
    tally t = {0};
    for (unsigned i = 0; i < 2 * KINDS; i++) {
        stn_buf png = {0};
        shape s = any_shape(i % KINDS, 1u << 20);
        make_png(&s, &png);
        for (size_t len = 0; len < png.len && len < 4096; len++)
            compare(png.data, len, &t);
        stn_buf_fini(&png);
    }
    assert_true(t.plain > 50 && t.refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_filter_gives_what_it_gives_byte_by_byte),
        cmocka_unit_test(what_is_whole_and_common_takes_the_plain_way),
        cmocka_unit_test(odd_files_end_as_with_libpng_alone),
        cmocka_unit_test(damaged_files_end_as_with_libpng_alone),
        cmocka_unit_test(a_file_cut_anywhere_ends_as_with_libpng_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
