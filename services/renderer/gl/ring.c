#include "renderer/gl/ring.h"

#include <glad/gl.h>
#include <string.h>

static bool stays_mapped(void)
{
    return GLAD_GL_ARB_buffer_storage && glBufferStorage;
}

static void drop(stn_ring *r)
{
    if (!r->buffer)
        return;
    stn_glrec_forget_buffer(r->rec, r->buffer);
    glDeleteBuffers(1, &r->buffer); /* also unmaps; frames that read it still keep it */
    r->buffer = 0;
    r->mapped = NULL;
}

/* New storage of regions of that size; all are free. */
static void renew(stn_ring *r, size_t region_bytes)
{
    GLsizeiptr all = (GLsizeiptr)(region_bytes * STN_RING_REGIONS);
    const GLbitfield how = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;

    if (stays_mapped())
        drop(r); /* its storage cannot be replaced */
    if (!r->buffer)
        glGenBuffers(1, &r->buffer);
    glBindBuffer(r->target, r->buffer);
    if (stays_mapped()) {
        glBufferStorage(r->target, all, NULL, how);
        r->mapped = glMapBufferRange(r->target, 0, all, how);
    } else {
        glBufferData(r->target, all, NULL, GL_STREAM_DRAW);
    }
    r->region_bytes = region_bytes;
    r->region = 0;
    r->used = 0;
    r->storage++;
    memset(r->read_until, 0, sizeof r->read_until);
}

static size_t most(const stn_ring *r)
{
    return r->limit ? r->limit / STN_RING_REGIONS : SIZE_MAX / 8;
}

void stn_ring_init(stn_ring *r, stn_glrec *rec, uint32_t target, size_t region_bytes, size_t limit)
{
    *r = (stn_ring){.rec = rec, .target = target, .limit = limit};
    renew(r, region_bytes < most(r) ? region_bytes : most(r));
}

void stn_ring_fini(stn_ring *r)
{
    if (r->rec)
        drop(r);
}

/* Where in its region the next bytes begin, as a place in the buffer that is a multiple of `align`. */
static size_t start_of(const stn_ring *r, size_t align)
{
    size_t at = r->region * r->region_bytes + r->used;

    return (at + align - 1) / align * align;
}

static bool fits(const stn_ring *r, size_t bytes, size_t align)
{
    return start_of(r, align) + bytes <= (r->region + 1) * r->region_bytes;
}

/* So that `bytes` fit into a region that no frame reads. */
static void make_room(stn_ring *r, size_t bytes, size_t align)
{
    uint64_t mine = r->rec->frames_given + 1; /* the frame that is being made */
    bool counted = r->rec->frames_given > 0;
    size_t size = r->region_bytes;

    /* A frame goes on where it was, as long as there is room. */
    if (r->read_until[r->region] == mine && fits(r, bytes, align))
        return;
    if (r->read_until[r->region] != 0) {
        r->region = (r->region + 1) % STN_RING_REGIONS;
        r->used = 0;
    }
    if (r->read_until[r->region] <= r->rec->frames_done && fits(r, bytes, align))
        return;
    while (size < 2 * (bytes + align))
        size *= 2;
    /* One frame took all regions: the next time one holds what it writes. */
    if (counted && size == r->region_bytes && r->read_until[r->region] == mine)
        size *= 2;
    renew(r, size < most(r) ? size : most(r));
}

void *stn_ring_begin(stn_ring *r, size_t bytes, size_t align, size_t *offset)
{
    uint8_t *to;

    if (bytes == 0 || bytes + align > most(r))
        return NULL;
    make_room(r, bytes, align);
    *offset = start_of(r, align);
    if (r->mapped) {
        to = r->mapped + *offset;
    } else {
        glBindBuffer(r->target, r->buffer);
        to = glMapBufferRange(r->target, (GLintptr)*offset, (GLsizeiptr)bytes,
                              GL_MAP_WRITE_BIT | GL_MAP_UNSYNCHRONIZED_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
        r->open = to != NULL;
    }
    r->used = *offset + bytes - r->region * r->region_bytes;
    r->read_until[r->region] = r->rec->frames_given + 1;
    return to;
}

void stn_ring_end(stn_ring *r)
{
    if (!r->open)
        return;
    glBindBuffer(r->target, r->buffer);
    glUnmapBuffer(r->target);
    r->open = false;
}
