#include "renderer/gl/view_impl.h"

#include "base/clock.h"
#include "base/hash.h"
#include "renderer/gl/shaders.h"

#include <glad/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_BYTES ((size_t)16 << 10) /* of each region to begin with */
#define INSTANCE_BYTES ((size_t)256 << 10)
#define TEXEL 16

static uint32_t make_sampler(GLint mag, GLint min, GLint wrap, bool compare)
{
    uint32_t s;

    glGenSamplers(1, &s);
    glSamplerParameteri(s, GL_TEXTURE_MAG_FILTER, mag);
    glSamplerParameteri(s, GL_TEXTURE_MIN_FILTER, min);
    glSamplerParameteri(s, GL_TEXTURE_WRAP_S, wrap);
    glSamplerParameteri(s, GL_TEXTURE_WRAP_T, wrap);
    if (compare) {
        glSamplerParameteri(s, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        glSamplerParameteri(s, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    }
    return s;
}

static stn_status make_fixed(stn_view *v, int shadow_size, stn_err *err)
{
    GLint align = 256;
    stn_status st;

    glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &align);
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &v->max_texels);
    v->max_side = 2048;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &v->max_side);
    align = align < 16 ? 16 : align;
    v->material_stride = ((int32_t)sizeof(stn_block_material) + align - 1) / align * align;
    glGenBuffers(1, &v->material_buffer);
    glBindBuffer(GL_UNIFORM_BUFFER, v->material_buffer);
    glBufferData(GL_UNIFORM_BUFFER, (GLsizeiptr)v->material_stride * MAX_MATERIALS, NULL, GL_STATIC_DRAW);
    v->block_align = align;
    stn_ring_init(&v->frames, v->rec, GL_UNIFORM_BUFFER, FRAME_BYTES, 0);
    stn_ring_init(&v->instances, v->rec, GL_TEXTURE_BUFFER, INSTANCE_BYTES, (size_t)v->max_texels * TEXEL);
    glGenTextures(1, &v->instance_texture);
    glGenVertexArrays(1, &v->empty_vao);
    v->nearest = make_sampler(GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, false);
    v->exact_repeat = make_sampler(GL_NEAREST, GL_NEAREST, GL_REPEAT, false);
    v->linear = make_sampler(GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE, false);
    v->linear_clamp = make_sampler(GL_LINEAR, GL_NEAREST, GL_CLAMP_TO_EDGE, false);
    v->compare = make_sampler(GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE, true);
    v->copy_program = stn_program_simple(stn_shader_quad, stn_shader_copy, "", err);
    if (!v->copy_program)
        return STN_UNSUPPORTED;
    stn_glrec_invalidate(v->rec);
    if (shadow_size > 0) {
        st = stn_shadow_target_init(&v->shadow, v->rec, shadow_size, err);
        if (st != STN_OK)
            return st;
        v->has_shadow = true;
    }
    return STN_OK;
}

stn_status stn_view_new(stn_glrec *rec, stn_programs *programs, stn_meshes *meshes, stn_textures *textures,
                        int shadow_size, stn_view **out, stn_err *err)
{
    stn_view *v = calloc(1, sizeof *v);
    stn_status st;

    *out = NULL;
    if (!v)
        return stn_fail(err, STN_NO_MEMORY, "view");
    v->rec = rec;
    v->programs = programs;
    v->meshes = meshes;
    v->textures = textures;
    v->at = &v->own;
    v->materials = calloc(MAX_MATERIALS, sizeof *v->materials);
    v->material_ids = stn_table_new();
    v->warm = stn_warm_new(rec, programs);
    v->bones = malloc(MAX_BONES * sizeof *v->bones);
    for (int i = 0; i < PASSES; i++)
        if (!(v->chosen[i] = calloc(MAX_MATERIALS, sizeof *v->chosen[i]))) {
            st = stn_fail(err, STN_NO_MEMORY, "view");
            goto fail;
        }
    if (!v->materials || !v->material_ids || !v->warm || !v->bones) {
        st = stn_fail(err, STN_NO_MEMORY, "view");
        goto fail;
    }
    st = make_fixed(v, shadow_size, err);
    if (st != STN_OK)
        goto fail;
    *out = v;
    return STN_OK;
fail:
    stn_view_free(v);
    return st;
}

