/* scenario-viewer: a viewer without a picture. Subscribes to an instance's world, keeps what it is told as a
 * renderer would, checks the rules of the conversation, and ends when what was asked for is there. Prints one
 * line of JSON.
 *
 *   scenario-viewer --instance NAME [--cuts N] [--entities N] [--grids N] [--seconds S] [--walk DX,DY]
 * [--spectator]
 *                   [--sessions N] [--stay S]
 *
 * --cuts: ground products of the frame shown; --stay: goes on so long after everything is there, and what it
 * holds must still be complete then. Exit 0: all there; 1: not in time, or a rule was broken. */
#include "base/clock.h"
#include "base/opts.h"
#include "base/table.h"
#include "bus/array.h"
#include "bus/bus.h"
#include "bus/credit.h"
#include "map/product.h"

#include "proto/world.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#define WINDOW_BYTES (8u << 20)
#define WINDOW_MESSAGES 256

typedef struct viewer {
    stn_loop *loop;
    stn_bus *bus;
    stn_conv *link;
    stn_timer *timer;
    stn_table *entities; /* id -> incarnation + 1 */
    stn_table *cuts; /* place and half -> product + 1 */
    stn_table *grids;
    stn_grant credit;
    uint64_t session;
    bool has_player, driver, walked, ready_told;
    int64_t player;
    double px, py; /* of the player's placement */
    double walk_x, walk_y;
    bool wants_walk, spectator;
    size_t want_cuts, want_entities, want_grids, want_sessions;
    size_t sessions, snapshots, updates, products, drops, gaps, broken, ups, downs, failures;
    uint64_t product_bytes;
    int64_t begun_ns, deadline_ns, stay_ns, complete_ns, first_complete_ns, down_ns;
    char why[200];
    bool done, ok;
} viewer;

static void broken(viewer *v, const char *what)
{
    if (v->broken++ == 0)
        snprintf(v->why, sizeof v->why, "%.190s", what);
}

static size_t ground_cuts(const viewer *v)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *value;
    while (stn_table_next(v->cuts, &it, &key, &value))
        n += !(key & 1);
    return n;
}

static void subscribe(viewer *v, stn_peer *peer)
{
    Stenness__Subscribe s = STENNESS__SUBSCRIBE__INIT;
    Stenness__Focus f = STENNESS__FOCUS__INIT;
    uint64_t bytes, messages;

    stn_grant_init(&v->credit, WINDOW_BYTES, WINDOW_MESSAGES);
    stn_grant_due(&v->credit, &bytes, &messages);
    f.follow_player = true;
    f.range = 1100;
    f.cut_view = 2;
    s.spectator_only = v->spectator;
    s.focus = &f;
    s.bulk_bytes = bytes;
    s.bulk_messages = (uint32_t)messages;
    stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_SUBSCRIBE, 0, 0, &s.base, NULL);
}

static void on_up(void *ctx, stn_peer *peer)
{
    viewer *v = ctx;
    v->ups++;
    subscribe(v, peer);
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    viewer *v = ctx;
    (void)peer;
    (void)why;
    v->downs++;
    v->down_ns = stn_loop_now(v->loop)->now_ns;
    v->session = 0;
}

static void on_gap(void *ctx, stn_peer *peer, uint32_t stream, uint64_t expected, uint64_t got)
{
    viewer *v = ctx;
    (void)stream;
    (void)expected;
    (void)got;
    v->gaps++;
    subscribe(v, peer);
}

static stn_status on_frame(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__FrameBegin *f = stn_msg_body(msg);

    (void)peer;
    (void)err;
    if (f->session != v->session) {
        v->sessions += f->session > 0;
        v->walked = false;
        v->complete_ns = 0;
        stn_table_clear(v->entities);
        stn_table_clear(v->cuts);
        stn_table_clear(v->grids);
    }
    v->session = f->session;
    v->has_player = f->has_player;
    v->player = f->player;
    v->driver = f->driver;
    return STN_OK;
}

