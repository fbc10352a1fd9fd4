/* When the scene shows a cut that replaces another. Cuts here have no parts, so nothing is uploaded; a cut is
 * shown when the one before it is given back. */
#include "renderer/gl/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct bench {
    stn_stage *stage;
    uint64_t gone; /* a bit for each product given back */
    uint64_t bare; /* likewise, for sheets */
    unsigned names; /* given back */
} bench;

static void on_spent(void *arg, stn_job *job)
{
    bench *b = arg;

    if (job->kind == STN_JOB_CUT)
        b->gone |= UINT64_C(1) << job->u.cut.product;
    if (job->kind == STN_JOB_SHEETS)
        b->bare |= UINT64_C(1) << job->u.cut.product;
    b->names += job->kind == STN_JOB_GOB_NAME;
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

static void place(bench *b, int64_t id, double x)
{
    stn_job *job = job_of(STN_JOB_GOB_PLACE);

    job->u.place.id = id;
    job->u.place.x = x;
    stn_stage_take(b->stage, job);
}

static void name(bench *b, int64_t id, const char *text)
{
    stn_job *job = job_of(STN_JOB_GOB_NAME);

    job->u.name.id = id;
    snprintf(job->u.name.text, sizeof job->u.name.text, "%s", text);
    stn_stage_take(b->stage, job);
}

static void say(bench *b, int64_t id, const char *text)
{
    stn_job *job = job_of(STN_JOB_GOB_TEXT);

    job->u.text.id = id;
    snprintf(job->u.text.text, sizeof job->u.text.text, "%s", text);
    stn_stage_take(b->stage, job);
}

/* "NAME:SPEECH;" of each. */
static void write_down(void *arg, const stn_stage_words *w)
{
    char *out = arg;

    snprintf(out + strlen(out), 100 - strlen(out), "%s:%s;", w->name ? w->name->text : "",
             w->speech ? w->speech : "");
}

static const char *words(const bench *b)
{
    static char out[100];

    out[0] = '\0';
    stn_stage_each_words(b->stage, write_down, out);
    return out;
}

static void names_stand_over_others_heads(void **state)
{
    bench b;
    stn_job *job;

    (void)state;
    setup(&b);
    name(&b, 5, "Ann"); /* before anything else of it comes */
    assert_string_equal(words(&b), "");
    place(&b, 5, 10.0);
    assert_string_equal(words(&b), "Ann:;");
    say(&b, 5, "hear");
    assert_string_equal(words(&b), "Ann:hear;");
    stn_stage_tick(b.stage, 9.0);
    assert_string_equal(words(&b), "Ann:;");
    name(&b, 5, "Beth");
    assert_int_equal(b.names, 1);
    assert_string_equal(words(&b), "Beth:;");
    job = job_of(STN_JOB_FACTS); /* one's own is no news */
    job->u.facts.has_player = true;
    job->u.facts.player = 5;
    stn_stage_take(b.stage, job);
    assert_string_equal(words(&b), "");
    say(&b, 5, "I");
    assert_string_equal(words(&b), ":I;");
    name(&b, 5, "");
    assert_int_equal(b.names, 2);
    job = job_of(STN_JOB_GOB_DROP);
    job->u.id = 5;
    stn_stage_take(b.stage, job);
    assert_int_equal(b.names, 3);
    assert_string_equal(words(&b), "");
    stn_stage_free(b.stage);
}

static void what_is_placed_goes_where_it_is_put(void **state)
{
    bench b;
    stn_job *job;
    double x, y;

    (void)state;
    setup(&b);
    stn_stage_put_ghost(b.stage, 1.0, 2.0, 0.0); /* nothing is being placed */
    assert_false(stn_stage_place(b.stage, STN_GHOST_ID, &x, &y));
    job = job_of(STN_JOB_GOB);
    job->u.look.id = STN_GHOST_ID;
    stn_stage_take(b.stage, job);
    assert_false(stn_stage_place(b.stage, STN_GHOST_ID, &x, &y)); /* nowhere yet */
    stn_stage_put_ghost(b.stage, 1.0, 2.0, 0.0);
    stn_stage_tick(b.stage, 0.1);
    assert_true(stn_stage_place(b.stage, STN_GHOST_ID, &x, &y) && x == 1.0 && y == 2.0);
    stn_stage_put_ghost(b.stage, 5.5, 2.0, 0.0);
    stn_stage_tick(b.stage, 0.1);
    assert_true(stn_stage_place(b.stage, STN_GHOST_ID, &x, &y) && x == 5.5);
    job = job_of(STN_JOB_GOB_DROP);
    job->u.id = STN_GHOST_ID;
    stn_stage_take(b.stage, job);
    assert_false(stn_stage_place(b.stage, STN_GHOST_ID, &x, &y));
    stn_stage_free(b.stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_of_one_change_are_shown_at_once),
        cmocka_unit_test(what_is_alone_new_or_late_waits_for_nothing),
        cmocka_unit_test(a_change_whose_end_is_lost_is_shown_all_the_same),
        cmocka_unit_test(sheets_are_shown_with_their_ground),
        cmocka_unit_test(names_stand_over_others_heads),
        cmocka_unit_test(what_is_placed_goes_where_it_is_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
