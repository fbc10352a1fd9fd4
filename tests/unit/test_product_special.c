/* Cliffs, caves, water and foam in the compact product: the wider vertex formats, and the shapes that
 * overlays, grid lines and clicks need. */
#include "base/bytes.h"
#include "mesher/exact.h"
#include "mesher/pack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Cave walls stand towards higher ids. */
enum { CAVE = 2, GRASS, CLIFF, WATER, IDS };

typedef struct land {
    stn_tileset *masks, *bottom, *sets[IDS];
    stn_job_set job_sets[4];
    uint16_t tiles[47 * 47];
    float heights[48 * 48];
    stn_job job;
    stn_scratch *s;
    stn_blocks *blocks;
    stn_build *b;
    stn_exact exact;
    uint8_t *data;
    size_t len;
} land;

static stn_tileset *new_set(const stn_tileset_def *def)
{
    stn_tileset *set;
    stn_err err = {0};
    if (stn_tileset_new(def, &set, &err) != STN_OK)
        fail_msg("%s", err.text);
    return set;
}

static void make_sets(land *l)
{
    stn_tile_image images[31] = {{.type = 'g', .weight = 1}};
    const stn_tile_var vars[] = {{.material = 2, .lo = 0.1, .hi = 1e300}};
    for (int i = 0; i < 15; i++) {
        images[1 + i] = (stn_tile_image){.type = 'b', .id = (uint8_t)(i + 1), .weight = 3};
        images[16 + i] = (stn_tile_image){.type = 'c', .id = (uint8_t)(i + 1), .weight = 2};
    }
    l->masks = new_set(&(stn_tileset_def){
        .name = "masks", .tiler = "gnd", .tile_w = 32, .tile_h = 32, .images = images, .nimages = 31});
    stn_tileset_def d = {.name = "grass",
                         .tiler = "trn",
                         .base = {.res = "grass", .version = 1, .id = 0},
                         .vars = vars,
                         .nvars = 1,
                         .trans = l->masks};
    l->sets[GRASS] = new_set(&d);
    d.name = d.base.res = "bottom";
    l->bottom = new_set(&d);
    d.name = d.base.res = "cliff";
    d.tiler = "trn-r";
    d.wall = (stn_material){.res = "rock", .version = 2, .id = -1};
    d.wall_height = 11;
    d.break_height = 20;
    l->sets[CLIFF] = new_set(&d);
    l->sets[WATER] =
        new_set(&(stn_tileset_def){.name = "lake", .tiler = "water", .depth = 12, .floor = l->bottom});
    l->sets[CAVE] = new_set(&(stn_tileset_def){.name = "cave",
                                               .tiler = "cave",
                                               .wall = {.res = "cave", .version = 1, .id = 4},
                                               .floor = l->sets[GRASS]});
    for (int i = 0; i < 4; i++)
        l->job_sets[i] = (stn_job_set){.id = (uint16_t)(CAVE + i), .set = l->sets[CAVE + i]};
}

/* Cliffs of several shapes in the west, a sloping lake in the east, a cave in the south, grass between. */
static void make_land(land *l)
{
    stn_j48 r = stn_j48_of(99);

    for (int y = -11; y < 36; y++)
        for (int x = -11; x < 36; x++)
            l->tiles[x + 11 + 47 * (y + 11)] = x < 9                       ? CLIFF
                                               : y > 19 && x < 14          ? CAVE
                                               : x > 15 && y > 3 && y < 20 ? WATER
                                                                           : GRASS;
    for (int y = -11; y < 37; y++)
        for (int x = -11; x < 37; x++)
            l->heights[x + 11 + 48 * (y + 11)] = x < 8    ? (float)(stn_j48_below(&r, 3) * 37)
                                                 : x > 14 ? (float)x * 1.5f
                                                          : stn_j48_float(&r) * 4.0f;
}

static int setup(void **state)
{
    land *l = calloc(1, sizeof *l);
    stn_err err = {0};
    stn_pack *pack;

    make_sets(l);
    make_land(l);
    l->job = (stn_job){.grid_id = 77,
                       .grid = {3, 4},
                       .cut = {1, 1},
                       .blend = 12,
                       .transitions = true,
                       .tile_window = STN_WINDOW_WATER_TILES,
                       .tiles = l->tiles,
                       .height_window = STN_WINDOW_WATER_CORNERS,
                       .heights = l->heights,
                       .sets = l->job_sets,
                       .nsets = 4};
    l->s = stn_scratch_new(0);
    l->blocks = stn_blocks_new(256, NULL);
    if (stn_build_run(l->s, l->blocks, NULL, &l->job, &l->b, &err) != STN_OK ||
        stn_build_exact(l->b, &l->exact) != STN_OK || stn_pack_new(l->b, &pack, &l->len) != STN_OK)
        fail_msg("%s", err.text);
    l->data = malloc(l->len);
    memset(l->data, 0xa5, l->len);
    stn_pack_write(pack, l->data);
    *state = l;
    return 0;
}

