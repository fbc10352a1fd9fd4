/* map/decoration.h - the decoration of a cut as it travels from mesher to renderer: which flavor objects
 * stand where.
 *
 * Little-endian, one block of bytes:
 *   head     32 bytes: magic "STND", u16 format, u16 0, u32 total length, u16 names, u16 groups, u32 objects,
 *            i64 decoration seed, u32 0
 *   names    as in a product (map/product.h): i32 version, u16 length, bytes
 *   groups   8 bytes each: u16 material name, u16 0, i32 material id; objects of a group are drawn under its
 * material objects  40 bytes each, in the order in which they were put, which ticks follow: u16 resource
 * name, u16 group, u8 tile x, u8 tile y in the cut, u16 0, f64 x, f64 y (world, map units), f64 angle
 * (radians), i64 seed Groups and objects begin at multiples of 8. Height is not here: it is the ground's at
 * the place, also when that changes. Everything is checked when read. Source:
 * docs/spec/terrain-extras.md 1.4.
 */
#ifndef STN_MAP_DECORATION_H
#define STN_MAP_DECORATION_H

#include "map/product.h"

#define STN_DECORATION_MAGIC 0x444e5453u /* "STND" */
#define STN_DECORATION_FORMAT 1
#define STN_DECORATION_HEAD 32
#define STN_DECORATION_GROUP 8
#define STN_DECORATION_OBJECT 40
#define STN_DECORATION_MAX 65536 /* objects in a cut */

typedef struct stn_decoration_object {
    uint16_t name, group;
    uint8_t tile_x, tile_y;
    double x, y, angle; /* finite */
    int64_t seed; /* of the object's own random draws */
} stn_decoration_object;

typedef struct stn_decoration_group {
    uint16_t material_name; /* STN_PRODUCT_NO_NAME: none */
    int32_t material; /* -1: the resource's first */
} stn_decoration_group;

typedef struct stn_decoration {
    int64_t seed;
    uint32_t nnames, ngroups, nobjects;
    stn_product_name *names; /* texts are borrowed from the data */
    stn_decoration_group *groups;
    stn_decoration_object *objects;
    void *memory;
} stn_decoration;

/* STN_TRUNCATED, STN_BAD_DATA, STN_VERSION, STN_TOO_BIG, STN_NO_MEMORY. */
stn_status stn_decoration_open(const void *data, size_t len, stn_decoration *out, stn_err *err);
void stn_decoration_close(stn_decoration *d); /* zeroed is fine */

/* Writing: bytes for so many names (of `name_bytes` with their heads), groups and objects; then each part. */
typedef struct stn_decoration_plan {
    uint32_t nnames, name_bytes, ngroups, nobjects;
    uint32_t at_groups, at_objects, total; /* worked out */
} stn_decoration_plan;
void stn_decoration_lay_out(stn_decoration_plan *p);
void stn_decoration_put_head(uint8_t *out, const stn_decoration_plan *p, int64_t seed);
void stn_decoration_put_group(uint8_t *out, const stn_decoration_group *g);
void stn_decoration_put_object(uint8_t *out, const stn_decoration_object *o);

#endif
