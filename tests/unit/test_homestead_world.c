/* The whole way in process: our client's session, game state, map and object caches against homestead. */
#include "homestead/server.h"
#include "session/wire.h"
#include "world/game.h"
#include "world/mapcache.h"
#include "world/ocache.h"
#include "world/session/session.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct letter {
    double at;
    size_t len;
    uint8_t *data;
} letter;

typedef struct side {
    letter queue[4096];
    size_t n;
} side;

typedef struct play {
    stn_land *land;
    stn_sim *sim;
    stn_server *server;
    stn_session *session;
    stn_game *game;
    stn_mapcache *map;
    stn_ocache *objects;
    const char *protocol; /* that it speaks; NULL = as a stock client */
    side to_server, to_client;
    double now, server_wake, client_wake, ticked;
} play;

#define DELAY 0.03

static void post(side *s, double now, const uint8_t *data, size_t len)
{
    letter *l = &s->queue[s->n++];

    assert_true(s->n < 4096);
    *l = (letter){now + DELAY, len, malloc(len + 1)};
    memcpy(l->data, data, len);
}

static bool collect(side *s, double now, letter *out)
{
    if (!s->n || s->queue[0].at > now)
        return false;
    *out = s->queue[0];
    memmove(s->queue, s->queue + 1, --s->n * sizeof *s->queue);
    return true;
}

static stn_status traits(void *arg, uint16_t resid, stn_res_traits *out)
{
    (void)arg;
    (void)resid;
    *out = (stn_res_traits){.skeleton = true, .published = true};
    return STN_OK;
}

static bool overlay_done(void *arg, const stn_gob *g, const stn_overlay *ol)
{
    (void)arg;
    (void)g;
    (void)ol;
    return false;
}

static double ground(void *arg, bool drawn, double x, double y)
{
    (void)arg;
    (void)drawn;
    (void)x;
    (void)y;
    return 0.0;
}

static void send_to_server(void *arg, uint8_t type, const uint8_t *data, size_t len)
{
    play *p = arg;

    assert_int_equal(stn_session_queue(p->session, type, data, len, NULL), STN_OK);
    p->client_wake = p->now;
}

static void begin(play *p, stn_sim_settings sim)
{
    stn_session_settings set = stn_session_defaults();
    stn_server_settings server = {0};
    stn_game_hooks game = {.send = send_to_server, .arg = p};
    stn_ocache_hooks objects = {.traits = traits, .overlay_done = overlay_done, .height = ground, .arg = p};

    p->land = stn_land_new(1);
    sim.land = server.land = p->land;
    sim.seed = 3;
    sim.hour = -1;
    assert_int_equal(stn_sim_new(&sim, &p->sim, NULL), STN_OK);
    server.sim = p->sim;
    assert_int_equal(stn_server_new(&server, &p->server, NULL), STN_OK);
    set.user = "demo";
    set.protocol = p->protocol;
    set.cookie = (const uint8_t *)"";
    set.cookie_len = 1;
    assert_int_equal(stn_session_new(&set, &p->session, NULL), STN_OK);
    p->game = stn_game_new(&game, NULL);
    p->map = stn_mapcache_new(NULL, 0);
    p->objects = stn_ocache_new(&objects);
    assert_non_null(p->game);
    assert_non_null(p->map);
    assert_non_null(p->objects);
}

static void end(play *p)
{
    letter l;

    while (collect(&p->to_server, INFINITY, &l) || collect(&p->to_client, INFINITY, &l))
        free(l.data);
    stn_ocache_free(p->objects);
    stn_mapcache_free(p->map);
    stn_game_free(p->game);
    stn_session_free(p->session);
    stn_server_free(p->server);
    stn_sim_free(p->sim);
    stn_land_free(p->land);
    free(p);
}

static void deliver(play *p, const stn_delivery *d)
{
    stn_err err = {0};

    if (d->kind == STN_DELIVER_OBJD) {
        stn_ocache_receive(p->objects, &d->obj);
    } else if (d->kind == STN_DELIVER_MAP) {
        stn_status st = stn_mapcache_data(p->map, d->data, d->len, (int64_t)(p->now * 1000.0), &err);

        assert_true(st == STN_OK || st == STN_AGAIN);
    } else if (d->type != STN_RMSG_RESID && d->type != STN_RMSG_MAPIV) {
        assert_int_equal(stn_game_message(p->game, d->type, d->data, d->len, p->now, &err), STN_OK);
    }
}

