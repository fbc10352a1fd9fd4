/* things.c - furniture and gear: crate, cupboard, barrel, fence, well, rowboat, guidepost. */
#include "homestead/pack/builders.h"
#include "homestead/pack/joiner.h"
#include "homestead/pack/surfaces.h"

#include <math.h>
#include <stddef.h>

#define PI 3.14159265f

static stn_model *build_crate(void)
{
    stn_joiner j;
    stn_model *m = stn_joiner_model("homestead/wood/pine", &j, 8100);
    const float w = 10, d = 8, h = 7.5f;

    if (!m)
        return NULL;
    for (int sx = -1; sx <= 1; sx += 2)
        for (int sy = -1; sy <= 1; sy += 2)
            stn_joiner_saw(&j, j.beam,
                           stn_joiner_upright((float)sx * (w / 2 - 0.5f), (float)sy * (d / 2 - 0.5f), h / 2),
                           h, 1.0f, 1.0f, 0.12f);
    for (int side = 0; side < 4; side++) {
        stn_xf face = stn_xf_turn(stn_xf_id(), 0, 0, (float)side * PI / 2);
        float length = side & 1 ? d : w, off = (side & 1 ? w : d) / 2 + 0.12f;

        for (int b = 0; b < 3; b++) {
            float z = 1.45f + 2.45f * (float)b;

            stn_joiner_saw(&j, j.board, stn_xf_turn(stn_xf_move(face, 0, -off, z), 0, 0, 0), length + 0.3f,
                           0.5f, 2.25f, 0.1f);
            for (int e = -1; e <= 1; e += 2)
                for (int k = -1; k <= 1; k += 2) {
                    stn_v3 at = stn_xf_point(&face, (float)e * (length / 2 - 0.5f), -off - 0.26f,
                                             z + 0.55f * (float)k);

                    stn_joiner_nail(&j, at, stn_xf_dir(&face, 0, -1, 0));
                }
        }
        if (!(side & 1))
            stn_joiner_saw(&j, j.beam,
                           stn_xf_turn(stn_xf_move(face, 0, -off - 0.42f, h / 2 + 0.1f), 0, -0.60f, 0),
                           length * 0.98f, 0.45f, 1.25f, 0.1f);
    }
    stn_joiner_saw(&j, j.board, stn_xf_at(0, 0, 1.0f), w - 0.8f, d - 0.8f, 0.4f, 0.0f);
    /* The lid lies on, or leans against the back. */
    for (int open = 0; open < 2; open++) {
        stn_joiner lid = stn_joiner_leaf(m, &j, open ? STN_LEAF_OPEN : STN_LEAF_CLOSED, true);
        stn_xf f = open ? stn_xf_turn(stn_xf_at(0.4f, d / 2 + 2.1f, 4.0f), 1.25f, 0, 0.0f)
                        : stn_xf_at(0, 0, h + 0.25f);

        for (int b = 0; b < 4; b++)
            stn_joiner_saw(&lid, lid.board, stn_xf_move(f, 0, -3.0f + 2.0f * (float)b, 0), w + 0.5f, 1.92f,
                           0.5f, 0.1f);
        for (int k = -1; k <= 1; k += 2)
            stn_joiner_saw(&lid, lid.beam,
                           stn_xf_turn(stn_xf_move(f, (float)k * 3.2f, 0, -0.42f), 0, 0, PI / 2), d - 1.6f,
                           0.9f, 0.4f, 0.1f);
    }
    m->has_obst = true;
    m->obst[0] = 5.0f / 11, m->obst[1] = 4.0f / 11;
    return m;
}

