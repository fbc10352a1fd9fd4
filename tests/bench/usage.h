/* usage.h - what a process has used of the machine: processor time and context switches of all its threads.
 *
 * For benches that compare how much of a figure is whose. Two readings are subtracted; threads that ended in
 * between have taken their switches along, their time counts.
 */
#ifndef STN_BENCH_USAGE_H
#define STN_BENCH_USAGE_H

#include <stdint.h>
#include <sys/types.h>

typedef struct usage {
    int64_t cpu_ns;
    uint64_t waits; /* a thread left the processor because it had nothing to do */
    uint64_t preempted; /* or because another was put in its place */
} usage;

/* Of one process by its id; zero when it cannot be read. */
usage usage_of(pid_t pid);
/* What was used between two readings, added to `sum`. */
void usage_add(usage *sum, const usage *from, const usage *to);

#endif
