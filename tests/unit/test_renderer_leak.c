/* What is made for a scene is deleted with it: a hundred scenes loaded and unloaded leave no GL object
 * behind. The null driver counts; a real one is asked whether it complained. */
#include "renderer/gl/nullgl.h"
#include "renderer/gl/picker.h"
#include "support/rig.h"
#include "support/scenery.h"

#include <glad/gl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SCENES 100

static stn_picker *picker;

static void open_rig(rig *r)
{
    stn_err err = {0};

    assert_int_equal(rig_open(r, STN_SURFACE_NULL, 64, 48, 256, &err), STN_OK);
    assert_int_equal(rig_stage(r, NULL, NULL, false, &err), STN_OK);
    assert_int_equal(
        stn_picker_new(
            &(stn_picker_parts){.rec = &r->rec, .view = r->view, .stage = r->stage, .numbers = true}, &picker,
            &err),
        STN_OK);
}

static void close_rig(rig *r)
{
    stn_picker_free(picker);
    rig_close(r);
}

static const float corners[4][5] = {{0, 0, 0, 0, 0}, {9, 0, 0, 1, 0}, {9, 9, 0, 1, 1}, {0, 9, 0, 0, 1}};
static const uint16_t triangles[6] = {0, 1, 2, 0, 2, 3};
static const uint16_t frames[2 * 2 * 3];
static const uint8_t picture[4 * 4 * 4];

static stn_job *job_of(stn_job_kind kind, uint64_t frame)
{
    stn_job *job = stn_job_new(kind, frame);

    assert_non_null(job);
    return job;
}

/* What a session brings once: a picture, and a mesh with an animation. */
static void give_assets(rig *r)
{
    stn_job *job = job_of(STN_JOB_TEXTURE, 0);

    job->u.texture =
        (stn_job_texture){.asset = 1,
                          .levels = {{4, 4, picture}, {2, 2, picture}, {1, 1, picture}},
                          .level_count = 3,
                          .sampling = {STN_FILTER_LINEAR, STN_FILTER_LINEAR, STN_MIPS_LINEAR, 0}};
    stn_stage_take(r->stage, job);
    job = job_of(STN_JOB_MESH, 0);
    job->u.mesh.asset = 2;
    job->u.mesh.desc = (stn_mesh_desc){
        .vertices = corners,
        .stride = sizeof corners[0],
        .vertex_count = 4,
        .attrs = {{.slot = STN_VTX_POS, .comps = 3}, {.slot = STN_VTX_TEX, .comps = 2, .offset = 12}},
        .attr_count = 2,
        .indices = triangles,
        .index_bytes = 2,
        .index_count = 6};
    job->u.mesh.morph = (stn_mesh_morph){frames, 2, 2};
    stn_stage_take(r->stage, job);
}

static void give_cut(rig *r, uint64_t frame, int32_t x)
{
    stn_job *job = job_of(STN_JOB_CUT, frame);
    stn_cut_part *parts = stn_job_memory(job, 2 * sizeof *parts);

    assert_non_null(parts);
    memset(parts, 0, 2 * sizeof *parts);
    for (int i = 0; i < 2; i++) {
        parts[i].mesh = (stn_mesh_part){.attrs = {{.slot = STN_VTX_POS, .comps = 3}},
                                        .attr_count = 1,
                                        .stride = sizeof corners[0],
                                        .index_count = 6};
        parts[i].material = stn_matstate_default();
        parts[i].material.features = STN_MAT_TEX | (i ? STN_MAT_LIT : 0u);
        parts[i].material.texture[STN_MAT_T_BASE] = 1;
        parts[i].casts = true;
    }
    job->u.cut = (stn_job_cut){.x = x,
                               .product = 1,
                               .vertices = corners,
                               .vertex_bytes = sizeof corners,
                               .indices = triangles,
                               .index_bytes = sizeof triangles,
                               .parts = parts,
                               .part_count = 2,
                               .max = {275, 275, 1}};
    stn_stage_take(r->stage, job);
}

static void give_thing(rig *r, uint64_t frame, int64_t id)
{
    stn_job *job = job_of(STN_JOB_GOB, frame);
    stn_leaf_look *leaf = stn_job_memory(job, sizeof *leaf);

    assert_non_null(leaf);
    *leaf = (stn_leaf_look){.mesh = 2, .local = stn_m4_identity(), .casts = true, .morph = {0, 4}};
    leaf->material = stn_matstate_default();
    leaf->material.features = STN_MAT_LIT | STN_MAT_TEX | STN_MAT_MORPH;
    leaf->material.texture[STN_MAT_T_BASE] = 1;
    job->u.look = (stn_gob_look){.id = id, .version = 1, .leaves = leaf, .leaf_count = 1, .max = {9, 9, 1}};
    stn_stage_take(r->stage, job);
    job = job_of(STN_JOB_GOB_PLACE, frame);
    job->u.place = (stn_gob_place){.id = id, .x = 20.0 * (double)id};
    stn_stage_take(r->stage, job);
}

static void give_light(rig *r)
{
    stn_job *job = job_of(STN_JOB_GLOBAL, 0);

    job->u.global.light = (stn_daylight){{80, 80, 80, 255}, {255, 255, 255, 255}, {0, 0, 0, 255}, 1.0, 0.8};
    job->u.global.has_light = true;
    stn_stage_take(r->stage, job);
}

