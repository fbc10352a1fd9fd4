/* world/mapcache.h - the ground of one session: grids held, grids asked for, tilesets, overlays.
 *
 * Pure: bytes and the time come in, listeners hear what changed, nothing is sent from here. One owner, not
 * thread-safe. Grids are borrowed until they are removed: a listener hears that before they are freed.
 * Limits: a configured number of grids (1024 by default). Beyond it a grid farther from the focus than every
 * one held is refused, otherwise the farthest goes. Requests are bounded alike; grids beyond 2^24 are
 * refused. Remembered grids come from the record where nothing live is: a live fill replaces one in place,
 * they give way first when there are too many, and "held" never means them. Source: docs/spec/map-cache.md
 * 2-6, 11; vectors mapcache/gridfill.bin, protocol.json.
 */
#ifndef STN_WORLD_MAPCACHE_H
#define STN_WORLD_MAPCACHE_H

#include "base/err.h"
#include "map/coords.h"
#include "world/gridmsg.h"
#include "world/mapfile/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_MAPREQ_AGAIN_MS 1000
#define STN_MAPREQ_TRIES 5 /* the fifth is not sent: the request is dropped */
#define STN_MAPCACHE_GRIDS 1024
#define STN_MAPCACHE_MINTED 49152 /* first tile id given to remembered ground */

typedef struct stn_grid {
    stn_coord gc;
    int64_t id; /* the server's name for this ground, the same in every session; 0 until sent */
    uint64_t incarnation; /* unique in this cache: a removed and asked again grid is another one */
    int32_t seq; /* 0 after the first fill, +1 with each further one */
    uint16_t tiles[STN_GRID_CELLS];
    float z[STN_GRID_CELLS]; /* height of each tile's upper-left corner, map units */
    bool has_overlays; /* a plot layer was read at some time */
    stn_overlay_mask *overlays;
    size_t n_overlays;
    bool remembered; /* from the recorded map: no live ground was sent for this place yet */
} stn_grid;

typedef struct stn_mapcache_listener {
    /* After every successful fill; `fresh` at a grid's first. */
    void (*filled)(void *arg, const stn_grid *grid, bool fresh);
    /* Remembered ground was put where nothing was. May be NULL. */
    void (*recalled)(void *arg, const stn_grid *grid);
    /* Before the grid is freed, remembered ones too. */
    void (*removed)(void *arg, const stn_grid *grid);
    /* Those who wait for grids look again: a request was dropped or a trim came. May be NULL. */
    void (*woken)(void *arg);
    void *arg;
} stn_mapcache_listener;

typedef struct stn_mapcache stn_mapcache;

/* listener may be NULL; it is copied. max_grids 0 = default. NULL: out of memory. */
stn_mapcache *stn_mapcache_new(const stn_mapcache_listener *listener, size_t max_grids);
void stn_mapcache_free(stn_mapcache *c);

/* Where the view is: decides what goes when there are too many grids. */
void stn_mapcache_focus(stn_mapcache *c, stn_coord tile);

/* The grid, or NULL and a request for it is noted when there is none yet. */
const stn_grid *stn_mapcache_need(stn_mapcache *c, stn_coord gc);
/* The grid or NULL; asks for nothing. */
const stn_grid *stn_mapcache_held(const stn_mapcache *c, stn_coord gc);
/* The grid, live or remembered, or NULL. */
const stn_grid *stn_mapcache_ground(const stn_mapcache *c, stn_coord gc);
size_t stn_mapcache_count(const stn_mapcache *c); /* live ones */
size_t stn_mapcache_remembered(const stn_mapcache *c);
size_t stn_mapcache_requests(const stn_mapcache *c);
size_t stn_mapcache_fragments(const stn_mapcache *c);
/* Sorted by (x, y), at most cap; returns how many there are. */
size_t stn_mapcache_grids(const stn_mapcache *c, stn_coord *out, size_t cap);
/* Those among them that are marked with the overlay `resid`, in no order; at most cap. */
size_t stn_mapcache_marked(const stn_mapcache *c, uint16_t resid, stn_coord *out, size_t cap);
size_t stn_mapcache_request_list(const stn_mapcache *c, stn_coord *out, size_t cap);
int64_t
stn_mapcache_olseq(const stn_mapcache *c); /* bumps with each grid arrival: overlay sheets are stale */
int64_t stn_mapcache_chseq(const stn_mapcache *c); /* bumps with each grid arrival: placements look again */

/* The tileset of a tile id, or NULL. Borrowed until the next fill. */
const stn_tileset_name *stn_mapcache_tileset(const stn_mapcache *c, uint16_t tile);

/* The body of one MAPDATA message. STN_OK: a grid was filled; STN_AGAIN: parts are missing, or nobody asked
 * for what came; else what was wrong with it (nothing changed but the fragment's buffer, and a request
 * stays). */
stn_status stn_mapcache_data(stn_mapcache *c, const uint8_t *body, size_t len, int64_t now_ms, stn_err *err);
/* A decoded message becomes the grid at gc, asked for or not: for the recorded map and tests. */
stn_status stn_mapcache_fill(stn_mapcache *c, stn_coord gc, const uint8_t *msg, size_t len, stn_err *err);
/* Puts recorded ground at gc, unless a grid is there already, live or remembered. Tilesets that the session
 * names keep the session's ids, so that no border is seen between equal ground; others get ids from
 * STN_MAPCACHE_MINTED on, in order of first sight. When the session later gives such an id, or another
 * tileset to an id in use, all remembered ground goes: it can be recalled again. STN_TOO_BIG: no room for
 * remembered ground, or no ids. Source: docs/spec/map-cache.md 10.5. */
typedef const char *(*stn_resid_name_fn)(void *arg, uint16_t resid, int32_t *version); /* NULL: not yet */
stn_status stn_mapcache_recall(stn_mapcache *c, stn_coord gc, int64_t id, const stn_record *r,
                               stn_resid_name_fn name_of, void *arg, stn_err *err);
/* The body of one MAPIV message. Unknown kinds do nothing. */
stn_status stn_mapcache_invalidate(stn_mapcache *c, const uint8_t *body, size_t len, stn_err *err);
/* The send step: calls send(arg, gc) for each MAPREQ (i32 x, i32 y) that is due. */
void stn_mapcache_send(stn_mapcache *c, int64_t now_ms, void (*send)(void *arg, stn_coord gc), void *arg);

/* Height of a corner; STN_AGAIN (and no request) when its grid is not held. An stn_corner_fn: arg is the
 * cache. */
stn_status stn_mapcache_corner(void *arg, stn_coord tc, float *z);

#endif
