/* Peers: how they come up, stay known and go down. */
#include "bus/bus_internal.h"

#include "base/clock.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUS_BODY_MAX 4096u /* of the bus's own messages */
#define HELLO_AGAIN_NS (1000 * STN_MS) /* an answer that did not come */
#define HELLO_PARTED_NS (5000 * STN_MS) /* to one of another version: it may be replaced */
#define HELLO_WANTED_EVERY_NS (100 * STN_MS) /* to a door's strangers, all together */
#define MEASURE_NS (5000 * STN_MS) /* a ping at least so often, for the round trip */

const char *stn_down_reason_text(stn_down_reason why)
{
    switch (why) {
    case STN_DOWN_CLOSED:
        return "the connection ended";
    case STN_DOWN_SILENT:
        return "nothing heard for too long";
    case STN_DOWN_EPOCH:
        return "it started anew";
    case STN_DOWN_BYE:
        return "it stopped";
    case STN_DOWN_VERSION:
        return "it speaks another version";
    case STN_DOWN_STOP:
        return "we are stopping";
    }
    return "unknown";
}

stn_peer *stn_conv_find(stn_conv *c, const char *id)
{
    if (c->door)
        return stn_names_get(c->peers, id);
    return c->link->up && strcmp(c->link->id, id) == 0 ? c->link : NULL;
}

/* --- up and down --- */

static void forget_exchange(stn_peer *p)
{
    stn_peer_drop_queues(p);
    stn_reassembly_free(p->reassembly);
    p->reassembly = NULL;
    stn_frame_unref(p->transfer_body);
    p->transfer_body = NULL;
}

void stn_peer_reset(stn_peer *p, int64_t now_ns)
{
    bool far = p->remote;

    memset(p->in_sequence, 0, sizeof p->in_sequence);
    memset(p->out_sequence, 0, sizeof p->out_sequence);
    p->taken = p->told = 0;
    p->busy = false;
    p->user = NULL;
    p->ping_nonce = 0;
    p->heard_ns = now_ns;
    p->ping_ns =
        now_ns - MEASURE_NS; /* the round trip is wanted at once: how much may be under way hangs on it */
    p->rtt_ns = 0;
    p->bad = 0;
    if (far)
        stn_window_init(&p->window, STN_WINDOW_LOCAL, STN_WINDOW_REMOTE_MAX, now_ns);
    else
        stn_window_init(&p->window, STN_WINDOW_LOCAL, STN_WINDOW_LOCAL, now_ns);
    if (far)
        p->window.min = STN_WINDOW_REMOTE_MIN;
}

void stn_peer_down(stn_peer *p, stn_down_reason why)
{
    stn_conv *c = p->conv;

    if (!p->up)
        return;
    p->up = false;
    forget_exchange(p);
    stn_tap_stop(c->bus->tap, p);
    if (!c->untapped) {
        stn_log_info("%s is down on %s: %s", p->id, c->name, stn_down_reason_text(why));
        if (stn_tap_is_on(c->bus->tap))
            stn_tap_peer(c->bus->tap, STENNESS__TAP_TYPE__TAP_PEER_DOWN, p, why);
    }
    if (c->spec.down)
        c->spec.down(c->spec.ctx, p, why);
    if (c->door) {
        stn_names_remove(c->peers, p->id);
        free(p);
    }
}

static void come_up(stn_peer *p, const stn_envelope *env, const Stenness__Hello *hello, int64_t now_ns)
{
    stn_conv *c = p->conv;

    snprintf(p->id, sizeof p->id, "%s", env->peer);
    snprintf(p->kind, sizeof p->kind, "%s", hello->kind);
    p->epoch = env->sender_epoch;
    p->pid = hello->pid;
    p->connection = hello->connection;
    stn_peer_reset(p, now_ns);
    p->up = true;
    if (!c->untapped) {
        stn_log_info("%s is up on %s", p->id, c->name);
        if (stn_tap_is_on(c->bus->tap))
            stn_tap_peer(c->bus->tap, STENNESS__TAP_TYPE__TAP_PEER_UP, p, 0);
    }
}

/* --- Hello --- */

static bool send_hello(stn_port *port, const char *id, uint64_t connection, bool answer)
{
    stn_bus *b = port->conv->bus;
    Stenness__Hello hello = STENNESS__HELLO__INIT;

    hello.kind = b->kind;
    hello.software = b->software;
    hello.pid = (uint32_t)getpid();
    hello.connection = connection;
    hello.answer = answer;
    hello.conversation = port->conv->name;
    return stn_send_bus_message(port, id, 0, STENNESS__BUS_KIND__BUS_HELLO, &hello.base);
}

