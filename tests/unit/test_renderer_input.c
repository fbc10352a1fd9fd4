/* SDL events through the physical and the logical layer, for every default binding and for changed ones. */
#include "renderer/input/bindings.h"
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
