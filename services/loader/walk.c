/* walk.c - the walks of ask.h: a pool's sources one after the other, the slots, reloads, and what is cached.
 */
#include "loader/ask_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stn_asks_answer(stn_asks *a, uint64_t fetch, const stn_fetched *got)
{
    walk *w = stn_table_get(a->walks, fetch);
    if (!w || w->answered) {
        if (got->miss == STN_MISS_NONE)
            a->hooks.drop(a->hooks.ctx, got->payload);
        return;
    }
    w->answered = true;
    w->answer.miss = got->miss;
    w->answer.version = got->version;
    w->answer.payload = got->payload;
    w->answer.bytes = got->bytes;
    stn_miss_say(w->answer.text, got->text);
    w->next_answered = NULL;
    *a->answered_end = w;
    a->answered_end = &w->next_answered;
}

static void walk_free(stn_asks *a, walk *w)
{
    if (w->answered && w->answer.miss == STN_MISS_NONE && w->answer.payload)
        a->hooks.drop(a->hooks.ctx, w->answer.payload);
    stn_miss_unref(w->chain);
    free(w);
}

static void walk_end(stn_asks *a, walk *w, bool good)
{
    stn_table_remove(a->walks, w->fetch.id);
    if (w->ask) {
        stn_asking *n = w->ask;
        w->pool->flying--;
        stn_asking_end(a, n, good ? ASK_OK : ASK_FAILED);
        stn_asking_unref(a, n);
    } else {
        stn_object *o = w->object;
        stn_table_remove(a->reloads, stn_object_id(o));
        if (a->hooks.reloaded)
            a->hooks.reloaded(a->hooks.ctx, o, good, w->chain);
        stn_object_release(a->objects, o);
    }
    walk_free(a, w);
}

static void walk_fetch(stn_asks *a, walk *w)
{
    w->answered = false;
    w->fetch.source = w->pool->sources[w->at];
    /* A reload asks without a version, so that a version cache gives its latest as it would to anybody; the
     * answer must be of the object's own version all the same. */
    w->fetch.name = w->ask ? w->ask->name : stn_object_name(w->object);
    w->fetch.ask = w->ask ? w->ask->want : -1;
    w->fetch.want = w->ask ? w->ask->want : stn_object_version(w->object);
    w->fetch.prio = w->ask ? w->ask->q.prio : 0;
    w->fetch.reload = w->object;
    a->hooks.fetch(a->hooks.ctx, &w->fetch);
}

/* A walk with a number of its own, entered in the table. NULL: out of memory. */
static walk *walk_new(stn_asks *a, pool *p)
{
    walk *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->fetch.id = ++a->last_id;
    w->pool = p;
    if (!stn_table_put(a->walks, w->fetch.id, w, NULL)) {
        free(w);
        return NULL;
    }
    return w;
}

/* Takes over the queue's reference to n. */
static void walk_start(stn_asks *a, stn_asking *n)
{
    walk *w = n->pool->source_count ? walk_new(a, n->pool) : NULL;
    if (!w) {
        if (n->pool->source_count) {
            stn_miss *f = stn_miss_push(n->chain, "", STN_MISS_IO, "out of memory");
            n->chain = f ? f : n->chain;
            n->found = true;
        }
        stn_asking_end(a, n, ASK_FAILED);
        stn_asking_unref(a, n);
        return;
    }
    w->ask = n;
    n->state = ASK_FLYING;
    n->fetch = w->fetch.id;
    n->pool->flying++;
    walk_fetch(a, w);
}

static void walk_failed(stn_asks *a, walk *w, stn_miss_kind kind, const char *text)
{
    stn_miss **chain = w->ask ? &w->ask->chain : &w->chain;
    const char *src = a->sources[w->pool->sources[w->at]].id;
    stn_miss *f = stn_miss_push(*chain, src, kind, text);
    if (f)
        *chain = f; /* without memory the record is missing, the rest stays right */
    if (w->ask && !stn_miss_soft(kind))
        w->ask->found = true;
    if (++w->at < w->pool->source_count)
        walk_fetch(a, w);
    else
        walk_end(a, w, false);
}

