#include "bus/address.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

/* Parts of word characters, none empty or hidden, joined by '/' when slashes are allowed. */
static bool parts_ok(const char *text, size_t max, bool slashes)
{
    bool start = true;
    size_t n = 0;

    if (!text)
        return false;
    for (; text[n]; n++) {
        if (n >= max)
            return false;
        if (text[n] == '/') {
            if (!slashes || start)
                return false;
            start = true;
        } else if (!word_char(text[n]) || (start && text[n] == '.')) {
            return false;
        } else {
            start = false;
        }
    }
    return n > 0 && !start;
}

bool stn_address_instance_ok(const char *instance)
{
    return parts_ok(instance, 32, false);
}

bool stn_address_name_ok(const char *name)
{
    return parts_ok(name, STN_NAME_MAX - 1, true);
}

/* The folder that holds all instances of this user; *own: we make it ourselves, so its owner is checked. */
static stn_status root_folder(char *out, size_t cap, stn_err *err)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int n;

    if (runtime && runtime[0] == '/')
        n = snprintf(out, cap, "%s/stenness", runtime);
    else
        n = snprintf(out, cap, "/tmp/stenness-%u", (unsigned)getuid());
    if (n < 0 || (size_t)n >= cap)
        return stn_fail(err, STN_TOO_BIG, "XDG_RUNTIME_DIR is longer than %zu bytes: set a shorter one", cap);
    return STN_OK;
}

stn_status stn_address_folder(const char *instance, char *out, size_t cap, stn_err *err)
{
    char root[STN_ADDRESS_MAX];
    stn_status st;
    int n;

    if (!stn_address_instance_ok(instance))
        return stn_fail(
            err, STN_USAGE,
            "instance \"%.40s\": 1 to 32 letters, digits, '.', '_' or '-' are a name, not beginning with '.'",
            instance ? instance : "");
    if ((st = root_folder(root, sizeof root, err)) != STN_OK)
        return st;
    n = snprintf(out, cap, "%s/%s", root, instance);
    if (n < 0 || (size_t)n >= cap)
        return stn_fail(err, STN_TOO_BIG, "folder %s/%s is longer than %zu bytes", root, instance, cap - 1);
    return STN_OK;
}

static stn_status check_ours(const char *path, stn_err *err)
{
    struct stat s;

    if (lstat(path, &s) != 0)
        return stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(s.st_mode))
        return stn_fail(err, STN_DENIED, "%s is not a folder: remove it, or set XDG_RUNTIME_DIR", path);
    if (s.st_uid != getuid())
        return stn_fail(err, STN_DENIED,
                        "%s belongs to user %u, not to us (%u): set XDG_RUNTIME_DIR to a folder of yours",
                        path, (unsigned)s.st_uid, (unsigned)getuid());
    if (s.st_mode & 077)
        return stn_fail(err, STN_DENIED, "%s is open to others (mode %03o): chmod 700 it", path,
                        (unsigned)(s.st_mode & 0777));
    return STN_OK;
}

stn_status stn_address_prepare(const char *instance, stn_err *err)
{
    char root[STN_ADDRESS_MAX], folder[STN_ADDRESS_MAX], control[STN_ADDRESS_MAX + 8];
    stn_status st;

    if ((st = stn_address_folder(instance, folder, sizeof folder, err)) != STN_OK ||
        (st = root_folder(root, sizeof root, err)) != STN_OK)
        return st;
    /* One level at a time, so that a folder that another user put there first is noticed before anything goes
     * in. */
    if (mkdir(root, 0700) != 0 && errno != EEXIST)
        return stn_fail(err, STN_IO, "%s: %s: set XDG_RUNTIME_DIR to a folder of yours", root,
                        strerror(errno));
    if ((st = check_ours(root, err)) != STN_OK)
        return st;
    snprintf(control, sizeof control, "%s/ctl", folder);
    if ((st = stn_file_mkdirs(control, 0700, err)) != STN_OK)
        return st;
    return check_ours(folder, err);
}

