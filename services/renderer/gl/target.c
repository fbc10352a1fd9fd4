#include "renderer/gl/target.h"

#include "renderer/gl/program.h"

#include <glad/gl.h>
#include <string.h>

uint32_t stn_target_texture(stn_glrec *rec, int internal, unsigned format, unsigned type, int w, int h)
{
    uint32_t name;

    glGenTextures(1, &name);
    stn_glrec_texture(rec, 0, GL_TEXTURE_2D, name, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, internal, w, h, 0, format, type, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return name;
}

void stn_target_drop_texture(stn_glrec *rec, uint32_t *name)
{
    if (*name) {
        stn_glrec_forget_texture(rec, *name);
        glDeleteTextures(1, name);
    }
    *name = 0;
}

void stn_target_drop_fbo(stn_glrec *rec, uint32_t *name)
{
    if (*name) {
        stn_glrec_forget_fbo(rec, *name);
        glDeleteFramebuffers(1, name);
    }
    *name = 0;
}

static bool attach_normals(stn_target *t, stn_glrec *rec)
{
    static const struct {
        GLint internal;
        GLenum format, type;
        int kind;
    } formats[] = {{GL_RGB8_SNORM, GL_RGB, GL_BYTE, STN_NORMALS_SIGNED},
                   {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, STN_NORMALS_SIGNED},
                   {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, STN_NORMALS_BYTES}};
    static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        t->normal = stn_target_texture(rec, formats[i].internal, formats[i].format, formats[i].type, t->width,
                                       t->height);
        t->normals = formats[i].kind;
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, t->normal, 0);
        glDrawBuffers(2, both);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
            return true;
        stn_target_drop_texture(rec, &t->normal);
    }
    t->normals = STN_NORMALS_NONE;
    return false;
}

stn_status stn_target_init(stn_target *t, stn_glrec *rec, int width, int height, bool with_normals,
                           stn_err *err)
{
    memset(t, 0, sizeof *t);
    t->width = width;
    t->height = height;
    while (glGetError() != GL_NO_ERROR) /* a refused format below must not be blamed on an older error */
        continue;
    glGenFramebuffers(1, &t->fbo);
    glGenFramebuffers(1, &t->colour_fbo);
    t->colour = stn_target_texture(rec, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, width, height);
    t->depth =
        stn_target_texture(rec, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, width, height);
    stn_glrec_fbo(rec, t->colour_fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->colour, 0);
    stn_glrec_fbo(rec, t->fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->colour, 0);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t->depth, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        stn_target_fini(t, rec);
        return stn_fail(err, STN_UNSUPPORTED, "the driver cannot draw into a %dx%d picture with depth", width,
                        height);
    }
    if (with_normals)
        attach_normals(t, rec);
    while (glGetError() != GL_NO_ERROR)
        continue;
    return STN_OK;
}

void stn_target_fini(stn_target *t, stn_glrec *rec)
{
    stn_target_drop_fbo(rec, &t->fbo);
    stn_target_drop_fbo(rec, &t->colour_fbo);
    stn_target_drop_texture(rec, &t->colour);
    stn_target_drop_texture(rec, &t->depth);
    stn_target_drop_texture(rec, &t->normal);
}

stn_status stn_shadow_target_init(stn_shadow_target *t, stn_glrec *rec, int size, stn_err *err)
{
    GLenum none = GL_NONE;

    t->size = size;
    glGenFramebuffers(1, &t->fbo);
    t->depth = stn_target_texture(rec, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, size, size);
    stn_glrec_fbo(rec, t->fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t->depth, 0);
    glDrawBuffers(1, &none);
    glReadBuffer(GL_NONE);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        stn_shadow_target_fini(t, rec);
        return stn_fail(err, STN_UNSUPPORTED, "the driver cannot draw into a depth map of %d", size);
    }
    return STN_OK;
}

void stn_shadow_target_fini(stn_shadow_target *t, stn_glrec *rec)
{
    stn_target_drop_fbo(rec, &t->fbo);
    stn_target_drop_texture(rec, &t->depth);
}
