#include "homestead/land_scene.h"

#include "homestead/land_noise.h"

#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Everything that can stand in homestead. */
static const struct thing {
    const char *name;
    stn_land_kind kind;
    double roam, speed;
    bool swims;
} things[] = {
    {"homestead/trees/birch", STN_LAND_TREE, 0, 0, false},
    {"homestead/trees/spruce", STN_LAND_TREE, 0, 0, false},
    {"homestead/trees/pine", STN_LAND_TREE, 0, 0, false},
    {"homestead/trees/beech", STN_LAND_TREE, 0, 0, false},
    {"homestead/bushes/bush", STN_LAND_TREE, 0, 0, false},
    {"homestead/bushes/juniper", STN_LAND_TREE, 0, 0, false},
    {"homestead/things/reeds", STN_LAND_THING, 0, 0, false},
    {"homestead/things/stump", STN_LAND_THING, 0, 0, false},
    {"homestead/things/log", STN_LAND_THING, 0, 0, false},
    {"homestead/things/mushroom", STN_LAND_THING, 0, 0, false},
    {"homestead/things/stone", STN_LAND_THING, 0, 0, false},
    {"homestead/things/boulder", STN_LAND_THING, 0, 0, false},
    {"homestead/things/house", STN_LAND_THING, 0, 0, false},
    {"homestead/things/fence", STN_LAND_THING, 0, 0, false},
    {"homestead/things/gate", STN_LAND_THING, 0, 0, false},
    {"homestead/things/campfire", STN_LAND_THING, 0, 0, false},
    {"homestead/things/cupboard", STN_LAND_THING, 0, 0, false},
    {"homestead/things/crate", STN_LAND_THING, 0, 0, false},
    {"homestead/things/barrel", STN_LAND_THING, 0, 0, false},
    {"homestead/things/well", STN_LAND_THING, 0, 0, false},
    {"homestead/things/rowboat", STN_LAND_THING, 0, 0, false},
    {"homestead/things/cavemouth", STN_LAND_THING, 0, 0, false},
    {"homestead/beasts/deer", STN_LAND_BEAST, 90, 14, false},
    {"homestead/beasts/hare", STN_LAND_BEAST, 120, 30, false},
    {"homestead/beasts/swan", STN_LAND_BEAST, 150, 9, true},
};

enum {
    T_BIRCH,
    T_SPRUCE,
    T_PINE,
    T_BEECH,
    T_BUSH,
    T_JUNIPER,
    T_REEDS,
    T_STUMP,
    T_LOG,
    T_MUSHROOM,
    T_STONE,
    T_BOULDER,
    T_HOUSE,
    T_FENCE,
    T_GATE,
    T_CAMPFIRE,
    T_CUPBOARD,
    T_CRATE,
    T_BARREL,
    T_WELL,
    T_ROWBOAT,
    T_CAVEMOUTH,
    T_DEER,
    T_HARE,
    T_SWAN,
};

/* The five woods; a wood resource has the materials 0 planks, 1 beams and 2 end grain. */
static const char *const woods[] = {"homestead/wood/birch", "homestead/wood/pine", "homestead/wood/oak",
                                    "homestead/wood/cherry", "homestead/wood/walnut"};

/* The mouth of the cave, at the end of the path into the wood; below it lies one that leads out again. */
#define MOUTH_X (-14.5)
#define MOUTH_Y (-39.0)
#define BESIDE 1.8 /* tiles from a mouth to where one comes out */

