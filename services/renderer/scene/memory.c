#include "renderer/scene/memory.h"

static float corner(stn_memory_fn *fn, const void *ctx, int32_t x, int32_t y)
{
    for (int i = 0; i < 4; i++)
        if (!fn(ctx, x - (i & 1), y - (i >> 1)))
            return 0.0f;
    return 1.0f;
}

void stn_memory_corners(stn_memory_fn *fn, const void *ctx, int32_t x, int32_t y, float out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = corner(fn, ctx, x + (i & 1), y + (i >> 1));
}
