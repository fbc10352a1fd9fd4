/* Entities, viewers and what is done to them between ticks. */
#include "world/tracker.h"

#include "world/tracker_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool stn_tracker_grow(void *p, size_t *cap, size_t n, size_t size)
{
    void **at = p, *more;
    size_t want = *cap ? *cap : 64;

    if (n <= *cap)
        return true;
    while (want < n)
        want *= 2;
    if (!(more = realloc(*at, want * size)))
        return false;
    *at = more;
    *cap = want;
    return true;
}

stn_tracker *stn_tracker_new(void)
{
    stn_tracker *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->space = stn_space_new();
    if (!t->space || stn_tracker_add_filter(t, "hidden", 0, NULL, NULL, NULL) != STN_OK ||
        stn_tracker_add_filter(t, "hide-list", 0, NULL, NULL, NULL) != STN_OK) {
        stn_tracker_free(t);
        return NULL;
    }
    return t;
}

static void free_values(entity *c, uint64_t arch)
{
    int n = __builtin_popcountll(arch);
    for (int i = 0; i < n; i++)
        free(c->values[i].data);
    free(c->values);
    c->values = NULL;
    c->cap_values = 0;
}

static void free_viewer(viewer *v)
{
    free(v->hidden);
    stn_bitset_fini(&v->shown);
    stn_bitset_fini(&v->next);
    free(v->say);
    free(v->gone);
    *v = (viewer){0};
}

void stn_tracker_free(stn_tracker *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->n_slots; i++)
        if (t->entities[i].alive)
            free_values(&t->entities[i], t->entities[i].arch);
    for (uint32_t i = 0; i < t->n_viewers; i++)
        free_viewer(&t->viewers[i]);
    for (size_t i = 0; i < t->n_finders; i++)
        free(t->finders[i].name);
    for (size_t i = 0; i < t->n_filters; i++)
        free(t->filters[i].name);
    for (size_t i = 0; i < t->n_queuers; i++)
        free(t->queuers[i].name);
    stn_space_free(t->space);
    stn_bitset_fini(&t->dirty);
    stn_bitset_fini(&t->gone);
    stn_bitset_fini(&t->marked);
    free(t->entities);
    free(t->free_slots);
    free(t->viewers);
    free(t->found);
    free(t->keep);
    free(t->names);
    free(t->entries);
    free(t->updates);
    free(t->gone_ids);
    free(t->gone_entities);
    free(t->keys);
    free(t->keys_tmp);
    free(t->extras);
    free(t->memos);
    free(t);
}

/* ---- set-up */

static stn_status too_many(stn_err *err, const char *what, const char *name, int most)
{
    return stn_fail(err, STN_USAGE, "%s \"%s\": at most %d", what, name, most);
}

stn_status stn_tracker_add_finder(stn_tracker *t, const char *name, uint64_t mask,
                                  double (*size_of)(void *arg, stn_incarnation e, double size), void *arg,
                                  stn_err *err)
{
    char *copy;
    for (size_t i = 0; i < t->n_finders; i++)
        if (!strcmp(t->finders[i].name, name))
            return stn_fail(err, STN_USAGE, "finder \"%s\" is there already", name);
    if (t->n_finders == STN_TRACKER_FINDERS)
        return too_many(err, "finder", name, STN_TRACKER_FINDERS);
    if (!(copy = strdup(name)))
        return stn_fail(err, STN_NO_MEMORY, "finder \"%s\"", name);
    t->finders[t->n_finders++] = (finder){copy, mask, size_of, arg};
    return STN_OK;
}

static size_t filter_of(const stn_tracker *t, const char *name)
{
    size_t i;
    for (i = 0; i < t->n_filters && strcmp(t->filters[i].name, name) != 0; i++)
        ;
    return i;
}

stn_status stn_tracker_add_filter(stn_tracker *t, const char *name, uint64_t mask, stn_filter_fn fn,
                                  void *arg, stn_err *err)
{
    char *copy;
    if (filter_of(t, name) < t->n_filters)
        return stn_fail(err, STN_USAGE, "filter \"%s\" is there already", name);
    if (t->n_filters == STN_TRACKER_FILTERS)
        return too_many(err, "filter", name, STN_TRACKER_FILTERS);
    if (!(copy = strdup(name)))
        return stn_fail(err, STN_NO_MEMORY, "filter \"%s\"", name);
    t->filters[t->n_filters++] = (filter){copy, mask, fn, arg};
    return STN_OK;
}

