/* ask_private.h - what ask.c (the table of asks) and walk.c (the walks over the sources) share. Nobody
 * else.
 */
#ifndef STN_LOADER_ASK_PRIVATE_H
#define STN_LOADER_ASK_PRIVATE_H

#include "loader/ask.h"

#include "base/table.h"
#include "loader/queue.h"

typedef enum ask_state { ASK_QUEUED, ASK_WAITING, ASK_FLYING, ASK_OK, ASK_FAILED } ask_state;

typedef struct pool pool;

struct stn_asking {
    stn_queued q; /* first: the queue's entries are asks */
    uint64_t id;
    pool *pool;
    char *name;
    int want;
    unsigned refs;
    ask_state state;
    bool found; /* a source of this pool had a bad copy */
    stn_object *object; /* held, when OK */
    stn_miss *chain;
    uint64_t fetch; /* running, when FLYING */
    stn_asking *waits_on; /* a parent's ask or the one that superseded this; holds this one by its list */
    stn_asking
        *unheard; /* a parent's ask whose answer was not heard before this was superseded; referenced */
    stn_asking *dependents, *last_dependent;
    stn_asking *next_dependent, *prev_dependent;
    stn_asking *next_ended;
    stn_asking *older_failed, *newer_failed; /* the order in which failures are forgotten */
};

struct pool {
    const char *id;
    pool *parent;
    unsigned slots, flying, live;
    unsigned sources[STN_ASKS_SOURCES_MAX];
    unsigned source_count;
    stn_names *entries; /* name -> the ask that is remembered under it */
    stn_names *cache; /* name -> object */
    stn_queue queue;
};

typedef struct source {
    const char *id;
    pool *pool;
} source;

/* The answer of a source, until stn_asks_run() comes to it. */
typedef struct answer {
    stn_miss_kind miss;
    int version;
    void *payload;
    size_t bytes;
    char text[STN_MISS_TEXT];
} answer;

/* One pass over a pool's sources, on behalf of an ask or of a reload. */
typedef struct walk {
    struct walk *next_answered;
    stn_fetch fetch;
    pool *pool;
    unsigned at; /* index into the pool's sources */
    bool answered;
    stn_asking *ask; /* referenced; NULL for a reload */
    stn_object *object; /* being reloaded; held */
    stn_miss *chain; /* of a reload */
    answer answer;
} walk;

struct stn_asks {
    stn_asks_hooks hooks;
    pool pools[STN_ASKS_POOLS_MAX];
    source sources[STN_ASKS_SOURCES_MAX];
    unsigned pool_count, source_count;
    stn_objects *objects;
    stn_table *walks; /* fetch -> walk */
    stn_table *reloads; /* object id -> walk */
    walk *answered, **answered_end; /* those with an answer, oldest first */
    stn_asking *ended, *last_ended;
    stn_asking *oldest_failed, *newest_failed;
    size_t failed_count, open_count;
    uint64_t last_id;
    bool running;
};

/* An ask that has left its queue ends, and so do those that wait for it. */
void stn_asking_end(stn_asks *a, stn_asking *n, ask_state state);
void stn_asks_cache_drop(stn_asks *a, pool *p, stn_object *o);
void stn_asks_keep_budget(stn_asks *a);

#endif
