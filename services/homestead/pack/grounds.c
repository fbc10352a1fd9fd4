#include "homestead/pack/grounds.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define PI 3.14159265f

static const stn_ground_look looks[STN_GROUND_LOOKS] = {
    {"heath", 3, 1.0f}, {"grass", 3, 0.9f}, {"forest", 3, 1.0f}, {"field", 1, 1.2f},   {"dirt", 2, 0.9f},
    {"sand", 3, 0.8f},  {"rock", 3, 1.1f},  {"bed", 2, 1.0f},    {"deepbed", 1, 0.8f},
};

const stn_ground_look *stn_ground_looks(void)
{
    return looks;
}

static float u_of(const stn_canvas *c, float x)
{
    return x / (float)c->w;
}

/* The quiet layer: three values over warped noise, and a fine grain. */
static void ground_base(stn_canvas *c, uint32_t seed, stn_rgb dark, stn_rgb base, stn_rgb light,
                        float contrast, float grain)
{
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / (float)c->w, v = ((float)y + 0.5f) / (float)c->h;
            float n = stn_fbm_warped(seed, u, v, 5, 4, 0.06f) * contrast;
            float g = stn_noise_wrap(seed + 77, u * 170, v * 170, 170) * grain;
            stn_pixel *p = stn_canvas_at(c, x, y);
            stn_rgb k = n < 0 ? stn_rgb_mix(base, dark, fminf(-n * 1.6f, 1.0f))
                              : stn_rgb_mix(base, light, fminf(n * 1.6f, 1.0f));

            p->c = stn_rgb_scale(k, 1.0f + g);
            p->a = 1.0f;
            p->h = n * 1.5f + g * 4.0f;
        }
}

/* The last layer: a soft tint of few, large drifts, too weak for the repeat to be seen. */
static void ground_tint(stn_canvas *c, uint32_t seed, float amount, stn_rgb warm)
{
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / (float)c->w, v = ((float)y + 0.5f) / (float)c->h;
            float n = stn_fbm_warped(seed, u, v, 3, 3, 0.1f), m = stn_fbm_wrap(seed + 5, u, v, 4, 2);
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_scale(p->c, 1.0f + amount * n);
            p->c = stn_rgb_mix(p->c, warm, stn_clampf(0.10f * m, 0.0f, 0.12f));
        }
}

/* One direction of a wrapping box blur of 2 * radius + 1 pixels over `n` pixels `step` apart. */
static void blur_line(const stn_rgb *from, stn_rgb *to, int n, int step, int radius)
{
    float r = 0, g = 0, b = 0, k = 1.0f / (float)(2 * radius + 1);

    for (int i = -radius; i <= radius; i++) {
        const stn_rgb *p = &from[((i + n) % n) * step];

        r += p->r, g += p->g, b += p->b;
    }
    for (int i = 0; i < n; i++) {
        const stn_rgb *in = &from[((i + radius + 1) % n) * step], *out = &from[((i - radius + n) % n) * step];

        to[i * step] = (stn_rgb){r * k, g * k, b * k};
        r += in->r - out->r, g += in->g - out->g, b += in->b - out->b;
    }
}

/* Takes out most of what is broader than a stride, so that the eye finds no repeat across fifty tiles; the
 * blend of variants brings breadth back. False: out of memory. */
static bool even_out(stn_canvas *c, float amount)
{
    size_t n = (size_t)c->w * (size_t)c->h;
    stn_rgb *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), mean = {0, 0, 0};
    bool ok = a && b;

    for (size_t i = 0; ok && i < n; i++) {
        a[i] = c->px[i].c;
        mean = (stn_rgb){mean.r + a[i].r / (float)n, mean.g + a[i].g / (float)n, mean.b + a[i].b / (float)n};
    }
    /* Two passes of a box each way are near enough to a bell. */
    for (int pass = 0; ok && pass < 2; pass++) {
        for (int y = 0; y < c->h; y++)
            blur_line(a + y * c->w, b + y * c->w, c->w, 1, 26);
        for (int x = 0; x < c->w; x++)
            blur_line(b + x, a + x, c->h, c->w, 26);
    }
    for (size_t i = 0; ok && i < n; i++) {
        stn_rgb *p = &c->px[i].c;

        *p = (stn_rgb){p->r - amount * (a[i].r - mean.r), p->g - amount * (a[i].g - mean.g),
                       p->b - amount * (a[i].b - mean.b)};
    }
    free(a);
    free(b);
    return ok;
}

/* A wrapping field in the canvas, for densities and directions. */
static float field(const stn_canvas *c, uint32_t seed, float x, float y, int period)
{
    return stn_fbm_warped(seed, u_of(c, x), u_of(c, y), period, 3, 0.05f);
}

