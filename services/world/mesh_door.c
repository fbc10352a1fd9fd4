/* The conversation `mesh`: leases to meshers, products from them. */
#include "world/world_impl.h"

#include "base/clock.h"
#include "bus/array.h"

#include "proto/mesh.pb-c.h"
#include "proto/resource.pb-c.h"

#include <stdlib.h>
#include <string.h>

#define JOBS_MAX 128 /* leases that one mesher may ask for */
#define REFILL_MAX 8 /* a mesher with work at hand is given this many jobs together */
#define PRODUCT_MAX (16u << 20)
#define LEASE_MIN_MS 3000.0
#define LEASE_MAX_MS 30000.0

static stn_mesher *mesher_of(stn_peer *peer)
{
    return stn_peer_user(peer);
}

static stn_mesher *mesher_by_number(stn_world *w, uint32_t number)
{
    for (size_t i = 0; i < STN_MESHERS_MAX; i++)
        if (w->meshers[i].used && w->meshers[i].number == number)
            return &w->meshers[i];
    return NULL;
}

size_t stn_mesh_count(const stn_world *w)
{
    size_t n = 0;
    for (size_t i = 0; i < STN_MESHERS_MAX; i++)
        n += w->meshers[i].used && w->meshers[i].jobs > 0;
    return n;
}

void stn_mesh_release(void *world, void *payload)
{
    stn_payload *p = payload;
    (void)world;
    stn_frame_unref(p->frame);
    free(p);
}

/* A mesher that hears of it drops the job and says nothing more about it. */
bool stn_mesh_cancel(void *world, uint32_t mesher, uint64_t ticket)
{
    stn_mesher *m = mesher_by_number(world, mesher);
    Stenness__JobCancel c = STENNESS__JOB_CANCEL__INIT;

    c.tickets = &ticket;
    c.n_tickets = 1;
    return m && stn_peer_say(m->peer, STENNESS__MESH_KIND__MESH_CANCEL, STN_STATE_STREAM, 0, &c.base, NULL) ==
                    STN_OK;
}

/* ---- what a build reads */

static stn_status tileset_of(stn_world *w, uint16_t tile, stn_tileset **out, stn_err *err)
{
    const char *name;
    int32_t version;
    stn_known *k;
    stn_status st = stn_world_tileset(w, tile, &name, &version);

    *out = NULL;
    if (st == STN_NOT_FOUND)
        return stn_fail(err, st, "tile id %u has no tileset", tile);
    if (st != STN_OK)
        return st;
    if (!(k = stn_resources_want(w->resources, name, version, STENNESS__RESOURCE_WANT__WANT_RAW, 5)))
        return stn_fail(err, STN_NO_MEMORY, "tileset %.80s", name);
    return stn_resources_tileset(w->resources, k, STN_TILEDEF_FULL, out, err);
}

/* Tiles [-margin, 25+margin) and corners [-margin, 25+margin] around the cut. STN_AGAIN: a grid is missing.
 * A margin may be remembered ground where nothing live is: else the rim of what the server sends would stay
 * empty. The live grid's fill takes back what was built so. */
static stn_status take_window(stn_world *w, const stn_cut_job *job, uint32_t margin)
{
    stn_job_scratch *s = &w->job;
    stn_coord ul = stn_tile_of_grid(job->gc);
    int m = (int)margin, side = STN_CUT_TILES + 2 * m;

    s->margin = margin;
    ul = stn_coord_add(ul, job->cut % STN_GRID_CUTS * STN_CUT_TILES - m,
                       job->cut / STN_GRID_CUTS * STN_CUT_TILES - m);
    for (int y = 0; y <= side; y++)
        for (int x = 0; x <= side; x++) {
            stn_coord tc = stn_coord_add(ul, x, y), in = stn_tile_in_grid(tc);
            const stn_grid *g = stn_mapcache_ground(w->map, stn_grid_of_tile(tc));
            if (!g)
                return STN_AGAIN;
            s->heights[x + y * (side + 1)] = g->z[in.x + STN_GRID_TILES * in.y];
            if (x < side && y < side)
                s->tiles[x + y * side] = g->tiles[in.x + STN_GRID_TILES * in.y];
        }
    return STN_OK;
}

/* The ids of the window and their sets. Ids whose set cannot be had are left out: their ground is not drawn.
 */
