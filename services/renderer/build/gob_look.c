/* gob_look.c - what an object is drawn as: sprite, composite and overlays made, and their leaves handed over.
 */
#include "renderer/build/gob.h"

#include "renderer/build/look.h"
#include "renderer/scene/cull.h"
#include "renderer/sprite/light.h"
#include "renderer/sprite/place.h"
#include "renderer/sprite/scatter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VARMAT_FAMILY 1

/* A fault that is no "not yet": said, and remembered so that it is not tried again with the same input. */
static bool settled(stn_gobs *all, gob *g, const char *what, stn_sprite_fault f, const stn_err *err)
{
    if (f == STN_SPRITE_LOADING)
        return false;
    if (f != STN_SPRITE_OK)
        gob_fault(all, g, what, f, err);
    return true;
}

static void build_varmat(stn_gobs *all, gob *g)
{
    gob_dress *d = g->dress;
    stn_err err = {0};
    stn_varmat made;
    stn_sprite_fault f = stn_varmat_resolve(all->ctx, d->entries, d->count, &made, &err);

    if (!settled(all, g, "variable materials", f, &err))
        return;
    g->vm_due = false;
    if (f != STN_SPRITE_OK)
        return;
    d->found = made;
    g->mod = (stn_sprite_mod){VARMAT_FAMILY, d->instance, STN_VARMAT_ORDER, stn_varmat_operate, &d->found};
    g->object.mods = &g->mod;
    g->object.n_mods = 1;
}

static void let_go(gob *g)
{
    stn_sprite_free(g->sprite);
    stn_composite_free(g->composite);
    g->sprite = NULL;
    g->composite = NULL;
}

/* Where it stands: trees lean by their grid and tile, and wait for the grid. */
void gob_look_around(stn_gobs *all, gob *g)
{
    int32_t tx = (int32_t)floor(g->x / 11.0), ty = (int32_t)floor(g->y / 11.0);
    int32_t gx = (int32_t)floor(tx / 100.0), gy = (int32_t)floor(ty / 100.0);

    g->stand = (stn_sprite_stand){.angle = g->angle,
                                  .x = (float)g->x,
                                  .y = (float)g->y,
                                  .tile_x = tx - gx * 100,
                                  .tile_y = ty - gy * 100};
    g->stand.has_grid = all->ops.grid(all->ops.ctx, gx, gy, &g->stand.grid);
    g->object.stand = g->placed ? &g->stand : NULL;
}

/* A new drawable replaces the old one only when it is there: until then the old look stays. */
static void build_drawable(stn_gobs *all, gob *g)
{
    const stn_sprite_res *res = NULL;
    stn_sprite *sprite = NULL;
    stn_composite *composite = NULL;
    stn_err err = {0};
    stn_sprite_fault f = STN_SPRITE_OK;

    if (g->kind == STENNESS__DRAWABLE_KIND__DRAWABLE_NONE || !g->drawable.name[0]) {
        if (g->kind == STENNESS__DRAWABLE_KIND__DRAWABLE_NONE) {
            let_go(g);
            g->look_due = true;
        }
        g->drawable_due = g->kind != STENNESS__DRAWABLE_KIND__DRAWABLE_NONE;
        return;
    }
    gob_look_around(all, g);
    f = stn_store_get(all->store, g->drawable.name, g->drawable.version, &res, &err);
    if (f == STN_SPRITE_OK && g->kind == STENNESS__DRAWABLE_KIND__DRAWABLE_RESOURCE)
        f = stn_sprite_new(all->ctx, &g->object, res, g->drawable.sdt, g->drawable.sdt_len, &sprite, &err);
    else if (f == STN_SPRITE_OK)
        f = stn_composite_new(all->ctx, &g->object, res, &composite, &err);
    if (!settled(all, g, "drawable", f, &err))
        return;
    g->drawable_due = false;
    g->failed = f != STN_SPRITE_OK;
    g->look_due = true;
    if (f != STN_SPRITE_OK)
        return; /* the old look stays; without one a placeholder is shown */
    let_go(g);
    g->sprite = sprite;
    g->composite = composite;
    g->object.base = res;
}

