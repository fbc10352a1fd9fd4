#include "renderer/gl/stage_impl.h"

#include "base/clock.h"
#include "map/height.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLEAR_NS (STN_MS / 4) /* of a frame, for what is left of a scene that was swapped */
#define CLEAR_STEP 8 /* things between two looks at the clock */

/* Each has its own, so that how one flickers does not hang on the order in which all are looked at. */
static float chance(stage_gob *g, float lo, float hi)
{
    g->chance = g->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (float)(g->chance >> 40) / 16777216.0f * (hi - lo);
}

static bool scene_init(stage_scene *sc)
{
    sc->held_for = -1.0;
    sc->cuts = stn_table_new();
    sc->gobs = stn_table_new();
    sc->grids = stn_table_new();
    sc->root = stn_node_new("root");
    sc->cut_root = stn_node_new("cuts");
    sc->gob_root = stn_node_new("gobs");
    return sc->cuts && sc->gobs && sc->grids && sc->root && sc->cut_root && sc->gob_root &&
           stn_spatial_attach(sc->root, sc->cut_root, NULL) == STN_OK &&
           stn_spatial_attach(sc->root, sc->gob_root, NULL) == STN_OK;
}

static void give_back(stn_stage *s, stn_job *job)
{
    if (!job)
        return;
    s->frees++;
    s->parts.spent(s->parts.arg, job);
}

static void drop_cut_job(stn_stage *s, stn_job *job)
{
    if (!job)
        return;
    for (uint32_t i = 0; i < job->u.cut.part_count; i++)
        stn_meshes_remove(s->parts.meshes, job->u.cut.parts[i].mesh_id);
    s->frees += job->u.cut.part_count;
    give_back(s, job);
}

static void free_cut(stn_stage *s, stage_cut *c)
{
    drop_cut_job(s, c->job);
    drop_cut_job(s, c->next);
    drop_cut_job(s, c->sheets);
    drop_cut_job(s, c->next_sheets);
    stn_spatial_free(c->spatial);
    free(c);
    s->frees++;
}

static void free_gob(stn_stage *s, stage_gob *g)
{
    give_back(s, g->look);
    stn_spatial_free(g->spatial);
    free(g);
    s->frees++;
}

/* Lets go of what is in the scene, last things first, until `until_ns`; INT64_MAX: all of it. True: it is
 * empty.
 */
static bool scene_clear(stn_stage *s, stage_scene *sc, int64_t until_ns)
{
    size_t it = 0, n;
    uint64_t key;
    void *v;

    /* By the graph and not by the tables: the last child leaves without a search, and a table that is walked
     * may not change. What the tables hold meanwhile is not looked at. */
    while (sc->gob_root && (n = stn_spatial_children(sc->gob_root)) > 0) {
        free_gob(s, stn_spatial_user(stn_spatial_child(sc->gob_root, n - 1)));
        if (n % CLEAR_STEP == 0 && stn_clock_ns() >= until_ns)
            return false;
    }
    while (sc->cut_root && (n = stn_spatial_children(sc->cut_root)) > 0) {
        free_cut(s, stn_spatial_user(stn_spatial_child(sc->cut_root, n - 1)));
        if (stn_clock_ns() >= until_ns)
            return false;
    }
    while (sc->grids && stn_table_next(sc->grids, &it, &key, &v))
        give_back(s, v);
    if (sc->cuts)
        stn_table_clear(sc->cuts);
    if (sc->gobs)
        stn_table_clear(sc->gobs);
    if (sc->grids)
        stn_table_clear(sc->grids);
    give_back(s, sc->poses);
    sc->poses = NULL;
    sc->gob_leaves = 0;
    sc->has_focus = false;
    sc->swap_shown = 0;
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
    s->solid = calloc(STN_MAX_ASSETS, sizeof *s->solid);
    s->mesh_jobs = calloc(STN_MAX_ASSETS, sizeof *s->mesh_jobs);
    stn_dayfade_init(&s->day);
    if (!s->textures || !s->meshes || !s->texture_state || !s->solid || !s->mesh_jobs ||
        !scene_init(&s->scenes[0]) || !scene_init(&s->scenes[1])) {
        stn_stage_free(s);
        return NULL;
    }
    return s;
}

