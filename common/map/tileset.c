#include "map/tileset.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

static uint32_t next_pow2(uint32_t v)
{
    uint32_t p = 1;
    while (p < v)
        p <<= 1;
    return p;
}

stn_status stn_atlas_pack(uint32_t w, uint32_t h, size_t n, uint32_t *aw, uint32_t *ah, uint32_t *xy,
                          stn_err *err)
{
    uint64_t best = 0;

    *aw = *ah = 0;
    if (n == 0)
        return STN_OK;
    if (w == 0 || h == 0 || w > 65535 || h > 65535)
        return stn_fail(err, STN_BAD_DATA, "tile images of %ux%u pixels: expected 1 to 65535 each way", w, h);
    if (n > STN_TILESET_MAX_IMAGES)
        return stn_fail(err, STN_TOO_BIG, "%zu tile images, at most %d", n, STN_TILESET_MAX_IMAGES);
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t cw = next_pow2(w * i), ch = next_pow2(h * (uint32_t)((n + i - 1) / i));
        uint64_t area = (uint64_t)cw * ch;
        uint32_t edge = cw > ch ? cw : ch, best_edge = *aw > *ah ? *aw : *ah;
        if (best == 0 || area < best || (area == best && edge < best_edge)) {
            best = area;
            *aw = cw;
            *ah = ch;
        }
    }
    for (uint32_t i = 0, x = 0, y = 0; i < n; i++) {
        if (y >= *ah)
            return stn_fail(err, STN_BAD_DATA, "tile image %u of %zu finds no place in an atlas of %ux%u", i,
                            n, *aw, *ah);
        if (xy) {
            xy[2 * i] = x;
            xy[2 * i + 1] = y;
        }
        x += w;
        if (x > *aw - w) {
            x = 0;
            y += h;
        }
    }
    return STN_OK;
}

double stn_var_plane(int32_t hash, int32_t material)
{
    /* i32 products wrap and % truncates: the plane may be negative. */
    int32_t v = (int32_t)((uint32_t)hash * (uint32_t)material * 8129u);
    return (double)(v % 10000);
}

/* One block of memory for everything a set owns: sized first, then filled in the same order. */
typedef struct pool {
    char *at;
    size_t used;
} pool;

static void *pool_take(pool *p, size_t bytes)
{
    void *out = p->at ? p->at + p->used : NULL;
    p->used += (bytes + 15) & ~(size_t)15;
    return out;
}

static const void *pool_dup(pool *p, const void *data, size_t bytes)
{
    void *out = pool_take(p, bytes);
    if (out && bytes)
        memcpy(out, data, bytes);
    return out;
}

static const char *pool_text(pool *p, const char *text)
{
    return text ? (const char *)pool_dup(p, text, strlen(text) + 1) : NULL;
}

static void fill_list(pool *p, stn_pick_list *list, const stn_tileset_def *def, char type, uint8_t id,
                      bool any_id)
{
    size_t n = 0;
    for (size_t i = 0; i < def->nimages; i++)
        n += def->images[i].type == type && (any_id || def->images[i].id == id);
    uint16_t *image = (uint16_t *)pool_take(p, n * sizeof *image);
    uint16_t *weight = (uint16_t *)pool_take(p, n * sizeof *weight);
    if (!image || !weight)
        return;
    *list = (stn_pick_list){.image = image, .weight = weight, .n = n};
    n = 0;
    for (size_t i = 0; i < def->nimages; i++) {
        if (def->images[i].type != type || (!any_id && def->images[i].id != id))
            continue;
        image[n] = (uint16_t)i;
        weight[n++] = def->images[i].weight;
        list->total += def->images[i].weight;
    }
}