void stn_conv_say_hello(stn_conv *c, bool again)
{
    c->hello_ns = stn_loop_now(c->bus->loop)->now_ns;
    c->hellos++;
    if (again)
        c->connection = stn_random_u64();
    send_hello(&c->ports[0], "", c->connection, false);
}

void stn_conv_want_hello(stn_port *port, const char *id)
{
    stn_conv *c = port->conv;
    Stenness__HelloWanted wanted = STENNESS__HELLO_WANTED__INIT;
    int64_t now = stn_loop_now(c->bus->loop)->now_ns;

    if (!c->door || now - c->wanted_ns < HELLO_WANTED_EVERY_NS)
        return;
    c->wanted_ns = now;
    stn_send_bus_message(port, id, 0, STENNESS__BUS_KIND__BUS_HELLO_WANTED, &wanted.base);
}

static void reject(stn_port *port, const char *id, const char *text)
{
    Stenness__Reject r = STENNESS__REJECT__INIT;
    r.text = (char *)text;
    r.major = STN_PROTOCOL_MAJOR;
    r.minor = STN_PROTOCOL_MINOR;
    stn_send_bus_message(port, id, 0, STENNESS__BUS_KIND__BUS_REJECT, &r.base);
}

static void hello_at_door(stn_port *port, const char *id, int fd, const stn_envelope *env,
                          const Stenness__Hello *hello)
{
    stn_conv *c = port->conv;
    int64_t now = stn_loop_now(c->bus->loop)->now_ns;
    stn_peer *p;

    if (strcmp(hello->conversation, c->name) != 0) {
        char text[STN_ERR_TEXT];
        snprintf(text, sizeof text, "this is %s, not %.64s: check the address", c->name, hello->conversation);
        stn_conv_drop(c, id, STN_DROP_IDENTITY, "asks for %.64s at %s", hello->conversation, c->name);
        reject(port, id, text);
        return;
    }
    /* Ends of older connections come before: a descriptor that is used again must not take the new peer down.
     */
    stn_conv_drain_monitor(port);
    stn_socket_known(port->socket, fd);
    p = stn_names_get(c->peers, id);
    if (p && p->epoch == env->sender_epoch && p->connection == hello->connection) {
        send_hello(port, id, hello->connection, true);
        return;
    }
    if (p)
        stn_peer_down(p, p->epoch == env->sender_epoch ? STN_DOWN_CLOSED : STN_DOWN_EPOCH);
    if (stn_names_count(c->peers) >= STN_PEERS_MAX) {
        stn_conv_drop(c, id, STN_DROP_CROWD, "%u peers are here already", STN_PEERS_MAX);
        reject(port, id, "too many peers");
        return;
    }
    p = calloc(1, sizeof *p);
    if (!p || !stn_names_put(c->peers, id, p, NULL)) {
        free(p);
        stn_conv_drop(c, id, STN_DROP_CROWD, "out of memory");
        return;
    }
    p->conv = c;
    p->port = port;
    p->fd = fd;
    p->remote = port->tcp;
    come_up(p, env, hello, now);
    /* The answer goes first, so that all that `up` sends finds the other side up too. */
    send_hello(port, id, hello->connection, true);
    if (c->spec.up)
        c->spec.up(c->spec.ctx, p);
}

static void hello_at_link(stn_port *port, const stn_envelope *env, const Stenness__Hello *hello)
{
    stn_conv *c = port->conv;
    stn_peer *p = c->link;

    if (!hello->answer || hello->connection != c->connection)
        return; /* of an earlier connection; ours is still to be answered */
    if (p->up && p->epoch == env->sender_epoch)
        return;
    stn_peer_down(p, STN_DOWN_EPOCH);
    c->diagnosis[0] = 0;
    c->attempts = c->bare_closes = c->hellos = 0;
    c->parted = false;
    p->port = port;
    p->remote = port->tcp;
    come_up(p, env, hello, stn_loop_now(c->bus->loop)->now_ns);
    if (c->spec.up)
        c->spec.up(c->spec.ctx, p);
}