static stn_sprite_fault resolve(stn_gobs *all, const gob_ref *r, stn_composite_ref *out, stn_err *err)
{
    out->sdt = r->sdt;
    out->sdt_len = r->sdt_len;
    return stn_store_get(all->store, r->name, r->version, &out->res, err);
}

static const gob_body *body_of(const gob *g)
{
    static const gob_body none;

    return g->body ? g->body : &none;
}

static void build_models(stn_gobs *all, gob *g)
{
    const gob_body *b = body_of(g);
    stn_composite_model models[GOB_MODELS];
    const stn_sprite_res *materials[GOB_MODELS][GOB_MATERIALS];
    stn_err err = {0};
    stn_sprite_fault f = STN_SPRITE_OK, worst = STN_SPRITE_OK;

    for (unsigned i = 0; i < b->model_count; i++) {
        const gob_model *m = &b->models[i];

        f = stn_store_get(all->store, m->mod.name, m->mod.version, &models[i].mesh, &err);
        worst = f != STN_SPRITE_OK ? f : worst;
        for (unsigned k = 0; k < m->material_count; k++) {
            f = stn_store_get(all->store, m->materials[k].name, m->materials[k].version, &materials[i][k],
                              &err);
            worst = f != STN_SPRITE_OK ? f : worst;
        }
        models[i].materials = materials[i];
        models[i].n_materials = m->material_count;
    }
    if (worst == STN_SPRITE_OK)
        worst = stn_composite_models(g->composite, models, b->model_count, &err);
    if (settled(all, g, "models", worst, &err))
        g->models_due = false;
}

static void build_items(stn_gobs *all, gob *g)
{
    const gob_body *b = body_of(g);
    stn_composite_item items[GOB_ITEMS];
    stn_err err = {0};
    stn_sprite_fault f, worst = STN_SPRITE_OK;

    for (unsigned i = 0; i < b->item_count; i++) {
        f = resolve(all, &b->items[i].what, &items[i].what, &err);
        worst = f != STN_SPRITE_OK ? f : worst;
        items[i].type = b->items[i].type;
        items[i].at = b->items[i].at;
        memcpy(items[i].offset, b->items[i].offset, sizeof items[i].offset);
    }
    if (worst == STN_SPRITE_OK)
        worst = stn_composite_items(g->composite, items, b->item_count, &err);
    if (settled(all, g, "equipment", worst, &err))
        g->items_due = false;
}

static bool build_poses(stn_gobs *all, gob *g, bool timed)
{
    const gob_body *b = body_of(g);
    stn_composite_ref refs[GOB_POSES];
    unsigned n = timed ? b->timed_count : b->pose_count;
    const gob_ref *from = timed ? b->timed : b->poses;
    stn_err err = {0};
    stn_sprite_fault f, worst = STN_SPRITE_OK;

    for (unsigned i = 0; i < n; i++) {
        f = resolve(all, &from[i], &refs[i], &err);
        worst = f != STN_SPRITE_OK ? f : worst;
    }
    if (worst == STN_SPRITE_OK)
        worst = timed ? stn_composite_timed(g->composite, refs, n, b->timed_seconds, &err)
                      : stn_composite_poses(g->composite, refs, n, b->interpolate, &err);
    return settled(all, g, "poses", worst, &err);
}

static void build_overlays(stn_gobs *all, gob *g)
{
    for (unsigned i = 0; i < g->overlay_count; i++) {
        gob_overlay *o = &g->overlays[i];
        const stn_sprite_res *res;
        stn_err err = {0};
        stn_sprite_fault f;

        if (o->sprite || o->failed || o->over || o->ending || !o->ref.name[0])
            continue;
        f = stn_store_get(all->store, o->ref.name, o->ref.version, &res, &err);
        if (f == STN_SPRITE_OK)
            f = stn_sprite_new(all->ctx, &g->object, res, o->ref.sdt, o->ref.sdt_len, &o->sprite, &err);
        if (settled(all, g, "overlay", f, &err)) {
            o->failed = f != STN_SPRITE_OK;
            g->look_due = true;
        }
    }
}

