#include "loader/sources.h"

#include "base/clock.h"
#include "base/folders.h"
#include "base/log.h"
#include "base/table.h"
#include "base/text.h"
#include "loader/payload.h"
#include "loader/resname.h"
#include "loader/url_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PACKS_MAX 16
#define BASES_MAX 2
#define WATCH_NS (500 * STN_MS)
#define SLOTS_LOCAL 16
#define SLOTS_REMOTE                                                                                         \
    256 /* a walk at a hung server holds one for long; the transfers have limits of their own */
#define VERSION_CACHE_HOST "res.brodgar.io"
#define VERSION_CACHE_FALLBACK "http://brodgar.io/res/"
#define DEFAULT_IDENTITY "urn:haven-cache:default"

typedef enum source_kind { SRC_NONE, SRC_DIR, SRC_PACK, SRC_DISK, SRC_HTTP } source_kind;

typedef struct source {
    source_kind kind;
    const char *id;
    stn_packsource *packs[PACKS_MAX];
    size_t pack_count;
    unsigned base; /* HTTP */
    bool versioned; /* HTTP: a version cache */
} source;

/* A fetch between its request and its answer. */
typedef struct open_fetch {
    struct open_fetch *next_parked;
    stn_sources *all;
    stn_fetch f;
    char *name;
    stn_buf code;
    bool judge_only;
    bool requested; /* at the HTTP client, by itself or by its leader */
    struct open_fetch *leader; /* whose identical request is in flight already */
    struct open_fetch *followers, *next_follower; /* that get a copy of the answer */
    int64_t deadline_ns; /* while it waits for the URL */
} open_fetch;

struct stn_sources {
    stn_loop *loop;
    stn_sources_hooks hooks;
    source sources[STN_ASKS_SOURCES_MAX];
    unsigned remote;
    stn_dirsource *dir;
    stn_workers *workers;
    stn_http *http;
    stn_url_base bases[BASES_MAX];
    unsigned base_count;
    char *url, *identity_option, *identity, *cache_dir, *watch_file;
    uint64_t cache_cap;
    bool network, follow; /* follow: the URL comes from the watched file */
    stn_diskcache *disk;
    stn_diskcache *old_disks[64]; /* of earlier servers; jobs may still use them */
    unsigned old_count;
    stn_diskcache_sum sum;
    bool sweeping;
    char trouble[STN_ERR_TEXT];
    stn_timer *watch;
    stn_table *open; /* fetch id -> open_fetch */
    open_fetch *parked;
};

/* ---- answers ---- */

/* A walk asks its next source under the same number, inside the answer: the old one is out of the table
 * before. */
static void answer(open_fetch *o, const stn_fetched *got, const char *damage)
{
    stn_sources *s = o->all;
    stn_table_remove(s->open, o->f.id);
    s->hooks.answered(s->hooks.ctx, o->f.id, o->f.source, got, o->name, damage);
    stn_buf_fini(&o->code);
    free(o->name);
    free(o);
}

static void answer_miss(open_fetch *o, stn_miss_kind kind, const char *text)
{
    answer(o, &(stn_fetched){.miss = kind, .text = text, .version = -1}, "");
}

static void sweep(stn_sources *s)
{
    stn_job *job = s->disk && !s->sweeping ? stn_job_new(STN_JOB_SWEEP, "", -1000) : NULL;
    if (!job)
        return;
    job->disk = s->disk;
    s->sweeping = stn_workers_give(s->workers, job);
    if (!s->sweeping)
        stn_job_free(job);
}

static void on_job(void *ctx, stn_job *job)
{
    stn_sources *s = ctx;
    open_fetch *o = job->user;
    if (job->kind == STN_JOB_SWEEP) {
        s->sweeping = false;
        if (job->sum.evicted)
            stn_log_info("disk cache: %llu entries (%llu bytes) dropped to keep under the cap",
                         (unsigned long long)job->sum.evicted, (unsigned long long)job->sum.evicted_bytes);
        s->sum = job->sum;
    }
    if (s->disk && stn_diskcache_due(s->disk))
        sweep(s);
    if (!o) {
        stn_job_free(job);
        return;
    }
    stn_decoded *d = &job->decoded;
    stn_fetched got = {.miss = d->verdict.miss, .text = d->verdict.text, .version = d->verdict.version};
    if (d->crashed)
        stn_log_error("%s from %s: %s", o->name, s->sources[o->f.source].id, d->verdict.text);
    if (got.miss == STN_MISS_NONE && !job->judge_only) {
        stn_payload *p = stn_payload_take(d);
        got.payload = p;
        got.bytes = p ? stn_payload_bytes(p) : 0;
        if (!p) {
            got.miss = STN_MISS_IO;
            got.text = "out of memory";
        }
    }
    answer(o, &got, d->problems ? d->problem : "");
    stn_job_free(job);
}

