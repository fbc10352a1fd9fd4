#include "mesher/build.h"

#include "map/cutseed.h"
#include "mesher/resolve.h"
#include "mesher/water.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH_FIRST (2u << 20)
#define SCRATCH_MAX (256u << 20)

struct stn_scratch {
    stn_arena *arena;
};

stn_scratch *stn_scratch_new(size_t max_bytes)
{
    stn_scratch *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->arena = stn_arena_new(SCRATCH_FIRST, max_bytes ? max_bytes : SCRATCH_MAX);
    if (!s->arena) {
        free(s);
        return NULL;
    }
    return s;
}

void stn_scratch_free(stn_scratch *s)
{
    if (!s)
        return;
    stn_arena_free(s->arena);
    free(s);
}

size_t stn_scratch_peak(const stn_scratch *s)
{
    return stn_arena_peak(s->arena);
}

size_t stn_scratch_size(const stn_scratch *s)
{
    return stn_arena_size(s->arena);
}

stn_arena *stn_scratch_arena(stn_scratch *s)
{
    return s->arena;
}

static stn_status no_room(stn_build *b)
{
    return stn_fail(b->err, STN_NO_MEMORY, "the job needs more memory than one build may take");
}

/* ---- reading the job */

stn_status stn_build_height(const stn_build *b, int x, int y, float *z)
{
    const stn_job *j = b->job;
    if (!stn_window_has(j->height_window, x, y))
        return stn_fail(b->err, STN_BAD_DATA,
                        "map loading: height of corner %d,%d is outside the job's window", x, y);
    *z = j->heights[stn_window_at(j->height_window, x, y)];
    return STN_OK;
}

stn_status stn_build_tile(const stn_build *b, int x, int y, uint16_t *id)
{
    const stn_job *j = b->job;
    if (!stn_window_has(j->tile_window, x, y))
        return stn_fail(b->err, STN_BAD_DATA, "map loading: tile %d,%d is outside the job's window", x, y);
    *id = j->tiles[stn_window_at(j->tile_window, x, y)];
    return STN_OK;
}

const stn_tileset *stn_build_set_of(const stn_build *b, uint16_t id)
{
    for (size_t i = 0; i < b->job->nsets; i++)
        if (b->job->sets[i].id == id)
            return b->job->sets[i].set;
    return NULL;
}

static stn_status check_job(stn_build *b)
{
    const stn_job *j = b->job;
    bool small = !stn_window_covers(j->tile_window, STN_WINDOW_TILES) ||
                 !stn_window_covers(j->height_window, STN_WINDOW_CORNERS);

    if (small || !j->tiles || !j->heights)
        return stn_fail(
            b->err, STN_BAD_DATA,
            "map loading: the job's windows are tiles %d,%d %ux%u and heights %d,%d %ux%u; a build reads "
            "tiles -1..25 and heights -1..26",
            j->tile_window.x, j->tile_window.y, j->tile_window.w, j->tile_window.h, j->height_window.x,
            j->height_window.y, j->height_window.w, j->height_window.h);
    if (j->blend > STN_BLEND_MAX)
        return stn_fail(b->err, STN_BAD_DATA, "blend of %u passes, at most %d", j->blend, STN_BLEND_MAX);
    if (j->cut.x < 0 || j->cut.x >= STN_GRID_CUTS || j->cut.y < 0 || j->cut.y >= STN_GRID_CUTS)
        return stn_fail(b->err, STN_BAD_DATA, "cut %d,%d of a grid: expected 0 to 3", j->cut.x, j->cut.y);
    if (j->grid.x > STN_GRID_FAR || j->grid.x < -STN_GRID_FAR || j->grid.y > STN_GRID_FAR ||
        j->grid.y < -STN_GRID_FAR)
        return stn_fail(b->err, STN_BAD_DATA, "grid %d,%d is farther out than %d", j->grid.x, j->grid.y,
                        STN_GRID_FAR);
    return STN_OK;
}

