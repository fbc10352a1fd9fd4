/* The whole way in process: our client's session, game state, map and object caches against homestead. */
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

/* How far what the client shows of an object is from where it is. */
static double apart(const play *p, uint32_t id)
{
    const stn_gob *g = stn_ocache_get(p->objects, id);
    float shown[3];
    double x, y;

    assert_non_null(g);
    assert_true(stn_sim_place(p->sim, id, &x, &y));
    stn_ocache_position(p->objects, g, shown);
    return hypot(shown[0] - x, shown[1] - y);
}

static void the_ground_arrives_as_the_land_is(void **state)
{
    play *p = calloc(1, sizeof *p);
    const stn_game_place *where;
    stn_coord gc;
    const stn_grid *g;
    static stn_land_grid_data want;

    (void)state;
    begin(p, (stn_sim_settings){0});
    run(p, 1.0);
    where = stn_game_where(p->game);
    assert_true(where->in_world);
    gc = (stn_coord){(int32_t)floor(where->x / 1100.0), (int32_t)floor(where->y / 1100.0)};
    assert_null(stn_mapcache_need(p->map, gc));
    run(p, 1.0);
    g = stn_mapcache_held(p->map, gc);
    assert_non_null(g);
    assert_int_equal(stn_land_grid(p->land, gc.x, gc.y, &want), STN_OK);
    assert_int_equal(g->id, want.id);
    assert_memory_equal(g->tiles, want.tiles, sizeof want.tiles);
    for (size_t i = 0; i < STN_GRID_CELLS; i++)
        assert_true(fabsf(g->z[i] - want.z[i]) < 1e-3f);
    end(p);
}

static void a_walk_is_shown_where_it_is(void **state)
{
    play *p = calloc(1, sizeof *p);
    uint32_t me;
    double x, y, nx, ny, farthest = 0.0;
    stn_click c = {.button = 1, .part = -1};

    (void)state;
    begin(p, (stn_sim_settings){0});
    run(p, 2.0);
    me = stn_game_where(p->game)->player;
    assert_true(apart(p, me) < 0.02);
    assert_true(stn_sim_place(p->sim, me, &x, &y));
    c.x = x + 60.0;
    c.y = y + 20.0;
    assert_int_equal(stn_game_click(p->game, &c, NULL), STN_OK);
    for (int i = 0; i < 40; i++) {
        run(p, 0.1);
        farthest = fmax(farthest, apart(p, me));
    }
    assert_true(stn_sim_place(p->sim, me, &nx, &ny));
    assert_true(hypot(nx - x, ny - y) > 10.0);
    /* The line's delay and the client's caution (it runs at nine tenths between two words) stay small. */
    assert_true(farthest < 6.0);
    assert_true(apart(p, me) < 0.02);
    end(p);
}

static void all_that_moves_is_understood_and_followed(void **state)
{
    play *p = calloc(1, sizeof *p);
    stn_ocache_stats stats;
    size_t moving = 0, near = 0;

    (void)state;
    begin(p, (stn_sim_settings){.objects = 100, .movers = 300, .scatter = 500.0});
    run(p, 25.0);
    stn_ocache_get_stats(p->objects, &stats);
    assert_int_equal(stats.dropped_attributes, 0);
    assert_int_equal(stats.dropped_records, 0);
    assert_true(stats.objects > 300);
    for (size_t i = 0; i < stn_ocache_count(p->objects); i++) {
        const stn_gob *g = stn_ocache_at(p->objects, i);
        uint32_t id = (uint32_t)g->id;

        if (id < 0x02000000u || id >= 0x10000000u || !stn_sim_find(p->sim, id))
            continue;
        moving++;
        near += apart(p, id) < 6.0;
    }
    assert_true(moving > 300);
    assert_true(near * 100 > moving * 97);
    end(p);
}

static void a_door_opens_and_stays_as_it_was_left(void **state)
{
    play *p = calloc(1, sizeof *p);
    double x, y, angle;
    stn_click c;
    uint8_t used[STN_SIM_USED_BYTES];
    stn_buf before = {0}, after = {0}, again = {0};

    (void)state;
    begin(p, (stn_sim_settings){0});
    run(p, 2.0);
    stn_land_spawn(p->land, &x, &y, &angle);
    c = click_on(p, "homestead/things/cupboard");
    stn_sim_write(p->sim, stn_sim_find(p->sim, c.object), INT32_MIN, false, &before, used);
    choose(p, &c, "Open");
    run(p, 20.0);
    stn_sim_write(p->sim, stn_sim_find(p->sim, c.object), INT32_MIN, false, &after, used);
    assert_true(before.len != after.len || memcmp(before.data, after.data, before.len));

    /* Everyone leaves, the land rests, somebody comes back. */
    stn_server_close_all(p->server);
    step_server(p, NULL);
    for (double t = p->now; t < p->now + 70.0; t += STN_SIM_TICK_S)
        stn_sim_tick(p->sim, t);
    assert_null(stn_sim_find(p->sim, c.object));
    stn_sim_wake(p->sim, x, y, 500.0);
    stn_sim_tick(p->sim, p->now + 71.0);
    stn_sim_tick(p->sim, p->now + 71.05);
    assert_non_null(stn_sim_find(p->sim, c.object));
    stn_sim_write(p->sim, stn_sim_find(p->sim, c.object), INT32_MIN, false, &again, used);
    assert_int_equal(again.len, after.len);
    assert_memory_equal(again.data, after.data, after.len);
    stn_buf_fini(&before);
    stn_buf_fini(&after);
    stn_buf_fini(&again);
    end(p);
}

