#include "support/scenery_ground.h"

#include "base/file.h"
#include "base/table.h"
#include "map/coords.h"
#include "mesher/build.h"
#include "mesher/decor.h"
#include "mesher/decor_pack.h"
#include "mesher/pack.h"
#include "res/res.h"
#include "world/tiledef.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESOURCES 64
#define MARGIN 11

/* A resource that ground leans on, and the sets made of it. */
typedef struct known {
    char name[128];
    stn_res *res;
    stn_tileset *sets[STN_TILEDEF_LEVELS];
} known;

struct scenery_ground {
    char pack[512];
    stn_land *land;
    stn_table *grids;
    stn_scratch *scratch;
    stn_blocks *blocks;
    known all[RESOURCES];
    size_t n;
    uint32_t handles;
    stn_job_set sets[256];
    size_t nsets;
};

static known *open_resource(scenery_ground *g, const char *name, stn_err *err)
{
    char path[800];
    uint8_t *data;
    size_t len;
    known *k;

    for (size_t i = 0; i < g->n; i++)
        if (strcmp(g->all[i].name, name) == 0)
            return &g->all[i];
    if (g->n == RESOURCES) {
        stn_fail(err, STN_TOO_BIG, "more than %d resources", RESOURCES);
        return NULL;
    }
    k = &g->all[g->n];
    snprintf(path, sizeof path, "%s/%s.res", g->pack, name);
    if (stn_file_read(path, 64u << 20, &data, &len, err) != STN_OK)
        return NULL;
    if (stn_res_new(data, len, NULL, &k->res, NULL, err) == STN_OK) {
        snprintf(k->name, sizeof k->name, "%s", name);
        g->n++;
    }
    free(data);
    return k->res ? k : NULL;
}

static stn_status make_set(scenery_ground *g, const char *name, int32_t version, stn_tiledef_level level,
                           stn_tileset **out, stn_err *err)
{
    known *k = open_resource(g, name, err);
    stn_tiledef_needs needs;
    stn_tileset *trans = NULL, *floor = NULL;
    stn_flavor_facts facts[STN_TILESET_MAX_FLAVORS] = {{0}};
    stn_status st;

    *out = NULL;
    if (!k)
        return err->code;
    if (k->sets[level]) {
        *out = k->sets[level];
        return STN_OK;
    }
    if ((st = stn_tiledef_find_needs(k->res, name, &needs, err)) != STN_OK)
        return st;
    if (level > STN_TILEDEF_MASKS && needs.trans.name)
        st = make_set(g, needs.trans.name, needs.trans.version, STN_TILEDEF_MASKS, &trans, err);
    if (st == STN_OK && level == STN_TILEDEF_FULL && needs.floor.name)
        st = make_set(g, needs.floor.name, needs.floor.version, STN_TILEDEF_FLOOR, &floor, err);
    if (st == STN_OK)
        st = stn_tiledef_make(k->res, k->name, version, level, ++g->handles, trans, floor,
                              level == STN_TILEDEF_FULL ? facts : NULL, &k->sets[level], err);
    *out = k->sets[level];
    return st;
}

stn_status scenery_ground_new(uint64_t seed, const char *pack, scenery_ground **out, stn_err *err)
{
    scenery_ground *g = calloc(1, sizeof *g);
    const stn_land_tileset *sets;
    stn_status st = STN_OK;
    size_t n;

    *out = NULL;
    if (!g)
        return stn_fail(err, STN_NO_MEMORY, "scenery");
    snprintf(g->pack, sizeof g->pack, "%s", pack);
    g->land = stn_land_new(seed);
    g->grids = stn_table_new();
    g->scratch = stn_scratch_new(0);
    g->blocks = stn_blocks_new(256, NULL);
    if (!g->land || !g->grids || !g->scratch || !g->blocks)
        st = stn_fail(err, STN_NO_MEMORY, "scenery");
    sets = st == STN_OK ? stn_land_tilesets(g->land, &n) : NULL;
    for (size_t i = 0; st == STN_OK && i < n && i < 256; i++) {
        stn_tileset *set;

        st = make_set(g, sets[i].name, sets[i].version, STN_TILEDEF_FULL, &set, err);
        g->sets[g->nsets++] = (stn_job_set){sets[i].id, set};
    }
    if (st != STN_OK) {
        scenery_ground_free(g);
        return st;
    }
    *out = g;
    return STN_OK;
}

