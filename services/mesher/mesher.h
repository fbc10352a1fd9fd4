/* mesher/mesher.h - the mesher process: leases jobs from world and sends back products.
 *
 * It owns nothing: what it knows of tilesets ends with the connection, and a job is a closed snapshot. One
 * reactor thread (the loop's) talks; the pool builds. Products go as they were written, without a copy. While
 * there is no world it waits; when world goes, what was leased is dropped, for world gives it to others.
 * Source: docs/design.md 5.3, 6; proto/mesh.proto; docs/spec/map-cache.md 8.6.
 */
#ifndef STN_MESHER_MESHER_H
#define STN_MESHER_MESHER_H

#include "base/err.h"
#include "bus/bus.h"

typedef struct stn_mesher stn_mesher;

typedef struct stn_mesher_opts {
    const char *endpoint; /* NULL: the instance's own world */
    const stn_keys *keys; /* for CURVE; NULL = plain */
    const char *server_key;
    unsigned threads;
    bool idle; /* build threads at the idle class */
    size_t blocks; /* noise blocks held */
    bool zstd; /* may compress on slow links */
    bool ahead; /* idle threads make noise blocks around what was built */
} stn_mesher_opts;

stn_status stn_mesher_new(stn_bus *bus, const stn_mesher_opts *opts, stn_mesher **out, stn_err *err);
void stn_mesher_free(stn_mesher *m);

#endif
