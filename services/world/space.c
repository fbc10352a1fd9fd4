#include "world/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL_SCALE 0.0078125 /* 1/128, exact */
#define CELL_LIMIT (1 << 30)
#define NOWHERE UINT32_MAX

typedef struct cell {
    int32_t cx, cy;
    uint32_t n, cap;
    double *x, *y, *size; /* one block: x, y, size, slot */
    uint32_t *slot;
} cell;

typedef struct place {
    uint32_t cell, at; /* cell NOWHERE: not in the grid */
} place;

struct stn_space {
    cell *cells;
    uint32_t n_cells, cap_cells;
    uint32_t *spare; /* emptied cells, to be used again with their memory */
    uint32_t n_spare;
    uint32_t *table; /* cell index + 1, 0 = free */
    uint32_t mask; /* table size - 1 */
    uint32_t live; /* cells in the table */
    place *places;
    size_t n_places;
};

stn_space *stn_space_new(void)
{
    stn_space *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->mask = 255;
    s->table = calloc((size_t)s->mask + 1, sizeof *s->table);
    if (!s->table) {
        free(s);
        return NULL;
    }
    return s;
}

void stn_space_free(stn_space *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n_cells; i++)
        free(s->cells[i].x);
    free(s->cells);
    free(s->spare);
    free(s->table);
    free(s->places);
    free(s);
}

size_t stn_space_cells(const stn_space *s)
{
    return s->live;
}

static uint32_t hash_cell(int32_t cx, int32_t cy)
{
    uint64_t h = ((uint64_t)(uint32_t)cx << 32 | (uint32_t)cy) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32) ^ (uint32_t)h >> 7;
}

static int32_t cell_of(double v)
{
    double c = floor(v * CELL_SCALE);
    return c >= CELL_LIMIT ? CELL_LIMIT : c <= -CELL_LIMIT ? -CELL_LIMIT : (int32_t)c;
}

static uint32_t find_cell(const stn_space *s, int32_t cx, int32_t cy)
{
    for (uint32_t i = hash_cell(cx, cy) & s->mask; s->table[i]; i = (i + 1) & s->mask) {
        const cell *c = &s->cells[s->table[i] - 1];
        if (c->cx == cx && c->cy == cy)
            return s->table[i] - 1;
    }
    return NOWHERE;
}

static void enter(stn_space *s, uint32_t index)
{
    uint32_t i = hash_cell(s->cells[index].cx, s->cells[index].cy) & s->mask;
    while (s->table[i])
        i = (i + 1) & s->mask;
    s->table[i] = index + 1;
}

static bool grow_table(stn_space *s)
{
    uint32_t size = (s->mask + 1) * 2;
    uint32_t *old = s->table, *bigger = calloc(size, sizeof *bigger);
    uint32_t old_mask = s->mask;

    if (!bigger)
        return false;
    s->table = bigger;
    s->mask = size - 1;
    for (uint32_t i = 0; i <= old_mask; i++)
        if (old[i])
            enter(s, old[i] - 1);
    free(old);
    return true;
}

/* Out of the table, closing the gap so that probing needs no tombstones. */
static void leave(stn_space *s, uint32_t index)
{
    uint32_t i = hash_cell(s->cells[index].cx, s->cells[index].cy) & s->mask, j;

    while (s->table[i] != index + 1)
        i = (i + 1) & s->mask;
    for (j = (i + 1) & s->mask; s->table[j]; j = (j + 1) & s->mask) {
        const cell *c = &s->cells[s->table[j] - 1];
        uint32_t home = hash_cell(c->cx, c->cy) & s->mask;
        if (((j - home) & s->mask) >= ((j - i) & s->mask)) {
            s->table[i] = s->table[j];
            i = j;
        }
    }
    s->table[i] = 0;
}

static uint32_t new_cell(stn_space *s, int32_t cx, int32_t cy)
{
    uint32_t index;

    if ((s->live + 1) * 2 > s->mask && !grow_table(s))
        return NOWHERE;
    if (s->n_spare > 0) {
        index = s->spare[--s->n_spare];
    } else {
        if (s->n_cells == s->cap_cells) {
            uint32_t cap = s->cap_cells ? s->cap_cells * 2 : 64;
            cell *more = realloc(s->cells, cap * sizeof *more);
            uint32_t *spare;
            if (!more)
                return NOWHERE;
            s->cells = more;
            /* Room for every cell to become a spare one, so that emptying a cell cannot fail. */
            if (!(spare = realloc(s->spare, cap * sizeof *spare)))
                return NOWHERE;
            s->spare = spare;
            s->cap_cells = cap;
        }
        index = s->n_cells++;
        s->cells[index] = (cell){0};
    }
    s->cells[index].cx = cx;
    s->cells[index].cy = cy;
    s->cells[index].n = 0;
    enter(s, index);
    s->live++;
    return index;
}

