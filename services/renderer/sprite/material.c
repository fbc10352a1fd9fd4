#include "renderer/sprite/material.h"

#include <string.h>

#define MLINK_DEPTH 16

/* Ops under construction: a growing array in the arena. */
typedef struct op_list {
    stn_op *items;
    uint32_t count, cap;
} op_list;

typedef struct building {
    const stn_sprite_source *source;
    const stn_sprite_res *res;
    stn_arena *arena;
    stn_err *err;
    op_list statics, dynamics;
    uint32_t unknown;
    unsigned depth;
} building;

const stn_res_mat *stn_material_find(const stn_sprite_res *res, int32_t id)
{
    const stn_res_layer *layer =
        id >= 0 ? stn_res_find(res->res, STN_LAYER_MAT, id) : stn_res_first(res->res, STN_LAYER_MAT);
    return layer ? layer->as.mat : NULL;
}

static stn_op *add_op(building *b, op_list *list, stn_op_kind kind, stn_sprite_slot slot)
{
    if (list->count == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 8;
        stn_op *items = stn_arena_array(b->arena, cap, sizeof *items);
        if (!items)
            return NULL;
        if (list->count)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->cap = cap;
    }
    memset(&list->items[list->count], 0, sizeof *list->items);
    list->items[list->count].kind = kind;
    list->items[list->count].slot = slot;
    return &list->items[list->count++];
}

static stn_sprite_fault no_memory(building *b)
{
    return stn_sprite_fail(b->err, STN_SPRITE_NO_MEMORY, "material of %.80s", b->res->name);
}

static stn_sprite_fault set(building *b, stn_sprite_slot slot, const stn_state_value *value)
{
    stn_op *op = add_op(b, &b->statics, STN_OP_SET, slot);
    if (!op)
        return no_memory(b);
    op->u.value = *value;
    return STN_SPRITE_OK;
}

static stn_sprite_fault nothing(building *b, stn_sprite_slot slot)
{
    return add_op(b, &b->statics, STN_OP_NOTHING, slot) ? STN_SPRITE_OK : no_memory(b);
}

static stn_sprite_fault malformed(building *b, const stn_mat_spec *spec, const char *wanted)
{
    return stn_sprite_fail(b->err, STN_SPRITE_MALFORMED, "%.80s: material part \"%.40s\": expected %s",
                           b->res->name, spec->name, wanted);
}

static stn_sprite_fault load_error(building *b, const stn_mat_spec *spec, const char *what)
{
    return stn_sprite_fail(b->err, STN_SPRITE_LOAD_ERROR, "%.80s: material part \"%.40s\": %s", b->res->name,
                           spec->name, what);
}

/* ---- keyword arguments ---- */

typedef struct args {
    stn_entries table;
    const stn_sprite_res *res;
    int32_t id;
} args;

/* The optional resource and id that tex, otex, bump, pal and mlink share. */
static stn_sprite_fault read_args(building *b, const stn_mat_spec *spec, const char *pattern, args *out)
{
    const stn_value *v;
    stn_err inner = {0};

    out->res = b->res;
    out->id = -1;
    if (stn_values_keywords(&spec->args, pattern, b->arena, &out->table, &inner) != STN_OK)
        return malformed(b, spec, "[resource] [id] and keys");
    v = stn_entries_get(&out->table, "res");
    if (v) {
        if (v->kind != STN_VALUE_RES)
            return malformed(b, spec, "a resource by name");
        if (v->u.res.name[0]) {
            stn_sprite_fault fault =
                stn_sprite_get(b->source, v->u.res.name, v->u.res.version, &out->res, b->err);
            if (fault)
                return fault;
        }
    }
    v = stn_entries_get(&out->table, "id");
    if (v && stn_value_as_int(v, &out->id, &inner) != STN_OK)
        return malformed(b, spec, "a number as id");
    return STN_SPRITE_OK;
}

/* A key's truth, or whether the flags hold a letter when the key is absent. */
static stn_sprite_fault read_switch(building *b, const stn_mat_spec *spec, const args *a, const char *key,
                                    bool *out, bool *given)
{
    const stn_value *v = stn_entries_get(&a->table, key);
    *given = v != NULL;
    if (v && stn_value_as_bool(v, out, NULL) != STN_OK)
        return malformed(b, spec, "a number as switch");
    return STN_SPRITE_OK;
}

