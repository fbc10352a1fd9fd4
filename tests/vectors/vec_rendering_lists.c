/* order, state, batch, frustum, lightgrid, meshdata, input, mipmap: sections 13, 8, 19,
 * 20, 10.5, 23.3, 23.5, 11.2. */
#include "vec_rendering.h"

#include "base/bytes.h"
#include "renderer/input/logical.h"
#include "renderer/scene/batch.h"
#include "renderer/scene/cull.h"
#include "renderer/scene/lightgrid.h"
#include "renderer/scene/order.h"
#include "renderer/scene/sections.h"
#include "renderer/scene/slots.h"
#ifdef STN_HAS_RES
#include "res/picture.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(vec_report *r, const rec_file *f, bool ok)
{
    if (ok)
        vec_pass(r);
    else
        vec_fail(r, "%s line %d: %s: other result", f->name, f->line, f->field[0]);
}

static void unknown(vec_report *r, const rec_file *f)
{
    vec_fail(r, "%s line %d: unknown record %s", f->name, f->line, f->field[0]);
}

/* ---- order ---- */

static stn_order_key order_key(const char *text, bool *known)
{
    stn_order_key k = {0};
    int a = 0, b = 0;

    if (sscanf(text, "flat:%d", &a) == 1)
        k.place = stn_order_place(a, 0);
    else if (sscanf(text, "ml:%d:%d", &a, &b) == 2)
        k.place = stn_order_place(STN_ORDER_LAYER, stn_order_layer(a, b));
    else if (sscanf(text, "mod:%d:%d", &a, &b) == 2)
        k.place = stn_order_place(STN_ORDER_CREATURE, stn_order_creature(a, b));
    else
        *known = false;
    return k;
}

static void sort_case(vec_report *r, rec_file *f)
{
    enum { KEYS = 16384 };
    static stn_order_item items[KEYS], scratch[KEYS];
    char *keys = f->fields > 1 ? f->field[1] : NULL, *save = NULL;
    const char *want = f->fields > 2 ? f->field[2] : "";
    uint32_t n = 0;
    bool ok = true;

    for (char *k = keys ? strtok_r(keys, " ", &save) : NULL; k; k = strtok_r(NULL, " ", &save)) {
        if (n == KEYS) {
            ok = false;
            break;
        }
        items[n].key = order_key(k, &ok);
        items[n].index = n;
        n++;
    }
    stn_order_sort(items, scratch, n);
    for (uint32_t i = 0; i < n; i++) {
        char *end;

        ok = strtoul(want, &end, 10) == items[i].index && end != want && ok;
        want = end;
    }
    check(r, f, ok && want[strspn(want, " ")] == '\0');
}

void vec_order(vec_report *r, const char *dir)
{
    rec_file f;

    if (!rec_open(&f, dir, "order.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "cmp")) {
            bool known = true;
            stn_order_key a = order_key(rec_text(&f), &known), b = order_key(rec_text(&f), &known);
            check(r, &f, known && stn_order_compare(&a, &b) == (int)rec_int(&f));
        } else if (rec_is(&f, "sort")) {
            sort_case(r, &f);
        } else if (!rec_is(&f, "anomaly")) /* documents what is not to be reproduced */
            unknown(r, &f);
    }
    rec_close(&f);
}

/* ---- state ---- */

#define MAX_TEXTS 4096
static char *texts[MAX_TEXTS]; /* interned: equal text, equal pointer */
static size_t text_count;

static const char *intern(const char *a, const char *b)
{
    char joined[4096];

    snprintf(joined, sizeof joined, "%s%s", a ? a : "", b ? b : "");
    for (size_t i = 0; i < text_count; i++)
        if (strcmp(texts[i], joined) == 0)
            return texts[i];
    if (text_count == MAX_TEXTS)
        return NULL;
    texts[text_count] = strdup(joined);
    return texts[text_count++];
}

static const void *append(const void *arg, const void *read)
{
    return intern(read, arg);
}

static const void *copy(const void *arg, const void *read)
{
    (void)arg;
    return read;
}

