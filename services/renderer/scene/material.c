#include "renderer/scene/material.h"

#include <string.h>

stn_blendmode stn_blend_scene(void)
{
    return (stn_blendmode){STN_BM_ADD, STN_BM_SRC_A, STN_BM_INV_SRC_A, STN_BM_MAX, STN_BM_ONE, STN_BM_ONE};
}

stn_matstate stn_matstate_default(void)
{
    return (stn_matstate){.amb = {0.2f, 0.2f, 0.2f, 1.0f},
                          .dif = {0.8f, 0.8f, 0.8f, 1.0f},
                          .spc = {0.0f, 0.0f, 0.0f, 1.0f},
                          .emi = {0.0f, 0.0f, 0.0f, 1.0f},
                          .base = {1.0f, 1.0f, 1.0f, 1.0f},
                          .period = 68.75f,
                          .blend = stn_blend_scene()};
}

static stn_status parse_half(const char *text, uint8_t *fn, uint8_t *src, uint8_t *dst, stn_err *err)
{
    static const char fns[] = "+-_><", factors[] = "01aAcC";
    const char *f = strchr(fns, text[0]), *s = strchr(factors, text[1]), *d = strchr(factors, text[2]);

    if (!f)
        return stn_fail(err, STN_BAD_DATA, "blend function '%c': one of %s expected", text[0], fns);
    if (!s || !d)
        return stn_fail(err, STN_BAD_DATA, "blend factor '%c': one of %s expected", s ? text[2] : text[1],
                        factors);
    *fn = (uint8_t)(f - fns);
    *src = (uint8_t)(s - factors);
    *dst = (uint8_t)(d - factors);
    return STN_OK;
}

stn_status stn_blend_parse(const char *text, stn_blendmode *out, stn_err *err)
{
    size_t len = strlen(text);
    stn_status st;

    if (len < 3)
        return stn_fail(err, STN_BAD_DATA, "blend \"%s\": three or six letters expected", text);
    st = parse_half(text, &out->colour_fn, &out->colour_src, &out->colour_dst, err);
    if (st == STN_OK)
        st = parse_half(len >= 6 ? text + 3 : text, &out->alpha_fn, &out->alpha_src, &out->alpha_dst, err);
    return st;
}
