/* login.h - logging in with the game's login service: addresses, TLS with a pinned authority, the
 * conversation.
 *
 * Blocking, with a deadline; runs on a thread of its own and is given up by setting *cancel. Nothing of it is
 * logged but host names and reasons.
 *
 * Trust    The only anchors are the certificates of one PEM file, or those in the official client's .jar
 *          (setting auth-ca); never the system's store. An anchor's own dates do not count (the official one
 * ended in 2022); everything else of the chain does. The leaf must name the host in its subjectAltName: a DNS
 *          entry equal to it, or an IP entry when the host is an address.
 *
 * Tokens   32 bytes, kept in FOLDER/USER@HOST (0600, names escaped); a token that the service refuses is
 *          forgotten.
 *
 * Errors   STN_USAGE: no anchor is set (the text says how to get one); STN_DENIED: refused, by us or by the
 *          service; STN_TIMEOUT, STN_IO; STN_CANCELLED.
 *
 * Source   docs/spec/session-protocol.md 2.
 */
#ifndef STN_WORLD_SESSION_LOGIN_H
#define STN_WORLD_SESSION_LOGIN_H

#include "session/wire.h"
#include "world/session/auth.h"

#include <stdatomic.h>

typedef struct stn_login_request {
    const char *host; /* of the login service: a name or an address */
    unsigned port; /* 0 = STN_AUTH_PORT */
    const char *ca; /* PEM file or .jar */
    stn_auth_dialect dialect;
    const char *user;
    /* One of these, in this order of trying: a token of the folder (when token_folder is set), then the
     * password. Borrowed; the caller wipes the password. */
    const char *token_folder; /* NULL = tokens are neither used nor kept */
    const uint8_t *password; /* NULL = none */
    size_t password_len;
    bool remember; /* keep a token afterwards */
    bool want_alias; /* for a sealed session */
    /* Where the game is, when it is set by hand; else what the service says. */
    const char *game_host; /* NULL = ask */
    unsigned game_port; /* 0 = STN_GAME_PORT */
    double timeout; /* seconds for everything; 0 = 30 */
    const atomic_bool *cancel; /* NULL = cannot be given up */
} stn_login_request;

typedef struct stn_login_result {
    char user[256]; /* the name for the session: the account's, or the alias */
    uint8_t cookie[STN_AUTH_COOKIE];
    stn_auth_host hosts[STN_AUTH_HOSTS + 1]; /* in order of trying; hosts[].host is never empty */
    size_t n_hosts;
    char reached[64]; /* the address at which the login service answered */
    bool by_token; /* no password was needed */
} stn_login_result;

stn_status stn_login_run(const stn_login_request *request, stn_login_result *out, stn_err *err);
void stn_login_wipe(stn_login_result *result);

/* Certificates of a PEM file, or of the first *.crt or *.pem inside a .jar, as PEM text (free()). */
stn_status stn_login_anchors(const char *path, char **pem, stn_err *err);

/* One token file. STN_NOT_FOUND: none. */
stn_status stn_token_load(const char *folder, const char *user, const char *host,
                          uint8_t token[STN_AUTH_TOKEN], stn_err *err);
stn_status stn_token_store(const char *folder, const char *user, const char *host,
                           const uint8_t token[STN_AUTH_TOKEN], stn_err *err);
void stn_token_forget(const char *folder, const char *user, const char *host);

#endif
