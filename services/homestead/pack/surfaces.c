#include "homestead/pack/surfaces.h"

#include <math.h>
#include <stddef.h>

#define PI 3.14159265f

static const stn_wood woods[STN_WOODS] = {
    {"birch", 0xd9c49a, 0xbfa274, 0xa98a5c, 9, 0.5f, 2, 0.3f},
    {"pine", 0xcf9f5f, 0xad7740, 0x8f5a2c, 13, 0.8f, 5, 0.1f},
    {"oak", 0xa6855a, 0x7f623f, 0x5c452b, 17, 0.4f, 1, 1.0f},
    {"cherry", 0x9c5c3c, 0x7d4229, 0x5f2f1f, 10, 0.9f, 1, 0.25f},
    {"walnut", 0x705339, 0x4f3827, 0x35251b, 12, 1.3f, 2, 0.6f},
};

const stn_wood *stn_woods(void)
{
    return woods;
}

static uint32_t seed_of(const char *name)
{
    uint32_t h = 17;

    for (; *name; name++)
        h = h * 31 + (uint32_t)(unsigned char)*name;
    return h;
}

stn_canvas *stn_wood_planks(const stn_wood *w)
{
    stn_canvas *c = stn_canvas_new(256, 128, true);
    uint32_t seed = seed_of(w->name);
    stn_rng r = stn_rng_of(seed);
    stn_rgb light = stn_hex(w->light), dark = stn_hex(w->dark), streak = stn_hex(w->streak);
    float kx[6], ky[6];
    int knots = (int)w->knots;

    if (!c)
        return NULL;
    for (int i = 0; i < knots; i++) {
        kx[i] = stn_rng_unit(&r);
        ky[i] = stn_rng_unit(&r);
    }
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 256.0f, v = ((float)y + 0.5f) / 128.0f, core = 0, bulge = 0;

            for (int i = 0; i < knots; i++) {
                float dx = u - kx[i], dy = v - ky[i];

                dx -= roundf(dx);
                dy -= roundf(dy);
                float d = sqrtf(dx * dx * 36 + dy * dy * 100);

                core += stn_smooth(0.42f, 0.18f, d);
                /* The grain flows around the knot. */
                bulge += 0.9f * expf(-d * d * 0.9f) * (dy > 0 ? 1.0f : -1.0f) * fminf(1.0f, fabsf(dy) * 30);
            }
            /* Grain: waves across the board that wander slowly along it. Whole numbers close at the border.
             */
            float wander = w->waver * (stn_fbm_wrap(seed, u, v, 2, 3) +
                                       0.35f * stn_noise_wrap(seed + 1, u * 4, v * 16, 16));
            float g = sinf(2 * PI * (w->rings * v + 1.8f * wander + bulge)),
                  fine = stn_noise_wrap(seed + 2, u * 8, v * 64, 64);
            float t = stn_clampf(0.5f + 0.30f * g * fabsf(g) + 0.28f * fine +
                                     0.25f * stn_fbm_wrap(seed + 3, u, v, 3, 2),
                                 0, 1);
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_mix(dark, light, t);
            p->c = stn_rgb_mix(p->c, streak, 0.35f * stn_smooth(0.55f, 0.98f, g * 0.7f + 0.5f * fine));
            p->c = stn_rgb_mix(p->c, stn_rgb_scale(streak, 0.8f), stn_clampf(core, 0, 1) * 0.6f);
            p->a = 1;
            p->h = 1.2f * t;
        }
    for (int i = 0; i < (int)(420 * w->pores); i++) {
        stn_stroke s = {.root = streak, .tip = streak, .rise = -0.6f, .opacity = 0.5f};

        stn_paint_twig(c, stn_rng_unit(&r) * 256, stn_rng_unit(&r) * 128, stn_rng_range(&r, -0.05f, 0.05f),
                       stn_rng_range(&r, 4, 14), 1.0f, 0, &s);
    }
    return c;
}

