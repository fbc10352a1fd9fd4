/* What the object cache is told of resources: by their layers' types, and by what is in them. */
#include "res/res.h"
#include "world/traits.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Traits from types alone, as the loader's first answer gives them. */
static stn_res_traits of_types(const char *const *types, size_t n, bool *inside)
{
    stn_res_traits t = stn_traits_bare(7);
    stn_sprite_facts facts = {0};

    *inside = false;
    for (size_t i = 0; i < n; i++)
        *inside |= stn_traits_layer(&t, &facts, types[i]);
    stn_traits_of_facts(&t, "x", 1, &facts);
    return t;
}

static void meshes_take_new_state_and_pictures_do_not(void **state)
{
    static const char *const shape[] = {"tex", "vbuf2", "mesh"}, *const picture[] = {"image", "tooltip"};
    static const char *const bones[] = {"skel", "skan"}, *const links[] = {"rlink"};
    bool inside;
    stn_res_traits t = of_types(shape, 3, &inside);

    (void)state;
    assert_true(t.live_update);
    assert_false(t.deferred_end || t.skeleton || inside);
    assert_true(t.published && t.published_slot == 7 && t.published_deletes_any);
    t = of_types(picture, 2, &inside);
    assert_false(t.live_update || t.deferred_end || t.skeleton || inside);
    t = of_types(bones, 2, &inside);
    assert_true(t.skeleton);
    assert_false(inside);
    t = of_types(links, 1, &inside);
    assert_true(t.live_update);
}

static void code_and_sounds_must_be_looked_into(void **state)
{
    static const char *const code[] = {"mesh", "codeentry"}, *const sound[] = {"audio2"};
    bool inside;

    (void)state;
    of_types(code, 2, &inside);
    assert_true(inside);
    of_types(sound, 1, &inside);
    assert_true(inside);
}

/* A resource of the pack that the build makes. */
static stn_res_traits of_pack(const char *name, int32_t version)
{
    char path[1024];
    static uint8_t data[1 << 20];
    stn_res_traits t = stn_traits_bare(1);
    stn_res *res = NULL;
    stn_err err = {0};
    size_t n;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s.res", PACK_FOLDER, name);
    f = fopen(path, "rb");
    if (!f)
        fail_msg("%s is not there", path);
    n = fread(data, 1, sizeof data, f);
    fclose(f);
    if (stn_res_new(data, n, NULL, &res, NULL, &err) != STN_OK)
        fail_msg("%s: %s", name, err.text);
    stn_traits_of_res(&t, name, version, res);
    stn_res_free(res);
    return t;
}

static void native_code_says_what_its_sprite_can(void **state)
{
    stn_res_traits t;

    (void)state;
    t = of_pack("gfx/fx/ismoke", 111);
    assert_true(t.deferred_end && !t.live_update);
    t = of_pack("gfx/fx/ismoke", 3); /* a version that nobody here knows: no twin */
    assert_false(t.deferred_end);
    t = of_pack("homestead/things/campfire", 1);
    assert_true(t.live_update && !t.deferred_end);
    t = of_pack("homestead/bushes/bush", 1); /* a tree: rebuilt for each size */
    assert_false(t.live_update || t.deferred_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_take_new_state_and_pictures_do_not),
        cmocka_unit_test(code_and_sounds_must_be_looked_into),
        cmocka_unit_test(native_code_says_what_its_sprite_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
