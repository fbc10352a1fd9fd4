#include "renderer/build/sheets.h"

#include "base/log.h"
#include "base/table.h"
#include "map/product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(STN_SHEETS_MASK_BYTES * 8 == STN_GRID_CELLS, "a bit for each tile of a grid");

typedef struct sheet_grid {
    const uint8_t *heights;
    struct marks {
        char *name;
        const uint8_t *bits;
    } * marks; /* by name */
    size_t count;
} sheet_grid;

typedef struct sheet_cut {
    int32_t x, y;
    uint64_t product;
    stn_product shape; /* of a cut with shaped tiles, its bytes gone; else zeroed */
    bool due, shown;
} sheet_cut;

/* One overlay of the cut that is being made. */
typedef struct sheet {
    const struct marks *marks;
    stn_sheet_look look;
} sheet;

struct stn_sheets {
    stn_sheets_ops ops;
    uint64_t frame;
    stn_table *grids, *cuts;
    size_t due;
    uint64_t left_out;
    stn_log_once once;
    /* Kept between cuts. */
    stn_buf vertices, indices;
    stn_vec3 *pos, *nrm;
    uint16_t *number;
    uint32_t cap; /* surface vertices that the three have room for */
    sheet *sheets; /* STN_SHEETS_MASKS */
};

static uint64_t key_of(int32_t x, int32_t y)
{
    return stn_coord_key((stn_coord){x, y});
}

stn_sheets *stn_sheets_new(const stn_sheets_ops *ops)
{
    stn_sheets *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->ops = *ops;
    s->grids = stn_table_new();
    s->cuts = stn_table_new();
    s->sheets = calloc(STN_SHEETS_MASKS, sizeof *s->sheets);
    if (!s->grids || !s->cuts || !s->sheets) {
        stn_sheets_free(s);
        return NULL;
    }
    return s;
}

static void free_grid(sheet_grid *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->count; i++)
        free(g->marks[i].name);
    free(g->marks);
    free(g);
}

static void free_cut(sheet_cut *c)
{
    if (c)
        stn_product_close(&c->shape);
    free(c);
}

void stn_sheets_frame(stn_sheets *s, uint64_t frame)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    while (stn_table_next(s->grids, &it, &key, &v))
        free_grid(v);
    it = 0;
    while (stn_table_next(s->cuts, &it, &key, &v))
        free_cut(v);
    stn_table_clear(s->grids);
    stn_table_clear(s->cuts);
    s->due = 0;
    s->frame = frame;
}

void stn_sheets_free(stn_sheets *s)
{
    if (!s)
        return;
    if (s->grids && s->cuts)
        stn_sheets_frame(s, 0);
    stn_table_free(s->grids);
    stn_table_free(s->cuts);
    stn_buf_fini(&s->vertices);
    stn_buf_fini(&s->indices);
    free(s->pos);
    free(s->nrm);
    free(s->number);
    free(s->sheets);
    free(s);
}

static void set_due(stn_sheets *s, sheet_cut *c, bool due)
{
    s->due += (size_t)due - (size_t)c->due;
    c->due = due;
}

/* The cuts of a grid and those beside it, whose outlines and heights reach into it. */
static void around_due(stn_sheets *s, int32_t gx, int32_t gy)
{
    for (int dy = -1; dy <= STN_GRID_CUTS; dy++)
        for (int dx = -1; dx <= STN_GRID_CUTS; dx++) {
            sheet_cut *c = stn_table_get(s->cuts, key_of(stn_wrap_add(stn_wrap_mul(gx, STN_GRID_CUTS), dx),
                                                         stn_wrap_add(stn_wrap_mul(gy, STN_GRID_CUTS), dy)));

            if (c)
                set_due(s, c, true);
        }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct marks *)a)->name, ((const struct marks *)b)->name);
}

static sheet_grid *grid_new(const uint8_t *heights, const stn_sheet_mask *masks, size_t count)
{
    sheet_grid *g = calloc(1, sizeof *g);

    count = count < STN_SHEETS_MASKS ? count : STN_SHEETS_MASKS;
    if (!g)
        return NULL;
    g->heights = heights;
    g->marks = calloc(count + 1, sizeof *g->marks);
    for (size_t i = 0; g->marks && i < count; i++) {
        g->marks[i] = (struct marks){strdup(masks[i].name), masks[i].bits};
        if (!g->marks[i].name)
            break;
        g->count++;
    }
    if (!g->marks || g->count < count) {
        free_grid(g);
        return NULL;
    }
    qsort(g->marks, g->count, sizeof *g->marks, by_name);
    return g;
}

static bool same_marks(const sheet_grid *a, const sheet_grid *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->marks[i].name, b->marks[i].name) != 0 ||
            memcmp(a->marks[i].bits, b->marks[i].bits, STN_SHEETS_MASK_BYTES) != 0)
            return false;
    return true;
}

