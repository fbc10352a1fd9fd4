#include "loader/object.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

struct stn_object {
    uint64_t id;
    stn_object *older, *younger; /* order of last use, of those that nobody holds */
    char *name;
    void *payload;
    size_t bytes; /* payload and bookkeeping */
    unsigned source;
    unsigned holds;
    unsigned caches;
    int version;
    bool used;
};

struct stn_objects {
    stn_table *by_id;
    stn_object *oldest, *youngest;
    stn_payload_drop *drop;
    void *ctx;
    uint64_t last_id;
    size_t budget, bytes, held_bytes;
};

stn_objects *stn_objects_new(size_t budget_bytes, stn_payload_drop *drop, void *ctx)
{
    stn_objects *all = calloc(1, sizeof *all);
    if (!all)
        return NULL;
    all->by_id = stn_table_new();
    if (!all->by_id) {
        free(all);
        return NULL;
    }
    all->budget = budget_bytes;
    all->drop = drop;
    all->ctx = ctx;
    return all;
}

static void unlink_object(stn_objects *all, stn_object *o)
{
    *(o->older ? &o->older->younger : &all->oldest) = o->younger;
    *(o->younger ? &o->younger->older : &all->youngest) = o->older;
    o->older = o->younger = NULL;
}

static void link_youngest(stn_objects *all, stn_object *o)
{
    o->older = all->youngest;
    *(all->youngest ? &all->youngest->younger : &all->oldest) = o;
    all->youngest = o;
}

static void dispose(stn_objects *all, stn_object *o)
{
    all->drop(all->ctx, o->payload);
    free(o->name);
    free(o);
}

/* The object is held or in the list; either way it is taken out. */
static void destroy(stn_objects *all, stn_object *o)
{
    if (!o->holds)
        unlink_object(all, o);
    stn_table_remove(all->by_id, o->id);
    all->bytes -= o->bytes;
    if (o->holds)
        all->held_bytes -= o->bytes;
    dispose(all, o);
}

void stn_objects_free(stn_objects *all)
{
    if (!all)
        return;
    size_t it = 0;
    uint64_t id;
    void *o;
    while (stn_table_next(all->by_id, &it, &id, &o))
        dispose(all, o);
    stn_table_free(all->by_id);
    free(all);
}

stn_object *stn_object_new(stn_objects *all, const char *name, int version, unsigned source, void *payload,
                           size_t bytes)
{
    stn_object *o = calloc(1, sizeof *o);
    char *copy = strdup(name);
    if (!o || !copy || !stn_table_put(all->by_id, all->last_id + 1, o, NULL)) {
        free(o);
        free(copy);
        all->drop(all->ctx, payload);
        return NULL;
    }
    o->id = ++all->last_id;
    o->name = copy;
    o->version = version;
    o->source = source;
    o->payload = payload;
    o->bytes = bytes + sizeof *o + strlen(copy) + 1;
    o->holds = 1;
    all->bytes += o->bytes;
    all->held_bytes += o->bytes;
    return o;
}

void stn_object_hold(stn_objects *all, stn_object *o)
{
    if (o->holds++ == 0) {
        all->held_bytes += o->bytes;
        unlink_object(all, o);
    }
}

void stn_object_asked(stn_objects *all, stn_object *o)
{
    if (o->holds)
        return; /* it becomes the youngest when it is released */
    unlink_object(all, o);
    link_youngest(all, o);
}

void stn_object_release(stn_objects *all, stn_object *o)
{
    if (--o->holds > 0)
        return;
    all->held_bytes -= o->bytes;
    link_youngest(all, o);
    if (o->caches == 0)
        destroy(all, o);
}

void stn_object_cached(stn_objects *all, stn_object *o)
{
    o->caches++;
    stn_object_asked(all, o);
}

void stn_object_uncached(stn_objects *all, stn_object *o)
{
    if (--o->caches == 0 && o->holds == 0)
        destroy(all, o);
}

void stn_object_set_used(stn_object *o, bool used)
{
    o->used = used;
}

void stn_object_set_payload(stn_objects *all, stn_object *o, void *payload, size_t bytes)
{
    size_t total = bytes + sizeof *o + strlen(o->name) + 1;
    all->drop(all->ctx, o->payload);
    all->bytes += total - o->bytes;
    if (o->holds)
        all->held_bytes += total - o->bytes;
    o->payload = payload;
    o->bytes = total;
}

stn_object *stn_objects_over(const stn_objects *all)
{
    return all->bytes > all->budget ? all->oldest : NULL;
}

stn_object *stn_objects_find(const stn_objects *all, uint64_t id)
{
    return stn_table_get(all->by_id, id);
}

uint64_t stn_object_id(const stn_object *o)
{
    return o->id;
}

const char *stn_object_name(const stn_object *o)
{
    return o->name;
}

int stn_object_version(const stn_object *o)
{
    return o->version;
}

unsigned stn_object_source(const stn_object *o)
{
    return o->source;
}

bool stn_object_used(const stn_object *o)
{
    return o->used;
}

void *stn_object_payload(const stn_object *o)
{
    return o->payload;
}

size_t stn_object_bytes(const stn_object *o)
{
    return o->bytes;
}

unsigned stn_object_holds(const stn_object *o)
{
    return o->holds;
}

size_t stn_objects_count(const stn_objects *all)
{
    return stn_table_count(all->by_id);
}

size_t stn_objects_bytes(const stn_objects *all)
{
    return all->bytes;
}

size_t stn_objects_held_bytes(const stn_objects *all)
{
    return all->held_bytes;
}

size_t stn_objects_budget(const stn_objects *all)
{
    return all->budget;
}
