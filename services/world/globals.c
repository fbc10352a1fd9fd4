#include "world/globals.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "res/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define ARENA_MAX (4u << 20)
#define ANGLE_MAX 1e6
#define LIGHT_CHANGE_S 2.0

void stn_globals_init(stn_globals *g, double now)
{
    *g = (stn_globals){.epoch = now, .stimefac = 3.0, .ctimefac = 3.0, .change = -1};
}

static void drop_weather(stn_globals *g, size_t i)
{
    free(g->weather[i].args);
    memmove(&g->weather[i], &g->weather[i + 1], (g->n_weather - i - 1) * sizeof g->weather[0]);
    g->n_weather--;
}

void stn_globals_fini(stn_globals *g)
{
    while (g->n_weather > 0)
        drop_weather(g, g->n_weather - 1);
}

static stn_status number(const stn_values *v, uint32_t i, double *out, stn_err *err)
{
    if (i >= v->count)
        return stn_fail(err, STN_BAD_DATA, "global state: value %u of %u is missing", i, v->count);
    return stn_value_as_double(&v->items[i], out, err);
}

static stn_status on_tm(stn_globals *g, const stn_values *v, bool inc, double now, stn_err *err)
{
    double s, delta = now - g->epoch;
    stn_status st = number(v, 0, &s, err);

    if (st != STN_OK)
        return st;
    if (!isfinite(s))
        return stn_fail(err, STN_BAD_DATA, "global state: the time is not a finite number");
    g->epoch = now;
    if (g->sgtime == 0.0 || !inc || fabs(s - g->sgtime) > 500.0) {
        g->gtime = g->sgtime = s;
        return STN_OK;
    }
    if (s - g->sgtime > 1.0 && delta > 0.0) {
        double u = (s - g->sgtime) / delta, f = fmin(delta * 0.01, 0.5);
        g->stimefac = g->stimefac * (1.0 - f) + u * f;
    }
    g->sgtime = s;
    return STN_OK;
}

static stn_status on_light(stn_globals *g, const stn_values *v, bool inc, stn_err *err)
{
    stn_light l;
    uint8_t *const colours[3] = {l.ambient, l.diffuse, l.specular};
    stn_status st;

    for (uint32_t i = 0; i < 3; i++) {
        if (i >= v->count)
            return stn_fail(err, STN_BAD_DATA, "global state: a light has three colours, %u came", v->count);
        if ((st = stn_value_as_color(&v->items[i], colours[i], err)) != STN_OK)
            return st;
    }
    if ((st = number(v, 3, &l.angle, err)) != STN_OK || (st = number(v, 4, &l.elevation, err)) != STN_OK)
        return st;
    if (!(fabs(l.angle) <= ANGLE_MAX) || !(fabs(l.elevation) <= ANGLE_MAX))
        return stn_fail(err, STN_BAD_DATA, "global state: light angles %g, %g", l.angle, l.elevation);
    g->target = l;
    if (!inc || !g->has_light) {
        g->light = l;
        g->change = -1;
    } else {
        g->old = g->light;
        g->change = 0;
    }
    g->has_light = true;
    return STN_OK;
}

static stn_status on_astro(stn_globals *g, const stn_values *v, stn_err *err)
{
    double day, moon, year, more[5] = {0.5, 0.5, 0.5, 0.5, 0.5};
    bool night = false;
    uint8_t moon_colour[4];
    int32_t season = 1;
    stn_status st;

    if ((st = number(v, 0, &day, err)) != STN_OK || (st = number(v, 1, &moon, err)) != STN_OK ||
        (st = number(v, 2, &year, err)) != STN_OK)
        return st;
    if (v->count < 5)
        return stn_fail(err, STN_BAD_DATA, "global state: the calendar has at least five values, %u came",
                        v->count);
    if ((st = stn_value_as_bool(&v->items[3], &night, err)) != STN_OK ||
        (st = stn_value_as_color(&v->items[4], moon_colour, err)) != STN_OK)
        return st;
    if (v->count > 5 && (st = stn_value_as_int(&v->items[5], &season, err)) != STN_OK)
        return st;
    for (uint32_t i = 0; i < 5 && 6 + i < v->count; i++)
        if ((st = number(v, 6 + i, &more[i], err)) != STN_OK)
            return st;
    g->has_calendar = true;
    g->day = isfinite(day) ? day : 0;
    g->moon = isfinite(moon) ? moon : 0;
    g->year = isfinite(year) ? year : 0;
    g->night = night;
    memcpy(g->moon_colour, moon_colour, sizeof moon_colour);
    g->season = season;
    g->season_part = more[0];
    g->season_day = more[1];
    g->years = more[2];
    g->year_month = more[3];
    g->month_day = more[4];
    return STN_OK;
}

/* A session resource id; anything else is no resource that we could name. */
static bool resource(const stn_value *v, uint16_t *out)
{
    int32_t id;
    if (v->kind != STN_VALUE_RESID && !stn_value_is_number(v))
        return false;
    if (v->kind == STN_VALUE_RESID)
        id = v->u.i;
    else if (stn_value_as_int(v, &id, NULL) != STN_OK)
        return false;
    if (id < 0 || id > 65534)
        return false;
    *out = (uint16_t)id;
    return true;
}

static stn_status on_sky(stn_globals *g, const stn_values *v, stn_err *err)
{
    uint16_t sky = 0, mix = 0;
    double blend = 0;
    bool has_sky = v->count > 0 && resource(&v->items[0], &sky),
         has_mix = v->count > 1 && resource(&v->items[1], &mix);
    stn_status st;

    if (has_mix && (st = number(v, 2, &blend, err)) != STN_OK)
        return st;
    g->has_sky = has_sky;
    g->has_mix = has_mix;
    g->sky = sky;
    g->mix = mix;
    g->blend = isfinite(blend) ? blend : 0;
    return STN_OK;
}

