#include "renderer/gl/stage_impl.h"

#include "base/clock.h"
#include "map/height.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLEAR_NS (STN_MS / 4) /* of a frame, for what is left of a scene that was swapped */

static bool scene_init(stage_scene *sc)
{
    sc->held_for = -1.0;
    sc->cuts = stn_table_new();
    sc->gobs = stn_table_new();
    sc->growth = stn_table_new();
    sc->plots = stn_table_new();
    sc->grids = stn_table_new();
    sc->root = stn_node_new("root");
    sc->cut_root = stn_node_new("cuts");
    sc->gob_root = stn_node_new("gobs");
    sc->nowhere = stn_node_new("nowhere");
    if (!sc->cuts || !sc->gobs || !sc->growth || !sc->plots || !sc->grids || !sc->root || !sc->cut_root ||
        !sc->gob_root || !sc->nowhere || stn_spatial_attach(sc->root, sc->cut_root, NULL) != STN_OK ||
        stn_spatial_attach(sc->root, sc->gob_root, NULL) != STN_OK ||
        stn_spatial_attach(sc->gob_root, sc->nowhere, NULL) != STN_OK)
        return false;
    stn_spatial_set_cull(sc->nowhere, STN_CULL_ALWAYS);
    return true;
}

/* One that scene_init() did not make whole is empty, and what it has is not in the graph. */
static void scene_fini(stage_scene *sc)
{
    stn_table_free(sc->cuts);
    stn_table_free(sc->gobs);
    stn_table_free(sc->growth);
    stn_table_free(sc->plots);
    stn_table_free(sc->grids);
    if (sc->cut_root && !stn_spatial_parent(sc->cut_root))
        stn_spatial_free(sc->cut_root);
    if (sc->nowhere && !stn_spatial_parent(sc->nowhere))
        stn_spatial_free(sc->nowhere);
    if (sc->gob_root && !stn_spatial_parent(sc->gob_root))
        stn_spatial_free(sc->gob_root);
    stn_spatial_free(sc->root);
    free(sc->live);
    free(sc->named);
}

void stage_give_back(stn_stage *s, stn_job *job)
{
    if (!job)
        return;
    s->frees++;
    s->parts.spent(s->parts.arg, job);
}

/* Lets go of what is in the scene, last things first, until `until_ns`; INT64_MAX: all of it. True: it is
 * empty.
 */
static bool scene_clear(stn_stage *s, stage_scene *sc, int64_t until_ns)
{
    size_t it = 0, n;
    uint64_t key;
    void *v;

    if (!stage_clear_gobs(s, sc, until_ns))
        return false;
    while ((n = stn_spatial_children(sc->cut_root)) > 0) {
        stage_free_cut(s, stn_spatial_user(stn_spatial_child(sc->cut_root, n - 1)));
        if (stn_clock_ns() >= until_ns)
            return false;
    }
    while (stn_table_next(sc->grids, &it, &key, &v))
        stage_give_back(s, v);
    stn_table_clear(sc->cuts);
    stn_table_clear(sc->grids);
    stage_give_back(s, sc->poses);
    sc->poses = NULL;
    sc->gob_leaves = 0;
    sc->cuts_shown = 0;
    sc->has_focus = false;
    sc->swap_shown = sc->swap_due = 0;
    sc->held_for = -1.0;
    memset(&sc->facts, 0, sizeof sc->facts);
    sc->leaving = false;
    return true;
}

stn_stage *stn_stage_new(const stn_stage_parts *parts)
{
    stn_stage *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->parts = *parts;
    s->textures = calloc(STN_MAX_ASSETS, sizeof *s->textures);
    s->meshes = calloc(STN_MAX_ASSETS, sizeof *s->meshes);
    s->texture_state = calloc(STN_MAX_ASSETS, 1);
    s->wanted = malloc(STN_MAX_ASSETS * sizeof *s->wanted);
    s->solid = calloc(STN_MAX_ASSETS, sizeof *s->solid);
    s->mesh_jobs = calloc(STN_MAX_ASSETS, sizeof *s->mesh_jobs);
    stn_dayfade_init(&s->day);
    s->ready = s->textures && s->meshes && s->texture_state && s->wanted && s->solid && s->mesh_jobs &&
               stn_uploads_init(&s->uploads);
    for (int i = 0; i < 2; i++)
        s->ready &= scene_init(&s->scenes[i]);
    if (!s->ready) {
        stn_stage_free(s);
        return NULL;
    }
    for (size_t i = 0; i < STN_MAX_ASSETS; i++)
        s->wanted[i] = INFINITY;
    return s;
}