/* Walks once to size (set NULL, pool without memory) and once to fill. */
static void lay_out(pool *p, const stn_tileset_def *def, stn_tileset *set)
{
    stn_tileset scratch = {0}, *s = set ? set : &scratch;
    stn_tileset_def *d = &s->def;

    *d = *def;
    d->name = pool_text(p, def->name);
    d->tiler = pool_text(p, def->tiler);
    d->floor_tiler = pool_text(p, def->floor_tiler ? def->floor_tiler : "");
    d->common.res = pool_text(p, def->common.res);
    d->base.res = pool_text(p, def->base.res);
    d->wall.res = pool_text(p, def->wall.res);
    d->images = (const stn_tile_image *)pool_dup(p, def->images, def->nimages * sizeof *def->images);
    d->vars = (const stn_tile_var *)pool_dup(p, def->vars, def->nvars * sizeof *def->vars);
    stn_tile_flavor *flavors = (stn_tile_flavor *)pool_take(p, def->nflavors * sizeof *flavors);
    for (size_t i = 0; i < def->nflavors; i++) {
        const char *res = pool_text(p, def->flavors[i].res);
        if (flavors) {
            flavors[i] = def->flavors[i];
            flavors[i].res = res;
        }
    }
    d->flavors = flavors;
    s->places = (const stn_image_place *)pool_take(p, def->nimages * sizeof *s->places);
    s->nz = (const double *)pool_take(p, def->nvars * sizeof *s->nz);
    fill_list(p, &s->ground, def, 'g', 0, true);
    for (uint8_t i = 0; i < 15; i++) {
        fill_list(p, &s->side[i], def, 'b', (uint8_t)(i + 1), false);
        fill_list(p, &s->corner[i], def, 'c', (uint8_t)(i + 1), false);
    }
}

static stn_status check_text(const char *what, const char *text, stn_err *err)
{
    if (text && strlen(text) > STN_TILESET_MAX_NAME)
        return stn_fail(err, STN_TOO_BIG, "bad tileset: %s of %zu bytes, at most %d", what, strlen(text),
                        STN_TILESET_MAX_NAME);
    return STN_OK;
}

static unsigned nesting_of(const stn_tileset_def *def)
{
    unsigned trans = def->trans ? def->trans->nesting + 1 : 0,
             floor = def->floor ? def->floor->nesting + 1 : 0;
    return trans > floor ? trans : floor;
}

static stn_status check(const stn_tileset_def *def, stn_err *err)
{
    uint64_t sum = 0;

    if (!def->name || !def->tiler)
        return stn_fail(err, STN_BAD_DATA, "bad tileset: it has no name or no tiler");
    if (check_text("name", def->name, err) || check_text("tiler", def->tiler, err) ||
        check_text("floor tiler", def->floor_tiler, err) ||
        check_text("common material", def->common.res, err) ||
        check_text("base material", def->base.res, err) || check_text("wall material", def->wall.res, err))
        return err ? err->code : STN_TOO_BIG;
    if (def->nimages > STN_TILESET_MAX_IMAGES || def->nflavors > STN_TILESET_MAX_FLAVORS)
        return stn_fail(err, STN_TOO_BIG, "bad tileset %s: %zu images, %zu flavors, at most %d and %d",
                        def->name, def->nimages, def->nflavors, STN_TILESET_MAX_IMAGES,
                        STN_TILESET_MAX_FLAVORS);
    if (nesting_of(def) > STN_TILESET_MAX_NESTING)
        return stn_fail(err, STN_BAD_DATA, "bad tileset %s: it stands on a chain of more than %d sets",
                        def->name, STN_TILESET_MAX_NESTING);
    if (def->nvars > STN_TILESET_MAX_VARS)
        return stn_fail(err, STN_BAD_DATA, "bad tileset %s: %zu variants, at most %d", def->name, def->nvars,
                        STN_TILESET_MAX_VARS);
    for (size_t i = 0; i < def->nimages; i++) {
        const stn_tile_image *im = &def->images[i];
        if ((im->type == 'b' || im->type == 'c') && (im->id < 1 || im->id > 15))
            return stn_fail(err, STN_BAD_DATA,
                            "bad tileset %s: tile image %zu of type %c has mask %u, expected 1 to 15",
                            def->name, i, im->type, im->id);
        sum += im->weight;
    }
    if (sum > INT32_MAX)
        return stn_fail(err, STN_BAD_DATA, "bad tileset %s: weights sum to %llu", def->name,
                        (unsigned long long)sum);
    for (size_t i = 0; i < def->nflavors; i++)
        if (!def->flavors[i].res || check_text("flavor", def->flavors[i].res, err))
            return stn_fail(err, STN_BAD_DATA, "bad tileset %s: flavor %zu has no usable name", def->name, i);
    return STN_OK;
}

