#include "base/bytes.h"

const uint8_t *stn_bytes_take(stn_bytes *b, size_t n)
{
    const uint8_t *p;
    if (b->bad || n > b->len - b->pos) {
        b->bad = true;
        return NULL;
    }
    p = b->data ? b->data + b->pos : (const uint8_t *)"";
    b->pos += n;
    return p;
}

bool stn_bytes_skip(stn_bytes *b, size_t n)
{
    return stn_bytes_take(b, n) != NULL;
}

stn_bytes stn_bytes_sub(stn_bytes *b, size_t n)
{
    const uint8_t *p = stn_bytes_take(b, n);
    stn_bytes sub = stn_bytes_of(p, p ? n : 0);
    sub.bad = p == NULL;
    return sub;
}

const char *stn_bytes_cstr(stn_bytes *b, size_t *len)
{
    const uint8_t *start, *end;
    if (len)
        *len = 0;
    if (b->bad || b->pos == b->len) {
        b->bad = true;
        return NULL;
    }
    start = b->data + b->pos;
    end = memchr(start, 0, b->len - b->pos);
    if (!end) {
        b->bad = true;
        return NULL;
    }
    if (len)
        *len = (size_t)(end - start);
    b->pos += (size_t)(end - start) + 1;
    return (const char *)start;
}

uint8_t stn_bytes_u8(stn_bytes *b)
{
    const uint8_t *p = stn_bytes_take(b, 1);
    return p ? p[0] : 0;
}
int8_t stn_bytes_i8(stn_bytes *b)
{
    return (int8_t)stn_bytes_u8(b);
}
uint16_t stn_bytes_u16(stn_bytes *b)
{
    const uint8_t *p = stn_bytes_take(b, 2);
    return p ? stn_ld16(p) : 0;
}
int16_t stn_bytes_i16(stn_bytes *b)
{
    return (int16_t)stn_bytes_u16(b);
}
uint32_t stn_bytes_u32(stn_bytes *b)
{
    const uint8_t *p = stn_bytes_take(b, 4);
    return p ? stn_ld32(p) : 0;
}
int32_t stn_bytes_i32(stn_bytes *b)
{
    return (int32_t)stn_bytes_u32(b);
}
uint64_t stn_bytes_u64(stn_bytes *b)
{
    const uint8_t *p = stn_bytes_take(b, 8);
    return p ? stn_ld64(p) : 0;
}
int64_t stn_bytes_i64(stn_bytes *b)
{
    return (int64_t)stn_bytes_u64(b);
}
float stn_bytes_f32(stn_bytes *b)
{
    return stn_f32_of_bits(stn_bytes_u32(b));
}
double stn_bytes_f64(stn_bytes *b)
{
    return stn_f64_of_bits(stn_bytes_u64(b));
}
uint16_t stn_bytes_u16be(stn_bytes *b)
{
    const uint8_t *p = stn_bytes_take(b, 2);
    return (uint16_t)(p ? (unsigned)p[0] << 8 | p[1] : 0u);
}
uint32_t stn_bytes_u32be(stn_bytes *b)
{
    const uint8_t *p = stn_bytes_take(b, 4);
    return p ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3] : 0;
}
