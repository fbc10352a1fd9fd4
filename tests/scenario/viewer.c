/* scenario-viewer: a viewer without a picture. Subscribes to an instance's world, keeps what it is told as a
 * renderer would, checks the rules of the conversation, and ends when what was asked for is there. Prints one
 * line of JSON.
 *
 *   scenario-viewer --instance NAME [--cuts N] [--entities N] [--grids N] [--seconds S] [--walk DX,DY]
 * [--spectator]
 *                   [--sessions N] [--stay S] [--reach N] [--change S --change-until FILE]
 *
 * --cuts: ground products of the frame shown; --stay: goes on so long after everything is there, and what it
 * holds must still be complete then. --change: new ground settings every S seconds once everything is there,
 * until FILE exists, once at least; then every half must come once more, with the newest generation, and no
 * lease may be left. Exit 0: all there; 1: not in time, or a rule was broken. */
#include "base/table.h"
#include "bus/array.h"
#include "bus/credit.h"
#include "map/coords.h"
#include "map/product.h"

#include "view_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#define WINDOW_BYTES (8u << 20)
#define WINDOW_MESSAGES 256
#define NEAR_CUTS 25
#define REACH_MAX 10

/* A half of a cut as it was told last. */
typedef struct held_cut {
    uint64_t product, generation;
    int32_t x, y;
    uint32_t half;
    bool failed;
    int64_t first_ns; /* when the first product of its generation came */
    size_t before; /* ground cuts of that generation that were there by then */
} held_cut;

typedef struct viewer {
    view_link link;
    stn_table *entities; /* id -> incarnation + 1 */
    stn_table *cuts; /* place and half -> held_cut */
    size_t marked; /* tiles, in all grids that came */
    char mark[128]; /* by which overlay, the last one */
    stn_table *grids; /* place -> the viewer, or its `px` when it is remembered */
    stn_grant credit;
    uint64_t session;
    bool has_player, driver, walked, ready_told;
    int64_t player;
    double px, py; /* of the player's placement */
    double walk_x, walk_y;
    bool wants_walk, spectator;
    size_t want_cuts, want_entities, want_grids, want_sessions, want_remembered;
    double range;
    size_t sessions, snapshots, updates, products, drops, gaps, broken, ups, downs, failures;
    uint64_t product_bytes;
    int64_t begun_ns, deadline_ns, stay_ns, complete_ns, first_complete_ns, down_ns;
    uint32_t reach;
    int64_t change_ns, changed_ns, first_product_ns;
    const char *change_until;
    bool changes_over, flat;
    size_t came[2]; /* halves of the newest generation */
    size_t changes, twice, swaps, swapped;
    uint64_t swap_closed, swap_newest, generation[2], settled[2];
    int64_t swap_ns, swap_longest_ns;
    uint32_t leases;
    Stenness__GroundSettings ground;
    char why[200];
    bool done, ok;
} viewer;

static void broken(viewer *v, const char *what)
{
    if (v->broken++ == 0)
        snprintf(v->why, sizeof v->why, "%.190s", what);
}

static size_t ground_cuts(const viewer *v)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *value;
    while (stn_table_next(v->cuts, &it, &key, &value))
        n += !(key & 1);
    return n;
}

/* Halves that are not of the newest settings. */
static size_t outdated(const viewer *v)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *value;
    while (stn_table_next(v->cuts, &it, &key, &value)) {
        const held_cut *c = value;
        n += !c->failed && c->generation != v->generation[c->half];
    }
    return n;
}

static void forget_cuts(viewer *v)
{
    size_t it = 0;
    uint64_t key;
    void *value;
    while (stn_table_next(v->cuts, &it, &key, &value))
        free(value);
    stn_table_clear(v->cuts);
}

static size_t remembered_grids(const viewer *v)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *value;
    while (stn_table_next(v->grids, &it, &key, &value))
        n += value == &v->px;
    return n;
}

static void subscribe(viewer *v, stn_peer *peer)
{
    Stenness__Subscribe s = STENNESS__SUBSCRIBE__INIT;
    Stenness__Focus f = STENNESS__FOCUS__INIT;
    uint64_t bytes, messages;

    stn_grant_init(&v->credit, WINDOW_BYTES, WINDOW_MESSAGES);
    stn_grant_due(&v->credit, &bytes, &messages);
    f.follow_player = true;
    f.range = v->range;
    f.cut_view = v->reach;
    s.spectator_only = v->spectator;
    s.focus = &f;
    s.bulk_bytes = bytes;
    s.bulk_messages = (uint32_t)messages;
    stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_SUBSCRIBE, 0, 0, &s.base, NULL);
}

