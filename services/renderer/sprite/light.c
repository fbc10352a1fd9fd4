#include "renderer/sprite/light.h"

#include <string.h>

#define CUTOFF 0.1f

static void color(const uint8_t from[4], float to[4])
{
    for (int i = 0; i < 4; i++)
        to[i] = (float)from[i] / 255.0f;
}

stn_sprite_fault stn_light_of(const stn_res_light *layer, stn_light *out, stn_err *err)
{
    memset(out, 0, sizeof *out);
    color(layer->ambient, out->ambient);
    color(layer->diffuse, out->diffuse);
    color(layer->specular, out->specular);
    if (layer->has_att) {
        out->kind = layer->has_exp ? STN_LIGHT_SPOT : STN_LIGHT_POINT;
        memcpy(out->attenuation, layer->att, sizeof layer->att);
        out->attenuation[3] = CUTOFF;
    } else {
        out->kind = STN_LIGHT_DIRECTION;
    }
    if (out->kind != STN_LIGHT_POINT && !layer->has_dir)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "light %d: no direction", layer->id);
    if (layer->has_dir)
        out->direction = stn_sprite_vec_norm((stn_sprite_vec){layer->dir[0], layer->dir[1], layer->dir[2]});
    out->exponent = layer->exp;
    return STN_SPRITE_OK;
}