static void on_reject(stn_conv *c, const stn_envelope *env, const Stenness__Reject *r)
{
    char text[STN_ERR_TEXT];

    if (c->door)
        return;
    c->parted = true;
    snprintf(text, sizeof text, "%.90s (protocol %u.%u) turned us away: %.150s", env->peer, r->major,
             r->minor, r->text);
    stn_conv_refused(c, text);
    stn_peer_down(c->link, STN_DOWN_VERSION);
}

void stn_peer_other_version(stn_port *port, const char *id, const stn_envelope *env)
{
    stn_conv *c = port->conv;
    char text[STN_ERR_TEXT];

    if (c->door) {
        snprintf(text, sizeof text, "%s speaks protocol %u.%u, you %u.%u: use the same release on both sides",
                 c->bus->id, STN_PROTOCOL_MAJOR, STN_PROTOCOL_MINOR, env->major, env->minor);
        reject(port, id, text);
        return;
    }
    c->parted = true;
    snprintf(text, sizeof text, "%s speaks protocol %u.%u, this is %u.%u: use the same release on both sides",
             env->peer, env->major, env->minor, STN_PROTOCOL_MAJOR, STN_PROTOCOL_MINOR);
    stn_conv_refused(c, text);
    stn_peer_down(c->link, STN_DOWN_VERSION);
}

/* --- the rest of the bus's own messages --- */

static void on_known(stn_peer *p, uint32_t kind, const ProtobufCMessage *body)
{
    stn_conv *c = p->conv;
    int64_t now = stn_loop_now(c->bus->loop)->now_ns;

    switch (kind) {
    case STENNESS__BUS_KIND__BUS_PING: {
        Stenness__Pong pong = STENNESS__PONG__INIT;
        pong.nonce = ((const Stenness__Ping *)body)->nonce;
        stn_send_bus_message(p->port, p->id, p->epoch, STENNESS__BUS_KIND__BUS_PONG, &pong.base);
        break;
    }
    case STENNESS__BUS_KIND__BUS_PONG:
        if (((const Stenness__Pong *)body)->nonce == p->ping_nonce && p->ping_nonce != 0) {
            p->rtt_ns = now - p->ping_ns;
            p->ping_nonce = 0;
        }
        break;
    case STENNESS__BUS_KIND__BUS_BULK_ACK:
        if (!stn_window_acked(&p->window, ((const Stenness__BulkAck *)body)->bytes, now))
            stn_conv_drop(c, p->id, STN_DROP_SEQUENCE, "acknowledges %llu bulk bytes; %llu to %llu can be",
                          (unsigned long long)((const Stenness__BulkAck *)body)->bytes,
                          (unsigned long long)p->window.acked, (unsigned long long)p->window.sent);
        stn_peer_pump(p);
        stn_peer_make_room(p);
        break;
    case STENNESS__BUS_KIND__BUS_BYE:
        stn_peer_down(p, STN_DOWN_BYE);
        break;
    default:
        break;
    }
}

static const ProtobufCMessageDescriptor *bus_type(uint32_t kind)
{
    switch (kind) {
    case STENNESS__BUS_KIND__BUS_HELLO:
        return &stenness__hello__descriptor;
    case STENNESS__BUS_KIND__BUS_HELLO_WANTED:
        return &stenness__hello_wanted__descriptor;
    case STENNESS__BUS_KIND__BUS_REJECT:
        return &stenness__reject__descriptor;
    case STENNESS__BUS_KIND__BUS_PING:
        return &stenness__ping__descriptor;
    case STENNESS__BUS_KIND__BUS_PONG:
        return &stenness__pong__descriptor;
    case STENNESS__BUS_KIND__BUS_BULK_ACK:
        return &stenness__bulk_ack__descriptor;
    case STENNESS__BUS_KIND__BUS_BYE:
        return &stenness__bye__descriptor;
    default:
        return NULL;
    }
}

