/* collapse.c - edges of a mesh collapsed onto one of their ends, cheapest first: simplify.h says by what
 * rules. */
#include "renderer/scene/simplify_impl.h"

#include <math.h>
#include <string.h>

#define BORDER_WEIGHT 10.0
#define TURN_LEAST 0.2 /* cosine between how a triangle lies and how it lay in the full mesh */
#define HERE_MOST 64 /* vertices of one point that are asked for the best normal */
#define NEAR_MOST 512 /* points that are gone and lie near the triangles of one collapse */
#define PIECE_LEAST 2

/* --- small geometry --- */

void simplify_cross(const double *a, const double *b, const double *c, double out[3])
{
    double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    double u = c[0] - a[0], v = c[1] - a[1], w = c[2] - a[2];

    out[0] = y * w - z * v;
    out[1] = z * u - x * w;
    out[2] = x * v - y * u;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void less(const double *a, const double *b, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static double square_to(const double *p, const double *a, const double *ab, double t)
{
    double d[3];

    for (int k = 0; k < 3; k++)
        d[k] = a[k] + t * ab[k] - p[k];
    return dot(d, d);
}

static double square_to_edge(const double *p, const double *a, const double *b)
{
    double ab[3], ap[3], t, length;

    less(b, a, ab);
    less(p, a, ap);
    length = dot(ab, ab);
    t = length > 0.0 ? dot(ap, ab) / length : 0.0;
    return square_to(p, a, ab, t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t);
}

/* Square of the distance of a place from a triangle. */
static double square_from(const double *p, const double *a, const double *b, const double *c)
{
    const double *corner[3] = {a, b, c};
    double n[3], length, best = INFINITY, ap[3];
    bool inside = true;

    simplify_cross(a, b, c, n);
    length = dot(n, n);
    for (int k = 0; k < 3 && length > 0.0; k++) {
        double side[3];

        simplify_cross(corner[k], corner[(k + 1) % 3], p, side);
        inside &= dot(side, n) >= 0.0;
    }
    if (inside && length > 0.0) {
        less(p, a, ap);
        return dot(ap, n) * dot(ap, n) / length;
    }
    for (int k = 0; k < 3; k++)
        best = fmin(best, square_to_edge(p, corner[k], corner[(k + 1) % 3]));
    return best;
}

/* --- what a collapse costs --- */

static void add_plane(quadric *q, const double n[3], const double *at, double weight)
{
    double d = -dot(n, at);
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};

    for (int i = 0; i < 6; i++)
        q->a[i] += weight * n[row[i]] * n[column[i]];
    for (int i = 0; i < 3; i++)
        q->b[i] += weight * n[i] * d;
    q->c += weight * d * d;
}

static void add(quadric *q, const quadric *more)
{
    for (int i = 0; i < 6; i++)
        q->a[i] += more->a[i];
    for (int i = 0; i < 3; i++)
        q->b[i] += more->b[i];
    q->c += more->c;
    q->weight += more->weight;
}

static double value(const quadric *q, const double *p)
{
    return q->a[0] * p[0] * p[0] + q->a[1] * p[1] * p[1] + q->a[2] * p[2] * p[2] +
           2.0 * (q->a[3] * p[0] * p[1] + q->a[4] * p[0] * p[2] + q->a[5] * p[1] * p[2] + dot(q->b, p)) +
           q->c;
}

/* How far the surface moves, in the mean, when one point goes to another. */
static double cost_of(const simplify *s, uint32_t from, uint32_t to)
{
    const double *p = s->place[to];
    double v = value(&s->cost[from], p) + value(&s->cost[to], p),
           weight = s->cost[from].weight + s->cost[to].weight;

    return v > 0.0 && weight > 0.0 ? sqrt(v / weight) : 0.0;
}

/* --- around a point --- */

/* The corners of the triangles that are left around a point. Those that are gone leave the list. */
static uint32_t fan(simplify *s, uint32_t point, uint32_t out[FAN_MOST])
{
    uint32_t n = 0, *at = &s->first_corner[point];

    while (*at != NONE && n < FAN_MOST) {
        if (s->gone[*at / 3]) {
            *at = s->next_corner[*at];
            s->valence[point]--;
            continue;
        }
        out[n++] = *at;
        at = &s->next_corner[*at];
    }
    return n;
}

static void other_points(const simplify *s, uint32_t corner, uint32_t out[2])
{
    uint32_t next = simplify_after(corner);

    out[0] = simplify_point(s, next);
    out[1] = simplify_point(s, simplify_after(next));
}

/* Triangles around a point with this other point. */
static unsigned shared(const simplify *s, const uint32_t *corners, uint32_t n, uint32_t point)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t o[2];

        other_points(s, corners[i], o);
        count += o[0] == point || o[1] == point;
    }
    return count;
}

