/* world/cuts.h - the cuts of the grids held: what is built, by whom, and what is kept.
 *
 * Every cut has two halves (half.h). This module keeps them per grid incarnation, turns what viewers ask for
 * into tickets, gives tickets to meshers as leases, nearest first and to each viewer in turn, and keeps the
 * products under a byte budget.
 *
 *   each tick   stn_cuts_tick(), then stn_cuts_get() for every half that a viewer wants, then
 * stn_cuts_lease() as long as a mesher has room.
 *
 * Rules that hold whatever happens (tests/unit/test_cuts.c):
 *   - without asks there are no builds; a ticket that nobody asked for lately is not leased;
 *   - at most one build of a half is under way: a cancelled lease blocks its half until it is answered or
 * lost;
 *   - a product is taken only for the half's current ticket; others are late and let go;
 *   - a lost lease (mesher gone, time over) goes back into the queue exactly once;
 *   - a ticket whose holders died three times is set aside: its half has failed until its ground changes. One
 * that was lost with its holder is leased alone from then on, so that the blame falls on the right one;
 *   - a product is never given for a disposed grid incarnation;
 *   - viewers with tickets in the queue are served in turn, each with its nearest: one that wants much does
 *     not keep another waiting.
 *
 * Changes: what comes within one tick (fills, new settings) is one change, and its number is that tick. It is
 * open for STN_CUTS_SWAP_TICKS; while it is, each half that it made stale says so (`due`), and each product
 * built for it too (`swap`), so that a viewer can be told which products belong together. A half whose build
 * fails, or that is made stale again, is not due for it any more; afterwards everything is shown as it comes.
 *
 * Pure: numbers name meshers, payloads are opaque. One owner, not thread-safe.
 * Source: docs/spec/map-cache.md 8.2-8.6, 9.2; docs/design.md 5.3.
 */
#ifndef STN_WORLD_CUTS_H
#define STN_WORLD_CUTS_H

#include "base/err.h"
#include "map/coords.h"
#include "world/half.h"

#include <stddef.h>

#define STN_CUTS_BYTES (64u << 20)
#define STN_CUTS_KILLS 3
#define STN_CUTS_STALE_TICKS 40 /* a ticket not asked for in so many ticks is not leased */
#define STN_CUTS_SWAP_TICKS 10 /* what one change made stale is shown together, within so many ticks */
#define STN_CUTS_VIEWERS 64

typedef enum stn_cut_half { STN_CUT_GROUND, STN_CUT_DECORATION, STN_CUT_HALVES } stn_cut_half;

typedef struct stn_cuts_hooks {
    void (*release)(void *arg, void *payload); /* the product is let go */
    /* Tells the holder of a lease that it is not wanted any more. True: it takes that as the end of the
     * lease and answers nothing; false: the lease blocks its half until it is answered or lost. NULL counts
     * as false. */
    bool (*cancel)(void *arg, uint32_t mesher, uint64_t ticket);
    void *arg;
} stn_cuts_hooks;

typedef struct stn_product {
    uint64_t number; /* rises; 0 = none */
    void *payload;
    size_t bytes;
    uint32_t generation; /* of the half when it was ordered */
    uint64_t swap; /* the open change it was built for; 0: none, or that is over */
    uint64_t due; /* the open change for which a build of the half is under way; 0: none */
} stn_product;

typedef struct stn_cut_job {
    uint64_t ticket;
    stn_coord gc;
    uint64_t incarnation;
    uint8_t cut; /* x + 4*y in the grid */
    stn_cut_half half;
    uint32_t generation;
    int32_t distance; /* the least that was asked */
} stn_cut_job;

typedef struct stn_cuts stn_cuts;

stn_cuts *stn_cuts_new(const stn_cuts_hooks *hooks, size_t byte_budget); /* 0: default. NULL: out of memory */
void stn_cuts_free(stn_cuts *c); /* releases all payloads */

/* ---- what happens to the ground */

/* After a fill: the grid's own cuts and the neighbours' edges that face it are invalidated. STN_NO_MEMORY. */
stn_status stn_cuts_filled(stn_cuts *c, stn_coord gc, uint64_t incarnation, stn_err *err);
/* After remembered ground was put where nothing was: nothing built is taken back, what waited looks again. */
stn_status stn_cuts_recalled(stn_cuts *c, stn_coord gc, uint64_t incarnation, stn_err *err);
void stn_cuts_removed(stn_cuts *c, stn_coord gc);
void stn_cuts_clear(stn_cuts *c); /* all grids; leases become late */
/* The settings' effective values changed: the half's products are stale. */
void stn_cuts_bump(stn_cuts *c, stn_cut_half half);
uint32_t stn_cuts_generation(const stn_cuts *c, stn_cut_half half);
/* Something that parked tickets may wait for has come: they may be tried again. */
void stn_cuts_inputs_changed(stn_cuts *c);

/* ---- what viewers ask */

void stn_cuts_tick(stn_cuts *c);
/* viewer: who asks, below STN_CUTS_VIEWERS. distance: squared, in cuts, to its focus. *out is the product to
 * show (number 0: none yet), borrowed until the next call; also with STN_HALF_FAILED, whose reason is
 * stn_cuts_failure(). */
stn_half_answer stn_cuts_get(stn_cuts *c, unsigned viewer, stn_coord cc, stn_cut_half half, int32_t distance,
                             stn_product *out);
/* The product as it is; orders nothing. */
bool stn_cuts_cur(const stn_cuts *c, stn_coord cc, stn_cut_half half, stn_product *out);
const char *stn_cuts_failure(const stn_cuts *c, stn_coord cc, stn_cut_half half); /* never NULL */

/* ---- what meshers do. A mesher is a number of the caller's, not 0 */

/* Says whether all that a build reads is there. STN_AGAIN: not yet, the ticket is parked; other errors fail
 * it. */
typedef stn_status (*stn_cuts_ready)(void *arg, const stn_cut_job *job, stn_err *err);
/* The most urgent ticket that is ready, of the viewer whose turn it is, now leased to the mesher until
 * `deadline_ns`. STN_AGAIN: there is none. */
stn_status stn_cuts_lease(stn_cuts *c, uint32_t mesher, int64_t deadline_ns, stn_cuts_ready ready, void *arg,
                          stn_cut_job *out, stn_err *err);
/* Takes the payload in every case. STN_CANCELLED: late, it was let go. */
stn_status stn_cuts_built(stn_cuts *c, uint32_t mesher, uint64_t ticket, void *payload, size_t bytes);
/* The build cannot be done. STN_CANCELLED: late. A code of STN_CANCELLED answers a cancel and fails nothing.
 */
stn_status stn_cuts_failed(stn_cuts *c, uint32_t mesher, uint64_t ticket, stn_status code, const char *text);
/* Its leases go back. died: it did not go by itself, so what it held is suspect. Returns how many. */
size_t stn_cuts_mesher_gone(stn_cuts *c, uint32_t mesher, bool died);
/* Leases over their time go back. Returns how many. */
size_t stn_cuts_expire(stn_cuts *c, int64_t now_ns);
size_t stn_cuts_leases_of(const stn_cuts *c, uint32_t mesher);

typedef struct stn_cuts_stats {
    size_t grids, queued, parked, leased, products, product_bytes;
    uint64_t ordered, built, late, failed, lost, expired, set_aside, evicted;
} stn_cuts_stats;
void stn_cuts_get_stats(const stn_cuts *c, stn_cuts_stats *out);

#endif
