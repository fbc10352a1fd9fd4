/* test_client_res.c - `stenness res`: folders that give back the same bytes, edits that arrive, packs that
 * stay in. */
#include "base/file.h"
#include "base/text.h"
#include "client/res/res_cmd.h"
#include "client/res/res_folder.h"
#include "client/res/res_pack.h"
#include "client/res/res_text.h"
#include "res/res.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>
#include <zip.h>

#include <cmocka.h>

#define SYNTH "tests/vectors/data/resources/synth"
#define REAL "../shared/vectors/resources/real" /* where the whole set of vectors lies beside the project */

static char root[] = "/tmp/stn-client-res-XXXXXX";

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int drop_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static const char *below(const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", root, name);
    return path[turn];
}

static unsigned round_trips(const char *folder, unsigned *files)
{
    char **names = vec_list(folder, ".res");
    unsigned all_raw = 0;

    for (char **n = names; *n; n++) {
        size_t len;
        unsigned raw = 0;
        stn_buf b = {0};
        stn_err err = {0};
        uint8_t *data = vec_read(folder, *n, &len);
        const char *dir = below(*n);
        if (stn_rf_extract(data, len, dir, true, &raw, &err) != STN_OK ||
            stn_rf_build(dir, &b, &err) != STN_OK)
            fail_msg("%s: %s", *n, err.text);
        if (b.len != len || memcmp(b.data, data, len) != 0)
            fail_msg("%s: %zu bytes became %zu others", *n, len, b.len);
        if (raw)
            print_message("%s: %u layers kept raw\n", *n, raw);
        all_raw += raw;
        ++*files;
        stn_buf_fini(&b);
        free(data);
    }
    vec_list_free(names);
    return all_raw;
}

static void extract_and_build_give_back_every_byte(void **state)
{
    (void)state;
    unsigned files = 0;
    assert_int_equal(round_trips(SYNTH, &files),
                     0); /* every layer of known type has a text form that is proven */
    assert_true(files >= 21);
    assert_int_equal(round_trips(REAL, &files), 0);
}

/* Damaged payloads are kept raw, and come back all the same. */
static void hostile_files_that_have_records_come_back_too(void **state)
{
    (void)state;
    char **names = vec_list("tests/vectors/data/resources/hostile", ".bin");
    unsigned extracted = 0;
    for (char **n = names; *n; n++) {
        size_t len;
        stn_buf b = {0};
        uint8_t *data = vec_read("tests/vectors/data/resources/hostile", *n, &len);
        if (stn_rf_extract(data, len, below("hostile"), true, NULL, NULL) == STN_OK) {
            assert_int_equal(stn_rf_build(below("hostile"), &b, NULL), STN_OK);
            if (b.len != len || memcmp(b.data, data, len) != 0)
                fail_msg("%s came back changed", *n);
            extracted++;
        }
        stn_buf_fini(&b);
        free(data);
    }
    vec_list_free(names);
    assert_true(extracted > 20);
}

static void an_edit_arrives_in_the_resource(void **state)
{
    (void)state;
    size_t len;
    uint8_t *data = vec_read(SYNTH, "light.res", &len);
    assert_int_equal(stn_rf_extract(data, len, below("edit"), false, NULL, NULL), STN_OK);
    assert_int_equal(stn_rf_extract(data, len, below("edit"), false, NULL, NULL),
                     STN_USAGE); /* not over one */
    free(data);
    json_t *j = vec_json(below("edit"), "001-light.json");
    json_object_set_new(j, "id", json_integer(77));
    json_dump_file(j, below("edit/001-light.json"), 0);
    json_decref(j);
    stn_buf b = {0};
    stn_res *res = NULL;
    assert_int_equal(stn_rf_build(below("edit"), &b, NULL), STN_OK);
    assert_int_equal(stn_res_new(b.data, b.len, NULL, &res, NULL, NULL), STN_OK);
    assert_int_equal(stn_res_layer_at(res, 1)->as.light->id, 77);
    stn_res_free(res);
    stn_buf_fini(&b);
}

