#include "base/clock.h"
#include "client/supervise.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define EXIT_WITH(n) ((n) << 8) /* as wait(2) packs it on Linux */

static void expect_start(stn_supervise *s, size_t piece, int64_t now)
{
    stn_step todo = stn_supervise_next(s, now);
    assert_int_equal(todo.kind, STN_STEP_START);
    assert_int_equal(todo.piece, piece);
    stn_supervise_started(s, piece, true, now);
}

static void expect_wait(stn_supervise *s, int64_t now, int64_t until)
{
    stn_step todo = stn_supervise_next(s, now);
    assert_int_equal(todo.kind, STN_STEP_WAIT);
    assert_int_equal(todo.at_ns, until);
}

static void first_death_restarts_at_once_then_waits_double(void **state)
{
    static const int64_t waits_ms[] = {0, 100, 200, 400, 5000, 5000};
    stn_supervise *s = stn_supervise_new(1, SIZE_MAX);
    int64_t now = 0;
    (void)state;
    for (size_t i = 0; i < sizeof waits_ms / sizeof *waits_ms; i++) {
        expect_start(s, 0, now);
        now += STN_S / 100;
        stn_supervise_exited(s, 0, SIGKILL, now);
        if (waits_ms[i] > 0)
            expect_wait(s, now, now + waits_ms[i] * STN_MS);
        now += waits_ms[i] * STN_MS;
    }
    stn_supervise_free(s);
}

static void five_deaths_in_thirty_seconds_are_a_crash_loop(void **state)
{
    stn_supervise *s = stn_supervise_new(2, SIZE_MAX);
    int64_t now = 0;
    (void)state;
    expect_start(s, 0, now);
    expect_start(s, 1, now);
    for (int i = 0; i < 5; i++) {
        assert_false(stn_supervise_view(s, 0).crash_loop);
        now += 2 * STN_S;
        stn_supervise_exited(s, 0, SIGSEGV, now);
        now += 5 * STN_S;
        expect_start(s, 0, now);
        if (i == 3)
            now -= 4 * STN_S; /* keep five inside the window */
    }
    assert_true(stn_supervise_view(s, 0).crash_loop);
    assert_false(stn_supervise_view(s, 1).crash_loop);
    /* A long life clears the record: the next death restarts at once. */
    now += 31 * STN_S;
    expect_wait(s, now, INT64_MAX);
    assert_false(stn_supervise_view(s, 0).crash_loop);
    stn_supervise_exited(s, 0, SIGSEGV, now);
    expect_start(s, 0, now);
    stn_supervise_free(s);
}

static void slow_deaths_are_no_crash_loop(void **state)
{
    stn_supervise *s = stn_supervise_new(1, SIZE_MAX);
    int64_t now = 0;
    (void)state;
    for (int i = 0; i < 12; i++) {
        expect_start(s, 0, now);
        now += 9 * STN_S;
        stn_supervise_exited(s, 0, SIGSEGV, now);
        assert_false(stn_supervise_view(s, 0).crash_loop);
        now += 5 * STN_S;
    }
    stn_supervise_free(s);
}

static void renderer_ending_by_wish_ends_all(void **state)
{
    stn_supervise *s = stn_supervise_new(3, 2);
    stn_step todo;
    (void)state;
    for (size_t i = 0; i < 3; i++)
        expect_start(s, i, 0);
    stn_supervise_exited(s, 2, EXIT_WITH(1), STN_S); /* a failure restarts it */
    expect_start(s, 2, STN_S);
    stn_supervise_exited(s, 2, EXIT_WITH(0), 2 * STN_S);
    for (size_t i = 0; i < 2; i++) {
        todo = stn_supervise_next(s, 2 * STN_S);
        assert_int_equal(todo.kind, STN_STEP_SIGNAL);
        assert_int_equal(todo.signal, SIGTERM);
        assert_int_equal(todo.piece, i);
    }
    expect_wait(s, 2 * STN_S, 3500 * STN_MS);
    stn_supervise_exited(s, 0, SIGTERM, 2500 * STN_MS);
    todo = stn_supervise_next(s, 3500 * STN_MS); /* the other one did not listen */
    assert_int_equal(todo.kind, STN_STEP_SIGNAL);
    assert_int_equal(todo.signal, SIGKILL);
    assert_int_equal(todo.piece, 1);
    expect_wait(s, 3500 * STN_MS, INT64_MAX);
    stn_supervise_exited(s, 1, SIGKILL, 3501 * STN_MS);
    todo = stn_supervise_next(s, 3501 * STN_MS);
    assert_int_equal(todo.kind, STN_STEP_DONE);
    assert_int_equal(todo.exit_status, 0);
    stn_supervise_free(s);
}

static void failed_start_counts_as_a_death(void **state)
{
    stn_supervise *s = stn_supervise_new(1, SIZE_MAX);
    (void)state;
    assert_int_equal(stn_supervise_next(s, 0).kind, STN_STEP_START);
    stn_supervise_started(s, 0, false, 0);
    assert_int_equal(stn_supervise_view(s, 0).deaths, 1);
    assert_int_equal(stn_supervise_next(s, 0).kind, STN_STEP_START);
    stn_supervise_started(s, 0, false, 0);
    expect_wait(s, 0, 100 * STN_MS);
    stn_supervise_stop(s, 3, 0);
    assert_int_equal(stn_supervise_next(s, 0).kind, STN_STEP_DONE);
    assert_int_equal(stn_supervise_next(s, 0).exit_status, 3);
    stn_supervise_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_death_restarts_at_once_then_waits_double),
        cmocka_unit_test(five_deaths_in_thirty_seconds_are_a_crash_loop),
        cmocka_unit_test(slow_deaths_are_no_crash_loop),
        cmocka_unit_test(renderer_ending_by_wish_ends_all),
        cmocka_unit_test(failed_start_counts_as_a_death),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
