/* What goes to the driver and when: which of it first, in parts, within what a frame allows, and without
 * overwriting what is being drawn. With the driver that draws nothing. */
#include "renderer/gl/nullgl.h"
#include "renderer/gl/ring.h"
#include "renderer/gl/uploads.h"
#include "support/rig.h"

#include <glad/gl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t gone; /* a bit for each product of a cut given back */

static void spent(void *arg, stn_job *job)
{
    (void)arg;
    if (job->kind == STN_JOB_CUT)
        gone |= UINT64_C(1) << job->u.cut.product;
    stn_job_free(job);
}

static void open_rig(rig *r)
{
    stn_err err = {0};

    gone = 0;
    assert_int_equal(rig_open(r, STN_SURFACE_NULL, 64, 48, 256, &err), STN_OK);
    assert_int_equal(rig_stage(r, spent, NULL, true, &err), STN_OK);
}

static void close_rig(rig *r)
{
    rig_close(r);
    assert_int_equal(stn_nullgl_live(), 0);
}

/* --- what goes next --- */

static void the_nearest_goes_first_and_nothing_waits_too_long(void **state)
{
    stn_uploads u;
    stn_job jobs[5] = {{0}};
    static const float far[5] = {300, 20, 20, 1, 0};

    (void)state;
    assert_true(stn_uploads_init(&u));
    assert_null(stn_uploads_next(&u, 0));
    for (int i = 0; i < 5; i++) {
        assert_true(stn_uploads_put(&u, &jobs[i], i < 3 ? 0 : 7, i * STN_MS));
        u.items[i].far = far[i];
    }
    assert_true(stn_uploads_waits(&u, 7));
    /* Of one place the older first, though the newer is nearer; then the newer, then the older of equals. */
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(stn_uploads_next(&u, STN_MS)->job, &jobs[3 + i]);
        stn_uploads_remove(&u, stn_uploads_next(&u, STN_MS));
    }
    assert_false(stn_uploads_waits(&u, 7));
    assert_ptr_equal(stn_uploads_next(&u, STN_MS)->job, &jobs[1]);
    /* The far one came first: after two seconds it is its turn. */
    assert_ptr_equal(stn_uploads_next(&u, STN_UPLOAD_PATIENCE_NS - 1)->job, &jobs[1]);
    assert_ptr_equal(stn_uploads_next(&u, STN_UPLOAD_PATIENCE_NS)->job, &jobs[0]);
    assert_ptr_equal(stn_uploads_next(&u, 2 * STN_UPLOAD_PATIENCE_NS)->job, &jobs[0]);
    stn_uploads_fini(&u);
}

static void there_is_room_for_so_many(void **state)
{
    stn_uploads u;
    stn_job job = {0};

    (void)state;
    assert_true(stn_uploads_init(&u));
    for (int i = 0; i < STN_UPLOADS_MAX; i++)
        assert_true(stn_uploads_put(&u, &job, 0, 0));
    assert_false(stn_uploads_put(&u, &job, 0, 0));
    stn_uploads_fini(&u);
}

/* --- textures in parts --- */

