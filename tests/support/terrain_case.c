#include "terrain_case.h"

#include "base/bytes.h"
#include "mesher/exact.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- input */

typedef struct words {
    const char *at, *end;
    char word[256];
    bool bad;
} words;

static const char *next_word(words *w)
{
    while (w->at < w->end && strchr(" \t\r\n", *w->at))
        w->at++;
    size_t n = 0;
    while (w->at < w->end && !strchr(" \t\r\n", *w->at)) {
        if (n + 1 < sizeof w->word)
            w->word[n++] = *w->at;
        else
            w->bad = true;
        w->at++;
    }
    w->word[n] = 0;
    w->bad |= n == 0;
    return w->word;
}

static void expect(words *w, const char *word)
{
    if (strcmp(next_word(w), word) != 0)
        w->bad = true;
}

static int64_t next_int(words *w)
{
    char *end;
    const char *s = next_word(w);
    long long v = strtoll(s, &end, 10);
    w->bad |= *s == 0 || *end != 0;
    return v;
}

static float next_bits(words *w)
{
    char *end;
    const char *s = next_word(w);
    unsigned long v = strtoul(s, &end, 16);
    w->bad |= *s == 0 || *end != 0;
    return stn_f32_of_bits((uint32_t)v);
}

/* More than a tileset may have: that it refuses them is a case too. */
#define MAX_VARS 4096

static stn_status read_mask_set(words *w, terrain_case *c, stn_err *err)
{
    static stn_tile_image images[STN_TILESET_MAX_IMAGES];
    stn_tileset_def d = {.tiler = "gnd", .images = images};
    char name[256];

    expect(w, "transset");
    if (next_int(w) != (int64_t)c->nmasks)
        w->bad = true;
    strcpy(name, next_word(w));
    d.name = name;
    d.tile_w = (uint16_t)next_int(w);
    d.tile_h = (uint16_t)next_int(w);
    int64_t n = next_int(w);
    if (w->bad || n < 0 || n > STN_TILESET_MAX_IMAGES)
        return stn_fail(err, STN_BAD_DATA, "malformed transset %zu", c->nmasks);
    for (int64_t i = 0; i < n; i++) {
        expect(w, "tile");
        images[i].type = next_word(w)[0];
        images[i].id = (uint8_t)next_int(w);
        images[i].weight = (uint16_t)next_int(w);
    }
    d.nimages = (size_t)n;
    return stn_tileset_new(&d, &c->masks[c->nmasks++], err);
}

static stn_status read_set(words *w, terrain_case *c, stn_err *err)
{
    static stn_tile_var vars[MAX_VARS];
    stn_tileset_def d = {.vars = vars};
    char tiler[256], name[256];

    expect(w, "tileset");
    uint16_t id = (uint16_t)next_int(w);
    strcpy(tiler, next_word(w));
    strcpy(name, next_word(w));
    d.tiler = tiler;
    d.name = name;
    int64_t common = next_int(w), base = next_int(w), mask = next_int(w), nvars = next_int(w);
    if (w->bad || nvars < 0 || nvars > MAX_VARS || mask < -1 || mask >= (int64_t)c->nmasks)
        return stn_fail(err, STN_BAD_DATA, "malformed tileset of id %u", id);
    if (common >= 0)
        d.common = (stn_material){.res = name, .id = (int32_t)common};
    if (base >= 0)
        d.base = (stn_material){.res = name, .id = (int32_t)base};
    d.trans = mask < 0 ? NULL : c->masks[mask];
    d.nvars = (size_t)nvars;
    for (size_t i = 0; i < d.nvars; i++) {
        expect(w, "var");
        vars[i].material = (int32_t)next_int(w);
        vars[i].lo = (double)next_bits(w);
        const char *at = w->at;
        if (strcmp(next_word(w), "max") == 0) {
            vars[i].hi = DBL_MAX;
        } else {
            w->at = at;
            vars[i].hi = (double)next_bits(w);
        }
    }
    stn_job_set *out = &c->sets[c->nsets++];
    out->id = id;
    /* A flat tileset is itself the resource with the images. */
    if (strcmp(tiler, "gnd") == 0) {
        if (mask < 0)
            return stn_fail(err, STN_BAD_DATA, "flat tileset %u without images", id);
        out->set = stn_tileset_ref(c->masks[mask]);
        return STN_OK;
    }
    stn_tileset *set;
    stn_status st = stn_tileset_new(&d, &set, err);
    out->set = set;
    return st;
}

