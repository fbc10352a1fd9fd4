/* people.c - a person of sixteen bones, clothes as meshes of their own, and the cycles idle, walk and run.
 *
 * The parts exist twice: together in one resource that any client draws as a plain sprite (people/person;
 * state bytes 01 walk and 02 run, none stand), and apart for composites (docs/spec/sprites.md 17):
 * people/skeleton, the models people/body … and the materials people/skin …, the poses people/idle,
 * people/walk, people/run.
 */
#include "homestead/pack/builders.h"
#include "homestead/pack/poses.h"
#include "homestead/pack/surfaces.h"

#include <math.h>
#include <stddef.h>

#define PI 3.14159265f
/* Map units a second that the feet are made for. */
#define WALK_SPEED 14.0f
#define RUN_SPEED 34.0f
#define WALK_SECONDS 0.75f
#define RUN_SECONDS 0.62f

static const struct {
    const char *name, *parent;
    float x, y, z;
} bones[] = {
    {"hips", "", 0, 0, 9.2f},
    {"belly", "hips", 0, 0, 10.2f},
    {"chest", "belly", 0, 0, 11.6f},
    {"head", "chest", 0.05f, 0, 14.2f},
    {"armL", "chest", 0, 2.15f, 13.25f},
    {"foreL", "armL", -0.05f, 2.75f, 10.5f},
    {"handL", "foreL", 0.35f, 3.0f, 8.0f},
    {"armR", "chest", 0, -2.15f, 13.25f},
    {"foreR", "armR", -0.05f, -2.75f, 10.5f},
    {"handR", "foreR", 0.35f, -3.0f, 8.0f},
    {"thighL", "hips", 0, 1.05f, 8.9f},
    {"shinL", "thighL", 0.15f, 1.15f, 4.95f},
    {"footL", "shinL", -0.1f, 1.2f, 1.0f},
    {"thighR", "hips", 0, -1.05f, 8.9f},
    {"shinR", "thighR", 0.15f, -1.15f, 4.95f},
    {"footR", "shinR", -0.1f, -1.2f, 1.0f},
};

enum {
    HIPS,
    BELLY,
    CHEST,
    HEAD,
    ARM_L,
    FORE_L,
    HAND_L,
    ARM_R,
    FORE_R,
    HAND_R,
    THIGH_L,
    SHIN_L,
    FOOT_L,
    THIGH_R,
    SHIN_R,
    FOOT_R
};

static void skeleton(stn_model *m)
{
    for (size_t i = 0; i < sizeof bones / sizeof bones[0]; i++)
        stn_model_joint(m, bones[i].name, bones[i].parent, bones[i].x, bones[i].y, bones[i].z);
    m->points[m->n_points++] = (stn_equip_point){"h", "head", {0, 0, 2.6f}};
    m->points[m->n_points++] = (stn_equip_point){"hl", "handL", {0.2f, 0.1f, -0.9f}};
    m->points[m->n_points++] = (stn_equip_point){"hr", "handR", {0.2f, -0.1f, -0.9f}};
    m->points[m->n_points++] = (stn_equip_point){"b", "chest", {-1.2f, 0, 1.2f}};
}

/* ---- flesh and cloth: rings around a limb, each held by two bones ---- */

typedef struct ring {
    float x, y, z; /* middle */
    float rx, ry; /* half width forward and sideways */
    int8_t bone, other;
    float share; /* of the other bone */
} ring;

/* A sweep of level rings. The seam is at the back; s = 0.5 is the front. `t0`, `t1`: texture from first to
 * last ring. */
