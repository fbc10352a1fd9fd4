#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/folders.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/opts.h"
#include "base/table.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void read_past_the_end_yields_zero_and_sticks(void **state)
{
    const uint8_t data[] = {1, 2, 3};
    stn_bytes b = stn_bytes_of(data, sizeof data);
    (void)state;
    assert_int_equal(stn_bytes_u16(&b), 0x0201);
    assert_int_equal(stn_bytes_u16(&b), 0);
    assert_false(stn_bytes_ok(&b));
    assert_int_equal(stn_bytes_u8(&b), 0);
    assert_int_equal(stn_bytes_left(&b), 1);
}

static void text_without_nul_is_refused(void **state)
{
    stn_bytes b = stn_bytes_of("ab\0cd", 5);
    size_t len;
    (void)state;
    assert_string_equal(stn_bytes_cstr(&b, &len), "ab");
    assert_int_equal(len, 2);
    assert_null(stn_bytes_cstr(&b, &len));
    assert_false(stn_bytes_ok(&b));
}

static void huge_take_does_not_wrap(void **state)
{
    stn_bytes b = stn_bytes_of("abcd", 4);
    (void)state;
    stn_bytes_u8(&b);
    assert_null(stn_bytes_take(&b, SIZE_MAX));
    assert_false(stn_bytes_ok(&b));
}

static void buffer_writes_little_endian_and_obeys_its_ceiling(void **state)
{
    stn_buf b = {.max = 8};
    (void)state;
    stn_buf_u32(&b, 0x04030201);
    stn_buf_u16(&b, 0x0605);
    assert_memory_equal(b.data, "\1\2\3\4\5\6", 6);
    stn_buf_u32(&b, 0);
    assert_true(b.failed);
    assert_int_equal(b.len, 6);
    assert_null(stn_buf_take(&b, NULL));
}

static void buffer_appends_formatted_text(void **state)
{
    stn_buf b = {0};
    (void)state;
    stn_buf_printf(&b, "%s-%d", "cut", 25);
    stn_buf_printf(&b, "!");
    assert_int_equal(b.len, 7);
    assert_memory_equal(b.data, "cut-25!", 7);
    stn_buf_fini(&b);
}

static void arena_keeps_its_largest_block_and_ceiling(void **state)
{
    stn_arena *a = stn_arena_new(256, 4096);
    size_t held;
    (void)state;
    assert_non_null(stn_arena_alloc(a, 100));
    assert_non_null(stn_arena_alloc(a, 2000));
    assert_null(stn_arena_alloc(a, 4000));
    assert_null(stn_arena_array(a, SIZE_MAX / 2, 16));
    stn_arena_reset(a);
    held = stn_arena_size(a);
    assert_in_range(held, 2000, 4096);
    assert_non_null(stn_arena_alloc(a, 2000));
    assert_int_equal(stn_arena_size(a), held);
    stn_arena_free(a);
}

static void table_survives_random_puts_and_removals(void **state)
{
    stn_table *t = stn_table_new();
    static bool there[512];
    size_t n = 0;
    uint32_t x = 12345;
    (void)state;
    memset(there, 0, sizeof there);
    for (int i = 0; i < 20000; i++) {
        uint32_t k;
        x = x * 1664525u + 1013904223u;
        k = x >> 16 & 511;
        if (x >> 31) {
            assert_true(stn_table_put(t, k, &there[k], NULL));
            n += !there[k];
            there[k] = true;
        } else {
            assert_ptr_equal(stn_table_remove(t, k), there[k] ? (void *)&there[k] : NULL);
            n -= there[k];
            there[k] = false;
        }
        assert_int_equal(stn_table_count(t), n);
    }
    for (uint32_t k = 0; k < 512; k++)
        assert_ptr_equal(stn_table_get(t, k), there[k] ? (void *)&there[k] : NULL);
    stn_table_free(t);
}

static void names_are_copied_and_replaced(void **state)
{
    stn_names *t = stn_names_new();
    char key[] = "gfx/a";
    int a, b;
    void *old;
    (void)state;
    assert_true(stn_names_put(t, key, &a, &old));
    assert_null(old);
    key[4] = 'b';
    assert_null(stn_names_get(t, key));
    assert_true(stn_names_put(t, "gfx/a", &b, &old));
    assert_ptr_equal(old, &a);
    assert_ptr_equal(stn_names_remove(t, "gfx/a"), &b);
    assert_int_equal(stn_names_count(t), 0);
    stn_names_free(t);
}

