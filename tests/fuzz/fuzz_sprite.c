/* fuzz_sprite.c - sprites of hostile resources with hostile state bytes: made, aged, ticked, told new state,
 * walked and ended. The first byte is the number of state bytes, which follow; the rest is the resource.
 * Every name it links to is the resource itself. */
#include "renderer/sprite/composite.h"
#include "renderer/sprite/sprite.h"

#include <stdlib.h>

typedef struct world {
    stn_sprite_res res;
    unsigned asked;
} world;

static stn_sprite_fault get(void *user, const char *name, int32_t version, const stn_sprite_res **out,
                            stn_err *err)
{
    world *w = user;

    (void)name;
    *out = &w->res;
    /* Now and then it is not there yet, or not at all. */
    if (version % 7 == 3 || ++w->asked > 500)
        return stn_sprite_fail(err, version & 8 ? STN_SPRITE_LOADING : STN_SPRITE_LOAD_FAILED, "no");
    return STN_SPRITE_OK;
}

static stn_sprite_fault by_number(void *user, uint16_t number, const stn_sprite_res **out, stn_err *err)
{
    return get(user, "", number, out, err);
}

static stn_sprite_fault flat(void *user, stn_place_surface surface, double x, double y, double *out,
                             stn_err *err)
{
    (void)user, (void)surface, (void)err;
    *out = 0.01 * x - 0.02 * y;
    return STN_SPRITE_OK;
}

static bool look(void *user, const stn_leaf *leaf)
{
    unsigned *n = user;
    stn_light l;

    if (leaf->part->kind == STN_PART_LIGHT && stn_light_of(leaf->part->layer->as.light, &l, NULL) == 0 &&
        leaf->part->flicker)
        stn_flicker_light(&l, leaf->part->flicker->level);
    if (leaf->part->kind == STN_PART_PARTICLES)
        for (uint32_t i = 0; i < leaf->part->smoke->count; i++)
            stn_smoke_point_of(leaf->part->smoke, i);
    for (uint32_t i = 0; leaf->morph && i < leaf->morph->vbuf->bone_count; i++)
        if (leaf->morph->bones[i] >= 0)
            stn_pose_bone_matrix(leaf->morph->pose, leaf->morph->bind, (uint32_t)leaf->morph->bones[i]);
    return ++*n < 2000;
}

static void use(stn_sprite_ctx *ctx, const stn_sprite_object *object, const world *w, const uint8_t *sdt,
                size_t len)
{
    stn_arena *arena = stn_arena_new(4096, 16u << 20);
    stn_sprite *s = NULL;
    stn_state outer;
    unsigned n = 0;
    bool done = false;

    stn_state_clear(&outer);
    if (arena && stn_sprite_new(ctx, object, &w->res, sdt, len, &s, NULL) == STN_SPRITE_OK) {
        stn_sprite_age(s, NULL);
        for (int i = 0; i < 4; i++)
            stn_sprite_tick(s, 0.15, &done, NULL);
        stn_sprite_leaves(s, &outer, arena, look, &n, NULL);
        if (stn_sprite_updatable(s) && len > 0)
            stn_sprite_update(s, sdt + 1, len - 1, NULL);
        stn_sprite_end(s);
        stn_sprite_tick(s, 0.15, &done, NULL);
        stn_sprite_leaves(s, &outer, arena, look, &n, NULL);
    }
    stn_sprite_free(s);
    stn_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const stn_res_opts opts = {.want_version = STN_RES_ANY_VERSION, .borrow = true};
    static const stn_ground ground = {flat, NULL, NULL};
    stn_sprite_stand stand = {
        .angle = 0.7, .x = 33, .y = -12, .ground = &ground, .has_grid = true, .grid = 5, .tile_x = 1};
    world w = {0};
    stn_sprite_source source = {get, &w};
    stn_sprite_object object = {
        .id = 77, .stand = &stand, .base = &w.res, .resource = by_number, .resource_user = &w};
    stn_obj_random random = stn_obj_random_seeded(1);
    stn_rnd rnd = stn_obj_random_floats(&random);
    stn_sprite_ctx *ctx;
    stn_res *res = NULL;
    stn_sprite_facts facts;
    size_t len;

    if (size < 1 || data[0] >= size)
        return 0;
    len = data[0];
    if (stn_res_new(data + 1 + len, size - 1 - len, &opts, &res, NULL, NULL) != STN_OK)
        return 0;
    w.res = (stn_sprite_res){"gfx/terobjs/consobj", 35, res};
    /* Some twins belong to one carrier by name: a few names take turns. */
    if (len % 4 == 1)
        w.res = (stn_sprite_res){"gfx/fx/ismoke", 111, res};
    else if (len % 4 == 2)
        w.res = (stn_sprite_res){"gfx/fx/flight", 6, res};
    else if (len % 4 == 3)
        w.res = (stn_sprite_res){"gfx/terobjs/items/decal", 4, res};
    facts = stn_sprite_facts_of(res);
    stn_sprite_traits_of(w.res.name, w.res.version, &facts);
    ctx = stn_sprite_ctx_new(&source, &rnd, NULL);
    if (ctx) {
        use(ctx, &object, &w, data + 1, len);
        use(ctx, NULL, &w, NULL, 0);
    }
    stn_sprite_ctx_free(ctx);
    stn_res_free(res);
    return 0;
}
