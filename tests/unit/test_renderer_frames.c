/* When frames are due, and what is told about those that were. */
#include "renderer/frames.h"
#include "renderer/pacing.h"

#include "base/clock.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_beat_is_kept_whatever_a_frame_takes(void **state)
{
    int64_t due = 1000 * STN_MS, now = due;
    const int64_t works[] = {1, 19, 7, 3, 18}; /* ms, all shorter than a beat of 20 */

    (void)state;
    for (int i = 0; i < 5; i++) {
        now += works[i] * STN_MS;
        now += stn_pacing_next(&due, 50, now);
        assert_true(now == (1000 + 20 * (i + 1)) * STN_MS);
    }
}

static void a_late_frame_starts_the_beat_anew(void **state)
{
    int64_t due = 0;

    (void)state;
    assert_true(stn_pacing_next(&due, 50, 75 * STN_MS) == 0);
    assert_true(due == 75 * STN_MS);
    assert_true(stn_pacing_next(&due, 50, 80 * STN_MS) == 15 * STN_MS);
    /* The display gives the beat, a little slower than the cap: there is nothing left to sleep. */
    for (int64_t now = 100 * STN_MS; now < 400 * STN_MS; now += 21 * STN_MS) {
        due = now - 21 * STN_MS;
        assert_true(stn_pacing_next(&due, 50, now) == 0);
    }
}

static void without_a_limit_nothing_sleeps(void **state)
{
    int64_t due = 5;

    (void)state;
    assert_true(stn_pacing_next(&due, 0, 5 + STN_MS) == 0);
    /* When a limit comes the beat begins where it is, and not where it was. */
    assert_true(stn_pacing_next(&due, 100, 5 + 2 * STN_MS) == 9 * STN_MS);
}

static void who_looks_decides_how_often(void **state)
{
    stn_pacing_facts f = {.wanted_hz = -1, .cap_hz = 60};

    (void)state;
    assert_int_equal(stn_pacing_hz(&f), 60);
    f.cap_hz = 0;
    assert_int_equal(stn_pacing_hz(&f), 0);
    f.background = true;
    assert_int_equal(stn_pacing_hz(&f), STN_BACKGROUND_HZ);
    f.awaited = true;
    f.cap_hz = 30;
    assert_int_equal(stn_pacing_hz(&f), 30);
    f.wanted_hz = 25;
    assert_int_equal(stn_pacing_hz(&f), 25);
    f.wanted_hz = 0;
    assert_int_equal(stn_pacing_hz(&f), 0);
}

static double number(const json_t *o, const char *a, const char *b)
{
    return json_number_value(json_object_get(json_object_get(o, a), b));
}

static void figures_name_the_longest_frames(void **state)
{
    stn_frames *f = calloc(1, sizeof *f);
    stn_buf out = {.max = 1 << 16};
    const json_t *worst;
    json_t *o;

    (void)state;
    assert_non_null(f);
    stn_frames_reset(f, 0);
    assert_true(stn_frames_mean(f, 8) == 0.0);
    for (unsigned i = 0; i < 1000; i++) {
        stn_frame_cost c = {.at_s = (float)i, .cpu_ms = (float)((i * 389) % 1000), .work_ms = 2.0f};

        c.phase_ms[STN_PHASE_DRAW] = c.cpu_ms;
        c.counts[STN_COUNT_JOBS] = i;
        stn_frames_add(f, &c);
    }
    assert_true(stn_frames_mean(f, 8) == 2.0);
    stn_frames_json(f, 10 * STN_S, &out);
    o = json_loadb((const char *)out.data, out.len, 0, NULL);
    assert_non_null(o);
    assert_true(json_number_value(json_object_get(o, "frames")) == 1000.0);
    assert_true(json_number_value(json_object_get(o, "seconds")) == 10.0);
    assert_true(number(o, "cpu_ms", "p50") == 500.0);
    assert_true(number(o, "cpu_ms", "p999") == 999.0);
    assert_true(number(o, "cpu_ms", "worst") == 999.0);
    assert_true(number(json_object_get(o, "phases_ms"), "draw", "p99") == 990.0);
    assert_true(number(json_object_get(o, "counts"), "jobs", "worst") == 999.0);
    worst = json_object_get(o, "worst");
    assert_int_equal(json_array_size(worst), STN_FRAMES_WORST);
    for (size_t i = 0; i < STN_FRAMES_WORST; i++)
        assert_true(json_number_value(json_object_get(json_array_get(worst, i), "cpu_ms")) ==
                    999.0 - (double)i);
    json_decref(o);
    stn_buf_fini(&out);
    free(f);
}

static void only_the_last_frames_count(void **state)
{
    stn_frames *f = calloc(1, sizeof *f);
    stn_buf out = {.max = 1 << 16};
    json_t *o;

    (void)state;
    assert_non_null(f);
    for (unsigned i = 0; i < STN_FRAMES_KEPT + 3; i++)
        stn_frames_add(f, &(stn_frame_cost){.cpu_ms = i < 3 ? 50.0f : 1.0f});
    stn_frames_json(f, 0, &out);
    o = json_loadb((const char *)out.data, out.len, 0, NULL);
    assert_non_null(o);
    assert_true(number(o, "cpu_ms", "worst") == 1.0);
    json_decref(o);
    stn_buf_fini(&out);
    free(f);
}

static void strain(stn_strain *s, double busy_ms, double apart_ms, int frames)
{
    for (int i = 0; i < frames; i++)
        stn_strain_frame(s, busy_ms, apart_ms, 16.0);
}

static void frames_that_go_on_being_late_leave_out_one_thing_after_another(void **state)
{
    stn_strain s = {0};
    int kept;

    (void)state;
    strain(&s, 5, 16, 200);
    assert_int_equal(s.level, STN_STRAIN_NONE);
    strain(&s, 40, 40, 1); /* one long frame is nothing */
    strain(&s, 5, 16, 20);
    assert_int_equal(s.level, STN_STRAIN_NONE);
    for (int level = STN_STRAIN_PICKS; level <= STN_STRAIN_DETAIL; level++) {
        for (int i = 0; i < 50 && (int)s.level < level; i++)
            strain(&s, 16, 17, 1);
        assert_int_equal(s.level, level);
        kept = 0;
        for (int i = 0; i < 4; i++) {
            kept += stn_strain_keeps_shadows(&s);
            s.frames++;
        }
        assert_int_equal(kept, level < STN_STRAIN_SHADOWS ? 0 : level == STN_STRAIN_SHADOWS ? 2 : 3);
    }
    strain(&s, 16, 17, 100);
    assert_int_equal(s.level, STN_STRAIN_DETAIL);
    strain(&s, 14, 16, 1000); /* on time, but nothing to spare: it stays as it is */
    assert_int_equal(s.level, STN_STRAIN_DETAIL);
    strain(&s, 5, 16, 6 * STN_STRAIN_EASY);
    assert_int_equal(s.level, STN_STRAIN_NONE);
    strain(&s, 2, 33, STN_STRAIN_LATE); /* short work, but every second beat of the display is missed */
    assert_int_equal(s.level, STN_STRAIN_PICKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_beat_is_kept_whatever_a_frame_takes),
        cmocka_unit_test(a_late_frame_starts_the_beat_anew),
        cmocka_unit_test(without_a_limit_nothing_sleeps),
        cmocka_unit_test(who_looks_decides_how_often),
        cmocka_unit_test(frames_that_go_on_being_late_leave_out_one_thing_after_another),
        cmocka_unit_test(figures_name_the_longest_frames),
        cmocka_unit_test(only_the_last_frames_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
