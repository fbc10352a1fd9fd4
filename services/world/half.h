/* world/half.h - one half of a cut (its mesh or its decoration): when a build is ordered and what is shown.
 *
 * Pure. The half knows numbers only: a ticket is an order to build, a product is the handle of what came of
 * it; 0 is none of either. What a caller must do is told in an stn_half_effect: queue or cancel a ticket, let
 * a product go. The old product stays visible until a new one is adopted, which only a get does. Source:
 * docs/spec/map-cache.md 8.1-8.2, vectors mapcache/cutstate.json.
 */
#ifndef STN_WORLD_HALF_H
#define STN_WORLD_HALF_H

#include <stdbool.h>
#include <stdint.h>

typedef enum stn_half_job {
    STN_JOB_NONE,
    STN_JOB_QUEUED, /* ordered, perhaps with a worker */
    STN_JOB_PARKED, /* an input was missing; the next get queues it again */
    STN_JOB_DONE, /* built, not yet adopted */
    STN_JOB_FAILED, /* stays so until the next invalidation */
} stn_half_job;

typedef struct stn_half {
    uint64_t value; /* product shown, or 0 */
    uint64_t ticket; /* current order, or 0 */
    uint64_t built; /* product of a finished job that waits to be adopted */
    uint32_t stamp; /* generation at which the value or job was ordered */
    stn_half_job job;
    bool fresh; /* no job is needed */
    bool disposed;
} stn_half;

typedef struct stn_half_effect {
    uint64_t queue; /* put this ticket at the end of the queue */
    uint64_t cancel; /* this ticket is not wanted any more */
    uint64_t release; /* let this product go */
    uint64_t release_built; /* and this one, built but never shown */
    bool adopted;
} stn_half_effect;

typedef enum stn_half_answer {
    STN_HALF_VALUE, /* half->value */
    STN_HALF_WAIT_JOB, /* not yet: a build is ordered */
    STN_HALF_WAIT_GRID, /* disposed: wait for a new grid */
    STN_HALF_FAILED, /* the build failed; half->value is what it was */
} stn_half_answer;

/* A half made later starts with the current generation. */
void stn_half_init(stn_half *h, uint32_t generation);
/* *tickets is the counter that numbers orders. *fx is set. */
stn_half_answer stn_half_get(stn_half *h, uint32_t generation, uint64_t *tickets, stn_half_effect *fx);
/* The value or 0; orders nothing and adopts nothing. */
uint64_t stn_half_cur(const stn_half *h);
void stn_half_invalidate(stn_half *h, stn_half_effect *fx);
void stn_half_dispose(stn_half *h, stn_half_effect *fx);
/* A worker's word on a ticket. False: it is not the current one; what it brought is late and must be dropped.
 */
bool stn_half_done(stn_half *h, uint64_t ticket, uint64_t product);
bool stn_half_failed(stn_half *h, uint64_t ticket);
bool stn_half_parked(stn_half *h, uint64_t ticket);

#endif
