/* world/traits.h - what the object cache must know of a resource, from what the loader says of it. Pure.
 *
 * The types of its layers come with every answer. They decide but for two kinds, code and sounds, whose
 * content counts: a resource with such a layer is asked for again with its payload. Source:
 * docs/spec/object-cache.md B7; the rule itself is stn_sprite_traits_of() (res/natives.h), which the drawing
 * side's sprites agree with.
 */
#ifndef STN_WORLD_TRAITS_H
#define STN_WORLD_TRAITS_H

#include "res/natives.h"
#include "world/gob.h"

/* number: of the resource, the slot of its published attributes. */
stn_res_traits stn_traits_bare(uint32_t number);
/* One more layer by its type. True: its content is needed to know. */
bool stn_traits_layer(stn_res_traits *t, stn_sprite_facts *facts, const char *type);
/* What the sprite can, by the facts or by the whole resource. */
void stn_traits_of_facts(stn_res_traits *t, const char *name, int32_t version, const stn_sprite_facts *facts);
void stn_traits_of_res(stn_res_traits *t, const char *name, int32_t version, const stn_res *res);

#endif
