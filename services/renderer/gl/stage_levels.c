/* stage_levels.c - in which level of detail something is drawn. */
#include "renderer/gl/stage_impl.h"

#include "renderer/scene/cull.h"
#include "renderer/scene/simplify.h"

/* In map units, how far the surface of what throws a shadow may be off: less than a texel of the shadow map,
 * and half of what a caster is pushed back by, so that nothing shades itself. */
#define SHADOW_ERROR 0.5

static int level_of(stn_leaf_look *l, double diameter, const stage_sizing *z, unsigned flags)
{
    int level = z->seen ? l->level : 0;

    if (flags & STN_DRAW_VISIBLE) {
        level = stn_lod_level(stn_lod_size(z->clip, z->nearest, diameter) * (double)z->bias, l->level);
        l->level = (uint8_t)level;
        return level;
    }
    /* A shadow shows less than the thing itself, and near things throw theirs over a whole map. */
    while (level < STN_MESH_LEVELS && diameter * stn_simplify_error[level] <= SHADOW_ERROR)
        level++;
    return level;
}

uint32_t stage_leaf_mesh(stn_stage *s, stn_leaf_look *l, const stn_m4 *model, const stage_sizing *z,
                         unsigned flags)
{
    uint32_t id = l->mesh < STN_MAX_ASSETS ? s->meshes[l->mesh] : 0;
    const stn_gpu_mesh *g = stn_meshes_get(s->parts.meshes, id);
    int level;

    if (!g || !z || !(g->diameter > 0.0f) || !s->parts.levels)
        return id;
    level = level_of(l, (double)(g->diameter * stn_lod_scale(model)), z, flags);
    if (level == 0)
        return id;
    if (g->asked == STN_LEVELS_UNKNOWN && s->parts.levels(s->parts.arg, l->mesh))
        stn_meshes_asked(s->parts.meshes, id);
    return g->level[level - 1] ? g->level[level - 1] : id;
}