/* Whether all triangles around a point hang together by their edges there. */
static bool one_fan(simplify *s, const uint32_t *corners, uint32_t n)
{
    uint32_t reached = 1, before = 0, o[2];
    bool in[FAN_MOST] = {true};

    s->stamp++;
    other_points(s, corners[0], o);
    s->mark[o[0]] = s->mark[o[1]] = s->stamp;
    while (reached > before) {
        before = reached;
        for (uint32_t i = 0; i < n; i++) {
            other_points(s, corners[i], o);
            if (in[i] || (s->mark[o[0]] != s->stamp && s->mark[o[1]] != s->stamp))
                continue;
            s->mark[o[0]] = s->mark[o[1]] = s->stamp;
            in[i] = true;
            reached++;
        }
    }
    return reached == n;
}

static point_kind kind_of(simplify *s, uint32_t point)
{
    uint32_t corners[FAN_MOST], n, borders = 0;

    if (s->valence[point] > FAN_MOST - 1)
        return POINT_STAYS;
    n = fan(s, point, corners);
    if (n == 0)
        return POINT_STAYS;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t o[2];

        other_points(s, corners[i], o);
        for (int k = 0; k < 2; k++) {
            unsigned count = shared(s, corners, n, o[k]);

            if (count > 2)
                return POINT_STAYS;
            borders += count == 1;
        }
    }
    if ((borders != 0 && borders != 2) || !one_fan(s, corners, n))
        return POINT_STAYS;
    return borders ? POINT_BORDER : POINT_INNER;
}

/* A plane through an open edge, upright on its triangle, holds the border where it is. */
static void hold_borders(simplify *s, uint32_t triangle)
{
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t from = 3 * triangle + k, corners[FAN_MOST], n;
        uint32_t a = simplify_point(s, from), b = simplify_point(s, simplify_after(from));
        const double *f = s->face[triangle];
        double edge[3], out[3], length;

        if (s->valence[a] > FAN_MOST - 1)
            continue;
        n = fan(s, a, corners);
        if (shared(s, corners, n, b) != 1)
            continue;
        less(s->place[b], s->place[a], edge);
        out[0] = edge[1] * f[2] - edge[2] * f[1];
        out[1] = edge[2] * f[0] - edge[0] * f[2];
        out[2] = edge[0] * f[1] - edge[1] * f[0];
        length = sqrt(dot(out, out));
        if (!(length > 0.0))
            continue;
        for (int i = 0; i < 3; i++)
            out[i] /= length;
        add_plane(&s->cost[a], out, s->place[a], BORDER_WEIGHT * s->area[triangle]);
        add_plane(&s->cost[b], out, s->place[a], BORDER_WEIGHT * s->area[triangle]);
    }
}

void simplify_begin(simplify *s)
{
    for (uint32_t p = 0; p < s->points; p++)
        s->kind[p] = (uint8_t)kind_of(s, p);
    for (uint32_t t = 0; t < s->triangles; t++) {
        if (s->gone[t])
            continue;
        for (uint32_t k = 0; k < 3; k++) {
            quadric *q = &s->cost[simplify_point(s, 3 * t + k)];

            add_plane(q, s->face[t], s->place[simplify_point(s, 3 * t)], s->area[t]);
            q->weight += s->area[t];
        }
        hold_borders(s, t);
    }
}

/* --- whether an edge may collapse --- */

