/* Meshes of resources, made coarser. The first byte says how places are read: few and small, so that edges
 * meet, or any number; then a count of vertices, places, and pairs of texture coordinate and corners until
 * the end. Whatever comes of it is in range. */
#include "renderer/scene/simplify.h"

#include <stdlib.h>
#include <string.h>

#define TRIANGLES 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct vertex {
    float place[3], normal[3], tex[2];
};

static size_t read_vertices(struct vertex *to, size_t n, bool any, const uint8_t *data, size_t size)
{
    size_t at = 0;

    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            if (any && at + 4 <= size) {
                memcpy(&to[i].place[k], data + at, 4);
                at += 4;
            } else if (!any && at < size) {
                to[i].place[k] = (float)(int8_t)data[at++];
            }
            to[i].normal[k] = to[i].place[k];
            to[i].tex[k & 1] = (float)(i % 3);
        }
    return at;
}

static void check(const stn_mesh_desc *d, const stn_simplified *l)
{
    uint32_t before = d->index_count;

    for (uint32_t i = 0; i < l->levels.list_count; i++) {
        if (l->levels.count[i] == 0 || l->levels.count[i] % 3 != 0 || l->levels.count[i] > 0.8 * before)
            abort();
        before = l->levels.count[i];
        for (uint32_t k = 0; k < l->levels.count[i]; k++)
            if (l->indices[l->levels.first[i] + k] >= d->vertex_count ||
                l->source[(l->levels.first[i] + k) / 3] >= d->index_count / 3)
                abort();
    }
    for (int i = 1; i <= STN_MESH_LEVELS; i++)
        if (l->levels.list_of[i] < l->levels.list_of[i - 1] || l->levels.list_of[i] > l->levels.list_count)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct vertex vertices[256];
    static uint16_t indices[TRIANGLES * 3];
    stn_mesh_desc d = {.vertices = vertices,
                       .stride = sizeof *vertices,
                       .attrs = {{.slot = STN_VTX_POS, .comps = 3},
                                 {.slot = STN_VTX_NRM, .comps = 3, .offset = offsetof(struct vertex, normal)},
                                 {.slot = STN_VTX_TEX, .comps = 2, .offset = offsetof(struct vertex, tex)}},
                       .attr_count = 3,
                       .indices = indices,
                       .index_bytes = 2};
    stn_simplified l;
    size_t at;

    if (size < 2)
        return 0;
    memset(vertices, 0, sizeof vertices);
    d.vertex_count = data[1] + 1u;
    at = 2 + read_vertices(vertices, d.vertex_count, data[0] & 1, data + 2, size - 2);
    for (; at < size && d.index_count < TRIANGLES * 3; at++)
        indices[d.index_count++] = data[at];
    d.index_count -= d.index_count % 3;
    if (stn_simplify(&d, &l, NULL) == STN_OK)
        check(&d, &l);
    stn_simplified_fini(&l);
    return 0;
}
