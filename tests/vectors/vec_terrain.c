/* The terrain vectors: whole results, stages of the blend, sheets, the numbers they are made from, and
 * failures.
 *
 * Every case is built with each form of the kernels that this processor runs, with the block cache cold and
 * warm. Format: README of the folder.
 */
#include "support/terrain_case.h"

#include "base/bytes.h"
#include "map/cutseed.h"
#include "mesher/exact.h"
#include "num/convert.h"
#include "support/support.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vec_report report;
static stn_scratch *scratch;

static const char *const forms[] = {"plain", "sse2", "avx2", "avx512"};
#define NFORMS (sizeof forms / sizeof forms[0])

static terrain_case *load(const char *dir, const char *name)
{
    size_t len;
    stn_err err = {0};
    char *text = (char *)vec_read(dir, name, &len);
    terrain_case *c = text ? terrain_case_new(text, len, &err) : NULL;
    if (!c)
        vec_fail(&report, "%s: %s", name, text ? err.text : "no such file");
    free(text);
    return c;
}

/* The last mark at or before an offset. */
static const char *mark_at(const stn_buf *marks, size_t at)
{
    static char line[160];
    const char *p = (const char *)marks->data, *end = p + marks->len;

    strcpy(line, "start");
    while (p && p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        if (strtoull(p, NULL, 10) > at)
            break;
        snprintf(line, sizeof line, "%.*s", (int)(nl - p), p);
        p = nl + 1;
    }
    return line;
}

static void compare(const char *what, const stn_buf *got, const stn_buf *marks, const uint8_t *want,
                    size_t len)
{
    size_t n = got->len < len ? got->len : len;
    size_t at = vec_first_difference(got->data, want, n);

    if (at == n && got->len == len)
        vec_pass(&report);
    else
        vec_fail(&report, "%s: %zu bytes, expected %zu; differs at %zu, in part \"%s\"", what, got->len, len,
                 at, mark_at(marks, at));
}

static void run_case(const char *cases, const char *file)
{
    char out_name[256], what[400];
    size_t len;
    terrain_case *c = load(cases, file);

    if (!c)
        return;
    snprintf(out_name, sizeof out_name, "%.*s.out.gz", (int)(strlen(file) - strlen(".in")), file);
    uint8_t *want = vec_read(cases, out_name, &len);
    if (!want)
        vec_fail(&report, "%s: no expected result", c->name);
    for (size_t f = 0; want && f < NFORMS; f++) {
        const stn_kernels *k = stn_kernels_named(forms[f]);
        if (!k)
            continue;
        stn_blocks *blocks = stn_blocks_new(STN_BLOCKS_DEFAULT, k);
        for (int warm = 0; warm < 2; warm++) {
            stn_buf got = {0}, marks = {0};
            stn_err err = {0};
            snprintf(what, sizeof what, "%s (%s, %s)", c->name, forms[f], warm ? "warm" : "cold");
            if (terrain_case_result(c, scratch, blocks, k, &got, &marks, &err) != STN_OK)
                vec_fail(&report, "%s: %s", what, err.text);
            else
                compare(what, &got, &marks, want, len);
            stn_buf_fini(&got);
            stn_buf_fini(&marks);
        }
        stn_blocks_free(blocks);
    }
    free(want);
    terrain_case_free(c);
}

static void run_cases(const char *dir)
{
    char sub[512];
    snprintf(sub, sizeof sub, "%s/cases", dir);
    char **names = vec_list(sub, ".in");
    for (size_t i = 0; names[i]; i++)
        run_case(sub, names[i]);
    vec_list_free(names);
}

/* ---- stages */

typedef struct stage {
    const char *name;
    int sr, layers, n;
    const uint8_t *start, *pass, *weight; /* tables of the file */
    bool bad;
} stage;

static float stage_f32(const uint8_t *table, size_t i)
{
    return stn_f32_of_bits(stn_ld32(table + 4 * i));
}