static void read_windows(stn_build *b)
{
    const stn_job *j = b->job;

    for (int y = -1; y <= STN_CUT_TILES; y++)
        memcpy(b->id + stn_ring_tile(-1, y), j->tiles + stn_window_at(j->tile_window, -1, y),
               STN_GROUND_SPLITS * sizeof *b->id);
    /* The flat switch changes what is drawn only after the window was checked: a missing neighbour fails as
     * without. */
    if (j->flat)
        memset(b->z, 0, sizeof b->z);
    else
        for (int y = -1; y <= STN_CUT_TILES + 1; y++)
            memcpy(b->z + stn_ground_vertex(-1, y), j->heights + stn_window_at(j->height_window, -1, y),
                   STN_GROUND_SIDE * sizeof *b->z);
    stn_ground_splits(b->z, b->split);
}

/* Grows the area to hold the tiles around a run of one id: x0..x1 of row y, -1..25. */
static void widen(stn_blend_area *a, int x0, int x1, int y)
{
    int y0 = y > 0 ? y - 1 : 0, y1 = y < STN_CUT_TILES - 1 ? y + 1 : STN_CUT_TILES - 1;

    x0 = x0 > 0 ? x0 - 1 : 0;
    x1 = x1 < STN_CUT_TILES - 1 ? x1 + 1 : STN_CUT_TILES - 1;
    a->x0 = (int8_t)(x0 < a->x0 ? x0 : a->x0);
    a->y0 = (int8_t)(y0 < a->y0 ? y0 : a->y0);
    a->x1 = (int8_t)(x1 > a->x1 ? x1 : a->x1);
    a->y1 = (int8_t)(y1 > a->y1 ? y1 : a->y1);
}

static stn_status new_tiler(stn_build *b, stn_tiler *t, const stn_tileset *set, const char *tiler,
                            uint16_t id)
{
    const stn_tiler_kind *kind = stn_tiler_kind_named(tiler);
    if (!kind)
        return stn_fail(b->err, STN_BAD_DATA, "bad tileset %s: there is no tiler \"%s\"", set->def.name,
                        tiler);
    *t = (stn_tiler){.kind = kind, .set = set, .id = id, .area = {127, 127, -1, -1}};
    return STN_OK;
}

#define SLOTS 2048 /* more than twice the tiles that a window has */

/* Ids met so far, by hash. */
typedef struct met {
    uint16_t seen[SLOTS]; /* index among the ids, plus one */
    uint16_t id[STN_GROUND_SPLITS * STN_GROUND_SPLITS], slot[STN_GROUND_SPLITS * STN_GROUND_SPLITS];
    unsigned n;
} met;

/* The tiler slot of an id, made at the first sight. */
static stn_status slot_of(stn_build *b, met *m, uint16_t id, uint16_t *slot)
{
    unsigned h = (unsigned)id * 40503u % SLOTS;
    stn_status st = STN_OK;

    while (m->seen[h] && m->id[m->seen[h] - 1] != id)
        h = (h + 1) % SLOTS;
    if (!m->seen[h]) {
        const stn_tileset *set = stn_build_set_of(b, id);
        m->id[m->n] = id;
        m->slot[m->n] = STN_NO_TILER;
        if (set) {
            if ((st = new_tiler(b, &b->tilers[b->ntilers], set, set->def.tiler, id)) != STN_OK)
                return st;
            m->slot[m->n] = (uint16_t)b->ntilers++;
        }
        m->seen[h] = (uint16_t)++m->n;
    }
    *slot = m->slot[m->seen[h] - 1];
    return st;
}

/* Finds the tiler of each tile of the window, one per id, by runs of one id. */
static stn_status bind_tilers(stn_build *b)
{
    size_t most = b->job->nsets < STN_GROUND_SPLITS * STN_GROUND_SPLITS
                      ? b->job->nsets
                      : STN_GROUND_SPLITS * STN_GROUND_SPLITS;
    met m;

    memset(m.seen, 0, sizeof m.seen);
    m.n = 0;
    b->tilers = stn_arena_array(b->arena, most + 1, sizeof *b->tilers);
    if (!b->tilers)
        return no_room(b);
    for (int y = -1; y <= STN_CUT_TILES; y++)
        for (int x = -1, end; x <= STN_CUT_TILES; x = end) {
            const uint16_t *row = b->id + stn_ring_tile(0, y);
            uint16_t slot;
            stn_status st = slot_of(b, &m, row[x], &slot);
            if (st != STN_OK)
                return st;
            for (end = x; end <= STN_CUT_TILES && row[end] == row[x]; end++)
                b->slot[stn_ring_tile(end, y)] = slot;
            bool inside = y >= 0 && y < STN_CUT_TILES && x < STN_CUT_TILES && end > 0;
            if (slot != STN_NO_TILER) {
                b->tilers[slot].in_cut |= inside;
                widen(&b->tilers[slot].area, x, end - 1, y);
            } else if (inside) {
                return stn_fail(b->err, STN_NOT_FOUND,
                                "undefined tile: id %u at %d,%d of the cut has no tileset", row[x],
                                x < 0 ? 0 : x, y);
            }
        }
    return STN_OK;
}