static void on_up(void *ctx, stn_peer *peer)
{
    viewer *v = ctx;
    v->ups++;
    subscribe(v, peer);
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    viewer *v = ctx;
    (void)peer;
    (void)why;
    v->downs++;
    v->down_ns = stn_loop_now(v->link.loop)->now_ns;
    v->session = 0;
}

static void on_gap(void *ctx, stn_peer *peer, uint32_t stream, uint64_t expected, uint64_t got)
{
    viewer *v = ctx;
    (void)stream;
    (void)expected;
    (void)got;
    v->gaps++;
    subscribe(v, peer);
}

static stn_status on_frame(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__FrameBegin *f = stn_msg_body(msg);

    (void)peer;
    (void)err;
    if (f->session != v->session) {
        v->sessions += f->session > 0;
        v->walked = false;
        v->complete_ns = 0;
        stn_table_clear(v->entities);
        forget_cuts(v);
        v->came[0] = v->came[1] = 0;
        v->swap_closed = v->swap_newest = 0;
        stn_table_clear(v->grids);
    }
    v->session = f->session;
    v->has_player = f->has_player;
    v->player = f->player;
    v->driver = f->driver;
    return STN_OK;
}

static void note_player(viewer *v, const Stenness__Entity *e)
{
    for (size_t i = 0; i < e->n_components; i++) {
        Stenness__Placement *p;
        if (e->components[i]->type != STENNESS__COMPONENT_TYPE__COMPONENT_PLACEMENT)
            continue;
        p = stenness__placement__unpack(NULL, e->components[i]->value.len, e->components[i]->value.data);
        if (!p) {
            broken(v, "a placement cannot be read");
            return;
        }
        v->px = p->x;
        v->py = p->y;
        stenness__placement__free_unpacked(p, NULL);
    }
}

static stn_status on_entities(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__Entities *m = stn_msg_body(msg);

    (void)peer;
    (void)err;
    for (size_t i = 0; i < m->n_removed_ids; i++)
        if ((uintptr_t)stn_table_remove(v->entities, (uint64_t)m->removed_ids[i]) !=
            m->removed_incarnations[i] + 1)
            broken(v, "an entity leaves that was not here");
    for (size_t i = 0; i < m->n_entities; i++) {
        const Stenness__Entity *e = m->entities[i];
        uintptr_t held = (uintptr_t)stn_table_get(v->entities, (uint64_t)e->id);
        if (!e->fresh && held != e->incarnation + 1)
            broken(v, "an update for an entity that is not held");
        stn_table_put(v->entities, (uint64_t)e->id, (void *)(uintptr_t)(e->incarnation + 1), NULL);
        if (v->has_player && e->id == v->player)
            note_player(v, e);
        v->updates += e->n_components;
    }
    return STN_OK;
}

/* Tiles of a grid that are marked, and by which name. */
static void count_marks(viewer *v, const Stenness__Grid *g, const stn_msg *msg)
{
    static const stn_array_rule rule = {"overlays", STENNESS__ELEMENT_FORMAT__ELEMENT_NONE, 1250, 1250,
                                        false};
    stn_array bits;
    stn_err err = {0};

    if (g->n_overlays != g->n_overlay_names)
        broken(v, "overlays of a grid that are not named");
    for (size_t i = 0; i < g->n_overlays && i < g->n_overlay_names; i++) {
        if (stn_array_view(g->overlays[i], stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &rule, &bits,
                           &err) != STN_OK) {
            broken(v, err.text);
            continue;
        }
        snprintf(v->mark, sizeof v->mark, "%s", g->overlay_names[i]);
        for (size_t k = 0; k < 10000; k++)
            v->marked += bits.data[k / 8] >> k % 8 & 1;
    }
}

