/* The client's session against the server's core, in process, in virtual time, over a line that loses,
 * repeats, delays and reorders. */
#include "base/hash.h"
#include "base/table.h"
#include "homestead/server.h"
#include "res/values.h"
#include "session/objdata.h"
#include "session/wire.h"
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

/* ---- a line that misbehaves, the same way for the same seed */

typedef struct flight {
    double at;
    uint64_t order;
    bool to_server;
    size_t len;
    uint8_t *data;
    unsigned client;
} flight;

typedef struct line {
    double loss, dup, delay, jitter;
    uint64_t chance, order;
    flight *air;
    size_t n, cap;
} line;

static double chance01(line *l)
{
    uint64_t z = l->chance += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void line_send(line *l, double now, bool to_server, unsigned client, const uint8_t *data, size_t len)
{
    unsigned copies = chance01(l) < l->loss ? 0 : 1;

    if (chance01(l) < l->dup)
        copies++;
    for (; copies; copies--) {
        if (l->n == l->cap) {
            l->cap = l->cap ? l->cap * 2 : 1024;
            l->air = realloc(l->air, l->cap * sizeof *l->air);
            assert_non_null(l->air);
        }
        l->air[l->n] = (flight){
            now + l->delay + l->jitter * chance01(l), l->order++, to_server, len, malloc(len + 1), client};
        memcpy(l->air[l->n].data, data, len);
        l->n++;
    }
}

/* Takes the earliest datagram that has arrived; the caller frees its data. */
static bool line_take(line *l, double now, bool to_server, unsigned client, flight *out)
{
    size_t best = l->n;

    for (size_t i = 0; i < l->n; i++)
        if (l->air[i].at <= now && l->air[i].to_server == to_server &&
            (to_server || l->air[i].client == client) &&
            (best == l->n || l->air[i].at < l->air[best].at ||
             (l->air[i].at == l->air[best].at && l->air[i].order < l->air[best].order)))
            best = i;
    if (best == l->n)
        return false;
    *out = l->air[best];
    l->air[best] = l->air[--l->n];
    return true;
}

static void line_fini(line *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->air[i].data);
    free(l->air);
}

/* ---- what a client knows, in its simplest form */

typedef struct known {
    uint32_t id;
    int32_t frame;
    bool gone;
    uint8_t attrs[256][64]; /* last bytes of each attribute type; longer ones by their hash */
    uint8_t len[256];
} known;

typedef struct test_client {
    unsigned number;
    stn_session *session;
    double wake;
    stn_table *objects;
    uint64_t messages_hash; /* of all reliable messages in order, time left out */
    size_t n_messages, n_maps;
    uint32_t player;
    uint8_t beast[4096]; /* resource numbers whose name says that they roam */
    bool in_game;
    stn_session_end end;
} test_client;

static void forget_object(test_client *c, uint32_t id)
{
    free(stn_table_remove(c->objects, id));
}

/* The frame rules of docs/spec/object-cache.md A1.1, with the state of an object as its last attributes. */
static void take_delta(test_client *c, const stn_objdelta *d)
{
    known *k = stn_table_get(c->objects, d->id);
    size_t pos = 0;
    stn_objattr a;

    if (d->removal) {
        if (k && k->frame <= d->frame - 1)
            k->gone = true;
        return;
    }
    if (d->initframe > 0 && k && k->frame <= d->initframe - 1)
        k->gone = true;
    if (k && k->gone) {
        if (k->frame >= d->frame)
            return;
        forget_object(c, d->id);
        k = NULL;
    }
    if (k && k->frame >= d->frame)
        return;
    if (!k) {
        k = calloc(1, sizeof *k);
        assert_non_null(k);
        k->id = d->id;
        assert_true(stn_table_put(c->objects, d->id, k, NULL));
    }
    k->frame = d->frame;
    while (stn_objdelta_attr(d, &pos, &a)) {
        size_t n = a.len < sizeof k->attrs[0] ? a.len : sizeof k->attrs[0];

        memcpy(k->attrs[a.type], a.data, n);
        k->len[a.type] = (uint8_t)n;
    }
}