static int teardown(void **state)
{
    land *l = *state;
    free(l->data);
    stn_blocks_free(l->blocks);
    stn_scratch_free(l->s);
    for (int i = CAVE; i < IDS; i++)
        stn_tileset_unref(l->sets[i]);
    stn_tileset_unref(l->bottom);
    stn_tileset_unref(l->masks);
    free(l);
    return 0;
}

static const float *exact_of(const stn_exact_mesh *e, stn_mesh_attr a, uint32_t v)
{
    for (unsigned i = 0; i < e->nattrs; i++)
        if (e->attr[i] == a)
            return e->data + (size_t)v * e->stride + e->offset[i];
    return NULL;
}

/* Whether the attribute, where the exact mesh has it, is within `most` of it, relative for large values. */
static void near(const stn_vertex_layout *l, const uint8_t *at, stn_vertex_use use, const float *want,
                 unsigned n, float most)
{
    float got[3];
    if (!want)
        return;
    assert_int_equal(stn_vertex_read(l, at, use, got), n);
    for (unsigned k = 0; k < n; k++)
        assert_true(fabsf(got[k] - want[k]) <= most * fmaxf(1.0f, fabsf(want[k])));
}

static void every_format_keeps_its_vertices(void **state)
{
    land *l = *state;
    stn_product p;
    stn_err err = {0};
    unsigned seen[STN_VERTEX_FORMATS] = {0}, kinds[STN_MESH_KINDS] = {0};

    assert_int_equal(stn_product_open(l->data, l->len, &p, &err), STN_OK);
    assert_int_equal(p.nmeshes, l->exact.n);
    for (uint32_t i = 0; i < p.nmeshes; i++) {
        const stn_exact_mesh *e = &l->exact.meshes[i];
        const stn_product_mesh *m = &p.meshes[i];
        const stn_vertex_layout *lay = stn_vertex_layout_of(m->format);
        seen[m->format]++;
        kinds[m->kind]++;
        assert_int_equal(m->nvertices, e->nv);
        for (uint32_t v = 0; v < e->nv; v++) {
            const uint8_t *at = p.vertices + (size_t)(m->first_vertex + v) * lay->stride;
            const float *pos = exact_of(e, STN_MESH_ATTR_POS, v), *tex = exact_of(e, STN_MESH_ATTR_TEX, v);
            const float *col = exact_of(e, STN_MESH_ATTR_COL, v);
            float got[3];
            stn_vertex_read(lay, at, STN_USE_XY, got);
            assert_true(got[0] * lay->x_scale == pos[0] && got[1] * lay->y_scale == pos[1]);
            near(lay, at, STN_USE_Z, pos + 2, 1, 0);
            near(lay, at, STN_USE_NORMAL, exact_of(e, STN_MESH_ATTR_NRM, v), 3, 0.51f / 511.0f);
            near(lay, at, STN_USE_DEPTH, exact_of(e, STN_MESH_ATTR_DEPTH, v), 1, 0);
            near(lay, at, STN_USE_ATLAS, exact_of(e, STN_MESH_ATTR_CLIP, v), 2, 0.51f / 32768.0f);
            near(lay, at, STN_USE_CORNER, exact_of(e, STN_MESH_ATTR_VIPOL, v), 2, 0);
            for (unsigned k = 0; k < 4; k++) /* half floats, cut off */
                near(lay, at, STN_USE_FLOW0 + k, exact_of(e, STN_MESH_ATTR_VERTV0 + k, v), 2, 1.0f / 1024.0f);
            if (col) {
                const float place[2] = {tex[0] * 6.25f, tex[1] * 6.25f};
                near(lay, at, STN_USE_ALPHA, col + 3, 1, 0);
                near(lay, at, STN_USE_TILE, place, 2, 0.6f / 2048.0f);
            } else if (m->format == STN_VERTEX_WALL) {
                near(lay, at, STN_USE_TEX, tex, 2, 0);
            }
        }
    }
    for (int f = STN_VERTEX_GRID; f < STN_VERTEX_FORMATS; f++)
        assert_true(seen[f] > 0);
    for (int k = STN_MESH_GROUND; k < STN_MESH_KINDS; k++)
        assert_true(kinds[k] > 0 || k == STN_MESH_FLAT);
    for (int i = 0; i < STN_CUT_AREA; i++) {
        bool water = l->tiles[i % 25 + 11 + 47 * (i / 25 + 11)] == WATER;
        assert_int_equal(p.clicks[i / 8] >> i % 8 & 1, water);
    }
    stn_product_close(&p);
}

