#include "client/res/res_pack.h"

#include "base/file.h"
#include "base/table.h"
#include "base/text.h"
#include "res/fault.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#define MAX_NAME 1024
#define MAX_MEMBERS 200000
#define MAX_TOTAL (UINT64_C(4) << 30)

bool stn_rp_safe_name(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n > MAX_NAME || *name == '/' || !stn_text_is_utf8(name, n))
        return false;
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < 32 || *p == 127 || *p == '\\' || (p[0] == ':' && p == name + 1))
            return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        size_t len = strcspn(part, "/");
        if (len == 0 || (len == 1 && part[0] == '.') || (len == 2 && part[0] == '.' && part[1] == '.'))
            return false;
    }
    return true;
}

static void refuse(stn_rp_count *count, const char *name, const char *why)
{
    char shown[200];
    count->refused++;
    fprintf(stderr, "stenness res: left out \"%s\": %s\n",
            stn_text_show(name, strlen(name), shown, sizeof shown), why);
}

/* ---- pack ---- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static stn_status add_file(zip_t *zip, const char *path, const char *member, stn_err *err)
{
    zip_source_t *source = zip_source_file(zip, path, 0, -1);
    zip_int64_t at = source ? zip_file_add(zip, member, source, ZIP_FL_ENC_UTF_8) : -1;
    if (at >= 0) {
        /* a fixed time: the same files make the same archive */
        zip_file_set_mtime(zip, (zip_uint64_t)at, 315532800, 0);
        return STN_OK;
    }
    if (source)
        zip_source_free(source);
    return stn_fail(err, STN_IO, "%s: %s", path, zip_strerror(zip));
}

stn_status stn_rp_pack(const char *dir, const char *archive, const char *prefix, stn_rp_count *count,
                       stn_err *err)
{
    char *paths[2] = {(char *)(uintptr_t)dir, NULL}, member[MAX_NAME + 64];
    struct stat info;
    int code = 0;
    stn_status st = STN_OK;
    size_t root = strlen(dir);

    *count = (stn_rp_count){0};
    while (root > 1 && dir[root - 1] == '/')
        root--;
    if (stat(dir, &info) != 0 || !S_ISDIR(info.st_mode))
        return stn_fail(err, STN_NOT_FOUND, "%s is no folder", dir);
    zip_t *zip = zip_open(archive, ZIP_CREATE | ZIP_TRUNCATE, &code);
    FTS *tree = zip ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
    if (!tree) {
        if (zip)
            zip_discard(zip);
        return stn_fail(err, STN_IO, "%s cannot be written (libzip error %d)", archive, code);
    }
    for (FTSENT *e; st == STN_OK && (e = fts_read(tree)) != NULL;) {
        if (e->fts_info != FTS_F || !stn_text_ends(e->fts_name, ".res"))
            continue;
        int n = snprintf(member, sizeof member, "%s%s", prefix, e->fts_path + root + 1);
        if (n < 0 || (size_t)n >= sizeof member || !stn_rp_safe_name(member)) {
            refuse(count, e->fts_path, "the name does not suit an archive");
            continue;
        }
        st = add_file(zip, e->fts_path, member, err);
        count->files += st == STN_OK;
    }
    fts_close(tree);
    if (st == STN_OK && count->files == 0)
        st = stn_fail(err, STN_NOT_FOUND, "no .res file under %s", dir);
    if (st == STN_OK && zip_close(zip) == 0)
        return STN_OK;
    if (st == STN_OK)
        st = stn_fail(err, STN_IO, "%s: %s", archive, zip_strerror(zip));
    zip_discard(zip);
    return st;
}

/* ---- unpack ---- */

static stn_status make_parent(const char *path, stn_err *err)
{
    char *copy = strdup(path), *slash = copy ? strrchr(copy, '/') : NULL;
    stn_status st = STN_OK;
    if (!copy)
        return stn_fail(err, STN_NO_MEMORY, "path");
    if (slash && slash != copy) {
        *slash = 0;
        st = stn_file_mkdirs(copy, 0777, err);
    }
    free(copy);
    return st;
}

