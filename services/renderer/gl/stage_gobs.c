/* stage_gobs.c - objects of the stage: their looks, places, motion, speech, names and flicker. */
#include "renderer/gl/stage_impl.h"

#include "base/clock.h"
#include "map/height.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLEAR_STEP 8 /* things between two looks at the clock */
#define LOOK_SECONDS 2.0f /* the look before stays no longer for what does not come */

/* --- which are there --- */

static stn_table *table_of(const stage_scene *sc, int64_t id)
{
    return id < 0 ? sc->growth : sc->gobs;
}

stage_gob *stage_gob_of(const stage_scene *sc, int64_t id)
{
    return stn_table_get(table_of(sc, id), (uint64_t)id);
}

static stage_gob *made(stage_scene *sc, int64_t id)
{
    stage_gob *g = stage_gob_of(sc, id);

    if (g)
        return g;
    g = calloc(1, sizeof *g);
    if (g)
        g->spatial = stn_mesh_new("gob");
    if (!g || !g->spatial || stn_spatial_attach(sc->nowhere, g->spatial, NULL) != STN_OK ||
        !stn_table_put(table_of(sc, id), (uint64_t)id, g, NULL)) {
        if (g)
            stn_spatial_free(g->spatial);
        free(g);
        return NULL;
    }
    g->id = id;
    g->matrix = stn_m4_identity();
    g->flicker = 1.0f;
    g->mark = -1;
    g->chance = 0x853c49e6748fea9b ^ (uint64_t)id;
    stn_spatial_set_user(g->spatial, g);
    return g;
}

/* From now on ticks see to it, until it is at rest. Without memory it stays as it is. */
static void enliven(stage_scene *sc, stage_gob *g)
{
    if (g->live)
        return;
    if (sc->live_count == sc->live_cap) {
        uint32_t cap = sc->live_cap ? sc->live_cap * 2 : 256;
        void *p = realloc(sc->live, cap * sizeof(stage_gob *));

        if (!p)
            return;
        sc->live = p;
        sc->live_cap = cap;
    }
    sc->live[sc->live_count++] = g;
    g->live = sc->live_count;
}

static void rest(stage_scene *sc, stage_gob *g)
{
    stage_gob *last;

    if (!g->live)
        return;
    last = sc->live[--sc->live_count];
    sc->live[g->live - 1] = last;
    last->live = g->live;
    g->live = 0;
}

static void unname(stage_scene *sc, stage_gob *g)
{
    stage_gob *last;

    if (!g->named)
        return;
    last = sc->named[--sc->named_count];
    sc->named[g->named - 1] = last;
    last->named = g->named;
    g->named = 0;
}

static bool at_rest(const stage_gob *g)
{
    return !g->place_due && !g->next && g->place.motion.kind == STN_MOVE_NONE && !g->speech &&
           !(g->look && g->look->u.look.light_count > 0);
}

/* A node goes with the last object below it. */
static void leave_plot(stage_scene *sc, stn_spatial *plot)
{
    if (plot == sc->nowhere || stn_spatial_children(plot) > 0)
        return;
    stn_table_remove(sc->plots, (uintptr_t)stn_spatial_user(plot));
    stn_spatial_free(plot);
}

static void free_gob(stn_stage *s, stage_scene *sc, stage_gob *g)
{
    stn_spatial *plot = stn_spatial_parent(g->spatial);

    rest(sc, g);
    unname(sc, g);
    sc->gob_leaves -= g->look ? g->look->u.look.leaf_count : 0;
    stage_give_back(s, g->look);
    stage_give_back(s, g->next);
    stage_give_back(s, g->name);
    stage_give_back(s, g->speech);
    stn_spatial_free(g->spatial);
    leave_plot(sc, plot);
    free(g);
    s->frees++;
}

void stage_drop_gob(stn_stage *s, stage_scene *sc, int64_t id)
{
    stage_gob *g = stn_table_remove(table_of(sc, id), (uint64_t)id);

    if (g)
        free_gob(s, sc, g);
}

/* By the graph and not by the tables: the last child leaves without a search, and a table that is walked may
 * not change. What the tables hold meanwhile is not looked at. */