stn_status stn_tracker_add_queuer(stn_tracker *t, const char *name, stn_queuer_fn fn, void *arg, stn_err *err)
{
    char *copy;
    for (size_t i = 0; i < t->n_queuers; i++)
        if (!strcmp(t->queuers[i].name, name))
            return stn_fail(err, STN_USAGE, "queuer \"%s\" is there already", name);
    if (t->n_queuers == STN_TRACKER_QUEUERS)
        return too_many(err, "queuer", name, STN_TRACKER_QUEUERS);
    if (!(copy = strdup(name)))
        return stn_fail(err, STN_NO_MEMORY, "queuer \"%s\"", name);
    t->queuers[t->n_queuers++] = (queuer){copy, fn, arg};
    return STN_OK;
}

stn_status stn_tracker_set_encoder(stn_tracker *t, unsigned type, const stn_encoder *e, stn_err *err)
{
    if (type >= STN_TRACKER_COMPONENTS)
        return stn_fail(err, STN_USAGE, "component type %u, there are %d", type, STN_TRACKER_COMPONENTS);
    t->encoders[type] = *e;
    t->encoded_types |= UINT64_C(1) << type;
    return STN_OK;
}

/* ---- entities */

uint32_t stn_tracker_slot(const stn_tracker *t, stn_incarnation e)
{
    uint32_t slot = (uint32_t)e;
    if (slot >= t->n_slots || t->entities[slot].gen != (uint32_t)(e >> 32) || !t->entities[slot].alive)
        return UINT32_MAX;
    return slot;
}

static bool grow_slots(stn_tracker *t)
{
    uint32_t cap = t->cap_slots ? t->cap_slots * 2 : 256;
    entity *entities;
    uint32_t *free_slots;

    if (cap > STN_TRACKER_ENTITIES)
        return false;
    if (!(entities = realloc(t->entities, cap * sizeof *entities)))
        return false;
    t->entities = entities;
    /* Room for every slot to be free and in the sets, so that despawn cannot fail. */
    if (!(free_slots = realloc(t->free_slots, cap * sizeof *free_slots)))
        return false;
    t->free_slots = free_slots;
    if (!stn_bitset_room(&t->dirty, cap) || !stn_bitset_room(&t->gone, cap))
        return false;
    t->cap_slots = cap;
    return true;
}

stn_incarnation stn_tracker_spawn(stn_tracker *t, int64_t id, double x, double y, double size)
{
    uint32_t slot;
    entity *e;

    if (t->n_free > 0) {
        slot = t->free_slots[t->n_free - 1];
    } else {
        if (t->n_slots == t->cap_slots && !grow_slots(t))
            return 0;
        slot = t->n_slots;
        t->entities[slot] = (entity){0};
    }
    if (!stn_space_put(t->space, slot, x, y, size))
        return 0;
    if (t->n_free > 0)
        t->n_free--;
    else
        t->n_slots++;
    e = &t->entities[slot];
    *e = (entity){.gen = e->gen + 1,
                  .alive = true,
                  .id = id,
                  .x = x,
                  .y = y,
                  .size = size,
                  .gone_id = e->gone_id,
                  .gone_gen = e->gone_gen};
    t->n_alive++;
    return stn_tracker_name(t, slot);
}

bool stn_tracker_despawn(stn_tracker *t, stn_incarnation name)
{
    uint32_t slot = stn_tracker_slot(t, name);
    entity *e;

    if (slot == UINT32_MAX)
        return false;
    e = &t->entities[slot];
    stn_space_remove(t->space, slot);
    free_values(e, e->arch);
    /* Of several incarnations in one slot between two ticks only the first can have been sent to anyone. */
    if (!stn_bitset_has(&t->gone, slot)) {
        stn_bitset_add(&t->gone, slot);
        e->gone_id = e->id;
        e->gone_gen = e->gen;
    }
    e->alive = false;
    e->arch = e->changed = 0;
    t->free_slots[t->n_free++] = slot;
    t->n_alive--;
    return true;
}

