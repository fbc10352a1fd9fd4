/* loader_tools.c - what modders ask for: reading a resource again, and why a name is what it is. */
#include "loader/loader_private.h"
#include "loader/resname.h"

#include "base/log.h"

#include "proto/resource.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reload ---- */

stn_status stn_loader_on_reload(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_loader *l = ctx;
    const Stenness__Reload *r = stn_msg_body(msg);
    stn_object *o = stn_asks_peek(l->asks, stn_sources_remote_pool(l->sources), r->name);
    if (!o) {
        stn_loader_say_failed(
            l, peer, stn_msg_correlation(msg),
            &(stn_loader_failure){.name = r->name,
                                  .version = -1,
                                  .kind = "no_such",
                                  .miss = STN_MISS_NOT_FOUND,
                                  .text = "not loaded: nobody shows it, the next ask reads it anew"});
        return STN_OK;
    }
    reload_wait *w = calloc(1, sizeof *w);
    if (!w)
        return stn_fail(err, STN_NO_MEMORY, "Reload \"%.80s\"", r->name);
    *w = (reload_wait){.next = l->reloads,
                       .peer = peer,
                       .correlation = stn_msg_correlation(msg),
                       .object = stn_object_id(o)};
    l->reloads = w;
    if (!stn_asks_reload(l->asks, o)) {
        l->reloads = w->next;
        free(w);
        return stn_fail(err, STN_NO_MEMORY, "Reload \"%.80s\"", r->name);
    }
    stn_asks_run(l->asks);
    return STN_OK;
}

void stn_loader_file_changed(void *ctx, const char *name)
{
    stn_loader *l = ctx;
    if (stn_resname_check(name, strlen(name), NULL) != STN_OK)
        return;
    stn_names_remove(l->scolded, name); /* what is wrong with it now is news */
    stn_asks_forget(l->asks, name); /* what failed for want of this file may be tried again */
    stn_object *o = stn_asks_peek(l->asks, stn_sources_remote_pool(l->sources), name);
    if (!o)
        return;
    stn_log_info("%s.res changed: read again", name);
    if (!stn_asks_reload(l->asks, o))
        stn_log_warn("%s.res changed, but there is no memory to read it again", name);
    stn_asks_run(l->asks);
}

static void say_changed(stn_peer *peer, uint64_t correlation, const stn_object *o)
{
    Stenness__Changed m = STENNESS__CHANGED__INIT;
    stn_err err = {0};
    m.object = stn_object_id(o);
    m.name = (char *)stn_object_name(o);
    m.version = stn_object_version(o);
    if (stn_peer_say(peer, STENNESS__RESOURCE_KIND__RESOURCE_CHANGED, STN_LOADER_STREAM, correlation, &m.base,
                     &err) != STN_OK)
        stn_log_debug("%s: %s", stn_peer_id(peer), err.text);
}

void stn_loader_reloaded(void *ctx, stn_object *o, bool good, const stn_miss *chain)
{
    stn_loader *l = ctx;
    size_t it = 0;
    stn_peer *peer;
    l->reloaded += good;
    while (good && (peer = stn_conv_next_peer(l->door, &it))) {
        const seat *s = stn_peer_user(peer);
        if (s && stn_client_is_holding(s->client, stn_object_id(o)))
            say_changed(peer, 0, o);
    }
    for (reload_wait **w = &l->reloads; *w;) {
        reload_wait *e = *w;
        if (e->object != stn_object_id(o)) {
            w = &e->next;
            continue;
        }
        if (good)
            say_changed(e->peer, e->correlation, o);
        else
            stn_loader_say_failed(l, e->peer, e->correlation,
                                  &(stn_loader_failure){.name = stn_object_name(o),
                                                        .version = stn_object_version(o),
                                                        .kind = "load_failed",
                                                        .chain = chain});
        *w = e->next;
        free(e);
    }
}

/* ---- why ---- */

/* Every source is asked, one after the other, also behind the one that answers: the first good one is what an
 * ask would give now, if nothing were cached. */
struct why_walk {
    why_walk *next;
    uint64_t fetch;
    stn_peer *peer; /* NULL: gone */
    uint64_t correlation;
    char *name;
    int version;
    unsigned at; /* source */
    unsigned count;
    int good; /* source that answers, -1 = none so far */
    int good_version;
    Stenness__SourceError *records[STN_ASKS_SOURCES_MAX];
};

static void why_free(stn_loader *l, why_walk *w)
{
    for (why_walk **p = &l->whys; *p; p = &(*p)->next) {
        if (*p == w) {
            *p = w->next;
            break;
        }
    }
    for (unsigned i = 0; i < w->count; i++)
        stenness__source_error__free_unpacked(w->records[i], NULL);
    free(w->name);
    free(w);
}