struct collapse {
    uint32_t from, to;
    uint32_t around[FAN_MOST], around_count; /* corners at `from` */
    uint32_t beside[FAN_MOST], beside_count; /* corners at `to` */
    uint32_t vertex[FAN_MOST]; /* what the corners at `from` become; NONE: their triangle goes */
    uint32_t near[NEAR_MOST], near_at[NEAR_MOST], near_count; /* points that are gone, and by which triangle
                                                                 they will lie */
};

/* Between both ends of an edge only its own triangles may lie, else the surface would fold onto itself. */
static bool links_well(simplify *s, const struct collapse *c, unsigned edge)
{
    uint32_t common = 0, o[2];

    s->stamp++;
    for (uint32_t i = 0; i < c->around_count; i++) {
        other_points(s, c->around[i], o);
        s->mark[o[0]] = s->mark[o[1]] = s->stamp;
    }
    for (uint32_t i = 0; i < c->beside_count; i++) {
        other_points(s, c->beside[i], o);
        for (int k = 0; k < 2; k++)
            if (s->mark[o[k]] == s->stamp && o[k] != c->from && o[k] != c->to) {
                common++;
                s->mark[o[k]] = s->stamp - 1; /* once */
            }
    }
    return common == edge;
}

static bool turns_little(const simplify *s, const struct collapse *c)
{
    for (uint32_t i = 0; i < c->around_count; i++) {
        uint32_t o[2];
        double n[3];

        if (c->vertex[i] == NONE)
            continue;
        other_points(s, c->around[i], o);
        simplify_cross(s->place[c->to], s->place[o[0]], s->place[o[1]], n);
        if (!(dot(n, s->face[c->around[i] / 3]) > TURN_LEAST * sqrt(dot(n, n))))
            return false;
    }
    return true;
}

/* Of the vertices at a point that are on this side, the one that shades most as this vertex did. */
static uint32_t best_vertex(const simplify *s, uint32_t point, uint32_t side, uint32_t as)
{
    const float *n = s->normal[as];
    uint32_t best = side, count = 0;
    double most = -INFINITY;

    for (uint32_t v = s->first_here[point]; v != NONE && count < HERE_MOST; v = s->next_here[v], count++) {
        const float *m = s->normal[v];
        double length = sqrt((double)m[0] * (double)m[0] + (double)m[1] * (double)m[1] +
                             (double)m[2] * (double)m[2]),
               fit = (double)n[0] * (double)m[0] + (double)n[1] * (double)m[1] + (double)n[2] * (double)m[2];

        fit = length > 0.0 ? fit / length : 0.0;
        /* Vertices come newest first: of equal ones the first of the mesh is taken. */
        if (s->side[v] == side && fit >= most) {
            most = fit;
            best = v;
        }
    }
    return best;
}

/* The sides that a texture has here go over to those that it has there by the triangles of the edge, which
 * have corners at both ends. A side without one would be torn off. */
static bool carries_over(const simplify *s, struct collapse *c)
{
    uint32_t here[2] = {NONE, NONE}, there[2] = {NONE, NONE}, edge = 0;

    for (uint32_t i = 0; i < c->around_count; i++) {
        uint32_t next = simplify_after(c->around[i]), last = simplify_after(next);
        uint32_t at = simplify_point(s, next) == c->to   ? next
                      : simplify_point(s, last) == c->to ? last
                                                         : NONE;

        c->vertex[i] = at == NONE ? 0 : NONE;
        if (at == NONE)
            continue;
        here[edge] = s->side[s->corner[c->around[i]]];
        there[edge++] = s->side[s->corner[at]];
    }
    if (here[0] == here[1] && there[0] != there[1])
        return false;
    for (uint32_t i = 0; i < c->around_count; i++) {
        uint32_t side = s->side[s->corner[c->around[i]]], k = side == here[0]   ? 0
                                                              : side == here[1] ? 1
                                                                                : NONE;

        if (c->vertex[i] == NONE)
            continue;
        if (k == NONE)
            return false;
        c->vertex[i] = best_vertex(s, c->to, there[k], s->was[c->around[i]]);
    }
    return true;
}

