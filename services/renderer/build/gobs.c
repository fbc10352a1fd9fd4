#include "renderer/build/gob.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POSE_SECONDS (1.0 / 60.0)

static void unknown_code(void *user, const char *what, const char *name)
{
    (void)user;
    stn_log_info("%s of %s is served code without a twin here: a placeholder stands for it", what, name);
}

static float random_float(void *ctx)
{
    uint64_t *state = ctx;

    /* Ageing alone draws from it: any spread will do. */
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(*state >> 40) / 16777216.0f;
}

stn_gobs *stn_gobs_new(stn_store *store, const stn_gobs_ops *ops)
{
    static const stn_sprite_report report = {unknown_code, NULL};
    stn_gobs *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->chance = 0x9e3779b97f4a7c15;
    g->rnd = (stn_rnd){random_float, &g->chance};
    g->store = store;
    g->ops = *ops;
    g->ctx = stn_sprite_ctx_new(stn_store_source(store), &g->rnd, &report);
    g->by_id = stn_table_new();
    g->unpacker = stn_unpacker_new(1u << 20);
    g->arena = stn_arena_new(1u << 16, 16u << 20);
    if (!g->ctx || !g->by_id || !g->unpacker || !g->arena) {
        stn_gobs_free(g);
        return NULL;
    }
    return g;
}

void gob_free(gob *g)
{
    if (!g)
        return;
    gob_overlays_free(g);
    stn_sprite_free(g->sprite);
    stn_composite_free(g->composite);
    gob_body_free(g->body);
    free(g->dress);
    free(g->name);
    free(g);
}

static void clear(stn_gobs *g)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    while (g->by_id && stn_table_next(g->by_id, &it, &key, &v))
        gob_free(v);
    if (g->by_id)
        stn_table_clear(g->by_id);
}

void stn_gobs_free(stn_gobs *g)
{
    if (!g)
        return;
    clear(g);
    stn_table_free(g->by_id);
    if (g->ctx)
        stn_sprite_ctx_free(g->ctx);
    stn_unpacker_free(g->unpacker);
    stn_arena_free(g->arena);
    for (unsigned i = 0; i < g->spare_count; i++)
        stn_job_free(g->spare[i]);
    free(g);
}

void stn_gobs_frame(stn_gobs *g, uint64_t frame)
{
    clear(g);
    g->frame = frame;
}

static gob *make(stn_gobs *all, int64_t id)
{
    gob *g;

    if (stn_table_count(all->by_id) >= STN_GOBS_MAX) {
        if (stn_log_due(&all->full_once))
            stn_log_warn("more than %d objects in sight: the newest are not drawn", STN_GOBS_MAX);
        return NULL;
    }
    g = calloc(1, sizeof *g);
    if (!g || !stn_table_put(all->by_id, (uint64_t)id, g, NULL)) {
        free(g);
        return NULL;
    }
    g->id = id;
    g->hp = 1.0f;
    g->object.id = id;
    return g;
}

static void drop(stn_gobs *all, int64_t id)
{
    gob *g = stn_table_remove(all->by_id, (uint64_t)id);

    gob_free(g);
}

stn_status stn_gobs_entity(stn_gobs *all, const Stenness__Entity *e, stn_err *err)
{
    gob *g = stn_table_get(all->by_id, (uint64_t)e->id);
    stn_status st = STN_OK;

    if (g && (e->fresh || g->incarnation != e->incarnation)) {
        drop(all, e->id);
        g = NULL;
    }
    if (!g) {
        g = make(all, e->id);
        if (!g)
            return STN_OK;
        g->incarnation = e->incarnation;
    }
    g->mark = all->mark;
    for (size_t i = 0; i < e->n_removed_components; i++)
        gob_component_removed(g, e->removed_components[i]);
    for (size_t i = 0; i < e->n_components; i++) {
        const Stenness__Component *c = e->components[i];
        stn_status one = gob_component(all, g, c->type, c->value.data, c->value.len, err);

        st = st == STN_OK ? one : st;
    }
    return st;
}

