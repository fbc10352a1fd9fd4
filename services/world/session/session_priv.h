/* session_priv.h - inside of the client's session, shared by session.c and session_main.c alone. */
#ifndef STN_WORLD_SESSION_SESSION_PRIV_H
#define STN_WORLD_SESSION_SESSION_PRIV_H

#include "base/arena.h"
#include "base/table.h"
#include "session/crypt.h"
#include "session/reliable.h"
#include "world/session/session.h"

/* The protocol's figures, in seconds (docs/spec/session-protocol.md 4, 5, 6). */
#define SESS_AGAIN 2.0
#define SESS_TRIES 5
#define ACK_HOLD 0.030
#define OBJACK_HOLD 0.08
#define OBJACK_HOLD_MAX 0.5
#define OBJACK_FULL 992 /* a payload above this starts another datagram */
#define BEAT_AFTER 5.0
#define CLOSE_AGAIN 0.5
#define CLOSE_TRIES 5
#define RTT_SAMPLES 32

typedef struct pending {
    struct pending *next;
    double first, last;
    unsigned sends;
    uint16_t seq;
    uint8_t type;
    size_t len;
    uint8_t data[];
} pending;

typedef struct obj_wait {
    uint32_t id;
    int32_t frame;
    double first, last;
} obj_wait;

typedef struct mapreq {
    int32_t x, y;
} mapreq;

struct stn_session {
    stn_session_phase phase;
    bool started;
    bool close_wanted;

    bool encrypt, reack_dup, exact_timers, drop_ends_pass;
    double idle_timeout;
    stn_buf hello; /* the SESS datagram, the same in every repeat */
    stn_crypt *crypt;

    double last_sess; /* last SESS or CLOSE sent */
    unsigned tries;
    bool close_seen;

    double last_tx, last_rx;
    bool first_pass; /* accepted, and no pass made yet */
    double accepted;

    stn_rel_in *rel;
    bool ack_due;
    double ack_since;

    pending *head, **tail;
    size_t n_pending;
    uint16_t next_seq;

    obj_wait *waits;
    size_t n_waits, cap_waits;
    stn_table *wait_of; /* object id -> place in waits, plus one */

    mapreq reqs[64];
    size_t n_reqs;

    stn_arena *arena; /* everything that a step gives out */
    stn_buf scratch; /* plaintext of a sealed datagram */
    stn_datagram *send;
    size_t cap_send;
    stn_delivery *deliver;
    size_t cap_deliver;
    bool no_memory;
    stn_session_out out;

    stn_session_result result;
    char text[STN_ERR_TEXT];
    stn_session_stats stats;
    double rtt[RTT_SAMPLES];
    size_t n_rtt;
};

/* session.c */
bool stn_session_grow(void **array, size_t *cap, size_t count, size_t size);
/* Sends one datagram, sealed when the session is. */
void stn_session_emit(stn_session *s, const uint8_t *plain, size_t len);
stn_delivery *stn_session_put_delivery(stn_session *s, stn_delivery_kind kind);
void stn_session_set_result(stn_session *s, stn_session_end end, unsigned code, const char *text);
void stn_session_begin_closing(stn_session *s, bool seen);
void stn_session_fatal(stn_session *s, const char *why);
/* Opens a sealed datagram into the scratch buffer. */
stn_status stn_session_unseal(stn_session *s, const stn_datagram *d);
double stn_session_close_head(stn_session *s, double now);

/* session_main.c */
double stn_session_main_wait(const stn_session *s, double now, double due);
double stn_session_step_main(stn_session *s, double now, const stn_datagram *in, size_t n);

#endif
