#include "renderer/build/store.h"

#include "base/log.h"
#include "base/table.h"

#include "renderer/build/meshjob.h"
#include "renderer/scene/simplify.h"
#include "renderer/sprite/manim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MORPH_SIDE 1024 /* of the texture of a mesh animation's frames: 6 MB at most */

typedef enum entry_state { ENTRY_WAITING, ENTRY_READY, ENTRY_FAILED } entry_state;

/* Frames of a message, kept until the last texture made from them is with the driver. */
struct holder {
    unsigned refs;
    stn_wire *wire;
    void (*release)(void *arg);
    void *arg;
};

struct asset_of {
    uint32_t layer; /* index in the resource */
    bool bones;
    const stn_res_manim *morph;
    uint32_t asset;
};

/* The server's own pictures of sky and water: docs/spec/rendering.md 14.3. */
static const struct surround {
    const char *name;
    bool sky;
    stn_pattern pattern;
} surrounds[] = {{"gfx/tiles/skycube", true, STN_PATTERNS},
                 {"gfx/tiles/wnrm", false, STN_PATTERN_WAVES},
                 {"gfx/tiles/wfoam", false, STN_PATTERN_FOAM}};

struct entry {
    char *name;
    int32_t version; /* as asked for */
    entry_state state;
    stn_sprite_res res;
    stn_res *owned;
    struct asset_of *textures, *meshes;
    size_t texture_count, mesh_count;
    uint32_t atlas;
    bool has_colour;
    uint8_t colour[4];
    const struct surround *surround; /* NULL: an ordinary resource */
    struct entry *next; /* of the same name */
};

struct stn_store {
    stn_store_ops ops;
    stn_sprite_source source;
    stn_names *by_name; /* -> struct entry, chained by version */
    stn_table *by_res; /* stn_sprite_res pointer -> entry */
    stn_table *by_asset; /* meshes that may have levels of detail: asset -> stn_res_mesh */
    struct entry *all[STN_STORE_MAX];
    size_t count;
    stn_job **pending;
    size_t pending_count, pending_cap;
    uint32_t next_asset, square, rod;
    bool surrounds_asked;
    unsigned waiting, failed;
    stn_log_once asset_once;
};

static stn_sprite_fault get(void *user, const char *name, int32_t version, const stn_sprite_res **out,
                            stn_err *err)
{
    return stn_store_get(user, name, version, out, err);
}

stn_store *stn_store_new(const stn_store_ops *ops)
{
    stn_store *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->ops = *ops;
    s->source.get = get;
    s->source.user = s;
    s->by_name = stn_names_new();
    s->by_res = stn_table_new();
    s->by_asset = stn_table_new();
    if (!s->by_name || !s->by_res || !s->by_asset) {
        stn_store_free(s);
        return NULL;
    }
    return s;
}

void stn_store_free(stn_store *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        stn_res_free(s->all[i]->owned);
        free(s->all[i]->textures);
        free(s->all[i]->meshes);
        free(s->all[i]->name);
        free(s->all[i]);
    }
    for (size_t i = 0; i < s->pending_count; i++)
        stn_job_free(s->pending[i]);
    free(s->pending);
    stn_names_free(s->by_name);
    stn_table_free(s->by_res);
    stn_table_free(s->by_asset);
    free(s);
}

const stn_sprite_source *stn_store_source(stn_store *s)
{
    return &s->source;
}

static struct entry *find(const stn_store *s, const char *name, int32_t version)
{
    struct entry *e = stn_names_get(s->by_name, name);

    while (e && e->version != version)
        e = e->next;
    return e;
}

static struct entry *make_entry(stn_store *s, const char *name, int32_t version)
{
    struct entry *e;