stn_canvas *stn_wood_ends(const stn_wood *w)
{
    stn_canvas *c = stn_canvas_new(128, 128, false);
    uint32_t seed = seed_of(w->name) + 7;
    stn_rgb light = stn_hex(w->light), dark = stn_hex(w->dark), streak = stn_hex(w->streak);

    if (!c)
        return NULL;
    for (int y = 0; y < 128; y++)
        for (int x = 0; x < 128; x++) {
            float u = ((float)x + 0.5f) / 64.0f - 1, v = ((float)y + 0.5f) / 64.0f - 1;
            float th = atan2f(v, u), d = hypotf(u, v) + 0.05f * stn_noise3(seed, u * 2, v * 2, 0);
            float ring = 0.5f + 0.5f * sinf(2 * PI * 8 * d), ray = stn_noise3(seed + 1, th * 9, d * 1.2f, 0);
            float crack = stn_smooth(0.04f, 0.0f, fabsf(sinf(th * 1.5f + 0.7f))) * stn_smooth(0.05f, 0.5f, d);
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_mix(dark, light, 0.30f + 0.45f * ring + 0.2f * ray);
            p->c = stn_rgb_scale(stn_rgb_mix(p->c, streak, 0.7f * crack), 0.94f);
            p->a = 1;
        }
    return c;
}

/* ---- bark: x around the trunk, y along it ---- */

/* Bark that is furrowed along the trunk: a mottled ground, plates between long dark clefts, light ridges.
 * `plates` 0..1 is how much it breaks across too. */
static stn_canvas *bark_base(uint32_t seed, uint32_t dark, uint32_t base, uint32_t light, int clefts,
                             float plates)
{
    stn_canvas *c = stn_canvas_new(128, 256, true);
    stn_rng r = stn_rng_of(seed);

    if (!c)
        return NULL;
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 128.0f, v = ((float)y + 0.5f) / 256.0f;
            /* Stretched along: twice the cells across on a picture twice as high. */
            float n = stn_fbm_warped(seed, u, v, 5, 4, 0.05f),
                  grain = stn_noise_wrap(seed + 9, u * 40, v * 40, 40);
            float cross = plates * stn_smooth(0.10f, 0.0f, fabsf(stn_fbm_wrap(seed + 4, u, v, 6, 2)));
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c =
                stn_rgb_mix(stn_hex(base), stn_hex(light), stn_clampf(0.4f + 0.8f * n + 0.2f * grain, 0, 1));
            p->c = stn_rgb_mix(p->c, stn_hex(dark), 0.55f * cross);
            p->a = 1;
        }
    for (int i = 0; i < clefts; i++) {
        float x = stn_rng_unit(&r) * 128, y = stn_rng_unit(&r) * 256, lean = 0.16f * stn_rng_bell(&r);
        stn_stroke cleft = {.root = stn_hex(dark), .tip = stn_hex(dark), .rise = -1.5f, .opacity = 0.75f};
        stn_rgb k = stn_rgb_vary(stn_hex(light), &r, 0.10f, 0.03f);
        stn_stroke ridge = {.root = k, .tip = stn_rgb_scale(k, 1.05f), .rise = 1.0f, .opacity = 0.5f};

        stn_paint_blade(c, x, y, 0.5f * PI + lean, stn_rng_range(&r, 22, 70), stn_rng_range(&r, 2.0f, 4.2f),
                        0.4f * stn_rng_bell(&r), &cleft);
        stn_paint_blade(c, x + 3.2f, y, 0.5f * PI + lean, stn_rng_range(&r, 16, 46), 2.2f,
                        0.3f * stn_rng_bell(&r), &ridge);
    }
    return c;
}

stn_canvas *stn_bark_spruce(void)
{
    return bark_base(4100, 0x3a3029, 0x5f5044, 0x7d6c5c, 90, 0.5f);
}

stn_canvas *stn_bark_pine(void)
{
    return bark_base(4200, 0x4a2d1f, 0x7e4f34, 0xa8714b, 70, 0.9f);
}

