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

void begin(play *p, stn_sim_settings sim)
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

void end(play *p)
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

void step_server(play *p, const letter *l)
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

void run(play *p, double seconds)
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

stn_click click_on(const play *p, const char *name)
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

void choose(play *p, const stn_click *c, const char *text)
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

const stn_gob *shown(const play *p, uint32_t id)
{
    const stn_gob *g = stn_ocache_get(p->objects, id);

    assert_non_null(g);
    assert_int_equal(g->drawable.kind, STN_DRAW_RESOURCE);
    return g;
}
