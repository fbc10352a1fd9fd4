#include "renderer/sprite/composite.h"

#include "renderer/sprite/internal.h"

#include <stdlib.h>
#include <string.h>

#define BLEND_SECONDS 0.2f
#define MAX_MODELS 256
#define MAX_ITEMS 256
#define EQUIP_DEPTH 16

typedef struct model {
    const stn_sprite_res *mesh_res;
    const stn_res_layer *mesh;
    uint32_t n_materials;
    const stn_sprite_res **material_res;
    const stn_sprite_mat **materials;
    int32_t z1;
    stn_dyn bones;
    int32_t *bone_map;
    stn_sprite_part part;
} model;

typedef struct item {
    char *at;
    const stn_sprite_res *res;
    uint8_t *sdt;
    size_t sdt_len;
    float offset[3];
    stn_sprite *sprite;
    uint64_t instance;
    const stn_res_boneoff *boneoff; /* or … */
    int32_t bone; /* … a bone; -1 = none: at the origin */
} item;

struct stn_composite {
    stn_sprite_ctx *ctx;
    const stn_sprite_object *object;
    const stn_sprite_res *base;
    const stn_res_skel *skel;
    stn_pose *pose, *bind;
    model *models;
    uint32_t n_models;
    item *items;
    uint32_t n_items;
    uint64_t next_instance, version;
    stn_poseset *set, *normal; /* current; the untimed one that a timed one hides */
};

static stn_sprite_fault no_memory(const stn_composite *c, stn_err *err)
{
    return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "composite of %.80s", c->base->name);
}

stn_sprite_fault stn_composite_new(stn_sprite_ctx *ctx, const stn_sprite_object *object,
                                   const stn_sprite_res *base, stn_composite **out, stn_err *err)
{
    const stn_res_layer *skel = stn_res_first(base->res, STN_LAYER_SKEL);
    stn_composite *c;

    *out = NULL;
    if (!skel)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: a composite's base needs a skeleton",
                               base->name);
    c = calloc(1, sizeof *c);
    if (!c)
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "composite of %.80s", base->name);
    c->ctx = ctx;
    c->object = object;
    c->base = base;
    c->skel = skel->as.skel;
    c->pose = stn_pose_new(c->skel);
    c->bind = stn_pose_new(c->skel);
    if (!c->pose || !c->bind) {
        stn_composite_free(c);
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "composite of %.80s", base->name);
    }
    *out = c;
    return STN_SPRITE_OK;
}

/* ---- models ---- */

static void free_models(model *models, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        free(models[i].material_res);
        free(models[i].materials);
        free(models[i].bone_map);
    }
    free(models);
}

static bool same_models(const stn_composite *c, const stn_composite_model *models, uint32_t n)
{
    if (n != c->n_models)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (models[i].mesh != c->models[i].mesh_res || models[i].n_materials != c->models[i].n_materials)
            return false;
        for (uint32_t m = 0; m < models[i].n_materials; m++)
            if (models[i].materials[m] != c->models[i].material_res[m])
                return false;
    }
    return true;
}

static stn_sprite_fault map_bones(const stn_composite *c, model *m, stn_err *err)
{
    const stn_res_vbuf *vbuf = m->mesh->as.mesh->vbuf->as.vbuf;

    if (!stn_res_vbuf_attr(vbuf, STN_ATTR_BONEIDX))
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: model without bones", m->mesh_res->name);
    m->bone_map = malloc((vbuf->bone_count ? vbuf->bone_count : 1) * sizeof *m->bone_map);
    if (!m->bone_map)
        return no_memory(c, err);
    for (uint32_t i = 0; i < vbuf->bone_count; i++)
        if ((m->bone_map[i] = stn_res_skel_find(c->skel, vbuf->bones[i])) < 0)
            return stn_sprite_fail(err, STN_SPRITE_MALFORMED,
                                   "%.80s: model follows bone \"%.60s\", which the skeleton lacks",
                                   m->mesh_res->name, vbuf->bones[i]);
    m->bones = (stn_dyn){
        .kind = STN_DYN_BONES, .pose = c->pose, .bind = c->bind, .vbuf = vbuf, .bones = m->bone_map};
    return STN_SPRITE_OK;
}

static int32_t layer_order(const stn_res_mesh *mesh)
{
    const stn_value *cz = stn_entries_get(&mesh->info, "cz");
    int32_t z = 0;
    const char *text;

    /* Old meshes carry their tags as text. */
    if (cz && stn_value_as_int(cz, &z, NULL) != STN_OK && stn_value_as_text(cz, &text, NULL) == STN_OK)
        z = (int32_t)strtol(text, NULL, 10);
    return z;
}

