/* beasts.c - deer, hare and swan: bones, a hide, and cycles whose feet keep to the ground.
 *
 * State bytes choose the pose, as for people/person: none stands (grazes, floats), 01 walks, 02 runs.
 */
#include "homestead/pack/builders.h"
#include "homestead/pack/poses.h"
#include "homestead/pack/surfaces.h"

#include <math.h>
#include <stddef.h>

#define PI 3.14159265f

/* A sweep whose rings hang on bones; `tall` stretches the cross-section upwards. */
typedef struct hoop {
    float x, y, z, radius;
    int8_t bone, other;
    float share;
} hoop;

static void hide(stn_shape *s, const hoop *h, size_t n, unsigned around, float repeat, float tall,
                 bool closed)
{
    stn_v3 path[16];
    float radius[16];
    size_t first = s->nv;

    for (size_t i = 0; i < n; i++) {
        path[i] = (stn_v3){h[i].x, h[i].y, h[i].z};
        radius[i] = h[i].radius;
    }
    stn_shape_tube(s, path, radius, n, around, repeat, 0.12f, closed);
    for (size_t v = first; v < s->nv && !s->failed; v++) {
        size_t i = (v - first) / (around + 1);
        const hoop *r = &h[i < n ? i : n - 1];

        s->v[v].p.z = r->z + (s->v[v].p.z - r->z) * tall;
        s->v[v].bone[0] = r->bone;
        s->v[v].weight[0] = 1 - r->share;
        if (r->share > 0) {
            s->v[v].bone[1] = r->other;
            s->v[v].weight[1] = r->share;
        }
    }
    if (tall != 1.0f)
        stn_shape_smooth(s, first);
}

static void both_sides(stn_shape *s, const hoop *h, size_t n, unsigned around, int8_t bones_apart,
                       bool closed)
{
    hoop o[16];

    hide(s, h, n, around, 1, 1, closed);
    for (size_t i = 0; i < n; i++) {
        o[i] = h[i];
        o[i].y = -h[i].y;
        /* Bones below the apart limit are shared by both sides. */
        o[i].bone = (int8_t)(h[i].bone >= bones_apart ? h[i].bone + 3 : h[i].bone);
        o[i].other = (int8_t)(h[i].other >= bones_apart ? h[i].other + 3 : h[i].other);
    }
    hide(s, o, n, around, 1, 1, closed);
}

static stn_shape *part(stn_model *m, int16_t tex, stn_canvas *picture)
{
    stn_model_texture(m, tex, STN_TEXTURE_COLOUR, 0, picture);
    stn_model_material(m, (uint16_t)tex, tex);
    stn_part *p = stn_model_part(m, tex);

    p->boned = true;
    return &p->shape;
}

/* ---- deer ---- */

enum {
    D_HIPS,
    D_CHEST,
    D_NECK,
    D_HEAD,
    D_TAIL,
    D_FL,
    D_FL2,
    D_FL3,
    D_FR,
    D_FR2,
    D_FR3,
    D_HL,
    D_HL2,
    D_HL3,
    D_HR,
    D_HR2,
    D_HR3
};

static void deer_bones(stn_model *m)
{
    static const struct {
        const char *name, *parent;
        float x, y, z;
    } b[] = {
        {"hips", "", -3.6f, 0, 9.2f},        {"chest", "hips", 2.6f, 0, 9.2f},
        {"neck", "chest", 5.2f, 0, 10.4f},   {"head", "neck", 8.2f, 0, 14.6f},
        {"tail", "hips", -6.2f, 0, 9.9f},    {"fl", "chest", 4.1f, 1.35f, 8.2f},
        {"fl2", "fl", 4.25f, 1.3f, 4.3f},    {"fl3", "fl2", 4.1f, 1.25f, 0.9f},
        {"fr", "chest", 4.1f, -1.35f, 8.2f}, {"fr2", "fr", 4.25f, -1.3f, 4.3f},
        {"fr3", "fr2", 4.1f, -1.25f, 0.9f},  {"hl", "hips", -4.3f, 1.4f, 8.4f},
        {"hl2", "hl", -5.5f, 1.35f, 4.4f},   {"hl3", "hl2", -4.9f, 1.3f, 0.9f},
        {"hr", "hips", -4.3f, -1.4f, 8.4f},  {"hr2", "hr", -5.5f, -1.35f, 4.4f},
        {"hr3", "hr2", -4.9f, -1.3f, 0.9f},
    };

    for (size_t i = 0; i < sizeof b / sizeof b[0]; i++)
        stn_model_joint(m, b[i].name, b[i].parent, b[i].x, b[i].y, b[i].z);
}

