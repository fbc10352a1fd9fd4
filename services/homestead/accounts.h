/* accounts.h - who may enter homestead: an open door, or a file of accounts; cookies and tokens given out.
 *
 * File     one account a line: NAME:pbkdf2:COST:SALT:HASH, salt and hash in hex, hash = PBKDF2-HMAC-SHA-256
 * with 2^COST iterations, 32 bytes. Empty lines and lines that begin with '#' are skipped.
 *          `stenness-homestead --hash-password NAME` writes such a line.
 *
 * Door     without a file everyone may enter under any name with any password.
 *
 * Limits   STN_ACCOUNTS_MAX accounts; the newest STN_ACCOUNTS_GIVEN cookies and as many tokens are kept, in
 *          memory alone. Thread-safe: the login service runs beside the game.
 *
 * Source   docs/spec/session-protocol.md 2.3-2.6.
 */
#ifndef STN_HOMESTEAD_ACCOUNTS_H
#define STN_HOMESTEAD_ACCOUNTS_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_ACCOUNTS_MAX 10000
#define STN_ACCOUNTS_GIVEN 1024
#define STN_ACCOUNT_NAME 63 /* bytes */
#define STN_GIVEN_BYTES 32

typedef struct stn_accounts stn_accounts;

/* file NULL or "": an open door. */
stn_status stn_accounts_open(const char *file, stn_accounts **out, stn_err *err);
void stn_accounts_free(stn_accounts *a); /* wipes */
bool stn_accounts_is_open(const stn_accounts *a);

/* Appends the typed list that tells a client how to hash this user's password. An unknown name gets one too,
 * so that asking tells nobody who has an account. */
void stn_accounts_describe(stn_accounts *a, const char *user, stn_buf *out);
bool stn_accounts_check(stn_accounts *a, const char *user, const uint8_t *hash, size_t len);

void stn_accounts_give_cookie(stn_accounts *a, const char *user, uint8_t out[STN_GIVEN_BYTES]);
void stn_accounts_give_token(stn_accounts *a, const char *user, uint8_t out[STN_GIVEN_BYTES]);
bool stn_accounts_check_token(stn_accounts *a, const char *user, const uint8_t *token, size_t len);
/* Whether the game may be entered with a cookie (an stn_sess_code); the shape of stn_server_admit; user: the
 * accounts.
 */
unsigned stn_accounts_admit(void *user, const char *name, const uint8_t *cookie, size_t len);
/* The newest cookie of a user; the shape of stn_server_cookie. With an open door, a user who never asked for
 * one has the one byte 00. */
bool stn_accounts_cookie(void *user, const char *name, uint8_t *cookie, size_t *len);

/* The line of a new account, with its line feed. */
stn_status stn_accounts_line(const char *name, const char *password, stn_buf *out, stn_err *err);

#endif