static void take_message(test_client *c, const stn_delivery *d)
{
    c->n_messages++;
    /* Time runs on, and which resource is named first depends on when the client came. A person's number
     * depends on how many came before, so it counts as 0. */
    if (d->type != STN_RMSG_GLOBLOB && d->type != STN_RMSG_RESID) {
        c->messages_hash = stn_hash_feed(c->messages_hash, &d->type, 1);
        for (size_t i = 0; i < d->len; i++) {
            bool person =
                i + 5 <= d->len && d->data[i] == STN_TAG_INT && stn_ld32(d->data + i + 1) >> 16 == 0x100;

            c->messages_hash = stn_hash_feed(c->messages_hash, d->data + i, 1);
            i += person ? 4 : 0;
        }
    }
    if (d->type == STN_RMSG_RESID && strstr((const char *)d->data + 2, "/beasts/"))
        c->beast[stn_ld16(d->data) % sizeof c->beast] = 1;
    if (d->type == STN_RMSG_NEWWDG) {
        stn_bytes in = stn_bytes_of(d->data, d->len);

        stn_bytes_i32(&in);
        if (!strcmp(stn_bytes_cstr(&in, NULL), "mapview")) {
            c->in_game = true;
            c->player = stn_ld32(d->data + d->len - 4);
        }
    }
}

typedef struct world {
    stn_land *land;
    stn_sim *sim;
    stn_server *server;
    line line;
    double now, server_wake;
    test_client clients[4];
    unsigned n;
} world;

static stn_conn_addr addr_of(unsigned client)
{
    return (stn_conn_addr){.len = 4, .bytes = {127, 0, 0, (uint8_t)(client + 1)}};
}

static void run_client(world *w, test_client *c)
{
    flight f[64];
    stn_datagram in[64];
    size_t n = 0, at = 0;

    while (n < 64 && line_take(&w->line, w->now, false, c->number, &f[n])) {
        in[n] = (stn_datagram){f[n].data, f[n].len};
        n++;
    }
    if (!n && w->now < c->wake)
        return;
    do {
        const stn_session_out *out = stn_session_step(c->session, w->now, in + at, n - at);

        at += out->taken;
        for (size_t i = 0; i < out->n_send; i++)
            line_send(&w->line, w->now, true, c->number, out->send[i].data, out->send[i].len);
        for (size_t i = 0; i < out->n_deliver; i++) {
            if (out->deliver[i].kind == STN_DELIVER_OBJD)
                take_delta(c, &out->deliver[i].obj);
            else if (out->deliver[i].kind == STN_DELIVER_RMSG)
                take_message(c, &out->deliver[i]);
            else
                c->n_maps++;
        }
        c->wake = w->now + out->wait;
        if (out->phase == STN_SESSION_DONE) {
            c->wake = INFINITY;
            break;
        }
    } while (at < n);
    for (size_t i = 0; i < n; i++)
        free(f[i].data);
}

static void run_server(world *w)
{
    flight f[256];
    stn_server_datagram in[256];
    const stn_server_datagram *send;
    size_t n = 0, n_send;
    double wait;

    while (n < 256 && line_take(&w->line, w->now, true, 0, &f[n])) {
        in[n] = (stn_server_datagram){addr_of(f[n].client), f[n].data, f[n].len};
        n++;
    }
    if (!n && w->now < w->server_wake)
        return;
    n_send = stn_server_step(w->server, w->now, in, n, &send, &wait);
    for (size_t i = 0; i < n_send; i++)
        line_send(&w->line, w->now, false, send[i].addr.bytes[3] - 1u, send[i].data, send[i].len);
    w->server_wake = w->now + wait;
    for (size_t i = 0; i < n; i++)
        free(f[i].data);
}

static void run_until(world *w, double until)
{
    for (; w->now < until; w->now += 0.005) {
        run_server(w);
        for (unsigned i = 0; i < w->n; i++)
            run_client(w, &w->clients[i]);
    }
}

