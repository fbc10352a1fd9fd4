#include "mesher/blocks.h"

#include "mesher/kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CELLS (STN_BLOCK * STN_BLOCK)
#define BUCKETS 2048

/* What a block's content depends on besides its place. Sets with equal content share one. */
typedef struct field {
    uint32_t serial; /* 0 = free entry */
    int32_t hash;
    unsigned nvars;
    stn_tile_var *vars;
    unsigned blocks; /* that exist */
} field;

struct stn_block {
    uint32_t field;
    unsigned field_index;
    stn_coord at;
    unsigned nlayers;
    unsigned holds;
    struct stn_block *next; /* in its bucket */
    struct stn_block *newer, *older;
    /* Bit q: quarter q is made. Written under the lock after the data, read under it before. */
    uint8_t layers_made;
    uint8_t *weights_made; /* by layer */
    float *weight; /* nlayers x 625: the squared noise */
    uint8_t layer[CELLS];
};

struct stn_blocks {
    pthread_mutex_t lock;
    size_t max, held;
    struct stn_block *bucket[BUCKETS];
    struct stn_block *newest, *oldest;
    field *fields;
    unsigned nfields;
    uint32_t next_serial;
    stn_blocks_stats stats;
    const stn_kernels *kernels;
};

stn_blocks *stn_blocks_new(size_t max_blocks, const stn_kernels *kernels)
{
    stn_blocks *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    if (pthread_mutex_init(&c->lock, NULL)) {
        free(c);
        return NULL;
    }
    c->max = max_blocks;
    c->next_serial = 1;
    c->kernels = kernels ? kernels : stn_kernels_best();
    return c;
}

static size_t bucket_of(uint32_t serial, stn_coord at)
{
    uint64_t h = stn_coord_key(at) * UINT64_C(0x9E3779B97F4A7C15) + serial * UINT64_C(0xD1B54A32D192ED03);
    return (size_t)(h >> 32) % BUCKETS;
}

static void unlink_age(stn_blocks *c, struct stn_block *b)
{
    *(b->newer ? &b->newer->older : &c->newest) = b->older;
    *(b->older ? &b->older->newer : &c->oldest) = b->newer;
}

static void link_newest(stn_blocks *c, struct stn_block *b)
{
    b->newer = NULL;
    b->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = b;
    c->newest = b;
}

static void drop(stn_blocks *c, struct stn_block *b)
{
    struct stn_block **at = &c->bucket[bucket_of(b->field, b->at)];
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    unlink_age(c, b);
    field *f = &c->fields[b->field_index];
    if (--f->blocks == 0) {
        free(f->vars);
        *f = (field){0};
    }
    c->held--;
    c->stats.dropped++;
    free(b);
}

void stn_blocks_free(stn_blocks *c)
{
    if (!c)
        return;
    while (c->newest)
        drop(c, c->newest);
    pthread_mutex_destroy(&c->lock);
    free(c->fields);
    free(c);
}

void stn_blocks_read_stats(stn_blocks *c, stn_blocks_stats *out)
{
    pthread_mutex_lock(&c->lock);
    *out = c->stats;
    out->held = c->held;
    pthread_mutex_unlock(&c->lock);
}

static bool same_field(const field *f, const stn_tileset *set)
{
    if (!f->serial || f->hash != set->hash || f->nvars != set->def.nvars)
        return false;
    for (unsigned i = 0; i < f->nvars; i++) {
        const stn_tile_var *a = &f->vars[i], *b = &set->def.vars[i];
        /* Bits of the thresholds, so that a NaN equals itself; the material decides the plane. */
        if (a->material != b->material || memcmp(&a->lo, &b->lo, sizeof a->lo) ||
            memcmp(&a->hi, &b->hi, sizeof a->hi))
            return false;
    }
    return true;
}