static void on_layer(void *arg, unsigned layer, int pass, const float *table, size_t pitch)
{
    stage *s = arg;
    size_t area = (size_t)s->n * (size_t)s->n;
    const uint8_t *want = pass < 0 ? s->start + 4 * area * layer
                                   : s->pass + 4 * area * ((size_t)pass * (size_t)s->layers + layer);
    /* Only what the pass has to compute; the start values everywhere. */
    int c = pass < 0 ? s->sr : s->sr - 1 - pass;

    for (int y = -c; y <= 25 + c && !s->bad; y++)
        for (int x = -c; x <= 25 + c && !s->bad; x++) {
            float got = table[(size_t)(x + s->sr) + (size_t)(y + s->sr) * pitch];
            float exp = stage_f32(want, (size_t)(x + s->sr) + (size_t)(y + s->sr) * (size_t)s->n);
            if (stn_bits_of_f32(got) != stn_bits_of_f32(exp)) {
                vec_fail(&report, "%s: layer %u pass %d vertex %d,%d: %a, expected %a", s->name, layer, pass,
                         x, y, (double)got, (double)exp);
                s->bad = true;
            }
        }
}

static bool same_tables(stage *s, const terrain_case *c, const stn_tileset *set, stn_coord ul,
                        const uint8_t *weight, const uint8_t *layer)
{
    static float w[64 * 64];
    static uint8_t l[64 * 64];
    stn_block_view view;
    stn_err err = {0};
    stn_blocks *blocks = stn_blocks_new(STN_BLOCKS_DEFAULT, NULL);
    stn_coord first = stn_coord_add(ul, -s->sr, -s->sr);
    bool ok = stn_blocks_hold(blocks, set, first, s->n, s->n, &view, &err) == STN_OK;

    stn_blocks_layers(&view, first, s->n - 1, s->n - 1, l, 64);
    for (int i = 0; ok && i < (s->n - 1) * (s->n - 1); i++)
        if (l[i % (s->n - 1) + 64 * (i / (s->n - 1))] != layer[i]) {
            vec_fail(&report, "%s: layer of tile %d is %u, expected %u", c->name, i,
                     l[i % (s->n - 1) + 64 * (i / (s->n - 1))], layer[i]);
            ok = false;
        }
    for (int k = 0; ok && k < s->layers; k++) {
        stn_blocks_weights(&view, (unsigned)k, first, s->n, s->n, w, 64);
        for (int i = 0; ok && i < s->n * s->n; i++) {
            float e = stage_f32(weight, (size_t)(k * s->n * s->n + i));
            if (stn_bits_of_f32(w[i % s->n + 64 * (i / s->n)]) != stn_bits_of_f32(e * e)) {
                vec_fail(&report, "%s: weight noise of layer %d at %d differs", c->name, k, i);
                ok = false;
            }
        }
    }
    stn_blocks_release(&view);
    stn_blocks_free(blocks);
    return ok;
}