bool stage_clear_gobs(stn_stage *s, stage_scene *sc, int64_t until_ns)
{
    size_t n, step = 0;

    while (sc->gob_root && (n = stn_spatial_children(sc->gob_root)) > 0) {
        stn_spatial *plot = stn_spatial_child(sc->gob_root, n - 1);
        size_t left = stn_spatial_children(plot);

        if (left == 0 && plot == sc->nowhere)
            break; /* the first of all, and the last */
        free_gob(s, sc, stn_spatial_user(stn_spatial_child(plot, left - 1)));
        if (++step % CLEAR_STEP == 0 && stn_clock_ns() >= until_ns)
            return false;
    }
    stn_table_clear(sc->gobs);
    stn_table_clear(sc->growth);
    sc->live_count = sc->named_count = 0;
    return true;
}

/* --- what comes --- */

static stn_bound box_of(stn_v3 min, stn_v3 max)
{
    stn_sg_v3 c = {((double)min.x + (double)max.x) * 0.5, ((double)min.y + (double)max.y) * 0.5,
                   ((double)min.z + (double)max.z) * 0.5};
    stn_sg_v3 e = {(double)max.x - c.x, (double)max.y - c.y, (double)max.z - c.z};

    return stn_bound_box(c, e);
}

static float far_of(const stage_scene *sc, const stage_gob *g)
{
    return g->placed && sc->has_focus
               ? (float)hypot(g->place.x - (double)sc->focus.x, g->place.y + (double)sc->focus.y)
               : 0.0f;
}

/* Materials are looked up now, a few in each frame, and not all in the one that shows the scene first. */
static void show_look(stn_stage *s, stage_scene *sc, stage_gob *g, stn_job *job)
{
    stn_gob_look *look = &job->u.look;
    stn_bound b = box_of(look->min, look->max);

    sc->gob_leaves += look->leaf_count - (g->look ? g->look->u.look.leaf_count : 0);
    stage_give_back(s, g->look);
    g->look = job;
    g->pose = 0;
    g->mark = look->animated ? 1 : look->still ? -1 : 0;
    if (s->parts.view)
        for (uint32_t i = 0; i < look->leaf_count; i++)
            if (!look->leaves[i].material_id)
                look->leaves[i].material_id = stage_material(s, &look->leaves[i].material);
    if (!stn_bound_is_finite(&b))
        b = stn_bound_box((stn_sg_v3){0, 0, 5}, (stn_sg_v3){5, 5, 5});
    stn_mesh_set_bound(g->spatial, &b);
    g->place_due = true;
    enliven(sc, g);
}

bool stage_take_look(stn_stage *s, stage_scene *sc, stn_job *job)
{
    stage_gob *g = made(sc, job->u.look.id);

    if (!g)
        return false;
    stage_give_back(s, g->next);
    g->next = NULL;
    if (stage_look_here(s, &job->u.look, far_of(sc, g)) || !g->look) {
        show_look(s, sc, g, job);
    } else {
        g->next = job;
        g->next_for = 0.0f;
        enliven(sc, g);
    }
    return true;
}

void stage_take_place(stage_scene *sc, const stn_gob_place *p)
{
    stage_gob *g = made(sc, p->id);

    if (!g)
        return;
    g->place = *p;
    g->placed = g->place_due = true;
    enliven(sc, g);
}

/* Objects that are not in the newest poses must not read them: told apart by the id at their index. */
bool stage_take_poses(stn_stage *s, stage_scene *sc, stn_job *job)
{
    stage_give_back(s, sc->poses);
    sc->poses = job;
    for (uint32_t i = 0; i < job->u.poses.gob_count; i++) {
        stage_gob *g = stage_gob_of(sc, job->u.poses.gobs[i].id);

        if (g && g->look && g->look->u.look.version == job->u.poses.gobs[i].version)
            g->pose = i + 1;
    }
    return true;
}

bool stage_take_text(stn_stage *s, stage_scene *sc, stn_job *job)
{
    stage_gob *g = stage_gob_of(sc, job->u.text.id);

    if (!g)
        return false;
    stage_give_back(s, g->speech);
    g->speech = job;
    g->text_left = TEXT_SECONDS;
    enliven(sc, g);
    return true;
}