static stn_status on_grid(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    static const stn_array_rule tiles = {"tiles", STENNESS__ELEMENT_FORMAT__ELEMENT_U16, 10000, 10000, false};
    static const stn_array_rule heights = {"heights", STENNESS__ELEMENT_FORMAT__ELEMENT_F32, 10000, 10000,
                                           false};
    viewer *v = ctx;
    const Stenness__Grid *g = stn_msg_body(msg);
    stn_array a;

    (void)peer;
    if (stn_array_view(g->tiles, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &tiles, &a, err) !=
            STN_OK ||
        stn_array_view(g->heights, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &heights, &a, err) !=
            STN_OK)
        broken(v, err->text);
    if (g->n_tile_ids == 0 || g->n_tile_ids != g->n_tileset_names)
        broken(v, "a grid whose tilesets are not named");
    if (g->remembered && stn_table_get(v->grids, stn_coord_key((stn_coord){g->x, g->y})) == v)
        broken(v, "a live grid turned into a remembered one");
    if (!stn_table_get(v->grids, stn_coord_key((stn_coord){g->x, g->y})))
        count_marks(v, g, msg);
    stn_table_put(v->grids, stn_coord_key((stn_coord){g->x, g->y}), g->remembered ? (void *)&v->px : v, NULL);
    return STN_OK;
}

static stn_status on_grid_drop(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__GridDrop *d = stn_msg_body(msg);
    (void)peer;
    (void)err;
    for (size_t i = 0; i < d->n_x && i < d->n_y; i++)
        stn_table_remove(v->grids, stn_coord_key((stn_coord){d->x[i], d->y[i]}));
    return STN_OK;
}

static uint64_t cut_key(int32_t gx, int32_t gy, uint32_t cut, uint32_t half)
{
    return ((uint64_t)(uint32_t)gx & 0xffffff) << 36 | ((uint64_t)(uint32_t)gy & 0xffffff) << 8 |
           (uint64_t)(cut & 15) << 1 | (half & 1);
}

/* Products of a change are between its first and the message that ends it. */
static void note_swap(viewer *v, const Stenness__Cut *c)
{
    int64_t now = stn_loop_now(v->link.loop)->now_ns;

    if (c->swap && c->swap <= v->swap_closed)
        broken(v, "a product of a change that is over");
    if (!c->swap_last) {
        if (c->swap && v->swap_newest <= v->swap_closed)
            v->swap_ns = now;
        if (c->swap > v->swap_newest)
            v->swap_newest = c->swap;
        v->swapped += c->swap != 0;
        return;
    }
    v->swaps++;
    v->swap_closed = c->swap;
    if (now - v->swap_ns > v->swap_longest_ns)
        v->swap_longest_ns = now - v->swap_ns;
    v->swap_ns = now;
}

static void note_cut(viewer *v, const Stenness__Cut *c)
{
    uint64_t key = cut_key(c->grid_x, c->grid_y, c->cut_x + 4 * c->cut_y, (uint32_t)c->half);
    held_cut *held = stn_table_get(v->cuts, key);
    uint32_t half = (uint32_t)c->half & 1;
    int64_t now = stn_loop_now(v->link.loop)->now_ns;

    bool first = !held || held->generation != c->generation;

    if (!held) {
        if (!(held = calloc(1, sizeof *held)) || !stn_table_put(v->cuts, key, held, NULL)) {
            free(held);
            broken(v, "no memory");
            return;
        }
        held->x = c->grid_x * 4 + (int32_t)c->cut_x;
        held->y = c->grid_y * 4 + (int32_t)c->cut_y;
        held->half = half;
        if (!v->first_product_ns)
            v->first_product_ns = now;
    } else if (held->product == c->product) {
        broken(v, "a product came twice");
    } else if (held->generation == c->generation && v->settled[half] && c->generation > v->settled[half]) {
        v->twice++; /* the land does not change any more: one product a generation is enough */
    }
    if (first) {
        held->first_ns = now;
        held->before = v->came[half]++;
    }
    held->product = c->product;
    held->generation = c->generation;
    held->failed = c->failed[0] != '\0';
}

static stn_status on_cut(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__Cut *c = stn_msg_body(msg);
    uint64_t bytes, messages;
    Stenness__ViewCredit credit = STENNESS__VIEW_CREDIT__INIT;
    size_t len = stn_msg_bulk_count(msg) ? stn_frame_len(stn_msg_bulk(msg, 0)) : 0;

    (void)err;
    stn_grant_took(&v->credit, len);
    if (stn_grant_overdrawn(&v->credit))
        broken(v, "more products than credit");
    if (stn_grant_due(&v->credit, &bytes, &messages)) {
        credit.bulk_bytes = bytes;
        credit.bulk_messages = (uint32_t)messages;
        stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_CREDIT, 0, 0, &credit.base, NULL);
    }
    if (c->frame_session != v->session)
        return STN_OK;
    note_swap(v, c);
    if (c->swap_last)
        return STN_OK;
    /* A cut that cannot be built is told as such, with product 0: the picture waits for it no longer. */
    v->failures += c->failed[0] != '\0';
    v->products += c->failed[0] == '\0';
    v->product_bytes += len;
    note_cut(v, c);
    return STN_OK;
}

