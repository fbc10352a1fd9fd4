/* The process on the bus: identity, housekeeping, report, end. */
#include "bus/bus_internal.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOUSEKEEPING_NS (250 * STN_MS)
/* How soon a full connection is tried again: a ROUTER cannot be watched for one peer's room. */
#define PUMP_NS (2 * STN_MS)

/* Of one process: a door and its monitor are two, remade links overlap for a moment. A number that is ever
 * reached is a leak, and must show as an error before it becomes descriptors. */
#define MAX_SOCKETS 512
/* One carries gigabytes a second; a second would only take a core from the builders. */
#define IO_THREADS 1

#ifdef __SANITIZE_THREAD__
/* libzmq and libsodium are not built for the thread sanitizer, which therefore does not see its queues hand
 * memory over. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "called_from_lib:libzmq.so.5\ncalled_from_lib:libsodium.so.23\n";
}
#endif

static void on_housekeeping(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_bus *b = ctx;

    if (turn->slept_ns > 0)
        stn_log_info("the machine slept for %.1f s", (double)turn->slept_ns / 1e9);
    for (stn_conv *c = b->convs; c; c = c->next) {
        stn_peer_housekeeping(c, turn);
        if (c->ack_due)
            stn_conv_acknowledge(c, true);
    }
    stn_tap_drain(b->tap);
    stn_timer_in(timer, HOUSEKEEPING_NS);
}

static void on_pump(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_bus *b = ctx;

    (void)turn;
    (void)timer;
    for (stn_conv *c = b->convs; c; c = c->next) {
        stn_peer *p;
        for (size_t it = 0; (p = stn_conv_next_peer(c, &it)) != NULL;) {
            stn_peer_pump(p);
            stn_peer_make_room(p);
        }
    }
}

void stn_bus_pump_later(stn_bus *b)
{
    if (!stn_timer_is_set(b->pump))
        stn_timer_in(b->pump, PUMP_NS);
}

void stn_bus_begin_again(stn_bus *b)
{
    for (stn_conv *c = b->convs; c; c = c->next)
        if (!c->door && !c->untapped && c->link->up) {
            stn_peer_down(c->link, STN_DOWN_EPOCH);
            stn_conv_say_hello(c, true);
        }
}

static bool kind_ok(const char *kind)
{
    size_t n = strspn(kind, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
    return n > 0 && n <= 24 && kind[n] == 0;
}

stn_status stn_bus_new(stn_loop *loop, const stn_bus_spec *spec, stn_bus **out, stn_err *err)
{
    stn_bus *b;
    stn_status st;

    *out = NULL;
    if (!kind_ok(spec->kind))
        return stn_fail(err, STN_USAGE, "process kind \"%.40s\": 1 to 24 letters, digits and '-'",
                        spec->kind);
    b = calloc(1, sizeof *b);
    if (!b)
        return stn_fail(err, STN_NO_MEMORY, "bus");
    b->loop = loop;
    snprintf(b->kind, sizeof b->kind, "%s", spec->kind);
    snprintf(b->instance, sizeof b->instance, "%s", spec->instance ? spec->instance : "default");
    snprintf(b->software, sizeof b->software, "%s", spec->software ? spec->software : "");
    b->epoch = stn_random_u64();
    if (spec->unnumbered) {
        snprintf(b->id, sizeof b->id, "%s.p%d-%04x", b->kind, (int)getpid(),
                 (unsigned)(stn_random_u64() & 0xffff));
        if (!stn_address_instance_ok(b->instance)) {
            st = stn_fail(err, STN_USAGE, "\"%.40s\" is not the name of an instance", b->instance);
            goto fail;
        }
    } else {
        if ((st = stn_lock_take_number(b->instance, b->kind, &b->number, &b->lock, err)) != STN_OK)
            goto fail;
        snprintf(b->id, sizeof b->id, "%s.%u", b->kind, b->number);
        stn_log_set_name(b->id); /* several of a kind may run: their lines say which */
    }
    b->zctx = zmq_ctx_new();
    if (!b->zctx || zmq_ctx_set(b->zctx, ZMQ_MAX_SOCKETS, MAX_SOCKETS) != 0 ||
        zmq_ctx_set(b->zctx, ZMQ_IO_THREADS, IO_THREADS) != 0 ||
        /* Ending never waits for a message without limit; each socket's linger is set when it is closed. */
        zmq_ctx_set(b->zctx, ZMQ_BLOCKY, 0) != 0) {
        st = stn_fail(err, STN_IO, "libzmq: %s", zmq_strerror(errno));
        goto fail;
    }
    b->housekeeping = stn_timer_new(loop, "bus.housekeeping", on_housekeeping, b);
    b->pump = stn_timer_new(loop, "bus.pump", on_pump, b);
    if (!b->housekeeping || !b->pump) {
        st = stn_fail(err, STN_NO_MEMORY, "bus");
        goto fail;
    }
    if ((st = stn_tap_new(b, &b->tap, err)) != STN_OK)
        goto fail;
    stn_timer_in(b->housekeeping, HOUSEKEEPING_NS);
    *out = b;
    return STN_OK;