/* A door of three boards, held by battens and hung on straps at its outer edge; `side` -1 left, 1 right. */
static void cupboard_door(stn_joiner *j, float side, float h, float front, bool open)
{
    const float hinge = side * 5.5f;
    stn_xf f = stn_xf_turn(stn_xf_at(hinge, front, 0), 0, 0, open ? side * 1.85f : 0);
    static const float turned[4][2] = {{0.30f, 0}, {0.25f, 0.3f}, {0.52f, 0.55f}, {0.0f, 0.95f}};
    stn_xf knob = stn_xf_turn(stn_xf_move(f, side * 0.85f - hinge, -0.25f, h / 2 + 0.4f), PI / 2, 0, 0);

    for (int b = 0; b < 3; b++) {
        stn_xf at = stn_xf_move(f, side * (0.98f + 1.8f * (float)b) - hinge, 0.05f, h / 2 + 0.6f);

        stn_joiner_saw(j, j->board, stn_xf_turn(stn_xf_turn(at, 0, -PI / 2, 0), PI / 2, 0, 0), h - 4.4f,
                       1.80f, 0.6f, 0.1f);
    }
    for (int k = 0; k < 2; k++) {
        float z = k ? h - 4.4f : 4.9f;

        stn_joiner_saw(j, j->beam, stn_xf_move(f, side * 2.78f - hinge, -0.38f, z), 5.1f, 0.45f, 1.15f, 0.1f);
        for (int n = 0; n < 3; n++)
            stn_joiner_nail(j, stn_xf_point(&f, side * (1.1f + 1.7f * (float)n) - hinge, -0.62f, z),
                            stn_xf_dir(&f, 0, -1, 0));
        stn_joiner_iron(j, stn_xf_move(f, side * 5.05f - hinge, -0.66f, z), 1.9f, 0.16f, 0.5f);
    }
    stn_shape_lathe(j->iron, &knob, turned, 4, 7, 1, 0.2f);
}

static stn_model *build_cupboard(void)
{
    stn_joiner j;
    stn_model *m = stn_joiner_model("homestead/wood/oak", &j, 8200);
    const float w = 13, d = 7, h = 19;

    if (!m)
        return NULL;
    /* Frame: posts that stand as feet, rails above and below. */
    for (int sx = -1; sx <= 1; sx += 2)
        for (int sy = -1; sy <= 1; sy += 2)
            stn_joiner_saw(
                &j, j.beam,
                stn_joiner_upright((float)sx * (w / 2 - 0.55f), (float)sy * (d / 2 - 0.55f), h / 2), h, 1.1f,
                1.1f, 0.15f);
    for (int k = 0; k < 2; k++) {
        float z = k ? h - 0.9f : 2.1f;

        for (int s = -1; s <= 1; s += 2) {
            stn_joiner_saw(&j, j.beam, stn_xf_at(0, (float)s * (d / 2 - 0.5f), z), w - 2, 0.9f, 1.3f, 0.1f);
            stn_joiner_saw(&j, j.beam, stn_xf_turn(stn_xf_at((float)s * (w / 2 - 0.5f), 0, z), 0, 0, PI / 2),
                           d - 2, 0.9f, 1.3f, 0.1f);
        }
    }
    /* Sides and back: upright boards with open joints. */
    for (int s = -1; s <= 1; s += 2)
        for (int b = 0; b < 3; b++)
            stn_joiner_saw(&j, j.board,
                           stn_xf_turn(stn_joiner_upright((float)s * (w / 2 - 0.45f),
                                                          -1.65f + 1.65f * (float)b, h / 2 + 0.6f),
                                       0, 0, 0),
                           h - 3.2f, 1.66f, 0.5f, 0.08f);
    for (int b = 0; b < 6; b++)
        stn_joiner_saw(
            &j, j.board,
            stn_xf_turn(stn_joiner_upright(-w / 2 + 1.9f + 1.84f * (float)b, d / 2 - 0.45f, h / 2 + 0.6f),
                        PI / 2, 0, 0),
            h - 3.2f, 1.85f, 0.5f, 0.08f);
    /* A shelf behind the doors, which are shut or thrown open by the state. */
    stn_joiner_saw(&j, j.board, stn_xf_at(0, 0.2f, h / 2 + 0.4f), w - 1.6f, d - 1.6f, 0.45f, 0.0f);
    for (int open = 0; open < 2; open++) {
        stn_joiner leaf = stn_joiner_leaf(m, &j, open ? STN_LEAF_OPEN : STN_LEAF_CLOSED, true);

        for (int s = -1; s <= 1; s += 2)
            cupboard_door(&leaf, (float)s, h, -d / 2, open);
    }
    /* Top: a cornice in two steps; plinth between the feet. */
    stn_joiner_saw(&j, j.beam, stn_xf_at(0, 0, h + 0.15f), w + 0.8f, d + 0.9f, 0.7f, 0.15f);
    for (int b = 0; b < 3; b++)
        stn_joiner_saw(&j, j.board, stn_xf_at(0, -2.9f + 2.9f * (float)b, h + 0.85f), w + 1.9f, 2.9f, 0.75f,
                       0.06f);
    stn_joiner_saw(&j, j.board, stn_xf_at(0, 0, 2.0f), w - 1.4f, d - 1.4f, 0.5f, 0.0f);
    m->has_obst = true;
    m->obst[0] = w / 2 / 11, m->obst[1] = d / 2 / 11;
    return m;
}