    if (s->count == STN_STORE_MAX)
        return NULL;
    e = calloc(1, sizeof *e);
    if (!e || !(e->name = strdup(name))) {
        free(e);
        return NULL;
    }
    e->version = version;
    e->next = stn_names_get(s->by_name, name);
    if (!stn_names_put(s->by_name, name, e, NULL) || !stn_table_put(s->by_res, (uintptr_t)&e->res, e, NULL)) {
        free(e->name);
        free(e);
        return NULL;
    }
    s->all[s->count++] = e;
    return e;
}

stn_sprite_fault stn_store_get(stn_store *s, const char *name, int32_t version, const stn_sprite_res **out,
                               stn_err *err)
{
    struct entry *e;

    *out = NULL;
    if (!name || !name[0])
        return stn_sprite_fail(err, STN_SPRITE_LOAD_FAILED, "a resource without a name");
    e = find(s, name, version);
    if (!e) {
        e = make_entry(s, name, version);
        if (!e)
            return stn_sprite_fail(err, STN_SPRITE_LOAD_FAILED, "no room for resource \"%s\"", name);
        s->waiting++;
        s->ops.ask(s->ops.ctx, name, version, 0);
    }
    if (e->state == ENTRY_READY) {
        *out = &e->res;
        return STN_SPRITE_OK;
    }
    if (e->state == ENTRY_FAILED)
        return stn_sprite_fail(err, STN_SPRITE_LOAD_FAILED, "resource \"%s\" could not be loaded", name);
    return STN_SPRITE_LOADING;
}

static void unhold(void *arg)
{
    struct holder *h = arg;

    if (--h->refs > 0)
        return;
    stn_wire_free(h->wire);
    if (h->release)
        h->release(h->arg);
    free(h);
}

static void give(stn_store *s, stn_job *job)
{
    if (s->pending_count == 0 && s->ops.give(s->ops.ctx, job))
        return;
    if (s->pending_count == s->pending_cap) {
        size_t cap = s->pending_cap ? s->pending_cap * 2 : 64;
        void *p = realloc(s->pending, cap * sizeof *s->pending);

        if (!p) {
            stn_log_error("out of memory: a picture or a mesh is lost");
            stn_job_free(job);
            return;
        }
        s->pending = p;
        s->pending_cap = cap;
    }
    s->pending[s->pending_count++] = job;
}

bool stn_store_flush(stn_store *s)
{
    size_t done = 0;

    while (done < s->pending_count && s->ops.give(s->ops.ctx, s->pending[done]))
        done++;
    if (done > 0) {
        memmove(s->pending, s->pending + done, (s->pending_count - done) * sizeof *s->pending);
        s->pending_count -= done;
    }
    return s->pending_count == 0;
}

static uint32_t take_asset(stn_store *s)
{
    if (s->next_asset + 1 >= STN_MAX_ASSETS) {
        if (stn_log_due(&s->asset_once))
            stn_log_warn("more than %d textures and meshes: the newest are not drawn", STN_MAX_ASSETS);
        return 0;
    }
    return ++s->next_asset;
}

/* How a texture is read: the table of rendering.md 11.1. */
static stn_sampling sampling_of(const stn_res_tex *t)
{
    stn_sampling s = {STN_FILTER_LINEAR, STN_FILTER_LINEAR, STN_MIPS_NONE, 0};

    if (t->mipmap != STN_MIP_NONE)
        s.mip = STN_MIPS_LINEAR;
    if (t->has_filter) {
        s.mag = t->mag_linear ? STN_FILTER_LINEAR : STN_FILTER_NEAREST;
        s.min = t->min_linear ? STN_FILTER_LINEAR : STN_FILTER_NEAREST;
        s.mip = t->mip_filter < 0 ? STN_MIPS_NONE : t->mip_filter == 0 ? STN_MIPS_NEAREST : STN_MIPS_LINEAR;
    }
    return s;
}