static void walk_good(stn_asks *a, walk *w)
{
    unsigned src = w->pool->sources[w->at];
    void *payload = w->answer.payload;
    size_t bytes = w->answer.bytes;
    w->answer.payload = NULL;
    if (w->ask) {
        stn_object *o = stn_object_new(a->objects, w->ask->name, w->answer.version, src, payload, bytes);
        if (!o) {
            walk_failed(a, w, STN_MISS_IO, "out of memory");
            return;
        }
        w->ask->object = o;
        walk_end(a, w, true);
        return;
    }
    if (w->answer.version != stn_object_version(w->object)) {
        char text[64];
        snprintf(text, sizeof text, "version %d, wanted %d", w->answer.version,
                 stn_object_version(w->object));
        a->hooks.drop(a->hooks.ctx, payload);
        walk_failed(a, w, STN_MISS_VERSION, text);
        return;
    }
    stn_object_set_payload(a->objects, w->object, payload, bytes);
    stn_object_set_used(w->object, false);
    walk_end(a, w, true);
}

static void take_answers(stn_asks *a)
{
    walk *w;
    while ((w = a->answered)) {
        a->answered = w->next_answered;
        if (!a->answered)
            a->answered_end = &a->answered;
        w->next_answered = NULL;
        if (w->answer.miss == STN_MISS_NONE) {
            walk_good(a, w);
        } else {
            char text[STN_MISS_TEXT]; /* the walk's own may be written by an answer within the next fetch */
            memcpy(text, w->answer.text, sizeof text);
            walk_failed(a, w, w->answer.miss, text);
        }
    }
}

static bool fill_slots(stn_asks *a)
{
    bool any = false;
    for (unsigned i = 0; i < a->pool_count; i++) {
        pool *p = &a->pools[i];
        while (p->flying < p->slots) {
            stn_asking *n = (stn_asking *)(void *)stn_queue_pop(&p->queue);
            if (!n)
                break;
            walk_start(a, n);
            any = true;
        }
    }
    return any;
}

static bool tell_ended(stn_asks *a)
{
    bool any = false;
    stn_asking *n;
    while ((n = a->ended)) {
        a->ended = n->next_ended;
        if (!a->ended)
            a->last_ended = NULL;
        n->next_ended = NULL;
        if (a->hooks.ended)
            a->hooks.ended(a->hooks.ctx, n);
        stn_asking_unref(a, n);
        any = true;
    }
    return any;
}

void stn_asks_run(stn_asks *a)
{
    if (a->running)
        return; /* called from a hook: the loop below goes on anyway */
    a->running = true;
    bool more;
    do {
        take_answers(a);
        more = fill_slots(a);
        more |= tell_ended(a);
    } while (more || a->answered);
    stn_asks_keep_budget(a);
    a->running = false;
}

bool stn_asks_reload(stn_asks *a, stn_object *o)
{
    if (stn_table_get(a->reloads, stn_object_id(o)))
        return true;
    walk *w = walk_new(a, a->sources[stn_object_source(o)].pool);
    if (!w)
        return false;
    if (!stn_table_put(a->reloads, stn_object_id(o), w, NULL)) {
        stn_table_remove(a->walks, w->fetch.id);
        free(w);
        return false;
    }
    w->object = o;
    stn_object_hold(a->objects, o);
    walk_fetch(a, w);
    return true;
}

/* ---- what is cached ---- */

stn_object *stn_asks_peek(const stn_asks *a, unsigned pool_nr, const char *name)
{
    for (const pool *p = pool_nr < a->pool_count ? &a->pools[pool_nr] : NULL; p; p = p->parent) {
        stn_object *o = stn_names_get(p->cache, name);
        if (o)
            return o;
    }
    return NULL;
}

stn_object *stn_asks_object(const stn_asks *a, uint64_t id)
{
    return stn_objects_find(a->objects, id);
}

