/* stage_impl.h - the inside of stage.h: for stage.c, stage_draw.c and stage_ask.c alone. */
#ifndef STN_RENDERER_GL_STAGE_IMPL_H
#define STN_RENDERER_GL_STAGE_IMPL_H

#include "base/log.h"
#include "base/table.h"
#include "renderer/gl/stage.h"
#include "renderer/scene/shadow.h"

#define TEXT_SECONDS 8.0

typedef struct stage_cut {
    stn_job *job; /* shown */
    stn_job *next; /* uploaded, waiting for the rest of its change */
    stn_job *sheets, *next_sheets; /* what is marked on the one and on the other; NULL = nothing */
    stn_spatial *spatial;
    int32_t x, y;
    float memory[4]; /* how far each corner lies in ground that is only remembered, 0..1 */
    uint64_t memory_of; /* the state of the grids that it was found for */
} stage_cut;

typedef struct stage_gob {
    int64_t id;
    stn_job *look; /* NULL: not known yet */
    stn_gob_place place;
    bool placed, place_due;
    double shown_x, shown_y;
    float shown_z;
    stn_m4 matrix;
    stn_spatial *spatial;
    uint64_t chance; /* of its flicker */
    float flicker, flicker_from, flicker_to, flicker_at, flicker_time;
    char text[STN_JOB_TEXT];
    double text_left;
    bool wet; /* it stands over water, whose surface is at water_z */
    float water_z;
    bool small; /* too small in the last picture to be drawn */
    uint64_t seen_in; /* the last picture that it was in */
    bool remembered; /* growth of ground that is only remembered */
    uint32_t pose; /* index + 1 in the newest poses job, 0 = none */
} stage_gob;

typedef struct stage_scene {
    uint64_t frame, session;
    bool leaving; /* it was swapped, and a part of it goes in each frame */
    stn_table *cuts, *gobs, *grids; /* by key: stage_cut, stage_gob, stn_job */
    stn_spatial *root, *cut_root, *gob_root;
    stn_job *poses;
    stn_job_facts facts;
    size_t gob_leaves;
    stn_v3 focus;
    bool has_focus;
    uint64_t swap_shown; /* changes up to this one are shown */
    double held_for; /* seconds since a cut is held; < 0: none is */
} stage_scene;

struct stn_stage {
    stn_stage_parts parts;
    stage_scene scenes[2];
    int shown;
    bool filling; /* the other scene is being filled */
    double filling_since;
    uint32_t *textures, *meshes; /* asset -> id of the table */
    uint8_t **solid; /* asset -> where the texture is solid, NULL: everywhere */
    stn_job **mesh_jobs; /* asset -> the job that brought it, kept for picking */
    uint8_t *texture_state; /* 0 not here, 1 here, 2 refused */
    stn_dayfade day;
    double day_progress;
    bool night, clouds;
    bool overlays; /* sheets on demand are drawn */
    uint64_t map_version, grid_version;
    stn_shadow_follow shadow;
    stn_sg_queue queue;
    size_t gobs_seen, cuts_seen;
    uint64_t picture; /* its number */
    unsigned failed_uploads;
    uint64_t frees, scene_changes;
    double dt; /* of the last tick */
    stn_log_once upload_once;
};

static inline stage_scene *stage_shown(stn_stage *s)
{
    return &s->scenes[s->shown];
}
/* Where what comes goes: the scene being filled if there is one. */
static inline stage_scene *stage_target(stn_stage *s)
{
    return &s->scenes[s->filling ? 1 - s->shown : s->shown];
}
static inline uint64_t stage_cut_key(int32_t x, int32_t y)
{
    return (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
}
static inline uint64_t stage_grid_key(int32_t x, int32_t y)
{
    return (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
}
/* Whether the ground of this cut is only remembered; false as long as its grid is not here. */
bool stage_remembered(const stage_scene *sc, int32_t cut_x, int32_t cut_y);
/* Whether the tile at this place is water; false as long as its grid is not here. */
bool stage_water_in(const stage_scene *sc, double x, double y);
bool stage_height_in(const stage_scene *sc, double x, double y, float *z);
void stage_place_gob(stn_stage *s, stage_scene *sc, stage_gob *g);
/* How large an object is in the picture. */
typedef struct stage_sizing {
    const stn_m4 *clip;
    float nearest; /* stn_cull_nearest() of its box */
    float bias;
    bool seen; /* it is in the picture; else it only throws a shadow */
} stage_sizing;

/* The mesh that a leaf is drawn with: that of its level of detail, if it is here. */
uint32_t stage_leaf_mesh(stn_stage *s, stn_leaf_look *l, const stn_m4 *model, const stage_sizing *z,
                         unsigned flags);
/* 0 while a texture is on its way. */
uint32_t stage_material(stn_stage *s, const stn_matstate *m);

#endif