static stn_status take_sets(stn_world *w, bool *water)
{
    stn_job_scratch *s = &w->job;
    size_t side = STN_CUT_TILES + 2 * s->margin;
    bool waiting = false;

    s->n_ids = 0;
    *water = false;
    for (size_t i = 0; i < side * side; i++) {
        size_t k, x = i % side, y = i / side;
        bool own = x >= s->margin && y >= s->margin && x < side - s->margin && y < side - s->margin;
        for (k = 0; k < s->n_ids && s->ids[k] != s->tiles[i]; k++)
            ;
        if (k == s->n_ids) {
            stn_err why = {0};
            if (k == 256)
                return STN_TOO_BIG;
            s->ids[k] = s->tiles[i];
            s->sets[k] = NULL;
            s->n_ids++;
            waiting |= tileset_of(w, s->tiles[i], &s->sets[k], &why) == STN_AGAIN;
        }
        *water |= own && s->sets[k] && !strcmp(s->sets[k]->def.tiler, "water");
    }
    return waiting ? STN_AGAIN : STN_OK;
}

static stn_status job_ready(void *arg, const stn_cut_job *job, stn_err *err)
{
    stn_world *w = arg;
    const stn_grid *g = stn_mapcache_ground(w->map, job->gc);
    bool water;
    stn_status st;

    if (!g || g->incarnation != job->incarnation)
        return STN_AGAIN;
    w->job.grid_id = g->id;
    if ((st = take_window(w, job, STN_MARGIN)) == STN_OK)
        st = take_sets(w, &water);
    if (st == STN_OK && water && (st = take_window(w, job, STN_MARGIN_WATER)) == STN_OK)
        st = take_sets(w, &water);
    if (st == STN_TOO_BIG)
        return stn_fail(err, st, "a cut of grid %d,%d and its margin hold more than 256 tile ids", job->gc.x,
                        job->gc.y);
    return st;
}

/* ---- sending */

static stn_status send_set(stn_mesher *m, const stn_tileset *set, stn_err *err)
{
    Stenness__Tileset msg = STENNESS__TILESET__INIT;
    Stenness__Array array = STENNESS__ARRAY__INIT;
    stn_buf data = {.max = STN_TILESET_MAX_BYTES};
    stn_frame *frame;
    stn_status st;

    if (!set || stn_table_get(m->sent, set->def.handle))
        return STN_OK;
    if ((st = send_set(m, set->def.trans, err)) != STN_OK ||
        (st = send_set(m, set->def.floor, err)) != STN_OK)
        return st;
    stn_tileset_encode(set, &data);
    frame = data.failed ? NULL : stn_frame_copy(data.data, data.len);
    if (!frame) {
        stn_buf_fini(&data);
        return stn_fail(err, STN_NO_MEMORY, "tileset %.80s", set->def.name);
    }
    array.count = data.len;
    array.format = STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES;
    msg.handle = set->def.handle;
    msg.name = (char *)(uintptr_t)set->def.name;
    msg.version = set->def.version;
    msg.data = &array;
    st = stn_peer_send(m->peer,
                       &(stn_send){.kind = STENNESS__MESH_KIND__MESH_TILESET,
                                   .stream = STN_STATE_STREAM,
                                   .body = &msg.base,
                                   .bulk = &frame,
                                   .n_bulk = 1},
                       err);
    if (st == STN_OK && !stn_table_put(m->sent, set->def.handle, m, NULL))
        st = stn_fail(err, STN_NO_MEMORY, "tileset table of a mesher");
    stn_frame_unref(frame);
    stn_buf_fini(&data);
    return st;
}

static double lease_ms(const stn_world *w, const stn_mesher *m)
{
    double ms = w->build_ms * 8 * m->jobs;
    return ms < LEASE_MIN_MS ? LEASE_MIN_MS : ms > LEASE_MAX_MS ? LEASE_MAX_MS : ms;
}

