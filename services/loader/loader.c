#include "loader/loader.h"

#include "base/log.h"
#include "base/table.h"
#include "bus/control.h"
#include "bus/unpack.h"
#include "loader/loader_private.h"
#include "loader/resname.h"

#include "proto/resource.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET ((size_t)256 << 20)
#define UNPACK_MAX ((size_t)64 << 20)
#define BACKLOG_MAX 65536u
#define SCOLDED_MAX 1024u /* bad copies in the developer folder that are remembered as said */

/* ---- answers ---- */

static void say(stn_loader *l, stn_peer *peer, uint32_t kind, uint64_t correlation,
                const ProtobufCMessage *body)
{
    stn_err err = {0};
    if (stn_peer_say(peer, kind, STN_LOADER_STREAM, correlation, body, &err) != STN_OK) {
        l->unsaid++; /* the peer is going down, or so far behind that it will be: it asks again when it is
                        back */
        stn_log_debug("%s: %s", stn_peer_id(peer), err.text);
    }
}

void stn_loader_say_failed(stn_loader *l, stn_peer *peer, uint64_t correlation, const stn_loader_failure *f)
{
    Stenness__Failed m = STENNESS__FAILED__INIT;
    Stenness__SourceError records[STN_MISS_SHOWN], *list[STN_MISS_SHOWN];
    m.ask = f->ask;
    m.name = (char *)f->name;
    m.version = f->version;
    m.kind = (char *)f->kind;
    for (const stn_miss *c = f->chain; c && m.n_chain < STN_MISS_SHOWN; c = c->next) {
        Stenness__SourceError *r = &records[m.n_chain];
        stenness__source_error__init(r);
        r->source = (char *)c->source;
        r->kind = (char *)stn_miss_name(c->kind);
        r->text = (char *)c->text;
        list[m.n_chain++] = r;
    }
    if (!f->chain && f->miss) {
        stenness__source_error__init(&records[0]);
        records[0].source = (char *)"";
        records[0].kind = (char *)stn_miss_name(f->miss);
        records[0].text = (char *)f->text;
        list[m.n_chain++] = &records[0];
    }
    m.chain = list;
    m.dropped = f->chain ? f->chain->depth - (unsigned)m.n_chain : 0;
    l->failed++;
    say(l, peer, STENNESS__RESOURCE_KIND__RESOURCE_FAILED, correlation, &m.base);
}

static void say_failed_ask(stn_loader *l, stn_peer *peer, uint64_t correlation, const stn_asking *a)
{
    stn_loader_say_failed(l, peer, correlation,
                          &(stn_loader_failure){.ask = stn_asking_id(a),
                                                .name = stn_asking_name(a),
                                                .version = stn_asking_want(a),
                                                .kind = stn_asking_found(a) ? "load_failed" : "no_such",
                                                .chain = stn_asking_chain(a)});
}

static void say_overload(stn_loader *l, stn_peer *peer, uint64_t correlation, const char *name, int version,
                         const char *text)
{
    stn_loader_say_failed(l, peer, correlation,
                          &(stn_loader_failure){.name = name,
                                                .version = version,
                                                .kind = stn_miss_name(STN_MISS_OVERLOAD),
                                                .miss = STN_MISS_OVERLOAD,
                                                .text = text});
}

/* One try. STN_BUSY: later. */
static stn_status send_ready(stn_loader *l, stn_peer *peer, uint64_t correlation, const stn_object *o,
                             uint32_t want, stn_err *err)
{
    const stn_payload *p = stn_object_payload(o);
    const ProtobufCMessage *m;
    stn_status st = stn_unpack(l->unpacker, &stenness__ready__descriptor, p->body, p->body_len, &m, err);
    if (st != STN_OK)
        return st;
    Stenness__Ready *ready = (Stenness__Ready *)m; /* the unpacker's memory is ours until the next unpack */
    char *name = ready->name, *source = ready->source;
    ready->object = stn_object_id(o);
    ready->name = (char *)stn_object_name(o);
    ready->source = (char *)stn_asks_source_id(l->asks, stn_object_source(o));
    stn_wire_select(ready, want);
    static const uint32_t bits[STN_WIRE_FRAMES] = {[STN_WIRE_RAW] = STENNESS__RESOURCE_WANT__WANT_RAW,
                                                   [STN_WIRE_MODELS] = STENNESS__RESOURCE_WANT__WANT_MODELS,
                                                   [STN_WIRE_PIXELS] = STENNESS__RESOURCE_WANT__WANT_PIXELS};
    stn_frame *frames[STN_WIRE_FRAMES];
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
        frames[i] = want & bits[i] ? p->frames[i] : l->empty;
    st = stn_peer_send(peer,
                       &(stn_send){.kind = STENNESS__RESOURCE_KIND__RESOURCE_READY,
                                   .stream = STN_LOADER_BULK,
                                   .correlation = correlation,
                                   .body = m,
                                   .bulk = frames,
                                   .n_bulk = STN_WIRE_FRAMES},
                       err);
    ready->name = name;
    ready->source = source;
    return st;
}