/* ---- the surface */

static stn_status open_surface(stn_build *b)
{
    for (unsigned i = 0; i < b->ntilers; i++)
        b->shaped |= b->tilers[i].in_cut && b->tilers[i].kind->model;
    b->cap_v = b->shaped ? 4 * STN_GROUND_VERTICES : STN_GROUND_VERTICES;
    b->nv = STN_GROUND_VERTICES;
    b->pos = stn_arena_array(b->arena, b->cap_v, sizeof *b->pos);
    if (!b->pos)
        return no_room(b);
    stn_ground_positions(b->z, b->pos);
    return STN_OK;
}

stn_status stn_build_vertex(stn_build *b, stn_vec3 pos, uint32_t *number)
{
    if (b->nv >= 65535)
        return stn_fail(b->err, STN_TOO_BIG, "too many vertices in the surface of the cut: at most 65535");
    if (b->nv == b->cap_v) {
        stn_vec3 *bigger = stn_arena_array(b->arena, 2 * b->cap_v, sizeof *bigger);
        if (!bigger)
            return no_room(b);
        memcpy(bigger, b->pos, b->nv * sizeof *bigger);
        b->pos = bigger;
        b->cap_v *= 2;
    }
    b->pos[b->nv] = pos;
    *number = b->nv++;
    return STN_OK;
}

static stn_status room_for_faces(stn_build *b, uint32_t n)
{
    if (b->nfaces + n <= b->cap_faces)
        return STN_OK;
    uint32_t cap = b->cap_faces ? 2 * b->cap_faces + n : 4096;
    uint32_t *bigger = stn_arena_array(b->arena, cap, 3 * sizeof *bigger);
    if (!bigger)
        return no_room(b);
    if (b->nfaces)
        memcpy(bigger, b->faces, b->nfaces * 3 * sizeof *bigger);
    b->faces = bigger;
    b->cap_faces = cap;
    return STN_OK;
}

stn_status stn_build_face(stn_build *b, uint32_t v0, uint32_t v1, uint32_t v2)
{
    stn_status st = room_for_faces(b, 1);
    if (st != STN_OK)
        return st;
    uint32_t *f = b->faces + 3 * b->nfaces++;
    f[0] = v0;
    f[1] = v1;
    f[2] = v2;
    return STN_OK;
}

stn_status stn_build_flat_model(stn_build *b, int x, int y)
{
    stn_status st = room_for_faces(b, 2);
    if (st != STN_OK)
        return st;
    stn_ground_faces(x, y, b->split[stn_ring_tile(x, y)], b->faces + 3 * b->nfaces);
    b->nfaces += 2;
    return STN_OK;
}

/* Pass one and the normals. Plain tiles only: their faces need no list, the kernel knows their order. */
static stn_status make_surface(stn_build *b)
{
    stn_status st = STN_OK;

    for (int y = 0; b->shaped && y < STN_CUT_TILES; y++)
        for (int x = 0; x < STN_CUT_TILES && st == STN_OK; x++) {
            stn_tiler *t = stn_build_tiler_at(b, x, y);
            st = t->kind->model ? t->kind->model(b, t, x, y) : stn_build_flat_model(b, x, y);
        }
    if (st != STN_OK)
        return st;
    b->nrm = stn_arena_array(b->arena, b->nv, sizeof *b->nrm);
    if (!b->nrm)
        return no_room(b);
    if (!b->shaped) {
        b->kernels->normals(b->z, b->split, b->nrm);
        return STN_OK;
    }
    uint16_t *count = stn_arena_array(b->arena, b->nv, sizeof *count);
    if (!count)
        return no_room(b);
    if ((st = room_for_faces(b, 2 * 104)) != STN_OK)
        return st;
    b->nfaces += 2 * (uint32_t)stn_ground_border(b->split, b->faces + 3 * b->nfaces);
    stn_face_normals(b->pos, b->nv, b->faces, b->nfaces, b->nrm, count);
    return STN_OK;
}

