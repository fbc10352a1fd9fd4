#include "renderer/scene/handler.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct stn_canvas_turn {
    stn_frame_handler *of;
    stn_canvas canvas;
    bool opened;
    uint32_t frame; /* it draws in */
    atomic_bool drawing;
};

typedef struct updater {
    stn_updater is;
    bool opened;
} updater;

struct stn_frame_handler {
    int64_t wait_ns, last_ns;
    updater updaters[STN_UPDATERS_MAX];
    stn_canvas_turn canvases[STN_CANVASES_MAX];
    unsigned n_updaters, n_canvases;
    /* The latch: the frame's number above, how many canvases draw in it below. In one word, so that a canvas
     * of an earlier frame, which nobody waits for any more, cannot count it down. */
    _Atomic uint64_t latch;
    bool has_wait; /* the two below are there */
    pthread_mutex_t lock;
    pthread_cond_t open;
    stn_frame_handler_counts counts;
};

stn_frame_handler *stn_frame_handler_new(int64_t wait_ns)
{
    stn_frame_handler *h = calloc(1, sizeof *h);
    pthread_condattr_t attr;

    if (!h)
        return NULL;
    h->wait_ns = wait_ns;
    if (wait_ns <= 0)
        return h;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    h->has_wait = pthread_mutex_init(&h->lock, NULL) == 0;
    if (h->has_wait && pthread_cond_init(&h->open, &attr) != 0) {
        pthread_mutex_destroy(&h->lock);
        h->has_wait = false;
    }
    pthread_condattr_destroy(&attr);
    if (!h->has_wait) {
        free(h);
        return NULL;
    }
    return h;
}

void stn_frame_handler_free(stn_frame_handler *h)
{
    if (!h)
        return;
    if (h->has_wait) {
        pthread_cond_destroy(&h->open);
        pthread_mutex_destroy(&h->lock);
    }
    free(h);
}

stn_status stn_frame_handler_add_updater(stn_frame_handler *h, const stn_updater *u, stn_err *err)
{
    for (unsigned i = 0; i < h->n_updaters; i++)
        if (h->updaters[i].is.update == u->update && h->updaters[i].is.arg == u->arg)
            return STN_OK;
    if (h->n_updaters == STN_UPDATERS_MAX)
        return stn_fail(err, STN_TOO_BIG, "frame handler: at most %d updaters", STN_UPDATERS_MAX);
    h->updaters[h->n_updaters++] = (updater){.is = *u};
    return STN_OK;
}

stn_status stn_frame_handler_add_canvas(stn_frame_handler *h, const stn_canvas *c, stn_err *err)
{
    for (unsigned i = 0; i < h->n_canvases; i++)
        if (h->canvases[i].canvas.draw == c->draw && h->canvases[i].canvas.arg == c->arg)
            return STN_OK;
    if (h->n_canvases == STN_CANVASES_MAX)
        return stn_fail(err, STN_TOO_BIG, "frame handler: at most %d canvases", STN_CANVASES_MAX);
    stn_canvas_turn *turn = &h->canvases[h->n_canvases++];
    turn->of = h;
    turn->canvas = *c;
    return STN_OK;
}

static uint32_t left(const stn_frame_handler *h)
{
    return (uint32_t)atomic_load(&h->latch);
}

void stn_canvas_done(stn_canvas_turn *turn)
{
    if (!turn || !atomic_load(&turn->drawing))
        return;
    stn_frame_handler *h = turn->of;
    const uint32_t frame = turn->frame;
    uint64_t latch = atomic_load(&h->latch);
    bool counted = false;

    /* From here on the handler may have it draw again. */
    atomic_store(&turn->drawing, false);
    while (!counted && (uint32_t)(latch >> 32) == frame && (uint32_t)latch > 0)
        counted = atomic_compare_exchange_weak(&h->latch, &latch, latch - 1);
    if (counted && h->has_wait && (uint32_t)latch == 1) {
        pthread_mutex_lock(&h->lock);
        pthread_cond_signal(&h->open);
        pthread_mutex_unlock(&h->lock);
    }
}

static void wait_for_latch(stn_frame_handler *h)
{
    const int64_t end = stn_clock_ns() + h->wait_ns;
    const struct timespec until = {.tv_sec = end / STN_S, .tv_nsec = end % STN_S};
    int r = 0;

    pthread_mutex_lock(&h->lock);
    while (left(h) > 0 && r != ETIMEDOUT)
        r = pthread_cond_timedwait(&h->open, &h->lock, &until);
    pthread_mutex_unlock(&h->lock);
}

static void update(stn_frame_handler *h, double seconds)
{
    const unsigned n = h->n_updaters;

    for (unsigned i = 0; i < n; i++) {
        updater *u = &h->updaters[i];
        if (!u->opened && u->is.init)
            u->is.init(u->is.arg);
        u->opened = true;
        u->is.update(u->is.arg, seconds);
    }
}

static void draw(stn_frame_handler *h, unsigned n)
{
    const uint32_t frame = (uint32_t)h->counts.frames;
    stn_canvas_turn *free_ones[STN_CANVASES_MAX];
    unsigned n_free = 0;

    for (unsigned i = 0; i < n; i++) {
        if (atomic_load(&h->canvases[i].drawing))
            h->counts.skipped++;
        else
            free_ones[n_free++] = &h->canvases[i];
    }
    atomic_store(&h->latch, (uint64_t)frame << 32 | n_free);
    for (unsigned i = 0; i < n_free; i++) {
        stn_canvas_turn *t = free_ones[i];
        t->frame = frame;
        atomic_store(&t->drawing, true);
        if (!t->opened && t->canvas.init)
            t->canvas.init(t->canvas.arg);
        t->opened = true;
        t->canvas.draw(t->canvas.arg, t);
    }
}

void stn_frame_handler_frame(stn_frame_handler *h, int64_t now_ns)
{
    const double seconds = h->last_ns ? (double)(now_ns - h->last_ns) / 1e9 : 0.0;

    h->last_ns = now_ns;
    h->counts.frames++;
    const unsigned canvases = h->n_canvases; /* what an updater adds draws in the next frame */
    update(h, seconds);
    draw(h, canvases);
    if (left(h) > 0 && h->has_wait)
        wait_for_latch(h);
    if (left(h) > 0) {
        h->counts.late++;
        if (h->has_wait)
            stn_log_warn("%u of %u canvases have not drawn within %.1f s: the frame goes on without them",
                         left(h), canvases, (double)h->wait_ns / 1e9);
    }
}

stn_frame_handler_counts stn_frame_handler_get(const stn_frame_handler *h)
{
    return h->counts;
}
