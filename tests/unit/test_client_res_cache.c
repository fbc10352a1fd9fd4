/* test_client_res_cache.c - `stenness res cache`: every state of an entry is said, a purge takes what was
 * chosen and no more. */
#include "base/file.h"
#include "cache/cache_entry.h"
#include "cache/diskcache.h"
#include "client/res/res_cmd.h"
#include "support/support.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define SYNTH "tests/vectors/data/resources/synth"
#define MINE "http://mine.example/"
#define THEIRS "http://theirs.example/"

static char root[64], folder[96];
static char *said; /* standard output of the last command */

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/stn-res-cache-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    snprintf(folder, sizeof folder, "%s/data", root);
    return 0;
}

static int drop_root(void **state)
{
    (void)state;
    char command[128];
    free(said);
    said = NULL;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

/* `stenness res cache …` with the folder of this test, its words kept in `said`. */
static int run(const char *a, const char *b, const char *c, const char *d)
{
    const char *args[] = {"res", "cache", a, "--cache", folder, b, c, d, NULL};
    char path[128];
    int argc = 5, out = dup(1), err = dup(2), fd;
    size_t len;
    while (args[argc])
        argc++;
    snprintf(path, sizeof path, "%s/said", root);
    fflush(NULL);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    dup2(fd, 1);
    dup2(fd, 2);
    close(fd);
    int rc = cmd_res(argc, (char **)(uintptr_t)args);
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    free(said);
    said = (char *)vec_read(root, "said", &len);
    assert_non_null(said);
    return rc;
}

static bool says(const char *text)
{
    return strstr(said, text) != NULL;
}

static void put(const char *identity, const char *key, const void *data, size_t len)
{
    stn_diskcache *c;
    stn_err err = {0};
    if (stn_diskcache_open(folder, identity, 0, &c, &err) != STN_OK ||
        stn_diskcache_write(c, key, strlen(key), data, len, &err) != STN_OK)
        fail_msg("%s", err.text);
    stn_diskcache_free(c);
}

static const char *path_of(const char *identity, const char *key)
{
    static char path[160];
    char file[STN_CACHE_FILE_MAX];
    stn_cache_file_name(stn_cache_hash(identity, strlen(identity), key, strlen(key)), 0, file);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

static bool there(const char *identity, const char *key)
{
    struct stat sb;
    return lstat(path_of(identity, key), &sb) == 0;
}

static void age(const char *identity, const char *key, int days)
{
    time_t t = time(NULL) - days * 86400;
    const struct timespec times[2] = {{.tv_sec = t}, {.tv_sec = t}};
    assert_int_equal(utimensat(AT_FDCWD, path_of(identity, key), times, 0), 0);
}

/* Good ones of two identities, one of each kind of damage, and a key that is nobody's resource. */
static void fill(void)
{
    size_t len;
    uint8_t *light = vec_read(SYNTH, "light.res", &len);
    char from[160];
    assert_non_null(light);
    put(MINE, "res/good", light, len);
    put(MINE, "res/old", light, len);
    put(THEIRS, "res/good", light, len);
    put(MINE, "res/cut", light, len - 3);
    put(MINE, "res/alien\n\x1b[2J", light, len); /* what a terminal must not see */
    put(MINE, "res/empty", "", 0);
    put(MINE, "map/index", "whatever", 8);
    put(MINE, "res/torn", light, len);
    assert_int_equal(truncate(path_of(MINE, "res/torn"), 9), 0);
    put(MINE, "res/zero", light, len);
    assert_int_equal(truncate(path_of(MINE, "res/zero"), 0), 0);
    put(MINE, "res/moved", light, len);
    snprintf(from, sizeof from, "%s", path_of(MINE, "res/moved"));
    assert_int_equal(rename(from, path_of(MINE, "res/elsewhere")), 0);
    assert_int_equal(
        stn_file_write(path_of(MINE, "res/malformed"), "\x01\x00\x02\xff\xff\x00\x00", 7, 0600, false, NULL),
        0);
    assert_int_equal(symlink("/etc/passwd", path_of(MINE, "res/link")), 0);
    age(MINE, "res/old", 40);
    free(light);
}

static void verify_says_the_state_of_every_entry(void **state)
{
    (void)state;
    fill();
    assert_int_equal(run("verify", NULL, NULL, NULL), EXIT_FAILURE);
    assert_true(says("good       good: version "));
    assert_true(says("empty      empty: no bytes"));
    assert_true(says("bad        cut: E_"));
    assert_true(says("misplaced  moved: "));
    assert_true(says("other      map/index: "));
    assert_true(says("torn       ")); /* no name: the header that would say it is cut */
    assert_true(says("malformed  "));
    assert_true(says("alien      "));
    assert_true(says("good       alien??[2J: version "));
    assert_false(says("\x1b"));
    assert_true(says("5 good, 7 bad\n"));
    /* Of the other identity all is well. */
    assert_int_equal(run("verify", "--identity", THEIRS, NULL), EXIT_SUCCESS);
    assert_true(says("1 good, 0 bad\n"));
}

static void list_and_size_count_by_identity(void **state)
{
    (void)state;
    size_t lines = 0;
    fill();
    assert_int_equal(run("list", "--identity", THEIRS, NULL), EXIT_SUCCESS);
    assert_true(says(THEIRS "  good\n"));
    assert_false(says(MINE));
    assert_int_equal(run("list", "--json", NULL, NULL), EXIT_SUCCESS);
    for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        json_t *o = json_loads(line, 0, NULL);
        assert_non_null(o);
        assert_true(json_integer_value(json_object_get(o, "bytes")) > 0);
        assert_memory_equal(json_string_value(json_object_get(o, "key")), "res/", 4);
        json_decref(o);
    }
    assert_int_equal(lines, 7);
    assert_int_equal(run("size", NULL, NULL, NULL), EXIT_SUCCESS);
    assert_true(says(MINE "\n") && says(THEIRS "\n"));
    assert_true(says("resources in all") && says("other keys") && says("no entries"));
}

static void purge_takes_what_was_chosen_and_no_more(void **state)
{
    (void)state;
    fill();
    assert_int_equal(run("purge", "--older", "30", NULL), EXIT_SUCCESS);
    assert_true(says("1 entries of "));
    assert_false(there(MINE, "res/old"));
    assert_int_equal(run("purge", "--bad", NULL, NULL), EXIT_SUCCESS);
    static const char *const gone[] = {"res/cut",  "res/empty",     "res/torn",
                                       "res/zero", "res/elsewhere", "res/malformed"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (there(MINE, gone[i]))
            fail_msg("%s is still there", gone[i]);
    assert_true(there(MINE, "res/good") && there(THEIRS, "res/good") && there(MINE, "map/index"));
    assert_true(there(MINE, "res/link")); /* no file of the cache */
    assert_int_equal(run("purge", "--identity", THEIRS, NULL), EXIT_SUCCESS);
    assert_true(there(MINE, "res/good"));
    assert_false(there(THEIRS, "res/good"));
    assert_int_equal(run("purge", "--all", NULL, NULL), EXIT_SUCCESS);
    assert_false(there(MINE, "res/good"));
    assert_true(there(MINE, "map/index"));
    assert_int_equal(run("size", NULL, NULL, NULL), EXIT_SUCCESS);
    assert_true(says("no resources\n"));
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    fill();
    assert_int_equal(run("purge", NULL, NULL, NULL), EX_USAGE);
    assert_int_equal(run("purge", "--all", "--bad", NULL), EX_USAGE);
    assert_int_equal(run("purge", "--older", "soon", NULL), EX_USAGE);
    assert_int_equal(run("purge", "--older", "-1", NULL), EX_USAGE);
    assert_int_equal(run("frob", NULL, NULL, NULL), EX_USAGE);
    assert_int_equal(run("size", "extra", NULL, NULL), EX_USAGE);
    assert_true(there(MINE, "res/good"));
    snprintf(folder, sizeof folder, "%s/nothing", root);
    assert_int_equal(run("list", NULL, NULL, NULL), EXIT_FAILURE);
    assert_true(says(folder));
    assert_int_not_equal(access(folder, F_OK), 0); /* looking makes nothing */
}

#define WITH_ROOT(f) cmocka_unit_test_setup_teardown(f, make_root, drop_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ROOT(verify_says_the_state_of_every_entry),
        WITH_ROOT(list_and_size_count_by_identity),
        WITH_ROOT(purge_takes_what_was_chosen_and_no_more),
        WITH_ROOT(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