static stn_sprite_fault make_model(const stn_composite *c, const stn_composite_model *from, model *m,
                                   stn_err *err)
{
    m->mesh_res = from->mesh;
    m->mesh = stn_res_first(from->mesh->res, STN_LAYER_MESH);
    if (!m->mesh)
        return stn_sprite_fail(err, STN_SPRITE_RESOURCE, "%.80s: model without a mesh", from->mesh->name);
    m->material_res = calloc(from->n_materials ? from->n_materials : 1, sizeof(*m->material_res));
    m->materials = calloc(from->n_materials ? from->n_materials : 1, sizeof(*m->materials));
    if (!m->material_res || !m->materials)
        return no_memory(c, err);
    for (uint32_t i = 0; i < from->n_materials; i++) {
        const stn_res_mat *mat = stn_material_find(from->materials[i], -1);
        stn_sprite_fault fault;
        if (!mat)
            return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "%.80s: no material in it",
                                   from->materials[i]->name);
        if ((fault = stn_sprite_material(c->ctx, from->materials[i], mat, &m->materials[i], err)))
            return fault;
        m->material_res[i] = from->materials[i];
    }
    m->n_materials = from->n_materials;
    m->z1 = layer_order(m->mesh->as.mesh);
    m->part = (stn_sprite_part){.kind = STN_PART_MESH, .res = from->mesh, .layer = m->mesh};
    return map_bones(c, m, err);
}

static uint32_t model_leaves(const model *models, uint32_t n)
{
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < n; i++)
        leaves += models[i].n_materials;
    return leaves;
}

stn_sprite_fault stn_composite_models(stn_composite *c, const stn_composite_model *models, uint32_t n,
                                      stn_err *err)
{
    model *made;

    if (same_models(c, models, n))
        return STN_SPRITE_OK;
    if (n > MAX_MODELS)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: %u models", c->base->name, n);
    made = calloc(n ? n : 1, sizeof *made);
    if (!made)
        return no_memory(c, err);
    for (uint32_t i = 0; i < n; i++) {
        stn_sprite_fault fault = make_model(c, &models[i], &made[i], err);
        if (fault) {
            free_models(made, n);
            return fault;
        }
    }
    stn_ctx_count(c->ctx, model_leaves(made, n), model_leaves(c->models, c->n_models));
    free_models(c->models, c->n_models);
    c->models = made;
    c->n_models = n;
    c->version++;
    return STN_SPRITE_OK;
}

/* ---- equipment ---- */

static void free_item(item *it)
{
    free(it->at);
    free(it->sdt);
    stn_sprite_free(it->sprite);
    *it = (item){0};
}

static bool same_but_bytes(const item *a, const stn_composite_item *b)
{
    return a->sprite && a->res == b->what.res && strcmp(a->at, b->at) == 0 &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0;
}

static bool same_bytes(const item *a, const stn_composite_item *b)
{
    return a->sdt_len == b->what.sdt_len && (a->sdt_len == 0 || memcmp(a->sdt, b->what.sdt, a->sdt_len) == 0);
}

static bool same_items(const stn_composite *c, const stn_composite_item *items, uint32_t n)
{
    if (n != c->n_items)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!same_but_bytes(&c->items[i], &items[i]) || !same_bytes(&c->items[i], &items[i]))
            return false;
    return true;
}

static const stn_res_boneoff *boneoff_named(const stn_sprite_res *res, const char *name)
{
    const stn_res_layer *layer = stn_res_find_text(res->res, STN_LAYER_BONEOFF, name);
    return layer ? layer->as.boneoff : NULL;
}

static stn_sprite_fault attach(const stn_composite *c, item *it, stn_err *err)
{
    it->bone = -1;
    if (!it->at[0])
        return STN_SPRITE_OK;
    if ((it->boneoff = boneoff_named(it->res, it->at)) || (it->boneoff = boneoff_named(c->base, it->at)))
        return STN_SPRITE_OK;
    it->bone = stn_res_skel_find(c->skel, it->at);
    if (it->bone < 0)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: no attach point \"%.60s\" for %.80s",
                               c->base->name, it->at, it->res->name);
    return STN_SPRITE_OK;
}

typedef struct equip_search {
    const stn_composite *c;
    unsigned depth;
} equip_search;

