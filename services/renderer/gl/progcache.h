/* progcache.h - programs as the driver made them, kept in a file for the next start.
 *
 * What is in it is of one driver: the file's name is a hash of the driver's words, and a binary that the
 * driver refuses is made anew and replaced. The file is read whole when the cache is opened and written by a
 * thread of its own, so that no frame waits for a disk.
 *
 * Shape   "STNPROG1"; then entries: u64 key, u32 format (GL's), u32 length, bytes; then u64 FNV-1a of all
 *         before it. Little-endian. A file that is cut short or changed is dropped.
 * Limits  STN_PROGCACHE_MAX entries, 64 MiB; more are not kept.
 * Source  docs/spec/rendering.md 21.4.
 */
#ifndef STN_RENDERER_GL_PROGCACHE_H
#define STN_RENDERER_GL_PROGCACHE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_PROGCACHE_MAX 1024
#define STN_PROGCACHE_BYTES (64u << 20)

typedef struct stn_progcache stn_progcache;

/* `path` NULL: it is kept in memory alone. A file that is absent or damaged starts an empty one (the latter
 * is said). NULL: out of memory. */
stn_progcache *stn_progcache_new(const char *path);
/* Waits for the thread that writes, and writes what it has not. NULL is fine. */
void stn_progcache_free(stn_progcache *c);
/* Borrowed until the cache is freed; NULL: not there. */
const void *stn_progcache_get(const stn_progcache *c, uint64_t key, uint32_t *format, size_t *len);
/* Copies. The newest of a key counts. */
void stn_progcache_put(stn_progcache *c, uint64_t key, uint32_t format, const void *data, size_t len);
/* When something is new and no thread writes, starts one. Never waits. */
void stn_progcache_save(stn_progcache *c);
size_t stn_progcache_count(const stn_progcache *c);

/* The file's bytes, apart from the disk. */
void stn_progcache_encode(const stn_progcache *c, stn_buf *out);
stn_status stn_progcache_decode(stn_progcache *c, const uint8_t *data, size_t len, stn_err *err);

#endif
