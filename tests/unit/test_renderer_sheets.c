/* What is marked on the ground becomes sheets: made of the grids' masks, made anew with them, gone with them.
 */
#include "renderer/build/sheets.h"

#include "bus/array.h"
#include "map/coords.h"
#include "map/product.h"
#include "renderer/build/opened.h"
#include "renderer/build/sheetlook.h"
#include "res/container.h"
#include "res/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRAME 3

typedef struct bench {
    stn_sheets *sheets;
    stn_job *last; /* what was given last */
    int given;
    bool full, loading;
    uint8_t product[4096];
    size_t product_len;
} bench;

static float heights[STN_GRID_CELLS];
static uint8_t bits[2][STN_SHEETS_MASK_BYTES];

static stn_sprite_fault look(void *ctx, const char *name, stn_sheet_look *out, stn_err *err)
{
    const bench *b = ctx;

    memset(out, 0, sizeof *out);
    if (b->loading)
        return STN_SPRITE_LOADING;
    if (strcmp(name, "broken") == 0)
        return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "no overlay layer");
    out->always = strcmp(name, "shown") == 0;
    out->has_line = strcmp(name, "plain") != 0;
    out->fill = out->line = stn_matstate_default();
    return STN_SPRITE_OK;
}

static bool give(void *ctx, stn_job *job)
{
    bench *b = ctx;

    if (b->full)
        return false;
    stn_job_free(b->last);
    b->last = job;
    b->given++;
    return true;
}

static void mark(uint8_t *mask, int x0, int y0, int x1, int y1)
{
    memset(mask, 0, STN_SHEETS_MASK_BYTES);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++)
            mask[(x + STN_GRID_TILES * y) / 8] |= (uint8_t)(1 << (x + STN_GRID_TILES * y) % 8);
}

static void grid(bench *b, int32_t gx, int32_t gy, const char *name, const uint8_t *mask)
{
    stn_sheet_mask m = {name, mask};

    assert_true(stn_sheets_grid(b->sheets, gx, gy, (const uint8_t *)heights, &m, name ? 1 : 0));
}

static void cut(bench *b, int32_t x, int32_t y, uint64_t product)
{
    stn_err err = {0};

    assert_int_equal(stn_sheets_cut(b->sheets, x, y, product, b->product, b->product_len, &err), STN_OK);
}

/* The grids around 0,0, which alone has marks. */
static void setup(bench *b, const char *name, const uint8_t *mask)
{
    stn_product_plan plan = {0};

    memset(b, 0, sizeof *b);
    for (int i = 0; i < STN_GRID_CELLS; i++)
        heights[i] = (float)(i % 7);
    stn_product_lay_out(&plan);
    b->product_len = plan.total;
    assert_true(b->product_len <= sizeof b->product);
    stn_product_put_header(b->product, &plan, 0.0f, 7.0f);
    b->sheets = stn_sheets_new(&(stn_sheets_ops){b, look, give});
    assert_non_null(b->sheets);
    stn_sheets_frame(b->sheets, FRAME);
    for (int32_t gy = -1; gy <= 1; gy++)
        for (int32_t gx = -1; gx <= 1; gx++)
            grid(b, gx, gy, gx == 0 && gy == 0 ? name : NULL, mask);
}

static void close_bench(bench *b)
{
    stn_job_free(b->last);
    stn_sheets_free(b->sheets);
}

static size_t due(const bench *b)
{
    size_t n;
    uint64_t out;

    stn_sheets_counts(b->sheets, &n, &out);
    return n;
}