/* What came and is held. */
static void empty(stn_stage *s)
{
    for (int i = 0; i < 2; i++)
        scene_clear(s, &s->scenes[i], INT64_MAX);
    for (size_t i = 0; i < s->uploads.count; i++)
        stage_give_back(s, s->uploads.items[i].job);
    stage_clear_gone(s, INT64_MAX);
    for (uint32_t i = 0; i < STN_MAX_ASSETS; i++) {
        free(s->solid[i]);
        stage_give_back(s, s->mesh_jobs[i]);
    }
}

void stn_stage_free(stn_stage *s)
{
    if (!s)
        return;
    if (s->ready)
        empty(s);
    for (int i = 0; i < 2; i++)
        scene_fini(&s->scenes[i]);
    stn_uploads_fini(&s->uploads);
    stn_sg_queue_fini(&s->queue);
    free(s->solid);
    free(s->mesh_jobs);
    free(s->textures);
    free(s->meshes);
    free(s->texture_state);
    free(s->wanted);
    free(s);
}

/* The map is drawn anew for what is shown; what is being filled comes to it with the swap. */
static void grids_changed(stn_stage *s, const stage_scene *sc)
{
    s->map_version += sc == stage_shown(s);
    s->grid_version++;
}

static bool take_grid(stn_stage *s, stage_scene *sc, stn_job *job)
{
    void *old = NULL;

    if (!stn_table_put(sc->grids, stage_grid_key(job->u.grid.x, job->u.grid.y), job, &old))
        return false;
    stage_give_back(s, old);
    grids_changed(s, sc);
    return true;
}

static void drop_grid(stn_stage *s, stage_scene *sc, const stn_job_grid *g)
{
    stage_give_back(s, stn_table_remove(sc->grids, stage_grid_key(g->x, g->y)));
    grids_changed(s, sc);
}

static void take_global(stn_stage *s, const stn_job_global *g)
{
    if (g->has_light)
        stn_dayfade_set(&s->day, &g->light, g->increment);
    s->day_progress = g->day_progress;
    s->night = g->night;
    s->clouds = g->clouds;
}

static void begin_frame(stn_stage *s, uint64_t frame, uint64_t session)
{
    stage_scene *other = &s->scenes[1 - s->shown];

    if (stage_shown(s)->frame == frame && !s->filling) {
        /* The same frame, told anew: world repeats everything, and what is shown is replaced as it comes. */
        return;
    }
    if (s->filling && other->frame == frame)
        return;
    s->scene_changes++;
    scene_clear(s, other, INT64_MAX); /* two changes within a moment: what is left of the first goes now */
    other->frame = frame;
    other->session = session;
    if (stage_shown(s)->frame == 0) {
        s->shown = 1 - s->shown; /* nothing was shown before: fill in sight */
        s->filling = false;
        return;
    }
    s->filling = true;
    s->filling_since = 0.0;
}

void stn_stage_take(stn_stage *s, stn_job *job)
{
    stage_scene *sc = stage_target(s);
    bool kept = false;

    if (job->frame != 0 && job->frame != sc->frame && job->kind != STN_JOB_FRAME) {
        stage_give_back(s, job);
        return;
    }
    switch (job->kind) {
    case STN_JOB_TEXTURE:
    case STN_JOB_MESH:
    case STN_JOB_CUT:
    case STN_JOB_SHEETS:
    case STN_JOB_SURROUND:
    case STN_JOB_LEVELS:
        stage_put_upload(s, sc, job);
        return;
    case STN_JOB_FRAME:
        begin_frame(s, job->frame, (uint64_t)job->u.id);
        break;
    case STN_JOB_CUT_DROP:
        stage_drop_cut(s, sc, &job->u.cut);
        break;
    case STN_JOB_CUT_SWAP:
        stage_swap_due(s, sc, job->u.cut.swap);
        break;
    case STN_JOB_GRID:
        kept = take_grid(s, sc, job);
        break;
    case STN_JOB_GRID_DROP:
        drop_grid(s, sc, &job->u.grid);
        break;
    case STN_JOB_GOB:
        kept = stage_take_look(s, sc, job);
        break;
    case STN_JOB_GOB_PLACE:
        stage_take_place(sc, &job->u.place);
        break;
    case STN_JOB_GOB_TEXT:
        kept = stage_take_text(s, sc, job);
        break;
    case STN_JOB_GOB_NAME:
        kept = stage_take_name(s, sc, job);
        break;
    case STN_JOB_GOB_DROP:
        stage_drop_gob(s, sc, job->u.id);
        break;
    case STN_JOB_POSES:
        kept = stage_take_poses(s, sc, job);
        break;
    case STN_JOB_GLOBAL:
        take_global(s, &job->u.global);
        break;
    case STN_JOB_FACTS:
        sc->facts = job->u.facts;
        break;
    case STN_JOB_ASSET_DROP:
    case STN_JOB_CHAT:
    case STN_JOB_MENU:
    case STN_JOB_GHOST:
        break;
    }
    if (!kept)
        stage_give_back(s, job);
}

