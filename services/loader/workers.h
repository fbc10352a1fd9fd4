/* workers.h - threads that read files and drive decoders: the only place of the loader that blocks.
 *
 * A job reads from one source (or brings its bytes along), has them judged and decoded, and comes back
 * through the loop; a good body from the network is stored in the disk cache after that, so that nobody
 * waits for the store. Jobs wait in order of priority. Their number is bounded by the walks in flight.
 */
#ifndef STN_LOADER_WORKERS_H
#define STN_LOADER_WORKERS_H

#include "bus/loop.h"
#include "cache/diskcache.h"
#include "loader/decoder.h"
#include "loader/dirsource.h"
#include "loader/packsource.h"
#include "loader/queue.h"

typedef struct stn_workers stn_workers;

typedef enum stn_job_kind {
    STN_JOB_BODY, /* data is here */
    STN_JOB_DIR,
    STN_JOB_PACK,
    STN_JOB_DISK,
    STN_JOB_DROP, /* remove the name's entry from the disk cache; no decoding */
    STN_JOB_SWEEP, /* count and shrink the disk cache */
} stn_job_kind;

typedef struct stn_job {
    stn_inbox_link link; /* first: results come through an inbox */
    stn_queued q;
    stn_job_kind kind;
    uint64_t token; /* the caller's */
    void *user; /* the caller's */
    char *name; /* the job's own */
    int want;
    bool judge_only;
    bool store; /* BODY: into the disk cache when good */
    bool keep_code; /* of a reload, with the records in code */
    stn_buf code;
    uint8_t *data; /* BODY: the job's own */
    size_t len;
    const stn_dirsource *dir;
    stn_packsource *const *packs; /* asked in order; the first that has the member answers */
    size_t pack_count;
    stn_diskcache *disk;
    /* the result */
    stn_decoded decoded;
    stn_diskcache_sum sum; /* SWEEP */
} stn_job;

stn_job *stn_job_new(stn_job_kind kind, const char *name, int prio); /* NULL: out of memory */
void stn_job_free(stn_job *job);

typedef struct stn_workers_opts {
    unsigned count; /* 0 = one a core, at least 2 */
    bool sandboxed;
    const char *program; /* of the sandboxed children */
    bool idle; /* run only when nobody else wants the processor */
} stn_workers_opts;

/* Makes the children first, then the threads. done gets each job and frees it. */
stn_status stn_workers_new(stn_loop *loop, const stn_workers_opts *opts,
                           void (*done)(void *ctx, stn_job *job), void *ctx, stn_workers **out, stn_err *err);
/* Waits for the jobs that run; the others are dropped without an answer. */
void stn_workers_free(stn_workers *w);
/* Takes the job. False: out of memory, the job stays the caller's. */
bool stn_workers_give(stn_workers *w, stn_job *job);

typedef struct stn_workers_figures {
    size_t waiting, running;
    uint64_t jobs, stores, store_failures, restarts, decoded_bytes;
    unsigned count;
} stn_workers_figures;
void stn_workers_report(stn_workers *w, stn_workers_figures *out);
/* Process id of the i-th child, 0 when there is none. */
int stn_workers_child(const stn_workers *w, unsigned i);

#endif
