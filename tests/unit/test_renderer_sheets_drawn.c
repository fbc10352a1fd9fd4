/* Marks on the ground in a picture: they tint what they cover and nothing else, and only when asked for. */
#include "renderer/build/sheets.h"
#include "renderer/gl/picture.h"
#include "support/scenery.h"

#include "base/file.h"
#include "map/coords.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define W 320
#define H 240
#define AROUND 4 /* tiles that are marked to each side of the middle */

static scenery world;
static uint8_t without[W * H * 4], with[W * H * 4];
static uint8_t bits[STN_SHEETS_MASK_BYTES];

static stn_sprite_fault look(void *ctx, const char *name, stn_sheet_look *out, stn_err *err)
{
    (void)ctx;
    (void)name;
    (void)err;
    memset(out, 0, sizeof *out);
    out->has_line = true;
    out->fill = out->line = stn_matstate_default();
    out->fill.base[1] = 0.0f;
    out->fill.base[3] = 0.4f;
    out->line.base[1] = out->line.base[2] = 0.0f;
    return STN_SPRITE_OK;
}

static bool give(void *ctx, stn_job *job)
{
    (void)ctx;
    stn_stage_take(world.stage, job);
    return true;
}

/* Sheets of all cuts of a grid, marked around the tile in it. */
static void drape(stn_coord gc, stn_coord tile)
{
    stn_sheets *s = stn_sheets_new(&(stn_sheets_ops){NULL, look, give});
    stn_sheet_mask mask = {"claim", bits};
    stn_err err = {0};

    assert_non_null(s);
    stn_sheets_frame(s, 0);
    for (int y = tile.y - AROUND; y <= tile.y + AROUND; y++)
        for (int x = tile.x - AROUND; x <= tile.x + AROUND; x++)
            if (x >= 0 && y >= 0 && x < STN_GRID_TILES && y < STN_GRID_TILES)
                bits[(x + STN_GRID_TILES * y) / 8] |= (uint8_t)(1 << (x + STN_GRID_TILES * y) % 8);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const stn_land_grid_data *g = scenery_ground_grid(world.ground, gc.x + dx, gc.y + dy);

            assert_non_null(g);
            assert_true(stn_sheets_grid(s, gc.x + dx, gc.y + dy, (const uint8_t *)g->z, &mask,
                                        dx == 0 && dy == 0 ? 1 : 0));
        }
    for (int i = 0; i < STN_GRID_CUTS * STN_GRID_CUTS; i++) {
        int32_t cx = gc.x * STN_GRID_CUTS + i % STN_GRID_CUTS, cy = gc.y * STN_GRID_CUTS + i / STN_GRID_CUTS;
        uint8_t *data;
        size_t len;

        assert_int_equal(scenery_ground_cut(world.ground, cx, cy, false, &data, &len, &err), STN_OK);
        assert_int_equal(stn_sheets_cut(s, cx, cy, UINT64_MAX, data, len, &err), STN_OK);
        free(data);
    }
    stn_sheets_tick(s);
    stn_sheets_free(s);
}

static size_t different(int x0, int y0, int x1, int y1)
{
    size_t n = 0;

    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            n += memcmp(without + (x + W * y) * 4, with + (x + W * y) * 4, 3) != 0;
    return n;
}

/* For whoever wants to see them: into the folder that STN_PICTURES names. */
static void keep_picture(void)
{
    const char *folder = getenv("STN_PICTURES");
    char path[512];
    uint8_t *png = NULL;
    size_t len = 0;
    stn_err err = {0};

    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/sheets.png", folder);
    assert_int_equal(stn_picture_to_png(with, W, H, 0, &png, &len, &err), STN_OK);
    assert_int_equal(stn_file_write(path, png, len, 0644, false, &err), STN_OK);
    free(png);
}

static void marks_tint_what_they_cover_when_asked_for(void **state)
{
    stn_err err = {0};
    stn_status st = scenery_open(&world, 1, STN_PACK_FOLDER, W, H, &err);
    double x, y, angle;
    stn_coord tile, gc;
    const uint8_t *a = without + (W / 2 + W * (H / 2)) * 4, *b = with + (W / 2 + W * (H / 2)) * 4;

    (void)state;
    if (st == STN_UNSUPPORTED) {
        printf("skipped: %s\n", err.text);
        skip();
    }
    assert_int_equal(st, STN_OK);
    stn_land_spawn(scenery_ground_land(world.ground), &x, &y, &angle);
    tile = stn_tile_of_point(x, y);
    gc = stn_grid_of_tile(tile);
    tile = stn_tile_in_grid(tile);
    assert_int_equal(scenery_land(&world, x, y, 1, &err), STN_OK);
    scenery_light(&world, (stn_colour){120, 120, 130, 255}, (stn_colour){220, 210, 190, 255}, 0.8, 0.9);
    scenery_run(&world, 0.2);
    scenery_eye(&world, x, y, 0.0, 600, 1.1, 0.6, 110);
    drape(gc, tile);
    scenery_draw(&world, without);
    world.look.overlays = true;
    scenery_draw(&world, with);
    keep_picture();
    /* The middle of the picture lies in them: less green, no less red. */
    assert_true(b[1] < a[1]);
    assert_true(b[0] >= a[0]);
    assert_true(different(0, 0, W, H) > 2000);
    assert_int_equal(different(0, 0, 20, 20) + different(W - 20, H - 20, W, H), 0);
    world.look.overlays = false;
    scenery_draw(&world, with);
    assert_int_equal(different(0, 0, W, H), 0);
    scenery_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks_tint_what_they_cover_when_asked_for)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
