/* ask.h - the asking engine: from (name, wanted version, priority) to one loaded object.
 *
 * Pure: no thread, file, socket or clock. It is told what sources answered and says which source to ask
 * next; one event is handled to its end before the next. Pools have a memory cache, a table of asks, a
 * priority queue and sources in a fixed order, and perhaps a parent pool that is asked first.
 *
 * Use     Make pools and sources, then stn_asks_ask() for each request, stn_asks_answer() for each source
 *         answer, and stn_asks_run() after either: it starts walks in free slots, finishes asks and calls
 *         the hooks.
 * Limits  names per stn_resname_check(); at most STN_ASKS_OPEN_MAX asks pending; at most
 *         STN_ASKS_FAILED_MAX failures remembered (oldest forgotten); objects per the byte budget of
 *         object.h.
 * Source  docs/spec/resource-loading.md 1, 2 and 6.
 */
#ifndef STN_LOADER_ASK_H
#define STN_LOADER_ASK_H

#include "loader/miss.h"
#include "loader/object.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_ASKS_OPEN_MAX 262144
#define STN_ASKS_FAILED_MAX 262144
#define STN_ASKS_POOLS_MAX 4
#define STN_ASKS_SOURCES_MAX 16
#define STN_PRIO_MIN (-1000)
#define STN_PRIO_MAX 1000

typedef struct stn_asks stn_asks;
typedef struct stn_asking stn_asking;

/* One request to one source. Borrowed: valid until it is answered. */
typedef struct stn_fetch {
    uint64_t id;
    unsigned source; /* the number that stn_asks_add_source() gave */
    const char *name;
    int ask; /* the version to name to the source, -1 = any */
    int want; /* the only version that is a good answer, -1 = any */
    int prio;
    const stn_object *reload; /* the object that is read again, or NULL for an ask */
} stn_fetch;

typedef struct stn_asks_hooks {
    void *ctx;
    /* Ask a source; stn_asks_answer(fetch->id, …) follows exactly once, at once or later. */
    void (*fetch)(void *ctx, const stn_fetch *fetch);
    /* The ask behind a running fetch became more urgent. */
    void (*raised)(void *ctx, uint64_t fetch, int prio);
    /* An ask is final; all tables have changed already. May ask again. */
    void (*ended)(void *ctx, stn_asking *ask);
    /* A reload ended, with the misses before the good source, or all. The chain is borrowed during the call.
     */
    void (*reloaded)(void *ctx, stn_object *object, bool good, const stn_miss *chain);
    stn_payload_drop *drop;
} stn_asks_hooks;

stn_asks *stn_asks_new(const stn_asks_hooks *hooks, size_t budget_bytes); /* NULL: out of memory */
void stn_asks_free(stn_asks *asks); /* asks that are still referenced must not be used any more */

/* Both before the first ask. parent: a pool number, or -1. slots: walks in flight at once (at least 1). The
 * id must outlive the engine. Return the number, or -1 when there are too many. */
int stn_asks_add_pool(stn_asks *asks, const char *id, int parent, unsigned slots);
int stn_asks_add_source(stn_asks *asks, unsigned pool, const char *id);
int stn_asks_find_pool(const stn_asks *asks, const char *id); /* -1: none */
const char *stn_asks_source_id(const stn_asks *asks, unsigned source);
unsigned stn_asks_source_pool(const stn_asks *asks, unsigned source);

typedef enum stn_asked_kind {
    STN_ASKED_HIT, /* object */
    STN_ASKED_ASK, /* ask: pending, or failed already */
    STN_ASKED_REFUSED, /* current, source: the wanted version is older than what is known */
    STN_ASKED_MISS, /* miss: invalid name or overload; nothing is remembered */
} stn_asked_kind;

typedef struct stn_asked {
    stn_asked_kind kind;
    stn_object *object; /* borrowed until the next stn_asks_run(); hold it to keep it */
    stn_asking *ask; /* borrowed while pending; take a reference to keep it */
    int current;
    const char *source; /* of the object that refuses; NULL when only an ask does */
    stn_miss_kind miss;
    char text[STN_MISS_TEXT];
} stn_asked;

/* want: -1 = any, else 0..65535 (STN_USAGE otherwise, the only failure). prio is clamped. */
stn_status stn_asks_ask(stn_asks *asks, unsigned pool, const char *name, int want, int prio, stn_asked *out,
                        stn_err *err);
/* Raises a pending ask, and what it waits on. Never lowers. */
void stn_asks_boost(stn_asks *asks, stn_asking *ask, int prio);

typedef struct stn_fetched {
    stn_miss_kind miss; /* STN_MISS_NONE: a good resource, of the wanted version when one was wanted */
    const char *text; /* of the miss */
    int version;
    void *payload; /* taken */
    size_t bytes; /* what the payload occupies */
} stn_fetched;

/* The answer to one fetch. Only notes it; stn_asks_run() acts on it. */
void stn_asks_answer(stn_asks *asks, uint64_t fetch, const stn_fetched *answer);
/* Goes on until nothing can move without an answer. */
void stn_asks_run(stn_asks *asks);

/* The engine keeps an ask while it is pending or remembered; a reference keeps it longer, with its object. */
void stn_asking_ref(stn_asking *ask);
void stn_asking_unref(stn_asks *asks, stn_asking *ask);
uint64_t stn_asking_id(const stn_asking *ask); /* never 0 */
bool stn_asking_final(const stn_asking *ask);
stn_object *stn_asking_object(const stn_asking *ask); /* NULL unless it ended well */
const char *stn_asking_name(const stn_asking *ask);
int stn_asking_want(const stn_asking *ask);
/* True: at least one source of the ask's own pool had a bad copy ("load_failed"); false: none had any
 * ("no_such"). */
bool stn_asking_found(const stn_asking *ask);
stn_miss *stn_asking_chain(const stn_asking *ask); /* borrowed */

/* The memory cache. peek: this pool's object, else its parents'; starts nothing. */
stn_object *stn_asks_peek(const stn_asks *asks, unsigned pool, const char *name);
stn_object *stn_asks_object(const stn_asks *asks, uint64_t id); /* NULL: no such object */
stn_objects *stn_asks_objects(stn_asks *asks);
/* Each cached object of the pool and its parents once, in no order. */
void stn_asks_each(const stn_asks *asks, unsigned pool, void (*fn)(void *ctx, stn_object *o), void *ctx);
void stn_asks_evict(stn_asks *asks, unsigned pool, const char *name); /* from this pool's cache alone */

/* Reads the object's resource again from the pool that loaded it; ends in the hook `reloaded`. A reload that
 * is already on its way is joined. False: out of memory. */
bool stn_asks_reload(stn_asks *asks, stn_object *object);
/* Drops remembered failures: of one name, or all (NULL). Returns how many. */
size_t stn_asks_forget(stn_asks *asks, const char *name);

typedef struct stn_asks_counts {
    size_t queued; /* over the pool and its parents: waiting for a slot */
    size_t flying; /* walks that have begun */
    size_t loaded; /* cache entries; an object in two pools counts twice */
    size_t failed; /* remembered failures */
} stn_asks_counts;
stn_asks_counts stn_asks_count(const stn_asks *asks, unsigned pool);
size_t stn_asks_open(const stn_asks *asks); /* pending asks of all pools */

#endif
