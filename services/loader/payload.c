#include "loader/payload.h"

#include <stdlib.h>

stn_payload *stn_payload_take(stn_decoded *from)
{
    stn_payload *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->body = from->body;
    p->body_len = from->body_len;
    from->body = NULL;
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++) {
        p->frames[i] = from->frames[i];
        from->frames[i] = NULL;
    }
    return p;
}

void stn_payload_free(stn_payload *p)
{
    if (!p)
        return;
    free(p->body);
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
        stn_frame_unref(p->frames[i]);
    free(p);
}

size_t stn_payload_bytes(const stn_payload *p)
{
    size_t n = sizeof *p + p->body_len;
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
        n += stn_frame_len(p->frames[i]);
    return n;
}
