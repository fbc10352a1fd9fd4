/* image.tsv: scenes drawn by the renderer itself, without a window, and compared with the reference's
 * pictures. Without a GL driver the pictures are skipped, and said to be. */
#include "vec_rendering.h"

#include "renderer/gl/picture.h"
#include "renderer/gl/surface.h"
#include "renderer/gl/view.h"
#include "renderer/scene/shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXTURES_OF_SCENE 64
#define SHADOW_TEXELS 2048

struct list {
    float *v;
    int n;
};

struct object {
    bool open;
    stn_m4 world;
    struct list pos, nrm, tex, col, otex, tan, bit, clip;
    uint32_t *index;
    int index_count;
    stn_matstate material;
    float mix[4];
};

struct gpu {
    stn_surface *surface;
    stn_glrec rec;
    stn_programs *programs;
    stn_meshes *meshes;
    stn_textures *textures;
    stn_view *view;
};

struct scene {
    int number, w, h;
    stn_frame frame;
    uint32_t texture[MAX_TEXTURES_OF_SCENE];
    stn_v4 day;
    struct object object;
    bool broken;
};

static void take_list(rec_file *f, struct list *l)
{
    free(l->v);
    l->n = f->fields - 1;
    l->v = malloc(sizeof *l->v * (size_t)(l->n > 0 ? l->n : 1));
    for (int i = 0; l->v && i < l->n; i++)
        l->v[i] = rec_f32(f);
}

/* Decimal numbers with blanks between, in one field. */
static void take_indices(rec_file *f, struct object *o)
{
    const char *p = rec_text(f);
    size_t room = strlen(p) / 2 + 1;

    free(o->index);
    o->index_count = 0;
    o->index = malloc(sizeof *o->index * room);
    for (char *end; o->index; p = end) {
        unsigned long v = strtoul(p, &end, 10);

        if (end == p)
            break;
        o->index[o->index_count++] = (uint32_t)v;
    }
}

static void put_colour(float *to, rec_file *f)
{
    stn_v4 c = stn_colour_f(stn_colour_of_argb((uint32_t)strtoul(rec_text(f), NULL, 16)));

    memcpy(to, &c, 16);
}

static void put_four(float *to, rec_file *f)
{
    for (int i = 0; i < 4; i++)
        to[i] = rec_f32(f);
}

static void free_object(struct object *o)
{
    struct list *all[] = {&o->pos, &o->nrm, &o->tex, &o->col, &o->otex, &o->tan, &o->bit, &o->clip};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]->v);
    free(o->index);
    memset(o, 0, sizeof *o);
}

static void append_attr(stn_mesh_desc *d, uint8_t slot, uint8_t comps)
{
    d->attrs[d->attr_count++] =
        (stn_mesh_attr){.slot = slot, .comps = comps, .type = STN_VTX_F32, .offset = (uint16_t)d->stride};
    d->stride += comps * 4u;
}

/* Interleaves the lists, uploads the mesh and hands the object to the view. */
static bool finish_object(struct gpu *g, struct scene *s, vec_report *r)
{
    struct object *o = &s->object;
    const struct {
        struct list *l;
        uint8_t slot, comps;
    } parts[] = {{&o->pos, STN_VTX_POS, 3}, {&o->nrm, STN_VTX_NRM, 3},   {&o->tex, STN_VTX_TEX, 2},
                 {&o->col, STN_VTX_COL, 4}, {&o->otex, STN_VTX_OTEX, 2}, {&o->tan, STN_VTX_TAN, 3},
                 {&o->bit, STN_VTX_BIT, 3}, {&o->clip, STN_VTX_CLIP, 2}};
    stn_mesh_desc d = {.index_bytes = 4, .indices = o->index, .index_count = (uint32_t)o->index_count};
    int n = o->pos.n / 3;
    uint8_t *data;
    uint32_t mesh = 0, material;
    stn_instance in = {.model = o->world};
    stn_err err = {0};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].l->n == n * parts[i].comps && n > 0)
            append_attr(&d, parts[i].slot, parts[i].comps);
    d.vertex_count = (uint32_t)n;
    data = malloc((size_t)d.stride * (size_t)n + 1);
    for (uint32_t a = 0; data && a < d.attr_count; a++)
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            if (parts[i].slot == d.attrs[a].slot)
                for (int v = 0; v < n; v++)
                    memcpy(data + (size_t)v * d.stride + d.attrs[a].offset,
                           parts[i].l->v + v * parts[i].comps, parts[i].comps * 4u);
    d.vertices = data;
    if (data && stn_mesh_check(&d, &err) == STN_OK)
        mesh = stn_meshes_add(g->meshes, &d);
    free(data);
    if (!mesh) {
        vec_fail(r, "image scene %d: %s", s->number, err.text);
        return false;
    }
    memcpy(in.mix, o->mix, sizeof in.mix);
    material = stn_view_material(g->view, &o->material);
    stn_view_add(g->view, mesh, material, &in,
                 STN_DRAW_VISIBLE | (o->material.features & STN_MAT_LIT ? STN_DRAW_CASTS : 0));
    return true;
}

