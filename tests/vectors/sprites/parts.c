/* flags.json, factory.json, parts.json, rebuild.json */
#include "sprites.h"

#include "renderer/sprite/flags.h"
#include "renderer/sprite/varmat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void vs_flags(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "flags.json"), *one;
    size_t i;

    if (!file)
        return;
    json_array_foreach(vs_get(file, "cases"), i, one)
    {
        size_t len, k;
        uint8_t *sdt = vs_sdt(vs_text(one, "sdt"), &len);
        uint32_t flags = stn_sprite_flags(sdt, len), num = stn_sprite_number(sdt, len);
        json_t *visible = json_array(), *id;
        json_array_foreach(vs_get(file, "ids"), k, id)
        {
            if (stn_sprite_enabled(flags, (int32_t)json_integer_value(id)))
                json_array_append(visible, id);
        }
        if (flags != vs_u64(vs_text(one, "flags")) || num != vs_u64(vs_text(one, "num")))
            vec_fail(v->report, "flags %s: got %08x and %08x", vs_text(one, "sdt"), flags, num);
        else if (vs_same(v, vs_get(one, "visible"), visible, "flags"))
            vec_pass(v->report);
        json_decref(visible);
        free(sdt);
    }
    json_decref(file);
}

void vs_factory(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "factory.json"), *one;
    size_t i;

    json_array_foreach(file, i, one)
    {
        const char *name = vs_text(one, "res"), *error = vs_text(one, "error");
        stn_sprite_object object = {.id = 7};
        stn_sprite_ctx *ctx;
        stn_sprite *sprite = NULL;
        stn_err err = {0};
        stn_sprite_fault fault;
        /* A resource of the folder that does not load at all is the same to whoever names it. */
        if (!*error && !vs_have(v, name))
            continue;
        ctx = vs_ctx(v);
        fault = vs_res(v, name) ? stn_sprite_new(ctx, &object, vs_res(v, name), NULL, 0, &sprite, &err)
                                : STN_SPRITE_LOAD_FAILED;
        if (*error
                ? !vs_same_fault(error, fault)
                : fault ||
                      strcmp(vs_text(one, "kind"), stn_sprite_kind_name(stn_sprite_kind_of(sprite))) != 0 ||
                      strcmp(vs_text(one, "of"), stn_sprite_resource(sprite)->name) != 0)
            vec_fail(v->report, "factory %s: want %s%s, got %s of %s (%s)", name, vs_text(one, "kind"), error,
                     fault ? stn_sprite_fault_name(fault) : stn_sprite_kind_name(stn_sprite_kind_of(sprite)),
                     sprite ? stn_sprite_resource(sprite)->name : "-", err.text);
        else
            vec_pass(v->report);
        stn_sprite_free(sprite);
        stn_sprite_ctx_free(ctx);
    }
    json_decref(file);
}

/* ---- variable materials as the files write them ---- */

#define DRESS_MAX 64

typedef struct dress {
    stn_varmat_entry entries[DRESS_MAX];
    char names[DRESS_MAX][128];
    uint32_t n;
} dress;

/* "res#id" */
static bool add_dress(dress *d, const char *text)
{
    const char *hash = strrchr(text, '#');
    if (!hash || d->n == DRESS_MAX || (size_t)(hash - text) >= sizeof d->names[0])
        return false;
    memcpy(d->names[d->n], text, (size_t)(hash - text));
    d->names[d->n][hash - text] = 0;
    d->entries[d->n] = (stn_varmat_entry){d->names[d->n], -1, (int32_t)strtol(hash + 1, NULL, 10)};
    d->n++;
    return true;
}

/* ---- parts ---- */

static json_t *wrap_text(const stn_wrap *wrap)
{
    const stn_sprite_mat *m = wrap->material;
    switch (wrap->kind) {
    case STN_WRAP_MATERIAL:
        return json_sprintf("mat:%s#%d", m->res->name, m->id);
    case STN_WRAP_STATIC:
        return json_sprintf("static:%s#%d", m->res->name, m->id);
    case STN_WRAP_DYNAMIC:
        return json_sprintf("dyn:%s#%d", m->res->name, m->id);
    case STN_WRAP_VARIABLE:
        return json_sprintf("vmat:%d:mat:%s#%d", wrap->slot, m->res->name, m->id);
    case STN_WRAP_MANIM:
        return json_sprintf("manim:%s@%d", wrap->manim_res->name, wrap->slot);
    }
    return NULL;
}

