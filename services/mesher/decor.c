/* All double, the order of the operations as written; draws as the reference spends them. */
#include "mesher/decor.h"

#include "base/bytes.h"
#include "num/j48.h"

#include <math.h>
#include <string.h>

#define AREA (STN_CUT_TILES * STN_CUT_TILES)

typedef struct seeding {
    const stn_job *job;
    stn_arena *arena;
    stn_coord ul;
    uint16_t tile[AREA];
    int64_t seed;
    stn_decor_object *objects;
    uint32_t count, cap;
    stn_err *err;
} seeding;

static stn_status no_room(stn_err *err)
{
    return stn_fail(err, STN_NO_MEMORY, "decoration: the job needs more memory than one build may take");
}

static stn_status read_tiles(seeding *s)
{
    const stn_job *j = s->job;
    stn_window cut = {0, 0, STN_CUT_TILES, STN_CUT_TILES};

    if (!j->tiles || !stn_window_covers(j->tile_window, cut))
        return stn_fail(s->err, STN_BAD_DATA,
                        "map loading: decoration reads tiles 0..24, the job's window is %d,%d %ux%u",
                        j->tile_window.x, j->tile_window.y, j->tile_window.w, j->tile_window.h);
    if (j->cut.x < 0 || j->cut.x >= STN_GRID_CUTS || j->cut.y < 0 || j->cut.y >= STN_GRID_CUTS)
        return stn_fail(s->err, STN_BAD_DATA, "cut %d,%d of a grid: expected 0 to 3", j->cut.x, j->cut.y);
    for (int y = 0; y < STN_CUT_TILES; y++)
        memcpy(s->tile + y * STN_CUT_TILES, j->tiles + stn_window_at(j->tile_window, 0, y),
               STN_CUT_TILES * sizeof *s->tile);
    return STN_OK;
}

static const stn_tileset *set_of(const stn_job *job, uint16_t id)
{
    for (size_t i = 0; i < job->nsets; i++)
        if (job->sets[i].id == id)
            return job->sets[i].set;
    return NULL;
}

static stn_status put(seeding *s, const stn_decor_object *o)
{
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? s->cap * 2 : 256;
        stn_decor_object *bigger = stn_arena_array(s->arena, cap, sizeof *bigger);
        if (!bigger)
            return no_room(s->err);
        if (s->count)
            memcpy(bigger, s->objects, s->count * sizeof *bigger);
        s->objects = bigger;
        s->cap = cap;
    }
    s->objects[s->count++] = *o;
    return STN_OK;
}

/* A lower density scales the chance alone: the objects that remain are those of the higher one. */
static double chance(const stn_tile_flavor *f, double density)
{
    if (!(density < 100) || f->ambient)
        return f->p;
    density = density > 0 ? floor(density) : 0;
    return (f->p * density) / 100.0;
}

static int64_t object_seed(const seeding *s, double x, double y)
{
    stn_j48 g = stn_j48_of(s->seed);
    double dx = x - (double)s->ul.x * 11.0, dy = y - (double)s->ul.y * 11.0;

    stn_j48_seed(&g, stn_j48_long(&g) ^ (int64_t)stn_bits_of_f64(dx));
    return stn_j48_long(&g) ^ (int64_t)stn_bits_of_f64(dy);
}

