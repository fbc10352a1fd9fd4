#include "renderer/net/net_impl.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 4096
#define QUESTIONS 64
#define WAITING_MAX 20000 /* events that may wait here for room */
#define BULK_WINDOW (24u << 20)
#define BULK_MESSAGES 64
#define STATE_STREAM 0

void stn_net_event_free(stn_net_event *e)
{
    if (!e)
        return;
    stn_msg_unref(e->msg);
    free(e);
}

/* --- to the build thread --- */

static void flush(stn_net *n)
{
    while (n->first && stn_spsc_give(n->events, n->first->event)) {
        waiting_event *w = n->first;

        n->first = w->next;
        if (!n->first)
            n->last = NULL;
        n->waiting--;
        free(w);
    }
}

static void subscribe(stn_net *n);

/* Of a link; NULL: it is away, or there are no links. */
static stn_peer *net_peer(stn_conv *c)
{
    return c ? stn_conv_peer(c) : NULL;
}

static void drop_waiting(stn_net *n)
{
    while (n->first) {
        waiting_event *w = n->first;

        n->first = w->next;
        stn_net_event_free(w->event);
        free(w);
    }
    n->last = NULL;
    n->waiting = 0;
}

static void give_event(stn_net *n, stn_net_event_kind kind, stn_msg *msg, uint64_t epoch, const char *name,
                       int32_t version)
{
    stn_net_event *e = calloc(1, sizeof *e);
    waiting_event *w;

    flush(n);
    if (!e)
        return;
    e->kind = kind;
    e->msg = msg ? stn_msg_ref(msg) : NULL;
    e->epoch = epoch;
    e->came_ns = stn_clock_ns();
    e->version = version;
    if (name)
        snprintf(e->name, sizeof e->name, "%s", name);
    if (!n->first && stn_spsc_give(n->events, e))
        return;
    w = n->waiting < WAITING_MAX ? calloc(1, sizeof *w) : NULL;
    if (!w) {
        /* The build thread is far behind: what waits is dropped, and the view is asked for anew. */
        stn_net_event_free(e);
        drop_waiting(n);
        if (stn_log_due(&n->behind))
            stn_log_warn("the scene is far behind world: asking for the view anew");
        subscribe(n);
        return;
    }
    w->event = e;
    if (n->last)
        n->last->next = w;
    else
        n->first = w;
    n->last = w;
    n->waiting++;
}

static void on_flush(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_net *n = ctx;

    (void)turn;
    flush(n);
    stn_timer_in(timer, 5 * STN_MS);
}

/* --- world --- */

static void fill_focus(const stn_net *n, Stenness__Focus *f)
{
    f->follow_player = 1;
    f->range = n->options.range;
    f->lod_bias = 1.0;
    f->cut_view = n->options.cut_view;
    f->frame_session = n->sight_frame;
    f->eye_x = n->sight.eye_x;
    f->eye_y = n->sight.eye_y;
    f->look_x = n->sight.x;
    f->look_y = n->sight.y;
    f->look_cos = n->sight.cos;
}

static void subscribe(stn_net *n)
{
    Stenness__Subscribe s = STENNESS__SUBSCRIBE__INIT;
    Stenness__Focus f = STENNESS__FOCUS__INIT;
    stn_peer *peer = net_peer(n->world);
    stn_err err = {0};
    uint64_t bytes = 0, messages = 0;

    if (!peer)
        return;
    stn_grant_init(&n->grant, BULK_WINDOW, BULK_MESSAGES);
    stn_grant_due(&n->grant, &bytes, &messages);
    fill_focus(n, &f);
    s.wants_driver = !n->options.spectator;
    s.spectator_only = n->options.spectator;
    s.focus = &f;
    s.bulk_bytes = bytes;
    s.bulk_messages = (uint32_t)messages;
    if (stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_SUBSCRIBE, STATE_STREAM, 0, &s.base, &err) != STN_OK)
        stn_log_warn("subscribing at world: %s", err.text);
}