static void marks_become_a_sheet_and_its_outline(void **state)
{
    bench b;
    const stn_job_cut *c;

    (void)state;
    mark(bits[0], 10, 10, 12, 11);
    setup(&b, "claim", bits[0]);
    cut(&b, 0, 0, 41);
    cut(&b, 1, 0, 42); /* nothing is marked there */
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 1);
    assert_int_equal(due(&b), 0);
    assert_int_equal(b.last->kind, STN_JOB_SHEETS);
    assert_int_equal(b.last->frame, FRAME);
    c = &b.last->u.cut;
    assert_int_equal(c->x, 0);
    assert_int_equal(c->product, 41);
    assert_int_equal(c->part_count, 2);
    assert_int_equal(c->vertex_bytes, 16 * STN_CUT_VERTICES * STN_CUT_VERTICES);
    assert_int_equal(c->parts[0].mesh.index_count, 6 * 6);
    assert_false(c->parts[0].mesh.lines);
    assert_int_equal(c->parts[1].mesh.first_index, 6 * 6);
    assert_int_equal(c->parts[1].mesh.index_count, 2 * 10);
    assert_true(c->parts[1].mesh.lines);
    assert_int_equal(c->index_bytes, 2 * (6 * 6 + 2 * 10));
    for (uint32_t i = 0; i < c->part_count; i++) {
        assert_true(c->parts[i].on_demand);
        assert_true(c->parts[i].material.no_depth_write);
        assert_int_equal(c->parts[i].material.order, STN_ORDER_OVERLAY);
        assert_true(c->parts[i].material.features & STN_MAT_TERRAIN);
    }
    for (size_t i = 0; i < c->index_bytes / 2; i++) {
        uint16_t at;
        float v[3];

        memcpy(&at, (const uint8_t *)c->indices + 2 * i, sizeof at);
        assert_true(at < STN_CUT_VERTICES * STN_CUT_VERTICES);
        memcpy(v, (const uint8_t *)c->vertices + 16 * at, sizeof v);
        assert_true(v[0] >= 110.0f && v[0] <= 143.0f && v[1] <= -110.0f && v[1] >= -132.0f);
        assert_true(v[2] == heights[(int)(v[0] / 11.0f) + STN_GRID_TILES * (int)(-v[1] / 11.0f)]);
    }
    close_bench(&b);
}

static void what_changes_is_made_anew_and_what_goes_is_taken_away(void **state)
{
    bench b;

    (void)state;
    mark(bits[0], 10, 10, 12, 11);
    mark(bits[1], 10, 10, 12, 12);
    setup(&b, "shown", bits[0]);
    cut(&b, 0, 0, 1);
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 1);
    assert_false(b.last->u.cut.parts[0].on_demand);
    grid(&b, 0, 0, "shown", bits[0]); /* told again */
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 1);
    grid(&b, 0, 0, "shown", bits[1]);
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 2);
    assert_int_equal(b.last->u.cut.parts[0].mesh.index_count, 9 * 6);
    cut(&b, 0, 0, 2); /* other ground */
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 3);
    assert_int_equal(b.last->u.cut.product, 2);
    grid(&b, 0, 0, NULL, NULL);
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 4);
    assert_int_equal(b.last->u.cut.part_count, 0);
    grid(&b, 0, 0, "shown", bits[0]);
    stn_sheets_cut_drop(b.sheets, 0, 0); /* its sheets leave with it */
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 4);
    cut(&b, 0, 0, 3);
    stn_sheets_frame(b.sheets, FRAME + 1);
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 4);
    close_bench(&b);
}

static void what_is_missing_is_waited_for(void **state)
{
    bench b;

    (void)state;
    mark(bits[0], 0, 0, 1, 1);
    setup(&b, "claim", bits[0]);
    stn_sheets_grid_drop(b.sheets, -1, 0); /* the corner beside it has no height now */
    cut(&b, 0, 0, 1);
    b.loading = true;
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 0);
    assert_int_equal(due(&b), 1);
    b.loading = false;
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 0);
    assert_int_equal(due(&b), 0);
    grid(&b, -1, 0, NULL, NULL);
    b.full = true;
    stn_sheets_tick(b.sheets);
    assert_int_equal(due(&b), 1);
    b.full = false;
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 1);
    assert_int_equal(b.last->u.cut.parts[1].mesh.index_count, 2 * 8);
    close_bench(&b);
}

static void an_outline_does_not_run_along_the_edge_of_a_grid(void **state)
{
    bench b;

    (void)state;
    mark(bits[0], 0, 5, 0, 5);
    mark(bits[1], 99, 5, 99, 5);
    setup(&b, "claim", bits[0]);
    cut(&b, 0, 0, 1);
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.last->u.cut.parts[1].mesh.index_count, 2 * 4);
    grid(&b, -1, 0, "claim", bits[1]);
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 2);
    assert_int_equal(b.last->u.cut.parts[1].mesh.index_count, 2 * 3);
    grid(&b, -1, 0, "plain", bits[1]); /* another mark */
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.last->u.cut.parts[1].mesh.index_count, 2 * 4);
    close_bench(&b);
}

