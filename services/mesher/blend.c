#include "mesher/blend.h"

#include <string.h>

/* Working tables: a region of up to 50 x 50 vertices, its first one (-passes, -passes), in rows of 64 so that
 * a vector may run over the end of a row. */
#define PITCH 64
#define ROWS (STN_CUT_VERTICES + 2 * STN_BLEND_MAX + 1)

typedef struct work {
    const stn_kernels *k;
    int sr;
    int x0, y0, x1, y1; /* vertices wanted, in the cut */
    float b[2][ROWS * PITCH], lw[ROWS * PITCH], den[ROWS * PITCH];
    uint8_t
        tile[(ROWS + 1) * PITCH + 16]; /* layers; its first tile is (-passes - 1), 0xff where none counts */
} work;

/* Blurs a layer; returns the table that holds the result. Start values are 1 at the corners of every tile
 * that shows the layer. Tiles outside the region do not count, so values at its edge depend on the cut: they
 * are never shared. */
static const float *spread(work *w, unsigned layer, const stn_blend_probe *probe)
{
    int sr = w->sr, rows = w->y1 + 2 * sr - w->y0 + 1;
    size_t top = (size_t)w->y0 * PITCH;
    float *from = w->b[0], *to = w->b[1];

    w->k->start(w->tile + top, (uint8_t)layer, PITCH, rows, from + top);
    if (probe && probe->layer)
        probe->layer(probe->arg, layer, -1, from, PITCH);
    for (int i = 0; i < sr; i++) {
        /* Only what later passes read: each pass needs one vertex less around the wanted ones. */
        int c = sr - 1 - i;
        w->k->blur(from, to, w->lw, w->den, PITCH, w->x0 - c + sr, w->x1 + c + sr, w->y0 - c + sr,
                   w->y1 + c + sr);
        if (probe && probe->layer)
            probe->layer(probe->arg, layer, i, to, PITCH);
        float *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Which tiles draw the layer, given what the layers above it already cover; `low` and `high` have a word a
 * row. */
static void enable(stn_blend_layer *l, stn_blend_area a, const uint32_t *low, const uint32_t *high,
                   uint32_t *covered)
{
    uint32_t inside = ((2u << a.x1) - 1) & ~((1u << a.x0) - 1);

    for (int y = a.y0; y <= a.y1; y++) {
        uint32_t off = low[y] & low[y] >> 1 & low[y + 1] & low[y + 1] >> 1;
        uint32_t full = high[y] & high[y] >> 1 & high[y + 1] & high[y + 1] >> 1;
        l->on[y] = ~off & ~covered[y] & inside;
        covered[y] |= l->on[y] & full;
        l->any |= l->on[y] != 0;
    }
}

static stn_status values_of(stn_arena *arena, stn_blend_layer *l, stn_err *err)
{
    l->weight = stn_arena_array(arena, STN_BLEND_VALUES, sizeof *l->weight);
    l->alpha = stn_arena_array(arena, STN_BLEND_VALUES, 1);
    return l->weight && l->alpha ? STN_OK : stn_fail(err, STN_NO_MEMORY, "blend weights");
}

/* A layer that is 1 everywhere: blurring does not change it by a bit. */
static stn_status fill_full(stn_arena *arena, stn_blend_layer *l, uint32_t *low, uint32_t *high, stn_err *err)
{
    stn_status st = values_of(arena, l, err);
    for (int i = 0; st == STN_OK && i < STN_BLEND_VALUES; i++)
        l->weight[i] = 1.0f;
    if (st == STN_OK)
        memset(l->alpha, 255, STN_BLEND_VALUES);
    memset(low, 0, STN_BLEND_ROWS * sizeof *low);
    memset(high, 0xff, STN_BLEND_ROWS * sizeof *high);
    return st;
}

static stn_status fill_blurred(stn_arena *arena, work *w, stn_block_view *view, stn_coord ul, unsigned layer,
                               stn_blend_layer *l, uint32_t *low, uint32_t *high,
                               const stn_blend_probe *probe, stn_err *err)
{
    int sr = w->sr, x0 = w->x0 - (sr - 1), y0 = w->y0 - (sr - 1);
    int nx = w->x1 + (sr - 1) - x0 + 1, ny = w->y1 + (sr - 1) - y0 + 1;
    size_t first = (size_t)(x0 + sr + (y0 + sr) * PITCH);
    stn_status st = values_of(arena, l, err);

    if (st != STN_OK)
        return st;
    stn_blocks_weights(view, layer, stn_coord_add(ul, x0, y0), nx, ny, w->lw + first, PITCH);
    w->k->denominators(w->lw + (size_t)(y0 + sr) * PITCH, w->den + (size_t)(y0 + sr) * PITCH,
                       (size_t)ny * PITCH);
    const float *done = spread(w, layer, probe);
    float *rows = w->den; /* free by now */
    for (int y = w->y0; y <= w->y1; y++)
        memcpy(rows + (y - w->y0) * STN_BLEND_PITCH, done + sr + (y + sr) * PITCH,
               STN_BLEND_PITCH * sizeof *rows);
    size_t at = (size_t)w->y0 * STN_BLEND_PITCH;
    w->k->finish(rows, (size_t)(w->y1 - w->y0 + 1) * STN_BLEND_PITCH, l->weight + at, l->alpha + at,
                 low + w->y0, high + w->y0);
    return STN_OK;
}

/* Reads the tile layers under the region and notes which occur; returns how many different ones. */
static unsigned read_tiles(work *w, stn_block_view *view, stn_coord ul, uint8_t seen[256])
{
    int sr = w->sr;
    int x0 = w->x0 - sr - 1, y0 = w->y0 - sr - 1, x1 = w->x1 + sr, y1 = w->y1 + sr;
    unsigned kinds = 0;

    x0 = x0 < -sr ? -sr : x0;
    y0 = y0 < -sr ? -sr : y0;
    x1 = x1 > 24 + sr ? 24 + sr : x1;
    y1 = y1 > 24 + sr ? 24 + sr : y1;
    memset(w->tile, 0xff, sizeof w->tile);
    uint8_t *first = w->tile + (x0 + sr + 1) + (y0 + sr + 1) * PITCH;
    stn_blocks_layers(view, stn_coord_add(ul, x0, y0), x1 - x0 + 1, y1 - y0 + 1, first, PITCH);
    memset(seen, 0, 256);
    for (int y = 0; y <= y1 - y0; y++)
        for (int x = 0; x <= x1 - x0; x++)
            seen[first[x + y * PITCH]] = 1;
    for (int i = 0; i < 256; i++)
        kinds += seen[i];
    return kinds;
}

stn_status stn_blend_make(stn_arena *arena, const stn_kernels *k, stn_blocks *blocks, const stn_tileset *set,
                          stn_coord ul, unsigned passes, stn_blend_area area, const stn_blend_probe *probe,
                          stn_blend **out, stn_err *err)
{
    unsigned nlayers = (unsigned)set->def.nvars + 1;
    uint32_t low[STN_BLEND_ROWS], high[STN_BLEND_ROWS], covered[STN_CUT_TILES] = {0};
    stn_blend *bl = stn_arena_zalloc(arena, 1, sizeof *bl);
    stn_status st = STN_OK;

    *out = NULL;
    if (!bl || !(bl->layers = stn_arena_zalloc(arena, nlayers, sizeof *bl->layers)))
        return stn_fail(err, STN_NO_MEMORY, "blend of %u layers", nlayers);
    bl->nlayers = nlayers;
    if (passes > STN_BLEND_MAX)
        return stn_fail(err, STN_BAD_DATA, "blend of %u passes, at most %d", passes, STN_BLEND_MAX);
    *out = bl;
    /* Without variants nothing competes with the base; without passes the base alone is drawn, which is not
     * what zero rounds of blurring would give. */
    if (nlayers == 1 || passes == 0) {
        st = fill_full(arena, &bl->layers[0], low, high, err);
        if (st == STN_OK)
            enable(&bl->layers[0], area, low, high, covered);
        return st;
    }

    int sr = (int)passes;
    uint8_t seen[256];
    stn_block_view view;
    work *w = stn_arena_array(arena, 1, sizeof *w);
    if (!w)
        return stn_fail(err, STN_NO_MEMORY, "blend tables");
    w->k = k;
    w->sr = sr;
    w->x0 = area.x0;
    w->y0 = area.y0;
    w->x1 = area.x1 + 1;
    w->y1 = area.y1 + 1;
    /* Vectors run over the ends of rows: what they read there must be numbers. */
    memset(w->lw, 0, sizeof w->lw);
    st = stn_blocks_hold(blocks, set, stn_coord_add(ul, -sr, -sr), 26 + 2 * sr, 26 + 2 * sr, &view, err);
    if (st != STN_OK)
        return st;
    unsigned kinds = read_tiles(w, &view, ul, seen);
    for (unsigned l = nlayers; l-- > 0 && st == STN_OK;) {
        if (!seen[l] && !probe)
            continue; /* 0 everywhere */
        if (kinds == 1 && !probe)
            st = fill_full(arena, &bl->layers[l], low, high, err);
        else
            st = fill_blurred(arena, w, &view, ul, l, &bl->layers[l], low, high, probe, err);
        if (st == STN_OK)
            enable(&bl->layers[l], area, low, high, covered);
    }
    stn_blocks_release(&view);
    return st;
}
