#include "homestead/pack/pack.h"

#include "homestead/land.h"
#include "homestead/pack/builders.h"
#include "homestead/pack/emit_ground.h"
#include "homestead/pack/surfaces.h"

#include <stdio.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef struct item {
    const char *name; /* whole name */
    uint16_t version;
    void (*put)(stn_emit *e, int arg);
    int arg;
} item;

static void put_ground(stn_emit *e, int look)
{
    stn_emit_ground(e, (unsigned)look);
}

static void put_edges(stn_emit *e, int style)
{
    stn_emit_edges(e, (stn_edge_style)style);
}

static void put_water(stn_emit *e, int deep)
{
    stn_emit_water(e, deep ? 6 : 3, deep ? "homestead/tiles/deepbed" : "homestead/tiles/bed");
}

static void put_cave(stn_emit *e, int dark)
{
    if (dark)
        stn_emit_dark(e);
    else
        stn_emit_cave(e);
}

static void put_cliff(stn_emit *e, int arg)
{
    (void)arg;
    stn_emit_cliff(e);
}

static void put_sky(stn_emit *e, int which)
{
    if (which == 0)
        stn_emit_sky(e);
    else if (which == 1)
        stn_emit_waves(e);
    else
        stn_emit_foam(e);
}

static void put_canvas(stn_emit *e, int16_t id, stn_canvas *c)
{
    if (!c && e->st == STN_OK)
        e->st = stn_fail(e->err, STN_NO_MEMORY, "texture %d", id);
    if (c)
        stn_emit_texture(e, id, STN_TEXTURE_COLOUR, 0, c);
    stn_canvas_free(c);
}

/* Materials 0 planks, 1 beams (the same, darker), 2 end grain. */
static void put_wood(stn_emit *e, int which)
{
    const stn_wood *w = &stn_woods()[which];
    const stn_material mats[3] = {{.id = 0, .tex = 0, .bump = -1, .tint = {1, 1, 1}},
                                  {.id = 1, .tex = 0, .bump = -1, .tint = {0.82f, 0.81f, 0.80f}},
                                  {.id = 2, .tex = 2, .bump = -1, .tint = {1, 1, 1}}};

    put_canvas(e, 0, stn_wood_planks(w));
    put_canvas(e, 2, stn_wood_ends(w));
    for (int i = 0; i < 3; i++)
        stn_emit_material(e, &mats[i]);
}

static void put_iron(stn_emit *e, int arg)
{
    const stn_material m = {.id = 0, .tex = 0, .bump = -1, .tint = {1, 1, 1}, .shine = 12, .gloss = 0.25f};

    (void)arg;
    put_canvas(e, 0, stn_iron());
    stn_emit_material(e, &m);
}

/* What belongs to somebody: seen when marks are asked for, hence without the tag "show". */
static void put_claim(stn_emit *e, int arg)
{
    static const char *const tags[] = {"cplot"};
    const stn_res_overlay mark = {.tag_count = 1, .tags = tags, .mat_id = 0, .omat_id = 1};

    (void)arg;
    stn_emit_veil(e, 0, (stn_rgb){0.42f, 0.66f, 1.0f}, 0.20f);
    stn_emit_veil(e, 1, (stn_rgb){0.80f, 0.91f, 1.0f}, 0.85f);
    stn_emit_layer(e, STN_LAYER_OVERLAY, &mark);
}

/* Libraries that clients have natively: the entries they are asked for, and no code. */
static const struct {
    const char *entries[2][2];
    size_t n;
} libraries[] = {
    {{{"objdelta", "haven.res.lib.vmat.Attr"}, {"spr", "mod"}}, 2},
    {{{"spr", "haven.res.lib.tree.Factory"}}, 1},
    {{{"objdelta", "haven.res.lib.svaj.Attr"}}, 1},
    {{{"spr", "haven.res.gfx.fx.flight.Flicker"}, {"rlink", "haven.res.gfx.fx.flight.Flicker"}}, 2},
    {{{"wtr", "haven.res.gfx.fx.clouds.Clouds"}}, 1},
    {{{"objdelta", "haven.res.homestead.people.name.Name"}}, 1},
};

static void put_library(stn_emit *e, int which)
{
    stn_emit_code(e, libraries[which].entries, libraries[which].n, NULL, 0);
}

/* A puff of smoke and the material that its points are drawn in. */
static void put_smoke(stn_emit *e, int arg)
{
    static const char *const entries[2][2] = {{"spr", "haven.res.gfx.fx.ismoke.Smoke"},
                                              {"rlink", "haven.res.gfx.fx.ismoke.Smoke"}};
    const stn_material m = {
        .id = 0, .tex = 0, .bump = -1, .tint = {1, 1, 1}, .two_sided = true, .no_shadow = true};
    stn_canvas *c = stn_canvas_new(64, 64, false);

    (void)arg;
    for (int y = 0; c && y < 64; y++)
        for (int x = 0; x < 64; x++) {
            float u = ((float)x + 0.5f) / 32 - 1, v = ((float)y + 0.5f) / 32 - 1;
            float a = stn_smooth(1.0f, 0.15f, u * u + v * v + 0.5f * stn_fbm3(8800, u * 2, v * 2, 0, 4));

            *stn_canvas_at(c, x, y) = (stn_pixel){.c = {0.86f, 0.86f, 0.85f}, .a = a * 0.6f};
        }
    if (!c && e->st == STN_OK)
        e->st = stn_fail(e->err, STN_NO_MEMORY, "smoke");
    if (c)
        stn_emit_texture(e, 0, STN_TEXTURE_CUTOUT, 0, c);
    stn_canvas_free(c);
    stn_emit_material(e, &m);
    stn_emit_code(e, entries, 2, NULL, 0);
}