void gob_build(stn_gobs *all, gob *g)
{
    if (g->vm_due)
        build_varmat(all, g);
    /* An object is made with its variable materials, so that it does not change its clothes before our eyes.
     */
    if (g->drawable_due && !g->vm_due)
        build_drawable(all, g);
    if (g->composite && !g->drawable_due) {
        if (g->models_due)
            build_models(all, g);
        if (g->items_due && !g->models_due)
            build_items(all, g);
        if (g->poses_due && build_poses(all, g, false))
            g->poses_due = false;
        if (g->timed_due && !g->poses_due && build_poses(all, g, true))
            g->timed_due = false;
    } else if (!g->composite && g->kind != STENNESS__DRAWABLE_KIND__DRAWABLE_COMPOSITE) {
        g->models_due = g->items_due = g->poses_due = g->timed_due = false;
    }
    build_overlays(all, g);
}

/* --- leaves --- */

struct gather {
    stn_gobs *all;
    gob *g;
    stn_gob_look *look;
    uint32_t matrices; /* of bones */
    int32_t overlay; /* that is walked through, 0 = the body */
    bool animated;
};

static stn_m4 m4_of(const stn_mat4 *m)
{
    stn_m4 out;

    memcpy(out.m, m->m, sizeof out.m);
    return out;
}

static stn_m4 local_of(const stn_state *s)
{
    return s->presence[STN_SLOT_LOC] == STN_SET && s->values[STN_SLOT_LOC].u.loc
               ? m4_of(&s->values[STN_SLOT_LOC].u.loc->world)
               : stn_m4_identity();
}

static void grow_by(stn_gob_look *look, const stn_cull_box *box, const stn_m4 *local)
{
    stn_v3 corner[STN_CULL_CORNERS];

    stn_cull_corners(local, box, corner);
    for (int i = 0; i < STN_CULL_CORNERS; i++) {
        look->min = (stn_v3){fminf(look->min.x, corner[i].x), fminf(look->min.y, corner[i].y),
                             fminf(look->min.z, corner[i].z)};
        look->max = (stn_v3){fmaxf(look->max.x, corner[i].x), fmaxf(look->max.y, corner[i].y),
                             fmaxf(look->max.z, corner[i].z)};
    }
}

static void grow(stn_gob_look *look, const stn_res_mesh *m, const stn_m4 *local)
{
    stn_cull_box box = {{m->bounds[0][0], m->bounds[0][1], m->bounds[0][2]},
                        {m->bounds[1][0], m->bounds[1][1], m->bounds[1][2]}};

    if (m->has_bounds)
        grow_by(look, &box, local);
}

static void take_light(struct gather *t, const stn_leaf *leaf)
{
    stn_gob_look *look = t->look;
    stn_m4 local = local_of(leaf->state);
    stn_light l;
    stn_gob_light *out;

    if (!leaf->part->layer || look->light_count == STN_GOB_LIGHTS ||
        stn_light_of(leaf->part->layer->as.light, &l, NULL) != STN_SPRITE_OK || l.kind == STN_LIGHT_DIRECTION)
        return;
    out = &look->lights[look->light_count++];
    memset(out, 0, sizeof *out);
    out->at = (stn_v3){local.m[12], local.m[13], local.m[14]};
    memcpy(out->amb, l.ambient, sizeof out->amb);
    memcpy(out->dif, l.diffuse, sizeof out->dif);
    memcpy(out->spc, l.specular, sizeof out->spc);
    memcpy(out->att, l.attenuation, sizeof out->att);
    out->flickers = leaf->part->flicker != NULL;
}

/* The animation that moves this leaf's mesh, NULL = none. */
static const stn_manim *animation_of(const stn_leaf *leaf)
{
    return leaf->state->presence[STN_SLOT_MANIM] == STN_SET
               ? leaf->state->values[STN_SLOT_MANIM].u.wrap->manim
               : NULL;
}

