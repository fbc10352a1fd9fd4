/* camera_follow.c - the camera that trails behind the walker. rendering.md 5.2. */
#include "renderer/camera/camera_impl.h"

#include <math.h>

#define HEIGHT 10.0f

static float field(float e)
{
    const double f0 = 0.2, f1 = 0.5, f2 = 0.9, fl = sqrt(2.0);
    const double fa = (fl * (f1 - f0) - (f2 - f0)) / (fl - 2.0),
                 fb = ((f2 - f0) - 2.0 * (f1 - f0)) / (fl - 2.0);
    double t = (double)e / (STN_PI / 4.0);

    return (float)(f0 + fa * t + fb * sqrt(t));
}

static float fdist(const stn_camera *c, float e)
{
    float da = (float)atan((double)(camera_aspect(c) * field(e)));
    double h = (double)HEIGHT, ed = (double)e;

    return (float)(((((double)c->cd - h / tan(ed)) * sin((double)(e - da))) / sin((double)da)) - h / sin(ed));
}

static void init(stn_camera *c, const char *args)
{
    (void)args;
    c->elev = c->telev = STN_PI32 / 6.0f;
    c->angl = c->tangl = 0.0f;
}

static void resized(stn_camera *c)
{
    float f = field(c->elev), ca = camera_aspect(c);

    c->cd = 400.0f * ca;
    c->proj = stn_m4_frustum(-f, f, -ca * f, ca * f, 1.0f, 2000.0f);
}

static void turn(stn_camera *c, float k)
{
    const float round = (float)(2.0 * STN_PI);
    float d = c->tangl - c->angl;

    while ((double)d > STN_PI)
        d -= round;
    while ((double)d < -STN_PI)
        d += round;
    c->angl += d * k;
    if (fabs((double)(c->tangl - c->angl)) < 0.0001)
        c->angl = c->tangl;
}

static void trail(stn_camera *c, stn_v3 t, float k)
{
    float dx, dy, dd, pd;
    stn_v3 cb;

    if (!c->has_cc)
        c->cc = t;
    c->has_cc = true;
    dx = t.x - c->cc.x;
    dy = t.y - c->cc.y;
    dd = (float)sqrt((double)(dx * dx + dy * dy));
    if (dd > 250.0f) {
        c->cc = t;
    } else if (dd > 0.0f) {
        pd = (float)cos((double)c->elev) * fdist(c, c->elev);
        cb = (stn_v3){c->cc.x + (float)cos((double)c->tangl) * pd,
                      c->cc.y + (float)sin((double)c->tangl) * pd, 0.0f};
        c->cc = stn_v3_add(c->cc, stn_v3_mul(stn_v3_sub(t, c->cc), k));
        if ((double)stn_v3_dist(c->cc, t) < 0.01)
            c->cc = t;
        c->tangl = stn_v3_xyangle(c->cc, cb);
    }
}

static void tick(stn_camera *c, double dt, const stn_camera_world *w)
{
    float k = (float)(1.0 - pow(500.0, -dt)), f, ca = camera_aspect(c);
    stn_v3 at;

    camera_approach(&c->elev, c->telev, k, 0.0001);
    turn(c, k);
    trail(c, w->target, k);
    at = stn_v3_add(stn_v3_add(c->cc, w->shake), (stn_v3){0.0f, 0.0f, HEIGHT});
    c->dist = fdist(c, c->elev);
    c->view = stn_m4_pointed(at, c->dist, c->elev, c->angl);
    f = field(c->elev);
    c->proj = stn_m4_frustum(-f, f, -ca * f, ca * f, 1.0f, 2000.0f);
}

static void click(stn_camera *c, bool ctrl)
{
    (void)ctrl;
    c->anglorig = c->tangl;
}

static void drag(stn_camera *c, int x, int y)
{
    (void)y;
    c->tangl = fmodf(c->anglorig + (float)(x - c->press_x) / 100.0f, STN_PI32 * 2.0f);
}

static void wheel(stn_camera *c, double n)
{
    float before = c->telev;

    c->telev += ((float)n * c->telev) * 0.02f;
    if ((double)c->telev > STN_PI / 2.0 - 0.1)
        c->telev = (float)(STN_PI / 2.0 - 0.1);
    if (fdist(c, c->telev) < 50.0f)
        c->telev = before;
}

const struct camera_class camera_follow = {"follow", init, resized, tick, click, drag, NULL, wheel, NULL};