static stn_status set_weather(stn_globals *g, uint16_t resid, const stn_values *args, stn_err *err)
{
    stn_buf out = {.max = 65536};
    size_t i;
    stn_status st = stn_values_write(&out, args, false, err);

    if (st != STN_OK || out.failed) {
        stn_buf_fini(&out);
        return st != STN_OK ? st : stn_fail(err, STN_TOO_BIG, "global state: arguments of a weather");
    }
    for (i = 0; i < g->n_weather && g->weather[i].resid != resid; i++)
        ;
    if (i == STN_WEATHER_MAX) {
        stn_buf_fini(&out);
        return stn_fail(err, STN_TOO_BIG, "global state: more than %d weathers at once", STN_WEATHER_MAX);
    }
    if (i == g->n_weather)
        g->weather[g->n_weather++] = (stn_weather){.resid = resid};
    free(g->weather[i].args);
    g->weather[i].args = stn_buf_take(&out, &g->weather[i].args_len);
    return STN_OK;
}

static stn_status on_weather(stn_globals *g, const stn_values *v, bool inc, stn_err *err)
{
    uint16_t named[STN_WEATHER_MAX];
    size_t n = 0;
    stn_status st;

    for (uint32_t i = 0; i + 1 < v->count && n < STN_WEATHER_MAX; i += 2) {
        if (!resource(&v->items[i], &named[n]) || v->items[i + 1].kind != STN_VALUE_LIST)
            return stn_fail(err, STN_BAD_DATA, "global state: weather %u is not a resource and a list",
                            i / 2);
        n++;
    }
    for (size_t i = 0; i < g->n_weather;) {
        bool keep = false;
        for (size_t k = 0; k < n && inc; k++)
            keep |= g->weather[i].resid == named[k];
        if (keep)
            i++;
        else
            drop_weather(g, i);
    }
    for (size_t k = 0; k < n; k++)
        if ((st = set_weather(g, named[k], &v->items[2 * k + 1].u.list, err)) != STN_OK)
            return st;
    return STN_OK;
}

stn_status stn_globals_message(stn_globals *g, const uint8_t *data, size_t len, double now, stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);
    bool inc = stn_bytes_u8(&in) != 0;
    stn_arena *arena = stn_arena_new(4096, ARENA_MAX);
    stn_status st = arena ? STN_OK : stn_fail(err, STN_NO_MEMORY, "global state");

    if (st == STN_OK && !stn_bytes_ok(&in))
        st = stn_fail(err, STN_TRUNCATED, "global state of no bytes");
    while (st == STN_OK && stn_bytes_left(&in) > 0) {
        const char *name = stn_bytes_cstr(&in, NULL);
        stn_values v;
        if (!name) {
            st = stn_fail(err, STN_TRUNCATED, "global state: a name has no end");
            break;
        }
        if ((st = stn_values_read(&in, arena, DEPTH_MAX, &v, NULL, NULL, err)) != STN_OK)
            break;
        if (!strcmp(name, "tm"))
            st = on_tm(g, &v, inc, now, err);
        else if (!strcmp(name, "light"))
            st = on_light(g, &v, inc, err);
        else if (!strcmp(name, "astro"))
            st = on_astro(g, &v, err);
        else if (!strcmp(name, "sky"))
            st = on_sky(g, &v, err);
        else if (!strcmp(name, "wth"))
            st = on_weather(g, &v, inc, err);
    }
    g->changes++;
    stn_arena_free(arena);
    return st;
}

/* The short way round, as the reference wraps it. The input is bounded, so the loops are. */
static double wrap(double d)
{
    while (d > M_PI)
        d -= 2 * M_PI;
    while (d < -M_PI)
        d += 2 * M_PI;
    return d;
}

static void blend_colour(uint8_t out[4], const uint8_t o[4], const uint8_t t[4], double a)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)((int)o[i] + (int)((double)((int)t[i] - (int)o[i]) * a));
}

static void tick_light(stn_globals *g, double dt)
{
    double a;

    if (g->change < 0)
        return;
    g->changes++;
    g->change += dt;
    if (g->change > LIGHT_CHANGE_S) {
        g->change = -1;
        g->light = g->target;
        return;
    }
    a = g->change / LIGHT_CHANGE_S;
    blend_colour(g->light.ambient, g->old.ambient, g->target.ambient, a);
    blend_colour(g->light.diffuse, g->old.diffuse, g->target.diffuse, a);
    blend_colour(g->light.specular, g->old.specular, g->target.specular, a);
    g->light.angle = g->old.angle + a * wrap(g->target.angle - g->old.angle);
    g->light.elevation = g->old.elevation + a * wrap(g->target.elevation - g->old.elevation);
}

static double sign(double v)
{
    return v > 0 ? 1.0 : v < 0 ? -1.0 : 0.0;
}

void stn_globals_tick(stn_globals *g, double now)
{
    double dt = g->last_tick == 0.0 ? 0.0 : fmax(now - g->last_tick, 0.0), est;

    g->last_tick = now;
    tick_light(g, dt);
    est = g->sgtime + (now - g->epoch) * g->stimefac;
    g->gtime += dt * g->ctimefac;
    if (est > g->gtime && g->ctimefac / g->stimefac < 1.1)
        g->ctimefac += fmin((est - g->gtime) * 0.001, 0.02) * dt;
    else if (est < g->gtime && g->stimefac / g->ctimefac < 1.1)
        g->ctimefac -= fmin((g->gtime - est) * 0.001, 0.02) * dt;
    g->ctimefac += sign(g->stimefac - g->ctimefac) * 0.002 * dt;
}
