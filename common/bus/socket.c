#include "bus/socket.h"

#include "base/bytes.h"
#include "bus/address.h"
#include "bus/bulk.h"
#include "bus/bus.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <zmq.h>

/* Connections of a door that have not finished their handshake. More at once are accepted, their address is
 * then not known to the diagnosis. */
#define WAITING 64u

struct stn_socket {
    void *zmq, *monitor;
    bool door, curve;
    char endpoint[STN_ADDRESS_MAX];
    struct {
        int fd;
        char address[80];
    } waiting[WAITING];
    /* libzmq reports why a handshake failed and which connection ended one after the other, without naming
     * the connection in the first: the reason waits here for the second. */
    bool failed, told;
    char reason[STN_ERR_TEXT];
};

/* Milliseconds. Local peers answer at once or not at all; a second machine may be far. */
#define RECONNECT_MS 50 /* first wait when nobody listens; libzmq adds jitter of the same size */
#define RECONNECT_MAX_LOCAL_MS 400 /* so that a killed process is found again well within two seconds */
#define RECONNECT_MAX_TCP_MS 2000
#define CONNECT_TIMEOUT_MS 3000
#define HANDSHAKE_MS 3000 /* a listener that says nothing is told to the person within 5 s */
#define HEARTBEAT_MS 1000

/* Messages. The bus keeps its own queues, where it can merge, count and say "busy"; libzmq's are only to keep
 * the wire full. Eight pieces fill the window, the rest is small messages. */
#define SEND_QUEUE 64
/* Of one connection, not yet read by us: while a turn runs long, senders wait in their own process. Each is
 * at most ZMQ_MAXMSGSIZE, and a peer of ours has at most its window of bulk under way. */
#define RECEIVE_QUEUE 64
/* Of a local connection: room for several products, as far as the system allows. With the usual 208 KiB a
 * group of them does not fit; sender and receiver then wake each other for every few pages. libzmq's own
 * option is for tcp alone, where the kernel finds a size by itself. */
#define LOCAL_BUFFER (1 << 20)

static int set_int(void *socket, int option, int value)
{
    return zmq_setsockopt(socket, option, &value, sizeof value);
}

