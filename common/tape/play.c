#include "tape/play.h"

#include "base/clock.h"
#include "base/log.h"

#include "proto/resource.pb-c.h"
#include "proto/world.pb-c.h"

#include <stdlib.h>
#include <string.h>

#define REQUEST_MAX ((size_t)1 << 20)
#define LINES_A_TURN 256u /* so that answers of the loader are not held up */

struct stn_play {
    stn_bus *bus;
    const stn_script *script;
    double speed;
    void (*finished)(void *ctx);
    void *ctx;
    stn_conv *world, *loader;
    stn_timer *timer;
    uint64_t answered, missing, told;
    stn_log_once missed;
};

/* One viewer: where it is in the script. */
typedef struct viewer {
    size_t next;
    int64_t began_ns;
    bool started, blocked, done;
} viewer;

static stn_status tell(stn_peer *peer, const stn_line *line, uint64_t correlation)
{
    stn_send send = {.kind = line->kind,
                     .stream = line->stream,
                     .correlation = correlation,
                     .raw_frame = line->body,
                     .bulk = line->bulk,
                     .n_bulk = line->n_bulk};
    return stn_peer_send(peer, &send, NULL);
}

/* --- world --- */

static void go_on(stn_play *p, stn_peer *peer, viewer *v, int64_t now)
{
    const stn_line *line;

    for (unsigned i = 0; (line = stn_script_world(p->script, v->next)) != NULL; i++) {
        int64_t due = p->speed > 0 ? v->began_ns + (int64_t)((double)line->at_ns / p->speed) : now;
        stn_status st;

        if (due > now || i == LINES_A_TURN) {
            due = due > now ? due : now;
            if (!stn_timer_is_set(p->timer) || stn_timer_due(p->timer) > due)
                stn_timer_at(p->timer, due);
            return;
        }
        st = tell(peer, line, line->correlation);
        if (st == STN_BUSY) {
            v->blocked = true; /* the bus says when there is room */
            return;
        }
        if (st != STN_OK)
            stn_log_warn("line %zu of the capture cannot be told: %s", v->next, stn_status_name(st));
        v->next++;
        p->told++;
    }
    if (!v->done && p->finished)
        p->finished(p->ctx);
    v->done = true;
}

static void on_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_play *p = ctx;
    stn_peer *peer;

    (void)timer;
    for (size_t it = 0; (peer = stn_conv_next_peer(p->world, &it)) != NULL;) {
        viewer *v = stn_peer_user(peer);
        if (v && v->started && !v->blocked)
            go_on(p, peer, v, turn->now_ns);
    }
}

static void on_room(void *ctx, stn_peer *peer)
{
    stn_play *p = ctx;
    viewer *v = stn_peer_user(peer);

    if (v && v->blocked) {
        v->blocked = false;
        go_on(p, peer, v, stn_loop_now(stn_bus_loop(p->bus))->now_ns);
    }
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    (void)ctx;
    (void)why;
    free(stn_peer_user(peer));
}

static stn_status on_subscribe(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_play *p = ctx;
    viewer *v = stn_peer_user(peer);

    (void)msg;
    if (!v) {
        v = calloc(1, sizeof *v);
        if (!v)
            return stn_fail(err, STN_NO_MEMORY, "viewer");
        stn_peer_set_user(peer, v);
    }
    *v = (viewer){.started = true, .began_ns = stn_loop_now(stn_bus_loop(p->bus))->now_ns};
    go_on(p, peer, v, v->began_ns);
    return STN_OK;
}

/* What a viewer says besides changes nothing in a recorded world. */
static stn_status on_ignored(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    (void)ctx;
    (void)peer;
    (void)msg;
    (void)err;
    return STN_OK;
}

static const stn_handler world_handlers[] = {
    {STENNESS__VIEW_KIND__VIEW_SUBSCRIBE, "subscribe", REQUEST_MAX, &stenness__subscribe__descriptor,
     on_subscribe, false},
    {STENNESS__VIEW_KIND__VIEW_FOCUS, "focus", REQUEST_MAX, NULL, on_ignored, false},
    {STENNESS__VIEW_KIND__VIEW_CREDIT, "credit", REQUEST_MAX, NULL, on_ignored, false},
    {STENNESS__VIEW_KIND__VIEW_SETTINGS, "settings", REQUEST_MAX, NULL, on_ignored, false},
    {STENNESS__VIEW_KIND__VIEW_ACT, "act", REQUEST_MAX, NULL, on_ignored, false},
    {STENNESS__VIEW_KIND__VIEW_DRIVER, "driver", REQUEST_MAX, NULL, on_ignored, false},
    {STENNESS__VIEW_KIND__VIEW_OVERLAY_DONE, "overlay-done", REQUEST_MAX, NULL, on_ignored, false},
};

