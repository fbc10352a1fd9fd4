/* world/tracker_impl.h - the tracker's inside, shared by tracker.c and tracker_tick.c alone. */
#ifndef STN_WORLD_TRACKER_IMPL_H
#define STN_WORLD_TRACKER_IMPL_H

#include "world/bitset.h"
#include "world/space.h"
#include "world/tracker.h"

/* The built-in filters' places. */
enum { FILTER_HIDDEN, FILTER_HIDE_LIST };

typedef struct comp_value {
    uint8_t *data;
    uint32_t len, cap;
} comp_value;

typedef struct entity {
    uint32_t gen; /* of the incarnation that is or was last here */
    bool alive, hidden;
    uint8_t cap_values;
    uint64_t arch; /* components it has */
    uint64_t
        arch_sent; /* those it had when the last tick ended: what every viewer that saw it then was sent */
    uint64_t changed;
    comp_value *values; /* in the order of the bits of arch */
    int64_t id;
    double x, y, size;
    uint64_t encoded, encoded_tick; /* components encoded in that tick */
    int64_t gone_id; /* the incarnation that was here when the last tick ended, when it is in `gone` */
    uint32_t gone_gen;
} entity;

/* Something to tell a viewer about an entity. */
typedef struct say {
    int64_t id;
    uint64_t removed;
    uint32_t slot;
    bool fresh;
} say;

typedef struct leaver {
    int64_t id;
    stn_incarnation entity;
} leaver;

typedef struct viewer {
    bool used, placed, attached, detached;
    double x, y, radius, lod;
    stn_incarnation entity; /* when attached */
    uint32_t filters; /* bits of the filters that are on */
    stn_incarnation *hidden;
    size_t n_hidden, cap_hidden;
    stn_bitset shown; /* slots it saw in the last tick: the entities' reverse sets, turned round */
    stn_bitset next; /* the same in the making */
    size_t n_shown;
    bool sent; /* it holds what is in shown; false after a clear */
    say *say;
    size_t n_say, cap_say;
    leaver *gone;
    size_t n_gone, cap_gone;
} viewer;

typedef struct finder {
    char *name;
    uint64_t mask;
    double (*size_of)(void *arg, stn_incarnation e, double size);
    void *arg;
} finder;

typedef struct filter {
    char *name;
    uint64_t mask;
    stn_filter_fn fn; /* NULL: built in */
    void *arg;
} filter;

typedef struct queuer {
    char *name;
    stn_queuer_fn fn;
    void *arg;
} queuer;

typedef struct extra {
    uint32_t viewer, slot;
    size_t order;
    stn_tracker_update u;
} extra;

typedef struct memo {
    uint64_t tick, key;
    uint32_t slot, type;
    stn_tracker_update u;
} memo;

typedef struct sort_key {
    uint64_t key;
    uint32_t at;
} sort_key;

struct stn_tracker {
    stn_space *space;
    entity *entities;
    uint32_t n_slots, cap_slots;
    uint32_t *free_slots;
    uint32_t n_free;
    size_t n_alive;
    stn_bitset dirty; /* slots with a changed component, or fewer components than were sent */
    stn_bitset gone; /* slots whose incarnation of the last tick is gone; another may be there */
    stn_bitset marked; /* slots with the visible mark */
    viewer *viewers;
    uint32_t n_viewers, cap_viewers;
    finder finders[STN_TRACKER_FINDERS];
    size_t n_finders;
    filter filters[STN_TRACKER_FILTERS];
    size_t n_filters;
    queuer queuers[STN_TRACKER_QUEUERS];
    size_t n_queuers;
    stn_encoder encoders[STN_TRACKER_COMPONENTS];
    uint64_t encoded_types; /* types with an encoder of their own */
    uint64_t tick;
    bool in_queuers;
    /* Scratch that only grows. */
    uint32_t *found;
    size_t cap_found;
    bool *keep;
    size_t cap_keep;
    stn_incarnation *names;
    size_t cap_names;
    stn_tracker_entry *entries;
    size_t cap_entries;
    stn_tracker_update *updates;
    size_t cap_updates;
    int64_t *gone_ids;
    size_t cap_gone_ids;
    stn_incarnation *gone_entities;
    size_t cap_gone_entities;
    sort_key *keys, *keys_tmp;
    size_t cap_keys, cap_keys_tmp;
    extra *extras;
    size_t n_extras, cap_extras;
    memo *memos;
    size_t n_memos, cap_memos;
    stn_tracker_stats stats;
};

/* Grows *p (elements of `size`) to at least n elements; false without memory. */
bool stn_tracker_grow(void *p, size_t *cap, size_t n, size_t size);
viewer *stn_tracker_viewer(const stn_tracker *t, stn_viewer_id v); /* NULL: no such viewer */
/* Slot of a live incarnation, or UINT32_MAX. */
uint32_t stn_tracker_slot(const stn_tracker *t, stn_incarnation e);

static inline stn_incarnation stn_tracker_name(const stn_tracker *t, uint32_t slot)
{
    return (uint64_t)t->entities[slot].gen << 32 | slot;
}
static inline comp_value *stn_tracker_comp(const stn_tracker *t, uint32_t slot, unsigned type)
{
    uint64_t below = t->entities[slot].arch & ((UINT64_C(1) << type) - 1);
    return &t->entities[slot].values[__builtin_popcountll(below)];
}
/* v->gone into t->gone_ids and t->gone_entities, by id. False without memory. */
bool stn_tracker_sort_gone(stn_tracker *t, const viewer *v);
void stn_tracker_sort(stn_tracker *t, size_t n); /* t->keys by key, ascending; cap_keys_tmp >= n */

#endif
