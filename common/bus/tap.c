#include "bus/bus_internal.h"

#include <stdlib.h>
#include <string.h>

struct stn_tap {
    stn_bus *bus;
    stn_peer *listener; /* NULL: off */
    stn_redact_fn redact;
    void *redact_ctx;
    uint64_t order, recorded, lost;
    uint64_t gap; /* lost since the last record that went out */
};

stn_status stn_tap_new(stn_bus *bus, stn_tap **out, stn_err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return stn_fail(err, STN_NO_MEMORY, "tap");
    (*out)->bus = bus;
    return STN_OK;
}

void stn_tap_free(stn_tap *t)
{
    free(t);
}

void stn_tap_set_redaction(stn_tap *t, stn_redact_fn fn, void *ctx)
{
    t->redact = fn;
    t->redact_ctx = ctx;
}

bool stn_tap_is_on(const stn_tap *t)
{
    return t->listener != NULL;
}

uint64_t stn_tap_recorded(const stn_tap *t)
{
    return t->recorded;
}

uint64_t stn_tap_lost(const stn_tap *t)
{
    return t->lost;
}

/* The record's turn is stamped here; a record that does not fit is a gap before the next one. */
static void record(stn_tap *t, Stenness__TapRecord *r, stn_frame *const *frames, size_t n)
{
    const stn_turn *turn = stn_loop_now(t->bus->loop);
    stn_send send = {.kind = STENNESS__TAPE_KIND__TAPE_RECORD,
                     .stream = STN_TAP_STREAM,
                     .body = &r->base,
                     .bulk = frames,
                     .n_bulk = n};

    r->turn = turn->number;
    r->now_ns = turn->now_ns;
    r->wall_ns = turn->wall_ns;
    r->order = ++t->order;
    if (t->gap > 0 && r->type != STENNESS__TAP_TYPE__TAP_GAP) {
        Stenness__TapRecord gap = STENNESS__TAP_RECORD__INIT;
        stn_send say = {.kind = send.kind, .stream = send.stream, .body = &gap.base};

        gap.type = STENNESS__TAP_TYPE__TAP_GAP;
        gap.turn = turn->number;
        gap.now_ns = turn->now_ns;
        gap.wall_ns = turn->wall_ns;
        gap.order = r->order;
        gap.lost = t->gap;
        if (stn_peer_send(t->listener, &say, NULL) == STN_OK) {
            t->gap = 0;
            r->order = ++t->order;
        }
    }
    if (t->gap > 0 || stn_peer_send(t->listener, &send, NULL) != STN_OK) {
        t->gap++;
        t->lost++;
        return;
    }
    t->recorded++;
}

/* A copy with what is secret zeroed, the length kept. */
static stn_frame *redacted(stn_tap *t, Stenness__TapType what, uint32_t kind, const void *data, size_t len)
{
    stn_frame *f = stn_frame_new(len);

    if (!f)
        return NULL;
    if (t->redact) {
        if (len > 0)
            memcpy(stn_frame_writable(f), data, len);
        t->redact(t->redact_ctx, what, kind, stn_frame_writable(f), len);
    } else {
        memset(stn_frame_writable(f), 0, len);
    }
    return f;
}

void stn_tap_message(stn_tap *t, Stenness__TapType what, const stn_peer *peer, const stn_envelope *env,
                     const stn_handler *handler, stn_frame *body, stn_frame *const *bulk, size_t n_bulk)
{
    Stenness__TapRecord r = STENNESS__TAP_RECORD__INIT;
    stn_frame *frames[2 + STN_BULK_FRAMES_MAX] = {0};
    uint8_t packed[STN_ENVELOPE_MAX];
    size_t len = stn_envelope_pack(env, packed), n = 2;
    bool secret = handler && handler->secret;

    r.type = what;
    r.conversation = (char *)(uintptr_t)stn_conv_name(stn_peer_conv(peer));
    r.peer = (char *)(uintptr_t)stn_peer_id(peer);
    r.peer_epoch = stn_peer_epoch(peer);
    r.kind = env->kind;
    r.name = handler ? (char *)(uintptr_t)handler->name : "";
    r.redacted = secret;
    frames[0] = stn_frame_new(len);
    if (frames[0])
        memcpy(stn_frame_writable(frames[0]), packed, len);
    frames[1] = secret ? redacted(t, what, env->kind, stn_frame_data(body), stn_frame_len(body))
                       : stn_frame_ref(body);
    if (!secret && !frames[1])
        frames[1] = stn_frame_new(0);
    /* The bulk of a secret message is left out whole; the record says it was redacted. Two frames less than
     * the limit remain for a message that uses all of it. */
    for (size_t i = 0; !secret && i < n_bulk && n < STN_BULK_FRAMES_MAX; i++)
        frames[n++] = bulk[i];
    if (frames[0] && frames[1] && (secret || n == n_bulk + 2)) {
        record(t, &r, frames, n);
    } else {
        t->order++;
        t->gap++;
        t->lost++;
    }
    stn_frame_unref(frames[0]);
    stn_frame_unref(frames[1]);
}

