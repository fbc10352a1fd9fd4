#include "mesher/mesher.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/table.h"
#include "bus/array.h"
#include "bus/control.h"
#include "mesher/lease.h"
#include "mesher/pool.h"

#include "proto/mesh.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define TASKS_MAX 256 /* leases and AHEAD tasks that exist at once */
#define LEASES_MAX 128 /* of them, leases */
#define AHEAD_MAX 16
#define TILESETS_MAX 65536
#define READY_EVERY (1 * STN_S)
#define REVIEW_EVERY 16 /* builds after which the mean time of one may have changed */
#define AHEAD_NS                                                                                             \
    (2 * STN_POOL_GROUP_NS) /* of work at hand: products come back in groups, and jobs follow in groups */
#define STREAM_STATE 0
#define STREAM_PRODUCT STN_STREAM_BULK
/* A link with a round trip above this counts as slow: compressing costs less than sending. */
#define SLOW_LINK (2 * STN_MS)

struct stn_mesher {
    stn_bus *bus;
    stn_mesher_opts opts;
    stn_conv *link;
    stn_control *control;
    stn_inbox *inbox;
    stn_watch *watch;
    stn_timer *timer;
    stn_blocks *blocks;
    stn_pool *pool;
    stn_table *sets; /* handle -> stn_tileset */
    stn_task *tasks[TASKS_MAX]; /* all that the pool has or that wait to be sent */
    size_t ntasks, nahead;
    stn_task *unsent; /* finished, while the link has no room; oldest first */
    uint32_t leases; /* told to world */
    /* How many more than the times say, over a far link, for they leave out what waits on the way. Looked at
     * in spans: whether the threads had a cut in hand all the time. */
    double stretch; /* 1..STRETCH_MAX */
    int64_t span_ns, span_built_ns; /* when it began; time of builds in it */
    uint32_t span_built;
    uint64_t built, failed, cancelled, late, refused, bytes, packed_bytes;
    int64_t mean_build_ns; /* moving */
    size_t peak_bytes;
    stn_hist build_time, wait_time;
    stn_log_once send_failed;
};

static stn_tileset *find_set(void *arg, uint32_t handle)
{
    return stn_table_get(((stn_mesher *)arg)->sets, handle);
}

/* ---- what world is told */

#define STRETCH_MAX 2.0
#define SPAN_LEAST (250 * STN_MS)
#define SPAN_TRIPS 5 /* round trips in a span, at least */
#define SPAN_BUILT 64 /* fewer builds in a span: there was no more to do */

/* More leases when the threads ran dry over a far link, slowly fewer while they never do. */
static void review_stretch(stn_mesher *m, const stn_peer *peer)
{
    int64_t now = stn_loop_now(stn_bus_loop(m->bus))->now_ns, span = now - m->span_ns;

    if (span < SPAN_LEAST || span < SPAN_TRIPS * stn_peer_rtt_ns(peer))
        return;
    double busy = (double)m->span_built_ns / ((double)span * m->opts.threads);
    if (m->span_built >= SPAN_BUILT && stn_peer_rtt_ns(peer) > SLOW_LINK)
        m->stretch *= busy < 0.95 ? 1.2 : 0.98;
    m->stretch = m->stretch < 1 ? 1 : m->stretch > STRETCH_MAX ? STRETCH_MAX : m->stretch;
    m->span_ns = now;
    m->span_built_ns = 0;
    m->span_built = 0;
}

/* Leases at once: what the threads work on and one waiting for each, and what they do until word of a group
 * of products has brought the next jobs, over a far link a round trip later: none may run dry. */
static uint32_t wanted_leases(const stn_mesher *m, const stn_peer *peer)
{
    int64_t away = stn_peer_rtt_ns(peer) + AHEAD_NS;
    int64_t each = m->mean_build_ns > 0 ? m->mean_build_ns : STN_MS;
    int64_t n = 2 * (int64_t)m->opts.threads +
                (int64_t)(m->stretch * (double)((away * m->opts.threads + each - 1) / each));
    return n > LEASES_MAX ? LEASES_MAX : (uint32_t)n;
}

