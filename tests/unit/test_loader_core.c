/* test_loader_core.c - the loader's pure parts: names, URLs, HTTP rules, order of asks, random asking, the
 * budget. */
#include "base/clock.h"
#include "base/hash.h"
#include "loader/ask.h"
#include "loader/http_rules.h"
#include "loader/queue.h"
#include "loader/resname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

/* ---- names ---- */

static void names_outside_the_rules_are_refused(void **state)
{
    static const char *const bad[] = {
        "",    "/a",  "a/",  "a//b", ".",    "..",   "a/../b",    "a b",          "a\tb",  "a\x7f",
        "a:b", "a?b", "a#b", "a%41", "a\\b", "a[b]", "a\xc2\x80", "\xe2\x80\xa8", "a\xff", "\xed\xa0\x80"};
    static const char *const good[] = {
        "a",   "gfx/terobjs/barrel",         "a.b",          "..a",
        "a..", "a+b&c=d;e,f@g!h$i'j(k)*l~m", "gfx/\xc3\xa5", "\xf0\x9f\x98\x80"};
    char longest[STN_RESNAME_MAX + 2];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(stn_resname_check(bad[i], strlen(bad[i]), NULL), STN_USAGE);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(stn_resname_check(good[i], strlen(good[i]), NULL), STN_OK);
    assert_int_equal(stn_resname_check("a\0b", 3, NULL), STN_USAGE);
    for (size_t i = 0; i < sizeof longest; i++)
        longest[i] = i % 100 == 99 ? '/' : 'x';
    assert_int_equal(stn_resname_check(longest, STN_RESNAME_MAX, NULL), STN_OK);
    assert_int_equal(stn_resname_check(longest, STN_RESNAME_MAX + 1, NULL), STN_USAGE);
    memset(longest, 'x', sizeof longest);
    assert_int_equal(stn_resname_check(longest, STN_RESNAME_SEGMENT_MAX, NULL), STN_OK);
    assert_int_equal(stn_resname_check(longest, STN_RESNAME_SEGMENT_MAX + 1, NULL), STN_USAGE);
}

static void a_url_keeps_its_host_whatever_the_name(void **state)
{
    stn_url_base b;
    stn_buf url = {0};
    (void)state;
    assert_int_equal(stn_url_base_init(&b, "http://u:p@Host.Example:81/a/b?q#f", NULL), STN_OK);
    assert_true(b.credentials);
    assert_string_equal(b.host, "host.example");
    stn_url_base_fini(&b);
    assert_int_equal(stn_url_base_init(&b, "https://[::1]:80", NULL), STN_OK);
    assert_string_equal(b.host, "::1");
    assert_string_equal(b.prefix, "https://[::1]:80/");
    assert_int_equal(stn_url_of(&b, "x", 7, true, &url, NULL), STN_OK);
    assert_string_equal((char *)url.data, "https://[::1]:80/x.res.v7");
    assert_int_equal(stn_url_of(&b, "//other/x", 7, true, &url, NULL), STN_USAGE);
    stn_buf_fini(&url);
    stn_url_base_fini(&b);
    assert_int_equal(stn_url_base_init(&b, "ftp://x/", NULL), STN_USAGE);
    assert_int_equal(stn_url_base_init(&b, "http:///x", NULL), STN_USAGE);
    assert_int_equal(stn_url_base_init(&b, "http://h/a b/", NULL), STN_USAGE);
}

/* ---- HTTP rules ---- */

static void redirects_never_leave_their_scheme_downwards(void **state)
{
    (void)state;
    assert_true(stn_http_redirect_ok("http://a/", "HTTP://b/", false));
    assert_false(stn_http_redirect_ok("http://a/", "https://b/", false));
    assert_true(stn_http_redirect_ok("http://a/", "https://b/", true));
    assert_false(stn_http_redirect_ok("https://a/", "http://b/", true));
    assert_false(stn_http_redirect_ok("http://a/", "file:///etc/passwd", true));
}

