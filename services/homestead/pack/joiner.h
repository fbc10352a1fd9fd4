/* joiner.h - boards, staves, logs and iron: what the built things are made of.
 *
 * Wood comes from the five wood resources, so that one model wears any of them through variable materials:
 * slot 0 boards, 1 beams, 2 end grain (docs/spec/sprites.md 11). A thing's front looks along -y (south on the
 * map at angle 0).
 */
#ifndef STN_HOMESTEAD_PACK_JOINER_H
#define STN_HOMESTEAD_PACK_JOINER_H

#include "homestead/pack/model.h"

#include <stdint.h>

/* Material ids of a wooden model; those from STN_MAT_OWN on are the thing's own. */
enum {
    STN_MAT_BOARD = 0,
    STN_MAT_BEAM = 1,
    STN_MAT_END = 2,
    STN_MAT_IRON = 3,
    STN_MAT_OWN = 4,
    STN_MAT_OWN2 = 5,
    STN_MAT_OWN3 = 6
};

#define STN_GRAIN (1.0f / 18.0f) /* plank pictures a map unit */

/* One who saws: each board takes its grain from a place of the picture of its own. */
typedef struct stn_joiner {
    stn_shape *board, *beam, *end, *iron;
    stn_rng r;
} stn_joiner;

/* A model whose first four parts are boards, beams, ends and iron, in `wood` ("homestead/wood/oak"). NULL
 * when out of memory. */
stn_model *stn_joiner_model(const char *wood, stn_joiner *j, uint64_t seed);
/* Parts of the same four materials that are shown by the state bytes alone: id 16 and up without any
 * (closed), id 0 in state 01 (open); docs/spec/sprites.md 4. `variable`: they take variable materials as the
 * fixed parts do. */
stn_joiner stn_joiner_leaf(stn_model *m, const stn_joiner *j, int16_t id, bool variable);
#define STN_LEAF_CLOSED 16
#define STN_LEAF_OPEN 0
/* A board: x long, y wide, z thick about xf, its long sides in `to`, its ends in j->end. */
void stn_joiner_saw(stn_joiner *j, stn_shape *to, stn_xf xf, float x, float y, float z, float bevel);
/* A place where a board's length stands up. */
stn_xf stn_joiner_upright(float x, float y, float z);
void stn_joiner_nail(stn_joiner *j, stn_v3 at, stn_v3 out);
void stn_joiner_iron(stn_joiner *j, stn_xf xf, float x, float y, float z);
/* Staves along an outline of (radius, height) pairs, hoops about them, a lid of boards. */
void stn_joiner_staves(stn_joiner *j, stn_shape *to, const stn_xf *xf, const float (*profile)[2], size_t n,
                       unsigned count);
void stn_joiner_hoop(stn_joiner *j, const stn_xf *xf, float z, float r0, float r1, float tall);
void stn_joiner_lid(stn_joiner *j, const stn_xf *xf, float radius, float z, int boards);
/* A log from end to end, its cut faces shown. */
void stn_joiner_log(stn_shape *bark, stn_shape *ends, stn_v3 a, stn_v3 b, float ra, float rb, unsigned around,
                    float repeat);

#endif