static void a_folder_that_is_wrong_says_where(void **state)
{
    (void)state;
    static const struct {
        const char *manifest, *says;
    } cases[] = {
        {"{", "line 1"},
        {"{\"version\": 1, \"layers\": []}", "stenness-resource"},
        {"{\"stenness-resource\": 1, \"version\": 70000, \"layers\": []}", "0..65535"},
        {"{\"stenness-resource\": 1, \"version\": 1, \"layers\": [{\"type\": \"tex\"}]}", "layer 0"},
        {"{\"stenness-resource\": 1, \"version\": 1, \"layers\": [{\"type\": \"tex\", \"raw\": \"../x\"}]}",
         "plain file name"},
        {"{\"stenness-resource\": 1, \"version\": 1, \"layers\": [{\"type\": \"a\", \"text\": "
         "\"resource.json\"}]}",
         "no text form"},
        {"{\"stenness-resource\": 1, \"version\": 1, \"layers\": [{\"type\": \"light\", \"text\": "
         "\"l.json\"}]}",
         "\"id\""},
    };
    assert_int_equal(stn_file_mkdirs(below("wrong"), 0700, NULL), STN_OK);
    static const char layer[] = "{\"version\": 1, \"id\": 99999}";
    assert_int_equal(stn_file_write(below("wrong/l.json"), layer, sizeof layer - 1, 0600, false, NULL),
                     STN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stn_buf b = {0};
        stn_err err = {0};
        stn_file_write(below("wrong/resource.json"), cases[i].manifest, strlen(cases[i].manifest), 0600,
                       false, NULL);
        assert_int_not_equal(stn_rf_build(below("wrong"), &b, &err), STN_OK);
        if (!strstr(err.text, cases[i].says))
            fail_msg("case %zu says: %s", i, err.text);
        stn_buf_fini(&b);
    }
}

static void packs_come_back_and_unsafe_names_stay_out(void **state)
{
    (void)state;
    stn_rp_count count;
    stn_err err = {0};
    size_t len, got_len;
    uint8_t *data = vec_read(SYNTH, "light.res", &len), *got;

    stn_file_mkdirs(below("pack/gfx/a"), 0700, NULL);
    stn_file_write(below("pack/gfx/a/l.res"), data, len, 0600, false, NULL);
    stn_file_write(below("pack/readme.txt"), "x", 1, 0600, false, NULL);
    if (stn_rp_pack(below("pack"), below("p.jar"), "res/", &count, &err) != STN_OK)
        fail_msg("%s", err.text);
    assert_int_equal(count.files, 1);
    /* what no honest tool makes */
    int code;
    zip_t *zip = zip_open(below("p.jar"), 0, &code);
    static const char *const bad[] = {"res/../../evil.res", "res//etc/x.res", "res/a\\b.res"};
    for (size_t i = 0; i < 3; i++)
        zip_file_add(zip, bad[i], zip_source_buffer(zip, "x", 1, 0), 0);
    assert_int_equal(zip_close(zip), 0);
    assert_int_equal(stn_rp_unpack(below("p.jar"), below("out"), "res/", false, &count, &err), STN_OK);
    assert_int_equal(count.files, 1);
    assert_int_equal(count.refused, 3);
    assert_int_equal(stn_file_read(below("out/gfx/a/l.res"), 1 << 20, &got, &got_len, NULL), STN_OK);
    assert_int_equal(got_len, len);
    assert_memory_equal(got, data, len);
    assert_int_not_equal(access(below("evil.res"), F_OK), 0);
    free(got);
    free(data);
    assert_int_equal(stn_rp_unpack(below("nothing.jar"), below("out"), "", false, &count, &err),
                     STN_NOT_FOUND);
}

/* Two members of one name, as no library would write them: the second is renamed in place. An absolute name
 * and one that is longer than any path stand beside them. */
