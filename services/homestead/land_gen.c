#include "homestead/land_gen.h"

#include "homestead/land_noise.h"

#include <stddef.h>

/* Fields draw from seeds of their own, so that one can be tuned without moving the others. */
enum {
    F_BASE = 100,
    F_WARP = 200,
    F_HILL = 300,
    F_ROCK = 400,
    F_WOOD = 500,
    F_HEATH = 600,
    F_EDGE = 700,
    F_CLIFF = 800,
    F_CAVE = 900
};

/* The paths of the scene, in tiles from the fire: down to the boat, over to the birch grove, up into the
 * wood, and from the fire to the door. */
static const double paths[][4] = {
    {0.0, 1.0, -2.0, 6.0},        {-2.0, 6.0, -6.5, 11.0},      {-6.5, 11.0, -7.5, 16.5},
    {-7.5, 16.5, -11.0, 22.0},    {1.0, 1.0, 8.0, 4.5},         {8.0, 4.5, 16.0, 4.0},
    {16.0, 4.0, 24.0, 7.5},       {24.0, 7.5, 34.0, 6.5},       {34.0, 6.5, 44.0, 9.5},
    {-1.0, -0.5, -8.0, -2.5},     {-8.0, -2.5, -14.0, -9.0},    {-14.0, -9.0, -15.5, -18.0},
    {-15.5, -18.0, -11.0, -27.0}, {-11.0, -27.0, -13.0, -37.0}, {0.5, -0.5, 4.6, -5.2},
};

static double segment_distance2(const double s[4], double x, double y)
{
    double dx = s[2] - s[0], dy = s[3] - s[1];
    double t = ((x - s[0]) * dx + (y - s[1]) * dy) / (dx * dx + dy * dy);

    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    dx = x - (s[0] + t * dx);
    dy = y - (s[1] + t * dy);
    return dx * dx + dy * dy;
}

/* A square root that only has to be the same everywhere, for a distance: three steps of Heron's rule from a
 * good start are exact to 1e-9 here. */
static double root(double v)
{
    double r = v > 1.0 ? v * 0.25 + 1.0 : v * 0.5 + 0.5;

    for (int i = 0; i < 6; i++)
        r = 0.5 * (r + v / r);
    return r;
}

double stn_land_path_distance(double tx, double ty)
{
    double x = tx - STN_SPAWN_TX, y = ty - STN_SPAWN_TY, best = 1e6;

    if (x < -60.0 || x > 80.0 || y < -80.0 || y > 60.0)
        return 1e3;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        double d = segment_distance2(paths[i], x, y);

        best = d < best ? d : best;
    }
    best = root(best);
    /* The yard about the fire. */
    double yard = root(x * x + y * y) - 1.4;

    return yard < best ? (yard > 0.0 ? yard : 0.0) : best;
}

/* Elevation over the lake by tiles from the shore: beach, clearing, wooded slope, heath, highland. */
static double profile(double d)
{
    static const double knots[][2] = {{-60, -30}, {-34, -19}, {-14, -9}, {-3, -1.6}, {0, 0},
                                      {6, 3.6},   {16, 11},   {26, 16},  {36, 28},   {46, 43},
                                      {56, 54},   {66, 66},   {80, 84},  {110, 112}, {160, 140}};
    const size_t n = sizeof knots / sizeof knots[0];

    if (d <= knots[0][0])
        return knots[0][1];
    for (size_t i = 1; i < n; i++)
        if (d < knots[i][0])
            return stn_land_mix(knots[i - 1][1], knots[i][1],
                                (d - knots[i - 1][0]) / (knots[i][0] - knots[i - 1][0]));
    return knots[n - 1][1];
}

static double smooth_profile(double d)
{
    return 0.25 * profile(d - 3.0) + 0.5 * profile(d) + 0.25 * profile(d + 3.0);
}

/* A round bump without exp(): 1 in the middle, 0 from `reach` on. */
static double bump(double x, double y, double cx, double cy, double reach)
{
    double r2 = ((x - cx) * (x - cx) + (y - cy) * (y - cy)) / (reach * reach);

    return r2 >= 1.0 ? 0.0 : (1.0 - r2) * (1.0 - r2);
}

/* Cliffs are true steps between two corners; where `fade` is small the step is no cliff and stays out. */
static double cliff(double at, double field, double rise, double fade)
{
    return field > at && fade > 0.15 ? rise * (0.55 + 0.45 * fade) : 0.0;
}