/* Composed things: tiles from the fire, angle, wood (-1: the thing's own materials). */
static const struct placed {
    int thing;
    double x, y, angle;
    int wood;
} placed[] = {
    {T_CAMPFIRE, 0.0, 0.0, 0.3, -1},      {T_HOUSE, 5.6, -8.2, 0.30, -1},
    {T_CUPBOARD, -6.60, -5.00, -0.28, 0}, {T_CUPBOARD, -5.16, -5.42, -0.28, 1},
    {T_CUPBOARD, -3.72, -5.84, -0.28, 2}, {T_CUPBOARD, -2.28, -6.26, -0.28, 3},
    {T_CUPBOARD, -0.84, -6.68, -0.28, 4}, {T_CRATE, 1.15, -5.55, 0.25, 1},
    {T_CRATE, 1.85, -6.75, 0.55, 2},      {T_CRATE, 2.30, -5.45, -0.35, 0},
    {T_CRATE, -6.20, 15.60, 0.9, 1},      {T_BARREL, 8.75, -4.70, 0.0, 2},
    {T_BARREL, 9.60, -4.95, 1.2, 2},      {T_WELL, -6.4, 1.4, 0.4, -1},
    {T_ROWBOAT, -10.6, 15.0, 2.25, -1},   {T_LOG, 1.35, 1.25, -0.75, -1},
    {T_LOG, -1.65, -0.85, 2.05, -1},      {T_STUMP, 3.4, -1.6, 0.0, -1},
    {T_BOULDER, -10.9, 7.6, 0.7, -1},     {T_GATE, 11.5, -3.4, 1.5707963267948966, -1},
    {T_STONE, -10.0, 8.3, 2.1, -1},       {T_STONE, 9.8, 1.2, 0.4, -1},
    {T_BOULDER, 16.5, 15.2, 2.9, -1},     {T_DEER, 19.5, 8.2, 2.6, -1},
    {T_DEER, 21.2, 6.6, 0.4, -1},         {T_HARE, 9.5, 7.0, 1.0, -1},
    {T_HARE, -11.0, 1.5, 4.0, -1},        {T_SWAN, -4.0, 30.0, 3.4, -1},
    {T_SWAN, -6.5, 31.5, 3.3, -1},        {T_CAVEMOUTH, MOUTH_X, MOUTH_Y, 1.2, -1},
};

/* Runs of fence pieces one tile long: first middle, step, angle, number. */
static const struct run {
    double x, y, dx, dy, angle;
    int count;
} fences[] = {
    {12.0, -6.4, 1.0, 0.0, 0.0, 7},
    {18.5, -5.9, 0.0, 1.0, 1.5707963267948966, 5},
    {12.5, -0.6, 1.0, 0.0, 0.0, 6},
    {11.5, -5.9, 0.0, 1.0, 1.5707963267948966, 2},
    {11.5, -1.9, 0.0, 1.0, 1.5707963267948966, 2},
    {-12.6, 1.6, 0.6, -0.8, -0.9272952180016122, 4},
    {-11.9, 2.9, 0.6, 0.8, 0.9272952180016122, 4},
    {10.6, 9.4, 0.96, -0.28, -0.2837941092083278, 6},
};

/* Trees and undergrowth keep this far from a composed thing, in tiles. */
static double keep_clear(int thing)
{
    return thing == T_HOUSE ? 6.0 : thing == T_CUPBOARD || thing == T_WELL || thing == T_ROWBOAT ? 3.0 : 1.6;
}

static stn_land_object make(const struct thing *t, double x, double y, double angle)
{
    return (stn_land_object){.kind = t->kind,
                             .version = STN_PACK_VERSION,
                             .name = t->name,
                             .x = x,
                             .y = y,
                             .angle = angle,
                             .roam = t->roam,
                             .speed = t->speed,
                             .swims = t->swims};
}

static void add(stn_land_list *out, int32_t gx, int32_t gy, const stn_land_object *o)
{
    const double side = STN_LAND_GRID * STN_LAND_TILE;

    if (out->count < out->max && o->x >= gx * side && o->x < (gx + 1) * side && o->y >= gy * side &&
        o->y < (gy + 1) * side)
        out->at[out->count++] = *o;
}

/* Bytes of lib/tree: own season, standing, and the scale in hundredths (docs/spec/sprites.md 21.1). */
static void grow(stn_land_object *o, double scale)
{
    o->sdt[0] = 0;
    o->sdt[1] = (uint8_t)(scale * 100.0 + 0.5);
    o->sdt_len = 2;
}

static void dress_in_wood(stn_land_object *o, int wood)
{
    o->n_materials = 3;
    for (int8_t i = 0; i < 3; i++)
        o->materials[i] = (stn_land_material){.name = woods[wood], .version = STN_PACK_VERSION, .id = i};
}

/* Mouths: above and below, tiles. */
static const double mouths[2][2] = {{STN_SPAWN_TX + MOUTH_X, STN_SPAWN_TY + MOUTH_Y},
                                    {STN_CAVE_TX - 3.0, STN_CAVE_TY - 3.0}};

bool stn_land_scene_passage(double x, double y, double *to_x, double *to_y)
{
    for (int i = 0; i < 2; i++) {
        double dx = x / STN_LAND_TILE - mouths[i][0], dy = y / STN_LAND_TILE - mouths[i][1];

        if (dx * dx + dy * dy > 1.0)
            continue;
        *to_x = (mouths[1 - i][0] + BESIDE) * STN_LAND_TILE;
        *to_y = (mouths[1 - i][1] + BESIDE) * STN_LAND_TILE;
        return true;
    }
    return false;
}