static void backlog_add(stn_loader *l, seat *s, uint64_t correlation, const stn_object *o, uint32_t want)
{
    late *e = s->late_count < BACKLOG_MAX ? calloc(1, sizeof *e) : NULL;
    if (!e) {
        say_overload(l, stn_client_peer(s->client), correlation, stn_object_name(o), stn_object_version(o),
                     "too many answers wait for this client to read");
        return;
    }
    *e = (late){.correlation = correlation, .object = stn_object_id(o), .want = want};
    *(s->last_late ? &s->last_late->next : &s->late) = e;
    s->last_late = e;
    s->late_count++;
}

static void say_ready(stn_loader *l, seat *s, uint64_t correlation, stn_object *o, uint32_t want)
{
    stn_peer *peer = stn_client_peer(s->client);
    stn_err err = {0};
    if (!stn_client_hold(s->client, o)) {
        say_overload(l, peer, correlation, stn_object_name(o), stn_object_version(o), "out of memory");
        return;
    }
    stn_status st = s->late ? STN_BUSY : send_ready(l, peer, correlation, o, want, &err);
    if (st == STN_BUSY) {
        backlog_add(l, s, correlation, o, want);
    } else if (st != STN_OK && st != STN_CANCELLED) {
        say_overload(l, peer, correlation, stn_object_name(o), stn_object_version(o), err.text);
    } else {
        l->readies++;
    }
}

static void on_room(void *ctx, stn_peer *peer)
{
    stn_loader *l = ctx;
    seat *s = stn_peer_user(peer);
    stn_err err = {0};
    while (s && s->late) {
        late *e = s->late;
        stn_object *o = stn_asks_object(l->asks, e->object);
        /* Let go of meanwhile: nobody waits for it. */
        if (o && stn_client_is_holding(s->client, e->object)) {
            stn_status st = send_ready(l, peer, e->correlation, o, e->want, &err);
            if (st == STN_BUSY)
                return;
            l->readies += st == STN_OK;
        }
        s->late = e->next;
        if (!s->late)
            s->last_late = NULL;
        s->late_count--;
        free(e);
    }
}

static void say_pending(stn_loader *l, stn_peer *peer, uint64_t correlation, const stn_asking *a)
{
    Stenness__Pending m = STENNESS__PENDING__INIT;
    m.ask = stn_asking_id(a);
    say(l, peer, STENNESS__RESOURCE_KIND__RESOURCE_PENDING, correlation, &m.base);
}

static void say_refused(stn_loader *l, stn_peer *peer, uint64_t correlation, const char *name, int wanted,
                        const stn_asked *a)
{
    Stenness__Refused m = STENNESS__REFUSED__INIT;
    m.name = (char *)name;
    m.wanted = wanted;
    m.current = a->current;
    m.source = (char *)(a->source ? a->source : "");
    say(l, peer, STENNESS__RESOURCE_KIND__RESOURCE_REFUSED, correlation, &m.base);
}

