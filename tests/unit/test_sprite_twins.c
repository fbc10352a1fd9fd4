/* Native twins of served sprites: trees, plants, lights of fires, smoke; and what they are made of. */
#include "sprite_fixture.h"

#include "renderer/sprite/scatter.h"

#include <math.h>

static stn_sprite_fault slope_z(void *user, stn_place_surface surface, double x, double y, double *out,
                                stn_err *err)
{
    (void)user, (void)surface, (void)err;
    *out = 0.1 * x + 0.2 * y;
    return STN_SPRITE_OK;
}

static const stn_ground slope = {slope_z, NULL, NULL};

static bool has_mesh(const stn_sprite *s, int32_t id)
{
    uint32_t n;
    const stn_sprite_part *parts = stn_sprite_parts(s, &n);

    for (uint32_t i = 0; i < n; i++)
        if (parts[i].kind == STN_PART_MESH && parts[i].layer->as.mesh->id == id)
            return true;
    return false;
}

/* ---- trees ---- */

/* Meshes: trunk; leaves of spring and summer (mask 3) in material 4*1+season; a stump (stage 2); one that bit
 * 2 hides. */
static const stn_sprite_res *tree(fixture *f)
{
    fx_maker m = fx_begin(3);

    fx_code(&m, "spr", "haven.res.lib.tree.Factory", "lib/tree", 15, NULL);
    fx_vertices(&m);
    fx_material(&m, 0);
    fx_material(&m, 4);
    fx_material(&m, 5);
    fx_mesh(&m, -1, 0);
    fx_mesh(&m, 0x0310, 0);
    fx_mesh(&m, 0x4000, 0);
    fx_mesh(&m, 0x0002, 0);
    return fx_end(f, &m, "gfx/terobjs/trees/test");
}

static void trees_choose_meshes_by_season_stage_and_mask(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = tree(f);
    static const struct {
        const char *sdt;
        size_t len;
        bool leaves, hideable;
        int32_t material; /* of the leaves */
    } cases[] = {
        {"", 0, true, true, 0}, /* nothing said: own material, any season */
        {"\x10", 1, true, true, 4}, /* season 0 */
        {"\x20", 1, true, true, 5}, /* season 1 */
        {"\x30", 1, false, true, 0}, /* season 2 is not in the mask (and has no material either) */
        {"\x11", 1, true, true, 4}, /* hides bit 1 */
        {"\x12", 1, true, false, 4}, /* hides bit 2 */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stn_sprite *s = fx_sprite(f, NULL, res, cases[i].sdt, cases[i].len);
        uint32_t n;
        const stn_sprite_part *parts = stn_sprite_parts(s, &n);
        assert_int_equal(stn_sprite_native(s), STN_NATIVE_TREE);
        assert_true(has_mesh(s, -1));
        assert_false(has_mesh(s, 0x4000));
        if (has_mesh(s, 0x0310) != cases[i].leaves || has_mesh(s, 0x0002) != cases[i].hideable)
            fail_msg("case %zu", i);
        for (uint32_t k = 0; k < n; k++)
            if (parts[k].layer->as.mesh->id == 0x0310)
                assert_int_equal(parts[k].wraps[0].material->id, cases[i].material);
        stn_sprite_free(s);
    }
    assert_int_equal(f->reported, 0);
}

static void a_fifth_season_is_in_no_mask(void **state)
{
    fixture *f = *state;
    stn_sprite *s = fx_sprite(f, NULL, tree(f), "\x70", 1);

    assert_true(has_mesh(s, -1));
    assert_false(has_mesh(s, 0x0310));
    stn_sprite_free(s);
}

typedef struct seen {
    uint32_t n;
    stn_mat4 at;
    const stn_sway *sway;
    bool unturned;
} seen;

static bool see(void *user, const stn_leaf *leaf)
{
    seen *s = user;

    s->n++;
    s->at = leaf->state->presence[STN_SLOT_LOC] == STN_SET ? leaf->state->values[STN_SLOT_LOC].u.loc->world
                                                           : stn_mat4_identity;
    s->sway =
        leaf->state->presence[STN_SLOT_SWAY] == STN_SET ? leaf->state->values[STN_SLOT_SWAY].u.sway : NULL;
    s->unturned = leaf->unturned;
    return true;
}

