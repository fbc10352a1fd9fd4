#include "loader/ask_private.h"

#include "loader/resname.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

stn_asks *stn_asks_new(const stn_asks_hooks *hooks, size_t budget_bytes)
{
    stn_asks *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->hooks = *hooks;
    a->answered_end = &a->answered;
    a->objects = stn_objects_new(budget_bytes, hooks->drop, hooks->ctx);
    a->walks = stn_table_new();
    a->reloads = stn_table_new();
    if (!a->objects || !a->walks || !a->reloads) {
        stn_asks_free(a);
        return NULL;
    }
    return a;
}

int stn_asks_add_pool(stn_asks *a, const char *id, int parent, unsigned slots)
{
    if (a->pool_count == STN_ASKS_POOLS_MAX || parent >= (int)a->pool_count)
        return -1;
    pool *p = &a->pools[a->pool_count];
    p->id = id;
    p->parent = parent < 0 ? NULL : &a->pools[parent];
    p->slots = slots ? slots : 1;
    p->entries = stn_names_new();
    p->cache = stn_names_new();
    a->pool_count++; /* counted also on failure, so that stn_asks_free() finds both */
    return p->entries && p->cache ? (int)a->pool_count - 1 : -1;
}

int stn_asks_add_source(stn_asks *a, unsigned pool_nr, const char *id)
{
    pool *p = &a->pools[pool_nr];
    if (pool_nr >= a->pool_count || a->source_count == STN_ASKS_SOURCES_MAX)
        return -1;
    a->sources[a->source_count] = (source){.id = id, .pool = p};
    p->sources[p->source_count++] = a->source_count;
    return (int)a->source_count++;
}

int stn_asks_find_pool(const stn_asks *a, const char *id)
{
    for (unsigned i = 0; i < a->pool_count; i++)
        if (strcmp(a->pools[i].id, id) == 0)
            return (int)i;
    return -1;
}

const char *stn_asks_source_id(const stn_asks *a, unsigned s)
{
    return s < a->source_count ? a->sources[s].id : "";
}

unsigned stn_asks_source_pool(const stn_asks *a, unsigned s)
{
    return s < a->source_count ? (unsigned)(a->sources[s].pool - a->pools) : 0;
}

/* ---- asks: memory ---- */

static void unheard_set(stn_asks *a, stn_asking *n, stn_asking *to)
{
    stn_asking *old = n->unheard;
    n->unheard = to;
    if (to)
        to->refs++;
    if (old)
        stn_asking_unref(a, old);
}

static stn_asking *ask_new(stn_asks *a, pool *p, const char *name, int want, int prio)
{
    stn_asking *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->name = strdup(name);
    /* Every live ask of the pool has its place in the queue, so that queueing cannot fail later. */
    if (!n->name || !stn_queue_reserve(&p->queue, (size_t)p->live + 1)) {
        free(n->name);
        free(n);
        return NULL;
    }
    n->id = ++a->last_id;
    n->pool = p;
    n->want = want;
    n->q.prio = prio;
    n->refs = 1;
    n->state = ASK_WAITING;
    p->live++;
    a->open_count++;
    return n;
}

void stn_asking_ref(stn_asking *n)
{
    n->refs++;
}

/* The last reference of an ask goes only when it is final: until then its place in the queue, its walk or the
 * list of the ask it waits on holds it. A loop, since each `unheard` may end the next. */
void stn_asking_unref(stn_asks *a, stn_asking *n)
{
    while (n && --n->refs == 0) {
        stn_asking *next = n->unheard;
        if (n->object)
            stn_object_release(a->objects, n->object);
        stn_miss_unref(n->chain);
        n->pool->live--;
        free(n->name);
        free(n);
        n = next;
    }
}

static void depend(stn_asking *n, stn_asking *on)
{
    n->refs++;
    n->state = ASK_WAITING;
    n->waits_on = on;
    n->prev_dependent = on->last_dependent;
    *(on->last_dependent ? &on->last_dependent->next_dependent : &on->dependents) = n;
    on->last_dependent = n;
}