static stn_model *build_barrel(void)
{
    stn_joiner j;
    stn_model *m = stn_joiner_model("homestead/wood/oak", &j, 8300);
    static const float belly[7][2] = {{3.7f, 0},     {4.25f, 1.8f}, {4.65f, 3.8f}, {4.8f, 5.5f},
                                      {4.65f, 7.2f}, {4.25f, 9.2f}, {3.7f, 11}};
    static const float inner[2][2] = {{3.4f, 11}, {3.4f, 10.3f}};

    if (!m)
        return NULL;
    stn_xf at = stn_xf_id();

    /* What is seen between the staves is their own dark inside. */
    stn_xf within = stn_xf_scale(at, 0.97f);

    stn_shape_lathe(j.beam, &within, belly, 6, 16, 4, STN_GRAIN);
    stn_joiner_staves(&j, j.board, &at, belly, 7, 16);
    /* The rim, and the lid sunk below it. */
    for (int k = 0; k < 16; k++) {
        float a0 = 2 * PI * (float)k / 16, a1 = 2 * PI * (float)(k + 1) / 16;

        stn_shape_quad(j.end, (stn_v3){3.7f * cosf(a0), 3.7f * sinf(a0), 11},
                       (stn_v3){3.7f * cosf(a1), 3.7f * sinf(a1), 11},
                       (stn_v3){3.35f * cosf(a1), 3.35f * sinf(a1), 11},
                       (stn_v3){3.35f * cosf(a0), 3.35f * sinf(a0), 11}, 0.3f, 0.4f, 0.7f, 0.6f);
    }
    stn_joiner_staves(&j, j.board, &at, inner, 2, 16);
    stn_joiner_lid(&j, &at, 3.45f, 10.35f, 5);
    stn_joiner_hoop(&j, &at, 0.5f, 3.86f, 4.08f, 0.7f);
    stn_joiner_hoop(&j, &at, 3.1f, 4.5f, 4.62f, 0.7f);
    stn_joiner_hoop(&j, &at, 7.2f, 4.62f, 4.5f, 0.7f);
    stn_joiner_hoop(&j, &at, 9.8f, 4.08f, 3.86f, 0.7f);
    m->has_obst = true;
    m->obst[0] = m->obst[1] = 4.0f / 11;
    return m;
}

static stn_model *build_fence(void)
{
    stn_joiner j;
    stn_model *m = stn_joiner_model("homestead/wood/birch", &j, 8500);

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_bark_spruce());
    stn_model_material(m, STN_MAT_OWN, 0)->tint = (stn_rgb){1.2f, 1.15f, 1.08f};
    stn_shape *bark = &stn_model_part(m, STN_MAT_OWN)->shape;

    stn_joiner_log(bark, j.end, (stn_v3){0, 0, -3}, (stn_v3){0.25f, 0.1f, 10.6f}, 0.85f, 0.7f, 7, 1);
    /* Split rails that pass the post on alternate sides and overlap the neighbours'. */
    for (int k = 0; k < 3; k++) {
        float z = 2.6f + 2.9f * (float)k, side = k & 1 ? 0.75f : -0.75f;
        stn_xf at = stn_xf_turn(stn_xf_at(0, side, z), 0.5f * stn_rng_bell(&j.r), 0.035f * stn_rng_bell(&j.r),
                                0.02f * stn_rng_bell(&j.r));

        stn_joiner_saw(&j, j.board, at, 12.2f, 0.75f, 0.95f, 0.22f);
    }
    m->has_obst = true;
    m->obst[0] = 0.5f, m->obst[1] = 0.1f;
    return m;
}