/* What the triangles at hand are after the collapse, to measure by. */
static double square_after(const simplify *s, const struct collapse *c, const double *p, uint32_t corner)
{
    uint32_t o[2];

    other_points(s, corner, o);
    return square_from(p, s->place[c->to], s->place[o[0]], s->place[o[1]]);
}

static bool stays_near(const simplify *s, struct collapse *c, uint32_t point, double limit)
{
    const double *p = s->place[point];
    double best = INFINITY;
    uint32_t at = NONE;

    for (uint32_t i = 0; i < c->around_count; i++)
        if (c->vertex[i] != NONE) {
            double d = square_after(s, c, p, c->around[i]);

            if (d < best) {
                best = d;
                at = c->around[i] / 3;
            }
        }
    for (uint32_t i = 0; i < c->beside_count && best > limit * limit; i++) {
        uint32_t o[2];
        double d;

        other_points(s, c->beside[i], o);
        if (o[0] == c->from || o[1] == c->from)
            continue;
        d = square_after(s, c, p, c->beside[i]);
        if (d < best) {
            best = d;
            at = c->beside[i] / 3;
        }
    }
    if (!(best <= limit * limit) || c->near_count == NEAR_MOST)
        return false;
    c->near[c->near_count] = point;
    c->near_at[c->near_count++] = at;
    return true;
}

/* All that lay on the triangles that change lies within the limit of what they become. */
static bool keeps_close(const simplify *s, struct collapse *c, double limit)
{
    c->near_count = 0;
    for (uint32_t i = 0; i < c->around_count; i++)
        for (uint32_t p = s->near[c->around[i] / 3]; p != NONE; p = s->next_point[p])
            if (!stays_near(s, c, p, limit))
                return false;
    return stays_near(s, c, c->from, limit);
}

static bool allowed(simplify *s, struct collapse *c, double limit)
{
    unsigned edge;

    if (s->valence[c->to] + c->around_count > FAN_MOST - 1)
        return false;
    c->beside_count = fan(s, c->to, c->beside);
    edge = shared(s, c->around, c->around_count, c->to);
    if (edge != (s->kind[c->from] == POINT_BORDER ? 1 : 2))
        return false;
    if (s->piece_left[s->piece[c->from]] < edge + PIECE_LEAST)
        return false;
    return links_well(s, c, edge) && carries_over(s, c) && turns_little(s, c) && keeps_close(s, c, limit);
}

/* --- cheapest first --- */

static bool before(const simplify *s, uint32_t a, uint32_t b)
{
    double x = s->heap_key[a], y = s->heap_key[b];

    return x < y || (x == y && a < b);
}

static void heap_put(simplify *s, uint32_t at, uint32_t point)
{
    s->heap[at] = point;
    s->heap_at[point] = at;
}

