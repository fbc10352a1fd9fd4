/* Parts of a broken tile: ground pieces, walls between two columns, and how they are joined. f32 throughout;
 * each cast decides bits. Source: docs/spec/terrain-extras.md 4.3, 4.4, 4.6. */
#include "mesher/ridge_internal.h"

#include <string.h>

static stn_status no_room(stn_build *b)
{
    return stn_fail(b->err, STN_NO_MEMORY, "the job needs more memory than one build may take");
}

/* ---- parts */

static float clip01(float v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static void place_in_tile(const stn_build *b, const stn_part *p)
{
    float px = (float)(11 * p->x), py = (float)(-11 * p->y); /* no -0 from row 0 */

    for (unsigned i = 0; i < p->nv; i++) {
        stn_vec3 at = b->pos[p->v[i]];
        ((float *)(uintptr_t)p->tx)[i] = clip01((at.x - px) / 11.0f);
        ((float *)(uintptr_t)p->ty)[i] = clip01((-(at.y - py)) / 11.0f);
    }
}

static stn_status add_faces(stn_build *b, const stn_part *p)
{
    for (unsigned i = 0; i + 2 < p->nf; i += 3) {
        stn_status st = stn_build_face(b, p->v[p->f[i]], p->v[p->f[i + 1]], p->v[p->f[i + 2]]);
        if (st != STN_OK)
            return st;
    }
    return STN_OK;
}

stn_status stn_ridge_ground(shaping *s, const uint32_t *gv, unsigned n, const uint16_t *f, unsigned nf,
                            stn_part **out)
{
    stn_part *p = stn_build_new_part(s->b, s->x, s->y, n, nf);
    if (!p)
        return no_room(s->b);
    memcpy((uint32_t *)(uintptr_t)p->v, gv, n * sizeof *gv);
    memcpy((uint16_t *)(uintptr_t)p->f, f, nf * sizeof *f);
    place_in_tile(s->b, p);
    *out = p;
    return add_faces(s->b, p);
}

strip stn_ridge_strip(const column *c)
{
    return (strip){c->v, c->n};
}

static stn_status one_row(stn_build *b, uint16_t from, uint16_t to, uint32_t *count,
                          const uint16_t *const **rows, const uint32_t **row_n)
{
    uint16_t *row = stn_arena_array(b->arena, 2, sizeof *row);
    const uint16_t **list = stn_arena_array(b->arena, 1, sizeof *list);
    uint32_t *n = stn_arena_array(b->arena, 1, sizeof *n);

    if (!row || !list || !n)
        return no_room(b);
    row[0] = from;
    row[1] = to;
    list[0] = row;
    n[0] = 2;
    *rows = list;
    *row_n = n;
    *count = 1;
    return STN_OK;
}

/* Triangles between two columns, always one step up on the side that lags behind. False when it runs past an
 * end. */
static bool zip(uint32_t n, uint32_t m, uint16_t *f, unsigned nf)
{
    float step_l = 1.0f / (float)n, step_r = 1.0f / (float)m, e = step_l, g = step_r;
    uint32_t a = 0, c = 0;
    unsigned at = 0;

    while (a < n - 1 || c < m - 1) {
        if (at + 3 > nf)
            return false;
        f[at] = (uint16_t)a;
        f[at + 1] = (uint16_t)(n + c);
        if (e < g) {
            f[at + 2] = (uint16_t)++a;
            e = e + step_l;
        } else {
            f[at + 2] = (uint16_t)(n + ++c);
            g = g + step_r;
        }
        at += 3;
    }
    return true;
}

stn_status stn_ridge_wall_make(shaping *s, strip l, strip r, bool rows, stn_ridge_wall **out)
{
    stn_build *b = s->b;
    uint32_t n = l.n, m = r.n, nv = n + m;
    unsigned nf = 3 * (nv - 2);
    stn_ridge_wall *w = stn_arena_zalloc(b->arena, 1, sizeof *w);
    stn_status st;

    *out = NULL;
    if (n == 0 || m == 0) {
        s->failed = true;
        return STN_OK;
    }
    if (nf > 65535)
        return stn_fail(b->err, STN_TOO_BIG, "too many vertices in a cliff of tile %d,%d", s->x, s->y);
    if (!w || !(w->part = stn_build_new_part(b, s->x, s->y, nv, nf)) ||
        !(w->rx = stn_arena_array(b->arena, nv, sizeof *w->rx)) ||
        !(w->ry = stn_arena_array(b->arena, nv, sizeof *w->ry)) ||
        !(w->column = stn_arena_array(b->arena, nv, sizeof *w->column)) ||
        !(w->height = stn_arena_array(b->arena, 2, sizeof *w->height)))
        return no_room(b);
    uint32_t *v = (uint32_t *)(uintptr_t)w->part->v;
    memcpy(v, l.v, n * sizeof *v);
    memcpy(v + n, r.v, m * sizeof *v);
    w->ncolumns = 2;
    w->height[0] = b->pos[l.v[n - 1]].z - b->pos[l.v[0]].z;
    w->height[1] = b->pos[r.v[m - 1]].z - b->pos[r.v[0]].z;
    for (uint32_t i = 0; i < nv; i++) {
        uint32_t side = i >= n;
        float h = w->height[side], first = b->pos[side ? r.v[0] : l.v[0]].z;
        w->rx[i] = (float)side;
        w->ry[i] = h == 0 ? 0 : (b->pos[v[i]].z - first) / h;
        w->column[i] = side;
    }
    place_in_tile(b, w->part);
    if (!zip(n, m, (uint16_t *)(uintptr_t)w->part->f, nf)) {
        s->failed = true;
        return STN_OK;
    }
    if (rows && ((st = one_row(b, 0, (uint16_t)n, &w->nlower, &w->lower, &w->lower_n)) != STN_OK ||
                 (st = one_row(b, (uint16_t)(n - 1), (uint16_t)(n + m - 1), &w->nupper, &w->upper,
                               &w->upper_n)) != STN_OK))
        return st;
    *out = w;
    return add_faces(b, w->part);
}

/* ---- joining */

/* Per piece and vertex: its place in the joined part. Vertices met in an earlier piece are reused. */
static stn_status join_parts(stn_build *b, stn_part *const *parts, unsigned n, stn_part **out,
                             uint16_t **maps)
{
    unsigned nv = 0, nf = 0, used = 0, at = 0;

    for (unsigned i = 0; i < n; i++) {
        nv += parts[i]->nv;
        nf += parts[i]->nf;
    }
    uint32_t *v = stn_arena_array(b->arena, nv, sizeof *v);
    if (!v)
        return no_room(b);
    for (unsigned i = 0; i < n; i++) {
        unsigned before = used;
        if (!(maps[i] = stn_arena_array(b->arena, parts[i]->nv, sizeof *maps[i])))
            return no_room(b);
        for (unsigned k = 0; k < parts[i]->nv; k++) {
            unsigned found = 0;
            while (found < before && v[found] != parts[i]->v[k])
                found++;
            if (found == before) {
                found = used;
                v[used++] = parts[i]->v[k];
            }
            maps[i][k] = (uint16_t)found;
        }
    }
    stn_part *p = stn_build_new_part(b, parts[0]->x, parts[0]->y, used, nf);
    if (!p)
        return no_room(b);
    memcpy((uint32_t *)(uintptr_t)p->v, v, used * sizeof *v);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < parts[i]->nv; k++) {
            ((float *)(uintptr_t)p->tx)[maps[i][k]] = parts[i]->tx[k];
            ((float *)(uintptr_t)p->ty)[maps[i][k]] = parts[i]->ty[k];
        }
        for (unsigned k = 0; k < parts[i]->nf; k++)
            ((uint16_t *)(uintptr_t)p->f)[at++] = maps[i][parts[i]->f[k]];
    }
    *out = p;
    return STN_OK;
}

