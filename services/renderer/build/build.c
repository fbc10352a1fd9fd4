#include "renderer/build/build_impl.h"

#include "base/clock.h"
#include "map/coords.h"
#include "renderer/build/gridland.h"
#include "renderer/build/sheetlook.h"
#include "renderer/build/words.h"

#include "proto/resource.pb-c.h"
#include "proto/world.pb-c.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS 8192
#define TICK_NS (STN_S / 60)
#define EVENTS_A_TICK 512
#define BUDGET_NS (8 * STN_MS)
#define WANTED 256
#define LEVELS_PART 2 /* of the budget of a round; one mesh at least */

/* --- queues --- */

static bool give(void *ctx, stn_job *job)
{
    stn_build *b = ctx;

    return b->held_count == 0 && stn_spsc_give(b->jobs, job);
}

bool build_room(const stn_build *b)
{
    return b->held_count < sizeof b->held / sizeof b->held[0] / 2 && stn_spsc_room(b->jobs) > JOBS / 4;
}

void build_give(stn_build *b, stn_job *job)
{
    if (!job)
        return;
    if (give(b, job))
        return;
    if (b->held_count < sizeof b->held / sizeof b->held[0]) {
        b->held[b->held_count++] = job;
        return;
    }
    stn_log_error("the picture is too far behind: a change is lost");
    stn_job_free(job);
}

static void flush_held(stn_build *b)
{
    size_t done = 0;

    while (done < b->held_count && stn_spsc_give(b->jobs, b->held[done]))
        done++;
    memmove(b->held, b->held + done, (b->held_count - done) * sizeof b->held[0]);
    b->held_count -= done;
}

static void free_spent(stn_build *b)
{
    stn_job *job;

    while ((job = stn_spsc_take(b->spent)) != NULL)
        if (job->kind == STN_JOB_POSES)
            stn_gobs_take_back(b->gobs, job);
        else
            stn_job_free(job);
}

static void ask(void *ctx, const char *name, int32_t version, int32_t priority)
{
    stn_build *b = ctx;

    if (!b->feed.ask(b->feed.ctx, name, version, priority))
        stn_store_failed(b->store, name, version, "too many questions to the loader at once");
}

const void *build_unpack(stn_build *b, const ProtobufCMessageDescriptor *type, const stn_msg *msg)
{
    const ProtobufCMessage *m = NULL;
    stn_err err = {0};
    stn_frame *body = stn_msg_body_frame(msg);

    if (stn_unpack(b->unpacker, type, stn_frame_data(body), stn_frame_len(body), &m, &err) == STN_OK)
        return m;
    if (stn_log_due(&b->bad))
        stn_log_warn("a message of kind %u cannot be read: %s", stn_msg_kind(msg), err.text);
    return NULL;
}

static bool grid_id(void *ctx, int32_t gx, int32_t gy, int64_t *id)
{
    stn_build *b = ctx;
    const struct known_grid *k = stn_table_get(b->grids, stn_coord_key((stn_coord){gx, gy}));

    if (k)
        *id = k->id;
    return k != NULL;
}

static void overlay_over(void *ctx, int64_t id, uint64_t incarnation, int32_t overlay)
{
    stn_build *b = ctx;

    b->feed.overlay_over(b->feed.ctx, id, incarnation, overlay);
}

static stn_sprite_fault sheet_look(void *ctx, const char *name, stn_sheet_look *out, stn_err *err)
{
    return stn_sheetlook_of(((stn_build *)ctx)->store, name, out, err);
}

static void decor_poses(void *ctx, stn_job_poses *to)
{
    stn_decor_poses(((stn_build *)ctx)->decor, to);
}

/* --- resources --- */

static void unref_msg(void *arg)
{
    stn_msg_unref(arg);
}