typedef struct sheets {
    stn_buf vertices, fill, outline, grid, lines, pos, loc, click;
} sheets;

static void make_sheets(const stn_laid *laid, sheets *s)
{
    uint8_t mask[STN_GROUND_SPLITS * STN_GROUND_SPLITS];
    uint16_t *number = calloc(laid->nv, sizeof *number);
    stn_err err = {0};

    for (size_t i = 0; i < sizeof mask; i++)
        mask[i] = i % 3 != 0;
    assert_int_equal(stn_sheet_vertices(laid, &s->vertices, number, &err), STN_OK);
    stn_sheet_fill(laid, number, mask, &s->fill);
    stn_sheet_outline(laid, number, mask, &s->outline);
    assert_int_equal(stn_grid_lines(laid, &s->grid, &s->lines, &err), STN_OK);
    assert_int_equal(stn_click_mesh(laid, NULL, 0, &s->pos, &s->loc, &s->click, &err), STN_OK);
    free(number);
}

static void same(const stn_buf *a, const stn_buf *b)
{
    assert_true(a->len > 0);
    assert_int_equal(a->len, b->len);
    assert_memory_equal(a->data, b->data, a->len);
}

static void free_sheets(sheets *s)
{
    stn_buf *all[] = {&s->vertices, &s->fill, &s->outline, &s->grid, &s->lines, &s->pos, &s->loc, &s->click};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        stn_buf_fini(all[i]);
}

/* As a renderer does it: ground from the grid's heights, the rest from the product. */
static void sheets_from_the_product_are_those_of_the_build(void **state)
{
    land *l = *state;
    stn_product p;
    stn_err err = {0};
    sheets want = {0}, got = {0};

    assert_int_equal(stn_product_open(l->data, l->len, &p, &err), STN_OK);
    assert_true(p.nextra > 0 && p.parts && p.walls && p.corner_nrm);
    uint32_t nv = STN_GROUND_VERTICES + p.nextra;
    stn_vec3 *pos = calloc(nv, sizeof *pos), *nrm = calloc(nv, sizeof *nrm);
    stn_ground_positions(l->b->z, pos);
    for (int i = 0; i < 676; i++)
        nrm[stn_ground_vertex(i % 26, i / 26)] = p.corner_nrm[i];
    memcpy(pos + STN_GROUND_VERTICES, p.extra_pos, p.nextra * sizeof *pos);
    memcpy(nrm + STN_GROUND_VERTICES, p.extra_nrm, p.nextra * sizeof *nrm);
    const stn_laid from_product = {
        .pos = pos, .nrm = nrm, .nv = nv, .split = l->b->split, .parts = p.parts, .walls = p.walls};
    const stn_laid from_build = stn_build_laid(l->b);
    make_sheets(&from_product, &got);
    make_sheets(&from_build, &want);
    same(&got.vertices, &want.vertices);
    same(&got.fill, &want.fill);
    same(&got.outline, &want.outline);
    same(&got.grid, &want.grid);
    same(&got.lines, &want.lines);
    same(&got.pos, &want.pos);
    same(&got.loc, &want.loc);
    same(&got.click, &want.click);
    free_sheets(&got);
    free_sheets(&want);
    free(pos);
    free(nrm);
    stn_product_close(&p);
}

static void sets_nested_too_deep_are_refused(void **state)
{
    (void)state;
    stn_tileset *chain[STN_TILESET_MAX_NESTING + 1] = {0}, *more;
    stn_err err = {0};

    for (int i = 0; i <= STN_TILESET_MAX_NESTING; i++)
        chain[i] =
            new_set(&(stn_tileset_def){.name = "n", .tiler = "water", .floor = i ? chain[i - 1] : NULL});
    const stn_tileset_def def = {.name = "n", .tiler = "water", .floor = chain[STN_TILESET_MAX_NESTING]};
    assert_int_equal(stn_tileset_new(&def, &more, &err), STN_BAD_DATA);
    for (int i = 0; i <= STN_TILESET_MAX_NESTING; i++)
        stn_tileset_unref(chain[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_format_keeps_its_vertices, setup, teardown),
        cmocka_unit_test_setup_teardown(sheets_from_the_product_are_those_of_the_build, setup, teardown),
        cmocka_unit_test(sets_nested_too_deep_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
