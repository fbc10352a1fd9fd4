/* Cliffs. f32 and f64 are mixed as the reference does it; each cast here decides bits. */
#include "mesher/ridge_internal.h"

#include "map/cutseed.h"
#include "num/convert.h"

#include <math.h>
#include <string.h>

#define EPS 0.01f
#define SEGMENT 8.0
enum { N, E, S, W };

#define MAX_COLUMN 60000 /* vertices: no cut has more in all */

static stn_status no_room(stn_build *b)
{
    return stn_fail(b->err, STN_NO_MEMORY, "the job needs more memory than one build may take");
}

static const int corner_x[4] = {0, 1, 1, 0}, corner_y[4] = {0, 0, 1, 1};

static int side_number(int x, int y, int e)
{
    int k = 2 * (x + y * STN_CUT_VERTICES);
    return e == W ? k : e == N ? k + 1 : e == E ? k + 2 : k + 2 * STN_CUT_VERTICES + 1;
}

/* ---- broken sides */

static float limit(const stn_build *b, int x, int y)
{
    const stn_tiler *t = stn_build_tiler_at(b, x, y);
    return t && t->kind == &stn_tiler_ridges ? (float)t->set->def.break_height + EPS : INFINITY;
}

static stn_status break_sides(stn_build *b, ridges *r)
{
    for (int y = 0; y <= STN_CUT_TILES; y++)
        for (int x = 0; x <= STN_CUT_TILES; x++) {
            float here, east, south;
            stn_status st;
            if ((st = stn_build_height(b, x, y, &here)) != STN_OK ||
                (st = stn_build_height(b, x + 1, y, &east)) != STN_OK ||
                (st = stn_build_height(b, x, y + 1, &south)) != STN_OK)
                return st;
            double own = (double)limit(b, x, y), above = (double)limit(b, x, y - 1);
            double left = (double)limit(b, x - 1, y);
            double dn = fabs((double)here - (double)east), dw = fabs((double)here - (double)south);
            int k = 2 * (x + y * STN_CUT_VERTICES);
            r->open.broken[k] = dw > own && dw > left;
            r->open.broken[k + 1] = dn > own && dn > above;
        }
    return STN_OK;
}

/* One for all ridge tiles of the cut, made with the first that is modelled. */
static stn_status cut_ridges(stn_build *b, stn_tiler *t, ridges **out)
{
    for (unsigned i = 0; i < b->ntilers && !t->own; i++)
        if (b->tilers[i].kind == &stn_tiler_ridges)
            t->own = b->tilers[i].own;
    if (!t->own) {
        ridges *r = stn_arena_zalloc(b->arena, 1, sizeof *r);
        stn_status st;
        if (!r)
            return no_room(b);
        if ((st = break_sides(b, r)) != STN_OK)
            return st;
        t->own = r;
    }
    *out = t->own;
    return STN_OK;
}

const stn_ridges *stn_build_ridges(const stn_build *b)
{
    for (unsigned i = 0; i < b->ntilers; i++)
        if (b->tilers[i].kind == &stn_tiler_ridges && b->tilers[i].own)
            return &((const ridges *)b->tilers[i].own)->open;
    return NULL;
}

/* ---- columns */

static stn_status copy_vertex(stn_build *b, uint32_t v, uint32_t *out)
{
    return stn_build_vertex(b, b->pos[v], out);
}

static float least(float a, float b)
{
    return a < b ? a : b;
}

