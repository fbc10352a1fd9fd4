/* material.h - what a surface looks like, as a plain value.
 *
 * A material is the state of a drawn thing after all slots and wraps are composed: the feature bits choose
 * the shader, the numbers feed it, the rest is fixed-function state. Textures are ids of the renderer's
 * texture table (0 = none). Colours are linear memory values 0..1, nothing is sRGB.
 *
 * Source: docs/spec/rendering.md 9.2, 10.3, 11, 12, 13; docs/spec/sprites.md 10.3.
 */
#ifndef STN_RENDERER_SCENE_MATERIAL_H
#define STN_RENDERER_SCENE_MATERIAL_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    STN_MAT_LIT = 1u << 0, /* light by the formula of 10.4; without it full colour */
    STN_MAT_TEX = 1u << 1, /* base texture */
    STN_MAT_ALPHATEST = 1u << 2, /* discard where the base texture's alpha is under 0.5 */
    STN_MAT_VCOL = 1u << 3, /* vertex colour */
    STN_MAT_OVERLAY_CP = 1u << 4, /* at most one of the three overlay modes */
    STN_MAT_OVERLAY_OL = 1u << 5,
    STN_MAT_OVERLAY_A = 1u << 6,
    STN_MAT_BUMP = 1u << 7,
    STN_MAT_BUMP_OTEX = 1u << 8, /* bump is sampled at the overlay's coordinate */
    STN_MAT_HUE = 1u << 9,
    STN_MAT_PAL = 1u << 10,
    STN_MAT_CLIP = 1u << 11, /* transition alpha texture */
    STN_MAT_CEL_D = 1u << 12,
    STN_MAT_CEL_S = 1u << 13,
    STN_MAT_ENV = 1u << 14, /* sky reflection */
    STN_MAT_BOTTOMFOG = 1u << 15,
    STN_MAT_OBFOG = 1u << 16,
    STN_MAT_WATER = 1u << 17,
    STN_MAT_FOAM = 1u << 18,
    STN_MAT_SKIN = 1u << 19, /* bones: four indices and weights a vertex */
    STN_MAT_SWAY = 1u << 20, /* moves with the wind above its root */
    STN_MAT_TERRAIN = 1u << 21, /* the compact vertex of terrain products */
    STN_MAT_MORPH = 1u << 22, /* mesh animation: offsets from a texture of frames */
    STN_MAT_GRID = 1u << 23, /* terrain on the tile grid: x and y count tiles */
    STN_MAT_WALL = 1u << 24, /* terrain with texture coordinates of its own */
    STN_MAT_ATLAS = 1u << 25, /* terrain whose base texture is read at the atlas coordinate */
    STN_MAT_TINT = 1u << 26, /* a colour of the instance multiplies: points of smoke; not with MORPH */
    STN_MAT_CRACK = 1u << 27, /* damage: the instance's mix is red by its alpha, and tells how cracks turn */
};

/* Texture slots of a material; each slot has the texture unit of its number. */
enum { STN_MAT_T_BASE, STN_MAT_T_OVERLAY, STN_MAT_T_CLIP, STN_MAT_T_BUMP, STN_MAT_T_PAL, STN_MAT_T_COUNT };

enum { STN_BM_ADD, STN_BM_SUB, STN_BM_RSUB, STN_BM_MAX, STN_BM_MIN, STN_BM_FN_COUNT };
enum {
    STN_BM_ZERO,
    STN_BM_ONE,
    STN_BM_SRC_A,
    STN_BM_INV_SRC_A,
    STN_BM_SRC_C,
    STN_BM_INV_SRC_C,
    STN_BM_FACTOR_COUNT
};
typedef struct stn_blendmode {
    uint8_t colour_fn, colour_src, colour_dst, alpha_fn, alpha_src, alpha_dst;
} stn_blendmode;

/* Draw order, main part. Source: rendering.md 13. */
enum {
    STN_ORDER_FIRST = INT32_MIN,
    STN_ORDER_DEFAULT = 0,
    STN_ORDER_PREMAP = 990,
    STN_ORDER_TERRAIN = 1000,
    STN_ORDER_DECAL = 1001,
    STN_ORDER_OVERLAY = 1002,
    STN_ORDER_POSTMAP = 1010,
    STN_ORDER_EARLYEYE = 4500,
    STN_ORDER_OUTLINE = 5000,
    STN_ORDER_PFX = 5500,
    STN_ORDER_WATER = 6000,
    STN_ORDER_FOAM = 6001,
    STN_ORDER_EYE = 10000,
    STN_ORDER_LAST = INT32_MAX
};

/* Without padding, so that equal materials are equal bytes. */
typedef struct stn_matstate {
    uint32_t features;
    uint32_t texture[STN_MAT_T_COUNT];
    float amb[4], dif[4], spc[4], emi[4], shine;
    float base[4]; /* multiplies; 1,1,1,1 = none */
    float mask[4]; /* colour blend before the light; alpha 0 = none */
    float hue[3]; /* target, amount, saturation factor */
    float clip_threshold;
    float env[4];
    float scroll[2]; /* texture coordinates move by this a second; terrain: what a tile takes of its atlas */
    float period; /* terrain: units of map space to a repeat of the texture, 68.75 for 6.25 tiles */
    stn_blendmode blend;
    bool no_cull, no_depth_write, no_depth_test, no_colour, no_normal, no_shadow;
    float bias_factor, bias_units;
    int32_t order;
    uint32_t suborder;
} stn_matstate;

_Static_assert(sizeof(stn_matstate) == sizeof(uint32_t) * (1 + STN_MAT_T_COUNT) +
                                           sizeof(float) * (4 * 7 + 1 + 3 + 1 + 2 + 1 + 2) + 12 + 8,
               "stn_matstate has padding");

/* Unlit white, scene blend, order 0. */
stn_matstate stn_matstate_default(void);
/* The scene's own: colour over by alpha, alpha MAX. */
stn_blendmode stn_blend_scene(void);
/* "+a1", "+aA+11": function, source, destination, once or for colour and alpha. STN_BAD_DATA names the
 * letter. */
stn_status stn_blend_parse(const char *text, stn_blendmode *out, stn_err *err);

#endif
