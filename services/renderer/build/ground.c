#include "renderer/build/ground.h"

#include "renderer/build/look.h"

#include <string.h>

static void grey(float *c, float v)
{
    c[0] = c[1] = c[2] = v;
    c[3] = 1.0f;
}

/* The fixed light of flat ground: ambient half, diffuse full. */
static void flat_light(stn_matstate *m)
{
    m->features |= STN_MAT_LIT;
    grey(m->amb, 128.0f / 255.0f);
    grey(m->dif, 1.0f);
    grey(m->spc, 0.0f);
    grey(m->emi, 0.0f);
    m->shine = 0.0f;
}

/* The mask image of a set of tiles; 0 while it is not there or when there is none. */
static stn_sprite_fault atlas(stn_store *s, const stn_ground_mesh *g, uint32_t *asset, float cell[2],
                              stn_err *err)
{
    const stn_sprite_res *res;
    stn_sprite_fault f;

    *asset = 0;
    if (!g->atlas[0])
        return STN_SPRITE_OK;
    f = stn_store_get(s, g->atlas, g->atlas_version, &res, err);
    if (f == STN_SPRITE_LOADING)
        return f;
    if (f == STN_SPRITE_OK) {
        *asset = stn_store_atlas(s, res);
        stn_store_atlas_cell(s, res, cell);
    }
    return STN_SPRITE_OK; /* without it: the placeholder, which is seen and said */
}

static void water(stn_matstate *m)
{
    static const stn_blendmode add = {STN_BM_ADD, STN_BM_ONE, STN_BM_ONE, STN_BM_ADD, STN_BM_ONE, STN_BM_ONE};

    *m = stn_matstate_default();
    m->features = STN_MAT_WATER;
    m->blend = add;
    m->bias_factor = m->bias_units = 2.0f;
    m->order = STN_ORDER_WATER;
}

static void foam(stn_matstate *m)
{
    static const stn_blendmode add = {STN_BM_ADD, STN_BM_ONE, STN_BM_ONE, STN_BM_ADD, STN_BM_ONE, STN_BM_ONE};

    *m = stn_matstate_default();
    m->features = STN_MAT_FOAM | STN_MAT_LIT;
    grey(m->amb, 1.0f);
    grey(m->dif, 128.0f / 255.0f);
    grey(m->spc, 0.0f);
    m->blend = add;
    m->no_shadow = true;
    m->order = STN_ORDER_FOAM;
}

static stn_sprite_fault from_resource(stn_store *s, const stn_ground_mesh *g, stn_matstate *out, stn_err *err)
{
    stn_sprite_fault f =
        stn_look_of_material(s, g->material[0] ? g->material : NULL, g->material_version, g->material_id,
                             g->common[0] ? g->common : NULL, g->common_version, g->common_id, out, err);

    if (f == STN_SPRITE_OK && !(out->features & STN_MAT_LIT))
        flat_light(out);
    return f;
}

stn_sprite_fault stn_ground_material(stn_store *s, const stn_ground_mesh *g, stn_matstate *out, bool *casts,
                                     stn_err *err)
{
    stn_sprite_fault f = STN_SPRITE_OK;
    uint32_t mask = 0;
    float cell[2] = {1.0f, 1.0f};

    *casts = g->kind == STN_GROUND_LAYER || g->kind == STN_GROUND_FLAT || g->kind == STN_GROUND_WALL;
    if (g->kind == STN_GROUND_WATER || g->kind == STN_GROUND_FOAM) {
        (g->kind == STN_GROUND_WATER ? water : foam)(out);
        out->features |= STN_MAT_TERRAIN | (g->on_grid ? STN_MAT_GRID : 0);
        return STN_SPRITE_OK;
    }
    f = atlas(s, g, &mask, cell, err);
    if (f != STN_SPRITE_OK)
        return f;
    if (g->kind == STN_GROUND_FLAT) {
        *out = stn_matstate_default();
        flat_light(out);
        out->features |= STN_MAT_TEX | STN_MAT_ATLAS | (g->clipped ? STN_MAT_ALPHATEST : 0);
        out->texture[STN_MAT_T_BASE] = mask;
    } else {
        f = from_resource(s, g, out, err);
        if (f != STN_SPRITE_OK)
            return f;
        if (g->kind == STN_GROUND_WALL) {
            out->features |= STN_MAT_WALL;
        } else {
            out->features |= STN_MAT_VCOL;
            out->features &=
                ~(uint32_t)STN_MAT_ALPHATEST; /* ground has no holes; its alpha is the layer's weight */
        }
        if (g->clipped && g->has_atlas && mask) {
            out->features |= STN_MAT_CLIP;
            out->texture[STN_MAT_T_CLIP] = mask;
            out->clip_threshold = 0.01f;
        }
    }
    out->features |= STN_MAT_TERRAIN | (g->on_grid ? STN_MAT_GRID : 0);
    memcpy(out->scroll, cell, sizeof out->scroll);
    if (g->bed) {
        out->features |= STN_MAT_BOTTOMFOG;
        out->bias_factor = out->bias_units = 4.0f;
    }
    out->order = g->main;
    /* Orders may be negative: flipped so that they sort as unsigned numbers. */
    out->suborder = (uint32_t)g->order ^ UINT32_C(0x80000000);
    return STN_SPRITE_OK;
}
