/* The land of homestead: the same in every run, and a scene that stands on firm ground. */
#include "homestead/land.h"
#include "homestead/land_file.h"

#include "base/hash.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static stn_land_object objects[STN_LAND_MAX_OBJECTS];
static stn_land_grid_data grid;

static uint64_t grid_hash(const stn_land *land, int32_t gx, int32_t gy)
{
    size_t n = 0;
    uint64_t h;

    assert_int_equal(stn_land_grid(land, gx, gy, &grid), STN_OK);
    assert_int_equal(stn_land_objects(land, gx, gy, objects, STN_LAND_MAX_OBJECTS, &n), STN_OK);
    h = stn_hash_feed(STN_HASH_START, grid.tiles, sizeof grid.tiles);
    h = stn_hash_feed(h, grid.z, sizeof grid.z);
    h = stn_hash_feed(h, &grid.id, sizeof grid.id);
    for (size_t i = 0; i < n; i++) {
        h = stn_hash_feed(h, &objects[i].x, sizeof objects[i].x);
        h = stn_hash_feed(h, &objects[i].y, sizeof objects[i].y);
        h = stn_hash_feed(h, objects[i].name, strlen(objects[i].name));
        h = stn_hash_feed(h, &objects[i].id, sizeof objects[i].id);
    }
    return h;
}

static void a_seed_is_one_land_in_every_order_of_asking(void **state)
{
    stn_land *a = stn_land_new(7), *b = stn_land_new(7), *c = stn_land_new(8);
    uint64_t first[9], hash = 0;

    (void)state;
    for (int i = 0; i < 9; i++)
        first[i] = grid_hash(a, i % 3 - 1, i / 3 - 1);
    for (int i = 8; i >= 0; i--)
        assert_int_equal(grid_hash(b, i % 3 - 1, i / 3 - 1), first[i]);
    for (int i = 0; i < 9; i++)
        hash += grid_hash(c, i % 3 - 1, i / 3 - 1) == first[i];
    assert_int_equal(hash, 0);
    stn_land_free(a);
    stn_land_free(b);
    stn_land_free(c);
}

static void single_tiles_agree_with_whole_grids(void **state)
{
    static const int32_t places[][2] = {{0, 0}, {-1, 0}, {3, -5}, {-7, 11}};
    stn_land *land = stn_land_new(1);

    (void)state;
    for (size_t p = 0; p < 4; p++) {
        assert_int_equal(stn_land_grid(land, places[p][0], places[p][1], &grid), STN_OK);
        for (int i = 0; i < 10000; i += 37) {
            int32_t tx = places[p][0] * 100 + i % 100, ty = places[p][1] * 100 + i / 100;

            assert_int_equal(stn_land_tile(land, tx, ty), grid.tiles[i]);
            assert_true(stn_land_height(land, tx, ty) == grid.z[i]);
        }
    }
    assert_int_equal(stn_land_grid(land, STN_LAND_REACH + 1, 0, &grid), STN_NOT_FOUND);
    assert_int_equal(stn_land_tile(land, (STN_LAND_REACH + 1) * 100, 0), 0);
    stn_land_free(land);
}

static void every_tile_has_a_tileset_and_water_is_level(void **state)
{
    stn_land *land = stn_land_new(1);
    size_t n = 0;
    const stn_land_tileset *sets = stn_land_tilesets(land, &n);
    bool known[256] = {false};
    unsigned long water = 0;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        assert_true(sets[i].id > 0 && sets[i].id < 255);
        assert_true(i == 0 || sets[i].id > sets[i - 1].id);
        known[sets[i].id] = true;
    }
    for (int32_t gy = -2; gy <= 2; gy++)
        for (int32_t gx = -2; gx <= 2; gx++) {
            assert_int_equal(stn_land_grid(land, gx, gy, &grid), STN_OK);
            for (int i = 0; i < 10000; i++) {
                assert_true(grid.tiles[i] < 256 && known[grid.tiles[i]]);
                assert_true(isfinite(grid.z[i]));
                if (i % 100 < 99 && i < 9900 &&
                    stn_land_is_water(land, gx * 100 + i % 100, gy * 100 + i / 100)) {
                    water++;
                    assert_true(grid.z[i] == grid.z[i + 1] && grid.z[i] == grid.z[i + 100] &&
                                grid.z[i] == grid.z[i + 101]);
                }
            }
        }
    assert_true(water > 10000);
    stn_land_free(land);
}

