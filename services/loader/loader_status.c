/* loader_status.c - the control door: figures, and questions in words for tools. */
#include "loader/loader_private.h"

#include "base/buf.h"

#include "proto/control.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(void *ctx, stn_report *r)
{
    stn_loader *l = ctx;
    stn_objects *objects = stn_asks_objects(l->asks);
    stn_asks_counts c = stn_asks_count(l->asks, stn_sources_remote_pool(l->sources));
    stn_http_figures h;
    stn_workers_figures w;
    stn_diskcache_sum d = stn_sources_cache_sum(l->sources);
    stn_http_report(stn_sources_http(l->sources), &h);
    stn_workers_report(stn_sources_workers(l->sources), &w);
    if (stn_sources_has_network(l->sources) && !*stn_sources_url(l->sources))
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING,
                          "no resource server known yet: waiting for homestead, or give --resurl");
    else if (*stn_sources_cache_trouble(l->sources))
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_DEGRADED, "no disk cache: %s",
                          stn_sources_cache_trouble(l->sources));
    else
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_OK, "%zu objects, %zu asks open",
                          stn_objects_count(objects), stn_asks_open(l->asks));
    stn_report_text(r, "loader.url", "%s", stn_sources_url(l->sources));
    stn_report_gauge(r, "asks.open", (double)stn_asks_open(l->asks));
    stn_report_gauge(r, "asks.queued", (double)c.queued);
    stn_report_gauge(r, "asks.flying", (double)c.flying);
    stn_report_gauge(r, "asks.failed.remembered", (double)c.failed);
    stn_report_gauge(r, "asks.waits", (double)stn_clients_waits(l->clients));
    stn_report_counter(r, "gets", l->gets);
    stn_report_counter(r, "ready", l->readies);
    stn_report_counter(r, "failed", l->failed);
    stn_report_counter(r, "reloaded", l->reloaded);
    stn_report_counter(r, "damaged", l->damaged);
    stn_report_counter(r, "resdir.refused", l->resdir_refused);
    stn_report_counter(r, "unsaid", l->unsaid);
    stn_report_gauge(r, "objects.count", (double)stn_objects_count(objects));
    stn_report_gauge(r, "objects.bytes", (double)stn_objects_bytes(objects));
    stn_report_gauge(r, "objects.held.bytes", (double)stn_objects_held_bytes(objects));
    stn_report_gauge(r, "objects.budget.bytes", (double)stn_objects_budget(objects));
    stn_report_counter(r, "http.requests", h.requests);
    stn_report_counter(r, "http.retries", h.retries);
    stn_report_counter(r, "http.resumed", h.resumed);
    stn_report_counter(r, "http.failed", h.failed);
    stn_report_counter(r, "http.bytes", h.bytes);
    stn_report_gauge(r, "http.waiting", (double)h.waiting);
    stn_report_gauge(r, "http.running", (double)h.running);
    stn_report_gauge(r, "http.idle", (double)h.idle);
    stn_report_gauge(r, "workers.count", w.count);
    stn_report_gauge(r, "workers.waiting", (double)w.waiting);
    stn_report_gauge(r, "workers.running", (double)w.running);
    stn_report_counter(r, "workers.jobs", w.jobs);
    stn_report_counter(r, "decoders.restarted", w.restarts);
    stn_report_counter(r, "decoded.bytes", w.decoded_bytes);
    stn_report_counter(r, "disk.stores", w.stores);
    stn_report_counter(r, "disk.store.failures", w.store_failures);
    stn_report_gauge(r, "disk.entries", (double)d.entries);
    stn_report_gauge(r, "disk.bytes", (double)d.bytes);
}

/* ---- questions in words ---- */

typedef struct listing {
    stn_buf out;
    bool used_only;
    const stn_asks *asks;
} listing;

static void list_object(void *ctx, stn_object *o)
{
    listing *t = ctx;
    if (t->used_only && !stn_object_used(o))
        return;
    stn_buf_printf(&t->out, "%s\t%d\t%s\t%zu\t%u\n", stn_object_name(o), stn_object_version(o),
                   stn_asks_source_id(t->asks, stn_object_source(o)), stn_object_bytes(o),
                   stn_object_holds(o));
}

static void answer_words(stn_loader *l, const Stenness__TextGet *q, stn_buf *out)
{
    const char *arg = q->n_arguments ? q->arguments[0] : NULL;
    unsigned pool = stn_sources_remote_pool(l->sources);
    listing t = {.asks = l->asks};
    if (strcmp(q->what, "cached") == 0 || strcmp(q->what, "used") == 0) {
        t.used_only = q->what[0] == 'u';
        stn_asks_each(l->asks, pool, list_object, &t);
        stn_buf_put(out, t.out.data, t.out.len);
    } else if (strcmp(q->what, "peek") == 0 && arg) {
        stn_object *o = stn_asks_peek(l->asks, pool, arg);
        if (o)
            list_object(&t, o);
        stn_buf_put(out, t.out.data, t.out.len);
    } else if (strcmp(q->what, "forget") == 0) {
        stn_buf_printf(out, "%zu\n", stn_asks_forget(l->asks, arg));
    } else if (strcmp(q->what, "disk") == 0) {
        stn_diskcache_sum d = stn_sources_cache_sum(l->sources);
        const char *trouble = stn_sources_cache_trouble(l->sources);
        if (*trouble)
            stn_buf_printf(out, "none: %s\n", trouble);
        else
            stn_buf_printf(out, "%" PRIu64 " resources, %" PRIu64 " bytes when last counted\n", d.entries,
                           d.bytes);
    } else if (strcmp(q->what, "drop") == 0 && arg) {
        stn_sources_drop_cached(l->sources, arg);
    } else if (strcmp(q->what, "decoders") == 0) {
        for (unsigned i = 0; stn_workers_child(stn_sources_workers(l->sources), i); i++)
            stn_buf_printf(out, "%d\n", stn_workers_child(stn_sources_workers(l->sources), i));
    }
    stn_buf_fini(&t.out);
}

static stn_status on_text(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_loader *l = ctx;
    const Stenness__TextGet *q = stn_msg_body(msg);
    static const char *const known[] = {"cached", "used", "peek", "forget", "disk", "drop", "decoders"};
    Stenness__Text m = STENNESS__TEXT__INIT;
    stn_buf out = {.max = STN_BODY_MAX - 4096};
    bool ok = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ok = ok || strcmp(q->what, known[i]) == 0;
    if (!ok)
        return stn_control_done(
            peer, stn_msg_correlation(msg), STN_USAGE,
            "the loader answers: cached, used, peek NAME, forget [NAME], disk, drop NAME, decoders");
    answer_words(l, q, &out);
    stn_buf_u8(&out, 0);
    if (out.failed) {
        stn_buf_fini(&out);
        return stn_control_done(peer, stn_msg_correlation(msg), STN_TOO_BIG,
                                "the answer does not fit a message");
    }
    m.text = (char *)out.data;
    stn_status st =
        stn_peer_say(peer, STENNESS__CONTROL_KIND__CTL_TEXT, 0, stn_msg_correlation(msg), &m.base, err);
    stn_buf_fini(&out);
    return st;
}

static const stn_handler handlers[] = {
    {STENNESS__CONTROL_KIND__CTL_TEXT_GET, "text", 8192, &stenness__text_get__descriptor, on_text, false},
};

stn_status stn_loader_control_new(stn_loader *l, stn_err *err)
{
    const stn_control_spec spec = {
        .ctx = l, .report = report, .handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers};
    return stn_control_new(l->bus, &spec, &l->control, err);
}