static void a_body_that_inflates_without_end_is_refused(void **state)
{
    size_t len = (size_t)80 << 20, cap = 1 << 20;
    uint8_t *zeros = calloc(1, len), *coded = malloc(cap);
    uLongf coded_len = cap;
    stn_buf out = {0};
    (void)state;
    assert_int_equal(compress2(coded, &coded_len, zeros, len, 9), Z_OK);
    assert_int_equal(stn_http_decode(STN_CODING_DEFLATE, coded, coded_len, &out, NULL), STN_TOO_BIG);
    assert_true(out.len <= ((size_t)20 << 20)); /* by the ratio, long before the size */
    stn_buf_clear(&out);
    assert_int_equal(stn_http_decode(STN_CODING_DEFLATE, coded, coded_len - 20, &out, NULL), STN_TOO_BIG);
    stn_buf_clear(&out);
    coded_len = cap;
    assert_int_equal(compress2(coded, &coded_len, (const Bytef *)"hello hello hello", 17, 9), Z_OK);
    assert_int_equal(stn_http_decode(STN_CODING_DEFLATE, coded, coded_len, &out, NULL), STN_OK);
    assert_int_equal(out.len, 17);
    for (uLongf cut = 1; cut < coded_len; cut++) {
        stn_buf_clear(&out);
        assert_int_equal(stn_http_decode(STN_CODING_DEFLATE, coded, coded_len - cut, &out, NULL),
                         STN_TRUNCATED);
    }
    stn_buf_clear(&out);
    assert_int_equal(stn_http_decode(STN_CODING_GZIP, coded, coded_len, &out, NULL), STN_BAD_DATA);
    stn_buf_fini(&out);
    free(zeros);
    free(coded);
}

static void pauses_follow_the_schedule_and_end(void **state)
{
    int64_t sum = 0;
    unsigned n = 0;
    (void)state;
    while (stn_http_pause_ns(n + 1) >= 0)
        sum += stn_http_pause_ns(++n);
    assert_int_equal(n, 6);
    assert_int_equal(sum, 8610 * STN_MS);
}

static void content_ranges_are_read_or_refused(void **state)
{
    uint64_t first = 0;
    (void)state;
    assert_true(stn_http_content_range("bytes 100-199/200", 17, &first));
    assert_int_equal(first, 100);
    assert_false(stn_http_content_range("bytes */200", 11, &first));
    assert_false(stn_http_content_range("bytes 99999999999999999999999-1/2", 33, &first));
    assert_false(stn_http_content_range("bytes", 5, &first));
}

/* ---- order ---- */

static void the_queue_gives_by_priority_and_then_by_age(void **state)
{
    enum { N = 500 };
    stn_queue q = {0};
    static stn_queued e[N];
    (void)state;
    for (size_t i = 0; i < N; i++) {
        e[i] = (stn_queued){.prio = (int)(stn_random_u64() % 7)};
        assert_true(stn_queue_push(&q, &e[i]));
    }
    for (size_t i = 0; i < N; i += 3)
        stn_queue_raise(&q, &e[i], (int)(stn_random_u64() % 9));
    for (size_t i = 1; i < N; i += 50)
        stn_queue_remove(&q, &e[i]);
    stn_queued *last = stn_queue_pop(&q), *next;
    size_t n = 1;
    while ((next = stn_queue_pop(&q))) {
        assert_true(last->prio > next->prio || (last->prio == next->prio && last->seq < next->seq));
        last = next;
        n++;
    }
    assert_int_equal(n, N - N / 50);
    stn_queue_fini(&q);
}

/* ---- asking at random ---- */

typedef struct held {
    stn_fetch f;
    char name[8];
    bool open;
} held;

typedef struct bench {
    stn_asks *asks;
    held fetches[4096];
    size_t count, open;
    unsigned next_source[4096]; /* by fetch: the source that must be asked next */
    uint64_t ids[4096];
    size_t walks;
    int newest[4]; /* version cached under a name in the step before, -1 = none */
    unsigned long drops, ends;
} bench;

static bench *b;

static void on_fetch(void *ctx, const stn_fetch *f)
{
    (void)ctx;
    assert_true(b->count < sizeof b->fetches / sizeof *b->fetches);
    held *h = &b->fetches[b->count++];
    h->f = *f;
    snprintf(h->name, sizeof h->name, "%s", f->name);
    h->open = true;
    b->open++;
    /* Each walk asks its pool's sources in their order. */
    unsigned pool = stn_asks_source_pool(b->asks, f->source), first = 0;
    while (stn_asks_source_pool(b->asks, first) != pool)
        first++;
    size_t w = 0;
    while (w < b->walks && b->ids[w] != f->id)
        w++;
    if (w == b->walks) {
        b->ids[b->walks] = f->id;
        b->next_source[b->walks++] = first;
    }
    assert_int_equal(b->next_source[w], f->source);
    b->next_source[w]++;
}

