/* The registry of native twins: which served code is ours, for which versions, and what is said of the rest.
 */
#include "sprite_fixture.h"

static void rows_are_well_formed(void **state)
{
    size_t n;
    const stn_native *rows = stn_natives(&n);

    (void)state;
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        const stn_native *found;
        assert_true(rows[i].id != STN_NATIVE_NONE);
        assert_non_null(rows[i].carrier);
        assert_int_equal(
            stn_native_find(rows[i].carrier, rows[i].versions[0], rows[i].entry, rows[i].word, &found),
            STN_NATIVE_FOUND);
        assert_ptr_equal(found, &rows[i]);
    }
}

static void a_class_belongs_to_the_carrier_of_its_package(void **state)
{
    static const struct {
        const char *carrier, *cls;
        int32_t version;
        stn_native_match want;
    } cases[] = {
        {"lib/vmat", "haven.res.lib.vmat.VarSprite", 39, STN_NATIVE_FOUND},
        {"lib/vmat", "VarSprite", 39, STN_NATIVE_FOUND},
        {"lib/vmat", "haven.res.lib.vmat.VarSprite", 40, STN_NATIVE_OTHER_VERSION},
        {"lib/vmat", "haven.res.lib.vmat.VarSprite", -1, STN_NATIVE_FOUND},
        {"lib/vmat", "haven.res.lib.vmat2.VarSprite", 39, STN_NATIVE_UNKNOWN},
        {"lib/vmat", "haven.res.lib.vma.VarSprite", 39, STN_NATIVE_UNKNOWN},
        {"lib/vmat", "haven.res.gfx.terobjs.thing.Own", 39, STN_NATIVE_UNKNOWN},
        {"lib/other", "haven.res.lib.other.A", 1, STN_NATIVE_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const stn_native *n;
        if (stn_native_find(cases[i].carrier, cases[i].version, "spr", cases[i].cls, &n) != cases[i].want)
            fail_msg("%s of %s %d", cases[i].cls, cases[i].carrier, cases[i].version);
    }
}

static const stn_sprite_res *dressed(fixture *f, const char *name, const char *cls, int32_t version)
{
    fx_maker m = fx_begin(1);

    fx_code(&m, "spr", cls, "lib/vmat", version, NULL);
    fx_vertices(&m);
    fx_material(&m, 0);
    fx_mesh(&m, -1, 0);
    return fx_end(f, &m, name);
}

static void a_twin_needs_no_code_of_the_server(void **state)
{
    fixture *f = *state;
    stn_sprite *s = fx_sprite(f, NULL, dressed(f, "thing", "haven.res.lib.vmat.VarSprite", 39), "", 0);

    assert_int_equal(stn_sprite_kind_of(s), STN_SPRITE_MOD);
    assert_int_equal(fx_parts(s), 1);
    assert_int_equal(f->reported, 0);
    stn_sprite_free(s);
}

static void another_version_is_drawn_plainly_and_said_once(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = dressed(f, "thing", "haven.res.lib.vmat.VarSprite", 41);
    const char *what;

    for (int i = 0; i < 3; i++) {
        stn_sprite *s = fx_sprite(f, NULL, res, "", 0);
        assert_int_equal(stn_sprite_kind_of(s), STN_SPRITE_MOD);
        assert_int_equal(fx_parts(s), 1);
        stn_sprite_free(s);
    }
    assert_int_equal(f->reported, 1);
    assert_int_equal(stn_sprite_ctx_unknowns(f->ctx), 1);
    assert_non_null(strstr(stn_sprite_ctx_unknown(f->ctx, 0, &what), "lib/vmat, version 41"));
    assert_string_equal(what, "sprite class");
    assert_null(stn_sprite_ctx_unknown(f->ctx, 1, &what));
}

static void a_class_that_nobody_carries_is_a_fault(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *res = NULL;
    stn_sprite *s;
    fx_maker m = fx_begin(1);

    fx_code(&m, "spr", "haven.res.gone.Gone", NULL, 0, NULL);
    res = fx_end(f, &m, "gone");
    assert_int_equal(stn_sprite_new(f->ctx, NULL, res, NULL, 0, &s, NULL), STN_SPRITE_LOAD_ERROR);
}

static void an_attribute_is_known_by_carrier_and_version(void **state)
{
    fixture *f = *state;

    assert_int_equal(stn_sprite_attribute(f->ctx, "lib/vmat", 39)->id, STN_NATIVE_VARMAT);
    assert_int_equal(f->reported, 0);
    assert_null(stn_sprite_attribute(f->ctx, "lib/vmat", 40));
    assert_null(stn_sprite_attribute(f->ctx, "lib/unheard", 1));
    assert_null(stn_sprite_attribute(f->ctx, "lib/unheard", 1));
    assert_int_equal(f->reported, 2);
}

static void an_unknown_link_is_an_empty_part_and_said(void **state)
{
    fixture *f = *state;
    stn_res_rlink link = {.id = -1, .type = STN_RLINK_PARAMS, .res = {"gfx/fx/unheard", 2}};
    fx_maker m = fx_begin(1);
    stn_sprite *s;
    uint32_t n;

    fx_layer(&m, STN_LAYER_RLINK, &link);
    s = fx_sprite(f, NULL, fx_end(f, &m, "linked"), "", 0);
    assert_int_equal(stn_sprite_parts(s, &n)[0].kind, STN_PART_EMPTY);
    assert_string_equal(f->last, "link: gfx/fx/unheard");
    stn_sprite_free(s);
}

/* ---- what world asks ---- */

static stn_sprite_traits traits(const stn_sprite_res *res)
{
    stn_sprite_facts facts = stn_sprite_facts_of(res->res);

    return stn_sprite_traits_of(res->name, res->version, &facts);
}

static void traits_agree_with_the_sprite_that_is_made(void **state)
{
    fixture *f = *state;
    const stn_sprite_res *all[8];
    size_t n = 0;
    fx_maker m = fx_begin(1);

    all[n++] = dressed(f, "twin", "haven.res.lib.vmat.VarSprite", 39);
    all[n++] = dressed(f, "moved", "haven.res.lib.vmat.VarSprite", 77);
    all[n++] = dressed(f, "static", "static", 39);
    all[n++] = dressed(f, "mod", "mod", 39);
    fx_vertices(&m);
    fx_material(&m, 0);
    fx_mesh(&m, -1, 0);
    all[n++] = fx_end(f, &m, "plain");
    m = fx_begin(1);
    fx_material(&m, 0);
    all[n++] = fx_end(f, &m, "bare");
    for (size_t i = 0; i < n; i++) {
        stn_sprite *s = fx_sprite(f, NULL, all[i], "", 0);
        if (traits(all[i]).live_update != stn_sprite_updatable(s))
            fail_msg("%s: live update", all[i]->name);
        if (traits(all[i]).deferred_end != stn_sprite_end(s))
            fail_msg("%s: deferred end", all[i]->name);
        stn_sprite_free(s);
    }
}

static void facts_may_come_from_types_alone(void **state)
{
    stn_sprite_facts facts = {0};

    (void)state;
    stn_sprite_facts_layer(&facts, "tex", NULL);
    assert_false(stn_sprite_traits_of("a", 1, &facts).live_update);
    stn_sprite_facts_layer(&facts, "mesh", NULL);
    assert_true(stn_sprite_traits_of("a", 1, &facts).live_update);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_well_formed),
        cmocka_unit_test(a_class_belongs_to_the_carrier_of_its_package),
        cmocka_unit_test_setup_teardown(a_twin_needs_no_code_of_the_server, fx_setup, fx_teardown),
        cmocka_unit_test_setup_teardown(another_version_is_drawn_plainly_and_said_once, fx_setup,
                                        fx_teardown),
        cmocka_unit_test_setup_teardown(a_class_that_nobody_carries_is_a_fault, fx_setup, fx_teardown),
        cmocka_unit_test_setup_teardown(an_attribute_is_known_by_carrier_and_version, fx_setup, fx_teardown),
        cmocka_unit_test_setup_teardown(an_unknown_link_is_an_empty_part_and_said, fx_setup, fx_teardown),
        cmocka_unit_test_setup_teardown(traits_agree_with_the_sprite_that_is_made, fx_setup, fx_teardown),
        cmocka_unit_test(facts_may_come_from_types_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
