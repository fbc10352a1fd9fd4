/* net_door.c - the control door of the renderer, and what the other threads put into the inbox. */
#include "renderer/net/net_impl.h"

#include "base/clock.h"
#include "renderer/scene/m4.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- items --- */

void net_item_done(net_item *it)
{
    if (it->busy)
        atomic_store_explicit(it->busy, false, memory_order_release);
    else
        free(it);
}

/* One of the pool: for the GL thread, which does not allocate. NULL: all are on their way. */
static net_item *pool_item(stn_net *n, net_item_kind kind)
{
    for (size_t i = 0; i < NET_POOL; i++)
        if (!atomic_exchange_explicit(&n->pool_busy[i], true, memory_order_acquire)) {
            net_item *it = &n->pool[i];

            it->kind = kind;
            it->busy = &n->pool_busy[i];
            return it;
        }
    return NULL;
}

/* Of the pool; a full inbox takes nothing, and the item is free again. */
static bool give(stn_net *n, net_item *it)
{
    if (!it)
        return false;
    if (stn_inbox_give(n->inbox, &it->link) == STN_OK)
        return true;
    atomic_store_explicit(it->busy, false, memory_order_release);
    return false;
}

/* Of the heap. */
static bool give_heap(stn_net *n, net_item *it)
{
    if (stn_inbox_give(n->inbox, &it->link) == STN_OK)
        return true;
    free(it);
    return false;
}

bool net_feed_ask(void *ctx, const char *name, int32_t version, int32_t priority)
{
    stn_net *n = ctx;
    net_item *it = calloc(1, sizeof *it);

    if (!it)
        return false;
    it->kind = NET_ASK;
    snprintf(it->u.ask.name, sizeof it->u.ask.name, "%s", name);
    it->u.ask.version = version;
    it->u.ask.priority = priority;
    return give_heap(n, it);
}

void net_feed_took(void *ctx, size_t bytes)
{
    stn_net *n = ctx;
    net_item *it = calloc(1, sizeof *it);

    if (!it)
        return;
    it->kind = NET_TOOK;
    it->u.bytes = bytes;
    give_heap(n, it);
}

void net_feed_overlay_over(void *ctx, int64_t object, uint64_t incarnation, int32_t overlay)
{
    stn_net *n = ctx;
    net_item *it = calloc(1, sizeof *it);

    if (!it)
        return; /* world lets it go by its age */
    it->kind = NET_OVERLAY_OVER;
    it->u.over.object = object;
    it->u.over.incarnation = incarnation;
    it->u.over.overlay = overlay;
    give_heap(n, it);
}

bool stn_net_send_act(stn_net *n, const stn_net_act *act)
{
    net_item *it = pool_item(n, NET_ACT);

    if (it)
        it->u.act = *act;
    return give(n, it);
}

bool stn_net_set_sight(stn_net *n, uint64_t frame, const stn_camera_sight *sight)
{
    net_item *it = pool_item(n, NET_SIGHT);

    if (it) {
        it->u.sight.frame = frame;
        it->u.sight.sight = *sight;
    }
    return give(n, it);
}

void stn_net_tell_stats(stn_net *n, const stn_net_stats *stats)
{
    net_item *it = pool_item(n, NET_STATS);

    if (it)
        it->u.stats = *stats;
    give(n, it);
}

void stn_net_answer_picture(stn_net *n, const stn_net_question *q, uint8_t *png, size_t len, uint32_t w,
                            uint32_t h, uint32_t cuts, uint32_t entities, bool partial, const char *text)
{
    net_item *it = calloc(1, sizeof *it);

    if (!it) {
        free(png);
        return;
    }
    it->kind = NET_PICTURE_ANSWER;
    it->u.answer.token = q->token;
    it->u.answer.png = png;
    it->u.answer.len = len;
    it->u.answer.w = w;
    it->u.answer.h = h;
    it->u.answer.cuts = cuts;
    it->u.answer.entities = entities;
    it->u.answer.partial = partial;
    snprintf(it->u.answer.text, sizeof it->u.answer.text, "%s", text ? text : "");
    if (!give_heap(n, it))
        free(png);
}

void stn_net_answer_frames(stn_net *n, const stn_net_question *q, const char *json)
{
    net_item *it = calloc(1, sizeof *it);
    char *text = strdup(json);

    if (!it || !text) {
        free(text);
        free(it);
        return;
    }
    it->kind = NET_FRAMES_ANSWER;
    it->u.answer.token = q->token;
    it->u.answer.text_owned = text;
    if (!give_heap(n, it))
        free(text);
}

/* --- the door --- */

