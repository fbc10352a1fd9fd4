/* scenario-driver: a viewer that acts. It takes the wheel of an instance's world and does what it is told,
 * one thing after the other: the menu of an object, then waiting for what comes of it. Prints one line of
 * JSON.
 *
 *   scenario-driver --instance NAME [--menu RESOURCE --choose TEXT] [--put] [--state RESOURCE=HEX]
 *                   [--overlays RESOURCE=N] [--count RESOURCE=N] [--party N] [--name TEXT] [--sessions N]
 *                   [--watch] [--seconds S]
 *
 * --menu: right click on the object of that resource that is nearest to the player, --choose: the option of
 * the menu that then opens. --put: what is then to be placed is put down two tiles from the player. --state:
 * wait until that object is shown with these state bytes, --overlays: with so many overlays. --count: wait
 * until so many of that resource are shown. --party: wait until so many of the party have a place, and a
 * leader. --name: wait until somebody else has that name. --sessions: wait until so many frames have begun,
 * the last one with a player in it. --watch: only look. Exit 0: all came true; 1: not in time.
 */
#include "base/table.h"

#include "view_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

typedef struct thing {
    double x, y;
    char resource[128], state[64]; /* state in hex digits */
    char name[64]; /* of a person */
    size_t overlays;
} thing;

typedef struct driver {
    view_link link;
    stn_table *things; /* id -> thing */
    const char *menu, *choose, *name;
    char state_of[128], state[64], overlays_of[128];
    char count_of[128];
    size_t want_overlays, want_count;
    bool put, watch;
    size_t want_party, want_sessions;
    uint64_t session;
    size_t sessions, party, menus, closed;
    bool has_player, drives, leader, clicked, chosen, gone;
    int64_t player, deadline_ns, clicked_ns;
    uint32_t last_menu, last_ghost;
    bool placed; /* the last ghost is over */
    bool done, ok;
} driver;

static void forget_all(driver *d)
{
    size_t it = 0;
    uint64_t key;
    void *value;

    while (stn_table_next(d->things, &it, &key, &value))
        free(value);
    stn_table_clear(d->things);
}

static void subscribe(driver *d, stn_peer *peer)
{
    Stenness__Subscribe s = STENNESS__SUBSCRIBE__INIT;
    Stenness__Focus f = STENNESS__FOCUS__INIT;

    f.follow_player = true;
    f.cut_view = 1;
    s.wants_driver = !d->watch;
    s.spectator_only = d->watch;
    s.focus = &f;
    stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_SUBSCRIBE, 0, 0, &s.base, NULL);
}

static void on_up(void *ctx, stn_peer *peer)
{
    subscribe(ctx, peer);
}

static void on_gap(void *ctx, stn_peer *peer, uint32_t stream, uint64_t expected, uint64_t got)
{
    (void)stream;
    (void)expected;
    (void)got;
    subscribe(ctx, peer);
}

static stn_status on_frame(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    driver *d = ctx;
    const Stenness__FrameBegin *f = stn_msg_body(msg);

    (void)peer;
    (void)err;
    if (f->session != d->session) {
        d->sessions += f->session > 0;
        forget_all(d);
    }
    d->session = f->session;
    d->has_player = f->has_player;
    d->player = f->player;
    d->drives = f->driver;
    return STN_OK;
}