/* "put:kind:value" and so on; false when it is no op. */
static bool parse_op(const char *w, stn_rslot_op *o)
{
    const char *arg = strlen(w) > 4 ? strchr(w + 4, ':') : NULL;

    *o = (stn_rslot_op){0};
    if (strlen(w) < 5 || w[3] != ':' || w[4] < '0' || w[4] > '4')
        return false;
    o->kind = (uint8_t)(w[4] - '0');
    if (strncmp(w, "nil", 3) == 0) {
        o->what = STN_RSLOT_NOTHING;
        return true;
    }
    if (!arg++)
        return false;
    if (strncmp(w, "put", 3) == 0) {
        o->value = intern(arg, "");
    } else if (strncmp(w, "app", 3) == 0) {
        o->what = STN_RSLOT_COMPUTE;
        o->reads = o->kind;
        o->value = intern(arg, "");
        o->compute = append;
    } else if (strncmp(w, "cpy", 3) == 0) {
        o->what = STN_RSLOT_COMPUTE;
        o->reads = (uint8_t)strtoul(arg, NULL, 10);
        o->compute = copy;
    } else {
        return false;
    }
    return true;
}

/* The rest of the record; what is no op, or one too many, is a failure. */
static size_t parse_ops(vec_report *r, rec_file *f, stn_rslot_op *ops)
{
    char *save = NULL;
    size_t n = 0;

    for (char *w = f->at < f->fields ? strtok_r(f->field[f->at], " ", &save) : NULL;
         w && strcmp(w, "none") != 0; w = strtok_r(NULL, " ", &save)) {
        if (n == STN_RSLOT_OPS || !parse_op(w, &ops[n])) {
            vec_fail(r, "%s line %d: op %s", f->name, f->line, w);
            break;
        }
        n++;
    }
    return n;
}

static bool state_matches(rec_file *f, stn_rslot *s)
{
    const stn_rslot_state *st = stn_rslot_get(s, NULL);

    if (!st)
        return false;
    for (int k = 0; k < 5; k++) {
        const char *got = st->value[k] ? st->value[k] : "-";

        if (strcmp(got, rec_text(f)) != 0)
            return false;
    }
    return true;
}

#define MAX_SLOTS 4096
struct slots {
    stn_rslot *slot[MAX_SLOTS];
    long parent[MAX_SLOTS];
};

static void remove_slot(struct slots *t, long id)
{
    for (long i = 0; i < MAX_SLOTS; i++)
        if (t->slot[i] && t->parent[i] == id)
            remove_slot(t, i);
    stn_rslot_free(t->slot[id]);
    t->slot[id] = NULL;
}

void vec_state(vec_report *r, const char *dir)
{
    static struct slots t;
    stn_rslot_op ops[STN_RSLOT_OPS];
    rec_file f;

    if (!rec_open(&f, dir, "state.tsv"))
        return;
    while (rec_next(&f)) {
        long id = rec_int(&f);

        if (rec_is(&f, "tree")) {
            for (long i = 0; i < MAX_SLOTS; i++)
                if (t.slot[i] && t.parent[i] < 0)
                    remove_slot(&t, i);
            while (text_count > 0)
                free(texts[--text_count]);
            continue;
        }
        if (id < 0 || id >= MAX_SLOTS || (!rec_is(&f, "add") && !t.slot[id])) {
            vec_fail(r, "%s line %d: slot %ld", f.name, f.line, id);
            continue;
        }
        if (rec_is(&f, "add")) {
            long parent = rec_int(&f);
            size_t n = parse_ops(r, &f, ops);

            t.parent[id] = parent;
            t.slot[id] = stn_rslot_new(parent >= 0 && parent < MAX_SLOTS ? t.slot[parent] : NULL, ops, n);
        } else if (rec_is(&f, "ostate")) {
            stn_rslot_set_own(t.slot[id], ops, parse_ops(r, &f, ops), NULL);
        } else if (rec_is(&f, "cstate")) {
            stn_rslot_set_creation(t.slot[id], ops, parse_ops(r, &f, ops), NULL);
        } else if (rec_is(&f, "remove")) {
            remove_slot(&t, id);
        } else if (rec_is(&f, "eff")) {
            check(r, &f, state_matches(&f, t.slot[id]));
        } else
            unknown(r, &f);
    }
    for (long i = 0; i < MAX_SLOTS; i++)
        if (t.slot[i] && t.parent[i] < 0)
            remove_slot(&t, i);
    while (text_count > 0)
        free(texts[--text_count]);
    rec_close(&f);
}

/* ---- batch ---- */

