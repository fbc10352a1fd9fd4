/* Records made from other records: an older one kept in part, and four cells into one. Source:
 * docs/spec/map-cache.md 10.1, 10.3. */
#include "world/mapfile/record.h"

#include <stdlib.h>
#include <string.h>

#define NO_TILE "gfx/tiles/notile"

stn_status stn_record_merge(stn_record *r, const stn_record *older, const bool *norepl, stn_err *err)
{
    /* Older sets that are used by a kept cell, in the order of their old index. */
    bool *used = calloc(older->n_sets + 1, sizeof *used);
    int *map = calloc(older->n_sets + 1, sizeof *map);
    size_t n_new = r->n_sets;
    stn_status st = STN_OK;

    if (!used || !map)
        st = stn_fail(err, STN_NO_MEMORY, "recorded map: merge");
    for (size_t i = 0; st == STN_OK && i < STN_GRID_CELLS; i++)
        if (r->tiles[i] < n_new && norepl[r->tiles[i]])
            used[older->tiles[i]] = true;
    for (size_t k = 0; st == STN_OK && k < older->n_sets; k++) {
        const stn_record_set *s = &older->sets[k];
        if (used[k] && (map[k] = stn_record_add_set(r, s->name, s->version, s->prio)) < 0)
            st = stn_fail(err, STN_NO_MEMORY, "recorded map: merged tilesets");
    }
    for (size_t i = 0; st == STN_OK && i < STN_GRID_CELLS; i++)
        if (r->tiles[i] < n_new && norepl[r->tiles[i]])
            r->tiles[i] = (uint16_t)map[older->tiles[i]];
    free(used);
    free(map);
    return st;
}

/* A version for comparing: "any" is lower than every other. */
static int order_of(uint16_t version)
{
    return version == STN_RECORD_ANY_VERSION ? -1 : version;
}

typedef struct zoomer {
    const stn_record *const *from;
    stn_record *out;
    uint16_t *map[4]; /* index in a source to index in the result */
    stn_err *err;
} zoomer;

static stn_status union_sets(zoomer *z)
{
    for (int k = 0; k < 4; k++) {
        size_t n = z->from[k] ? z->from[k]->n_sets : 1;
        if (!(z->map[k] = calloc(n ? n : 1, sizeof *z->map[k])))
            return stn_fail(z->err, STN_NO_MEMORY, "zoom cell");
        for (size_t i = 0; i < n; i++) {
            const char *name = z->from[k] ? z->from[k]->sets[i].name : NO_TILE;
            /* The largest version over the four, and at least 0: what is absent names any version. */
            int version = z->from[k] ? order_of(z->from[k]->sets[i].version) : -1, at;
            if ((at = stn_record_add_set(z->out, name, 0, 0)) < 0)
                return stn_fail(z->err, STN_NO_MEMORY, "zoom cell: tilesets");
            if (version > z->out->sets[at].version)
                z->out->sets[at].version = (uint16_t)version;
            z->out->sets[at].prio = (uint8_t)at;
            z->map[k][i] = (uint16_t)at;
        }
    }
    return STN_OK;
}

/* The most frequent of four, of equals the one that came first. */
static uint16_t commonest(const uint16_t v[4])
{
    int best = 0, most = 0;
    for (int i = 0; i < 4; i++) {
        int n = 0;
        for (int k = 0; k < 4; k++)
            n += v[k] == v[i];
        if (n > most) {
            most = n;
            best = i;
        }
    }
    return v[best];
}

/* NaN wins, and -0 lies below +0: the reference's minimum. */
static float lowest(float a, float b)
{
    if (a != a)
        return a;
    if (b != b)
        return b;
    if (a == 0 && b == 0)
        return stn_bits_of_f32(a) >> 31 ? a : b;
    return a < b ? a : b;
}

static void cells(zoomer *z)
{
    for (int y = 0; y < STN_GRID_TILES; y++)
        for (int x = 0; x < STN_GRID_TILES; x++) {
            int k = x / 50 + y / 50 * 2, at = x % 50 * 2 + y % 50 * 2 * STN_GRID_TILES;
            const int place[4] = {at, at + 1, at + STN_GRID_TILES, at + STN_GRID_TILES + 1};
            const stn_record *r = z->from[k];
            uint16_t v[4];
            float low = r ? r->z[at] : 0.0f;
            for (int i = 0; i < 4; i++) {
                v[i] = r ? z->map[k][r->tiles[place[i]]] : z->map[k][0];
                if (r && i > 0)
                    low = lowest(low, r->z[place[i]]);
            }
            z->out->tiles[x + y * STN_GRID_TILES] = commonest(v);
            z->out->z[x + y * STN_GRID_TILES] = low;
        }
}

static int bit(const uint8_t *bits, int cell)
{
    return bits[cell / 8] >> cell % 8 & 1;
}

static stn_status overlays(zoomer *z)
{
    for (int k = 0; k < 4; k++)
        for (size_t o = 0; z->from[k] && o < z->from[k]->n_overlays; o++) {
            const stn_record_overlay *src = &z->from[k]->overlays[o];
            stn_record_overlay *dst = NULL;
            for (int y = 0; y < 50; y++)
                for (int x = 0; x < 50; x++) {
                    int at = x * 2 + y * 2 * STN_GRID_TILES;
                    int cell = x + k % 2 * 50 + (y + k / 2 * 50) * STN_GRID_TILES;
                    if (bit(src->bits, at) + bit(src->bits, at + 1) + bit(src->bits, at + STN_GRID_TILES) +
                            bit(src->bits, at + STN_GRID_TILES + 1) <
                        2)
                        continue;
                    /* Made when the first bit is set, and then its creator's resource. */
                    if (!dst && !(dst = stn_record_add_overlay(z->out, src->name, src->version)))
                        return stn_fail(z->err, STN_NO_MEMORY, "zoom cell: overlays");
                    dst->bits[cell / 8] |= (uint8_t)(1u << cell % 8);
                }
        }
    return STN_OK;
}

stn_status stn_record_zoom(const stn_record *const from[4], stn_record **out, stn_err *err)
{
    zoomer z = {.from = from, .out = stn_record_new(), .err = err};
    stn_status st = z.out ? union_sets(&z) : stn_fail(err, STN_NO_MEMORY, "zoom cell");

    *out = NULL;
    if (st == STN_OK) {
        cells(&z);
        st = overlays(&z);
        for (int k = 0; k < 4; k++)
            if (from[k] && from[k]->mtime > z.out->mtime)
                z.out->mtime = from[k]->mtime;
    }
    for (int k = 0; k < 4; k++)
        free(z.map[k]);
    if (st == STN_OK)
        *out = z.out;
    else
        stn_record_free(z.out);
    return st;
}