void stn_stage_free(stn_stage *s)
{
    if (!s)
        return;
    for (int i = 0; i < 2; i++) {
        scene_clear(s, &s->scenes[i], INT64_MAX);
        stn_table_free(s->scenes[i].cuts);
        stn_table_free(s->scenes[i].gobs);
        stn_table_free(s->scenes[i].grids);
        stn_spatial_free(s->scenes[i].root);
    }
    stn_sg_queue_fini(&s->queue);
    for (uint32_t i = 0; i < STN_MAX_ASSETS; i++) {
        if (s->solid)
            free(s->solid[i]);
        if (s->mesh_jobs)
            give_back(s, s->mesh_jobs[i]);
    }
    free(s->solid);
    free(s->mesh_jobs);
    free(s->textures);
    free(s->meshes);
    free(s->texture_state);
    free(s);
}

uint32_t stage_material(stn_stage *s, const stn_matstate *m)
{
    stn_matstate here = *m;

    for (int i = 0; i < STN_MAT_T_COUNT; i++) {
        uint32_t asset = m->texture[i];

        if (asset == 0 || asset >= STN_MAX_ASSETS)
            continue;
        if (s->texture_state[asset] == 0)
            return 0;
        here.texture[i] = s->textures[asset];
    }
    return stn_view_material(s->parts.view, &here);
}

static void take_texture(stn_stage *s, stn_job_texture *t)
{
    stn_err err = {0};
    stn_status st;

    if (t->asset >= STN_MAX_ASSETS)
        return;
    st = stn_textures_add(s->parts.textures, t->levels, t->level_count, t->sampling, &s->textures[t->asset],
                          &err);
    s->texture_state[t->asset] = st == STN_OK ? 1 : 2;
    if (st == STN_OK && !s->solid[t->asset]) {
        s->solid[t->asset] = t->solid;
        t->solid = NULL;
        stn_textures_keep(s->parts.textures, s->textures[t->asset], s->solid[t->asset]);
    }
    if (st != STN_OK) {
        s->failed_uploads++;
        if (stn_log_due(&s->upload_once))
            stn_log_warn("%s: the placeholder stands for it", err.text);
    }
}

/* True: the job is kept. */
static bool take_mesh(stn_stage *s, stn_job *job)
{
    const stn_job_mesh *m = &job->u.mesh;
    stn_mesh_view source = stn_mesh_view_of(&m->desc);

    if (m->asset >= STN_MAX_ASSETS)
        return false;
    stn_meshes_remove(s->parts.meshes, s->meshes[m->asset]); /* it borrows from the job that goes */
    give_back(s, s->mesh_jobs[m->asset]);
    s->mesh_jobs[m->asset] = NULL;
    s->meshes[m->asset] = stn_meshes_add(s->parts.meshes, &m->desc);
    if (!s->meshes[m->asset]) {
        s->failed_uploads++;
        return false;
    }
    if (m->morph.texels)
        stn_meshes_animate(s->parts.meshes, s->meshes[m->asset], &m->morph);
    s->mesh_jobs[m->asset] = job;
    stn_meshes_measure(s->parts.meshes, s->meshes[m->asset], m->diameter);
    source.morph = m->morph;
    stn_meshes_keep(s->parts.meshes, s->meshes[m->asset], &source);
    return true;
}

static stage_cut *cut_of(stage_scene *sc, int32_t x, int32_t y, bool make)
{
    stage_cut *c = stn_table_get(sc->cuts, stage_cut_key(x, y));

    if (c || !make)
        return c;
    c = calloc(1, sizeof *c);
    if (c)
        c->spatial = stn_mesh_new("cut");
    if (!c || !c->spatial || stn_spatial_attach(sc->cut_root, c->spatial, NULL) != STN_OK ||
        !stn_table_put(sc->cuts, stage_cut_key(x, y), c, NULL)) {
        if (c)
            stn_spatial_free(c->spatial);
        free(c);
        return NULL;
    }
    c->x = x;
    c->y = y;
    stn_spatial_set_user(c->spatial, c);
    return c;
}

