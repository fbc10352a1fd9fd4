#include "world/world.h"

#include "base/clock.h"
#include "base/file.h"
#include "world/world_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRUNE_NS (600 * STN_S)
#define ONE_SHOT_S 60.0 /* an overlay that nobody reports as over */
#define NEVER_CULLED 1e30 /* size of what is not known yet */
#define BLEND_MAX 12u
#define RESID_PRIORITY (-10)

/* ---- resources by session number */

const char *stn_world_resid_name(void *world, uint16_t resid, int32_t *version)
{
    const stn_world *w = world;
    const stn_resid *id = stn_resids_find(w->resids, resid);
    if (!id || !id->name)
        return NULL;
    *version = id->version;
    return id->name;
}

stn_status stn_world_tileset(stn_world *w, uint16_t tile, const char **name, int32_t *version)
{
    const stn_tileset_name *ref = stn_mapcache_tileset(w->map, tile);

    *name = NULL;
    if (!ref)
        return STN_NOT_FOUND;
    *version = ref->version == STN_RECORD_ANY_VERSION ? -1 : ref->version;
    *name = ref->name ? ref->name : stn_world_resid_name(w, ref->resid, version);
    return *name ? STN_OK : STN_AGAIN;
}

static stn_status on_traits(void *arg, uint16_t resid, stn_res_traits *out)
{
    stn_world *w = arg;
    stn_resid *id = stn_resids_take(w->resids, resid, 0);
    stn_known *k;

    if (resid >= w->resids_end)
        w->resids_end = resid + 1u;
    if (!id || !id->name)
        return STN_AGAIN;
    k = stn_resources_want(w->resources, id->name, id->version, STENNESS__RESOURCE_WANT__WANT_STRUCTURE, 0);
    if (!k || k->state == STN_KNOWN_PENDING)
        return STN_AGAIN;
    id->object = k;
    *out = k->traits;
    /* What cannot be had is shown as a placeholder by who draws it: it holds nothing up here. */
    if (k->state == STN_KNOWN_FAILED)
        *out = (stn_res_traits){.skeleton = true,
                                .published = true,
                                .published_slot = k->number,
                                .published_kind = k->number,
                                .published_deletes_any = true};
    return STN_OK;
}

static double size_of(stn_world *w, const stn_gob *g)
{
    const stn_resid *id =
        g->drawable.kind == STN_DRAW_RESOURCE ? stn_resids_find(w->resids, g->drawable.res.resid) : NULL;
    const stn_known *k = id ? id->object : NULL;
    return k && k->state == STN_KNOWN_READY && k->size > 0 ? k->size : NEVER_CULLED;
}

/* Those who wait for the resource may go on; its size may be another. */
static void on_settled(void *arg, stn_known *k)
{
    stn_world *w = arg;

    if (!w->resids)
        return;
    for (uint32_t i = 0; i < w->resids_end; i++) {
        const stn_resid *id = stn_resids_find(w->resids, (uint16_t)i);
        if (!id || !id->name || id->version != k->version || strcmp(id->name, k->name) != 0)
            continue;
        stn_ocache_resolved(w->objects, (uint16_t)i);
        for (size_t n = 0; n < stn_ocache_count(w->objects); n++) {
            stn_gob *g = stn_ocache_at(w->objects, n);
            if (g->drawable.kind == STN_DRAW_RESOURCE && g->drawable.res.resid == i)
                stn_tracker_resize(w->tracker, g->tag, size_of(w, g));
        }
    }
    stn_cuts_inputs_changed(w->cuts);
}

/* Viewers are told of overlays by name: those of grids that came before the name are told now. */
static void tell_marked(stn_world *w, uint16_t resid)
{
    stn_coord at[STN_MAPCACHE_GRIDS];
    size_t n = stn_mapcache_marked(w->map, resid, at, STN_MAPCACHE_GRIDS);

    for (size_t i = 0; i < n; i++)
        stn_table_put(w->fills, stn_coord_key(at[i]), (void *)(uintptr_t)++w->n_fills, NULL);
}

