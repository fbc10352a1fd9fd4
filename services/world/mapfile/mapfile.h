/* world/mapfile/mapfile.h - the recorded map: every grid seen, in segments that grow together.
 *
 * A key to blob store lies under it (a folder, a database, memory); the keys and blobs are the reference
 * client's, so that its recorded maps are read and ours are read by it. A segment is a bijection of places
 * and grid ids; a place in it is never stable, a grid id is. Pure: the store, the time and chance come
 * through hooks. A record that cannot be read counts as absent. Source: docs/spec/map-cache.md 10; vectors
 * mapcache/mapfile-*.
 */
#ifndef STN_WORLD_MAPFILE_MAPFILE_H
#define STN_WORLD_MAPFILE_MAPFILE_H

#include "world/mapfile/marker.h"
#include "world/mapfile/record.h"

#include <stddef.h>

typedef struct stn_mapfile_hooks {
    /* The blob of a key in fresh memory (free()); STN_NOT_FOUND when there is none. */
    stn_status (*get)(void *arg, const char *key, uint8_t **data, size_t *len);
    stn_status (*put)(void *arg, const char *key, const uint8_t *data, size_t len);
    int64_t (*random)(void *arg); /* for ids of new segments */
    int64_t (*now_ms)(void *arg);
    /* The record of a live grid of an update, or NULL: then its place alone is kept. Borrowed. May be NULL.
     */
    const stn_record *(*record)(void *arg, size_t live);
    void *arg;
} stn_mapfile_hooks;

typedef struct stn_live_grid {
    stn_coord gc; /* in the session */
    int64_t id;
} stn_live_grid;

typedef struct stn_mapfile stn_mapfile;

/* name: the file's, below "map/"; "" for none. Reads the index; an unreadable one is an error and left alone.
 */
stn_status stn_mapfile_open(const char *name, const stn_mapfile_hooks *hooks, stn_mapfile **out,
                            stn_err *err);
void stn_mapfile_free(stn_mapfile *m);

/* The grids around a person, in this order: centre, N, E, S, W, NE, SE, SW, NW. */
stn_status stn_mapfile_update(stn_mapfile *m, const stn_live_grid *live, size_t n, stn_err *err);
/* Where a grid is. STN_NOT_FOUND: it was never recorded. */
stn_status stn_mapfile_place(stn_mapfile *m, int64_t grid, int64_t *segment, stn_coord *at, stn_err *err);
/* The grid at a place; STN_NOT_FOUND. */
stn_status stn_mapfile_grid_at(stn_mapfile *m, int64_t segment, stn_coord at, int64_t *grid, stn_err *err);
size_t stn_mapfile_segments(const stn_mapfile *m, const int64_t **ids);
size_t stn_mapfile_segment_size(stn_mapfile *m, int64_t segment); /* grids in it */
/* All grids of a segment with their places in it, in no order, in fresh memory (free()). */
stn_status stn_mapfile_list(stn_mapfile *m, int64_t segment, stn_live_grid **out, size_t *n, stn_err *err);
/* The record of a grid; STN_NOT_FOUND. stn_record_free(). */
stn_status stn_mapfile_grid(stn_mapfile *m, int64_t grid, stn_record **out, stn_err *err);
stn_status stn_mapfile_put_grid(stn_mapfile *m, int64_t grid, const stn_record *r, stn_err *err);
/* The zoom cell of a level (from 1) at a place whose low `level` bits are zero, made and stored when it is
 * not there. STN_NOT_FOUND: none of its grids is known. */
stn_status stn_mapfile_zoom(stn_mapfile *m, int64_t segment, int32_t level, stn_coord at, stn_record **out,
                            stn_err *err);

/* Adding by hand, for import: a new segment without grids; a grid where the segment holds nothing and that
 * was recorded nowhere yet (else *added is false and all stays); then the segment and the index are stored.
 */
stn_status stn_mapfile_add_segment(stn_mapfile *m, int64_t *segment, stn_err *err);
stn_status stn_mapfile_add_grid(stn_mapfile *m, int64_t segment, stn_coord at, int64_t grid,
                                const stn_record *r, bool *added, stn_err *err);
stn_status stn_mapfile_store(stn_mapfile *m, int64_t segment, stn_err *err);

size_t stn_mapfile_markers(const stn_mapfile *m, const stn_marker **list);
stn_status stn_mapfile_add_marker(stn_mapfile *m, const stn_marker *marker, stn_err *err); /* copied */

void stn_mapfile_zoom_key(const stn_mapfile *m, int64_t segment, int32_t level, stn_coord at, char out[192]);

#endif
