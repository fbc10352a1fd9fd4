/* The mesher process against a world played by the test: same loop, real sockets, no clock of its own. */
#include "support/terrain_case.h"

#include "base/clock.h"
#include "bus/array.h"
#include "bus/bus.h"
#include "mesher/lease.h"
#include "mesher/mesher.h"
#include "mesher/pack.h"
#include "mesher/pool.h"
#include "support/support.h"

#include "proto/mesh.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#define CASES "tests/vectors/data/terrain/cases"

typedef struct world {
    char folder[64];
    stn_loop *loop;
    stn_bus *bus, *mesher_bus;
    stn_conv *door;
    stn_mesher *mesher;
    stn_peer *peer;
    uint32_t leases;
    unsigned products, failures;
    uint64_t last_ticket;
    stn_frame *product;
    uint32_t code;
    char text[320];
    terrain_case *c;
} world;

static stn_status on_ready(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    world *w = ctx;
    (void)err;
    w->peer = peer;
    w->leases = ((const Stenness__MesherReady *)stn_msg_body(msg))->jobs;
    return STN_OK;
}

static stn_status on_product(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    world *w = ctx;
    const Stenness__Product *p = stn_msg_body(msg);
    (void)peer;
    (void)err;
    w->products++;
    w->last_ticket = p->ticket;
    stn_frame_unref(w->product);
    w->product = stn_frame_ref(stn_msg_bulk(msg, 0));
    return STN_OK;
}

static stn_status on_failed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    world *w = ctx;
    const Stenness__JobFailed *f = stn_msg_body(msg);
    (void)peer;
    (void)err;
    w->failures++;
    w->last_ticket = f->ticket;
    w->code = f->code;
    snprintf(w->text, sizeof w->text, "%s", f->text);
    return STN_OK;
}

static const stn_handler handlers[] = {
    {STENNESS__MESH_KIND__MESH_MESHER_READY, "ready", 4096, &stenness__mesher_ready__descriptor, on_ready,
     false},
    {STENNESS__MESH_KIND__MESH_PRODUCT, "product", 8 << 20, &stenness__product__descriptor, on_product,
     false},
    {STENNESS__MESH_KIND__MESH_JOB_FAILED, "failed", 4096, &stenness__job_failed__descriptor, on_failed,
     false},
};

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    (void)peer;
    (void)why;
    ((world *)ctx)->peer = NULL;
}

/* Turns until the condition holds; 20 s at most. */
#define UNTIL(w, condition)                                                                                  \
    do {                                                                                                     \
        int64_t end = stn_clock_ns() + 20 * STN_S;                                                           \
        stn_err turn_err = {0};                                                                              \
        while (!(condition) && stn_clock_ns() < end)                                                         \
            assert_int_equal(stn_loop_turn((w)->loop, 50 * STN_MS, &turn_err), STN_OK);                      \
        assert_true(condition);                                                                              \
    } while (0)

static terrain_case *load(const char *name)
{
    size_t len;
    stn_err err = {0};
    char *text = (char *)vec_read(CASES, name, &len);
    assert_non_null(text);
    terrain_case *c = terrain_case_new(text, len, &err);
    assert_non_null(c);
    free(text);
    return c;
}

