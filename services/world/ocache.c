#include "world/ocache.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

typedef enum applier { APPLIER_NONE, APPLIER_QUEUED, APPLIER_PARKED } applier;

typedef struct record {
    int64_t id;
    int32_t frame; /* last accepted */
    bool nremoved, added, gremoved, is_virtual;
    bool forgotten; /* a newer record has its id; freed when its applier has run */
    bool prunable; /* was finished at the last prune */
    applier state;
    uint16_t parked_on;
    struct record *prev, *next; /* in the run queue or in a parked list */
    stn_gob *gob;
    uint8_t *pending; /* attributes: type, old, u16 length, bytes */
    size_t pending_len, pending_at, pending_cap;
    size_t n_pending;
} record;

typedef struct list {
    record *head, *tail;
} list;

struct stn_ocache {
    stn_ocache_hooks on;
    stn_gob_env env;
    stn_table *records; /* id -> record */
    stn_table *public; /* id -> stn_gob */
    stn_gob **gobs; /* the public objects */
    size_t n_gobs, cap_gobs;
    list run;
    list parked[65536]; /* by the resource they wait for */
    size_t n_parked;
    uint64_t instances, incarnations;
    stn_ocache_stats stats;
};

static void push(list *l, record *r)
{
    r->prev = l->tail;
    r->next = NULL;
    if (l->tail)
        l->tail->next = r;
    else
        l->head = r;
    l->tail = r;
}

static void unlink_from(list *l, record *r)
{
    if (r->prev)
        r->prev->next = r->next;
    else
        l->head = r->next;
    if (r->next)
        r->next->prev = r->prev;
    else
        l->tail = r->prev;
    r->prev = r->next = NULL;
}

stn_ocache *stn_ocache_new(const stn_ocache_hooks *hooks)
{
    stn_ocache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->on = *hooks;
    c->env = (stn_gob_env){
        .traits = hooks->traits, .disposed = hooks->disposed, .arg = hooks->arg, .instances = &c->instances};
    c->records = stn_table_new();
    c->public = stn_table_new();
    if (!c->records || !c->public) {
        stn_ocache_free(c);
        return NULL;
    }
    return c;
}

const stn_ocache_hooks *stn_ocache_hooks_of(const stn_ocache *c)
{
    return &c->on;
}

static void free_record(record *r)
{
    stn_gob_free(r->gob);
    free(r->pending);
    free(r);
}

void stn_ocache_free(stn_ocache *c)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    if (!c)
        return;
    /* Forgotten records are reachable through the run queue alone. */
    while (c->run.head) {
        record *r = c->run.head;
        unlink_from(&c->run, r);
        if (r->forgotten)
            free_record(r);
    }
    while (c->records && stn_table_next(c->records, &it, &key, &v))
        free_record(v);
    stn_table_free(c->records);
    stn_table_free(c->public);
    free(c->gobs);
    free(c);
}

/* ---- the public table */

static bool publish(stn_ocache *c, stn_gob *g)
{
    if (c->n_gobs == c->cap_gobs) {
        size_t cap = c->cap_gobs ? c->cap_gobs * 2 : 256;
        stn_gob **more = realloc(c->gobs, cap * sizeof(stn_gob *));
        if (!more)
            return false;
        c->gobs = more;
        c->cap_gobs = cap;
    }
    if (!stn_table_put(c->public, (uint64_t)g->id, g, NULL))
        return false;
    g->index = c->n_gobs;
    g->is_public = true;
    g->incarnation = ++c->incarnations;
    c->gobs[c->n_gobs++] = g;
    return true;
}

static void withdraw(stn_ocache *c, stn_gob *g)
{
    if (!g->is_public)
        return;
    stn_table_remove(c->public, (uint64_t)g->id);
    c->gobs[g->index] = c->gobs[--c->n_gobs];
    c->gobs[g->index]->index = g->index;
    g->is_public = false;
    if (c->on.removed)
        c->on.removed(c->on.arg, g);
}

/* ---- the network side (A1.1) */

static void check(stn_ocache *c, record *r, bool interrupt)
{
    if (r->state == APPLIER_NONE) {
        if (r->nremoved ? r->added && !r->gremoved : !r->added || r->n_pending > 0) {
            r->state = APPLIER_QUEUED;
            push(&c->run, r);
        }
    } else if (interrupt && r->state == APPLIER_PARKED) {
        unlink_from(&c->parked[r->parked_on], r);
        c->n_parked--;
        r->state = APPLIER_QUEUED;
        push(&c->run, r);
    }
}

static void remove_net(stn_ocache *c, int64_t id, int32_t f)
{
    record *r = stn_table_get(c->records, (uint64_t)id);
    if (!r || r->frame > f)
        return;
    r->nremoved = true;
    check(c, r, true);
}

