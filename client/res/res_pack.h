/* res_pack.h - resource packs: .jar and .zip archives of .res files.
 *
 * Names from an archive are trusted in nothing: absolute ones, "..", backslashes, control characters and
 * names over 1024 bytes are refused, of equal names the first counts. Sizes are checked before and while
 * unpacking.
 */
#ifndef STN_CLIENT_RES_PACK_H
#define STN_CLIENT_RES_PACK_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_rp_count {
    unsigned files;
    unsigned refused; /* members left out, each told on standard error */
} stn_rp_count;

/* Every .res file under `dir` as `prefix` + its path. The archive is written beside its place and renamed. */
stn_status stn_rp_pack(const char *dir, const char *archive, const char *prefix, stn_rp_count *count,
                       stn_err *err);

/* Members that begin with `prefix` (which is cut off) and end in ".res", or all regular ones with `all`. */
stn_status stn_rp_unpack(const char *archive, const char *dir, const char *prefix, bool all,
                         stn_rp_count *count, stn_err *err);

/* Calls `each` with every resource of a folder or an archive: its name (the path below the folder or behind
 * the prefix, without ".res") and its bytes. What cannot be read or is larger than a resource may be is told
 * on standard error and left out. */
typedef void stn_rp_each_fn(void *user, const char *name, const uint8_t *data, size_t len);
stn_status stn_rp_each(const char *place, const char *prefix, stn_rp_each_fn *each, void *user, stn_err *err);

/* Whether a member's name may become a path below a folder. */
bool stn_rp_safe_name(const char *name);

#endif
