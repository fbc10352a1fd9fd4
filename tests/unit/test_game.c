/* The widgets of a session: party, menus, hand-over to another server, and what a hostile one makes of them.
 */
#include "base/buf.h"
#include "res/values.h"
#include "session/wire.h"
#include "world/game.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIT 0.0107421875

/* ---- a server in a few lines */

typedef struct scene {
    stn_game *game;
    uint8_t sent[4096]; /* the last message to the server */
    size_t sent_len, n_sent;
    stn_hand_over hand;
    size_t n_hand, n_withdrawn, n_go;
} scene;

static void on_send(void *arg, uint8_t type, const uint8_t *data, size_t len)
{
    scene *s = arg;

    assert_int_equal(type, STN_RMSG_WDGMSG);
    assert_true(len <= sizeof s->sent);
    memcpy(s->sent, data, len);
    s->sent_len = len;
    s->n_sent++;
}

static void on_hand_over(void *arg, const stn_hand_over *to)
{
    scene *s = arg;

    if (!to) {
        s->n_withdrawn++;
        return;
    }
    s->hand = *to;
    s->n_hand++;
}

static void on_go(void *arg)
{
    ((scene *)arg)->n_go++;
}

static int setup(void **state)
{
    scene *s = calloc(1, sizeof *s);
    stn_game_hooks hooks = {.send = on_send, .hand_over = on_hand_over, .go = on_go, .arg = s};

    assert_non_null(s);
    s->game = stn_game_new(&hooks, NULL);
    assert_non_null(s->game);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;

    stn_game_free(s->game);
    free(s);
    return 0;
}

static stn_value num(int32_t v)
{
    return stn_value_int(v);
}

static stn_value place(int32_t x, int32_t y)
{
    return (stn_value){.kind = STN_VALUE_COORD, .u.coord = {x, y}};
}

static stn_status widget(scene *s, int32_t id, const char *type, int32_t parent, const stn_value *cargs,
                         uint32_t n)
{
    stn_buf b = {0};
    stn_status st;

    stn_buf_u32(&b, (uint32_t)id);
    stn_buf_cstr(&b, type);
    stn_buf_u32(&b, (uint32_t)parent);
    stn_buf_u8(&b, 0);
    assert_int_equal(stn_values_write(&b, &(stn_values){n, cargs}, false, NULL), STN_OK);
    st = stn_game_message(s->game, STN_RMSG_NEWWDG, b.data, b.len, 1.0, NULL);
    stn_buf_fini(&b);
    return st;
}

static stn_status say(scene *s, int32_t id, const char *name, const stn_value *args, uint32_t n)
{
    stn_buf b = {0};
    stn_status st;

    stn_buf_u32(&b, (uint32_t)id);
    stn_buf_cstr(&b, name);
    assert_int_equal(stn_values_write(&b, &(stn_values){n, args}, false, NULL), STN_OK);
    st = stn_game_message(s->game, STN_RMSG_WDGMSG, b.data, b.len, 1.0, NULL);
    stn_buf_fini(&b);
    return st;
}

static void destroy(scene *s, int32_t id)
{
    uint8_t data[4];

    stn_st32(data, (uint32_t)id);
    assert_int_equal(stn_game_message(s->game, STN_RMSG_DSTWDG, data, 4, 1.0, NULL), STN_OK);
}

/* The last message: its widget and name. */
static int32_t sent_to(const scene *s, const char **name)
{
    *name = (const char *)s->sent + 4;
    return (int32_t)stn_ld32(s->sent);
}

/* ---- party */

