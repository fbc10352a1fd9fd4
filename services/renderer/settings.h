/* settings.h - what the settings panel changed, kept in the configuration file. Pure but for
 * stn_settings_write().
 *
 * Only keys whose values a person changed are written, into the section [renderer]; comments, other keys and
 * other sections stay as they are. The file is written under another name and renamed. The renderer reads the
 * same keys as options at its start (main.c).
 */
#ifndef STN_RENDERER_SETTINGS_H
#define STN_RENDERER_SETTINGS_H

#include "base/buf.h"
#include "base/err.h"
#include "renderer/hud/panel.h"

#define STN_SETTINGS_KEYS 19
#define STN_SETTINGS_VALUE 1100 /* the keys of all actions fit */
#define STN_SETTINGS_FILE_MAX (1u << 20)

typedef struct stn_setting {
    const char *key; /* static text */
    char value[STN_SETTINGS_VALUE];
} stn_setting;

/* What a person can change in the panel. */
typedef struct stn_settings {
    stn_hud_settings hud;
    stn_bindings keys;
} stn_settings;

bool stn_settings_same(const stn_settings *a, const stn_settings *b);
/* The keys in which `now` differs from `then`; the number of them. */
size_t stn_settings_changed(const stn_settings *then, const stn_settings *now,
                            stn_setting out[STN_SETTINGS_KEYS]);
/* The text of an ini file with these keys set in the section: where a key stands it is replaced (the last one
 * counts, so all are), else it comes at the section's end; a missing section is added. */
void stn_settings_merge(const char *text, const char *section, const stn_setting *set, size_t count,
                        stn_buf *out);
/* Into $XDG_CONFIG_HOME/stenness/stenness.ini. Waits for the disk: not for the GL thread. */
stn_status stn_settings_write(const stn_setting *set, size_t count, stn_err *err);

#endif
