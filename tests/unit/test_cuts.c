/* The rules of cuts.h, by cases and by a random run with a model beside it. */
#include "world/cuts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct bench {
    stn_cuts *c;
    size_t alive; /* payloads not released */
    uint64_t cancelled;
    size_t hints;
    bool takes_back;
    bool ready;
    stn_status ready_error;
} bench;

static void on_release(void *arg, void *payload)
{
    bench *b = arg;
    assert_non_null(payload);
    free(payload);
    b->alive--;
}

static bool on_cancel(void *arg, uint32_t mesher, uint64_t ticket)
{
    bench *b = arg;
    (void)mesher;
    b->cancelled = ticket;
    b->hints++;
    return b->takes_back;
}

static stn_status on_ready(void *arg, const stn_cut_job *job, stn_err *err)
{
    bench *b = arg;
    (void)job;
    if (b->ready_error != STN_OK)
        return stn_fail(err, b->ready_error, "no tiler");
    return b->ready ? STN_OK : STN_AGAIN;
}

static void setup(bench *b, size_t budget)
{
    stn_cuts_hooks hooks = {on_release, on_cancel, b};
    *b = (bench){.ready = true};
    b->c = stn_cuts_new(&hooks, budget);
    assert_non_null(b->c);
    assert_int_equal(stn_cuts_filled(b->c, (stn_coord){0, 0}, 1, NULL), STN_OK);
    stn_cuts_tick(b->c);
}

static void teardown(bench *b)
{
    stn_cuts_free(b->c);
    assert_int_equal(b->alive, 0);
}

static stn_half_answer get(bench *b, int x, int y, int32_t distance, stn_product *out)
{
    stn_product p;
    return stn_cuts_get(b->c, 0, (stn_coord){x, y}, STN_CUT_GROUND, distance, out ? out : &p);
}

static bool lease(bench *b, uint32_t mesher, stn_cut_job *job)
{
    return stn_cuts_lease(b->c, mesher, 1000, on_ready, b, job, NULL) == STN_OK;
}

static stn_status built(bench *b, uint32_t mesher, uint64_t ticket, size_t bytes)
{
    b->alive++;
    return stn_cuts_built(b->c, mesher, ticket, malloc(1), bytes);
}

static void nothing_is_built_that_nobody_asks_for(void **state)
{
    bench b;
    stn_cut_job job;
    (void)state;
    setup(&b, 0);
    assert_false(lease(&b, 1, &job));
    assert_int_equal(get(&b, 0, 0, 0, NULL), STN_HALF_WAIT_JOB);
    for (int i = 0; i <= STN_CUTS_STALE_TICKS; i++)
        stn_cuts_tick(b.c);
    assert_false(lease(&b, 1, &job)); /* asked too long ago */
    get(&b, 0, 0, 0, NULL);
    assert_true(lease(&b, 1, &job));
    assert_int_equal(get(&b, 9, 9, 0, NULL), STN_HALF_WAIT_GRID);
    teardown(&b);
}

static void the_nearest_to_the_focus_comes_first(void **state)
{
    bench b;
    stn_cut_job job;
    stn_product p;
    (void)state;
    setup(&b, 0);
    get(&b, 3, 3, 18, NULL);
    get(&b, 1, 0, 1, NULL);
    stn_cuts_get(b.c, 0, (stn_coord){1, 0}, STN_CUT_DECORATION, 1, &p);
    get(&b, 0, 0, 0, NULL);
    assert_true(lease(&b, 1, &job) && job.cut == 0);
    assert_true(lease(&b, 1, &job) && job.cut == 1 && job.half == STN_CUT_GROUND);
    assert_true(lease(&b, 1, &job) && job.cut == 1 && job.half == STN_CUT_DECORATION);
    assert_true(lease(&b, 1, &job) && job.cut == 15);
    assert_false(lease(&b, 1, &job));
    teardown(&b);
}

