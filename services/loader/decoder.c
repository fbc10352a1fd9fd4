#include "loader/decoder.h"

#include "base/clock.h"
#include "base/large.h"
#include "base/log.h"
#include "base/text.h"
#include "bus/unpack.h"
#include "loader/decoder_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_NS (10 * STN_S)
#define RUN_CPU_NS (25 * STN_S) /* of one resource; the child's own limit comes first */
#define RUN_WALL_NS (120 * STN_S) /* a stopped child, or a machine that gives it nothing */
#define WINDOW_KEPT ((size_t)16 << 20) /* of a window that a larger resource has filled */
#define UNPACK_MAX ((size_t)64 << 20)

struct stn_decoder {
    bool sandboxed;
    char *program;
    int in_fd, out_fd, socket;
    uint8_t *in, *out;
    _Atomic int pid;
    _Atomic uint64_t restarts;
};

/* A frame that is written at once and kept as long as its object. */
static stn_frame *new_frame(size_t len)
{
    uint8_t *p = stn_large_alloc(len);
    stn_frame *f = p ? stn_frame_wrap(p, len, stn_large_free, p) : NULL;
    if (!f)
        stn_large_free(p);
    return f;
}

stn_frame *stn_decoder_keep(const uint8_t *data, size_t len)
{
    stn_frame *f = new_frame(len);
    if (f && len)
        memcpy(stn_frame_writable(f), data, len);
    return f;
}

/* ---- in this process ---- */

static bool room(void *ctx, const size_t bytes[STN_WIRE_FRAMES], uint8_t *frames[STN_WIRE_FRAMES])
{
    stn_decoded *out = ctx;
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++) {
        if (i == STN_WIRE_RAW && bytes[i] == 0)
            continue;
        out->frames[i] = new_frame(bytes[i]);
        if (!out->frames[i])
            return false;
        frames[i] = stn_frame_writable(out->frames[i]);
    }
    return true;
}

static void run_here(const stn_decode_in *in, stn_decoded *out)
{
    stn_decode_out d;
    stn_decode(in, room, out, &d);
    out->verdict = d.verdict;
    out->problems = d.problems;
    memcpy(out->problem, d.problem, sizeof out->problem);
    if (d.verdict.miss == STN_MISS_NONE)
        out->body = stn_buf_take(&d.body, &out->body_len);
    stn_buf_fini(&d.body);
}

/* ---- a child ---- */

static void refuse(stn_decoded *out, stn_miss_kind kind, const char *text)
{
    stn_decoded_fini(out);
    out->verdict = (stn_verdict){.miss = kind, .version = -1};
    stn_miss_say(out->verdict.text, text);
}

