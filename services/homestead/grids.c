#include "homestead/grids.h"

#include "session/mapdata.h"

#include <stdlib.h>

#define KEPT 64

typedef struct kept {
    bool valid, absent;
    int32_t x, y;
    uint64_t used;
    stn_buf blob;
} kept;

struct stn_grids {
    const stn_land *land;
    const stn_sim *sim;
    kept kept[KEPT];
    uint64_t clock, made;
    bool tired; /* one was made in this step */
    unsigned datagrams; /* that may be sent in this step */
    stn_land_grid_data *scratch;
};

stn_grids *stn_grids_new(const stn_land *land, const stn_sim *sim)
{
    stn_grids *g = calloc(1, sizeof *g);

    if (!g || !(g->scratch = malloc(sizeof *g->scratch))) {
        free(g);
        return NULL;
    }
    g->land = land;
    g->sim = sim;
    return g;
}

void stn_grids_free(stn_grids *g)
{
    if (!g)
        return;
    for (unsigned i = 0; i < KEPT; i++)
        stn_buf_fini(&g->kept[i].blob);
    free(g->scratch);
    free(g);
}

static bool make_grid(stn_grids *g, kept *k)
{
    uint16_t ids[256], resids[256];
    size_t n_sets, n = 0;
    const stn_land_tileset *sets = stn_land_tilesets(g->land, &n_sets);
    bool occurs[256] = {false};
    stn_land_plot owned[STN_LAND_PLOTS];
    stn_mapgrid_plot plots[STN_LAND_PLOTS];
    stn_mapgrid_out out = {.gc_x = k->x, .gc_y = k->y};

    if (stn_land_grid(g->land, k->x, k->y, g->scratch) != STN_OK)
        return false;
    for (size_t i = 0; i < STN_LAND_GRID * STN_LAND_GRID; i++)
        if (g->scratch->tiles[i] < 256)
            occurs[g->scratch->tiles[i]] = true;
    for (size_t i = 0; i < n_sets; i++) {
        if (sets[i].id >= 256 || !occurs[sets[i].id])
            continue;
        ids[n] = sets[i].id;
        resids[n++] = stn_sim_tileset(g->sim, sets[i].id);
    }
    out.id = g->scratch->id;
    out.tiles = g->scratch->tiles;
    out.z = g->scratch->z;
    out.ids = ids;
    out.resids = resids;
    out.n_tilesets = n;
    out.plots = plots;
    out.n_plots = stn_land_plots(g->land, k->x, k->y, owned);
    for (size_t i = 0; i < out.n_plots; i++)
        plots[i] = (stn_mapgrid_plot){stn_sim_claim(g->sim), owned[i].x1, owned[i].y1,
                                      owned[i].x2,           owned[i].y2, NULL};
    stn_buf_clear(&k->blob);
    g->made++;
    return stn_mapgrid_write(&k->blob, &out, NULL) == STN_OK;
}

void stn_grids_step(stn_grids *g)
{
    g->tired = false;
    g->datagrams = STN_GRIDS_DATAGRAMS;
}

unsigned stn_grids_share(stn_grids *g, unsigned most)
{
    unsigned share = g->datagrams < most ? g->datagrams : most;

    g->datagrams -= share;
    return share;
}

void stn_grids_unused(stn_grids *g, unsigned datagrams)
{
    g->datagrams += datagrams;
}

bool stn_grids_get(stn_grids *g, int32_t gx, int32_t gy, const stn_buf **blob)
{
    kept *k = &g->kept[0];

    g->clock++;
    for (unsigned i = 0; i < KEPT; i++) {
        if (g->kept[i].valid && g->kept[i].x == gx && g->kept[i].y == gy) {
            k = &g->kept[i];
            k->used = g->clock;
            *blob = k->absent ? NULL : &k->blob;
            return true;
        }
        if (g->kept[i].used < k->used)
            k = &g->kept[i];
    }
    if (g->tired)
        return false;
    g->tired = true;
    k->valid = true;
    k->x = gx;
    k->y = gy;
    k->used = g->clock;
    k->absent = !make_grid(g, k);
    *blob = k->absent ? NULL : &k->blob;
    return true;
}

uint64_t stn_grids_sent(const stn_grids *g)
{
    return g->made;
}
