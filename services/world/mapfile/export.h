/* world/mapfile/export.h - the reference client's exchange file of recorded maps.
 *
 * Shape   "Haven Mapfile 1", then one zlib stream of records: text type, i32 length, payload. `grid` and
 * `mark` are known, others are skipped. Source  docs/spec/map-cache.md 10.4; vectors
 * mapcache/mapfile-export.hmap.
 */
#ifndef STN_WORLD_MAPFILE_EXPORT_H
#define STN_WORLD_MAPFILE_EXPORT_H

#include "world/mapfile/marker.h"
#include "world/mapfile/record.h"

typedef struct stn_export_hooks {
    /* One grid; the record is the hook's to free. Another status than STN_OK ends the reading with it. */
    stn_status (*grid)(void *arg, int64_t id, int64_t segment, stn_coord at, stn_record *r, stn_err *err);
    stn_status (*marker)(void *arg, const stn_marker *m, stn_err *err);
    void *arg;
} stn_export_hooks;

stn_status stn_export_read(const uint8_t *file, size_t len, const stn_export_hooks *hooks, stn_err *err);

/* Writing: records into a body, then the body into a file. */
stn_status stn_export_put_grid(stn_buf *body, int64_t id, int64_t segment, stn_coord at, const stn_record *r,
                               stn_err *err);
stn_status stn_export_put_marker(stn_buf *body, const stn_marker *m, stn_err *err);
stn_status stn_export_finish(const stn_buf *body, stn_buf *file, stn_err *err);

#endif