/* Between fork and exec only what is safe there, since other threads may hold any lock. */
static void become_child(const stn_decoder *d, int socket, pid_t parent)
{
    char *const argv[] = {(char *)"stenness-loader", (char *)"--decoder", NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* The end comes from the loader alone: a terminal's interrupt goes to the whole group. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(1);
    /* Out of the way of the numbers they get. */
    int s = fcntl(socket, F_DUPFD, 16), in = fcntl(d->in_fd, F_DUPFD, 16),
        out = fcntl(d->out_fd, F_DUPFD, 16);
    if (s < 0 || in < 0 || out < 0 || dup2(s, STN_CHILD_SOCKET) < 0 || dup2(in, STN_CHILD_IN) < 0 ||
        dup2(out, STN_CHILD_OUT) < 0)
        _exit(1);
    close_range(STN_CHILD_OUT + 1, ~0u, 0);
    execv(d->program, argv);
    _exit(127);
}

/* True when something is there to read; false at the deadline or when the child used up its CPU time. */
static bool wait_child(const stn_decoder *d, int64_t wall_ns, int64_t cpu_ns)
{
    int64_t end = stn_clock_ns() + wall_ns;
    struct timespec used;
    clockid_t clock = 0;
    bool counted = cpu_ns && clock_getcpuclockid(d->pid, &clock) == 0 && clock_gettime(clock, &used) == 0;
    int64_t start = counted ? used.tv_sec * STN_S + used.tv_nsec : 0;
    for (;;) {
        struct pollfd p = {.fd = d->socket, .events = POLLIN};
        int n = poll(&p, 1, 1000);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
        if (stn_clock_ns() >= end)
            return false;
        if (counted && clock_gettime(clock, &used) == 0 &&
            used.tv_sec * STN_S + used.tv_nsec - start > cpu_ns)
            return false;
    }
}

/* Ends the child; *how says how it ended, for people. True when somebody else killed it: none of its own
 * ends is SIGKILL (its limits answer with SIGXCPU and failed allocations, its filter with SIGSYS). */
static bool end_child(stn_decoder *d, char *how, size_t cap)
{
    int status = 0;
    pid_t pid = d->pid;
    if (d->socket >= 0)
        close(d->socket);
    d->socket = -1;
    if (pid <= 0)
        return false;
    /* One that is still alive here hung or is not wanted any more; SIGKILL to a dead one does nothing. */
    pid_t gone = waitpid(pid, &status, WNOHANG);
    if (gone == 0) {
        struct pollfd none = {.fd = -1};
        poll(&none, 1, 20); /* one that closed its socket is about to go by itself: let it say how */
        gone = waitpid(pid, &status, WNOHANG);
    }
    bool killed = gone == 0;
    if (killed) {
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    d->pid = 0;
    if (how && killed)
        snprintf(how, cap, "took too long and was killed");
    else if (how && WIFSIGNALED(status))
        snprintf(how, cap, "died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (how)
        snprintf(how, cap, "ended with status %d", WEXITSTATUS(status));
    return !killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static stn_status start_child(stn_decoder *d, stn_err *err)
{
    int pair[2];
    uint32_t hello = 0;
    char how[80];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return stn_fail(err, STN_IO, "decoder: socket: %s", strerror(errno));
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_child(d, pair[1], parent);
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return stn_fail(err, STN_IO, "decoder: fork: %s", strerror(errno));
    }
    d->pid = pid;
    d->socket = pair[0];
    if (wait_child(d, START_NS, 0) && recv(d->socket, &hello, sizeof hello, 0) == sizeof hello &&
        hello == STN_CHILD_HELLO)
        return STN_OK;
    end_child(d, how, sizeof how);
    return stn_fail(err, STN_IO, "decoder: the sandboxed child %s at start; see its message above", how);
}

static stn_status make_window(const char *name, size_t bytes, int prot, int *fd, uint8_t **at, stn_err *err)
{
    *fd = memfd_create(name, MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, (off_t)bytes) != 0)
        return stn_fail(err, STN_IO, "decoder: window: %s", strerror(errno));
    *at = mmap(NULL, bytes, prot, MAP_SHARED, *fd, 0);
    if ((void *)*at != MAP_FAILED)
        return STN_OK;
    *at = NULL;
    return stn_fail(err, STN_IO, "decoder: window of %zu bytes: %s", bytes, strerror(errno));
}

/* Gives back what a large resource left behind, so that it does not stay resident for ever. */
static void trim_window(int fd, size_t used)
{
    if (used > WINDOW_KEPT)
        (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)WINDOW_KEPT,
                        (off_t)(stn_child_align(used) - WINDOW_KEPT));
}

static bool copy_out(const stn_decoder *d, const stn_child_result *r, stn_decoded *out, size_t *used)
{
    size_t at = 0;
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++) {
        if (r->bytes[i] > STN_CHILD_OUT_MAX - at)
            return false;
        if (i == STN_WIRE_RAW && r->bytes[i] == 0)
            continue;
        out->frames[i] = stn_decoder_keep(d->out + at, (size_t)r->bytes[i]);
        if (!out->frames[i])
            return false;
        at = stn_child_align(at + (size_t)r->bytes[i]);
        if (at > STN_CHILD_OUT_MAX)
            return false;
    }
    if (r->body_len > STN_CHILD_OUT_MAX - at || r->body_len > STN_WIRE_BODY_MAX)
        return false;
    out->body = malloc((size_t)r->body_len + 1);
    if (!out->body)
        return false;
    memcpy(out->body, d->out + at, (size_t)r->body_len);
    out->body_len = (size_t)r->body_len;
    *used = at + out->body_len;
    return true;
}