static void composed(uint64_t seed, double x, double y, stn_site *s)
{
    double shore = 21.0 + 0.10 * x + 4.5 * stn_land_fbm(seed + F_EDGE, x / 26.0, 0.5, 3);
    double d = shore - y, far = stn_land_fbm(seed + F_EDGE + 10, x / 19.0, y / 19.0, 3);
    /* Bay around the boat, and a little headland beside the grove. */
    d -= 4.0 * bump(x, y, -15.0, 18.0, 14.0);
    d += 7.0 * bump(x, y, 22.0, 27.0, 16.0);
    double e = smooth_profile(d);
    /* The zones' own inland measure is ragged, and reaches lower in the east: the heath comes down to the
     * grove. */
    double zone = d + 7.0 * far + 10.0 * stn_land_step(18.0, 46.0, x) - 3.0 * stn_land_step(0.0, 30.0, -x);
    double roll = stn_land_fbm(seed + F_HILL + 20, x / 17.0, y / 17.0, 3);

    e += 4.5 * roll * stn_land_step(8.0, 34.0, d);
    /* An island, and a knoll behind the wood. */
    e += 22.0 * bump(x, y, -22.0, 43.0, 11.0);
    e += 10.0 * bump(x, y, -38.0, -14.0, 20.0);
    /* Level ground for the house, its yard and the field. */
    e = stn_land_mix(e, 16.6, stn_land_step(9.0, 5.0, root((x - 6.0) * (x - 6.0) + (y + 7.0) * (y + 7.0))));
    e = stn_land_mix(e, 14.2, 0.8 * stn_land_step(8.0, 3.0, root(x * x + y * y)));
    double cut = stn_land_fbm(seed + F_CLIFF, x / 23.0, y / 23.0, 2);
    double whole = stn_land_step(-0.30, 0.05, cut);

    e += cliff(59.5, zone, 17.0, whole) + cliff(66.5, zone, 24.0, stn_land_step(-0.2, 0.1, -cut + 0.15)) +
         cliff(78.0, zone, 22.0, whole);
    e +=
        9.0 * stn_land_step(60.0, 75.0, zone) * (stn_land_fbm(seed + F_HILL + 30, x / 9.0, y / 9.0, 3) + 0.3);
    s->e = STN_WATER_LEVEL + e;
    s->inland = d;
    s->heath = zone - 46.0;
    s->rock = zone - 56.0;
    double wood = stn_land_step(24.0, 31.0, zone - 2.0 * far) * stn_land_step(51.0, 44.0, zone);
    double grove =
        stn_land_step(13.0, 8.0, root((x - 29.0) * (x - 29.0) * 0.8 + (y - 5.0) * (y - 5.0)) + 3.0 * far);
    double west = stn_land_step(-20.0, -29.0, x + 18.0 * far + 0.35 * y) * stn_land_step(7.0, 12.0, d);
    double isle = bump(x, y, -22.0, 43.0, 8.0) > 0.05 ? 1.0 : 0.0;
    /* The clearing itself is kept free. */
    double open = stn_land_step(12.0, 17.0, root((x - 2.0) * (x - 2.0) * 0.75 + (y + 2.0) * (y + 2.0)));

    wood = wood > west ? wood : west;
    s->forest = (wood > grove ? wood : grove) * open;
    s->forest = s->forest > isle ? s->forest : isle;
    s->birch = grove > 0.2 ? 0.92 : 0.10 + 0.5 * stn_land_step(30.0, 24.0, zone) * (1.0 - isle);
    s->wild = far;
}

static void wilderness(uint64_t seed, double x, double y, stn_site *s)
{
    double wx = x + 26.0 * stn_land_fbm(seed + F_WARP, x / 90.0, y / 90.0, 2);
    double wy = y + 26.0 * stn_land_fbm(seed + F_WARP + 10, x / 90.0, y / 90.0, 2);
    double base = stn_land_fbm(seed + F_BASE, wx / 330.0, wy / 330.0, 5) + 0.13;
    double high = stn_land_fbm(seed + F_ROCK, wx / 240.0, wy / 240.0, 4);
    double roll = stn_land_fbm(seed + F_HILL, wx / 55.0, wy / 55.0, 3);
    double wood = stn_land_fbm(seed + F_WOOD, wx / 60.0, wy / 60.0, 3);
    double heath = stn_land_fbm(seed + F_HEATH, wx / 110.0, wy / 110.0, 3);
    double land = stn_land_step(0.0, 0.12, base);
    /* Rock needs firm ground under it: no highland in a lake. */
    double rock = (high - 0.17) * land + (land - 1.0) * 0.2;
    double e = base < 0.0 ? base * 95.0 : base * 150.0;

    e += roll * 13.0 * land;
    e += 60.0 * stn_land_step(-0.12, 0.20, rock);
    double cut = stn_land_fbm(seed + F_CLIFF + 10, wx / 31.0, wy / 31.0, 2);

    e += cliff(0.045, rock, 19.0, stn_land_step(-0.25, 0.1, cut)) +
         cliff(0.12, rock, 26.0, stn_land_step(-0.25, 0.1, -cut)) +
         cliff(0.20, rock, 24.0, stn_land_step(-0.25, 0.1, cut));
    s->e = STN_WATER_LEVEL + e;
    s->heath = heath + high * 0.6 - 0.22;
    s->rock = rock;
    s->forest = stn_land_step(0.02, 0.16, wood + 0.05) * stn_land_step(0.03, -0.06, rock) * land;
    s->birch = stn_land_step(-0.05, 0.25, heath - wood * 0.5 + 0.1);
    s->wild = roll;
    s->inland = 100.0;
}

