#include "renderer/hud/panel.h"

#include <SDL_scancode.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *const stn_hud_cameras[5] = {"ortho", "follow", "bad", "rts", "worse"};

static const int caps[] = {0, 15, 30, 60, 120, 144};
static const int details[] = {20, 35, 50, 75, 100, 150, 200, 400, 0};

enum { CAPS, DETAILS };
static const struct {
    const int *of;
    int count;
    const char *none; /* what 0 means */
} lists[] = {[CAPS] = {caps, sizeof caps / sizeof caps[0], "no limit"},
             [DETAILS] = {details, sizeof details / sizeof details[0], "all"}};

typedef enum row_kind { ROW_SWITCH, ROW_CAMERA, ROW_CHOICE, ROW_NUMBER } row_kind;

static const struct row {
    const char *name, *unit;
    row_kind kind;
    size_t at; /* in the settings */
    int least, most, step; /* of a number; least: which of the lists a choice is from */
} rows[STN_PANEL_SETTINGS] = {
    {"Shadows", "", ROW_SWITCH, offsetof(stn_hud_settings, shadows), 0, 0, 0},
    {"Outlines", "", ROW_SWITCH, offsetof(stn_hud_settings, outlines), 0, 0, 0},
    {"Smooth edges", "", ROW_SWITCH, offsetof(stn_hud_settings, smooth), 0, 0, 0},
    {"Haze in the distance", "", ROW_SWITCH, offsetof(stn_hud_settings, fog), 0, 0, 0},
    {"Distance of haze", "", ROW_NUMBER, offsetof(stn_hud_settings, fog_distance), 300, 3000, 100},
    {"Detail in the distance", " %", ROW_CHOICE, offsetof(stn_hud_settings, detail), DETAILS, 0, 0},
    {"Trees sway", "", ROW_SWITCH, offsetof(stn_hud_settings, sway), 0, 0, 0},
    {"Shadows of clouds", "", ROW_SWITCH, offsetof(stn_hud_settings, clouds), 0, 0, 0},
    {"Lines between tiles", "", ROW_SWITCH, offsetof(stn_hud_settings, grid), 0, 0, 0},
    {"Marks on the ground", "", ROW_SWITCH, offsetof(stn_hud_settings, overlays), 0, 0, 0},
    {"Names of people", "", ROW_SWITCH, offsetof(stn_hud_settings, names), 0, 0, 0},
    {"Camera", "", ROW_CAMERA, 0, 0, 0, 0},
    {"Field of view", "°", ROW_NUMBER, offsetof(stn_hud_settings, fov), 28, 103, 5},
    {"Frames a second", "", ROW_CHOICE, offsetof(stn_hud_settings, frame_cap), CAPS, 0, 0},
    {"Size of text", " %", ROW_NUMBER, offsetof(stn_hud_settings, ui_percent), 50, 400, 25},
    {"Placing with Shift: steps a tile", "", ROW_NUMBER, offsetof(stn_hud_settings, place_steps), 0, 32, 1},
    {"Minimap", "", ROW_SWITCH, offsetof(stn_hud_settings, minimap), 0, 0, 0},
    {"Line of health", "", ROW_SWITCH, offsetof(stn_hud_settings, line), 0, 0, 0},
};

static bool is_on(const stn_hud_settings *s, const struct row *r)
{
    return *(const bool *)((const char *)s + r->at);
}

static int number_of(const stn_hud_settings *s, const struct row *r)
{
    int v;

    memcpy(&v, (const char *)s + r->at, sizeof v);
    return v;
}

void stn_panel_text(const stn_panel *p, const stn_hud_settings *s, const stn_bindings *b, int row,
                    char name[STN_PANEL_TEXT], char value[STN_PANEL_TEXT])
{
    const struct row *r = &rows[row < STN_PANEL_SETTINGS ? row : 0];
    char key[48];

    if (row >= STN_PANEL_SETTINGS) {
        const stn_binding *bound = &b->of[row - STN_PANEL_SETTINGS];

        snprintf(name, STN_PANEL_TEXT, "Key: %s", stn_action_help((stn_action)(row - STN_PANEL_SETTINGS)));
        snprintf(value, STN_PANEL_TEXT, "%s",
                 p->waiting && row == p->row ? "press a key"
                 : bound->key                ? stn_binding_text(bound, key)
                                             : "none");
        return;
    }
    snprintf(name, STN_PANEL_TEXT, "%s", r->name);
    if (r->kind == ROW_SWITCH)
        snprintf(value, STN_PANEL_TEXT, "%s", is_on(s, r) ? "on" : "off");
    else if (r->kind == ROW_CAMERA)
        snprintf(value, STN_PANEL_TEXT, "%s", stn_hud_cameras[s->camera]);
    else if (r->kind == ROW_CHOICE && number_of(s, r) == 0)
        snprintf(value, STN_PANEL_TEXT, "%s", lists[r->least].none);
    else
        snprintf(value, STN_PANEL_TEXT, "%d%s", number_of(s, r), r->unit);
}