bool stn_tracker_move(stn_tracker *t, stn_incarnation name, double x, double y)
{
    uint32_t slot = stn_tracker_slot(t, name);
    if (slot == UINT32_MAX)
        return false;
    t->entities[slot].x = x;
    t->entities[slot].y = y;
    return stn_space_put(t->space, slot, x, y, t->entities[slot].size);
}

bool stn_tracker_resize(stn_tracker *t, stn_incarnation name, double size)
{
    uint32_t slot = stn_tracker_slot(t, name);
    if (slot == UINT32_MAX)
        return false;
    t->entities[slot].size = size;
    return stn_space_put(t->space, slot, t->entities[slot].x, t->entities[slot].y, size);
}

/* Makes room for the value of a component that the entity has not. */
static comp_value *insert_value(stn_tracker *t, uint32_t slot, unsigned type)
{
    entity *e = &t->entities[slot];
    int n = __builtin_popcountll(e->arch);
    comp_value *v;

    if (n == e->cap_values) {
        int cap = n ? n * 2 : 4;
        if (!(v = realloc(e->values, (size_t)cap * sizeof *v)))
            return NULL;
        e->values = v;
        e->cap_values = (uint8_t)cap;
    }
    v = stn_tracker_comp(t, slot, type);
    memmove(v + 1, v, (size_t)(e->values + n - v) * sizeof *v);
    *v = (comp_value){0};
    e->arch |= UINT64_C(1) << type;
    return v;
}

bool stn_tracker_set(stn_tracker *t, stn_incarnation name, unsigned type, const void *data, uint32_t len)
{
    uint32_t slot = stn_tracker_slot(t, name);
    uint64_t bit;
    comp_value *v;

    if (slot == UINT32_MAX || type >= STN_TRACKER_COMPONENTS)
        return false;
    bit = UINT64_C(1) << type;
    v = t->entities[slot].arch & bit ? stn_tracker_comp(t, slot, type) : insert_value(t, slot, type);
    if (!v)
        return false;
    if (len > v->cap) {
        uint8_t *p = realloc(v->data, len);
        if (!p)
            return false;
        v->data = p;
        v->cap = len;
    }
    if (len > 0)
        memcpy(v->data, data, len);
    v->len = len;
    t->entities[slot].changed |= bit;
    stn_bitset_add(&t->dirty, slot);
    return true;
}

bool stn_tracker_unset(stn_tracker *t, stn_incarnation name, unsigned type)
{
    uint32_t slot = stn_tracker_slot(t, name);
    uint64_t bit;
    comp_value *v;
    entity *e;

    if (slot == UINT32_MAX || type >= STN_TRACKER_COMPONENTS)
        return false;
    bit = UINT64_C(1) << type;
    e = &t->entities[slot];
    if (!(e->arch & bit))
        return false;
    v = stn_tracker_comp(t, slot, type);
    free(v->data);
    memmove(v, v + 1, (size_t)(e->values + __builtin_popcountll(e->arch) - v - 1) * sizeof *v);
    e->arch &= ~bit;
    e->changed &= ~bit;
    stn_bitset_add(&t->dirty, slot);
    return true;
}

const uint8_t *stn_tracker_value(const stn_tracker *t, stn_incarnation name, unsigned type, uint32_t *len)
{
    static const uint8_t nothing[1];
    uint32_t slot = stn_tracker_slot(t, name);
    const comp_value *v;

    *len = 0;
    if (slot == UINT32_MAX || type >= STN_TRACKER_COMPONENTS || !(t->entities[slot].arch >> type & 1))
        return NULL;
    v = stn_tracker_comp(t, slot, type);
    *len = v->len;
    return v->data ? v->data : nothing;
}

bool stn_tracker_set_hidden(stn_tracker *t, stn_incarnation name, bool hidden)
{
    uint32_t slot = stn_tracker_slot(t, name);
    if (slot == UINT32_MAX)
        return false;
    t->entities[slot].hidden = hidden;
    return true;
}

