/* What people put down, and who they are: from homestead to the caches of our client. */
#include "homestead_play.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POST "homestead/things/guidepost"

static void put(play *p, double x, double y)
{
    stn_putting at = {.x = x, .y = y, .angle = M_PI / 2, .button = 1};

    assert_int_equal(stn_game_put(p->game, stn_game_ghost(p->game)->number, &at, NULL), STN_OK);
    run(p, 0.5);
}

static void take_in_hand(play *p)
{
    stn_click c = click_on(p, "homestead/things/well");

    choose(p, &c, "Set up a guidepost");
    run(p, 20.0); /* it walks there */
    assert_true(stn_game_ghost(p->game)->number != 0);
}

static void count_post(void *user, stn_sim_obj *obj, double dist2)
{
    uint32_t *last = user;

    (void)dist2;
    if (stn_sim_id(obj) >= 0x03000000u && stn_sim_id(obj) < 0x04000000u) {
        last[0]++;
        last[1] = stn_sim_id(obj);
    }
}

/* How many there are within r of a place, and the number of one. */
static uint32_t posts(const play *p, double x, double y, uint32_t *id)
{
    uint32_t found[2] = {0};

    stn_sim_look(p->sim, x, y, 200.0, count_post, found);
    if (id)
        *id = found[1];
    return found[0];
}

static void a_thing_is_put_down_and_taken_away(void **state)
{
    play *p = calloc(1, sizeof *p);
    const stn_ghost *ghost;
    const stn_gob *g;
    const char *name;
    uint16_t version;
    uint32_t me, id = 0;
    double x, y;
    stn_click c = {.button = 3, .part = -1, .has_object = true};

    (void)state;
    begin(p, (stn_sim_settings){0});
    run(p, 2.0);
    ghost = stn_game_ghost(p->game);
    take_in_hand(p);
    assert_true(stn_sim_resource(p->sim, ghost->body.resid, &name, &version));
    assert_string_equal(name, POST);
    me = stn_game_where(p->game)->player;
    assert_true(stn_sim_place(p->sim, me, &x, &y));
    put(p, x + STN_SIM_PLACE_REACH + 20.0, y);
    assert_true(ghost->number != 0); /* too far: it is still in hand */
    assert_int_equal(posts(p, x, y, NULL), 0);
    put(p, x + 15.0, y + 3.0);
    assert_int_equal(ghost->number, 0);
    assert_int_equal(posts(p, x, y, &id), 1);
    g = shown(p, id);
    assert_true(fabs(g->x - (x + 15.0)) < 0.02 && fabs(g->y - (y + 3.0)) < 0.02);
    assert_true(fabs(g->angle - M_PI / 2) < 1e-3);
    /* Where one stands there is no room for another. */
    take_in_hand(p);
    assert_true(stn_sim_place(p->sim, me, &x, &y));
    put(p, g->x + 1.0, g->y);
    assert_true(ghost->number != 0);
    assert_int_equal(posts(p, x, y, NULL), 1);
    /* The right button leaves it off. */
    assert_int_equal(stn_game_put(p->game, ghost->number, &(stn_putting){.x = x, .y = y, .button = 3}, NULL),
                     STN_OK);
    run(p, 0.5);
    assert_int_equal(ghost->number, 0);
    assert_int_equal(posts(p, x, y, NULL), 1);
    assert_int_equal(stn_sim_in_hand(p->sim, me), 0);
    c.object = id;
    c.x = c.object_x = g->x;
    c.y = c.object_y = g->y;
    choose(p, &c, "Take away");
    run(p, 5.0);
    assert_int_equal(posts(p, x, y, NULL), 0);
    assert_null(stn_ocache_get(p->objects, id));
    end(p);
}

