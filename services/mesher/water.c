#include "mesher/water.h"

#include <math.h>
#include <string.h>

#define SMOOTHINGS 8

typedef struct pool { /* one tiler's */
    stn_water *water; /* one for all water of the cut, made with the first tile that is modelled */
    stn_tiler *floor;
} pool;

static stn_status no_room(stn_build *b)
{
    return stn_fail(b->err, STN_NO_MEMORY, "the job needs more memory than one build may take");
}

static stn_status begin(stn_build *b, stn_tiler *t)
{
    pool *p = stn_arena_zalloc(b->arena, 1, sizeof *p);

    if (!p)
        return no_room(b);
    if (!t->set->def.floor)
        return stn_fail(b->err, STN_BAD_DATA, "bad tileset %s: water needs a bottom", t->set->def.name);
    t->own = p;
    return stn_build_floor(b, t->set->def.floor, t->set->def.floor_tiler, t->id, &p->floor);
}

/* ---- depth and the bottom */

static stn_status read_depths(stn_build *b, float *d, int side)
{
    uint16_t last = 0;
    float depth = 0;
    bool any = false;

    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            uint16_t id;
            stn_status st = stn_build_tile(b, x - 10, y - 10, &id);
            if (st != STN_OK)
                return st;
            if (!any || id != last) {
                const stn_tileset *set = stn_build_set_of(b, id);
                bool water = set && strcmp(set->def.tiler, stn_tiler_water.name) == 0;
                depth = water ? (float)set->def.depth : 0.0f;
                last = id;
                any = true;
            }
            d[x + y * side] = depth;
        }
    return STN_OK;
}

static float least(float a, float b)
{
    return a < b ? a : b;
}

static stn_status deepen(stn_build *b, stn_water *w)
{
    enum { TILES = STN_WATER_SIDE + 1 }; /* -10..34 */
    float *d = stn_arena_array(b->arena, TILES * TILES, sizeof *d);
    float *next = stn_arena_array(b->arena, STN_WATER_SIDE * STN_WATER_SIDE, sizeof *next);
    stn_status st;

    if (!d || !next)
        return no_room(b);
    if ((st = read_depths(b, d, TILES)) != STN_OK)
        return st;
    for (int y = 0; y < STN_WATER_SIDE; y++)
        for (int x = 0; x < STN_WATER_SIDE; x++) {
            const float *t = d + x + y * TILES;
            float ed = least(least(t[0], t[1]), least(t[TILES], t[TILES + 1]));
            w->depth[x + y * STN_WATER_SIDE] = ed;
            w->shore[x + y * STN_WATER_SIDE] = ed == 0;
        }
    for (int round = 0; round < SMOOTHINGS; round++) {
        memset(next, 0, STN_WATER_SIDE * STN_WATER_SIDE * sizeof *next);
        for (int y = 1; y < STN_WATER_SIDE - 1; y++)
            for (int x = 1; x < STN_WATER_SIDE - 1; x++) {
                int i = x + y * STN_WATER_SIDE;
                const float *e = w->depth + i;
                next[i] =
                    w->shore[i]
                        ? e[0]
                        : ((((e[0] * 4.0f + e[-1]) + e[1]) + e[-STN_WATER_SIDE]) + e[STN_WATER_SIDE]) / 8.0f;
            }
        memcpy(w->depth, next, sizeof w->depth);
    }
    return STN_OK;
}

