/* twin_tree.c - trees, bushes, stumps: meshes chosen by season and stage, leaning by the ground they grow in.
 * Source: docs/spec/sprites.md 21.1. */
#include "renderer/sprite/internal.h"

#include "base/bytes.h"
#include "renderer/sprite/scatter.h"

#define STAGE 0 /* standing; 1 is falling, 2 a stump */

typedef struct tree {
    int32_t season; /* 0..3, -1 = not said */
    uint32_t hidden; /* bits of hide selectors */
    stn_sway sway;
} tree;

/* Returns the size. A season beyond the four is in no mask of seasons. */
static float read_state(tree *t, const uint8_t *sdt, size_t len)
{
    stn_bytes in = stn_bytes_of(sdt, len);
    uint8_t m;

    t->season = -1;
    if (len == 0)
        return 1;
    m = stn_bytes_u8(&in);
    if (m & 0xf0)
        t->season = (m >> 4) - 1;
    t->hidden = (uint32_t)(m & 0x0f) << 1;
    return stn_bytes_left(&in) > 0 ? (float)stn_bytes_u8(&in) / 100.0f : 1;
}

static stn_sprite_fault init(stn_sprite *sprite, const uint8_t *sdt, size_t len, const stn_values *args,
                             stn_err *err)
{
    tree *t = sprite->data;
    const stn_sprite_stand *stand = sprite->object ? sprite->object->stand : NULL;
    stn_stance *stance = &sprite->stance;
    float scale = read_state(t, sdt, len);

    (void)args; /* falling leaves: cosmetic, left out */
    if (!sprite->object)
        return STN_SPRITE_OK;
    stance->turn = stn_mat4_identity;
    if (stand && !stand->has_grid)
        return stn_sprite_fail(err, STN_SPRITE_LOADING, "the grid that the tree stands in");
    if (stand)
        stance->turn = stn_tree_tilt(stand->grid, stand->tile_x, stand->tile_y).turn;
    for (int i = 0; i < 12; i++)
        stance->turn.m[i] *= scale;
    t->sway = stn_sway_of(STN_SWAY_BEND, STN_SWAY_TREMBLE, stn_ctx_rnd_source(sprite->ctx));
    stance->sway = &t->sway;
    stance->set = true;
    return STN_SPRITE_OK;
}

/* The four selectors in a layer's id. */
static bool shown(const tree *t, uint32_t id)
{
    uint32_t hide = id & 15, seasons = id >> 8 & 15, stages = id >> 12 & 7;

    if (t->hidden >> hide & 1)
        return false;
    if (seasons && t->season >= 0 && !(seasons >> t->season & 1))
        return false;
    return stages == 0 || (stages >> STAGE & 1);
}

static const stn_res_layer *material_of(const tree *t, const stn_res *res, const stn_res_layer *mesh,
                                        uint32_t id)
{
    int32_t selector = (int32_t)(id >> 4 & 15);

    if (selector == 0 || t->season < 0)
        return mesh->as.mesh->mat;
    return stn_res_find(res, STN_LAYER_MAT, selector * 4 + t->season);
}

static stn_sprite_fault build(stn_sprite_build *b, stn_err *err)
{
    stn_sprite *sprite = b->sprite;
    const stn_res *res = sprite->res->res;
    const tree *t = sprite->data;
    stn_sprite_fault fault = STN_SPRITE_OK;

    for (const stn_res_layer *l = NULL; !fault && (l = stn_res_next(res, STN_LAYER_MESH, l)) != NULL;) {
        uint32_t id = l->as.mesh->id < 0 ? 0 : (uint32_t)l->as.mesh->id;
        const stn_res_layer *mat = material_of(t, res, l, id);
        if (mat && shown(t, id))
            fault = stn_build_mesh(b, l, mat->as.mat, NULL, err);
    }
    for (uint32_t i = 0; i < sprite->n_links && !fault; i++)
        if (shown(t, (uint32_t)sprite->links[i].layer->id))
            fault = stn_links_add(b, i, NULL, err);
    return fault;
}

const stn_twin stn_twin_tree = {.id = STN_NATIVE_TREE, .size = sizeof(tree), .init = init, .build = build};
