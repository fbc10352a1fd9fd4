#include "world/memory.h"

#include "base/clock.h"
#include "world/mapkeeper.h"
#include "world/world_impl.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_EVERY_NS (500 * STN_MS)
#define EMPTY_NS (3 * STN_S) /* so long the server may take before the record is asked */
#define AGAIN_NS (30 * STN_S) /* until what was not found is looked for again */
#define TROUBLE_NS (5 * STN_S) /* until a locked file or a full disk is tried again */
#define PLACES_MAX 8192 /* places remembered as looked for */
#define RECALL_ROOM 4 /* jobs left free for recalling */

struct stn_memory {
    struct stn_world *w;
    stn_mapkeeper *keeper;
    stn_table *due; /* coordinate key -> grid to be recorded: any value */
    stn_table *looked; /* coordinate key -> time from which it may be looked for, ns */
    bool recalling; /* one look at a time */
    bool opened;
    stn_err trouble; /* the latest; code STN_OK: all is well */
    bool off; /* the trouble stays */
    int64_t next_ns, not_before_ns;
    uint64_t recorded, recalled, refused, retried;
};

/* ---- keeping */

/* 10.1: ids renumbered by first appearance, names and versions as the session gave them. */
static stn_status take_sets(stn_world *w, const stn_grid *g, stn_seen_grid *out)
{
    uint16_t *index = calloc(65536, sizeof *index); /* + 1 */
    bool *norepl = NULL;
    stn_record *r = out->record;
    stn_status st = index ? STN_OK : STN_NO_MEMORY;

    for (size_t i = 0; st == STN_OK && i < STN_GRID_CELLS; i++) {
        uint16_t id = g->tiles[i];
        if (!index[id]) {
            const char *name;
            int32_t version;
            const stn_known *k;
            const stn_res_layer *l = NULL;
            bool *more;
            int at;
            if ((st = stn_world_tileset(w, id, &name, &version)) != STN_OK)
                break;
            k = stn_resources_want(w->resources, name, version, STENNESS__RESOURCE_WANT__WANT_RAW, 0);
            if (k && k->state == STN_KNOWN_PENDING)
                st = STN_AGAIN;
            else if ((at = stn_record_append_set(r, name, (uint16_t)version, 0)) < 0 ||
                     !(more = realloc(norepl, r->n_sets * sizeof *more)))
                st = STN_NO_MEMORY;
            if (st != STN_OK)
                break;
            norepl = more;
            norepl[at] = false;
            if (k && k->res)
                l = stn_res_first(k->res, STN_LAYER_TILESET);
            for (uint32_t t = 0; l && t < l->as.tileset->tag_count; t++)
                norepl[at] |= !strcmp(l->as.tileset->tags[t], "norepl");
            index[id] = (uint16_t)(at + 1);
        }
        r->tiles[i] = (uint16_t)(index[id] - 1);
    }
    free(index);
    out->norepl = norepl;
    return st;
}

/* STN_AGAIN: some name or tileset is not known yet. */
static stn_status take_grid(stn_world *w, const stn_grid *g, stn_seen_grid *out)
{
    stn_status st;

    if (!(out->record = stn_record_new()))
        return STN_NO_MEMORY;
    out->record->mtime = stn_loop_now(w->loop)->wall_ns / STN_MS;
    st = take_sets(w, g, out);
    memcpy(out->record->z, g->z, sizeof g->z);
    for (size_t i = 0; st == STN_OK && i < g->n_overlays; i++) {
        int32_t version;
        const char *name = stn_world_resid_name(w, g->overlays[i].resid, &version);
        stn_record_overlay *o;
        if (!name)
            st = STN_AGAIN;
        else if (!(o = stn_record_add_overlay(out->record, name, (uint16_t)version)))
            st = STN_NO_MEMORY;
        else
            memcpy(o->bits, g->overlays[i].bits, sizeof o->bits);
    }
    if (st != STN_OK) {
        stn_record_free(out->record);
        free(out->norepl);
        out->record = NULL;
        out->norepl = NULL;
    }
    return st;
}

/* A due grid and what lies around it, in the reference's order: what is due among them goes with it. */
static void record_around(stn_memory *m, const stn_grid *centre)
{
    static const int8_t around[STN_MAP_JOB_GRIDS][2] = {{0, 0},  {0, -1}, {1, 0},  {0, 1},  {-1, 0},
                                                        {1, -1}, {1, 1},  {-1, 1}, {-1, -1}};
    uint64_t taken[STN_MAP_JOB_GRIDS];
    size_t n_taken = 0;
    stn_map_job *job = calloc(1, sizeof *job);

    if (!job)
        return; /* stays due */
    job->kind = STN_MAP_RECORD;
    job->session = m->w->session;
    for (size_t i = 0; i < STN_MAP_JOB_GRIDS; i++) {
        const stn_grid *g =
            stn_mapcache_held(m->w->map, stn_coord_add(centre->gc, around[i][0], around[i][1]));
        stn_seen_grid *seen = &job->seen[job->n];
        stn_status st;
        if (!g || g->id == 0)
            continue;
        seen->live = (stn_live_grid){g->gc, g->id};
        st = stn_table_get(m->due, stn_coord_key(g->gc)) ? take_grid(m->w, g, seen) : STN_OK;
        if (i == 0 && st != STN_OK) {
            stn_map_job_free(job);
            return;
        }
        if (seen->record)
            taken[n_taken++] = stn_coord_key(g->gc);
        if (st == STN_OK)
            job->n++; /* one that is not ready is left out: it comes as the centre of its own */
    }
    if (stn_mapkeeper_give(m->keeper, job) != STN_OK) {
        stn_map_job_free(job);
        return;
    }
    for (size_t i = 0; i < n_taken; i++)
        stn_table_remove(m->due, taken[i]);
}

