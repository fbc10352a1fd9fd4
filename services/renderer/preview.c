#include "renderer/preview.h"

#include "base/bytes.h"
#include "renderer/build/look.h"
#include "renderer/build/opened.h"
#include "renderer/gl/surface.h"
#include "renderer/gl/view.h"
#include "renderer/sprite/sprite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINE 2 /* drawn so many times as large, then made smaller: smooth edges */
#define ELEVATION (STN_PI32 / 6)
#define MAX_LEAVES 2048
#define MAX_BONES 256
#define MARGIN 1.06f

typedef struct preview {
    const stn_preview_options *o;
    const char *name;
    const uint8_t *data;
    size_t len;
    stn_preview *out;
    /* GL */
    stn_surface *surface;
    stn_glrec rec;
    stn_meshes *meshes;
    stn_textures *textures;
    stn_programs *programs;
    stn_view *view;
    /* resources */
    stn_store *store;
    stn_opened *opened;
    uint32_t *texture_ids, *mesh_ids; /* by asset */
    /* the model */
    stn_obj_random random;
    stn_rnd rnd;
    stn_sprite_ctx *ctx;
    stn_arena *arena;
    stn_m4 eye;
    stn_v3 min, max; /* in eye space */
    bool adding; /* else measuring */
    bool naked; /* meshes without a material are shown too */
    uint32_t leaves;
    const stn_manim *moving; /* the animation of the mesh that is being made */
} preview;

/* ---- resources ---- */

static void note_missing(preview *p, const char *what, const char *name)
{
    if (p->out->missing++ == 0)
        snprintf(p->out->first_missing, sizeof p->out->first_missing, "%s %s", what, name);
}

static void ask(void *ctx, const char *name, int32_t version, int32_t priority)
{
    preview *p = ctx;
    uint8_t *data = NULL;
    size_t len = 0;
    stn_wire *wire;
    stn_err err = {0};
    stn_status st = STN_NOT_FOUND;

    (void)priority;
    if (strcmp(name, p->name) == 0)
        st = stn_opened_add(&p->opened, p->data, p->len, &wire, &err);
    else if (p->o->find && (st = p->o->find(p->o->user, name, version, &data, &len, &err)) == STN_OK)
        st = stn_opened_add(&p->opened, data, len, &wire, &err);
    free(data);
    if (st == STN_OK) {
        stn_store_ready(p->store, name, version, wire, NULL, NULL);
        return;
    }
    note_missing(p, "resource", name);
    stn_store_failed(p->store, name, version, err.text[0] ? err.text : "not at hand");
}

/* A mesh stands still in the picture: its animation is worked into the vertices. */
static void move_vertices(const preview *p, const stn_mesh_desc *d)
{
    float *vertices = (float *)(uintptr_t)d->vertices, *pos = NULL, *nrm = NULL;

    for (uint32_t i = 0; i < d->attr_count; i++) {
        if (d->attrs[i].slot == STN_VTX_POS)
            pos = vertices + d->attrs[i].offset / sizeof(float);
        if (d->attrs[i].slot == STN_VTX_NRM)
            nrm = vertices + d->attrs[i].offset / sizeof(float);
    }
    if (pos)
        stn_manim_apply(p->moving, d->vertex_count, d->stride / sizeof(float), pos, nrm);
}

/* What the store makes goes to the driver at once. */
static bool give(void *ctx, stn_job *job)
{
    preview *p = ctx;
    stn_err err = {0};

    if (job->kind == STN_JOB_TEXTURE && job->u.texture.asset < STN_MAX_ASSETS)
        stn_textures_add(p->textures, job->u.texture.levels, job->u.texture.level_count,
                         job->u.texture.sampling, &p->texture_ids[job->u.texture.asset], &err);
    if (job->kind == STN_JOB_MESH && job->u.mesh.asset < STN_MAX_ASSETS) {
        if (p->moving)
            move_vertices(p, &job->u.mesh.desc);
        p->mesh_ids[job->u.mesh.asset] = stn_meshes_add(p->meshes, &job->u.mesh.desc);
    }
    stn_job_free(job);
    return true;
}

static void unknown(void *user, const char *what, const char *name)
{
    note_missing(user, what, name);
}

/* ---- set up ---- */

