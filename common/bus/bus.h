/* bus.h - messages between processes. No service touches a ZeroMQ socket by itself.
 *
 * One stn_bus per process, on one loop. On it any number of *doors* (a bound name: many peers come) and
 * *links* (a connection to a bound name: one peer); both are an stn_conv and take a table of handlers. The
 * other side is an stn_peer, from its `up` to its `down`.
 *
 *     static const stn_handler handlers[] = {
 *         {STENNESS__RESOURCE_KIND__RES_GET, "get", 4096, &stenness__get__descriptor, on_get},
 *     };
 *     stn_conv_spec spec = {.name = "loader", .handlers = handlers, .n_handlers = 1, .ctx = l, .up = …, .down
 * = …}; stn_bus_bind(bus, &spec, &l->door, &err);
 *
 * What the bus does by itself: Hello both ways and a check of both epochs; reconnecting with backoff and
 * jitter; remaking the socket after a refused CURVE handshake, with a diagnosis in words (log and status);
 * pings and the silence deadline, not fooled by a suspended machine; sequence per stream with gap reports;
 * bulk in pieces within a window, state first; reassembly within ceilings; counting and dropping of
 * everything invalid, logged once a peer; recording for the tap.
 *
 * Peer up means: the other side is there and knows nothing of us. Subscribe and ask for what is outstanding,
 * always. Peer down means: what it held is taken back. A peer that restarts goes down (STN_DOWN_EPOCH) and
 * up. The pointer is valid until `down` returns; nothing can be sent to it in `down`.
 *
 * Messages within a stream keep their order and are delivered at most once; a loss is seen as a gap or a
 * `down`. There is no order between streams. Streams 0–15 are for state and requests: sent at once, at most
 * STN_PIECE_MAX bulk. Streams 16–31 are bulk: sent as the peer's window allows, any size up to STN_BULK_MAX.
 *
 * Threads: everything here belongs to the loop's thread, except stn_msg_ref/unref and the frames.
 */
#ifndef STN_BUS_BUS_H
#define STN_BUS_BUS_H

#include "base/err.h"
#include "bus/address.h"
#include "bus/bulk.h"
#include "bus/envelope.h"
#include "bus/frame.h"
#include "bus/keys.h"
#include "bus/loop.h"
#include "bus/report.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_bus stn_bus;
typedef struct stn_conv stn_conv;
typedef struct stn_peer stn_peer;
typedef struct stn_msg stn_msg;
typedef struct stn_tap stn_tap;

#define STN_BULK_MAX                                                                                         \
    (UINT64_C(256) << 20) /* bulk of one message, all frames; a handler's own limit is lower */
#define STN_PEERS_MAX 1024 /* peers of one door; more are refused */

/* --- the process --- */

typedef struct stn_bus_spec {
    const char *kind; /* "loader", "world", …: 1 to 24 letters, digits, '-' */
    const char *instance; /* NULL = "default" */
    const char *software; /* version shown to people; NULL = none */
    bool unnumbered; /* tools: no number and no lock are taken; the id is KIND.pPID */
} stn_bus_spec;

/* Takes the lowest free number N of ctl/KIND.N in the instance (held until free) and makes the stable id
 * "KIND.N" and the epoch. The loop must outlive the bus. */
stn_status stn_bus_new(stn_loop *loop, const stn_bus_spec *spec, stn_bus **out, stn_err *err);
/* Says Bye to every peer and closes; what is queued gets at most STN_LINGER_MS to leave. */
void stn_bus_free(stn_bus *bus);
#define STN_LINGER_MS 300

const char *stn_bus_id(const stn_bus *bus); /* "mesher.0" */
const char *stn_bus_instance(const stn_bus *bus);
const char *stn_bus_kind(const stn_bus *bus);
unsigned stn_bus_number(const stn_bus *bus);
uint64_t stn_bus_epoch(const stn_bus *bus);
stn_loop *stn_bus_loop(const stn_bus *bus);
stn_tap *stn_bus_tap(const stn_bus *bus); /* tap.h */
/* Peers, messages, bytes, drops by reason, connection states and diagnoses, of all doors and links. */
void stn_bus_report(const stn_bus *bus, stn_report *report);

