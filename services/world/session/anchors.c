/* The certificates that the login service's must come from: a PEM file, or one inside the official client. */
#include "base/file.h"
#include "base/text.h"
#include "world/session/login.h"

#include <stdlib.h>
#include <string.h>
#include <zip.h>

#define PEM_MAX (1u << 20)

static bool has_certificate(const char *text)
{
    return strstr(text, "-----BEGIN CERTIFICATE-----") != NULL;
}

/* The first certificate file of a .jar, or NULL. */
static char *from_jar(const char *path)
{
    int error;
    zip_t *zip = zip_open(path, ZIP_RDONLY, &error);
    zip_int64_t n = zip ? zip_get_num_entries(zip, 0) : 0;
    char *found = NULL;

    for (zip_int64_t i = 0; i < n && !found; i++) {
        zip_stat_t st;
        zip_file_t *f;
        char *text;
        zip_int64_t got;

        if (zip_stat_index(zip, (zip_uint64_t)i, 0, &st) || !(st.valid & ZIP_STAT_NAME) ||
            !(st.valid & ZIP_STAT_SIZE) || st.size > PEM_MAX ||
            !(stn_text_ends(st.name, ".crt") || stn_text_ends(st.name, ".pem")))
            continue;
        text = calloc(1, (size_t)st.size + 1);
        f = text ? zip_fopen_index(zip, (zip_uint64_t)i, 0) : NULL;
        got = f ? zip_fread(f, text, st.size) : -1;
        if (f)
            zip_fclose(f);
        if (got == (zip_int64_t)st.size && has_certificate(text))
            found = text;
        else
            free(text);
    }
    if (zip)
        zip_discard(zip);
    return found;
}

stn_status stn_login_anchors(const char *path, char **pem, stn_err *err)
{
    uint8_t *data = NULL;
    size_t len;
    stn_status st;

    *pem = NULL;
    if (!path || !*path)
        return stn_fail(
            err, STN_USAGE,
            "logging in needs the authority of the login service: set auth-ca to its PEM file or to the "
            "official client's hafen.jar, which holds it");
    if (stn_text_ends(path, ".jar") || stn_text_ends(path, ".zip")) {
        *pem = from_jar(path);
        return *pem ? STN_OK : stn_fail(err, STN_NOT_FOUND, "%s holds no certificate (*.crt, *.pem)", path);
    }
    st = stn_file_read(path, PEM_MAX, &data, &len, err);
    if (st)
        return st;
    if (!has_certificate((const char *)data)) {
        free(data);
        return stn_fail(err, STN_BAD_DATA, "%s holds no PEM certificate", path);
    }
    *pem = (char *)data;
    return STN_OK;
}
