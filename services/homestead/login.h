/* login.h - homestead's login service: one conversation as a pure function, and the TLS server about it.
 *
 * Both dialects are answered, each request in the one that it came in. Commands: pwdata, pw, token, cookie,
 * logalias, mktoken, hosts; others are answered "no".
 *
 * Limits   STN_LOGIN_CONNECTIONS at once, one thread each; a connection that says nothing for 10 s, or that
 *          lasts longer than a minute, is closed.
 *
 * Source   docs/spec/session-protocol.md 2.
 */
#ifndef STN_HOMESTEAD_LOGIN_H
#define STN_HOMESTEAD_LOGIN_H

#include "homestead/accounts.h"

#define STN_LOGIN_CONNECTIONS 16

typedef struct stn_login_talk {
    char user[STN_ACCOUNT_NAME + 1]; /* "" = not logged in */
    unsigned wrong; /* refused passwords */
} stn_login_talk;

/* Answers one request (without its length) by appending the reply (without its length). game_port: told to
 * who asks for hosts. STN_BAD_DATA: no request at all; the connection should end. */
stn_status stn_login_answer(stn_login_talk *talk, stn_accounts *accounts, unsigned game_port,
                            const uint8_t *request, size_t len, stn_buf *reply, stn_err *err);

typedef struct stn_login_server stn_login_server;
typedef struct stn_login_settings {
    const char *host; /* address literal */
    unsigned port; /* 0 = any free one */
    const char *cert_pem, *key_pem; /* files: the chain and its key */
    stn_accounts *accounts; /* borrowed; lives longer */
    unsigned game_port;
} stn_login_settings;
stn_status stn_login_start(const stn_login_settings *settings, stn_login_server **out, stn_err *err);
void stn_login_stop(stn_login_server *s); /* ends the connections and waits for their threads */
unsigned stn_login_port(const stn_login_server *s);

/* Makes an authority of our own and a certificate for localhost, the loopback addresses and this machine's
 * name: FOLDER/ca.pem (0644, what a client pins), FOLDER/cert.pem and FOLDER/key.pem (0600). The authority's
 * key is thrown away. Existing files are replaced. */
stn_status stn_login_make_certificate(const char *folder, stn_err *err);

#endif
