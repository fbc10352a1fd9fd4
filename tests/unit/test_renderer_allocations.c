/* In a steady state a frame takes nothing from the heap: the linker puts the functions below in the place of
 * malloc() and the like for all code of this project, and they count what the thread that draws asks for.
 * What the driver and SDL do for themselves is not ours to count. */
#include "renderer/renderer_impl.h"
#include "support/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static _Thread_local bool counting;
static unsigned taken;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    taken += counting;
    return __real_malloc(bytes);
}
void *__wrap_calloc(size_t n, size_t bytes)
{
    taken += counting;
    return __real_calloc(n, bytes);
}
void *__wrap_realloc(void *p, size_t bytes)
{
    taken += counting;
    return __real_realloc(p, bytes);
}

/* --- a scene in which much moves --- */

#define THINGS 200
#define PEOPLE 20
#define BONES 4
#define FRAMES 240

/* Jobs given back, which are used again as the build thread does. */
static stn_job *back[64];
static size_t back_count;

static void spent(void *arg, stn_job *job)
{
    (void)arg;
    if (job->kind == STN_JOB_POSES && back_count < 64)
        back[back_count++] = job;
    else
        stn_job_free(job);
}

static const float corners[4][8] = {
    {0, 0, 0, 0, 0, 1, 0, 0}, {9, 0, 0, 0, 0, 1, 1, 0}, {9, 9, 0, 0, 0, 1, 1, 1}, {0, 9, 0, 0, 0, 1, 0, 1}};
static const uint16_t triangles[6] = {0, 1, 2, 0, 2, 3};
static uint8_t picture[512 * 512 * 4];
static float heights[100 * 100];
static uint8_t flat[100 * 100 * 4];

static stn_job *job_of(stn_job_kind kind, uint64_t frame)
{
    stn_job *job = stn_job_new(kind, frame);

    assert_non_null(job);
    return job;
}

static void give_assets(rig *r)
{
    stn_job *job = job_of(STN_JOB_TEXTURE, 0);

    job->u.texture =
        (stn_job_texture){.asset = 1, .levels = {{512, 512, picture}, {256, 256, picture}}, .level_count = 2};
    stn_stage_take(r->stage, job);
    job = job_of(STN_JOB_MESH, 0);
    job->u.mesh.asset = 2;
    job->u.mesh.desc = (stn_mesh_desc){
        .vertices = corners,
        .stride = sizeof corners[0],
        .vertex_count = 4,
        .attrs = {{.slot = STN_VTX_POS, .comps = 3}, {.slot = STN_VTX_TEX, .comps = 2, .offset = 24}},
        .attr_count = 2,
        .indices = triangles,
        .index_bytes = 2,
        .index_count = 6};
    stn_stage_take(r->stage, job);
    job = job_of(STN_JOB_GRID, 1);
    job->u.grid = (stn_job_grid){.heights = heights, .colours = flat, .water = flat};
    stn_stage_take(r->stage, job);
    job = job_of(STN_JOB_GLOBAL, 0);
    job->u.global.light = (stn_daylight){{80, 80, 80, 255}, {255, 255, 255, 255}, {0, 0, 0, 255}, 1.0, 0.8};
    job->u.global.has_light = true;
    stn_stage_take(r->stage, job);
}

static void give_cut(rig *r, int32_t x, int32_t y, uint64_t product)
{
    stn_job *job = job_of(STN_JOB_CUT, 1);
    stn_cut_part *part = stn_job_memory(job, sizeof *part);

    assert_non_null(part);
    memset(part, 0, sizeof *part);
    part->mesh = (stn_mesh_part){.attrs = {{.slot = STN_VTX_POS, .comps = 3}},
                                 .attr_count = 1,
                                 .stride = sizeof corners[0],
                                 .index_count = 6};
    part->material = stn_matstate_default();
    part->material.features = STN_MAT_LIT | STN_MAT_TEX;
    part->material.texture[STN_MAT_T_BASE] = 1;
    part->casts = true;
    job->u.cut = (stn_job_cut){.x = x,
                               .y = y,
                               .product = product,
                               .vertices = corners,
                               .vertex_bytes = sizeof corners,
                               .indices = triangles,
                               .index_bytes = sizeof triangles,
                               .parts = part,
                               .part_count = 1,
                               .max = {275, 275, 1}};
    stn_stage_take(r->stage, job);
}

