/* Where the thing that is being placed stands: docs/spec/rendering.md 18. */
#include "renderer/input/bindings.h"
#include "renderer/input/ghost.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <math.h>

static stn_ghost begun(void)
{
    stn_ghost g;

    stn_ghost_begin(&g, 7);
    return g;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void it_stands_where_the_grid_has_it(void **state)
{
    static const struct {
        double p;
        unsigned modifiers;
        double steps, want;
    } cases[] = {
        {0.0, 0, 8, 5.5},
        {10.99, 0, 8, 5.5},
        {11.0, 0, 8, 16.5},
        {-0.01, 0, 8, -5.5}, /* floor, not towards zero */
        {-11.0, 0, 0, -5.5},
        {1000003.0, STN_MOD_CTRL, 8, 1000004.5},
        {0.68, STN_MOD_SHIFT, 8, 0.0}, /* 0.4945 steps */
        {0.6875, STN_MOD_SHIFT, 8, 1.375}, /* half a step goes up … */
        {-0.6875, STN_MOD_SHIFT, 8, 0.0}, /* … below zero too */
        {-0.69, STN_MOD_SHIFT, 8, -1.375},
        {16.4, STN_MOD_SHIFT, 2, 16.5},
        {16.4, STN_MOD_SHIFT, 1, 11.0},
        {16.4, STN_MOD_SHIFT | STN_MOD_CTRL, 0, 16.4}, /* anywhere */
    };
    const double other = 33.0 * 11.0 + 0.2;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stn_ghost g = begun();
        stn_ghost_input in = {.modifiers = cases[i].modifiers, .steps = cases[i].steps};

        stn_ghost_point(&g, cases[i].p, other);
        assert_true(stn_ghost_settle(&g, &in));
        assert_true(near(g.x, cases[i].want));
        stn_ghost_point(&g, other, cases[i].p);
        assert_true(stn_ghost_settle(&g, &in));
        assert_true(near(g.y, cases[i].want));
    }
}

static void it_looks_at_the_player_by_quarters_until_it_is_turned(void **state)
{
    static const struct {
        double x, y, angle; /* of the player from it */
    } cases[] = {{10, 0, 0},           {10, 9, 0},         {9, 10, M_PI / 2},
                 {-9, 10, M_PI / 2},   {-10, 9, M_PI},     {-10, -9, -M_PI},
                 {-9, -10, -M_PI / 2}, {10, 10, M_PI / 2}, /* halves go up */
                 {10, -10, 0}};
    stn_ghost g = begun();
    stn_ghost_input in = {.steps = 8};

    (void)state;
    stn_ghost_point(&g, 3.0, 3.0);
    assert_true(stn_ghost_settle(&g, &in));
    assert_true(g.angle == 0.0); /* nobody is there */
    in.has_player = true;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        in.player_x = 5.5 + cases[i].x;
        in.player_y = 5.5 + cases[i].y;
        assert_true(stn_ghost_settle(&g, &in));
        assert_true(near(g.angle, cases[i].angle));
    }
    in.player_x = NAN;
    assert_true(stn_ghost_settle(&g, &in));
    assert_true(near(g.angle, 0.0)); /* as it was */
    assert_true(stn_ghost_turn(&g, 1.0, STN_MOD_CTRL));
    in.player_x = -100.0;
    assert_true(stn_ghost_settle(&g, &in));
    assert_true(near(g.angle, M_PI / 4));
}