static void loft(stn_shape *s, const ring *r, size_t n, unsigned around, float repeat, float t0, float t1,
                 bool closed)
{
    size_t first = s->nv;

    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k <= around; k++) {
            float a = PI + 2 * PI * (float)k / (float)around, c = cosf(a), q = sinf(a);
            uint32_t v = stn_shape_vertex(s, (stn_v3){r[i].x + r[i].rx * c, r[i].y + r[i].ry * q, r[i].z},
                                          (stn_v3){c, q, 0}, repeat * (float)k / (float)around,
                                          stn_mixf(t0, t1, (float)i / (float)(n - 1)));

            if (s->failed)
                return;
            s->v[v].bone[0] = r[i].bone;
            s->v[v].weight[0] = 1 - r[i].share;
            s->v[v].bone[1] = r[i].share > 0 ? r[i].other : -1;
            s->v[v].weight[1] = r[i].share;
        }
    for (size_t i = 0; i + 1 < n; i++)
        for (unsigned k = 0; k < around; k++) {
            uint32_t a = (uint32_t)(first + i * (around + 1) + k), b = a + 1, c = a + around + 1, d = c + 1;
            bool up = r[i + 1].z > r[i].z;

            /* Counter-clockwise from outside whichever way the rings go. */
            if (up) {
                stn_shape_tri(s, a, b, d);
                stn_shape_tri(s, a, d, c);
            } else {
                stn_shape_tri(s, a, d, b);
                stn_shape_tri(s, a, c, d);
            }
        }
    if (closed)
        for (int end = 0; end < 2; end++) {
            const ring *e = &r[end ? n - 1 : 0];
            bool top = (r[n - 1].z > r[0].z) == (end == 1);
            uint32_t mid = stn_shape_vertex(s, (stn_v3){e->x, e->y, e->z + (top ? 0.12f : -0.12f)},
                                            (stn_v3){0, 0, top ? 1.0f : -1.0f}, repeat * 0.5f, end ? t1 : t0);
            uint32_t at = (uint32_t)(first + (end ? n - 1 : 0) * (around + 1));

            if (s->failed)
                return;
            s->v[mid].bone[0] = e->bone;
            s->v[mid].weight[0] = 1;
            for (unsigned k = 0; k < around; k++) {
                if (top)
                    stn_shape_tri(s, at + k, at + k + 1, mid);
                else
                    stn_shape_tri(s, at + k + 1, at + k, mid);
            }
        }
    stn_shape_smooth(s, first);
}

static void mirrored(stn_shape *s, const ring *r, size_t n, unsigned around, float repeat, float t0, float t1,
                     bool closed)
{
    ring other[12];

    loft(s, r, n, around, repeat, t0, t1, closed);
    for (size_t i = 0; i < n; i++) {
        other[i] = r[i];
        other[i].y = -r[i].y;
        /* Left bones stand three before right ones, in arms and in legs. */
        other[i].bone = (int8_t)(r[i].bone >= ARM_L ? r[i].bone + 3 : r[i].bone);
        other[i].other = (int8_t)(r[i].other >= ARM_L ? r[i].other + 3 : r[i].other);
    }
    loft(s, other, n, around, repeat, t0, t1, closed);
}