static void run_stage(const char *dir, const char *file)
{
    char sub[512], name[96];
    size_t len;
    snprintf(sub, sizeof sub, "%s/stage", dir);
    uint8_t *data = vec_read(sub, file, &len);
    snprintf(name, sizeof name, "%.*s.in", (int)(strstr(file, ".stage") - file), file);
    snprintf(sub, sizeof sub, "%s/cases", dir);
    terrain_case *c = load(sub, name);
    stn_bytes in = stn_bytes_of(data, len);

    if (!c)
        goto out;
    stn_bytes_skip(&in, 4);
    int32_t id = stn_bytes_i32(&in);
    stn_coord ul = {0};
    ul.x = stn_bytes_i32(&in);
    ul.y = stn_bytes_i32(&in);
    stage s = {.name = c->name};
    s.sr = stn_bytes_i32(&in);
    s.layers = stn_bytes_i32(&in);
    s.n = stn_bytes_i32(&in);
    const stn_tileset *set = NULL;
    for (size_t i = 0; i < c->nsets; i++)
        if (c->sets[i].id == id)
            set = c->sets[i].set;
    if (memcmp(data, "TRS1", 4) != 0 || !set || s.n != 26 + 2 * s.sr || s.sr < 0 || s.sr > 12 ||
        s.layers != (int)set->def.nvars + 1) {
        vec_fail(&report, "%s: not a stage of its case", file);
        goto out;
    }
    size_t area = (size_t)s.n * (size_t)s.n, table = 4 * area * (size_t)s.layers;
    const uint8_t *weight = stn_bytes_take(&in, table);
    const uint8_t *layer = stn_bytes_take(&in, (size_t)(s.n - 1) * (size_t)(s.n - 1));
    s.start = stn_bytes_take(&in, table);
    s.pass = stn_bytes_take(&in, table * (size_t)s.sr);
    const uint8_t *post = stn_bytes_take(&in, table);
    if (!stn_bytes_ok(&in) || stn_bytes_left(&in)) {
        vec_fail(&report, "%s: %zu bytes do not make a stage", file, len);
        goto out;
    }
    bool ok = same_tables(&s, c, set, ul, weight, layer);
    for (size_t f = 0; ok && f < NFORMS; f++) {
        const stn_kernels *k = stn_kernels_named(forms[f]);
        stn_arena *arena = stn_arena_new(1 << 20, 0);
        stn_blocks *blocks = stn_blocks_new(STN_BLOCKS_DEFAULT, k);
        stn_blend *bl;
        stn_err err = {0};
        stn_blend_probe probe = {.arg = &s, .layer = on_layer};
        if (k && stn_blend_make(arena, k, blocks, set, ul, (unsigned)s.sr, STN_BLEND_ALL, &probe, &bl,
                                &err) == STN_OK)
            for (int l = 0; l < s.layers && !s.bad; l++)
                for (int i = 0; i < 676 && !s.bad; i++) {
                    int x = i % 26, y = i / 26;
                    float e = stage_f32(post, (size_t)l * area + (size_t)(x + s.sr) +
                                                  (size_t)(y + s.sr) * (size_t)s.n);
                    const float *w = bl->layers[l].weight; /* NULL: 0 everywhere */
                    if (stn_bits_of_f32(w ? w[x + STN_BLEND_PITCH * y] : 0.0f) != stn_bits_of_f32(e)) {
                        vec_fail(&report, "%s: final weight of layer %d at %d,%d (%s)", file, l, x, y,
                                 forms[f]);
                        s.bad = true;
                    }
                }
        stn_blocks_free(blocks);
        stn_arena_free(arena);
        ok = !s.bad;
    }
    if (ok)
        vec_pass(&report);
out:
    terrain_case_free(c);
    free(data);
}

/* ---- sheets */

static bool same_bytes(stn_bytes *in, size_t each, const stn_buf *got, const char *file, const char *what)
{
    uint32_t n = stn_bytes_u32(in);
    const uint8_t *want = n <= stn_bytes_left(in) / each ? stn_bytes_take(in, n * each) : NULL;

    if (want && got->len == n * each && memcmp(got->data ? got->data : want, want, got->len) == 0)
        return true;
    vec_fail(&report, "%s: %s differ (%zu made, %u expected)", file, what, got->len / each, n);
    return false;
}

static void run_overlay(const char *dir, const char *file)
{
    char sub[512], name[96];
    size_t len;
    snprintf(sub, sizeof sub, "%s/overlay", dir);
    uint8_t *data = vec_read(sub, file, &len);
    snprintf(name, sizeof name, "%.*s.in", (int)(strstr(file, ".ovl") - file), file);
    snprintf(sub, sizeof sub, "%s/cases", dir);
    terrain_case *c = load(sub, name);
    stn_bytes in = stn_bytes_of(data, len);
    stn_buf v = {0}, fill = {0}, lines = {0}, gpos = {0}, gidx = {0};
    stn_blocks *blocks = stn_blocks_new(STN_BLOCKS_DEFAULT, NULL);
    stn_build *b = NULL;
    stn_err err = {0};

    stn_bytes_skip(&in, 4);
    const uint8_t *mask = stn_bytes_take(&in, 729);
    if (c && mask && memcmp(data, "TRL1", 4) == 0 &&
        stn_build_run(scratch, blocks, NULL, &c->job, &b, &err) == STN_OK) {
        stn_laid laid = stn_build_laid(b);
        uint16_t *number = calloc(laid.nv, sizeof *number);
        stn_status st = stn_sheet_vertices(&laid, &v, number, &err);
        stn_sheet_fill(&laid, number, mask, &fill);
        stn_sheet_outline(&laid, number, mask, &lines);
        if (st == STN_OK)
            st = stn_grid_lines(&laid, &gpos, &gidx, &err);
        if (st != STN_OK)
            vec_fail(&report, "%s: %s", file, err.text);
        else if (same_bytes(&in, 16, &v, file, "vertices") && same_bytes(&in, 2, &fill, file, "triangles") &&
                 same_bytes(&in, 2, &lines, file, "outlines") &&
                 same_bytes(&in, 12, &gpos, file, "grid positions") &&
                 same_bytes(&in, 2, &gidx, file, "grid lines"))
            vec_pass(&report);
        free(number);
    } else {
        vec_fail(&report, "%s: %s", file, err.code ? err.text : "malformed");
    }
    stn_buf_fini(&v);
    stn_buf_fini(&fill);
    stn_buf_fini(&lines);
    stn_buf_fini(&gpos);
    stn_buf_fini(&gidx);
    stn_blocks_free(blocks);
    terrain_case_free(c);
    free(data);
}

