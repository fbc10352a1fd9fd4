/* vec_resource_loading.c - names, URLs, bodies, disk cache entries, number tables, ask scenarios and HTTP
 * answers. */
#include "base/buf.h"
#include "base/bytes.h"
#include "cache/cache_entry.h"
#include "cache/diskcache.h"
#include "loader/judge.h"
#include "loader/resname.h"
#include "session/resids.h"
#include "vectors/ask_scenarios.h"
#include "vectors/http_cases.h"

#include <inttypes.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *str(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

/* ---- url.json ---- */

static void url_case(const json_t *c, vec_report *r)
{
    const json_t *jname = json_object_get(c, "name");
    const char *name = json_string_value(jname), *expect = str(c, "expect"), *suffix = str(c, "suffix");
    size_t len = json_string_length(jname);
    stn_url_base base;
    stn_buf url = {0};
    stn_err err = {0};
    if (strcmp(expect, "url_nfc") == 0) {
        vec_skip(r, "url %s: composes the name first; names are not normalised here", name);
        return;
    }
    stn_status st = stn_resname_check(name, len, &err);
    if (strcmp(expect, "refuse") == 0) {
        if (st == STN_OK)
            vec_fail(r, "url: name \"%s\" is taken", name);
        else
            vec_pass(r);
        return;
    }
    int want = -1;
    if (strncmp(suffix, ".res.v", 6) == 0)
        want = atoi(suffix + 6);
    if (st == STN_OK && (st = stn_url_base_init(&base, str(c, "base"), &err)) == STN_OK) {
        st = stn_url_of(&base, name, want, true, &url, &err);
        stn_url_base_fini(&base);
    }
    if (st != STN_OK)
        vec_fail(r, "url: name \"%s\": %s", name, err.text);
    else if (strcmp((const char *)url.data, str(c, "url")) != 0)
        vec_fail(r, "url: name \"%s\": %s, expected %s", name, (const char *)url.data, str(c, "url"));
    else
        vec_pass(r);
    stn_buf_fini(&url);
}

static void urls(const char *dir, vec_report *r)
{
    json_t *doc = vec_json(dir, "url.json");
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(doc, "vectors"), i, c) url_case(c, r);
    json_decref(doc);
}

/* ---- bodies.json ---- */

static void body_case(const json_t *c, vec_report *r)
{
    size_t len;
    uint8_t *body = vec_unhex(str(c, "body"), &len);
    const char *title = str(c, "title"), *outcome = str(c, "outcome"), *kind = str(c, "kind");
    int want = (int)json_integer_value(json_object_get(c, "want"));
    stn_res *res;
    stn_verdict v;
    stn_judge(body, len, want, &res, &v);
    const char *got = v.miss == STN_MISS_NONE ? "ok" : stn_miss_soft(v.miss) ? "no_such" : "load_failed";
    bool commit = v.miss == STN_MISS_NONE;
    if (strcmp(got, outcome) != 0 || (kind && strcmp(kind, stn_miss_name(v.miss)) != 0)) {
        vec_fail(r, "body \"%s\": %s %s, expected %s %s", title, got, stn_miss_name(v.miss), outcome,
                 kind ? kind : "");
    } else if (commit != json_is_true(json_object_get(c, "require_commits"))) {
        vec_fail(r, "body \"%s\": stored %d", title, commit);
    } else if (commit) {
        const json_t *layers = json_object_get(c, "layers"), *text = json_object_get(c, "text");
        const stn_res_layer *tip = stn_res_first(res, STN_LAYER_TOOLTIP);
        size_t n = 0;
        bool right = v.version == json_integer_value(json_object_get(c, "ver"));
        for (uint32_t i = 0; i < stn_res_count(res); i++) {
            const stn_res_layer *l = stn_res_layer_at(res, i);
            if (l->kind == STN_LAYER_UNKNOWN)
                continue;
            const char *type = json_string_value(json_array_get(layers, n++));
            right = right && type && strcmp(type, l->type) == 0;
        }
        right = right && n == json_array_size(layers);
        if (json_is_string(text))
            right = right && tip && tip->raw_len == json_string_length(text) &&
                    memcmp(tip->raw, json_string_value(text), tip->raw_len) == 0;
        else
            right = right && !tip;
        if (right)
            vec_pass(r);
        else
            vec_fail(r, "body \"%s\": version, layers or text differ", title);
    } else {
        vec_pass(r);
    }
    stn_res_free(res);
    free(body);
}

static void bodies(const char *dir, vec_report *r)
{
    json_t *doc = vec_json(dir, "bodies.json");
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(doc, "vectors"), i, c) body_case(c, r);
    json_decref(doc);
}

