/* vec_resources.c - the resource format against the reference's own decoding.
 *
 * Runs on a folder with any of: real/ and synth/ (NAME.res beside NAME.json, its dump), hostile/ (NAME.bin
 * and hostile.json), primitives.json. Every resource is also written back: the same
 * bytes.
 */
#include "res/json.h"
#include "vec_resources_prim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *path_of(const char *dir, const char *name)
{
    size_t n = strlen(dir) + strlen(name) + 2;
    char *p = malloc(n);
    snprintf(p, n, "%s/%s", dir, name);
    return p;
}

/* ---- comparing dumps ---- */

/* Float lists that pass through sine and cosine may differ by one unit in the last place on another libm. */
static bool near_floats(const json_t *got, const json_t *want)
{
    size_t n = json_array_size(want);
    if (!json_is_array(got) || json_array_size(got) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *g = json_string_value(json_array_get(got, i)),
                   *w = json_string_value(json_array_get(want, i));
        if (!g || !w || strlen(g) != 8 || strlen(w) != 8)
            return false;
        int32_t a = (int32_t)strtoul(g, NULL, 16), b = (int32_t)strtoul(w, NULL, 16);
        if (a != b && ((a ^ b) < 0 || labs((long)a - b) > 1))
            return false;
    }
    return true;
}

static bool from_trig(const char *key)
{
    return strncmp(key, "bind_", 5) == 0 || strcmp(key, "rot") == 0 || strcmp(key, "matrix") == 0;
}

/* Every member of `want` must be in `got`, equal. The path of the first that is not stands in where. */
static bool same(const json_t *got, const json_t *want, char *where, size_t cap)
{
    size_t used = strlen(where);
    const char *key;
    json_t *w;

    if (json_is_array(want) && json_is_array(got) && json_array_size(want) == json_array_size(got)) {
        size_t i;
        json_array_foreach(want, i, w)
        {
            snprintf(where + used, cap - used, "[%zu]", i);
            if (!same(json_array_get(got, i), w, where, cap))
                return false;
        }
        where[used] = 0;
        return true;
    }
    if (!json_is_object(want))
        return json_equal(got, want);
    json_object_foreach((json_t *)(uintptr_t)want, key, w)
    {
        const json_t *g = json_object_get(got, key);
        snprintf(where + used, cap - used, ".%s", key);
        if (from_trig(key)) {
            json_t *gf = json_is_object(g) ? json_object_get(g, "first") : (json_t *)(uintptr_t)g;
            json_t *wf = json_is_object(w) ? json_object_get(w, "first") : w;
            if (json_equal(g, w) || near_floats(gf, wf))
                continue;
            return false;
        }
        if (!same(g, w, where, cap))
            return false;
    }
    where[used] = 0;
    return true;
}

static void say_difference(vec_report *r, const char *file, size_t record, const char *where,
                           const json_t *got, const json_t *want)
{
    char *g = json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY),
         *w = json_dumps(want, JSON_COMPACT | JSON_ENCODE_ANY);
    vec_fail(r, "%s record %zu at %s: got %.200s, expected %.200s", file, record, where, g ? g : "nothing",
             w ? w : "?");
    free(g);
    free(w);
}

/* ---- textures: levels that cannot be repeated, and the profile of a JPEG ---- */

/* Each texel of a random level copies one of its four sources. */
static bool random_chain_holds(const uint8_t *chain, uint32_t w, uint32_t h)
{
    for (uint32_t n = stn_mip_levels(STN_MIP_RND, w, h); n > 1; n--) {
        uint32_t nw = w > 1 ? w / 2 : 1, nh = h > 1 ? h / 2 : 1;
        const uint8_t *next = chain + (size_t)w * h * 4;
        for (uint32_t y = 0; y < nh; y++)
            for (uint32_t x = 0; x < nw; x++) {
                bool found = false;
                for (uint32_t k = 0; k < 4; k++) {
                    uint32_t sx = w > 1 ? 2 * x + (k & 1) : x, sy = h > 1 ? 2 * y + (k >> 1) : y;
                    found |=
                        memcmp(next + ((size_t)y * nw + x) * 4, chain + ((size_t)sy * w + sx) * 4, 4) == 0;
                }
                if (!found)
                    return false;
            }
        chain = next;
        w = nw;
        h = nh;
    }
    return true;
}

