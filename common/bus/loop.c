#include "bus/loop.h"

#include "base/clock.h"
#include "base/hash.h"
#include "bus/loop_internal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <zmq.h>

#define INPUT_TYPES 64u
/* Less than this is ordinary scheduling, not a machine that slept or a process that was stopped. */
#define JUMP_NS (500 * STN_MS)
/* The longest wait, so that a jump of the clocks is seen even when nothing happens. */
#define LONGEST_WAIT_NS STN_S

struct stn_watch {
    stn_loop *loop;
    void *socket; /* ZeroMQ, with its descriptor in fd; or NULL */
    int fd;
    bool unsure; /* a socket: something was done with it since it was last asked */
    bool readable; /* a socket, in this turn */
    unsigned events;
    stn_fd_fn fn;
    stn_inbox *inbox;
    stn_inbox_fn inbox_fn;
    void *ctx;
    bool dead; /* removed while a turn runs: freed at its end */
};

struct stn_timer {
    stn_loop *loop;
    const char *name;
    stn_timer_fn fn;
    void *ctx;
    uint32_t number;
    int64_t due_ns;
    size_t heap_at; /* NOT_SET when not in the heap */
    size_t ready_at; /* NOT_SET when not about to fire in this turn */
};
#define NOT_SET SIZE_MAX

struct input_type {
    const char *name;
    bool secret;
    stn_input_fn fn;
    void *ctx;
};

struct stn_loop {
    stn_turn turn;
    bool started, in_turn;
    atomic_bool stop;
    int wake_fd;
    int signal_fd;
    sigset_t signals;
    int64_t last_boot_ns, last_now_ns, last_wait_ns;

    stn_watch **watches;
    struct pollfd *items; /* of the watches, then wake_fd and signal_fd */
    size_t n_watches, cap_watches;
    bool any_dead;

    stn_timer **heap;
    size_t n_heap, n_timers, cap_timers;
    stn_timer **ready;
    size_t n_ready;
    uint32_t next_timer;

    struct input_type inputs[INPUT_TYPES];
    stn_edge_fn observer;
    void *observer_ctx;
};

/* --- making and stopping --- */

stn_status stn_loop_new(stn_loop **out, stn_err *err)
{
    stn_loop *l = calloc(1, sizeof *l);

    *out = NULL;
    if (!l)
        return stn_fail(err, STN_NO_MEMORY, "event loop");
    l->signal_fd = -1;
    l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->wake_fd < 0) {
        free(l);
        return stn_fail(err, STN_IO, "event loop: eventfd: %s", strerror(errno));
    }
    l->turn.chance[0] = stn_random_u64();
    l->turn.chance[1] = stn_random_u64();
    l->turn.now_ns = stn_clock_ns();
    l->turn.wall_ns = stn_clock_wall_ns();
    *out = l;
    return STN_OK;
}

void stn_loop_free(stn_loop *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n_watches; i++)
        free(l->watches[i]);
    free(l->watches);
    free(l->items);
    free(l->heap);
    free(l->ready);
    if (l->signal_fd >= 0)
        close(l->signal_fd);
    close(l->wake_fd);
    free(l);
}