static stn_status make_bottom(stn_build *b, stn_water *w)
{
    stn_status st = deepen(b, w);

    for (int y = -1; y <= STN_CUT_TILES + 1 && st == STN_OK; y++)
        for (int x = -1; x <= STN_CUT_TILES + 1 && st == STN_OK; x++) {
            uint32_t v = stn_ground_vertex(x, y), number;
            float ed = w->depth[stn_water_corner(x, y)];
            st = stn_build_vertex(b, stn_vec3_add(b->pos[v], (stn_vec3){0, 0, -ed}), &number);
            if (v == 0)
                w->bottom_first = number;
            w->bottom_depth[v] = ed;
        }
    if (st != STN_OK)
        return st;
    for (int y = 0; y < STN_CUT_TILES; y++)
        for (int x = 0; x < STN_CUT_TILES; x++) {
            const stn_vec3 *z = b->pos + w->bottom_first + stn_ground_vertex(x, y);
            w->split[x + STN_CUT_TILES * y] =
                fabsf(z[0].z - z[STN_GROUND_SIDE + 1].z) > fabsf(z[1].z - z[STN_GROUND_SIDE].z);
        }
    b->depth = w->bottom_depth;
    b->depth_first = w->bottom_first;
    b->depth_n = STN_GROUND_VERTICES;
    return STN_OK;
}

static stn_status cut_water(stn_build *b, pool *own)
{
    stn_status st = STN_OK;

    for (unsigned i = 0; i < b->ntilers && !own->water; i++)
        if (b->tilers[i].kind == &stn_tiler_water && b->tilers[i].own)
            own->water = ((pool *)b->tilers[i].own)->water;
    if (!own->water) {
        if (!(own->water = stn_arena_zalloc(b->arena, 1, sizeof *own->water)))
            return no_room(b);
        st = make_bottom(b, own->water);
    }
    return st;
}

const stn_water *stn_build_water(const stn_build *b)
{
    for (unsigned i = 0; i < b->ntilers; i++)
        if (b->tilers[i].kind == &stn_tiler_water && b->tilers[i].own &&
            ((const pool *)b->tilers[i].own)->water)
            return ((const pool *)b->tilers[i].own)->water;
    return NULL;
}

static stn_status model(stn_build *b, stn_tiler *t, int x, int y)
{
    pool *p = t->own;
    uint32_t f[6];
    stn_status st = stn_build_flat_model(b, x, y);

    if (st != STN_OK || (st = cut_water(b, p)) != STN_OK)
        return st;
    stn_ground_faces(x, y, p->water->split[x + STN_CUT_TILES * y], f);
    for (int i = 0; i < 6; i++)
        f[i] += p->water->bottom_first;
    st = stn_build_face(b, f[0], f[1], f[2]);
    return st == STN_OK ? stn_build_face(b, f[3], f[4], f[5]) : st;
}

/* ---- what is laid */

/* A quad into a raw model; *base is its first vertex. */
static stn_status lay_quad(stn_build *b, stn_model *m, const stn_part *quad, uint32_t *base)
{
    uint32_t number;
    stn_status st;

    for (unsigned i = 0; i < quad->nv; i++) {
        if ((st = stn_model_vertex(b->arena, m, quad->v[i], &number, b->err)) != STN_OK)
            return st;
        if (i == 0)
            *base = number;
    }
    for (unsigned i = 0; i < quad->nf; i += 3)
        if ((st = stn_model_face(b->arena, m, *base + quad->f[i], *base + quad->f[i + 1],
                                 *base + quad->f[i + 2], b->err)) != STN_OK)
            return st;
    return STN_OK;
}

static stn_status lay_surface(stn_build *b, const stn_part *quad)
{
    static const stn_state state = {.kind = STN_MESH_WATER, .main = 6000, .owner = -1};
    stn_model *m;
    uint32_t base;
    stn_status st = stn_build_model(b, &state, true, false, &m);

    return st == STN_OK ? lay_quad(b, m, quad, &base) : st;
}

