/* Coarser triangles for meshes seen from afar: what every level must keep, measured against the full mesh by
 * brute force, and that no mesh from outside breaks it. */
#include "renderer/scene/simplify.h"
#include "support/shapes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SLACK 1e-6 /* of f32 places and f64 sums */

typedef struct vec {
    double x, y, z;
} vec;

static vec at(const shape *s, uint32_t v)
{
    const float *p = s->vertices[v].place;

    return (vec){(double)p[0], (double)p[1], (double)p[2]};
}

static vec sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec along(vec a, vec d, double t)
{
    return (vec){a.x + d.x * t, a.y + d.y * t, a.z + d.z * t};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double length(vec a)
{
    return sqrt(dot(a, a));
}

static vec face(const shape *s, const uint32_t *corner)
{
    return cross(sub(at(s, corner[1]), at(s, corner[0])), sub(at(s, corner[2]), at(s, corner[0])));
}

/* The nearest place of a triangle by regions (not as the code under test does it). */
static double distance_to(vec p, vec a, vec b, vec c)
{
    vec ab = sub(b, a), ac = sub(c, a), ap = sub(p, a), bp = sub(p, b), cp = sub(p, c);
    double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
           d6 = dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, w;

    if (d1 <= 0 && d2 <= 0)
        return length(ap);
    if (d3 >= 0 && d4 <= d3)
        return length(bp);
    if (d6 >= 0 && d5 <= d6)
        return length(cp);
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return length(sub(p, along(a, ab, d1 / (d1 - d3))));
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return length(sub(p, along(a, ac, d2 / (d2 - d6))));
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return length(sub(p, along(b, sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)))));
    w = 1.0 / (va + vb + vc);
    return length(sub(p, along(along(a, ab, vb * w), ac, vc * w)));
}

static double from_surface(const shape *s, vec p, const uint32_t *indices, uint32_t count)
{
    double best = INFINITY;

    for (uint32_t i = 0; i < count; i += 3)
        if (length(face(s, indices + i)) > 0.0)
            best =
                fmin(best, distance_to(p, at(s, indices[i]), at(s, indices[i + 1]), at(s, indices[i + 2])));
    return best;
}

static stn_simplified levels_of(const shape *s)
{
    stn_mesh_desc d = shape_desc(s);
    stn_simplified out;
    stn_err err = {0};

    if (stn_simplify(&d, &out, &err) != STN_OK)
        fail_msg("%s", err.text);
    return out;
}

/* What holds of the levels of any mesh. */
static void check_levels(const shape *s, const stn_simplified *l)
{
    stn_mesh_desc d = shape_desc(s);
    double diagonal = (double)stn_simplify_diagonal(&d);
    uint32_t before = s->index_count, end = 0;
    bool *used = calloc(s->vertex_count, sizeof *used);

    assert_non_null(used);
    assert_true(l->levels.list_count <= STN_MESH_LEVELS);
    assert_int_equal(l->levels.list_of[0], 0);
    for (int level = 1; level <= STN_MESH_LEVELS; level++) {
        uint32_t list = l->levels.list_of[level];
        double limit = stn_simplify_error[level - 1] * diagonal * (1.0 + SLACK);
        const uint32_t *indices;

        assert_true(list >= l->levels.list_of[level - 1] && list <= l->levels.list_of[level - 1] + 1u &&
                    list <= l->levels.list_count);
        if (list == l->levels.list_of[level - 1])
            continue;
        assert_int_equal(l->levels.first[list - 1], end);
        indices = l->indices + end;
        end += l->levels.count[list - 1];
        assert_true(l->levels.count[list - 1] % 3 == 0 && l->levels.count[list - 1] > 0);
        assert_true(l->levels.count[list - 1] <= 0.8 * before);
        before = l->levels.count[list - 1];
        for (uint32_t i = 0; i < l->levels.count[list - 1]; i++)
            assert_true(indices[i] < s->vertex_count);
        for (uint32_t i = 0; i < l->levels.count[list - 1]; i += 3) {
            uint32_t source = l->source[l->levels.first[list - 1] / 3 + i / 3];
            vec now = face(s, indices + i), then = face(s, s->indices + (size_t)3 * source);

            assert_true(source < s->index_count / 3);
            assert_true(length(now) > 0.0);
            assert_true(dot(now, then) >= (0.2 - 1e-5) * length(now) * length(then));
        }
        for (uint32_t i = 0; i < s->index_count; i++)
            used[s->indices[i]] = true;
        for (uint32_t v = 0; v < s->vertex_count; v++)
            assert_true(!used[v] || from_surface(s, at(s, v), indices, l->levels.count[list - 1]) <= limit);
    }
    assert_int_equal(l->levels.list_of[STN_MESH_LEVELS], l->levels.list_count);
    free(used);
}

