/* arena.h - memory that is freed together.
 *
 * Blocks grow as needed; stn_arena_reset() keeps the largest block, so an arena that is reset per job stops
 * allocating once it has seen its largest job. Results are 16-byte aligned and uninitialised unless said.
 * NULL when out of memory or over the ceiling. Not thread-safe.
 */
#ifndef STN_BASE_ARENA_H
#define STN_BASE_ARENA_H

#include <stddef.h>

typedef struct stn_arena stn_arena;

/* max_bytes: ceiling of all blocks together, 0 = none. NULL when out of memory. */
stn_arena *stn_arena_new(size_t first_block_bytes, size_t max_bytes);
void stn_arena_free(stn_arena *arena); /* NULL is fine */
void stn_arena_reset(stn_arena *arena);
void *stn_arena_alloc(stn_arena *arena, size_t bytes);
void *stn_arena_zalloc(stn_arena *arena, size_t count, size_t size); /* zeroed; the product is checked */
void *stn_arena_array(stn_arena *arena, size_t count,
                      size_t size); /* uninitialised; the product is checked */
char *stn_arena_strdup(stn_arena *arena, const char *text);
char *stn_arena_strndup(stn_arena *arena, const char *text, size_t len);
void *stn_arena_dup(stn_arena *arena, const void *data, size_t bytes);
size_t stn_arena_used(const stn_arena *arena); /* bytes handed out since the last reset */
size_t stn_arena_size(const stn_arena *arena); /* bytes held in blocks */
size_t stn_arena_peak(const stn_arena *arena); /* most bytes handed out between two resets */

#endif
