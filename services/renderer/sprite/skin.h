/* skin.h - which bones a mesh follows, and the vertex formula. Source: docs/spec/sprites.md 16. */
#ifndef STN_SPRITE_SKIN_H
#define STN_SPRITE_SKIN_H

#include "renderer/sprite/quat.h"
#include "res/layers.h"

#include <stdbool.h>

typedef struct stn_skin {
    bool boned; /* some vertex of its triangles has an influence */
    int32_t
        single; /* the one bone (index into the buffer's names) that all of them follow alone; -1 = several */
} stn_skin;

/* Looks at the triangles' vertices only. */
stn_skin stn_skin_of(const stn_res_mesh *mesh);

/* p' (x y z w) and n' of one vertex; matrices by the buffer's bone names. No influence: all zero. nrm and
 * out_nrm may be NULL together. */
void stn_skin_vertex(const int32_t bones[4], const float weights[4], const stn_mat4 *matrices,
                     const float pos[3], const float nrm[3], float out_pos[4], float out_nrm[3]);

#endif
