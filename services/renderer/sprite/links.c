/* links.c - render links: meshes, groups and whole sprites that a resource brings in. Source:
 * docs/spec/sprites.md 7.2, 12.1. */
#include "renderer/sprite/internal.h"

#include <stdlib.h>
#include <string.h>

stn_sprite_fault stn_links_init(stn_sprite *sprite, stn_err *err)
{
    uint32_t n = 0;

    for (const stn_res_layer *l = NULL; (l = stn_res_next(sprite->res->res, STN_LAYER_RLINK, l)) != NULL;)
        n++;
    if (n == 0)
        return STN_SPRITE_OK;
    sprite->links = calloc(n, sizeof *sprite->links);
    if (!sprite->links)
        return stn_sprite_no_memory(sprite, err);
    for (const stn_res_layer *l = NULL; (l = stn_res_next(sprite->res->res, STN_LAYER_RLINK, l)) != NULL;)
        sprite->links[sprite->n_links++].layer = l->as.rlink;
    return STN_SPRITE_OK;
}

static void forget_node(link_node *node)
{
    stn_sprite_free(node->child);
    free(node->flicker);
    free(node->part.wraps);
    free(node->part.dyns);
    for (uint32_t i = 0; i < node->part.n_members; i++)
        free(node->part.members[i].wraps);
    free((void *)node->part.members);
    node->part = (stn_sprite_part){0};
    node->made = false;
    node->child = NULL;
    node->flicker = NULL;
}

void stn_links_sweep(stn_sprite *sprite)
{
    for (uint32_t i = 0; i < sprite->n_links; i++)
        if (sprite->links[i].made && !sprite->links[i].wanted)
            forget_node(&sprite->links[i]);
}

void stn_links_free(stn_sprite *sprite)
{
    for (uint32_t i = 0; i < sprite->n_links; i++)
        forget_node(&sprite->links[i]);
    free(sprite->links);
}

static stn_sprite_fault linked(const stn_sprite *sprite, const stn_resref *ref, const stn_sprite_res **out,
                               stn_err *err)
{
    if (!ref->name[0]) {
        *out = sprite->res;
        return STN_SPRITE_OK;
    }
    return stn_sprite_get(stn_sprite_ctx_source(sprite->ctx), ref->name, ref->version, out, err);
}

/* A linked material comes apart when its part is made: the static half innermost, then the dynamic one, both
 * locked. */
static stn_sprite_fault unwrap_material(const stn_sprite *sprite, const stn_sprite_mat *material,
                                        stn_sprite_part *part, stn_err *err)
{
    part->wraps = calloc(2, sizeof *part->wraps);
    if (!part->wraps)
        return stn_sprite_no_memory(sprite, err);
    if (material->statics.count > 0 || material->dynamics.count == 0)
        part->wraps[part->n_wraps++] = (stn_wrap){
            .kind = material->statics.count > 0 ? STN_WRAP_STATIC : STN_WRAP_MATERIAL, .material = material};
    if (material->dynamics.count > 0)
        part->wraps[part->n_wraps++] = (stn_wrap){.kind = STN_WRAP_DYNAMIC, .material = material};
    return STN_SPRITE_OK;
}

static stn_sprite_fault make_mesh(stn_sprite *sprite, link_node *node, stn_err *err)
{
    const stn_res_rlink *l = node->layer;
    const stn_sprite_res *mesh_res, *mat_res;
    const stn_res_layer *mesh;
    const stn_res_mat *mat;
    const stn_sprite_mat *material;
    stn_sprite_fault fault;

    if ((fault = linked(sprite, &l->res, &mesh_res, err)) || (fault = linked(sprite, &l->mat, &mat_res, err)))
        return fault;
    mesh = l->mesh_id >= 0 ? stn_res_find(mesh_res->res, STN_LAYER_MESH, l->mesh_id)
                           : stn_res_first(mesh_res->res, STN_LAYER_MESH);
    if (!mesh)
        return stn_sprite_fail(err, STN_SPRITE_RESOURCE, "%.80s: link to mesh %d of %.80s, which has none",
                               sprite->res->name, l->mesh_id, mesh_res->name);
    if (!(mat = stn_material_find(mat_res, l->mat_id)))
        return stn_sprite_fail(err, STN_SPRITE_RESOURCE,
                               "%.80s: link to material %d of %.80s, which has none", sprite->res->name,
                               l->mat_id, mat_res->name);
    if ((fault = stn_sprite_material(sprite->ctx, mat_res, mat, &material, err)))
        return fault;
    node->part = (stn_sprite_part){.kind = STN_PART_MESH, .res = mesh_res, .layer = mesh};
    return unwrap_material(sprite, material, &node->part, err);
}

static bool collects(const stn_res_rlink *link, int32_t id)
{
    return (link->mesh_id >= 0 && id < 0) || (id & link->mesh_mask) == link->mesh_id;
}