/* The column of the N or W side of tile (x, y). */
static stn_status raise_column(stn_build *b, ridges *r, int x, int y, int e, column *c)
{
    int e1 = (e + 1) & 3, side = side_number(x, y, e);
    float z1, z2;
    stn_status st;
    stn_j48 g = stn_world_rnd(stn_coord_add(b->ul, x, y));

    if ((st = stn_build_height(b, x + corner_x[e], y + corner_y[e], &z1)) != STN_OK ||
        (st = stn_build_height(b, x + corner_x[e1], y + corner_y[e1], &z2)) != STN_OK)
        return st;
    bool rises = z1 < z2;
    float lo = rises ? z1 : z2, hi = rises ? z2 : z1;
    int64_t segments = stn_round_i64((double)(hi - lo) / SEGMENT);
    if (segments > MAX_COLUMN)
        return stn_fail(b->err, STN_TOO_BIG, "too many vertices in a cliff %g units high at tile %d,%d",
                        (double)(hi - lo), x, y);
    uint32_t nseg = (uint32_t)(segments > 2 ? segments : 2) - 1;
    float bx = (float)(11 * (2 * x + corner_x[e] + corner_x[e1])) / 2.0f;
    float by = (float)(-11 * (2 * y + corner_y[e] + corner_y[e1])) / 2.0f;
    float bz = b->job->flat ? 0.0f : lo;
    float si = (hi - lo) / (float)nseg;

    stn_j48_seed(&g, (int64_t)stn_wrap_add(stn_j48_int(&g), e));
    float bb = (stn_j48_float(&g) - 0.5f) * 3.5f;
    float cf = -(rises ? 1.0f : -1.0f) * least((hi - lo) * (5.0f / 37.0f), 5.5f);
    if (!(c->v = stn_arena_array(b->arena, nseg + 1, sizeof *c->v)))
        return no_room(b);
    for (uint32_t v = 0; v <= nseg; v++) {
        float z = (float)v * si, q = z / (hi - lo);
        float cd = (((4.0f * q) * q) - (4.0f * q)) + 0.5f;
        cd = cd * cf;
        float off = (bb + ((stn_j48_float(&g) - 0.5f) * 2.0f)) + cd;
        stn_vec3 at = {bx + (e == N ? off : 0.0f), by + (e == N ? 0.0f : off), bz + 0.0f};
        at = stn_vec3_add(at, (stn_vec3){0, 0, z});
        if (v > 0 && v < nseg)
            at.z = at.z + ((stn_j48_float(&g) - 0.5f) * si) * 0.5f;
        if ((st = stn_build_vertex(b, at, &c->v[v])) != STN_OK)
            return st;
    }
    c->n = nseg + 1;
    if ((st = copy_vertex(b, c->v[0], &c->low)) != STN_OK ||
        (st = copy_vertex(b, c->v[nseg], &c->high)) != STN_OK)
        return st;
    for (int i = 0; i < 2; i++) {
        stn_vec3 at = b->pos[i ? c->high : c->low];
        r->open.edge[2 * side + i] = side & 1 ? fmodf(at.x, 11) - 5.5f : fmodf(at.y, 11) + 5.5f;
    }
    return STN_OK;
}

/* Side e of tile (x, y); E and S sides are the neighbour's W and N. */
static stn_status need(shaping *s, int e, column **out)
{
    int d = e & 3, x = s->x + (d == E), y = s->y + (d == S);
    column *c = &s->r->columns[side_number(s->x, s->y, d)];

    *out = c;
    if (c->n)
        return STN_OK;
    return raise_column(s->b, s->r, x, y, d == E ? W : d == S ? N : d, c);
}

/* Of a column that was needed before. */
static column *col(shaping *s, int e)
{
    return &s->r->columns[side_number(s->x, s->y, e & 3)];
}

static bool rises(const shaping *s, int e)
{
    return s->h[e & 3] < s->h[(e + 1) & 3];
}

static uint32_t end_a(shaping *s, int e)
{
    return rises(s, e) ? col(s, e)->low : col(s, e)->high;
}

static uint32_t end_b(shaping *s, int e)
{
    return rises(s, e) ? col(s, e)->high : col(s, e)->low;
}

static uint32_t corner(const shaping *s, int k)
{
    return stn_ground_vertex(s->x + corner_x[k & 3], s->y + corner_y[k & 3]);
}