static void note_player(viewer *v, const Stenness__Entity *e)
{
    for (size_t i = 0; i < e->n_components; i++) {
        Stenness__Placement *p;
        if (e->components[i]->type != STENNESS__COMPONENT_TYPE__COMPONENT_PLACEMENT)
            continue;
        p = stenness__placement__unpack(NULL, e->components[i]->value.len, e->components[i]->value.data);
        if (!p) {
            broken(v, "a placement cannot be read");
            return;
        }
        v->px = p->x;
        v->py = p->y;
        stenness__placement__free_unpacked(p, NULL);
    }
}

static stn_status on_entities(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__Entities *m = stn_msg_body(msg);

    (void)peer;
    (void)err;
    for (size_t i = 0; i < m->n_removed_ids; i++)
        if ((uintptr_t)stn_table_remove(v->entities, (uint64_t)m->removed_ids[i]) !=
            m->removed_incarnations[i] + 1)
            broken(v, "an entity leaves that was not here");
    for (size_t i = 0; i < m->n_entities; i++) {
        const Stenness__Entity *e = m->entities[i];
        uintptr_t held = (uintptr_t)stn_table_get(v->entities, (uint64_t)e->id);
        if (!e->fresh && held != e->incarnation + 1)
            broken(v, "an update for an entity that is not held");
        stn_table_put(v->entities, (uint64_t)e->id, (void *)(uintptr_t)(e->incarnation + 1), NULL);
        if (v->has_player && e->id == v->player)
            note_player(v, e);
        v->updates += e->n_components;
    }
    return STN_OK;
}

static stn_status on_grid(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    static const stn_array_rule tiles = {"tiles", STENNESS__ELEMENT_FORMAT__ELEMENT_U16, 10000, 10000, false};
    static const stn_array_rule heights = {"heights", STENNESS__ELEMENT_FORMAT__ELEMENT_F32, 10000, 10000,
                                           false};
    viewer *v = ctx;
    const Stenness__Grid *g = stn_msg_body(msg);
    stn_array a;

    (void)peer;
    if (stn_array_view(g->tiles, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &tiles, &a, err) !=
            STN_OK ||
        stn_array_view(g->heights, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &heights, &a, err) !=
            STN_OK)
        broken(v, err->text);
    if (g->n_tile_ids == 0 || g->n_tile_ids != g->n_tileset_names)
        broken(v, "a grid whose tilesets are not named");
    stn_table_put(v->grids, stn_coord_key((stn_coord){g->x, g->y}), v, NULL);
    return STN_OK;
}

static stn_status on_grid_drop(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__GridDrop *d = stn_msg_body(msg);
    (void)peer;
    (void)err;
    for (size_t i = 0; i < d->n_x && i < d->n_y; i++)
        stn_table_remove(v->grids, stn_coord_key((stn_coord){d->x[i], d->y[i]}));
    return STN_OK;
}

static uint64_t cut_key(int32_t gx, int32_t gy, uint32_t cut, uint32_t half)
{
    return ((uint64_t)(uint32_t)gx & 0xffffff) << 36 | ((uint64_t)(uint32_t)gy & 0xffffff) << 8 |
           (uint64_t)(cut & 15) << 1 | (half & 1);
}

static stn_status on_cut(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__Cut *c = stn_msg_body(msg);
    uint64_t bytes, messages;
    Stenness__ViewCredit credit = STENNESS__VIEW_CREDIT__INIT;
    size_t len = stn_msg_bulk_count(msg) ? stn_frame_len(stn_msg_bulk(msg, 0)) : 0;

    (void)err;
    stn_grant_took(&v->credit, len);
    if (stn_grant_overdrawn(&v->credit))
        broken(v, "more products than credit");
    if (stn_grant_due(&v->credit, &bytes, &messages)) {
        credit.bulk_bytes = bytes;
        credit.bulk_messages = (uint32_t)messages;
        stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_CREDIT, 0, 0, &credit.base, NULL);
    }
    if (c->frame_session != v->session)
        return STN_OK;
    /* A cut that cannot be built is told as such, with product 0: the picture waits for it no longer. */
    v->failures += c->failed[0] != '\0';
    v->products += c->failed[0] == '\0';
    v->product_bytes += len;
    stn_table_put(v->cuts, cut_key(c->grid_x, c->grid_y, c->cut_x + 4 * c->cut_y, (uint32_t)c->half),
                  (void *)(uintptr_t)(c->product + 1), NULL);
    return STN_OK;
}