void stn_land_scene(int32_t gx, int32_t gy, stn_land_list *out)
{
    for (size_t i = 0; i < ARRAY_LEN(placed); i++) {
        const struct placed *p = &placed[i];
        stn_land_object o = make(&things[p->thing], (STN_SPAWN_TX + p->x) * STN_LAND_TILE,
                                 (STN_SPAWN_TY + p->y) * STN_LAND_TILE, p->angle);

        if (p->wood >= 0)
            dress_in_wood(&o, p->wood);
        add(out, gx, gy, &o);
    }
    stn_land_object out_again =
        make(&things[T_CAVEMOUTH], mouths[1][0] * STN_LAND_TILE, mouths[1][1] * STN_LAND_TILE, 0.8);

    add(out, gx, gy, &out_again);
    for (size_t i = 0; i < ARRAY_LEN(fences); i++)
        for (int k = 0; k < fences[i].count; k++) {
            stn_land_object o =
                make(&things[T_FENCE], (STN_SPAWN_TX + fences[i].x + k * fences[i].dx) * STN_LAND_TILE,
                     (STN_SPAWN_TY + fences[i].y + k * fences[i].dy) * STN_LAND_TILE, fences[i].angle);

            add(out, gx, gy, &o);
        }
}

size_t stn_land_scene_plots(int32_t gx, int32_t gy, stn_land_plot out[STN_LAND_PLOTS])
{
    /* Tiles from the fire: from, to (behind the last). */
    static const int32_t yard[][4] = {{-9, -13, 11, 6}, {11, -8, 20, 1}};
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_LEN(yard); i++) {
        int32_t from[2] = {STN_SPAWN_TX + yard[i][0] - gx * STN_LAND_GRID,
                           STN_SPAWN_TY + yard[i][1] - gy * STN_LAND_GRID};
        int32_t to[2] = {STN_SPAWN_TX + yard[i][2] - gx * STN_LAND_GRID,
                         STN_SPAWN_TY + yard[i][3] - gy * STN_LAND_GRID};

        for (int k = 0; k < 2; k++) {
            from[k] = from[k] < 0 ? 0 : from[k];
            to[k] = to[k] > STN_LAND_GRID ? STN_LAND_GRID : to[k];
        }
        if (from[0] < to[0] && from[1] < to[1])
            out[n++] = (stn_land_plot){(uint8_t)from[0], (uint8_t)from[1], (uint8_t)to[0], (uint8_t)to[1]};
    }
    return n;
}

void stn_land_scene_spawn(double *x, double *y, double *angle)
{
    *x = (STN_SPAWN_TX - 1.1) * STN_LAND_TILE;
    *y = (STN_SPAWN_TY + 1.5) * STN_LAND_TILE;
    *angle = -0.94; /* towards the fire */
}

bool stn_land_make(const char *short_name, double x, double y, double angle, stn_land_object *out)
{
    for (size_t i = 0; i < ARRAY_LEN(things); i++)
        if (strcmp(things[i].name + strlen("homestead/"), short_name) == 0) {
            *out = make(&things[i], x, y, angle);
            return true;
        }
    return false;
}

static bool taken(const stn_land_view *v, double tx, double ty, double room)
{
    double x = tx - STN_SPAWN_TX, y = ty - STN_SPAWN_TY;

    double cx = tx - v->clear_x, cy = ty - v->clear_y;

    if (cx * cx + cy * cy < v->clear * v->clear)
        return true;
    if (!v->composed)
        return false;
    if (stn_land_path_distance(tx, ty) < room)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(placed); i++) {
        double dx = placed[i].x - x, dy = placed[i].y - y, keep = keep_clear(placed[i].thing);

        if (dx * dx + dy * dy < keep * keep)
            return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(fences); i++)
        for (int k = 0; k < fences[i].count; k++) {
            double dx = fences[i].x + k * fences[i].dx - x, dy = fences[i].y + k * fences[i].dy - y;

            if (dx * dx + dy * dy < 1.0)
                return true;
        }
    /* The field bears its crop alone. */
    return x > 11.5 && x < 18.5 && y > -6.5 && y < -0.5;
}

