#include "renderer/sprite/internal.h"

#include "base/table.h"

#include <stdio.h>
#include <stdlib.h>

#define STN_CTX_UNKNOWNS 1024 /* more are neither said nor counted */

struct stn_sprite_ctx {
    stn_sprite_source source;
    stn_rnd *rnd;
    stn_sprite_report report;
    stn_arena *arena; /* materials */
    stn_table *materials; /* by layer */
    stn_names *said; /* names reported as unknown: the same texts as … */
    const char *said_name[STN_CTX_UNKNOWNS], *said_what[STN_CTX_UNKNOWNS]; /* … here, in order */
    uint32_t n_said;
    uint64_t added, removed;
    stn_wind wind;
};

stn_sprite_ctx *stn_sprite_ctx_new(const stn_sprite_source *source, stn_rnd *rnd,
                                   const stn_sprite_report *report)
{
    stn_sprite_ctx *ctx = calloc(1, sizeof *ctx);

    if (!ctx)
        return NULL;
    ctx->source = *source;
    ctx->rnd = rnd;
    if (report)
        ctx->report = *report;
    ctx->arena = stn_arena_new(16 << 10, 0);
    ctx->materials = stn_table_new();
    ctx->said = stn_names_new();
    if (!ctx->arena || !ctx->materials || !ctx->said) {
        stn_sprite_ctx_free(ctx);
        return NULL;
    }
    return ctx;
}

void stn_sprite_ctx_free(stn_sprite_ctx *ctx)
{
    if (!ctx)
        return;
    stn_arena_free(ctx->arena);
    stn_table_free(ctx->materials);
    stn_names_free(ctx->said);
    free(ctx);
}

const stn_sprite_source *stn_sprite_ctx_source(const stn_sprite_ctx *ctx)
{
    return &ctx->source;
}

stn_sprite_fault stn_sprite_material(stn_sprite_ctx *ctx, const stn_sprite_res *res, const stn_res_mat *mat,
                                     const stn_sprite_mat **out, stn_err *err)
{
    stn_sprite_mat *m = stn_table_get(ctx->materials, (uint64_t)(uintptr_t)mat);
    stn_sprite_fault fault;

    if (!m) {
        m = stn_arena_alloc(ctx->arena, sizeof *m);
        if (!m)
            return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "material of %.80s", res->name);
        if ((fault = stn_material_build(&ctx->source, res, mat, ctx->arena, m, err)))
            return fault;
        if (!stn_table_put(ctx->materials, (uint64_t)(uintptr_t)mat, m, NULL))
            return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "material of %.80s", res->name);
        if (m->unknown > 0)
            stn_ctx_unknown(ctx, "material part", res->name);
    }
    *out = m;
    return STN_SPRITE_OK;
}

void stn_sprite_ctx_counts(const stn_sprite_ctx *ctx, uint64_t *added, uint64_t *removed)
{
    *added = ctx->added;
    *removed = ctx->removed;
}

const stn_wind *stn_sprite_ctx_wind(const stn_sprite_ctx *ctx)
{
    return &ctx->wind;
}

void stn_sprite_ctx_blow(stn_sprite_ctx *ctx, float dt)
{
    stn_wind_tick(&ctx->wind, dt, ctx->rnd);
}

float stn_ctx_rnd(stn_sprite_ctx *ctx)
{
    return ctx->rnd->next(ctx->rnd->user);
}

stn_rnd *stn_ctx_rnd_source(stn_sprite_ctx *ctx)
{
    return ctx->rnd;
}

int64_t stn_ctx_seed(stn_sprite_ctx *ctx)
{
    int64_t high = (int64_t)(stn_ctx_rnd(ctx) * 16777216.0f), low = (int64_t)(stn_ctx_rnd(ctx) * 16777216.0f);
    return high << 24 | low;
}

void stn_ctx_count(stn_sprite_ctx *ctx, uint32_t added, uint32_t removed)
{
    ctx->added += added;
    ctx->removed += removed;
}

void stn_ctx_unknown(stn_sprite_ctx *ctx, const char *what, const char *name)
{
    char *kept;

    /* Said once a name; a name that cannot be remembered is not said at all rather than at every build. */
    if (stn_names_get(ctx->said, name) || ctx->n_said == STN_CTX_UNKNOWNS)
        return;
    kept = stn_arena_strdup(ctx->arena, name);
    if (!kept || !stn_names_put(ctx->said, name, kept, NULL))
        return;
    ctx->said_name[ctx->n_said] = kept;
    ctx->said_what[ctx->n_said++] = what;
    if (ctx->report.unknown)
        ctx->report.unknown(ctx->report.user, what, name);
}

uint32_t stn_sprite_ctx_unknowns(const stn_sprite_ctx *ctx)
{
    return ctx->n_said;
}

const char *stn_sprite_ctx_unknown(const stn_sprite_ctx *ctx, uint32_t i, const char **what)
{
    if (i >= ctx->n_said)
        return NULL;
    *what = ctx->said_what[i];
    return ctx->said_name[i];
}

const stn_native *stn_ctx_native(stn_sprite_ctx *ctx, stn_native_match match, const stn_native *native,
                                 const char *what, const char *name, int32_t version)
{
    char text[200];

    if (match == STN_NATIVE_FOUND)
        return native;
    if (match == STN_NATIVE_OTHER_VERSION) {
        snprintf(text, sizeof text, "%s of %s, version %d", native->entry, native->carrier, version);
        name = text;
    }
    stn_ctx_unknown(ctx, what, name);
    return NULL;
}

const stn_native *stn_sprite_attribute(stn_sprite_ctx *ctx, const char *carrier, int32_t version)
{
    const stn_native *native;
    stn_native_match match = stn_native_find(carrier, version, "objdelta", NULL, &native);

    return stn_ctx_native(ctx, match, native, "attribute", carrier, version);
}