static stn_status on_resid(stn_world *w, const uint8_t *data, size_t len, stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);
    uint16_t id = stn_bytes_u16(&in), version;
    size_t name_len = 0;
    const char *name = stn_bytes_cstr(&in, &name_len);
    stn_status st;

    version = stn_bytes_u16(&in);
    if (!stn_bytes_ok(&in) || !name)
        return stn_fail(err, STN_TRUNCATED, "RESID of %zu bytes", len);
    if ((st = stn_resids_set(w->resids, id, name, name_len, version, err)) != STN_OK)
        return st;
    if (id >= w->resids_end)
        w->resids_end = id + 1u;
    stn_resources_want(w->resources, name, version, STENNESS__RESOURCE_WANT__WANT_STRUCTURE, RESID_PRIORITY);
    stn_ocache_resolved(w->objects, id);
    tell_marked(w, id);
    stn_cuts_inputs_changed(w->cuts);
    w->name_came = true;
    return STN_OK;
}

/* ---- hooks of the caches */

static bool on_overlay_done(void *arg, const stn_gob *g, const stn_overlay *ol)
{
    (void)arg;
    (void)g;
    return ol->reported || (!ol->delign && ol->age > ONE_SHOT_S) || (ol->deleted && ol->ending > ONE_SHOT_S);
}

static double on_height(void *arg, bool drawn, double x, double y)
{
    stn_world *w = arg;
    double z;
    (void)drawn; /* both surfaces are the streamed ground here; water is the viewer's matter */
    return stn_height_at(stn_mapcache_corner, w->map, x, y, &z) == STN_OK ? z : 0.0;
}

static void on_added(void *arg, stn_gob *g)
{
    stn_world *w = arg;
    float pos[3];

    stn_ocache_position(w->objects, g, pos);
    g->tag = stn_tracker_spawn(w->tracker, g->id, (double)pos[0], (double)pos[1], size_of(w, g));
    g->changed = UINT32_MAX; /* all of it is new to the tracker */
}

static void on_removed(void *arg, stn_gob *g)
{
    stn_world *w = arg;
    stn_tracker_despawn(w->tracker, g->tag);
    g->tag = 0;
}

static void on_filled(void *arg, const stn_grid *g, bool fresh)
{
    stn_world *w = arg;
    stn_err err = {0};
    (void)fresh;
    stn_table_put(w->fills, stn_coord_key(g->gc), (void *)(uintptr_t)++w->n_fills, NULL);
    if (stn_cuts_filled(w->cuts, g->gc, g->incarnation, &err) != STN_OK)
        stn_log_warn("%s", err.text);
    stn_memory_filled(w->memory, g);
}

static void on_recalled(void *arg, const stn_grid *g)
{
    stn_world *w = arg;
    stn_err err = {0};
    stn_table_put(w->fills, stn_coord_key(g->gc), (void *)(uintptr_t)++w->n_fills, NULL);
    if (stn_cuts_recalled(w->cuts, g->gc, g->incarnation, &err) != STN_OK)
        stn_log_warn("%s", err.text);
}

static void on_grid_removed(void *arg, const stn_grid *g)
{
    stn_world *w = arg;
    stn_table_remove(w->fills, stn_coord_key(g->gc));
    stn_cuts_removed(w->cuts, g->gc);
    stn_memory_removed(w->memory, g);
}

static void on_game_send(void *arg, uint8_t type, const uint8_t *data, size_t len)
{
    stn_world *w = arg;
    if (!stn_line_send(w->line, type, data, len))
        stn_log_warn("a message for the server was lost: too many wait");
}

