#include "renderer/scene/lightgrid.h"

#include "renderer/scene/project.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LISTS 32767
#define MAX_OFFSET 65534

/* A list is its parent and one more light: cells with the same contents share one. */
struct list {
    uint16_t parent, light, length;
    uint16_t last_child; /* the newest list that extends this one, 0 = none; others through `sibling` */
    uint16_t sibling;
    uint16_t offset;
    bool placed;
};

struct lightgrid_work {
    struct list lists[MAX_LISTS + 1];
    size_t list_count;
    uint16_t *cell_list; /* w*h*d */
    uint16_t global[64];
    size_t global_count;
};

stn_status stn_lightgrid_init(stn_lightgrid *g, int w, int h, int d, int limit, stn_err *err)
{
    size_t n;

    memset(g, 0, sizeof *g);
    if (w < 1 || h < 1 || d < 1 || w > 256 || h > 256 || d > 256 || limit < 1 || limit > 64)
        return stn_fail(err, STN_USAGE, "light grid of %dx%dx%d with %d lights a cell", w, h, d, limit);
    n = (size_t)w * (size_t)h * (size_t)d;
    g->w = w;
    g->h = h;
    g->d = d;
    g->limit = limit;
    g->cells = calloc(n, sizeof *g->cells);
    g->lists = malloc((MAX_OFFSET + 128) * sizeof *g->lists);
    g->work = calloc(1, sizeof *g->work);
    if (g->work)
        g->work->cell_list = calloc(n, sizeof *g->work->cell_list);
    if (!g->cells || !g->lists || !g->work || !g->work->cell_list) {
        stn_lightgrid_fini(g);
        return stn_fail(err, STN_NO_MEMORY, "light grid of %dx%dx%d", w, h, d);
    }
    return STN_OK;
}

void stn_lightgrid_fini(stn_lightgrid *g)
{
    if (g->work)
        free(g->work->cell_list);
    free(g->work);
    free(g->cells);
    free(g->lists);
    memset(g, 0, sizeof *g);
}

static bool box(stn_lightgrid *g, const stn_m4 *proj)
{
    stn_m4 inv;

    if (!stn_m4_invert(proj, &inv))
        return false;
    for (int i = 0; i < 8; i++) {
        static const float xs[4] = {-1, 1, 1, -1}, ys[4] = {-1, -1, 1, 1};
        stn_v4 p = stn_project_from_ndc(proj, (stn_v3){xs[i % 4], ys[i % 4], i < 4 ? -1.0f : 1.0f});
        stn_v3 q = {p.x, p.y, p.z};

        if (i == 0)
            g->min = g->max = q;
        g->min = (stn_v3){fminf(g->min.x, q.x), fminf(g->min.y, q.y), fminf(g->min.z, q.z)};
        g->max = (stn_v3){fmaxf(g->max.x, q.x), fmaxf(g->max.y, q.y), fmaxf(g->max.z, q.z)};
    }
    g->cell = (stn_v3){(g->max.x - g->min.x) / (float)g->w, (g->max.y - g->min.y) / (float)g->h,
                       (g->max.z - g->min.z) / (float)g->d};
    g->inv = (stn_v3){1.0f / g->cell.x, 1.0f / g->cell.y, 1.0f / g->cell.z};
    return stn_v3_finite(g->min) && stn_v3_finite(g->max);
}

static float root(float v)
{
    return (float)sqrt((double)v);
}

