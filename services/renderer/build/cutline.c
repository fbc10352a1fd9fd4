#include "renderer/build/cutline.h"

#include <stdlib.h>

struct stn_cutline {
    stn_waiting_cut *first, **end;
    size_t count;
    uint64_t shown; /* changes up to this one are */
};

stn_waiting_cut *stn_waiting_cut_new(stn_cut_kind kind, int64_t now_ns)
{
    stn_waiting_cut *c = calloc(1, sizeof *c);

    if (c) {
        c->kind = kind;
        c->came_ns = now_ns;
    }
    return c;
}

void stn_waiting_cut_free(void *cut)
{
    stn_waiting_cut *c = cut;

    if (!c)
        return;
    if (c->release)
        c->release(c->arg);
    free(c->unpacked);
    free(c);
}

stn_cutline *stn_cutline_new(void)
{
    stn_cutline *l = calloc(1, sizeof *l);

    if (l)
        l->end = &l->first;
    return l;
}

void stn_cutline_free(stn_cutline *l)
{
    if (!l)
        return;
    stn_cutline_clear(l);
    free(l);
}

void stn_cutline_clear(stn_cutline *l)
{
    while (l->first) {
        stn_waiting_cut *c = l->first;

        l->first = c->next;
        stn_waiting_cut_free(c);
    }
    l->end = &l->first;
    l->count = 0;
    l->shown = 0;
}

size_t stn_cutline_count(const stn_cutline *l)
{
    return l->count;
}

static stn_waiting_cut *leave(stn_cutline *l, stn_waiting_cut **at)
{
    stn_waiting_cut *c = *at;

    *at = c->next;
    if (l->end == &c->next)
        l->end = at;
    l->count--;
    c->next = NULL;
    return c;
}

void stn_cutline_forget(stn_cutline *l, int32_t x, int32_t y, stn_cut_kind kind)
{
    for (stn_waiting_cut **p = &l->first; *p;) {
        stn_waiting_cut *c = *p;

        if (c->kind == kind && c->x == x && c->y == y)
            stn_waiting_cut_free(leave(l, p));
        else
            p = &c->next;
    }
}

void stn_cutline_add(stn_cutline *l, stn_waiting_cut *cut)
{
    if (cut->kind != STN_CUT_END_OF_CHANGE)
        stn_cutline_forget(l, cut->x, cut->y, cut->kind);
    cut->next = NULL;
    *l->end = cut;
    l->end = &cut->next;
    l->count++;
}

/* Ground of the changes up to `end` that is not handed over yet. A decoration does not keep them waiting. */
static bool lacks_ground(const stn_cutline *l, const stn_waiting_cut *end)
{
    for (const stn_waiting_cut *c = l->first; c != end; c = c->next)
        if (c->kind == STN_CUT_GROUND && c->swap && c->swap <= end->swap)
            return true;
    return false;
}

static bool due(const stn_cutline *l, const stn_waiting_cut *c, int64_t now_ns)
{
    if (c->kind == STN_CUT_GROUND || now_ns - c->came_ns >= STN_CUTLINE_PATIENCE_NS)
        return true;
    return c->kind == STN_CUT_DECORATION ? c->swap <= l->shown : !lacks_ground(l, c);
}

void stn_cutline_visit(stn_cutline *l, int64_t now_ns, stn_cutline_fn *fn, void *ctx)
{
    for (stn_waiting_cut **p = &l->first; *p;) {
        stn_waiting_cut *c = *p, *next = c->next;
        uint64_t shown = c->kind == STN_CUT_END_OF_CHANGE ? c->swap : 0;
        bool last = l->end == &c->next;
        stn_cutline_answer answer = due(l, c, now_ns) ? fn(ctx, c) : STN_CUTLINE_KEPT;

        if (answer == STN_CUTLINE_STOP)
            return;
        if (answer == STN_CUTLINE_KEPT) {
            p = &c->next;
            continue;
        }
        /* The visitor may have freed it. */
        *p = next;
        if (last)
            l->end = p;
        l->count--;
        l->shown = shown > l->shown ? shown : l->shown;
    }
}