static void deer_graze(const stn_model *m, float ph, stn_pose *p)
{
    /* Head down most of the time; up and a look around towards the end. */
    float up = stn_smooth(0.60f, 0.70f, ph) * stn_smooth(0.98f, 0.88f, ph),
          chew = 0.06f * sinf(2 * PI * ph * 12) * (1 - up);
    float look = up * 0.55f * sinf(2 * PI * (ph - 0.7f) * 3.2f);

    stn_pose_turn(m, p, "hips", 0.012f * sinf(2 * PI * ph), 0, 0);
    stn_pose_turn(m, p, "chest", 0, 0.10f * (1 - up), 0);
    stn_pose_turn(m, p, "neck", 0, 1.62f * (1 - up) + 0.02f * sinf(2 * PI * ph * 2), look * 0.6f);
    stn_pose_turn(m, p, "head", 0, -0.55f * (1 - up) + chew, look * 0.6f);
    stn_pose_turn(m, p, "tail", 0, 0,
                  0.4f * sinf(2 * PI * ph * 8) * stn_smooth(0.9f, 1.0f, sinf(2 * PI * ph)));
    stn_pose_leg(m, p, "fl", "fl2", "fl3", 0.5f, 0, 0, 0.10f * (1 - up), 1);
    stn_pose_leg(m, p, "fr", "fr2", "fr3", -0.4f, 0, 0, 0.10f * (1 - up), 1);
}

static void deer_go(const stn_model *m, float ph, stn_pose *p, float stance, float reach, float lift,
                    const float when[4], float bound)
{
    static const char *const leg[4][3] = {
        {"fl", "fl2", "fl3"}, {"fr", "fr2", "fr3"}, {"hl", "hl2", "hl3"}, {"hr", "hr2", "hr3"}};
    float z =
        bound > 0 ? 1.3f * bound * sinf(2 * PI * (ph + 0.12f)) - 0.4f : 0.12f * cosf(4 * PI * ph) - 0.25f;
    float rock = bound * 0.17f * sinf(2 * PI * (ph - 0.13f));

    p->move[D_HIPS] = (stn_v3){0, 0, z};
    stn_pose_turn(m, p, "hips", 0.02f * sinf(2 * PI * ph), rock, 0.03f * cosf(2 * PI * ph) * (1 - bound));
    stn_pose_turn(m, p, "chest", -0.02f * sinf(2 * PI * ph), -1.3f * rock,
                  -0.04f * cosf(2 * PI * ph) * (1 - bound));
    stn_pose_turn(m, p, "neck", 0, 0.28f - 0.7f * rock + 0.06f * cosf(4 * PI * ph), 0);
    stn_pose_turn(m, p, "head", 0, -0.18f - 0.05f * cosf(4 * PI * ph), 0);
    stn_pose_turn(m, p, "tail", 0, -0.8f * bound, 0.12f * sinf(2 * PI * ph));
    for (int k = 0; k < 4; k++) {
        stn_step f = stn_step_at(ph + when[k], stance, reach, lift);

        stn_pose_leg(m, p, leg[k][0], leg[k][1], leg[k][2], f.x, f.z + 0.5f * fmaxf(0, f.pitch) - z,
                     0.8f * f.pitch, k < 2 ? -0.3f * rock : rock, k < 2 ? 1.0f : -1.0f);
    }
}

