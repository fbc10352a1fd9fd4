/* vec-sprites DIR: every case of the sprite vectors. */
#include "sprites/sprites.h"

#include "base/bytes.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RES 256

static struct loaded {
    stn_sprite_res res;
    char name[128];
} loaded[MAX_RES];
static size_t n_loaded;

const stn_sprite_res *vs_res(vec_sprites *v, const char *name)
{
    char path[600];
    size_t len;
    uint8_t *data;
    stn_res *res;
    stn_err err = {0};

    for (size_t i = 0; i < n_loaded; i++)
        if (strcmp(loaded[i].name, name) == 0)
            return &loaded[i].res;
    snprintf(path, sizeof path, "res/%s.res", name);
    data = vec_read(v->dir, path, &len);
    if (!data) {
        const char *last = strrchr(name, '/');
        snprintf(path, sizeof path, "../resources/real/%s.res", last ? last + 1 : name);
        data = vec_read(v->dir, path, &len);
    }
    if (!data || n_loaded == MAX_RES)
        return NULL;
    if (stn_res_new(data, len, NULL, &res, NULL, &err) != STN_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        free(data);
        return NULL;
    }
    free(data);
    snprintf(loaded[n_loaded].name, sizeof loaded[n_loaded].name, "%s", name);
    loaded[n_loaded].res = (stn_sprite_res){loaded[n_loaded].name, stn_res_version(res), res};
    return &loaded[n_loaded++].res;
}

void vs_free_resources(void)
{
    while (n_loaded > 0)
        stn_res_free((stn_res *)(uintptr_t)loaded[--n_loaded].res.res);
}

bool vs_have(vec_sprites *v, const char *name)
{
    if (vs_res(v, name))
        return true;
    if (stn_text_starts(name, "test/"))
        vec_fail(v->report, "%s: the resource is not in the folder or does not load", name);
    else
        vec_skip(v->report, "%s: the real resource is not at hand", name);
    return false;
}

static stn_sprite_fault get(void *user, const char *name, int32_t version, const stn_sprite_res **out,
                            stn_err *err)
{
    *out = vs_res(user, name);
    if (!*out)
        return stn_sprite_fail(err, STN_SPRITE_LOAD_FAILED, "%s is not there", name);
    if (version >= 0 && version != 65535 && version > (*out)->version)
        return stn_sprite_fail(err, STN_SPRITE_LOAD_FAILED, "%s: version %d wanted, %d there", name, version,
                               (*out)->version);
    return STN_SPRITE_OK;
}

stn_sprite_ctx *vs_ctx(vec_sprites *v)
{
    stn_sprite_ctx *ctx = stn_sprite_ctx_new(&v->source, &v->rnd, NULL);
    if (!ctx) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return ctx;
}

const char *vs_floats(const float *f, size_t n, char *out, size_t cap)
{
    size_t at = 0;
    out[0] = 0;
    for (size_t i = 0; i < n && at < cap; i++)
        at += (size_t)snprintf(out + at, cap - at, "%s%08x", i ? " " : "", stn_bits_of_f32(f[i]));
    return out;
}

bool vs_parse_floats(const char *text, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned bits;
        int used;
        if (sscanf(text, " %8x%n", &bits, &used) != 1)
            return false;
        out[i] = stn_f32_of_bits(bits);
        text += used;
    }
    return true;
}

float vs_float(const char *bits)
{
    return stn_f32_of_bits((uint32_t)strtoul(bits, NULL, 16));
}

uint64_t vs_u64(const char *bits)
{
    return strtoull(bits, NULL, 16);
}

double vs_double(const char *bits)
{
    return stn_f64_of_bits(vs_u64(bits));
}

uint8_t *vs_sdt(const char *hex, size_t *len)
{
    uint8_t *bytes = vec_unhex(hex, len);
    if (!bytes) {
        fprintf(stderr, "state bytes \"%s\": not hex\n", hex);
        exit(1);
    }
    return bytes;
}

const char *vs_mesh(const stn_sprite_res *res, const stn_res_layer *layer, char *out, size_t cap)
{
    unsigned index = 0;
    for (const stn_res_layer *l = stn_res_first(res->res, STN_LAYER_MESH); l && l != layer;
         l = stn_res_next(res->res, STN_LAYER_MESH, l))
        index++;
    snprintf(out, cap, "mesh:%s#%d@%u", res->name, layer->as.mesh->id, index);
    return out;
}

static json_t *tex_text(const stn_tex_ref *tex)
{
    return json_sprintf("tex:%s#%d", tex->res->name, tex->tex->id);
}

static json_t *phong_text(const stn_phong *p)
{
    char a[64], d[64], s[64], e[64], h[16];
    return json_sprintf("%s|%s|%s|%s|%s", vs_floats(p->emission, 4, e, sizeof e),
                        vs_floats(p->ambient, 4, a, sizeof a), vs_floats(p->diffuse, 4, d, sizeof d),
                        vs_floats(p->specular, 4, s, sizeof s), vs_floats(&p->shine, 1, h, sizeof h));
}

static json_t *order_text(const stn_order *o)
{
    return o->composite ? json_sprintf("%d:%d:%d", o->main, o->z1, o->z2) : json_sprintf("%d", o->main);
}