static void world_up(void *ctx, stn_peer *peer)
{
    stn_net *n = ctx;

    atomic_store(&n->world_state, 2);
    give_event(n, STN_NET_WORLD_UP, NULL, stn_peer_epoch(peer), NULL, 0);
    subscribe(n);
}

static void world_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    stn_net *n = ctx;

    atomic_store(&n->world_state, 0);
    give_event(n, STN_NET_WORLD_DOWN, NULL, stn_peer_epoch(peer), NULL, 0);
    stn_log_info("world: %s; the picture stays as it was", stn_down_reason_text(why));
}

static void world_gap(void *ctx, stn_peer *peer, uint32_t stream, uint64_t expected, uint64_t got)
{
    stn_net *n = ctx;

    (void)peer;
    stn_log_warn("world: messages %llu to %llu of stream %u are missing: asking for the view anew",
                 (unsigned long long)expected, (unsigned long long)got, stream);
    subscribe(n);
}

static stn_status on_view(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    (void)err;
    give_event(ctx, STN_NET_WORLD_MESSAGE, msg, stn_peer_epoch(peer), NULL, 0);
    return STN_OK;
}

#define VIEW(kind, name, max)                                                                                \
    {                                                                                                        \
        STENNESS__VIEW_KIND__VIEW_##kind, name, max, NULL, on_view, false                                    \
    }
static const stn_handler view_handlers[] = {
    VIEW(FRAME_BEGIN, "frame-begin", 4096),
    VIEW(GRID, "grid", 1u << 20),
    VIEW(GRID_DROP, "grid-drop", 1u << 20),
    VIEW(GLOBAL, "global", 1u << 20),
    VIEW(ENTITIES, "entities", 1u << 20),
    VIEW(CUT, "cut", 64u << 20),
    VIEW(CUT_DROP, "cut-drop", 1u << 20),
    VIEW(SESSION, "session", 16384),
    VIEW(GROUND, "ground", 4096),
    VIEW(TICK, "tick", 4096),
    VIEW(CHAT, "chat", 65536),
    VIEW(MENU, "menu", 65536),
    VIEW(GHOST, "ghost", 65536),
};

/* --- loader --- */

static void ask_loader(stn_net *n, pending_ask *a)
{
    Stenness__Get g = STENNESS__GET__INIT;
    stn_peer *peer = net_peer(n->loader);

    if (!peer)
        return;
    if (!a->correlation) {
        a->correlation = stn_bus_correlation(n->bus);
        if (!stn_table_put(n->asks, a->correlation, a, NULL))
            return;
    }
    g.name = a->name;
    g.version = a->version;
    g.priority = a->priority;
    g.want = STENNESS__RESOURCE_WANT__WANT_RAW | STENNESS__RESOURCE_WANT__WANT_PIXELS;
    a->sent = stn_peer_say(peer, STENNESS__RESOURCE_KIND__RESOURCE_GET, STATE_STREAM, a->correlation, &g.base,
                           NULL) == STN_OK;
}

static void send_asks(stn_net *n)
{
    for (pending_ask *a = n->ask_list; a; a = a->next)
        if (!a->sent)
            ask_loader(n, a);
}

static void end_ask(stn_net *n, pending_ask *a)
{
    stn_table_remove(n->asks, a->correlation);
    for (pending_ask **p = &n->ask_list; *p; p = &(*p)->next)
        if (*p == a) {
            *p = a->next;
            break;
        }
    n->ask_count--;
    free(a);
}

#define HAD_MOST 65536u /* names remembered; a session sees hundreds */

/* A tap was switched on that shall be complete by itself: all that is held here is asked for once more, so
 * that it passes the tap. The answers belong to no ask and are let go. */