static stn_sprite_fault read_text(building *b, const stn_mat_spec *spec, const args *a, const char *key,
                                  const char **out)
{
    const stn_value *v = stn_entries_get(&a->table, key);
    if (v && stn_value_as_text(v, out, NULL) != STN_OK)
        return malformed(b, spec, "text");
    return STN_SPRITE_OK;
}

static stn_sprite_fault exact_tex(building *b, const stn_mat_spec *spec, const args *a, stn_tex_ref *out)
{
    const stn_res_layer *layer = stn_res_find(a->res->res, STN_LAYER_TEX, a->id);
    if (!layer)
        return stn_sprite_fail(b->err, STN_SPRITE_LOAD_ERROR,
                               "%.80s: material part \"%.40s\": %.80s has no texture %d", b->res->name,
                               spec->name, a->res->name, a->id);
    *out = (stn_tex_ref){.res = a->res, .tex = layer->as.tex};
    return STN_SPRITE_OK;
}

/* ---- the parts ---- */

static stn_sprite_fault part_tex(building *b, const stn_mat_spec *spec)
{
    args a;
    const char *flags = "";
    bool clip = true, given;
    stn_state_value value = {0};
    const stn_res_layer *layer;
    stn_sprite_fault fault;

    if ((fault = read_args(b, spec, "?@res, id, flags", &a)) ||
        (fault = read_text(b, spec, &a, "flags", &flags)) ||
        (fault = read_switch(b, spec, &a, "clip", &clip, &given)))
        return fault;
    if (!given)
        clip = !strchr(flags, 'a');
    layer =
        a.id >= 0 ? stn_res_find(a.res->res, STN_LAYER_TEX, a.id) : stn_res_first(a.res->res, STN_LAYER_TEX);
    if (!layer)
        return stn_sprite_fail(b->err, STN_SPRITE_LOAD_ERROR,
                               "%.80s: material names texture %d, which %.80s lacks", b->res->name, a.id,
                               a.res->name);
    value.u.tex = (stn_tex_ref){.res = a.res, .tex = layer->as.tex};
    if ((fault = set(b, STN_SLOT_TEX, &value)))
        return fault;
    return clip ? set(b, STN_SLOT_TEXCLIP, &value) : nothing(b, STN_SLOT_TEXCLIP);
}

static stn_sprite_fault part_otex(building *b, const stn_mat_spec *spec)
{
    args a;
    const char *mode = "cp";
    stn_state_value value = {0};
    stn_sprite_fault fault;

    if ((fault = read_args(b, spec, "?@res, id, mode", &a)) ||
        (fault = read_text(b, spec, &a, "mode", &mode)) ||
        (fault = exact_tex(b, spec, &a, &value.u.otex.tex)))
        return fault;
    if (strcmp(mode, "cp") == 0)
        value.u.otex.mode = STN_OTEX_COPY;
    else if (strcmp(mode, "ol") == 0)
        value.u.otex.mode = STN_OTEX_OVERLAY;
    else if (strcmp(mode, "a") == 0)
        value.u.otex.mode = STN_OTEX_ALPHA;
    else
        return load_error(b, spec, "blend mode is none of cp, ol, a");
    return set(b, STN_SLOT_OTEX, &value);
}

static stn_sprite_fault part_pal(building *b, const stn_mat_spec *spec)
{
    args a;
    stn_state_value value = {0};
    stn_sprite_fault fault;

    if ((fault = read_args(b, spec, "?@res, id", &a)) || (fault = exact_tex(b, spec, &a, &value.u.tex)))
        return fault;
    return set(b, STN_SLOT_TEXPAL, &value);
}

static stn_sprite_fault part_bump(building *b, const stn_mat_spec *spec)
{
    args a;
    const char *flags = "";
    bool otex = false, given;
    stn_state_value value = {0};
    stn_sprite_fault fault;

    if ((fault = read_args(b, spec, "?@res, id, flags", &a)) ||
        (fault = read_text(b, spec, &a, "flags", &flags)) ||
        (fault = read_switch(b, spec, &a, "otex", &otex, &given)) ||
        (fault = exact_tex(b, spec, &a, &value.u.bump.tex)))
        return fault;
    value.u.bump.otex = given ? otex : strchr(flags, 'o') != NULL;
    return set(b, STN_SLOT_BUMP, &value);
}

static bool color_at(const stn_mat_spec *spec, uint32_t i, float out[4])
{
    uint8_t bytes[4];
    if (i >= spec->args.count || stn_value_as_color(&spec->args.items[i], bytes, NULL) != STN_OK)
        return false;
    for (int c = 0; c < 4; c++)
        out[c] = (float)bytes[c] / 255.0f;
    return true;
}