static void deer_walk(const stn_model *m, float ph, stn_pose *p)
{
    static const float when[4] = {0.25f, 0.75f, 0.0f, 0.5f};

    deer_go(m, ph, p, 0.62f, 14.0f * 0.80f * 0.62f / 2, 1.1f, when, 0);
}

static void deer_run(const stn_model *m, float ph, stn_pose *p)
{
    static const float when[4] = {0.50f, 0.42f, 0.0f, 0.08f};

    deer_go(m, ph, p, 0.30f, 44.0f * 0.50f * 0.30f / 2, 2.6f, when, 1);
}

static stn_model *build_deer(void)
{
    static const hoop body[] = {
        {-6.5f, 0, 9.3f, 0.7f, D_HIPS, 0, 0},           {-6.0f, 0, 9.2f, 1.55f, D_HIPS, 0, 0},
        {-4.6f, 0, 9.0f, 2.05f, D_HIPS, 0, 0},          {-2.6f, 0, 8.8f, 2.1f, D_HIPS, 0, 0},
        {-0.4f, 0, 8.6f, 2.15f, D_HIPS, D_CHEST, 0.5f}, {1.8f, 0, 8.6f, 2.25f, D_CHEST, 0, 0},
        {3.8f, 0, 8.8f, 2.2f, D_CHEST, 0, 0},           {5.2f, 0, 9.3f, 1.7f, D_CHEST, D_NECK, 0.3f},
        {5.9f, 0, 9.9f, 1.0f, D_CHEST, D_NECK, 0.5f},
    };
    static const hoop neck[] = {
        {4.3f, 0, 9.6f, 1.6f, D_CHEST, D_NECK, 0.3f}, {5.6f, 0, 11.2f, 1.25f, D_NECK, 0, 0},
        {6.8f, 0, 12.9f, 0.98f, D_NECK, 0, 0},        {7.8f, 0, 14.5f, 0.90f, D_NECK, D_HEAD, 0.5f},
        {8.1f, 0, 15.1f, 0.7f, D_HEAD, 0, 0},
    };
    static const hoop head[] = {
        {7.3f, 0, 15.0f, 0.75f, D_HEAD, 0, 0},   {8.2f, 0, 15.05f, 1.02f, D_HEAD, 0, 0},
        {9.2f, 0, 14.8f, 0.85f, D_HEAD, 0, 0},   {10.2f, 0, 14.3f, 0.60f, D_HEAD, 0, 0},
        {11.0f, 0, 13.95f, 0.50f, D_HEAD, 0, 0}, {11.3f, 0, 13.85f, 0.38f, D_HEAD, 0, 0},
    };
    static const hoop fore[] = {
        {3.7f, 1.1f, 9.0f, 1.15f, D_CHEST, D_FL, 0.5f}, {4.1f, 1.35f, 7.4f, 0.85f, D_FL, 0, 0},
        {4.2f, 1.32f, 5.6f, 0.50f, D_FL, 0, 0},         {4.25f, 1.3f, 4.3f, 0.42f, D_FL, D_FL2, 0.5f},
        {4.15f, 1.28f, 2.4f, 0.30f, D_FL2, 0, 0},       {4.1f, 1.25f, 0.9f, 0.36f, D_FL2, D_FL3, 0.5f},
        {4.3f, 1.25f, 0.0f, 0.40f, D_FL3, 0, 0},
    };
    static const hoop hind[] = {
        {-4.4f, 1.0f, 9.4f, 1.5f, D_HIPS, D_HL, 0.4f},  {-4.3f, 1.4f, 7.9f, 1.30f, D_HL, D_HIPS, 0.2f},
        {-4.6f, 1.4f, 6.4f, 0.85f, D_HL, 0, 0},         {-5.35f, 1.36f, 4.7f, 0.46f, D_HL, D_HL2, 0.4f},
        {-5.4f, 1.35f, 4.0f, 0.42f, D_HL2, 0, 0},       {-5.1f, 1.32f, 2.2f, 0.31f, D_HL2, 0, 0},
        {-4.9f, 1.3f, 0.9f, 0.36f, D_HL2, D_HL3, 0.5f}, {-4.7f, 1.3f, 0.0f, 0.40f, D_HL3, 0, 0},
    };
    static const hoop tail[] = {{-6.0f, 0, 10.2f, 0.5f, D_TAIL, 0, 0},
                                {-6.9f, 0, 9.8f, 0.55f, D_TAIL, 0, 0},
                                {-7.4f, 0, 8.9f, 0.25f, D_TAIL, 0, 0}};
    static const hoop ear[] = {{7.6f, 0.6f, 15.6f, 0.30f, D_HEAD, 0, 0},
                               {7.2f, 1.25f, 16.3f, 0.50f, D_HEAD, 0, 0},
                               {6.9f, 1.8f, 16.9f, 0.10f, D_HEAD, 0, 0}};
    static const hoop horn[] = {{8.0f, 0.45f, 15.8f, 0.24f, D_HEAD, 0, 0},
                                {7.5f, 1.0f, 17.4f, 0.20f, D_HEAD, 0, 0},
                                {7.7f, 1.7f, 19.0f, 0.15f, D_HEAD, 0, 0},
                                {8.5f, 1.9f, 20.3f, 0.06f, D_HEAD, 0, 0}};
    static const hoop tine[] = {{7.5f, 1.1f, 17.5f, 0.15f, D_HEAD, 0, 0},
                                {8.6f, 1.2f, 18.5f, 0.05f, D_HEAD, 0, 0}};
    static const hoop tine2[] = {{7.7f, 1.65f, 18.9f, 0.13f, D_HEAD, 0, 0},
                                 {6.8f, 2.1f, 19.9f, 0.05f, D_HEAD, 0, 0}};
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    deer_bones(m);
    stn_shape *coat = part(m, 0, stn_fur(0x7d5a3a, 0xa67c50)),
              *pale = part(m, 1, stn_fur(0xb09a78, 0xd8c8a8)), *dark = part(m, 2, stn_plain(0x2e2620, 0.3f));
    stn_shape *bone = part(m, 3, stn_plain(0x9a8666, 0.35f));

    hide(coat, body, 9, 12, 1, 1.12f, true);
    hide(coat, neck, 5, 10, 1, 1, true);
    hide(coat, head, 6, 10, 1, 1, true);
    both_sides(coat, fore, 7, 7, D_FL, true);
    /* Hind legs: their bones also stand three apart. */
    both_sides(coat, hind, 8, 8, D_HL, true);
    both_sides(coat, ear, 3, 6, D_FL, true);
    hide(pale, tail, 3, 6, 1, 1, true);
    {
        stn_xf rump = stn_xf_turn(stn_xf_at(-6.05f, 0, 8.6f), 0, -0.2f, 0);
        size_t first = pale->nv;

        stn_shape_stone(pale, &rump, (stn_v3){0.75f, 1.25f, 1.3f}, 3, 0.05f, 0, 0.1f, 6);
        stn_shape_bind(pale, first, D_HIPS);
        first = dark->nv;
        stn_xf nose = stn_xf_at(11.35f, 0, 13.6f);

        stn_shape_stone(dark, &nose, (stn_v3){0.35f, 0.36f, 0.32f}, 4, 0.05f, 0, 0.1f, 5);
        for (int k = -1; k <= 1; k += 2) {
            stn_xf eye = stn_xf_at(8.95f, (float)k * 0.83f, 14.95f);

            stn_shape_stone(dark, &eye, (stn_v3){0.24f, 0.12f, 0.22f}, 4, 0.02f, 0, 0.1f, 5);
        }
        stn_shape_bind(dark, first, D_HEAD);
    }
    both_sides(bone, horn, 4, 6, D_FL, true);
    both_sides(bone, tine, 2, 5, D_FL, true);
    both_sides(bone, tine2, 2, 5, D_FL, true);
    stn_model_cycle(m, 16, 7.0f, 0, deer_graze);
    stn_model_cycle(m, 0, 0.80f, 14.0f, deer_walk);
    stn_model_cycle(m, 1, 0.50f, 44.0f, deer_run);
    return m;
}

