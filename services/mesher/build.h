/* mesher/build.h - builds one cut: a pure function from a job to a result.
 *
 * stn_build_run() walks the job's tiles with their tilers and leaves a stn_build in the scratch's arena: the
 * surface, what was laid over each tile, and the models in the order in which they were first asked for. It
 * is valid until the scratch is used again. What comes out of it: the exact f32 arrays (mesher/exact.h) and
 * the compact product (mesher/pack.h). No sockets, no clock, no globals; one scratch per thread; the block
 * cache is shared.
 *
 * Errors (their text begins with these words): "map loading", a window too small; "undefined tile", a tile id
 * of the cut without a set; "empty weight list", a pick from nothing; "bad tileset"; "too many vertices"; out
 * of memory. A neighbour id without a set is skipped silently.
 *
 * Source: docs/spec/terrain-mesh.md 6, 14, 17; docs/spec/terrain-extras.md 2; vectors terrain.
 */
#ifndef STN_MESHER_BUILD_H
#define STN_MESHER_BUILD_H

#include "mesher/job.h"
#include "mesher/model.h"

typedef struct stn_build stn_build;
typedef struct stn_tiler stn_tiler;

/* ---- the interface of a tiler
 *
 * One kind per tiler name, one stn_tiler per tile id and build. Hooks may be NULL. They run in the order of
 * spec 6: every `begin`; pass one: `model` for each tile of the cut; then the surface is closed and has
 * normals; pass two: for each tile `lay`, then the transitions of its neighbours (`trans`). No tiler of the
 * registry draws random numbers from the pass generator in model or lay, so only `trans` gets it.
 */
typedef struct stn_tiler_kind {
    const char *name;
    /* Once for every id that occurs in the cut or its one-tile border. */
    stn_status (*begin)(stn_build *b, stn_tiler *t);
    /* Pass one. May add surface vertices and faces, and set what is laid over the tile (stn_build_set_part).
     * NULL: the flat model, see stn_build_flat_model(). */
    stn_status (*model)(stn_build *b, stn_tiler *t, int x, int y);
    /* Pass two: the tile's own ground. `part` is the laid part to cover: the tile's own (x + 25 y), or
     * another one of the build when this tiler serves as floor of another. */
    stn_status (*lay)(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog);
    /* Pass two: lays this tiler's edge over the tile (x, y) of tiler `ground`, for the sides in bm (W 1, N 2,
     * E 4, S 8) and the corners in cm (NW 1, NE 2, SE 4, SW 8), with order z. Nothing when ground->id <=
     * t->id. */
    stn_status (*trans)(stn_build *b, stn_tiler *t, stn_tiler *ground, int x, int y, int32_t z, unsigned bm,
                        unsigned cm, stn_j48 *r);
    /* An edge as above for a caller that lays the ground itself: over `part`, with draws of its own (rnd of
     * the tile). NULL: this tiler makes no edges for callers. */
    stn_status (*skirt)(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog, int32_t z,
                        unsigned bm, unsigned cm);
    uint8_t click; /* bucket of the click mesh: 0 ordinary, 1 water */
    bool water_window; /* reads the larger window */
} stn_tiler_kind;

/* The registry, by the tileset's tiler name; NULL when there is no such tiler. */
const stn_tiler_kind *stn_tiler_kind_named(const char *name);

struct stn_tiler {
    const stn_tiler_kind *kind;
    const stn_tileset *set;
    uint16_t id;
    bool in_cut; /* occurs in the cut itself, not only in its border */
    stn_blend_area area; /* tiles of the cut that may show its layers */
    stn_blend *blend; /* made by stn_terrain_blend() when first needed */
    stn_model **models[4]; /* terrain: by layer: ground, ground under fog, skirt, skirt under fog */
    stn_model *flat[2][2]; /* flat ground: ground or skirt, unclipped or clipped: the last one used */
    void *own; /* the kind's own, in the arena */
};

/* ---- a build under way */

struct stn_build {
    const stn_job *job;
    stn_arena *arena;
    stn_blocks *blocks;
    const stn_kernels *kernels;
    stn_err *err;
    stn_coord ul; /* world tile of the cut */
    int64_t mesh_seed;