static void begin_world(world *w, stn_server_settings server, stn_sim_settings sim, line l)
{
    stn_err err = {0};

    *w = (world){.line = l};
    w->land = stn_land_new(1);
    assert_non_null(w->land);
    sim.land = w->land;
    sim.hour = -1.0;
    assert_int_equal(stn_sim_new(&sim, &w->sim, &err), STN_OK);
    server.land = w->land;
    server.sim = w->sim;
    assert_int_equal(stn_server_new(&server, &w->server, &err), STN_OK);
}

static test_client *enter(world *w, stn_session_settings set)
{
    static const uint8_t cookie[1] = {0};
    test_client *c = &w->clients[w->n];
    stn_err err = {0};

    set.cookie = set.cookie ? set.cookie : cookie;
    set.cookie_len = set.cookie_len ? set.cookie_len : 1;
    *c = (test_client){
        .number = w->n, .objects = stn_table_new(), .messages_hash = STN_HASH_START, .wake = w->now};
    assert_int_equal(stn_session_new(&set, &c->session, &err), STN_OK);
    w->n++;
    return c;
}

static void free_client(test_client *c)
{
    size_t it = 0;
    uint64_t key;
    void *value;

    stn_session_free(c->session);
    while (stn_table_next(c->objects, &it, &key, &value))
        free(value);
    stn_table_free(c->objects);
}

static void end_world(world *w)
{
    for (unsigned i = 0; i < w->n; i++)
        free_client(&w->clients[i]);
    stn_server_free(w->server);
    stn_sim_free(w->sim);
    stn_land_free(w->land);
    line_fini(&w->line);
}

static void click(world *w, test_client *c, double x, double y)
{
    stn_buf b = {0};

    stn_buf_u32(&b, 2);
    stn_buf_cstr(&b, "click");
    for (int i = 0; i < 2; i++) {
        stn_buf_u8(&b, STN_TAG_COORD);
        stn_buf_u32(&b, (uint32_t)(int32_t)floor(x / STN_SIM_UNIT));
        stn_buf_u32(&b, (uint32_t)(int32_t)floor(y / STN_SIM_UNIT));
    }
    stn_buf_u8(&b, STN_TAG_UINT8);
    stn_buf_u8(&b, 1);
    stn_buf_u8(&b, STN_TAG_UINT8);
    stn_buf_u8(&b, 0);
    assert_int_equal(stn_session_queue(c->session, STN_RMSG_WDGMSG, b.data, b.len, NULL), STN_OK);
    c->wake = w->now;
    stn_buf_fini(&b);
}

static stn_session_settings named(const char *user)
{
    stn_session_settings set = stn_session_defaults();

    set.user = user;
    return set;
}

static size_t alive(const test_client *c)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *value;

    while (stn_table_next(c->objects, &it, &key, &value))
        n += !((known *)value)->gone;
    return n;
}

/* The things that stand within r of a point, each with what it is and where it stands, and the client's own
 * person. What roams is left out: where it is depends on the moment. */
static uint64_t objects_hash(const test_client *c, double x, double y, double r)
{
    size_t it = 0;
    uint64_t key, sum = 0;
    void *value;

    while (stn_table_next(c->objects, &it, &key, &value)) {
        const known *k = value;
        double dx = (int32_t)stn_ld32(k->attrs[STN_OD_MOVE]) * STN_SIM_UNIT - x;
        double dy = (int32_t)stn_ld32(k->attrs[STN_OD_MOVE] + 4) * STN_SIM_UNIT - y;
        uint64_t h = STN_HASH_START;

        if (k->gone || hypot(dx, dy) > r || (k->len[STN_OD_COMPOSE] && k->id != c->player) ||
            c->beast[(stn_ld16(k->attrs[STN_OD_RES]) & 0x7fff) % sizeof c->beast])
            continue;
        if (k->id != c->player)
            h = stn_hash_feed(h, &k->id, sizeof k->id);
        h = stn_hash_feed(h, k->attrs[STN_OD_MOVE], k->len[STN_OD_MOVE]);
        if (k->len[STN_OD_RES] >= 2) /* not the state behind it: trees grow */
            h = stn_hash_feed(h, k->attrs[STN_OD_RES], 2);
        sum += h; /* the order of a table is nobody's business */
    }
    return sum;
}

/* ---- promises */

