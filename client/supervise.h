/* supervise.h - when to start, restart and end the pieces of an instance: a pure state machine.
 *
 * A piece that dies is started again at once the first time, then after waits that double from 0.1 to 5 s; a
 * life of 30 s clears its record. Five deaths in 30 s are a crash loop: shown, still retried every 5 s, and
 * the rest goes on. When the person ends the renderer (it exits with 0) or asks to stop, every piece gets
 * SIGTERM, and SIGKILL 1.5 s later. Time is monotonic nanoseconds and passed in; the shell around this forks,
 * signals and waits. Source: docs/design.md 1 (Life and death).
 */
#ifndef STN_CLIENT_SUPERVISE_H
#define STN_CLIENT_SUPERVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_supervise stn_supervise;

typedef enum stn_piece_state {
    STN_PIECE_DOWN, /* to be started */
    STN_PIECE_RUNNING,
    STN_PIECE_WAITING, /* died; starts again at its time */
    STN_PIECE_ENDED, /* will not start again */
} stn_piece_state;

typedef enum stn_step_kind {
    STN_STEP_WAIT, /* nothing before .at_ns (INT64_MAX: nothing until something happens) */
    STN_STEP_START, /* start piece .piece, then call stn_supervise_started() */
    STN_STEP_SIGNAL, /* send .signal to the group of piece .piece */
    STN_STEP_DONE, /* all ended: leave with .exit_status */
} stn_step_kind;

typedef struct stn_step {
    stn_step_kind kind;
    size_t piece;
    int signal;
    int64_t at_ns;
    int exit_status;
} stn_step;

typedef struct stn_piece_view {
    stn_piece_state state;
    unsigned deaths; /* all together */
    bool crash_loop;
    int64_t since_ns; /* when it entered this state */
    int64_t restart_ns; /* for WAITING */
    int last_status; /* wait(2) status of the last death */
} stn_piece_view;

/* `leader` is the piece whose exit with 0 ends all; SIZE_MAX = none. NULL when out of memory. */
stn_supervise *stn_supervise_new(size_t pieces, size_t leader);
void stn_supervise_free(stn_supervise *s);

/* What to do now; call until it says WAIT or DONE. Each START and SIGNAL is said once. */
stn_step stn_supervise_next(stn_supervise *s, int64_t now_ns);
/* A START worked, or (ok = false) fork or exec failed, which counts as a death. */
void stn_supervise_started(stn_supervise *s, size_t piece, bool ok, int64_t now_ns);
/* `wait_status` as from wait(2). */
void stn_supervise_exited(stn_supervise *s, size_t piece, int wait_status, int64_t now_ns);
/* Ends all; `exit_status` is what DONE will say unless a stop is already under way. */
void stn_supervise_stop(stn_supervise *s, int exit_status, int64_t now_ns);
bool stn_supervise_stopping(const stn_supervise *s);
stn_piece_view stn_supervise_view(const stn_supervise *s, size_t piece);

#endif