static stn_bound box_of(stn_v3 min, stn_v3 max)
{
    stn_sg_v3 c = {((double)min.x + (double)max.x) * 0.5, ((double)min.y + (double)max.y) * 0.5,
                   ((double)min.z + (double)max.z) * 0.5};
    stn_sg_v3 e = {(double)max.x - c.x, (double)max.y - c.y, (double)max.z - c.z};

    return stn_bound_box(c, e);
}

static void show_cut(stn_stage *s, stage_cut *c)
{
    stn_bound b;

    if (!c->next)
        return;
    drop_cut_job(s, c->job);
    c->job = c->next;
    c->next = NULL;
    if (c->next_sheets) {
        drop_cut_job(s, c->sheets);
        c->sheets = c->next_sheets;
        c->next_sheets = NULL;
    }
    b = box_of(c->job->u.cut.min, c->job->u.cut.max);
    if (!stn_bound_is_finite(&b))
        b = stn_bound_infinite();
    stn_mesh_set_bound(c->spatial, &b);
    stn_spatial_translate(c->spatial, (stn_sg_v3){c->x * 275.0, c->y * -275.0, 0.0});
}

/* The cuts of a change are shown when all are here. */
static void show_swap(stn_stage *s, stage_scene *sc, uint64_t swap)
{
    size_t it = 0;
    uint64_t key;
    void *v;
    bool held = false;

    if (swap > sc->swap_shown)
        sc->swap_shown = swap;
    while (stn_table_next(sc->cuts, &it, &key, &v)) {
        stage_cut *c = v;

        if (c->next && c->next->u.cut.swap <= swap)
            show_cut(s, c);
        held |= c->next != NULL;
    }
    sc->held_for = held ? 0.0 : -1.0;
}

/* What ends the change may be lost. */
static void show_late(stn_stage *s, stage_scene *sc, double dt)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    if (sc->held_for < 0.0 || (sc->held_for += dt) < STN_STAGE_HOLD_SECONDS)
        return;
    while (stn_table_next(sc->cuts, &it, &key, &v))
        show_cut(s, v);
    sc->held_for = -1.0;
}

static bool upload_cut(stn_stage *s, stn_job_cut *cut)
{
    stn_mesh_part parts[512];
    uint32_t ids[512], n = cut->part_count < 512 ? cut->part_count : 512;

    if (n == 0)
        return true;
    for (uint32_t i = 0; i < n; i++)
        parts[i] = cut->parts[i].mesh;
    if (!stn_meshes_add_parts(s->parts.meshes, cut->vertices, cut->vertex_bytes, cut->indices,
                              cut->index_bytes, parts, n, ids))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        stn_mesh_view source = stn_mesh_view_of_part(&cut->parts[i].mesh, cut->vertices, cut->indices);

        cut->parts[i].mesh_id = ids[i];
        stn_meshes_keep(s->parts.meshes, ids[i], &source);
    }
    cut->part_count = n;
    return true;
}

/* True: the job is kept. */
static bool take_cut(stn_stage *s, stage_scene *sc, stn_job *job)
{
    stn_job_cut *cut = &job->u.cut;
    stage_cut *c = cut_of(sc, cut->x, cut->y, true);

    if (!c || !upload_cut(s, cut)) {
        s->failed_uploads++;
        return false;
    }
    drop_cut_job(s, c->next);
    c->next = job;
    if (cut->swap <= sc->swap_shown || !c->job)
        show_cut(s, c); /* the first of a place need not wait: there is nothing to change from */
    else if (sc->held_for < 0.0)
        sc->held_for = 0.0;
    return true;
}

/* True: the job is kept. Marks on ground that waits for the rest of its change wait with it. */
static bool take_sheets(stn_stage *s, stage_scene *sc, stn_job *job)
{
    stage_cut *c = cut_of(sc, job->u.cut.x, job->u.cut.y, false);
    stn_job **at;

    if (!c)
        return false;
    if (!upload_cut(s, &job->u.cut)) {
        s->failed_uploads++;
        return false;
    }
    at = c->next && c->next->u.cut.product == job->u.cut.product ? &c->next_sheets : &c->sheets;
    drop_cut_job(s, *at);
    *at = job;
    return true;
}

