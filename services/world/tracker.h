/* world/tracker.h - what each viewer sees, and per tick exactly what changed of it.
 *
 * Entities have a public id, a position, a size and up to 64 components (bytes). A viewer sees the entities
 * within its radius that are not too small for their distance and that no filter takes away; each tick it
 * gets one packet: who left, and of those it sees what is new, changed or gone. Deterministic: packets do not
 * depend on the order in which entities were made. Cost follows what is seen and what changed, not the
 * population.
 *
 * Phases of stn_tracker_tick() (groups as in the spec): find 2, filter 3, reverse sets and marks 4-7, queue 8
 * with each (entity, component) encoded at most once per scope key, send 9. Changes between ticks are phase
 * 0. A reference is an incarnation: an entity removed and another made under its id are two. Numbers:
 * positions f64 map units; NaN is never visible; lod 0 culls nothing. One owner, not thread-safe. No
 * allocation once sizes have settled. Source: docs/spec/object-cache.md B; vectors ocache/tracker_*.jsonl.
 */
#ifndef STN_WORLD_TRACKER_H
#define STN_WORLD_TRACKER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_TRACKER_COMPONENTS 64
#define STN_TRACKER_ENTITIES (1u << 22)
#define STN_TRACKER_VIEWERS 1024
#define STN_TRACKER_FILTERS 32
#define STN_TRACKER_FINDERS 8
#define STN_TRACKER_QUEUERS 8

typedef uint64_t stn_incarnation; /* 0 = none; unique, also across reuse of a place */
typedef uint32_t stn_viewer_id; /* 0 = none */

typedef struct stn_tracker_update {
    uint8_t type;
    const uint8_t *data;
    uint32_t len;
} stn_tracker_update;

typedef struct stn_tracker_entry {
    int64_t id;
    stn_incarnation entity;
    bool fresh; /* full state: every component it has is among the updates */
    uint64_t removed; /* components that it had when last sent; 0 when fresh */
    uint32_t first, n; /* its part of the packet's updates, ascending type */
} stn_tracker_entry;

/* Borrowed until the sink returns. Removals come first: an id may be in both lists. */
typedef struct stn_tracker_packet {
    uint64_t tick;
    stn_viewer_id viewer;
    const int64_t *removed; /* ascending */
    const stn_incarnation *removed_entities;
    size_t n_removed;
    const stn_tracker_entry *entries; /* ascending id */
    size_t n_entries;
    const stn_tracker_update *updates;
    size_t n_updates;
} stn_tracker_packet;

/* Called once per viewer and tick, also when there is nothing to say. */
typedef void (*stn_tracker_sink)(void *arg, const stn_tracker_packet *packet);

typedef struct stn_tracker stn_tracker;

stn_tracker *stn_tracker_new(void); /* NULL: out of memory */
void stn_tracker_free(stn_tracker *t);

/* ---- set-up, before the first tick; STN_USAGE for a duplicate name or too many */

/* An entity can be seen when its components contain the mask of a finder. Without any finder every entity
 * can. size_of (may be NULL) gives another size to cull by; a smaller one than the entity's own does not help
 * it. */
stn_status stn_tracker_add_finder(stn_tracker *t, const char *name, uint64_t mask,
                                  double (*size_of)(void *arg, stn_incarnation e, double size), void *arg,
                                  stn_err *err);
/* A filter may take entities away; it is shown those whose components contain the mask. keep[i] starts true.
 * Off for every viewer until switched on. Two are built in and on: "hidden" (stn_tracker_set_hidden) and
 * "hide-list" (stn_tracker_hide). */
typedef void (*stn_filter_fn)(void *arg, stn_viewer_id v, const stn_incarnation *e, size_t n, bool *keep);
stn_status stn_tracker_add_filter(stn_tracker *t, const char *name, uint64_t mask, stn_filter_fn fn,
                                  void *arg, stn_err *err);
/* A queuer runs in phase 8 after the built-in one and may call stn_tracker_queue(). */
typedef void (*stn_queuer_fn)(void *arg, stn_tracker *t);
stn_status stn_tracker_add_queuer(stn_tracker *t, const char *name, stn_queuer_fn fn, void *arg,
                                  stn_err *err);
/* How a component becomes bytes: by default its value as it is, for all. key gives viewers that share an
 * encoding the same number (NULL: one for all). The result is borrowed until the tick ends. */