static void on_ready(stn_build *b, const stn_net_event *e)
{
    const Stenness__Ready *r = build_unpack(b, &stenness__ready__descriptor, e->msg);
    stn_wire_span spans[STN_WIRE_FRAMES] = {{0}};
    size_t n = stn_msg_bulk_count(e->msg);
    stn_wire *wire = NULL;
    stn_err err = {0};

    for (size_t i = 0; i < n && i < STN_WIRE_FRAMES; i++)
        spans[i] =
            (stn_wire_span){stn_frame_data(stn_msg_bulk(e->msg, i)), stn_frame_len(stn_msg_bulk(e->msg, i))};
    if (!r || stn_wire_open(r, spans, n < STN_WIRE_FRAMES ? n : STN_WIRE_FRAMES, &wire, &err) != STN_OK) {
        stn_store_failed(b->store, e->name, e->version, r ? err.text : "a message that cannot be read");
        return;
    }
    stn_store_ready(b->store, e->name, e->version, wire, unref_msg, stn_msg_ref(e->msg));
}

static void on_resource(stn_build *b, const stn_net_event *e)
{
    const Stenness__Failed *f;

    if (!e->msg) {
        stn_store_failed(b->store, e->name, e->version, "there is no answer to be had");
        return;
    }
    switch (stn_msg_kind(e->msg)) {
    case STENNESS__RESOURCE_KIND__RESOURCE_READY:
        on_ready(b, e);
        break;
    case STENNESS__RESOURCE_KIND__RESOURCE_FAILED:
        f = build_unpack(b, &stenness__failed__descriptor, e->msg);
        stn_store_failed(b->store, e->name, e->version,
                         f && f->n_chain > 0 ? f->chain[0]->text : "every source said no");
        break;
    default:
        stn_store_failed(b->store, e->name, e->version, "that version is obsolete");
    }
}

/* --- the view --- */

static uint64_t frame_id(uint64_t epoch, uint64_t session)
{
    return (epoch ^ session * UINT64_C(0x9e3779b97f4a7c15)) | 1;
}

static void drop_grids(stn_build *b)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    while (stn_table_next(b->grids, &it, &key, &v)) {
        stn_msg_unref(((struct known_grid *)v)->msg);
        free(v);
    }
    stn_table_clear(b->grids);
}

static void on_frame_begin(stn_build *b, const stn_net_event *e)
{
    const Stenness__FrameBegin *f = build_unpack(b, &stenness__frame_begin__descriptor, e->msg);
    uint64_t frame;
    stn_job *job;

    if (!f)
        return;
    frame = frame_id(e->epoch, f->session);
    b->session = f->session;
    if (frame != b->frame) {
        b->frame = frame;
        stn_cutline_clear(b->cuts);
        stn_table_clear(b->came);
        stn_sheets_frame(b->sheets, frame);
        drop_grids(b);
        stn_gobs_frame(b->gobs, frame);
        stn_decor_frame(b->decor);
        job = stn_job_new(STN_JOB_FRAME, frame);
        if (job)
            job->u.id = (int64_t)f->session;
        build_give(b, job);
    }
    stn_gobs_snapshot_begin(b->gobs);
    b->facts.driver = f->driver;
    b->facts.has_player = f->has_player && f->player != -1;
    b->facts.player = f->player;
    b->facts_due = true;
}

static void give_grid(stn_build *b, struct known_grid *k)
{
    const Stenness__Grid *g = build_unpack(b, &stenness__grid__descriptor, k->msg);
    stn_job *job = NULL;
    stn_err err = {0};

    if (!g)
        return;
    if (stn_gridland_job(b->store, g, k->msg, b->frame, &job, &k->coloured, &err) != STN_OK)
        stn_log_warn("grid %d,%d: %s", k->x, k->y, err.text);
    else
        build_give(b, job);
}

