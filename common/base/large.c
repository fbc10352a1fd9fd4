#include "base/large.h"

#include "base/pages.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE ((size_t)2 << 20)
#define REGION ((size_t)16 << 20)
#if defined STN_SANITIZED && !defined __SANITIZE_THREAD__
#define BLOCK_MIN SIZE_MAX /* the address sanitizer watches what malloc() gives */
#else
#define BLOCK_MIN ((size_t)16 << 10)
#endif
#define BLOCK_MAX (REGION / 4) /* a larger one is a region of its own */
#define HEAD ((size_t)64)

typedef struct region {
    uint8_t *at; /* a multiple of LARGE_PAGE */
    size_t size, used, ready; /* ready: this far its pages are there */
    size_t live; /* blocks that are in use */
} region;

/* In front of each block. */
typedef struct head {
    region *in; /* NULL: of malloc() */
    size_t len; /* with the head */
} head;

_Static_assert(sizeof(head) <= HEAD, "the head must fit before the aligned block");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static region *open_region; /* where the next block is cut from; has one at least */

static size_t up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static size_t page_size(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

static region *region_new(size_t size)
{
    region *r = malloc(sizeof *r);
    size_t whole = size + LARGE_PAGE;
    uint8_t *p =
        r ? mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
          : NULL;
    if (!p || (void *)p == MAP_FAILED) {
        free(r);
        return NULL;
    }
    size_t before = up((uintptr_t)p, LARGE_PAGE) - (uintptr_t)p, behind = whole - size - before;
    if (before)
        munmap(p, before);
    if (behind)
        munmap(p + before + size, behind);
    *r = (region){.at = p + before, .size = size};
#ifdef MADV_HUGEPAGE
    (void)madvise(r->at, size, MADV_HUGEPAGE); /* without them it is memory like any other */
#endif
    return r;
}

static void region_free(region *r)
{
    munmap(r->at, r->size);
    free(r);
}

static void *small_block(size_t need)
{
    head *h = aligned_alloc(HEAD, need);
    if (!h)
        return NULL;
    *h = (head){.in = NULL, .len = need};
    return (uint8_t *)h + HEAD;
}

/* The next block of a region that has room. *fill: the pages to be mapped before it is used. */
static head *cut(region *r, size_t need, uint8_t **fill, size_t *fill_len)
{
    head *h = (head *)(void *)(r->at + r->used);
    r->used += need;
    r->live++;
    *fill = r->at + r->ready;
    *fill_len = 0;
    if (r->used > r->ready) {
        size_t end = up(r->used, LARGE_PAGE);
        *fill_len = (end < r->size ? end : r->size) - r->ready;
        r->ready += *fill_len;
    }
    return h;
}

void *stn_large_alloc(size_t len)
{
    if (len > SIZE_MAX / 4)
        return NULL;
    size_t need = HEAD + up(len, HEAD), fill_len = 0;
    uint8_t *fill = NULL;
    head *h = NULL;
    if (len < BLOCK_MIN)
        return small_block(need);
    if (need > BLOCK_MAX) {
        region *own = region_new(up(need, page_size()));
        if (!own)
            return NULL;
        h = cut(own, need, &fill, &fill_len);
        h->in = own;
    } else {
        pthread_mutex_lock(&lock);
        if (!open_region || open_region->size - open_region->used < need) {
            region *next = region_new(REGION);
            if (next)
                open_region = next; /* the full one goes with the last of its blocks */
        }
        region *r = open_region;
        if (r && r->size - r->used >= need)
            h = cut(r, need, &fill, &fill_len);
        pthread_mutex_unlock(&lock);
        if (!h)
            return NULL;
        h->in = r;
    }
    h->len = need;
    if (fill_len)
        stn_pages_populate(fill, fill_len);
    return (uint8_t *)h + HEAD;
}

/* The pages that are the block's alone. */
static void give_pages(const head *h)
{
    size_t page = page_size();
    uintptr_t start = up((uintptr_t)h, page), end = ((uintptr_t)h + h->len) / page * page;
    if (end > start)
        (void)madvise((void *)start, end - start, MADV_DONTNEED);
}

void stn_large_free(void *block)
{
    if (!block)
        return;
    head *h = (head *)(void *)((uint8_t *)block - HEAD);
    region *r = h->in;
    if (!r) {
        free(h);
        return;
    }
    pthread_mutex_lock(&lock);
    bool last = r->live == 1;
    pthread_mutex_unlock(&lock);
    /* While the block counts its region stays. With the last one the whole region goes. */
    if (!last)
        give_pages(h);
    pthread_mutex_lock(&lock);
    bool gone = --r->live == 0;
    if (gone && r == open_region)
        open_region = NULL;
    pthread_mutex_unlock(&lock);
    if (gone)
        region_free(r);
}