stn_objects *stn_asks_objects(stn_asks *a)
{
    return a->objects;
}

/* True when a pool between the first one and (not including) p caches the same object. */
static bool cached_before(const pool *first, const pool *p, const stn_object *o)
{
    for (; first != p; first = first->parent)
        if (stn_names_get(first->cache, stn_object_name(o)) == o)
            return true;
    return false;
}

void stn_asks_each(const stn_asks *a, unsigned pool_nr, void (*fn)(void *ctx, stn_object *o), void *ctx)
{
    const pool *first = pool_nr < a->pool_count ? &a->pools[pool_nr] : NULL;
    for (const pool *p = first; p; p = p->parent) {
        size_t it = 0;
        const char *name;
        void *o;
        while (stn_names_next(p->cache, &it, &name, &o))
            if (!cached_before(first, p, o))
                fn(ctx, o);
    }
}

void stn_asks_evict(stn_asks *a, unsigned pool_nr, const char *name)
{
    pool *p = &a->pools[pool_nr];
    stn_object *o = pool_nr < a->pool_count ? stn_names_get(p->cache, name) : NULL;
    if (o)
        stn_asks_cache_drop(a, p, o);
}

stn_asks_counts stn_asks_count(const stn_asks *a, unsigned pool_nr)
{
    stn_asks_counts c = {.failed = a->failed_count};
    for (const pool *p = pool_nr < a->pool_count ? &a->pools[pool_nr] : NULL; p; p = p->parent) {
        c.queued += p->queue.len;
        c.flying += p->flying;
        c.loaded += stn_names_count(p->cache);
    }
    return c;
}

size_t stn_asks_open(const stn_asks *a)
{
    return a->open_count;
}

/* ---- the end ---- */

/* The engine's own references of everything: what a caller still references stays as memory that is never
 * freed by the engine, so callers let go first (see ask.h). */
static void pool_fini(stn_asks *a, pool *p)
{
    stn_queued *q;
    while ((q = stn_queue_pop(&p->queue)))
        stn_asking_unref(a, (stn_asking *)(void *)q);
    stn_queue_fini(&p->queue);
}

static void drop_dependents(stn_asks *a, stn_asking *root)
{
    /* Depth first without recursion: a dependent's own list is put in front of the rest. */
    stn_asking *list = NULL;
    for (stn_asking *n = root;;) {
        if (n->dependents) {
            n->last_dependent->next_dependent = list;
            list = n->dependents;
            n->dependents = n->last_dependent = NULL;
        }
        if (n != root)
            stn_asking_unref(a, n);
        if (!list)
            break;
        n = list;
        list = n->next_dependent;
        n->waits_on = NULL;
    }
}

void stn_asks_free(stn_asks *a)
{
    if (!a)
        return;
    size_t it;
    uint64_t key;
    const char *name;
    void *v;
    for (it = 0; a->walks && stn_table_next(a->walks, &it, &key, &v);) {
        walk *w = v;
        if (w->ask) {
            drop_dependents(a, w->ask);
            stn_asking_unref(a, w->ask);
        }
        walk_free(a, w);
    }
    for (unsigned i = 0; i < a->pool_count; i++)
        for (size_t k = 0; k < a->pools[i].queue.len; k++)
            drop_dependents(a, (stn_asking *)(void *)a->pools[i].queue.heap[k]);
    for (unsigned i = 0; i < a->pool_count; i++)
        pool_fini(a, &a->pools[i]);
    while (a->ended) {
        stn_asking *n = a->ended;
        a->ended = n->next_ended;
        stn_asking_unref(a, n);
    }
    for (unsigned i = 0; i < a->pool_count; i++) {
        for (it = 0; a->pools[i].entries && stn_names_next(a->pools[i].entries, &it, &name, &v);)
            stn_asking_unref(a, v);
        stn_names_free(a->pools[i].entries);
        stn_names_free(a->pools[i].cache);
    }
    stn_table_free(a->walks);
    stn_table_free(a->reloads);
    stn_objects_free(a->objects);
    free(a);
}