static uint32_t find_thing(const stn_land *land, const char *name)
{
    static stn_land_object objects[STN_LAND_MAX_OBJECTS];
    double x, y, angle;
    size_t n;

    stn_land_spawn(land, &x, &y, &angle);
    assert_int_equal(stn_land_objects(land, (int32_t)floor(x / 1100.0), (int32_t)floor(y / 1100.0), objects,
                                      STN_LAND_MAX_OBJECTS, &n),
                     STN_OK);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(objects[i].name, name))
            return objects[i].id;
    fail_msg("there is no %s", name);
    return 0;
}

static void ticks(stn_sim *sim, double *now, double seconds)
{
    for (double until = *now + seconds; *now < until; *now += STN_SIM_TICK_S)
        stn_sim_tick(sim, *now);
}

/* The nearest tile of water, its middle. */
static void find_water(const stn_land *land, double x, double y, double *wx, double *wy)
{
    size_t n;
    const stn_land_tileset *sets = stn_land_tilesets(land, &n);
    double least = INFINITY;
    int32_t tx = (int32_t)floor(x / 11.0), ty = (int32_t)floor(y / 11.0);

    for (int32_t dy = -60; dy <= 60; dy++)
        for (int32_t dx = -60; dx <= 60; dx++) {
            uint16_t tile = stn_land_tile(land, tx + dx, ty + dy);

            for (size_t i = 0; i < n; i++)
                if (sets[i].id == tile && strstr(sets[i].name, "/water") && hypot(dx, dy) < least) {
                    least = hypot(dx, dy);
                    *wx = (tx + dx) * 11.0 + 5.5;
                    *wy = (ty + dy) * 11.0 + 5.5;
                }
        }
    assert_true(isfinite(least));
}

static void only_so_many_are_put_down_and_on_dry_ground(void **state)
{
    stn_land *land = stn_land_new(1);
    stn_sim_settings set = {.land = land, .seed = 1};
    stn_sim *sim;
    uint32_t me, well = find_thing(land, "homestead/things/well");
    double x, y, wx = 0, wy = 0, now = 0.0;

    (void)state;
    assert_int_equal(stn_sim_new(&set, &sim, NULL), STN_OK);
    me = stn_sim_join(sim, "one");
    assert_true(stn_sim_place(sim, me, &x, &y));
    assert_non_null(stn_sim_put_down(sim, me, x, y, 0.0)); /* nothing is in hand */
    assert_non_null(stn_sim_put_down(sim, 12345, x, y, 0.0)); /* nobody */
    for (int i = 0; i <= STN_SIM_PLACED_EACH; i++) {
        stn_sim_do(sim, me, well, STN_DEED_PLACE);
        ticks(sim, &now, i ? 0.1 : 20.0);
        assert_true(stn_sim_in_hand(sim, me) != 0);
        assert_true(stn_sim_place(sim, me, &x, &y));
        assert_non_null(stn_sim_put_down(sim, me, NAN, y, 0.0));
        assert_non_null(stn_sim_put_down(sim, me, x, 1e300, 0.0));
        if (i < STN_SIM_PLACED_EACH)
            assert_null(stn_sim_put_down(sim, me, x + 6.0 * (i % 4), y + 6.0 * (i / 4), 1e9 * i));
        else
            assert_non_null(stn_sim_put_down(sim, me, x - 20.0, y, 0.0));
    }
    find_water(land, x, y, &wx, &wy);
    for (int i = 0; i < 5; i++) {
        stn_sim_walk(sim, me, wx, wy, 0);
        ticks(sim, &now, 20.0);
    }
    assert_true(stn_sim_place(sim, me, &x, &y));
    assert_true(hypot(x - wx, y - wy) < STN_SIM_PLACE_REACH);
    assert_string_equal(stn_sim_put_down(sim, me, wx, wy, 0.0), "Nothing can stand there.");
    stn_sim_free(sim);
    stn_land_free(land);
}