static void a_party_keeps_who_stays_and_forgets_who_goes(void **state)
{
    scene *s = *state;
    const stn_party *p = stn_game_party(s->game);
    uint32_t changes;

    assert_int_equal(widget(s, 3, "pv", 0, (stn_value[]){num(11)}, 1), STN_OK);
    assert_true(p->has_own);
    assert_int_equal(p->own, 11);
    assert_int_equal(say(s, 3, "list", (stn_value[]){num(11), num(-2), num(11), num(7)}, 4), STN_OK);
    assert_int_equal(p->n, 3); /* named twice is there once */
    assert_int_equal(p->members[1].id, 0xfffffffeu); /* ids are unsigned, whatever the int says */
    assert_int_equal(p->members[1].colour[3], 255);
    assert_false(p->has_leader);
    assert_int_equal(say(s, 3, "ldr", (stn_value[]){num(7)}, 1), STN_OK);
    assert_true(p->has_leader && p->leader == 7);
    assert_int_equal(say(s, 3, "pid", (stn_value[]){num(42)}, 1), STN_OK);
    assert_int_equal(p->id, 42);

    changes = p->changes;
    assert_int_equal(say(s, 3, "list", (stn_value[]){num(9), num(11), num(-2)}, 3), STN_OK);
    assert_true(p->changes != changes);
    assert_int_equal(p->n, 3);
    assert_int_equal(p->members[0].id, 11); /* in the order of joining, not of the list */
    assert_int_equal(p->members[1].id, 0xfffffffeu);
    assert_int_equal(p->members[2].id, 9);
    assert_false(p->has_leader); /* went with its member */
    assert_int_equal(say(s, 3, "ldr", (stn_value[]){num(7)}, 1), STN_OK);
    assert_false(p->has_leader);

    destroy(s, 3);
    assert_int_equal(p->n, 0);
    assert_int_equal(say(s, 3, "list", (stn_value[]){num(9)}, 1), STN_OK); /* of no widget: no harm */
    assert_int_equal(p->n, 0);
}

static void a_member_heads_the_way_it_went(void **state)
{
    scene *s = *state;
    const stn_party *p = stn_game_party(s->game);
    stn_value red = {.kind = STN_VALUE_COLOR, .u.color = {200, 10, 20, 255}}, nil = {.kind = STN_VALUE_NIL};
    double first;

    assert_int_equal(widget(s, 3, "pv", 0, NULL, 0), STN_OK);
    assert_false(p->has_own);
    assert_int_equal(say(s, 3, "list", (stn_value[]){num(5)}, 1), STN_OK);
    first = p->members[0].heading;
    assert_true(first >= 0.0 && first < 2.0 * M_PI);
    assert_int_equal(say(s, 3, "m", (stn_value[]){num(5), place(100, 200), red}, 3), STN_OK);
    assert_true(p->members[0].placed);
    assert_true(p->members[0].x == 100 * UNIT && p->members[0].y == 200 * UNIT);
    assert_true(p->members[0].heading == first); /* one place has no direction */
    assert_int_equal(p->members[0].colour[0], 200);
    assert_int_equal(say(s, 3, "m", (stn_value[]){num(5), place(100, 500)}, 2), STN_OK);
    assert_true(p->members[0].heading == M_PI / 2);
    assert_int_equal(p->members[0].colour[0], 200); /* not given: as it was */
    assert_int_equal(say(s, 3, "m", (stn_value[]){num(5), nil}, 2), STN_OK);
    assert_false(p->members[0].placed);
    assert_int_equal(say(s, 3, "m", (stn_value[]){num(6), place(1, 1)}, 2), STN_OK);
    assert_int_equal(p->n, 1); /* who is not of it is ignored */
}

static void a_malformed_party_message_changes_nothing(void **state)
{
    scene *s = *state;
    const stn_party *p = stn_game_party(s->game);
    stn_value many[STN_PARTY_MAX + 1], text = stn_value_text("x");

    assert_int_equal(widget(s, 3, "pv", 0, NULL, 0), STN_OK);
    assert_int_equal(say(s, 3, "list", (stn_value[]){num(5), num(6)}, 2), STN_OK);
    assert_int_equal(say(s, 3, "m", (stn_value[]){num(5), place(3, 4)}, 2), STN_OK);
    for (int32_t i = 0; i <= STN_PARTY_MAX; i++)
        many[i] = num(i);
    assert_int_equal(say(s, 3, "list", many, STN_PARTY_MAX + 1), STN_TOO_BIG);
    assert_true(say(s, 3, "list", (stn_value[]){num(1), text}, 2) != STN_OK);
    assert_true(say(s, 3, "m", (stn_value[]){num(5), text}, 2) != STN_OK);
    assert_true(say(s, 3, "m", (stn_value[]){num(5), place(9, 9), text}, 3) != STN_OK);
    assert_true(say(s, 3, "ldr", NULL, 0) != STN_OK);
    assert_true(say(s, 3, "pid", NULL, 0) != STN_OK);
    assert_int_equal(say(s, 3, "dance", NULL, 0), STN_OK); /* unknown ones do no harm */
    assert_int_equal(p->n, 2);
    assert_true(p->members[0].x == 3 * UNIT);
    assert_int_equal(say(s, 3, "list", many, STN_PARTY_MAX), STN_OK);
    assert_int_equal(p->n, STN_PARTY_MAX);
}

