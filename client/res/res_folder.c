#include "client/res/res_folder.h"

#include "base/file.h"
#include "base/text.h"
#include "client/res/res_obj.h"
#include "client/res/res_text.h"
#include "res/res.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANIFEST "resource.json"
#define FORMAT_KEY "stenness-resource"

/* ---- files ---- */

static char *join(const char *dir, const char *name)
{
    size_t n = strlen(dir) + strlen(name) + 2;
    char *p = malloc(n);
    if (p)
        snprintf(p, n, "%s/%s", dir, name);
    return p;
}

static stn_status write_file(const char *dir, const char *name, const void *data, size_t len, stn_err *err)
{
    char *path = join(dir, name);
    stn_status st = path ? stn_file_write(path, data, len, 0666, false, err)
                         : stn_fail(err, STN_NO_MEMORY, "path of %s", name);
    free(path);
    return st;
}

#define LINE 100 /* what fits stands on one line */

/* The fewest digits that read as the same number, and as a real one. */
static void put_real(stn_buf *b, double v)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    stn_buf_printf(b, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void put_leaf(stn_buf *b, const json_t *j)
{
    char *text = json_is_real(j) ? NULL : json_dumps(j, JSON_ENCODE_ANY);
    if (json_is_real(j))
        put_real(b, json_real_value(j));
    else if (text)
        stn_buf_put(b, text, strlen(text));
    else
        b->failed = true;
    free(text);
}

static void put_key(stn_buf *b, const char *key)
{
    json_t *name = json_string_nocheck(key);
    put_leaf(b, name);
    stn_buf_printf(b, ": ");
    json_decref(name);
}

/* On one line. */
static void put_flat(stn_buf *b, const json_t *j)
{
    const char *key;
    json_t *item;
    size_t i, n = 0;

    if (json_is_array(j)) {
        stn_buf_u8(b, '[');
        json_array_foreach(j, i, item)
        {
            stn_buf_printf(b, "%s", i ? ", " : "");
            put_flat(b, item);
        }
        stn_buf_u8(b, ']');
    } else if (json_is_object(j)) {
        stn_buf_u8(b, '{');
        json_object_foreach((json_t *)(uintptr_t)j, key, item)
        {
            stn_buf_printf(b, "%s", n++ ? ", " : "");
            put_key(b, key);
            put_flat(b, item);
        }
        stn_buf_u8(b, '}');
    } else {
        put_leaf(b, j);
    }
}

static void put_json(stn_buf *b, const json_t *j, size_t indent)
{
    stn_buf flat = {0};
    const char *key;
    json_t *item;
    size_t i, n = 0;

    put_flat(&flat, j);
    if (flat.failed) {
        b->failed = true;
    } else if (flat.len + indent <= LINE || !(json_is_array(j) || json_is_object(j))) {
        stn_buf_put(b, flat.data, flat.len);
    } else if (json_is_array(j)) {
        json_array_foreach(j, i, item)
        {
            stn_buf_printf(b, "%s\n%*s", i ? "," : "[", (int)indent + 2, "");
            put_json(b, item, indent + 2);
        }
        stn_buf_printf(b, "\n%*s]", (int)indent, "");
    } else {
        json_object_foreach((json_t *)(uintptr_t)j, key, item)
        {
            stn_buf_printf(b, "%s\n%*s", n++ ? "," : "{", (int)indent + 2, "");
            put_key(b, key);
            put_json(b, item, indent + 2);
        }
        stn_buf_printf(b, "\n%*s}", (int)indent, "");
    }
    stn_buf_fini(&flat);
}

static stn_status write_json(const char *dir, const char *name, const json_t *j, stn_err *err)
{
    stn_buf b = {0};
    put_json(&b, j, 0);
    stn_buf_u8(&b, '\n');
    stn_status st = b.failed ? stn_fail(err, STN_NO_MEMORY, "text of %s", name)
                             : write_file(dir, name, b.data, b.len, err);
    stn_buf_fini(&b);
    return st;
}

/* A file of the folder itself: nothing in a manifest reaches outside. */
static bool plain_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/') && !strchr(name, '\\');
}

static stn_status read_file(const char *dir, const char *name, uint8_t **data, size_t *len, stn_err *err)
{
    if (!plain_name(name))
        return stn_fail(err, STN_BAD_DATA,
                        "\"%.60s\" is no plain file name: only files of the folder itself are read", name);
    char *path = join(dir, name);
    stn_status st = path ? stn_file_read(path, stn_res_default_limits.max_input, data, len, err)
                         : stn_fail(err, STN_NO_MEMORY, "path of %s", name);
    free(path);
    return st;
}

static stn_status read_json(const char *dir, const char *name, json_t **out, stn_err *err)
{
    uint8_t *data = NULL;
    size_t len;
    json_error_t e;
    stn_status st = read_file(dir, name, &data, &len, err);

    *out = NULL;
    if (st != STN_OK)
        return st;
    *out = json_loadb((const char *)data, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &e);
    free(data);
    if (!*out)
        return stn_fail(err, STN_BAD_DATA, "%s line %d column %d: %s", name, e.line, e.column, e.text);
    return STN_OK;
}

