/* What a build promises besides its bits: no allocation in its loops, the same on any number of threads and
 * in every form of the kernels, and a clear answer to hostile jobs. */
#include "support/terrain_case.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "mesher/exact.h"
#include "mesher/pack.h"
#include "support/support.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CASES "tests/vectors/data/terrain/cases"
#define BENCH "tests/vectors/data/terrain/bench"

/* ---- counting what is allocated. The sanitizers have an allocator of their own, so not with them. */

#if defined(__GLIBC__) && !defined(STN_SANITIZED)
#define COUNTS_ALLOCATIONS 1
static atomic_ulong allocations;
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(p, n);
}
#endif

static terrain_case *load(const char *dir, const char *name)
{
    size_t len;
    stn_err err = {0};
    char *text = (char *)vec_read(dir, name, &len);
    assert_non_null(text);
    terrain_case *c = terrain_case_new(text, len, &err);
    if (!c)
        fail_msg("%s: %s", name, err.text);
    free(text);
    return c;
}

/* Build, exact arrays and product of a case; a hash over both. */
static uint64_t make(const terrain_case *c, stn_scratch *s, stn_blocks *blocks, const stn_kernels *k,
                     uint8_t *product, size_t cap)
{
    uint64_t h = STN_HASH_START;
    stn_build *b;
    stn_exact e;
    stn_pack *p;
    size_t len;
    stn_err err = {0};

    if (stn_build_run(s, blocks, k, &c->job, &b, &err) != STN_OK || stn_build_exact(b, &e) != STN_OK ||
        stn_pack_new(b, &p, &len) != STN_OK || len > cap)
        fail_msg("%s: %s", c->name, err.text);
    for (unsigned i = 0; i < e.n; i++) {
        h = stn_hash_feed(h, e.meshes[i].data, (size_t)e.meshes[i].nv * e.meshes[i].stride * sizeof(float));
        h = stn_hash_feed(h, e.meshes[i].index, e.meshes[i].ni * sizeof(uint16_t));
    }
    stn_pack_write(p, product);
    return stn_hash_feed(h, product, len);
}

static void a_build_allocates_nothing_but_missing_blocks(void **state)
{
    (void)state;
#ifdef COUNTS_ALLOCATIONS
    static uint8_t product[1 << 20];
    static const char *const names[] = {"t-same-v1.in", "t-mixed4-islands-v2.in", "t-mixed4-random-v3.in"};
    stn_scratch *s = stn_scratch_new(0);
    stn_blocks *blocks = stn_blocks_new(STN_BLOCKS_DEFAULT, NULL);

    for (size_t i = 0; i < 3; i++) {
        terrain_case *c = load(BENCH, names[i]);
        /* The arena grows until it has seen the job. */
        for (int k = 0; k < 4; k++)
            make(c, s, blocks, NULL, product, sizeof product);
        unsigned long before = atomic_load(&allocations);
        make(c, s, blocks, NULL, product, sizeof product);
        assert_int_equal(atomic_load(&allocations) - before, 0);
        for (size_t k = 0; k < c->nsets; k++)
            stn_blocks_forget(blocks, c->sets[k].set, true, (stn_coord){0, 0});
        before = atomic_load(&allocations);
        make(c, s, blocks, NULL, product, sizeof product);
        /* A block, and what the cache notes of a tileset. */
        assert_true(atomic_load(&allocations) - before <= c->nsets * (9 + 2));
        print_message("%s: most memory of one job so far %zu bytes\n", c->name, stn_scratch_peak(s));
        terrain_case_free(c);
    }
    stn_blocks_free(blocks);
    stn_scratch_free(s);
#else
    skip();
#endif
}

/* ---- threads */

typedef struct crew {
    terrain_case *cases[64];
    uint64_t want[64];
    size_t n;
    stn_blocks *blocks;
    atomic_uint wrong;
} crew;

