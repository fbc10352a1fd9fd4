/* test_homestead_identity.c - a pack's name follows from what it holds, and from nothing else. */
#include "base/file.h"
#include "homestead/identity.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/stn-identity-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int drop_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static const char *below(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static void put(const char *name, const char *text)
{
    char folder[256];
    snprintf(folder, sizeof folder, "%s", below(name));
    *strrchr(folder, '/') = 0;
    assert_int_equal(stn_file_mkdirs(folder, 0700, NULL), STN_OK);
    assert_int_equal(stn_file_write(below(name), text, strlen(text), 0600, false, NULL), STN_OK);
}

static const char *identity(const char *folder)
{
    static char out[2][STN_PACK_IDENTITY];
    static int turn;
    stn_err err = {0};
    turn = !turn;
    if (stn_pack_identity(below(folder), out[turn], &err) != STN_OK)
        fail_msg("%s", err.text);
    assert_memory_equal(out[turn], "homestead-", 10);
    assert_int_equal(strlen(out[turn]), 26);
    return out[turn];
}

static void the_same_content_has_the_same_name_anywhere(void **state)
{
    (void)state;
    put("a/gfx/one.res", "1");
    put("a/two.res", "2");
    put("elsewhere/b/two.res", "2");
    put("elsewhere/b/gfx/one.res", "1");
    assert_int_equal(
        utimensat(AT_FDCWD, below("a/two.res"), (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0), 0);
    assert_string_equal(identity("a"), identity("elsewhere/b"));
    assert_string_equal(identity("a"), identity("a/"));
}

static void every_change_of_content_changes_it(void **state)
{
    char before[STN_PACK_IDENTITY];
    (void)state;
    put("p/a.res", "one");
    put("p/b.res", "two");
    snprintf(before, sizeof before, "%s", identity("p"));
    put("p/a.res", "onE");
    assert_string_not_equal(before, identity("p"));
    put("p/a.res", "one");
    assert_string_equal(before, identity("p"));
    put("p/c.res", ""); /* an empty one too */
    assert_string_not_equal(before, identity("p"));
    assert_int_equal(unlink(below("p/c.res")), 0);
    char from[256];
    snprintf(from, sizeof from, "%s", below("p/b.res"));
    assert_int_equal(rename(from, below("p/bb.res")), 0);
    assert_string_not_equal(before, identity("p"));
}

static void what_is_no_pack_is_said(void **state)
{
    char out[STN_PACK_IDENTITY];
    (void)state;
    put("file", "x");
    assert_int_equal(stn_pack_identity(below("none"), out, NULL), STN_NOT_FOUND);
    assert_int_equal(stn_pack_identity(below("file"), out, NULL), STN_NOT_FOUND);
    /* A link out of the pack is not followed, so it does not count. */
    put("q/a.res", "x");
    char before[STN_PACK_IDENTITY];
    snprintf(before, sizeof before, "%s", identity("q"));
    assert_int_equal(symlink("/", below("q/out")), 0);
    assert_string_equal(before, identity("q"));
}

#define WITH_ROOT(f) cmocka_unit_test_setup_teardown(f, make_root, drop_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(the_same_content_has_the_same_name_anywhere),
        WITH_ROOT(every_change_of_content_changes_it),
        WITH_ROOT(what_is_no_pack_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
