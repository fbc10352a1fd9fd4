/* trees.c - birch, spruce, pine, beech, bushes: a bent, tapered trunk with roots, and a crown of cards.
 *
 * The cards' normals point out from the crown's middle, so that the crown shades as one soft mass; each takes
 * one of four sprays, so that colour varies by card (docs/look.md, "Things").
 */
#include "homestead/pack/builders.h"
#include "homestead/pack/surfaces.h"

#include <math.h>

#define PI 3.14159265f

enum { MAT_BARK = 0, MAT_LEAF = 1 };

static stn_model *tree_model(stn_canvas *bark, stn_canvas *spray)
{
    stn_model *m = stn_model_new();

    if (!m) {
        stn_canvas_free(bark);
        stn_canvas_free(spray);
        return NULL;
    }
    if (bark) {
        stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, bark);
        stn_model_material(m, MAT_BARK, 0);
    }
    stn_model_texture(m, 1, STN_TEXTURE_CUTOUT, 0, spray);
    stn_material *leaf = stn_model_material(m, MAT_LEAF, 1);

    leaf->cutout = leaf->two_sided = true;
    m->spr_class = "haven.res.lib.tree.Factory";
    m->spr_lib = "lib/tree";
    m->spr_version = 15;
    return m;
}

/* The quarter of the spray sheet for one card. */
static void quarter(stn_rng *r, float *s0, float *t0)
{
    uint32_t q = stn_rng_below(r, 4);

    /* A little inside, so that filtering does not fetch the neighbour. */
    *s0 = (q & 1 ? 0.5f : 0.0f) + 0.004f;
    *t0 = (q & 2 ? 0.5f : 0.0f) + 0.004f;
}

#define QUARTER 0.492f

static stn_v3 bent(float t, float height, float lean, float turn)
{
    float off = lean * height * (t * t * 0.7f + 0.3f * t * sinf(2.2f * t + turn));

    return (stn_v3){off * cosf(turn), off * sinf(turn), height * t};
}

typedef struct trunk {
    float height, radius, top, lean, turn;
    unsigned around;
} trunk;

/* Radius at a height: a flare at the foot, then a steady taper. */
static float trunk_radius(const trunk *k, float t)
{
    return stn_mixf(k->radius, k->top, powf(t, 0.85f)) + k->radius * 0.75f * expf(-t * k->height / 3.2f);
}

static void grow_trunk(stn_shape *s, const trunk *k, float upto)
{
    enum { RINGS = 9 };
    static const float at[RINGS] = {-0.03f, 0.02f, 0.06f, 0.14f, 0.28f, 0.45f, 0.63f, 0.82f, 1.0f};
    stn_v3 path[RINGS];
    float radius[RINGS];

    for (int i = 0; i < RINGS; i++) {
        float t = at[i] * upto;

        path[i] = t < 0 ? (stn_v3){0, 0, t * k->height} : bent(t, k->height, k->lean, k->turn);
        radius[i] = trunk_radius(k, fmaxf(t, 0));
    }
    stn_shape_tube(s, path, radius, RINGS, k->around, 1.0f + roundf(k->radius * 0.5f), 1.0f / 26.0f, true);
    /* Roots: short tapered arms that dive into the ground. */
    for (int i = 0; i < 5; i++) {
        float a = k->turn + 2 * PI * ((float)i + 0.3f * sinf((float)i * 2.4f)) / 5.0f, c = cosf(a),
              q = sinf(a), l = k->radius * 2.1f;
        stn_v3 arm[3] = {{c * k->radius * 0.8f, q * k->radius * 0.8f, k->radius * 0.8f},
                         {c * l * 0.72f, q * l * 0.72f, k->radius * 0.25f},
                         {c * l * 1.15f, q * l * 1.15f, -k->radius * 0.6f}};
        float rr[3] = {k->radius * 0.50f, k->radius * 0.30f, k->radius * 0.10f};

        stn_shape_tube(s, arm, rr, 3, 5, 1.0f, 1.0f / 26.0f, false);
    }
}

static void branch(stn_shape *s, stn_v3 from, stn_v3 to, float radius, float sag)
{
    stn_v3 mid = stn_v3_mix(from, to, 0.55f);
    float rr[3] = {radius, radius * 0.66f, radius * 0.22f};

    mid.z += sag;
    stn_v3 path[3] = {from, mid, to};

    stn_shape_tube(s, path, rr, 3, 5, 1.0f, 1.0f / 26.0f, false);
}

