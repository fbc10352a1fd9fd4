/* simplify_impl.h - the inside of simplify.h: for simplify.c and collapse.c alone.
 *
 * Points are the places of the mesh, each once; vertices are what the mesh calls so. Places are taken in
 * units of the bounds' diagonal, from its lowest corner.
 */
#ifndef STN_RENDERER_SCENE_SIMPLIFY_IMPL_H
#define STN_RENDERER_SCENE_SIMPLIFY_IMPL_H

#include "renderer/scene/simplify.h"

#define NONE UINT32_MAX
#define FAN_MOST 128 /* triangles around a point: with more it stays, so that no mesh makes this slow */

typedef enum point_kind { POINT_INNER, POINT_BORDER, POINT_STAYS } point_kind;

/* Sum of weighted squared distances to planes: p'Ap + 2b'p + c; `weight` that of the faces among them. */
typedef struct quadric {
    double a[6], b[3], c, weight; /* a: xx yy zz xy xz yz */
} quadric;

typedef struct simplify {
    uint32_t triangles, vertices, points;
    uint32_t live; /* triangles left */
    /* a vertex */
    uint32_t *point_of, *next_here; /* next vertex at the same point */
    uint32_t *side; /* first vertex at the point with the same texture coordinates and colours */
    float (*normal)[3]; /* zero: it has none */
    /* a point */
    double (*place)[3];
    uint32_t *first_here; /* vertex */
    uint32_t *first_corner; /* of triangles around it, which may be gone */
    uint32_t *valence; /* corners in that list */
    uint32_t *piece, *piece_left; /* piece: a point of it; triangles left of the piece of that number */
    uint32_t *next_point; /* a point that is gone: the next near the same triangle */
    uint32_t *mark;
    uint32_t stamp;
    uint8_t *kind;
    quadric *cost;
    /* a triangle, a corner (three a triangle) */
    uint32_t *was; /* corner -> vertex in the full mesh */
    uint32_t *corner, *next_corner;
    double (*face)[3]; /* unit normal in the full mesh */
    double *area;
    bool *gone;
    uint32_t *near; /* first point that is gone and lies nearest this triangle */
    /* points that may go, cheapest first */
    uint32_t *heap, *heap_at; /* heap_at: point -> place in the heap, NONE */
    double *heap_key;
    uint32_t heap_count;
} simplify;

/* Twice the area of a triangle of places, as a vector. */
void simplify_cross(const double *a, const double *b, const double *c, double out[3]);
/* What each point costs, and whether it may go. Before the first collapse. */
void simplify_begin(simplify *s);
/* Collapses until no more than `target` triangles are left, or nothing more can go within `limit`. */
void simplify_until(simplify *s, uint32_t target, double limit);

static inline uint32_t simplify_point(const simplify *s, uint32_t corner)
{
    return s->point_of[s->corner[corner]];
}
static inline uint32_t simplify_after(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

#endif