static void record_due(stn_memory *m)
{
    uint64_t keys[128], key;
    size_t n = 0, it = 0;
    void *v;

    while (n < 128 && stn_table_next(m->due, &it, &key, &v))
        keys[n++] = key;
    for (size_t i = 0; i < n && stn_mapkeeper_room(m->keeper) > RECALL_ROOM; i++) {
        const stn_grid *g = stn_mapcache_held(m->w->map, stn_coord_of_key(keys[i]));
        if (!g || g->id == 0)
            stn_table_remove(m->due, keys[i]);
        else if (stn_table_get(m->due, keys[i])) /* it may have gone with a neighbour */
            record_around(m, g);
    }
}

/* ---- recalling */

/* A live grid that is in the record, or on its way there before the look. */
static const stn_grid *anchor_of(const stn_memory *m)
{
    stn_coord list[64];
    size_t n = stn_mapcache_grids(m->w->map, list, 64);
    double x, y;
    const stn_grid *g;

    if (stn_world_player(m->w, &x, &y) &&
        (g = stn_mapcache_held(m->w->map, stn_grid_of_tile(stn_tile_of_point(x, y)))) != NULL && g->id != 0 &&
        !stn_table_get(m->due, stn_coord_key(g->gc)))
        return g;
    for (size_t i = 0; i < n && i < 64; i++)
        if ((g = stn_mapcache_held(m->w->map, list[i])) != NULL && g->id != 0 &&
            !stn_table_get(m->due, stn_coord_key(g->gc)))
            return g;
    return NULL;
}

/* Empty places of one viewer, nearest rows first as they come; what was empty long enough is wanted. */
static void want_around(stn_memory *m, const stn_view *v, int64_t now, stn_map_job *job)
{
    stn_coord ul, lr;
    double x, y;

    if (!stn_world_focus(m->w, v, &x, &y))
        return;
    stn_view_grids(v, x, y, &ul, &lr);
    for (int32_t gy = ul.y; gy <= lr.y; gy++)
        for (int32_t gx = ul.x; gx <= lr.x; gx++) {
            uint64_t key = stn_coord_key((stn_coord){gx, gy});
            int64_t from;
            if (job->n == STN_MAP_JOB_PLACES)
                return;
            if (stn_mapcache_ground(m->w->map, (stn_coord){gx, gy}))
                continue;
            from = (int64_t)(intptr_t)stn_table_get(m->looked, key);
            if (!from) {
                stn_table_put(m->looked, key, (void *)(intptr_t)(now + EMPTY_NS), NULL);
            } else if (now >= from) {
                stn_table_put(m->looked, key, (void *)(intptr_t)(now + AGAIN_NS), NULL);
                job->wanted[job->n++] = (stn_coord){gx, gy};
            }
        }
}

static void recall_empty(stn_memory *m, int64_t now)
{
    const stn_grid *anchor = anchor_of(m);
    stn_map_job *job;

    if (m->recalling || !anchor || !(job = calloc(1, sizeof *job)))
        return;
    if (stn_table_count(m->looked) > PLACES_MAX)
        stn_table_clear(m->looked);
    job->kind = STN_MAP_RECALL;
    job->session = m->w->session;
    job->anchor = (stn_live_grid){anchor->gc, anchor->id};
    for (size_t i = 0; i < STN_VIEWERS_MAX; i++)
        if (m->w->views[i].subscribed)
            want_around(m, &m->w->views[i], now, job);
    if (job->n == 0 || stn_mapkeeper_give(m->keeper, job) != STN_OK)
        stn_map_job_free(job);
    else
        m->recalling = true;
}

/* ---- what the thread says */

static void note_trouble(stn_memory *m, const stn_err *err)
{
    if (m->trouble.code == STN_OK || strcmp(m->trouble.text, err->text) != 0)
        stn_log_warn("%s", err->text);
    m->trouble = *err;
    m->off = err->code != STN_BUSY && err->code != STN_IO && err->code != STN_NO_MEMORY;
    if (m->off)
        stn_log_error(
            "nothing is recorded or remembered from now on; the world goes on. Move the file away to "
            "begin a new one");
    else
        m->not_before_ns = stn_loop_now(m->w->loop)->now_ns + TROUBLE_NS;
}