static void run_folder(const char *dir, const char *sub, const char *suffix,
                       void (*run)(const char *, const char *))
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, sub);
    char **names = vec_list(path, suffix);
    for (size_t i = 0; names[i]; i++)
        run(dir, names[i]);
    vec_list_free(names);
}

/* ---- tab separated files */

#define MAX_FIELDS 12
static void each_line(const char *dir, const char *path,
                      void (*run)(const char *dir, char **field, int n, long line))
{
    size_t len;
    char *text = (char *)vec_read(dir, path, &len);
    long line = 0;

    for (char *p = text, *next; p && *p; p = next) {
        next = strchr(p, '\n');
        if (next)
            *next++ = 0;
        line++;
        char *field[MAX_FIELDS];
        int n = 0;
        if (*p && *p != '#')
            for (char *f = p; f && n < MAX_FIELDS;) {
                char *tab = strchr(f, '\t');
                if (tab)
                    *tab++ = 0;
                field[n++] = f;
                f = tab;
            }
        if (n)
            run(dir, field, n, line);
    }
    free(text);
}

static void check(bool ok, const char *file, long line, const char *what)
{
    if (ok)
        vec_pass(&report);
    else
        vec_fail(&report, "%s line %ld: %s", file, line, what);
}

/* Whether the list of values in `text` (separated by any of `sep`) continues with this number. */
static bool eat(char **text, const char *format, uint64_t value)
{
    char got[32];
    size_t n = strcspn(*text, ", :");
    snprintf(got, sizeof got, format, value);
    bool ok = strlen(got) == n && strncmp(got, *text, n) == 0;
    *text += n;
    *text += **text != 0;
    return ok;
}

static bool reseed(stn_j48 *r, char *v)
{
    bool ok = true;
    for (int i = 0; i < 12; i++) {
        int64_t ns = stn_j48_long(r);
        ok = ok && eat(&v, "%016lx", (uint64_t)ns);
        for (int k = 0; k < i % 4; k++)
            stn_j48_int(r);
        stn_j48_seed(r, ns);
    }
    return ok && *v == 0;
}

static void random_line(const char *dir, char **f, int n, long line)
{
    (void)dir;
    int64_t seed = strtoll(f[0], NULL, 10);
    stn_j48 r = stn_j48_of(seed);
    char *v = n > 3 ? f[3] : NULL;
    bool ok = v != NULL;

    if (ok && strcmp(f[1], "reseed") == 0) {
        ok = reseed(&r, v);
    } else if (ok && strcmp(f[1], "nextBoolean") == 0) {
        for (; *v && ok; v++)
            if (*v != ',')
                ok = *v == '0' + stn_j48_bool(&r);
    } else {
        if (strcmp(f[1], "mkrandoom") == 0)
            r = stn_j48_mixed(seed);
        int32_t bound = (int32_t)strtoll(f[2], NULL, 10);
        while (ok && *v) {
            if (strcmp(f[1], "nextInt") == 0)
                ok = eat(&v, "%08lx", (uint32_t)stn_j48_int(&r));
            else if (strcmp(f[1], "nextIntN") == 0)
                ok = eat(&v, "%ld", (uint64_t)(int64_t)stn_j48_below(&r, bound));
            else if (strcmp(f[1], "nextLong") == 0 || strcmp(f[1], "mkrandoom") == 0)
                ok = eat(&v, "%016lx", (uint64_t)stn_j48_long(&r));
            else if (strcmp(f[1], "nextFloat") == 0)
                ok = eat(&v, "%08lx", stn_bits_of_f32(stn_j48_float(&r)));
            else if (strcmp(f[1], "nextDouble") == 0)
                ok = eat(&v, "%016lx", stn_bits_of_f64(stn_j48_double(&r)));
            else
                ok = false;
        }
    }
    check(ok, "random.tsv", line, f[1]);
}