static void on_grid(stn_build *b, const stn_net_event *e)
{
    const Stenness__Grid *g = build_unpack(b, &stenness__grid__descriptor, e->msg);
    struct known_grid *k;
    uint64_t key;
    stn_err err = {0};

    if (!g)
        return;
    key = stn_coord_key((stn_coord){g->x, g->y});
    k = stn_table_get(b->grids, key);
    if (!k) {
        k = calloc(1, sizeof *k);
        if (!k || !stn_table_put(b->grids, key, k, NULL)) {
            free(k);
            return;
        }
        k->x = g->x;
        k->y = g->y;
    }
    /* The sheets look at the old message's bits once more: it goes after them. */
    if (!stn_sheetlook_grid(b->sheets, g, stn_msg_bulk_frames(e->msg), stn_msg_bulk_count(e->msg), &err))
        stn_log_warn("overlays of grid %d,%d: %s", g->x, g->y, err.text);
    stn_msg_unref(k->msg);
    k->msg = stn_msg_ref(e->msg);
    k->id = g->id;
    give_grid(b, k);
}

static void on_grid_drop(stn_build *b, const stn_net_event *e)
{
    const Stenness__GridDrop *d = build_unpack(b, &stenness__grid_drop__descriptor, e->msg);

    for (size_t i = 0; d && i < d->n_x && i < d->n_y; i++) {
        struct known_grid *k = stn_table_remove(b->grids, stn_coord_key((stn_coord){d->x[i], d->y[i]}));
        stn_job *job = stn_job_new(STN_JOB_GRID_DROP, b->frame);

        stn_sheets_grid_drop(b->sheets, d->x[i], d->y[i]);
        if (k) {
            stn_msg_unref(k->msg);
            free(k);
        }
        if (job) {
            job->u.grid.x = d->x[i];
            job->u.grid.y = d->y[i];
        }
        build_give(b, job);
    }
}

/* One pass over the grids that were shown before their tilesets were known. */
static void recolour(stn_build *b, int64_t now)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    if (now - b->colour_ns < STN_S)
        return;
    b->colour_ns = now;
    while (build_room(b) && stn_table_next(b->grids, &it, &key, &v))
        if (!((struct known_grid *)v)->coloured)
            give_grid(b, v);
}

static void on_entities(stn_build *b, const stn_net_event *e)
{
    const Stenness__Entities *m = build_unpack(b, &stenness__entities__descriptor, e->msg);

    for (size_t i = 0; m && i < m->n_removed_ids; i++)
        stn_gobs_remove(b->gobs, m->removed_ids[i]);
    for (size_t i = 0; m && i < m->n_entities; i++) {
        stn_err err = {0};

        if (stn_gobs_entity(b->gobs, m->entities[i], &err) != STN_OK && stn_log_due(&b->bad))
            stn_log_warn("%s", err.text);
    }
}

static stn_colour colour_of(uint32_t rgba)
{
    return (stn_colour){(uint8_t)(rgba >> 24), (uint8_t)(rgba >> 16), (uint8_t)(rgba >> 8), (uint8_t)rgba};
}

static void on_global(stn_build *b, const stn_net_event *e)
{
    const Stenness__Global *g = build_unpack(b, &stenness__global__descriptor, e->msg);
    stn_job *job = g ? stn_job_new(STN_JOB_GLOBAL, 0) : NULL;

    if (!job)
        return;
    job->u.global.light = (stn_daylight){colour_of(g->light_ambient), colour_of(g->light_diffuse),
                                         colour_of(g->light_specular), g->light_angle, g->light_elevation};
    job->u.global.has_light =
        g->has_light && g->light_angle == g->light_angle && g->light_elevation == g->light_elevation;
    job->u.global.increment = true; /* fades; the first one is taken at once */
    job->u.global.day_progress = g->day_progress;
    job->u.global.night = g->night;
    job->u.global.clouds = stn_words_clouds(g);
    stn_words_party(g, &b->facts);
    b->facts_due = true;
    build_give(b, job);
}

