#include "cache/diskcache.h"
#include "cache/diskcache_private.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/folders.h"
#include "base/hash.h"
#include "base/pages.h"
#include "cache/cache_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_WAIT_NS (2 * STN_S)
/* The time of the last read is only written when it would move by this much, so that hits cost no inode
 * writes. */
#define READ_TIME_STEP_S 60

stn_status stn_diskcache_default_dir(char **out, stn_err *err)
{
    const char *appdata = getenv("APPDATA");
    const struct passwd *pw;
    int n = -1;
    *out = NULL;
    if (appdata && *appdata && access(appdata, R_OK | W_OK | X_OK) == 0)
        n = asprintf(out, "%s/Haven and Hearth/data", appdata);
    else if ((pw = getpwuid(getuid())) && pw->pw_dir && *pw->pw_dir)
        n = asprintf(out, "%s/.haven/data", pw->pw_dir);
    else
        return stn_fail(err, STN_NOT_FOUND, "disk cache: no APPDATA and no home folder in the user database");
    if (n < 0) {
        *out = NULL;
        return stn_fail(err, STN_NO_MEMORY, "disk cache folder");
    }
    return STN_OK;
}

stn_status stn_diskcache_dir(const char *option, char **out, stn_err *err)
{
    char usual[4096] = "";
    *out = NULL;
    if (strcmp(option, "none") == 0)
        return STN_OK;
    if (strcmp(option, "shared") == 0)
        return stn_diskcache_default_dir(out, err);
    if (!*option && stn_folder(STN_FOLDER_CACHE, "data", usual, sizeof usual, NULL) != STN_OK)
        return STN_OK;
    *out = strdup(*option ? option : usual);
    return *out ? STN_OK : stn_fail(err, STN_NO_MEMORY, "disk cache folder");
}

static stn_status open_folder(const char *dir, const char *identity, uint64_t cap_bytes, stn_diskcache **out,
                              stn_err *err)
{
    stn_status st;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat sb;
    *out = NULL;
    if (fd < 0 || fstat(fd, &sb) != 0) {
        st = stn_fail(err, errno == ENOENT ? STN_NOT_FOUND : STN_IO, "disk cache %s: %s", dir,
                      strerror(errno));
        goto fail;
    }
    if (sb.st_uid != geteuid() || (sb.st_mode & 022)) {
        st = stn_fail(
            err, STN_DENIED,
            "disk cache %s: owner %u, mode %04o; it must be yours and not writable by others (chmod go-w)",
            dir, (unsigned)sb.st_uid, (unsigned)sb.st_mode & 07777);
        goto fail;
    }
    stn_diskcache *c = calloc(1, sizeof *c);
    if (!c || !(c->identity = strdup(identity))) {
        free(c);
        st = stn_fail(err, STN_NO_MEMORY, "disk cache");
        goto fail;
    }
    c->dir = fd;
    c->cap = cap_bytes;
    *out = c;
    return STN_OK;
fail:
    if (fd >= 0)
        close(fd);
    return st;
}

stn_status stn_diskcache_open(const char *dir, const char *identity, uint64_t cap_bytes, stn_diskcache **out,
                              stn_err *err)
{
    *out = NULL;
    stn_status st = stn_file_mkdirs(dir, 0700, err);
    return st == STN_OK ? open_folder(dir, identity, cap_bytes, out, err) : st;
}

stn_status stn_diskcache_look(const char *dir, stn_diskcache **out, stn_err *err)
{
    return open_folder(dir, "", 0, out, err);
}

void stn_diskcache_free(stn_diskcache *c)
{
    if (!c)
        return;
    close(c->dir);
    free(c->identity);
    free(c);
}

/* ---- slots ---- */

