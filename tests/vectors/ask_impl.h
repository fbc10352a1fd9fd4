/* ask_impl.h - the inside of the scripted ask sequences: for ask_scenarios.c and ask_sources.c alone. */
#ifndef TESTS_VECTORS_ASK_IMPL_H
#define TESTS_VECTORS_ASK_IMPL_H

#include "base/buf.h"
#include "cache/diskcache.h"
#include "loader/ask.h"
#include "loader/resname.h"
#include "loader/saved.h"
#include "session/resids.h"
#include "vectors/ask_scenarios.h"

#include <stdbool.h>
#include <stddef.h>

#define KEY_MAX (4 + STN_RESNAME_MAX + 1)
#define SAVED_MAX 256
#define IDENTITY "http://scenario.example/"

typedef struct held_fetch {
    struct held_fetch *next;
    uint64_t fetch;
    unsigned source;
    int ask, want;
    char *name;
    const json_t *answer;
} held_fetch;

typedef struct followed { /* an ask under its id in the script */
    char *id;
    stn_asking *ask; /* referenced, or NULL */
    stn_object *object; /* held: of a HIT */
    json_t *fixed; /* state of an ask that was refused */
    json_t *shown; /* last state compared */
} followed;

typedef struct scenario {
    const json_t *doc;
    stn_asks *asks;
    stn_diskcache *disk;
    json_t *content; /* source -> name -> answer */
    json_t *counts; /* "source name" -> requests so far */
    json_t *gates; /* open ones */
    json_t *log; /* pool -> list, of this step */
    const json_t *sources[STN_ASKS_SOURCES_MAX];
    followed *asked;
    size_t asked_count;
    stn_resids *resids;
    json_t *labels; /* object id or reference -> label */
    json_t *refs; /* script id -> resid */
    struct {
        char *id;
        stn_saved *saved;
    } saved[SAVED_MAX];
    size_t saved_count;
    held_fetch *held;
    json_t *reload_result;
    const char *broken; /* a script this driver does not understand */
} scenario;

typedef struct payload {
    bool has_text;
    char *text;
} payload;

static inline const char *str(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static inline int num(const json_t *o, const char *key, int fallback)
{
    const json_t *v = json_object_get(o, key);
    return json_is_integer(v) ? (int)json_integer_value(v) : fallback;
}

/* ask_sources.c: what a script's sources answer, and when. */
void ask_put_resource(stn_buf *b, int ver, const char *text, bool bad_layer);
size_t ask_disk_key(const char *name, char key[KEY_MAX]);
void ask_fetch(void *ctx, const stn_fetch *fetch);
void ask_free_held(held_fetch *h);
void ask_open_gates(scenario *s);
void ask_drop(void *ctx, void *p);

#endif