static void on_session(stn_build *b, const stn_net_event *e)
{
    const Stenness__Session *s = build_unpack(b, &stenness__session__descriptor, e->msg);

    if (!s)
        return;
    stn_words_session(s, &b->facts);
    b->facts_due = true;
}

static void on_text(stn_build *b, const stn_net_event *e, stn_job_kind kind)
{
    stn_job *job = stn_job_new(kind, b->frame);

    if (!job)
        return;
    if (kind == STN_JOB_CHAT)
        stn_words_chat(build_unpack(b, &stenness__chat__descriptor, e->msg), &job->u.text);
    else
        stn_words_menu(build_unpack(b, &stenness__menu__descriptor, e->msg), &job->u.text);
    build_give(b, job);
}

static void on_ghost(stn_build *b, const stn_net_event *e)
{
    const Stenness__Ghost *g = build_unpack(b, &stenness__ghost__descriptor, e->msg);
    stn_job *job = stn_job_new(STN_JOB_GHOST, b->frame);

    stn_gobs_ghost(b->gobs, g);
    if (!job)
        return;
    job->u.id = g && !g->closed ? (int64_t)g->number : 0;
    build_give(b, job);
}

static void on_view(stn_build *b, const stn_net_event *e)
{
    const Stenness__Tick *t;

    switch (stn_msg_kind(e->msg)) {
    case STENNESS__VIEW_KIND__VIEW_FRAME_BEGIN:
        on_frame_begin(b, e);
        break;
    case STENNESS__VIEW_KIND__VIEW_GRID:
        on_grid(b, e);
        break;
    case STENNESS__VIEW_KIND__VIEW_GRID_DROP:
        on_grid_drop(b, e);
        break;
    case STENNESS__VIEW_KIND__VIEW_GLOBAL:
        on_global(b, e);
        break;
    case STENNESS__VIEW_KIND__VIEW_ENTITIES:
        on_entities(b, e);
        break;
    case STENNESS__VIEW_KIND__VIEW_CUT:
        build_on_cut(b, e);
        break;
    case STENNESS__VIEW_KIND__VIEW_CUT_DROP:
        build_on_cut_drop(b, e);
        break;
    case STENNESS__VIEW_KIND__VIEW_SESSION:
        on_session(b, e);
        break;
    case STENNESS__VIEW_KIND__VIEW_TICK:
        t = build_unpack(b, &stenness__tick__descriptor, e->msg);
        if (t && t->snapshot_done)
            stn_gobs_snapshot_end(b->gobs);
        break;
    case STENNESS__VIEW_KIND__VIEW_CHAT:
        on_text(b, e, STN_JOB_CHAT);
        break;
    case STENNESS__VIEW_KIND__VIEW_MENU:
        on_text(b, e, STN_JOB_MENU);
        break;
    case STENNESS__VIEW_KIND__VIEW_GHOST:
        on_ghost(b, e);
        break;
    default:
        break;
    }
}

static void on_event(stn_build *b, const stn_net_event *e)
{
    switch (e->kind) {
    case STN_NET_WORLD_UP:
    case STN_NET_WORLD_DOWN:
    case STN_NET_LOADER_UP:
    case STN_NET_LOADER_DOWN:
        b->facts_due = true;
        break;
    case STN_NET_WORLD_MESSAGE:
        on_view(b, e);
        break;
    case STN_NET_RESOURCE:
        on_resource(b, e);
        break;
    }
}

