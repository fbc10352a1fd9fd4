#include "renderer/camera/camera_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct camera_class *const classes[] = {&camera_ortho, &camera_bad,    &camera_worse,
                                                     &camera_rts,   &camera_follow, &camera_orthobase};

float camera_step(double k)
{
    return 1.0f - (float)pow(500.0, -k);
}

bool camera_near(stn_camera *c, stn_v3 t)
{
    bool jump = !c->has_cc || hypot((double)(t.x - c->cc.x), (double)(t.y - c->cc.y)) > 250.0;

    if (jump)
        c->cc = t;
    c->has_cc = true;
    return jump;
}

bool camera_approach(float *v, float t, float k, double threshold)
{
    *v = *v + (t - *v) * k;
    if (fabs((double)(t - *v)) < threshold) {
        *v = t;
        return true;
    }
    return false;
}

bool camera_turn(stn_camera *c, float k, double threshold)
{
    const float turn = (float)(2.0 * STN_PI);

    c->angl = c->angl + (c->tangl - c->angl) * k;
    while ((double)c->angl > 2.0 * STN_PI) {
        c->angl -= turn;
        c->tangl -= turn;
        c->anglorig -= turn;
    }
    while (c->angl < 0.0f) {
        c->angl += turn;
        c->tangl += turn;
        c->anglorig += turn;
    }
    if (fabs((double)(c->tangl - c->angl)) < threshold) {
        c->angl = c->tangl;
        return true;
    }
    return false;
}

void camera_base_projection(stn_camera *c)
{
    float a = camera_aspect(c);

    c->proj = stn_m4_frustum(-0.5f, 0.5f, -a * 0.5f, a * 0.5f, 1.0f, 2000.0f);
}

double camera_wrap(double a)
{
    if (!(fabs(a) < 1e6))
        return 0.0; /* not an angle; the loops would not end */
    while (a > STN_PI)
        a -= 2.0 * STN_PI;
    while (a < -STN_PI)
        a += 2.0 * STN_PI;
    return a;
}

static int side(int v)
{
    return v < 1 ? 1 : v;
}

stn_camera *stn_camera_new(const char *name, const char *args, int w, int h, int picture_w, int picture_h)
{
    stn_camera *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->cls = classes[0];
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (name && strcmp(classes[i]->name, name) == 0)
            c->cls = classes[i];
    if (!name || strcmp(c->cls->name, name) != 0)
        args = "";
    c->w = side(w);
    c->h = side(h);
    c->picture_w = side(picture_w);
    c->picture_h = side(picture_h);
    c->view = stn_m4_identity();
    c->cls->init(c, args ? args : "");
    c->cls->resized(c);
    return c;
}

void stn_camera_free(stn_camera *c)
{
    free(c);
}

const char *stn_camera_name(const stn_camera *c)
{
    return c->cls->name;
}

void stn_camera_resize(stn_camera *c, int w, int h, int picture_w, int picture_h)
{
    c->w = side(w);
    c->h = side(h);
    c->picture_w = side(picture_w);
    c->picture_h = side(picture_h);
    c->cls->resized(c);
}

void stn_camera_tick(stn_camera *c, double dt, const stn_camera_world *world)
{
    if (!(dt >= 0.0) || !stn_v3_finite(world->target))
        return; /* keep the last picture rather than a broken one */
    c->cls->tick(c, dt, world);
    c->target = world->target;
}

void stn_camera_click(stn_camera *c, int x, int y, bool ctrl)
{
    c->press_x = x;
    c->press_y = y;
    c->pressed = true;
    c->cls->click(c, ctrl);
}

void stn_camera_drag(stn_camera *c, int x, int y)
{
    if (c->pressed)
        c->cls->drag(c, x, y);
}

void stn_camera_release(stn_camera *c)
{
    c->pressed = false;
    if (c->cls->release)
        c->cls->release(c);
}

void stn_camera_wheel(stn_camera *c, double n)
{
    if (c->cls->wheel && n > -1000.0 && n < 1000.0)
        c->cls->wheel(c, n);
}

void stn_camera_press(stn_camera *c, stn_camera_key key)
{
    if (c->cls->press)
        c->cls->press(c, key);
}

void stn_camera_moved(stn_camera *c, double dx, double dy, bool known)
{
    c->has_cc = known && c->has_cc;
    c->cc.x += (float)dx;
    c->cc.y -= (float)dy;
    c->has_jc = false;
    c->has_centre = known && c->has_centre;
    c->centre_x += dx;
    c->centre_y += dy;
}

stn_m4 stn_camera_view(const stn_camera *c)
{
    return c->view;
}

stn_m4 stn_camera_proj(const stn_camera *c)
{
    return c->proj;
}

float stn_camera_angle(const stn_camera *c)
{
    return c->angl;
}

float stn_camera_elevation(const stn_camera *c)
{
    return c->elev;
}

float stn_camera_reach(const stn_camera *c)
{
    if (c->proj.m[15] != 0.0f)
        return c->field * 2.0f;
    return c->dist * 2.0f / (c->proj.m[0] > 0.01f ? c->proj.m[0] : 1.0f);
}
