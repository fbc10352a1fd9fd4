/* test_loader_files.c - the loader's files: disk cache shared by processes, developer folder, packs. */
#include "base/clock.h"
#include "cache/cache_entry.h"
#include "cache/diskcache.h"
#include "loader/dirsource.h"
#include "loader/packsource.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

#include <cmocka.h>

#define IDENTITY "http://x.example/"

static char dir[64];

static int remove_one(const char *path, const struct stat *sb, int type, struct FTW *ftw)
{
    (void)sb;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/stn-files-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
    (void)state;
    return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void put_file(const char *name, const void *data, size_t len)
{
    int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, len), (ssize_t)len);
    close(fd);
}

static stn_diskcache *open_cache(uint64_t cap)
{
    stn_diskcache *c;
    stn_err err = {0};
    if (stn_diskcache_open(dir, IDENTITY, cap, &c, &err) != STN_OK)
        fail_msg("%s", err.text);
    return c;
}

static void put(stn_diskcache *c, const char *key, const void *data, size_t len)
{
    stn_err err = {0};
    if (stn_diskcache_write(c, key, strlen(key), data, len, &err) != STN_OK)
        fail_msg("%s", err.text);
}

/* STN_OK and the same bytes, or the status. */
static stn_status get(stn_diskcache *c, const char *key, const char *want)
{
    uint8_t *data;
    size_t len;
    stn_status st = stn_diskcache_read(c, key, strlen(key), 1 << 20, &data, &len, NULL);
    if (st == STN_OK && (len != strlen(want) || memcmp(data, want, len) != 0))
        st = STN_BAD_DATA;
    free(data);
    return st;
}

static char *slot_file(const char *key, unsigned slot)
{
    static char file[STN_CACHE_FILE_MAX];
    stn_cache_file_name(stn_cache_hash(IDENTITY, strlen(IDENTITY), key, strlen(key)), slot, file);
    return file;
}

static void torn_entries_are_misses_and_are_healed(void **state)
{
    static const char body[] = "a body that is long enough to be cut anywhere";
    (void)state;
    stn_diskcache *c = open_cache(0);
    put(c, "res/a", body, strlen(body));
    char file[STN_CACHE_FILE_MAX];
    strcpy(file, slot_file("res/a", 0));
    struct stat sb;
    assert_int_equal(stat(path_of(file), &sb), 0);
    for (off_t cut = 0; cut < sb.st_size; cut++) {
        assert_int_equal(truncate(path_of(file), cut), 0);
        stn_status st = get(c, "res/a", body);
        /* Inside the header a miss; behind it shorter bytes, which the parse refuses: never the whole. */
        assert_true(st == STN_NOT_FOUND || st == STN_BAD_DATA);
        put(c, "res/a", body, strlen(body));
        assert_int_equal(get(c, "res/a", body), STN_OK);
    }
    put(c, "res/a", "", 0);
    assert_int_equal(get(c, "res/a", ""), STN_OK);
    stn_diskcache_free(c);
}

static void slots_of_others_are_never_written_over(void **state)
{
    (void)state;
    stn_diskcache *c = open_cache(0), *other;
    assert_int_equal(stn_diskcache_open(dir, "http://x.example/r", 0, &other, NULL), STN_OK);
    put(c, "res/q", "one", 3); /* the same hash: identity and key are only put one behind the other */
    put(other, "es/q", "two", 3);
    put(c, "res/q", "three", 5);
    assert_int_equal(get(c, "res/q", "three"), STN_OK);
    assert_int_equal(get(other, "es/q", "two"), STN_OK);
    /* Malformed text in a header is somebody else's too; a link and a folder are no slots at all. */
    put_file(slot_file("res/m", 0), "\x01\x00\x02\xff\xff\x00\x00", 7);
    assert_int_equal(symlink("/etc/passwd", path_of(slot_file("res/m", 1))), 0);
    put(c, "res/n", "n", 1);
    struct stat sb;
    assert_int_equal(lstat(path_of(slot_file("res/m", 1)), &sb), 0);
    assert_true(S_ISLNK(sb.st_mode));
    assert_int_equal(get(c, "res/m", ""), STN_NOT_FOUND);
    stn_diskcache_free(c);
    stn_diskcache_free(other);
}

