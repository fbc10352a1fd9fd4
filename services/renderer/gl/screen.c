#include "renderer/gl/screen.h"

#include <glad/gl.h>

void stn_screen_fini(stn_screen *s, stn_glrec *rec)
{
    stn_target_fini(&s->target, rec);
    stn_target_drop_fbo(rec, &s->plain_fbo);
    stn_target_drop_texture(rec, &s->plain);
}

static void make_plain(stn_screen *s, stn_glrec *rec)
{
    glGenFramebuffers(1, &s->plain_fbo);
    s->plain = stn_target_texture(rec, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, s->width, s->height);
    stn_glrec_fbo(rec, s->plain_fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, s->plain, 0);
}

stn_status stn_screen_fit(stn_screen *s, stn_glrec *rec, int width, int height, bool outlines, bool smooth,
                          int max_side, stn_err *err)
{
    int fine = smooth ? 2 : 1;
    stn_status st;

    if (width < 1 || height < 1 || width > 16384 || height > 16384)
        return stn_fail(err, STN_USAGE, "picture of %dx%d: 1 to 16384 a side", width, height);
    if (width * fine > max_side || height * fine > max_side)
        fine = 1;
    if (s->width == width && s->height == height && s->fine == fine && s->target.fbo &&
        (s->target.normal != 0) == outlines)
        return STN_OK;
    stn_screen_fini(s, rec);
    s->width = width;
    s->height = height;
    s->fine = fine;
    st = stn_target_init(&s->target, rec, width * fine, height * fine, outlines, err);
    if (st == STN_OK && fine > 1)
        make_plain(s, rec);
    return st;
}

uint32_t stn_screen_fbo(const stn_screen *s)
{
    return s->fine > 1 ? s->plain_fbo : s->target.colour_fbo;
}

size_t stn_screen_bytes(const stn_screen *s)
{
    /* Colour, depth and, with outlines, normals: four bytes each, as drivers align them. */
    size_t fine = (size_t)s->target.width * (size_t)s->target.height * (s->target.normal ? 12 : 8);

    return (s->target.fbo ? fine : 0) + (s->plain ? (size_t)s->width * (size_t)s->height * 4 : 0);
}

uint32_t stn_screen_colour(const stn_screen *s)
{
    return s->fine > 1 ? s->plain : s->target.colour;
}