/* ---- shapes */

/* Flat ground: the other side of a wall, from copies of its columns. A column is copied once per cut, whole.
 */
static stn_status copied(shaping *s, strip from, strip *out)
{
    column *owner = NULL;
    uint32_t *v;

    for (int e = 0; e < 4 && !owner; e++)
        if (col(s, e)->v == from.v)
            owner = col(s, e);
    if (owner && owner->copy) {
        *out = (strip){owner->copy, from.n};
        return STN_OK;
    }
    if (!(v = stn_arena_array(s->b->arena, from.n, sizeof *v)))
        return no_room(s->b);
    for (uint32_t i = 0; i < from.n; i++) {
        stn_status st = copy_vertex(s->b, from.v[i], &v[i]);
        if (st != STN_OK)
            return st;
    }
    if (owner)
        owner->copy = v;
    *out = (strip){v, from.n};
    return STN_OK;
}

static stn_status add_wall(shaping *s, pieces *p, strip l, strip r)
{
    strip back_l, back_r;
    stn_status st = stn_ridge_wall_make(s, l, r, true, &p->walls[p->nwalls]);

    if (st != STN_OK || s->failed)
        return st;
    p->nwalls++;
    if (!s->b->job->flat)
        return STN_OK;
    if ((st = copied(s, r, &back_l)) != STN_OK || (st = copied(s, l, &back_r)) != STN_OK)
        return st;
    st = stn_ridge_wall_make(s, back_l, back_r, false, &p->walls[p->nwalls]);
    if (st == STN_OK && !s->failed)
        p->nwalls++;
    return st;
}

static stn_status add_ground(shaping *s, pieces *p, const uint32_t *gv, unsigned n, const uint16_t *f,
                             unsigned nf)
{
    stn_status st;

    /* Flat ground is laid as plain ground: only the cliff faces are kept. */
    if (s->b->job->flat)
        return STN_OK;
    st = stn_ridge_ground(s, gv, n, f, nf, &p->ground[p->nground]);
    if (st == STN_OK)
        p->nground++;
    return st;
}

static stn_status needs(shaping *s, const int *sides, unsigned n)
{
    column *c;
    for (unsigned i = 0; i < n; i++) {
        stn_status st = need(s, sides[i], &c);
        if (st != STN_OK)
            return st;
    }
    return STN_OK;
}

static const uint16_t halves[12] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};

static stn_status shape_cap(shaping *s, pieces *p, int d)
{
    stn_build *b = s->b;
    uint32_t gv[8], *top = stn_arena_array(b->arena, 1, sizeof *top);
    stn_vec3 c2, c3, k;
    stn_status st = needs(s, (const int[]){d}, 1);

    if (!top)
        return no_room(b);
    if (st != STN_OK)
        return st;
    c2 = b->pos[corner(s, d + 2)];
    c3 = b->pos[corner(s, d + 3)];
    k = (stn_vec3){(c2.x + c3.x) / 2.0f, (c2.y + c3.y) / 2.0f, (c2.z + c3.z) / 2.0f};
    gv[0] = corner(s, d);
    gv[1] = corner(s, d + 3);
    gv[3] = end_a(s, d);
    gv[4] = end_b(s, d);
    gv[6] = corner(s, d + 2);
    gv[7] = corner(s, d + 1);
    if (!b->job->flat &&
        ((st = stn_build_vertex(b, k, &gv[2])) != STN_OK || (st = stn_build_vertex(b, k, &gv[5])) != STN_OK))
        return st;
    if ((st = add_ground(s, p, gv, 8, halves, 12)) != STN_OK || (st = stn_build_vertex(b, k, top)) != STN_OK)
        return st;
    strip cliff = stn_ridge_strip(col(s, d)), point = {top, 1};
    return rises(s, d) ? add_wall(s, p, cliff, point) : add_wall(s, p, point, cliff);
}

