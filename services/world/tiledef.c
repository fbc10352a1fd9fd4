#include "world/tiledef.h"

#include "base/arena.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WALL_HEIGHT 11.0f
#define BREAK_HEIGHT 20

static const stn_res_tileset *tileset_of(const stn_res *res)
{
    const stn_res_layer *l = stn_res_first(res, STN_LAYER_TILESET);
    return l ? l->as.tileset : NULL;
}

/* A list whose first value is the keyword. */
static const stn_values *entry(const stn_values *ta, uint32_t i, const char **keyword)
{
    const stn_value *v = &ta->items[i];
    if (v->kind != STN_VALUE_LIST || v->u.list.count == 0 || v->u.list.items[0].kind != STN_VALUE_TEXT)
        return NULL;
    *keyword = v->u.list.items[0].u.text;
    return &v->u.list;
}

static bool is_tiler(const stn_res_tileset *t, const char *name)
{
    return strcmp(t->tiler, name) == 0;
}

static bool lays_terrain(const stn_res_tileset *t)
{
    return is_tiler(t, "trn") || is_tiler(t, "trn-r");
}

/* A resource value, or a name and a version: at values[i]. */
static bool take_ref(const stn_values *v, uint32_t i, stn_resref *out)
{
    int32_t version;
    if (i >= v->count)
        return false;
    if (v->items[i].kind == STN_VALUE_RES) {
        *out = v->items[i].u.res;
        return true;
    }
    if (v->items[i].kind != STN_VALUE_TEXT || i + 1 >= v->count ||
        stn_value_as_int(&v->items[i + 1], &version, NULL) != STN_OK)
        return false;
    *out = (stn_resref){v->items[i].u.text, (uint16_t)version};
    return true;
}

static bool take_id(const stn_values *v, uint32_t i, int32_t *out)
{
    return i < v->count && stn_value_is_number(&v->items[i]) &&
           stn_value_as_int(&v->items[i], out, NULL) == STN_OK;
}

static void problem(stn_tiledef_needs *n, const char *name, const char *what)
{
    n->problem = STN_BAD_DATA;
    snprintf(n->text, sizeof n->text, "tileset %.80s: %s", name, what);
}

static void water_needs(const stn_values *ta, const char *name, stn_tiledef_needs *out)
{
    for (uint32_t i = 1; i < ta->count; i++) {
        const char *k;
        const stn_values *e = entry(ta, i, &k);
        if (!e || (strcmp(k, "bottom") != 0 && strcmp(k, "gnd") != 0 && strcmp(k, "trn") != 0))
            continue;
        if (!take_ref(e, 1, &out->floor))
            problem(out, name, "the bottom is not a resource");
        else
            out->floor_tiler = k[0] == 'b' ? "" : k;
    }
}

/* Caves: keyword form, wmat and gnd by place or by name. */
static stn_status cave_args(const stn_values *ta, stn_arena *arena, stn_entries *out)
{
    return stn_values_keywords(ta, "wmat, ?@gnd", arena, out, NULL);
}

static void cave_needs(const stn_values *ta, const char *name, stn_tiledef_needs *out)
{
    stn_arena *arena = stn_arena_new(1024, 1 << 16);
    stn_entries e;
    const stn_value *gnd;

    if (!arena || cave_args(ta, arena, &e) != STN_OK)
        problem(out, name, "the arguments of a cave cannot be understood");
    else if ((gnd = stn_entries_get(&e, "gnd")) != NULL && gnd->kind == STN_VALUE_RES)
        out->floor = gnd->u.res;
    stn_arena_free(arena);
}

stn_status stn_tiledef_find_needs(const stn_res *res, const char *name, stn_tiledef_needs *out, stn_err *err)
{
    const stn_res_tileset *t = tileset_of(res);
    const stn_values *ta;

    *out = (stn_tiledef_needs){.floor_tiler = ""};
    if (!t)
        return stn_fail(err, STN_NOT_FOUND, "resource %.80s holds no tileset", name);
    if (stn_res_first(res, STN_LAYER_CODEENTRY)) {
        problem(out, name, "its tiler is published code, which cannot run here");
        return STN_OK;
    }
    ta = &t->tiler_args;
    if (lays_terrain(t)) {
        for (uint32_t i = 0; i < ta->count; i++) {
            const char *k;
            const stn_values *e = entry(ta, i, &k);
            if (e && !strcmp(k, "trans") && !take_ref(e, 1, &out->trans))
                problem(out, name, "the transition set is not a resource");
        }
    } else if (is_tiler(t, "water")) {
        water_needs(ta, name, out);
    } else if (is_tiler(t, "cave")) {
        cave_needs(ta, name, out);
    } else if (!is_tiler(t, "gnd")) {
        out->problem = STN_UNSUPPORTED;
        snprintf(out->text, sizeof out->text, "tileset %.80s: there is no tiler \"%.32s\" here", name,
                 t->tiler);
    }
    return STN_OK;
}