static bool levels_fit(const json_t *got, const json_t *want)
{
    const json_t *w;
    size_t i;
    if (!json_is_array(got) || json_array_size(got) != json_array_size(want))
        return false;
    json_array_foreach(want, i, w)
    {
        const json_t *g = json_array_get(got, i), *crc = json_object_get(w, "crc32");
        if (!json_equal(json_object_get(g, "w"), json_object_get(w, "w")) ||
            !json_equal(json_object_get(g, "h"), json_object_get(w, "h")) ||
            (!json_is_null(crc) && !json_equal(json_object_get(g, "crc32"), crc)))
            return false;
    }
    return true;
}

static void check_tex(vec_report *r, const char *file, size_t record, const stn_res_tex *t, const json_t *got,
                      json_t *want)
{
    const json_t *levels = json_object_get(want, "noicc_levels");
    const json_t *have = json_object_get(got, "levels");

    if (!levels)
        levels = json_object_get(want, "levels");
    if (json_object_get(want, "levels_error")) {
        if (have)
            vec_fail(r, "%s record %zu: texture decodes, expected an error on use", file, record);
        else
            vec_pass(r);
    } else if (!levels_fit(have, levels)) {
        say_difference(r, file, record, ".levels", have ? have : got, levels);
    } else {
        vec_pass(r);
    }
    if (have && t->mipmap == STN_MIP_RND) {
        size_t bytes = stn_mip_bytes(t->mipmap, t->w, t->h);
        uint8_t *chain = malloc(bytes);
        if (stn_res_tex_pixels(t, NULL, chain, bytes, NULL, NULL) == STN_OK &&
            random_chain_holds(chain, t->w, t->h))
            vec_pass(r);
        else
            vec_fail(r, "%s record %zu: a texel of the random chain is none of its sources", file, record);
        free(chain);
    }
    json_object_del(want, "levels");
    json_object_del(want, "noicc_levels");
    json_object_del(want, "levels_error");
}

/* ---- one resource ---- */

/* The text of a value that is no integer, text or nil is not to be compared. */
static void drop_loose_rdat(json_t *want)
{
    json_t *rdat = json_object_get(want, "rdat"), *info = json_object_get(want, "info");
    const char *key;
    json_t *v;
    void *tmp;
    json_object_foreach_safe(rdat, tmp, key, v)
    {
        const char *kind = json_string_value(json_array_get(json_object_get(info, key), 0));
        if (kind && strcmp(kind, "i") != 0 && strcmp(kind, "l") != 0 && strcmp(kind, "s") != 0 &&
            strcmp(kind, "nil") != 0)
            json_object_del(rdat, key);
    }
}

static void check_layer(vec_report *r, const char *file, const stn_res_layer *l, const json_t *got,
                        json_t *want)
{
    char where[256] = "";

    if (l->kind == STN_LAYER_TEX)
        check_tex(r, file, l->index, l->as.tex, got, want);
    if (l->kind == STN_LAYER_MESH)
        drop_loose_rdat(want);
    if (same(got, want, where, sizeof where))
        vec_pass(r);
    else
        say_difference(r, file, l->index, where, got, want);
}

static void check_resource(vec_report *r, const char *dir, const char *file)
{
    char name[256], json_name[280];
    size_t len;
    stn_res *res = NULL;
    stn_err err = {0};
    stn_res_fault fault;

    snprintf(name, sizeof name, "%.*s", (int)strlen(file) - 4, file);
    snprintf(json_name, sizeof json_name, "%s.json", name);
    uint8_t *data = vec_read(dir, file, &len);
    json_t *want = vec_json(dir, json_name);
    if (!data || !want) {
        vec_skip(r, "%s: no dump beside it", file);
        free(data);
        json_decref(want);
        return;
    }
    const stn_res_opts opts = {.want_version = STN_RES_ANY_VERSION, .pixels = STN_RES_DECODE};
    stn_status st = stn_res_new(data, len, &opts, &res, &fault, &err);
    if ((st == STN_OK) != json_is_true(json_object_get(want, "ok"))) {
        vec_fail(r, "%s: %s %s", file, stn_res_fault_name(fault.kind), err.text);
    } else if (res) {
        json_t *got = stn_res_json(res, name), *records = json_object_get(got, "records");
        json_t *wanted = json_object_get(want, "records");
        stn_buf b = {0};

        if (json_equal(json_object_get(got, "version"), json_object_get(want, "version")) &&
            json_array_size(records) == json_array_size(wanted))
            vec_pass(r);
        else
            vec_fail(r, "%s: version %u with %zu records", file, stn_res_version(res),
                     json_array_size(records));
        if (stn_res_write(res, &b, NULL) == STN_OK && b.len == len && memcmp(b.data, data, len) == 0)
            vec_pass(r);
        else
            vec_fail(r, "%s: read and written, the bytes differ", file);
        stn_buf_fini(&b);
        for (size_t i = 0; i < json_array_size(wanted) && i < json_array_size(records); i++) {
            json_t *w = json_array_get(wanted, i), *g = json_array_get(records, i);
            json_t *decoded = json_deep_copy(json_object_get(w, "decoded"));
            char where[64] = "";
            json_object_del(w, "decoded");
            if (same(g, w, where, sizeof where))
                vec_pass(r);
            else
                say_difference(r, file, i, where, g, w);
            if (decoded)
                check_layer(r, file, stn_res_layer_at(res, (uint32_t)i), json_object_get(g, "decoded"),
                            decoded);
            json_decref(decoded);
        }
        json_decref(got);
    } else {
        vec_pass(r);
    }
    stn_res_free(res);
    json_decref(want);
    free(data);
}