static stn_status open_gl(preview *p, stn_err *err)
{
    stn_surface_options so = {.kind = STN_SURFACE_HEADLESS, .width = p->o->width, .height = p->o->height};
    stn_status st = stn_surface_new(&so, &p->surface, err);

    if (st != STN_OK)
        return st;
    stn_glrec_invalidate(&p->rec);
    p->meshes = stn_meshes_new(&p->rec);
    p->textures = stn_textures_new(&p->rec, 4.0f);
    if (!p->meshes || !p->textures)
        return stn_fail(err, STN_NO_MEMORY, "preview");
    if ((st = stn_programs_new(&p->rec, NULL, &p->programs, err)) != STN_OK ||
        (st = stn_view_new(&p->rec, p->programs, p->meshes, p->textures, 0, &p->view, err)) != STN_OK)
        return st;
    return stn_view_resize(p->view, p->o->width * FINE, p->o->height * FINE, true, false, err);
}

static stn_status open_rest(preview *p, stn_err *err)
{
    const stn_store_ops ops = {p, ask, give};
    const stn_sprite_report report = {unknown, p};

    p->texture_ids = calloc(STN_MAX_ASSETS, sizeof *p->texture_ids);
    p->mesh_ids = calloc(STN_MAX_ASSETS, sizeof *p->mesh_ids);
    p->store = stn_store_new(&ops);
    p->arena = stn_arena_new(1u << 16, 64u << 20);
    p->random = stn_obj_random_seeded(1); /* the same picture each time */
    p->rnd = stn_obj_random_floats(&p->random);
    if (p->store)
        p->ctx = stn_sprite_ctx_new(stn_store_source(p->store), &p->rnd, &report);
    return p->texture_ids && p->mesh_ids && p->ctx && p->arena ? STN_OK
                                                               : stn_fail(err, STN_NO_MEMORY, "preview");
}

static void close_all(preview *p)
{
    stn_sprite_ctx_free(p->ctx);
    stn_store_free(p->store);
    stn_opened_free(p->opened);
    stn_arena_free(p->arena);
    free(p->texture_ids);
    free(p->mesh_ids);
    stn_view_free(p->view);
    stn_programs_free(p->programs);
    stn_meshes_free(p->meshes);
    stn_textures_free(p->textures);
    stn_surface_free(p->surface);
}

/* ---- the model ---- */

static void measure(preview *p, const stn_res_mesh *mesh, const stn_m4 *local)
{
    stn_m4 to_eye = stn_m4_mul(p->eye, *local);
    const stn_attrib *pos = stn_res_vbuf_attr(mesh->vbuf->as.vbuf, STN_ATTR_POS);

    for (uint32_t i = 0; pos && i < 3 * mesh->tris; i++) {
        const float *at = pos->f + (size_t)mesh->indices[i] * pos->components;
        stn_v3 v = stn_m4_pt(&to_eye, (stn_v3){at[0], at[1], at[2]});
        if (!stn_v3_finite(v))
            continue;
        p->min = (stn_v3){fminf(p->min.x, v.x), fminf(p->min.y, v.y), fminf(p->min.z, v.z)};
        p->max = (stn_v3){fmaxf(p->max.x, v.x), fmaxf(p->max.y, v.y), fmaxf(p->max.z, v.z)};
    }
}

static uint32_t bones_of(preview *p, const stn_dyn *morph)
{
    stn_m4 bones[MAX_BONES];

    if (morph->vbuf->bone_count > MAX_BONES)
        return 0;
    for (uint32_t i = 0; i < morph->vbuf->bone_count; i++) {
        int32_t bone = morph->bones[i];
        stn_mat4 m =
            bone >= 0 ? stn_pose_bone_matrix(morph->pose, morph->bind, (uint32_t)bone) : stn_mat4_identity;
        memcpy(bones[i].m, m.m, sizeof m.m);
    }
    return stn_view_bones(p->view, bones, morph->vbuf->bone_count);
}

static void add_mesh(preview *p, const stn_sprite_res *res, const stn_res_layer *layer, const stn_dyn *morph,
                     stn_matstate material, const stn_m4 *local)
{
    stn_instance in = {.model = *local};
    uint32_t asset = stn_store_mesh(p->store, res, layer, morph != NULL, NULL), id;

    for (int i = 0; i < STN_MAT_T_COUNT; i++)
        material.texture[i] = material.texture[i] < STN_MAX_ASSETS ? p->texture_ids[material.texture[i]] : 0;
    if (morph) {
        material.features |= STN_MAT_SKIN;
        if (!(in.bones = bones_of(p, morph)))
            return;
    }
    id = stn_view_material(p->view, &material);
    if (asset && asset < STN_MAX_ASSETS && p->mesh_ids[asset] && id)
        stn_view_add(p->view, p->mesh_ids[asset], id, &in, STN_DRAW_VISIBLE);
}

