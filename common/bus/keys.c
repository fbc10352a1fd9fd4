#include "bus/keys.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#define FILE_MAX 4096u /* a key file is some 400 bytes */
#define SECRET_SUFFIX "_secret"

bool stn_key_name_ok(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    return n > 0 && n < STN_KEY_NAME && name[n] == 0 && name[0] != '.';
}

bool stn_key_text_ok(const char *z85)
{
    uint8_t bytes[32];
    return strnlen(z85, STN_KEY_TEXT) == STN_KEY_TEXT - 1 && zmq_z85_decode(bytes, z85) != NULL;
}

void stn_keys_wipe(stn_keys *keys)
{
    explicit_bzero(keys, sizeof *keys);
}

stn_status stn_keys_generate(const char *name, stn_keys *out, stn_err *err)
{
    *out = (stn_keys){0};
    if (!stn_key_name_ok(name))
        return stn_fail(err, STN_USAGE, "key name \"%.40s\": 1 to 32 letters, digits, '.', '_' or '-'", name);
    strcpy(out->name, name);
    if (zmq_curve_keypair(out->public_key, out->secret_key) != 0)
        return stn_fail(err, STN_UNSUPPORTED, "libzmq was built without CURVE");
    return STN_OK;
}

static void write_certificate(stn_buf *b, const stn_keys *keys, bool secret)
{
    stn_buf_printf(b,
                   "#   Stenness, CURVE %s certificate\n"
                   "#   %s\n\n"
                   "metadata\n    name = \"%s\"\n"
                   "curve\n    public-key = \"%s\"\n",
                   secret ? "secret" : "public",
                   secret ? "Keep this file to yourself." : "Copy this file to whoever shall let you in.",
                   keys->name, keys->public_key);
    if (secret)
        stn_buf_printf(b, "    secret-key = \"%s\"\n", keys->secret_key);
}

stn_status stn_keys_save(const stn_keys *keys, const char *folder, stn_err *err)
{
    char path[2][4096];
    stn_status st = stn_file_mkdirs(folder, 0700, err);

    for (int i = 0; i < 2 && st == STN_OK; i++) {
        int n = snprintf(path[i], sizeof path[i], "%s/%s.pub%s", folder, keys->name, i ? SECRET_SUFFIX : "");
        if (n < 0 || (size_t)n >= sizeof path[i])
            st = stn_fail(err, STN_TOO_BIG, "%.100s: path too long", folder);
        else if (access(path[i], F_OK) == 0)
            st = stn_fail(err, STN_BUSY, "%s exists: choose another name, or remove it if nobody uses it",
                          path[i]);
    }
    /* The secret first: a public file without its secret would look complete. */
    for (int i = 1; i >= 0 && st == STN_OK; i--) {
        stn_buf b = {0};
        write_certificate(&b, keys, i == 1);
        if (b.failed)
            st = stn_fail(err, STN_NO_MEMORY, "certificate %s", keys->name);
        else
            st = stn_file_write(path[i], b.data, b.len, i ? 0600 : 0644, true, err);
        if (b.data)
            explicit_bzero(b.data, b.len);
        stn_buf_fini(&b);
    }
    return st;
}

/* `    key = "value"` or `    key = value`: the value into out when the key is the wanted one. */
static bool line_value(const char *line, size_t len, const char *key, char *out, size_t cap)
{
    const char *end = line + len, *value;

    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if ((size_t)(end - line) < strlen(key) || memcmp(line, key, strlen(key)) != 0)
        return false;
    line += strlen(key);
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (line == end || *line++ != '=')
        return false;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    value = line;
    if (line < end && (*line == '"' || *line == '\'')) {
        char quote = *line++;
        value = line;
        while (line < end && *line != quote)
            line++;
        if (line == end)
            return false;
    } else {
        /* Z85 has '#', so a comment on the line counts only behind a blank. */
        while (line < end && *line != ' ' && *line != '\t' && *line != '\r')
            line++;
    }
    if ((size_t)(line - value) >= cap)
        return false;
    memcpy(out, value, (size_t)(line - value));
    out[line - value] = 0;
    return true;
}

