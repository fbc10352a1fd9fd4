/* bench_res.c - decoding resources beside bare libpng on the same bytes.
 *
 *   bench_res [FOLDER]      default: the project's own synthetic resources
 *
 * Prints, over all .res files of the folder: structure (all layers decoded and linked, pictures probed) in
 * bytes a second; PNG pictures decoded by libpng alone into RGBA, by this library (with the reference's exact
 * draw), and with their mip chains, in pixels a second and as a share of libpng's. Each figure is the best of
 * several rounds.
 */
#include "base/clock.h"
#include "res/res.h"
#include "support/support.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 7

typedef struct picture {
    const uint8_t *data;
    uint32_t len, w, h;
    stn_mipmapper mapper;
} picture;

typedef struct set {
    uint8_t **files;
    size_t *lens;
    stn_res **res;
    size_t count, bytes;
    picture *pictures;
    size_t picture_count, pixels, largest;
} set;

static void add_picture(set *s, const uint8_t *data, uint32_t len, stn_mipmapper mapper)
{
    stn_picture_info info;
    if (!data || stn_picture_probe(data, len, NULL, &info, NULL, NULL) != STN_OK ||
        info.format != STN_PICTURE_PNG)
        return;
    s->pictures = realloc(s->pictures, (s->picture_count + 1) * sizeof *s->pictures);
    s->pictures[s->picture_count++] = (picture){data, len, info.w, info.h, mapper};
    s->pixels += (size_t)info.w * info.h;
    size_t bytes = stn_mip_bytes(STN_MIP_DAV, info.w, info.h);
    s->largest = bytes > s->largest ? bytes : s->largest;
}

static void load(set *s, const char *folder)
{
    char **names = vec_list(folder, ".res");
    for (char **n = names; *n; n++) {
        size_t len;
        stn_res *res = NULL;
        uint8_t *data = vec_read(folder, *n, &len);
        if (stn_res_new(data, len, NULL, &res, NULL, NULL) != STN_OK) {
            free(data);
            continue;
        }
        s->files = realloc(s->files, (s->count + 1) * sizeof *s->files);
        s->lens = realloc(s->lens, (s->count + 1) * sizeof *s->lens);
        s->res = realloc(s->res, (s->count + 1) * sizeof *s->res);
        s->files[s->count] = data;
        s->lens[s->count] = len;
        s->res[s->count++] = res;
        s->bytes += len;
        for (uint32_t i = 0; i < stn_res_count(res); i++) {
            const stn_res_layer *l = stn_res_layer_at(res, i);
            if (l->kind == STN_LAYER_TEX)
                add_picture(s, l->as.tex->picture, l->as.tex->picture_len, l->as.tex->mipmap);
            else if (l->kind == STN_LAYER_IMAGE)
                add_picture(s, l->as.image->picture, l->as.image->picture_len, STN_MIP_NONE);
            else if (l->kind == STN_LAYER_TILE)
                add_picture(s, l->as.tile->picture, l->as.tile->picture_len, STN_MIP_AVG);
        }
    }
    vec_list_free(names);
}

static void structure(const set *s, uint8_t *out)
{
    const stn_res_opts opts = {.want_version = STN_RES_ANY_VERSION, .borrow = true};
    (void)out;
    for (size_t i = 0; i < s->count; i++) {
        stn_res *res;
        stn_res_new(s->files[i], s->lens[i], &opts, &res, NULL, NULL);
        stn_res_free(res);
    }
}

typedef struct source {
    const uint8_t *at;
    size_t left;
} source;

static void feed(png_structp png, png_bytep out, size_t n)
{
    source *s = png_get_io_ptr(png);
    if (n > s->left)
        png_error(png, "short");
    memcpy(out, s->at, n);
    s->at += n;
    s->left -= n;
}

/* What any program would do: expand to RGBA, row by row. */
static void bare_one(const picture *p, uint8_t *out)
{
    source src = {p->data, p->len};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &src, feed);
        png_read_info(png, info);
        png_set_expand(png);
        png_set_strip_16(png);
        png_set_gray_to_rgb(png);
        png_set_filler(png, 255, PNG_FILLER_AFTER);
        int passes = png_set_interlace_handling(png);
        png_read_update_info(png, info);
        for (int k = 0; k < passes; k++)
            for (uint32_t y = 0; y < p->h; y++)
                png_read_row(png, out + (size_t)y * p->w * 4, NULL);
    }
    png_destroy_read_struct(&png, &info, NULL);
}

static void bare(const set *s, uint8_t *out)
{
    for (size_t i = 0; i < s->picture_count; i++)
        bare_one(&s->pictures[i], out);
}

static void ours(const set *s, uint8_t *out)
{
    for (size_t i = 0; i < s->picture_count; i++)
        stn_picture_rgba(s->pictures[i].data, s->pictures[i].len, NULL, out, s->largest, NULL, NULL);
}

static void chains(const set *s, uint8_t *out)
{
    for (size_t i = 0; i < s->picture_count; i++) {
        const picture *p = &s->pictures[i];
        stn_picture_rgba(p->data, p->len, NULL, out, s->largest, NULL, NULL);
        stn_mip_chain(p->mapper == STN_MIP_NONE ? STN_MIP_DAV : p->mapper, out, p->w, p->h);
    }
}

static double best(const set *s, uint8_t *out, void (*fn)(const set *s, uint8_t *out))
{
    double seconds = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t from = stn_clock_thread_cpu_ns();
        fn(s, out);
        double took = (double)(stn_clock_thread_cpu_ns() - from) / 1e9;
        seconds = took < seconds ? took : seconds;
    }
    return seconds;
}

int main(int argc, char **argv)
{
    set s = {0};
    load(&s, argc > 1 ? argv[1] : "tests/vectors/data/resources/synth");
    uint8_t *out = malloc(s.largest + 1);
    if (!s.count || !s.picture_count || !out) {
        fprintf(stderr, "bench_res: no resources with PNG pictures there\n");
        return 1;
    }
    double parse = best(&s, out, structure), plain = best(&s, out, bare), mine = best(&s, out, ours),
           mips = best(&s, out, chains);
    printf("%zu resources of %zu bytes, %zu PNG pictures of %zu pixels\n", s.count, s.bytes, s.picture_count,
           s.pixels);
    printf("structure         %8.1f MB/s  %.1f us a resource\n", (double)s.bytes / parse / 1e6,
           parse * 1e6 / (double)s.count);
    printf("libpng alone      %8.1f Mpixel/s\n", (double)s.pixels / plain / 1e6);
    printf("pixels            %8.1f Mpixel/s  %.2f of libpng\n", (double)s.pixels / mine / 1e6, plain / mine);
    printf("with mip chains   %8.1f Mpixel/s  %.2f of libpng\n", (double)s.pixels / mips / 1e6, plain / mips);
    for (size_t i = 0; i < s.count; i++) {
        stn_res_free(s.res[i]);
        free(s.files[i]);
    }
    free(s.files);
    free(s.lens);
    free(s.res);
    free(s.pictures);
    free(out);
    return 0;
}