/* What the child said, made safe: text ends and is text, numbers are in range. */
static void take_result(stn_decoder *d, const stn_child_result *r, const stn_decode_in *in, stn_decoded *out)
{
    size_t used = 0;
    stn_err err = {0};
    if (r->miss >= STN_MISS_COUNT || r->version < -1 || r->version > UINT16_MAX) {
        refuse(out, STN_MISS_IO, "the decoder said nonsense");
        return;
    }
    out->verdict.miss = (stn_miss_kind)r->miss;
    out->verdict.version = r->version;
    stn_text_show(r->text, strnlen(r->text, sizeof r->text), out->verdict.text, sizeof out->verdict.text);
    stn_text_show(r->problem, strnlen(r->problem, sizeof r->problem), out->problem, sizeof out->problem);
    out->problems = r->problems;
    if (r->miss != STN_MISS_NONE || in->judge_only)
        return;
    if (!copy_out(d, r, out, &used))
        refuse(out, STN_MISS_IO, "out of memory for the decoded resource");
    else if (!stn_decoded_check(out, in, &err))
        refuse(out, STN_MISS_LAYER, err.text);
    trim_window(d->out_fd, used);
}

/* An idle child says nothing, so anything to read is its end. */
static bool is_gone(const stn_decoder *d)
{
    struct pollfd p = {.fd = d->socket, .events = POLLIN};
    return poll(&p, 1, 0) != 0;
}

/* A child that waits for work, a new one where the last died. */
static stn_status ready_child(stn_decoder *d, stn_err *err)
{
    if (d->pid && is_gone(d)) {
        /* It died of nothing that it was given: nobody is to blame. */
        end_child(d, NULL, 0);
        atomic_fetch_add(&d->restarts, 1);
    }
    return d->pid ? STN_OK : start_child(d, err);
}

static bool ask_child(stn_decoder *d, const stn_child_request *q, stn_child_result *r)
{
    return send(d->socket, q, sizeof *q, MSG_NOSIGNAL) == sizeof *q &&
           wait_child(d, RUN_WALL_NS, RUN_CPU_NS) && recv(d->socket, r, sizeof *r, 0) == sizeof *r;
}

static void run_child(stn_decoder *d, const stn_decode_in *in, stn_decoded *out)
{
    stn_child_request q = {.len = in->len,
                           .code_len = in->code_len,
                           .want = in->want,
                           .keep_code = in->keep_code,
                           .judge_only = in->judge_only};
    if (in->len > STN_RES_BODY_MAX || in->code_len > STN_CHILD_IN_MAX - in->len) {
        refuse(out, STN_MISS_IO, "larger than any resource may be");
        return;
    }
    /* A child that somebody else killed says nothing about what it held, and whether it had begun cannot be
     * seen: the resource gets a second one. Only once, lest whoever kills them keeps this thread for ever. */
    for (unsigned attempt = 0;; attempt++) {
        stn_child_result r;
        stn_err err = {0};
        char how[80] = "is gone", text[STN_MISS_TEXT];
        if (ready_child(d, &err) != STN_OK) {
            stn_log_error("%s", err.text);
            refuse(out, STN_MISS_IO, err.text);
            return;
        }
        if (in->len)
            memcpy(d->in, in->data, in->len);
        if (in->code_len)
            memcpy(d->in + in->len, in->code, in->code_len);
        if (ask_child(d, &q, &r)) {
            take_result(d, &r, in, out);
            break;
        }
        bool by_another = end_child(d, how, sizeof how);
        atomic_fetch_add(&d->restarts, 1);
        if (by_another && attempt == 0)
            continue;
        snprintf(text, sizeof text, "the decoder %s over it", how);
        refuse(out, STN_MISS_LAYER, text);
        out->crashed = true;
        if (start_child(d, &err) != STN_OK)
            stn_log_error("%s", err.text); /* the next resource tries again */
        break;
    }
    trim_window(d->in_fd, in->len + in->code_len);
}