static void give_thing(rig *r, int64_t id)
{
    stn_job *job = job_of(STN_JOB_GOB, 1);
    stn_leaf_look *leaf = stn_job_memory(job, sizeof *leaf);
    bool person = id <= PEOPLE;

    assert_non_null(leaf);
    memset(leaf, 0, sizeof *leaf);
    leaf->mesh = 2;
    leaf->local = stn_m4_identity();
    leaf->casts = true;
    leaf->bones = person ? BONES : 0;
    leaf->material = stn_matstate_default();
    leaf->material.features = STN_MAT_LIT | STN_MAT_TEX | (person ? STN_MAT_SKIN : 0u);
    leaf->material.texture[STN_MAT_T_BASE] = 1;
    job->u.look = (stn_gob_look){.id = id,
                                 .version = 1,
                                 .leaves = leaf,
                                 .leaf_count = 1,
                                 .max = {9, 9, 9},
                                 .light_count = id % 10 == 0};
    job->u.look.lights[0] =
        (stn_gob_light){.dif = {1, 1, 1, 1}, .att = {1, 0.1f, 0.1f, 0.1f}, .flickers = true};
    stn_stage_take(r->stage, job);
}

/* Where it stands, and for people where they go. */
static void give_place(rig *r, int64_t id)
{
    stn_job *job = job_of(STN_JOB_GOB_PLACE, 1);

    job->u.place =
        (stn_gob_place){.id = id, .x = 10.0 + 37.0 * (double)(id % 25), .y = 10.0 + 99.0 * (double)(id / 25)};
    if (id <= PEOPLE)
        job->u.place.motion = (stn_motion){.kind = STN_MOVE_HOMING, .target = THINGS, .v = 20.0};
    stn_stage_take(r->stage, job);
}

static stn_job *new_poses(void)
{
    stn_job *job = job_of(STN_JOB_POSES, 1);
    stn_job_poses *p = &job->u.poses;

    p->gobs = stn_job_memory(job, PEOPLE * sizeof *p->gobs);
    p->matrices = stn_job_memory(job, (size_t)PEOPLE * (1 + BONES) * sizeof *p->matrices);
    assert_non_null(p->gobs);
    assert_non_null(p->matrices);
    for (uint32_t i = 0; i < PEOPLE; i++)
        p->gobs[i] = (stn_gob_pose){.id = (int64_t)i + 1,
                                    .version = 1,
                                    .first = i * (1 + BONES),
                                    .leaf_count = 1,
                                    .bone_count = BONES};
    for (size_t i = 0; i < (size_t)PEOPLE * (1 + BONES); i++)
        p->matrices[i] = stn_m4_identity();
    p->gob_count = PEOPLE;
    p->matrix_count = PEOPLE * (1 + BONES);
    return job;
}

static void open_rig(rig *r)
{
    stn_err err = {0};

    assert_int_equal(rig_open(r, STN_SURFACE_NULL, 64, 48, 256, &err), STN_OK);
    assert_int_equal(rig_stage(r, spent, NULL, true, &err), STN_OK);
    stn_stage_take(r->stage, job_of(STN_JOB_FRAME, 1));
    give_assets(r);
    for (int32_t i = 0; i < 16; i++)
        give_cut(r, i % 4, i / 4, (uint64_t)i + 1);
    for (int64_t id = 1; id <= THINGS; id++) {
        give_thing(r, id);
        give_place(r, id);
    }
    back[back_count++] = new_poses();
    back[back_count++] = new_poses();
}

static void close_rig(rig *r)
{
    rig_close(r);
    while (back_count > 0)
        stn_job_free(back[--back_count]);
}