/* ---- asking ---- */

static void give_job(open_fetch *o, stn_job_kind kind, uint8_t *data, size_t len)
{
    stn_sources *s = o->all;
    source *src = &s->sources[o->f.source];
    stn_job *job = stn_job_new(kind, o->name, o->f.prio);
    if (job) {
        job->user = o;
        job->want = o->f.want;
        job->judge_only = o->judge_only;
        job->keep_code = o->f.reload != NULL;
        job->code = o->code;
        o->code = (stn_buf){0};
        job->data = data;
        job->len = len;
        job->dir = s->dir;
        job->packs = src->packs;
        job->pack_count = src->pack_count;
        job->disk = s->disk;
        job->store = kind == STN_JOB_BODY && s->disk && !o->judge_only;
        if (stn_workers_give(s->workers, job))
            return;
        job->data = NULL;
        stn_job_free(job);
    }
    free(data);
    answer_miss(o, STN_MISS_IO, "out of memory");
}

static void deliver(open_fetch *o, const stn_http_answer *a, uint8_t *data)
{
    o->requested = false;
    if (a->outcome == STN_HTTP_BODY)
        give_job(o, STN_JOB_BODY, data, a->len);
    else
        answer_miss(o, a->outcome == STN_HTTP_NOT_FOUND ? STN_MISS_NOT_FOUND : STN_MISS_IO, a->text);
}

static void deliver_copy(open_fetch *o, const stn_http_answer *a)
{
    uint8_t *copy = a->outcome == STN_HTTP_BODY ? malloc(a->len + 1) : NULL;
    o->requested = false;
    if (a->outcome == STN_HTTP_BODY && !copy) {
        answer_miss(o, STN_MISS_IO, "out of memory");
        return;
    }
    if (copy && a->len)
        memcpy(copy, a->data, a->len);
    deliver(o, a, copy);
}

static void on_http(void *ctx, uint64_t token, const stn_http_answer *a)
{
    stn_sources *s = ctx;
    open_fetch *o = stn_table_get(s->open, token);
    if (!o) {
        free(a->data);
        return;
    }
    open_fetch *list = o->followers;
    o->followers = NULL;
    while (list) {
        open_fetch *f = list;
        list = f->next_follower;
        f->leader = f->next_follower = NULL;
        deliver_copy(f, a);
    }
    deliver(o, a, a->data);
}

/* The same request in flight: same source, name and version asked for. A reload never shares one, which may
 * have been answered before what it is to see was written. */
static open_fetch *find_leader(const open_fetch *o)
{
    size_t it = 0;
    uint64_t id;
    void *v;
    while (!o->f.reload && stn_table_next(o->all->open, &it, &id, &v)) {
        open_fetch *other = v;
        if (other != o && other->requested && !other->leader && other->f.source == o->f.source &&
            other->f.ask == o->f.ask && strcmp(other->name, o->name) == 0)
            return other;
    }
    return NULL;
}

static void follow(open_fetch *o, open_fetch *leader)
{
    o->requested = true;
    o->leader = leader;
    o->next_follower = leader->followers;
    leader->followers = o;
    if (o->f.prio > leader->f.prio)
        stn_http_raise(o->all->http, leader->f.id, o->f.prio);
}

static void request(open_fetch *o)
{
    stn_sources *s = o->all;
    const source *src = &s->sources[o->f.source];
    stn_buf url = {0};
    stn_err err = {0};
    open_fetch *leader = find_leader(o);
    if (leader) {
        follow(o, leader);
        return;
    }
    stn_status st = stn_url_of(&s->bases[src->base], o->name, o->f.ask, src->versioned, &url, &err);
    o->requested = true;
    if (st == STN_OK)
        st = stn_http_get(s->http, (const char *)url.data, src->versioned ? -1 : o->f.ask, o->f.prio, on_http,
                          s, o->f.id, &err);
    stn_buf_fini(&url);
    if (st != STN_OK)
        answer_miss(o, STN_MISS_IO, err.text);
}

