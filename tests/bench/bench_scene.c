/* bench_scene.c - what a frame's work costs, piece by piece, beside its budget (docs/spec/rendering.md 22.3).
 *
 *   bench_scene            prints JSON: each figure in ms (median and worst of its rounds, processor time of
 *                          this thread) with its budget, the demo scene's counts with theirs, and the machine
 *
 * The driver draws nothing (gl/nullgl.h), so that what is measured is this program. The scene is homestead's
 * land around the place where a player enters, 25 cuts, seen from above, made in this process. Nothing is
 * asserted: a figure over its budget is printed as such. Exit 1 only when something cannot be measured.
 */
#include "base/clock.h"
#include "map/coords.h"
#include "renderer/scene/batch.h"
#include "renderer/scene/cull.h"
#include "renderer/scene/lightgrid.h"
#include "renderer/scene/slots.h"
#include "res/picture.h"
#include "support/scenery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define ROUNDS 101
#define DRAWS 5000u
#define BOXES 20000u
#define THINGS 10000u
#define MOVED 1000u
#define SLOTS 10000u
#define LIGHTS 200u
#define SIDE 512u

static int64_t spent[ROUNDS];
static unsigned rounds;
static int64_t began;
static bool first_figure = true;

static void start(void)
{
    began = stn_clock_thread_cpu_ns();
}

