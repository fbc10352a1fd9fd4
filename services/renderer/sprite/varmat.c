#include "renderer/sprite/varmat.h"

#include <string.h>

stn_sprite_fault stn_varmat_resolve(stn_sprite_ctx *ctx, const stn_varmat_entry *entries, uint32_t n,
                                    stn_varmat *out, stn_err *err)
{
    if (n == 0 || n > STN_VARMAT_SLOTS)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "variable materials: %u entries, expected 1 to %d",
                               n, STN_VARMAT_SLOTS);
    for (uint32_t i = 0; i < n; i++) {
        const stn_sprite_res *res;
        const stn_res_mat *mat;
        stn_sprite_fault fault =
            stn_sprite_get(stn_sprite_ctx_source(ctx), entries[i].name, entries[i].version, &res, err);
        if (fault)
            return fault;
        if (!(mat = stn_material_find(res, entries[i].id)))
            return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "variable materials: %.80s has no material %d",
                                   res->name, entries[i].id);
        if ((fault = stn_sprite_material(ctx, res, mat, &out->slots[i], err)))
            return fault;
    }
    out->count = n;
    return STN_SPRITE_OK;
}

/* As the reference's decimal parser takes it: an optional sign, digits, nothing else, 32 bits. */
static bool decimal(const char *text, int32_t *out)
{
    bool negative = *text == '-';
    int64_t v = 0;

    if (*text == '-' || *text == '+')
        text++;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || v > INT32_MAX)
            return false;
        v = v * 10 + (*text - '0');
    }
    if (negative)
        v = -v;
    if (v > INT32_MAX || v < INT32_MIN)
        return false;
    *out = (int32_t)v;
    return true;
}

stn_sprite_fault stn_varmat_tag(const stn_res_mesh *mesh, int32_t *slot, stn_err *err)
{
    const stn_value *tag = stn_entries_get(&mesh->rdat, "vm");
    const char *text;

    *slot = -1;
    if (!tag)
        return STN_SPRITE_OK;
    if (stn_value_as_text(tag, &text, NULL) != STN_OK || !decimal(text, slot))
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "mesh %d: tag vm is no decimal number", mesh->id);
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_varmat_operate(void *user, stn_sprite_build *build, stn_err *err)
{
    const stn_varmat *mats = user;

    for (uint32_t i = 0; i < stn_build_parts(build); i++) {
        stn_sprite_part *part = stn_sprite_build_part(build, i);
        stn_wrap wrap = {.kind = STN_WRAP_VARIABLE};
        stn_sprite_fault fault;
        if (part->kind != STN_PART_MESH)
            continue;
        if ((fault = stn_varmat_tag(part->layer->as.mesh, &wrap.slot, err)))
            return fault;
        if (wrap.slot < 0 || (uint32_t)wrap.slot >= mats->count || !mats->slots[wrap.slot])
            continue;
        wrap.material = mats->slots[wrap.slot];
        if (!stn_build_wrap_first(build, part, &wrap))
            return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "variable materials");
    }
    return STN_SPRITE_OK;
}