static void pebbles(stn_canvas *c, stn_rng *r, uint32_t n, float small, float large, stn_rgb colour,
                    float density, uint32_t seed, float sunk)
{
    for (uint32_t i = 0; i < n; i++) {
        float x, y, size;

        stn_scatter(c, r, i, n, &x, &y);
        /* Few large, many small. */
        size = stn_rng_unit(r);
        size = small + (large - small) * size * size * size;
        float keep = stn_rng_unit(r), angle = stn_rng_range(r, 0, PI), flat = stn_rng_range(r, 0.6f, 0.95f);
        stn_rgb k = stn_rgb_vary(colour, r, 0.16f, 0.05f);

        if (density < 1.0f && field(c, seed, x, y, 5) + 0.5f < 1.0f - density + 0.25f * (keep - 0.5f))
            continue;
        stn_stroke s = {.root = stn_rgb_scale(k, 0.72f),
                        .tip = stn_rgb_scale(k, 1.12f),
                        .rise = size * 0.55f * (1.0f - sunk),
                        .shadow = 0.34f * (1.0f - sunk),
                        .opacity = 1.0f - 0.45f * sunk};

        stn_paint_pebble(c, x, y, angle, size, size * flat, i * 31u + seed, &s);
    }
}

/* Blades over the whole canvas; depth goes from dark below to light above. `tuft` draws them together. */
typedef struct grass_look {
    uint32_t n, seed;
    float length_lo, length_hi, width, density, dry, tuft;
    stn_rgb dark, base, light, dry_colour;
} grass_look;

static void grass(stn_canvas *c, stn_rng *r, const grass_look *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        float x, y, depth = (float)i / (float)g->n;

        stn_scatter(c, r, i, g->n, &x, &y);
        float keep = stn_rng_unit(r), turn = stn_rng_bell(r),
              length = stn_rng_range(r, g->length_lo, g->length_hi);
        float bend = stn_rng_range(r, -0.9f, 0.9f), dry = stn_rng_unit(r), tip = stn_rng_unit(r);
        float clump = field(c, g->seed + 3, x, y, 9), bare = field(c, g->seed + 4, x, y, 4) + 0.5f;

        if (bare + 0.3f * (keep - 0.5f) < 1.0f - g->density)
            continue;
        /* The field of directions combs neighbours alike; between the combs they go their own ways. */
        float angle = 2.0f * PI * field(c, g->seed + 1, x, y, 4) * 1.6f + turn * 1.5f;
        float high = stn_clampf(0.5f + clump * g->tuft, 0.0f, 1.0f);
        float lit =
            stn_clampf(0.22f + 0.7f * depth * (0.55f + 0.45f * high) + 0.16f * (tip - 0.5f), 0.0f, 1.0f);
        stn_rgb k =
            lit < 0.5f ? stn_rgb_mix(g->dark, g->base, lit * 2) : stn_rgb_mix(g->base, g->light, lit * 2 - 1);

        if (dry < g->dry * (0.6f + 0.8f * high))
            k = stn_rgb_mix(k, g->dry_colour, 0.35f + 0.4f * tip);
        k = stn_rgb_vary(k, r, 0.07f, 0.035f);
        stn_stroke s = {.root = stn_rgb_scale(k, 0.80f),
                        .tip = stn_rgb_scale(k, 1.10f),
                        .rise = 1.0f + 1.2f * high,
                        .shadow = 0.10f + 0.08f * high,
                        .opacity = 0.92f};

        stn_paint_blade(c, x, y, angle, length * (0.65f + 0.7f * high), g->width, bend, &s);
    }
}

/* Tufts: blades that fan out from one root. */
static void tufts(stn_canvas *c, stn_rng *r, uint32_t n, uint32_t seed, float size, stn_rgb dark,
                  stn_rgb light, float density)
{
    for (uint32_t i = 0; i < n; i++) {
        float x, y, keep = stn_rng_unit(r), scale = stn_rng_range(r, 0.7f, 1.25f);

        stn_scatter(c, r, i, n, &x, &y);
        if (field(c, seed, x, y, 5) + 0.5f + 0.3f * (keep - 0.5f) < 1.0f - density)
            continue;
        for (int b = 0; b < 15; b++) {
            float a = stn_rng_range(r, 0, 2 * PI), l = size * scale * stn_rng_range(r, 0.55f, 1.0f);
            stn_rgb k = stn_rgb_vary(stn_rgb_mix(dark, light, (float)b / 15.0f), r, 0.08f, 0.03f);
            stn_stroke s = {.root = stn_rgb_scale(k, 0.88f),
                            .tip = stn_rgb_scale(k, 1.12f),
                            .rise = 2.2f,
                            .shadow = 0.05f,
                            .opacity = 0.95f};

            stn_paint_blade(c, x + 2.0f * stn_rng_bell(r), y + 2.0f * stn_rng_bell(r), a, l, 2.3f,
                            stn_rng_range(r, -0.6f, 0.6f), &s);
        }
    }
}

