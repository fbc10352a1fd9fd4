/* The scene graph's promises besides its figures (docs/spec/rendering.md 23.9), slots, meshes and shadows. */
#include "renderer/camera/camera.h"
#include "renderer/camera/sight.h"
#include "renderer/scene/batch.h"
#include "renderer/scene/cull.h"
#include "renderer/scene/memory.h"
#include "renderer/scene/mesh.h"
#include "renderer/scene/slots.h"
#include "renderer/scene/spatial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 1;

static double chance(double lo, double hi)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return lo + (double)(seed >> 11) / 9007199254740992.0 * (hi - lo);
}

static stn_spatial *leaf(stn_spatial *parent)
{
    stn_spatial *m = stn_mesh_new("m");
    stn_bound b = stn_bound_box((stn_sg_v3){chance(-5, 5), chance(-5, 5), chance(-5, 5)},
                                (stn_sg_v3){chance(0.1, 4), chance(0.1, 4), chance(0.1, 4)});

    stn_mesh_set_bound(m, &b);
    assert_int_equal(stn_spatial_attach(parent, m, NULL), STN_OK);
    stn_spatial_translate(m, (stn_sg_v3){chance(-60, 60), chance(-60, 60), chance(-60, 60)});
    return m;
}

static stn_spatial *forest(stn_spatial **leaves, size_t n)
{
    stn_spatial *root = stn_node_new("root"), *group = NULL;

    for (size_t i = 0; i < n; i++) {
        if (i % 10 == 0) {
            group = stn_node_new("group");
            stn_spatial_attach(root, group, NULL);
            stn_spatial_translate(group, (stn_sg_v3){chance(-30, 30), chance(-30, 30), chance(-30, 30)});
        }
        leaves[i] = leaf(group);
    }
    return root;
}

static void assert_inside(const stn_spatial *s)
{
    const stn_bound *b = stn_spatial_bound(s);

    assert_int_equal(stn_spatial_dirty(s), 0);
    for (size_t i = 0; i < stn_spatial_children(s); i++) {
        const stn_bound *c = stn_spatial_bound(stn_spatial_child(s, i));

        assert_true(c->c.x - c->e.x >= b->c.x - b->e.x - 1e-6 && c->c.x + c->e.x <= b->c.x + b->e.x + 1e-6);
        assert_true(c->c.y - c->e.y >= b->c.y - b->e.y - 1e-6 && c->c.y + c->e.y <= b->c.y + b->e.y + 1e-6);
        assert_true(c->c.z - c->e.z >= b->c.z - b->e.z - 1e-6 && c->c.z + c->e.z <= b->c.z + b->e.z + 1e-6);
        assert_inside(stn_spatial_child(s, i));
    }
}

static void after_an_update_nothing_is_marked_and_bounds_hold_their_children(void **state)
{
    stn_spatial *leaves[100], *root = forest(leaves, 100);

    (void)state;
    stn_spatial_update(root, 0.0);
    assert_inside(root);
    for (int i = 0; i < 200; i++) {
        stn_spatial_translate(leaves[(size_t)chance(0, 99.9)],
                              (stn_sg_v3){chance(-90, 90), 0, chance(-9, 9)});
        stn_spatial_update(root, 0.0);
        assert_inside(root);
    }
    stn_spatial_free(root);
}

static void an_untouched_tree_computes_nothing_and_a_moved_leaf_its_way_up(void **state)
{
    stn_spatial *leaves[100], *root = forest(leaves, 100);
    uint64_t t0, b0, t1, b1;

    (void)state;
    stn_spatial_update(root, 0.0);
    stn_spatial_work(&t0, &b0);
    stn_spatial_update(root, 0.0);
    stn_spatial_work(&t1, &b1);
    assert_int_equal(t1 - t0, 0);
    assert_int_equal(b1 - b0, 0);
    stn_spatial_translate(leaves[37], (stn_sg_v3){1, 2, 3});
    stn_spatial_update(root, 0.0);
    stn_spatial_work(&t1, &b1);
    assert_int_equal(t1 - t0, 1);
    assert_int_equal(b1 - b0, 3); /* the leaf, its group, the root */
    stn_spatial_free(root);
}

