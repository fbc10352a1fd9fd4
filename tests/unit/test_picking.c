/* The ray and the picture of numbers name the same thing: 10,000 random points of five scenes of homestead's
 * world.
 *
 * The rule. At a point the two agree when they name the same object and both or neither meet ground, and the
 * places on the ground are no farther apart than one pixel spans there. They may differ only at an edge: then
 * the ray finds the other's answer somewhere within half a pixel. Two surfaces in one plane, which the depth
 * buffer's 24 bits cannot tell apart, are the one other excuse, and are counted apart. Both are bounded.
 *
 * Also here: the pixel under the pointer is asked without waiting, answered in the order of asking, by number
 * where the driver can draw and by ray where it cannot. */
#include "support/scenery.h"

#include <glad/gl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define W 640
#define H 360
#define POINTS 2000
#define TARGETS 16384
#define EDGE_STEPS 4 /* of an eighth of a pixel, each way */
#define EDGES_MOST 200 /* of POINTS: 10 in 100 lie within half a pixel of an edge in a wood of leaf cards */
#define TIES_MOST 10

struct view {
    const char *name;
    double dx, dy, up, distance, elevation, angle, field; /* from the spawn */
    double hour_seconds; /* of wind and animation before the picture */
};

static const struct view views[] = {
    {"yard from above", 0, -30, 10, 600, 0.75, -0.6, 110, 0.4},
    {"house and people near", 0, -30, 10, 170, 0.35, 2.2, 0, 1.1},
    {"wood, swaying", 500, 250, 30, 260, 0.30, 0.4, 0, 2.3},
    {"shore, flat view", -60, 230, 5, 330, 0.22, 1.2, 0, 3.7},
    {"far, parallel", 100, 0, 0, 1500, 0.9, 3.6, 260, 5.2},
};

static scenery world;
static bool drawable;
static double spawn_x, spawn_y;
static stn_stage_target all[TARGETS], near_ones[TARGETS];

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
    assert_int_equal(st, STN_OK);
    drawable = true;
    stn_land_spawn(scenery_ground_land(world.ground), &spawn_x, &spawn_y, &angle);
    assert_int_equal(scenery_land(&world, spawn_x, spawn_y, 2, &err), STN_OK);
    assert_int_equal(scenery_person(&world, 101, spawn_x + 12, spawn_y - 20, 0.3, "homestead/people/run",
                                    "homestead/people/dye-blue", &err),
                     STN_OK);
    assert_int_equal(scenery_person(&world, 102, spawn_x - 8, spawn_y - 34, 2.0, "homestead/people/idle",
                                    "homestead/people/dye-ochre", &err),
                     STN_OK);
    scenery_light(&world, (stn_colour){88, 98, 114, 255}, (stn_colour){255, 243, 220, 255}, 3.9, 0.78);
    scenery_run(&world, 0.2);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    scenery_close(&world);
    return 0;
}

