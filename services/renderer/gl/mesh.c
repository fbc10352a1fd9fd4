#include "renderer/gl/mesh.h"

#include <glad/gl.h>
#include <stdlib.h>

#define INDEX_BITS 18 /* 262,143 meshes; the rest of an id is its generation */
#define INDEX_MASK ((1u << INDEX_BITS) - 1)

/* Buffers that several meshes share, and how many still do. */
struct group {
    uint32_t vertex_buffer, index_buffer, uses;
};

struct stn_meshes {
    stn_glrec *rec;
    struct group *groups; /* group - 1 */
    uint32_t group_cap;
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
    if (g->morph) {
        stn_glrec_forget_texture(m->rec, g->morph);
        glDeleteTextures(1, &g->morph);
    }
    if (g->group && --m->groups[g->group - 1].uses > 0)
        return;
    if (!g->full_count) /* the vertices of a level are those of its mesh */
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
    free(m->groups);
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

static const GLenum attr_types[] = {GL_FLOAT,      GL_UNSIGNED_BYTE,     GL_BYTE, GL_UNSIGNED_SHORT, GL_SHORT,
                                    GL_HALF_FLOAT, GL_INT_2_10_10_10_REV};

/* A fresh entry, its id made but not its GL objects. NULL: no room. */
static stn_gpu_mesh *take_entry(stn_meshes *m)
{
    uint32_t at;

    if (m->free_count > 0)
        at = m->free_list[--m->free_count];
    else {
        if (m->count == m->cap && !grow(m))
            return NULL;
        at = m->count++;
    }
    m->generation[at] = (uint16_t)((m->generation[at] + 1) & 0x3fff);
    if (m->generation[at] == 0)
        m->generation[at] = 1;
    m->items[at] = (stn_gpu_mesh){.id = (uint32_t)m->generation[at] << INDEX_BITS | at};
    m->live++;
    return &m->items[at];
}

static void attributes(const stn_mesh_attr *attrs, uint32_t count, uint32_t stride)
{
    for (uint32_t i = 0; i < count; i++) {
        const stn_mesh_attr *a = &attrs[i];

        glEnableVertexAttribArray(a->slot);
        glVertexAttribPointer(a->slot, a->comps, attr_types[a->type], a->normalized ? GL_TRUE : GL_FALSE,
                              (GLsizei)stride, (const void *)(uintptr_t)a->offset);
    }
}

static uint32_t filled_buffer(GLenum target, const void *data, size_t bytes)
{
    uint32_t name;

    glGenBuffers(1, &name);
    glBindBuffer(target, name);
    glBufferData(target, (GLsizeiptr)bytes, data, GL_STATIC_DRAW);
    return name;
}

uint32_t stn_meshes_add(stn_meshes *m, const stn_mesh_desc *d)
{
    stn_gpu_mesh *g = take_entry(m);

    if (!g)
        return 0;
    g->index_type = d->index_bytes == 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT;
    g->index_count = d->index_count;
    g->primitive = GL_TRIANGLES;
    g->bytes = (size_t)d->vertex_count * d->stride + (size_t)d->index_count * d->index_bytes;
    glGenVertexArrays(1, &g->vao);
    stn_glrec_vao(m->rec, g->vao);
    g->vertex_buffer = filled_buffer(GL_ARRAY_BUFFER, d->vertices, (size_t)d->vertex_count * d->stride);
    g->index_buffer =
        filled_buffer(GL_ELEMENT_ARRAY_BUFFER, d->indices, (size_t)d->index_count * d->index_bytes);
    attributes(d->attrs, d->attr_count, d->stride);
    m->bytes += g->bytes;
    return g->id;
}

void stn_meshes_animate(stn_meshes *m, uint32_t id, const stn_mesh_morph *morph)
{
    stn_gpu_mesh *g = stn_meshes_get(m, id) ? &m->items[id & INDEX_MASK] : NULL;
    size_t bytes = (size_t)morph->width * morph->height * 6;

    if (!g || g->morph || !morph->texels)
        return;
    glGenTextures(1, &g->morph);
    stn_glrec_texture(m->rec, 0, GL_TEXTURE_2D, g->morph, 0);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 2); /* three half floats a texel, rows without padding */
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB16F, (GLsizei)morph->width, (GLsizei)morph->height, 0, GL_RGB,
                 GL_HALF_FLOAT, morph->texels);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    g->bytes += bytes;
    m->bytes += bytes;
}

static uint32_t take_group(stn_meshes *m)
{
    uint32_t at = 0;

    while (at < m->group_cap && m->groups[at].uses > 0)
        at++;
    if (at == m->group_cap) {
        uint32_t cap = m->group_cap ? m->group_cap * 2 : 64;
        struct group *p = realloc(m->groups, cap * sizeof *p);

        if (!p)
            return 0;
        for (uint32_t i = m->group_cap; i < cap; i++)
            p[i].uses = 0;
        m->groups = p;
        m->group_cap = cap;
    }
    return at + 1;
}

