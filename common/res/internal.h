/* internal.h - what the decoders and encoders of this library share; not for its users.
 *
 * A decoder reads its payload through in->... and may run on after the end: reads then yield zero. Failures
 * are sticky: the first one recorded counts, and one that is noticed when the cursor has already run out is a
 * truncation, whatever it looked like. Loops test stn_rd_ok(); counts are tested before memory is asked for.
 */
#ifndef STN_RES_INTERNAL_H
#define STN_RES_INTERNAL_H

#include "base/table.h"
#include "res/res.h"

typedef struct stn_rd {
    stn_arena *arena;
    const stn_res_limits *limits;
    stn_res_pixels pixels;
    uint64_t samples_left; /* picture samples this resource may still have */
    uint64_t bone_vertices_left;
    stn_bytes *in; /* the stream being read, for telling truncation apart */
    stn_res_fault_kind fault;
    stn_err *err;
    /* decoded pixels live outside the arena, whose ceiling is for everything else */
    struct stn_pixel_block *blocks;
    size_t block_bytes;
    /* for linking: lists and tables over all layers, made on first need, so that many layers stay cheap */
    const stn_res_layer *layers;
    uint32_t count;
    const stn_res_layer **lists[STN_LAYER_KINDS];
    uint32_t list_counts[STN_LAYER_KINDS];
    bool listed;
    stn_table *ids; /* (kind, id) to the first layer of it; for materials the last */
    stn_names *bones; /* of the first skeleton */
    const stn_res_layer **images_by_id; /* image layers by id, then place */
} stn_rd;

typedef struct stn_pixel_block {
    struct stn_pixel_block *next;
    uint8_t *rgba;
} stn_pixel_block;

