#include "bus/control.h"

#include "bus/bus_internal.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_HANDLERS 4u
#define SERVICE_HANDLERS 16u
#define PERIOD_MIN_MS 100u
#define PERIOD_MAX_MS 60000u
#define LOOK_NS (50 * STN_MS) /* how finely periodic reports are timed */
#define REQUEST_MAX 4096u
#define TAP_LANE ((size_t)16 << 20) /* of records handed to the bus; more wait in the tap */

struct stn_control {
    stn_bus *bus;
    stn_control_spec spec;
    stn_conv *door;
    stn_report *report;
    stn_timer *timer;
    int64_t started_ns;
    stn_handler handlers[OWN_HANDLERS + SERVICE_HANDLERS];
};

/* One asker that wants reports periodically. */
typedef struct subscription {
    int64_t period_ns, due_ns;
    uint64_t correlation, sequence;
} subscription;

stn_status stn_control_done(stn_peer *peer, uint64_t correlation, stn_status status, const char *text)
{
    Stenness__Done done = STENNESS__DONE__INIT;

    done.status = (uint32_t)status;
    done.text = (char *)(uintptr_t)(text ? text : "");
    return stn_peer_say(peer, STENNESS__CONTROL_KIND__CTL_DONE, 0, correlation, &done.base, NULL);
}

static stn_status send_status(stn_control *c, stn_peer *peer, uint64_t correlation, uint64_t sequence,
                              stn_err *err)
{
    Stenness__Status status = STENNESS__STATUS__INIT;

    stn_report_clear(c->report);
    stn_bus_report(c->bus, c->report);
    if (c->spec.report)
        c->spec.report(c->spec.ctx, c->report);
    stn_report_health(c->report, STENNESS__HEALTH_STATE__HEALTH_OK, "running");
    stn_report_fill(c->report, &status);
    status.sequence = sequence;
    status.peer = (char *)(uintptr_t)stn_bus_id(c->bus);
    status.epoch = stn_bus_epoch(c->bus);
    status.pid = (uint32_t)getpid();
    status.up_ns = stn_loop_now(stn_bus_loop(c->bus))->now_ns - c->started_ns;
    return stn_peer_say(peer, STENNESS__CONTROL_KIND__CTL_STATUS, 0, correlation, &status.base, err);
}

static void on_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_control *c = ctx;
    stn_peer *peer;
    bool any = false;

    for (size_t it = 0; (peer = stn_conv_next_peer(c->door, &it)) != NULL;) {
        subscription *s = stn_peer_user(peer);
        if (!s)
            continue;
        any = true;
        if (turn->now_ns < s->due_ns)
            continue;
        s->due_ns = turn->now_ns + s->period_ns;
        /* A slow reader misses reports and sees it by the sequence; nothing waits for it. */
        send_status(c, peer, s->correlation, ++s->sequence, NULL);
    }
    if (any)
        stn_timer_in(timer, LOOK_NS);
}

static stn_status on_status_get(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_control *c = ctx;
    const Stenness__StatusGet *get = stn_msg_body(msg);
    subscription *s = stn_peer_user(peer);

    if (get->period_ms != 0 && (get->period_ms < PERIOD_MIN_MS || get->period_ms > PERIOD_MAX_MS)) {
        char text[128];
        snprintf(text, sizeof text, "period of %u ms: expected 0 or %u to %u", get->period_ms, PERIOD_MIN_MS,
                 PERIOD_MAX_MS);
        return stn_control_done(peer, stn_msg_correlation(msg), STN_USAGE, text);
    }
    if (get->period_ms == 0) {
        free(s);
        stn_peer_set_user(peer, NULL);
        return send_status(c, peer, stn_msg_correlation(msg), 1, err);
    }
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s)
            return stn_fail(err, STN_NO_MEMORY, "subscription");
        stn_peer_set_user(peer, s);
    }
    s->period_ns = get->period_ms * STN_MS;
    s->due_ns = stn_loop_now(stn_bus_loop(c->bus))->now_ns + s->period_ns;
    s->correlation = stn_msg_correlation(msg);
    if (!stn_timer_is_set(c->timer))
        stn_timer_in(c->timer, LOOK_NS);
    return send_status(c, peer, s->correlation, ++s->sequence, err);
}

static stn_status on_tap_set(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_control *c = ctx;
    const Stenness__TapSet *set = stn_msg_body(msg);
    stn_status st = STN_OK;

    if (set->on) {
        st = stn_tap_start(stn_bus_tap(c->bus), peer, err);
        if (st == STN_OK && set->whole) {
            if (c->spec.refresh)
                c->spec.refresh(c->spec.ctx);
            stn_bus_begin_again(c->bus);
        }
    }
    if (!set->on)
        stn_tap_stop(stn_bus_tap(c->bus), peer);
    /* The asker is told; it is no fault of its message when another listens. */
    stn_control_done(peer, stn_msg_correlation(msg), st, st != STN_OK ? err->text : "");
    return STN_OK;
}

