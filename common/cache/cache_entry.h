/* cache_entry.h - names and headers of disk cache entries, as an installed reference client writes them.
 * Pure.
 *
 * File    sixteen lowercase hex digits of a hash over identity and key, '.', the slot's number in decimal.
 * Header  u8 1, u16 big-endian n, n bytes identity, u16 big-endian m, m bytes key, both in modified UTF-8
 *         (NUL is C0 80, characters beyond U+FFFF two surrogates of three bytes); then the stored bytes to
 *         the end.
 * Source  docs/spec/resource-loading.md 4.3 and 4.4; checked by tests/vectors/vec_resource_loading.c.
 */
#ifndef STN_CACHE_CACHE_ENTRY_H
#define STN_CACHE_CACHE_ENTRY_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_CACHE_SLOTS 64 /* slots of one hash that are ever looked at */
#define STN_CACHE_HEADER_MAX (5 + 2 * 65535)
#define STN_CACHE_FILE_MAX 24 /* bytes of a file name with its NUL */

/* Over the UTF-16 units of both texts, one behind the other. Both must be UTF-8 (a NUL byte is U+0000). */
uint64_t stn_cache_hash(const char *identity, size_t identity_len, const char *key, size_t key_len);

void stn_cache_file_name(uint64_t hash, unsigned slot, char out[STN_CACHE_FILE_MAX]);
/* False when it is not the name of an entry. */
bool stn_cache_file_parse(const char *file, uint64_t *hash, uint32_t *slot);

/* Appends the header. STN_TOO_BIG when a text is over 65535 bytes in modified UTF-8, STN_USAGE when not
 * UTF-8. */
stn_status stn_cache_header(const char *identity, size_t identity_len, const char *key, size_t key_len,
                            stn_buf *out, stn_err *err);

typedef enum stn_slot {
    STN_SLOT_FREE, /* first byte not 1, or it ends inside the header: may be written over */
    STN_SLOT_OURS,
    STN_SLOT_OTHER, /* another pair with the same hash, or a header of malformed texts: never touched */
} stn_slot;

/* Judges a file's bytes, at least its first STN_CACHE_HEADER_MAX when it has more, against our header; *body
 * is where the stored bytes begin unless it is free. */
stn_slot stn_cache_slot(const uint8_t *file, size_t len, const uint8_t *header, size_t header_len,
                        size_t *body);

/* Takes a header apart for listings: both texts as UTF-8 with a NUL behind each. STN_TRUNCATED: free slot;
 * STN_BAD_DATA: malformed texts. */
stn_status stn_cache_header_read(const uint8_t *file, size_t len, stn_buf *identity, stn_buf *key,
                                 size_t *body, stn_err *err);

#endif
