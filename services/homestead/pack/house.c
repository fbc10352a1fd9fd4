/* house.c - the log house: notched logs on footing stones, a thatched roof, a door, a chimney. */
#include "homestead/pack/builders.h"
#include "homestead/pack/joiner.h"
#include "homestead/pack/surfaces.h"

#include <math.h>
#include <stddef.h>

#define PI 3.14159265f

#define COURSES 8 /* of logs */

enum { MAT_DARK = STN_MAT_OWN3 + 1, MAT_FLAME, MATERIALS };

/* Map units: the walls' length, depth and height, the ridge, the thickness of logs, the front's face. */
static const float w = 58, d = 42, wall = 25, ridge = 49, log_r = 1.75f, fy = -42.0f / 2 - 1.75f;

/* One in the making. The joiner's chance runs through all of it in the order of the steps. */
typedef struct house {
    stn_model *m;
    stn_shape *s[MATERIALS];
    stn_joiner j;
} house;

static void materials(house *h)
{
    stn_model *m = h->m;

    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_bark_spruce());
    stn_model_texture(m, 1, STN_TEXTURE_COLOUR, 0, stn_thatch());
    stn_model_texture(m, 2, STN_TEXTURE_COLOUR, 0, stn_stone_face(0x857f73, false));
    stn_model_link(m, STN_MAT_BOARD, "homestead/wood/pine", 0);
    stn_model_link(m, STN_MAT_BEAM, "homestead/wood/walnut", 1);
    stn_model_link(m, STN_MAT_END, "homestead/wood/pine", 2);
    stn_model_link(m, STN_MAT_IRON, "homestead/stuff/iron", 0);
    stn_model_material(m, STN_MAT_OWN, 0)->tint = (stn_rgb){1.12f, 1.02f, 0.92f};
    stn_model_material(m, STN_MAT_OWN2, 1);
    stn_model_material(m, STN_MAT_OWN3, 2);
    stn_model_texture(m, 3, STN_TEXTURE_COLOUR, 0, stn_plain(0x1c1612, 0.3f));
    stn_model_material(m, MAT_DARK, 3);
    stn_model_texture(m, 4, STN_TEXTURE_COLOUR, 0, stn_plain(0xffd58a, 0.1f));
    stn_model_material(m, MAT_FLAME, 4)->glow = true;
    m->materials[m->n_materials - 1].no_shadow = true;
    for (int i = 0; i < MATERIALS; i++)
        h->s[i] = &stn_model_part(m, i)->shape;
    h->j = (stn_joiner){h->s[STN_MAT_BOARD], h->s[STN_MAT_BEAM], h->s[STN_MAT_END], h->s[STN_MAT_IRON],
                        stn_rng_of(8400)};
}

/* Footing stones under the corners and along the walls; they reach below, for sloping ground. */
static void footing(house *h)
{
    for (int i = 0; i < 26; i++) {
        float t = (float)i / 26 * 2 * (w + d), x, y;

        if (t < w)
            x = -w / 2 + t, y = -d / 2;
        else if (t < w + d)
            x = w / 2, y = -d / 2 + t - w;
        else if (t < 2 * w + d)
            x = w / 2 - (t - w - d), y = d / 2;
        else
            x = -w / 2, y = d / 2 - (t - 2 * w - d);
        stn_xf at = stn_xf_turn(stn_xf_at(x, y, -1.2f), 0, 0, stn_rng_unit(&h->j.r) * 6);

        stn_shape_stone(h->s[STN_MAT_OWN3], &at, (stn_v3){3.6f, 2.8f, 2.6f}, 40u + (uint32_t)i, 0.25f, 0.5f,
                        0.08f, 6);
    }
}

