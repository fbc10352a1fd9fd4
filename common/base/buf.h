/* buf.h - a growing byte buffer, for what we write.
 *
 * A failed allocation (or growth over `max` when that is not 0) sets `failed` and later writes do nothing, so
 * a writer tests once at the end. Little-endian. Zero-initialised is ready to use; stn_buf_fini() frees.
 */
#ifndef STN_BASE_BUF_H
#define STN_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_buf {
    uint8_t *data;
    size_t len;
    size_t cap;
    size_t max; /* 0 = no ceiling of its own */
    bool failed;
} stn_buf;

void stn_buf_fini(stn_buf *b);
void stn_buf_clear(stn_buf *b); /* keeps the memory */
/* n bytes at the end, uninitialised, to be filled by the caller; NULL when failed. */
uint8_t *stn_buf_add(stn_buf *b, size_t n);
void stn_buf_put(stn_buf *b, const void *data, size_t n);
void stn_buf_zero(stn_buf *b, size_t n);
void stn_buf_cstr(stn_buf *b, const char *s); /* with its NUL */
void stn_buf_u8(stn_buf *b, uint8_t v);
void stn_buf_u16(stn_buf *b, uint16_t v);
void stn_buf_u32(stn_buf *b, uint32_t v);
void stn_buf_u64(stn_buf *b, uint64_t v);
void stn_buf_f32(stn_buf *b, float v);
void stn_buf_f64(stn_buf *b, double v);
/* Appends formatted text without a NUL. */
void stn_buf_printf(stn_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Moves the memory to the caller (free()); the buffer is empty afterwards. NULL when failed or empty. */
uint8_t *stn_buf_take(stn_buf *b, size_t *len);

#endif
