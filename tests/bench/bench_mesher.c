/* How long a cut takes: bench_mesher DIR [--rounds N] [--form NAME]
 *
 * DIR holds .in files of the terrain vectors. For each, on one thread and on all processors:
 *   warm     noise blocks cached: rebuilds and revisits
 *   walking  one block of each tileset missing: a cut entered on foot
 *   cold     no block at hand: an isolated cut
 * Two results are timed: `exact`, the f32 arrays with the click mesh, which is what the reference makes and
 * is compared with; `product`, the compact form that is sent. JSON, one object a line: microseconds a cut
 * (median, 99th part of a hundred), the reference's median on the same input and how many times faster that
 * is, bytes. The reference figures are those of docs/spec/terrain-mesh.md 18.1: another machine's, so read
 * ratios with care.
 */
#include "support/terrain_case.h"

#include "base/clock.h"
#include "base/text.h"
#include "mesher/exact.h"
#include "mesher/pack.h"
#include "support/support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum mode { WARM, WALKING, COLD, MODES } mode;
static const char *const mode_names[MODES] = {"warm", "walking", "cold"};
typedef enum kind { EXACT, PRODUCT, KINDS } kind;
static const char *const kind_names[KINDS] = {"exact", "product"};

/* Median milliseconds of the reference, one thread. */
static const struct {
    const char *name;
    double ms;
} reference[] = {
    {"t-same-v1", 2.2},
    {"t-same-v2", 3.7},
    {"t-same-v3", 3.9},
    {"t-mixed4-islands-v1", 7.8},
    {"t-mixed4-islands-v2", 14.8},
    {"t-mixed4-islands-v3", 14.8},
    {"t-mixed4-random-v1", 10.2},
    {"t-mixed4-random-v2", 14.4},
    {"t-mixed4-random-v3", 20.4},
};
static const double aim[MODES] = {40, 20, 8};

typedef struct run {
    const terrain_case *c;
    const stn_kernels *k;
    stn_blocks *blocks;
    mode mode;
    kind kind;
    int rounds;
    int64_t *ns;
    size_t bytes, peak;
    stn_status status;
    stn_err err;
} run;

static void forget(const run *r)
{
    stn_coord ul = stn_job_ul(&r->c->job);
    stn_coord own = {stn_fdiv(ul.x, STN_BLOCK), stn_fdiv(ul.y, STN_BLOCK)};
    for (size_t i = 0; r->mode != WARM && i < r->c->nsets; i++)
        stn_blocks_forget(r->blocks, r->c->sets[i].set, r->mode == COLD, own);
}

typedef struct outputs {
    stn_buf pos, loc, index;
    uint8_t *product;
    size_t cap;
} outputs;

static stn_status once(run *r, stn_scratch *s, outputs *o)
{
    stn_build *b;
    stn_status st = stn_build_run(s, r->blocks, r->k, &r->c->job, &b, &r->err);

    if (st != STN_OK)
        return st;
    if (r->kind == EXACT) {
        stn_exact e;
        stn_laid laid = stn_build_laid(b);
        stn_buf_clear(&o->pos);
        stn_buf_clear(&o->loc);
        stn_buf_clear(&o->index);
        if ((st = stn_build_exact(b, &e)) != STN_OK)
            return st;
        st = stn_click_mesh(&laid, NULL, 0, &o->pos, &o->loc, &o->index, &r->err);
        r->bytes = e.bytes + o->pos.len + o->loc.len + o->index.len;
        return st;
    }
    stn_pack *p;
    if ((st = stn_pack_new(b, &p, &r->bytes)) != STN_OK)
        return st;
    if (r->bytes > o->cap) {
        free(o->product);
        o->cap = 2 * r->bytes;
        if (!(o->product = malloc(o->cap)))
            return stn_fail(&r->err, STN_NO_MEMORY, "product");
    }
    stn_pack_write(p, o->product);
    return STN_OK;
}