static seen look(const stn_sprite *sprite, const stn_level *outer, size_t levels)
{
    stn_arena *arena = stn_arena_new(4096, 0);
    stn_state state;
    seen s = {0};
    stn_err err = {0};

    assert_int_equal(stn_state_compose(outer, levels, arena, &state, &err), STN_SPRITE_OK);
    if (stn_sprite_leaves(sprite, &state, arena, see, &s, &err))
        fail_msg("%s", err.text);
    stn_arena_free(arena);
    return s;
}

static void trees_on_objects_lean_sway_and_have_a_size(void **state)
{
    fixture *f = *state;
    stn_sprite_stand stand = {.has_grid = true, .grid = 77, .tile_x = 3, .tile_y = 9};
    stn_sprite_object object = {.id = 5, .stand = &stand};
    stn_sway other = {0};
    stn_sprite *s = fx_sprite(f, &object, tree(f), "\x00\x96", 2);
    stn_mat4 lean = stn_tree_tilt(77, 3, 9).turn;
    seen got = look(s, NULL, 0);

    assert_non_null(stn_sprite_stance(s));
    for (int i = 0; i < 12; i++)
        assert_float_equal(got.at.m[i], lean.m[i] * 1.5f, 1e-6f);
    assert_ptr_equal(got.sway, stn_sprite_stance(s)->sway);
    object.sway = &other;
    assert_ptr_equal(look(s, NULL, 0).sway, &other);
    stn_sprite_free(s);
    s = fx_sprite(f, NULL, &f->res[0], "\x00\x96", 2);
    assert_null(stn_sprite_stance(s));
    stn_sprite_free(s);
}

static void a_tree_waits_for_its_grid(void **state)
{
    fixture *f = *state;
    stn_sprite_stand stand = {0};
    stn_sprite_object object = {.id = 5, .stand = &stand};
    stn_sprite *s;

    assert_int_equal(stn_sprite_new(f->ctx, &object, tree(f), NULL, 0, &s, NULL), STN_SPRITE_LOADING);
}

/* ---- sway ---- */

static void sway_draws_its_numbers_within_its_strengths(void **state)
{
    fixture *f = *state;

    for (int i = 0; i < 200; i++) {
        stn_sway s = stn_sway_of(0.5f, 0.25f, &f->rnd);
        assert_true(fabsf(s.bend[0]) <= 0.025f && fabsf(s.bend[1]) <= 0.025f && fabsf(s.bend[2]) <= 0.005f);
        assert_true(fabsf(s.tremble[0]) <= 0.005f && fabsf(s.tremble[2]) <= 0.0075f);
        assert_true(s.bend[3] >= 0.3f && s.bend[3] <= 1.2567f);
        assert_true(s.tremble[3] >= 3.14f && s.tremble[3] <= 9.425f);
    }
}

static void the_root_stands_still(void **state)
{
    stn_sway s = {.bend = {0.02f, 0.01f, 0, 1}, .tremble = {0.01f, 0, 0, 5}};
    stn_sprite_vec o = {100, -50, 7}, root = {102, -50, 7}, top = {100, -50, 27}, moved;

    (void)state;
    moved = stn_sway_at(&s, o, root, 1.3f);
    assert_memory_equal(&moved, &root, sizeof root);
    moved = stn_sway_at(&s, o, top, 1.3f);
    assert_float_equal(moved.x, 100 + 0.02f * 20 * sinf(1.3f), 1e-4);
    assert_float_equal(moved.y, -50 + 0.01f * 20 * sinf(1.3f), 1e-4);
}