static void say_ready(stn_mesher *m, stn_peer *peer)
{
    Stenness__MesherReady r = STENNESS__MESHER_READY__INIT;
    struct utsname host;
    char machine[160] = "";
    stn_err err = {0};

    if (uname(&host) == 0)
        snprintf(machine, sizeof machine, "%.60s %.60s", host.nodename, host.machine);
    m->leases = wanted_leases(m, peer);
    r.jobs = m->leases;
    r.bulk_credit = UINT64_C(64) << 20;
    r.threads = m->opts.threads;
    r.zstd = m->opts.zstd;
    r.machine = machine;
    if (stn_peer_say(peer, STENNESS__MESH_KIND__MESH_MESHER_READY, STREAM_STATE, 0, &r.base, &err) !=
            STN_OK &&
        err.code != STN_BUSY)
        stn_log_warn("cannot say what this mesher takes: %s", err.text);
}

/* Says it again when it has changed by more than a quarter. */
static void review_leases(stn_mesher *m)
{
    stn_peer *peer = stn_conv_peer(m->link);

    if (!peer)
        return;
    review_stretch(m, peer);
    uint32_t want = wanted_leases(m, peer), apart = want > m->leases ? want - m->leases : m->leases - want;
    if (4 * apart > m->leases)
        say_ready(m, peer);
}

static void on_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    (void)turn;
    stn_timer_in(timer, READY_EVERY);
    review_leases(ctx);
}

/* ---- tasks */

static void forget_task(stn_mesher *m, stn_task *t)
{
    for (size_t i = 0; i < m->ntasks; i++)
        if (m->tasks[i] == t) {
            m->tasks[i] = m->tasks[--m->ntasks];
            break;
        }
    m->nahead -= t->kind == STN_TASK_AHEAD;
    stn_task_free(t);
}

static void give(stn_mesher *m, stn_task *t)
{
    m->tasks[m->ntasks++] = t;
    m->nahead += t->kind == STN_TASK_AHEAD;
    stn_pool_give(m->pool, t);
}

/* A copy of what an AHEAD task reads: where the cut is and its tilesets. */
static void give_ahead(stn_mesher *m, const stn_task *of)
{
    if (!m->opts.ahead || m->nahead >= AHEAD_MAX || m->ntasks >= TASKS_MAX)
        return;
    stn_task *t = stn_task_new(0, 0, of->job.nsets);
    if (!t)
        return;
    stn_job_set *sets = stn_task_sets(t);
    t->kind = STN_TASK_AHEAD;
    t->job.grid = of->job.grid;
    t->job.cut = of->job.cut;
    for (size_t i = 0; i < of->job.nsets; i++) {
        sets[i] = of->job.sets[i];
        stn_tileset_ref((stn_tileset *)sets[i].set);
    }
    t->job.nsets = of->job.nsets;
    give(m, t);
}

static stn_status send_product(stn_peer *peer, const stn_task *t, stn_err *err)
{
    Stenness__Product p = STENNESS__PRODUCT__INIT;
    Stenness__Array data = STENNESS__ARRAY__INIT;

    data.count = stn_frame_len(t->product);
    data.format = STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES;
    p.ticket = t->ticket;
    p.data = &data;
    p.compression = t->compression;
    p.unpacked_bytes = t->unpacked_bytes;
    p.build_us = (uint32_t)(t->build_ns / 1000);
    p.wait_us = (uint32_t)(t->wait_ns / 1000);
    return stn_peer_send(peer,
                         &(stn_send){.kind = STENNESS__MESH_KIND__MESH_PRODUCT,
                                     .stream = STREAM_PRODUCT,
                                     .body = &p.base,
                                     .bulk = &t->product,
                                     .n_bulk = 1},
                         err);
}

static stn_status send_failure(stn_peer *peer, uint64_t ticket, const stn_err *why, stn_err *err)
{
    Stenness__JobFailed f = STENNESS__JOB_FAILED__INIT;

    f.ticket = ticket;
    f.code = (uint32_t)why->code;
    f.text = (char *)why->text;
    return stn_peer_say(peer, STENNESS__MESH_KIND__MESH_JOB_FAILED, STREAM_STATE, 0, &f.base, err);
}

