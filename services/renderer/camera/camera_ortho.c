/* camera_ortho.c - the orthographic cameras: the smooth default one, and the plain one. rendering.md 5.2. */
#include "renderer/camera/camera_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUARTER (STN_PI * 0.5)

/* Half goes up, also for negatives. */
static float jround(float v)
{
    double r = floor((double)v + 0.5);

    if (!(r == r))
        return 0.0f;
    return (float)(r < -2147483648.0 ? -2147483648.0 : r > 2147483647.0 ? 2147483647.0 : r);
}

static void take_args(stn_camera *c, const char *args)
{
    char word[64];
    int n;

    for (; sscanf(args, "%63s%n", word, &n) == 1; args += n) {
        if (strcmp(word, "-e") == 0 || strcmp(word, "-n") == 0)
            c->exact = word[1] == 'e';
        else if (strcmp(word, "-i") == 0 || strcmp(word, "-f") == 0)
            c->isometric = word[1] == 'i';
        else if (strcmp(word, "-t") == 0 || strcmp(word, "-Z") == 0) {
            char kind = word[1], *end;
            double v;

            args += n;
            if (sscanf(args, "%63s%n", word, &n) != 1)
                return;
            v = strtod(word, &end);
            if (*end || !(v > 0.0) || v > 1e6)
                continue;
            if (kind == 't')
                c->tf = v;
            else
                c->field = c->tfield = c->dfield = (float)v;
        }
    }
}

static void init(stn_camera *c, const char *args)
{
    c->dfield = c->field = c->tfield = (float)(100.0 * sqrt(2.0));
    c->dist = 500.0f;
    c->elev = STN_PI32 / 6.0f;
    c->angl = c->tangl = -STN_PI32 / 4.0f;
    c->tf = 1.0;
    c->exact = c->isometric = true;
    take_args(c, args);
}

static void resized(stn_camera *c)
{
    float a = camera_aspect(c);

    c->proj = stn_m4_ortho(-c->field, c->field, -c->field * a, c->field * a, 1.0f, 5000.0f);
}

static void place(stn_camera *c, stn_v3 shake)
{
    stn_v3 at = stn_v3_add(stn_v3_add(c->cc, shake), (stn_v3){0.0f, 0.0f, 15.0f});

    c->view = stn_m4_pointed(at, c->dist, c->elev, c->angl);
}

/* Moves the view by less than a pixel, so that what stands still does not shimmer while the camera follows.
 */
static void snap_to_pixels(stn_camera *c)
{
    float pf = (float)c->picture_w / (c->field * 2.0f);
    stn_v3 v, corr;

    if (!c->has_jc)
        c->jc = c->cc;
    c->has_jc = true;
    v = stn_v3_mul(stn_m4_pt(&c->view, c->jc), pf);
    corr = (stn_v3){(jround(v.x) - v.x) / pf, (jround(v.y) - v.y) / pf, 0.0f};
    if (fabsf(v.x) > 500.0f || fabsf(v.y) > 500.0f)
        c->has_jc = false;
    c->view = stn_m4_mul(stn_m4_xlate(corr), c->view);
}

static void tick(stn_camera *c, double dt, const stn_camera_world *w)
{
    float k = camera_step(dt * c->tf);
    stn_v3 t = w->target;

    if (!camera_near(c, t) && (!c->exact || stn_v3_dist(t, c->cc) > 2.0f))
        c->cc = stn_v3_add(c->cc, stn_v3_mul(stn_v3_sub(t, c->cc), k));
    if (!camera_turn(c, k, 0.001)) {
        c->jc = c->cc;
        c->has_jc = true;
    }
    if (!camera_approach(&c->field, c->tfield, k, 0.1)) {
        c->jc = c->cc;
        c->has_jc = true;
    }
    place(c, w->shake);
    if (c->exact)
        snap_to_pixels(c);
    resized(c);
}

static void click(stn_camera *c, bool ctrl)
{
    (void)ctrl;
    c->anglorig = c->angl;
}

static void drag(stn_camera *c, int x, int y)
{
    (void)y;
    c->tangl = c->anglorig + (float)(x - c->press_x) / 100.0f;
}

static void release(stn_camera *c)
{
    if (c->isometric && c->tfield > 100.0f)
        c->tangl = (float)(QUARTER * (floor((double)c->tangl / QUARTER) + 0.5));
}

static void set_field(stn_camera *c, float f)
{
    float most = (float)c->w * (float)sqrt(2.0) / 8.0f;

    c->tfield = fmaxf(fminf(f, most), 50.0f);
    if (c->tfield > 100.0f)
        release(c);
}

static void wheel(stn_camera *c, double n)
{
    set_field(c, c->tfield + (float)(n * 10.0));
}

static void press(stn_camera *c, stn_camera_key key)
{
    switch (key) {
    case STN_CAMERA_LEFT:
        c->tangl = (float)(QUARTER * (floor((double)c->tangl / QUARTER - 0.51) + 0.5));
        break;
    case STN_CAMERA_RIGHT:
        c->tangl = (float)(QUARTER * (floor((double)c->tangl / QUARTER + 0.51) + 0.5));
        break;
    case STN_CAMERA_IN:
        set_field(c, c->tfield - 50.0f);
        break;
    case STN_CAMERA_OUT:
        set_field(c, c->tfield + 50.0f);
        break;
    case STN_CAMERA_RESET:
        c->tangl = c->angl + (float)camera_wrap((double)(-STN_PI32 * 0.25f - c->angl));
        set_field(c, c->dfield);
        break;
    }
}

const struct camera_class camera_ortho = {"ortho", init, resized, tick, click, drag, release, wheel, press};

static void base_tick(stn_camera *c, double dt, const stn_camera_world *w)
{
    (void)dt;
    c->cc = w->target;
    c->has_cc = true;
    place(c, w->shake);
    if (c->exact)
        snap_to_pixels(c);
    resized(c);
}

static void base_drag(stn_camera *c, int x, int y)
{
    (void)y;
    c->angl = fmodf(c->anglorig + (float)(x - c->press_x) / 100.0f, STN_PI32 * 2.0f);
}

const struct camera_class camera_orthobase = {"orthobase", init, resized, base_tick, click,
                                              base_drag,   NULL, NULL,    NULL};
