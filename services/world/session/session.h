/* session.h - one game session as the client, as a pure state machine.
 *
 *   step(now, datagrams) -> datagrams to send, deliveries, how long to wait
 *
 * Time is a double in seconds on any monotonic clock: the reference's timers are written in doubles, and the
 * figures compare to the last bit. Nothing here reads a clock, a socket or chance.
 *
 * How to drive it
 *   1. stn_session_new(), then stn_session_step() with no datagrams.
 *   2. Send out->send in order (a failed send counts as loss). Hand out->deliver to the caches in order.
 *   3. Wait for a datagram, a queued message or out->wait seconds, and step again with what came. If
 *      out->taken is less than what was given, step at once with the rest: a pass may end early.
 *   4. In phase STN_SESSION_DONE read stn_session_get_result().
 *
 * Limits  65536 objects waiting for acknowledgement (a delta beyond is dropped unseen and will come again),
 *         STN_SESSION_PENDING_MAX unacknowledged messages, the bounds of reliable.h, and 100 reliable
 *         messages that the caller reports as malformed (stn_session_malformed()).
 *
 * Source  docs/spec/session-protocol.md 4-7, 14.
 */
#ifndef STN_WORLD_SESSION_SESSION_H
#define STN_WORLD_SESSION_SESSION_H

#include "base/err.h"
#include "session/objdata.h"
#include "session/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_SESSION_PENDING_MAX 4096 /* messages; queueing beyond it is STN_BUSY */
#define STN_SESSION_ACKS_MAX 65536
#define STN_SESSION_MALFORMED_MAX 100
#define STN_SESSION_VERSION 31 /* default of the setting session.pver */

typedef struct stn_session_settings {
    const char *user; /* the alias when the login service gave one */
    const uint8_t *cookie;
    size_t cookie_len;
    const char *protocol; /* NULL = "Hafen/unknown" */
    uint16_t version; /* 0 = STN_SESSION_VERSION */
    const uint8_t *args; /* extra connect arguments: an encoded typed list; NULL = none */
    size_t args_len;
    bool encrypt;
    uint8_t salt[16]; /* random, used with encrypt */
    double idle_timeout; /* seconds without any datagram until the session counts as lost; 0 = never */
    /* Ours by default; the reference's own behaviour is needed to compare traces with it. */
    bool reack_dup; /* acknowledge again when a duplicate comes */
    bool exact_timers; /* repeat when due, not only when something else wakes the loop */
    bool drop_ends_pass; /* a dropped datagram leaves the rest to the next pass */
    unsigned rel_window; /* how far ahead a reliable message may be; 0 = STN_REL_WINDOW */
} stn_session_settings;

/* user and cookie are to be set; everything else is the default of a real client. */
stn_session_settings stn_session_defaults(void);

typedef enum stn_session_phase {
    STN_SESSION_CONNECT,
    STN_SESSION_MAIN,
    STN_SESSION_CLOSE, /* CLOSE was sent, waiting for the peer's */
    STN_SESSION_DONE,
} stn_session_phase;

typedef enum stn_session_end {
    STN_SESSION_END_NONE, /* not over */
    STN_SESSION_END_REFUSED, /* code and text say why; code 3: the server did not answer */
    STN_SESSION_END_LOCAL, /* stn_session_close() */
    STN_SESSION_END_PEER, /* the server closed it */
    STN_SESSION_END_LOST, /* silence */
    STN_SESSION_END_PROTOCOL, /* the peer broke the protocol; text says how */
    STN_SESSION_END_SOCKET, /* stn_session_lost() */
} stn_session_end;

typedef struct stn_session_result {
    stn_session_end end;
    unsigned code; /* stn_sess_code with END_REFUSED */
    const char *text; /* for a person, never NULL; owned by the session */
} stn_session_result;

typedef struct stn_datagram {
    const uint8_t *data;
    size_t len;
} stn_datagram;

typedef enum stn_delivery_kind {
    STN_DELIVER_RMSG, /* a reliable message, reassembled: type, data, len */
    STN_DELIVER_OBJD, /* an object delta: obj */
    STN_DELIVER_MAP, /* a piece of a map message: data, len (payload behind the kind byte) */
} stn_delivery_kind;

typedef struct stn_delivery {
    stn_delivery_kind kind;
    uint8_t type;
    const uint8_t *data;
    size_t len;
    stn_objdelta obj;
} stn_delivery;

/* Everything here is borrowed until the next step or free. */
typedef struct stn_session_out {
    const stn_datagram *send;
    size_t n_send;
    const stn_delivery *deliver;
    size_t n_deliver;
    size_t taken; /* datagrams consumed */
    double wait; /* seconds; 0 = step again at once. Meaningless in STN_SESSION_DONE */
    stn_session_phase phase; /* after the step */
} stn_session_out;

typedef struct stn_session_stats {
    uint64_t datagrams_in, datagrams_out, bytes_in, bytes_out;
    uint64_t dropped; /* malformed, undecryptable, replayed or over a limit */
    uint64_t ignored; /* unknown kinds, empty datagrams */
    uint64_t malformed; /* reliable messages reported by stn_session_malformed() */
    uint64_t resent; /* reliable messages sent again */
    size_t pending; /* reliable messages not yet acknowledged */
    size_t acks_waiting; /* objects */
    double rtt_mean, rtt_dev; /* of the last 32 acknowledged messages, seconds; 0 = no sample */
} stn_session_stats;

typedef struct stn_session stn_session;

/* Copies what it keeps. STN_USAGE for settings that make no sense. */
stn_status stn_session_new(const stn_session_settings *settings, stn_session **out, stn_err *err);
void stn_session_free(stn_session *s); /* wipes cookie and keys */

/* Queues a reliable message; the loop should wake. Also before the session is accepted. STN_BUSY: too many
 * are waiting for the server. STN_CANCELLED: the session is closing or over. */
stn_status stn_session_queue(stn_session *s, uint8_t type, const void *data, size_t len, stn_err *err);
/* Sends one MAPREQ with the next step of a running session; forgotten when it is not running. */
void stn_session_mapreq(stn_session *s, int32_t gc_x, int32_t gc_y);
/* The caller could not make sense of a reliable message (already delivered): counted, and one too many ends
 * the session. */
void stn_session_malformed(stn_session *s);
/* Asks for an orderly end; step as before until STN_SESSION_DONE. While connecting it ends at once. */
void stn_session_close(stn_session *s);
/* The socket failed (port unreachable on receive): over at once. */
void stn_session_lost(stn_session *s, const char *why);

/* in: datagrams in order of arrival, borrowed for the call. */
const stn_session_out *stn_session_step(stn_session *s, double now, const stn_datagram *in, size_t n);

stn_session_phase stn_session_phase_now(const stn_session *s);
stn_session_result stn_session_get_result(const stn_session *s);
void stn_session_get_stats(const stn_session *s, stn_session_stats *out);

#endif
