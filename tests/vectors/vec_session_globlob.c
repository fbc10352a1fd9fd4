/* Global state: messages, ticks, and the state in between, to the bit. */
#include "vec_session.h"

#include "base/bytes.h"
#include "res/values.h"
#include "world/globals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool bits_are(const json_t *o, const char *key, double v)
{
    return strtoull(vec_text(o, key, "x"), NULL, 16) == stn_bits_of_f64(v);
}

static bool colour_is(const json_t *o, const char *key, bool have, const uint8_t c[4])
{
    const json_t *a = json_object_get(o, key);

    if (!json_is_array(a))
        return !have;
    for (size_t i = 0; i < 4; i++)
        if (!have || json_integer_value(json_array_get(a, i)) != c[i])
            return false;
    return true;
}

static bool resource_is(const json_t *o, const char *key, bool have, uint16_t id)
{
    const json_t *v = json_object_get(o, key);

    return json_is_integer(v) ? have && json_integer_value(v) == id : !have;
}

static bool calendar_is(const json_t *a, const stn_globals *g)
{
    if (!json_is_object(a))
        return !g->has_calendar;
    return bits_are(a, "dt", g->day) && bits_are(a, "mp", g->moon) && bits_are(a, "yt", g->year) &&
           json_is_true(json_object_get(a, "night")) == g->night &&
           colour_is(a, "mc", true, g->moon_colour) &&
           json_integer_value(json_object_get(a, "is")) == g->season && bits_are(a, "sp", g->season_part) &&
           bits_are(a, "sd", g->season_day) && bits_are(a, "years", g->years) &&
           bits_are(a, "ym", g->year_month) && bits_are(a, "md", g->month_day);
}

/* In the file by id; ours in order of coming. */
static bool weather_is(const json_t *list, const stn_globals *g, stn_arena *arena)
{
    if (json_array_size(list) != g->n_weather)
        return false;
    for (size_t i = 0; i < g->n_weather; i++) {
        bool found = false;

        for (size_t k = 0; k < json_array_size(list) && !found; k++) {
            const json_t *pair = json_array_get(list, k);
            stn_bytes in = stn_bytes_of(g->weather[i].args, g->weather[i].args_len);
            stn_values args;

            found = json_integer_value(json_array_get(pair, 0)) == g->weather[i].resid &&
                    stn_values_read(&in, arena, 64, &args, NULL, NULL, NULL) == STN_OK &&
                    vec_same_values(json_array_get(pair, 1), &args);
        }
        if (!found)
            return false;
    }
    return true;
}

static const char *differs(const json_t *o, const stn_globals *g, stn_arena *arena)
{
    float shader = (float)fmod(g->gtime, 10000.0);

    if (!bits_are(o, "gtime", g->gtime) || !bits_are(o, "sgtime", g->sgtime))
        return "time";
    if (!bits_are(o, "stimefac", g->stimefac) || !bits_are(o, "ctimefac", g->ctimefac))
        return "time factor";
    if (strtoull(vec_text(o, "globtime_shader", "x"), NULL, 16) != stn_bits_of_f32(shader))
        return "shader time";
    if (!colour_is(o, "amb", g->has_light, g->light.ambient) ||
        !colour_is(o, "dif", g->has_light, g->light.diffuse) ||
        !colour_is(o, "spc", g->has_light, g->light.specular))
        return "light colour";
    if (!bits_are(o, "ang", g->light.angle) || !bits_are(o, "elev", g->light.elevation) ||
        !bits_are(o, "lchange", g->change))
        return "light angle";
    if (!calendar_is(json_object_get(o, "ast"), g))
        return "calendar";
    if (!resource_is(o, "sky1", g->has_sky, g->sky) || !resource_is(o, "sky2", g->has_mix, g->mix) ||
        !bits_are(o, "skyblend", g->blend))
        return "sky";
    return weather_is(json_object_get(o, "weather"), g, arena) ? NULL : "weather";
}

void vec_session_globlob(vec_report *r, const char *dir)
{
    size_t len, it = 0;
    uint8_t *text = vec_read(dir, "globlob.jsonl", &len);
    stn_arena *arena = stn_arena_new(65536, 16u << 20);
    stn_globals g;
    double now = 0.0;
    unsigned line = 0;
    json_t *o;

    stn_globals_init(&g, 0.0);
    while (arena && text && (o = vec_jsonl_next((const char *)text, len, &it)) != NULL) {
        const char *k = vec_text(o, "k", "");

        line++;
        if (!strcmp(k, "start")) {
            stn_globals_fini(&g);
            now = vec_field_bits(o, "nowb");
            stn_globals_init(&g, now);
            stn_globals_tick(&g, now);
        } else if (!strcmp(k, "blob")) {
            size_t n;
            uint8_t *data = vec_field_hex(o, "data", &n);
            stn_err err = {0};

            if (stn_globals_message(&g, data, n, now, &err) != STN_OK)
                vec_fail(r, "globlob line %u: %s", line, err.text);
            free(data);
        } else if (!strcmp(k, "tick")) {
            now = vec_field_bits(o, "nowb");
            stn_globals_tick(&g, now);
        } else {
            const char *what;

            stn_arena_reset(arena);
            what = differs(o, &g, arena);
            if (what)
                vec_fail(r, "globlob line %u: the %s differs", line, what);
            else
                vec_pass(r);
        }
        json_decref(o);
    }
    stn_globals_fini(&g);
    stn_arena_free(arena);
    free(text);
}
