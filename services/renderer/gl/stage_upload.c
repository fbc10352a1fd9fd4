/* stage_upload.c - what of the stage goes to the driver: textures, meshes and cuts, and when cuts are shown.
 */
#include "renderer/gl/stage_impl.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUT_UNITS 275.0f
#define PARTS 512
#define OUT_OF_SIGHT 1e5f /* farther than anything in the picture */

/* --- what is looked for --- */

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

void stage_want_mesh(stn_stage *s, uint32_t asset, float far)
{
    if (asset < STN_MAX_ASSETS && far < s->wanted[asset])
        s->wanted[asset] = far;
}

void stage_want_material(stn_stage *s, const stn_matstate *m, float far)
{
    for (int i = 0; i < STN_MAT_T_COUNT; i++)
        stage_want_mesh(s, m->texture[i], far);
}

static bool material_here(const stn_stage *s, const stn_matstate *m)
{
    for (int i = 0; i < STN_MAT_T_COUNT; i++)
        if (m->texture[i] && m->texture[i] < STN_MAX_ASSETS && s->texture_state[m->texture[i]] == 0)
            return false;
    return true;
}

bool stage_look_here(stn_stage *s, const stn_gob_look *look, float far)
{
    bool here = true;

    for (uint32_t i = 0; i < look->leaf_count; i++) {
        const stn_leaf_look *l = &look->leaves[i];

        if (!material_here(s, &l->material)) {
            stage_want_material(s, &l->material, far);
            here = false;
        }
        if (l->mesh && l->mesh < STN_MAX_ASSETS && !s->meshes[l->mesh]) {
            stage_want_mesh(s, l->mesh, far);
            here = false;
        }
    }
    return here;
}

/* --- textures, meshes, surroundings --- */

static void refuse(stn_stage *s, const stn_err *err)
{
    s->failed_uploads++;
    if (stn_log_due(&s->upload_once))
        stn_log_warn("%s: the placeholder stands for it", err->text);
}

/* False: it cannot be had. */
static bool begin_texture(stn_stage *s, const stn_job_texture *t)
{
    stn_err err = {0};

    if (t->asset >= STN_MAX_ASSETS)
        return false;
    s->texture_state[t->asset] = 0;
    if (stn_textures_begin(s->parts.textures, t->levels, t->level_count, t->sampling, &s->textures[t->asset],
                           &err) == STN_OK)
        return true;
    s->texture_state[t->asset] = 2;
    refuse(s, &err);
    return false;
}

static void use_pattern(stn_stage *s, stn_pattern which, uint32_t asset)
{
    s->pattern_due[which] = 0;
    if (s->texture_state[asset] == 1)
        stn_surroundings_pattern(s->parts.around, which, s->textures[asset]);
    else if (s->texture_state[asset] == 0)
        s->pattern_due[which] = asset;
}

/* A part of it. True: that was the last. */
static bool step_texture(stn_stage *s, stn_job_texture *t, size_t *moved)
{
    uint32_t id = s->textures[t->asset];
    stn_texture_state state;

    *moved += stn_textures_step(s->parts.textures, id);
    state = stn_textures_state(s->parts.textures, id);
    if (state != STN_TEXTURE_NONE)
        s->texture_state[t->asset] = 1;
    if (state != STN_TEXTURE_WHOLE)
        return false;
    if (!s->solid[t->asset]) {
        s->solid[t->asset] = t->solid;
        t->solid = NULL;
        stn_textures_keep(s->parts.textures, id, s->solid[t->asset]);
    }
    for (int i = 0; i < STN_PATTERNS; i++)
        if (s->pattern_due[i] == t->asset)
            use_pattern(s, (stn_pattern)i, t->asset);
    return true;
}

