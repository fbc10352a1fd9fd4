/* queue.h - a heap of asks: highest priority first, among equals the one queued first. Raising is O(log
 * n).
 * Source  docs/spec/resource-loading.md 2.7.
 */
#ifndef STN_LOADER_QUEUE_H
#define STN_LOADER_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Embedded in what is queued. */
typedef struct stn_queued {
    uint64_t seq; /* given when it enters */
    size_t at; /* place in the heap + 1; 0 = not queued */
    int prio;
} stn_queued;

typedef struct stn_queue {
    stn_queued **heap;
    size_t len, cap;
    uint64_t last_seq;
} stn_queue;

void stn_queue_fini(stn_queue *q);
/* Room for n entries in all, so that a later push cannot fail. */
bool stn_queue_reserve(stn_queue *q, size_t n);
bool stn_queue_push(stn_queue *q, stn_queued *e); /* at the tail of its priority; false: out of memory */
stn_queued *stn_queue_pop(stn_queue *q); /* NULL when empty */
/* Back to where it stood before a pop; there is room, since it was there. */
void stn_queue_put_back(stn_queue *q, stn_queued *e);
void stn_queue_remove(stn_queue *q, stn_queued *e); /* nothing when it is not queued */
void stn_queue_raise(stn_queue *q, stn_queued *e, int prio); /* queued or not; never lowers */

#endif