static stn_status on_cut_drop(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__CutDrop *d = stn_msg_body(msg);
    (void)peer;
    (void)err;
    for (size_t i = 0; d->frame_session == v->session && i < d->n_cut; i++) {
        v->drops++;
        stn_table_remove(v->cuts, cut_key(d->grid_x[i], d->grid_y[i], d->cut[i], d->half[i]));
    }
    return STN_OK;
}

static stn_status on_tick(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__Tick *t = stn_msg_body(msg);
    (void)peer;
    (void)err;
    if (t->snapshot_done && v->snapshots++ == 0)
        fprintf(stderr, "snapshot\n");
    return STN_OK;
}

static stn_status on_other(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    (void)ctx;
    (void)peer;
    (void)msg;
    (void)err;
    return STN_OK;
}

#define KIND(name, type, max, fn)                                                                            \
    {                                                                                                        \
        STENNESS__VIEW_KIND__VIEW_##name, #name, max, &stenness__##type##__descriptor, fn, false             \
    }
static const stn_handler handlers[] = {
    KIND(FRAME_BEGIN, frame_begin, 4096, on_frame),
    KIND(GRID, grid, 1 << 20, on_grid),
    KIND(GRID_DROP, grid_drop, 1 << 16, on_grid_drop),
    KIND(GLOBAL, global, 1 << 16, on_other),
    KIND(ENTITIES, entities, 1 << 20, on_entities),
    KIND(CUT, cut, 16 << 20, on_cut),
    KIND(CUT_DROP, cut_drop, 1 << 16, on_cut_drop),
    KIND(SESSION, session, 1 << 16, on_other),
    KIND(GROUND, ground, 4096, on_other),
    KIND(TICK, tick, 4096, on_tick),
    KIND(CHAT, chat, 1 << 16, on_other),
};

static void walk(viewer *v)
{
    stn_peer *world = stn_conv_peer(v->link);
    Stenness__Act a = STENNESS__ACT__INIT;

    if (!world || !v->driver || v->walked || stn_table_count(v->entities) == 0)
        return;
    a.kind = STENNESS__ACT_KIND__ACT_CLICK;
    a.frame_session = v->session;
    a.x = v->px + v->walk_x;
    a.y = v->py + v->walk_y;
    a.button = 1;
    a.mesh_part = -1;
    v->walked = stn_peer_say(world, STENNESS__VIEW_KIND__VIEW_ACT, 0, 0, &a.base, NULL) == STN_OK;
}

static bool complete(const viewer *v)
{
    return v->session > 0 && v->sessions >= v->want_sessions && v->snapshots > 0 &&
           ground_cuts(v) >= v->want_cuts && stn_table_count(v->entities) >= v->want_entities &&
           stn_table_count(v->grids) >= v->want_grids;
}

static void on_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    viewer *v = ctx;

    if (v->wants_walk)
        walk(v);
    if (complete(v)) {
        if (!v->first_complete_ns)
            v->first_complete_ns = turn->now_ns;
        if (!v->complete_ns)
            v->complete_ns = turn->now_ns;
        if (!v->ready_told) {
            v->ready_told = true;
            fprintf(stderr, "complete\n");
        }
        v->done = turn->now_ns - v->complete_ns >= v->stay_ns;
        v->ok = v->done;
    }
    v->done |= turn->now_ns > v->deadline_ns || v->broken > 0;
    if (v->done)
        stn_loop_stop(v->loop);
    stn_timer_in(timer, 20 * STN_MS);
}

static const stn_opt options[] = {
    {"cuts", STN_OPT_INT, "25", 0, 1000, "N", "ground cuts to wait for"},
    {"entities", STN_OPT_INT, "1", 0, 1000000, "N", "entities to wait for"},
    {"grids", STN_OPT_INT, "9", 0, 1000, "N", "grids to wait for"},
    {"sessions", STN_OPT_INT, "1", 1, 1000, "N", "frames that must have begun"},
    {"seconds", STN_OPT_REAL, "30", 0, 3600, "S", "give up after"},
    {"stay", STN_OPT_REAL, "0", 0, 3600, "S", "go on so long when everything is there"},
    {"walk", STN_OPT_TEXT, NULL, 0, 0, "DX,DY", "click there, from where the player stands, map units"},
    {"spectator", STN_OPT_SWITCH, NULL, 0, 0, NULL, "only look"},
};