bool stn_meshes_add_parts(stn_meshes *m, const void *vertices, size_t vertex_bytes, const void *indices,
                          size_t index_bytes, const stn_mesh_part *parts, uint32_t count, uint32_t *ids)
{
    uint32_t group = take_group(m);
    struct group *shared;

    if (!group || count == 0)
        return false;
    shared = &m->groups[group - 1];
    stn_glrec_vao(m->rec, 0); /* an index buffer binds to the vertex array that is bound */
    shared->vertex_buffer = filled_buffer(GL_ARRAY_BUFFER, vertices, vertex_bytes);
    glGenBuffers(1, &shared->index_buffer);
    for (uint32_t i = 0; i < count; i++) {
        stn_gpu_mesh *g = take_entry(m);

        if (!g) {
            while (i-- > 0)
                stn_meshes_remove(m, ids[i]);
            return false;
        }
        g->group = group;
        g->index_type = GL_UNSIGNED_SHORT;
        g->index_count = parts[i].index_count;
        g->primitive = parts[i].lines ? GL_LINES : GL_TRIANGLES;
        g->first_index_byte = parts[i].first_index * 2;
        g->base_vertex = (int32_t)parts[i].base_vertex;
        g->bytes = (vertex_bytes + index_bytes) / count;
        g->vertex_buffer = shared->vertex_buffer;
        g->index_buffer = shared->index_buffer;
        glGenVertexArrays(1, &g->vao);
        stn_glrec_vao(m->rec, g->vao);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, shared->index_buffer);
        if (i == 0)
            glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)index_bytes, indices, GL_STATIC_DRAW);
        attributes(parts[i].attrs, parts[i].attr_count, parts[i].stride);
        m->bytes += g->bytes;
        shared->uses++;
        ids[i] = g->id;
    }
    return true;
}

void stn_meshes_measure(stn_meshes *m, uint32_t id, float diameter)
{
    if (stn_meshes_get(m, id))
        m->items[id & INDEX_MASK].diameter = diameter;
}

void stn_meshes_asked(stn_meshes *m, uint32_t id)
{
    if (stn_meshes_get(m, id) && m->items[id & INDEX_MASK].asked == STN_LEVELS_UNKNOWN)
        m->items[id & INDEX_MASK].asked = STN_LEVELS_ASKED;
}

/* A mesh over the vertices of another, whose indices are one list of the group's buffer. The first fills it.
 */
static uint32_t add_list(stn_meshes *m, uint32_t of, uint32_t group, const stn_mesh_levels *l, uint32_t list)
{
    stn_gpu_mesh *g = take_entry(m);
    const stn_gpu_mesh *full = &m->items[of & INDEX_MASK]; /* taking one may have moved it */
    size_t bytes = (size_t)l->index_count * full->source.index_bytes;
    struct group *shared = &m->groups[group - 1];

    if (!g)
        return 0;
    glGenVertexArrays(1, &g->vao);
    stn_glrec_vao(m->rec, g->vao);
    if (shared->uses == 0)
        shared->index_buffer = filled_buffer(GL_ELEMENT_ARRAY_BUFFER, l->indices, bytes);
    else
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, shared->index_buffer);
    glBindBuffer(GL_ARRAY_BUFFER, full->vertex_buffer);
    attributes(full->source.attrs, full->source.attr_count, full->source.stride);
    shared->uses++;
    g->group = group;
    g->index_buffer = shared->index_buffer;
    g->vertex_buffer = full->vertex_buffer;
    g->index_type = full->index_type;
    g->index_count = l->count[list];
    g->full_count = full->index_count;
    g->primitive = full->primitive;
    g->first_index_byte = l->first[list] * full->source.index_bytes;
    g->bytes = bytes / l->list_count;
    m->bytes += g->bytes;
    return g->id;
}

void stn_meshes_add_levels(stn_meshes *m, uint32_t id, const stn_mesh_levels *levels)
{
    const stn_gpu_mesh *g = stn_meshes_get(m, id);
    uint32_t ids[STN_MESH_LEVELS] = {0}, group;

    if (!g || g->asked == STN_LEVELS_KNOWN)
        return;
    m->items[id & INDEX_MASK].asked = STN_LEVELS_KNOWN;
    if (levels->list_count == 0 || levels->list_count > STN_MESH_LEVELS || !g->source.vertices ||
        (group = take_group(m)) == 0)
        return;
    for (uint32_t i = 0; i < levels->list_count; i++)
        ids[i] = add_list(m, id, group, levels, i);
    for (int i = 0; i < STN_MESH_LEVELS; i++)
        if (levels->list_of[i + 1])
            m->items[id & INDEX_MASK].level[i] = ids[levels->list_of[i + 1] - 1];
}

const stn_gpu_mesh *stn_meshes_get(const stn_meshes *m, uint32_t id)
{
    uint32_t at = id & INDEX_MASK;

    return id && at < m->count && m->items[at].id == id ? &m->items[at] : NULL;
}

void stn_meshes_keep(stn_meshes *m, uint32_t id, const stn_mesh_view *source)
{
    if (stn_meshes_get(m, id))
        m->items[id & INDEX_MASK].source = *source;
}

void stn_meshes_remove(stn_meshes *m, uint32_t id)
{
    uint32_t at = id & INDEX_MASK;

    if (!stn_meshes_get(m, id))
        return;
    for (int i = 0; i < STN_MESH_LEVELS; i++)
        stn_meshes_remove(m,
                          m->items[at].level[i]); /* levels have none of their own; one may be there twice */
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
