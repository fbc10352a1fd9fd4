/* twin_picture.c - pictures on things: an item's on a sign or a cupboard, an uploaded one on a banner. The
 * mesh of id 0 is drawn in material 16 with the picture in place of its texture.
 * Source: docs/spec/sprites.md 21.7. */
#include "renderer/sprite/internal.h"

#include "base/bytes.h"
#include "num/small_float.h"
#include "renderer/sprite/boneoff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define TILE 11.0f
#define PICTURE_MESH 0
#define PICTURE_MATERIAL 16

typedef struct picture {
    stn_tex_ref tex; /* nothing set: no picture */
    stn_mat4 place;
    bool placed;
    stn_sprite *base; /* DYNTEX: what carries it */
} picture;

/* The picture's part, placed as the whole is. Without the mesh or the material there is nothing to show. */
static stn_sprite_fault put_picture(stn_sprite_build *b, stn_err *err)
{
    const picture *p = b->sprite->data;
    const stn_res *res = b->sprite->res->res;
    const stn_res_layer *mesh = stn_res_find(res, STN_LAYER_MESH, PICTURE_MESH),
                        *mat = stn_res_find(res, STN_LAYER_MAT, PICTURE_MATERIAL);
    stn_sprite_part *part;
    stn_op *ops;
    stn_sprite_fault fault;

    if (!p->tex.res || !mesh || !mat)
        return STN_SPRITE_OK;
    if ((fault = stn_build_mesh(b, mesh, mat->as.mat, &part, err)))
        return fault;
    ops = stn_arena_array(b->arena, 2, sizeof *ops);
    if (!ops)
        return stn_sprite_no_memory(b->sprite, err);
    ops[0] = (stn_op){.kind = STN_OP_SET, .slot = STN_SLOT_TEX, .u.value.u.tex = p->tex};
    ops[1] = (stn_op){.kind = STN_OP_SET, .slot = STN_SLOT_TEXCLIP, .u.value.u.tex = p->tex};
    part->state = (stn_ops){ops, 2};
    return STN_SPRITE_OK;
}

/* ---- an item's picture ---- */

/* What the delta does not name by itself may be absent: the rest is drawn. */
static stn_sprite_fault read_item(stn_sprite *sprite, stn_bytes *in, stn_err *err)
{
    picture *p = sprite->data;
    uint16_t number = stn_bytes_u16(in);
    const stn_sprite_res *item;
    const stn_res_layer *image;
    stn_sprite_fault fault;

    if (number & 0x8000)
        stn_bytes_skip(in, stn_bytes_u8(in));
    if (!stn_bytes_ok(in))
        return stn_sprite_fail(err, STN_SPRITE_EOF, "%.80s: the item of the picture is cut short",
                               sprite->res->name);
    fault = stn_numbered(sprite, number & 0x7fff, &item, err);
    if (fault == STN_SPRITE_LOADING)
        return fault;
    image = fault ? NULL : stn_res_first(item->res, STN_LAYER_IMAGE);
    if (image)
        p->tex = (stn_tex_ref){.res = item, .image = image->as.image};
    else
        stn_ctx_unknown(sprite->ctx, "picture on", sprite->res->name);
    return STN_SPRITE_OK;
}

static void place_decal(stn_sprite *sprite, stn_bytes *in)
{
    picture *p = sprite->data;
    const stn_sprite_res *base = sprite->object ? sprite->object->base : NULL;
    const stn_res_layer *off = base ? stn_res_find_text(base->res, STN_LAYER_BONEOFF, "decal") : NULL;
    float x = 0, y = 0;

    if (stn_bytes_left(in) >= 4) {
        x = stn_f32_of_f16(stn_bytes_u16(in)) * TILE;
        y = stn_f32_of_f16(stn_bytes_u16(in)) * TILE;
    }
    if (off && stn_boneoff_place(off->as.boneoff, NULL, &p->place, NULL) == STN_OK) {
        p->placed = true;
    } else if (isfinite(x) && isfinite(y)) {
        p->place = stn_mat4_translate((stn_sprite_vec){x, -y, 0});
        p->placed = x != 0 || y != 0;
    }
}

static stn_sprite_fault init_decal(stn_sprite *sprite, const uint8_t *sdt, size_t len, const stn_values *args,
                                   stn_err *err)
{
    stn_bytes in = stn_bytes_of(sdt, len);

    (void)args;
    place_decal(sprite, &in);
    return stn_bytes_left(&in) > 0 ? read_item(sprite, &in, err) : STN_SPRITE_OK;
}