/* Without memory for it the texture counts as solid: a hand then points at its holes too. */
static void note_holes(stn_job_texture *t)
{
    const stn_texture_level *full = &t->levels[0];

    if (t->level_count == 0 || (t->solid = malloc(stn_pick_mask_bytes(full->width, full->height))) == NULL)
        return;
    if (!stn_pick_mask_fill(t->solid, full->rgba, full->width, full->height)) {
        free(t->solid);
        t->solid = NULL;
    }
}

/* A texture job of a picture layer; 0 when it has no pixels. */
static uint32_t give_texture(stn_store *s, struct holder *h, uint32_t layer, stn_sampling sampling,
                             uint8_t *last)
{
    const stn_wire_layer *l = stn_wire_layer_at(h->wire, layer);
    stn_job *job;
    uint32_t asset;

    if (!l || l->levels < 1 || !l->pixels.data || l->problem[0] || !(asset = take_asset(s)))
        return 0;
    job = stn_job_new(STN_JOB_TEXTURE, 0);
    if (!job)
        return 0;
    job->u.texture.asset = asset;
    job->u.texture.sampling = sampling;
    for (uint32_t i = 0; i < l->levels && i < 16; i++) {
        stn_wire_span span;
        stn_texture_level *level = &job->u.texture.levels[i];

        if (!stn_wire_level(l, i, &level->width, &level->height, &span))
            break;
        level->rgba = span.data;
        job->bytes += span.len;
        job->u.texture.level_count++;
        if (last && level->width * level->height > 0)
            memcpy(last, span.data + (span.len - 4), 4);
    }
    note_holes(&job->u.texture);
    job->release = unhold;
    job->arg = h;
    h->refs++;
    give(s, job);
    return asset;
}

static void remember(struct asset_of **list, size_t *count, struct asset_of a)
{
    void *p = realloc(*list, (*count + 1) * sizeof **list);

    if (!p)
        return;
    *list = p;
    (*list)[(*count)++] = a;
}

/* The mean of a picture, from its smallest levels: what the ground looks like from afar. */
static void note_colour(struct entry *e, const stn_wire_layer *l)
{
    uint32_t w, h;
    stn_wire_span span;
    uint64_t sum[3] = {0}, n = 0;

    if (!stn_wire_level(l, l->levels > 4 ? l->levels - 4 : l->levels - 1, &w, &h, &span))
        return;
    for (size_t i = 0; i + 3 < span.len; i += 4)
        if (span.data[i + 3] >= 128) {
            for (size_t c = 0; c < 3; c++)
                sum[c] += span.data[i + c];
            n++;
        }
    if (n == 0)
        return;
    for (int c = 0; c < 3; c++)
        e->colour[c] = (uint8_t)(sum[c] / n);
    e->colour[3] = 255;
    e->has_colour = true;
}

/* All pictures of a resource at once, so that the frames need not be kept. */
static void make_textures(stn_store *s, struct entry *e, struct holder *h)
{
    for (uint32_t i = 0; i < stn_res_count(e->owned); i++) {
        const stn_res_layer *l = stn_res_layer_at(e->owned, i);
        const stn_wire_layer *w = stn_wire_layer_at(h->wire, i);

        if (l->kind == STN_LAYER_TEX) {
            uint32_t asset = give_texture(s, h, i, sampling_of(l->as.tex), NULL);

            remember(&e->textures, &e->texture_count, (struct asset_of){.layer = i, .asset = asset});
            if (asset && !e->has_colour)
                note_colour(e, w);
        } else if (l->kind == STN_LAYER_TILESET && w->levels > 0) {
            /* Images lie edge to edge in the sheet: any filter across texels would mix neighbours at tile
             * borders. docs/spec/rendering.md, samplers: terrain tile sheet. */
            e->atlas = give_texture(
                s, h, i, (stn_sampling){STN_FILTER_NEAREST, STN_FILTER_NEAREST, STN_MIPS_LINEAR, 0}, NULL);
        }
    }
}

