/* Construction sites, pictures on things, outlines in state bytes, sounds that end, overlays that are over.
 */
#include "sprite_fixture.h"

#include "renderer/sprite/obstacle.h"

/* ---- outlines ---- */

static stn_sprite_fault outline(const char *bytes, size_t len, stn_arena *arena, stn_outline *out)
{
    stn_bytes in = stn_bytes_of(bytes, len);

    return stn_outline_read(&in, arena, out, NULL);
}

static void outlines_come_in_four_forms(void **state)
{
    stn_arena *a = stn_arena_new(256, 0);
    stn_outline o;

    (void)state;
    assert_int_equal(outline("\x31\x81\xc0\x7f\x40", 5, a, &o), STN_SPRITE_OK);
    assert_int_equal(o.count, 1);
    assert_int_equal(o.rings[0].count, 4);
    assert_float_equal(o.rings[0].points[0][0], -22, 1e-5);
    assert_float_equal(o.rings[0].points[2][0], 22, 1e-5);
    assert_float_equal(o.min[1], -22 * 64 / 127.0f, 1e-4);
    assert_float_equal(o.max[1], 22 * 64 / 127.0f, 1e-4);

    assert_int_equal(outline("\x10", 1, a, &o), STN_SPRITE_OK);
    assert_int_equal(o.count, 0);

    assert_int_equal(outline("\x20\x02\x7f\x00\x81\x7f", 6, a, &o), STN_SPRITE_OK);
    assert_int_equal(o.rings[0].count, 2);
    assert_float_equal(o.rings[0].points[1][1], 11, 1e-5);

    assert_int_equal(outline("\x00\x02\x01\x02\x7f\x7f\x01\x02\x03\x04", 10, a, &o), STN_SPRITE_OK);
    assert_int_equal(o.count, 2);
    assert_int_equal(o.rings[1].count, 2);
    assert_float_equal(o.rings[1].points[1][1], 4 * 11 / 127.0f, 1e-5);
    stn_arena_free(a);
}

static void outlines_cut_short_or_of_another_form_are_refused(void **state)
{
    static const char whole[] = "\x00\x02\x01\x02\x7f\x7f\x01\x02\x03\x04";
    stn_arena *a = stn_arena_new(256, 0);
    stn_outline o;

    (void)state;
    for (size_t n = 0; n < sizeof whole - 1; n++)
        assert_int_equal(outline(whole, n, a, &o), STN_SPRITE_EOF);
    assert_int_equal(outline("\x40\0\0\0\0\0\0", 7, a, &o), STN_SPRITE_MALFORMED);
    stn_arena_free(a);
}

/* ---- construction sites ---- */

static const stn_sprite_res *plain(fixture *f, const char *name)
{
    fx_maker m = fx_begin(1);

    fx_vertices(&m);
    fx_material(&m, 0);
    fx_mesh(&m, -1, 0);
    return fx_end(f, &m, name);
}

static const stn_sprite_res *site(fixture *f)
{
    fx_maker m = fx_begin(35);

    fx_code(&m, "spr", "haven.res.gfx.terobjs.consobj.Consobj", NULL, 0, NULL);
    return fx_end(f, &m, "gfx/terobjs/consobj");
}

static stn_sprite_fault step_z(void *user, stn_place_surface surface, double x, double y, double *out,
                               stn_err *err)
{
    (void)user, (void)surface, (void)y, (void)err;
    *out = x > 100 ? 10 : 0;
    return STN_SPRITE_OK;
}

static const stn_ground ledge = {step_z, NULL, NULL};

static void a_small_site_is_a_sign_and_a_large_one_is_fenced(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = site(f);
    stn_sprite_stand stand = {.x = 100, .y = 50, .z = 0, .ground = &ledge};
    stn_sprite_object object = {.id = 3, .stand = &stand};
    stn_sprite *s;
    const stn_sprite_part *parts;
    uint32_t n;
    bool done;

    plain(f, "gfx/terobjs/sign");
    plain(f, "gfx/terobjs/arch/conspole");
    s = fx_sprite(f, &object, res, "\x30\x81\x81\x7f\x7f\x10", 6);
    assert_int_equal(fx_parts(s), 1);
    stn_sprite_free(s);

    s = fx_sprite(f, &object, res, "\x31\x81\x81\x7f\x7f\x10", 6);
    parts = stn_sprite_parts(s, &n);
    assert_int_equal(n, 1 + 1 + 4);
    assert_int_equal(parts[1].kind, STN_PART_ROPE);
    /* Corners, and the tile lines that 44 units of each side meet. */
    assert_in_range(parts[1].n_rope, 16, 20);
    for (uint32_t i = 0; i < parts[1].n_rope; i++) {
        assert_true(parts[1].rope[i][0] >= -22.001f && parts[1].rope[i][0] <= 22.001f);
        assert_float_equal(parts[1].rope[i][2], parts[1].rope[i][0] > 0 ? 13 : 3, 1e-5);
    }
    for (uint32_t i = 2; i < n; i++) {
        const float *at = parts[i].dyns[0].place.m + 12;
        assert_float_equal(at[2], at[0] > 0 ? 10 : 0, 1e-5);
    }
    stn_sprite_tick(s, 0.1, &done, NULL);
    assert_true(stn_sprite_updatable(s));
    assert_int_equal(stn_sprite_update(s, (const uint8_t *)"\x31\0\0\0\x80", 5, NULL), STN_SPRITE_OK);
    assert_int_equal(stn_sprite_update(s, (const uint8_t *)"\x31", 1, NULL), STN_SPRITE_EOF);
    stn_sprite_free(s);
    assert_int_equal(f->reported, 0);
}