static void check_folder(vec_report *r, const char *dir, const char *sub)
{
    char *folder = path_of(dir, sub);
    char **names = vec_list(folder, ".res");
    if (!*names)
        vec_skip(r, "%s/: not in this folder", sub);
    for (char **n = names; *n; n++)
        check_resource(r, folder, *n);
    vec_list_free(names);
    free(folder);
}

/* ---- hostile inputs ---- */

static bool class_fits(stn_res_fault_kind got, const json_t *required)
{
    const char *name = stn_res_fault_name(got);
    size_t i;
    json_t *w;
    if (got == STN_FAULT_LENGTH) /* one class with E_TRUNCATED */
        name = "E_TRUNCATED";
    json_array_foreach(required, i, w)
    {
        const char *want = json_string_value(w);
        if (want && strcmp(strcmp(want, "E_LENGTH") == 0 ? "E_TRUNCATED" : want, name) == 0)
            return true;
    }
    return false;
}

static void count_fault(void *user, const stn_res_fault *fault, const char *type, const stn_err *err)
{
    (void)fault;
    (void)type;
    (void)err;
    ++*(size_t *)user;
}

static void check_hostile(vec_report *r, const char *dir)
{
    char *folder = path_of(dir, "hostile");
    json_t *all = vec_json(folder, "hostile.json");
    size_t i;
    json_t *c;

    if (!all)
        vec_skip(r, "hostile/: not in this folder");
    json_array_foreach(all, i, c)
    {
        const char *name = json_string_value(json_object_get(c, "name"));
        char file[256];
        size_t len, faults = 0;
        snprintf(file, sizeof file, "%s.bin", name);
        uint8_t *data = vec_read(folder, file, &len);
        if (!data) {
            vec_fail(r, "hostile %s: file is missing", name);
            continue;
        }
        /* without pixels only damage inside a picture's data goes unseen */
        for (int pixels = 0; pixels < 2; pixels++) {
            const stn_res_opts opts = {.want_version =
                                           (int)json_integer_value(json_object_get(c, "want_version")),
                                       .pixels = pixels ? STN_RES_DECODE : STN_RES_PROBE};
            stn_res *res = NULL;
            stn_res_fault fault;
            stn_err err = {0};
            stn_res_new(data, len, &opts, &res, &fault, &err);
            char *want = json_dumps(json_object_get(c, "required"), JSON_COMPACT);
            const json_t *required = json_object_get(c, "required");
            if (class_fits(fault.kind, required) || (!pixels && res && class_fits(STN_FAULT_IMAGE, required)))
                vec_pass(r);
            else
                vec_fail(r, "hostile %s: %s (%s), expected %s", name, stn_res_fault_name(fault.kind),
                         err.text, want);
            free(want);
            bool bad = !res;
            stn_res_free(res);
            faults = 0;
            stn_res_check(data, len, &opts, count_fault, &faults);
            if ((faults > 0) == bad)
                vec_pass(r);
            else
                vec_fail(r, "hostile %s: the checker finds %zu faults", name, faults);
        }
        free(data);
    }
    json_decref(all);
    free(folder);
}

int main(int argc, char **argv)
{
    vec_report r = {0};

    if (argc != 2) {
        fprintf(stderr, "usage: vec-resources DIR\n");
        return 2;
    }
    vec_primitives(&r, argv[1]);
    check_folder(&r, argv[1], "synth");
    check_folder(&r, argv[1], "real");
    check_hostile(&r, argv[1]);
    return vec_done(&r);
}
