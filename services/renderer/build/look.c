#include "renderer/build/look.h"

#include "base/arena.h"
#include "base/log.h"
#include "renderer/scene/order.h"
#include "renderer/sprite/material.h"

#include <string.h>

static bool set(const stn_state *s, stn_sprite_slot slot)
{
    return s->presence[slot] == STN_SET;
}

/* A write of nothing, as against no write at all. */
static bool hidden(const stn_state *s, stn_sprite_slot slot)
{
    return s->presence[slot] == STN_NOTHING;
}

static uint32_t texture(stn_store *s, const stn_tex_ref *t)
{
    return t->tex ? stn_store_texture(s, t->res, t->tex) : 0;
}

static void colours(const stn_state *st, stn_matstate *m)
{
    if (set(st, STN_SLOT_PHONG)) {
        const stn_phong *p = &st->values[STN_SLOT_PHONG].u.phong;

        m->features |= STN_MAT_LIT;
        memcpy(m->amb, p->ambient, sizeof m->amb);
        memcpy(m->dif, p->diffuse, sizeof m->dif);
        memcpy(m->spc, p->specular, sizeof m->spc);
        memcpy(m->emi, p->emission, sizeof m->emi);
        m->shine = p->shine;
    }
    if (set(st, STN_SLOT_CEL)) {
        m->features |= st->values[STN_SLOT_CEL].u.cel.diffuse ? STN_MAT_CEL_D : 0;
        m->features |= st->values[STN_SLOT_CEL].u.cel.specular ? STN_MAT_CEL_S : 0;
    }
    if (set(st, STN_SLOT_BASECOLOR))
        memcpy(m->base, st->values[STN_SLOT_BASECOLOR].u.color, sizeof m->base);
    if (set(st, STN_SLOT_ENVREF)) {
        m->features |= STN_MAT_ENV;
        memcpy(m->env, st->values[STN_SLOT_ENVREF].u.color, sizeof m->env);
    }
}

static void textures(stn_store *s, const stn_state *st, stn_matstate *m)
{
    if (set(st, STN_SLOT_TEX)) {
        m->features |= STN_MAT_TEX;
        m->texture[STN_MAT_T_BASE] = texture(s, &st->values[STN_SLOT_TEX].u.tex);
        if (set(st, STN_SLOT_TEXCLIP))
            m->features |= STN_MAT_ALPHATEST;
    }
    if (set(st, STN_SLOT_OTEX)) {
        static const uint32_t modes[] = {STN_MAT_OVERLAY_CP, STN_MAT_OVERLAY_OL, STN_MAT_OVERLAY_A};

        m->features |= modes[st->values[STN_SLOT_OTEX].u.otex.mode];
        m->texture[STN_MAT_T_OVERLAY] = texture(s, &st->values[STN_SLOT_OTEX].u.otex.tex);
    }
    if (set(st, STN_SLOT_TEXPAL)) {
        m->features |= STN_MAT_PAL;
        m->texture[STN_MAT_T_PAL] = texture(s, &st->values[STN_SLOT_TEXPAL].u.tex);
    }
    if (set(st, STN_SLOT_BUMP)) {
        bool by_overlay = st->values[STN_SLOT_BUMP].u.bump.otex &&
                          (m->features & (STN_MAT_OVERLAY_A | STN_MAT_OVERLAY_CP | STN_MAT_OVERLAY_OL));

        m->features |= STN_MAT_BUMP | (by_overlay ? STN_MAT_BUMP_OTEX : 0);
        m->texture[STN_MAT_T_BUMP] = texture(s, &st->values[STN_SLOT_BUMP].u.bump.tex);
        if (!by_overlay && !(m->features & STN_MAT_TEX))
            m->features &= ~(uint32_t)STN_MAT_BUMP; /* no coordinate to read it at */
    }
    if (set(st, STN_SLOT_TEXROT))
        memcpy(m->scroll, st->values[STN_SLOT_TEXROT].u.rot, sizeof m->scroll);
}