static void drandom_line(const char *dir, char **f, int n, long line)
{
    (void)dir;
    int64_t args[16], seed = strtoll(f[0], NULL, 10);
    size_t nargs = 0;
    for (char *p = f[1]; *p && nargs < 16; p += *p == ',')
        args[nargs++] = strtoll(p, &p, 10);
    stn_j48 g = stn_keyed(seed, args, nargs), i = g, l = g, fl = g, d = g;
    bool ok = n == 6 && eat(&f[2], "%08lx", (uint32_t)stn_j48_int(&i)) &&
              eat(&f[3], "%016lx", (uint64_t)stn_j48_long(&l)) &&
              eat(&f[4], "%08lx", stn_bits_of_f32(stn_j48_float(&fl))) &&
              eat(&f[5], "%016lx", stn_bits_of_f64(stn_j48_double(&d)));
    check(ok, "drandom.tsv", line, "keyed draw");
}

static void names_line(const char *dir, char **f, int n, long line)
{
    (void)dir;
    size_t len;
    uint8_t *name = vec_unhex(f[0], &len);
    int32_t hash = stn_name_hash((const char *)name, len);
    int32_t mid = (int32_t)strtol(f[1], NULL, 10);
    bool ok =
        n == 4 && name && hash == strtol(f[2], NULL, 10) && stn_var_plane(hash, mid) == strtod(f[3], NULL);
    check(ok, "names.tsv", line, "hash or plane");
    free(name);
}

static double hex_double(const char *s)
{
    return stn_f64_of_bits(strtoull(s, NULL, 16));
}

static void snoise_line(const char *dir, char **f, int n, long line)
{
    (void)dir;
    static stn_noise noise;
    static int64_t made;
    static bool any;
    int64_t seed = strtoll(f[1], NULL, 10);
    bool ok = false;

    if (!any || made != seed)
        noise = stn_noise_of(seed);
    any = true;
    made = seed;
    if (strcmp(f[0], "ptab") == 0 && n == 3) {
        size_t len;
        uint8_t *tab = vec_unhex(f[2], &len);
        ok = tab && len == 256 && memcmp(tab, noise.p, 256) == 0;
        free(tab);
    } else if (strcmp(f[0], "get") == 0 && n == 7) {
        double r = hex_double(f[2]), x = hex_double(f[3]), y = hex_double(f[4]), z = hex_double(f[5]);
        uint64_t want = strtoull(f[6], NULL, 16);
        ok = stn_bits_of_f64(stn_noise_get(&noise, r, x, y, z)) == want;
        /* The vector forms, where the point can lie in a rectangle of theirs. */
        bool in_rect = (r == 8 || r == 16 || r == 32 || r == 64) && x == (double)stn_i32_of_f64(x);
        for (size_t k = 0; in_rect && k < NFORMS; k++) {
            const stn_kernels *form = stn_kernels_named(forms[k]);
            double out[5 * 3 + 7];
            if (form) {
                form->noise(&noise, r, x, y, z, 5, 3, out);
                ok = ok && stn_bits_of_f64(out[0]) == want;
            }
            bool inside = y == (double)stn_i32_of_f64(y);
            if (form && inside) {
                form->noise(&noise, r, x - 3, y - 2, z, 5, 3, out);
                ok = ok && stn_bits_of_f64(out[3 + 2 * 5]) == want;
            }
        }
    } else if (strcmp(f[0], "getr") == 0 && n == 9) {
        ok = eat(&f[8], "%016lx",
                 stn_bits_of_f64(stn_noise_range(&noise, hex_double(f[2]), hex_double(f[3]), hex_double(f[4]),
                                                 hex_double(f[5]), hex_double(f[6]), hex_double(f[7]))));
    } else if (strcmp(f[0], "geti") == 0 && n == 9) {
        int32_t v = stn_noise_int(&noise, (int32_t)strtol(f[2], NULL, 10), (int32_t)strtol(f[3], NULL, 10),
                                  hex_double(f[4]), hex_double(f[5]), hex_double(f[6]), hex_double(f[7]));
        ok = v == strtol(f[8], NULL, 10);
    }
    check(ok, "snoise.tsv", line, f[0]);
}

