/* The conversation `world`, the hearing side: viewers come, say what they want to see, and one of them acts.
 */
#include "world/world_impl.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN_MAX 4096
#define CHAT_MAX 1024

static stn_view *view_of(stn_peer *peer)
{
    return stn_peer_user(peer);
}

uint64_t stn_view_cut_key(stn_coord cc, stn_cut_half half)
{
    /* Cuts lie within 2^26 of the origin (STN_GRID_FAR), so 31 bits each hold them. */
    return ((uint64_t)(uint32_t)cc.x & 0x7fffffff) << 32 | ((uint64_t)(uint32_t)cc.y & 0x7fffffff) << 1 |
           (half == STN_CUT_DECORATION);
}

/* ---- driving */

static void give_wheel(stn_world *w, stn_view *to)
{
    if (w->driver == to)
        return;
    w->driver = to;
    if (to)
        stn_log_info("viewer %s drives", stn_peer_id(to->peer));
}

/* The next one that may. */
static void pass_wheel(stn_world *w)
{
    for (size_t i = 0; i < STN_VIEWERS_MAX; i++)
        if (w->views[i].subscribed && !w->views[i].spectator && &w->views[i] != w->driver) {
            give_wheel(w, &w->views[i]);
            return;
        }
    w->driver = NULL;
}

static stn_status on_driver(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_world *w = ctx;
    const Stenness__DriverRequest *r = stn_msg_body(msg);
    stn_view *v = view_of(peer);

    (void)err;
    if (!v)
        return STN_OK;
    if (r->release && w->driver == v)
        pass_wheel(w);
    else if (r->take && !v->spectator)
        give_wheel(w, v);
    return STN_OK;
}

/* ---- looking */

static stn_status take_focus(stn_world *w, stn_view *v, const Stenness__Focus *f, stn_err *err)
{
    stn_focus n = {.follow_player = f->follow_player,
                   .x = f->x,
                   .y = f->y,
                   .range = f->range,
                   .lod_bias = f->lod_bias,
                   .cut_view = f->cut_view,
                   .sight = {f->eye_x, f->eye_y, f->look_x, f->look_y, f->look_cos},
                   .session = f->frame_session};
    int64_t *hidden;

    if (!isfinite(n.x) || !isfinite(n.y) || !isfinite(n.range) || n.range < 0 || !isfinite(n.lod_bias) ||
        fabs(n.lod_bias) > 30)
        return stn_fail(err, STN_BAD_DATA,
                        "focus %g,%g range %g bias %g: not finite or out of range; the old one stays", n.x,
                        n.y, n.range, n.lod_bias);
    if (!stn_sight_ok(&n.sight))
        return stn_fail(
            err, STN_BAD_DATA,
            "focus looks from %g,%g along %g,%g, cosine %g: expected finite numbers, a unit vector "
            "and 0 to 1; the old one stays",
            n.sight.x, n.sight.y, n.sight.look_x, n.sight.look_y, n.sight.look_cos);
    if (f->n_hidden > HIDDEN_MAX)
        return stn_fail(err, STN_TOO_BIG, "%zu hidden objects, at most %d", f->n_hidden, HIDDEN_MAX);
    /* Coordinates of another frame mean nothing in this one. */
    if (!n.follow_player && f->frame_session != w->session)
        return STN_OK;
    if (n.range == 0)
        n.range = STN_VIEW_RANGE;
    if (n.range > STN_VIEW_RANGE_MAX)
        n.range = STN_VIEW_RANGE_MAX;
    if (n.cut_view == 0)
        n.cut_view = STN_VIEW_CUTS;
    if (n.cut_view > STN_VIEW_CUTS_MAX)
        n.cut_view = STN_VIEW_CUTS_MAX;
    hidden = malloc((f->n_hidden + 1) * sizeof *hidden);
    if (!hidden)
        return stn_fail(err, STN_NO_MEMORY, "hidden objects");
    if (f->n_hidden > 0)
        memcpy(hidden, f->hidden, f->n_hidden * sizeof *hidden);
    free(v->hidden);
    v->hidden = hidden;
    v->n_hidden = f->n_hidden;
    v->hide_again = true;
    v->focus = n;
    for (size_t i = 0; v->id && i < f->n_filters; i++) {
        const char *name = f->filters[i];
        bool on = name[0] != '-';
        stn_status st = stn_tracker_filter(w->tracker, v->id, on ? name : name + 1, on, err);
        if (st != STN_OK)
            return st;
    }
    return STN_OK;
}

