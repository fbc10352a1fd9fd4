/* nature.c - what lies about: campfire, logs, stumps, stones, mushrooms, reeds. */
#include "homestead/pack/builders.h"
#include "homestead/pack/joiner.h"
#include "homestead/pack/surfaces.h"

#include <math.h>
#include <stddef.h>

#define PI 3.14159265f

static stn_canvas *flame_picture(void)
{
    stn_canvas *c = stn_canvas_new(128, 128, false);
    stn_rng r = stn_rng_of(8600);

    for (int i = 0; c && i < 60; i++) {
        float t = (float)i / 60, x = 64 + 34 * stn_rng_bell(&r) * (1 - 0.4f * t),
              high = (1 - fabsf(x - 64) / 52) * stn_rng_range(&r, 60, 112);
        stn_rgb root = stn_rgb_mix(stn_hex(0xff8a1e), stn_hex(0xffe08a), t),
                tip = stn_rgb_mix(stn_hex(0xd8400f), stn_hex(0xffb340), t);
        stn_stroke s = {.root = root, .tip = tip, .opacity = 1};

        stn_paint_blade(c, x, 126, -PI / 2 + 0.25f * stn_rng_bell(&r), high * (1 - 0.45f * t),
                        20 * (1 - 0.5f * t), 0.9f * stn_rng_bell(&r), &s);
    }
    return c;
}

static stn_canvas *ember_picture(void)
{
    stn_canvas *c = stn_canvas_new(64, 64, true);

    for (int y = 0; c && y < 64; y++)
        for (int x = 0; x < 64; x++) {
            float u = ((float)x + 0.5f) / 64, v = ((float)y + 0.5f) / 64, d1, d2;
            uint32_t id;
            stn_pixel *p = stn_canvas_at(c, x, y);

            stn_cells_wrap(8601, u * 9, v * 9, 9, &d1, &d2, &id);
            float hot = stn_smooth(0.35f, 0.0f, d2 - d1) * (0.5f + 0.5f * stn_unit_of(id, 2));

            p->c = stn_rgb_mix(stn_rgb_mix(stn_hex(0x1e1614), stn_hex(0x5a1f10), stn_unit_of(id, 3)),
                               stn_hex(0xff9a32), hot);
            p->a = 1;
        }
    return c;
}

#define FLAME_HIGH 14.5f

/* Tongues lick to a side, stretch and duck, more the higher they are. */
static stn_v3 flame_at(unsigned frame, stn_v3 at)
{
    float h = fmaxf(at.z, 0) / FLAME_HIGH, phase = (float)frame * 2.4f, around = atan2f(at.y, at.x);

    return (stn_v3){at.x + 2.6f * h * h * sinf(phase + 2.1f * h + around),
                    at.y + 2.6f * h * h * cosf(1.7f * phase + 1.6f * h - around),
                    at.z * (1 + 0.22f * sinf(1.3f * phase + around))};
}

/* Three crossed cards, each of several pieces one above the other, so that they can bend. */
static stn_model *build_flames(void)
{
    enum { PIECES = 5 };
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_CUTOUT, 0, flame_picture());
    stn_material *flame = stn_model_material(m, 0, 0);

    flame->glow = flame->cutout = flame->two_sided = flame->no_shadow = flame->unlined = true;
    stn_shape *s = &stn_model_part(m, 0)->shape;

    for (int i = 0; i < 3; i++) {
        float a = PI * (float)i / 3, c = 5.0f * cosf(a), q = 5.0f * sinf(a),
              high = FLAME_HIGH - 1.5f * (float)i;

        for (int k = 0; k < PIECES; k++) {
            float lo = (float)k / PIECES, hi = (float)(k + 1) / PIECES, z0 = 0.5f + (high - 0.5f) * lo,
                  z1 = 0.5f + (high - 0.5f) * hi;
            stn_v3 corner[4] = {{-c, -q, z0}, {c, q, z0}, {c, q, z1}, {-c, -q, z1}}, up = {0, 0, 1},
                   n[4] = {up, up, up, up};

            stn_shape_card(s, corner, n, 0, 1 - hi, 1, 1 - lo);
        }
    }
    m->flutter = flame_at;
    m->flutter_frames = 8;
    m->flutter_len = 1.1f;
    return m;
}