/* Sends what the task came to. False: the link has no room, the task waits. */
static bool send_outcome(stn_mesher *m, stn_task *t)
{
    stn_peer *peer = stn_conv_peer(m->link);
    stn_err err = {0};
    stn_status st;

    if (!peer || atomic_load(&t->cancelled))
        return true;
    st = t->status == STN_OK ? send_product(peer, t, &err) : send_failure(peer, t->ticket, &t->err, &err);
    if (st == STN_BUSY)
        return false;
    if (st != STN_OK && stn_log_due(&m->send_failed))
        stn_log_warn("product of ticket %llu cannot be sent: %s", (unsigned long long)t->ticket, err.text);
    return true;
}

static void send_waiting(stn_mesher *m)
{
    while (m->unsent && send_outcome(m, m->unsent)) {
        stn_task *t = m->unsent;
        m->unsent = t->next;
        forget_task(m, t);
    }
}

static void count_outcome(stn_mesher *m, const stn_task *t)
{
    switch (t->status) {
    case STN_OK:
        m->built++;
        m->bytes += t->unpacked_bytes;
        m->packed_bytes += stn_frame_len(t->product);
        m->mean_build_ns += (t->build_ns - m->mean_build_ns) / 16;
        m->span_built_ns += t->build_ns;
        m->span_built++;
        if (m->built % REVIEW_EVERY == 0)
            review_leases(m);
        stn_hist_add(&m->build_time, t->build_ns);
        stn_hist_add(&m->wait_time, t->wait_ns);
        break;
    case STN_CANCELLED:
        m->cancelled++;
        break;
    case STN_TIMEOUT:
        m->late++;
        break;
    default:
        m->failed++;
        stn_log_info("cut %d,%d of grid %d,%d: %s", t->job.cut.x, t->job.cut.y, t->job.grid.x, t->job.grid.y,
                     t->err.text);
        break;
    }
    m->peak_bytes = t->peak_bytes > m->peak_bytes ? t->peak_bytes : m->peak_bytes;
}

static void on_done(void *ctx, const stn_turn *turn, stn_inbox_link *item)
{
    stn_mesher *m = ctx;
    stn_task *t = (stn_task *)(void *)item;

    (void)turn;
    if (t->kind == STN_TASK_AHEAD) {
        forget_task(m, t);
        return;
    }
    count_outcome(m, t);
    if (t->status == STN_OK && !atomic_load(&t->cancelled))
        give_ahead(m, t);
    /* Cancelled or late: world took the lease back and waits for nothing. */
    if (t->status == STN_CANCELLED || t->status == STN_TIMEOUT) {
        forget_task(m, t);
        return;
    }
    t->next = NULL;
    stn_task **at = &m->unsent;
    while (*at)
        at = &(*at)->next;
    *at = t;
    send_waiting(m);
}

/* ---- what world says */

static stn_status on_tileset(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_mesher *m = ctx;
    const Stenness__Tileset *body = stn_msg_body(msg);
    const stn_array_rule rule = {.name = "tileset",
                                 .format = STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES,
                                 .min = 1,
                                 .max = STN_TILESET_MAX_BYTES};
    stn_array data;
    stn_tileset *set;
    void *old = NULL;
    stn_status st =
        stn_array_view(body->data, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &rule, &data, err);

    (void)peer;
    if (st != STN_OK)
        return st;
    if (stn_table_count(m->sets) >= TILESETS_MAX)
        return stn_fail(err, STN_TOO_BIG, "more than %d tilesets", TILESETS_MAX);
    if ((st = stn_tileset_decode(data.data, data.count, body->handle, find_set, m, &set, err)) != STN_OK)
        return st;
    if (!stn_table_put(m->sets, body->handle, set, &old)) {
        stn_tileset_unref(set);
        return stn_fail(err, STN_NO_MEMORY, "tileset %s", body->name);
    }
    stn_tileset_unref(old); /* jobs under way hold it */
    return STN_OK;
}

