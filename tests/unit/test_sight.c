/* What of the ground a viewer sees, and in which order it is wanted. */
#include "world/sight.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define CUT 275.0

/* In the middle of cut (0,0), to the east, 30 degrees to each side. */
static const stn_sight east = {CUT / 2, CUT / 2, 1, 0, 0.866025403784438647};

static void what_lies_ahead_is_seen(void **state)
{
    (void)state;
    assert_true(stn_sight_sees(&east, (stn_coord){5, 0}));
    assert_true(stn_sight_sees(&east, (stn_coord){5, 2}));
    assert_true(stn_sight_sees(&east, (stn_coord){5, -2}));
    assert_false(stn_sight_sees(&east, (stn_coord){5, 5}));
    assert_false(stn_sight_sees(&east, (stn_coord){0, 3}));
    assert_false(stn_sight_sees(&east, (stn_coord){-5, 0}));
    assert_true(stn_sight_sees(&east, (stn_coord){0, 0})); /* it stands there */
}

/* A cut of which any sampled point lies in the wedge is seen. */
static void no_cut_in_the_wedge_is_missed(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double u[4];
        for (int k = 0; k < 4; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            u[k] = (double)(seed >> 11) / 9007199254740992.0;
        }
        double azimuth = u[0] * 6.283185307, half = u[1] * 1.5, off = (u[2] * 2 - 1) * half,
               far = u[3] * 3000;
        stn_sight s = {100, -50, cos(azimuth), sin(azimuth), cos(half)};
        double x = s.x + far * cos(azimuth + off), y = s.y + far * sin(azimuth + off);
        stn_coord cut = {(int32_t)floor(x / CUT), (int32_t)floor(y / CUT)};
        assert_true(stn_sight_ok(&s));
        assert_true(stn_sight_sees(&s, cut));
    }
}

static void what_is_behind_counts_as_twice_as_far(void **state)
{
    const stn_sight around = {0};
    (void)state;
    assert_int_equal(stn_sight_distance(&east, (stn_coord){4, 0}, 4, 0), 16);
    assert_int_equal(stn_sight_distance(&east, (stn_coord){-4, 0}, -4, 0), 64);
    assert_int_equal(stn_sight_distance(&east, (stn_coord){-2, 2}, -2, 2), 8); /* near: it may turn */
    assert_int_equal(stn_sight_distance(&around, (stn_coord){-4, 0}, -4, 0), 16);
    /* The 25 nearest stay the 25 first, wherever it looks. */
    for (int dy = -10; dy <= 10; dy++)
        for (int dx = -10; dx <= 10; dx++) {
            bool near = abs(dx) <= STN_SIGHT_NEAR && abs(dy) <= STN_SIGHT_NEAR;
            int32_t d = stn_sight_distance(&east, (stn_coord){dx, dy}, dx, dy);
            assert_true(near ? d <= 8 : d >= 9);
        }
}

static void nonsense_is_told_apart(void **state)
{
    stn_sight s = east;
    (void)state;
    assert_true(stn_sight_ok(&s));
    assert_true(stn_sight_ok(&(stn_sight){0}));
    s.x = NAN;
    assert_false(stn_sight_ok(&s));
    s = east, s.look_x = 3;
    assert_false(stn_sight_ok(&s));
    s = east, s.look_x = INFINITY;
    assert_false(stn_sight_ok(&s));
    s = east, s.look_cos = -0.5;
    assert_false(stn_sight_ok(&s));
    s = east, s.look_cos = NAN;
    assert_false(stn_sight_ok(&s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_ahead_is_seen),
        cmocka_unit_test(no_cut_in_the_wedge_is_missed),
        cmocka_unit_test(what_is_behind_counts_as_twice_as_far),
        cmocka_unit_test(nonsense_is_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