static void on_ended(void *ctx, stn_asking *a)
{
    (void)ctx;
    assert_true(stn_asking_final(a));
    b->ends++;
}

static void on_drop(void *ctx, void *payload)
{
    (void)ctx;
    b->drops++;
    free(payload);
}

static void answer_one(size_t i)
{
    held *h = &b->fetches[i];
    int kind = (int)(stn_random_u64() % 4);
    stn_fetched got = {.miss = STN_MISS_NOT_FOUND};
    h->open = false;
    b->open--;
    if (kind == 0) {
        got.miss = STN_MISS_IO;
        got.text = "broken";
    } else if (kind < 3) {
        got.miss = STN_MISS_NONE;
        got.version = h->f.want >= 0 ? h->f.want : (int)(stn_random_u64() % 8);
        got.payload = malloc(16);
        got.bytes = 1000;
    }
    stn_asks_answer(b->asks, h->f.id, &got);
}

/* Nothing is dropped here, so what a pool without a parent holds under a name can only become newer. */
static void check_newest(unsigned pool)
{
    for (int n = 0; n < 4; n++) {
        const char name[2] = {(char)('a' + n), 0};
        const stn_object *o = stn_asks_peek(b->asks, pool, name);
        assert_true(o ? stn_object_version(o) >= b->newest[n] : b->newest[n] < 0);
        b->newest[n] = o ? stn_object_version(o) : -1;
    }
}

static void random_asks_all_end_in_order_and_keep_what_is_newest(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        b = calloc(1, sizeof *b);
        const stn_asks_hooks hooks = {.fetch = on_fetch, .ended = on_ended, .drop = on_drop};
        b->asks = stn_asks_new(&hooks, (size_t)1 << 40);
        int local = stn_asks_add_pool(b->asks, "local", -1, 1 + round % 3);
        int remote = stn_asks_add_pool(b->asks, "remote", local, 1 + round % 5);
        stn_asks_add_source(b->asks, (unsigned)local, "pack");
        stn_asks_add_source(b->asks, (unsigned)local, "dir");
        stn_asks_add_source(b->asks, (unsigned)remote, "disk");
        stn_asks_add_source(b->asks, (unsigned)remote, "http");
        for (size_t i = 0; i < 4; i++)
            b->newest[i] = -1;
        static stn_asking *mine[400];
        size_t kept = 0;
        for (unsigned step = 0; step < 400; step++) {
            char name[2] = {(char)('a' + stn_random_u64() % 4), 0};
            stn_asked a;
            assert_int_equal(stn_asks_ask(b->asks, (unsigned)(stn_random_u64() % 4 ? remote : local), name,
                                          (int)(stn_random_u64() % 9) - 1, (int)(stn_random_u64() % 20) - 10,
                                          &a, NULL),
                             STN_OK);
            if (a.kind == STN_ASKED_ASK) {
                stn_asking_ref(a.ask);
                mine[kept++] = a.ask;
            }
            stn_asks_run(b->asks);
            for (size_t i = 0; i < b->count; i++)
                if (b->fetches[i].open && stn_random_u64() % 3 == 0)
                    answer_one(i);
            stn_asks_run(b->asks);
            check_newest((unsigned)local);
        }
        while (b->open) {
            for (size_t i = 0; i < b->count; i++)
                if (b->fetches[i].open)
                    answer_one(i);
            stn_asks_run(b->asks);
        }
        assert_int_equal(stn_asks_open(b->asks), 0);
        assert_int_equal(stn_asks_count(b->asks, (unsigned)remote).queued, 0);
        for (size_t i = 0; i < kept; i++) {
            assert_true(stn_asking_final(mine[i]));
            stn_asking_unref(b->asks, mine[i]);
        }
        stn_asks_free(b->asks);
        free(b);
    }
}