static bool corner_in_sight(const stn_bound *b, const stn_sg_camera *c)
{
    for (int i = 0; i < 8; i++) {
        stn_sg_v3 p = {b->c.x + (i & 1 ? b->e.x : -b->e.x), b->c.y + (i & 2 ? b->e.y : -b->e.y),
                       b->c.z + (i & 4 ? b->e.z : -b->e.z)};
        bool in = true;

        for (int k = 0; k < 6; k++)
            in = in && stn_sg_dot(p, c->planes[k].n) - c->planes[k].k >= 0.0;
        if (in)
            return true;
    }
    return false;
}

static void culling_never_loses_what_is_in_sight_and_queues_once(void **state)
{
    stn_spatial *leaves[200], *root = forest(leaves, 200);
    stn_sg_queue q = {0};

    (void)state;
    stn_spatial_update(root, 0.0);
    for (int round = 0; round < 300; round++) {
        double a = chance(0, 6.2831853);
        stn_sg_camera c = {.near = 1,
                           .far = 150,
                           .left = -0.6,
                           .right = 0.6,
                           .top = 0.4,
                           .bottom = -0.4,
                           .location = {chance(-80, 80), chance(-80, 80), chance(-20, 20)},
                           .axis_dir = {cos(a), sin(a), 0},
                           .axis_left = {-sin(a), cos(a), 0},
                           .axis_up = {0, 0, 1}};

        stn_sg_camera_planes(&c);
        stn_sg_queue_clear(&q);
        stn_sg_queue_visible(&q, root, &c);
        for (size_t i = 0; i < 200; i++) {
            size_t times = 0;

            for (size_t k = 0; k < q.count; k++)
                times += q.items[k].mesh == leaves[i];
            assert_true(times <= 1);
            if (corner_in_sight(stn_spatial_bound(leaves[i]), &c))
                assert_int_equal(times, 1);
        }
    }
    stn_sg_queue_fini(&q);
    stn_spatial_free(root);
}

/* A group in front of all planes spares its own children the test, and nobody else. */
static void a_sibling_is_tested_against_all_planes_again(void **state)
{
    stn_sg_camera c = {.near = 1,
                       .far = 200,
                       .left = -0.5,
                       .right = 0.5,
                       .top = 0.5,
                       .bottom = -0.5,
                       .axis_dir = {1, 0, 0},
                       .axis_left = {0, 1, 0},
                       .axis_up = {0, 0, 1}};

    (void)state;
    stn_sg_camera_planes(&c);
    for (int first = 0; first < 2; first++) {
        stn_spatial *root = stn_node_new("root"), *seen = NULL;
        stn_sg_queue q = {0};

        for (int i = 0; i < 2; i++) {
            stn_spatial *group = stn_node_new("group"), *leaf = stn_mesh_new("leaf");
            stn_xform x = stn_xform_identity();
            stn_bound b = stn_bound_box((stn_sg_v3){0, 0, 0}, (stn_sg_v3){1, 1, 1});

            stn_xform_translate(&x, (stn_sg_v3){50, i == first ? 0 : 400, 0});
            stn_spatial_set_local(leaf, &x);
            stn_mesh_set_bound(leaf, &b);
            assert_int_equal(stn_spatial_attach(group, leaf, NULL), STN_OK);
            assert_int_equal(stn_spatial_attach(root, group, NULL), STN_OK);
            seen = i == first ? leaf : seen;
        }
        stn_spatial_update(root, 0.0);
        stn_sg_queue_visible(&q, root, &c);
        assert_int_equal(q.count, 1);
        assert_ptr_equal(q.items[0].mesh, seen);
        stn_sg_queue_fini(&q);
        stn_spatial_free(root);
    }
}