static stn_status on_cut_drop(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__CutDrop *d = stn_msg_body(msg);
    (void)peer;
    (void)err;
    for (size_t i = 0; d->frame_session == v->session && i < d->n_cut; i++) {
        v->drops++;
        free(stn_table_remove(v->cuts, cut_key(d->grid_x[i], d->grid_y[i], d->cut[i], d->half[i])));
    }
    return STN_OK;
}

static stn_status on_tick(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__Tick *t = stn_msg_body(msg);
    (void)peer;
    (void)err;
    if (t->snapshot_done && v->snapshots++ == 0)
        fprintf(stderr, "snapshot\n");
    return STN_OK;
}

static stn_status on_session(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__Session *s = stn_msg_body(msg);
    (void)peer;
    (void)err;
    v->leases = s->leases;
    return STN_OK;
}

static stn_status on_ground(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    const Stenness__Ground *g = stn_msg_body(msg);
    (void)peer;
    (void)err;
    if (g->settings) {
        stenness__ground_settings__init(&v->ground);
        v->ground.blend_passes = g->settings->blend_passes;
        v->ground.transitions = g->settings->transitions;
        v->ground.flat = g->settings->flat;
        v->ground.flavor_density = g->settings->flavor_density;
    }
    v->generation[0] = g->ground_generation;
    v->generation[1] = g->decoration_generation;
    return STN_OK;
}

static const stn_handler handlers[] = {
    VIEW_KIND(FRAME_BEGIN, frame_begin, 4096, on_frame),
    VIEW_KIND(GRID, grid, 1 << 20, on_grid),
    VIEW_KIND(GRID_DROP, grid_drop, 1 << 16, on_grid_drop),
    VIEW_KIND(GLOBAL, global, 1 << 16, view_ignore),
    VIEW_KIND(ENTITIES, entities, 1 << 20, on_entities),
    VIEW_KIND(CUT, cut, 16 << 20, on_cut),
    VIEW_KIND(CUT_DROP, cut_drop, 1 << 16, on_cut_drop),
    VIEW_KIND(SESSION, session, 1 << 16, on_session),
    VIEW_KIND(GROUND, ground, 4096, on_ground),
    VIEW_KIND(TICK, tick, 4096, on_tick),
    VIEW_KIND(CHAT, chat, 1 << 16, view_ignore),
    VIEW_KIND(MENU, menu, 1 << 16, view_ignore),
    VIEW_KIND(GHOST, ghost, 1 << 16, view_ignore),
};

static void walk(viewer *v)
{
    stn_peer *world = stn_conv_peer(v->link.conv);
    Stenness__Act a = STENNESS__ACT__INIT;

    if (!world || !v->driver || v->walked || stn_table_count(v->entities) == 0)
        return;
    a.kind = STENNESS__ACT_KIND__ACT_CLICK;
    a.frame_session = v->session;
    a.x = v->px + v->walk_x;
    a.y = v->py + v->walk_y;
    a.button = 1;
    a.mesh_part = -1;
    v->walked = stn_peer_say(world, STENNESS__VIEW_KIND__VIEW_ACT, 0, 0, &a.base, NULL) == STN_OK;
}

/* Flat and not flat in turn: both halves of every cut become stale. */
static void change(viewer *v, int64_t now)
{
    stn_peer *world = stn_conv_peer(v->link.conv);
    Stenness__GroundSettings s = v->ground;

    if (v->changes_over || !world || now - v->changed_ns < v->change_ns)
        return;
    if (v->changes > 0 && access(v->change_until, F_OK) == 0) {
        v->changes_over = true;
        return;
    }
    if (v->changes == 0) {
        fprintf(stderr, "changing\n");
        memcpy(v->settled, v->generation, sizeof v->settled);
        v->flat = v->ground.flat;
    }
    s.flat = !v->flat;
    if (stn_peer_say(world, STENNESS__VIEW_KIND__VIEW_SETTINGS, 0, 0, &s.base, NULL) != STN_OK)
        return;
    v->flat = s.flat;
    v->changed_ns = now;
    v->came[0] = v->came[1] = 0;
    v->changes++;
}

