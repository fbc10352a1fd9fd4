#include "mesher/pool.h"

#include "base/clock.h"
#include "base/log.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define POOL_THREADS 64

struct stn_pool {
    pthread_mutex_t lock;
    pthread_cond_t work;
    stn_task *first; /* by priority */
    size_t waiting;
    atomic_bool stopping;
    bool idle;
    stn_blocks *blocks;
    stn_inbox *inbox;
    unsigned nthreads;
    pthread_t threads[POOL_THREADS];
    stn_scratch *scratch[POOL_THREADS];
    unsigned next_thread; /* hands out the scratches */
};

static bool before(const stn_task *a, const stn_task *b)
{
    if ((a->kind == STN_TASK_AHEAD) != (b->kind == STN_TASK_AHEAD))
        return b->kind == STN_TASK_AHEAD;
    return a->priority > b->priority;
}

void stn_pool_give(stn_pool *p, stn_task *t)
{
    pthread_mutex_lock(&p->lock);
    stn_task **at = &p->first;
    while (*at && !before(t, *at))
        at = &(*at)->next;
    t->next = *at;
    *at = t;
    p->waiting += t->kind != STN_TASK_AHEAD;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}

size_t stn_pool_waiting(stn_pool *p)
{
    pthread_mutex_lock(&p->lock);
    size_t n = p->waiting;
    pthread_mutex_unlock(&p->lock);
    return n;
}

/* The next task, or NULL when the pool stops, or when there is none and the caller does not want to wait. An
 * AHEAD task takes as long as nothing else comes: it counts as none then. */
static stn_task *take(stn_pool *p, bool wait)
{
    pthread_mutex_lock(&p->lock);
    while (wait && !p->first && !atomic_load(&p->stopping)) {
        /* A lost wake-up would cost a second, not the pool. */
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += 1;
        pthread_cond_timedwait(&p->work, &p->lock, &until);
    }
    stn_task *t = p->first;
    if (t && !wait && t->kind == STN_TASK_AHEAD)
        t = NULL;
    if (t) {
        p->first = t->next;
        p->waiting -= t->kind != STN_TASK_AHEAD;
    }
    pthread_mutex_unlock(&p->lock);
    return t;
}

static bool others_wait(void *arg)
{
    return stn_pool_waiting(arg) > 0;
}

static void run(stn_pool *p, stn_scratch *scratch, stn_task *t)
{
    int64_t start = stn_clock_ns();

    t->wait_ns = start - t->given_ns;
    if (atomic_load(&t->cancelled) || atomic_load(&p->stopping))
        t->status = stn_fail(&t->err, STN_CANCELLED, "cancelled");
    else if (t->deadline_ns && start > t->deadline_ns)
        t->status = stn_fail(&t->err, STN_TIMEOUT, "the lease ran out before the build began");
    else
        stn_task_run(t, scratch, p->blocks, others_wait, p);
    t->build_ns = stn_clock_ns() - start;
}

/* What a thread has finished and not given back yet. */
typedef struct group {
    stn_inbox_link *oldest, **end;
    int64_t since_ns; /* when the oldest was finished */
} group;

static void keep(group *g, stn_task *t)
{
    if (!g->oldest) {
        g->end = &g->oldest;
        g->since_ns = stn_clock_ns();
    }
    t->link.next = NULL;
    *g->end = &t->link;
    g->end = &t->link.next;
}

static void give_back(stn_pool *p, group *g)
{
    /* The inbox holds all tasks there can be, so this ends; were it full, the reactor is what has to catch
     * up. */
    while (stn_inbox_give_list(p->inbox, g->oldest) == STN_BUSY)
        stn_sleep_ns(STN_MS);
    g->oldest = NULL;
}

static void *thread_main(void *arg)
{
    stn_pool *p = arg;
    group kept = {0};
    stn_task *t;

    pthread_mutex_lock(&p->lock);
    stn_scratch *scratch = p->scratch[p->next_thread++];
    pthread_mutex_unlock(&p->lock);
    if (p->idle) {
        const struct sched_param none = {0};
        if (sched_setscheduler(0, SCHED_IDLE, &none) != 0)
            stn_log_warn("build threads stay at the usual priority: the system refused the idle class");
    }
    for (;;) {
        if (!(t = take(p, !kept.oldest))) {
            if (!kept.oldest)
                return NULL;
            give_back(p, &kept);
            continue;
        }
        run(p, scratch, t);
        keep(&kept, t);
        if (stn_clock_ns() - kept.since_ns + t->build_ns > STN_POOL_GROUP_NS)
            give_back(p, &kept);
    }
}

stn_status stn_pool_new(unsigned threads, bool idle, stn_blocks *blocks, stn_inbox *inbox, stn_pool **out,
                        stn_err *err)
{
    pthread_condattr_t attr;
    stn_pool *p = calloc(1, sizeof *p);

    *out = NULL;
    if (!p)
        return stn_fail(err, STN_NO_MEMORY, "build threads");
    if (threads < 1 || threads > POOL_THREADS) {
        free(p);
        return stn_fail(err, STN_USAGE, "%u build threads: expected 1 to %d", threads, POOL_THREADS);
    }
    p->idle = idle;
    p->blocks = blocks;
    p->inbox = inbox;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&p->work, &attr);
    pthread_condattr_destroy(&attr);
    for (unsigned i = 0; i < threads; i++) {
        if (!(p->scratch[i] = stn_scratch_new(0)) ||
            pthread_create(&p->threads[i], NULL, thread_main, p) != 0) {
            stn_scratch_free(p->scratch[i]);
            p->scratch[i] = NULL;
            stn_pool_free(p);
            return stn_fail(err, STN_NO_MEMORY, "build thread %u of %u cannot be made", i + 1, threads);
        }
        p->nthreads++;
    }
    *out = p;
    return STN_OK;
}

void stn_pool_free(stn_pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->stopping, true);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->nthreads; i++)
        pthread_join(p->threads[i], NULL);
    for (unsigned i = 0; i < p->nthreads; i++)
        stn_scratch_free(p->scratch[i]);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
