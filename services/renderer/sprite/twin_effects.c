/* twin_effects.c - the light of a fire, and smoke. Source: docs/spec/sprites.md 21.4, 21.5. */
#include "renderer/sprite/internal.h"

#include "base/bytes.h"
#include "num/small_float.h"
#include "renderer/sprite/boneoff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE 11.0f
#define ORDER_EYE 10000

/* ---- light ---- */

typedef struct flicker_args {
    const stn_sprite_res *res;
    int32_t id; /* of the light layer, -1 = the first */
    float at[3];
    float min, rate;
} flicker_args;

static stn_sprite_fault light_layer(const stn_sprite *sprite, const flicker_args *a,
                                    const stn_res_layer **out, stn_err *err)
{
    *out = a->id >= 0 ? stn_res_find(a->res->res, STN_LAYER_LIGHT, a->id)
                      : stn_res_first(a->res->res, STN_LAYER_LIGHT);
    if (!*out)
        return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "%.80s: light %d of %.80s, which has none",
                               sprite->res->name, a->id, a->res->name);
    return STN_SPRITE_OK;
}

static bool moved(const float at[3])
{
    return at[0] != 0 || at[1] != 0 || at[2] != 0;
}

static stn_dyn place_at(const float at[3])
{
    return (stn_dyn){.kind = STN_DYN_PLACE,
                     .place = stn_mat4_translate((stn_sprite_vec){at[0], at[1], at[2]})};
}

static void named_argument(flicker_args *a, const char *name, const stn_value *v)
{
    static const char *const names[] = {"x", "y", "z", "min", "rate"};
    float *const to[] = {&a->at[0], &a->at[1], &a->at[2], &a->min, &a->rate};
    float f;

    for (int i = 0; i < 5; i++)
        if (strcmp(name, names[i]) == 0 && stn_value_as_float(v, &f, NULL) == STN_OK && isfinite(f))
            *to[i] = f;
}

/* [resource] or [name, version], an id perhaps, then pairs of a name and a number. */
static stn_sprite_fault read_args(stn_sprite *sprite, const stn_values *args, flicker_args *a, stn_err *err)
{
    const stn_value *v = args->items;
    uint32_t i = 0;
    stn_resref ref = {0};

    if (args->count > 0 && v[0].kind == STN_VALUE_RES) {
        ref = v[0].u.res;
        i = 1;
    } else if (args->count > 1 && v[0].kind == STN_VALUE_TEXT && v[1].kind == STN_VALUE_INT) {
        ref = (stn_resref){v[0].u.text, v[1].u.i};
        i = 2;
    } else {
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: light link without a resource",
                               sprite->res->name);
    }
    if (i < args->count && v[i].kind == STN_VALUE_INT)
        a->id = v[i++].u.i;
    for (; i < args->count; i++) {
        const char *name;
        if (v[i].kind == STN_VALUE_LIST && v[i].u.list.count == 2 &&
            stn_value_as_text(&v[i].u.list.items[0], &name, NULL) == STN_OK)
            named_argument(a, name, &v[i].u.list.items[1]);
    }
    if (!ref.name[0] || strcmp(ref.name, sprite->res->name) == 0) {
        a->res = sprite->res;
        return STN_SPRITE_OK;
    }
    return stn_sprite_get(stn_sprite_ctx_source(sprite->ctx), ref.name, ref.version, &a->res, err);
}

stn_sprite_fault stn_flicker_link(stn_sprite *sprite, const stn_values *args, stn_sprite_part *part,
                                  stn_flicker **live, stn_err *err)
{
    flicker_args a = {.id = -1, .min = STN_FLICKER_MIN, .rate = STN_FLICKER_RATE};
    const stn_res_layer *layer;
    stn_sprite_fault fault;

    if ((fault = read_args(sprite, args, &a, err)) || (fault = light_layer(sprite, &a, &layer, err)))
        return fault;
    *live = malloc(sizeof **live);
    if (!*live)
        return stn_sprite_no_memory(sprite, err);
    **live = stn_flicker_of(a.min, a.rate, stn_ctx_rnd_source(sprite->ctx));
    *part = (stn_sprite_part){.kind = STN_PART_LIGHT, .res = a.res, .layer = layer, .flicker = *live};
    if (!moved(a.at))
        return STN_SPRITE_OK;
    part->dyns = malloc(sizeof *part->dyns);
    if (!part->dyns)
        return stn_sprite_no_memory(sprite, err);
    part->dyns[0] = place_at(a.at);
    part->n_dyns = part->cap_dyns = 1;
    return STN_SPRITE_OK;
}