void stn_gobs_remove(stn_gobs *all, int64_t id)
{
    stn_job *job = stn_job_new(STN_JOB_GOB_DROP, all->frame);

    drop(all, id);
    if (!job)
        return;
    job->u.id = id;
    if (!all->ops.give(all->ops.ctx, job)) {
        stn_log_debug("no room to tell that object %lld is gone", (long long)id);
        stn_job_free(job);
    }
}

void stn_gobs_ghost(stn_gobs *all, const Stenness__Ghost *ghost)
{
    gob *g;

    stn_gobs_remove(all, STN_GHOST_ID);
    if (!ghost || ghost->closed || !(g = make(all, STN_GHOST_ID)))
        return;
    g->mark = all->mark;
    g->ghost = true;
    gob_take_ghost(g, ghost);
}

void stn_gobs_snapshot_begin(stn_gobs *all)
{
    all->mark++;
}

void stn_gobs_snapshot_end(stn_gobs *all)
{
    int64_t gone[256];
    size_t n;

    /* In portions, because the table may not change while it is walked. */
    do {
        size_t it = 0;
        uint64_t key;
        void *v;

        n = 0;
        while (n < 256 && stn_table_next(all->by_id, &it, &key, &v))
            if (((gob *)v)->mark != all->mark)
                gone[n++] = ((gob *)v)->id;
        for (size_t i = 0; i < n; i++)
            stn_gobs_remove(all, gone[i]);
    } while (n == 256);
}

void gob_fault(stn_gobs *all, const gob *g, const char *what, stn_sprite_fault f, const stn_err *err)
{
    all->faults++;
    if (stn_log_due(&all->fault_once))
        stn_log_warn("object %lld (%s): %s: %s: %s", (long long)g->id, g->drawable.name, what,
                     stn_sprite_fault_name(f), err->text[0] ? err->text : "no text");
}

static bool give_place(stn_gobs *all, gob *g)
{
    stn_job *job = stn_job_new(STN_JOB_GOB_PLACE, all->frame);

    if (!job)
        return false;
    job->u.place = (stn_gob_place){g->id, g->x, g->y, g->angle, g->z, g->motion};
    if (!all->ops.give(all->ops.ctx, job)) {
        stn_job_free(job);
        return false;
    }
    return true;
}

static bool give_name(stn_gobs *all, const gob *g)
{
    stn_job *job = stn_job_new(STN_JOB_GOB_NAME, all->frame);

    if (!job)
        return false;
    job->u.name = *g->name;
    job->u.name.id = g->id;
    if (!all->ops.give(all->ops.ctx, job)) {
        stn_job_free(job);
        return false;
    }
    return true;
}

/* World keeps an overlay until somebody who draws it says that it is over. */
static void report_over(stn_gobs *all, const gob *g, gob_overlay *o)
{
    if (o->reported || (!o->over && (!o->ending || o->sprite)))
        return;
    o->reported = true;
    if (all->ops.over)
        all->ops.over(all->ops.ctx, g->id, g->incarnation, o->id);
}

/* What ended leaves the picture. */
static void tick_overlay(stn_gobs *all, gob *g, gob_overlay *o, double dt)
{
    stn_err err = {0};
    bool done = false;
    stn_sprite_fault f = o->sprite ? stn_sprite_tick(o->sprite, dt, &done, &err) : STN_SPRITE_OK;

    if (f != STN_SPRITE_OK && f != STN_SPRITE_LOADING)
        gob_fault(all, g, "overlay", f, &err);
    if (o->sprite && stn_sprite_over(o->sprite, o->persistent, done)) {
        stn_sprite_free(o->sprite);
        o->sprite = NULL;
        o->over = g->look_due = true;
    }
    report_over(all, g, o);
}

static void animate(stn_gobs *all, gob *g, double dt)
{
    stn_err err = {0};
    bool done;
    stn_sprite_fault f = STN_SPRITE_OK;

    stn_motion_tick(&g->motion, dt);
    g->object.speed = stn_motion_speed(&g->motion);
    if (g->sprite) {
        f = stn_sprite_tick(g->sprite, dt, &done, &err);
        if (stn_sprite_version(g->sprite) != g->seen)
            g->look_due = true;
    } else if (g->composite) {
        f = stn_composite_tick(g->composite, dt, &err);
        if (stn_composite_version(g->composite) != g->seen)
            g->look_due = true;
    }
    if (f != STN_SPRITE_OK && f != STN_SPRITE_LOADING)
        gob_fault(all, g, "animation", f, &err);
    for (unsigned i = 0; i < g->overlay_count; i++)
        tick_overlay(all, g, &g->overlays[i], dt);
}