static stn_status place_images(stn_tileset *set, stn_err *err)
{
    size_t n = set->def.nimages;
    uint32_t *xy = (uint32_t *)calloc(n ? n : 1, 2 * sizeof *xy);
    stn_image_place *places = (stn_image_place *)set->places;

    if (!xy)
        return stn_fail(err, STN_NO_MEMORY, "atlas of %zu images", n);
    stn_status st =
        stn_atlas_pack(set->def.tile_w, set->def.tile_h, n, &set->atlas_w, &set->atlas_h, xy, err);
    for (size_t i = 0; st == STN_OK && i < n; i++) {
        stn_image_place *pl = &places[i];
        pl->x = xy[2 * i];
        pl->y = xy[2 * i + 1];
        /* The width is the difference of two rounded f32 quotients, not their exact difference. */
        pl->l = (float)pl->x / (float)set->atlas_w;
        pl->t = (float)pl->y / (float)set->atlas_h;
        pl->w = (float)(pl->x + set->def.tile_w) / (float)set->atlas_w - pl->l;
        pl->h = (float)(pl->y + set->def.tile_h) / (float)set->atlas_h - pl->t;
    }
    free(xy);
    return st == STN_OK ? st : stn_fail_in(err, st, "bad tileset %s", set->def.name);
}

stn_status stn_tileset_new(const stn_tileset_def *def, stn_tileset **out, stn_err *err)
{
    pool p = {0};
    stn_status st;

    *out = NULL;
    if ((st = check(def, err)) != STN_OK)
        return st;
    lay_out(&p, def, NULL);
    stn_tileset *set = (stn_tileset *)calloc(1, sizeof *set);
    p = (pool){.at = (char *)calloc(1, p.used + 16)};
    if (!set || !p.at) {
        free(set);
        free(p.at);
        return stn_fail(err, STN_NO_MEMORY, "tileset %s", def->name);
    }
    set->memory = p.at;
    lay_out(&p, def, set);
    set->name_len = strlen(def->name);
    set->has_ground = set->ground.n > 0;
    for (int i = 0; i < 15; i++) {
        set->has_sides |= set->side[i].n > 0;
        set->has_corners |= set->corner[i].n > 0;
    }
    set->hash = stn_name_hash(def->name, set->name_len);
    set->noise = stn_noise_of(set->hash);
    for (size_t i = 0; i < def->nvars; i++)
        ((double *)set->nz)[i] = stn_var_plane(set->hash, def->vars[i].material);
    set->nesting = nesting_of(def);
    set->refs = 1;
    if (def->trans)
        stn_tileset_ref((stn_tileset *)def->trans);
    if (def->floor)
        stn_tileset_ref((stn_tileset *)def->floor);
    if ((st = place_images(set, err)) != STN_OK) {
        stn_tileset_unref(set);
        return st;
    }
    *out = set;
    return STN_OK;
}

stn_tileset *stn_tileset_ref(stn_tileset *set)
{
    set->refs++;
    return set;
}

void stn_tileset_unref(stn_tileset *set)
{
    if (!set || --set->refs > 0)
        return;
    /* A set only refers to sets that existed before it, so this ends. */
    stn_tileset_unref((stn_tileset *)set->def.trans);
    stn_tileset_unref((stn_tileset *)set->def.floor);
    free(set->memory);
    free(set);
}

/* ---- the form that travels */

#define FORM 1

static void put_text(stn_buf *b, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    stn_buf_u16(b, (uint16_t)n);
    stn_buf_put(b, text ? text : "", n);
}

static void put_material(stn_buf *b, const stn_material *m)
{
    stn_buf_u8(b, m->res != NULL);
    put_text(b, m->res);
    stn_buf_u32(b, (uint32_t)m->version);
    stn_buf_u32(b, (uint32_t)m->id);
}

