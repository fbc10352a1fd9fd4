/* The folder as a whole: listing, counting, and what goes when it is over its cap. */
#include "base/clock.h"
#include "base/text.h"
#include "cache/cache_entry.h"
#include "cache/diskcache_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEMPORARY_AGE_S (24 * 3600)

static DIR *open_listing(const stn_diskcache *c, stn_err *err)
{
    int fd = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        stn_fail(err, STN_IO, "disk cache: listing: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
    }
    return d;
}

typedef struct lister {
    stn_diskcache *c;
    bool all; /* also what is no good entry */
    stn_diskcache_fn *fn;
    void *ctx;
    stn_buf content, identity, key;
} lister;

static stn_status read_header(lister *l, int fd, size_t max, size_t *body)
{
    stn_buf_clear(&l->identity);
    stn_buf_clear(&l->key);
    stn_status st = stn_diskcache_fill(fd, max, &l->content, NULL);
    return st != STN_OK
               ? st
               : stn_cache_header_read(l->content.data, l->content.len, &l->identity, &l->key, body, NULL);
}

static void list_one(lister *l, const char *file, uint64_t hash, uint32_t slot)
{
    stn_diskcache_item item = {.state = STN_CACHED_ALIEN, .file = file};
    int fd;
    struct stat sb;
    size_t body = 0;
    if (stn_diskcache_open_slot(l->c, file, &fd, &sb, NULL) != STN_OK) {
        if (l->all)
            l->fn(l->ctx, &item);
        return;
    }
    stn_buf_clear(&l->content);
    /* Two steps: nearly every header fits the first. */
    stn_status st = read_header(l, fd, 1024, &body);
    if (st == STN_TRUNCATED)
        st = read_header(l, fd, STN_CACHE_HEADER_MAX, &body);
    close(fd);
    int64_t read_s = sb.st_atim.tv_sec > sb.st_mtim.tv_sec ? sb.st_atim.tv_sec : sb.st_mtim.tv_sec;
    item.bytes = sb.st_size < 0 ? 0 : (uint64_t)sb.st_size;
    item.read_ns = read_s * STN_S;
    if (st == STN_OK) {
        /* The texts are counted, so that a NUL inside one does not hide that the name is another's. */
        uint64_t its = stn_cache_hash((const char *)l->identity.data, l->identity.len - 1,
                                      (const char *)l->key.data, l->key.len - 1);
        item.state = its == hash && slot < STN_CACHE_SLOTS ? STN_CACHED_ENTRY : STN_CACHED_MISPLACED;
        item.identity = (const char *)l->identity.data;
        item.key = (const char *)l->key.data;
        item.body_bytes = item.bytes > body ? item.bytes - body : 0;
    } else if (st == STN_TRUNCATED) {
        item.state = STN_CACHED_FREE;
    } else if (st == STN_BAD_DATA) {
        item.state = STN_CACHED_MALFORMED;
    }
    if (st == STN_OK || l->all)
        l->fn(l->ctx, &item);
}

static stn_status list_all(lister *l, stn_err *err)
{
    DIR *d = open_listing(l->c, err);
    if (!d)
        return STN_IO;
    const struct dirent *e;
    while ((e = readdir(d))) {
        uint64_t hash;
        uint32_t slot;
        if (stn_cache_file_parse(e->d_name, &hash, &slot))
            list_one(l, e->d_name, hash, slot);
    }
    closedir(d);
    stn_buf_fini(&l->content);
    stn_buf_fini(&l->identity);
    stn_buf_fini(&l->key);
    return STN_OK;
}

stn_status stn_diskcache_each(stn_diskcache *c, stn_diskcache_fn *fn, void *ctx, stn_err *err)
{
    return list_all(&(lister){.c = c, .fn = fn, .ctx = ctx}, err);
}

stn_status stn_diskcache_each_file(stn_diskcache *c, stn_diskcache_fn *fn, void *ctx, stn_err *err)
{
    return list_all(&(lister){.c = c, .all = true, .fn = fn, .ctx = ctx}, err);
}