static stn_sprite_fault part_col(building *b, const stn_mat_spec *spec)
{
    stn_state_value value = {0};
    float *const colors[4] = {value.u.phong.ambient, value.u.phong.diffuse, value.u.phong.specular,
                              value.u.phong.emission};
    bool floats = spec->args.count > 0 && spec->args.items[0].kind == STN_VALUE_FCOLOR;

    if (spec->args.count < 5)
        return malformed(b, spec, "four colours and a number");
    for (uint32_t i = 0; i < 4; i++) {
        const stn_value *v = &spec->args.items[i];
        if (floats && v->kind == STN_VALUE_FCOLOR)
            memcpy(colors[i], v->u.fcolor, sizeof v->u.fcolor);
        else if (floats || !color_at(spec, i, colors[i]))
            return malformed(b, spec, "four colours of one kind");
    }
    if (stn_value_as_float(&spec->args.items[4], &value.u.phong.shine, NULL) != STN_OK)
        return malformed(b, spec, "a number as shininess");
    return set(b, STN_SLOT_PHONG, &value);
}

static const char *text_at(const stn_mat_spec *spec, uint32_t i)
{
    const char *text = NULL;
    if (i < spec->args.count && stn_value_as_text(&spec->args.items[i], &text, NULL) != STN_OK)
        text = NULL;
    return text;
}

static stn_sprite_fault part_light(building *b, const stn_mat_spec *spec)
{
    const char *text = text_at(spec, 0);
    if (!text || (strcmp(text, "def") != 0 && strcmp(text, "n") != 0))
        return malformed(b, spec, "\"def\" or \"n\"");
    return STN_SPRITE_OK;
}

static stn_sprite_fault part_cel(building *b, const stn_mat_spec *spec)
{
    stn_state_value value = {0};
    const char *text = text_at(spec, 0);

    if (spec->args.count > 0 && !text)
        return malformed(b, spec, "text, or nothing");
    value.u.cel.diffuse = !text || strchr(text, 'd');
    value.u.cel.specular = text && strchr(text, 's');
    return set(b, STN_SLOT_CEL, &value);
}

static stn_sprite_fault part_color(building *b, const stn_mat_spec *spec)
{
    stn_state_value value = {0};
    if (!color_at(spec, 0, value.u.color))
        return malformed(b, spec, "a colour");
    return set(b, strcmp(spec->name, "vcol") == 0 ? STN_SLOT_BASECOLOR : STN_SLOT_ENVREF, &value);
}

static stn_sprite_fault part_texrot(building *b, const stn_mat_spec *spec)
{
    stn_state_value value = {0};
    for (uint32_t i = 0; i < 2; i++)
        if (i >= spec->args.count ||
            stn_value_as_float(&spec->args.items[i], &value.u.rot[i], NULL) != STN_OK)
            return malformed(b, spec, "two numbers");
    return set(b, STN_SLOT_TEXROT, &value);
}

static bool blend_triple(const char *text, uint8_t *fn, uint8_t *src, uint8_t *dst)
{
    static const char fns[] = "+-_<>", factors[] = "01aAcC";
    const char *f = strchr(fns, text[0]), *s = strchr(factors, text[1]), *d = strchr(factors, text[2]);
    if (!f || !s || !d)
        return false;
    *fn = (uint8_t)(f - fns);
    *src = (uint8_t)(s - factors);
    *dst = (uint8_t)(d - factors);
    return true;
}

static stn_sprite_fault part_blend(building *b, const stn_mat_spec *spec)
{
    stn_state_value value = {0};
    stn_sprite_blend *to = &value.u.blend;
    const char *text = text_at(spec, 0);

    if (!text || strlen(text) < 3 || !blend_triple(text, &to->fn, &to->src, &to->dst) ||
        !blend_triple(strlen(text) >= 6 ? text + 3 : text, &to->alpha_fn, &to->alpha_src, &to->alpha_dst))
        return malformed(b, spec, "function and factors, as in \"+aA\"");
    return set(b, STN_SLOT_BLEND, &value);
}