static stn_model *build_campfire(void)
{
    stn_model *m = stn_model_new();
    stn_rng r = stn_rng_of(8650);

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_stone_face(0x7c786f, false));
    stn_model_texture(m, 1, STN_TEXTURE_COLOUR, 0, ember_picture());
    stn_model_texture(m, 3, STN_TEXTURE_COLOUR, 0, stn_bark_spruce());
    stn_model_material(m, 0, 0);
    stn_model_material(m, 1, 1)->glow = true;
    stn_model_material(m, 3, 3)->tint = (stn_rgb){0.45f, 0.42f, 0.40f};
    stn_model_link(m, 4, "homestead/wood/pine", 2);
    stn_shape *stone = &stn_model_part(m, 0)->shape, *ember = &stn_model_part(m, 1)->shape;
    stn_shape *log = &stn_model_part(m, 3)->shape, *end = &stn_model_part(m, 4)->shape;

    for (int i = 0; i < 10; i++) {
        float a = 2 * PI * (float)i / 10 + 0.15f * stn_rng_bell(&r);
        stn_xf at = stn_xf_turn(stn_xf_at(6.6f * cosf(a), 6.6f * sinf(a), -0.3f), 0, 0, stn_rng_unit(&r) * 6);

        stn_shape_stone(stone, &at,
                        (stn_v3){stn_rng_range(&r, 1.6f, 2.2f), stn_rng_range(&r, 1.3f, 1.8f),
                                 stn_rng_range(&r, 1.1f, 1.6f)},
                        300u + (uint32_t)i, 0.3f, 0.7f, 0.12f, 7);
    }
    stn_shape_stone(ember, &(stn_xf){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -0.4f}},
                    (stn_v3){4.8f, 4.8f, 1.0f}, 350, 0.3f, 0.2f, 0.14f, 8);
    for (int i = 0; i < 6; i++) {
        float a = 2 * PI * (float)i / 6 + 0.2f, c = cosf(a), s = sinf(a);

        stn_joiner_log(log, end, (stn_v3){5.4f * c, 5.4f * s, 0.4f},
                       (stn_v3){-0.7f * c + 0.6f * s, -0.7f * s - 0.6f * c, 5.6f + 0.6f * (float)(i & 1)},
                       0.85f, 0.62f, 6, 1);
    }
    /* State 01: gone out. Ashes in place of the embers; the flames and the light (emit.c) go too. */
    m->parts[1].id = 16;
    stn_model_texture(m, 4, STN_TEXTURE_COLOUR, 0, stn_plain(0x5a5652, 0.5f));
    stn_model_material(m, 5, 4);
    stn_part *ash = stn_model_part(m, 5);

    ash->id = 0;
    stn_shape_add(&ash->shape, ember, &(stn_xf){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}});
    m->fire = true;
    m->has_obst = true;
    m->obst[0] = m->obst[1] = 0.6f;
    return m;
}

static stn_model *barked(void)
{
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_bark_spruce());
    stn_model_material(m, 0, 0);
    stn_model_link(m, 1, "homestead/wood/pine", 2);
    stn_model_part(m, 0);
    stn_model_part(m, 1);
    return m;
}

static stn_model *build_log(void)
{
    stn_model *m = barked();

    if (!m)
        return NULL;
    stn_shape *bark = &m->parts[0].shape, *end = &m->parts[1].shape;

    stn_joiner_log(bark, end, (stn_v3){-10.5f, 0, 2.0f}, (stn_v3){10.5f, 0.6f, 1.8f}, 2.35f, 2.05f, 9, 1);
    stn_joiner_log(bark, end, (stn_v3){3.0f, 0.5f, 3.0f}, (stn_v3){4.6f, 1.6f, 6.0f}, 0.6f, 0.45f, 6, 1);
    m->place = "incline";
    m->surface = "trn";
    m->has_obst = true;
    m->obst[0] = 0.95f, m->obst[1] = 0.2f;
    return m;
}

static stn_model *build_stump(void)
{
    stn_model *m = barked();
    stn_v3 path[5] = {{0, 0, -1}, {0, 0, 0.6f}, {0.1f, 0, 2}, {0.2f, 0, 4}, {0.2f, 0, 6}};
    float radius[5] = {5.6f, 4.4f, 3.6f, 3.3f, 3.2f};

    if (!m)
        return NULL;
    stn_shape_tube(&m->parts[0].shape, path, radius, 5, 10, 2, 1.0f / 20.0f, false);
    stn_shape_disc(&m->parts[1].shape, (stn_v3){0.2f, 0, 6}, (stn_v3){0.08f, 0.03f, 1}, 3.2f, 10);
    for (int i = 0; i < 5; i++) {
        float a = 1.26f * (float)i + 0.3f;
        stn_v3 arm[3] = {{3 * cosf(a), 3 * sinf(a), 2.2f},
                         {5.5f * cosf(a), 5.5f * sinf(a), 0.7f},
                         {8 * cosf(a), 8 * sinf(a), -1}};
        float rr[3] = {1.3f, 0.8f, 0.3f};

        stn_shape_tube(&m->parts[0].shape, arm, rr, 3, 5, 1, 1.0f / 20.0f, false);
    }
    m->has_obst = true;
    m->obst[0] = m->obst[1] = 0.35f;
    return m;
}

