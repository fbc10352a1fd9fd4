#include "bus/bus_internal.h"

#include <stdlib.h>

stn_msg *stn_msg_new(void)
{
    stn_msg *m = calloc(1, sizeof *m);
    if (m)
        atomic_init(&m->refs, 1);
    return m;
}

stn_msg *stn_msg_ref(stn_msg *m)
{
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void stn_msg_unref(stn_msg *m)
{
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1)
        return;
    stn_frame_unref(m->body_frame);
    for (size_t i = 0; i < m->n_bulk; i++)
        stn_frame_unref(m->bulk[i]);
    free(m);
}

stn_msg *stn_msg_recorded(const stn_envelope *env, stn_frame *body, stn_frame *const *bulk, size_t n_bulk)
{
    stn_msg *m = n_bulk <= STN_BULK_FRAMES_MAX ? stn_msg_new() : NULL;

    if (!m)
        return NULL;
    m->env = *env;
    m->body_frame = stn_frame_ref(body);
    for (size_t i = 0; i < n_bulk; i++)
        m->bulk[i] = stn_frame_ref(bulk[i]);
    m->n_bulk = n_bulk;
    return m;
}

uint32_t stn_msg_kind(const stn_msg *m)
{
    return m->env.kind;
}

uint32_t stn_msg_stream(const stn_msg *m)
{
    return m->env.stream;
}

uint64_t stn_msg_sequence(const stn_msg *m)
{
    return m->env.sequence;
}

uint64_t stn_msg_correlation(const stn_msg *m)
{
    return m->env.correlation;
}

const stn_envelope *stn_msg_envelope(const stn_msg *m)
{
    return &m->env;
}

const void *stn_msg_body(const stn_msg *m)
{
    return m->body;
}

stn_frame *stn_msg_body_frame(const stn_msg *m)
{
    return m->body_frame;
}

size_t stn_msg_bulk_count(const stn_msg *m)
{
    return m->n_bulk;
}

stn_frame *stn_msg_bulk(const stn_msg *m, size_t i)
{
    return i < m->n_bulk ? m->bulk[i] : NULL;
}

stn_frame *const *stn_msg_bulk_frames(const stn_msg *m)
{
    return m->bulk;
}

size_t stn_msg_bytes(const stn_msg *m)
{
    size_t n = stn_frame_len(m->body_frame);
    for (size_t i = 0; i < m->n_bulk; i++)
        n += stn_frame_len(m->bulk[i]);
    return n;
}