static stn_status join_rows(stn_build *b, stn_ridge_wall *const *walls, unsigned n, uint16_t *const *maps,
                            bool upper, stn_ridge_wall *to)
{
    uint32_t count = 0, at = 0;

    for (unsigned i = 0; i < n; i++)
        count += upper ? walls[i]->nupper : walls[i]->nlower;
    const uint16_t **rows = stn_arena_array(b->arena, count ? count : 1, sizeof *rows);
    uint32_t *row_n = stn_arena_array(b->arena, count ? count : 1, sizeof *row_n);
    if (!rows || !row_n)
        return no_room(b);
    for (unsigned i = 0; i < n; i++) {
        uint32_t own = upper ? walls[i]->nupper : walls[i]->nlower;
        for (uint32_t k = 0; k < own; k++, at++) {
            const uint16_t *from = upper ? walls[i]->upper[k] : walls[i]->lower[k];
            row_n[at] = upper ? walls[i]->upper_n[k] : walls[i]->lower_n[k];
            uint16_t *row = stn_arena_array(b->arena, row_n[at], sizeof *row);
            if (!row)
                return no_room(b);
            for (uint32_t j = 0; j < row_n[at]; j++)
                row[j] = maps[i][from[j]];
            rows[at] = row;
        }
    }
    if (upper) {
        to->upper = rows;
        to->upper_n = row_n;
        to->nupper = count;
    } else {
        to->lower = rows;
        to->lower_n = row_n;
        to->nlower = count;
    }
    return STN_OK;
}

