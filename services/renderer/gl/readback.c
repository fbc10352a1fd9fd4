#include "renderer/gl/readback.h"

#include <glad/gl.h>
#include <string.h>

void stn_readback_drawn(stn_readback *b)
{
    b->fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    b->reading = false;
}

static bool passed(stn_readback *b)
{
    GLenum state = glClientWaitSync(b->fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0);

    if (state == GL_TIMEOUT_EXPIRED)
        return false;
    glDeleteSync(b->fence);
    b->fence = NULL;
    return true;
}

static void start_reading(stn_readback *b, stn_glrec *rec)
{
    size_t bytes = (size_t)b->screen.width * (size_t)b->screen.height * 4;

    if (!b->buffer)
        glGenBuffers(1, &b->buffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, b->buffer);
    if (b->bytes != bytes)
        glBufferData(GL_PIXEL_PACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_READ);
    b->bytes = bytes;
    stn_glrec_fbo(rec, stn_screen_fbo(&b->screen));
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, b->screen.width, b->screen.height, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    b->fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    b->reading = true;
}

bool stn_readback_step(stn_readback *b, stn_glrec *rec)
{
    if (b->fence && !passed(b))
        return false;
    if (!b->reading) {
        start_reading(b, rec);
        return false;
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, b->buffer);
    b->rows = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, (GLsizeiptr)b->bytes, GL_MAP_READ_BIT);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return true;
}

void stn_readback_end(stn_readback *b)
{
    if (!b->rows)
        return;
    glBindBuffer(GL_PIXEL_PACK_BUFFER, b->buffer);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    b->rows = NULL;
}

void stn_readback_fini(stn_readback *b, stn_glrec *rec)
{
    stn_readback_end(b);
    if (b->fence)
        glDeleteSync(b->fence);
    if (b->buffer)
        glDeleteBuffers(1, &b->buffer);
    stn_screen_fini(&b->screen, rec);
    memset(b, 0, sizeof *b);
}
