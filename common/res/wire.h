/* wire.h - a decoded resource between processes: packed by the loader, opened by everyone else. Pure.
 *
 * The message is Ready (proto/resource.proto). Its body lists every layer of the file in order; the bytes
 * travel in three bulk frames, each absent (length 0) unless wanted:
 *
 *   0 STN_WIRE_RAW     the file itself, as it was read                             WANT_RAW
 *   1 STN_WIRE_MODELS  vertex arrays (f32; bone indices i32), index arrays (u16)   WANT_MODELS
 *   2 STN_WIRE_PIXELS  RGBA8 pictures with their mip levels, level 0 first         WANT_PIXELS
 *
 * Pixels come for `tex` (its own mipmapper), `image` (one level) and `tileset2` (the packed tile image
 * with its avg chain; where each tile lies in it is in the linked tileset: stn_res_tileset.places).
 * Everything else of a resource (materials, skeletons, animations, tilesets, links …) is had from the file
 * by stn_wire_res(): layer i of that stn_res is the wire's layer i. The usual wish is RAW and PIXELS.
 *
 * A layer whose picture cannot be decoded, or does not fit, has a `problem` and no pixels; the rest is
 * good. Opening checks every number against the frames, so that whoever reads an opened resource need not.
 * Threads: an opened resource is read-only.
 */
#ifndef STN_RES_WIRE_H
#define STN_RES_WIRE_H

#include "res/res.h"

#include "proto/resource.pb-c.h"

#define STN_WIRE_RAW 0
#define STN_WIRE_MODELS 1
#define STN_WIRE_PIXELS 2
#define STN_WIRE_FRAMES 3
#define STN_WIRE_BODY_MAX                                                                                    \
    (900u << 10) /* bytes of a packed body: what a message takes, less room for the envelope */
#define STN_WIRE_BULK_MAX (UINT64_C(192) << 20) /* all frames together; pictures over it are left out */

typedef struct stn_wire_span {
    const uint8_t *data;
    size_t len;
} stn_wire_span;

/* ---- packing ---- */

typedef struct stn_wire_plan stn_wire_plan;

/* Lays out everything. res must outlive the plan. bulk_max: as STN_WIRE_BULK_MAX or lower. STN_TOO_BIG: the
 * list of layers, or payloads and models alone, fit no message. */
stn_status stn_wire_plan_new(const stn_res *res, size_t bulk_max, stn_wire_plan **out, stn_err *err);
void stn_wire_plan_free(stn_wire_plan *plan); /* NULL is fine */
size_t stn_wire_plan_bytes(const stn_wire_plan *plan, unsigned frame);
/* Writes every byte of the frames, stn_wire_plan_bytes() each, decoding the pictures into their place. The
 * first may be NULL: who has the file need not have it written again. Returns how many layers have a problem;
 * the first one's text is in err. */
size_t stn_wire_plan_fill(stn_wire_plan *plan, uint8_t *const frames[STN_WIRE_FRAMES], stn_err *err);
/* The body: version, layers, bounds; the rest is the caller's. Borrowed. Complete after the fill. */
Stenness__Ready *stn_wire_plan_ready(stn_wire_plan *plan);

/* Takes out of a body what the mask (ResourceWant) does not name; the frames that go with it are then left
 * empty. */
void stn_wire_select(Stenness__Ready *ready, uint32_t want);

/* ---- opening ---- */

typedef struct stn_wire stn_wire;

typedef struct stn_wire_attrib {
    stn_attr attr;
    uint8_t components;
    const uint8_t *data; /* num * components f32 (BONEIDX: i32), perhaps unaligned: read by memcpy */
} stn_wire_attrib;

typedef struct stn_wire_layer {
    const char *type;
    stn_layer_kind kind;
    uint32_t length; /* payload bytes in the file */
    const char *problem; /* "" = none */
    stn_wire_span raw; /* {NULL, 0} without WANT_RAW */
    int32_t id; /* vbuf, mesh, tex, image; else 0 */
    /* tex, image, tileset2; data NULL without WANT_PIXELS or with a problem, the sizes are there in any case
     */
    uint32_t w, h, levels;
    stn_mipmapper mipmap;
    stn_wire_span pixels;
    /* vbuf; attribs[].data NULL without WANT_MODELS */
    uint32_t num;
    uint32_t attrib_count;
    const stn_wire_attrib *attribs;
    /* mesh */
    uint32_t vbuf_layer; /* index of its vbuf's layer */
    uint32_t tris;
    stn_wire_span indices; /* 3 * tris u16, each below that vbuf's num */
    bool has_bounds;
    float bounds[2][3];
} stn_wire_layer;

/* Checks and copies the description; the frames are borrowed and must outlive the result (keep the message).
 * n may be lower than STN_WIRE_FRAMES: missing frames are empty. STN_BAD_DATA names the layer. */
stn_status stn_wire_open(const Stenness__Ready *ready, const stn_wire_span *frames, size_t n, stn_wire **out,
                         stn_err *err);
void stn_wire_free(stn_wire *wire); /* NULL is fine */
const char *stn_wire_name(const stn_wire *wire);
int stn_wire_version(const stn_wire *wire);
uint64_t stn_wire_object(const stn_wire *wire);
uint32_t stn_wire_want(const stn_wire *wire); /* what is in it */
uint32_t stn_wire_count(const stn_wire *wire);
const stn_wire_layer *stn_wire_layer_at(const stn_wire *wire, uint32_t i); /* NULL out of range */
/* Union of the mesh bounds; false when there is no mesh. */
bool stn_wire_bounds(const stn_wire *wire, float out[2][3]);
/* Level 0.. of a picture: its size and place. False out of range or without pixels. */
bool stn_wire_level(const stn_wire_layer *layer, uint32_t level, uint32_t *w, uint32_t *h,
                    stn_wire_span *out);

/* The resource read again from the file, pictures probed only: the caller frees it and may drop wire and
 * frames before. STN_USAGE without WANT_RAW; STN_BAD_DATA when the file is not what the body describes. */
stn_status stn_wire_res(const stn_wire *wire, stn_res **out, stn_err *err);

#endif