/* ---- hare ---- */

enum { H_HIPS, H_CHEST, H_HEAD, H_EAR, H_FRONT, H_THIGH_L, H_FOOT_L, H_X, H_THIGH_R, H_FOOT_R };

static void hare_sit(const stn_model *m, float ph, stn_pose *p)
{
    float up = stn_smooth(0.55f, 0.65f, ph) * stn_smooth(0.97f, 0.87f, ph);

    stn_pose_turn(m, p, "chest", 0, -0.35f * up, 0);
    stn_pose_turn(m, p, "head", 0, 0.30f * up + 0.03f * sinf(2 * PI * ph * 10) * (1 - up),
                  0.4f * up * sinf(2 * PI * (ph - 0.6f) * 4));
    stn_pose_turn(m, p, "ears", 0, -0.45f * up + 0.15f * sinf(2 * PI * ph * 3),
                  0.12f * sinf(2 * PI * ph * 5));
}

/* One bound: pushed off by the hind feet, landed on the fore feet, the hind feet brought past them. */
static void hare_bound(const stn_model *m, float ph, stn_pose *p, float high, float stretch)
{
    float fly = sinf(PI * stn_clampf((ph - 0.15f) / 0.65f, 0, 1)), swing = cosf(2 * PI * (ph - 0.2f));

    p->move[H_HIPS] = (stn_v3){0, 0, high * fly};
    stn_pose_turn(m, p, "hips", 0, -0.32f * stretch * sinf(2 * PI * (ph - 0.02f)), 0);
    stn_pose_turn(m, p, "chest", 0, 0.40f * stretch * sinf(2 * PI * (ph - 0.10f)), 0);
    stn_pose_turn(m, p, "head", 0, 0.10f * sinf(2 * PI * ph), 0);
    stn_pose_turn(m, p, "ears", 0, -0.7f - 0.25f * sinf(2 * PI * (ph - 0.2f)), 0);
    stn_pose_turn(m, p, "front", 0, -0.95f * stretch * cosf(2 * PI * (ph - 0.55f)), 0);
    for (int k = 0; k < 2; k++) {
        stn_pose_turn(m, p, k ? "thighR" : "thighL", 0, 0.95f * stretch * swing, 0);
        stn_pose_turn(m, p, k ? "hindR" : "hindL", 0, 0.75f * stretch * (0.4f - swing * 0.6f), 0);
    }
}

