/* target.h - what a view draws into: colour, depth and normals of one size.
 *
 * Normals are RGB8_SNORM where the driver can draw into it, else RGBA8_SNORM, else RGBA8 with the same 128
 * steps. Source: docs/spec/rendering.md 2.
 */
#ifndef STN_RENDERER_GL_TARGET_H
#define STN_RENDERER_GL_TARGET_H

#include "base/err.h"
#include "renderer/gl/record.h"

#include <stdint.h>

/* What targets are made of. A texture of one level that is drawn into and read without filter: GL's internal
 * format, format and type. Names become 0 when they are dropped; 0 is fine. */
uint32_t stn_target_texture(stn_glrec *rec, int internal, unsigned format, unsigned type, int width,
                            int height);
void stn_target_drop_texture(stn_glrec *rec, uint32_t *name);
void stn_target_drop_fbo(stn_glrec *rec, uint32_t *name);

typedef struct stn_target {
    int width, height;
    uint32_t fbo; /* colour, normals, depth */
    uint32_t colour_fbo; /* colour alone, for passes that read depth and normals */
    uint32_t colour, depth, normal;
    int normals; /* STN_NORMALS_*: how programs write them; NONE without */
} stn_target;

stn_status stn_target_init(stn_target *t, stn_glrec *rec, int width, int height, bool with_normals,
                           stn_err *err);
void stn_target_fini(stn_target *t, stn_glrec *rec);

typedef struct stn_shadow_target {
    int size;
    uint32_t fbo, depth;
} stn_shadow_target;

stn_status stn_shadow_target_init(stn_shadow_target *t, stn_glrec *rec, int size, stn_err *err);
void stn_shadow_target_fini(stn_shadow_target *t, stn_glrec *rec);

#endif