static void body(stn_shape *s)
{
    static const ring head[] = {
        {0.02f, 0, 13.4f, 0.62f, 0.66f, CHEST, HEAD, 0.3f}, {0.05f, 0, 14.1f, 0.58f, 0.62f, HEAD, 0, 0},
        {0.28f, 0, 14.45f, 0.86f, 0.78f, HEAD, 0, 0},       {0.30f, 0, 14.85f, 1.05f, 0.98f, HEAD, 0, 0},
        {0.22f, 0, 15.35f, 1.18f, 1.10f, HEAD, 0, 0},       {0.14f, 0, 15.9f, 1.24f, 1.14f, HEAD, 0, 0},
        {0.05f, 0, 16.4f, 1.14f, 1.06f, HEAD, 0, 0},        {0.0f, 0, 16.8f, 0.80f, 0.78f, HEAD, 0, 0},
        {0.0f, 0, 17.0f, 0.25f, 0.25f, HEAD, 0, 0},
    };
    static const ring hand[] = {
        {-0.02f, 2.78f, 10.3f, 0.55f, 0.50f, FORE_L, ARM_L, 0.2f},
        {0.12f, 2.88f, 9.4f, 0.56f, 0.50f, FORE_L, 0, 0},
        {0.30f, 2.97f, 8.3f, 0.42f, 0.38f, FORE_L, HAND_L, 0.3f},
        {0.40f, 3.0f, 7.8f, 0.50f, 0.34f, HAND_L, 0, 0},
        {0.50f, 3.0f, 7.2f, 0.60f, 0.36f, HAND_L, 0, 0},
        {0.55f, 2.98f, 6.7f, 0.48f, 0.30f, HAND_L, 0, 0},
        {0.55f, 2.95f, 6.35f, 0.24f, 0.18f, HAND_L, 0, 0},
    };
    size_t first;

    loft(s, head, 9, 12, 1, 1.0f, 0.0f, true);
    /* Nose and ears. */
    first = s->nv;
    {
        stn_v3 tip = {1.72f, 0, 15.25f}, top = {1.32f, 0, 15.85f}, l = {1.28f, 0.26f, 15.18f},
               r = {1.28f, -0.26f, 15.18f}, low = {1.25f, 0, 15.05f};

        stn_shape_quad(s, top, top, l, tip, 0.5f, 0.42f, 0.5f, 0.46f);
        stn_shape_quad(s, r, tip, top, top, 0.5f, 0.42f, 0.5f, 0.46f);
        stn_shape_quad(s, l, low, tip, tip, 0.5f, 0.46f, 0.5f, 0.47f);
        stn_shape_quad(s, low, r, tip, tip, 0.5f, 0.46f, 0.5f, 0.47f);
    }
    for (int k = -1; k <= 1; k += 2) {
        stn_xf at = stn_xf_turn(stn_xf_at(0.1f, (float)k * 1.14f, 15.4f), 0, 0, (float)k * 0.3f);

        stn_shape_stone(s, &at, (stn_v3){0.26f, 0.14f, 0.38f}, 5, 0.1f, 0, 0.02f, 4);
    }
    stn_shape_bind(s, first, HEAD);
    mirrored(s, hand, 7, 8, 0.25f, 0.86f, 0.98f, true);
}

static void hair(stn_shape *s)
{
    static const ring cap[] = {
        {-0.55f, 0, 14.3f, 0.78f, 0.98f, HEAD, 0, 0}, {-0.38f, 0, 15.0f, 1.06f, 1.22f, HEAD, 0, 0},
        {-0.26f, 0, 15.7f, 1.22f, 1.30f, HEAD, 0, 0}, {-0.10f, 0, 16.3f, 1.30f, 1.27f, HEAD, 0, 0},
        {0.02f, 0, 16.8f, 1.18f, 1.05f, HEAD, 0, 0},  {0.05f, 0, 17.2f, 0.70f, 0.65f, HEAD, 0, 0},
        {0.05f, 0, 17.32f, 0.2f, 0.2f, HEAD, 0, 0},
    };
    static const ring beard[] = {
        {1.05f, 0, 14.05f, 0.22f, 0.25f, HEAD, 0, 0},
        {0.92f, 0, 14.35f, 0.45f, 0.60f, HEAD, 0, 0},
        {0.80f, 0, 14.72f, 0.58f, 0.86f, HEAD, 0, 0},
        {0.55f, 0, 15.0f, 0.50f, 1.0f, HEAD, 0, 0},
    };

    loft(s, cap, 7, 12, 1, 1, 0, false);
    loft(s, beard, 4, 10, 1, 1, 0, true);
}

