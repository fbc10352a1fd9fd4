#include "map/decoration.h"

#include "base/bytes.h"

#include <math.h>
#include <stdlib.h>

static uint32_t up8(uint32_t v)
{
    return (v + 7) & ~7u;
}

void stn_decoration_lay_out(stn_decoration_plan *p)
{
    p->at_groups = up8(STN_DECORATION_HEAD + p->name_bytes);
    p->at_objects = p->at_groups + p->ngroups * STN_DECORATION_GROUP;
    p->total = p->at_objects + p->nobjects * STN_DECORATION_OBJECT;
}

void stn_decoration_put_head(uint8_t *out, const stn_decoration_plan *p, int64_t seed)
{
    stn_st32(out, STN_DECORATION_MAGIC);
    stn_st32(out + 4, STN_DECORATION_FORMAT);
    stn_st32(out + 8, p->total);
    stn_st32(out + 12, p->nnames | p->ngroups << 16);
    stn_st32(out + 16, p->nobjects);
    stn_st64(out + 20, (uint64_t)seed);
    stn_st32(out + 28, 0);
}

void stn_decoration_put_group(uint8_t *out, const stn_decoration_group *g)
{
    stn_st32(out, g->material_name);
    stn_st32(out + 4, (uint32_t)g->material);
}

void stn_decoration_put_object(uint8_t *out, const stn_decoration_object *o)
{
    stn_st16(out, o->name);
    stn_st16(out + 2, o->group);
    stn_st32(out + 4, (uint32_t)(o->tile_x | o->tile_y << 8));
    stn_st64(out + 8, stn_bits_of_f64(o->x));
    stn_st64(out + 16, stn_bits_of_f64(o->y));
    stn_st64(out + 24, stn_bits_of_f64(o->angle));
    stn_st64(out + 32, (uint64_t)o->seed);
}

static stn_status read_groups(stn_decoration *d, const uint8_t *in, stn_err *err)
{
    for (uint32_t i = 0; i < d->ngroups; i++, in += STN_DECORATION_GROUP) {
        stn_decoration_group *g = &d->groups[i];
        g->material_name = stn_ld16(in);
        g->material = (int32_t)stn_ld32(in + 4);
        if (g->material_name != STN_PRODUCT_NO_NAME && g->material_name >= d->nnames)
            return stn_fail(err, STN_BAD_DATA, "decoration: group %u has material name %u of %u", i,
                            g->material_name, d->nnames);
    }
    return STN_OK;
}

static stn_status read_objects(stn_decoration *d, const uint8_t *in, stn_err *err)
{
    for (uint32_t i = 0; i < d->nobjects; i++, in += STN_DECORATION_OBJECT) {
        stn_decoration_object *o = &d->objects[i];
        o->name = stn_ld16(in);
        o->group = stn_ld16(in + 2);
        o->tile_x = in[4];
        o->tile_y = in[5];
        o->x = stn_f64_of_bits(stn_ld64(in + 8));
        o->y = stn_f64_of_bits(stn_ld64(in + 16));
        o->angle = stn_f64_of_bits(stn_ld64(in + 24));
        o->seed = (int64_t)stn_ld64(in + 32);
        if (o->name >= d->nnames || o->group >= d->ngroups || o->tile_x >= STN_CUT_TILES ||
            o->tile_y >= STN_CUT_TILES || !isfinite(o->x) || !isfinite(o->y) || !isfinite(o->angle))
            return stn_fail(
                err, STN_BAD_DATA,
                "decoration: object %u has name %u of %u, group %u of %u, tile %u,%u, or a place that is no "
                "number",
                i, o->name, d->nnames, o->group, d->ngroups, o->tile_x, o->tile_y);
    }
    return STN_OK;
}

stn_status stn_decoration_open(const void *data, size_t len, stn_decoration *out, stn_err *err)
{
    const uint8_t *in = data;
    stn_decoration d = {0};
    size_t names_end = STN_DECORATION_HEAD;

    *out = d;
    if (len < STN_DECORATION_HEAD)
        return stn_fail(err, STN_TRUNCATED, "decoration of %zu bytes: its head has %d", len,
                        STN_DECORATION_HEAD);
    if (stn_ld32(in) != STN_DECORATION_MAGIC)
        return stn_fail(err, STN_BAD_DATA, "decoration: it starts with %08x, expected %08x", stn_ld32(in),
                        STN_DECORATION_MAGIC);
    if (stn_ld16(in + 4) != STN_DECORATION_FORMAT)
        return stn_fail(err, STN_VERSION, "decoration of format %u, expected %d", stn_ld16(in + 4),
                        STN_DECORATION_FORMAT);
    if (stn_ld32(in + 8) != len)
        return stn_fail(err, STN_TRUNCATED, "decoration of %zu bytes: its head says %u", len,
                        stn_ld32(in + 8));
    d.nnames = stn_ld16(in + 12);
    d.ngroups = stn_ld16(in + 14);
    d.nobjects = stn_ld32(in + 16);
    d.seed = (int64_t)stn_ld64(in + 20);
    if (d.nobjects > STN_DECORATION_MAX || d.nnames > STN_PRODUCT_MAX_NAMES)
        return stn_fail(err, STN_TOO_BIG, "decoration: %u objects, %u names, at most %d and %d", d.nobjects,
                        d.nnames, STN_DECORATION_MAX, STN_PRODUCT_MAX_NAMES);
    /* Each entry has its bytes, so what is allocated is in proportion to what came. */
    if (len < STN_DECORATION_HEAD + 6 * (size_t)d.nnames + (size_t)d.ngroups * STN_DECORATION_GROUP +
                  (size_t)d.nobjects * STN_DECORATION_OBJECT)
        return stn_fail(err, STN_TRUNCATED,
                        "decoration of %zu bytes: %u names, %u groups, %u objects need more", len, d.nnames,
                        d.ngroups, d.nobjects);
    char *m = calloc(1, d.nobjects * sizeof *d.objects + d.nnames * sizeof *d.names +
                            d.ngroups * sizeof *d.groups + 1);
    if (!m)
        return stn_fail(err, STN_NO_MEMORY, "decoration of %u objects", d.nobjects);
    d.memory = m;
    d.objects = (stn_decoration_object *)(void *)m;
    d.names = (stn_product_name *)(void *)(d.objects + d.nobjects);
    d.groups = (stn_decoration_group *)(void *)(d.names + d.nnames);
    stn_status st = stn_product_read_names(in, len, &names_end, d.names, d.nnames, err);
    if (st == STN_OK) {
        stn_decoration_plan p = {.name_bytes = (uint32_t)names_end - STN_DECORATION_HEAD,
                                 .ngroups = d.ngroups,
                                 .nobjects = d.nobjects};
        stn_decoration_lay_out(&p);
        if (p.total != len)
            st = stn_fail(err, STN_BAD_DATA, "decoration of %zu bytes: its parts take %u", len, p.total);
        else if ((st = read_groups(&d, in + p.at_groups, err)) == STN_OK)
            st = read_objects(&d, in + p.at_objects, err);
    }
    if (st != STN_OK) {
        free(d.memory);
        return st;
    }
    *out = d;
    return STN_OK;
}

void stn_decoration_close(stn_decoration *d)
{
    free(d->memory);
    *d = (stn_decoration){0};
}
