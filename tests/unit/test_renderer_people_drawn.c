/* Names of people and what is being placed, from the components to the scene and the picture. */
#include "support/scenery.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <string.h>

#define W 320
#define H 200
#define PERSON INT64_C(900001)
#define POST "homestead/things/guidepost"

static scenery world;
static bool drawable;
static double spawn_x, spawn_y;
static uint8_t before[W * H * 4], now[W * H * 4], solid[W * H * 4];

static int open_world(void **state)
{
    stn_err err = {0};
    stn_status st = scenery_open(&world, 1, STN_PACK_FOLDER, W, H, &err);
    double angle;

    (void)state;
    if (st == STN_UNSUPPORTED) {
        printf("skipped: %s\n", err.text);
        return 0;
    }
    if (st != STN_OK) {
        printf("%s\n", err.text);
        return -1;
    }
    drawable = true;
    stn_land_spawn(scenery_ground_land(world.ground), &spawn_x, &spawn_y, &angle);
    scenery_light(&world, (stn_colour){120, 120, 130, 255}, (stn_colour){220, 210, 190, 255}, 0.8, 0.9);
    return scenery_land(&world, spawn_x, spawn_y, 1, &err) == STN_OK ? 0 : -1;
}

static int close_world(void **state)
{
    (void)state;
    if (drawable)
        scenery_close(&world);
    return 0;
}

static void take_name(void *arg, const stn_stage_words *w)
{
    snprintf(arg, STN_NAME_BYTES + 8, "%s/%u", w->name ? w->name->text : "", w->name ? w->name->group : 0u);
}

/* Of the only one who has something over the head; "" = nobody. */
static const char *shown_name(void)
{
    static char out[STN_NAME_BYTES + 8];

    out[0] = '\0';
    stn_stage_each_words(world.stage, take_name, out);
    return out;
}

static void a_name_comes_with_its_component_and_goes_with_it(void **state)
{
    stn_err err = {0};

    (void)state;
    if (!drawable)
        skip();
    assert_int_equal(scenery_person(&world, PERSON, spawn_x, spawn_y, 0.0, "homestead/people/idle",
                                    "homestead/people/dye-blue", &err),
                     STN_OK);
    assert_string_equal(shown_name(), "");
    assert_int_equal(scenery_name(&world, PERSON, 0, "Ann", 3, &err), STN_OK);
    assert_string_equal(shown_name(), "Ann/3");
    assert_int_equal(scenery_name(&world, PERSON, 0, "Ann", 4, &err), STN_OK);
    assert_string_equal(shown_name(), "Ann/4");
    /* Slots close up: the one that it had goes when it has taken another. */
    assert_int_equal(scenery_name(&world, PERSON, 1, "Beth", 1, &err), STN_OK);
    assert_int_equal(scenery_name(&world, PERSON, 0, NULL, 0, &err), STN_OK);
    assert_string_equal(shown_name(), "Beth/1");
    assert_int_equal(scenery_name(&world, PERSON, 1, NULL, 0, &err), STN_OK);
    assert_string_equal(shown_name(), "");
    assert_int_equal(scenery_name(&world, PERSON, 0, "Cid", 0, &err), STN_OK);
    assert_int_equal(scenery_name(&world, PERSON, 0, "", 0, &err), STN_OK);
    assert_string_equal(shown_name(), "");
    /* Who comes anew has none until it is told. */
    assert_int_equal(scenery_name(&world, PERSON, 0, "Cid", 0, &err), STN_OK);
    assert_string_equal(shown_name(), "Cid/0");
}

static size_t different(const uint8_t *a, const uint8_t *b)
{
    size_t n = 0;

    for (size_t i = 0; i < (size_t)W * H; i++)
        n += memcmp(a + 4 * i, b + 4 * i, 3) != 0;
    return n;
}

/* Between the one and the other, where they differ clearly. */
static void assert_between(const uint8_t *a, const uint8_t *b, const uint8_t *between)
{
    size_t n = 0, inside = 0;

    for (size_t i = 0; i < (size_t)W * H * 4; i++) {
        int lo = a[i] < b[i] ? a[i] : b[i], hi = a[i] < b[i] ? b[i] : a[i];

        if (hi - lo < 40)
            continue;
        n++;
        inside += between[i] > lo && between[i] < hi;
    }
    assert_true(n > 100);
    assert_true(inside * 10 > n * 8);
}

static void what_is_placed_is_seen_through_and_not_pointed_at(void **state)
{
    static stn_stage_target targets[4096];
    const double x = spawn_x + 11.0, y = spawn_y + 40.0;
    stn_land_object post = {.id = 900002, .name = POST, .version = STN_PACK_VERSION, .x = x, .y = y};
    stn_err err = {0};
    size_t n;

    (void)state;
    if (!drawable)
        skip();
    world.look.shadows = world.look.outlines = false; /* the thing has both, the ghost neither */
    scenery_run(&world, 0.2);
    scenery_eye(&world, x, y, 8.0, 300, 0.5, 0.6, 20);
    scenery_draw(&world, before);
    scenery_ghost(&world, POST);
    scenery_draw(&world, now);
    assert_int_equal(different(before, now), 0); /* it is nowhere yet */
    stn_stage_put_ghost(world.stage, x, y, 0.0);
    stn_stage_tick(world.stage, 0.0);
    scenery_draw(&world, now);
    assert_true(different(before, now) > 200);
    n = stn_stage_targets(world.stage, &world.frame, NULL, true, targets, 4096);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++)
        assert_true(targets[i].land || targets[i].object != STN_GHOST_ID);
    scenery_ghost(&world, NULL);
    scenery_draw(&world, solid);
    assert_int_equal(different(before, solid), 0);
    /* The thing itself at the same place hides what the ghost lets through. */
    assert_int_equal(scenery_thing(&world, &post, &err), STN_OK);
    stn_stage_tick(world.stage, 0.0);
    scenery_draw(&world, solid);
    assert_between(before, solid, now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_comes_with_its_component_and_goes_with_it),
        cmocka_unit_test(what_is_placed_is_seen_through_and_not_pointed_at),
    };

    return cmocka_run_group_tests(tests, open_world, close_world);
}
