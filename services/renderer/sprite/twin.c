/* twin.c - the sprites of served classes that have a native twin, by their number in the registry. */
#include "renderer/sprite/internal.h"

const stn_twin *stn_twin_of(stn_native_id id)
{
    static const stn_twin *const twins[] = {&stn_twin_tree,     &stn_twin_growing, &stn_twin_trellis,
                                            &stn_twin_gaussian, &stn_twin_flicker, &stn_twin_smoke,
                                            &stn_twin_site,     &stn_twin_decal,   &stn_twin_dyntex};

    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (twins[i]->id == id)
            return twins[i];
    return NULL;
}

stn_sprite_fault stn_numbered(const stn_sprite *sprite, uint16_t number, const stn_sprite_res **out,
                              stn_err *err)
{
    const stn_sprite_object *o = sprite->object;

    if (!o || !o->resource)
        return stn_sprite_fail(err, STN_SPRITE_RESOURCE,
                               "%.80s: resource number %u, and no session to ask what it is",
                               sprite->res->name, number);
    return o->resource(o->resource_user, number, out, err);
}

stn_sprite_fault stn_twin_child(stn_sprite *sprite, const char *name, int32_t version, stn_sprite **out,
                                stn_err *err)
{
    const stn_sprite_res *res;
    stn_sprite_fault fault = stn_sprite_get(stn_sprite_ctx_source(sprite->ctx), name, version, &res, err);

    *out = NULL;
    if (!fault)
        fault = stn_sprite_make(sprite->ctx, sprite->object, res, NULL, 0, sprite->depth + 1, out, err);
    if (!fault || fault == STN_SPRITE_LOADING || fault == STN_SPRITE_NO_MEMORY)
        return fault;
    stn_ctx_unknown(sprite->ctx, "resource of a native twin", name);
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_twin_tick_child(stn_sprite *child, double dt, stn_err *err)
{
    bool done = false;

    return child ? stn_sprite_tick(child, dt, &done, err) : STN_SPRITE_OK;
}
