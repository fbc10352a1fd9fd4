#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define POPULATE_FROM ((size_t)64 << 10)

void stn_pages_populate(void *at, size_t len)
{
    long size = sysconf(_SC_PAGESIZE);
    uintptr_t page = size > 0 ? (uintptr_t)size : 4096;
    uintptr_t start = ((uintptr_t)at + page - 1) / page * page, end = ((uintptr_t)at + len) / page * page;

    if (len < POPULATE_FROM || end <= start)
        return;
#ifdef MADV_POPULATE_WRITE
    (void)madvise((void *)start, end - start, MADV_POPULATE_WRITE);
#endif
}