stn_site stn_land_site(uint64_t seed, double tx, double ty)
{
    double x = tx - STN_SPAWN_TX, y = ty - STN_SPAWN_TY, r2 = x * x + y * y;
    stn_site a = {0}, b = {0};
    double w = 0.0;

    if (r2 < STN_SCENE_OUT * STN_SCENE_OUT) {
        w = stn_land_step(STN_SCENE_OUT, STN_SCENE_IN, root(r2));
        composed(seed, x, y, &a);
        a.scene = w;
    }
    if (w >= 1.0)
        return a;
    wilderness(seed, tx, ty, &b);
    if (w <= 0.0)
        return b;
    return (stn_site){
        .e = stn_land_mix(b.e, a.e, w),
        .inland = stn_land_mix(b.inland, a.inland, w),
        .scene = w,
        .forest = stn_land_mix(b.forest, a.forest, w),
        .birch = stn_land_mix(b.birch, a.birch, w),
        /* Both are thresholds at 0, in tiles here and in noise there; brought to one scale. */
        .heath = stn_land_mix(b.heath * 40.0, a.heath, w),
        .rock = stn_land_mix(b.rock * 80.0, a.rock, w),
        .wild = stn_land_mix(b.wild, a.wild, w),
    };
}

static bool in_caves(int32_t tx, int32_t ty)
{
    return tx >= STN_CAVE_GRID * 100 && ty >= STN_CAVE_GRID * 100;
}

/* A hall, and passages along the lines where a slow noise changes its sign. */
static stn_ground cave_kind(uint64_t seed, int32_t tx, int32_t ty)
{
    double x = tx + 0.5, y = ty + 0.5, dx = x - STN_CAVE_TX, dy = y - STN_CAVE_TY;
    double ragged = stn_land_noise(seed + F_CAVE, x / 4.0, y / 4.0);
    double line = stn_land_fbm(seed + F_CAVE + 10, x / 23.0, y / 23.0, 2);
    double far = root(dx * dx + dy * dy), hall = far - 6.5 - 2.0 * ragged;

    if (far > STN_CAVE_REACH)
        return STN_GROUND_DARK;
    return hall < 0.0 || (line < 0.0 ? -line : line) < 0.055 + 0.02 * ragged ? STN_GROUND_CAVE
                                                                             : STN_GROUND_DARK;
}

float stn_land_corner(uint64_t seed, int32_t tx, int32_t ty)
{
    if (in_caves(tx, ty))
        return STN_CAVE_HEIGHT;
    double e = stn_land_site(seed, tx, ty).e;
    int32_t eighths = (int32_t)((e < STN_WATER_LEVEL ? STN_WATER_LEVEL : e) * 8.0 + 0.5);

    return (float)eighths / 8.0f;
}

static bool in_field(double x, double y)
{
    return x >= 12.0 && x < 18.0 && y >= -6.0 && y < -1.0;
}

stn_ground stn_land_kind_of(uint64_t seed, int32_t tx, int32_t ty, const float z[4])
{
    if (in_caves(tx, ty))
        return cave_kind(seed, tx, ty);
    double x = tx + 0.5, y = ty + 0.5;
    stn_site s = stn_land_site(seed, x, y);
    const float level = (float)STN_WATER_LEVEL;
    float lo = z[0], hi = z[0];

    for (int i = 1; i < 4; i++) {
        lo = z[i] < lo ? z[i] : lo;
        hi = z[i] > hi ? z[i] : hi;
    }
    if (hi <= level && s.e < STN_WATER_LEVEL)
        return s.e < STN_WATER_LEVEL - 7.5 ? STN_GROUND_DEEP : STN_GROUND_WATER;

    double ragged = stn_land_noise(seed + F_EDGE + 30, x / 5.0, y / 5.0);
    double path = stn_land_path_distance(x, y);

    if (s.scene > 0.9) {
        if (in_field(x - STN_SPAWN_TX, y - STN_SPAWN_TY))
            return STN_GROUND_FIELD;
        if (path < 1.12 + 0.15 * ragged && s.e > STN_WATER_LEVEL + 0.8)
            return STN_GROUND_DIRT;
    }
    if ((double)lo < STN_WATER_LEVEL + 2.6 + 1.6 * ragged && s.e < STN_WATER_LEVEL + 4.0)
        return STN_GROUND_SAND;
    if (s.rock > 0.0)
        return STN_GROUND_ROCK;
    if (s.forest > 0.35 + 0.15 * ragged)
        return s.birch > 0.6 ? STN_GROUND_GRASS : STN_GROUND_FOREST;
    if (s.heath > 0.0)
        return STN_GROUND_HEATH;
    return STN_GROUND_GRASS;
}
