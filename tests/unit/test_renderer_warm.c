/* A program is drawn with only after it was tried once, in the same state and out of sight. */
#include "renderer/gl/nullgl.h"
#include "renderer/gl/surface.h"
#include "renderer/gl/warm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct rig {
    stn_surface *surface;
    stn_glrec rec;
    stn_programs *programs;
    stn_warm *warm;
} rig;

static int open_rig(void **state)
{
    static rig r;
    stn_surface_options so = {.kind = STN_SURFACE_NULL, .width = 16, .height = 16};
    stn_err err = {0};

    r = (rig){0};
    assert_int_equal(stn_surface_new(&so, &r.surface, &err), STN_OK);
    stn_glrec_invalidate(&r.rec);
    assert_int_equal(stn_programs_new(&r.rec, NULL, &r.programs, &err), STN_OK);
    assert_non_null(r.warm = stn_warm_new(&r.rec, r.programs));
    *state = &r;
    return 0;
}

static int close_rig(void **state)
{
    rig *r = *state;

    stn_warm_free(r->warm);
    stn_programs_free(r->programs);
    stn_surface_free(r->surface);
    assert_int_equal(stn_nullgl_live(), 0);
    return 0;
}

static uint64_t key_of(uint32_t features)
{
    return stn_program_key(features, STN_PASS_COLOUR, STN_SHADOWS_PCF, STN_NORMALS_SIGNED);
}

static void a_program_waits_for_its_first_draw(void **state)
{
    rig *r = *state;
    stn_matstate m = stn_matstate_default();
    uint64_t key = key_of(STN_MAT_LIT | STN_MAT_TEX);

    assert_null(stn_warm_program(r->warm, key, &m));
    assert_null(stn_warm_program(r->warm, key, &m)); /* asked for once, whoever asks how often */
    assert_int_equal(stn_warm_pump(r->warm, 1, INT64_MAX), 0);
    assert_non_null(stn_warm_program(r->warm, key, &m));
}

static void a_linked_program_is_tried_again_in_another_state(void **state)
{
    rig *r = *state;
    stn_matstate plain = stn_matstate_default(), added = plain, unlit = plain;
    uint64_t key = key_of(STN_MAT_LIT | STN_MAT_TEX), shadow = stn_program_key(0, STN_PASS_SHADOW, 0, 0);

    added.blend.colour_dst = STN_BM_ONE;
    unlit.order = 7; /* no matter to a driver */
    stn_warm_program(r->warm, key, &plain);
    stn_warm_pump(r->warm, 1, INT64_MAX);
    assert_non_null(stn_warm_program(r->warm, key, &unlit));
    assert_null(stn_warm_program(r->warm, key, &added));
    assert_null(stn_warm_program(r->warm, shadow, &plain));
    stn_warm_pump(r->warm, 1, INT64_MAX);
    assert_non_null(stn_warm_program(r->warm, key, &added));
    assert_non_null(stn_warm_program(r->warm, shadow, &added)); /* depth alone: no blend there */
}

static void a_plainer_one_stands_in_when_it_has_been_tried(void **state)
{
    rig *r = *state;
    stn_matstate m = stn_matstate_default();
    uint64_t plain = key_of(STN_MAT_LIT | STN_MAT_TEX),
             full = key_of(STN_MAT_LIT | STN_MAT_TEX | STN_MAT_ENV);
    const stn_program *first;

    stn_warm_program(r->warm, plain, &m);
    stn_warm_pump(r->warm, 1, INT64_MAX);
    first = stn_warm_program(r->warm, plain, &m);
    assert_ptr_equal(stn_warm_program(r->warm, full, &m), first);
    stn_warm_pump(r->warm, 1, INT64_MAX);
    assert_non_null(stn_warm_program(r->warm, full, &m));
    assert_ptr_not_equal(stn_warm_program(r->warm, full, &m), first);
}

static void without_time_one_is_made_at_a_time(void **state)
{
    rig *r = *state;
    stn_matstate m = stn_matstate_default();
    static const uint32_t features[] = {STN_MAT_TEX, STN_MAT_LIT, STN_MAT_VCOL};

    for (size_t i = 0; i < 3; i++)
        assert_null(stn_warm_program(r->warm, key_of(features[i]), &m));
    for (size_t left = 3; left-- > 0;)
        assert_int_equal(stn_warm_pump(r->warm, 1, 0), left);
    for (size_t i = 0; i < 3; i++)
        assert_non_null(stn_warm_program(r->warm, key_of(features[i]), &m));
    assert_int_equal(stn_warm_pump(r->warm, 1, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_program_waits_for_its_first_draw, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(a_linked_program_is_tried_again_in_another_state, open_rig,
                                        close_rig),
        cmocka_unit_test_setup_teardown(a_plainer_one_stands_in_when_it_has_been_tried, open_rig, close_rig),
        cmocka_unit_test_setup_teardown(without_time_one_is_made_at_a_time, open_rig, close_rig),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