/* A gate two tiles wide between stout posts; it swings out towards -y. */
static stn_model *build_gate(void)
{
    stn_joiner j;
    stn_model *m = stn_joiner_model("homestead/wood/birch", &j, 8550);

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_bark_spruce());
    stn_model_material(m, STN_MAT_OWN, 0)->tint = (stn_rgb){1.2f, 1.15f, 1.08f};
    stn_shape *bark = &stn_model_part(m, STN_MAT_OWN)->shape;

    for (int k = -1; k <= 1; k += 2)
        stn_joiner_log(bark, j.end, (stn_v3){(float)k * 10.2f, 0, -3}, (stn_v3){(float)k * 10.2f, 0, 12.2f},
                       1.15f, 1.0f, 8, 1);
    for (int open = 0; open < 2; open++) {
        stn_joiner leaf = stn_joiner_leaf(m, &j, open ? STN_LEAF_OPEN : STN_LEAF_CLOSED, true);
        stn_xf f = stn_xf_turn(stn_xf_at(-9.0f, 0, 0), 0, 0, open ? -1.7f : 0);

        for (int k = 0; k < 4; k++)
            stn_joiner_saw(&leaf, leaf.board, stn_xf_move(f, 9.0f, 0, 2.4f + 2.3f * (float)k), 17.4f, 0.6f,
                           1.2f, 0.12f);
        for (int k = 0; k < 2; k++) {
            stn_xf at = stn_xf_move(f, k ? 17.2f : 0.8f, 0, 5.8f);

            stn_joiner_saw(&leaf, leaf.beam, stn_xf_turn(at, 0, -PI / 2, 0), 9.6f, 0.8f, 1.0f, 0.15f);
            stn_joiner_iron(&leaf, stn_xf_move(f, -0.2f, -0.4f, k ? 9.3f : 2.4f), 3.4f, 0.2f, 0.6f);
        }
        stn_joiner_saw(&leaf, leaf.beam, stn_xf_turn(stn_xf_move(f, 9.0f, -0.55f, 5.8f), 0, -0.42f, 0), 17.6f,
                       0.5f, 1.0f, 0.1f);
    }
    m->has_obst = true;
    m->obst[0] = 1.0f, m->obst[1] = 0.1f;
    return m;
}