stn_status stn_address_path(const char *instance, const char *name, char *out, size_t cap, stn_err *err)
{
    char folder[STN_ADDRESS_MAX];
    stn_status st;
    int n;

    if (!stn_address_name_ok(name))
        return stn_fail(err, STN_USAGE,
                        "\"%.70s\" is not a name: letters, digits, '.', '_', '-' and '/' between parts",
                        name ? name : "");
    if ((st = stn_address_folder(instance, folder, sizeof folder, err)) != STN_OK)
        return st;
    n = snprintf(out, cap, "%s/%s", folder, name);
    if (n < 0 || (size_t)n > STN_ADDRESS_PATH_MAX || (size_t)n >= cap)
        return stn_fail(
            err, STN_TOO_BIG,
            "socket path %.150s... is %d bytes, a socket address holds %d: set XDG_RUNTIME_DIR to a shorter "
            "folder or shorten the instance's name",
            folder, n, STN_ADDRESS_PATH_MAX);
    return STN_OK;
}

stn_status stn_address_local(const char *instance, const char *name, char *out, size_t cap, stn_err *err)
{
    char path[STN_ADDRESS_PATH_MAX + 1];
    stn_status st = stn_address_path(instance, name, path, sizeof path, err);
    int n;

    if (st != STN_OK)
        return st;
    n = snprintf(out, cap, "ipc://%s", path);
    if (n < 0 || (size_t)n >= cap)
        return stn_fail(err, STN_TOO_BIG, "endpoint ipc://%s is longer than %zu bytes", path, cap - 1);
    return STN_OK;
}

bool stn_address_is_tcp(const char *endpoint)
{
    return stn_text_starts(endpoint, "tcp://");
}

/* Host of "tcp://HOST:PORT", without brackets; the port text in *port. False when malformed. */
static bool split_tcp(const char *endpoint, char *host, size_t cap, const char **port)
{
    const char *h = endpoint + strlen("tcp://"), *colon = strrchr(h, ':');
    size_t len;

    if (!colon || colon == h)
        return false;
    len = (size_t)(colon - h);
    if (h[0] == '[') {
        if (len < 3 || h[len - 1] != ']')
            return false;
        h++;
        len -= 2;
    }
    if (len >= cap)
        return false;
    memcpy(host, h, len);
    host[len] = 0;
    for (size_t i = 0; i < len; i++)
        if (!word_char(host[i]) && host[i] != ':' && host[i] != '*' && host[i] != '%')
            return false;
    *port = colon + 1;
    return true;
}

bool stn_address_is_loopback(const char *endpoint)
{
    char host[256];
    const char *port;

    if (!stn_address_is_tcp(endpoint))
        return true;
    if (!split_tcp(endpoint, host, sizeof host, &port))
        return false;
    if (strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0)
        return true;
    /* A name like 127.evil.example is not a number, so every character is looked at. */
    return stn_text_starts(host, "127.") && strspn(host, "0123456789.") == strlen(host);
}

stn_status stn_address_check(const char *endpoint, bool has_keys, bool binding, stn_err *err)
{
    if (stn_text_starts(endpoint, "ipc://")) {
        size_t n = strlen(endpoint + strlen("ipc://"));
        if (n == 0 || n > STN_ADDRESS_PATH_MAX)
            return stn_fail(err, STN_TOO_BIG,
                            "%.200s: a socket path of %zu bytes, a socket address holds 1 to %d", endpoint, n,
                            STN_ADDRESS_PATH_MAX);
        return STN_OK;
    }
    if (stn_address_is_tcp(endpoint)) {
        char host[256];
        const char *port;
        uint64_t number;

        if (strlen(endpoint) >= STN_ADDRESS_MAX || !split_tcp(endpoint, host, sizeof host, &port))
            return stn_fail(err, STN_USAGE, "%.200s: expected tcp://HOST:PORT", endpoint);
        if (!(binding && strcmp(port, "*") == 0) && (!stn_text_u64(port, 65535, &number) || number == 0))
            return stn_fail(err, STN_USAGE, "%.200s: the port must be 1 to 65535%s", endpoint,
                            binding ? " or '*' for any free one" : "");
        if (!has_keys && !stn_address_is_loopback(endpoint))
            return stn_fail(
                err, STN_DENIED,
                "%.160s: tcp outside loopback needs keys: make a pair with \"stenness keys new\" and give %s",
                endpoint, binding ? "--key and --allow" : "--key and --server-key");
        return STN_OK;
    }
    return stn_fail(err, STN_USAGE, "%.200s: expected ipc://PATH or tcp://HOST:PORT", endpoint);
}
