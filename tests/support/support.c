#include "support/support.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/text.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define SHOWN_AT_MOST 50

void vec_pass(vec_report *r)
{
    r->passed++;
}

void vec_fail(vec_report *r, const char *fmt, ...)
{
    va_list ap;
    r->failed++;
    if (r->shown++ >= SHOWN_AT_MOST)
        return;
    fputs("FAIL ", stdout);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

void vec_skip(vec_report *r, const char *fmt, ...)
{
    va_list ap;
    r->skipped++;
    fputs("skipped ", stdout);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

int vec_done(const vec_report *r)
{
    if (r->shown > SHOWN_AT_MOST)
        printf("… and %lu more failures\n", r->shown - SHOWN_AT_MOST);
    if (r->passed + r->failed == 0)
        printf("no case found\n");
    printf("%lu passed, %lu failed", r->passed, r->failed);
    if (r->skipped)
        printf(", %lu skipped", r->skipped);
    putchar('\n');
    return r->failed > 0 || r->passed == 0;
}

static void die(const char *dir, const char *name, const char *what)
{
    fprintf(stderr, "%s/%s: %s\n", dir, name, what);
    exit(1);
}

uint8_t *vec_read(const char *dir, const char *name, size_t *len)
{
    char path[4096];
    stn_buf out = {0};
    gzFile in;
    uint8_t *p;
    int n;

    *len = 0;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (access(path, F_OK) != 0)
        return NULL;
    in = gzopen(path, "rb"); /* reads plain files as they are */
    if (!in)
        die(dir, name, "cannot be opened");
    do {
        p = stn_buf_add(&out, 1 << 16);
        if (!p)
            die(dir, name, "out of memory");
        n = gzread(in, p, 1 << 16);
        if (n < 0)
            die(dir, name, "cannot be read");
        out.len -= (size_t)((1 << 16) - n);
    } while (n > 0);
    gzclose(in);
    stn_buf_u8(&out, 0);
    p = stn_buf_take(&out, len);
    --*len;
    return p;
}

json_t *vec_json(const char *dir, const char *name)
{
    size_t len;
    uint8_t *text = vec_read(dir, name, &len);
    json_error_t e;
    json_t *v;

    if (!text)
        return NULL;
    v = json_loadb((const char *)text, len, JSON_ALLOW_NUL | JSON_DECODE_ANY, &e);
    if (!v)
        die(dir, name, e.text);
    free(text);
    return v;
}

json_t *vec_jsonl_next(const char *text, size_t len, size_t *it)
{
    while (*it < len) {
        const char *line = text + *it, *end = memchr(line, '\n', len - *it);
        size_t n = end ? (size_t)(end - line) : len - *it;
        json_error_t e;
        json_t *v;

        *it += n + (end != NULL);
        if (n == 0)
            continue;
        v = json_loadb(line, n, JSON_ALLOW_NUL | JSON_DECODE_ANY, &e);
        if (!v)
            die("line", e.text, "not JSON");
        return v;
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **vec_list(const char *dir, const char *suffix)
{
    DIR *d = opendir(dir);
    char **names = calloc(1, sizeof *names);
    size_t n = 0;

    if (!names)
        die(dir, "", "out of memory");
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char **more;
        if (e->d_name[0] == '.' || !stn_text_ends(e->d_name, suffix))
            continue;
        more = realloc(names, (n + 2) * sizeof *names);
        if (!more || !(more[n] = strdup(e->d_name)))
            die(dir, e->d_name, "out of memory");
        names = more;
        names[++n] = NULL;
    }
    if (d)
        closedir(d);
    qsort(names, n, sizeof *names, by_name);
    return names;
}

void vec_list_free(char **names)
{
    for (char **n = names; n && *n; n++)
        free(*n);
    free(names);
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

uint8_t *vec_unhex(const char *hex, size_t *len)
{
    size_t n = strlen(hex);
    uint8_t *out = malloc(n / 2 + 1);

    *len = n / 2;
    if (n % 2 || !out) {
        free(out);
        return NULL;
    }
    for (size_t i = 0; i < n / 2; i++) {
        int hi = digit(hex[2 * i]), lo = digit(hex[2 * i + 1]);
        if (hi < 0 || lo < 0) {
            free(out);
            return NULL;
        }
        out[i] = (uint8_t)(hi << 4 | lo);
    }
    return out;
}

uint32_t vec_crc32(const void *data, size_t len)
{
    uLong crc = crc32(0, NULL, 0);
    const Bytef *p = data;
    while (len > 0) {
        uInt n = len > 1u << 30 ? 1u << 30 : (uInt)len;
        crc = crc32(crc, p, n);
        p += n;
        len -= n;
    }
    return (uint32_t)crc;
}

static bool is_nan_bits(uint32_t v)
{
    return (v & 0x7fffffff) > 0x7f800000;
}

size_t vec_first_difference(const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t i = 0;
    while (i < n) {
        if (a[i] == b[i]) {
            i++;
            continue;
        }
        bool nan = false;
        for (size_t k = 0; k < 4 && !nan; k++)
            if (i >= k && i - k + 4 <= n && is_nan_bits(stn_ld32(a + i - k)) &&
                is_nan_bits(stn_ld32(b + i - k))) {
                i += 4 - k;
                nan = true;
            }
        if (!nan)
            return i;
    }
    return n;
}
