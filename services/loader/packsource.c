#include "loader/packsource.h"

#include "loader/resname.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

struct stn_packsource {
    pthread_mutex_t lock; /* libzip's handle serves one reader at a time */
    zip_t *zip;
    char *prefix;
};

stn_status stn_packsource_open(const char *path, const char *prefix, stn_packsource **out, stn_err *err)
{
    int code = 0;
    *out = NULL;
    stn_packsource *p = calloc(1, sizeof *p);
    if (!p || !(p->prefix = strdup(prefix))) {
        free(p);
        return stn_fail(err, STN_NO_MEMORY, "pack %s", path);
    }
    p->zip = zip_open(path, ZIP_RDONLY, &code);
    if (!p->zip) {
        zip_error_t ze;
        zip_error_init_with_code(&ze, code);
        stn_status st = stn_fail(err,
                                 code == ZIP_ER_NOENT   ? STN_NOT_FOUND
                                 : code == ZIP_ER_NOZIP ? STN_BAD_DATA
                                                        : STN_IO,
                                 "pack %s: %s", path, zip_error_strerror(&ze));
        zip_error_fini(&ze);
        free(p->prefix);
        free(p);
        return st;
    }
    pthread_mutex_init(&p->lock, NULL);
    *out = p;
    return STN_OK;
}

void stn_packsource_free(stn_packsource *p)
{
    if (!p)
        return;
    zip_discard(p->zip);
    pthread_mutex_destroy(&p->lock);
    free(p->prefix);
    free(p);
}

static stn_status inflate_member(zip_t *zip, zip_int64_t index, const char *member, size_t size,
                                 uint8_t **data, stn_err *err)
{
    zip_file_t *f = zip_fopen_index(zip, (zip_uint64_t)index, 0);
    if (!f)
        return stn_fail(err, STN_IO, "pack member %s: %s", member, zip_strerror(zip));
    uint8_t *out = malloc(size + 1);
    stn_status st = STN_OK;
    size_t at = 0;
    if (!out)
        st = stn_fail(err, STN_NO_MEMORY, "pack member %s: %zu bytes", member, size);
    /* One byte more than announced is asked for: a member that inflates to more is refused. */
    while (st == STN_OK && at <= size) {
        zip_int64_t n = zip_fread(f, out + at, size + 1 - at);
        if (n < 0)
            st = stn_fail(err, STN_IO, "pack member %s: %s", member, zip_file_strerror(f));
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    if (st == STN_OK && at != size)
        st = stn_fail(err, STN_IO, "pack member %s: inflates to %s%zu bytes, the directory says %zu", member,
                      at > size ? "at least " : "", at, size);
    zip_fclose(f);
    if (st == STN_OK)
        *data = out;
    else
        free(out);
    return st;
}

static stn_status read_locked(stn_packsource *p, const char *member, size_t max_bytes, uint8_t **data,
                              size_t *len, stn_err *err)
{
    zip_stat_t sb;
    zip_int64_t index = zip_name_locate(p->zip, member, ZIP_FL_ENC_RAW);
    if (index < 0)
        return stn_fail(err, STN_NOT_FOUND, "pack: no member %s", member);
    if (zip_stat_index(p->zip, (zip_uint64_t)index, 0, &sb) != 0 || !(sb.valid & ZIP_STAT_SIZE))
        return stn_fail(err, STN_IO, "pack member %s: %s", member, zip_strerror(p->zip));
    if ((sb.valid & ZIP_STAT_ENCRYPTION_METHOD) && sb.encryption_method != ZIP_EM_NONE)
        return stn_fail(err, STN_IO, "pack member %s: encrypted", member);
    if ((sb.valid & ZIP_STAT_COMP_METHOD) && sb.comp_method != ZIP_CM_STORE &&
        sb.comp_method != ZIP_CM_DEFLATE)
        return stn_fail(err, STN_IO, "pack member %s: compression method %u; stored or deflated expected",
                        member, sb.comp_method);
    if (sb.size > max_bytes)
        return stn_fail(err, STN_TOO_BIG, "pack member %s: %llu bytes, at most %zu", member,
                        (unsigned long long)sb.size, max_bytes);
    *len = (size_t)sb.size;
    return inflate_member(p->zip, index, member, (size_t)sb.size, data, err);
}

stn_status stn_packsource_read(stn_packsource *p, const char *name, size_t max_bytes, uint8_t **data,
                               size_t *len, stn_err *err)
{
    char *member;
    *data = NULL;
    *len = 0;
    if (!p)
        return stn_fail(err, STN_NOT_FOUND, "no such pack");
    stn_status st = stn_resname_check(name, strlen(name), err);
    if (st != STN_OK)
        return st;
    if (asprintf(&member, "%s%s.res", p->prefix, name) < 0)
        return stn_fail(err, STN_NO_MEMORY, "pack member %s", name);
    pthread_mutex_lock(&p->lock);
    st = read_locked(p, member, max_bytes, data, len, err);
    pthread_mutex_unlock(&p->lock);
    free(member);
    return st;
}