static stn_v3 sphere_dir(stn_rng *r)
{
    float z = stn_rng_range(r, -1, 1), a = stn_rng_range(r, 0, 2 * PI), q = sqrtf(1 - z * z);

    return (stn_v3){q * cosf(a), q * sinf(a), z};
}

/* A card that faces about `face`, turned by chance, with normals away from `heart`. */
static void crown_card(stn_shape *s, stn_rng *r, stn_v3 at, stn_v3 face, float size, stn_v3 heart)
{
    stn_xf f = stn_xf_turn(stn_xf_along(at, face), 0, 0, stn_rng_range(r, 0, 2 * PI));
    float h = size / 2, s0, t0;
    stn_v3 corner[4] = {stn_xf_point(&f, -h, -h, 0), stn_xf_point(&f, h, -h, 0), stn_xf_point(&f, h, h, 0),
                        stn_xf_point(&f, -h, h, 0)};
    stn_v3 normal[4];

    for (int i = 0; i < 4; i++) {
        stn_v3 out = stn_v3_norm(stn_v3_sub(corner[i], heart));

        /* Lifted: the sky lights a crown more than a ball. */
        out.z += 0.25f;
        normal[i] = stn_v3_norm(out);
    }
    quarter(r, &s0, &t0);
    stn_shape_card(s, corner, normal, s0, t0, s0 + QUARTER, t0 + QUARTER);
}

/* A crown of cards spread over an ellipsoid: even over its surface by the golden angle, pulled in by chance.
 */
static void crown_ball(stn_shape *s, stn_rng *r, stn_v3 heart, stn_v3 radii, int cards, float size,
                       float from_z)
{
    for (int i = 0; i < cards; i++) {
        float t = ((float)i + 0.5f) / (float)cards, z = stn_mixf(1.0f, from_z, t),
              a = (float)i * 2.39996f + 0.5f * stn_rng_bell(r);
        float q = sqrtf(fmaxf(0, 1 - z * z)), in = stn_rng_range(r, 0.62f, 0.95f);
        stn_v3 d = {q * cosf(a), q * sinf(a), z};
        stn_v3 at = {heart.x + d.x * radii.x * in, heart.y + d.y * radii.y * in,
                     heart.z + d.z * radii.z * in};
        stn_v3 face = stn_v3_norm(stn_v3_add(d, stn_v3_scale(sphere_dir(r), 0.75f)));

        crown_card(s, r, at, face, size * stn_rng_range(r, 0.82f, 1.15f), heart);
    }
}

static stn_model *build_birch(void)
{
    stn_model *m =
        tree_model(stn_bark_birch(), stn_spray_leaves(5300, 0x3f5a2e, 0x7d9450, 0xa3a860, 21, 0.62f, 300));
    stn_rng r = stn_rng_of(7100);

    if (!m)
        return NULL;
    stn_shape *wood = &stn_model_part(m, MAT_BARK)->shape, *leaf = &stn_model_part(m, MAT_LEAF)->shape;
    trunk k = {.height = 92, .radius = 2.1f, .top = 0.5f, .lean = 0.05f, .turn = 0.6f, .around = 7};

    grow_trunk(wood, &k, 0.97f);
    for (int i = 0; i < 8; i++) {
        float t = 0.36f + 0.07f * (float)i, a = (float)i * 2.4f, l = 17.0f * (1.15f - t);
        stn_v3 from = bent(t, k.height, k.lean, k.turn), to = from;

        to.x += l * cosf(a);
        to.y += l * sinf(a);
        to.z += l * 0.9f;
        branch(wood, from, to, 0.75f * (1.2f - t), 1.5f);
    }
    /* A tall, airy crown in storeys that overlap; the lowest hangs. */
    crown_ball(leaf, &r, bent(0.90f, 92, k.lean, k.turn), (stn_v3){7.5f, 7.5f, 12}, 9, 13, -0.9f);
    crown_ball(leaf, &r, bent(0.75f, 92, k.lean, k.turn), (stn_v3){12, 12, 16}, 15, 15, -0.9f);
    crown_ball(leaf, &r, bent(0.58f, 92, k.lean, k.turn), (stn_v3){14.5f, 14, 16}, 17, 16, -0.85f);
    crown_ball(leaf, &r, bent(0.44f, 92, k.lean, k.turn), (stn_v3){11, 12, 9}, 9, 14, -0.8f);
    return m;
}