static void dispatch(open_fetch *o)
{
    stn_sources *s = o->all;
    switch (s->sources[o->f.source].kind) {
    case SRC_DIR:
        give_job(o, STN_JOB_DIR, NULL, 0);
        break;
    case SRC_PACK:
        if (s->sources[o->f.source].pack_count)
            give_job(o, STN_JOB_PACK, NULL, 0);
        else
            answer_miss(o, STN_MISS_NOT_FOUND, "no such pack");
        break;
    case SRC_DISK:
        if (s->disk)
            give_job(o, STN_JOB_DISK, NULL, 0);
        else
            answer_miss(o, STN_MISS_NOT_FOUND, s->trouble);
        break;
    case SRC_HTTP:
        if (s->url)
            request(o);
        else
            answer_miss(o, STN_MISS_IO,
                        "no resource server is known: is homestead running? else give --resurl");
        break;
    case SRC_NONE:
        answer_miss(o, STN_MISS_NOT_FOUND, "not configured");
        break;
    }
}

/* The layers that a reload never changes, as the object has them now. */
static stn_status old_code(const stn_object *object, stn_buf *out, stn_err *err)
{
    const stn_payload *p = stn_object_payload(object);
    Stenness__Ready *ready = stenness__ready__unpack(NULL, p->body_len, p->body);
    stn_wire_span spans[STN_WIRE_FRAMES];
    stn_wire *wire = NULL;
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
        spans[i] = (stn_wire_span){stn_frame_data(p->frames[i]), stn_frame_len(p->frames[i])};
    stn_status st = ready ? stn_wire_open(ready, spans, STN_WIRE_FRAMES, &wire, err)
                          : stn_fail(err, STN_NO_MEMORY, "reload");
    if (st == STN_OK)
        st = stn_decode_code_records(wire, out, err);
    stn_wire_free(wire);
    if (ready)
        stenness__ready__free_unpacked(ready, NULL);
    return st;
}

static bool needs_url(const stn_sources *s, source_kind kind)
{
    return s->follow && !s->url && (kind == SRC_HTTP || kind == SRC_DISK);
}

void stn_sources_fetch(stn_sources *s, const stn_fetch *f, bool judge_only)
{
    stn_err err = {0};
    open_fetch *o = calloc(1, sizeof *o);
    char *name = strdup(f->name);
    if (!o || !name || !stn_table_put(s->open, f->id, o, NULL)) {
        stn_fetched got = {.miss = STN_MISS_IO, .text = "out of memory", .version = -1};
        free(o);
        free(name);
        s->hooks.answered(s->hooks.ctx, f->id, f->source, &got, f->name, "");
        return;
    }
    o->all = s;
    o->f = *f;
    o->f.name = o->name = name;
    o->judge_only = judge_only;
    if (f->reload && !judge_only && old_code(f->reload, &o->code, &err) != STN_OK) {
        answer_miss(o, STN_MISS_IO, err.text);
        return;
    }
    if (needs_url(s, s->sources[f->source].kind)) {
        o->deadline_ns = stn_clock_ns() + STN_SOURCES_URL_NS;
        o->next_parked = s->parked;
        s->parked = o;
        return;
    }
    dispatch(o);
}

void stn_sources_raise(stn_sources *s, uint64_t fetch, int prio)
{
    open_fetch *o = stn_table_get(s->open, fetch);
    if (!o)
        return;
    o->f.prio = prio;
    if (o->requested && o->leader && prio > o->leader->f.prio)
        stn_http_raise(s->http, o->leader->f.id, prio);
    else if (o->requested && !o->leader)
        stn_http_raise(s->http, fetch, prio);
}

void stn_sources_drop_cached(stn_sources *s, const char *name)
{
    stn_job *job = s->disk ? stn_job_new(STN_JOB_DROP, name, STN_PRIO_MAX) : NULL;
    if (!job)
        return;
    job->disk = s->disk;
    if (!stn_workers_give(s->workers, job))
        stn_job_free(job);
}

bool stn_sources_is_stored(const stn_sources *s, unsigned src)
{
    return src < STN_ASKS_SOURCES_MAX &&
           (s->sources[src].kind == SRC_DISK || s->sources[src].kind == SRC_HTTP);
}