static void cycles_and_meshes_as_parents_are_refused(void **state)
{
    stn_spatial *a = stn_node_new("a"), *b = stn_node_new("b"), *m = stn_mesh_new("m"), *x;

    (void)state;
    assert_int_equal(stn_spatial_attach(a, b, NULL), STN_OK);
    assert_int_equal(stn_spatial_attach(b, a, NULL), STN_USAGE);
    assert_int_equal(stn_spatial_attach(a, a, NULL), STN_USAGE);
    assert_int_equal(stn_spatial_attach(b, m, NULL), STN_OK);
    x = stn_node_new("x");
    assert_int_equal(stn_spatial_attach(m, x, NULL), STN_USAGE);
    stn_spatial_free(x);
    stn_spatial_free(a);
}

static void a_chain_that_is_too_deep_is_refused(void **state)
{
    stn_spatial *root = stn_node_new("0"), *at = root, *extra;

    (void)state;
    for (int i = 1; i < STN_SG_DEPTH; i++) {
        stn_spatial *n = stn_node_new("n");

        assert_int_equal(stn_spatial_attach(at, n, NULL), STN_OK);
        at = n;
    }
    extra = stn_node_new("extra");
    assert_int_equal(stn_spatial_attach(at, extra, NULL), STN_USAGE);
    stn_spatial_free(extra);
    stn_spatial_free(root);
}

/* --- slots --- */

static const void *take(const void *arg, const void *read)
{
    (void)arg;
    return read;
}

static void a_locked_slot_refuses_changes_and_may_not_lean_on_an_unlocked_one(void **state)
{
    static const char one[] = "one", two[] = "two";
    stn_rslot_op put = {.what = STN_RSLOT_PUT, .kind = 3, .value = one};
    stn_rslot_op lean = {.what = STN_RSLOT_COMPUTE, .kind = 4, .reads = 3, .compute = take};
    stn_rslot *root = stn_rslot_new(NULL, &put, 1), *locked = stn_rslot_new(root, &lean, 1), *other;

    (void)state;
    assert_int_equal(stn_rslot_lock(locked, NULL), STN_OK);
    assert_null(stn_rslot_get(locked, NULL));
    put.value = two;
    assert_int_equal(stn_rslot_set_own(locked, &put, 1, NULL), STN_DENIED);
    other = stn_rslot_new(root, NULL, 0);
    assert_ptr_equal(stn_rslot_get(other, NULL)->value[3], one);
    assert_int_equal(stn_rslot_lock(other, NULL), STN_BUSY); /* its state was used */
    stn_rslot_free(root);
}

static void an_equal_op_derives_nothing(void **state)
{
    static const char one[] = "one";
    stn_rslot_op put = {.what = STN_RSLOT_PUT, .kind = 3, .value = one};
    stn_rslot *root = stn_rslot_new(NULL, NULL, 0), *slots[1000];
    uint64_t before;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        slots[i] = stn_rslot_new(i % 10 ? slots[i - 1] : root, NULL, 0);
        stn_rslot_get(slots[i], NULL);
    }
    assert_int_equal(stn_rslot_set_own(root, &put, 1, NULL), STN_OK);
    before = stn_rslot_derived();
    for (int i = 0; i < 1000; i++)
        assert_ptr_equal(stn_rslot_get(slots[i], NULL)->value[3], one);
    assert_int_equal(stn_rslot_derived() - before, 1001);
    assert_int_equal(stn_rslot_set_own(root, &put, 1, NULL), STN_OK);
    before = stn_rslot_derived();
    for (int i = 0; i < 1000; i++)
        stn_rslot_get(slots[i], NULL);
    assert_int_equal(stn_rslot_derived() - before, 0);
    stn_rslot_free(root);
}

/* --- meshes from outside --- */

static stn_mesh_desc triangle(const float *v, const uint16_t *i)
{
    stn_mesh_desc d = {
        .vertices = v, .stride = 12, .vertex_count = 3, .indices = i, .index_bytes = 2, .index_count = 3};

    d.attrs[0] = (stn_mesh_attr){.slot = STN_VTX_POS, .comps = 3, .type = STN_VTX_F32};
    d.attr_count = 1;
    return d;
}

