/* emit.h - pictures and models to the bytes of .res files, through the project's own resource writer.
 *
 * Colour without alpha is stored as JPEG (quality 92, full chroma), cut-outs and bump maps as PNG; positions,
 * normals and coordinates in the packed formats. Meshes share one vertex buffer a part, with the part's
 * number as id.
 *
 * Source: docs/spec/resource-format.md.
 */
#ifndef STN_HOMESTEAD_PACK_EMIT_H
#define STN_HOMESTEAD_PACK_EMIT_H

#include "base/buf.h"
#include "base/err.h"
#include "homestead/pack/model.h"
#include "res/layers.h"

/* A file in the making: stn_emit_begin(), layers, stn_emit_end(). The first failure stays; later calls do
 * nothing. */
typedef struct stn_emit {
    stn_buf *out;
    stn_status st;
    stn_err *err;
} stn_emit;

void stn_emit_begin(stn_emit *e, stn_buf *out, uint16_t version, stn_err *err);
stn_status stn_emit_end(stn_emit *e);

/* One layer of the project's writer. */
void stn_emit_layer(stn_emit *e, stn_layer_kind kind, const void *as);
/* A texture with an averaged mip chain, linear filters. Heights become normals for STN_TEXTURE_BUMP. */
void stn_emit_texture(stn_emit *e, int16_t id, stn_texture_kind kind, float steep, const stn_canvas *canvas);
/* A tile picture: PNG with alpha. */
void stn_emit_tile(stn_emit *e, uint8_t kind, uint8_t id, uint16_t weight, const stn_canvas *canvas);
/* An image layer of id 0. */
void stn_emit_image(stn_emit *e, const stn_canvas *canvas);
void stn_emit_material(stn_emit *e, const stn_material *m);
/* A colour through which the ground is seen, lit with it. */
void stn_emit_veil(stn_emit *e, int16_t id, stn_rgb tint, float alpha);
/* Entries of a codeentry layer, and the library that carries their classes. Without a library this resource
 * carries them: a code layer for each class that is not built in, empty, for clients run their own. */
void stn_emit_code(stn_emit *e, const char *const (*entries)[2], size_t n, const char *lib,
                   uint16_t lib_version);
/* All of a model. `self` is the resource's own name. */
void stn_emit_model(stn_emit *e, const stn_model *m, const char *self, uint16_t self_version);

#endif