static stn_status on_tileset_drop(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_mesher *m = ctx;
    const Stenness__TilesetDrop *body = stn_msg_body(msg);

    (void)peer;
    (void)err;
    for (size_t i = 0; i < body->n_handles; i++)
        stn_tileset_unref(stn_table_remove(m->sets, body->handles[i]));
    return STN_OK;
}

static stn_status on_job(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_mesher *m = ctx;
    const Stenness__Job *body = stn_msg_body(msg);
    stn_err why = {0};
    stn_task *t = NULL;
    stn_status st = STN_OK;

    if (m->ntasks - m->nahead >= LEASES_MAX + m->opts.threads)
        st = stn_fail(&why, STN_BUSY, "more leases than the %u that this mesher takes", m->leases);
    if (st == STN_OK)
        st = stn_mesher_read_job(body, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), find_set, m, &t,
                                 &why);
    if (st != STN_OK) {
        m->refused++;
        send_failure(peer, body->ticket, &why, err);
        return stn_fail(err, why.code, "job %llu: %s", (unsigned long long)body->ticket, why.text);
    }
    int64_t now = stn_loop_now(stn_bus_loop(m->bus))->now_ns;
    t->given_ns = now;
    t->deadline_ns = body->lease_ms ? now + (int64_t)body->lease_ms * STN_MS : 0;
    t->compress = m->opts.zstd && stn_peer_is_remote(peer) && stn_peer_rtt_ns(peer) > SLOW_LINK;
    give(m, t);
    return STN_OK;
}

static stn_status on_cancel(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_mesher *m = ctx;
    const Stenness__JobCancel *body = stn_msg_body(msg);

    (void)peer;
    (void)err;
    for (size_t i = 0; i < body->n_tickets; i++)
        for (size_t k = 0; k < m->ntasks; k++)
            if (m->tasks[k]->ticket == body->tickets[i] && m->tasks[k]->kind != STN_TASK_AHEAD)
                atomic_store(&m->tasks[k]->cancelled, true);
    return STN_OK;
}

static void on_up(void *ctx, stn_peer *peer)
{
    stn_mesher *m = ctx;

    stn_log_info("world is there: %s", stn_peer_id(peer));
    m->stretch = 1;
    m->span_ns = stn_loop_now(stn_bus_loop(m->bus))->now_ns;
    m->span_built_ns = 0;
    m->span_built = 0;
    say_ready(m, peer);
}

/* World gives what was leased here to others; and it will send its tilesets anew. */
static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    stn_mesher *m = ctx;
    size_t it = 0;
    uint64_t handle;
    void *set;

    (void)peer;
    stn_log_info("world is gone: %s", stn_down_reason_text(why));
    for (size_t i = 0; i < m->ntasks; i++)
        atomic_store(&m->tasks[i]->cancelled, true);
    send_waiting(m);
    while (stn_table_next(m->sets, &it, &handle, &set))
        stn_tileset_unref(set);
    stn_table_clear(m->sets);
}

static void on_room(void *ctx, stn_peer *peer)
{
    (void)peer;
    send_waiting(ctx);
}

static const stn_handler handlers[] = {
    {STENNESS__MESH_KIND__MESH_TILESET, "tileset", STN_TILESET_MAX_BYTES + 4096,
     &stenness__tileset__descriptor, on_tileset, false},
    {STENNESS__MESH_KIND__MESH_TILESET_DROP, "tileset-drop", 1 << 20, &stenness__tileset_drop__descriptor,
     on_tileset_drop, false},
    {STENNESS__MESH_KIND__MESH_JOB, "job", 256 << 10, &stenness__job__descriptor, on_job, false},
    {STENNESS__MESH_KIND__MESH_CANCEL, "cancel", 64 << 10, &stenness__job_cancel__descriptor, on_cancel,
     false},
};

/* ---- status */