static void on_game_say(void *arg, const char *channel, const char *text)
{
    stn_world *w = arg;
    Stenness__Chat c = STENNESS__CHAT__INIT;

    c.channel = (char *)(uintptr_t)channel;
    c.text = (char *)(uintptr_t)text;
    for (size_t i = 0; i < STN_VIEWERS_MAX; i++)
        if (w->views[i].subscribed && !w->views[i].lagging)
            stn_peer_say(w->views[i].peer, STENNESS__VIEW_KIND__VIEW_CHAT, STN_STATE_STREAM, 0, &c.base,
                         NULL);
}

static void on_game_hand_over(void *arg, const stn_hand_over *to)
{
    stn_world *w = arg;
    stn_line_hand_over(w->line, to);
}

static void on_game_go(void *arg)
{
    stn_world *w = arg;
    stn_line_go(w->line);
}

static void on_handed(void *arg, int32_t widget, unsigned code)
{
    stn_world *w = arg;
    if (w->game)
        stn_game_handed(w->game, widget, code);
}

/* ---- the frame of one session */

static void end_frame(stn_world *w)
{
    for (size_t i = 0; i < STN_VIEWERS_MAX; i++)
        w->views[i].id = 0;
    stn_cuts_free(w->cuts);
    stn_mapcache_free(w->map);
    stn_table_free(w->fills);
    stn_ocache_free(w->objects);
    stn_tracker_free(w->tracker);
    stn_game_free(w->game);
    stn_resids_free(w->resids);
    w->cuts = NULL;
    w->map = NULL;
    w->fills = NULL;
    w->objects = NULL;
    w->tracker = NULL;
    w->game = NULL;
    w->resids = NULL;
    w->resids_end = 0;
}

static bool begin_frame(stn_world *w)
{
    stn_cuts_hooks cuts = {stn_mesh_release, stn_mesh_cancel, w};
    stn_mapcache_listener map = {
        .filled = on_filled, .recalled = on_recalled, .removed = on_grid_removed, .arg = w};
    stn_ocache_hooks objects = {.traits = on_traits,
                                .overlay_done = on_overlay_done,
                                .height = on_height,
                                .added = on_added,
                                .removed = on_removed,
                                .arg = w};
    stn_game_hooks game = {
        .send = on_game_send, .say = on_game_say, .hand_over = on_game_hand_over, .go = on_game_go, .arg = w};

    end_frame(w);
    w->cuts = stn_cuts_new(&cuts, w->product_bytes);
    w->map = stn_mapcache_new(&map, w->max_grids);
    w->fills = stn_table_new();
    w->objects = stn_ocache_new(&objects);
    w->tracker = stn_tracker_new();
    w->game = stn_game_new(&game, w->character);
    w->resids = stn_resids_new(NULL, NULL);
    if (w->cuts && w->map && w->fills && w->objects && w->tracker && w->game && w->resids)
        return true;
    end_frame(w);
    stn_log_error("out of memory for a session's world");
    return false;
}

static void on_started(void *arg)
{
    stn_world *w = arg;
    if (!begin_frame(w))
        return;
    w->session++;
    stn_memory_frame(w->memory);
    w->running = true;
    w->ticked_ns = 0;
    stn_view_frame(w);
}

/* What was there stays as it is, frozen, until the next session begins. */
static void on_ended(void *arg)
{
    stn_world *w = arg;
    w->running = false;
}

static stn_status reliable(stn_world *w, const stn_delivery *d, stn_err *err)
{
    double now = (double)stn_loop_now(w->loop)->now_ns * 1e-9;
    if (d->type == STN_RMSG_RESID)
        return on_resid(w, d->data, d->len, err);
    if (d->type == STN_RMSG_MAPIV)
        return stn_mapcache_invalidate(w->map, d->data, d->len, err);
    return stn_game_message(w->game, d->type, d->data, d->len, now, err);
}