static void of_equal_names_the_first_is_unpacked(void **state)
{
    (void)state;
    static char huge[10001];
    stn_rp_count count;
    stn_err err = {0};
    size_t len;
    uint8_t *bytes, *got;
    int code;
    zip_t *zip = zip_open(below("twice.zip"), ZIP_CREATE | ZIP_TRUNCATE, &code);
    memset(huge, 'n', sizeof huge - 1);
    memcpy(huge + sizeof huge - 5, ".res", 4);
    const char *const members[][2] = {
        {"a1.res", "first"}, {"a2.res", "second"}, {"/tmp/stn-absolute.res", "x"}, {huge, "x"}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        assert_true(zip_file_add(zip, members[i][0],
                                 zip_source_buffer(zip, members[i][1], strlen(members[i][1]), 0), 0) >= 0);
    assert_int_equal(zip_close(zip), 0);
    bytes = vec_read(root, "twice.zip", &len);
    for (size_t i = 0; i + 6 <= len; i++)
        if (memcmp(bytes + i, "a2.res", 6) == 0)
            bytes[i + 1] = '1';
    assert_int_equal(stn_file_write(below("twice.zip"), bytes, len, 0600, false, NULL), STN_OK);
    free(bytes);
    if (stn_rp_unpack(below("twice.zip"), below("once"), "", false, &count, &err) != STN_OK)
        fail_msg("%s", err.text);
    assert_int_equal(count.files, 1);
    assert_int_equal(count.refused, 3);
    assert_int_equal(stn_file_read(below("once/a1.res"), 100, &got, &len, NULL), STN_OK);
    assert_string_equal((const char *)got, "first");
    assert_int_not_equal(access("/tmp/stn-absolute.res", F_OK), 0);
    free(got);
}

static void names_are_judged_part_by_part(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "a/b.res", "gfx/terobjs/a b.res", "..a/b"};
    static const char *const bad[] = {"", "/a", "a//b", "..", "a/..", "a/../b", "./a", "a/", "c:/x", "a\nb"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!stn_rp_safe_name(good[i]))
            fail_msg("%s refused", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (stn_rp_safe_name(bad[i]))
            fail_msg("%s taken", bad[i]);
}

static int run(const char *a, const char *b, const char *c)
{
    const char *args[5] = {"res", a, b, c, NULL};
    int argc = 1;
    while (argc < 4 && args[argc])
        argc++;
    return cmd_res(argc, (char **)(uintptr_t)args);
}

static void the_command_answers_with_its_status(void **state)
{
    (void)state;
    int quiet = dup(1), quiet2 = dup(2);
    assert_non_null(freopen("/dev/null", "w", stdout));
    assert_non_null(freopen("/dev/null", "w", stderr));
    int list = run("list", SYNTH "/mesh.res", NULL), show = run("show", SYNTH "/mesh.res", "mesh"),
        json = run("show", SYNTH "/tileset.res", "--json"), none = run("show", SYNTH "/mesh.res", "nope"),
        fine = run("check", SYNTH "/mesh.res", NULL),
        bad = run("check", "tests/vectors/data/resources/hostile/mesh-flags.bin", NULL),
        missing = run("list", "no/such.res", NULL), usage = run("frobnicate", NULL, NULL),
        option = run("list", "--nope", NULL), help = run("--help", NULL, NULL);
    fflush(NULL);
    dup2(quiet, 1);
    dup2(quiet2, 2);
    close(quiet);
    close(quiet2);
    assert_int_equal(list, 0);
    assert_int_equal(show, 0);
    assert_int_equal(json, 0);
    assert_int_equal(none, 1);
    assert_int_equal(fine, 0);
    assert_int_equal(bad, 1);
    assert_int_equal(missing, 1);
    assert_int_equal(usage, EX_USAGE);
    assert_int_equal(option, EX_USAGE);
    assert_int_equal(help, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extract_and_build_give_back_every_byte),
        cmocka_unit_test(hostile_files_that_have_records_come_back_too),
        cmocka_unit_test(an_edit_arrives_in_the_resource),
        cmocka_unit_test(a_folder_that_is_wrong_says_where),
        cmocka_unit_test(packs_come_back_and_unsafe_names_stay_out),
        cmocka_unit_test(of_equal_names_the_first_is_unpacked),
        cmocka_unit_test(names_are_judged_part_by_part),
        cmocka_unit_test(the_command_answers_with_its_status),
    };
    return cmocka_run_group_tests(tests, make_root, drop_root);
}