static void a_client_enters_sees_and_walks(void **state)
{
    world w;
    test_client *c;
    known *me;
    double x, y;

    (void)state;
    begin_world(&w, (stn_server_settings){0}, (stn_sim_settings){.seed = 1},
                (line){.delay = 0.01, .chance = 1});
    c = enter(&w, named("demo"));
    run_until(&w, 2.0);
    assert_true(c->in_game);
    assert_true(alive(c) > 20);
    me = stn_table_get(c->objects, c->player);
    assert_non_null(me);
    assert_int_equal(me->len[STN_OD_MOVE], 10);
    assert_true(me->len[STN_OD_COMPOSE] == 2);

    stn_session_mapreq(c->session, 0, 0);
    c->wake = w.now;
    run_until(&w, 2.5);
    assert_true(c->n_maps > 3);

    assert_true(stn_sim_place(w.sim, c->player, &x, &y));
    click(&w, c, x + 40.0, y);
    run_until(&w, 3.0);
    assert_int_equal(me->len[STN_OD_LINBEG], 16);
    assert_true(me->len[STN_OD_LINSTEP] == 8);
    run_until(&w, 5.0);
    /* It stands again: the stop was told, and the place is where the walk ended. */
    assert_int_equal((int32_t)stn_ld32(me->attrs[STN_OD_LINSTEP]), -1);
    {
        double nx, ny;

        assert_true(stn_sim_place(w.sim, c->player, &nx, &ny));
        assert_true(hypot(nx - x, ny - y) > 5.0);
        assert_int_equal((int32_t)stn_ld32(me->attrs[STN_OD_MOVE]), (int32_t)floor(nx / STN_SIM_UNIT));
    }
    end_world(&w);
}

static void what_is_out_of_sight_is_removed(void **state)
{
    world w;
    test_client *c;
    size_t it = 0;
    uint64_t key;
    void *value;
    double x, y;

    (void)state;
    begin_world(&w, (stn_server_settings){.range = 200.0}, (stn_sim_settings){.seed = 1, .objects = 500},
                (line){.delay = 0.01, .chance = 2});
    c = enter(&w, named("demo"));
    for (int i = 1; i <= 20; i++) {
        run_until(&w, 2.0 * i);
        assert_true(stn_sim_place(w.sim, c->player, &x, &y));
        click(&w, c, x + (i < 10 ? 150.0 : -150.0), y + 20.0);
    }
    run_until(&w, 44.0);
    assert_true(stn_sim_place(w.sim, c->player, &x, &y));
    while (stn_table_next(c->objects, &it, &key, &value)) {
        const known *k = value;
        double ox, oy;

        if (k->gone)
            continue;
        assert_true(stn_sim_place(w.sim, k->id, &ox, &oy));
        assert_true(hypot(ox - x, oy - y) <= 200.0 * 1.1 + 20.0);
    }
    assert_true(alive(c) < stn_table_count(c->objects)); /* something was removed on the way */
    end_world(&w);
}

typedef struct outcome {
    uint64_t objects, messages;
    size_t n;
} outcome;

/* One run: enter, walk a way there and half back, settle. What the client knows at the end. */
static outcome lossy_run(line l)
{
    world w;
    test_client *c;
    outcome o;
    double x, y, angle;

    begin_world(&w, (stn_server_settings){.range = 600.0}, (stn_sim_settings){.seed = 7, .objects = 200}, l);
    c = enter(&w, named("demo"));
    run_until(&w, 20.0);
    /* Five requests can all be lost on such a line; whoever wants to play then asks again. */
    while (!c->in_game && stn_session_get_result(c->session).code == STN_SESS_NO_CONNECTION && w.n < 4) {
        c = enter(&w, named("demo"));
        run_until(&w, w.now + 20.0);
    }
    assert_true(c->in_game);
    stn_land_spawn(w.land, &x, &y, &angle);
    click(&w, c, x + 60.0, y + 10.0);
    run_until(&w, w.now + 15.0);
    click(&w, c, x + 30.0, y + 5.0);
    run_until(&w, w.now + 25.0);
    o.objects = objects_hash(c, x, y, 500.0);
    o.messages = c->messages_hash;
    o.n = alive(c);
    assert_int_equal(stn_session_phase_now(c->session), STN_SESSION_MAIN);
    end_world(&w);
    return o;
}

