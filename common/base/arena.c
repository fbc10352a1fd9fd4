#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    struct block *next;
    size_t size, used;
    /* memory follows, 16-byte aligned */
} block;

#define HEAD ((sizeof(block) + 15) & ~(size_t)15)

struct stn_arena {
    block *blocks; /* the one in use first */
    size_t next_size, max, total, used, peak;
};

static block *block_new(stn_arena *arena, size_t need)
{
    size_t size = arena->next_size;
    block *b;

    if (need > size)
        size = need;
    if (arena->max) {
        size_t left = arena->max - arena->total;
        if (need > left)
            return NULL;
        if (size > left)
            size = left;
    }
    if (size > SIZE_MAX - HEAD)
        return NULL;
    b = malloc(HEAD + size);
    if (!b)
        return NULL;
    b->size = size;
    b->used = 0;
    b->next = arena->blocks;
    arena->blocks = b;
    arena->total += size;
    if (arena->next_size < (size_t)1 << 24)
        arena->next_size *= 2;
    return b;
}

stn_arena *stn_arena_new(size_t first_block_bytes, size_t max_bytes)
{
    stn_arena *arena = calloc(1, sizeof *arena);
    if (!arena)
        return NULL;
    arena->next_size = first_block_bytes < 256 ? 256 : (first_block_bytes + 15) & ~(size_t)15;
    arena->max = max_bytes;
    return arena;
}

void stn_arena_free(stn_arena *arena)
{
    if (!arena)
        return;
    for (block *b = arena->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(arena);
}

void stn_arena_reset(stn_arena *arena)
{
    block *keep = NULL;
    for (block *b = arena->blocks; b; b = b->next)
        if (!keep || b->size > keep->size)
            keep = b;
    for (block *b = arena->blocks, *next; b; b = next) {
        next = b->next;
        if (b != keep) {
            arena->total -= b->size;
            free(b);
        }
    }
    if (keep) {
        keep->next = NULL;
        keep->used = 0;
    }
    arena->blocks = keep;
    arena->used = 0;
}

void *stn_arena_alloc(stn_arena *arena, size_t bytes)
{
    block *b = arena->blocks;
    size_t need;
    void *p;

    if (bytes > SIZE_MAX - 31)
        return NULL;
    need = (bytes + 15) & ~(size_t)15;
    if (need == 0)
        need = 16;
    if (!b || need > b->size - b->used)
        b = block_new(arena, need);
    if (!b)
        return NULL;
    p = (unsigned char *)b + HEAD + b->used;
    b->used += need;
    arena->used += need;
    if (arena->used > arena->peak)
        arena->peak = arena->used;
    return p;
}

void *stn_arena_array(stn_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    return stn_arena_alloc(arena, count * size);
}

void *stn_arena_zalloc(stn_arena *arena, size_t count, size_t size)
{
    void *p = stn_arena_array(arena, count, size);
    if (p)
        memset(p, 0, count * size);
    return p;
}

void *stn_arena_dup(stn_arena *arena, const void *data, size_t bytes)
{
    void *p = stn_arena_alloc(arena, bytes);
    if (p && bytes)
        memcpy(p, data, bytes);
    return p;
}

char *stn_arena_strndup(stn_arena *arena, const char *text, size_t len)
{
    char *p = len < SIZE_MAX ? stn_arena_alloc(arena, len + 1) : NULL;
    if (p) {
        memcpy(p, text, len);
        p[len] = 0;
    }
    return p;
}

char *stn_arena_strdup(stn_arena *arena, const char *text)
{
    return stn_arena_strndup(arena, text, strlen(text));
}

size_t stn_arena_used(const stn_arena *arena)
{
    return arena->used;
}

size_t stn_arena_size(const stn_arena *arena)
{
    return arena->total;
}

size_t stn_arena_peak(const stn_arena *arena)
{
    return arena->peak;
}