/* Reads one member; the announced size is a claim, so what comes is counted. */
static stn_status read_member(zip_t *zip, const zip_stat_t *info, uint8_t **data, stn_err *err)
{
    zip_file_t *f = zip_fopen_index(zip, info->index, 0);
    uint8_t *out = f ? malloc(info->size ? info->size : 1) : NULL;
    zip_int64_t got = out ? zip_fread(f, out, info->size) : -1;
    stn_status st = STN_OK;

    if (!out || got < 0 || (zip_uint64_t)got != info->size)
        st = stn_fail(err, STN_BAD_DATA, "member %s: %s", info->name,
                      f ? "shorter than it says, or damaged" : zip_strerror(zip));
    if (f)
        zip_fclose(f);
    if (st != STN_OK) {
        free(out);
        out = NULL;
    }
    *data = out;
    return st;
}

static stn_status unpack_member(zip_t *zip, const zip_stat_t *info, const char *name, const char *dir,
                                stn_err *err)
{
    size_t n = strlen(dir) + strlen(name) + 2;
    char *path = malloc(n);
    uint8_t *data = NULL;
    stn_status st;

    if (!path)
        return stn_fail(err, STN_NO_MEMORY, "path of %s", name);
    snprintf(path, n, "%s/%s", dir, name);
    if ((st = read_member(zip, info, &data, err)) == STN_OK && (st = make_parent(path, err)) == STN_OK)
        st = stn_file_write(path, data, info->size, 0666, false, err);
    free(data);
    free(path);
    return st;
}

static stn_status open_archive(const char *archive, zip_t **zip, zip_int64_t *members, stn_err *err)
{
    int code = 0;
    zip_error_t e;
    stn_status st;

    *zip = zip_open(archive, ZIP_RDONLY, &code);
    if (!*zip) {
        zip_error_init_with_code(&e, code);
        st = stn_fail(err, code == ZIP_ER_NOENT ? STN_NOT_FOUND : STN_BAD_DATA, "%s: %s", archive,
                      zip_error_strerror(&e));
        zip_error_fini(&e);
        return st;
    }
    *members = zip_get_num_entries(*zip, 0);
    if (*members > MAX_MEMBERS)
        return stn_fail(err, STN_TOO_BIG, "%s has %lld members, at most %d are read", archive,
                        (long long)*members, MAX_MEMBERS);
    return STN_OK;
}

stn_status stn_rp_unpack(const char *archive, const char *dir, const char *prefix, bool all,
                         stn_rp_count *count, stn_err *err)
{
    uint64_t total = 0;
    zip_int64_t n = 0;
    zip_t *zip = NULL;
    stn_names *seen = stn_names_new();
    stn_status st =
        seen ? open_archive(archive, &zip, &n, err) : stn_fail(err, STN_NO_MEMORY, "list of names");

    *count = (stn_rp_count){0};
    for (zip_int64_t i = 0; st == STN_OK && i < n; i++) {
        zip_stat_t info;
        if (zip_stat_index(zip, (zip_uint64_t)i, 0, &info) != 0 ||
            (info.valid & (ZIP_STAT_NAME | ZIP_STAT_SIZE)) != (ZIP_STAT_NAME | ZIP_STAT_SIZE)) {
            refuse(count, "", "a member without name or size");
            continue;
        }
        if (stn_text_ends(info.name, "/") || !stn_text_starts(info.name, prefix) ||
            (!all && !stn_text_ends(info.name, ".res")))
            continue;
        const char *name = info.name + strlen(prefix);
        if (!stn_rp_safe_name(name)) {
            refuse(count, info.name, "the name would leave the folder or is no plain path");
        } else if (stn_names_get(seen, name)) {
            refuse(count, info.name, "the archive has this name twice, the first counts");
        } else if (info.size > stn_res_default_limits.max_input) {
            refuse(count, info.name, "larger than a resource may be");
        } else if ((total += info.size) > MAX_TOTAL) {
            st = stn_fail(err, STN_TOO_BIG, "%s unpacks to more than %llu bytes", archive,
                          (unsigned long long)MAX_TOTAL);
        } else if (!stn_names_put(seen, name, zip, NULL)) {
            st = stn_fail(err, STN_NO_MEMORY, "list of names");
        } else {
            st = unpack_member(zip, &info, name, dir, err);
            count->files += st == STN_OK;
        }
    }
    if (st == STN_OK && count->files == 0 && count->refused == 0)
        st = stn_fail(err, STN_NOT_FOUND, "%s has no member that begins with \"%s\"%s", archive, prefix,
                      all ? "" : " and ends in .res");
    if (zip)
        zip_discard(zip);
    stn_names_free(seen);
    return st;
}

