/* The terrain tiler, `trn`: layers of materials that blend into each other, and edges laid over higher ids.
 * Source: docs/spec/terrain-mesh.md 9.3, 11, 12. */
#include "map/cutseed.h"
#include "mesher/build.h"

enum { GROUND, GROUND_FOG, SKIRT, SKIRT_FOG };

static stn_status begin(stn_build *b, stn_tiler *t)
{
    for (int i = 0; i < 4; i++)
        if (!(t->models[i] = stn_arena_zalloc(b->arena, t->set->def.nvars + 1, sizeof *t->models[i])))
            return stn_fail(b->err, STN_NO_MEMORY, "tiler of %s", t->set->def.name);
    return STN_OK;
}

stn_status stn_terrain_blend(stn_build *b, stn_tiler *t)
{
    if (t->blend)
        return STN_OK;
    return stn_blend_make(b->arena, b->kernels, b->blocks, t->set, b->ul, b->job->blend, t->area, NULL,
                          &t->blend, b->err);
}

static stn_material layer_material(const stn_tileset *set, unsigned layer)
{
    if (layer == 0)
        return set->def.base;
    return (stn_material){
        .res = set->def.name, .version = set->def.version, .id = set->def.vars[layer - 1].material};
}

static stn_status make_model(stn_build *b, stn_tiler *t, int which, unsigned layer, int32_t z,
                             stn_model **out)
{
    bool skirt = which >= SKIRT;
    stn_state state = {
        .kind = skirt ? STN_MESH_SKIRT : STN_MESH_GROUND,
        .set = t->set,
        .clip = skirt ? t->set->def.trans : NULL,
        .material = layer_material(t->set, layer),
        .vertex_colour = true,
        .clipped = skirt,
        .fog = which & 1,
        .main = 1000,
        .order = (int32_t)((uint32_t)z << 8) + (int32_t)layer,
        .owner = t->id,
        .layer = (uint8_t)layer,
    };
    stn_status st = stn_build_model(b, &state, false, !skirt, out);
    if (st != STN_OK)
        return st;
    (*out)->blend = t->blend;
    if (state.fog) {
        (*out)->depth = b->depth;
        (*out)->depth_first = b->depth_first;
        (*out)->depth_n = b->depth_n;
    }
    t->models[which][layer] = *out;
    return STN_OK;
}

/* Places a part in the model of every layer that is on at its tile. */
static stn_status place(stn_build *b, stn_tiler *t, int which, int x, int y, uint16_t part, uint16_t image,
                        int32_t z)
{
    const stn_part *own = b->parts[part];
    unsigned nv = own ? own->nv : 4;
    stn_status st = stn_terrain_blend(b, t);

    for (unsigned l = 0; st == STN_OK && l < t->blend->nlayers; l++) {
        if (!(t->blend->layers[l].on[y] >> x & 1))
            continue;
        stn_model *m = t->models[which][l];
        if (!m)
            st = make_model(b, t, which, l, z, &m);
        if (st == STN_OK)
            st = stn_model_place(b->arena, m, (stn_place){part, image}, nv, b->err);
    }
    return st;
}

stn_status stn_terrain_lay(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog)
{
    return place(b, t, fog ? GROUND_FOG : GROUND, x, y, part, STN_NO_IMAGE, 0);
}

static stn_status pick_and_place(stn_build *b, stn_tiler *t, const stn_pick_list *list, stn_j48 *r, int which,
                                 int x, int y, uint16_t part, int32_t z)
{
    int32_t image = stn_pick_image(list, r);
    if (image < 0)
        return stn_fail(b->err, STN_BAD_DATA, "empty weight list: %s has no mask image for tile %d,%d",
                        t->set->def.trans->def.name, x, y);
    return place(b, t, which, x, y, part, (uint16_t)image, z);
}

static stn_status edges(stn_build *b, stn_tiler *t, stn_j48 *r, int which, int x, int y, uint16_t part,
                        int32_t z, unsigned bm, unsigned cm)
{
    const stn_tileset *set = t->set->def.trans;
    stn_status st = STN_OK;

    if (set->has_sides && bm)
        st = pick_and_place(b, t, &set->side[bm - 1], r, which, x, y, part, z);
    if (st == STN_OK && set->has_corners && cm)
        st = pick_and_place(b, t, &set->corner[cm - 1], r, which, x, y, part, z);
    return st;
}

stn_status stn_terrain_trans(stn_build *b, stn_tiler *t, stn_tiler *ground, int x, int y, int32_t z,
                             unsigned bm, unsigned cm, stn_j48 *r)
{
    if (!t->set->def.trans || ground->id <= t->id)
        return STN_OK;
    return edges(b, t, r, SKIRT, x, y, (uint16_t)(x + STN_CUT_TILES * y), z, bm, cm);
}

stn_status stn_terrain_skirt(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog, int32_t z,
                             unsigned bm, unsigned cm)
{
    stn_j48 r = stn_cut_rnd(b->mesh_seed, x, y);

    if (!t->set->def.trans || !(bm | cm))
        return STN_OK;
    return edges(b, t, &r, fog ? SKIRT_FOG : SKIRT, x, y, part, z, bm, cm);
}

const stn_tiler_kind stn_tiler_terrain = {
    .name = "trn",
    .begin = begin,
    .lay = stn_terrain_lay,
    .trans = stn_terrain_trans,
    .skirt = stn_terrain_skirt,
};