/* Out of the table. Its applier, if there is one, still removes the object and then frees it. */
static void forget(stn_ocache *c, record *r)
{
    stn_table_remove(c->records, (uint64_t)r->id);
    r->forgotten = true;
    if (r->state == APPLIER_NONE)
        free_record(r);
}

static int32_t before(int32_t frame)
{
    return (int32_t)((uint32_t)frame - 1u);
}

static record *new_record(stn_ocache *c, int64_t id, int32_t frame)
{
    record *r;
    if (stn_table_count(c->records) >= STN_OCACHE_RECORDS || !(r = calloc(1, sizeof *r)))
        return NULL;
    r->id = id;
    r->frame = frame;
    if (!stn_table_put(c->records, (uint64_t)id, r, NULL)) {
        free(r);
        return NULL;
    }
    return r;
}

static bool append(record *r, const stn_objattr *a, bool old)
{
    size_t need = 4 + (size_t)a->len;
    uint8_t *p;

    if (r->pending_at == r->pending_len)
        r->pending_at = r->pending_len = 0;
    if (need > r->pending_cap - r->pending_len) {
        size_t cap = r->pending_cap ? r->pending_cap * 2 : 64;
        while (cap - r->pending_len < need)
            cap *= 2;
        if (!(p = realloc(r->pending, cap)))
            return false;
        r->pending = p;
        r->pending_cap = cap;
    }
    p = r->pending + r->pending_len;
    p[0] = a->type;
    p[1] = old;
    stn_st16(p + 2, a->len);
    memcpy(p + 4, a->data, a->len);
    r->pending_len += need;
    r->n_pending++;
    return true;
}

/* What cannot be kept goes as if the server had removed it. */
static void drop_record(stn_ocache *c, record *r, const char *why)
{
    c->stats.dropped_records++;
    stn_fail(&c->stats.last, STN_TOO_BIG, "object %lld: %s; dropped", (long long)r->id, why);
    r->pending_at = r->pending_len = 0;
    r->n_pending = 0;
    r->nremoved = true;
    check(c, r, true);
}

void stn_ocache_receive(stn_ocache *c, const stn_objdelta *d)
{
    int64_t id = (int64_t)d->id;
    record *r;
    stn_objattr a;

    if (d->removal) {
        remove_net(c, id, before(d->frame));
        return;
    }
    if (d->initframe > 0)
        remove_net(c, id, before(d->initframe));
    r = stn_table_get(c->records, (uint64_t)id);
    if (r && r->nremoved) {
        if (r->frame >= d->frame)
            return;
        forget(c, r);
        r = NULL;
    }
    if (r) {
        if (r->frame >= d->frame)
            return;
    } else if (!(r = new_record(c, id, d->frame))) {
        c->stats.dropped_records++;
        stn_fail(&c->stats.last, STN_TOO_BIG, "object %u: more than %d objects", d->id, STN_OCACHE_RECORDS);
        return;
    }
    r->frame = d->frame;
    r->is_virtual = d->flags & STN_OBJ_VIRTUAL;
    for (size_t pos = 0; stn_objdelta_attr(d, &pos, &a);)
        if (r->n_pending == STN_OCACHE_PENDING || !append(r, &a, d->flags & STN_OBJ_OLD)) {
            drop_record(c, r, "too many attributes wait to be applied");
            return;
        }
    check(c, r, false);
}

/* ---- appliers (A1.2) */

static void end_applier(stn_ocache *c, record *r)
{
    r->state = APPLIER_NONE;
    if (r->forgotten)
        free_record(r);
    else
        check(c, r, false);
}

static void run_removal(stn_ocache *c, record *r)
{
    if (r->added && !r->gremoved) {
        withdraw(c, r->gob);
        r->gremoved = true;
        stn_gob_free(r->gob);
        r->gob = NULL;
    }
    end_applier(c, r);
}

static void note_change(stn_ocache *c, record *r)
{
    if (r->gob->is_public && r->added && r->gob->changed && c->on.changed)
        c->on.changed(c->on.arg, r->gob);
}

/* False: parked. */
static bool apply_pending(stn_ocache *c, record *r)
{
    while (r->n_pending > 0) {
        const uint8_t *p = r->pending + r->pending_at;
        uint16_t len = stn_ld16(p + 2), parked_on = 0;
        stn_err err = {0};
        stn_status st = stn_gob_apply(r->gob, &c->env, p[0], p + 4, len, p[1], &parked_on, &err);
        if (st == STN_AGAIN) {
            r->state = APPLIER_PARKED;
            r->parked_on = parked_on;
            push(&c->parked[parked_on], r);
            c->n_parked++;
            note_change(c, r);
            return false;
        }
        if (st != STN_OK) {
            c->stats.dropped_attributes++;
            c->stats.last = err;
        }
        r->pending_at += 4 + (size_t)len;
        r->n_pending--;
    }
    return true;
}