static void the_spawn_is_dry_gentle_and_above_the_lake(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        stn_land *land = stn_land_new(seed);
        double x, y, angle, z;
        bool lake = false;

        stn_land_spawn(land, &x, &y, &angle);
        z = stn_land_z(land, x, y);
        for (int dy = -5; dy <= 5; dy++)
            for (int dx = -5; dx <= 5; dx++) {
                double px = x + dx * STN_LAND_TILE, py = y + dy * STN_LAND_TILE;

                assert_false(stn_land_is_water(land, (int32_t)floor(px / 11.0), (int32_t)floor(py / 11.0)));
                assert_true(fabs(stn_land_z(land, px, py) - z) < 10.0);
            }
        for (int d = 10; d < 40 && !lake; d++)
            lake = stn_land_is_water(land, (int32_t)floor(x / 11.0), (int32_t)floor(y / 11.0) + d);
        assert_true(lake);
        stn_land_free(land);
    }
}

/* A thing with a floor stands on ground that its footprint does not leave by more than its foundation
 * reaches. */
static void composed_things_neither_float_nor_drown(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        stn_land *land = stn_land_new(seed);
        unsigned cupboards = 0, houses = 0;

        for (int32_t gy = -1; gy <= 1; gy++)
            for (int32_t gx = -1; gx <= 1; gx++) {
                size_t n = 0;

                assert_int_equal(stn_land_objects(land, gx, gy, objects, STN_LAND_MAX_OBJECTS, &n), STN_OK);
                for (size_t i = 0; i < n; i++) {
                    const stn_land_object *o = &objects[i];
                    double reach = strstr(o->name, "/house") ? 30.0 : 6.0, z = stn_land_z(land, o->x, o->y);
                    bool wet =
                        stn_land_is_water(land, (int32_t)floor(o->x / 11.0), (int32_t)floor(o->y / 11.0));

                    assert_true(i == 0 || o->id > objects[i - 1].id);
                    assert_true(o->x >= gx * 1100.0 && o->x < (gx + 1) * 1100.0);
                    assert_true(o->y >= gy * 1100.0 && o->y < (gy + 1) * 1100.0);
                    if (strstr(o->name, "/reeds") || o->swims)
                        assert_true(wet);
                    else
                        assert_false(wet);
                    cupboards += strstr(o->name, "/cupboard") != NULL;
                    houses += strstr(o->name, "/house") != NULL;
                    if (strstr(o->name, "/house") || strstr(o->name, "/cupboard") ||
                        strstr(o->name, "/crate"))
                        for (int k = 0; k < 8; k++) {
                            double px = o->x + reach * cos(k * 0.785), py = o->y + reach * sin(k * 0.785);

                            assert_true(fabs(stn_land_z(land, px, py) - z) < 2.5);
                        }
                }
            }
        assert_int_equal(cupboards, 5);
        assert_int_equal(houses, 1);
        stn_land_free(land);
    }
}

static void trees_keep_their_distance_and_number(void **state)
{
    stn_land *land = stn_land_new(1);
    size_t n = 0, trees = 0;

    (void)state;
    assert_int_equal(stn_land_objects(land, 0, 0, objects, STN_LAND_MAX_OBJECTS, &n), STN_OK);
    for (size_t i = 0; i < n; i++) {
        if (!strstr(objects[i].name, "/trees/"))
            continue;
        trees++;
        assert_int_equal(objects[i].sdt_len, 2);
        for (size_t k = 0; k < i; k++)
            if (strstr(objects[k].name, "/trees/"))
                assert_true(hypot(objects[i].x - objects[k].x, objects[i].y - objects[k].y) > 6.0);
    }
    assert_in_range(trees, 100, 900);
    stn_land_free(land);
}

/* A land of one grid in the file's own form; `at` may break one thing. */
static char *land_json(const char *format, const char *name, int tiles, const char *z,
                       const char *objects_json)
{
    char *text = malloc(200000), *p = text;

    p += sprintf(p,
                 "{\"format\":\"%s\",\"tiles\":[{\"id\":5,\"name\":\"%s\",\"version\":3},"
                 "{\"id\":9,\"name\":\"gfx/tiles/"
                 "deep\",\"version\":1}],\"grids\":[{\"gc\":[-2,3],\"id\":77,\"tiles\":[",
                 format, name);
    for (int i = 0; i < tiles; i++)
        p += sprintf(p, "%s%d", i ? "," : "", i % 100 < 50 ? 9 : 5);
    p += sprintf(p, "],\"z\":[");
    for (int i = 0; i < 10000; i++)
        p += sprintf(p, "%s%s", i ? "," : "", z);
    sprintf(p, "]}],\"objects\":%s}", objects_json);
    return text;
}