/* --- places --- */

bool stage_remembered(const stage_scene *sc, int32_t cut_x, int32_t cut_y)
{
    const stn_job *grid = stn_table_get(
        sc->grids, stage_grid_key(stn_fdiv(cut_x, STN_GRID_CUTS), stn_fdiv(cut_y, STN_GRID_CUTS)));

    return grid && grid->u.grid.remembered;
}

static stn_status corner(void *arg, stn_coord tc, float *z)
{
    const stage_scene *sc = arg;
    const stn_job *grid = stn_table_get(
        sc->grids, stage_grid_key(stn_fdiv(tc.x, STN_GRID_TILES), stn_fdiv(tc.y, STN_GRID_TILES)));

    if (!grid)
        return STN_AGAIN;
    *z = grid->u.grid
             .heights[stn_fmod(tc.x, STN_GRID_TILES) + stn_fmod(tc.y, STN_GRID_TILES) * STN_GRID_TILES];
    return STN_OK;
}

bool stage_height_in(const stage_scene *sc, double x, double y, float *z)
{
    double h;

    if (!isfinite(x) || !isfinite(y) || stn_height_at(corner, (void *)(uintptr_t)sc, x, y, &h) != STN_OK)
        return false;
    *z = (float)h;
    return isfinite(*z);
}

bool stage_normal_in(const stage_scene *sc, double x, double y, float normal[3])
{
    return stn_height_normal(corner, (void *)(uintptr_t)sc, x, y, normal) == STN_OK;
}

bool stage_water_in(const stage_scene *sc, double x, double y)
{
    stn_coord tc = {(int32_t)floor(x / 11.0), (int32_t)floor(y / 11.0)};
    const stn_job *grid = stn_table_get(
        sc->grids, stage_grid_key(stn_fdiv(tc.x, STN_GRID_TILES), stn_fdiv(tc.y, STN_GRID_TILES)));

    return grid &&
           grid->u.grid
               .water[stn_fmod(tc.x, STN_GRID_TILES) + stn_fmod(tc.y, STN_GRID_TILES) * STN_GRID_TILES];
}

static void tick_scene(stn_stage *s, stage_scene *sc, double dt)
{
    const stage_gob *player;

    stage_tick_gobs(s, sc, dt);
    player = sc->facts.has_player ? stage_gob_of(sc, sc->facts.player) : NULL;
    if (player && player->placed && !player->place_due) {
        sc->focus = (stn_v3){(float)player->shown_x, -(float)player->shown_y, player->shown_z};
        sc->has_focus = true;
    }
    stn_spatial_update(sc->root, dt);
}

static bool scene_complete(const stn_stage *s, const stage_scene *sc)
{
    return s->uploads.count == 0 && sc->frame != 0 && sc->facts.cuts_wanted > 0 &&
           sc->facts.cuts_ready >= sc->facts.cuts_wanted && sc->facts.resources_waiting == 0;
}

void stn_stage_tick(stn_stage *s, double dt)
{
    stage_scene *old = stage_shown(s);

    s->dt = dt;
    stn_dayfade_tick(&s->day, dt);
    tick_scene(s, stage_target(s), dt);
    stage_show_late(s, stage_target(s), dt);
    /* One or the other: what is gone of the scene in sight first. */
    if (s->gone)
        stage_clear_gone(s, stn_clock_ns() + CLEAR_NS);
    else if (s->scenes[1 - s->shown].leaving)
        scene_clear(s, &s->scenes[1 - s->shown], stn_clock_ns() + CLEAR_NS);
    if (!s->filling)
        return;
    s->filling_since += dt;
    if (!scene_complete(s, stage_target(s)) && s->filling_since < STN_STAGE_SWAP_SECONDS)
        return;
    s->shown = 1 - s->shown;
    s->filling = false;
    s->scene_changes++;
    old->frame = 0;
    old->leaving = true; /* a part of it in each frame from the next on */
    s->map_version++;
}

bool stn_stage_complete(const stn_stage *s)
{
    return !s->filling && scene_complete(s, &s->scenes[s->shown]);
}