static void a_lock_that_is_held_too_long_costs_the_store_and_no_more(void **state)
{
    (void)state;
    stn_diskcache *c = open_cache(0);
    put(c, "res/a", "old", 3);
    int fd = open(path_of(slot_file("res/a", 0)), O_RDWR);
    pid_t child = fork();
    if (child == 0) {
        /* A plain record lock of another process, as the reference client takes. */
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
        fcntl(fd, F_SETLKW, &lock);
        pause();
        _exit(0);
    }
    stn_sleep_ns(200 * STN_MS);
    int64_t t = stn_clock_ns();
    assert_int_equal(stn_diskcache_write(c, "res/a", 5, "new", 3, NULL), STN_TIMEOUT);
    assert_true(stn_clock_ns() - t < 10 * STN_S);
    assert_int_equal(get(c, "res/a", "old"), STN_OK); /* reading needs no lock */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    put(c, "res/a", "new", 3);
    assert_int_equal(get(c, "res/a", "new"), STN_OK);
    close(fd);
    stn_diskcache_free(c);
}

static void two_processes_write_and_read_the_same_entries(void **state)
{
    enum { WRITERS = 3, ROUNDS = 60 };
    static char body[WRITERS][4001];
    (void)state;
    for (int w = 0; w < WRITERS; w++)
        memset(body[w], 'a' + w, 4000);
    for (int w = 0; w < WRITERS; w++) {
        if (fork() != 0)
            continue;
        stn_diskcache *c;
        int bad = stn_diskcache_open(dir, IDENTITY, 0, &c, NULL) != STN_OK;
        for (int i = 0; i < ROUNDS && !bad; i++) {
            bad = stn_diskcache_write(c, "res/shared", 10, body[w], 4000, NULL) != STN_OK;
            uint8_t *data;
            size_t len;
            bad |= stn_diskcache_read(c, "res/shared", 10, 1 << 20, &data, &len, NULL) != STN_OK ||
                   len != 4000 || data[0] != data[3999];
            free(data);
        }
        _exit(bad);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        wait(&status);
        assert_int_equal(status, 0);
    }
}