/* ---- the server ---- */

/* Parked fetches go on when the URL is known, or their time is over. */
static void unpark(stn_sources *s)
{
    int64_t now = stn_clock_ns();
    open_fetch *list = s->parked;
    s->parked = NULL;
    while (list) {
        open_fetch *o = list;
        list = o->next_parked;
        if (s->url || now >= o->deadline_ns) {
            dispatch(o);
        } else {
            o->next_parked = s->parked;
            s->parked = o;
        }
    }
}

static void open_disk(stn_sources *s)
{
    stn_err err = {0};
    s->trouble[0] = 0;
    if (!s->cache_dir) {
        snprintf(s->trouble, sizeof s->trouble, "switched off");
        return;
    }
    if (stn_diskcache_open(s->cache_dir, s->identity, s->cache_cap, &s->disk, &err) != STN_OK) {
        snprintf(s->trouble, sizeof s->trouble, "%s", err.text);
        stn_log_warn("no disk cache: %s", err.text);
        return;
    }
    stn_log_info("disk cache %s, identity %s", s->cache_dir, s->identity);
}

/* Requests at the old server's address are made again at the new one. */
static void ask_again(stn_sources *s)
{
    size_t it = 0, n = 0, cap = stn_table_count(s->open);
    uint64_t id;
    void *v;
    open_fetch **list = calloc(cap + 1, sizeof *list);
    if (!list)
        return;
    while (stn_table_next(s->open, &it, &id, &v))
        if (((open_fetch *)v)->requested)
            list[n++] = v;
    for (size_t i = 0; i < n; i++) {
        if (!list[i]->leader)
            stn_http_cancel(s->http, list[i]->f.id);
        list[i]->requested = false;
        list[i]->leader = list[i]->followers = list[i]->next_follower = NULL;
    }
    for (size_t i = 0; i < n; i++)
        request(list[i]);
    free(list);
}

static stn_status set_url(stn_sources *s, const char *url, const char *identity, stn_err *err)
{
    stn_url_base base;
    bool had = s->url != NULL;
    stn_status st = stn_url_base_init(&base, url, err);
    if (st != STN_OK)
        return st;
    bool version_cache = strcmp(base.host, VERSION_CACHE_HOST) == 0;
    if (base.credentials) {
        stn_url_base_fini(&base);
        return stn_fail(err, STN_USAGE,
                        "resource URL: a user or password in it is refused; leave out the part before @");
    }
    const char *id = s->identity_option ? s->identity_option
                     : identity         ? identity
                     : version_cache    ? VERSION_CACHE_FALLBACK
                                        : url;
    char *url_copy = strdup(url), *id_copy = strdup(id);
    if (!url_copy || !id_copy) {
        free(url_copy);
        free(id_copy);
        stn_url_base_fini(&base);
        return stn_fail(err, STN_NO_MEMORY, "resource URL");
    }
    stn_url_base_fini(&s->bases[0]);
    s->bases[0] = base;
    s->base_count = version_cache ? 2 : 1;
    free(s->url);
    s->url = url_copy;
    stn_log_info("resources from %s", url);
    if (!s->identity || strcmp(s->identity, id_copy) != 0) {
        if (s->disk && s->old_count < sizeof s->old_disks / sizeof *s->old_disks)
            s->old_disks[s->old_count++] = s->disk;
        else if (s->disk)
            stn_log_warn(
                "a server changed its address over %u times; the disk cache stays with the last identity",
                s->old_count);
        if (s->old_count < sizeof s->old_disks / sizeof *s->old_disks || !s->disk) {
            s->disk = NULL;
            free(s->identity);
            s->identity = id_copy;
            id_copy = NULL;
            open_disk(s);
            sweep(s);
        }
    }
    free(id_copy);
    if (had)
        ask_again(s);
    s->hooks.server_changed(s->hooks.ctx);
    return STN_OK;
}

static void on_watch(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_sources *s = ctx;
    stn_err err = {0};
    char *url = NULL, *identity = NULL;
    (void)turn;
    stn_timer_in(timer, WATCH_NS);
    stn_status st = stn_url_file_read(s->watch_file, &url, &identity, &err);
    if (st == STN_OK && (!s->url || strcmp(url, s->url) != 0))
        st = set_url(s, url, identity, &err);
    if (st != STN_OK && st != STN_NOT_FOUND)
        stn_log_debug("%s: %s", s->watch_file,
                      err.text); /* perhaps half of another writer's: read again soon */
    free(url);
    free(identity);
    unpark(s);
}