/* True: the job is kept. */
static bool put_mesh(stn_stage *s, stn_job *job)
{
    const stn_job_mesh *m = &job->u.mesh;
    stn_mesh_view source = stn_mesh_view_of(&m->desc);

    if (m->asset >= STN_MAX_ASSETS)
        return false;
    stn_meshes_remove(s->parts.meshes, s->meshes[m->asset]); /* it borrows from the job that goes */
    stage_give_back(s, s->mesh_jobs[m->asset]);
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

/* Coarser ones of a mesh that is here, or was. */
static void put_levels(stn_stage *s, const stn_job_levels *j)
{
    if (j->asset < STN_MAX_ASSETS)
        stn_meshes_add_levels(s->parts.meshes, s->meshes[j->asset], &j->levels);
}

static void put_surround(stn_stage *s, const stn_job_surround *j)
{
    stn_err err = {0};

    if (!s->parts.around)
        return;
    if (!j->sky) {
        if (j->asset && j->asset < STN_MAX_ASSETS)
            use_pattern(s, j->pattern, j->asset);
    } else if (stn_surroundings_sky(s->parts.around, j->sky, j->width, j->height, &err) != STN_OK) {
        stn_log_warn("%s", err.text);
    }
}

/* --- cuts --- */

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

static void drop_cut_job(stn_stage *s, stn_job *job)
{
    if (!job)
        return;
    for (uint32_t i = 0; i < job->u.cut.part_count; i++)
        stn_meshes_remove(s->parts.meshes, job->u.cut.parts[i].mesh_id);
    s->frees += job->u.cut.part_count;
    stage_give_back(s, job);
}

/* Many can go with one change: then a part of them goes in each frame. */
static void let_go(stn_stage *s, stn_job *job)
{
    if (!job)
        return;
    if (!s->parts.defer || job->u.cut.part_count == 0) {
        drop_cut_job(s, job);
        return;
    }
    job->next = NULL;
    if (s->gone_last)
        s->gone_last->next = job;
    else
        s->gone = job;
    s->gone_last = job;
    s->gone_count++;
}

bool stage_clear_gone(stn_stage *s, int64_t until_ns)
{
    while (s->gone) {
        stn_job *job = s->gone;

        s->gone = job->next;
        if (!s->gone)
            s->gone_last = NULL;
        s->gone_count--;
        drop_cut_job(s, job);
        if (stn_clock_ns() >= until_ns)
            break;
    }
    return !s->gone;
}

void stage_free_cut(stn_stage *s, stage_cut *c)
{
    drop_cut_job(s, c->job);
    drop_cut_job(s, c->next);
    drop_cut_job(s, c->sheets);
    drop_cut_job(s, c->next_sheets);
    stn_spatial_free(c->spatial);
    free(c);
    s->frees++;
}

static stn_bound box_of(const stn_job_cut *cut)
{
    stn_sg_v3 c = {((double)cut->min.x + (double)cut->max.x) * 0.5,
                   ((double)cut->min.y + (double)cut->max.y) * 0.5,
                   ((double)cut->min.z + (double)cut->max.z) * 0.5};
    stn_sg_v3 e = {(double)cut->max.x - c.x, (double)cut->max.y - c.y, (double)cut->max.z - c.z};

    return stn_bound_box(c, e);
}

static void show_cut(stn_stage *s, stage_scene *sc, stage_cut *c)
{
    stn_bound b;

    if (!c->next)
        return;
    sc->cuts_shown += !c->job;
    let_go(s, c->job);
    c->job = c->next;
    c->next = NULL;
    if (c->next_sheets) {
        let_go(s, c->sheets);
        c->sheets = c->next_sheets;
        c->next_sheets = NULL;
    }
    b = box_of(&c->job->u.cut);
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
            show_cut(s, sc, c);
        held |= c->next != NULL;
    }
    sc->held_for = held ? 0.0 : -1.0;
}

/* What ends the change may be lost. */
void stage_show_late(stn_stage *s, stage_scene *sc, double dt)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    if (sc->held_for < 0.0 || (sc->held_for += dt) < STN_STAGE_HOLD_SECONDS)
        return;
    while (stn_table_next(sc->cuts, &it, &key, &v))
        show_cut(s, sc, v);
    sc->held_for = -1.0;
}

/* A change is complete when its last cut has gone to the driver. */
static void settle_swap(stn_stage *s, stage_scene *sc)
{
    if (sc->swap_due <= sc->swap_shown)
        return;
    for (size_t i = 0; i < s->uploads.count; i++) {
        const stn_job *job = s->uploads.items[i].job;

        if (job->kind == STN_JOB_CUT && job->frame == sc->frame && job->u.cut.swap &&
            job->u.cut.swap <= sc->swap_due)
            return;
    }
    show_swap(s, sc, sc->swap_due);
}

