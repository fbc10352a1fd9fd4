/* factory.c - which kind of sprite a resource makes. Source: docs/spec/sprites.md 3, 21. */
#include "renderer/sprite/internal.h"

#include <string.h>

static bool has_shape(const stn_res *res)
{
    return stn_res_first(res, STN_LAYER_MESH) || stn_res_first(res, STN_LAYER_RLINK);
}

static bool carries_class(const stn_res *res, const char *cls)
{
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res, STN_LAYER_CODE, l)) != NULL;)
        if (strcmp(l->as.code->name, cls) == 0)
            return true;
    return false;
}

static int32_t carrier_version(const stn_sprite_res *res, const stn_res_codeentry *code,
                               const stn_native *native)
{
    for (uint32_t i = 0; native && i < code->use_count; i++)
        if (strcmp(code->uses[i].res.name, native->carrier) == 0)
            return code->uses[i].res.version;
    return res->version;
}

/* Whether anybody has the class: the resource, or what its codeentry layer uses. */
static stn_sprite_fault find_class(stn_sprite_ctx *ctx, const stn_sprite_res *res,
                                   const stn_res_codeentry *code, const char *cls, bool *found, stn_err *err)
{
    *found = carries_class(res->res, cls);
    for (uint32_t i = 0; !*found && i < code->use_count; i++) {
        const stn_sprite_res *used;
        stn_sprite_fault fault;
        if (!code->uses[i].res.name[0])
            continue;
        fault = stn_sprite_get(stn_sprite_ctx_source(ctx), code->uses[i].res.name, code->uses[i].res.version,
                               &used, err);
        if (fault)
            return fault;
        *found = carries_class(used->res, cls);
    }
    return STN_SPRITE_OK;
}

/* By a twin of ours, for the versions it knows; then the server's carrier need not even be there. A class
 * that nobody carries is a fault of the resource; one that we have no twin of is drawn as far as we can. */
static stn_sprite_fault by_class(stn_sprite_ctx *ctx, const stn_sprite_res *res,
                                 const stn_res_codeentry *code, const char *cls, stn_sprite_kind *kind,
                                 const stn_twin **twin, stn_err *err)
{
    const stn_native *native;
    stn_native_match match = stn_native_sprite(res->name, res->version, code, &native);
    bool carried = match != STN_NATIVE_UNKNOWN;
    stn_sprite_fault fault = carried ? STN_SPRITE_OK : find_class(ctx, res, code, cls, &carried, err);

    if (fault)
        return fault;
    if (!carried)
        return stn_sprite_fail(err, STN_SPRITE_LOAD_ERROR,
                               "%.80s: sprite class \"%.60s\" is in no code layer", res->name, cls);
    *kind = has_shape(res->res) ? STN_SPRITE_MOD : STN_SPRITE_BARE;
    native = stn_ctx_native(ctx, match, native, "sprite class", cls, carrier_version(res, code, native));
    if (!native)
        return STN_SPRITE_OK;
    *twin = stn_twin_of(native->id);
    *kind = *twin ? STN_SPRITE_NATIVE : STN_SPRITE_MOD;
    return STN_SPRITE_OK;
}

static bool has_audio(const stn_res *res, const char *id)
{
    return stn_res_find_text(res, STN_LAYER_AUDIO, id) != NULL;
}

static stn_sprite_kind by_layers(const stn_res *res)
{
    if (has_shape(res))
        return STN_SPRITE_MOD;
    if (has_audio(res, "cl"))
        return STN_SPRITE_AUDIO_CLIP;
    if (has_audio(res, "rep"))
        return STN_SPRITE_AUDIO_REPEAT;
    if (has_audio(res, "amb") || stn_res_first(res, STN_LAYER_CLAMB))
        return STN_SPRITE_AUDIO_AMBIENCE;
    return STN_SPRITE_BARE;
}

/* A `slink` layer: the sprite of another resource, chosen by the ground under the object. */
static stn_sprite_fault follow_slink(const stn_sprite_object *object, const stn_sprite_res *res,
                                     const stn_res_slink *slink, const stn_resref **out, stn_err *err)
{
    int32_t at = slink->root;

    *out = NULL;
    if (at < 0)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: slink root %d is not defined", res->name,
                               slink->root_id);
    for (;;) {
        const stn_slink_entry *e = &slink->entries[at];
        int32_t next = e->fallback;
        bool chosen = false;
        if (!e->is_switch) {
            *out = &e->res;
            return STN_SPRITE_OK;
        }
        for (uint32_t i = 0; i < e->count && !chosen; i++)
            for (uint32_t t = 0; object && t < object->n_tile_tags && !chosen; t++)
                if (strcmp(object->tile_tags[t], e->branches[i].tag) == 0) {
                    next = e->branches[i].entry;
                    chosen = true;
                }
        if (next < 0 && chosen)
            return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: slink branch leads nowhere", res->name);
        if (next < 0)
            return STN_SPRITE_OK; /* no default: nothing here, the other factories have their turn */
        at = next; /* entries point at earlier ones only: this ends */
    }
}

stn_sprite_fault stn_sprite_make(stn_sprite_ctx *ctx, const stn_sprite_object *object,
                                 const stn_sprite_res *res, const uint8_t *sdt, size_t len, unsigned depth,
                                 stn_sprite **out, stn_err *err)
{
    const stn_res_layer *code = stn_res_first(res->res, STN_LAYER_CODEENTRY);
    const stn_res_layer *slink = stn_res_first(res->res, STN_LAYER_SLINK);
    stn_values args;
    const char *cls = code ? stn_res_codeentry_get(code->as.codeentry, "spr", &args) : NULL;
    stn_sprite_kind kind = STN_SPRITE_BARE;
    const stn_twin *twin = NULL;
    stn_sprite_fault fault;

    *out = NULL;
    if (depth >= STN_SPRITE_DEPTH)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: more than %d links in a row", res->name,
                               STN_SPRITE_DEPTH);
    if (cls && strcmp(cls, "mod") == 0) {
        kind = STN_SPRITE_MOD;
    } else if (cls && strcmp(cls, "static") == 0) {
        kind = STN_SPRITE_STATIC;
    } else if (cls) {
        if ((fault = by_class(ctx, res, code->as.codeentry, cls, &kind, &twin, err)))
            return fault;
    } else {
        if (slink) {
            const stn_resref *ref;
            const stn_sprite_res *target;
            if ((fault = follow_slink(object, res, slink->as.slink, &ref, err)))
                return fault;
            if (ref) {
                if ((fault =
                         stn_sprite_get(stn_sprite_ctx_source(ctx), ref->name, ref->version, &target, err)))
                    return fault;
                return stn_sprite_make(ctx, object, target, sdt, len, depth + 1, out, err);
            }
        }
        kind = by_layers(res->res);
    }
    return stn_sprite_construct(ctx, object, res, kind, twin, sdt, len, depth, out, err);
}

stn_sprite_fault stn_sprite_new(stn_sprite_ctx *ctx, const stn_sprite_object *object,
                                const stn_sprite_res *res, const uint8_t *sdt, size_t len, stn_sprite **out,
                                stn_err *err)
{
    return stn_sprite_make(ctx, object, res, sdt, len, 0, out, err);
}