static void intdiv_line(const char *dir, char **f, int n, long line)
{
    (void)dir;
    int32_t a = (int32_t)strtol(f[0], NULL, 10), b = (int32_t)strtol(f[1], NULL, 10);
    bool ok = n == 4 && b > 0 && stn_fdiv(a, b) == strtol(f[2], NULL, 10) &&
              stn_fmod(a, b) == strtol(f[3], NULL, 10);
    check(ok, "intdiv.tsv", line, "floor division");
}

static void weightlist_line(const char *dir, char **f, int n, long line)
{
    (void)dir;
    uint16_t w[256];
    size_t nw = 0;
    int32_t total = 0;
    for (char *p = f[0]; *p && nw < 256; p += *p == ',') {
        w[nw] = (uint16_t)strtol(p, &p, 10);
        total += w[nw++];
    }
    stn_j48 r = stn_j48_of(strtoll(f[1], NULL, 10));
    bool ok = n == 3;
    for (char *v = f[2]; ok && *v;)
        ok = eat(&v, "%ld", (uint64_t)(int64_t)stn_pick(&r, w, nw, total));
    check(ok, "weightlist.tsv", line, "picks");
}

static void packing_line(const char *dir, char **f, int n, long line)
{
    (void)dir;
    uint32_t aw, ah, w = (uint32_t)strtoul(f[0], NULL, 10), h = (uint32_t)strtoul(f[1], NULL, 10);
    size_t count = strtoul(f[2], NULL, 10);
    uint32_t *xy = calloc(count + 1, 2 * sizeof *xy);
    stn_err err = {0};
    bool ok = n == 6 && xy && stn_atlas_pack(w, h, count, &aw, &ah, xy, &err) == STN_OK &&
              eat(&f[3], "%ld", aw) && eat(&f[4], "%ld", ah);
    for (size_t i = 0; ok && i < count; i++)
        ok = eat(&f[5], "%ld", xy[2 * i]) && eat(&f[5], "%ld", xy[2 * i + 1]);
    check(ok && *f[5] == 0, "packing.tsv", line, "atlas");
    free(xy);
}

static void cutseed_line(const char *dir, char **f, int n, long line)
{
    (void)dir;
    stn_coord cut = {(int32_t)strtol(f[1], NULL, 10), (int32_t)strtol(f[2], NULL, 10)};
    int64_t seed = stn_cut_seed(strtoll(f[0], NULL, 10), cut);
    bool ok = n == 7 && eat(&f[3], "%016lx", (uint64_t)seed);
    stn_j48 r = stn_j48_of(seed);

    for (int i = 0; i < 625 + 5; i++) {
        int64_t ns = stn_j48_long(&r);
        if (i < 5)
            ok = ok && eat(&f[4], "%016lx", (uint64_t)ns);
        if (i >= 625)
            ok = ok && eat(&f[5], "%016lx", (uint64_t)ns);
        stn_j48_seed(&r, ns);
    }
    for (char *v = n == 7 ? f[6] : NULL; ok && *v;) {
        int32_t x = (int32_t)strtol(v, &v, 10), y = (int32_t)strtol(v + 1, &v, 10);
        v++;
        stn_j48 g = stn_cut_rnd(seed, x, y);
        for (int k = 0; ok && k < 2; k++) /* two draws of one generator */
            ok = eat(&v, "%08lx", (uint32_t)stn_j48_int(&g));
    }
    check(ok, "cutseed.tsv", line, "cut seeds");
}