static void why_answer(stn_loader *l, why_walk *w)
{
    Stenness__WhyAnswer m = STENNESS__WHY_ANSWER__INIT;
    char outcome[400];
    stn_err err = {0};
    const stn_object *held = stn_asks_peek(l->asks, stn_sources_remote_pool(l->sources), w->name);
    int n = w->good < 0 ? snprintf(outcome, sizeof outcome, "no source has it")
                        : snprintf(outcome, sizeof outcome, "version %d from %s", w->good_version,
                                   stn_asks_source_id(l->asks, (unsigned)w->good));
    if (held && n > 0)
        snprintf(outcome + n, sizeof outcome - (size_t)n, "; loaded now: version %d from %s",
                 stn_object_version(held), stn_asks_source_id(l->asks, stn_object_source(held)));
    m.name = w->name;
    m.version = w->version;
    m.walk = w->records;
    m.n_walk = w->count;
    m.outcome = outcome;
    if (w->peer && stn_peer_say(w->peer, STENNESS__RESOURCE_KIND__RESOURCE_WHY_ANSWER, STN_LOADER_STREAM,
                                w->correlation, &m.base, &err) != STN_OK)
        stn_log_debug("%s: %s", stn_peer_id(w->peer), err.text);
    why_free(l, w);
}

static void why_next(stn_loader *l, why_walk *w)
{
    if (!*stn_asks_source_id(l->asks, w->at)) {
        why_answer(l, w);
        return;
    }
    w->fetch = STN_LOADER_WHY_BIT | ++l->last_why;
    stn_sources_fetch(l->sources,
                      &(stn_fetch){.id = w->fetch,
                                   .source = w->at,
                                   .name = w->name,
                                   .ask = w->version,
                                   .want = w->version,
                                   .prio = STN_PRIO_MAX},
                      true);
}

static bool why_record(why_walk *w, const char *source, const char *kind, const char *text)
{
    Stenness__SourceError *r = malloc(sizeof *r);
    if (!r)
        return false;
    stenness__source_error__init(r);
    r->source = strdup(source);
    r->kind = strdup(kind);
    r->text = strdup(text);
    if (!r->source || !r->kind || !r->text) {
        stenness__source_error__free_unpacked(r, NULL);
        return false;
    }
    w->records[w->count++] = r;
    return true;
}

void stn_loader_why_answered(stn_loader *l, uint64_t fetch, unsigned source, const stn_fetched *got)
{
    why_walk *w = l->whys;
    char text[STN_MISS_TEXT + 64];
    while (w && w->fetch != fetch)
        w = w->next;
    if (!w)
        return;
    bool good = got->miss == STN_MISS_NONE;
    if (good)
        snprintf(text, sizeof text, "version %d", got->version);
    else
        snprintf(text, sizeof text, "%s", got->text ? got->text : "");
    if (good && w->good < 0) {
        w->good = (int)source;
        w->good_version = got->version;
    }
    if (!why_record(w, stn_asks_source_id(l->asks, source), good ? "ok" : stn_miss_name(got->miss), text)) {
        why_answer(l, w);
        return;
    }
    w->at++;
    why_next(l, w);
}

stn_status stn_loader_on_why(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_loader *l = ctx;
    const Stenness__Why *q = stn_msg_body(msg);
    if (!stn_version_valid(q->version))
        return stn_fail(err, STN_BAD_DATA, "Why \"%.80s\": version %d; -1 (any) or 0 to 65535 expected",
                        q->name, q->version);
    stn_err why = {0};
    if (stn_resname_check(q->name, strlen(q->name), &why) != STN_OK) {
        stn_loader_say_failed(l, peer, stn_msg_correlation(msg),
                              &(stn_loader_failure){.name = q->name,
                                                    .version = q->version,
                                                    .kind = "load_failed",
                                                    .miss = STN_MISS_NAME,
                                                    .text = why.text});
        return STN_OK;
    }
    why_walk *w = calloc(1, sizeof *w);
    if (!w || !(w->name = strdup(q->name))) {
        free(w);
        return stn_fail(err, STN_NO_MEMORY, "Why");
    }
    w->peer = peer;
    w->correlation = stn_msg_correlation(msg);
    w->version = q->version;
    w->good = -1;
    w->next = l->whys;
    l->whys = w;
    why_next(l, w);
    return STN_OK;
}

void stn_loader_forget_peer(stn_loader *l, const stn_peer *peer)
{
    for (why_walk *w = l->whys; w; w = w->next)
        if (w->peer == peer)
            w->peer = NULL;
    for (reload_wait **w = &l->reloads; *w;) {
        reload_wait *e = *w;
        if (e->peer == peer) {
            *w = e->next;
            free(e);
        } else {
            w = &e->next;
        }
    }
}

void stn_loader_drop_walks(stn_loader *l)
{
    while (l->whys)
        why_free(l, l->whys);
    while (l->reloads) {
        reload_wait *e = l->reloads;
        l->reloads = e->next;
        free(e);
    }
}
