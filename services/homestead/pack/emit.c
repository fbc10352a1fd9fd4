#include "homestead/pack/emit.h"

#include "homestead/land.h"
#include "res/res.h"

#include <math.h>
#include <png.h>
#include <stdio.h> /* jpeglib.h needs FILE */
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#define PI 3.14159265f
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

void stn_emit_begin(stn_emit *e, stn_buf *out, uint16_t version, stn_err *err)
{
    *e = (stn_emit){.out = out, .st = STN_OK, .err = err};
    stn_res_put_head(out, version);
}

stn_status stn_emit_end(stn_emit *e)
{
    if (e->st == STN_OK && e->out->failed)
        e->st = stn_fail(e->err, STN_NO_MEMORY, "resource of %zu bytes so far", e->out->len);
    return e->st;
}

void stn_emit_layer(stn_emit *e, stn_layer_kind kind, const void *as)
{
    stn_res_layer layer = {.kind = kind, .as.any = as};

    if (e->st == STN_OK)
        e->st = stn_res_put_layer(e->out, &layer, e->err);
}

/* ---- pictures ---- */

static uint8_t *encode_png(stn_emit *e, const uint8_t *rgba, int w, int h, bool alpha, size_t *len)
{
    png_image im = {.version = PNG_IMAGE_VERSION,
                    .width = (png_uint_32)w,
                    .height = (png_uint_32)h,
                    .format = alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB};
    uint8_t *packed = malloc((size_t)w * (size_t)h * 4), *out = NULL;
    png_alloc_size_t size = 0;
    size_t n = (size_t)w * (size_t)h, step = alpha ? 4 : 3;

    if (packed) {
        for (size_t i = 0; i < n; i++)
            memcpy(packed + i * step, rgba + 4 * i, step);
        if (png_image_write_get_memory_size(im, size, 0, packed, 0, NULL) && (out = malloc(size)) &&
            !png_image_write_to_memory(&im, out, &size, 0, packed, 0, NULL)) {
            free(out);
            out = NULL;
        }
    }
    free(packed);
    if (!out)
        e->st = stn_fail(e->err, STN_NO_MEMORY, "PNG of %d x %d: %s", w, h, im.message);
    *len = size;
    return out;
}