static void a_large_texture_comes_in_bands_and_its_small_levels_stand_for_it(void **state)
{
    static uint8_t pixels[1024 * 512 * 4];
    stn_texture_level levels[11];
    uint32_t w = 1024, h = 512, id, small;
    size_t all = 0, moved = 0, before, one, steps = 0;
    stn_err err = {0};
    rig r;

    (void)state;
    for (int i = 0; i < 11; i++) {
        levels[i] = (stn_texture_level){w, h, pixels};
        all += (size_t)w * h * 4;
        w = w > 1 ? w / 2 : 1;
        h = h > 1 ? h / 2 : 1;
    }
    open_rig(&r);
    before = stn_nullgl_live();
    assert_int_equal(stn_textures_begin(r.textures, levels, 11, (stn_sampling){0}, &id, &err), STN_OK);
    assert_int_equal(stn_textures_state(r.textures, id), STN_TEXTURE_NONE);
    assert_int_equal(stn_nullgl_live(), before);
    assert_true(stn_textures_step(r.textures, id) < 64 * 64 * 4 * 2);
    assert_int_equal(stn_textures_state(r.textures, id), STN_TEXTURE_TAIL);
    while (stn_textures_state(r.textures, id) != STN_TEXTURE_WHOLE) {
        assert_true((one = stn_textures_step(r.textures, id)) > 0);
        assert_true(one <= STN_TEXTURE_BAND);
        moved += one;
        assert_true(++steps < 100);
    }
    assert_int_equal(moved, all);
    assert_true(steps >= all / STN_TEXTURE_BAND);
    assert_int_equal(stn_textures_step(r.textures, id), 0);
    assert_int_equal(stn_nullgl_live(), before + 1); /* what stood for it is gone */
    /* A small one needs one step; one without small levels is not drawn before it is whole. */
    assert_int_equal(stn_textures_begin(r.textures, levels + 4, 7, (stn_sampling){0}, &small, &err), STN_OK);
    assert_true(stn_textures_step(r.textures, small) > 0);
    assert_int_equal(stn_textures_state(r.textures, small), STN_TEXTURE_WHOLE);
    assert_int_equal(stn_textures_begin(r.textures, levels, 1, (stn_sampling){0}, &id, &err), STN_OK);
    stn_textures_step(r.textures, id);
    assert_int_equal(stn_textures_state(r.textures, id), STN_TEXTURE_NONE);
    stn_textures_bind(r.textures, id, 0);
    stn_textures_remove(r.textures, id); /* half way */
    close_rig(&r);
}

/* --- the stage --- */

static stn_job *job_of(stn_job_kind kind, uint64_t frame)
{
    stn_job *job = stn_job_new(kind, frame);

    assert_non_null(job);
    return job;
}

static const float corners[4][5] = {{0, 0, 0, 0, 0}, {9, 0, 0, 1, 0}, {9, 9, 0, 1, 1}, {0, 9, 0, 0, 1}};
static const uint16_t triangles[6] = {0, 1, 2, 0, 2, 3};
static const uint8_t picture[4 * 4 * 4];

static void give_texture(rig *r, uint32_t asset)
{
    stn_job *job = job_of(STN_JOB_TEXTURE, 0);

    job->u.texture = (stn_job_texture){.asset = asset, .levels = {{4, 4, picture}}, .level_count = 1};
    job->bytes = sizeof picture;
    stn_stage_take(r->stage, job);
}

static void give_cut(rig *r, int32_t x, uint64_t product, uint64_t swap, uint32_t texture)
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
    part->material.features = STN_MAT_TEX;
    part->material.texture[STN_MAT_T_BASE] = texture;
    job->u.cut = (stn_job_cut){.x = x,
                               .product = product,
                               .swap = swap,
                               .vertices = corners,
                               .vertex_bytes = sizeof corners,
                               .indices = triangles,
                               .index_bytes = sizeof triangles,
                               .parts = part,
                               .part_count = 1,
                               .max = {275, 275, 1}};
    job->bytes = sizeof corners + sizeof triangles;
    stn_stage_take(r->stage, job);
}

static stn_stage_facts facts(const rig *r)
{
    stn_stage_facts f;

    stn_stage_get(r->stage, &f);
    return f;
}