static void paint_grass(stn_canvas *c, unsigned v, stn_rng *r)
{
    stn_rgb base = stn_hex(0x5f7d35), light = stn_hex(0x7b9446), dark = stn_hex(0x46602a),
            dry = stn_hex(0x9a9150);
    grass_look g = {.n = 8500,
                    .seed = 11 + v,
                    .length_lo = 9,
                    .length_hi = 17,
                    .width = 2.4f,
                    .density = 1.0f,
                    .dry = 0.13f,
                    .tuft = 0.9f,
                    .dark = dark,
                    .base = base,
                    .light = light,
                    .dry_colour = dry};

    if (v == 2) {
        stn_rgb soil = stn_hex(0x6c5f3c);

        ground_base(c, 12, stn_rgb_scale(soil, 0.82f), soil, stn_rgb_mix(soil, dry, 0.35f), 0.8f, 0.05f);
        pebbles(c, r, 500, 1.2f, 3.6f, stn_hex(0x8d8069), 1.0f, 121, 0.25f);
        g.density = 0.80f;
        g.n = 8200;
        g.length_lo = 7;
        g.length_hi = 13;
        g.dry = 0.22f;
    } else {
        ground_base(c, 10 + v, stn_rgb_scale(dark, 0.9f), stn_rgb_mix(dark, base, 0.55f), base, 0.8f, 0.05f);
    }
    if (v == 1) {
        g.length_lo = 12;
        g.length_hi = 22;
        g.n = 7000;
        g.width = 2.5f;
    }
    grass(c, r, &g);
    if (v == 1)
        tufts(c, r, 210, 140, 19, stn_rgb_mix(dark, base, 0.4f), stn_rgb_mix(light, dry, 0.22f), 0.75f);
    if (v == 0)
        /* Clover in loose patches: small round leaves in threes. */
        for (uint32_t i = 0; i < 420; i++) {
            float x, y;

            stn_scatter(c, r, i, 420, &x, &y);
            float keep = field(c, 150, x, y, 6), turn = stn_rng_range(r, 0, 2 * PI);
            stn_rgb k = stn_rgb_vary(stn_rgb_mix(base, light, 0.5f), r, 0.08f, 0.02f);
            stn_stroke s = {.root = stn_rgb_scale(k, 0.9f),
                            .tip = stn_rgb_scale(k, 1.05f),
                            .rise = 1.0f,
                            .shadow = 0.12f,
                            .opacity = 0.9f};

            if (keep < 0.12f)
                continue;
            for (int l = 0; l < 3; l++)
                stn_paint_leaf(c, x + 2.6f * cosf(turn + 2.094f * (float)l),
                               y + 2.6f * sinf(turn + 2.094f * (float)l), turn + 2.094f * (float)l, 5.5f,
                               4.6f, 0, &s);
        }
    ground_tint(c, 19 + v, 0.05f, stn_rgb_mix(light, dry, 0.5f));
}

/* Heather: cushions of short stiff sprigs, green below and violet at the tips. */
static void heather(stn_canvas *c, stn_rng *r, uint32_t n, uint32_t seed, float density)
{
    stn_rgb green = stn_hex(0x5a5636), twig = stn_hex(0x4c4034), bloom = stn_hex(0x80567c),
            pale = stn_hex(0xa37a9c);

    for (uint32_t i = 0; i < n; i++) {
        float x, y, keep = stn_rng_unit(r), size = stn_rng_range(r, 9, 19);

        stn_scatter(c, r, i, n, &x, &y);
        float here = field(c, seed, x, y, 5) + 0.5f;

        if (here + 0.2f * (keep - 0.5f) < 1.0f - density)
            continue;
        stn_stroke under = {.root = stn_rgb_mix(twig, green, 0.4f), .rise = 2.0f, .opacity = 0.55f};

        stn_paint_spot(c, x, y, size * 0.8f, 0.1f, &under);
        float flower = stn_unit_of(i, seed);

        for (int b = 0; b < 34; b++) {
            float a = stn_rng_range(r, 0, 2 * PI), d = sqrtf(stn_rng_unit(r)) * size * 0.75f;
            float lift = 1.0f - d / size;
            stn_rgb k = stn_rgb_mix(twig, green, stn_rng_unit(r));
            stn_rgb t = b % 3 == 0 ? stn_rgb_mix(green, stn_hex(0x7d7448), stn_rng_unit(r))
                                   : stn_rgb_mix(bloom, pale, stn_rng_unit(r) * (0.4f + lift));

            /* Every third cushion is not in flower. */
            if (flower < 0.33f && b % 4)
                t = stn_rgb_mix(t, green, 0.6f);
            stn_stroke s = {.root = stn_rgb_vary(k, r, 0.1f, 0.03f),
                            .tip = stn_rgb_vary(t, r, 0.1f, 0.03f),
                            .rise = 1.5f + 2.5f * lift,
                            .shadow = 0.12f,
                            .opacity = 0.95f};

            stn_paint_twig(c, x + d * cosf(a), y + d * sinf(a), a + 0.7f * stn_rng_bell(r),
                           stn_rng_range(r, 4, 8.5f), 1.7f, stn_rng_range(r, -0.5f, 0.5f), &s);
        }
    }
}

static void moss(stn_canvas *c, stn_rng *r, uint32_t n, uint32_t seed, float density, stn_rgb dark,
                 stn_rgb light)
{
    for (uint32_t i = 0; i < n; i++) {
        float x, y, keep = stn_rng_unit(r), size = stn_rng_range(r, 1.6f, 3.4f), lit = stn_rng_unit(r);

        stn_scatter(c, r, i, n, &x, &y);
        float here = field(c, seed, x, y, 5) + 0.5f;

        if (here + 0.16f * (keep - 0.5f) < 1.0f - density)
            continue;
        stn_rgb k = stn_rgb_vary(
            stn_rgb_mix(dark, light, stn_clampf((here - 1.0f + density) * 1.6f, 0, 1) * 0.6f + 0.4f * lit), r,
            0.09f, 0.03f);
        stn_stroke s = {.root = stn_rgb_scale(k, 0.78f),
                        .tip = stn_rgb_scale(k, 1.12f),
                        .rise = 1.6f,
                        .shadow = 0.10f,
                        .opacity = 0.9f};

        stn_paint_pebble(c, x, y, 0, size, size * 0.85f, i + seed, &s);
    }
}