static void heap_rise(simplify *s, uint32_t at)
{
    uint32_t point = s->heap[at];

    for (; at > 0 && before(s, point, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap_put(s, at, s->heap[(at - 1) / 2]);
    heap_put(s, at, point);
}

static void heap_sink(simplify *s, uint32_t at)
{
    uint32_t point = s->heap[at], child;

    for (; (child = 2 * at + 1) < s->heap_count; at = child) {
        if (child + 1 < s->heap_count && before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!before(s, s->heap[child], point))
            break;
        heap_put(s, at, s->heap[child]);
    }
    heap_put(s, at, point);
}

static void heap_remove(simplify *s, uint32_t point)
{
    uint32_t at = s->heap_at[point];

    if (at == NONE)
        return;
    s->heap_at[point] = NONE;
    if (at == --s->heap_count)
        return;
    heap_put(s, at, s->heap[s->heap_count]);
    heap_rise(s, at);
    heap_sink(s, at);
}

static void heap_set(simplify *s, uint32_t point, double key)
{
    bool is_in = s->heap_at[point] != NONE;

    s->heap_key[point] = key;
    if (!is_in)
        heap_put(s, s->heap_count++, point);
    heap_rise(s, s->heap_at[point]);
    heap_sink(s, s->heap_at[point]);
}

/* The ends of the edges at a point and what each costs, cheapest first, within the limit. */
static uint32_t ends_of(simplify *s, uint32_t point, const uint32_t *corners, uint32_t n, double limit,
                        uint32_t to[2 * FAN_MOST], double cost[2 * FAN_MOST])
{
    uint32_t count = 0;

    s->stamp++;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t o[2];

        other_points(s, corners[i], o);
        for (int k = 0; k < 2; k++) {
            double is;
            uint32_t at;

            if (s->mark[o[k]] == s->stamp)
                continue;
            s->mark[o[k]] = s->stamp;
            is = cost_of(s, point, o[k]);
            if (!(is <= limit))
                continue;
            for (at = count++; at > 0 && (cost[at - 1] > is || (cost[at - 1] == is && to[at - 1] > o[k]));
                 at--) {
                cost[at] = cost[at - 1];
                to[at] = to[at - 1];
            }
            cost[at] = is;
            to[at] = o[k];
        }
    }
    return count;
}

/* At least what it costs: whether it may is found out when its turn comes. */
static void reckon(simplify *s, uint32_t point, double limit)
{
    uint32_t corners[FAN_MOST], to[2 * FAN_MOST], n;
    double cost[2 * FAN_MOST];

    if (s->kind[point] == POINT_STAYS)
        return;
    n = fan(s, point, corners);
    if (n > 0 && ends_of(s, point, corners, n, limit, to, cost) > 0)
        heap_set(s, point, cost[0]);
    else
        heap_remove(s, point);
}

/* Where a point goes, and what that costs; false: nowhere. */
static bool choose(simplify *s, struct collapse *c, double limit, double *costs)
{
    uint32_t to[2 * FAN_MOST], n;
    double cost[2 * FAN_MOST];

    c->around_count = fan(s, c->from, c->around);
    n = c->around_count ? ends_of(s, c->from, c->around, c->around_count, limit, to, cost) : 0;
    for (uint32_t i = 0; i < n; i++) {
        c->to = to[i];
        *costs = cost[i];
        if (allowed(s, c, limit))
            return true;
    }
    return false;
}

static void commit(simplify *s, const struct collapse *c, double limit)
{
    uint32_t corners[FAN_MOST], n, o[2];

    for (uint32_t i = 0; i < c->around_count; i++) {
        uint32_t corner = c->around[i], t = corner / 3;

        s->near[t] = NONE;
        if (c->vertex[i] == NONE) {
            s->gone[t] = true;
            s->live--;
            s->piece_left[s->piece[c->from]]--;
            continue;
        }
        s->corner[corner] = c->vertex[i];
        s->next_corner[corner] = s->first_corner[c->to];
        s->first_corner[c->to] = corner;
        s->valence[c->to]++;
    }
    s->first_corner[c->from] = NONE;
    s->kind[c->from] = POINT_STAYS;
    add(&s->cost[c->to], &s->cost[c->from]);
    for (uint32_t i = 0; i < c->near_count; i++) {
        s->next_point[c->near[i]] = s->near[c->near_at[i]];
        s->near[c->near_at[i]] = c->near[i];
    }
    n = fan(s, c->to, corners);
    reckon(s, c->to, limit);
    for (uint32_t i = 0; i < n; i++) {
        other_points(s, corners[i], o);
        reckon(s, o[0], limit);
        if (s->kind[c->to] == POINT_BORDER) /* else every neighbour is the first one once */
            reckon(s, o[1], limit);
    }
}

void simplify_until(simplify *s, uint32_t target, double limit)
{
    struct collapse c;

    for (uint32_t p = 0; p < s->points; p++)
        if (s->live > target)
            reckon(s, p, limit);
    while (s->live > target && s->heap_count > 0) {
        double costs = 0.0;

        c.from = s->heap[0];
        heap_remove(s, c.from);
        if (!choose(s, &c, limit, &costs))
            continue; /* until something near it changes */
        if (s->heap_count > 0 && costs > s->heap_key[s->heap[0]])
            heap_set(s, c.from, costs); /* others are cheaper: what is cheapest here may not go */
        else
            commit(s, &c, limit);
    }
}