/* The asset that a leaf is drawn with, 0 = it is not drawn. Looks and poses must agree about it. */
static uint32_t drawn_mesh(const stn_gobs *all, const stn_leaf *leaf)
{
    const stn_manim *moving = animation_of(leaf);

    if (leaf->part->kind == STN_PART_PARTICLES)
        return stn_store_square(all->store);
    if (leaf->part->kind == STN_PART_ROPE)
        return stn_store_rod(all->store);
    if (!leaf->part->layer || leaf->part->layer->kind != STN_LAYER_MESH)
        return 0;
    return stn_store_mesh(all->store, leaf->part->res, leaf->part->layer, leaf->morph != NULL,
                          moving ? moving->layer : NULL);
}

static void take_sway(const gob *g, const stn_leaf *leaf, stn_leaf_look *l)
{
    const stn_sway *sway =
        leaf->state->presence[STN_SLOT_SWAY] == STN_SET ? leaf->state->values[STN_SLOT_SWAY].u.sway : NULL;

    if (!sway || (g->growth && !(l->material.features & STN_MAT_ALPHATEST)))
        return;
    l->material.features |= STN_MAT_SWAY;
    l->sways = true;
    memcpy(l->sway_slow, sway->bend, sizeof l->sway_slow);
    memcpy(l->sway_fast, sway->tremble, sizeof l->sway_fast);
}

static void take_animation(const stn_manim *m, stn_leaf_look *l)
{
    const stn_res_manim *a = m->layer;

    l->material.features |= STN_MAT_MORPH;
    l->moment = true;
    l->morph[0] = (uint32_t)a->min_vertex + (a->has_normals ? 65536u : 0u);
    l->morph[1] = (uint32_t)(a->max_vertex + 1 - a->min_vertex);
}

/* Smoke may rise as high as it lives long: what culls it must not be narrower. */
static void grow_by_smoke(stn_gob_look *look, const stn_smoke *smoke, const stn_m4 *local)
{
    float up = smoke->look.height + 10.0f, around = smoke->look.spread + 0.5f * up;
    stn_cull_box box = {{-around, -around, 0}, {around, around, up}};

    grow_by(look, &box, local);
}

/* ---- ropes: a leaf for each straight piece ---- */

#define ROPE_PIECES 300
#define ROPE_RADIUS 0.25f

static uint32_t rope_pieces(const stn_sprite_part *part)
{
    return part->n_rope < ROPE_PIECES ? part->n_rope : ROPE_PIECES;
}

static void set_axis(stn_m4 *m, int column, stn_v3 v, float by)
{
    m->m[4 * column] = v.x * by;
    m->m[4 * column + 1] = v.y * by;
    m->m[4 * column + 2] = v.z * by;
}

/* Where the rod lies from one point of the rope to the next; the last one leads back to the first. */
static stn_m4 rope_piece(const stn_sprite_part *part, uint32_t i, const stn_m4 *local)
{
    const float *from = part->rope[i], *to = part->rope[(i + 1) % part->n_rope];
    stn_v3 along = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, side, up;
    stn_m4 m = stn_m4_identity();

    up = stn_v3_norm(along);
    side = stn_v3_norm(stn_v3_cross((stn_v3){0, 0, 1}, up));
    if (stn_v3_abs(side) == 0.0f)
        side = (stn_v3){1, 0, 0};
    up = stn_v3_cross(up, side);
    set_axis(&m, 0, side, ROPE_RADIUS);
    set_axis(&m, 1, up, ROPE_RADIUS);
    set_axis(&m, 2, along, 1.0f);
    set_axis(&m, 3, (stn_v3){from[0], from[1], from[2]}, 1.0f);
    return stn_m4_mul(*local, m);
}

