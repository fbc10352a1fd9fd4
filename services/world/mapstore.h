/* world/mapstore.h - the recorded map on disk: one sqlite3 file a server.
 *
 * Shape   table entries(id, name UNIQUE, data, mtime in ms since 1970), user_version 2: keys and blobs of
 * mapfile.h, in the layout that the brodgar-io client keeps its own in. Another user_version is refused. WAL,
 * synchronous NORMAL, busy time-out 3 s.
 * Sharing every call is one transaction, and what another process committed meanwhile (PRAGMA data_version)
 * is read anew: several worlds and the import may use one file at the same time.
 * Errors  STN_BUSY: locked for longer than the time-out, nothing was changed, try again; STN_VERSION,
 * STN_BAD_DATA: damaged or not such a file, left alone; STN_IO, STN_NO_MEMORY. The text names the file.
 * Blocks on the disk: belongs to a thread of its own (mapkeeper.h) or to a tool.
 * Source  docs/spec/map-cache.md 10, docs/spec/resource-loading.md 4.7.
 */
#ifndef STN_WORLD_MAPSTORE_H
#define STN_WORLD_MAPSTORE_H

#include "world/mapfile/mapfile.h"

#define STN_MAPSTORE_RECALL 64 /* places asked for at once */

typedef struct stn_mapstore stn_mapstore;

/* The file is made when it is absent; its folder must be there. busy_ms 0 = 3000. */
stn_status stn_mapstore_open(const char *path, int busy_ms, stn_mapstore **out, stn_err *err);
void stn_mapstore_free(stn_mapstore *s); /* NULL is fine */

typedef struct stn_seen_grid {
    stn_live_grid live;
    stn_record *record; /* NULL: its place alone is kept. May be changed by the merge with the older record */
    bool *norepl; /* one a set of the record: cells with it keep the older record's tile. NULL = none */
} stn_seen_grid;

/* One update of segments with live grids that lie together, at most 64: the centre first. */
stn_status stn_mapstore_record(stn_mapstore *s, stn_seen_grid *seen, size_t n, stn_err *err);

typedef struct stn_recalled {
    stn_coord gc;
    int64_t id;
    stn_record *record; /* NULL: nothing is recorded there. stn_record_free() */
} stn_recalled;

/* What is recorded at the wanted places, by the place that a live grid has in the record: that grid is the
 * proof of the offset. Fills out[n]; an anchor that was never recorded recalls nothing. */
stn_status stn_mapstore_recall(stn_mapstore *s, stn_live_grid anchor, const stn_coord *wanted, size_t n,
                               stn_recalled *out, stn_err *err);

typedef struct stn_map_counts {
    size_t grids, markers; /* written or added */
    size_t known; /* import: grids left as they are */
    size_t refused; /* import: grids of segments whose places contradict ours */
} stn_map_counts;

/* All grids and markers into a file in the reference client's exchange form. */
stn_status stn_mapstore_export(stn_mapstore *s, const char *file, stn_map_counts *out, stn_err *err);
/* Adds what such a file holds and we do not. Known grids keep their data; segments of ours are not merged. */
stn_status stn_mapstore_import(stn_mapstore *s, const char *file, stn_map_counts *out, stn_err *err);

#endif
