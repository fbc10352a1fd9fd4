#include "homestead/land.h"

#include "homestead/land_noise.h"
#include "homestead/land_priv.h"
#include "homestead/land_scene.h"

#include <math.h>
#include <stdlib.h>

/* The order is the order of laying: a lower id grows over a higher one (docs/spec/terrain-mesh.md 12.2). */
static const stn_land_tileset tilesets[STN_GROUND_COUNT] = {
    /* Walls stand towards higher ids (docs/spec/terrain-extras.md 7). */
    [STN_GROUND_CAVE] = {5, STN_PACK_VERSION, "homestead/tiles/cave"},
    [STN_GROUND_HEATH] = {10, STN_PACK_VERSION, "homestead/tiles/heath"},
    [STN_GROUND_GRASS] = {12, STN_PACK_VERSION, "homestead/tiles/grass"},
    [STN_GROUND_FOREST] = {14, STN_PACK_VERSION, "homestead/tiles/forest"},
    [STN_GROUND_FIELD] = {16, STN_PACK_VERSION, "homestead/tiles/field"},
    [STN_GROUND_DIRT] = {18, STN_PACK_VERSION, "homestead/tiles/dirt"},
    [STN_GROUND_SAND] = {20, STN_PACK_VERSION, "homestead/tiles/sand"},
    [STN_GROUND_ROCK] = {22, STN_PACK_VERSION, "homestead/tiles/rock"},
    [STN_GROUND_WATER] = {30, STN_PACK_VERSION, "homestead/tiles/water"},
    [STN_GROUND_DEEP] = {31, STN_PACK_VERSION, "homestead/tiles/deep"},
    [STN_GROUND_DARK] = {40, STN_PACK_VERSION, "homestead/tiles/dark"},
};

#define FIRST_ID UINT32_C(0x10000000)

stn_land *stn_land_new(uint64_t seed)
{
    stn_land *land = calloc(1, sizeof *land);

    if (!land)
        return NULL;
    land->seed = seed;
    stn_land_scene_spawn(&land->spawn_x, &land->spawn_y, &land->spawn_angle);
    return land;
}

void stn_land_free(stn_land *land)
{
    if (!land)
        return;
    free(land->grids);
    free(land->objects);
    free(land);
}

bool stn_land_passage(const stn_land *land, double x, double y, double *to_x, double *to_y)
{
    return !land->grids && stn_land_scene_passage(x, y, to_x, to_y);
}

const stn_land_tileset *stn_land_tilesets(const stn_land *land, size_t *count)
{
    (void)land; /* recorded grounds are mapped to the same table */
    *count = STN_GROUND_COUNT;
    return tilesets;
}

static int32_t floordiv(int32_t a, int32_t b)
{
    return a < 0 ? (a + 1) / b - 1 : a / b;
}

static bool in_reach(int32_t gx, int32_t gy)
{
    return gx >= -STN_LAND_REACH && gx <= STN_LAND_REACH && gy >= -STN_LAND_REACH && gy <= STN_LAND_REACH;
}

const stn_land_recorded_grid *stn_land_recorded(const stn_land *land, int32_t gx, int32_t gy)
{
    for (size_t i = 0; i < land->n_grids; i++)
        if (land->grids[i].gx == gx && land->grids[i].gy == gy)
            return &land->grids[i];
    return NULL;
}

static stn_ground kind_at(const void *self, int32_t tx, int32_t ty)
{
    const stn_land *land = self;
    int32_t gx = floordiv(tx, STN_LAND_GRID), gy = floordiv(ty, STN_LAND_GRID);

    if (land->grids) {
        const stn_land_recorded_grid *g = stn_land_recorded(land, gx, gy);

        return g ? (stn_ground)g->kinds[tx - gx * STN_LAND_GRID + STN_LAND_GRID * (ty - gy * STN_LAND_GRID)]
                 : STN_GROUND_COUNT;
    }
    if (!in_reach(gx, gy))
        return STN_GROUND_COUNT;
    float z[4] = {stn_land_corner(land->seed, tx, ty), stn_land_corner(land->seed, tx + 1, ty),
                  stn_land_corner(land->seed, tx + 1, ty + 1), stn_land_corner(land->seed, tx, ty + 1)};

    return stn_land_kind_of(land->seed, tx, ty, z);
}