static void paint_heath(stn_canvas *c, unsigned v, stn_rng *r)
{
    stn_rgb base = stn_hex(0x6b5a4a), light = stn_hex(0x8a7a5e), dark = stn_hex(0x4c4034),
            mossy = stn_hex(0x66703d);
    grass_look g = {.n = 2600,
                    .seed = 33 + v,
                    .length_lo = 7,
                    .length_hi = 15,
                    .width = 1.8f,
                    .density = 0.6f,
                    .dry = 0.6f,
                    .tuft = 0.8f,
                    .dark = stn_hex(0x5a5636),
                    .base = stn_hex(0x7d7448),
                    .light = stn_hex(0x9a9150),
                    .dry_colour = stn_hex(0xa59a66)};

    ground_base(c, 30 + v, dark, stn_rgb_mix(base, dark, 0.2f), stn_rgb_mix(base, light, 0.5f), 0.8f, 0.06f);
    if (v == 2)
        pebbles(c, r, 2600, 1.2f, 6.0f, stn_hex(0x857a68), 0.75f, 320, 0.2f);
    if (v == 1)
        moss(c, r, 9000, 330, 0.66f, stn_rgb_mix(mossy, dark, 0.45f), stn_rgb_mix(mossy, light, 0.25f));
    grass(c, r, &g);
    heather(c, r, v == 0 ? 560 : 330, 340 + v, v == 0 ? 0.80f : 0.46f);
    if (v != 2)
        pebbles(c, r, 160, 1.5f, 4.5f, stn_hex(0x938877), 1.0f, 350, 0.1f);
    ground_tint(c, 39 + v, 0.06f, light);
}

static void needles(stn_canvas *c, stn_rng *r, uint32_t n, uint32_t seed, float density, stn_rgb dark,
                    stn_rgb light)
{
    for (uint32_t i = 0; i < n; i++) {
        float x, y, keep = stn_rng_unit(r), lit = stn_rng_unit(r);

        stn_scatter(c, r, i, n, &x, &y);
        if (density < 1.0f && field(c, seed, x, y, 4) + 0.5f + 0.4f * (keep - 0.5f) < 1.0f - density)
            continue;
        stn_rgb k = stn_rgb_vary(stn_rgb_mix(dark, light, lit * (0.3f + 0.7f * (float)i / (float)n)), r,
                                 0.12f, 0.06f);
        stn_stroke s = {
            .root = k, .tip = stn_rgb_scale(k, 1.1f), .rise = 0.7f, .shadow = 0.10f, .opacity = 0.85f};

        stn_paint_twig(c, x, y, stn_rng_range(r, 0, 2 * PI), stn_rng_range(r, 5, 10), 1.25f,
                       stn_rng_range(r, -0.4f, 0.4f), &s);
    }
}

static void leaves(stn_canvas *c, stn_rng *r, uint32_t n, uint32_t seed, float density)
{
    static const uint32_t tones[] = {0x6f5630, 0x7d5a2c, 0x5d4526, 0x87683a,
                                     0x6a4a2a, 0x80703c, 0x54402a, 0x725f33};

    for (uint32_t i = 0; i < n; i++) {
        float x, y, keep = stn_rng_unit(r), size = stn_rng_range(r, 7, 13), depth = (float)i / (float)n;

        stn_scatter(c, r, i, n, &x, &y);
        if (density < 1.0f && field(c, seed, x, y, 4) + 0.5f + 0.4f * (keep - 0.5f) < 1.0f - density)
            continue;
        stn_rgb k = stn_rgb_scale(stn_rgb_vary(stn_hex(tones[stn_rng_below(r, 8)]), r, 0.10f, 0.05f),
                                  0.62f + 0.38f * depth);
        stn_stroke s = {.root = stn_rgb_scale(k, 0.92f),
                        .tip = stn_rgb_scale(k, 1.06f),
                        .rise = 1.8f,
                        .shadow = 0.24f,
                        .opacity = 0.96f};

        stn_paint_leaf(c, x, y, stn_rng_range(r, 0, 2 * PI), size, size * stn_rng_range(r, 0.42f, 0.62f),
                       i % 3 ? 0 : 3, &s);
    }
}

