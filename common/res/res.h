/* res.h - one resource: its layers, decoded and linked. The public face of the library.
 *
 * A resource is read in one pass over its records (each known layer decoded inside its own bounded stream,
 * each unknown one kept raw) and then linked: meshes find their buffers and materials, tilesets their tiles,
 * and so on. Any error in a known layer refuses the whole resource. The result is immutable and may be read
 * from any thread; memory is one arena, bounded by stn_res_limits and by what the input's size can justify.
 *
 * Source  docs/spec/resource-format.md, all; order of things: 27; look-ups: 28.
 */
#ifndef STN_RES_RES_H
#define STN_RES_RES_H

#include "res/container.h"
#include "res/fault.h"
#include "res/layers.h"
#include "res/numbers.h"
#include "res/picture.h"
#include "res/values.h"
#include "res/write.h"

typedef struct stn_res stn_res;

typedef enum stn_res_pixels {
    STN_RES_PROBE, /* pictures of image and tile layers: header and limits only */
    STN_RES_DECODE /* decoded at load and kept, as the reference does */
} stn_res_pixels;

typedef struct stn_res_opts {
    int want_version; /* STN_RES_ANY_VERSION or the only one accepted */
    stn_res_pixels pixels;
    bool borrow; /* the input outlives the resource: do not copy it */
    const stn_res_limits *limits; /* NULL: the defaults */
} stn_res_opts;

/* NULL opts: any version, pictures probed, input copied. *out is NULL on error. fault and err may be NULL. */
stn_status stn_res_new(const uint8_t *data, size_t len, const stn_res_opts *opts, stn_res **out,
                       stn_res_fault *fault, stn_err *err);
void stn_res_free(stn_res *res); /* NULL is fine */

/* Decodes every layer on its own and calls `each` for every fault instead of stopping at the first; linking
 * happens only when no layer failed. For checkers. Returns the number of faults; a container that cannot be
 * read to its end is one. */
typedef void stn_res_fault_fn(void *user, const stn_res_fault *fault, const char *type, const stn_err *err);
size_t stn_res_check(const uint8_t *data, size_t len, const stn_res_opts *opts, stn_res_fault_fn *each,
                     void *user);

uint16_t stn_res_version(const stn_res *res);
uint32_t stn_res_count(const stn_res *res);
size_t stn_res_bytes(const stn_res *res); /* memory held: input copy, arena, pixels */
const stn_res_layer *stn_res_layer_at(const stn_res *res, uint32_t i); /* NULL out of range */

/* First layer of a kind; the first with that id; the next of the kind behind `after` (NULL: the first). NULL
 * when there is none. Ids: see stn_res_layer_id(). */
const stn_res_layer *stn_res_first(const stn_res *res, stn_layer_kind kind);
const stn_res_layer *stn_res_find(const stn_res *res, stn_layer_kind kind, int32_t id);
const stn_res_layer *stn_res_find_text(const stn_res *res, stn_layer_kind kind, const char *id);
const stn_res_layer *stn_res_next(const stn_res *res, stn_layer_kind kind, const stn_res_layer *after);

/* Numeric id of a layer (vbuf, mesh, manim, skan, mat, tex, light, rlink, image, anim, action's have one);
 * false when its kind has none. Text ids (boneoff, obst, audio): NULL when its kind has none. */
bool stn_res_layer_id(const stn_res_layer *layer, int32_t *id);
const char *stn_res_layer_text_id(const stn_res_layer *layer);

/* The kind that a type name stands for, and the other way round ("" for unknown). */
stn_layer_kind stn_layer_kind_of(const char *type);
const char *stn_layer_kind_name(stn_layer_kind kind);

/* ---- pixels on demand, into the caller's memory ---- */

/* A texture: all levels behind each other, level 0 first. Bytes: stn_mip_bytes(tex->mipmap, tex->w, tex->h).
 * Class E_IMAGE: no picture, a bad one, a mask of more than one channel, a size other than the layer says. */
stn_status stn_res_tex_pixels(const stn_res_tex *tex, const stn_res_limits *limits, uint8_t *out,
                              size_t out_bytes, stn_res_fault_kind *fault, stn_err *err);
/* The packed tile image of a tileset: pack_w x pack_h with its avg chain, stn_mip_bytes(STN_MIP_AVG, …). */
stn_status stn_res_tileset_pixels(const stn_res_tileset *tileset, const stn_res_limits *limits, uint8_t *out,
                                  size_t out_bytes, stn_res_fault_kind *fault, stn_err *err);
/* An image scaled for the UI: geometry.ssz[0] * geometry.ssz[1] * 4 bytes. */
stn_status stn_res_image_scaled(const stn_res_image *image, double ui_scale, const stn_res_limits *limits,
                                uint8_t *out, size_t out_bytes, stn_res_fault_kind *fault, stn_err *err);

/* Raw text as well-formed UTF-8: each maximal malformed part becomes U+FFFD (section 3). Writes at most cap
 * bytes with the NUL and returns the bytes needed without it (at most 3 * len). */
size_t stn_res_text(const char *raw, size_t len, char *out, size_t cap);

#endif