static bool take_leaf(void *user, const stn_leaf *leaf)
{
    preview *p = user;
    const stn_res_layer *layer = leaf->part->layer;
    stn_m4 local = stn_m4_identity();
    stn_matstate material;

    if (leaf->part->kind != STN_PART_MESH || !layer || layer->kind != STN_LAYER_MESH)
        return true;
    if (leaf->state->presence[STN_SLOT_LOC] == STN_SET && leaf->state->values[STN_SLOT_LOC].u.loc)
        memcpy(local.m, leaf->state->values[STN_SLOT_LOC].u.loc->world.m, sizeof local.m);
    p->leaves++;
    if (p->adding) {
        stn_look_of_state(p->store, leaf->state, &material);
        p->moving = leaf->state->presence[STN_SLOT_MANIM] == STN_SET
                        ? leaf->state->values[STN_SLOT_MANIM].u.wrap->manim
                        : NULL;
        add_mesh(p, leaf->part->res, layer, leaf->morph, material, &local);
    } else {
        measure(p, layer->as.mesh, &local);
    }
    return p->leaves < MAX_LEAVES;
}

/* Meshes that nothing dresses: models of people and their clothes. */
static void take_naked(preview *p, const stn_sprite_res *res)
{
    stn_m4 local = stn_m4_identity();
    stn_matstate plain = stn_matstate_default();

    plain.features = STN_MAT_LIT;
    for (int i = 0; i < 3; i++)
        plain.amb[i] = plain.dif[i] = 0.8f;
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res->res, STN_LAYER_MESH, l)) != NULL;) {
        if (++p->leaves > MAX_LEAVES)
            return;
        if (p->adding)
            add_mesh(p, res, l, NULL, plain, &local);
        else
            measure(p, l->as.mesh, &local);
    }
}

static stn_sprite_fault walk(preview *p, const stn_sprite *sprite, const stn_sprite_res *res, stn_err *err)
{
    stn_state outer;
    stn_sprite_fault fault = STN_SPRITE_OK;

    p->leaves = 0;
    stn_state_clear(&outer);
    /* What the scene gives to all: faces seen from behind are left out, near hides far. */
    outer.presence[STN_SLOT_FACECULL] = outer.presence[STN_SLOT_DEPTHTEST] = STN_SET;
    stn_arena_reset(p->arena);
    if (p->naked)
        take_naked(p, res);
    else
        fault = stn_sprite_leaves(sprite, &outer, p->arena, take_leaf, p, err);
    return fault;
}

static stn_frame frame_of(const preview *p)
{
    stn_frame f = {.view = p->eye,
                   .day_light = -1,
                   .outlines = true,
                   .outline_strength = 1.0f,
                   .clear = {0.55f, 0.60f, 0.63f, 1.0f},
                   .light_count = 1};
    float cx = (p->min.x + p->max.x) / 2, cy = (p->min.y + p->max.y) / 2;
    float w = fmaxf((p->max.x - p->min.x) / 2, 0.01f), h = fmaxf((p->max.y - p->min.y) / 2, 0.01f);
    float aspect = (float)p->o->width / (float)p->o->height, depth = p->max.z - p->min.z;
    stn_m4 one = stn_m4_identity();
    /* The light goes around with the view: it always comes from the same side of the picture. */
    stn_m4 front = stn_m4_pointed((stn_v3){0, 0, 0}, 0, ELEVATION, -STN_PI32 / 4);
    stn_v4 day = stn_daylight_dir(0.9, -0.4);
    stn_lit *l = &f.lights[0];

    if (w < h * aspect)
        w = h * aspect;
    else
        h = w / aspect;
    w *= MARGIN;
    h *= MARGIN;
    /* The eye looks along -z. */
    f.proj = stn_m4_ortho(cx - w, cx + w, cy - h, cy + h, -p->max.z - depth - 1, -p->min.z + depth + 1);
    l->pos = stn_light_dir(&front, &one, (stn_v3){day.x, day.y, day.z});
    l->amb = (stn_v4){0.45f, 0.46f, 0.50f, 1};
    l->dif = (stn_v4){0.75f, 0.73f, 0.68f, 1};
    l->spc = (stn_v4){0.5f, 0.5f, 0.5f, 1};
    return f;
}