static void what_a_cut_is_drawn_with_goes_before_it(void **state)
{
    rig r;
    stn_job *drop;
    size_t before;

    (void)state;
    open_rig(&r);
    before = stn_textures_bytes(r.textures);
    stn_stage_take(r.stage, job_of(STN_JOB_FRAME, 1));
    give_texture(&r, 9); /* nobody looks for it */
    give_cut(&r, 0, 1, 0, 3);
    give_texture(&r, 3);
    assert_int_equal(facts(&r).uploads, 3);
    assert_int_equal(facts(&r).cuts, 0);
    /* One thing a call, as if no time were left. */
    stn_stage_upload(r.stage, 0, 0);
    assert_int_equal(stn_textures_bytes(r.textures), before + 2 * sizeof picture); /* both are begun */
    assert_int_equal(facts(&r).cuts, 0);
    stn_stage_upload(r.stage, 0, 0);
    assert_int_equal(facts(&r).cuts, 1);
    assert_int_equal(facts(&r).uploads, 1);
    /* Bytes end a call as time does. */
    give_cut(&r, 1, 2, 0, 3);
    give_cut(&r, 2, 3, 0, 3);
    stn_stage_upload(r.stage, INT64_MAX, 1);
    assert_int_equal(facts(&r).cuts, 2);
    /* What is not wanted any more does not go at all. */
    drop = job_of(STN_JOB_CUT_DROP, 1);
    drop->u.cut.x = 2;
    stn_stage_take(r.stage, drop);
    assert_int_equal(gone, 1 << 3);
    while (stn_stage_waits(r.stage))
        stn_stage_upload(r.stage, INT64_MAX, SIZE_MAX);
    assert_int_equal(facts(&r).cuts, 2);
    close_rig(&r);
}

static void a_change_is_shown_when_its_last_cut_is_uploaded(void **state)
{
    rig r;
    stn_job *end;

    (void)state;
    open_rig(&r);
    stn_stage_take(r.stage, job_of(STN_JOB_FRAME, 1));
    give_texture(&r, 3);
    for (int32_t x = 0; x < 3; x++)
        give_cut(&r, x, (uint64_t)x + 1, 0, 3);
    while (stn_stage_waits(r.stage))
        stn_stage_upload(r.stage, INT64_MAX, SIZE_MAX);
    assert_int_equal(facts(&r).cuts, 3);
    for (int32_t x = 0; x < 3; x++)
        give_cut(&r, x, (uint64_t)x + 4, 5, 3);
    end = job_of(STN_JOB_CUT_SWAP, 1);
    end->u.cut.swap = 5;
    stn_stage_take(r.stage, end);
    for (int i = 0; i < 2; i++) {
        stn_stage_upload(r.stage, 0, 0);
        stn_stage_tick(r.stage, 0.01);
        assert_int_equal(gone, 0);
    }
    stn_stage_upload(r.stage, 0, 0);
    for (int i = 0; i < 3; i++) /* the old ones leave bit by bit, one a frame at least */
        stn_stage_tick(r.stage, 0.01);
    assert_int_equal(gone, 1 << 1 | 1 << 2 | 1 << 3);
    assert_int_equal(facts(&r).cuts, 3);
    give_cut(&r, 0, 7, 0, 3); /* left waiting: goes with the stage */
    close_rig(&r);
    assert_int_equal(gone, 0xfe);
}

static void a_new_look_waits_for_its_mesh_while_the_old_one_stays(void **state)
{
    rig r;

    (void)state;
    open_rig(&r);
    stn_stage_take(r.stage, job_of(STN_JOB_FRAME, 1));
    for (uint32_t mesh = 1; mesh <= 2; mesh++) {
        stn_job *job = job_of(STN_JOB_GOB, 1);
        stn_leaf_look *leaf = stn_job_memory(job, sizeof *leaf);

        assert_non_null(leaf);
        memset(leaf, 0, sizeof *leaf);
        leaf->mesh = mesh;
        leaf->local = stn_m4_identity();
        leaf->material = stn_matstate_default();
        job->u.look =
            (stn_gob_look){.id = 5, .version = mesh, .leaves = leaf, .leaf_count = 1, .max = {9, 9, 1}};
        stn_stage_take(r.stage, job);
        assert_int_equal(facts(&r).frees, 1); /* the job that began the frame: no look was given back */
    }
    stn_stage_tick(r.stage, 0.5);
    assert_int_equal(facts(&r).frees, 1);
    {
        stn_job *job = job_of(STN_JOB_MESH, 0);

        job->u.mesh.asset = 2;
        job->u.mesh.desc = (stn_mesh_desc){.vertices = corners,
                                           .stride = sizeof corners[0],
                                           .vertex_count = 4,
                                           .attrs = {{.slot = STN_VTX_POS, .comps = 3}},
                                           .attr_count = 1,
                                           .indices = triangles,
                                           .index_bytes = 2,
                                           .index_count = 6};
        stn_stage_take(r.stage, job);
    }
    stn_stage_tick(r.stage, 0.1);
    assert_int_equal(facts(&r).frees, 1);
    stn_stage_upload(r.stage, 0, 0);
    stn_stage_tick(r.stage, 0.1);
    assert_int_equal(facts(&r).frees, 2);
    close_rig(&r);
}