bool stn_sheets_grid(stn_sheets *s, int32_t gx, int32_t gy, const uint8_t *heights,
                     const stn_sheet_mask *masks, size_t count)
{
    sheet_grid *old = stn_table_get(s->grids, key_of(gx, gy)), *g = grid_new(heights, masks, count);
    bool same = old && g && same_marks(old, g);

    if (!g || !stn_table_put(s->grids, key_of(gx, gy), g, NULL)) {
        free_grid(g);
        stn_sheets_grid_drop(s, gx, gy);
        return false;
    }
    free_grid(old);
    /* When only heights changed, other ground comes, and the sheets with it: not before, or they would part.
     */
    if (!same)
        around_due(s, gx, gy);
    return true;
}

void stn_sheets_grid_drop(stn_sheets *s, int32_t gx, int32_t gy)
{
    free_grid(stn_table_remove(s->grids, key_of(gx, gy)));
}

stn_status stn_sheets_cut(stn_sheets *s, int32_t x, int32_t y, uint64_t product, const void *data, size_t len,
                          stn_err *err)
{
    sheet_cut *c = stn_table_get(s->cuts, key_of(x, y));
    stn_product p = {0};
    stn_status st = stn_product_open(data, len, &p, err);

    if (st != STN_OK) {
        stn_sheets_cut_drop(s, x, y);
        return st;
    }
    if (!c) {
        c = calloc(1, sizeof *c);
        if (!c || !stn_table_put(s->cuts, key_of(x, y), c, NULL)) {
            free(c);
            stn_product_close(&p);
            return stn_fail(err, STN_NO_MEMORY, "sheets of a cut");
        }
        c->x = x;
        c->y = y;
    }
    stn_product_close(&c->shape);
    memset(&c->shape, 0, sizeof c->shape);
    if (p.parts)
        c->shape = p; /* its shapes are decoded: the bytes are not looked at again */
    else
        stn_product_close(&p);
    c->product = product;
    set_due(s, c, true);
    return STN_OK;
}

void stn_sheets_cut_drop(stn_sheets *s, int32_t x, int32_t y)
{
    sheet_cut *c = stn_table_remove(s->cuts, key_of(x, y));

    if (c)
        set_due(s, c, false);
    free_cut(c);
}

/* The grid that a tile of the world lies in; NULL: not here. *cell: where in it. */
static const sheet_grid *grid_at(const stn_sheets *s, int64_t tx, int64_t ty, size_t *cell)
{
    stn_coord tc = {(int32_t)tx, (int32_t)ty}, gc = stn_grid_of_tile(tc), in = stn_tile_in_grid(tc);

    *cell = (size_t)(in.x + STN_GRID_TILES * in.y);
    if (tx < INT32_MIN || tx > INT32_MAX || ty < INT32_MIN || ty > INT32_MAX)
        return NULL; /* the edge of the world */
    return stn_table_get(s->grids, key_of(gc.x, gc.y));
}

static bool bit(const uint8_t *bits, size_t cell)
{
    return bits[cell / 8] >> (cell % 8) & 1;
}

static bool marked(const sheet_grid *g, const char *name, size_t cell)
{
    struct marks want = {(char *)(uintptr_t)name, NULL};
    const struct marks *m = bsearch(&want, g->marks, g->count, sizeof *g->marks, by_name);

    return m && bit(m->bits, cell);
}

/* Tile of a cut, 0..24 both ways, in its grid. */
static size_t own_cell(const sheet_cut *c, int x, int y)
{
    stn_coord in = stn_cut_in_grid((stn_coord){c->x, c->y});

    return (size_t)(in.x * STN_CUT_TILES + x + STN_GRID_TILES * (in.y * STN_CUT_TILES + y));
}

static bool touches(const sheet_cut *c, const struct marks *m)
{
    for (int y = 0; y < STN_CUT_TILES; y++)
        for (int x = 0; x < STN_CUT_TILES; x++)
            if (bit(m->bits, own_cell(c, x, y)))
                return true;
    return false;
}

/* The overlays that mark tiles of the cut, by name. False: one is on its way. */
static bool overlays_of(stn_sheets *s, const sheet_cut *c, const sheet_grid *g, size_t *count)
{
    sheet *out = s->sheets;

    *count = 0;
    for (size_t i = 0; i < g->count; i++) {
        stn_err err = {0};
        stn_sprite_fault f;

        if (!touches(c, &g->marks[i]))
            continue;
        f = s->ops.look(s->ops.ctx, g->marks[i].name, &out[*count].look, &err);
        if (f == STN_SPRITE_LOADING)
            return false;
        if (f == STN_SPRITE_OK) {
            out[(*count)++].marks = &g->marks[i];
            continue;
        }
        s->left_out++;
        if (stn_log_due(&s->once))
            stn_log_warn("overlay %s is left out: %s", g->marks[i].name, err.text);
    }
    return true;
}