int main(int argc, char **argv)
{
    static const stn_opts_spec spec = {.program = "scenario-viewer",
                                       .summary = "a viewer without a picture",
                                       .opts = options,
                                       .count = sizeof options / sizeof options[0]};
    static viewer v;
    stn_opts *o;
    stn_err err = {0};
    stn_conv_spec conv = {.name = "world",
                          .handlers = handlers,
                          .n_handlers = sizeof handlers / sizeof handlers[0],
                          .ctx = &v,
                          .up = on_up,
                          .down = on_down,
                          .gap = on_gap};

    if (stn_opts_parse(&spec, argc, argv, &o) != STN_OPTS_RUN)
        return EX_USAGE;
    v.want_cuts = (size_t)stn_opts_int(o, "cuts");
    v.want_entities = (size_t)stn_opts_int(o, "entities");
    v.want_grids = (size_t)stn_opts_int(o, "grids");
    v.want_sessions = (size_t)stn_opts_int(o, "sessions");
    v.spectator = stn_opts_switch(o, "spectator");
    v.stay_ns = (int64_t)(stn_opts_real(o, "stay") * 1e9);
    v.wants_walk = sscanf(stn_opts_text(o, "walk"), "%lf,%lf", &v.walk_x, &v.walk_y) == 2;
    v.entities = stn_table_new();
    v.cuts = stn_table_new();
    v.grids = stn_table_new();
    v.begun_ns = stn_clock_ns();
    v.deadline_ns = v.begun_ns + (int64_t)(stn_opts_real(o, "seconds") * 1e9);
    if (stn_loop_new(&v.loop, &err) != STN_OK || stn_loop_stop_on_signals(v.loop, &err) != STN_OK ||
        stn_bus_new(v.loop,
                    &(stn_bus_spec){.kind = "viewer", .instance = stn_opts_instance(o), .unnumbered = true},
                    &v.bus, &err) != STN_OK ||
        stn_bus_connect(v.bus, &conv, &v.link, &err) != STN_OK ||
        !(v.timer = stn_timer_new(v.loop, "look", on_timer, &v))) {
        fprintf(stderr, "scenario-viewer: %s\n", err.text);
        return EXIT_FAILURE;
    }
    stn_timer_in(v.timer, 20 * STN_MS);
    if (stn_loop_run(v.loop, &err) != STN_OK)
        fprintf(stderr, "scenario-viewer: %s\n", err.text);
    printf(
        "{\"ok\":%s,\"ground_cuts\":%zu,\"cuts\":%zu,\"entities\":%zu,\"grids\":%zu,\"sessions\":%zu,"
        "\"snapshots\":%zu,"
        "\"updates\":%zu,\"products\":%zu,\"product_bytes\":%llu,\"failures\":%zu,\"drops\":%zu,\"gaps\":%"
        "zu,\"ups\":%zu,"
        "\"driver\":%s,"
        "\"player_x\":%.2f,\"player_y\":%.2f,\"complete_s\":%.3f,\"after_down_s\":%.3f,\"broken\":\"%s\"}\n",
        v.ok && !v.broken ? "true" : "false", ground_cuts(&v), stn_table_count(v.cuts),
        stn_table_count(v.entities), stn_table_count(v.grids), v.sessions, v.snapshots, v.updates, v.products,
        (unsigned long long)v.product_bytes, v.failures, v.drops, v.gaps, v.ups, v.driver ? "true" : "false",
        v.px, v.py, v.first_complete_ns ? (double)(v.first_complete_ns - v.begun_ns) * 1e-9 : -1.0,
        v.down_ns ? (double)(v.first_complete_ns - v.down_ns) * 1e-9 : -1.0, v.why);
    stn_conv_free(v.link);
    stn_bus_free(v.bus);
    stn_timer_free(v.timer);
    stn_loop_free(v.loop);
    stn_table_free(v.entities);
    stn_table_free(v.cuts);
    stn_table_free(v.grids);
    stn_opts_free(o);
    return v.ok && !v.broken ? EXIT_SUCCESS : EXIT_FAILURE;
}