static void on_deliver(void *arg, const stn_delivery *d)
{
    stn_world *w = arg;
    stn_err err = {0};
    stn_status st = STN_OK;

    if (!w->map)
        return;
    switch (d->kind) {
    case STN_DELIVER_OBJD:
        stn_ocache_receive(w->objects, &d->obj);
        return;
    case STN_DELIVER_MAP:
        st = stn_mapcache_data(w->map, d->data, d->len, stn_loop_now(w->loop)->now_ns / STN_MS, &err);
        w->maps_bad += st != STN_OK && st != STN_AGAIN;
        break;
    case STN_DELIVER_RMSG:
        st = reliable(w, d, &err);
        if (st != STN_OK && st != STN_UNSUPPORTED) {
            w->messages_bad++;
            stn_line_malformed(w->line);
        }
        break;
    }
    if (st != STN_OK && st != STN_AGAIN && stn_log_due(&w->complaints))
        stn_log_warn("from the server: %s (%llu such so far)", err.text,
                     (unsigned long long)w->complaints.count);
}

/* ---- where things are */

bool stn_world_player(const stn_world *w, double *x, double *y)
{
    const stn_game_place *p = w->game ? stn_game_where(w->game) : NULL;
    const stn_gob *g;
    float pos[3];

    if (!p || !p->in_world)
        return false;
    g = p->has_player ? stn_ocache_get(w->objects, (int64_t)p->player) : NULL;
    if (!g) {
        *x = p->x;
        *y = p->y;
        return true;
    }
    stn_ocache_position(w->objects, g, pos);
    *x = (double)pos[0];
    *y = (double)pos[1];
    return true;
}

bool stn_world_focus(const stn_world *w, const stn_view *v, double *x, double *y)
{
    if (v->focus.follow_player)
        return stn_world_player(w, x, y);
    *x = v->focus.x;
    *y = v->focus.y;
    return w->game != NULL;
}

/* ---- ground settings: they belong to the instance, and outlive it */

static void keep_ground(const stn_world *w)
{
    char text[160];
    stn_err err = {0};
    int n = snprintf(text, sizeof text, "blend_passes=%u\ntransitions=%d\nflat=%d\nflavor_density=%.17g\n",
                     w->ground.blend_passes, w->ground.transitions, w->ground.flat, w->ground.density);

    if (w->state_file && stn_file_write(w->state_file, text, (size_t)n, 0600, false, &err) != STN_OK)
        stn_log_warn("ground settings are not kept: %s", err.text);
}

static void load_ground(stn_world *w)
{
    uint8_t *data;
    size_t len;
    unsigned passes;
    int transitions, flat;
    double density;

    if (!w->state_file || stn_file_read(w->state_file, 4096, &data, &len, NULL) != STN_OK)
        return;
    if (sscanf((const char *)data, "blend_passes=%u transitions=%d flat=%d flavor_density=%lf", &passes,
               &transitions, &flat, &density) == 4 &&
        passes <= BLEND_MAX && density >= 0 && density <= 100)
        w->ground = (stn_ground){passes, transitions != 0, flat != 0, density};
    else
        stn_log_warn("%s is not understood: default ground settings", w->state_file);
    free(data);
}

void stn_world_set_ground(stn_world *w, const stn_ground *wanted)
{
    stn_ground g = *wanted, old = w->ground;
    bool ground, decoration;

    if (g.blend_passes > BLEND_MAX)
        g.blend_passes = BLEND_MAX;
    g.density = floor(g.density < 0 ? 0 : g.density > 100 ? 100 : g.density);
    /* A generation moves only when its effective value does. */
    ground = g.blend_passes != old.blend_passes || g.transitions != old.transitions || g.flat != old.flat;
    decoration = g.density != old.density || g.flat != old.flat;
    w->ground = g;
    if (ground && w->cuts)
        stn_cuts_bump(w->cuts, STN_CUT_GROUND);
    if (decoration && w->cuts)
        stn_cuts_bump(w->cuts, STN_CUT_DECORATION);
    if (ground || decoration) {
        w->ground_changes++;
        keep_ground(w);
    }
}

/* ---- the tick */