/* ---- side files, held back until a layer is proven ---- */

typedef struct side_file {
    char name[128];
    uint8_t *data;
    size_t len;
} side_file;

typedef struct side_files {
    side_file *items;
    size_t count;
} side_files;

static void side_clear(side_files *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->items[i].data);
    free(s->items);
    *s = (side_files){0};
}

static stn_status side_save(void *user, const char *name, const uint8_t *data, size_t len, stn_err *err)
{
    side_files *s = user;
    side_file *grown = realloc(s->items, (s->count + 1) * sizeof *grown);
    if (grown)
        s->items = grown;
    uint8_t *copy = grown ? malloc(len ? len : 1) : NULL;
    if (!copy)
        return stn_fail(err, STN_NO_MEMORY, "%s of %zu bytes", name, len);
    memcpy(copy, data, len);
    side_file *f = &s->items[s->count++];
    snprintf(f->name, sizeof f->name, "%s", name);
    f->data = copy;
    f->len = len;
    return STN_OK;
}

static stn_status side_load(void *user, const char *name, uint8_t **data, size_t *len, stn_err *err)
{
    const side_files *s = user;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->items[i].name, name) == 0) {
            *data = malloc(s->items[i].len ? s->items[i].len : 1);
            if (!*data)
                return stn_fail(err, STN_NO_MEMORY, "%s", name);
            memcpy(*data, s->items[i].data, s->items[i].len);
            *len = s->items[i].len;
            return STN_OK;
        }
    return stn_fail(err, STN_NOT_FOUND, "no file %s", name);
}

/* ---- extract ---- */