terrain_case *terrain_case_new(const char *text, size_t len, stn_err *err)
{
    words w = {.at = text, .end = text + len};
    terrain_case *c = calloc(1, sizeof *c);
    stn_status st = STN_OK;

    if (!c) {
        stn_fail(err, STN_NO_MEMORY, "case");
        return NULL;
    }
    expect(&w, "terrain-case");
    expect(&w, "1");
    expect(&w, "name");
    snprintf(c->name, sizeof c->name, "%.63s", next_word(&w));
    expect(&w, "grid_id");
    c->job.grid_id = next_int(&w);
    expect(&w, "grid_ul");
    c->grid_ul.x = (int32_t)next_int(&w);
    c->grid_ul.y = (int32_t)next_int(&w);
    c->job.grid = stn_grid_of_tile(c->grid_ul);
    expect(&w, "cut");
    c->job.cut.x = (int32_t)next_int(&w);
    c->job.cut.y = (int32_t)next_int(&w);
    expect(&w, "blend");
    c->job.blend = (uint8_t)next_int(&w);
    expect(&w, "transitions");
    c->job.transitions = next_int(&w) != 0;
    expect(&w, "flat");
    c->job.flat = next_int(&w) != 0;
    expect(&w, "transsets");
    int64_t nmasks = next_int(&w);
    for (int64_t i = 0; st == STN_OK && i < nmasks; i++)
        st = c->nmasks < TERRAIN_MAX_SETS ? read_mask_set(&w, c, err)
                                          : stn_fail(err, STN_TOO_BIG, "transsets");
    expect(&w, "tilesets");
    int64_t nsets = next_int(&w);
    for (int64_t i = 0; st == STN_OK && i < nsets; i++)
        st = c->nsets < TERRAIN_MAX_SETS ? read_set(&w, c, err) : stn_fail(err, STN_TOO_BIG, "tilesets");
    expect(&w, "tiles");
    expect(&w, "27");
    expect(&w, "27");
    for (int i = 0; i < 27 * 27; i++)
        c->tiles[i] = (uint16_t)next_int(&w);
    expect(&w, "heights");
    expect(&w, "28");
    expect(&w, "28");
    for (int i = 0; i < 28 * 28; i++)
        c->heights[i] = next_bits(&w);
    expect(&w, "end");
    if (st == STN_OK && w.bad)
        stn_fail(err, st = STN_BAD_DATA, "malformed case %s", c->name);
    if (st != STN_OK) {
        terrain_case_free(c);
        return NULL;
    }
    c->job.tile_window = STN_WINDOW_TILES;
    c->job.tiles = c->tiles;
    c->job.height_window = STN_WINDOW_CORNERS;
    c->job.heights = c->heights;
    c->job.sets = c->sets;
    c->job.nsets = c->nsets;
    return c;
}

void terrain_case_free(terrain_case *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->nsets; i++)
        stn_tileset_unref((stn_tileset *)c->sets[i].set);
    for (size_t i = 0; i < c->nmasks; i++)
        stn_tileset_unref(c->masks[i]);
    free(c);
}

/* ---- result */

static void put_i32(stn_buf *b, int64_t v)
{
    stn_buf_u32(b, (uint32_t)v);
}

static void put_str(stn_buf *b, const char *s)
{
    size_t n = strlen(s);
    stn_buf_u16(b, (uint16_t)n);
    stn_buf_put(b, s, n);
}

static void mark(stn_buf *marks, const stn_buf *out, const char *what, int a, int b)
{
    if (marks)
        stn_buf_printf(marks, "%zu %s %d %d\n", out->len, what, a, b);
}

static int by_id(const void *a, const void *b)
{
    return (int)((const stn_job_set *)a)->id - (int)((const stn_job_set *)b)->id;
}

static stn_status put_blends(const terrain_case *c, stn_build *b, stn_buf *out, stn_buf *marks, stn_err *err)
{
    stn_job_set sorted[TERRAIN_MAX_SETS];
    size_t n = 0;

    for (size_t i = 0; i < c->nsets; i++) {
        bool there = false;
        for (int k = 0; k < 27 * 27; k++)
            there |= c->tiles[k] == c->sets[i].id;
        if (there && strcmp(c->sets[i].set->def.tiler, "trn") == 0)
            sorted[n++] = c->sets[i];
    }
    qsort(sorted, n, sizeof *sorted, by_id);
    put_i32(out, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        stn_blend *bl;
        stn_status st = stn_blend_make(b->arena, b->kernels, b->blocks, sorted[i].set, b->ul, c->job.blend,
                                       STN_BLEND_ALL, NULL, &bl, err);
        if (st != STN_OK)
            return st;
        put_i32(out, sorted[i].id);
        put_i32(out, bl->nlayers);
        put_i32(out, 26);
        put_i32(out, 26);
        for (unsigned l = 0; l < bl->nlayers; l++) {
            mark(marks, out, "weights of id, layer", sorted[i].id, (int)l);
            for (int y = 0; y < 26; y++)
                for (int x = 0; x < 26; x++)
                    stn_buf_f32(out,
                                bl->layers[l].weight ? bl->layers[l].weight[x + STN_BLEND_PITCH * y] : 0.0f);
        }
        for (unsigned l = 0; l < bl->nlayers; l++) {
            mark(marks, out, "enabled flags of id, layer", sorted[i].id, (int)l);
            for (int y = 0; y < 25; y++)
                for (int x = 0; x < 25; x++)
                    stn_buf_u8(out, bl->layers[l].on[y] >> x & 1);
        }
    }
    return STN_OK;
}

