/* map/product.h - the mesh of a cut as it travels from mesher to renderer, in one block of bytes that needs
 * no further work before upload.
 *
 * Little-endian. A header, then sections at the offsets it gives:
 *   names     the resources that meshes name: i32 version, u16 length, bytes
 *   meshes    one record of STN_PRODUCT_MESH bytes each, in drawing-state creation order
 *   vertices  interleaved, by each mesh's format; a mesh starts at a multiple of its stride, so that one
 * buffer serves the whole cut with `first_vertex` as base vertex indices   u16 triangles, from 0 in each mesh
 *   clicks    79 bytes: bit x + 25 y set = the tile is in the click bucket of water
 *   shapes    only for cuts with tiles that are no plain quads: what overlays, grid lines and clicks need of
 * them
 *
 * Positions: (x * scale, y * scale, z) with the format's scale; on the tile grid x and y are bytes, height is
 * f32, exact. Texture coordinates of terrain are place / 6.25 tiles and are made in the shader, as are
 * tangents: tan = normalize((0,1,0) x n), bit = normalize(n x (1,0,0)). Normals are means shorter than 1,
 * three signed 10-bit parts. A decoded product is checked whole: every offset, count, format and index. What
 * is not known is STN_VERSION.
 *
 * Source: docs/design.md 5.3; docs/spec/terrain-mesh.md 8, 15.
 */
#ifndef STN_MAP_PRODUCT_H
#define STN_MAP_PRODUCT_H

#include "base/err.h"
#include "map/sheet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_PRODUCT_FORMAT 1
#define STN_PRODUCT_MAX_BYTES (64u << 20)
#define STN_PRODUCT_MAX_MESHES 8192
#define STN_PRODUCT_MAX_NAMES 4096
#define STN_PRODUCT_NO_NAME 0xffff
#define STN_PRODUCT_CLICK_BYTES 79

typedef enum stn_mesh_kind {
    STN_MESH_GROUND = 1, /* a layer of terrain */
    STN_MESH_SKIRT = 2, /* a layer of terrain laid over others, cut out by a mask image */
    STN_MESH_FLAT = 3, /* flat ground coloured by an image */
    STN_MESH_WALL = 4, /* cliff */
    STN_MESH_CAVE = 5, /* cave wall */
    STN_MESH_WATER = 6, /* water surface */
    STN_MESH_FOAM = 7, /* foam on it */
    STN_MESH_KINDS
} stn_mesh_kind;

/* ---- vertex formats */

typedef enum stn_vertex_format {
    STN_VERTEX_GRID = 1, /* on the tile grid: 12 bytes */
    STN_VERTEX_MASKED = 2, /* with atlas coordinates: 16 */
    STN_VERTEX_BED = 3, /* with atlas coordinates and depth: 20 */
    STN_VERTEX_FREE = 4, /* off the grid, over broken ground: 28 */
    STN_VERTEX_WALL = 5, /* off the grid, with texture coordinates of its own: 24 */
    STN_VERTEX_FOAM = 6, /* on the grid, with four flows: 28 */
    STN_VERTEX_FORMATS
} stn_vertex_format;

typedef enum stn_vertex_use {
    STN_USE_XY, /* place, times the format's xy_scale */
    STN_USE_Z, /* height, map units */
    STN_USE_NORMAL,
    STN_USE_ALPHA, /* 0..1 */
    STN_USE_TILE, /* place in the cut in tiles: / 6.25 is the terrain's texture coordinate */
    STN_USE_ATLAS, /* coordinate in the mask or ground atlas */
    STN_USE_DEPTH, /* of water above, map units */
    STN_USE_TEX, /* texture coordinate */
    STN_USE_FLOW0,
    STN_USE_FLOW1,
    STN_USE_FLOW2,
    STN_USE_FLOW3, /* flow at corner 0..3 of the tile: x, y */
    STN_USE_CORNER, /* place in the tile, 0 or 1 both ways */
    STN_VERTEX_USES
} stn_vertex_use;

typedef enum stn_vertex_type {
    STN_TYPE_U8,
    STN_TYPE_U16,
    STN_TYPE_F16,
    STN_TYPE_F32,
    STN_TYPE_S10X3
} stn_vertex_type;

typedef struct stn_vertex_attr {
    uint8_t use, type, components, offset;
    bool normalised; /* U8: v / 255; S10X3: max(v / 511, -1) */
    float scale; /* what the value is multiplied by besides */
} stn_vertex_attr;