stn_status stn_loop_stop_on_signals(stn_loop *l, stn_err *err)
{
    sigemptyset(&l->signals);
    sigaddset(&l->signals, SIGTERM);
    sigaddset(&l->signals, SIGINT);
    if (pthread_sigmask(SIG_BLOCK, &l->signals, NULL) != 0)
        return stn_fail(err, STN_IO, "signals cannot be blocked");
    l->signal_fd = signalfd(-1, &l->signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (l->signal_fd < 0)
        return stn_fail(err, STN_IO, "signalfd: %s", strerror(errno));
    return STN_OK;
}

void stn_loop_stop(stn_loop *l)
{
    atomic_store(&l->stop, true);
    eventfd_write(l->wake_fd, 1);
}

bool stn_loop_stopping(const stn_loop *l)
{
    return atomic_load(&l->stop);
}

const stn_turn *stn_loop_now(const stn_loop *l)
{
    return &l->turn;
}

/* xoroshiro128+ (Blackman and Vigna): small state that a capture can hold. */
uint64_t stn_turn_random(stn_loop *l)
{
    uint64_t a = l->turn.chance[0], b = l->turn.chance[1], result = a + b;

    b ^= a;
    l->turn.chance[0] = ((a << 24) | (a >> 40)) ^ b ^ (b << 16);
    l->turn.chance[1] = (b << 37) | (b >> 27);
    return result;
}

void stn_loop_set_chance(stn_loop *l, const uint64_t state[2])
{
    l->turn.chance[0] = state[0];
    l->turn.chance[1] = state[1] != 0 || state[0] != 0 ? state[1] : 1;
}

/* --- watches --- */

static void set_item(stn_loop *l, size_t i)
{
    stn_watch *w = l->watches[i];
    short events = 0;

    if (w->events & STN_FD_READ)
        events |= POLLIN;
    if (w->events & STN_FD_WRITE)
        events |= POLLOUT;
    /* Errors are told unasked; a dead one's descriptor may be closed already. */
    l->items[i] = (struct pollfd){.fd = w->dead ? -1 : w->fd, .events = events};
}

static stn_status add_watch(stn_loop *l, stn_watch *w, stn_watch **out, stn_err *err)
{
    stn_watch *copy = malloc(sizeof *copy);

    *out = NULL;
    if (l->n_watches == l->cap_watches) {
        size_t cap = l->cap_watches ? 2 * l->cap_watches : 16;
        stn_watch **watches = realloc(l->watches, cap * sizeof *watches);
        struct pollfd *items;

        if (watches)
            l->watches = watches;
        items = realloc(l->items, (cap + 2) * sizeof *items);
        if (items)
            l->items = items;
        if (!watches || !items) {
            free(copy);
            return stn_fail(err, STN_NO_MEMORY, "event loop: %zu watches", cap);
        }
        l->cap_watches = cap;
    }
    if (!copy)
        return stn_fail(err, STN_NO_MEMORY, "event loop: watch");
    *copy = *w;
    copy->loop = l;
    l->watches[l->n_watches] = copy;
    set_item(l, l->n_watches++);
    *out = copy;
    return STN_OK;
}

stn_status stn_loop_watch_fd(stn_loop *l, int fd, unsigned events, stn_fd_fn fn, void *ctx, stn_watch **out,
                             stn_err *err)
{
    return add_watch(l, &(stn_watch){.fd = fd, .events = events, .fn = fn, .ctx = ctx}, out, err);
}

stn_status stn_loop_watch_socket(stn_loop *l, void *socket, stn_fd_fn fn, void *ctx, stn_watch **out,
                                 stn_err *err)
{
    stn_watch w = {.socket = socket, .unsure = true, .events = STN_FD_READ, .fn = fn, .ctx = ctx};
    size_t len = sizeof w.fd;

    *out = NULL;
    if (zmq_getsockopt(socket, ZMQ_FD, &w.fd, &len) != 0)
        return stn_fail(err, STN_IO, "event loop: a socket's descriptor: %s", zmq_strerror(errno));
    return add_watch(l, &w, out, err);
}

void stn_watch_used(stn_watch *w)
{
    if (w)
        w->unsure = true;
}

void stn_watch_drained(stn_watch *w)
{
    if (w)
        w->unsure = false;
}

/* A socket's descriptor only says that something came for it to work on, and only once: whatever is done with
 * the socket may take the notice away. So the socket itself is asked, but no more often than that: each
 * question costs two calls of the kernel, and asking all of them after every wait, as zmq_poll() does, was
 * most of what a busy process's loop did. */
static bool socket_readable(stn_watch *w)
{
    int events = 0;
    size_t len = sizeof events;

    w->unsure = zmq_getsockopt(w->socket, ZMQ_EVENTS, &events, &len) != 0;
    return !w->unsure && (events & ZMQ_POLLIN);
}

stn_status stn_loop_watch_inbox(stn_loop *l, stn_inbox *inbox, stn_inbox_fn fn, void *ctx, stn_watch **out,
                                stn_err *err)
{
    stn_watch w = {
        .fd = stn_inbox_fd(inbox), .events = STN_FD_READ, .inbox = inbox, .inbox_fn = fn, .ctx = ctx};
    return add_watch(l, &w, out, err);
}

void stn_watch_set_events(stn_watch *w, unsigned events)
{
    w->events = events;
    for (size_t i = 0; i < w->loop->n_watches; i++)
        if (w->loop->watches[i] == w)
            set_item(w->loop, i);
}

static void sweep(stn_loop *l)
{
    size_t kept = 0;

    if (!l->any_dead)
        return;
    for (size_t i = 0; i < l->n_watches; i++) {
        if (l->watches[i]->dead)
            free(l->watches[i]);
        else
            l->watches[kept++] = l->watches[i];
    }
    l->n_watches = kept;
    for (size_t i = 0; i < kept; i++)
        set_item(l, i);
    l->any_dead = false;
}

void stn_watch_free(stn_watch *w)
{
    if (!w)
        return;
    w->dead = true;
    w->loop->any_dead = true;
    if (!w->loop->in_turn)
        sweep(w->loop);
}

/* --- timers --- */

static bool earlier(const stn_timer *a, const stn_timer *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->number < b->number;
}

static void place(stn_loop *l, size_t at, stn_timer *t)
{
    l->heap[at] = t;
    t->heap_at = at;
}

static void sift_up(stn_loop *l, size_t at, stn_timer *t)
{
    while (at > 0 && earlier(t, l->heap[(at - 1) / 2])) {
        place(l, at, l->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    place(l, at, t);
}

static void sift_down(stn_loop *l, size_t at, stn_timer *t)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= l->n_heap)
            break;
        if (child + 1 < l->n_heap && earlier(l->heap[child + 1], l->heap[child]))
            child++;
        if (!earlier(l->heap[child], t))
            break;
        place(l, at, l->heap[child]);
        at = child;
    }
    place(l, at, t);
}