static void note(thing *t, const Stenness__Component *c)
{
    if (c->type == STENNESS__COMPONENT_TYPE__COMPONENT_PLACEMENT) {
        Stenness__Placement *p = stenness__placement__unpack(NULL, c->value.len, c->value.data);
        if (p) {
            t->x = p->x;
            t->y = p->y;
            stenness__placement__free_unpacked(p, NULL);
        }
    } else if (c->type == STENNESS__COMPONENT_TYPE__COMPONENT_DRAWABLE) {
        Stenness__Drawable *w = stenness__drawable__unpack(NULL, c->value.len, c->value.data);
        if (w && w->resource) {
            snprintf(t->resource, sizeof t->resource, "%s", w->resource->name);
            t->state[0] = '\0';
            for (size_t i = 0; i < w->resource->sdt.len && i < 31; i++)
                snprintf(t->state + 2 * i, 3, "%02x", w->resource->sdt.data[i]);
        }
        stenness__drawable__free_unpacked(w, NULL);
    } else if (c->type == STENNESS__COMPONENT_TYPE__COMPONENT_OVERLAYS) {
        Stenness__Overlays *o = stenness__overlays__unpack(NULL, c->value.len, c->value.data);
        t->overlays = o ? o->n_overlays : 0;
        stenness__overlays__free_unpacked(o, NULL);
    } else if (c->type >= STENNESS__COMPONENT_TYPE__COMPONENT_PUBLISHED) {
        Stenness__Published *p = stenness__published__unpack(NULL, c->value.len, c->value.data);
        if (p && !strcmp(p->slot, "homestead/people/name") && memchr(p->data.data, 0, p->data.len))
            snprintf(t->name, sizeof t->name, "%s", (const char *)p->data.data);
        stenness__published__free_unpacked(p, NULL);
    }
}

static stn_status on_entities(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    driver *d = ctx;
    const Stenness__Entities *m = stn_msg_body(msg);

    (void)peer;
    (void)err;
    for (size_t i = 0; i < m->n_removed_ids; i++)
        free(stn_table_remove(d->things, (uint64_t)m->removed_ids[i]));
    for (size_t i = 0; i < m->n_entities; i++) {
        const Stenness__Entity *e = m->entities[i];
        thing *t = stn_table_get(d->things, (uint64_t)e->id);

        if (!t && (!(t = calloc(1, sizeof *t)) || !stn_table_put(d->things, (uint64_t)e->id, t, NULL))) {
            free(t);
            continue;
        }
        for (size_t k = 0; k < e->n_removed_components; k++)
            if (e->removed_components[k] == STENNESS__COMPONENT_TYPE__COMPONENT_OVERLAYS)
                t->overlays = 0;
        for (size_t k = 0; k < e->n_components; k++)
            note(t, e->components[k]);
    }
    return STN_OK;
}

static stn_status on_global(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    driver *d = ctx;
    const Stenness__Global *g = stn_msg_body(msg);

    (void)peer;
    (void)err;
    d->party = 0;
    d->leader = false;
    for (size_t i = 0; i < g->n_party_ids && i < g->n_party_placed; i++) {
        d->party += g->party_placed[i] != 0;
        d->leader |= g->party_ids[i] == g->party_leader;
    }
    return STN_OK;
}

static stn_status on_menu(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    driver *d = ctx;
    const Stenness__Menu *m = stn_msg_body(msg);
    Stenness__Act a = STENNESS__ACT__INIT;

    (void)err;
    if (m->closed) {
        d->closed++;
        d->gone |= d->chosen;
        return STN_OK;
    }
    d->menus++;
    d->last_menu = m->number;
    a.kind = STENNESS__ACT_KIND__ACT_MENU;
    a.frame_session = d->session;
    a.menu = m->number;
    for (size_t i = 0; i < m->n_options; i++)
        if (!strcmp(m->options[i], d->choose)) {
            a.choice = (uint32_t)i;
            d->chosen = stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_ACT, 0, 0, &a.base, NULL) == STN_OK;
        }
    return STN_OK;
}

/* Put down beside the player, once; it is over when the server says so. */
static stn_status on_ghost(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    driver *d = ctx;
    const Stenness__Ghost *m = stn_msg_body(msg);
    const thing *me = stn_table_get(d->things, (uint64_t)d->player);
    Stenness__Act a = STENNESS__ACT__INIT;

    (void)err;
    d->placed = m->closed && d->last_ghost;
    if (m->closed || !d->put || !me || !m->resource || !m->resource->name[0])
        return STN_OK;
    d->last_ghost = m->number;
    a.kind = STENNESS__ACT_KIND__ACT_PLACE;
    a.frame_session = d->session;
    a.ghost = m->number;
    a.x = me->x + 22.0;
    a.y = me->y;
    a.angle = 1.0;
    a.button = 1;
    stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_ACT, 0, 0, &a.base, NULL);
    return STN_OK;
}

