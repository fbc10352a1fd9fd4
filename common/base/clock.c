#include "base/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * STN_S + t.tv_nsec;
}

int64_t stn_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t stn_clock_boot_ns(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

int64_t stn_clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t stn_clock_thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void stn_sleep_ns(int64_t ns)
{
    struct timespec t = {.tv_sec = ns / STN_S, .tv_nsec = ns % STN_S};
    if (ns > 0)
        while (nanosleep(&t, &t) != 0)
            continue; /* a signal cut the sleep short: the rest is in t */
}

int64_t stn_backoff_ns(unsigned n, int64_t first_ns, int64_t most_ns, uint64_t random_bits)
{
    int64_t wait = first_ns;
    while (n-- > 0 && wait < most_ns)
        wait *= 2;
    if (wait > most_ns)
        wait = most_ns;
    return wait / 2 + (int64_t)(random_bits % (uint64_t)(wait / 2 + 1));
}