static stn_model *build_well(void)
{
    stn_joiner j;
    stn_model *m = stn_joiner_model("homestead/wood/oak", &j, 8700);

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_stone_face(0x86827a, true));
    stn_model_texture(m, 1, STN_TEXTURE_COLOUR, 0, stn_thatch());
    stn_model_texture(m, 2, STN_TEXTURE_COLOUR, 0, stn_plain(0x1f2f36, 0.2f));
    for (int i = 0; i < 3; i++)
        stn_model_material(m, (uint16_t)(STN_MAT_OWN + i), (int16_t)i);
    stn_shape *stone = &stn_model_part(m, STN_MAT_OWN)->shape,
              *straw = &stn_model_part(m, STN_MAT_OWN2)->shape,
              *deep = &stn_model_part(m, STN_MAT_OWN3)->shape;

    /* Courses of single stones around the shaft. */
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 11; k++) {
            float a = 2 * PI * ((float)k + 0.5f * (float)(row & 1)) / 11;
            stn_xf at = stn_xf_turn(stn_xf_at(6.4f * cosf(a), 6.4f * sinf(a), -1.6f + 2.5f * (float)row), 0,
                                    0, a + 0.15f * stn_rng_bell(&j.r));

            stn_shape_stone(stone, &at, (stn_v3){1.65f, 2.15f, 1.75f}, 400u + (uint32_t)(row * 11 + k), 0.2f,
                            0.75f, 0.11f, 6);
        }
    stn_shape_disc(deep, (stn_v3){0, 0, 1.5f}, (stn_v3){0, 0, 1}, 6.2f, 14);
    for (int k = -1; k <= 1; k += 2) {
        stn_joiner_saw(&j, j.beam, stn_joiner_upright((float)k * 6.9f, 0, 9.5f), 21, 1.3f, 1.3f, 0.2f);
        stn_joiner_saw(&j, j.beam, stn_xf_turn(stn_xf_at((float)k * 6.9f, 0, 19.2f), 0, 0, PI / 2), 11, 0.9f,
                       1.0f, 0.1f);
    }
    /* Windlass with rope, crank and bucket. */
    {
        stn_v3 path[2] = {{-8.2f, 0, 12.6f}, {8.2f, 0, 12.6f}};
        float rr[2] = {0.75f, 0.75f};

        stn_shape_tube(j.beam, path, rr, 2, 8, 1, STN_GRAIN, true);
        stn_joiner_iron(&j, stn_xf_at(8.6f, -0.9f, 12.6f), 0.35f, 2.4f, 0.35f);
        stn_joiner_iron(&j, stn_xf_at(9.6f, -2.0f, 12.6f), 2.2f, 0.35f, 0.35f);
        stn_v3 rope[2] = {{0.5f, 0.6f, 12.6f}, {0.5f, 0.6f, 9.6f}};
        float thin[2] = {0.18f, 0.18f};

        stn_shape_tube(straw, rope, thin, 2, 5, 1, 0.2f, false);
        for (int k = 0; k < 5; k++) {
            stn_xf turn = stn_xf_turn(stn_xf_at(-1.0f + 0.42f * (float)k, 0, 12.6f), 0, PI / 2, 0);
            static const float coil[3][2] = {{0.8f, -0.2f}, {1.02f, 0}, {0.8f, 0.2f}};

            stn_shape_lathe(straw, &turn, coil, 3, 9, 1, 0.2f);
        }
        static const float pail[4][2] = {{1.35f, 0}, {1.6f, 1.3f}, {1.8f, 2.7f}, {1.8f, 2.9f}};
        stn_xf at = stn_xf_at(0.5f, 0.6f, 6.6f);

        stn_joiner_staves(&j, j.board, &at, pail, 4, 11);
        stn_joiner_hoop(&j, &at, 0.4f, 1.42f, 1.48f, 0.35f);
        stn_joiner_hoop(&j, &at, 2.1f, 1.70f, 1.75f, 0.35f);
        stn_joiner_lid(&j, &at, 1.7f, 2.3f, 2);
    }
    /* A little saddle roof. */
    for (int side = -1; side <= 1; side += 2) {
        stn_v3 a = {(float)side * 9.8f, (float)side * 7.6f, 17.6f},
               b = {(float)-side * 9.8f, (float)side * 7.6f, 17.6f};
        stn_v3 c = {(float)-side * 9.8f, 0, 24.2f}, e = {(float)side * 9.8f, 0, 24.2f}, dn = {0, 0, -1.1f};

        stn_shape_quad(straw, a, b, c, e, 0, 0, 1.3f, 0.8f);
        stn_shape_quad(straw, stn_v3_add(b, dn), stn_v3_add(a, dn), stn_v3_add(e, dn), stn_v3_add(c, dn), 0,
                       0, 1.3f, 0.8f);
        stn_shape_quad(straw, stn_v3_add(a, dn), stn_v3_add(b, dn), b, a, 0, 0.8f, 1.3f, 0.9f);
        stn_shape_quad(straw, stn_v3_add(a, dn), a, e, stn_v3_add(e, dn), 0, 0.1f, 0.1f, 0.8f);
        stn_shape_quad(straw, b, stn_v3_add(b, dn), stn_v3_add(c, dn), c, 0, 0.1f, 0.1f, 0.8f);
    }
    {
        stn_v3 path[2] = {{-10, 0, 24.3f}, {10, 0, 24.3f}};
        float rr[2] = {0.9f, 0.9f};

        stn_shape_tube(straw, path, rr, 2, 7, 0.5f, 0.07f, true);
    }
    m->has_obst = true;
    m->obst[0] = m->obst[1] = 0.7f;
    return m;
}