stn_canvas *stn_bark_beech(void)
{
    stn_canvas *c = stn_canvas_new(128, 256, true);
    stn_rng r = stn_rng_of(4300);

    if (!c)
        return NULL;
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 128.0f, v = ((float)y + 0.5f) / 256.0f;
            float n = stn_fbm_warped(4301, u, v, 4, 4, 0.06f);
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_mix(stn_hex(0x6d6a60), stn_hex(0x908d80), stn_clampf(0.5f + 0.8f * n, 0, 1));
            p->c = stn_rgb_mix(p->c, stn_hex(0x6c7351),
                               stn_smooth(0.15f, 0.5f, stn_fbm_wrap(4302, u, v, 3, 3)) * 0.5f);
            p->a = 1;
            p->h = n;
        }
    for (int i = 0; i < 60; i++) {
        stn_stroke s = {.root = stn_hex(0x55534a), .tip = stn_hex(0x5f5c52), .rise = -0.5f, .opacity = 0.5f};

        stn_paint_twig(c, stn_rng_unit(&r) * 128, stn_rng_unit(&r) * 256, stn_rng_range(&r, -0.15f, 0.15f),
                       stn_rng_range(&r, 6, 22), 1.2f, stn_rng_range(&r, -0.2f, 0.2f), &s);
    }
    return c;
}

stn_canvas *stn_bark_birch(void)
{
    stn_canvas *c = stn_canvas_new(128, 256, true);
    stn_rng r = stn_rng_of(4400);

    if (!c)
        return NULL;
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 128.0f, v = ((float)y + 0.5f) / 256.0f;
            float n = stn_fbm_wrap(4401, u, v, 4, 4), band = stn_noise_wrap(4402, u * 4, v * 32, 32);
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_mix(stn_hex(0xc2bcae), stn_hex(0xe6e1d5),
                               stn_clampf(0.55f + 0.6f * n + 0.25f * band, 0, 1));
            p->c = stn_rgb_mix(p->c, stn_hex(0xc9a98c),
                               0.3f * stn_smooth(0.1f, 0.6f, stn_fbm_wrap(4403, u, v, 3, 2)));
            p->a = 1;
        }
    /* Lenticels in rows, and black lozenges where branches were. */
    for (int i = 0; i < 150; i++) {
        stn_rgb k = stn_rgb_mix(stn_hex(0x2e2a26), stn_hex(0x6e665a), stn_rng_unit(&r));
        stn_stroke s = {.root = k, .tip = k, .rise = -0.6f, .opacity = 0.85f};
        float l = stn_rng_unit(&r);

        stn_paint_twig(c, stn_rng_unit(&r) * 128, stn_rng_unit(&r) * 256, stn_rng_range(&r, -0.06f, 0.06f),
                       4 + 22 * l * l, stn_rng_range(&r, 0.9f, 1.9f), 0, &s);
    }
    for (int i = 0; i < 9; i++) {
        stn_stroke s = {.root = stn_hex(0x26221f), .tip = stn_hex(0x3a342f), .rise = 1.0f, .opacity = 0.92f};

        stn_paint_leaf(c, stn_rng_unit(&r) * 128, stn_rng_unit(&r) * 256, stn_rng_range(&r, -0.2f, 0.2f),
                       stn_rng_range(&r, 14, 34), stn_rng_range(&r, 5, 13), 3, &s);
    }
    return c;
}

/* ---- sprays of leaves and needles ---- */

/* One quarter of a spray sheet: strokes outside its own quarter would show on another card. */
static void spruce_quarter(stn_canvas *c, float x0, float y0, stn_rng *r, float tone)
{
    stn_rgb deep = stn_rgb_mix(stn_hex(0x1d2f20), stn_hex(0x24361f), tone),
            mid = stn_rgb_mix(stn_hex(0x2f4a2c), stn_hex(0x3b5430), tone);
    stn_rgb fresh = stn_rgb_mix(stn_hex(0x4f6b3a), stn_hex(0x647a42), tone);
    stn_stroke wood = {.root = stn_hex(0x4a3a2c), .tip = stn_hex(0x5a4a36), .opacity = 1};

    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 17; i++) {
            /* Side shoots, long at the root, short at the tip, swept forward and a little down. */
            float t = ((float)i + 0.5f) / 17.0f, x = x0 + 8 + t * 226, y = y0 + 128 + 10 * sinf(t * 2.6f);
            float len = (1 - t) * 92 + 26;

            for (int side = -1; side <= 1; side += 2) {
                float a = (float)side * (0.95f - 0.35f * t + 0.15f * stn_rng_bell(r)),
                      bend = -(float)side * 0.35f;

                if (pass == 0)
                    stn_paint_twig(c, x, y, a, len, 2.2f, bend, &wood);
                for (int k = 0; k < (int)(len * 0.75f); k++) {
                    float q = (float)k / (len * 0.75f), aa = a + bend * q * 0.5f;
                    float nx = x + cosf(aa) * len * q, ny = y + sinf(aa) * len * q, lit = stn_rng_unit(r);
                    stn_rgb k1 = pass == 0 ? stn_rgb_mix(deep, mid, lit)
                                           : stn_rgb_mix(mid, fresh, lit * (0.35f + 0.65f * q));
                    stn_stroke s = {.root = k1, .tip = stn_rgb_scale(k1, 1.15f), .opacity = 1};
                    float na =
                        a + bend * q + (stn_rng_unit(r) < 0.5f ? 0.75f : -0.75f) + 0.3f * stn_rng_bell(r);

                    if (pass == 1 && lit < 0.25f)
                        continue;
                    stn_paint_blade(c, nx, ny, na, stn_rng_range(r, 9, 15), 2.6f, 0, &s);
                }
            }
        }
}

