/* SDL events through the physical and the logical layer, for every default binding and for changed ones. */
#include "renderer/hud/panel.h"
#include "renderer/input/sdl_source.h"

#include <SDL.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static int fired[STN_ACTIONS];

static void count(void *arg, const stn_two *states, double tpf)
{
    (void)states;
    (void)tpf;
    (*(int *)arg)++;
}

struct rig {
    stn_sdl_source *source;
    stn_physical physical;
    stn_logical *logical;
};

static void rig_up(struct rig *r, const stn_bindings *b)
{
    stn_input_source s;

    r->source = stn_sdl_source_new();
    r->logical = stn_logical_new();
    s = stn_sdl_source_as_input(r->source);
    stn_physical_init(&r->physical, &s);
    assert_int_equal(stn_logical_listen(r->logical, &r->physical, NULL), STN_OK);
    memset(fired, 0, sizeof fired);
    for (int i = 0; i < STN_ACTIONS; i++) {
        int c = stn_binding_condition(&b->of[i], r->logical);

        if (c >= 0)
            assert_int_equal(
                stn_logical_trigger(r->logical, stn_action_name((stn_action)i), c, count, &fired[i], NULL),
                STN_OK);
    }
}

static void rig_down(struct rig *r)
{
    stn_logical_free(r->logical);
    stn_sdl_source_free(r->source);
}

static void key(SDL_Scancode code, bool down)
{
    SDL_Event e = {.type = down ? SDL_KEYDOWN : SDL_KEYUP};

    e.key.keysym.scancode = code;
    e.key.state = down ? SDL_PRESSED : SDL_RELEASED;
    SDL_PushEvent(&e);
}

static void frame(struct rig *r)
{
    bool closed;

    stn_sdl_source_pump(r->source, &closed);
    stn_logical_check(r->logical, 1.0 / 60.0);
}

static void press(struct rig *r, const stn_binding *b)
{
    if (b->modifiers & STN_MOD_SHIFT)
        key(SDL_SCANCODE_LSHIFT, true);
    if (b->modifiers & STN_MOD_CTRL)
        key(SDL_SCANCODE_RCTRL, true);
    if (b->modifiers & STN_MOD_ALT)
        key(SDL_SCANCODE_LALT, true);
    key((SDL_Scancode)b->key, true);
    key((SDL_Scancode)b->key, false); /* within one frame: no press is lost */
    key(SDL_SCANCODE_LSHIFT, false);
    key(SDL_SCANCODE_RCTRL, false);
    key(SDL_SCANCODE_LALT, false);
    frame(r);
}

static void every_default_binding_fires_its_action_alone(void **state)
{
    stn_bindings b;

    (void)state;
    stn_bindings_default(&b);
    for (int i = 0; i < STN_ACTIONS; i++) {
        struct rig r;

        rig_up(&r, &b);
        press(&r, &b.of[i]);
        for (int k = 0; k < STN_ACTIONS; k++)
            assert_int_equal(fired[k], k == i ? 1 : 0);
        rig_down(&r);
    }
}

static void a_changed_binding_moves_the_action(void **state)
{
    stn_bindings b;
    stn_binding old;
    struct rig r;
    char text[48];

    (void)state;
    stn_bindings_default(&b);
    old = b.of[STN_ACTION_HELP];
    assert_int_equal(stn_bindings_change(&b, "help=Ctrl+Shift+F2,shot=none", NULL), STN_OK);
    assert_string_equal(stn_binding_text(&b.of[STN_ACTION_HELP], text), "Shift+Ctrl+F2");
    assert_string_equal(stn_binding_text(&b.of[STN_ACTION_SHOT], text), "");
    rig_up(&r, &b);
    press(&r, &old);
    assert_int_equal(fired[STN_ACTION_HELP], 0);
    press(&r, &(stn_binding){SDL_SCANCODE_F2, STN_MOD_CTRL}); /* a modifier is missing */
    assert_int_equal(fired[STN_ACTION_HELP], 0);
    press(&r, &b.of[STN_ACTION_HELP]);
    assert_int_equal(fired[STN_ACTION_HELP], 1);
    press(&r, &(stn_binding){SDL_SCANCODE_F12, 0});
    assert_int_equal(fired[STN_ACTION_SHOT], 0);
    rig_down(&r);
}

