#include "renderer/build/gridland.h"

#include "bus/array.h"
#include "map/coords.h"

#include <string.h>

/* A tileset's name and version of each tile id that occurs. */
static void tile_colours(stn_store *store, const Stenness__Grid *g, uint8_t table[65536][4], bool *complete)
{
    *complete = true;
    for (size_t i = 0; i < g->n_tile_ids && i < g->n_tileset_names && i < g->n_tileset_versions; i++) {
        const stn_sprite_res *res;
        uint8_t c[4] = {96, 96, 96, 255};
        stn_sprite_fault f = stn_store_get(store, g->tileset_names[i], g->tileset_versions[i], &res, NULL);

        if (g->tile_ids[i] >= 65536)
            continue;
        if (f == STN_SPRITE_LOADING)
            *complete = false;
        else if (f == STN_SPRITE_OK)
            stn_store_tile_colour(store, g->tileset_names[i], g->tileset_versions[i], c);
        if (strstr(g->tileset_names[i], "water") || strstr(g->tileset_names[i], "deep")) {
            /* Its picture is that of the bed; a map shows the surface. */
            c[0] = (uint8_t)(c[0] / 3);
            c[1] = (uint8_t)(c[1] / 3 + 52);
            c[2] = (uint8_t)(c[2] / 3 + 92);
        }
        c[3] = strstr(g->tileset_names[i], "water") || strstr(g->tileset_names[i], "deep") ? 254 : 255;
        memcpy(table[g->tile_ids[i]], c, 4);
    }
}

static uint8_t shade_of(const float *z, int x, int y)
{
    float here = z[x + y * STN_GRID_TILES], west = x > 0 ? z[x - 1 + y * STN_GRID_TILES] : here;
    float north = y > 0 ? z[x + (y - 1) * STN_GRID_TILES] : here;
    float s = 208.0f + (here - west + here - north) * 6.0f;

    return (uint8_t)(s < 120.0f ? 120.0f : s > 255.0f ? 255.0f : s);
}

/* What is only remembered is paler on the map too. */
static void fade(uint8_t rgb[3])
{
    unsigned grey = (rgb[0] * 77u + rgb[1] * 150u + rgb[2] * 29u) >> 8;

    for (int q = 0; q < 3; q++)
        rgb[q] = (uint8_t)((rgb[q] + 2u * grey) / 4u + 24u);
}

stn_status stn_gridland_job(stn_store *store, const Stenness__Grid *g, const stn_msg *msg, uint64_t frame,
                            stn_job **out, bool *coloured, stn_err *err)
{
    static _Thread_local uint8_t table[65536][4];
    stn_array_rule tiles_rule = {"tiles", STENNESS__ELEMENT_FORMAT__ELEMENT_U16, STN_GRID_CELLS,
                                 STN_GRID_CELLS, false};
    stn_array_rule heights_rule = {"heights", STENNESS__ELEMENT_FORMAT__ELEMENT_F32, STN_GRID_CELLS,
                                   STN_GRID_CELLS, false};
    stn_array tiles, heights;
    stn_job *job;
    float *z;
    uint8_t *colours, *water;
    stn_status st;

    *out = NULL;
    st =
        stn_array_view(g->tiles, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &tiles_rule, &tiles, err);
    if (st == STN_OK)
        st = stn_array_view(g->heights, stn_msg_bulk_frames(msg), stn_msg_bulk_count(msg), &heights_rule,
                            &heights, err);
    if (st != STN_OK)
        return st;
    job = stn_job_new(STN_JOB_GRID, frame);
    z = job ? stn_job_memory(job, STN_GRID_CELLS * sizeof *z) : NULL;
    colours = job ? stn_job_memory(job, STN_GRID_CELLS * 4) : NULL;
    water = job ? stn_job_memory(job, STN_GRID_CELLS) : NULL;
    if (!z || !colours || !water) {
        stn_job_free(job);
        return stn_fail(err, STN_NO_MEMORY, "a grid");
    }
    memset(table, 0, sizeof table);
    tile_colours(store, g, table, coloured);
    stn_array_copy(&heights, z);
    for (int i = 0; i < STN_GRID_CELLS; i++) {
        const uint8_t *c = table[stn_array_u16(&tiles, (size_t)i)];
        unsigned shade = shade_of(z, i % STN_GRID_TILES, i / STN_GRID_TILES);

        if (!(z[i] == z[i]))
            z[i] = 0.0f; /* a height that is no number would swallow everything on it */
        for (int q = 0; q < 3; q++)
            colours[i * 4 + q] = (uint8_t)(c[q] * shade / 255u);
        if (g->remembered)
            fade(colours + i * 4);
        colours[i * 4 + 3] = c[3] ? 255 : 0;
        water[i] = c[3] == 254;
    }
    job->u.grid = (stn_job_grid){.id = g->id,
                                 .x = g->x,
                                 .y = g->y,
                                 .heights = z,
                                 .colours = colours,
                                 .water = water,
                                 .remembered = g->remembered};
    *out = job;
    return STN_OK;
}