static void take_material(rec_file *f, struct scene *s)
{
    struct object *o = &s->object;
    stn_matstate *m = &o->material;
    bool lit, alphatest;
    long tex;

    *m = stn_matstate_default();
    lit = rec_int(f) != 0;
    put_colour(m->amb, f);
    put_colour(m->dif, f);
    put_colour(m->spc, f);
    put_colour(m->emi, f);
    m->shine = rec_f32(f);
    tex = rec_int(f);
    alphatest = rec_int(f) != 0;
    m->no_cull = rec_int(f) != 0;
    put_four(m->base, f);
    m->no_depth_write = rec_int(f) != 0;
    m->order = (int32_t)rec_int(f);
    memset(o->mix, 0, sizeof o->mix);
    if (rec_int(f)) {
        o->mix[0] = 1.0f;
        o->mix[3] = 0.25f;
    }
    if (lit)
        m->features |= STN_MAT_LIT;
    if (tex >= 0 && tex < MAX_TEXTURES_OF_SCENE) {
        m->features |= STN_MAT_TEX | (alphatest ? STN_MAT_ALPHATEST : 0);
        m->texture[STN_MAT_T_BASE] = s->texture[tex];
    }
}

static void read_numbers(const char *p, float *out, int n)
{
    for (int i = 0; i < n; i++) {
        char *end;

        out[i] = strtof(p, &end);
        p = *end == ',' ? end + 1 : end;
    }
}

static bool take_feature(rec_file *f, struct scene *s)
{
    stn_matstate *m = &s->object.material;
    const char *text = rec_text(f), *args = strchr(text, ':');
    size_t len = args ? (size_t)(args - text) : strlen(text);
    float v[4] = {0};
    long tex;

    args = args ? args + 1 : "";
    tex = strtol(args, NULL, 10);
    tex = tex < 0 || tex >= MAX_TEXTURES_OF_SCENE ? 0 : tex;
#define IS(word) (len == sizeof(word) - 1 && memcmp(text, word, len) == 0)
    if (IS("none"))
        return true;
    if (IS("vertexcolor"))
        m->features |= STN_MAT_VCOL;
    else if (len == 10 && memcmp(text, "overlay-", 8) == 0) {
        m->features |= text[8] == 'c' ? STN_MAT_OVERLAY_CP : STN_MAT_OVERLAY_OL;
        m->texture[STN_MAT_T_OVERLAY] = s->texture[tex];
    } else if (IS("overlay-a")) {
        m->features |= STN_MAT_OVERLAY_A;
        m->texture[STN_MAT_T_OVERLAY] = s->texture[tex];
    } else if (IS("bump")) {
        m->features |= STN_MAT_BUMP;
        m->texture[STN_MAT_T_BUMP] = s->texture[tex];
    } else if (IS("hue")) {
        m->features |= STN_MAT_HUE;
        read_numbers(args, m->hue, 3);
    } else if (IS("palette")) {
        m->features |= STN_MAT_PAL;
        m->texture[STN_MAT_T_PAL] = s->texture[tex];
    } else if (IS("alphatex")) {
        m->features |= STN_MAT_CLIP;
        m->texture[STN_MAT_T_CLIP] = s->texture[tex];
        read_numbers(args, v, 2);
        m->clip_threshold = v[1];
    } else if (IS("cel"))
        m->features |= (strchr(args, 'd') ? STN_MAT_CEL_D : 0) | (strchr(args, 's') ? STN_MAT_CEL_S : 0);
    else if (IS("mask"))
        read_numbers(args, m->mask, 4);
    else if (IS("blend"))
        return stn_blend_parse(args, &m->blend, NULL) == STN_OK;
    else
        return false;
    return true;
#undef IS
}