/* Courses of logs, the long and the short walls half a log apart, notched over each other at the corners. */
static void courses(house *h)
{
    for (int c = 0; c < COURSES; c++) {
        float z = 2.6f + (float)c * 3.05f;

        for (int side = -1; side <= 1; side += 2) {
            float e = 3.5f + stn_rng_range(&h->j.r, -0.7f, 0.7f),
                  f = 3.5f + stn_rng_range(&h->j.r, -0.7f, 0.7f), dr = 0.1f * stn_rng_bell(&h->j.r);

            stn_joiner_log(h->s[STN_MAT_OWN], h->s[STN_MAT_END], (stn_v3){-w / 2 - e, (float)side * d / 2, z},
                           (stn_v3){w / 2 + f, (float)side * d / 2, z}, log_r + dr, log_r - dr, 7, 1);
            stn_joiner_log(h->s[STN_MAT_OWN], h->s[STN_MAT_END],
                           (stn_v3){(float)side * w / 2, -d / 2 - f, z + 1.5f},
                           (stn_v3){(float)side * w / 2, d / 2 + e, z + 1.5f}, log_r - dr, log_r + dr, 7, 1);
        }
    }
}

/* Moss and clay between the logs: a flat wall just inside their middle, so that no joint shows daylight. */
static void daub(house *h)
{
    for (int side = 0; side < 4; side++) {
        stn_xf f = stn_xf_turn(stn_xf_id(), 0, 0, (float)side * PI / 2);
        float hw = (side & 1 ? d : w) / 2, off = (side & 1 ? w : d) / 2 + 0.4f;

        stn_shape_quad(h->s[STN_MAT_OWN3], stn_xf_point(&f, -hw, -off, -1), stn_xf_point(&f, hw, -off, -1),
                       stn_xf_point(&f, hw, -off, wall + 2), stn_xf_point(&f, -hw, -off, wall + 2), 0, 0,
                       hw * 0.1f, 2);
    }
}

/* Gables: upright boards that end under the roof's slope. */
static void gables(house *h)
{
    for (int side = -1; side <= 1; side += 2)
        for (int b = 0; b < 14; b++) {
            float y = -d / 2 + 1.5f + (float)b * (d - 3) / 13,
                  top = ridge - 2.5f - fabsf(y) * (ridge - wall) / (d / 2 + 1), low = wall - 1.5f;

            if (top > low + 1)
                stn_joiner_saw(
                    &h->j, h->j.board,
                    stn_xf_turn(stn_joiner_upright((float)side * (w / 2 - 0.1f), y, (top + low) / 2), 0, 0,
                                0),
                    top - low, 2.9f, 0.9f, 0.12f);
        }
}

/* Roof: two thick leaves of thatch that overhang, a rolled ridge, poles across it. */
static void roof(house *h)
{
    for (int side = -1; side <= 1; side += 2) {
        float ex = w / 2 + 6.5f, ey = d / 2 + 7.0f, ez = wall - 2.0f, thick = 3.0f;
        enum { N = 6 };
        stn_v3 up_l[N + 1], up_r[N + 1];

        for (int i = 0; i <= N; i++) {
            float t = (float)i / N, sag = 1.3f * sinf(PI * t), y = (float)side * ey * (1 - t),
                  z = stn_mixf(ez, ridge + 1.5f, t) - sag;

            /* Seen from the front the left end comes first on the near leaf, the right one on the far leaf.
             */
            up_l[i] = (stn_v3){(float)side * ex, y, z + thick};
            up_r[i] = (stn_v3){(float)-side * ex, y, z + thick};
        }
        for (int i = 0; i < N; i++) {
            float t1 = -(float)i * 0.42f, t0 = -(float)(i + 1) * 0.42f;
            stn_v3 dl = {0, 0, -thick};

            stn_shape_quad(h->s[STN_MAT_OWN2], up_l[i], up_r[i], up_r[i + 1], up_l[i + 1], 0, t0, 4.5f, t1);
            /* Underside and the cut straw at the gable ends. */
            stn_shape_quad(h->s[STN_MAT_OWN2], stn_v3_add(up_r[i], dl), stn_v3_add(up_l[i], dl),
                           stn_v3_add(up_l[i + 1], dl), stn_v3_add(up_r[i + 1], dl), 0, t0, 4.5f, t1);
            stn_shape_quad(h->s[STN_MAT_OWN2], stn_v3_add(up_l[i], dl), up_l[i], up_l[i + 1],
                           stn_v3_add(up_l[i + 1], dl), 0, 0.3f, 0.2f, 0.9f);
            stn_shape_quad(h->s[STN_MAT_OWN2], up_r[i], stn_v3_add(up_r[i], dl), stn_v3_add(up_r[i + 1], dl),
                           up_r[i + 1], 0, 0.3f, 0.2f, 0.9f);
        }
        stn_shape_quad(h->s[STN_MAT_OWN2], stn_v3_add(up_l[0], (stn_v3){0, (float)-side * 0.6f, -thick}),
                       stn_v3_add(up_r[0], (stn_v3){0, (float)-side * 0.6f, -thick}), up_r[0], up_l[0], 0,
                       0.75f, 4.5f, 1.0f);
        for (int p = 0; p < 2; p++) {
            float t = p ? 0.70f : 0.36f, y = (float)side * ey * (1 - t),
                  z = stn_mixf(ez, ridge + 1.5f, t) + thick - 0.9f;

            stn_joiner_log(h->s[STN_MAT_BEAM], h->s[STN_MAT_END], (stn_v3){-ex + 1, y, z + 0.4f},
                           (stn_v3){ex - 1, y, z + 0.4f}, 0.6f, 0.55f, 5, 1);
        }
    }
}

