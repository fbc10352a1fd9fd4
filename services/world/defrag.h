/* world/defrag.h - map data arrives in fragments that may be lost, repeated and out of order.
 *
 * A buffer per packet id keeps the missing intervals of a blob whose length the first fragment told. Complete
 * when nothing is missing. Buffers that saw no fragment for 10 s are forgotten.
 * Limits: 20 missing intervals a buffer, 64 live buffers (the oldest goes), 4 MB together.
 * Source: docs/spec/map-cache.md 3.1, vectors mapcache/defrag.json.
 */
#ifndef STN_WORLD_DEFRAG_H
#define STN_WORLD_DEFRAG_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_DEFRAG_HOLES 20
#define STN_DEFRAG_LIVE 64
#define STN_DEFRAG_BYTES (4u << 20)
#define STN_DEFRAG_FORGET_MS 10000

/* One blob in the making: the pure rule, without time or packet ids. */
typedef struct stn_blob {
    uint8_t *data;
    int32_t len;
    int n_holes;
    int32_t from[STN_DEFRAG_HOLES], to[STN_DEFRAG_HOLES]; /* missing [from, to) */
} stn_blob;

stn_status stn_blob_init(stn_blob *b, uint16_t len, stn_err *err);
void stn_blob_fini(stn_blob *b);
/* STN_OK: complete; STN_AGAIN: parts are missing; STN_BAD_DATA: outside the blob, nothing changed;
 * STN_TOO_BIG: more than 20 holes, the blob is spoilt and must be dropped. */
stn_status stn_blob_add(stn_blob *b, uint16_t off, const uint8_t *data, size_t n, stn_err *err);

typedef struct stn_defrag stn_defrag;

stn_defrag *stn_defrag_new(void); /* NULL: out of memory */
void stn_defrag_free(stn_defrag *d);
void stn_defrag_clear(stn_defrag *d);
size_t stn_defrag_live(const stn_defrag *d);
/* One MAPDATA body (i32 packet id, u16 offset, u16 total, data). STN_OK: *blob is the whole blob, the caller
 * frees it; STN_AGAIN: more is needed. Errors leave the other buffers as they are. Buffers are aged by now_ms
 * in every case but an unreadable body. */
stn_status stn_defrag_feed(stn_defrag *d, const uint8_t *body, size_t len, int64_t now_ms, uint8_t **blob,
                           size_t *blob_len, stn_err *err);

#endif
