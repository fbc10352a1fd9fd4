#include "bus/frame.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Bulk arrays are little-endian in memory and on the wire; this machine is not."
#endif

/* Frames from stn_frame_new() carry their bytes behind the header, which is padded so that they start
 * aligned. */
#define ALIGN 64u

struct stn_frame {
    atomic_uint refs;
    const uint8_t *data;
    size_t len;
    void (*done)(void *ctx);
    void *ctx;
};

_Static_assert(sizeof(struct stn_frame) <= ALIGN, "the header must fit before the aligned bytes");

static atomic_uint_fast64_t copied;
static const uint8_t nothing[1];

stn_frame *stn_frame_new(size_t len)
{
    size_t whole = ALIGN + (len + ALIGN - 1) / ALIGN * ALIGN;
    stn_frame *f;

    if (len > SIZE_MAX - 2 * ALIGN)
        return NULL;
    f = aligned_alloc(ALIGN, whole);
    if (!f)
        return NULL;
    atomic_init(&f->refs, 1);
    f->data = (const uint8_t *)f + ALIGN;
    f->len = len;
    f->done = NULL;
    f->ctx = NULL;
    return f;
}

stn_frame *stn_frame_copy(const void *data, size_t len)
{
    stn_frame *f = stn_frame_new(len);
    if (f && len > 0) {
        memcpy(stn_frame_writable(f), data, len);
        atomic_fetch_add_explicit(&copied, len, memory_order_relaxed);
    }
    return f;
}

stn_frame *stn_frame_wrap(const void *data, size_t len, void (*done)(void *ctx), void *ctx)
{
    stn_frame *f = malloc(sizeof *f);
    if (!f)
        return NULL;
    atomic_init(&f->refs, 1);
    f->data = len > 0 ? data : nothing;
    f->len = len;
    f->done = done;
    f->ctx = ctx;
    return f;
}

static void let_go_of_whole(void *whole)
{
    stn_frame_unref(whole);
}

stn_frame *stn_frame_slice(stn_frame *of, size_t offset, size_t len)
{
    stn_frame *f;
    if (!of || offset > of->len || len > of->len - offset)
        return NULL;
    f = stn_frame_wrap(of->data + offset, len, let_go_of_whole, of);
    if (f)
        stn_frame_ref(of);
    return f;
}

stn_frame *stn_frame_ref(stn_frame *f)
{
    if (f)
        atomic_fetch_add_explicit(&f->refs, 1, memory_order_relaxed);
    return f;
}

void stn_frame_unref(stn_frame *f)
{
    /* Release: the others' last reads happen before the memory goes. Acquire: and here they are seen. */
    if (!f || atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (f->done)
        f->done(f->ctx);
    free(f);
}

const uint8_t *stn_frame_data(const stn_frame *f)
{
    return f ? f->data : nothing;
}

size_t stn_frame_len(const stn_frame *f)
{
    return f ? f->len : 0;
}

uint8_t *stn_frame_writable(stn_frame *f)
{
    return (uint8_t *)f + (f->data - (const uint8_t *)f);
}

uint64_t stn_frame_copied_bytes(void)
{
    return atomic_load_explicit(&copied, memory_order_relaxed);
}