static stn_status on_hash_get(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_control *c = ctx;
    Stenness__Hash hash = STENNESS__HASH__INIT;
    const char *covers = "";

    if (!c->spec.hash)
        return stn_control_done(peer, stn_msg_correlation(msg), STN_UNSUPPORTED,
                                "this process has no state to hash");
    hash.hash = c->spec.hash(c->spec.ctx, &covers);
    hash.turn = stn_loop_now(stn_bus_loop(c->bus))->number;
    hash.text = (char *)(uintptr_t)covers;
    return stn_peer_say(peer, STENNESS__CONTROL_KIND__CTL_HASH, 0, stn_msg_correlation(msg), &hash.base, err);
}

static stn_status on_quit(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_control *c = ctx;
    const Stenness__Quit *quit = stn_msg_body(msg);

    (void)err;
    stn_log_info("%s asks to quit: %.100s", stn_peer_id(peer), quit->why);
    stn_control_done(peer, stn_msg_correlation(msg), STN_OK, "");
    if (c->spec.quit)
        c->spec.quit(c->spec.ctx, quit->why);
    else
        stn_loop_stop(stn_bus_loop(c->bus));
    return STN_OK;
}

/* The service's handlers get its own context, the bus knows ours. */
static stn_status on_service(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_control *c = ctx;

    for (size_t i = 0; i < c->spec.n_handlers; i++)
        if (c->spec.handlers[i].kind == stn_msg_kind(msg))
            return c->spec.handlers[i].fn(c->spec.ctx, peer, msg, err);
    return stn_fail(err, STN_UNSUPPORTED, "kind %u", stn_msg_kind(msg));
}

static void on_room(void *ctx, stn_peer *peer)
{
    stn_control *c = ctx;
    (void)peer;
    stn_tap_drain(stn_bus_tap(c->bus));
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    (void)ctx;
    (void)why;
    free(stn_peer_user(peer));
}

stn_status stn_control_new(stn_bus *bus, const stn_control_spec *spec, stn_control **out, stn_err *err)
{
    const stn_handler own[OWN_HANDLERS] = {
        {STENNESS__CONTROL_KIND__CTL_STATUS_GET, "status-get", REQUEST_MAX, &stenness__status_get__descriptor,
         on_status_get, false},
        {STENNESS__CONTROL_KIND__CTL_TAP_SET, "tap-set", REQUEST_MAX, &stenness__tap_set__descriptor,
         on_tap_set, false},
        {STENNESS__CONTROL_KIND__CTL_HASH_GET, "hash-get", REQUEST_MAX, &stenness__hash_get__descriptor,
         on_hash_get, false},
        {STENNESS__CONTROL_KIND__CTL_QUIT, "quit", REQUEST_MAX, &stenness__quit__descriptor, on_quit, false},
    };
    char name[STN_NAME_MAX];
    stn_conv_spec conv = {.name = name, .down = on_down, .room = on_room, .queue_bytes = TAP_LANE};
    stn_control *c;
    stn_status st;

    *out = NULL;
    if (spec->n_handlers > SERVICE_HANDLERS)
        return stn_fail(err, STN_USAGE, "%zu control handlers, at most %u", spec->n_handlers,
                        SERVICE_HANDLERS);
    c = calloc(1, sizeof *c);
    if (!c)
        return stn_fail(err, STN_NO_MEMORY, "control door");
    c->bus = bus;
    c->spec = *spec;
    c->started_ns = stn_clock_ns();
    memcpy(c->handlers, own, sizeof own);
    for (size_t i = 0; i < spec->n_handlers; i++) {
        c->handlers[OWN_HANDLERS + i] = spec->handlers[i];
        c->handlers[OWN_HANDLERS + i].fn = on_service;
    }
    conv.handlers = c->handlers;
    conv.n_handlers = OWN_HANDLERS + spec->n_handlers;
    conv.ctx = c;
    snprintf(name, sizeof name, "ctl/%s.%u", stn_bus_kind(bus), stn_bus_number(bus));
    c->report = stn_report_new();
    c->timer = stn_timer_new(stn_bus_loop(bus), "control.status", on_timer, c);
    if (!c->report || !c->timer)
        st = stn_fail(err, STN_NO_MEMORY, "control door");
    else
        st = stn_bus_bind(bus, &conv, &c->door, err);
    if (st != STN_OK) {
        stn_control_free(c);
        return st;
    }
    stn_conv_set_untapped(c->door);
    *out = c;
    return STN_OK;
}

void stn_control_free(stn_control *c)
{
    if (!c)
        return;
    stn_conv_free(c->door);
    stn_timer_free(c->timer);
    stn_report_free(c->report);
    free(c);
}