/* libjpeg's own error exit ends the process; with valid parameters only lack of memory gets there. */
static uint8_t *encode_jpeg(stn_emit *e, const uint8_t *rgba, int w, int h, size_t *len)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    unsigned char *out = NULL;
    unsigned long size = 0;
    uint8_t *row = malloc((size_t)w * 3);

    *len = 0;
    if (!row) {
        e->st = stn_fail(e->err, STN_NO_MEMORY, "JPEG of %d x %d", w, h);
        return NULL;
    }
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &out, &size);
    c.image_width = (JDIMENSION)w;
    c.image_height = (JDIMENSION)h;
    c.input_components = 3;
    c.in_color_space = JCS_RGB;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, 92, TRUE);
    c.dct_method = JDCT_ISLOW;
    c.optimize_coding = TRUE;
    /* Full chroma: thin blades keep their colour. */
    c.comp_info[0].h_samp_factor = c.comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(&c, TRUE);
    while (c.next_scanline < c.image_height) {
        JSAMPROW rows[1] = {row};
        const uint8_t *from = rgba + 4 * (size_t)c.next_scanline * (size_t)w;

        for (int x = 0; x < w; x++)
            memcpy(row + 3 * x, from + 4 * x, 3);
        jpeg_write_scanlines(&c, rows, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    free(row);
    *len = size;
    return out;
}

/* The pixels of a canvas; under a cut-out's empty parts the colour of the nearest stroke would be lost
 * anyway. */
static uint8_t *pixels_of(stn_emit *e, const stn_canvas *c)
{
    uint8_t *rgba = malloc((size_t)c->w * (size_t)c->h * 4);

    if (!rgba)
        e->st = stn_fail(e->err, STN_NO_MEMORY, "picture of %d x %d", c->w, c->h);
    else
        stn_canvas_rgba(c, rgba);
    return rgba;
}

void stn_emit_texture(stn_emit *e, int16_t id, stn_texture_kind kind, float steep, const stn_canvas *canvas)
{
    size_t len = 0;
    uint8_t *rgba, *picture = NULL;

    if (e->st != STN_OK || !(rgba = pixels_of(e, canvas)))
        return;
    if (kind == STN_TEXTURE_BUMP)
        stn_canvas_bump(canvas, steep, rgba);
    if (kind == STN_TEXTURE_COLOUR)
        picture = encode_jpeg(e, rgba, canvas->w, canvas->h, &len);
    else
        picture = encode_png(e, rgba, canvas->w, canvas->h, kind == STN_TEXTURE_CUTOUT, &len);
    if (picture) {
        stn_res_tex tex = {.id = id,
                           .w = (uint16_t)canvas->w,
                           .h = (uint16_t)canvas->h,
                           .mipmap = STN_MIP_AVG,
                           .mag_linear = true,
                           .has_filter = true,
                           .min_linear = true,
                           .mip_filter = 1,
                           .picture = picture,
                           .picture_len = (uint32_t)len};

        stn_emit_layer(e, STN_LAYER_TEX, &tex);
    }
    free(picture);
    free(rgba);
}

void stn_emit_tile(stn_emit *e, uint8_t kind, uint8_t id, uint16_t weight, const stn_canvas *canvas)
{
    size_t len = 0;
    uint8_t *rgba, *picture;

    if (e->st != STN_OK || !(rgba = pixels_of(e, canvas)))
        return;
    if ((picture = encode_png(e, rgba, canvas->w, canvas->h, true, &len))) {
        stn_res_tile tile = {
            .kind = kind, .id = id, .weight = weight, .picture = picture, .picture_len = (uint32_t)len};

        stn_emit_layer(e, STN_LAYER_TILE, &tile);
    }
    free(picture);
    free(rgba);
}

void stn_emit_image(stn_emit *e, const stn_canvas *canvas)
{
    size_t len = 0;
    uint8_t *rgba, *picture;

    if (e->st != STN_OK || !(rgba = pixels_of(e, canvas)))
        return;
    if ((picture = encode_png(e, rgba, canvas->w, canvas->h, false, &len))) {
        stn_res_image image = {.scale = 1,
                               .picture = picture,
                               .picture_len = (uint32_t)len,
                               .w = (uint32_t)canvas->w,
                               .h = (uint32_t)canvas->h};

        stn_emit_layer(e, STN_LAYER_IMAGE, &image);
    }
    free(picture);
    free(rgba);
}

/* ---- materials ---- */

static stn_value resource(const char *name, uint16_t version)
{
    return (stn_value){.kind = STN_VALUE_RES, .u.res = {name, version}};
}

static stn_value colour(stn_rgb c)
{
    return (stn_value){.kind = STN_VALUE_FCOLOR, .u.fcolor = {c.r, c.g, c.b, 1.0f}};
}

void stn_emit_material(stn_emit *e, const stn_material *m)
{
    stn_mat_spec specs[8];
    stn_value link[2], tex[3], bump[1], col[5], order[1] = {stn_value_text("pfx")};
    stn_res_mat mat = {.id = m->id, .specs = specs};

    if (m->link) {
        link[0] = resource(m->link, STN_PACK_VERSION);
        link[1] = stn_value_int(m->link_id);
        specs[mat.count++] = (stn_mat_spec){"mlink", {2, link}};
        stn_emit_layer(e, STN_LAYER_MAT, &mat);
        return;
    }
    if (m->tex >= 0) {
        uint32_t n = 0;

        if (m->tex_res)
            tex[n++] = resource(m->tex_res, STN_PACK_VERSION);
        tex[n++] = stn_value_int(m->tex);
        tex[n++] = stn_value_text(m->cutout ? "c" : "a");
        specs[mat.count++] = (stn_mat_spec){"tex", {n, tex}};
    }
    if (m->bump >= 0) {
        bump[0] = stn_value_int(m->bump);
        specs[mat.count++] = (stn_mat_spec){"bump", {1, bump}};
    }
    if (!m->glow) {
        col[0] = col[1] = colour(m->tint);
        col[2] = colour((stn_rgb){m->gloss, m->gloss, m->gloss});
        col[3] = colour((stn_rgb){0, 0, 0});
        col[4] = stn_value_f32(m->shine);
        specs[mat.count++] = (stn_mat_spec){"col", {5, col}};
    }
    if (m->two_sided)
        specs[mat.count++] = (stn_mat_spec){"nofacecull", {0, NULL}};
    if (m->no_shadow)
        specs[mat.count++] = (stn_mat_spec){"maskshadow", {0, NULL}};
    if (m->unlined)
        specs[mat.count++] = (stn_mat_spec){"order", {1, order}};
    stn_emit_layer(e, STN_LAYER_MAT, &mat);
}

void stn_emit_veil(stn_emit *e, int16_t id, stn_rgb tint, float alpha)
{
    const stn_rgb white = {1, 1, 1}, black = {0, 0, 0};
    stn_value veil[1] = {{.kind = STN_VALUE_COLOR}};
    const float parts[4] = {tint.r, tint.g, tint.b, alpha};
    stn_value col[5] = {colour(white), colour(white), colour(black), colour(black), stn_value_f32(0)};
    stn_mat_spec specs[2] = {{"col", {5, col}}, {"vcol", {1, veil}}};
    const stn_res_mat mat = {.id = id, .count = 2, .specs = specs};

    for (int i = 0; i < 4; i++)
        veil[0].u.color[i] = (uint8_t)(parts[i] * 255.0f + 0.5f);
    stn_emit_layer(e, STN_LAYER_MAT, &mat);
}

void stn_emit_code(stn_emit *e, const char *const (*entries)[2], size_t n, const char *lib,
                   uint16_t lib_version)
{
    stn_code_entry list[4];
    stn_code_use use = {.indirect = false, .res = {lib, lib_version}};
    stn_res_codeentry code = {.entries = list, .use_count = lib ? 1 : 0, .uses = &use};

    for (size_t i = 0; i < n && i < ARRAY_LEN(list); i++) {
        const stn_res_code carried = {.name = entries[i][1], .data = (const uint8_t *)"", .len = 0};
        bool said =
            strcmp(carried.name, "mod") == 0 || (i > 0 && strcmp(carried.name, entries[i - 1][1]) == 0);

        if (!lib && !said)
            stn_emit_layer(e, STN_LAYER_CODE, &carried);
        list[code.count++] = (stn_code_entry){.entry = entries[i][0], .cls = entries[i][1]};
    }
    stn_emit_layer(e, STN_LAYER_CODEENTRY, &code);
}

/* ---- meshes ---- */

static void put_vbuf(stn_emit *e, const stn_res_vbuf *vbuf)
{
    stn_buf payload = {0};

    if (e->st != STN_OK)
        return;
    e->st = stn_res_encode_vbuf(vbuf, STN_VBUF_SMALL, &payload, e->err);
    if (e->st == STN_OK)
        e->st = stn_res_put_record(e->out, "vbuf2", 5, payload.data, payload.len, e->err);
    stn_buf_fini(&payload);
}

typedef struct arrays {
    float *pos, *nrm, *tex, *wgt;
    int32_t *idx;
    uint16_t *tri;
} arrays;

static bool arrays_new(arrays *a, size_t nv, size_t nt)
{
    *a = (arrays){malloc(nv * 3 * sizeof(float)),   malloc(nv * 3 * sizeof(float)),
                  malloc(nv * 2 * sizeof(float)),   calloc(nv * 4, sizeof(float)),
                  malloc(nv * 4 * sizeof(int32_t)), malloc(nt * 3 * sizeof(uint16_t))};
    return a->pos && a->nrm && a->tex && a->wgt && a->idx && a->tri;
}

static void arrays_free(arrays *a)
{
    free(a->pos);
    free(a->nrm);
    free(a->tex);
    free(a->wgt);
    free(a->idx);
    free(a->tri);
}

static void fill(arrays *a, const stn_shape *s)
{
    for (size_t i = 0; i < s->nv; i++) {
        const stn_vertex *v = &s->v[i];
        float total = 0;

        memcpy(a->pos + 3 * i, &(float[3]){v->p.x, v->p.y, v->p.z}, 3 * sizeof(float));
        memcpy(a->nrm + 3 * i, &(float[3]){v->n.x, v->n.y, v->n.z}, 3 * sizeof(float));
        a->tex[2 * i] = v->s;
        a->tex[2 * i + 1] = v->t;
        for (size_t b = 0; b < STN_SHAPE_BONES; b++)
            total += v->bone[b] >= 0 ? v->weight[b] : 0;
        /* Influences without weight would be dropped on reading; they are not written either. */
        size_t n = 0;

        for (size_t b = 0; b < STN_SHAPE_BONES; b++)
            a->idx[4 * i + b] = -1;
        for (size_t b = 0; b < STN_SHAPE_BONES; b++)
            if (v->bone[b] >= 0 && v->weight[b] > 0) {
                a->idx[4 * i + n] = v->bone[b];
                a->wgt[4 * i + n++] = v->weight[b] / total;
            }
    }
    for (size_t i = 0; i < 3 * s->nt; i++)
        a->tri[i] = (uint16_t)s->tri[i];
}

static void put_part(stn_emit *e, const stn_model *m, const stn_part *p, int32_t vbuf_id)
{
    const stn_shape *s = &p->shape;
    const char *names[STN_MODEL_JOINTS];
    arrays a;

    if (e->st != STN_OK || s->nt == 0)
        return;
    if (s->nv > 65535 || s->nt > 65535) {
        e->st = stn_fail(e->err, STN_TOO_BIG, "part %d: %zu vertices and %zu triangles, 65535 fit",
                         (int)vbuf_id, s->nv, s->nt);
        return;
    }
    if (!arrays_new(&a, s->nv, s->nt)) {
        e->st = stn_fail(e->err, STN_NO_MEMORY, "part %d: %zu vertices", (int)vbuf_id, s->nv);
        arrays_free(&a);
        return;
    }
    fill(&a, s);
    for (size_t i = 0; i < m->n_joints; i++)
        names[i] = m->joints[i].name;
    stn_attrib attribs[5] = {
        {.attr = STN_ATTR_POS, .components = 3, .source = "pos2", .format = "", .f = a.pos},
        {.attr = STN_ATTR_NRM, .components = 3, .source = "nrm2", .format = "", .f = a.nrm},
        {.attr = STN_ATTR_TEX, .components = 2, .source = "tex2", .format = "", .f = a.tex},
        {.attr = STN_ATTR_BONEIDX, .components = 4, .source = "bones2", .format = "", .i = a.idx},
        {.attr = STN_ATTR_BONEWGT, .components = 4, .source = "bones2", .format = "", .f = a.wgt},
    };
    stn_res_vbuf vbuf = {.id = vbuf_id,
                         .num = (uint32_t)s->nv,
                         .count = p->boned ? 5 : 3,
                         .attribs = attribs,
                         .bone_count = p->boned ? (uint32_t)m->n_joints : 0,
                         .bones = names};
    stn_entry info[3];
    stn_res_mesh mesh = {.id = p->id,
                         .vbuf_id = vbuf_id,
                         .ref = -1,
                         .form = 1,
                         .head_mat = -1,
                         .info = {0, info},
                         .tris = (uint32_t)s->nt,
                         .indices = a.tri};

    if (p->mat >= 0)
        info[mesh.info.count++] = (stn_entry){"mat", stn_value_int(p->mat)};
    if (p->vm >= 0)
        info[mesh.info.count++] = (stn_entry){"vm", stn_value_int(p->vm)};
    if (p->cz)
        info[mesh.info.count++] = (stn_entry){"cz", stn_value_int(p->cz)};
    put_vbuf(e, &vbuf);
    stn_emit_layer(e, STN_LAYER_MESH, &mesh);
    arrays_free(&a);
}

/* ---- bones and poses ---- */

static const stn_joint *joint(const stn_model *m, const char *name)
{
    for (size_t i = 0; i < m->n_joints; i++)
        if (strcmp(m->joints[i].name, name) == 0)
            return &m->joints[i];
    return NULL;
}

static void put_skeleton(stn_emit *e, const stn_model *m)
{
    stn_bone bones[STN_MODEL_JOINTS];
    stn_res_skel skel = {.count = (uint32_t)m->n_joints, .bones = bones};

    for (size_t i = 0; i < m->n_joints; i++) {
        const stn_joint *j = &m->joints[i], *parent = joint(m, j->parent);
        stn_v3 at = parent ? stn_v3_sub(j->head, parent->head) : j->head;

        bones[i] = (stn_bone){
            .name = j->name, .parent_name = j->parent, .pos = {at.x, at.y, at.z}, .axis = {0, 0, 1}};
    }
    stn_emit_layer(e, STN_LAYER_SKEL, &skel);
    for (size_t i = 0; i < m->n_points; i++) {
        const stn_equip_point *p = &m->points[i];
        stn_boneoff_step steps[2];
        stn_res_boneoff off = {.name = p->name, .steps = steps};

        if (p->bone)
            steps[off.count++] = (stn_boneoff_step){.op = STN_BONEOFF_BONE, .code = 2, .bone = p->bone};
        steps[off.count++] = (stn_boneoff_step){
            .op = STN_BONEOFF_MOVE, .code = 16, .args = {p->offset.x, p->offset.y, p->offset.z}};
        stn_emit_layer(e, STN_LAYER_BONEOFF, &off);
    }
}

static void put_cycle(stn_emit *e, const stn_cycle *c)
{
    stn_skan_track tracks[STN_MODEL_JOINTS];
    float time[STN_MODEL_JOINTS][STN_MODEL_KEYS], move[STN_MODEL_JOINTS][3 * STN_MODEL_KEYS],
        turn[STN_MODEL_JOINTS][4 * STN_MODEL_KEYS];
    stn_res_skan skan = {.id = c->id,
                         .len = c->length,
                         .speed = c->speed > 0 ? (double)c->speed : -1,
                         .mode = STN_SKAN_LOOP,
                         .track_count = (uint32_t)c->n,
                         .tracks = tracks};

    for (size_t t = 0; t < c->n; t++) {
        for (size_t k = 0; k < c->tracks[t].n; k++) {
            const stn_key *key = &c->tracks[t].keys[k];

            time[t][k] = key->time;
            memcpy(move[t] + 3 * k, &(float[3]){key->move.x, key->move.y, key->move.z}, 3 * sizeof(float));
            memcpy(turn[t] + 4 * k, &(float[4]){key->angle, key->axis.x, key->axis.y, key->axis.z},
                   4 * sizeof(float));
        }
        tracks[t] = (stn_skan_track){.bone = c->tracks[t].bone,
                                     .count = (uint32_t)c->tracks[t].n,
                                     .time = time[t],
                                     .trans = move[t],
                                     .angle_axis = turn[t]};
    }
    stn_emit_layer(e, STN_LAYER_SKAN, &skan);
}

/* Frames that are numbered by vertex alone: every mesh of the resource that has such numbers moves. */
static void put_flutter(stn_emit *e, const stn_model *m)
{
    const stn_shape *s = &m->parts[0].shape;
    stn_manim_frame *frames = calloc(m->flutter_frames, sizeof *frames);
    int32_t *idx = malloc(s->nv * sizeof *idx);
    float *pos = malloc(m->flutter_frames * s->nv * 3 * sizeof *pos);
    stn_res_manim manim = {.random = true,
                           .len = m->flutter_len,
                           .max_vertex = (int32_t)s->nv - 1,
                           .count = m->flutter_frames,
                           .frames = frames};

    if (!frames || !idx || !pos) {
        e->st = stn_fail(e->err, STN_NO_MEMORY, "mesh animation");
    } else {
        for (size_t v = 0; v < s->nv; v++)
            idx[v] = (int32_t)v;
        for (unsigned f = 0; f < m->flutter_frames; f++) {
            float *to = pos + f * s->nv * 3;

            for (size_t v = 0; v < s->nv; v++) {
                stn_v3 d = stn_v3_sub(m->flutter(f, s->v[v].p), s->v[v].p);

                memcpy(to + 3 * v, &(float[3]){d.x, d.y, d.z}, 3 * sizeof(float));
            }
            frames[f] = (stn_manim_frame){.time = m->flutter_len * (float)f / (float)m->flutter_frames,
                                          .type = 1,
                                          .count = (uint32_t)s->nv,
                                          .idx = idx,
                                          .pos = to};
        }
        stn_emit_layer(e, STN_LAYER_MANIM, &manim);
    }
    free(frames);
    free(idx);
    free(pos);
}

/* ---- the rest of a thing ---- */

static void put_place(stn_emit *e, const stn_model *m)
{
    if (m->place) {
        stn_value words[2] = {stn_value_text(m->place), stn_value_text(m->surface)};
        stn_entry entry = {"place", stn_value_list(words, 2)};
        stn_res_props props = {{1, &entry}};

        stn_emit_layer(e, STN_LAYER_PROPS, &props);
    }
    if (m->has_obst) {
        double x = (double)m->obst[0] * 11.0, y = (double)m->obst[1] * 11.0;
        const double corner[4][2] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
        stn_obst_ring ring = {4, corner};
        stn_res_obst obst = {.id = "", .version = 2, .count = 1, .rings = &ring};

        stn_emit_layer(e, STN_LAYER_OBST, &obst);
    }
}

/* Flames, and a warm point light that flickers, shown while the fire burns (layer id 16: unless state bytes
 * say otherwise). Without an `aq` a point light is never seen (docs/spec/rendering.md 10.5); this one ends at
 * about 85 units. */
/* A link to the first light of the file itself, which goes between `low` and full. */
static void put_flicker(stn_emit *e, const char *self, uint16_t self_version, int16_t id, stn_v3 at,
                        float low, float rate)
{
    stn_value x[2] = {stn_value_text("x"), stn_value_f32(at.x)},
              y[2] = {stn_value_text("y"), stn_value_f32(at.y)},
              z[2] = {stn_value_text("z"), stn_value_f32(at.z)},
              min[2] = {stn_value_text("min"), stn_value_f32(low)},
              per[2] = {stn_value_text("rate"), stn_value_f32(rate)};
    stn_value args[7] = {resource(self, self_version), stn_value_int(0),     stn_value_list(x, 2),
                         stn_value_list(y, 2),         stn_value_list(z, 2), stn_value_list(min, 2),
                         stn_value_list(per, 2)};
    stn_res_rlink link = {.id = id, .type = STN_RLINK_PARAMS, .res = {"gfx/fx/flight", 6}, .args = {7, args}};

    stn_emit_layer(e, STN_LAYER_RLINK, &link);
}

static void put_fire(stn_emit *e, const char *self, uint16_t self_version)
{
    stn_res_light light = {.id = 0,
                           .ambient = {0, 0, 0, 255},
                           .diffuse = {255, 158, 76, 255},
                           .specular = {255, 158, 76, 255},
                           .fambient = {0, 0, 0, 1},
                           .fdiffuse = {1, 0.62f, 0.30f, 1},
                           .fspecular = {1, 0.62f, 0.30f, 1},
                           .has_att = true,
                           .att = {0.6f, 0, 0.0013f}};
    stn_res_rlink flames = {
        .id = 16, .type = STN_RLINK_SPRITE, .res = {"homestead/things/flames", STN_PACK_VERSION}};

    stn_emit_layer(e, STN_LAYER_LIGHT, &light);
    put_flicker(e, self, self_version, 16, (stn_v3){0, 0, 9}, 0.72f, 0.12f);
    stn_emit_layer(e, STN_LAYER_RLINK, &flames);
}

static void put_lamp(stn_emit *e, stn_v3 at, const char *self, uint16_t self_version)
{
    stn_res_light light = {.id = 0,
                           .ambient = {0, 0, 0, 255},
                           .diffuse = {255, 194, 120, 255},
                           .specular = {255, 194, 120, 255},
                           .fambient = {0, 0, 0, 1},
                           .fdiffuse = {1, 0.76f, 0.47f, 1},
                           .fspecular = {1, 0.76f, 0.47f, 1},
                           .has_att = true,
                           .att = {0.9f, 0, 0.0022f}};

    stn_emit_layer(e, STN_LAYER_LIGHT, &light);
    put_flicker(e, self, self_version, -1, at, 0.93f, 0.3f);
}

void stn_emit_model(stn_emit *e, const stn_model *m, const char *self, uint16_t self_version)
{
    if (e->st == STN_OK && m->failed)
        e->st = stn_fail(e->err, STN_NO_MEMORY, "%s", self);
    for (size_t i = 0; i < m->n_parts && e->st == STN_OK; i++)
        if (m->parts[i].shape.failed)
            e->st = stn_fail(e->err, STN_NO_MEMORY, "%s: part %zu", self, i);
    for (size_t i = 0; i < m->n_textures; i++)
        stn_emit_texture(e, m->textures[i].id, m->textures[i].kind, m->textures[i].steep,
                         m->textures[i].canvas);
    for (size_t i = 0; i < m->n_materials; i++)
        stn_emit_material(e, &m->materials[i]);
    for (size_t i = 0; i < m->n_parts; i++)
        put_part(e, m, &m->parts[i], (int32_t)i);
    /* A composite's garment has bones by name in its vertices and no skeleton of its own. */
    if (m->n_joints && (m->n_cycles || m->n_points))
        put_skeleton(e, m);
    for (size_t i = 0; i < m->n_cycles; i++)
        put_cycle(e, &m->cycles[i]);
    if (m->flutter && e->st == STN_OK)
        put_flutter(e, m);
    put_place(e, m);
    if (m->fire)
        put_fire(e, self, self_version);
    if (m->lamp)
        put_lamp(e, m->lamp_at, self, self_version);
    if (m->spr_class) {
        const char *const entry[1][2] = {{"spr", m->spr_class}};

        stn_emit_code(e, entry, 1, m->spr_lib, m->spr_version);
    }
}