static void ask(void *arg, stn_coord gc)
{
    play *p = arg;

    stn_session_mapreq(p->session, gc.x, gc.y);
    p->client_wake = p->now;
}

static void step_client(play *p, const letter *l)
{
    stn_datagram in = {l ? l->data : NULL, l ? l->len : 0};
    const stn_session_out *out = stn_session_step(p->session, p->now, &in, l ? 1 : 0);

    for (size_t i = 0; i < out->n_send; i++)
        post(&p->to_server, p->now, out->send[i].data, out->send[i].len);
    for (size_t i = 0; i < out->n_deliver; i++)
        deliver(p, &out->deliver[i]);
    p->client_wake = p->now + out->wait;
}

static void step_server(play *p, const letter *l)
{
    stn_server_datagram in = {
        .addr = {.len = 1, .bytes = {1}}, .data = l ? l->data : NULL, .len = l ? l->len : 0};
    const stn_server_datagram *send;
    double wait;
    size_t n = stn_server_step(p->server, p->now, &in, l ? 1 : 0, &send, &wait);

    for (size_t i = 0; i < n; i++)
        post(&p->to_client, p->now, send[i].data, send[i].len);
    p->server_wake = p->now + wait;
}

static void run(play *p, double seconds)
{
    double until = p->now + seconds;
    letter l;

    for (; p->now < until; p->now += 0.01) {
        while (collect(&p->to_server, p->now, &l)) {
            step_server(p, &l);
            free(l.data);
        }
        if (p->now >= p->server_wake)
            step_server(p, NULL);
        stn_mapcache_send(p->map, 2000 + (int64_t)(p->now * 1000.0), ask, p);
        while (collect(&p->to_client, p->now, &l)) {
            step_client(p, &l);
            free(l.data);
        }
        if (p->now >= p->client_wake)
            step_client(p, NULL);
        stn_ocache_pump(p->objects);
        stn_ocache_tick(p->objects, p->now - p->ticked);
        p->ticked = p->now;
    }
}

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

/* The thing of this name that is nearest to the spawn, as a right click on it. */
static stn_click click_on(const play *p, const char *name)
{
    static stn_land_object objects[STN_LAND_MAX_OBJECTS];
    stn_click c = {.button = 3, .part = -1, .has_object = true};
    double x, y, angle, nearest = INFINITY;
    size_t n;

    stn_land_spawn(p->land, &x, &y, &angle);
    assert_int_equal(stn_land_objects(p->land, (int32_t)floor(x / 1100.0), (int32_t)floor(y / 1100.0),
                                      objects, STN_LAND_MAX_OBJECTS, &n),
                     STN_OK);
    for (size_t i = 0; i < n; i++) {
        double far = hypot(objects[i].x - x, objects[i].y - y);

        if (strcmp(objects[i].name, name) || far > nearest)
            continue;
        nearest = far;
        c.object = objects[i].id;
        c.x = c.object_x = objects[i].x;
        c.y = c.object_y = objects[i].y;
    }
    assert_true(c.object != 0);
    return c;
}

/* Right click, and the option of the menu that has this text. */
static void choose(play *p, const stn_click *c, const char *text)
{
    const stn_menu *m = stn_game_menu(p->game);
    size_t i = 0;

    assert_int_equal(stn_game_click(p->game, c, NULL), STN_OK);
    run(p, 0.5);
    assert_true(m->number != 0);
    assert_int_equal(m->object, c->object);
    while (i < m->n && strcmp(m->options[i], text))
        i++;
    assert_true(i < m->n);
    assert_int_equal(stn_game_choose(p->game, m->number, (int32_t)i, 0, NULL), STN_OK);
    run(p, 0.5);
    assert_int_equal(m->number, 0);
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

static const stn_gob *shown(const play *p, uint32_t id)
{
    const stn_gob *g = stn_ocache_get(p->objects, id);

    assert_non_null(g);
    assert_int_equal(g->drawable.kind, STN_DRAW_RESOURCE);
    return g;
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
        cmocka_unit_test(a_thing_is_put_down_and_taken_away),
        cmocka_unit_test(only_so_many_are_put_down_and_on_dry_ground),
        cmocka_unit_test(hostile_words_about_placing_do_no_harm),
        cmocka_unit_test(people_have_names_for_those_who_can_read_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