/* ---- resmap.json ---- */

static void resmap_case(const json_t *c, vec_report *r)
{
    size_t len;
    uint8_t *data = vec_unhex(str(c, "data"), &len);
    stn_bytes in = stn_bytes_of(data, len);
    static stn_resmap map;
    stn_err err = {0};
    stn_status st = stn_resmap_read(&in, &map, &err);
    const json_t *want = json_object_get(c, "map");
    if (!want) {
        if (st == STN_TRUNCATED)
            vec_pass(r);
        else
            vec_fail(r, "resmap %s: not refused", str(c, "data"));
    } else {
        bool right = st == STN_OK && map.count == json_array_size(want) &&
                     stn_bytes_left(&in) == (size_t)json_integer_value(json_object_get(c, "left"));
        for (size_t i = 0; right && i < map.count; i++) {
            const json_t *p = json_array_get(want, i);
            uint16_t value;
            right = map.pairs[i].key == json_integer_value(json_array_get(p, 0)) &&
                    stn_resmap_get(&map, map.pairs[i].key, &value) &&
                    value == json_integer_value(json_array_get(p, 1));
        }
        if (right)
            vec_pass(r);
        else
            vec_fail(r, "resmap %s: %s", str(c, "data"), st == STN_OK ? "differs" : err.text);
    }
    free(data);
}

static void resmaps(const char *dir, vec_report *r)
{
    json_t *doc = vec_json(dir, "resmap.json");
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(doc, "vectors"), i, c) resmap_case(c, r);
    json_decref(doc);
}

/* ---- cache-names.json, cache-folder/ ---- */

static char *name_of(const json_t *c, size_t *len)
{
    const json_t *rep = json_object_get(c, "name_repeat");
    if (rep) {
        stn_buf b = {0};
        stn_buf_printf(&b, "%s", json_string_value(json_array_get(rep, 2)));
        const char *ch = json_string_value(json_array_get(rep, 0));
        for (json_int_t i = 0; i < json_integer_value(json_array_get(rep, 1)); i++)
            stn_buf_printf(&b, "%s", ch);
        stn_buf_u8(&b, 0);
        *len = b.len - 1;
        size_t all;
        return (char *)stn_buf_take(&b, &all);
    }
    const json_t *name = json_object_get(c, "name");
    *len = json_string_length(name);
    char *copy = malloc(*len + 1);
    memcpy(copy, json_string_value(name), *len + 1);
    return copy;
}

static bool is_sha(const uint8_t *data, size_t len, const char *hex)
{
    uint8_t sum[SHA256_DIGEST_LENGTH];
    char text[2 * SHA256_DIGEST_LENGTH + 1];
    SHA256(data, len, sum);
    for (size_t i = 0; i < sizeof sum; i++)
        snprintf(text + 2 * i, 3, "%02x", sum[i]);
    return strcmp(text, hex) == 0;
}

static void cache_read_case(const json_t *c, const char *folder, vec_report *r)
{
    size_t key_len, len;
    char *key = name_of(c, &key_len);
    const char *identity = str(c, "identity"), *outcome = str(c, "outcome");
    uint8_t *data = NULL;
    stn_diskcache *cache;
    stn_err err = {0};
    if (str(c, "hash")) {
        char hash[20];
        snprintf(hash, sizeof hash, "%016" PRIx64, stn_cache_hash(identity, strlen(identity), key, key_len));
        if (strcmp(hash, str(c, "hash")) != 0)
            vec_fail(r, "cache \"%.60s\": hash %s, expected %s", key, hash, str(c, "hash"));
    }
    stn_status st = stn_diskcache_open(folder, identity, 0, &cache, &err);
    if (st == STN_OK)
        st = stn_diskcache_read(cache, key, key_len, 1 << 20, &data, &len, &err);
    bool right;
    if (strcmp(outcome, "present") == 0)
        right = st == STN_OK && len == (size_t)json_integer_value(json_object_get(c, "body_len")) &&
                is_sha(data, len, str(c, "body_sha256"));
    else if (strcmp(outcome, "empty") == 0)
        right = st == STN_OK && len == 0;
    else
        right = st == STN_NOT_FOUND;
    if (strcmp(outcome, "name_too_long") == 0)
        right = right && stn_diskcache_write(cache, key, key_len, "x", 1, &err) == STN_TOO_BIG;
    if (right)
        vec_pass(r);
    else
        vec_fail(r, "cache read \"%.60s\" (%s): %s", key, outcome, st == STN_OK ? "differs" : err.text);
    stn_diskcache_free(cache);
    free(data);
    free(key);
}

