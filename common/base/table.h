/* table.h - hash tables: 64-bit key or text key to pointer.
 *
 * Open addressing, grows at 3/4 full, tombstone-free removal. Values are never NULL. Keys from outside are
 * mixed with a random seed per process, so a peer cannot aim for collisions. Iteration order is not stable
 * across processes: what must be deterministic sorts. Text keys are copied. Not thread-safe.
 */
#ifndef STN_BASE_TABLE_H
#define STN_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_table stn_table; /* u64 -> void* */
typedef struct stn_names stn_names; /* text -> void* */

stn_table *stn_table_new(void); /* NULL when out of memory */
void stn_table_free(stn_table *t); /* the values are the caller's */
size_t stn_table_count(const stn_table *t);
void *stn_table_get(const stn_table *t, uint64_t key); /* NULL = absent */
/* Sets or replaces; the replaced value in *old when non-NULL. False: out of memory, nothing changed. */
bool stn_table_put(stn_table *t, uint64_t key, void *value, void **old);
void *stn_table_remove(stn_table *t, uint64_t key); /* the removed value, or NULL */
void stn_table_clear(stn_table *t);
/* *it starts at 0; false at the end. No change to the table while iterating. */
bool stn_table_next(const stn_table *t, size_t *it, uint64_t *key, void **value);

stn_names *stn_names_new(void);
void stn_names_free(stn_names *t);
size_t stn_names_count(const stn_names *t);
void *stn_names_get(const stn_names *t, const char *key);
bool stn_names_put(stn_names *t, const char *key, void *value, void **old);
void *stn_names_remove(stn_names *t, const char *key);
bool stn_names_next(const stn_names *t, size_t *it, const char **key, void **value);

#endif