static void stop(void)
{
    spent[rounds++] = stn_clock_thread_cpu_ns() - began;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* budget_ms 0: none is set. */
static void figure(const char *name, double budget_ms)
{
    double middle, worst;

    qsort(spent, rounds, sizeof *spent, by_time);
    middle = (double)spent[rounds / 2] / 1e6;
    worst = (double)spent[rounds - 1] / 1e6;
    printf("%s\n  {\"what\": \"%s\", \"ms\": %.4f, \"worst_ms\": %.4f", first_figure ? "" : ",", name, middle,
           worst);
    if (budget_ms > 0.0)
        printf(", \"budget_ms\": %.1f, \"within\": %s", budget_ms, middle <= budget_ms ? "true" : "false");
    printf("}");
    first_figure = false;
    rounds = 0;
}

static _Noreturn void give_up(const char *what, const stn_err *err)
{
    fprintf(stderr, "bench_scene: %s: %s\n", what, err && err->text[0] ? err->text : "out of memory");
    exit(EXIT_FAILURE);
}

static void *need(void *p)
{
    if (!p)
        give_up("set up", NULL);
    return p;
}

static float chance(uint32_t *state, float lo, float hi)
{
    *state = *state * 1664525u + 1013904223u;
    return lo + (float)(*state >> 8) / 16777216.0f * (hi - lo);
}

/* --- draws --- */

static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const uint16_t triangles[6] = {0, 1, 2, 0, 2, 3};

/* Each of its own mesh and a hundredth of them of one material, in mixed order: nothing becomes one call. */
static void bench_draws(scenery *s)
{
    static uint32_t meshes[DRAWS], materials[DRAWS / 100];
    const stn_mesh_desc d = {.vertices = corners,
                             .stride = sizeof corners[0],
                             .vertex_count = 4,
                             .attrs = {{.slot = STN_VTX_POS, .comps = 3}},
                             .attr_count = 1,
                             .indices = triangles,
                             .index_bytes = 2,
                             .index_count = 6};
    uint32_t state = 1;

    for (uint32_t i = 0; i < DRAWS; i++)
        if (!(meshes[i] = stn_meshes_add(s->meshes, &d)))
            give_up("meshes", NULL);
    for (uint32_t i = 0; i < DRAWS / 100; i++) {
        stn_matstate m = stn_matstate_default();

        m.features = STN_MAT_LIT;
        m.dif[0] = (float)i / 64.0f;
        materials[i] = stn_view_material(s->view, &m);
    }
    stn_view_warm(s->view, INT64_MAX);
    for (int round = 0; round < ROUNDS; round++) {
        stn_frame f = {.day_light = -1, .view = stn_m4_identity(), .proj = stn_m4_identity()};

        if (round == 1)
            stn_view_warm(s->view, INT64_MAX); /* what the first round asked for */
        start();
        stn_view_begin(s->view);
        for (uint32_t i = 0; i < DRAWS; i++) {
            stn_instance in = {.model = stn_m4_xlate((stn_v3){(float)(i % 71), (float)(i / 71), 0})};

            stn_view_add(s->view, meshes[i], materials[(uint32_t)chance(&state, 0, DRAWS / 100)], &in,
                         STN_DRAW_VISIBLE);
        }
        stn_view_draw(s->view, &f);
        stop();
        stn_surface_swap(s->surface, &s->rec);
    }
    if (stn_view_last(s->view)->draws < DRAWS)
        give_up("not all draws were made", &(stn_err){0});
    figure("record and replay 5,000 draws", 4.0);
    for (uint32_t i = 0; i < DRAWS; i++)
        stn_meshes_remove(s->meshes, meshes[i]);
}

/* --- culling --- */

static void bench_cull(void)
{
    stn_v3(*world)[STN_CULL_CORNERS] = need(malloc(BOXES * sizeof *world));
    stn_m4 clip = stn_m4_mul(stn_m4_frustum(-0.5f, 0.5f, -0.3f, 0.3f, 1.0f, 5000.0f),
                             stn_m4_pointed((stn_v3){0, 0, 0}, 500.0f, 0.6f, 0.3f));
    uint32_t state = 2, seen = 0;

    for (uint32_t i = 0; i < BOXES; i++) {
        stn_m4 at = stn_m4_xlate((stn_v3){chance(&state, -1100, 1100), chance(&state, -1100, 1100), 0});
        stn_cull_box box = {{-5, -5, 0}, {5, 5, chance(&state, 1, 40)}};

        stn_cull_corners(&at, &box, world[i]); /* once for each place */
    }
    for (int round = 0; round < ROUNDS; round++) {
        start();
        for (uint32_t i = 0; i < BOXES; i++)
            seen += stn_cull_inside(&clip, world[i], STN_CULL_IN);
        stop();
    }
    if (seen == 0)
        give_up("no box was seen", &(stn_err){0});
    figure("cull 20,000 boxes", 1.0);
    free(world);
}

/* The same through the scene graph: 400 nodes of 50. */
static void bench_graph(void)
{
    stn_spatial *root = need(stn_node_new("root"));
    stn_sg_camera c = {.near = 1.0,
                       .far = 5000.0,
                       .left = -0.5,
                       .right = 0.5,
                       .top = 0.3,
                       .bottom = -0.3,
                       .location = {0, -500, 300},
                       .axis_left = {-1, 0, 0},
                       .axis_up = {0, 0.5145, 0.8575},
                       .axis_dir = {0, 0.8575, -0.5145}};
    stn_sg_queue q = {0};
    stn_bound b = stn_bound_box((stn_sg_v3){0, 0, 10}, (stn_sg_v3){5, 5, 10});
    uint32_t state = 3;

    stn_sg_camera_planes(&c);
    for (uint32_t n = 0; n < 400; n++) {
        stn_spatial *node = need(stn_node_new("node"));

        stn_spatial_attach(root, node, NULL);
        for (uint32_t i = 0; i < BOXES / 400; i++) {
            stn_spatial *mesh = need(stn_mesh_new("mesh"));

            stn_mesh_set_bound(mesh, &b);
            stn_spatial_translate(
                mesh, (stn_sg_v3){(double)(n % 20) * 110 - 1100 + (double)chance(&state, 0, 110),
                                  (double)(n / 20) * 110 - 1100 + (double)chance(&state, 0, 110), 0});
            stn_spatial_attach(node, mesh, NULL);
        }
    }
    stn_spatial_update(root, 0.0);
    for (int round = 0; round < ROUNDS; round++) {
        start();
        stn_sg_queue_clear(&q);
        stn_sg_queue_visible(&q, root, &c);
        stop();
    }
    figure("cull the same 20,000 through a scene graph of 400 nodes", 0.0);
    for (int round = 0; round < ROUNDS; round++) {
        start();
        stn_spatial_update(root, 0.0);
        stop();
    }
    figure("update that graph, nothing moved", 0.0);
    stn_sg_queue_fini(&q);
    stn_spatial_free(root);
}

/* --- batches --- */

static stn_batch_key key_of(uint32_t i, uint32_t where)
{
    return (stn_batch_key){.mesh = i % 97, .group = (uint64_t)(i % 13) << 32 | where, .variant = i % 2};
}

static void bench_batches(void)
{
    stn_batches *b = need(stn_batches_new());

    for (uint32_t i = 0; i < THINGS; i++) {
        stn_batch_key k = key_of(i, 0);

        stn_batches_add(b, i, &k);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        start();
        for (uint32_t i = 0; i < MOVED; i++) {
            stn_batch_key k = key_of(i, round + 1);

            stn_batches_remove(b, i);
            stn_batches_add(b, i, &k);
        }
        stop();
    }
    figure("re-key 1,000 of 10,000 objects", 1.0);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        start();
        for (uint32_t i = 0; i < MOVED; i++) {
            stn_batch_key k = key_of(i, 0);

            stn_batches_add(b, THINGS + i, &k);
        }
        stop();
        for (uint32_t i = 0; i < MOVED; i++)
            stn_batches_remove(b, THINGS + i);
    }
    figure("insert 1,000 objects among 10,000", 1.0);
    stn_batches_free(b);
}