stn_status stn_diskcache_fill(int fd, size_t max, stn_buf *out, stn_err *err)
{
    while (out->len < max) {
        size_t room = out->cap > out->len ? out->cap - out->len : 65536;
        size_t want = max - out->len < room ? max - out->len : room;
        uint8_t *to = stn_buf_add(out, want);
        if (!to)
            return stn_fail(err, STN_NO_MEMORY, "disk cache: reading %zu bytes", max);
        ssize_t n = read(fd, to, want);
        if (n < 0 && errno == EINTR)
            n = 0;
        else if (n <= 0) {
            out->len -= want;
            return n < 0 ? stn_fail(err, STN_IO, "disk cache: %s", strerror(errno)) : STN_OK;
        }
        out->len -= want - (size_t)n;
    }
    return STN_OK;
}

stn_status stn_diskcache_open_slot(const stn_diskcache *c, const char *file, int *fd, struct stat *sb,
                                   stn_err *err)
{
    *fd = openat(c->dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0)
        return stn_fail(err,
                        errno == ENOENT  ? STN_NOT_FOUND
                        : errno == ELOOP ? STN_DENIED
                                         : STN_IO,
                        "disk cache entry %s: %s", file, strerror(errno));
    if (fstat(*fd, sb) == 0 && S_ISREG(sb->st_mode))
        return STN_OK;
    close(*fd);
    *fd = -1;
    return stn_fail(err, STN_DENIED, "disk cache entry %s: not a regular file", file);
}

typedef struct target {
    stn_buf header;
    uint64_t hash;
} target;

static stn_status target_init(const stn_diskcache *c, const char *key, size_t key_len, target *t,
                              stn_err *err)
{
    *t = (target){.hash = stn_cache_hash(c->identity, strlen(c->identity), key, key_len)};
    stn_status st = stn_cache_header(c->identity, strlen(c->identity), key, key_len, &t->header, err);
    if (st != STN_OK)
        stn_buf_fini(&t->header);
    return st;
}

/* What stands in slot `i`. Only `max` bytes are read; *content has them when it is ours. */
static stn_status judge_slot(const stn_diskcache *c, const target *t, unsigned i, size_t max, stn_slot *slot,
                             size_t *body, stn_buf *content, struct stat *sb, stn_err *err)
{
    char file[STN_CACHE_FILE_MAX];
    int fd;
    stn_cache_file_name(t->hash, i, file);
    stn_status st = stn_diskcache_open_slot(c, file, &fd, sb, err);
    if (st == STN_DENIED) {
        if (err)
            stn_err_clear(err);
        *slot = STN_SLOT_OTHER;
        return STN_OK;
    }
    if (st != STN_OK)
        return st;
    /* Room for the whole at once, as the file is now: growing step by step would copy it several times. */
    size_t size = sb->st_size > 0 && (uint64_t)sb->st_size < max ? (size_t)sb->st_size + 1 : 0;
    stn_buf_clear(content);
    size_t had = content->cap;
    if (stn_buf_add(content, size) && content->cap > had)
        stn_pages_populate(content->data, size);
    stn_buf_clear(content);
    st = stn_diskcache_fill(fd, max, content, err);
    if (st == STN_OK)
        *slot = stn_cache_slot(content->data, content->len, t->header.data, t->header.len, body);
    struct timespec now;
    if (st == STN_OK && *slot == STN_SLOT_OURS && clock_gettime(CLOCK_REALTIME, &now) == 0 &&
        now.tv_sec - sb->st_atim.tv_sec >= READ_TIME_STEP_S)
        (void)futimens(fd, (const struct timespec[2]){{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}});
    close(fd);
    return st;
}

