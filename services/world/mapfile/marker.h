/* world/mapfile/marker.h - a place that a person marked on the recorded map.
 *
 * Read in every form (versions 1 to 3 fixed, 4 a typed map), written as version 4. A marker has no length:
 * one that cannot be read loses the rest of its list. Source: docs/spec/map-cache.md 10 "Markers"; vectors
 * mapcache/mapfile-index.json, mapfile-oldmarkers.json.
 */
#ifndef STN_WORLD_MAPFILE_MARKER_H
#define STN_WORLD_MAPFILE_MARKER_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "map/coords.h"

#include <stdbool.h>

typedef struct stn_marker {
    int64_t segment;
    stn_coord tile; /* in the segment */
    char *name;
    bool is_object; /* else set by a person */
    uint8_t colour[4]; /* a person's */
    bool on_map;
    int64_t object; /* an object's */
    char *res;
    uint16_t version;
    uint8_t *data;
    size_t data_len;
} stn_marker;

stn_status stn_marker_read(stn_bytes *in, stn_marker *out, stn_err *err); /* stn_marker_fini() */
stn_status stn_marker_write(const stn_marker *m, stn_buf *out, stn_err *err);
void stn_marker_fini(stn_marker *m);

#endif
