/* bench_simplify: how long the levels of detail of a mesh take to make, and how much they save. Prints JSON:
 * shapes of about 10,000 triangles, then each mesh of the resource files that are named.
 *
 *     bench_simplify [FILE.res ...]
 */
#include "base/clock.h"
#include "base/file.h"
#include "renderer/scene/simplify.h"
#include "res/res.h"
#include "support/shapes.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 5

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The time for each 10,000 triangles; counts of the full mesh and of each level. */
static double measure(const char *name, uint32_t number, const shape *s)
{
    stn_mesh_desc d = shape_desc(s);
    stn_simplified l = {0};
    stn_err err = {0};
    int64_t took[ROUNDS];
    double ms;

    for (int i = 0; i < ROUNDS; i++) {
        int64_t start = stn_clock_thread_cpu_ns();

        stn_simplified_fini(&l);
        if (stn_simplify(&d, &l, &err) != STN_OK) {
            printf("{\"mesh\":\"%s %u\",\"refused\":\"%s\"}\n", name, number, err.text);
            return 0.0;
        }
        took[i] = stn_clock_thread_cpu_ns() - start;
    }
    qsort(took, ROUNDS, sizeof took[0], by_time);
    ms = (double)took[ROUNDS / 2] / 1e6;
    printf("{\"mesh\":\"%s %u\",\"ms\":%.3f,\"ms_per_10000\":%.2f,\"triangles\":[%u", name, number, ms,
           ms * 3e4 / s->index_count, s->index_count / 3);
    for (int level = 1; level <= STN_MESH_LEVELS; level++)
        printf(",%u", l.levels.list_of[level] ? l.levels.count[l.levels.list_of[level] - 1] / 3
                                              : s->index_count / 3);
    printf("]}\n");
    stn_simplified_fini(&l);
    return ms;
}

static void take(shape *s, const stn_res_mesh *m)
{
    const stn_res_vbuf *v = m->vbuf->as.vbuf;
    const stn_attrib *pos = stn_res_vbuf_attr(v, STN_ATTR_POS), *nrm = stn_res_vbuf_attr(v, STN_ATTR_NRM),
                     *tex = stn_res_vbuf_attr(v, STN_ATTR_TEX);
    static const float zero[3];

    for (uint32_t i = 0; pos && i < v->num; i++)
        shape_vertex_add(s, pos->f + (size_t)3 * i, nrm ? nrm->f + (size_t)3 * i : zero,
                         tex ? tex->f[(size_t)tex->components * i] : 0.0f,
                         tex ? tex->f[(size_t)tex->components * i + 1] : 0.0f);
    for (uint32_t i = 0; pos && i < m->tris; i++)
        shape_triangle(s, m->indices[3 * i], m->indices[3 * i + 1], m->indices[3 * i + 2]);
}

static double measure_file(const char *path, uint32_t *triangles)
{
    uint8_t *data = NULL;
    size_t len = 0;
    stn_res *res = NULL;
    stn_err err = {0};
    double ms = 0.0;

    if (stn_file_read(path, 64u << 20, &data, &len, &err) != STN_OK ||
        stn_res_new(data, len, NULL, &res, NULL, &err) != STN_OK)
        fprintf(stderr, "%s: %s\n", path, err.text);
    for (const stn_res_layer *l = NULL; res && (l = stn_res_next(res, STN_LAYER_MESH, l)) != NULL;) {
        shape s = {0};

        take(&s, l->as.mesh);
        if (s.index_count > 0) {
            ms += measure(path, l->index, &s);
            *triangles += s.index_count / 3;
        }
        shape_free(&s);
    }
    stn_res_free(res);
    free(data);
    return ms;
}

int main(int argc, char **argv)
{
    static const float origin[3];
    shape ball = {0}, torus = {0}, sheet = {0}, box = {0};
    uint32_t triangles = 0;
    double ms = 0.0;

    shape_ball(&ball, origin, 1.0f, 100, 50);
    shape_torus(&torus, 2.0f, 0.6f, 100, 50);
    shape_sheet(&sheet, 71, 0.05f);
    shape_box(&box, 29);
    measure("ball", 0, &ball);
    measure("torus", 0, &torus);
    measure("sheet", 0, &sheet);
    measure("box", 0, &box);
    shape_free(&ball);
    shape_free(&torus);
    shape_free(&sheet);
    shape_free(&box);
    for (int i = 1; i < argc; i++)
        ms += measure_file(argv[i], &triangles);
    if (triangles > 0)
        printf("{\"files\":%d,\"triangles\":%u,\"ms\":%.2f,\"ms_per_10000\":%.2f}\n", argc - 1, triangles, ms,
               ms * 1e4 / triangles);
    return 0;
}
