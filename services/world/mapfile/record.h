/* world/mapfile/record.h - the ground of one grid, or of one zoomed-out cell, as it is recorded.
 *
 * Shape   u8 version, then a zlib stream: ids, time, tilesets and tiles, heights, overlays. Little-endian.
 * Grid versions 1 to 5 and zoom versions 1 to 4 are read; the newest are written. Heights are stored packed
 * when that loses at most 0.01; reading back may differ by that much. Errors  STN_VERSION, STN_TRUNCATED,
 * STN_BAD_DATA (an id other than the key's, an index beyond the list), STN_TOO_BIG, STN_NO_MEMORY. Source
 * docs/spec/map-cache.md 10, 10.1, 10.3; vectors mapcache/mapfile-grids.bin, -zoom.bin, -merge.bin.
 */
#ifndef STN_WORLD_MAPFILE_RECORD_H
#define STN_WORLD_MAPFILE_RECORD_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "map/coords.h"

#include <stddef.h>

#define STN_RECORD_MASK (STN_GRID_CELLS / 8)
#define STN_RECORD_ANY_VERSION 65535 /* a tileset of any version */

typedef struct stn_record_set {
    char *name;
    uint16_t version;
    uint8_t prio;
} stn_record_set;

typedef struct stn_record_overlay {
    char *name;
    uint16_t version;
    uint8_t bits[STN_RECORD_MASK];
} stn_record_overlay;

typedef struct stn_record {
    int64_t mtime; /* ms since 1970 */
    stn_record_set *sets;
    size_t n_sets;
    uint16_t tiles[STN_GRID_CELLS]; /* indices into sets */
    float z[STN_GRID_CELLS]; /* map units */
    stn_record_overlay *overlays;
    size_t n_overlays;
} stn_record;

stn_record *stn_record_new(void); /* empty: no sets, heights 0. NULL: out of memory */
void stn_record_free(stn_record *r);
/* Appends a set whatever its name; its index, or -1. */
int stn_record_append_set(stn_record *r, const char *name, uint16_t version, uint8_t prio);
/* The index of a set with this name, appended when it is new; -1 without memory or with 65536 already. */
int stn_record_add_set(stn_record *r, const char *name, uint16_t version, uint8_t prio);
/* The overlay of this name, made when it is new; NULL without memory. */
stn_record_overlay *stn_record_add_overlay(stn_record *r, const char *name, uint16_t version);

/* ---- files */

/* `now_ms`: the time of records too old to carry one. */
stn_status stn_record_read_grid(const uint8_t *file, size_t len, int64_t id, int64_t now_ms, stn_record **out,
                                stn_err *err);
stn_status stn_record_write_grid(const stn_record *r, int64_t id, stn_buf *file, stn_err *err);
stn_status stn_record_read_zoom(const uint8_t *file, size_t len, int64_t segment, int32_t level, stn_coord at,
                                stn_record **out, stn_err *err);
stn_status stn_record_write_zoom(const stn_record *r, int64_t segment, int32_t level, stn_coord at,
                                 stn_buf *file, stn_err *err);

/* ---- parts, for the export file */

void stn_record_put_tiles(const stn_record *r, stn_buf *out);
void stn_record_put_heights(const stn_record *r, stn_buf *out);
void stn_record_put_overlays(const stn_record *r, stn_buf *out);
/* wide: the count of sets has two bytes, and cells two when there are more than 256. */
stn_status stn_record_take_sets(stn_record *r, stn_bytes *in, bool wide, stn_err *err);
stn_status stn_record_take_cells(stn_record *r, stn_bytes *in, bool wide, stn_err *err);
stn_status stn_record_take_heights(stn_record *r, stn_bytes *in, stn_err *err);
stn_status stn_record_take_overlays(stn_record *r, stn_bytes *in, stn_err *err);
/* One zlib stream, unpacked to at most 4 MB (free()); packed at the highest level. */
stn_status stn_record_unpack(const uint8_t *data, size_t len, uint8_t **out, size_t *out_len, stn_err *err);
stn_status stn_record_pack(const uint8_t *data, size_t len, stn_buf *out, stn_err *err);

/* ---- making records from others */

/* Tiles of the older record stay where the newer has a set whose flag in norepl (one a set of `r`) is set. */
stn_status stn_record_merge(stn_record *r, const stn_record *older, const bool *norepl, stn_err *err);
/* Four cells (x,y), +x, +y, both; NULL = absent, at least one is there. */
stn_status stn_record_zoom(const stn_record *const from[4], stn_record **out, stn_err *err);

#endif