fail:
    stn_bus_free(b);
    return st;
}

void stn_bus_free(stn_bus *b)
{
    if (!b)
        return;
    while (b->convs)
        stn_conv_free(b->convs);
    stn_zap_free(b->zap);
    stn_tap_free(b->tap);
    stn_timer_free(b->housekeeping);
    stn_timer_free(b->pump);
    if (b->zctx)
        zmq_ctx_term(b->zctx); /* waits for the sockets' linger, at most STN_LINGER_MS */
    stn_lock_free(b->lock);
    free(b);
}

const char *stn_bus_id(const stn_bus *b)
{
    return b->id;
}

const char *stn_bus_instance(const stn_bus *b)
{
    return b->instance;
}

const char *stn_bus_kind(const stn_bus *b)
{
    return b->kind;
}

unsigned stn_bus_number(const stn_bus *b)
{
    return b->number;
}

uint64_t stn_bus_epoch(const stn_bus *b)
{
    return b->epoch;
}

stn_loop *stn_bus_loop(const stn_bus *b)
{
    return b->loop;
}

stn_tap *stn_bus_tap(const stn_bus *b)
{
    return b->tap;
}

static void report_conv(const stn_conv *c, stn_report *r)
{
    char name[128], what[64];
    uint64_t all = 0;
    stn_peer *p;

    snprintf(what, sizeof what, "bus.%.50s", c->name);
#define NAMED(suffix) (snprintf(name, sizeof name, "%s." suffix, what), name)
    if (!c->door && !c->link->up)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING, "waits for %s: %s", c->name,
                          c->diagnosis);
    stn_report_gauge(r, NAMED("peers"), (double)stn_conv_peer_count(c));
    if (c->diagnosis[0])
        stn_report_text(r, NAMED("diagnosis"), "%s", c->diagnosis);
    stn_report_counter(r, NAMED("in.messages"), c->in_messages);
    stn_report_counter(r, NAMED("in.bytes"), c->in_bytes);
    stn_report_counter(r, NAMED("out.messages"), c->out_messages);
    stn_report_counter(r, NAMED("out.bytes"), c->out_bytes);
    stn_report_counter(r, NAMED("gaps"), c->gaps);
    stn_report_counter(r, NAMED("lost"), c->lost);
    stn_report_counter(r, NAMED("reconnects"), c->reconnects);
    stn_report_counter(r, NAMED("refusals"), c->refusals);
    for (unsigned i = 0; i < STN_DROP_COUNT; i++)
        all += c->drops[i];
    stn_report_counter(r, NAMED("dropped"), all);
    for (unsigned i = 0; i < STN_DROP_COUNT; i++)
        if (c->drops[i] > 0) {
            snprintf(name, sizeof name, "%s.dropped.%s", what, stn_drop_name((stn_drop)i));
            stn_report_counter(r, name, c->drops[i]);
        }
    for (size_t i = 0; i < c->spec.n_handlers; i++) {
        const stn_kind_count *k = &c->counts[i];
        if (k->errors > 0) {
            snprintf(name, sizeof name, "%s.kind.%.30s.errors", what, c->spec.handlers[i].name);
            stn_report_counter(r, name, k->errors);
        }
    }
    for (size_t it = 0; (p = stn_conv_next_peer(c, &it)) != NULL;) {
        snprintf(name, sizeof name, "%s.peer.%.50s", what, p->id);
        stn_report_text(r, name, "%s, round trip %.2f ms, %llu bytes wait, %llu under way, %llu dropped",
                        p->remote ? "remote" : "local", (double)p->rtt_ns / 1e6,
                        (unsigned long long)p->bulk.bytes, (unsigned long long)stn_peer_unacked_bytes(p),
                        (unsigned long long)p->bad);
    }
#undef NAMED
}

void stn_bus_report(const stn_bus *b, stn_report *r)
{
    for (const stn_conv *c = b->convs; c; c = c->next)
        if (!c->untapped)
            report_conv(c, r);
    stn_report_counter(r, "bus.copied.bytes", stn_frame_copied_bytes());
    stn_report_counter(r, "bus.tap.recorded", stn_tap_recorded(b->tap));
    stn_report_counter(r, "bus.tap.lost", stn_tap_lost(b->tap));
}