static int32_t tile_of(double t)
{
    int32_t i = (int32_t)t;

    return (double)i > t ? i - 1 : i;
}

/* A place is firm when the tiles around it are land too: no trunk on the water's line. */
static bool firm(const stn_land_view *v, double tx, double ty)
{
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            stn_ground g = v->kind(v->self, tile_of(tx + 0.6 * dx), tile_of(ty + 0.6 * dy));

            if (g == STN_GROUND_WATER || g == STN_GROUND_DEEP || g == STN_GROUND_COUNT)
                return false;
        }
    return true;
}

/* Trees stand in a jittered lattice of 2.5 tiles, so that crowns touch but trunks do not. */
static void trees(const stn_land_view *v, int32_t gx, int32_t gy, stn_land_list *out)
{
    enum { CELLS = 40 };
    const double cell = (double)STN_LAND_GRID / CELLS;

    for (int32_t cy = 0; cy < CELLS; cy++)
        for (int32_t cx = 0; cx < CELLS; cx++) {
            uint64_t r = stn_land_hash(v->seed + 1, gx * CELLS + cx, gy * CELLS + cy);
            double tx = gx * STN_LAND_GRID + (cx + 0.14 + 0.72 * stn_land_unit(&r)) * cell;
            double ty = gy * STN_LAND_GRID + (cy + 0.14 + 0.72 * stn_land_unit(&r)) * cell;
            double chance = stn_land_unit(&r), kind = stn_land_unit(&r), size = stn_land_unit(&r);
            double angle = stn_land_unit(&r) * 6.283185307179586;
            stn_ground g = v->kind(v->self, tile_of(tx), tile_of(ty));
            stn_site s = v->site(v->self, tx, ty);
            int which = T_SPRUCE;
            double lone = 0.0;

            if (g != STN_GROUND_GRASS && g != STN_GROUND_FOREST && g != STN_GROUND_HEATH &&
                g != STN_GROUND_ROCK)
                continue;
            if (g == STN_GROUND_HEATH) {
                lone = 0.035;
                which = T_PINE;
            } else if (g == STN_GROUND_ROCK) {
                lone = 0.02;
                which = T_PINE;
            } else if (g == STN_GROUND_GRASS) {
                lone = s.scene > 0.5 ? 0.0 : 0.03;
            }
            if (chance >= (s.forest > 0.3 ? 0.84 * s.forest : lone))
                continue;
            if (which == T_SPRUCE && kind < s.birch)
                which = T_BIRCH;
            else if (which == T_SPRUCE && s.wild > 0.18 && kind < 0.75)
                which = s.inland < 22.0 && s.scene > 0.5 ? T_PINE : T_BEECH;
            else if (which == T_SPRUCE && (s.wild < -0.22 || (s.scene > 0.5 && s.inland < 12.0)))
                which = T_PINE;
            if (taken(v, tx, ty, 1.7) || !firm(v, tx, ty))
                continue;
            stn_land_object o = make(&things[which], tx * STN_LAND_TILE, ty * STN_LAND_TILE, angle);
            /* Young trees at the wood's edge, dwarfs on rock and heath. */
            double edge = s.forest > 0.9 ? 1.0 : 0.82;

            if (g == STN_GROUND_HEATH || g == STN_GROUND_ROCK)
                edge = 0.62;
            grow(&o, (0.72 + 0.48 * size) * edge);
            add(out, gx, gy, &o);
        }
}