/* The other way round: how far the level lies from the full mesh, at places all over its triangles. */
static double strays(const shape *s, const stn_simplified *l, uint32_t list)
{
    enum { STEPS = 3 };
    double worst = 0.0;

    for (uint32_t i = 0; i < l->levels.count[list - 1]; i += 3) {
        const uint32_t *c = l->indices + l->levels.first[list - 1] + i;
        vec a = at(s, c[0]), ab = sub(at(s, c[1]), a), ac = sub(at(s, c[2]), a);

        for (int u = 0; u <= STEPS; u++)
            for (int v = 0; v <= STEPS - u; v++)
                worst =
                    fmax(worst, from_surface(s, along(along(a, ab, (double)u / STEPS), ac, (double)v / STEPS),
                                             s->indices, s->index_count));
    }
    return worst;
}

static void check_shape(shape *s, const char *name, uint32_t least_lists)
{
    stn_mesh_desc d = shape_desc(s);
    stn_simplified l = levels_of(s);
    double diagonal = (double)stn_simplify_diagonal(&d);

    check_levels(s, &l);
    assert_true(l.levels.list_count >= least_lists);
    printf("%s: %u triangles", name, s->index_count / 3);
    for (int level = 1; level <= STN_MESH_LEVELS; level++) {
        uint32_t list = l.levels.list_of[level];
        double off = list ? strays(s, &l, list) / diagonal : 0.0;

        printf(", %u (off by %.4f)", list ? l.levels.count[list - 1] / 3 : s->index_count / 3, off);
        assert_true(off <= 1.5 * stn_simplify_error[level - 1]);
        if (list)
            assert_true(l.levels.count[list - 1] / 3 >=
                        (uint32_t)(stn_simplify_part[level - 1] * (s->index_count / 3)) - 1);
    }
    printf("\n");
    stn_simplified_fini(&l);
}

static const float origin[3] = {0, 0, 0};

static void round_things_get_coarser_within_the_limits(void **state)
{
    shape ball = {0}, torus = {0}, sheet = {0};

    (void)state;
    shape_ball(&ball, origin, 3.0f, 28, 14);
    check_shape(&ball, "ball", 3);
    shape_torus(&torus, 2.0f, 0.5f, 32, 12);
    check_shape(&torus, "torus", 2);
    shape_sheet(&sheet, 18, 0.05f);
    check_shape(&sheet, "sheet", 3);
    shape_free(&ball);
    shape_free(&torus);
    shape_free(&sheet);
}

/* Nothing hinders a plane: it comes to its target, and its border stays where it is. */
static void a_plane_keeps_its_border_and_reaches_its_targets(void **state)
{
    shape s = {0};
    stn_simplified l;

    (void)state;
    shape_sheet(&s, 20, 0.0f);
    l = levels_of(&s);
    check_levels(&s, &l);
    assert_int_equal(l.levels.list_count, 3);
    for (int list = 0; list < 3; list++) {
        double area = 0.0;

        assert_true(l.levels.count[list] / 3 <= stn_simplify_part[list] * (s.index_count / 3));
        for (uint32_t i = 0; i < l.levels.count[list]; i += 3)
            area += 0.5 * length(face(&s, l.indices + l.levels.first[list] + i));
        assert_true(fabs(area - 1.0) < 1e-5);
    }
    stn_simplified_fini(&l);
    shape_free(&s);
}