/* Takes n out of the list it waits in; the list's reference goes to the caller. */
static void undepend(stn_asking *n)
{
    stn_asking *on = n->waits_on;
    *(n->prev_dependent ? &n->prev_dependent->next_dependent : &on->dependents) = n->next_dependent;
    *(n->next_dependent ? &n->next_dependent->prev_dependent : &on->last_dependent) = n->prev_dependent;
    n->next_dependent = n->prev_dependent = n->waits_on = NULL;
}

static void enqueue(stn_asking *n)
{
    n->refs++;
    n->state = ASK_QUEUED;
    stn_queue_push(&n->pool->queue, &n->q);
}

/* ---- the table of asks ---- */

static void failed_unlink(stn_asks *a, stn_asking *n)
{
    *(n->older_failed ? &n->older_failed->newer_failed : &a->oldest_failed) = n->newer_failed;
    *(n->newer_failed ? &n->newer_failed->older_failed : &a->newest_failed) = n->older_failed;
    n->older_failed = n->newer_failed = NULL;
    a->failed_count--;
}

static void entry_remove(stn_asks *a, stn_asking *n)
{
    stn_names_remove(n->pool->entries, n->name);
    if (n->state == ASK_FAILED)
        failed_unlink(a, n);
    stn_asking_unref(a, n);
}

/* Without memory for the entry the ask goes on all the same; it is only not joined and not remembered. */
static void entry_put(stn_asking *n)
{
    if (stn_names_put(n->pool->entries, n->name, n, NULL))
        n->refs++;
}

static bool is_entry(const stn_asking *n)
{
    return stn_names_get(n->pool->entries, n->name) == n;
}

static void remember_failure(stn_asks *a, stn_asking *n)
{
    n->older_failed = a->newest_failed;
    *(a->newest_failed ? &a->newest_failed->newer_failed : &a->oldest_failed) = n;
    a->newest_failed = n;
    a->failed_count++;
    if (a->failed_count > STN_ASKS_FAILED_MAX)
        entry_remove(a, a->oldest_failed);
}

/* ---- the memory cache ---- */

static void cache_put(stn_asks *a, pool *p, stn_object *o)
{
    stn_object *c = stn_names_get(p->cache, stn_object_name(o));
    /* An old walk that ends late must not put its object in the place of a newer one. */
    if (c == o || (c && stn_object_version(c) > stn_object_version(o)))
        return;
    if (!stn_names_put(p->cache, stn_object_name(o), o, NULL))
        return;
    stn_object_cached(a->objects, o);
    if (c)
        stn_object_uncached(a->objects, c);
}

void stn_asks_cache_drop(stn_asks *a, pool *p, stn_object *o)
{
    if (stn_names_get(p->cache, stn_object_name(o)) == o) {
        stn_names_remove(p->cache, stn_object_name(o));
        stn_object_uncached(a->objects, o);
    }
}

void stn_asks_keep_budget(stn_asks *a)
{
    stn_object *o;
    while ((o = stn_objects_over(a->objects))) {
        stn_object_hold(a->objects, o); /* or it would be gone after the first pool */
        for (unsigned i = 0; i < a->pool_count; i++)
            stn_asks_cache_drop(a, &a->pools[i], o);
        stn_object_release(a->objects, o);
    }
}

/* ---- ends ---- */

static void answered_by(stn_asks *a, stn_asking *n, stn_asking *by, stn_asking **ready);

static void finish(stn_asks *a, stn_asking *n, ask_state state, stn_asking **ready)
{
    n->state = state;
    a->open_count--;
    if (state == ASK_OK)
        stn_miss_unref(n->chain), n->chain = NULL;
    /* On the list of those whose dependents are still to be told; the reference is the list's. */
    n->refs++;
    n->next_ended = *ready;
    *ready = n;
    if (state == ASK_OK) {
        cache_put(a, n->pool, n->object);
        if (is_entry(n))
            entry_remove(a, n);
    } else if (is_entry(n)) {
        remember_failure(a, n);
    }
}

/* Tells the dependents of every ask on the list, and theirs. A list instead of recursion: a chain of
 * superseded asks can be tens of thousands long. */
static void settle(stn_asks *a, stn_asking *ready)
{
    while (ready) {
        stn_asking *n = ready;
        ready = n->next_ended;
        n->next_ended = NULL;
        stn_asking *d;
        while ((d = n->dependents)) {
            undepend(d);
            answered_by(a, d, n, &ready);
            stn_asking_unref(a, d);
        }
        *(a->last_ended ? &a->last_ended->next_ended : &a->ended) = n;
        a->last_ended = n;
    }
}