static json_t *parts_json(const stn_sprite *sprite)
{
    uint32_t n;
    const stn_sprite_part *parts = stn_sprite_parts(sprite, &n);
    json_t *list = json_array();
    char text[300];

    for (uint32_t i = 0; i < n; i++) {
        const stn_sprite_part *p = &parts[i];
        json_t *one = json_object(), *wraps = json_array();
        if (p->kind == STN_PART_MESH)
            vs_mesh(p->res, p->layer, text, sizeof text);
        else if (p->kind == STN_PART_SPRITE)
            snprintf(text, sizeof text, "sprite:%s:%s", stn_sprite_kind_name(stn_sprite_kind_of(p->sprite)),
                     stn_sprite_resource(p->sprite)->name);
        else
            snprintf(text, sizeof text, "%s", p->kind == STN_PART_GROUP ? "group" : "other");
        json_object_set_new(one, "obj", json_string(text));
        for (uint32_t w = 0; w < p->n_wraps; w++)
            json_array_append_new(wraps, wrap_text(&p->wraps[w]));
        json_object_set_new(one, "wraps", wraps);
        json_object_set_new(one, "dyn", json_integer(p->n_dyns));
        if (p->kind == STN_PART_SPRITE)
            json_object_set_new(one, "sub", parts_json(p->sprite));
        json_array_append_new(list, one);
    }
    return list;
}

typedef struct drawing {
    json_t *list;
    const json_t *want; /* an item that is a plain text is wanted as name alone */
    bool without_maframe;
} drawing;

static bool draw_leaf(void *user, const stn_leaf *leaf)
{
    drawing *d = user;
    char text[300];
    const json_t *want = json_array_get(d->want, json_array_size(d->list));

    vs_mesh(leaf->part->res, leaf->part->layer, text, sizeof text);
    if (want && json_is_string(want))
        json_array_append_new(d->list, json_string(text));
    else
        json_array_append_new(
            d->list, json_pack("{s:s, s:o}", "obj", text, "state", vs_state(leaf, d->without_maframe)));
    return true;
}

/* As the files have an animation in a state: by resource and index; here the leaf's wrap tells both. */
static bool check_drawn(vec_sprites *v, const stn_sprite *sprite, const json_t *want, bool without_maframe,
                        const char *what)
{
    drawing d = {json_array(), want, without_maframe};
    stn_arena *arena = stn_arena_new(4096, 0);
    stn_state outer;
    stn_err err = {0};
    stn_sprite_fault fault;
    bool same;

    stn_state_clear(&outer);
    fault = stn_sprite_leaves(sprite, &outer, arena, draw_leaf, &d, &err);
    if (fault)
        vec_fail(v->report, "%s: drawing: %s", what, err.text);
    same = !fault && vs_same(v, want, d.list, what);
    json_decref(d.list);
    stn_arena_free(arena);
    return same;
}

static void one_part_case(vec_sprites *v, const json_t *one)
{
    const char *name = vs_text(one, "res");
    stn_sprite_object object = {.id = 42};
    stn_sprite_ctx *ctx = vs_ctx(v);
    stn_varmat mats;
    stn_sprite_mod mod = {1, 1, STN_VARMAT_ORDER, stn_varmat_operate, &mats};
    dress d = {.n = 0};
    stn_sprite *sprite = NULL;
    stn_err err = {0};
    stn_sprite_fault fault = STN_SPRITE_OK;
    size_t len, i;
    uint8_t *sdt = vs_sdt(vs_text(one, "sdt"), &len);
    json_t *entry, *parts = NULL;
    char what[300];
    bool without = strcmp(name, "test/manim") == 0 || strcmp(name, "gfx/borka/wisp") == 0;

    snprintf(what, sizeof what, "parts %s sdt %s", name, vs_text(one, "sdt"));
    json_array_foreach(json_object_get(one, "dress"), i, entry) add_dress(&d, json_string_value(entry));
    if (d.n > 0) {
        fault = stn_varmat_resolve(ctx, d.entries, d.n, &mats, &err);
        object.mods = &mod;
        object.n_mods = 1;
    }
    if (!fault)
        fault = stn_sprite_new(ctx, &object, vs_res(v, name), sdt, len, &sprite, &err);
    if (fault) {
        if (json_object_get(one, "error") && vs_same_fault(vs_text(one, "error"), fault))
            vec_pass(v->report);
        else
            vec_fail(v->report, "%s: %s", what, err.text);
    } else if (strcmp(vs_text(one, "kind"), stn_sprite_kind_name(stn_sprite_kind_of(sprite))) != 0 ||
               (json_object_get(one, "flags") &&
                stn_sprite_flag_word(sprite) != vs_u64(vs_text(one, "flags")))) {
        vec_fail(v->report, "%s: kind %s, flags %08x", what, stn_sprite_kind_name(stn_sprite_kind_of(sprite)),
                 stn_sprite_flag_word(sprite));
    } else {
        bool same = true;
        parts = parts_json(sprite);
        if (json_object_get(one, "parts"))
            same = vs_same(v, vs_get(one, "parts"), parts, what);
        if (same && check_drawn(v, sprite, vs_get(one, "draw"), without, what))
            vec_pass(v->report);
    }
    json_decref(parts);
    stn_sprite_free(sprite);
    stn_sprite_ctx_free(ctx);
    free(sdt);
}