static void give_surround(stn_store *s, const struct entry *e, struct holder *h)
{
    stn_job *job = stn_job_new(STN_JOB_SURROUND, 0);
    stn_job_surround *to;
    stn_wire_span span;

    if (!job)
        return;
    to = &job->u.surround;
    to->pattern = e->surround->pattern;
    to->asset = e->texture_count ? e->textures[0].asset : 0;
    for (uint32_t i = 0; e->surround->sky && !to->sky && i < stn_res_count(e->owned); i++) {
        const stn_wire_layer *w = stn_wire_layer_at(h->wire, i);

        if (stn_res_layer_at(e->owned, i)->kind == STN_LAYER_IMAGE && w && w->levels > 0 && !w->problem[0] &&
            stn_wire_level(w, 0, &to->width, &to->height, &span))
            to->sky = span.data;
    }
    if (e->surround->sky ? !to->sky : !to->asset) {
        stn_log_warn("resource %s holds no picture: what code makes stands for it", e->name);
        stn_job_free(job);
        return;
    }
    job->bytes = to->sky ? (size_t)to->width * to->height * 4 : 0;
    job->release = unhold;
    job->arg = h;
    h->refs++;
    give(s, job);
}

void stn_store_surround(stn_store *s)
{
    if (s->surrounds_asked)
        return;
    s->surrounds_asked = true;
    for (size_t i = 0; i < sizeof surrounds / sizeof surrounds[0]; i++) {
        struct entry *e = find(s, surrounds[i].name, -1);

        if (e || !(e = make_entry(s, surrounds[i].name, -1)))
            continue;
        e->surround = &surrounds[i];
        s->waiting++;
        s->ops.ask(s->ops.ctx, e->name, -1, 0);
    }
}

void stn_store_ready(stn_store *s, const char *name, int32_t version, stn_wire *wire,
                     void (*release)(void *arg), void *arg)
{
    struct entry *e = find(s, name, version);
    struct holder *h = calloc(1, sizeof *h);
    stn_err err = {0};

    if (!h) {
        stn_wire_free(wire);
        if (release)
            release(arg);
        return;
    }
    *h = (struct holder){.refs = 1, .wire = wire, .release = release, .arg = arg};
    if (!e || e->state == ENTRY_READY) { /* not asked for, or here already: what sprites borrow stays */
        unhold(h);
        return;
    }
    if (stn_wire_res(wire, &e->owned, &err) != STN_OK) {
        stn_store_failed(s, name, version, err.text);
        unhold(h);
        return;
    }
    s->waiting -= e->state == ENTRY_WAITING;
    s->failed -= e->state == ENTRY_FAILED && !e->surround;
    e->state = ENTRY_READY;
    e->res.name = e->name;
    e->res.version = stn_wire_version(wire);
    e->res.res = e->owned;
    make_textures(s, e, h);
    if (e->surround)
        give_surround(s, e, h);
    unhold(h);
}

void stn_store_failed(stn_store *s, const char *name, int32_t version, const char *why)
{
    struct entry *e = find(s, name, version);

    if (!e || e->state != ENTRY_WAITING)
        return;
    e->state = ENTRY_FAILED;
    s->waiting--;
    if (e->surround) {
        stn_log_info("resource %s: %s; what code makes stands for it", name, why);
        return;
    }
    s->failed++;
    stn_log_warn("resource %s (version %d): %s; a placeholder stands for it", name, version, why);
}

void stn_store_ask_again(stn_store *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i]->state == ENTRY_WAITING)
            s->ops.ask(s->ops.ctx, s->all[i]->name, s->all[i]->version, 0);
}

static struct entry *entry_of(const stn_store *s, const stn_sprite_res *res)
{
    return res ? stn_table_get(s->by_res, (uintptr_t)res) : NULL;
}

uint32_t stn_store_texture(stn_store *s, const stn_sprite_res *res, const stn_res_tex *tex)
{
    struct entry *e = entry_of(s, res);

    for (size_t i = 0; e && i < e->texture_count; i++)
        if (stn_res_layer_at(e->owned, e->textures[i].layer)->as.tex == tex)
            return e->textures[i].asset;
    return 0;
}

