#include "renderer/scene/batch.h"

#include "base/hash.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

struct group {
    stn_batch_key key;
    struct group *same_hash; /* other keys of this hash */
    uint64_t *member;
    size_t count, cap;
    bool is_batch;
};

struct thing {
    struct group *group; /* NULL: bypassed */
    size_t at;
};

struct stn_batches {
    stn_table *things; /* id + 1 -> struct thing */
    stn_table *groups; /* hash -> struct group, chained */
    stn_batch_counts counts;
};

stn_batches *stn_batches_new(void)
{
    stn_batches *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->things = stn_table_new();
    b->groups = stn_table_new();
    if (!b->things || !b->groups) {
        stn_batches_free(b);
        return NULL;
    }
    return b;
}

void stn_batches_free(stn_batches *b)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    if (!b)
        return;
    while (b->things && stn_table_next(b->things, &it, &key, &v))
        free(v);
    it = 0;
    while (b->groups && stn_table_next(b->groups, &it, &key, &v))
        for (struct group *g = v, *next; g; g = next) {
            next = g->same_hash;
            free(g->member);
            free(g);
        }
    stn_table_free(b->things);
    stn_table_free(b->groups);
    free(b);
}

static uint64_t hash_of(const stn_batch_key *k)
{
    uint64_t h = stn_hash_feed(STN_HASH_START, &k->mesh, sizeof k->mesh);

    h = stn_hash_feed(h, &k->group, sizeof k->group);
    return stn_hash_feed(h, &k->variant, sizeof k->variant);
}

static struct group *find_group(stn_batches *b, const stn_batch_key *key, bool make)
{
    uint64_t h = hash_of(key);
    struct group *first = stn_table_get(b->groups, h), *g;

    for (g = first; g; g = g->same_hash)
        if (g->key.mesh == key->mesh && g->key.group == key->group && g->key.variant == key->variant)
            return g;
    if (!make)
        return NULL;
    g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->key = *key;
    g->same_hash = first;
    if (!stn_table_put(b->groups, h, g, NULL)) {
        free(g);
        return NULL;
    }
    return g;
}

/* Counts what the group gives to the draw list; sign is 1 or -1. */
static void count_group(stn_batches *b, const struct group *g, int sign)
{
    size_t one = (size_t)sign;

    if (g->count == 0)
        return;
    b->counts.entries += one;
    if (g->is_batch) {
        b->counts.batches += one;
        b->counts.members += one * g->count;
    } else {
        b->counts.lone += one;
    }
}

/* A key that nothing has any more is forgotten: things are keyed by place, and places come without end. */
static void forget(stn_batches *b, struct group *g)
{
    uint64_t h = hash_of(&g->key);
    struct group *first = stn_table_get(b->groups, h);

    if (first == g && !g->same_hash) {
        stn_table_remove(b->groups, h);
    } else if (first == g) {
        stn_table_put(b->groups, h, g->same_hash, NULL); /* in place of g: takes no memory */
    } else {
        while (first->same_hash != g)
            first = first->same_hash;
        first->same_hash = g->same_hash;
    }
    free(g->member);
    free(g);
}

bool stn_batches_add(stn_batches *b, uint64_t id, const stn_batch_key *key)
{
    struct thing *t = stn_table_get(b->things, id);
    struct group *g;

    if (t)
        return false;
    t = calloc(1, sizeof *t);
    if (!t || !stn_table_put(b->things, id, t, NULL)) {
        free(t);
        return false;
    }
    if (key->bypass) {
        b->counts.bypassed++;
        b->counts.entries++;
        return true;
    }
    g = find_group(b, key, true);
    if (g && g->count == g->cap) {
        size_t cap = g->cap ? g->cap * 2 : 16;
        void *p = realloc(g->member, cap * sizeof *g->member);

        if (p) {
            g->member = p;
            g->cap = cap;
        }
    }
    if (!g || g->count == g->cap) {
        if (g && g->count == 0)
            forget(b, g);
        stn_table_remove(b->things, id);
        free(t);
        return false;
    }
    count_group(b, g, -1);
    t->group = g;
    t->at = g->count;
    g->member[g->count++] = id;
    g->is_batch = g->is_batch || g->count > 1;
    count_group(b, g, 1);
    return true;
}

void stn_batches_remove(stn_batches *b, uint64_t id)
{
    struct thing *t = stn_table_remove(b->things, id), *moved;
    struct group *g;

    if (!t)
        return;
    g = t->group;
    if (!g) {
        b->counts.bypassed--;
        b->counts.entries--;
        free(t);
        return;
    }
    count_group(b, g, -1);
    g->member[t->at] = g->member[--g->count];
    moved = t->at < g->count ? stn_table_get(b->things, g->member[t->at]) : NULL;
    if (moved)
        moved->at = t->at;
    count_group(b, g, 1);
    if (g->count == 0)
        forget(b, g);
    free(t);
}

stn_batch_counts stn_batches_counts(const stn_batches *b)
{
    return b->counts;
}

const uint64_t *stn_batches_members(const stn_batches *b, uint64_t id, size_t *count)
{
    const struct thing *t = stn_table_get(b->things, id);

    *count = 0;
    if (!t || !t->group || !t->group->is_batch)
        return NULL;
    *count = t->group->count;
    return t->group->member;
}
