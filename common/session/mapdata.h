/* mapdata.h - the sending side of map data: a grid message and its pieces.
 *
 * A map message is coord gc, u8 version 1 and sections (name, length, bytes). We send one `z` section (zlib)
 * that holds `m` (grid id), `t3` (tile ids and the session resource ids of their tilesets) and `h` (heights,
 * raw floats in units of 11 map units, or one for a flat grid), and behind them, when plots are marked, `pi`
 * (their session resource ids) and `p` (their tiles). A message travels in MAPDATA datagrams: i32 packet id,
 * u16 offset, u16 total length, data; nothing is retransmitted, the client asks again. The receiving side is
 * the world's: services/world/defrag.h and gridmsg.h.
 *
 * Limits  a message must compress below 65536 bytes (STN_TOO_BIG).
 * Source  docs/spec/session-protocol.md 11, docs/spec/map-cache.md 3.
 */
#ifndef STN_SESSION_MAPDATA_H
#define STN_SESSION_MAPDATA_H

#include "base/buf.h"
#include "base/err.h"

#define STN_MAPDATA_CHUNK 1000 /* data bytes of a piece */
#define STN_MAPDATA_CELLS 10000

#define STN_MAPDATA_PLOTS 255

/* Tiles of a grid that are marked with an overlay. */
typedef struct stn_mapgrid_plot {
    uint16_t resid; /* session resource id of the overlay; several plots may have the same */
    uint8_t x1, y1, x2, y2; /* tiles of the grid, from 0; x2 (at most 100) and y2 are behind the last */
    const uint8_t *bits; /* which of them, row by row, least significant bit first; NULL: all */
} stn_mapgrid_plot;

typedef struct stn_mapgrid_out {
    int32_t gc_x, gc_y;
    int64_t id; /* not 0 */
    const uint16_t *tiles; /* 10000 tile ids, x + 100*y */
    const float *z; /* 10000 heights in map units */
    /* The tilesets of the ids that occur: resid[i] is the session resource id of tile id ids[i]. */
    const uint16_t *ids, *resids;
    size_t n_tilesets; /* below 65535 */
    const stn_mapgrid_plot *plots;
    size_t n_plots; /* at most STN_MAPDATA_PLOTS */
} stn_mapgrid_out;

/* STN_BAD_DATA: a tile without a tileset, or a plot that is no part of a grid. */
stn_status stn_mapgrid_write(stn_buf *out, const stn_mapgrid_out *grid, stn_err *err);

/* Pieces are 0 .. count - 1, at least one even for an empty message. len < 65536. A piece is a whole
 * datagram. */
size_t stn_mapdata_pieces(size_t len);
void stn_mapdata_write(stn_buf *out, uint32_t packet, const uint8_t *blob, size_t len, size_t piece);

#endif
