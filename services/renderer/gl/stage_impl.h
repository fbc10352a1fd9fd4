/* stage_impl.h - the inside of stage.h: for the files stage*.c alone. */
#ifndef STN_RENDERER_GL_STAGE_IMPL_H
#define STN_RENDERER_GL_STAGE_IMPL_H

#include "base/log.h"
#include "base/table.h"
#include "renderer/gl/stage.h"
#include "renderer/gl/uploads.h"
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
    uint64_t cast_in; /* the picture in which it was drawn with its shadow */
} stage_cut;

typedef struct stage_gob {
    int64_t id;
    stn_job *look; /* NULL: not known yet */
    stn_job *next; /* the look that follows, until what it is drawn with is here; NULL = none */
    float next_for; /* seconds that it has waited */
    stn_gob_place place;
    bool placed, place_due;
    int8_t mark; /* on the minimap: -1 = none, 0 other, 1 a person */
    double shown_x, shown_y;
    float shown_z;
    stn_m4 matrix;
    stn_spatial *spatial;
    uint64_t plot; /* of the cut that it stands in, when it is placed */
    uint32_t live; /* place + 1 among those that time changes, 0 = it does not */
    uint64_t chance; /* of its flicker */
    float flicker, flicker_from, flicker_to, flicker_at, flicker_time;
    stn_job *speech; /* what it says, NULL = nothing */
    double text_left; /* seconds */
    stn_job *name; /* NULL: none came */
    uint32_t named; /* place + 1 among those with a name to show, 0 = it has none */
    bool wet; /* it stands over water, whose surface is at water_z */
    float water_z;
    bool small; /* too small in the last picture to be drawn */
    uint64_t seen_in; /* the last picture that it was in */
    bool remembered; /* growth of ground that is only remembered */
    uint32_t pose; /* index + 1 in the newest poses job, 0 = none */
    uint64_t cast_in; /* the picture in which it was drawn with its shadow */
} stage_gob;

/* Objects hang in the graph below the cut that they stand in, so that what is far from the picture is left
 * out a cut at a time; those without a place below `nowhere`. */
typedef struct stage_scene {
    uint64_t frame, session;
    bool leaving; /* it was swapped, and a part of it goes in each frame */
    stn_table *cuts, *grids; /* by key: stage_cut, stn_job */
    stn_table *gobs, *growth; /* by id: stage_gob; what the ground scatters has ids below 0 */
    stn_table *plots; /* by key of the cut: stn_spatial, whose user is its key */
    stn_spatial *root, *cut_root, *gob_root, *nowhere;
    stage_gob **live; /* what time changes: it moves, speaks, shines, or waits for something */
    uint32_t live_count, live_cap;
    stage_gob **named; /* who has a name to show */
    uint32_t named_count, named_cap;
    size_t cuts_shown, gob_leaves;
    stn_job *poses;
    stn_job_facts facts;
    stn_v3 focus;
    bool has_focus;
    uint64_t swap_shown; /* changes up to this one are shown */
    uint64_t swap_due; /* changes up to this one are complete but for uploads */
    double held_for; /* seconds since a cut is held; < 0: none is */
} stage_scene;

struct stn_stage {
    stn_stage_parts parts;
    bool ready; /* all of it was made */
    stage_scene scenes[2];
    int shown;
    bool filling; /* the other scene is being filled */
    double filling_since;
    uint32_t *textures, *meshes; /* asset -> id of the table */
    uint8_t **solid; /* asset -> where the texture is solid, NULL: everywhere */
    stn_job **mesh_jobs; /* asset -> the job that brought it, kept for picking */
    uint8_t *texture_state; /* 0 not here, 1 here, if only its small levels, 2 refused */
    float *wanted; /* asset -> how far the nearest is that cannot be drawn without it, INFINITY = nothing */
    stn_uploads uploads;
    uint32_t pattern_due[STN_PATTERNS]; /* asset of a texture that is on its way, 0 = none */
    stn_job *gone, *gone_last; /* cuts that are shown no longer, through `next`: a part goes in each frame */
    size_t gone_count;
    uint64_t picture; /* how many were filled */
    stn_sg_camera camera; /* of the last picture */
    bool has_camera;
    stn_dayfade day;
    double day_progress;
    bool night, clouds;
    bool overlays; /* sheets on demand are drawn */
    uint64_t map_version, grid_version;
    stn_shadow_follow shadow;
    bool shadow_drawn; /* the last picture had one, which stands where `shadow` says */
    double shadow_left_out; /* seconds since then without a new one */
    stn_sg_queue queue;
    size_t gobs_seen, cuts_seen;
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
bool stage_normal_in(const stage_scene *sc, double x, double y, float normal[3]);
void stage_give_back(stn_stage *s, stn_job *job); /* NULL is fine */

/* --- stage_gobs.c: objects --- */
stage_gob *stage_gob_of(const stage_scene *sc, int64_t id); /* NULL: not there */
bool stage_take_look(stn_stage *s, stage_scene *sc, stn_job *job); /* true: the job is kept */
void stage_take_place(stage_scene *sc, const stn_gob_place *p);
bool stage_take_poses(stn_stage *s, stage_scene *sc, stn_job *job); /* true: the job is kept */
bool stage_take_text(stn_stage *s, stage_scene *sc, stn_job *job); /* true: the job is kept */
bool stage_take_name(stn_stage *s, stage_scene *sc, stn_job *job); /* true: the job is kept */
void stage_drop_gob(stn_stage *s, stage_scene *sc, int64_t id);
/* Frees some, the last first. True: none is left. */
bool stage_clear_gobs(stn_stage *s, stage_scene *sc, int64_t until_ns);
void stage_place_gob(stn_stage *s, stage_scene *sc, stage_gob *g);
void stage_tick_gobs(stn_stage *s, stage_scene *sc, double dt);

/* --- stage_levels.c: how finely --- */
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

/* --- stage_upload.c: what goes to the driver --- */
/* Takes the job: at once, or it waits for stn_stage_upload(). */
void stage_put_upload(stn_stage *s, stage_scene *sc, stn_job *job);
void stage_drop_cut(stn_stage *s, stage_scene *sc, const stn_job_cut *cut);
void stage_swap_due(stn_stage *s, stage_scene *sc, uint64_t swap);
void stage_show_late(stn_stage *s, stage_scene *sc, double dt);
void stage_free_cut(stn_stage *s, stage_cut *c);
/* What is no longer shown goes; at least one thing. True: nothing is left. */
bool stage_clear_gone(stn_stage *s, int64_t until_ns);
/* 0 while a texture is on its way. */
uint32_t stage_material(stn_stage *s, const stn_matstate *m);
/* Says that something so far away cannot be drawn without what the material, or a mesh, needs. */
void stage_want_material(stn_stage *s, const stn_matstate *m, float far);
void stage_want_mesh(stn_stage *s, uint32_t asset, float far);
/* All that a look is drawn with is here; what is not is asked for. */
bool stage_look_here(stn_stage *s, const stn_gob_look *look, float far);

#endif