static void hostile_words_about_placing_do_no_harm(void **state)
{
    /* Names and encoded arguments to the map view, widget 2. */
    static const struct {
        const char *args;
        size_t len;
    } bad[] = {
        {"", 0},
        {"\4\1\4\1\4\1\4\1", 8}, /* a number for the place */
        {"\3\0\0\0\0\0\0\0\0", 9}, /* a place alone */
        {"\3\0\0\0\0\0\0\0\0\2x\0\4\1\4\0", 16}, /* a text for the angle */
        {"\3\377\377\377\177\0\0\0\200\1\377\377\377\177\4\1\4\0", 18}, /* the ends of everything */
        {"\3\0\0\0\0\0\0\0\0\4\0\1\0\0\0\200\4\0", 18}, /* a button that is none */
    };
    play *p = calloc(1, sizeof *p);
    stn_server_stats stats;
    double x, y;

    (void)state;
    begin(p, (stn_sim_settings){0});
    run(p, 2.0);
    for (int in_hand = 0; in_hand < 2; in_hand++) {
        if (in_hand)
            take_in_hand(p);
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
            assert_int_equal(
                stn_game_widget_message(p->game, 2, "place", (const uint8_t *)bad[i].args, bad[i].len, NULL),
                STN_OK);
        run(p, 1.0);
    }
    stn_server_get_stats(p->server, &stats);
    assert_int_equal(stats.malformed, 8);
    assert_int_equal(stats.clients, 1);
    assert_true(stn_sim_place(p->sim, stn_game_where(p->game)->player, &x, &y));
    assert_int_equal(posts(p, x, y, NULL), 0);
    assert_true(stn_game_ghost(p->game)->number != 0);
    put(p, x + 10.0, y); /* and it goes on as if nothing were */
    assert_int_equal(posts(p, x, y, NULL), 1);
    end(p);
}

/* The attribute of a person's name as the cache holds it; NULL: none. */
static const stn_published *name_of(const play *p, uint32_t person)
{
    const stn_gob *g = stn_ocache_get(p->objects, person);

    assert_non_null(g);
    return g->n_published ? &g->published[0] : NULL;
}

static void people_have_names_for_those_who_can_read_them(void **state)
{
    static const char odd[] =
        "\xff odd; a name that is longer than what is kept of one is cut, here: \xc3\xa9\xc3\xa9\xc3\xa9";
    const stn_published *n;
    uint32_t ann, other;

    (void)state;
    for (int twins = 0; twins < 2; twins++) {
        play *p = calloc(1, sizeof *p);

        p->protocol = twins ? STN_SESS_TWINS "/1" : NULL;
        begin(p, (stn_sim_settings){0});
        ann = stn_sim_join(p->sim, "Ann");
        other = stn_sim_join(p->sim, odd);
        run(p, 2.0);
        n = name_of(p, ann);
        if (!twins) {
            assert_null(n);
            assert_non_null(stn_ocache_get(p->objects, other));
            end(p);
            continue;
        }
        assert_non_null(n);
        assert_int_equal(n->len, 6);
        assert_memory_equal(n->data, "Ann\0\0\0", 6);
        n = name_of(p, other);
        assert_non_null(n);
        assert_true(n->len <= STN_SIM_NAME_MAX + 3);
        assert_memory_equal(n->data, odd, n->len - 3u); /* as it came, but for its end */
        assert_memory_equal(name_of(p, stn_game_where(p->game)->player)->data, "demo", 5);
        stn_sim_do(p->sim, other, ann, STN_DEED_JOIN);
        run(p, 3.0);
        assert_int_equal(name_of(p, ann)->data[4], 1); /* of the first party */
        assert_int_equal(name_of(p, other)->data[n->len - 2u], 1);
        stn_sim_do(p->sim, other, other, STN_DEED_LEAVE);
        run(p, 1.0);
        assert_int_equal(name_of(p, ann)->data[4], 0);
        end(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thing_is_put_down_and_taken_away),
        cmocka_unit_test(only_so_many_are_put_down_and_on_dry_ground),
        cmocka_unit_test(hostile_words_about_placing_do_no_harm),
        cmocka_unit_test(people_have_names_for_those_who_can_read_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