/* --- a key that is chosen in the settings panel --- */

struct chooser {
    struct rig rig;
    stn_bindings bindings;
    stn_hud_settings settings;
    stn_panel panel;
    stn_panel_change last;
};

static void show_panel(void *arg, const stn_two *states, double tpf)
{
    struct chooser *c = arg;
    stn_panel_change now = stn_panel_keys(&c->panel, &c->settings, &c->bindings, states);

    (void)tpf;
    if (now != STN_PANEL_NOTHING)
        c->last = now;
}

static struct chooser *acting;

static void act(void *arg, const stn_two *states, double tpf)
{
    if (acting->panel.taken != states->cur->seq)
        count(arg, states, tpf);
}

/* The triggers as they are made of the bindings, the panel's first. */
static void bind_all(struct chooser *c)
{
    stn_logical_clear(c->rig.logical);
    stn_logical_trigger(c->rig.logical, "panel", stn_pred_plain(c->rig.logical, STN_PRED_KEYS), show_panel, c,
                        NULL);
    for (int i = 0; i < STN_ACTIONS; i++) {
        int condition = stn_binding_condition(&c->bindings.of[i], c->rig.logical);

        if (condition >= 0)
            assert_int_equal(stn_logical_trigger(c->rig.logical, stn_action_name((stn_action)i), condition,
                                                 act, &fired[i], NULL),
                             STN_OK);
    }
}

static void tap(struct chooser *c, SDL_Scancode code, uint8_t modifiers)
{
    press(&c->rig, &(stn_binding){(uint16_t)code, modifiers});
    if (c->last == STN_PANEL_BINDING)
        bind_all(c);
    c->last = STN_PANEL_NOTHING;
}

static void chooser_up(struct chooser *c)
{
    memset(c, 0, sizeof *c);
    c->settings.fov = STN_HUD_FOV;
    stn_bindings_default(&c->bindings);
    rig_up(&c->rig, &c->bindings);
    acting = c;
    bind_all(c);
}

static void a_key_chosen_in_the_panel_moves_the_action(void **state)
{
    struct chooser c;
    char text[800];

    (void)state;
    chooser_up(&c);
    c.panel.open = true;
    for (int i = 0; i < STN_PANEL_SETTINGS + STN_ACTION_HELP; i++)
        tap(&c, SDL_SCANCODE_DOWN, 0);
    assert_int_equal(fired[STN_ACTION_CAMERA_OUT], 0); /* the arrows are the panel's while it is open */
    tap(&c, SDL_SCANCODE_RETURN, 0);
    assert_true(c.panel.waiting);
    assert_int_equal(fired[STN_ACTION_CHAT], 0);
    key(SDL_SCANCODE_LCTRL, true); /* a modifier alone is no key */
    key(SDL_SCANCODE_LCTRL, false);
    frame(&c.rig);
    assert_true(c.panel.waiting);
    tap(&c, SDL_SCANCODE_M, STN_MOD_CTRL | STN_MOD_SHIFT);
    assert_false(c.panel.waiting);
    assert_int_equal(fired[STN_ACTION_HELP], 0); /* choosing is not doing */
    c.panel.open = false;
    tap(&c, SDL_SCANCODE_F1, 0);
    assert_int_equal(fired[STN_ACTION_HELP], 0);
    tap(&c, SDL_SCANCODE_M, STN_MOD_CTRL | STN_MOD_SHIFT);
    assert_int_equal(fired[STN_ACTION_HELP], 1);
    assert_true(stn_bindings_text(&c.bindings, text, sizeof text));
    assert_string_equal(text, "help=Shift+Ctrl+M");
    rig_down(&c.rig);
}