static stn_status put_question(stn_net *n, stn_peer *peer, stn_msg *msg, const stn_net_question *q,
                               stn_err *err)
{
    for (size_t i = 0; i < sizeof n->open / sizeof n->open[0]; i++) {
        open_question *o = &n->open[i];

        if (o->used)
            continue;
        *o = (open_question){.q = *q,
                             .used = true,
                             .conv = stn_peer_conv(peer),
                             .peer = peer,
                             .epoch = stn_peer_epoch(peer),
                             .correlation = stn_msg_correlation(msg)};
        o->q.token = ++n->next_token;
        o->q.came_ns = stn_clock_ns();
        if (stn_spsc_give(n->questions, &o->q))
            return STN_OK;
        o->used = false;
        break;
    }
    return stn_fail(err, STN_BUSY, "too many pictures are asked for at once");
}

static stn_status on_picture(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_net *n = ctx;
    const Stenness__PictureGet *g = stn_msg_body(msg);
    stn_net_question q = {.kind = STN_NET_PICTURE,
                          .width = g->width,
                          .height = g->height,
                          .complete = g->complete,
                          .min_cuts = g->min_cuts,
                          .after_ms = g->after_ms,
                          .hud = g->hud,
                          .eye_distance = g->eye_distance,
                          .eye_elevation = g->eye_elevation,
                          .eye_angle = g->eye_angle,
                          .eye_x = g->eye_x,
                          .eye_y = g->eye_y,
                          .timeout_ms = g->timeout_ms ? g->timeout_ms : 30000};
    stn_err why = {0};

    (void)err;
    if (g->width > 8192 || g->height > 8192)
        return stn_control_done(peer, stn_msg_correlation(msg), STN_USAGE,
                                "a picture is at most 8192 pixels a side");
    if (g->eye_distance != 0.0 &&
        (!(g->eye_distance >= 1.0 && g->eye_distance <= 5000.0) ||
         !(g->eye_elevation >= 0.0 && g->eye_elevation <= STN_PI / 2.0) || !(fabs(g->eye_angle) <= 1e3) ||
         !(fabs(g->eye_x) <= 5000.0) || !(fabs(g->eye_y) <= 5000.0)))
        return stn_control_done(
            peer, stn_msg_correlation(msg), STN_USAGE,
            "an eye is 1 to 5000 map units away, 0 to pi/2 high, and looks at most 5000 aside");
    if (put_question(n, peer, msg, &q, &why) != STN_OK)
        return stn_control_done(peer, stn_msg_correlation(msg), why.code, why.text);
    return STN_OK;
}

static stn_status on_frames(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    const Stenness__FramesGet *g = stn_msg_body(msg);
    stn_net_question q = {.kind = STN_NET_FRAMES, .reset = g->reset};
    stn_err why = {0};

    (void)err;
    if (put_question(ctx, peer, msg, &q, &why) != STN_OK)
        return stn_control_done(peer, stn_msg_correlation(msg), why.code, why.text);
    return STN_OK;
}

static const stn_handler door_handlers[] = {
    {STENNESS__CONTROL_KIND__CTL_PICTURE_GET, "picture", 4096, &stenness__picture_get__descriptor, on_picture,
     false},
    {STENNESS__CONTROL_KIND__CTL_FRAMES_GET, "frames", 4096, &stenness__frames_get__descriptor, on_frames,
     false},
};

/* The asker may have gone, and its place may be another's by now. */
static bool still_there(const open_question *o)
{
    size_t it = 0;
    stn_peer *p;

    while ((p = stn_conv_next_peer(o->conv, &it)) != NULL)
        if (p == o->peer && stn_peer_epoch(p) == o->epoch)
            return true;
    return false;
}

static void free_png(void *p)
{
    free(p);
}

static void send_picture(const open_question *o, net_item *it)
{
    Stenness__Picture m = STENNESS__PICTURE__INIT;
    Stenness__Array a = STENNESS__ARRAY__INIT;
    stn_frame *frame;
    stn_err err = {0};

    if (!it->u.answer.png) {
        stn_control_done(o->peer, o->correlation, STN_IO, it->u.answer.text);
        return;
    }
    frame = stn_frame_wrap(it->u.answer.png, it->u.answer.len, free_png, it->u.answer.png);
    if (!frame) {
        free(it->u.answer.png);
        stn_control_done(o->peer, o->correlation, STN_NO_MEMORY, "no memory for the picture");
        return;
    }
    a.count = it->u.answer.len;
    a.format = STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES;
    m.png = &a;
    m.width = it->u.answer.w;
    m.height = it->u.answer.h;
    m.cuts = it->u.answer.cuts;
    m.entities = it->u.answer.entities;
    m.partial = it->u.answer.partial;
    m.text = it->u.answer.text;
    if (stn_peer_send(o->peer,
                      &(stn_send){.kind = STENNESS__CONTROL_KIND__CTL_PICTURE,
                                  .stream = STN_STREAM_BULK,
                                  .correlation = o->correlation,
                                  .body = &m.base,
                                  .bulk = &frame,
                                  .n_bulk = 1},
                      &err) != STN_OK)
        stn_log_warn("a picture could not be sent: %s", err.text);
    stn_frame_unref(frame);
}

