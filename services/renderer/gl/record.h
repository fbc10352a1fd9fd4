/* record.h - what a GL context is known to be set to, so that a setter that changes nothing makes no GL call.
 *
 * One record per context, used by the GL thread alone. All state that drawing touches goes through it; code
 * that changes GL behind its back must call stn_glrec_invalidate(), after which every next setter sets once.
 * Source: docs/spec/rendering.md 21.2, 23.7.
 */
#ifndef STN_RENDERER_GL_RECORD_H
#define STN_RENDERER_GL_RECORD_H

#include "renderer/scene/material.h"

#include <stdbool.h>
#include <stdint.h>

#define STN_GLREC_UNITS 16
#define STN_GLREC_BLOCKS 4

typedef struct stn_glrec {
    uint32_t program, vao, fbo;
    int32_t viewport[4];
    stn_blendmode blend;
    int blend_on, depth_test, depth_mask, cull_front, cull_on, colour_mask[2], bias_on;
    float bias_factor, bias_units;
    uint32_t depth_func;
    int unit;
    struct {
        uint32_t target, texture, sampler;
    } units[STN_GLREC_UNITS];
    struct {
        uint32_t buffer;
        int64_t offset, bytes;
    } blocks[STN_GLREC_BLOCKS];
    /* Frames that were handed to the driver, and how many of those it has certainly finished: what
     * stn_surface_swap() keeps. Both 0 when nobody counts, and then nothing is known to be finished. */
    uint64_t frames_given, frames_done;
    uint64_t issued, skipped; /* since the start: GL calls made, and setters that needed none */
} stn_glrec;

void stn_glrec_invalidate(stn_glrec *r); /* also the first thing to do with a fresh record */
void stn_glrec_program(stn_glrec *r, uint32_t program);
void stn_glrec_vao(stn_glrec *r, uint32_t vao);
void stn_glrec_fbo(stn_glrec *r, uint32_t fbo); /* draw and read alike */
void stn_glrec_viewport(stn_glrec *r, int x, int y, int w, int h);
void stn_glrec_blend(stn_glrec *r, bool on,
                     const stn_blendmode *blend); /* of colour output 0; blend may be NULL when off */
void stn_glrec_depth(stn_glrec *r, bool test, uint32_t func, bool mask);
void stn_glrec_cull(stn_glrec *r, bool on, bool front); /* front: the front faces go */
void stn_glrec_bias(stn_glrec *r, float factor, float units); /* 0, 0 = off */
void stn_glrec_colour_mask(stn_glrec *r, int output, bool on); /* output 0 or 1 */
void stn_glrec_texture(stn_glrec *r, int unit, uint32_t target, uint32_t texture, uint32_t sampler);
/* Binds a flat texture to unit 0 to change what is in it. Drawing does not care which unit is active; this
 * makes it that one, also when the texture is bound there already. */
void stn_glrec_edit(stn_glrec *r, uint32_t texture);
void stn_glrec_block(stn_glrec *r, int block, uint32_t buffer, int64_t offset, int64_t bytes);
/* A name is about to be deleted: GL may hand it out again, so the record must not believe it is still bound.
 */
void stn_glrec_forget_texture(stn_glrec *r, uint32_t texture);
void stn_glrec_forget_buffer(stn_glrec *r, uint32_t buffer);
void stn_glrec_forget_vao(stn_glrec *r, uint32_t vao);
void stn_glrec_forget_fbo(stn_glrec *r, uint32_t fbo);

#endif