static float clamp(float v, float lo, float hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* Cells from `at - reach` to `at + reach` along one side. Not-a-number reaches give an empty range. */
static void range(float at, float reach, float min, float inv, int n, int *from, int *to)
{
    float lo = floorf((at - reach - min) * inv), hi = ceilf((at + reach - min) * inv);

    *from = *to = 0;
    if (!(lo == lo) || !(hi == hi))
        return;
    *from = lo < 0.0f ? 0 : lo > (float)n ? n : (int)lo;
    *to = hi < 0.0f ? 0 : hi > (float)n ? n : (int)hi;
}

typedef bool (*cell_fn)(stn_lightgrid *g, size_t cell, int arg);

/* Calls fn for every touched cell until it says no. */
static bool touched(stn_lightgrid *g, const stn_lit *l, float r, cell_fn fn, int arg)
{
    int z0, z1;

    range(l->pos.z, r, g->min.z, g->inv.z, g->d, &z0, &z1);
    for (int z = z0; z < z1; z++) {
        float lo = (float)z * g->cell.z + g->min.z, dz = l->pos.z - clamp(l->pos.z, lo, lo + g->cell.z);
        float ey = root(r * r - dz * dz);
        int y0, y1;

        range(l->pos.y, ey, g->min.y, g->inv.y, g->h, &y0, &y1);
        for (int y = y0; y < y1; y++) {
            float ly = (float)y * g->cell.y + g->min.y, dy = l->pos.y - clamp(l->pos.y, ly, ly + g->cell.y);
            float ex = root(r * r - dy * dy - dz * dz);
            int x0, x1;

            range(l->pos.x, ex, g->min.x, g->inv.x, g->w, &x0, &x1);
            for (int x = x0; x < x1; x++)
                if (!fn(g, (size_t)x + (size_t)y * (size_t)g->w + (size_t)z * (size_t)g->w * (size_t)g->h,
                        arg))
                    return false;
        }
    }
    return true;
}

static bool has_room(stn_lightgrid *g, size_t cell, int limit)
{
    return g->work->lists[g->work->cell_list[cell]].length < limit;
}

/* The list that is `parent` and light i; made when it is not there. 0: no room. */
static uint16_t extended(struct lightgrid_work *w, uint16_t parent, uint16_t i)
{
    struct list *l;

    for (uint16_t k = w->lists[parent].last_child; k; k = w->lists[k].sibling)
        if (w->lists[k].light == i)
            return k;
    if (w->list_count > MAX_LISTS)
        return 0;
    l = &w->lists[w->list_count];
    *l = (struct list){.parent = parent,
                       .light = i,
                       .length = (uint16_t)(w->lists[parent].length + 1),
                       .sibling = w->lists[parent].last_child};
    w->lists[parent].last_child = (uint16_t)w->list_count;
    return (uint16_t)w->list_count++;
}

static bool append(stn_lightgrid *g, size_t cell, int light)
{
    uint16_t k = extended(g->work, g->work->cell_list[cell], (uint16_t)light);

    if (!k)
        return false;
    g->work->cell_list[cell] = k;
    return true;
}

static float closest(const stn_lightgrid *g, stn_v4 p)
{
    stn_v3 d = {p.x - clamp(p.x, g->min.x, g->max.x), p.y - clamp(p.y, g->min.y, g->max.y),
                p.z - clamp(p.z, g->min.z, g->max.z)};

    return stn_v3_abs(d);
}

static void add_point(stn_lightgrid *g, const stn_lit *l, int index, int *longest)
{
    struct lightgrid_work *w = g->work;
    float q = 1.0f / l->aq;
    float r = -((l->al * q) * 0.5f) + root(((q / l->at) - (l->ac * q)) + (l->al * l->al * q * q * 0.25f));
    int room = g->limit - (int)w->global_count;

    if (!(r == r) || closest(g, l->pos) > r)
        return;
    if (!touched(g, l, r, has_room, room)) {
        g->dropped++;
        return;
    }
    touched(g, l, r, append, index);
    for (size_t i = 0; i < w->list_count; i++)
        if (w->lists[i].light == (uint16_t)index && (int)w->lists[i].length > *longest && i > 0)
            *longest = w->lists[i].length;
}

static void flatten(stn_lightgrid *g)
{
    struct lightgrid_work *w = g->work;
    size_t n = (size_t)g->w * (size_t)g->h * (size_t)g->d, at = 0;

    for (size_t i = 0; i < n; i++) {
        struct list *l = &w->lists[w->cell_list[i]];

        if (!l->placed) {
            size_t len = w->global_count + l->length + 1;
            uint16_t k = w->cell_list[i];

            if (at > MAX_OFFSET || at + len > MAX_OFFSET + 128) {
                g->cells[i] = g->cells[0]; /* no room: what the first cell has is better than nothing */
                g->dropped++;
                continue;
            }
            l->placed = true;
            l->offset = (uint16_t)at;
            memcpy(g->lists + at, w->global, w->global_count * sizeof *w->global);
            for (size_t m = l->length; m-- > 0; k = w->lists[k].parent)
                g->lists[at + w->global_count + m] = w->lists[k].light;
            at += len;
            g->lists[at - 1] = STN_LIGHTGRID_END;
        }
        g->cells[i] = l->offset;
    }
    g->list_count = at;
}

stn_status stn_lightgrid_compile(stn_lightgrid *g, const stn_m4 *proj, const stn_lit *lights, size_t count,
                                 stn_err *err)
{
    struct lightgrid_work *w = g->work;
    int longest = 0;

    if (!box(g, proj))
        return stn_fail(err, STN_BAD_DATA, "the camera's projection has no inverse");
    memset(w->cell_list, 0, (size_t)g->w * (size_t)g->h * (size_t)g->d * sizeof *w->cell_list);
    w->lists[0] = (struct list){0};
    w->list_count = 1;
    w->global_count = 0;
    g->dropped = 0;
    for (size_t i = 0; i < count && i <= 65534; i++) {
        if (lights[i].pos.w != 0.0f)
            add_point(g, &lights[i], (int)i, &longest);
        else if ((int)w->global_count + longest >= g->limit)
            g->dropped++;
        else
            w->global[w->global_count++] = (uint16_t)i;
    }
    flatten(g);
    return STN_OK;
}