void stn_peer_on_bus_message(stn_port *port, const char *id, int fd, const stn_envelope *env,
                             const void *body, size_t len)
{
    stn_conv *c = port->conv;
    const ProtobufCMessageDescriptor *type = bus_type(env->kind);
    const ProtobufCMessage *m;
    stn_err err = {0};
    stn_peer *p;

    if (!type) {
        stn_conv_drop(c, id, STN_DROP_KIND, "bus message of unknown kind %u", env->kind);
        return;
    }
    if (len > BUS_BODY_MAX) {
        stn_conv_drop(c, id, STN_DROP_SIZE, "%s of %zu bytes, at most %u", type->short_name, len,
                      BUS_BODY_MAX);
        return;
    }
    if (stn_unpack(c->unpacker, type, body, len, &m, &err) != STN_OK) {
        stn_conv_drop(c, id, STN_DROP_BODY, "%s", err.text);
        return;
    }
    switch (env->kind) {
    case STENNESS__BUS_KIND__BUS_HELLO:
        if (c->door)
            hello_at_door(port, id, fd, env, (const Stenness__Hello *)m);
        else
            hello_at_link(port, env, (const Stenness__Hello *)m);
        return;
    case STENNESS__BUS_KIND__BUS_HELLO_WANTED:
        if (!c->door && stn_loop_now(c->bus->loop)->now_ns - c->hello_ns >= HELLO_WANTED_EVERY_NS) {
            stn_peer_down(c->link, STN_DOWN_EPOCH);
            stn_conv_say_hello(c, true);
        }
        return;
    case STENNESS__BUS_KIND__BUS_REJECT:
        on_reject(c, env, (const Stenness__Reject *)m);
        return;
    default:
        break;
    }
    p = stn_conv_find(c, id);
    if (!p || p->epoch != env->sender_epoch || env->receiver_epoch != c->bus->epoch) {
        stn_conv_drop(c, id, p ? STN_DROP_EPOCH : STN_DROP_STRANGER, "%s without Hello", type->short_name);
        stn_conv_want_hello(port, id);
        return;
    }
    p->heard_ns = stn_loop_now(c->bus->loop)->now_ns;
    on_known(p, env->kind, m);
}

/* --- time --- */

/* True when the peer is to be taken down. */
static bool look_after(stn_peer *p, const stn_turn *turn)
{
    int64_t now = turn->now_ns, silent;

    /* While we did not run nobody could be heard. */
    if (turn->slept_ns > 0 || turn->stalled_ns > 0)
        p->heard_ns = now;
    silent = now - p->heard_ns;
    if (silent > STN_SILENCE_MS * STN_MS)
        return true;
    if ((silent > STN_PING_MS * STN_MS && now - p->ping_ns > STN_PING_MS * STN_MS) ||
        now - p->ping_ns > MEASURE_NS) {
        Stenness__Ping ping = STENNESS__PING__INIT;
        ping.nonce = p->ping_nonce = stn_random_u64();
        p->ping_ns = now;
        stn_send_bus_message(p->port, p->id, p->epoch, STENNESS__BUS_KIND__BUS_PING, &ping.base);
    }
    stn_peer_pump(p);
    stn_peer_make_room(p);
    return false;
}

void stn_peer_housekeeping(stn_conv *c, const stn_turn *turn)
{
    if (c->door) {
        for (bool again = true; again;) {
            const char *id;
            void *value;

            again = false;
            for (size_t it = 0; !again && stn_names_next(c->peers, &it, &id, &value);)
                if (look_after(value, turn)) {
                    stn_peer_down(value, STN_DOWN_SILENT); /* changes the table: from the start again */
                    again = true;
                }
        }
        return;
    }
    if (c->link->up) {
        if (look_after(c->link, turn)) {
            stn_peer_down(c->link, STN_DOWN_SILENT);
            stn_conv_say_hello(c, true);
        }
    } else if (c->ready && turn->now_ns - c->hello_ns > (c->parted ? HELLO_PARTED_NS : HELLO_AGAIN_NS)) {
        if (!c->parted && c->hellos >= 2)
            snprintf(c->diagnosis, sizeof c->diagnosis, "connected, but %s does not answer", c->name);
        stn_conv_say_hello(c, c->parted);
    }
}

/* --- what services ask --- */

const char *stn_peer_id(const stn_peer *p)
{
    return p->id;
}

const char *stn_peer_kind(const stn_peer *p)
{
    return p->kind;
}

uint64_t stn_peer_epoch(const stn_peer *p)
{
    return p->epoch;
}

uint32_t stn_peer_pid(const stn_peer *p)
{
    return p->pid;
}

bool stn_peer_is_remote(const stn_peer *p)
{
    return p->remote;
}

stn_conv *stn_peer_conv(const stn_peer *p)
{
    return p->conv;
}

int64_t stn_peer_rtt_ns(const stn_peer *p)
{
    return p->rtt_ns;
}

void stn_peer_set_user(stn_peer *p, void *user)
{
    p->user = user;
}

void *stn_peer_user(const stn_peer *p)
{
    return p->user;
}