/* ---- setting up ---- */

static bool add(stn_sources *s, stn_asks *asks, unsigned pool, const char *id, source_kind kind, source **out)
{
    int n = stn_asks_add_source(asks, pool, id);
    if (n < 0)
        return false;
    s->sources[n].kind = kind;
    s->sources[n].id = id;
    if (out)
        *out = &s->sources[n];
    return true;
}

static void open_pack(source *src, const char *path, const char *prefix, bool must)
{
    stn_err err = {0};
    stn_packsource *p;
    if (src->pack_count == PACKS_MAX)
        return;
    if (stn_packsource_open(path, prefix, &p, &err) == STN_OK) {
        src->packs[src->pack_count++] = p;
        stn_log_info("pack %s%s%s", path, *prefix ? " under " : "", prefix);
    } else if (must || err.code != STN_NOT_FOUND) {
        stn_log_warn("%s", err.text);
    }
}

/* A named pack in the first of the folders that has it. */
static void seek_pack(source *src, const char *packs, const char *file, const char *prefix)
{
    char data[1024], path[2048];
    stn_folder(STN_FOLDER_DATA, "packs", data, sizeof data, NULL);
    const char *folders[] = {packs, data, "/usr/local/share/stenness/packs", "/usr/share/stenness/packs"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders && src->pack_count == 0; i++) {
        if (!*folders[i])
            continue;
        snprintf(path, sizeof path, "%s/%s", folders[i], file);
        if (access(path, F_OK) == 0)
            open_pack(src, path, prefix, true);
    }
}

static void open_given_packs(source *src, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        char *path = strndup(list, n);
        if (path && n) {
            open_pack(src, path, "res/", true);
            open_pack(src, path, "", true);
        }
        free(path);
        list += n + (list[n] == ',');
    }
}

static stn_status add_sources(stn_sources *s, stn_asks *asks, const stn_sources_opts *o, stn_err *err)
{
    source *builtin, *pack, *preload, *cpack, *http, *proxy;
    bool version_cache = false;
    stn_url_base base = {0};
    if (s->network && !s->follow && stn_url_base_init(&base, o->resurl, err) != STN_OK)
        return err->code;
    version_cache = base.host && strcmp(base.host, VERSION_CACHE_HOST) == 0;
    stn_url_base_fini(&base);
    int local = stn_asks_add_pool(asks, "local", -1, SLOTS_LOCAL);
    int remote = local < 0 ? -1 : stn_asks_add_pool(asks, "remote", local, SLOTS_REMOTE);
    if (remote < 0)
        return stn_fail(err, STN_NO_MEMORY, "resource pools");
    unsigned l = (unsigned)local, r = s->remote = (unsigned)remote;
    bool ok = add(s, asks, l, "builtin", SRC_PACK, &builtin) &&
              (!s->dir || add(s, asks, l, "resdir", SRC_DIR, NULL)) &&
              add(s, asks, l, "pack", SRC_PACK, &pack) && add(s, asks, r, "preload", SRC_PACK, &preload) &&
              add(s, asks, r, "cpack", SRC_PACK, &cpack) &&
              (!s->cache_dir || add(s, asks, r, "disk", SRC_DISK, NULL));
    if (ok && s->network && version_cache) {
        ok = add(s, asks, r, "cdn", SRC_HTTP, &http) && add(s, asks, r, "proxy", SRC_HTTP, &proxy);
        if (ok) {
            http->versioned = true;
            proxy->base = 1;
        }
        if (ok && stn_url_base_init(&s->bases[1], VERSION_CACHE_FALLBACK, err) != STN_OK)
            return err->code;
    } else if (ok && s->network) {
        ok = add(s, asks, r, "http", SRC_HTTP, &http);
    }
    if (!ok)
        return stn_fail(err, STN_NO_MEMORY, "resource sources");
    seek_pack(builtin, o->packs, "builtin-res.jar", "res/");
    seek_pack(preload, o->packs, "hafen-res.jar", "res-preload/");
    seek_pack(cpack, o->packs, "brodgar-res.jar", "brodgar-res/");
    open_given_packs(pack, o->pack);
    return STN_OK;
}