typedef struct fire {
    flicker_args args;
    stn_flicker flicker;
} fire;

static stn_sprite_fault init_fire(stn_sprite *sprite, const uint8_t *sdt, size_t len, const stn_values *args,
                                  stn_err *err)
{
    fire *f = sprite->data;
    stn_bytes in = stn_bytes_of(sdt, len);
    stn_sprite_fault fault;
    uint16_t res;

    (void)args;
    f->args = (flicker_args){.id = -1, .min = STN_FLICKER_MIN, .rate = STN_FLICKER_RATE};
    for (int i = 0; i < 3; i++)
        f->args.at[i] = stn_f32_of_f8(stn_bytes_u8(&in)) * TILE;
    res = stn_bytes_u16(&in);
    if (!stn_bytes_ok(&in))
        return stn_sprite_fail(err, STN_SPRITE_EOF, "%.80s: %zu state bytes, expected 5 to 7",
                               sprite->res->name, len);
    if (stn_bytes_left(&in) > 0)
        f->args.min = stn_f32_of_unorm8(stn_bytes_u8(&in));
    if (stn_bytes_left(&in) > 0)
        f->args.rate = stn_f32_of_f8(stn_bytes_u8(&in));
    if (!isfinite(f->args.at[0]) || !isfinite(f->args.at[1]) || !isfinite(f->args.at[2]))
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: a light nowhere", sprite->res->name);
    if ((fault = stn_numbered(sprite, res, &f->args.res, err)))
        return fault;
    f->flicker = stn_flicker_of(f->args.min, f->args.rate, stn_ctx_rnd_source(sprite->ctx));
    return STN_SPRITE_OK;
}

static stn_sprite_fault build_fire(stn_sprite_build *b, stn_err *err)
{
    fire *f = b->sprite->data;
    stn_sprite_part part = {.kind = STN_PART_LIGHT, .res = f->args.res, .flicker = &f->flicker}, *added;
    stn_dyn dyn = place_at(f->args.at);
    stn_sprite_fault fault = light_layer(b->sprite, &f->args, &part.layer, err);

    if (fault)
        return fault;
    added = stn_build_add(b, &part);
    if (!added || (moved(f->args.at) && !stn_part_add_dyn(b->arena, added, &dyn)))
        return stn_sprite_no_memory(b->sprite, err);
    return STN_SPRITE_OK;
}

static stn_sprite_fault tick_fire(stn_sprite *sprite, double dt, bool *done, stn_err *err)
{
    fire *f = sprite->data;

    (void)done, (void)err;
    stn_flicker_tick(&f->flicker, (float)dt, stn_ctx_rnd_source(sprite->ctx));
    return STN_SPRITE_OK;
}

const stn_twin stn_twin_flicker = {.id = STN_NATIVE_FLICKER,
                                   .size = sizeof(fire),
                                   .init = init_fire,
                                   .build = build_fire,
                                   .tick = tick_fire};

/* ---- smoke ---- */

typedef struct smoke {
    uint8_t material;
    char bone[64]; /* attach point on the object's drawable, "" = none */
    stn_mat4 place;
    bool placed;
    stn_smoke sim;
} smoke;

static stn_sprite_fault read_smoke(stn_sprite *sprite, const uint8_t *sdt, size_t len, stn_err *err)
{
    smoke *s = sprite->data;
    stn_smoke_look *look = &s->sim.look;
    stn_bytes in = stn_bytes_of(sdt, len);
    const char *bone;
    size_t bone_len = 0;
    uint16_t color;

    s->material = stn_bytes_u8(&in);
    look->size = (float)stn_bytes_u8(&in) / 10;
    bone = stn_bytes_cstr(&in, &bone_len);
    color = stn_bytes_u16(&in);
    /* Four bits a channel, red in the highest. */
    for (int i = 0; i < 4; i++)
        look->color[i] = (float)(color >> (12 - 4 * i) & 15) / 15;
    look->density = stn_bytes_u8(&in);
    look->fade = (float)stn_bytes_u8(&in) / 10;
    look->life = (float)stn_bytes_u8(&in) / 10;
    look->height = stn_bytes_u8(&in);
    look->spread = (float)stn_bytes_u8(&in) / 10;
    if (!stn_bytes_ok(&in))
        return stn_sprite_fail(err, STN_SPRITE_EOF, "%.80s: smoke told in %zu bytes, expected at least 10",
                               sprite->res->name, len);
    if (bone_len >= sizeof s->bone)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: attach point of %zu letters",
                               sprite->res->name, bone_len);
    memcpy(s->bone, bone, bone_len);
    return STN_SPRITE_OK;
}

