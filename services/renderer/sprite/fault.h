/* fault.h - how building a sprite can fail. Only LOADING is retried; every other class is contained at its
 * object. Source: docs/spec/sprites.md 9. */
#ifndef STN_SPRITE_FAULT_H
#define STN_SPRITE_FAULT_H

#include "base/err.h"

typedef enum stn_sprite_fault {
    STN_SPRITE_OK = 0,
    STN_SPRITE_LOADING, /* a resource or a piece of map is not there yet */
    STN_SPRITE_LOAD_FAILED, /* a linked resource could not be loaded */
    STN_SPRITE_LOAD_ERROR, /* bad content found at use */
    STN_SPRITE_NO_LAYER, /* a layer that is named and absent */
    STN_SPRITE_RESOURCE, /* a link points at a missing mesh or material */
    STN_SPRITE_EOF, /* state bytes too short */
    STN_SPRITE_LOCKED, /* a locked state depends on an unlocked one */
    STN_SPRITE_MALFORMED, /* everything else that is wrong in the input */
    STN_SPRITE_NO_MEMORY,
} stn_sprite_fault;

/* "loading", "load-failed", …: the words of the spec. */
const char *stn_sprite_fault_name(stn_sprite_fault fault);

/* Sets the text of *err (NULL is fine) and returns `fault`. */
stn_sprite_fault stn_sprite_fail(stn_err *err, stn_sprite_fault fault, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