static void a_half_has_one_build_at_a_time_and_late_products_are_let_go(void **state)
{
    bench b;
    stn_cut_job first, second;
    stn_product p;
    (void)state;
    setup(&b, 0);
    get(&b, 0, 0, 0, NULL);
    assert_true(lease(&b, 1, &first));
    assert_int_equal(stn_cuts_filled(b.c, (stn_coord){0, 0}, 1, NULL), STN_OK);
    assert_int_equal(b.cancelled, first.ticket);
    get(&b, 0, 0, 0, NULL);
    assert_false(lease(&b, 2, &second)); /* the old lease is still out */
    assert_int_equal(built(&b, 1, first.ticket, 10), STN_CANCELLED);
    assert_int_equal(b.alive, 0);
    assert_true(lease(&b, 2, &second) && second.ticket != first.ticket);
    assert_int_equal(built(&b, 2, second.ticket, 10), STN_OK);
    assert_int_equal(get(&b, 0, 0, 0, &p), STN_HALF_VALUE);
    assert_true(p.number > 0);
    assert_int_equal(built(&b, 2, second.ticket, 10), STN_CANCELLED); /* twice */
    teardown(&b);
}

static void a_lease_that_is_taken_back_frees_its_half_at_once(void **state)
{
    bench b;
    stn_cut_job first, second;
    (void)state;
    setup(&b, 0);
    b.takes_back = true;
    get(&b, 0, 0, 0, NULL);
    assert_true(lease(&b, 1, &first));
    stn_cuts_filled(b.c, (stn_coord){0, 0}, 1, NULL);
    assert_int_equal(b.cancelled, first.ticket);
    assert_int_equal(stn_cuts_leases_of(b.c, 1), 0);
    get(&b, 0, 0, 0, NULL);
    assert_true(lease(&b, 2, &second) && second.ticket != first.ticket);
    assert_int_equal(built(&b, 1, first.ticket, 10), STN_CANCELLED); /* too late to stop: let go */
    assert_int_equal(b.alive, 0);
    teardown(&b);
}

static void a_refill_takes_the_neighbours_edges_and_corners(void **state)
{
    static const struct {
        int gx, gy;
        uint16_t stale; /* cuts that are ordered anew, by x + 4*y */
    } rows[] = {{1, 0, 0x1111},  {-1, 0, 0x8888}, {0, 1, 0x000f},   {0, -1, 0xf000}, {1, 1, 0x0001},
                {-1, 1, 0x0008}, {1, -1, 0x1000}, {-1, -1, 0x8000}, {2, 0, 0x0000}};
    bench b;
    stn_cut_job job;
    stn_product p;
    (void)state;
    setup(&b, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        stn_coord gc = {rows[i].gx, rows[i].gy};
        uint16_t stale = 0;
        stn_cuts_filled(b.c, gc, 1, NULL);
        for (int k = 0; k < 16; k++)
            get(&b, gc.x * 4 + k % 4, gc.y * 4 + k / 4, 0, NULL);
        while (lease(&b, 1, &job))
            built(&b, 1, job.ticket, 1);
        for (int k = 0; k < 16; k++)
            assert_int_equal(get(&b, gc.x * 4 + k % 4, gc.y * 4 + k / 4, 0, NULL), STN_HALF_VALUE);
        stn_cuts_filled(b.c, (stn_coord){0, 0}, 1, NULL);
        for (int k = 0; k < 16; k++)
            assert_int_equal(get(&b, gc.x * 4 + k % 4, gc.y * 4 + k / 4, 0, &p),
                             STN_HALF_VALUE); /* the old one */
        while (lease(&b, 1, &job)) {
            assert_true(stn_coord_eq(job.gc, gc));
            stale |= (uint16_t)(1u << job.cut);
            built(&b, 1, job.ticket, 1);
        }
        assert_int_equal(stale, rows[i].stale);
        stn_cuts_removed(b.c, gc);
    }
    teardown(&b);
}