static void *work(void *arg)
{
    crew *w = arg;
    stn_scratch *s = stn_scratch_new(0);
    uint8_t *product = malloc(1 << 20);

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < w->n; i++)
            if (make(w->cases[i], s, w->blocks, NULL, product, 1 << 20) != w->want[i])
                atomic_fetch_add(&w->wrong, 1);
    free(product);
    stn_scratch_free(s);
    return NULL;
}

static void threads_with_one_small_cache_give_the_same_bits(void **state)
{
    (void)state;
    static uint8_t product[1 << 20];
    crew w = {.blocks = stn_blocks_new(20, NULL)}; /* far too small: blocks go while others use them */
    stn_scratch *s = stn_scratch_new(0);
    pthread_t ids[4];
    char **names = vec_list(CASES, ".in");

    for (; names[w.n] && w.n < 64; w.n++) {
        stn_blocks *fresh = stn_blocks_new(STN_BLOCKS_DEFAULT, NULL);
        w.cases[w.n] = load(CASES, names[w.n]);
        w.want[w.n] = make(w.cases[w.n], s, fresh, NULL, product, sizeof product);
        stn_blocks_free(fresh);
    }
    assert_true(w.n > 10);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, work, &w), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    assert_int_equal(atomic_load(&w.wrong), 0);
    stn_blocks_stats stats;
    stn_blocks_read_stats(w.blocks, &stats);
    assert_true(stats.dropped > 0);
    for (size_t i = 0; i < w.n; i++)
        terrain_case_free(w.cases[i]);
    vec_list_free(names);
    stn_scratch_free(s);
    stn_blocks_free(w.blocks);
}

/* ---- forms */

static bool same_bits(const void *a, const void *b, size_t floats)
{
    const float *x = a, *y = b;
    for (size_t i = 0; i < floats; i++)
        if (stn_bits_of_f32(x[i]) != stn_bits_of_f32(y[i]) && !(x[i] != x[i] && y[i] != y[i]))
            return false;
    return true;
}

static void forms_agree_on_odd_heights(void **state)
{
    (void)state;
    static const char *const forms[] = {"sse2", "avx2", "avx512"};
    static const float odd[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e38f, -1e38f, 1e-42f, 11.0f};
    const stn_kernels *plain = stn_kernels_named("plain");
    float z[STN_GROUND_VERTICES];
    uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS];
    static stn_vec3 want[STN_GROUND_VERTICES], got[STN_GROUND_VERTICES], tan[2][STN_GROUND_VERTICES],
        bit[2][STN_GROUND_VERTICES];
    stn_j48 r = stn_j48_of(7);

    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < STN_GROUND_VERTICES; i++)
            z[i] = round % 4 == 0 && stn_j48_below(&r, 40) == 0 ? odd[stn_j48_below(&r, 9)]
                   : round % 4 == 1                             ? (float)stn_j48_below(&r, 3)
                                                                : stn_j48_float(&r) * 40.0f;
        stn_ground_splits(z, split);
        memset(want, 0, sizeof want);
        plain->normals(z, split, want);
        plain->tangents(want, STN_GROUND_VERTICES, tan[0], bit[0]);
        for (size_t f = 0; f < 3; f++) {
            const stn_kernels *k = stn_kernels_named(forms[f]);
            if (!k)
                continue;
            memset(got, 0, sizeof got);
            k->normals(z, split, got);
            assert_true(same_bits(want, got, 3 * STN_GROUND_VERTICES));
            k->tangents(want, STN_GROUND_VERTICES, tan[1], bit[1]);
            assert_true(same_bits(tan[0], tan[1], 3 * STN_GROUND_VERTICES));
            assert_true(same_bits(bit[0], bit[1], 3 * STN_GROUND_VERTICES));
        }
    }
}