size_t stn_tracker_entities(const stn_tracker *t)
{
    return t->n_alive;
}

/* ---- viewers */

viewer *stn_tracker_viewer(const stn_tracker *t, stn_viewer_id v)
{
    return v > 0 && v <= t->n_viewers && t->viewers[v - 1].used ? &t->viewers[v - 1] : NULL;
}

stn_viewer_id stn_tracker_add_viewer(stn_tracker *t)
{
    uint32_t i;

    for (i = 0; i < t->n_viewers && t->viewers[i].used; i++)
        ;
    if (i == STN_TRACKER_VIEWERS)
        return 0;
    if (i == t->n_viewers) {
        size_t cap = t->cap_viewers;
        if (!stn_tracker_grow(&t->viewers, &cap, (size_t)i + 1, sizeof *t->viewers))
            return 0;
        t->cap_viewers = (uint32_t)cap;
        t->n_viewers++;
    }
    t->viewers[i] = (viewer){.used = true, .filters = 1u << FILTER_HIDDEN | 1u << FILTER_HIDE_LIST};
    return i + 1;
}

void stn_tracker_remove_viewer(stn_tracker *t, stn_viewer_id id)
{
    viewer *v = stn_tracker_viewer(t, id);
    if (!v)
        return;
    stn_tracker_clear(t, id);
    free_viewer(v);
}

stn_status stn_tracker_look(stn_tracker *t, stn_viewer_id id, double radius, double lod, stn_err *err)
{
    viewer *v = stn_tracker_viewer(t, id);
    if (!v)
        return stn_fail(err, STN_USAGE, "there is no viewer %u", id);
    if (!(radius >= 0) || !(lod >= 0) || isinf(radius) || isinf(lod))
        return stn_fail(err, STN_USAGE, "viewer %u: radius %g, lod %g: both must be finite and at least 0",
                        id, radius, lod);
    v->radius = radius;
    v->lod = lod;
    return STN_OK;
}

bool stn_tracker_place_at(stn_tracker *t, stn_viewer_id id, double x, double y)
{
    viewer *v = stn_tracker_viewer(t, id);
    if (!v || !isfinite(x) || !isfinite(y))
        return false;
    v->x = x;
    v->y = y;
    v->placed = true;
    v->attached = v->detached = false;
    return true;
}

bool stn_tracker_place_on(stn_tracker *t, stn_viewer_id id, stn_incarnation e)
{
    viewer *v = stn_tracker_viewer(t, id);
    if (!v)
        return false;
    v->entity = e;
    v->placed = v->attached = true;
    v->detached = false;
    return true;
}

bool stn_tracker_detach(stn_tracker *t, stn_viewer_id id)
{
    viewer *v = stn_tracker_viewer(t, id);
    if (!v)
        return false;
    v->detached = true;
    return true;
}

stn_status stn_tracker_filter(stn_tracker *t, stn_viewer_id id, const char *name, bool on, stn_err *err)
{
    viewer *v = stn_tracker_viewer(t, id);
    size_t i = filter_of(t, name);
    if (!v)
        return stn_fail(err, STN_USAGE, "there is no viewer %u", id);
    if (i == t->n_filters)
        return stn_fail(err, STN_NOT_FOUND, "there is no filter \"%.64s\"", name);
    if (on)
        v->filters |= 1u << i;
    else
        v->filters &= ~(1u << i);
    return STN_OK;
}

bool stn_tracker_hide(stn_tracker *t, stn_viewer_id id, stn_incarnation e, bool hidden)
{
    viewer *v = stn_tracker_viewer(t, id);
    size_t i;

    if (!v)
        return false;
    for (i = 0; i < v->n_hidden && v->hidden[i] != e; i++)
        ;
    if (!hidden) {
        if (i == v->n_hidden)
            return false;
        v->hidden[i] = v->hidden[--v->n_hidden];
        return true;
    }
    if (i < v->n_hidden)
        return true;
    if (stn_tracker_slot(t, e) == UINT32_MAX)
        return false;
    /* What is gone needs no hiding: the list stays as long as what it hides. */
    for (size_t k = 0; k < v->n_hidden;)
        if (stn_tracker_slot(t, v->hidden[k]) == UINT32_MAX)
            v->hidden[k] = v->hidden[--v->n_hidden];
        else
            k++;
    if (!stn_tracker_grow(&v->hidden, &v->cap_hidden, v->n_hidden + 1, sizeof *v->hidden))
        return false;
    v->hidden[v->n_hidden++] = e;
    return true;
}