static void report(void *ctx, stn_report *r)
{
    stn_mesher *m = ctx;
    stn_peer *peer = stn_conv_peer(m->link);
    stn_blocks_stats b;

    if (!peer)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING, "no world: %s",
                          stn_conv_diagnosis(m->link));
    else
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_OK, "%u threads for %s, %zu cuts under way",
                          m->opts.threads, stn_peer_id(peer), m->ntasks - m->nahead);
    stn_blocks_read_stats(m->blocks, &b);
    stn_report_text(r, "kernels", "%s", stn_kernels_best()->name);
    stn_report_gauge(r, "threads", m->opts.threads);
    stn_report_gauge(r, "leases.taken", m->leases);
    stn_report_gauge(r, "jobs.underway", (double)(m->ntasks - m->nahead));
    stn_report_gauge(r, "tilesets", (double)stn_table_count(m->sets));
    stn_report_counter(r, "jobs.built", m->built);
    stn_report_counter(r, "jobs.failed", m->failed);
    stn_report_counter(r, "jobs.cancelled", m->cancelled);
    stn_report_counter(r, "jobs.late", m->late);
    stn_report_counter(r, "jobs.refused", m->refused);
    stn_report_counter(r, "products.bytes", m->bytes);
    stn_report_counter(r, "products.sent.bytes", m->packed_bytes);
    stn_report_counter(r, "blocks.made", b.made);
    stn_report_counter(r, "blocks.hits", b.hits);
    stn_report_counter(r, "blocks.dropped", b.dropped);
    stn_report_gauge(r, "blocks.held", (double)b.held);
    stn_report_gauge(r, "build.memory.peak.bytes", (double)m->peak_bytes);
    stn_report_hist(r, "build.time", &m->build_time);
    stn_report_hist(r, "build.wait", &m->wait_time);
}

/* ---- life */

stn_status stn_mesher_new(stn_bus *bus, const stn_mesher_opts *opts, stn_mesher **out, stn_err *err)
{
    stn_loop *loop = stn_bus_loop(bus);
    stn_mesher *m = calloc(1, sizeof *m);
    stn_status st = STN_OK;

    *out = NULL;
    if (!m)
        return stn_fail(err, STN_NO_MEMORY, "mesher");
    m->bus = bus;
    m->opts = *opts;
    m->sets = stn_table_new();
    m->blocks = stn_blocks_new(opts->blocks, NULL);
    m->timer = stn_timer_new(loop, "ready", on_timer, m);
    if (!m->sets || !m->blocks || !m->timer)
        st = stn_fail(err, STN_NO_MEMORY, "mesher");
    const stn_control_spec control = {.ctx = m, .report = report};
    const stn_conv_spec link = {.name = "mesh",
                                .handlers = handlers,
                                .n_handlers = sizeof handlers / sizeof handlers[0],
                                .ctx = m,
                                .up = on_up,
                                .down = on_down,
                                .room = on_room,
                                .endpoint = opts->endpoint,
                                .keys = opts->keys,
                                .server_key = opts->server_key};
    if (st != STN_OK || (st = stn_inbox_new(TASKS_MAX + 1, &m->inbox, err)) != STN_OK ||
        (st = stn_loop_watch_inbox(loop, m->inbox, on_done, m, &m->watch, err)) != STN_OK ||
        (st = stn_pool_new(opts->threads, opts->idle, m->blocks, m->inbox, &m->pool, err)) != STN_OK ||
        (st = stn_control_new(bus, &control, &m->control, err)) != STN_OK ||
        (st = stn_bus_connect(bus, &link, &m->link, err)) != STN_OK) {
        stn_mesher_free(m);
        return st;
    }
    stn_timer_in(m->timer, READY_EVERY);
    *out = m;
    return STN_OK;
}

void stn_mesher_free(stn_mesher *m)
{
    size_t it = 0;
    uint64_t handle;
    void *set;

    if (!m)
        return;
    stn_conv_free(m->link); /* its `down` marks everything cancelled */
    stn_control_free(m->control);
    stn_pool_free(m->pool);
    stn_watch_free(m->watch);
    stn_inbox_free(m->inbox, NULL, NULL);
    while (m->ntasks)
        forget_task(m, m->tasks[0]);
    while (m->sets && stn_table_next(m->sets, &it, &handle, &set))
        stn_tileset_unref(set);
    stn_table_free(m->sets);
    stn_timer_free(m->timer);
    stn_blocks_free(m->blocks);
    free(m);
}
