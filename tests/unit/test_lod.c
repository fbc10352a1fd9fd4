/* Which level of detail something is drawn in, and from when on not at all: by the formulas of
 * docs/spec/rendering.md 20, written anew in f64. */
#include "renderer/scene/cull.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static stn_m4 perspective(float distance)
{
    stn_m4 proj = stn_m4_frustum(-0.5f, 0.5f, -0.28125f, 0.28125f, 1.0f, 2000.0f);
    stn_m4 view = stn_m4_pointed((stn_v3){0, 0, 0}, distance, 0.6f, 0.8f);

    return stn_m4_mul(proj, view);
}

static double size_at(float distance, float side, float scale)
{
    stn_m4 clip = perspective(distance), model = stn_m4_identity();
    stn_cull_box box = {{-side, -side, -side}, {side, side, side}};
    stn_v3 corners[STN_CULL_CORNERS];

    for (int i = 0; i < 11; i++)
        model.m[i] *= scale;
    stn_cull_corners(&model, &box, corners);
    return stn_lod_size(&clip, stn_cull_nearest(&clip, corners),
                        (double)(stn_v3_dist(box.min, box.max) * stn_lod_scale(&model)));
}

/* With a field of 0.5625 of the distance in height, a thing is as large as its part of that, seen at its
 * nearest corner. */
static void size_is_the_part_of_the_pictures_height(void **state)
{
    (void)state;
    for (float distance = 50.0f; distance < 2000.0f; distance *= 1.7f)
        for (float scale = 0.5f; scale < 3.0f; scale *= 2.0f) {
            double is = size_at(distance, 2.0f, scale), radius = 2.0 * sqrt(3.0) * (double)scale;
            double nearest = (double)distance - radius, diameter = 2.0 * radius;

            assert_true(is <= diameter / (0.5625 * nearest) * 1.0001);
            assert_true(is >= diameter / (0.5625 * (double)distance) * 0.9999);
        }
    assert_true(isinf(size_at(3.0f, 2.0f, 1.0f))); /* the eye is in its box */
    assert_true(isinf(size_at(0.0f, 2.0f, 1.0f)));
}

static void a_parallel_view_makes_nothing_smaller_with_distance(void **state)
{
    stn_m4 clip = stn_m4_mul(stn_m4_ortho(-100, 100, -50, 50, 1, 5000),
                             stn_m4_pointed((stn_v3){0, 0, 0}, 500, 0.5f, 0.0f));

    (void)state;
    for (float x = 0; x < 2000.0f; x += 300.0f) {
        stn_m4 model = stn_m4_xlate((stn_v3){x, 0, 0});
        stn_cull_box box = {{-1, -1, -1}, {1, 1, 1}};
        stn_v3 corners[STN_CULL_CORNERS];

        stn_cull_corners(&model, &box, corners);
        assert_true(fabs(stn_cull_size(&clip, corners, 10.0) - 0.1) < 1e-5);
    }
}

static void the_scale_is_that_of_the_longest_axis(void **state)
{
    stn_m4 m = stn_m4_mul(stn_m4_rot((stn_v3){0, 0, 1}, 0.7f), stn_m4_scale(2.0f, 3.0f, 0.5f));

    (void)state;
    m.m[12] = 1000.0f;
    assert_true(fabsf(stn_lod_scale(&m) - 3.0f) < 1e-5f);
}

/* The rule itself: the number of thresholds that the size is below. */
static int level_by_the_rule(double size, int current)
{
    static const double threshold[3] = {0.10, 0.05, 0.025};
    int n = 0;

    for (int i = 0; i < 3; i++)
        n += size < threshold[i] * (current <= i ? 0.9 : 1.1);
    return n;
}

static void levels_are_the_thresholds_below_with_a_tenth_of_rest(void **state)
{
    (void)state;
    for (double size = 0.001; size < 1.0; size *= 1.01)
        for (int current = 0; current <= 3; current++)
            assert_int_equal(stn_lod_level(size, current), level_by_the_rule(size, current));
    assert_int_equal(stn_lod_level(INFINITY, 3), 0);
    assert_int_equal(stn_lod_level(0.0, 0), 3);
    assert_int_equal(stn_lod_level(NAN, 2), 0); /* what is not known is drawn in full */
    assert_true(stn_lod_seen(NAN, false));
}

/* Going to and fro a little changes nothing; going far changes once each way. */
static void a_level_changes_once_on_the_way(void **state)
{
    int level = 0, changes = 0;

    (void)state;
    for (int i = 0; i <= 2000; i++) {
        double size = 0.2 * pow(0.05, i / 2000.0) * (i % 2 ? 1.04 : 0.96);
        int now = stn_lod_level(size, level);

        assert_true(now >= level);
        changes += now != level;
        level = now;
    }
    assert_int_equal(level, 3);
    assert_int_equal(changes, 3);
    for (int i = 2000; i >= 0; i--) {
        double size = 0.2 * pow(0.05, i / 2000.0) * (i % 2 ? 1.04 : 0.96);
        int now = stn_lod_level(size, level);

        assert_true(now <= level);
        changes += now != level;
        level = now;
    }
    assert_int_equal(level, 0);
    assert_int_equal(changes, 6);
}

static void what_is_tiny_goes_later_than_it_comes(void **state)
{
    (void)state;
    assert_true(stn_lod_seen(0.0015 * 0.95, true));
    assert_false(stn_lod_seen(0.0015 * 0.95, false));
    assert_false(stn_lod_seen(0.0015 * 0.89, true));
    assert_false(stn_lod_seen(0.0015 * 1.09, false));
    assert_true(stn_lod_seen(0.0015 * 1.11, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_is_the_part_of_the_pictures_height),
        cmocka_unit_test(a_parallel_view_makes_nothing_smaller_with_distance),
        cmocka_unit_test(the_scale_is_that_of_the_longest_axis),
        cmocka_unit_test(levels_are_the_thresholds_below_with_a_tenth_of_rest),
        cmocka_unit_test(a_level_changes_once_on_the_way),
        cmocka_unit_test(what_is_tiny_goes_later_than_it_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