static void run_applier(stn_ocache *c, record *r)
{
    if (r->nremoved) {
        run_removal(c, r);
        return;
    }
    if (!r->gob && !(r->gob = stn_gob_new(r->id, r->is_virtual))) {
        r->state = APPLIER_NONE;
        drop_record(c, r, "out of memory");
        return;
    }
    if (!apply_pending(c, r))
        return;
    r->gob->updateseq++;
    r->gob->changed |= 1u << STN_COMP_PLACEMENT; /* updateseq travels with it */
    if (!r->added) {
        r->added = publish(c, r->gob);
        if (!r->added) {
            r->state = APPLIER_NONE;
            drop_record(c, r, "out of memory");
            return;
        }
        if (c->on.added)
            c->on.added(c->on.arg, r->gob);
    } else {
        note_change(c, r);
    }
    end_applier(c, r);
}

void stn_ocache_pump(stn_ocache *c)
{
    while (c->run.head) {
        record *r = c->run.head;
        unlink_from(&c->run, r);
        run_applier(c, r);
    }
}

void stn_ocache_resolved(stn_ocache *c, uint16_t resid)
{
    while (c->parked[resid].head) {
        record *r = c->parked[resid].head;
        unlink_from(&c->parked[resid], r);
        c->n_parked--;
        r->state = APPLIER_QUEUED;
        push(&c->run, r);
    }
}

void stn_ocache_prune(stn_ocache *c)
{
    size_t n = 0, it = 0;
    uint64_t key;
    void *v;
    record **gone = malloc((stn_table_count(c->records) + 1) * sizeof(record *));

    if (!gone)
        return;
    while (stn_table_next(c->records, &it, &key, &v)) {
        record *r = v;
        bool finished = r->nremoved && r->state == APPLIER_NONE;
        if (finished && r->prunable)
            gone[n++] = r;
        r->prunable = finished;
    }
    for (size_t i = 0; i < n; i++)
        forget(c, gone[i]);
    free(gone);
}

/* ---- ticking (A6) */

static void tick_overlays(stn_ocache *c, stn_gob *g, double dt)
{
    for (size_t i = 0; i < g->n_overlays;) {
        stn_overlay *ol = &g->overlays[i];
        stn_res_traits t = {0};
        if (!ol->in_scene) {
            ol->in_scene = true;
            i++;
            continue;
        }
        ol->age += dt;
        if (ol->deleted)
            ol->ending += dt;
        if (c->on.overlay_done && c->on.overlay_done(c->on.arg, g, ol) &&
            (!ol->delign || (c->on.traits(c->on.arg, ol->res.resid, &t) == STN_OK && t.deferred_end)))
            stn_gob_overlay_remove(g, i);
        else
            i++;
    }
}

static void tick_moving(stn_moving *m, double dt)
{
    if (m->kind == STN_MOVING_LINEAR)
        stn_linear_tick(&m->line, dt);
    else if (m->kind == STN_MOVING_HOMING)
        m->dist += m->v * (dt * STN_MOTION_RATE);
}

void stn_ocache_tick(stn_ocache *c, double dt)
{
    for (size_t i = c->n_gobs; i-- > 0;) {
        stn_gob *g = c->gobs[i];
        uint32_t before_tick = g->changed;

        if (g->moving.kind != STN_MOVING_NONE)
            tick_moving(&g->moving, dt);
        if (g->n_overlays > 0)
            tick_overlays(c, g, dt);
        if (g->is_virtual && g->n_overlays == 0 && g->drawable.kind == STN_DRAW_NONE)
            withdraw(c, g); /* the last one takes its place in the list, and has been ticked */
        else if (g->changed != before_tick && c->on.changed)
            c->on.changed(c->on.arg, g);
    }
}

/* ---- questions */

stn_gob *stn_ocache_get(const stn_ocache *c, int64_t id)
{
    return stn_table_get(c->public, (uint64_t)id);
}
size_t stn_ocache_count(const stn_ocache *c)
{
    return c->n_gobs;
}
stn_gob *stn_ocache_at(const stn_ocache *c, size_t i)
{
    return i < c->n_gobs ? c->gobs[i] : NULL;
}

void stn_ocache_get_stats(const stn_ocache *c, stn_ocache_stats *out)
{
    *out = c->stats;
    out->records = stn_table_count(c->records);
    out->objects = c->n_gobs;
    out->parked = c->n_parked;
}
