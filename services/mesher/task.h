/* mesher/task.h - one leased job on its way through the build threads.
 *
 * The reactor makes a task, gives it to the pool and gets it back through the inbox, always, whatever became
 * of it. In between it belongs to the pool, except `cancelled`. A task owns its windows and holds its
 * tilesets; their count of references is touched by the reactor alone.
 */
#ifndef STN_MESHER_TASK_H
#define STN_MESHER_TASK_H

#include "base/err.h"
#include "bus/frame.h"
#include "bus/inbox.h"
#include "mesher/build.h"

#include <stdatomic.h>

typedef enum stn_task_kind {
    STN_TASK_GROUND,
    STN_TASK_DECORATION,
    STN_TASK_AHEAD, /* no product: noise blocks around the cut, for when somebody walks there */
} stn_task_kind;

typedef struct stn_task {
    stn_inbox_link link; /* first: how it comes back */
    struct stn_task *next; /* in the pool's queue */
    stn_task_kind kind;
    uint64_t ticket;
    int32_t priority; /* higher first */
    int64_t given_ns, deadline_ns; /* after the deadline somebody else has the lease: not begun any more */
    bool compress;
    atomic_bool cancelled;
    stn_job job;

    /* the outcome */
    stn_status status;
    stn_err err;
    stn_frame *product;
    uint32_t compression; /* 0 none, 1 zstd */
    uint64_t unpacked_bytes;
    int64_t wait_ns, build_ns;
    size_t peak_bytes; /* memory that the build took */
} stn_task;

/* Room for the windows and the sets; they are zero. NULL when out of memory. */
stn_task *stn_task_new(size_t tiles, size_t heights, size_t nsets);
/* Where to write them before the task is given away. */
uint16_t *stn_task_tiles(stn_task *t);
float *stn_task_heights(stn_task *t);
stn_job_set *stn_task_sets(stn_task *t);
/* Lets go of the sets and the product. */
void stn_task_free(stn_task *t);

/* Does the work, in a build thread. `stop` is asked between the blocks of an AHEAD task. */
void stn_task_run(stn_task *t, stn_scratch *scratch, stn_blocks *blocks, bool (*stop)(void *arg), void *arg);

#endif