/* Rock, and moss where it looks up. */
/* `open` (may be NULL): where there is none of it. */
static stn_model *rock(stn_v3 r, uint32_t seed, float rough, float facets, unsigned detail, float tiles,
                       bool (*open)(stn_v3 at))
{
    stn_model *m = stn_model_new();
    stn_xf at = stn_xf_id();
    stn_shape all = {0};

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_stone_face(0x8a867c, false));
    stn_model_texture(m, 1, STN_TEXTURE_COLOUR, 0, stn_stone_face(0x8a867c, true));
    stn_model_material(m, 0, 0);
    stn_model_material(m, 1, 1);
    stn_part *bare = stn_model_part(m, 0), *green = stn_model_part(m, 1);

    stn_shape_stone(&all, &at, r, seed, rough, facets, 1.3f / (r.x + r.y + 6), detail);
    for (size_t t = 0; t < all.nt; t++) {
        const uint32_t *k = all.tri + 3 * t;
        float up = all.v[k[0]].n.z + all.v[k[1]].n.z + all.v[k[2]].n.z;
        stn_shape *to = up > 3 * 0.72f ? &green->shape : &bare->shape;
        uint32_t v[3];

        if (open &&
            open(stn_v3_scale(stn_v3_add(stn_v3_add(all.v[k[0]].p, all.v[k[1]].p), all.v[k[2]].p), 1.0f / 3)))
            continue;

        for (int c = 0; c < 3; c++)
            v[c] = stn_shape_vertex(to, all.v[k[c]].p, all.v[k[c]].n, all.v[k[c]].s, all.v[k[c]].t);
        stn_shape_tri(to, v[0], v[1], v[2]);
    }
    m->failed |= all.failed;
    stn_shape_fini(&all);
    m->place = "incline";
    m->surface = "trn";
    m->has_obst = tiles > 0;
    m->obst[0] = m->obst[1] = tiles;
    return m;
}

static stn_model *build_stone(void)
{
    return rock((stn_v3){3.4f, 2.7f, 2.2f}, 512, 0.35f, 0.9f, 10, 0, NULL);
}

static stn_model *build_boulder(void)
{
    return rock((stn_v3){11, 9, 8.5f}, 523, 0.42f, 0.85f, 18, 0.8f, NULL);
}

/* ---- the way into a cave: a passage that goes down into a rock, with stones around its mouth ---- */

#define MOUTH_WIDE 5.6f /* half of it, at the ground */
#define MOUTH_HIGH 9.0f
#define MOUTH_FRONT 11.5f /* where it begins, along x; the passage goes the other way */
#define MOUTH_DEEP 17.0f

static bool in_mouth(stn_v3 p)
{
    float y = p.y / (MOUTH_WIDE + 0.6f), z = p.z / (MOUTH_HIGH + 0.6f);

    return p.x > 0 && y * y + z * z < 1;
}

/* Stone at the mouth, in daylight; dark at the end, from the left edge to the right one. */
static stn_canvas *passage_picture(void)
{
    stn_canvas *c = stn_canvas_new(128, 64, false);

    for (int y = 0; c && y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            float deep = ((float)x + 0.5f) / (float)c->w,
                  grain = stn_fbm3(8870, (float)x / 9, (float)y / 9, 0, 4);
            float light = (1 - deep) * (1 - deep) * (1 - deep) * (0.85f + 0.5f * grain);

            stn_canvas_at(c, x, y)->c =
                stn_rgb_mix(stn_hex(0x050505), stn_hex(0x7d766a), fminf(fmaxf(light, 0), 1));
            stn_canvas_at(c, x, y)->a = 1;
        }
    return c;
}

/* A point of its wall: `deep` 0 at the mouth to 1, `turn` 0 at one foot over the top to 1 at the other. The
 * feet lie a little above the ground, which is not to be seen inside. */