    uint16_t id[STN_GROUND_SPLITS * STN_GROUND_SPLITS]; /* tiles -1..25: stn_ring_tile() */
    uint16_t slot[STN_GROUND_SPLITS * STN_GROUND_SPLITS]; /* tiler of each, or STN_NO_TILER */
    float z[STN_GROUND_VERTICES]; /* drawn heights of corners -1..26: stn_ground_vertex() */
    uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS];

    stn_tiler *tilers;
    unsigned ntilers;

    /* The surface. Faces are kept only when some tiler has a model of its own (`shaped`). */
    bool shaped;
    stn_vec3 *pos, *nrm;
    uint32_t nv, cap_v;
    uint32_t *faces; /* three vertex numbers each */
    uint32_t nfaces, cap_faces;

    /* Laid parts: 0..624 by tile x + 25 y (NULL: the plain quad), then those that tilers added. */
    const stn_part **parts;
    uint32_t nparts, cap_parts;
    const stn_part **walls; /* by tile: what follows in the click mesh; NULL when there is none in the cut */

    /* Depth of water above surface vertices depth_first.. (its bottom), for tilers laid with `fog`. */
    const float *depth;
    uint32_t depth_first, depth_n;

    stn_model **models; /* in creation order */
    uint32_t nmodels, cap_models;
};

#define STN_NO_TILER 0xffff
#define STN_CUT_AREA (STN_CUT_TILES * STN_CUT_TILES)

typedef struct stn_scratch stn_scratch;
/* max_bytes bounds the arena (0: the default). NULL when out of memory. */
stn_scratch *stn_scratch_new(size_t max_bytes);
void stn_scratch_free(stn_scratch *s);
size_t stn_scratch_peak(const stn_scratch *s); /* most bytes that one job took */
size_t stn_scratch_size(const stn_scratch *s); /* bytes held */
/* Bytes for what is made of a build, until the scratch is used again. */
stn_arena *stn_scratch_arena(stn_scratch *s);

/* kernels NULL: the best. *out is NULL on error. */
stn_status stn_build_run(stn_scratch *s, stn_blocks *blocks, const stn_kernels *kernels, const stn_job *job,
                         stn_build **out, stn_err *err);

/* What overlays, grid lines and the click mesh are made from. */
stn_laid stn_build_laid(const stn_build *b);
/* Click bucket of each tile. */
void stn_build_click_buckets(const stn_build *b, uint8_t out[STN_CUT_AREA]);

/* ---- for tilers */

/* As streamed, whatever the flat switch says; STN_BAD_DATA "map loading" outside the window. */
stn_status stn_build_height(const stn_build *b, int x, int y, float *z);
stn_status stn_build_tile(const stn_build *b, int x, int y, uint16_t *id);
/* Tiler of tile (x, y), -1..25; NULL when its id has none. */
static inline stn_tiler *stn_build_tiler_at(const stn_build *b, int x, int y)
{
    uint16_t s = b->slot[stn_ring_tile(x, y)];
    return s == STN_NO_TILER ? NULL : &b->tilers[s];
}
/* Set of any id, for windows larger than the border; NULL when it has none. */
const stn_tileset *stn_build_set_of(const stn_build *b, uint16_t id);

/* Pass one: surface vertices and faces. STN_TOO_BIG past 65535 vertices. */
stn_status stn_build_vertex(stn_build *b, stn_vec3 pos, uint32_t *number);
stn_status stn_build_face(stn_build *b, uint32_t v0, uint32_t v1, uint32_t v2);
stn_status stn_build_flat_model(stn_build *b, int x, int y);

/* A part in the arena with room for nv vertices and nf index entries; f is 0 when empty. */
stn_part *stn_build_new_part(stn_build *b, int x, int y, unsigned nv, unsigned nf);
/* What is laid over tile (x, y) instead of the plain quad, and the wall behind it (NULL none). */
stn_status stn_build_set_part(stn_build *b, int x, int y, const stn_part *part, const stn_part *wall);
/* A further part to place; *index is its number. */
stn_status stn_build_add_part(stn_build *b, const stn_part *part, uint16_t *index);
/* Part by number; plain quads are written to *quad. */
const stn_part *stn_build_part(const stn_build *b, uint16_t index, stn_quad *quad);

/* The model of a state: found or made. */
stn_status stn_build_model(stn_build *b, const stn_state *state, bool raw, bool shared, stn_model **out);

/* A tiler that is not bound to a tile id of its own: floor of a cave, bottom of a water. */
stn_status stn_build_floor(stn_build *b, const stn_tileset *set, const char *tiler_name, uint16_t id,
                           stn_tiler **out);

/* The terrain's layers, shared by `trn` and those that build on it. */
stn_status stn_terrain_blend(stn_build *b, stn_tiler *t);
stn_status stn_terrain_lay(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog);
stn_status stn_terrain_trans(stn_build *b, stn_tiler *t, stn_tiler *ground, int x, int y, int32_t z,
                             unsigned bm, unsigned cm, stn_j48 *r);
stn_status stn_terrain_skirt(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog, int32_t z,
                             unsigned bm, unsigned cm);

extern const stn_tiler_kind stn_tiler_terrain, stn_tiler_flat, stn_tiler_cave;

#endif