static void error_text_is_cut_and_prefixed(void **state)
{
    stn_err err = {0};
    (void)state;
    assert_int_equal(stn_fail(&err, STN_TRUNCATED, "%0400d", 7), STN_TRUNCATED);
    assert_int_equal(strlen(err.text), STN_ERR_TEXT - 1);
    stn_fail(&err, STN_BAD_DATA, "x");
    assert_int_equal(stn_fail_in(&err, STN_IO, "layer %d", 3), STN_BAD_DATA);
    assert_string_equal(err.text, "layer 3: x");
    assert_string_equal(stn_status_name(STN_CANCELLED), "cancelled");
    assert_string_equal(stn_status_name((stn_status)99), "unknown");
}

static void shown_text_hides_controls_and_bad_utf8(void **state)
{
    char out[8];
    (void)state;
    assert_string_equal(stn_text_show("a\x1b[\xff", 4, out, sizeof out), "a?[?");
    assert_string_equal(stn_text_show("abcdefghij", 10, out, sizeof out), "abcd...");
    assert_string_equal(stn_text_show("abcdefg", 7, out, sizeof out), "abcdefg");
    assert_true(stn_text_is_utf8("\xc3\xa9\xe2\x82\xac", 5));
    assert_false(stn_text_is_utf8("\xc0\xaf", 2));
    assert_false(stn_text_is_utf8("\xed\xa0\x80", 3));
}

/* One U+FFFD for each malformed part, as a Java string shows it. */
static void malformed_utf8_is_parted_as_the_reference_does(void **state)
{
    static const struct {
        const char *bytes;
        size_t parts;
    } cases[] = {
        {"\xed\xa0\x80", 1}, /* a surrogate */
        {"\xed\xa0", 1}, /* the start of one */
        {"\xe2\x82", 1}, /* cut */
        {"\xe0\x80\x80", 3}, /* overlong */
        {"\xc0\xaf", 2},     {"\xf4\x90\x80\x80", 4}, /* beyond the last character */
        {"\xf1\x80\x80", 1}, {"\xf8\x88\x80\x80\x80", 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len = strlen(cases[i].bytes), parts = 0;

        for (size_t at = 0; at < len; parts++) {
            bool whole = true;

            at += stn_text_utf8_part(cases[i].bytes + at, len - at, &whole);
            assert_false(whole);
        }
        assert_int_equal(parts, cases[i].parts);
    }
}

static void numbers_are_whole_strings_in_range(void **state)
{
    int64_t i;
    uint64_t u;
    double f;
    (void)state;
    assert_true(stn_text_i64("-12", -20, 20, &i));
    assert_int_equal(i, -12);
    assert_false(stn_text_i64("12x", -20, 20, &i));
    assert_false(stn_text_i64(" 1", -20, 20, &i));
    assert_false(stn_text_i64("21", -20, 20, &i));
    assert_false(stn_text_u64("-1", 20, &u));
    assert_false(stn_text_u64("99999999999999999999", UINT64_MAX, &u));
    assert_true(stn_text_f64("1.5", 0, 2, &f));
    assert_false(stn_text_f64("nan", 0, 2, &f));
}

static void files_are_replaced_whole(void **state)
{
    char dir[] = "/tmp/stn-base-XXXXXX", path[64];
    uint8_t *data;
    size_t len;
    stn_err err = {0};
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a/b", dir);
    assert_int_equal(stn_file_mkdirs(path, 0700, &err), STN_OK);
    snprintf(path, sizeof path, "%s/a/b/f", dir);
    assert_int_equal(stn_file_read(path, 10, &data, &len, &err), STN_NOT_FOUND);
    assert_int_equal(stn_file_write(path, "one", 3, 0600, true, &err), STN_OK);
    assert_int_equal(stn_file_write(path, "three", 5, 0600, false, &err), STN_OK);
    assert_int_equal(stn_file_read(path, 4, &data, &len, &err), STN_TOO_BIG);
    assert_int_equal(stn_file_read(path, 5, &data, &len, &err), STN_OK);
    assert_string_equal((char *)data, "three");
    free(data);
    unlink(path);
    snprintf(path, sizeof path, "%s/a/b", dir);
    assert_int_equal(stn_file_read(path, 4, &data, &len, &err), STN_BAD_DATA);
    rmdir(path);
    snprintf(path, sizeof path, "%s/a", dir);
    rmdir(path);
    rmdir(dir);
}

static void flags_win_over_environment_and_defaults(void **state)
{
    static const stn_opt table[] = {
        {"depth", STN_OPT_INT, "4", 1, 9, "N", "how deep"},
        {"out-dir", STN_OPT_TEXT, "here", 0, 0, "DIR", "where"},
        {"fast", STN_OPT_SWITCH, NULL, 0, 0, NULL, "hurry"},
    };
    static const stn_opts_spec spec = {
        .program = "stenness-test", .summary = "A test.", .operands = "FILE", .opts = table, .count = 3};
    char *argv[] = {"x", "--depth=7", "--fast", "a.png", "--", "--b"};
    char *wrong[] = {"x", "--depth", "12"};
    stn_opts *o;
    (void)state;
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    setenv("STENNESS_OUT_DIR", "there", 1);
    setenv("STENNESS_DEPTH", "2", 1);
    assert_int_equal(stn_opts_parse(&spec, 6, argv, &o), STN_OPTS_RUN);
    assert_int_equal(stn_opts_int(o, "depth"), 7);
    assert_true(stn_opts_switch(o, "fast"));
    assert_string_equal(stn_opts_text(o, "out-dir"), "there");
    assert_string_equal(stn_opts_instance(o), "default");
    assert_int_equal(stn_opts_operands(o), 2);
    assert_string_equal(stn_opts_operand(o, 1), "--b");
    stn_opts_free(o);
    assert_int_equal(stn_opts_parse(&spec, 3, wrong, &o), STN_OPTS_USAGE);
    assert_null(o);
}

static void backoff_doubles_within_its_bounds(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 40; n++) {
        int64_t full = n < 6 ? 100 * STN_MS << n : 5 * STN_S;
        int64_t wait;
        if (full > 5 * STN_S)
            full = 5 * STN_S;
        wait = stn_backoff_ns(n, 100 * STN_MS, 5 * STN_S, stn_random_u64());
        assert_in_range(wait, full / 2, full);
    }
}