static void a_menu_follows_what_it_is_about(void **state)
{
    play *p = calloc(1, sizeof *p);
    const stn_menu *m;
    stn_click c;
    int32_t first;

    (void)state;
    begin(p, (stn_sim_settings){0});
    m = stn_game_menu(p->game);
    run(p, 2.0);
    c = click_on(p, "homestead/things/campfire");
    assert_int_equal(shown(p, c.object)->drawable.res.len, 0); /* burns, and smokes */
    assert_int_equal(shown(p, c.object)->n_overlays, 1);
    first = shown(p, c.object)->overlays[0].id;
    choose(p, &c, "Put out");
    run(p, 5.0);
    assert_int_equal(shown(p, c.object)->drawable.res.len, 1);
    assert_int_equal(shown(p, c.object)->n_overlays, 0);
    choose(p, &c, "Light");
    run(p, 5.0);
    assert_int_equal(shown(p, c.object)->drawable.res.len, 0);
    assert_int_equal(shown(p, c.object)->n_overlays, 1);
    assert_int_not_equal(shown(p, c.object)->overlays[0].id, first);
    /* Nothing is done with a fence. */
    c = click_on(p, "homestead/things/fence");
    assert_int_equal(stn_game_click(p->game, &c, NULL), STN_OK);
    run(p, 0.5);
    assert_int_equal(m->number, 0);
    /* A menu that is left, one that another takes the place of, and one that a walk ends. */
    c = click_on(p, "homestead/things/campfire");
    assert_int_equal(stn_game_click(p->game, &c, NULL), STN_OK);
    run(p, 0.5);
    assert_int_equal(stn_game_choose(p->game, m->number, -1, 0, NULL), STN_OK);
    run(p, 0.5);
    assert_int_equal(stn_game_click(p->game, &c, NULL), STN_OK);
    run(p, 0.5);
    c = click_on(p, "homestead/things/cupboard");
    assert_int_equal(stn_game_click(p->game, &c, NULL), STN_OK);
    run(p, 0.5);
    assert_int_equal(m->object, c.object);
    c.button = 1;
    c.has_object = false;
    assert_int_equal(stn_game_click(p->game, &c, NULL), STN_OK);
    run(p, 0.5);
    assert_int_equal(m->number, 0);
    end(p);
}

static void a_harvested_plant_is_small_and_grows_again(void **state)
{
    play *p = calloc(1, sizeof *p);
    stn_click c;
    uint8_t left;

    (void)state;
    begin(p, (stn_sim_settings){0});
    run(p, 2.0);
    c = click_on(p, "homestead/bushes/bush");
    /* Near enough to be seen, wherever it grows. */
    stn_sim_wake(p->sim, c.x, c.y, 10.0);
    {
        stn_sim_offer offers[STN_SIM_OFFERS];
        uint32_t me = stn_game_where(p->game)->player;

        assert_int_equal(stn_sim_offers(p->sim, me, c.object, offers), 1);
        assert_int_equal(offers[0].deed, STN_DEED_HARVEST);
    }
    choose(p, &c, "Harvest");
    run(p, 70.0);
    left = shown(p, c.object)->drawable.res.sdt[1];
    assert_true(left >= STN_SIM_BARE && left < STN_SIM_RIPE);
    assert_int_equal(stn_game_click(p->game, &c, NULL), STN_OK);
    run(p, 0.5);
    assert_int_equal(stn_game_menu(p->game)->number, 0); /* there is nothing to harvest */
    run(p, 90.0);
    assert_true(shown(p, c.object)->drawable.res.sdt[1] >= left + 2);
    end(p);
}

