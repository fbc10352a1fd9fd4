/* cutmesh.h - a terrain product as a job for the GL thread: vertices as they came, and a material for each
 * mesh.
 *
 * Source: docs/spec/rendering.md 14.1 to 14.3; common/map/product.h.
 */
#ifndef STN_RENDERER_BUILD_CUTMESH_H
#define STN_RENDERER_BUILD_CUTMESH_H

#include "renderer/build/store.h"

/* LOADING: a material is on its way, ask again later. The bytes are borrowed by the job until it is freed:
 * the caller sets its release. MALFORMED for a product that cannot be read. */
stn_sprite_fault stn_cutmesh_job(stn_store *s, const void *data, size_t len, stn_job **out, stn_err *err);

#endif