static void ask_again(stn_net *n, stn_peer *peer)
{
    const char *name;
    void *value;

    for (size_t it = 0; stn_names_next(n->had, &it, &name, &value);) {
        Stenness__Get g = STENNESS__GET__INIT;
        stn_err err = {0};

        g.name = (char *)(uintptr_t)name;
        g.version = (int32_t)((intptr_t)value - 2);
        g.want = STENNESS__RESOURCE_WANT__WANT_RAW | STENNESS__RESOURCE_WANT__WANT_PIXELS;
        if (stn_peer_say(peer, STENNESS__RESOURCE_KIND__RESOURCE_GET, STATE_STREAM,
                         stn_bus_correlation(n->bus), &g.base, &err) != STN_OK) {
            stn_log_warn("the capture will lack resources: %s", err.text);
            return;
        }
    }
}

static void loader_up(void *ctx, stn_peer *peer)
{
    stn_net *n = ctx;

    atomic_store(&n->loader_state, 2);
    /* It knows nothing of us: everything outstanding is asked for again. */
    for (pending_ask *a = n->ask_list; a; a = a->next)
        a->sent = false;
    give_event(n, STN_NET_LOADER_UP, NULL, stn_peer_epoch(peer), NULL, 0);
    send_asks(n);
    if (n->ask_again)
        ask_again(n, peer);
    n->ask_again = false;
}

static void loader_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    stn_net *n = ctx;

    atomic_store(&n->loader_state, 0);
    give_event(n, STN_NET_LOADER_DOWN, NULL, stn_peer_epoch(peer), NULL, 0);
    stn_log_info("loader: %s; what is here stays", stn_down_reason_text(why));
}

static void loader_room(void *ctx, stn_peer *peer)
{
    (void)peer;
    send_asks(ctx);
}

static stn_status on_resource(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_net *n = ctx;
    pending_ask *a = stn_table_get(n->asks, stn_msg_correlation(msg));

    (void)err;
    if (!a)
        return STN_OK; /* answered already, or asked before a restart */
    give_event(n, STN_NET_RESOURCE, msg, stn_peer_epoch(peer), a->name, a->version);
    if (stn_names_count(n->had) < HAD_MOST && a->version >= -1)
        stn_names_put(n->had, a->name, (void *)((intptr_t)a->version + 2), NULL);
    end_ask(n, a);
    return STN_OK;
}

static stn_status on_pending(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    (void)ctx;
    (void)peer;
    (void)msg;
    (void)err;
    return STN_OK; /* the end follows under the same correlation */
}

static const stn_handler loader_handlers[] = {
    {STENNESS__RESOURCE_KIND__RESOURCE_PENDING, "pending", 4096, &stenness__pending__descriptor, on_pending,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_READY, "ready", 224u << 20, NULL, on_resource, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_FAILED, "failed", 1u << 20, NULL, on_resource, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_REFUSED, "refused", 65536, NULL, on_resource, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_CHANGED, "changed", 65536, &stenness__changed__descriptor, on_pending,
     false},
};

/* --- from the other threads --- */

static void take_ask(stn_net *n, net_item *it)
{
    pending_ask *a = calloc(1, sizeof *a);

    if (!a)
        return;
    snprintf(a->name, sizeof a->name, "%s", it->u.ask.name);
    a->version = it->u.ask.version;
    a->priority = it->u.ask.priority;
    a->next = n->ask_list;
    n->ask_list = a;
    n->ask_count++;
    ask_loader(n, a);
}

static void take_act(stn_net *n, const stn_net_act *act)
{
    Stenness__Act m = STENNESS__ACT__INIT;
    stn_peer *peer = net_peer(n->world);
    stn_err err = {0};
    char text[sizeof act->text];

    if (!peer) {
        stn_log_info("world is not there: the click is dropped");
        return;
    }
    snprintf(text, sizeof text, "%s", act->text);
    m.kind = (Stenness__ActKind)act->kind;
    m.frame_session = act->frame;
    m.x = act->x;
    m.y = act->y;
    m.button = act->button;
    m.modifiers = act->modifiers;
    m.object = act->object;
    m.has_object = act->has_object;
    m.overlay = act->overlay;
    m.mesh_part = act->part;
    m.text = text;
    m.menu = act->menu;
    m.choice = act->choice;
    m.ghost = act->ghost;
    m.angle = act->angle;
    m.screen_x = act->screen_x;
    m.screen_y = act->screen_y;
    if (stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_ACT, STATE_STREAM, 0, &m.base, &err) != STN_OK)
        stn_log_warn("click not sent: %s", err.text);
}