/* --- doors and links --- */

typedef stn_status (*stn_handler_fn)(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err);

typedef struct stn_handler {
    uint32_t kind;
    const char *name;
    size_t max_bytes; /* body and bulk together; larger ones are counted and dropped before anything is
                         unpacked */
    const ProtobufCMessageDescriptor *type; /* unpacked before fn runs: stn_msg_body(). NULL: raw bytes */
    stn_handler_fn
        fn; /* an error is counted, logged once a peer, and ends nothing. STN_AGAIN is not an error */
    bool secret; /* the tap zeroes the body (equal length) unless a redaction hook decides */
} stn_handler;

typedef enum stn_down_reason {
    STN_DOWN_CLOSED = 1, /* the connection ended */
    STN_DOWN_SILENT, /* nothing heard for STN_SILENCE_MS */
    STN_DOWN_EPOCH, /* it restarted, or forgot us; `up` follows */
    STN_DOWN_BYE, /* it stopped cleanly */
    STN_DOWN_VERSION, /* it speaks another major version */
    STN_DOWN_STOP, /* we are stopping */
} stn_down_reason;
const char *stn_down_reason_text(stn_down_reason why);

#define STN_PING_MS 1000 /* after so long without hearing anything, a Ping */
#define STN_SILENCE_MS 5000 /* then it counts as gone */

typedef struct stn_conv_spec {
    const char *name; /* logical name, in the instance of the bus; also what Hello asks for */
    const stn_handler *handlers; /* borrowed for the life of the conversation */
    size_t n_handlers;
    void *ctx;
    void (*up)(void *ctx, stn_peer *peer); /* all four may be NULL */
    void (*down)(void *ctx, stn_peer *peer, stn_down_reason why); /* `peer` is invalid after it returns */
    /* Messages of the stream were lost before this one, which is delivered next. */
    void (*gap)(void *ctx, stn_peer *peer, uint32_t stream, uint64_t expected, uint64_t got);
    /* After a send said STN_BUSY: there is room again. */
    void (*room)(void *ctx, stn_peer *peer);
    /* A link only: the endpoint when configured; NULL = the name's ipc path. */
    const char *endpoint;
    /* A link: own key pair and the server's public key, for CURVE. NULL = plain. Copied. */
    const stn_keys *keys;
    const char *server_key; /* 40 characters Z85 */
    /* A link only: the instance, when it is not the bus's own (tools). */
    const char *instance;
    /* Most bulk bytes that may wait to be sent to one peer before a send says STN_BUSY; 0 = 64 MiB. They are
     * references to frames, not copies. */
    size_t queue_bytes;
    /* Memory that one message may take when unpacked; 0 = 16 MiB. */
    size_t unpack_bytes;
} stn_conv_spec;

/* Binds the name's ipc endpoint. STN_BUSY: "world: already running (pid N)". */
stn_status stn_bus_bind(stn_bus *bus, const stn_conv_spec *spec, stn_conv **out, stn_err *err);
/* One more endpoint of a door, for other machines: tcp with CURVE (keys, and the folder with the public keys
 * that may come: keys.h), or plain tcp on loopback (keys NULL). Port '*': chosen by the system, see
 * stn_conv_endpoint(). The stable id of a peer over CURVE must end in "@" and the name under which its key is
 * listed. */
stn_status stn_conv_bind_also(stn_conv *door, const char *endpoint, const stn_keys *keys,
                              const char *allow_folder, stn_err *err);
/* Never fails because nobody is there: it goes on trying. */
stn_status stn_bus_connect(stn_bus *bus, const stn_conv_spec *spec, stn_conv **out, stn_err *err);
/* Peers go down (STN_DOWN_STOP) first. Not inside a handler or any other callback of this bus. NULL is fine.
 */
void stn_conv_free(stn_conv *conv);

const char *stn_conv_name(const stn_conv *conv);
/* The i-th endpoint as bound or connected, NULL out of range. */
const char *stn_conv_endpoint(const stn_conv *conv, size_t i);
/* A link: its peer while up, else NULL. */
stn_peer *stn_conv_peer(const stn_conv *conv);
/* Peers that are up, in no order: *it from 0, NULL at the end. None may go down meanwhile (nothing is
 * received, so sending is fine). */
