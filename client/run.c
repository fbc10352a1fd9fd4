#include "client/run.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "client/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCFILE_MAX_BYTES (256u << 10)

typedef struct run {
    const stn_run_config *config;
    stn_procfile procfile;
    stn_supervise *supervise;
    pid_t pids[STN_PROCFILE_MAX]; /* 0 = not running */
    stn_buf written; /* the state file as it is */
    int signals;
    pid_t self;
} run;

/* What the supervisor knows, for `stenness status`: a file, so that it is there whatever state the pieces are
 * in. Written when it differs from what was written last. */
static void write_state(run *r)
{
    static const char *const names[] = {"down", "running", "waiting", "ended"};
    stn_buf out = {0};
    stn_err err = {0};

    stn_buf_printf(&out, "{\"pid\": %d, \"pieces\": [", (int)r->self);
    for (size_t i = 0; i < r->procfile.count; i++) {
        stn_piece_view v = stn_supervise_view(r->supervise, i);
        stn_buf_printf(
            &out,
            "%s\n  {\"name\": \"%s\", \"state\": \"%s\", \"pid\": %d, \"deaths\": %u, \"crash_loop\": %s}",
            i ? "," : "", r->procfile.pieces[i].name, names[v.state], (int)r->pids[i], v.deaths,
            v.crash_loop ? "true" : "false");
    }
    stn_buf_printf(&out, "]}\n");
    if (!out.failed && out.len == r->written.len && memcmp(out.data, r->written.data, out.len) == 0) {
        stn_buf_fini(&out);
        return;
    }
    if (out.failed || stn_file_write(r->config->state_path, out.data, out.len, 0600, false, &err) != STN_OK)
        stn_log_warn("state file: %s", out.failed ? "out of memory" : err.text);
    stn_buf_fini(&r->written);
    r->written = out;
}

/* A pipe that holds the password, for one start of world; -1 when there is none to give. */
static int password_pipe(const run *r, const char *piece)
{
    int ends[2];
    size_t len;

    if (!r->config->password || strcmp(piece, "world") != 0)
        return -1;
    len = strlen(r->config->password);
    if (pipe(ends) != 0)
        return -1;
    /* Shorter than a pipe's capacity (checked where it is read from the terminal): this never blocks. */
    if (write(ends[1], r->config->password, len) != (ssize_t)len) {
        close(ends[0]);
        ends[0] = -1;
    }
    close(ends[1]);
    return ends[0];
}

/* In the child, between fork and exec. */
static void become_piece(const run *r, const stn_piece *piece, int password_fd)
{
    char command[4224], number[16];
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != r->self)
        _exit(1); /* the supervisor died before the line above */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (password_fd >= 0) {
        snprintf(number, sizeof number, "%d", password_fd);
        setenv("STENNESS_PASSWORD_FD", number, 1);
    }
    /* exec, so that the piece and not a shell carries the process id; env takes "NAME=value command" as well.
     */
    snprintf(command, sizeof command, "exec env %s", piece->command);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static void start(run *r, size_t i)
{
    const stn_piece *piece = &r->procfile.pieces[i];
    int password_fd = password_pipe(r, piece->name);
    pid_t pid = fork();

    if (pid == 0)
        become_piece(r, piece, password_fd);
    if (password_fd >= 0)
        close(password_fd);
    if (pid < 0) {
        stn_log_error("%s: cannot be started: %s", piece->name, strerror(errno));
        stn_supervise_started(r->supervise, i, false, stn_clock_ns());
        return;
    }
    setpgid(pid, pid); /* both sides do it, whoever is first */
    r->pids[i] = pid;
    stn_supervise_started(r->supervise, i, true, stn_clock_ns());
    stn_log_info("%s started, pid %d", piece->name, (int)pid);
}

static void send_signal(run *r, size_t i, int number)
{
    if (r->pids[i] <= 0)
        return;
    if (number == SIGKILL)
        stn_log_warn("%s did not end in time: killed", r->procfile.pieces[i].name);
    kill(-r->pids[i], number);
    if (number == SIGTERM)
        kill(-r->pids[i], SIGCONT); /* a stopped piece could not hear it */
}

static void say_death(const run *r, size_t i, int status, bool stopping)
{
    stn_piece_view v = stn_supervise_view(r->supervise, i);
    const char *name = r->procfile.pieces[i].name;
    char how[64];

    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "exited with status %d", WEXITSTATUS(status));
    if (stopping || v.state == STN_PIECE_ENDED)
        stn_log_info("%s %s", name, how);
    else if (v.crash_loop)
        stn_log_error("%s %s: crash loop (%u deaths); trying again every 5 s, the rest goes on", name, how,
                      v.deaths);
    else
        stn_log_warn("%s %s; starting it again", name, how);
}

