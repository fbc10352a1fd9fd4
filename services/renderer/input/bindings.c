#include "renderer/input/bindings.h"

#include "base/text.h"

#include <SDL_keyboard.h>
#include <SDL_scancode.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name, *help;
    stn_binding fallback;
} actions[STN_ACTIONS] = {
    [STN_ACTION_CAMERA_LEFT] = {"camera-left", "turn the camera left", {SDL_SCANCODE_LEFT, 0}},
    [STN_ACTION_CAMERA_RIGHT] = {"camera-right", "turn the camera right", {SDL_SCANCODE_RIGHT, 0}},
    [STN_ACTION_CAMERA_IN] = {"camera-in", "nearer", {SDL_SCANCODE_UP, 0}},
    [STN_ACTION_CAMERA_OUT] = {"camera-out", "farther", {SDL_SCANCODE_DOWN, 0}},
    [STN_ACTION_CAMERA_RESET] = {"camera-reset", "camera as at the start", {SDL_SCANCODE_HOME, 0}},
    [STN_ACTION_CAMERA_NEXT] = {"camera-next", "another kind of camera", {SDL_SCANCODE_F3, 0}},
    [STN_ACTION_HELP] = {"help", "this help", {SDL_SCANCODE_F1, 0}},
    [STN_ACTION_SETTINGS] = {"settings", "settings", {SDL_SCANCODE_F10, 0}},
    [STN_ACTION_MINIMAP] = {"minimap", "minimap on and off", {SDL_SCANCODE_M, 0}},
    [STN_ACTION_LINE] = {"line", "line of health on and off", {SDL_SCANCODE_F4, 0}},
    [STN_ACTION_SHOT] = {"shot", "write a picture of this", {SDL_SCANCODE_F12, 0}},
    [STN_ACTION_FULLSCREEN] = {"fullscreen", "full screen", {SDL_SCANCODE_F11, 0}},
    [STN_ACTION_GRID] = {"grid", "lines between tiles on and off", {SDL_SCANCODE_G, STN_MOD_CTRL}},
    [STN_ACTION_PLACE_LEFT] = {"place-left",
                               "turn what is placed by an eighth",
                               {SDL_SCANCODE_LEFT, STN_MOD_CTRL}},
    [STN_ACTION_PLACE_RIGHT] = {"place-right", "the other way", {SDL_SCANCODE_RIGHT, STN_MOD_CTRL}},
    [STN_ACTION_PLACE_LEFT_FINE] = {"place-left-fine",
                                    "turn it a little",
                                    {SDL_SCANCODE_LEFT, STN_MOD_SHIFT}},
    [STN_ACTION_PLACE_RIGHT_FINE] = {"place-right-fine",
                                     "the other way a little",
                                     {SDL_SCANCODE_RIGHT, STN_MOD_SHIFT}},
    [STN_ACTION_CHAT] = {"chat", "say something", {SDL_SCANCODE_RETURN, 0}},
    [STN_ACTION_CANCEL] = {"cancel", "close panels, leave what is placed", {SDL_SCANCODE_ESCAPE, 0}},
    [STN_ACTION_QUIT] = {"quit", "end", {SDL_SCANCODE_Q, STN_MOD_CTRL}},
};

static const struct {
    const char *name;
    uint8_t bit;
    uint16_t left, right;
} modifiers[] = {{"Shift", STN_MOD_SHIFT, SDL_SCANCODE_LSHIFT, SDL_SCANCODE_RSHIFT},
                 {"Ctrl", STN_MOD_CTRL, SDL_SCANCODE_LCTRL, SDL_SCANCODE_RCTRL},
                 {"Alt", STN_MOD_ALT, SDL_SCANCODE_LALT, SDL_SCANCODE_RALT}};
#define MODIFIERS (sizeof modifiers / sizeof modifiers[0])

void stn_bindings_default(stn_bindings *b)
{
    for (int i = 0; i < STN_ACTIONS; i++)
        b->of[i] = actions[i].fallback;
}

const char *stn_action_name(stn_action a)
{
    return actions[a].name;
}

const char *stn_action_help(stn_action a)
{
    return actions[a].help;
}