static void what_cannot_be_had_is_left_out(void **state)
{
    bench b;
    stn_sheet_mask both[2] = {{"plain", bits[1]}, {"broken", bits[0]}};
    stn_err err = {0};
    size_t n;
    uint64_t out;

    (void)state;
    mark(bits[0], 3, 3, 4, 4);
    mark(bits[1], 4, 4, 5, 5);
    setup(&b, "broken", bits[0]);
    cut(&b, 0, 0, 1);
    stn_sheets_tick(b.sheets);
    stn_sheets_counts(b.sheets, &n, &out);
    assert_int_equal(b.given, 0);
    assert_int_equal(n, 0);
    assert_int_equal(out, 1);
    assert_true(stn_sheets_grid(b.sheets, 0, 0, (const uint8_t *)heights, both, 2));
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 1);
    assert_int_equal(b.last->u.cut.part_count, 1);
    /* Bytes that are no product: the cut has no sheets, and nothing else happens. */
    assert_int_not_equal(stn_sheets_cut(b.sheets, 0, 0, 2, b.product, 20, &err), STN_OK);
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 1);
    /* The edge of the world. */
    cut(&b, INT32_MAX, INT32_MIN, 3);
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 1);
    close_bench(&b);
}

/* A grid as world tells it. `mask_bytes`: what its mask is said to have. */
static bool told(bench *b, uint64_t mask_bytes, bool lost, stn_frame **frame)
{
    Stenness__Grid g = STENNESS__GRID__INIT;
    Stenness__Array z = STENNESS__ARRAY__INIT, mask = STENNESS__ARRAY__INIT, *masks[] = {&mask};
    char name[] = "claim", *names[] = {name};
    stn_array_plan plan = {0};
    size_t at_z = stn_array_add(&plan, &z, STENNESS__ELEMENT_FORMAT__ELEMENT_F32, STN_GRID_CELLS);
    size_t at_mask =
        stn_array_add(&plan, &mask, STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES, STN_SHEETS_MASK_BYTES);
    stn_err err = {0};

    *frame = stn_array_plan_frame(&plan);
    assert_non_null(*frame);
    memcpy(stn_frame_writable(*frame) + at_z, heights, sizeof heights);
    memcpy(stn_frame_writable(*frame) + at_mask, bits[0], STN_SHEETS_MASK_BYTES);
    mask.count = mask_bytes;
    g.heights = &z;
    g.overlay_names = names;
    g.overlays = masks;
    g.n_overlay_names = g.n_overlays = 1;
    return stn_sheetlook_grid(b->sheets, &g, frame, lost ? 0 : 1, &err);
}

static void a_grid_that_is_broken_is_not_there(void **state)
{
    bench b;
    stn_frame *good, *bad[3];

    (void)state;
    mark(bits[0], 30, 30, 31, 30);
    setup(&b, NULL, NULL);
    cut(&b, 1, 1, 1);
    assert_true(told(&b, STN_SHEETS_MASK_BYTES, false, &good));
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 1);
    assert_int_equal(b.last->u.cut.parts[0].mesh.index_count, 2 * 6);
    assert_false(told(&b, STN_SHEETS_MASK_BYTES - 1, false, &bad[0]));
    assert_false(told(&b, UINT64_MAX, false, &bad[1]));
    assert_false(told(&b, STN_SHEETS_MASK_BYTES, true, &bad[2]));
    stn_frame_unref(good); /* nothing looks at it any more */
    for (int i = 0; i < 3; i++)
        stn_frame_unref(bad[i]);
    cut(&b, 1, 1, 2);
    stn_sheets_tick(b.sheets);
    assert_int_equal(b.given, 2);
    assert_int_equal(b.last->u.cut.part_count, 0);
    close_bench(&b);
}

/* --- resources --- */

typedef struct library {
    stn_store *store;
    stn_opened *opened;
} library;

