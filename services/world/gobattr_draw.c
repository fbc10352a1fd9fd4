/* What an object looks like: resource drawables, composites, overlays. Source: docs/spec/object-cache.md
 * A3.1, A3.2, A5. */
#include "world/gobattr.h"

#include <stdlib.h>
#include <string.h>

#define OVERLAYS_MAX 1024 /* of one object */

/* Resources until 65535, owned. False: cut short (in->bad) or no memory. */
static bool read_list(stn_bytes *in, stn_sres_list *out)
{
    size_t cap = 0;
    *out = (stn_sres_list){0};
    for (;;) {
        uint16_t word = stn_bytes_u16(in);
        stn_sres r;
        if (!stn_bytes_ok(in))
            break;
        if (word == 65535)
            return true;
        r = stn_attr_sres(in, word);
        if (!stn_bytes_ok(in))
            break;
        if (out->n == cap) {
            stn_sres *more = realloc(out->at, (cap ? cap * 2 : 4) * sizeof *more);
            if (!more)
                break;
            out->at = more;
            cap = cap ? cap * 2 : 4;
        }
        if (!stn_attr_own(&r))
            break;
        out->at[out->n++] = r;
    }
    stn_sres_list_fini(out);
    return false;
}

/* ---- drawables (A3.1, A3.2) */

static void set_drawable(stn_attr_ctx *c, stn_drawable d)
{
    stn_drawable_fini(&c->g->drawable);
    d.instance = stn_attr_instance(c);
    c->g->drawable = d;
    stn_attr_touch(c, STN_COMP_DRAWABLE);
    stn_attr_touch(c, STN_COMP_POSES);
    stn_attr_touch(c, STN_COMP_MODS);
    stn_attr_touch(c, STN_COMP_EQUIPMENT);
}

stn_status stn_attr_res(stn_attr_ctx *c)
{
    stn_drawable *d = &c->g->drawable, n = {.kind = STN_DRAW_RESOURCE};
    stn_res_traits t;
    stn_status st;
    bool same_id;
    uint16_t word = stn_bytes_u16(&c->in);

    n.res = stn_attr_sres(&c->in, word);
    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "RES");
    same_id = d->kind == STN_DRAW_RESOURCE && d->res.resid == n.res.resid;
    if (same_id && stn_attr_same_state(&d->res, &n.res))
        return STN_OK;
    if ((st = stn_attr_traits(c, n.res.resid, &t)) != STN_OK)
        return st;
    if (!stn_attr_own(&n.res))
        return stn_attr_no_memory(c);
    if (same_id && t.live_update) {
        stn_sres_fini(&d->res);
        d->res = n.res;
        d->updates++;
        stn_attr_touch(c, STN_COMP_DRAWABLE);
    } else {
        set_drawable(c, n);
    }
    return STN_OK;
}

stn_status stn_attr_compose(stn_attr_ctx *c)
{
    stn_drawable *d = &c->g->drawable;
    uint16_t base = stn_bytes_u16(&c->in);
    stn_res_traits t;
    stn_status st;

    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "COMPOSE");
    if (d->kind == STN_DRAW_COMPOSITE && d->res.resid == base)
        return STN_OK;
    if ((st = stn_attr_traits(c, base, &t)) != STN_OK)
        return st;
    if (!t.skeleton)
        return stn_fail(c->err, STN_BAD_DATA, "object %lld: COMPOSE on resource %u, which has no skeleton",
                        (long long)c->g->id, base);
    set_drawable(c, (stn_drawable){.kind = STN_DRAW_COMPOSITE, .res = {.resid = base}, .pseq = -1});
    return STN_OK;
}

static stn_status need_composite(stn_attr_ctx *c, const char *name)
{
    if (c->g->drawable.kind == STN_DRAW_COMPOSITE)
        return STN_OK;
    return stn_fail(c->err, STN_BAD_DATA, "object %lld: %s without a composite", (long long)c->g->id, name);
}

