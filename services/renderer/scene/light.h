/* light.h - lights as numbers: the sorted list of a scene, directions in eye space, and the fading day light.
 *
 * A list is sorted by priority, higher first, and among equals the newest first. Directions and positions are
 * taken to eye space with f32 matrices in the order of the reference. Source: docs/spec/rendering.md 8.2
 * (mask blending), 10.1, 10.2.
 */
#ifndef STN_RENDERER_SCENE_LIGHT_H
#define STN_RENDERER_SCENE_LIGHT_H

#include "renderer/scene/m4.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_colour {
    uint8_t r, g, b, a;
} stn_colour;

/* c / 255 for each channel, alpha too. */
stn_v4 stn_colour_f(stn_colour c);
/* From 0xAARRGGBB and back. */
stn_colour stn_colour_of_argb(uint32_t argb);
uint32_t stn_colour_argb(stn_colour c);
/* Each channel from + trunc((to - from) * f). */
stn_colour stn_colour_step(stn_colour from, stn_colour to, double f);
/* Colour mask p with m laid over it; both transparent gives zero. */
stn_v4 stn_colour_preblend(stn_v4 p, stn_v4 m);

/* V * W * (norm(dir), 0) and V * W * (pos, 1). */
stn_v4 stn_light_dir(const stn_m4 *view, const stn_m4 *world, stn_v3 dir);
stn_v4 stn_light_pos(const stn_m4 *view, const stn_m4 *world, stn_v3 pos);
/* Direction toward the day light, w = 0. */
stn_v4 stn_daylight_dir(double elev, double angle);

/* A light compiled for a frame: the form the shader reads. */
typedef struct stn_lit {
    stn_v4 pos; /* eye space; w = 0: direction toward the light */
    stn_v4 amb, dif, spc;
    float ac, al, aq, at;
} stn_lit;

/* The order of a list, by priority. */
typedef struct stn_light_order {
    struct {
        uint64_t id;
        int priority;
    } * items;
    size_t count, cap;
} stn_light_order;

void stn_light_order_fini(stn_light_order *o);
bool stn_light_order_add(stn_light_order *o, uint64_t id, int priority); /* false: out of memory */
bool stn_light_order_remove(stn_light_order *o, uint64_t id); /* false: not there */

/* The day light of the server, fading over two seconds when the message is an increment. */
typedef struct stn_daylight {
    stn_colour amb, dif, spc;
    double angle, elev; /* radians */
} stn_daylight;

typedef struct stn_dayfade {
    stn_daylight now, from, to;
    double t; /* seconds since the fade began, -1 = none runs */
    bool known; /* a message has come; before it there is no day light at all */
} stn_dayfade;

void stn_dayfade_init(stn_dayfade *f);
void stn_dayfade_set(stn_dayfade *f, const stn_daylight *target, bool increment);
void stn_dayfade_tick(stn_dayfade *f, double dt);

#endif