static void twigs(stn_canvas *c, stn_rng *r, uint32_t n, float lo, float hi)
{
    for (uint32_t i = 0; i < n; i++) {
        float x, y;

        stn_scatter(c, r, i, n, &x, &y);
        float a = stn_rng_range(r, 0, 2 * PI), l = stn_rng_range(r, lo, hi),
              bend = stn_rng_range(r, -0.5f, 0.5f);
        stn_rgb k = stn_rgb_vary(stn_hex(0x5e4a36), r, 0.18f, 0.04f);
        stn_stroke s = {.root = stn_rgb_scale(k, 0.9f),
                        .tip = stn_rgb_scale(k, 1.15f),
                        .rise = 2.2f,
                        .shadow = 0.28f,
                        .opacity = 1.0f};

        stn_paint_twig(c, x, y, a, l, stn_rng_range(r, 1.6f, 2.8f), bend, &s);
        s.shadow = 0.15f;
        for (int b = 0; b < 2; b++)
            stn_paint_blade(c, x + cosf(a + bend / 2) * l * (0.35f + 0.3f * (float)b),
                            y + sinf(a + bend / 2) * l * (0.35f + 0.3f * (float)b), a + (b ? -0.7f : 0.8f),
                            l * 0.35f, 1.7f, 0.2f, &s);
    }
}

static void paint_forest(stn_canvas *c, unsigned v, stn_rng *r)
{
    stn_rgb base = stn_hex(0x4a4029), light = stn_hex(0x6f5630), dark = stn_hex(0x332c1d),
            mossy = stn_hex(0x56682f);

    ground_base(c, 50 + v, dark, stn_rgb_mix(base, dark, 0.25f), base, 0.8f, 0.07f);
    if (v == 0) {
        needles(c, r, 11000, 500, 1.0f, stn_rgb_mix(dark, base, 0.5f),
                stn_rgb_mix(light, stn_hex(0x8a6a3c), 0.35f));
        moss(c, r, 2600, 505, 0.36f, stn_rgb_mix(mossy, dark, 0.5f), mossy);
        twigs(c, r, 42, 16, 40);
        needles(c, r, 1500, 506, 0.6f, base, stn_hex(0x8a6f42));
    } else if (v == 1) {
        needles(c, r, 2500, 510, 1.0f, dark, light);
        leaves(c, r, 2700, 511, 1.0f);
        twigs(c, r, 26, 14, 34);
    } else {
        needles(c, r, 5200, 520, 1.0f, stn_rgb_mix(dark, base, 0.4f), light);
        moss(c, r, 9500, 525, 0.56f, stn_rgb_mix(mossy, dark, 0.62f), stn_rgb_mix(mossy, base, 0.12f));
        leaves(c, r, 260, 521, 1.0f);
        twigs(c, r, 70, 14, 44);
    }
    ground_tint(c, 59 + v, 0.07f, light);
}

static void paint_sand(stn_canvas *c, unsigned v, stn_rng *r)
{
    stn_rgb base = stn_hex(0xcbb68a), light = stn_hex(0xddcca6), dark = stn_hex(0x9c875f),
            stone = stn_hex(0xa89c86);

    ground_base(c, 60 + v, stn_rgb_mix(base, dark, 0.45f), base, light, 0.5f, 0.025f);
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 512.0f, w = ((float)y + 0.5f) / 512.0f;
            stn_pixel *p = stn_canvas_at(c, x, y);
            /* Wind ripples: a bent grating whose whole number of waves closes at the border; they come and
             * go. */
            float bend = 0.55f * stn_fbm_wrap(601, u, w, 3, 3) + 0.06f * stn_fbm_wrap(602, u, w, 12, 2);
            float phase = 2 * PI * (3.0f * u + 17.0f * w + 3.2f * bend),
                  ripple = sinf(phase) + 0.35f * sinf(2 * phase + 0.9f);
            float where = stn_smooth(-0.15f, 0.3f, stn_fbm_wrap(603, u, w, 4, 2)) * (v == 0   ? 1.0f
                                                                                     : v == 1 ? 0.25f
                                                                                              : 0.4f);

            p->h += ripple * where * 1.7f;
            p->c = stn_rgb_scale(p->c, 1.0f + 0.045f * ripple * where);
            if (v == 2)
                p->c = stn_rgb_mix(p->c, stn_hex(0x8f7d58), 0.62f + 0.25f * stn_fbm_wrap(604, u, w, 4, 3));
        }
    /* Single grains, light and dark. */
    for (uint32_t i = 0; i < 9000; i++) {
        float x = stn_rng_unit(r) * 512, y = stn_rng_unit(r) * 512;
        stn_rgb k = stn_rng_unit(r) < 0.5f ? stn_rgb_mix(dark, base, 0.35f) : light;
        stn_stroke s = {.root = v == 2 ? stn_rgb_scale(k, 0.76f) : k, .rise = 0.3f, .opacity = 0.45f};

        stn_paint_spot(c, x, y, stn_rng_range(r, 0.5f, 1.0f), 0.6f, &s);
    }
    pebbles(c, r,
            v == 1   ? 900
            : v == 2 ? 200
                     : 60,
            1.2f, v == 1 ? 6.5f : 3.6f, stn_rgb_mix(v == 2 ? stn_rgb_scale(stone, 0.82f) : stone, base, 0.3f),
            v == 1 ? 0.6f : 1.0f, 610, 0.12f);
    /* Broken shells, and in the wet part a little weed. */
    for (uint32_t i = 0; i < 40; i++) {
        float x, y;

        stn_scatter(c, r, i, 40, &x, &y);
        stn_stroke s = {.root = stn_hex(0xd9cdb4),
                        .tip = stn_hex(0xefe6d2),
                        .rise = 1.0f,
                        .shadow = 0.18f,
                        .opacity = 0.9f};
        stn_stroke weed = {.root = stn_hex(0x5c5a34),
                           .tip = stn_hex(0x77703f),
                           .rise = 1.0f,
                           .shadow = 0.15f,
                           .opacity = 0.8f};

        if (v == 2 && i % 2)
            stn_paint_twig(c, x, y, stn_rng_range(r, 0, 2 * PI), stn_rng_range(r, 9, 22), 1.8f,
                           stn_rng_range(r, -2, 2), &weed);
        else if (i % 3 == 0)
            stn_paint_leaf(c, x, y, stn_rng_range(r, 0, 2 * PI), stn_rng_range(r, 4, 6.5f), 3.4f, 4, &s);
    }
    ground_tint(c, 69 + v, 0.035f, light);
}