static void a_long_chain_of_newer_asks_ends_without_recursion(void **state)
{
    enum { N = 60000 };
    (void)state;
    b = calloc(1, sizeof *b);
    const stn_asks_hooks hooks = {.fetch = on_fetch, .ended = on_ended, .drop = on_drop};
    b->asks = stn_asks_new(&hooks, (size_t)1 << 40);
    int pool = stn_asks_add_pool(b->asks, "remote", -1, 1);
    stn_asks_add_source(b->asks, (unsigned)pool, "http");
    stn_asked a;
    assert_int_equal(stn_asks_ask(b->asks, (unsigned)pool, "block", -1, 0, &a, NULL), STN_OK);
    stn_asks_run(b->asks); /* the only slot is taken */
    for (int v = 0; v < N; v++)
        assert_int_equal(stn_asks_ask(b->asks, (unsigned)pool, "x", v, 0, &a, NULL), STN_OK);
    stn_asks_answer(b->asks, b->fetches[0].f.id, &(stn_fetched){.miss = STN_MISS_NOT_FOUND});
    stn_asks_run(b->asks);
    assert_int_equal(b->count, 2);
    stn_asks_answer(b->asks, b->fetches[1].f.id,
                    &(stn_fetched){.version = N - 1, .payload = malloc(1), .bytes = 1});
    stn_asks_run(b->asks);
    assert_int_equal(b->ends, N + 1);
    stn_asks_free(b->asks);
    free(b);
}

static void asks_that_never_end_are_freed_with_the_engine(void **state)
{
    (void)state;
    b = calloc(1, sizeof *b);
    const stn_asks_hooks hooks = {.fetch = on_fetch, .ended = on_ended, .drop = on_drop};
    b->asks = stn_asks_new(&hooks, (size_t)1 << 40);
    int local = stn_asks_add_pool(b->asks, "local", -1, 1);
    int remote = stn_asks_add_pool(b->asks, "remote", local, 1);
    stn_asks_add_source(b->asks, (unsigned)local, "pack");
    stn_asks_add_source(b->asks, (unsigned)remote, "http");
    stn_asked a;
    for (int v = -1; v < 50; v++)
        stn_asks_ask(b->asks, (unsigned)remote, v % 2 ? "a" : "b", v, 0, &a, NULL);
    stn_asks_run(b->asks);
    stn_asks_free(b->asks); /* the leak checker judges */
    free(b);
}

static void objects_over_the_budget_go_oldest_first_but_never_held_ones(void **state)
{
    (void)state;
    b = calloc(1, sizeof *b);
    const stn_asks_hooks hooks = {.fetch = on_fetch, .ended = on_ended, .drop = on_drop};
    b->asks = stn_asks_new(&hooks, 5000);
    int pool = stn_asks_add_pool(b->asks, "remote", -1, 1);
    stn_asks_add_source(b->asks, (unsigned)pool, "http");
    stn_objects *objects = stn_asks_objects(b->asks);
    stn_object *held_one = NULL;
    for (size_t i = 0; i < 12; i++) {
        char name[8];
        stn_asked a;
        snprintf(name, sizeof name, "o%zu", i);
        stn_asks_ask(b->asks, (unsigned)pool, name, -1, 0, &a, NULL);
        stn_asks_run(b->asks);
        stn_asks_answer(b->asks, b->fetches[i].f.id,
                        &(stn_fetched){.version = 1, .payload = malloc(1), .bytes = 1000});
        stn_asks_run(b->asks);
        if (i == 0) {
            held_one = stn_asks_peek(b->asks, (unsigned)pool, "o0");
            stn_object_hold(objects, held_one);
        }
        if (i == 3)
            stn_asks_ask(b->asks, (unsigned)pool, "o1", -1, 0, &a, NULL); /* asked for again: young */
        assert_true(stn_objects_bytes(objects) <= 5000);
    }
    assert_ptr_equal(stn_asks_peek(b->asks, (unsigned)pool, "o0"), held_one);
    assert_null(stn_asks_peek(b->asks, (unsigned)pool, "o2"));
    assert_non_null(stn_asks_peek(b->asks, (unsigned)pool, "o11"));
    stn_object_release(objects, held_one);
    stn_asks_free(b->asks);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_outside_the_rules_are_refused),
        cmocka_unit_test(a_url_keeps_its_host_whatever_the_name),
        cmocka_unit_test(redirects_never_leave_their_scheme_downwards),
        cmocka_unit_test(a_body_that_inflates_without_end_is_refused),
        cmocka_unit_test(pauses_follow_the_schedule_and_end),
        cmocka_unit_test(content_ranges_are_read_or_refused),
        cmocka_unit_test(the_queue_gives_by_priority_and_then_by_age),
        cmocka_unit_test(random_asks_all_end_in_order_and_keep_what_is_newest),
        cmocka_unit_test(a_long_chain_of_newer_asks_ends_without_recursion),
        cmocka_unit_test(asks_that_never_end_are_freed_with_the_engine),
        cmocka_unit_test(objects_over_the_budget_go_oldest_first_but_never_held_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