/* ---- clearing (B4) */

bool stn_tracker_clear(stn_tracker *t, stn_viewer_id id)
{
    viewer *v = stn_tracker_viewer(t, id);
    if (!v)
        return false;
    stn_bitset_clear(&v->shown);
    v->n_shown = 0;
    v->sent = false;
    return true;
}

bool stn_tracker_clear_holder(stn_tracker *t, stn_viewer_id id)
{
    viewer *v = stn_tracker_viewer(t, id);
    if (!v)
        return false;
    v->sent = false;
    return true;
}

/* The incarnation in the slot when the last tick ended. */
static leaver sent_name(const stn_tracker *t, uint32_t slot)
{
    const entity *e = &t->entities[slot];
    if (stn_bitset_has(&t->gone, slot))
        return (leaver){e->gone_id, (uint64_t)e->gone_gen << 32 | slot};
    return (leaver){e->id, stn_tracker_name(t, slot)};
}

size_t stn_tracker_sent(const stn_tracker *t, stn_viewer_id id, stn_incarnation *out, size_t cap)
{
    const viewer *v = stn_tracker_viewer(t, id);
    size_t n = 0;

    if (!v || !v->sent)
        return 0;
    for (size_t w = 0; w < v->shown.n_words && n < cap; w++)
        for (uint64_t bits = v->shown.words[w]; bits && n < cap; bits &= bits - 1)
            out[n++] = sent_name(t, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits)).entity;
    return v->n_shown;
}

bool stn_tracker_despawn_all(stn_tracker *t, stn_viewer_id id, stn_tracker_sink sink, void *arg)
{
    viewer *v = stn_tracker_viewer(t, id);
    size_t n, k = 0;

    if (!v)
        return false;
    n = v->sent ? v->n_shown : 0;
    if (stn_tracker_grow(&v->gone, &v->cap_gone, n, sizeof *v->gone)) {
        for (size_t w = 0; n > 0 && w < v->shown.n_words; w++)
            for (uint64_t bits = v->shown.words[w]; bits; bits &= bits - 1)
                v->gone[k++] = sent_name(t, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits));
        v->n_gone = k;
        if (stn_tracker_sort_gone(t, v))
            sink(arg, &(stn_tracker_packet){.tick = t->tick,
                                            .viewer = id,
                                            .removed = t->gone_ids,
                                            .removed_entities = t->gone_entities,
                                            .n_removed = k});
    }
    return stn_tracker_clear(t, id);
}

/* ---- questions */

size_t stn_tracker_visible_to(const stn_tracker *t, stn_incarnation e, stn_viewer_id *out, size_t cap)
{
    uint32_t slot = stn_tracker_slot(t, e);
    size_t n = 0;

    if (slot == UINT32_MAX || stn_bitset_has(&t->gone, slot))
        return 0;
    for (uint32_t k = 0; k < t->n_viewers; k++) {
        if (!t->viewers[k].used || !stn_bitset_has(&t->viewers[k].shown, slot))
            continue;
        if (n < cap)
            out[n] = k + 1;
        n++;
    }
    return n;
}

bool stn_tracker_is_visible(const stn_tracker *t, stn_incarnation e)
{
    uint32_t slot = stn_tracker_slot(t, e);
    return slot != UINT32_MAX && stn_bitset_has(&t->marked, slot) && !stn_bitset_has(&t->gone, slot);
}

void stn_tracker_get_stats(const stn_tracker *t, stn_tracker_stats *out)
{
    *out = t->stats;
    out->tick = t->tick;
    out->entities = t->n_alive;
    out->viewers = 0;
    for (uint32_t i = 0; i < t->n_viewers; i++)
        out->viewers += t->viewers[i].used;
    out->cells = stn_space_cells(t->space);
}