/* --- memory in turn --- */

struct span {
    size_t from, to;
    uint64_t frame, storage;
};

/* What frames that may still be drawn read is never handed out again. */
static void drive(stn_ring *r, stn_glrec *rec, unsigned behind, size_t bytes, unsigned writes)
{
    static struct span kept[4000];
    size_t n = 0;

    for (uint64_t frame = 1; frame <= 200; frame++) {
        for (unsigned i = 0; i < writes; i++) {
            size_t at = 0, size = bytes + i * 48;
            void *to = stn_ring_begin(r, size, 144, &at);

            assert_non_null(to);
            stn_ring_end(r);
            assert_int_equal(at % 144, 0);
            assert_true(at + size <= r->region_bytes * STN_RING_REGIONS);
            for (size_t k = 0; k < n; k++)
                assert_true(kept[k].storage != r->storage || kept[k].frame <= rec->frames_done ||
                            at >= kept[k].to || at + size <= kept[k].from);
            kept[n++] = (struct span){at, at + size, rec->frames_given + 1, r->storage};
        }
        if (behind == 0)
            continue;
        rec->frames_given++;
        if (rec->frames_given > behind)
            rec->frames_done = rec->frames_given - behind;
    }
}

static void no_frame_overwrites_what_another_reads(void **state)
{
    static const unsigned behind[] = {1, 2, 3, 5};
    stn_surface_options so = {.kind = STN_SURFACE_NULL, .width = 16, .height = 16};
    stn_surface *surface;
    stn_err err = {0};

    (void)state;
    assert_int_equal(stn_surface_new(&so, &surface, &err), STN_OK);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned writes = 1; writes <= 3; writes++) {
            stn_glrec rec = {0};
            stn_ring r;

            stn_ring_init(&r, &rec, GL_ARRAY_BUFFER, 4096, 0);
            drive(&r, &rec, behind[i], 900, writes);
            /* Two frames behind, as the surface allows: the same memory serves for good. */
            if (behind[i] <= 2)
                assert_true(r.storage <= 2);
            stn_ring_fini(&r);
        }
    stn_surface_free(surface);
    assert_int_equal(stn_nullgl_live(), 0);
}

static void where_nobody_counts_frames_memory_is_fresh_and_does_not_grow(void **state)
{
    stn_surface_options so = {.kind = STN_SURFACE_NULL, .width = 16, .height = 16};
    stn_surface *surface;
    stn_glrec rec = {0};
    stn_ring r;
    stn_err err = {0};
    size_t at;

    (void)state;
    assert_int_equal(stn_surface_new(&so, &surface, &err), STN_OK);
    stn_ring_init(&r, &rec, GL_ARRAY_BUFFER, 4096, 65536);
    drive(&r, &rec, 0, 900, 3);
    assert_int_equal(r.region_bytes, 4096);
    assert_true(r.storage > 10);
    assert_null(stn_ring_begin(&r, 65536, 16, &at)); /* over its limit */
    assert_null(stn_ring_begin(&r, 0, 16, &at));
    stn_ring_fini(&r);
    stn_surface_free(surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_goes_first_and_nothing_waits_too_long),
        cmocka_unit_test(there_is_room_for_so_many),
        cmocka_unit_test(a_large_texture_comes_in_bands_and_its_small_levels_stand_for_it),
        cmocka_unit_test(what_a_cut_is_drawn_with_goes_before_it),
        cmocka_unit_test(a_change_is_shown_when_its_last_cut_is_uploaded),
        cmocka_unit_test(a_new_look_waits_for_its_mesh_while_the_old_one_stays),
        cmocka_unit_test(no_frame_overwrites_what_another_reads),
        cmocka_unit_test(where_nobody_counts_frames_memory_is_fresh_and_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