void stn_view_free(stn_view *v)
{
    if (!v)
        return;
    stn_warm_free(v->warm);
    stn_screen_fini(&v->own, v->rec);
    if (v->has_shadow)
        stn_shadow_target_fini(&v->shadow, v->rec);
    glDeleteBuffers(1, &v->material_buffer);
    stn_ring_fini(&v->frames);
    stn_ring_fini(&v->instances);
    glDeleteTextures(1, &v->instance_texture);
    glDeleteVertexArrays(1, &v->empty_vao);
    glDeleteSamplers(1, &v->nearest);
    glDeleteSamplers(1, &v->exact_repeat);
    glDeleteSamplers(1, &v->linear_clamp);
    glDeleteSamplers(1, &v->linear);
    glDeleteSamplers(1, &v->compare);
    if (v->copy_program)
        glDeleteProgram(v->copy_program);
    if (v->outline_program)
        glDeleteProgram(v->outline_program);
    stn_glrec_invalidate(v->rec);
    free(v->materials);
    for (int i = 0; i < PASSES; i++)
        free(v->chosen[i]);
    stn_table_free(v->material_ids);
    free(v->draws);
    free(v->bones);
    free(v->items);
    free(v->casters);
    free(v->scratch);
    free(v);
}

static void put4(float *to, const float *from)
{
    memcpy(to, from, 4 * sizeof *to);
}

/* By words: all that a scene shows is looked up in the frame that shows it first. */
static uint64_t hash_of(const stn_matstate *m)
{
    uint32_t words[sizeof *m / 4];
    uint64_t hash = STN_HASH_START;

    _Static_assert(sizeof *m % 4 == 0, "a material is words");
    memcpy(words, m, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    return hash;
}

uint32_t stn_view_material(stn_view *v, const stn_matstate *m)
{
    uint64_t hash;
    uintptr_t known;
    stn_block_material b;

    hash = hash_of(m);
    known = (uintptr_t)stn_table_get(v->material_ids, hash);
    if (known && memcmp(&v->materials[known - 1], m, sizeof *m) == 0)
        return (uint32_t)known;
    if (v->material_count == MAX_MATERIALS)
        return 0;
    v->materials[v->material_count] = *m;
    memset(&b, 0, sizeof b);
    put4(b.amb, m->amb);
    put4(b.dif, m->dif);
    put4(b.spc, m->spc);
    put4(b.emi, m->emi);
    put4(b.base, m->base);
    put4(b.mask, m->mask);
    memcpy(b.hue, m->hue, sizeof m->hue);
    b.hue[3] = m->clip_threshold;
    put4(b.env, m->env);
    b.misc[0] = m->shine;
    b.misc[1] = m->scroll[0];
    b.misc[2] = m->scroll[1];
    b.misc[3] = m->period > 0.0f ? m->period : 1.0f;
    glBindBuffer(GL_UNIFORM_BUFFER, v->material_buffer);
    glBufferSubData(GL_UNIFORM_BUFFER, (GLintptr)v->material_count * v->material_stride, sizeof b, &b);
    v->material_count++;
    if (!known)
        stn_table_put(v->material_ids, hash, (void *)(uintptr_t)v->material_count, NULL);
    return v->material_count;
}

void stn_view_surround(stn_view *v, stn_surroundings *around)
{
    v->around = around;
}

void stn_view_begin(stn_view *v)
{
    v->draw_count = 0;
    v->bone_count = 0;
    memset(&v->last, 0, sizeof v->last);
}

uint32_t stn_view_bones(stn_view *v, const stn_m4 *bones, uint32_t count)
{
    uint32_t at = v->bone_count;

    if (count > MAX_BONES - at)
        return 0;
    memcpy(v->bones + at, bones, count * sizeof *bones);
    v->bone_count += count;
    return at + 1;
}

void stn_view_add(stn_view *v, uint32_t mesh, uint32_t material, const stn_instance *instance, unsigned flags)
{
    if (material == 0 || material > v->material_count || !stn_meshes_get(v->meshes, mesh) ||
        !stn_m4_finite(&instance->model) || v->draw_count == STN_VIEW_MAX_DRAWS) {
        v->last.dropped++;
        return;
    }
    if (v->draw_count == v->draw_cap) {
        uint32_t cap = v->draw_cap ? v->draw_cap * 2 : 1024;
        void *p = realloc(v->draws, cap * sizeof *v->draws);

        if (!p) {
            v->last.dropped++;
            return;
        }
        v->draws = p;
        v->draw_cap = cap;
    }
    v->draws[v->draw_count++] = (struct draw){mesh, material, flags, *instance};
}

/* What a material is drawn with in a pass. Numbers are few pixels, drawn with whatever is linked. */
static const stn_program *program_of(stn_view *v, const stn_matstate *m, int pass, int shadows, int normals)
{
    uint64_t key = stn_program_key(m->features, pass, shadows, normals);

    return pass == STN_PASS_ID ? stn_programs_get(v->programs, key) : stn_warm_program(v->warm, key, m);
}

static const stn_program *chosen_for(stn_view *v, uint32_t material, int pass, int shadows, int normals)
{
    struct chosen *c = &v->chosen[pass][material - 1];

    if (c->picture != v->pictures) {
        c->picture = v->pictures;
        c->program = program_of(v, &v->materials[material - 1], pass, shadows, normals);
    }
    return c->program;
}

/* The draws of one pass in order. Items point at draws; programs are looked up once a draw. */
static uint32_t sorted(stn_view *v, stn_order_item *items, unsigned flag, int pass, int shadows, int normals)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < v->draw_count; i++) {
        const struct draw *d = &v->draws[i];
        const stn_matstate *m = &v->materials[d->material - 1];
        const stn_program *p;

        /* The state of depth writing is kept in the pass of the shadow map: what writes none casts none. */
        if (!(d->flags & flag) || (pass == STN_PASS_SHADOW && m->no_depth_write))
            continue;
        p = chosen_for(v, d->material, pass, shadows, normals);
        if (!p) {
            v->last.waiting++;
            continue;
        }
        items[n].index = i;
        items[n].key.place = pass != STN_PASS_SHADOW ? stn_order_place(m->order, m->suborder) : 0;
        items[n].key.state =
            (uint64_t)p->number << 48 | (uint64_t)(d->material & 0xffff) << 32 | (uint64_t)d->mesh;
        n++;
    }
    stn_order_sort(items, v->scratch, n);
    return n;
}

