#include "base/heap.h"

#include <malloc.h>

void stn_heap_for_bulk(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, STN_HEAP_MAPPED);
    mallopt(M_TRIM_THRESHOLD, STN_HEAP_KEEP);
#endif
}
