/* packsource.h - a resource pack: a .jar or .zip with members PREFIX/NAME.res.
 *
 * Opened once, read only. A member is looked up by its exact name (of equal names the first of the
 * directory); its size is known before it is read and checked against what inflates. A pack that is not
 * there answers "not found" to everything: packs are optional. Reading blocks: call it from a worker;
 * readers of one pack take turns.
 * Source  docs/spec/resource-loading.md 1 and 9 (archives).
 */
#ifndef STN_LOADER_PACKSOURCE_H
#define STN_LOADER_PACKSOURCE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

typedef struct stn_packsource stn_packsource;

/* prefix "" or "res-preload/". STN_NOT_FOUND: no such file (then *out is NULL, which reads as a missing
 * pack); STN_BAD_DATA: not an archive. */
stn_status stn_packsource_open(const char *path, const char *prefix, stn_packsource **out, stn_err *err);
void stn_packsource_free(stn_packsource *p); /* NULL is fine */
stn_status stn_packsource_read(stn_packsource *p, const char *name, size_t max_bytes, uint8_t **data,
                               size_t *len, stn_err *err);

#endif