static void a_generation_orders_its_own_half_once(void **state)
{
    bench b;
    stn_cut_job job;
    stn_product p;
    (void)state;
    setup(&b, 0);
    for (int h = 0; h < STN_CUT_HALVES; h++)
        stn_cuts_get(b.c, 0, (stn_coord){0, 0}, (stn_cut_half)h, 0, &p);
    while (lease(&b, 1, &job))
        built(&b, 1, job.ticket, 1);
    for (int h = 0; h < STN_CUT_HALVES; h++)
        assert_int_equal(stn_cuts_get(b.c, 0, (stn_coord){0, 0}, (stn_cut_half)h, 0, &p), STN_HALF_VALUE);
    stn_cuts_bump(b.c, STN_CUT_DECORATION);
    stn_cuts_bump(b.c, STN_CUT_DECORATION);
    for (int h = 0; h < STN_CUT_HALVES; h++)
        assert_int_equal(stn_cuts_get(b.c, 0, (stn_coord){0, 0}, (stn_cut_half)h, 0, &p), STN_HALF_VALUE);
    assert_true(lease(&b, 1, &job) && job.half == STN_CUT_DECORATION && job.generation == 2);
    assert_false(lease(&b, 1, &job));
    teardown(&b);
}

static void missing_inputs_park_and_bad_ones_fail(void **state)
{
    bench b;
    stn_cut_job job;
    stn_cuts_stats s;
    (void)state;
    setup(&b, 0);
    b.ready = false;
    get(&b, 0, 0, 0, NULL);
    assert_false(lease(&b, 1, &job));
    stn_cuts_get_stats(b.c, &s);
    assert_int_equal(s.parked, 1);
    b.ready = true;
    get(&b, 0, 0, 0, NULL);
    assert_false(lease(&b, 1, &job)); /* nothing has come since */
    stn_cuts_inputs_changed(b.c);
    get(&b, 0, 0, 0, NULL);
    assert_true(lease(&b, 1, &job));
    b.ready_error = STN_UNSUPPORTED;
    get(&b, 1, 0, 0, NULL);
    assert_false(lease(&b, 2, &job));
    assert_int_equal(get(&b, 1, 0, 0, NULL), STN_HALF_FAILED);
    assert_string_equal(stn_cuts_failure(b.c, (stn_coord){1, 0}, STN_CUT_GROUND), "no tiler");
    stn_cuts_filled(b.c, (stn_coord){0, 0}, 1, NULL);
    assert_int_equal(get(&b, 1, 0, 0, NULL), STN_HALF_WAIT_JOB);
    teardown(&b);
}

static void a_lost_lease_goes_back_once(void **state)
{
    bench b;
    stn_cut_job job, again;
    (void)state;
    setup(&b, 0);
    get(&b, 0, 0, 0, NULL);
    get(&b, 1, 0, 1, NULL);
    assert_true(lease(&b, 1, &job) && lease(&b, 1, &again));
    assert_int_equal(stn_cuts_mesher_gone(b.c, 1, false), 2);
    assert_int_equal(stn_cuts_mesher_gone(b.c, 1, false), 0);
    assert_true(lease(&b, 2, &again) && again.ticket == job.ticket);
    assert_true(lease(&b, 2, &again));
    assert_false(lease(&b, 2, &again));
    assert_int_equal(stn_cuts_expire(b.c, 999), 0);
    assert_int_equal(stn_cuts_expire(b.c, 1000), 2);
    assert_true(lease(&b, 3, &again) && again.ticket == job.ticket);
    assert_int_equal(built(&b, 2, job.ticket, 1), STN_OK); /* the slow one came after all: the same product */
    assert_int_equal(built(&b, 3, job.ticket, 1), STN_CANCELLED);
    teardown(&b);
}

static void a_killer_is_set_aside_and_an_innocent_is_not(void **state)
{
    bench b;
    stn_cut_job killer, other, none;
    stn_cuts_stats s;
    (void)state;
    setup(&b, 0);
    get(&b, 0, 0, 0, NULL);
    get(&b, 1, 0, 1, NULL);
    assert_true(lease(&b, 1, &killer) && lease(&b, 1, &other));
    stn_cuts_mesher_gone(b.c, 1, true);
    for (uint32_t m = 2; m <= 3; m++) {
        assert_true(lease(&b, m, &none) && none.ticket == killer.ticket);
        assert_false(lease(&b, m, &none)); /* alone from now on */
        stn_cuts_mesher_gone(b.c, m, true);
    }
    assert_int_equal(get(&b, 0, 0, 0, NULL), STN_HALF_FAILED);
    assert_non_null(strstr(stn_cuts_failure(b.c, (stn_coord){0, 0}, STN_CUT_GROUND), "set aside"));
    stn_cuts_get_stats(b.c, &s);
    assert_int_equal(s.set_aside, 1);
    assert_true(lease(&b, 4, &none) && none.ticket == other.ticket);
    assert_int_equal(built(&b, 4, other.ticket, 1), STN_OK);
    teardown(&b);
}