stn_status stn_keys_parse(const char *text, size_t len, const char *fallback_name, stn_keys *out,
                          stn_err *err)
{
    bool in_curve = false, in_metadata = false;

    *out = (stn_keys){0};
    for (size_t at = 0; at < len;) {
        const char *line = text + at, *end = memchr(line, '\n', len - at);
        size_t n = end ? (size_t)(end - line) : len - at;
        at += n + 1;
        if (n == 0 || line[0] == '#' || line[0] == '\r')
            continue;
        if (line[0] != ' ' && line[0] != '\t') {
            in_curve = n >= 5 && memcmp(line, "curve", 5) == 0;
            in_metadata = n >= 8 && memcmp(line, "metadata", 8) == 0;
        } else if (in_metadata) {
            line_value(line, n, "name", out->name, sizeof out->name);
        } else if (in_curve && !line_value(line, n, "public-key", out->public_key, sizeof out->public_key)) {
            line_value(line, n, "secret-key", out->secret_key, sizeof out->secret_key);
        }
    }
    if (!out->name[0] && fallback_name) {
        size_t n = strcspn(fallback_name, ".");
        if (n < sizeof out->name)
            memcpy(out->name, fallback_name, n);
    }
    if (!stn_key_text_ok(out->public_key)) {
        stn_keys_wipe(out);
        return stn_fail(err, STN_BAD_DATA, "no public-key of 40 Z85 characters in section \"curve\"");
    }
    if (!stn_key_name_ok(out->name)) {
        stn_keys_wipe(out);
        return stn_fail(err, STN_BAD_DATA, "no usable name in section \"metadata\"");
    }
    if (out->secret_key[0]) {
        char public_key[STN_KEY_TEXT];
        if (!stn_key_text_ok(out->secret_key) || zmq_curve_public(public_key, out->secret_key) != 0 ||
            strcmp(public_key, out->public_key) != 0) {
            stn_keys_wipe(out);
            return stn_fail(err, STN_BAD_DATA, "secret-key does not belong to public-key");
        }
    }
    return STN_OK;
}

stn_status stn_keys_load(const char *path, stn_keys *out, stn_err *err)
{
    const char *base = strrchr(path, '/');
    uint8_t *data = NULL;
    size_t len;
    stn_status st;

    *out = (stn_keys){0};
    st = stn_file_read(path, FILE_MAX, &data, &len, err);
    if (st != STN_OK)
        return st;
    st = stn_keys_parse((const char *)data, len, base ? base + 1 : path, out, err);
    explicit_bzero(data, len);
    free(data);
    if (st != STN_OK)
        return stn_fail_in(err, st, "%s", path);
    if (out->secret_key[0]) {
        struct stat s;
        if (stat(path, &s) != 0 || (s.st_mode & 077) || s.st_uid != geteuid()) {
            stn_keys_wipe(out);
            return stn_fail(err, STN_DENIED,
                            "%s holds a secret key and others may read it: chmod 600 it, own it", path);
        }
    }
    return STN_OK;
}

bool stn_keys_allowed(const char *folder, const char *public_key, char name[STN_KEY_NAME])
{
    static stn_log_once unreadable;
    DIR *d = opendir(folder);
    unsigned seen = 0;
    bool found = false;

    name[0] = 0;
    if (!d)
        return false;
    for (struct dirent *e; !found && (e = readdir(d)) != NULL && seen < STN_KEY_LIST_MAX;) {
        char path[4096];
        stn_keys keys;
        stn_err err = {0};
        int n;

        if (e->d_name[0] == '.' || stn_text_ends(e->d_name, SECRET_SUFFIX))
            continue;
        seen++;
        n = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (n < 0 || (size_t)n >= sizeof path)
            continue;
        if (stn_keys_load(path, &keys, &err) != STN_OK) {
            if (stn_log_due(&unreadable))
                stn_log_warn("allow list: %s", err.text);
            continue;
        }
        if (strcmp(keys.public_key, public_key) == 0) {
            memcpy(name, keys.name, sizeof keys.name);
            found = true;
        }
        stn_keys_wipe(&keys);
    }
    closedir(d);
    return found;
}