/* Records the first failure; returns the status of what was recorded. */
stn_status stn_rd_fail(stn_rd *c, stn_res_fault_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static inline bool stn_rd_ok(const stn_rd *c)
{
    return c->fault == STN_FAULT_NONE && !c->in->bad;
}
/* STN_OK, or the recorded failure, or truncation. */
stn_status stn_rd_end(stn_rd *c);

/* count items of `size` bytes, uninitialised; NULL after recording E_LIMIT. Never NULL for count 0. */
void *stn_rd_alloc(stn_rd *c, size_t count, size_t size);
void *stn_rd_zalloc(stn_rd *c, size_t count, size_t size);
/* Fails with E_TRUNCATED unless count * min_bytes are left in the stream. */
bool stn_rd_fits(stn_rd *c, const stn_bytes *in, uint64_t count, uint64_t min_bytes, const char *what);

/* An array that grows in the arena, for counts that only the end of a stream tells. */
typedef struct stn_vec {
    void *items;
    uint32_t count, cap;
} stn_vec;
void *stn_vec_push(stn_rd *c, stn_vec *v, size_t size); /* the new item, zeroed; NULL when failed */

const char *stn_rd_text(stn_rd *c, stn_bytes *in); /* "" when failed; never NULL */
stn_resref stn_rd_resref(stn_rd *c, stn_bytes *in);
double stn_rd_cfloat(stn_rd *c, stn_bytes *in); /* records E_VALUE */
stn_value stn_rd_value(stn_rd *c, stn_bytes *in);
stn_values stn_rd_values(stn_rd *c, stn_bytes *in);
/* (key, typed value)* ended by an empty key. */
stn_entries stn_rd_entries(stn_rd *c, stn_bytes *in);
/* A byte length as int32: negative or more than is left is E_LENGTH. */
const uint8_t *stn_rd_blob32(stn_rd *c, stn_bytes *in, uint32_t *len);
/* Checks a picture's header and the resource's sample budget; decodes it when the resource keeps pixels. */
void stn_rd_picture(stn_rd *c, const uint8_t *data, uint32_t len, uint32_t *w, uint32_t *h,
                    const uint8_t **rgba);
stn_status stn_rd_convert(stn_rd *c, stn_status st, const stn_err *why, const char *what);

/* All layers of a kind in file order. NULL after a failure; never NULL for none. */
const stn_res_layer *const *stn_rd_list(stn_rd *c, stn_layer_kind kind, uint32_t *count);
/* The first buffer, or the last material, of an id; NULL when there is none. */
const stn_res_layer *stn_rd_by_id(stn_rd *c, stn_layer_kind kind, int32_t id);

/* ---- writing: sticky as well ---- */

typedef struct stn_wr {
    stn_buf *b;
    stn_err *err;
    stn_status st;
} stn_wr;

void stn_wr_fail(stn_wr *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void stn_wr_u8(stn_wr *w, int64_t v, const char *what);
void stn_wr_i16(stn_wr *w, int64_t v, const char *what);
void stn_wr_u16(stn_wr *w, int64_t v, const char *what);
void stn_wr_i32(stn_wr *w, int64_t v, const char *what);
void stn_wr_text(stn_wr *w, const char *text, const char *what);
void stn_wr_name(stn_wr *w, const char *text, const char *what); /* a text that may not be empty */
void stn_wr_cfloat(stn_wr *w, double v, const char *what);
void stn_wr_resref(stn_wr *w, const stn_resref *ref, const char *what);
void stn_wr_value(stn_wr *w, const stn_value *v);
void stn_wr_values(stn_wr *w, const stn_values *v, bool close);
void stn_wr_entries(stn_wr *w, const stn_entries *e); /* with the empty key that ends them */
void stn_wr_unit_axis(stn_wr *w, const float axis[3]); /* as two snorm16 */
void stn_wr_angle16(stn_wr *w, float angle);

/* ---- the table of layers ---- */

typedef stn_status stn_layer_decode_fn(stn_rd *c, stn_bytes *in, const void **out);
typedef stn_status stn_layer_link_fn(stn_rd *c, stn_res_layer *layer);
typedef void stn_layer_encode_fn(stn_wr *w, const stn_res_layer *layer);

typedef struct stn_layer_row {
    const char *name;
    stn_layer_decode_fn *decode;
    stn_layer_link_fn *link; /* NULL: nothing to do after all layers exist */
    stn_layer_encode_fn *encode;
} stn_layer_row;

extern const stn_layer_row stn_layer_rows[STN_LAYER_KINDS];

#define STN_LAYER_DECL(x)                                                                                    \
    stn_layer_decode_fn stn_decode_##x;                                                                      \
    stn_layer_encode_fn stn_encode_##x;
STN_LAYER_DECL(vbuf)
STN_LAYER_DECL(mesh)
STN_LAYER_DECL(manim)
STN_LAYER_DECL(skel)
STN_LAYER_DECL(skan)
STN_LAYER_DECL(boneoff)
STN_LAYER_DECL(mat)
STN_LAYER_DECL(tex)
STN_LAYER_DECL(light)
STN_LAYER_DECL(rlink)
STN_LAYER_DECL(slink)
STN_LAYER_DECL(tile)
STN_LAYER_DECL(tileset)
STN_LAYER_DECL(flavobj)
STN_LAYER_DECL(overlay)
STN_LAYER_DECL(obst)
STN_LAYER_DECL(neg)
STN_LAYER_DECL(props)
STN_LAYER_DECL(image)
STN_LAYER_DECL(anim)
STN_LAYER_DECL(audio)
STN_LAYER_DECL(clamb)
STN_LAYER_DECL(midi)
STN_LAYER_DECL(code)
STN_LAYER_DECL(codeentry)
STN_LAYER_DECL(text)
STN_LAYER_DECL(action)
STN_LAYER_DECL(font)
STN_LAYER_DECL(foodev)
#undef STN_LAYER_DECL
stn_layer_link_fn stn_link_mesh, stn_link_skan, stn_link_tileset, stn_link_anim;

/* Shared by skeletons, poses and attachment points. */
void stn_quat_of(float angle, const float axis[3], float out[4]);
void stn_normalise(float v[3]);

#endif
