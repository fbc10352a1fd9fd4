#include "base/buf.h"

#include "base/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stn_buf_fini(stn_buf *b)
{
    size_t max = b->max;
    free(b->data);
    *b = (stn_buf){.max = max};
}

void stn_buf_clear(stn_buf *b)
{
    b->len = 0;
    b->failed = false;
}

uint8_t *stn_buf_add(stn_buf *b, size_t n)
{
    uint8_t *p;
    if (b->failed)
        return NULL;
    if (n > SIZE_MAX / 4 - b->len || (b->max && n > b->max - b->len)) {
        b->failed = true;
        return NULL;
    }
    /* Also for nothing: NULL means that there is no memory. */
    if (!b->data || n > b->cap - b->len) {
        size_t cap = b->cap ? b->cap : 64;
        while (cap - b->len < n)
            cap += cap / 2 + 64;
        p = realloc(b->data, cap);
        if (!p) {
            b->failed = true;
            return NULL;
        }
        b->data = p;
        b->cap = cap;
    }
    p = b->data + b->len;
    b->len += n;
    return p;
}

void stn_buf_put(stn_buf *b, const void *data, size_t n)
{
    uint8_t *p;
    if (n == 0)
        return;
    p = stn_buf_add(b, n);
    if (p)
        memcpy(p, data, n);
}

void stn_buf_zero(stn_buf *b, size_t n)
{
    uint8_t *p;
    if (n == 0)
        return;
    p = stn_buf_add(b, n);
    if (p)
        memset(p, 0, n);
}

void stn_buf_cstr(stn_buf *b, const char *s)
{
    stn_buf_put(b, s, strlen(s) + 1);
}

void stn_buf_u8(stn_buf *b, uint8_t v)
{
    stn_buf_put(b, &v, 1);
}

void stn_buf_u16(stn_buf *b, uint16_t v)
{
    uint8_t *p = stn_buf_add(b, 2);
    if (p)
        stn_st16(p, v);
}

void stn_buf_u32(stn_buf *b, uint32_t v)
{
    uint8_t *p = stn_buf_add(b, 4);
    if (p)
        stn_st32(p, v);
}

void stn_buf_u64(stn_buf *b, uint64_t v)
{
    uint8_t *p = stn_buf_add(b, 8);
    if (p)
        stn_st64(p, v);
}

void stn_buf_f32(stn_buf *b, float v)
{
    stn_buf_u32(b, stn_bits_of_f32(v));
}

void stn_buf_f64(stn_buf *b, double v)
{
    stn_buf_u64(b, stn_bits_of_f64(v));
}

void stn_buf_printf(stn_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n;
    uint8_t *p;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) {
        b->failed = true;
    } else if ((p = stn_buf_add(b, (size_t)n + 1)) != NULL) {
        vsnprintf((char *)p, (size_t)n + 1, fmt, again);
        b->len--;
    }
    va_end(again);
}

uint8_t *stn_buf_take(stn_buf *b, size_t *len)
{
    uint8_t *p = b->failed ? NULL : b->data;
    if (len)
        *len = p ? b->len : 0;
    if (b->failed)
        free(b->data);
    *b = (stn_buf){.max = b->max};
    return p;
}
