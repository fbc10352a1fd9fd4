/* When the scene shows a cut that replaces another. Cuts here have no parts, so nothing is uploaded; a cut is
 * shown when the one before it is given back. */
#include "renderer/gl/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct bench {
    stn_stage *stage;
    uint64_t gone; /* a bit for each product given back */
    uint64_t bare; /* likewise, for sheets */
} bench;

static void on_spent(void *arg, stn_job *job)
{
    bench *b = arg;

    if (job->kind == STN_JOB_CUT)
        b->gone |= UINT64_C(1) << job->u.cut.product;
    if (job->kind == STN_JOB_SHEETS)
        b->bare |= UINT64_C(1) << job->u.cut.product;
    stn_job_free(job);
}

static stn_job *job_of(stn_job_kind kind)
{
    stn_job *job = stn_job_new(kind, 1);

    assert_non_null(job);
    return job;
}

static void setup(bench *b)
{
    stn_stage_parts parts = {.spent = on_spent, .arg = b};

    *b = (bench){0};
    b->stage = stn_stage_new(&parts);
    assert_non_null(b->stage);
    stn_stage_take(b->stage, job_of(STN_JOB_FRAME));
}

static void cut(bench *b, int32_t x, uint64_t product, uint64_t swap)
{
    stn_job *job = job_of(STN_JOB_CUT);

    job->u.cut.x = x;
    job->u.cut.product = product;
    job->u.cut.swap = swap;
    stn_stage_take(b->stage, job);
}

static void sheets(bench *b, int32_t x, uint64_t product)
{
    stn_job *job = job_of(STN_JOB_SHEETS);

    job->u.cut.x = x;
    job->u.cut.product = product;
    stn_stage_take(b->stage, job);
}

static void end_of(bench *b, uint64_t swap)
{
    stn_job *job = job_of(STN_JOB_CUT_SWAP);

    job->u.cut.swap = swap;
    stn_stage_take(b->stage, job);
}

static void cuts_of_one_change_are_shown_at_once(void **state)
{
    bench b;

    (void)state;
    setup(&b);
    cut(&b, 0, 1, 0);
    cut(&b, 1, 2, 0);
    cut(&b, 2, 3, 0);
    cut(&b, 0, 4, 7);
    cut(&b, 1, 5, 7);
    cut(&b, 2, 6, 8); /* of a newer change */
    stn_stage_tick(b.stage, 0.1);
    assert_int_equal(b.gone, 0);
    end_of(&b, 7);
    assert_int_equal(b.gone, 1 << 1 | 1 << 2);
    end_of(&b, 8);
    assert_int_equal(b.gone, 1 << 1 | 1 << 2 | 1 << 3);
    stn_stage_free(b.stage);
}

static void what_is_alone_new_or_late_waits_for_nothing(void **state)
{
    bench b;

    (void)state;
    setup(&b);
    cut(&b, 0, 1, 5); /* nothing was there */
    cut(&b, 0, 2, 0); /* alone */
    assert_int_equal(b.gone, 1 << 1);
    end_of(&b, 5);
    cut(&b, 0, 3, 5); /* behind the end of its change */
    assert_int_equal(b.gone, 1 << 1 | 1 << 2);
    cut(&b, 0, 4, 6);
    cut(&b, 0, 5, 0); /* a newer one in place of one that waits, which is never shown */
    assert_int_equal(b.gone, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4);
    stn_stage_free(b.stage);
}

static void a_change_whose_end_is_lost_is_shown_all_the_same(void **state)
{
    bench b;

    (void)state;
    setup(&b);
    cut(&b, 0, 1, 0);
    cut(&b, 0, 2, 9);
    stn_stage_tick(b.stage, STN_STAGE_HOLD_SECONDS * 0.75);
    assert_int_equal(b.gone, 0);
    stn_stage_tick(b.stage, STN_STAGE_HOLD_SECONDS * 0.75);
    assert_int_equal(b.gone, 1 << 1);
    cut(&b, 0, 3, 10); /* the next wait has its own time */
    stn_stage_tick(b.stage, STN_STAGE_HOLD_SECONDS * 0.75);
    assert_int_equal(b.gone, 1 << 1);
    stn_stage_tick(b.stage, STN_STAGE_HOLD_SECONDS * 0.75);
    assert_int_equal(b.gone, 1 << 1 | 1 << 2);
    stn_stage_free(b.stage);
}

static void sheets_are_shown_with_their_ground(void **state)
{
    bench b;
    stn_job *drop;

    (void)state;
    setup(&b);
    sheets(&b, 0, 1); /* no ground is there */
    assert_int_equal(b.bare, 1 << 1);
    cut(&b, 0, 2, 0);
    sheets(&b, 0, 2);
    cut(&b, 0, 3, 7);
    sheets(&b, 0, 3); /* waits with it */
    assert_int_equal(b.bare, 1 << 1);
    end_of(&b, 7);
    assert_int_equal(b.bare, 1 << 1 | 1 << 2);
    cut(&b, 0, 4, 8);
    sheets(&b, 0, 4);
    drop = job_of(STN_JOB_CUT_DROP);
    stn_stage_take(b.stage, drop);
    assert_int_equal(b.bare, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4);
    stn_stage_free(b.stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_of_one_change_are_shown_at_once),
        cmocka_unit_test(what_is_alone_new_or_late_waits_for_nothing),
        cmocka_unit_test(a_change_whose_end_is_lost_is_shown_all_the_same),
        cmocka_unit_test(sheets_are_shown_with_their_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