/* Answers a Get, or the end of one. `saved` is taken. */
static void answer_asked(stn_loader *l, seat *s, uint64_t correlation, uint32_t want, const char *name,
                         int version, const stn_asked *a)
{
    stn_peer *peer = stn_client_peer(s->client);
    stn_err err = {0};
    switch (a->kind) {
    case STN_ASKED_HIT:
        say_ready(l, s, correlation, a->object, want);
        break;
    case STN_ASKED_REFUSED:
        say_refused(l, peer, correlation, name, version, a);
        break;
    case STN_ASKED_MISS:
        stn_loader_say_failed(
            l, peer, correlation,
            &(stn_loader_failure){.name = name,
                                  .version = version,
                                  .kind = a->miss == STN_MISS_OVERLOAD ? "overload" : "load_failed",
                                  .miss = a->miss,
                                  .text = a->text});
        break;
    case STN_ASKED_ASK:
        if (stn_asking_final(a->ask))
            say_failed_ask(l, peer, correlation, a->ask);
        else if (stn_client_wait(s->client, a->ask, correlation, want, NULL, &err) == STN_OK)
            say_pending(l, peer, correlation, a->ask);
        else
            say_overload(l, peer, correlation, name, version, err.text);
        break;
    }
}

/* The next answer of a stored record's reference; takes it. first: the Get itself, which Pending still
 * answers. */
static void answer_saved(stn_loader *l, seat *s, uint64_t correlation, uint32_t want, const char *name,
                         int version, int prio, stn_saved *saved, bool first)
{
    stn_peer *peer = stn_client_peer(s->client);
    stn_saved_result r;
    stn_err err = {0};
    if (stn_saved_get(l->asks, saved, prio, &r, &err) != STN_OK) {
        say_overload(l, peer, correlation, name, version, err.text);
    } else if (r.state == STN_SAVED_READY) {
        say_ready(l, s, correlation, r.object, want);
    } else if (r.state == STN_SAVED_FAILED) {
        answer_asked(l, s, correlation, want, name, version, &r.first);
    } else {
        stn_asking *ask = r.ask;
        if (stn_client_wait(s->client, ask, correlation, want, saved, &err) != STN_OK)
            say_overload(l, peer, correlation, name, version, err.text);
        else if (first)
            say_pending(l, peer, correlation, ask);
        return;
    }
    stn_saved_free(l->asks, saved);
}

/* ---- the engine's hooks ---- */

static void on_fetch(void *ctx, const stn_fetch *f)
{
    stn_loader *l = ctx;
    stn_sources_fetch(l->sources, f, false);
}

static void on_raised(void *ctx, uint64_t fetch, int prio)
{
    stn_loader *l = ctx;
    stn_sources_raise(l->sources, fetch, prio);
}

static void on_ended(void *ctx, stn_asking *a)
{
    stn_loader *l = ctx;
    stn_wait *w;
    /* Newest first, which is as good as any: the waits of one ask are of different clients, or of one that
     * asked twice. */
    while ((w = stn_clients_take_wait(l->clients, stn_asking_id(a)))) {
        seat *s = stn_peer_user(stn_client_peer(w->client));
        stn_saved *saved = w->saved;
        w->saved = NULL;
        if (saved)
            answer_saved(l, s, w->correlation, w->want, stn_asking_name(a), stn_asking_want(a), 0, saved,
                         false);
        else if (stn_asking_object(a))
            say_ready(l, s, w->correlation, stn_asking_object(a), w->want);
        else
            say_failed_ask(l, stn_client_peer(w->client), w->correlation, a);
        stn_wait_free(l->clients, w);
    }
}

static void on_drop(void *ctx, void *payload)
{
    (void)ctx;
    stn_payload_free(payload);
}

/* A modder must see why a file was not taken, also when a later source answered. */
static void scold(stn_loader *l, const stn_fetched *got, const char *name)
{
    if (stn_miss_soft(got->miss))
        return;
    l->resdir_refused++;
    if (stn_names_get(l->scolded, name) || stn_names_count(l->scolded) >= SCOLDED_MAX)
        return;
    stn_names_put(l->scolded, name, l, NULL);
    stn_log_warn(
        "%s.res in the resource folder is not taken: %s: %s (`stenness res why %s` shows all sources)", name,
        stn_miss_name(got->miss), got->text ? got->text : "", name);
}

static void on_answered(void *ctx, uint64_t fetch, unsigned source, const stn_fetched *got, const char *name,
                        const char *damage)
{
    stn_loader *l = ctx;
    if (fetch & STN_LOADER_WHY_BIT) {
        stn_loader_why_answered(l, fetch, source, got);
        return;
    }
    if (got->miss != STN_MISS_NONE && strcmp(stn_asks_source_id(l->asks, source), "resdir") == 0)
        scold(l, got, name);
    if (got->miss == STN_MISS_NONE && *damage) {
        l->damaged++;
        stn_log_warn("%s from %s: %s", name, stn_asks_source_id(l->asks, source), damage);
        /* The copy on disk is no better; the next start fetches it again. */
        if (stn_sources_is_stored(l->sources, source))
            stn_sources_drop_cached(l->sources, name);
    }
    stn_asks_answer(l->asks, fetch, got);
    stn_asks_run(l->asks);
}

