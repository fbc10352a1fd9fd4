/* builders.h - everything that the pack holds besides ground: one function a thing.
 *
 * Each returns a fresh model (NULL or `failed` set: out of memory) and is a pure function without arguments
 * or chance from outside. Trees and people are at full size; trees are scaled by their state bytes.
 */
#ifndef STN_HOMESTEAD_PACK_BUILDERS_H
#define STN_HOMESTEAD_PACK_BUILDERS_H

#include "homestead/pack/model.h"

typedef struct stn_builder {
    const char *name; /* of the resource: "homestead/trees/birch" */
    stn_model *(*build)(void);
} stn_builder;

/* Ended by a NULL name. */
extern const stn_builder stn_tree_builders[];
extern const stn_builder stn_thing_builders[];
extern const stn_builder stn_house_builders[];
extern const stn_builder stn_nature_builders[];
extern const stn_builder stn_people_builders[];
extern const stn_builder stn_beast_builders[];
extern const stn_builder stn_flavor_builders[];

#endif