static void give_facts(stn_build *b, int64_t now)
{
    stn_job *job;
    unsigned known, waiting, failed;
    size_t due, shown, sheets;
    uint64_t left_out;

    if (!b->facts_due && now - b->facts_ns < STN_S / 5)
        return;
    stn_store_counts(b->store, &known, &waiting, &failed);
    stn_decor_counts(b->decor, &due, &shown);
    stn_sheets_counts(b->sheets, &sheets, &left_out);
    due += sheets;
    b->facts.resources_waiting =
        waiting + (uint32_t)stn_cutline_count(b->cuts) + (uint32_t)stn_gobs_unbuilt(b->gobs) + (uint32_t)due;
    b->facts.resources_failed = failed;
    b->facts.entities = (uint32_t)stn_gobs_count(b->gobs);
    b->feed.links(b->feed.ctx, &b->facts.world, &b->facts.loader);
    job = stn_job_new(STN_JOB_FACTS, 0);
    if (job) {
        job->u.facts = b->facts;
        /* World counts what it has; what is still on the way to us is not ready here. */
        if (job->u.facts.cuts_ready > stn_table_count(b->came))
            job->u.facts.cuts_ready = (uint32_t)stn_table_count(b->came);
        if (!give(b, job)) {
            stn_job_free(job);
            return;
        }
    }
    b->facts_due = false;
    b->facts_ns = now;
}

/* Last of all: meanwhile the full mesh is drawn. */
static void make_levels(stn_build *b, int64_t budget_ns)
{
    int64_t start = stn_clock_ns();
    void *asset;

    while (build_room(b) && (asset = stn_spsc_take(b->wanted)) != NULL) {
        stn_store_levels(b->store, (uint32_t)(uintptr_t)asset);
        if (stn_clock_ns() - start >= budget_ns)
            return;
    }
}

/* One round over all that can be done: what has come, at most `events` of it, and what is due of cuts, marks
 * and objects, for at most budget_ns each. How many events were taken. */
static unsigned go_round(stn_build *b, double dt, unsigned events, int64_t budget_ns)
{
    stn_net_event *e;
    unsigned n = 0;

    while (n < events && build_room(b) && (e = b->feed.take(b->feed.ctx)) != NULL) {
        on_event(b, e);
        stn_net_event_free(e);
        n++;
    }
    build_cuts(b, budget_ns);
    stn_sheets_tick(b->sheets);
    stn_decor_animate(b->decor, dt);
    stn_gobs_tick(b->gobs, dt, budget_ns);
    if (build_room(b))
        stn_decor_tick(b->decor, budget_ns);
    recolour(b, b->now_ns);
    make_levels(b, budget_ns / LEVELS_PART);
    return n;
}

static void *thread_main(void *arg)
{
    stn_build *b = arg;
    int64_t last = stn_clock_ns();

    while (!atomic_load(&b->stop)) {
        int64_t now = stn_clock_ns();
        double dt = (double)(now - last) / 1e9;

        last = b->now_ns = now;
        free_spent(b);
        flush_held(b);
        if (stn_store_flush(b->store))
            go_round(b, dt < 0.25 ? dt : 0.25, EVENTS_A_TICK, BUDGET_NS);
        give_facts(b, now);
        now = stn_clock_ns();
        if (now - last < TICK_NS)
            stn_sleep_ns(TICK_NS - (now - last));
    }
    return NULL;
}

/* What is still to be done, as far as it can be counted. */
static size_t left_over(const stn_build *b, unsigned *waiting)
{
    unsigned known, failed;
    size_t due, shown, sheets;
    uint64_t left_out;

    stn_store_counts(b->store, &known, waiting, &failed);
    stn_decor_counts(b->decor, &due, &shown);
    stn_sheets_counts(b->sheets, &sheets, &left_out);
    return *waiting + stn_cutline_count(b->cuts) + stn_gobs_unbuilt(b->gobs) + due + sheets;
}

stn_build_state stn_build_step(stn_build *b, double seconds)
{
    unsigned waiting = 0;
    size_t before = SIZE_MAX, left;
    bool again = true;

    if (seconds > 0.0) {
        b->now_ns += (int64_t)(seconds * 1e9);
        b->poses_due = true;
    }
    while (again) {
        free_spent(b);
        flush_held(b);
        if (!stn_store_flush(b->store))
            return STN_BUILD_FULL;
        again = go_round(b, seconds, UINT_MAX, INT64_MAX) > 0;
        seconds = 0.0;
        if (b->held_count > 0 || !build_room(b))
            return STN_BUILD_FULL;
        left = left_over(b, &waiting);
        again = again || left != before;
        before = left;
    }
    if (b->poses_due)
        stn_gobs_give_poses(b->gobs);
    b->poses_due = false;
    b->facts_due = true;
    give_facts(b, b->now_ns);
    return waiting > 0 ? STN_BUILD_WAITS : STN_BUILD_SETTLED;
}