/* The ground as far as the sheet needs it. False: a grid is not here. */
static bool heights_of(const stn_sheets *s, const sheet_cut *c, float z[STN_GROUND_VERTICES])
{
    for (int y = -1; y <= STN_CUT_TILES + 1; y++)
        for (int x = -1; x <= STN_CUT_TILES + 1; x++) {
            size_t cell;
            const sheet_grid *g =
                grid_at(s, (int64_t)c->x * STN_CUT_TILES + x, (int64_t)c->y * STN_CUT_TILES + y, &cell);
            float h;

            if (!g)
                return false;
            memcpy(&h, g->heights + cell * sizeof h, sizeof h);
            z[stn_ground_vertex(x, y)] = isfinite(h) ? h : 0.0f;
        }
    return true;
}

/* The tiles that are marked, and those beside the cut: of their own grids. */
static void mask_of(const stn_sheets *s, const sheet_cut *c, const struct marks *m,
                    uint8_t mask[STN_GROUND_SPLITS * STN_GROUND_SPLITS])
{
    for (int y = -1; y <= STN_CUT_TILES; y++)
        for (int x = -1; x <= STN_CUT_TILES; x++) {
            const sheet_grid *g;
            size_t cell;

            if (x >= 0 && x < STN_CUT_TILES && y >= 0 && y < STN_CUT_TILES) {
                mask[stn_ring_tile(x, y)] = bit(m->bits, own_cell(c, x, y));
                continue;
            }
            g = grid_at(s, (int64_t)c->x * STN_CUT_TILES + x, (int64_t)c->y * STN_CUT_TILES + y, &cell);
            mask[stn_ring_tile(x, y)] = g && marked(g, m->name, cell);
        }
}

static bool make_room(stn_sheets *s, uint32_t nv)
{
    void *pos, *nrm, *number;

    if (nv <= s->cap)
        return true;
    pos = realloc(s->pos, nv * sizeof *s->pos);
    if (pos)
        s->pos = pos;
    nrm = realloc(s->nrm, nv * sizeof *s->nrm);
    if (nrm)
        s->nrm = nrm;
    number = realloc(s->number, nv * sizeof *s->number);
    if (number)
        s->number = number;
    if (!pos || !nrm || !number)
        return false;
    s->cap = nv;
    return true;
}

/* The surface that the sheets are laid over. */
static bool surface(stn_sheets *s, const sheet_cut *c, const float *z, uint8_t *split, stn_laid *out)
{
    const stn_product *p = &c->shape;
    uint32_t nv = STN_GROUND_VERTICES + p->nextra;

    if (!make_room(s, nv))
        return false;
    memset(s->nrm, 0, STN_GROUND_VERTICES * sizeof *s->nrm);
    stn_ground_positions(z, s->pos);
    stn_ground_splits(z, split);
    stn_ground_normals(z, split, s->nrm);
    if (p->parts) {
        for (int y = 0; y < STN_CUT_VERTICES; y++)
            memcpy(s->nrm + stn_ground_vertex(0, y), p->corner_nrm + (size_t)y * STN_CUT_VERTICES,
                   STN_CUT_VERTICES * sizeof *s->nrm);
        if (p->nextra) {
            memcpy(s->pos + STN_GROUND_VERTICES, p->extra_pos, p->nextra * sizeof *s->pos);
            memcpy(s->nrm + STN_GROUND_VERTICES, p->extra_nrm, p->nextra * sizeof *s->nrm);
        }
    }
    *out = (stn_laid){.pos = s->pos, .nrm = s->nrm, .nv = nv, .split = split, .parts = p->parts};
    return true;
}

static void add_part(stn_job_cut *cut, const stn_matstate *m, const stn_sheet_look *look, bool lines,
                     size_t from, size_t to)
{
    static const stn_mesh_attr attrs[] = {
        {.slot = STN_VTX_POS, .comps = 2, .type = STN_VTX_F32, .offset = 0},
        {.slot = STN_VTX_Z, .comps = 1, .type = STN_VTX_F32, .offset = 8},
        {.slot = STN_VTX_NRM, .comps = 3, .type = STN_VTX_S8, .normalized = true, .offset = 12}};
    stn_cut_part *p;

    if (from == to)
        return;
    p = &cut->parts[cut->part_count++];
    *p = (stn_cut_part){.material = *m, .on_demand = !look->always};
    memcpy(p->mesh.attrs, attrs, sizeof attrs);
    p->mesh.attr_count = sizeof attrs / sizeof attrs[0];
    p->mesh.stride = 16;
    p->mesh.lines = lines;
    p->mesh.first_index = (uint32_t)(from / 2);
    p->mesh.index_count = (uint32_t)((to - from) / 2);
    /* The ground's own arithmetic, over its own vertices: then both have the same depth to the bit. */
    p->material.features |= STN_MAT_TERRAIN;
    p->material.features &= ~(uint32_t)(STN_MAT_GRID | STN_MAT_VCOL | STN_MAT_CLIP);
    p->material.no_depth_write = true;
    p->material.order = STN_ORDER_OVERLAY;
    p->material.suborder = cut->part_count;
}