void stn_tap_peer(stn_tap *t, Stenness__TapType what, const stn_peer *peer, unsigned why)
{
    Stenness__TapRecord r = STENNESS__TAP_RECORD__INIT;

    r.type = what;
    r.conversation = (char *)(uintptr_t)stn_conv_name(stn_peer_conv(peer));
    r.peer = (char *)(uintptr_t)stn_peer_id(peer);
    r.peer_epoch = stn_peer_epoch(peer);
    r.kind = why;
    record(t, &r, NULL, 0);
}

static void on_edge(void *ctx, const stn_turn *turn, const stn_edge *edge)
{
    stn_tap *t = ctx;
    Stenness__TapRecord r = STENNESS__TAP_RECORD__INIT;
    stn_frame *frame = NULL;

    (void)turn;
    r.type = edge->what;
    r.kind = edge->id;
    r.source = edge->source;
    r.name = edge->name ? (char *)(uintptr_t)edge->name : "";
    r.redacted = edge->secret;
    if (edge->what != STENNESS__TAP_TYPE__TAP_TIMER) {
        frame = edge->secret ? redacted(t, edge->what, edge->id, edge->data, edge->len)
                             : stn_frame_copy(edge->data, edge->len);
        if (!frame) {
            t->order++;
            t->gap++;
            t->lost++;
            return;
        }
    }
    record(t, &r, &frame, frame != NULL);
    stn_frame_unref(frame);
}

stn_status stn_tap_start(stn_tap *t, stn_peer *listener, stn_err *err)
{
    Stenness__TapRecord r = STENNESS__TAP_RECORD__INIT;
    const stn_turn *turn = stn_loop_now(t->bus->loop);
    uint8_t state[16];
    stn_frame *frame;

    if (t->listener == listener)
        return STN_OK;
    if (t->listener)
        return stn_fail(err, STN_BUSY, "%s listens already", stn_peer_id(t->listener));
    memcpy(state, turn->chance, sizeof state);
    frame = stn_frame_copy(state, sizeof state);
    if (!frame)
        return stn_fail(err, STN_NO_MEMORY, "tap");
    t->listener = listener;
    t->order = t->gap = 0;
    r.type = STENNESS__TAP_TYPE__TAP_START;
    r.peer = t->bus->id;
    r.peer_epoch = t->bus->epoch;
    r.name = t->bus->kind;
    record(t, &r, &frame, 1);
    stn_frame_unref(frame);
    stn_loop_observe(t->bus->loop, on_edge, t);
    for (stn_conv *c = t->bus->convs; c; c = c->next) {
        stn_peer *p;
        for (size_t it = 0; !c->untapped && (p = stn_conv_next_peer(c, &it)) != NULL;)
            stn_tap_peer(t, STENNESS__TAP_TYPE__TAP_PEER_UP, p, 0);
    }
    stn_log_info("tap on: %s listens", stn_peer_id(listener));
    return STN_OK;
}

void stn_tap_stop(stn_tap *t, const stn_peer *listener)
{
    if (!t->listener || (listener && t->listener != listener))
        return;
    t->listener = NULL;
    stn_loop_observe(t->bus->loop, NULL, NULL);
    stn_log_info("tap off: %llu records, %llu lost", (unsigned long long)t->recorded,
                 (unsigned long long)t->lost);
}