void vec_batch(vec_report *r, const char *dir)
{
    stn_batches *b = NULL;
    rec_file f;

    if (!rec_open(&f, dir, "batch.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "scene")) {
            stn_batches_free(b);
            b = stn_batches_new();
        } else if (rec_is(&f, "add")) {
            stn_batch_key key = {0};
            long id = rec_int(&f);

            for (int i = f.at; i < f.fields; i++) {
                const char *colon = strchr(f.field[i], ':');
                unsigned long v = colon ? strtoul(colon + 1, NULL, 10) : 0;

                if (strncmp(f.field[i], "mesh", 4) == 0)
                    key.mesh = v;
                else if (strncmp(f.field[i], "mat", 3) == 0)
                    key.group |= v << 32;
                else if (strncmp(f.field[i], "loc", 3) == 0)
                    key.variant |= v ? 1 : 0;
                else if (strncmp(f.field[i], "mix", 3) == 0)
                    key.variant |= v ? 2 : 0;
                else if (strncmp(f.field[i], "own", 3) == 0 && v)
                    key.group |= (uint64_t)id + 1; /* a colour mask of its own is in no other group */
            }
            stn_batches_add(b, (uint64_t)id, &key);
        } else if (rec_is(&f, "del")) {
            stn_batches_remove(b, (uint64_t)rec_int(&f));
        } else if (rec_is(&f, "stats")) {
            stn_batch_counts c = stn_batches_counts(b);
            size_t entries = (size_t)rec_int(&f);
            char text[96];

            snprintf(text, sizeof text, "%zu+%zu(%zu) %zu %zu", c.lone, c.batches, c.members, c.invalid,
                     c.bypassed);
            check(r, &f, c.entries == entries && strcmp(text, rec_text(&f)) == 0);
        } else
            unknown(r, &f);
    }
    stn_batches_free(b);
    rec_close(&f);
}

/* ---- frustum ---- */

void vec_frustum(vec_report *r, const char *dir)
{
    rec_file f;

    if (!rec_open(&f, dir, "frustum.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "cull")) {
            stn_m4 p = rec_m4(&f), v = rec_m4(&f), w = rec_m4(&f), clip = stn_m4_mul(p, v);
            stn_cull_box box;
            stn_v3 corners[STN_CULL_CORNERS];
            bool ok = true;

            box.min = rec_v3(&f);
            box.max = rec_v3(&f);
            stn_cull_corners(&w, &box, corners);
            ok = stn_cull_inside(&clip, corners, 1.0f) == (rec_int(&f) != 0) && ok;
            ok = stn_cull_inside(&clip, corners, STN_CULL_IN) == (rec_int(&f) != 0) && ok;
            ok = stn_cull_inside(&clip, corners, STN_CULL_OUT) == (rec_int(&f) != 0) && ok;
            ok =
                same_f64(stn_cull_size(&clip, corners, (double)stn_v3_dist(box.min, box.max)), rec_f64(&f)) &&
                ok;
            check(r, &f, ok);
        } else if (rec_is(&f, "lod")) {
            double size = rec_f64(&f);
            int current = (int)rec_int(&f);
            check(r, &f, stn_lod_level(size, current) == (int)rec_int(&f));
        } else if (rec_is(&f, "rotasq")) {
            stn_v3 axis = rec_v3(&f);
            float a = rec_f32(&f);
            stn_v4 got = stn_quat_about(axis, a), want = rec_v4(&f);
            check(r, &f, same_f32s(&got.x, &want.x, 4, 1));
        } else
            unknown(r, &f);
    }
    rec_close(&f);
}

/* ---- lightgrid ---- */

static bool cells_match(const stn_lightgrid *g, const char *p)
{
    size_t n = (size_t)g->w * (size_t)g->h * (size_t)g->d, at = 0;

    while (*p) {
        char *end;
        unsigned long v = strtoul(p, &end, 10), times = 1;

        if (*end == '*')
            times = strtoul(end + 1, &end, 10);
        for (; times > 0; times--, at++)
            if (at >= n || g->cells[at] != v)
                return false;
        p = end;
        while (*p == ' ')
            p++;
    }
    return at == n;
}

static bool lists_match(const stn_lightgrid *g, const char *p, long n)
{
    if ((long)g->list_count != n)
        return false;
    for (size_t i = 0; i < g->list_count; i++) {
        char *end;

        if (strtoul(p, &end, 10) != g->lists[i] || end == p)
            return false;
        p = end;
    }
    return true;
}

