/* flavor.c - small growth that the ground itself scatters: tufts, flowers, heather, ferns, pebbles, twigs.
 *
 * Flavor objects are many, so each is a few crossed cards or a handful of stones.
 */
#include "homestead/pack/builders.h"
#include "homestead/pack/surfaces.h"

#include <math.h>

#define PI 3.14159265f

/* Crossed cards that stand on the ground, lit as the ground is. */
static stn_model *crossed(stn_canvas *picture, int cards, float wide, float high)
{
    stn_model *m = stn_model_new();

    if (!m) {
        stn_canvas_free(picture);
        return NULL;
    }
    stn_model_texture(m, 0, STN_TEXTURE_CUTOUT, 0, picture);
    stn_material *mat = stn_model_material(m, 0, 0);

    mat->cutout = mat->two_sided = mat->no_shadow = mat->unlined = true;
    stn_shape *s = &stn_model_part(m, 0)->shape;

    for (int i = 0; i < cards; i++) {
        float a = PI * (float)i / (float)cards + 0.3f, c = 0.5f * wide * cosf(a), q = 0.5f * wide * sinf(a),
              lean = 0.12f * high;
        stn_v3 k[4] = {{-c, -q, -0.3f},
                       {c, q, -0.3f},
                       {c - lean * sinf(a), q + lean * cosf(a), high},
                       {-c - lean * sinf(a), -q + lean * cosf(a), high}};
        stn_v3 up = {0, 0, 1}, n[4] = {up, up, up, up};

        stn_shape_card(s, k, n, 0, 0, 1, 1);
    }
    return m;
}

/* Blades from the foot of a card of 128 pixels. */
static void card_blades(stn_canvas *c, stn_rng *r, int n, uint32_t dark, uint32_t light, float lo, float hi,
                        float width, float spread)
{
    for (int i = 0; c && i < n; i++) {
        stn_rgb k =
            stn_rgb_vary(stn_rgb_mix(stn_hex(dark), stn_hex(light), (float)i / (float)n), r, 0.08f, 0.03f);
        stn_stroke s = {
            .root = stn_rgb_scale(k, 0.7f), .tip = stn_rgb_scale(k, 1.12f), .shadow = 0.12f, .opacity = 1};
        float lean = spread * stn_rng_bell(r);

        stn_paint_blade(c, 64 + 26 * stn_rng_bell(r) * (0.4f + spread), 127, -PI / 2 + lean,
                        stn_rng_range(r, lo, hi), width, lean * 0.8f, &s);
    }
}

static stn_model *build_tuft(void)
{
    stn_canvas *c = stn_canvas_new(128, 128, false);
    stn_rng r = stn_rng_of(9700);

    card_blades(c, &r, 46, 0x46602a, 0x8a9a50, 55, 118, 6.0f, 0.55f);
    return crossed(c, 3, 6.5f, 5.5f);
}

/* Flower heads on stalks among a few blades. */
static stn_model *flowers(uint32_t seed, uint32_t petal, uint32_t heart, int petals, float size, float high)
{
    stn_canvas *c = stn_canvas_new(128, 128, false);
    stn_rng r = stn_rng_of(seed);

    if (!c)
        return NULL;
    card_blades(c, &r, 16, 0x46602a, 0x7b9446, 25, 62, 4.5f, 0.6f);
    for (int i = 0; i < 7; i++) {
        float lean = 0.42f * stn_rng_bell(&r), h = stn_rng_range(&r, 62, 106), x = 64 + 20 * stn_rng_bell(&r);
        float hx = x + h * sinf(lean), hy = 127 - h * cosf(lean), turn = stn_rng_unit(&r) * 6;
        stn_stroke stalk = {.root = stn_hex(0x46602a), .tip = stn_hex(0x6f8a40), .opacity = 1};

        stn_paint_twig(c, x, 127, -PI / 2 + lean, h, 2.2f, 0, &stalk);
        for (int p = 0; p < petals; p++) {
            float a = turn + 2 * PI * (float)p / (float)petals;
            stn_rgb k = stn_rgb_vary(stn_hex(petal), &r, 0.06f, 0.03f);
            stn_stroke s = {.root = stn_rgb_scale(k, 0.86f), .tip = k, .opacity = 1};

            stn_paint_leaf(c, hx + 0.5f * size * cosf(a), hy + 0.5f * size * sinf(a), a, size * 1.1f,
                           size * 0.62f, 0, &s);
        }
        stn_stroke dot = {.root = stn_hex(heart), .opacity = 1};

        stn_paint_spot(c, hx, hy, size * 0.26f, 0.8f, &dot);
    }
    return crossed(c, 2, 5.5f, high);
}

static stn_model *build_white(void)
{
    return flowers(9710, 0xe9e6da, 0xd8b23e, 9, 10, 5.0f);
}

static stn_model *build_yellow(void)
{
    return flowers(9720, 0xdcb83a, 0xa87c22, 5, 10, 4.5f);
}

static stn_model *build_violet(void)
{
    return flowers(9730, 0x83629c, 0x4f3a66, 6, 9, 5.5f);
}