/* ---- menus */

static void a_menu_is_answered_once(void **state)
{
    scene *s = *state;
    const stn_menu *m = stn_game_menu(s->game);
    stn_click click = {.button = 3, .part = -1, .has_object = true, .object = 77};
    stn_value options[] = {stn_value_text("Open"), stn_value_text("two\nlines\xff")};
    const char *name;
    uint32_t number;

    assert_int_equal(widget(s, 2, "mapview", 0, NULL, 0), STN_OK);
    assert_int_equal(stn_game_click(s->game, &click, NULL), STN_OK);
    assert_int_equal(m->number, 0);
    assert_int_equal(stn_game_choose(s->game, 0, 0, 0, NULL), STN_AGAIN);
    assert_int_equal(widget(s, 100, "sm", 0, options, 2), STN_OK);
    assert_true(m->number != 0);
    assert_int_equal(m->object, 77);
    assert_int_equal(m->n, 2);
    assert_string_equal(m->options[0], "Open");
    assert_null(strpbrk(m->options[1], "\n\xff"));
    number = m->number;
    assert_int_equal(stn_game_choose(s->game, number, 2, 0, NULL), STN_BAD_DATA);
    assert_int_equal(stn_game_choose(s->game, number + 1, 0, 0, NULL), STN_AGAIN);
    assert_int_equal(stn_game_choose(s->game, number, 1, 3, NULL), STN_OK);
    assert_int_equal(sent_to(s, &name), 100);
    assert_string_equal(name, "cl");
    /* Both values, in the shortest form: tag 4 and a byte each. */
    assert_int_equal(s->sent_len, 4 + 3 + 4);
    assert_memory_equal(s->sent + 7, "\4\1\4\3", 4);
    assert_int_equal(m->number, 0);
    assert_int_equal(stn_game_choose(s->game, number, 0, 0, NULL), STN_AGAIN);
}

static void a_menu_ends_in_every_way(void **state)
{
    static const char *const ends[] = {"act", "cancel"};
    scene *s = *state;
    const stn_menu *m = stn_game_menu(s->game);
    stn_value option = stn_value_text("Open"), many[STN_MENU_OPTIONS + 1];
    const char *name;
    uint32_t last = 0;

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(widget(s, 100, "sm", 0, &option, 1), STN_OK);
        assert_true(m->number > last);
        last = m->number;
        assert_int_equal(m->object, -1);
        assert_int_equal(say(s, 100, ends[i], (stn_value[]){num(0)}, 1), STN_OK);
        assert_int_equal(m->number, 0);
    }
    assert_int_equal(widget(s, 101, "sm", 0, &option, 1), STN_OK);
    destroy(s, 101);
    assert_int_equal(m->number, 0);
    /* Below another that goes. */
    assert_int_equal(widget(s, 50, "wnd", 0, NULL, 0), STN_OK);
    assert_int_equal(widget(s, 102, "sm", 50, &option, 1), STN_OK);
    destroy(s, 50);
    assert_int_equal(m->number, 0);
    /* Its number is used for something else. */
    assert_int_equal(widget(s, 103, "sm", 0, &option, 1), STN_OK);
    assert_int_equal(widget(s, 103, "wnd", 0, NULL, 0), STN_OK);
    assert_int_equal(m->number, 0);
    /* The person does not want any. */
    assert_int_equal(widget(s, 104, "sm", 0, &option, 1), STN_OK);
    assert_int_equal(stn_game_choose(s->game, m->number, -1, 1, NULL), STN_OK);
    assert_int_equal(sent_to(s, &name), 104);
    assert_memory_equal(s->sent + 7, "\11\377", 2); /* -1, alone */
    assert_int_equal(s->sent_len, 4 + 3 + 2);
    for (size_t i = 0; i <= STN_MENU_OPTIONS; i++)
        many[i] = option;
    assert_int_equal(widget(s, 105, "sm", 0, many, STN_MENU_OPTIONS + 1), STN_TOO_BIG);
    assert_int_equal(m->number, 0);
    assert_true(widget(s, 106, "sm", 0, (stn_value[]){num(4)}, 1) != STN_OK);
    assert_int_equal(m->number, 0);
    assert_int_equal(widget(s, 107, "sm", 0, many, STN_MENU_OPTIONS), STN_OK);
    assert_int_equal(m->n, STN_MENU_OPTIONS);
}