static void a_bad_line_ends_in_the_same_state(void **state)
{
    outcome clean = lossy_run((line){.delay = 0.01, .chance = 1});
    const char *seeds = getenv("STN_TEST_SEEDS");
    uint64_t n = seeds ? strtoull(seeds, NULL, 10) : 5;

    (void)state;
    assert_true(clean.n > 100);
    for (uint64_t seed = 1; seed <= n; seed++) {
        outcome o =
            lossy_run((line){.loss = 0.2, .dup = 0.2, .delay = 0.3, .jitter = 0.2, .chance = seed * 1000});

        assert_int_equal(o.messages, clean.messages);
        assert_int_equal(o.objects, clean.objects);
    }
}

static void a_second_session_displaces_or_is_refused(void **state)
{
    world w;
    test_client *a, *b;

    (void)state;
    begin_world(&w, (stn_server_settings){0}, (stn_sim_settings){.seed = 1},
                (line){.delay = 0.01, .chance = 3});
    a = enter(&w, named("demo"));
    run_until(&w, 1.0);
    b = enter(&w, named("demo"));
    run_until(&w, 3.0);
    assert_int_equal(stn_session_get_result(a->session).end, STN_SESSION_END_PEER);
    assert_true(b->in_game);
    end_world(&w);

    begin_world(&w, (stn_server_settings){.refuse_second = true}, (stn_sim_settings){.seed = 1},
                (line){.delay = 0.01, .chance = 4});
    a = enter(&w, named("demo"));
    run_until(&w, 1.0);
    b = enter(&w, named("demo"));
    run_until(&w, 3.0);
    assert_true(a->in_game);
    assert_int_equal(stn_session_get_result(b->session).end, STN_SESSION_END_REFUSED);
    assert_int_equal(stn_session_get_result(b->session).code, STN_SESS_BUSY);
    end_world(&w);
}

static bool one_cookie(void *user, const char *name, uint8_t *cookie, size_t *len)
{
    (void)user;
    if (strcmp(name, "demo") || *len < 4)
        return false;
    memcpy(cookie, "abcd", 4);
    *len = 4;
    return true;
}

static void a_sealed_session_works_and_a_wrong_cookie_does_not(void **state)
{
    world w;
    test_client *a, *b;
    stn_session_settings set = named("demo");

    (void)state;
    begin_world(&w, (stn_server_settings){.cookie = one_cookie}, (stn_sim_settings){.seed = 1},
                (line){.delay = 0.01, .chance = 5, .loss = 0.1, .dup = 0.1});
    set.encrypt = true;
    memset(set.salt, 7, sizeof set.salt);
    set.cookie = (const uint8_t *)"abcd";
    set.cookie_len = 4;
    a = enter(&w, set);
    run_until(&w, 6.0);
    assert_true(a->in_game);
    assert_true(alive(a) > 20);
    set.cookie = (const uint8_t *)"abce";
    b = enter(&w, set);
    run_until(&w, 16.0);
    assert_int_equal(stn_session_get_result(b->session).code, STN_SESS_BAD_COOKIE);
    end_world(&w);
}

static void known_chance(void *user, uint8_t *out, size_t len)
{
    (void)user;
    memset(out, 0x5a, len);
}

static uint32_t find_boat(const world *w)
{
    static stn_land_object objects[STN_LAND_MAX_OBJECTS];
    double x, y, angle;
    size_t n;

    stn_land_spawn(w->land, &x, &y, &angle);
    assert_int_equal(stn_land_objects(w->land, (int32_t)floor(x / 1100.0), (int32_t)floor(y / 1100.0),
                                      objects, STN_LAND_MAX_OBJECTS, &n),
                     STN_OK);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(objects[i].name, "homestead/things/rowboat"))
            return objects[i].id;
    return 0;
}

static void handed(world *w, test_client *c, uint8_t code)
{
    uint8_t res[] = {100, 0, 0, 0, 'r', 'e', 's', 0, STN_TAG_UINT8, code};

    assert_int_equal(stn_session_queue(c->session, STN_RMSG_WDGMSG, res, sizeof res, NULL), STN_OK);
    c->wake = w->now;
}