/* Sheets and outlines of a cut, appended to the buffers and to the job's parts. */
static stn_status drape(stn_sheets *s, const sheet_cut *c, const stn_laid *laid, size_t count,
                        stn_job_cut *cut, stn_err *err)
{
    stn_status st = stn_sheet_vertices(laid, &s->vertices, s->number, err);

    for (size_t i = 0; st == STN_OK && i < count; i++) {
        const stn_sheet_look *look = &s->sheets[i].look;
        uint8_t mask[STN_GROUND_SPLITS * STN_GROUND_SPLITS];
        size_t from = s->indices.len, middle;

        mask_of(s, c, s->sheets[i].marks, mask);
        stn_sheet_fill(laid, s->number, mask, &s->indices);
        middle = s->indices.len;
        if (look->has_line)
            stn_sheet_outline(laid, s->number, mask, &s->indices);
        if (s->indices.failed)
            return stn_fail(err, STN_NO_MEMORY, "an overlay sheet");
        add_part(cut, &look->fill, look, false, from, middle);
        add_part(cut, &look->line, look, true, middle, s->indices.len);
    }
    return st;
}

static stn_status fill_job(stn_sheets *s, const sheet_cut *c, const float *z, size_t count, stn_job *job,
                           stn_err *err)
{
    uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS];
    stn_job_cut *cut = &job->u.cut;
    stn_laid laid;
    void *vertices, *indices;
    stn_status st;

    stn_buf_clear(&s->vertices);
    stn_buf_clear(&s->indices);
    cut->parts = stn_job_memory(job, count * 2 * sizeof *cut->parts);
    if (!cut->parts || !surface(s, c, z, split, &laid))
        return stn_fail(err, STN_NO_MEMORY, "an overlay sheet");
    st = drape(s, c, &laid, count, cut, err);
    if (st != STN_OK)
        return st;
    vertices = stn_job_memory(job, s->vertices.len);
    indices = stn_job_memory(job, s->indices.len);
    if (!vertices || !indices)
        return stn_fail(err, STN_NO_MEMORY, "an overlay sheet");
    cut->vertices = memcpy(vertices, s->vertices.data, s->vertices.len);
    cut->indices = memcpy(indices, s->indices.data, s->indices.len);
    cut->vertex_bytes = s->vertices.len;
    cut->index_bytes = s->indices.len;
    job->bytes = cut->vertex_bytes + cut->index_bytes;
    return STN_OK;
}

/* False: the queue is full, or there is no memory now. */
static bool make(stn_sheets *s, sheet_cut *c)
{
    float z[STN_GROUND_VERTICES];
    size_t count = 0, cell;
    const sheet_grid *g = grid_at(s, (int64_t)c->x * STN_CUT_TILES, (int64_t)c->y * STN_CUT_TILES, &cell);
    stn_job *job;
    stn_err err = {0};
    bool shows;

    if (g && !overlays_of(s, c, g, &count))
        return true; /* stays due until its resources are here */
    if ((count == 0 && !c->shown) || (count > 0 && !heights_of(s, c, z))) {
        set_due(s, c, false); /* nothing to do; or a grid that comes makes it due again */
        return true;
    }
    job = stn_job_new(STN_JOB_SHEETS, s->frame);
    if (!job)
        return false;
    if (count > 0 && fill_job(s, c, z, count, job, &err) != STN_OK) {
        if (stn_log_due(&s->once))
            stn_log_warn("overlays of cut %d,%d are left out: %s", c->x, c->y, err.text);
        s->left_out += count;
        job->u.cut.part_count = 0;
    }
    job->u.cut.x = c->x;
    job->u.cut.y = c->y;
    job->u.cut.product = c->product;
    shows = job->u.cut.part_count > 0;
    if (!s->ops.give(s->ops.ctx, job)) {
        stn_job_free(job);
        return false;
    }
    c->shown = shows;
    set_due(s, c, false);
    return true;
}

void stn_sheets_tick(stn_sheets *s)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    while (s->due > 0 && stn_table_next(s->cuts, &it, &key, &v))
        if (((sheet_cut *)v)->due && !make(s, v))
            return;
}

void stn_sheets_counts(const stn_sheets *s, size_t *due, uint64_t *left_out)
{
    *due = s->due;
    *left_out = s->left_out;
}