static void drop_cut(stn_stage *s, stage_scene *sc, const stn_job_cut *cut)
{
    stage_cut *c = stn_table_remove(sc->cuts, stage_cut_key(cut->x, cut->y));

    if (c)
        free_cut(s, c);
}

static stage_gob *gob_of(stage_scene *sc, int64_t id, bool make)
{
    stage_gob *g = stn_table_get(sc->gobs, (uint64_t)id);

    if (g || !make)
        return g;
    g = calloc(1, sizeof *g);
    if (g)
        g->spatial = stn_mesh_new("gob");
    if (!g || !g->spatial || stn_spatial_attach(sc->gob_root, g->spatial, NULL) != STN_OK ||
        !stn_table_put(sc->gobs, (uint64_t)id, g, NULL)) {
        if (g)
            stn_spatial_free(g->spatial);
        free(g);
        return NULL;
    }
    g->id = id;
    g->matrix = stn_m4_identity();
    g->flicker = 1.0f;
    g->chance = 0x853c49e6748fea9b ^ (uint64_t)id;
    stn_spatial_set_user(g->spatial, g);
    stn_spatial_set_cull(g->spatial, STN_CULL_ALWAYS); /* until it has a place */
    return g;
}

static bool take_look(stn_stage *s, stage_scene *sc, stn_job *job)
{
    stage_gob *g = gob_of(sc, job->u.look.id, true);
    stn_bound b;

    if (!g)
        return false;
    sc->gob_leaves += job->u.look.leaf_count - (g->look ? g->look->u.look.leaf_count : 0);
    give_back(s, g->look);
    g->look = job;
    g->pose = 0;
    b = box_of(job->u.look.min, job->u.look.max);
    if (!stn_bound_is_finite(&b))
        b = stn_bound_box((stn_sg_v3){0, 0, 5}, (stn_sg_v3){5, 5, 5});
    stn_mesh_set_bound(g->spatial, &b);
    g->place_due = true;
    return true;
}

static void take_place(stage_scene *sc, const stn_gob_place *p)
{
    stage_gob *g = gob_of(sc, p->id, true);

    if (!g)
        return;
    g->place = *p;
    g->placed = g->place_due = true;
    stn_spatial_set_cull(g->spatial, STN_CULL_INHERIT);
}

static bool take_poses(stn_stage *s, stage_scene *sc, stn_job *job)
{
    give_back(s, sc->poses);
    sc->poses = job;
    for (uint32_t i = 0; i < job->u.poses.gob_count; i++) {
        stage_gob *g = gob_of(sc, job->u.poses.gobs[i].id, false);

        if (g && g->look && g->look->u.look.version == job->u.poses.gobs[i].version)
            g->pose = i + 1;
    }
    return true;
}

/* Objects that are not in the newest poses must not read them: told apart by the id at their index. */

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
    give_back(s, old);
    grids_changed(s, sc);
    return true;
}