static void encode_changes(stn_world *w, int64_t now)
{
    bool again = w->name_came && w->unnamed;

    w->name_came = false;
    if (again)
        w->unnamed = false;
    for (size_t i = 0; i < stn_ocache_count(w->objects); i++) {
        stn_gob *g = stn_ocache_at(w->objects, i);
        float pos[3];
        if (again)
            g->changed = UINT32_MAX & ~(1u << STN_COMP_MOTION);
        if (g->changed) {
            if (!stn_encode_gob(w->encode, w->tracker, g->tag, g, g->changed, w->resids, now, &w->unnamed))
                w->objects_bad++;
            if (g->changed & 1u << STN_COMP_DRAWABLE)
                stn_tracker_resize(w->tracker, g->tag, size_of(w, g));
        } else if (g->moving.kind == STN_MOVING_NONE) {
            continue;
        }
        g->changed = 0;
        stn_ocache_position(w->objects, g, pos);
        stn_tracker_move(w->tracker, g->tag, (double)pos[0], (double)pos[1]);
    }
}

static void on_mapreq(void *arg, stn_coord gc)
{
    stn_world *w = arg;
    stn_line_mapreq(w->line, gc.x, gc.y);
}

static void need_rectangle(stn_world *w, stn_coord ul, stn_coord lr)
{
    for (int32_t y = ul.y; y <= lr.y; y++)
        for (int32_t x = ul.x; x <= lr.x; x++)
            stn_mapcache_need(w->map, (stn_coord){x, y});
}

/* The driver's window of cuts, a ring wider than what it draws, and the grids that its objects stand on. */
static void ask_for_ground(stn_world *w, int64_t now)
{
    double x, y, reach;

    if (w->driver && stn_world_focus(w, w->driver, &x, &y)) {
        stn_coord at = stn_tile_of_point(x, y);
        int32_t tiles = STN_CUT_TILES * (int32_t)(w->driver->focus.cut_view + 1);
        stn_coord ul = stn_cut_of_tile(stn_coord_add(at, -tiles, -tiles));
        stn_coord lr = stn_cut_of_tile(stn_coord_add(at, tiles, tiles));
        stn_mapcache_focus(w->map, at);
        need_rectangle(w, stn_grid_of_cut(ul), stn_grid_of_cut(lr));
        reach = w->driver->focus.range;
        need_rectangle(w, stn_grid_of_tile(stn_tile_of_point(x - reach, y - reach)),
                       stn_grid_of_tile(stn_tile_of_point(x + reach, y + reach)));
    }
    stn_mapcache_send(w->map, now / STN_MS, on_mapreq, w);
}

static void move_world(stn_world *w, int64_t now)
{
    double dt = w->ticked_ns ? (double)(now - w->ticked_ns) * 1e-9 : 0;

    w->ticked_ns = now;
    stn_ocache_pump(w->objects);
    stn_ocache_tick(w->objects, dt > 0 ? dt : 0);
    stn_globals_tick(stn_game_globals(w->game), (double)now * 1e-9);
    encode_changes(w, now);
    ask_for_ground(w, now);
    stn_memory_tick(w->memory, now);
    if (now - w->pruned_ns > PRUNE_NS) {
        w->pruned_ns = now;
        stn_ocache_prune(w->objects);
    }
}

static void on_tick(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_world *w = ctx;
    int64_t begun = stn_clock_thread_cpu_ns(), due = stn_timer_due(timer) + STN_WORLD_TICK_NS;
    stn_err err = {0};

    w->ticks++;
    if (w->map && w->running)
        move_world(w, turn->now_ns);
    if (w->cuts)
        stn_cuts_tick(w->cuts);
    for (size_t i = 0; i < STN_VIEWERS_MAX; i++)
        if (w->views[i].subscribed)
            stn_view_before(w, &w->views[i]);
    if (w->tracker && stn_tracker_tick(w->tracker, stn_view_packet, w, &err) != STN_OK) {
        stn_log_warn("%s", err.text);
        stn_view_frame(w);
    }
    for (size_t i = 0; i < STN_VIEWERS_MAX; i++)
        if (w->views[i].subscribed)
            stn_view_after(w, &w->views[i]);
    stn_mesh_lease(w);
    stn_hist_add(&w->tick_time, stn_clock_thread_cpu_ns() - begun);
    /* Late ticks are not made up for. */
    stn_timer_at(timer, due > turn->now_ns ? due : turn->now_ns + STN_WORLD_TICK_NS);
}

