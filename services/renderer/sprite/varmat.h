/* varmat.h - variable materials: an attribute that dresses the meshes tagged `vm` in materials of its own.
 * Source: docs/spec/sprites.md 11. */
#ifndef STN_SPRITE_VARMAT_H
#define STN_SPRITE_VARMAT_H

#include "renderer/sprite/sprite.h"

#define STN_VARMAT_ORDER 100
#define STN_VARMAT_SLOTS 128

/* Slot k is the k-th material of the message, whatever the tags say; NULL = not sent: the mesh keeps its own.
 */
typedef struct stn_varmat {
    const stn_sprite_mat *slots[STN_VARMAT_SLOTS];
    uint32_t count;
} stn_varmat;

/* One (resource, material id) of the message; id < 0 = the first material. */
typedef struct stn_varmat_entry {
    const char *name;
    int32_t version;
    int32_t id;
} stn_varmat_entry;

/* Resolves all or nothing: LOADING postpones the attribute, MALFORMED (an absent id, an empty or too long
 * list) leaves the previous one. */
stn_sprite_fault stn_varmat_resolve(stn_sprite_ctx *ctx, const stn_varmat_entry *entries, uint32_t n,
                                    stn_varmat *out, stn_err *err);
/* The mod: `user` is an stn_varmat. */
stn_sprite_fault stn_varmat_operate(void *user, stn_sprite_build *build, stn_err *err);

/* The slot that a mesh is tagged for, -1 = none. MALFORMED when the tag is no decimal number. */
stn_sprite_fault stn_varmat_tag(const stn_res_mesh *mesh, int32_t *slot, stn_err *err);

#endif
