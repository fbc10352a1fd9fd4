/* The cave tiler: walls towards higher ids, and perhaps a floor laid by another tiler. Source:
 * docs/spec/terrain-extras.md 7. */
#include "map/cutseed.h"
#include "mesher/build.h"

#include <string.h>

#define WALL_HEIGHT 16.0f
#define RISERS 3

typedef struct walls { /* one for all caves of the cut */
    uint32_t
        first[STN_CUT_VERTICES * STN_CUT_VERTICES]; /* of the four vertices over a corner; 0 = not made */
} walls;

typedef struct cave {
    walls *walls;
    stn_tiler *floor; /* NULL: the ground inside is not drawn */
} cave;

static const int side_x[4] = {0, 1, 0, -1}, side_y[4] = {-1, 0, 1, 0};
static const int corner_x[4] = {0, 1, 1, 0}, corner_y[4] = {0, 0, 1, 1};

static stn_status no_room(stn_build *b)
{
    return stn_fail(b->err, STN_NO_MEMORY, "the job needs more memory than one build may take");
}

static stn_status begin(stn_build *b, stn_tiler *t)
{
    cave *c = stn_arena_zalloc(b->arena, 1, sizeof *c);

    if (!c)
        return no_room(b);
    if (!t->set->def.wall.res)
        return stn_fail(b->err, STN_BAD_DATA, "bad tileset %s: a cave needs wmat, the wall's material",
                        t->set->def.name);
    for (unsigned i = 0; i < b->ntilers && !c->walls; i++)
        if (b->tilers[i].kind == &stn_tiler_cave && b->tilers[i].own)
            c->walls = ((cave *)b->tilers[i].own)->walls;
    if (!c->walls && !(c->walls = stn_arena_zalloc(b->arena, 1, sizeof *c->walls)))
        return no_room(b);
    t->own = c;
    return t->set->def.floor
               ? stn_build_floor(b, t->set->def.floor, t->set->def.floor_tiler, t->id, &c->floor)
               : STN_OK;
}

/* The rock over a corner of the cut, made at first need. */
static stn_status corner_wall(stn_build *b, walls *w, int x, int y, uint32_t *first)
{
    uint32_t *made = &w->first[x + y * STN_CUT_VERTICES], number;
    stn_j48 g = stn_world_rnd(stn_coord_add(b->ul, x, y));
    stn_vec3 foot = b->pos[stn_ground_vertex(x, y)];
    stn_status st;

    if (*made == 0) {
        if ((st = stn_build_vertex(b, foot, made)) != STN_OK)
            return st;
        for (int i = 1; i <= RISERS; i++) {
            stn_vec3 at = {foot.x, foot.y, foot.z + (((float)i * WALL_HEIGHT) / 3.0f)};
            at.x += (stn_j48_float(&g) - 0.5f) * 3.0f;
            at.y += (stn_j48_float(&g) - 0.5f) * 3.0f;
            at.z += (stn_j48_float(&g) - 0.5f) * 3.5f;
            if ((st = stn_build_vertex(b, at, &number)) != STN_OK)
                return st;
        }
    }
    *first = *made;
    return STN_OK;
}

/* Whether a wall stands on side i of the tile. */
static bool walled(const stn_build *b, const stn_tiler *t, int x, int y, int i)
{
    const stn_tiler *beside = stn_build_tiler_at(b, x + side_x[i], y + side_y[i]);
    return b->id[stn_ring_tile(x + side_x[i], y + side_y[i])] > t->id &&
           !(beside && beside->kind == &stn_tiler_cave);
}

static stn_status ends(stn_build *b, const cave *c, int x, int y, int i, uint32_t *l, uint32_t *r)
{
    int k = (i + 1) & 3;
    stn_status st = corner_wall(b, c->walls, x + corner_x[k], y + corner_y[k], l);
    return st == STN_OK ? corner_wall(b, c->walls, x + corner_x[i], y + corner_y[i], r) : st;
}

static stn_status model(stn_build *b, stn_tiler *t, int x, int y)
{
    stn_status st = stn_build_flat_model(b, x, y);

    for (int i = 0; i < 4 && st == STN_OK; i++) {
        uint32_t l, r;
        if (!walled(b, t, x, y, i))
            continue;
        st = ends(b, t->own, x, y, i, &l, &r);
        for (uint32_t j = 0; j < RISERS && st == STN_OK; j++) {
            st = stn_build_face(b, l + j + 1, l + j, r + j + 1);
            if (st == STN_OK)
                st = stn_build_face(b, l + j, r + j, r + j + 1);
        }
    }
    return st;
}

static stn_status lay_side(stn_build *b, stn_model *m, uint32_t l, uint32_t r)
{
    uint32_t base = 0, number;
    stn_status st = STN_OK;

    for (uint32_t j = 0; j <= RISERS; j++)
        for (int side = 0; side < 2; side++) {
            float tex[2] = {(float)side, (float)j / 3.0f};
            if ((st = stn_model_vertex(b->arena, m, (side ? r : l) + j, &number, b->err)) != STN_OK ||
                (st = stn_model_attr(b->arena, m, number, STN_MESH_ATTR_TEX, tex, b->err)) != STN_OK)
                return st;
            if (j == 0 && side == 0)
                base = number;
        }
    for (uint32_t j = 0; j < RISERS && st == STN_OK; j++) {
        uint32_t lj = base + 2 * j, rj = lj + 1;
        st = stn_model_face(b->arena, m, lj + 2, lj, rj + 2, b->err);
        if (st == STN_OK)
            st = stn_model_face(b->arena, m, lj, rj, rj + 2, b->err);
    }
    return st;
}

static stn_status lay(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog)
{
    const cave *c = t->own;
    stn_state state = {.kind = STN_MESH_CAVE, .material = t->set->def.wall, .owner = -1};
    stn_status st = STN_OK;

    for (int i = 0; i < 4 && st == STN_OK; i++) {
        uint32_t l, r;
        stn_model *m;
        if (!walled(b, t, x, y, i))
            continue;
        if ((st = ends(b, c, x, y, i, &l, &r)) == STN_OK &&
            (st = stn_build_model(b, &state, true, false, &m)) == STN_OK)
            st = lay_side(b, m, l, r);
    }
    if (st == STN_OK && c->floor && c->floor->kind->lay)
        st = c->floor->kind->lay(b, c->floor, x, y, part, fog);
    return st;
}

const stn_tiler_kind stn_tiler_cave = {.name = "cave", .begin = begin, .model = model, .lay = lay};
