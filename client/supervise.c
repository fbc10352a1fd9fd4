#include "client/supervise.h"

#include "base/clock.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#define LOOP_DEATHS 5
#define LOOP_WINDOW (30 * STN_S)
#define FIRST_WAIT (STN_S / 10)
#define MOST_WAIT (5 * STN_S)
#define KILL_AFTER (1500 * STN_MS)

typedef struct piece {
    stn_piece_view view;
    int64_t death_ns[LOOP_DEATHS]; /* the last deaths, a ring */
    unsigned row; /* deaths without a long life between them */
    bool told_term, told_kill;
} piece;

struct stn_supervise {
    size_t count, leader;
    bool stopping;
    int exit_status;
    int64_t stop_ns;
    piece pieces[];
};

stn_supervise *stn_supervise_new(size_t pieces, size_t leader)
{
    stn_supervise *s = calloc(1, sizeof *s + pieces * sizeof(piece));
    if (!s)
        return NULL;
    s->count = pieces;
    s->leader = leader;
    return s;
}

void stn_supervise_free(stn_supervise *s)
{
    free(s);
}

static stn_step next_stopping(stn_supervise *s, int64_t now)
{
    stn_step wait = {.kind = STN_STEP_DONE, .exit_status = s->exit_status};
    bool kill_now = now - s->stop_ns >= KILL_AFTER;

    for (size_t i = 0; i < s->count; i++) {
        piece *p = &s->pieces[i];
        if (p->view.state != STN_PIECE_RUNNING)
            continue;
        if (!p->told_term) {
            p->told_term = true;
            return (stn_step){.kind = STN_STEP_SIGNAL, .piece = i, .signal = SIGTERM};
        }
        if (kill_now && !p->told_kill) {
            p->told_kill = true;
            return (stn_step){.kind = STN_STEP_SIGNAL, .piece = i, .signal = SIGKILL};
        }
        wait = (stn_step){.kind = STN_STEP_WAIT, .at_ns = p->told_kill ? INT64_MAX : s->stop_ns + KILL_AFTER};
    }
    return wait;
}

stn_step stn_supervise_next(stn_supervise *s, int64_t now)
{
    stn_step wait = {.kind = STN_STEP_WAIT, .at_ns = INT64_MAX};

    if (s->stopping)
        return next_stopping(s, now);
    for (size_t i = 0; i < s->count; i++) {
        piece *p = &s->pieces[i];
        if (p->view.state == STN_PIECE_DOWN ||
            (p->view.state == STN_PIECE_WAITING && p->view.restart_ns <= now))
            return (stn_step){.kind = STN_STEP_START, .piece = i};
        if (p->view.state == STN_PIECE_WAITING && p->view.restart_ns < wait.at_ns)
            wait.at_ns = p->view.restart_ns;
        if (p->view.state == STN_PIECE_RUNNING && p->row > 0) {
            int64_t clear = p->view.since_ns + LOOP_WINDOW;
            if (clear <= now) {
                p->row = 0;
                p->view.crash_loop = false;
            } else if (clear < wait.at_ns) {
                wait.at_ns = clear;
            }
        }
    }
    return wait;
}

static void died(stn_supervise *s, piece *p, int64_t now)
{
    int64_t delay = 0;

    if (p->row > 0)
        delay = p->row > 6 ? MOST_WAIT : FIRST_WAIT << (p->row - 1);

    p->death_ns[p->view.deaths % LOOP_DEATHS] = now;
    p->view.deaths++;
    p->row++;
    /* The next slot of the ring is the oldest: with this death it begins a run of LOOP_DEATHS. */
    if (p->view.deaths >= LOOP_DEATHS && now - p->death_ns[p->view.deaths % LOOP_DEATHS] <= LOOP_WINDOW) {
        p->view.crash_loop = true;
        delay = MOST_WAIT;
    }
    p->view.state = s->stopping ? STN_PIECE_ENDED : STN_PIECE_WAITING;
    p->view.since_ns = now;
    p->view.restart_ns = now + delay;
}

void stn_supervise_started(stn_supervise *s, size_t i, bool ok, int64_t now)
{
    piece *p = &s->pieces[i];
    if (!ok) {
        died(s, p, now);
        return;
    }
    p->view.state = STN_PIECE_RUNNING;
    p->view.since_ns = now;
    p->told_term = p->told_kill = false;
}

void stn_supervise_exited(stn_supervise *s, size_t i, int status, int64_t now)
{
    piece *p = &s->pieces[i];

    p->view.last_status = status;
    if (p->view.state == STN_PIECE_RUNNING && now - p->view.since_ns >= LOOP_WINDOW) {
        p->row = 0;
        p->view.crash_loop = false;
    }
    if (i == s->leader && !s->stopping && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        p->view.state = STN_PIECE_ENDED;
        p->view.since_ns = now;
        stn_supervise_stop(s, 0, now);
        return;
    }
    died(s, p, now);
}

void stn_supervise_stop(stn_supervise *s, int exit_status, int64_t now)
{
    if (s->stopping)
        return;
    s->stopping = true;
    s->exit_status = exit_status;
    s->stop_ns = now;
    for (size_t i = 0; i < s->count; i++)
        if (s->pieces[i].view.state != STN_PIECE_RUNNING) {
            s->pieces[i].view.state = STN_PIECE_ENDED;
            s->pieces[i].view.since_ns = now;
        }
}

bool stn_supervise_stopping(const stn_supervise *s)
{
    return s->stopping;
}

stn_piece_view stn_supervise_view(const stn_supervise *s, size_t i)
{
    return s->pieces[i].view;
}
