#include "renderer/hud/captions.h"

#include <math.h>
#include <stddef.h>

static bool before(const stn_caption *a, const stn_caption *b)
{
    return a->depth < b->depth;
}

/* Whom a new one takes the place of, if that is less worth showing. */
static bool worse(const stn_caption *a, const stn_caption *b)
{
    return !a->speech != !b->speech ? b->speech != NULL : before(b, a);
}

void stn_captions_add(stn_captions *all, const stn_caption *c)
{
    unsigned worst = 0;

    if (!isfinite(c->x) || !isfinite(c->y) || !isfinite(c->depth) || !(c->w > 0.0f) || !(c->h > 0.0f))
        return;
    if (all->count < STN_CAPTIONS) {
        all->at[all->count++] = *c;
        return;
    }
    for (unsigned i = 1; i < STN_CAPTIONS; i++)
        if (worse(&all->at[i], &all->at[worst]))
            worst = i;
    if (worse(&all->at[worst], c))
        all->at[worst] = *c;
}

static bool overlap(const stn_caption *a, const stn_caption *b)
{
    return fabsf(a->x - b->x) < 0.5f * (a->w + b->w) && a->top < b->top + b->h && b->top < a->top + a->h;
}

/* The one of those before it that it lies on. */
static const stn_caption *in_the_way(const stn_captions *all, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (all->at[k].shown && overlap(&all->at[k], &all->at[i]))
            return &all->at[k];
    return NULL;
}

static void place(stn_captions *all, unsigned i, float lift)
{
    stn_caption *c = &all->at[i];
    const stn_caption *other;

    c->top = c->y - c->h;
    /* Up past one other at each step, so this ends. */
    while ((other = in_the_way(all, i)) && c->y - c->h - (other->top - c->h) <= lift)
        c->top = other->top - c->h;
    c->shown = !other;
    if (other && c->speech) {
        c->top = c->y - c->h;
        c->shown = true;
    }
}

void stn_captions_place(stn_captions *all, float lift)
{
    for (unsigned i = 1; i < all->count; i++) {
        stn_caption c = all->at[i];
        unsigned k = i;

        for (; k > 0 && before(&c, &all->at[k - 1]); k--)
            all->at[k] = all->at[k - 1];
        all->at[k] = c;
    }
    for (unsigned i = 0; i < all->count; i++)
        all->at[i].shown = false;
    for (unsigned i = 0; i < all->count; i++)
        place(all, i, lift);
}
