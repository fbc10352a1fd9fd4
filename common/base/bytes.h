/* bytes.h - a cursor over bytes from outside, little-endian unless said otherwise.
 *
 * The cursor knows what is left. A read past the end fails, sets `bad` and yields zero; the cursor does not
 * move any more. Code may thus read a whole structure and test stn_bytes_ok() once, but must test before it
 * uses a count to size an allocation. `need > left` is checked, never `pos + need > len`.
 */
#ifndef STN_BASE_BYTES_H
#define STN_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct stn_bytes {
    const uint8_t *data;
    size_t len;
    size_t pos;
    bool bad;
} stn_bytes;

static inline stn_bytes stn_bytes_of(const void *data, size_t len)
{
    return (stn_bytes){.data = (const uint8_t *)data, .len = len};
}
static inline size_t stn_bytes_left(const stn_bytes *b)
{
    return b->len - b->pos;
}
static inline bool stn_bytes_ok(const stn_bytes *b)
{
    return !b->bad;
}

/* Borrowed view of the next n bytes, or NULL (and bad) when fewer are left. n = 0 gives a non-NULL pointer
 * when data is non-NULL. */
const uint8_t *stn_bytes_take(stn_bytes *b, size_t n);
bool stn_bytes_skip(stn_bytes *b, size_t n);
/* A cursor over the next n bytes; the result is bad when fewer are left. */
stn_bytes stn_bytes_sub(stn_bytes *b, size_t n);
/* NUL-terminated text: a borrowed pointer into the data (terminated there), its length without the NUL in
 * *len when non-NULL. NULL (and bad) when no NUL is left. Bytes are not checked to be UTF-8. */
const char *stn_bytes_cstr(stn_bytes *b, size_t *len);

uint8_t stn_bytes_u8(stn_bytes *b);
int8_t stn_bytes_i8(stn_bytes *b);
uint16_t stn_bytes_u16(stn_bytes *b);
int16_t stn_bytes_i16(stn_bytes *b);
uint32_t stn_bytes_u32(stn_bytes *b);
int32_t stn_bytes_i32(stn_bytes *b);
uint64_t stn_bytes_u64(stn_bytes *b);
int64_t stn_bytes_i64(stn_bytes *b);
float stn_bytes_f32(stn_bytes *b);
double stn_bytes_f64(stn_bytes *b);
uint16_t stn_bytes_u16be(stn_bytes *b);
uint32_t stn_bytes_u32be(stn_bytes *b);

/* Unaligned little-endian access to plain memory; the caller has checked the bounds. */
static inline uint16_t stn_ld16(const void *p)
{
    const uint8_t *b = (const uint8_t *)p;
    return (uint16_t)(b[0] | (unsigned)b[1] << 8);
}
static inline uint32_t stn_ld32(const void *p)
{
    const uint8_t *b = (const uint8_t *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint64_t stn_ld64(const void *p)
{
    const uint8_t *b = (const uint8_t *)p;
    return (uint64_t)stn_ld32(b) | (uint64_t)stn_ld32(b + 4) << 32;
}
static inline void stn_st16(void *p, uint16_t v)
{
    uint8_t *b = (uint8_t *)p;
    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
}
static inline void stn_st32(void *p, uint32_t v)
{
    uint8_t *b = (uint8_t *)p;
    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
    b[2] = (uint8_t)(v >> 16);
    b[3] = (uint8_t)(v >> 24);
}
static inline void stn_st64(void *p, uint64_t v)
{
    stn_st32(p, (uint32_t)v);
    stn_st32((uint8_t *)p + 4, (uint32_t)(v >> 32));
}
/* Bits and values of IEEE floats, without aliasing. */
static inline float stn_f32_of_bits(uint32_t v)
{
    float f;
    memcpy(&f, &v, 4);
    return f;
}
static inline uint32_t stn_bits_of_f32(float f)
{
    uint32_t v;
    memcpy(&v, &f, 4);
    return v;
}
static inline double stn_f64_of_bits(uint64_t v)
{
    double f;
    memcpy(&f, &v, 8);
    return f;
}
static inline uint64_t stn_bits_of_f64(double f)
{
    uint64_t v;
    memcpy(&v, &f, 8);
    return v;
}

#endif