static void take_sight(stn_net *n, const net_item *it)
{
    Stenness__Focus f = STENNESS__FOCUS__INIT;
    stn_peer *peer = net_peer(n->world);
    stn_err err = {0};

    n->sight = it->u.sight.sight;
    n->sight_frame = it->u.sight.frame;
    fill_focus(n, &f);
    if (peer && stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_FOCUS, STATE_STREAM, 0, &f.base, &err) != STN_OK)
        stn_log_debug("where we look is not told: %s", err.text); /* the next time it is */
}

static void take_credit(stn_net *n, uint64_t bytes)
{
    Stenness__ViewCredit c = STENNESS__VIEW_CREDIT__INIT;
    stn_peer *peer = net_peer(n->world);
    uint64_t total_bytes, total_messages;

    stn_grant_took(&n->grant, bytes);
    if (!peer || !stn_grant_due(&n->grant, &total_bytes, &total_messages))
        return;
    c.bulk_bytes = total_bytes;
    c.bulk_messages = (uint32_t)total_messages;
    stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_CREDIT, STATE_STREAM, 0, &c.base, NULL);
}

static void take_over(stn_net *n, const net_item *it)
{
    Stenness__OverlayDone d = STENNESS__OVERLAY_DONE__INIT;
    stn_peer *peer = net_peer(n->world);

    if (!peer)
        return;
    d.object = it->u.over.object;
    d.incarnation = it->u.over.incarnation;
    d.overlay = it->u.over.overlay;
    stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_OVERLAY_DONE, STATE_STREAM, 0, &d.base, NULL);
}

static void on_item(void *ctx, const stn_turn *turn, stn_inbox_link *link)
{
    stn_net *n = ctx;
    net_item *it = (net_item *)link;

    (void)turn;
    switch (it->kind) {
    case NET_ASK:
        take_ask(n, it);
        break;
    case NET_TOOK:
        take_credit(n, it->u.bytes);
        break;
    case NET_OVERLAY_OVER:
        take_over(n, it);
        break;
    case NET_ACT:
        take_act(n, &it->u.act);
        break;
    case NET_SIGHT:
        take_sight(n, it);
        break;
    case NET_PICTURE_ANSWER:
    case NET_FRAMES_ANSWER:
        net_answer(n, it);
        break;
    case NET_STATS:
        n->stats = it->u.stats;
        n->has_stats = true;
        break;
    }
    net_item_done(it);
}

/* --- life --- */

static void *thread_main(void *arg)
{
    stn_net *n = arg;
    stn_err err = {0};

    if (stn_loop_run(n->loop, &err) != STN_OK)
        stn_log_error("the loop ended: %s", err.text);
    atomic_store(&n->ended, true);
    return NULL;
}

static stn_status open_links(stn_net *n, stn_err *err)
{
    const stn_conv_spec world = {.name = "world",
                                 .handlers = view_handlers,
                                 .n_handlers = sizeof view_handlers / sizeof view_handlers[0],
                                 .ctx = n,
                                 .up = world_up,
                                 .down = world_down,
                                 .gap = world_gap};
    const stn_conv_spec loader = {.name = "loader",
                                  .handlers = loader_handlers,
                                  .n_handlers = sizeof loader_handlers / sizeof loader_handlers[0],
                                  .ctx = n,
                                  .up = loader_up,
                                  .down = loader_down,
                                  .room = loader_room};
    stn_status st = stn_bus_connect(n->bus, &world, &n->world, err);

    return st == STN_OK ? stn_bus_connect(n->bus, &loader, &n->loader, err) : st;
}