static int set_limits(const stn_socket *s, const stn_socket_spec *spec)
{
    void *z = s->zmq;
    bool tcp = stn_address_is_tcp(spec->endpoint);
    int64_t max = STN_MESSAGE_MAX;
    int bad = 0;

    /* A frame over this ends the connection before it is allocated. Our own are at most a piece or a body. */
    bad |= zmq_setsockopt(z, ZMQ_MAXMSGSIZE, &max, sizeof max);
    bad |= set_int(z, ZMQ_SNDHWM, SEND_QUEUE);
    bad |= set_int(z, ZMQ_RCVHWM, RECEIVE_QUEUE);
    /* Set again at close when something may still leave; never more, so that ending takes no time. */
    bad |= set_int(z, ZMQ_LINGER, 0);
    /* A connection that does not finish its handshake holds a descriptor no longer than this. */
    bad |= set_int(z, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
    /* A stopped or vanished process closes no connection. The TTL makes the other side count too. */
    bad |= set_int(z, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
    bad |= set_int(z, ZMQ_HEARTBEAT_TIMEOUT, STN_SILENCE_MS);
    bad |= set_int(z, ZMQ_HEARTBEAT_TTL, STN_SILENCE_MS);
    if (s->door) {
        /* Sending to a peer that is not there is an error to count, not silence. */
        bad |= set_int(z, ZMQ_ROUTER_MANDATORY, 1);
        /* A peer that comes back before its old connection was noticed dead takes its id over; without this
         * the new connection would be ignored. */
        bad |= set_int(z, ZMQ_ROUTER_HANDOVER, 1);
        bad |= set_int(z, ZMQ_BACKLOG, 64);
    } else {
        /* Nothing may be queued for a peer that is not there: it would be told things meant for its
         * predecessor. With ZMQ_IMMEDIATE libzmq 4.3.4 sees to that by ending the pipe when the connection
         * ends; what was received and not yet read is lost with it, and a message that is half read then
         * aborts the process (fq.cpp, "!_more"). So it is off, and the same is had by sending nothing before
         * Hello, making a new socket after every lost connection, and the receiver's epoch in each message.
         */
        bad |= set_int(z, ZMQ_IMMEDIATE, 0);
        bad |= zmq_setsockopt(z, ZMQ_ROUTING_ID, spec->routing_id, strlen(spec->routing_id));
        bad |= set_int(z, ZMQ_RECONNECT_IVL, RECONNECT_MS);
        bad |= set_int(z, ZMQ_RECONNECT_IVL_MAX, tcp ? RECONNECT_MAX_TCP_MS : RECONNECT_MAX_LOCAL_MS);
        /* The kernel would try for two minutes. */
        bad |= set_int(z, ZMQ_CONNECT_TIMEOUT, CONNECT_TIMEOUT_MS);
    }
    if (tcp && strchr(spec->endpoint, '['))
        bad |= set_int(z, ZMQ_IPV6, 1);
    return bad;
}

static int set_keys(const stn_socket *s, const stn_socket_spec *spec)
{
    int bad = zmq_setsockopt(s->zmq, ZMQ_CURVE_SECRETKEY, spec->keys->secret_key, STN_KEY_TEXT);

    if (s->door) {
        /* libzmq lets every key in when nobody is bound to answer the key check: zap.c is, before this. */
        bad |= set_int(s->zmq, ZMQ_CURVE_SERVER, 1);
        bad |= zmq_setsockopt(s->zmq, ZMQ_ZAP_DOMAIN, spec->zap_domain, strlen(spec->zap_domain));
    } else {
        bad |= zmq_setsockopt(s->zmq, ZMQ_CURVE_PUBLICKEY, spec->keys->public_key, STN_KEY_TEXT);
        bad |= zmq_setsockopt(s->zmq, ZMQ_CURVE_SERVERKEY, spec->server_key, STN_KEY_TEXT);
    }
    return bad;
}

static int open_monitor(stn_socket *s, void *zctx)
{
    static atomic_uint made;
    char name[48];
    int events = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED |
                 ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                 ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

    snprintf(name, sizeof name, "inproc://monitor-%u", atomic_fetch_add(&made, 1));
    if (zmq_socket_monitor(s->zmq, name, events) != 0)
        return -1;
    s->monitor = zmq_socket(zctx, ZMQ_PAIR);
    if (!s->monitor || set_int(s->monitor, ZMQ_LINGER, 0) != 0)
        return -1;
    return zmq_connect(s->monitor, name);
}

stn_status stn_socket_open(const stn_socket_spec *spec, stn_socket **out, stn_err *err)
{
    stn_socket *s = calloc(1, sizeof *s);
    size_t len;
    int rc;

    *out = NULL;
    if (!s)
        return stn_fail(err, STN_NO_MEMORY, "socket");
    for (unsigned i = 0; i < WAITING; i++)
        s->waiting[i].fd = -1;
    s->door = spec->routing_id == NULL;
    s->curve = spec->keys != NULL;
    s->zmq = zmq_socket(spec->zctx, s->door ? ZMQ_ROUTER : ZMQ_DEALER);
    if (!s->zmq) {
        stn_socket_close(s, 0);
        return stn_fail(err, STN_IO, "%s: %s", spec->endpoint, zmq_strerror(errno));
    }
    if (set_limits(s, spec) != 0 || (spec->keys && set_keys(s, spec) != 0) ||
        open_monitor(s, spec->zctx) != 0) {
        stn_fail(err, STN_IO, "%s: option: %s", spec->endpoint, zmq_strerror(errno));
        stn_socket_close(s, 0);
        return STN_IO;
    }
    rc = s->door ? zmq_bind(s->zmq, spec->endpoint) : zmq_connect(s->zmq, spec->endpoint);
    if (rc != 0) {
        stn_fail(err, errno == EADDRINUSE ? STN_BUSY : STN_IO, "%s: %s", spec->endpoint, zmq_strerror(errno));
        stn_socket_close(s, 0);
        return err ? err->code : STN_IO;
    }
    len = sizeof s->endpoint;
    if (!s->door || zmq_getsockopt(s->zmq, ZMQ_LAST_ENDPOINT, s->endpoint, &len) != 0)
        snprintf(s->endpoint, sizeof s->endpoint, "%s", spec->endpoint);
    *out = s;
    return STN_OK;
}

void stn_socket_close(stn_socket *s, int linger_ms)
{
    if (!s)
        return;
    if (s->zmq) {
        zmq_socket_monitor(s->zmq, NULL, 0);
        set_int(s->zmq, ZMQ_LINGER, linger_ms);
        zmq_close(s->zmq);
    }
    if (s->monitor)
        zmq_close(s->monitor);
    free(s);
}

void *stn_socket_zmq(const stn_socket *s)
{
    return s->zmq;
}

void *stn_socket_monitor(const stn_socket *s)
{
    return s->monitor;
}

const char *stn_socket_endpoint(const stn_socket *s)
{
    return s->endpoint;
}

/* --- the monitor --- */

static void remember_address(stn_socket *s, int fd)
{
    struct sockaddr_storage a;
    socklen_t len = sizeof a;
    unsigned at = 0;
    char host[INET6_ADDRSTRLEN] = "";

    while (at < WAITING - 1 && s->waiting[at].fd >= 0 && s->waiting[at].fd != fd)
        at++;
    s->waiting[at].fd = fd;
    snprintf(s->waiting[at].address, sizeof s->waiting[at].address, "an unknown address");
    if (getpeername(fd, (struct sockaddr *)&a, &len) != 0)
        return; /* it has gone again already */
    if (a.ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)&a;
        inet_ntop(AF_INET, &in->sin_addr, host, sizeof host);
        snprintf(s->waiting[at].address, sizeof s->waiting[at].address, "%s:%u", host, ntohs(in->sin_port));
    } else if (a.ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)&a;
        inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof host);
        snprintf(s->waiting[at].address, sizeof s->waiting[at].address, "[%s]:%u", host,
                 ntohs(in->sin6_port));
    } else {
        snprintf(s->waiting[at].address, sizeof s->waiting[at].address, "a local socket");
    }
}

