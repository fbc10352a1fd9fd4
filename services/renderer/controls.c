/* controls.c - what keys and mouse do. */
#include "renderer/renderer_impl.h"

#include "base/clock.h"
#include "base/log.h"

#include "proto/world.pb-c.h"

#include <SDL.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool ground_height(void *arg, double x, double y, float *z)
{
    return stn_stage_height(((stn_renderer *)arg)->stage, x, y, z);
}

void renderer_set_camera(stn_renderer *r, int kind, const char *args)
{
    stn_camera *c = stn_camera_new(stn_hud_cameras[kind], args, r->width, r->height, r->width, r->height);
    stn_camera_world world = {.target = r->focus, .height = ground_height, .arg = r};

    if (!c)
        return;
    stn_camera_free(r->camera);
    r->camera = c;
    r->settings.camera = kind;
    stn_camera_tick(c, 0.0, &world);
}

void renderer_apply_settings(stn_renderer *r)
{
    int kind = r->settings.camera;

    if (strcmp(stn_camera_name(r->camera), stn_hud_cameras[kind]) != 0)
        renderer_set_camera(r, kind, "");
    stn_paint_scale(r->paint, (float)r->settings.ui_percent / 100.0f);
}

static void panel_changed(stn_renderer *r, stn_panel_change what)
{
    if (what == STN_PANEL_SETTING)
        renderer_apply_settings(r);
    r->rebind |= what == STN_PANEL_BINDING; /* not while the triggers are walked through */
}

static void on_keys(void *arg, const stn_two *s, double tpf)
{
    stn_renderer *r = arg;

    (void)tpf;
    if (!r->typing)
        panel_changed(r, stn_panel_keys(stn_hud_panel(r->hud), &r->settings, &r->bindings, s));
}

static void text_input(stn_renderer *r, bool on)
{
    r->typing = on;
    if (!stn_surface_has_window(r->surface))
        return;
    if (on)
        SDL_StartTextInput();
    else
        SDL_StopTextInput();
}

static void on_chat(stn_renderer *r)
{
    stn_net_act act = {.kind = STENNESS__ACT_KIND__ACT_CHAT};
    stn_stage_facts facts;

    if (r->typing && r->typed[0]) {
        stn_stage_get(r->stage, &facts);
        act.frame = facts.session;
        snprintf(act.text, sizeof act.text, "%s", r->typed);
        if (!stn_net_send_act(r->net, &act))
            stn_hud_note(r->hud, "not sent: too much at once");
    }
    r->typed[0] = '\0';
    text_input(r, !r->typing);
}

/* Chooses an option of the open menu, UINT32_MAX: none of them. */
static void answer_menu(stn_renderer *r, uint32_t option)
{
    stn_net_act act = {
        .kind = STENNESS__ACT_KIND__ACT_MENU, .menu = stn_hud_menu_open(r->hud), .choice = option};
    stn_stage_facts facts;

    if (!act.menu)
        return;
    stn_stage_get(r->stage, &facts);
    act.frame = facts.session;
    stn_net_send_act(r->net, &act);
    stn_hud_menu(r->hud, 0, "", 0.0f, 0.0f);
}

static void act_on(stn_renderer *r, stn_action a)
{
    stn_panel *panel = stn_hud_panel(r->hud);

    if (r->typing && a != STN_ACTION_CHAT && a != STN_ACTION_CANCEL)
        return;
    switch (a) {
    case STN_ACTION_CAMERA_LEFT:
        stn_camera_press(r->camera, STN_CAMERA_LEFT);
        break;
    case STN_ACTION_CAMERA_RIGHT:
        stn_camera_press(r->camera, STN_CAMERA_RIGHT);
        break;
    case STN_ACTION_CAMERA_IN:
        stn_camera_press(r->camera, STN_CAMERA_IN);
        break;
    case STN_ACTION_CAMERA_OUT:
        stn_camera_press(r->camera, STN_CAMERA_OUT);
        break;
    case STN_ACTION_CAMERA_RESET:
        stn_camera_press(r->camera, STN_CAMERA_RESET);
        break;
    case STN_ACTION_CAMERA_NEXT:
        renderer_set_camera(r, (r->settings.camera + 1) % 5, "");
        stn_hud_note(r->hud, stn_hud_cameras[r->settings.camera]);
        break;
    case STN_ACTION_HELP:
        stn_hud_toggle_help(r->hud);
        break;
    case STN_ACTION_SETTINGS:
        panel->open = !panel->open;
        break;
    case STN_ACTION_GRID:
        r->settings.grid = !r->settings.grid;
        break;
    case STN_ACTION_MINIMAP:
        r->settings.minimap = !r->settings.minimap;
        break;
    case STN_ACTION_LINE:
        r->settings.line = !r->settings.line;
        break;
    case STN_ACTION_SHOT:
        renderer_save_shot(r);
        break;
    case STN_ACTION_FULLSCREEN:
        r->fullscreen = !r->fullscreen;
        stn_surface_fullscreen(r->surface, r->fullscreen);
        break;
    case STN_ACTION_CHAT:
        on_chat(r);
        break;
    case STN_ACTION_CANCEL:
        if (!r->typing && !panel->open && !stn_hud_menu_open(r->hud)) /* one thing after the other */
            renderer_ghost_click(r, 0, 3);
        r->typed[0] = '\0';
        text_input(r, false);
        answer_menu(r, UINT32_MAX);
        panel->open = false;
        break;
    case STN_ACTION_PLACE_LEFT:
        stn_ghost_turn(&r->ghost, -1.0, STN_MOD_CTRL);
        break;
    case STN_ACTION_PLACE_RIGHT:
        stn_ghost_turn(&r->ghost, 1.0, STN_MOD_CTRL);
        break;
    case STN_ACTION_PLACE_LEFT_FINE:
        stn_ghost_turn(&r->ghost, -1.0, STN_MOD_SHIFT);
        break;
    case STN_ACTION_PLACE_RIGHT_FINE:
        stn_ghost_turn(&r->ghost, 1.0, STN_MOD_SHIFT);
        break;
    case STN_ACTION_QUIT:
        r->stop = true;
        break;
    case STN_ACTIONS:
        break;
    }
}

