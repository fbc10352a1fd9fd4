#include "bus/bus_internal.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#define SECRETS 32u

/* A record that waits: packed, with references to its frames. */
typedef struct waiting {
    struct waiting *next;
    stn_frame *body;
    uint64_t bytes;
    size_t n;
    stn_frame *frames[];
} waiting;

struct stn_tap {
    stn_bus *bus;
    bool on; /* recording */
    stn_peer *listener; /* NULL while armed */
    int64_t armed_until; /* 0: not armed */
    stn_redact_fn redact;
    void *redact_ctx;
    uint32_t secrets[SECRETS]; /* kinds */
    size_t n_secrets;
    uint64_t order, recorded, lost;
    uint64_t gap; /* lost since the last record that was kept */
    waiting *first, **last;
    size_t n_waiting;
    uint64_t waiting_bytes;
};

static void on_edge(void *ctx, const stn_turn *turn, const stn_edge *edge);

static void drop_first(stn_tap *t)
{
    waiting *w = t->first;

    t->first = w->next;
    if (!t->first)
        t->last = &t->first;
    t->n_waiting--;
    t->waiting_bytes -= w->bytes;
    stn_frame_unref(w->body);
    for (size_t i = 0; i < w->n; i++)
        stn_frame_unref(w->frames[i]);
    free(w);
}

static void begin(stn_tap *t);

stn_status stn_tap_new(stn_bus *bus, stn_tap **out, stn_err *err)
{
    const char *armed = getenv("STENNESS_TAP");
    stn_tap *t = calloc(1, sizeof *t);

    *out = t;
    if (!t)
        return stn_fail(err, STN_NO_MEMORY, "tap");
    t->bus = bus;
    t->last = &t->first;
    if (armed && strcmp(armed, "armed") == 0 && bus->lock) { /* services only: tools have no number */
        t->armed_until = stn_clock_ns() + STN_TAP_ARMED_S * STN_S;
        begin(t);
    }
    return STN_OK;
}

void stn_tap_free(stn_tap *t)
{
    if (!t)
        return;
    while (t->first)
        drop_first(t);
    free(t);
}

void stn_tap_set_redaction(stn_tap *t, stn_redact_fn fn, void *ctx)
{
    t->redact = fn;
    t->redact_ctx = ctx;
}

stn_status stn_tap_add_secret(stn_tap *t, uint32_t kind, stn_err *err)
{
    if (t->n_secrets == SECRETS)
        return stn_fail(err, STN_TOO_BIG, "more than %u secret kinds", SECRETS);
    t->secrets[t->n_secrets++] = kind;
    return STN_OK;
}

bool stn_tap_is_on(const stn_tap *t)
{
    return t->on;
}

uint64_t stn_tap_recorded(const stn_tap *t)
{
    return t->recorded;
}

uint64_t stn_tap_lost(const stn_tap *t)
{
    return t->lost;
}

static stn_status say(stn_tap *t, stn_frame *body, stn_frame *const *frames, size_t n)
{
    stn_send send = {.kind = STENNESS__TAPE_KIND__TAPE_RECORD,
                     .stream = STN_TAP_STREAM,
                     .raw_frame = body,
                     .bulk = frames,
                     .n_bulk = n};
    return stn_peer_send(t->listener, &send, NULL);
}

void stn_tap_drain(stn_tap *t)
{
    if (t->armed_until != 0 && stn_loop_now(t->bus->loop)->now_ns > t->armed_until)
        stn_tap_stop(t, NULL);
    while (t->listener && t->first && say(t, t->first->body, t->first->frames, t->first->n) == STN_OK)
        drop_first(t);
}

/* Sends the record, or keeps it behind those that wait already. False when there is no room for it. */
static bool hand_over(stn_tap *t, const Stenness__TapRecord *r, stn_frame *const *frames, size_t n)
{
    stn_frame *body = stn_frame_new(stenness__tap_record__get_packed_size(r));
    uint64_t bytes = stn_frame_len(body);
    waiting *w;

    if (!body)
        return false;
    stenness__tap_record__pack(r, stn_frame_writable(body));
    if (t->listener && !t->first && say(t, body, frames, n) == STN_OK) {
        stn_frame_unref(body);
        return true;
    }
    for (size_t i = 0; i < n; i++)
        bytes += stn_frame_len(frames[i]);
    w = t->n_waiting < STN_TAP_RECORDS && t->waiting_bytes + bytes <= STN_TAP_QUEUE
            ? malloc(sizeof *w + n * sizeof *w->frames)
            : NULL;
    if (!w) {
        stn_frame_unref(body);
        return false;
    }
    *w = (waiting){.body = body, .bytes = bytes, .n = n};
    for (size_t i = 0; i < n; i++)
        w->frames[i] = stn_frame_ref(frames[i]);
    *t->last = w;
    t->last = &w->next;
    t->n_waiting++;
    t->waiting_bytes += bytes;
    return true;
}