static void small_or_scattered_meshes_have_no_levels(void **state)
{
    shape s = {0};
    stn_simplified l;

    (void)state;
    shape_sheet(&s, 4, 0.0f); /* 32 */
    s.index_count = 30;
    l = levels_of(&s);
    assert_int_equal(l.levels.list_count, 0);
    assert_null(l.indices);
    shape_free(&s);
    for (int i = 0; i < 100; i++)
        shape_card(&s, (const float[3]){(float)(i % 10), (float)(i / 10), (float)i * 0.01f},
                   (const float[3]){0.6f, 0, 0.8f}, 0.5f);
    l = levels_of(&s);
    assert_int_equal(l.levels.list_count, 0);
    for (int i = 0; i <= STN_MESH_LEVELS; i++)
        assert_int_equal(l.levels.list_of[i], 0);
    shape_free(&s);
    shape_sheet(&s, 5, 0.0f);
    s.index_count = 3 * (STN_SIMPLIFY_LEAST - 1);
    l = levels_of(&s);
    assert_int_equal(l.levels.list_count, 0);
    s.index_count = 3 * STN_SIMPLIFY_LEAST;
    l = levels_of(&s);
    assert_true(l.levels.list_count > 0);
    stn_simplified_fini(&l);
    shape_free(&s);
}

/* Cards that hang on something round, smaller than what a level may move, are all there still. */
static void pieces_never_vanish(void **state)
{
    shape s = {0};
    stn_simplified l;
    uint32_t first;

    (void)state;
    shape_ball(&s, origin, 10.0f, 32, 16);
    first = s.vertex_count;
    for (int i = 0; i < 30; i++)
        shape_card(&s, (const float[3]){12.0f, (float)i * 0.1f, 0}, (const float[3]){0, 0.6f, 0.8f}, 0.05f);
    l = levels_of(&s);
    check_levels(&s, &l);
    assert_true(l.levels.list_count >= 2);
    for (uint32_t list = 0; list < l.levels.list_count; list++) {
        uint32_t triangles = 0;

        for (uint32_t i = 0; i < l.levels.count[list]; i += 3)
            triangles += l.indices[l.levels.first[list] + i] >= first;
        assert_int_equal(triangles, 60);
    }
    stn_simplified_fini(&l);
    shape_free(&s);
}

/* Torn off, a triangle at the seam would show the whole width of the texture. */
static void textures_do_not_tear_at_a_seam(void **state)
{
    shape s = {0};
    stn_simplified l;

    (void)state;
    shape_torus(&s, 2.0f, 0.7f, 48, 24);
    l = levels_of(&s);
    assert_true(l.levels.list_count >= 2);
    for (uint32_t list = 0; list < l.levels.list_count; list++)
        for (uint32_t i = 0; i < l.levels.count[list]; i += 3) {
            const uint32_t *c = l.indices + l.levels.first[list] + i;

            for (int k = 0; k < 2; k++) {
                float a = s.vertices[c[0]].tex[k], b = s.vertices[c[1]].tex[k], d = s.vertices[c[2]].tex[k];

                assert_true(fmaxf(a, fmaxf(b, d)) - fminf(a, fminf(b, d)) < 0.5f);
            }
        }
    stn_simplified_fini(&l);
    shape_free(&s);
}

/* Each side of a box has vertices of its own, so that it shades flat; without textures nothing else tells
 * them apart. */
static void corners_take_the_vertex_whose_normal_fits_best(void **state)
{
    shape s = {0};
    stn_mesh_desc d;
    stn_simplified l;

    (void)state;
    shape_box(&s, 8);
    d = shape_desc(&s);
    d.attr_count = 2;
    assert_int_equal(stn_simplify(&d, &l, NULL), STN_OK);
    check_levels(&s, &l);
    assert_int_equal(l.levels.list_count, 3);
    for (uint32_t i = 0; i < l.levels.first[2] + l.levels.count[2]; i++) {
        const uint32_t *c = l.indices + i / 3 * 3;
        const float *n = s.vertices[l.indices[i]].normal;
        vec f = face(&s, c);

        assert_true(dot(f, (vec){(double)n[0], (double)n[1], (double)n[2]}) > 0.9 * length(f));
    }
    stn_simplified_fini(&l);
    shape_free(&s);
}