uint32_t stn_store_atlas(stn_store *s, const stn_sprite_res *res)
{
    struct entry *e = entry_of(s, res);

    return e ? e->atlas : 0;
}

void stn_store_atlas_cell(stn_store *s, const stn_sprite_res *res, float cell[2])
{
    struct entry *e = entry_of(s, res);
    const stn_res_layer *l = e ? stn_res_first(e->owned, STN_LAYER_TILESET) : NULL;
    const stn_res_tileset *t = l ? l->as.tileset : NULL;

    cell[0] = cell[1] = 1.0f;
    if (!t || t->place_count == 0 || t->pack_w == 0 || t->pack_h == 0)
        return;
    cell[0] = (float)t->places[0].tile->as.tile->w / (float)t->pack_w;
    cell[1] = (float)t->places[0].tile->as.tile->h / (float)t->pack_h;
}

bool stn_store_tile_colour(stn_store *s, const char *name, int32_t version, uint8_t rgba[4])
{
    struct entry *e = find(s, name, version);

    if (!e || !e->has_colour)
        return false;
    memcpy(rgba, e->colour, 4);
    return true;
}

/* The frames of an animation, normals below the places. Without memory, or when there are too many, the mesh
 * stands still. */
static void fill_morph(stn_job *job, const stn_res_manim *l, const char *name)
{
    static stn_log_once once;
    stn_manim_texture size = stn_manim_texture_size(l);
    uint32_t height = size.height * (l->has_normals ? 2 : 1);
    size_t half = (size_t)size.width * size.height * 3;
    uint16_t *texels;

    if (size.width > MORPH_SIDE || height > MORPH_SIDE) {
        if (stn_log_due(&once))
            stn_log_warn("%s: mesh animation %d has %u frames of %u vertices, too many to be shown moving",
                         name, l->id, l->count, size.vertices);
        return;
    }
    texels = stn_job_memory(job, (size_t)size.width * height * 3 * sizeof *texels);
    if (!texels)
        return;
    stn_manim_texture_fill(l, false, texels);
    if (l->has_normals)
        stn_manim_texture_fill(l, true, texels + half);
    job->u.mesh.morph = (stn_mesh_morph){texels, size.width, height};
    job->bytes += (size_t)size.width * height * 6;
}

uint32_t stn_store_mesh(stn_store *s, const stn_sprite_res *res, const stn_res_layer *mesh, bool bones,
                        const stn_res_manim *morph)
{
    struct entry *e = entry_of(s, res);
    stn_job *job;
    uint32_t asset = 0;
    stn_err err = {0};

    if (!e || mesh->kind != STN_LAYER_MESH)
        return 0;
    for (size_t i = 0; i < e->mesh_count; i++)
        if (e->meshes[i].layer == mesh->index && e->meshes[i].bones == bones && e->meshes[i].morph == morph)
            return e->meshes[i].asset;
    job = stn_job_new(STN_JOB_MESH, 0);
    if (job && stn_meshjob_fill(job, &job->u.mesh.desc, mesh->as.mesh, bones)) {
        if (stn_mesh_check(&job->u.mesh.desc, &err) == STN_OK)
            asset = take_asset(s);
        else
            stn_log_warn("%s: mesh layer %u is not drawn: %s", res->name, mesh->index, err.text);
    }
    remember(&e->meshes, &e->mesh_count, (struct asset_of){mesh->index, bones, morph, asset});
    if (!asset) {
        stn_job_free(job);
        return 0;
    }
    job->u.mesh.asset = asset;
    if (morph)
        fill_morph(job, morph, res->name);
    /* What moves in itself is not what its triangles say, and is seldom far away. */
    if (!bones && !morph)
        job->u.mesh.diameter = stn_simplify_diagonal(&job->u.mesh.desc);
    if (job->u.mesh.diameter > 0.0f &&
        !stn_table_put(s->by_asset, asset, (void *)(uintptr_t)mesh->as.mesh, NULL))
        job->u.mesh.diameter = 0.0f;
    give(s, job);
    return asset;
}