static void put_material(stn_buf *out, const stn_state *s)
{
    char text[1200];

    if (s->kind == STN_MESH_FLAT)
        snprintf(text, sizeof text, "%s", s->clip->def.name);
    else if (s->set->def.common.res)
        snprintf(text, sizeof text, "%s#%d+%s#%d", s->set->def.common.res, s->set->def.common.id,
                 s->material.res, s->material.id);
    else
        snprintf(text, sizeof text, "%s#%d", s->material.res ? s->material.res : "", s->material.id);
    put_str(out, text);
    put_str(out, s->kind == STN_MESH_SKIRT ? s->clip->def.name : "");
}

static void put_mesh(stn_buf *out, stn_buf *marks, const stn_exact_mesh *e, int number)
{
    const stn_state *s = &e->model->state;
    uint8_t kind = s->kind == STN_MESH_SKIRT ? 1 : s->kind == STN_MESH_FLAT ? s->clipped ? 6 : 2 : 0;

    mark(marks, out, "head of model, attributes", number, (int)e->nattrs);
    put_material(out, s);
    put_i32(out, s->main);
    put_i32(out, s->order);
    stn_buf_u8(out, kind);
    put_i32(out, e->nv);
    put_i32(out, e->ni);
    put_i32(out, e->nattrs);
    for (unsigned a = 0; a < e->nattrs; a++) {
        unsigned n = stn_mesh_attr_components(e->attr[a]);
        mark(marks, out, stn_mesh_attr_name(e->attr[a]), number, (int)a);
        put_str(out, stn_mesh_attr_name(e->attr[a]));
        put_i32(out, n);
        for (uint32_t v = 0; v < e->nv; v++)
            for (unsigned k = 0; k < n; k++)
                stn_buf_f32(out, e->data[(size_t)v * e->stride + e->offset[a] + k]);
    }
    mark(marks, out, "indices of model", number, 0);
    for (uint32_t i = 0; i < e->ni; i++)
        stn_buf_u16(out, e->index[i]);
}

static stn_status put_click(stn_buf *out, stn_buf *marks, const stn_build *b, stn_err *err)
{
    stn_buf pos = {0}, loc = {0}, index = {0};
    stn_laid laid = stn_build_laid(b);
    stn_status st = stn_click_mesh(&laid, NULL, 0, &pos, &loc, &index, err);

    mark(marks, out, "click mesh", 0, 0);
    put_i32(out, 1);
    put_str(out, "");
    put_str(out, "");
    put_i32(out, 0);
    put_i32(out, 0);
    stn_buf_u8(out, 0);
    put_i32(out, (int64_t)pos.len / 12);
    put_i32(out, (int64_t)index.len / 2);
    put_i32(out, 2);
    put_str(out, "pos");
    put_i32(out, 3);
    stn_buf_put(out, pos.data, pos.len);
    put_str(out, "loc");
    put_i32(out, 2);
    stn_buf_put(out, loc.data, loc.len);
    stn_buf_put(out, index.data, index.len);
    stn_buf_fini(&pos);
    stn_buf_fini(&loc);
    stn_buf_fini(&index);
    return st;
}

stn_status terrain_case_result(const terrain_case *c, stn_scratch *s, stn_blocks *blocks,
                               const stn_kernels *k, stn_buf *out, stn_buf *marks, stn_err *err)
{
    stn_build *b;
    stn_exact exact;
    stn_status st = stn_build_run(s, blocks, k, &c->job, &b, err);

    if (st != STN_OK || (st = stn_build_exact(b, &exact)) != STN_OK)
        return st;
    stn_buf_put(out, "TRO1", 4);
    stn_buf_u64(out, (uint64_t)b->mesh_seed);
    put_i32(out, 729);
    mark(marks, out, "splits", 0, 0);
    stn_buf_put(out, b->split, 729);
    if ((st = put_blends(c, b, out, marks, err)) != STN_OK)
        return st;
    mark(marks, out, "number of models", 0, 0);
    put_i32(out, exact.n);
    for (unsigned i = 0; i < exact.n; i++)
        put_mesh(out, marks, &exact.meshes[i], (int)i);
    return put_click(out, marks, b, err);
}
