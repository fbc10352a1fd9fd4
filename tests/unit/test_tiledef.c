/* test_tiledef.c - from a tileset resource to what building a cut needs. */
#include "world/tiledef.h"

#include "res/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A plain tileset with one flavor layer of these arguments. */
static stn_res *with_flavor(const stn_value *args, uint32_t n)
{
    stn_res_tileset set = {.tiler = "gnd"};
    stn_res_flavobj flavor = {.res = {"test/tuft", 3}, .args = {n, (stn_value *)args}};
    stn_res_layer layers[] = {{.kind = STN_LAYER_TILESET, .as.any = &set},
                              {.kind = STN_LAYER_FLAVOBJ, .as.any = &flavor}};
    stn_res *res = NULL;
    stn_buf b = {0};
    stn_err err = {0};

    stn_res_put_head(&b, 1);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(stn_res_put_layer(&b, &layers[i], &err), STN_OK);
    if (stn_res_new(b.data, b.len, NULL, &res, NULL, &err) != STN_OK)
        fail_msg("%s", err.text);
    stn_buf_fini(&b);
    return res;
}

static stn_status make(const stn_value *args, uint32_t n, stn_flavor_facts facts, double *p, bool *skip)
{
    stn_res *res = with_flavor(args, n);
    stn_tileset *set = NULL;
    stn_err err = {0};
    stn_status st =
        stn_tiledef_make(res, "test/grass", 1, STN_TILEDEF_FULL, 1, NULL, NULL, &facts, &set, &err);

    if (st == STN_OK) {
        assert_int_equal(set->def.nflavors, 1);
        assert_string_equal(set->def.flavors[0].res, "test/tuft");
        *p = set->def.flavors[0].p;
        *skip = set->def.flavors[0].skip;
    }
    stn_tileset_unref(set);
    stn_res_free(res);
    return st;
}

static void a_flavor_layer_says_its_density_in_any_number(void **state)
{
    const stn_value values[] = {{.kind = STN_VALUE_F64, .u.f64 = 0.055},
                                {.kind = STN_VALUE_F32, .u.f32 = 0.25f},
                                {.kind = STN_VALUE_INT, .u.i = 1}};
    const double want[] = {0.055, 0.25, 1.0};
    double p = -1.0;
    bool skip = true;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(make(&values[i], 1, (stn_flavor_facts){0}, &p, &skip), STN_OK);
        assert_true(p == want[i]);
        assert_false(skip);
    }
}

static void a_flavor_layer_without_a_density_is_refused(void **state)
{
    const stn_value text = {.kind = STN_VALUE_TEXT, .u.text = "often"};
    double p;
    bool skip;

    (void)state;
    assert_int_equal(make(NULL, 0, (stn_flavor_facts){0}, &p, &skip), STN_BAD_DATA);
    assert_int_equal(make(&text, 1, (stn_flavor_facts){0}, &p, &skip), STN_BAD_DATA);
}

static void a_flavor_of_served_code_has_arguments_of_its_own(void **state)
{
    const stn_value text = {.kind = STN_VALUE_TEXT, .u.text = "often"};
    double p;
    bool skip = false;

    (void)state;
    assert_int_equal(make(&text, 1, (stn_flavor_facts){.code = true}, &p, &skip), STN_OK);
    assert_true(skip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flavor_layer_says_its_density_in_any_number),
        cmocka_unit_test(a_flavor_layer_without_a_density_is_refused),
        cmocka_unit_test(a_flavor_of_served_code_has_arguments_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