static void repeated_conditions_are_said_at_powers_of_ten(void **state)
{
    stn_log_once once = {0};
    int said = 0;
    (void)state;
    for (int i = 0; i < 1000; i++)
        said += stn_log_due(&once);
    assert_int_equal(said, 4);
}

static void no_bytes_are_a_place_too(void **state)
{
    stn_buf b = {0};

    (void)state;
    assert_non_null(stn_buf_add(&b, 0));
    assert_false(b.failed);
    assert_int_equal(b.len, 0);
    stn_buf_fini(&b);
}

static void folders_are_where_the_environment_says(void **state)
{
    char out[64], *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    stn_err err = {0};
    (void)state;
    cache = cache ? strdup(cache) : NULL;
    home = home ? strdup(home) : NULL;
    setenv("HOME", "/home/u", 1);
    setenv("XDG_CACHE_HOME", "/c", 1);
    assert_int_equal(stn_folder(STN_FOLDER_CACHE, "data", out, sizeof out, &err), STN_OK);
    assert_string_equal(out, "/c/stenness/data");
    assert_int_equal(stn_folder(STN_FOLDER_CACHE, NULL, out, sizeof out, &err), STN_OK);
    assert_string_equal(out, "/c/stenness");
    setenv("XDG_CACHE_HOME", "relative", 1); /* such a value counts as none */
    assert_int_equal(stn_folder(STN_FOLDER_CACHE, "data", out, sizeof out, &err), STN_OK);
    assert_string_equal(out, "/home/u/.cache/stenness/data");
    assert_int_equal(stn_folder(STN_FOLDER_CACHE, "data", out, 10, &err), STN_TOO_BIG);
    assert_string_equal(out, "");
    unsetenv("HOME");
    assert_int_equal(stn_folder(STN_FOLDER_CACHE, "data", out, sizeof out, &err), STN_NOT_FOUND);
    assert_non_null(strstr(err.text, "XDG_CACHE_HOME"));
    unsetenv("XDG_CACHE_HOME");
    if (cache)
        setenv("XDG_CACHE_HOME", cache, 1);
    if (home)
        setenv("HOME", home, 1);
    free(cache);
    free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bytes_are_a_place_too),
        cmocka_unit_test(read_past_the_end_yields_zero_and_sticks),
        cmocka_unit_test(text_without_nul_is_refused),
        cmocka_unit_test(huge_take_does_not_wrap),
        cmocka_unit_test(buffer_writes_little_endian_and_obeys_its_ceiling),
        cmocka_unit_test(buffer_appends_formatted_text),
        cmocka_unit_test(arena_keeps_its_largest_block_and_ceiling),
        cmocka_unit_test(table_survives_random_puts_and_removals),
        cmocka_unit_test(names_are_copied_and_replaced),
        cmocka_unit_test(error_text_is_cut_and_prefixed),
        cmocka_unit_test(shown_text_hides_controls_and_bad_utf8),
        cmocka_unit_test(malformed_utf8_is_parted_as_the_reference_does),
        cmocka_unit_test(numbers_are_whole_strings_in_range),
        cmocka_unit_test(files_are_replaced_whole),
        cmocka_unit_test(flags_win_over_environment_and_defaults),
        cmocka_unit_test(backoff_doubles_within_its_bounds),
        cmocka_unit_test(repeated_conditions_are_said_at_powers_of_ten),
        cmocka_unit_test(folders_are_where_the_environment_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