/* A rolled ridge of straw, and crossed sticks that hold it. */
static void top_of_roof(house *h)
{
    stn_v3 path[2] = {{-w / 2 - 6.8f, 0, ridge + 3.6f}, {w / 2 + 6.8f, 0, ridge + 3.6f}};
    float rr[2] = {2.3f, 2.3f};

    stn_shape_tube(h->s[STN_MAT_OWN2], path, rr, 2, 8, 1.2f, 0.06f, true);
    for (int i = 0; i < 8; i++)
        for (int k = -1; k <= 1; k += 2) {
            float x = -w / 2 + 2 + (float)i * (w - 4) / 6;

            stn_joiner_log(h->s[STN_MAT_BEAM], h->s[STN_MAT_END], (stn_v3){x, (float)k * -1.6f, ridge + 8.2f},
                           (stn_v3){x + 0.8f * (float)k, (float)k * 6.2f, ridge - 0.2f}, 0.5f, 0.42f, 5, 1);
        }
}

/* A door in two states, with a frame and iron straps. */
static void door(house *h)
{
    for (int k = -1; k <= 1; k += 2)
        stn_joiner_saw(&h->j, h->j.beam, stn_joiner_upright((float)k * 6.0f, fy - 0.3f, 10.8f), 20, 1.8f,
                       1.8f, 0.2f);
    /* An open door shows the dark of the room. */
    stn_shape_quad(h->s[MAT_DARK], (stn_v3){-5, fy - 0.05f, 0.6f}, (stn_v3){5, fy - 0.05f, 0.6f},
                   (stn_v3){5, fy - 0.05f, 20.5f}, (stn_v3){-5, fy - 0.05f, 20.5f}, 0, 0, 1, 1);
    for (int open = 0; open < 2; open++) {
        stn_joiner leaf = stn_joiner_leaf(h->m, &h->j, open ? STN_LEAF_OPEN : STN_LEAF_CLOSED, false);
        stn_xf f = stn_xf_turn(stn_xf_at(-5.0f, fy - 0.4f, 0), 0, 0, open ? -1.9f : 0);

        for (int b = 0; b < 4; b++)
            stn_joiner_saw(
                &leaf, leaf.board,
                stn_xf_turn(stn_xf_turn(stn_xf_move(f, 1.25f + 2.5f * (float)b, 0, 10.5f), 0, -PI / 2, 0),
                            PI / 2, 0, 0),
                18.5f, 2.46f, 0.8f, 0.12f);
        for (int k = -1; k <= 1; k += 2)
            stn_joiner_iron(&leaf, stn_xf_move(f, 3.8f, -0.5f, 10.5f + (float)k * 6), 8, 0.2f, 0.8f);
        stn_joiner_iron(&leaf, stn_xf_turn(stn_xf_move(f, 8.9f, -0.7f, 10.4f), 0, -PI / 2, 0), 2.2f, 0.35f,
                        0.35f);
    }
    stn_joiner_saw(&h->j, h->j.beam, stn_xf_at(0, fy - 0.4f, 21.3f), 15, 2.0f, 2.0f, 0.2f);
}

static void doorstep(house *h)
{
    stn_xf at = stn_xf_turn(stn_xf_at(0.3f, fy - 4.2f, -0.6f), 0, 0, 0.05f);

    stn_shape_stone(h->s[STN_MAT_OWN3], &at, (stn_v3){7.5f, 3.8f, 1.5f}, 91, 0.15f, 0.8f, 0.08f, 8);
}