stn_canvas *stn_spray_spruce(void)
{
    stn_canvas *c = stn_canvas_new(512, 512, false);
    stn_rng r = stn_rng_of(5100);

    for (int q = 0; c && q < 4; q++)
        spruce_quarter(c, (float)(q & 1) * 256, (float)(q >> 1) * 256, &r, (float)q / 3.0f);
    return c;
}

stn_canvas *stn_spray_pine(void)
{
    stn_canvas *c = stn_canvas_new(512, 512, false);
    stn_rng r = stn_rng_of(5200);

    for (int q = 0; c && q < 4; q++) {
        float x0 = (float)(q & 1) * 256 + 128, y0 = (float)(q >> 1) * 256 + 128, tone = (float)q / 3.0f;
        stn_rgb deep = stn_rgb_mix(stn_hex(0x2a3d2c), stn_hex(0x31452c), tone),
                light = stn_rgb_mix(stn_hex(0x55704a), stn_hex(0x6e8450), tone);
        stn_stroke wood = {.root = stn_hex(0x6b4a34), .tip = stn_hex(0x7d5a40), .opacity = 1};

        /* Shoots that end in round brushes of long needles. */
        for (int b = 0; b < 13; b++) {
            float a = 2 * PI * (float)b / 13.0f + 0.3f * stn_rng_bell(&r), l = stn_rng_range(&r, 26, 84);
            float x = x0 + cosf(a) * l, y = y0 + sinf(a) * l;

            stn_paint_twig(c, x0, y0, a, l, 3.0f, 0, &wood);
            for (int k = 0; k < 95; k++) {
                float lit = stn_rng_unit(&r), na = stn_rng_range(&r, 0, 2 * PI);
                stn_rgb k1 = stn_rgb_mix(deep, light, lit * (0.3f + 0.7f * (float)k / 95.0f));
                stn_stroke s = {
                    .root = stn_rgb_scale(k1, 0.8f), .tip = stn_rgb_scale(k1, 1.12f), .opacity = 1};

                stn_paint_blade(c, x + 6 * stn_rng_bell(&r), y + 6 * stn_rng_bell(&r), na,
                                stn_rng_range(&r, 20, 36), 2.5f, 0.3f * stn_rng_bell(&r), &s);
            }
        }
    }
    return c;
}

stn_canvas *stn_spray_leaves(uint32_t seed, uint32_t dark, uint32_t light, uint32_t tip, float length,
                             float wide, unsigned count)
{
    stn_canvas *c = stn_canvas_new(512, 512, false);
    stn_rng r = stn_rng_of(seed);

    for (int q = 0; c && q < 4; q++) {
        float x0 = (float)(q & 1) * 256 + 128, y0 = (float)(q >> 1) * 256 + 128;
        stn_stroke wood = {.root = stn_hex(0x5a4a3a), .tip = stn_hex(0x6b5a46), .opacity = 1};

        for (int b = 0; b < 9; b++) {
            float a = 2 * PI * (float)b / 9.0f + 0.3f * stn_rng_bell(&r);

            stn_paint_blade(c, x0, y0, a, stn_rng_range(&r, 70, 108), 3.2f, 0.6f * stn_rng_bell(&r), &wood);
        }
        for (unsigned i = 0; i < count; i++) {
            float depth = (float)i / (float)count, a = stn_rng_range(&r, 0, 2 * PI);
            float d = 104.0f * sqrtf(stn_rng_unit(&r)) * (1.0f - 0.12f * depth),
                  l = length * stn_rng_range(&r, 0.75f, 1.2f);
            stn_rgb k = stn_rgb_mix(stn_hex(dark), stn_hex(light),
                                    stn_clampf(0.15f + 0.75f * depth + 0.25f * stn_rng_bell(&r), 0, 1));

            /* The four sprays lean a little to the tip tone, one more than the other. */
            k = stn_rgb_mix(k, stn_hex(tip), (0.08f + 0.14f * (float)q) * stn_rng_unit(&r));
            k = stn_rgb_vary(k, &r, 0.08f, 0.03f);
            stn_stroke s = {.root = stn_rgb_scale(k, 0.9f),
                            .tip = stn_rgb_scale(k, 1.08f),
                            .shadow = 0.22f,
                            .opacity = 1};

            stn_paint_leaf(c, x0 + d * cosf(a), y0 + d * sinf(a), a + 1.1f * stn_rng_bell(&r), l, l * wide, 0,
                           &s);
        }
    }
    return c;
}