void stage_swap_due(stn_stage *s, stage_scene *sc, uint64_t swap)
{
    if (swap > sc->swap_due)
        sc->swap_due = swap;
    if (swap <= sc->swap_shown)
        show_swap(s, sc, swap);
    else
        settle_swap(s, sc);
}

static bool upload_parts(stn_stage *s, stn_job_cut *cut)
{
    stn_mesh_part parts[PARTS];
    uint32_t ids[PARTS], n = cut->part_count < PARTS ? cut->part_count : PARTS;

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
        /* Now, and not for all cuts in the frame that shows the scene first. */
        if (!cut->parts[i].material_id)
            cut->parts[i].material_id = stage_material(s, &cut->parts[i].material);
    }
    cut->part_count = n;
    return true;
}

/* True: the job is kept. */
static bool put_cut(stn_stage *s, stage_scene *sc, stn_job *job)
{
    stn_job_cut *cut = &job->u.cut;
    stage_cut *c = cut_of(sc, cut->x, cut->y, true);

    if (!c || !upload_parts(s, cut)) {
        s->failed_uploads++;
        return false;
    }
    let_go(s, c->next);
    c->next = job;
    if (cut->swap <= sc->swap_shown || !c->job)
        show_cut(s, sc, c); /* the first of a place need not wait: there is nothing to change from */
    else if (sc->held_for < 0.0)
        sc->held_for = 0.0;
    return true;
}

/* True: the job is kept. Marks on ground that waits for the rest of its change wait with it. */
static bool put_sheets(stn_stage *s, stage_scene *sc, stn_job *job)
{
    stage_cut *c = cut_of(sc, job->u.cut.x, job->u.cut.y, false);
    stn_job **at;

    if (!c)
        return false;
    if (!upload_parts(s, &job->u.cut)) {
        s->failed_uploads++;
        return false;
    }
    at = c->next && c->next->u.cut.product == job->u.cut.product ? &c->next_sheets : &c->sheets;
    let_go(s, *at);
    *at = job;
    return true;
}

static uint64_t place_key(const stn_job *job)
{
    return job->kind == STN_JOB_CUT || job->kind == STN_JOB_SHEETS
               ? stage_cut_key(job->u.cut.x, job->u.cut.y) * 2 + 1 /* never 0 */
               : 0;
}

void stage_drop_cut(stn_stage *s, stage_scene *sc, const stn_job_cut *cut)
{
    stage_cut *c = stn_table_remove(sc->cuts, stage_cut_key(cut->x, cut->y));

    for (size_t i = s->uploads.count; i-- > 0;) {
        stn_upload *u = &s->uploads.items[i];

        if (place_key(u->job) && u->job->frame == sc->frame && u->job->u.cut.x == cut->x &&
            u->job->u.cut.y == cut->y) {
            stage_give_back(s, u->job);
            stn_uploads_remove(&s->uploads, u);
        }
    }
    if (!c)
        return;
    sc->cuts_shown -= c->job != NULL;
    let_go(s, c->job);
    let_go(s, c->next);
    let_go(s, c->sheets);
    let_go(s, c->next_sheets);
    c->job = c->next = c->sheets = c->next_sheets = NULL;
    stage_free_cut(s, c);
}

/* --- what waits --- */

/* One step. True: it is done with. */
static bool step(stn_stage *s, stage_scene *sc, stn_job *job, size_t *moved)
{
    bool kept = false;

    if (job->kind == STN_JOB_TEXTURE) {
        if (!step_texture(s, &job->u.texture, moved))
            return false;
        stage_give_back(s, job);
        return true;
    }
    *moved += job->bytes;
    if (job->frame != 0 && job->frame != sc->frame)
        *moved -= job->bytes; /* of a scene that is no longer filled */
    else if (job->kind == STN_JOB_MESH)
        kept = put_mesh(s, job);
    else if (job->kind == STN_JOB_CUT)
        kept = put_cut(s, sc, job);
    else if (job->kind == STN_JOB_SHEETS)
        kept = put_sheets(s, sc, job);
    else if (job->kind == STN_JOB_LEVELS)
        put_levels(s, &job->u.levels);
    else
        put_surround(s, &job->u.surround);
    if (!kept)
        stage_give_back(s, job);
    return true;
}