static stn_sprite_fault init_smoke(stn_sprite *sprite, const uint8_t *sdt, size_t len, const stn_values *args,
                                   stn_err *err)
{
    smoke *s = sprite->data;
    const stn_sprite_res *base = sprite->object ? sprite->object->base : NULL;
    const stn_res_layer *off;
    stn_sprite_fault fault = read_smoke(sprite, sdt, len, err);

    (void)args;
    if (fault || !s->bone[0] || !base)
        return fault;
    off = stn_res_find_text(base->res, STN_LAYER_BONEOFF, s->bone);
    if (!off)
        return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "%.80s: attach point \"%.40s\" of %.80s",
                               sprite->res->name, s->bone, base->name);
    if (stn_boneoff_place(off->as.boneoff, NULL, &s->place, err) != STN_OK)
        return STN_SPRITE_MALFORMED;
    s->placed = true;
    return STN_SPRITE_OK;
}

/* Points are seen through each other: they write no depth and come last. */
static const stn_op smoke_ops[] = {
    {.kind = STN_OP_SET, .slot = STN_SLOT_MASKDEPTH},
    {.kind = STN_OP_SET, .slot = STN_SLOT_ORDER, .u.value.u.order = {.main = ORDER_EYE}},
};

static stn_sprite_fault build_smoke(stn_sprite_build *b, stn_err *err)
{
    stn_sprite *sprite = b->sprite;
    smoke *s = sprite->data;
    const stn_res_layer *mat = stn_res_find(sprite->res->res, STN_LAYER_MAT, s->material);
    stn_sprite_part part = {.kind = STN_PART_PARTICLES,
                            .res = sprite->res,
                            .smoke = &s->sim,
                            .state = {smoke_ops, sizeof smoke_ops / sizeof *smoke_ops}},
                    *added;
    stn_wrap wrap = {.kind = STN_WRAP_MATERIAL};
    stn_dyn dyn = {.kind = STN_DYN_PLACE, .place = s->place};
    stn_sprite_fault fault;

    if (!mat)
        return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "%.80s: smoke in material %u, which is not there",
                               sprite->res->name, s->material);
    if ((fault = stn_sprite_material(sprite->ctx, sprite->res, mat->as.mat, &wrap.material, err)))
        return fault;
    added = stn_build_add(b, &part);
    if (!added || !stn_build_wrap_last(b, added, &wrap) ||
        (s->placed && !stn_part_add_dyn(b->arena, added, &dyn)))
        return stn_sprite_no_memory(sprite, err);
    return STN_SPRITE_OK;
}

/* The wind as the object feels it: turned back by its own turn (R is a turn by -a), and weaker near the
 * ground. */
static stn_sprite_vec felt_wind(const stn_sprite *sprite)
{
    const stn_wind *w = stn_sprite_ctx_wind(sprite->ctx);
    float a = sprite->object && sprite->object->stand ? (float)sprite->object->stand->angle : 0;
    float x = w->now[0] * 0.4f, y = w->now[1] * 0.4f;

    return (stn_sprite_vec){x * cosf(a) - y * sinf(a), x * sinf(a) + y * cosf(a), 0};
}

static stn_sprite_fault tick_smoke(stn_sprite *sprite, double dt, bool *done, stn_err *err)
{
    smoke *s = sprite->data;

    (void)err;
    stn_smoke_tick(&s->sim, (float)dt, felt_wind(sprite), stn_ctx_rnd_source(sprite->ctx));
    *done |= stn_smoke_done(&s->sim);
    return STN_SPRITE_OK;
}

static bool end_smoke(stn_sprite *sprite)
{
    smoke *s = sprite->data;

    stn_smoke_end(&s->sim);
    return true;
}

const stn_twin stn_twin_smoke = {.id = STN_NATIVE_SMOKE,
                                 .size = sizeof(smoke),
                                 .init = init_smoke,
                                 .build = build_smoke,
                                 .tick = tick_smoke,
                                 .end = end_smoke};