bool stage_take_name(stn_stage *s, stage_scene *sc, stn_job *job)
{
    stage_gob *g = made(sc, job->u.name.id);

    if (!g)
        return false;
    stage_give_back(s, g->name);
    g->name = job;
    if (!job->u.name.text[0])
        unname(sc, g);
    if (!job->u.name.text[0] || g->named)
        return true;
    if (sc->named_count == sc->named_cap) {
        uint32_t cap = sc->named_cap ? sc->named_cap * 2 : 64;
        void *p = realloc(sc->named, cap * sizeof(stage_gob *));

        if (!p)
            return true; /* it is not shown */
        sc->named = p;
        sc->named_cap = cap;
    }
    sc->named[sc->named_count++] = g;
    g->named = sc->named_count;
    return true;
}

/* --- places --- */

static void place_matrix(stage_scene *sc, stage_gob *g)
{
    stn_m4 turn = stn_place_default(g->place.angle);
    float n[3];

    if (g->look && g->look->u.look.placer == 1 && stage_normal_in(sc, g->shown_x, g->shown_y, n))
        turn = stn_place_incline(g->place.angle, (stn_v3){n[0], n[1], n[2]});
    g->matrix = stn_m4_mul(stn_m4_xlate((stn_v3){(float)g->shown_x, -(float)g->shown_y, g->shown_z}), turn);
}

/* Below the node of the cut that it stands in. */
static void join_plot(stage_scene *sc, stage_gob *g)
{
    stn_spatial *before = stn_spatial_parent(g->spatial), *plot;
    uint64_t key;

    if (!isfinite(g->shown_x) || !isfinite(g->shown_y) || fabs(g->shown_x) > 1e9 || fabs(g->shown_y) > 1e9)
        return;
    key = stage_cut_key((int32_t)floor(g->shown_x / 275.0), (int32_t)floor(g->shown_y / 275.0));
    if (before != sc->nowhere && g->plot == key)
        return;
    plot = stn_table_get(sc->plots, key);
    if (!plot) {
        plot = stn_node_new("plot");
        if (!plot || stn_spatial_attach(sc->gob_root, plot, NULL) != STN_OK ||
            !stn_table_put(sc->plots, key, plot, NULL)) {
            stn_spatial_free(plot);
            return; /* it stays where it hangs: its own bound is still looked at */
        }
        stn_spatial_set_user(plot, (void *)(uintptr_t)key);
    }
    if (stn_spatial_attach(plot, g->spatial, NULL) != STN_OK)
        return;
    g->plot = key;
    leave_plot(sc, before);
}

void stage_place_gob(stn_stage *s, stage_scene *sc, stage_gob *g)
{
    const stage_gob *target = NULL;
    float z;
    stn_xform x = stn_xform_identity();
    double m[9];

    (void)s;
    if (g->place.motion.kind == STN_MOVE_HOMING || g->place.motion.kind == STN_MOVE_FOLLOWING)
        target = stage_gob_of(sc, g->place.motion.target);
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
    join_plot(sc, g);
}

/* --- time --- */

/* Each has its own, so that how one flickers does not hang on the order in which all are looked at. */
static float chance(stage_gob *g, float lo, float hi)
{
    g->chance = g->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (float)(g->chance >> 40) / 16777216.0f * (hi - lo);
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
    if (g->flicker_time > 0.0f) /* else no time has passed yet */
        g->flicker = g->flicker_from + g->flicker_at / g->flicker_time * (g->flicker_to - g->flicker_from);
}

static void next_look(stn_stage *s, stage_scene *sc, stage_gob *g, float dt)
{
    stn_job *job = g->next;

    if (!job || (!stage_look_here(s, &job->u.look, far_of(sc, g)) && (g->next_for += dt) < LOOK_SECONDS))
        return;
    g->next = NULL;
    show_look(s, sc, g, job);
}

void stage_tick_gobs(stn_stage *s, stage_scene *sc, double dt)
{
    for (uint32_t i = 0; i < sc->live_count;) {
        stage_gob *g = sc->live[i];

        next_look(s, sc, g, (float)dt);
        stn_motion_tick(&g->place.motion, dt);
        if (g->placed && (g->place_due || g->place.motion.kind != STN_MOVE_NONE))
            stage_place_gob(s, sc, g);
        if (g->speech && (g->text_left -= dt) <= 0.0) {
            stage_give_back(s, g->speech);
            g->speech = NULL;
        }
        flicker(g, (float)dt);
        if (at_rest(g))
            rest(sc, g); /* the last one stands here now */
        else
            i++;
    }
}