static stn_sprite_fault make_group(stn_sprite *sprite, link_node *node, stn_err *err)
{
    const stn_sprite_res *res;
    stn_sprite_part *members;
    uint32_t n = 0;
    stn_sprite_fault fault = linked(sprite, &node->layer->res, &res, err);

    if (fault)
        return fault;
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res->res, STN_LAYER_MESH, l)) != NULL;)
        n += collects(node->layer, l->as.mesh->id);
    members = calloc(n ? n : 1, sizeof *members);
    if (!members)
        return stn_sprite_no_memory(sprite, err);
    node->part = (stn_sprite_part){.kind = STN_PART_GROUP, .res = res, .members = members};
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res->res, STN_LAYER_MESH, l)) != NULL;) {
        stn_sprite_part *member = &members[node->part.n_members];
        const stn_sprite_mat *material;
        if (!collects(node->layer, l->as.mesh->id))
            continue;
        if (!l->as.mesh->mat)
            return stn_sprite_fail(err, STN_SPRITE_MALFORMED,
                                   "%.80s: link collects mesh %d of %.80s, which has no material",
                                   sprite->res->name, l->as.mesh->id, res->name);
        if ((fault = stn_sprite_material(sprite->ctx, res, l->as.mesh->mat->as.mat, &material, err)))
            return fault;
        *member = (stn_sprite_part){.kind = STN_PART_MESH, .res = res, .layer = l};
        member->wraps = calloc(1, sizeof *member->wraps);
        if (!member->wraps)
            return stn_sprite_no_memory(sprite, err);
        member->wraps[0] = (stn_wrap){.kind = STN_WRAP_MATERIAL, .material = material};
        member->n_wraps = 1;
        node->part.n_members++;
    }
    return STN_SPRITE_OK;
}

static stn_sprite_fault make_sprite(stn_sprite *sprite, link_node *node, stn_err *err)
{
    const stn_sprite_res *res;
    stn_sprite_fault fault = linked(sprite, &node->layer->res, &res, err);

    if (fault)
        return fault;
    if ((fault = stn_sprite_make(sprite->ctx, sprite->object, res, NULL, 0, sprite->depth + 1, &node->child,
                                 err)))
        return fault;
    node->part = (stn_sprite_part){.kind = STN_PART_SPRITE, .res = res, .sprite = node->child};
    return STN_SPRITE_OK;
}

static stn_sprite_fault make_ambience(stn_sprite *sprite, link_node *node, stn_err *err)
{
    const stn_sprite_res *res;
    stn_sprite_fault fault = linked(sprite, &node->layer->res, &res, err);

    if (fault)
        return fault;
    node->part = (stn_sprite_part){.kind = STN_PART_AMBIENCE, .res = res};
    return STN_SPRITE_OK;
}

/* A link that served code makes a node of: by its twin, or nothing. */
static stn_sprite_fault make_served(stn_sprite *sprite, link_node *node, stn_err *err)
{
    const stn_resref *carrier = &node->layer->res;
    const stn_native *native;
    stn_native_match match = stn_native_find(carrier->name, carrier->version, "rlink", NULL, &native);

    native = stn_ctx_native(sprite->ctx, match, native, "link", carrier->name, carrier->version);
    if (native && native->id == STN_NATIVE_FLICKER_LINK)
        return stn_flicker_link(sprite, &node->layer->args, &node->part, &node->flicker, err);
    node->part = (stn_sprite_part){.kind = STN_PART_EMPTY, .res = sprite->res};
    return STN_SPRITE_OK;
}

static stn_sprite_fault make_node(stn_sprite *sprite, link_node *node, stn_err *err)
{
    switch (node->layer->type) {
    case STN_RLINK_MESHMAT:
        return make_mesh(sprite, node, err);
    case STN_RLINK_AMBIENT:
        return make_ambience(sprite, node, err);
    case STN_RLINK_COLLECT:
        return make_group(sprite, node, err);
    case STN_RLINK_SPRITE:
        return make_sprite(sprite, node, err);
    case STN_RLINK_PARAMS:
        return make_served(sprite, node, err);
    }
    return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: link of type %d", sprite->res->name,
                           (int)node->layer->type);
}

stn_sprite_fault stn_links_add(stn_sprite_build *build, uint32_t i, stn_sprite_part **out, stn_err *err)
{
    stn_sprite *sprite = build->sprite;
    link_node *node = &sprite->links[i];
    stn_sprite_part *part;

    node->wanted = true;
    if (!node->made) {
        stn_sprite_fault fault = make_node(sprite, node, err);
        if (fault) {
            forget_node(node);
            return fault;
        }
        node->made = true;
    }
    part = stn_build_add(build, &node->part);
    if (!part)
        return stn_sprite_no_memory(sprite, err);
    part->link = node->layer;
    if (out)
        *out = part;
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_links_run(stn_sprite_build *build, stn_err *err)
{
    stn_sprite *sprite = build->sprite;

    for (uint32_t i = 0; i < sprite->n_links; i++) {
        /* One that is switched off stands in the picture until a build succeeds: it goes at the commit. */
        bool on = stn_sprite_enabled(sprite->flags, sprite->links[i].layer->id);
        stn_sprite_fault fault = on ? stn_links_add(build, i, NULL, err) : STN_SPRITE_OK;
        if (fault)
            return fault;
        sprite->links[i].wanted = on;
    }
    return STN_SPRITE_OK;
}