typedef struct stn_vertex_layout {
    const char *name;
    uint8_t stride, nattrs;
    float x_scale, y_scale; /* of STN_USE_XY: 11, -11 on the grid; 1, 1 off it */
    stn_vertex_attr attr[9];
} stn_vertex_layout;

/* NULL for a number that is no format. */
const stn_vertex_layout *stn_vertex_layout_of(unsigned format);

/* One attribute of a vertex as floats (up to 3): the plain reading, for tests and tools. 0 when the layout
 * has none. */
unsigned stn_vertex_read(const stn_vertex_layout *l, const uint8_t *vertex, stn_vertex_use use, float out[3]);

/* ---- a product */

typedef struct stn_product_mesh {
    uint8_t kind; /* stn_mesh_kind */
    uint8_t layer; /* terrain: 0 base, then the variants */
    uint8_t format; /* stn_vertex_format */
    bool clipped, fog;
    uint16_t tile; /* tile id whose tiler made it; 0xffff: shared by all of the resource */
    uint16_t material_name, common_name, atlas_name; /* into names, or STN_PRODUCT_NO_NAME */
    int32_t material, common; /* material ids; -1 = the resource's first */
    int32_t main, order; /* drawing order: main, then order; lower is below */
    uint32_t first_vertex, nvertices; /* in units of the format's stride */
    uint32_t first_index, nindices;
    float box_min[3], box_max[3]; /* of the numbers among the positions; min > max when there are none */
} stn_product_mesh;

typedef struct stn_product_name {
    const char *text; /* not terminated */
    uint16_t len;
    int32_t version;
} stn_product_name;

typedef struct stn_product {
    const uint8_t *data; /* borrowed */
    size_t len;
    stn_product_mesh *meshes;
    uint32_t nmeshes;
    stn_product_name *names;
    uint32_t nnames;
    const uint8_t *vertices;
    uint32_t vertex_bytes;
    const uint8_t *indices; /* u16, any alignment */
    uint32_t nindices;
    const uint8_t *clicks; /* STN_PRODUCT_CLICK_BYTES */
    float z_min, z_max;
    /* Shapes: further surface vertices behind the 784 of the ground, normals of the corners 0..25 (26 x 26),
     * the parts of shaped tiles and their walls. NULL when the cut has plain tiles only. */
    uint32_t nextra;
    stn_vec3 *extra_pos, *extra_nrm;
    stn_vec3 *corner_nrm;
    const stn_part **parts, **walls; /* 625 each */
    void *memory;
} stn_product;

/* Checks the whole and fills *out; data must live as long. STN_TRUNCATED, STN_BAD_DATA, STN_VERSION,
 * STN_TOO_BIG, STN_NO_MEMORY. */
stn_status stn_product_open(const void *data, size_t len, stn_product *out, stn_err *err);
void stn_product_close(stn_product *p); /* zeroed is fine */

/* For who only forwards: whether the head is a product's and says this length. */
stn_status stn_product_peek(const void *data, size_t len, stn_err *err);

/* Reads n name records from *at on and moves it behind them; texts are borrowed from the data. */
stn_status stn_product_read_names(const uint8_t *data, size_t len, size_t *at, stn_product_name *names,
                                  uint32_t n, stn_err *err);

/* ---- writing. Offsets of the header and the records, shared by writer and reader. */

#define STN_PRODUCT_MAGIC 0x474e5453u /* "STNG" */
#define STN_PRODUCT_HEADER 64
#define STN_PRODUCT_MESH 72
#define STN_PRODUCT_PART 8
#define STN_PRODUCT_EXTRA 16

/* Sizes that a product needs; the writer fills them, asks for the bytes, and writes in any order. */
typedef struct stn_product_plan {
    uint32_t nnames, name_bytes; /* of their records */
    uint32_t nmeshes;
    uint32_t vertex_bytes, nindices;
    bool shaped;
    uint32_t nextra, nparts, part_bytes;
    uint32_t at_names, at_meshes, at_vertices, at_indices, at_clicks, at_shapes, total; /* worked out */
} stn_product_plan;

void stn_product_lay_out(stn_product_plan *plan);
void stn_product_put_header(uint8_t *out, const stn_product_plan *plan, float z_min, float z_max);
void stn_product_put_mesh(uint8_t *out, const stn_product_mesh *mesh);
/* Three parts of -1..1 as signed 10-bit numbers, x lowest. */
uint32_t stn_product_pack_normal(float x, float y, float z);

#endif
