/* The flat ground tiler, `gnd`: one image a tile, picked by weight. Source: docs/spec/terrain-mesh.md 13. */
#include "map/cutseed.h"
#include "mesher/build.h"

static stn_status emit(stn_build *b, stn_tiler *t, uint16_t image, uint16_t part, bool deep, int32_t z)
{
    bool clipped = t->set->def.images[image].type != 'g';
    int32_t order = (int32_t)((uint32_t)z << 8);
    stn_model **last = &t->flat[z != 0][clipped], *m = *last;
    const stn_part *own = b->parts[part];
    stn_status st = STN_OK;

    if (!m || m->state.order != order) {
        /* Keyed by the resource alone: two ids with the same one share their models. */
        stn_state state = {.kind = STN_MESH_FLAT,
                           .set = t->set,
                           .clip = t->set,
                           .clipped = clipped,
                           .main = 1000,
                           .order = order,
                           .owner = -1};
        if ((st = stn_build_model(b, &state, false, false, &m)) != STN_OK)
            return st;
        *last = m;
    }
    /* The material has no use for depth, but a bottom's vertices carry it. */
    if (deep && !m->depth) {
        m->depth = b->depth;
        m->depth_first = b->depth_first;
        m->depth_n = b->depth_n;
    }
    return stn_model_place(b->arena, m, (stn_place){part, image}, own ? own->nv : 4, b->err);
}

static stn_status pick(stn_build *b, stn_tiler *t, const stn_pick_list *list, stn_j48 *r, int x, int y,
                       uint16_t part, bool deep, int32_t z)
{
    int32_t image = stn_pick_image(list, r);
    if (image < 0)
        return stn_fail(b->err, STN_BAD_DATA, "empty weight list: %s has no image for tile %d,%d",
                        t->set->def.name, x, y);
    return emit(b, t, (uint16_t)image, part, deep, z);
}

static stn_status lay(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog)
{
    stn_j48 r = stn_cut_rnd(b->mesh_seed, x, y);
    return pick(b, t, &t->set->ground, &r, x, y, part, fog, 0);
}

static stn_status edges(stn_build *b, stn_tiler *t, stn_j48 *r, int x, int y, uint16_t part, bool deep,
                        int32_t z, unsigned bm, unsigned cm)
{
    stn_status st = STN_OK;

    if (t->set->has_sides && bm)
        st = pick(b, t, &t->set->side[bm - 1], r, x, y, part, deep, z);
    if (st == STN_OK && t->set->has_corners && cm)
        st = pick(b, t, &t->set->corner[cm - 1], r, x, y, part, deep, z);
    return st;
}

static stn_status trans(stn_build *b, stn_tiler *t, stn_tiler *ground, int x, int y, int32_t z, unsigned bm,
                        unsigned cm, stn_j48 *r)
{
    if (ground->id <= t->id)
        return STN_OK;
    return edges(b, t, r, x, y, (uint16_t)(x + STN_CUT_TILES * y), false, z, bm, cm);
}

static stn_status skirt(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog, int32_t z,
                        unsigned bm, unsigned cm)
{
    stn_j48 r = stn_cut_rnd(b->mesh_seed, x, y);
    return bm | cm ? edges(b, t, &r, x, y, part, fog, z, bm, cm) : STN_OK;
}

const stn_tiler_kind stn_tiler_flat = {.name = "gnd", .lay = lay, .trans = trans, .skirt = skirt};
