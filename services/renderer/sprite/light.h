/* light.h - a `light` layer as the renderer's light. Source: docs/spec/sprites.md 12.2. */
#ifndef STN_SPRITE_LIGHT_H
#define STN_SPRITE_LIGHT_H

#include "renderer/sprite/fault.h"
#include "renderer/sprite/quat.h"
#include "res/layers.h"

typedef enum stn_light_kind { STN_LIGHT_DIRECTION, STN_LIGHT_POINT, STN_LIGHT_SPOT } stn_light_kind;

typedef struct stn_light {
    stn_light_kind kind;
    float ambient[4], diffuse[4], specular[4];
    float attenuation[4]; /* constant, linear, quadratic, cutoff; POINT and SPOT, which stand at the origin */
    stn_sprite_vec direction; /* DIRECTION, SPOT; length 1 */
    float exponent; /* SPOT */
} stn_light;

/* MALFORMED: neither a place nor a direction. */
stn_sprite_fault stn_light_of(const stn_res_light *layer, stn_light *out, stn_err *err);

#endif