stn_status stn_ridge_join_walls(stn_build *b, stn_ridge_wall *const *walls, unsigned n, stn_ridge_wall **out)
{
    stn_part *parts[MAX_PIECES];
    uint16_t *maps[MAX_PIECES];
    stn_ridge_wall *w;
    stn_status st;

    if (n == 1) {
        *out = walls[0];
        return STN_OK;
    }
    if (!(w = stn_arena_zalloc(b->arena, 1, sizeof *w)))
        return no_room(b);
    for (unsigned i = 0; i < n; i++)
        parts[i] = walls[i]->part;
    if ((st = join_parts(b, parts, n, &w->part, maps)) != STN_OK)
        return st;
    unsigned nv = w->part->nv;
    if (!(w->rx = stn_arena_array(b->arena, nv, sizeof *w->rx)) ||
        !(w->ry = stn_arena_array(b->arena, nv, sizeof *w->ry)) ||
        !(w->column = stn_arena_array(b->arena, nv, sizeof *w->column)) ||
        !(w->height = stn_arena_array(b->arena, 2 * MAX_PIECES, sizeof *w->height)))
        return no_room(b);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < parts[i]->nv; k++) {
            w->rx[maps[i][k]] = walls[i]->rx[k];
            w->ry[maps[i][k]] = walls[i]->ry[k];
            /* By the numbering of all columns of all pieces; squeezed below. */
            w->column[maps[i][k]] = 2 * i + walls[i]->column[k];
        }
    /* Columns in the order in which the pieces' vertices mention them; those that none does vanish. */
    uint32_t number[2 * MAX_PIECES];
    memset(number, 0xff, sizeof number);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < parts[i]->nv; k++) {
            uint32_t c = w->column[maps[i][k]];
            if (number[c] == UINT32_MAX) {
                number[c] = w->ncolumns;
                w->height[w->ncolumns++] = walls[c / 2]->height[c % 2];
            }
        }
    for (unsigned i = 0; i < nv; i++)
        w->column[i] = number[w->column[i]];
    *out = w;
    if ((st = join_rows(b, walls, n, maps, false, w)) != STN_OK)
        return st;
    return join_rows(b, walls, n, maps, true, w);
}

stn_status stn_ridge_join_ground(stn_build *b, stn_part *const *parts, unsigned n, stn_part **out)
{
    uint16_t *maps[MAX_PIECES];

    if (n == 1) {
        *out = parts[0];
        return STN_OK;
    }
    return join_parts(b, parts, n, out, maps);
}
