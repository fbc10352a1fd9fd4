#include "client/res/res_cache.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "cache/diskcache.h"
#include "res/res.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PREFIX "res/"
#define SHOWN 1024 /* bytes of a name that are printed */

/* ---- the folder, listed ---- */

typedef struct entry {
    stn_diskcache_state state;
    char file[32]; /* an entry's name has at most 23 characters that are accepted */
    char *identity, *key; /* "" when the header does not say */
    uint64_t bytes, body_bytes;
    int64_t read_ns;
} entry;

typedef struct listing {
    stn_diskcache *cache;
    char *folder;
    stn_buf list; /* of entry */
} listing;

static int failed(const stn_err *err)
{
    fprintf(stderr, "stenness res: %s\n", err->text);
    return EXIT_FAILURE;
}

static size_t count_of(const listing *l)
{
    return l->list.len / sizeof(entry);
}

static entry *entries_of(const listing *l)
{
    return (entry *)(void *)l->list.data;
}

static void collect(void *ctx, const stn_diskcache_item *item)
{
    listing *l = ctx;
    entry e = {.state = item->state,
               .identity = strdup(item->identity ? item->identity : ""),
               .key = strdup(item->key ? item->key : ""),
               .bytes = item->bytes,
               .body_bytes = item->body_bytes,
               .read_ns = item->read_ns};
    snprintf(e.file, sizeof e.file, "%s", item->file);
    size_t before = l->list.len;
    if (e.identity && e.key)
        stn_buf_put(&l->list, &e, sizeof e);
    else
        l->list.failed = true;
    if (l->list.len == before) {
        free(e.identity);
        free(e.key);
    }
}

static int by_name(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int d = strcmp(x->identity, y->identity);
    if (d == 0)
        d = strcmp(x->key, y->key);
    return d ? d : strcmp(x->file, y->file);
}

static void close_listing(listing *l)
{
    for (size_t i = 0; i < count_of(l); i++) {
        free(entries_of(l)[i].identity);
        free(entries_of(l)[i].key);
    }
    stn_buf_fini(&l->list);
    stn_diskcache_free(l->cache);
    free(l->folder);
}

static stn_status open_listing(const stn_rc_choice *c, listing *l, stn_err *err)
{
    *l = (listing){0};
    stn_status st = stn_diskcache_dir(c->folder ? c->folder : "", &l->folder, err);
    if (st == STN_OK && !l->folder)
        st = stn_fail(err, STN_USAGE, "there is no folder: set HOME or XDG_CACHE_HOME, or use --cache DIR");
    if (st == STN_OK)
        st = stn_diskcache_look(l->folder, &l->cache, err);
    if (st == STN_OK)
        st = stn_diskcache_each_file(l->cache, collect, l, err);
    if (st == STN_OK && l->list.failed)
        st = stn_fail(err, STN_NO_MEMORY, "disk cache %s: too many entries to list", l->folder);
    if (st != STN_OK) {
        close_listing(l);
        return st;
    }
    if (l->list.len)
        qsort(l->list.data, count_of(l), sizeof(entry), by_name);
    return STN_OK;
}

static bool has_header(const entry *e)
{
    return e->state == STN_CACHED_ENTRY || e->state == STN_CACHED_MISPLACED;
}

static bool is_resource(const entry *e)
{
    return has_header(e) && stn_text_starts(e->key, PREFIX);
}

/* By identity and age. What has no readable header belongs to nobody: it is chosen when no identity is. */
static bool chosen(const stn_rc_choice *c, const entry *e)
{
    struct timespec now;
    if (c->identity && (!has_header(e) || strcmp(c->identity, e->identity) != 0))
        return false;
    if (c->older_days < 0)
        return true;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec - e->read_ns / STN_S > c->older_days * 86400;
}

static const char *day_of(const entry *e, char out[32])
{
    time_t t = (time_t)(e->read_ns / STN_S);
    struct tm tm;
    if (!localtime_r(&t, &tm) || strftime(out, 32, "%Y-%m-%d %H:%M", &tm) == 0)
        snprintf(out, 32, "-");
    return out;
}