/* Stores an entry of our own and compares the file's name and header. */
static void cache_write_case(const json_t *c, const char *folder, vec_report *r)
{
    size_t key_len, header_len, len = 0;
    char *key = name_of(c, &key_len);
    const char *identity = str(c, "identity");
    bool empty = strcmp(str(c, "outcome"), "empty") == 0;
    uint8_t *header = vec_unhex(str(c, "header_hex"), &header_len), *file = NULL;
    stn_diskcache *cache;
    stn_err err = {0};
    stn_status st = stn_diskcache_open(folder, identity, 0, &cache, &err);
    if (st == STN_OK)
        st = stn_diskcache_write(cache, key, key_len, "stored", empty ? 0 : 6, &err);
    if (st == STN_OK)
        file = vec_read(folder, str(c, "file"), &len);
    if (st != STN_OK)
        vec_fail(r, "cache write \"%.60s\": %s", key, err.text);
    else if (!file)
        vec_fail(r, "cache write \"%.60s\": no file %s", key, str(c, "file"));
    else if (len != header_len + (empty ? 0 : 6) || memcmp(file, header, header_len) != 0)
        vec_fail(r, "cache write \"%.60s\": header differs", key);
    else
        vec_pass(r);
    free(file);
    free(header);
    free(key);
    stn_diskcache_free(cache);
}

static void copy_folder(const char *from, const char *to)
{
    char **names = vec_list(from, "");
    for (char **n = names; *n; n++) {
        size_t len;
        uint8_t *data = vec_read(from, *n, &len);
        char *path;
        if (data && asprintf(&path, "%s/%s", to, *n) > 0) {
            FILE *f = fopen(path, "wb");
            if (!f || fwrite(data, 1, len, f) != len || fclose(f) != 0) {
                perror(path);
                exit(1);
            }
            free(path);
        }
        free(data);
    }
    vec_list_free(names);
}

typedef struct listed {
    size_t items, known;
    const json_t *entries;
} listed;

static void on_item(void *ctx, const stn_diskcache_item *item)
{
    listed *l = ctx;
    size_t i;
    const json_t *c;
    l->items++;
    json_array_foreach((json_t *)l->entries, i, c)
    {
        const char *file = str(c, "file");
        if (file && strcmp(file, item->file) == 0 && strcmp(str(c, "identity"), item->identity) == 0 &&
            strcmp(str(c, "name"), item->key) == 0 &&
            item->body_bytes == (uint64_t)json_integer_value(json_object_get(c, "body_len")))
            l->known++;
    }
}

static void cache(const char *dir, const char *scratch, vec_report *r)
{
    json_t *doc = vec_json(dir, "cache-names.json");
    const json_t *entries = json_object_get(doc, "entries");
    char *from;
    size_t i, with_file = 0;
    const json_t *c;
    if (!doc || asprintf(&from, "%s/cache-folder", dir) < 0)
        return;
    vec_scratch_empty(scratch);
    copy_folder(from, scratch);
    json_array_foreach((json_t *)entries, i, c) cache_read_case(c, scratch, r);
    json_array_foreach((json_t *)entries, i, c) with_file += str(c, "file") != NULL;
    stn_diskcache *all;
    stn_err err = {0};
    listed l = {.entries = entries};
    if (stn_diskcache_open(scratch, "", 0, &all, &err) == STN_OK &&
        stn_diskcache_each(all, on_item, &l, &err) == STN_OK && l.items == with_file && l.known == with_file)
        vec_pass(r);
    else
        vec_fail(r, "cache listing: %zu entries, %zu of them as listed, expected %zu %s", l.items, l.known,
                 with_file, err.text);
    stn_diskcache_free(all);
    vec_scratch_empty(scratch);
    json_array_foreach((json_t *)entries, i, c) if (str(c, "file")) cache_write_case(c, scratch, r);
    free(from);
    json_decref(doc);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: vec-resource-loading DIR\n");
        return 2;
    }
    vec_report report = {0};
    char *scratch = vec_scratch_new();
    const char *dir = argv[1];
    urls(dir, &report);
    bodies(dir, &report);
    resmaps(dir, &report);
    cache(dir, scratch, &report);
    json_t *scenarios = vec_json(dir, "ask-scenarios.json");
    vec_ask_scenarios(scenarios, scratch, &report);
    json_decref(scenarios);
    vec_scratch_free(scratch);
    json_t *http = vec_json(dir, "http-cases.json");
    if (http)
        vec_http_cases(http, &report);
    json_decref(http);
    return vec_done(&report);
}