static bool take_rope(struct gather *t, const stn_leaf *leaf, uint32_t mesh)
{
    static const float twine[3] = {0.55f, 0.44f, 0.28f};
    static const stn_cull_box rod = {{-1, -1, 0}, {1, 1, 1}};
    stn_m4 local = local_of(leaf->state);

    for (uint32_t i = 0; i < rope_pieces(leaf->part); i++) {
        stn_leaf_look *l = &t->look->leaves[t->look->leaf_count];

        if (t->look->leaf_count == STN_GOB_LEAVES)
            return false;
        t->look->leaf_count++;
        memset(l, 0, sizeof *l);
        l->mesh = mesh;
        l->material = stn_matstate_default();
        l->material.features = STN_MAT_LIT;
        memcpy(l->material.amb, twine, sizeof twine);
        memcpy(l->material.dif, twine, sizeof twine);
        l->material.amb[3] = l->material.dif[3] = 1.0f;
        l->local = rope_piece(leaf->part, i, &local);
        l->unturned = leaf->unturned;
        l->overlay = t->overlay;
        l->part = -1;
        l->casts = true;
        grow_by(t->look, &rod, &l->local);
    }
    return true;
}

static bool take_leaf(void *user, const stn_leaf *leaf)
{
    struct gather *t = user;
    const stn_manim *moving = animation_of(leaf);
    stn_leaf_look *l;
    uint32_t mesh;

    if (leaf->part->kind == STN_PART_LIGHT)
        take_light(t, leaf);
    if (t->look->leaf_count == STN_GOB_LEAVES)
        return false;
    mesh = drawn_mesh(t->all, leaf);
    if (!mesh)
        return true;
    if (leaf->part->kind == STN_PART_ROPE)
        return take_rope(t, leaf, mesh);
    l = &t->look->leaves[t->look->leaf_count++];
    memset(l, 0, sizeof *l);
    l->mesh = mesh;
    stn_look_of_state(t->all->store, leaf->state, &l->material);
    l->local = local_of(leaf->state);
    l->unturned = leaf->unturned;
    l->overlay = t->overlay;
    l->part =
        leaf->part->layer && leaf->part->layer->kind == STN_LAYER_MESH ? leaf->part->layer->as.mesh->id : -1;
    l->casts = (l->material.features & STN_MAT_LIT) && !l->material.no_shadow;
    t->animated |= leaf->moves || leaf->morph || moving;
    if (leaf->state->presence[STN_SLOT_MIXCOLOR] == STN_SET)
        memcpy(l->mix, leaf->state->values[STN_SLOT_MIXCOLOR].u.color, sizeof l->mix);
    if (leaf->part->kind == STN_PART_PARTICLES) {
        l->points = l->moment = t->animated = true;
        l->casts = false;
        l->material.features |= STN_MAT_TINT;
        grow_by_smoke(t->look, leaf->part->smoke, &l->local);
        return true;
    }
    if (leaf->morph) {
        l->material.features |= STN_MAT_SKIN;
        l->bones = leaf->morph->vbuf->bone_count;
        t->matrices += l->bones;
    }
    if (moving)
        take_animation(moving, l);
    take_sway(t->g, leaf, l);
    grow(t->look, leaf->part->layer->as.mesh, &l->local);
    return true;
}

/* Statics are an outer locked level, dynamics an inner unlocked one: docs/spec/sprites.md 10.2. */
static stn_sprite_fault enter(stn_state *outer, const stn_sprite_mat *m, stn_arena *arena, stn_err *err)
{
    stn_level level = {m->statics, true};
    stn_sprite_fault f = stn_state_enter(outer, &level, arena, err);

    if (f != STN_SPRITE_OK || m->dynamics.count == 0)
        return f;
    level = (stn_level){m->dynamics, false};
    return stn_state_enter(outer, &level, arena, err);
}

/* fn is given `t`, or what begins with it. */
static stn_sprite_fault walk(struct gather *t, stn_leaf_fn *fn)
{
    stn_state outer;
    stn_err err = {0};
    stn_sprite_fault f = STN_SPRITE_OK;

    stn_state_clear(&outer);
    stn_arena_reset(t->all->arena);
    if (t->g->around)
        f = enter(&outer, t->g->around, t->all->arena, &err);
    if (f == STN_SPRITE_OK && t->g->sprite)
        f = stn_sprite_leaves(t->g->sprite, &outer, t->all->arena, fn, t, &err);
    else if (f == STN_SPRITE_OK && t->g->composite)
        f = stn_composite_leaves(t->g->composite, &outer, t->all->arena, fn, t, &err);
    for (unsigned i = 0; i < t->g->overlay_count; i++)
        if (t->g->overlays[i].sprite) {
            t->overlay = t->g->overlays[i].id;
            stn_sprite_leaves(t->g->overlays[i].sprite, &outer, t->all->arena, fn, t, &err);
        }
    if (f != STN_SPRITE_OK && f != STN_SPRITE_LOADING)
        gob_fault(t->all, t->g, "parts", f, &err);
    return f;
}