void stage_put_upload(stn_stage *s, stage_scene *sc, stn_job *job)
{
    uint64_t key = place_key(job);
    size_t moved = 0;

    if (job->kind == STN_JOB_TEXTURE && !begin_texture(s, &job->u.texture)) {
        stage_give_back(s, job);
        return;
    }
    if (s->parts.defer && !(key && job->u.cut.part_count == 0 && !stn_uploads_waits(&s->uploads, key)) &&
        stn_uploads_put(&s->uploads, job, key, stn_clock_ns()))
        return;
    while (!step(s, sc, job, &moved))
        ;
}

bool stn_stage_room(const stn_stage *s)
{
    return s->uploads.count < STN_UPLOADS_MAX;
}

bool stn_stage_waits(const stn_stage *s)
{
    return s->uploads.count > 0;
}

/* From the focus to the nearest point of the cut, and whether the last picture had it. */
static float cut_far(const stn_stage *s, const stage_scene *sc, const stn_job_cut *cut)
{
    float x0 = (float)cut->x * CUT_UNITS, y1 = -(float)cut->y * CUT_UNITS, y0 = y1 - CUT_UNITS;
    float dx, dy, far;
    stn_bound b = box_of(cut);

    if (!sc->has_focus)
        return 0.0f;
    dx = fmaxf(fmaxf(x0 - sc->focus.x, sc->focus.x - x0 - CUT_UNITS), 0.0f);
    dy = fmaxf(fmaxf(y0 - sc->focus.y, sc->focus.y - y1), 0.0f);
    far = hypotf(dx, dy);
    if (s->filling || !s->has_camera || !stn_bound_is_finite(&b))
        return far;
    b.c.x += (double)x0;
    b.c.y += (double)y1;
    for (int i = 0; i < 4; i++)
        if (stn_bound_side(&b, &s->camera.planes[i]) < 0)
            return far + OUT_OF_SIGHT;
    return far;
}

/* What a cut is drawn with goes before it. */
static void look_around(stn_stage *s, const stage_scene *sc)
{
    for (size_t i = 0; i < s->uploads.count; i++) {
        stn_upload *u = &s->uploads.items[i];

        if (!u->key)
            continue;
        u->far = cut_far(s, sc, &u->job->u.cut);
        for (uint32_t p = 0; p < u->job->u.cut.part_count; p++)
            stage_want_material(s, &u->job->u.cut.parts[p].material, u->far - 1.0f);
    }
    for (size_t i = 0; i < s->uploads.count; i++) {
        stn_upload *u = &s->uploads.items[i];
        uint32_t asset = u->job->kind == STN_JOB_TEXTURE ? u->job->u.texture.asset
                         : u->job->kind == STN_JOB_MESH  ? u->job->u.mesh.asset
                                                         : STN_MAX_ASSETS;

        if (asset >= STN_MAX_ASSETS)
            continue;
        u->far = s->wanted[asset];
        s->wanted[asset] = INFINITY; /* the next picture says it again */
    }
}

size_t stn_stage_upload(stn_stage *s, int64_t until_ns, size_t bytes)
{
    stage_scene *sc = stage_target(s);
    int64_t now = stn_clock_ns();
    size_t moved = 0;
    stn_upload *u;

    if (s->uploads.count == 0)
        return 0;
    look_around(s, sc);
    while ((u = stn_uploads_next(&s->uploads, now)) != NULL) {
        bool overdue = now - u->came_ns >= STN_UPLOAD_PATIENCE_NS;

        if (moved > 0 &&
            (overdue ? now >= until_ns + STN_STAGE_OVERDUE_NS : now >= until_ns || moved >= bytes))
            break;
        if (step(s, sc, u->job, &moved))
            stn_uploads_remove(&s->uploads, u);
        now = stn_clock_ns();
    }
    settle_swap(s, sc);
    return moved;
}
