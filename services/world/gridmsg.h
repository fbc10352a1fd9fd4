/* world/gridmsg.h - one grid message: tiles, heights, overlays of a 100x100 grid in every wire form.
 *
 * Decoded into scratch that says what the message carried; the caller commits it only when all of it was
 * good. Shape   u8 version 1, then layers to the end: name, length, payload (m, t, t2, t3, h, pi, p, z);
 * unknown names are skipped. z holds a zlib stream of further layers. Limits  z nests at most 4 deep and
 * unpacks to at most 1 MB in all; a grid has at most 255 overlays. Errors  STN_VERSION, STN_TRUNCATED,
 * STN_BAD_DATA, STN_TOO_BIG, STN_NO_MEMORY; the text names the layer. Source  docs/spec/map-cache.md 3.3,
 * vectors mapcache/gridfill.bin.
 */
#ifndef STN_WORLD_GRIDMSG_H
#define STN_WORLD_GRIDMSG_H

#include "base/err.h"
#include "map/coords.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_GRID_MASK_BYTES (STN_GRID_CELLS / 8)
#define STN_GRID_MAX_OVERLAYS 255
#define STN_GRID_Z_DEPTH 4
#define STN_GRID_Z_BYTES (1u << 20)

/* A tileset as a message names it: by resource and version, or by session resource id. */
typedef struct stn_tileset_name {
    char *name; /* NULL: by session id */
    uint16_t version; /* with a name */
    uint16_t resid; /* without */
} stn_tileset_name;

typedef struct stn_overlay_mask {
    uint16_t resid; /* session resource id of the overlay */
    uint8_t bits[STN_GRID_MASK_BYTES]; /* bit 0 of byte 0 is cell 0; cell x + 100*y */
} stn_overlay_mask;

typedef struct stn_gridmsg {
    bool has_id, has_tiles, has_z, has_overlays;
    int64_t id;
    uint16_t tiles[STN_GRID_CELLS];
    float z[STN_GRID_CELLS];
    stn_overlay_mask *overlays;
    size_t n_overlays;
    /* Entries of the tileset table, in the order of the message: the last of an id wins. */
    struct stn_gridmsg_tileset {
        uint16_t tile;
        stn_tileset_name ref;
    } * tilesets;
    size_t n_tilesets, cap_tilesets;
} stn_gridmsg;

/* Says whether a tile id has a tileset already, from an earlier message of the session. */
typedef bool (*stn_gridmsg_known)(void *arg, uint16_t tile);

/* *out is set on success only; stn_gridmsg_free(). */
stn_status stn_gridmsg_read(const uint8_t *data, size_t len, stn_gridmsg_known known, void *arg,
                            stn_gridmsg **out, stn_err *err);
void stn_gridmsg_free(stn_gridmsg *m);

#endif