/* ---- laid parts */

stn_part *stn_build_new_part(stn_build *b, int x, int y, unsigned nv, unsigned nf)
{
    size_t each = sizeof(uint32_t) + 2 * sizeof(float);
    if (nv > 65535 || nf > 65535)
        return NULL;
    char *mem = stn_arena_alloc(b->arena, sizeof(stn_part) + nv * each + nf * sizeof(uint16_t));
    if (!mem)
        return NULL;
    stn_part *p = (stn_part *)(void *)mem;
    uint32_t *v = (uint32_t *)(void *)(p + 1);
    float *t = (float *)(void *)(v + nv);
    *p = (stn_part){.x = (uint8_t)x, .y = (uint8_t)y, .nv = (uint16_t)nv, .nf = (uint16_t)nf};
    p->v = v;
    p->tx = t;
    p->ty = t + nv;
    p->f = (const uint16_t *)(void *)(t + 2 * nv);
    return p;
}

stn_status stn_build_set_part(stn_build *b, int x, int y, const stn_part *part, const stn_part *wall)
{
    int tile = x + STN_CUT_TILES * y;
    b->parts[tile] = part;
    if (!wall)
        return STN_OK;
    if (!b->walls && !(b->walls = stn_arena_zalloc(b->arena, STN_CUT_AREA, sizeof *b->walls)))
        return no_room(b);
    b->walls[tile] = wall;
    return STN_OK;
}

stn_status stn_build_add_part(stn_build *b, const stn_part *part, uint16_t *index)
{
    if (b->nparts >= STN_NO_IMAGE)
        return stn_fail(b->err, STN_TOO_BIG, "too many laid parts in the cut");
    if (b->nparts == b->cap_parts) {
        const stn_part **bigger = stn_arena_array(b->arena, 2 * b->cap_parts, sizeof *bigger);
        if (!bigger)
            return no_room(b);
        memcpy(bigger, b->parts, b->nparts * sizeof *bigger);
        b->parts = bigger;
        b->cap_parts *= 2;
    }
    b->parts[b->nparts] = part;
    *index = (uint16_t)b->nparts++;
    return STN_OK;
}

const stn_part *stn_build_part(const stn_build *b, uint16_t index, stn_quad *quad)
{
    if (b->parts[index])
        return b->parts[index];
    int x = index % STN_CUT_TILES, y = index / STN_CUT_TILES;
    stn_quad_of(x, y, b->split[stn_ring_tile(x, y)], quad);
    return &quad->part;
}

/* ---- models */

static bool same_res(const stn_tileset *a, const stn_tileset *b)
{
    return a == b || (a && b && a->hash == b->hash && strcmp(a->def.name, b->def.name) == 0);
}

static bool same_material(const stn_material *a, const stn_material *b)
{
    if (!a->res || !b->res)
        return a->res == b->res;
    return a->id == b->id && strcmp(a->res, b->res) == 0;
}

static bool same_state(const stn_state *a, const stn_state *b)
{
    return a->kind == b->kind && a->main == b->main && a->order == b->order && a->owner == b->owner &&
           a->layer == b->layer && a->clipped == b->clipped && a->fog == b->fog &&
           a->vertex_colour == b->vertex_colour && same_res(a->clip, b->clip) &&
           (a->set == b->set || a->owner >= 0 || same_res(a->set, b->set)) &&
           same_material(&a->material, &b->material);
}

