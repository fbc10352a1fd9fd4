/* crypt.h - sealed datagrams: HKDF-SHA-256 keys, AES-128-GCM with an 8-byte packet number as IV.
 *
 * Sealed blob = low 24 bits of the packet number (3 bytes), ciphertext, 16-byte tag. Packet numbers count
 * from 0 per direction; received ones are extended to 64 bits around the greatest accepted one, and a window
 * of the 128 greatest accepted numbers refuses replays. The keys come from the session cookie and a public
 * salt, so whoever knows the cookie can open a session.
 *
 * Source  docs/spec/session-protocol.md 7.
 */
#ifndef STN_SESSION_CRYPT_H
#define STN_SESSION_CRYPT_H

#include "base/buf.h"
#include "base/err.h"

#define STN_CRYPT_KEY 16
#define STN_CRYPT_TAG 16
#define STN_CRYPT_SALT 16
#define STN_CRYPT_OVERHEAD (3 + STN_CRYPT_TAG)
#define STN_CRYPT_WINDOW 128

typedef struct stn_crypt stn_crypt;

/* client: which direction is ours to seal. */
stn_status stn_crypt_new(const uint8_t *cookie, size_t cookie_len, const uint8_t *salt, size_t salt_len,
                         bool client, stn_crypt **out, stn_err *err);
void stn_crypt_free(stn_crypt *c); /* wipes the keys */

/* Appends the sealed blob of `plain` under the next packet number. */
stn_status stn_crypt_seal(stn_crypt *c, const uint8_t *plain, size_t len, stn_buf *out, stn_err *err);
/* Appends the plaintext. STN_TRUNCATED: too short; STN_DENIED: bad tag; STN_BUSY: seen before or too old.
 * Nothing changes on an error. An empty plaintext is STN_BAD_DATA, but its number counts as seen. */
stn_status stn_crypt_open(stn_crypt *c, const uint8_t *blob, size_t len, stn_buf *out, stn_err *err);

/* The parts, for tests and for the login service. salt NULL = 32 zero bytes. */
stn_status stn_hkdf_sha256(const uint8_t *salt, size_t salt_len, const uint8_t *key, size_t key_len,
                           const uint8_t *info, size_t info_len, uint8_t *out, size_t out_len, stn_err *err);
stn_status stn_crypt_keys(const uint8_t *cookie, size_t cookie_len, const uint8_t *salt, size_t salt_len,
                          uint8_t client_key[STN_CRYPT_KEY], uint8_t server_key[STN_CRYPT_KEY], stn_err *err);
/* Ciphertext and tag of one packet: out has len + STN_CRYPT_TAG bytes. */
stn_status stn_packet_seal(const uint8_t key[STN_CRYPT_KEY], uint64_t number, const uint8_t *plain,
                           size_t len, uint8_t *out, stn_err *err);
/* The reverse: out has len - STN_CRYPT_TAG bytes. */
stn_status stn_packet_open(const uint8_t key[STN_CRYPT_KEY], uint64_t number, const uint8_t *sealed,
                           size_t len, uint8_t *out, stn_err *err);

#endif