static void sway_reads_its_bytes(void **state)
{
    fixture *f = *state;
    stn_sway s;

    assert_int_equal(stn_sway_read(NULL, 0, &f->rnd, &s, NULL), STN_SPRITE_OK);
    assert_int_equal(stn_sway_read((const uint8_t *)"\0\0\0", 3, &f->rnd, &s, NULL), STN_SPRITE_OK);
    assert_true(s.bend[0] == 0 && s.tremble[0] == 0);
    assert_int_equal(stn_sway_read((const uint8_t *)"\0\0", 2, &f->rnd, &s, NULL), STN_SPRITE_EOF);
    /* 0x7f is no number in eight bits */
    assert_int_equal(stn_sway_read((const uint8_t *)"\0\x7f\0", 3, &f->rnd, &s, NULL), STN_SPRITE_MALFORMED);
}

/* ---- plants ---- */

static const stn_sprite_res *crop(fixture *f, const char *cls, int32_t num)
{
    stn_value arg = stn_value_int(num);
    stn_values args = {1, &arg};
    fx_maker m = fx_begin(1);

    fx_code(&m, "spr", cls, "lib/plants", 11, &args);
    fx_vertices(&m);
    fx_material(&m, 0);
    fx_mesh(&m, 10, 0);
    fx_mesh(&m, 20, 0);
    fx_mesh(&m, 21, 0);
    return fx_end(f, &m, "gfx/terobjs/plants/test");
}

static void crops_grow_where_their_object_says(void **state)
{
    fixture *f = *state;
    stn_sprite_stand stand = {.angle = 1, .x = 110, .y = 220, .z = 55, .ground = &slope};
    stn_sprite_object object = {.id = 42, .stand = &stand};
    static const char *const classes[] = {"haven.res.lib.plants.GrowingPlant", "TrellisPlant"};

    for (int k = 0; k < 2; k++) {
        stn_scatter where = {.object = 42, .angle = 1, .x = 110, .y = 220, .z = 55, .ground = &slope};
        stn_sprout want[STN_SPROUTS_MAX];
        uint32_t n, n_parts;
        stn_sprite *s;
        const stn_sprite_part *parts;

        s = fx_sprite(f, &object, crop(f, classes[k], 6), "\x02", 1);
        assert_int_equal((k ? stn_scatter_trellis : stn_scatter_growing)(&where, 6, 2, want, &n, NULL),
                         STN_SPRITE_OK);
        parts = stn_sprite_parts(s, &n_parts);
        assert_int_equal(n_parts, 6);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(parts[i].layer->as.mesh->id, 20 + (int)want[i].variant);
            assert_int_equal(parts[i].dyns[0].kind, STN_DYN_SCATTER);
            assert_memory_equal(&parts[i].dyns[0].place, &want[i].place, sizeof want[i].place);
        }
        stn_sprite_free(s);
    }
    assert_int_equal(f->reported, 0);
}

static void crops_ignore_the_turn_of_their_object(void **state)
{
    fixture *f = *state;
    stn_sprite_object object = {.id = 42};
    stn_sprite *s = fx_sprite(f, &object, crop(f, "GrowingPlant", 1), "\x01", 1);
    stn_op place = {.kind = STN_OP_LOCATION,
                    .id = "gobx",
                    .u.matrix = stn_mat4_translate((stn_sprite_vec){10, 20, 30})},
           turn = {.kind = STN_OP_LOCATION,
                   .id = "gob",
                   .u.matrix = stn_mat4_rotate((stn_sprite_vec){0, 0, 1}, 1.5f)};
    stn_level levels[2] = {{{&place, 1}, false}, {{&turn, 1}, false}};
    seen with = look(s, levels, 2), without = look(s, levels, 1), bare = look(s, NULL, 0);

    assert_true(with.unturned);
    assert_int_equal(with.n, 1);
    assert_memory_equal(&with.at, &without.at, sizeof with.at);
    assert_float_equal(with.at.m[12] - 10, bare.at.m[12], 1e-5);
    stn_sprite_free(s);
}

static void a_stage_without_a_look_and_a_missing_stage_are_faults(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = crop(f, "GrowingPlant", 3);
    stn_sprite *s;

    assert_int_equal(stn_sprite_new(f->ctx, NULL, res, (const uint8_t *)"\x07", 1, &s, NULL),
                     STN_SPRITE_RESOURCE);
    assert_int_equal(stn_sprite_new(f->ctx, NULL, res, NULL, 0, &s, NULL), STN_SPRITE_EOF);
}