stn_timer *stn_timer_new(stn_loop *l, const char *name, stn_timer_fn fn, void *ctx)
{
    stn_timer *t = malloc(sizeof *t);

    /* Both lists have room for every timer, so setting one never fails. */
    if (l->n_timers == l->cap_timers) {
        size_t cap = l->cap_timers ? 2 * l->cap_timers : 16;
        stn_timer **heap = realloc(l->heap, cap * sizeof *heap), **ready;

        if (heap)
            l->heap = heap;
        ready = realloc(l->ready, cap * sizeof *ready);
        if (ready)
            l->ready = ready;
        if (!heap || !ready) {
            free(t);
            return NULL;
        }
        l->cap_timers = cap;
    }
    if (!t)
        return NULL;
    *t = (stn_timer){.loop = l, .name = name, .fn = fn, .ctx = ctx, .heap_at = NOT_SET, .ready_at = NOT_SET};
    t->number = ++l->next_timer;
    l->n_timers++;
    return t;
}

void stn_timer_stop(stn_timer *t)
{
    stn_loop *l = t->loop;

    if (t->ready_at != NOT_SET) {
        l->ready[t->ready_at] = NULL;
        t->ready_at = NOT_SET;
    }
    if (t->heap_at != NOT_SET) {
        size_t at = t->heap_at;
        stn_timer *last = l->heap[--l->n_heap];
        t->heap_at = NOT_SET;
        if (last != t) {
            if (at > 0 && earlier(last, l->heap[(at - 1) / 2]))
                sift_up(l, at, last);
            else
                sift_down(l, at, last);
        }
    }
}

void stn_timer_free(stn_timer *t)
{
    if (!t)
        return;
    stn_timer_stop(t);
    t->loop->n_timers--;
    free(t);
}

void stn_timer_at(stn_timer *t, int64_t due_ns)
{
    stn_timer_stop(t);
    t->due_ns = due_ns;
    sift_up(t->loop, t->loop->n_heap++, t);
}