static void take_recalled(stn_memory *m, const stn_map_job *job)
{
    const stn_grid *anchor = stn_mapcache_held(m->w->map, job->anchor.gc);

    /* The offset holds only while that grid lies there. */
    if (!anchor || anchor->id != job->anchor.id)
        return;
    for (size_t i = 0; i < job->n; i++) {
        stn_err err = {0};
        if (!job->found[i].record)
            continue;
        if (stn_mapcache_recall(m->w->map, job->found[i].gc, job->found[i].id, job->found[i].record,
                                stn_world_resid_name, m->w, &err) == STN_OK)
            m->recalled++;
        else if (m->refused++ == 0)
            stn_log_info("%s", err.text);
    }
}

static void on_done(void *arg, stn_map_job *job)
{
    stn_memory *m = arg;
    bool now = m->w->map && job->session == m->w->session;

    m->recalling &= job->kind != STN_MAP_RECALL;
    if (job->err.code != STN_OK) {
        note_trouble(m, &job->err);
        m->retried += !m->off;
        /* What came meanwhile is due in any case; what was in the job is again. */
        for (size_t i = 0; now && !m->off && i < job->n; i++)
            if (job->kind == STN_MAP_RECORD && job->seen[i].record &&
                stn_mapcache_held(m->w->map, job->seen[i].live.gc))
                stn_table_put(m->due, stn_coord_key(job->seen[i].live.gc), m, NULL);
            else if (job->kind == STN_MAP_RECALL)
                stn_table_remove(m->looked, stn_coord_key(job->wanted[i]));
    } else {
        if (m->trouble.code != STN_OK)
            stn_log_info("the recorded map can be used again");
        stn_err_clear(&m->trouble);
        m->opened = true;
        for (size_t i = 0; job->kind == STN_MAP_RECORD && i < job->n; i++)
            m->recorded += job->seen[i].record != NULL;
        if (job->kind == STN_MAP_RECALL && now)
            take_recalled(m, job);
    }
    stn_map_job_free(job);
}

/* ---- life */

stn_status stn_memory_new(stn_world *w, const char *path, stn_memory **out, stn_err *err)
{
    stn_memory *m = calloc(1, sizeof *m);
    stn_status st;

    *out = NULL;
    if (!m)
        return stn_fail(err, STN_NO_MEMORY, "recorded map");
    m->w = w;
    m->due = stn_table_new();
    m->looked = stn_table_new();
    st = m->due && m->looked ? stn_mapkeeper_new(w->loop, path, on_done, m, &m->keeper, err)
                             : stn_fail(err, STN_NO_MEMORY, "recorded map");
    if (st != STN_OK)
        stn_memory_free(m);
    else
        *out = m;
    return st;
}

void stn_memory_free(stn_memory *m)
{
    if (!m)
        return;
    stn_mapkeeper_free(m->keeper);
    stn_table_free(m->due);
    stn_table_free(m->looked);
    free(m);
}

void stn_memory_frame(stn_memory *m)
{
    if (!m)
        return;
    stn_table_clear(m->due);
    stn_table_clear(m->looked);
}

void stn_memory_filled(stn_memory *m, const stn_grid *g)
{
    if (m && !m->off)
        stn_table_put(m->due, stn_coord_key(g->gc), m, NULL);
}

/* Ground that the server took back is known to be empty at once. */
void stn_memory_removed(stn_memory *m, const stn_grid *g)
{
    if (!m)
        return;
    stn_table_remove(m->due, stn_coord_key(g->gc));
    if (!g->remembered)
        stn_table_put(m->looked, stn_coord_key(g->gc), (void *)(intptr_t)1, NULL);
    else
        stn_table_remove(m->looked, stn_coord_key(g->gc));
}

void stn_memory_tick(stn_memory *m, int64_t now)
{
    if (!m || m->off || now < m->next_ns || now < m->not_before_ns)
        return;
    m->next_ns = now + LOOK_EVERY_NS;
    record_due(m);
    recall_empty(m, now);
}

void stn_memory_report(const stn_memory *m, stn_report *r)
{
    if (!m)
        return;
    stn_report_text(r, "record.state", "%s",
                    m->trouble.code != STN_OK ? m->trouble.text
                    : m->opened               ? "in use"
                                              : "opening");
    stn_report_counter(r, "record.grids.stored", m->recorded);
    stn_report_counter(r, "record.grids.recalled", m->recalled);
    stn_report_counter(r, "record.grids.refused", m->refused);
    stn_report_counter(r, "record.jobs.retried", m->retried);
    stn_report_gauge(r, "record.grids.waiting", (double)stn_table_count(m->due));
    if (m->trouble.code != STN_OK)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_DEGRADED, "%s%s",
                          m->off ? "nothing is recorded: " : "", m->trouble.text);
}