static stn_status wall_between(shaping *s, pieces *p, int d, int other)
{
    strip a = stn_ridge_strip(col(s, d)), c = stn_ridge_strip(col(s, other));
    return rises(s, d) ? add_wall(s, p, a, c) : add_wall(s, p, c, a);
}

static stn_status shape_straight(shaping *s, pieces *p, int d)
{
    stn_status st = needs(s, (const int[]){d, d + 2}, 2);
    if (st != STN_OK)
        return st;
    const uint32_t gv[8] = {corner(s, d), corner(s, d + 3), end_b(s, d + 2),  end_a(s, d),
                            end_b(s, d),  end_a(s, d + 2),  corner(s, d + 2), corner(s, d + 1)};
    st = add_ground(s, p, gv, 8, halves, 12);
    return st == STN_OK ? wall_between(s, p, d, d + 2) : st;
}

/* The end of column d+1 that goes with the outer half of a corner, and the other one, by the direction of
 * side d. */
static void corner_ends(shaping *s, int d, uint32_t *p, uint32_t *q)
{
    const column *c = col(s, d + 1);
    *p = rises(s, d) ? c->high : c->low;
    *q = rises(s, d) ? c->low : c->high;
}

static stn_status shape_corner(shaping *s, pieces *p, int d)
{
    static const uint16_t f[15] = {0, 1, 2, 3, 4, 7, 7, 4, 6, 6, 4, 5};
    uint32_t pe, qe;
    stn_status st = needs(s, (const int[]){d, d + 1}, 2);

    if (st != STN_OK)
        return st;
    corner_ends(s, d, &pe, &qe);
    const uint32_t gv[8] = {corner(s, d + 1), end_b(s, d),      pe, corner(s, d),
                            corner(s, d + 3), corner(s, d + 2), qe, end_a(s, d)};
    st = add_ground(s, p, gv, 8, f, 12);
    return st == STN_OK ? wall_between(s, p, d, d + 1) : st;
}

static stn_status shape_double(shaping *s, pieces *p, int d)
{
    static const uint16_t f[18] = {0, 1, 2, 3, 4, 5, 6, 7, 11, 7, 8, 11, 11, 8, 10, 8, 9, 10};
    uint32_t p0, q0, p2, q2;
    stn_status st = needs(s, (const int[]){0, 1, 2, 3}, 4);

    if (st != STN_OK)
        return st;
    corner_ends(s, d, &p0, &q0);
    corner_ends(s, d + 2, &p2, &q2);
    const uint32_t gv[12] = {
        corner(s, d + 1), end_b(s, d),      p0, corner(s, d + 3), end_b(s, d + 2), p2, corner(s, d), q2,
        end_a(s, d + 2),  corner(s, d + 2), q0, end_a(s, d)};
    if ((st = add_ground(s, p, gv, 12, f, 18)) != STN_OK || (st = wall_between(s, p, d, d + 1)) != STN_OK ||
        s->failed)
        return st;
    return wall_between(s, p, d + 2, d + 3);
}

/* ---- complex tiles: a column in the middle, and one piece for each side or pair of sides */

typedef struct middle {
    stn_vec3 at[4];
    int n;
    float z[4]; /* of the corners */
} middle;

static void sort_levels(float *v, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0; k--) {
            bool before = v[k] < v[k - 1] || (v[k] == v[k - 1] && signbit(v[k]) && !signbit(v[k - 1]));
            if (!before)
                break;
            float t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
}

