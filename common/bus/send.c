/* From a message to the wire. State streams go at once, or into a short queue when the connection is full;
 * bulk streams go piece by piece as the peer's window allows, so that at most a window's worth stands before
 * the next state message. */
#include "bus/bus_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Below this the copy costs less than the allocation and the call back that sharing needs. */
#define SHARE_FROM 256u

/* libzmq's queues hand the frame to its I/O thread and order the two; a sanitizer that does not see into them
 * is told. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define HANDED_OVER(frame) __tsan_release(frame)
#define TAKEN_OVER(frame) __tsan_acquire(frame)
#else
#define HANDED_OVER(frame) ((void)(frame))
#define TAKEN_OVER(frame) ((void)(frame))
#endif

static void let_go(void *data, void *frame)
{
    (void)data;
    TAKEN_OVER(frame);
    stn_frame_unref(frame);
}

/* A ZeroMQ message over bytes of a frame, which it keeps alive until the I/O thread is done with it. */
static bool share(zmq_msg_t *msg, stn_frame *frame, size_t offset, size_t len)
{
    const uint8_t *data = stn_frame_data(frame) + offset;

    if (len < SHARE_FROM) {
        if (zmq_msg_init_size(msg, len) != 0)
            return false;
        memcpy(zmq_msg_data(msg), data, len);
        return true;
    }
    /* libzmq wants a pointer without const; it only reads. */
    if (zmq_msg_init_data(msg, (void *)(uintptr_t)data, len, let_go, frame) != 0)
        return false;
    stn_frame_ref(frame);
    HANDED_OVER(frame);
    return true;
}

typedef enum sent { SENT, FULL, GONE } sent;

/* Sends the frames as one message; parts[0..n) are closed in any case. The first part decides: behind it
 * libzmq accepts the rest, or has lost the connection. */