void scenery_ground_free(scenery_ground *g)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    if (!g)
        return;
    while (g->grids && stn_table_next(g->grids, &it, &key, &v))
        free(v);
    stn_table_free(g->grids);
    for (size_t i = 0; i < g->n; i++) {
        for (int level = STN_TILEDEF_LEVELS - 1; level >= 0; level--)
            stn_tileset_unref(g->all[i].sets[level]);
        stn_res_free(g->all[i].res);
    }
    stn_blocks_free(g->blocks);
    stn_scratch_free(g->scratch);
    stn_land_free(g->land);
    free(g);
}

const stn_land *scenery_ground_land(const scenery_ground *g)
{
    return g->land;
}

const stn_land_grid_data *scenery_ground_grid(scenery_ground *g, int32_t gx, int32_t gy)
{
    uint64_t key = stn_coord_key((stn_coord){gx, gy});
    stn_land_grid_data *grid = stn_table_get(g->grids, key);

    if (grid)
        return grid;
    grid = malloc(sizeof *grid);
    if (!grid || stn_land_grid(g->land, gx, gy, grid) != STN_OK ||
        !stn_table_put(g->grids, key, grid, NULL)) {
        free(grid);
        return NULL;
    }
    return grid;
}

static stn_status pack_ground(scenery_ground *g, const stn_job *job, uint8_t **data, size_t *len,
                              stn_err *err)
{
    stn_build *b;
    stn_pack *pack;
    stn_status st = stn_build_run(g->scratch, g->blocks, NULL, job, &b, err);

    if (st == STN_OK)
        st = stn_pack_new(b, &pack, len);
    if (st != STN_OK)
        return st;
    *data = malloc(*len);
    if (!*data)
        return stn_fail(err, STN_NO_MEMORY, "cut");
    stn_pack_write(pack, *data);
    return STN_OK;
}

static stn_status pack_decoration(scenery_ground *g, const stn_job *job, uint8_t **data, size_t *len,
                                  stn_err *err)
{
    stn_arena *arena = stn_scratch_arena(g->scratch);
    stn_decor d;
    stn_decor_pack *pack;
    stn_status st;

    stn_arena_reset(arena);
    st = stn_decor_run(job, arena, &d, err);
    if (st == STN_OK)
        st = stn_decor_pack_new(&d, arena, &pack, len, err);
    if (st != STN_OK)
        return st;
    *data = malloc(*len);
    if (!*data)
        return stn_fail(err, STN_NO_MEMORY, "decoration");
    stn_decor_pack_write(pack, *data);
    return STN_OK;
}

stn_status scenery_ground_cut(scenery_ground *g, int32_t cx, int32_t cy, bool decoration, uint8_t **data,
                              size_t *len, stn_err *err)
{
    enum { TILES = STN_CUT_TILES + 2 * MARGIN, CORNERS = TILES + 1 };
    static uint16_t tiles[TILES * TILES];
    static float heights[CORNERS * CORNERS];
    stn_coord cut = {cx, cy}, ul = stn_tile_of_cut(cut), gc = stn_grid_of_cut(cut);
    stn_job job = {.grid = gc,
                   .cut = stn_cut_in_grid(cut),
                   .blend = 4,
                   .transitions = true,
                   .density = 100.0,
                   .tile_window = STN_WINDOW_WATER_TILES,
                   .tiles = tiles,
                   .height_window = STN_WINDOW_WATER_CORNERS,
                   .heights = heights,
                   .sets = g->sets,
                   .nsets = g->nsets};

    for (int y = 0; y < CORNERS; y++)
        for (int x = 0; x < CORNERS; x++) {
            stn_coord tile = stn_coord_add(ul, x - MARGIN, y - MARGIN), at = stn_tile_in_grid(tile);
            stn_coord of = stn_grid_of_tile(tile);
            const stn_land_grid_data *grid = scenery_ground_grid(g, of.x, of.y);

            if (!grid)
                return stn_fail(err, STN_NOT_FOUND, "grid %d,%d", of.x, of.y);
            heights[y * CORNERS + x] = grid->z[at.x + STN_LAND_GRID * at.y];
            if (x < TILES && y < TILES)
                tiles[y * TILES + x] = grid->tiles[at.x + STN_LAND_GRID * at.y];
            if (stn_coord_eq(of, gc))
                job.grid_id = grid->id;
        }
    return decoration ? pack_decoration(g, &job, data, len, err) : pack_ground(g, &job, data, len, err);
}
