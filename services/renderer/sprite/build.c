/* build.c - the pipeline: pending mods run by order, earliest first; each edits the list of parts; a good
 * list is shown whole, a failed one changes nothing. Source: docs/spec/sprites.md 5 to 7. */
#include "renderer/sprite/internal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PENDING 64

typedef stn_sprite_fault step_fn(stn_sprite_build *build, stn_err *err);

typedef struct pending {
    int32_t order;
    step_fn *fn; /* built in, or … */
    const stn_sprite_mod *mod; /* … the object's */
} pending;

stn_sprite_fault stn_sprite_no_memory(const stn_sprite *sprite, stn_err *err)
{
    return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "sprite of %.80s", sprite->res->name);
}

/* ---- lists in the build's arena ---- */

static void *grown(stn_arena *arena, void *items, uint32_t count, uint32_t *cap, size_t size)
{
    void *more;
    if (count < *cap)
        return items;
    more = stn_arena_array(arena, *cap ? *cap * 2 : 4, size);
    if (!more)
        return NULL;
    if (count)
        memcpy(more, items, count * size);
    *cap = *cap ? *cap * 2 : 4;
    return more;
}

stn_sprite_part *stn_build_add(stn_sprite_build *build, const stn_sprite_part *part)
{
    stn_sprite_part *parts =
                        grown(build->arena, build->parts, build->n_parts, &build->cap_parts, sizeof *parts),
                    *added;

    if (!parts)
        return NULL;
    build->parts = parts;
    added = &parts[build->n_parts];
    *added = *part;
    /* Lists that came with the part belong to its maker: this build writes to its own copies. */
    added->wraps = stn_arena_dup(build->arena, part->wraps, part->n_wraps * sizeof *part->wraps);
    added->dyns = stn_arena_dup(build->arena, part->dyns, part->n_dyns * sizeof *part->dyns);
    added->cap_wraps = part->n_wraps;
    added->cap_dyns = part->n_dyns;
    if (!added->wraps || !added->dyns)
        return NULL;
    build->n_parts++;
    return added;
}

uint32_t stn_build_parts(const stn_sprite_build *build)
{
    return build->n_parts;
}

stn_sprite_part *stn_sprite_build_part(stn_sprite_build *build, uint32_t i)
{
    return i < build->n_parts ? &build->parts[i] : NULL;
}

stn_sprite_ctx *stn_build_ctx(stn_sprite_build *build)
{
    return build->sprite->ctx;
}

bool stn_build_wrap_last(stn_sprite_build *build, stn_sprite_part *part, const stn_wrap *wrap)
{
    stn_wrap *wraps = grown(build->arena, part->wraps, part->n_wraps, &part->cap_wraps, sizeof *wraps);
    if (!wraps)
        return false;
    part->wraps = wraps;
    wraps[part->n_wraps++] = *wrap;
    return true;
}

bool stn_build_wrap_first(stn_sprite_build *build, stn_sprite_part *part, const stn_wrap *wrap)
{
    if (!stn_build_wrap_last(build, part, wrap))
        return false;
    memmove(part->wraps + 1, part->wraps, (part->n_wraps - 1) * sizeof *part->wraps);
    part->wraps[0] = *wrap;
    return true;
}

bool stn_part_add_dyn(stn_arena *arena, stn_sprite_part *part, const stn_dyn *dyn)
{
    stn_dyn *dyns = grown(arena, part->dyns, part->n_dyns, &part->cap_dyns, sizeof *dyns);
    if (!dyns)
        return false;
    part->dyns = dyns;
    dyns[part->n_dyns++] = *dyn;
    return true;
}

/* ---- built-in mods ---- */

static stn_sprite_fault mesh_part_in(stn_sprite_ctx *ctx, stn_arena *arena, const stn_sprite_res *res,
                                     const stn_res_layer *mesh, const stn_res_mat *mat, stn_sprite_part *out,
                                     stn_err *err)
{
    const stn_sprite_mat *material;
    stn_sprite_fault fault = stn_sprite_material(ctx, res, mat, &material, err);

    if (fault)
        return fault;
    *out = (stn_sprite_part){.kind = STN_PART_MESH, .res = res, .layer = mesh};
    out->wraps = stn_arena_alloc(arena, sizeof *out->wraps);
    if (!out->wraps)
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "part of %.80s", res->name);
    out->wraps[0] = (stn_wrap){.kind = STN_WRAP_MATERIAL, .material = material};
    out->n_wraps = out->cap_wraps = 1;
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_mesh_part(stn_sprite_ctx *ctx, stn_arena *arena, const stn_sprite_res *res,
                               const stn_res_layer *mesh, stn_sprite_part *out, stn_err *err)
{
    return mesh_part_in(ctx, arena, res, mesh, mesh->as.mesh->mat->as.mat, out, err);
}