static void forms_agree_on_noise_anywhere(void **state)
{
    (void)state;
    static const char *const forms[] = {"sse2", "avx2", "avx512"};
    static const double cells[4] = {64, 32, 16, 8};
    const stn_kernels *plain = stn_kernels_named("plain");
    static double want[25 * 25 + 7], got[25 * 25 + 7];
    stn_j48 r = stn_j48_of(11);

    for (int round = 0; round < 400; round++) {
        stn_noise n = stn_noise_of(stn_j48_long(&r));
        int32_t far = round % 3 == 0 ? STN_GRID_FAR : 2000;
        double x = (double)stn_j48_below(&r, far) * (round % 2 ? 100 : -100),
               y = -(double)stn_j48_below(&r, far) * 100;
        double z = (double)(stn_j48_int(&r) % 10000), cell = cells[round % 4];
        unsigned w = 1 + (unsigned)stn_j48_below(&r, 25), h = 1 + (unsigned)stn_j48_below(&r, 25);
        plain->noise(&n, cell, x, y, z, w, h, want);
        for (size_t f = 0; f < 3; f++) {
            const stn_kernels *k = stn_kernels_named(forms[f]);
            if (!k)
                continue;
            k->noise(&n, cell, x, y, z, w, h, got);
            assert_memory_equal(want, got, (size_t)w * h * sizeof *want);
        }
    }
}

/* ---- seams */

typedef struct seam {
    unsigned passes;
    int column; /* of the shared vertices: 25 in the western cut, 0 in the eastern */
    float value[8][26];
} seam;

static void keep_seam(void *arg, unsigned layer, int pass, const float *table, size_t pitch)
{
    seam *s = arg;
    if (pass == (int)s->passes - 1 && layer < 8)
        for (int y = 0; y < 26; y++)
            s->value[layer][y] =
                table[(size_t)(s->column + (int)s->passes) + (size_t)(y + (int)s->passes) * pitch];
}

/* Two cuts beside each other blur regions of their own, and values at the edge of a region depend on the cut.
 * What of it reaches the vertices that the cuts share falls about sixfold with each pass. From 4 passes on it
 * is less than one step of the alpha that is drawn (1/255); with 1 to 3 passes a faint step is there, as in
 * the reference, whose bits we match. */
static void neighbouring_cuts_meet(void **state)
{
    (void)state;
    terrain_case *c = load(CASES, "p-hills-same-v3.in");
    stn_blocks *blocks = stn_blocks_new(STN_BLOCKS_DEFAULT, NULL);
    stn_arena *arena = stn_arena_new(1 << 20, 0);
    stn_coord ul = stn_job_ul(&c->job);
    const stn_tileset *set = c->sets[0].set;
    stn_err err = {0};

    assert_int_equal(set->def.nvars, 3);
    for (unsigned passes = 1; passes <= STN_BLEND_MAX; passes++) {
        float most = 0;
        for (int place = 0; place < 40; place++) {
            seam west = {.passes = passes, .column = 25}, east = {.passes = passes, .column = 0};
            const stn_blend_probe pw = {&west, keep_seam}, pe = {&east, keep_seam};
            stn_coord at = stn_coord_add(ul, 25 * (place % 8), 25 * (place / 8));
            stn_blend *bl;
            assert_int_equal(stn_blend_make(arena, stn_kernels_best(), blocks, set, at, passes, STN_BLEND_ALL,
                                            &pw, &bl, &err),
                             STN_OK);
            assert_int_equal(stn_blend_make(arena, stn_kernels_best(), blocks, set, stn_coord_add(at, 25, 0),
                                            passes, STN_BLEND_ALL, &pe, &bl, &err),
                             STN_OK);
            for (int l = 0; l < 4; l++)
                for (int y = 0; y < 26; y++)
                    most = fmaxf(most, fabsf(west.value[l][y] - east.value[l][y]));
            stn_arena_reset(arena);
        }
        print_message("%u passes: largest difference at the seam %g\n", passes, (double)most);
        assert_true(most < (passes < 4 ? 0.2f : 1.0f / 255.0f));
    }
    stn_arena_free(arena);
    stn_blocks_free(blocks);
    terrain_case_free(c);
}