static sent send_parts(stn_port *port, const char *id, zmq_msg_t *parts, size_t n)
{
    void *z = stn_socket_zmq(port->socket);
    sent result = SENT;
    size_t i = 0;

    stn_watch_used(port->watch);
    if (port->conv->door && zmq_send(z, id, strlen(id), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
        result = errno == EAGAIN ? FULL : GONE;
    } else {
        for (; i < n; i++)
            if (zmq_msg_send(&parts[i], z, ZMQ_DONTWAIT | (i + 1 < n ? ZMQ_SNDMORE : 0)) < 0) {
                result = i == 0 && !port->conv->door && errno == EAGAIN ? FULL : GONE;
                break;
            }
    }
    for (; i < n; i++)
        zmq_msg_close(&parts[i]);
    return result;
}

static bool envelope_part(zmq_msg_t *msg, const stn_envelope *env)
{
    uint8_t packed[STN_ENVELOPE_MAX];
    size_t len = stn_envelope_pack(env, packed);

    if (zmq_msg_init_size(msg, len) != 0)
        return false;
    memcpy(zmq_msg_data(msg), packed, len);
    return true;
}

static void begin_envelope(const stn_bus *bus, stn_envelope *env)
{
    /* The lengths at the end are only read as far as n_frame_bytes says. */
    memset(env, 0, offsetof(stn_envelope, frame_bytes));
    env->major = STN_PROTOCOL_MAJOR;
    env->minor = STN_PROTOCOL_MINOR;
    memcpy(env->peer, bus->id, sizeof env->peer);
    env->sender_epoch = bus->epoch;
}

bool stn_send_bus_message(stn_port *port, const char *id, uint64_t receiver_epoch, uint32_t kind,
                          const ProtobufCMessage *body)
{
    zmq_msg_t parts[2];
    stn_envelope env;

    if (!port->socket)
        return false;
    begin_envelope(port->conv->bus, &env);
    memcpy(env.peer, port->conv->own_id, sizeof env.peer);
    env.receiver_epoch = receiver_epoch;
    env.kind = kind;
    if (!envelope_part(&parts[0], &env))
        return false;
    if (zmq_msg_init_size(&parts[1], protobuf_c_message_get_packed_size(body)) != 0) {
        zmq_msg_close(&parts[0]);
        return false;
    }
    protobuf_c_message_pack(body, zmq_msg_data(&parts[1]));
    return send_parts(port, id, parts, 2) == SENT;
}

/* One message on the wire: envelope, body, and whole frames or one piece. */
static sent send_wire(stn_peer *p, stn_envelope *env, stn_frame *body, stn_frame *const *bulk, size_t n_bulk,
                      stn_frame *piece, size_t offset, size_t len)
{
    zmq_msg_t parts[2 + STN_BULK_FRAMES_MAX];
    size_t n = 0;
    uint64_t bytes = 0;
    bool ok;
    sent result;

    memcpy(env->peer, p->conv->own_id, sizeof env->peer);
    env->receiver_epoch = p->epoch;
    env->sequence = p->out_sequence[env->stream] + 1;
    ok = envelope_part(&parts[n], env);
    n += ok;
    ok = ok && share(&parts[n], body, 0, stn_frame_len(body));
    n += ok;
    bytes += stn_frame_len(body);
    for (size_t i = 0; ok && i < n_bulk; i++) {
        ok = share(&parts[n], bulk[i], 0, stn_frame_len(bulk[i]));
        n += ok;
        bytes += stn_frame_len(bulk[i]);
    }
    if (ok && piece) {
        ok = share(&parts[n], piece, offset, len);
        n += ok;
        bytes += len;
    }
    if (!ok) { /* out of memory: as if the connection were full, it is tried again */
        while (n > 0)
            zmq_msg_close(&parts[--n]);
        return FULL;
    }
    result = send_parts(p->port, p->id, parts, n);
    if (result == FULL)
        return FULL;
    /* A message that was lost on the way has used its number: the receiver sees the gap, if it is still
     * there. */
    p->out_sequence[env->stream]++;
    if (result == GONE) {
        p->conv->lost++;
    } else {
        p->conv->out_messages++;
        p->conv->out_bytes += bytes;
    }
    if (env->stream >= STN_STREAM_BULK)
        stn_window_sent(&p->window, bytes > STN_COST_MIN ? bytes : STN_COST_MIN,
                        stn_loop_now(p->conv->bus->loop)->now_ns);
    return result;
}

/* --- queues --- */

static void push(stn_out_queue *q, stn_out *out)
{
    if (!q->first)
        q->last = &q->first;
    out->next = NULL;
    *q->last = out;
    q->last = &out->next;
    q->count++;
    q->bytes += out->bytes;
}

static void out_free(stn_out *out)
{
    stn_frame_unref(out->body);
    for (size_t i = 0; i < out->n_bulk; i++)
        stn_frame_unref(out->bulk[i]);
    free(out);
}

static void pop(stn_out_queue *q)
{
    stn_out *out = q->first;
    q->first = out->next;
    q->count--;
    q->bytes -= out->bytes;
    out_free(out);
}

void stn_peer_drop_queues(stn_peer *p)
{
    p->conv->lost += p->state.count + p->bulk.count;
    while (p->state.first)
        pop(&p->state);
    while (p->bulk.first)
        pop(&p->bulk);
}

static void out_envelope(const stn_peer *p, const stn_out *out, stn_envelope *env)
{
    begin_envelope(p->conv->bus, env);
    env->kind = out->kind;
    env->stream = out->stream;
    env->correlation = out->correlation;
}

/* The whole message in one. */
static sent send_small(stn_peer *p, const stn_out *out)
{
    stn_envelope env;
    out_envelope(p, out, &env);
    return send_wire(p, &env, out->body, out->bulk, out->n_bulk, NULL, 0, 0);
}

/* The next part of a message in pieces; *done after the last. */
static sent send_next_piece(stn_peer *p, stn_out *out, bool *done)
{
    stn_envelope env;
    stn_piece_at at = out->at;
    uint32_t frame;
    size_t offset, len;
    sent result;

    out_envelope(p, out, &env);
    env.transfer = out->transfer;
    if (!out->started) {
        env.n_frame_bytes = (uint32_t)out->n_bulk;
        for (size_t i = 0; i < out->n_bulk; i++)
            env.frame_bytes[i] = stn_frame_len(out->bulk[i]);
        result = send_wire(p, &env, out->body, NULL, 0, NULL, 0, 0);
        if (result != FULL)
            out->started = true;
        return result;
    }
    stn_bulk_next_piece(out->bulk, out->n_bulk, &at, &frame, &offset, &len);
    env.kind = STENNESS__BUS_KIND__BUS_PIECE;
    env.piece_frame = frame;
    env.piece_offset = offset;
    result = send_wire(p, &env, NULL, NULL, 0, out->bulk[frame], offset, len);
    if (result != FULL) {
        out->at = at;
        *done = !stn_bulk_next_piece(out->bulk, out->n_bulk, &at, &frame, &offset, &len);
    }
    return result;
}

static uint64_t next_cost(const stn_out *out)
{
    uint64_t bytes = out->bytes;
    if (out->transfer)
        bytes = out->started ? STN_PIECE_MAX : stn_frame_len(out->body);
    return bytes > STN_COST_MIN ? bytes : STN_COST_MIN;
}

void stn_peer_pump(stn_peer *p)
{
    while (p->up && p->state.first) {
        if (send_small(p, p->state.first) == FULL) {
            stn_bus_pump_later(p->conv->bus);
            return;
        }
        pop(&p->state);
    }
    while (p->up && p->bulk.first && stn_window_fits(&p->window, next_cost(p->bulk.first))) {
        stn_out *out = p->bulk.first;
        bool done = !out->transfer;
        sent result = out->transfer ? send_next_piece(p, out, &done) : send_small(p, out);

        if (result == FULL) {
            stn_bus_pump_later(p->conv->bus);
            return;
        }
        if (done)
            pop(&p->bulk);
    }
}

void stn_peer_make_room(stn_peer *p)
{
    if (!p->up || !p->busy || p->state.count > STN_STATE_QUEUE / 2 ||
        p->bulk.bytes > p->conv->spec.queue_bytes / 2 || p->bulk.count > STN_BULK_QUEUE / 2)
        return;
    p->busy = false;
    if (p->conv->spec.room)
        p->conv->spec.room(p->conv->spec.ctx, p);
}

/* --- what services call --- */

static stn_status pack_body(const stn_send *send, stn_frame **out, stn_err *err)
{
    size_t len = send->raw_frame ? stn_frame_len(send->raw_frame)
                 : send->body    ? protobuf_c_message_get_packed_size(send->body)
                                 : send->raw_len;

    if (len > STN_BODY_MAX)
        return stn_fail(err, STN_TOO_BIG, "message kind %u: body of %zu bytes, at most %u", send->kind, len,
                        STN_BODY_MAX);
    if (send->raw_frame) {
        *out = stn_frame_ref(send->raw_frame);
        return STN_OK;
    }
    *out = stn_frame_new(len);
    if (!*out)
        return stn_fail(err, STN_NO_MEMORY, "message kind %u: body of %zu bytes", send->kind, len);
    if (send->body)
        protobuf_c_message_pack(send->body, stn_frame_writable(*out));
    else if (len > 0)
        memcpy(stn_frame_writable(*out), send->raw, len);
    return STN_OK;
}

static stn_status check(const stn_peer *p, const stn_send *send, uint64_t *bulk, stn_err *err)
{
    *bulk = 0;
    if (!p->up)
        return stn_fail(err, STN_CANCELLED, "%s is down", p->id);
    if (send->stream >= STN_STREAMS || send->kind < 100 || send->n_bulk > STN_BULK_FRAMES_MAX)
        return stn_fail(err, STN_USAGE, "message kind %u on stream %u with %zu bulk frames", send->kind,
                        send->stream, send->n_bulk);
    for (size_t i = 0; i < send->n_bulk; i++)
        *bulk += stn_frame_len(send->bulk[i]);
    if (*bulk > (send->stream >= STN_STREAM_BULK ? STN_BULK_MAX : STN_PIECE_MAX))
        return stn_fail(err, STN_TOO_BIG, "message kind %u: %llu bytes of bulk on %s stream %u", send->kind,
                        (unsigned long long)*bulk, send->stream >= STN_STREAM_BULK ? "bulk" : "state",
                        send->stream);
    return STN_OK;
}

stn_status stn_peer_send(stn_peer *p, const stn_send *send, stn_err *err)
{
    bool on_bulk = send->stream >= STN_STREAM_BULK;
    stn_conv *c = p->conv;
    stn_out *out;
    uint64_t bulk;
    stn_status st = check(p, send, &bulk, err);
    stn_handler *h;

    if (st != STN_OK)
        return st;
    if (on_bulk ? (p->bulk.count > 0 &&
                   (p->bulk.bytes + bulk > c->spec.queue_bytes || p->bulk.count >= STN_BULK_QUEUE))
                : (p->state.count >= STN_STATE_QUEUE || p->state.bytes > STN_STATE_BYTES)) {
        p->busy = true;
        return stn_fail(err, STN_BUSY, "%s takes no more for now: %zu messages of %llu bytes wait", p->id,
                        on_bulk ? p->bulk.count : p->state.count,
                        (unsigned long long)(on_bulk ? p->bulk.bytes : p->state.bytes));
    }
    out = malloc(sizeof *out + send->n_bulk * sizeof *out->bulk);
    if (!out)
        return stn_fail(err, STN_NO_MEMORY, "message kind %u", send->kind);
    *out = (stn_out){.kind = send->kind, .stream = send->stream, .correlation = send->correlation};
    if ((st = pack_body(send, &out->body, err)) != STN_OK) {
        free(out);
        return st;
    }
    for (; out->n_bulk < send->n_bulk; out->n_bulk++)
        out->bulk[out->n_bulk] = stn_frame_ref(send->bulk[out->n_bulk]);
    out->bytes = bulk + stn_frame_len(out->body);
    if (bulk > STN_PIECE_MAX)
        out->transfer = ++c->bus->next_transfer;

    h = stn_table_get(c->handlers, send->kind);
    if (h)
        c->counts[h - c->spec.handlers].out++;
    if (!c->untapped && stn_tap_is_on(c->bus->tap)) {
        stn_envelope env;
        out_envelope(p, out, &env);
        env.receiver_epoch = p->epoch;
        stn_tap_message(c->bus->tap, STENNESS__TAP_TYPE__TAP_MESSAGE_OUT, p, &env, h, out->body, out->bulk,
                        out->n_bulk);
    }
    push(on_bulk ? &p->bulk : &p->state, out);
    stn_peer_pump(p);
    return STN_OK;
}

stn_status stn_peer_say(stn_peer *p, uint32_t kind, uint32_t stream, uint64_t correlation,
                        const ProtobufCMessage *body, stn_err *err)
{
    stn_send send = {.kind = kind, .stream = stream, .correlation = correlation, .body = body};
    return stn_peer_send(p, &send, err);
}

uint64_t stn_peer_unsent_bytes(const stn_peer *p)
{
    return p->bulk.bytes;
}

uint64_t stn_peer_unacked_bytes(const stn_peer *p)
{
    return p->window.sent - p->window.acked;
}

uint64_t stn_bus_correlation(stn_bus *bus)
{
    return ++bus->next_correlation;
}
