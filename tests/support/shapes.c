#include "support/shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979

/* Room for one more of `n`: doubled at powers of two. */
static void *more(void *p, uint32_t n, size_t each)
{
    if (n >= 256 ? (n & (n - 1)) != 0 : n != 0)
        return p;
    p = realloc(p, (n >= 256 ? 2 * (size_t)n : 256) * each);
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

void shape_free(shape *s)
{
    free(s->vertices);
    free(s->indices);
    *s = (shape){0};
}

uint32_t shape_vertex_add(shape *s, const float place[3], const float normal[3], float u, float v)
{
    shape_vertex *to;

    s->vertices = more(s->vertices, s->vertex_count, sizeof *s->vertices);
    to = &s->vertices[s->vertex_count];
    memcpy(to->place, place, sizeof to->place);
    memcpy(to->normal, normal, sizeof to->normal);
    to->tex[0] = u;
    to->tex[1] = v;
    return s->vertex_count++;
}

void shape_triangle(shape *s, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corner[3] = {a, b, c};

    for (int i = 0; i < 3; i++) {
        s->indices = more(s->indices, s->index_count, sizeof *s->indices);
        s->indices[s->index_count++] = corner[i];
    }
}

static void grid_faces(shape *s, uint32_t first, uint32_t across, uint32_t down)
{
    for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++) {
            uint32_t a = first + y * (across + 1) + x, b = a + across + 1;

            shape_triangle(s, a, a + 1, b + 1);
            shape_triangle(s, a, b + 1, b);
        }
}

void shape_ball(shape *s, const float at[3], float radius, uint32_t around, uint32_t up)
{
    uint32_t first = s->vertex_count;

    for (uint32_t y = 0; y <= up; y++)
        for (uint32_t x = 0; x <= around; x++) {
            double e = PI * (double)y / up - PI / 2, a = 2 * PI * (double)(x % around) / around;
            double q = y == 0 || y == up ? 0.0 : cos(e); /* the poles are one place */
            float n[3] = {(float)(q * cos(a)), (float)(q * sin(a)), (float)sin(e)};
            float p[3] = {at[0] + radius * n[0], at[1] + radius * n[1], at[2] + radius * n[2]};

            shape_vertex_add(s, p, n, (float)x / (float)around, (float)y / (float)up);
        }
    grid_faces(s, first, around, up);
}

void shape_torus(shape *s, float radius, float tube, uint32_t around, uint32_t up)
{
    uint32_t first = s->vertex_count;

    for (uint32_t y = 0; y <= up; y++)
        for (uint32_t x = 0; x <= around; x++) {
            double a = 2 * PI * (double)(x % around) / around, e = 2 * PI * (double)(y % up) / up;
            float n[3] = {(float)(cos(e) * cos(a)), (float)(cos(e) * sin(a)), (float)sin(e)};
            float p[3] = {radius * (float)cos(a) + tube * n[0], radius * (float)sin(a) + tube * n[1],
                          tube * n[2]};

            shape_vertex_add(s, p, n, (float)x / (float)around, (float)y / (float)up);
        }
    grid_faces(s, first, around, up);
}

void shape_sheet(shape *s, uint32_t n, float waves)
{
    uint32_t first = s->vertex_count;

    for (uint32_t y = 0; y <= n; y++)
        for (uint32_t x = 0; x <= n; x++) {
            float u = (float)x / (float)n, v = (float)y / (float)n;
            float dx = waves * 7.0f * cosf(7.0f * u) * cosf(5.0f * v),
                  dy = waves * -5.0f * sinf(7.0f * u) * sinf(5.0f * v);
            float p[3] = {u, v, waves * sinf(7.0f * u) * cosf(5.0f * v)}, l = sqrtf(dx * dx + dy * dy + 1.0f);

            shape_vertex_add(s, p, (const float[3]){-dx / l, -dy / l, 1.0f / l}, u, v);
        }
    grid_faces(s, first, n, n);
}

void shape_box(shape *s, uint32_t n)
{
    for (int side = 0; side < 6; side++) {
        uint32_t first = s->vertex_count;
        int axis = side / 2, up = (axis + 1) % 3, right = (axis + 2) % 3;
        float normal[3] = {0}, sign = side % 2 ? 1.0f : -1.0f;

        normal[axis] = sign;
        for (uint32_t y = 0; y <= n; y++)
            for (uint32_t x = 0; x <= n; x++) {
                float p[3], u = (float)x / (float)n, v = (float)y / (float)n;

                p[axis] = 0.5f * sign;
                p[up] = (sign > 0.0f ? u : 1.0f - u) - 0.5f;
                p[right] = v - 0.5f;
                shape_vertex_add(s, p, normal, u, v);
            }
        grid_faces(s, first, n, n);
    }
}

void shape_card(shape *s, const float at[3], const float normal[3], float side)
{
    static const float corner[4][2] = {{-0.5f, -0.5f}, {0.5f, -0.5f}, {0.5f, 0.5f}, {-0.5f, 0.5f}};
    float right[3] = {-normal[1], normal[0], 0.0f}, up[3],
          l = sqrtf(normal[0] * normal[0] + normal[1] * normal[1]);
    uint32_t first = s->vertex_count;

    if (l < 1e-3f) {
        right[0] = l = 1.0f;
        right[1] = 0.0f;
    }
    for (int k = 0; k < 3; k++)
        right[k] /= l;
    up[0] = normal[1] * right[2] - normal[2] * right[1];
    up[1] = normal[2] * right[0] - normal[0] * right[2];
    up[2] = normal[0] * right[1] - normal[1] * right[0];
    for (int i = 0; i < 4; i++) {
        float p[3];

        for (int k = 0; k < 3; k++)
            p[k] = at[k] + side * (corner[i][0] * right[k] + corner[i][1] * up[k]);
        shape_vertex_add(s, p, normal, corner[i][0] + 0.5f, corner[i][1] + 0.5f);
    }
    shape_triangle(s, first, first + 1, first + 2);
    shape_triangle(s, first, first + 2, first + 3);
}

stn_mesh_desc shape_desc(const shape *s)
{
    return (stn_mesh_desc){
        .vertices = s->vertices,
        .stride = sizeof *s->vertices,
        .vertex_count = s->vertex_count,
        .attrs = {{.slot = STN_VTX_POS, .comps = 3},
                  {.slot = STN_VTX_NRM, .comps = 3, .offset = offsetof(shape_vertex, normal)},
                  {.slot = STN_VTX_TEX, .comps = 2, .offset = offsetof(shape_vertex, tex)}},
        .attr_count = 3,
        .indices = s->indices,
        .index_bytes = 4,
        .index_count = s->index_count};
}
