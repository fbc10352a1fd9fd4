/* view_screen.c - the view's targets and its passes over the whole picture. */
#include "renderer/gl/view_impl.h"

#include "base/log.h"
#include "renderer/gl/shaders.h"

#include <glad/gl.h>
#include <stdio.h>

stn_status stn_view_resize(stn_view *v, int width, int height, bool outlines, bool smooth, stn_err *err)
{
    return stn_screen_fit(&v->own, v->rec, width, height, outlines, smooth, v->max_side, err);
}

stn_status stn_view_fit(const stn_view *v, stn_screen *s, int width, int height, bool outlines, bool smooth,
                        stn_err *err)
{
    return stn_screen_fit(s, v->rec, width, height, outlines, smooth, v->max_side, err);
}

void stn_view_aim(stn_view *v, stn_screen *screen)
{
    v->at = screen ? screen : &v->own;
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

    if (v->outline_normals != v->at->target.normals || v->outline_strength != f->outline_strength ||
        v->outline_fine != v->at->fine) {
        char defines[120];
        stn_err err = {0};

        snprintf(defines, sizeof defines,
                 "#define NORMALS %d\n#define OUTLINE_STRENGTH %.3f\n#define STEP %.1f\n",
                 v->at->target.normals, (double)f->outline_strength, (double)v->at->fine);
        if (v->outline_program)
            glDeleteProgram(v->outline_program);
        v->outline_program = stn_program_simple(stn_shader_quad, stn_shader_outline, defines, &err);
        if (!v->outline_program)
            stn_log_error("outlines are off: %s", err.text);
        v->outline_normals = v->at->target.normals;
        v->outline_strength = f->outline_strength;
        v->outline_fine = v->at->fine;
        v->rec->program = UINT32_MAX;
    }
    if (!v->outline_program)
        return;
    stn_glrec_fbo(v->rec, v->at->target.colour_fbo);
    stn_glrec_texture(v->rec, STN_UNIT_SOURCE, GL_TEXTURE_2D, v->at->target.depth, wrap);
    stn_glrec_texture(v->rec, STN_UNIT_SOURCE_2, GL_TEXTURE_2D, v->at->target.normal, wrap);
    stn_glrec_depth(v->rec, false, GL_LEQUAL, false);
    stn_glrec_cull(v->rec, false, false);
    stn_glrec_blend(v->rec, true, &scene);
    stn_glrec_colour_mask(v->rec, 0, true);
    view_full_screen(v, v->outline_program);
    v->last.draws++;
    v->last.bypassed++;
    v->last.binds++;
    stn_glrec_fbo(v->rec, v->at->target.fbo);
}

void view_smooth(stn_view *v)
{
    stn_glrec_fbo(v->rec, v->at->plain_fbo);
    stn_glrec_viewport(v->rec, 0, 0, v->at->width, v->at->height);
    stn_glrec_depth(v->rec, false, GL_LEQUAL, false);
    stn_glrec_cull(v->rec, false, false);
    stn_glrec_blend(v->rec, false, NULL);
    stn_glrec_texture(v->rec, STN_UNIT_SOURCE, GL_TEXTURE_2D, v->at->target.colour, v->linear);
    view_full_screen(v, v->copy_program);
}

void stn_view_present(stn_view *v, int w, int h)
{
    bool exact = w == v->own.width && h == v->own.height;

    stn_glrec_fbo(v->rec, 0);
    stn_glrec_viewport(v->rec, 0, 0, w, h);
    stn_glrec_depth(v->rec, false, GL_LEQUAL, false);
    stn_glrec_cull(v->rec, false, false);
    stn_glrec_blend(v->rec, false, NULL);
    stn_glrec_colour_mask(v->rec, 0, true);
    stn_glrec_texture(v->rec, STN_UNIT_SOURCE, GL_TEXTURE_2D, stn_screen_colour(&v->own),
                      exact ? v->nearest : v->linear_clamp);
    view_full_screen(v, v->copy_program);
}

void stn_view_bind(stn_view *v)
{
    stn_glrec_fbo(v->rec, stn_screen_fbo(v->at));
    stn_glrec_viewport(v->rec, 0, 0, v->at->width, v->at->height);
}

void stn_view_read(stn_view *v, uint8_t *rgba)
{
    size_t row = (size_t)v->own.width * 4, h = (size_t)v->own.height;

    stn_glrec_fbo(v->rec, stn_screen_fbo(&v->own));
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, v->own.width, v->own.height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    for (size_t y = 0; y < h / 2; y++)
        for (size_t x = 0; x < row; x++) {
            uint8_t t = rgba[y * row + x];

            rgba[y * row + x] = rgba[(h - 1 - y) * row + x];
            rgba[(h - 1 - y) * row + x] = t;
        }
}

void stn_view_size(const stn_view *v, int *width, int *height)
{
    *width = v->own.width;
    *height = v->own.height;
}