static void *work(void *arg)
{
    run *r = arg;
    stn_scratch *s = stn_scratch_new(0);
    outputs o = {0};

    for (int i = -3; s && i < r->rounds && r->status == STN_OK; i++) {
        forget(r);
        int64_t start = stn_clock_ns();
        r->status = once(r, s, &o);
        if (i >= 0)
            r->ns[i] = stn_clock_ns() - start;
    }
    if (s)
        r->peak = stn_scratch_peak(s);
    stn_scratch_free(s);
    stn_buf_fini(&o.pos);
    stn_buf_fini(&o.loc);
    stn_buf_fini(&o.index);
    free(o.product);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int measure(const terrain_case *c, const stn_kernels *k, mode m, kind kd, int threads, int rounds)
{
    run runs[64];
    pthread_t ids[64];
    int64_t *all = calloc((size_t)(rounds * threads), sizeof *all);
    stn_blocks *shared = stn_blocks_new(STN_BLOCKS_DEFAULT, k);
    int64_t start, wall;
    double ref = 0;

    for (int i = 0; i < threads; i++)
        /* Threads that forget blocks have caches of their own, or each would do it to the others. */
        runs[i] = (run){.c = c,
                        .k = k,
                        .blocks = m == WARM || threads == 1 ? shared : stn_blocks_new(STN_BLOCKS_DEFAULT, k),
                        .mode = m,
                        .kind = kd,
                        .rounds = rounds,
                        .ns = all + i * rounds};
    start = stn_clock_ns();
    for (int i = 1; i < threads; i++)
        pthread_create(&ids[i], NULL, work, &runs[i]);
    work(&runs[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
    wall = stn_clock_ns() - start;
    for (int i = 0; i < threads; i++) {
        if (runs[i].status != STN_OK) {
            fprintf(stderr, "bench_mesher: %s: %s\n", c->name, runs[i].err.text);
            return 1;
        }
        if (runs[i].blocks != shared)
            stn_blocks_free(runs[i].blocks);
    }
    size_t n = (size_t)(rounds * threads);
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 0; i < sizeof reference / sizeof reference[0]; i++)
        if (strcmp(reference[i].name, c->name) == 0)
            ref = reference[i].ms;
    double median = (double)all[n / 2] / 1e3, p99 = (double)all[n * 99 / 100] / 1e3;
    printf("{\"case\":\"%s\",\"blocks\":\"%s\",\"result\":\"%s\",\"form\":\"%s\",\"threads\":%d,\"median_"
           "us\":%.1f,"
           "\"p99_us\":%.1f,\"cuts_per_s\":%.0f,\"bytes\":%zu,\"job_memory_bytes\":%zu",
           c->name, mode_names[m], kind_names[kd], k->name, threads, median, p99,
           (double)(rounds + 3) * threads / ((double)wall / 1e9), runs[0].bytes, runs[0].peak);
    if (ref > 0)
        printf(",\"reference_us\":%.0f,\"times\":%.1f,\"aim\":%.0f", ref * 1e3, ref * 1e3 / median, aim[m]);
    printf("}\n");
    fflush(stdout);
    stn_blocks_free(shared);
    free(all);
    return 0;
}

/* Where a warm build's time goes, and what a point of noise costs: medians of the parts, each timed alone. */
static int measure_parts(const terrain_case *c, const stn_kernels *k, int rounds)
{
    enum { BUILD, BLENDS, NORMALS, ARRAYS, CLICK, PACK, NOISE, PARTS };
    static const char *const names[PARTS] = {"build",      "of it blends", "of it normals",     "f32 arrays",
                                             "click mesh", "product",      "noise of one block"};
    int64_t *ns = calloc((size_t)(PARTS * rounds), sizeof *ns);
    stn_scratch *s = stn_scratch_new(0);
    stn_blocks *blocks = stn_blocks_new(STN_BLOCKS_DEFAULT, k);
    outputs o = {.cap = 4 << 20, .product = malloc(4 << 20)};
    stn_status st = STN_OK;
    stn_err err = {0};
    size_t points = 0;

    for (int i = -3; i < rounds && st == STN_OK; i++) {
        int64_t t[PARTS + 1];
        stn_build *b;
        stn_exact e;
        stn_pack *p;
        stn_blend *bl;
        size_t len = 0;
        t[BUILD] = stn_clock_ns();
        if ((st = stn_build_run(s, blocks, k, &c->job, &b, &err)) != STN_OK)
            break;
        t[BLENDS] = stn_clock_ns();
        for (unsigned n = 0; n < b->ntilers; n++)
            if (b->tilers[n].blend)
                st |= stn_blend_make(b->arena, k, blocks, b->tilers[n].set, b->ul, c->job.blend,
                                     b->tilers[n].area, NULL, &bl, &err);
        t[NORMALS] = stn_clock_ns();
        k->normals(b->z, b->split, b->nrm);
        t[ARRAYS] = stn_clock_ns();
        st |= stn_build_exact(b, &e);
        t[CLICK] = stn_clock_ns();
        stn_laid laid = stn_build_laid(b);
        stn_buf_clear(&o.pos);
        stn_buf_clear(&o.loc);
        stn_buf_clear(&o.index);
        st |= stn_click_mesh(&laid, NULL, 0, &o.pos, &o.loc, &o.index, &err);
        t[PACK] = stn_clock_ns();
        st |= stn_pack_new(b, &p, &len);
        if (st == STN_OK && len <= o.cap)
            stn_pack_write(p, o.product);
        t[NOISE] = stn_clock_ns();
        st |= stn_blocks_make(blocks, c->sets[0].set, (stn_coord){0, 0}, &err);
        t[PARTS] = stn_clock_ns();
        stn_blocks_forget(blocks, c->sets[0].set, false, (stn_coord){0, 0});
        for (int n = 0; i >= 0 && n < PARTS; n++)
            ns[n * rounds + i] = t[n + 1] - t[n];
        /* Octaves that are decided early are left out, so this is an upper bound of the points. */
        points = STN_BLOCK * STN_BLOCK * (4 * c->sets[0].set->def.nvars + c->sets[0].set->def.nvars + 1);
    }
    if (st != STN_OK)
        fprintf(stderr, "bench_mesher: %s: %s\n", c->name, err.text);
    printf("{\"case\":\"%s\",\"form\":\"%s\",\"parts_us\":{", c->name, k->name);
    for (int n = 0; n < PARTS; n++) {
        qsort(ns + n * rounds, (size_t)rounds, sizeof *ns, by_value);
        printf("%s\"%s\":%.1f", n ? "," : "", names[n], (double)ns[n * rounds + rounds / 2] / 1e3);
    }
    printf("},\"noise_ns_a_point\":%.2f}\n", (double)ns[NOISE * rounds + rounds / 2] / (double)points);
    stn_blocks_free(blocks);
    stn_scratch_free(s);
    stn_buf_fini(&o.pos);
    stn_buf_fini(&o.loc);
    stn_buf_fini(&o.index);
    free(o.product);
    free(ns);
    return st != STN_OK;
}

int main(int argc, char **argv)
{
    const char *dir = NULL;
    const stn_kernels *k = stn_kernels_best();
    int64_t rounds = 200;
    int bad = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc && stn_text_i64(argv[i + 1], 1, 100000, &rounds))
            i++;
        else if (strcmp(argv[i], "--form") == 0 && i + 1 < argc)
            k = stn_kernels_named(argv[++i]);
        else
            dir = argv[i];
    }
    if (!dir || !k) {
        fprintf(stderr, "usage: bench_mesher DIR [--rounds N] [--form plain|sse2|avx2|avx512]\n");
        return 2;
    }
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    cores = cores > 64 ? 64 : cores;
    char **names = vec_list(dir, ".in");
    for (size_t i = 0; names[i] && !bad; i++) {
        size_t len;
        stn_err err = {0};
        char *text = (char *)vec_read(dir, names[i], &len);
        terrain_case *c = terrain_case_new(text, len, &err);
        free(text);
        if (!c) {
            fprintf(stderr, "bench_mesher: %s: %s\n", names[i], err.text);
            return 1;
        }
        for (int t = 1; t <= cores && !bad; t = t < cores ? cores : cores + 1)
            for (mode m = WARM; m < MODES; m++)
                for (kind kd = EXACT; kd < KINDS; kd++)
                    bad |= measure(c, k, m, kd, t, (int)rounds);
        bad |= measure_parts(c, k, (int)rounds);
        terrain_case_free(c);
    }
    vec_list_free(names);
    return bad;
}
