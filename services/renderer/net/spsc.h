/* spsc.h - a bounded queue of pointers from exactly one thread to exactly one other, without locks.
 *
 * Giving to a full queue fails and the item stays the giver's; taking from an empty one gives NULL. Neither
 * ever waits. What a thread wrote before it gave an item is seen by the thread that takes it.
 */
#ifndef STN_RENDERER_NET_SPSC_H
#define STN_RENDERER_NET_SPSC_H

#include <stdbool.h>
#include <stddef.h>

typedef struct stn_spsc stn_spsc;

/* capacity: rounded up to a power of two, at most 2^20. NULL: out of memory. */
stn_spsc *stn_spsc_new(size_t capacity);
void stn_spsc_free(stn_spsc *q); /* what is inside is the caller's: take it out first */
bool stn_spsc_give(stn_spsc *q, void *item); /* the giving thread; item is not NULL */
void *stn_spsc_take(stn_spsc *q); /* the taking thread */
void *stn_spsc_peek(const stn_spsc *q); /* the taking thread: what take would give */
size_t stn_spsc_count(const stn_spsc *q); /* either thread: at some moment between call and return */
size_t stn_spsc_room(const stn_spsc *q);

#endif