static void shirt(stn_shape *s)
{
    /* A belted tunic that flares over the hips, and sleeves. */
    static const ring trunk[] = {
        {0, 0, 6.9f, 1.75f, 2.05f, HIPS, 0, 0},       {0, 0, 7.9f, 1.62f, 1.92f, HIPS, 0, 0},
        {0, 0, 9.0f, 1.45f, 1.74f, HIPS, 0, 0},       {0, 0, 9.7f, 1.28f, 1.58f, HIPS, BELLY, 0.5f},
        {0, 0, 10.5f, 1.30f, 1.62f, BELLY, 0, 0},     {0.04f, 0, 11.5f, 1.38f, 1.80f, BELLY, CHEST, 0.6f},
        {0.05f, 0, 12.5f, 1.40f, 2.02f, CHEST, 0, 0}, {0.02f, 0, 13.2f, 1.22f, 2.0f, CHEST, 0, 0},
        {0, 0, 13.75f, 0.92f, 1.35f, CHEST, 0, 0},    {0, 0, 14.0f, 0.74f, 0.80f, CHEST, 0, 0},
    };
    static const ring sleeve[] = {
        {0, 1.55f, 13.55f, 0.80f, 0.55f, CHEST, ARM_L, 0.4f},
        {0, 2.15f, 13.3f, 0.92f, 0.68f, ARM_L, CHEST, 0.3f},
        {0, 2.42f, 12.4f, 0.84f, 0.72f, ARM_L, 0, 0},
        {-0.03f, 2.62f, 11.4f, 0.76f, 0.66f, ARM_L, 0, 0},
        {-0.04f, 2.75f, 10.5f, 0.72f, 0.64f, ARM_L, FORE_L, 0.5f},
        {0.08f, 2.85f, 9.6f, 0.74f, 0.66f, FORE_L, 0, 0},
        {0.15f, 2.90f, 9.1f, 0.80f, 0.70f, FORE_L, 0, 0},
    };

    loft(s, trunk, 10, 14, 2, 1.4f, 0, false);
    /* The skirt gives way to the thighs, each side to its own. */
    for (size_t i = 0; i < s->nv && !s->failed; i++) {
        stn_vertex *v = &s->v[i];
        float k = 0.62f * stn_smooth(9.4f, 6.9f, v->p.z), left = stn_smooth(-1.1f, 1.1f, v->p.y);

        if (k <= 0)
            continue;
        v->bone[0] = HIPS;
        v->bone[1] = THIGH_L;
        v->bone[2] = THIGH_R;
        v->weight[0] = 1 - k;
        v->weight[1] = k * left;
        v->weight[2] = k * (1 - left);
    }
    mirrored(s, sleeve, 7, 9, 1, 0, 1, true);
}

static void belt(stn_shape *s)
{
    static const ring strap[] = {
        {0, 0, 9.35f, 1.40f, 1.70f, HIPS, BELLY, 0.4f},
        {0, 0, 9.4f, 1.48f, 1.79f, HIPS, BELLY, 0.4f},
        {0, 0, 9.95f, 1.46f, 1.76f, HIPS, BELLY, 0.5f},
        {0, 0, 10.0f, 1.36f, 1.66f, HIPS, BELLY, 0.5f},
    };
    size_t first = s->nv;

    loft(s, strap, 4, 14, 3, 0.3f, 0, false);
    first = s->nv;
    {
        stn_xf buckle = stn_xf_turn(stn_xf_at(1.5f, 0, 9.68f), 0, 0, PI / 2);

        stn_shape_beam(s, s, &buckle, 0.75f, 0.2f, 0.75f, 0.06f, 0.02f, 0.1f, 0.9f);
        stn_xf purse = stn_xf_turn(stn_xf_at(0.35f, -1.85f, 8.9f), 0, 0, 0.2f);

        stn_shape_stone(s, &purse, (stn_v3){0.6f, 0.42f, 0.62f}, 9, 0.12f, 0, 0.1f, 6);
    }
    stn_shape_bind(s, first, HIPS);
}