stn_status stn_build_model(stn_build *b, const stn_state *state, bool raw, bool shared, stn_model **out)
{
    for (uint32_t i = 0; i < b->nmodels; i++) {
        stn_model *m = b->models[i];
        if (m->raw == raw && m->shared == shared && same_state(&m->state, state)) {
            *out = m;
            return STN_OK;
        }
    }
    if (b->nmodels == b->cap_models) {
        uint32_t cap = b->cap_models ? 2 * b->cap_models : 64;
        stn_model **bigger = stn_arena_array(b->arena, cap, sizeof(stn_model *));
        if (!bigger)
            return no_room(b);
        if (b->nmodels)
            memcpy(bigger, b->models, b->nmodels * sizeof(stn_model *));
        b->models = bigger;
        b->cap_models = cap;
    }
    stn_model *m = stn_arena_zalloc(b->arena, 1, sizeof *m);
    if (!m)
        return no_room(b);
    m->state = *state;
    m->raw = raw;
    m->shared = shared;
    b->models[b->nmodels++] = *out = m;
    return STN_OK;
}

stn_status stn_build_floor(stn_build *b, const stn_tileset *set, const char *tiler_name, uint16_t id,
                           stn_tiler **out)
{
    stn_tiler *t = stn_arena_array(b->arena, 1, sizeof *t);
    stn_status st;

    if (!t)
        return no_room(b);
    if ((st = new_tiler(b, t, set, tiler_name && *tiler_name ? tiler_name : set->def.tiler, id)) != STN_OK)
        return st;
    /* These make surface vertices of their own, which a floor has no step for. */
    if (t->kind == &stn_tiler_cave || t->kind == &stn_tiler_water)
        return stn_fail(b->err, STN_BAD_DATA, "bad tileset %s: a \"%s\" cannot be the floor of another",
                        set->def.name, t->kind->name);
    t->in_cut = true;
    t->area = STN_BLEND_ALL;
    if (t->kind->begin && (st = t->kind->begin(b, t)) != STN_OK)
        return st;
    *out = t;
    return STN_OK;
}

/* ---- pass two */

/* State of the pass generator at each tile of pass two. Each tile's stream starts from a draw of the chain,
 * and pass one draws 625 times before it; the chain cannot be entered in the middle. */
static uint64_t *tile_streams(stn_build *b)
{
    uint64_t *s = stn_arena_array(b->arena, STN_CUT_AREA, sizeof *s);
    stn_j48 r = stn_j48_of(b->mesh_seed);

    for (int i = 0; s && i < 2 * STN_CUT_AREA; i++) {
        int64_t next = stn_j48_long(&r);
        if (i >= STN_CUT_AREA)
            s[i - STN_CUT_AREA] = r.s;
        stn_j48_seed(&r, next);
    }
    return s;
}

/* Neighbours in the order of the mask bits: sides W, N, E, S, then corners NW, NE, SE, SW. */
static const int ring[8] = {-1,
                            -STN_GROUND_SPLITS,
                            1,
                            STN_GROUND_SPLITS,
                            -STN_GROUND_SPLITS - 1,
                            -STN_GROUND_SPLITS + 1,
                            STN_GROUND_SPLITS + 1,
                            STN_GROUND_SPLITS - 1};

static stn_status lay_transitions(stn_build *b, stn_tiler *ground, int x, int y, uint64_t stream)
{
    const size_t at = stn_ring_tile(x, y);
    stn_j48 r = {stream};
    stn_status st = STN_OK;

    /* From the highest id below the tile's own down: ids from its own up lay nothing over it and draw
     * nothing. */
    for (int32_t below = ground->id; st == STN_OK;) {
        int32_t id = -1;
        unsigned bm = 0, cm = 0;
        uint16_t slot = STN_NO_TILER;
        for (int k = 0; k < 8; k++) {
            int32_t n = b->id[at + (size_t)ring[k]];
            id = n < below && n > id ? n : id;
        }
        if (id < 0)
            return STN_OK;
        for (unsigned k = 0; k < 4; k++)
            if (b->id[at + (size_t)ring[k]] == id) {
                bm |= 1u << k;
                slot = b->slot[at + (size_t)ring[k]];
            }
        for (unsigned k = 0; k < 4; k++)
            if (b->id[at + (size_t)ring[4 + k]] == id) {
                slot = b->slot[at + (size_t)ring[4 + k]];
                if (!(bm & (1u << k | 1u << ((k + 1) & 3))))
                    cm |= 1u << k;
            }
        if ((bm | cm) && slot != STN_NO_TILER && b->tilers[slot].kind->trans)
            st = b->tilers[slot].kind->trans(b, &b->tilers[slot], ground, x, y, 255 - id, bm, cm, &r);
        below = id;
    }
    return st;
}

