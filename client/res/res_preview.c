#include "client/res/res_preview.h"

#include "base/file.h"
#include "base/text.h"
#include "client/res/res_pack.h"
#include "renderer/gl/picture.h"
#include "renderer/preview.h"
#include "res/fault.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_STATE 255
#define MAX_LEVELS 32 /* folders above the file that are tried */

typedef struct places {
    const char *file, *root;
} places;

static bool read_in(const char *folder, size_t len, const char *name, uint8_t **data, size_t *size)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%.*s/%s.res", (int)len, folder, name);

    return n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0 &&
           stn_file_read(path, stn_res_default_limits.max_input, data, size, NULL) == STN_OK;
}

/* A resource's name is a path below a folder: the given one, or one above the file. */
static stn_status find(void *user, const char *name, int32_t version, uint8_t **data, size_t *len,
                       stn_err *err)
{
    const places *p = user;
    const char *last = strrchr(name, '/'), *slash = strrchr(p->file, '/');
    size_t n = strlen(p->file);

    (void)version; /* whatever is there: it is only looked at */
    if (!stn_rp_safe_name(name))
        return stn_fail(err, STN_NOT_FOUND, "the name is no path");
    if (p->root)
        return read_in(p->root, strlen(p->root), name, data, len)
                   ? STN_OK
                   : stn_fail(err, STN_NOT_FOUND, "not below %s", p->root);
    /* Files that lie together without their folders. */
    if (read_in(slash ? p->file : ".", slash ? (size_t)(slash - p->file) : 1, last ? last + 1 : name, data,
                len))
        return STN_OK;
    for (int level = 0; level < MAX_LEVELS; level++) {
        while (n > 0 && p->file[n - 1] != '/')
            n--;
        if (n == 0)
            return read_in(".", 1, name, data, len)
                       ? STN_OK
                       : stn_fail(err, STN_NOT_FOUND, "not in the folders above the file");
        n--;
        if (read_in(n ? p->file : "/", n ? n : 1, name, data, len))
            return STN_OK;
    }
    return stn_fail(err, STN_NOT_FOUND, "not in the folders above the file");
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool read_hex(const char *text, uint8_t out[MAX_STATE], size_t *len)
{
    size_t n = strlen(text);

    if (n % 2 || n / 2 > MAX_STATE)
        return false;
    for (size_t i = 0; i < n / 2; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    *len = n / 2;
    return true;
}

static bool read_number(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

static stn_status read_options(const stn_rv_options *from, stn_preview_options *to, uint8_t state[MAX_STATE],
                               stn_err *err)
{
    char rest;
    double degrees = 0;

    *to = (stn_preview_options){.width = 512, .height = 512};
    if (from->size && sscanf(from->size, "%dx%d%c", &to->width, &to->height, &rest) != 2)
        return stn_fail(err, STN_USAGE, "size \"%.40s\": expected as in 640x480", from->size);
    if (from->state && !read_hex(from->state, state, &to->sdt_len))
        return stn_fail(err, STN_USAGE, "state \"%.40s\": expected up to %d bytes in hex, as in 01ff",
                        from->state, MAX_STATE);
    to->sdt = from->state ? state : NULL;
    if (from->turn && !read_number(from->turn, &degrees))
        return stn_fail(err, STN_USAGE, "turn \"%.40s\": expected degrees", from->turn);
    if (from->seconds && !read_number(from->seconds, &to->seconds))
        return stn_fail(err, STN_USAGE, "seconds \"%.40s\": expected a number", from->seconds);
    to->turn = degrees * M_PI / 180;
    return STN_OK;
}

/* Below the root the path is the resource's name; elsewhere its last part stands for it. */
static void name_of(const char *file, const char *root, char out[256])
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    size_t n = root ? strlen(root) : 0;

    while (n > 0 && root[n - 1] == '/')
        n--;
    if (n > 0 && strncmp(file, root, n) == 0 && file[n] == '/')
        name = file + n + 1;
    snprintf(out, 256, "%s", name);
    if (stn_text_ends(out, ".res"))
        out[strlen(out) - 4] = 0;
}

static void tell(const char *out, const stn_preview *p)
{
    printf("%s: %s, %dx%d", out, p->model ? "model" : "picture", p->width, p->height);
    if (p->state)
        printf(", as with --state %02x%02x%02x%02x", p->state & 255, p->state >> 8 & 255,
               p->state >> 16 & 255, p->state >> 24);
    putchar('\n');
}

stn_status stn_rv_preview(const char *file, const char *out, const stn_rv_options *options, stn_err *err)
{
    uint8_t state[MAX_STATE], *data = NULL, *png = NULL;
    places where = {file, options->root};
    stn_preview_options o;
    stn_preview picture = {0};
    char name[256];
    size_t len = 0, png_len = 0;
    stn_status st;

    if ((st = read_options(options, &o, state, err)) != STN_OK)
        return st;
    o.find = find;
    o.user = &where;
    name_of(file, options->root, name);
    if ((st = stn_file_read(file, stn_res_default_limits.max_input, &data, &len, err)) != STN_OK)
        return st;
    st = stn_preview_draw(name, data, len, &o, &picture, err);
    if (st == STN_OK)
        st = stn_picture_to_png(picture.rgba, picture.width, picture.height, 1, &png, &png_len, err);
    if (st == STN_OK)
        st = stn_file_write(out, png, png_len, 0666, false, err);
    if (st == STN_OK)
        tell(out, &picture);
    if (st == STN_OK && picture.missing)
        fprintf(stderr, "stenness res: %s is not complete: %s%s\n", out, picture.first_missing,
                picture.missing > 1 ? " and others are missing" : " is missing");
    free(picture.rgba);
    free(png);
    free(data);
    return st;
}