static stn_model *build_beech(void)
{
    stn_model *m =
        tree_model(stn_bark_beech(), stn_spray_leaves(5400, 0x38502a, 0x65803f, 0x868d46, 25, 0.66f, 240));
    stn_rng r = stn_rng_of(7200);

    if (!m)
        return NULL;
    stn_shape *wood = &stn_model_part(m, MAT_BARK)->shape, *leaf = &stn_model_part(m, MAT_LEAF)->shape;
    trunk k = {.height = 90, .radius = 4.4f, .top = 1.0f, .lean = 0.03f, .turn = 2.2f, .around = 9};
    stn_v3 heart = bent(0.66f, 90, k.lean, k.turn);

    grow_trunk(wood, &k, 0.85f);
    for (int i = 0; i < 8; i++) {
        float t = 0.26f + 0.06f * (float)i, a = (float)i * 2.4f + 0.4f, l = 27.0f * (1.1f - 0.6f * t);
        stn_v3 from = bent(t, k.height, k.lean, k.turn), to = from;

        to.x += l * cosf(a);
        to.y += l * sinf(a);
        to.z += l * 0.75f;
        branch(wood, from, to, 1.9f * (1.1f - t), 2.5f);
    }
    crown_ball(leaf, &r, heart, (stn_v3){29, 29, 27}, 42, 25, -0.75f);
    crown_ball(leaf, &r, (stn_v3){heart.x, heart.y, heart.z + 5}, (stn_v3){17, 17, 18}, 14, 24, -0.6f);
    return m;
}

static stn_model *build_spruce(void)
{
    stn_model *m = tree_model(stn_bark_spruce(), stn_spray_spruce());
    stn_rng r = stn_rng_of(7300);
    enum { TIERS = 14 };

    if (!m)
        return NULL;
    stn_shape *wood = &stn_model_part(m, MAT_BARK)->shape, *leaf = &stn_model_part(m, MAT_LEAF)->shape;
    trunk k = {.height = 112, .radius = 3.0f, .top = 0.3f, .lean = 0.015f, .turn = 4.0f, .around = 7};

    grow_trunk(wood, &k, 0.98f);
    for (int tier = 0; tier < TIERS; tier++) {
        float t = (float)tier / (TIERS - 1), z = stn_mixf(15, 107, powf(t, 0.95f)),
              reach = stn_mixf(26, 6.5f, powf(t, 0.9f));
        int n = tier < 6 ? 6 : 5;
        stn_v3 axis = bent(z / k.height, k.height, k.lean, k.turn);

        for (int i = 0; i < n; i++) {
            float a = 2 * PI * ((float)i + 0.5f * (float)(tier & 1) + 0.16f * stn_rng_bell(&r)) / (float)n +
                      (float)tier * 0.7f;
            float l = reach * stn_rng_range(&r, 0.86f, 1.1f), w = l * 1.02f, s0, t0, ca = cosf(a),
                  sa = sinf(a);
            float drop = l * stn_rng_range(&r, 0.38f, 0.52f) * (1.05f - 0.4f * t), lift = l * 0.10f,
                  roll = 0.25f * stn_rng_bell(&r);
            /* Two quads: out level, then down, as a loaded branch hangs. */
            float out[3] = {0.0f, 0.52f, 1.0f}, down[3] = {lift + 1.5f, lift * 0.4f - 0.24f * drop, -drop};

            quarter(&r, &s0, &t0);
            for (int q = 0; q < 2; q++) {
                stn_v3 c[4], nn[4];

                for (int e = 0; e < 4; e++) {
                    /* Corners: right near, right far, left far, left near, seen from above. */
                    int far = e == 1 || e == 2;
                    float side = e < 2 ? -0.5f : 0.5f, o = out[q + far] * l,
                          zz = axis.z + down[q + far] + side * w * roll;

                    c[e] = (stn_v3){axis.x + ca * o - sa * side * w, axis.y + sa * o + ca * side * w, zz};
                    nn[e] =
                        stn_v3_norm((stn_v3){ca * (0.35f + 0.5f * out[q + far]) - sa * side * 0.6f,
                                             sa * (0.35f + 0.5f * out[q + far]) + ca * side * 0.6f, 0.75f});
                }
                stn_shape_card(leaf, c, nn, s0 + QUARTER * out[q], t0, s0 + QUARTER * out[q + 1],
                               t0 + QUARTER);
            }
        }
    }
    /* The top shoot. */
    for (int i = 0; i < 2; i++) {
        float a = PI / 2 * (float)i + 0.3f, s0, t0;
        stn_v3 top = bent(1.0f, k.height, k.lean, k.turn), side = {2.6f * cosf(a), 2.6f * sinf(a), 0},
               up = {0, 0, 1};
        stn_v3 low = {top.x, top.y, top.z - 9}, high = {top.x, top.y, top.z + 6};
        stn_v3 c[4] = {stn_v3_sub(low, side), stn_v3_sub(high, stn_v3_scale(side, 0.5f)),
                       stn_v3_add(high, stn_v3_scale(side, 0.5f)), stn_v3_add(low, side)};
        stn_v3 nn[4] = {up, up, up, up};

        quarter(&r, &s0, &t0);
        stn_shape_card(leaf, c, nn, s0 + 0.2f, t0 + 0.12f, s0 + QUARTER, t0 + 0.37f);
    }
    return m;
}