/* ---- placing */

static stn_value bytes(const void *data, uint32_t len)
{
    return (stn_value){.kind = STN_VALUE_BYTES, .len = len, .u.bytes = data};
}

static stn_value named(const char *name, int32_t version)
{
    return (stn_value){.kind = STN_VALUE_RES, .u.res = {name, version}};
}

static void a_thing_is_placed_by_its_number(void **state)
{
    scene *s = *state;
    const stn_ghost *g = stn_game_ghost(s->game);
    stn_putting p = {.x = 5.5, .y = -16.5, .angle = -M_PI / 2, .button = 1, .modifiers = 2};
    const char *name;
    uint32_t number;

    assert_int_equal(widget(s, 2, "mapview", 0, NULL, 0), STN_OK);
    assert_int_equal(g->number, 0);
    assert_int_equal(stn_game_put(s->game, 0, &p, NULL), STN_AGAIN);
    assert_int_equal(
        say(s, 2, "place",
            (stn_value[]){num(40), bytes("\1\2", 2), named("gfx/sign", 3), num(9), bytes("x", 1)}, 5),
        STN_OK);
    assert_true(g->number != 0);
    assert_string_equal(g->body.name, "");
    assert_int_equal(g->body.resid, 40);
    assert_int_equal(g->body.sdt_len, 2);
    assert_memory_equal(g->body.sdt, "\1\2", 2);
    assert_int_equal(g->n_overlays, 2);
    assert_string_equal(g->overlays[0].name, "gfx/sign");
    assert_int_equal(g->overlays[0].version, 3);
    assert_int_equal(g->overlays[0].sdt_len, 0);
    assert_int_equal(g->overlays[1].resid, 9);
    assert_int_equal(g->overlays[1].sdt_len, 1);
    number = g->number;
    assert_int_equal(stn_game_put(s->game, number + 1, &p, NULL), STN_AGAIN);
    assert_int_equal(stn_game_put(s->game, number, &p, NULL), STN_OK);
    assert_int_equal(sent_to(s, &name), 2);
    assert_string_equal(name, "place");
    /* The middle of tile 0, -2 in position units, a quarter of a turn back, button 1 with Ctrl. */
    assert_int_equal(s->sent_len, 4 + 6 + 9 + 3 + 2 + 2);
    assert_memory_equal(s->sent + 10, "\3\0\2\0\0\0\372\377\377\12\0\300\4\1\4\2", 16);
    assert_int_equal(g->number, number); /* the server ends it */
    assert_int_equal(say(s, 2, "unplace", NULL, 0), STN_OK);
    assert_int_equal(g->number, 0);
    assert_int_equal(stn_game_put(s->game, number, &p, NULL), STN_AGAIN);
    assert_int_equal(say(s, 2, "place", (stn_value[]){num(41)}, 1), STN_OK);
    assert_true(g->number > number);
    assert_int_equal(g->n_overlays, 0);
    destroy(s, 2);
    assert_int_equal(g->number, 0);
}

static void angles_are_rounded_as_the_reference_does(void **state)
{
    static const struct {
        double angle;
        const char *bytes;
        size_t len;
    } cases[] = {
        {0.0, "\4\0", 2},
        {M_PI, "\5\0\200", 3}, /* 32768 */
        {-M_PI, "\12\0\200", 3}, /* -32768 */
        {M_PI * 10.5 / 32768, "\4\13", 2}, /* halves go up … */
        {-M_PI * 10.5 / 32768, "\11\366", 2}, /* … below zero too: -10 */
    };
    scene *s = *state;

    assert_int_equal(widget(s, 2, "mapview", 0, NULL, 0), STN_OK);
    assert_int_equal(say(s, 2, "place", (stn_value[]){num(40)}, 1), STN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stn_putting p = {.angle = cases[i].angle, .button = 1};

        assert_int_equal(stn_game_put(s->game, stn_game_ghost(s->game)->number, &p, NULL), STN_OK);
        assert_int_equal(s->sent_len, 4 + 6 + 9 + cases[i].len + 4);
        assert_memory_equal(s->sent + 19, cases[i].bytes, cases[i].len);
    }
}

