/* Programs that a driver made, kept between starts. */
#include "renderer/gl/progcache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void expect(const stn_progcache *c, uint64_t key, uint32_t format, const char *text)
{
    uint32_t got = 0;
    size_t len = 0;
    const void *data = stn_progcache_get(c, key, &got, &len);

    assert_non_null(data);
    assert_int_equal(got, format);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(data, text, len);
}

static void what_is_kept_comes_back_and_the_newest_counts(void **state)
{
    stn_progcache *a = stn_progcache_new(NULL), *b = stn_progcache_new(NULL);
    stn_buf out = {0};
    stn_err err = {0};
    uint32_t format;
    size_t len;

    (void)state;
    stn_progcache_put(a, 1, 10, "one", 3);
    stn_progcache_put(a, 2, 10, "two", 3);
    stn_progcache_put(a, 1, 11, "uno", 3);
    expect(a, 1, 11, "uno");
    stn_progcache_encode(a, &out);
    assert_int_equal(stn_progcache_decode(b, out.data, out.len, &err), STN_OK);
    assert_int_equal(stn_progcache_count(b), 2); /* the older one of key 1 is not written */
    expect(b, 1, 11, "uno");
    expect(b, 2, 10, "two");
    assert_null(stn_progcache_get(b, 3, &format, &len));
    stn_buf_fini(&out);
    stn_progcache_free(a);
    stn_progcache_free(b);
}

static void every_damaged_file_is_refused(void **state)
{
    stn_progcache *a = stn_progcache_new(NULL);
    stn_buf out = {0};
    stn_err err = {0};

    (void)state;
    stn_progcache_put(a, 1, 10, "a program", 9);
    stn_progcache_encode(a, &out);
    for (size_t i = 0; i < out.len; i++) {
        stn_progcache *b = stn_progcache_new(NULL);

        assert_int_not_equal(stn_progcache_decode(b, out.data, i, &err), STN_OK);
        out.data[i] ^= 0x40;
        assert_int_not_equal(stn_progcache_decode(b, out.data, out.len, &err), STN_OK);
        out.data[i] ^= 0x40;
        stn_progcache_free(b);
    }
    stn_buf_fini(&out);
    stn_progcache_free(a);
}

static void a_length_that_lies_is_refused_though_the_sum_is_right(void **state)
{
    stn_progcache *c = stn_progcache_new(NULL);
    stn_buf b = {0};
    stn_err err = {0};
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    (void)state;
    stn_buf_put(&b, "STNPROG1", 8);
    stn_buf_u64(&b, 5);
    stn_buf_u32(&b, 10);
    stn_buf_u32(&b, 0xfffffff0u);
    stn_buf_put(&b, "abc", 3);
    for (size_t i = 0; i < b.len; i++)
        sum = (sum ^ b.data[i]) * UINT64_C(0x100000001b3);
    stn_buf_u64(&b, sum);
    assert_int_equal(stn_progcache_decode(c, b.data, b.len, &err), STN_TRUNCATED);
    assert_int_equal(stn_progcache_count(c), 0);
    stn_buf_fini(&b);
    stn_progcache_free(c);
}

static void it_is_written_for_the_next_start(void **state)
{
    char folder[] = "/tmp/stn-progcache-XXXXXX", path[64], inner[48];
    stn_progcache *c;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/made", folder);
    snprintf(path, sizeof path, "%s/x.programs", inner);
    assert_non_null(c = stn_progcache_new(path)); /* no such file yet */
    assert_int_equal(stn_progcache_count(c), 0);
    stn_progcache_put(c, 7, 3, "seven", 5);
    stn_progcache_save(c);
    stn_progcache_put(c, 8, 3, "eight", 5); /* while the first is being written */
    stn_progcache_free(c);
    assert_non_null(c = stn_progcache_new(path));
    assert_int_equal(stn_progcache_count(c), 2);
    expect(c, 7, 3, "seven");
    expect(c, 8, 3, "eight");
    stn_progcache_free(c);
    assert_int_equal(truncate(path, 20), 0);
    assert_non_null(c = stn_progcache_new(path)); /* half a file: as if there were none */
    assert_int_equal(stn_progcache_count(c), 0);
    stn_progcache_free(c);
    unlink(path);
    rmdir(inner);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_comes_back_and_the_newest_counts),
        cmocka_unit_test(every_damaged_file_is_refused),
        cmocka_unit_test(a_length_that_lies_is_refused_though_the_sum_is_right),
        cmocka_unit_test(it_is_written_for_the_next_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
