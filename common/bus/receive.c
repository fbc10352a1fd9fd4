/* From the frames on the wire to a handler: every check that a message passes before a service sees it. */
#include "bus/bus_internal.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES_A_TURN 64u
#define MESSAGES_AT_MOST 4096u
#define PARTS_MAX (3u + STN_BULK_FRAMES_MAX) /* routing id, envelope, body, bulk */

const char *stn_drop_name(stn_drop reason)
{
    static const char *const names[STN_DROP_COUNT] = {
        "envelope", "parts", "identity", "version", "stranger", "epoch", "sequence",
        "kind",     "size",  "piece",    "body",    "handler",  "crowd"};
    return names[reason];
}

void stn_conv_drop(stn_conv *c, const char *id, stn_drop reason, const char *fmt, ...)
{
    char text[STN_ERR_TEXT], shown[STN_PEER_ID_MAX];
    stn_peer *p = stn_conv_find(c, id);
    va_list ap;
    unsigned at = 0;

    c->drops[reason]++;
    if (p)
        p->bad++;
    while (at < STN_BUS_SAID && strncmp(c->said[at].id, id, sizeof c->said[at].id - 1) != 0)
        at++;
    if (at == STN_BUS_SAID) { /* the oldest makes room */
        at = c->next_said++ % STN_BUS_SAID;
        snprintf(c->said[at].id, sizeof c->said[at].id, "%s", id);
        c->said[at].reasons = 0;
    }
    if (c->said[at].reasons & 1u << reason)
        return;
    c->said[at].reasons |= 1u << reason;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    stn_log_warn("%s: message from %s dropped (%s): %.250s; further ones are only counted", c->name,
                 stn_text_show(id, strlen(id), shown, sizeof shown), stn_drop_name(reason), text);
}

/* --- frames --- */

typedef struct parts {
    size_t n;
    bool too_many;
    zmq_msg_t msg[PARTS_MAX];
} parts;

static void close_parts(parts *in)
{
    for (size_t i = 0; i < in->n; i++)
        zmq_msg_close(&in->msg[i]);
    in->n = 0;
}