static void on_server_changed(void *ctx)
{
    stn_loader *l = ctx;
    size_t n = stn_asks_forget(l->asks, NULL);
    if (n)
        stn_log_info("another resource server: %zu failures forgotten", n);
}

/* ---- messages ---- */

static seat *seat_of(stn_peer *peer, stn_err *err)
{
    seat *s = stn_peer_user(peer);
    if (!s)
        stn_fail(err, STN_NO_MEMORY, "no memory for this client");
    return s;
}

static stn_status on_get(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_loader *l = ctx;
    seat *s = seat_of(peer, err);
    const Stenness__Get *g = stn_msg_body(msg);
    uint64_t correlation = stn_msg_correlation(msg);
    int prio = g->priority;
    stn_asked a;
    if (!s)
        return err->code;
    if (!stn_version_valid(g->version) || (g->saved && g->version < 0))
        return stn_fail(err, STN_BAD_DATA, "Get \"%.80s\": version %d; -1 (any) or 0 to 65535 expected",
                        g->name, g->version);
    l->gets++;
    if (g->saved) {
        stn_saved *saved = stn_saved_new(stn_sources_remote_pool(l->sources), g->name, g->version);
        if (!saved)
            return stn_fail(err, STN_NO_MEMORY, "Get \"%.80s\"", g->name);
        answer_saved(l, s, correlation, g->want, g->name, g->version, prio, saved, true);
    } else {
        stn_status st =
            stn_asks_ask(l->asks, stn_sources_remote_pool(l->sources), g->name, g->version, prio, &a, err);
        if (st != STN_OK)
            return st;
        answer_asked(l, s, correlation, g->want, g->name, g->version, &a);
    }
    stn_asks_run(l->asks);
    return STN_OK;
}

static stn_status on_boost(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_loader *l = ctx;
    seat *s = seat_of(peer, err);
    const Stenness__Boost *b = stn_msg_body(msg);
    stn_asking *a = s ? stn_client_ask(s->client, b->ask) : NULL;
    if (a) /* else it has ended meanwhile */
        stn_asks_boost(l->asks, a, b->priority);
    return STN_OK;
}

static stn_status on_cancel(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    seat *s = seat_of(peer, err);
    const Stenness__Cancel *c = stn_msg_body(msg);
    (void)ctx;
    if (s)
        stn_client_cancel(s->client, c->ask);
    return STN_OK;
}

static stn_status on_hold(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_loader *l = ctx;
    seat *s = seat_of(peer, err);
    const Stenness__Hold *h = stn_msg_body(msg);
    for (size_t i = 0; s && i < h->n_objects; i++) {
        stn_object *o = stn_asks_object(l->asks, h->objects[i]);
        if (o && !stn_client_hold(s->client, o))
            return stn_fail(err, STN_NO_MEMORY, "Hold");
    }
    return STN_OK;
}

static stn_status on_release(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_loader *l = ctx;
    seat *s = seat_of(peer, err);
    const Stenness__Release *r = stn_msg_body(msg);
    for (size_t i = 0; s && i < r->n_objects; i++)
        stn_client_release(s->client, r->objects[i]);
    stn_asks_run(l->asks); /* what nobody holds may be over the budget */
    return STN_OK;
}

static stn_status on_touch(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_loader *l = ctx;
    const Stenness__Touch *t = stn_msg_body(msg);
    (void)peer;
    (void)err;
    for (size_t i = 0; i < t->n_objects; i++) {
        stn_object *o = stn_asks_object(l->asks, t->objects[i]);
        if (o)
            stn_object_set_used(o, true);
    }
    return STN_OK;
}

/* Far over a valid name, so that whoever asks for a name that is too long is told so instead of left waiting.
 */
#define NAMED_MAX 65536

