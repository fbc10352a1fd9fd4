/* What the HUD is told in words. */
#include "renderer/build/words.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <string.h>

static void a_menu_keeps_whole_options_only(void **state)
{
    char one[] = "Open", two[] = "Look at", big[STN_JOB_TEXT];
    char *options[] = {one, two, big, one};
    Stenness__Menu m = STENNESS__MENU__INIT;
    stn_job_text out = {0};

    (void)state;
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    m.object = 7;
    m.number = 3;
    m.options = options;
    m.n_options = 4;
    stn_words_menu(&m, &out);
    assert_int_equal(out.id, 7);
    assert_int_equal(out.menu, 3);
    assert_int_equal(out.options, 2);
    assert_string_equal(out.text, "Open\nLook at");
    m.closed = true;
    out = (stn_job_text){0};
    stn_words_menu(&m, &out);
    assert_int_equal(out.menu, 0);
    assert_string_equal(out.text, "");
    stn_words_menu(NULL, &out);
    assert_int_equal(out.menu, 0);
}

static void the_party_is_shown_without_oneself_and_who_has_no_place(void **state)
{
    int64_t ids[] = {1, 2, 3, 4};
    double x[] = {10, 20, NAN, 40}, y[] = {11, 21, 31, 41};
    protobuf_c_boolean placed[] = {1, 1, 1, 0};
    uint32_t colours[] = {0xff000000, 0x00ff00ff, 0, 0};
    Stenness__Global g = STENNESS__GLOBAL__INIT;
    stn_job_facts out = {.party_count = 9};

    (void)state;
    g.party_ids = ids;
    g.party_x = x;
    g.party_y = y;
    g.party_placed = placed;
    g.party_colours = colours;
    g.n_party_ids = g.n_party_x = g.n_party_y = g.n_party_placed = g.n_party_colours = 4;
    g.party_own = 2;
    g.party_leader = 1;
    stn_words_party(&g, &out);
    assert_int_equal(out.party_count, 1);
    assert_true(out.party[0].x == 10 && out.party[0].y == 11 && out.party[0].leads);
    assert_int_equal(out.party[0].colour, 0xff0000ff); /* always to be seen */
    g.n_party_y = 0; /* lists of unequal length: the shortest counts */
    stn_words_party(&g, &out);
    assert_int_equal(out.party_count, 0);
}

/* The attribute's bytes: a name with its NUL, group and type. */
static bool name_of(const char *text, uint8_t group, stn_job_name *out)
{
    uint8_t data[2048];
    size_t n = strlen(text) + 1;

    assert_true(n + 2 <= sizeof data);
    memcpy(data, text, n);
    data[n] = group;
    data[n + 1] = 5;
    return stn_words_name(data, n + 2, out);
}

static void a_name_is_read(void **state)
{
    stn_job_name n = {.id = 3};

    (void)state;
    assert_true(name_of("Þóra", 2, &n));
    assert_string_equal(n.text, "Þóra");
    assert_int_equal(n.group, 2);
    assert_int_equal(n.type, 5);
    assert_int_equal(n.id, 3);
    assert_true(name_of("x", STN_NAME_GROUPS, &n));
    assert_int_equal(n.group, 0); /* no such group: as if it were in none */
    assert_true(stn_words_name((const uint8_t *)"", 1, &n)); /* it has none any more */
    assert_string_equal(n.text, "");
}

static void a_name_that_ends_early_is_none(void **state)
{
    static const uint8_t data[] = {'a', 'b', 0, 1, 0};
    stn_job_name n;

    (void)state;
    for (size_t len = 0; len < sizeof data; len++) {
        memset(&n, 0x55, sizeof n);
        assert_false(stn_words_name(data, len, &n));
        assert_string_equal(n.text, "");
        assert_int_equal(n.group, 0);
    }
    assert_true(stn_words_name(data, sizeof data, &n));
}

static void a_hostile_name_is_made_fit_to_be_drawn(void **state)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"  two \t\r\n words  ", "two words"},
        {"\x01\x1f\x7f\xc2\x85", ""}, /* controls alone */
        {"a\xff\xc3z", "a\xef\xbf\xbd\xef\xbf\xbdz"}, /* not UTF-8 */
        {"a\xed\xa0\x80z", "a\xef\xbf\xbdz"}, /* a surrogate */
        {"\xe2\x80\xae"
         "evil\xe2\x80\xac\xe2\x80\x8b",
         "evil"}, /* turned about, and joined to nothing */
        {"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
         "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"}, /* right to left: as it comes */
        {"\xe3\x80\x80\xc2\xa0", ""}, /* blanks of other kinds */
    };
    char big[1500];
    stn_job_name n;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(name_of(cases[i].in, 0, &n));
        assert_string_equal(n.text, cases[i].out);
    }
    /* As many characters as there may be, of the longest kind; one more is a mark in its place. */
    for (size_t i = 0; i <= STN_NAME_CHARACTERS; i++)
        memcpy(big + 4 * i, "\xf0\x9f\x90\xa6", 4);
    big[4 * STN_NAME_CHARACTERS] = '\0';
    assert_true(name_of(big, 0, &n));
    assert_int_equal(strlen(n.text), 4 * STN_NAME_CHARACTERS);
    big[4 * STN_NAME_CHARACTERS] = '\xf0';
    big[4 * STN_NAME_CHARACTERS + 4] = '\0';
    assert_true(name_of(big, 0, &n));
    assert_int_equal(strlen(n.text), STN_NAME_BYTES - 1);
    assert_string_equal(n.text + 4 * STN_NAME_CHARACTERS, "\xe2\x80\xa6");
    memset(big, 'w', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    assert_true(name_of(big, 0, &n));
    assert_int_equal(strlen(n.text), STN_NAME_CHARACTERS + 3);
    /* A blank counts as the character that it is. */
    for (size_t i = 0; i + 1 < sizeof big; i += 2)
        big[i] = ' ';
    assert_true(name_of(big, 0, &n));
    assert_true(strlen(n.text) <= STN_NAME_CHARACTERS + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_menu_keeps_whole_options_only),
        cmocka_unit_test(the_party_is_shown_without_oneself_and_who_has_no_place),
        cmocka_unit_test(a_name_is_read),
        cmocka_unit_test(a_name_that_ends_early_is_none),
        cmocka_unit_test(a_hostile_name_is_made_fit_to_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