static void paint_dirt(stn_canvas *c, unsigned v, stn_rng *r)
{
    stn_rgb base = stn_hex(0x7d6244), light = stn_hex(0x977b58), dark = stn_hex(0x5e4832);

    ground_base(c, 70 + v, stn_rgb_mix(base, dark, 0.8f), base, light, 0.95f, 0.045f);
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 512.0f, w = ((float)y + 0.5f) / 512.0f, d1, d2;
            uint32_t id;
            stn_pixel *p = stn_canvas_at(c, x, y);
            float warp = 0.02f * stn_fbm_wrap(701, u, w, 9, 2);

            /* Trodden crumbs: cells that crack a little where it dried. */
            stn_cells_wrap(702, (u + warp) * 26, (w - warp) * 26, 26, &d1, &d2, &id);
            float crack =
                stn_smooth(0.10f, 0.0f, d2 - d1) * stn_smooth(-0.1f, 0.35f, stn_fbm_wrap(703, u, w, 4, 2));

            p->c = stn_rgb_scale(p->c, (1.0f - 0.14f * crack) * (0.97f + 0.06f * stn_unit_of(id, 5)));
            p->h -= 1.3f * crack;
        }
    for (uint32_t i = 0; i < 5200; i++) {
        float x = stn_rng_unit(r) * 512, y = stn_rng_unit(r) * 512;
        stn_rgb k = stn_rgb_vary(stn_rgb_mix(dark, light, stn_rng_unit(r)), r, 0.08f, 0.03f);
        stn_stroke s = {.root = stn_rgb_scale(k, 0.82f),
                        .tip = stn_rgb_scale(k, 1.1f),
                        .rise = 0.8f,
                        .shadow = 0.10f,
                        .opacity = 0.6f};

        stn_paint_pebble(c, x, y, stn_rng_range(r, 0, PI), stn_rng_range(r, 0.8f, 2.2f),
                         stn_rng_range(r, 0.8f, 1.8f), i, &s);
    }
    pebbles(c, r, v ? 1100 : 180, 1.3f, v ? 6.5f : 3.6f, stn_hex(0x87785f), v ? 0.7f : 1.0f, 720, 0.22f);
    needles(c, r, 170, 730, 1.0f, stn_rgb_mix(base, light, 0.6f), stn_hex(0xb09a6a));
    ground_tint(c, 79 + v, 0.05f, light);
}

/* A bed of broken rock: blocks of a wrapping lattice, pushed about until no block looks like its neighbour.
 * Cracks open and close along their way; `open` is how much of them shows. */
static void rock_blocks(stn_canvas *c, uint32_t seed, int along, float open, float relief, stn_rgb light,
                        stn_rgb dark)
{
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / (float)c->w, w = ((float)y + 0.5f) / (float)c->h, d1, d2;
            uint32_t id;
            stn_pixel *p = stn_canvas_at(c, x, y);
            float wu = 0.10f * stn_fbm_wrap(seed + 1, u, w, 4, 4),
                  ww = 0.10f * stn_fbm_wrap(seed + 2, u, w, 4, 4);

            /* The lattice is sheared by whole cells, so that it still closes at the border. */
            stn_cells_wrap(seed + 3, (u + wu + w) * (float)along, (w + ww) * (float)along, along, &d1, &d2,
                           &id);
            float gap = d2 - d1,
                  here = stn_smooth(0.25f - open, 0.55f - open, stn_fbm_wrap(seed + 4, u, w, 9, 3) + 0.3f);
            float crack = stn_smooth(0.075f, 0.0f, gap) * here,
                  worn = stn_smooth(0.30f, 0.05f, gap) * (1.0f - crack) * here;
            float tx = stn_unit_of(id, 11) - 0.5f, ty = stn_unit_of(id, 12) - 0.5f;

            p->c = stn_rgb_scale(p->c, 0.93f + 0.14f * stn_unit_of(id, 13) + 0.07f * (ty - tx));
            p->c = stn_rgb_mix(p->c, light, 0.16f * worn);
            p->c = stn_rgb_mix(p->c, stn_rgb_scale(dark, 0.9f), 0.6f * crack);
            p->h += relief * (1.6f * stn_unit_of(id, 14) * stn_smooth(0.0f, 0.2f, gap) - 3.2f * crack);
        }
}

