/* The decoration of a cut comes out of its bytes as it went in, and damaged bytes are refused. */
#include "base/bytes.h"
#include "mesher/decor_pack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct made {
    stn_tileset *sets[2];
    stn_arena *arena;
    stn_decor d;
    uint8_t *data;
    size_t len;
} made;

static void make(made *m)
{
    static const stn_tile_flavor bare[] = {{.res = "gfx/one", .version = 3, .p = 0.2},
                                           {.res = "gfx/never", .version = 1, .p = NAN}};
    static const stn_tile_flavor rich[] = {{.res = "gfx/two", .version = 4, .p = 0.05},
                                           {.res = "gfx/one", .version = 3, .p = 0.1}};
    const stn_tileset_def defs[2] = {
        {.name = "gfx/tiles/bare", .tiler = "trn", .flavors = bare, .nflavors = 2},
        {.name = "gfx/tiles/rich",
         .tiler = "trn",
         .common = {.res = "gfx/tiles/rich", .version = 9, .id = 7},
         .flavors = rich,
         .nflavors = 2},
    };
    static uint16_t tiles[27 * 27];
    static float heights[28 * 28];
    stn_job_set sets[2];
    stn_err err = {0};
    stn_decor_pack *pack;

    for (int i = 0; i < 2; i++) {
        assert_int_equal(stn_tileset_new(&defs[i], &m->sets[i], &err), STN_OK);
        sets[i] = (stn_job_set){.id = (uint16_t)(5 + i), .set = m->sets[i]};
    }
    for (int i = 0; i < 27 * 27; i++)
        tiles[i] = (uint16_t)(5 + (i / 40) % 2);
    const stn_job job = {.grid_id = 12345,
                         .grid = {2, -3},
                         .cut = {1, 2},
                         .density = 100,
                         .tile_window = STN_WINDOW_TILES,
                         .tiles = tiles,
                         .height_window = STN_WINDOW_CORNERS,
                         .heights = heights,
                         .sets = sets,
                         .nsets = 2};
    m->arena = stn_arena_new(1 << 16, 0);
    assert_int_equal(stn_decor_run(&job, m->arena, &m->d, &err), STN_OK);
    assert_true(m->d.count > 50);
    assert_int_equal(stn_decor_pack_new(&m->d, m->arena, &pack, &m->len, &err), STN_OK);
    m->data = malloc(m->len);
    memset(m->data, 0xa5, m->len);
    stn_decor_pack_write(pack, m->data);
}

static void unmake(made *m)
{
    free(m->data);
    stn_arena_free(m->arena);
    stn_tileset_unref(m->sets[0]);
    stn_tileset_unref(m->sets[1]);
}

static bool is_name(const stn_decoration *d, uint16_t n, const char *text, int32_t version)
{
    return n < d->nnames && d->names[n].len == strlen(text) &&
           memcmp(d->names[n].text, text, d->names[n].len) == 0 && d->names[n].version == version;
}

static void decoration_comes_out_as_it_went_in(void **state)
{
    (void)state;
    made m = {0};
    stn_decoration d;
    stn_err err = {0};

    make(&m);
    assert_int_equal(stn_decoration_open(m.data, m.len, &d, &err), STN_OK);
    assert_int_equal(d.seed, m.d.seed);
    assert_int_equal(d.nobjects, m.d.count);
    assert_int_equal(d.ngroups, m.d.ngroups);
    assert_int_equal(d.nnames, 3); /* two flavors that are placed and one material */
    for (uint32_t i = 0; i < d.nobjects; i++) {
        const stn_decor_object *o = &m.d.objects[i];
        const stn_tile_flavor *f = &o->set->def.flavors[o->flavor];
        assert_true(is_name(&d, d.objects[i].name, f->res, f->version));
        assert_true(d.objects[i].x == o->x && d.objects[i].y == o->y && d.objects[i].angle == o->angle);
        assert_true(d.objects[i].seed == o->seed);
        assert_int_equal(d.objects[i].tile_x, o->tile_x);
        assert_int_equal(d.objects[i].tile_y, o->tile_y);
        const stn_decoration_group *g = &d.groups[d.objects[i].group];
        if (o->set == m.sets[0])
            assert_int_equal(g->material_name, STN_PRODUCT_NO_NAME);
        else
            assert_true(is_name(&d, g->material_name, "gfx/tiles/rich", 9) && g->material == 7);
    }
    stn_decoration_close(&d);
    unmake(&m);
}

static void damaged_decoration_is_refused(void **state)
{
    (void)state;
    made m = {0};
    stn_decoration d;
    stn_err err = {0};

    make(&m);
    for (size_t cut = 0; cut < m.len; cut += 1 + cut / 9)
        assert_int_not_equal(stn_decoration_open(m.data, cut, &d, &err), STN_OK);
    size_t object = m.len - STN_DECORATION_OBJECT;
    const struct {
        size_t at;
        uint32_t value;
        stn_status want;
    } cases[] = {
        {0, 1, STN_BAD_DATA},
        {4, 7, STN_VERSION},
        {8, 1, STN_TRUNCATED},
        {12, 0xffff, STN_TOO_BIG},
        {16, 1u << 31, STN_TOO_BIG},
        {16, 65536, STN_TRUNCATED},
        {object, 99, STN_BAD_DATA},
        {object + 4, 25, STN_BAD_DATA},
        {object + 12, 0x7ff80000, STN_BAD_DATA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t was = stn_ld32(m.data + cases[i].at);
        stn_st32(m.data + cases[i].at, cases[i].value);
        assert_int_equal(stn_decoration_open(m.data, m.len, &d, &err), cases[i].want);
        stn_st32(m.data + cases[i].at, was);
    }
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoration_comes_out_as_it_went_in),
        cmocka_unit_test(damaged_decoration_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