static uint8_t blend_fn(uint8_t fn)
{
    static const uint8_t map[] = {[STN_MIX_ADD] = STN_BM_ADD,
                                  [STN_MIX_SUB] = STN_BM_SUB,
                                  [STN_MIX_RSUB] = STN_BM_RSUB,
                                  [STN_MIX_MIN] = STN_BM_MIN,
                                  [STN_MIX_MAX] = STN_BM_MAX};

    return fn < sizeof map ? map[fn] : STN_BM_ADD;
}

static void fixed(const stn_state *st, stn_matstate *m)
{
    m->no_cull = hidden(st, STN_SLOT_FACECULL);
    m->no_depth_write = set(st, STN_SLOT_MASKDEPTH);
    m->no_depth_test = hidden(st, STN_SLOT_DEPTHTEST);
    m->no_colour = hidden(st, STN_SLOT_FRAGCOL);
    m->no_normal = hidden(st, STN_SLOT_NORMAL);
    m->no_shadow = set(st, STN_SLOT_MASKSHADOW);
    if (set(st, STN_SLOT_BLEND)) {
        const stn_sprite_blend *b = &st->values[STN_SLOT_BLEND].u.blend;

        m->blend = (stn_blendmode){blend_fn(b->fn),       b->src,       b->dst,
                                   blend_fn(b->alpha_fn), b->alpha_src, b->alpha_dst};
    }
    if (set(st, STN_SLOT_ORDER)) {
        const stn_order *o = &st->values[STN_SLOT_ORDER].u.order;

        m->order = o->main;
        m->suborder = o->composite ? stn_order_creature(o->z1, o->z2) : 0;
    }
}

void stn_look_of_state(stn_store *s, const stn_state *state, stn_matstate *out)
{
    *out = stn_matstate_default();
    colours(state, out);
    textures(s, state, out);
    fixed(state, out);
}

/* The ops of one material around what is inside. */
static stn_sprite_fault enter(stn_store *s, const char *name, int32_t version, int32_t id, stn_state *state,
                              stn_arena *arena, stn_err *err)
{
    const stn_sprite_res *res;
    const stn_res_mat *mat;
    stn_sprite_mat built;
    stn_sprite_fault f = stn_store_get(s, name, version, &res, err);
    stn_level level;

    if (f != STN_SPRITE_OK)
        return f;
    mat = stn_material_find(res, id);
    if (!mat)
        return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "%s has no material %d", name, id);
    f = stn_material_build(stn_store_source(s), res, mat, arena, &built, err);
    if (f != STN_SPRITE_OK)
        return f;
    level = (stn_level){built.statics, true};
    f = stn_state_enter(state, &level, arena, err);
    if (f == STN_SPRITE_OK && built.dynamics.count) {
        level = (stn_level){built.dynamics, false};
        f = stn_state_enter(state, &level, arena, err);
    }
    return f;
}

stn_sprite_fault stn_look_of_material(stn_store *s, const char *name, int32_t version, int32_t id,
                                      const char *outer, int32_t outer_version, int32_t outer_id,
                                      stn_matstate *out, stn_err *err)
{
    static stn_log_once once;
    stn_arena *arena = stn_arena_new(4096, 1u << 20);
    stn_state state;
    stn_sprite_fault f = STN_SPRITE_OK;

    if (!arena)
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "material");
    stn_state_clear(&state);
    if (outer)
        f = enter(s, outer, outer_version, outer_id, &state, arena, err);
    if (f == STN_SPRITE_OK && name)
        f = enter(s, name, version, id, &state, arena, err);
    if (f == STN_SPRITE_OK) {
        stn_look_of_state(s, &state, out);
    } else if (f != STN_SPRITE_LOADING) {
        if (stn_log_due(&once))
            stn_log_warn("ground material: %s; plain grey instead", err ? err->text : "?");
        *out = stn_matstate_default();
        out->features = STN_MAT_LIT;
        out->base[0] = out->base[1] = out->base[2] = 0.5f;
        f = STN_SPRITE_OK;
    }
    stn_arena_free(arena);
    return f;
}