static const stn_handler handlers[] = {
    VIEW_KIND(FRAME_BEGIN, frame_begin, 4096, on_frame),
    VIEW_KIND(GRID, grid, 1 << 20, view_ignore),
    VIEW_KIND(GRID_DROP, grid_drop, 1 << 16, view_ignore),
    VIEW_KIND(GLOBAL, global, 1 << 16, on_global),
    VIEW_KIND(ENTITIES, entities, 1 << 20, on_entities),
    VIEW_KIND(CUT, cut, 16 << 20, view_ignore),
    VIEW_KIND(CUT_DROP, cut_drop, 1 << 16, view_ignore),
    VIEW_KIND(SESSION, session, 1 << 16, view_ignore),
    VIEW_KIND(GROUND, ground, 4096, view_ignore),
    VIEW_KIND(TICK, tick, 4096, view_ignore),
    VIEW_KIND(CHAT, chat, 1 << 16, view_ignore),
    VIEW_KIND(MENU, menu, 1 << 16, on_menu),
    VIEW_KIND(GHOST, ghost, 1 << 16, on_ghost),
};

static const thing *nearest(const driver *d, const char *resource, int64_t *id)
{
    const thing *me = stn_table_get(d->things, (uint64_t)d->player), *best = NULL;
    double least = INFINITY;
    size_t it = 0;
    uint64_t key;
    void *value;

    while (me && stn_table_next(d->things, &it, &key, &value)) {
        const thing *t = value;
        double far = hypot(t->x - me->x, t->y - me->y);

        if (strcmp(t->resource, resource) != 0 || far >= least)
            continue;
        least = far;
        best = t;
        *id = (int64_t)key;
    }
    return best;
}

/* Again every second: a click at most once is under way, and the first may have come before the object. */
static void click(driver *d, int64_t now)
{
    stn_peer *world = stn_conv_peer(d->link.conv);
    Stenness__Act a = STENNESS__ACT__INIT;
    const thing *t;

    if (!d->menu[0] || d->chosen || !world || !d->drives || now - d->clicked_ns < STN_S ||
        !(t = nearest(d, d->menu, &a.object)))
        return;
    a.kind = STENNESS__ACT_KIND__ACT_CLICK;
    a.frame_session = d->session;
    a.x = t->x;
    a.y = t->y;
    a.button = 3;
    a.has_object = true;
    a.mesh_part = -1;
    if (stn_peer_say(world, STENNESS__VIEW_KIND__VIEW_ACT, 0, 0, &a.base, NULL) == STN_OK)
        d->clicked_ns = now;
}

static size_t count_of(const driver *d, const char *resource)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *value;

    while (stn_table_next(d->things, &it, &key, &value))
        n += !strcmp(((const thing *)value)->resource, resource);
    return n;
}

static bool somebody_is(const driver *d, const char *name)
{
    size_t it = 0;
    uint64_t key;
    void *value;

    while (stn_table_next(d->things, &it, &key, &value))
        if ((int64_t)key != d->player && !strcmp(((const thing *)value)->name, name))
            return true;
    return false;
}

static bool all_true(const driver *d)
{
    int64_t id;
    const thing *t = d->state_of[0] ? nearest(d, d->state_of, &id) : NULL;
    const thing *o = d->overlays_of[0] ? nearest(d, d->overlays_of, &id) : NULL;

    return d->session > 0 && d->has_player && d->sessions >= d->want_sessions && (!d->menu[0] || d->gone) &&
           (!d->state_of[0] || (t && !strcmp(t->state, d->state))) &&
           (!d->overlays_of[0] || (o && o->overlays == d->want_overlays)) && d->party >= d->want_party &&
           (d->leader || !d->want_party) && (!d->name[0] || somebody_is(d, d->name)) &&
           (!d->put || d->placed) && (!d->count_of[0] || count_of(d, d->count_of) == d->want_count);
}

