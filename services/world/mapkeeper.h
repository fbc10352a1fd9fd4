/* world/mapkeeper.h - the storage thread: the recorded map's file, and jobs for it.
 *
 * The thread opens the file (mapstore.h), does one job after the other at idle scheduling class, and hands
 * each back through the loop with how it ended. At most STN_MAPKEEPER_JOBS are with the thread or on their
 * way back: giving one more says STN_BUSY, and the giver keeps it. A file that is damaged or no recorded map
 * is closed for good: every job then ends with that error. One that is locked, or a full disk, is tried again
 * with the next job.
 */
#ifndef STN_WORLD_MAPKEEPER_H
#define STN_WORLD_MAPKEEPER_H

#include "bus/loop.h"
#include "world/mapstore.h"

#define STN_MAPKEEPER_JOBS 24
#define STN_MAP_JOB_GRIDS 9 /* a grid and its neighbours */
#define STN_MAP_JOB_PLACES 16

typedef enum stn_map_job_kind { STN_MAP_OPEN, STN_MAP_RECORD, STN_MAP_RECALL } stn_map_job_kind;

typedef struct stn_map_job {
    stn_inbox_link link;
    stn_map_job_kind kind;
    uint64_t session; /* the giver's */
    size_t n;
    stn_seen_grid seen[STN_MAP_JOB_GRIDS]; /* RECORD: records and flags belong to the job */
    stn_live_grid anchor; /* RECALL */
    stn_coord wanted[STN_MAP_JOB_PLACES];
    stn_recalled found[STN_MAP_JOB_PLACES];
    stn_err err; /* code STN_OK: done */
} stn_map_job;

void stn_map_job_free(stn_map_job *job); /* NULL is fine */

typedef struct stn_mapkeeper stn_mapkeeper;

/* done() runs in the loop's thread; the job belongs to it then. An OPEN job comes back first. */
typedef void (*stn_map_done_fn)(void *arg, stn_map_job *job);
stn_status stn_mapkeeper_new(stn_loop *loop, const char *path, stn_map_done_fn done, void *arg,
                             stn_mapkeeper **out, stn_err *err);
/* What is to be recorded and waits is stored first, for at most 0.6 s; the rest is dropped. */
void stn_mapkeeper_free(stn_mapkeeper *k);
/* STN_OK: taken. STN_BUSY: the job stays the caller's. */
stn_status stn_mapkeeper_give(stn_mapkeeper *k, stn_map_job *job);
size_t stn_mapkeeper_room(const stn_mapkeeper *k); /* jobs that would be taken now */

#endif