static void choose_placer(gob *g, stn_gob_look *look)
{
    const stn_sprite_res *res = g->sprite ? stn_sprite_resource(g->sprite) : NULL;
    stn_placer p;

    if (res && stn_placer_of(res->res, &p, NULL) == STN_SPRITE_OK)
        look->placer = p.kind == STN_PLACER_SURFACE ? 0 : 1;
}

static void damage(const gob *g, stn_gob_look *look)
{
    stn_crack crack;

    if (g->hp >= 1.0f || !stn_health_crack(g->id, g->hp, &crack))
        return;
    /* The program knows the colour, which is red; how the cracks are turned comes in its place. Of the two
     * quaternions of a turn it takes the one whose w is not negative. */
    for (int k = 0; k < 3; k++)
        crack.mix[k] = crack.turn[3] < 0.0f ? -crack.turn[k] : crack.turn[k];
    for (uint32_t i = 0; i < look->leaf_count; i++) {
        if (look->leaves[i].points)
            continue;
        look->leaves[i].material.features |= STN_MAT_CRACK;
        memcpy(look->leaves[i].mix, crack.mix, sizeof crack.mix);
    }
}

/* Behind everything that is solid, without shadow or outline. It still hides what of itself lies behind. */
static void fade(stn_gob_look *look)
{
    for (uint32_t i = 0; i < look->leaf_count; i++) {
        stn_leaf_look *l = &look->leaves[i];

        l->material.base[3] *= 0.55f;
        l->material.blend = stn_blend_scene();
        l->material.order = STN_ORDER_EYE;
        l->material.no_normal = l->material.no_shadow = true;
        l->casts = false;
    }
    look->light_count = 0;
}

bool gob_give_look(stn_gobs *all, gob *g)
{
    stn_job *job = stn_job_new(STN_JOB_GOB, all->frame);
    /* Gathered here first: most objects have few leaves, and a job holds what it needs and no more. */
    static _Thread_local stn_leaf_look leaves[STN_GOB_LEAVES];
    struct gather t = {.all = all, .g = g};
    stn_gob_look *look;

    if (!job)
        return false;
    look = &job->u.look;
    look->id = g->id;
    look->leaves = leaves;
    look->min = (stn_v3){INFINITY, INFINITY, INFINITY};
    look->max = (stn_v3){-INFINITY, -INFINITY, -INFINITY};
    snprintf(look->resource, sizeof look->resource, "%s", g->drawable.name);
    t.look = look;
    walk(&t, take_leaf);
    choose_placer(g, look);
    damage(g, look);
    if (g->ghost)
        fade(look);
    look->leaves = stn_job_memory(job, look->leaf_count * sizeof *look->leaves);
    if (!look->leaves) {
        stn_job_free(job);
        return false;
    }
    memcpy(look->leaves, leaves, look->leaf_count * sizeof *look->leaves);
    look->animated = t.animated;
    look->still = g->growth || (look->leaf_count > 0 && look->leaves[0].sways);
    look->version = ++all->versions;
    g->seen = g->sprite      ? stn_sprite_version(g->sprite)
              : g->composite ? stn_composite_version(g->composite)
                             : 0;
    if (!all->ops.give(all->ops.ctx, job)) {
        stn_job_free(job);
        return false;
    }
    g->look_version = look->version;
    g->animated = t.animated;
    g->has_look = true;
    return true;
}

/* --- poses --- */