typedef struct stn_encoder {
    void (*encode)(void *arg, stn_incarnation e, uint64_t key, const uint8_t *value, uint32_t len,
                   stn_tracker_update *out);
    uint64_t (*key)(void *arg, stn_viewer_id v);
    void *arg;
} stn_encoder;
stn_status stn_tracker_set_encoder(stn_tracker *t, unsigned type, const stn_encoder *e, stn_err *err);

/* ---- entities. Calls with an incarnation that is gone do nothing and return false or NULL */

stn_incarnation stn_tracker_spawn(stn_tracker *t, int64_t id, double x, double y,
                                  double size); /* 0: no memory */
bool stn_tracker_despawn(stn_tracker *t, stn_incarnation e);
bool stn_tracker_move(stn_tracker *t, stn_incarnation e, double x, double y);
bool stn_tracker_resize(stn_tracker *t, stn_incarnation e, double size);
/* Sets a component and marks it changed, also when the bytes are the same: compare with value() first. */
bool stn_tracker_set(stn_tracker *t, stn_incarnation e, unsigned type, const void *data, uint32_t len);
bool stn_tracker_unset(stn_tracker *t, stn_incarnation e, unsigned type);
const uint8_t *stn_tracker_value(const stn_tracker *t, stn_incarnation e, unsigned type, uint32_t *len);
bool stn_tracker_set_hidden(stn_tracker *t, stn_incarnation e, bool hidden);
size_t stn_tracker_entities(const stn_tracker *t);

/* ---- viewers */

stn_viewer_id
stn_tracker_add_viewer(stn_tracker *t); /* sees nothing until it has a place; 0: no memory, too many */
void stn_tracker_remove_viewer(stn_tracker *t, stn_viewer_id v);
/* STN_USAGE: NaN, negative or not finite; the old values stay. */
stn_status stn_tracker_look(stn_tracker *t, stn_viewer_id v, double radius, double lod, stn_err *err);
bool stn_tracker_place_at(stn_tracker *t, stn_viewer_id v, double x, double y); /* a free camera */
bool stn_tracker_place_on(stn_tracker *t, stn_viewer_id v,
                          stn_incarnation e); /* follows it while it is there */
/* Detached: between worlds. It gets no packets until it is placed again. */
bool stn_tracker_detach(stn_tracker *t, stn_viewer_id v);
stn_status stn_tracker_filter(stn_tracker *t, stn_viewer_id v, const char *name, bool on, stn_err *err);
bool stn_tracker_hide(stn_tracker *t, stn_viewer_id v, stn_incarnation e, bool hidden);

/* ---- the tick, and between ticks */

/* STN_NO_MEMORY: the tick could not be finished; every viewer starts over with the next (as after clear). */
stn_status stn_tracker_tick(stn_tracker *t, stn_tracker_sink sink, void *arg, stn_err *err);
/* For queuers only, during phase 8. The bytes must live until the tick ends. */
bool stn_tracker_queue(stn_tracker *t, stn_viewer_id v, stn_incarnation e, unsigned type, const void *data,
                       uint32_t len);

/* Sends a packet with all that was sent as removed, then clears. False: no such viewer. */
bool stn_tracker_despawn_all(stn_tracker *t, stn_viewer_id v, stn_tracker_sink sink, void *arg);
/* Forgets what was sent, here and in the entities' reverse sets; the next tick sends full state. */
bool stn_tracker_clear(stn_tracker *t, stn_viewer_id v);
/* The same for a viewer between worlds: reverse sets are not touched, they belong to the world it left. */
bool stn_tracker_clear_holder(stn_tracker *t, stn_viewer_id v);

/* ---- questions, between ticks */

/* Viewers that saw the entity in the last tick, ascending; at most cap; returns how many. */
size_t stn_tracker_visible_to(const stn_tracker *t, stn_incarnation e, stn_viewer_id *out, size_t cap);
bool stn_tracker_is_visible(const stn_tracker *t, stn_incarnation e); /* has the mark */
size_t stn_tracker_sent(const stn_tracker *t, stn_viewer_id v, stn_incarnation *out, size_t cap);

typedef struct stn_tracker_stats {
    uint64_t tick;
    size_t entities, viewers, cells;
    size_t seen_pairs; /* sum of the visible sets in the last tick */
    size_t encoded; /* encodings in the last tick */
    size_t updates, fresh, removed; /* over all packets of the last tick */
    size_t bytes; /* of the updates queued */
} stn_tracker_stats;
void stn_tracker_get_stats(const stn_tracker *t, stn_tracker_stats *out);

#endif