static bool all_there(const viewer *v)
{
    return v->session > 0 && v->sessions >= v->want_sessions && v->snapshots > 0 &&
           ground_cuts(v) >= v->want_cuts && stn_table_count(v->entities) >= v->want_entities &&
           stn_table_count(v->grids) >= v->want_grids && remembered_grids(v) >= v->want_remembered;
}

static bool complete(const viewer *v)
{
    return all_there(v) && (!v->change_ns || (v->changes_over && outdated(v) == 0 && v->leases == 0));
}

/* Of the ground cuts nearest to the player: when the last one came, after the start or the last change, and
 * how many others came before it. */
static void order(const viewer *v, double *near_s, size_t *others)
{
    int32_t at_x = (int32_t)floor(v->px / (STN_TILE_UNITS * STN_CUT_TILES));
    int32_t at_y = (int32_t)floor(v->py / (STN_TILE_UNITS * STN_CUT_TILES));
    size_t it = 0, n = 0, before = 0;
    uint64_t key;
    void *value;
    int64_t last = 0;

    while (stn_table_next(v->cuts, &it, &key, &value)) {
        const held_cut *c = value;
        if (c->half != 0 || abs(c->x - at_x) > 2 || abs(c->y - at_y) > 2)
            continue;
        n++;
        if (c->first_ns > last)
            last = c->first_ns;
        if (c->before > before)
            before = c->before;
    }
    *near_s = n == NEAR_CUTS ? (double)(last - (v->changes ? v->changed_ns : v->begun_ns)) * 1e-9 : -1.0;
    *others = n == NEAR_CUTS ? before + 1 - NEAR_CUTS : 0;
}

static void on_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    viewer *v = ctx;

    if (v->wants_walk)
        walk(v);
    if (v->change_ns && all_there(v))
        change(v, turn->now_ns);
    if (complete(v)) {
        if (!v->first_complete_ns)
            v->first_complete_ns = turn->now_ns;
        if (!v->complete_ns)
            v->complete_ns = turn->now_ns;
        if (!v->ready_told) {
            v->ready_told = true;
            fprintf(stderr, "complete\n");
        }
        v->done = turn->now_ns - v->complete_ns >= v->stay_ns;
        v->ok = v->done;
    }
    v->done |= turn->now_ns > v->deadline_ns || v->broken > 0;
    if (v->done)
        stn_loop_stop(v->link.loop);
    stn_timer_in(timer, VIEW_LOOK_NS);
}

static const stn_opt options[] = {
    {"cuts", STN_OPT_INT, "25", 0, 1000, "N", "ground cuts to wait for"},
    {"entities", STN_OPT_INT, "1", 0, 1000000, "N", "entities to wait for"},
    {"grids", STN_OPT_INT, "9", 0, 1000, "N", "grids to wait for"},
    {"remembered", STN_OPT_INT, "0", 0, 1000, "N", "remembered ones among them to wait for"},
    {"range", STN_OPT_REAL, "1100", 0, 11000, "UNITS", "how far it looks"},
    {"sessions", STN_OPT_INT, "1", 1, 1000, "N", "frames that must have begun"},
    {"seconds", STN_OPT_REAL, "30", 0, 3600, "S", "give up after"},
    {"stay", STN_OPT_REAL, "0", 0, 3600, "S", "go on so long when everything is there"},
    {"walk", STN_OPT_TEXT, NULL, 0, 0, "DX,DY", "click there, from where the player stands, map units"},
    {"spectator", STN_OPT_SWITCH, NULL, 0, 0, NULL, "only look"},
    {"reach", STN_OPT_INT, "2", 0, REACH_MAX, "N", "cuts wanted around the one in focus"},
    {"change", STN_OPT_REAL, "0", 0, 3600, "S", "when all is there: other ground settings every S seconds"},
    {"change-until", STN_OPT_TEXT, "", 0, 0, "FILE", "until FILE exists; then all must come once more"},
};