/* "003-tex": the type as far as it makes a file name. */
static void stem_of(uint32_t index, const char *type, char out[40])
{
    int n = snprintf(out, 40, "%03u-", index);
    for (const char *p = type; *p && n < 34; p++)
        out[n++] =
            (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ? *p : '_';
    out[n] = 0;
}

/* The text of a layer that gives back its bytes, or NULL with the reason in err. */
static json_t *proven_text(const stn_res_record *r, const char *stem, side_files *side, stn_err *err)
{
    const stn_rt_files files = {side, side_save, side_load};
    json_t *text = NULL, *again = NULL;
    stn_buf b = {0};
    bool same = false;

    if (stn_rt_to_text(r->type, r->data, r->len, stem, &files, &text, err) == STN_OK) {
        /* through the characters of the file, as build will read it */
        char *chars = json_dumps(text, JSON_REAL_PRECISION(17));
        again = chars ? json_loads(chars, JSON_ALLOW_NUL, NULL) : NULL;
        free(chars);
        same = again && stn_rt_to_bytes(r->type, again, &files, &b, err) == STN_OK && b.len == r->len &&
               (r->len == 0 || memcmp(b.data, r->data, r->len) == 0);
        if (!same && (!err->code || again == NULL))
            stn_fail(err, STN_UNSUPPORTED, "its text would not give back the same bytes");
    }
    json_decref(again);
    stn_buf_fini(&b);
    if (same)
        return text;
    json_decref(text);
    return NULL;
}

static stn_status extract_layer(const char *dir, const stn_res_record *r, uint32_t index, json_t *layers,
                                unsigned *raw_layers, stn_err *err)
{
    char stem[40], name[56];
    side_files side = {0};
    stn_err why = {0};
    stn_status st = STN_OK;
    json_t *entry = json_pack("{s:o}", "type", stn_rt_raw_text(r->type, strlen(r->type)));

    stem_of(index, r->type, stem);
    json_t *text = proven_text(r, stem, &side, &why);
    if (text) {
        snprintf(name, sizeof name, "%s.json", stem);
        json_object_set_new(entry, "text", json_string(name));
        st = write_json(dir, name, text, err);
        for (size_t i = 0; st == STN_OK && i < side.count; i++)
            st = write_file(dir, side.items[i].name, side.items[i].data, side.items[i].len, err);
    } else {
        snprintf(name, sizeof name, "%s.bin", stem);
        json_object_set_new(entry, "raw", json_string(name));
        json_object_set_new(entry, "why", json_string(why.text));
        *raw_layers += why.code != STN_UNSUPPORTED || stn_layer_kind_of(r->type) != STN_LAYER_UNKNOWN;
        st = write_file(dir, name, r->data, r->len, err);
    }
    json_decref(text);
    side_clear(&side);
    json_array_append_new(layers, entry);
    return st;
}

/* Meshes to look at, when the resource holds together. */
static stn_status extract_objects(const uint8_t *data, size_t len, const char *dir, stn_err *err)
{
    const stn_res_opts opts = {.want_version = STN_RES_ANY_VERSION, .borrow = true};
    stn_res *res = NULL;
    stn_status st = STN_OK;

    if (stn_res_new(data, len, &opts, &res, NULL, NULL) != STN_OK)
        return STN_OK;
    const stn_res_layer *l = NULL;
    while (st == STN_OK && (l = stn_res_next(res, STN_LAYER_MESH, l)) != NULL) {
        stn_buf b = {0};
        char name[40];
        snprintf(name, sizeof name, "%03u-mesh.obj", l->index);
        st = stn_ro_write(l, &b, err);
        if (st == STN_OK)
            st = write_file(dir, name, b.data, b.len, err);
        stn_buf_fini(&b);
    }
    stn_res_free(res);
    return st;
}

stn_status stn_rf_extract(const uint8_t *data, size_t len, const char *dir, bool force, unsigned *raw_layers,
                          stn_err *err)
{
    stn_arena *arena = stn_arena_new(4096, 0);
    json_t *layers = json_array(), *manifest = NULL;
    stn_res_container box = {0};
    unsigned raw = 0;
    stn_status st;
    char *there = join(dir, MANIFEST);

    if (!arena || !layers || !there)
        st = stn_fail(err, STN_NO_MEMORY, "list of layers");
    else if (!force && access(there, F_OK) == 0)
        st = stn_fail(err, STN_USAGE,
                      "%s holds an extracted resource already: name another folder, or add --force", dir);
    else if ((st = stn_res_container_read(data, len, STN_RES_ANY_VERSION, NULL, arena, &box, NULL, err)) ==
             STN_OK)
        st = stn_file_mkdirs(dir, 0777, err);
    for (uint32_t i = 0; st == STN_OK && i < box.count; i++)
        st = extract_layer(dir, &box.records[i], i, layers, &raw, err);
    if (st == STN_OK)
        st = extract_objects(data, len, dir, err);
    if (st == STN_OK) {
        manifest = json_pack("{s:i, s:i, s:O}", FORMAT_KEY, 1, "version", box.version, "layers", layers);
        st = write_json(dir, MANIFEST, manifest, err);
    }
    if (raw_layers)
        *raw_layers = raw;
    json_decref(manifest);
    json_decref(layers);
    free(there);
    stn_arena_free(arena);
    return st;
}

/* ---- build ---- */

static stn_status dir_load(void *user, const char *name, uint8_t **data, size_t *len, stn_err *err)
{
    return read_file(user, name, data, len, err);
}

static stn_status build_layer(const char *dir, const json_t *entry, stn_arena *arena, stn_buf *out,
                              stn_err *err)
{
    const stn_rt_files files = {(void *)(uintptr_t)dir, NULL, dir_load};
    const char *text_file = json_string_value(json_object_get(entry, "text"));
    const char *raw_file = json_string_value(json_object_get(entry, "raw"));
    size_t type_len = 0, len = 0;
    const char *type = stn_rt_raw_of(json_object_get(entry, "type"), arena, &type_len);
    stn_buf payload = {0};
    stn_status st;

    if (!type || !text_file == !raw_file)
        return stn_fail(err, STN_BAD_DATA,
                        "must be {\"type\": …, \"text\": FILE} or {\"type\": …, \"raw\": FILE}");
    if (text_file) {
        json_t *text;
        if ((st = read_json(dir, text_file, &text, err)) == STN_OK &&
            (st = stn_rt_to_bytes(type, text, &files, &payload, err)) != STN_OK)
            stn_fail_in(err, st, "%s", text_file);
        json_decref(text);
    } else {
        uint8_t *data = NULL;
        if ((st = read_file(dir, raw_file, &data, &len, err)) == STN_OK && len)
            stn_buf_put(&payload, data, len);
        free(data);
    }
    if (st == STN_OK)
        st = stn_res_put_record(out, type, type_len, payload.data, payload.len, err);
    stn_buf_fini(&payload);
    return st;
}

stn_status stn_rf_build(const char *dir, stn_buf *out, stn_err *err)
{
    stn_arena *arena = stn_arena_new(4096, 0);
    json_t *manifest = NULL, *entry;
    size_t i;
    stn_status st = read_json(dir, MANIFEST, &manifest, err);

    if (st == STN_NOT_FOUND)
        st = stn_fail(err, STN_NOT_FOUND,
                      "%s has no " MANIFEST ": it is no folder that `stenness res extract` made", dir);
    if (st == STN_OK && !arena)
        st = stn_fail(err, STN_NO_MEMORY, "names of layers");
    if (st == STN_OK) {
        const json_t *version = json_object_get(manifest, "version"),
                     *layers = json_object_get(manifest, "layers");
        json_int_t v = json_integer_value(version);
        if (json_integer_value(json_object_get(manifest, FORMAT_KEY)) != 1)
            st = stn_fail(err, STN_BAD_DATA, MANIFEST ": \"" FORMAT_KEY "\" must be 1");
        else if (!json_is_integer(version) || v < 0 || v > UINT16_MAX)
            st = stn_fail(err, STN_BAD_DATA, MANIFEST ": \"version\" must be an integer in 0..65535");
        else if (!json_is_array(layers))
            st = stn_fail(err, STN_BAD_DATA, MANIFEST ": \"layers\" must be a list");
        else
            stn_res_put_head(out, (uint16_t)v);
        json_array_foreach(layers, i, entry)
        {
            if (st == STN_OK && (st = build_layer(dir, entry, arena, out, err)) != STN_OK)
                stn_fail_in(err, st, "layer %zu", i);
        }
    }
    json_decref(manifest);
    stn_arena_free(arena);
    return st;
}
