#include "loader/workers.h"

#include "base/clock.h"
#include "base/log.h"
#include "loader/decoder_wire.h"
#include "loader/resname.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESULTS_MAX 8192
#define ENTRY_KEPT ((size_t)4 << 20)

typedef struct worker {
    stn_workers *all;
    pthread_t thread;
    stn_decoder *decoder;
    stn_buf entry; /* of the disk cache, the last one read: fresh memory for each would cost more than it */
    bool started;
} worker;

struct stn_workers {
    pthread_mutex_t lock;
    pthread_cond_t more;
    stn_queue queue;
    bool stop;
    size_t running;
    stn_inbox *results;
    stn_watch *watch;
    void (*done)(void *ctx, stn_job *job);
    void *ctx;
    _Atomic uint64_t jobs, stores, store_failures, decoded_bytes;
    unsigned count;
    bool idle;
    worker each[];
};

#define JOB_OF(queued) ((stn_job *)(void *)((char *)(queued)-offsetof(stn_job, q)))

stn_job *stn_job_new(stn_job_kind kind, const char *name, int prio)
{
    stn_job *job = calloc(1, sizeof *job);
    if (!job || !(job->name = strdup(name))) {
        free(job);
        return NULL;
    }
    job->kind = kind;
    job->want = -1;
    job->q.prio = prio;
    return job;
}

void stn_job_free(stn_job *job)
{
    if (!job)
        return;
    stn_decoded_fini(&job->decoded);
    stn_buf_fini(&job->code);
    free(job->data);
    free(job->name);
    free(job);
}

/* ---- reading ---- */

static stn_status read_packs(const stn_job *job, uint8_t **data, size_t *len, stn_err *err)
{
    stn_status st = stn_fail(err, STN_NOT_FOUND, "no such pack");
    for (size_t i = 0; i < job->pack_count && st == STN_NOT_FOUND; i++)
        st = stn_packsource_read(job->packs[i], job->name, STN_RES_BODY_MAX, data, len, err);
    return st;
}

/* The body as a frame: it goes on to clients without being copied. Takes the memory. */
static stn_frame *frame_of(uint8_t *data, size_t len)
{
    stn_frame *f = stn_frame_wrap(data, len, free, data);
    if (!f)
        free(data);
    return f;
}

/* Fills *in with the body. It lies in *file, or, of the disk cache, in the worker's own buffer until the next
 * one is read. */
static stn_status read_source(worker *w, stn_job *job, stn_decode_in *in, stn_frame **file, stn_err *err)
{
    char key[4 + STN_RESNAME_MAX + 1];
    uint8_t *data = job->data;
    size_t len = job->len, body;
    stn_status st = STN_OK;
    job->data = NULL;
    if (job->kind == STN_JOB_DISK) {
        snprintf(key, sizeof key, "res/%s", job->name);
        st = stn_diskcache_read_into(job->disk, key, strlen(key), STN_RES_BODY_MAX, &w->entry, &body, err);
        if (st == STN_OK) {
            in->data = w->entry.data + body;
            in->len = w->entry.len - body;
        }
        return st;
    }
    if (job->kind == STN_JOB_DIR)
        st = stn_dirsource_read(job->dir, job->name, STN_RES_BODY_MAX, &data, &len, err);
    else if (job->kind == STN_JOB_PACK)
        st = read_packs(job, &data, &len, err);
    if (st != STN_OK)
        return st;
    *file = frame_of(data, len);
    if (!*file)
        return stn_fail(err, STN_NO_MEMORY, "out of memory");
    in->data = stn_frame_data(*file);
    in->len = stn_frame_len(*file);
    return STN_OK;
}

/* *file gets the body with a reference of the caller's, NULL when there is none. */
static void load(worker *w, stn_job *job, stn_frame **file)
{
    stn_err err = {0};
    stn_decode_in in = {.want = job->want,
                        .judge_only = job->judge_only,
                        .keep_code = job->keep_code,
                        .code = job->code.data,
                        .code_len = job->code.len};
    stn_status st = read_source(w, job, &in, file, &err);
    if (st == STN_OK)
        stn_decoder_run(w->decoder, &in, &job->decoded);
    bool good = st == STN_OK && job->decoded.verdict.miss == STN_MISS_NONE;
    if (good && !job->judge_only && !job->decoded.frames[STN_WIRE_RAW]) {
        if (!*file)
            *file = stn_decoder_keep(in.data, in.len);
        job->decoded.frames[STN_WIRE_RAW] = stn_frame_ref(*file);
        if (!*file)
            st = stn_fail(&err, STN_NO_MEMORY, "out of memory");
    }
    if (w->entry.cap > ENTRY_KEPT)
        stn_buf_fini(&w->entry);
    if (st != STN_OK) {
        stn_decoded_fini(&job->decoded);
        job->decoded.verdict.miss = st == STN_NOT_FOUND ? STN_MISS_NOT_FOUND : STN_MISS_IO;
        job->decoded.verdict.version = -1;
        stn_miss_say(job->decoded.verdict.text, err.text);
        return;
    }
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
        atomic_fetch_add(&w->all->decoded_bytes, stn_frame_len(job->decoded.frames[i]));
}

static void store(stn_workers *all, stn_diskcache *disk, const char *name, const uint8_t *data, size_t len)
{
    char key[4 + STN_RESNAME_MAX + 1];
    stn_err err = {0};
    snprintf(key, sizeof key, "res/%s", name);
    stn_status st = stn_diskcache_write(disk, key, strlen(key), data, len, &err);
    atomic_fetch_add(st == STN_OK ? &all->stores : &all->store_failures, 1);
    /* It costs the next start a fetch, and nobody anything now. */
    if (st != STN_OK && atomic_load(&all->store_failures) < 8)
        stn_log_warn("%s: not stored: %s", name, err.text);
}

