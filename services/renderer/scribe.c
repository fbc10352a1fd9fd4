#include "renderer/scribe.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "renderer/gl/picture.h"
#include "renderer/net/spsc.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIGURES_MOST (1u << 16)

struct stn_scribe {
    stn_net *net;
    stn_spsc *given, *done;
    sem_t some; /* posting it takes no lock */
    pthread_t thread;
    bool running;
    atomic_bool stop;
};

/* The path's folders and the file. */
static stn_status to_file(const char *path, const uint8_t *png, size_t len, stn_err *err)
{
    char folder[512];
    char *slash;
    stn_status st = STN_OK;

    snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (slash && slash != folder) {
        *slash = '\0';
        st = stn_file_mkdirs(folder, 0755, err);
    }
    return st == STN_OK ? stn_file_write(path, png, len, 0644, false, err) : st;
}

static stn_status encode(const stn_scribe_task *t, uint8_t **png, size_t *len, stn_err *err)
{
    size_t row = (size_t)t->width * 4, h = (size_t)t->height;
    uint8_t *upright = malloc(row * h);
    stn_status st;

    if (!upright)
        return stn_fail(err, STN_NO_MEMORY, "no memory for a picture of %dx%d", t->width, t->height);
    for (size_t y = 0; y < h; y++)
        memcpy(upright + y * row, t->rows + (h - 1 - y) * row, row);
    st = stn_picture_to_png(upright, t->width, t->height, 0, png, len, err);
    free(upright);
    return st;
}

static void picture(stn_scribe *s, stn_scribe_task *t)
{
    uint8_t *png = NULL;
    size_t len = 0;
    stn_err err = {0};

    if (t->rows && encode(t, &png, &len, &err) == STN_OK && t->path[0])
        to_file(t->path, png, len, &err);
    if (err.code)
        snprintf(t->text, sizeof t->text, "%s", err.text);
    if (t->asked)
        stn_net_answer_picture(s->net, &t->question, png, len, (uint32_t)t->width, (uint32_t)t->height,
                               t->cuts, t->entities, t->partial, t->text);
    else
        free(png);
}

static void figures(stn_scribe *s, const stn_scribe_task *t)
{
    stn_buf b = {.max = FIGURES_MOST};

    stn_frames_json(t->frames, t->now_ns, &b);
    stn_buf_u8(&b, 0);
    stn_net_answer_frames(s->net, &t->question, b.failed ? "{}" : (const char *)b.data);
    stn_buf_fini(&b);
}

static void *thread_main(void *arg)
{
    stn_scribe *s = arg;
    stn_scribe_task *t;

    for (;;) {
        struct timespec until;
        bool last = atomic_load(&s->stop);

        while ((t = stn_spsc_take(s->given)) != NULL) {
            if (t->kind == STN_SCRIBE_PICTURE)
                picture(s, t);
            else
                figures(s, t);
            stn_spsc_give(s->done, t); /* as long as the queue of what is given: there is room */
        }
        if (last)
            return NULL;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        while (sem_timedwait(&s->some, &until) != 0 && errno == EINTR)
            continue;
    }
}

stn_status stn_scribe_new(stn_net *net, stn_scribe **out, stn_err *err)
{
    stn_scribe *s = calloc(1, sizeof *s);
    struct sched_param p = {0};

    *out = NULL;
    if (!s)
        return stn_fail(err, STN_NO_MEMORY, "scribe");
    s->net = net;
    sem_init(&s->some, 0, 0);
    s->given = stn_spsc_new(STN_SCRIBE_TASKS);
    s->done = stn_spsc_new(STN_SCRIBE_TASKS);
    if (!s->given || !s->done) {
        stn_scribe_free(s);
        return stn_fail(err, STN_NO_MEMORY, "scribe");
    }
    s->running = pthread_create(&s->thread, NULL, thread_main, s) == 0;
    if (!s->running) {
        stn_scribe_free(s);
        return stn_fail(err, STN_IO, "no thread for writing pictures");
    }
    if (pthread_setschedparam(s->thread, SCHED_BATCH, &p) != 0)
        stn_log_info("the thread that writes pictures keeps its ordinary priority");
    *out = s;
    return STN_OK;
}

void stn_scribe_free(stn_scribe *s)
{
    if (!s)
        return;
    if (s->running) {
        atomic_store(&s->stop, true);
        sem_post(&s->some);
        pthread_join(s->thread, NULL);
    }
    stn_spsc_free(s->given);
    stn_spsc_free(s->done);
    sem_destroy(&s->some);
    free(s);
}

bool stn_scribe_give(stn_scribe *s, stn_scribe_task *task)
{
    /* What is done and not taken back counts too, or `done` could be full. */
    if (stn_spsc_count(s->given) + stn_spsc_count(s->done) + 1 >= STN_SCRIBE_TASKS ||
        !stn_spsc_give(s->given, task))
        return false;
    sem_post(&s->some);
    return true;
}

stn_scribe_task *stn_scribe_take(stn_scribe *s)
{
    return stn_spsc_take(s->done);
}