static void raise_middle(const shaping *s, int first, middle *m)
{
    float level[4], tx = (float)(s->x * 11) + 5.5f, ty = -((float)(s->y * 11) + 5.5f), base = 0;
    stn_j48 g = stn_cut_rnd(s->b->mesh_seed, s->x, s->y);

    for (int k = 0; k < 4; k++)
        m->z[k] = (float)s->h[k];
    if (s->b->job->flat) {
        base = m->z[0];
        for (int k = 1; k < 4; k++)
            base = least(base, m->z[k]);
        for (int k = 0; k < 4; k++)
            m->z[k] = m->z[k] - base;
    }
    m->n = 0;
    for (int i = 0, d = first; i < 4;) {
        if (s->broken[d & 3]) {
            level[m->n++] = m->z[d & 3];
            d += 1;
            i += 1;
        } else {
            level[m->n++] = (m->z[d & 3] + m->z[(d + 1) & 3]) / 2.0f;
            d += 2;
            i += 2;
        }
    }
    sort_levels(level, m->n);
    for (int j = 0; j < m->n; j++) {
        m->at[j].x = tx + ((stn_j48_float(&g) - 0.5f) * 5.0f);
        m->at[j].y = ty + ((stn_j48_float(&g) - 0.5f) * 5.0f);
        m->at[j].z = level[j];
    }
}

static int nearest(const middle *m, float v)
{
    int best = 0;
    for (int j = 1; j < m->n; j++)
        if (fabsf(m->at[j].z - v) < fabsf(m->at[best].z - v))
            best = j;
    return best;
}

/* New vertices along the middle from one level to another; an upside-down or empty run fails the tile. */
static stn_status run_middle(shaping *s, const middle *m, float lo, float hi, strip *out)
{
    int l = nearest(m, lo), h = nearest(m, hi);
    uint32_t *v;

    *out = (strip){NULL, 0};
    if (h < l) {
        s->failed = true;
        return STN_OK;
    }
    if (!(v = stn_arena_array(s->b->arena, (size_t)(h - l + 1), sizeof *v)))
        return no_room(s->b);
    for (int j = l; j <= h; j++) {
        stn_status st = stn_build_vertex(s->b, m->at[j], &v[j - l]);
        if (st != STN_OK)
            return st;
    }
    *out = (strip){v, (uint32_t)(h - l + 1)};
    return STN_OK;
}

/* The wall from side `e` to the middle between the levels `from` (at corner e) and `to`. */
static stn_status wall_to_middle(shaping *s, pieces *p, const middle *m, int e, float from, float to)
{
    strip side = stn_ridge_strip(col(s, e)), mid;
    bool up = rises(s, e);
    stn_status st = up ? run_middle(s, m, from, to, &mid) : run_middle(s, m, to, from, &mid);

    if (st != STN_OK || s->failed)
        return st;
    return up ? add_wall(s, p, side, mid) : add_wall(s, p, mid, side);
}

static stn_status complex_broken(shaping *s, pieces *p, const middle *m, int d)
{
    static const uint16_t f[6] = {0, 1, 2, 0, 2, 3};
    float z0 = m->z[d & 3], z1 = m->z[(d + 1) & 3];
    uint32_t mid = 0;
    stn_status st = needs(s, (const int[]){d + 3, d}, 2);

    if (st != STN_OK)
        return st;
    if (!s->b->job->flat && (st = stn_build_vertex(s->b, m->at[nearest(m, z0)], &mid)) != STN_OK)
        return st;
    const uint32_t gv[4] = {corner(s, d), end_b(s, d + 3), mid, end_a(s, d)};
    if ((st = add_ground(s, p, gv, 4, f, 6)) != STN_OK)
        return st;
    return wall_to_middle(s, p, m, d, z0, z1);
}

static stn_status complex_whole(shaping *s, pieces *p, const middle *m, int d)
{
    static const uint16_t f[9] = {0, 1, 4, 4, 1, 2, 4, 2, 3};
    float level = (m->z[d & 3] + m->z[(d + 1) & 3]) / 2.0f, z2 = m->z[(d + 2) & 3];
    uint32_t mid = 0;
    stn_status st = needs(s, (const int[]){d + 3, d + 1}, 2);

    if (st != STN_OK)
        return st;
    if (!s->b->job->flat && (st = stn_build_vertex(s->b, m->at[nearest(m, level)], &mid)) != STN_OK)
        return st;
    const uint32_t gv[5] = {corner(s, d + 1), corner(s, d), end_b(s, d + 3), mid, end_a(s, d + 1)};
    if ((st = add_ground(s, p, gv, 5, f, 9)) != STN_OK)
        return st;
    return wall_to_middle(s, p, m, d + 1, level, z2);
}