static void put_layer(stn_buf *out, stn_layer_kind kind, const void *as)
{
    stn_res_layer layer = {.kind = kind};
    stn_err err = {0};

    if (kind == STN_LAYER_MAT)
        layer.as.mat = as;
    else
        layer.as.overlay = as;
    assert_int_equal(stn_res_put_layer(out, &layer, &err), STN_OK);
}

/* "claim": two materials, not always shown; "shown": always, no outline; "stone": no overlay; "bare": names a
 * material that it does not have. Others cannot be had. */
static void ask(void *ctx, const char *name, int32_t version, int32_t priority)
{
    library *l = ctx;
    stn_value rgba = {.kind = STN_VALUE_COLOR, .u.color = {255, 0, 255, 64}};
    stn_mat_spec spec = {"vcol", {1, &rgba}};
    stn_res_mat fill = {.id = 0, .count = 1, .specs = &spec}, line = {.id = 5, .count = 1, .specs = &spec};
    const char *claim[] = {"cplot"}, *shown[] = {"cplot", "show"};
    bool is_claim = strcmp(name, "claim") == 0, is_shown = strcmp(name, "shown") == 0;
    stn_res_overlay o = {.tag_count = is_shown ? 2 : 1, .tags = is_shown ? shown : claim, .omat_id = -1};
    stn_buf file = {0};
    stn_wire *wire = NULL;
    stn_err err = {0};

    (void)priority;
    stn_res_put_head(&file, 1);
    o.omat_id = is_claim ? 5 : -1;
    o.mat_id = strcmp(name, "bare") == 0 ? 9 : 0;
    put_layer(&file, STN_LAYER_MAT, &fill);
    put_layer(&file, STN_LAYER_MAT, &line);
    if (strcmp(name, "stone") != 0)
        put_layer(&file, STN_LAYER_OVERLAY, &o);
    assert_false(file.failed);
    if (strcmp(name, "absent") == 0) {
        stn_store_failed(l->store, name, version, "nobody has it");
    } else {
        assert_int_equal(stn_opened_add(&l->opened, file.data, file.len, &wire, &err), STN_OK);
        stn_store_ready(l->store, name, version, wire, NULL, NULL);
    }
    stn_buf_fini(&file);
}

static bool refuse(void *ctx, stn_job *job)
{
    (void)ctx;
    stn_job_free(job);
    return true;
}

/* The store asks at once, and has it at the second question. */
static stn_sprite_fault look_of(library *l, const char *name, stn_sheet_look *out)
{
    stn_err err = {0};
    stn_sprite_fault f = stn_sheetlook_of(l->store, name, out, &err);

    return f == STN_SPRITE_LOADING ? stn_sheetlook_of(l->store, name, out, &err) : f;
}

static void a_resource_says_how_it_looks(void **state)
{
    library l = {0};
    stn_sheet_look out;

    (void)state;
    l.store = stn_store_new(&(stn_store_ops){&l, ask, refuse});
    assert_non_null(l.store);
    assert_int_equal(look_of(&l, "claim", &out), STN_SPRITE_OK);
    assert_false(out.always);
    assert_true(out.has_line);
    assert_true(out.fill.base[0] == 1.0f && out.fill.base[1] == 0.0f);
    assert_float_equal(out.fill.base[3], 64.0f / 255.0f, 1e-6);
    assert_int_equal(look_of(&l, "shown", &out), STN_SPRITE_OK);
    assert_true(out.always);
    assert_false(out.has_line);
    assert_int_equal(look_of(&l, "stone", &out), STN_SPRITE_NO_LAYER);
    assert_int_equal(look_of(&l, "bare", &out), STN_SPRITE_NO_LAYER);
    assert_int_equal(look_of(&l, "absent", &out), STN_SPRITE_LOAD_FAILED);
    stn_store_free(l.store);
    stn_opened_free(l.opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_become_a_sheet_and_its_outline),
        cmocka_unit_test(what_changes_is_made_anew_and_what_goes_is_taken_away),
        cmocka_unit_test(what_is_missing_is_waited_for),
        cmocka_unit_test(an_outline_does_not_run_along_the_edge_of_a_grid),
        cmocka_unit_test(what_cannot_be_had_is_left_out),
        cmocka_unit_test(a_grid_that_is_broken_is_not_there),
        cmocka_unit_test(a_resource_says_how_it_looks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