struct posing {
    struct gather base;
    stn_job_poses *to;
    stn_m4 *bones; /* gathered apart, because the locals of all leaves stand before them */
    uint32_t local_count, bone_count, moment_count, point_count, room;
};

static bool put_bones(struct posing *p, const stn_dyn *morph)
{
    if (p->local_count + p->bone_count + 1 + morph->vbuf->bone_count > p->room)
        return false;
    for (uint32_t i = 0; i < morph->vbuf->bone_count; i++) {
        int32_t bone = morph->bones[i];
        stn_mat4 m =
            bone >= 0 ? stn_pose_bone_matrix(morph->pose, morph->bind, (uint32_t)bone) : stn_mat4_identity;

        p->bones[p->bone_count++] = m4_of(&m);
    }
    return true;
}

static bool put_moment(struct posing *p, const stn_leaf *leaf)
{
    const stn_manim *moving = animation_of(leaf);
    const stn_smoke *smoke = leaf->part->kind == STN_PART_PARTICLES ? leaf->part->smoke : NULL;
    uint32_t at = p->to->moment_count + p->moment_count, points = p->to->point_count + p->point_count;
    stn_leaf_moment *m = &p->to->moments[at];

    if (at == STN_POSE_MOMENTS || (smoke && points + smoke->count > STN_POSE_POINTS))
        return false;
    *m = (stn_leaf_moment){0};
    p->moment_count++;
    if (smoke) {
        m->first_point = points;
        m->point_count = smoke->count;
        for (uint32_t i = 0; i < smoke->count; i++)
            p->to->points[points + i] = stn_smoke_point_of(smoke, i);
        p->point_count += smoke->count;
    } else {
        m->from = (float)moving->from;
        m->to = (float)moving->to;
        m->a = moving->a;
    }
    return true;
}

static bool pose_rope(struct posing *p, const stn_leaf *leaf)
{
    stn_m4 local = local_of(leaf->state);

    for (uint32_t i = 0; i < rope_pieces(leaf->part); i++) {
        if (p->local_count == STN_GOB_LEAVES || p->local_count + p->bone_count + 1 > p->room) {
            p->room = 0;
            return false;
        }
        p->to->matrices[p->to->matrix_count + p->local_count++] = rope_piece(leaf->part, i, &local);
    }
    return true;
}

static bool take_pose(void *user, const stn_leaf *leaf)
{
    struct posing *p = user;

    if (!drawn_mesh(p->base.all, leaf))
        return true;
    if (leaf->part->kind == STN_PART_ROPE)
        return pose_rope(p, leaf);
    if (p->local_count == STN_GOB_LEAVES || p->local_count + p->bone_count + 1 > p->room ||
        (leaf->morph && !put_bones(p, leaf->morph)) ||
        ((leaf->part->kind == STN_PART_PARTICLES || animation_of(leaf)) && !put_moment(p, leaf))) {
        p->room = 0;
        return false;
    }
    p->to->matrices[p->to->matrix_count + p->local_count++] = local_of(leaf->state);
    return true;
}

bool gob_put_pose(stn_gobs *all, gob *g, stn_job_poses *to)
{
    static _Thread_local stn_m4 bones[4096];
    struct posing p = {.base = {.all = all, .g = g}, .to = to, .bones = bones};
    uint32_t room = STN_POSE_MATRICES - to->matrix_count;

    p.room = room < 4096 ? room : 4096;
    if (p.room == 0 || to->gob_count == STN_POSE_GOBS)
        return false;
    walk(&p.base, take_pose);
    if (p.room == 0)
        return false;
    memcpy(to->matrices + to->matrix_count + p.local_count, bones, p.bone_count * sizeof *bones);
    to->gobs[to->gob_count++] = (stn_gob_pose){.id = g->id,
                                               .version = g->look_version,
                                               .first = to->matrix_count,
                                               .leaf_count = p.local_count,
                                               .bone_count = p.bone_count,
                                               .first_moment = to->moment_count,
                                               .moment_count = p.moment_count};
    to->matrix_count += p.local_count + p.bone_count;
    to->moment_count += p.moment_count;
    to->point_count += p.point_count;
    return true;
}
