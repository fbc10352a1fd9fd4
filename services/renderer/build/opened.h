/* opened.h - files of resources in the form that the store takes, opened in this process: what the loader
 * does for a running renderer, done here for one resource that is drawn by itself.
 */
#ifndef STN_RENDERER_BUILD_OPENED_H
#define STN_RENDERER_BUILD_OPENED_H

#include "base/err.h"
#include "res/wire.h"

#include <stddef.h>
#include <stdint.h>

/* All that were opened; NULL to begin with. */
typedef struct stn_opened stn_opened;

/* Opens the bytes of a file, which may go afterwards. *wire borrows from the list and is good until that is
 * freed; it belongs to the caller, as stn_store_ready() wants it. */
stn_status stn_opened_add(stn_opened **list, const uint8_t *data, size_t len, stn_wire **wire, stn_err *err);
void stn_opened_free(stn_opened *list); /* NULL is fine */

#endif
