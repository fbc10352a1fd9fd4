/* store.h - the resources that the build thread has: asked for once, opened, and turned into textures and
 * meshes.
 *
 * It asks through a callback and is fed with what comes (Ready, Failed, Refused). Pictures and vertices
 * become jobs the first time somebody needs them, and are then known by their asset number. A resource that
 * failed stays failed until it is fed again; asking for it costs nothing. Resources live as long as the
 * store: sprites borrow from them. Limits: STN_STORE_MAX resources; more are refused as failed.
 */
#ifndef STN_RENDERER_BUILD_STORE_H
#define STN_RENDERER_BUILD_STORE_H

#include "renderer/build/job.h"
#include "renderer/sprite/source.h"
#include "res/wire.h"

#define STN_STORE_MAX 8192

typedef struct stn_store stn_store;

typedef struct stn_store_ops {
    void *ctx;
    void (*ask)(void *ctx, const char *name, int32_t version, int32_t priority);
    /* Takes the job. False: the queue is full; the job is still the store's, which gives it again later. */
    bool (*give)(void *ctx, stn_job *job);
} stn_store_ops;

stn_store *stn_store_new(const stn_store_ops *ops); /* NULL: out of memory */
void stn_store_free(stn_store *s);
const stn_sprite_source *stn_store_source(stn_store *s);
stn_sprite_fault stn_store_get(stn_store *s, const char *name, int32_t version, const stn_sprite_res **out,
                               stn_err *err);

/* What came. `release(arg)` lets the frames go; the store calls it when it needs them no longer. */
void stn_store_ready(stn_store *s, const char *asked_name, int32_t asked_version, stn_wire *wire,
                     void (*release)(void *arg), void *arg);
void stn_store_failed(stn_store *s, const char *name, int32_t version, const char *why);
/* The loader forgot us or was restarted: everything that is still waited for is asked for again. */
void stn_store_ask_again(stn_store *s);
/* Jobs that found no room. True when none is left. */
bool stn_store_flush(stn_store *s);

/* Assets; 0: not to be had (said once). */
uint32_t stn_store_texture(stn_store *s, const stn_sprite_res *res, const stn_res_tex *tex);
uint32_t stn_store_atlas(stn_store *s, const stn_sprite_res *res); /* of its tileset */
/* How much of its atlas one tile takes, in texture coordinates: filtering must not look over its edge. */
void stn_store_atlas_cell(stn_store *s, const stn_sprite_res *res, float cell[2]);
/* `bones`: with bone attributes, which the buffer must have. `morph`: with the frames of this mesh animation,
 * NULL = none; one that is too long for a texture is said once and left out. */
uint32_t stn_store_mesh(stn_store *s, const stn_sprite_res *res, const stn_res_layer *mesh, bool bones,
                        const stn_res_manim *morph);
/* Makes the levels of detail of a mesh and gives them as a job, for some milliseconds; also when it has none.
 */
void stn_store_levels(stn_store *s, uint32_t asset);
/* A square of side 1 about the origin, facing +z, its texture upright: for points that face the eye. */
uint32_t stn_store_square(stn_store *s);
/* A rod of radius 1 along z from 0 to 1: for a piece of rope. */
uint32_t stn_store_rod(stn_store *s);
/* The tileset's colour seen from afar, RGBA; false when it is not known. */
bool stn_store_tile_colour(stn_store *s, const char *name, int32_t version, uint8_t rgba[4]);

/* Asks, once, for the server's own pictures of sky and water; they come as jobs. That a server has none is no
 * fault. */
void stn_store_surround(stn_store *s);

void stn_store_counts(const stn_store *s, unsigned *known, unsigned *waiting, unsigned *failed);

#endif