static void products_stay_under_the_budget_oldest_first(void **state)
{
    bench b;
    stn_cut_job job;
    stn_cuts_stats s;
    stn_product p;
    (void)state;
    setup(&b, 1000);
    for (int x = 0; x < 4; x++)
        get(&b, x, 0, x, NULL);
    while (lease(&b, 1, &job))
        built(&b, 1, job.ticket, 400);
    for (int x = 0; x < 4; x++)
        get(&b, x, 0, x, NULL);
    stn_cuts_tick(b.c);
    get(&b, 3, 0, 0, NULL);
    stn_cuts_tick(b.c);
    stn_cuts_tick(b.c);
    stn_cuts_get_stats(b.c, &s);
    assert_int_equal(s.product_bytes, 800);
    assert_false(stn_cuts_cur(b.c, (stn_coord){0, 0}, STN_CUT_GROUND, &p));
    assert_true(stn_cuts_cur(b.c, (stn_coord){3, 0}, STN_CUT_GROUND, &p));
    assert_int_equal(get(&b, 0, 0, 0, &p), STN_HALF_WAIT_JOB); /* built again when wanted again */
    teardown(&b);
}

static void build_all(bench *b)
{
    stn_cut_job job;
    while (lease(b, 1, &job))
        assert_int_equal(built(b, 1, job.ticket, 1), STN_OK);
}

/* Cuts 0 to 3 of the first row, shown. */
static void show_row(bench *b)
{
    for (int round = 0; round < 2; round++) {
        for (int x = 0; x < 4; x++)
            get(b, x, 0, x, NULL);
        build_all(b);
    }
    for (int i = 0; i <= STN_CUTS_SWAP_TICKS; i++)
        stn_cuts_tick(b->c);
}

static void what_one_change_makes_stale_has_one_number(void **state)
{
    bench b;
    stn_cut_job job;
    stn_product p;
    uint64_t change;
    (void)state;
    setup(&b, 0);
    show_row(&b);
    get(&b, 0, 0, 0, &p);
    assert_true(p.number && !p.swap && !p.due);
    stn_cuts_filled(b.c, (stn_coord){-1, 0}, 1, NULL); /* the edge: cut 0 of the row */
    stn_cuts_bump(b.c, STN_CUT_GROUND); /* in the same tick: the same change, and the whole row */
    stn_cuts_tick(b.c);
    get(&b, 0, 0, 0, &p);
    change = p.due;
    assert_true(change && p.number && !p.swap);
    for (int x = 1; x < 4; x++) {
        get(&b, x, 0, x, &p);
        assert_int_equal(p.due, change);
    }
    assert_true(lease(&b, 1, &job) && built(&b, 1, job.ticket, 1) == STN_OK);
    stn_cuts_tick(b.c);
    get(&b, 0, 0, 0, &p);
    assert_true(p.swap == change && !p.due); /* there */
    get(&b, 1, 0, 1, &p);
    assert_true(!p.swap && p.due == change); /* still to come */
    assert_true(lease(&b, 1, &job) && job.cut == 1);
    stn_cuts_failed(b.c, 1, job.ticket, STN_BAD_DATA, "bad");
    get(&b, 1, 0, 1, &p);
    assert_true(p.number && !p.swap && !p.due); /* what failed is not waited for */
    stn_cuts_filled(b.c, (stn_coord){1, 0}, 1, NULL); /* cut 3 becomes part of a newer change */
    stn_cuts_tick(b.c);
    get(&b, 3, 0, 3, &p);
    assert_true(p.due > change);
    get(&b, 2, 0, 2, &p);
    assert_int_equal(p.due, change);
    teardown(&b);
}