/* Two pictures of two sizes and a question about a pixel: programs, targets and buffers of all kinds. */
static void draw(rig *r, uint64_t turn)
{
    stn_stage_look look = {
        .shadows = true, .outlines = true, .fog = true, .sway = true, .fog_distance = 700, .detail = 1.0f};
    stn_picked picked;
    stn_err err = {0};

    for (int i = 0; i < 2; i++) {
        stn_frame f = {.view = stn_m4_xlate((stn_v3){-20, -4, -60}),
                       .proj = stn_m4_frustum(-0.5f, 0.5f, -0.5f, 0.5f, 1.0f, 2000.0f)};

        assert_int_equal(
            stn_view_resize(r->view, 64 + 16 * i, 48, (turn + (uint64_t)i) % 2 == 0, i % 3 == 0, &err),
            STN_OK);
        stn_view_begin(r->view);
        stn_stage_fill(r->stage, &look, (stn_v3){0, 0, 0}, &f);
        stn_view_draw(r->view, &f);
        stn_view_warm(r->view, INT64_MAX);
        stn_view_draw(r->view, &f);
        assert_true(stn_view_last(r->view)->draws > 0);
        if (stn_picker_ask(picker, &f, 20, 20, 64 + 16 * i, 48, 0))
            stn_picker_answer(picker, 0, &picked);
    }
}

/* The scene before goes in parts, a little in each frame: until nothing more goes, however slow the machine.
 */
static void let_go(rig *r)
{
    stn_stage_facts before, after;

    for (int quiet = 0, ticks = 0; quiet < 5 && ticks < 100000; ticks++) {
        stn_stage_get(r->stage, &before);
        stn_stage_tick(r->stage, 0.1);
        stn_stage_get(r->stage, &after);
        quiet = after.frees == before.frees ? quiet + 1 : 0;
    }
}

static void load(rig *r, uint64_t frame)
{
    stn_job *job = job_of(STN_JOB_FRAME, frame);

    job->u.id = (int64_t)frame;
    stn_stage_take(r->stage, job);
    for (int32_t x = -2; x < 3; x++)
        give_cut(r, frame, x);
    for (int64_t id = 1; id < 9; id++)
        give_thing(r, frame, id);
    give_cut(r, frame, 0); /* in place of one that is shown */
    stn_stage_tick(r->stage, STN_STAGE_SWAP_SECONDS + 1.0); /* the scene before it goes */
    let_go(r);
}

static void the_next_scene_takes_the_place_of_the_last(void **state)
{
    rig r;
    size_t first = 0, meshes = 0;

    (void)state;
    open_rig(&r);
    give_assets(&r);
    give_light(&r);
    for (uint64_t i = 1; i <= SCENES; i++) {
        load(&r, i);
        draw(&r, i % 2);
        /* From the third on all programs and targets have been there. */
        if (i == 3) {
            first = stn_nullgl_live();
            meshes = stn_meshes_count(r.meshes);
        }
        if (i > 3 && i % 2 == 1) {
            assert_int_equal(stn_nullgl_live(), first);
            assert_int_equal(stn_meshes_count(r.meshes), meshes);
        }
    }
    close_rig(&r);
    assert_int_equal(stn_nullgl_live(), 0);
}

static void a_hundred_starts_and_ends_leave_nothing(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < SCENES; i++) {
        rig r;

        open_rig(&r);
        give_assets(&r);
        give_light(&r);
        load(&r, 1);
        draw(&r, i);
        assert_true(stn_nullgl_live() > 20);
        close_rig(&r);
        assert_int_equal(stn_nullgl_live(), 0);
    }
}

/* What is left of a kind in a real context: names are handed out from the lowest that is free. */
static unsigned left(GLboolean(GLAD_API_PTR *is)(GLuint))
{
    unsigned n = 0;

    for (GLuint name = 1; name < 20000; name++)
        n += is(name) ? 1 : 0;
    return n;
}

static void a_real_driver_has_nothing_to_say_and_nothing_left(void **state)
{
    scenery s;
    stn_err err = {0};
    stn_status st = scenery_open(&s, 1, STN_PACK_FOLDER, 160, 90, &err);
    uint8_t *rgba = malloc((size_t)160 * 90 * 4);
    stn_surface *surface;
    double x, y, angle;

    (void)state;
    if (st == STN_UNSUPPORTED) {
        printf("skipped: %s\n", err.text);
        free(rgba);
        return;
    }
    assert_int_equal(st, STN_OK);
    assert_non_null(rgba);
    stn_land_spawn(scenery_ground_land(s.ground), &x, &y, &angle);
    assert_int_equal(scenery_land(&s, x, y, 1, &err), STN_OK);
    scenery_light(&s, (stn_colour){88, 98, 114, 255}, (stn_colour){255, 243, 220, 255}, 3.9, 0.78);
    scenery_run(&s, 0.3);
    scenery_eye(&s, x, y, 10, 200, 0.5, 1.0, 0);
    scenery_draw(&s, rgba);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    assert_int_equal(stn_surface_debug_messages(s.surface), 0);
    assert_true(left(glIsTexture) > 20);
    surface = s.surface;
    s.surface = NULL; /* the context outlives what was made in it */
    scenery_close(&s);
    free(rgba);
    glUseProgram(0); /* one in use is deleted when it no longer is */
    assert_int_equal(left(glIsTexture), 0);
    assert_int_equal(left(glIsBuffer), 0);
    assert_int_equal(left(glIsVertexArray), 0);
    assert_int_equal(left(glIsFramebuffer), 0);
    assert_int_equal(left(glIsSampler), 0);
    assert_int_equal(left(glIsProgram), 0);
    assert_int_equal(left(glIsShader), 0);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    assert_int_equal(stn_surface_debug_messages(surface), 0);
    stn_surface_free(surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_scene_takes_the_place_of_the_last),
        cmocka_unit_test(a_hundred_starts_and_ends_leave_nothing),
        cmocka_unit_test(a_real_driver_has_nothing_to_say_and_nothing_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