static void hare_hop(const stn_model *m, float ph, stn_pose *p)
{
    hare_bound(m, ph, p, 1.5f, 0.75f);
}

static void hare_run(const stn_model *m, float ph, stn_pose *p)
{
    hare_bound(m, ph, p, 2.2f, 1.15f);
}

static stn_model *build_hare(void)
{
    static const hoop body[] = {
        {-3.3f, 0, 2.3f, 0.5f, H_HIPS, 0, 0},          {-2.9f, 0, 2.3f, 1.25f, H_HIPS, 0, 0},
        {-1.8f, 0, 2.4f, 1.62f, H_HIPS, 0, 0},         {-0.5f, 0, 2.35f, 1.50f, H_HIPS, H_CHEST, 0.3f},
        {0.8f, 0, 2.2f, 1.18f, H_CHEST, H_HIPS, 0.2f}, {1.9f, 0, 2.4f, 0.95f, H_CHEST, 0, 0},
        {2.5f, 0, 2.9f, 0.75f, H_CHEST, H_HEAD, 0.5f},
    };
    static const hoop head[] = {
        {2.2f, 0, 3.3f, 0.62f, H_HEAD, 0, 0},
        {2.9f, 0, 3.5f, 0.85f, H_HEAD, 0, 0},
        {3.6f, 0, 3.3f, 0.68f, H_HEAD, 0, 0},
        {4.2f, 0, 3.05f, 0.40f, H_HEAD, 0, 0},
    };
    static const hoop ear[] = {{2.6f, 0.30f, 4.0f, 0.22f, H_EAR, 0, 0},
                               {2.1f, 0.55f, 5.1f, 0.34f, H_EAR, 0, 0},
                               {1.6f, 0.70f, 6.1f, 0.26f, H_EAR, 0, 0},
                               {1.4f, 0.72f, 6.6f, 0.08f, H_EAR, 0, 0}};
    static const hoop fore[] = {{1.5f, 0.6f, 2.1f, 0.42f, H_FRONT, 0, 0},
                                {1.7f, 0.6f, 1.0f, 0.28f, H_FRONT, 0, 0},
                                {1.9f, 0.6f, 0.2f, 0.28f, H_FRONT, 0, 0},
                                {2.3f, 0.6f, 0.12f, 0.18f, H_FRONT, 0, 0}};
    static const hoop thigh[] = {
        {-2.2f, 0.9f, 2.9f, 0.6f, H_THIGH_L, H_HIPS, 0.5f}, {-1.8f, 1.2f, 1.9f, 0.95f, H_THIGH_L, 0, 0},
        {-1.3f, 1.25f, 1.0f, 0.55f, H_THIGH_L, 0, 0},       {-2.0f, 1.2f, 0.45f, 0.35f, H_FOOT_L, 0, 0},
        {-0.6f, 1.2f, 0.25f, 0.30f, H_FOOT_L, 0, 0},        {0.3f, 1.2f, 0.2f, 0.2f, H_FOOT_L, 0, 0}};
    static const hoop tail[] = {{-3.2f, 0, 2.9f, 0.3f, H_HIPS, 0, 0},
                                {-3.8f, 0, 3.2f, 0.55f, H_HIPS, 0, 0},
                                {-4.1f, 0, 3.5f, 0.2f, H_HIPS, 0, 0}};
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    stn_model_joint(m, "hips", "", -2.0f, 0, 2.3f);
    stn_model_joint(m, "chest", "hips", 0.4f, 0, 2.3f);
    stn_model_joint(m, "head", "chest", 2.4f, 0, 3.1f);
    stn_model_joint(m, "ears", "head", 2.6f, 0, 4.0f);
    stn_model_joint(m, "front", "chest", 1.4f, 0, 2.2f);
    stn_model_joint(m, "thighL", "hips", -2.1f, 1.0f, 2.5f);
    stn_model_joint(m, "hindL", "thighL", -1.6f, 1.2f, 0.8f);
    stn_model_joint(m, "rump", "hips", -3.0f, 0, 2.6f); /* keeps the right bones three behind the left */
    stn_model_joint(m, "thighR", "hips", -2.1f, -1.0f, 2.5f);
    stn_model_joint(m, "hindR", "thighR", -1.6f, -1.2f, 0.8f);
    stn_shape *coat = part(m, 0, stn_fur(0x7a6248, 0xa98d66)),
              *pale = part(m, 1, stn_fur(0xc8bca4, 0xeee6d4)), *dark = part(m, 2, stn_plain(0x241d18, 0.2f));

    hide(coat, body, 7, 10, 1, 1.05f, true);
    hide(coat, head, 4, 8, 1, 1, true);
    both_sides(coat, ear, 4, 6, H_THIGH_L, true);
    both_sides(coat, fore, 4, 6, H_THIGH_L, true);
    both_sides(coat, thigh, 6, 7, H_THIGH_L, true);
    hide(pale, tail, 3, 6, 1, 1, true);
    size_t first = dark->nv;

    for (int k = -1; k <= 1; k += 2) {
        stn_xf eye = stn_xf_at(3.1f, (float)k * 0.76f, 3.55f);

        stn_shape_stone(dark, &eye, (stn_v3){0.2f, 0.1f, 0.2f}, 4, 0.02f, 0, 0.1f, 5);
    }
    stn_shape_bind(dark, first, H_HEAD);
    stn_model_cycle(m, 16, 6.0f, 0, hare_sit);
    stn_model_cycle(m, 0, 0.45f, 24.0f, hare_hop);
    stn_model_cycle(m, 1, 0.36f, 60.0f, hare_run);
    return m;
}