static void put_instance(stn_block_instance *b, const stn_instance *in, uint32_t bones_at)
{
    memcpy(b->model, in->model.m, sizeof b->model);
    put4(b->mix, in->mix);
    b->extra[0] = in->water_z;
    b->extra[1] = in->morph;
    b->extra[2] = in->bones ? (float)(bones_at + (in->bones - 1) * 4) : 0.0f;
    b->extra[3] = (float)in->click_id;
    put4(b->sway_slow, in->sway_slow);
    put4(b->sway_fast, in->sway_fast);
    put4(b->special, in->special);
}

static bool grow(stn_order_item **items, uint32_t cap)
{
    void *p = realloc(*items, cap * sizeof **items);

    if (p)
        *items = p;
    return p != NULL;
}

static bool room(stn_view *v)
{
    if (v->draw_count <= v->item_cap)
        return true;
    if (!grow(&v->items, v->draw_cap) || !grow(&v->casters, v->draw_cap) || !grow(&v->scratch, v->draw_cap))
        return false;
    v->item_cap = v->draw_cap;
    return true;
}

/* The texture of instances reads the ring's buffer as it is now. */
static void bind_instances(stn_view *v)
{
    stn_glrec_texture(v->rec, STN_UNIT_INSTANCES, GL_TEXTURE_BUFFER, v->instance_texture, 0);
    if (v->instance_storage == v->instances.storage)
        return;
    v->instance_storage = v->instances.storage;
    glActiveTexture(GL_TEXTURE0 + STN_UNIT_INSTANCES);
    v->rec->unit = STN_UNIT_INSTANCES;
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, v->instances.buffer);
}

/* Writes the instances of two passes and the bones of both where the driver reads them. The place of the
 * first in instances; false: there is no room, and nothing can be drawn. */
