/* relay.h - a TCP relay that delays what it passes on, for measuring over a slow link on one machine.
 *
 * Every byte leaves `delay_ms` after it came, in each direction; bandwidth is not limited. At most
 * RELAY_CONNECTIONS at once, and a direction that holds RELAY_BYTES reads no more until some have left. */
#ifndef STN_BENCH_RELAY_H
#define STN_BENCH_RELAY_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

#define RELAY_CONNECTIONS 16
#define RELAY_BYTES (8u << 20)

/* Starts a process that listens on a free port of 127.0.0.1 and passes on to `target`,
 * "tcp://127.0.0.1:PORT". *endpoint is the address to connect to, in the same form. The process dies with the
 * caller. */
stn_status relay_start(const char *target, int delay_ms, char *endpoint, size_t cap, pid_t *pid,
                       stn_err *err);

#endif