static stn_status send_job(stn_world *w, stn_mesher *m, const stn_cut_job *job, stn_err *err)
{
    const stn_job_scratch *s = &w->job;
    Stenness__Job msg = STENNESS__JOB__INIT;
    Stenness__Array tiles = STENNESS__ARRAY__INIT, heights = STENNESS__ARRAY__INIT;
    stn_array_plan plan = {0};
    size_t side = STN_CUT_TILES + 2 * s->margin, n = side * side, nh = (side + 1) * (side + 1), at_tiles,
           at_heights;
    uint32_t ids[256], handles[256];
    size_t known = 0;
    stn_frame *frame;
    stn_status st;

    for (size_t i = 0; i < s->n_ids; i++) {
        if (!s->sets[i])
            continue;
        if ((st = send_set(m, s->sets[i], err)) != STN_OK)
            return st;
        ids[known] = s->ids[i];
        handles[known++] = s->sets[i]->def.handle;
    }
    at_tiles = stn_array_add(&plan, &tiles, STENNESS__ELEMENT_FORMAT__ELEMENT_U16, n);
    at_heights = stn_array_add(&plan, &heights, STENNESS__ELEMENT_FORMAT__ELEMENT_F32, nh);
    if (!(frame = stn_array_plan_frame(&plan)))
        return stn_fail(err, STN_NO_MEMORY, "job");
    memcpy(stn_frame_writable(frame) + at_tiles, s->tiles, n * sizeof s->tiles[0]);
    memcpy(stn_frame_writable(frame) + at_heights, s->heights, nh * sizeof s->heights[0]);
    msg.ticket = job->ticket;
    msg.half =
        job->half == STN_CUT_GROUND ? STENNESS__CUT_HALF__CUT_GROUND : STENNESS__CUT_HALF__CUT_DECORATION;
    msg.grid_id = s->grid_id;
    msg.grid_x = job->gc.x;
    msg.grid_y = job->gc.y;
    msg.cut_x = job->cut % STN_GRID_CUTS;
    msg.cut_y = job->cut / STN_GRID_CUTS;
    msg.ground_generation = stn_cuts_generation(w->cuts, STN_CUT_GROUND);
    msg.decoration_generation = stn_cuts_generation(w->cuts, STN_CUT_DECORATION);
    msg.blend_passes = w->ground.blend_passes;
    msg.transitions = w->ground.transitions;
    msg.flat = w->ground.flat;
    msg.flavor_density = w->ground.density;
    msg.margin = s->margin;
    msg.tiles = &tiles;
    msg.heights = &heights;
    msg.tile_ids = ids;
    msg.tilesets = handles;
    msg.n_tile_ids = msg.n_tilesets = known;
    msg.priority = -job->distance;
    msg.lease_ms = (uint32_t)lease_ms(w, m);
    st = stn_peer_send(m->peer,
                       &(stn_send){.kind = STENNESS__MESH_KIND__MESH_JOB,
                                   .stream = STN_STATE_STREAM,
                                   .body = &msg.base,
                                   .bulk = &frame,
                                   .n_bulk = 1},
                       err);
    stn_frame_unref(frame);
    return st;
}

/* Each message to a mesher wakes threads in both processes, so one that has work at hand gets jobs when
 * several of its places are free, a quarter of them or REFILL_MAX, and then all that are. */
static bool has_room(const stn_world *w, const stn_mesher *m, bool filling)
{
    size_t leases = stn_cuts_leases_of(w->cuts, m->number), room = m->jobs / 4;

    room = filling || room < 1 ? 1 : room > REFILL_MAX ? REFILL_MAX : room;
    return m->used && leases + room <= m->jobs;
}

/* One after the other gets one, so that two meshers share what is urgent. */
void stn_mesh_lease(stn_world *w)
{
    int64_t now = stn_loop_now(w->loop)->now_ns;
    bool filling[STN_MESHERS_MAX] = {0}, gave;

    if (!w->cuts)
        return;
    stn_cuts_expire(w->cuts, now);
    do {
        gave = false;
        for (size_t i = 0; i < STN_MESHERS_MAX; i++) {
            stn_mesher *m = &w->meshers[i];
            stn_cut_job job;
            stn_err err = {0};
            if (!has_room(w, m, filling[i]))
                continue;
            if (stn_cuts_lease(w->cuts, m->number, now + (int64_t)(lease_ms(w, m) * 1e6), job_ready, w, &job,
                               &err) != STN_OK)
                continue;
            if (send_job(w, m, &job, &err) == STN_OK)
                gave = filling[i] = true;
            else /* no room: back into the queue */
                stn_cuts_failed(w->cuts, m->number, job.ticket, STN_CANCELLED, err.text);
        }
    } while (gave);
}

/* ---- what meshers say */

static stn_status on_ready(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_world *w = ctx;
    const Stenness__MesherReady *r = stn_msg_body(msg);
    stn_mesher *m = mesher_of(peer);

    if (!m)
        return stn_fail(err, STN_BUSY, "more than %d meshers", STN_MESHERS_MAX);
    if (m->jobs == 0)
        stn_log_info("mesher %s takes %u jobs at once (%.60s)", stn_peer_id(peer), r->jobs, r->machine);
    m->jobs = r->jobs > JOBS_MAX ? JOBS_MAX : r->jobs;
    stn_mesh_lease(w);
    return STN_OK;
}