void net_answer(stn_net *n, net_item *it)
{
    open_question *o = NULL;

    for (size_t i = 0; i < sizeof n->open / sizeof n->open[0]; i++)
        if (n->open[i].used && n->open[i].q.token == it->u.answer.token)
            o = &n->open[i];
    if (!o || !still_there(o)) {
        if (it->kind == NET_PICTURE_ANSWER)
            free(it->u.answer.png);
    } else if (it->kind == NET_PICTURE_ANSWER) {
        send_picture(o, it);
    } else {
        Stenness__Frames f = STENNESS__FRAMES__INIT;

        f.json = it->u.answer.text_owned;
        stn_peer_say(o->peer, STENNESS__CONTROL_KIND__CTL_FRAMES, 0, o->correlation, &f.base, NULL);
    }
    if (it->kind == NET_FRAMES_ANSWER)
        free(it->u.answer.text_owned);
    if (o)
        o->used = false;
}

static void report(void *ctx, stn_report *r)
{
    stn_net *n = ctx;
    const stn_net_stats *s = &n->stats;
    int world, loader;

    stn_net_links(n, &world, &loader);
    if (!n->has_stats)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING, "starting");
    else if (!world)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING, "waiting for world (%s)",
                          stn_conv_diagnosis(n->world));
    else if (!loader)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING, "waiting for loader (%s)",
                          stn_conv_diagnosis(n->loader));
    else if (s->programs_failed)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_DEGRADED, "the driver refused %u shader programs",
                          s->programs_failed);
    else
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_OK, "%.0f frames a second, %u cuts, %u objects",
                          s->fps, s->cuts, s->gobs);
    if (!n->has_stats)
        return;
    stn_report_text(r, "gl.driver", "%s", s->driver);
    stn_report_text(r, "preset", "%s", s->preset);
    stn_report_counter(r, "frames", s->frames);
    stn_report_gauge(r, "frame.mean.ms", s->frame_ms_mean);
    stn_report_gauge(r, "frame.p99.ms", s->frame_ms_p99);
    stn_report_gauge(r, "frame.worst.ms", s->frame_ms_worst);
    stn_report_gauge(r, "draws", s->draws);
    stn_report_gauge(r, "draws.shadow", s->shadow_draws);
    stn_report_gauge(r, "triangles", s->triangles);
    stn_report_gauge(r, "triangles.shadow", s->shadow_triangles);
    stn_report_gauge(r, "triangles.saved", s->saved);
    stn_report_gauge(r, "draws.lone", s->lone);
    stn_report_gauge(r, "draws.batches", s->batches);
    stn_report_gauge(r, "draws.members", s->members);
    stn_report_gauge(r, "draws.bypassed", s->bypassed);
    stn_report_gauge(r, "tree.leaves", s->leaves);
    stn_report_gauge(r, "tree.slots", s->slots);
    /* What is not known is left out: 0 would say something else. */
    if (s->idle >= 0.0)
        stn_report_gauge(r, "frame.idle", s->idle);
    if (s->lag >= 0)
        stn_report_gauge(r, "frame.lag", s->lag);
    stn_report_gauge(r, "cuts", s->cuts);
    stn_report_gauge(r, "objects", s->gobs);
    stn_report_gauge(r, "objects.seen", s->gobs_seen);
    stn_report_gauge(r, "programs.ready", s->programs_ready);
    stn_report_gauge(r, "programs.pending", s->programs_pending);
    stn_report_gauge(r, "programs.failed", s->programs_failed);
    stn_report_gauge(r, "programs.bound", s->binds);
    stn_report_gauge(r, "gl.bytes", (double)(s->gl_meshes + s->gl_textures + s->gl_targets + s->gl_buffers));
    stn_report_gauge(r, "gl.bytes.meshes", (double)s->gl_meshes);
    stn_report_gauge(r, "gl.bytes.textures", (double)s->gl_textures);
    stn_report_gauge(r, "gl.bytes.targets", (double)s->gl_targets);
    stn_report_gauge(r, "gl.bytes.buffers", (double)s->gl_buffers);
    stn_report_counter(r, "gl.calls", s->gl_calls);
    stn_report_counter(r, "gl.calls.skipped", s->gl_skipped);
    stn_report_counter(r, "uploads.bytes", s->uploads);
    stn_report_gauge(r, "uploads.waiting", s->queued);
    stn_report_gauge(r, "frame.left.out", s->left_out);
    stn_report_gauge(r, "asks.open", (double)n->ask_count);
    stn_report_gauge(r, "events.waiting", (double)n->waiting);
}

/* Done when the loader is up again, which the control door sees to right after this. */
static void refresh(void *ctx)
{
    stn_net *n = ctx;
    n->ask_again = true;
}

stn_status net_open_door(stn_net *n, stn_err *err)
{
    const stn_control_spec spec = {.ctx = n,
                                   .report = report,
                                   .refresh = refresh,
                                   .handlers = door_handlers,
                                   .n_handlers = sizeof door_handlers / sizeof door_handlers[0]};

    return stn_control_new(n->bus, &spec, &n->door, err);
}