static void a_key_in_use_changes_hands_and_can_be_given_back_or_taken_away(void **state)
{
    struct chooser c;
    stn_bindings first;

    (void)state;
    stn_bindings_default(&first);
    chooser_up(&c);
    c.panel.open = true;
    c.panel.row = STN_PANEL_SETTINGS + STN_ACTION_SHOT;
    tap(&c, SDL_SCANCODE_RETURN, 0);
    tap(&c, SDL_SCANCODE_F11, 0);
    assert_int_equal(c.bindings.of[STN_ACTION_SHOT].key, SDL_SCANCODE_F11);
    assert_int_equal(c.bindings.of[STN_ACTION_FULLSCREEN].key, 0);
    tap(&c, SDL_SCANCODE_F11, 0);
    assert_int_equal(fired[STN_ACTION_SHOT], 1);
    assert_int_equal(fired[STN_ACTION_FULLSCREEN], 0);
    tap(&c, SDL_SCANCODE_LEFT, 0); /* its first key again */
    assert_int_equal(c.bindings.of[STN_ACTION_SHOT].key, first.of[STN_ACTION_SHOT].key);
    tap(&c, SDL_SCANCODE_RETURN, 0);
    tap(&c, SDL_SCANCODE_ESCAPE, 0); /* left as it was */
    assert_int_equal(c.bindings.of[STN_ACTION_SHOT].key, first.of[STN_ACTION_SHOT].key);
    tap(&c, SDL_SCANCODE_RETURN, 0);
    tap(&c, SDL_SCANCODE_BACKSPACE, 0);
    assert_int_equal(c.bindings.of[STN_ACTION_SHOT].key, 0);
    rig_down(&c.rig);
}

static void bindings_that_are_written_are_read_back(void **state)
{
    (void)state;
    for (uint16_t code = 4; code < 232; code++) {
        stn_bindings b, again;
        char text[800];

        stn_bindings_default(&b);
        stn_bindings_default(&again);
        stn_bindings_bind(&b, STN_ACTION_LINE, (stn_binding){code, STN_MOD_ALT});
        assert_true(stn_bindings_text(&b, text, sizeof text));
        assert_int_equal(stn_bindings_change(&again, text, NULL), STN_OK);
        assert_int_equal(again.of[STN_ACTION_LINE].key, code);
        assert_int_equal(again.of[STN_ACTION_LINE].modifiers, STN_MOD_ALT);
    }
}

static void every_row_of_the_panel_says_what_it_is_and_changes(void **state)
{
    struct chooser c;

    (void)state;
    chooser_up(&c);
    for (int row = 0; row < STN_PANEL_ROWS; row++) {
        char name[STN_PANEL_TEXT], before[STN_PANEL_TEXT], after[STN_PANEL_TEXT];

        stn_panel_text(&c.panel, &c.settings, &c.bindings, row, name, before);
        assert_true(name[0] != '\0' && before[0] != '\0');
        stn_panel_step(&c.panel, &c.settings, &c.bindings, row, 1);
        stn_panel_text(&c.panel, &c.settings, &c.bindings, row, name, after);
        assert_string_not_equal(before, after);
        c.panel.waiting = false;
    }
    assert_int_equal(stn_panel_step(&c.panel, &c.settings, &c.bindings, STN_PANEL_ROWS, 1),
                     STN_PANEL_NOTHING);
    assert_int_equal(stn_panel_step(&c.panel, &c.settings, &c.bindings, -1, 1), STN_PANEL_NOTHING);
    rig_down(&c.rig);
}

