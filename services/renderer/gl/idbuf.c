#include "renderer/gl/idbuf.h"

#include "base/bytes.h"
#include "renderer/gl/target.h"

#include <glad/gl.h>
#include <string.h>

static void attach(GLenum where, uint32_t name)
{
    glFramebufferTexture2D(GL_FRAMEBUFFER, where, GL_TEXTURE_2D, name, 0);
}

stn_status stn_idbuf_init(stn_idbuf *b, stn_glrec *rec, int width, int height, stn_err *err)
{
    static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    bool complete;

    memset(b, 0, sizeof *b);
    b->width = width;
    b->height = height;
    b->land = stn_target_texture(rec, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, width, height);
    b->place = stn_target_texture(rec, GL_RG16, GL_RG, GL_UNSIGNED_SHORT, width, height);
    b->thing = stn_target_texture(rec, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, width, height);
    b->depth =
        stn_target_texture(rec, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, width, height);
    glGenFramebuffers(1, &b->land_fbo);
    glGenFramebuffers(1, &b->thing_fbo);
    stn_glrec_fbo(rec, b->land_fbo);
    attach(GL_COLOR_ATTACHMENT0, b->land);
    attach(GL_COLOR_ATTACHMENT1, b->place);
    attach(GL_DEPTH_ATTACHMENT, b->depth);
    glDrawBuffers(2, both);
    complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    stn_glrec_fbo(rec, b->thing_fbo);
    attach(GL_COLOR_ATTACHMENT0, b->thing);
    attach(GL_DEPTH_ATTACHMENT, b->depth);
    if (complete && glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return STN_OK;
    stn_idbuf_fini(b, rec);
    return stn_fail(err, STN_UNSUPPORTED, "the driver cannot draw numbers of things into a %dx%d picture",
                    width, height);
}

void stn_idbuf_fini(stn_idbuf *b, stn_glrec *rec)
{
    uint32_t *const textures[] = {&b->land, &b->place, &b->thing, &b->depth};

    for (size_t i = 0; i < sizeof textures / sizeof textures[0]; i++)
        stn_target_drop_texture(rec, textures[i]);
    stn_target_drop_fbo(rec, &b->land_fbo);
    stn_target_drop_fbo(rec, &b->thing_fbo);
    memset(b, 0, sizeof *b);
}

bool stn_idbuf_draw(stn_idbuf *b, stn_glrec *rec, stn_view *v, const stn_frame *frame, int x, int y,
                    int picture_width, int picture_height)
{
    static const GLfloat nothing[4] = {0.0f, 0.0f, 0.0f, 0.0f}, far = 1.0f;
    bool ready;

    /* The viewport is that of the whole picture, moved by whole pixels: rounding stays the same. */
    stn_glrec_viewport(rec, -x, y + b->height - picture_height, picture_width, picture_height);
    stn_glrec_colour_mask(rec, 0, true);
    stn_glrec_colour_mask(rec, 1, true);
    stn_glrec_depth(rec, true, GL_LEQUAL, true);
    stn_glrec_fbo(rec, b->land_fbo);
    glClearBufferfv(GL_COLOR, 0, nothing);
    glClearBufferfv(GL_COLOR, 1, nothing);
    glClearBufferfv(GL_DEPTH, 0, &far);
    ready = stn_view_draw_ids(v, frame, STN_DRAW_LAND);
    stn_glrec_fbo(rec, b->thing_fbo);
    glClearBufferfv(GL_COLOR, 0, nothing);
    return stn_view_draw_ids(v, frame, STN_DRAW_THING) && ready;
}

static size_t plane_bytes(int width, int height)
{
    return (size_t)width * (size_t)height * 4;
}

size_t stn_idbuf_bytes(const stn_idbuf *b)
{
    return 3 * plane_bytes(b->width, b->height);
}

void stn_idbuf_read(const stn_idbuf *b, stn_glrec *rec, void *to)
{
    size_t plane = plane_bytes(b->width, b->height);
    uintptr_t at = (uintptr_t)to;

    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    stn_glrec_fbo(rec, b->land_fbo);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glReadPixels(0, 0, b->width, b->height, GL_RGBA, GL_UNSIGNED_BYTE, (void *)at);
    glReadBuffer(GL_COLOR_ATTACHMENT1);
    glReadPixels(0, 0, b->width, b->height, GL_RG, GL_UNSIGNED_SHORT, (void *)(at + plane));
    stn_glrec_fbo(rec, b->thing_fbo);
    glReadPixels(0, 0, b->width, b->height, GL_RGBA, GL_UNSIGNED_BYTE, (void *)(at + 2 * plane));
}

static uint32_t number(const uint8_t *p)
{
    return stn_ld32(p) & 0xffffff;
}

stn_idpixel stn_idbuf_at(const uint8_t *data, int width, int height, int x, int y)
{
    size_t at = ((size_t)(height - 1 - y) * (size_t)width + (size_t)x) * 4;
    size_t plane = plane_bytes(width, height);
    const uint8_t *place = data + plane + at;
    stn_idpixel out = {.land = number(data + at), .thing = number(data + 2 * plane + at)};

    /* The words are as the driver packs them: in the machine's own order. */
    uint16_t words[2];

    memcpy(words, place, sizeof words);
    out.x = words[0] / 65535.0;
    out.y = words[1] / 65535.0;
    return out;
}