static stn_model *build_rowboat(void)
{
    stn_joiner j;
    stn_model *m = stn_joiner_model("homestead/wood/pine", &j, 8800);
    enum { RIBS = 11, STRAKES = 6 };
    stn_v3 hull[RIBS][2 * STRAKES + 1];

    if (!m)
        return NULL;
    /* Sections from stern to bow: half width, keel height, gunwale height. */
    for (int i = 0; i < RIBS; i++) {
        float t = (float)i / (RIBS - 1), x = -17 + 36 * t;
        float half = 5.9f * powf(fmaxf(0, sinf(PI * (0.20f + 0.80f * t))), 0.72f);
        float keel = 0.35f + 3.4f * powf(fmaxf(0, t - 0.62f) / 0.38f, 2.2f) +
                     0.9f * powf(fmaxf(0, 0.25f - t) / 0.25f, 2);
        float rail = 5.3f + 2.4f * powf(fmaxf(0, t - 0.4f) / 0.6f, 1.8f) +
                     0.8f * powf(fmaxf(0, 0.4f - t) / 0.4f, 1.6f);

        for (int k = 0; k <= 2 * STRAKES; k++) {
            float q = (float)(k - STRAKES) / STRAKES, side = fabsf(q), belly = sinf(side * PI / 2);

            hull[i][k] = (stn_v3){x + (side > 0.5f ? 1.2f * (side - 0.5f) * t : 0),
                                  -(q < 0 ? -1.0f : 1.0f) * half * powf(belly, 0.75f),
                                  stn_mixf(keel, rail, powf(side, 1.7f))};
        }
    }
    /* Each strake is a board of its own: outside, and inside a board's thickness further in. */
    for (int k = 0; k < 2 * STRAKES; k++)
        for (int face = 0; face < 2; face++) {
            float s = stn_rng_unit(&j.r), t = stn_rng_unit(&j.r);

            for (int i = 0; i + 1 < RIBS; i++) {
                stn_v3 q[4] = {hull[i][k], hull[i][k + 1], hull[i + 1][k + 1], hull[i + 1][k]};
                stn_v3 n = stn_v3_norm(stn_v3_cross(stn_v3_sub(q[3], q[0]), stn_v3_sub(q[1], q[0]))),
                       in = stn_v3_scale(n, -0.42f);
                float run = stn_v3_len(stn_v3_sub(q[3], q[0])) * STN_GRAIN;
                uint32_t v[4];

                for (int e = 0; e < 4; e++)
                    v[e] = stn_shape_vertex(j.board, face ? stn_v3_add(q[e], in) : q[e],
                                            face ? stn_v3_scale(n, -1) : n, s + (e >= 2 ? run : 0),
                                            t + (e == 1 || e == 2 ? 0.2f : 0));
                s += run;
                if (face) {
                    stn_shape_tri(j.board, v[0], v[1], v[2]);
                    stn_shape_tri(j.board, v[0], v[2], v[3]);
                } else {
                    stn_shape_tri(j.board, v[0], v[2], v[1]);
                    stn_shape_tri(j.board, v[0], v[3], v[2]);
                }
            }
        }
    /* Gunwales, stem, transom, thwarts, ribs, oars. */
    for (int side = 0; side < 2; side++) {
        stn_v3 rail[RIBS];
        float rr[RIBS];

        for (int i = 0; i < RIBS; i++) {
            rail[i] = stn_v3_add(hull[i][side ? 2 * STRAKES : 0], (stn_v3){0, 0, 0.15f});
            rr[i] = 0.5f;
        }
        stn_shape_tube(j.beam, rail, rr, RIBS, 6, 0.4f, STN_GRAIN, true);
    }
    for (int i = 1; i < RIBS - 1; i += 2)
        for (int k = 1; k < 2 * STRAKES; k++) {
            stn_v3 path[2] = {stn_v3_add(hull[i][k], (stn_v3){0, 0, 0.5f}),
                              stn_v3_add(hull[i][k + 1], (stn_v3){0, 0, 0.5f})};
            float rr[2] = {0.34f, 0.34f};

            stn_shape_tube(j.beam, path, rr, 2, 4, 0.2f, STN_GRAIN, false);
        }
    {
        stn_v3 stem[4] = {{13.0f, 0, 1.2f}, {16.6f, 0, 2.6f}, {18.7f, 0, 5.2f}, {20.2f, 0, 8.9f}};
        float rr[4] = {0.45f, 0.6f, 0.62f, 0.55f};

        stn_shape_tube(j.beam, stem, rr, 4, 6, 0.4f, STN_GRAIN, true);
    }
    for (int b = 0; b < 3; b++)
        stn_joiner_saw(&j, j.board, stn_xf_turn(stn_xf_at(-17.0f, 0, 2.5f + 1.6f * (float)b), 0, 0, PI / 2),
                       5.2f + 1.6f * (float)b, 0.6f, 1.55f, 0.1f);
    static const float bench[3][2] = {{-12.2f, 9.2f}, {-2.5f, 11.2f}, {7.5f, 9.6f}};

    for (int b = 0; b < 3; b++)
        stn_joiner_saw(&j, j.board, stn_xf_turn(stn_xf_at(bench[b][0], 0, 4.2f), 0, 0, PI / 2),
                       bench[b][1] - 0.4f, 3.0f, 0.5f, 0.1f);
    for (int k = -1; k <= 1; k += 2) {
        stn_v3 path[2] = {{-13.5f, (float)k * 1.9f, 5.2f}, {10.5f, (float)k * 2.7f, 5.5f}};
        float rr[2] = {0.38f, 0.34f};

        stn_shape_tube(j.beam, path, rr, 2, 6, 0.3f, STN_GRAIN, true);
        stn_joiner_saw(&j, j.board, stn_xf_at(12.2f, (float)k * 2.75f, 5.5f), 6.5f, 1.6f, 0.3f, 0.1f);
    }
    m->place = "incline";
    m->surface = "trn";
    m->has_obst = true;
    m->obst[0] = 1.6f, m->obst[1] = 0.5f;
    return m;
}