static void trousers(stn_shape *s)
{
    static const ring seat[] = {
        {0, 0, 7.9f, 1.10f, 1.50f, HIPS, 0, 0},
        {0, 0, 8.7f, 1.20f, 1.55f, HIPS, 0, 0},
        {0, 0, 9.6f, 1.1f, 1.4f, HIPS, 0, 0},
    };
    static const ring leg[] = {
        {0, 0.80f, 8.8f, 0.90f, 0.80f, HIPS, THIGH_L, 0.4f},
        {0.02f, 0.95f, 8.0f, 0.98f, 0.86f, THIGH_L, HIPS, 0.2f},
        {0.08f, 1.08f, 7.0f, 0.98f, 0.86f, THIGH_L, 0, 0},
        {0.12f, 1.12f, 5.8f, 0.82f, 0.74f, THIGH_L, 0, 0},
        {0.16f, 1.15f, 4.95f, 0.76f, 0.70f, THIGH_L, SHIN_L, 0.5f},
        {0.08f, 1.16f, 4.2f, 0.74f, 0.68f, SHIN_L, 0, 0},
        {0.02f, 1.18f, 3.2f, 0.72f, 0.66f, SHIN_L, 0, 0},
    };

    loft(s, seat, 3, 12, 1, 0.4f, 0, true);
    mirrored(s, leg, 7, 10, 1, 0, 1.5f, false);
}

static void boots(stn_shape *s)
{
    static const ring shaft[] = {
        {0.0f, 1.18f, 3.9f, 0.88f, 0.82f, SHIN_L, 0, 0},
        {0.02f, 1.18f, 3.7f, 0.84f, 0.78f, SHIN_L, 0, 0},
        {-0.02f, 1.19f, 2.6f, 0.76f, 0.70f, SHIN_L, 0, 0},
        {-0.08f, 1.2f, 1.6f, 0.66f, 0.62f, SHIN_L, FOOT_L, 0.3f},
        {0.02f, 1.2f, 1.0f, 0.82f, 0.66f, FOOT_L, SHIN_L, 0.2f},
        {0.42f, 1.2f, 0.62f, 1.36f, 0.70f, FOOT_L, 0, 0},
        {0.52f, 1.2f, 0.25f, 1.52f, 0.74f, FOOT_L, 0, 0},
        {0.50f, 1.2f, 0.0f, 1.50f, 0.72f, FOOT_L, 0, 0},
    };

    mirrored(s, shaft, 8, 10, 1, 0, 1, true);
}

/* ---- pictures ---- */

static stn_canvas *skin_picture(void)
{
    stn_canvas *c = stn_canvas_new(128, 128, true);
    stn_rgb skin = stn_hex(0xd3a283), blush = stn_hex(0xc4836a);

    if (!c)
        return NULL;
    for (int y = 0; y < 128; y++)
        for (int x = 0; x < 128; x++) {
            float u = ((float)x + 0.5f) / 128, v = ((float)y + 0.5f) / 128,
                  n = stn_fbm_wrap(9100, u, v, 4, 3);
            stn_pixel *p = stn_canvas_at(c, x, y);

            p->c = stn_rgb_scale(skin, 1 + 0.06f * n);
            p->a = 1;
        }
    /* The face looks out of the picture's middle: eyes, brows, cheeks, mouth. Rows: 0 crown, 1 neck. */
    for (int k = -1; k <= 1; k += 2) {
        stn_stroke cheek = {.root = blush, .opacity = 0.5f},
                   white = {.root = stn_hex(0xe9e2d6), .tip = stn_hex(0xe9e2d6), .opacity = 1};
        stn_stroke iris = {.root = stn_hex(0x3a4a55), .opacity = 1},
                   brow = {.root = stn_hex(0x5a4028), .tip = stn_hex(0x6a4c30), .opacity = 1};

        stn_paint_spot(c, 64 + (float)k * 12, 66, 7, 0.1f, &cheek);
        stn_paint_leaf(c, 64 + (float)k * 8.5f, 53.5f, 0, 8.5f, 4.6f, 0, &white);
        stn_paint_spot(c, 64 + (float)k * 8.2f, 53.5f, 1.9f, 0.9f, &iris);
        stn_paint_twig(c, 64 + (float)k * 4.5f, 48.0f, k > 0 ? -0.12f : PI + 0.12f, 8.5f, 2.0f,
                       k > 0 ? 0.4f : -0.4f, &brow);
    }
    stn_stroke lips = {.root = stn_hex(0xa85f50), .tip = stn_hex(0xb06a58), .opacity = 0.9f};

    stn_paint_leaf(c, 64, 74.5f, 0, 12, 3.2f, 0, &lips);
    return c;
}