stn_status stn_net_new(const stn_net_options *o, stn_net **out, stn_err *err)
{
    stn_net *n = calloc(1, sizeof *n);
    stn_status st;

    *out = NULL;
    if (!n)
        return stn_fail(err, STN_NO_MEMORY, "net");
    n->options = *o;
    n->events = stn_spsc_new(EVENTS);
    n->questions = stn_spsc_new(QUESTIONS);
    n->asks = stn_table_new();
    n->had = stn_names_new();
    st = !n->events || !n->questions || !n->asks || !n->had ? stn_fail(err, STN_NO_MEMORY, "net") : STN_OK;
    if (st == STN_OK)
        st = stn_inbox_new(65536, &n->inbox, err);
    if (st == STN_OK)
        st = stn_loop_new(&n->loop, err);
    if (st == STN_OK)
        st = stn_loop_stop_on_signals(n->loop, err);
    if (st == STN_OK)
        st = stn_bus_new(n->loop, &(stn_bus_spec){.kind = "renderer", .instance = o->instance}, &n->bus, err);
    if (st == STN_OK)
        st = stn_loop_watch_inbox(n->loop, n->inbox, on_item, n, &n->watch, err);
    if (st == STN_OK)
        st = net_open_door(n, err);
    if (st == STN_OK && !o->alone)
        st = open_links(n, err);
    if (st == STN_OK) {
        n->flush_timer = stn_timer_new(n->loop, "flush", on_flush, n);
        if (!n->flush_timer)
            st = stn_fail(err, STN_NO_MEMORY, "net");
    }
    if (st == STN_OK) {
        stn_timer_at(n->flush_timer, stn_clock_ns());
        n->running = pthread_create(&n->thread, NULL, thread_main, n) == 0;
        if (!n->running)
            st = stn_fail(err, STN_IO, "no thread for the net");
    }
    if (st != STN_OK) {
        stn_net_free(n);
        return st;
    }
    *out = n;
    return STN_OK;
}

static void drop_item(void *ctx, stn_inbox_link *link)
{
    net_item *it = (net_item *)link;

    (void)ctx;
    if (it->kind == NET_PICTURE_ANSWER)
        free(it->u.answer.png);
    else if (it->kind == NET_FRAMES_ANSWER)
        free(it->u.answer.text_owned);
    net_item_done(it);
}

void stn_net_free(stn_net *n)
{
    stn_net_event *e;

    if (!n)
        return;
    if (n->running) {
        stn_loop_stop(n->loop);
        pthread_join(n->thread, NULL);
    }
    drop_waiting(n);
    while (n->events && (e = stn_spsc_take(n->events)) != NULL)
        stn_net_event_free(e);
    while (n->ask_list)
        end_ask(n, n->ask_list);
    stn_timer_free(n->flush_timer);
    stn_control_free(n->door);
    stn_conv_free(n->world);
    stn_conv_free(n->loader);
    stn_watch_free(n->watch);
    stn_bus_free(n->bus);
    stn_loop_free(n->loop);
    if (n->inbox)
        stn_inbox_free(n->inbox, drop_item, NULL);
    stn_spsc_free(n->events);
    stn_spsc_free(n->questions);
    stn_table_free(n->asks);
    stn_names_free(n->had);
    free(n);
}

bool stn_net_ended(const stn_net *n)
{
    return atomic_load(&n->ended);
}

static stn_net_event *feed_take(void *ctx)
{
    return stn_spsc_take(((stn_net *)ctx)->events);
}

static void feed_links(void *ctx, int *world, int *loader)
{
    stn_net_links(ctx, world, loader);
}

stn_feed stn_net_feed(stn_net *n)
{
    return (stn_feed){.ctx = n,
                      .take = feed_take,
                      .ask = net_feed_ask,
                      .took = net_feed_took,
                      .overlay_over = net_feed_overlay_over,
                      .links = feed_links};
}

stn_spsc *stn_net_questions(stn_net *n)
{
    return n->questions;
}

void stn_net_links(const stn_net *n, int *world, int *loader)
{
    *world = atomic_load(&n->world_state);
    *loader = atomic_load(&n->loader_state);
}