static stn_sprite_fault part_order(building *b, const stn_mat_spec *spec)
{
    static const struct {
        const char *name;
        int32_t main;
    } orders[] = {{"first", INT32_MIN}, {"def", 0},    {"premap", 990}, {"postmap", 1010},
                  {"earlyeye", 4500},   {"pfx", 5500}, {"eye", 10000},  {"last", INT32_MAX}};
    const char *text = text_at(spec, 0);
    stn_state_value value = {0};

    for (size_t i = 0; text && i < sizeof orders / sizeof *orders; i++)
        if (strcmp(text, orders[i].name) == 0) {
            value.u.order.main = orders[i].main;
            return set(b, STN_SLOT_ORDER, &value);
        }
    return malformed(b, spec, "one of first, def, premap, postmap, earlyeye, pfx, eye, last");
}

static stn_sprite_fault part_flag(building *b, const stn_mat_spec *spec)
{
    static const stn_state_value on = {0};
    if (strcmp(spec->name, "nofacecull") == 0)
        return nothing(b, STN_SLOT_FACECULL);
    if (strcmp(spec->name, "maskcol") == 0)
        return nothing(b, STN_SLOT_FRAGCOL);
    if (strcmp(spec->name, "masknorm") == 0)
        return nothing(b, STN_SLOT_NORMAL);
    return set(b, strcmp(spec->name, "maskdepth") == 0 ? STN_SLOT_MASKDEPTH : STN_SLOT_MASKSHADOW, &on);
}

static stn_sprite_fault part_latent(building *b, const stn_mat_spec *spec)
{
    const char *text = text_at(spec, 0);
    stn_op *op;

    if (!text)
        return malformed(b, spec, "the latent material's id");
    if (!(op = add_op(b, &b->dynamics, STN_OP_ACTIVATE, STN_SLOT_LATENT)))
        return no_memory(b);
    op->id = text;
    return STN_SPRITE_OK;
}

static stn_sprite_fault build_specs(building *b, const stn_res_mat *mat);

static stn_sprite_fault part_mlink(building *b, const stn_mat_spec *spec)
{
    args a;
    const stn_sprite_res *outer = b->res;
    const stn_res_mat *mat;
    stn_sprite_fault fault = read_args(b, spec, "?@res, id", &a);

    if (fault)
        return fault;
    if (b->depth == MLINK_DEPTH)
        return malformed(b, spec, "fewer than 16 links to materials in a row");
    if (!(mat = stn_material_find(a.res, a.id)))
        return stn_sprite_fail(b->err, STN_SPRITE_LOAD_ERROR,
                               "%.80s: links to material %d, which %.80s lacks", b->res->name, a.id,
                               a.res->name);
    b->depth++;
    b->res = a.res;
    fault = build_specs(b, mat);
    b->res = outer;
    b->depth--;
    return fault;
}

static stn_sprite_fault build_one(building *b, const stn_mat_spec *spec)
{
    static const struct {
        const char *name;
        stn_sprite_fault (*fn)(building *b, const stn_mat_spec *spec);
    } parts[] = {
        {"tex", part_tex},      {"col", part_col},        {"otex", part_otex},     {"mlink", part_mlink},
        {"vcol", part_color},   {"order", part_order},    {"blend", part_blend},   {"nofacecull", part_flag},
        {"maskcol", part_flag}, {"maskdepth", part_flag}, {"masknorm", part_flag}, {"maskshadow", part_flag},
        {"light", part_light},  {"cel", part_cel},        {"pal", part_pal},       {"bump", part_bump},
        {"envref", part_color}, {"texrot", part_texrot},  {"latent", part_latent},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(spec->name, parts[i].name) == 0)
            return parts[i].fn(b, spec);
    b->unknown++; /* unknown names and served code (name:version) are left out */
    return STN_SPRITE_OK;
}

static stn_sprite_fault build_specs(building *b, const stn_res_mat *mat)
{
    for (uint32_t i = 0; i < mat->count; i++) {
        stn_sprite_fault fault = build_one(b, &mat->specs[i]);
        if (fault)
            return fault;
    }
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_material_build(const stn_sprite_source *source, const stn_sprite_res *res,
                                    const stn_res_mat *mat, stn_arena *arena, stn_sprite_mat *out,
                                    stn_err *err)
{
    building b = {.source = source, .res = res, .arena = arena, .err = err};
    stn_sprite_fault fault = build_specs(&b, mat);

    if (fault)
        return fault;
    *out = (stn_sprite_mat){
        .res = res,
        .id = mat->id,
        .statics = {b.statics.items, b.statics.count},
        .dynamics = {b.dynamics.items, b.dynamics.count},
        .unknown = b.unknown,
    };
    return STN_SPRITE_OK;
}
