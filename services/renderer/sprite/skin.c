#include "renderer/sprite/skin.h"

#include <string.h>

stn_skin stn_skin_of(const stn_res_mesh *mesh)
{
    const stn_attrib *bones = stn_res_vbuf_attr(mesh->vbuf->as.vbuf, STN_ATTR_BONEIDX);
    stn_skin skin = {.single = -1};
    bool all_same = true;

    if (!bones)
        return skin;
    for (size_t i = 0; i < (size_t)mesh->tris * 3; i++) {
        const int32_t *b = &bones->i[4 * (size_t)mesh->indices[i]];
        if (b[0] >= 0)
            skin.boned = true;
        if (b[0] < 0 || b[1] >= 0 || (skin.single >= 0 && skin.single != b[0]))
            all_same = false;
        else
            skin.single = b[0];
    }
    if (!all_same)
        skin.single = -1;
    return skin;
}

void stn_skin_vertex(const int32_t bones[4], const float weights[4], const stn_mat4 *matrices,
                     const float pos[3], const float nrm[3], float out_pos[4], float out_nrm[3])
{
    memset(out_pos, 0, 4 * sizeof *out_pos);
    if (nrm)
        memset(out_nrm, 0, 3 * sizeof *out_nrm);
    for (int i = 0; i < 4; i++) {
        const float *m;
        if (bones[i] < 0)
            continue;
        m = matrices[bones[i]].m;
        for (int r = 0; r < 4; r++)
            out_pos[r] +=
                (((m[r] * pos[0] + m[r + 4] * pos[1]) + m[r + 8] * pos[2]) + m[r + 12]) * weights[i];
        for (int r = 0; nrm && r < 3; r++)
            out_nrm[r] += ((m[r] * nrm[0] + m[r + 4] * nrm[1]) + m[r + 8] * nrm[2]) * weights[i];
    }
}