static stn_v3 passage_at(float deep, float turn)
{
    float narrow = 1 - 0.45f * deep, a = PI * turn, foot = fabsf(turn - 0.5f) * 2;
    float bulge = 1 + 0.07f * sinf(9 * a + 7 * deep) * (1 - foot);

    return (stn_v3){MOUTH_FRONT + 1.6f * foot * (1 - deep) - MOUTH_DEEP * deep,
                    MOUTH_WIDE * narrow * bulge * cosf(a), MOUTH_HIGH * narrow * bulge * sinf(a) + 0.35f};
}

static void passage(stn_shape *s)
{
    enum { RINGS = 8, AROUND = 12 };

    for (int i = 0; i < RINGS; i++)
        for (int k = 0; k <= AROUND; k++) {
            float d0 = (float)i / RINGS, d1 = (float)(i + 1) / RINGS;
            /* Behind the last piece of the wall comes the floor, from foot to foot. */
            float t0 = (float)k / AROUND, t1 = k < AROUND ? (float)(k + 1) / AROUND : 0;

            stn_shape_quad(s, passage_at(d1, t0), passage_at(d0, t0), passage_at(d0, t1), passage_at(d1, t1),
                           d1, t0, d0, t0 + 1.0f / AROUND);
        }
    for (int k = 1; k < AROUND; k++) {
        const float turn[3] = {0, (float)k / AROUND, (float)(k + 1) / AROUND};
        uint32_t v[3];

        for (int i = 0; i < 3; i++)
            v[i] = stn_shape_vertex(s, passage_at(1, turn[i]), (stn_v3){1, 0, 0}, 1, turn[i]);
        stn_shape_tri(s, v[0], v[1], v[2]);
    }
}

/* Stones that hold the mouth open, smaller towards the top. */
static void rim(stn_shape *s)
{
    enum { STONES = 11 };
    stn_rng r = stn_rng_of(8871);

    for (int i = 0; i < STONES; i++) {
        float turn = ((float)i + 0.15f * stn_rng_bell(&r)) / (STONES - 1), a = PI * turn,
              foot = fabsf(turn - 0.5f) * 2;
        float size = 1.7f + 1.0f * foot + 0.3f * stn_rng_bell(&r);
        stn_xf at =
            stn_xf_turn(stn_xf_at(MOUTH_FRONT - 0.2f + 0.4f * stn_rng_bell(&r) + 1.4f * foot,
                                  (MOUTH_WIDE + 1.0f) * cosf(a), (MOUTH_HIGH + 0.7f) * sinf(a) - 1.4f),
                        stn_rng_unit(&r), 0, stn_rng_unit(&r) * 3);

        stn_shape_stone(s, &at, (stn_v3){size, size * 0.9f, size * 0.8f}, 560u + (uint32_t)i, 0.3f, 0.7f,
                        0.09f, 6);
    }
}

static stn_model *build_cavemouth(void)
{
    stn_model *m = rock((stn_v3){15, 12, 14}, 531, 0.35f, 0.85f, 30, 0.8f, in_mouth);

    if (!m)
        return NULL;
    stn_model_texture(m, 5, STN_TEXTURE_COLOUR, 0, passage_picture());
    stn_model_material(m, 5, 5)->no_shadow = true;
    passage(&stn_model_part(m, 5)->shape);
    rim(&stn_model_part(m, 0)->shape);
    return m;
}

static stn_canvas *cap_picture(void)
{
    stn_canvas *c = stn_plain(0x9a4a2c, 0.25f);
    stn_rng r = stn_rng_of(8900);

    for (int i = 0; c && i < 26; i++) {
        stn_stroke s = {.root = stn_hex(0xe6d8bc), .opacity = 0.9f};

        stn_paint_spot(c, stn_rng_unit(&r) * 64, stn_rng_unit(&r) * 64, stn_rng_range(&r, 1.0f, 2.6f), 0.5f,
                       &s);
    }
    return c;
}

static stn_model *build_mushroom(void)
{
    stn_model *m = stn_model_new();
    static const float stem[4][2] = {{0.75f, -0.3f}, {0.62f, 0.6f}, {0.5f, 1.8f}, {0.55f, 2.6f}};
    static const float cap[6][2] = {{0.4f, 2.35f}, {1.75f, 2.3f},  {1.95f, 2.6f},
                                    {1.6f, 3.25f}, {0.85f, 3.75f}, {0.0f, 3.9f}};
    static const float at[4][4] = {{0, 0, 1.0f, 0.1f},
                                   {2.4f, 1.0f, 0.7f, -0.2f},
                                   {-1.6f, 1.9f, 0.55f, 0.25f},
                                   {0.9f, -2.0f, 0.45f, 0.1f}};

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, cap_picture());
    stn_model_texture(m, 1, STN_TEXTURE_COLOUR, 0, stn_plain(0xd9cdb2, 0.15f));
    stn_model_material(m, 0, 0);
    stn_model_material(m, 1, 1);
    stn_shape *caps = &stn_model_part(m, 0)->shape, *stems = &stn_model_part(m, 1)->shape;

    for (int i = 0; i < 4; i++) {
        stn_xf f = stn_xf_scale(
            stn_xf_turn(stn_xf_at(at[i][0], at[i][1], 0), at[i][3], at[i][3] * 0.5f, (float)i), at[i][2]);

        stn_shape_lathe(stems, &f, stem, 4, 8, 1, 0.3f);
        stn_shape_lathe(caps, &f, cap, 6, 10, 1, 0.3f);
    }
    return m;
}

