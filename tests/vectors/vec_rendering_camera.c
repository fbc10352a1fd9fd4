/* cameras.tsv: scripted runs of every camera, section 5.2. */
#include "vec_rendering.h"

#include "renderer/camera/camera.h"

#include <string.h>

static stn_v3 player; /* as the world knows it: y down */

static bool height(void *arg, double x, double y, float *z)
{
    (void)arg;
    (void)x;
    (void)y;
    *z = player.z;
    return true;
}

static stn_camera *start(rec_file *f)
{
    char name[32];
    int w, h, pw, ph;

    rec_int(f);
    strncpy(name, rec_text(f), sizeof name - 1);
    name[sizeof name - 1] = '\0';
    w = (int)rec_int(f);
    h = (int)rec_int(f);
    pw = (int)rec_int(f);
    ph = (int)rec_int(f);
    return stn_camera_new(name, rec_text(f), w, h, pw, ph);
}

static bool event(rec_file *f, stn_camera *c, bool *ctrl)
{
    if (rec_is(f, "at"))
        player = rec_v3(f);
    else if (rec_is(f, "click")) {
        int x = (int)rec_int(f), y = (int)rec_int(f);
        stn_camera_click(c, x, y, *ctrl);
    } else if (rec_is(f, "drag")) {
        int x = (int)rec_int(f), y = (int)rec_int(f);
        stn_camera_drag(c, x, y);
    } else if (rec_is(f, "release"))
        stn_camera_release(c);
    else if (rec_is(f, "ctrl"))
        *ctrl = rec_int(f) != 0;
    else if (rec_is(f, "wheel"))
        stn_camera_wheel(c, (double)rec_int(f));
    else if (rec_is(f, "key")) {
        static const char *const names[] = {"left", "right", "in", "out", "reset"};
        const char *key = rec_text(f);

        for (int i = 0; i < 5; i++)
            if (strcmp(names[i], key) == 0)
                stn_camera_press(c, (stn_camera_key)i);
    } else if (rec_is(f, "resize")) {
        int w = (int)rec_int(f), h = (int)rec_int(f);
        stn_camera_resize(c, w, h, w, h);
    } else if (rec_is(f, "tick")) {
        stn_camera_world world = {.target = {player.x, -player.y, player.z}, .height = height};
        stn_camera_tick(c, rec_f64(f), &world);
    } else
        return false;
    return true;
}

void vec_cameras(vec_report *r, const char *dir)
{
    rec_file f;
    stn_camera *c = NULL;
    bool ctrl = false, ok;

    if (!rec_open(&f, dir, "cameras.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "new")) {
            stn_camera_free(c);
            c = start(&f);
            ctrl = false;
            if (!c)
                vec_fail(r, "%s line %d: no such camera", f.name, f.line);
            continue;
        }
        if (!c || event(&f, c, &ctrl))
            continue;
        if (rec_is(&f, "view") || rec_is(&f, "proj")) {
            stn_m4 want = rec_m4(&f), got = rec_is(&f, "view") ? stn_camera_view(c) : stn_camera_proj(c);

            ok = same_f32s(got.m, want.m, 16, 0);
        } else if (rec_is(&f, "angle")) {
            ok = same_f32(stn_camera_angle(c), rec_f32(&f), 0);
        } else {
            vec_fail(r, "%s line %d: unknown record %s", f.name, f.line, f.field[0]);
            continue;
        }
        if (ok)
            vec_pass(r);
        else
            vec_fail(r, "%s line %d: %s of camera %s", f.name, f.line, f.field[0], stn_camera_name(c));
    }
    stn_camera_free(c);
    rec_close(&f);
}