static uint32_t cells_crc(const stn_lightgrid *g)
{
    size_t n = (size_t)g->w * (size_t)g->h * (size_t)g->d;
    uint8_t *bytes = malloc(n * 2);
    uint32_t crc;

    for (size_t i = 0; bytes && i < n; i++)
        stn_st16(bytes + i * 2, g->cells[i]);
    crc = bytes ? vec_crc32(bytes, n * 2) : 0;
    free(bytes);
    return crc;
}

static bool grid_result(rec_file *f, const stn_lightgrid *g)
{
    stn_v3 a, b;

    if (rec_is(f, "lists")) {
        long n = rec_int(f);

        return lists_match(g, rec_text(f), n);
    }
    if (rec_is(f, "cells")) {
        rec_int(f);
        return cells_match(g, rec_text(f));
    }
    if (rec_is(f, "cellscrc")) {
        rec_int(f);
        return cells_crc(g) == (uint32_t)strtoul(rec_text(f), NULL, 16);
    }
    a = rec_v3(f);
    b = rec_v3(f);
    if (rec_is(f, "bbox"))
        return same_f32s(&a.x, &g->min.x, 3, 0) && same_f32s(&b.x, &g->max.x, 3, 0);
    if (rec_is(f, "cell"))
        return same_f32s(&a.x, &g->cell.x, 3, 0) && same_f32s(&b.x, &g->inv.x, 3, 0);
    if (!rec_is(f, "uni"))
        return false;
    {
        stn_v3 neg = {-g->min.x, -g->min.y, -g->min.z};
        stn_v3 scale = {(float)g->w / (g->max.x - g->min.x), (float)g->h / (g->max.y - g->min.y),
                        (float)g->d / (g->max.z - g->min.z)};

        return same_f32s(&a.x, &neg.x, 3, 0) && same_f32s(&b.x, &scale.x, 3, 0);
    }
}

void vec_lightgrid(vec_report *r, const char *dir)
{
    static stn_lit lights[4096];
    stn_lightgrid g = {0};
    stn_m4 proj = {{0}};
    size_t count = 0;
    bool compiled = false;
    rec_file f;

    if (!rec_open(&f, dir, "lightgrid.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "grid")) {
            int v[5];

            for (int i = 0; i < 5; i++)
                v[i] = (int)rec_int(&f);
            stn_lightgrid_fini(&g);
            stn_lightgrid_init(&g, v[0], v[1], v[2], v[3], NULL);
            proj = rec_m4(&f);
            count = 0;
            compiled = false;
        } else if (rec_is(&f, "light")) {
            stn_lit *l = &lights[count < 4095 ? count++ : 4095];

            memset(l, 0, sizeof *l);
            rec_int(&f);
            l->pos = rec_v4(&f);
            l->ac = rec_f32(&f);
            l->al = rec_f32(&f);
            l->aq = rec_f32(&f);
            l->at = rec_f32(&f);
        } else {
            if (!compiled && (!g.cells || stn_lightgrid_compile(&g, &proj, lights, count, NULL) != STN_OK)) {
                check(r, &f, false);
                continue;
            }
            compiled = true;
            check(r, &f, grid_result(&f, &g));
        }
    }
    stn_lightgrid_fini(&g);
    rec_close(&f);
}

/* ---- meshdata ---- */

static uint32_t numbers(const char *p, uint32_t *out, uint32_t cap)
{
    uint32_t n = 0;

    for (char *end; n < cap; p = end) {
        unsigned long v = strtoul(p, &end, 10);

        if (end == p)
            break;
        out[n++] = (uint32_t)v;
    }
    return n;
}

