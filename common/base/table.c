#include "base/table.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct slot {
    uint64_t key; /* the key, or the hash of the text */
    void *value; /* NULL = empty */
    char *text;
} slot;

typedef struct core {
    slot *slots;
    size_t cap; /* power of two, or 0 */
    size_t count;
} core;

struct stn_table {
    core c;
};
struct stn_names {
    core c;
};

static bool same(const slot *s, uint64_t key, const char *text)
{
    return s->key == key && (!text || strcmp(s->text, text) == 0);
}

static size_t home(const core *c, uint64_t key)
{
    return (size_t)stn_hash_u64(key) & (c->cap - 1);
}

static slot *find(const core *c, uint64_t key, const char *text)
{
    if (c->cap == 0)
        return NULL;
    for (size_t i = home(c, key);; i = (i + 1) & (c->cap - 1)) {
        slot *s = &c->slots[i];
        if (!s->value)
            return NULL;
        if (same(s, key, text))
            return s;
    }
}

static void insert_new(core *c, slot s)
{
    size_t i = home(c, s.key);
    while (c->slots[i].value)
        i = (i + 1) & (c->cap - 1);
    c->slots[i] = s;
    c->count++;
}

static bool grow(core *c)
{
    core bigger = {.cap = c->cap ? c->cap * 2 : 16};
    if (bigger.cap > SIZE_MAX / sizeof(slot) / 2)
        return false;
    bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < c->cap; i++)
        if (c->slots[i].value)
            insert_new(&bigger, c->slots[i]);
    free(c->slots);
    *c = bigger;
    return true;
}

static bool put(core *c, uint64_t key, const char *text, void *value, void **old)
{
    slot *s = find(c, key, text);
    slot fresh = {.key = key, .value = value};

    if (old)
        *old = s ? s->value : NULL;
    if (s) {
        s->value = value;
        return true;
    }
    if ((c->count + 1) * 4 > c->cap * 3 && !grow(c))
        return false;
    if (text && !(fresh.text = strdup(text)))
        return false;
    insert_new(c, fresh);
    return true;
}

static void *take_out(core *c, uint64_t key, const char *text)
{
    slot *s = find(c, key, text);
    void *value;
    size_t hole;

    if (!s)
        return NULL;
    value = s->value;
    free(s->text);
    hole = (size_t)(s - c->slots);
    /* Close the gap: an entry moves back when the hole lies between its home and its place. */
    for (size_t i = (hole + 1) & (c->cap - 1); c->slots[i].value; i = (i + 1) & (c->cap - 1)) {
        size_t want = home(c, c->slots[i].key);
        if (((i - want) & (c->cap - 1)) >= ((i - hole) & (c->cap - 1))) {
            c->slots[hole] = c->slots[i];
            hole = i;
        }
    }
    c->slots[hole] = (slot){0};
    c->count--;
    return value;
}

static slot *next(const core *c, size_t *it)
{
    while (*it < c->cap) {
        slot *s = &c->slots[(*it)++];
        if (s->value)
            return s;
    }
    return NULL;
}

stn_table *stn_table_new(void)
{
    return calloc(1, sizeof(stn_table));
}

void stn_table_free(stn_table *t)
{
    if (t)
        free(t->c.slots);
    free(t);
}

size_t stn_table_count(const stn_table *t)
{
    return t->c.count;
}

void *stn_table_get(const stn_table *t, uint64_t key)
{
    slot *s = find(&t->c, key, NULL);
    return s ? s->value : NULL;
}

bool stn_table_put(stn_table *t, uint64_t key, void *value, void **old)
{
    return put(&t->c, key, NULL, value, old);
}

void *stn_table_remove(stn_table *t, uint64_t key)
{
    return take_out(&t->c, key, NULL);
}

void stn_table_clear(stn_table *t)
{
    if (t->c.slots)
        memset(t->c.slots, 0, t->c.cap * sizeof *t->c.slots);
    t->c.count = 0;
}

bool stn_table_next(const stn_table *t, size_t *it, uint64_t *key, void **value)
{
    slot *s = next(&t->c, it);
    if (!s)
        return false;
    *key = s->key;
    *value = s->value;
    return true;
}

stn_names *stn_names_new(void)
{
    return calloc(1, sizeof(stn_names));
}

void stn_names_free(stn_names *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->c.cap; i++)
        free(t->c.slots[i].text);
    free(t->c.slots);
    free(t);
}

size_t stn_names_count(const stn_names *t)
{
    return t->c.count;
}

void *stn_names_get(const stn_names *t, const char *key)
{
    slot *s = find(&t->c, stn_hash_text(key), key);
    return s ? s->value : NULL;
}

bool stn_names_put(stn_names *t, const char *key, void *value, void **old)
{
    return put(&t->c, stn_hash_text(key), key, value, old);
}

void *stn_names_remove(stn_names *t, const char *key)
{
    return take_out(&t->c, stn_hash_text(key), key);
}

bool stn_names_next(const stn_names *t, size_t *it, const char **key, void **value)
{
    slot *s = next(&t->c, it);
    if (!s)
        return false;
    *key = s->text;
    *value = s->value;
    return true;
}