static void a_change_keeps_nothing_back_for_long(void **state)
{
    bench b;
    stn_product p;
    (void)state;
    setup(&b, 0);
    show_row(&b);
    b.ready = false;
    stn_cuts_bump(b.c, STN_CUT_GROUND);
    for (int i = 0; i <= STN_CUTS_SWAP_TICKS; i++) {
        stn_cuts_tick(b.c);
        get(&b, 0, 0, 0, &p);
        assert_true(p.due);
    }
    stn_cuts_tick(b.c);
    get(&b, 0, 0, 0, &p);
    assert_int_equal(p.due, 0);
    b.ready = true;
    stn_cuts_inputs_changed(b.c);
    get(&b, 0, 0, 0, &p);
    build_all(&b);
    get(&b, 0, 0, 0, &p);
    assert_true(!p.swap && !p.due); /* late: shown alone */
    teardown(&b);
}

static void viewers_are_served_in_turn(void **state)
{
    bench b;
    stn_cut_job job;
    stn_product p;
    (void)state;
    setup(&b, 0);
    stn_cuts_filled(b.c, (stn_coord){2, 0}, 1, NULL);
    /* Viewer 3 wants sixteen cuts, all nearer to it than what viewers 5 and 63 want is to them. */
    for (int i = 0; i < 16; i++)
        stn_cuts_get(b.c, 3, (stn_coord){i % 4, i / 4}, STN_CUT_GROUND, i, &p);
    for (int i = 0; i < 2; i++) {
        stn_cuts_get(b.c, 5, (stn_coord){8 + i, 0}, STN_CUT_GROUND, 100 + i, &p);
        stn_cuts_get(b.c, 63, (stn_coord){8 + i, 1}, STN_CUT_GROUND, 200 + i, &p);
    }
    /* One cut is wanted by both: at the less distance. */
    stn_cuts_get(b.c, 5, (stn_coord){3, 3}, STN_CUT_GROUND, 50, &p);
    for (int round = 0; round < 2; round++) {
        assert_true(lease(&b, 1, &job) && job.gc.x == 0 && job.cut == round);
        assert_true(lease(&b, 1, &job) &&
                    (round ? job.gc.x == 2 && job.cut == 0 : job.gc.x == 0 && job.cut == 15));
        assert_true(lease(&b, 1, &job) && job.gc.x == 2 && job.cut == 4 + round);
    }
    assert_true(lease(&b, 1, &job) && job.gc.x == 0 && job.cut == 2);
    assert_true(lease(&b, 1, &job) && job.gc.x == 2 && job.cut == 1);
    for (int i = 3; i < 15; i++)
        assert_true(lease(&b, 1, &job) && job.gc.x == 0 && job.cut == i);
    assert_false(lease(&b, 1, &job));
    teardown(&b);
}

