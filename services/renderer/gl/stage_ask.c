/* stage_ask.c - questions to the stage: heights, rays, figures, what is being placed, marks. */
#include "renderer/gl/stage_impl.h"

#include <math.h>
#include <string.h>

#define OVER_HEAD 20.0f /* map units above the ground under it */

bool stn_stage_focus(const stn_stage *s, stn_v3 *out)
{
    const stage_scene *sc = &s->scenes[s->shown];

    *out = sc->focus;
    return sc->has_focus;
}

bool stn_stage_height(const stn_stage *s, double x, double y, float *z)
{
    return stage_height_in(&s->scenes[s->shown], x, y, z);
}

bool stn_stage_place(const stn_stage *s, int64_t object, double *x, double *y)
{
    const stage_gob *g = stage_gob_of(&s->scenes[s->shown], object);

    if (!g || !g->placed)
        return false;
    *x = g->shown_x;
    *y = g->shown_y;
    return true;
}

void stn_stage_put_ghost(stn_stage *s, double x, double y, double angle)
{
    stage_scene *sc = &s->scenes[s->shown];
    const stage_gob *g = stage_gob_of(sc, STN_GHOST_ID);

    /* Before it has a look there is nothing to put. */
    if (g && (!g->placed || g->place.x != x || g->place.y != y || g->place.angle != angle))
        stage_take_place(sc, &(stn_gob_place){.id = STN_GHOST_ID, .x = x, .y = y, .angle = angle});
}

void stn_stage_get(const stn_stage *s, stn_stage_facts *out)
{
    const stage_scene *sc = &s->scenes[s->shown];

    memset(out, 0, sizeof *out);
    out->world = s->scenes[s->filling ? 1 - s->shown : s->shown].facts;
    out->frame = sc->frame;
    out->session = sc->session;
    out->frozen = s->filling;
    out->cuts = sc->cuts_shown;
    out->gobs = stn_table_count(sc->gobs) + stn_table_count(sc->growth);
    out->uploads = s->uploads.count;
    out->grids = stn_table_count(sc->grids);
    out->gobs_seen = s->gobs_seen;
    out->cuts_seen = s->cuts_seen;
    out->day_progress = s->day_progress;
    out->night = s->night;
    out->failed_uploads = s->failed_uploads;
    out->lit = s->day.known;
    out->frees = s->frees;
    out->scenes = s->scene_changes;
}

void stn_stage_tree(const stn_stage *s, size_t *leaves, size_t *slots)
{
    const stage_scene *sc = &s->scenes[s->shown];
    size_t it = 0;
    uint64_t key;
    void *v;

    *leaves = sc->gob_leaves;
    while (stn_table_next(sc->cuts, &it, &key, &v)) {
        const stage_cut *c = v;

        *leaves += c->job ? c->job->u.cut.part_count : 0;
        *leaves += c->sheets ? c->sheets->u.cut.part_count : 0;
    }
    /* The root and its two nodes, that of what has no place and one for each cut with objects; a node each of
     * cuts and objects. */
    *slots = *leaves + 4 + stn_table_count(sc->plots) + stn_table_count(sc->cuts) +
             stn_table_count(sc->gobs) + stn_table_count(sc->growth);
}

uint64_t stn_stage_map_version(const stn_stage *s)
{
    return s->map_version;
}

const stn_job_grid *stn_stage_grid(const stn_stage *s, int32_t gx, int32_t gy)
{
    const stn_job *job = stn_table_get(s->scenes[s->shown].grids, stage_grid_key(gx, gy));

    return job ? &job->u.grid : NULL;
}

static bool is_player(const stage_scene *sc, const stage_gob *g)
{
    return sc->facts.has_player && g->id == sc->facts.player;
}

static void words_of(const stage_scene *sc, const stage_gob *g,
                     void (*fn)(void *arg, const stn_stage_words *w), void *arg)
{
    stn_stage_words w = {
        .at = {(float)g->shown_x, -(float)g->shown_y, g->shown_z + OVER_HEAD},
        .speech = g->speech && g->speech->u.text.text[0] ? g->speech->u.text.text : NULL,
        .name = g->named && !is_player(sc, g) ? &g->name->u.name : NULL,
    };

    if (g->placed && (w.speech || w.name))
        fn(arg, &w);
}

void stn_stage_each_words(const stn_stage *s, void (*fn)(void *arg, const stn_stage_words *w), void *arg)
{
    const stage_scene *sc = &s->scenes[s->shown];

    for (uint32_t i = 0; i < sc->named_count; i++)
        words_of(sc, sc->named[i], fn, arg);
    /* Who speaks is among those that time changes. */
    for (uint32_t i = 0; i < sc->live_count; i++)
        if (!sc->live[i]->named)
            words_of(sc, sc->live[i], fn, arg);
}

void stn_stage_each_mark(const stn_stage *s, void (*fn)(void *arg, const stn_stage_mark *m), void *arg)
{
    const stage_scene *sc = &s->scenes[s->shown];
    size_t it = 0;
    uint64_t key;
    void *v;

    while (stn_table_next(sc->gobs, &it, &key, &v)) {
        const stage_gob *g = v;
        stn_stage_mark m = {g->shown_x, g->shown_y, is_player(sc, g) ? 2 : g->mark,
                            g->named ? &g->name->u.name : NULL};

        if (g->placed && g->look && m.kind >= 0)
            fn(arg, &m);
    }
}
