/* world/line_find.h - where the game is and with what one enters: a thread that resolves names and logs in.
 *
 * Without a password, a kept token or an authority there is no login: the given cookie opens the session, as
 * with the embedded server or any open door. Otherwise the login service is asked (world/session/login.h) and
 * says the user's name for the session, the cookie and the game's hosts.
 *
 * Source: docs/spec/session-protocol.md 2.6.
 */
#ifndef STN_WORLD_LINE_FIND_H
#define STN_WORLD_LINE_FIND_H

#include "bus/inbox.h"
#include "world/session/login.h"

#include <sys/socket.h>

#define STN_FIND_PLACES 32
#define STN_FIND_PASSWORD 1024

/* Everything is copied. Text may be NULL or "" for "not set". */
typedef struct stn_find_request {
    const char *address; /* HOST[:PORT]; with a PORT this is the game itself, else the login service may know
                            better */
    const char *user;
    bool login;
    const char *ca, *token_folder; /* login.h */
    const uint8_t *password;
    size_t password_len;
    bool remember, positional, want_alias;
    unsigned auth_port; /* 0 = the usual one */
} stn_find_request;

typedef struct stn_find_place {
    struct sockaddr_storage addr;
    socklen_t addr_len;
    char text[300]; /* HOST:PORT */
} stn_find_place;

/* The answer arrives in the inbox; the first member makes it an item. */
typedef struct stn_finding {
    stn_inbox_link link;
    stn_err err; /* STN_DENIED: trying again with the same words is of no use */
    stn_find_place places[STN_FIND_PLACES]; /* in order of trying */
    size_t n_places;
    bool logged_in; /* then: */
    char user[256];
    uint8_t cookie[STN_AUTH_COOKIE];
} stn_finding;

typedef struct stn_find stn_find;

/* Starts the thread; the inbox must have room for one item. */
stn_status stn_find_start(const stn_find_request *request, stn_inbox *answer, stn_find **out, stn_err *err);
/* Gives up what is under way and waits for the thread. An answer that was given stays in the inbox. */
void stn_find_end(stn_find *f);
void stn_finding_free(stn_finding *answer); /* wipes */

/* HOST, HOST:PORT, [V6]:PORT or a bare IPv6 address. *given: a port stood there. */
bool stn_find_split(const char *text, char *host, size_t cap, unsigned fallback, unsigned *port, bool *given);

#endif
