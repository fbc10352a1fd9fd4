/* Clocks of mesh animations whose lengths no honest resource has. */
#include "sprite_fixture.h"

#include "renderer/sprite/manim.h"

#include <math.h>

static stn_res_manim layer_of(stn_manim_frame *frames, float second, float len)
{
    frames[0] = (stn_manim_frame){.time = 0};
    frames[1] = (stn_manim_frame){.time = second};
    return (stn_res_manim){.len = len, .count = 2, .frames = frames};
}

static void long_ticks_pass_many_frames(void **state)
{
    stn_manim_frame frames[2];
    stn_res_manim layer = layer_of(frames, 0.25f, 0.5f);
    stn_manim m;
    bool wrapped;

    (void)state;
    assert_int_equal(stn_manim_init(&m, &layer, 0, NULL), STN_SPRITE_OK);
    stn_manim_tick(&m, 2000.375f, &wrapped);
    assert_true(wrapped);
    assert_int_equal(m.from, 1);
    assert_int_equal(m.to, 0);
    assert_true(m.a == 0.5f);
}

static void is_at_its_start(const stn_manim *m)
{
    assert_int_equal(m->from, 0);
    assert_int_equal(m->to, 1);
    assert_true(m->a == 0.0f);
}

static void lengths_that_vanish_beside_the_time_end_the_tick(void **state)
{
    const float lens[] = {0.0f, 2e-44f, 2e-38f, 2e-9f, -1.0f, NAN};

    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        stn_manim_frame frames[2];
        stn_res_manim layer = layer_of(frames, lens[i] / 2, lens[i]);
        stn_manim m;
        bool wrapped;
        assert_int_equal(stn_manim_init(&m, &layer, 0, NULL), STN_SPRITE_OK);
        stn_manim_tick(&m, 0.05f, &wrapped);
        is_at_its_start(&m);
    }
}

static void times_that_are_none_end_the_tick(void **state)
{
    const float ticks[] = {1e30f, INFINITY, NAN};

    (void)state;
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        stn_manim_frame frames[2];
        stn_res_manim layer = layer_of(frames, 0.25f, 0.5f);
        stn_manim m;
        bool wrapped;
        assert_int_equal(stn_manim_init(&m, &layer, 0, NULL), STN_SPRITE_OK);
        stn_manim_tick(&m, ticks[i], &wrapped);
        is_at_its_start(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_ticks_pass_many_frames),
        cmocka_unit_test(lengths_that_vanish_beside_the_time_end_the_tick),
        cmocka_unit_test(times_that_are_none_end_the_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
