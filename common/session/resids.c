#include "session/resids.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

struct stn_resids {
    stn_table *slots; /* id -> stn_resid */
    void (*drop)(void *ctx, void *object);
    void *ctx;
};

stn_resids *stn_resids_new(void (*drop)(void *ctx, void *object), void *ctx)
{
    stn_resids *ids = calloc(1, sizeof *ids);
    if (!ids)
        return NULL;
    ids->slots = stn_table_new();
    ids->drop = drop;
    ids->ctx = ctx;
    if (!ids->slots) {
        free(ids);
        return NULL;
    }
    return ids;
}

static void drop_object(const stn_resids *ids, stn_resid *slot)
{
    if (slot->object && ids->drop)
        ids->drop(ids->ctx, slot->object);
    slot->object = NULL;
}

void stn_resids_free(stn_resids *ids)
{
    if (!ids)
        return;
    size_t it = 0;
    uint64_t id;
    void *v;
    while (stn_table_next(ids->slots, &it, &id, &v)) {
        stn_resid *slot = v;
        drop_object(ids, slot);
        free(slot->name);
        free(slot);
    }
    stn_table_free(ids->slots);
    free(ids);
}

static stn_resid *slot_of(stn_resids *ids, uint16_t id)
{
    stn_resid *slot = stn_table_get(ids->slots, id);
    if (slot)
        return slot;
    slot = calloc(1, sizeof *slot);
    if (!slot || !stn_table_put(ids->slots, id, slot, NULL)) {
        free(slot);
        return NULL;
    }
    slot->id = id;
    slot->prio = STN_RESID_PRIO_FIRST;
    return slot;
}

stn_status stn_resids_set(stn_resids *ids, uint16_t id, const char *name, size_t len, uint16_t version,
                          stn_err *err)
{
    stn_resid *slot = slot_of(ids, id);
    char *copy = strndup(name, len < STN_RESID_NAME_MAX ? len : STN_RESID_NAME_MAX);
    if (!slot || !copy) {
        free(copy);
        return stn_fail(err, STN_NO_MEMORY, "resource number %u", id);
    }
    free(slot->name);
    slot->name = copy;
    slot->version = version;
    slot->generation++;
    drop_object(ids, slot);
    return STN_OK;
}

stn_resid *stn_resids_take(stn_resids *ids, uint16_t id, int32_t prio)
{
    stn_resid *slot = slot_of(ids, id);
    if (slot && slot->prio < prio)
        slot->prio = prio;
    return slot;
}

stn_resid *stn_resids_find(const stn_resids *ids, uint16_t id)
{
    return stn_table_get(ids->slots, id);
}

size_t stn_resids_count(const stn_resids *ids)
{
    return stn_table_count(ids->slots);
}

/* The place of a key, or where it would stand. */
static size_t place_of(const stn_resmap *map, uint16_t key)
{
    size_t at = 0;
    while (at < map->count && map->pairs[at].key < key)
        at++;
    return at;
}

stn_status stn_resmap_read(stn_bytes *in, stn_resmap *out, stn_err *err)
{
    out->count = 0;
    if (!stn_bytes_left(in))
        return STN_OK;
    unsigned n = stn_bytes_u8(in);
    if (stn_bytes_left(in) < n * 4u)
        return stn_fail(err, STN_TRUNCATED, "resource number table: %u pairs announced, %zu bytes left", n,
                        stn_bytes_left(in));
    for (unsigned i = 0; i < n; i++) {
        stn_resmap_pair p = {.key = stn_bytes_u16(in)};
        p.value = stn_bytes_u16(in);
        size_t at = place_of(out, p.key);
        if (at == out->count || out->pairs[at].key != p.key) {
            memmove(&out->pairs[at + 1], &out->pairs[at], (out->count - at) * sizeof p);
            out->count++;
        }
        out->pairs[at] = p;
    }
    return STN_OK;
}

bool stn_resmap_get(const stn_resmap *map, uint16_t key, uint16_t *value)
{
    size_t at = place_of(map, key);
    if (at == map->count || map->pairs[at].key != key)
        return false;
    *value = map->pairs[at].value;
    return true;
}
