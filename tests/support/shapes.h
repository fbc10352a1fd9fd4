/* shapes.h - meshes made of formulas, for what works on meshes: vertices of place, normal and texture
 * coordinate. */
#ifndef STN_TESTS_SHAPES_H
#define STN_TESTS_SHAPES_H

#include "renderer/scene/mesh.h"

typedef struct shape_vertex {
    float place[3], normal[3], tex[2];
} shape_vertex;

typedef struct shape {
    shape_vertex *vertices;
    uint32_t *indices;
    uint32_t vertex_count, index_count;
} shape;

/* Pieces are added to what is there; running out of memory ends the program. shape_free() in the end. */
void shape_free(shape *s);
uint32_t shape_vertex_add(shape *s, const float place[3], const float normal[3], float u, float v);
void shape_triangle(shape *s, uint32_t a, uint32_t b, uint32_t c);
/* A ball of `around` by `up` faces; its texture has a seam, where vertices stand twice. */
void shape_ball(shape *s, const float at[3], float radius, uint32_t around, uint32_t up);
/* A ring-shaped tube. */
void shape_torus(shape *s, float radius, float tube, uint32_t around, uint32_t up);
/* A sheet of side 1 in the plane z = 0, `n` by `n` faces, lifted by waves of that height: open borders. */
void shape_sheet(shape *s, uint32_t n, float waves);
/* A box of side 1 with `n` by `n` faces a side, each side with vertices of its own: hard edges. */
void shape_box(shape *s, uint32_t n);
/* A square of that side about the place, facing along a normal. */
void shape_card(shape *s, const float at[3], const float normal[3], float side);
stn_mesh_desc shape_desc(const shape *s);

#endif
