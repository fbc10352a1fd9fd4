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

size_t stn_settings_changed(const stn_hud_settings *then, const stn_hud_settings *now,
                            stn_setting out[STN_SETTINGS_KEYS])
{
    const struct {
        const char *key;
        bool then, now;
    } switches[] = {{"shadows", then->shadows, now->shadows},
                    {"outlines", then->outlines, now->outlines},
                    {"haze", then->fog, now->fog},
                    {"sway", then->sway, now->sway},
                    {"minimap", then->minimap, now->minimap},
                    {"line", then->line, now->line}};
    char number[24];
    size_t n = 0;

    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        note(out, &n, switches[i].then != switches[i].now, switches[i].key, switches[i].now ? "on" : "off");
    note(out, &n, then->camera != now->camera, "camera", stn_hud_cameras[now->camera]);
    snprintf(number, sizeof number, "%d", now->frame_cap);
    note(out, &n, then->frame_cap != now->frame_cap, "frame-cap", number);
    snprintf(number, sizeof number, "%d", now->fog_distance);
    note(out, &n, then->fog_distance != now->fog_distance, "haze-distance", number);
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