/* A connection that has ended meanwhile does not mind. */
static void widen(const stn_socket *s, int fd)
{
    const int bytes = LOCAL_BUFFER;

    if (!stn_address_is_tcp(s->endpoint))
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

static const char *take_address(stn_socket *s, int fd)
{
    for (unsigned i = 0; i < WAITING; i++)
        if (s->waiting[i].fd == fd) {
            s->waiting[i].fd = -1;
            return s->waiting[i].address;
        }
    return "an unknown address";
}

void stn_socket_known(stn_socket *s, int fd)
{
    take_address(s, fd);
}

/* What a failed handshake means, from where we stand. A door's text is completed with the address. */
static void explain(stn_socket *s, unsigned event, uint32_t value)
{
    s->failed = true;
    s->told = event != ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
    s->reason[0] = 0;
    if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
        /* A door's key check has already said more. */
        if (!s->door)
            snprintf(s->reason, sizeof s->reason,
                     "the server does not have our key on its list: give it our public key file");
        return;
    }
    if (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL)
        return;
    if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH) {
        if (s->door)
            snprintf(s->reason, sizeof s->reason,
                     s->curve ? "uses no keys: it must give --key and --server-key"
                              : "uses keys, and this endpoint takes none");
        else
            snprintf(s->reason, sizeof s->reason,
                     s->curve ? "the server takes no keys there: leave out --server-key"
                              : "the server wants keys: give --key and --server-key");
    } else if (value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC ||
               value == ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE) {
        if (s->door)
            snprintf(s->reason, sizeof s->reason,
                     "does not know our key: it must give our public key as --server-key");
        else
            snprintf(s->reason, sizeof s->reason, "the server has another key: check --server-key");
    } else {
        snprintf(s->reason, sizeof s->reason,
                 s->door ? "does not speak the protocol (error 0x%x)"
                         : "what answers there does not speak the protocol (error 0x%x)",
                 value);
    }
}

/* Two frames: event number and value, then the endpoint (which for a door is our own, and of no use). */
static bool read_monitor(stn_socket *s, unsigned *event, uint32_t *value)
{
    zmq_msg_t msg;
    bool got;

    zmq_msg_init(&msg);
    got = zmq_msg_recv(&msg, s->monitor, ZMQ_DONTWAIT) == 6;
    if (got) {
        *event = stn_ld16(zmq_msg_data(&msg));
        *value = stn_ld32((const uint8_t *)zmq_msg_data(&msg) + 2);
    }
    while (zmq_msg_more(&msg))
        if (zmq_msg_recv(&msg, s->monitor, ZMQ_DONTWAIT) < 0)
            break;
    zmq_msg_close(&msg);
    return got;
}

bool stn_socket_next_event(stn_socket *s, stn_socket_event *out)
{
    unsigned event = 0;
    uint32_t value = 0;

    while (read_monitor(s, &event, &value)) {
        int fd = (int)value;

        switch (event) {
        case ZMQ_EVENT_CONNECTED:
            widen(s, fd);
            break;
        case ZMQ_EVENT_ACCEPTED:
            widen(s, fd);
            remember_address(s, fd);
            break;
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
            if (s->door)
                break; /* which connection it is comes with its first message */
            *out = (stn_socket_event){.type = STN_SOCKET_READY, .fd = -1};
            return true;
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
            /* A refusal in words counts for more than the bare close that may follow it. */
            if (!(s->failed && s->told && event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL))
                explain(s, event, value);
            break;
        case ZMQ_EVENT_DISCONNECTED: {
            const char *address = take_address(s, fd);
            *out = (stn_socket_event){
                .type = s->failed ? STN_SOCKET_REFUSED : STN_SOCKET_CLOSED, .fd = fd, .told = s->told};
            if (s->failed && s->door && s->reason[0])
                snprintf(out->text, sizeof out->text, "peer at %s %.200s", address, s->reason);
            else if (s->failed)
                snprintf(out->text, sizeof out->text, "%.300s", s->reason);
            s->failed = s->told = false;
            return true;
        }
        default:
            break;
        }
    }
    return false;
}