static void step_setting(stn_hud_settings *s, const struct row *r, int dx)
{
    bool *flag = (bool *)((char *)s + r->at);
    int v, at = 0;

    switch (r->kind) {
    case ROW_SWITCH:
        *flag = !*flag;
        break;
    case ROW_CAMERA:
        s->camera = (s->camera + dx + 5) % 5;
        break;
    case ROW_CHOICE:
        for (int i = 0; i < lists[r->least].count; i++)
            if (lists[r->least].of[i] == number_of(s, r))
                at = i;
        v = lists[r->least].of[(at + dx + lists[r->least].count) % lists[r->least].count];
        memcpy((char *)s + r->at, &v, sizeof v);
        break;
    case ROW_NUMBER:
        v = number_of(s, r) + dx * r->step;
        v = v < r->least ? r->least : v > r->most ? r->most : v;
        memcpy((char *)s + r->at, &v, sizeof v);
        break;
    }
}

stn_panel_change stn_panel_step(stn_panel *p, stn_hud_settings *s, stn_bindings *b, int row, int dx)
{
    stn_bindings first;

    if (row < 0 || row >= STN_PANEL_ROWS)
        return STN_PANEL_NOTHING;
    p->row = row;
    if (row < STN_PANEL_SETTINGS) {
        step_setting(s, &rows[row], dx);
        return STN_PANEL_SETTING;
    }
    if (dx > 0) {
        p->waiting = true;
        return STN_PANEL_NOTHING;
    }
    stn_bindings_default(&first);
    stn_bindings_bind(b, (stn_action)(row - STN_PANEL_SETTINGS), first.of[row - STN_PANEL_SETTINGS]);
    return STN_PANEL_BINDING;
}

static bool is_modifier(unsigned key)
{
    return key >= SDL_SCANCODE_LCTRL && key <= SDL_SCANCODE_RGUI;
}

/* The key that went down; 0: none, or only a modifier. */
static unsigned pressed(const stn_two *states)
{
    for (unsigned key = 1; key < STN_INPUT_KEYS; key++)
        if (stn_input_key(states->cur, key) && !stn_input_key(states->prev, key) && !is_modifier(key))
            return key;
    return 0;
}

static stn_panel_change take_key(stn_panel *p, stn_bindings *b, unsigned key, const stn_input_state *in)
{
    stn_binding now = {(uint16_t)key, (uint8_t)stn_input_modifiers(in)};

    p->waiting = false;
    if (key == SDL_SCANCODE_ESCAPE)
        return STN_PANEL_NOTHING;
    if (key == SDL_SCANCODE_BACKSPACE)
        now = (stn_binding){0, 0};
    stn_bindings_bind(b, (stn_action)(p->row - STN_PANEL_SETTINGS), now);
    return STN_PANEL_BINDING;
}

stn_panel_change stn_panel_keys(stn_panel *p, stn_hud_settings *s, stn_bindings *b, const stn_two *states)
{
    unsigned key = p->open ? pressed(states) : 0;
    int dx = key == SDL_SCANCODE_RIGHT || key == SDL_SCANCODE_RETURN ? 1 : key == SDL_SCANCODE_LEFT ? -1 : 0;
    int dy = key == SDL_SCANCODE_DOWN ? 1 : key == SDL_SCANCODE_UP ? -1 : 0;

    if (!key || (!p->waiting && !dx && !dy))
        return STN_PANEL_NOTHING;
    p->taken = states->cur->seq;
    if (p->waiting)
        return take_key(p, b, key, states->cur);
    p->row = (p->row + dy + STN_PANEL_ROWS) % STN_PANEL_ROWS;
    return dx ? stn_panel_step(p, s, b, p->row, dx) : STN_PANEL_NOTHING;
}
