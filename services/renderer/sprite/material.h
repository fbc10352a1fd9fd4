/* material.h - a `mat2` layer as ops on state slots.
 *
 * Static ops hold without looking at the scene; dynamic ones (latent activation) read it. As a wrap the
 * statics are an outer locked level and the dynamics an inner unlocked one; as a plain op both go into one
 * level, statics first. Ops live in the arena given at building; layers are borrowed. Source:
 * docs/spec/sprites.md 10.2, 10.3; docs/spec/resource-format.md 6, 17.
 */
#ifndef STN_SPRITE_MATERIAL_H
#define STN_SPRITE_MATERIAL_H

#include "renderer/sprite/source.h"
#include "renderer/sprite/state.h"

typedef struct stn_sprite_mat {
    const stn_sprite_res *res;
    int32_t id;
    stn_ops statics, dynamics;
    uint32_t unknown; /* parts that were skipped: unknown names and served code */
} stn_sprite_mat;

/* LOADING while a linked resource is on its way; LOAD_ERROR, NO_LAYER, MALFORMED for bad content. */
stn_sprite_fault stn_material_build(const stn_sprite_source *source, const stn_sprite_res *res,
                                    const stn_res_mat *mat, stn_arena *arena, stn_sprite_mat *out,
                                    stn_err *err);

/* The layer that stands for "the material `id` of the resource": id >= 0 the first with that id, < 0 the
 * first of all. NULL: there is none. */
const stn_res_mat *stn_material_find(const stn_sprite_res *res, int32_t id);

#endif
