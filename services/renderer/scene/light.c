#include "renderer/scene/light.h"

#include <stdlib.h>
#include <string.h>

#define FADE_SECONDS 2.0

stn_v4 stn_colour_f(stn_colour c)
{
    return (stn_v4){(float)c.r / 255.0f, (float)c.g / 255.0f, (float)c.b / 255.0f, (float)c.a / 255.0f};
}

stn_colour stn_colour_of_argb(uint32_t v)
{
    return (stn_colour){(uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v, (uint8_t)(v >> 24)};
}

uint32_t stn_colour_argb(stn_colour c)
{
    return (uint32_t)c.a << 24 | (uint32_t)c.r << 16 | (uint32_t)c.g << 8 | c.b;
}

static uint8_t step(uint8_t from, uint8_t to, double f)
{
    int v = from + (int)((double)(to - from) * f);

    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

stn_colour stn_colour_step(stn_colour from, stn_colour to, double f)
{
    return (stn_colour){step(from.r, to.r, f), step(from.g, to.g, f), step(from.b, to.b, f),
                        step(from.a, to.a, f)};
}

stn_v4 stn_colour_preblend(stn_v4 p, stn_v4 m)
{
    float a = p.w + m.w - p.w * m.w;

    if (a == 0.0f)
        return (stn_v4){0.0f, 0.0f, 0.0f, 0.0f};
    return (stn_v4){(m.x * m.w - p.x * m.w) / a + p.x, (m.y * m.w - p.y * m.w) / a + p.y,
                    (m.z * m.w - p.z * m.w) / a + p.z, a};
}

/* The view and the place of the slot are applied one after the other, as vectors: a combined matrix has other
 * bits. */
stn_v4 stn_light_dir(const stn_m4 *view, const stn_m4 *world, stn_v3 dir)
{
    stn_m4 m = stn_m4_mul(*view, *world);
    stn_v3 d = stn_v3_norm(dir);

    return stn_m4_v4(&m, (stn_v4){d.x, d.y, d.z, 0.0f});
}

stn_v4 stn_light_pos(const stn_m4 *view, const stn_m4 *world, stn_v3 p)
{
    stn_m4 m = stn_m4_mul(*view, *world);

    return stn_m4_v4(&m, (stn_v4){p.x, p.y, p.z, 1.0f});
}

stn_v4 stn_daylight_dir(double elev, double angle)
{
    stn_v3 d = stn_v3_norm(stn_v3_sph((float)elev, (float)angle, 1.0f));

    return (stn_v4){d.x, d.y, d.z, 0.0f};
}

void stn_light_order_fini(stn_light_order *o)
{
    free(o->items);
    memset(o, 0, sizeof *o);
}

bool stn_light_order_add(stn_light_order *o, uint64_t id, int priority)
{
    size_t at = 0;

    if (o->count == o->cap) {
        size_t cap = o->cap ? o->cap * 2 : 16;
        void *p = realloc(o->items, cap * sizeof *o->items);

        if (!p)
            return false;
        o->items = p;
        o->cap = cap;
    }
    while (at < o->count && o->items[at].priority > priority)
        at++;
    memmove(o->items + at + 1, o->items + at, (o->count - at) * sizeof *o->items);
    o->items[at].id = id;
    o->items[at].priority = priority;
    o->count++;
    return true;
}

bool stn_light_order_remove(stn_light_order *o, uint64_t id)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].id == id) {
            memmove(o->items + i, o->items + i + 1, (o->count - i - 1) * sizeof *o->items);
            o->count--;
            return true;
        }
    return false;
}

void stn_dayfade_init(stn_dayfade *f)
{
    memset(f, 0, sizeof *f);
    f->t = -1.0;
}

void stn_dayfade_set(stn_dayfade *f, const stn_daylight *target, bool increment)
{
    f->to = *target;
    if (!increment || !f->known) {
        f->now = *target;
        f->t = -1.0;
    } else {
        f->from = f->now;
        f->t = 0.0;
    }
    f->known = true;
}

static double wrap(double a)
{
    if (!(a > -1e6 && a < 1e6))
        return 0.0; /* not an angle: the loops below would not end */
    while (a > STN_PI)
        a -= 2.0 * STN_PI;
    while (a < -STN_PI)
        a += 2.0 * STN_PI;
    return a;
}

void stn_dayfade_tick(stn_dayfade *f, double dt)
{
    double k;

    if (f->t < 0.0)
        return;
    f->t += dt;
    if (f->t > FADE_SECONDS) {
        f->now = f->to;
        f->t = -1.0;
        return;
    }
    k = f->t / FADE_SECONDS;
    f->now.amb = stn_colour_step(f->from.amb, f->to.amb, k);
    f->now.dif = stn_colour_step(f->from.dif, f->to.dif, k);
    f->now.spc = stn_colour_step(f->from.spc, f->to.spc, k);
    f->now.angle = f->from.angle + k * wrap(f->to.angle - f->from.angle);
    f->now.elev = f->from.elev + k * wrap(f->to.elev - f->from.elev);
}