static void unknown_actions_and_keys_are_named(void **state)
{
    stn_bindings b;
    stn_err err = {0};

    (void)state;
    stn_bindings_default(&b);
    assert_int_equal(stn_bindings_change(&b, "fly=F2", &err), STN_USAGE);
    assert_non_null(strstr(err.text, "fly"));
    assert_int_equal(stn_bindings_change(&b, "help=Hyper+F2", &err), STN_USAGE);
    assert_int_equal(stn_bindings_change(&b, "help=NoSuchKey", &err), STN_USAGE);
    assert_non_null(strstr(err.text, "NoSuchKey"));
    assert_int_equal(stn_bindings_change(&b, "help", &err), STN_USAGE);
}

static int clicks;

static void clicked(void *arg, const stn_two *s, double tpf)
{
    (void)arg;
    (void)tpf;
    clicks = s->cur->mouse.x * 1000 + s->cur->mouse.y;
}

static void a_click_is_told_with_its_place(void **state)
{
    stn_bindings none = {0};
    struct rig r;
    SDL_Event e = {.type = SDL_MOUSEBUTTONDOWN};

    (void)state;
    rig_up(&r, &none);
    assert_int_equal(stn_logical_trigger(r.logical, "click",
                                         stn_pred_button(r.logical, STN_PRED_CLICKED, STN_BUTTON_LEFT, 1),
                                         clicked, NULL, NULL),
                     STN_OK);
    e.button.button = SDL_BUTTON_LEFT;
    e.button.state = SDL_PRESSED;
    e.button.x = 40;
    e.button.y = 7;
    e.button.timestamp = 1000;
    SDL_PushEvent(&e);
    e.type = SDL_MOUSEBUTTONUP;
    e.button.state = SDL_RELEASED;
    e.button.timestamp = 1100;
    SDL_PushEvent(&e);
    clicks = 0;
    frame(&r);
    /* Events of a source get their own time stamps when they are pushed: what counts is that both came. */
    assert_int_equal(clicks, 40007);
    rig_down(&r);
}

static void losing_the_focus_releases_everything(void **state)
{
    stn_bindings none = {0};
    struct rig r;
    SDL_Event e = {.type = SDL_WINDOWEVENT};

    (void)state;
    rig_up(&r, &none);
    key(SDL_SCANCODE_A, true);
    frame(&r);
    assert_true(stn_input_key(stn_logical_last(r.logical), SDL_SCANCODE_A));
    e.window.event = SDL_WINDOWEVENT_FOCUS_LOST;
    SDL_PushEvent(&e);
    frame(&r);
    assert_false(stn_input_key(stn_logical_last(r.logical), SDL_SCANCODE_A));
    rig_down(&r);
}

static void a_physical_layer_has_one_master(void **state)
{
    stn_bindings none = {0};
    struct rig r;
    stn_logical *other = stn_logical_new();

    (void)state;
    rig_up(&r, &none);
    assert_int_equal(stn_logical_listen(r.logical, &r.physical, NULL), STN_OK);
    assert_int_equal(stn_logical_listen(other, &r.physical, NULL), STN_BUSY);
    stn_logical_free(other);
    rig_down(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_binding_fires_its_action_alone),
        cmocka_unit_test(a_changed_binding_moves_the_action),
        cmocka_unit_test(a_key_chosen_in_the_panel_moves_the_action),
        cmocka_unit_test(a_key_in_use_changes_hands_and_can_be_given_back_or_taken_away),
        cmocka_unit_test(bindings_that_are_written_are_read_back),
        cmocka_unit_test(every_row_of_the_panel_says_what_it_is_and_changes),
        cmocka_unit_test(unknown_actions_and_keys_are_named),
        cmocka_unit_test(a_click_is_told_with_its_place),
        cmocka_unit_test(losing_the_focus_releases_everything),
        cmocka_unit_test(a_physical_layer_has_one_master),
    };

    SDL_SetHint(SDL_HINT_VIDEODRIVER, "dummy");
    if (SDL_Init(SDL_INIT_EVENTS | SDL_INIT_VIDEO) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
