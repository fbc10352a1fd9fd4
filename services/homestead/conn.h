/* conn.h - one client's connection as the server keeps it: the reliable stream both ways, sealing,
 * keep-alive.
 *
 * Pure. Messages are bundled into datagrams of at most STN_REL_BUNDLE_MAX bytes, longer ones go as fragments;
 * what is not acknowledged is repeated after 0.25 s, then less and less often up to 2 s; at most
 * STN_CONN_WINDOW messages are under way, the rest waits. Every in-order or repeated message is acknowledged
 * at once, for the stock client repeats until it sees an acknowledgement.
 *
 * Limits  STN_CONN_QUEUE_MAX messages and STN_CONN_QUEUE_BYTES waiting: beyond it the client is beyond help
 *         and stn_conn_overrun() says so.
 *
 * Source  docs/spec/session-protocol.md 5.5, 6, 7.
 */
#ifndef STN_HOMESTEAD_CONN_H
#define STN_HOMESTEAD_CONN_H

#include "base/buf.h"
#include "base/err.h"
#include "res/values.h"
#include "session/crypt.h"
#include "session/reliable.h"

#define STN_CONN_WINDOW 256
#define STN_CONN_QUEUE_MAX 8192
#define STN_CONN_QUEUE_BYTES (4u << 20)
#define STN_CONN_SILENCE 30.0 /* seconds until a silent client is forgotten */

typedef struct stn_conn stn_conn;

/* What a peer wants sent: whole datagrams, sealed when the session is. */
typedef void (*stn_conn_send)(void *user, const uint8_t *data, size_t len);

/* crypt (taken) seals and opens; NULL = plain. NULL when out of memory: then crypt is freed too. */
stn_conn *stn_conn_new(double now, stn_crypt *crypt, stn_conn_send send, void *user);
void stn_conn_free(stn_conn *p);

/* Queues a reliable message. */
void stn_conn_queue(stn_conn *p, uint8_t type, const void *data, size_t len);
/* Queues a message of a widget. */
void stn_conn_say(stn_conn *p, int32_t widget, const char *name, const stn_value *args, uint32_t n);
/* Sends one datagram now (kind byte first). */
void stn_conn_datagram(stn_conn *p, const uint8_t *plain, size_t len);

typedef struct stn_conn_in {
    uint8_t kind; /* stn_packet: MAPREQ, OBJACK or CLOSE; others are dealt with inside or ignored */
    const uint8_t *payload; /* borrowed until the next call */
    size_t len;
} stn_conn_in;

/* Takes one datagram. Reliable messages go to `deliver`; other kinds of interest come back in *in (kind 0
 * when there is none). A malformed one is counted and dropped. STN_BAD_DATA: the client broke the protocol.
 */
stn_status stn_conn_take(stn_conn *p, double now, const uint8_t *data, size_t len, stn_rel_deliver deliver,
                         void *user, stn_conn_in *in, stn_err *err);
/* Sends what is due: messages, repeats, keep-alive. Gives the time of the next need. */
double stn_conn_run(stn_conn *p, double now);

bool stn_conn_silent(const stn_conn *p, double now); /* nothing came for STN_CONN_SILENCE */
bool stn_conn_overrun(const stn_conn *p);
size_t stn_conn_waiting(const stn_conn *p); /* reliable messages not acknowledged */
uint64_t stn_conn_dropped(const stn_conn *p);

#endif
