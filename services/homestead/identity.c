#include "homestead/identity.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 100000

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* The size goes first: otherwise bytes could move from the end of one file into the next one's path unseen.
 */
static stn_status feed_file(uint64_t *hash, const char *path, const char *name, stn_err *err)
{
    static _Thread_local uint8_t chunk[65536];
    struct stat sb;
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &sb) == 0) {
        uint64_t size = (uint64_t)sb.st_size;
        uint8_t le[8];
        for (int i = 0; i < 8; i++)
            le[i] = (uint8_t)(size >> 8 * i);
        *hash = stn_hash_feed(*hash, name, strlen(name) + 1);
        *hash = stn_hash_feed(*hash, le, sizeof le);
        while ((n = read(fd, chunk, sizeof chunk)) > 0)
            *hash = stn_hash_feed(*hash, chunk, (size_t)n);
    }
    int why = errno;
    if (fd >= 0)
        close(fd);
    return n == 0 ? STN_OK : stn_fail(err, STN_IO, "pack %s: %s", path, strerror(why));
}

stn_status stn_pack_identity(const char *folder, char out[STN_PACK_IDENTITY], stn_err *err)
{
    char *const roots[] = {(char *)(uintptr_t)folder, NULL};
    struct stat sb;
    uint64_t hash = STN_HASH_START;
    stn_status st = STN_OK;
    unsigned files = 0;
    FTSENT *e;

    if (stat(folder, &sb) != 0 || !S_ISDIR(sb.st_mode))
        return stn_fail(err, STN_NOT_FOUND, "pack %s: no such folder", folder);
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
    if (!tree)
        return stn_fail(err, STN_IO, "pack %s: %s", folder, strerror(errno));
    while (st == STN_OK && (e = fts_read(tree))) {
        if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS)
            st = stn_fail(err, STN_IO, "pack %s: %s", e->fts_path, strerror(e->fts_errno));
        if (e->fts_info != FTS_F)
            continue;
        const char *name = e->fts_path + strlen(folder);
        while (*name == '/')
            name++;
        if (++files > FILES_MAX)
            st = stn_fail(err, STN_TOO_BIG, "pack %s: over %d files", folder, FILES_MAX);
        else
            st = feed_file(&hash, e->fts_accpath, name, err);
    }
    fts_close(tree);
    if (st == STN_OK)
        snprintf(out, STN_PACK_IDENTITY, "homestead-%016" PRIx64, hash);
    return st;
}
