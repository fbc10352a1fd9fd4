/* mesher/model.h - a model: the vertices and faces of one draw state in a cut, while the cut is built.
 *
 * Tilers do not write vertices one by one. They place laid parts ("this part, in this model, with this mask
 * image") and the vertices are made once all is known. What does not fit that (walls, foam) goes into a raw
 * model, which takes vertices with attributes of its own and faces.
 *
 * A shared model has one vertex per surface vertex: the first part that touches it makes it. The others make
 * fresh vertices for every part. Layer order, vertex order and face order are those of the reference and are
 * observable. Source: docs/spec/terrain-mesh.md 8, 10.9, 11; docs/spec/terrain-extras.md 2.
 */
#ifndef STN_MESHER_MODEL_H
#define STN_MESHER_MODEL_H

#include "base/arena.h"
#include "base/err.h"
#include "map/product.h"
#include "map/sheet.h"
#include "map/tileset.h"
#include "mesher/blend.h"

/* Attribute layers, by the names that the reference gives them. */
typedef enum stn_mesh_attr {
    STN_MESH_ATTR_POS,
    STN_MESH_ATTR_NRM,
    STN_MESH_ATTR_DEPTH,
    STN_MESH_ATTR_CLIP,
    STN_MESH_ATTR_TAN,
    STN_MESH_ATTR_BIT,
    STN_MESH_ATTR_TEX,
    STN_MESH_ATTR_COL,
    STN_MESH_ATTR_VERTV0,
    STN_MESH_ATTR_VERTV1,
    STN_MESH_ATTR_VERTV2,
    STN_MESH_ATTR_VERTV3,
    STN_MESH_ATTR_VIPOL,
    STN_MESH_ATTR_COUNT
} stn_mesh_attr;
const char *stn_mesh_attr_name(stn_mesh_attr a);
unsigned stn_mesh_attr_components(stn_mesh_attr a);

/* What keys a model and what the picture needs to know of it. Compared member by member; `set` and `clip` by
 * the name of their resource, since two ids with the same resource share its materials. */
typedef struct stn_state {
    stn_mesh_kind kind;
    const stn_tileset *set; /* whose material */
    const stn_tileset *clip; /* whose atlas cuts it out (skirt) or colours it (flat ground) */
    stn_material material;
    bool vertex_colour;
    bool clipped; /* flat ground with a mask image */
    bool fog; /* under water: fogged by depth and biased */
    int32_t main, order;
    int32_t owner; /* shared models of terrain: tile id of the tiler; else -1 */
    uint8_t layer;
} stn_state;

#define STN_NO_IMAGE 0xffff

typedef struct stn_place {
    uint16_t part; /* index of a laid part of the build */
    uint16_t image; /* mask or ground image of the state's `clip`, or STN_NO_IMAGE */
} stn_place;

typedef struct stn_model {
    stn_state state;
    bool raw, shared;
    /* placed models */
    const stn_blend *blend; /* terrain: weights of state.layer; NULL for flat ground */
    const float
        *depth; /* by surface vertex; NULL = no depth layer. Vertices at or behind depth_n have depth 0 */
    uint32_t depth_first, depth_n; /* which surface vertices have one */
    stn_place *places;
    uint32_t nplaces, cap_places;
    uint32_t part_vertices; /* of all placed parts: what an unshared model will have */
    /* vertices: of raw models as they are added, of placed ones after stn_model_resolve() */
    uint32_t nv, cap_v;
    uint16_t *surface; /* surface vertex */
    uint8_t *alpha; /* terrain */
    float *tile_xy; /* terrain: place in the cut, tiles */
    float *clip_uv; /* skirts: clip; flat ground: tex */
    float *extra[STN_MESH_ATTR_COUNT]; /* raw: attribute values */
    uint8_t layers[STN_MESH_ATTR_COUNT]; /* raw: attribute layers in the order of first request, behind pos
                                            and nrm */
    uint8_t nlayers;
    uint16_t *index;
    uint32_t ni, cap_i;
} stn_model;

stn_status stn_model_grow_places(stn_arena *arena, stn_model *m, stn_err *err);
/* Places a part of so many vertices. */
static inline stn_status stn_model_place(stn_arena *arena, stn_model *m, stn_place place,
                                         unsigned part_vertices, stn_err *err)
{
    if (m->nplaces == m->cap_places) {
        stn_status st = stn_model_grow_places(arena, m, err);
        if (st != STN_OK)
            return st;
    }
    m->places[m->nplaces++] = place;
    m->part_vertices += part_vertices;
    return STN_OK;
}

/* Raw models: a new vertex over a surface vertex; *number is its index. STN_TOO_BIG at the 65536th. */
stn_status stn_model_vertex(stn_arena *arena, stn_model *m, uint32_t surface, uint32_t *number, stn_err *err);
/* Sets attribute `a` (not pos or nrm) of a vertex; the first request of an attribute fixes its place in the
 * order. */
stn_status stn_model_attr(stn_arena *arena, stn_model *m, uint32_t vertex, stn_mesh_attr a,
                          const float *values, stn_err *err);
stn_status stn_model_face(stn_arena *arena, stn_model *m, uint32_t a, uint32_t b, uint32_t c, stn_err *err);

#endif