static stn_status on_focus(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_view *v = view_of(peer);
    return v ? take_focus(ctx, v, stn_msg_body(msg), err) : STN_OK;
}

static stn_status on_subscribe(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_world *w = ctx;
    const Stenness__Subscribe *s = stn_msg_body(msg);
    stn_view *v = view_of(peer);
    stn_status st = STN_OK;

    if (!v)
        return stn_fail(err, STN_BUSY, "more than %d viewers", STN_VIEWERS_MAX);
    v->spectator = s->spectator_only;
    v->subscribed = v->begin = true;
    if (s->bulk_bytes || s->bulk_messages)
        stn_credit_granted(&v->credit, s->bulk_bytes, s->bulk_messages);
    if (s->focus)
        st = take_focus(w, v, s->focus, err);
    if (v->spectator && w->driver == v)
        pass_wheel(w);
    else if (!v->spectator && (!w->driver || (s->wants_driver && w->driver == v)))
        give_wheel(w, v);
    return st;
}

static stn_status on_credit(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    const Stenness__ViewCredit *c = stn_msg_body(msg);
    stn_view *v = view_of(peer);

    (void)ctx;
    (void)err;
    if (v)
        stn_credit_granted(&v->credit, c->bulk_bytes, c->bulk_messages);
    return STN_OK;
}

static stn_status on_settings(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    const Stenness__GroundSettings *s = stn_msg_body(msg);
    stn_ground g = {s->blend_passes, s->transitions, s->flat, s->flavor_density};

    (void)peer;
    if (!isfinite(g.density))
        return stn_fail(err, STN_BAD_DATA, "ground settings: the density is not a number");
    stn_world_set_ground(ctx, &g);
    return STN_OK;
}

static stn_status on_overlay_done(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_world *w = ctx;
    const Stenness__OverlayDone *d = stn_msg_body(msg);
    stn_gob *g = w->objects ? stn_ocache_get(w->objects, d->object) : NULL;

    (void)peer;
    (void)err;
    if (!g || g->tag != d->incarnation)
        return STN_OK;
    for (size_t i = 0; i < g->n_overlays; i++)
        if (g->overlays[i].id == d->overlay)
            g->overlays[i].reported = true;
    return STN_OK;
}

/* ---- acting */

static stn_status click(stn_world *w, const Stenness__Act *a, stn_err *err)
{
    stn_click c = {.x = a->x,
                   .y = a->y,
                   .screen_x = a->screen_x,
                   .screen_y = a->screen_y,
                   .button = (int32_t)(a->button & 0xff),
                   .modifiers = (int32_t)(a->modifiers & 0xff),
                   .overlay = a->overlay,
                   .part = a->mesh_part};
    const stn_gob *g = a->has_object ? stn_ocache_get(w->objects, a->object) : NULL;

    if (!isfinite(c.x) || !isfinite(c.y))
        return stn_fail(err, STN_BAD_DATA, "a click at %g,%g", c.x, c.y);
    if (g && g->id >= 0) {
        c.has_object = true;
        c.object = (uint32_t)g->id;
        c.object_x = g->x;
        c.object_y = g->y;
    }
    return stn_game_click(w->game, &c, err);
}

