/* diskcache_private.h - what the halves of the disk cache share: entries by name, and the folder as a whole.
 */
#ifndef STN_CACHE_DISKCACHE_PRIVATE_H
#define STN_CACHE_DISKCACHE_PRIVATE_H

#include "base/buf.h"
#include "cache/diskcache.h"

#include <stdatomic.h>
#include <sys/stat.h>

struct stn_diskcache {
    int dir;
    char *identity;
    uint64_t cap;
    _Atomic uint64_t written; /* since the last sweep that was due */
};

/* Opens a file of the folder for reading. STN_NOT_FOUND: missing; STN_DENIED: a link, a folder, a pipe: no
 * file of ours to read. */
stn_status stn_diskcache_open_slot(const stn_diskcache *c, const char *file, int *fd, struct stat *sb,
                                   stn_err *err);
/* Reads on until *out has `max` bytes or the file ends. */
stn_status stn_diskcache_fill(int fd, size_t max, stn_buf *out, stn_err *err);

#endif