stn_status stn_attr_cmppose(stn_attr_ctx *c)
{
    stn_drawable *d = &c->g->drawable;
    uint8_t flags = stn_bytes_u8(&c->in), seq = stn_bytes_u8(&c->in), t = 0;
    stn_sres_list poses = {0}, timed = {0};
    stn_status st;

    if (flags & 2 && stn_bytes_ok(&c->in) && !read_list(&c->in, &poses))
        return stn_bytes_ok(&c->in) ? stn_attr_no_memory(c) : stn_attr_cut_short(c, "CMPPOSE");
    if (flags & 4 && stn_bytes_ok(&c->in) && read_list(&c->in, &timed))
        t = stn_bytes_u8(&c->in);
    st = !stn_bytes_ok(&c->in) ? stn_attr_cut_short(c, "CMPPOSE") : need_composite(c, "CMPPOSE");
    if (st != STN_OK || d->pseq == seq) {
        stn_sres_list_fini(&poses);
        stn_sres_list_fini(&timed);
        return st;
    }
    d->pseq = seq;
    if (flags & 2) {
        stn_sres_list_fini(&d->poses);
        stn_sres_list_fini(&d->timed);
        d->poses = poses;
        d->has_poses = true;
        d->interp = flags & 1;
        d->has_timed = false;
    }
    if (flags & 4) {
        stn_sres_list_fini(&d->timed);
        d->timed = timed;
        d->has_timed = true;
        d->timed_s = (float)t / 10.0f;
    }
    stn_attr_touch(c, STN_COMP_POSES);
    return STN_OK;
}

stn_status stn_attr_cmpmod(stn_attr_ctx *c)
{
    stn_drawable n = {0}, *d = &c->g->drawable;
    size_t cap = 0;
    stn_status st = STN_OK;

    for (;;) {
        uint16_t mod = stn_bytes_u16(&c->in);
        if (!stn_bytes_ok(&c->in) || mod == 65535)
            break;
        if (n.n_mods == cap) {
            stn_mod *more = realloc(n.mods, (cap ? cap * 2 : 4) * sizeof *more);
            if (!more) {
                st = stn_attr_no_memory(c);
                goto out;
            }
            n.mods = more;
            cap = cap ? cap * 2 : 4;
        }
        n.mods[n.n_mods] = (stn_mod){.mod = mod};
        if (!read_list(&c->in, &n.mods[n.n_mods].textures)) {
            st = stn_bytes_ok(&c->in) ? stn_attr_no_memory(c) : stn_attr_cut_short(c, "CMPMOD");
            goto out;
        }
        n.n_mods++;
    }
    if ((st = !stn_bytes_ok(&c->in) ? stn_attr_cut_short(c, "CMPMOD") : need_composite(c, "CMPMOD")) ==
        STN_OK) {
        stn_mod *mods = d->mods;
        size_t n_mods = d->n_mods;
        d->mods = n.mods;
        d->n_mods = n.n_mods;
        d->has_mods = true;
        n.mods = mods;
        n.n_mods = n_mods;
        stn_attr_touch(c, STN_COMP_MODS);
    }
out:
    stn_drawable_fini(&n);
    return st;
}

static bool read_equ(stn_attr_ctx *c, stn_equ *e)
{
    uint8_t head = e->type;
    const char *at = stn_bytes_cstr(&c->in, NULL);
    uint16_t word = stn_bytes_u16(&c->in);

    e->type = head & 0x7f;
    e->has_offset = head & 0x80;
    e->res = stn_attr_sres(&c->in, word);
    for (int i = 0; e->has_offset && i < 3; i++)
        e->off[i] = (float)stn_bytes_i16(&c->in) / 1000.0f;
    if (!stn_bytes_ok(&c->in) || !at || !(e->at = strdup(at)))
        return false;
    if (!stn_attr_own(&e->res)) {
        free(e->at);
        return false;
    }
    return true;
}

stn_status stn_attr_cmpequ(stn_attr_ctx *c)
{
    stn_drawable n = {0}, *d = &c->g->drawable;
    size_t cap = 0;
    stn_status st = STN_OK;

    for (;;) {
        uint8_t head = stn_bytes_u8(&c->in);
        if (!stn_bytes_ok(&c->in) || head == 255)
            break;
        if (n.n_equ == cap) {
            stn_equ *more = realloc(n.equ, (cap ? cap * 2 : 4) * sizeof *more);
            if (!more) {
                st = stn_attr_no_memory(c);
                goto out;
            }
            n.equ = more;
            cap = cap ? cap * 2 : 4;
        }
        n.equ[n.n_equ] = (stn_equ){.type = head};
        if (!read_equ(c, &n.equ[n.n_equ])) {
            st = stn_bytes_ok(&c->in) ? stn_attr_no_memory(c) : stn_attr_cut_short(c, "CMPEQU");
            goto out;
        }
        n.n_equ++;
    }
    if ((st = !stn_bytes_ok(&c->in) ? stn_attr_cut_short(c, "CMPEQU") : need_composite(c, "CMPEQU")) ==
        STN_OK) {
        stn_equ *equ = d->equ;
        size_t n_equ = d->n_equ;
        d->equ = n.equ;
        d->n_equ = n.n_equ;
        d->has_equ = true;
        n.equ = equ;
        n.n_equ = n_equ;
        stn_attr_touch(c, STN_COMP_EQUIPMENT);
    }
out:
    stn_drawable_fini(&n);
    return st;
}