static void stamp(stn_tap *t, Stenness__TapRecord *r)
{
    const stn_turn *turn = stn_loop_now(t->bus->loop);

    r->turn = turn->number;
    r->now_ns = turn->now_ns;
    r->wall_ns = turn->wall_ns;
    r->order = ++t->order;
}

static void lose(stn_tap *t)
{
    t->order++;
    t->gap++;
    t->lost++;
}

/* A record that does not fit is a gap before the next one that does. */
static void record(stn_tap *t, Stenness__TapRecord *r, stn_frame *const *frames, size_t n)
{
    if (t->gap > 0) {
        Stenness__TapRecord gap = STENNESS__TAP_RECORD__INIT;

        gap.type = STENNESS__TAP_TYPE__TAP_GAP;
        gap.lost = t->gap;
        stamp(t, &gap);
        if (!hand_over(t, &gap, NULL, 0)) {
            lose(t);
            return;
        }
        t->gap = 0;
    }
    stamp(t, r);
    if (hand_over(t, r, frames, n)) {
        t->recorded++;
    } else {
        t->gap++;
        t->lost++;
    }
}

static void start_record(stn_tap *t)
{
    Stenness__TapRecord r = STENNESS__TAP_RECORD__INIT;
    stn_frame *frame = stn_frame_copy(stn_loop_now(t->bus->loop)->chance, 16);

    r.type = STENNESS__TAP_TYPE__TAP_START;
    r.peer = t->bus->id;
    r.peer_epoch = t->bus->epoch;
    r.name = t->bus->kind;
    if (frame)
        record(t, &r, &frame, 1);
    else
        lose(t);
    stn_frame_unref(frame);
}

static void begin(stn_tap *t)
{
    t->on = true;
    t->order = t->gap = 0;
    start_record(t);
    stn_loop_observe(t->bus->loop, on_edge, t);
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

static bool is_secret(const stn_tap *t, uint32_t kind)
{
    for (size_t i = 0; i < t->n_secrets; i++)
        if (t->secrets[i] == kind)
            return true;
    return false;
}

static bool all_there(stn_frame *const *frames, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!frames[i])
            return false;
    return true;
}

void stn_tap_message(stn_tap *t, Stenness__TapType what, const stn_peer *peer, const stn_envelope *env,
                     const stn_handler *handler, stn_frame *body, stn_frame *const *bulk, size_t n_bulk)
{
    Stenness__TapRecord r = STENNESS__TAP_RECORD__INIT;
    stn_frame *frames[2 + STN_BULK_FRAMES_MAX] = {0};
    uint8_t packed[STN_ENVELOPE_MAX];
    size_t len = stn_envelope_pack(env, packed), n = 2;
    bool secret = (handler && handler->secret) || is_secret(t, env->kind);

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
    /* Two frames less than the limit remain for a message that uses all of it. */
    for (size_t i = 0; i < n_bulk && n < STN_BULK_FRAMES_MAX; i++, n++)
        frames[n] = secret ? redacted(t, what, env->kind, stn_frame_data(bulk[i]), stn_frame_len(bulk[i]))
                           : stn_frame_ref(bulk[i]);
    if (n == n_bulk + 2 && all_there(frames, n))
        record(t, &r, frames, n);
    else
        lose(t);
    for (size_t i = 0; i < n; i++)
        stn_frame_unref(frames[i]);
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
            lose(t);
            return;
        }
    }
    record(t, &r, &frame, frame != NULL);
    stn_frame_unref(frame);
}

stn_status stn_tap_start(stn_tap *t, stn_peer *listener, stn_err *err)
{
    if (t->listener == listener)
        return STN_OK;
    if (t->listener)
        return stn_fail(err, STN_BUSY, "%s listens already", stn_peer_id(t->listener));
    t->listener = listener;
    stn_conv_set_untapped(stn_peer_conv(listener)); /* or each record would make another */
    if (t->armed_until != 0) {
        t->armed_until = 0; /* what was kept since the start goes first */
        stn_tap_drain(t);
    } else {
        begin(t);
        for (stn_conv *c = t->bus->convs; c; c = c->next) {
            stn_peer *p;
            for (size_t it = 0; !c->untapped && (p = stn_conv_next_peer(c, &it)) != NULL;)
                stn_tap_peer(t, STENNESS__TAP_TYPE__TAP_PEER_UP, p, 0);
        }
    }
    stn_log_info("tap on: %s listens", stn_peer_id(listener));
    return STN_OK;
}

void stn_tap_stop(stn_tap *t, const stn_peer *listener)
{
    if (!t->on || (listener && t->listener != listener))
        return;
    t->on = false;
    t->listener = NULL;
    t->armed_until = 0;
    while (t->first)
        drop_first(t);
    stn_loop_observe(t->bus->loop, NULL, NULL);
    stn_log_info("tap off: %llu records, %llu lost", (unsigned long long)t->recorded,
                 (unsigned long long)t->lost);
}