void vs_parts(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "parts.json"), *one;
    size_t i;

    json_array_foreach(file, i, one)
    {
        if (vs_have(v, vs_text(one, "res")))
            one_part_case(v, one);
    }
    json_decref(file);
}

/* ---- rebuild ---- */

/* One instance of the attribute: an old one goes on to be what it was, as a live update runs the mods of the
 * last build. */
typedef struct attribute {
    stn_sprite_mod mod;
    stn_varmat mats;
    int loading; /* runs that are Loading first */
    bool failing;
} attribute;

#define ATTRIBUTES 32

typedef struct script {
    vec_sprites *v;
    stn_sprite_ctx *ctx;
    stn_sprite_object object;
    stn_sprite *sprite;
    attribute *attributes;
    uint32_t n;
} script;

static stn_sprite_fault scripted_mod(void *user, stn_sprite_build *build, stn_err *err)
{
    attribute *a = user;
    if (a->failing)
        return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "as the script wants");
    if (a->loading > 0) {
        a->loading--;
        return stn_sprite_fail(err, STN_SPRITE_LOADING, "as the script wants");
    }
    return stn_varmat_operate(&a->mats, build, err);
}

/* "0=test/mats#1 …" into the slots of the last attribute. */
static void read_slots(script *s, char *text)
{
    for (char *word = strtok(text, " "); word && s->n > 0; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        stn_varmat *mats = &s->attributes[s->n - 1].mats;
        dress d = {.n = 0};
        stn_varmat one;
        stn_err err = {0};
        uint32_t slot;
        if (!equals || !add_dress(&d, equals + 1))
            continue;
        slot = (uint32_t)strtoul(word, NULL, 10);
        if (stn_varmat_resolve(s->ctx, d.entries, 1, &one, &err) != STN_SPRITE_OK ||
            slot >= STN_VARMAT_SLOTS) {
            vec_fail(s->v->report, "rebuild: material %s: %s", equals + 1, err.text);
            continue;
        }
        mats->slots[slot] = one.slots[0];
        if (slot >= mats->count)
            mats->count = slot + 1;
    }
}

static void set_mod(script *s, int loading, bool failing)
{
    attribute *a = &s->attributes[s->n < ATTRIBUTES ? s->n++ : ATTRIBUTES - 1];
    *a = (attribute){.loading = loading, .failing = failing};
    a->mod = (stn_sprite_mod){1, s->n, STN_VARMAT_ORDER, scripted_mod, a};
    s->object.mods = &a->mod;
    s->object.n_mods = 1;
}

static stn_sprite_fault do_step(script *s, const char *name, const char *step, stn_err *err)
{
    char text[400], *rest;
    bool done;
    stn_sprite_fault fault = STN_SPRITE_OK;

    snprintf(text, sizeof text, "%s", step);
    rest = strchr(text, ' ');
    if (rest)
        *rest++ = 0;
    if (strcmp(text, "mk") == 0) {
        fault = stn_sprite_new(s->ctx, &s->object, vs_res(s->v, name), NULL, 0, &s->sprite, err);
    } else if (strcmp(text, "tick") == 0) {
        fault = stn_sprite_tick(s->sprite, 0.05, &done, err);
    } else if (strcmp(text, "updated") == 0) {
        s->object.updateseq++;
    } else if (strcmp(text, "set") == 0) {
        set_mod(s, 0, false);
        read_slots(s, rest);
    } else if (strcmp(text, "setload") == 0) {
        set_mod(s, (int)strtol(rest, &rest, 10), false);
        read_slots(s, rest);
    } else if (strcmp(text, "setfail") == 0) {
        set_mod(s, 0, true);
    } else if (strcmp(text, "mutate") == 0) {
        read_slots(s, rest);
    } else if (strcmp(text, "del") == 0) {
        s->object.n_mods = 0;
    } else if (strcmp(text, "sdt") == 0) {
        size_t len;
        uint8_t *sdt = vs_sdt(rest ? rest : "", &len);
        fault = stn_sprite_update(s->sprite, sdt, len, err);
        free(sdt);
    } else if (strcmp(text, "other") != 0) {
        vec_fail(s->v->report, "rebuild: unknown step \"%s\"", step);
    }
    return fault;
}