void stn_tileset_encode(const stn_tileset *set, stn_buf *b)
{
    const stn_tileset_def *d = &set->def;

    stn_buf_u8(b, FORM);
    put_text(b, d->name);
    stn_buf_u32(b, (uint32_t)d->version);
    put_text(b, d->tiler);
    stn_buf_u16(b, d->tile_w);
    stn_buf_u16(b, d->tile_h);
    stn_buf_u16(b, (uint16_t)d->nimages);
    for (size_t i = 0; i < d->nimages; i++) {
        stn_buf_u8(b, (uint8_t)d->images[i].type);
        stn_buf_u8(b, d->images[i].id);
        stn_buf_u16(b, d->images[i].weight);
    }
    put_material(b, &d->common);
    put_material(b, &d->base);
    put_material(b, &d->wall);
    stn_buf_u16(b, (uint16_t)d->nvars);
    for (size_t i = 0; i < d->nvars; i++) {
        stn_buf_u32(b, (uint32_t)d->vars[i].material);
        stn_buf_f64(b, d->vars[i].lo);
        stn_buf_f64(b, d->vars[i].hi);
    }
    stn_buf_f32(b, d->wall_height);
    stn_buf_u32(b, (uint32_t)d->break_height);
    stn_buf_u32(b, (uint32_t)d->depth);
    stn_buf_u32(b, d->trans ? d->trans->def.handle : 0);
    stn_buf_u32(b, d->floor ? d->floor->def.handle : 0);
    put_text(b, d->floor_tiler);
    stn_buf_u16(b, (uint16_t)d->nflavors);
    for (size_t i = 0; i < d->nflavors; i++) {
        put_text(b, d->flavors[i].res);
        stn_buf_u32(b, (uint32_t)d->flavors[i].version);
        stn_buf_f64(b, d->flavors[i].p);
        stn_buf_u8(b, (uint8_t)(d->flavors[i].ambient | d->flavors[i].skip << 1));
    }
}

/* What decoding needs until stn_tileset_new() has copied it. */
typedef struct reader {
    stn_bytes in;
    char
        *texts; /* every text with a NUL: never longer than the input, since each has a length of two bytes */
    size_t used;
} reader;

static const char *get_text(reader *r)
{
    size_t n = stn_bytes_u16(&r->in);
    const uint8_t *data = stn_bytes_take(&r->in, n);
    if (!data || memchr(data, 0, n)) {
        r->in.bad = true;
        return "";
    }
    char *out = r->texts + r->used;
    memcpy(out, data, n);
    out[n] = 0;
    r->used += n + 1;
    return out;
}

static stn_material get_material(reader *r)
{
    bool has = stn_bytes_u8(&r->in) != 0;
    const char *res = get_text(r);
    stn_material m;
    m.version = stn_bytes_i32(&r->in);
    m.id = stn_bytes_i32(&r->in);
    m.res = has ? res : NULL;
    return m;
}

/* A list of `n` entries of at least `each` bytes: NULL and bad when the rest cannot hold them. */
static void *get_list(reader *r, size_t n, size_t each, size_t size, size_t most, stn_err *err)
{
    if (n > most || stn_bytes_left(&r->in) / each < n) {
        stn_fail(err, STN_TRUNCATED,
                 "tileset at %zu: list of %zu entries, %zu bytes left, at most %zu entries", r->in.pos, n,
                 stn_bytes_left(&r->in), most);
        r->in.bad = true;
        return NULL;
    }
    void *out = calloc(n ? n : 1, size);
    if (!out) {
        stn_fail(err, STN_NO_MEMORY, "tileset list of %zu entries", n);
        r->in.bad = true;
    }
    return out;
}