typedef struct garment {
    const char *name; /* of the material: "skin" … */
    void (*sew)(stn_shape *s);
    stn_canvas *(*picture)(void);
    int cz;
} garment;

static stn_canvas *hair_picture(void)
{
    return stn_fur(0x4a3018, 0x8a6236);
}

static stn_canvas *linen_picture(void)
{
    return stn_cloth(0x9c4034, 0xc27a58, false);
}

static stn_canvas *wool_picture(void)
{
    return stn_cloth(0x4f4a40, 0x6f6857, true);
}

static stn_canvas *leather_picture(void)
{
    return stn_plain(0x4a3020, 0.35f);
}

static stn_canvas *belt_picture(void)
{
    return stn_plain(0x6a4526, 0.3f);
}

static const garment garments[] = {
    {"skin", body, skin_picture, 0},         {"hair", hair, hair_picture, 0},
    {"trousers", trousers, wool_picture, 0}, {"boots", boots, leather_picture, 0},
    {"shirt", shirt, linen_picture, 0},      {"belt", belt, belt_picture, 0},
};
#define GARMENTS (sizeof garments / sizeof garments[0])

/* ---- movement ---- */

static float wave(float phase)
{
    return sinf(2 * PI * phase);
}

static void stand(const stn_model *m, float phase, stn_pose *p)
{
    float breath = wave(phase * 2), sway = wave(phase);

    p->move[HIPS] = (stn_v3){0, 0.22f * sway, -0.10f + 0.03f * breath};
    stn_pose_turn(m, p, "hips", 0.02f * sway, 0, 0.03f * sway);
    stn_pose_turn(m, p, "belly", -0.02f * sway, -0.01f, 0);
    stn_pose_turn(m, p, "chest", -0.015f * sway, -0.025f * breath, -0.03f * sway);
    stn_pose_turn(m, p, "head", 0.01f, 0.03f * breath, 0.16f * wave(phase + 0.1f));
    /* The feet stay where they are while the hips move over them. */
    stn_pose_leg(m, p, "thighL", "shinL", "footL", 0, 0.10f - 0.03f * breath, 0, 0, 1);
    stn_pose_leg(m, p, "thighR", "shinR", "footR", 0, 0.10f - 0.03f * breath, 0, 0, 1);
    stn_pose_turn(m, p, "thighL", -0.028f * sway, 0, 0);
    stn_pose_turn(m, p, "thighR", -0.028f * sway, 0, 0);
    for (int k = 0; k < 2; k++) {
        float s = k ? -1.0f : 1.0f;

        stn_pose_turn(m, p, k ? "armR" : "armL", s * (0.03f + 0.012f * breath),
                      0.05f + 0.02f * wave(phase + 0.2f), 0);
        stn_pose_turn(m, p, k ? "foreR" : "foreL", 0, -0.22f, 0);
    }
}

typedef struct gait {
    float stance, reach, lift, lean, drop, bob, twist, roll, arm, elbow, elbow_swing, sway;
} gait;

