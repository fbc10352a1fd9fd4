/* miss.h - why a source did not answer with a resource, and the chain of all such answers of one ask.
 *
 * A chain reads newest first and is shared: an ask that inherits another's chain puts its own misses in
 * front of the same records. Reference counted, immutable once made, NULL is the empty chain.
 * Source  docs/spec/resource-loading.md 1.1, 1.2 and 9 (32 records shown, 256 bytes of text each).
 */
#ifndef STN_LOADER_MISS_H
#define STN_LOADER_MISS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define STN_MISS_TEXT 256
#define STN_MISS_SHOWN 32 /* records of a chain that are ever told; the older ones are only counted */

typedef enum stn_miss_kind {
    STN_MISS_NONE = 0,
    STN_MISS_NOT_FOUND,
    STN_MISS_EMPTY, /* a stream of no bytes: counts as not found */
    STN_MISS_IO,
    STN_MISS_SIGNATURE,
    STN_MISS_VERSION,
    STN_MISS_TRUNCATED,
    STN_MISS_LAYER,
    STN_MISS_NAME, /* the name is not valid; no source was asked */
    STN_MISS_OVERLOAD, /* too many asks are open; nothing is remembered */
    STN_MISS_COUNT
} stn_miss_kind;

/* "not_found", "bad_layer", …: the words of the spec. Never NULL. */
const char *stn_miss_name(stn_miss_kind kind);

/* Soft misses (not found, empty) say that the source has no such resource; all others that it has a bad one.
 */
static inline bool stn_miss_soft(stn_miss_kind kind)
{
    return kind == STN_MISS_NOT_FOUND || kind == STN_MISS_EMPTY;
}

typedef struct stn_miss {
    struct stn_miss *next; /* the one before it in time, or NULL */
    const char *source; /* "" when no source was asked; lives as long as the pools do */
    stn_miss_kind kind;
    unsigned refs;
    unsigned depth; /* records from here to the end */
    char text[]; /* printable; at most STN_MISS_TEXT bytes */
} stn_miss;

/* Copies a text of any length and origin for a record: printable, cut when too long. NULL is "". */
void stn_miss_say(char out[STN_MISS_TEXT], const char *text);

/* A new record in front of `tail`, whose reference it takes over. NULL when out of memory (`tail` is then
 * kept). */
stn_miss *stn_miss_push(stn_miss *tail, const char *source, stn_miss_kind kind, const char *text);
stn_miss *stn_miss_ref(stn_miss *chain);
void stn_miss_unref(stn_miss *chain);

#endif
