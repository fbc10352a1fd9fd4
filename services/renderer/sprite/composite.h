/* composite.h - people and dressed animals: a skeleton, models in layers of materials, equipment at attach
 * points, poses.
 *
 * Lists are compared: an equal one changes nothing, another replaces models whole and keeps equipment that is
 * the same. LOADING leaves everything as it was and is tried again. Faults leave the list that was shown.
 * Source: docs/spec/sprites.md 17.
 */
#ifndef STN_SPRITE_COMPOSITE_H
#define STN_SPRITE_COMPOSITE_H

#include "renderer/sprite/boneoff.h"
#include "renderer/sprite/poseset.h"
#include "renderer/sprite/sprite.h"

typedef struct stn_composite stn_composite;

typedef struct stn_composite_ref { /* a resource with state bytes */
    const stn_sprite_res *res;
    const uint8_t *sdt;
    size_t sdt_len;
} stn_composite_ref;

typedef struct stn_composite_model {
    const stn_sprite_res *mesh;
    const stn_sprite_res *const *materials;
    uint32_t n_materials;
} stn_composite_model;

typedef struct stn_composite_item {
    uint32_t type; /* 0 is the only one */
    const char *at; /* attach point, "" = none */
    stn_composite_ref what;
    float offset[3];
} stn_composite_item;

/* MALFORMED when the base has no skeleton. `object` and `base` must outlive it. */
stn_sprite_fault stn_composite_new(stn_sprite_ctx *ctx, const stn_sprite_object *object,
                                   const stn_sprite_res *base, stn_composite **out, stn_err *err);
void stn_composite_free(stn_composite *c);

stn_sprite_fault stn_composite_models(stn_composite *c, const stn_composite_model *models, uint32_t n,
                                      stn_err *err);
stn_sprite_fault stn_composite_items(stn_composite *c, const stn_composite_item *items, uint32_t n,
                                     stn_err *err);
/* Untimed poses: blended over 0.2 s when `interpolate`, else at once and aged. */
stn_sprite_fault stn_composite_poses(stn_composite *c, const stn_composite_ref *poses, uint32_t n,
                                     bool interpolate, stn_err *err);
/* Played once, over what the untimed ones show, for `seconds`. */
stn_sprite_fault stn_composite_timed(stn_composite *c, const stn_composite_ref *poses, uint32_t n,
                                     float seconds, stn_err *err);
/* The sets themselves, for what comes with its own. Taken over. */
void stn_composite_install(stn_composite *c, stn_poseset *set, float seconds);
void stn_composite_install_timed(stn_composite *c, stn_poseset *set, float blend, float seconds);
bool stn_composite_busy(
    const stn_composite *c); /* a timed pose plays: models and equipment wait for its end */

stn_sprite_fault stn_composite_tick(stn_composite *c, double dt, stn_err *err);

const stn_pose *stn_composite_pose(const stn_composite *c);
const stn_poseset *stn_composite_set(const stn_composite *c); /* the current one, NULL = none yet */
uint64_t stn_composite_version(const stn_composite *c); /* moves when models or equipment changed */
uint32_t stn_composite_item_count(const stn_composite *c);
const stn_sprite *stn_composite_item_sprite(const stn_composite *c, uint32_t i);
uint64_t stn_composite_item_instance(const stn_composite *c, uint32_t i); /* unique, kept while the item is */

/* The location of a named point: of the base's boneoff layers, else the bone. */
stn_sprite_fault stn_composite_equip(const stn_composite *c, const char *name, stn_mat4 *out, stn_err *err);
stn_sprite_fault stn_composite_leaves(const stn_composite *c, const stn_state *outer, stn_arena *arena,
                                      stn_leaf_fn *fn, void *user, stn_err *err);

#endif
