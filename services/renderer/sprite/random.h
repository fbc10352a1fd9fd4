/* random.h - the random source of an object: always the same sequence for the same id, from the start at each
 * request. Source: docs/spec/sprites.md 2.2. */
#ifndef STN_SPRITE_RANDOM_H
#define STN_SPRITE_RANDOM_H

#include "num/j48.h"
#include "renderer/sprite/track.h"

#include <stdbool.h>

typedef struct stn_obj_random {
    stn_j48 j48;
    double gauss; /* the second of a pair, kept for the next call */
    bool has_gauss;
} stn_obj_random;

stn_obj_random stn_obj_random_of(int64_t object_id);
stn_obj_random stn_obj_random_seeded(int64_t seed);
double stn_obj_random_gauss(stn_obj_random *r);
/* As a source of floats for animations; `r` must outlive it. */
stn_rnd stn_obj_random_floats(stn_obj_random *r);

#endif
