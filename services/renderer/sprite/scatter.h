/* scatter.h - native twins of served sprites that scatter or lean parts by the object's own random source:
 * field crops, trellis crops, ground clutter, the tilt of trees. Source: docs/spec/sprites.md 20
 * (Scattered), 21.1, 21.3. */
#ifndef STN_SPRITE_SCATTER_H
#define STN_SPRITE_SCATTER_H

#include "renderer/sprite/place.h"
#include "renderer/sprite/random.h"

/* One part: which variant (or group), its offset from the object, and its location, which takes the place of
 * the object's own rotation. */
typedef struct stn_sprout {
    uint32_t variant;
    float x, y;
    stn_mat4 place;
} stn_sprout;

typedef struct stn_scatter {
    int64_t object;
    double angle;
    float x, y, z; /* where the object stands */
    const stn_ground *ground;
} stn_scatter;

#define STN_SPROUTS_MAX 256

/* Each writes at most STN_SPROUTS_MAX sprouts to out and says how many. MALFORMED for counts out of range
 * (num and variants from 1), LOADING while the ground is missing. */
stn_sprite_fault stn_scatter_growing(const stn_scatter *s, int32_t num, int32_t variants, stn_sprout *out,
                                     uint32_t *n, stn_err *err);
stn_sprite_fault stn_scatter_trellis(const stn_scatter *s, int32_t num, int32_t variants, stn_sprout *out,
                                     uint32_t *n, stn_err *err);
/* `members[v]` parts in group v share a place and draw an angle each; NULL = one each. */
stn_sprite_fault stn_scatter_gaussian(const stn_scatter *s, int32_t low, int32_t high, float radius,
                                      int32_t groups, const uint32_t *members, stn_sprout *out, uint32_t *n,
                                      stn_err *err);

/* How a tree leans: by the grid it stands in and its tile there. */
typedef struct stn_tilt {
    double direction, amount; /* radians */
    stn_mat4 turn;
} stn_tilt;
stn_tilt stn_tree_tilt(int64_t grid, int32_t tile_x, int32_t tile_y);

/* What damage does to the look: crack texture 0..2, how it is turned (x y z w), and the colour mixed in. `hp`
 * in 0..1; false: nothing. Source: docs/spec/sprites.md 18 (Health). */
typedef struct stn_crack {
    int32_t index;
    float turn[4];
    float mix[4];
} stn_crack;
bool stn_health_crack(int64_t object, float hp, stn_crack *out);

#endif