static void a_hand_over_lets_its_user_in_once_more(void **state)
{
    static uint8_t cookie[32];
    world w;
    test_client *first, *second, *third;
    stn_session_settings set = named("demo");
    stn_server_stats stats;

    (void)state;
    known_chance(NULL, cookie, sizeof cookie);
    set.cookie = cookie;
    set.cookie_len = sizeof cookie;
    begin_world(&w, (stn_server_settings){.chance = known_chance, .host = "127.0.0.1", .port = 1870},
                (stn_sim_settings){.seed = 1, .travel = true}, (line){.delay = 0.01, .chance = 1});
    first = enter(&w, named("demo"));
    run_until(&w, 1.0);
    stn_sim_do(w.sim, first->player, find_boat(&w), STN_DEED_TRAVEL);
    run_until(&w, 15.0);
    second = enter(&w, set);
    run_until(&w, 16.0);
    stn_server_get_stats(w.server, &stats);
    assert_int_equal(stats.clients, 2);
    assert_int_equal(stats.handed, 1);
    assert_int_equal(stats.displaced, 0);
    assert_true(second->in_game && second->player != first->player);
    handed(&w, first, 0);
    run_until(&w, 20.0);
    assert_int_equal(stn_session_phase_now(first->session), STN_SESSION_DONE); /* closed from there */
    assert_int_equal(stn_session_phase_now(second->session), STN_SESSION_MAIN);
    stn_server_get_stats(w.server, &stats);
    assert_int_equal(stats.clients, 1);
    /* The cookie was good once: now it opens the door as any other, and the old session goes. */
    third = enter(&w, set);
    run_until(&w, 22.0);
    stn_server_get_stats(w.server, &stats);
    assert_int_equal(stats.handed, 1);
    assert_int_equal(stats.displaced, 1);
    assert_int_equal(stn_session_phase_now(third->session), STN_SESSION_MAIN);
    end_world(&w);
}

static void closing_is_orderly_both_ways(void **state)
{
    world w;
    test_client *a, *b;
    stn_server_stats stats;

    (void)state;
    begin_world(&w, (stn_server_settings){0}, (stn_sim_settings){.seed = 1},
                (line){.delay = 0.01, .chance = 6});
    a = enter(&w, named("one"));
    b = enter(&w, named("two"));
    run_until(&w, 2.0);
    stn_server_get_stats(w.server, &stats);
    assert_int_equal(stats.clients, 2);
    stn_session_close(a->session);
    a->wake = w.now;
    run_until(&w, 3.0);
    assert_int_equal(stn_session_phase_now(a->session), STN_SESSION_DONE);
    stn_server_close_all(w.server);
    w.server_wake = w.now;
    run_until(&w, 5.0);
    assert_int_equal(stn_session_phase_now(b->session), STN_SESSION_DONE);
    assert_int_equal(stn_session_get_result(b->session).end, STN_SESSION_END_PEER);
    stn_server_get_stats(w.server, &stats);
    assert_int_equal(stats.clients, 0);
    end_world(&w);
}

static void the_same_seed_gives_the_same_world(void **state)
{
    line l = {.loss = 0.1, .delay = 0.05, .jitter = 0.05, .chance = 9};
    outcome a = lossy_run(l), b = lossy_run(l);

    (void)state;
    assert_int_equal(a.objects, b.objects);
    assert_int_equal(a.messages, b.messages);
    assert_int_equal(a.n, b.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_enters_sees_and_walks),
        cmocka_unit_test(what_is_out_of_sight_is_removed),
        cmocka_unit_test(a_bad_line_ends_in_the_same_state),
        cmocka_unit_test(a_second_session_displaces_or_is_refused),
        cmocka_unit_test(a_sealed_session_works_and_a_wrong_cookie_does_not),
        cmocka_unit_test(a_hand_over_lets_its_user_in_once_more),
        cmocka_unit_test(closing_is_orderly_both_ways),
        cmocka_unit_test(the_same_seed_gives_the_same_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