static bool take_texture(rec_file *f, struct gpu *g, struct scene *s)
{
    long id = rec_int(f), size = rec_int(f);
    bool linear = strcmp(rec_text(f), "linear") == 0;
    size_t len = 0;
    uint8_t *rgba = vec_unhex(rec_text(f), &len);
    uint8_t kind = linear ? STN_FILTER_LINEAR : STN_FILTER_NEAREST;
    stn_texture_level level = {(uint32_t)size, (uint32_t)size, rgba};
    bool ok = rgba && id >= 0 && id < MAX_TEXTURES_OF_SCENE && size > 0 && size <= 4096 &&
              len == (size_t)size * (size_t)size * 4 &&
              stn_textures_add(g->textures, &level, 1, (stn_sampling){kind, kind, STN_MIPS_NONE, 0},
                               &s->texture[id], NULL) == STN_OK;

    free(rgba);
    return ok;
}

static void take_light(rec_file *f, struct scene *s, bool day)
{
    stn_m4 one = stn_m4_identity();
    stn_lit *l;

    if (s->frame.light_count >= STN_FRAME_LIGHTS)
        return;
    l = &s->frame.lights[s->frame.light_count++];
    memset(l, 0, sizeof *l);
    put_colour(&l->amb.x, f);
    put_colour(&l->dif.x, f);
    put_colour(&l->spc.x, f);
    if (day) {
        double elev = rec_f64(f), angle = rec_f64(f);

        s->day = stn_daylight_dir(elev, angle);
        l->pos = stn_light_dir(&s->frame.view, &one, (stn_v3){s->day.x, s->day.y, s->day.z});
        s->frame.day_light = s->frame.light_count - 1;
    } else {
        stn_v3 at = rec_v3(f);

        l->pos = stn_light_pos(&s->frame.view, &one, at);
        l->ac = rec_f32(f);
        l->al = rec_f32(f);
        l->aq = rec_f32(f);
        l->at = rec_f32(f);
    }
}

/* Draws what was gathered and compares. */
static void finish_scene(struct gpu *g, struct scene *s, const char *dir, vec_report *r)
{
    char name[64];
    size_t len, n = (size_t)s->w * (size_t)s->h;
    uint8_t *png, *want = NULL, *got;
    int w, h, worst = 0;
    unsigned long differing = 0, allowed;
    bool software = stn_surface_is_software(g->surface);
    stn_err err = {0};

    snprintf(name, sizeof name, "image-%d.png", s->number);
    png = vec_read(dir, name, &len);
    if (!png) {
        vec_skip(r, "image scene %d: %s is not in the folder", s->number, name);
        return;
    }
    if (s->broken || stn_picture_from_png(png, len, &want, &w, &h, &err) != STN_OK || w != s->w ||
        h != s->h) {
        vec_fail(r, "image scene %d: cannot be drawn or compared %s", s->number, err.text);
        free(want);
        free(png);
        return;
    }
    free(png);
    /* The first draw asks for the programs, the second has them. */
    stn_view_draw(g->view, &s->frame);
    stn_view_warm(g->view, INT64_MAX);
    stn_view_draw(g->view, &s->frame);
    got = malloc(n * 4);
    stn_view_read(g->view, got);
    /* What counts as different, and how many pixels may be: rendering.md 24. */
    for (size_t i = 0; i < n; i++) {
        int d = 0;

        for (int k = 0; k < 4; k++) {
            int e = abs((int)got[i * 4 + (size_t)k] - (int)want[i * 4 + (size_t)k]);

            d = e > d ? e : d;
        }
        worst = d > worst ? d : worst;
        if (d > (software ? 2 : 8))
            differing++;
    }
    allowed = n * (software ? 2 : 10) / 1000;
    if (getenv("STN_KEEP_PICTURES")) {
        uint8_t *out;
        FILE *to;

        snprintf(name, sizeof name, "got-%d.png", s->number);
        if (stn_picture_to_png(got, w, h, 1, &out, &len, NULL) == STN_OK &&
            (to = fopen(name, "wb")) != NULL) {
            fwrite(out, 1, len, to);
            fclose(to);
            free(out);
        }
    }
    if (differing <= allowed)
        vec_pass(r);
    else
        vec_fail(r, "image scene %d: %lu of %zu pixels differ (allowed %lu), the worst by %d", s->number,
                 differing, n, allowed, worst);
    free(got);
    free(want);
}