static stn_status shape_complex(shaping *s, pieces *p)
{
    middle m;
    int first = 0;

    while (first < 4 && !(s->broken[first] && s->broken[(first + 3) & 3]))
        first++;
    if (first == 4) {
        s->failed = true; /* no two broken sides meet: no shape of the reference's */
        return STN_OK;
    }
    raise_middle(s, first, &m);
    for (int i = 0, d = first; i < 4 && !s->failed;) {
        bool broken = s->broken[d & 3];
        stn_status st = broken ? complex_broken(s, p, &m, d) : complex_whole(s, p, &m, d);
        if (st != STN_OK)
            return st;
        d += broken ? 1 : 2;
        i += broken ? 1 : 2;
    }
    return STN_OK;
}

/* ---- the tiler */

static stn_status choose_shape(shaping *s, pieces *p, bool *handled)
{
    unsigned n = 0;
    double same = (double)(float)s->t->set->def.break_height + (double)EPS;

    *handled = true;
    for (int e = 0; e < 4; e++)
        n += s->broken[e];
    if (n == 0) {
        *handled = false;
        return STN_OK;
    }
    for (int d = 0; n == 1 && d < 4; d++)
        if (s->broken[d])
            return shape_cap(s, p, d);
    if (n == 2 && s->broken[N] && s->broken[S])
        return shape_straight(s, p, 0);
    if (n == 2 && s->broken[E] && s->broken[W])
        return shape_straight(s, p, 1);
    for (int d = 0; n == 2 && d < 4; d++)
        if (s->broken[d] && s->broken[(d + 1) & 3])
            return shape_corner(s, p, d);
    if (n == 4 && fabs(s->h[0] - s->h[2]) <= same)
        return shape_double(s, p, 0);
    if (n == 4 && fabs(s->h[3] - s->h[1]) <= same)
        return shape_double(s, p, 1);
    return shape_complex(s, p);
}

static stn_status keep_shape(shaping *s, const pieces *p)
{
    int tile = s->x + STN_CUT_TILES * s->y;
    stn_part *ground = NULL;
    stn_ridge_wall *wall = NULL;
    stn_status st = STN_OK;

    if (s->failed) {
        s->r->open.failed[tile] = 1;
        return STN_OK;
    }
    if (p->nground)
        st = stn_ridge_join_ground(s->b, p->ground, p->nground, &ground);
    if (st == STN_OK && p->nwalls)
        st = stn_ridge_join_walls(s->b, p->walls, p->nwalls, &wall);
    if (st != STN_OK)
        return st;
    s->r->open.ground[tile] = ground;
    s->r->open.wall[tile] = wall;
    /* The click mesh covers a wall only where the ground was shaped with it. */
    return ground ? stn_build_set_part(s->b, s->x, s->y, ground, wall ? wall->part : NULL) : STN_OK;
}

static stn_status model(stn_build *b, stn_tiler *t, int x, int y)
{
    shaping s = {.b = b, .t = t, .x = x, .y = y};
    pieces p = {.nground = 0};
    bool handled;
    stn_status st = cut_ridges(b, t, &s.r);

    if (st != STN_OK)
        return st;
    for (int e = 0; e < 4; e++) {
        float z;
        if ((st = stn_build_height(b, x + corner_x[e], y + corner_y[e], &z)) != STN_OK)
            return st;
        s.h[e] = (double)z;
        s.broken[e] = s.r->open.broken[side_number(x, y, e)];
    }
    if ((st = choose_shape(&s, &p, &handled)) != STN_OK)
        return st;
    if (handled && (st = keep_shape(&s, &p)) != STN_OK)
        return st;
    return handled && !b->job->flat ? STN_OK : stn_build_flat_model(b, x, y);
}