/* Index of the set's field, made when `make`; -1 when absent or out of memory. Locked. */
static int field_of(stn_blocks *c, const stn_tileset *set, bool make)
{
    int gap = -1;

    for (unsigned i = 0; i < c->nfields; i++) {
        if (same_field(&c->fields[i], set))
            return (int)i;
        if (!c->fields[i].serial)
            gap = (int)i;
    }
    if (!make)
        return -1;
    if (gap < 0) {
        field *grown = realloc(c->fields, (c->nfields + 16) * sizeof *grown);
        if (!grown)
            return -1;
        memset(grown + c->nfields, 0, 16 * sizeof *grown);
        c->fields = grown;
        gap = (int)c->nfields;
        c->nfields += 16;
    }
    size_t bytes = set->def.nvars * sizeof *set->def.vars;
    stn_tile_var *vars = malloc(bytes ? bytes : 1);
    if (!vars)
        return -1;
    memcpy(vars, set->def.vars, bytes);
    c->fields[gap] = (field){
        .serial = c->next_serial++, .hash = set->hash, .nvars = (unsigned)set->def.nvars, .vars = vars};
    return gap;
}

static struct stn_block *find(stn_blocks *c, uint32_t serial, stn_coord at)
{
    struct stn_block *b = c->bucket[bucket_of(serial, at)];
    while (b && (b->field != serial || !stn_coord_eq(b->at, at)))
        b = b->next;
    return b;
}

static struct stn_block *make_block(stn_blocks *c, unsigned f, unsigned nlayers, stn_coord at)
{
    size_t bytes = sizeof(struct stn_block) + nlayers * (CELLS * sizeof(float) + 1);
    struct stn_block *b = calloc(1, bytes);
    if (!b)
        return NULL;
    b->field = c->fields[f].serial;
    b->field_index = f;
    b->at = at;
    b->nlayers = nlayers;
    b->weight = (float *)(b + 1);
    b->weights_made = (uint8_t *)(b->weight + nlayers * CELLS);
    struct stn_block **head = &c->bucket[bucket_of(b->field, at)];
    b->next = *head;
    *head = b;
    link_newest(c, b);
    c->fields[f].blocks++;
    c->held++;
    return b;
}

static void trim(stn_blocks *c)
{
    for (struct stn_block *b = c->oldest, *newer; b && c->held > c->max; b = newer) {
        newer = b->newer;
        if (!b->holds)
            drop(c, b);
    }
}

static stn_coord block_of(int64_t x, int64_t y)
{
    return (stn_coord){stn_fdiv((int32_t)x, STN_BLOCK), stn_fdiv((int32_t)y, STN_BLOCK)};
}

stn_status stn_blocks_hold(stn_blocks *c, const stn_tileset *set, stn_coord ul, int w, int h,
                           stn_block_view *view, stn_err *err)
{
    stn_coord last = block_of((int64_t)ul.x + w - 1, (int64_t)ul.y + h - 1);
    stn_status st = STN_OK;

    *view = (stn_block_view){.cache = c, .set = set, .first = block_of(ul.x, ul.y)};
    view->nx = last.x - view->first.x + 1;
    view->ny = last.y - view->first.y + 1;
    if (view->nx < 1 || view->ny < 1 || view->nx > 3 || view->ny > 3) {
        view->nx = view->ny = 0;
        return stn_fail(err, STN_BAD_DATA, "noise of %dx%d tiles at %d,%d: at most 3 x 3 blocks of %d", w, h,
                        ul.x, ul.y, STN_BLOCK);
    }
    pthread_mutex_lock(&c->lock);
    int f = field_of(c, set, true);
    for (int i = 0; f >= 0 && i < view->nx * view->ny; i++) {
        stn_coord at = {view->first.x + i % view->nx, view->first.y + i / view->nx};
        struct stn_block *b = find(c, c->fields[f].serial, at);
        if (!b)
            b = make_block(c, (unsigned)f, (unsigned)set->def.nvars + 1, at);
        if (!b)
            break;
        if (b != c->newest) {
            unlink_age(c, b);
            link_newest(c, b);
        }
        b->holds++;
        view->block[i] = b;
    }
    trim(c);
    pthread_mutex_unlock(&c->lock);
    if (!view->block[view->nx * view->ny - 1]) {
        stn_blocks_release(view);
        st = stn_fail(err, STN_NO_MEMORY, "noise blocks of %s", set->def.name);
    }
    return st;
}

void stn_blocks_release(stn_block_view *view)
{
    if (!view->cache)
        return;
    pthread_mutex_lock(&view->cache->lock);
    for (int i = 0; i < 9; i++)
        if (view->block[i])
            view->block[i]->holds--;
    pthread_mutex_unlock(&view->cache->lock);
    view->cache = NULL;
}

/* ---- making */