/* NULL: all of them are on their way. */
static stn_job *poses_job(stn_gobs *all)
{
    stn_job *job;
    stn_job_poses *p;

    if (all->spare_count > 0) {
        job = all->spare[--all->spare_count];
    } else {
        if (all->made_poses == STN_GOBS_POSES || !(job = stn_job_new(STN_JOB_POSES, all->frame)))
            return NULL;
        all->made_poses++;
        p = &job->u.poses;
        p->gobs = stn_job_memory(job, STN_POSE_GOBS * sizeof *p->gobs);
        p->matrices = stn_job_memory(job, STN_POSE_MATRICES * sizeof *p->matrices);
        p->moments = stn_job_memory(job, STN_POSE_MOMENTS * sizeof *p->moments);
        p->points = stn_job_memory(job, STN_POSE_POINTS * sizeof *p->points);
        if (!p->gobs || !p->matrices || !p->moments || !p->points) {
            stn_gobs_take_back(all, job);
            return NULL;
        }
    }
    p = &job->u.poses;
    p->gob_count = p->matrix_count = p->moment_count = p->point_count = 0;
    job->frame = all->frame;
    return job;
}

void stn_gobs_take_back(stn_gobs *all, stn_job *job)
{
    if (job->u.poses.points && all->spare_count < STN_GOBS_POSES) {
        all->spare[all->spare_count++] = job;
        return;
    }
    all->made_poses--;
    stn_job_free(job);
}

void stn_gobs_give_poses(stn_gobs *all)
{
    stn_job *job = poses_job(all);
    size_t it = 0;
    uint64_t key;
    void *v;

    all->since_pose = 0.0;
    if (!job)
        return;
    while (stn_table_next(all->by_id, &it, &key, &v)) {
        gob *g = v;

        if (g->animated && g->has_look)
            gob_put_pose(all, g, &job->u.poses);
    }
    if (all->ops.poses)
        all->ops.poses(all->ops.ctx, &job->u.poses);
    if (job->u.poses.gob_count == 0 || !all->ops.give(all->ops.ctx, job))
        stn_gobs_take_back(all, job);
}

void stn_gobs_tick(stn_gobs *all, double dt, int64_t budget_ns)
{
    size_t it = 0;
    uint64_t key;
    void *v;
    int64_t start = stn_clock_ns();

    stn_sprite_ctx_blow(all->ctx, (float)dt);
    while (stn_table_next(all->by_id, &it, &key, &v)) {
        gob *g = v;

        animate(all, g, dt);
        if (g->drawable_due || g->models_due || g->items_due || g->poses_due || g->timed_due || g->vm_due ||
            g->overlay_count > 0) {
            if (stn_clock_ns() - start < budget_ns)
                gob_build(all, g);
        }
        if (g->look_due && gob_give_look(all, g))
            g->look_due = false;
        if (g->place_due && g->placed && give_place(all, g))
            g->place_due = false;
        if (g->name_due && give_name(all, g))
            g->name_due = false;
    }
    all->since_pose += dt;
    if (all->since_pose >= POSE_SECONDS) {
        stn_gobs_give_poses(all);
    }
}

size_t stn_gobs_count(const stn_gobs *g)
{
    return stn_table_count(g->by_id);
}

size_t stn_gobs_unbuilt(const stn_gobs *g)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *v;

    while (stn_table_next(g->by_id, &it, &key, &v)) {
        const gob *o = v;

        n += !o->has_look && !o->failed && o->kind != STENNESS__DRAWABLE_KIND__DRAWABLE_NONE;
    }
    return n;
}

uint64_t stn_gobs_faults(const stn_gobs *g)
{
    return g->faults;
}
