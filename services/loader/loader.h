/* loader.h - the process: the door `loader`, the asking engine behind it, and the control door.
 *
 * Everything runs in the loop's thread; only workers.h has threads. Each Get is answered at once; after
 * Pending the end follows with the same correlation. A Ready that does not fit the peer's queue waits for
 * room, its object held.
 * Source  docs/design.md 5.1; docs/spec/resource-loading.md 8.2; proto/resource.proto.
 */
#ifndef STN_LOADER_LOADER_H
#define STN_LOADER_LOADER_H

#include "bus/bus.h"
#include "loader/sources.h"

typedef struct stn_loader stn_loader;

typedef struct stn_loader_opts {
    stn_sources_opts sources;
    bool watch_resdir; /* read a loaded resource again when its file in the developer folder changes */
    size_t budget_bytes; /* of decoded objects; 0 = 256 MiB */
} stn_loader_opts;

/* The bus must outlive the loader. STN_BUSY: another loader serves this instance. */
stn_status stn_loader_new(stn_bus *bus, const stn_loader_opts *opts, stn_loader **out, stn_err *err);
void stn_loader_free(stn_loader *l); /* NULL is fine */

#endif
