#include "loader/queue.h"

#include <stdlib.h>

void stn_queue_fini(stn_queue *q)
{
    free(q->heap);
    *q = (stn_queue){0};
}

bool stn_queue_reserve(stn_queue *q, size_t n)
{
    if (n <= q->cap)
        return true;
    size_t cap = q->cap ? q->cap : 64;
    while (cap < n)
        cap *= 2;
    stn_queued **heap = realloc(q->heap, cap * sizeof *heap);
    if (!heap)
        return false;
    q->heap = heap;
    q->cap = cap;
    return true;
}

static bool before(const stn_queued *a, const stn_queued *b)
{
    return a->prio != b->prio ? a->prio > b->prio : a->seq < b->seq;
}

static void place(stn_queue *q, size_t i, stn_queued *e)
{
    q->heap[i] = e;
    e->at = i + 1;
}

static void sift_up(stn_queue *q, size_t i, stn_queued *e)
{
    while (i > 0 && before(e, q->heap[(i - 1) / 2])) {
        place(q, i, q->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    place(q, i, e);
}

static void sift_down(stn_queue *q, size_t i, stn_queued *e)
{
    for (;;) {
        size_t c = 2 * i + 1;
        if (c >= q->len)
            break;
        if (c + 1 < q->len && before(q->heap[c + 1], q->heap[c]))
            c++;
        if (!before(q->heap[c], e))
            break;
        place(q, i, q->heap[c]);
        i = c;
    }
    place(q, i, e);
}

bool stn_queue_push(stn_queue *q, stn_queued *e)
{
    if (!stn_queue_reserve(q, q->len + 1))
        return false;
    e->seq = ++q->last_seq;
    sift_up(q, q->len++, e);
    return true;
}

void stn_queue_put_back(stn_queue *q, stn_queued *e)
{
    sift_up(q, q->len++, e);
}

stn_queued *stn_queue_pop(stn_queue *q)
{
    stn_queued *e = q->len ? q->heap[0] : NULL;
    if (e)
        stn_queue_remove(q, e);
    return e;
}

void stn_queue_remove(stn_queue *q, stn_queued *e)
{
    if (!e->at)
        return;
    size_t i = e->at - 1;
    e->at = 0;
    stn_queued *last = q->heap[--q->len];
    if (last == e)
        return;
    if (i > 0 && before(last, q->heap[(i - 1) / 2]))
        sift_up(q, i, last);
    else
        sift_down(q, i, last);
}

void stn_queue_raise(stn_queue *q, stn_queued *e, int prio)
{
    if (prio <= e->prio)
        return;
    e->prio = prio;
    if (e->at)
        sift_up(q, e->at - 1, e);
}