void stn_asking_end(stn_asks *a, stn_asking *n, ask_state state)
{
    stn_asking *ready = NULL;
    finish(a, n, state, &ready);
    settle(a, ready);
}

/* `by`, a parent's ask or the one that superseded n, is final (section 2.4). */
static void answered_by(stn_asks *a, stn_asking *n, stn_asking *by, stn_asking **ready)
{
    if (by->state != ASK_OK && n->unheard && by != n->unheard) {
        stn_asking *p = n->unheard;
        if (p->state != ASK_OK && p->state != ASK_FAILED) {
            depend(n, p);
            unheard_set(a, n, NULL);
            return;
        }
        by = p;
    }
    if (by->state == ASK_OK) {
        n->object = by->object;
        stn_object_hold(a->objects, n->object);
        finish(a, n, ASK_OK, ready);
    } else {
        stn_miss_unref(n->chain);
        n->chain = stn_miss_ref(by->chain);
        enqueue(n);
    }
    unheard_set(a, n, NULL);
}

/* ---- asking ---- */

static void raise_ask(stn_asks *a, stn_asking *n, int prio)
{
    for (; n; n = n->waits_on) {
        bool higher = prio > n->q.prio;
        stn_queue_raise(&n->pool->queue, &n->q, prio);
        if (higher && n->state == ASK_FLYING && a->hooks.raised)
            a->hooks.raised(a->hooks.ctx, n->fetch, prio);
    }
}

static void supersede(stn_asks *a, stn_asking *old, stn_asking *n, stn_asking **ready)
{
    if (old->waits_on) {
        stn_asking *on = old->waits_on;
        undepend(old);
        if (!old->unheard)
            unheard_set(a, old, on);
        stn_asking_unref(a, old); /* the caller holds another */
    }
    if (n->state == ASK_OK)
        answered_by(a, old, n, ready);
    else
        depend(old, n);
}

static stn_status ask_in(stn_asks *a, pool *p, const char *name, int want, int prio, stn_asked *out,
                         stn_err *err);

/* Section 2.3. `old` is the entry found in the table, or NULL. */
static stn_status ask_fresh(stn_asks *a, pool *p, const char *name, int want, int prio, stn_asking *old,
                            stn_asked *out, stn_err *err)
{
    stn_asked pr = {.kind = STN_ASKED_MISS};
    stn_asking *n = ask_new(a, p, name, want, prio);
    if (!n)
        return stn_fail(err, STN_NO_MEMORY, "ask for \"%s\"", name);
    if (p->parent) {
        stn_status st = ask_in(a, p->parent, name, want, prio, &pr, err);
        if (st != STN_OK || pr.kind == STN_ASKED_REFUSED) {
            /* Nothing in this pool changes: the pending ask stays, and so do those who wait for it. */
            a->open_count--;
            stn_asking_unref(a, n);
            *out = pr;
            return st;
        }
    }
    stn_asking *superseded = NULL;
    stn_asking *ready = NULL;
    if (old) {
        old->refs++;
        if (old->state == ASK_QUEUED || old->state == ASK_WAITING)
            superseded = old;
        entry_remove(a, old);
        if (old->state == ASK_QUEUED) {
            stn_queue_remove(&p->queue, &old->q);
            stn_asking_unref(a, old);
        }
    }
    if (!p->parent) {
        entry_put(n);
        enqueue(n);
    } else if (pr.kind == STN_ASKED_HIT) {
        /* Entered nowhere, and not cached here: the parent is asked again each time. */
        n->state = ASK_OK;
        n->object = pr.object;
        stn_object_hold(a->objects, n->object);
        a->open_count--;
    } else {
        entry_put(n);
        if (pr.ask->state == ASK_FAILED)
            answered_by(a, n, pr.ask, &ready);
        else
            depend(n, pr.ask);
    }
    if (superseded)
        supersede(a, superseded, n, &ready);
    if (n->state == ASK_OK)
        *out = (stn_asked){.kind = STN_ASKED_HIT, .object = n->object};
    else
        *out = (stn_asked){.kind = STN_ASKED_ASK, .ask = n};
    settle(a, ready);
    if (old)
        stn_asking_unref(a, old);
    /* The object stays in the parent's cache, the ask in the table or on a list. */
    stn_asking_unref(a, n);
    return STN_OK;
}