static void get_def(reader *r, stn_tileset_def *d, uint32_t refs[2], stn_err *err)
{
    stn_tile_image *images;
    stn_tile_var *vars;
    stn_tile_flavor *flavors;

    d->name = get_text(r);
    d->version = stn_bytes_i32(&r->in);
    d->tiler = get_text(r);
    d->tile_w = stn_bytes_u16(&r->in);
    d->tile_h = stn_bytes_u16(&r->in);
    d->nimages = stn_bytes_u16(&r->in);
    d->images = images = get_list(r, d->nimages, 4, sizeof *images, STN_TILESET_MAX_IMAGES, err);
    for (size_t i = 0; images && i < d->nimages; i++) {
        images[i].type = (char)stn_bytes_u8(&r->in);
        images[i].id = stn_bytes_u8(&r->in);
        images[i].weight = stn_bytes_u16(&r->in);
    }
    d->common = get_material(r);
    d->base = get_material(r);
    d->wall = get_material(r);
    d->nvars = stn_bytes_u16(&r->in);
    d->vars = vars = get_list(r, d->nvars, 20, sizeof *vars, STN_TILESET_MAX_VARS, err);
    for (size_t i = 0; vars && i < d->nvars; i++) {
        vars[i].material = stn_bytes_i32(&r->in);
        vars[i].lo = stn_bytes_f64(&r->in);
        vars[i].hi = stn_bytes_f64(&r->in);
    }
    d->wall_height = stn_bytes_f32(&r->in);
    d->break_height = stn_bytes_i32(&r->in);
    d->depth = stn_bytes_i32(&r->in);
    refs[0] = stn_bytes_u32(&r->in);
    refs[1] = stn_bytes_u32(&r->in);
    d->floor_tiler = get_text(r);
    d->nflavors = stn_bytes_u16(&r->in);
    d->flavors = flavors = get_list(r, d->nflavors, 15, sizeof *flavors, STN_TILESET_MAX_FLAVORS, err);
    for (size_t i = 0; flavors && i < d->nflavors; i++) {
        flavors[i].res = get_text(r);
        flavors[i].version = stn_bytes_i32(&r->in);
        flavors[i].p = stn_bytes_f64(&r->in);
        uint8_t flags = stn_bytes_u8(&r->in);
        flavors[i].ambient = flags & 1;
        flavors[i].skip = flags & 2;
    }
}

stn_status stn_tileset_decode(const void *data, size_t len, uint32_t handle,
                              stn_tileset *(*find)(void *arg, uint32_t handle), void *arg, stn_tileset **out,
                              stn_err *err)
{
    reader r = {.in = stn_bytes_of(data, len)};
    stn_tileset_def d = {.handle = handle};
    uint32_t refs[2] = {0};
    stn_err why = {0};
    stn_status st = STN_OK;

    *out = NULL;
    if (len > STN_TILESET_MAX_BYTES)
        return stn_fail(err, STN_TOO_BIG, "tileset of %zu bytes, at most %u", len, STN_TILESET_MAX_BYTES);
    uint8_t form = stn_bytes_u8(&r.in);
    if (form != FORM)
        return stn_fail(err, STN_VERSION, "tileset: form %u, expected %d", form, FORM);
    if (!(r.texts = malloc(len + 1)))
        return stn_fail(err, STN_NO_MEMORY, "tileset of %zu bytes", len);
    get_def(&r, &d, refs, &why);
    if (r.in.bad || stn_bytes_left(&r.in))
        st = why.code ? stn_fail(err, why.code, "%s", why.text)
                      : stn_fail(err, r.in.bad ? STN_TRUNCATED : STN_BAD_DATA,
                                 "tileset of %zu bytes: the fields end at %zu", len, r.in.pos);
    for (int i = 0; st == STN_OK && i < 2; i++) {
        const stn_tileset *other = refs[i] ? find(arg, refs[i]) : NULL;
        if (refs[i] && !other)
            st = stn_fail(err, STN_BAD_DATA, "tileset %s: refers to set %u, which was not sent before",
                          d.name, refs[i]);
        else if (i == 0)
            d.trans = other;
        else
            d.floor = other;
    }
    if (st == STN_OK)
        st = stn_tileset_new(&d, out, err);
    free((void *)d.images);
    free((void *)d.vars);
    free((void *)d.flavors);
    free(r.texts);
    return st;
}