static void go(const stn_model *m, float phase, stn_pose *p, const gait *g)
{
    /* The left foot strikes at phase 0. The body is lowest just after a foot takes the weight, highest over
     * it. */
    float turn = g->twist * cosf(2 * PI * phase), side = g->sway * sinf(2 * PI * (phase + 0.05f));
    float high = -g->bob * cosf(4 * PI * (phase - 0.04f)) - g->drop;

    p->move[HIPS] = (stn_v3){0, side, high};
    stn_pose_turn(m, p, "hips", g->roll * sinf(2 * PI * phase), g->lean * 0.4f, -turn);
    stn_pose_turn(m, p, "belly", -0.5f * g->roll * sinf(2 * PI * phase), g->lean * 0.3f, 0.9f * turn);
    stn_pose_turn(m, p, "chest", -0.7f * g->roll * sinf(2 * PI * phase), g->lean * 0.5f, 1.1f * turn);
    stn_pose_turn(m, p, "head", 0.2f * g->roll * sinf(2 * PI * phase),
                  -g->lean * 0.9f + 0.02f * cosf(4 * PI * phase), -1.0f * turn);
    for (int k = 0; k < 2; k++) {
        float ph = phase + (k ? 0.5f : 0.0f), s = k ? -1.0f : 1.0f;
        stn_step f = stn_step_at(ph, g->stance, g->reach, g->lift);
        /* A pitched sole turns about the toe or the heel: the ankle rises. */
        float rise = f.pitch > 0 ? 1.5f * sinf(f.pitch) : 0.25f * sinf(-f.pitch),
              fwd = f.pitch > 0 ? 0.5f * (1 - cosf(f.pitch)) : 0;
        /* What the hips' own twist does to the joint. */
        float hip_x = s * 1.05f * sinf(turn);

        stn_pose_leg(m, p, k ? "thighR" : "thighL", k ? "shinR" : "shinL", k ? "footR" : "footL",
                     f.x + fwd - hip_x, f.z + rise - high, f.pitch, g->lean * 0.4f, 1);
        float swing = -g->arm * cosf(2 * PI * (ph - 0.02f));

        stn_pose_turn(m, p, k ? "armR" : "armL", s * 0.07f, -swing - g->lean * 0.8f, 0);
        stn_pose_turn(m, p, k ? "foreR" : "foreL", 0, -g->elbow - g->elbow_swing * fmaxf(0, swing), 0);
    }
}

static void walk(const stn_model *m, float phase, stn_pose *p)
{
    static const gait g = {.stance = 0.60f,
                           .reach = WALK_SPEED * WALK_SECONDS * 0.60f / 2,
                           .lift = 1.1f,
                           .lean = 0.07f,
                           .drop = 0.55f,
                           .bob = 0.22f,
                           .twist = 0.16f,
                           .roll = 0.06f,
                           .arm = 0.50f,
                           .elbow = 0.30f,
                           .elbow_swing = 0.5f,
                           .sway = 0.25f};

    go(m, phase, p, &g);
}

static void run(const stn_model *m, float phase, stn_pose *p)
{
    static const gait g = {.stance = 0.36f,
                           .reach = RUN_SPEED * RUN_SECONDS * 0.36f / 2,
                           .lift = 2.8f,
                           .lean = 0.24f,
                           .drop = 0.75f,
                           .bob = 0.45f,
                           .twist = 0.24f,
                           .roll = 0.07f,
                           .arm = 0.85f,
                           .elbow = 1.25f,
                           .elbow_swing = 0.35f,
                           .sway = 0.12f};

    go(m, phase, p, &g);
}

static void cycles(stn_model *m, int16_t idle_id, int16_t walk_id, int16_t run_id)
{
    stn_model_cycle(m, idle_id, 4.8f, 0, stand);
    stn_model_cycle(m, walk_id, WALK_SECONDS, WALK_SPEED, walk);
    stn_model_cycle(m, run_id, RUN_SECONDS, RUN_SPEED, run);
}

/* ---- resources ---- */

