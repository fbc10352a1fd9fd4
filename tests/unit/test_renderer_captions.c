/* Texts over heads: who is shown where, and who is left out. */
#include "renderer/hud/captions.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

static void put(stn_captions *all, float x, float y, float depth, const char *name, const char *speech)
{
    stn_captions_add(all, &(stn_caption){.x = x,
                                         .y = y,
                                         .w = 40.0f,
                                         .h = speech ? 30.0f : 10.0f,
                                         .depth = depth,
                                         .name = name,
                                         .speech = speech});
}

static const stn_caption *of(const stn_captions *all, const char *name)
{
    for (unsigned i = 0; i < all->count; i++)
        if (!strcmp(all->at[i].name, name))
            return &all->at[i];
    fail_msg("%s is not there", name);
    return NULL;
}

static void those_apart_stay_where_they_are(void **state)
{
    stn_captions all = {0};

    (void)state;
    put(&all, 100.0f, 100.0f, 5.0f, "a", NULL);
    put(&all, 141.0f, 100.0f, 4.0f, "b", NULL);
    put(&all, 100.0f, 111.0f, 3.0f, "c", NULL);
    stn_captions_place(&all, 40.0f);
    assert_true(of(&all, "a")->shown && of(&all, "a")->top == 90.0f);
    assert_true(of(&all, "b")->shown && of(&all, "b")->top == 90.0f);
    assert_true(of(&all, "c")->shown && of(&all, "c")->top == 101.0f);
    assert_string_equal(all.at[0].name, "c"); /* the nearest is first */
    assert_string_equal(all.at[2].name, "a");
}

static void the_farther_one_moves_up_or_goes(void **state)
{
    stn_captions all = {0};

    (void)state;
    put(&all, 100.0f, 100.0f, 3.0f, "third", NULL);
    put(&all, 110.0f, 102.0f, 2.0f, "second", NULL);
    put(&all, 105.0f, 101.0f, 1.0f, "first", NULL);
    stn_captions_place(&all, 25.0f);
    assert_true(of(&all, "first")->top == 91.0f);
    assert_true(of(&all, "second")->shown && of(&all, "second")->top == 81.0f);
    assert_true(of(&all, "third")->shown && of(&all, "third")->top == 71.0f);
    stn_captions_place(&all, 15.0f); /* as often as one likes */
    assert_true(of(&all, "second")->shown && of(&all, "second")->top == 81.0f);
    assert_false(of(&all, "third")->shown);
}

static void speech_is_shown_even_without_room(void **state)
{
    stn_captions all = {0};

    (void)state;
    put(&all, 100.0f, 100.0f, 1.0f, "near", NULL);
    put(&all, 100.0f, 100.0f, 2.0f, "far", "well met");
    put(&all, 100.0f, 95.0f, 3.0f, "farther", NULL);
    stn_captions_place(&all, 0.0f);
    assert_true(of(&all, "far")->shown && of(&all, "far")->top == 70.0f);
    assert_false(of(&all, "farther")->shown);
    stn_captions_place(&all, 40.0f); /* and finds some where there is */
    assert_true(of(&all, "far")->top == 60.0f);
}

static void of_too_many_the_nearest_and_those_who_speak_are_taken(void **state)
{
    static char names[2 * STN_CAPTIONS][8];
    stn_captions all = {0};
    unsigned near = 0, speaking = 0;

    (void)state;
    for (unsigned i = 0; i < 2 * STN_CAPTIONS; i++) {
        names[i][0] = (char)('a' + (char)(i % 26));
        /* Every fourth of the far half speaks. */
        put(&all, 50.0f * (float)i, 0.0f, (float)((i * 37) % (2 * STN_CAPTIONS)), names[i],
            (i * 37) % (2 * STN_CAPTIONS) >= STN_CAPTIONS && (i * 37) % 4 == 0 ? "hear" : NULL);
    }
    assert_int_equal(all.count, STN_CAPTIONS);
    for (unsigned i = 0; i < all.count; i++) {
        near += all.at[i].depth < STN_CAPTIONS;
        speaking += all.at[i].speech != NULL;
    }
    assert_int_equal(speaking, STN_CAPTIONS / 4);
    assert_int_equal(near, STN_CAPTIONS - STN_CAPTIONS / 4);
}

static void what_has_no_place_is_not_taken(void **state)
{
    stn_captions all = {0};
    stn_caption c = {.name = "x", .w = 10.0f, .h = 10.0f};

    (void)state;
    for (int i = 0; i < 5; i++) {
        stn_caption bad = c;
        float *at[] = {&bad.x, &bad.y, &bad.depth, &bad.w, &bad.h};

        *at[i] = NAN;
        stn_captions_add(&all, &bad);
    }
    c.w = 0.0f;
    stn_captions_add(&all, &c);
    assert_int_equal(all.count, 0);
    stn_captions_place(&all, 10.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_apart_stay_where_they_are),
        cmocka_unit_test(the_farther_one_moves_up_or_goes),
        cmocka_unit_test(speech_is_shown_even_without_room),
        cmocka_unit_test(of_too_many_the_nearest_and_those_who_speak_are_taken),
        cmocka_unit_test(what_has_no_place_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
