/* clock.h - time. Pure code gets the time as an argument; only shells read it. */
#ifndef STN_BASE_CLOCK_H
#define STN_BASE_CLOCK_H

#include <stdint.h>

#define STN_MS INT64_C(1000000)
#define STN_S INT64_C(1000000000)

int64_t stn_clock_ns(void); /* monotonic, stands still while the machine is suspended */
int64_t
stn_clock_boot_ns(void); /* monotonic, counts suspension: a jump against stn_clock_ns() is a wake-up */
int64_t stn_clock_wall_ns(void); /* since 1970, for captures and logs */
int64_t stn_clock_thread_cpu_ns(void);
void stn_sleep_ns(int64_t ns); /* shells and tools only */

/* Backoff with jitter: the n-th wait (from 0) doubles from `first` up to `most`, then is scaled by 0.5..1
 * with the given random bits. */
int64_t stn_backoff_ns(unsigned n, int64_t first_ns, int64_t most_ns, uint64_t random_bits);

#endif