static int setup(void **state)
{
    world *w = calloc(1, sizeof *w);
    stn_err err = {0};
    const stn_mesher_opts mo = {.threads = 2, .blocks = 256, .zstd = true, .ahead = true};
    const stn_conv_spec door = {.name = "mesh",
                                .handlers = handlers,
                                .n_handlers = sizeof handlers / sizeof handlers[0],
                                .ctx = w,
                                .down = on_down};

    strcpy(w->folder, "/tmp/stn-mesher-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    setenv("XDG_RUNTIME_DIR", w->folder, 1);
    assert_int_equal(stn_loop_new(&w->loop, &err), STN_OK);
    assert_int_equal(stn_bus_new(w->loop, &(stn_bus_spec){.kind = "world"}, &w->bus, &err), STN_OK);
    assert_int_equal(stn_bus_bind(w->bus, &door, &w->door, &err), STN_OK);
    assert_int_equal(stn_bus_new(w->loop, &(stn_bus_spec){.kind = "mesher"}, &w->mesher_bus, &err), STN_OK);
    assert_int_equal(stn_mesher_new(w->mesher_bus, &mo, &w->mesher, &err), STN_OK);
    w->c = load("p-islands3.in");
    *state = w;
    UNTIL(w, w->peer != NULL);
    assert_true(w->leases >= 4);
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;
    char command[96];

    stn_mesher_free(w->mesher);
    stn_bus_free(w->mesher_bus);
    stn_conv_free(w->door);
    stn_bus_free(w->bus);
    stn_loop_free(w->loop);
    stn_frame_unref(w->product);
    terrain_case_free(w->c);
    snprintf(command, sizeof command, "rm -rf %s", w->folder);
    free(w);
    return system(command);
}

static void send_set(world *w, const stn_tileset *set, uint32_t handle)
{
    Stenness__Tileset t = STENNESS__TILESET__INIT;
    Stenness__Array data = STENNESS__ARRAY__INIT;
    stn_buf b = {0};
    stn_err err = {0};

    stn_tileset_encode(set, &b);
    stn_frame *frame = stn_frame_copy(b.data, b.len);
    data.count = b.len;
    data.format = STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES;
    t.handle = handle;
    t.name = (char *)set->def.name;
    t.data = &data;
    stn_send s = {.kind = STENNESS__MESH_KIND__MESH_TILESET, .body = &t.base, .bulk = &frame, .n_bulk = 1};
    assert_int_equal(stn_peer_send(w->peer, &s, &err), STN_OK);
    stn_frame_unref(frame);
    stn_buf_fini(&b);
}

/* Handles: masks from 100, sets from 200; sets refer to masks by handle, so those are set first. */
static void send_sets(world *w)
{
    for (size_t i = 0; i < w->c->nmasks; i++) {
        w->c->masks[i]->def.handle = 100 + (uint32_t)i;
        send_set(w, w->c->masks[i], 100 + (uint32_t)i);
    }
    for (size_t i = 0; i < w->c->nsets; i++)
        send_set(w, w->c->sets[i].set, 200 + (uint32_t)i);
}

typedef struct message {
    Stenness__Job job;
    Stenness__Array tiles, heights;
    uint32_t ids[TERRAIN_MAX_SETS], handles[TERRAIN_MAX_SETS];
    stn_frame *frame;
} message;

static void make_job(const world *w, uint64_t ticket, message *m)
{
    const terrain_case *c = w->c;
    stn_array_plan plan = {0};

    stenness__job__init(&m->job);
    stenness__array__init(&m->tiles);
    stenness__array__init(&m->heights);
    size_t t = stn_array_add(&plan, &m->tiles, STENNESS__ELEMENT_FORMAT__ELEMENT_U16, 27 * 27);
    size_t h = stn_array_add(&plan, &m->heights, STENNESS__ELEMENT_FORMAT__ELEMENT_F32, 28 * 28);
    m->frame = stn_array_plan_frame(&plan);
    memcpy(stn_frame_writable(m->frame) + t, c->tiles, sizeof c->tiles);
    memcpy(stn_frame_writable(m->frame) + h, c->heights, sizeof c->heights);
    m->job.ticket = ticket;
    m->job.grid_id = c->job.grid_id;
    m->job.grid_x = c->job.grid.x;
    m->job.grid_y = c->job.grid.y;
    m->job.cut_x = (uint32_t)c->job.cut.x;
    m->job.cut_y = (uint32_t)c->job.cut.y;
    m->job.blend_passes = c->job.blend;
    m->job.transitions = c->job.transitions;
    m->job.flat = c->job.flat;
    m->job.margin = 1;
    m->job.tiles = &m->tiles;
    m->job.heights = &m->heights;
    m->job.lease_ms = 60000;
    for (size_t i = 0; i < c->nsets; i++) {
        m->ids[i] = c->sets[i].id;
        m->handles[i] = 200 + (uint32_t)i;
    }
    m->job.n_tile_ids = m->job.n_tilesets = c->nsets;
    m->job.tile_ids = m->ids;
    m->job.tilesets = m->handles;
}

static void send_job(world *w, message *m)
{
    stn_err err = {0};
    stn_send s = {
        .kind = STENNESS__MESH_KIND__MESH_JOB, .body = &m->job.base, .bulk = &m->frame, .n_bulk = 1};
    assert_int_equal(stn_peer_send(w->peer, &s, &err), STN_OK);
}

static void a_lease_comes_back_as_the_product_of_its_cut(void **state)
{
    world *w = *state;
    message m;
    stn_scratch *scratch = stn_scratch_new(0);
    stn_blocks *blocks = stn_blocks_new(64, NULL);
    stn_build *b;
    stn_pack *pack;
    size_t len;
    stn_err err = {0};

    send_sets(w);
    make_job(w, 41, &m);
    send_job(w, &m);
    UNTIL(w, w->products == 1);
    assert_int_equal(w->failures, 0);
    assert_int_equal(w->last_ticket, 41);
    assert_int_equal(stn_build_run(scratch, blocks, NULL, &w->c->job, &b, &err), STN_OK);
    assert_int_equal(stn_pack_new(b, &pack, &len), STN_OK);
    uint8_t *want = malloc(len);
    stn_pack_write(pack, want);
    assert_int_equal(stn_frame_len(w->product), len);
    assert_memory_equal(stn_frame_data(w->product), want, len);
    free(want);
    stn_frame_unref(m.frame);
    stn_blocks_free(blocks);
    stn_scratch_free(scratch);
}

static void bad_jobs_are_refused_and_the_mesher_goes_on(void **state)
{
    world *w = *state;
    message m;
    unsigned sent = 0;

    send_sets(w);
    make_job(w, 1, &m);
    m.job.margin = 1u << 31;
    send_job(w, &m);
    sent++;
    UNTIL(w, w->failures == sent);
    assert_int_equal(w->code, STN_TOO_BIG);
    m.job.margin = 2; /* more than the arrays hold */
    send_job(w, &m);
    sent++;
    UNTIL(w, w->failures == sent);
    m.job.margin = 1;
    m.heights.count = UINT64_MAX / 2;
    send_job(w, &m);
    sent++;
    UNTIL(w, w->failures == sent);
    m.heights.count = 28 * 28;
    m.handles[0] = 9999;
    send_job(w, &m);
    sent++;
    UNTIL(w, w->failures == sent);
    assert_int_equal(w->code, STN_NOT_FOUND);
    m.handles[0] = 200;
    m.ids[0] ^= 0x8000; /* an id of the cut without a tileset: fails in the build */
    send_job(w, &m);
    sent++;
    UNTIL(w, w->failures == sent);
    assert_non_null(strstr(w->text, "undefined tile"));
    m.ids[0] ^= 0x8000;
    m.job.ticket = 77;
    send_job(w, &m);
    UNTIL(w, w->products == 1);
    assert_int_equal(w->last_ticket, 77);
    stn_frame_unref(m.frame);
}

static void many_leases_all_come_back_once(void **state)
{
    world *w = *state;
    message m;

    send_sets(w);
    for (unsigned i = 0; i < 100; i++) {
        make_job(w, 1000 + i, &m);
        m.job.priority = (int32_t)(i % 7);
        send_job(w, &m);
        stn_frame_unref(m.frame);
    }
    UNTIL(w, w->products + w->failures == 100);
    assert_int_equal(w->failures, 0);
}

static stn_tileset *one_set(void *arg, uint32_t handle)
{
    return handle == 200 ? arg : NULL;
}

static void reading_a_job_checks_its_counts(void **state)
{
    world *w = *state;
    message m;
    stn_task *t;
    stn_err err = {0};

    make_job(w, 5, &m);
    m.job.n_tile_ids = m.job.n_tilesets = 1;
    stn_tileset *set = (stn_tileset *)w->c->sets[0].set;
    unsigned refs = set->refs;
    assert_int_equal(stn_mesher_read_job(&m.job, &m.frame, 1, one_set, set, &t, &err), STN_OK);
    assert_int_equal(set->refs, refs + 1);
    stn_task_free(t);
    assert_int_equal(set->refs, refs);
    m.job.n_tilesets = 0;
    assert_int_equal(stn_mesher_read_job(&m.job, &m.frame, 1, one_set, set, &t, &err), STN_BAD_DATA);
    m.job.n_tilesets = 1;
    m.job.cut_x = 4;
    assert_int_equal(stn_mesher_read_job(&m.job, &m.frame, 1, one_set, set, &t, &err), STN_BAD_DATA);
    m.job.cut_x = 0;
    m.job.blend_passes = 13;
    assert_int_equal(stn_mesher_read_job(&m.job, &m.frame, 1, one_set, set, &t, &err), STN_BAD_DATA);
    m.job.blend_passes = 12;
    m.ids[0] = 70000;
    assert_int_equal(stn_mesher_read_job(&m.job, &m.frame, 1, one_set, set, &t, &err), STN_BAD_DATA);
    stn_frame_unref(m.frame);
}

/* ---- the build threads alone */

static stn_task *new_task(const terrain_case *c)
{
    stn_task *t = stn_task_new(27 * 27, 28 * 28, c->nsets);

    assert_non_null(t);
    memcpy(stn_task_tiles(t), c->tiles, sizeof c->tiles);
    memcpy(stn_task_heights(t), c->heights, sizeof c->heights);
    for (size_t i = 0; i < c->nsets; i++) {
        stn_task_sets(t)[i] = c->sets[i];
        stn_tileset_ref((stn_tileset *)c->sets[i].set);
    }
    const stn_job own = t->job;
    t->job = c->job;
    t->job.tiles = own.tiles;
    t->job.heights = own.heights;
    t->job.sets = own.sets;
    t->given_ns = stn_clock_ns();
    return t;
}

static stn_task *next_done(stn_inbox *inbox)
{
    for (int i = 0; i < 20000; i++) {
        stn_inbox_link *item = stn_inbox_take(inbox);
        if (item) {
            assert_null(item->next); /* these tests give one at a time */
            return (stn_task *)(void *)item;
        }
        stn_sleep_ns(STN_MS);
    }
    fail_msg("a task did not come back");
    return NULL;
}

/* A thread keeps what it finished while it has more to do: when it has not, all of it must be there. */
static void tasks_given_together_all_come_back_in_order(void **state)
{
    (void)state;
    enum { TOGETHER = 40, TIMES = 5 };
    terrain_case *c = load("p-islands3.in");
    stn_blocks *blocks = stn_blocks_new(256, NULL);
    stn_inbox *inbox;
    stn_pool *pool;
    stn_err err = {0};
    uint64_t given = 0, back = 0;

    assert_int_equal(stn_inbox_new(TOGETHER, &inbox, &err), STN_OK);
    assert_int_equal(stn_pool_new(1, false, blocks, inbox, &pool, &err), STN_OK);
    for (int i = 0; i < TIMES; i++) {
        for (int k = 0; k < TOGETHER; k++) {
            stn_task *t = new_task(c);
            t->ticket = ++given;
            atomic_store(&t->cancelled, k % 4 == 0);
            stn_pool_give(pool, t);
        }
        for (int wait = 0; back < given && wait < 20000; wait++) {
            for (stn_inbox_link *item = stn_inbox_take(inbox), *next; item; item = next) {
                stn_task *t = (stn_task *)(void *)item;
                next = item->next;
                assert_int_equal(t->ticket, ++back);
                assert_int_equal(t->status, (back - 1) % TOGETHER % 4 == 0 ? STN_CANCELLED : STN_OK);
                stn_task_free(t);
            }
            if (back < given)
                stn_sleep_ns(STN_MS);
        }
        assert_int_equal(back, given);
    }
    stn_pool_free(pool);
    stn_inbox_free(inbox, NULL, NULL);
    stn_blocks_free(blocks);
    terrain_case_free(c);
}

static void tasks_come_back_whatever_becomes_of_them(void **state)
{
    (void)state;
    terrain_case *c = load("p-islands3.in");
    stn_blocks *blocks = stn_blocks_new(256, NULL);
    stn_inbox *inbox;
    stn_pool *pool;
    stn_err err = {0};

    assert_int_equal(stn_inbox_new(16, &inbox, &err), STN_OK);
    assert_int_equal(stn_pool_new(2, true, blocks, inbox, &pool, &err), STN_OK);

    stn_task *t = new_task(c);
    atomic_store(&t->cancelled, true);
    stn_pool_give(pool, t);
    t = next_done(inbox);
    assert_int_equal(t->status, STN_CANCELLED);
    assert_null(t->product);
    stn_task_free(t);

    t = new_task(c);
    t->deadline_ns = t->given_ns - 1;
    stn_pool_give(pool, t);
    t = next_done(inbox);
    assert_int_equal(t->status, STN_TIMEOUT);
    stn_task_free(t);

    t = new_task(c);
    stn_pool_give(pool, t);
    stn_task *plain = next_done(inbox);
    assert_int_equal(plain->status, STN_OK);

    t = new_task(c);
    t->compress = true;
    stn_pool_give(pool, t);
    t = next_done(inbox);
    assert_int_equal(t->status, STN_OK);
    assert_int_equal(t->compression, 1);
    assert_true(stn_frame_len(t->product) < stn_frame_len(plain->product));
    assert_int_equal(t->unpacked_bytes, stn_frame_len(plain->product));
    uint8_t *out = malloc(t->unpacked_bytes);
    assert_int_equal(
        ZSTD_decompress(out, t->unpacked_bytes, stn_frame_data(t->product), stn_frame_len(t->product)),
        t->unpacked_bytes);
    assert_memory_equal(out, stn_frame_data(plain->product), t->unpacked_bytes);
    free(out);
    stn_task_free(t);
    stn_task_free(plain);

    /* An idle thread makes the blocks around; afterwards a neighbour needs no new ones. */
    t = new_task(c);
    t->kind = STN_TASK_AHEAD;
    stn_pool_give(pool, t);
    t = next_done(inbox);
    assert_int_equal(t->status, STN_OK);
    stn_task_free(t);
    stn_blocks_stats before, after;
    stn_blocks_read_stats(blocks, &before);
    t = new_task(c);
    t->job.cut.x += t->job.cut.x < 3 ? 1 : -1;
    stn_pool_give(pool, t);
    t = next_done(inbox);
    assert_int_equal(t->status, STN_OK);
    stn_blocks_read_stats(blocks, &after);
    assert_int_equal(after.made, before.made);
    assert_true(after.hits > before.hits);
    stn_task_free(t);

    stn_pool_free(pool);
    stn_inbox_free(inbox, NULL, NULL);
    stn_blocks_free(blocks);
    terrain_case_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_lease_comes_back_as_the_product_of_its_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_jobs_are_refused_and_the_mesher_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(many_leases_all_come_back_once, setup, teardown),
        cmocka_unit_test(tasks_given_together_all_come_back_in_order),
        cmocka_unit_test(tasks_come_back_whatever_becomes_of_them),
        cmocka_unit_test_setup_teardown(reading_a_job_checks_its_counts, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