/* One message, whole: libzmq hands out all parts or none. Parts over the limit are read and let go. */
static bool receive_parts(void *z, parts *in)
{
    in->n = 0;
    in->too_many = false;
    for (;;) {
        zmq_msg_t extra, *msg = in->n < PARTS_MAX ? &in->msg[in->n] : &extra;
        int more;

        zmq_msg_init(msg);
        if (zmq_msg_recv(msg, z, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(msg);
            close_parts(in);
            return false;
        }
        more = zmq_msg_more(msg);
        if (msg == &extra) {
            in->too_many = true;
            zmq_msg_close(msg);
        } else {
            in->n++;
        }
        if (!more)
            return true;
    }
}

static void close_shared(void *ctx)
{
    zmq_msg_close(ctx);
    free(ctx);
}

/* The received bytes as a frame, without copying; the part is emptied. */
static stn_frame *frame_of(zmq_msg_t *part)
{
    zmq_msg_t *own = malloc(sizeof *own);
    stn_frame *f;

    if (!own)
        return NULL;
    zmq_msg_init(own);
    zmq_msg_move(own, part);
    f = stn_frame_wrap(zmq_msg_data(own), zmq_msg_size(own), close_shared, own);
    if (!f)
        close_shared(own);
    return f;
}

/* --- dispatch --- */

static void dispatch(stn_peer *p, const stn_handler *h, stn_msg *m)
{
    stn_conv *c = p->conv;
    stn_kind_count *count = &c->counts[h - c->spec.handlers];
    stn_err err = {0};
    stn_status st = STN_OK;
    char id[STN_PEER_ID_MAX];

    count->in++;
    if (!c->untapped && stn_tap_is_on(c->bus->tap))
        stn_tap_message(c->bus->tap, STENNESS__TAP_TYPE__TAP_MESSAGE_IN, p, &m->env, h, m->body_frame,
                        m->bulk, m->n_bulk);
    if (h->type) {
        st = stn_unpack(c->unpacker, h->type, stn_frame_data(m->body_frame), stn_frame_len(m->body_frame),
                        &m->body, &err);
        if (st != STN_OK) {
            count->errors++;
            stn_conv_drop(c, p->id, STN_DROP_BODY, "%s: %s", h->name, err.text);
            return;
        }
    }
    memcpy(id, p->id, sizeof id);
    st = h->fn(c->spec.ctx, p, m, &err);
    m->body = NULL;
    if (st != STN_OK && st != STN_AGAIN) {
        count->errors++;
        stn_conv_drop(c, id, STN_DROP_HANDLER, "%s: %s", h->name,
                      err.text[0] ? err.text : stn_status_name(st));
    }
}

static const stn_handler *handler_for(stn_peer *p, const stn_envelope *env, uint64_t bytes)
{
    stn_conv *c = p->conv;
    const stn_handler *h = stn_table_get(c->handlers, env->kind);

    if (!h) {
        stn_conv_drop(c, p->id, STN_DROP_KIND, "kind %u is not known here", env->kind);
        return NULL;
    }
    if (bytes > h->max_bytes) {
        c->counts[h - c->spec.handlers].errors++;
        stn_conv_drop(c, p->id, STN_DROP_SIZE, "%s of %llu bytes, at most %zu", h->name,
                      (unsigned long long)bytes, h->max_bytes);
        return NULL;
    }
    return h;
}

/* A message that came in one. */
static void whole_message(stn_peer *p, const stn_envelope *env, zmq_msg_t *body, zmq_msg_t *bulk,
                          size_t n_bulk, uint64_t bytes)
{
    const stn_handler *h = handler_for(p, env, bytes);
    stn_msg *m;

    if (!h)
        return;
    m = stn_msg_new();
    if (!m)
        return;
    m->env = *env;
    m->body_frame = frame_of(body);
    for (; m->body_frame && m->n_bulk < n_bulk; m->n_bulk++)
        if (!(m->bulk[m->n_bulk] = frame_of(&bulk[m->n_bulk])))
            break;
    if (m->body_frame && m->n_bulk == n_bulk)
        dispatch(p, h, m);
    else
        stn_conv_drop(p->conv, p->id, STN_DROP_SIZE, "%s: out of memory", h->name);
    stn_msg_unref(m);
}

static void begin_transfer(stn_peer *p, const stn_envelope *env, zmq_msg_t *body, size_t n_bulk)
{
    const stn_handler *h = handler_for(p, env, zmq_msg_size(body));
    stn_err err = {0};

    if (p->reassembly && stn_reassembly_open(p->reassembly))
        stn_conv_drop(p->conv, p->id, STN_DROP_PIECE, "transfer %llu begins inside another",
                      (unsigned long long)env->transfer);
    stn_frame_unref(p->transfer_body);
    p->transfer_body = NULL;
    if (p->reassembly)
        stn_reassembly_drop(p->reassembly);
    if (!h)
        return;
    if (!p->reassembly)
        p->reassembly = stn_reassembly_new();
    if (!p->reassembly || n_bulk != 0 || env->stream < STN_STREAM_BULK) {
        stn_conv_drop(p->conv, p->id, STN_DROP_PIECE, "transfer on stream %u with %zu bulk frames",
                      env->stream, n_bulk);
        return;
    }
    if (stn_reassembly_begin(p->reassembly, env,
                             h->max_bytes - zmq_msg_size(body) < STN_BULK_MAX
                                 ? h->max_bytes - zmq_msg_size(body)
                                 : STN_BULK_MAX,
                             &err) != STN_OK) {
        p->conv->counts[h - p->conv->spec.handlers].errors++;
        stn_conv_drop(p->conv, p->id, STN_DROP_SIZE, "%s: %s", h->name, err.text);
        return;
    }
    p->transfer = *env;
    p->transfer_body = frame_of(body);
    if (!p->transfer_body)
        stn_reassembly_drop(p->reassembly);
}

static void add_piece(stn_peer *p, const stn_envelope *env, zmq_msg_t *bulk, size_t n_bulk)
{
    stn_err err = {0};
    const stn_handler *h;
    stn_frame *const *frames;
    stn_msg *m;
    bool done;

    if (!p->reassembly || !stn_reassembly_open(p->reassembly) || n_bulk != 1) {
        /* Also the rest of a transfer that was dropped at its beginning. */
        stn_conv_drop(p->conv, p->id, STN_DROP_PIECE, "piece without an open transfer");
        return;
    }
    if (stn_reassembly_add(p->reassembly, env, zmq_msg_data(bulk), zmq_msg_size(bulk), &done, &err) !=
        STN_OK) {
        stn_conv_drop(p->conv, p->id, STN_DROP_PIECE, "%s", err.text);
        return;
    }
    if (!done)
        return;
    m = stn_msg_new();
    h = stn_table_get(p->conv->handlers, p->transfer.kind);
    if (m) {
        m->env = p->transfer;
        m->body_frame = p->transfer_body;
        p->transfer_body = NULL;
        frames = stn_reassembly_frames(p->reassembly, &m->n_bulk);
        for (size_t i = 0; i < m->n_bulk; i++)
            m->bulk[i] = stn_frame_ref(frames[i]);
    }
    stn_reassembly_drop(p->reassembly);
    if (m && h)
        dispatch(p, h, m);
    stn_msg_unref(m);
}

/* --- checks --- */

/* True when the message is the next of its stream, or a later one (then the service is told of the gap
 * first). */
static bool in_order(stn_peer *p, const stn_envelope *env)
{
    uint64_t expected = p->in_sequence[env->stream] + 1;

    if (env->sequence < expected) {
        stn_conv_drop(p->conv, p->id, STN_DROP_SEQUENCE, "stream %u: number %llu again, %llu was expected",
                      env->stream, (unsigned long long)env->sequence, (unsigned long long)expected);
        return false;
    }
    p->in_sequence[env->stream] = env->sequence;
    if (env->sequence > expected) {
        p->conv->gaps++;
        if (p->conv->spec.gap)
            p->conv->spec.gap(p->conv->spec.ctx, p, env->stream, expected, env->sequence);
    }
    return true;
}

static void from_peer(stn_port *port, const char *id, const stn_envelope *env, zmq_msg_t *body,
                      zmq_msg_t *bulk, size_t n_bulk)
{
    stn_conv *c = port->conv;
    stn_peer *p = stn_conv_find(c, id);
    uint64_t bytes = zmq_msg_size(body);

    if (!p) {
        stn_conv_drop(c, id, STN_DROP_STRANGER, "kind %u before Hello", env->kind);
        stn_conv_want_hello(port, id);
        return;
    }
    if (p->epoch != env->sender_epoch || env->receiver_epoch != c->bus->epoch) {
        /* libzmq delivers what was queued for a dead process to its successor. */
        stn_conv_drop(c, id, STN_DROP_EPOCH, "kind %u for another start of this process", env->kind);
        stn_conv_want_hello(port, id);
        return;
    }
    p->heard_ns = stn_loop_now(c->bus->loop)->now_ns;
    for (size_t i = 0; i < n_bulk; i++)
        bytes += zmq_msg_size(&bulk[i]);
    c->in_messages++;
    c->in_bytes += bytes;
    if (env->stream >= STN_STREAM_BULK) {
        p->taken += bytes > STN_COST_MIN ? bytes : STN_COST_MIN;
        c->ack_due = true;
    }
    if (!in_order(p, env))
        return;
    if (env->kind == STENNESS__BUS_KIND__BUS_PIECE)
        add_piece(p, env, bulk, n_bulk);
    else if (env->transfer != 0)
        begin_transfer(p, env, body, n_bulk);
    else
        whole_message(p, env, body, bulk, n_bulk, bytes);
}

/* Over CURVE the id must end in "@" and the name of the key, elsewhere it must have none: nobody poses as
 * another. */
static bool id_fits_key(stn_port *port, const char *id, zmq_msg_t *msg)
{
    const char *at = strchr(id, '@'), *user;

    if (!port->curve)
        return at == NULL;
    user = zmq_msg_gets(msg, "User-Id");
    return at && user && strcmp(at + 1, user) == 0;
}

static void one_message(stn_port *port, parts *in)
{
    stn_conv *c = port->conv;
    size_t first = c->door ? 1 : 0;
    char id[STN_PEER_ID_MAX] = "?";
    stn_envelope env;
    stn_err err = {0};
    zmq_msg_t *body;
    stn_status st;

    if (c->door) {
        size_t len = zmq_msg_size(&in->msg[0]);
        if (len >= sizeof id)
            len = sizeof id - 1;
        memcpy(id, zmq_msg_data(&in->msg[0]), len);
        id[len] = 0;
        if (strlen(id) != len || !stn_peer_id_ok(id)) {
            stn_conv_drop(c, "?", STN_DROP_IDENTITY, "a connection without a usable id");
            return;
        }
    } else if (c->link->up) {
        memcpy(id, c->link->id, sizeof id);
    }
    if (in->too_many || in->n < first + 2) {
        stn_conv_drop(c, id, STN_DROP_PARTS, "%zu frames%s", in->n, in->too_many ? " and more" : "");
        return;
    }
    st = stn_envelope_unpack(zmq_msg_data(&in->msg[first]), zmq_msg_size(&in->msg[first]), &env, &err);
    if (st == STN_VERSION) {
        stn_conv_drop(c, id, STN_DROP_VERSION, "%s", err.text);
        stn_peer_other_version(port, id, &env);
        return;
    }
    if (st != STN_OK) {
        stn_conv_drop(c, id, STN_DROP_ENVELOPE, "%s", err.text);
        return;
    }
    if (c->door ? strcmp(env.peer, id) != 0 || !id_fits_key(port, id, &in->msg[first])
                : c->link->up && strcmp(env.peer, id) != 0 && env.kind >= 100) {
        stn_conv_drop(c, id, STN_DROP_IDENTITY, "says it is %s", env.peer);
        return;
    }
    if (!c->door)
        memcpy(id, env.peer, sizeof id);
    body = &in->msg[first + 1];
    if (env.kind < 100 && env.kind != STENNESS__BUS_KIND__BUS_PIECE)
        stn_peer_on_bus_message(port, id, zmq_msg_get(body, ZMQ_SRCFD), &env, zmq_msg_data(body),
                                zmq_msg_size(body));
    else
        from_peer(port, id, &env, body, body + 1, in->n - first - 2);
}

/* The sender next door has a fixed window and measures nothing, so it is told when an eighth of that is
 * taken; a far one at once, since its window follows from when the word arrives. */
static bool ack_can_wait(const stn_peer *p)
{
    return !p->remote && p->taken - p->told < STN_WINDOW_LOCAL / 8;
}

static void acknowledge(stn_peer *p, bool all)
{
    Stenness__BulkAck ack = STENNESS__BULK_ACK__INIT;

    if (p->taken == p->told)
        return;
    if (!all && ack_can_wait(p)) {
        p->conv->ack_due = true;
        return;
    }
    ack.bytes = p->taken;
    if (stn_send_bus_message(p->port, p->id, p->epoch, STENNESS__BUS_KIND__BUS_BULK_ACK, &ack.base))
        p->told = p->taken;
    else
        p->conv->ack_due = true; /* a total: the next one says it too */
}

void stn_conv_acknowledge(stn_conv *c, bool all)
{
    stn_peer *p;

    c->ack_due = false;
    for (size_t it = 0; (p = stn_conv_next_peer(c, &it)) != NULL;)
        acknowledge(p, all);
}

static void read_some(stn_port *port, unsigned most)
{
    stn_conv *c = port->conv;
    parts in;

    stn_watch_used(port->watch);
    for (unsigned i = 0; i < most && port->socket; i++) {
        if (!receive_parts(stn_socket_zmq(port->socket), &in)) {
            stn_watch_drained(port->watch);
            break;
        }
        one_message(port, &in);
        close_parts(&in);
    }
    /* Once for all that was read: acknowledging each would double the number of messages. */
    if (c->ack_due)
        stn_conv_acknowledge(c, false);
}

void stn_conv_on_readable(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    (void)turn;
    (void)fd;
    (void)ready;
    read_some(ctx, MESSAGES_A_TURN);
}

void stn_conv_read_all(stn_port *port)
{
    read_some(port, MESSAGES_AT_MOST);
}