static stn_status on_product(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    static const stn_array_rule rule = {"product", STENNESS__ELEMENT_FORMAT__ELEMENT_NONE, 1, PRODUCT_MAX,
                                        false};
    stn_world *w = ctx;
    const Stenness__Product *p = stn_msg_body(msg);
    stn_mesher *m = mesher_of(peer);
    stn_payload *payload;
    stn_array a;
    stn_status st;

    if (!m || !w->cuts)
        return STN_OK;
    st = stn_array_view(p->data, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &rule, &a, err);
    if (st == STN_OK && !(payload = malloc(sizeof *payload)))
        st = stn_fail(err, STN_NO_MEMORY, "product");
    if (st != STN_OK) {
        stn_cuts_failed(w->cuts, m->number, p->ticket, st, err->text);
        return st;
    }
    *payload = (stn_payload){
        stn_frame_slice(stn_msg_bulk(msg, p->data->frame), (size_t)p->data->offset, a.count * a.stride),
        p->compression, p->unpacked_bytes};
    w->build_ms = w->build_ms * 0.95 + (double)p->build_us * 0.001 * 0.05;
    m->built++;
    stn_cuts_built(w->cuts, m->number, p->ticket, payload, a.count * a.stride);
    stn_mesh_lease(w);
    return STN_OK;
}

static stn_status on_job_failed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_world *w = ctx;
    const Stenness__JobFailed *f = stn_msg_body(msg);
    stn_mesher *m = mesher_of(peer);

    (void)err;
    if (!m || !w->cuts)
        return STN_OK;
    if (f->code != STN_CANCELLED) {
        m->failed++;
        if (stn_log_due(&w->complaints))
            stn_log_warn("a cut cannot be built: %.160s", f->text);
    }
    stn_cuts_failed(w->cuts, m->number, f->ticket, f->code == STN_OK ? STN_BAD_DATA : (stn_status)f->code,
                    f->text);
    stn_mesh_lease(w);
    return STN_OK;
}

static const stn_handler handlers[] = {
    {STENNESS__MESH_KIND__MESH_MESHER_READY, "mesher-ready", 4096, &stenness__mesher_ready__descriptor,
     on_ready, false},
    {STENNESS__MESH_KIND__MESH_PRODUCT, "product", PRODUCT_MAX, &stenness__product__descriptor, on_product,
     false},
    {STENNESS__MESH_KIND__MESH_JOB_FAILED, "job-failed", 8192, &stenness__job_failed__descriptor,
     on_job_failed, false},
};

static void on_up(void *ctx, stn_peer *peer)
{
    stn_world *w = ctx;
    size_t i;

    for (i = 0; i < STN_MESHERS_MAX && w->meshers[i].used; i++)
        ;
    if (i == STN_MESHERS_MAX)
        return; /* its first word is answered with an error */
    w->meshers[i] =
        (stn_mesher){.used = true, .peer = peer, .number = ++w->mesher_numbers, .sent = stn_table_new()};
    if (!w->meshers[i].sent) {
        w->meshers[i].used = false;
        return;
    }
    stn_peer_set_user(peer, &w->meshers[i]);
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    stn_world *w = ctx;
    stn_mesher *m = mesher_of(peer);
    size_t n = 0;

    if (!m)
        return;
    /* One that says Bye did not die of a job; one that fell silent or came back empty may have. */
    if (w->cuts)
        n = stn_cuts_mesher_gone(w->cuts, m->number, why != STN_DOWN_BYE && why != STN_DOWN_STOP);
    stn_log_info("mesher %s is gone (%s); %zu jobs go to others", stn_peer_id(peer),
                 stn_down_reason_text(why), n);
    stn_table_free(m->sent);
    *m = (stn_mesher){0};
    if (why != STN_DOWN_STOP)
        stn_mesh_lease(w);
}

static void on_room(void *ctx, stn_peer *peer)
{
    (void)peer;
    stn_mesh_lease(ctx);
}

stn_status stn_mesh_open(stn_world *w, const stn_world_settings *s, stn_err *err)
{
    stn_conv_spec spec = {.name = "mesh",
                          .handlers = handlers,
                          .n_handlers = sizeof handlers / sizeof handlers[0],
                          .ctx = w,
                          .up = on_up,
                          .down = on_down,
                          .room = on_room};
    stn_status st = stn_bus_bind(w->bus, &spec, &w->mesh_door, err);

    w->build_ms = 20;
    if (st == STN_OK && s->mesh_endpoint && s->mesh_endpoint[0])
        st = stn_conv_bind_also(w->mesh_door, s->mesh_endpoint, s->keys, s->allow_folder, err);
    return st;
}

void stn_mesh_close(stn_world *w)
{
    stn_conv_free(w->mesh_door);
    w->mesh_door = NULL;
}
