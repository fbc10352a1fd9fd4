/* twin_plant.c - what grows in patches: field crops, trellis crops, ground clutter. Each patch is scattered
 * by the object's own random source and lies on the ground, whatever way the object is turned. Source:
 * docs/spec/sprites.md 20 (Scattered), 21.3. */
#include "renderer/sprite/internal.h"

#include "renderer/sprite/scatter.h"

#include <math.h>

#define MAX_VARIANTS 256

typedef struct plant {
    int32_t stage;
    int32_t num, high; /* sprouts; gaussian: from num to high … */
    float radius; /* … so far around */
    stn_scatter where;
} plant;

static stn_sprite_fault flat(void *user, stn_place_surface surface, double x, double y, double *out,
                             stn_err *err)
{
    (void)user, (void)surface, (void)x, (void)y, (void)err;
    *out = 0;
    return STN_SPRITE_OK;
}

static const stn_ground nowhere = {flat, NULL, NULL};

static stn_scatter scatter_of(const stn_sprite *sprite)
{
    const stn_sprite_stand *stand = sprite->object ? sprite->object->stand : NULL;
    stn_scatter s = {.object = sprite->object ? sprite->object->id : stn_ctx_seed(sprite->ctx),
                     .ground = &nowhere};

    if (stand) {
        s.angle = stand->angle;
        s.x = stand->x;
        s.y = stand->y;
    }
    if (stand && stand->ground) {
        s.z = stand->z;
        s.ground = stand->ground;
    }
    return s;
}

static stn_sprite_fault number(const stn_sprite *sprite, const stn_values *args, uint32_t i, double *out,
                               stn_err *err)
{
    if (i < args->count && stn_value_as_double(&args->items[i], out, NULL) == STN_OK && isfinite(*out) &&
        fabs(*out) < 1e6)
        return STN_SPRITE_OK;
    return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: argument %u of the plant is no number",
                           sprite->res->name, i);
}

static stn_sprite_fault init_staged(stn_sprite *sprite, const uint8_t *sdt, size_t len,
                                    const stn_values *args, stn_err *err)
{
    plant *p = sprite->data;
    double num;
    stn_sprite_fault fault = number(sprite, args, 0, &num, err);

    if (fault)
        return fault;
    if (len < 1)
        return stn_sprite_fail(err, STN_SPRITE_EOF, "%.80s: the stage of the plant is not told",
                               sprite->res->name);
    p->stage = sdt[0];
    p->num = (int32_t)num;
    p->where = scatter_of(sprite);
    return STN_SPRITE_OK;
}

static stn_sprite_fault init_gaussian(stn_sprite *sprite, const uint8_t *sdt, size_t len,
                                      const stn_values *args, stn_err *err)
{
    plant *p = sprite->data;
    double low, high, radius;
    stn_sprite_fault fault;

    (void)sdt, (void)len;
    if ((fault = number(sprite, args, 0, &low, err)) || (fault = number(sprite, args, 1, &high, err)) ||
        (fault = number(sprite, args, 2, &radius, err)))
        return fault;
    p->num = (int32_t)low;
    p->high = (int32_t)high;
    p->radius = (float)radius;
    p->where = scatter_of(sprite);
    return STN_SPRITE_OK;
}

/* The sprout's place takes that of the object's turn. */
static stn_sprite_fault put_at(stn_sprite_build *b, stn_sprite_part *part, const stn_sprout *at, stn_err *err)
{
    stn_dyn dyn = {.kind = STN_DYN_SCATTER, .place = at->place};

    return stn_part_add_dyn(b->arena, part, &dyn) ? STN_SPRITE_OK : stn_sprite_no_memory(b->sprite, err);
}

static stn_sprite_fault put_mesh(stn_sprite_build *b, const stn_res_layer *mesh, const stn_sprout *at,
                                 stn_err *err)
{
    stn_sprite_part *part;
    stn_sprite_fault fault = stn_build_mesh(b, mesh, mesh->as.mesh->mat->as.mat, &part, err);

    return fault ? fault : put_at(b, part, at, err);
}

static stn_sprite_fault build_staged(stn_sprite_build *b, bool trellis, stn_err *err)
{
    const plant *p = b->sprite->data;
    const stn_res *res = b->sprite->res->res;
    const stn_res_layer *variants[MAX_VARIANTS];
    stn_sprout sprouts[STN_SPROUTS_MAX];
    int32_t n_variants = 0;
    uint32_t n;
    stn_sprite_fault fault;

    for (const stn_res_layer *l = NULL; (l = stn_res_next(res, STN_LAYER_MESH, l)) != NULL;)
        if (l->as.mesh->mat && l->as.mesh->id / 10 == p->stage && n_variants < MAX_VARIANTS)
            variants[n_variants++] = l;
    fault = trellis ? stn_scatter_trellis(&p->where, p->num, n_variants, sprouts, &n, err)
                    : stn_scatter_growing(&p->where, p->num, n_variants, sprouts, &n, err);
    for (uint32_t i = 0; i < n && !fault; i++)
        fault = put_mesh(b, variants[sprouts[i].variant], &sprouts[i], err);
    return fault;
}