static stn_model *build_person(void)
{
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    skeleton(m);
    for (size_t i = 0; i < GARMENTS; i++) {
        stn_model_texture(m, (int16_t)i, STN_TEXTURE_COLOUR, 0, garments[i].picture());
        stn_model_material(m, (uint16_t)i, (int16_t)i)->two_sided = garments[i].sew == shirt;
        stn_part *part = stn_model_part(m, (int)i);

        part->boned = true;
        garments[i].sew(&part->shape);
    }
    cycles(m, 16, 0, 1);
    return m;
}

static stn_model *build_skeleton(void)
{
    stn_model *m = stn_model_new();

    if (m)
        skeleton(m);
    return m;
}

static stn_model *pose_of(int which)
{
    stn_model *m = build_skeleton();

    if (!m)
        return NULL;
    if (which == 0)
        stn_model_cycle(m, -1, 4.8f, 0, stand);
    else if (which == 1)
        stn_model_cycle(m, -1, WALK_SECONDS, WALK_SPEED, walk);
    else
        stn_model_cycle(m, -1, RUN_SECONDS, RUN_SPEED, run);
    return m;
}

static stn_model *build_idle(void)
{
    return pose_of(0);
}

static stn_model *build_walk(void)
{
    return pose_of(1);
}

static stn_model *build_run(void)
{
    return pose_of(2);
}

/* One garment as a composite's model, with its usual material in the same resource. */
static stn_model *garment_model(size_t i, stn_canvas *picture)
{
    stn_model *m = stn_model_new();

    if (!m) {
        stn_canvas_free(picture);
        return NULL;
    }
    for (size_t k = 0; k < sizeof bones / sizeof bones[0]; k++)
        stn_model_joint(m, bones[k].name, bones[k].parent, bones[k].x, bones[k].y, bones[k].z);
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, picture);
    stn_model_material(m, 0, 0)->two_sided = garments[i].sew == shirt;
    stn_part *part = stn_model_part(m, 0);

    part->boned = true;
    part->cz = garments[i].cz;
    garments[i].sew(&part->shape);
    return m;
}

static stn_model *build_body(void)
{
    return garment_model(0, garments[0].picture());
}

static stn_model *build_hair(void)
{
    return garment_model(1, garments[1].picture());
}

static stn_model *build_trousers(void)
{
    return garment_model(2, garments[2].picture());
}

static stn_model *build_boots(void)
{
    return garment_model(3, garments[3].picture());
}

static stn_model *build_shirt(void)
{
    return garment_model(4, garments[4].picture());
}

static stn_model *build_belt(void)
{
    return garment_model(5, garments[5].picture());
}

/* Other colours for the same clothes: materials alone. */
static stn_model *dye(uint32_t tone, uint32_t thread, bool coarse)
{
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    stn_model_texture(m, 0, STN_TEXTURE_COLOUR, 0, stn_cloth(tone, thread, coarse));
    stn_model_material(m, 0, 0)->two_sided = true;
    return m;
}

static stn_model *build_blue(void)
{
    return dye(0x3f5878, 0x7d93a6, false);
}

static stn_model *build_green(void)
{
    return dye(0x56683c, 0x93a068, false);
}

static stn_model *build_ochre(void)
{
    return dye(0xa87e38, 0xcfae6c, false);
}

static stn_model *build_undyed(void)
{
    return dye(0xb5aa92, 0xd5ccb8, true);
}

const stn_builder stn_people_builders[] = {
    {"homestead/people/person", build_person},     {"homestead/people/skeleton", build_skeleton},
    {"homestead/people/idle", build_idle},         {"homestead/people/walk", build_walk},
    {"homestead/people/run", build_run},           {"homestead/people/body", build_body},
    {"homestead/people/hair", build_hair},         {"homestead/people/trousers", build_trousers},
    {"homestead/people/boots", build_boots},       {"homestead/people/shirt", build_shirt},
    {"homestead/people/belt", build_belt},         {"homestead/people/dye-blue", build_blue},
    {"homestead/people/dye-green", build_green},   {"homestead/people/dye-ochre", build_ochre},
    {"homestead/people/dye-undyed", build_undyed}, {NULL, NULL},
};