void stn_store_levels(stn_store *s, uint32_t asset)
{
    const stn_res_mesh *mesh = stn_table_get(s->by_asset, asset);
    stn_job *job = mesh ? stn_meshjob_levels(mesh) : NULL;

    if (!job)
        return;
    job->u.levels.asset = asset;
    give(s, job);
}

/* A mesh of place, normal and texture coordinate that is made here. */
static uint32_t give_shape(stn_store *s, uint32_t *known, const float (*corners)[8], uint32_t n,
                           const uint16_t *indices, uint32_t n_indices)
{
    uint32_t asset = *known;
    stn_job *job;

    if (asset)
        return asset;
    job = stn_job_new(STN_JOB_MESH, 0);
    asset = job ? take_asset(s) : 0;
    if (!asset) {
        stn_job_free(job);
        return 0;
    }
    *known = asset;
    job->u.mesh.asset = asset;
    job->bytes = n * sizeof *corners + n_indices * sizeof *indices;
    job->u.mesh.desc =
        (stn_mesh_desc){.vertices = corners,
                        .stride = sizeof *corners,
                        .vertex_count = n,
                        .attrs = {{.slot = STN_VTX_POS, .comps = 3},
                                  {.slot = STN_VTX_NRM, .comps = 3, .offset = 3 * sizeof(float)},
                                  {.slot = STN_VTX_TEX, .comps = 2, .offset = 6 * sizeof(float)}},
                        .attr_count = 3,
                        .indices = indices,
                        .index_bytes = 2,
                        .index_count = n_indices};
    give(s, job);
    return asset;
}

uint32_t stn_store_square(stn_store *s)
{
    /* row 0 of a picture is its top */
    static const float corners[4][8] = {{-0.5f, -0.5f, 0, 0, 0, 1, 0, 1},
                                        {0.5f, -0.5f, 0, 0, 0, 1, 1, 1},
                                        {0.5f, 0.5f, 0, 0, 0, 1, 1, 0},
                                        {-0.5f, 0.5f, 0, 0, 0, 1, 0, 0}};
    static const uint16_t indices[6] = {0, 1, 2, 0, 2, 3};

    return give_shape(s, &s->square, corners, 4, indices, 6);
}

uint32_t stn_store_rod(stn_store *s)
{
    /* Six sides: cosine and sine of each. */
    enum { SIDES = 6 };
    static const float around[SIDES][2] = {{1, 0},  {0.5f, 0.8660254f},   {-0.5f, 0.8660254f},
                                           {-1, 0}, {-0.5f, -0.8660254f}, {0.5f, -0.8660254f}};
    static float corners[2 * SIDES][8];
    static uint16_t indices[6 * SIDES];

    for (int i = 0; i < SIDES; i++) {
        const uint16_t here = (uint16_t)(2 * i), next = (uint16_t)(2 * ((i + 1) % SIDES));
        const uint16_t two[6] = {
            here, next, (uint16_t)(next + 1), here, (uint16_t)(next + 1), (uint16_t)(here + 1)};

        for (int up = 0; up < 2; up++) {
            const float c[8] = {around[i][0],     around[i][1], (float)up, around[i][0], around[i][1], 0,
                                (float)i / SIDES, (float)up};

            memcpy(corners[2 * i + up], c, sizeof c);
        }
        memcpy(indices + 6 * i, two, sizeof two);
    }
    return give_shape(s, &s->rod, (const float(*)[8])corners, 2 * SIDES, indices, 6 * SIDES);
}

void stn_store_counts(const stn_store *s, unsigned *known, unsigned *waiting, unsigned *failed)
{
    *known = (unsigned)s->count;
    *waiting = s->waiting;
    *failed = s->failed;
}
