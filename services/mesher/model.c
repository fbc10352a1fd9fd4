#include "mesher/model.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned components;
} attrs[STN_MESH_ATTR_COUNT] = {
    [STN_MESH_ATTR_POS] = {"pos", 3},       [STN_MESH_ATTR_NRM] = {"nrm", 3},
    [STN_MESH_ATTR_DEPTH] = {"depth", 1},   [STN_MESH_ATTR_CLIP] = {"clip", 2},
    [STN_MESH_ATTR_TAN] = {"tan", 3},       [STN_MESH_ATTR_BIT] = {"bit", 3},
    [STN_MESH_ATTR_TEX] = {"tex", 2},       [STN_MESH_ATTR_COL] = {"col", 4},
    [STN_MESH_ATTR_VERTV0] = {"vertv0", 2}, [STN_MESH_ATTR_VERTV1] = {"vertv1", 2},
    [STN_MESH_ATTR_VERTV2] = {"vertv2", 2}, [STN_MESH_ATTR_VERTV3] = {"vertv3", 2},
    [STN_MESH_ATTR_VIPOL] = {"vipol", 2},
};

const char *stn_mesh_attr_name(stn_mesh_attr a)
{
    return attrs[a].name;
}

unsigned stn_mesh_attr_components(stn_mesh_attr a)
{
    return attrs[a].components;
}

static stn_status no_room(stn_err *err)
{
    return stn_fail(err, STN_NO_MEMORY, "the job needs more memory than one build may take");
}

/* Doubles a table in the arena; the old one stays behind until the arena is reset. */
static bool grow(stn_arena *arena, void **table, size_t used, size_t cap, size_t size)
{
    void *bigger = stn_arena_array(arena, cap, size);
    if (!bigger)
        return false;
    if (used)
        memcpy(bigger, *table, used * size);
    *table = bigger;
    return true;
}

stn_status stn_model_grow_places(stn_arena *arena, stn_model *m, stn_err *err)
{
    uint32_t cap = m->cap_places ? m->cap_places * 2 : 64;
    if (!grow(arena, (void **)&m->places, m->nplaces, cap, sizeof *m->places))
        return no_room(err);
    m->cap_places = cap;
    return STN_OK;
}

stn_status stn_model_vertex(stn_arena *arena, stn_model *m, uint32_t surface, uint32_t *number, stn_err *err)
{
    if (m->nv >= 65535)
        return stn_fail(err, STN_TOO_BIG, "too many vertices in a mesh: indices have 16 bits");
    if (m->nv == m->cap_v) {
        uint32_t cap = m->cap_v ? m->cap_v * 2 : 64;
        if (!grow(arena, (void **)&m->surface, m->nv, cap, sizeof *m->surface))
            return no_room(err);
        for (unsigned i = 0; i < m->nlayers; i++) {
            unsigned a = m->layers[i];
            size_t size = attrs[a].components * sizeof(float);
            void *table = m->extra[a];
            if (!grow(arena, &table, m->nv, cap, size))
                return no_room(err);
            m->extra[a] = table;
        }
        m->cap_v = cap;
    }
    /* An attribute that a later vertex does not set is 0 there. */
    for (unsigned i = 0; i < m->nlayers; i++) {
        unsigned a = m->layers[i], n = attrs[a].components;
        memset(m->extra[a] + (size_t)m->nv * n, 0, n * sizeof(float));
    }
    m->surface[m->nv] = (uint16_t)surface;
    *number = m->nv++;
    return STN_OK;
}

stn_status stn_model_attr(stn_arena *arena, stn_model *m, uint32_t vertex, stn_mesh_attr a,
                          const float *values, stn_err *err)
{
    unsigned n = attrs[a].components;

    if (!m->extra[a]) {
        if (!(m->extra[a] = stn_arena_zalloc(arena, m->cap_v, n * sizeof(float))))
            return no_room(err);
        m->layers[m->nlayers++] = (uint8_t)a;
    }
    memcpy(m->extra[a] + (size_t)vertex * n, values, n * sizeof(float));
    return STN_OK;
}

stn_status stn_model_face(stn_arena *arena, stn_model *m, uint32_t a, uint32_t b, uint32_t c, stn_err *err)
{
    if (m->ni + 3 > m->cap_i) {
        uint32_t cap = m->cap_i ? m->cap_i * 2 : 96;
        if (!grow(arena, (void **)&m->index, m->ni, cap, sizeof *m->index))
            return no_room(err);
        m->cap_i = cap;
    }
    m->index[m->ni] = (uint16_t)a;
    m->index[m->ni + 1] = (uint16_t)b;
    m->index[m->ni + 2] = (uint16_t)c;
    m->ni += 3;
    return STN_OK;
}