/* Three sheets that meet in one line: who goes along it would leave the others behind. */
static void edges_of_three_triangles_stay(void **state)
{
    enum { N = 8 };
    shape s = {0};
    stn_simplified l;

    (void)state;
    for (int sheet = 0; sheet < 3; sheet++) {
        double a = 2.0 * 3.14159265 * sheet / 3.0;
        uint32_t first = s.vertex_count;

        for (uint32_t y = 0; y <= N; y++)
            for (uint32_t x = 0; x <= N; x++) {
                float r = (float)x / N;

                shape_vertex_add(&s, (const float[3]){r * (float)cos(a), r * (float)sin(a), (float)y / N},
                                 (const float[3]){-(float)sin(a), (float)cos(a), 0}, 0, 0);
            }
        for (uint32_t y = 0; y < N; y++)
            for (uint32_t x = 0; x < N; x++) {
                uint32_t p = first + y * (N + 1) + x;

                shape_triangle(&s, p, p + 1, p + N + 2);
                shape_triangle(&s, p, p + N + 2, p + N + 1);
            }
    }
    l = levels_of(&s);
    check_levels(&s, &l);
    assert_true(l.levels.list_count > 0);
    for (uint32_t list = 0; list < l.levels.list_count; list++)
        for (int y = 0; y < N; y++) {
            unsigned found = 0;

            for (uint32_t i = 0; i < l.levels.count[list]; i++) {
                const uint32_t *c = l.indices + l.levels.first[list] + i / 3 * 3;
                vec p = at(&s, c[i % 3]), q = at(&s, c[(i + 1) % 3]);

                found += hypot(p.x, p.y) < 1e-6 && hypot(q.x, q.y) < 1e-6 &&
                         fabs(fmin(p.z, q.z) - (double)y / N) < 1e-6 &&
                         fabs(fabs(p.z - q.z) - 1.0 / N) < 1e-6;
            }
            assert_int_equal(found, 3);
        }
    stn_simplified_fini(&l);
    shape_free(&s);
}

static void the_same_mesh_gives_the_same_lists_in_16_and_32_bits(void **state)
{
    shape s = {0};
    stn_mesh_desc d;
    stn_simplified a, b;
    uint16_t *small;

    (void)state;
    shape_torus(&s, 1.0f, 0.3f, 30, 12);
    d = shape_desc(&s);
    small = malloc(s.index_count * sizeof *small);
    assert_non_null(small);
    for (uint32_t i = 0; i < s.index_count; i++)
        small[i] = (uint16_t)s.indices[i];
    a = levels_of(&s);
    d.indices = small;
    d.index_bytes = 2;
    assert_int_equal(stn_simplify(&d, &b, NULL), STN_OK);
    assert_int_equal(a.levels.list_count, b.levels.list_count);
    assert_memory_equal(a.levels.list_of, b.levels.list_of, sizeof a.levels.list_of);
    assert_memory_equal(a.levels.count, b.levels.count, sizeof a.levels.count);
    assert_memory_equal(a.indices, b.indices,
                        (a.levels.first[a.levels.list_count - 1] + a.levels.count[a.levels.list_count - 1]) *
                            4);
    stn_simplified_fini(&a);
    stn_simplified_fini(&b);
    free(small);
    shape_free(&s);
}

/* As large or small, or as far from the origin, as f32 reaches. */
static void size_does_not_matter(void **state)
{
    static const float sizes[] = {1e-30f, 1e-3f, 1e6f, 1e28f};
    uint32_t counts[STN_MESH_LEVELS] = {0};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        shape s = {0};
        stn_simplified l;

        shape_ball(&s, origin, sizes[i], 24, 12);
        l = levels_of(&s);
        check_levels(&s, &l);
        assert_int_equal(l.levels.list_count, 3);
        for (int k = 0; k < 3; k++) {
            assert_true(i == 0 || abs((int)l.levels.count[k] - (int)counts[k]) <= 12);
            counts[k] = l.levels.count[k];
        }
        stn_simplified_fini(&l);
        shape_free(&s);
    }
}