/* A post with a board that points along +x, and a smaller one below it that points the other way. */
static stn_model *build_guidepost(void)
{
    stn_joiner j;
    stn_model *m = stn_joiner_model("homestead/wood/oak", &j, 8900);

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_stone_face(0x86827a, true));
    stn_model_material(m, STN_MAT_OWN, 0);
    stn_shape *stone = &stn_model_part(m, STN_MAT_OWN)->shape;

    stn_joiner_saw(&j, j.beam, stn_joiner_upright(0, 0, 7.5f), 19.0f, 1.3f, 1.3f, 0.2f);
    for (int k = 0; k < 5; k++) {
        float a = 2 * PI * (float)k / 5 + 0.3f * stn_rng_bell(&j.r);
        stn_xf at = stn_xf_turn(stn_xf_at(1.5f * cosf(a), 1.5f * sinf(a), 0.1f), 0, 0, a);

        stn_shape_stone(stone, &at, (stn_v3){1.0f, 1.2f, 0.9f}, 700u + (uint32_t)k, 0.2f, 0.75f, 0.11f, 6);
    }
    for (int b = 0; b < 2; b++) {
        float way = b ? -1.0f : 1.0f, z = b ? 11.4f : 14.4f, length = b ? 6.4f : 8.6f;
        stn_xf f = stn_xf_turn(stn_xf_at(way * (length / 2 - 1.6f), -0.95f, z), 0, 0.02f * way, 0);

        stn_joiner_saw(&j, j.board, f, length, 0.55f, 2.1f, 0.12f);
        /* The point: two narrower boards that taper off. */
        for (int k = 0; k < 2; k++)
            stn_joiner_saw(&j, j.board, stn_xf_move(f, way * (length / 2 + 0.3f + 0.6f * (float)k), 0, 0),
                           0.65f, 0.55f, 1.4f - 0.75f * (float)k, 0.1f);
        for (int k = -1; k <= 1; k += 2)
            stn_joiner_nail(&j, stn_xf_point(&f, -way * (length / 2 - 1.6f), -0.3f, 0.5f * (float)k),
                            stn_xf_dir(&f, 0, -1, 0));
    }
    m->has_obst = true;
    m->obst[0] = m->obst[1] = 0.15f;
    return m;
}

const stn_builder stn_thing_builders[] = {
    {"homestead/things/fence", build_fence},
    {"homestead/things/gate", build_gate},
    {"homestead/things/cupboard", build_cupboard},
    {"homestead/things/crate", build_crate},
    {"homestead/things/barrel", build_barrel},
    {"homestead/things/well", build_well},
    {"homestead/things/rowboat", build_rowboat},
    {"homestead/things/guidepost", build_guidepost},
    {NULL, NULL},
};