/* Each pixel the mean of FINE x FINE. */
static void make_smaller(const uint8_t *from, uint8_t *to, int w, int h)
{
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int c = 0; c < 4; c++) {
                unsigned sum = 0;
                for (int dy = 0; dy < FINE; dy++)
                    for (int dx = 0; dx < FINE; dx++)
                        sum += from[(((size_t)y * FINE + (size_t)dy) * (size_t)w * FINE + (size_t)x * FINE +
                                     (size_t)dx) *
                                        4 +
                                    (size_t)c];
                to[((size_t)y * (size_t)w + (size_t)x) * 4 + (size_t)c] =
                    (uint8_t)((sum + FINE * FINE / 2) / (FINE * FINE));
            }
}

static stn_status draw(preview *p, const stn_sprite *sprite, const stn_sprite_res *res, stn_err *err)
{
    size_t pixels = (size_t)p->o->width * (size_t)p->o->height;
    uint8_t *fine = malloc(pixels * FINE * FINE * 4);
    stn_frame frame = frame_of(p);

    p->out->rgba = malloc(pixels * 4);
    if (!fine || !p->out->rgba) {
        free(fine);
        return stn_fail(err, STN_NO_MEMORY, "picture of %dx%d", p->o->width, p->o->height);
    }
    p->adding = true;
    /* Programs are made when something asks for them: the first pass shows what is needed. */
    for (int pass = 0; pass < 2; pass++) {
        stn_view_begin(p->view);
        walk(p, sprite, res, NULL);
        stn_view_draw(p->view, &frame);
        stn_view_warm(p->view, INT64_MAX);
    }
    stn_view_read(p->view, fine);
    make_smaller(fine, p->out->rgba, p->o->width, p->o->height);
    free(fine);
    p->out->width = p->o->width;
    p->out->height = p->o->height;
    p->out->model = true;
    return STN_OK;
}

/* Layers of ids below 16 are shown when state bytes say so. When nothing is seen without any, a preview shows
 * all of them and the first of the animations. 0: needs no bytes. */
static uint32_t whole(const stn_res *res)
{
    uint32_t mask = 0, pose = 0;

    for (uint32_t i = 0; i < stn_res_count(res); i++) {
        const stn_res_layer *l = stn_res_layer_at(res, i);
        int32_t id;
        if ((l->kind != STN_LAYER_MESH && l->kind != STN_LAYER_RLINK && l->kind != STN_LAYER_SKAN) ||
            !stn_res_layer_id(l, &id))
            continue;
        if (id < 0 && l->kind != STN_LAYER_SKAN)
            return 0;
        if (id < 0 || id > 31)
            continue;
        if (l->kind != STN_LAYER_SKAN && id > 15)
            return 0;
        if (l->kind == STN_LAYER_SKAN)
            pose = pose && pose < 1u << id ? pose : 1u << id;
        else
            mask |= 1u << id;
    }
    return mask ? mask | pose | 0xffff0000u : 0;
}

static stn_status draw_model(preview *p, const stn_sprite_res *res, stn_err *err)
{
    uint8_t state[4];
    const uint8_t *sdt = p->o->sdt;
    size_t sdt_len = sdt ? p->o->sdt_len : 0;
    stn_sprite_object object = {.id = 1};
    stn_sprite *sprite = NULL;
    bool done;
    stn_sprite_fault fault;
    stn_status st;

    if (!sdt && !stn_res_first(res->res, STN_LAYER_CODEENTRY) && (p->out->state = whole(res->res)) != 0) {
        stn_st32(state, p->out->state);
        sdt = state;
        sdt_len = sizeof state;
    }
    if ((fault = stn_sprite_new(p->ctx, &object, res, sdt, sdt_len, &sprite, err))) {
        if (fault != STN_SPRITE_EOF || sdt)
            return STN_BAD_DATA;
        /* Made of its state bytes alone: what it has of pictures is all there is. */
        note_missing(p, "state for", p->name);
        return STN_NOT_FOUND;
    }
    for (double t = 0; t < p->o->seconds; t += 0.05)
        stn_sprite_tick(sprite, 0.05, &done, NULL);
    p->eye = stn_m4_pointed((stn_v3){0, 0, 0}, 0, ELEVATION, (float)(p->o->turn - STN_PI / 4));
    p->min = (stn_v3){INFINITY, INFINITY, INFINITY};
    p->max = (stn_v3){-INFINITY, -INFINITY, -INFINITY};
    fault = walk(p, sprite, res, err);
    if (!fault && p->leaves == 0) {
        p->naked = true;
        walk(p, sprite, res, NULL);
    }
    st = fault                     ? STN_BAD_DATA
         : p->leaves == 0          ? STN_NOT_FOUND
         : !(p->max.x >= p->min.x) ? stn_fail(err, STN_BAD_DATA, "%s: a model without size", p->name)
                                   : draw(p, sprite, res, err);
    stn_sprite_free(sprite);
    return st;
}

