/* look.h - from composed state slots, or a material of a resource, to what the shader needs.
 *
 * Source: docs/spec/rendering.md 9.2, 10.3, 11.3, 12, 13; docs/spec/sprites.md 10.5.
 */
#ifndef STN_RENDERER_BUILD_LOOK_H
#define STN_RENDERER_BUILD_LOOK_H

#include "renderer/build/store.h"
#include "renderer/sprite/state.h"

/* Of a leaf: `state` is complete. Textures become assets. */
void stn_look_of_state(stn_store *s, const stn_state *state, stn_matstate *out);
/* A material of a resource, with another one around it (NULL = none): LOADING, or STN_SPRITE_OK with a plain
 * grey when the material cannot be had (said once). */
stn_sprite_fault stn_look_of_material(stn_store *s, const char *name, int32_t version, int32_t id,
                                      const char *outer, int32_t outer_version, int32_t outer_id,
                                      stn_matstate *out, stn_err *err);

#endif
