/* loop.h - the one event loop of a service: sockets, files, timers, worker results, signals; in turns.
 *
 * A process advances in *turns*. A turn has one time stamp and one ordered list of inputs; handlers run one
 * after the other in the loop's thread, get the turn, never block, and read time and chance from the turn
 * alone. That is what makes a process replayable: the tap (tap.h) records turns at these edges.
 *
 * Order within a turn: signals, timers that are due (by due time, then number), sockets and fds in the order
 * they were added. Each source is drained in bounded portions, so that nobody starves. A loop belongs to one
 * thread; inbox.h is the way in from others. stn_loop_stop() may be called from any thread.
 */
#ifndef STN_BUS_LOOP_H
#define STN_BUS_LOOP_H

#include "base/err.h"
#include "bus/inbox.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_loop stn_loop;
typedef struct stn_watch stn_watch; /* of an fd or an inbox */
typedef struct stn_timer stn_timer;

typedef struct stn_turn {
    uint64_t number; /* from 1 */
    int64_t now_ns; /* stn_clock_ns() at the start of the turn */
    int64_t wall_ns; /* since 1970 */
    int64_t slept_ns; /* > 0: the machine was suspended so long since the last turn */
    int64_t stalled_ns; /* > 0: this process did not run for so long although it was due (stopped, starved) */
    uint64_t chance[2]; /* state of stn_turn_random() */
} stn_turn;

stn_status stn_loop_new(stn_loop **out, stn_err *err);
void stn_loop_free(stn_loop *loop); /* watches and timers too; NULL is fine */

/* SIGTERM and SIGINT stop the loop (through a signalfd). Call before any thread is made: it blocks both
 * signals in the calling thread, and threads inherit that. A second signal while stopping ends the process at
 * once. */
stn_status stn_loop_stop_on_signals(stn_loop *loop, stn_err *err);
void stn_loop_stop(stn_loop *loop);
bool stn_loop_stopping(const stn_loop *loop);

/* Turns until stopped. */
stn_status stn_loop_run(stn_loop *loop, stn_err *err);
/* One turn, waiting at most max_wait_ns (negative: as long as needed) for something to do. For tests and
 * tools. */
stn_status stn_loop_turn(stn_loop *loop, int64_t max_wait_ns, stn_err *err);
/* The turn that runs now, or the last one. Borrowed, valid as long as the loop. */
const stn_turn *stn_loop_now(const stn_loop *loop);
/* Chance for logic: recorded through its seed. Not for keys. */
uint64_t stn_turn_random(stn_loop *loop);
/* Sets the state of chance: replay. */
void stn_loop_set_chance(stn_loop *loop, const uint64_t state[2]);

#define STN_FD_READ 1u
#define STN_FD_WRITE 2u
#define STN_FD_ERROR 4u
/* Level-triggered: fn runs in each turn while `ready` holds. It may remove its own watch or any other. */
typedef void (*stn_fd_fn)(void *ctx, const stn_turn *turn, int fd, unsigned ready);
stn_status stn_loop_watch_fd(stn_loop *loop, int fd, unsigned events, stn_fd_fn fn, void *ctx,
                             stn_watch **out, stn_err *err);
void stn_watch_set_events(stn_watch *watch, unsigned events);
void stn_watch_free(stn_watch *watch); /* the fd stays the caller's; NULL is fine */

/* fn gets each item, oldest first. */
typedef void (*stn_inbox_fn)(void *ctx, const stn_turn *turn, stn_inbox_link *item);
stn_status stn_loop_watch_inbox(stn_loop *loop, stn_inbox *inbox, stn_inbox_fn fn, void *ctx, stn_watch **out,
                                stn_err *err);

/* One-shot; set again to repeat. `name` is borrowed for the timer's life (captures show it). */
typedef void (*stn_timer_fn)(void *ctx, const stn_turn *turn, stn_timer *timer);
stn_timer *stn_timer_new(stn_loop *loop, const char *name, stn_timer_fn fn, void *ctx); /* NULL: no memory */
void stn_timer_free(stn_timer *timer);
void stn_timer_at(stn_timer *timer, int64_t due_ns);
void stn_timer_in(stn_timer *timer, int64_t wait_ns); /* from the turn's now */
void stn_timer_stop(stn_timer *timer);
bool stn_timer_is_set(const stn_timer *timer);
int64_t stn_timer_due(const stn_timer *timer);

/* Typed inputs that are no messages: datagrams after decryption, HTTP answers, disk reads, worker results. A
 * service registers one function for each type and hands everything that comes in at an edge to
 * stn_loop_feed(): it is recorded when the tap is on, then given to that function. Replay feeds the same
 * functions from a capture instead. */
typedef struct stn_input {
    uint32_t type; /* the service's own numbering, from 1 */
    uint32_t source; /* which of several (session, transfer, worker) */
    const uint8_t *data;
    size_t len;
} stn_input;
typedef void (*stn_input_fn)(void *ctx, const stn_turn *turn, const stn_input *in);
/* `secret`: the tap keeps its length and zeroes its bytes unless a redaction hook decides. At most 64 types.
 */
stn_status stn_loop_on_input(stn_loop *loop, uint32_t type, const char *name, bool secret, stn_input_fn fn,
                             void *ctx, stn_err *err);
void stn_loop_feed(stn_loop *loop, const stn_input *in);
/* What goes out at such an edge, recorded for comparison; does nothing else. */
void stn_loop_record_output(stn_loop *loop, const stn_input *out);

#endif