/* One function a key, because a trigger has one argument: the renderer and the action together. */
struct bound {
    stn_renderer *r;
    stn_action action;
};
static struct bound bound[STN_ACTIONS];

static void on_action(void *arg, const stn_two *states, double tpf)
{
    const struct bound *b = arg;

    (void)tpf;
    if (stn_hud_panel(b->r->hud)->taken != states->cur->seq)
        act_on(b->r, b->action);
}

/* --- mouse --- */

/* The window's points to the picture's pixels: they differ on dense screens. */
static void picture_point(const stn_renderer *r, const stn_mouse *m, double *x, double *y)
{
    SDL_Window *window = stn_surface_sdl_window(r->surface);
    int w = r->width, h = r->height;

    if (window)
        SDL_GetWindowSize(window, &w, &h);
    *x = (double)m->x * r->width / (w < 1 ? 1 : w);
    *y = (double)m->y * r->height / (h < 1 ? 1 : h);
}

void renderer_pointer(const stn_renderer *r, double *x, double *y)
{
    *x = *y = -1.0;
    if (stn_surface_has_window(r->surface))
        picture_point(r, &stn_logical_last(r->logical)->mouse, x, y);
}

/* What is under the pointer is asked for in the picture that the person saw; renderer_send_clicks() goes on.
 */
static void click(stn_renderer *r, const stn_input_state *in, uint32_t button)
{
    stn_net_act act = {.kind = STENNESS__ACT_KIND__ACT_CLICK, .button = button};
    stn_stage_facts facts;
    double x, y;
    int row;

    picture_point(r, &in->mouse, &x, &y);
    if (stn_hud_menu_open(r->hud)) {
        int option = stn_hud_menu_at(r->hud, (float)x, (float)y);

        answer_menu(r, option < 0 ? UINT32_MAX : (uint32_t)option);
        if (option >= 0)
            return;
    }
    row = stn_hud_panel_at(r->hud, (float)x, (float)y);
    if (row > -2) {
        panel_changed(
            r, stn_panel_step(stn_hud_panel(r->hud), &r->settings, &r->bindings, row, button == 1 ? 1 : -1));
        return;
    }
    if (renderer_ghost_click(r, stn_input_modifiers(in), button))
        return;
    stn_stage_get(r->stage, &facts);
    /* Between two frames of reference places mean nothing: the click waits for the person to click again. */
    if (facts.frame == 0 || facts.frozen || x < 0.0 || y < 0.0 || x >= r->width || y >= r->height)
        return;
    act.frame = facts.session;
    act.modifiers = stn_input_modifiers(in);
    act.screen_x = (int32_t)x;
    act.screen_y = (int32_t)y;
    if (stn_picker_ask(r->picker, &r->frame, (int)x, (int)y, r->width, r->height, stn_clock_ns()))
        r->clicks[r->click_count++] = act;
    else
        stn_hud_note(r->hud, "the click was lost: too much at once");
}

void renderer_send_clicks(stn_renderer *r)
{
    stn_picked at;

    while (stn_picker_answer(r->picker, stn_clock_ns(), &at)) {
        stn_net_act act = r->clicks[0];

        memmove(r->clicks, r->clicks + 1, --r->click_count * sizeof r->clicks[0]);
        if (act.kind == STENNESS__ACT_KIND__ACT_NONE) { /* the ground under what is being placed */
            if (at.land && act.ghost == r->ghost.number)
                stn_ghost_point(&r->ghost, at.x, at.y);
            continue;
        }
        /* An object against the sky is clicked where it stands. */
        if (!at.land && (!at.object || !stn_stage_place(r->stage, at.object, &at.x, &at.y)))
            continue;
        act.x = at.x;
        act.y = at.y;
        act.overlay = at.overlay;
        act.part = at.part;
        act.object = at.object;
        act.has_object = at.object != 0;
        if (!stn_net_send_act(r->net, &act))
            stn_hud_note(r->hud, "the click was lost: too much at once");
    }
}