static stn_status lay_wall(stn_build *b, stn_tiler *t, const stn_ridge_wall *w)
{
    const stn_tileset_def *def = &t->set->def;
    stn_state state = {.kind = STN_MESH_WALL, .material = def->wall, .owner = -1};
    float zf = 1.0f / def->wall_height;
    uint32_t base = 0, number;
    stn_model *m;
    stn_status st = stn_build_model(b, &state, true, false, &m);

    if (st != STN_OK)
        return st;
    for (unsigned i = 0; i < w->part->nv; i++) {
        uint32_t v = w->part->v[i];
        int32_t rep = stn_i32_of_f32((w->height[w->column[i]] + def->wall_height * 0.5f) * zf);
        float tex[2] = {w->rx[i], w->ry[i] * (float)(rep > 1 ? rep : 1)}, tan[3], bit[3] = {0, 0, 1};
        stn_vec3 along = stn_vec3_norm(stn_vec3_cross((stn_vec3){0, 0, 1}, b->nrm[v]));
        memcpy(tan, &along, sizeof tan);
        if ((st = stn_model_vertex(b->arena, m, v, &number, b->err)) != STN_OK ||
            (st = stn_model_attr(b->arena, m, number, STN_MESH_ATTR_TEX, tex, b->err)) != STN_OK ||
            (st = stn_model_attr(b->arena, m, number, STN_MESH_ATTR_TAN, tan, b->err)) != STN_OK ||
            (st = stn_model_attr(b->arena, m, number, STN_MESH_ATTR_BIT, bit, b->err)) != STN_OK)
            return st;
        if (i == 0)
            base = number;
    }
    for (unsigned i = 0; i + 2 < w->part->nf; i += 3) {
        const uint16_t *f = w->part->f + i;
        if ((st = stn_model_face(b->arena, m, base + f[0], base + f[1], base + f[2], b->err)) != STN_OK)
            return st;
    }
    return STN_OK;
}

static stn_status lay(stn_build *b, stn_tiler *t, int x, int y, uint16_t part, bool fog)
{
    const ridges *r = t->own;
    const stn_ridge_wall *w = NULL;
    stn_status st = stn_terrain_lay(b, t, x, y, part, fog);

    /* Only over its own tile: a floor under another tiler has no cliffs. */
    if (r && part == (uint16_t)(x + STN_CUT_TILES * y))
        w = r->open.wall[part];
    return st == STN_OK && w ? lay_wall(b, t, w) : st;
}

static stn_status begin(stn_build *b, stn_tiler *t)
{
    if (!t->set->def.wall.res)
        return stn_fail(b->err, STN_BAD_DATA,
                        "bad tileset %s: a ridge tiler needs rmat, the cliff's material", t->set->def.name);
    if (!(t->set->def.wall_height > 0))
        return stn_fail(b->err, STN_BAD_DATA, "bad tileset %s: cliff texture %g units high", t->set->def.name,
                        (double)t->set->def.wall_height);
    return stn_tiler_terrain.begin(b, t);
}

bool stn_ridge_is_cliff(const double h[4], int32_t lowest_break)
{
    double limit = (double)(float)lowest_break + (double)EPS;
    for (int e = 0; e < 4; e++)
        if (fabs(h[e] - h[(e + 1) & 3]) > limit)
            return true;
    return false;
}

const stn_tiler_kind stn_tiler_ridges = {
    .name = "trn-r",
    .begin = begin,
    .model = model,
    .lay = lay,
    .trans = stn_terrain_trans,
    .skirt = stn_terrain_skirt,
};
