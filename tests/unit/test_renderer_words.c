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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_menu_keeps_whole_options_only),
        cmocka_unit_test(the_party_is_shown_without_oneself_and_who_has_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