/* A clump that thins out to its sides, so that the card's own outline is never seen. */
static stn_canvas *reed_picture(void)
{
    stn_canvas *c = stn_canvas_new(256, 256, false);
    stn_rng r = stn_rng_of(8950);

    for (int i = 0; c && i < 34; i++) {
        float off = stn_rng_bell(&r), t = stn_rng_unit(&r), tall = 1.0f - 0.55f * fabsf(off);
        stn_rgb k = stn_rgb_vary(stn_rgb_mix(stn_hex(0x4f6433), stn_hex(0x97985a), t), &r, 0.08f, 0.04f);
        stn_stroke s = {
            .root = stn_rgb_scale(k, 0.6f), .tip = stn_rgb_scale(k, 1.15f), .shadow = 0.15f, .opacity = 1};

        stn_paint_blade(c, 128 + 62 * off, 256, -PI / 2 + 0.34f * off + 0.08f * stn_rng_bell(&r),
                        tall * stn_rng_range(&r, 140, 238), stn_rng_range(&r, 5, 8.5f), 0.5f * off, &s);
    }
    for (int i = 0; c && i < 5; i++) {
        float x = 92 + 18 * (float)i + 5 * stn_rng_bell(&r), lean = 0.0035f * (x - 128);
        float h = stn_rng_range(&r, 175, 228) - 0.5f * fabsf(x - 128), at = h - 40;
        stn_stroke stalk = {.root = stn_hex(0x5d6a3a), .tip = stn_hex(0x8d8a52), .opacity = 1};
        stn_stroke head = {.root = stn_hex(0x4f3420), .tip = stn_hex(0x6d4a2e), .opacity = 1};

        stn_paint_twig(c, x, 256, -PI / 2 + lean, h, 2.6f, 0, &stalk);
        stn_paint_twig(c, x + at * sinf(lean), 256 - at * cosf(lean), -PI / 2 + lean, 30, 8.5f, 0, &head);
    }
    return c;
}

static stn_model *build_reeds(void)
{
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_CUTOUT, 0, reed_picture());
    stn_material *mat = stn_model_material(m, 0, 0);

    mat->cutout = mat->two_sided = true;
    stn_shape *s = &stn_model_part(m, 0)->shape;
    static const float at[6][3] = {{0, 0, 0},        {3, 2, 1.0f},   {-3.5f, 1, 2.1f},
                                   {1, -3.5f, 0.6f}, {-2, -3, 1.6f}, {4, -2, 2.6f}};

    for (int i = 0; i < 6; i++) {
        float c = 5.6f * cosf(at[i][2]), q = 5.6f * sinf(at[i][2]), h = 17.5f + 2.5f * sinf((float)i * 2);
        stn_v3 k[4] = {{at[i][0] - c, at[i][1] - q, -5},
                       {at[i][0] + c, at[i][1] + q, -5},
                       {at[i][0] + c, at[i][1] + q, h},
                       {at[i][0] - c, at[i][1] - q, h}};
        stn_v3 n[4];

        for (int e = 0; e < 4; e++)
            n[e] = stn_v3_norm((stn_v3){k[e].x * 0.06f, k[e].y * 0.06f, 1});
        stn_shape_card(s, k, n, 0, 0, 1, 1);
    }
    return m;
}

const stn_builder stn_nature_builders[] = {
    {"homestead/things/campfire", build_campfire},
    {"homestead/things/flames", build_flames},
    {"homestead/things/log", build_log},
    {"homestead/things/stump", build_stump},
    {"homestead/things/stone", build_stone},
    {"homestead/things/boulder", build_boulder},
    {"homestead/things/cavemouth", build_cavemouth},
    {"homestead/things/mushroom", build_mushroom},
    {"homestead/things/reeds", build_reeds},
    {NULL, NULL},
};
