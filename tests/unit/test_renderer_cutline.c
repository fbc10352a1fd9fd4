/* In which order cuts leave the waiting line of the build thread, and what they wait for. */
#include "renderer/build/cutline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the visitor took, one letter a cut: its product, or "/" for the end of a change. */
typedef struct taker {
    char taken[32];
    uint64_t loading; /* ground of this product finds its materials missing */
    size_t most;
} taker;

static int freed;

static void count_free(void *arg)
{
    (void)arg;
    freed++;
}

static stn_cutline_answer take(void *ctx, stn_waiting_cut *c)
{
    taker *t = ctx;
    size_t n = strlen(t->taken);

    if (n == t->most)
        return STN_CUTLINE_STOP;
    if (c->kind == STN_CUT_GROUND && c->product == t->loading)
        return STN_CUTLINE_KEPT;
    t->taken[n] = c->kind == STN_CUT_END_OF_CHANGE ? '/' : (char)c->product;
    stn_waiting_cut_free(c);
    return STN_CUTLINE_TAKEN;
}

static void add(stn_cutline *l, stn_cut_kind kind, int32_t x, char product, uint64_t swap)
{
    stn_waiting_cut *c = stn_waiting_cut_new(kind, 0);

    assert_non_null(c);
    c->x = x;
    c->product = (uint64_t)product;
    c->swap = swap;
    c->release = count_free;
    stn_cutline_add(l, c);
}

static void expect(stn_cutline *l, int64_t now_ns, taker *t, const char *taken)
{
    memset(t->taken, 0, sizeof t->taken);
    t->most = t->most ? t->most : sizeof t->taken - 1;
    stn_cutline_visit(l, now_ns, take, t);
    assert_string_equal(t->taken, taken);
}

static void they_leave_in_the_order_of_arrival(void **state)
{
    stn_cutline *l = stn_cutline_new();
    taker t = {.most = 2};

    (void)state;
    add(l, STN_CUT_GROUND, 0, 'a', 0);
    add(l, STN_CUT_DECORATION, 0, 'b', 0);
    add(l, STN_CUT_GROUND, 1, 'c', 0);
    expect(l, 0, &t, "ab"); /* the visitor has enough */
    assert_int_equal(stn_cutline_count(l), 1);
    expect(l, 0, &t, "c");
    add(l, STN_CUT_GROUND, 2, 'd', 0); /* behind the end that moved */
    expect(l, 0, &t, "d");
    assert_int_equal(stn_cutline_count(l), 0);
    stn_cutline_free(l);
}

static void an_end_waits_for_its_ground_and_decorations_for_the_end(void **state)
{
    stn_cutline *l = stn_cutline_new();
    taker t = {.loading = 'b'};

    (void)state;
    add(l, STN_CUT_GROUND, 0, 'a', 7);
    add(l, STN_CUT_GROUND, 1, 'b', 7);
    add(l, STN_CUT_DECORATION, 0, 'd', 7);
    add(l, STN_CUT_END_OF_CHANGE, 0, 0, 7);
    add(l, STN_CUT_GROUND, 2, 'e', 8); /* of a newer change, which does not hold the older one up */
    expect(l, 0, &t, "ae");
    expect(l, 1, &t, "");
    t.loading = 0;
    expect(l, 2, &t, "b/");
    expect(l, 3, &t, "d"); /* it stood before the end */
    stn_cutline_free(l);
}

static void nothing_waits_for_ever(void **state)
{
    stn_cutline *l = stn_cutline_new();
    taker t = {.loading = 'a'};

    (void)state;
    add(l, STN_CUT_GROUND, 0, 'a', 3);
    add(l, STN_CUT_END_OF_CHANGE, 0, 0, 3);
    add(l, STN_CUT_DECORATION, 5, 'd', 4); /* the end of its change is lost */
    expect(l, STN_CUTLINE_PATIENCE_NS - 1, &t, "");
    expect(l, STN_CUTLINE_PATIENCE_NS, &t, "/d");
    assert_int_equal(stn_cutline_count(l), 1); /* ground without materials waits on */
    stn_cutline_free(l);
}

static void a_newer_cut_of_a_place_takes_the_olders_turn_away(void **state)
{
    stn_cutline *l = stn_cutline_new();
    taker t = {0};

    (void)state;
    freed = 0;
    add(l, STN_CUT_GROUND, 0, 'a', 0);
    add(l, STN_CUT_DECORATION, 0, 'b', 0);
    add(l, STN_CUT_GROUND, 0, 'c', 0);
    assert_int_equal(freed, 1);
    stn_cutline_forget(l, 0, 0, STN_CUT_DECORATION);
    assert_int_equal(freed, 2);
    expect(l, 0, &t, "c");
    add(l, STN_CUT_GROUND, 9, 'x', 0);
    add(l, STN_CUT_END_OF_CHANGE, 0, 0, 1);
    stn_cutline_clear(l);
    assert_int_equal(stn_cutline_count(l), 0);
    assert_int_equal(freed, 5);
    stn_cutline_free(l);
}

static void another_frame_has_changes_of_its_own(void **state)
{
    stn_cutline *l = stn_cutline_new();
    taker t = {0};

    (void)state;
    add(l, STN_CUT_END_OF_CHANGE, 0, 0, 9);
    expect(l, 0, &t, "/");
    stn_cutline_clear(l);
    add(l, STN_CUT_DECORATION, 0, 'd', 2); /* 2 was shown before, but not here */
    expect(l, 0, &t, "");
    stn_cutline_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_leave_in_the_order_of_arrival),
        cmocka_unit_test(an_end_waits_for_its_ground_and_decorations_for_the_end),
        cmocka_unit_test(nothing_waits_for_ever),
        cmocka_unit_test(a_newer_cut_of_a_place_takes_the_olders_turn_away),
        cmocka_unit_test(another_frame_has_changes_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