/* ---- failures and timing inputs */

static void error_line(const char *dir, char **f, int n, long line)
{
    char sub[512], file[96];
    size_t len;
    stn_err err = {0};
    stn_buf out = {0};

    (void)line;
    snprintf(sub, sizeof sub, "%s/errors", dir);
    snprintf(file, sizeof file, "%s.in", f[0]);
    char *text = (char *)vec_read(sub, file, &len);
    if (!text) {
        vec_fail(&report, "%s: no such file", file);
        return;
    }
    /* A tileset that breaks a rule is refused when it is made, before there is a cut to build. */
    terrain_case *c = terrain_case_new(text, len, &err);
    stn_blocks *blocks = stn_blocks_new(STN_BLOCKS_DEFAULT, NULL);
    stn_status st = c ? terrain_case_result(c, scratch, blocks, NULL, &out, NULL, &err) : err.code;
    if (n == 2 && st != STN_OK && strncmp(err.text, f[1], strlen(f[1])) == 0)
        vec_pass(&report);
    else
        vec_fail(&report, "%s: %s, expected the error \"%s\"", f[0], st == STN_OK ? "it was built" : err.text,
                 n > 1 ? f[1] : "?");
    stn_blocks_free(blocks);
    stn_buf_fini(&out);
    terrain_case_free(c);
    free(text);
}

static void bench_line(const char *dir, char **f, int n, long line)
{
    char sub[512], file[96], hex[65] = "";
    stn_err err = {0};
    stn_buf out = {0};
    unsigned char md[EVP_MAX_MD_SIZE];
    unsigned md_len = 0;

    (void)line;
    snprintf(sub, sizeof sub, "%s/bench", dir);
    snprintf(file, sizeof file, "%s.in", f[0]);
    terrain_case *c = load(sub, file);
    if (!c)
        return;
    for (size_t k = 0; k < NFORMS; k++) {
        const stn_kernels *form = stn_kernels_named(forms[k]);
        if (!form)
            continue;
        stn_blocks *blocks = stn_blocks_new(STN_BLOCKS_DEFAULT, form);
        stn_buf_clear(&out);
        stn_status st = terrain_case_result(c, scratch, blocks, form, &out, NULL, &err);
        if (st == STN_OK && EVP_Digest(out.data, out.len, md, &md_len, EVP_sha256(), NULL))
            for (unsigned i = 0; i < 32; i++)
                snprintf(hex + 2 * i, 3, "%02x", md[i]);
        if (n == 3 && st == STN_OK && out.len == strtoull(f[1], NULL, 10) && strcmp(hex, f[2]) == 0)
            vec_pass(&report);
        else
            vec_fail(&report, "%s (%s): %s, %zu bytes, hash %s", f[0], forms[k],
                     st == STN_OK ? "built" : err.text, out.len, hex);
        stn_blocks_free(blocks);
    }
    stn_buf_fini(&out);
    terrain_case_free(c);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: vec-terrain DIR\n");
        return 2;
    }
    scratch = stn_scratch_new(0);
    if (!scratch)
        return 1;
    each_line(argv[1], "prims/random.tsv", random_line);
    each_line(argv[1], "prims/drandom.tsv", drandom_line);
    each_line(argv[1], "prims/names.tsv", names_line);
    each_line(argv[1], "prims/snoise.tsv", snoise_line);
    each_line(argv[1], "prims/intdiv.tsv", intdiv_line);
    each_line(argv[1], "prims/weightlist.tsv", weightlist_line);
    each_line(argv[1], "prims/packing.tsv", packing_line);
    each_line(argv[1], "prims/cutseed.tsv", cutseed_line);
    run_cases(argv[1]);
    run_folder(argv[1], "stage", ".stage.gz", run_stage);
    run_folder(argv[1], "overlay", ".ovl.gz", run_overlay);
    each_line(argv[1], "errors/errors.tsv", error_line);
    each_line(argv[1], "bench/index.tsv", bench_line);
    stn_scratch_free(scratch);
    return vec_done(&report);
}
