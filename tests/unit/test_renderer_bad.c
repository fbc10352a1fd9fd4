/* What is broken or hostile on its way to the driver: it is refused with words or drawn as something else,
 * and never more. */
#include "renderer/gl/nullgl.h"
#include "support/rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static stn_status open_rig(rig *r, stn_err *err)
{
    return rig_open(r, STN_SURFACE_NULL, 64, 48, 256, err);
}

static void open_stage(rig *r)
{
    stn_err err = {0};

    assert_int_equal(open_rig(r, &err), STN_OK);
    assert_int_equal(rig_stage(r, NULL, NULL, false, &err), STN_OK);
    stn_stage_take(r->stage, stn_job_new(STN_JOB_FRAME, 1));
}

static void draw(rig *r)
{
    stn_stage_look look = {.shadows = true, .outlines = true, .sway = true, .grid = true, .detail = 1.0f};
    stn_frame f = {.view = stn_m4_xlate((stn_v3){0, 0, -60}),
                   .proj = stn_m4_frustum(-0.5f, 0.5f, -0.5f, 0.5f, 1.0f, 2000.0f)};

    stn_stage_tick(r->stage, 0.05);
    for (int pass = 0; pass < 2; pass++) {
        stn_view_begin(r->view);
        stn_stage_fill(r->stage, &look, (stn_v3){0, 0, 0}, &f);
        stn_view_draw(r->view, &f);
        stn_view_warm(r->view, INT64_MAX);
    }
}

/* --- the driver --- */

static void a_driver_that_refuses_all_shaders_is_named_at_the_start(void **state)
{
    stn_err err = {0};
    rig r;

    (void)state;
    stn_nullgl_refuse(true);
    assert_int_equal(open_rig(&r, &err), STN_UNSUPPORTED);
    assert_non_null(strstr(err.text, "refuses"));
    assert_null(r.view);
    stn_nullgl_refuse(false);
    rig_close(&r);
}

/* --- things --- */

static const float corners[4][8] = {{-5, -5, 0, 0, 0, 1, 0, 0},
                                    {5, -5, 0, 0, 0, 1, 1, 0},
                                    {5, 5, 0, 0, 0, 1, 1, 1},
                                    {-5, 5, 0, 0, 0, 1, 0, 1}};
static const uint16_t square[6] = {0, 1, 2, 0, 2, 3};

static void give_mesh(rig *r, uint32_t asset)
{
    stn_job *job = stn_job_new(STN_JOB_MESH, 0);

    job->u.mesh.asset = asset;
    job->u.mesh.desc = (stn_mesh_desc){.vertices = corners,
                                       .stride = sizeof corners[0],
                                       .vertex_count = 4,
                                       .attrs = {{.slot = STN_VTX_POS, .comps = 3},
                                                 {.slot = STN_VTX_NRM, .comps = 3, .offset = 12},
                                                 {.slot = STN_VTX_TEX, .comps = 2, .offset = 24}},
                                       .attr_count = 3,
                                       .indices = square,
                                       .index_bytes = 2,
                                       .index_count = 6};
    stn_stage_take(r->stage, job);
}

static void give_place(rig *r, int64_t id, double x, double y, stn_motion motion)
{
    stn_job *job = stn_job_new(STN_JOB_GOB_PLACE, 1);

    job->u.place = (stn_gob_place){.id = id, .x = x, .y = y, .motion = motion};
    stn_stage_take(r->stage, job);
}

/* A look of one leaf, to be made worse. */
static stn_leaf_look *new_look(stn_job **job, int64_t id, uint32_t asset)
{
    stn_leaf_look *leaf;

    *job = stn_job_new(STN_JOB_GOB, 1);
    leaf = stn_job_memory(*job, sizeof *leaf);
    memset(leaf, 0, sizeof *leaf);
    *leaf = (stn_leaf_look){.mesh = asset, .material = stn_matstate_default(), .local = stn_m4_identity()};
    leaf->material.features = STN_MAT_LIT | STN_MAT_TEX;
    (*job)->u.look = (stn_gob_look){
        .id = id, .version = 1, .leaves = leaf, .leaf_count = 1, .min = {-5, -5, 0}, .max = {5, 5, 1}};
    return leaf;
}

