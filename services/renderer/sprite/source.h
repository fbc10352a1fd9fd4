/* source.h - where sprites get resources from. The pipeline is pure: it asks, and is told "not yet" or
 * "never". */
#ifndef STN_SPRITE_SOURCE_H
#define STN_SPRITE_SOURCE_H

#include "renderer/sprite/fault.h"
#include "res/res.h"

#include <stdint.h>

/* A loaded resource under its name. Owned by the source; valid as long as the source says (at least until the
 * sprites that were built from it are gone). A resource that is reloaded is another one of these. */
typedef struct stn_sprite_res {
    const char *name;
    int32_t version;
    const stn_res *res;
} stn_sprite_res;

/* `get`: STN_SPRITE_OK, STN_SPRITE_LOADING or STN_SPRITE_LOAD_FAILED. The same name and version give the same
 * pointer while the resource is loaded. */
typedef struct stn_sprite_source {
    stn_sprite_fault (*get)(void *user, const char *name, int32_t version, const stn_sprite_res **out,
                            stn_err *err);
    void *user;
} stn_sprite_source;

static inline stn_sprite_fault stn_sprite_get(const stn_sprite_source *source, const char *name,
                                              int32_t version, const stn_sprite_res **out, stn_err *err)
{
    return source->get(source->user, name, version, out, err);
}

#endif