/* --- loader --- */

static stn_status say_missing(stn_peer *peer, uint64_t correlation, const Stenness__Get *get, stn_err *err)
{
    Stenness__Failed failed = STENNESS__FAILED__INIT;
    Stenness__SourceError source = STENNESS__SOURCE_ERROR__INIT, *chain = &source;

    source.source = "capture";
    source.kind = failed.kind = "not_found";
    source.text = "was not asked for in the capture";
    failed.name = get->name;
    failed.version = get->version;
    failed.n_chain = 1;
    failed.chain = &chain;
    return stn_peer_say(peer, STENNESS__RESOURCE_KIND__RESOURCE_FAILED, 0, correlation, &failed.base, err);
}

static stn_status on_get(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_play *p = ctx;
    const Stenness__Get *get = stn_msg_body(msg);
    const stn_line *line = stn_script_answer(p->script, get->name, get->version, get->want);
    stn_status st;

    if (!line) {
        p->missing++;
        if (stn_log_due(&p->missed))
            stn_log_warn("%.100s was not asked for in the capture (%llu such)", get->name,
                         (unsigned long long)p->missing);
        return say_missing(peer, stn_msg_correlation(msg), get, err);
    }
    p->answered++;
    st = tell(peer, line, stn_msg_correlation(msg));
    /* The queue of one peer holds far more than a client's credit lets it ask for at once. */
    return st == STN_OK ? st
                        : stn_fail(err, st, "%.100s cannot be answered: %s", get->name, stn_status_name(st));
}

static const stn_handler loader_handlers[] = {
    {STENNESS__RESOURCE_KIND__RESOURCE_GET, "get", REQUEST_MAX, &stenness__get__descriptor, on_get, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_BOOST, "boost", REQUEST_MAX, NULL, on_ignored, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_CANCEL, "cancel", REQUEST_MAX, NULL, on_ignored, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_HOLD, "hold", REQUEST_MAX, NULL, on_ignored, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_RELEASE, "release", REQUEST_MAX, NULL, on_ignored, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_TOUCH, "touch", REQUEST_MAX, NULL, on_ignored, false},
};

/* --- making --- */

stn_status stn_play_new(stn_bus *bus, const stn_script *script, double speed, void (*finished)(void *ctx),
                        void *ctx, stn_play **out, stn_err *err)
{
    stn_play *p = calloc(1, sizeof *p);
    stn_conv_spec world = {.name = "world",
                           .handlers = world_handlers,
                           .n_handlers = sizeof world_handlers / sizeof *world_handlers,
                           .ctx = p,
                           .down = on_down,
                           .room = on_room};
    stn_conv_spec loader = {.name = "loader",
                            .handlers = loader_handlers,
                            .n_handlers = sizeof loader_handlers / sizeof *loader_handlers,
                            .ctx = p,
                            .queue_bytes = (size_t)1 << 30};
    stn_status st;

    *out = NULL;
    if (!p)
        return stn_fail(err, STN_NO_MEMORY, "play");
    p->bus = bus;
    p->script = script;
    p->speed = speed;
    p->finished = finished;
    p->ctx = ctx;
    p->timer = stn_timer_new(stn_bus_loop(bus), "play.line", on_timer, p);
    if (!p->timer)
        st = stn_fail(err, STN_NO_MEMORY, "play");
    else if ((st = stn_bus_bind(bus, &world, &p->world, err)) == STN_OK)
        st = stn_bus_bind(bus, &loader, &p->loader, err);
    if (st != STN_OK) {
        stn_play_free(p);
        return st;
    }
    *out = p;
    return STN_OK;
}

void stn_play_free(stn_play *p)
{
    if (!p)
        return;
    stn_conv_free(p->world);
    stn_conv_free(p->loader);
    stn_timer_free(p->timer);
    free(p);
}

void stn_play_report(const stn_play *p, stn_report *r)
{
    stn_peer *peer;

    stn_report_gauge(r, "play.lines", (double)stn_script_world_count(p->script));
    stn_report_counter(r, "play.told", p->told);
    stn_report_counter(r, "play.answered", p->answered);
    stn_report_counter(r, "play.missing", p->missing);
    stn_report_counter(r, "play.lost", stn_script_lost(p->script));
    for (size_t it = 0; (peer = stn_conv_next_peer(p->world, &it)) != NULL;) {
        const viewer *v = stn_peer_user(peer);
        if (v)
            stn_report_gauge(r, "play.line", (double)v->next);
    }
}