static uint32_t drawn(rig *r)
{
    draw(r);
    return stn_view_last(r->view)->instances;
}

static void a_thing_with_an_absent_texture_or_mesh_is_drawn_without_or_left_out(void **state)
{
    rig r;
    stn_job *job;

    (void)state;
    open_stage(&r);
    give_mesh(&r, 1);
    give_place(&r, 7, 0, 0, (stn_motion){0});
    new_look(&job, 7, 1); /* its texture is number 0: none */
    stn_stage_take(r.stage, job);
    assert_int_equal(drawn(&r), 1);
    new_look(&job, 7, 2); /* a mesh that never comes: the look before stays for a while */
    stn_stage_take(r.stage, job);
    assert_int_equal(drawn(&r), 1);
    stn_stage_tick(r.stage, 3.0);
    assert_int_equal(drawn(&r), 0);
    new_look(&job, 7, UINT32_MAX);
    stn_stage_take(r.stage, job);
    assert_int_equal(drawn(&r), 0);
    rig_close(&r);
}

static void a_place_or_a_limb_that_is_no_number_is_not_drawn(void **state)
{
    rig r;
    stn_job *job;
    stn_leaf_look *leaf;

    (void)state;
    open_stage(&r);
    give_mesh(&r, 1);
    give_place(&r, 7, 0, 0, (stn_motion){0});
    leaf = new_look(&job, 7, 1);
    leaf->local.m[12] = NAN;
    stn_stage_take(r.stage, job);
    assert_int_equal(drawn(&r), 0);
    assert_true(stn_view_last(r.view)->dropped > 0);
    new_look(&job, 7, 1);
    job->u.look.min.x = NAN; /* only the bound: it is drawn */
    stn_stage_take(r.stage, job);
    assert_int_equal(drawn(&r), 1);
    give_place(&r, 7, (double)NAN, INFINITY, (stn_motion){0});
    assert_int_equal(drawn(&r), 0);
    rig_close(&r);
}

static void bones_that_no_pose_has_are_waited_for(void **state)
{
    rig r;
    stn_job *job, *poses;
    stn_leaf_look *leaf;

    (void)state;
    open_stage(&r);
    give_mesh(&r, 1);
    give_place(&r, 7, 0, 0, (stn_motion){0});
    leaf = new_look(&job, 7, 1);
    leaf->bones = 3;
    leaf->material.features |= STN_MAT_SKIN;
    stn_stage_take(r.stage, job);
    assert_int_equal(drawn(&r), 0);
    poses = stn_job_new(STN_JOB_POSES, 1); /* a pose of it, with no bones at all */
    poses->u.poses.gobs = stn_job_memory(poses, sizeof(stn_gob_pose));
    poses->u.poses.matrices = stn_job_memory(poses, sizeof(stn_m4));
    poses->u.poses.matrices[0] = stn_m4_identity();
    poses->u.poses.gobs[0] = (stn_gob_pose){.id = 7, .version = 1, .leaf_count = 1};
    poses->u.poses.gob_count = poses->u.poses.matrix_count = 1;
    stn_stage_take(r.stage, poses);
    assert_int_equal(drawn(&r), 0);
    rig_close(&r);
}

static void things_that_follow_each_other_in_a_ring_stand_still(void **state)
{
    rig r;
    stn_job *job;

    (void)state;
    open_stage(&r);
    give_mesh(&r, 1);
    for (int64_t id = 1; id <= 3; id++) {
        new_look(&job, id, 1);
        stn_stage_take(r.stage, job);
        give_place(&r, id, 0, 0, (stn_motion){.kind = STN_MOVE_FOLLOWING, .target = id % 3 + 1});
    }
    new_look(&job, 4, 1);
    stn_stage_take(r.stage, job);
    give_place(&r, 4, 0, 0, (stn_motion){.kind = STN_MOVE_HOMING, .target = 4, .v = 10}); /* itself */
    for (int i = 0; i < 20; i++)
        assert_int_equal(drawn(&r), 4);
    rig_close(&r);
}