static bool put_instances(stn_view *v, const stn_order_item *a, uint32_t n_a, const stn_order_item *b,
                          uint32_t n_b, uint32_t *base)
{
    size_t bones = v->bone_count * sizeof *v->bones;
    size_t bytes = ((size_t)n_a + n_b) * sizeof(stn_block_instance) + bones, at;
    stn_block_instance *to;
    uint32_t bones_at;

    *base = 0;
    if (n_a + n_b == 0)
        return true;
    to = stn_ring_begin(&v->instances, bytes, sizeof *to, &at);
    if (!to)
        return false;
    *base = (uint32_t)(at / sizeof *to);
    bones_at = (uint32_t)((at + bytes - bones) / TEXEL);
    for (uint32_t i = 0; i < n_a; i++)
        put_instance(&to[i], &v->draws[a[i].index].instance, bones_at);
    for (uint32_t i = 0; i < n_b; i++)
        put_instance(&to[n_a + i], &v->draws[b[i].index].instance, bones_at);
    if (bones)
        memcpy(to + n_a + n_b, v->bones, bones);
    stn_ring_end(&v->instances);
    bind_instances(v);
    return true;
}

static void put_frame(stn_view *v, const stn_frame *f)
{
    stn_block_frame b;
    void *to;

    memset(&b, 0, sizeof b);
    memcpy(b.view, f->view.m, sizeof b.view);
    memcpy(b.proj, f->proj.m, sizeof b.proj);
    memcpy(b.shadow_matrix, f->shadow_matrix.m, sizeof b.shadow_matrix);
    b.clock[0] = (float)fmod(f->time, 3000.0);
    memcpy(b.clock + 1, f->wind, sizeof f->wind);
    b.screen[0] = (float)v->at->target.width;
    b.screen[1] = (float)v->at->target.height;
    b.screen[2] = 1.0f / b.screen[0];
    b.screen[3] = 1.0f / b.screen[1];
    put4(b.fog, f->fog);
    put4(b.fog_range, f->fog_range);
    put4(b.sky_low, f->sky_low);
    put4(b.sky_high, f->sky_high);
    if (!v->around || !stn_surroundings_has_sky(v->around))
        b.sky_high[3] = 0.0f;
    if (v->around) {
        put4(b.clouds, f->clouds);
        memcpy(b.cloud_way, f->cloud_way, sizeof f->cloud_way);
    }
    b.cloud_way[2] = f->grid;
    b.shadow_params[0] = v->has_shadow ? 1.0f / (float)v->shadow.size : 0.0f;
    b.shadow_params[1] = 1.0f / 5000.0f;
    b.counts[0] = f->light_count > STN_FRAME_LIGHTS ? STN_FRAME_LIGHTS : f->light_count;
    b.counts[1] = f->day_light;
    for (int i = 0; i < b.counts[0]; i++) {
        const stn_lit *l = &f->lights[i];

        memcpy(b.lights[i][0], &l->pos, 16);
        memcpy(b.lights[i][1], &l->amb, 16);
        memcpy(b.lights[i][2], &l->dif, 16);
        memcpy(b.lights[i][3], &l->spc, 16);
        memcpy(b.lights[i][4], &l->ac, 16);
    }
    to = stn_ring_begin(&v->frames, sizeof b, (size_t)v->block_align, &v->frame_at);
    if (to)
        memcpy(to, &b, sizeof b);
    stn_ring_end(&v->frames);
    stn_glrec_block(v->rec, STN_BLOCK_FRAME, v->frames.buffer, (int64_t)v->frame_at, sizeof b);
}