/* ---- the face ---- */

stn_status stn_decoder_new(bool sandboxed, const char *program, stn_decoder **out, stn_err *err)
{
    *out = NULL;
    stn_decoder *d = calloc(1, sizeof *d);
    if (!d || !(d->program = strdup(program ? program : ""))) {
        free(d);
        return stn_fail(err, STN_NO_MEMORY, "decoder");
    }
    d->sandboxed = sandboxed;
    d->in_fd = d->out_fd = d->socket = -1;
    stn_status st = STN_OK;
    if (sandboxed &&
        ((st = make_window("stn-in", STN_CHILD_IN_MAX, PROT_READ | PROT_WRITE, &d->in_fd, &d->in, err)) ||
         (st = make_window("stn-out", STN_CHILD_OUT_MAX, PROT_READ, &d->out_fd, &d->out, err)) ||
         (st = start_child(d, err)))) {
        stn_decoder_free(d);
        return st;
    }
    *out = d;
    return STN_OK;
}

void stn_decoder_free(stn_decoder *d)
{
    if (!d)
        return;
    end_child(d, NULL, 0);
    if (d->in)
        munmap(d->in, STN_CHILD_IN_MAX);
    if (d->out)
        munmap(d->out, STN_CHILD_OUT_MAX);
    if (d->in_fd >= 0)
        close(d->in_fd);
    if (d->out_fd >= 0)
        close(d->out_fd);
    free(d->program);
    free(d);
}

void stn_decoder_run(stn_decoder *d, const stn_decode_in *in, stn_decoded *out)
{
    memset(out, 0, sizeof *out);
    if (d->sandboxed)
        run_child(d, in, out);
    else
        run_here(in, out);
    if (out->verdict.miss != STN_MISS_NONE) {
        /* Nothing half-made goes on. */
        stn_verdict v = out->verdict;
        bool crashed = out->crashed;
        stn_decoded_fini(out);
        out->verdict = v;
        out->crashed = crashed;
    }
}

uint64_t stn_decoder_restarts(const stn_decoder *d)
{
    return atomic_load(&d->restarts);
}

int stn_decoder_pid(const stn_decoder *d)
{
    return atomic_load(&d->pid);
}

bool stn_decoded_check(const stn_decoded *decoded, const stn_decode_in *in, stn_err *err)
{
    stn_unpacker *u = stn_unpacker_new(UNPACK_MAX);
    const ProtobufCMessage *m;
    stn_wire_span spans[STN_WIRE_FRAMES];
    stn_wire *wire = NULL;
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
        spans[i] = (stn_wire_span){stn_frame_data(decoded->frames[i]), stn_frame_len(decoded->frames[i])};
    if (!decoded->frames[STN_WIRE_RAW])
        spans[STN_WIRE_RAW] = (stn_wire_span){in->data, in->len};
    bool good = false;
    if (!u)
        stn_fail(err, STN_NO_MEMORY, "checking a decoded resource");
    else if (stn_unpack(u, &stenness__ready__descriptor, decoded->body, decoded->body_len, &m, err) ==
                 STN_OK &&
             stn_wire_open((const Stenness__Ready *)m, spans, STN_WIRE_FRAMES, &wire, err) == STN_OK)
        good = stn_wire_version(wire) == decoded->verdict.version;
    stn_wire_free(wire);
    stn_unpacker_free(u);
    return good;
}

void stn_decoded_fini(stn_decoded *decoded)
{
    free(decoded->body);
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
        stn_frame_unref(decoded->frames[i]);
    memset(decoded, 0, sizeof *decoded);
}