static void a_recorded_land_is_mapped_and_says_what_it_could_not_map(void **state)
{
    char *json = land_json("land-1", "gfx/tiles/glimmermoss", 10000, "12.5",
                           "[{\"pos\":[-1800.5,3400],\"angle\":1.5,\"name\":\"gfx/terobjs/vehicle/rowboat\"},"
                           "{\"pos\":[-1500,3500],\"angle\":0,\"name\":null},"
                           "{\"pos\":[-1500,3600],\"angle\":0,\"name\":\"gfx/terobjs/spaceship\"},"
                           "{\"pos\":[-2150,3333],\"angle\":2,\"name\":\"gfx/borka/body\"}]");
    stn_land *land = NULL;
    stn_land_report r;
    stn_err err = {0};
    size_t n = 0;
    double x, y, angle;

    (void)state;
    assert_int_equal(stn_land_parse(json, strlen(json), false, &land, &r, &err), STN_OK);
    assert_int_equal(r.grids, 1);
    assert_int_equal(r.tilesets_unmapped, 1);
    assert_int_equal(r.objects_unmapped, 1);
    assert_int_equal(r.objects_unnamed, 1);
    assert_int_equal(r.objects_placed, 1);
    assert_int_equal(r.n_unmapped, 2);
    assert_string_equal(r.unmapped[0], "gfx/tiles/glimmermoss");
    assert_string_equal(r.unmapped[1], "gfx/terobjs/spaceship");
    assert_int_equal(stn_land_grid(land, -2, 3, &grid), STN_OK);
    assert_int_equal(grid.id, 77);
    assert_true(grid.z[123] == 12.5f);
    assert_true(stn_land_is_water(land, -200, 300));
    assert_false(stn_land_is_water(land, -101, 399));
    assert_int_equal(stn_land_objects(land, -2, 3, objects, STN_LAND_MAX_OBJECTS, &n), STN_OK);
    assert_int_equal(n, 1);
    assert_string_equal(objects[0].name, "homestead/things/rowboat");
    /* The recorded person stood in the lake; the nearest dry place is where one enters. */
    stn_land_spawn(land, &x, &y, &angle);
    assert_false(stn_land_is_water(land, (int32_t)floor(x / 11.0), (int32_t)floor(y / 11.0)));
    assert_int_equal(stn_land_grid(land, 0, 0, &grid), STN_NOT_FOUND);
    stn_land_free(land);
    free(json);
}

static void a_broken_land_file_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *format, *z, *objects;
        int tiles;
        stn_status want;
        const char *says;
    } cases[] = {
        {"land-2", "1", "[]", 10000, STN_VERSION, "land-1"},
        {"land-1", "1", "[]", 9999, STN_BAD_DATA, "9999"},
        {"land-1", "1e9", "[]", 10000, STN_BAD_DATA, "z[0]"},
        {"land-1", "\"x\"", "[]", 10000, STN_BAD_DATA, "z[0]"},
        {"land-1", "1", "[{\"pos\":[1],\"angle\":0,\"name\":null}]", 10000, STN_BAD_DATA, "objects[0]"},
        {"land-1", "1", "[{\"pos\":[1,2],\"angle\":0,\"name\":7}]", 10000, STN_BAD_DATA, "objects[0]"},
        {"land-1", "1", "{}", 10000, STN_BAD_DATA, "objects"},
        {"land-1", "nope", "[]", 10000, STN_BAD_DATA, "line 1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *json =
            land_json(cases[i].format, "gfx/tiles/grass", cases[i].tiles, cases[i].z, cases[i].objects);
        stn_land *land = NULL;
        stn_err err = {0};

        assert_int_equal(stn_land_parse(json, strlen(json), false, &land, NULL, &err), cases[i].want);
        assert_null(land);
        assert_non_null(strstr(err.text, cases[i].says));
        free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_is_one_land_in_every_order_of_asking),
        cmocka_unit_test(single_tiles_agree_with_whole_grids),
        cmocka_unit_test(every_tile_has_a_tileset_and_water_is_level),
        cmocka_unit_test(the_spawn_is_dry_gentle_and_above_the_lake),
        cmocka_unit_test(composed_things_neither_float_nor_drown),
        cmocka_unit_test(trees_keep_their_distance_and_number),
        cmocka_unit_test(a_recorded_land_is_mapped_and_says_what_it_could_not_map),
        cmocka_unit_test(a_broken_land_file_is_refused_with_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