/* The name of a resource, or the whole key of something else; the file when there is neither. */
static const char *name_of(const entry *e, char out[SHOWN])
{
    const char *text = !has_header(e) ? e->file : is_resource(e) ? e->key + strlen(PREFIX) : e->key;
    return stn_text_show(text, strlen(text), out, SHOWN);
}

/* ---- list, size ---- */

static void list_json(const entry *e)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I}", "identity", e->identity, "key", e->key, "file",
                          e->file, "bytes", (json_int_t)e->bytes, "body", (json_int_t)e->body_bytes, "read",
                          (json_int_t)(e->read_ns / STN_S));
    if (o)
        json_dumpf(o, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(o);
}

int stn_rc_list(const stn_rc_choice *c)
{
    listing l;
    stn_err err = {0};
    if (open_listing(c, &l, &err) != STN_OK)
        return failed(&err);
    for (size_t i = 0; i < count_of(&l); i++) {
        const entry *e = &entries_of(&l)[i];
        char day[32], name[SHOWN], identity[SHOWN];
        if (!is_resource(e) || !chosen(c, e))
            continue;
        if (c->json)
            list_json(e);
        else
            printf("%10" PRIu64 "  %s  %s  %s\n", e->body_bytes, day_of(e, day),
                   stn_text_show(e->identity, strlen(e->identity), identity, sizeof identity),
                   name_of(e, name));
    }
    close_listing(&l);
    return EXIT_SUCCESS;
}

static void print_sum(uint64_t n, uint64_t bytes, const char *what)
{
    if (n)
        printf("%8" PRIu64 "  %12" PRIu64 "  %s\n", n, bytes, what);
}

int stn_rc_size(const stn_rc_choice *c)
{
    enum { OURS, OTHER, BROKEN, KINDS };
    static const char *const words[KINDS] = {"resources in all", "other keys", "no entries"};
    uint64_t n[KINDS] = {0}, bytes[KINDS] = {0}, its_n = 0, its_bytes = 0;
    char shown[SHOWN];
    listing l;
    stn_err err = {0};
    if (open_listing(c, &l, &err) != STN_OK)
        return failed(&err);
    printf("%s\n%8s  %12s  %s\n", l.folder, "entries", "bytes", "identity");
    for (size_t i = 0; i < count_of(&l); i++) {
        const entry *e = &entries_of(&l)[i], *next = i + 1 < count_of(&l) ? e + 1 : NULL;
        int kind = is_resource(e) ? OURS : has_header(e) ? OTHER : BROKEN;
        if (chosen(c, e)) {
            n[kind]++;
            bytes[kind] += e->bytes;
            its_n += kind == OURS;
            its_bytes += kind == OURS ? e->bytes : 0;
        }
        if (!next || strcmp(next->identity, e->identity) != 0) {
            print_sum(its_n, its_bytes, stn_text_show(e->identity, strlen(e->identity), shown, sizeof shown));
            its_n = its_bytes = 0;
        }
    }
    for (int k = 0; k < KINDS; k++)
        print_sum(n[k], bytes[k], words[k]);
    if (n[OURS] == 0)
        printf("no resources\n");
    close_listing(&l);
    return EXIT_SUCCESS;
}

/* ---- verify ---- */

typedef struct verdict {
    bool good;
    char word[16]; /* "good", "empty", "bad", … */
    char text[200]; /* what is wrong, or the version */
} verdict;

static void first_fault(void *user, const stn_res_fault *fault, const char *type, const stn_err *err)
{
    verdict *v = user;
    (void)type;
    if (!v->good) /* the first is enough */
        return;
    v->good = false;
    snprintf(v->word, sizeof v->word, "bad");
    snprintf(v->text, sizeof v->text, "%s: %.170s", stn_res_fault_name(fault->kind), err->text);
}

