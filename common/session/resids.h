/* resids.h - the session's resource numbers, and the small number tables inside messages. Pure.
 *
 * The server names resources by a u16 that it defines with RESID: name and version. One number is one slot
 * for the life of the session; a slot is made when either side first mentions it, so a number may be used
 * before its name has come. A new RESID changes the slot in place: everybody who refers to the number sees
 * the new resource.
 * Source  docs/spec/resource-loading.md 7.
 */
#ifndef STN_SESSION_RESIDS_H
#define STN_SESSION_RESIDS_H

#include "base/bytes.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_RESID_PRIO_FIRST (-6) /* of a slot that nobody has taken yet */
#define STN_RESID_PRIO_NAMED (-10) /* of the ask that a RESID makes by itself */
#define STN_RESID_NAME_MAX                                                                                   \
    513 /* bytes kept of a name: one more than is valid, so that a longer one stays invalid */

/* Reading a slot: an object kept from before is the answer; without a name there is none yet; otherwise ask
 * for (name, version, prio) and keep the object once it is loaded. */
typedef struct stn_resid {
    uint16_t id;
    char *name; /* NULL: not named yet. Perhaps no valid resource name: the ask says so */
    int32_t version; /* 0..65535 */
    int32_t prio; /* the highest that anybody took it with */
    void *object; /* kept by the reader; NULL after each RESID */
    uint32_t generation; /* grows with each RESID, for readers who cache */
} stn_resid;

typedef struct stn_resids stn_resids;

/* drop(ctx, object) is called for a kept object that a RESID or the end puts aside; may be NULL. */
stn_resids *stn_resids_new(void (*drop)(void *ctx, void *object), void *ctx); /* NULL: out of memory */
void stn_resids_free(stn_resids *ids);

/* A RESID: the caller asks for (name, version, STN_RESID_PRIO_NAMED) first and ignores how that ends; the
 * mapping is made in any case. */
stn_status stn_resids_set(stn_resids *ids, uint16_t id, const char *name, size_t len, uint16_t version,
                          stn_err *err);
/* The slot, made when new; its priority becomes at least prio (0 is usual). The pointer is the number's
 * identity and valid until the end of the table. NULL: out of memory. */
stn_resid *stn_resids_take(stn_resids *ids, uint16_t id, int32_t prio);
/* The slot when it exists. */
stn_resid *stn_resids_find(const stn_resids *ids, uint16_t id);
size_t stn_resids_count(const stn_resids *ids);

/* ---- tables inside messages ---- */

typedef struct stn_resmap_pair {
    uint16_t key, value;
} stn_resmap_pair;

typedef struct stn_resmap {
    size_t count; /* at most 255 */
    stn_resmap_pair pairs[255]; /* sorted by key, each key once */
} stn_resmap;

/* No bytes at all: empty. Else u8 n, n pairs of u16 local and session number; of equal keys the last counts.
 * The cursor stops behind the pairs. STN_TRUNCATED: too few bytes. */
stn_status stn_resmap_read(stn_bytes *in, stn_resmap *out, stn_err *err);
/* False: not a resource. */
bool stn_resmap_get(const stn_resmap *map, uint16_t key, uint16_t *value);

#endif