static bool grow_cell(cell *c)
{
    uint32_t cap = c->cap ? c->cap * 2 : 8;
    double *x = malloc(cap * (3 * sizeof(double) + sizeof(uint32_t))), *y, *size;
    uint32_t *slot;

    if (!x)
        return false;
    y = x + cap;
    size = y + cap;
    slot = (void *)(size + cap);
    if (c->n > 0) {
        memcpy(x, c->x, c->n * sizeof *x);
        memcpy(y, c->y, c->n * sizeof *y);
        memcpy(size, c->size, c->n * sizeof *size);
        memcpy(slot, c->slot, c->n * sizeof *slot);
    }
    free(c->x);
    c->x = x;
    c->y = y;
    c->size = size;
    c->slot = slot;
    c->cap = cap;
    return true;
}

void stn_space_remove(stn_space *s, uint32_t slot)
{
    place p;
    cell *c;

    if (slot >= s->n_places || s->places[slot].cell == NOWHERE)
        return;
    p = s->places[slot];
    c = &s->cells[p.cell];
    c->n--;
    c->x[p.at] = c->x[c->n];
    c->y[p.at] = c->y[c->n];
    c->size[p.at] = c->size[c->n];
    c->slot[p.at] = c->slot[c->n];
    s->places[c->slot[p.at]].at = p.at;
    s->places[slot].cell = NOWHERE;
    if (c->n == 0) {
        leave(s, p.cell);
        s->live--;
        s->spare[s->n_spare++] = p.cell;
    }
}

static bool room_for(stn_space *s, uint32_t slot)
{
    size_t n = s->n_places ? s->n_places : 256;
    place *more;

    if (slot < s->n_places)
        return true;
    while (n <= slot)
        n *= 2;
    if (!(more = realloc(s->places, n * sizeof *more)))
        return false;
    for (size_t i = s->n_places; i < n; i++)
        more[i].cell = NOWHERE;
    s->places = more;
    s->n_places = n;
    return true;
}

bool stn_space_put(stn_space *s, uint32_t slot, double x, double y, double size)
{
    int32_t cx, cy;
    place *p;
    uint32_t index;
    cell *c;

    if (!room_for(s, slot))
        return false;
    if (!isfinite(x) || !isfinite(y)) {
        stn_space_remove(s, slot);
        return true;
    }
    cx = cell_of(x);
    cy = cell_of(y);
    p = &s->places[slot];
    if (p->cell != NOWHERE) {
        c = &s->cells[p->cell];
        if (c->cx == cx && c->cy == cy) {
            c->x[p->at] = x;
            c->y[p->at] = y;
            c->size[p->at] = size;
            return true;
        }
        stn_space_remove(s, slot);
    }
    index = find_cell(s, cx, cy);
    if (index == NOWHERE && (index = new_cell(s, cx, cy)) == NOWHERE)
        return false;
    c = &s->cells[index];
    if (c->n == c->cap && !grow_cell(c)) {
        if (c->n == 0) {
            leave(s, index);
            s->live--;
            s->spare[s->n_spare++] = index;
        }
        return false;
    }
    c->x[c->n] = x;
    c->y[c->n] = y;
    c->size[c->n] = size;
    c->slot[c->n] = slot;
    *p = (place){index, c->n++};
    return true;
}

static size_t query_cell(const cell *c, double x, double y, double r2, double lod, uint32_t *out, size_t cap,
                         size_t n)
{
    for (uint32_t i = 0; i < c->n; i++) {
        double dx = c->x[i] - x, dy = c->y[i] - y, d2 = dx * dx + dy * dy;
        /* Written so that NaN fails. */
        if (d2 <= r2 && c->size[i] >= lod * d2) {
            if (n < cap)
                out[n] = c->slot[i];
            n++;
        }
    }
    return n;
}

size_t stn_space_query(const stn_space *s, double x, double y, double radius, double lod, uint32_t *out,
                       size_t cap)
{
    int32_t x0, x1, y0, y1;
    double r2 = radius * radius;
    size_t n = 0;

    if (!isfinite(x) || !isfinite(y) || !(radius >= 0))
        return 0;
    x0 = cell_of(x - radius);
    x1 = cell_of(x + radius);
    y0 = cell_of(y - radius);
    y1 = cell_of(y + radius);
    if (((int64_t)x1 - x0 + 1) * ((int64_t)y1 - y0 + 1) > (int64_t)s->live) {
        /* A square of more cells than there are: looking at each of these is cheaper. */
        for (uint32_t i = 0; i < s->n_cells; i++) {
            const cell *c = &s->cells[i];
            if (c->n > 0 && c->cx >= x0 && c->cx <= x1 && c->cy >= y0 && c->cy <= y1)
                n = query_cell(c, x, y, r2, lod, out, cap, n);
        }
        return n;
    }
    for (int32_t cx = x0; cx <= x1; cx++)
        for (int32_t cy = y0; cy <= y1; cy++) {
            uint32_t index = find_cell(s, cx, cy);
            if (index != NOWHERE)
                n = query_cell(&s->cells[index], x, y, r2, lod, out, cap, n);
        }
    return n;
}
