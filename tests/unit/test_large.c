/* test_large.c - large blocks: theirs alone, whole, and given back. */
#include "base/large.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 300, TURNS = 4000 };

typedef struct worker {
    uint32_t number, seed;
    uint8_t *blocks[BLOCKS];
    size_t lens[BLOCKS];
    bool good;
} worker;

static uint32_t chance(worker *w, uint32_t below)
{
    w->seed = w->seed * 1664525u + 1013904223u;
    return (w->seed >> 8) % below;
}

static uint8_t mark(const worker *w, size_t i)
{
    return (uint8_t)(w->number * 85 + i * 31 + w->lens[i]);
}

/* First, last and a few bytes between: whatever a neighbour's write could reach. */
static bool is_whole(const worker *w, size_t i)
{
    for (size_t at = 0; at < w->lens[i]; at += 1021)
        if (w->blocks[i][at] != mark(w, i))
            return false;
    return !w->lens[i] || w->blocks[i][w->lens[i] - 1] == mark(w, i);
}

static size_t any_len(worker *w)
{
    switch (chance(w, 20)) {
    case 0:
        return 0;
    case 1:
        return (4u << 20) + chance(w, 3u << 20); /* a region of its own */
    case 2:
        return chance(w, 4096);
    default:
        return chance(w, 200000);
    }
}

static void *churn(void *arg)
{
    worker *w = arg;
    w->good = true;
    for (unsigned turn = 0; turn < TURNS && w->good; turn++) {
        size_t i = chance(w, BLOCKS);
        if (w->blocks[i]) {
            w->good = is_whole(w, i);
            stn_large_free(w->blocks[i]);
            w->blocks[i] = NULL;
            continue;
        }
        w->lens[i] = any_len(w);
        w->blocks[i] = stn_large_alloc(w->lens[i]);
        w->good = w->blocks[i] && (uintptr_t)w->blocks[i] % 64 == 0;
        if (w->good && w->lens[i])
            memset(w->blocks[i], mark(w, i), w->lens[i]);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        w->good = w->good && (!w->blocks[i] || is_whole(w, i));
        stn_large_free(w->blocks[i]);
    }
    return NULL;
}

static void blocks_of_several_threads_are_each_ones_own(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].number = workers[i].seed = i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, churn, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(workers[i].good);
    }
}

static size_t resident_kb(void)
{
    char line[128];
    size_t kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) && sscanf(line, "VmRSS: %zu kB", &kb) != 1)
        ;
    fclose(f);
    return kb;
}

static void what_is_given_back_goes_to_the_system(void **state)
{
    (void)state;
    enum { N = 640, LEN = 100000 };
    static uint8_t *blocks[N];
    size_t before = resident_kb();
    for (size_t i = 0; i < N; i++) {
        blocks[i] = stn_large_alloc(LEN);
        assert_non_null(blocks[i]);
        memset(blocks[i], 1, LEN);
    }
    size_t full = resident_kb();
    for (size_t i = 0; i < N; i++) /* one in each region stays */
        if (i % 100) {
            stn_large_free(blocks[i]);
            blocks[i] = NULL;
        }
    size_t thin = resident_kb();
    for (size_t i = 0; i < N; i++)
        stn_large_free(blocks[i]);
    size_t after = resident_kb();
#ifdef STN_SANITIZED
    (void)before, (void)full, (void)thin, (void)after; /* a sanitizer keeps what is freed for a while */
#else
    assert_true(full > before + 55000);
    assert_true(thin < before + 20000); /* the pages that the freed ones share with those that stay */
    assert_true(after < before + 8000);
#endif
}

static void sizes_beyond_memory_are_refused(void **state)
{
    (void)state;
    assert_null(stn_large_alloc(SIZE_MAX));
    assert_null(stn_large_alloc(SIZE_MAX / 4 + 1));
    stn_large_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_several_threads_are_each_ones_own),
        cmocka_unit_test(what_is_given_back_goes_to_the_system),
        cmocka_unit_test(sizes_beyond_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
