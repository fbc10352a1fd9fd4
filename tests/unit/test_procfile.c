#include "client/procfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void names_and_commands_are_read(void **state)
{
    stn_procfile p;
    stn_err err = {0};
    (void)state;
    assert_int_equal(
        stn_procfile_parse("# pieces\n\nworld: stenness-world --x 1 \r\nmesher-2:\tA=1 m", &p, &err), STN_OK);
    assert_int_equal(p.count, 2);
    assert_string_equal(p.pieces[0].name, "world");
    assert_string_equal(p.pieces[0].command, "stenness-world --x 1");
    assert_string_equal(p.pieces[1].name, "mesher-2");
    assert_string_equal(p.pieces[1].command, "A=1 m");
    stn_procfile_fini(&p);
}

static void bad_lines_are_named(void **state)
{
    static const struct {
        const char *text;
        stn_status want;
        const char *says;
    } cases[] = {
        {"", STN_BAD_DATA, "no piece"},
        {"# only\n", STN_BAD_DATA, "no piece"},
        {"a: x\nb\n", STN_BAD_DATA, "line 2"},
        {"a b: x", STN_BAD_DATA, "line 1"},
        {": x", STN_BAD_DATA, "line 1"},
        {"a:", STN_BAD_DATA, "line 1"},
        {"a: x\na: y", STN_BAD_DATA, "second piece"},
        {"abcdefghijabcdefghijabcdefghijab: x", STN_BAD_DATA, "line 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stn_procfile p;
        stn_err err = {0};
        assert_int_equal(stn_procfile_parse(cases[i].text, &p, &err), cases[i].want);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_int_equal(p.count, 0);
    }
}

static void too_many_pieces_are_refused(void **state)
{
    char text[70 * 8], *at = text;
    stn_procfile p;
    stn_err err = {0};
    (void)state;
    for (int i = 0; i < STN_PROCFILE_MAX + 1; i++)
        at += snprintf(at, 8, "p%d: x\n", i);
    assert_int_equal(stn_procfile_parse(text, &p, &err), STN_TOO_BIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_commands_are_read),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(too_many_pieces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
