#include "res/natives.h"

#include <string.h>
#include <strings.h>

static const stn_native natives[] = {
    {STN_NATIVE_VARMAT, "lib/vmat", {39}, "objdelta", NULL, false, false},
    {STN_NATIVE_MOD, "lib/vmat", {39}, "spr", NULL, true, false},
    {STN_NATIVE_TREE, "lib/tree", {14, 15}, "spr", NULL, false, false},
    {STN_NATIVE_SWAY, "lib/svaj", {24, 25}, "objdelta", NULL, false, false},
    {STN_NATIVE_GROWING, "lib/plants", {10, 11}, "spr", "grow", false, false},
    {STN_NATIVE_TRELLIS, "lib/plants", {10, 11}, "spr", "trellis", false, false},
    {STN_NATIVE_GAUSSIAN, "lib/gplant", {1}, "spr", NULL, false, false},
    {STN_NATIVE_FLICKER, "gfx/fx/flight", {6}, "spr", NULL, false, false},
    {STN_NATIVE_FLICKER_LINK, "gfx/fx/flight", {6}, "rlink", NULL, false, false},
    {STN_NATIVE_SMOKE, "gfx/fx/ismoke", {105, 111}, "spr", NULL, false, true},
    {STN_NATIVE_SITE, "gfx/terobjs/consobj", {32, 35}, "spr", NULL, true, false},
    {STN_NATIVE_DECAL, "gfx/terobjs/items/decal", {4}, "spr", NULL, false, false},
    /* No version of this one was ever seen: what is known of it holds for all until one differs. */
    {STN_NATIVE_DYNTEX, "lib/dynspr", {0}, "spr", NULL, false, false},
    {STN_NATIVE_NAME, "homestead/people/name", {0}, "objdelta", NULL, false, false},
};

const stn_native *stn_natives(size_t *count)
{
    *count = sizeof natives / sizeof *natives;
    return natives;
}

/* Whether the class is in the package that belongs to the carrier: "haven.res." and its path with points. */
static bool of_carrier(const char *carrier, const char *cls, const char *own_name)
{
    static const char prefix[] = "haven.res.";
    size_t n = (size_t)(own_name - cls);

    if (n == 0)
        return true;
    if (strncmp(cls, prefix, sizeof prefix - 1) != 0 || n != strlen(carrier) + sizeof prefix)
        return false;
    cls += sizeof prefix - 1;
    for (; *carrier; carrier++, cls++) {
        char c = *carrier == '/' ? '.' : *carrier == '-' ? '_' : *carrier;
        if (*cls != c)
            return false;
    }
    return true;
}

static bool is_class(const stn_native *n, const char *cls)
{
    const char *own_name = strrchr(cls, '.');

    own_name = own_name ? own_name + 1 : cls;
    return of_carrier(n->carrier, cls, own_name) && (!n->word || strcasestr(own_name, n->word));
}

static bool knows(const stn_native *n, int32_t version)
{
    if (version < 0 || version == 65535 || n->versions[0] == 0)
        return true;
    for (int i = 0; i < STN_NATIVE_VERSIONS && n->versions[i]; i++)
        if (n->versions[i] == version)
            return true;
    return false;
}

stn_native_match stn_native_find(const char *carrier, int32_t version, const char *entry, const char *cls,
                                 const stn_native **out)
{
    *out = NULL;
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
        const stn_native *n = &natives[i];
        if (strcmp(n->carrier, carrier) != 0 || strcmp(n->entry, entry) != 0 || (cls && !is_class(n, cls)))
            continue;
        *out = n;
        return knows(n, version) ? STN_NATIVE_FOUND : STN_NATIVE_OTHER_VERSION;
    }
    return STN_NATIVE_UNKNOWN;
}

stn_native_match stn_native_sprite(const char *name, int32_t version, const stn_res_codeentry *code,
                                   const stn_native **out)
{
    stn_values args;
    const char *cls = stn_res_codeentry_get(code, "spr", &args);

    *out = NULL;
    if (!cls)
        return STN_NATIVE_UNKNOWN;
    for (uint32_t i = 0; i < code->use_count; i++) {
        const stn_resref *used = &code->uses[i].res;
        stn_native_match match =
            used->name[0] ? stn_native_find(used->name, used->version, "spr", cls, out) : STN_NATIVE_UNKNOWN;
        if (match != STN_NATIVE_UNKNOWN)
            return match;
    }
    return stn_native_find(name, version, "spr", cls, out);
}

void stn_sprite_facts_layer(stn_sprite_facts *facts, const char *type, const stn_res_layer *layer)
{
    switch (stn_layer_kind_of(type)) {
    case STN_LAYER_MESH:
    case STN_LAYER_RLINK:
        facts->shape = true;
        break;
    case STN_LAYER_SLINK:
        facts->slink = true;
        break;
    case STN_LAYER_CLAMB:
        facts->ambience = true;
        break;
    case STN_LAYER_AUDIO:
        if (layer) {
            const char *id = stn_res_layer_text_id(layer);
            facts->clip |= strcmp(id, "cl") == 0;
            facts->repeat |= strcmp(id, "rep") == 0;
            facts->ambience |= strcmp(id, "amb") == 0;
        }
        break;
    case STN_LAYER_CODEENTRY:
        if (layer && !facts->code)
            facts->code = layer->as.codeentry;
        break;
    default:
        break;
    }
}

stn_sprite_facts stn_sprite_facts_of(const stn_res *res)
{
    stn_sprite_facts facts = {0};

    for (uint32_t i = 0; i < stn_res_count(res); i++) {
        const stn_res_layer *layer = stn_res_layer_at(res, i);
        if (layer->kind != STN_LAYER_UNKNOWN)
            stn_sprite_facts_layer(&facts, layer->type, layer);
    }
    return facts;
}

stn_sprite_traits stn_sprite_traits_of(const char *name, int32_t version, const stn_sprite_facts *facts)
{
    const stn_native *native;
    stn_values args;
    const char *cls = facts->code ? stn_res_codeentry_get(facts->code, "spr", &args) : NULL;

    if (cls && strcmp(cls, "mod") == 0)
        return (stn_sprite_traits){.live_update = true};
    if (cls && strcmp(cls, "static") == 0)
        return (stn_sprite_traits){0};
    if (cls && stn_native_sprite(name, version, facts->code, &native) == STN_NATIVE_FOUND)
        return (stn_sprite_traits){native->live_update, native->deferred_end};
    /* Without a twin the sprite is what its layers make: the same fallback as the drawing side's. */
    if (facts->shape && !(facts->slink && !cls))
        return (stn_sprite_traits){.live_update = true};
    /* A sound that goes on fades out, or plays its closing part. */
    if (!cls && !facts->slink && (facts->repeat || facts->ambience) && !facts->clip)
        return (stn_sprite_traits){.deferred_end = true};
    return (stn_sprite_traits){0};
}