static stn_status seed_flavor(seeding *s, const stn_tileset *set, uint16_t id, uint16_t index, stn_j48 *r)
{
    const stn_tile_flavor *f = &set->def.flavors[index];
    double p = chance(f, s->job->density);
    int64_t a = stn_j48_long(r);
    int64_t keys[2] = {stn_name_hash(f->res, strlen(f->res)), id};
    stn_j48 g = stn_keyed(a, keys, 2);
    int64_t own = stn_j48_long(&g);

    for (int i = 0; i < AREA; i++) {
        int64_t at[2] = {i % STN_CUT_TILES, i / STN_CUT_TILES};
        stn_decor_object o = {
            .set = set, .id = id, .flavor = index, .tile_x = (uint8_t)at[0], .tile_y = (uint8_t)at[1]};
        stn_j48 q;
        stn_status st;
        if (s->tile[i] != id)
            continue;
        g = stn_keyed(own, at, 2);
        q = stn_j48_of(stn_j48_long(&g));
        if (!(stn_j48_double(&q) < p))
            continue;
        double u = stn_j48_double(&q), v = stn_j48_double(&q), w = stn_j48_double(&q);
        o.x = (double)stn_wrap_add(s->ul.x, (int32_t)at[0]) * 11.0 + 11.0 * u;
        o.y = (double)stn_wrap_add(s->ul.y, (int32_t)at[1]) * 11.0 + 11.0 * v;
        o.angle = (w * 2.0) * M_PI;
        o.seed = object_seed(s, o.x, o.y);
        if ((st = put(s, &o)) != STN_OK)
            return st;
    }
    return STN_OK;
}

/* Ids in the order in which they are first met; each flavor's generator starts from the cut's seed, id and
 * index. */
static stn_status seed_ids(seeding *s, stn_j48 *r)
{
    uint8_t *done = stn_arena_zalloc(s->arena, 65536 / 8, 1);

    if (!done)
        return no_room(s->err);
    for (int i = 0; i < AREA; i++) {
        uint16_t id = s->tile[i];
        const stn_tileset *set;
        if (done[id >> 3] >> (id & 7) & 1)
            continue;
        done[id >> 3] |= (uint8_t)(1u << (id & 7));
        set = set_of(s->job, id);
        for (size_t k = 0; set && k < set->def.nflavors; k++) {
            /* The shift is of 32 bits and then widened with its sign: ids from 32768 up are negative. */
            int64_t high = (int64_t)(int32_t)((uint32_t)id << 16);
            stn_status st;
            if (set->def.flavors[k].skip)
                continue;
            stn_j48_seed(r, s->seed ^ high ^ (int64_t)k);
            if ((st = seed_flavor(s, set, id, (uint16_t)k, r)) != STN_OK)
                return st;
        }
    }
    return STN_OK;
}

static bool same_material(const stn_material *a, const stn_material *b)
{
    if (!a->res || !b->res)
        return !a->res && !b->res;
    return a->id == b->id && strcmp(a->res, b->res) == 0;
}

static stn_status make_groups(seeding *s, stn_decor *out)
{
    uint32_t *of = stn_arena_array(s->arena, s->count + 1, sizeof *of),
             *all = stn_arena_array(s->arena, s->count + 1, sizeof *all);
    stn_decor_group *groups = stn_arena_zalloc(s->arena, s->job->nsets + 1, sizeof *groups);
    uint32_t n = 0, at = 0;

    if (!of || !all || !groups)
        return no_room(s->err);
    for (uint32_t i = 0; i < s->count; i++) {
        const stn_material *m = &s->objects[i].set->def.common;
        uint32_t g = 0;
        while (g < n && !same_material(&groups[g].material, m))
            g++;
        if (g == n)
            groups[n++].material = *m;
        of[i] = g;
        groups[g].count++;
    }
    for (uint32_t g = 0; g < n; g++) {
        groups[g].objects = all + at;
        for (uint32_t i = 0; i < s->count; i++)
            if (of[i] == g)
                all[at++] = i;
    }
    out->groups = groups;
    out->ngroups = n;
    return STN_OK;
}

stn_status stn_decor_run(const stn_job *job, stn_arena *arena, stn_decor *out, stn_err *err)
{
    seeding s = {.job = job, .arena = arena, .err = err, .ul = stn_job_ul(job)};
    stn_j48 r =
        stn_j48_of((int64_t)((uint64_t)job->grid_id + (uint64_t)(int64_t)(job->cut.x + 4 * job->cut.y)));
    stn_status st = read_tiles(&s);

    *out = (stn_decor){.count = 0};
    if (st != STN_OK)
        return st;
    s.seed = stn_j48_long(&r);
    if ((st = seed_ids(&s, &r)) != STN_OK)
        return st;
    out->seed = s.seed;
    out->objects = s.objects;
    out->count = s.count;
    return make_groups(&s, out);
}