/* --- state --- */

static const int values[4];

static void bench_slots(void)
{
    stn_rslot_op op = {.what = STN_RSLOT_PUT, .kind = 1, .value = &values[0]};
    stn_rslot *root = need(stn_rslot_new(NULL, &op, 1)), **all = need(malloc(SLOTS * sizeof *all));
    uint64_t before, equal;

    for (uint32_t i = 0; i < SLOTS; i++) {
        stn_rslot_op own = {.what = STN_RSLOT_PUT, .kind = (uint8_t)(2 + i % 8), .value = &values[1]};

        /* A hundred of a hundred: objects and their parts. */
        all[i] = need(stn_rslot_new(i % 100 ? all[i - i % 100] : root, &own, 1));
    }
    for (int round = 0; round < ROUNDS; round++) {
        op.value = &values[2 + round % 2];
        start();
        stn_rslot_set_own(root, &op, 1, NULL);
        for (uint32_t i = 0; i < SLOTS; i++)
            stn_rslot_get(all[i], NULL);
        stop();
    }
    figure("derive the state of 10,000 slots after a change of the root", 10.0);
    before = stn_rslot_derived();
    for (int round = 0; round < ROUNDS; round++) {
        start();
        stn_rslot_set_own(root, &op, 1, NULL);
        for (uint32_t i = 0; i < SLOTS; i++)
            stn_rslot_get(all[i], NULL);
        stop();
    }
    equal = stn_rslot_derived() - before;
    figure("look at them after an op equal to the old one", 0.0);
    printf(",\n  {\"what\": \"derivations for an equal op\", \"count\": %llu, \"budget\": 0, \"within\": %s}",
           (unsigned long long)equal, equal == 0 ? "true" : "false");
    stn_rslot_free(root);
    free(all);
}

/* --- lights, pictures --- */

static void bench_lights(void)
{
    static stn_lit lit[LIGHTS];
    stn_m4 view = stn_m4_pointed((stn_v3){0, 0, 0}, 500.0f, 0.6f, 0.3f), one = stn_m4_identity();
    stn_m4 proj = stn_m4_frustum(-0.5f, 0.5f, -0.3f, 0.3f, 1.0f, 5000.0f);
    stn_lightgrid grid;
    stn_err err = {0};

    for (int round = 0; round < ROUNDS; round++) {
        stn_light_order order = {0};

        start();
        for (uint32_t i = 0; i < LIGHTS; i++)
            if (!stn_light_order_add(&order, i, (int)(i * 7 % 5)))
                give_up("lights", NULL);
        for (uint32_t i = 0; i < LIGHTS; i++) {
            uint32_t id = (uint32_t)order.items[i].id;

            lit[i] = (stn_lit){
                .pos = stn_light_pos(&view, &one,
                                     (stn_v3){(float)(id % 20) * 40 - 400, (float)(id / 20) * 40 - 200, 10}),
                .amb = stn_colour_f((stn_colour){20, 15, 10, 255}),
                .dif = stn_colour_f((stn_colour){255, 200, 120, 255}),
                .ac = 1.0f,
                .al = 0.05f,
                .aq = 0.01f,
                .at = 0.02f};
        }
        stop();
        stn_light_order_fini(&order);
    }
    figure("list of 200 lights, in order and in eye space", 0.2);
    if (stn_lightgrid_init(&grid, 32, 32, 32, 16, &err) != STN_OK)
        give_up("light grid", &err);
    for (int round = 0; round < ROUNDS; round++) {
        start();
        stn_lightgrid_compile(&grid, &proj, lit, LIGHTS, NULL);
        stop();
    }
    figure("light grid of 32 x 32 x 32 with them", 0.0);
    stn_lightgrid_fini(&grid);
}