static bool start_thread(stn_build *b, bool behind)
{
    struct sched_param p = {0};

    b->running = pthread_create(&b->thread, NULL, thread_main, b) == 0;
    if (b->running && behind && pthread_setschedparam(b->thread, SCHED_BATCH, &p) != 0)
        stn_log_info("the build thread keeps its ordinary priority");
    return b->running;
}

stn_status stn_build_new(const stn_feed *feed, stn_build_way way, stn_build **out, stn_err *err)
{
    stn_build *b = calloc(1, sizeof *b);

    *out = NULL;
    if (!b)
        return stn_fail(err, STN_NO_MEMORY, "build thread");
    b->feed = *feed;
    b->jobs = stn_spsc_new(JOBS);
    b->spent = stn_spsc_new(JOBS * 2);
    b->wanted = stn_spsc_new(WANTED);
    b->cuts = stn_cutline_new();
    b->came = stn_table_new();
    b->grids = stn_table_new();
    b->unpacker = stn_unpacker_new(16u << 20);
    b->store = stn_store_new(&(stn_store_ops){b, ask, give});
    if (b->store)
        b->gobs = stn_gobs_new(b->store, &(stn_gobs_ops){b, give, grid_id, overlay_over, decor_poses});
    if (b->store)
        b->sheets = stn_sheets_new(&(stn_sheets_ops){b, sheet_look, give});
    if (b->gobs)
        b->decor = stn_decor_new(b->gobs);
    if (!b->jobs || !b->spent || !b->wanted || !b->cuts || !b->came || !b->grids || !b->unpacker ||
        !b->store || !b->gobs || !b->decor || !b->sheets) {
        stn_build_free(b);
        return stn_fail(err, STN_NO_MEMORY, "build thread");
    }
    if (way != STN_BUILD_IN_STEPS && !start_thread(b, way == STN_BUILD_BEHIND)) {
        stn_build_free(b);
        return stn_fail(err, STN_IO, "no thread for building");
    }
    *out = b;
    return STN_OK;
}

void stn_build_free(stn_build *b)
{
    stn_job *job;

    if (!b)
        return;
    if (b->running) {
        atomic_store(&b->stop, true);
        pthread_join(b->thread, NULL);
    }
    while (b->jobs && (job = stn_spsc_take(b->jobs)) != NULL)
        stn_job_free(job);
    while (b->spent && (job = stn_spsc_take(b->spent)) != NULL)
        stn_job_free(job);
    for (size_t i = 0; i < b->held_count; i++)
        stn_job_free(b->held[i]);
    stn_cutline_free(b->cuts);
    stn_table_free(b->came);
    if (b->grids)
        drop_grids(b);
    stn_sheets_free(b->sheets);
    stn_decor_free(b->decor);
    stn_gobs_free(b->gobs);
    stn_store_free(b->store);
    stn_unpacker_free(b->unpacker);
    stn_table_free(b->grids);
    stn_spsc_free(b->jobs);
    stn_spsc_free(b->spent);
    stn_spsc_free(b->wanted);
    free(b);
}

stn_spsc *stn_build_jobs(stn_build *b)
{
    return b->jobs;
}

stn_spsc *stn_build_spent(stn_build *b)
{
    return b->spent;
}

bool stn_build_want_levels(stn_build *b, uint32_t asset)
{
    return asset != 0 && stn_spsc_give(b->wanted, (void *)(uintptr_t)asset);
}
