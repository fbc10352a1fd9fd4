#include "client/child.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_NS (4 * STN_S)

struct stn_child {
    pid_t pid; /* 0 = has ended */
};

stn_status stn_child_start(const char *const *argv, stn_child **out, stn_err *err)
{
    stn_child *child = calloc(1, sizeof *child);
    pid_t parent = getpid();

    *out = NULL;
    if (!child)
        return stn_fail(err, STN_NO_MEMORY, "child process");
    child->pid = fork();
    if (child->pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            execv("/proc/self/exe", (char *const *)argv);
        _exit(127);
    }
    if (child->pid < 0) {
        free(child);
        return stn_fail(err, STN_IO, "fork: %s", strerror(errno));
    }
    *out = child;
    return STN_OK;
}

bool stn_child_alive(stn_child *child)
{
    if (child->pid > 0 && waitpid(child->pid, NULL, WNOHANG) == child->pid)
        child->pid = 0;
    return child->pid > 0;
}

void stn_child_end(stn_child *child)
{
    int64_t deadline = stn_clock_ns() + PATIENCE_NS;

    if (!child)
        return;
    if (stn_child_alive(child))
        kill(child->pid, SIGTERM);
    while (stn_child_alive(child) && stn_clock_ns() < deadline)
        stn_sleep_ns(20 * STN_MS);
    if (stn_child_alive(child)) {
        kill(-child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
    }
    free(child);
}