static void bench_mips(void)
{
    size_t bytes = stn_mip_bytes(STN_MIP_AVG, SIDE, SIDE);
    uint8_t *chain = need(malloc(bytes));
    uint32_t state = 4;

    for (size_t i = 0; i < (size_t)SIDE * SIDE * 4; i++)
        chain[i] = (uint8_t)chance(&state, 0, 256);
    for (int round = 0; round < ROUNDS; round++) {
        start();
        stn_mip_chain(STN_MIP_AVG, chain, SIDE, SIDE);
        stop();
    }
    figure("avg mip chain of 512 x 512", 1.0);
    free(chain);
}

/* --- the demo scene --- */

static void count(const char *name, double value, double budget)
{
    printf(",\n  {\"what\": \"%s\", \"count\": %.0f, \"budget\": %.0f, \"within\": %s}", name, value, budget,
           value <= budget ? "true" : "false");
}

static void bench_scene(scenery *s)
{
    stn_err err = {0};
    double x, y, angle;
    unsigned ready, pending, failed;
    stn_frame frame;

    stn_land_spawn(scenery_ground_land(s->ground), &x, &y, &angle);
    if (scenery_land(s, x, y, 2, &err) != STN_OK)
        give_up("the land", &err);
    scenery_light(s, (stn_colour){88, 98, 114, 255}, (stn_colour){255, 243, 220, 255}, 3.9, 0.78);
    scenery_run(s, 1.0);
    scenery_eye(s, x, y, 10, 300, 0.55, 1.0, 0);
    frame = s->frame;
    for (int round = 0; round < ROUNDS; round++) {
        stn_m4 view = frame.view, proj = frame.proj;

        s->look.time = (double)round / 60.0;
        s->frame = (stn_frame){.view = view, .proj = proj};
        start();
        stn_stage_tick(s->stage, 1.0 / 60.0);
        stn_view_begin(s->view);
        stn_stage_fill(s->stage, &s->look, s->focus, &s->frame);
        stn_view_draw(s->view, &s->frame);
        stop();
        if (round < 3) {
            stn_view_warm(s->view, INT64_MAX);
            rounds = 0; /* programs and materials are made in the first pictures */
        }
        stn_surface_swap(s->surface, &s->rec);
    }
    figure("a frame of the demo scene, with shadows and outlines", 0.0);
    stn_programs_counts(s->programs, &ready, &pending, &failed);
    count("draw calls, main", stn_view_last(s->view)->draws, 2000);
    count("draw calls, shadow", stn_view_last(s->view)->shadow_draws, 800);
    count("triangles, main", stn_view_last(s->view)->triangles, 3e6);
    count("programs", ready, 128);
    count("bytes of GL memory, meshes and textures",
          (double)(stn_meshes_bytes(s->meshes) + stn_textures_bytes(s->textures)), 1.5e9);
}

static void machine(void)
{
    char line[256], model[200] = "unknown";
    FILE *f = fopen("/proc/cpuinfo", "r");
    struct utsname u = {0};

    while (f && fgets(line, sizeof line, f)) {
        const char *at = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;

        if (at && sscanf(at + 1, " %199[^\n\"\\]", model) == 1)
            break;
    }
    if (f)
        fclose(f);
    uname(&u);
    printf(
        "{\"machine\": {\"processor\": \"%s\", \"cores\": %ld, \"system\": \"%s %s\", \"build\": \"%s\"},\n"
        " \"driver\": \"null\", \"figures\": [",
        model, sysconf(_SC_NPROCESSORS_ONLN), u.sysname, u.release,
#ifdef NDEBUG
        "release"
#else
        "with assertions"
#endif
    );
}

int main(void)
{
    scenery s;
    stn_err err = {0};

    if (scenery_open_on(&s, STN_SURFACE_NULL, 1, STN_PACK_FOLDER, 1280, 720, &err) != STN_OK)
        give_up("the scene", &err);
    machine();
    bench_draws(&s);
    bench_cull();
    bench_graph();
    bench_batches();
    bench_slots();
    bench_lights();
    bench_mips();
    bench_scene(&s);
    printf("\n ]}\n");
    scenery_close(&s);
    return EXIT_SUCCESS;
}
