/* large.h - large blocks of memory, on large pages where the system has them.
 *
 * The first touch of a fresh page costs more than to write it, many times so in a virtual machine, and for a
 * page of 2 MiB hardly more than for one of 4 KiB. malloc() makes a mapping of its own of each large block,
 * which is then too small for such a page; here they lie one behind the other in regions of 16 MiB.
 *
 * For blocks that are written whole at once and kept: a block that is given back goes to the system at once,
 * but its place is used again only when its whole region is free. So what a process holds is what is in use,
 * the pages that blocks share with their neighbours, and the rest of the last large page.
 * Threads  any may take, any may give back. There is one lock, held for moments.
 */
#ifndef STN_BASE_LARGE_H
#define STN_BASE_LARGE_H

#include <stddef.h>

/* Aligned to 64 bytes, what is in it is not said. Blocks under 16 KiB come from malloc(). NULL: out of
 * memory. */
void *stn_large_alloc(size_t len);
void stn_large_free(void *block); /* NULL is fine */

#endif