/* Marsaglia's generator: the points are the same in every run. */
static uint32_t chance(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

static stn_picked by_ray(double px, double py)
{
    stn_stage_window window = {px - 1.0, py - 1.0, 2.0, 2.0, W, H};
    size_t n = stn_stage_targets(world.stage, &world.frame, &window, true, near_ones, TARGETS);

    return stn_picker_ray(world.view, &world.frame, near_ones, n, px, py, W, H);
}

static stn_picked by_number(const uint8_t *data, int x, int y, size_t n)
{
    stn_idpixel at = stn_idbuf_at(data, W, H, x, y);
    stn_picked out = stn_picker_pixel(data, W, H, x, y, all, n);

    /* Without what is only near: that is the pointer's comfort, and no statement about the point. */
    out.object = at.thing >= 1 && at.thing <= n ? all[at.thing - 1].object : 0;
    return out;
}

static bool same(const stn_picked *a, const stn_picked *b, double span)
{
    return a->object == b->object && a->land == b->land &&
           (!a->land || hypot(a->x - b->x, a->y - b->y) <= span);
}

/* Whether the ray gives this answer somewhere within half a pixel. */
static bool at_an_edge(int x, int y, const stn_picked *number, const stn_picked *ray)
{
    bool object = number->object == ray->object, land = number->land == ray->land;
    double nearest = number->land && ray->land ? INFINITY : 0.0, farthest = 0.0, least = INFINITY;

    for (int dy = -EDGE_STEPS; dy <= EDGE_STEPS; dy++)
        for (int dx = -EDGE_STEPS; dx <= EDGE_STEPS; dx++) {
            stn_picked p = by_ray(x + 0.5 + dx / 8.0, y + 0.5 + dy / 8.0);

            object |= p.object == number->object;
            land |= p.land == number->land;
            if (p.land && ray->land)
                farthest = fmax(farthest, hypot(p.x - ray->x, p.y - ray->y));
            if (p.land && number->land)
                least = fmin(least, hypot(p.x - number->x, p.y - number->y));
        }
    if (nearest > 0.0)
        nearest = least;
    return object && land && nearest <= farthest + 0.02;
}

/* The object that the number names stands, at this very point, in one plane with what the ray names. */
static bool is_a_tie(int x, int y, const stn_picked *number, const stn_picked *ray)
{
    stn_pick_eye eye = {.view = world.frame.view,
                        .proj = world.frame.proj,
                        .time = (float)fmod(world.frame.time, 3000.0),
                        .wind = world.frame.wind[0]};
    stn_stage_window window = {x, y, 1.0, 1.0, W, H};
    size_t n = stn_stage_targets(world.stage, &world.frame, &window, true, near_ones, TARGETS);
    double of_number = INFINITY, of_ray = INFINITY;

    for (uint32_t i = 0; i < stn_view_draws(world.view); i++) {
        stn_pick_thing t;
        stn_pick_mask mask;
        stn_pick_hit hit;
        uint32_t id;
        int64_t object;

        if (!stn_view_thing(world.view, i, STN_DRAW_LAND | STN_DRAW_THING, &t, &mask, &id) || id > n ||
            (t.features & STN_MAT_WATER) || !stn_pick_nearest(&eye, x + 0.5, y + 0.5, W, H, &t, &hit))
            continue;
        object = near_ones[id - 1].object; /* 0: ground */
        if (object == number->object)
            of_number = fmin(of_number, hit.depth);
        if (object == ray->object)
            of_ray = fmin(of_ray, hit.depth);
    }
    return fabs(of_number - of_ray) < 8.0 * 2.0 / 16777216.0;
}

static void compare(const struct view *v)
{
    stn_idbuf ids;
    uint8_t *data;
    stn_err err = {0};
    size_t n;
    uint32_t seed = 2463534242u;
    unsigned agree = 0, edges = 0, ties = 0, objects = 0, ground = 0;

    scenery_run(&world, v->hour_seconds);
    scenery_eye(&world, spawn_x + v->dx, spawn_y + v->dy, v->up, v->distance, v->elevation, v->angle,
                v->field);
    scenery_draw(&world, NULL);
    assert_int_equal(stn_idbuf_init(&ids, &world.rec, W, H, &err), STN_OK);
    data = malloc(stn_idbuf_bytes(&ids));
    assert_non_null(data);
    n = stn_stage_targets(world.stage, &world.frame, NULL, true, all, TARGETS);
    if (!stn_idbuf_draw(&ids, &world.rec, world.view, &world.frame, 0, 0, W, H)) {
        stn_view_warm(world.view, INT64_MAX);
        assert_true(stn_idbuf_draw(&ids, &world.rec, world.view, &world.frame, 0, 0, W, H));
    }
    stn_idbuf_read(&ids, &world.rec, data);
    for (int i = 0; i < POINTS; i++) {
        int x = (int)(chance(&seed) % W), y = (int)(chance(&seed) % H);
        stn_picked number = by_number(data, x, y, n), ray = by_ray(x + 0.5, y + 0.5);

        objects += number.object != 0;
        ground += number.land;
        if (same(&number, &ray, 0.02))
            agree++;
        else if (at_an_edge(x, y, &number, &ray))
            edges++;
        else if (is_a_tie(x, y, &number, &ray))
            ties++;
        else
            fail_msg("%s: pixel %d,%d: number says object %lld, ground %d at %.2f,%.2f; ray %lld, %d at "
                     "%.2f,%.2f",
                     v->name, x, y, (long long)number.object, number.land, number.x, number.y,
                     (long long)ray.object, ray.land, ray.x, ray.y);
    }
    printf("%s: %zu targets; of %d points %u on objects, %u on ground; %u agree, %u at an edge, %u in one "
           "plane\n",
           v->name, n, POINTS, objects, ground, agree, edges, ties);
    assert_true(edges <= EDGES_MOST);
    assert_true(ties <= TIES_MOST);
    /* A picture of nothing would agree with anything. */
    assert_true(objects >= POINTS / 50);
    assert_true(ground >= POINTS / 4);
    free(data);
    stn_idbuf_fini(&ids, &world.rec);
}

static void ray_and_numbers_agree_on_random_points(void **state)
{
    (void)state;
    if (!drawable)
        return;
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        compare(&views[i]);
    assert_int_equal(stn_surface_debug_messages(world.surface), 0);
}

/* Asked pixel by pixel as a pointer does, the way through the small buffer gives what the whole picture gave.
 */
static void the_pixel_under_the_pointer_is_answered_in_order_without_waiting(void **state)
{
    static const int at[STN_PICKER_ASKED][2] = {{0, 0}, {320, 200}, {W - 1, H - 1}, {150, 150}};
    stn_picker *p;
    stn_picker_parts parts = {.rec = &world.rec, .view = world.view, .stage = world.stage, .numbers = true};
    stn_err err = {0};
    stn_picked got, want[STN_PICKER_ASKED];
    size_t n;
    stn_idbuf ids;
    uint8_t *data;
    int objects = 0;

    (void)state;
    if (!drawable)
        return;
    scenery_eye(&world, spawn_x, spawn_y - 30, 10, 300, 0.7, 2.2, 0);
    scenery_draw(&world, NULL);
    assert_int_equal(stn_idbuf_init(&ids, &world.rec, W, H, &err), STN_OK);
    data = malloc(stn_idbuf_bytes(&ids));
    assert_non_null(data);
    n = stn_stage_targets(world.stage, &world.frame, NULL, true, all, TARGETS);
    stn_idbuf_draw(&ids, &world.rec, world.view, &world.frame, 0, 0, W, H);
    stn_view_warm(world.view, INT64_MAX);
    assert_true(stn_idbuf_draw(&ids, &world.rec, world.view, &world.frame, 0, 0, W, H));
    stn_idbuf_read(&ids, &world.rec, data);
    for (int i = 0; i < STN_PICKER_ASKED; i++)
        want[i] = stn_picker_pixel(data, W, H, at[i][0], at[i][1], all, n);
    free(data);
    stn_idbuf_fini(&ids, &world.rec);

    assert_int_equal(stn_picker_new(&parts, &p, &err), STN_OK);
    assert_false(stn_picker_answer(p, 0, &got));
    assert_false(stn_picker_ask(p, &world.frame, -1, 5, W, H, 0));
    assert_false(stn_picker_ask(p, &world.frame, 5, H, W, H, 0));
    for (int i = 0; i < STN_PICKER_ASKED; i++)
        assert_true(stn_picker_ask(p, &world.frame, at[i][0], at[i][1], W, H, 0));
    assert_false(stn_picker_ask(p, &world.frame, 5, 5, W, H, 0)); /* no room */
    glFinish(); /* all copies are there: the next looks find them */
    for (int i = 0; i < STN_PICKER_ASKED; i++) {
        assert_true(stn_picker_answer(p, 0, &got));
        assert_int_equal(got.land, want[i].land);
        assert_int_equal(got.object, want[i].object);
        assert_true(fabs(got.x - want[i].x) < 0.01 && fabs(got.y - want[i].y) < 0.01);
    }
    assert_false(stn_picker_answer(p, 0, &got));
    /* The ground alone: things do not matter. */
    assert_int_equal(stn_picker_room(p), STN_PICKER_ASKED);
    for (int i = 0; i < STN_PICKER_ASKED; i++)
        assert_true(stn_picker_ask_land(p, &world.frame, at[i][0], at[i][1], W, H, 0));
    assert_int_equal(stn_picker_room(p), 0);
    glFinish();
    for (int i = 0; i < STN_PICKER_ASKED; i++) {
        assert_true(stn_picker_answer(p, 0, &got));
        assert_int_equal(got.land, want[i].land);
        assert_int_equal(got.object, 0);
        assert_true(fabs(got.x - want[i].x) < 0.01 && fabs(got.y - want[i].y) < 0.01);
        objects += want[i].object != 0;
    }
    assert_true(objects > 0); /* some stand in the way of the others' rays */
    stn_picker_free(p);
    assert_int_equal(stn_surface_debug_messages(world.surface), 0);
}

static void without_numbers_the_ray_answers_at_once(void **state)
{
    stn_picker *p;
    stn_picker_parts parts = {.rec = &world.rec, .view = world.view, .stage = world.stage};
    stn_err err = {0};
    stn_picked got, want;

    (void)state;
    if (!drawable)
        return;
    assert_int_equal(stn_picker_new(&parts, &p, &err), STN_OK);
    assert_true(stn_picker_ask(p, &world.frame, 320, 200, W, H, 0));
    assert_true(stn_picker_answer(p, 0, &got));
    want = by_ray(320.5, 200.5);
    assert_true(got.land);
    assert_int_equal(got.object, want.object);
    assert_true(got.x == want.x && got.y == want.y);
    stn_picker_free(p);
}

static void put(uint8_t *data, int x, int y, uint32_t thing)
{
    uint8_t *p = data + ((size_t)2 * 9 * 9 + (size_t)(9 - 1 - y) * 9 + (size_t)x) * 4;

    p[0] = (uint8_t)thing;
    p[1] = (uint8_t)(thing >> 8);
    p[3] = 255;
}

static int64_t object_near(const uint8_t *data)
{
    static const stn_stage_target to[300] = {
        [0] = {.object = 1001}, [1] = {.object = 1002}, [2] = {.object = 1003}, [299] = {.object = 1300}};

    return stn_picker_pixel(data, 9, 9, 4, 4, to, 300).object;
}

static void what_is_beside_the_pointer_counts_when_nothing_is_under_it(void **state)
{
    uint8_t data[9 * 9 * 12] = {0};

    (void)state;
    assert_int_equal(object_near(data), 0);
    put(data, 8, 4, 1); /* four pixels away */
    assert_int_equal(object_near(data), 0);
    put(data, 7, 4, 2); /* three */
    assert_int_equal(object_near(data), 1002);
    put(data, 7, 7, 300); /* a corner of the square is farther than the radius */
    assert_int_equal(object_near(data), 1002);
    put(data, 4, 6, 3); /* two */
    assert_int_equal(object_near(data), 1003);
    put(data, 2, 4, 300);
    put(data, 4, 2, 300); /* as near, and more of it */
    assert_int_equal(object_near(data), 1300);
    put(data, 6, 4, 3); /* as many: the lower number */
    assert_int_equal(object_near(data), 1003);
    put(data, 4, 4, 300); /* under it */
    assert_int_equal(object_near(data), 1300);
    put(data, 4, 4, 0xfffff); /* a number that nobody has */
    assert_int_equal(object_near(data), 0);
}

static void a_texel_is_solid_from_half_alpha_on_and_the_picture_repeats(void **state)
{
    static const uint8_t rgba[3 * 2 * 4] = {0, 0, 0, 127, 0, 0, 0, 128, 0, 0, 0, 255,
                                            0, 0, 0, 255, 0, 0, 0, 0,   0, 0, 0, 200};
    static const bool want[2][3] = {{false, true, true}, {true, false, true}};
    uint8_t bits[1];
    stn_pick_mask m = {3, 2, bits};

    (void)state;
    assert_int_equal(stn_pick_mask_bytes(3, 2), sizeof bits);
    assert_true(stn_pick_mask_fill(bits, rgba, 3, 2));
    for (int y = -2; y < 4; y++)
        for (int x = -3; x < 6; x++)
            assert_int_equal(stn_pick_mask_solid(&m, ((float)x + 0.5f) / 3.0f, ((float)y + 0.5f) / 2.0f),
                             want[(y + 2) % 2][(x + 3) % 3]);
    stn_pick_mask_solid(&m, NAN, INFINITY);
    assert_false(stn_pick_mask_fill(bits, rgba + 4, 2, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ray_and_numbers_agree_on_random_points),
        cmocka_unit_test(the_pixel_under_the_pointer_is_answered_in_order_without_waiting),
        cmocka_unit_test(without_numbers_the_ray_answers_at_once),
        cmocka_unit_test(what_is_beside_the_pointer_counts_when_nothing_is_under_it),
        cmocka_unit_test(a_texel_is_solid_from_half_alpha_on_and_the_picture_repeats),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
