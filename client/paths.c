#include "client/paths.h"

#include "bus/address.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

stn_status stn_client_bin(char *out, size_t cap, stn_err *err)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash;

    if (n < 0)
        return stn_fail(err, STN_IO, "/proc/self/exe: %s", strerror(errno));
    path[n] = 0;
    slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) >= cap)
        return stn_fail(err, STN_TOO_BIG, "program path of %zd bytes", n);
    *slash = 0;
    memcpy(out, path, (size_t)(slash - path) + 1);
    return STN_OK;
}

stn_status stn_client_procfile(const stn_opts *opts, char *out, size_t cap, stn_err *err)
{
    char bin[PATH_MAX];
    stn_status st;
    int n;

    if (stn_opts_given(opts, "procfile")) {
        n = snprintf(out, cap, "%s", stn_opts_text(opts, "procfile"));
    } else {
        if ((st = stn_client_bin(bin, sizeof bin, err)) != STN_OK)
            return st;
        n = snprintf(out, cap, "%s/../share/stenness/Procfile", bin);
    }
    if (n < 0 || (size_t)n >= cap)
        return stn_fail(err, STN_TOO_BIG, "path of the Procfile is too long");
    if (access(out, R_OK) != 0)
        return stn_fail(err, STN_NOT_FOUND, "%s: %s; name one with --procfile", out, strerror(errno));
    return STN_OK;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    /* What cannot be removed stays: a later start with this name copes with remains. */
    remove(path);
    return 0;
}

void stn_client_forget(const char *instance)
{
    char folder[STN_ADDRESS_MAX];
    if (stn_address_folder(instance, folder, sizeof folder, NULL) == STN_OK)
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