static void on_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    driver *d = ctx;

    click(d, turn->now_ns);
    d->ok = all_true(d);
    d->done = d->ok || turn->now_ns > d->deadline_ns;
    if (d->done)
        stn_loop_stop(d->link.loop);
    stn_timer_in(timer, VIEW_LOOK_NS);
}

static const stn_opt options[] = {
    {"menu", STN_OPT_TEXT, "", 0, 0, "RESOURCE", "right click on the nearest object of that resource"},
    {"choose", STN_OPT_TEXT, "", 0, 0, "TEXT", "the option to choose"},
    {"state", STN_OPT_TEXT, "", 0, 0, "RESOURCE=HEX", "state bytes to wait for"},
    {"overlays", STN_OPT_TEXT, "", 0, 0, "RESOURCE=N", "overlays to wait for"},
    {"count", STN_OPT_TEXT, "", 0, 0, "RESOURCE=N", "objects to wait for"},
    {"put", STN_OPT_SWITCH, NULL, 0, 0, NULL, "put down what is to be placed"},
    {"watch", STN_OPT_SWITCH, NULL, 0, 0, NULL, "only look"},
    {"party", STN_OPT_INT, "0", 0, 256, "N", "members with a place to wait for"},
    {"name", STN_OPT_TEXT, "", 0, 0, "TEXT", "the name of somebody else to wait for"},
    {"sessions", STN_OPT_INT, "1", 1, 1000, "N", "frames that must have begun"},
    {"seconds", STN_OPT_REAL, "60", 0, 3600, "S", "give up after"},
};

int main(int argc, char **argv)
{
    static const stn_opts_spec spec = {.program = "scenario-driver",
                                       .summary = "a viewer that acts",
                                       .opts = options,
                                       .count = sizeof options / sizeof options[0]};
    static driver d;
    stn_opts *o;
    stn_conv_spec conv = {.name = "world",
                          .handlers = handlers,
                          .n_handlers = sizeof handlers / sizeof handlers[0],
                          .ctx = &d,
                          .up = on_up,
                          .gap = on_gap};

    if (stn_opts_parse(&spec, argc, argv, &o) != STN_OPTS_RUN)
        return EX_USAGE;
    d.menu = stn_opts_text(o, "menu");
    d.choose = stn_opts_text(o, "choose");
    d.name = stn_opts_text(o, "name");
    sscanf(stn_opts_text(o, "state"), "%127[^=]=%63s", d.state_of, d.state);
    sscanf(stn_opts_text(o, "overlays"), "%127[^=]=%zu", d.overlays_of, &d.want_overlays);
    sscanf(stn_opts_text(o, "count"), "%127[^=]=%zu", d.count_of, &d.want_count);
    d.put = stn_opts_switch(o, "put");
    d.watch = stn_opts_switch(o, "watch");
    d.want_party = (size_t)stn_opts_int(o, "party");
    d.want_sessions = (size_t)stn_opts_int(o, "sessions");
    d.things = stn_table_new();
    d.deadline_ns = stn_clock_ns() + (int64_t)(stn_opts_real(o, "seconds") * 1e9);
    if (!view_link_open(&d.link, "driver", o, &conv, on_timer))
        return EXIT_FAILURE;
    view_link_run(&d.link);
    printf("{\"ok\":%s,\"sessions\":%zu,\"things\":%zu,\"party\":%zu,\"menus\":%zu,\"closed\":%zu,\"chosen\":"
           "%s}\n",
           d.ok ? "true" : "false", d.sessions, stn_table_count(d.things), d.party, d.menus, d.closed,
           d.chosen ? "true" : "false");
    view_link_close(&d.link);
    forget_all(&d);
    stn_table_free(d.things);
    stn_opts_free(o);
    return d.ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