static void paint_rock(stn_canvas *c, unsigned v, stn_rng *r)
{
    stn_rgb base = stn_hex(0x7e7b73), light = stn_hex(0x9a978d), dark = stn_hex(0x55534d),
            lichen = stn_hex(0x8f9472);

    ground_base(c, 80 + v, stn_rgb_mix(base, dark, 0.55f), base, light, 0.8f, 0.05f);
    /* Strata run across the whole rock, bent. */
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 512.0f, w = ((float)y + 0.5f) / 512.0f;
            stn_pixel *p = stn_canvas_at(c, x, y);
            float bent = 0.9f * stn_fbm_wrap(805, u, w, 3, 4), rough = stn_fbm_wrap(806, u, w, 12, 4);
            float bed = sinf(2 * PI * (5.0f * u + 9.0f * w + bent * 2.0f));

            p->c = stn_rgb_scale(p->c, 1.0f + 0.035f * bed + 0.10f * rough);
            p->h += 1.1f * bed + 3.0f * rough;
        }
    rock_blocks(c, 820 + 10 * v, v == 1 ? 9 : 5, v == 1 ? 0.35f : 0.12f, 1.0f, light, dark);
    rock_blocks(c, 850 + 10 * v, v == 1 ? 21 : 13, 0.0f, 0.6f, light, dark);
    /* Fine cracks. */
    for (uint32_t i = 0; i < 90; i++) {
        float x, y;

        stn_scatter(c, r, i, 90, &x, &y);
        stn_stroke s = {.root = stn_rgb_scale(dark, 0.9f), .tip = dark, .rise = -1.4f, .opacity = 0.55f};

        stn_paint_blade(c, x, y, stn_rng_range(r, 0, 2 * PI), stn_rng_range(r, 14, 46), 1.5f,
                        stn_rng_range(r, -0.8f, 0.8f), &s);
    }
    if (v == 1)
        pebbles(c, r, 2600, 1.6f, 10.0f, stn_rgb_mix(base, light, 0.4f), 0.8f, 810, 0.05f);
    else
        pebbles(c, r, 260, 1.3f, 4.5f, base, 0.8f, 811, 0.1f);
    /* Lichen: rings of crumbs; most in its own variant. */
    for (uint32_t i = 0; i < (v == 2 ? 330u : 60u); i++) {
        float x, y, size = stn_rng_range(r, 4, 17);

        stn_scatter(c, r, i, v == 2 ? 330 : 60, &x, &y);
        stn_rgb tone = stn_rgb_mix(lichen,
                                   i % 5 == 0 ? stn_hex(0xa9a05e)
                                   : i % 3    ? stn_hex(0xa3a694)
                                              : lichen,
                                   0.6f);
        float here = field(c, 820, x, y, 4);

        if (here < (v == 2 ? -0.15f : 0.1f))
            continue;
        for (int b = 0; b < 60; b++) {
            float a = stn_rng_range(r, 0, 2 * PI), d = size * sqrtf(stn_rng_unit(r));
            stn_rgb k = stn_rgb_vary(tone, r, 0.10f, 0.03f);
            stn_stroke s = {.root = stn_rgb_scale(k, 0.92f), .tip = k, .rise = 0.5f, .opacity = 0.55f};

            stn_paint_pebble(c, x + d * cosf(a), y + d * sinf(a), a, stn_rng_range(r, 0.9f, 2.3f),
                             stn_rng_range(r, 0.9f, 1.9f), i * 64u + (uint32_t)b, &s);
        }
    }
    if (v == 2)
        moss(c, r, 4200, 830, 0.34f, stn_hex(0x4f5636), stn_hex(0x6f7845));
    ground_tint(c, 89 + v, 0.05f, light);
}

static void paint_field(stn_canvas *c, unsigned v, stn_rng *r)
{
    stn_rgb base = stn_hex(0x5c4430), light = stn_hex(0x785c42), dark = stn_hex(0x3f2e20);

    (void)v;
    ground_base(c, 90, dark, base, light, 0.5f, 0.05f);
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 512.0f, w = ((float)y + 0.5f) / 512.0f;
            stn_pixel *p = stn_canvas_at(c, x, y);
            /* Two furrows and a half a tile; they waver as a hand led the plough. */
            float f =
                16.0f * w + 0.16f * stn_fbm_wrap(901, u, w, 4, 3) + 0.06f * stn_fbm_wrap(902, u, w, 20, 2);
            float ridge = 0.5f + 0.5f * cosf(2 * PI * f);

            p->c = stn_rgb_mix(stn_rgb_mix(dark, base, 0.55f), stn_rgb_mix(base, light, 0.75f), ridge);
            p->c = stn_rgb_scale(p->c, 1.0f + 0.12f * stn_fbm_wrap(903, u, w, 30, 3));
            p->h = 7.0f * ridge;
        }
    for (uint32_t i = 0; i < 4200; i++) {
        float x = stn_rng_unit(r) * 512, y = stn_rng_unit(r) * 512, size = stn_rng_unit(r);
        stn_pixel under = *stn_canvas_at(c, (int)x, (int)y);
        stn_rgb k = stn_rgb_vary(under.c, r, 0.16f, 0.04f);
        stn_stroke s = {.root = stn_rgb_scale(k, 0.75f),
                        .tip = stn_rgb_scale(k, 1.18f),
                        .rise = 1.2f,
                        .shadow = 0.20f,
                        .opacity = 0.95f};

        stn_paint_pebble(c, x, y, stn_rng_range(r, 0, PI), 1.5f + 4.5f * size * size,
                         1.3f + 3.6f * size * size, i, &s);
    }
    needles(c, r, 150, 904, 1.0f, stn_hex(0x7a6640), stn_hex(0x978155));
    ground_tint(c, 99, 0.04f, light);
}