static stn_status find_point(void *user, const char *name, stn_mat4 *out, stn_err *err)
{
    equip_search *s = user;
    const stn_res_boneoff *boneoff = boneoff_named(s->c->base, name);
    stn_equip_target target = {NULL, find_point, user};
    stn_status st;
    int32_t bone;

    if (boneoff) {
        if (s->depth == EQUIP_DEPTH)
            return stn_fail(err, STN_BAD_DATA, "attach point \"%.60s\" leads to itself", name);
        s->depth++;
        st = stn_boneoff_place(boneoff, &target, out, err);
        s->depth--;
        return st;
    }
    bone = stn_res_skel_find(s->c->skel, name);
    if (bone < 0)
        return stn_fail(err, STN_NOT_FOUND, "attach point \"%.60s\": no such bone", name);
    *out = stn_pose_equip(s->c->pose, (uint32_t)bone);
    return STN_OK;
}

static stn_sprite_fault place_item(const stn_composite *c, const item *it, stn_mat4 *out, stn_err *err)
{
    equip_search search = {c, 0};
    stn_equip_target target = {NULL, find_point, &search};
    stn_err inner = {0};

    if (it->boneoff) {
        if (stn_boneoff_place(it->boneoff, &target, out, &inner) != STN_OK)
            return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%s", inner.text);
    } else if (it->bone >= 0) {
        *out = stn_pose_equip(c->pose, (uint32_t)it->bone);
    } else {
        *out = stn_mat4_identity;
    }
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_composite_equip(const stn_composite *c, const char *name, stn_mat4 *out, stn_err *err)
{
    equip_search search = {c, 0};
    stn_err inner = {0};

    if (find_point(&search, name, out, &inner) != STN_OK)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%s", inner.text);
    return STN_SPRITE_OK;
}

static stn_sprite_fault keep_bytes(const stn_composite *c, item *it, const stn_composite_ref *ref,
                                   stn_err *err)
{
    uint8_t *sdt = malloc(ref->sdt_len ? ref->sdt_len : 1);
    if (!sdt)
        return no_memory(c, err);
    if (ref->sdt_len)
        memcpy(sdt, ref->sdt, ref->sdt_len);
    free(it->sdt);
    it->sdt = sdt;
    it->sdt_len = ref->sdt_len;
    return STN_SPRITE_OK;
}

static stn_sprite_fault make_item(stn_composite *c, const stn_composite_item *from, item *it, stn_err *err)
{
    stn_mat4 at;
    stn_sprite_fault fault;

    if (from->type != 0)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: equipment of type %u", c->base->name,
                               from->type);
    it->at = strdup(from->at);
    if (!it->at)
        return no_memory(c, err);
    it->res = from->what.res;
    memcpy(it->offset, from->offset, sizeof it->offset);
    if ((fault = keep_bytes(c, it, &from->what, err)) || (fault = attach(c, it, err)) ||
        (fault = place_item(c, it, &at, err)) ||
        (fault = stn_sprite_new(c->ctx, c->object, it->res, it->sdt, it->sdt_len, &it->sprite, err)))
        return fault;
    it->instance = ++c->next_instance;
    return STN_SPRITE_OK;
}

/* An item of the old list that can serve, taken out of it: equal in all, else equal but for bytes that can be
 * updated. */
static item *find_kept(stn_composite *c, const stn_composite_item *want, bool exact, const bool *taken)
{
    for (uint32_t i = 0; i < c->n_items; i++)
        if (!taken[i] && same_but_bytes(&c->items[i], want) &&
            (exact ? same_bytes(&c->items[i], want) : stn_sprite_updatable(c->items[i].sprite)))
            return &c->items[i];
    return NULL;
}

static uint32_t item_leaves(const item *items, uint32_t n)
{
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < n; i++)
        if (items[i].sprite)
            leaves += stn_parts_leaves(items[i].sprite->parts, items[i].sprite->n_parts);
    return leaves;
}

typedef struct choice {
    item *kept; /* of the old list */
    bool update;
    item fresh;
} choice;