static void a_cave_is_entered_and_left(void **state)
{
    play *p = calloc(1, sizeof *p);
    stn_click c;
    uint32_t me;
    double x, y, up_x, up_y;
    stn_coord gc;
    const stn_grid *g;
    size_t dug = 0;

    (void)state;
    begin(p, (stn_sim_settings){0});
    run(p, 2.0);
    me = stn_game_where(p->game)->player;
    c = click_on(p, "homestead/things/cavemouth");
    choose(p, &c, "Crawl in");
    run(p, 60.0); /* the way there */
    assert_true(stn_sim_place(p->sim, me, &x, &y));
    assert_true(x > 100000.0 && y > 100000.0);
    assert_true(apart(p, me) < 0.02);
    gc = (stn_coord){(int32_t)floor(x / 1100.0), (int32_t)floor(y / 1100.0)};
    stn_mapcache_need(p->map, gc);
    run(p, 2.0);
    g = stn_mapcache_held(p->map, gc);
    assert_non_null(g);
    for (size_t i = 0; i < STN_GRID_CELLS; i++) {
        assert_true(g->z[i] == g->z[0]);
        assert_true(g->tiles[i] == 5 || g->tiles[i] == 40);
        dug += g->tiles[i] == 5;
    }
    assert_true(dug > 200 && dug < STN_GRID_CELLS / 2);
    /* Rock is not walked through. */
    stn_sim_walk(p->sim, me, x - 1100.0, y, 0);
    run(p, 40.0);
    assert_true(stn_sim_place(p->sim, me, &up_x, &up_y));
    assert_int_equal(stn_land_tile(p->land, (int32_t)floor(up_x / 11.0), (int32_t)floor(up_y / 11.0)), 5);
    /* Out again by the mouth inside. */
    c.object = 0;
    for (size_t i = 0; i < stn_ocache_count(p->objects); i++) {
        const stn_gob *o = stn_ocache_at(p->objects, i);

        if (o->id >= 0x10000000 && o->drawable.kind == STN_DRAW_RESOURCE && o->x > 100000.0)
            c.object = (uint32_t)o->id;
    }
    assert_true(c.object != 0);
    choose(p, &c, "Crawl in");
    run(p, 60.0);
    assert_true(stn_sim_place(p->sim, me, &x, &y));
    assert_true(x < 10000.0 && y < 10000.0);
    assert_int_equal(stn_game_where(p->game)->player, me);
    end(p);
}

static void a_party_is_formed_and_left(void **state)
{
    play *p = calloc(1, sizeof *p);
    const stn_party *party;
    stn_click c = {.button = 3, .part = -1, .has_object = true};
    uint32_t me, other;
    double x, y;

    (void)state;
    begin(p, (stn_sim_settings){0});
    party = stn_game_party(p->game);
    run(p, 2.0);
    me = stn_game_where(p->game)->player;
    assert_int_equal(party->own, me);
    assert_int_equal(party->n, 0);
    other = stn_sim_join(p->sim, "other");
    run(p, 1.0);
    assert_true(stn_sim_place(p->sim, other, &c.x, &c.y));
    c.object = other;
    choose(p, &c, "Go along");
    run(p, 5.0);
    assert_int_equal(party->n, 2);
    assert_true(party->has_leader);
    assert_int_equal(party->leader, other); /* who was asked */
    assert_int_equal(party->members[1].id, me);
    assert_true(party->members[0].placed && party->members[1].placed);
    /* It walks: its place is told again. */
    stn_sim_walk(p->sim, other, c.x + 60.0, c.y, 0);
    run(p, 5.0);
    assert_true(stn_sim_place(p->sim, other, &x, &y));
    assert_true(hypot(x - c.x, y - c.y) > 5.0);
    assert_true(fabs(party->members[0].x - x) < 0.1 && fabs(party->members[0].y - y) < 0.1);
    /* Alone again. */
    assert_true(stn_sim_place(p->sim, me, &c.x, &c.y));
    c.object = me;
    choose(p, &c, "Leave the party");
    run(p, 1.0);
    assert_int_equal(party->n, 0);
    assert_null(stn_sim_party_of(p->sim, other));
    end(p);
}

static void all_are_of_one_party_when_so_set(void **state)
{
    play *p = calloc(1, sizeof *p);
    const stn_party *party;
    uint32_t others[3];

    (void)state;
    begin(p, (stn_sim_settings){.one_party = true, .movers = 20});
    party = stn_game_party(p->game);
    run(p, 1.0);
    assert_int_equal(party->n, 0); /* nobody to go with */
    for (int i = 0; i < 3; i++)
        others[i] = stn_sim_join(p->sim, "other");
    run(p, 1.0);
    assert_int_equal(party->n, 4);
    assert_int_equal(party->leader, stn_game_where(p->game)->player);
    stn_sim_leave(p->sim, others[0]);
    run(p, 1.0);
    assert_int_equal(party->n, 3);
    stn_sim_leave(p->sim, others[1]);
    stn_sim_leave(p->sim, others[2]);
    run(p, 1.0);
    assert_int_equal(party->n, 0);
    end(p);
}

