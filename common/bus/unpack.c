#include "bus/unpack.h"

#include "base/arena.h"

#include <stdbool.h>
#include <stdlib.h>

struct stn_unpacker {
    stn_arena *arena;
    size_t max_bytes;
    bool full; /* an allocation did not fit */
    ProtobufCAllocator allocator;
};

static void *unpacker_alloc(void *ctx, size_t size)
{
    stn_unpacker *u = ctx;
    void *p = stn_arena_alloc(u->arena, size > 0 ? size : 1);
    if (!p)
        u->full = true;
    return p;
}

/* All goes at the next reset. */
static void unpacker_release(void *ctx, void *p)
{
    (void)ctx;
    (void)p;
}

stn_unpacker *stn_unpacker_new(size_t max_bytes)
{
    stn_unpacker *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->max_bytes = max_bytes;
    u->allocator = (ProtobufCAllocator){unpacker_alloc, unpacker_release, u};
    u->arena = stn_arena_new(max_bytes < 4096 ? max_bytes : 4096, max_bytes);
    if (!u->arena) {
        free(u);
        return NULL;
    }
    return u;
}

void stn_unpacker_free(stn_unpacker *u)
{
    if (!u)
        return;
    stn_arena_free(u->arena);
    free(u);
}

stn_status stn_unpack(stn_unpacker *u, const ProtobufCMessageDescriptor *type, const void *data, size_t len,
                      const ProtobufCMessage **out, stn_err *err)
{
    stn_arena_reset(u->arena);
    u->full = false;
    *out = protobuf_c_message_unpack(type, &u->allocator, len, data);
    if (*out)
        return STN_OK;
    if (u->full)
        return stn_fail(err, STN_TOO_BIG, "%s of %zu bytes needs over %zu bytes unpacked", type->short_name,
                        len, u->max_bytes);
    return stn_fail(err, STN_BAD_DATA, "%zu bytes are not a %s", len, type->short_name);
}
