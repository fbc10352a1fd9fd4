#include "loader/dirsource.h"

#include "loader/resname.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct stn_dirsource {
    int fd;
};

stn_status stn_dirsource_open(const char *dir, stn_dirsource **out, stn_err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return stn_fail(err, STN_NO_MEMORY, "resource folder %s", dir);
    (*out)->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if ((*out)->fd >= 0)
        return STN_OK;
    free(*out);
    *out = NULL;
    return stn_fail(err, errno == ENOENT ? STN_NOT_FOUND : STN_IO, "resource folder %s: %s", dir,
                    strerror(errno));
}

void stn_dirsource_free(stn_dirsource *d)
{
    if (!d)
        return;
    close(d->fd);
    free(d);
}

/* For kernels without openat2: every part by itself, and no links at all. */
static int open_by_parts(int dir, const char *path)
{
    char part[STN_RESNAME_SEGMENT_MAX + 8];
    int at = dir;
    for (const char *p = path;;) {
        size_t n = strcspn(p, "/");
        bool last = !p[n];
        snprintf(part, sizeof part, "%.*s", (int)n, p);
        int fd = openat(at, part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (last ? 0 : O_DIRECTORY));
        int why = errno;
        if (at != dir)
            close(at);
        errno = why;
        if (last || fd < 0)
            return fd;
        at = fd;
        p += n + 1;
    }
}

static int open_beneath(int dir, const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    long fd = syscall(SYS_openat2, dir, path, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        return open_by_parts(dir, path);
    return (int)fd;
}

static stn_status read_whole(int fd, const char *name, size_t max_bytes, uint8_t **data, size_t *len,
                             stn_err *err)
{
    struct stat sb;
    if (fstat(fd, &sb) != 0)
        return stn_fail(err, STN_IO, "%s.res: %s", name, strerror(errno));
    if (!S_ISREG(sb.st_mode))
        return stn_fail(err, STN_IO, "%s.res: not a regular file", name);
    if (sb.st_size < 0 || (uint64_t)sb.st_size > max_bytes)
        return stn_fail(err, STN_TOO_BIG, "%s.res: %lld bytes, at most %zu", name, (long long)sb.st_size,
                        max_bytes);
    size_t size = (size_t)sb.st_size, at = 0;
    uint8_t *out = malloc(size + 1);
    if (!out)
        return stn_fail(err, STN_NO_MEMORY, "%s.res: %zu bytes", name, size);
    while (at < size) {
        ssize_t n = read(fd, out + at, size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            free(out);
            return stn_fail(err, STN_IO, "%s.res: %s", name, strerror(errno));
        }
        if (n == 0)
            break; /* somebody is writing it: the parse says that it is cut */
        at += (size_t)n;
    }
    *data = out;
    *len = at;
    return STN_OK;
}

stn_status stn_dirsource_read(const stn_dirsource *d, const char *name, size_t max_bytes, uint8_t **data,
                              size_t *len, stn_err *err)
{
    char path[STN_RESNAME_MAX + 8];
    *data = NULL;
    *len = 0;
    stn_status st = stn_resname_check(name, strlen(name), err);
    if (st != STN_OK)
        return st;
    snprintf(path, sizeof path, "%s.res", name);
    int fd = open_beneath(d->fd, path);
    if (fd < 0 && errno == ENOENT)
        return stn_fail(err, STN_NOT_FOUND, "%s: no such file", path);
    if (fd < 0 && (errno == EXDEV || errno == ELOOP))
        return stn_fail(err, STN_DENIED, "%s: leads out of the resource folder", path);
    if (fd < 0)
        return stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
    st = read_whole(fd, name, max_bytes, data, len, err);
    close(fd);
    return st;
}