stn_status stn_diskcache_read_into(stn_diskcache *c, const char *key, size_t key_len, size_t max_bytes,
                                   stn_buf *content, size_t *body, stn_err *err)
{
    target t;
    stn_buf_clear(content);
    *body = 0;
    stn_status st = target_init(c, key, key_len, &t, err);
    if (st == STN_TOO_BIG)
        return stn_fail(err, STN_NOT_FOUND, "disk cache: a key that does not fit an entry");
    if (st != STN_OK)
        return st;
    bool found = false;
    for (unsigned i = 0; i < STN_CACHE_SLOTS && !found; i++) {
        stn_slot slot;
        struct stat sb;
        st = judge_slot(c, &t, i, t.header.len + max_bytes + 1, &slot, body, content, &sb, err);
        if (st != STN_OK || slot == STN_SLOT_FREE)
            break;
        found = slot == STN_SLOT_OURS;
    }
    if (found && content->len - *body > max_bytes)
        st = stn_fail(err, STN_TOO_BIG, "disk cache entry: over %zu bytes", max_bytes);
    else if (!found && st == STN_OK)
        st = stn_fail(err, STN_NOT_FOUND, "disk cache: no entry");
    stn_buf_fini(&t.header);
    return st;
}

stn_status stn_diskcache_read(stn_diskcache *c, const char *key, size_t key_len, size_t max_bytes,
                              uint8_t **data, size_t *len, stn_err *err)
{
    stn_buf content = {0};
    size_t body, all;
    *data = NULL;
    *len = 0;
    stn_status st = stn_diskcache_read_into(c, key, key_len, max_bytes, &content, &body, err);
    if (st == STN_OK) {
        *len = content.len - body;
        memmove(content.data, content.data + body, *len);
        *data = stn_buf_take(&content, &all);
    }
    stn_buf_fini(&content);
    return st;
}

/* ---- writing ---- */

