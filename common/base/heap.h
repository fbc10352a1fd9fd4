/* heap.h - how a program's heap treats blocks of the size of a cut's product. */
#ifndef STN_BASE_HEAP_H
#define STN_BASE_HEAP_H

/* For programs through which products and layers stream: blocks of tens of kilobytes to a megabyte that come
 * and go some hundred times a second. As it is set up, glibc gives such memory back to the kernel and asks
 * for it again all the time: every page is taken from all processors, zeroed and mapped anew, which cost more
 * than reading the bytes from the socket. So each of the heap's arenas may keep STN_HEAP_KEEP bytes free at
 * its end, and blocks under STN_HEAP_MAPPED come out of the arenas. To be called before any thread is made.
 */
#define STN_HEAP_KEEP (8 << 20)
#define STN_HEAP_MAPPED (2 << 20) /* over a piece of bulk, which is the largest that comes often */
void stn_heap_for_bulk(void);

#endif