static void on_left(void *arg, const stn_two *s, double tpf)
{
    (void)tpf;
    click(arg, s->cur, 1);
}

static void on_right(void *arg, const stn_two *s, double tpf)
{
    (void)tpf;
    click(arg, s->cur, 3);
}

static void on_turn_start(void *arg, const stn_two *s, double tpf)
{
    stn_renderer *r = arg;

    (void)tpf;
    stn_camera_click(r->camera, s->cur->mouse.x, s->cur->mouse.y,
                     (stn_input_modifiers(s->cur) & STN_MOD_CTRL) != 0);
}

static void on_turn(void *arg, const stn_two *s, double tpf)
{
    (void)tpf;
    stn_camera_drag(((stn_renderer *)arg)->camera, s->cur->mouse.x, s->cur->mouse.y);
}

static void on_turn_end(void *arg, const stn_two *s, double tpf)
{
    (void)s;
    (void)tpf;
    stn_camera_release(((stn_renderer *)arg)->camera);
}

static void on_wheel(void *arg, const stn_two *s, double tpf)
{
    stn_renderer *r = arg;

    (void)tpf;
    if (!renderer_ghost_wheel(r, s->cur))
        stn_camera_wheel(r->camera, -(double)s->cur->mouse.wheel);
}

static void on_moved(void *arg, const stn_two *s, double tpf)
{
    (void)s;
    (void)tpf;
    ((stn_renderer *)arg)->ghost_due = true;
}

static void on_text(void *arg, const stn_two *s, double tpf)
{
    stn_renderer *r = arg;
    size_t have = strlen(r->typed), more = strlen(s->cur->text);

    (void)tpf;
    if (r->typing && have + more < TYPED)
        memcpy(r->typed + have, s->cur->text, more + 1);
}

static void on_backspace(void *arg, const stn_two *s, double tpf)
{
    stn_renderer *r = arg;
    size_t n = strlen(r->typed);

    (void)s;
    (void)tpf;
    if (!r->typing || n == 0)
        return;
    do
        n--;
    while (n > 0 && ((unsigned char)r->typed[n] & 0xc0) == 0x80);
    r->typed[n] = '\0';
}

void renderer_bind_controls(stn_renderer *r)
{
    stn_logical *l = r->logical;
    int middle;

    r->rebind = false;
    stn_logical_clear(l);
    middle = stn_pred_button(l, STN_PRED_BUTTON_DOWN, STN_BUTTON_MIDDLE, 0);
    /* The panel looks first: a key that is meant for it does nothing else. */
    stn_logical_trigger(l, "panel", stn_pred_plain(l, STN_PRED_KEYS), on_keys, r, NULL);
    for (int i = 0; i < STN_ACTIONS; i++) {
        int condition = stn_binding_condition(&r->bindings.of[i], l);

        bound[i] = (struct bound){r, (stn_action)i};
        if (condition >= 0)
            stn_logical_trigger(l, stn_action_name((stn_action)i), condition, on_action, &bound[i], NULL);
    }
    stn_logical_trigger(l, "left", stn_pred_button(l, STN_PRED_BUTTON_RELEASED, STN_BUTTON_LEFT, 0), on_left,
                        r, NULL);
    stn_logical_trigger(l, "right", stn_pred_button(l, STN_PRED_BUTTON_RELEASED, STN_BUTTON_RIGHT, 0),
                        on_right, r, NULL);
    stn_logical_trigger(l, "turn-start", stn_pred_button(l, STN_PRED_BUTTON_PRESSED, STN_BUTTON_MIDDLE, 0),
                        on_turn_start, r, NULL);
    stn_logical_trigger(l, "turn", stn_pred_both(l, middle, stn_pred_plain(l, STN_PRED_MOUSE_MOVED)), on_turn,
                        r, NULL);
    stn_logical_trigger(l, "turn-end", stn_pred_button(l, STN_PRED_BUTTON_RELEASED, STN_BUTTON_MIDDLE, 0),
                        on_turn_end, r, NULL);
    stn_logical_trigger(l, "wheel", stn_pred_plain(l, STN_PRED_WHEEL), on_wheel, r, NULL);
    stn_logical_trigger(l, "moved", stn_pred_plain(l, STN_PRED_MOUSE_MOVED), on_moved, r, NULL);
    stn_logical_trigger(l, "text", stn_pred_plain(l, STN_PRED_TEXT), on_text, r, NULL);
    stn_logical_trigger(l, "backspace", stn_pred_key(l, STN_PRED_KEY_PRESSED, SDL_SCANCODE_BACKSPACE),
                        on_backspace, r, NULL);
}