/* ---- life */

stn_status stn_world_new(stn_bus *bus, const stn_world_settings *s, stn_world **out, stn_err *err)
{
    stn_world *w = calloc(1, sizeof *w);
    stn_resources_hooks resources = {on_settled, w};
    stn_line_hooks line = {on_started, on_deliver, on_ended, on_handed, w};
    stn_status st = STN_OK;

    *out = NULL;
    if (!w)
        return stn_fail(err, STN_NO_MEMORY, "world");
    w->bus = bus;
    w->loop = stn_bus_loop(bus);
    w->max_grids = s->max_grids;
    w->product_bytes = s->product_bytes;
    w->ground = (stn_ground){BLEND_MAX, true, false, 100};
    w->ground_changes = 1;
    w->character = strdup(s->character ? s->character : "");
    w->state_file = s->state_file ? strdup(s->state_file) : NULL;
    w->encode = stn_encode_new();
    w->tick_timer = stn_timer_new(w->loop, "world tick", on_tick, w);
    if (!w->character || !w->encode || !w->tick_timer || (s->state_file && !w->state_file))
        st = stn_fail(err, STN_NO_MEMORY, "world");
    load_ground(w);
    if (st == STN_OK)
        st = stn_resources_new(bus, &resources, &w->resources, err);
    if (st == STN_OK)
        st = stn_view_open(w, err);
    if (st == STN_OK)
        st = stn_mesh_open(w, s, err);
    if (st == STN_OK && s->map_file)
        st = stn_memory_new(w, s->map_file, &w->memory, err);
    if (st == STN_OK)
        st = stn_line_new(w->loop, &s->line, &line, &w->line, err);
    if (st != STN_OK) {
        stn_world_free(w);
        return st;
    }
    stn_timer_in(w->tick_timer, STN_WORLD_TICK_NS);
    *out = w;
    return STN_OK;
}

void stn_world_free(stn_world *w)
{
    if (!w)
        return;
    stn_line_free(w->line);
    stn_view_close(w);
    stn_mesh_close(w);
    end_frame(w);
    stn_memory_free(w->memory);
    stn_resources_free(w->resources);
    stn_timer_free(w->tick_timer);
    stn_encode_free(w->encode);
    free(w->character);
    free(w->state_file);
    free(w->entities);
    free(w->entity_ptrs);
    free(w->components);
    free(w->component_ptrs);
    free(w->removed_types);
    free(w);
}

/* ---- status */

static void report_party(const stn_party *p, stn_report *r)
{
    char text[200] = "";
    size_t at = 0;

    stn_report_gauge(r, "party.members", (double)p->n);
    for (size_t i = 0; i < p->n && at + 24 < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%u%s", i ? " " : "", p->members[i].id,
                               p->has_leader && p->leader == p->members[i].id ? " (leads)" : "");
    if (p->n > 0)
        stn_report_text(r, "party", "%s", text);
}