void stn_flavor_facts_layer(stn_flavor_facts *f, const char *type, const char *audio_id, int link_kind)
{
    if (!strcmp(type, "codeentry"))
        f->code = true;
    else if (!strcmp(type, "clamb") || (!strcmp(type, "audio2") && audio_id && !strcmp(audio_id, "amb")) ||
             (!strcmp(type, "rlink") && link_kind == STN_RLINK_AMBIENT))
        f->ambient = true;
}

typedef struct maker {
    const stn_res_tileset *t;
    const char *name;
    int32_t version;
    stn_arena *arena;
    stn_tileset_def def;
    stn_tile_var *vars;
    stn_err *err;
} maker;

static stn_status bad(maker *m, const char *what)
{
    return stn_fail(m->err, STN_BAD_DATA, "tileset %.80s: %s", m->name, what);
}

static stn_material own(const maker *m, int32_t id)
{
    return (stn_material){m->name, m->version, id};
}

static stn_status common_material(maker *m, const stn_values *e)
{
    int32_t id;
    stn_resref ref;
    bool pair = e->count > 1 && e->items[1].kind == STN_VALUE_TEXT;
    uint32_t at;

    if (take_id(e, 1, &id)) {
        m->def.common = own(m, id);
        return STN_OK;
    }
    if (!take_ref(e, 1, &ref))
        return bad(m, "the common material is neither an id nor a resource");
    /* The id stands at index 3, also behind a resource value that takes one place: take what is there. */
    at = pair || e->count > 3 ? 3 : 2;
    m->def.common = (stn_material){ref.name, ref.version, take_id(e, at, &id) ? id : -1};
    return STN_OK;
}

/* thr, or [lo, hi]: rounded to f32 first, as the reference keeps them. */
static bool variant_range(const stn_value *v, stn_tile_var *out)
{
    float lo, hi;
    if (v->kind == STN_VALUE_LIST) {
        if (v->u.list.count < 2 || stn_value_as_float(&v->u.list.items[0], &lo, NULL) != STN_OK ||
            stn_value_as_float(&v->u.list.items[1], &hi, NULL) != STN_OK)
            return false;
        out->lo = (double)lo;
        out->hi = (double)hi;
        return true;
    }
    if (stn_value_as_float(v, &lo, NULL) != STN_OK)
        return false;
    out->lo = (double)lo;
    out->hi = DBL_MAX;
    return true;
}

static stn_status ridge_entry(maker *m, const char *k, const stn_values *e, bool *has_wall)
{
    stn_resref ref;
    double v;

    if (!strcmp(k, "rmat")) {
        float h = WALL_HEIGHT;
        if (!take_ref(e, 1, &ref))
            return bad(m, "the cliff material is not a resource");
        m->def.wall = (stn_material){ref.name, ref.version, -1};
        if (e->count > 3 && stn_value_as_float(&e->items[3], &h, NULL) != STN_OK)
            return bad(m, "the height of the cliff texture is not a number");
        m->def.wall_height = h;
        *has_wall = true;
    } else if (!strcmp(k, "rthres")) {
        if (e->count < 2 || stn_value_as_double(&e->items[1], &v, NULL) != STN_OK || !(v > -1e9 && v < 1e9))
            return bad(m, "the breaking height is not a number");
        m->def.break_height = (int32_t)v;
    }
    return STN_OK;
}

static stn_status terrain(maker *m)
{
    const stn_values *ta = &m->t->tiler_args;
    bool ridge = is_tiler(m->t, "trn-r"), has_wall = false;
    const char *k;
    stn_status st;
    int32_t id;

    if (!(m->vars = stn_arena_array(m->arena, ta->count + 1u, sizeof *m->vars)))
        return stn_fail(m->err, STN_NO_MEMORY, "tileset %.80s", m->name);
    m->def.wall_height = WALL_HEIGHT;
    m->def.break_height = BREAK_HEIGHT;
    for (uint32_t i = 0; i < ta->count; i++) {
        const stn_values *e = entry(ta, i, &k);
        if (e && !strcmp(k, "common-mat") && (st = common_material(m, e)) != STN_OK)
            return st;
    }
    for (uint32_t i = 0; i < ta->count; i++) {
        const stn_values *e = entry(ta, i, &k);
        if (!e)
            continue;
        if (!strcmp(k, "base")) {
            if (!take_id(e, 1, &id))
                return bad(m, "the base material is not an id");
            m->def.base = own(m, id);
        } else if (!strcmp(k, "var")) {
            stn_tile_var *v = &m->vars[m->def.nvars];
            if (!take_id(e, 1, &v->material) || e->count < 3 || !variant_range(&e->items[2], v))
                return bad(m, "a variant is not an id and a range");
            m->def.nvars++;
        } else if (ridge && (st = ridge_entry(m, k, e, &has_wall)) != STN_OK) {
            return st;
        }
    }
    m->def.vars = m->vars;
    if (ridge && !has_wall)
        return bad(m, "a ridge set without a cliff material");
    return STN_OK;
}