static void a_random_run_keeps_every_rule(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 30; seed++) {
        bench b;
        uint64_t random = seed;
        struct {
            uint64_t ticket;
            uint32_t mesher;
            stn_cut_job job;
        } out[64];
        size_t n_out = 0;
        uint64_t incarnation = 1;
        setup(&b, 3000);
#define ROLL(n)                                                                                              \
    ((uint32_t)((random = random * UINT64_C(6364136223846793005) + 1442695040888963407u) >> 33) %            \
     (uint32_t)(n))
        for (int step = 0; step < 4000; step++) {
            uint32_t r = ROLL(256);
            stn_coord gc = {(int32_t)(r & 1), (int32_t)(r >> 1 & 1)};
            stn_coord cc = {(int32_t)(r >> 2 & 7), (int32_t)(r >> 5 & 7)};
            stn_cut_half half = (stn_cut_half)ROLL(2);
            stn_product p;
            stn_cut_job job;
            size_t k;
            switch (ROLL(16)) {
            case 0:
                stn_cuts_filled(b.c, gc, ROLL(3) ? incarnation : ++incarnation, NULL);
                break;
            case 1:
                if (ROLL(4) == 0)
                    stn_cuts_removed(b.c, gc);
                break;
            case 2:
                stn_cuts_bump(b.c, half);
                break;
            case 3:
                stn_cuts_tick(b.c);
                break;
            case 4:
                b.ready = !b.ready;
                stn_cuts_inputs_changed(b.c);
                break;
            case 5:
                if (n_out > 0 && ROLL(3) == 0) {
                    uint32_t m = out[ROLL(n_out)].mesher;
                    stn_cuts_mesher_gone(b.c, m, false);
                    for (k = 0; k < n_out;)
                        if (out[k].mesher == m)
                            out[k] = out[--n_out];
                        else
                            k++;
                }
                break;
            case 6:
            case 7:
            case 8:
                if (n_out < 64 &&
                    stn_cuts_lease(b.c, 1 + ROLL(3), 1000, on_ready, &b, &job, NULL) == STN_OK) {
                    /* At most one build of a half of one incarnation is out. */
                    for (k = 0; k < n_out; k++)
                        assert_false(stn_coord_eq(out[k].job.gc, job.gc) &&
                                     out[k].job.incarnation == job.incarnation && out[k].job.cut == job.cut &&
                                     out[k].job.half == job.half);
                    out[n_out].ticket = job.ticket;
                    out[n_out].job = job;
                    out[n_out].mesher = 0;
                    for (uint32_t m = 1; m <= 3 && !out[n_out].mesher; m++) {
                        size_t known = 0;
                        for (k = 0; k < n_out; k++)
                            known += out[k].mesher == m;
                        if (stn_cuts_leases_of(b.c, m) > known)
                            out[n_out].mesher = m;
                    }
                    assert_true(out[n_out].mesher != 0);
                    n_out++;
                }
                break;
            case 9:
            case 10:
                if (n_out > 0) {
                    k = ROLL(n_out);
                    if (ROLL(8))
                        built(&b, out[k].mesher, out[k].ticket, 100 + ROLL(300));
                    else
                        stn_cuts_failed(b.c, out[k].mesher, out[k].ticket, STN_BAD_DATA, "bad");
                    out[k] = out[--n_out];
                }
                break;
            default:
                if (stn_cuts_get(b.c, r >> 2 & 63, cc, half, (int32_t)ROLL(9), &p) == STN_HALF_VALUE)
                    assert_true(p.number > 0 && p.payload);
            }
        }
        /* The inputs stop changing: every ask ends in a product. */
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++)
                stn_cuts_filled(b.c, (stn_coord){x, y}, ++incarnation, NULL);
        b.ready = true;
        stn_cuts_inputs_changed(b.c);
        while (n_out > 0) {
            n_out--;
            built(&b, out[n_out].mesher, out[n_out].ticket, 100);
        }
        stn_cuts_tick(b.c);
        for (int round = 0; round < 2; round++)
            for (int i = 0; i < 128; i++) {
                stn_product p;
                stn_cut_job job;
                stn_half_answer a =
                    stn_cuts_get(b.c, 0, (stn_coord){i % 8, i / 8 % 8}, (stn_cut_half)(i / 64), 1, &p);
                assert_int_equal(a, round ? STN_HALF_VALUE : STN_HALF_WAIT_JOB);
                while (stn_cuts_lease(b.c, 1, 1000, on_ready, &b, &job, NULL) == STN_OK)
                    assert_int_equal(built(&b, 1, job.ticket, 100), STN_OK);
            }
        teardown(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_built_that_nobody_asks_for),
        cmocka_unit_test(the_nearest_to_the_focus_comes_first),
        cmocka_unit_test(a_half_has_one_build_at_a_time_and_late_products_are_let_go),
        cmocka_unit_test(a_lease_that_is_taken_back_frees_its_half_at_once),
        cmocka_unit_test(a_refill_takes_the_neighbours_edges_and_corners),
        cmocka_unit_test(a_generation_orders_its_own_half_once),
        cmocka_unit_test(missing_inputs_park_and_bad_ones_fail),
        cmocka_unit_test(a_lost_lease_goes_back_once),
        cmocka_unit_test(a_killer_is_set_aside_and_an_innocent_is_not),
        cmocka_unit_test(products_stay_under_the_budget_oldest_first),
        cmocka_unit_test(what_one_change_makes_stale_has_one_number),
        cmocka_unit_test(a_change_keeps_nothing_back_for_long),
        cmocka_unit_test(viewers_are_served_in_turn),
        cmocka_unit_test(a_random_run_keeps_every_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