void stn_timer_in(stn_timer *t, int64_t wait_ns)
{
    /* Between turns (set-up code) the last turn may be long ago. */
    stn_timer_at(t, (t->loop->in_turn ? t->loop->turn.now_ns : stn_clock_ns()) + wait_ns);
}

bool stn_timer_is_set(const stn_timer *t)
{
    return t->heap_at != NOT_SET || t->ready_at != NOT_SET;
}

int64_t stn_timer_due(const stn_timer *t)
{
    return t->due_ns;
}

static void fire_timers(stn_loop *l)
{
    /* Taken out first: a timer that is set again in this turn fires in a later one. */
    l->n_ready = 0;
    while (l->n_heap > 0 && l->heap[0]->due_ns <= l->turn.now_ns) {
        stn_timer *t = l->heap[0];
        stn_timer_stop(t);
        t->ready_at = l->n_ready;
        l->ready[l->n_ready++] = t;
    }
    for (size_t i = 0; i < l->n_ready; i++) {
        stn_timer *t = l->ready[i];
        if (!t)
            continue;
        t->ready_at = NOT_SET;
        if (l->observer)
            l->observer(l->observer_ctx, &l->turn,
                        &(stn_edge){.what = STENNESS__TAP_TYPE__TAP_TIMER, .id = t->number, .name = t->name});
        t->fn(t->ctx, &l->turn, t);
    }
    l->n_ready = 0;
}

/* --- turns --- */

