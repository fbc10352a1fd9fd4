/* server.h - homestead's game server, without sockets: many clients on one simulated land.
 *
 *   step(now, datagrams) -> datagrams to send, how long to wait
 *
 * It speaks the true protocol, so that the unmodified reference client is served as ours is. Addresses are
 * opaque bytes that compare equal for the same peer. A client that walks asks by clicking (`click` on the map
 * view); a right click on a thing or a person is answered by a menu of what can be done with it (`sm`), and
 * the widget `pv` tells the party that its person is in; what a person takes in hand it
 * is asked to place (`place` and `unplace` of the map view). Our own client may also say something: message
 * `chat` [string] to the game widget becomes speech over its person's head.
 *
 * Limits  `max_clients` sessions; beyond it a new one is refused with a text. Per client the bounds of
 *         conn.h and view.h, 64 grids waiting to be sent, and 100 malformed messages before it is closed.
 *
 * Source  docs/spec/session-protocol.md 13 (the recipe), 4, 5.5, 6, 7, 9, 11.
 */
#ifndef STN_HOMESTEAD_SERVER_H
#define STN_HOMESTEAD_SERVER_H

#include "base/err.h"
#include "homestead/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_SERVER_RANGE 1100.0 /* map units: 100 tiles */
#define STN_SERVER_CLIENTS 256

typedef struct stn_conn_addr {
    uint8_t len; /* at most 28, a struct sockaddr_in6 */
    uint8_t bytes[28];
} stn_conn_addr;

typedef struct stn_server_datagram {
    stn_conn_addr addr;
    const uint8_t *data;
    size_t len;
} stn_server_datagram;

/* Whether a user may enter with this cookie: an stn_sess_code. */
typedef unsigned (*stn_server_admit)(void *user, const char *name, const uint8_t *cookie, size_t len);
/* The cookie of a user who wants a sealed session; false when none is known. *len is the room on entry. */
typedef bool (*stn_server_cookie)(void *user, const char *name, uint8_t *cookie, size_t *len);

/* Chance that nobody can guess: for the cookies of hand-overs. */
typedef void (*stn_server_chance)(void *user, uint8_t *out, size_t len);

typedef struct stn_server_settings {
    const stn_land *land; /* borrowed, like sim */
    stn_sim *sim;
    double range; /* of sight; 0 = STN_SERVER_RANGE */
    unsigned map_side; /* grids each way about a client that it is sent, and its own; 0 = all it asks for */
    unsigned max_clients; /* 0 = STN_SERVER_CLIENTS */
    bool refuse_second; /* a user who is in session already is refused with code 2; otherwise the old one goes
                         */
    stn_server_admit admit; /* NULL: everyone may enter */
    stn_server_cookie cookie; /* NULL: sealed sessions are refused with a text */
    /* Where a client that leaves by boat finds the next session, which is this server again: by the cookie of
     * its hand-over. chance NULL: nobody is handed over. host: borrowed. */
    const char *host;
    unsigned port;
    stn_server_chance chance;
    void *user; /* of all three */
} stn_server_settings;

typedef struct stn_server_stats {
    size_t clients, objects_in_view, messages_waiting;
    uint64_t entered, left, refused, silent, displaced, handed;
    uint64_t datagrams_in, datagrams_out, bytes_in, bytes_out, dropped, malformed, strangers;
    uint64_t grids_sent, ticks, ticks_late; /* late: more than twice the period after the one before */
    double latest_tick; /* the longest time between two ticks, seconds */
} stn_server_stats;

typedef struct stn_server stn_server;

stn_status stn_server_new(const stn_server_settings *settings, stn_server **out, stn_err *err);
void stn_server_free(stn_server *s);

/* in: datagrams in order of arrival, borrowed for the call. *send is borrowed until the next step; the result
 * is how many. *wait: seconds until it must be called again even if nothing comes. */
size_t stn_server_step(stn_server *s, double now, const stn_server_datagram *in, size_t n,
                       const stn_server_datagram **send, double *wait);
/* Says CLOSE to every client and forgets them: what the next step gives out. */
void stn_server_close_all(stn_server *s);
/* Ticks, and late ones, so far: cheaper than the whole. */
void stn_server_get_ticks(const stn_server *s, uint64_t *ticks, uint64_t *late);
void stn_server_get_stats(const stn_server *s, stn_server_stats *out);

#endif