#define QUARTER                                                                                              \
    (STN_BLOCK_SPLIT * STN_BLOCK_SPLIT + 7) /* cells of the largest quarter, and a vector's overhang */

/* The last variant whose noise lies within its thresholds, by tile: all of a quarter at once, from the top
 * variant down, until every tile is decided. */
static void make_layers(const stn_kernels *k, const stn_tileset *set, int64_t wx, int64_t wy, int w, int h,
                        uint8_t *out)
{
    static const double cell[4] = {64, 32, 16, 8};
    double sum[QUARTER], add[QUARTER];
    uint8_t maybe[QUARTER];
    size_t n = (size_t)(w * h), open = n;

    memset(out, 0, n);
    for (size_t v = set->def.nvars; v-- > 0 && open;) {
        const stn_tile_var *var = &set->def.vars[v];
        /* What is still to come lies within -1..1 an octave, and rounding keeps order: once no open tile's
         * sum can reach the thresholds any more, the rest need not be known. */
        for (unsigned o = 0; o < 4; o++) {
            bool any = false;
            k->noise(&set->noise, cell[o], (double)wx, (double)wy, set->nz[v], (unsigned)w, (unsigned)h, add);
            k->octave(add, n, o == 0, 3 - o, var->lo, var->hi, sum, maybe);
            for (size_t i = 0; i < n; i++)
                any |= maybe[i] && !out[i];
            if (!any)
                break;
            for (size_t i = 0; o == 3 && i < n; i++)
                if (maybe[i] && !out[i]) {
                    out[i] = (uint8_t)(v + 1);
                    open--;
                }
        }
    }
}

/* The blur weight of a layer: the square of the noise as f32. It is never negative, so the cube that the
 * reference has for that case cannot come up. */
static void make_weights(const stn_kernels *k, const stn_tileset *set, unsigned layer, int64_t wx, int64_t wy,
                         int w, int h, float *out)
{
    double v[QUARTER];

    k->noise(&set->noise, 32, (double)wx, (double)wy, (double)(23 * (int64_t)layer), (unsigned)w, (unsigned)h,
             v);
    k->weights(v, (size_t)(w * h), out);
}

static void quarter_rect(unsigned q, int *x, int *y, int *w, int *h)
{
    *x = q & 1 ? STN_BLOCK_SPLIT : 0;
    *y = q & 2 ? STN_BLOCK_SPLIT : 0;
    *w = q & 1 ? STN_BLOCK - STN_BLOCK_SPLIT : STN_BLOCK_SPLIT;
    *h = q & 2 ? STN_BLOCK - STN_BLOCK_SPLIT : STN_BLOCK_SPLIT;
}

/* Which quarters of a block a rectangle in it touches. */
static uint8_t quarters_of(int x0, int y0, int x1, int y1)
{
    uint8_t q = 0;
    for (unsigned i = 0; i < 4; i++) {
        int x, y, w, h;
        quarter_rect(i, &x, &y, &w, &h);
        if (x0 < x + w && x1 >= x && y0 < y + h && y1 >= y)
            q |= (uint8_t)(1u << i);
    }
    return q;
}

/* Makes the missing quarters among `want`: of the tile layers when layer < 0, else of that layer's weights.
 */
static void need(stn_blocks *c, const stn_tileset *set, struct stn_block *b, uint8_t want, int layer)
{
    uint8_t *made = layer < 0 ? &b->layers_made : &b->weights_made[layer];
    float weights[QUARTER];
    uint8_t layers[QUARTER];

    pthread_mutex_lock(&c->lock);
    uint8_t missing = want & (uint8_t) ~*made;
    c->stats.hits += (unsigned)__builtin_popcount(want & *made);
    pthread_mutex_unlock(&c->lock);
    for (unsigned q = 0; q < 4; q++) {
        int x, y, w, h;
        if (!(missing & 1u << q))
            continue;
        quarter_rect(q, &x, &y, &w, &h);
        int64_t wx = (int64_t)b->at.x * STN_BLOCK + x, wy = (int64_t)b->at.y * STN_BLOCK + y;
        if (layer < 0)
            make_layers(c->kernels, set, wx, wy, w, h, layers);
        else
            make_weights(c->kernels, set, (unsigned)layer, wx, wy, w, h, weights);
        pthread_mutex_lock(&c->lock);
        /* Another thread may have been first; readers may be at its bytes by now, so they stay. */
        if (!(*made & 1u << q)) {
            for (int r = 0; r < h; r++)
                if (layer < 0)
                    memcpy(b->layer + x + (y + r) * STN_BLOCK, layers + r * w, (size_t)w);
                else
                    memcpy(b->weight + layer * CELLS + x + (y + r) * STN_BLOCK, weights + r * w,
                           (size_t)w * sizeof *weights);
            *made |= (uint8_t)(1u << q);
            c->stats.made++;
        }
        pthread_mutex_unlock(&c->lock);
    }
}