/* ---- swan ---- */

enum { S_BODY, S_NECK, S_THROAT, S_HEAD, S_WING, S_TAIL };

static void swan_float(const stn_model *m, float ph, stn_pose *p)
{
    p->move[S_BODY] = (stn_v3){0, 0, 0.16f * sinf(2 * PI * ph * 2)};
    stn_pose_turn(m, p, "body", 0.03f * sinf(2 * PI * ph), 0.02f * sinf(2 * PI * ph * 2 + 1), 0);
    stn_pose_turn(m, p, "neck", 0, 0.05f * sinf(2 * PI * ph), 0.18f * sinf(2 * PI * ph));
    stn_pose_turn(m, p, "throat", 0, -0.05f * sinf(2 * PI * ph), 0.15f * sinf(2 * PI * ph));
    stn_pose_turn(m, p, "head", 0, 0.04f * sinf(2 * PI * ph * 3), 0.35f * sinf(2 * PI * ph));
    stn_pose_turn(m, p, "tail", 0, 0, 0.25f * sinf(2 * PI * ph * 6) * stn_smooth(0.7f, 1, sinf(2 * PI * ph)));
}

static void swan_swim(const stn_model *m, float ph, stn_pose *p)
{
    float stroke = sinf(2 * PI * ph);

    p->move[S_BODY] = (stn_v3){0.18f * stroke, 0, 0.08f * sinf(4 * PI * ph)};
    stn_pose_turn(m, p, "body", 0.03f * stroke, 0.015f * cosf(4 * PI * ph), 0.03f * stroke);
    stn_pose_turn(m, p, "neck", 0, 0.07f * cosf(4 * PI * ph), -0.02f * stroke);
    stn_pose_turn(m, p, "throat", 0, -0.05f * cosf(4 * PI * ph), 0);
    stn_pose_turn(m, p, "head", 0, -0.02f * cosf(4 * PI * ph), -0.02f * stroke);
}