static void apply_material(stn_view *v, const stn_matstate *m, uint32_t id, int pass)
{
    stn_glrec *r = v->rec;

    stn_glrec_block(r, STN_BLOCK_MATERIAL, v->material_buffer, (int64_t)(id - 1) * v->material_stride,
                    sizeof(stn_block_material));
    if (m->features & (STN_MAT_TEX | STN_MAT_WATER))
        stn_textures_bind(v->textures, m->texture[STN_MAT_T_BASE], STN_MAT_T_BASE);
    if (m->features & (STN_MAT_OVERLAY_A | STN_MAT_OVERLAY_CP | STN_MAT_OVERLAY_OL))
        stn_textures_bind(v->textures, m->texture[STN_MAT_T_OVERLAY], STN_MAT_T_OVERLAY);
    if (m->features & STN_MAT_CLIP)
        stn_textures_bind(v->textures, m->texture[STN_MAT_T_CLIP], STN_MAT_T_CLIP);
    if (m->features & STN_MAT_BUMP)
        stn_textures_bind(v->textures, m->texture[STN_MAT_T_BUMP], STN_MAT_T_BUMP);
    if (m->features & STN_MAT_PAL)
        stn_textures_bind(v->textures, m->texture[STN_MAT_T_PAL], STN_MAT_T_PAL);
    stn_glrec_cull(r, !m->no_cull, false);
    if (pass == STN_PASS_SHADOW) {
        stn_glrec_depth(r, true, GL_LEQUAL, true);
        return;
    }
    if (pass == STN_PASS_ID) {
        /* The surface of water is pointed at, but does not hide what stands in it. */
        stn_glrec_depth(r, true, GL_LEQUAL, !(m->features & STN_MAT_WATER));
        return;
    }
    stn_glrec_depth(r, !m->no_depth_test, GL_LEQUAL, !m->no_depth_write);
    stn_glrec_blend(r, true, &m->blend);
    stn_glrec_bias(r, m->bias_factor, m->bias_units);
    stn_glrec_colour_mask(r, 0, !m->no_colour);
    if (v->at->target.normal)
        stn_glrec_colour_mask(r, 1, !m->no_normal && !m->no_depth_write);
}

static void count_draw(stn_view *v, const stn_gpu_mesh *mesh, uint32_t members, int pass)
{
    stn_view_counts *c = &v->last;
    uint32_t triangles = mesh->primitive == GL_TRIANGLES ? mesh->index_count / 3 * members : 0;

    c->saved += mesh->full_count ? (mesh->full_count - mesh->index_count) / 3 * members : 0;
    if (pass == STN_PASS_SHADOW) {
        c->shadow_draws++;
        c->shadow_triangles += triangles;
        return;
    }
    c->draws++;
    c->instances += members;
    c->triangles += triangles;
    c->lone += members == 1;
    c->batches += members > 1;
    c->members += members > 1 ? members : 0;
}

/* Draws items[from, to), whose instances stand in the buffer from `base` on in the same order. */
static void replay(stn_view *v, const stn_order_item *items, uint32_t from, uint32_t to, uint32_t base,
                   int pass, int shadows, int normals)
{
    for (uint32_t i = from; i < to;) {
        const struct draw *d = &v->draws[items[i].index];
        const stn_matstate *m = &v->materials[d->material - 1];
        const stn_gpu_mesh *mesh = stn_meshes_get(v->meshes, d->mesh);
        const stn_program *p = chosen_for(v, d->material, pass, shadows, normals);
        uint32_t end = i + 1;

        while (end < to && stn_order_compare(&items[end].key, &items[i].key) == 0)
            end++;
        if (mesh && p) {
            v->last.binds += v->rec->program != p->name;
            stn_glrec_program(v->rec, p->name);
            stn_glrec_vao(v->rec, mesh->vao);
            apply_material(v, m, d->material, pass);
            if (m->features & STN_MAT_MORPH)
                stn_glrec_texture(v->rec, STN_UNIT_MORPH, GL_TEXTURE_2D, mesh->morph, v->exact_repeat);
            glUniform1i(p->instance_base, (GLint)(base + i));
            glDrawElementsInstancedBaseVertex(mesh->primitive, (GLsizei)mesh->index_count, mesh->index_type,
                                              (const void *)(uintptr_t)mesh->first_index_byte,
                                              (GLsizei)(end - i), mesh->base_vertex);
            count_draw(v, mesh, end - i, pass);
        }
        i = end;
    }
}

static void clear_target(stn_view *v, const stn_frame *f)
{
    static const GLfloat none[4] = {0.0f, 0.0f, -1.0f, 0.0f};
    static const GLfloat none_bytes[4] = {128.0f / 255.0f, 128.0f / 255.0f, 1.0f / 255.0f, 0.0f};
    static const GLfloat far = 1.0f;

    stn_glrec_fbo(v->rec, v->at->target.fbo);
    stn_glrec_viewport(v->rec, 0, 0, v->at->target.width, v->at->target.height);
    stn_glrec_colour_mask(v->rec, 0, true);
    stn_glrec_depth(v->rec, true, GL_LEQUAL, true);
    glClearBufferfv(GL_COLOR, 0, f->clear);
    if (v->at->target.normal) {
        stn_glrec_colour_mask(v->rec, 1, true);
        glClearBufferfv(GL_COLOR, 1, v->at->target.normals == STN_NORMALS_BYTES ? none_bytes : none);
    }
    glClearBufferfv(GL_DEPTH, 0, &far);
}

