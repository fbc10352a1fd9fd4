#include "renderer/gl/mesh.h"

#include <glad/gl.h>
#include <stdlib.h>

#define INDEX_BITS 18 /* 262,143 meshes; the rest of an id is its generation */
#define INDEX_MASK ((1u << INDEX_BITS) - 1)

struct stn_meshes {
    stn_glrec *rec;
    stn_gpu_mesh *items;
    uint16_t *generation;
    uint32_t *free_list;
    uint32_t count, cap, free_count;
    size_t live, bytes;
};

stn_meshes *stn_meshes_new(stn_glrec *rec)
{
    stn_meshes *m = calloc(1, sizeof *m);

    if (m)
        m->rec = rec;
    return m;
}

static void drop(stn_meshes *m, stn_gpu_mesh *g)
{
    stn_glrec_forget_vao(m->rec, g->vao);
    glDeleteVertexArrays(1, &g->vao);
    glDeleteBuffers(1, &g->vertex_buffer);
    glDeleteBuffers(1, &g->index_buffer);
}

void stn_meshes_free(stn_meshes *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->items[i].id)
            drop(m, &m->items[i]);
    free(m->items);
    free(m->generation);
    free(m->free_list);
    free(m);
}

static bool grow(stn_meshes *m)
{
    uint32_t cap = m->cap ? m->cap * 2 : 1024;
    void *items, *generation, *free_list;

    if (cap > INDEX_MASK + 1)
        return false;
    items = realloc(m->items, cap * sizeof *m->items);
    if (items)
        m->items = items;
    generation = realloc(m->generation, cap * sizeof *m->generation);
    if (generation)
        m->generation = generation;
    free_list = realloc(m->free_list, cap * sizeof *m->free_list);
    if (free_list)
        m->free_list = free_list;
    if (!items || !generation || !free_list)
        return false;
    for (uint32_t i = m->cap; i < cap; i++)
        m->generation[i] = 0;
    m->cap = cap;
    return true;
}

static const GLenum attr_types[] = {GL_FLOAT, GL_UNSIGNED_BYTE, GL_BYTE, GL_UNSIGNED_SHORT, GL_SHORT};

uint32_t stn_meshes_add(stn_meshes *m, const stn_mesh_desc *d)
{
    uint32_t at;
    stn_gpu_mesh *g;

    if (m->free_count > 0)
        at = m->free_list[--m->free_count];
    else {
        if (m->count == m->cap && !grow(m))
            return 0;
        at = m->count++;
    }
    g = &m->items[at];
    *g = (stn_gpu_mesh){.index_type = d->index_bytes == 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT,
                        .index_count = d->index_count,
                        .bytes =
                            (size_t)d->vertex_count * d->stride + (size_t)d->index_count * d->index_bytes};
    glGenVertexArrays(1, &g->vao);
    glGenBuffers(1, &g->vertex_buffer);
    glGenBuffers(1, &g->index_buffer);
    stn_glrec_vao(m->rec, g->vao);
    glBindBuffer(GL_ARRAY_BUFFER, g->vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)d->vertex_count * d->stride), d->vertices,
                 GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, g->index_buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)d->index_count * d->index_bytes), d->indices,
                 GL_STATIC_DRAW);
    for (uint32_t i = 0; i < d->attr_count; i++) {
        const stn_mesh_attr *a = &d->attrs[i];

        glEnableVertexAttribArray(a->slot);
        glVertexAttribPointer(a->slot, a->comps, attr_types[a->type], a->normalized ? GL_TRUE : GL_FALSE,
                              (GLsizei)d->stride, (const void *)(uintptr_t)a->offset);
    }
    m->generation[at] = (uint16_t)((m->generation[at] + 1) & 0x3fff);
    if (m->generation[at] == 0)
        m->generation[at] = 1;
    g->id = (uint32_t)m->generation[at] << INDEX_BITS | at;
    m->live++;
    m->bytes += g->bytes;
    return g->id;
}

const stn_gpu_mesh *stn_meshes_get(const stn_meshes *m, uint32_t id)
{
    uint32_t at = id & INDEX_MASK;

    return id && at < m->count && m->items[at].id == id ? &m->items[at] : NULL;
}

void stn_meshes_remove(stn_meshes *m, uint32_t id)
{
    uint32_t at = id & INDEX_MASK;

    if (!stn_meshes_get(m, id))
        return;
    drop(m, &m->items[at]);
    m->live--;
    m->bytes -= m->items[at].bytes;
    m->items[at].id = 0;
    m->free_list[m->free_count++] = at;
}

size_t stn_meshes_count(const stn_meshes *m)
{
    return m->live;
}

size_t stn_meshes_bytes(const stn_meshes *m)
{
    return m->bytes;
}
