#include "renderer/settings.h"

#include "base/file.h"
#include "base/folders.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(stn_setting *out, size_t *n, bool differs, const char *key, const char *value)
{
    if (!differs)
        return;
    out[*n].key = key;
    snprintf(out[(*n)++].value, sizeof out[0].value, "%s", value);
}

static bool same_keys(const stn_bindings *a, const stn_bindings *b)
{
    bool same = true;

    for (int i = 0; i < STN_ACTIONS; i++)
        same = same && a->of[i].key == b->of[i].key && a->of[i].modifiers == b->of[i].modifiers;
    return same;
}

bool stn_settings_same(const stn_settings *a, const stn_settings *b)
{
    const stn_hud_settings *p = &a->hud, *q = &b->hud;

    return same_keys(&a->keys, &b->keys) && p->shadows == q->shadows && p->outlines == q->outlines &&
           p->smooth == q->smooth && p->fog == q->fog && p->sway == q->sway && p->clouds == q->clouds &&
           p->grid == q->grid && p->overlays == q->overlays && p->names == q->names &&
           p->minimap == q->minimap && p->line == q->line && p->camera == q->camera && p->fov == q->fov &&
           p->frame_cap == q->frame_cap && p->fog_distance == q->fog_distance && p->detail == q->detail &&
           p->ui_percent == q->ui_percent && p->place_steps == q->place_steps;
}

size_t stn_settings_changed(const stn_settings *then, const stn_settings *now,
                            stn_setting out[STN_SETTINGS_KEYS])
{
    const stn_hud_settings *a = &then->hud, *b = &now->hud;
    const struct {
        const char *key;
        bool then, now;
    } switches[] = {{"shadows", a->shadows, b->shadows}, {"outlines", a->outlines, b->outlines},
                    {"smooth", a->smooth, b->smooth},    {"haze", a->fog, b->fog},
                    {"sway", a->sway, b->sway},          {"clouds", a->clouds, b->clouds},
                    {"grid", a->grid, b->grid},          {"overlays", a->overlays, b->overlays},
                    {"names", a->names, b->names},       {"minimap", a->minimap, b->minimap},
                    {"line", a->line, b->line}};
    char text[STN_SETTINGS_VALUE];
    size_t n = 0;

    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        note(out, &n, switches[i].then != switches[i].now, switches[i].key, switches[i].now ? "on" : "off");
    note(out, &n, a->camera != b->camera, "camera", stn_hud_cameras[b->camera]);
    snprintf(text, sizeof text, "%d", b->fov);
    note(out, &n, a->fov != b->fov, "fov", text);
    snprintf(text, sizeof text, "%d", b->frame_cap);
    note(out, &n, a->frame_cap != b->frame_cap, "frame-cap", text);
    snprintf(text, sizeof text, "%d", b->fog_distance);
    note(out, &n, a->fog_distance != b->fog_distance, "haze-distance", text);
    snprintf(text, sizeof text, "%d", b->detail);
    note(out, &n, a->detail != b->detail, "detail", text);
    snprintf(text, sizeof text, "%d.%02d", b->ui_percent / 100, b->ui_percent % 100);
    note(out, &n, a->ui_percent != b->ui_percent, "ui-scale", text);
    snprintf(text, sizeof text, "%d", b->place_steps);
    note(out, &n, a->place_steps != b->place_steps, "place-steps", text);
    if (!same_keys(&then->keys, &now->keys) && stn_bindings_text(&now->keys, text, sizeof text))
        note(out, &n, true, "bind", text);
    return n;
}

/* The setting that a line `key = value` or `key: value` gives; -1: another line. */
static int setting_of(const char *line, size_t len, const stn_setting *set, size_t count)
{
    size_t at = 0, end;

    while (at < len && isspace((unsigned char)line[at]))
        at++;
    for (end = at; end < len && line[end] != '=' && line[end] != ':';)
        end++;
    if (end == len)
        return -1;
    while (end > at && isspace((unsigned char)line[end - 1]))
        end--;
    for (size_t i = 0; i < count; i++)
        if (strlen(set[i].key) == end - at && memcmp(set[i].key, line + at, end - at) == 0)
            return (int)i;
    return -1;
}

static bool opens(const char *line, size_t len, const char *section)
{
    size_t n = strlen(section);

    return len >= n + 2 && line[0] == '[' && memcmp(line + 1, section, n) == 0 && line[n + 1] == ']';
}

static void put_rest(const stn_setting *set, size_t count, bool *done, stn_buf *out)
{
    for (size_t i = 0; i < count; i++)
        if (!done[i]) {
            stn_buf_printf(out, "%s = %s\n", set[i].key, set[i].value);
            done[i] = true;
        }
}

void stn_settings_merge(const char *text, const char *section, const stn_setting *set, size_t count,
                        stn_buf *out)
{
    bool done[STN_SETTINGS_KEYS] = {false}, inside = false, seen = false;

    count = count < STN_SETTINGS_KEYS ? count : STN_SETTINGS_KEYS;
    while (*text) {
        size_t len = strcspn(text, "\n");
        int which = inside ? setting_of(text, len, set, count) : -1;

        if (text[0] == '[') {
            /* A section may be there twice: what is still to be set belongs to the first. */
            if (inside)
                put_rest(set, count, done, out);
            inside = opens(text, len, section);
            seen |= inside;
        }
        if (which >= 0) {
            stn_buf_printf(out, "%s = %s\n", set[which].key, set[which].value);
            done[which] = true;
        } else {
            stn_buf_put(out, text, len);
            stn_buf_u8(out, '\n');
        }
        text += len + (text[len] == '\n');
    }
    if (!seen && count > 0)
        stn_buf_printf(out, "%s[%s]\n", out->len ? "\n" : "", section);
    put_rest(set, count, done, out);
}

stn_status stn_settings_write(const stn_setting *set, size_t count, stn_err *err)
{
    char folder[PATH_MAX], path[PATH_MAX + 32];
    stn_buf out = {.max = STN_SETTINGS_FILE_MAX + 4096};
    uint8_t *text = NULL;
    size_t len = 0;
    stn_status st = stn_folder(STN_FOLDER_CONFIG, NULL, folder, sizeof folder, err);

    if (st != STN_OK)
        return st;
    snprintf(path, sizeof path, "%s/stenness.ini", folder);
    st = stn_file_read(path, STN_SETTINGS_FILE_MAX, &text, &len, err);
    if (st != STN_OK && st != STN_NOT_FOUND)
        return st; /* what cannot be read must not be overwritten */
    stn_settings_merge(text ? (const char *)text : "", "renderer", set, count, &out);
    free(text);
    st = out.failed ? stn_fail(err, STN_NO_MEMORY, "settings") : stn_file_mkdirs(folder, 0700, err);
    if (st == STN_OK)
        st = stn_file_write(path, out.data, out.len, 0600, true, err);
    stn_buf_fini(&out);
    return st;
}
