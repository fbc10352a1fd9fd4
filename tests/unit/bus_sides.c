#include "unit/bus_sides.h"

#include "base/hash.h"

#include "proto/control.pb-c.h"
#include "proto/envelope.pb-c.h"

#include <string.h>

stn_loop *loop;

static stn_status on_text(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    side *s = ctx;
    const Stenness__Text *t = stn_msg_body(msg);
    (void)peer;
    if (strcmp(t->text, "bad") == 0)
        return stn_fail(err, STN_BAD_DATA, "bad text");
    snprintf(s->text, sizeof s->text, "%s", t->text);
    s->correlation = stn_msg_correlation(msg);
    s->texts++;
    s->order = s->bulks;
    return STN_OK;
}

uint32_t sum_of(const stn_frame *f)
{
    return (uint32_t)stn_hash_feed(STN_HASH_START, stn_frame_data(f), stn_frame_len(f));
}

static stn_status on_bulk(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    side *s = ctx;
    (void)peer;
    (void)err;
    s->bulks++;
    s->bulk_frames = stn_msg_bulk_count(msg);
    s->bulk_sum = sum_of(stn_msg_bulk(msg, 0));
    if (s->forward) {
        stn_msg_unref(s->kept);
        s->kept = stn_msg_ref(msg);
    }
    return STN_OK;
}

static const stn_handler handlers[] = {
    {KIND_TEXT, "text", 100000, &stenness__text__descriptor, on_text, false},
    {KIND_BULK, "bulk", 64 << 20, NULL, on_bulk, false},
    {KIND_SMALL, "small", 100, &stenness__text__descriptor, on_text, false},
};

static void on_up(void *ctx, stn_peer *peer)
{
    side *s = ctx;
    s->ups++;
    s->peer = peer;
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    side *s = ctx;
    s->downs++;
    s->why = why;
    if (s->peer == peer)
        s->peer = NULL;
}

static void on_gap(void *ctx, stn_peer *peer, uint32_t stream, uint64_t expected, uint64_t got)
{
    side *s = ctx;
    (void)peer;
    (void)stream;
    s->gaps++;
    s->gap_expected = expected;
    s->gap_got = got;
}

static void on_room(void *ctx, stn_peer *peer)
{
    side *s = ctx;
    (void)peer;
    s->rooms++;
}

stn_conv_spec spec_of(side *s, const char *name)
{
    return (stn_conv_spec){.name = name,
                           .handlers = handlers,
                           .n_handlers = 3,
                           .ctx = s,
                           .up = on_up,
                           .down = on_down,
                           .gap = on_gap,
                           .room = on_room,
                           .queue_bytes = 40 << 20};
}

void open_door(side *s, const char *kind)
{
    stn_bus_spec bus = {.kind = kind};
    stn_conv_spec spec = spec_of(s, "world");
    stn_err err = {0};
    memset(s, 0, sizeof *s);
    if (stn_bus_new(loop, &bus, &s->bus, &err) != STN_OK ||
        stn_bus_bind(s->bus, &spec, &s->conv, &err) != STN_OK)
        fail_msg("%s", err.text);
}

void open_link(side *s, const char *kind)
{
    stn_bus_spec bus = {.kind = kind};
    stn_conv_spec spec = spec_of(s, "world");
    stn_err err = {0};
    memset(s, 0, sizeof *s);
    if (stn_bus_new(loop, &bus, &s->bus, &err) != STN_OK ||
        stn_bus_connect(s->bus, &spec, &s->conv, &err) != STN_OK)
        fail_msg("%s", err.text);
}

void close_side(side *s)
{
    stn_bus_free(s->bus);
    stn_msg_unref(s->kept);
    memset(s, 0, sizeof *s);
}

stn_status say(side *s, const char *text, uint32_t stream, uint32_t kind)
{
    Stenness__Text t = STENNESS__TEXT__INIT;
    t.text = (char *)(uintptr_t)text;
    return stn_peer_say(s->peer, kind, stream, 42, &t.base, NULL);
}

stn_frame *noise(size_t len, uint8_t seed)
{
    stn_frame *f = stn_frame_new(len);
    for (size_t i = 0; i < len; i++)
        stn_frame_writable(f)[i] = (uint8_t)(i * 131 + seed + (i >> 8));
    return f;
}

stn_status send_bulk(side *s, stn_frame *f, uint32_t stream)
{
    stn_send send = {.kind = KIND_BULK, .stream = stream, .bulk = &f, .n_bulk = 1};
    return stn_peer_send(s->peer, &send, NULL);
}

double counter(const stn_bus *bus, const char *name)
{
    stn_report *r = stn_report_new();
    Stenness__Status s = STENNESS__STATUS__INIT;
    double v = 0;
    stn_bus_report(bus, r);
    stn_report_fill(r, &s);
    for (size_t i = 0; i < s.n_items; i++)
        if (strcmp(s.items[i]->name, name) == 0)
            v = s.items[i]->value;
    stn_report_free(r);
    return v;
}

side door, link_a;

int make(void **state)
{
    (void)state;
    return stn_loop_new(&loop, NULL) == STN_OK ? 0 : -1;
}

int unmake(void **state)
{
    (void)state;
    close_side(&link_a);
    close_side(&door);
    stn_loop_free(loop);
    return 0;
}

int make_folder(void **state)
{
    (void)state;
    own_runtime_folder();
    return 0;
}

int remove_folder(void **state)
{
    (void)state;
    remove_runtime_folder();
    return 0;
}
