/* hash.h - hashes for tables (seeded per process) and for comparing state across runs (unseeded). */
#ifndef STN_BASE_HASH_H
#define STN_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seeded at random once per process: for tables only. */
uint64_t stn_hash_u64(uint64_t key);
uint64_t stn_hash_text(const char *text);

/* For a process that must do the same each time, out of input that is trusted: its tables are then walked in
 * the same order in each run. Before the first table is used; false: it is too late. */
bool stn_hash_fix(uint64_t seed); /* not 0 */

/* Stable across processes and machines: 64-bit FNV-1a. Start from STN_HASH_START; feed in order. */
#define STN_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t stn_hash_feed(uint64_t hash, const void *data, size_t len);

/* Random bytes from the kernel: epochs, seeds, jitter. Never fails (waits for the pool once at boot). */
void stn_random_bytes(void *out, size_t len);
uint64_t stn_random_u64(void); /* never 0 */

#endif