int main(int argc, char **argv)
{
    static const stn_opts_spec spec = {.program = "scenario-viewer",
                                       .summary = "a viewer without a picture",
                                       .opts = options,
                                       .count = sizeof options / sizeof options[0]};
    static viewer v;
    stn_opts *o;
    double near_s;
    size_t others;
    stn_conv_spec conv = {.name = "world",
                          .handlers = handlers,
                          .n_handlers = sizeof handlers / sizeof handlers[0],
                          .ctx = &v,
                          .up = on_up,
                          .down = on_down,
                          .gap = on_gap};

    if (stn_opts_parse(&spec, argc, argv, &o) != STN_OPTS_RUN)
        return EX_USAGE;
    v.want_cuts = (size_t)stn_opts_int(o, "cuts");
    v.want_entities = (size_t)stn_opts_int(o, "entities");
    v.want_grids = (size_t)stn_opts_int(o, "grids");
    v.want_remembered = (size_t)stn_opts_int(o, "remembered");
    v.range = stn_opts_real(o, "range");
    v.want_sessions = (size_t)stn_opts_int(o, "sessions");
    v.spectator = stn_opts_switch(o, "spectator");
    v.stay_ns = (int64_t)(stn_opts_real(o, "stay") * 1e9);
    v.reach = (uint32_t)stn_opts_int(o, "reach");
    v.change_ns = (int64_t)(stn_opts_real(o, "change") * 1e9);
    v.change_until = stn_opts_text(o, "change-until");
    v.wants_walk = sscanf(stn_opts_text(o, "walk"), "%lf,%lf", &v.walk_x, &v.walk_y) == 2;
    v.entities = stn_table_new();
    v.cuts = stn_table_new();
    v.grids = stn_table_new();
    v.begun_ns = stn_clock_ns();
    v.deadline_ns = v.begun_ns + (int64_t)(stn_opts_real(o, "seconds") * 1e9);
    if (!view_link_open(&v.link, "viewer", o, &conv, on_timer))
        return EXIT_FAILURE;
    view_link_run(&v.link);
    order(&v, &near_s, &others);
    printf(
        "{\"ok\":%s,\"ground_cuts\":%zu,\"cuts\":%zu,\"entities\":%zu,\"grids\":%zu,\"remembered\":%zu,"
        "\"marked\":%zu,\"mark\":\"%s\","
        "\"sessions\":%zu,"
        "\"snapshots\":%zu,"
        "\"updates\":%zu,\"products\":%zu,\"product_bytes\":%llu,\"failures\":%zu,\"drops\":%zu,\"gaps\":%"
        "zu,\"ups\":%zu,"
        "\"driver\":%s,\"first_product_s\":%.3f,\"near_s\":%.3f,\"others_before_near\":%zu,\"changes\":%zu,"
        "\"changed_s\":%.3f,\"twice\":%zu,"
        "\"leases\":%u,\"swaps\":%zu,\"swapped\":%zu,\"swap_longest_s\":%.3f,"
        "\"player_x\":%.2f,\"player_y\":%.2f,\"complete_s\":%.3f,\"after_down_s\":%.3f,\"broken\":\"%s\"}\n",
        v.ok && !v.broken ? "true" : "false", ground_cuts(&v), stn_table_count(v.cuts),
        stn_table_count(v.entities), stn_table_count(v.grids), remembered_grids(&v), v.marked, v.mark,
        v.sessions, v.snapshots, v.updates, v.products, (unsigned long long)v.product_bytes, v.failures,
        v.drops, v.gaps, v.ups, v.driver ? "true" : "false",
        v.first_product_ns ? (double)(v.first_product_ns - v.begun_ns) * 1e-9 : -1.0, near_s, others,
        v.changes,
        v.changes && v.first_complete_ns ? (double)(v.first_complete_ns - v.changed_ns) * 1e-9 : -1.0,
        v.twice, v.leases, v.swaps, v.swapped, (double)v.swap_longest_ns * 1e-9, v.px, v.py,
        v.first_complete_ns ? (double)(v.first_complete_ns - v.begun_ns) * 1e-9 : -1.0,
        v.down_ns ? (double)(v.first_complete_ns - v.down_ns) * 1e-9 : -1.0, v.why);
    view_link_close(&v.link);
    stn_table_free(v.entities);
    forget_cuts(&v);
    stn_table_free(v.cuts);
    stn_table_free(v.grids);
    stn_opts_free(o);
    return v.ok && !v.broken ? EXIT_SUCCESS : EXIT_FAILURE;
}