stn_status stn_blocks_make(stn_blocks *c, const stn_tileset *set, stn_coord block, stn_err *err)
{
    stn_block_view view;
    stn_coord ul = {block.x * STN_BLOCK, block.y * STN_BLOCK};
    stn_status st = stn_blocks_hold(c, set, ul, STN_BLOCK, STN_BLOCK, &view, err);

    if (st != STN_OK)
        return st;
    for (int layer = -1; layer <= (int)set->def.nvars; layer++)
        need(c, set, view.block[0], 15, layer);
    stn_blocks_release(&view);
    return STN_OK;
}

void stn_blocks_forget(stn_blocks *c, const stn_tileset *set, bool all, stn_coord block)
{
    pthread_mutex_lock(&c->lock);
    int f = field_of(c, set, false);
    uint32_t serial = f < 0 ? 0 : c->fields[f].serial;
    for (struct stn_block *b = c->newest, *older; b && serial; b = older) {
        older = b->older;
        if (b->field == serial && !b->holds && (all || stn_coord_eq(b->at, block)))
            drop(c, b);
    }
    pthread_mutex_unlock(&c->lock);
}

/* Calls for each block under the rectangle with the part of it inside the block. */
typedef struct overlap {
    struct stn_block *b;
    int bx, by; /* in the block */
    int ox, oy; /* in the rectangle */
    int w, h;
} overlap;

static bool overlap_of(const stn_block_view *v, int i, stn_coord ul, int w, int h, overlap *o)
{
    int64_t bx = ((int64_t)v->first.x + i % v->nx) * STN_BLOCK - ul.x;
    int64_t by = ((int64_t)v->first.y + i / v->nx) * STN_BLOCK - ul.y;
    int64_t x0 = bx < 0 ? 0 : bx, y0 = by < 0 ? 0 : by;
    int64_t x1 = bx + STN_BLOCK < w ? bx + STN_BLOCK : w, y1 = by + STN_BLOCK < h ? by + STN_BLOCK : h;

    if (x0 >= x1 || y0 >= y1)
        return false;
    *o = (overlap){v->block[i], (int)(x0 - bx), (int)(y0 - by), (int)x0,
                   (int)y0,     (int)(x1 - x0), (int)(y1 - y0)};
    return true;
}

void stn_blocks_layers(stn_block_view *v, stn_coord ul, int w, int h, uint8_t *out, size_t pitch)
{
    overlap o;
    for (int i = 0; i < v->nx * v->ny; i++) {
        if (!overlap_of(v, i, ul, w, h, &o))
            continue;
        need(v->cache, v->set, o.b, quarters_of(o.bx, o.by, o.bx + o.w - 1, o.by + o.h - 1), -1);
        for (int y = 0; y < o.h; y++)
            memcpy(out + o.ox + (size_t)(o.oy + y) * pitch, o.b->layer + o.bx + (o.by + y) * STN_BLOCK,
                   (size_t)o.w);
    }
}

void stn_blocks_weights(stn_block_view *v, unsigned layer, stn_coord ul, int w, int h, float *out,
                        size_t pitch)
{
    overlap o;
    for (int i = 0; i < v->nx * v->ny; i++) {
        if (!overlap_of(v, i, ul, w, h, &o))
            continue;
        need(v->cache, v->set, o.b, quarters_of(o.bx, o.by, o.bx + o.w - 1, o.by + o.h - 1), (int)layer);
        for (int y = 0; y < o.h; y++)
            memcpy(out + o.ox + (size_t)(o.oy + y) * pitch,
                   o.b->weight + layer * CELLS + o.bx + (o.by + y) * STN_BLOCK, (size_t)o.w * sizeof *out);
    }
}