/* ---- pictures ---- */

static stn_status flat_picture(const stn_res *res, stn_preview *out, stn_err *err)
{
    const stn_res_layer *image = stn_res_first(res, STN_LAYER_IMAGE),
                        *tex = stn_res_first(res, STN_LAYER_TEX),
                        *set = stn_res_first(res, STN_LAYER_TILESET);
    stn_image_geometry g;
    stn_res_fault_kind kind;
    size_t bytes;

    if (image) {
        g = stn_res_image_geometry(image->as.image, 1.0);
        bytes = (size_t)g.ssz[0] * (size_t)g.ssz[1] * 4;
        out->width = g.ssz[0];
        out->height = g.ssz[1];
        out->rgba = malloc(bytes ? bytes : 1);
        return out->rgba ? stn_res_image_scaled(image->as.image, 1.0, NULL, out->rgba, bytes, &kind, err)
                         : stn_fail(err, STN_NO_MEMORY, "picture");
    }
    if (tex && tex->as.tex->w > 0 && tex->as.tex->h > 0) {
        bytes = stn_mip_bytes(tex->as.tex->mipmap, tex->as.tex->w, tex->as.tex->h);
        out->width = tex->as.tex->w;
        out->height = tex->as.tex->h;
        out->rgba = malloc(bytes ? bytes : 1);
        return out->rgba ? stn_res_tex_pixels(tex->as.tex, NULL, out->rgba, bytes, &kind, err)
                         : stn_fail(err, STN_NO_MEMORY, "texture");
    }
    if (set && set->as.tileset->pack_w > 0) {
        bytes = stn_mip_bytes(STN_MIP_AVG, set->as.tileset->pack_w, set->as.tileset->pack_h);
        out->width = (int)set->as.tileset->pack_w;
        out->height = (int)set->as.tileset->pack_h;
        out->rgba = malloc(bytes ? bytes : 1);
        return out->rgba ? stn_res_tileset_pixels(set->as.tileset, NULL, out->rgba, bytes, &kind, err)
                         : stn_fail(err, STN_NO_MEMORY, "tiles");
    }
    return stn_fail(err, STN_NOT_FOUND, "nothing in it can be seen: no mesh, picture, texture or tile");
}

stn_status stn_preview_draw(const char *name, const uint8_t *data, size_t len, const stn_preview_options *o,
                            stn_preview *out, stn_err *err)
{
    preview p = {.o = o, .name = name, .data = data, .len = len, .out = out};
    stn_res *res = NULL;
    stn_status st;

    *out = (stn_preview){0};
    if (o->width < 16 || o->height < 16 || o->width > STN_PREVIEW_MAX || o->height > STN_PREVIEW_MAX)
        return stn_fail(err, STN_USAGE, "a picture of %dx%d: 16 to %d a side", o->width, o->height,
                        STN_PREVIEW_MAX);
    if (!(o->seconds >= 0 && o->seconds <= 600) || !isfinite(o->turn))
        return stn_fail(err, STN_USAGE, "the animation can be shown after 0 to 600 seconds");
    if ((st = stn_res_new(data, len, NULL, &res, NULL, err)) != STN_OK)
        return st;
    if (stn_res_first(res, STN_LAYER_MESH) || stn_res_first(res, STN_LAYER_RLINK) ||
        stn_res_first(res, STN_LAYER_CODEENTRY) || stn_res_first(res, STN_LAYER_SLINK)) {
        const stn_sprite_res *loaded = NULL;
        if ((st = open_gl(&p, err)) == STN_OK && (st = open_rest(&p, err)) == STN_OK)
            st = stn_store_get(p.store, name, STN_RES_ANY_VERSION, &loaded, err) == STN_SPRITE_OK
                     ? draw_model(&p, loaded, err)
                     : STN_BAD_DATA;
        close_all(&p);
    } else {
        st = STN_NOT_FOUND;
    }
    if (st == STN_NOT_FOUND)
        st = flat_picture(res, out, err);
    stn_res_free(res);
    if (st != STN_OK) {
        free(out->rgba);
        *out = (stn_preview){0};
    }
    return st;
}