static void frame(rig *r, int i)
{
    stn_stage_look look = {.shadows = true,
                           .outlines = true,
                           .fog = true,
                           .sway = true,
                           .fog_distance = 700,
                           .detail = 1.0f,
                           .time = (double)i / 60.0};
    stn_frame f = {.proj = stn_m4_frustum(-0.5f, 0.5f, -0.4f, 0.4f, 1.0f, 5000.0f),
                   .view = stn_m4_pointed((stn_v3){500, -500, 0}, 700.0f, 0.6f, 0.02f * (float)i)};

    counting = true;
    if (back_count > 0)
        stn_stage_take(r->stage, back[--back_count]);
    stn_stage_upload(r->stage, INT64_MAX, SIZE_MAX);
    stn_stage_tick(r->stage, 1.0 / 60.0);
    stn_view_begin(r->view);
    stn_stage_fill(r->stage, &look, (stn_v3){500, -500, 0}, &f);
    stn_view_draw(r->view, &f);
    stn_view_present(r->view, 64, 48);
    stn_surface_swap(r->surface, &r->rec);
    stn_view_warm(r->view, INT64_MAX);
    counting = false;
}

static void a_scene_that_moves_takes_nothing_from_the_heap(void **state)
{
    rig r;
    uint32_t most = 0;

    (void)state;
    open_rig(&r);
    for (int i = 0; i < FRAMES; i++) /* once round: everything has been in sight */
        frame(&r, i);
    taken = 0;
    for (int i = 0; i < 2 * FRAMES; i++) {
        if (i % 40 == 0) /* people are sent elsewhere, and a texture comes in the middle of it all */
            for (int64_t id = 1; id <= PEOPLE; id++)
                give_place(&r, id);
        if (i == FRAMES / 2)
            give_assets(&r);
        frame(&r, i);
        most = stn_view_last(r.view)->draws > most ? stn_view_last(r.view)->draws : most;
    }
    assert_true(most > 10);
    assert_int_equal(taken, 0);
    close_rig(&r);
}

/* --- the whole loop, without anybody to talk to --- */

static void the_loop_of_frames_takes_nothing_from_the_heap(void **state)
{
    stn_renderer_options o = {.instance = "allocations",
                              .surface = STN_SURFACE_NULL,
                              .width = 320,
                              .height = 200,
                              .shadows = -1,
                              .outlines = -1,
                              .smooth = -1,
                              .minimap = true,
                              .line = true,
                              .fov = STN_HUD_FOV,
                              .haze_distance = 700,
                              .detail = -1,
                              .names = true,
                              .place_steps = 8,
                              .film = "",
                              .film_of = "",
                              .film_process = "",
                              .frame_cap = -1,
                              .fps = 0,
                              .preset = "high",
                              .camera = "bad",
                              .camera_args = "",
                              .bindings = "",
                              .shot_folder = ".",
                              .ui_scale = 1.0,
                              .range = 1100.0,
                              .cuts = 2,
                              .font = "",
                              .program_cache = "none",
                              .fly = true,
                              .frames = 300};
    stn_renderer *r = NULL;
    stn_err err = {0};

    (void)state;
    assert_int_equal(stn_renderer_new(&o, &r, &err), STN_OK);
    assert_int_equal(stn_renderer_run(r, &err), STN_OK);
    r->o.frames = 3000;
    taken = 0;
    counting = true;
    assert_int_equal(stn_renderer_run(r, &err), STN_OK);
    counting = false;
    assert_int_equal(r->drawn, 3000);
    assert_int_equal(taken, 0);
    stn_renderer_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_that_moves_takes_nothing_from_the_heap),
        cmocka_unit_test(the_loop_of_frames_takes_nothing_from_the_heap),
    };
    char folder[] = "/tmp/stn-allocations-XXXXXX";
    int failed;

    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_RUNTIME_DIR", folder, 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (chdir("/tmp") == 0) {
        char command[96];

        snprintf(command, sizeof command, "rm -rf '%s'", folder);
        failed += system(command) != 0;
    }
    return failed;
}
