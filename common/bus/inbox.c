#include "bus/inbox.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct stn_inbox {
    _Atomic(stn_inbox_link *) head; /* newest first */
    atomic_size_t count;
    size_t max;
    int fd;
};

stn_status stn_inbox_new(size_t max_items, stn_inbox **out, stn_err *err)
{
    stn_inbox *in = calloc(1, sizeof *in);

    *out = NULL;
    if (!in)
        return stn_fail(err, STN_NO_MEMORY, "inbox");
    in->max = max_items;
    in->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (in->fd < 0) {
        free(in);
        return stn_fail(err, STN_IO, "eventfd: %s", strerror(errno));
    }
    *out = in;
    return STN_OK;
}

void stn_inbox_free(stn_inbox *in, void (*drop)(void *ctx, stn_inbox_link *item), void *ctx)
{
    if (!in)
        return;
    for (stn_inbox_link *item = stn_inbox_take(in), *next; item; item = next) {
        next = item->next;
        if (drop)
            drop(ctx, item);
    }
    close(in->fd);
    free(in);
}

stn_status stn_inbox_give(stn_inbox *in, stn_inbox_link *item)
{
    item->next = NULL;
    return stn_inbox_give_list(in, item);
}

stn_status stn_inbox_give_list(stn_inbox *in, stn_inbox_link *oldest)
{
    stn_inbox_link *head, *newest = NULL;
    size_t n = 0;

    for (const stn_inbox_link *item = oldest; item; item = item->next)
        n++;
    if (n == 0)
        return STN_OK;
    if (atomic_fetch_add_explicit(&in->count, n, memory_order_relaxed) + n > in->max) {
        atomic_fetch_sub_explicit(&in->count, n, memory_order_relaxed);
        return STN_BUSY;
    }
    /* Turned round: inside, the newest comes first. */
    for (stn_inbox_link *item = oldest, *next; item; item = next) {
        next = item->next;
        item->next = newest;
        newest = item;
    }
    head = atomic_load_explicit(&in->head, memory_order_relaxed);
    do
        oldest->next = head;
    while (!atomic_compare_exchange_weak_explicit(&in->head, &head, newest, memory_order_release,
                                                  memory_order_relaxed));
    /* Only the giver that found it empty wakes the loop: the others' items are taken in the same go. The
     * write cannot fail: the counter is far from its limit and the descriptor does not block. */
    if (!head)
        eventfd_write(in->fd, 1);
    return STN_OK;
}

int stn_inbox_fd(const stn_inbox *in)
{
    return in->fd;
}

stn_inbox_link *stn_inbox_take(stn_inbox *in)
{
    stn_inbox_link *list, *oldest = NULL;
    eventfd_t ignored;
    size_t n = 0;

    /* Cleared before the list is taken: an item that comes between is taken too, and at worst the next turn
     * finds nothing. */
    eventfd_read(in->fd, &ignored);
    list = atomic_exchange_explicit(&in->head, NULL, memory_order_acquire);
    while (list) {
        stn_inbox_link *next = list->next;
        list->next = oldest;
        oldest = list;
        list = next;
        n++;
    }
    if (n > 0)
        atomic_fetch_sub_explicit(&in->count, n, memory_order_relaxed);
    return oldest;
}
