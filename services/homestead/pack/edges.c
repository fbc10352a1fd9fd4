#include "homestead/pack/edges.h"

#include <math.h>
#include <stddef.h>

const char *stn_edge_name(stn_edge_style style)
{
    static const char *const names[STN_EDGE_STYLES] = {"blade", "soft", "hard"};

    return names[style];
}

/* Distance in tiles to the nearest masked side or corner; x, y in 0..1. */
static float distance(unsigned sides, unsigned corners, float x, float y)
{
    float d = 9.0f;

    if (sides & 1)
        d = fminf(d, x);
    if (sides & 2)
        d = fminf(d, y);
    if (sides & 4)
        d = fminf(d, 1.0f - x);
    if (sides & 8)
        d = fminf(d, 1.0f - y);
    if (corners & 1)
        d = fminf(d, hypotf(x, y));
    if (corners & 2)
        d = fminf(d, hypotf(1.0f - x, y));
    if (corners & 4)
        d = fminf(d, hypotf(1.0f - x, 1.0f - y));
    if (corners & 8)
        d = fminf(d, hypotf(x, 1.0f - y));
    return d;
}

/* 0 on the tile's border, 1 inside. */
static float inside(float x, float y)
{
    return stn_smooth(0.0f, 0.2f, x) * stn_smooth(0.0f, 0.2f, 1.0f - x) * stn_smooth(0.0f, 0.2f, y) *
           stn_smooth(0.0f, 0.2f, 1.0f - y);
}

static const struct {
    float rough; /* of the outline, tiles */
    int cells; /* of the first octave of its noise */
    int octaves;
    float soft; /* width of the fade, tiles */
    float grain; /* dither of the fade */
} styles[STN_EDGE_STYLES] = {
    [STN_EDGE_BLADE] = {0.20f, 4, 3, 0.035f, 0.0f},
    [STN_EDGE_SOFT] = {0.17f, 3, 3, 0.16f, 0.5f},
    [STN_EDGE_HARD] = {0.24f, 5, 2, 0.025f, 0.0f},
};

/* Blades that start in the covered part and lean out of it. */
static void blades(stn_canvas *c, unsigned sides, unsigned corners, stn_rng *r)
{
    const float n = (float)STN_EDGE_SIDE, h = 0.02f;

    for (int i = 0; i < 500; i++) {
        float x = stn_rng_unit(r), y = stn_rng_unit(r), d = distance(sides, corners, x, y);
        float turn = stn_rng_bell(r), length = stn_rng_range(r, 0.08f, 0.17f),
              bend = stn_rng_range(r, -0.6f, 0.6f);
        float here = stn_canvas_at(c, (int)(x * n), (int)(y * n))->a;
        float gx = distance(sides, corners, x + h, y) - distance(sides, corners, x - h, y);
        float gy = distance(sides, corners, x, y + h) - distance(sides, corners, x, y - h);
        float a = atan2f(gy, gx) + 0.9f * turn, ex = x + length * cosf(a), ey = y + length * sinf(a);

        /* None may cross the border: the neighbour does not know of it. */
        if (here < 0.6f || d < 0.12f || fminf(fminf(x, y), fminf(ex, ey)) < 0.05f ||
            fmaxf(fmaxf(x, y), fmaxf(ex, ey)) > 0.95f)
            continue;
        stn_stroke s = {.root = {1, 1, 1}, .tip = {1, 1, 1}, .opacity = 0.95f};

        stn_paint_blade(c, x * n, y * n, a, length * n, 0.034f * n, bend, &s);
    }
}

stn_canvas *stn_edge_paint(stn_edge_style style, unsigned sides, unsigned corners, unsigned variant)
{
    stn_canvas *c = stn_canvas_new(STN_EDGE_SIDE, STN_EDGE_SIDE, false);
    uint32_t seed = 3000u + 1000u * (uint32_t)style + 64u * variant + 2u * sides + 33u * corners;
    stn_rng r = stn_rng_of(seed);

    if (!c)
        return NULL;
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / (float)c->w, v = ((float)y + 0.5f) / (float)c->h,
                  free = inside(u, v);
            float d = distance(sides, corners, u, v) - STN_EDGE_REACH;
            float n = stn_fbm_wrap(seed, u, v, styles[style].cells, styles[style].octaves);

            if (style == STN_EDGE_HARD) {
                float d1, d2;
                uint32_t id;

                /* Whole blocks are in or out. */
                stn_cells_wrap(seed + 9, u * 8, v * 8, 8, &d1, &d2, &id);
                n = 0.5f * n + 0.7f * (stn_unit_of(id, 7) - 0.5f);
            }
            d += styles[style].rough * 1.4f * n * free;
            float a = 0.5f - d / styles[style].soft;

            if (styles[style].grain > 0.0f)
                a += styles[style].grain * free * stn_noise_wrap(seed + 5, u * 24, v * 24, 24) *
                     (a > -0.2f ? 1.0f : 0.0f);
            *stn_canvas_at(c, x, y) = (stn_pixel){.c = {1, 1, 1}, .a = stn_clampf(a, 0.0f, 1.0f)};
        }
    if (style == STN_EDGE_BLADE)
        blades(c, sides, corners, &r);
    return c;
}
