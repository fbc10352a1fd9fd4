/* password.h - what is sent instead of a password: hashes as the login service describes them, and SRP.
 *
 * A description is a typed list: ["sha256"], ["pbkdf2", c, salt], ["argon2", t, m, p, salt] or ["pfcrypt", t,
 * m, salt]. The server chooses the costs, so they are bounded: 2^24 iterations of pbkdf2; 2^21 KiB and t *
 * 2^m at most 2^23 for argon2; t 16 and m 18 for pfcrypt.
 *
 * Errors  STN_UNSUPPORTED for an unknown kind, STN_TOO_BIG for a cost over its bound, STN_BAD_DATA.
 * Source  docs/spec/session-protocol.md 2.4, 2.5.
 */
#ifndef STN_WORLD_SESSION_PASSWORD_H
#define STN_WORLD_SESSION_PASSWORD_H

#include "base/buf.h"
#include "base/err.h"
#include "res/values.h"

#define STN_HASH_MAX 64
#define STN_SRP_SECRET 32

/* out receives *len bytes: 64 for pfcrypt, else 32. Takes its time and memory. */
stn_status stn_password_hash(const stn_value *description, size_t count, const uint8_t *password,
                             size_t password_len, uint8_t out[STN_HASH_MAX], size_t *len, stn_err *err);

/* Pufferfish2 with time cost t and memory cost m: 64 bytes. */
stn_status stn_pufferfish2(unsigned t, unsigned m, const uint8_t *salt, size_t salt_len,
                           const uint8_t *password, size_t password_len, uint8_t out[64], stn_err *err);

/* The client's side of SRP: from the hash of the password, the server's B, 32 random bytes and the challenge
 * to A, the session key K and the proof HMAC-SHA-256(K, challenge). */
typedef struct stn_srp {
    uint8_t a_public[512]; /* A, big-endian, without leading zeros */
    size_t a_len;
    uint8_t key[32];
    uint8_t proof[32];
} stn_srp;
stn_status stn_srp_answer(const uint8_t *hash, size_t hash_len, const uint8_t *b_public, size_t b_len,
                          const uint8_t secret[STN_SRP_SECRET], const uint8_t *challenge,
                          size_t challenge_len, stn_srp *out, stn_err *err);
/* What is passed on as the answer: the typed values A, challenge and proof. */
void stn_srp_write(stn_buf *out, const stn_srp *srp, const uint8_t *challenge, size_t challenge_len);

#endif