stn_peer *stn_conv_next_peer(const stn_conv *conv, size_t *it);
size_t stn_conv_peer_count(const stn_conv *conv);
/* A link that is not up: why, in words for the person ("connecting", "the server refused the handshake: check
 * --server-key", "speaks protocol 2.0, this is 1.0"). A door: the last diagnosis of a refused peer, or "". */
const char *stn_conv_diagnosis(const stn_conv *conv);

/* --- peers --- */

const char *stn_peer_id(const stn_peer *peer); /* "mesher.0", "mesher.0@desk" */
const char *stn_peer_kind(const stn_peer *peer);
uint64_t stn_peer_epoch(const stn_peer *peer);
uint32_t stn_peer_pid(const stn_peer *peer);
bool stn_peer_is_remote(const stn_peer *peer); /* over tcp */
stn_conv *stn_peer_conv(const stn_peer *peer);
int64_t stn_peer_rtt_ns(const stn_peer *peer); /* of the last Ping; 0 = not measured yet */
void stn_peer_set_user(stn_peer *peer, void *user); /* the service's own; NULL at up */
void *stn_peer_user(const stn_peer *peer);

/* --- sending --- */

typedef struct stn_send {
    uint32_t kind;
    uint32_t stream;
    uint64_t correlation;
    const ProtobufCMessage *body; /* packed before return; or */
    const void *raw; /* these bytes, copied; or, when both are NULL and raw_frame too, an empty body */
    size_t raw_len;
    stn_frame *raw_frame; /* a body as it came (stn_msg_body_frame()), not copied */
    stn_frame *const *bulk; /* borrowed; the bus takes its own references */
    size_t n_bulk;
} stn_send;

/* STN_BUSY: too much is waiting for this peer; nothing was queued; `room` is called later. What can be merged
 * is merged by the caller meanwhile. STN_TOO_BIG, STN_USAGE: the message can never go. STN_CANCELLED: the
 * peer is down. */
stn_status stn_peer_send(stn_peer *peer, const stn_send *send, stn_err *err);
/* Short form for a message without bulk. */
stn_status stn_peer_say(stn_peer *peer, uint32_t kind, uint32_t stream, uint64_t correlation,
                        const ProtobufCMessage *body, stn_err *err);
/* Bulk bytes that wait here or are not yet acknowledged. */
uint64_t stn_peer_unsent_bytes(const stn_peer *peer);
uint64_t stn_peer_unacked_bytes(const stn_peer *peer);
/* A correlation id never used before in this epoch. */
uint64_t stn_bus_correlation(stn_bus *bus);

/* --- messages --- */

/* Borrowed by the handler; stn_msg_ref() keeps it (any thread may unref). The unpacked body is valid inside
 * the handler only: what is kept is the raw body and the frames. */
stn_msg *stn_msg_ref(stn_msg *msg);
void stn_msg_unref(stn_msg *msg);
uint32_t stn_msg_kind(const stn_msg *msg);
uint32_t stn_msg_stream(const stn_msg *msg);
uint64_t stn_msg_sequence(const stn_msg *msg);
uint64_t stn_msg_correlation(const stn_msg *msg);
const stn_envelope *stn_msg_envelope(const stn_msg *msg);
/* The unpacked body, of the type in the handler table; inside the handler only. */
const void *stn_msg_body(const stn_msg *msg);
stn_frame *stn_msg_body_frame(const stn_msg *msg); /* borrowed: the body's bytes */
size_t stn_msg_bulk_count(const stn_msg *msg);
stn_frame *stn_msg_bulk(const stn_msg *msg, size_t i); /* borrowed; NULL out of range */
stn_frame *const *stn_msg_bulk_frames(const stn_msg *msg);
/* One that no connection brought, but a recording: with this envelope and references of its own to the
 * frames. NULL: no memory, or more bulk than a message has. */
stn_msg *stn_msg_recorded(const stn_envelope *env, stn_frame *body, stn_frame *const *bulk, size_t n_bulk);
size_t stn_msg_bytes(const stn_msg *msg); /* body and bulk */

#endif