static stn_sprite_fault build_decal(stn_sprite_build *b, stn_err *err)
{
    stn_sprite *sprite = b->sprite;
    const picture *p = sprite->data;
    const uint32_t flags = stn_sprite_flags(NULL, 0);
    stn_sprite_fault fault = STN_SPRITE_OK;

    for (const stn_res_layer *l = NULL;
         !fault && (l = stn_res_next(sprite->res->res, STN_LAYER_MESH, l)) != NULL;)
        if (l->as.mesh->mat && stn_sprite_enabled(flags, l->as.mesh->id))
            fault = stn_build_mesh(b, l, l->as.mesh->mat->as.mat, NULL, err);
    for (uint32_t i = 0; i < sprite->n_links && !fault; i++)
        if (stn_sprite_enabled(flags, sprite->links[i].layer->id))
            fault = stn_links_add(b, i, NULL, err);
    if (!fault)
        fault = put_picture(b, err);
    for (uint32_t i = 0; i < b->n_parts && !fault && p->placed; i++) {
        stn_dyn dyn = {.kind = STN_DYN_PLACE, .place = p->place};
        if (!stn_part_add_dyn(b->arena, &b->parts[i], &dyn))
            return stn_sprite_no_memory(sprite, err);
    }
    return fault;
}

/* ---- an uploaded picture ---- */

static stn_sprite_fault init_dyntex(stn_sprite *sprite, const uint8_t *sdt, size_t len,
                                    const stn_values *args, stn_err *err)
{
    picture *p = sprite->data;
    stn_bytes in = stn_bytes_of(sdt, len);
    const stn_sprite_res *res;
    const stn_res_layer *tex;
    char name[32];
    stn_sprite_fault fault = stn_sprite_construct(sprite->ctx, sprite->object, sprite->res, STN_SPRITE_MOD,
                                                  NULL, NULL, 0, sprite->depth + 1, &p->base, err);

    (void)args;
    if (fault || len == 0 || stn_bytes_u8(&in) != 1)
        return fault;
    snprintf(name, sizeof name, "dyn/%" PRIx64, stn_bytes_u64(&in));
    if (!stn_bytes_ok(&in))
        return stn_sprite_fail(err, STN_SPRITE_EOF, "%.80s: %zu state bytes, expected 9", sprite->res->name,
                               len);
    fault = stn_sprite_get(stn_sprite_ctx_source(sprite->ctx), name, 1, &res, err);
    if (fault == STN_SPRITE_LOADING)
        return fault;
    tex = fault ? NULL : stn_res_first(res->res, STN_LAYER_TEX);
    if (tex)
        p->tex = (stn_tex_ref){.res = res, .tex = tex->as.tex};
    else
        stn_ctx_unknown(sprite->ctx, "picture", name);
    return STN_SPRITE_OK;
}

static stn_sprite_fault build_dyntex(stn_sprite_build *b, stn_err *err)
{
    const picture *p = b->sprite->data;
    stn_sprite_part base = {.kind = STN_PART_SPRITE, .res = b->sprite->res, .sprite = p->base};

    return stn_build_add(b, &base) ? put_picture(b, err) : stn_sprite_no_memory(b->sprite, err);
}

static stn_sprite_fault tick_dyntex(stn_sprite *sprite, double dt, bool *done, stn_err *err)
{
    const picture *p = sprite->data;

    (void)done;
    return stn_twin_tick_child(p->base, dt, err);
}

/* The base is the thing itself, not something linked to it. */
static stn_sprite_fault age_dyntex(stn_sprite *sprite, stn_err *err)
{
    const picture *p = sprite->data;

    return stn_sprite_age(p->base, err);
}

static void fini_dyntex(stn_sprite *sprite)
{
    const picture *p = sprite->data;

    stn_sprite_free(p->base);
}

const stn_twin stn_twin_decal = {
    .id = STN_NATIVE_DECAL, .size = sizeof(picture), .init = init_decal, .build = build_decal};
const stn_twin stn_twin_dyntex = {.id = STN_NATIVE_DYNTEX,
                                  .size = sizeof(picture),
                                  .init = init_dyntex,
                                  .build = build_dyntex,
                                  .tick = tick_dyntex,
                                  .age = age_dyntex,
                                  .fini = fini_dyntex};