/* ---- built things ---- */

stn_canvas *stn_thatch(void)
{
    stn_canvas *c = stn_canvas_new(256, 256, true);
    stn_rng r = stn_rng_of(6100);
    stn_rgb dark = stn_hex(0x6d5a38), base = stn_hex(0x9a8350), light = stn_hex(0xc0a76b);

    if (!c)
        return NULL;
    stn_canvas_fill(c, stn_rgb_scale(dark, 0.8f), 1);
    /* Four courses of straw, each hanging over the one below it; the eaves of a course are shaded. */
    for (int course = 3; course >= 0; course--)
        for (int i = 0; i < 900; i++) {
            float x = stn_rng_unit(&r) * 256, y = (float)course * 64 + stn_rng_range(&r, 0, 46),
                  lit = stn_rng_unit(&r);
            stn_rgb k =
                stn_rgb_vary(stn_rgb_mix(stn_rgb_mix(dark, base, 0.5f), light, lit * lit), &r, 0.10f, 0.03f);
            float l = stn_rng_range(&r, 30, 56);

            if (y + l > (float)course * 64 + 74)
                l = (float)course * 64 + 74 - y;
            stn_stroke s = {.root = stn_rgb_scale(k, 0.72f),
                            .tip = stn_rgb_scale(k, 1.1f),
                            .rise = 2.0f,
                            .shadow = 0.06f,
                            .opacity = 0.95f};

            stn_paint_twig(c, x, y, 0.5f * PI + 0.07f * stn_rng_bell(&r), l, stn_rng_range(&r, 1.2f, 2.2f), 0,
                           &s);
        }
    for (int y = 0; y < 256; y++)
        for (int x = 0; x < 256; x++) {
            stn_pixel *p = stn_canvas_at(c, x, y);
            float n = stn_fbm_wrap(6102, ((float)x + 0.5f) / 256, ((float)y + 0.5f) / 256, 4, 3);

            p->c = stn_rgb_mix(p->c, stn_hex(0x6f7845), 0.30f * stn_smooth(0.1f, 0.5f, n));
            p->c = stn_rgb_scale(p->c, 1 + 0.08f * n);
        }
    return c;
}

stn_canvas *stn_stone_face(uint32_t tone, bool mossy)
{
    stn_canvas *c = stn_canvas_new(256, 256, true);
    stn_rng r = stn_rng_of(6200u + tone);
    stn_rgb base = stn_hex(tone);

    if (!c)
        return NULL;
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 256.0f, v = ((float)y + 0.5f) / 256.0f;
            float n = stn_fbm_warped(6201, u, v, 4, 5, 0.08f),
                  vein = stn_smooth(0.05f, 0.0f, fabsf(stn_fbm_warped(6202, u, v, 3, 4, 0.1f)));
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_scale(base, 1.0f + 0.30f * n + 0.10f * stn_noise_wrap(6203, u * 90, v * 90, 90));
            p->c = stn_rgb_mix(p->c, stn_rgb_scale(base, 0.6f), 0.5f * vein);
            p->a = 1;
            p->h = 3 * n - 2 * vein;
            if (mossy) {
                float m = stn_smooth(0.02f, 0.30f, stn_fbm_warped(6204, u, v, 4, 4, 0.1f));

                p->c = stn_rgb_mix(p->c, stn_rgb_scale(stn_hex(0x66703d), 0.9f + 0.3f * n), 0.8f * m);
                p->h += 1.5f * m;
            }
        }
    for (int i = 0; i < 500; i++) {
        stn_rgb k =
            stn_rgb_vary(stn_rng_unit(&r) < 0.5f ? stn_rgb_scale(base, 1.25f) : stn_rgb_scale(base, 0.7f), &r,
                         0.1f, 0.04f);
        stn_stroke s = {.root = k, .tip = k, .opacity = 0.4f};

        stn_paint_pebble(c, stn_rng_unit(&r) * 256, stn_rng_unit(&r) * 256, stn_rng_unit(&r) * PI,
                         stn_rng_range(&r, 0.7f, 2.0f), stn_rng_range(&r, 0.6f, 1.4f), (uint32_t)i, &s);
    }
    return c;
}