static bool is_land(const stn_land *land, double tx, double ty)
{
    stn_ground g = kind_at(land, (int32_t)floor(tx), (int32_t)floor(ty));

    return g != STN_GROUND_WATER && g != STN_GROUND_DEEP && g != STN_GROUND_COUNT;
}

/* What generated land knows of a place, guessed for recorded land from the kind of ground alone. */
static stn_site site_at(const void *self, double tx, double ty)
{
    const stn_land *land = self;

    if (!land->grids)
        return stn_land_site(land->seed, tx, ty);
    stn_ground g = kind_at(land, (int32_t)floor(tx), (int32_t)floor(ty));
    double slow = stn_land_fbm(land->seed + 5, tx / 40.0, ty / 40.0, 3);
    bool shallow = g == STN_GROUND_WATER && (is_land(land, tx - 2, ty) || is_land(land, tx + 2, ty) ||
                                             is_land(land, tx, ty - 2) || is_land(land, tx, ty + 2));

    return (stn_site){.e = STN_WATER_LEVEL + (shallow                 ? -1.0
                                              : g == STN_GROUND_WATER ? -6.0
                                                                      : 20.0),
                      .inland = 100.0,
                      .forest = g == STN_GROUND_FOREST ? 0.85 : 0.0,
                      .birch = stn_land_step(0.0, 0.4, slow),
                      .wild = slow};
}

/* The kinds of one grid, with each corner's height computed once; `kind_at` on this view is a table look-up
 * inside the grid and the slow way outside. */
typedef struct grid_view {
    const stn_land *land;
    int32_t gx, gy;
    const uint8_t *kinds;
} grid_view;

static stn_ground view_kind(const void *self, int32_t tx, int32_t ty)
{
    const grid_view *v = self;
    int32_t x = tx - v->gx * STN_LAND_GRID, y = ty - v->gy * STN_LAND_GRID;

    if (x >= 0 && x < STN_LAND_GRID && y >= 0 && y < STN_LAND_GRID)
        return (stn_ground)v->kinds[x + STN_LAND_GRID * y];
    return kind_at(v->land, tx, ty);
}

static stn_site view_site(const void *self, double tx, double ty)
{
    return site_at(((const grid_view *)self)->land, tx, ty);
}

static void generate(const stn_land *land, int32_t gx, int32_t gy, uint8_t *kinds, float *z)
{
    enum { N = STN_LAND_GRID };
    float rows[2][N + 1];
    int32_t x0 = gx * N, y0 = gy * N;

    for (int32_t x = 0; x <= N; x++)
        rows[0][x] = stn_land_corner(land->seed, x0 + x, y0);
    for (int32_t y = 0; y < N; y++) {
        const float *up = rows[y & 1];
        float *down = rows[(y + 1) & 1];

        for (int32_t x = 0; x <= N; x++)
            down[x] = stn_land_corner(land->seed, x0 + x, y0 + y + 1);
        for (int32_t x = 0; x < N; x++) {
            float q[4] = {up[x], up[x + 1], down[x + 1], down[x]};

            if (z)
                z[x + N * y] = up[x];
            kinds[x + N * y] = (uint8_t)stn_land_kind_of(land->seed, x0 + x, y0 + y, q);
        }
    }
}

stn_status stn_land_grid(const stn_land *land, int32_t gx, int32_t gy, stn_land_grid_data *out)
{
    enum { TILES = STN_LAND_GRID * STN_LAND_GRID };
    uint8_t kinds[TILES];

    if (land->grids) {
        const stn_land_recorded_grid *g = stn_land_recorded(land, gx, gy);

        if (!g)
            return STN_NOT_FOUND;
        out->id = g->id;
        for (size_t i = 0; i < TILES; i++) {
            out->tiles[i] = tilesets[g->kinds[i]].id;
            out->z[i] = g->z[i];
        }
        return STN_OK;
    }
    if (!in_reach(gx, gy))
        return STN_NOT_FOUND;
    generate(land, gx, gy, kinds, out->z);
    for (size_t i = 0; i < TILES; i++)
        out->tiles[i] = tilesets[kinds[i]].id;
    /* Zero would read as "not sent yet". */
    out->id = (int64_t)(stn_land_hash(land->seed + 77, gx, gy) | 1);
    return STN_OK;
}