static json_t *slot_text(const stn_state *state, stn_sprite_slot slot, const stn_dyn *morph)
{
    const stn_state_value *value = &state->values[slot];
    char text[200], a[16];

    switch (slot) {
    case STN_SLOT_LOC:
        return json_string(vs_floats(value->u.loc->world.m, 16, text, sizeof text));
    case STN_SLOT_TEX:
    case STN_SLOT_TEXCLIP:
    case STN_SLOT_TEXPAL:
        return tex_text(&value->u.tex);
    case STN_SLOT_PHONG:
        return phong_text(&value->u.phong);
    case STN_SLOT_ORDER:
        return order_text(&value->u.order);
    case STN_SLOT_BASECOLOR:
        return json_string(vs_floats(value->u.color, 4, text, sizeof text));
    case STN_SLOT_FACECULL:
        return json_string("BACK");
    case STN_SLOT_DEPTHTEST:
        return json_string("Depthtest");
    case STN_SLOT_MASKDEPTH:
        return json_string("set");
    case STN_SLOT_OTEX:
        return json_string("otex");
    case STN_SLOT_CEL:
        return json_string("CelShade");
    case STN_SLOT_BLEND:
        return json_string("FragBlend");
    case STN_SLOT_TEXROT:
        return json_string(vs_floats(value->u.rot, 2, text, sizeof text));
    case STN_SLOT_LATENT:
        return json_sprintf("latent:%s", value->u.latent.id);
    case STN_SLOT_MORPH:
        return json_sprintf("bones:%u", morph ? morph->vbuf->bone_count : value->u.number);
    case STN_SLOT_MANIM:
        return json_sprintf("manim:%s@%d", value->u.wrap->manim_res->name, value->u.wrap->slot);
    case STN_SLOT_MAFRAME:
        return json_sprintf("%u:%u:%s", value->u.maframe.from, value->u.maframe.to,
                            vs_floats(&value->u.maframe.a, 1, a, sizeof a));
    default:
        return NULL;
    }
}

/* The keys that the files speak of; other slots are not theirs. */
static bool told(stn_sprite_slot slot)
{
    switch (slot) {
    case STN_SLOT_LOC:
    case STN_SLOT_TEX:
    case STN_SLOT_TEXCLIP:
    case STN_SLOT_PHONG:
    case STN_SLOT_ORDER:
    case STN_SLOT_FACECULL:
    case STN_SLOT_DEPTHTEST:
    case STN_SLOT_MASKDEPTH:
    case STN_SLOT_BASECOLOR:
    case STN_SLOT_OTEX:
    case STN_SLOT_CEL:
    case STN_SLOT_TEXROT:
    case STN_SLOT_LATENT:
    case STN_SLOT_BLEND:
    case STN_SLOT_CLICK:
    case STN_SLOT_MANIM:
    case STN_SLOT_MAFRAME:
    case STN_SLOT_MORPH:
        return true;
    default:
        return false;
    }
}

json_t *vs_state_of(const stn_state *state, const stn_dyn *morph, bool without_maframe)
{
    json_t *map = json_object();

    for (int i = 0; i < STN_SLOTS; i++) {
        stn_sprite_slot slot = (stn_sprite_slot)i;
        if (state->presence[i] == STN_UNSET || !told(slot) || (without_maframe && slot == STN_SLOT_MAFRAME))
            continue;
        if (state->presence[i] == STN_NOTHING)
            json_object_set_new(map, stn_slot_name(slot), json_string("none"));
        else
            json_object_set_new(map, stn_slot_name(slot), slot_text(state, slot, morph));
    }
    return map;
}

json_t *vs_state(const stn_leaf *leaf, bool without_maframe)
{
    return vs_state_of(leaf->state, leaf->morph, without_maframe);
}

bool vs_same(vec_sprites *v, const json_t *want, const json_t *got, const char *what)
{
    char *a, *b;
    bool same = json_equal(want, got);

    if (same)
        return true;
    a = json_dumps(want, JSON_ENCODE_ANY | JSON_SORT_KEYS);
    b = json_dumps(got, JSON_ENCODE_ANY | JSON_SORT_KEYS);
    vec_fail(v->report, "%s:\n  want %.1500s\n  got  %.1500s", what, a ? a : "?", b ? b : "?");
    free(a);
    free(b);
    return false;
}

bool vs_same_fault(const char *want, stn_sprite_fault got)
{
    for (int i = 1; i <= STN_SPRITE_NO_MEMORY; i++)
        if (strcmp(want, stn_sprite_fault_name((stn_sprite_fault)i)) == 0)
            return got == (stn_sprite_fault)i;
    return got == STN_SPRITE_MALFORMED; /* Java-style names: any other error */
}

json_t *vs_get(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!value) {
        fprintf(stderr, "key \"%s\" is missing in the file\n", key);
        exit(1);
    }
    return value;
}

const char *vs_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static float next_global(void *user)
{
    return stn_j48_float(user);
}

int main(int argc, char **argv)
{
    vec_report report = {0};
    vec_sprites v = {.report = &report};

    if (argc != 2) {
        fprintf(stderr, "usage: vec-sprites DIR\n");
        return 64;
    }
    v.dir = argv[1];
    v.source = (stn_sprite_source){get, &v};
    v.global = stn_obj_random_seeded(1);
    v.rnd = (stn_rnd){next_global, &v.global.j48};
    vs_flags(&v);
    vs_factory(&v);
    vs_parts(&v);
    vs_rebuild(&v);
    vs_compose(&v);
    vs_pose(&v);
    vs_poser(&v);
    vs_bones(&v);
    vs_manim(&v);
    vs_place(&v);
    vs_random(&v);
    vs_composite(&v);
    vs_light(&v);
    vs_free_resources();
    return vec_done(&report);
}