static void draw_shadow_map(stn_view *v, const stn_frame *f, uint32_t n, uint32_t base)
{
    static const GLfloat far = 1.0f;
    stn_frame light = *f;

    light.view = f->shadow_view;
    light.proj = f->shadow_proj;
    put_frame(v, &light);
    stn_glrec_fbo(v->rec, v->shadow.fbo);
    stn_glrec_viewport(v->rec, 0, 0, v->shadow.size, v->shadow.size);
    stn_glrec_depth(v->rec, true, GL_LEQUAL, true);
    glClearBufferfv(GL_DEPTH, 0, &far);
    /* PCF casters are pushed back a little, so that lit slopes do not shade themselves. */
    stn_glrec_bias(v->rec, f->shadows == STN_SHADOWS_PCF ? 3.0f : 0.0f, 0.0f);
    replay(v, v->casters, 0, n, base, STN_PASS_SHADOW, 0, 0);
    stn_glrec_bias(v->rec, 0.0f, 0.0f);
    v->shadow_drawn = true;
}

void stn_view_draw(stn_view *v, const stn_frame *frame)
{
    bool shadows = frame->shadows != STN_SHADOWS_NONE && v->has_shadow && frame->day_light >= 0;
    bool cast = shadows && !(frame->shadows_kept && v->shadow_drawn);
    int mode = shadows ? frame->shadows : STN_SHADOWS_NONE;
    bool outlines = frame->outlines && v->at->target.normal;
    uint32_t n_shadow = 0, n, split = 0, base;

    v->pictures++;
    if (!v->at->target.fbo || !room(v))
        return;
    if (cast)
        n_shadow = sorted(v, v->casters, STN_DRAW_CASTS, STN_PASS_SHADOW, 0, 0);
    n = sorted(v, v->items, STN_DRAW_VISIBLE, STN_PASS_COLOUR, mode, v->at->target.normals);
    if (!put_instances(v, v->casters, n_shadow, v->items, n, &base)) {
        v->last.dropped += n;
        n_shadow = n = 0;
    }
    if (cast)
        draw_shadow_map(v, frame, n_shadow, base);
    base += n_shadow;
    put_frame(v, frame);
    clear_target(v, frame);
    if (shadows)
        stn_glrec_texture(v->rec, STN_UNIT_SHADOW, GL_TEXTURE_2D, v->shadow.depth,
                          mode == STN_SHADOWS_PCF ? v->compare : v->linear_clamp);
    if (v->around)
        stn_surroundings_bind(v->around);
    while (split < n && v->items[split].key.place < stn_order_place(STN_ORDER_OUTLINE, 0))
        split++;
    glLineWidth(2.0f * (float)v->at->fine); /* pixels of the picture; a driver may have thin lines alone */
    replay(v, v->items, 0, split, base, STN_PASS_COLOUR, mode, v->at->target.normals);
    if (outlines)
        view_outlines(v, frame);
    replay(v, v->items, split, n, base, STN_PASS_COLOUR, mode, v->at->target.normals);
    stn_glrec_colour_mask(v->rec, 0, true);
    stn_glrec_bias(v->rec, 0.0f, 0.0f);
    if (v->at->fine > 1)
        view_smooth(v);
}

bool stn_view_draw_ids(stn_view *v, const stn_frame *frame, unsigned flag)
{
    uint32_t n, base;

    v->pictures++;
    if (!room(v))
        return false;
    v->last.waiting = 0;
    n = sorted(v, v->items, flag, STN_PASS_ID, 0, 0);
    if (!put_instances(v, NULL, 0, v->items, n, &base))
        return false;
    put_frame(v, frame);
    stn_glrec_blend(v->rec, false, NULL);
    stn_glrec_bias(v->rec, 0.0f, 0.0f);
    stn_glrec_colour_mask(v->rec, 0, true);
    stn_glrec_colour_mask(v->rec, 1, true);
    replay(v, v->items, 0, n, base, STN_PASS_ID, 0, 0);
    return v->last.waiting == 0;
}

