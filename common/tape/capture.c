#include "tape/capture.h"

#include "base/clock.h"
#include "base/log.h"
#include "bus/bus.h"
#include "bus/control.h"
#include "tape/tape.h"

#include <stdlib.h>
#include <string.h>

#define DOORS_MAX 64u
#define LOOK_NS (200 * STN_MS) /* for new processes */
#define FLUSH_NS (1000 * STN_MS) /* the most that a crash of ours loses */
#define DRAIN_NS (400 * STN_MS) /* what was under way when we switched the taps off */

typedef struct source {
    struct capture *capture;
    stn_door_name door;
    stn_conv *link;
    char process[STN_PEER_ID_MAX];
    bool counted;
} source;

typedef struct capture {
    const stn_capture_spec *spec;
    stn_capture_sum *sum;
    stn_loop *loop;
    stn_bus *bus;
    stn_timer *look, *flush, *end;
    source *sources[DOORS_MAX];
    size_t n;
    stn_tape_writer *writer;
    bool ending;
    stn_status failed;
    stn_err err;
} capture;

static stn_status on_record(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    source *s = ctx;
    capture *c = s->capture;
    const Stenness__TapRecord *r = stn_msg_body(msg);
    stn_status st;

    (void)peer;
    (void)err;
    c->sum->records++;
    c->sum->lost += r->lost;
    st = stn_tape_write(c->writer, s->process, r, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &c->err);
    if (st == STN_BAD_DATA) {
        stn_log_warn("%s: %s", s->process, c->err.text);
        return STN_OK;
    }
    if (st != STN_OK) { /* the file: nothing more can be kept */
        c->failed = st;
        stn_loop_stop(c->loop);
    }
    return STN_OK;
}

static stn_status on_done(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    source *s = ctx;
    const Stenness__Done *done = stn_msg_body(msg);

    (void)peer;
    (void)err;
    if (done->status != STN_OK)
        stn_log_warn("%s is not recorded: %.200s", s->process, done->text);
    return STN_OK;
}

static const stn_handler handlers[] = {
    {STENNESS__TAPE_KIND__TAPE_RECORD, "record", STN_BULK_MAX, &stenness__tap_record__descriptor, on_record,
     false},
    {STENNESS__CONTROL_KIND__CTL_DONE, "done", 4096, &stenness__done__descriptor, on_done, false},
};

static void switch_tap(source *s, stn_peer *peer, bool on)
{
    Stenness__TapSet set = STENNESS__TAP_SET__INIT;
    const char *whole = s->capture->spec->whole;

    set.on = on;
    set.whole = on && whole && strcmp(whole, s->door.kind) == 0;
    stn_peer_say(peer, STENNESS__CONTROL_KIND__CTL_TAP_SET, 0, 0, &set.base, NULL);
}

static void on_up(void *ctx, stn_peer *peer)
{
    source *s = ctx;

    memcpy(s->process, stn_peer_id(peer), sizeof s->process);
    if (!s->counted)
        s->capture->sum->processes++;
    s->counted = true;
    if (!s->capture->ending)
        switch_tap(s, peer, true);
}

static bool known(const capture *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->sources[i]->door.name, name) == 0)
            return true;
    return false;
}

static void on_look(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    capture *c = ctx;
    stn_door_name doors[DOORS_MAX];
    size_t n;

    (void)turn;
    stn_timer_in(timer, LOOK_NS);
    if (stn_control_list(c->spec->instance, doors, DOORS_MAX, &n, NULL) != STN_OK)
        return;
    for (size_t i = 0; i < n && c->n < DOORS_MAX; i++) {
        stn_conv_spec spec = {
            .handlers = handlers, .n_handlers = 2, .up = on_up, .instance = c->spec->instance};
        source *s;

        if (known(c, doors[i].name) || strcmp(doors[i].kind, "tape") == 0)
            continue;
        s = calloc(1, sizeof *s);
        if (!s)
            return;
        s->capture = c;
        s->door = doors[i];
        spec.name = s->door.name;
        spec.ctx = s;
        if (stn_bus_connect(c->bus, &spec, &s->link, &c->err) != STN_OK) {
            stn_log_warn("%s is not recorded: %s", doors[i].name, c->err.text);
            free(s);
            continue;
        }
        c->sources[c->n++] = s;
    }
}