static void a_site_does_without_a_sign_that_cannot_be_had(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = site(f);

    for (int i = 0; i < 2; i++) {
        stn_sprite *s = fx_sprite(f, NULL, res, "\x10\x10", 2);
        assert_int_equal(fx_parts(s), 0);
        stn_sprite_free(s);
    }
    assert_int_equal(f->reported, 1);
    assert_non_null(strstr(f->last, "gfx/terobjs/sign"));
}

static void a_site_waits_for_a_sign_that_is_on_its_way(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = site(f);
    stn_sprite *s;

    f->loading = true;
    assert_int_equal(stn_sprite_new(f->ctx, NULL, res, (const uint8_t *)"\x10\x10", 2, &s, NULL),
                     STN_SPRITE_LOADING);
}

/* ---- pictures ---- */

static stn_sprite_fault by_number(void *user, uint16_t number, const stn_sprite_res **out, stn_err *err)
{
    fixture *f = user;
    char name[32];

    snprintf(name, sizeof name, "item%u", number);
    return fx_get(f, name, -1, out, err);
}

/* A PNG of one white pixel. */
static const uint8_t pixel[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00,
    0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0x0f, 0x00, 0x01, 0x01, 0x01, 0x00,
    0x1b, 0xb6, 0xee, 0x56, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static const stn_sprite_res *decal(fixture *f)
{
    fx_maker m = fx_begin(4);

    fx_code(&m, "spr", "haven.res.gfx.terobjs.items.decal.Decal", NULL, 0, NULL);
    fx_vertices(&m);
    fx_material(&m, 0);
    fx_material(&m, 16);
    fx_mesh(&m, 16, 0);
    fx_mesh(&m, 0, 0);
    return fx_end(f, &m, "gfx/terobjs/items/decal");
}

static void a_decal_shows_its_item(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = decal(f), *item;
    stn_sprite_object object = {.id = 3, .resource = by_number, .resource_user = f};
    stn_res_image image = {.picture = pixel, .picture_len = sizeof pixel};
    fx_maker m = fx_begin(1);
    const stn_sprite_part *parts;
    stn_sprite *s;
    uint32_t n;

    fx_layer(&m, STN_LAYER_IMAGE, &image);
    item = fx_end(f, &m, "item7");
    s = fx_sprite(f, &object, res, "\0\x3c\0\x40\x07\x80\x02\xaa\xbb", 9);
    parts = stn_sprite_parts(s, &n);
    assert_int_equal(n, 2);
    assert_int_equal(parts[0].layer->as.mesh->id, 16);
    assert_int_equal(parts[1].layer->as.mesh->id, 0);
    assert_int_equal(parts[1].wraps[0].material->id, 16);
    assert_int_equal(parts[1].state.items[0].slot, STN_SLOT_TEX);
    assert_ptr_equal(parts[1].state.items[0].u.value.u.tex.res, item);
    assert_non_null(parts[1].state.items[0].u.value.u.tex.image);
    for (uint32_t i = 0; i < n; i++) {
        assert_float_equal(parts[i].dyns[0].place.m[12], 11, 1e-5);
        assert_float_equal(parts[i].dyns[0].place.m[13], -22, 1e-5);
    }
    stn_sprite_free(s);
}

static void a_decal_without_its_item_is_drawn_bare(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = decal(f);
    stn_sprite_object object = {.id = 3, .resource = by_number, .resource_user = f};
    stn_sprite *s = fx_sprite(f, &object, res, "\0\x3c\0\x40\x09\x00", 6);

    assert_int_equal(fx_parts(s), 1);
    assert_int_equal(f->reported, 1);
    stn_sprite_free(s);
    s = fx_sprite(f, NULL, res, "", 0);
    assert_int_equal(fx_parts(s), 1);
    stn_sprite_free(s);
    assert_int_equal(stn_sprite_new(f->ctx, &object, res, (const uint8_t *)"\0\x3c\0\x40\x09", 5, &s, NULL),
                     STN_SPRITE_EOF);
}

static void an_attach_point_of_the_thing_places_its_decal(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = decal(f);
    stn_boneoff_step step = {.op = STN_BONEOFF_MOVE, .code = 16, .args = {1, 2, 3}};
    stn_res_boneoff off = {.name = "decal", .count = 1, .steps = &step};
    fx_maker m = fx_begin(1);
    stn_sprite_object object = {.id = 3};
    stn_sprite *s;
    uint32_t n;

    fx_layer(&m, STN_LAYER_BONEOFF, &off);
    object.base = fx_end(f, &m, "thing");
    s = fx_sprite(f, &object, res, "\0\x3c\0\x40", 4);
    assert_float_equal(stn_sprite_parts(s, &n)->dyns[0].place.m[14], 3, 1e-5);
    stn_sprite_free(s);
}

static void an_uploaded_picture_takes_the_place_of_a_texture(void **state)
{
    fixture *f = *state;
    stn_res_tex tex = {.id = 0, .w = 1, .h = 1, .picture = pixel, .picture_len = sizeof pixel};
    fx_maker m = fx_begin(9);
    const stn_sprite_res *res;
    const stn_sprite_part *parts;
    stn_sprite *s;
    uint32_t n;

    fx_code(&m, "spr", "haven.res.lib.dynspr.Dyntex", "lib/dynspr", 3, NULL);
    fx_vertices(&m);
    fx_material(&m, 0);
    fx_material(&m, 16);
    fx_mesh(&m, -1, 0);
    fx_mesh(&m, 0, 0);
    res = fx_end(f, &m, "gfx/terobjs/banner");
    m = fx_begin(1);
    fx_layer(&m, STN_LAYER_TEX, &tex);
    fx_end(f, &m, "dyn/1a2b");
    s = fx_sprite(f, NULL, res, "\x01\x2b\x1a\0\0\0\0\0\0", 9);
    parts = stn_sprite_parts(s, &n);
    assert_int_equal(n, 2);
    assert_int_equal(fx_parts(parts[0].sprite), 1);
    assert_int_equal(stn_sprite_age(s, NULL), STN_SPRITE_OK);
    assert_non_null(parts[1].state.items[0].u.value.u.tex.tex);
    stn_sprite_free(s);
    s = fx_sprite(f, NULL, res, "\0", 1);
    assert_int_equal(fx_parts(s), 1);
    stn_sprite_free(s);
    s = fx_sprite(f, NULL, res, "\x01\x2c\x1a\0\0\0\0\0\0", 9);
    assert_int_equal(fx_parts(s), 1);
    assert_int_equal(f->reported, 1);
    stn_sprite_free(s);
}

/* ---- ends ---- */

static const stn_sprite_res *sound(fixture *f, const char *id)
{
    stn_res_audio audio = {.id = id, .version = 2, .volume = 1, .ogg = (const uint8_t *)"OggS", .ogg_len = 4};
    fx_maker m = fx_begin(1);

    fx_layer(&m, STN_LAYER_AUDIO, &audio);
    return fx_end(f, &m, id);
}

static void sounds_are_over_as_soon_as_they_may_be(void **state)
{
    fixture *f = *state;
    stn_sprite *s = fx_sprite(f, NULL, sound(f, "cl"), "", 0);
    bool done;

    stn_sprite_tick(s, 0.1, &done, NULL);
    assert_true(done);
    assert_true(stn_sprite_over(s, false, done));
    assert_false(stn_sprite_over(s, true, done));
    assert_false(stn_sprite_end(s));
    stn_sprite_free(s);
    s = fx_sprite(f, NULL, sound(f, "rep"), "", 0);
    stn_sprite_tick(s, 0.1, &done, NULL);
    assert_false(done);
    assert_true(stn_sprite_ends(s));
    assert_true(stn_sprite_end(s));
    stn_sprite_tick(s, 0.1, &done, NULL);
    assert_true(stn_sprite_over(s, true, done));
    stn_sprite_free(s);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, fx_setup, fx_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outlines_come_in_four_forms),
        cmocka_unit_test(outlines_cut_short_or_of_another_form_are_refused),
        WITH(a_small_site_is_a_sign_and_a_large_one_is_fenced),
        WITH(a_site_does_without_a_sign_that_cannot_be_had),
        WITH(a_site_waits_for_a_sign_that_is_on_its_way),
        WITH(a_decal_shows_its_item),
        WITH(a_decal_without_its_item_is_drawn_bare),
        WITH(an_attach_point_of_the_thing_places_its_decal),
        WITH(an_uploaded_picture_takes_the_place_of_a_texture),
        WITH(sounds_are_over_as_soon_as_they_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
