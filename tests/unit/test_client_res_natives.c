/* `stenness res natives`: the list of twins, and whether the resources of a place ask for newer ones; the
 * options of `stenness res preview`. */
#include "base/buf.h"
#include "base/file.h"
#include "client/res/res_cmd.h"
#include "client/res/res_natives.h"
#include "client/res/res_pack.h"
#include "res/container.h"
#include "res/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <cmocka.h>

static stn_buf resource(const char *lib, uint16_t version, const char *link, uint16_t link_version)
{
    stn_buf b = {0};
    stn_code_entry e = {.entry = "spr", .cls = "haven.res.any.Thing"};
    stn_code_use use = {.res = {lib, version}};
    stn_res_codeentry code = {.count = 1, .entries = &e, .use_count = 1, .uses = &use};
    stn_res_rlink rlink = {.id = -1, .type = STN_RLINK_PARAMS, .res = {link, link_version}};
    stn_res_layer layers[2] = {{.kind = STN_LAYER_CODEENTRY, .as.codeentry = &code},
                               {.kind = STN_LAYER_RLINK, .as.rlink = &rlink}};
    stn_err err = {0};

    stn_res_put_head(&b, 1);
    for (int i = 0; i < (link ? 2 : 1); i++)
        if (stn_res_put_layer(&b, &layers[i], &err) != STN_OK)
            fail_msg("%s", err.text);
    return b;
}

static void look_at(stn_rn_seen *seen, const char *name, stn_buf b)
{
    stn_rn_look(seen, name, b.data, b.len);
    stn_buf_fini(&b);
}

static char *printed(const stn_rn_seen *seen, bool *moved)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);

    assert_non_null(f);
    *moved = stn_rn_print(f, seen);
    fclose(f);
    return text;
}

static void known_versions_have_not_moved(void **state)
{
    stn_rn_seen seen;
    bool moved;
    char *text;

    (void)state;
    stn_rn_seen_init(&seen);
    look_at(&seen, "a", resource("lib/tree", 14, "gfx/fx/flight", 6));
    look_at(&seen, "b", resource("lib/tree", 15, NULL, 0));
    stn_rn_look(&seen, "c", (const uint8_t *)"nothing", 7);
    text = printed(&seen, &moved);
    assert_false(moved);
    assert_non_null(strstr(text, "14,15  in 2 resources"));
    assert_non_null(strstr(text, "not seen"));
    assert_non_null(strstr(text, "3 resources looked through, 1 of them"));
    free(text);
}

static void a_newer_carrier_has_moved(void **state)
{
    stn_rn_seen seen;
    bool moved;
    char *text;

    (void)state;
    stn_rn_seen_init(&seen);
    look_at(&seen, "a", resource("lib/vmat", 39, "gfx/fx/flight", 7));
    text = printed(&seen, &moved);
    assert_true(moved);
    assert_non_null(strstr(text, "7!  in 1 resource  MOVED"));
    free(text);
    stn_rn_seen_init(&seen);
    look_at(&seen, "lib/svaj", resource("other", 1, NULL, 0)); /* the carrier itself, version 1 */
    free(printed(&seen, &moved));
    assert_true(moved);
}

static void of_many_versions_the_newest_stay(void **state)
{
    stn_rn_seen seen;
    bool moved;
    char *text;

    (void)state;
    stn_rn_seen_init(&seen);
    for (int v = 40; v > 0; v--)
        look_at(&seen, "a", resource("lib/gplant", (uint16_t)v, NULL, 0));
    for (int v = 41; v < 80; v++)
        look_at(&seen, "a", resource("lib/gplant", (uint16_t)v, NULL, 0));
    text = printed(&seen, &moved);
    assert_non_null(strstr(text, "  64!,65!,"));
    assert_non_null(strstr(text, "79!  in 79"));
    free(text);
}

static int run(const char *a, const char *b, const char *c, const char *d)
{
    const char *args[] = {"res", "natives", a, b, c, d, NULL};
    int n = 2 + (a != NULL) + (b != NULL) + (c != NULL) + (d != NULL);

    return cmd_res(n, (char **)(uintptr_t)args);
}

static void a_folder_and_an_archive_say_the_same(void **state)
{
    char dir[] = "/tmp/stn-natives-XXXXXX", path[128], archive[128], inner[128];
    stn_buf b = resource("lib/tree", 99, NULL, 0);
    stn_rp_count count;
    stn_err err = {0};

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(inner, sizeof inner, "%s/gfx", dir);
    snprintf(path, sizeof path, "%s/gfx/a.res", dir);
    snprintf(archive, sizeof archive, "%s/pack.jar", dir);
    assert_int_equal(stn_file_mkdirs(inner, 0777, &err), STN_OK);
    assert_int_equal(stn_file_write(path, b.data, b.len, 0666, false, &err), STN_OK);
    assert_int_equal(stn_rp_pack(dir, archive, "res/", &count, &err), STN_OK);
    assert_int_equal(run("--seen", dir, NULL, NULL), EXIT_FAILURE);
    assert_int_equal(run("--seen", archive, "--prefix", "res/"), EXIT_FAILURE);
    assert_int_equal(run("--seen", archive, "--prefix", "elsewhere/"), EXIT_SUCCESS);
    assert_int_equal(run("--seen", "/nowhere/at/all", NULL, NULL), EXIT_FAILURE);
    assert_int_equal(run(NULL, NULL, NULL, NULL), EXIT_SUCCESS);
    assert_int_equal(run("file", NULL, NULL, NULL), EX_USAGE);
    unlink(archive);
    unlink(path);
    rmdir(inner);
    rmdir(dir);
    stn_buf_fini(&b);
}

static int preview(const char *option, const char *value)
{
    const char *args[] = {"res", "preview", "/nowhere/a.res", "/nowhere/a.png", option, value, NULL};

    return cmd_res(6, (char **)(uintptr_t)args);
}

static void a_preview_says_which_option_is_wrong(void **state)
{
    (void)state;
    assert_int_equal(preview("--size", "12"), EX_USAGE);
    assert_int_equal(preview("--size", "64x64x"), EX_USAGE);
    assert_int_equal(preview("--state", "0g"), EX_USAGE);
    assert_int_equal(preview("--state", "012"), EX_USAGE);
    assert_int_equal(preview("--turn", "left"), EX_USAGE);
    assert_int_equal(preview("--seconds", "nan"), EX_USAGE);
    assert_int_equal(preview("--state", "01ff"), EXIT_FAILURE); /* fine, but the file is not there */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_versions_have_not_moved),
        cmocka_unit_test(a_newer_carrier_has_moved),
        cmocka_unit_test(of_many_versions_the_newest_stay),
        cmocka_unit_test(a_folder_and_an_archive_say_the_same),
        cmocka_unit_test(a_preview_says_which_option_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
