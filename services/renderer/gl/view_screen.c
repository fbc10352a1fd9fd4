/* view_screen.c - the view's targets and its passes over the whole picture. */
#include "renderer/gl/view_impl.h"

#include "base/log.h"
#include "renderer/gl/shaders.h"

#include <glad/gl.h>
#include <stdio.h>

void view_drop_target(stn_view *v)
{
    stn_target_fini(&v->target, v->rec);
    stn_target_drop_fbo(v->rec, &v->plain_fbo);
    stn_target_drop_texture(v->rec, &v->plain);
}

static void make_plain(stn_view *v)
{
    glGenFramebuffers(1, &v->plain_fbo);
    v->plain = stn_target_texture(v->rec, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, v->width, v->height);
    stn_glrec_fbo(v->rec, v->plain_fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, v->plain, 0);
}

stn_status stn_view_resize(stn_view *v, int width, int height, bool outlines, bool smooth, stn_err *err)
{
    int fine = smooth ? 2 : 1;
    stn_status st;

    if (width < 1 || height < 1 || width > 16384 || height > 16384)
        return stn_fail(err, STN_USAGE, "picture of %dx%d: 1 to 16384 a side", width, height);
    if (width * fine > v->max_side || height * fine > v->max_side)
        fine = 1;
    if (v->width == width && v->height == height && v->fine == fine && v->target.fbo &&
        (v->target.normal != 0) == outlines)
        return STN_OK;
    view_drop_target(v);
    v->width = width;
    v->height = height;
    v->fine = fine;
    st = stn_target_init(&v->target, v->rec, width * fine, height * fine, outlines, err);
    if (st == STN_OK && fine > 1)
        make_plain(v);
    return st;
}

void view_full_screen(stn_view *v, uint32_t program)
{
    stn_glrec_program(v->rec, program);
    stn_glrec_vao(v->rec, v->empty_vao);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void view_outlines(stn_view *v, const stn_frame *f)
{
    static const stn_blendmode scene = {STN_BM_ADD, STN_BM_SRC_A, STN_BM_INV_SRC_A,
                                        STN_BM_MAX, STN_BM_ONE,   STN_BM_ONE};

    uint32_t wrap = f->outline_wraps ? v->exact_repeat : v->nearest;

    if (v->outline_normals != v->target.normals || v->outline_strength != f->outline_strength ||
        v->outline_fine != v->fine) {
        char defines[120];
        stn_err err = {0};

        snprintf(defines, sizeof defines,
                 "#define NORMALS %d\n#define OUTLINE_STRENGTH %.3f\n#define STEP %.1f\n", v->target.normals,
                 (double)f->outline_strength, (double)v->fine);
        if (v->outline_program)
            glDeleteProgram(v->outline_program);
        v->outline_program = stn_program_simple(stn_shader_quad, stn_shader_outline, defines, &err);
        if (!v->outline_program)
            stn_log_error("outlines are off: %s", err.text);
        v->outline_normals = v->target.normals;
        v->outline_strength = f->outline_strength;
        v->outline_fine = v->fine;
        v->rec->program = UINT32_MAX;
    }
    if (!v->outline_program)
        return;
    stn_glrec_fbo(v->rec, v->target.colour_fbo);
    stn_glrec_texture(v->rec, STN_UNIT_SOURCE, GL_TEXTURE_2D, v->target.depth, wrap);
    stn_glrec_texture(v->rec, STN_UNIT_SOURCE_2, GL_TEXTURE_2D, v->target.normal, wrap);
    stn_glrec_depth(v->rec, false, GL_LEQUAL, false);
    stn_glrec_cull(v->rec, false, false);
    stn_glrec_blend(v->rec, true, &scene);
    stn_glrec_colour_mask(v->rec, 0, true);
    view_full_screen(v, v->outline_program);
    v->last.draws++;
    stn_glrec_fbo(v->rec, v->target.fbo);
}

void view_smooth(stn_view *v)
{
    stn_glrec_fbo(v->rec, v->plain_fbo);
    stn_glrec_viewport(v->rec, 0, 0, v->width, v->height);
    stn_glrec_depth(v->rec, false, GL_LEQUAL, false);
    stn_glrec_cull(v->rec, false, false);
    stn_glrec_blend(v->rec, false, NULL);
    stn_glrec_texture(v->rec, STN_UNIT_SOURCE, GL_TEXTURE_2D, v->target.colour, v->linear);
    view_full_screen(v, v->copy_program);
}

void stn_view_present(stn_view *v, int w, int h)
{
    bool exact = w == v->width && h == v->height;

    stn_glrec_fbo(v->rec, 0);
    stn_glrec_viewport(v->rec, 0, 0, w, h);
    stn_glrec_depth(v->rec, false, GL_LEQUAL, false);
    stn_glrec_cull(v->rec, false, false);
    stn_glrec_blend(v->rec, false, NULL);
    stn_glrec_colour_mask(v->rec, 0, true);
    stn_glrec_texture(v->rec, STN_UNIT_SOURCE, GL_TEXTURE_2D, v->fine > 1 ? v->plain : v->target.colour,
                      exact ? v->nearest : v->linear_clamp);
    view_full_screen(v, v->copy_program);
}

void stn_view_bind(stn_view *v)
{
    stn_glrec_fbo(v->rec, v->fine > 1 ? v->plain_fbo : v->target.colour_fbo);
    stn_glrec_viewport(v->rec, 0, 0, v->width, v->height);
}

void stn_view_read(stn_view *v, uint8_t *rgba)
{
    size_t row = (size_t)v->width * 4, h = (size_t)v->height;

    stn_view_bind(v);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, v->width, v->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    for (size_t y = 0; y < h / 2; y++)
        for (size_t x = 0; x < row; x++) {
            uint8_t t = rgba[y * row + x];

            rgba[y * row + x] = rgba[(h - 1 - y) * row + x];
            rgba[(h - 1 - y) * row + x] = t;
        }
}

void stn_view_size(const stn_view *v, int *width, int *height)
{
    *width = v->width;
    *height = v->height;
}