static void report_frame(stn_world *w, stn_report *r)
{
    stn_ocache_stats o;
    stn_cuts_stats c;
    stn_tracker_stats t;

    stn_ocache_get_stats(w->objects, &o);
    stn_cuts_get_stats(w->cuts, &c);
    stn_tracker_get_stats(w->tracker, &t);
    report_party(stn_game_party(w->game), r);
    stn_report_gauge(r, "grids.held", (double)stn_mapcache_count(w->map));
    stn_report_gauge(r, "grids.remembered", (double)stn_mapcache_remembered(w->map));
    stn_report_gauge(r, "grids.asked", (double)stn_mapcache_requests(w->map));
    stn_report_gauge(r, "objects.shown", (double)o.objects);
    stn_report_gauge(r, "objects.waiting", (double)o.parked);
    stn_report_counter(r, "objects.attributes.dropped", o.dropped_attributes);
    stn_report_counter(r, "objects.dropped", o.dropped_records);
    stn_report_counter(r, "objects.too_large", w->objects_bad);
    stn_report_gauge(r, "cuts.queued", (double)c.queued);
    stn_report_gauge(r, "cuts.parked", (double)c.parked);
    stn_report_gauge(r, "cuts.leased", (double)c.leased);
    stn_report_gauge(r, "cuts.products", (double)c.products);
    stn_report_gauge(r, "cuts.products.bytes", (double)c.product_bytes);
    stn_report_counter(r, "cuts.ordered", c.ordered);
    stn_report_counter(r, "cuts.built", c.built);
    stn_report_counter(r, "cuts.late", c.late);
    stn_report_counter(r, "cuts.failed", c.failed);
    stn_report_counter(r, "cuts.lost", c.lost);
    stn_report_counter(r, "cuts.expired", c.expired);
    stn_report_counter(r, "cuts.set_aside", c.set_aside);
    stn_report_counter(r, "cuts.evicted", c.evicted);
    stn_report_gauge(r, "tracker.seen", (double)t.seen_pairs);
    stn_report_gauge(r, "tracker.updates", (double)t.updates);
    if (c.set_aside)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_DEGRADED,
                          "%llu cuts are set aside: meshers died over them", (unsigned long long)c.set_aside);
}

void stn_world_report(void *world, stn_report *r)
{
    stn_world *w = world;
    stn_resources_stats s;
    stn_session_stats line;
    size_t viewers = 0;

    stn_resources_get_stats(w->resources, &s);
    for (size_t i = 0; i < STN_VIEWERS_MAX; i++)
        viewers += w->views[i].subscribed;
    stn_report_text(r, "session.state", "%s", stn_line_text(w->line));
    stn_report_text(r, "session.server", "%s", stn_line_server(w->line));
    stn_report_counter(r, "session.number", w->session);
    stn_report_counter(r, "session.tries", stn_line_tries(w->line));
    stn_report_counter(r, "session.messages.bad", w->messages_bad);
    stn_report_counter(r, "session.mapdata.bad", w->maps_bad);
    if (stn_line_stats(w->line, &line)) {
        stn_report_counter(r, "session.datagrams.in", line.datagrams_in);
        stn_report_counter(r, "session.datagrams.out", line.datagrams_out);
        stn_report_counter(r, "session.datagrams.dropped", line.dropped);
        stn_report_counter(r, "session.resent", line.resent);
        stn_report_gauge(r, "session.rtt.ms", line.rtt_mean * 1000);
    }
    stn_report_gauge(r, "viewers", (double)viewers);
    stn_report_text(r, "driver", "%s", w->driver ? stn_peer_id(w->driver->peer) : "");
    stn_report_gauge(r, "meshers", (double)stn_mesh_count(w));
    stn_report_gauge(r, "resources.known", (double)s.known);
    stn_report_gauge(r, "resources.pending", (double)s.pending);
    stn_report_gauge(r, "resources.failed", (double)s.failed);
    stn_report_gauge(r, "tilesets", (double)s.tilesets);
    stn_report_counter(r, "forwarded.bytes", w->forwarded_bytes);
    stn_report_hist(r, "tick.time", &w->tick_time);
    if (w->map)
        report_frame(w, r);
    stn_memory_report(w->memory, r);
    if (!w->running)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING, "%s", stn_line_text(w->line));
    else if (!s.connected)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING, "no loader: %s",
                          stn_resources_diagnosis(w->resources));
    else if (stn_mesh_count(w) == 0)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING,
                          "no mesher is there: ground is not built");
    else
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_OK, "%s", stn_line_text(w->line));
}