static void clutter_groups_meshes_and_links_by_id(void **state)
{
    fixture *f = *state;
    stn_value args[3] = {stn_value_int(40), stn_value_int(40), stn_value_f32(2.5f)};
    stn_values list = {3, args};
    stn_res_rlink link = {.id = 3, .type = STN_RLINK_MESHMAT, .res = {"", 0}, .mesh_id = 8, .mat = {"", 0}};
    stn_sprite_object object = {.id = 9};
    stn_scatter where = {.object = 9, .ground = NULL};
    stn_sprout want[STN_SPROUTS_MAX];
    /* ids 3 (a mesh and a link), 8, 17 (bucket 1): walked as 17, 3, 8 */
    static const int32_t first_id[] = {17, 3, 8};
    static const uint32_t members[] = {1, 2, 1};
    fx_maker m = fx_begin(1);
    uint32_t n, n_parts;
    const stn_sprite_part *parts;
    stn_sprite *s;

    fx_code(&m, "spr", "haven.res.lib.gplant.GaussianPlant", "lib/gplant", 1, &list);
    fx_vertices(&m);
    fx_material(&m, 0);
    fx_mesh(&m, 8, 0);
    fx_mesh(&m, 3, 0);
    fx_mesh(&m, 17, 0);
    fx_layer(&m, STN_LAYER_RLINK, &link);
    s = fx_sprite(f, &object, fx_end(f, &m, "gfx/terobjs/herbs/test"), "", 0);
    where.ground = &slope;
    assert_int_equal(stn_scatter_gaussian(&where, 40, 40, 2.5f, 3, members, want, &n, NULL), STN_SPRITE_OK);
    parts = stn_sprite_parts(s, &n_parts);
    assert_int_equal(n_parts, n);
    for (uint32_t i = 0, in = 0; i < n; i++) {
        uint32_t v = want[i].variant;
        if (in == 0)
            assert_int_equal(parts[i].layer->as.mesh->id, first_id[v]);
        else
            assert_non_null(parts[i].link);
        assert_float_equal(parts[i].dyns[0].place.m[12], want[i].place.m[12], 1e-6);
        in = in + 1 < members[v] ? in + 1 : 0;
    }
    stn_sprite_free(s);
}

/* ---- lights ---- */

static const stn_res_light lamp = {.id = 4,
                                   .diffuse = {200, 100, 50, 255},
                                   .fdiffuse = {0.8f, 0.4f, 0.2f, 1},
                                   .has_att = true,
                                   .att = {1, 0, 0.01f}};

static void a_linked_light_flickers_in_its_place(void **state)
{
    fixture *f = *state;
    stn_value up[2] = {stn_value_text("z"), stn_value_f32(9)},
              low[2] = {stn_value_text("min"), stn_value_f32(0.7f)};
    stn_value args[4] = {{.kind = STN_VALUE_RES, .u.res = {"fire", 1}},
                         stn_value_int(4),
                         stn_value_list(up, 2),
                         stn_value_list(low, 2)};
    stn_res_rlink link = {.id = 16, .type = STN_RLINK_PARAMS, .res = {"gfx/fx/flight", 6}, .args = {4, args}};
    fx_maker m = fx_begin(1);
    const stn_sprite_part *part;
    stn_sprite *s;
    uint32_t n;
    bool done;
    float least = 2, most = -1;

    fx_layer(&m, STN_LAYER_LIGHT, &lamp);
    fx_layer(&m, STN_LAYER_RLINK, &link);
    s = fx_sprite(f, NULL, fx_end(f, &m, "fire"), "", 0);
    part = stn_sprite_parts(s, &n);
    assert_int_equal(n, 1);
    assert_int_equal(part->kind, STN_PART_LIGHT);
    assert_int_equal(part->layer->as.light->id, 4);
    assert_int_equal(part->dyns[0].kind, STN_DYN_PLACE);
    assert_float_equal(part->dyns[0].place.m[14], 9, 0);
    for (int i = 0; i < 500; i++) {
        stn_sprite_tick(s, 0.05, &done, NULL);
        least = fminf(least, part->flicker->level);
        most = fmaxf(most, part->flicker->level);
    }
    assert_true(least >= 0.7f && least < 0.75f && most > 0.95f && most <= 1.0f);
    /* Switched off and on again it is another node; nothing of the old one is left behind. */
    assert_int_equal(stn_sprite_update(s, (const uint8_t *)"\0\0\0\0", 4, NULL), STN_SPRITE_OK);
    assert_int_equal(fx_parts(s), 0);
    assert_int_equal(stn_sprite_update(s, NULL, 0, NULL), STN_SPRITE_OK);
    assert_non_null(stn_sprite_parts(s, &n)->flicker);
    stn_sprite_free(s);
}