static void meshes_that_lie_are_refused_with_words(void **state)
{
    float v[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint16_t i[3] = {0, 1, 2};
    stn_mesh_desc d = triangle(v, i);
    stn_err err = {0};

    (void)state;
    assert_int_equal(stn_mesh_check(&d, &err), STN_OK);
    i[2] = 3;
    assert_int_equal(stn_mesh_check(&d, &err), STN_BAD_DATA);
    assert_non_null(strstr(err.text, "index 2"));
    i[2] = 2;
    v[4] = NAN;
    assert_int_equal(stn_mesh_check(&d, &err), STN_BAD_DATA);
    v[4] = 0;
    d.attrs[0].offset = 4;
    assert_int_equal(stn_mesh_check(&d, &err), STN_BAD_DATA);
    d = triangle(v, i);
    d.index_count = 2;
    assert_int_equal(stn_mesh_check(&d, &err), STN_BAD_DATA);
    d = triangle(v, i);
    d.vertex_count = 70000;
    assert_int_equal(stn_mesh_check(&d, &err), STN_BAD_DATA);
    d = triangle(v, i);
    d.vertex_count = 0;
    assert_int_equal(stn_mesh_check(&d, &err), STN_BAD_DATA);
}

/* --- cameras --- */

static void a_camera_says_what_it_sees_from_above(void **state)
{
    stn_m4 proj = stn_m4_frustum(-0.5f, 0.5f, -0.3f, 0.3f, 1, 5000), flat = stn_m4_ortho(-9, 9, -9, 9, 1, 99);
    stn_m4 level = stn_m4_pointed((stn_v3){100, 200, 0}, 50, 0.2f, 0);
    stn_m4 down = stn_m4_pointed((stn_v3){100, 200, 0}, 50, 1.5f, 0), none = {{0}};
    stn_camera_sight a = stn_camera_sight_of(&level, &proj), b;
    (void)state;
    /* At azimuth 0 it stands to the east of what it looks at; in the map y has the other sign. */
    assert_true(fabs(a.x + 1) < 1e-5 && fabs(a.y) < 1e-5);
    assert_true(fabs(a.eye_x - (100 + 50 * cos(0.2))) < 1e-3 && fabs(a.eye_y + 200) < 1e-3);
    /* The lower corners look farther down and so to a wider side than the edge's middle, atan 0.5. */
    assert_true(a.cos > 0.85 && a.cos < cos(atan(0.5)));
    b = stn_camera_sight_of(&down, &proj);
    assert_true(b.x == 0 && b.y == 0);
    assert_true(stn_camera_sight_moved(&a, &b) && stn_camera_sight_moved(&b, &a));
    assert_false(stn_camera_sight_moved(&a, &a) || stn_camera_sight_moved(&b, &b));
    b = stn_camera_sight_of(&level, &flat);
    assert_true(b.x == 0 && b.y == 0);
    b = stn_camera_sight_of(&none, &proj);
    assert_true(b.x == 0 && b.y == 0);
    b = a, b.eye_x += 200;
    assert_true(stn_camera_sight_moved(&a, &b));
    level = stn_m4_pointed((stn_v3){100, 200, 0}, 50, 0.2f, 0.3f);
    b = stn_camera_sight_of(&level, &proj);
    assert_true(b.y > 0.2 && stn_camera_sight_moved(&a, &b));
}

static void cameras_survive_nonsense(void **state)
{
    static const char *const names[] = {"ortho", "bad", "worse", "rts", "follow", "no such camera", NULL};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        stn_camera *c = stn_camera_new(names[i], "-t x -Z -5 -q -d 1e99 -e nan", 0, -3, 0, 0);
        stn_camera_world w = {.target = {10, -20, 3}};

        assert_non_null(c);
        stn_camera_tick(c, 0.1, &w);
        w.target.x = NAN;
        stn_camera_tick(c, 0.1, &w);
        stn_camera_tick(c, -1.0, &(stn_camera_world){.target = {1, 2, 3}});
        stn_camera_click(c, 5, 5, false);
        stn_camera_drag(c, 1000000, -1000000);
        stn_camera_wheel(c, 1e30);
        stn_camera_release(c);
        stn_camera_tick(c, 0.1, &(stn_camera_world){.target = {11, -21, 3}});
        for (int k = 0; k < 16; k++)
            assert_true(isfinite(stn_camera_view(c).m[k]));
        stn_camera_free(c);
    }
}

