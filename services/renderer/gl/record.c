#include "renderer/gl/record.h"

#include <glad/gl.h>
#include <string.h>

#define UNKNOWN UINT32_MAX

void stn_glrec_invalidate(stn_glrec *r)
{
    stn_glrec counts = *r;

    /* All ones is no value of any field: names that high are not handed out, flags are 0 or 1, and the floats
     * are NaN, which compares unequal to everything. */
    memset(r, 0xff, sizeof *r);
    r->issued = counts.issued;
    r->skipped = counts.skipped;
    r->frames_given = counts.frames_given;
    r->frames_done = counts.frames_done;
}

/* True when the setter has work; keeps the count either way. */
static bool changes(stn_glrec *r, bool differs)
{
    if (differs)
        r->issued++;
    else
        r->skipped++;
    return differs;
}

void stn_glrec_program(stn_glrec *r, uint32_t program)
{
    if (!changes(r, r->program != program))
        return;
    r->program = program;
    glUseProgram(program);
}

void stn_glrec_vao(stn_glrec *r, uint32_t vao)
{
    if (!changes(r, r->vao != vao))
        return;
    r->vao = vao;
    glBindVertexArray(vao);
}

void stn_glrec_fbo(stn_glrec *r, uint32_t fbo)
{
    if (!changes(r, r->fbo != fbo))
        return;
    r->fbo = fbo;
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
}

void stn_glrec_viewport(stn_glrec *r, int x, int y, int w, int h)
{
    const int32_t v[4] = {x, y, w, h};

    if (!changes(r, memcmp(v, r->viewport, sizeof v) != 0))
        return;
    memcpy(r->viewport, v, sizeof v);
    glViewport(x, y, w, h);
}

static void toggle(GLenum what, bool on)
{
    if (on)
        glEnable(what);
    else
        glDisable(what);
}

static GLenum equation(uint8_t fn)
{
    static const GLenum gl[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MAX, GL_MIN};

    return gl[fn < STN_BM_FN_COUNT ? fn : 0];
}

static GLenum factor(uint8_t f)
{
    static const GLenum gl[] = {
        GL_ZERO, GL_ONE, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR};

    return gl[f < STN_BM_FACTOR_COUNT ? f : 0];
}

void stn_glrec_blend(stn_glrec *r, bool on, const stn_blendmode *blend)
{
    if (changes(r, r->blend_on != on)) {
        r->blend_on = on;
        if (on)
            glEnablei(GL_BLEND, 0);
        else
            glDisablei(GL_BLEND, 0);
        glDisablei(GL_BLEND, 1);
    }
    if (!on || !changes(r, memcmp(&r->blend, blend, sizeof *blend) != 0))
        return;
    r->blend = *blend;
    glBlendEquationSeparate(equation(blend->colour_fn), equation(blend->alpha_fn));
    glBlendFuncSeparate(factor(blend->colour_src), factor(blend->colour_dst), factor(blend->alpha_src),
                        factor(blend->alpha_dst));
}

void stn_glrec_depth(stn_glrec *r, bool test, uint32_t func, bool mask)
{
    if (changes(r, r->depth_test != test)) {
        r->depth_test = test;
        toggle(GL_DEPTH_TEST, test);
    }
    if (changes(r, r->depth_func != func)) {
        r->depth_func = func;
        glDepthFunc(func);
    }
    if (changes(r, r->depth_mask != mask)) {
        r->depth_mask = mask;
        glDepthMask(mask);
    }
}

void stn_glrec_cull(stn_glrec *r, bool on, bool front)
{
    if (changes(r, r->cull_on != on)) {
        r->cull_on = on;
        toggle(GL_CULL_FACE, on);
    }
    if (on && changes(r, r->cull_front != front)) {
        r->cull_front = front;
        glCullFace(front ? GL_FRONT : GL_BACK);
    }
}

void stn_glrec_bias(stn_glrec *r, float bias_factor, float units)
{
    bool on = bias_factor != 0.0f || units != 0.0f;

    if (changes(r, r->bias_on != on)) {
        r->bias_on = on;
        toggle(GL_POLYGON_OFFSET_FILL, on);
    }
    if (on && changes(r, !(r->bias_factor == bias_factor && r->bias_units == units))) {
        r->bias_factor = bias_factor;
        r->bias_units = units;
        glPolygonOffset(bias_factor, units);
    }
}

void stn_glrec_colour_mask(stn_glrec *r, int output, bool on)
{
    GLboolean v = on ? GL_TRUE : GL_FALSE;

    if (!changes(r, r->colour_mask[output] != on))
        return;
    r->colour_mask[output] = on;
    glColorMaski((GLuint)output, v, v, v, v);
}

static void activate(stn_glrec *r, int unit)
{
    if (r->unit == unit)
        return;
    r->unit = unit;
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
}

void stn_glrec_texture(stn_glrec *r, int unit, uint32_t target, uint32_t texture, uint32_t sampler)
{
    if (changes(r, r->units[unit].texture != texture || r->units[unit].target != target)) {
        activate(r, unit);
        r->units[unit].texture = texture;
        r->units[unit].target = target;
        glBindTexture(target, texture);
    }
    if (changes(r, r->units[unit].sampler != sampler)) {
        r->units[unit].sampler = sampler;
        glBindSampler((GLuint)unit, sampler);
    }
}

void stn_glrec_edit(stn_glrec *r, uint32_t texture)
{
    stn_glrec_texture(r, 0, GL_TEXTURE_2D, texture, 0);
    activate(r, 0);
}

void stn_glrec_block(stn_glrec *r, int block, uint32_t buffer, int64_t offset, int64_t bytes)
{
    if (!changes(r, r->blocks[block].buffer != buffer || r->blocks[block].offset != offset ||
                        r->blocks[block].bytes != bytes))
        return;
    r->blocks[block].buffer = buffer;
    r->blocks[block].offset = offset;
    r->blocks[block].bytes = bytes;
    glBindBufferRange(GL_UNIFORM_BUFFER, (GLuint)block, buffer, offset, bytes);
}

void stn_glrec_forget_texture(stn_glrec *r, uint32_t texture)
{
    for (int i = 0; i < STN_GLREC_UNITS; i++)
        if (r->units[i].texture == texture)
            r->units[i].texture = UNKNOWN;
}

void stn_glrec_forget_buffer(stn_glrec *r, uint32_t buffer)
{
    for (int i = 0; i < STN_GLREC_BLOCKS; i++)
        if (r->blocks[i].buffer == buffer)
            r->blocks[i].buffer = UNKNOWN;
}

void stn_glrec_forget_vao(stn_glrec *r, uint32_t vao)
{
    if (r->vao == vao)
        r->vao = UNKNOWN;
}

void stn_glrec_forget_fbo(stn_glrec *r, uint32_t fbo)
{
    if (r->fbo == fbo)
        r->fbo = UNKNOWN;
}