stn_status stn_diskcache_body(stn_diskcache *c, const char *file, size_t max_bytes, uint8_t **data,
                              size_t *len, stn_err *err)
{
    stn_buf content = {0}, identity = {0}, key = {0};
    struct stat sb;
    size_t body = 0, all;
    int fd;
    *data = NULL;
    *len = 0;
    stn_status st = stn_diskcache_open_slot(c, file, &fd, &sb, err);
    if (st != STN_OK)
        return st;
    st = stn_diskcache_fill(fd, STN_CACHE_HEADER_MAX + max_bytes + 1, &content, err);
    close(fd);
    if (st == STN_OK)
        st = stn_cache_header_read(content.data, content.len, &identity, &key, &body, err);
    if (st == STN_OK && content.len - body > max_bytes)
        st = stn_fail(err, STN_TOO_BIG, "disk cache entry %s: over %zu bytes", file, max_bytes);
    if (st == STN_OK) {
        *len = content.len - body;
        memmove(content.data, content.data + body, *len);
        *data = stn_buf_take(&content, &all);
    }
    stn_buf_fini(&content);
    stn_buf_fini(&identity);
    stn_buf_fini(&key);
    return st;
}

stn_status stn_diskcache_unlink(stn_diskcache *c, const char *file, stn_err *err)
{
    uint64_t hash;
    uint32_t slot;
    if (!stn_cache_file_parse(file, &hash, &slot))
        return stn_fail(err, STN_USAGE, "disk cache: \"%.60s\" is not the name of an entry", file);
    if (unlinkat(c->dir, file, 0) != 0 && errno != ENOENT)
        return stn_fail(err, STN_IO, "disk cache entry %s: %s", file, strerror(errno));
    return STN_OK;
}

/* ---- the cap ---- */

typedef struct found {
    int64_t read_ns;
    uint64_t bytes;
    char file[STN_CACHE_FILE_MAX];
} found;

typedef struct sweep {
    stn_buf list; /* of found */
    stn_diskcache_sum sum;
} sweep;

static void sweep_item(void *ctx, const stn_diskcache_item *item)
{
    sweep *s = ctx;
    if (!stn_text_starts(item->key, "res/"))
        return;
    found f = {.read_ns = item->read_ns, .bytes = item->bytes};
    memcpy(f.file, item->file, strnlen(item->file, sizeof f.file - 1)); /* as long as a parsed name can be */
    stn_buf_put(&s->list, &f, sizeof f);
    s->sum.entries++;
    s->sum.bytes += item->bytes;
}

static int by_age(const void *a, const void *b)
{
    const found *x = a, *y = b;
    return x->read_ns != y->read_ns ? (x->read_ns < y->read_ns ? -1 : 1) : strcmp(x->file, y->file);
}

static void drop_temporaries(stn_diskcache *c, DIR *d)
{
    const struct dirent *e;
    time_t now = time(NULL);
    while ((e = readdir(d))) {
        struct stat sb;
        if (stn_text_starts(e->d_name, "cache") && stn_text_ends(e->d_name, ".new") &&
            fstatat(c->dir, e->d_name, &sb, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(sb.st_mode) &&
            now - sb.st_mtime > TEMPORARY_AGE_S)
            unlinkat(c->dir, e->d_name, 0);
    }
}

stn_status stn_diskcache_sweep(stn_diskcache *c, stn_diskcache_sum *out, stn_err *err)
{
    sweep s = {0};
    DIR *d = open_listing(c, err);
    if (!d)
        return STN_IO;
    drop_temporaries(c, d);
    closedir(d);
    stn_status st = stn_diskcache_each(c, sweep_item, &s, err);
    if (st == STN_OK && s.list.failed)
        st = stn_fail(err, STN_NO_MEMORY, "disk cache: listing");
    if (st == STN_OK && c->cap && s.sum.bytes > c->cap) {
        found *list = (found *)(void *)s.list.data;
        size_t n = s.list.len / sizeof *list;
        qsort(list, n, sizeof *list, by_age);
        for (size_t i = 0; i < n && s.sum.bytes > c->cap / 8 * 7; i++) {
            if (unlinkat(c->dir, list[i].file, 0) != 0 && errno != ENOENT)
                continue;
            s.sum.bytes -= list[i].bytes;
            s.sum.entries--;
            s.sum.evicted++;
            s.sum.evicted_bytes += list[i].bytes;
        }
    }
    stn_buf_fini(&s.list);
    *out = s.sum;
    return st;
}