static stn_sprite_fault choose(stn_composite *c, const stn_composite_item *items, uint32_t n, choice *choices,
                               bool *taken, stn_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        item *kept = find_kept(c, &items[i], true, taken);
        if (!kept) {
            kept = find_kept(c, &items[i], false, taken);
            choices[i].update = kept != NULL;
        }
        choices[i].kept = kept;
        if (kept) {
            taken[kept - c->items] = true;
        } else {
            stn_sprite_fault fault = make_item(c, &items[i], &choices[i].fresh, err);
            if (fault)
                return fault;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (choices[i].update) {
            stn_sprite_fault fault =
                stn_sprite_update(choices[i].kept->sprite, items[i].what.sdt, items[i].what.sdt_len, err);
            if (fault || (fault = keep_bytes(c, choices[i].kept, &items[i].what, err)))
                return fault;
        }
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_composite_items(stn_composite *c, const stn_composite_item *items, uint32_t n,
                                     stn_err *err)
{
    choice *choices;
    item *next;
    bool *taken;
    uint32_t before;
    stn_sprite_fault fault;

    if (same_items(c, items, n))
        return STN_SPRITE_OK;
    if (n > MAX_ITEMS)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: %u pieces of equipment", c->base->name, n);
    choices = calloc(n ? n : 1, sizeof *choices);
    next = calloc(n ? n : 1, sizeof *next);
    taken = calloc(c->n_items ? c->n_items : 1, sizeof *taken);
    if (!choices || !next || !taken) {
        fault = no_memory(c, err);
        goto out;
    }
    fault = choose(c, items, n, choices, taken, err);
    if (fault) {
        for (uint32_t i = 0; i < n; i++)
            free_item(&choices[i].fresh);
        goto out;
    }
    before = item_leaves(c->items, c->n_items);
    for (uint32_t i = 0; i < n; i++) {
        next[i] = choices[i].kept ? *choices[i].kept : choices[i].fresh;
        if (choices[i].kept)
            *choices[i].kept = (item){0};
    }
    for (uint32_t i = 0; i < c->n_items; i++)
        free_item(&c->items[i]);
    free(c->items);
    c->items = next;
    next = NULL;
    c->n_items = n;
    c->version++;
    stn_ctx_count(c->ctx, item_leaves(c->items, n), before);
out:
    free(choices);
    free(next);
    free(taken);
    return fault;
}

/* ---- poses ---- */

static stn_sprite_fault make_set(stn_composite *c, const stn_composite_ref *poses, uint32_t n, bool once,
                                 stn_poseset **out, stn_err *err)
{
    stn_poseset *set = stn_poseset_new(c->skel, stn_ctx_seed(c->ctx));

    *out = NULL;
    if (!set)
        return no_memory(c, err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mask = stn_sprite_number(poses[i].sdt, poses[i].sdt_len);
        stn_sprite_fault fault = stn_poseset_add(set, poses[i].res->res, mask, once, once, err);
        if (fault) {
            stn_poseset_free(set);
            return fault;
        }
    }
    *out = set;
    return STN_SPRITE_OK;
}

static void forget_sets(stn_composite *c)
{
    if (c->normal != c->set)
        stn_poseset_free(c->normal);
    stn_poseset_free(c->set);
    c->set = c->normal = NULL;
}

void stn_composite_install(stn_composite *c, stn_poseset *set, float seconds)
{
    forget_sets(c);
    c->set = c->normal = set;
    stn_poseset_install(set, c->pose, seconds);
}

void stn_composite_install_timed(stn_composite *c, stn_poseset *set, float blend, float seconds)
{
    if (c->set != c->normal)
        stn_poseset_free(c->set);
    c->set = set;
    stn_poseset_limit(set, seconds);
    stn_poseset_install(set, c->pose, blend);
}

stn_sprite_fault stn_composite_poses(stn_composite *c, const stn_composite_ref *poses, uint32_t n,
                                     bool interpolate, stn_err *err)
{
    stn_poseset *set;
    stn_sprite_fault fault = make_set(c, poses, n, false, &set, err);

    if (fault)
        return fault;
    if (!interpolate && (fault = stn_poseset_age(set, stn_ctx_rnd_source(c->ctx), err))) {
        stn_poseset_free(set);
        return fault;
    }
    stn_composite_install(c, set, interpolate ? BLEND_SECONDS : 0);
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_composite_timed(stn_composite *c, const stn_composite_ref *poses, uint32_t n,
                                     float seconds, stn_err *err)
{
    stn_poseset *set;
    stn_sprite_fault fault = make_set(c, poses, n, true, &set, err);

    if (fault)
        return fault;
    stn_composite_install_timed(c, set, BLEND_SECONDS, seconds);
    return STN_SPRITE_OK;
}

bool stn_composite_busy(const stn_composite *c)
{
    return c->set != c->normal;
}

stn_sprite_fault stn_composite_tick(stn_composite *c, double dt, stn_err *err)
{
    stn_sprite_fault fault = STN_SPRITE_OK;
    bool done = false;

    if (c->set)
        fault = stn_poseset_tick(c->set, c->pose, (float)dt, c->object ? c->object->speed : 0, &done, err);
    if (!fault && done && c->set != c->normal) {
        stn_poseset_free(c->set);
        c->set = c->normal;
        if (c->set)
            stn_poseset_install(c->set, c->pose, BLEND_SECONDS);
    }
    for (uint32_t i = 0; i < c->n_items; i++) {
        stn_err inner = {0};
        bool item_done;
        stn_sprite_fault one = stn_sprite_tick(c->items[i].sprite, dt, &item_done, &inner);
        if (one && !fault) {
            fault = one; /* equipment fails for itself; the body goes on */
            if (err)
                *err = inner;
        }
    }
    return fault;
}

/* ---- what is drawn ---- */

static stn_sprite_fault model_leaf(const stn_composite *c, const model *m, uint32_t layer,
                                   const stn_state *outer, stn_arena *arena, stn_leaf_fn *fn, void *user,
                                   bool *go_on, stn_err *err)
{
    const stn_sprite_mat *mat = m->materials[layer];
    stn_op tail[2] = {{.kind = STN_OP_SET, .slot = STN_SLOT_ORDER},
                      {.kind = STN_OP_NOTHING, .slot = STN_SLOT_CLICK}};
    stn_op morph = {.kind = STN_OP_SET, .slot = STN_SLOT_MORPH};
    stn_level levels[4] = {
        {{&morph, 1}, false}, {mat->statics, true}, {mat->dynamics, true}, {{tail, layer > 0 ? 2 : 1}, true}};
    stn_state state = *outer;
    stn_leaf leaf = {.part = &m->part, .state = &state, .morph = &m->bones};

    (void)c;
    tail[0].u.value.u.order = (stn_order){.main = 1, .z1 = m->z1, .z2 = (int32_t)layer, .composite = true};
    morph.u.value.u.number = m->bones.vbuf->bone_count;
    for (int i = 0; i < 4; i++) {
        stn_sprite_fault fault = stn_state_enter(&state, &levels[i], arena, err);
        if (fault)
            return fault;
    }
    *go_on = fn(user, &leaf);
    return STN_SPRITE_OK;
}

static stn_sprite_fault item_state(const stn_composite *c, const item *it, stn_state *state, stn_arena *arena,
                                   stn_err *err)
{
    stn_op ops[2] = {{.kind = STN_OP_LOCATION}, {.kind = STN_OP_LOCATION}};
    uint32_t n = 0;
    stn_level level = {{ops, 0}, false};
    stn_sprite_fault fault;

    if (it->at[0]) {
        if ((fault = place_item(c, it, &ops[n].u.matrix, err)))
            return fault;
        n++;
    }
    if (it->offset[0] != 0 || it->offset[1] != 0 || it->offset[2] != 0)
        ops[n++].u.matrix = stn_mat4_translate((stn_sprite_vec){it->offset[0], it->offset[1], it->offset[2]});
    level.ops.count = n;
    return stn_state_enter(state, &level, arena, err);
}

stn_sprite_fault stn_composite_leaves(const stn_composite *c, const stn_state *outer, stn_arena *arena,
                                      stn_leaf_fn *fn, void *user, stn_err *err)
{
    bool go_on = true;
    stn_sprite_fault fault;

    for (uint32_t i = 0; i < c->n_models; i++)
        for (uint32_t layer = 0; layer < c->models[i].n_materials && go_on; layer++)
            if ((fault = model_leaf(c, &c->models[i], layer, outer, arena, fn, user, &go_on, err)))
                return fault;
    for (uint32_t i = 0; i < c->n_items && go_on; i++) {
        stn_state state = *outer;
        if ((fault = item_state(c, &c->items[i], &state, arena, err)) ||
            (fault = stn_sprite_leaves(c->items[i].sprite, &state, arena, fn, user, err)))
            return fault;
    }
    return STN_SPRITE_OK;
}

const stn_pose *stn_composite_pose(const stn_composite *c)
{
    return c->pose;
}

const stn_poseset *stn_composite_set(const stn_composite *c)
{
    return c->set;
}

uint64_t stn_composite_version(const stn_composite *c)
{
    return c->version;
}

uint32_t stn_composite_item_count(const stn_composite *c)
{
    return c->n_items;
}

const stn_sprite *stn_composite_item_sprite(const stn_composite *c, uint32_t i)
{
    return i < c->n_items ? c->items[i].sprite : NULL;
}

uint64_t stn_composite_item_instance(const stn_composite *c, uint32_t i)
{
    return i < c->n_items ? c->items[i].instance : 0;
}

void stn_composite_free(stn_composite *c)
{
    if (!c)
        return;
    forget_sets(c);
    free_models(c->models, c->n_models);
    for (uint32_t i = 0; i < c->n_items; i++)
        free_item(&c->items[i]);
    free(c->items);
    stn_pose_free(c->pose);
    stn_pose_free(c->bind);
    free(c);
}