static void it_is_turned_by_eighths_and_by_small_steps(void **state)
{
    stn_ghost g = begun();

    (void)state;
    assert_false(stn_ghost_turn(&g, 1.0, 0));
    assert_false(g.turned);
    for (int i = 1; i <= 16; i++) {
        double a = i * M_PI / 4;

        assert_true(stn_ghost_turn(&g, 1.0, STN_MOD_CTRL));
        assert_true(g.angle >= -M_PI && g.angle <= M_PI);
        assert_true(fabs(remainder(g.angle - a, 2 * M_PI)) < 1e-9);
    }
    assert_true(stn_ghost_turn(&g, 1.0, STN_MOD_SHIFT));
    assert_true(near(g.angle, M_PI / 12));
    assert_true(stn_ghost_turn(&g, 2.0, STN_MOD_SHIFT));
    assert_true(near(g.angle, M_PI / 4));
    assert_true(stn_ghost_turn(&g, -1.0, STN_MOD_SHIFT));
    /* From between two eighths to one of them: 1/6 and 1/4 of a half turn are 5/12, which is nearer to 1/2.
     */
    assert_true(stn_ghost_turn(&g, 1.0, STN_MOD_CTRL | STN_MOD_SHIFT));
    assert_true(near(g.angle, M_PI / 2));
    for (int i = 0; i < 30; i++)
        assert_true(stn_ghost_turn(&g, -1.0, STN_MOD_SHIFT));
    assert_true(g.angle >= -M_PI && g.angle <= M_PI);
    assert_true(fabs(remainder(g.angle - (M_PI / 2 - 30 * M_PI / 12), 2 * M_PI)) < 1e-9);
    assert_false(stn_ghost_turn(&g, NAN, STN_MOD_CTRL));
}

static void a_wheel_that_turns_smoothly_counts_whole_steps(void **state)
{
    stn_ghost g = begun();

    (void)state;
    assert_false(stn_ghost_wheel(&g, 1.0, 0)); /* the camera's */
    assert_true(stn_ghost_wheel(&g, 0.4, STN_MOD_CTRL));
    assert_true(stn_ghost_wheel(&g, 0.4, STN_MOD_CTRL));
    assert_true(g.angle == 0.0 && !g.turned);
    assert_true(stn_ghost_wheel(&g, 0.4, STN_MOD_CTRL));
    assert_true(near(g.angle, M_PI / 4));
    assert_true(stn_ghost_wheel(&g, -1.2, STN_MOD_CTRL));
    assert_true(near(g.angle, 0.0));
    assert_true(stn_ghost_wheel(&g, 3.0, STN_MOD_SHIFT));
    assert_true(near(g.angle, M_PI / 4));
}

static void nothing_is_placed_before_it_begins_and_after_it_is_over(void **state)
{
    stn_ghost g = {0};
    stn_ghost_input in = {.steps = 8};

    (void)state;
    stn_ghost_point(&g, 1.0, 1.0);
    assert_false(stn_ghost_settle(&g, &in));
    assert_false(stn_ghost_turn(&g, 1.0, STN_MOD_CTRL));
    assert_false(stn_ghost_wheel(&g, 1.0, STN_MOD_CTRL));
    g = begun();
    assert_false(stn_ghost_settle(&g, &in)); /* the pointer was nowhere yet */
    stn_ghost_point(&g, NAN, 1.0);
    stn_ghost_point(&g, 1.0, INFINITY);
    assert_false(stn_ghost_settle(&g, &in));
    stn_ghost_point(&g, 1.0, 1.0);
    assert_true(stn_ghost_turn(&g, 1.0, STN_MOD_CTRL));
    assert_true(stn_ghost_settle(&g, &in));
    stn_ghost_begin(&g, 8); /* another one: anew */
    assert_false(stn_ghost_settle(&g, &in));
    assert_true(g.angle == 0.0 && !g.turned);
    stn_ghost_begin(&g, 0);
    assert_false(stn_ghost_settle(&g, &in));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_stands_where_the_grid_has_it),
        cmocka_unit_test(it_looks_at_the_player_by_quarters_until_it_is_turned),
        cmocka_unit_test(it_is_turned_by_eighths_and_by_small_steps),
        cmocka_unit_test(a_wheel_that_turns_smoothly_counts_whole_steps),
        cmocka_unit_test(nothing_is_placed_before_it_begins_and_after_it_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