static void judge_body(const uint8_t *data, size_t len, verdict *v)
{
    const stn_res_opts full = {.want_version = STN_RES_ANY_VERSION, .pixels = STN_RES_DECODE, .borrow = true};
    *v = (verdict){.good = true, .word = "good"};
    if (len == 0) {
        *v = (verdict){.word = "empty", .text = "no bytes: as good as no entry"};
        return;
    }
    stn_res_check(data, len, &full, first_fault, v);
    if (v->good && len >= STN_RES_SIGNATURE_BYTES + 2)
        snprintf(v->text, sizeof v->text, "version %d",
                 data[STN_RES_SIGNATURE_BYTES] | data[STN_RES_SIGNATURE_BYTES + 1] << 8);
}

static void judge(listing *l, const entry *e, verdict *v)
{
    static const verdict by_state[] = {
        [STN_CACHED_MISPLACED] = {false, "misplaced", "the file bears another entry's name: never found"},
        [STN_CACHED_FREE] = {false, "torn", "ends inside its header: a miss, and free for the next store"},
        [STN_CACHED_MALFORMED] = {false, "malformed", "a header that is no text: never found"},
        [STN_CACHED_ALIEN] = {false, "alien", "not a regular file, or not readable"},
    };
    uint8_t *data = NULL;
    size_t len = 0;
    stn_err err = {0};
    if (e->state != STN_CACHED_ENTRY) {
        *v = by_state[e->state];
        return;
    }
    if (!is_resource(e)) {
        *v = (verdict){true, "other", "not a resource: left alone"};
        return;
    }
    stn_status st =
        stn_diskcache_body(l->cache, e->file, stn_res_default_limits.max_input, &data, &len, &err);
    if (st == STN_OK) {
        judge_body(data, len, v);
    } else {
        v->good = st == STN_NOT_FOUND; /* another process took it since */
        snprintf(v->word, sizeof v->word, "%s", v->good ? "gone" : "unreadable");
        snprintf(v->text, sizeof v->text, "%.190s", err.text);
    }
    free(data);
}

int stn_rc_verify(const stn_rc_choice *c)
{
    listing l;
    stn_err err = {0};
    uint64_t good = 0, bad = 0;
    if (open_listing(c, &l, &err) != STN_OK)
        return failed(&err);
    for (size_t i = 0; i < count_of(&l); i++) {
        const entry *e = &entries_of(&l)[i];
        char name[SHOWN];
        verdict v;
        if (!chosen(c, e))
            continue;
        judge(&l, e, &v);
        printf("%-10s %s: %s\n", v.word, name_of(e, name), v.text);
        good += v.good;
        bad += !v.good;
    }
    printf("%" PRIu64 " good, %" PRIu64 " bad\n", good, bad);
    close_listing(&l);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- purge ---- */

static bool to_purge(listing *l, const stn_rc_choice *c, const entry *e)
{
    verdict v;
    if (!chosen(c, e) || (has_header(e) && !is_resource(e)) || e->state == STN_CACHED_ALIEN)
        return false;
    if (!c->bad)
        return is_resource(e) || e->state == STN_CACHED_FREE;
    judge(l, e, &v);
    return !v.good;
}

int stn_rc_purge(const stn_rc_choice *c)
{
    listing l;
    stn_err err = {0};
    uint64_t n = 0, bytes = 0;
    int rc = EXIT_SUCCESS;
    if (open_listing(c, &l, &err) != STN_OK)
        return failed(&err);
    for (size_t i = 0; i < count_of(&l); i++) {
        const entry *e = &entries_of(&l)[i];
        if (!to_purge(&l, c, e))
            continue;
        if (stn_diskcache_unlink(l.cache, e->file, &err) != STN_OK) {
            rc = failed(&err);
            continue;
        }
        n++;
        bytes += e->bytes;
    }
    printf("%" PRIu64 " entries of %" PRIu64 " bytes removed\n", n, bytes);
    close_listing(&l);
    return rc;
}
