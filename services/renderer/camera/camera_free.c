/* camera_free.c - the perspective cameras that are turned by hand: bad, worse, rts. rendering.md 5.2. */
#include "renderer/camera/camera_impl.h"
#include "renderer/scene/project.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -d DISTANCE, -e and -a degrees of elevation and direction: where to begin, for pictures. Not in the
 * reference. */
static void init(stn_camera *c, const char *args)
{
    char word[64];
    int n;

    c->dist = 50.0f;
    c->elev = STN_PI32 / 4.0f;
    c->angl = 0.0f;
    for (; sscanf(args, "%63s%n", word, &n) == 1; args += n) {
        char kind = word[0] == '-' && word[1] && !word[2] ? word[1] : ' ';
        float v;

        if (!strchr("dea", kind) || sscanf(args + n, "%f", &v) != 1 || !(fabsf(v) < 1e5f))
            continue;
        if (kind == 'd' && v >= 5.0f)
            c->dist = v;
        else if (kind == 'e' && v >= 0.0f && v <= 90.0f)
            c->elev = v / 180.0f * STN_PI32;
        else if (kind == 'a')
            c->angl = v / 180.0f * STN_PI32;
    }
    c->tdist = c->dist;
    c->telev = c->elev;
    c->tangl = c->angl;
}

/* No shake here: a quirk of the reference. */
static void place(stn_camera *c)
{
    c->view = stn_m4_pointed(stn_v3_add(c->cc, (stn_v3){0.0f, 0.0f, 15.0f}), c->dist, c->elev, c->angl);
}

static void smooth(stn_camera *c, double dt, stn_v3 target)
{
    float k = camera_step(dt * 3.0);

    camera_turn(c, k, 0.0001);
    camera_approach(&c->elev, c->telev, k, 0.0001);
    camera_approach(&c->dist, c->tdist, k, 0.0001);
    if (!camera_near(c, target))
        c->cc = stn_v3_add(c->cc, stn_v3_mul(stn_v3_sub(target, c->cc), k));
    place(c);
}

static void tick(stn_camera *c, double dt, const stn_camera_world *w)
{
    smooth(c, dt, w->target);
}

static void click(stn_camera *c, bool ctrl)
{
    (void)ctrl;
    c->elevorig = c->elev;
    c->anglorig = c->angl;
}

static float clamped_elevation(float e)
{
    const float most = (float)(STN_PI / 2.0);

    return e < 0.0f ? 0.0f : e > most ? most : e;
}

static void drag(stn_camera *c, int x, int y)
{
    c->telev = clamped_elevation(c->elevorig - (float)(y - c->press_y) / 100.0f);
    c->tangl = c->anglorig + (float)(x - c->press_x) / 100.0f;
}

static void wheel(stn_camera *c, double n)
{
    c->tdist = fmaxf(c->tdist + (float)(n * 25.0), 5.0f);
}

const struct camera_class camera_bad = {"bad", init, camera_base_projection, tick, click, drag, NULL,
                                        wheel, NULL};

static void worse_tick(stn_camera *c, double dt, const stn_camera_world *w)
{
    stn_v3 at = stn_v3_add(stn_v3_add(w->target, w->shake), (stn_v3){0.0f, 0.0f, 15.0f});

    (void)dt;
    c->cc = w->target;
    c->has_cc = true;
    c->view = stn_m4_pointed(at, c->dist, c->elev, c->angl);
}

static void worse_drag(stn_camera *c, int x, int y)
{
    c->elev = clamped_elevation(c->elevorig - (float)(y - c->press_y) / 100.0f);
    c->angl = fmodf(c->anglorig + (float)(x - c->press_x) / 100.0f, STN_PI32 * 2.0f);
}

static void worse_wheel(stn_camera *c, double n)
{
    c->dist = fmaxf(c->dist + (float)(n * 25.0), 5.0f);
}

const struct camera_class camera_worse = {
    "worse", init, camera_base_projection, worse_tick, click, worse_drag, NULL, worse_wheel, NULL};

static void rts_projection(stn_camera *c)
{
    float n = fmaxf(1.0f, c->dist / 200.0f), f = 0.5f * n, far = c->dist * 4.0f + 5000.0f,
          a = camera_aspect(c);

    c->proj = stn_m4_frustum(-f, f, -a * f, a * f, n, far);
}

static void rts_tick(stn_camera *c, double dt, const stn_camera_world *w)
{
    stn_v3 t = w->target;
    float z;

    if (c->has_centre) {
        if (w->height && w->height(w->arg, c->centre_x, c->centre_y, &z))
            c->centre_z = z;
        t = (stn_v3){(float)c->centre_x, -(float)c->centre_y, c->centre_z};
    } else {
        c->centre_z = t.z;
    }
    smooth(c, dt, t);
    rts_projection(c);
}

static void rts_click(stn_camera *c, bool ctrl)
{
    c->rotating = ctrl;
    if (ctrl) {
        click(c, ctrl);
        return;
    }
    c->press_cx = c->has_centre ? c->centre_x : (double)c->target.x;
    c->press_cy = c->has_centre ? c->centre_y : -(double)c->target.y;
}

/* Where the map point is on the screen, at the height of the followed object. */
static stn_v3 on_screen(const stn_camera *c, double x, double y)
{
    stn_m4 one = stn_m4_identity();
    stn_v4 clip = stn_project_clip(&one, &c->view, &c->proj, (stn_v3){(float)x, -(float)y, c->target.z});

    return stn_project_view(clip, 0.0f, 0.0f, (float)c->w, (float)c->h);
}

static void rts_drag(stn_camera *c, int x, int y)
{
    double ox = c->press_cx, oy = c->press_cy, sx, sy, a, b, cc, e, det;
    stn_v3 p0, px, py;

    if (c->rotating) {
        drag(c, x, y);
        return;
    }
    p0 = on_screen(c, ox, oy);
    px = on_screen(c, ox + 1.0, oy);
    py = on_screen(c, ox, oy + 1.0);
    a = (double)(px.x - p0.x);
    b = (double)(py.x - p0.x);
    cc = (double)(px.y - p0.y);
    e = (double)(py.y - p0.y);
    det = a * e - b * cc;
    if (!(fabs(det) >= 1e-9))
        return;
    sx = (double)(x - c->press_x);
    sy = (double)(y - c->press_y);
    c->centre_x = ox - (e * sx - b * sy) / det;
    c->centre_y = oy - (a * sy - cc * sx) / det;
    c->has_centre = true;
}

static void zoom(stn_camera *c, float factor)
{
    c->tdist = fminf(fmaxf(c->tdist * factor, 5.0f), 20000.0f);
}

static void rts_wheel(stn_camera *c, double n)
{
    zoom(c, (float)pow(1.15, n));
}

static void rts_press(stn_camera *c, stn_camera_key key)
{
    const float eighth = (float)(STN_PI / 8.0);

    switch (key) {
    case STN_CAMERA_LEFT:
        c->tangl = c->tangl - eighth;
        break;
    case STN_CAMERA_RIGHT:
        c->tangl = c->tangl + eighth;
        break;
    case STN_CAMERA_IN:
        zoom(c, 1.0f / 1.4f);
        break;
    case STN_CAMERA_OUT:
        zoom(c, 1.4f);
        break;
    case STN_CAMERA_RESET:
        c->has_centre = false;
        break;
    }
}

const struct camera_class camera_rts = {"rts",    init, rts_projection, rts_tick, rts_click,
                                        rts_drag, NULL, rts_wheel,      rts_press};