static void take_signal(stn_loop *l)
{
    struct signalfd_siginfo info;

    while (read(l->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        atomic_store(&l->stop, true);
    /* A person who asks twice does not want to wait for what we still have to say: the next signal kills. */
    if (atomic_load(&l->stop))
        pthread_sigmask(SIG_UNBLOCK, &l->signals, NULL);
}

static void begin_turn(stn_loop *l)
{
    int64_t now = stn_clock_ns(), boot = stn_clock_boot_ns();

    l->turn.slept_ns = l->turn.stalled_ns = 0;
    if (l->started) {
        int64_t passed = now - l->last_now_ns, late = passed - l->last_wait_ns;
        int64_t slept = boot - l->last_boot_ns - passed;
        if (slept > JUMP_NS)
            l->turn.slept_ns = slept;
        if (late > JUMP_NS)
            l->turn.stalled_ns = late;
    }
    l->started = true;
    l->last_now_ns = now;
    l->last_boot_ns = boot;
    l->turn.number++;
    l->turn.now_ns = now;
    l->turn.wall_ns = stn_clock_wall_ns();
}

static void run_watch(stn_loop *l, stn_watch *w, short revents)
{
    unsigned ready = 0;

    if (w->inbox) {
        for (stn_inbox_link *item = stn_inbox_take(w->inbox), *next; item; item = next) {
            next = item->next;
            w->inbox_fn(w->ctx, &l->turn, item);
        }
        return;
    }
    if (w->socket) {
        w->unsure = true; /* unless fn says better */
        w->fn(w->ctx, &l->turn, -1, STN_FD_READ);
        return;
    }
    if (revents & POLLIN)
        ready |= STN_FD_READ;
    if (revents & POLLOUT)
        ready |= STN_FD_WRITE;
    if (revents & ~(POLLIN | POLLOUT))
        ready |= STN_FD_ERROR;
    w->fn(w->ctx, &l->turn, w->fd, ready);
}

/* Waits until something is to do. The result is poll()'s. */
static int wait_for_work(stn_loop *l, size_t n, size_t extra, int64_t wait)
{
    bool any = false;
    int rc;

    for (size_t i = 0; i < n; i++) {
        stn_watch *w = l->watches[i];
        w->readable = w->socket && w->unsure && socket_readable(w);
        any |= w->readable;
    }
    /* Rounded up: waking a fraction of a millisecond early would only spin. */
    rc = poll(l->items, (nfds_t)(n + extra), any ? 0 : (int)((wait + STN_MS - 1) / STN_MS));
    for (size_t i = 0; rc > 0 && i < n; i++) {
        stn_watch *w = l->watches[i];
        if (w->socket && l->items[i].revents && !w->readable)
            w->readable = socket_readable(w);
    }
    return rc;
}

stn_status stn_loop_turn(stn_loop *l, int64_t max_wait_ns, stn_err *err)
{
    size_t n = l->n_watches;
    int64_t wait = max_wait_ns < 0 || max_wait_ns > LONGEST_WAIT_NS ? LONGEST_WAIT_NS : max_wait_ns;
    eventfd_t ignored;
    size_t extra = 1;
    int rc;

    if (l->n_heap > 0) {
        int64_t until = l->heap[0]->due_ns - stn_clock_ns();
        if (until < wait)
            wait = until > 0 ? until : 0;
    }
    if (atomic_load(&l->stop))
        wait = 0;
    l->last_wait_ns = wait;
    if (!l->items && !(l->items = malloc(2 * sizeof *l->items)))
        return stn_fail(err, STN_NO_MEMORY, "event loop");
    l->items[n] = (struct pollfd){.fd = l->wake_fd, .events = POLLIN};
    if (l->signal_fd >= 0)
        l->items[n + extra++] = (struct pollfd){.fd = l->signal_fd, .events = POLLIN};
    rc = wait_for_work(l, n, extra, wait);
    if (rc < 0 && errno != EINTR)
        return stn_fail(err, STN_IO, "event loop: poll: %s", strerror(errno));
    begin_turn(l);
    l->in_turn = true;
    if (rc > 0 && extra == 2 && l->items[n + 1].revents)
        take_signal(l);
    if (rc > 0 && l->items[n].revents)
        eventfd_read(l->wake_fd, &ignored);
    fire_timers(l);
    /* Watches added in this turn are behind n and wait for the next poll; the arrays may have moved
     * meanwhile. */
    for (size_t i = 0; i < n; i++) {
        stn_watch *w = l->watches[i];
        short revents = rc > 0 ? l->items[i].revents : 0;
        if (!w->dead && (w->socket ? w->readable : revents != 0))
            run_watch(l, w, revents);
    }
    l->in_turn = false;
    sweep(l);
    return STN_OK;
}

stn_status stn_loop_run(stn_loop *l, stn_err *err)
{
    while (!atomic_load(&l->stop)) {
        stn_status st = stn_loop_turn(l, -1, err);
        if (st != STN_OK)
            return st;
    }
    return STN_OK;
}

/* --- typed inputs --- */

void stn_loop_observe(stn_loop *l, stn_edge_fn fn, void *ctx)
{
    l->observer = fn;
    l->observer_ctx = ctx;
}

stn_status stn_loop_on_input(stn_loop *l, uint32_t type, const char *name, bool secret, stn_input_fn fn,
                             void *ctx, stn_err *err)
{
    if (type == 0 || type >= INPUT_TYPES)
        return stn_fail(err, STN_USAGE, "input type %u, expected 1 to %u", type, INPUT_TYPES - 1);
    l->inputs[type] = (struct input_type){.name = name, .secret = secret, .fn = fn, .ctx = ctx};
    return STN_OK;
}

static void observe(stn_loop *l, Stenness__TapType what, const stn_input *in)
{
    const struct input_type *t = &l->inputs[in->type];
    stn_edge edge = {.what = what,
                     .id = in->type,
                     .source = in->source,
                     .name = t->name,
                     .data = in->data,
                     .len = in->len,
                     .secret = t->secret};
    l->observer(l->observer_ctx, &l->turn, &edge);
}

void stn_loop_feed(stn_loop *l, const stn_input *in)
{
    if (in->type == 0 || in->type >= INPUT_TYPES || !l->inputs[in->type].fn)
        return;
    if (l->observer)
        observe(l, STENNESS__TAP_TYPE__TAP_INPUT, in);
    l->inputs[in->type].fn(l->inputs[in->type].ctx, &l->turn, in);
}

void stn_loop_record_output(stn_loop *l, const stn_input *out)
{
    if (l->observer && out->type != 0 && out->type < INPUT_TYPES)
        observe(l, STENNESS__TAP_TYPE__TAP_OUTPUT, out);
}