static void what_cannot_be_placed_is_refused(void **state)
{
    static uint8_t much[STN_GHOST_SDT + 1];
    static char longest[200];
    scene *s = *state;
    const stn_ghost *g = stn_game_ghost(s->game);
    stn_value many[STN_GHOST_OVERLAYS + 2];
    struct {
        stn_value args[2];
        uint32_t n;
        stn_status want;
    } bad[] = {
        {{{0}}, 0, STN_BAD_DATA},
        {{{.kind = STN_VALUE_NIL}}, 1, STN_BAD_DATA},
        {{num(-1)}, 1, STN_BAD_DATA},
        {{num(65535)}, 1, STN_BAD_DATA},
        {{stn_value_text("gfx/sign")}, 1, STN_BAD_DATA},
        {{bytes("x", 1)}, 1, STN_BAD_DATA}, /* a state of nothing */
        {{named("", 1)}, 1, STN_TOO_BIG},
        {{named(longest, 1)}, 1, STN_TOO_BIG},
        {{named("\xff", 1)}, 1, STN_TOO_BIG},
        {{num(40), bytes(much, sizeof much)}, 2, STN_TOO_BIG},
        {{num(40), {.kind = STN_VALUE_NIL}}, 2, STN_BAD_DATA},
    };
    stn_putting p[] = {{.x = NAN}, {.y = INFINITY}, {.angle = NAN}, {.angle = 7.0}};
    size_t sent;

    memset(longest, 'x', sizeof longest - 1);
    assert_int_equal(widget(s, 2, "mapview", 0, NULL, 0), STN_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(say(s, 2, "place", (stn_value[]){num(40)}, 1), STN_OK);
        assert_true(g->number != 0);
        assert_int_equal(say(s, 2, "place", bad[i].args, bad[i].n), bad[i].want);
        assert_int_equal(g->number, 0); /* what was there before it is over in any case */
    }
    for (size_t i = 0; i < STN_GHOST_OVERLAYS + 2; i++)
        many[i] = num((int32_t)i);
    assert_int_equal(say(s, 2, "place", many, STN_GHOST_OVERLAYS + 2), STN_TOO_BIG);
    assert_int_equal(say(s, 2, "place", many, STN_GHOST_OVERLAYS + 1), STN_OK);
    sent = s->n_sent;
    for (size_t i = 0; i < sizeof p / sizeof p[0]; i++)
        assert_int_equal(stn_game_put(s->game, g->number, &p[i], NULL), STN_BAD_DATA);
    assert_int_equal(s->n_sent, sent);
}

/* ---- hand-over */

static void a_hand_over_is_read_answered_and_gone_through(void **state)
{
    scene *s = *state;
    stn_value bytes = {.kind = STN_VALUE_BYTES, .len = 3, .u.bytes = (const uint8_t *)"\1\2\377"};
    const char *name;

    assert_int_equal(widget(s, 200, "sess", 0,
                            (stn_value[]){stn_value_text("there.example"), num(1870), bytes, num(5)}, 4),
                     STN_OK);
    assert_int_equal(s->n_hand, 1);
    assert_int_equal(s->hand.widget, 200);
    assert_string_equal(s->hand.host, "there.example");
    assert_int_equal(s->hand.port, 1870);
    assert_int_equal(s->hand.cookie_len, 3);
    assert_memory_equal(s->hand.cookie, "\1\2\377", 3);
    assert_int_equal(s->hand.args_len, 2);
    assert_memory_equal(s->hand.args, "\4\5", 2);
    stn_game_handed(s->game, 199, 0); /* the answer to one that is gone is not sent */
    assert_int_equal(s->n_sent, 0);
    stn_game_handed(s->game, 200, 0);
    assert_int_equal(sent_to(s, &name), 200);
    assert_string_equal(name, "res");
    assert_memory_equal(s->sent + 8, "\4\0", 2);
    assert_int_equal(s->n_go, 0);
    assert_int_equal(say(s, 200, "exec", NULL, 0), STN_OK);
    assert_int_equal(s->n_go, 1);
    assert_int_equal(s->n_withdrawn, 0);
}