/* ---- overlays (A5) */

/* Newer or older, modulo the 31 bits of an overlay id. */
static bool later(int32_t a, int32_t b)
{
    return (int32_t)(((uint32_t)a << 1) - ((uint32_t)b << 1)) > 0;
}

static stn_status add_overlay(stn_attr_ctx *c, int32_t id, stn_sres res, bool persistent)
{
    stn_gob *g = c->g;
    if (g->n_overlays == OVERLAYS_MAX)
        return stn_fail(c->err, STN_TOO_BIG, "object %lld: more than %d overlays", (long long)g->id,
                        OVERLAYS_MAX);
    if (g->n_overlays == g->cap_overlays) {
        size_t cap = g->cap_overlays ? g->cap_overlays * 2 : 2;
        stn_overlay *more = realloc(g->overlays, cap * sizeof *more);
        if (!more)
            return stn_attr_no_memory(c);
        g->overlays = more;
        g->cap_overlays = cap;
    }
    if (!stn_attr_own(&res))
        return stn_attr_no_memory(c);
    g->overlays[g->n_overlays++] = (stn_overlay){.id = id,
                                                 .instance = stn_attr_instance(c),
                                                 .res = res,
                                                 .delign = persistent,
                                                 .old = c->old,
                                                 .in_scene = g->is_public};
    stn_attr_touch(c, STN_COMP_OVERLAYS);
    return STN_OK;
}

stn_status stn_attr_overlay(stn_attr_ctx *c)
{
    stn_gob *g = c->g;
    uint32_t x = stn_bytes_u32(&c->in);
    uint16_t word = stn_bytes_u16(&c->in);
    bool persistent = x & 1;
    int32_t id = (int32_t)(x >> 1);
    stn_sres res = {0};
    stn_res_traits t;
    stn_status st;
    size_t i;

    if (word != 65535)
        res = stn_attr_sres(&c->in, word);
    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "OVERLAY");
    for (i = 0; i < g->n_overlays && g->overlays[i].id != id; i++)
        ;
    if (word == 65535) {
        if (i == g->n_overlays)
            return STN_OK;
        if ((st = stn_attr_traits(c, g->overlays[i].res.resid, &t)) != STN_OK)
            return st;
        if (t.deferred_end) {
            g->overlays[i].deleted = true;
            stn_attr_touch(c, STN_COMP_OVERLAYS);
        } else {
            stn_gob_overlay_remove(g, i);
        }
        return STN_OK;
    }
    if (i == g->n_overlays) {
        if (!persistent && g->lastolid != 0 && !later(id, g->lastolid))
            return STN_OK;
        if ((st = stn_attr_traits(c, res.resid, &t)) != STN_OK ||
            (st = add_overlay(c, id, res, persistent)) != STN_OK)
            return st;
        if (!persistent)
            g->lastolid = id;
        return STN_OK;
    }
    /* The resource is not compared. */
    if (stn_attr_same_state(&g->overlays[i].res, &res))
        return STN_OK;
    if ((st = stn_attr_traits(c, g->overlays[i].res.resid, &t)) != STN_OK)
        return st;
    if (t.live_update) {
        res.resid = g->overlays[i].res.resid;
        if (!stn_attr_own(&res))
            return stn_attr_no_memory(c);
        stn_sres_fini(&g->overlays[i].res);
        g->overlays[i].res = res;
        g->overlays[i].updates++;
        stn_attr_touch(c, STN_COMP_OVERLAYS);
        return STN_OK;
    }
    if ((st = stn_attr_traits(c, res.resid, &t)) != STN_OK ||
        (st = add_overlay(c, id, res, persistent)) != STN_OK)
        return st;
    stn_gob_overlay_remove(g, i);
    return STN_OK;
}