static void drop_grid(stn_stage *s, stage_scene *sc, const stn_job_grid *g)
{
    give_back(s, stn_table_remove(sc->grids, stage_grid_key(g->x, g->y)));
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

static void take_surround(stn_stage *s, const stn_job_surround *j)
{
    stn_err err = {0};

    if (!s->parts.around)
        return;
    if (!j->sky) {
        if (j->asset < STN_MAX_ASSETS && s->texture_state[j->asset] == 1)
            stn_surroundings_pattern(s->parts.around, j->pattern, s->textures[j->asset]);
    } else if (stn_surroundings_sky(s->parts.around, j->sky, j->width, j->height, &err) != STN_OK) {
        stn_log_warn("%s", err.text);
    }
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

static void take_text(stage_scene *sc, const stn_job_text *t)
{
    stage_gob *g = gob_of(sc, t->id, false);

    if (!g)
        return;
    snprintf(g->text, sizeof g->text, "%s", t->text);
    g->text_left = TEXT_SECONDS;
}

void stn_stage_take(stn_stage *s, stn_job *job)
{
    stage_scene *sc = stage_target(s);
    bool kept = false;

    if (job->frame != 0 && job->frame != sc->frame && job->kind != STN_JOB_FRAME) {
        give_back(s, job);
        return;
    }
    switch (job->kind) {
    case STN_JOB_TEXTURE:
        take_texture(s, &job->u.texture);
        break;
    case STN_JOB_MESH:
        kept = take_mesh(s, job);
        break;
    case STN_JOB_LEVELS:
        if (job->u.levels.asset < STN_MAX_ASSETS)
            stn_meshes_add_levels(s->parts.meshes, s->meshes[job->u.levels.asset], &job->u.levels.levels);
        break;
    case STN_JOB_ASSET_DROP:
        break;
    case STN_JOB_FRAME:
        begin_frame(s, job->frame, (uint64_t)job->u.id);
        break;
    case STN_JOB_CUT:
        kept = take_cut(s, sc, job);
        break;
    case STN_JOB_SHEETS:
        kept = take_sheets(s, sc, job);
        break;
    case STN_JOB_CUT_DROP:
        drop_cut(s, sc, &job->u.cut);
        break;
    case STN_JOB_CUT_SWAP:
        show_swap(s, sc, job->u.cut.swap);
        break;
    case STN_JOB_GRID:
        kept = take_grid(s, sc, job);
        break;
    case STN_JOB_GRID_DROP:
        drop_grid(s, sc, &job->u.grid);
        break;
    case STN_JOB_GOB:
        kept = take_look(s, sc, job);
        break;
    case STN_JOB_GOB_PLACE:
        take_place(sc, &job->u.place);
        break;
    case STN_JOB_GOB_TEXT:
        take_text(sc, &job->u.text);
        break;
    case STN_JOB_GOB_DROP: {
        stage_gob *g = stn_table_remove(sc->gobs, (uint64_t)job->u.id);

        if (g) {
            sc->gob_leaves -= g->look ? g->look->u.look.leaf_count : 0;
            free_gob(s, g);
        }
        break;
    }
    case STN_JOB_POSES:
        kept = take_poses(s, sc, job);
        break;
    case STN_JOB_GLOBAL:
        take_global(s, &job->u.global);
        break;
    case STN_JOB_SURROUND:
        take_surround(s, &job->u.surround);
        break;
    case STN_JOB_FACTS:
        sc->facts = job->u.facts;
        break;
    case STN_JOB_CHAT:
    case STN_JOB_MENU:
        break;
    }
    if (!kept)
        give_back(s, job);
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

bool stage_water_in(const stage_scene *sc, double x, double y)
{
    stn_coord tc = {(int32_t)floor(x / 11.0), (int32_t)floor(y / 11.0)};
    const stn_job *grid = stn_table_get(
        sc->grids, stage_grid_key(stn_fdiv(tc.x, STN_GRID_TILES), stn_fdiv(tc.y, STN_GRID_TILES)));

    return grid &&
           grid->u.grid
               .water[stn_fmod(tc.x, STN_GRID_TILES) + stn_fmod(tc.y, STN_GRID_TILES) * STN_GRID_TILES];
}

static void place_matrix(stage_scene *sc, stage_gob *g)
{
    stn_m4 turn = stn_place_default(g->place.angle);
    float n[3];

    if (g->look && g->look->u.look.placer == 1 &&
        stn_height_normal(corner, sc, g->shown_x, g->shown_y, n) == STN_OK)
        turn = stn_place_incline(g->place.angle, (stn_v3){n[0], n[1], n[2]});
    g->matrix = stn_m4_mul(stn_m4_xlate((stn_v3){(float)g->shown_x, -(float)g->shown_y, g->shown_z}), turn);
}

void stage_place_gob(stn_stage *s, stage_scene *sc, stage_gob *g)
{
    const stage_gob *target = NULL;
    float z;
    stn_xform x = stn_xform_identity();
    double m[9];

    (void)s;
    if (g->place.motion.kind == STN_MOVE_HOMING || g->place.motion.kind == STN_MOVE_FOLLOWING)
        target = stn_table_get(sc->gobs, (uint64_t)g->place.motion.target);
    if (target == g || (target && !target->placed))
        target = NULL;
    stn_motion_place(&g->place.motion, g->place.x, g->place.y, target != NULL, target ? target->place.x : 0.0,
                     target ? target->place.y : 0.0, &g->shown_x, &g->shown_y);
    if (target && g->place.motion.kind == STN_MOVE_FOLLOWING) {
        g->shown_x = target->shown_x;
        g->shown_y = target->shown_y;
    }
    if (stage_height_in(sc, g->shown_x, g->shown_y, &z)) {
        g->shown_z = z + g->place.z;
        g->place_due = false;
        g->wet = stage_water_in(sc, g->shown_x, g->shown_y);
        g->water_z = z;
    }
    /* What the ground scatters; objects are seen now, wherever they stand. */
    g->remembered = g->id < 0 && stage_remembered(sc, (int32_t)floor(g->shown_x / 275.0),
                                                  (int32_t)floor(g->shown_y / 275.0));
    place_matrix(sc, g);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m[3 * r + c] = (double)g->matrix.m[4 * c + r];
    stn_xform_matrix(&x, m);
    stn_xform_translate(
        &x, (stn_sg_v3){(double)g->matrix.m[12], (double)g->matrix.m[13], (double)g->matrix.m[14]});
    stn_spatial_set_local(g->spatial, &x);
}

static void flicker(stage_gob *g, float dt)
{
    /* Between random levels, as docs/spec/sprites.md 21.4 has it: least 0.5, rate 0.1. */
    if (!g->look || g->look->u.look.light_count == 0)
        return;
    g->flicker_at += dt;
    if (g->flicker_at > g->flicker_time) {
        g->flicker_at = g->flicker_at - g->flicker_time < 1.0f ? g->flicker_at - g->flicker_time : 0.0f;
        g->flicker_from = g->flicker_to > 0.0f ? g->flicker_to : 1.0f;
        g->flicker_to = chance(g, 0.5f, 1.0f);
        g->flicker_time = chance(g, -0.5f, 0.5f) * 0.05f + 0.1f;
        if (g->flicker_at > g->flicker_time)
            g->flicker_at = 0.0f;
    }
    g->flicker = g->flicker_from + g->flicker_at / g->flicker_time * (g->flicker_to - g->flicker_from);
}

static void tick_scene(stn_stage *s, stage_scene *sc, double dt)
{
    size_t it = 0;
    uint64_t key;
    void *v;
    const stage_gob *player;

    while (stn_table_next(sc->gobs, &it, &key, &v)) {
        stage_gob *g = v;

        stn_motion_tick(&g->place.motion, dt);
        if (g->placed && (g->place_due || g->place.motion.kind != STN_MOVE_NONE))
            stage_place_gob(s, sc, g);
        if (g->text_left > 0.0)
            g->text_left -= dt;
        flicker(g, (float)dt);
    }
    player = sc->facts.has_player ? stn_table_get(sc->gobs, (uint64_t)sc->facts.player) : NULL;
    if (player && player->placed && !player->place_due) {
        sc->focus = (stn_v3){(float)player->shown_x, -(float)player->shown_y, player->shown_z};
        sc->has_focus = true;
    }
    stn_spatial_update(sc->root, dt);
}

static bool scene_complete(const stage_scene *sc)
{
    return sc->frame != 0 && sc->facts.cuts_wanted > 0 && sc->facts.cuts_ready >= sc->facts.cuts_wanted &&
           sc->facts.resources_waiting == 0;
}

void stn_stage_tick(stn_stage *s, double dt)
{
    stage_scene *old = stage_shown(s);

    s->dt = dt;
    stn_dayfade_tick(&s->day, dt);
    tick_scene(s, stage_target(s), dt);
    show_late(s, stage_target(s), dt);
    if (s->scenes[1 - s->shown].leaving)
        scene_clear(s, &s->scenes[1 - s->shown], stn_clock_ns() + CLEAR_NS);
    if (!s->filling)
        return;
    s->filling_since += dt;
    if (!scene_complete(stage_target(s)) && s->filling_since < STN_STAGE_SWAP_SECONDS)
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
    return !s->filling && scene_complete(&s->scenes[s->shown]);
}