static stn_status on_act(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_world *w = ctx;
    const Stenness__Act *a = stn_msg_body(msg);

    if (view_of(peer) != w->driver || !w->driver)
        return stn_fail(err, STN_DENIED, "only the driver acts; this viewer looks on");
    if (!w->running || a->frame_session != w->session)
        return STN_OK; /* meant for a world that is gone */
    switch (a->kind) {
    case STENNESS__ACT_KIND__ACT_CLICK:
        return click(w, a, err);
    case STENNESS__ACT_KIND__ACT_CHAT:
        if (!stn_text_is_utf8(a->text, strlen(a->text)) || strlen(a->text) > CHAT_MAX)
            return stn_fail(err, STN_BAD_DATA, "a chat line of more than %d bytes, or not UTF-8", CHAT_MAX);
        return stn_game_chat(w->game, a->text, err);
    case STENNESS__ACT_KIND__ACT_MENU: {
        stn_status st = stn_game_choose(w->game, a->menu, a->choice > INT32_MAX ? -1 : (int32_t)a->choice,
                                        (int32_t)(a->modifiers & 0xff), err);
        return st == STN_AGAIN ? STN_OK : st; /* it closed while the choice was under way */
    }
    case STENNESS__ACT_KIND__ACT_PLACE: {
        const stn_putting p = {a->x, a->y, a->angle, (int32_t)(a->button & 0xff),
                               (int32_t)(a->modifiers & 0xff)};
        stn_status st = stn_game_put(w->game, a->ghost, &p, err);
        return st == STN_AGAIN ? STN_OK : st; /* as above */
    }
    case STENNESS__ACT_KIND__ACT_WIDGET:
        return stn_game_widget_message(w->game, a->widget, a->message, a->args.data, a->args.len, err);
    default:
        return stn_fail(err, STN_UNSUPPORTED, "act of kind %d", (int)a->kind);
    }
}

/* ---- the door */

static const stn_handler handlers[] = {
    {STENNESS__VIEW_KIND__VIEW_SUBSCRIBE, "subscribe", 1 << 18, &stenness__subscribe__descriptor,
     on_subscribe, false},
    {STENNESS__VIEW_KIND__VIEW_FOCUS, "focus", 1 << 18, &stenness__focus__descriptor, on_focus, false},
    {STENNESS__VIEW_KIND__VIEW_CREDIT, "view-credit", 256, &stenness__view_credit__descriptor, on_credit,
     false},
    {STENNESS__VIEW_KIND__VIEW_SETTINGS, "settings", 256, &stenness__ground_settings__descriptor, on_settings,
     false},
    {STENNESS__VIEW_KIND__VIEW_ACT, "act", 1 << 16, &stenness__act__descriptor, on_act, false},
    {STENNESS__VIEW_KIND__VIEW_DRIVER, "driver", 256, &stenness__driver_request__descriptor, on_driver,
     false},
    {STENNESS__VIEW_KIND__VIEW_OVERLAY_DONE, "overlay-done", 256, &stenness__overlay_done__descriptor,
     on_overlay_done, false},
};

static void on_up(void *ctx, stn_peer *peer)
{
    stn_world *w = ctx;
    stn_view *v = NULL;

    for (size_t i = 0; i < STN_VIEWERS_MAX && !v; i++)
        if (!w->views[i].used)
            v = &w->views[i];
    if (!v)
        return; /* its Subscribe is answered with an error */
    *v = (stn_view){.used = true,
                    .peer = peer,
                    .focus = {.follow_player = true, .range = STN_VIEW_RANGE, .cut_view = STN_VIEW_CUTS},
                    .grids = stn_table_new(),
                    .cuts = stn_table_new()};
    if (!v->grids || !v->cuts) {
        stn_table_free(v->grids);
        stn_table_free(v->cuts);
        *v = (stn_view){0};
        return;
    }
    stn_peer_set_user(peer, v);
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    stn_world *w = ctx;
    stn_view *v = view_of(peer);

    if (!v)
        return;
    if (v->subscribed)
        stn_log_info("viewer %s is gone (%s)", stn_peer_id(peer), stn_down_reason_text(why));
    if (w->driver == v)
        pass_wheel(w);
    if (v->id && w->tracker)
        stn_tracker_remove_viewer(w->tracker, v->id);
    stn_table_free(v->grids);
    stn_table_free(v->cuts);
    free(v->hidden);
    *v = (stn_view){0};
}

static void on_room(void *ctx, stn_peer *peer)
{
    stn_view *v = view_of(peer);
    (void)ctx;
    /* It fell behind: what it missed is not made up for piece by piece, it gets the state as it is now. */
    if (v && v->lagging) {
        v->lagging = false;
        v->begin = true;
    }
}

stn_status stn_view_open(stn_world *w, stn_err *err)
{
    stn_conv_spec spec = {.name = "world",
                          .handlers = handlers,
                          .n_handlers = sizeof handlers / sizeof handlers[0],
                          .ctx = w,
                          .up = on_up,
                          .down = on_down,
                          .room = on_room};
    return stn_bus_bind(w->bus, &spec, &w->view_door, err);
}

void stn_view_close(stn_world *w)
{
    stn_conv_free(w->view_door);
    w->view_door = NULL;
}