static stn_model *build_swan(void)
{
    static const hoop body[] = {
        {-5.4f, 0, 2.2f, 0.3f, S_TAIL, 0, 0},  {-4.6f, 0, 1.9f, 1.0f, S_BODY, S_TAIL, 0.4f},
        {-3.2f, 0, 1.4f, 1.9f, S_BODY, 0, 0},  {-1.2f, 0, 1.0f, 2.5f, S_BODY, 0, 0},
        {1.0f, 0, 0.95f, 2.55f, S_BODY, 0, 0}, {2.9f, 0, 1.2f, 2.1f, S_BODY, 0, 0},
        {4.2f, 0, 1.8f, 1.35f, S_BODY, 0, 0},  {4.9f, 0, 2.4f, 0.8f, S_BODY, S_NECK, 0.5f},
    };
    static const hoop neck[] = {
        {3.9f, 0, 1.9f, 1.0f, S_BODY, S_NECK, 0.4f},    {4.9f, 0, 3.0f, 0.72f, S_NECK, 0, 0},
        {5.2f, 0, 4.4f, 0.55f, S_NECK, 0, 0},           {4.8f, 0, 5.8f, 0.48f, S_NECK, S_THROAT, 0.5f},
        {4.4f, 0, 7.1f, 0.46f, S_THROAT, 0, 0},         {4.6f, 0, 8.2f, 0.48f, S_THROAT, 0, 0},
        {5.2f, 0, 8.9f, 0.56f, S_THROAT, S_HEAD, 0.6f}, {6.0f, 0, 8.9f, 0.58f, S_HEAD, 0, 0},
        {6.6f, 0, 8.6f, 0.40f, S_HEAD, 0, 0},
    };
    static const hoop bill[] = {{6.5f, 0, 8.6f, 0.36f, S_HEAD, 0, 0},
                                {7.2f, 0, 8.3f, 0.28f, S_HEAD, 0, 0},
                                {7.8f, 0, 8.05f, 0.16f, S_HEAD, 0, 0}};
    static const hoop wing[] = {
        {2.6f, 1.55f, 2.4f, 0.5f, S_WING, S_BODY, 0.4f},  {1.2f, 1.9f, 3.0f, 1.15f, S_WING, 0, 0},
        {-1.0f, 1.8f, 3.2f, 1.25f, S_WING, 0, 0},         {-3.2f, 1.2f, 3.0f, 0.95f, S_WING, 0, 0},
        {-5.4f, 0.5f, 3.1f, 0.35f, S_WING, S_TAIL, 0.3f}, {-6.3f, 0.25f, 3.3f, 0.08f, S_WING, S_TAIL, 0.3f}};
    stn_model *m = stn_model_new();

    if (!m)
        return NULL;
    stn_model_joint(m, "body", "", 0, 0, 1.0f);
    stn_model_joint(m, "neck", "body", 4.2f, 0, 2.2f);
    stn_model_joint(m, "throat", "neck", 4.8f, 0, 5.8f);
    stn_model_joint(m, "head", "throat", 5.0f, 0, 8.7f);
    stn_model_joint(m, "wings", "body", 1.5f, 0, 2.6f);
    stn_model_joint(m, "tail", "body", -4.2f, 0, 2.0f);
    stn_shape *white = part(m, 0, stn_fur(0xd6d4cc, 0xf6f4ee)),
              *orange = part(m, 1, stn_plain(0xc8702c, 0.2f)), *black = part(m, 2, stn_plain(0x1c1a1a, 0.2f));

    hide(white, body, 8, 12, 2, 1, true);
    hide(white, neck, 9, 8, 1, 1, true);
    both_sides(white, wing, 6, 8, 100, true);
    hide(orange, bill, 3, 6, 1, 0.8f, true);
    size_t first = black->nv;
    stn_xf knob = stn_xf_at(6.65f, 0, 8.7f);

    stn_shape_stone(black, &knob, (stn_v3){0.3f, 0.28f, 0.3f}, 4, 0.02f, 0, 0.1f, 5);
    for (int k = -1; k <= 1; k += 2) {
        stn_xf eye = stn_xf_at(6.2f, (float)k * 0.5f, 8.85f);

        stn_shape_stone(black, &eye, (stn_v3){0.12f, 0.08f, 0.12f}, 4, 0.02f, 0, 0.1f, 4);
    }
    stn_shape_bind(black, first, S_HEAD);
    stn_model_cycle(m, 16, 6.0f, 0, swan_float);
    stn_model_cycle(m, 0, 1.1f, 9.0f, swan_swim);
    m->place = "surface";
    m->surface = "map"; /* on the water, not on its bed */
    return m;
}

const stn_builder stn_beast_builders[] = {
    {"homestead/beasts/deer", build_deer},
    {"homestead/beasts/hare", build_hare},
    {"homestead/beasts/swan", build_swan},
    {NULL, NULL},
};