stn_sprite_fault stn_build_mesh(stn_sprite_build *build, const stn_res_layer *mesh, const stn_res_mat *mat,
                                stn_sprite_part **out, stn_err *err)
{
    stn_sprite *sprite = build->sprite;
    stn_sprite_part part, *added;
    stn_sprite_fault fault = mesh_part_in(sprite->ctx, build->arena, sprite->res, mesh, mat, &part, err);

    if (fault)
        return fault;
    added = stn_build_add(build, &part);
    if (!added)
        return stn_sprite_no_memory(sprite, err);
    if (out)
        *out = added;
    return STN_SPRITE_OK;
}

static stn_sprite_fault run_meshes(stn_sprite_build *build, stn_err *err)
{
    const stn_sprite_res *res = build->sprite->res;

    for (const stn_res_layer *l = NULL; (l = stn_res_next(res->res, STN_LAYER_MESH, l)) != NULL;) {
        stn_sprite_part part;
        stn_sprite_fault fault;
        if (!l->as.mesh->mat || !stn_sprite_enabled(build->sprite->flags, l->as.mesh->id))
            continue;
        if ((fault = stn_mesh_part(build->sprite->ctx, build->arena, res, l, &part, err)))
            return fault;
        if (!stn_build_add(build, &part))
            return stn_sprite_no_memory(build->sprite, err);
    }
    return STN_SPRITE_OK;
}

static stn_sprite_fault run_poser(stn_sprite_build *build, stn_err *err)
{
    return stn_poser_build(build->sprite->poser, build->sprite->flags, err);
}

/* Binds the meshes that follow bones: one bone for all vertices is a location, else a set of matrices. */
static stn_sprite_fault run_pose_applier(stn_sprite_build *build, stn_err *err)
{
    const stn_pose *pose = stn_poser_pose(build->sprite->poser), *bind = stn_poser_bind(build->sprite->poser);

    for (uint32_t i = 0; i < build->n_parts; i++) {
        stn_sprite_part *part = &build->parts[i];
        stn_dyn dyn = {.kind = STN_DYN_BONES, .pose = pose, .bind = bind};
        const stn_res_vbuf *vbuf;
        stn_skin skin;
        int32_t *bones;

        if (part->kind != STN_PART_MESH || !(skin = stn_skin_of(part->layer->as.mesh)).boned)
            continue;
        vbuf = part->layer->as.mesh->vbuf->as.vbuf;
        bones = stn_arena_array(build->arena, vbuf->bone_count, sizeof *bones);
        if (!bones)
            return stn_sprite_no_memory(build->sprite, err);
        for (uint32_t b = 0; b < vbuf->bone_count; b++) {
            bones[b] = stn_res_skel_find(pose->skel, vbuf->bones[b]);
            if (bones[b] < 0 && (skin.single < 0 || skin.single == (int32_t)b))
                return stn_sprite_fail(err, STN_SPRITE_MALFORMED,
                                       "%.80s: mesh follows bone \"%.60s\", which the skeleton "
                                       "lacks",
                                       part->res->name, vbuf->bones[b]);
        }
        dyn.vbuf = vbuf;
        dyn.bones = bones;
        if (skin.single >= 0) {
            dyn.kind = STN_DYN_RIGID;
            dyn.bone = (uint32_t)bones[skin.single];
        }
        if (!stn_part_add_dyn(build->arena, part, &dyn))
            return stn_sprite_no_memory(build->sprite, err);
    }
    return STN_SPRITE_OK;
}

static stn_sprite_fault start_manims(stn_sprite *sprite, stn_err *err)
{
    for (uint32_t i = 0; i < sprite->n_manims; i++) {
        running_manim *m = &sprite->manims[i];
        bool on = stn_sprite_enabled(sprite->flags, m->layer->id);
        if (on && !m->on) {
            int64_t seed = m->layer->random ? stn_ctx_seed(sprite->ctx) : 0;
            stn_sprite_fault fault = stn_manim_init(&m->anim, m->layer, seed, err);
            if (fault)
                return fault;
        }
        m->on = on;
    }
    return STN_SPRITE_OK;
}