static void refuse(stn_asked *out, int current, const char *src)
{
    *out = (stn_asked){.kind = STN_ASKED_REFUSED, .current = current, .source = src};
}

/* Sections 2.1 and 2.2. */
static stn_status ask_in(stn_asks *a, pool *p, const char *name, int want, int prio, stn_asked *out,
                         stn_err *err)
{
    stn_object *c = stn_names_get(p->cache, name);
    if (c && want <= stn_object_version(c)) {
        if (want >= 0 && want < stn_object_version(c)) {
            refuse(out, stn_object_version(c), a->sources[stn_object_source(c)].id);
        } else {
            stn_object_asked(a->objects, c);
            *out = (stn_asked){.kind = STN_ASKED_HIT, .object = c};
        }
        return STN_OK;
    }
    stn_asking *q = stn_names_get(p->entries, name);
    if (!q || want > q->want || (want < 0 && q->want >= 0 && q->state == ASK_FAILED))
        return ask_fresh(a, p, name, want, prio, q, out, err);
    if (want >= 0 && want < q->want) {
        refuse(out, q->want, NULL);
        return STN_OK;
    }
    raise_ask(a, q, prio);
    *out = (stn_asked){.kind = STN_ASKED_ASK, .ask = q};
    return STN_OK;
}

stn_status stn_asks_ask(stn_asks *a, unsigned pool_nr, const char *name, int want, int prio, stn_asked *out,
                        stn_err *err)
{
    *out = (stn_asked){.kind = STN_ASKED_MISS, .miss = STN_MISS_NAME};
    if (!stn_version_valid(want))
        return stn_fail(err, STN_USAGE, "ask for version %d: -1 (any) or 0 to 65535 expected", want);
    if (pool_nr >= a->pool_count)
        return stn_fail(err, STN_USAGE, "ask of pool %u of %u", pool_nr, a->pool_count);
    stn_err why = {0};
    if (stn_resname_check(name, strlen(name), &why) != STN_OK) {
        stn_miss_say(out->text, why.text);
        return STN_OK;
    }
    if (a->open_count >= STN_ASKS_OPEN_MAX) {
        out->miss = STN_MISS_OVERLOAD;
        snprintf(out->text, sizeof out->text, "%zu asks are open; ask again later", a->open_count);
        return STN_OK;
    }
    prio = prio < STN_PRIO_MIN ? STN_PRIO_MIN : prio > STN_PRIO_MAX ? STN_PRIO_MAX : prio;
    return ask_in(a, &a->pools[pool_nr], name, want, prio, out, err);
}

void stn_asks_boost(stn_asks *a, stn_asking *n, int prio)
{
    if (n->state != ASK_OK && n->state != ASK_FAILED)
        raise_ask(a, n, prio < STN_PRIO_MAX ? prio : STN_PRIO_MAX);
}

size_t stn_asks_forget(stn_asks *a, const char *name)
{
    size_t n = 0;
    if (!name) {
        for (; a->oldest_failed; n++)
            entry_remove(a, a->oldest_failed);
        return n;
    }
    for (unsigned i = 0; i < a->pool_count; i++) {
        stn_asking *e = stn_names_get(a->pools[i].entries, name);
        if (e && e->state == ASK_FAILED) {
            entry_remove(a, e);
            n++;
        }
    }
    return n;
}

uint64_t stn_asking_id(const stn_asking *n)
{
    return n->id;
}

bool stn_asking_final(const stn_asking *n)
{
    return n->state == ASK_OK || n->state == ASK_FAILED;
}

stn_object *stn_asking_object(const stn_asking *n)
{
    return n->object;
}

const char *stn_asking_name(const stn_asking *n)
{
    return n->name;
}

int stn_asking_want(const stn_asking *n)
{
    return n->want;
}

bool stn_asking_found(const stn_asking *n)
{
    return n->found;
}

stn_miss *stn_asking_chain(const stn_asking *n)
{
    return n->chain;
}