static void reap(run *r)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (size_t i = 0; i < r->procfile.count; i++) {
            if (r->pids[i] != pid)
                continue;
            /* What the piece left in its group goes with it; a restart must not meet its own remains. */
            kill(-pid, SIGKILL);
            r->pids[i] = 0;
            stn_supervise_exited(r->supervise, i, status, stn_clock_ns());
            say_death(r, i, status, stn_supervise_stopping(r->supervise));
        }
    }
}

static void wait_for_news(run *r, int64_t until)
{
    struct pollfd p = {.fd = r->signals, .events = POLLIN};
    struct signalfd_siginfo info;
    int64_t left = until == INT64_MAX ? STN_S : until - stn_clock_ns();
    int ms = left <= 0 ? 0 : left >= STN_S ? 1000 : (int)(left / STN_MS) + 1;

    if (poll(&p, 1, ms) <= 0)
        return;
    while (read(r->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            continue;
        stn_log_info("ending all (signal %u)", info.ssi_signo);
        stn_supervise_stop(r->supervise, 0, stn_clock_ns());
    }
}

static int loop(run *r)
{
    for (;;) {
        stn_step todo;

        reap(r);
        todo = stn_supervise_next(r->supervise, stn_clock_ns());
        switch (todo.kind) {
        case STN_STEP_START:
            start(r, todo.piece);
            break;
        case STN_STEP_SIGNAL:
            send_signal(r, todo.piece, todo.signal);
            break;
        case STN_STEP_WAIT:
            write_state(r);
            wait_for_news(r, todo.at_ns);
            break;
        case STN_STEP_DONE:
            return todo.exit_status;
        }
    }
}

static stn_status read_procfile(const stn_run_config *config, stn_procfile *out, stn_err *err)
{
    uint8_t *text;
    size_t len, kept = 0;
    stn_status st = stn_file_read(config->procfile_path, PROCFILE_MAX_BYTES, &text, &len, err);

    if (st != STN_OK)
        return st;
    st = stn_procfile_parse((const char *)text, out, err);
    free(text);
    if (st != STN_OK)
        return stn_fail_in(err, st, "%s", config->procfile_path);
    for (size_t i = 0; i < out->count; i++) {
        if (config->without[0] && strcmp(out->pieces[i].name, config->without) == 0) {
            free(out->pieces[i].name);
            free(out->pieces[i].command);
        } else {
            out->pieces[kept++] = out->pieces[i];
        }
    }
    out->count = kept;
    return STN_OK;
}

static stn_status extend_path(const char *bin_dir, stn_err *err)
{
    const char *old = getenv("PATH");
    stn_buf path = {0};

    stn_buf_printf(&path, "%s:%s", bin_dir, old && *old ? old : "/usr/local/bin:/usr/bin:/bin");
    stn_buf_u8(&path, 0);
    if (path.failed || setenv("PATH", (const char *)path.data, 1) != 0) {
        stn_buf_fini(&path);
        return stn_fail(err, STN_NO_MEMORY, "PATH");
    }
    stn_buf_fini(&path);
    return STN_OK;
}

stn_status stn_run(const stn_run_config *config, int *exit_status, stn_err *err)
{
    run r = {.config = config, .signals = -1, .self = getpid()};
    size_t leader = SIZE_MAX;
    sigset_t mask;
    stn_status st;

    *exit_status = 1;
    if ((st = read_procfile(config, &r.procfile, err)) != STN_OK ||
        (st = extend_path(config->bin_dir, err)) != STN_OK)
        goto out;
    for (size_t i = 0; i < r.procfile.count; i++)
        if (strcmp(r.procfile.pieces[i].name, config->leader) == 0)
            leader = i;
    r.supervise = stn_supervise_new(r.procfile.count, leader);
    if (!r.supervise) {
        st = stn_fail(err, STN_NO_MEMORY, "supervisor");
        goto out;
    }
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGINT);
    sigaddset(&mask, SIGHUP);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    r.signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    if (r.signals < 0) {
        st = stn_fail(err, STN_IO, "signalfd: %s", strerror(errno));
        goto out;
    }
    /* Grandchildren whose parent died come to us, so that none stays a zombie. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    *exit_status = loop(&r);
    unlink(config->state_path);
out:
    stn_buf_fini(&r.written);
    if (r.signals >= 0)
        close(r.signals);
    stn_supervise_free(r.supervise);
    stn_procfile_fini(&r.procfile);
    return st;
}
