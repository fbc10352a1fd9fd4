#include "base/file.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

stn_status stn_file_read(const char *path, size_t max_bytes, uint8_t **data, size_t *len, stn_err *err)
{
    struct stat info;
    uint8_t *p = NULL;
    size_t n = 0, size;
    stn_status st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    *data = NULL;
    *len = 0;
    if (fd < 0)
        return stn_fail(err, errno == ENOENT || errno == ENOTDIR ? STN_NOT_FOUND : STN_IO, "%s: %s", path,
                        strerror(errno));
    if (fstat(fd, &info) != 0) {
        st = stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
        goto fail;
    }
    if (!S_ISREG(info.st_mode)) {
        st = stn_fail(err, STN_BAD_DATA, "%s: not a regular file", path);
        goto fail;
    }
    if ((uintmax_t)info.st_size > max_bytes) {
        st = stn_fail(err, STN_TOO_BIG, "%s: %jd bytes, at most %zu are read", path, (intmax_t)info.st_size,
                      max_bytes);
        goto fail;
    }
    size = (size_t)info.st_size;
    p = malloc(size + 1);
    if (!p) {
        st = stn_fail(err, STN_NO_MEMORY, "%s: %zu bytes", path, size);
        goto fail;
    }
    while (n < size) {
        ssize_t got = read(fd, p + n, size - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            st = stn_fail(err, STN_IO, "%s at %zu: %s", path, n, strerror(errno));
            goto fail;
        }
        if (got == 0)
            break; /* cut short while we read: what is there is what we have */
        n += (size_t)got;
    }
    p[n] = 0;
    close(fd);
    *data = p;
    *len = n;
    return STN_OK;
fail:
    free(p);
    close(fd);
    return st;
}

static bool write_all(int fd, const uint8_t *p, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        p += n;
        len -= (size_t)n;
    }
    return true;
}

stn_status stn_file_write(const char *path, const void *data, size_t len, unsigned mode, bool sync,
                          stn_err *err)
{
    char temp[PATH_MAX];
    int fd, n;

    n = snprintf(temp, sizeof temp, "%s.%016" PRIx64 ".tmp", path, stn_random_u64());
    if (n < 0 || (size_t)n >= sizeof temp)
        return stn_fail(err, STN_TOO_BIG, "%.80s…: path too long", path);
    fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)mode);
    if (fd < 0)
        return stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
    if (!write_all(fd, data, len) || (sync && fsync(fd) != 0)) {
        stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
        close(fd);
        unlink(temp);
        return STN_IO;
    }
    if (close(fd) != 0 || rename(temp, path) != 0) {
        stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
        unlink(temp);
        return STN_IO;
    }
    return STN_OK;
}

stn_status stn_file_mkdirs(const char *path, unsigned mode, stn_err *err)
{
    char part[PATH_MAX];
    size_t len = strlen(path);
    struct stat info;

    if (len == 0 || len >= sizeof part)
        return stn_fail(err, STN_USAGE, "folder name of %zu bytes", len);
    memcpy(part, path, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (part[i] != '/' && part[i] != 0)
            continue;
        part[i] = 0;
        if (mkdir(part, (mode_t)mode) != 0 && errno != EEXIST)
            return stn_fail(err, STN_IO, "%s: %s", part, strerror(errno));
        part[i] = path[i];
    }
    if (stat(path, &info) != 0)
        return stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return stn_fail(err, STN_IO, "%s: not a folder", path);
    return STN_OK;
}
