#include "world/gob.h"

#include <stdlib.h>
#include <string.h>

stn_gob *stn_gob_new(int64_t id, bool is_virtual)
{
    stn_gob *g = calloc(1, sizeof *g);
    if (g) {
        g->id = id;
        g->is_virtual = is_virtual || id < 0;
    }
    return g;
}

void stn_sres_fini(stn_sres *r)
{
    free(r->sdt);
    *r = (stn_sres){0};
}

void stn_sres_list_fini(stn_sres_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        stn_sres_fini(&l->at[i]);
    free(l->at);
    *l = (stn_sres_list){0};
}

void stn_moving_fini(stn_moving *m)
{
    free(m->bone);
    *m = (stn_moving){0};
}

void stn_drawable_fini(stn_drawable *d)
{
    stn_sres_fini(&d->res);
    stn_sres_list_fini(&d->poses);
    stn_sres_list_fini(&d->timed);
    for (size_t i = 0; i < d->n_mods; i++)
        stn_sres_list_fini(&d->mods[i].textures);
    free(d->mods);
    for (size_t i = 0; i < d->n_equ; i++) {
        free(d->equ[i].at);
        stn_sres_fini(&d->equ[i].res);
    }
    free(d->equ);
    *d = (stn_drawable){0};
}

void stn_gob_overlay_remove(stn_gob *g, size_t i)
{
    stn_sres_fini(&g->overlays[i].res);
    memmove(&g->overlays[i], &g->overlays[i + 1], (g->n_overlays - i - 1) * sizeof g->overlays[0]);
    g->n_overlays--;
    g->changed |= 1u << STN_COMP_OVERLAYS;
}

void stn_gob_free(stn_gob *g)
{
    if (!g)
        return;
    stn_moving_fini(&g->moving);
    stn_drawable_fini(&g->drawable);
    free(g->avatar.layers);
    free(g->speaking.text);
    stn_sres_fini(&g->icon.res);
    for (size_t i = 0; i < g->n_published; i++)
        free(g->published[i].data);
    free(g->published);
    for (size_t i = 0; i < g->n_overlays; i++)
        stn_sres_fini(&g->overlays[i].res);
    free(g->overlays);
    free(g);
}
