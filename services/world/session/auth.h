/* auth.h - a conversation with the login service, without sockets.
 *
 * Messages have a 16-bit big-endian length; strict request and reply. One operation at a time: begin it, send
 * what stn_auth_output() holds, feed what arrives with stn_auth_input(), and ask stn_auth_poll() until it
 * says something other than STN_AGAIN. Password hashing happens inside stn_auth_poll() and takes its time.
 *
 * Dialects  positional (the line of version 30) and keyworded (version 31); replies are the same.
 * Errors    STN_DENIED: the service said no, its text is the error's; STN_BAD_DATA, STN_TRUNCATED: it broke
 *           the protocol; STN_UNSUPPORTED, STN_TOO_BIG: a password hash we do not do.
 *
 * Source    docs/spec/session-protocol.md 2.2-2.6.
 */
#ifndef STN_WORLD_SESSION_AUTH_H
#define STN_WORLD_SESSION_AUTH_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define STN_AUTH_COOKIE 32
#define STN_AUTH_TOKEN 32
#define STN_AUTH_HOSTS 32 /* most that are kept */

typedef enum stn_auth_dialect { STN_AUTH_KEYWORDED, STN_AUTH_POSITIONAL } stn_auth_dialect;

typedef struct stn_auth_host {
    char host[256]; /* "" = the login host */
    uint16_t port;
} stn_auth_host;

typedef struct stn_auth stn_auth;

stn_auth *stn_auth_new(stn_auth_dialect dialect); /* NULL when out of memory */
void stn_auth_free(stn_auth *a); /* wipes what it held */

/* The operations. Text and bytes are copied where they must outlast the call. STN_USAGE: one is under way. */
stn_status stn_auth_password(stn_auth *a, const char *user, const uint8_t *password, size_t len,
                             const uint8_t secret[32], stn_err *err); /* secret: random bytes, for SRP */
stn_status stn_auth_token(stn_auth *a, const char *user, const uint8_t token[STN_AUTH_TOKEN], stn_err *err);
stn_status stn_auth_steam(stn_auth *a, const char *ticket, stn_err *err);
/* Positional only: gives the address that the person must visit; then stn_auth_wait() until it was done. */
stn_status stn_auth_web(stn_auth *a, const char *method, stn_err *err);
stn_status stn_auth_wait(stn_auth *a, stn_err *err);
stn_status stn_auth_cookie(stn_auth *a, stn_err *err);
stn_status stn_auth_alias(stn_auth *a, stn_err *err);
/* id and desc may be empty: then they are not sent. */
stn_status stn_auth_mktoken(stn_auth *a, const uint8_t *id, size_t id_len, const char *desc, stn_err *err);
stn_status stn_auth_hosts(stn_auth *a, stn_err *err);

/* What is to be sent; the caller clears it (stn_buf_clear) after sending. */
stn_buf *stn_auth_output(stn_auth *a);
stn_status stn_auth_input(stn_auth *a, const uint8_t *data, size_t len, stn_err *err);
/* STN_AGAIN: more input is needed (or there is output to send). STN_OK: done. */
stn_status stn_auth_poll(stn_auth *a, stn_err *err);

/* Results of the operation that ended, valid until the next one. */
const char *stn_auth_text(const stn_auth *a); /* account name, alias or address; "" otherwise */
const uint8_t *stn_auth_bytes(const stn_auth *a); /* cookie or token, 32 bytes */
size_t stn_auth_host_list(const stn_auth *a, const stn_auth_host **hosts);

#endif
