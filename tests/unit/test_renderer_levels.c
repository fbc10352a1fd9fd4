/* Levels of detail as the driver has them, and in the picture: fewer triangles, and hardly another picture.
 */
#include "renderer/scene/simplify.h"
#include "support/picture_compare.h"
#include "support/scenery.h"
#include "support/shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define W 320
#define H 180

static stn_mesh_levels packed(const stn_simplified *s, uint16_t *to)
{
    stn_mesh_levels l = s->levels;

    for (uint32_t i = 0; i < l.index_count; i++)
        to[i] = (uint16_t)s->indices[i];
    l.indices = to;
    return l;
}

/* With the driver that does nothing: what is counted is ours. */
static void levels_come_once_and_go_with_their_mesh(void **state)
{
    static const float at[3];
    static uint16_t narrow[8192], full[8192];
    stn_surface *surface;
    stn_surface_options so = {.kind = STN_SURFACE_NULL, .width = 16, .height = 16};
    stn_glrec rec = {0};
    stn_meshes *meshes;
    shape s = {0};
    stn_mesh_desc d;
    stn_mesh_view source;
    stn_simplified made;
    stn_mesh_levels levels;
    uint32_t id, other;
    size_t bytes;

    (void)state;
    assert_int_equal(stn_surface_new(&so, &surface, NULL), STN_OK);
    stn_glrec_invalidate(&rec);
    meshes = stn_meshes_new(&rec);
    assert_non_null(meshes);
    shape_ball(&s, at, 1.0f, 32, 16);
    d = shape_desc(&s);
    for (uint32_t i = 0; i < s.index_count; i++)
        full[i] = (uint16_t)s.indices[i];
    d.indices = full;
    d.index_bytes = 2;
    assert_int_equal(stn_simplify(&d, &made, NULL), STN_OK);
    assert_int_equal(made.levels.list_count, 3);
    levels = packed(&made, narrow);
    levels.list_count = levels.list_of[3] = 2; /* as if the last level repeated the one before */
    levels.index_count = levels.first[1] + levels.count[1];
    id = stn_meshes_add(meshes, &d);
    other = stn_meshes_add(meshes, &d);
    bytes = stn_meshes_bytes(meshes);
    source = stn_mesh_view_of(&d);
    stn_meshes_keep(meshes, id, &source);
    stn_meshes_measure(meshes, id, stn_simplify_diagonal(&d));
    assert_true(stn_meshes_get(meshes, id)->diameter > 1.9f);
    stn_meshes_asked(meshes, id);
    assert_int_equal(stn_meshes_get(meshes, id)->asked, STN_LEVELS_ASKED);
    stn_meshes_add_levels(meshes, id, &levels);
    stn_meshes_add_levels(meshes, id, &levels);
    assert_int_equal(stn_meshes_count(meshes), 4);
    assert_int_equal(stn_meshes_get(meshes, id)->asked, STN_LEVELS_KNOWN);
    for (int i = 0; i < 3; i++) {
        const stn_gpu_mesh *g = stn_meshes_get(meshes, stn_meshes_get(meshes, id)->level[i]);
        int list = levels.list_of[i + 1] - 1;

        assert_non_null(g);
        assert_int_equal(g->index_count, levels.count[list]);
        assert_int_equal(g->first_index_byte, levels.first[list] * 2);
        assert_int_equal(g->full_count, s.index_count);
        assert_int_equal(g->vertex_buffer, stn_meshes_get(meshes, id)->vertex_buffer);
    }
    /* None: that is known too. */
    stn_meshes_keep(meshes, other, &source);
    stn_meshes_add_levels(meshes, other, &(stn_mesh_levels){0});
    assert_int_equal(stn_meshes_get(meshes, other)->asked, STN_LEVELS_KNOWN);
    assert_int_equal(stn_meshes_get(meshes, other)->level[0], 0);
    stn_meshes_add_levels(meshes, 0, &levels);
    stn_meshes_remove(meshes, id);
    assert_int_equal(stn_meshes_count(meshes), 1);
    assert_int_equal(stn_meshes_bytes(meshes), bytes / 2);
    stn_meshes_remove(meshes, other);
    assert_int_equal(stn_meshes_bytes(meshes), 0);
    stn_simplified_fini(&made);
    shape_free(&s);
    stn_meshes_free(meshes);
    stn_surface_free(surface);
}

static uint64_t triangles(const stn_view_counts *c)
{
    return (uint64_t)c->triangles + c->shadow_triangles;
}

/* The same things in the same light: what is not drawn of them is counted as left out, to the triangle. */
static void a_wood_far_away_looks_the_same_with_fewer_triangles(void **state)
{
    static uint8_t full[W * H * 4], coarse[W * H * 4];
    scenery s;
    stn_err err = {0};
    stn_status st = scenery_open(&s, 1, STN_PACK_FOLDER, W, H, &err);
    double x = -413, y = 137; /* spruce and beech */
    uint64_t all;
    const stn_view_counts *c;
    picture_difference d;

    (void)state;
    if (st == STN_UNSUPPORTED) {
        printf("skipped: %s\n", err.text);
        return;
    }
    assert_int_equal(st, STN_OK);
    assert_int_equal(scenery_land(&s, x, y, 1, &err), STN_OK);
    scenery_light(&s, (stn_colour){88, 98, 114, 255}, (stn_colour){255, 243, 220, 255}, 3.93, 0.785);
    s.look.fog_distance = 9000.0f;
    scenery_run(&s, 0.5);
    scenery_eye(&s, x, y, 30, 1800, 0.5, 0.5, 0);
    s.look.detail = 0.0f;
    scenery_draw(&s, full);
    c = stn_view_last(s.view);
    all = triangles(c);
    assert_int_equal(c->saved, 0);
    assert_int_equal(c->members + c->lone, c->instances);
    assert_int_equal(c->batches + c->lone + c->bypassed, c->draws);
    s.look.detail = 1.0f;
    scenery_draw(&s, coarse);
    c = stn_view_last(s.view);
    d = picture_compare(full, coarse, W, H, NULL);
    printf("%llu triangles, %u of them left out; ", (unsigned long long)all, c->saved);
    assert_int_equal(triangles(c) + c->saved, all);
    assert_true(c->saved > all / 4);
    assert_true(picture_looks_same(&d));
    s.look.detail = 0.0f; /* switched off, everything is whole again */
    scenery_draw(&s, coarse);
    assert_int_equal(triangles(stn_view_last(s.view)), all);
    assert_memory_equal(full, coarse, sizeof full);
    assert_int_equal(stn_surface_debug_messages(s.surface), 0);
    scenery_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_come_once_and_go_with_their_mesh),
        cmocka_unit_test(a_wood_far_away_looks_the_same_with_fewer_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
