/* natives.h - which served code this client has of its own: the registry of native twins.
 *
 * Resources of the game name classes that the server's code layers carry. A native client cannot run them;
 * the common ones are written again here, each for the versions of its carrier that it was written for. This
 * is the list alone, pure data: who draws, and who keeps the objects, look up the same rows, and `stenness
 * res natives` prints them.
 *
 * A class belongs to a carrier when its package is the carrier's ("haven.res.lib.tree.…" and "lib/tree"); a
 * class without a package is taken at its carrier's word.
 * Source  docs/spec/sprites.md 3, 11, 21; docs/spec/object-cache.md B7.
 */
#ifndef STN_RES_NATIVES_H
#define STN_RES_NATIVES_H

#include "res/res.h"

typedef enum stn_native_id {
    STN_NATIVE_NONE = 0,
    STN_NATIVE_VARMAT, /* variable materials: the attribute */
    STN_NATIVE_MOD, /* a plain mod sprite */
    STN_NATIVE_TREE,
    STN_NATIVE_SWAY, /* the attribute */
    STN_NATIVE_GROWING,
    STN_NATIVE_TRELLIS,
    STN_NATIVE_GAUSSIAN,
    STN_NATIVE_FLICKER,
    STN_NATIVE_FLICKER_LINK,
    STN_NATIVE_SMOKE,
    STN_NATIVE_SITE, /* a construction site */
    STN_NATIVE_DECAL, /* an item's picture on a thing */
    STN_NATIVE_DYNTEX, /* a picture that people uploaded */
    STN_NATIVE_NAME, /* of a person: the attribute, docs/spec/object-cache.md A10 */
} stn_native_id;

#define STN_NATIVE_VERSIONS 4

typedef struct stn_native {
    stn_native_id id;
    const char *carrier; /* resource */
    uint16_t versions[STN_NATIVE_VERSIONS]; /* of the carrier that it stands for; 0 ends, at once: any */
    const char *entry; /* "spr", "rlink", "objdelta" */
    const char *word; /* in the class's own name, whatever its case; NULL = any class of the carrier */
    bool live_update; /* a sprite of it takes new state bytes in place */
    bool deferred_end; /* a sprite of it ends by itself after it was told to */
} stn_native;

/* All rows, in the order of docs/spec/sprites.md 21. */
const stn_native *stn_natives(size_t *count);

typedef enum stn_native_match {
    STN_NATIVE_FOUND,
    STN_NATIVE_OTHER_VERSION, /* the twin is for other versions: degrade, and say so once */
    STN_NATIVE_UNKNOWN,
} stn_native_match;

/* `cls` NULL: the entry alone decides. version < 0: any. *out is NULL unless found or of another version. */
stn_native_match stn_native_find(const char *carrier, int32_t version, const char *entry, const char *cls,
                                 const stn_native **out);
/* The twin that makes the sprite of a resource with this codeentry layer: looked for among the carriers that
 * the layer uses, then in the resource itself. UNKNOWN also when it has no entry "spr". */
stn_native_match stn_native_sprite(const char *name, int32_t version, const stn_res_codeentry *code,
                                   const stn_native **out);

/* ---- what the keeper of the objects asks ---- */

/* What a resource is made of, as far as it decides what kind of sprite it makes. Either from a whole resource
 * or layer by layer. */
typedef struct stn_sprite_facts {
    bool shape; /* meshes or render links */
    bool slink;
    bool clip, repeat, ambience; /* sound */
    const stn_res_codeentry *code; /* the first one, or NULL */
} stn_sprite_facts;

typedef struct stn_sprite_traits {
    bool live_update; /* takes new state bytes in place (object-cache.md A3.1, A5) */
    bool deferred_end; /* told to end, it goes on until it is done (A5) */
} stn_sprite_traits;

/* One more layer, in file order; `layer` NULL when only its type is known: sounds and code then stay out. */
void stn_sprite_facts_layer(stn_sprite_facts *facts, const char *type, const stn_res_layer *layer);
stn_sprite_facts stn_sprite_facts_of(const stn_res *res);
/* A slink's sprite is another resource's: it counts as one that can neither. */
stn_sprite_traits stn_sprite_traits_of(const char *name, int32_t version, const stn_sprite_facts *facts);

#endif