/* Tiles that have a neighbour with a lower id: only over them something may be laid. */
static void find_lower(const stn_build *b, int y, uint8_t lower[STN_CUT_TILES])
{
    const uint16_t *up = b->id + stn_ring_tile(-1, y - 1), *at = up + STN_GROUND_SPLITS,
                   *down = at + STN_GROUND_SPLITS;
    for (int x = 0; x < STN_CUT_TILES; x++) {
        uint16_t own = at[x + 1];
        lower[x] = (up[x] < own) | (up[x + 1] < own) | (up[x + 2] < own) | (at[x] < own) | (at[x + 2] < own) |
                   (down[x] < own) | (down[x + 1] < own) | (down[x + 2] < own);
    }
}

static stn_status pass_two(stn_build *b)
{
    uint8_t lower[STN_CUT_TILES] = {0};
    uint64_t *streams = NULL;
    stn_status st = STN_OK;

    for (int y = 0; y < STN_CUT_TILES && st == STN_OK; y++) {
        if (b->job->transitions)
            find_lower(b, y, lower);
        for (int x = 0; x < STN_CUT_TILES && st == STN_OK; x++) {
            stn_tiler *t = &b->tilers[b->slot[stn_ring_tile(x, y)]];
            uint16_t tile = (uint16_t)(x + STN_CUT_TILES * y);
            if (t->kind->lay)
                st = t->kind->lay(b, t, x, y, tile, false);
            if (st != STN_OK || !lower[x])
                continue;
            if (!streams && !(streams = tile_streams(b)))
                return no_room(b);
            st = lay_transitions(b, t, x, y, streams[tile]);
        }
    }
    return st;
}

stn_status stn_build_run(stn_scratch *s, stn_blocks *blocks, const stn_kernels *kernels, const stn_job *job,
                         stn_build **out, stn_err *err)
{
    stn_status st;

    *out = NULL;
    stn_arena_reset(s->arena);
    stn_build *b = stn_arena_zalloc(s->arena, 1, sizeof *b);
    if (!b)
        return stn_fail(err, STN_NO_MEMORY, "build");
    b->job = job;
    b->arena = s->arena;
    b->blocks = blocks;
    b->kernels = kernels ? kernels : stn_kernels_best();
    b->err = err;
    if ((st = check_job(b)) != STN_OK)
        return st;
    b->ul = stn_job_ul(job);
    b->mesh_seed = stn_cut_seed(job->grid_id, job->cut);
    read_windows(b);
    b->nparts = STN_CUT_AREA;
    b->cap_parts = 2 * STN_CUT_AREA;
    b->parts = stn_arena_zalloc(b->arena, b->cap_parts, sizeof *b->parts);
    if (!b->parts)
        return no_room(b);
    if ((st = bind_tilers(b)) != STN_OK || (st = open_surface(b)) != STN_OK)
        return st;
    for (unsigned i = 0; i < b->ntilers; i++)
        if (b->tilers[i].kind->begin && (st = b->tilers[i].kind->begin(b, &b->tilers[i])) != STN_OK)
            return st;
    if ((st = make_surface(b)) != STN_OK || (st = pass_two(b)) != STN_OK ||
        (st = stn_build_resolve(b)) != STN_OK)
        return st;
    *out = b;
    return STN_OK;
}

stn_laid stn_build_laid(const stn_build *b)
{
    return (stn_laid){
        .pos = b->pos, .nrm = b->nrm, .nv = b->nv, .split = b->split, .parts = b->parts, .walls = b->walls};
}

void stn_build_click_buckets(const stn_build *b, uint8_t out[STN_CUT_AREA])
{
    for (int i = 0; i < STN_CUT_AREA; i++)
        out[i] = stn_build_tiler_at(b, i % STN_CUT_TILES, i / STN_CUT_TILES)->kind->click;
}