/* ---- hostile jobs */

static stn_status run(const stn_job *job, stn_err *err)
{
    stn_scratch *s = stn_scratch_new(0);
    stn_blocks *blocks = stn_blocks_new(64, NULL);
    stn_build *b;
    stn_status st = stn_build_run(s, blocks, NULL, job, &b, err);
    stn_exact e;
    stn_pack *p;
    size_t len;

    if (st == STN_OK) {
        assert_int_equal(stn_build_exact(b, &e), STN_OK);
        assert_int_equal(stn_pack_new(b, &p, &len), STN_OK);
        uint8_t *out = malloc(len);
        stn_product product;
        stn_pack_write(p, out);
        assert_int_equal(stn_product_open(out, len, &product, err), STN_OK);
        stn_product_close(&product);
        free(out);
    }
    stn_blocks_free(blocks);
    stn_scratch_free(s);
    return st;
}

static void hostile_jobs_get_a_clear_answer(void **state)
{
    (void)state;
    terrain_case *c = load(CASES, "p-islands3.in");
    stn_err err = {0};
    stn_job job = c->job;

    job.tile_window = (stn_window){0, 0, 25, 25};
    assert_int_equal(run(&job, &err), STN_BAD_DATA);
    assert_non_null(strstr(err.text, "map loading"));
    job = c->job;
    job.height_window.w = 27;
    assert_int_equal(run(&job, &err), STN_BAD_DATA);
    job = c->job;
    job.blend = 13;
    assert_int_equal(run(&job, &err), STN_BAD_DATA);
    job = c->job;
    job.cut.x = 4;
    assert_int_equal(run(&job, &err), STN_BAD_DATA);
    job = c->job;
    job.grid.x = INT32_MAX;
    assert_int_equal(run(&job, &err), STN_BAD_DATA);
    job = c->job;
    job.nsets = 0;
    assert_int_equal(run(&job, &err), STN_NOT_FOUND);
    assert_non_null(strstr(err.text, "undefined tile"));
    terrain_case_free(c);
}

static void heights_that_are_no_numbers_do_no_harm(void **state)
{
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f};
    terrain_case *c = load(CASES, "p-islands3.in");
    stn_err err = {0};

    for (int k = 0; k < 4; k++) {
        for (int i = k; i < 28 * 28; i += 5)
            c->heights[i] = odd[(i + k) % 4];
        assert_int_equal(run(&c->job, &err), STN_OK);
    }
    terrain_case_free(c);
}

static void an_unknown_tiler_fails_its_cut(void **state)
{
    (void)state;
    terrain_case *c = load(CASES, "p-islands3.in");
    const stn_tileset_def def = {.name = "strange", .tiler = "no-such-tiler"};
    stn_tileset *set;
    stn_err err = {0};

    assert_int_equal(stn_tileset_new(&def, &set, &err), STN_OK);
    stn_tileset_unref((stn_tileset *)c->sets[0].set);
    c->sets[0].set = set;
    assert_int_equal(run(&c->job, &err), STN_BAD_DATA);
    assert_non_null(strstr(err.text, "bad tileset"));
    terrain_case_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_allocates_nothing_but_missing_blocks),
        cmocka_unit_test(threads_with_one_small_cache_give_the_same_bits),
        cmocka_unit_test(forms_agree_on_odd_heights),
        cmocka_unit_test(forms_agree_on_noise_anywhere),
        cmocka_unit_test(neighbouring_cuts_meet),
        cmocka_unit_test(hostile_jobs_get_a_clear_answer),
        cmocka_unit_test(heights_that_are_no_numbers_do_no_harm),
        cmocka_unit_test(an_unknown_tiler_fails_its_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
