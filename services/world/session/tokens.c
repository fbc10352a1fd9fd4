/* Tokens on disk: one file an account and login host, readable by its owner alone. */
#include "base/file.h"
#include "world/session/login.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FOLDER/USER@HOST, with everything but letters, digits, '-', '_' and '.' as %xx. */
static stn_status path_of(const char *folder, const char *user, const char *host, char *out, size_t cap,
                          stn_err *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const char *parts[2] = {user, host};
    size_t n = (size_t)snprintf(out, cap, "%s/", folder);

    for (int i = 0; i < 2 && n < cap; i++) {
        for (const char *c = parts[i]; *c && n < cap; c++)
            n += strchr(plain, *c) && !(c == parts[i] && *c == '.')
                     ? (size_t)snprintf(out + n, cap - n, "%c", *c)
                     : (size_t)snprintf(out + n, cap - n, "%%%02x", (unsigned char)*c);
        if (!i && n < cap)
            n += (size_t)snprintf(out + n, cap - n, "@");
    }
    return n < cap ? STN_OK
                   : stn_fail(err, STN_TOO_BIG, "the path of the token of %s at %s is too long", user, host);
}

stn_status stn_token_load(const char *folder, const char *user, const char *host,
                          uint8_t token[STN_AUTH_TOKEN], stn_err *err)
{
    char path[4096];
    uint8_t *data = NULL;
    size_t len;
    stn_status st = path_of(folder, user, host, path, sizeof path, err);

    if (st == STN_OK)
        st = stn_file_read(path, 4096, &data, &len, err);
    if (st)
        return st;
    if (len == STN_AUTH_TOKEN)
        memcpy(token, data, len);
    else
        st = stn_fail(err, STN_BAD_DATA, "token file %s holds %zu bytes, wanted %d", path, len,
                      STN_AUTH_TOKEN);
    OPENSSL_cleanse(data, len);
    free(data);
    return st;
}

stn_status stn_token_store(const char *folder, const char *user, const char *host,
                           const uint8_t token[STN_AUTH_TOKEN], stn_err *err)
{
    char path[4096];
    stn_status st = path_of(folder, user, host, path, sizeof path, err);

    if (st == STN_OK)
        st = stn_file_mkdirs(folder, 0700, err);
    return st == STN_OK ? stn_file_write(path, token, STN_AUTH_TOKEN, 0600, true, err) : st;
}

void stn_token_forget(const char *folder, const char *user, const char *host)
{
    char path[4096];

    if (path_of(folder, user, host, path, sizeof path, NULL) == STN_OK)
        unlink(path);
}