static stn_model *build_pine(void)
{
    stn_model *m = tree_model(stn_bark_pine(), stn_spray_pine());
    stn_rng r = stn_rng_of(7400);

    if (!m)
        return NULL;
    stn_shape *wood = &stn_model_part(m, MAT_BARK)->shape, *leaf = &stn_model_part(m, MAT_LEAF)->shape;
    trunk k = {.height = 100, .radius = 3.1f, .top = 0.8f, .lean = 0.07f, .turn = 5.1f, .around = 8};

    grow_trunk(wood, &k, 0.96f);
    /* Flat clouds of needles on long arms, high up. */
    for (int i = 0; i < 9; i++) {
        float t = 0.50f + 0.055f * (float)i, a = (float)i * 2.4f + 1.0f, l = 25.0f * (1.22f - t) + 5;
        stn_v3 from = bent(t, k.height, k.lean, k.turn), to = from;

        to.x += l * cosf(a);
        to.y += l * sinf(a);
        to.z += l * 0.38f;
        branch(wood, from, to, 1.25f * (1.3f - t), 1.0f);
        crown_ball(leaf, &r, to, (stn_v3){9.5f, 9.5f, 5.0f}, 5, 16, -0.45f);
    }
    crown_ball(leaf, &r, bent(0.98f, k.height, k.lean, k.turn), (stn_v3){10, 10, 7}, 8, 16, -0.5f);
    return m;
}

static stn_model *build_bush(void)
{
    stn_model *m = tree_model(NULL, stn_spray_leaves(5500, 0x364c26, 0x66803f, 0x909452, 23, 0.58f, 230));
    stn_rng r = stn_rng_of(7500);

    if (!m)
        return NULL;
    stn_shape *leaf = &stn_model_part(m, MAT_LEAF)->shape;

    crown_ball(leaf, &r, (stn_v3){0, 0, 5}, (stn_v3){8.5f, 7.5f, 7}, 15, 11, -0.15f);
    crown_ball(leaf, &r, (stn_v3){5, 2, 3.5f}, (stn_v3){5, 5, 4.5f}, 6, 9, 0.0f);
    return m;
}

static stn_model *build_juniper(void)
{
    stn_model *m = tree_model(NULL, stn_spray_pine());
    stn_rng r = stn_rng_of(7600);

    if (!m)
        return NULL;
    stn_shape *leaf = &stn_model_part(m, MAT_LEAF)->shape;

    m->materials[0].tint = (stn_rgb){0.92f, 1.0f, 1.02f};
    crown_ball(leaf, &r, (stn_v3){0, 0, 6}, (stn_v3){4.2f, 3.8f, 8}, 15, 9, -0.55f);
    crown_ball(leaf, &r, (stn_v3){3.5f, 1.5f, 4}, (stn_v3){3.2f, 3, 5.5f}, 7, 7.5f, -0.4f);
    return m;
}

const stn_builder stn_tree_builders[] = {
    {"homestead/trees/birch", build_birch},
    {"homestead/trees/spruce", build_spruce},
    {"homestead/trees/pine", build_pine},
    {"homestead/trees/beech", build_beech},
    {"homestead/bushes/bush", build_bush},
    {"homestead/bushes/juniper", build_juniper},
    {NULL, NULL},
};