static bool gpu_open(struct gpu *g, stn_err *err)
{
    stn_surface_options o = {.kind = STN_SURFACE_HEADLESS, .width = 192, .height = 144};

    if (stn_surface_new(&o, &g->surface, err) != STN_OK)
        return false;
    stn_glrec_invalidate(&g->rec);
    g->meshes = stn_meshes_new(&g->rec);
    g->textures = stn_textures_new(&g->rec, 1.0f);
    return g->meshes && g->textures && stn_programs_new(&g->rec, NULL, &g->programs, err) == STN_OK &&
           stn_view_new(&g->rec, g->programs, g->meshes, g->textures, SHADOW_TEXELS, &g->view, err) == STN_OK;
}

static void gpu_close(struct gpu *g)
{
    stn_view_free(g->view);
    stn_programs_free(g->programs);
    stn_meshes_free(g->meshes);
    if (g->textures)
        stn_textures_free(g->textures);
    stn_surface_free(g->surface);
}

static void start_scene(rec_file *f, struct gpu *g, struct scene *s)
{
    memset(s, 0, sizeof *s);
    s->number = (int)rec_int(f);
    s->w = (int)rec_int(f);
    s->h = (int)rec_int(f);
    s->frame.day_light = -1;
    s->frame.outline_strength = 1.0f;
    s->frame.outline_wraps = true;
    s->frame.clear[3] = 1.0f;
    s->broken = s->w < 1 || s->h < 1;
    stn_view_begin(g->view);
}

static void scene_record(rec_file *f, struct gpu *g, struct scene *s, vec_report *r)
{
    struct object *o = &s->object;

    if (rec_is(f, "view"))
        s->frame.view = rec_m4(f);
    else if (rec_is(f, "proj"))
        s->frame.proj = rec_m4(f);
    else if (rec_is(f, "outlines"))
        s->frame.outlines = rec_int(f) != 0;
    else if (rec_is(f, "day") || rec_is(f, "point"))
        take_light(f, s, rec_is(f, "day"));
    else if (rec_is(f, "texture"))
        s->broken = !take_texture(f, g, s) || s->broken;
    else if (rec_is(f, "object")) {
        free_object(o);
        rec_int(f);
        o->world = rec_m4(f);
    } else if (rec_is(f, "pos"))
        take_list(f, &o->pos);
    else if (rec_is(f, "nrm"))
        take_list(f, &o->nrm);
    else if (rec_is(f, "tex"))
        take_list(f, &o->tex);
    else if (rec_is(f, "col"))
        take_list(f, &o->col);
    else if (rec_is(f, "otex"))
        take_list(f, &o->otex);
    else if (rec_is(f, "tan"))
        take_list(f, &o->tan);
    else if (rec_is(f, "bit"))
        take_list(f, &o->bit);
    else if (rec_is(f, "clip"))
        take_list(f, &o->clip);
    else if (rec_is(f, "ind")) {
        take_indices(f, o);
    } else if (rec_is(f, "material"))
        take_material(f, s);
    else if (rec_is(f, "feature")) {
        /* The last record of an object. */
        if (!take_feature(f, s)) {
            vec_fail(r, "%s line %d: unknown feature", f->name, f->line);
            s->broken = true;
        }
        s->broken = !finish_object(g, s, r) || s->broken;
    } else
        vec_fail(r, "%s line %d: unknown record %s", f->name, f->line, f->field[0]);
}

void vec_images(vec_report *r, const char *dir)
{
    rec_file f;
    struct gpu g = {0};
    static struct scene s;
    stn_err err = {0};

    if (!rec_open(&f, dir, "image.tsv"))
        return;
    if (!gpu_open(&g, &err)) {
        vec_skip(r, "pictures of image.tsv: %s", err.text);
        gpu_close(&g);
        rec_close(&f);
        return;
    }
    while (rec_next(&f)) {
        if (rec_is(&f, "scene")) {
            start_scene(&f, &g, &s);
        } else if (rec_is(&f, "shadow")) {
            if (rec_int(&f)) {
                stn_v3 centre = rec_v3(&f);
                stn_shadow_place p = stn_shadow_place_at(s.day, centre, STN_SHADOW_SIZE);

                s.frame.shadows = STN_SHADOWS_TAP16;
                s.frame.shadow_view = p.view;
                s.frame.shadow_proj = p.proj;
                s.frame.shadow_matrix = stn_shadow_matrix(&p, &s.frame.view);
            }
            s.broken = s.broken || stn_view_resize(g.view, s.w, s.h, s.frame.outlines, false, &err) != STN_OK;
            finish_scene(&g, &s, dir, r);
            free_object(&s.object);
        } else {
            scene_record(&f, &g, &s, r);
        }
    }
    gpu_close(&g);
    rec_close(&f);
}