/* ---- looking through ---- */

/* "prefix/a/b.res" to "a/b" in `out`; false when it is not a resource or too long a name. */
static bool name_of_resource(const char *path, const char *prefix, char out[MAX_NAME])
{
    size_t n;

    if (!stn_text_starts(path, prefix) || !stn_text_ends(path, ".res"))
        return false;
    path += strlen(prefix);
    n = strlen(path);
    if (n < 4 || n - 4 >= MAX_NAME)
        return false;
    memcpy(out, path, n - 4);
    out[n - 4] = 0;
    return true;
}

static stn_status each_in_folder(const char *dir, const char *prefix, stn_rp_each_fn *each, void *user,
                                 stn_err *err)
{
    char *paths[2] = {(char *)(uintptr_t)dir, NULL}, name[MAX_NAME];
    size_t root = strlen(dir);
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);

    if (!tree)
        return stn_fail(err, STN_IO, "%s cannot be looked through", dir);
    while (root > 1 && dir[root - 1] == '/')
        root--;
    for (FTSENT *e; (e = fts_read(tree)) != NULL;) {
        stn_rp_count count = {0};
        uint8_t *data = NULL;
        size_t len = 0;
        stn_err inner = {0};
        if (e->fts_info != FTS_F || !name_of_resource(e->fts_path + root + 1, prefix, name))
            continue;
        if (stn_file_read(e->fts_path, stn_res_default_limits.max_input, &data, &len, &inner) == STN_OK)
            each(user, name, data, len);
        else
            refuse(&count, e->fts_path, inner.text);
        free(data);
    }
    fts_close(tree);
    return STN_OK;
}

static stn_status each_in_archive(const char *archive, const char *prefix, stn_rp_each_fn *each, void *user,
                                  stn_err *err)
{
    char name[MAX_NAME];
    zip_int64_t n = 0;
    zip_t *zip = NULL;
    stn_status st = open_archive(archive, &zip, &n, err);

    for (zip_int64_t i = 0; st == STN_OK && i < n; i++) {
        zip_stat_t info;
        stn_rp_count count = {0};
        uint8_t *data = NULL;
        stn_err inner = {0};
        if (zip_stat_index(zip, (zip_uint64_t)i, 0, &info) != 0 || !(info.valid & ZIP_STAT_NAME) ||
            !(info.valid & ZIP_STAT_SIZE) || !name_of_resource(info.name, prefix, name))
            continue;
        if (info.size > stn_res_default_limits.max_input)
            refuse(&count, info.name, "larger than a resource may be");
        else if (read_member(zip, &info, &data, &inner) == STN_OK)
            each(user, name, data, info.size);
        else
            refuse(&count, info.name, inner.text);
        free(data);
    }
    if (zip)
        zip_discard(zip);
    return st;
}

stn_status stn_rp_each(const char *place, const char *prefix, stn_rp_each_fn *each, void *user, stn_err *err)
{
    struct stat info;

    if (stat(place, &info) != 0)
        return stn_fail(err, STN_NOT_FOUND, "%s is not there", place);
    return S_ISDIR(info.st_mode) ? each_in_folder(place, prefix, each, user, err)
                                 : each_in_archive(place, prefix, each, user, err);
}
