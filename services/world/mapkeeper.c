#include "world/mapkeeper.h"

#include "base/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_MS 500 /* shorter than a tool waits: jobs are tried again, and an end must not wait long */
#define LAST_NS (600 * STN_MS)

struct stn_mapkeeper {
    char *path;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t some;
    stn_map_job *queue[STN_MAPKEEPER_JOBS]; /* ring */
    size_t first, waiting;
    bool stop;
    int64_t stop_ns;
    /* The thread's own. */
    stn_mapstore *store;
    stn_err broken; /* for good */
    stn_inbox *back;
    /* The loop's own. */
    stn_watch *watch;
    size_t out;
    stn_map_done_fn done;
    void *arg;
};

void stn_map_job_free(stn_map_job *job)
{
    if (!job)
        return;
    for (size_t i = 0; i < STN_MAP_JOB_GRIDS; i++) {
        stn_record_free(job->seen[i].record);
        free(job->seen[i].norepl);
    }
    for (size_t i = 0; i < STN_MAP_JOB_PLACES; i++)
        stn_record_free(job->found[i].record);
    free(job);
}

/* ---- the thread */

static stn_status open_store(stn_mapkeeper *k, stn_err *err)
{
    stn_status st;

    if (k->store)
        return STN_OK;
    if (k->broken.code == STN_OK) {
        st = stn_mapstore_open(k->path, BUSY_MS, &k->store, err);
        if (st == STN_BAD_DATA || st == STN_VERSION || st == STN_TRUNCATED)
            k->broken = *err;
        return st;
    }
    *err = k->broken;
    return err->code;
}

static void work(stn_mapkeeper *k, stn_map_job *job)
{
    stn_status st = open_store(k, &job->err);

    if (st == STN_OK && job->kind == STN_MAP_RECORD)
        st = stn_mapstore_record(k->store, job->seen, job->n, &job->err);
    else if (st == STN_OK && job->kind == STN_MAP_RECALL)
        st = stn_mapstore_recall(k->store, job->anchor, job->wanted, job->n, job->found, &job->err);
    if (st == STN_OK)
        stn_err_clear(&job->err);
    else if (k->store && st == STN_BAD_DATA) {
        k->broken = job->err;
        stn_mapstore_free(k->store);
        k->store = NULL;
    }
}

/* The next job; NULL at the end. */
static stn_map_job *next(stn_mapkeeper *k)
{
    stn_map_job *job = NULL;

    pthread_mutex_lock(&k->lock);
    while (!k->waiting && !k->stop)
        pthread_cond_wait(&k->some, &k->lock);
    if (k->waiting) {
        job = k->queue[k->first];
        k->first = (k->first + 1) % STN_MAPKEEPER_JOBS;
        k->waiting--;
    }
    if (job && k->stop && (job->kind != STN_MAP_RECORD || stn_clock_ns() > k->stop_ns)) {
        pthread_mutex_unlock(&k->lock);
        stn_map_job_free(job);
        return next(k);
    }
    pthread_mutex_unlock(&k->lock);
    return job;
}

static void *keep(void *arg)
{
    stn_mapkeeper *k = arg;
    stn_map_job *job;

    /* A refusal costs smoothness alone. */
    (void)sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    while ((job = next(k)) != NULL) {
        work(k, job);
        /* There is room for every job that is out. */
        if (stn_inbox_give(k->back, &job->link) != STN_OK)
            stn_map_job_free(job);
    }
    stn_mapstore_free(k->store);
    return NULL;
}

/* ---- the loop's side */

static void on_back(void *ctx, const stn_turn *turn, stn_inbox_link *item)
{
    stn_mapkeeper *k = ctx;
    (void)turn;
    k->out--;
    k->done(k->arg, (stn_map_job *)item);
}

static void drop(void *ctx, stn_inbox_link *item)
{
    (void)ctx;
    stn_map_job_free((stn_map_job *)item);
}

stn_status stn_mapkeeper_new(stn_loop *loop, const char *path, stn_map_done_fn done, void *arg,
                             stn_mapkeeper **out, stn_err *err)
{
    stn_mapkeeper *k = calloc(1, sizeof *k);
    stn_map_job *open = calloc(1, sizeof *open);
    stn_status st = STN_OK;

    *out = NULL;
    if (!k || !open || !(k->path = strdup(path))) {
        free(k);
        free(open);
        return stn_fail(err, STN_NO_MEMORY, "recorded map");
    }
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->some, NULL);
    k->done = done;
    k->arg = arg;
    open->kind = STN_MAP_OPEN;
    if ((st = stn_mapkeeper_give(k, open)) != STN_OK)
        stn_map_job_free(open);
    if (st == STN_OK && (st = stn_inbox_new(STN_MAPKEEPER_JOBS, &k->back, err)) == STN_OK)
        st = stn_loop_watch_inbox(loop, k->back, on_back, k, &k->watch, err);
    if (st == STN_OK && pthread_create(&k->thread, NULL, keep, k) != 0)
        st = stn_fail(err, STN_IO, "no thread for the recorded map");
    k->started = st == STN_OK;
    if (st != STN_OK) {
        stn_mapkeeper_free(k);
        return st;
    }
    *out = k;
    return STN_OK;
}

void stn_mapkeeper_free(stn_mapkeeper *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&k->lock);
    k->stop = true;
    k->stop_ns = stn_clock_ns() + LAST_NS;
    pthread_cond_signal(&k->some);
    pthread_mutex_unlock(&k->lock);
    if (k->started)
        pthread_join(k->thread, NULL);
    for (size_t i = 0; i < k->waiting; i++)
        stn_map_job_free(k->queue[(k->first + i) % STN_MAPKEEPER_JOBS]);
    stn_watch_free(k->watch);
    if (k->back)
        stn_inbox_free(k->back, drop, NULL);
    pthread_cond_destroy(&k->some);
    pthread_mutex_destroy(&k->lock);
    free(k->path);
    free(k);
}

size_t stn_mapkeeper_room(const stn_mapkeeper *k)
{
    return STN_MAPKEEPER_JOBS - k->out;
}

stn_status stn_mapkeeper_give(stn_mapkeeper *k, stn_map_job *job)
{
    if (k->out == STN_MAPKEEPER_JOBS)
        return STN_BUSY;
    k->out++;
    pthread_mutex_lock(&k->lock);
    k->queue[(k->first + k->waiting++) % STN_MAPKEEPER_JOBS] = job;
    pthread_cond_signal(&k->some);
    pthread_mutex_unlock(&k->lock);
    return STN_OK;
}