/* Two windows with closed shutters. */
static void windows(house *h)
{
    for (int k = -1; k <= 1; k += 2) {
        float x = (float)k * 18.5f;

        for (int b = 0; b < 3; b++)
            stn_joiner_saw(
                &h->j, h->j.board,
                stn_xf_turn(stn_joiner_upright(x - 2.3f + 2.3f * (float)b, fy - 0.2f, 13.8f), PI / 2, 0, 0),
                7.5f, 2.2f, 0.7f, 0.1f);
        for (int e = -1; e <= 1; e += 2) {
            stn_joiner_saw(&h->j, h->j.beam, stn_joiner_upright(x + (float)e * 4.1f, fy - 0.3f, 13.8f), 9.4f,
                           1.3f, 1.4f, 0.15f);
            stn_joiner_saw(&h->j, h->j.beam, stn_xf_at(x, fy - 0.35f, 13.8f + (float)e * 4.5f), 10.2f, 1.5f,
                           1.3f, 0.15f);
        }
        stn_joiner_iron(&h->j, stn_xf_at(x, fy - 0.62f, 15.6f), 6, 0.15f, 0.5f);
        stn_joiner_iron(&h->j, stn_xf_at(x, fy - 0.62f, 12.0f), 6, 0.15f, 0.5f);
    }
}

/* A lantern beside the door, on an iron arm. */
static void lantern(house *h)
{
    const float lx = 9.2f, ly = fy - 2.6f, lz = 17.0f;

    stn_joiner_iron(&h->j, stn_xf_at(lx, fy - 1.2f, lz + 2.4f), 0.35f, 3.4f, 0.35f);
    stn_joiner_iron(&h->j, stn_xf_at(lx, ly, lz + 1.6f), 1.9f, 1.9f, 0.5f);
    stn_joiner_iron(&h->j, stn_xf_at(lx, ly, lz - 1.4f), 1.7f, 1.7f, 0.35f);
    for (int k = 0; k < 4; k++)
        stn_joiner_iron(&h->j, stn_xf_at(lx + (k & 1 ? 0.7f : -0.7f), ly + (k & 2 ? 0.7f : -0.7f), lz), 0.22f,
                        0.22f, 2.8f);
    stn_xf glass = stn_xf_at(lx, ly, lz);

    stn_shape_stone(h->s[MAT_FLAME], &glass, (stn_v3){0.6f, 0.6f, 1.1f}, 300, 0, 0, 0, 8);
    h->m->lamp = true;
    h->m->lamp_at = (stn_v3){lx, ly - 1.5f, lz};
}

/* Chimney of field stone at the right gable. */
static void chimney(house *h)
{
    for (int row = 0; row < 17; row++)
        for (int k = 0; k < 8; k++) {
            float a = 2 * PI * ((float)k + 0.5f * (float)(row & 1)) / 8, wide = row < 6 ? 5.4f : 3.6f;
            stn_xf at = stn_xf_turn(stn_xf_at(w / 2 + 3.0f + wide * 0.75f * cosf(a), 6 + wide * sinf(a),
                                              (float)row * 3.6f - 1.5f),
                                    0, 0, a + 0.4f * stn_rng_bell(&h->j.r));

            stn_shape_stone(h->s[STN_MAT_OWN3], &at, (stn_v3){2.3f, 2.5f, 2.3f},
                            200u + (uint32_t)(row * 8 + k), 0.2f, 0.6f, 0.09f, 4);
        }
}

static stn_model *build_house(void)
{
    house h = {.m = stn_model_new()};

    if (!h.m)
        return NULL;
    materials(&h);
    footing(&h);
    courses(&h);
    daub(&h);
    gables(&h);
    roof(&h);
    top_of_roof(&h);
    door(&h);
    doorstep(&h);
    windows(&h);
    lantern(&h);
    chimney(&h);
    h.m->has_obst = true;
    h.m->obst[0] = 31.0f / 11, h.m->obst[1] = 23.0f / 11;
    return h.m;
}

const stn_builder stn_house_builders[] = {{"homestead/things/house", build_house}, {NULL, NULL}};