static void batches_are_dense(void **state)
{
    stn_batches *b = stn_batches_new();
    stn_batch_key key = {.mesh = 1, .group = 2};
    size_t n;
    const uint64_t *members;

    (void)state;
    for (uint64_t id = 0; id < 40; id++)
        assert_true(stn_batches_add(b, id, &key));
    assert_false(stn_batches_add(b, 5, &key));
    stn_batches_remove(b, 0);
    stn_batches_remove(b, 1000);
    members = stn_batches_members(b, 39, &n);
    assert_int_equal(n, 39);
    assert_int_equal(members[0], 39);
    assert_int_equal(stn_batches_counts(b).entries, 1);
    stn_batches_free(b);
}

/* One live cut at 0, 0 in remembered ground. */
static bool remembered_around(const void *ctx, int32_t x, int32_t y)
{
    (void)ctx;
    return x != 0 || y != 0;
}

static void remembered_ground_fades_within_one_cut_of_what_is_seen(void **state)
{
    static const struct {
        int32_t x, y;
        float corners[4];
    } cases[] = {
        {0, 0, {0, 0, 0, 0}},   {1, 0, {0, 1, 0, 1}},  {-1, 0, {1, 0, 1, 0}}, {0, 1, {0, 0, 1, 1}},
        {-1, -1, {1, 1, 1, 0}}, {1, -1, {1, 1, 0, 1}}, {2, 0, {1, 1, 1, 1}},  {-40, 7, {1, 1, 1, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float got[4];

        stn_memory_corners(remembered_around, NULL, cases[i].x, cases[i].y, got);
        assert_memory_equal(got, cases[i].corners, sizeof got);
    }
}

static void what_is_too_small_leaves_late_and_comes_back_late(void **state)
{
    /* A parallel view of 200 units from top to bottom: a thing of one unit is a 200th of it. */
    stn_m4 clip = stn_m4_ortho(-100, 100, -100, 100, 1, 1000);
    stn_cull_box box = {{0, 0, 0}, {1, 0, 0}};
    stn_m4 at = stn_m4_xlate((stn_v3){3, 4, -50});
    stn_v3 corner[STN_CULL_CORNERS];

    (void)state;
    stn_cull_corners(&at, &box, corner);
    assert_true(fabs(stn_cull_size(&clip, corner, 1.0) - 0.005) < 1e-6);
    assert_true(stn_lod_seen(0.0016, true));
    assert_false(stn_lod_seen(0.0016, false));
    assert_true(stn_lod_seen(0.00136, true));
    assert_false(stn_lod_seen(0.00134, true));
    assert_true(stn_lod_seen(0.00166, false));
    assert_true(stn_lod_seen((double)INFINITY, false)); /* at the eye */
    assert_true(stn_lod_seen((double)NAN, false)); /* unknown: rather drawn than lost */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_an_update_nothing_is_marked_and_bounds_hold_their_children),
        cmocka_unit_test(an_untouched_tree_computes_nothing_and_a_moved_leaf_its_way_up),
        cmocka_unit_test(culling_never_loses_what_is_in_sight_and_queues_once),
        cmocka_unit_test(a_sibling_is_tested_against_all_planes_again),
        cmocka_unit_test(cycles_and_meshes_as_parents_are_refused),
        cmocka_unit_test(a_chain_that_is_too_deep_is_refused),
        cmocka_unit_test(a_locked_slot_refuses_changes_and_may_not_lean_on_an_unlocked_one),
        cmocka_unit_test(an_equal_op_derives_nothing),
        cmocka_unit_test(meshes_that_lie_are_refused_with_words),
        cmocka_unit_test(a_camera_says_what_it_sees_from_above),
        cmocka_unit_test(cameras_survive_nonsense),
        cmocka_unit_test(batches_are_dense),
        cmocka_unit_test(what_is_too_small_leaves_late_and_comes_back_late),
        cmocka_unit_test(remembered_ground_fades_within_one_cut_of_what_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