static stn_status parse_key(const char *text, stn_binding *out, stn_err *err)
{
    const char *p = text;
    stn_binding b = {0, 0};
    uint64_t number;

    if (strcasecmp(text, "none") == 0) {
        *out = b;
        return STN_OK;
    }
    for (const char *plus; (plus = strchr(p, '+')) != NULL && plus[1]; p = plus + 1) {
        bool known = false;

        for (size_t i = 0; i < MODIFIERS; i++)
            if (strlen(modifiers[i].name) == (size_t)(plus - p) &&
                strncasecmp(modifiers[i].name, p, (size_t)(plus - p)) == 0) {
                b.modifiers |= modifiers[i].bit;
                known = true;
            }
        if (!known)
            return stn_fail(err, STN_USAGE, "key \"%s\": Shift, Ctrl and Alt are the modifiers", text);
    }
    if (strncasecmp(p, "key-", 4) == 0 && stn_text_u64(p + 4, STN_INPUT_KEYS - 1, &number))
        b.key = (uint16_t)number;
    else
        b.key = (uint16_t)SDL_GetScancodeFromName(p);
    if (b.key == SDL_SCANCODE_UNKNOWN)
        return stn_fail(err, STN_USAGE, "key \"%s\" is not known", p);
    *out = b;
    return STN_OK;
}

stn_status stn_bindings_change(stn_bindings *b, const char *text, stn_err *err)
{
    while (*text) {
        char word[96];
        size_t n = strcspn(text, ",");
        char *eq;
        int found = -1;

        snprintf(word, sizeof word, "%.*s", (int)n, text);
        text += n + (text[n] == ',');
        eq = strchr(word, '=');
        if (!eq)
            return stn_fail(err, STN_USAGE, "binding \"%s\": ACTION=KEY expected", word);
        *eq = '\0';
        for (int i = 0; i < STN_ACTIONS; i++)
            if (strcmp(actions[i].name, word) == 0)
                found = i;
        if (found < 0)
            return stn_fail(err, STN_USAGE, "binding: there is no action \"%s\"", word);
        if (parse_key(eq + 1, &b->of[found], err) != STN_OK)
            return STN_USAGE;
    }
    return STN_OK;
}

const char *stn_binding_text(const stn_binding *b, char out[48])
{
    size_t at = 0;

    out[0] = '\0';
    if (!b->key)
        return out;
    for (size_t i = 0; i < MODIFIERS; i++)
        if (b->modifiers & modifiers[i].bit)
            at += (size_t)snprintf(out + at, 48 - at, "%s+", modifiers[i].name);
    snprintf(out + at, 48 - at, "%s", SDL_GetScancodeName((SDL_Scancode)b->key));
    return out;
}

void stn_bindings_bind(stn_bindings *b, stn_action a, stn_binding key)
{
    for (int i = 0; key.key && i < STN_ACTIONS; i++)
        if (b->of[i].key == key.key && b->of[i].modifiers == key.modifiers)
            b->of[i] = (stn_binding){0, 0};
    b->of[a] = key;
}

bool stn_bindings_text(const stn_bindings *b, char *out, size_t cap)
{
    size_t at = 0;

    out[0] = '\0';
    for (int i = 0; i < STN_ACTIONS; i++) {
        const stn_binding *now = &b->of[i], *was = &actions[i].fallback;
        const char *name = SDL_GetScancodeName((SDL_Scancode)now->key);
        char number[16];
        int n;

        if (now->key == was->key && now->modifiers == was->modifiers)
            continue;
        if (!now->key) {
            name = "none";
        } else if (!name[0] || strpbrk(name, ",=+;#\"") || SDL_GetScancodeFromName(name) != now->key) {
            snprintf(number, sizeof number, "key-%u", now->key);
            name = number;
        }
        n = snprintf(out + at, cap - at, "%s%s=%s%s%s%s", at ? "," : "", actions[i].name,
                     now->modifiers & STN_MOD_SHIFT ? "Shift+" : "",
                     now->modifiers & STN_MOD_CTRL ? "Ctrl+" : "", now->modifiers & STN_MOD_ALT ? "Alt+" : "",
                     name);
        if (n < 0 || (size_t)n >= cap - at)
            return false;
        at += (size_t)n;
    }
    return true;
}

int stn_binding_condition(const stn_binding *b, stn_logical *l)
{
    int c;

    if (!b->key)
        return -1;
    c = stn_pred_key(l, STN_PRED_KEY_PRESSED, b->key);
    for (size_t i = 0; i < MODIFIERS; i++) {
        int held = stn_pred_either(l, stn_pred_key(l, STN_PRED_KEY_HELD, modifiers[i].left),
                                   stn_pred_key(l, STN_PRED_KEY_HELD, modifiers[i].right));

        c = stn_pred_both(l, c, b->modifiers & modifiers[i].bit ? held : stn_pred_not(l, held));
    }
    return c;
}

unsigned stn_input_modifiers(const stn_input_state *in)
{
    unsigned m = 0;

    for (size_t i = 0; i < MODIFIERS; i++)
        if (stn_input_key(in, modifiers[i].left) || stn_input_key(in, modifiers[i].right))
            m |= modifiers[i].bit;
    return m;
}
