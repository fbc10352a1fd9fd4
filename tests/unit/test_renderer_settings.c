/* What the settings panel changes is written into the configuration and changes nothing else there. */
#include "renderer/settings.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char merged[2048];

static const char *merge(const char *text, const stn_setting *set, size_t n)
{
    stn_buf out = {.max = sizeof merged};

    stn_settings_merge(text, "renderer", set, n, &out);
    stn_buf_u8(&out, 0);
    assert_false(out.failed);
    memcpy(merged, out.data, out.len);
    stn_buf_fini(&out);
    return merged;
}

static void only_what_was_changed_is_named(void **state)
{
    stn_settings a = {.hud = {.shadows = true,
                              .fog = true,
                              .camera = 1,
                              .fov = 53,
                              .frame_cap = 60,
                              .fog_distance = 700,
                              .detail = 100,
                              .ui_percent = 100}};
    stn_settings b = {.hud = {.outlines = true,
                              .smooth = true,
                              .sway = true,
                              .clouds = true,
                              .grid = true,
                              .overlays = true,
                              .names = true,
                              .minimap = true,
                              .line = true,
                              .camera = 3,
                              .fov = 63,
                              .frame_cap = 0,
                              .fog_distance = 900,
                              .detail = 0,
                              .ui_percent = 125,
                              .place_steps = 16}};
    static const char *const want[STN_SETTINGS_KEYS][2] = {{"shadows", "off"},
                                                           {"outlines", "on"},
                                                           {"smooth", "on"},
                                                           {"haze", "off"},
                                                           {"sway", "on"},
                                                           {"clouds", "on"},
                                                           {"grid", "on"},
                                                           {"overlays", "on"},
                                                           {"names", "on"},
                                                           {"minimap", "on"},
                                                           {"line", "on"},
                                                           {"camera", "rts"},
                                                           {"fov", "63"},
                                                           {"frame-cap", "0"},
                                                           {"haze-distance", "900"},
                                                           {"detail", "0"},
                                                           {"ui-scale", "1.25"},
                                                           {"place-steps", "16"},
                                                           {"bind", "help=F2,grid=none"}};
    stn_setting set[STN_SETTINGS_KEYS];

    (void)state;
    stn_bindings_default(&a.keys);
    stn_bindings_default(&b.keys);
    assert_int_equal(stn_bindings_change(&b.keys, "help=F2,grid=none", NULL), STN_OK);
    assert_int_equal(stn_settings_changed(&a, &a, set), 0);
    assert_true(stn_settings_same(&a, &a));
    assert_false(stn_settings_same(&a, &b));
    assert_int_equal(stn_settings_changed(&a, &b, set), STN_SETTINGS_KEYS);
    for (int i = 0; i < STN_SETTINGS_KEYS; i++) {
        assert_string_equal(set[i].key, want[i][0]);
        assert_string_equal(set[i].value, want[i][1]);
    }
    b = a;
    b.hud.camera = 0;
    assert_int_equal(stn_settings_changed(&a, &b, set), 1);
    assert_string_equal(set[0].value, "ortho");
}

static void keys_are_set_in_their_section_and_the_rest_stays(void **state)
{
    static const stn_setting set[] = {{"fps", "30"}, {"sway", "off"}};

    (void)state;
    assert_string_equal(merge("", set, 2), "[renderer]\nfps = 30\nsway = off\n");
    assert_string_equal(merge("[all]\nfps = 5", set, 1), "[all]\nfps = 5\n\n[renderer]\nfps = 30\n");
    assert_string_equal(merge("; mine\n[renderer]\nfps=60\nbind = help=F2\n\n[loader]\nsway = on\n", set, 2),
                        "; mine\n[renderer]\nfps = 30\nbind = help=F2\n\nsway = off\n[loader]\nsway = on\n");
    assert_string_equal(merge("[renderer]\nfps: 60\n fps = 10\n;fps = 1\n", set, 1),
                        "[renderer]\nfps = 30\nfps = 30\n;fps = 1\n");
    assert_string_equal(merge("[renderer]\n[x]\n[renderer]\nfps = 1\n", set, 1),
                        "[renderer]\nfps = 30\n[x]\n[renderer]\nfps = 30\n");
    /* Done twice it is the same as once. */
    merge("[renderer]\n", set, 2);
    {
        char once[2048];

        snprintf(once, sizeof once, "%s", merged);
        assert_string_equal(merge(once, set, 2), once);
    }
}

static void the_file_is_made_kept_and_refused_when_it_cannot_be_read(void **state)
{
    static const stn_setting set[] = {{"camera", "follow"}};
    char folder[] = "/tmp/stn-settings-XXXXXX", path[64], command[96];
    uint8_t *text;
    size_t len;
    stn_err err = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    snprintf(path, sizeof path, "%s/stenness/stenness.ini", folder);
    assert_int_equal(stn_settings_write(set, 1, &err), STN_OK);
    assert_int_equal(stn_settings_write(set, 1, &err), STN_OK);
    assert_int_equal(stn_file_read(path, 4096, &text, &len, &err), STN_OK);
    assert_string_equal((char *)text, "[renderer]\ncamera = follow\n");
    free(text);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0); /* no file: nothing may take its place */
    assert_int_not_equal(stn_settings_write(set, 1, &err), STN_OK);
    assert_true(err.text[0] != '\0');
    snprintf(command, sizeof command, "%s/stenness", folder);
    rmdir(path);
    rmdir(command);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_was_changed_is_named),
        cmocka_unit_test(keys_are_set_in_their_section_and_the_rest_stays),
        cmocka_unit_test(the_file_is_made_kept_and_refused_when_it_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
