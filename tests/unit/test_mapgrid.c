/* What homestead writes of a grid is what world reads: ids, tiles, heights and plots (docs/spec/map-cache.md
 * 3). */
#include "session/mapdata.h"
#include "world/gridmsg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint16_t tiles[STN_MAPDATA_CELLS];
static float z[STN_MAPDATA_CELLS];
static const uint16_t ids[2] = {3, 9}, resids[2] = {11, 12};

static stn_mapgrid_out plain(void)
{
    for (int i = 0; i < STN_MAPDATA_CELLS; i++) {
        tiles[i] = i % 7 ? 3 : 9;
        z[i] = (float)(i % 50) * 2.75f; /* a quarter of what a message counts in: exact */
    }
    return (stn_mapgrid_out){.gc_x = -2,
                             .gc_y = 5,
                             .id = 77,
                             .tiles = tiles,
                             .z = z,
                             .ids = ids,
                             .resids = resids,
                             .n_tilesets = 2};
}

/* Behind the coordinate, which the message's head is. */
static stn_gridmsg *read_back(const stn_buf *out)
{
    stn_gridmsg *m = NULL;
    stn_err err = {0};

    assert_int_equal(stn_gridmsg_read(out->data + 8, out->len - 8, NULL, NULL, &m, &err), STN_OK);
    return m;
}

static int marked(const stn_overlay_mask *m, int x, int y)
{
    return m->bits[(x + 100 * y) / 8] >> (x + 100 * y) % 8 & 1;
}

static void plots_come_back_as_masks(void **state)
{
    /* Every other tile of 3 x 3, beginning with the first. */
    static const uint8_t chess[2] = {0x55, 0x01};
    const stn_mapgrid_plot plots[] = {{21, 10, 20, 30, 25, NULL},
                                      {22, 97, 97, 100, 100, chess},
                                      {21, 30, 20, 31, 21, NULL},
                                      {21, 0, 0, 100, 1, NULL}};
    stn_mapgrid_out grid = plain();
    stn_buf out = {0};
    stn_err err = {0};
    stn_gridmsg *m;
    int n[2] = {0};

    (void)state;
    grid.plots = plots;
    grid.n_plots = 4;
    assert_int_equal(stn_mapgrid_write(&out, &grid, &err), STN_OK);
    m = read_back(&out);
    assert_int_equal(m->id, 77);
    assert_memory_equal(m->tiles, tiles, sizeof tiles);
    assert_memory_equal(m->z, z, sizeof z);
    assert_true(m->has_overlays);
    assert_int_equal(m->n_overlays, 2); /* two of the plots are of one overlay */
    assert_int_equal(m->overlays[0].resid, 21);
    assert_int_equal(m->overlays[1].resid, 22);
    for (int i = 0; i < STN_MAPDATA_CELLS; i++)
        for (int k = 0; k < 2; k++)
            n[k] += marked(&m->overlays[k], i % 100, i / 100);
    assert_int_equal(n[0], 20 * 5 + 1 + 100);
    assert_int_equal(n[1], 5);
    assert_true(marked(&m->overlays[0], 10, 20) && marked(&m->overlays[0], 29, 24));
    assert_true(marked(&m->overlays[0], 30, 20) && !marked(&m->overlays[0], 30, 21));
    assert_true(marked(&m->overlays[0], 0, 0) && marked(&m->overlays[0], 99, 0));
    assert_true(marked(&m->overlays[1], 97, 97) && !marked(&m->overlays[1], 98, 97));
    assert_true(marked(&m->overlays[1], 98, 98) && marked(&m->overlays[1], 99, 99));
    stn_gridmsg_free(m);
    stn_buf_fini(&out);
}

static void a_grid_without_plots_says_nothing_of_them(void **state)
{
    stn_mapgrid_out grid = plain();
    stn_buf out = {0};
    stn_err err = {0};
    stn_gridmsg *m;

    (void)state;
    assert_int_equal(stn_mapgrid_write(&out, &grid, &err), STN_OK);
    m = read_back(&out);
    assert_false(m->has_overlays);
    stn_gridmsg_free(m);
    stn_buf_fini(&out);
}

static void plots_that_are_no_part_of_a_grid_are_refused(void **state)
{
    static const stn_mapgrid_plot wrong[] = {
        {21, 5, 5, 5, 9, NULL}, {21, 9, 5, 8, 9, NULL}, {21, 0, 0, 101, 1, NULL}};
    stn_mapgrid_out grid = plain();
    stn_buf out = {0};
    stn_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        grid.plots = &wrong[i];
        grid.n_plots = 1;
        assert_int_equal(stn_mapgrid_write(&out, &grid, &err), STN_BAD_DATA);
        assert_int_equal(out.len, 0);
    }
    grid.n_plots = STN_MAPDATA_PLOTS + 1;
    assert_int_equal(stn_mapgrid_write(&out, &grid, &err), STN_TOO_BIG);
    stn_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plots_come_back_as_masks),
        cmocka_unit_test(a_grid_without_plots_says_nothing_of_them),
        cmocka_unit_test(plots_that_are_no_part_of_a_grid_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