uint32_t stn_view_draws(const stn_view *v)
{
    return v->draw_count;
}

bool stn_view_thing(const stn_view *v, uint32_t draw, unsigned flag, stn_pick_thing *out, stn_pick_mask *mask,
                    uint32_t *click_id)
{
    const struct draw *d = &v->draws[draw];
    const stn_gpu_mesh *mesh = draw < v->draw_count ? stn_meshes_get(v->meshes, d->mesh) : NULL;
    const stn_matstate *m;
    const stn_instance *in;
    uint64_t holes;

    if (!mesh || !mesh->source.vertices || !(d->flags & flag))
        return false;
    m = &v->materials[d->material - 1];
    in = &d->instance;
    /* Exactly what the program of numbers looks for. */
    holes = stn_program_key(m->features, STN_PASS_ID, 0, 0) & STN_MAT_ALPHATEST;
    *out = (stn_pick_thing){.mesh = mesh->source,
                            .features = m->features,
                            .no_cull = m->no_cull,
                            .scroll = {m->scroll[0], m->scroll[1]},
                            .model = in->model,
                            .between = in->morph};
    memcpy(out->frames, in->special, sizeof out->frames);
    memcpy(out->sway_slow, in->sway_slow, sizeof out->sway_slow);
    memcpy(out->sway_fast, in->sway_fast, sizeof out->sway_fast);
    if (in->bones) {
        out->bones = v->bones + (in->bones - 1);
        out->bone_count = v->bone_count - (in->bones - 1);
    }
    if (holes && stn_textures_mask(v->textures, m->texture[STN_MAT_T_BASE], mask))
        out->mask = mask;
    *click_id = in->click_id;
    return true;
}

void stn_view_ask(stn_view *v, uint32_t features, int shadows, bool outlines)
{
    stn_matstate m = stn_matstate_default();
    int normals = !outlines              ? STN_NORMALS_NONE
                  : v->at->target.normal ? v->at->target.normals
                                         : STN_NORMALS_SIGNED;

    m.features = features;
    program_of(v, &m, STN_PASS_ID, 0, 0);
    program_of(v, &m, STN_PASS_COLOUR, shadows, normals);
    if (shadows != STN_SHADOWS_NONE)
        program_of(v, &m, STN_PASS_SHADOW, 0, 0);
}

/* What programs read must be there, though nothing comes of it. */
static void bind_anything(stn_view *v)
{
    stn_glrec_block(v->rec, STN_BLOCK_FRAME, v->frames.buffer, (int64_t)v->frame_at, sizeof(stn_block_frame));
    stn_glrec_block(v->rec, STN_BLOCK_MATERIAL, v->material_buffer, 0, sizeof(stn_block_material));
    bind_instances(v);
    if (v->has_shadow)
        stn_glrec_texture(v->rec, STN_UNIT_SHADOW, GL_TEXTURE_2D, v->shadow.depth, v->compare);
}

size_t stn_view_warm(stn_view *v, int64_t budget_ns)
{
    int64_t start = stn_clock_ns();
    size_t left;

    bind_anything(v);
    left = stn_warm_pump(v->warm, v->empty_vao, budget_ns);
    if (stn_clock_ns() - start < budget_ns)
        left += stn_programs_pump(v->programs, budget_ns - (stn_clock_ns() - start));
    return left;
}

const stn_view_counts *stn_view_last(const stn_view *v)
{
    return &v->last;
}

size_t stn_view_waiting(const stn_view *v)
{
    return stn_warm_waiting(v->warm);
}

uint64_t stn_view_warmed(const stn_view *v)
{
    return stn_warm_done(v->warm);
}

void stn_view_bytes(const stn_view *v, size_t *targets, size_t *buffers)
{
    *targets = stn_screen_bytes(&v->own);
    if (v->has_shadow)
        *targets += (size_t)v->shadow.size * (size_t)v->shadow.size * 4;
    *buffers = (size_t)v->material_stride * MAX_MATERIALS;
    *buffers += (v->instances.region_bytes + v->frames.region_bytes) * STN_RING_REGIONS;
}