static stn_sprite_fault build_growing(stn_sprite_build *b, stn_err *err)
{
    return build_staged(b, false, err);
}

static stn_sprite_fault build_trellis(stn_sprite_build *b, stn_err *err)
{
    return build_staged(b, true, err);
}

/* ---- gaussian: what shares an id stands together ---- */

typedef struct group {
    int32_t id;
    uint32_t first, count; /* of `members`, sorted by group */
} group;

typedef struct member {
    int32_t id;
    const stn_res_layer *mesh; /* or … */
    uint32_t link; /* … a link's number */
} member;

typedef struct groups {
    member members[MAX_VARIANTS];
    uint32_t n_members;
    group groups[MAX_VARIANTS];
    uint32_t n_groups;
} groups;

/* The bucket that the reference's hash table puts an id into: groups are numbered by its walk. */
static uint32_t bucket(int32_t id, uint32_t cap)
{
    uint32_t h = (uint32_t)id;
    return (h ^ h >> 16) & (cap - 1);
}

static void add_member(groups *g, member m)
{
    if (g->n_members < MAX_VARIANTS)
        g->members[g->n_members++] = m;
}

static void gather_groups(const stn_sprite *sprite, groups *g)
{
    member ordered[MAX_VARIANTS];
    uint32_t cap = 16, at = 0;

    for (const stn_res_layer *l = NULL; (l = stn_res_next(sprite->res->res, STN_LAYER_MESH, l)) != NULL;)
        if (l->as.mesh->mat)
            add_member(g, (member){l->as.mesh->id, l, 0});
    for (uint32_t i = 0; i < sprite->n_links; i++)
        add_member(g, (member){sprite->links[i].layer->id, NULL, i});
    for (uint32_t i = 0; i < g->n_members; i++) {
        uint32_t k = 0;
        while (k < g->n_groups && g->groups[k].id != g->members[i].id)
            k++;
        if (k == g->n_groups)
            g->groups[g->n_groups++] = (group){.id = g->members[i].id};
        g->groups[k].count++;
    }
    while ((float)g->n_groups > 0.75f * (float)cap)
        cap *= 2;
    /* Stable: in a bucket the group that appeared first stays first. */
    for (uint32_t i = 1; i < g->n_groups; i++) {
        group one = g->groups[i];
        uint32_t k = i;
        for (; k > 0 && bucket(g->groups[k - 1].id, cap) > bucket(one.id, cap); k--)
            g->groups[k] = g->groups[k - 1];
        g->groups[k] = one;
    }
    for (uint32_t k = 0; k < g->n_groups; k++) {
        g->groups[k].first = at;
        for (uint32_t i = 0; i < g->n_members; i++)
            if (g->members[i].id == g->groups[k].id)
                ordered[at++] = g->members[i];
    }
    for (uint32_t i = 0; i < at; i++)
        g->members[i] = ordered[i];
}

static stn_sprite_fault put_member(stn_sprite_build *b, const member *m, const stn_sprout *at, stn_err *err)
{
    stn_sprite_part *part;
    stn_sprite_fault fault;

    if (m->mesh)
        return put_mesh(b, m->mesh, at, err);
    fault = stn_links_add(b, m->link, &part, err);
    return fault ? fault : put_at(b, part, at, err);
}

static stn_sprite_fault build_gaussian(stn_sprite_build *b, stn_err *err)
{
    const plant *p = b->sprite->data;
    groups g = {0};
    uint32_t counts[MAX_VARIANTS], n, in_group = 0;
    stn_sprout sprouts[STN_SPROUTS_MAX];
    stn_sprite_fault fault;

    gather_groups(b->sprite, &g);
    for (uint32_t i = 0; i < g.n_groups; i++)
        counts[i] = g.groups[i].count;
    fault = stn_scatter_gaussian(&p->where, p->num, p->high, p->radius, (int32_t)g.n_groups, counts, sprouts,
                                 &n, err);
    /* The members of a group come one behind the other. */
    for (uint32_t i = 0; i < n && !fault; i++) {
        const group *of = &g.groups[sprouts[i].variant];
        fault = put_member(b, &g.members[of->first + in_group], &sprouts[i], err);
        in_group = in_group + 1 < of->count ? in_group + 1 : 0;
    }
    return fault;
}

const stn_twin stn_twin_growing = {
    .id = STN_NATIVE_GROWING, .size = sizeof(plant), .init = init_staged, .build = build_growing};
const stn_twin stn_twin_trellis = {
    .id = STN_NATIVE_TRELLIS, .size = sizeof(plant), .init = init_staged, .build = build_trellis};
const stn_twin stn_twin_gaussian = {
    .id = STN_NATIVE_GAUSSIAN, .size = sizeof(plant), .init = init_gaussian, .build = build_gaussian};
