/* simplify.c - what a mesh is before it is made coarser, and the lists that come of it. */
#include "renderer/scene/simplify_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDES_MOST 32 /* vertices of one point that are compared with each other */
#define SAME 1e-4f /* of texture coordinates and colours */
#define LEAST_AREA 1e-24 /* square of twice the area: below, a triangle draws nothing */

const double stn_simplify_part[STN_MESH_LEVELS] = {0.50, 0.25, 0.10};
const double stn_simplify_error[STN_MESH_LEVELS] = {0.01, 0.02, 0.04};

static bool bounds_of(const stn_mesh_desc *d, double min[3], double max[3])
{
    stn_mesh_view view = stn_mesh_view_of(d);

    for (int k = 0; k < 3; k++) {
        min[k] = INFINITY;
        max[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < d->index_count; i++) {
        float p[4];

        if (!stn_mesh_read(&view, stn_mesh_index(&view, i), STN_VTX_POS, p))
            return false;
        for (int k = 0; k < 3; k++) {
            min[k] = fmin(min[k], (double)p[k]);
            max[k] = fmax(max[k], (double)p[k]);
        }
    }
    return true;
}

static double diagonal(const double min[3], const double max[3])
{
    double x = max[0] - min[0], y = max[1] - min[1], z = max[2] - min[2];

    return sqrt(x * x + y * y + z * z);
}

float stn_simplify_diagonal(const stn_mesh_desc *d)
{
    double min[3], max[3], length;

    if (stn_mesh_check(d, NULL) != STN_OK || d->index_count / 3 < STN_SIMPLIFY_LEAST ||
        d->index_count / 3 > STN_SIMPLIFY_MOST || d->vertex_count > STN_SIMPLIFY_VERTICES ||
        !bounds_of(d, min, max))
        return 0.0f;
    length = diagonal(min, max);
    return length > 0.0 && length < 1e30 ? (float)length : 0.0f;
}

void stn_simplified_fini(stn_simplified *s)
{
    free(s->indices);
    free(s->source);
    *s = (stn_simplified){0};
}

static void *room(size_t n, size_t each)
{
    return calloc(n ? n : 1, each);
}

static void fini(simplify *s)
{
    void *all[] = {s->point_of,     s->next_here,  s->side,   s->normal,      s->place,    s->first_here,
                   s->first_corner, s->valence,    s->piece,  s->mark,        s->kind,     s->cost,
                   s->piece_left,   s->next_point, s->corner, s->next_corner, s->face,     s->area,
                   s->gone,         s->near,       s->heap,   s->heap_at,     s->heap_key, s->was};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

static bool vertices_room(simplify *s)
{
    s->point_of = room(s->vertices, sizeof *s->point_of);
    s->next_here = room(s->vertices, sizeof *s->next_here);
    s->side = room(s->vertices, sizeof *s->side);
    s->normal = room(s->vertices, sizeof *s->normal);
    s->corner = room((size_t)s->triangles * 3, sizeof *s->corner);
    s->was = room((size_t)s->triangles * 3, sizeof *s->was);
    /* No more points than corners. */
    s->place = room((size_t)s->triangles * 3, sizeof *s->place);
    s->first_here = room((size_t)s->triangles * 3, sizeof *s->first_here);
    return s->point_of && s->next_here && s->side && s->normal && s->corner && s->was && s->place &&
           s->first_here;
}

static bool points_room(simplify *s)
{
    uint32_t **of_points[] = {&s->first_corner, &s->valence, &s->piece, &s->piece_left,
                              &s->next_point,   &s->mark,    &s->heap,  &s->heap_at};

    for (size_t i = 0; i < sizeof of_points / sizeof of_points[0]; i++)
        if ((*of_points[i] = room(s->points, sizeof(uint32_t))) == NULL)
            return false;
    s->kind = room(s->points, 1);
    s->cost = room(s->points, sizeof *s->cost);
    s->heap_key = room(s->points, sizeof *s->heap_key);
    s->next_corner = room((size_t)s->triangles * 3, sizeof *s->next_corner);
    s->face = room(s->triangles, sizeof *s->face);
    s->area = room(s->triangles, sizeof *s->area);
    s->gone = room(s->triangles, sizeof *s->gone);
    s->near = room(s->triangles, sizeof *s->near);
    return s->kind && s->cost && s->heap_key && s->next_corner && s->face && s->area && s->gone && s->near;
}

/* Whether two vertices of one point look the same but for how they shade. */
static bool same_side(const stn_mesh_view *m, uint32_t a, uint32_t b)
{
    static const uint8_t slots[] = {STN_VTX_TEX, STN_VTX_OTEX, STN_VTX_COL, STN_VTX_CLIP};

    for (size_t i = 0; i < sizeof slots; i++) {
        float p[4], q[4];

        if (!stn_mesh_read(m, a, slots[i], p) || !stn_mesh_read(m, b, slots[i], q))
            continue;
        for (int k = 0; k < 4; k++)
            if (!(fabsf(p[k] - q[k]) <= SAME)) /* what is not a number is like nothing */
                return false;
    }
    return true;
}

struct at {
    float place[3];
    uint32_t vertex;
};

static int by_place(const void *a, const void *b)
{
    const struct at *p = a, *q = b;

    for (int k = 0; k < 3; k++)
        if (p->place[k] != q->place[k])
            return p->place[k] < q->place[k] ? -1 : 1;
    return p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

/* A vertex more at the newest point. */
static void join(simplify *s, const stn_mesh_view *m, uint32_t v)
{
    uint32_t point = s->points - 1, n = 0;
    float normal[4];

    s->point_of[v] = point;
    s->side[v] = v;
    for (uint32_t w = s->first_here[point]; w != NONE && n < SIDES_MOST; w = s->next_here[w], n++)
        if (s->side[w] == w && same_side(m, v, w)) {
            s->side[v] = w;
            break;
        }
    s->next_here[v] = s->first_here[point];
    s->first_here[point] = v;
    if (stn_mesh_read(m, v, STN_VTX_NRM, normal) && isfinite(normal[0] + normal[1] + normal[2]))
        memcpy(s->normal[v], normal, sizeof s->normal[v]);
}

/* Numbers the places and finds out which vertices are at each. Vertices that no triangle has belong to none.
 */
static bool weld(simplify *s, const stn_mesh_desc *d, const double min[3], double unit)
{
    stn_mesh_view view = stn_mesh_view_of(d);
    struct at *used = room((size_t)s->triangles * 3, sizeof *used);
    uint32_t n = 0;

    if (!used)
        return false;
    memset(s->point_of, 0xff, s->vertices * sizeof *s->point_of);
    for (uint32_t i = 0; i < s->triangles * 3; i++) {
        uint32_t v = stn_mesh_index(&view, i);
        float p[4];

        s->corner[i] = v;
        if (s->point_of[v] != NONE)
            continue;
        s->point_of[v] = 0;
        stn_mesh_read(&view, v, STN_VTX_POS, p);
        memcpy(used[n].place, p, sizeof used[n].place);
        used[n++].vertex = v;
    }
    qsort(used, n, sizeof *used, by_place);
    for (uint32_t i = 0; i < n; i++) {
        const float *p = used[i].place, *before = i ? used[i - 1].place : NULL;

        if (!before || p[0] != before[0] || p[1] != before[1] || p[2] != before[2]) {
            for (int k = 0; k < 3; k++)
                s->place[s->points][k] = ((double)p[k] - min[k]) / unit;
            s->first_here[s->points++] = NONE;
        }
        join(s, &view, used[i].vertex);
    }
    free(used);
    return true;
}

static void connect(simplify *s)
{
    for (uint32_t p = 0; p < s->points; p++)
        s->first_corner[p] = s->next_point[p] = s->heap_at[p] = NONE;
    for (uint32_t t = 0; t < s->triangles; t++) {
        uint32_t a = simplify_point(s, 3 * t), b = simplify_point(s, 3 * t + 1),
                 c = simplify_point(s, 3 * t + 2);
        double n[3], square;

        s->near[t] = NONE;
        simplify_cross(s->place[a], s->place[b], s->place[c], n);
        square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if (a == b || b == c || c == a || !(square > LEAST_AREA)) {
            s->gone[t] = true;
            continue;
        }
        s->live++;
        s->area[t] = 0.5 * sqrt(square);
        for (int k = 0; k < 3; k++)
            s->face[t][k] = n[k] / sqrt(square);
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t p = simplify_point(s, 3 * t + k);

            s->next_corner[3 * t + k] = s->first_corner[p];
            s->first_corner[p] = 3 * t + k;
            s->valence[p]++;
        }
    }
}

static uint32_t root(uint32_t *piece, uint32_t p)
{
    while (piece[p] != p)
        p = piece[p] = piece[piece[p]];
    return p;
}

/* How many pieces hang together. */
static uint32_t pieces(simplify *s)
{
    uint32_t n = 0;

    for (uint32_t p = 0; p < s->points; p++)
        s->piece[p] = p;
    for (uint32_t t = 0; t < s->triangles; t++)
        for (uint32_t k = 1; k < 3 && !s->gone[t]; k++)
            s->piece[root(s->piece, simplify_point(s, 3 * t + k))] = root(s->piece, simplify_point(s, 3 * t));
    for (uint32_t p = 0; p < s->points; p++)
        s->piece[p] = root(s->piece, p);
    for (uint32_t t = 0; t < s->triangles; t++)
        if (!s->gone[t])
            n += s->piece_left[s->piece[simplify_point(s, 3 * t)]]++ == 0;
    return n;
}

/* A list of what is left, behind those that are there. */
static void put_list(const simplify *s, stn_simplified *out)
{
    stn_mesh_levels *l = &out->levels;
    uint32_t at = l->index_count;

    l->first[l->list_count] = at;
    l->count[l->list_count] = s->live * 3;
    for (uint32_t t = 0; t < s->triangles; t++)
        if (!s->gone[t]) {
            out->source[at / 3] = t;
            memcpy(out->indices + at, s->corner + (size_t)3 * t, 3 * sizeof *out->indices);
            at += 3;
        }
    l->index_count = at;
    l->list_count++;
}

static stn_status make_levels(simplify *s, stn_simplified *out, stn_err *err)
{
    uint32_t before = s->triangles; /* of the level before */

    /* Each list has at most four fifths of the one before. */
    out->indices = malloc((size_t)s->triangles * 3 * 2 * sizeof *out->indices);
    out->source = malloc((size_t)s->triangles * 2 * sizeof *out->source);
    if (!out->indices || !out->source)
        return stn_fail(err, STN_NO_MEMORY, "levels of a mesh of %u triangles", s->triangles);
    out->levels.indices = out->indices;
    simplify_begin(s);
    for (int i = 0; i < STN_MESH_LEVELS; i++) {
        simplify_until(s, (uint32_t)(stn_simplify_part[i] * s->triangles), stn_simplify_error[i]);
        if (s->live > 0 && (double)s->live <= 0.8 * (double)before) {
            put_list(s, out);
            before = s->live;
        }
        out->levels.list_of[i + 1] = (uint8_t)out->levels.list_count;
    }
    return STN_OK;
}

stn_status stn_simplify(const stn_mesh_desc *d, stn_simplified *out, stn_err *err)
{
    simplify s = {.triangles = d->index_count / 3, .vertices = d->vertex_count};
    double min[3], max[3], unit;
    stn_status st = stn_mesh_check(d, err);

    *out = (stn_simplified){0};
    if (st != STN_OK)
        return st;
    if (s.triangles > STN_SIMPLIFY_MOST || s.vertices > STN_SIMPLIFY_VERTICES)
        return stn_fail(err, STN_TOO_BIG, "mesh of %u triangles and %u vertices: %u and %u can be simplified",
                        s.triangles, s.vertices, STN_SIMPLIFY_MOST, STN_SIMPLIFY_VERTICES);
    if (s.triangles < STN_SIMPLIFY_LEAST || !bounds_of(d, min, max) || !((unit = diagonal(min, max)) > 0.0))
        return STN_OK;
    st = STN_NO_MEMORY;
    if (vertices_room(&s) && weld(&s, d, min, unit) && points_room(&s)) {
        st = STN_OK;
        memcpy(s.was, s.corner, (size_t)s.triangles * 3 * sizeof *s.corner);
        connect(&s);
        if (s.live >= STN_SIMPLIFY_LEAST && s.live >= STN_SIMPLIFY_PIECE * pieces(&s))
            st = make_levels(&s, out, err);
    } else {
        stn_fail(err, STN_NO_MEMORY, "mesh of %u triangles", s.triangles);
    }
    fini(&s);
    if (st != STN_OK || out->levels.list_count == 0)
        stn_simplified_fini(out);
    return st;
}