static stn_sprite_fault run_manims(stn_sprite_build *build, stn_err *err)
{
    stn_sprite *sprite = build->sprite;
    stn_sprite_fault fault = start_manims(sprite, err);

    if (fault)
        return fault;
    for (uint32_t p = 0; p < build->n_parts; p++) {
        stn_sprite_part *part = &build->parts[p];
        for (uint32_t i = 0; part->kind == STN_PART_MESH && i < sprite->n_manims; i++) {
            running_manim *m = &sprite->manims[i];
            stn_wrap wrap = {.kind = STN_WRAP_MANIM,
                             .manim = &m->anim,
                             .manim_res = sprite->res,
                             .slot = (int32_t)m->index};
            stn_dyn dyn = {.kind = STN_DYN_MAFRAME, .manim = &m->anim};
            if (!m->on || !stn_manim_animates(m->layer, part->layer->as.mesh))
                continue;
            if (!stn_build_wrap_last(build, part, &wrap) || !stn_part_add_dyn(build->arena, part, &dyn))
                return stn_sprite_no_memory(sprite, err);
            break;
        }
    }
    return STN_SPRITE_OK;
}

/* ---- the run ---- */

static stn_sprite_fault run_pending(stn_sprite_build *build, pending *list, uint32_t n, stn_err *err)
{
    while (n > 0) {
        uint32_t first = 0;
        pending next;
        stn_sprite_fault fault;
        for (uint32_t i = 1; i < n; i++)
            if (list[i].order < list[first].order)
                first = i;
        next = list[first];
        memmove(list + first, list + first + 1, (n - first - 1) * sizeof *list);
        n--;
        fault = next.fn ? next.fn(build, err) : next.mod->operate(next.mod->user, build, err);
        if (fault)
            return fault;
        /* The poser adds its applier while it runs: behind all that wait, ordered by number. */
        if (next.fn == run_poser)
            list[n++] = (pending){1010, run_pose_applier, NULL};
    }
    return STN_SPRITE_OK;
}

uint32_t stn_parts_leaves(const stn_sprite_part *parts, uint32_t n)
{
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < n; i++)
        switch (parts[i].kind) {
        case STN_PART_SPRITE:
            leaves += stn_parts_leaves(parts[i].sprite->parts, parts[i].sprite->n_parts);
            break;
        case STN_PART_GROUP:
            leaves += parts[i].n_members;
            break;
        case STN_PART_EMPTY:
        case STN_PART_AMBIENCE:
            break;
        default:
            leaves++;
        }
    return leaves;
}

static void commit(stn_sprite *sprite, stn_sprite_build *build)
{
    /* The first list is brought into the scene by whoever made the sprite. */
    if (sprite->version > 0)
        stn_ctx_count(sprite->ctx, stn_parts_leaves(build->parts, build->n_parts),
                      stn_parts_leaves(sprite->parts, sprite->n_parts));
    stn_arena_free(sprite->arena);
    sprite->arena = build->arena;
    sprite->parts = build->parts;
    sprite->n_parts = build->n_parts;
    sprite->version++;
    stn_links_sweep(sprite);
}

stn_sprite_fault stn_sprite_rebuild(stn_sprite *sprite, const stn_sprite_mod *mods, uint32_t n_mods,
                                    stn_err *err)
{
    stn_sprite_build build = {.sprite = sprite};
    pending list[MAX_PENDING + 8];
    uint32_t n = 0;
    stn_sprite_fault fault;

    sprite->builds++;
    if (n_mods > MAX_PENDING)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "object with %u attributes that change its model",
                               n_mods);
    build.arena = stn_arena_new(2048, 0);
    if (!build.arena)
        return stn_sprite_no_memory(sprite, err);
    if (sprite->twin) {
        for (uint32_t i = 0; i < sprite->n_links; i++)
            sprite->links[i].wanted = false;
        fault = sprite->twin->build ? sprite->twin->build(&build, err) : STN_SPRITE_OK;
        if (fault)
            stn_arena_free(build.arena);
        else
            commit(sprite, &build);
        return fault;
    }
    /* Resource mods, instance mods, object mods: the order of insertion decides between equal numbers. */
    list[n++] = (pending){0, run_meshes, NULL};
    if (sprite->kind == STN_SPRITE_MOD && sprite->n_manims > 0)
        list[n++] = (pending){1000, run_manims, NULL};
    if (sprite->poser)
        list[n++] = (pending){-1000, run_poser, NULL};
    if (sprite->n_links > 0)
        list[n++] = (pending){0, stn_links_run, NULL};
    for (uint32_t i = 0; i < n_mods; i++)
        list[n++] = (pending){mods[i].order, NULL, &mods[i]};
    fault = run_pending(&build, list, n, err);
    if (fault) {
        stn_arena_free(build.arena);
        return fault;
    }
    commit(sprite, &build);
    return STN_SPRITE_OK;
}