static void flicker_dims_colours_alone(void **state)
{
    stn_light l, half;

    (void)state;
    assert_int_equal(stn_light_of(&lamp, &l, NULL), STN_SPRITE_OK);
    half = stn_flicker_light(&l, 0.5f);
    assert_float_equal(half.diffuse[0], l.diffuse[0] / 2, 1e-6);
    assert_float_equal(half.diffuse[3], l.diffuse[3] / 2, 1e-6);
    assert_memory_equal(half.attenuation, l.attenuation, sizeof l.attenuation);
}

static void flicker_survives_senseless_numbers(void **state)
{
    fixture *f = *state;
    static const float rates[] = {0, -5, 1e30f, NAN, INFINITY};

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        stn_flicker k = stn_flicker_of(rates[i], rates[i], &f->rnd);
        for (int t = 0; t < 100; t++) {
            stn_flicker_tick(&k, 0.3f, &f->rnd);
            assert_true(k.level >= 0 && k.level <= 1.0001f);
        }
    }
}

static stn_sprite_fault by_number(void *user, uint16_t number, const stn_sprite_res **out, stn_err *err)
{
    fixture *f = user;

    if (number != 33)
        return stn_sprite_fail(err, STN_SPRITE_LOADING, "not yet");
    *out = &f->res[0];
    return STN_SPRITE_OK;
}

static void a_light_by_state_bytes(void **state)
{
    fixture *f = *state;
    stn_sprite_object object = {.id = 1, .resource = by_number, .resource_user = f};
    fx_maker m = fx_begin(1);
    const stn_sprite_res *res;
    stn_sprite *s = NULL;
    uint32_t n;
    bool done;

    fx_layer(&m, STN_LAYER_LIGHT, &lamp);
    fx_end(f, &m, "lamp");
    m = fx_begin(6);
    fx_code(&m, "spr", "haven.res.gfx.fx.flight.Flicker", NULL, 0, NULL);
    res = fx_end(f, &m, "gfx/fx/flight");
    /* 0x38 is one in eight bits */
    s = fx_sprite(f, &object, res, "\0\0\x38\x21\0\xcc", 6);
    assert_int_equal(stn_sprite_parts(s, &n)->kind, STN_PART_LIGHT);
    assert_float_equal(stn_sprite_parts(s, &n)->dyns[0].place.m[14], 11, 0);
    for (int i = 0; i < 50; i++) {
        stn_sprite_tick(s, 0.1, &done, NULL);
        assert_true(stn_sprite_parts(s, &n)->flicker->level >= 0.8f);
    }
    stn_sprite_free(s);
    assert_int_equal(stn_sprite_new(f->ctx, &object, res, (const uint8_t *)"\0\0\0\x22\0", 5, &s, NULL),
                     STN_SPRITE_LOADING);
    assert_int_equal(stn_sprite_new(f->ctx, &object, res, (const uint8_t *)"\0\0\0\x21", 4, &s, NULL),
                     STN_SPRITE_EOF);
    assert_int_equal(stn_sprite_new(f->ctx, NULL, res, (const uint8_t *)"\0\0\0\x21\0", 5, &s, NULL),
                     STN_SPRITE_RESOURCE);
}

/* ---- smoke and wind ---- */