static void a_hand_over_is_taken_back(void **state)
{
    scene *s = *state;
    stn_value args[] = {stn_value_text("h"), num(1), stn_value_text("0aFf")};

    assert_int_equal(widget(s, 200, "sess", 0, args, 3), STN_OK);
    assert_int_equal(s->hand.cookie_len, 2); /* hex digits of any case */
    assert_memory_equal(s->hand.cookie, "\x0a\xff", 2);
    destroy(s, 200);
    assert_int_equal(s->n_withdrawn, 1);
    assert_int_equal(widget(s, 201, "sess", 0, args, 3), STN_OK);
    assert_int_equal(widget(s, 202, "sess", 0, args, 3), STN_OK); /* the newest counts */
    assert_int_equal(s->n_withdrawn, 2);
    assert_int_equal(say(s, 201, "exec", NULL, 0), STN_OK);
    assert_int_equal(s->n_go, 0);
    destroy(s, 201);
    assert_int_equal(s->n_withdrawn, 2);
}

static void a_senseless_hand_over_goes_nowhere(void **state)
{
    scene *s = *state;
    static char long_host[STN_HAND_HOST + 1], long_cookie[2 * STN_COOKIE_MAX + 3];
    stn_value host = stn_value_text("h"), cookie = stn_value_text("00");
    stn_value bytes = {
        .kind = STN_VALUE_BYTES, .len = STN_COOKIE_MAX + 1, .u.bytes = (const uint8_t *)long_cookie};

    memset(long_host, 'h', sizeof long_host - 1);
    memset(long_cookie, '0', sizeof long_cookie - 1);
    assert_true(widget(s, 1, "sess", 0, NULL, 0) != STN_OK);
    assert_true(widget(s, 2, "sess", 0, (stn_value[]){host, num(5)}, 2) != STN_OK);
    assert_true(widget(s, 3, "sess", 0, (stn_value[]){host, num(0), cookie}, 3) != STN_OK);
    assert_true(widget(s, 4, "sess", 0, (stn_value[]){host, num(65536), cookie}, 3) != STN_OK);
    assert_true(widget(s, 5, "sess", 0, (stn_value[]){stn_value_text(""), num(5), cookie}, 3) != STN_OK);
    assert_true(widget(s, 6, "sess", 0, (stn_value[]){stn_value_text(long_host), num(5), cookie}, 3) !=
                STN_OK);
    assert_true(widget(s, 7, "sess", 0, (stn_value[]){host, num(5), stn_value_text("0")}, 3) != STN_OK);
    assert_true(widget(s, 8, "sess", 0, (stn_value[]){host, num(5), stn_value_text("0g")}, 3) != STN_OK);
    assert_true(widget(s, 9, "sess", 0, (stn_value[]){host, num(5), stn_value_text(long_cookie)}, 3) !=
                STN_OK);
    assert_true(widget(s, 10, "sess", 0, (stn_value[]){host, num(5), bytes}, 3) != STN_OK);
    assert_true(widget(s, 11, "sess", 0, (stn_value[]){host, num(5), num(1)}, 3) != STN_OK);
    assert_int_equal(s->n_hand, 0);
    assert_int_equal(say(s, 11, "exec", NULL, 0), STN_OK);
    assert_int_equal(s->n_go, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_party_keeps_who_stays_and_forgets_who_goes),
        CASE(a_member_heads_the_way_it_went),
        CASE(a_malformed_party_message_changes_nothing),
        CASE(a_menu_is_answered_once),
        CASE(a_menu_ends_in_every_way),
        CASE(a_thing_is_placed_by_its_number),
        CASE(angles_are_rounded_as_the_reference_does),
        CASE(what_cannot_be_placed_is_refused),
        CASE(a_hand_over_is_read_answered_and_gone_through),
        CASE(a_hand_over_is_taken_back),
        CASE(a_senseless_hand_over_goes_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