static void on_flush(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    capture *c = ctx;

    (void)turn;
    if ((c->failed = stn_tape_flush(c->writer, &c->err)) != STN_OK)
        stn_loop_stop(c->loop);
    stn_timer_in(timer, FLUSH_NS);
}

static void on_end(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    capture *c = ctx;
    (void)turn;
    (void)timer;
    stn_loop_stop(c->loop);
}

static void make_free(capture *c)
{
    for (size_t i = 0; i < c->n; i++) {
        stn_conv_free(c->sources[i]->link);
        free(c->sources[i]);
    }
    stn_timer_free(c->look);
    stn_timer_free(c->flush);
    stn_timer_free(c->end);
    stn_bus_free(c->bus);
    stn_loop_free(c->loop);
    stn_tape_abandon(c->writer);
}

static stn_status make(capture *c, stn_err *err)
{
    stn_bus_spec bus = {.kind = "tape", .instance = c->spec->instance, .unnumbered = true};
    stn_status st;

    if ((st = stn_loop_new(&c->loop, err)) != STN_OK ||
        (st = stn_loop_stop_on_signals(c->loop, err)) != STN_OK ||
        (st = stn_bus_new(c->loop, &bus, &c->bus, err)) != STN_OK ||
        (st = stn_tape_create(c->spec->out, &c->writer, err)) != STN_OK)
        return st;
    c->look = stn_timer_new(c->loop, "tape.look", on_look, c);
    c->flush = stn_timer_new(c->loop, "tape.flush", on_flush, c);
    c->end = stn_timer_new(c->loop, "tape.end", on_end, c);
    if (!c->look || !c->flush || !c->end)
        return stn_fail(err, STN_NO_MEMORY, "capture");
    stn_timer_in(c->look, 0);
    stn_timer_in(c->flush, FLUSH_NS);
    return STN_OK;
}

/* Until the first process is there. */
static stn_status wait_for_one(capture *c, stn_err *err)
{
    int64_t deadline = stn_clock_ns() + c->spec->wait_ns;
    stn_status st = STN_OK;

    while (st == STN_OK && c->sum->processes == 0 && !stn_loop_stopping(c->loop)) {
        if (stn_clock_ns() > deadline)
            return stn_fail(err, STN_NOT_FOUND,
                            "no process of instance \"%s\" is running: start it with \"stenness run\"",
                            c->spec->instance);
        st = stn_loop_turn(c->loop, LOOK_NS, err);
    }
    return st;
}

stn_status stn_capture_run(const stn_capture_spec *spec, stn_capture_sum *sum, stn_err *err)
{
    capture c = {.spec = spec, .sum = sum};
    int64_t drained;
    stn_status st;

    *sum = (stn_capture_sum){0};
    st = make(&c, err);
    if (st == STN_OK)
        st = wait_for_one(&c, err);
    if (st == STN_OK) {
        if (spec->duration_ns > 0)
            stn_timer_in(c.end, spec->duration_ns);
        st = stn_loop_run(c.loop, err);
    }
    c.ending = true;
    for (size_t i = 0; i < c.n && st == STN_OK; i++)
        if (stn_conv_peer(c.sources[i]->link))
            switch_tap(c.sources[i], stn_conv_peer(c.sources[i]->link), false);
    drained = stn_clock_ns() + DRAIN_NS;
    while (st == STN_OK && c.failed == STN_OK && stn_clock_ns() < drained) {
        st = stn_loop_turn(c.loop, 20 * STN_MS, err);
        stn_sleep_ns(STN_MS); /* a stopping loop does not wait by itself */
    }
    if (c.failed != STN_OK)
        st = stn_fail(err, c.failed, "%s", c.err.text);
    if (st == STN_OK) {
        sum->bytes = stn_tape_bytes(c.writer);
        st = stn_tape_close(c.writer, err);
        c.writer = NULL;
    }
    make_free(&c);
    return st;
}