static bool drawn_leaf(void *user, const stn_leaf *leaf)
{
    json_t *list = user;
    const stn_state *st = leaf->state;
    char mesh[200], tex[200] = "none", order[40] = "none";

    vs_mesh(leaf->part->res, leaf->part->layer, mesh, sizeof mesh);
    if (st->presence[STN_SLOT_TEX] == STN_SET)
        snprintf(tex, sizeof tex, "tex:%s#%d", st->values[STN_SLOT_TEX].u.tex.res->name,
                 st->values[STN_SLOT_TEX].u.tex.tex->id);
    if (st->presence[STN_SLOT_ORDER] == STN_SET)
        snprintf(order, sizeof order, "%d", st->values[STN_SLOT_ORDER].u.order.main);
    json_array_append_new(list, json_sprintf("%s=%s,%s,%s", mesh, tex,
                                             st->presence[STN_SLOT_BASECOLOR] == STN_SET ? "c" : "-", order));
    return true;
}

static json_t *drawn(const script *s)
{
    json_t *list = json_array();
    stn_arena *arena = stn_arena_new(4096, 0);
    stn_state outer;

    stn_state_clear(&outer);
    if (s->sprite)
        stn_sprite_leaves(s->sprite, &outer, arena, drawn_leaf, list, NULL);
    stn_arena_free(arena);
    return list;
}

static bool check_step(script *s, const json_t *step, stn_sprite_fault fault, const uint64_t before[2],
                       uint32_t builds, const char *what)
{
    uint64_t added, removed;
    const char *error = vs_text(step, "error");
    json_t *got;
    bool same;

    stn_sprite_ctx_counts(s->ctx, &added, &removed);
    if (*error ? !vs_same_fault(error, fault) : fault != STN_SPRITE_OK) {
        vec_fail(s->v->report, "%s: want %s, got %s", what, *error ? error : "no error",
                 stn_sprite_fault_name(fault));
        return false;
    }
    got = json_pack("{s:I, s:I}", "builds",
                    (json_int_t)((s->sprite ? stn_sprite_builds(s->sprite) : 0) - builds), "seq",
                    (json_int_t)s->object.updateseq);
    if (json_object_get(step, "drawn")) {
        json_t *shown = drawn(s);
        /* The script puts a new sprite into the scene itself. */
        if (strcmp(vs_text(step, "do"), "mk") == 0)
            added += json_array_size(shown);
        json_object_set_new(got, "added", json_integer((json_int_t)(added - before[0])));
        json_object_set_new(got, "removed", json_integer((json_int_t)(removed - before[1])));
        json_object_set_new(got, "lastupd", json_integer(stn_sprite_last_update(s->sprite)));
        json_object_set_new(got, "drawn", shown);
    }
    json_object_set(got, "do", vs_get(step, "do"));
    if (*error)
        json_object_set(got, "error", vs_get(step, "error"));
    same = vs_same(s->v, step, got, what);
    json_decref(got);
    return same;
}

void vs_rebuild(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "rebuild.json"), *one, *step;
    size_t i, k;

    json_array_foreach(file, i, one)
    {
        script s = {.v = v, .object = {.id = 11}};
        bool good = true;
        char what[700];
        if (!vs_have(v, vs_text(one, "res")))
            continue;
        s.ctx = vs_ctx(v);
        s.attributes = calloc(ATTRIBUTES, sizeof *s.attributes);
        json_array_foreach(vs_get(one, "steps"), k, step)
        {
            uint64_t before[2];
            uint32_t builds = s.sprite ? stn_sprite_builds(s.sprite) : 0;
            stn_err err = {0};
            stn_sprite_fault fault;
            stn_sprite_ctx_counts(s.ctx, &before[0], &before[1]);
            fault = do_step(&s, vs_text(one, "res"), vs_text(step, "do"), &err);
            snprintf(what, sizeof what, "rebuild %s [%s] step %zu (%s)", vs_text(one, "res"),
                     vs_text(one, "script"), k, vs_text(step, "do"));
            good = check_step(&s, step, fault, before, builds, what);
            if (!good)
                break;
        }
        if (good)
            vec_pass(v->report);
        stn_sprite_free(s.sprite);
        stn_sprite_ctx_free(s.ctx);
        free(s.attributes);
    }
    json_decref(file);
}
