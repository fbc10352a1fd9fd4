/* bench_loader.c - the loader beside bare zlib and libpng.
 *
 * 1,000 mixed resources (textures, images, models) lie in the disk cache; a fresh loader process is asked for
 * all of them at once. Beside it the same pictures are decoded by bare libpng into fresh pages, with as many
 * threads and no mip chains. Then the time from a Get to its Ready for one small resource that is loaded.
 * Rounds alternate and the best of each side counts, since other programs disturb both. Arguments: BUILD
 * folder, [rounds].
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "cache/diskcache.h"
#include "res/res.h"
#include "support/loader_client.h"

#include "proto/resource.pb-c.h"

#include <ftw.h>
#include <png.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT 1000
#define IDENTITY "http://127.0.0.1:9/"
#define ALL                                                                                                  \
    (STENNESS__RESOURCE_WANT__WANT_RAW | STENNESS__RESOURCE_WANT__WANT_MODELS |                              \
     STENNESS__RESOURCE_WANT__WANT_PIXELS)

typedef struct picture {
    uint8_t *png;
    size_t len;
    uint32_t side;
} picture;

static picture pictures[COUNT];
static char names[COUNT][32];
static uint64_t seed = 1;

static uint32_t chance(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(seed >> 33);
}

typedef struct timing {
    double wall_s, cpu_s; /* cpu: of all threads and processes that decode, 0 = not measured yet */
} timing;

