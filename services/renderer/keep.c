/* keep.c - what the settings panel changes, written to the configuration by a thread of its own. */
#include "renderer/renderer_impl.h"

#include "base/clock.h"
#include "base/log.h"

#define SETTINGS_QUIET_NS STN_S

stn_settings renderer_settings(const stn_renderer *r)
{
    return (stn_settings){r->settings, r->bindings};
}

static void *write_settings(void *arg)
{
    stn_renderer *r = arg;
    stn_err err = {0};

    if (stn_settings_write(r->writing, r->writing_count, &err) != STN_OK)
        stn_log_warn("the settings are not kept: %s", err.text);
    atomic_store(&r->writing_done, true);
    return NULL;
}

/* A while after the last change, so that a row that is turned through is written once. */
void renderer_keep_settings(stn_renderer *r, int64_t now)
{
    stn_settings is = renderer_settings(r);

    if (r->writing_on && atomic_load(&r->writing_done)) {
        pthread_join(r->writer, NULL);
        r->writing_on = false;
    }
    if (!stn_settings_same(&r->settings_seen, &is)) {
        r->settings_seen = is;
        r->settings_ns = now;
    }
    if (r->writing_on || now - r->settings_ns < SETTINGS_QUIET_NS)
        return;
    r->writing_count = stn_settings_changed(&r->settings_kept, &is, r->writing);
    if (r->writing_count == 0)
        return;
    r->settings_kept = is;
    atomic_store(&r->writing_done, false);
    r->writing_on = pthread_create(&r->writer, NULL, write_settings, r) == 0;
    if (!r->writing_on)
        stn_log_warn("the settings are not kept: no thread to write them");
}

void renderer_keep_last_settings(stn_renderer *r)
{
    stn_settings is = renderer_settings(r);
    stn_err err = {0};

    if (r->writing_on)
        pthread_join(r->writer, NULL);
    r->writing_count = stn_settings_changed(&r->settings_kept, &is, r->writing);
    if (r->writing_count > 0 && stn_settings_write(r->writing, r->writing_count, &err) != STN_OK)
        stn_log_warn("the settings are not kept: %s", err.text);
}
