/* decoder_child.c - the sandboxed side: no files, no network, no processes, bounded memory and time. */
#include "loader/decoder_wire.h"

#include "base/clock.h"

#include <errno.h>
#include <malloc.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MEMORY_MAX                                                                                           \
    ((rlim_t)1536 << 20) /* beside the windows: the largest picture takes under 1 GiB to decode */
#define CPU_SECONDS 20 /* for one resource */
#define MEMORY_KEPT                                                                                          \
    (4 << 20) /* between resources: to map fresh pages for each costs more than to decode                    \
               */

typedef struct child {
    const uint8_t *in;
    uint8_t *out;
    size_t body_at; /* where the frames end */
} child;

/* The kernel ends the child when one resource takes too long; the loader's own clock is the second line. */
static void allow_cpu(void)
{
    struct timespec used;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0)
        return;
    struct rlimit r = {.rlim_cur = (rlim_t)used.tv_sec + CPU_SECONDS, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &r);
}

static bool limit(void)
{
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0 || setrlimit(RLIMIT_FSIZE, &none) != 0)
        return false;
#ifndef STN_SANITIZED /* a sanitizer's shadow memory alone is over any limit */
    const struct rlimit files = {6, 6};
    const struct rlimit memory = {MEMORY_MAX + STN_CHILD_IN_MAX + STN_CHILD_OUT_MAX,
                                  MEMORY_MAX + STN_CHILD_IN_MAX + STN_CHILD_OUT_MAX};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0 || setrlimit(RLIMIT_AS, &memory) != 0)
        return false;
#endif
    return true;
}

#ifdef STN_SANITIZED
/* The sanitizers' own calls would need most of the kernel. */
static bool lock_down(void)
{
    return true;
}
#else
static bool allow(scmp_filter_ctx f, int call)
{
    return seccomp_rule_add(f, SCMP_ACT_ALLOW, call, 0) == 0;
}

static bool lock_down(void)
{
    /* Plain memory and time; anonymous mappings that are not executable. */
    static const int calls[] = {SCMP_SYS(munmap),         SCMP_SYS(mremap),    SCMP_SYS(brk),
                                SCMP_SYS(madvise),        SCMP_SYS(futex),     SCMP_SYS(rt_sigreturn),
                                SCMP_SYS(rt_sigprocmask), SCMP_SYS(exit),      SCMP_SYS(exit_group),
                                SCMP_SYS(clock_gettime),  SCMP_SYS(getrandom), SCMP_SYS(sysinfo),
                                SCMP_SYS(restart_syscall)};
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_KILL_PROCESS);
    bool ok = f != NULL;
    for (size_t i = 0; ok && i < sizeof calls / sizeof *calls; i++)
        ok = allow(f, calls[i]);
    ok = ok &&
         seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
                          SCMP_A4(SCMP_CMP_MASKED_EQ, 0xffffffff, 0xffffffff)) == 0 &&
         seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(recvfrom), 1, SCMP_A0(SCMP_CMP_EQ, STN_CHILD_SOCKET)) ==
             0 &&
         seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(sendto), 1, SCMP_A0(SCMP_CMP_EQ, STN_CHILD_SOCKET)) ==
             0 &&
         seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0(SCMP_CMP_EQ, STDERR_FILENO)) == 0 &&
         seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
                          SCMP_A1(SCMP_CMP_EQ, RLIMIT_CPU)) == 0 &&
         seccomp_load(f) == 0;
    seccomp_release(f);
    return ok;
}
#endif

static bool room(void *ctx, const size_t bytes[STN_WIRE_FRAMES], uint8_t *frames[STN_WIRE_FRAMES])
{
    child *c = ctx;
    size_t at = 0;
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++) {
        frames[i] = c->out + at;
        if (bytes[i] > STN_CHILD_OUT_MAX - at)
            return false;
        at = stn_child_align(at + bytes[i]);
        if (at > STN_CHILD_OUT_MAX)
            return false;
    }
    c->body_at = at;
    return true;
}

static void serve(child *c, const stn_child_request *q, stn_child_result *r)
{
    memset(r, 0, sizeof *r);
    if (q->len > STN_CHILD_IN_MAX || q->code_len > STN_CHILD_IN_MAX - q->len) {
        r->miss = STN_MISS_IO;
        return;
    }
    const stn_decode_in in = {.data = c->in,
                              .len = (size_t)q->len,
                              .want = q->want,
                              .judge_only = q->judge_only != 0,
                              .keep_code = q->keep_code != 0,
                              .code = c->in + q->len,
                              .code_len = (size_t)q->code_len};
    stn_decode_out out;
    c->body_at = 0;
    stn_decode(&in, room, c, &out);
    if (out.verdict.miss == STN_MISS_NONE && out.body.len <= STN_CHILD_OUT_MAX - c->body_at) {
        if (out.body.len)
            memcpy(c->out + c->body_at, out.body.data, out.body.len);
        r->body_len = out.body.len;
        for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
            r->bytes[i] = out.bytes[i];
    } else if (out.verdict.miss == STN_MISS_NONE) {
        out.verdict.miss = STN_MISS_LAYER;
    }
    r->miss = (uint32_t)out.verdict.miss;
    r->version = out.verdict.version;
    r->problems = out.problems;
    memcpy(r->text, out.verdict.text, sizeof r->text);
    memcpy(r->problem, out.problem, sizeof r->problem);
    stn_buf_fini(&out.body);
}

int stn_decoder_child(void)
{
    child c = {0};
    const uint32_t hello = STN_CHILD_HELLO;
    c.in = mmap(NULL, STN_CHILD_IN_MAX, PROT_READ, MAP_SHARED, STN_CHILD_IN, 0);
    c.out = mmap(NULL, STN_CHILD_OUT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, STN_CHILD_OUT, 0);
    if (c.in == MAP_FAILED || (void *)c.out == MAP_FAILED) {
        fprintf(stderr, "stenness-loader: decoder: this is started by the loader itself: %s\n",
                strerror(errno));
        return EXIT_FAILURE;
    }
    close(STN_CHILD_IN);
    close(STN_CHILD_OUT);
    prctl(PR_SET_NAME, "stn-decoder", 0, 0, 0); /* it was started by way of a link, whose name says nothing */
    (void)mallopt(M_MMAP_THRESHOLD, MEMORY_KEPT);
    (void)mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !limit() || !lock_down()) {
        fprintf(stderr, "stenness-loader: decoder: no sandbox on this system: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    if (send(STN_CHILD_SOCKET, &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
        return EXIT_FAILURE;
    for (;;) {
        stn_child_request q;
        stn_child_result r;
        ssize_t n = recv(STN_CHILD_SOCKET, &q, sizeof q, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != sizeof q)
            return n == 0 ? EXIT_SUCCESS : EXIT_FAILURE; /* the loader is gone or has no more use for us */
        allow_cpu();
        serve(&c, &q, &r);
        if (send(STN_CHILD_SOCKET, &r, sizeof r, MSG_NOSIGNAL) != sizeof r)
            return EXIT_FAILURE;
    }
}
