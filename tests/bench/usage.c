#include "usage.h"

#include "base/clock.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void add_switches(usage *u, pid_t pid, const char *thread)
{
    char path[96], line[128];
    unsigned long long n;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/task/%.20s/status", (int)pid, thread);
    if (!(f = fopen(path, "r")))
        return;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "voluntary_ctxt_switches: %llu", &n) == 1)
            u->waits += n;
        else if (sscanf(line, "nonvoluntary_ctxt_switches: %llu", &n) == 1)
            u->preempted += n;
    }
    fclose(f);
}

usage usage_of(pid_t pid)
{
    usage u = {0};
    struct timespec t;
    clockid_t clock;
    char path[64];
    DIR *threads;

    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return u;
    u.cpu_ns = t.tv_sec * STN_S + t.tv_nsec;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    if (!(threads = opendir(path)))
        return u;
    for (struct dirent *e; (e = readdir(threads)) != NULL;)
        if (e->d_name[0] != '.')
            add_switches(&u, pid, e->d_name);
    closedir(threads);
    return u;
}

void usage_add(usage *sum, const usage *from, const usage *to)
{
    sum->cpu_ns += to->cpu_ns - from->cpu_ns;
    sum->waits += to->waits - from->waits;
    sum->preempted += to->preempted - from->preempted;
}