static void smoke_rises_drifts_fades_and_ends(void **state)
{
    fixture *f = *state;
    fx_maker m = fx_begin(111);
    const stn_sprite_part *part;
    stn_sprite *s;
    uint32_t n;
    bool done = false;
    float high = 0, x = 0;

    fx_code(&m, "spr", "haven.res.gfx.fx.ismoke.Smoke", NULL, 0, NULL);
    fx_material(&m, 0);
    /* material 0, size 1.5, no bone, colour, density 4, power 1, life 2 s, height 20, spread 1 */
    s = fx_sprite(f, NULL, fx_end(f, &m, "gfx/fx/ismoke"), "\0\x0f\0\xff\x88\x04\x0a\x14\x14\x0a", 10);
    part = stn_sprite_parts(s, &n);
    assert_int_equal(part->kind, STN_PART_PARTICLES);
    for (int i = 0; i < 60; i++) {
        stn_sprite_tick(s, 0.05, &done, NULL);
        assert_false(done);
    }
    assert_in_range(part->smoke->count, 60, 130);
    for (uint32_t i = 0; i < part->smoke->count; i++) {
        stn_smoke_point p = stn_smoke_point_of(part->smoke, i);
        assert_true(p.color[3] >= 0 && p.color[3] <= 1);
        high = fmaxf(high, p.at.z);
        x += p.at.x;
    }
    assert_true(high > 10 && high < 40);
    assert_true(fabsf(x) / (float)part->smoke->count < 2);
    assert_true(stn_sprite_end(s));
    for (int i = 0; i < 60 && !done; i++)
        stn_sprite_tick(s, 0.05, &done, NULL);
    assert_true(done);
    assert_int_equal(part->smoke->count, 0);
    stn_sprite_free(s);
}

static void smoke_is_bounded_and_goes_with_the_wind(void **state)
{
    fixture *f = *state;
    stn_smoke *s = calloc(1, sizeof *s);
    float x = 0;

    assert_non_null(s);
    s->look = (stn_smoke_look){1, {1, 1, 1, 1}, 255, 1, 25, 100, 1};
    for (int i = 0; i < 400; i++) {
        stn_smoke_tick(s, 0.1f, (stn_sprite_vec){10, 0, 0}, &f->rnd);
        assert_true(s->count <= STN_SMOKE_MAX);
    }
    assert_int_equal(s->count, STN_SMOKE_MAX);
    for (uint32_t i = 0; i < s->count; i++)
        x += s->puffs[i].at.x;
    assert_true(x / (float)s->count > 10);
    free(s);
}

static void wind_stays_in_its_range(void **state)
{
    fixture *f = *state;

    for (int i = 0; i < 20000; i++) {
        const stn_wind *w = stn_sprite_ctx_wind(f->ctx);
        stn_sprite_ctx_blow(f->ctx, 0.05f);
        assert_true(w->speed >= 0 && w->speed <= 20);
        assert_true(w->direction >= 0 && w->direction <= 6.2832f);
        assert_true(fabsf(w->now[0]) <= 121 && fabsf(w->now[1]) <= 121);
    }
    assert_true(stn_sprite_ctx_wind(f->ctx)->speed > 10);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, fx_setup, fx_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(trees_choose_meshes_by_season_stage_and_mask),
        WITH(a_fifth_season_is_in_no_mask),
        WITH(trees_on_objects_lean_sway_and_have_a_size),
        WITH(a_tree_waits_for_its_grid),
        WITH(sway_draws_its_numbers_within_its_strengths),
        cmocka_unit_test(the_root_stands_still),
        WITH(sway_reads_its_bytes),
        WITH(crops_grow_where_their_object_says),
        WITH(crops_ignore_the_turn_of_their_object),
        WITH(a_stage_without_a_look_and_a_missing_stage_are_faults),
        WITH(clutter_groups_meshes_and_links_by_id),
        WITH(a_linked_light_flickers_in_its_place),
        cmocka_unit_test(flicker_dims_colours_alone),
        WITH(flicker_survives_senseless_numbers),
        WITH(a_light_by_state_bytes),
        WITH(smoke_rises_drifts_fades_and_ends),
        WITH(smoke_is_bounded_and_goes_with_the_wind),
        WITH(wind_stays_in_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