static double cpu_of(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* ---- making the resources ---- */

static void on_png(png_structp png, png_bytep data, png_size_t len)
{
    stn_buf_put(png_get_io_ptr(png), data, len);
}

static void on_flush(png_structp png)
{
    (void)png;
}

/* Something between a photograph and a drawing: slopes, flat parts and noise, as textures of the game have.
 */
static void make_png(picture *p, uint32_t side)
{
    stn_buf out = {0};
    uint8_t *row = malloc((size_t)side * 4);
    uint32_t a = chance() % 7 + 1, b = chance() % 5 + 1, noise = chance() % 24;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, &out, on_png, on_flush);
    png_set_IHDR(png, info, side, side, 8, PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < side; y++) {
        for (uint32_t x = 0; x < side; x++) {
            uint32_t n = noise ? chance() % noise : 0;
            row[x * 4] = (uint8_t)(x * a * 255 / side + n);
            row[x * 4 + 1] = (uint8_t)(y * b * 255 / side + n);
            row[x * 4 + 2] = (uint8_t)((x / 16 + y / 16) % 2 * 90 + n);
            row[x * 4 + 3] = 255;
        }
        png_write_row(png, row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    free(row);
    p->side = side;
    p->len = out.len;
    size_t len;
    p->png = stn_buf_take(&out, &len);
}

static void put_layer(stn_buf *out, stn_layer_kind kind, const void *what)
{
    stn_res_layer l = {.kind = kind};
    stn_err err = {0};
    l.as.any = what;
    if (stn_res_put_layer(out, &l, &err) != STN_OK) {
        fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
}

static void put_model(stn_buf *out)
{
    enum { VERTICES = 600, TRIS = 900 };
    static float pos[VERTICES * 3], nrm[VERTICES * 3], tex[VERTICES * 2];
    static uint16_t indices[TRIS * 3];
    for (size_t i = 0; i < VERTICES * 3; i++) {
        pos[i] = (float)(chance() % 1000) / 100.0f;
        nrm[i] = (float)(chance() % 200) / 100.0f - 1.0f;
    }
    for (size_t i = 0; i < VERTICES * 2; i++)
        tex[i] = (float)(chance() % 1000) / 1000.0f;
    for (size_t i = 0; i < TRIS * 3; i++)
        indices[i] = (uint16_t)(chance() % VERTICES);
    const stn_attrib attribs[] = {
        {.attr = STN_ATTR_POS, .components = 3, .source = "pos2", .format = "f4", .f = pos},
        {.attr = STN_ATTR_NRM, .components = 3, .source = "nrm2", .format = "f4", .f = nrm},
        {.attr = STN_ATTR_TEX, .components = 2, .source = "tex2", .format = "f4", .f = tex},
    };
    const stn_res_vbuf vbuf = {.id = 0, .num = VERTICES, .count = 3, .attribs = attribs};
    const stn_res_mesh mesh = {.id = -1, .ref = -1, .head_mat = -1, .tris = TRIS, .indices = indices};
    put_layer(out, STN_LAYER_VBUF, &vbuf);
    put_layer(out, STN_LAYER_MESH, &mesh);
}

static void store_all(const char *dir, stn_mipmapper mipmap, size_t *file_bytes, size_t *pixels)
{
    stn_diskcache *c;
    stn_err err = {0};
    if (stn_diskcache_open(dir, IDENTITY, 0, &c, &err) != STN_OK) {
        fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
    *file_bytes = *pixels = 0;
    for (size_t i = 0; i < COUNT; i++) {
        stn_buf b = {0};
        char key[64];
        const picture *p = &pictures[i];
        stn_res_put_head(&b, 1);
        if (i % 5 == 0)
            put_model(&b);
        if (i % 6 == 0)
            put_layer(&b, STN_LAYER_IMAGE,
                      &(stn_res_image){.id = -1,
                                       .scale = 1,
                                       .picture = p->png,
                                       .picture_len = (uint32_t)p->len,
                                       .w = p->side,
                                       .h = p->side});
        else
            put_layer(&b, STN_LAYER_TEX,
                      &(stn_res_tex){.id = 0,
                                     .w = (uint16_t)p->side,
                                     .h = (uint16_t)p->side,
                                     .mipmap = mipmap,
                                     .mip_filter = -1,
                                     .picture = p->png,
                                     .picture_len = (uint32_t)p->len});
        snprintf(key, sizeof key, "res/%s", names[i]);
        if (stn_diskcache_write(c, key, strlen(key), b.data, b.len, &err) != STN_OK) {
            fprintf(stderr, "bench: %s\n", err.text);
            exit(1);
        }
        *file_bytes += b.len;
        *pixels += (size_t)p->side * p->side;
        stn_buf_fini(&b);
    }
    stn_diskcache_free(c);
}

/* ---- bare libpng ---- */

typedef struct reading {
    const uint8_t *data;
    size_t len, at;
} reading;

static void on_read(png_structp png, png_bytep out, png_size_t len)
{
    reading *r = png_get_io_ptr(png);
    if (len > r->len - r->at)
        png_error(png, "end");
    memcpy(out, r->data + r->at, len);
    r->at += len;
}

static uint8_t *decode_bare(const picture *p)
{
    reading r = {.data = p->png, .len = p->len};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    uint8_t *out = malloc((size_t)p->side * p->side * 4);
    png_set_read_fn(png, &r, on_read);
    png_read_info(png, info);
    for (uint32_t y = 0; y < p->side; y++)
        png_read_row(png, out + (size_t)y * p->side * 4, NULL);
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return out;
}

static _Atomic size_t next_bare;
static uint8_t *bare_pixels[COUNT];

static void *bare_thread(void *arg)
{
    (void)arg;
    for (size_t i; (i = atomic_fetch_add(&next_bare, 1)) < COUNT;)
        bare_pixels[i] = decode_bare(&pictures[i]);
    return NULL;
}

static timing run_bare(unsigned threads)
{
    pthread_t t[64];
    next_bare = 0;
    double cpu = cpu_of(RUSAGE_SELF);
    int64_t start = stn_clock_ns();
    for (unsigned i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, bare_thread, NULL);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    timing out = {.wall_s = (double)(stn_clock_ns() - start) / 1e9, .cpu_s = cpu_of(RUSAGE_SELF) - cpu};
    for (size_t i = 0; i < COUNT; i++)
        free(bare_pixels[i]);
    return out;
}

/* ---- the loader ---- */

static char *program;

/* The processor time is that of the loader and its decoders from their start to their end, which is what can
 * be had of another process. */
static timing run_loader(const char *dir, uint32_t want)
{
    static test_get gets[COUNT];
    const char *args[] = {"--resurl", IDENTITY, "--cache", dir, "--budget", "4096", NULL};
    double cpu = cpu_of(RUSAGE_CHILDREN);
    test_loader *l = test_loader_new(program, args);
    test_client *c = test_client_new(l);
    test_get warm = {.name = "no/such", .version = 3};
    test_client_run(c, &warm, 1, 200 * STN_MS, NULL, NULL); /* the connection stands */
    for (size_t i = 0; i < COUNT; i++)
        gets[i] = (test_get){.name = names[i], .version = 1, .want = want};
    int64_t start = stn_clock_ns();
    bool all = test_client_run(c, gets, COUNT, 120 * STN_S, NULL, NULL);
    timing out = {.wall_s = (double)(stn_clock_ns() - start) / 1e9};
    for (size_t i = 0; i < COUNT; i++)
        all =
            all && gets[i].end == TEST_READY && gets[i].problems == 0 && strcmp(gets[i].source, "disk") == 0;
    if (!all) {
        fprintf(stderr, "bench: not every resource came from the disk cache\n");
        exit(1);
    }
    test_client_free(c);
    test_loader_free(l);
    out.cpu_s = cpu_of(RUSAGE_CHILDREN) - cpu;
    return out;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void latency(const char *dir)
{
    enum { N = 3000 };
    static int64_t took[N];
    const char *args[] = {"--resurl", IDENTITY, "--cache", dir, NULL};
    test_loader *l = test_loader_new(program, args);
    test_client *c = test_client_new(l);
    for (size_t i = 0; i < N; i++) {
        test_get g = {.name = names[1], .version = 1, .want = ALL};
        test_client_run(c, &g, 1, 10 * STN_S, NULL, NULL);
        took[i] = g.ended_ns - g.asked_ns;
    }
    qsort(took, N, sizeof *took, by_value);
    printf("request to ready, one small loaded resource (%u x %u texture): median %.1f us, 99th percentile "
           "%.1f us\n",
           pictures[1].side, pictures[1].side, (double)took[N / 2] / 1e3, (double)took[N / 100 * 99] / 1e3);
    test_client_free(c);
    test_loader_free(l);
}

static int remove_one(const char *path, const struct stat *sb, int type, struct FTW *ftw)
{
    (void)sb;
    (void)type;
    (void)ftw;
    return remove(path);
}

static timing best(timing a, timing b)
{
    if (a.wall_s == 0)
        return b;
    return (timing){.wall_s = b.wall_s < a.wall_s ? b.wall_s : a.wall_s,
                    .cpu_s = b.cpu_s < a.cpu_s ? b.cpu_s : a.cpu_s};
}

static void line(const char *what, timing t, timing bare, const char *target)
{
    printf("%-28s %8.1f ms wall %8.1f ms processor", what, t.wall_s * 1e3, t.cpu_s * 1e3);
    if (target)
        printf("   %.2f and %.2f of bare %s", bare.wall_s / t.wall_s, bare.cpu_s / t.cpu_s, target);
    printf("\n");
}

int main(int argc, char **argv)
{
    char dirs[2][40] = {"/tmp/stn-bench-XXXXXX", "/tmp/stn-bench-XXXXXX"};
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 5;
    unsigned threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    size_t count[4] = {0}, files, pixels;
    if (argc < 2 || asprintf(&program, "%s/bin/stenness-loader", argv[1]) < 0 || !mkdtemp(dirs[0]) ||
        !mkdtemp(dirs[1])) {
        fprintf(stderr, "usage: bench_loader BUILD [ROUNDS]\n");
        return 2;
    }
    threads = threads < 2 ? 2 : threads > 64 ? 64 : threads;
    setenv("STN_LOG", "error", 1);
    stn_log_set_level(STN_LOG_ERROR);
    for (size_t i = 0; i < COUNT; i++) {
        static const uint32_t sides[4] = {64, 128, 256, 512};
        uint32_t r = i == 1 ? 0 : chance() % 100;
        size_t k = r < 35 ? 0 : r < 70 ? 1 : r < 92 ? 2 : 3;
        count[k]++;
        make_png(&pictures[i], sides[k]);
        snprintf(names[i], sizeof names[i], "bench/%zu", i);
    }
    store_all(dirs[0], STN_MIP_NONE, &files, &pixels);
    store_all(dirs[1], STN_MIP_AVG, &files, &pixels);
    printf("%d resources: pictures of 64² %zu, 128² %zu, 256² %zu, 512² %zu; %.1f MB of files, %.1f MB of "
           "pixels; %u "
           "threads each\n",
           COUNT, count[0], count[1], count[2], count[3], (double)files / 1e6, (double)pixels * 4 / 1e6,
           threads);
    timing bare_t = {0}, plain = {0}, mips = {0}, sent = {0};
    for (unsigned i = 0; i < rounds; i++) {
        bare_t = best(bare_t, run_bare(threads));
        plain = best(plain, run_loader(dirs[0], 0));
        mips = best(mips, run_loader(dirs[1], 0));
        sent = best(sent, run_loader(dirs[0], ALL));
    }
    line("bare libpng", bare_t, bare_t, NULL);
    line("loader from disk cache", plain, bare_t, "(target 0.9)");
    line("loader with mip chains", mips, bare_t, "(target 0.8)");
    line("all sent to a client", sent, bare_t, "(the client shares the cores)");
    latency(dirs[0]);
    for (int i = 0; i < 2; i++)
        nftw(dirs[i], remove_one, 16, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < COUNT; i++)
        free(pictures[i].png);
    free(program);
    return 0;
}
