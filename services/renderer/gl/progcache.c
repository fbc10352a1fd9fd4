#include "renderer/gl/progcache.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "STNPROG1";

/* Never changed and never freed before the cache is: the thread that writes reads it without a lock. */
typedef struct entry {
    uint64_t key;
    uint32_t format;
    size_t len;
    uint8_t data[];
} entry;

struct stn_progcache {
    char *path;
    entry *entries[STN_PROGCACHE_MAX]; /* a later one of the same key counts */
    size_t count, bytes;
    size_t written; /* entries that are in the file or on their way there */
    pthread_t thread;
    bool running;
    atomic_bool ended;
    stn_buf out; /* what the thread writes */
};

static const entry *newest(const stn_progcache *c, size_t count, uint64_t key)
{
    for (size_t i = count; i-- > 0;)
        if (c->entries[i]->key == key)
            return c->entries[i];
    return NULL;
}

static void encode(const stn_progcache *c, size_t count, stn_buf *out)
{
    stn_buf_put(out, magic, sizeof magic);
    for (size_t i = 0; i < count; i++) {
        const entry *e = c->entries[i];

        if (newest(c, count, e->key) != e)
            continue;
        stn_buf_u64(out, e->key);
        stn_buf_u32(out, e->format);
        stn_buf_u32(out, (uint32_t)e->len);
        stn_buf_put(out, e->data, e->len);
    }
    if (!out->failed)
        stn_buf_u64(out, stn_hash_feed(STN_HASH_START, out->data, out->len));
}

static void read_file(stn_progcache *c)
{
    uint8_t *data = NULL;
    size_t len;
    stn_err err = {0};
    stn_status st = stn_file_read(c->path, STN_PROGCACHE_BYTES + 4096, &data, &len, &err);

    if (st == STN_OK)
        st = stn_progcache_decode(c, data, len, &err);
    if (st != STN_OK && st != STN_NOT_FOUND)
        stn_log_info("the programs of the last time are not used: %s", err.text);
    c->written = c->count;
    free(data);
}

stn_progcache *stn_progcache_new(const char *path)
{
    stn_progcache *c = calloc(1, sizeof *c);

    if (!c || (path && !(c->path = strdup(path)))) {
        free(c);
        return NULL;
    }
    if (path)
        read_file(c);
    return c;
}

static void write_out(stn_progcache *c)
{
    char folder[4096];
    const char *slash = strrchr(c->path, '/');
    stn_err err = {0};
    stn_status st = STN_OK;

    if (slash && (size_t)(slash - c->path) < sizeof folder) {
        memcpy(folder, c->path, (size_t)(slash - c->path));
        folder[slash - c->path] = 0;
        st = stn_file_mkdirs(folder, 0700, &err);
    }
    if (st == STN_OK)
        st = stn_file_write(c->path, c->out.data, c->out.len, 0600, false, &err);
    if (st != STN_OK)
        stn_log_info("the programs are not kept for the next start: %s", err.text);
}

static void *thread_main(void *arg)
{
    stn_progcache *c = arg;

    /* The entries that there were when it began: the others may be on their way in. */
    stn_buf_clear(&c->out);
    encode(c, c->written, &c->out);
    if (!c->out.failed)
        write_out(c);
    atomic_store(&c->ended, true);
    return NULL;
}

static void join(stn_progcache *c)
{
    pthread_join(c->thread, NULL);
    c->running = false;
}

void stn_progcache_save(stn_progcache *c)
{
    if (c->running && atomic_load(&c->ended))
        join(c);
    if (!c->path || c->running || c->written == c->count)
        return;
    c->written = c->count;
    atomic_store(&c->ended, false);
    c->running = pthread_create(&c->thread, NULL, thread_main, c) == 0;
}

void stn_progcache_free(stn_progcache *c)
{
    if (!c)
        return;
    if (c->running)
        join(c);
    stn_progcache_save(c);
    if (c->running)
        join(c);
    for (size_t i = 0; i < c->count; i++)
        free(c->entries[i]);
    stn_buf_fini(&c->out);
    free(c->path);
    free(c);
}

size_t stn_progcache_count(const stn_progcache *c)
{
    return c->count;
}

const void *stn_progcache_get(const stn_progcache *c, uint64_t key, uint32_t *format, size_t *len)
{
    const entry *e = newest(c, c->count, key);

    if (!e)
        return NULL;
    *format = e->format;
    *len = e->len;
    return e->data;
}

void stn_progcache_put(stn_progcache *c, uint64_t key, uint32_t format, const void *data, size_t len)
{
    entry *e;

    if (c->count == STN_PROGCACHE_MAX || len == 0 || len > STN_PROGCACHE_BYTES - c->bytes ||
        !(e = malloc(sizeof *e + len)))
        return;
    e->key = key;
    e->format = format;
    e->len = len;
    memcpy(e->data, data, len);
    c->entries[c->count++] = e;
    c->bytes += len;
}

void stn_progcache_encode(const stn_progcache *c, stn_buf *out)
{
    encode(c, c->count, out);
}

stn_status stn_progcache_decode(stn_progcache *c, const uint8_t *data, size_t len, stn_err *err)
{
    stn_bytes in, tail;

    if (len < sizeof magic + 8 || memcmp(data, magic, sizeof magic) != 0)
        return stn_fail(err, STN_BAD_DATA, "%zu bytes that are no cache of programs", len);
    tail = stn_bytes_of(data + len - 8, 8);
    if (stn_bytes_u64(&tail) != stn_hash_feed(STN_HASH_START, data, len - 8))
        return stn_fail(err, STN_BAD_DATA, "a cache of programs whose sum is wrong");
    in = stn_bytes_of(data + sizeof magic, len - sizeof magic - 8);
    while (stn_bytes_left(&in) > 0) {
        uint64_t key = stn_bytes_u64(&in);
        uint32_t format = stn_bytes_u32(&in), size = stn_bytes_u32(&in);
        const uint8_t *bytes = size <= stn_bytes_left(&in) ? stn_bytes_take(&in, size) : NULL;

        if (!stn_bytes_ok(&in) || !bytes)
            return stn_fail(err, STN_TRUNCATED, "a cache of programs: entry of %u bytes, %zu left", size,
                            stn_bytes_left(&in));
        stn_progcache_put(c, key, format, bytes, size);
    }
    return STN_OK;
}