/* Bushes, stumps, logs, mushrooms, stones and reeds stand in a lattice of 2 tiles of their own. */
static void undergrowth(const stn_land_view *v, int32_t gx, int32_t gy, stn_land_list *out)
{
    enum { CELLS = 50 };
    const double cell = (double)STN_LAND_GRID / CELLS;

    for (int32_t cy = 0; cy < CELLS; cy++)
        for (int32_t cx = 0; cx < CELLS; cx++) {
            uint64_t r = stn_land_hash(v->seed + 2, gx * CELLS + cx, gy * CELLS + cy);
            double tx = gx * STN_LAND_GRID + (cx + stn_land_unit(&r)) * cell;
            double ty = gy * STN_LAND_GRID + (cy + stn_land_unit(&r)) * cell;
            double p = stn_land_unit(&r), size = stn_land_unit(&r),
                   angle = stn_land_unit(&r) * 6.283185307179586;
            stn_ground g = v->kind(v->self, tile_of(tx), tile_of(ty));
            int which = -1;

            if (g == STN_GROUND_COUNT || g == STN_GROUND_FIELD || g == STN_GROUND_DIRT ||
                g == STN_GROUND_DEEP)
                continue;
            stn_site s = v->site(v->self, tx, ty);

            if (g == STN_GROUND_WATER) {
                /* Beds of reeds where it is shallow, not all along the shore. */
                double bed = stn_land_noise(v->seed + 3, tx / 9.0, ty / 9.0);

                if (s.e > STN_WATER_LEVEL - 1.9 && bed > 0.08 && p < 0.75 && !taken(v, tx, ty, 4.0))
                    which = T_REEDS;
            } else if (g == STN_GROUND_ROCK) {
                which = p < 0.030 ? T_BOULDER : p < 0.085 ? T_STONE : p < 0.095 ? T_JUNIPER : -1;
            } else if (g == STN_GROUND_HEATH) {
                which = p < 0.006 ? T_BOULDER : p < 0.026 ? T_STONE : p < 0.060 ? T_JUNIPER : -1;
            } else if (g == STN_GROUND_FOREST) {
                which = p < 0.03    ? T_BUSH
                        : p < 0.045 ? T_STUMP
                        : p < 0.058 ? T_LOG
                        : p < 0.085 ? T_MUSHROOM
                        : p < 0.095 ? T_STONE
                                    : -1;
            } else if (g == STN_GROUND_GRASS) {
                bool grove = s.forest > 0.35;
                bool edge = s.forest > 0.05 && s.forest <= 0.6;

                which = edge && p < 0.10    ? T_BUSH
                        : p < 0.008         ? T_BUSH
                        : p < 0.014         ? T_STONE
                        : grove && p < 0.03 ? T_MUSHROOM
                                            : -1;
            } else if (g == STN_GROUND_SAND) {
                which = p < 0.012 ? T_STONE : p < 0.016 ? T_BOULDER : p < 0.022 ? T_LOG : -1;
            }
            if (which < 0 || taken(v, tx, ty, which == T_MUSHROOM ? 0.9 : 1.5))
                continue;
            if (which != T_REEDS && !firm(v, tx, ty))
                continue;
            stn_land_object o = make(&things[which], tx * STN_LAND_TILE, ty * STN_LAND_TILE, angle);

            if (things[which].kind == STN_LAND_TREE)
                grow(&o, 0.7 + 0.5 * size);
            add(out, gx, gy, &o);
        }
}

/* A few beasts a grid, where their kind of ground is. */
static void beasts(const stn_land_view *v, int32_t gx, int32_t gy, stn_land_list *out)
{
    static const struct {
        int which;
        double share;
    } tries[] = {{T_DEER, 0.5}, {T_DEER, 0.4}, {T_DEER, 0.3}, {T_HARE, 0.7}, {T_HARE, 0.6},
                 {T_HARE, 0.5}, {T_HARE, 0.4}, {T_SWAN, 0.7}, {T_SWAN, 0.7}, {T_SWAN, 0.5}};

    for (size_t i = 0; i < ARRAY_LEN(tries); i++) {
        uint64_t r = stn_land_hash(v->seed + 4 + i, gx, gy);
        double tx = gx * STN_LAND_GRID + stn_land_unit(&r) * STN_LAND_GRID;
        double ty = gy * STN_LAND_GRID + stn_land_unit(&r) * STN_LAND_GRID;
        double p = stn_land_unit(&r), angle = stn_land_unit(&r) * 6.283185307179586;
        stn_ground g = v->kind(v->self, tile_of(tx), tile_of(ty));
        if (g == STN_GROUND_CAVE || g == STN_GROUND_DARK)
            continue;
        bool wet = g == STN_GROUND_WATER || g == STN_GROUND_DEEP;

        if (p >= tries[i].share || g == STN_GROUND_COUNT || things[tries[i].which].swims != wet ||
            (!wet && !firm(v, tx, ty)) || taken(v, tx, ty, 3.0))
            continue;
        stn_land_object o = make(&things[tries[i].which], tx * STN_LAND_TILE, ty * STN_LAND_TILE, angle);

        add(out, gx, gy, &o);
    }
}

void stn_land_growth(const stn_land_view *view, int32_t gx, int32_t gy, stn_land_list *out)
{
    trees(view, gx, gy, out);
    undergrowth(view, gx, gy, out);
    beasts(view, gx, gy, out);
}