static const stn_handler handlers[] = {
    {STENNESS__RESOURCE_KIND__RESOURCE_GET, "get", NAMED_MAX, &stenness__get__descriptor, on_get, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_BOOST, "boost", 64, &stenness__boost__descriptor, on_boost, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_CANCEL, "cancel", 64, &stenness__cancel__descriptor, on_cancel, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_HOLD, "hold", 65536, &stenness__hold__descriptor, on_hold, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_RELEASE, "release", 65536, &stenness__release__descriptor, on_release,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_TOUCH, "touch", 65536, &stenness__touch__descriptor, on_touch, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_RELOAD, "reload", NAMED_MAX, &stenness__reload__descriptor,
     stn_loader_on_reload, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_WHY, "why", NAMED_MAX, &stenness__why__descriptor, stn_loader_on_why,
     false},
};

static void on_up(void *ctx, stn_peer *peer)
{
    stn_loader *l = ctx;
    seat *s = calloc(1, sizeof *s);
    if (s && !(s->client = stn_client_new(l->clients, peer))) {
        free(s);
        s = NULL;
    }
    if (!s)
        stn_log_error("%s: no memory for this client", stn_peer_id(peer));
    stn_peer_set_user(peer, s);
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    stn_loader *l = ctx;
    seat *s = stn_peer_user(peer);
    (void)why;
    if (!s)
        return;
    stn_loader_forget_peer(l, peer);
    stn_client_free(s->client);
    while (s->late) {
        late *e = s->late;
        s->late = e->next;
        free(e);
    }
    free(s);
    stn_peer_set_user(peer, NULL);
    stn_asks_run(l->asks);
}

/* ---- the face ---- */

stn_status stn_loader_new(stn_bus *bus, const stn_loader_opts *opts, stn_loader **out, stn_err *err)
{
    stn_loader *l = calloc(1, sizeof *l);
    *out = NULL;
    if (!l)
        return stn_fail(err, STN_NO_MEMORY, "loader");
    l->bus = bus;
    const stn_asks_hooks hooks = {.ctx = l,
                                  .fetch = on_fetch,
                                  .raised = on_raised,
                                  .ended = on_ended,
                                  .reloaded = stn_loader_reloaded,
                                  .drop = on_drop};
    const stn_sources_hooks source_hooks = {
        .ctx = l, .answered = on_answered, .server_changed = on_server_changed};
    const stn_conv_spec door = {.name = "loader",
                                .handlers = handlers,
                                .n_handlers = sizeof handlers / sizeof *handlers,
                                .ctx = l,
                                .up = on_up,
                                .down = on_down,
                                .room = on_room};
    l->asks = stn_asks_new(&hooks, opts->budget_bytes ? opts->budget_bytes : BUDGET);
    l->clients = l->asks ? stn_clients_new(l->asks) : NULL;
    l->unpacker = stn_unpacker_new(UNPACK_MAX);
    l->empty = stn_frame_new(0);
    l->scolded = stn_names_new();
    stn_status st = l->asks && l->clients && l->unpacker && l->empty && l->scolded
                        ? STN_OK
                        : stn_fail(err, STN_NO_MEMORY, "loader");
    if (st == STN_OK)
        st = stn_sources_new(stn_bus_loop(bus), l->asks, &opts->sources, &source_hooks, &l->sources, err);
    if (st == STN_OK && opts->watch_resdir && *opts->sources.resdir) {
        stn_err why = {0}; /* a convenience: the loader goes on without */
        if (stn_dirwatch_new(stn_bus_loop(bus), opts->sources.resdir, stn_loader_file_changed, l,
                             &l->dirwatch, &why) != STN_OK)
            stn_log_warn("%s", why.text);
    }
    if (st == STN_OK)
        st = stn_bus_bind(bus, &door, &l->door, err);
    if (st == STN_OK)
        st = stn_loader_control_new(l, err);
    if (st != STN_OK) {
        stn_loader_free(l);
        return st;
    }
    *out = l;
    return STN_OK;
}

void stn_loader_free(stn_loader *l)
{
    if (!l)
        return;
    stn_control_free(l->control);
    stn_conv_free(l->door); /* every peer goes down first */
    stn_loader_drop_walks(l);
    stn_dirwatch_free(l->dirwatch);
    stn_sources_free(l->sources);
    stn_clients_free(l->clients);
    stn_asks_free(l->asks);
    stn_unpacker_free(l->unpacker);
    stn_frame_unref(l->empty);
    stn_names_free(l->scolded);
    free(l);
}