static void textures_of_no_size_or_of_too_much_are_refused_and_replaced(void **state)
{
    static const uint8_t pixel[4 * 8] = {1};
    const stn_texture_level bad[][2] = {{{0, 1, pixel}, {0}},
                                        {{1, 0, pixel}, {0}},
                                        {{16385, 1, pixel}, {0}},
                                        {{1, 1u << 31, pixel}, {0}},
                                        {{2, 2, pixel}, {2, 2, pixel}}};
    rig r;
    stn_job *job;

    (void)state;
    open_stage(&r);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        stn_err err = {0};
        uint32_t id = 1;
        size_t levels = bad[i][1].width ? 2 : 1;

        assert_int_not_equal(stn_textures_add(r.textures, bad[i], levels, (stn_sampling){0}, &id, &err),
                             STN_OK);
        assert_int_equal(id, 0);
        assert_non_null(strstr(err.text, "texture"));
    }
    /* On the way of a job it is counted, and what uses it is drawn with what stands for it. */
    give_mesh(&r, 1);
    job = stn_job_new(STN_JOB_TEXTURE, 0);
    job->u.texture.asset = 5;
    job->u.texture.levels[0] = bad[0][0];
    job->u.texture.level_count = 1;
    stn_stage_take(r.stage, job);
    give_place(&r, 7, 0, 0, (stn_motion){0});
    new_look(&job, 7, 1)->material.texture[STN_MAT_T_BASE] = 5;
    stn_stage_take(r.stage, job);
    assert_int_equal(drawn(&r), 1);
    {
        stn_stage_facts facts;

        stn_stage_get(r.stage, &facts);
        assert_int_equal(facts.failed_uploads, 1);
    }
    rig_close(&r);
}

static void a_shader_that_is_refused_later_leaves_the_rest_drawn(void **state)
{
    rig r;
    stn_job *job;
    unsigned ready, pending, failed;

    (void)state;
    open_stage(&r);
    give_mesh(&r, 1);
    give_place(&r, 7, 0, 0, (stn_motion){0});
    new_look(&job, 7, 1);
    stn_stage_take(r.stage, job);
    assert_int_equal(drawn(&r), 1);
    stn_nullgl_refuse(true);
    give_place(&r, 8, 3, 3, (stn_motion){0});
    new_look(&job, 8, 1)->material.features |= STN_MAT_HUE;
    stn_stage_take(r.stage, job);
    assert_int_equal(drawn(&r), 2); /* the plain program stands in for the other */
    stn_programs_counts(r.programs, &ready, &pending, &failed);
    assert_true(failed > 0);
    stn_nullgl_refuse(false);
    rig_close(&r);
}

static void a_sky_that_is_no_sheet_is_refused(void **state)
{
    static uint8_t px[8 * 6 * 4];
    rig r;
    stn_err err = {0};

    (void)state;
    open_stage(&r);
    assert_int_equal(stn_surroundings_sky(r.around, px, 0, 0, &err), STN_BAD_DATA);
    assert_int_equal(stn_surroundings_sky(r.around, px, 6, 6, &err), STN_BAD_DATA);
    assert_int_equal(stn_surroundings_sky(r.around, px, UINT32_MAX, 3, &err), STN_BAD_DATA);
    assert_non_null(strstr(err.text, "sky"));
    assert_false(stn_surroundings_has_sky(r.around));
    assert_int_equal(stn_surroundings_sky(r.around, px, 8, 6, &err), STN_OK);
    assert_true(stn_surroundings_has_sky(r.around));
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_that_refuses_all_shaders_is_named_at_the_start),
        cmocka_unit_test(a_thing_with_an_absent_texture_or_mesh_is_drawn_without_or_left_out),
        cmocka_unit_test(a_place_or_a_limb_that_is_no_number_is_not_drawn),
        cmocka_unit_test(bones_that_no_pose_has_are_waited_for),
        cmocka_unit_test(things_that_follow_each_other_in_a_ring_stand_still),
        cmocka_unit_test(textures_of_no_size_or_of_too_much_are_refused_and_replaced),
        cmocka_unit_test(a_shader_that_is_refused_later_leaves_the_rest_drawn),
        cmocka_unit_test(a_sky_that_is_no_sheet_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