stn_canvas *stn_iron(void)
{
    stn_canvas *c = stn_canvas_new(64, 64, true);

    for (int y = 0; c && y < 64; y++)
        for (int x = 0; x < 64; x++) {
            float u = ((float)x + 0.5f) / 64, v = ((float)y + 0.5f) / 64, n = stn_fbm_wrap(6300, u, v, 4, 4);
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_mix(stn_hex(0x3b3b3e), stn_hex(0x6a686a), stn_clampf(0.5f + 0.7f * n, 0, 1));
            p->c = stn_rgb_mix(p->c, stn_hex(0x7a4a30),
                               0.5f * stn_smooth(0.2f, 0.5f, stn_fbm_wrap(6301, u, v, 3, 3)));
            p->a = 1;
        }
    return c;
}

stn_canvas *stn_cloth(uint32_t tone, uint32_t thread, bool coarse)
{
    stn_canvas *c = stn_canvas_new(128, 128, true);
    int n = coarse ? 32 : 64;

    for (int y = 0; c && y < 128; y++)
        for (int x = 0; x < 128; x++) {
            float u = ((float)x + 0.5f) / 128, v = ((float)y + 0.5f) / 128;
            float warp = fabsf(sinf(PI * (float)n * u)), weft = fabsf(sinf(PI * (float)n * v));
            int over = ((int)(u * (float)n) + (int)(v * (float)n)) & 1;
            float fold = stn_fbm_warped(6400 + tone, u, v, 3, 3, 0.1f), weave = over ? warp : weft;
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_mix(stn_hex(tone), stn_hex(thread), over ? 0.18f : 0.0f);
            p->c = stn_rgb_scale(p->c, (0.86f + 0.16f * weave) * (1 + 0.16f * fold));
            p->a = 1;
            p->h = weave;
        }
    return c;
}

stn_canvas *stn_fur(uint32_t dark, uint32_t light)
{
    stn_canvas *c = stn_canvas_new(128, 128, true);
    stn_rng r = stn_rng_of(6500u + dark);

    if (!c)
        return NULL;
    stn_canvas_fill(c, stn_rgb_mix(stn_hex(dark), stn_hex(light), 0.4f), 1);
    for (int i = 0; i < 1600; i++) {
        stn_rgb k =
            stn_rgb_vary(stn_rgb_mix(stn_hex(dark), stn_hex(light), stn_rng_unit(&r)), &r, 0.08f, 0.03f);
        stn_stroke s = {.root = stn_rgb_scale(k, 0.88f), .tip = stn_rgb_scale(k, 1.08f), .opacity = 0.7f};

        stn_paint_blade(c, stn_rng_unit(&r) * 128, stn_rng_unit(&r) * 128, 0.35f * stn_rng_bell(&r),
                        stn_rng_range(&r, 6, 13), 1.6f, 0.4f * stn_rng_bell(&r), &s);
    }
    return c;
}

stn_canvas *stn_plain(uint32_t tone, float mottle)
{
    stn_canvas *c = stn_canvas_new(64, 64, true);

    for (int y = 0; c && y < 64; y++)
        for (int x = 0; x < 64; x++) {
            float n = stn_fbm_wrap(6600 + tone, ((float)x + 0.5f) / 64, ((float)y + 0.5f) / 64, 4, 4);
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_scale(stn_hex(tone), 1 + mottle * n);
            p->a = 1;
        }
    return c;
}
