/* res_cache.h - `stenness res cache` on the disk cache's folder itself: no instance needs to run, and one
 * that runs notices nothing but misses.
 *
 * Entries of resources alone (keys "res/…") are ever removed; other keys in a shared folder are only counted.
 */
#ifndef STN_CLIENT_RES_CACHE_H
#define STN_CLIENT_RES_CACHE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct stn_rc_choice {
    const char *folder; /* a folder; "shared" = that of an installed reference client; NULL = this client's */
    const char *identity; /* only its entries; NULL = all */
    int64_t older_days; /* only those not read for so many days; -1 = of any age */
    bool bad; /* purge: only what verify calls bad */
    bool json; /* list: one object a line */
} stn_rc_choice;

/* All print to standard output and return the exit status. */

/* One line an entry: bytes, last read, identity, name; in the order of identity and name. */
int stn_rc_list(const stn_rc_choice *c);
/* Entries and bytes of each identity, of other keys, of what is no entry. */
int stn_rc_size(const stn_rc_choice *c);
/* One line for each file: good or what is wrong with it; then the counts. EXIT_FAILURE when one is bad. */
int stn_rc_verify(const stn_rc_choice *c);
/* Removes the entries chosen; says how many. */
int stn_rc_purge(const stn_rc_choice *c);

#endif