static void drop(const stn_job *job)
{
    char key[4 + STN_RESNAME_MAX + 1];
    stn_err err = {0};
    snprintf(key, sizeof key, "res/%s", job->name);
    stn_status st = stn_diskcache_remove(job->disk, key, strlen(key), &err);
    if (st != STN_OK && st != STN_NOT_FOUND)
        stn_log_warn("%s: not dropped from the disk cache: %s", job->name, err.text);
}

static void give_result(stn_workers *all, stn_job *job)
{
    /* There are fewer walks than places: a full inbox means that the loop is far behind, and waiting is
     * right. */
    while (stn_inbox_give(all->results, &job->link) != STN_OK)
        stn_sleep_ns(STN_MS);
}

static void work(worker *w, stn_job *job)
{
    stn_frame *file = NULL;
    stn_err err = {0};
    switch (job->kind) {
    case STN_JOB_DROP:
        drop(job);
        break;
    case STN_JOB_SWEEP:
        if (stn_diskcache_sweep(job->disk, &job->sum, &err) != STN_OK)
            stn_log_warn("%s", err.text);
        break;
    default:
        load(w, job, &file);
        break;
    }
    stn_diskcache *disk = job->store && job->decoded.verdict.miss == STN_MISS_NONE ? job->disk : NULL;
    char *name = disk ? strdup(job->name) : NULL;
    atomic_fetch_add(&w->all->jobs, 1);
    give_result(w->all, job); /* from here on the job is the loop's */
    if (name)
        store(w->all, disk, name, stn_frame_data(file), stn_frame_len(file));
    free(name);
    stn_frame_unref(file);
}

static void *run(void *arg)
{
    worker *w = arg;
    stn_workers *all = w->all;
    if (all->idle)
        (void)sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    pthread_mutex_lock(&all->lock);
    while (!all->stop) {
        stn_queued *q = stn_queue_pop(&all->queue);
        if (!q) {
            pthread_cond_wait(&all->more, &all->lock);
            continue;
        }
        all->running++;
        pthread_mutex_unlock(&all->lock);
        work(w, JOB_OF(q));
        pthread_mutex_lock(&all->lock);
        all->running--;
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

static void on_result(void *ctx, const stn_turn *turn, stn_inbox_link *item)
{
    stn_workers *w = ctx;
    (void)turn;
    w->done(w->ctx, (stn_job *)(void *)item);
}

/* ---- the face ---- */

stn_status stn_workers_new(stn_loop *loop, const stn_workers_opts *opts,
                           void (*done)(void *ctx, stn_job *job), void *ctx, stn_workers **out, stn_err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned n = opts->count ? opts->count : cores > 2 ? (unsigned)cores : 2;
    stn_workers *w = calloc(1, sizeof *w + n * sizeof *w->each);
    *out = NULL;
    if (!w)
        return stn_fail(err, STN_NO_MEMORY, "workers");
    w->count = n;
    w->done = done;
    w->ctx = ctx;
    w->idle = opts->idle;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->more, NULL);
    stn_status st = stn_inbox_new(RESULTS_MAX, &w->results, err);
    if (st == STN_OK)
        st = stn_loop_watch_inbox(loop, w->results, on_result, w, &w->watch, err);
    for (unsigned i = 0; i < n && st == STN_OK; i++) {
        w->each[i].all = w;
        st = stn_decoder_new(opts->sandboxed, opts->program, &w->each[i].decoder, err);
    }
    for (unsigned i = 0; i < n && st == STN_OK; i++) {
        if (pthread_create(&w->each[i].thread, NULL, run, &w->each[i]) != 0)
            st = stn_fail(err, STN_IO, "workers: thread %u: %s", i, strerror(errno));
        else
            w->each[i].started = true;
    }
    if (st != STN_OK) {
        stn_workers_free(w);
        return st;
    }
    *out = w;
    return STN_OK;
}

static void drop_result(void *ctx, stn_inbox_link *item)
{
    (void)ctx;
    stn_job_free((stn_job *)(void *)item);
}

void stn_workers_free(stn_workers *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->more);
    pthread_mutex_unlock(&w->lock);
    for (unsigned i = 0; i < w->count; i++)
        if (w->each[i].started)
            pthread_join(w->each[i].thread, NULL);
    for (unsigned i = 0; i < w->count; i++) {
        stn_decoder_free(w->each[i].decoder);
        stn_buf_fini(&w->each[i].entry);
    }
    stn_queued *q;
    while ((q = stn_queue_pop(&w->queue)))
        stn_job_free(JOB_OF(q));
    stn_queue_fini(&w->queue);
    stn_watch_free(w->watch);
    if (w->results)
        stn_inbox_free(w->results, drop_result, NULL);
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

bool stn_workers_give(stn_workers *w, stn_job *job)
{
    pthread_mutex_lock(&w->lock);
    bool good = stn_queue_push(&w->queue, &job->q);
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    return good;
}

void stn_workers_report(stn_workers *w, stn_workers_figures *out)
{
    pthread_mutex_lock(&w->lock);
    *out = (stn_workers_figures){.waiting = w->queue.len, .running = w->running, .count = w->count};
    pthread_mutex_unlock(&w->lock);
    out->jobs = atomic_load(&w->jobs);
    out->stores = atomic_load(&w->stores);
    out->store_failures = atomic_load(&w->store_failures);
    out->decoded_bytes = atomic_load(&w->decoded_bytes);
    for (unsigned i = 0; i < w->count; i++)
        out->restarts += stn_decoder_restarts(w->each[i].decoder);
}

int stn_workers_child(const stn_workers *w, unsigned i)
{
    return i < w->count ? stn_decoder_pid(w->each[i].decoder) : 0;
}
