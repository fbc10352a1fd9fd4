#include "bus/lock.h"

#include "base/clock.h"
#include "bus/address.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBERS 256u

struct stn_lock {
    int fd;
};

static stn_status lock_path(const char *instance, const char *name, char *out, size_t cap, stn_err *err)
{
    char path[STN_ADDRESS_PATH_MAX + 1];
    stn_status st = stn_address_path(instance, name, path, sizeof path, err);
    if (st == STN_OK)
        snprintf(out, cap, "%s.lock", path);
    return st;
}

/* The holder writes its pid right after it got the lock, so an empty file is read again for a moment. */
static int read_pid(int fd)
{
    for (int tries = 0; tries < 20; tries++) {
        char text[16];
        ssize_t n = pread(fd, text, sizeof text - 1, 0);
        if (n > 0) {
            int pid;
            text[n] = 0;
            pid = (int)strtol(text, NULL, 10);
            if (pid > 0)
                return pid;
        }
        stn_sleep_ns(STN_MS);
    }
    return -1;
}

/* Locks of the open file description: they live as long as the descriptor and can be asked about without
 * taking one. */
static struct flock whole_file(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

stn_status stn_lock_take(const char *instance, const char *name, stn_lock **out, stn_err *err)
{
    char path[STN_ADDRESS_MAX], pid[16];
    struct flock want = whole_file();
    stn_lock *lock;
    stn_status st;
    int fd, n;

    *out = NULL;
    if ((st = lock_path(instance, name, path, sizeof path, err)) != STN_OK ||
        (st = stn_address_prepare(instance, err)) != STN_OK)
        return st;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
    if (fcntl(fd, F_OFD_SETLK, &want) != 0) {
        if (errno == EAGAIN || errno == EACCES)
            st = stn_fail(err, STN_BUSY, "%s: already running (pid %d)", name, read_pid(fd));
        else
            st = stn_fail(err, STN_IO, "%s: lock: %s", path, strerror(errno));
        close(fd);
        return st;
    }
    n = snprintf(pid, sizeof pid, "%d\n", (int)getpid());
    if (ftruncate(fd, 0) != 0 || pwrite(fd, pid, (size_t)n, 0) != n) {
        st = stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
        close(fd);
        return st;
    }
    lock = malloc(sizeof *lock);
    if (!lock) {
        close(fd);
        return stn_fail(err, STN_NO_MEMORY, "lock %s", name);
    }
    lock->fd = fd;
    *out = lock;
    return STN_OK;
}

void stn_lock_free(stn_lock *lock)
{
    if (!lock)
        return;
    /* The file stays: removing it could take away the one that the next owner has just locked. */
    close(lock->fd);
    free(lock);
}

stn_status stn_lock_take_number(const char *instance, const char *kind, unsigned *number, stn_lock **out,
                                stn_err *err)
{
    for (unsigned n = 0; n < NUMBERS; n++) {
        char name[STN_NAME_MAX];
        stn_status st;

        snprintf(name, sizeof name, "ctl/%s.%u", kind, n);
        st = stn_lock_take(instance, name, out, err);
        if (st == STN_OK) {
            *number = n;
            return STN_OK;
        }
        if (st != STN_BUSY)
            return st;
        if (err)
            stn_err_clear(err);
    }
    return stn_fail(err, STN_BUSY, "ctl/%s: all numbers 0 to %u are taken", kind, NUMBERS - 1);
}

int stn_lock_holder(const char *instance, const char *name)
{
    char path[STN_ADDRESS_MAX];
    struct flock ask = whole_file();
    int fd, pid = 0;

    if (lock_path(instance, name, path, sizeof path, NULL) != STN_OK)
        return 0;
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    if (fcntl(fd, F_OFD_GETLK, &ask) == 0 && ask.l_type != F_UNLCK)
        pid = read_pid(fd);
    close(fd);
    return pid;
}
