/* diskcache.h - the disk cache: a folder that several processes, and an installed reference client, use at
 * once.
 *
 * Reading takes no lock: writers replace files by rename, and a torn, cut or zero-length file is a miss or
 * is found out by who parses it. Writing holds a record lock on slot 0 for the moment of the rename.
 * Entries are not synced. Over the cap the entries of resources (keys "res/…") that were read longest ago
 * go, whatever their identity; other keys in the folder belong to others and are never touched. Safe to
 * use from several threads at once.
 * Source  docs/spec/resource-loading.md 4.
 */
#ifndef STN_CACHE_DISKCACHE_H
#define STN_CACHE_DISKCACHE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_diskcache stn_diskcache;

/* Opens the folder, making it when missing. STN_DENIED when it belongs to another user or others may write to
 * it. identity: used exactly as given. cap_bytes: 0 = no cap. */
stn_status stn_diskcache_open(const char *dir, const char *identity, uint64_t cap_bytes, stn_diskcache **out,
                              stn_err *err);
/* An existing folder, whatever identities it holds, for the functions further below. STN_NOT_FOUND: none. */
stn_status stn_diskcache_look(const char *dir, stn_diskcache **out, stn_err *err);
void stn_diskcache_free(stn_diskcache *c); /* NULL is fine */

/* The folder that an option means: "" the one of this client ($XDG_CACHE_HOME/stenness/data, else
 * HOME/.cache/stenness/data), "shared" the default below, "none" nothing, else itself. Makes nothing. *out is
 * freed by the caller, and NULL when there is none. */
stn_status stn_diskcache_dir(const char *option, char **out, stn_err *err);

/* The folder an installed client would use: $APPDATA/Haven and Hearth/data, else HOME/.haven/data by the user
 * database. Makes nothing. STN_NOT_FOUND when there is neither; *out is freed by the caller. */
stn_status stn_diskcache_default_dir(char **out, stn_err *err);

/* Fresh memory (free()) with the stored bytes, possibly none. STN_NOT_FOUND: no entry. STN_TOO_BIG: over
 * max_bytes. */
stn_status stn_diskcache_read(stn_diskcache *c, const char *key, size_t key_len, size_t max_bytes,
                              uint8_t **data, size_t *len, stn_err *err);
/* The same into a buffer whose memory is used again: the stored bytes are those from *body to its end. */
stn_status stn_diskcache_read_into(stn_diskcache *c, const char *key, size_t key_len, size_t max_bytes,
                                   stn_buf *content, size_t *body, stn_err *err);
/* Stores or replaces. STN_TIMEOUT: another process held the lock for 2 s. Nothing is left behind on failure.
 */
stn_status stn_diskcache_write(stn_diskcache *c, const char *key, size_t key_len, const void *data,
                               size_t len, stn_err *err);
/* Removes the entry; STN_NOT_FOUND when there is none. */
stn_status stn_diskcache_remove(stn_diskcache *c, const char *key, size_t key_len, stn_err *err);

/* What a file is that bears an entry's name. */
typedef enum stn_diskcache_state {
    STN_CACHED_ENTRY, /* a header, and the name that belongs to it: reading finds it */
    STN_CACHED_MISPLACED, /* a good header under another's name: reading never finds it */
    STN_CACHED_FREE, /* ends inside its header: a miss, written over by the next store */
    STN_CACHED_MALFORMED, /* a header of malformed texts: never found, never written over */
    STN_CACHED_ALIEN, /* a link, a folder, a pipe; or it cannot be read */
} stn_diskcache_state;

typedef struct stn_diskcache_item {
    stn_diskcache_state state;
    const char *file;
    const char *identity, *key; /* UTF-8; NULL unless ENTRY or MISPLACED */
    uint64_t bytes; /* of the whole file */
    uint64_t body_bytes;
    int64_t read_ns; /* last read or written, since 1970 */
} stn_diskcache_item;

typedef void stn_diskcache_fn(void *ctx, const stn_diskcache_item *item);
/* Every entry of the folder with a good header, in the order of the folder. Free slots and foreign files are
 * skipped. */
stn_status stn_diskcache_each(stn_diskcache *c, stn_diskcache_fn *fn, void *ctx, stn_err *err);
/* Everything that bears an entry's name. */
stn_status stn_diskcache_each_file(stn_diskcache *c, stn_diskcache_fn *fn, void *ctx, stn_err *err);
/* The stored bytes of a listed entry, as stn_diskcache_read(). */
stn_status stn_diskcache_body(stn_diskcache *c, const char *file, size_t max_bytes, uint8_t **data,
                              size_t *len, stn_err *err);
/* Removes a listed file; that it is gone already is fine. A store between listing and removal may be lost
 * with it: that is a miss, and the next ask heals it. STN_USAGE: not the name of an entry. */
stn_status stn_diskcache_unlink(stn_diskcache *c, const char *file, stn_err *err);

typedef struct stn_diskcache_sum {
    uint64_t entries, bytes; /* of resources, all identities, after the sweep */
    uint64_t evicted, evicted_bytes;
} stn_diskcache_sum;

/* Counts, and evicts down to 7/8 of the cap when over it; removes temporaries older than a day. Takes as long
 * as the folder is big: call it from a worker, at start and when stn_diskcache_due() says so. */
stn_status stn_diskcache_sweep(stn_diskcache *c, stn_diskcache_sum *out, stn_err *err);
/* True once each time another sixteenth of the cap was written. */
bool stn_diskcache_due(stn_diskcache *c);

#endif
