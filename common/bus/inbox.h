/* inbox.h - from any thread into a loop: worker results and commands.
 *
 * Giving never blocks and takes no lock (one compare-and-swap, and one write to an eventfd when the loop may
 * be asleep), so a GL thread may give. Items of one thread come out in the order they were given. The number
 * of items waiting is bounded: over it giving says STN_BUSY and the item stays the giver's.
 */
#ifndef STN_BUS_INBOX_H
#define STN_BUS_INBOX_H

#include "base/err.h"

#include <stddef.h>

typedef struct stn_inbox stn_inbox;

/* First member of every item. */
typedef struct stn_inbox_link {
    struct stn_inbox_link *next;
} stn_inbox_link;

stn_status stn_inbox_new(size_t max_items, stn_inbox **out, stn_err *err);
/* Items still inside are handed to drop(ctx, item) when that is not NULL. No giver may be left. */
void stn_inbox_free(stn_inbox *in, void (*drop)(void *ctx, stn_inbox_link *item), void *ctx);
stn_status stn_inbox_give(stn_inbox *in, stn_inbox_link *item); /* STN_OK or STN_BUSY */
/* A list through ->next, oldest first, all or none: the loop is woken once and finds them together. */
stn_status stn_inbox_give_list(stn_inbox *in, stn_inbox_link *oldest);

/* The receiving side: readable when something is there. */
int stn_inbox_fd(const stn_inbox *in);
/* All that is there, oldest first, as a list through ->next; NULL when empty. Clears the fd. */
stn_inbox_link *stn_inbox_take(stn_inbox *in);

#endif