static stn_status set_up(stn_sources *s, stn_asks *asks, const stn_sources_opts *o, stn_err *err)
{
    stn_status st;
    s->network = strcmp(o->resurl, "none") != 0;
    s->follow = s->network && !*o->resurl;
    s->cache_cap = o->cache_cap;
    s->open = stn_table_new();
    s->identity_option = *o->identity ? strdup(o->identity) : NULL;
    s->watch_file = strdup(o->watch_file);
    if (!s->open || !s->watch_file || (*o->identity && !s->identity_option))
        return stn_fail(err, STN_NO_MEMORY, "resource sources");
    if (*o->resdir) {
        stn_err why = {0};
        if (stn_dirsource_open(o->resdir, &s->dir, &why) != STN_OK)
            stn_log_warn("left out: %s", why.text);
    }
    if ((st = stn_diskcache_dir(o->cache, &s->cache_dir, err)) != STN_OK ||
        (st = add_sources(s, asks, o, err)) != STN_OK ||
        (st = stn_workers_new(s->loop, &o->workers, on_job, s, &s->workers, err)) != STN_OK ||
        (st = stn_http_new(s->loop, &o->http, &s->http, err)) != STN_OK)
        return st;
    if (s->follow) {
        s->watch = stn_timer_new(s->loop, "sources.url", on_watch, s);
        if (!s->watch)
            return stn_fail(err, STN_NO_MEMORY, "resource sources");
        stn_timer_in(s->watch, 0);
        return STN_OK;
    }
    if (s->network)
        return set_url(s, o->resurl, NULL, err);
    s->identity = strdup(s->identity_option ? s->identity_option : DEFAULT_IDENTITY);
    if (!s->identity)
        return stn_fail(err, STN_NO_MEMORY, "resource sources");
    open_disk(s);
    sweep(s);
    return STN_OK;
}

stn_status stn_sources_new(stn_loop *loop, stn_asks *asks, const stn_sources_opts *opts,
                           const stn_sources_hooks *hooks, stn_sources **out, stn_err *err)
{
    stn_sources *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return stn_fail(err, STN_NO_MEMORY, "resource sources");
    s->loop = loop;
    s->hooks = *hooks;
    stn_status st = set_up(s, asks, opts, err);
    if (st != STN_OK) {
        stn_sources_free(s);
        return st;
    }
    *out = s;
    return STN_OK;
}

void stn_sources_free(stn_sources *s)
{
    if (!s)
        return;
    size_t it = 0;
    uint64_t id;
    void *v;
    stn_http_free(s->http);
    stn_workers_free(s->workers);
    stn_timer_free(s->watch);
    while (s->open && stn_table_next(s->open, &it, &id, &v)) {
        open_fetch *o = v;
        stn_buf_fini(&o->code);
        free(o->name);
        free(o);
    }
    stn_table_free(s->open);
    for (unsigned i = 0; i < STN_ASKS_SOURCES_MAX; i++)
        for (size_t k = 0; k < s->sources[i].pack_count; k++)
            stn_packsource_free(s->sources[i].packs[k]);
    for (unsigned i = 0; i < BASES_MAX; i++)
        stn_url_base_fini(&s->bases[i]);
    stn_dirsource_free(s->dir);
    stn_diskcache_free(s->disk);
    for (unsigned i = 0; i < s->old_count; i++)
        stn_diskcache_free(s->old_disks[i]);
    free(s->url);
    free(s->identity);
    free(s->identity_option);
    free(s->cache_dir);
    free(s->watch_file);
    free(s);
}

unsigned stn_sources_remote_pool(const stn_sources *s)
{
    return s->remote;
}

const char *stn_sources_url(const stn_sources *s)
{
    return s->url ? s->url : "";
}

bool stn_sources_has_network(const stn_sources *s)
{
    return s->network;
}

stn_http *stn_sources_http(const stn_sources *s)
{
    return s->http;
}

stn_workers *stn_sources_workers(const stn_sources *s)
{
    return s->workers;
}

stn_diskcache_sum stn_sources_cache_sum(const stn_sources *s)
{
    return s->sum;
}

const char *stn_sources_cache_trouble(const stn_sources *s)
{
    return s->trouble;
}
