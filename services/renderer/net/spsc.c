#include "renderer/net/spsc.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Each counter has a cache line of its own: the two threads write one each. Counters only grow; their
 * difference is what is inside. */
struct stn_spsc {
    alignas(64) atomic_size_t given;
    alignas(64) atomic_size_t taken;
    alignas(64) size_t mask;
    void *items[];
};

stn_spsc *stn_spsc_new(size_t capacity)
{
    size_t n = 2, bytes;
    stn_spsc *q;

    while (n < capacity && n < (size_t)1 << 20)
        n *= 2;
    bytes = (sizeof *q + n * sizeof(void *) + 63) / 64 * 64;
    q = aligned_alloc(64, bytes);
    if (!q)
        return NULL;
    atomic_init(&q->given, 0);
    atomic_init(&q->taken, 0);
    q->mask = n - 1;
    return q;
}

void stn_spsc_free(stn_spsc *q)
{
    free(q);
}

bool stn_spsc_give(stn_spsc *q, void *item)
{
    size_t given = atomic_load_explicit(&q->given, memory_order_relaxed);

    if (given - atomic_load_explicit(&q->taken, memory_order_acquire) > q->mask)
        return false;
    q->items[given & q->mask] = item;
    atomic_store_explicit(&q->given, given + 1, memory_order_release);
    return true;
}

void *stn_spsc_peek(const stn_spsc *q)
{
    size_t taken = atomic_load_explicit(&q->taken, memory_order_relaxed);

    if (atomic_load_explicit(&q->given, memory_order_acquire) == taken)
        return NULL;
    return q->items[taken & q->mask];
}

void *stn_spsc_take(stn_spsc *q)
{
    void *item = stn_spsc_peek(q);

    if (item)
        atomic_store_explicit(&q->taken, atomic_load_explicit(&q->taken, memory_order_relaxed) + 1,
                              memory_order_release);
    return item;
}

size_t stn_spsc_count(const stn_spsc *q)
{
    size_t taken = atomic_load_explicit(&q->taken, memory_order_acquire);

    return atomic_load_explicit(&q->given, memory_order_acquire) - taken;
}

size_t stn_spsc_room(const stn_spsc *q)
{
    size_t count = stn_spsc_count(q);

    return count > q->mask ? 0 : q->mask + 1 - count;
}
