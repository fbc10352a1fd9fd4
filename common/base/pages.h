/* pages.h - fresh memory that is about to be written whole. */
#ifndef STN_BASE_PAGES_H
#define STN_BASE_PAGES_H

#include <stddef.h>

/* Maps the pages of a large block at once; below 64 KiB nothing happens. Being stopped at each new page costs
 * more than writing it, several times so in a virtual machine. Only for what will certainly be written: it
 * takes the memory. A kernel that does not know how (before 5.14) maps them one by one, as ever. */
void stn_pages_populate(void *at, size_t len);

#endif
