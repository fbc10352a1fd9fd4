/* world/globals.h - time of day, light, sky and weather as the server tells them. Pure.
 *
 * GLOBLOB messages set targets; stn_globals_tick() moves the shown time and light towards them as the
 * reference does, in its order of f64 operations. Clocks are seconds on any monotonic clock. Source:
 * docs/spec/session-protocol.md 10.
 */
#ifndef STN_WORLD_GLOBALS_H
#define STN_WORLD_GLOBALS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_WEATHER_MAX 256

typedef struct stn_light {
    uint8_t ambient[4], diffuse[4], specular[4]; /* r g b a */
    double angle, elevation; /* radians */
} stn_light;

typedef struct stn_weather {
    uint16_t resid;
    uint8_t *args; /* typed values as they came; owned */
    size_t args_len;
} stn_weather;

typedef struct stn_globals {
    /* time */
    double gtime; /* game seconds shown */
    double sgtime, epoch, stimefac, ctimefac;
    double last_tick; /* 0 = none yet */
    /* light */
    bool has_light;
    stn_light light, old, target; /* shown, before the change, after it */
    double change; /* seconds into the change; negative: none under way */
    /* sky, weather, calendar */
    bool has_sky, has_mix;
    uint16_t sky, mix;
    double blend;
    stn_weather weather[STN_WEATHER_MAX];
    size_t n_weather;
    bool has_calendar;
    double day, moon, year; /* each a part of its whole, 0..1 */
    bool night;
    uint8_t moon_colour[4];
    int32_t season;
    double season_part, season_day, years, year_month, month_day; /* the server's sp, sd, years, ym, md */
    uint32_t changes; /* grows with everything that a viewer should hear of */
} stn_globals;

void stn_globals_init(stn_globals *g, double now);
void stn_globals_fini(stn_globals *g);
/* One GLOBLOB. What stands before the malformed part has been taken. */
stn_status stn_globals_message(stn_globals *g, const uint8_t *data, size_t len, double now, stn_err *err);
/* now: the same clock. */
void stn_globals_tick(stn_globals *g, double now);

#endif
