/* mesher/pool.h - the build threads.
 *
 * Tasks are taken most urgent first, equal ones in the order they came; AHEAD tasks only when nothing else
 * waits. Each thread has a scratch of its own. Every task given comes back through the inbox: done, failed,
 * cancelled or too late.
 *
 * What takes little time comes back in groups. Waking the reactor, and through it the threads that move the
 * bytes, costs as much as building a cut whose noise is at hand; so a thread that has another task at hand
 * keeps what it finished for up to STN_POOL_GROUP_NS.
 */
#ifndef STN_MESHER_POOL_H
#define STN_MESHER_POOL_H

#include "mesher/task.h"

typedef struct stn_pool stn_pool;

#define STN_POOL_GROUP_NS (2 * INT64_C(1000000))

/* threads 1..64; idle: they get only what nobody else wants of the processor. blocks and inbox outlive the
 * pool, and the inbox has room for every task that is given. */
stn_status stn_pool_new(unsigned threads, bool idle, stn_blocks *blocks, stn_inbox *inbox, stn_pool **out,
                        stn_err *err);
/* Cancels what waits, finishes what runs; all of it is in the inbox afterwards. */
void stn_pool_free(stn_pool *p);
void stn_pool_give(stn_pool *p, stn_task *t);
/* Tasks that wait, AHEAD ones not counted. */
size_t stn_pool_waiting(stn_pool *p);

#endif
