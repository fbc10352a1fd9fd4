/* world/memory.h - what world does with the recorded map: keeps every grid that comes, and fills in what does
 * not come.
 *
 * Keeping  a filled grid goes to the storage thread with the live grids around it, once its tilesets are
 * known (their tags say what must not replace older tiles). What does not fit into the queue waits here and
 * is given later; the newest filling counts.
 * Recalling  a place in some viewer's range that is still empty after 3 s is looked for in the record, by a
 * live grid that is recorded already; what is found becomes remembered ground of the map cache. What is not
 * there is looked for again after 30 s.
 * A record that cannot be used is said in the log and in the status; the world goes on without it.
 * Source: docs/spec/map-cache.md 10.1, 10.2, 10.5; docs/design.md 3, 6.
 */
#ifndef STN_WORLD_MEMORY_H
#define STN_WORLD_MEMORY_H

#include "bus/report.h"
#include "world/mapcache.h"

typedef struct stn_memory stn_memory;
struct stn_world;

stn_status stn_memory_new(struct stn_world *w, const char *path, stn_memory **out, stn_err *err);
/* In all of these NULL is fine: no record is kept then. */
void stn_memory_free(stn_memory *m);
void stn_memory_frame(stn_memory *m); /* a new session: what waited belongs to the old one */
void stn_memory_filled(stn_memory *m, const stn_grid *g);
void stn_memory_removed(stn_memory *m, const stn_grid *g);
void stn_memory_tick(stn_memory *m, int64_t now_ns);
void stn_memory_report(const stn_memory *m, stn_report *r);

#endif