static stn_model *build_heather(void)
{
    stn_canvas *c = stn_canvas_new(128, 128, false);
    stn_rng r = stn_rng_of(9740);

    card_blades(c, &r, 30, 0x4c4034, 0x6a6a3c, 40, 82, 4.0f, 0.8f);
    for (int i = 0; c && i < 26; i++) {
        float lean = 0.75f * stn_rng_bell(&r), h = stn_rng_range(&r, 50, 108);

        for (int b = 0; b < 11; b++) {
            float q = h * (0.5f + 0.05f * (float)b);
            stn_rgb k = stn_rgb_vary(stn_rgb_mix(stn_hex(0x6f4f6c), stn_hex(0xa680a0), (float)b / 11), &r,
                                     0.1f, 0.04f);
            stn_stroke s = {.root = k, .tip = stn_rgb_scale(k, 1.1f), .opacity = 1};

            stn_paint_pebble(c, 64 + 9 * stn_rng_bell(&r) * 0.4f + q * sinf(lean), 127 - q * cosf(lean), 0,
                             3.1f, 2.6f, (uint32_t)(i * 16 + b), &s);
        }
    }
    return crossed(c, 3, 6.5f, 4.6f);
}

static stn_model *build_fern(void)
{
    stn_canvas *c = stn_canvas_new(128, 128, false);
    stn_rng r = stn_rng_of(9750);

    for (int f = 0; c && f < 7; f++) {
        float lean = -0.95f + 0.32f * (float)f, x = 64, y = 127, a = -PI / 2 + lean * 0.5f;

        for (int i = 0; i < 22; i++) {
            float t = (float)i / 22, l = 22 * sinf(PI * (0.12f + 0.88f * t)) * (1 - 0.4f * t);
            stn_rgb k = stn_rgb_vary(stn_rgb_mix(stn_hex(0x3f5a2c), stn_hex(0x7d9448), 0.2f + 0.8f * t), &r,
                                     0.07f, 0.03f);
            stn_stroke s = {
                .root = stn_rgb_scale(k, 0.8f), .tip = stn_rgb_scale(k, 1.1f), .shadow = 0.1f, .opacity = 1};

            x += 5.2f * cosf(a);
            y += 5.2f * sinf(a);
            a += lean * 0.055f;
            for (int side = -1; side <= 1; side += 2)
                stn_paint_blade(c, x, y, a + (float)side * 1.15f, l, 4.2f, (float)-side * 0.3f, &s);
        }
    }
    return crossed(c, 3, 13, 9);
}

static stn_model *build_pebbles(void)
{
    stn_model *m = stn_model_new();
    static const float at[5][4] = {{0, 0, 1.0f, 0.7f},
                                   {1.9f, 0.8f, 0.7f, 0.5f},
                                   {-1.2f, 1.5f, 0.5f, 0.4f},
                                   {0.8f, -1.7f, 0.6f, 0.4f},
                                   {-1.9f, -0.9f, 0.4f, 0.3f}};

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_stone_face(0x938b7d, false));
    stn_material *mat = stn_model_material(m, 0, 0);

    mat->no_shadow = mat->unlined = true;
    for (int i = 0; i < 5; i++) {
        stn_xf f = stn_xf_turn(stn_xf_at(at[i][0], at[i][1], -0.2f), 0, 0, (float)i * 1.7f);

        if (i == 0)
            stn_model_part(m, 0);
        stn_shape_stone(&m->parts[0].shape, &f, (stn_v3){at[i][2], at[i][2] * 0.75f, at[i][3]},
                        60u + (uint32_t)i, 0.2f, 0.4f, 0.25f, 6);
    }
    return m;
}

static stn_model *build_twig(void)
{
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_plain(0x5e4a36, 0.4f));
    stn_material *mat = stn_model_material(m, 0, 0);

    mat->no_shadow = mat->unlined = true;
    stn_shape *s = &stn_model_part(m, 0)->shape;
    stn_v3 a[3] = {{-3.6f, -0.4f, 0.25f}, {0, 0.3f, 0.35f}, {3.8f, -0.2f, 0.15f}},
           b[2] = {{-0.2f, 0.3f, 0.3f}, {2.0f, 2.0f, 0.5f}}, c[2] = {{1.2f, 0.2f, 0.3f}, {2.8f, -1.5f, 0.2f}};
    float ra[3] = {0.26f, 0.22f, 0.10f}, rb[2] = {0.15f, 0.05f};

    stn_shape_tube(s, a, ra, 3, 5, 1, 0.2f, true);
    stn_shape_tube(s, b, rb, 2, 4, 1, 0.2f, true);
    stn_shape_tube(s, c, rb, 2, 4, 1, 0.2f, true);
    return m;
}

const stn_builder stn_flavor_builders[] = {
    {"homestead/flavor/tuft", build_tuft},
    {"homestead/flavor/white", build_white},
    {"homestead/flavor/yellow", build_yellow},
    {"homestead/flavor/violet", build_violet},
    {"homestead/flavor/heather", build_heather},
    {"homestead/flavor/fern", build_fern},
    {"homestead/flavor/pebbles", build_pebbles},
    {"homestead/flavor/twig", build_twig},
    {NULL, NULL},
};