static const item items[] = {
    {"homestead/tiles/heath", STN_PACK_VERSION, put_ground, 0},
    {"homestead/tiles/grass", STN_PACK_VERSION, put_ground, 1},
    {"homestead/tiles/forest", STN_PACK_VERSION, put_ground, 2},
    {"homestead/tiles/field", STN_PACK_VERSION, put_ground, 3},
    {"homestead/tiles/dirt", STN_PACK_VERSION, put_ground, 4},
    {"homestead/tiles/sand", STN_PACK_VERSION, put_ground, 5},
    {"homestead/tiles/rock", STN_PACK_VERSION, put_ground, 6},
    {"homestead/tiles/bed", STN_PACK_VERSION, put_ground, 7},
    {"homestead/tiles/deepbed", STN_PACK_VERSION, put_ground, 8},
    {"homestead/tiles/water", STN_PACK_VERSION, put_water, 0},
    {"homestead/tiles/deep", STN_PACK_VERSION, put_water, 1},
    {"homestead/tiles/edge-blade", STN_PACK_VERSION, put_edges, STN_EDGE_BLADE},
    {"homestead/tiles/edge-soft", STN_PACK_VERSION, put_edges, STN_EDGE_SOFT},
    {"homestead/tiles/edge-hard", STN_PACK_VERSION, put_edges, STN_EDGE_HARD},
    {"homestead/tiles/cliff", STN_PACK_VERSION, put_cliff, 0},
    {"homestead/tiles/cave", STN_PACK_VERSION, put_cave, 0},
    {"homestead/tiles/dark", STN_PACK_VERSION, put_cave, 1},
    {"homestead/wood/birch", STN_PACK_VERSION, put_wood, 0},
    {"homestead/wood/pine", STN_PACK_VERSION, put_wood, 1},
    {"homestead/wood/oak", STN_PACK_VERSION, put_wood, 2},
    {"homestead/wood/cherry", STN_PACK_VERSION, put_wood, 3},
    {"homestead/wood/walnut", STN_PACK_VERSION, put_wood, 4},
    {"homestead/stuff/iron", STN_PACK_VERSION, put_iron, 0},
    {"homestead/marks/claim", STN_PACK_VERSION, put_claim, 0},
    {"gfx/tiles/skycube", 1, put_sky, 0},
    {"gfx/tiles/wnrm", 1, put_sky, 1},
    {"gfx/tiles/wfoam", 1, put_sky, 2},
    {STN_LAND_VMAT, STN_LAND_VMAT_VERSION, put_library, 0},
    {"lib/tree", 15, put_library, 1},
    {"lib/svaj", 25, put_library, 2},
    {"gfx/fx/flight", 6, put_library, 3},
    {"gfx/fx/clouds", 1, put_library, 4},
    {STN_LAND_NAMES, STN_PACK_VERSION, put_library, 5},
    {"gfx/fx/ismoke", 111, put_smoke, 0},
};

static const stn_builder *const families[] = {stn_tree_builders,   stn_thing_builders,  stn_house_builders,
                                              stn_nature_builders, stn_people_builders, stn_beast_builders,
                                              stn_flavor_builders};

/* Builder number i behind the plain items; NULL past the last. */
static const stn_builder *builder(size_t i)
{
    for (size_t f = 0; f < ARRAY_LEN(families); f++)
        for (const stn_builder *b = families[f]; b->name; b++)
            if (i-- == 0)
                return b;
    return NULL;
}

size_t stn_pack_count(void)
{
    size_t n = 0;

    while (builder(n))
        n++;
    return ARRAY_LEN(items) + n;
}

const char *stn_pack_name(size_t i)
{
    const stn_builder *b;

    if (i < ARRAY_LEN(items))
        return items[i].name;
    b = builder(i - ARRAY_LEN(items));
    return b ? b->name : NULL;
}

uint16_t stn_pack_version(size_t i)
{
    return i < ARRAY_LEN(items) ? items[i].version : STN_PACK_VERSION;
}

stn_status stn_pack_build(size_t i, stn_buf *out, stn_err *err)
{
    stn_emit e;
    const stn_builder *b = i < ARRAY_LEN(items) ? NULL : builder(i - ARRAY_LEN(items));
    stn_status st;

    stn_emit_begin(&e, out, stn_pack_version(i), err);
    if (i < ARRAY_LEN(items)) {
        items[i].put(&e, items[i].arg);
    } else if (b) {
        stn_model *m = b->build();

        if (m)
            stn_emit_model(&e, m, b->name, STN_PACK_VERSION);
        else
            e.st = stn_fail(err, STN_NO_MEMORY, "model");
        stn_model_free(m);
    } else {
        return stn_fail(err, STN_NOT_FOUND, "the pack has no resource number %zu", i);
    }
    if ((st = stn_emit_end(&e)) != STN_OK)
        st = stn_fail_in(err, st, "%s", stn_pack_name(i));
    return st;
}