static void over_the_cap_the_longest_unread_resources_go(void **state)
{
    static char body[1000];
    (void)state;
    stn_diskcache *c = open_cache(20000), *other;
    assert_int_equal(stn_diskcache_open(dir, "urn:other", 20000, &other, NULL), STN_OK);
    for (int i = 0; i < 30; i++) {
        char key[16];
        snprintf(key, sizeof key, "res/%d", i);
        put(i % 2 ? c : other, key, body, sizeof body);
        struct timespec times[2] = {{.tv_sec = 1000000 + i * 100}, {.tv_sec = 1000000 + i * 100}};
        uint64_t h = i % 2 ? stn_cache_hash(IDENTITY, strlen(IDENTITY), key, strlen(key))
                           : stn_cache_hash("urn:other", 9, key, strlen(key));
        char file[STN_CACHE_FILE_MAX];
        stn_cache_file_name(h, 0, file);
        assert_int_equal(utimensat(AT_FDCWD, path_of(file), times, 0), 0);
    }
    put(c, "map/index", body, sizeof body);
    put_file("cache123.new", "x", 1);
    assert_int_equal(
        utimensat(AT_FDCWD, path_of("cache123.new"), (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0),
        0);
    assert_true(stn_diskcache_due(c));
    stn_diskcache_sum sum;
    assert_int_equal(stn_diskcache_sweep(c, &sum, NULL), STN_OK);
    assert_true(sum.bytes <= 20000 / 8 * 7);
    assert_int_equal(sum.entries + sum.evicted, 30);
    uint8_t *data;
    size_t len;
    assert_int_equal(stn_diskcache_read(c, "res/29", 6, 2000, &data, &len, NULL), STN_OK);
    free(data);
    assert_int_equal(stn_diskcache_read(c, "res/1", 5, 2000, &data, &len, NULL), STN_NOT_FOUND);
    assert_int_equal(stn_diskcache_read(other, "res/0", 5, 2000, &data, &len, NULL), STN_NOT_FOUND);
    assert_int_equal(stn_diskcache_read(c, "map/index", 9, 2000, &data, &len, NULL), STN_OK);
    free(data);
    assert_int_equal(access(path_of("cache123.new"), F_OK), -1);
    stn_diskcache_free(c);
    stn_diskcache_free(other);
}

static void a_folder_that_others_may_write_to_is_refused(void **state)
{
    stn_diskcache *c;
    (void)state;
    assert_int_equal(chmod(dir, 0777), 0);
    assert_int_equal(stn_diskcache_open(dir, IDENTITY, 0, &c, NULL), STN_DENIED);
    assert_int_equal(chmod(dir, 0700), 0);
}

static void a_key_is_removed_alone(void **state)
{
    (void)state;
    stn_diskcache *c = open_cache(0);
    put(c, "res/a", "a", 1);
    put(c, "res/b", "b", 1);
    assert_int_equal(stn_diskcache_remove(c, "res/a", 5, NULL), STN_OK);
    assert_int_equal(stn_diskcache_remove(c, "res/a", 5, NULL), STN_NOT_FOUND);
    assert_int_equal(get(c, "res/a", "a"), STN_NOT_FOUND);
    assert_int_equal(get(c, "res/b", "b"), STN_OK);
    stn_diskcache_free(c);
}

/* No room for a file: the limit of a process stands for a full disk, which says the same by another number.
 */
static void without_room_a_store_fails_and_leaves_everything_as_it_was(void **state)
{
    static char big[100000];
    struct rlimit old, small;
    (void)state;
    stn_diskcache *c = open_cache(0);
    put(c, "res/a", "old", 3);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){.rlim_cur = 5000, .rlim_max = old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    stn_err err = {0};
    stn_status replace = stn_diskcache_write(c, "res/a", 5, big, sizeof big, &err),
               fresh = stn_diskcache_write(c, "res/b", 5, big, sizeof big, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(replace, STN_IO);
    assert_non_null(strstr(err.text, "100000 bytes"));
    assert_int_equal(fresh, STN_IO);
    assert_int_equal(get(c, "res/a", "old"), STN_OK);
    assert_int_equal(get(c, "res/b", ""), STN_NOT_FOUND);
    stn_diskcache_free(c);
    DIR *d = opendir(dir);
    unsigned files = 0;
    for (const struct dirent *e; (e = readdir(d));)
        files += e->d_name[0] != '.';
    closedir(d);
    assert_int_equal(files, 1); /* no temporary, no empty slot */
}

/* ---- developer folder ---- */

static stn_status read_dir(const stn_dirsource *d, const char *name)
{
    uint8_t *data;
    size_t len;
    stn_status st = stn_dirsource_read(d, name, 100, &data, &len, NULL);
    free(data);
    return st;
}

static void nothing_outside_the_developer_folder_is_read(void **state)
{
    stn_dirsource *d;
    (void)state;
    assert_int_equal(mkdir(path_of("in"), 0700), 0);
    assert_int_equal(mkdir(path_of("in/sub"), 0700), 0);
    put_file("in/sub/a.res", "x", 1);
    put_file("outside.res", "x", 1);
    put_file("in/big.res", dir, sizeof dir);
    assert_int_equal(truncate(path_of("in/big.res"), 200), 0);
    assert_int_equal(symlink("../outside.res", path_of("in/up.res")), 0);
    assert_int_equal(symlink("/etc", path_of("in/etc")), 0);
    assert_int_equal(symlink("..", path_of("in/parent")), 0);
    assert_int_equal(mkfifo(path_of("in/pipe.res"), 0600), 0);
    assert_int_equal(mkdir(path_of("in/folder.res"), 0700), 0);
    assert_int_equal(stn_dirsource_open(path_of("in"), &d, NULL), STN_OK);
    assert_int_equal(read_dir(d, "sub/a"), STN_OK);
    assert_int_equal(read_dir(d, "sub/b"), STN_NOT_FOUND);
    assert_int_equal(read_dir(d, "no/b"), STN_NOT_FOUND);
    assert_int_not_equal(read_dir(d, "up"), STN_OK);
    assert_int_not_equal(read_dir(d, "parent/outside"), STN_OK);
    assert_int_not_equal(read_dir(d, "etc/passwd"), STN_OK);
    assert_int_not_equal(read_dir(d, "../outside"), STN_OK);
    assert_int_equal(read_dir(d, "pipe"), STN_IO); /* and does not wait for a writer */
    assert_int_equal(read_dir(d, "folder"), STN_IO);
    assert_int_equal(read_dir(d, "big"), STN_TOO_BIG);
    stn_dirsource_free(d);
    assert_int_equal(stn_dirsource_open(path_of("none"), &d, NULL), STN_NOT_FOUND);
}

/* ---- packs ---- */

static void add_member(zip_t *z, const char *name, const char *text)
{
    zip_source_t *s = zip_source_buffer(z, text, strlen(text), 0);
    assert_non_null(s);
    assert_true(zip_file_add(z, name, s, ZIP_FL_ENC_UTF_8) >= 0);
}

static stn_status read_pack(stn_packsource *p, const char *name, const char *want)
{
    uint8_t *data;
    size_t len;
    stn_status st = stn_packsource_read(p, name, 100, &data, &len, NULL);
    if (st == STN_OK && (len != strlen(want) || memcmp(data, want, len) != 0))
        st = STN_BAD_DATA;
    free(data);
    return st;
}

static void packs_answer_by_exact_name_and_the_first_of_equal_ones(void **state)
{
    static char big[200];
    stn_packsource *p;
    int code;
    (void)state;
    zip_t *z = zip_open(path_of("p.jar"), ZIP_CREATE | ZIP_TRUNCATE, &code);
    assert_non_null(z);
    memset(big, 'b', sizeof big - 1);
    add_member(z, "res/a.res", "first a");
    add_member(z, "res/b.res", "the second");
    add_member(z, "res/gfx/c.res", "c");
    add_member(z, "/etc/passwd", "absolute");
    add_member(z, "res/../up.res", "up");
    add_member(z, "res/big.res", big);
    assert_int_equal(zip_close(z), 0);
    /* Two members of one name, as libzip would not write them: the name of the second is changed in place. */
    int fd = open(path_of("p.jar"), O_RDWR);
    static char bytes[8192];
    ssize_t n = read(fd, bytes, sizeof bytes);
    for (ssize_t i = 0; i + 9 <= n; i++)
        if (memcmp(bytes + i, "res/b.res", 9) == 0)
            bytes[i + 4] = 'a';
    assert_int_equal(pwrite(fd, bytes, (size_t)n, 0), n);
    close(fd);
    assert_int_equal(stn_packsource_open(path_of("p.jar"), "res/", &p, NULL), STN_OK);
    assert_int_equal(read_pack(p, "a", "first a"), STN_OK);
    assert_int_equal(read_pack(p, "gfx/c", "c"), STN_OK);
    assert_int_equal(read_pack(p, "A", ""), STN_NOT_FOUND);
    assert_int_equal(read_pack(p, "../up", ""), STN_USAGE);
    assert_int_equal(read_pack(p, "big", ""), STN_TOO_BIG);
    stn_packsource_free(p);
    put_file("no.jar", "this is no archive at all, but long enough", 42);
    assert_int_equal(stn_packsource_open(path_of("no.jar"), "", &p, NULL), STN_BAD_DATA);
    assert_int_equal(stn_packsource_open(path_of("none.jar"), "", &p, NULL), STN_NOT_FOUND);
    assert_null(p);
    assert_int_equal(read_pack(NULL, "a", ""), STN_NOT_FOUND);
}

static void a_member_whose_size_is_a_lie_is_refused(void **state)
{
    stn_packsource *p;
    int code;
    (void)state;
    zip_t *z = zip_open(path_of("lie.zip"), ZIP_CREATE | ZIP_TRUNCATE, &code);
    add_member(z, "x.res", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    assert_int_equal(zip_close(z), 0);
    int fd = open(path_of("lie.zip"), O_RDWR);
    static char bytes[4096];
    ssize_t n = read(fd, bytes, sizeof bytes);
    for (ssize_t i = 0; i + 46 < n; i++)
        if (memcmp(bytes + i, "PK\x01\x02", 4) == 0)
            bytes[i + 24] = 10; /* uncompressed size in the directory */
    assert_int_equal(pwrite(fd, bytes, (size_t)n, 0), n);
    close(fd);
    if (stn_packsource_open(path_of("lie.zip"), "", &p, NULL) == STN_OK) {
        assert_int_not_equal(read_pack(p, "x", ""), STN_OK);
        stn_packsource_free(p);
    }
}

#define WITH_DIR(f) cmocka_unit_test_setup_teardown(f, make_dir, drop_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DIR(torn_entries_are_misses_and_are_healed),
        WITH_DIR(slots_of_others_are_never_written_over),
        WITH_DIR(a_lock_that_is_held_too_long_costs_the_store_and_no_more),
        WITH_DIR(two_processes_write_and_read_the_same_entries),
        WITH_DIR(over_the_cap_the_longest_unread_resources_go),
        WITH_DIR(a_folder_that_others_may_write_to_is_refused),
        WITH_DIR(a_key_is_removed_alone),
        WITH_DIR(without_room_a_store_fails_and_leaves_everything_as_it_was),
        WITH_DIR(nothing_outside_the_developer_folder_is_read),
        WITH_DIR(packs_answer_by_exact_name_and_the_first_of_equal_ones),
        WITH_DIR(a_member_whose_size_is_a_lie_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