static uint8_t prim_mode(const char *name, size_t len)
{
    static const char *const names[STN_PRIM_MODES] = {"Triangles",
                                                      "TriangleStrip",
                                                      "TriangleFan",
                                                      "Lines",
                                                      "LineStrip",
                                                      "LineLoop",
                                                      "Points",
                                                      "LinesAdjacency",
                                                      "TrianglesAdjacency",
                                                      "TriangleStripAdjacency"};

    for (int i = 0; i < STN_PRIM_MODES; i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return (uint8_t)i;
    return STN_PRIM_MODES;
}

void vec_meshdata(vec_report *r, const char *dir)
{
    static uint32_t index[65536], len[1024];
    static uint8_t mode[1024];
    stn_sections s = {0};
    rec_file f;

    if (!rec_open(&f, dir, "meshdata.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "meshdata")) {
            const char *m, *l, *i;

            memset(&s, 0, sizeof s);
            s.vertex_count = (uint32_t)rec_int(&f);
            m = rec_text(&f);
            l = rec_text(&f);
            i = rec_text(&f);
            for (size_t n; *m && s.mode_count < 1024; m += n + (m[n] == ' ')) {
                n = strcspn(m, " ");
                mode[s.mode_count++] = prim_mode(m, n);
            }
            s.mode = mode;
            if (strcmp(l, "none") != 0) {
                s.len = len;
                s.len_count = numbers(l, len, 1024);
            }
            if (strcmp(i, "none") != 0) {
                s.index = index;
                s.index_count = numbers(i, index, 65536);
            }
            check(r, &f, stn_sections_check(&s, NULL) == STN_OK);
        } else if (rec_is(&f, "sections")) {
            uint32_t count = (uint32_t)rec_int(&f), total = 0;

            for (uint32_t k = 0; k < stn_sections_count(&s); k++)
                total += stn_sections_primitives(&s, k);
            check(r, &f, stn_sections_count(&s) == count && total == (uint32_t)rec_int(&f));
        } else if (rec_is(&f, "section")) {
            uint32_t k = (uint32_t)rec_int(&f);
            const char *name = rec_text(&f);

            check(r, &f,
                  (uint8_t)stn_sections_mode(&s, k) == prim_mode(name, strlen(name)) &&
                      stn_sections_primitives(&s, k) == (uint32_t)rec_int(&f));
        } else if (rec_is(&f, "prim")) {
            uint32_t k = (uint32_t)rec_int(&f), p = (uint32_t)rec_int(&f), got[6], want[6];
            uint32_t n = stn_sections_vertices(&s, k, p, got), m = numbers(rec_text(&f), want, 6);

            check(r, &f, n == m && n > 0 && memcmp(got, want, n * sizeof *got) == 0);
        } else
            unknown(r, &f);
    }
    rec_close(&f);
}

/* ---- input ---- */

struct script {
    struct {
        unsigned key;
        bool down;
    } keys[256];
    stn_mouse mice[256];
    size_t key_at, key_count, mouse_at, mouse_count;
    bool lost;
};

static bool next_key(void *ctx, unsigned *key, bool *down)
{
    struct script *s = ctx;

    if (s->key_at == s->key_count)
        return false;
    *key = s->keys[s->key_at].key;
    *down = s->keys[s->key_at++].down;
    return true;
}

static bool next_mouse(void *ctx, stn_mouse *m)
{
    struct script *s = ctx;

    if (s->mouse_at == s->mouse_count)
        return false;
    *m = s->mice[s->mouse_at++];
    return true;
}

static bool lost_focus(void *ctx)
{
    struct script *s = ctx;
    bool lost = s->lost;

    s->lost = false;
    return lost;
}

static char fired[256][48];
static size_t fired_count;

static void fire(void *arg, const stn_two *states, double tpf)
{
    (void)states;
    if (fired_count < 256)
        snprintf(fired[fired_count++], sizeof fired[0], "%s@%016llx", (const char *)arg,
                 (unsigned long long)stn_bits_of_f64(tpf));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void bind_all(stn_logical *l)
{
    const struct {
        const char *name;
        int condition;
    } all[] = {{"pressA", stn_pred_key(l, STN_PRED_KEY_PRESSED, 'A')},
               {"releaseA", stn_pred_key(l, STN_PRED_KEY_RELEASED, 'A')},
               {"heldA", stn_pred_key(l, STN_PRED_KEY_HELD, 'A')},
               {"pressB", stn_pred_key(l, STN_PRED_KEY_PRESSED, 'B')},
               {"move", stn_pred_plain(l, STN_PRED_MOUSE_MOVED)},
               {"leftpress", stn_pred_button(l, STN_PRED_BUTTON_PRESSED, STN_BUTTON_LEFT, 0)},
               {"leftrelease", stn_pred_button(l, STN_PRED_BUTTON_RELEASED, STN_BUTTON_LEFT, 0)},
               {"leftdown", stn_pred_button(l, STN_PRED_BUTTON_DOWN, STN_BUTTON_LEFT, 0)},
               {"clickL", stn_pred_button(l, STN_PRED_CLICKED, STN_BUTTON_LEFT, 1)},
               {"always", stn_pred_plain(l, STN_PRED_ALWAYS)}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        stn_logical_trigger(l, all[i].name, all[i].condition, fire, (void *)(uintptr_t)all[i].name, NULL);
}

void vec_input(vec_report *r, const char *dir)
{
    static struct script s;
    static stn_physical p;
    const stn_input_source source = {&s, next_key, next_mouse, NULL, lost_focus};
    stn_logical *l = NULL;
    rec_file f;

    if (!rec_open(&f, dir, "input.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "run")) {
            stn_logical_free(l);
            memset(&s, 0, sizeof s);
            stn_physical_init(&p, &source);
            l = stn_logical_new();
            stn_logical_listen(l, &p, NULL);
            bind_all(l);
        } else if (s.key_count == 256 || s.mouse_count == 256) {
            vec_fail(r, "%s line %d: more events in a frame than the script holds", f.name, f.line);
        } else if (rec_is(&f, "key")) {
            s.keys[s.key_count].key = (unsigned char)rec_text(&f)[0];
            s.keys[s.key_count++].down = strcmp(rec_text(&f), "DOWN") == 0;
        } else if (rec_is(&f, "mouse")) {
            stn_mouse *m = &s.mice[s.mouse_count++];

            memset(m, 0, sizeof *m);
            m->x = (int)rec_int(&f);
            m->y = (int)rec_int(&f);
            m->dx = (int)rec_int(&f);
            m->dy = (int)rec_int(&f);
            m->wheel = (float)rec_int(&f);
            m->down[STN_BUTTON_LEFT] = rec_int(&f) != 0;
            m->clicks[STN_BUTTON_LEFT] = (uint8_t)rec_int(&f);
        } else if (rec_is(&f, "focuslost")) {
            s.lost = true;
        } else if (rec_is(&f, "frame")) {
            char got[8192] = "";
            size_t at = 0;

            fired_count = 0;
            stn_logical_check(l, rec_f64(&f));
            qsort(fired, fired_count, sizeof fired[0], by_text);
            for (size_t i = 0; i < fired_count; i++)
                at += (size_t)snprintf(got + at, sizeof got - at, "%s%s", i ? " " : "", fired[i]);
            check(r, &f, strcmp(got, rec_text(&f)) == 0);
            s.key_at = s.key_count = s.mouse_at = s.mouse_count = 0;
        } else
            unknown(r, &f);
    }
    stn_logical_free(l);
    rec_close(&f);
}

/* ---- mipmap ---- */

void vec_mipmap(vec_report *r, const char *dir)
{
    size_t len;
    uint8_t *data = vec_read(dir, "mipmap.bin", &len);
    stn_bytes b = stn_bytes_of(data, len);
    const uint8_t *sign;
    uint32_t count;

    if (!data)
        return;
    sign = stn_bytes_take(&b, 4);
    count = stn_bytes_u32(&b);
    if (!sign || memcmp(sign, "RVMP", 4) != 0 || !stn_bytes_ok(&b)) {
        vec_fail(r, "mipmap.bin: no such file format");
        count = 0;
    }
#ifdef STN_HAS_RES
    for (uint32_t i = 0; i < count; i++) {
        uint8_t kind = stn_bytes_u8(&b), levels = stn_bytes_u8(&b);
        uint16_t w = stn_bytes_u16(&b), h = stn_bytes_u16(&b);
        stn_mipmapper mapper = kind == 3 ? STN_MIP_CNT : kind == 4 ? STN_MIP_DAV : STN_MIP_AVG;
        size_t bytes;
        const uint8_t *want;
        uint8_t *got;

        stn_bytes_u16(&b);
        if (!stn_bytes_ok(&b) || w < 1 || h < 1 || (kind != 0 && kind != 3 && kind != 4)) {
            vec_fail(r, "mipmap.bin record %u: cut short, or by an unknown rule", i);
            break;
        }
        bytes = stn_mip_bytes(mapper, w, h);
        want = stn_bytes_take(&b, bytes);
        got = malloc(bytes);
        if (!want || !got || stn_mip_levels(mapper, w, h) != levels) {
            vec_fail(r, "mipmap.bin record %u: %ux%u with %u levels", i, w, h, levels);
            free(got);
            break;
        }
        memcpy(got, want, (size_t)w * h * 4);
        stn_mip_chain(mapper, got, w, h);
        if (memcmp(got, want, bytes) == 0)
            vec_pass(r);
        else
            vec_fail(r, "mipmap.bin record %u: %ux%u by rule %u has other levels", i, w, h, kind);
        free(got);
    }
#else
    if (count)
        vec_skip(r, "mipmap.bin: built without the resource library");
#endif
    free(data);
}