static uint32_t chance(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

static void hostile_meshes_are_refused_or_survived(void **state)
{
    shape s = {0};
    stn_mesh_desc d;
    stn_simplified l;
    uint32_t seed = 88172645;

    (void)state;
    /* All at one place, all in one line, every triangle twice, NaN where no place is. */
    for (int i = 0; i < 100; i++)
        shape_vertex_add(&s, origin, origin, NAN, INFINITY);
    for (uint32_t i = 0; i < 98; i++)
        shape_triangle(&s, i, i + 1, i + 2);
    l = levels_of(&s);
    assert_int_equal(l.levels.list_count, 0);
    for (uint32_t i = 0; i < s.vertex_count; i++)
        s.vertices[i].place[0] = (float)i;
    l = levels_of(&s);
    assert_int_equal(l.levels.list_count, 0);
    shape_free(&s);
    shape_sheet(&s, 12, 0.02f);
    for (uint32_t i = 0, n = s.index_count; i < n; i += 3)
        shape_triangle(&s, s.indices[i], s.indices[i + 2], s.indices[i + 1]);
    for (uint32_t i = 0; i < s.vertex_count; i++)
        s.vertices[i].normal[1] = s.vertices[i].tex[0] = NAN;
    l = levels_of(&s);
    check_levels(&s, &l);
    stn_simplified_fini(&l);
    shape_free(&s);
    /* A hub with thousands of triangles. */
    shape_vertex_add(&s, (const float[3]){0, 0, 1}, origin, 0, 0);
    for (uint32_t i = 0; i < 9000; i++) {
        double a = 2.0 * 3.14159265358979 * i / 9000.0;

        shape_vertex_add(&s, (const float[3]){(float)cos(a), (float)sin(a), 0}, origin, 0, 0);
        shape_triangle(&s, 0, i + 1, i == 8999 ? 1 : i + 2);
    }
    l = levels_of(&s);
    stn_simplified_fini(&l);
    /* Rubbish: few places, random triangles, then random places as well. */
    for (int round = 0; round < 40; round++) {
        uint32_t n = 4 + chance(&seed) % 200;

        shape_free(&s);
        for (uint32_t i = 0; i < n; i++) {
            float p[3];

            for (int k = 0; k < 3; k++)
                p[k] = round % 2 ? (float)(chance(&seed) % 4) : (float)chance(&seed) * 1e28f;
            shape_vertex_add(&s, p, p, (float)(chance(&seed) % 2), 0);
        }
        for (uint32_t i = 0; i < 400; i++)
            shape_triangle(&s, chance(&seed) % n, chance(&seed) % n, chance(&seed) % n);
        l = levels_of(&s);
        check_levels(&s, &l);
        stn_simplified_fini(&l);
    }
    /* Refused: what stn_mesh_check() refuses, and what is too large. */
    d = shape_desc(&s);
    s.indices[17] = s.vertex_count;
    assert_int_equal(stn_simplify(&d, &l, NULL), STN_BAD_DATA);
    assert_true(stn_simplify_diagonal(&d) == 0.0f);
    s.indices[17] = 0;
    s.vertices[2].place[1] = NAN;
    assert_int_equal(stn_simplify(&d, &l, NULL), STN_BAD_DATA);
    assert_int_equal(l.levels.list_count, 0);
    assert_null(l.indices);
    s.vertices[2].place[1] = 0.0f;
    while (s.index_count <= 3 * STN_SIMPLIFY_MOST)
        shape_triangle(&s, 0, 1, 2);
    d = shape_desc(&s);
    assert_int_equal(stn_simplify(&d, &l, NULL), STN_TOO_BIG);
    assert_true(stn_simplify_diagonal(&d) == 0.0f);
    shape_free(&s);
}

/* The bounds are those of the vertices that a mesh uses: several share one buffer. */
static void the_diagonal_is_that_of_what_is_used(void **state)
{
    shape s = {0};
    stn_mesh_desc d;

    (void)state;
    shape_sheet(&s, 6, 0.0f);
    shape_vertex_add(&s, (const float[3]){1000, 0, 0}, origin, 0, 0);
    d = shape_desc(&s);
    assert_true(fabsf(stn_simplify_diagonal(&d) - sqrtf(2.0f)) < 1e-5f);
    shape_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_things_get_coarser_within_the_limits),
        cmocka_unit_test(a_plane_keeps_its_border_and_reaches_its_targets),
        cmocka_unit_test(small_or_scattered_meshes_have_no_levels),
        cmocka_unit_test(pieces_never_vanish),
        cmocka_unit_test(textures_do_not_tear_at_a_seam),
        cmocka_unit_test(corners_take_the_vertex_whose_normal_fits_best),
        cmocka_unit_test(edges_of_three_triangles_stay),
        cmocka_unit_test(the_same_mesh_gives_the_same_lists_in_16_and_32_bits),
        cmocka_unit_test(size_does_not_matter),
        cmocka_unit_test(hostile_meshes_are_refused_or_survived),
        cmocka_unit_test(the_diagonal_is_that_of_what_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