static stn_status write_all(int fd, const void *data, size_t len)
{
    const uint8_t *p = data;
    while (len > 0) {
        ssize_t n = write(fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return STN_IO;
        p += n;
        len -= (size_t)n;
    }
    return STN_OK;
}

/* Slot 0 opened and locked on its first byte, and still the file of that name. */
static stn_status lock_hash(const stn_diskcache *c, uint64_t hash, int *out, stn_err *err)
{
    char file[STN_CACHE_FILE_MAX];
    int64_t deadline = stn_clock_ns() + LOCK_WAIT_NS;
    int64_t pause = STN_MS / 4;
    stn_cache_file_name(hash, 0, file);
    for (;;) {
        int fd = openat(c->dir, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        if (fd < 0)
            return stn_fail(err, STN_IO, "disk cache entry %s: %s", file, strerror(errno));
        /* Of the open file description: a plain lock is lost when any thread closes any descriptor of the
         * file. It conflicts with the plain locks of other programs all the same. */
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
        if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
            struct stat open_sb, path_sb;
            if (fstat(fd, &open_sb) == 0 && fstatat(c->dir, file, &path_sb, AT_SYMLINK_NOFOLLOW) == 0 &&
                open_sb.st_dev == path_sb.st_dev && open_sb.st_ino == path_sb.st_ino) {
                *out = fd;
                return STN_OK;
            }
            close(fd); /* renamed over since: lock the new one */
        } else {
            int why = errno;
            close(fd);
            if (why != EAGAIN && why != EACCES && why != EINTR)
                return stn_fail(err, STN_IO, "disk cache entry %s: lock: %s", file, strerror(why));
        }
        if (stn_clock_ns() >= deadline)
            return stn_fail(err, STN_TIMEOUT,
                            "disk cache entry %s: another process holds its lock for over 2 s", file);
        stn_sleep_ns(pause);
        pause = pause < 8 * STN_MS ? pause * 2 : pause;
    }
}

/* The first slot that is missing, free or ours, with the lock held. */
static stn_status find_target(const stn_diskcache *c, const target *t, unsigned *out, bool *ours,
                              stn_err *err)
{
    stn_buf content = {0};
    stn_status st = STN_OK;
    for (unsigned i = 0; i < STN_CACHE_SLOTS; i++) {
        stn_slot slot = STN_SLOT_FREE;
        size_t body;
        struct stat sb;
        stn_err why = {0};
        st = judge_slot(c, t, i, STN_CACHE_HEADER_MAX, &slot, &body, &content, &sb, &why);
        if (st == STN_NOT_FOUND || (st == STN_OK && slot != STN_SLOT_OTHER)) {
            *out = i;
            *ours = st == STN_OK && slot == STN_SLOT_OURS;
            st = STN_OK;
            goto out;
        }
        if (st != STN_OK) {
            stn_fail(err, why.code, "%s", why.text);
            goto out;
        }
    }
    st = stn_fail(err, STN_BUSY, "disk cache: all %d slots of %016" PRIx64 " are taken", STN_CACHE_SLOTS,
                  t->hash);
out:
    stn_buf_fini(&content);
    return st;
}

stn_status stn_diskcache_write(stn_diskcache *c, const char *key, size_t key_len, const void *data,
                               size_t len, stn_err *err)
{
    target t;
    char temporary[40], file[STN_CACHE_FILE_MAX];
    int lock = -1, fd = -1;
    unsigned slot;
    bool ours;
    stn_status st = target_init(c, key, key_len, &t, err);
    if (st != STN_OK)
        return st;
    snprintf(temporary, sizeof temporary, "cache%" PRIu64 ".new", stn_random_u64() >> 1);
    fd = openat(c->dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        st = stn_fail(err, STN_IO, "disk cache: new entry: %s", strerror(errno));
        goto out;
    }
    if (write_all(fd, t.header.data, t.header.len) != STN_OK || write_all(fd, data, len) != STN_OK) {
        st = stn_fail(err, STN_IO, "disk cache: writing %zu bytes: %s", len, strerror(errno));
        goto out;
    }
    if ((st = lock_hash(c, t.hash, &lock, err)) != STN_OK ||
        (st = find_target(c, &t, &slot, &ours, err)) != STN_OK)
        goto out;
    stn_cache_file_name(t.hash, slot, file);
    if (renameat(c->dir, temporary, c->dir, file) != 0) {
        st = stn_fail(err, STN_IO, "disk cache entry %s: %s", file, strerror(errno));
        goto out;
    }
    atomic_fetch_add(&c->written, t.header.len + len);
    close(fd);
    fd = -1;
out:
    if (fd >= 0) {
        close(fd);
        unlinkat(c->dir, temporary, 0);
    }
    if (lock >= 0)
        close(lock);
    stn_buf_fini(&t.header);
    return st;
}

stn_status stn_diskcache_remove(stn_diskcache *c, const char *key, size_t key_len, stn_err *err)
{
    target t;
    int lock = -1;
    unsigned slot = 0;
    bool ours = false;
    char file[STN_CACHE_FILE_MAX];
    stn_status st = target_init(c, key, key_len, &t, err);
    if (st != STN_OK)
        return st;
    stn_cache_file_name(t.hash, 0, file);
    if (faccessat(c->dir, file, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        st = STN_NOT_FOUND; /* nothing to lock, and locking would make an empty slot */
    else if ((st = lock_hash(c, t.hash, &lock, err)) == STN_OK)
        st = find_target(c, &t, &slot, &ours, err);
    if (st == STN_OK && ours) {
        stn_cache_file_name(t.hash, slot, file);
        if (unlinkat(c->dir, file, 0) != 0)
            st = stn_fail(err, STN_IO, "disk cache entry %s: %s", file, strerror(errno));
    } else if (st == STN_OK || st == STN_NOT_FOUND) {
        st = stn_fail(err, STN_NOT_FOUND, "disk cache: no entry");
    }
    if (lock >= 0)
        close(lock);
    stn_buf_fini(&t.header);
    return st;
}

bool stn_diskcache_due(stn_diskcache *c)
{
    uint64_t step = c->cap / 16, written = atomic_load(&c->written);
    return c->cap && written >= step && atomic_compare_exchange_strong(&c->written, &written, 0);
}