stn_status stn_land_objects(const stn_land *land, int32_t gx, int32_t gy, stn_land_object *out, size_t max,
                            size_t *count)
{
    uint8_t kinds[STN_LAND_GRID * STN_LAND_GRID];
    stn_land_list list = {.at = out, .max = max < STN_LAND_MAX_OBJECTS ? max : STN_LAND_MAX_OBJECTS};
    grid_view view = {.land = land, .gx = gx, .gy = gy, .kinds = kinds};
    uint32_t base = FIRST_ID;

    *count = 0;
    if (land->grids) {
        const stn_land_recorded_grid *g = stn_land_recorded(land, gx, gy);
        const double side = STN_LAND_GRID * STN_LAND_TILE;

        if (!g)
            return STN_NOT_FOUND;
        view.kinds = g->kinds;
        base += (uint32_t)(g - land->grids) << 12;
        for (size_t i = 0; i < land->n_objects && list.count < list.max; i++) {
            const stn_land_object *o = &land->objects[i];

            if (o->x >= gx * side && o->x < (gx + 1) * side && o->y >= gy * side && o->y < (gy + 1) * side)
                list.at[list.count++] = *o;
        }
    } else {
        if (!in_reach(gx, gy))
            return STN_NOT_FOUND;
        generate(land, gx, gy, kinds, NULL);
        base += (uint32_t)(gx + 128) << 20 | (uint32_t)(gy + 128) << 12;
        stn_land_scene(gx, gy, &list);
    }
    if (!land->grids || land->dressed) {
        stn_land_view v = {.seed = land->seed,
                           .kind = view_kind,
                           .site = view_site,
                           .self = &view,
                           .composed = !land->grids};

        /* Who enters a recorded wood shall see more than its branches. */
        if (land->grids) {
            v.clear_x = land->spawn_x / STN_LAND_TILE;
            v.clear_y = land->spawn_y / STN_LAND_TILE;
            v.clear = 9.0;
        }

        stn_land_growth(&v, gx, gy, &list);
    }
    for (size_t i = 0; i < list.count; i++)
        list.at[i].id = base + (uint32_t)i;
    *count = list.count;
    return STN_OK;
}

size_t stn_land_plots(const stn_land *land, int32_t gx, int32_t gy, stn_land_plot out[STN_LAND_PLOTS])
{
    return land->grids ? 0 : stn_land_scene_plots(gx, gy, out);
}

uint16_t stn_land_tile(const stn_land *land, int32_t tx, int32_t ty)
{
    stn_ground g = kind_at(land, tx, ty);

    return g == STN_GROUND_COUNT ? 0 : tilesets[g].id;
}

bool stn_land_is_water(const stn_land *land, int32_t tx, int32_t ty)
{
    stn_ground g = kind_at(land, tx, ty);

    return g == STN_GROUND_WATER || g == STN_GROUND_DEEP;
}

float stn_land_height(const stn_land *land, int32_t tx, int32_t ty)
{
    int32_t gx = floordiv(tx, STN_LAND_GRID), gy = floordiv(ty, STN_LAND_GRID);

    if (land->grids) {
        const stn_land_recorded_grid *g = stn_land_recorded(land, gx, gy);

        return g ? g->z[tx - gx * STN_LAND_GRID + STN_LAND_GRID * (ty - gy * STN_LAND_GRID)] : 0.0f;
    }
    return in_reach(gx, gy) ? stn_land_corner(land->seed, tx, ty) : 0.0f;
}

double stn_land_z(const stn_land *land, double x, double y)
{
    double fx = floor(x / STN_LAND_TILE), fy = floor(y / STN_LAND_TILE);
    int32_t tx = (int32_t)fx, ty = (int32_t)fy;
    double sx = (x - fx * STN_LAND_TILE) / STN_LAND_TILE, sy = (y - fy * STN_LAND_TILE) / STN_LAND_TILE;
    double ix = 1.0 - sx, iy = 1.0 - sy;

    return iy * ((ix * (double)stn_land_height(land, tx, ty)) +
                 (sx * (double)stn_land_height(land, tx + 1, ty))) +
           sy * ((ix * (double)stn_land_height(land, tx, ty + 1)) +
                 (sx * (double)stn_land_height(land, tx + 1, ty + 1)));
}

void stn_land_set_spawn(stn_land *land, double x, double y)
{
    land->spawn_x = x;
    land->spawn_y = y;
}

void stn_land_spawn(const stn_land *land, double *x, double *y, double *angle)
{
    *x = land->spawn_x;
    *y = land->spawn_y;
    *angle = land->spawn_angle;
}