static stn_status water(maker *m)
{
    const stn_values *ta = &m->t->tiler_args;
    if (!take_id(ta, 0, &m->def.depth))
        return bad(m, "the depth of water is not a number");
    return STN_OK;
}

static stn_status cave(maker *m)
{
    stn_entries e;
    const stn_value *v;
    int32_t id;

    if (cave_args(&m->t->tiler_args, m->arena, &e) != STN_OK || !(v = stn_entries_get(&e, "wmat")) ||
        !stn_value_is_number(v) || stn_value_as_int(v, &id, NULL) != STN_OK)
        return bad(m, "a cave without a wall material");
    m->def.wall = own(m, id);
    return STN_OK;
}

static stn_status tiles(maker *m, const stn_res *res)
{
    stn_tile_image *images;
    size_t n = 0;

    for (const stn_res_layer *l = stn_res_first(res, STN_LAYER_TILE); l;
         l = stn_res_next(res, STN_LAYER_TILE, l))
        n++;
    if (!(images = stn_arena_array(m->arena, n + 1, sizeof *images)))
        return stn_fail(m->err, STN_NO_MEMORY, "tileset %.80s", m->name);
    n = 0;
    for (const stn_res_layer *l = stn_res_first(res, STN_LAYER_TILE); l;
         l = stn_res_next(res, STN_LAYER_TILE, l)) {
        const stn_res_tile *t = l->as.tile;
        if (t->w > UINT16_MAX || t->h > UINT16_MAX)
            return bad(m, "a tile image is too large");
        m->def.tile_w = (uint16_t)t->w;
        m->def.tile_h = (uint16_t)t->h;
        images[n++] = (stn_tile_image){(char)t->kind, t->id, t->weight};
    }
    m->def.images = images;
    m->def.nimages = n;
    return STN_OK;
}

/* How often it is met: a part 1 flavor brings its share, a layer of its own says it in its first argument,
 * unless the flavor is one that places nothing here. */
static stn_status density(maker *m, const stn_flavor *f, bool skip, double *out)
{
    const stn_values *args = f->flavobj ? &f->flavobj->as.flavobj->args : NULL;

    *out = f->p;
    if (!args || skip)
        return STN_OK;
    if (args->count < 1 || !stn_value_is_number(&args->items[0]))
        return bad(m, "a flavor without a density");
    return stn_value_as_double(&args->items[0], out, m->err);
}

static stn_status flavors(maker *m, const stn_flavor_facts *facts)
{
    stn_tile_flavor *out = stn_arena_array(m->arena, m->t->flavor_count + 1u, sizeof *out);
    stn_status st;

    if (!out)
        return stn_fail(m->err, STN_NO_MEMORY, "tileset %.80s", m->name);
    for (uint32_t i = 0; i < m->t->flavor_count; i++) {
        out[i].res = m->t->flavors[i].res.name;
        out[i].version = m->t->flavors[i].res.version;
        out[i].ambient = facts[i].ambient;
        out[i].skip = facts[i].code || facts[i].gone;
        if ((st = density(m, &m->t->flavors[i], out[i].skip, &out[i].p)) != STN_OK)
            return st;
    }
    m->def.flavors = out;
    m->def.nflavors = m->t->flavor_count;
    return STN_OK;
}

stn_status stn_tiledef_make(const stn_res *res, const char *name, int32_t version, stn_tiledef_level level,
                            uint32_t handle, const stn_tileset *trans, const stn_tileset *floor,
                            const stn_flavor_facts *facts, stn_tileset **out, stn_err *err)
{
    maker m = {.t = tileset_of(res), .name = name, .version = version, .err = err};
    stn_status st;

    *out = NULL;
    if (!m.t)
        return stn_fail(err, STN_NOT_FOUND, "resource %.80s holds no tileset", name);
    if (!(m.arena = stn_arena_new(4096, 1 << 22)))
        return stn_fail(err, STN_NO_MEMORY, "tileset %.80s", name);
    m.def.handle = handle;
    m.def.name = name;
    m.def.version = version;
    m.def.tiler = m.t->tiler;
    m.def.trans = trans;
    m.def.floor = floor;
    st = tiles(&m, res);
    if (st == STN_OK && lays_terrain(m.t))
        st = terrain(&m);
    else if (st == STN_OK && is_tiler(m.t, "water"))
        st = water(&m);
    else if (st == STN_OK && is_tiler(m.t, "cave"))
        st = cave(&m);
    if (st == STN_OK && level == STN_TILEDEF_FULL && facts)
        st = flavors(&m, facts);
    if (st == STN_OK) {
        stn_tiledef_needs needs;
        st = stn_tiledef_find_needs(res, name, &needs, err);
        m.def.floor_tiler = needs.floor_tiler;
    }
    if (st == STN_OK)
        st = stn_tileset_new(&m.def, out, err);
    stn_arena_free(m.arena);
    return st;
}