static void paint_bed(stn_canvas *c, unsigned v, stn_rng *r)
{
    stn_rgb base = stn_hex(0x7b7a58), light = stn_hex(0x97946e), dark = stn_hex(0x57573f);

    ground_base(c, 110 + v, dark, base, light, 0.7f, 0.04f);
    if (v == 0) {
        pebbles(c, r, 4200, 1.8f, 12.0f, stn_rgb_mix(base, stn_hex(0x9a9484), 0.5f), 0.92f, 1100, 0.0f);
        moss(c, r, 1500, 1110, 0.30f, stn_hex(0x47502f), stn_hex(0x616b3d));
    } else {
        for (int y = 0; y < c->h; y++)
            for (int x = 0; x < c->w; x++) {
                float u = ((float)x + 0.5f) / 512.0f, w = ((float)y + 0.5f) / 512.0f;
                stn_pixel *p = stn_canvas_at(c, x, y);
                float phase = 2 * PI * (12.0f * w + 2.0f * u + 1.7f * stn_fbm_wrap(1101, u, w, 4, 3));

                p->h += 1.3f * sinf(phase);
                p->c = stn_rgb_scale(p->c, 1.0f + 0.035f * sinf(phase));
            }
        pebbles(c, r, 420, 1.5f, 7.0f, stn_hex(0x8a8672), 0.7f, 1102, 0.3f);
    }
    ground_tint(c, 119 + v, 0.06f, light);
}

static void paint_deepbed(stn_canvas *c, unsigned v, stn_rng *r)
{
    stn_rgb base = stn_hex(0x3f5a54), light = stn_hex(0x546c62), dark = stn_hex(0x2c4a54);

    (void)v;
    ground_base(c, 130, dark, base, light, 0.8f, 0.03f);
    pebbles(c, r, 300, 2.0f, 9.0f, stn_hex(0x5f6f68), 0.7f, 1301, 0.4f);
    moss(c, r, 2200, 1302, 0.32f, stn_hex(0x2c4238), stn_hex(0x3d5a44));
    ground_tint(c, 139, 0.06f, light);
}

stn_canvas *stn_ground_paint(unsigned i, unsigned v)
{
    static void (*const paint[STN_GROUND_LOOKS])(stn_canvas *, unsigned, stn_rng *) = {
        paint_heath, paint_grass, paint_forest, paint_field,   paint_dirt,
        paint_sand,  paint_rock,  paint_bed,    paint_deepbed,
    };
    stn_canvas *c = stn_canvas_new(STN_GROUND_SIDE, STN_GROUND_SIDE, true);
    stn_rng r = stn_rng_of(1000u + 16u * i + v);

    if (c) {
        paint[i](c, v, &r);
        if (!even_out(c, 0.8f)) {
            stn_canvas_free(c);
            c = NULL;
        }
    }
    return c;
}

stn_canvas *stn_cliff_paint(void)
{
    stn_rgb base = stn_hex(0x76736b), light = stn_hex(0x9a978d), dark = stn_hex(0x4a4843),
            warm = stn_hex(0x837a68);
    stn_canvas *c = stn_canvas_new(256, 512, true);
    stn_rng r = stn_rng_of(2001);

    if (!c)
        return NULL;
    ground_base(c, 2002, stn_rgb_mix(base, dark, 0.6f), stn_rgb_mix(base, warm, 0.3f), light, 0.8f, 0.05f);
    /* Beds of rock lie level; the blocks between them are pushed about. */
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float u = ((float)x + 0.5f) / 256.0f, v = ((float)y + 0.5f) / 512.0f;
            stn_pixel *p = stn_canvas_at(c, x, y);
            float n = stn_fbm_wrap(2005, u, v, 6, 5),
                  bed = sinf(2 * PI * (7.0f * v + 0.5f * stn_fbm_wrap(2006, u, v, 3, 3)));

            p->c = stn_rgb_scale(p->c, 1.0f + 0.08f * bed + 0.12f * n);
            p->h += 2.0f * bed + 2.5f * n;
        }
    rock_blocks(c, 2010, 4, 0.35f, 1.2f, light, dark);
    rock_blocks(c, 2030, 9, 0.15f, 0.7f, light, dark);
    for (uint32_t i = 0; i < 60; i++) {
        float x, y;

        stn_scatter(c, &r, i, 60, &x, &y);
        stn_stroke s = {.root = dark, .tip = stn_rgb_scale(dark, 0.9f), .rise = -1.6f, .opacity = 0.6f};

        stn_paint_blade(c, x, y, (i & 1 ? 0.0f : 1.4f) + stn_rng_range(&r, -0.3f, 0.3f),
                        stn_rng_range(&r, 16, 60), 1.8f, stn_rng_range(&r, -0.5f, 0.5f), &s);
    }
    moss(c, &r, 700, 2010, 0.3f, stn_hex(0x4f5636), stn_hex(0x6f7845));
    return c;
}