/* The sky at each hour of a day of the year, as the client takes it. */
static void skies_of(double year, stn_globals out[24])
{
    stn_land *land = stn_land_new(1);
    stn_sim_settings set = {
        .land = land, .seed = 1, .hour = 0.0, .year = year, .day_speed = 3600.0, .clouds = true};
    stn_sim *sim;

    assert_int_equal(stn_sim_new(&set, &sim, NULL), STN_OK);
    for (int h = 0; h < 24; h++) {
        stn_buf b = {0};

        stn_sim_tick(sim, h);
        stn_sim_globlob(sim, true, &b);
        stn_globals_init(&out[h], 1.0);
        assert_int_equal(stn_globals_message(&out[h], b.data, b.len, 1.0, NULL), STN_OK);
        assert_int_equal(out[h].n_weather, 1);
        assert_int_equal(out[h].weather[0].resid, stn_sim_clouds(sim));
        stn_globals_fini(&out[h]);
        stn_buf_fini(&b);
    }
    stn_sim_free(sim);
    stn_land_free(land);
}

static void days_are_long_in_summer_and_short_in_winter(void **state)
{
    stn_globals at[4][24];

    (void)state;
    for (int season = 0; season < 4; season++) {
        skies_of(0.005 + season * 0.25, at[season]);
        for (int h = 0; h < 24; h++) {
            const stn_globals *g = &at[season][h];

            assert_int_equal(g->season, season);
            assert_true(g->season_part > 0.0 && g->season_part < 1.0);
            assert_true(g->has_light && g->light.elevation > 0.0 && g->light.elevation < M_PI / 2);
            if (h < 4 || h > 22)
                assert_true(g->night);
            if (h > 9 && h < 17)
                assert_false(g->night);
        }
    }
    /* Five in the morning and eight in the evening: day as summer begins, night as winter does. */
    assert_false(at[1][5].night || at[1][20].night);
    assert_true(at[3][5].night && at[3][20].night);
    assert_true(at[3][18].light.diffuse[0] < at[1][18].light.diffuse[0]);
    /* Noon is noon. */
    assert_memory_equal(at[3][12].light.diffuse, at[1][12].light.diffuse, 4);
}

static void people_enter_where_it_is_set(void **state)
{
    stn_land *land = stn_land_new(1);
    stn_sim_settings set = {.land = land, .seed = 1};
    stn_sim *sim;
    double x, y;
    uint32_t first, second;

    (void)state;
    stn_land_set_spawn(land, 30000.0, -12000.0);
    assert_int_equal(stn_sim_new(&set, &sim, NULL), STN_OK);
    first = stn_sim_join(sim, "one");
    second = stn_sim_join(sim, "two");
    assert_true(stn_sim_place(sim, first, &x, &y));
    assert_true(hypot(x - 30000.0, y + 12000.0) < 100.0);
    assert_true(stn_sim_place(sim, second, &x, &y));
    assert_true(hypot(x - 30000.0, y + 12000.0) < 100.0);
    stn_sim_free(sim);
    stn_land_free(land);
}

static void a_line_of_chat_is_spoken(void **state)
{
    play *p = calloc(1, sizeof *p);
    stn_ocache_stats stats;
    stn_buf b = {0};

    (void)state;
    begin(p, (stn_sim_settings){0});
    run(p, 2.0);
    assert_int_equal(stn_game_chat(p->game, "well met", NULL), STN_OK);
    run(p, 1.0);
    stn_sim_write(p->sim, stn_sim_find(p->sim, stn_game_where(p->game)->player), INT32_MIN, false, &b, NULL);
    assert_non_null(memmem(b.data, b.len, "well met", 9));
    run(p, 10.0);
    stn_buf_clear(&b);
    stn_sim_write(p->sim, stn_sim_find(p->sim, stn_game_where(p->game)->player), INT32_MIN, false, &b, NULL);
    assert_null(memmem(b.data, b.len, "well met", 9));
    stn_ocache_get_stats(p->objects, &stats);
    assert_int_equal(stats.dropped_attributes, 0);
    stn_buf_fini(&b);
    end(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ground_arrives_as_the_land_is),
        cmocka_unit_test(a_walk_is_shown_where_it_is),
        cmocka_unit_test(all_that_moves_is_understood_and_followed),
        cmocka_unit_test(a_door_opens_and_stays_as_it_was_left),
        cmocka_unit_test(a_menu_follows_what_it_is_about),
        cmocka_unit_test(a_harvested_plant_is_small_and_grows_again),
        cmocka_unit_test(a_cave_is_entered_and_left),
        cmocka_unit_test(a_party_is_formed_and_left),
        cmocka_unit_test(all_are_of_one_party_when_so_set),
        cmocka_unit_test(days_are_long_in_summer_and_short_in_winter),
        cmocka_unit_test(people_enter_where_it_is_set),
        cmocka_unit_test(a_line_of_chat_is_spoken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
