#include "renderer/gl/uploads.h"

#include <math.h>
#include <stdlib.h>

bool stn_uploads_init(stn_uploads *u)
{
    *u = (stn_uploads){.items = malloc(STN_UPLOADS_MAX * sizeof *u->items)};
    return u->items != NULL;
}

void stn_uploads_fini(stn_uploads *u)
{
    free(u->items);
    *u = (stn_uploads){0};
}

bool stn_uploads_put(stn_uploads *u, stn_job *job, uint64_t key, int64_t now_ns)
{
    if (u->count == STN_UPLOADS_MAX)
        return false;
    u->items[u->count++] =
        (stn_upload){.job = job, .came_ns = now_ns, .key = key, .turn = u->turns++, .far = INFINITY};
    return true;
}

static bool before(const stn_upload *a, const stn_upload *b, int64_t now_ns)
{
    bool late_a = now_ns - a->came_ns >= STN_UPLOAD_PATIENCE_NS;
    bool late_b = now_ns - b->came_ns >= STN_UPLOAD_PATIENCE_NS;

    if (late_a != late_b)
        return late_a;
    if (!late_a && a->far != b->far)
        return a->far < b->far;
    return a->turn < b->turn;
}

stn_upload *stn_uploads_next(stn_uploads *u, int64_t now_ns)
{
    stn_upload *best = u->count ? &u->items[0] : NULL;

    for (size_t i = 1; i < u->count; i++)
        if (before(&u->items[i], best, now_ns))
            best = &u->items[i];
    for (size_t i = 0; best && best->key && i < u->count; i++)
        if (u->items[i].key == best->key && u->items[i].turn < best->turn)
            best = &u->items[i];
    return best;
}

void stn_uploads_remove(stn_uploads *u, stn_upload *which)
{
    *which = u->items[--u->count];
}

bool stn_uploads_waits(const stn_uploads *u, uint64_t key)
{
    for (size_t i = 0; i < u->count; i++)
        if (u->items[i].key == key)
            return true;
    return false;
}
