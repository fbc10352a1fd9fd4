/* map/tileset.h - a tileset as building a cut needs it: tile images, transition masks, materials, noise,
 * flavors.
 *
 * Whoever knows the resources (world, a test) fills a stn_tileset_def; stn_tileset_new() checks it, copies it
 * and works out what depends on it alone: the atlas, the pick lists, the noise. The result never changes and
 * any number of threads may read it; the count of references belongs to one thread.
 *
 * stn_tileset_encode()/decode() carry a set between processes (the `data` of a mesh Tileset message).
 * Layout, little-endian: u8 form (1), then the fields in the order of stn_tileset_def; texts as u16 length
 * and bytes, lists as u16 count and entries, other sets as their u32 handle (0 none), which must have been
 * sent before.
 *
 * Errors  STN_BAD_DATA: sets nested too deep, mask id outside 1..15, tile images without size, a weight sum
 * over 2^31-1, too many variants, an unknown handle; STN_TOO_BIG, STN_TRUNCATED, STN_VERSION, STN_NO_MEMORY.
 * Source docs/spec/terrain-mesh.md 9; docs/spec/terrain-extras.md 1, 3; vectors terrain/prims/packing.tsv.
 */
#ifndef STN_MAP_TILESET_H
#define STN_MAP_TILESET_H

#include "base/buf.h"
#include "base/err.h"
#include "num/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_TILESET_MAX_IMAGES 4096
#define STN_TILESET_MAX_VARS 254 /* a layer number fits the low byte of an order with room for the base */
#define STN_TILESET_MAX_FLAVORS 1024
#define STN_TILESET_MAX_NAME 1024
#define STN_TILESET_MAX_NESTING                                                                              \
    16 /* a set that refers to a set that refers …: builds and frees follow the chain */
#define STN_TILESET_MAX_BYTES (1u << 20) /* of an encoded set */

/* One material of a resource. */
typedef struct stn_material {
    const char *res; /* NULL = no material at all */
    int32_t version;
    int32_t id; /* -1: the resource's first */
} stn_material;

typedef struct stn_tile_image {
    char type; /* 'g' ground, 'b' side mask, 'c' corner mask; others are only packed */
    uint8_t id; /* 'b', 'c': the mask 1..15 */
    uint16_t weight;
} stn_tile_image;

/* A variant layer: its material and the noise values lo..hi where it shows. */
typedef struct stn_tile_var {
    int32_t material;
    double lo, hi;
} stn_tile_var;

typedef struct stn_tile_flavor {
    const char *res;
    int32_t version;
    double p; /* chance on a tile; may be NaN or above 1 */
    bool ambient; /* not thinned out by the density setting */
    bool skip; /* needs code that cannot run here: keeps its place in the order and puts nothing */
} stn_tile_flavor;

typedef struct stn_tileset stn_tileset;

typedef struct stn_tileset_def {
    uint32_t handle; /* the owner's number for it in messages; not 0 where sets refer to each other */
    const char *name; /* resource name as received: it seeds the noise */
    int32_t version;
    const char *tiler; /* "gnd", "trn", "trn-r", "cave", "water" */
    uint16_t tile_w, tile_h;
    const stn_tile_image *images; /* layer order */
    size_t nimages;
    stn_material common; /* trn: outer material of all layers, and of flavors */
    stn_material base; /* trn: layer 0 */
    stn_material wall; /* trn-r: cliff; cave: wall */
    const stn_tile_var *vars; /* trn: layers 1.. */
    size_t nvars;
    float wall_height; /* trn-r: height of the cliff texture */
    int32_t break_height; /* trn-r: a step above this breaks */
    int32_t depth; /* water */
    const stn_tileset *trans; /* trn: the set whose masks lay it over others; NULL none */
    const stn_tileset *floor; /* cave: ground inside; water: bottom */
    const char *floor_tiler; /* how the floor is laid; "" = by its own tiler */
    const stn_tile_flavor *flavors;
    size_t nflavors;
} stn_tileset_def;

/* Images of one mask, to pick from by weight. */
typedef struct stn_pick_list {
    const uint16_t *image; /* into images */
    const uint16_t *weight;
    size_t n;
    int32_t total;
} stn_pick_list;

/* Where an image lies in the atlas, as texture coordinates: tex = l + w * tc. */
typedef struct stn_image_place {
    uint32_t x, y;
    float l, t, w, h;
} stn_image_place;

struct stn_tileset {
    stn_tileset_def def; /* own copies; trans and floor are held */
    size_t name_len;
    uint32_t atlas_w, atlas_h;
    const stn_image_place *places; /* nimages */
    stn_pick_list ground;
    stn_pick_list side[15], corner[15]; /* by mask - 1 */
    bool has_ground, has_sides, has_corners;
    int32_t hash; /* of the name */
    stn_noise noise;
    const double *nz; /* per variant: its plane in the noise */
    unsigned nesting; /* sets behind this one through trans and floor */
    unsigned refs;
    void *memory;
};

/* *out starts with one reference. Texts and lists are copied; trans and floor get a reference each. */
stn_status stn_tileset_new(const stn_tileset_def *def, stn_tileset **out, stn_err *err);
stn_tileset *stn_tileset_ref(stn_tileset *set);
void stn_tileset_unref(stn_tileset *set); /* NULL is fine */

/* Index of a picked image; -1 when the list has no weight. */
static inline int32_t stn_pick_image(const stn_pick_list *list, stn_j48 *r)
{
    int32_t k = stn_pick(r, list->weight, list->n, list->total);
    return k < 0 ? -1 : list->image[k];
}

/* Atlas for n images of w x h: *aw, *ah, and xy[2n] when not NULL. STN_BAD_DATA when an image finds no place.
 */
stn_status stn_atlas_pack(uint32_t w, uint32_t h, size_t n, uint32_t *aw, uint32_t *ah, uint32_t *xy,
                          stn_err *err);

/* The plane of a variant in the noise of the set with name hash `hash`. */
double stn_var_plane(int32_t hash, int32_t material);

void stn_tileset_encode(const stn_tileset *set, stn_buf *out);
/* find(arg, handle) gives a set that was decoded before, or NULL. `handle` becomes the new set's. */
stn_status stn_tileset_decode(const void *data, size_t len, uint32_t handle,
                              stn_tileset *(*find)(void *arg, uint32_t handle), void *arg, stn_tileset **out,
                              stn_err *err);

#endif
