/* world/line.h - the line to the game server: find it, open a session over UDP, keep it, come back.
 *
 * The session itself is a leg (leg.h); here are its second chances, and the second leg that is opened beside
 * it when the server hands over to another. Where the server is: --server HOST[:PORT] with --user, or the
 * embedded one, which says in $RUNTIME/homestead.json ({"udp": "HOST:PORT"}) where it listens; that file is
 * looked at again with every try. Names are resolved on a thread. Tries are repeated with backoff (0.1 to 5
 * s) for ever, saying why.
 */
#ifndef STN_WORLD_LINE_H
#define STN_WORLD_LINE_H

#include "bus/loop.h"
#include "world/offers.h"
#include "world/session/session.h"

typedef enum stn_line_state {
    STN_LINE_WAITING, /* for a server to be named, or for the next try */
    STN_LINE_FINDING, /* address and login */
    STN_LINE_CONNECTING,
    STN_LINE_RUNNING,
    STN_LINE_REFUSED, /* the server said no; tried again all the same, slowly */
} stn_line_state;

typedef struct stn_line_settings {
    const char *server; /* HOST[:PORT]; NULL or "" = the embedded one */
    const char *user;
    const uint8_t *cookie; /* copied and wiped at the end */
    size_t cookie_len;
    const char *runtime; /* folder of the instance, where homestead.json is */
    bool encrypt;
    /* For a server that wants a login (line_find.h): any of these makes one. Copied; the password is wiped at
     * the end. */
    const char *auth_ca, *token_folder;
    const uint8_t *password;
    size_t password_len;
    bool remember, positional;
    unsigned auth_port;
    uint16_t version; /* of the protocol; 0 = the usual one */
} stn_line_settings;

typedef struct stn_line_hooks {
    void (*started)(void *arg); /* the session runs: everything of an earlier one is void */
    void (*deliver)(void *arg, const stn_delivery *d); /* between started and ended */
    void (*ended)(void *arg); /* the session is over; state and text say why */
    /* What became of stn_line_hand_over(): an stn_sess_code, 0 = the second session is open and waits for
     * stn_line_go(). Not called when it was taken back. */
    void (*handed)(void *arg, int32_t widget, unsigned code);
    void *arg;
} stn_line_hooks;

typedef struct stn_line stn_line;

stn_status stn_line_new(stn_loop *loop, const stn_line_settings *settings, const stn_line_hooks *hooks,
                        stn_line **out, stn_err *err);
void stn_line_free(stn_line *line); /* says CLOSE once, without waiting for the answer */

stn_line_state stn_line_state_now(const stn_line *line);
const char *stn_line_text(const stn_line *line); /* for a person: what is going on, and what next */
int64_t stn_line_retry_ns(const stn_line *line); /* until the next try; 0 = not waiting */
const char *stn_line_server(const stn_line *line); /* "127.0.0.1:1870" or "" */
/* Opens a second session beside this one (docs/spec/session-protocol.md 9.6); copied. NULL: takes that back.
 */
void stn_line_hand_over(stn_line *line, const stn_hand_over *to);
/* The second session takes the place of the first, after the delivery that is under way: ended, then started.
 * Ignored, and said in the log, when none is open. */
void stn_line_go(stn_line *line);
/* To the server; false when no session runs or too much waits. */
bool stn_line_send(stn_line *line, uint8_t type, const void *data, size_t len);
void stn_line_mapreq(stn_line *line, int32_t x, int32_t y);
void stn_line_malformed(stn_line *line); /* a delivered message made no sense */
bool stn_line_stats(const stn_line *line, stn_session_stats *out); /* false: no session */
uint64_t stn_line_tries(const stn_line *line);

#endif