static stn_status lay_foam(stn_build *b, const stn_water *w, const stn_part *quad, int x, int y)
{
    static const stn_state state = {.kind = STN_MESH_FOAM, .main = 6001, .owner = -1};
    static const int cx[4] = {0, 1, 1, 0}, cy[4] = {0, 0, 1, 1};
    float v[4][2];
    bool still = true;
    stn_model *m;
    uint32_t base;
    stn_status st;

    for (int k = 0; k < 4; k++) {
        int i = (x + cx[k]) + (y + cy[k]) * STN_CUT_VERTICES;
        still &= w->flow_x[i] == 0 && w->flow_y[i] == 0;
        v[k][0] = w->flow_x[i];
        v[k][1] = -w->flow_y[i];
    }
    if (still)
        return STN_OK;
    if ((st = stn_build_model(b, &state, true, false, &m)) != STN_OK ||
        (st = lay_quad(b, m, quad, &base)) != STN_OK)
        return st;
    for (uint32_t i = 0; i < quad->nv; i++) {
        float at[2] = {quad->tx[i], quad->ty[i]};
        for (unsigned k = 0; k < 4; k++)
            if ((st = stn_model_attr(b->arena, m, base + i, (stn_mesh_attr)(STN_MESH_ATTR_VERTV0 + k), v[k],
                                     b->err)) != STN_OK)
                return st;
        if ((st = stn_model_attr(b->arena, m, base + i, STN_MESH_ATTR_VIPOL, at, b->err)) != STN_OK)
            return st;
    }
    return STN_OK;
}

/* The quad's form over the bottom's vertices, for the bottom's tiler. */
static stn_status lay_bottom(stn_build *b, pool *p, const stn_part *quad, int x, int y)
{
    stn_part *bed = stn_build_new_part(b, x, y, quad->nv, quad->nf);
    uint16_t *at = &p->water->bottom[x + STN_CUT_TILES * y];
    stn_status st;

    if (!bed)
        return no_room(b);
    for (unsigned i = 0; i < quad->nv; i++)
        ((uint32_t *)(uintptr_t)bed->v)[i] = p->water->bottom_first + quad->v[i];
    memcpy((float *)(uintptr_t)bed->tx, quad->tx, quad->nv * sizeof(float));
    memcpy((float *)(uintptr_t)bed->ty, quad->ty, quad->nv * sizeof(float));
    memcpy((uint16_t *)(uintptr_t)bed->f, quad->f, quad->nf * sizeof(uint16_t));
    if ((st = stn_build_add_part(b, bed, at)) != STN_OK)
        return st;
    return p->floor->kind->lay ? p->floor->kind->lay(b, p->floor, x, y, *at, true) : STN_OK;
}

static stn_status lay(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog)
{
    pool *p = t->own;
    stn_quad quad;
    stn_status st;

    (void)part;
    (void)fog;
    if (!p->water)
        return STN_OK; /* not of this cut: a floor cannot be water */
    stn_quad_of(x, y, b->split[stn_ring_tile(x, y)], &quad);
    if (!p->water->flows && (st = stn_water_flow(b, p->water)) != STN_OK)
        return st;
    if ((st = lay_surface(b, &quad.part)) != STN_OK ||
        (st = lay_foam(b, p->water, &quad.part, x, y)) != STN_OK)
        return st;
    return lay_bottom(b, p, &quad.part, x, y);
}

static stn_status trans(stn_build *b, stn_tiler *t, stn_tiler *ground, int x, int y, int32_t z, unsigned bm,
                        unsigned cm, stn_j48 *r)
{
    pool *p = t->own;
    const stn_tiler_kind *floor = p->floor->kind;

    if (ground->id <= t->id)
        return STN_OK;
    if (ground->kind == &stn_tiler_water && floor->skirt) {
        const stn_water *w = ((const pool *)ground->own)->water;
        return floor->skirt(b, p->floor, x, y, w->bottom[x + STN_CUT_TILES * y], true, z, bm, cm);
    }
    return floor->trans ? floor->trans(b, p->floor, ground, x, y, z, bm, cm, r) : STN_OK;
}

const stn_tiler_kind stn_tiler_water = {.name = "water",
                                        .begin = begin,
                                        .model = model,
                                        .lay = lay,
                                        .trans = trans,
                                        .click = 1,
                                        .water_window = true};
