#include "mesher/decor_pack.h"

#include "base/bytes.h"

#include <string.h>

typedef struct name {
    const char *text;
    int32_t version;
} name;

struct stn_decor_pack {
    const stn_decor *d;
    stn_decoration_plan plan;
    name *names;
    uint16_t *name_of; /* by object */
    uint16_t *group_of; /* by object */
    uint16_t *material_of; /* by group */
};

static uint16_t name_index(stn_decor_pack *p, const char *text, int32_t version)
{
    for (uint32_t i = 0; i < p->plan.nnames; i++)
        if (p->names[i].version == version &&
            (p->names[i].text == text || strcmp(p->names[i].text, text) == 0))
            return (uint16_t)i;
    p->names[p->plan.nnames] = (name){text, version};
    p->plan.name_bytes += 6 + (uint32_t)strlen(text);
    return (uint16_t)p->plan.nnames++;
}

stn_status stn_decor_pack_new(const stn_decor *d, stn_arena *arena, stn_decor_pack **out, size_t *total,
                              stn_err *err)
{
    stn_decor_pack *p = stn_arena_zalloc(arena, 1, sizeof *p);

    *out = NULL;
    if (d->count > STN_DECORATION_MAX || d->ngroups > 0xffff)
        return stn_fail(err, STN_TOO_BIG, "%u decoration objects in one cut, at most %d", d->count,
                        STN_DECORATION_MAX);
    /* A cut's objects name fewer resources than there are objects and groups. */
    if (!p || !(p->names = stn_arena_array(arena, (size_t)d->count + d->ngroups + 1, sizeof *p->names)) ||
        !(p->name_of = stn_arena_array(arena, d->count, sizeof *p->name_of)) ||
        !(p->group_of = stn_arena_zalloc(arena, d->count, sizeof *p->group_of)) ||
        !(p->material_of = stn_arena_array(arena, d->ngroups, sizeof *p->material_of)))
        return stn_fail(err, STN_NO_MEMORY, "decoration of %u objects", d->count);
    p->d = d;
    for (uint32_t i = 0; i < d->count && p->plan.nnames <= STN_PRODUCT_MAX_NAMES; i++) {
        const stn_decor_object *o = &d->objects[i];
        const stn_tile_flavor *f = &o->set->def.flavors[o->flavor];
        p->name_of[i] = name_index(p, f->res, f->version);
    }
    for (uint32_t g = 0; g < d->ngroups && p->plan.nnames <= STN_PRODUCT_MAX_NAMES; g++) {
        const stn_material *m = &d->groups[g].material;
        p->material_of[g] = m->res ? name_index(p, m->res, m->version) : STN_PRODUCT_NO_NAME;
        for (uint32_t i = 0; i < d->groups[g].count; i++)
            p->group_of[d->groups[g].objects[i]] = (uint16_t)g;
    }
    if (p->plan.nnames > STN_PRODUCT_MAX_NAMES)
        return stn_fail(err, STN_TOO_BIG, "decoration of one cut names more than %d resources",
                        STN_PRODUCT_MAX_NAMES);
    p->plan.ngroups = d->ngroups;
    p->plan.nobjects = d->count;
    stn_decoration_lay_out(&p->plan);
    *total = p->plan.total;
    *out = p;
    return STN_OK;
}

void stn_decor_pack_write(const stn_decor_pack *p, uint8_t *out)
{
    uint8_t *at = out + STN_DECORATION_HEAD;

    stn_decoration_put_head(out, &p->plan, p->d->seed);
    for (uint32_t i = 0; i < p->plan.nnames; i++) {
        size_t n = strlen(p->names[i].text);
        stn_st32(at, (uint32_t)p->names[i].version);
        stn_st16(at + 4, (uint16_t)n);
        memcpy(at + 6, p->names[i].text, n);
        at += 6 + n;
    }
    memset(at, 0, (size_t)(out + p->plan.at_groups - at));
    for (uint32_t g = 0; g < p->plan.ngroups; g++)
        stn_decoration_put_group(out + p->plan.at_groups + g * STN_DECORATION_GROUP,
                                 &(stn_decoration_group){p->material_of[g], p->d->groups[g].material.id});
    for (uint32_t i = 0; i < p->plan.nobjects; i++) {
        const stn_decor_object *o = &p->d->objects[i];
        const stn_decoration_object packed = {.name = p->name_of[i],
                                              .group = p->group_of[i],
                                              .tile_x = o->tile_x,
                                              .tile_y = o->tile_y,
                                              .x = o->x,
                                              .y = o->y,
                                              .angle = o->angle,
                                              .seed = o->seed};
        stn_decoration_put_object(out + p->plan.at_objects + i * STN_DECORATION_OBJECT, &packed);
    }
}
