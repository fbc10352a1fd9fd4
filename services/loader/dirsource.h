/* dirsource.h - a folder of NAME.res files: what a modder is working on.
 *
 * Nothing outside the folder is ever read: links inside it may be followed while they stay inside; regular
 * files only. Reading blocks: call it from a worker. Safe from several threads.
 * Source  docs/spec/resource-loading.md 1 and 9 (resdir).
 */
#ifndef STN_LOADER_DIRSOURCE_H
#define STN_LOADER_DIRSOURCE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

typedef struct stn_dirsource stn_dirsource;

stn_status stn_dirsource_open(const char *dir, stn_dirsource **out, stn_err *err);
void stn_dirsource_free(stn_dirsource *d); /* NULL is fine */
/* A valid name. Fresh memory (free()). STN_NOT_FOUND: no such file; everything else is an error. */
stn_status stn_dirsource_read(const stn_dirsource *d, const char *name, size_t max_bytes, uint8_t **data,
                              size_t *len, stn_err *err);

#endif
