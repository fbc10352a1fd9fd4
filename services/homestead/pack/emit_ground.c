#include "homestead/pack/emit_ground.h"

#include "homestead/land.h"
#include "homestead/pack/surfaces.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265f
#define MAX_FLAVORS 6

/* Texture ids: colour of variant v is v, its bump map 10 + v. */
enum { BUMP = 10 };

typedef struct flavor {
    const char *name;
    double density; /* objects a tile */
} flavor;

/* What lies over what decides the edge: loose stuff thins out, growth reaches over, rock breaks. */
static const struct {
    stn_edge_style edge;
    bool ridges;
    flavor flavors[MAX_FLAVORS];
} grounds[STN_GROUND_LOOKS] = {
    {STN_EDGE_BLADE,
     false,
     {{"homestead/flavor/heather", 0.060},
      {"homestead/flavor/tuft", 0.020},
      {"homestead/flavor/pebbles", 0.012}}},
    {STN_EDGE_BLADE,
     false,
     {{"homestead/flavor/tuft", 0.055},
      {"homestead/flavor/white", 0.012},
      {"homestead/flavor/yellow", 0.010},
      {"homestead/flavor/violet", 0.006}}},
    {STN_EDGE_SOFT, false, {{"homestead/flavor/fern", 0.030}, {"homestead/flavor/twig", 0.020}}},
    {STN_EDGE_SOFT, false, {{NULL, 0}}},
    {STN_EDGE_SOFT, false, {{"homestead/flavor/pebbles", 0.008}}},
    {STN_EDGE_SOFT, false, {{"homestead/flavor/pebbles", 0.015}, {"homestead/flavor/twig", 0.004}}},
    {STN_EDGE_HARD, true, {{"homestead/flavor/pebbles", 0.030}, {"homestead/flavor/tuft", 0.010}}},
    {STN_EDGE_SOFT, false, {{NULL, 0}}},
    {STN_EDGE_SOFT, false, {{NULL, 0}}},
};

static stn_value resource(const char *name)
{
    return (stn_value){.kind = STN_VALUE_RES, .u.res = {name, STN_PACK_VERSION}};
}

static const char *edge_resource(stn_edge_style style)
{
    static const char *const names[STN_EDGE_STYLES] = {
        "homestead/tiles/edge-blade", "homestead/tiles/edge-soft", "homestead/tiles/edge-hard"};

    return names[style];
}

static void put_pictures(stn_emit *e, unsigned look)
{
    const stn_ground_look *l = &stn_ground_looks()[look];

    for (unsigned v = 0; v < l->variants && e->st == STN_OK; v++) {
        stn_canvas *c = stn_ground_paint(look, v), *half = c ? stn_canvas_half(c) : NULL;

        if (!half) {
            e->st = stn_fail(e->err, STN_NO_MEMORY, "ground %s", l->name);
        } else {
            stn_emit_texture(e, (int16_t)v, STN_TEXTURE_COLOUR, 0, c);
            stn_emit_texture(e, (int16_t)(BUMP + v), STN_TEXTURE_BUMP, l->steep, half);
        }
        stn_canvas_free(c);
        stn_canvas_free(half);
    }
    for (unsigned v = 0; v < l->variants; v++) {
        stn_material m = {
            .id = (uint16_t)v, .tex = (int16_t)v, .bump = (int16_t)(BUMP + v), .tint = {1, 1, 1}};

        stn_emit_material(e, &m);
    }
}

void stn_emit_ground(stn_emit *e, unsigned look)
{
    const stn_ground_look *l = &stn_ground_looks()[look];
    /* Where the noise of a variant is high it lies over the base; the noise is near +-0.9 at most. */
    static const float from[3] = {0, 0.16f, 0.26f};
    stn_value base[2] = {stn_value_text("base"), stn_value_int(0)}, var[2][3], trans[2], rmat[4], rthres[2],
              args[6];
    uint32_t n = 0;
    const char *const tag = l->name;
    stn_res_tileset set = {.tiler = grounds[look].ridges ? "trn-r" : "trn", .tag_count = 1, .tags = &tag};

    put_pictures(e, look);
    args[n++] = stn_value_list(base, 2);
    for (unsigned v = 1; v < l->variants; v++) {
        var[v - 1][0] = stn_value_text("var");
        var[v - 1][1] = stn_value_int((int32_t)v);
        var[v - 1][2] = stn_value_f32(from[v]);
        args[n++] = stn_value_list(var[v - 1], 3);
    }
    trans[0] = stn_value_text("trans");
    trans[1] = resource(edge_resource(grounds[look].edge));
    args[n++] = stn_value_list(trans, 2);
    if (grounds[look].ridges) {
        /* Name and version apart, so that the texture's height stands at index 3 (docs/spec/terrain-extras.md
         * 3). */
        rmat[0] = stn_value_text("rmat");
        rmat[1] = stn_value_text("homestead/tiles/cliff");
        rmat[2] = stn_value_int(STN_PACK_VERSION);
        rmat[3] = stn_value_f32(22.0f);
        args[n++] = stn_value_list(rmat, 4);
        rthres[0] = stn_value_text("rthres");
        rthres[1] = stn_value_int(9);
        args[n++] = stn_value_list(rthres, 2);
    }
    set.tiler_args = (stn_values){n, args};
    stn_emit_layer(e, STN_LAYER_TILESET, &set);
    for (int i = 0; i < MAX_FLAVORS && grounds[look].flavors[i].name; i++) {
        stn_value density = {.kind = STN_VALUE_F64, .u.f64 = grounds[look].flavors[i].density};
        stn_res_flavobj f = {.res = {grounds[look].flavors[i].name, STN_PACK_VERSION}, .args = {1, &density}};

        stn_emit_layer(e, STN_LAYER_FLAVOBJ, &f);
    }
}

void stn_emit_edges(stn_emit *e, stn_edge_style style)
{
    stn_res_tileset set = {.tiler = "gnd"};

    /* Two of each mask: 60 pictures of 128 pixels fill a sheet of 1024 but for four. */
    for (unsigned kind = 0; kind < 2; kind++)
        for (unsigned mask = 1; mask <= 15; mask++)
            for (unsigned v = 0; v < 2 && e->st == STN_OK; v++) {
                stn_canvas *c = stn_edge_paint(style, kind ? 0 : mask, kind ? mask : 0, v);

                if (!c)
                    e->st = stn_fail(e->err, STN_NO_MEMORY, "edge %s", stn_edge_name(style));
                else
                    stn_emit_tile(e, kind ? 'c' : 'b', (uint8_t)mask, 1, c);
                stn_canvas_free(c);
            }
    stn_emit_layer(e, STN_LAYER_TILESET, &set);
}

void stn_emit_water(stn_emit *e, int depth, const char *bed)
{
    stn_value bottom[2] = {stn_value_text("bottom"), resource(bed)},
              args[2] = {stn_value_int(depth), stn_value_list(bottom, 2)};
    const char *const tag = "water";
    stn_res_tileset set = {.tiler = "water", .tiler_args = {2, args}, .tag_count = 1, .tags = &tag};

    stn_emit_layer(e, STN_LAYER_TILESET, &set);
}

void stn_emit_cave(stn_emit *e)
{
    /* wmat and gnd, by place (docs/spec/resource-format.md 6). */
    stn_value args[2] = {stn_value_int(0), resource("homestead/tiles/rock")};
    const char *const tag = "cave";
    stn_res_tileset set = {.tiler = "cave", .tiler_args = {2, args}, .tag_count = 1, .tags = &tag};
    stn_material m = {.id = 0, .link = "homestead/tiles/cliff", .link_id = 0};

    stn_emit_material(e, &m);
    stn_emit_layer(e, STN_LAYER_TILESET, &set);
}

void stn_emit_dark(stn_emit *e)
{
    stn_value base[2] = {stn_value_text("base"), stn_value_int(0)}, args[1] = {stn_value_list(base, 2)};
    const char *const tag = "dark";
    stn_res_tileset set = {.tiler = "trn", .tiler_args = {1, args}, .tag_count = 1, .tags = &tag};
    stn_material m = {.id = 0, .tex = 0, .bump = -1, .tint = {1, 1, 1}};
    stn_canvas *c = stn_plain(0x040405, 0.0f);

    if (!c) {
        e->st = stn_fail(e->err, STN_NO_MEMORY, "darkness");
        return;
    }
    stn_emit_texture(e, 0, STN_TEXTURE_COLOUR, 0, c);
    stn_emit_material(e, &m);
    stn_canvas_free(c);
    stn_emit_layer(e, STN_LAYER_TILESET, &set);
}

void stn_emit_cliff(stn_emit *e)
{
    stn_canvas *c = stn_cliff_paint();
    stn_material m = {.id = 0, .tex = 0, .bump = BUMP, .tint = {1, 1, 1}};

    if (!c) {
        e->st = stn_fail(e->err, STN_NO_MEMORY, "cliff");
        return;
    }
    stn_emit_texture(e, 0, STN_TEXTURE_COLOUR, 0, c);
    stn_emit_texture(e, BUMP, STN_TEXTURE_BUMP, 0.8f, c);
    stn_emit_material(e, &m);
    stn_canvas_free(c);
}

/* ---- water pictures ---- */

/* Late morning sky in a direction (z up): pale at the horizon, blue above, thin drawn-out clouds. */
static stn_rgb sky_colour(stn_v3 d)
{
    float up = stn_clampf(d.z, 0, 1);
    stn_rgb k = stn_rgb_mix(stn_hex(0xc2ccd2), stn_hex(0x6f8fb4), stn_smooth(0.0f, 0.75f, up));
    float plane = 1.0f / fmaxf(d.z, 0.08f);
    float n = stn_fbm3(7700, d.x * plane * 0.9f, d.y * plane * 1.5f, 0.3f, 5);
    float cloud = stn_smooth(-0.02f, 0.42f, n) * stn_smooth(0.05f, 0.30f, d.z);

    k = stn_rgb_mix(k, stn_hex(0xe6e4dd), 0.75f * cloud);
    if (d.z < 0)
        k = stn_rgb_mix(stn_hex(0xa9b2b0), stn_hex(0x5c6a66), stn_smooth(0, 0.6f, -d.z));
    return k;
}

void stn_emit_sky(stn_emit *e)
{
    enum { N = 128 };
    /* +X -X +Y -Y +Z -Z: cell in the sheet, and the cube map's own axes (s right, t down the picture). */
    static const struct {
        int col, row;
        stn_v3 major, s, t;
    } faces[6] = {
        {3, 1, {1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {1, 1, {-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
        {2, 0, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   {2, 2, {0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
        {2, 1, {0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {0, 1, {0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
    };
    stn_canvas *c = stn_canvas_new(4 * N, 3 * N, false);

    if (!c) {
        e->st = stn_fail(e->err, STN_NO_MEMORY, "sky");
        return;
    }
    stn_canvas_fill(c, stn_hex(0x6f8fb4), 1);
    for (int f = 0; f < 6; f++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                float s = 2 * ((float)x + 0.5f) / N - 1, t = 2 * ((float)y + 0.5f) / N - 1;
                stn_v3 d = stn_v3_add(faces[f].major,
                                      stn_v3_add(stn_v3_scale(faces[f].s, s), stn_v3_scale(faces[f].t, t)));

                stn_canvas_at(c, faces[f].col * N + x, faces[f].row * N + y)->c = sky_colour(stn_v3_norm(d));
            }
    stn_emit_image(e, c);
    stn_canvas_free(c);
}

void stn_emit_waves(stn_emit *e)
{
    stn_canvas *c = stn_canvas_new(256, 256, true);

    if (!c) {
        e->st = stn_fail(e->err, STN_NO_MEMORY, "waves");
        return;
    }
    for (int y = 0; y < 256; y++)
        for (int x = 0; x < 256; x++) {
            float u = ((float)x + 0.5f) / 256, v = ((float)y + 0.5f) / 256;
            /* Crests: folded noise is sharp above and round below, as small waves are. */
            float n = stn_fbm_warped(7800, u, v, 5, 4, 0.05f), m = stn_fbm_wrap(7801, u, v, 9, 3);

            *stn_canvas_at(c, x, y) = (stn_pixel){.a = 1, .h = 14.0f * (1 - fabsf(n)) + 2.5f * m};
        }
    stn_emit_texture(e, 0, STN_TEXTURE_BUMP, 0.7f, c);
    stn_canvas_free(c);
}

void stn_emit_foam(stn_emit *e)
{
    stn_canvas *c = stn_canvas_new(256, 256, true);

    if (!c) {
        e->st = stn_fail(e->err, STN_NO_MEMORY, "foam");
        return;
    }
    for (int y = 0; y < 256; y++)
        for (int x = 0; x < 256; x++) {
            float u = ((float)x + 0.5f) / 256, v = ((float)y + 0.5f) / 256, d1, d2,
                  w = 0.03f * stn_fbm_wrap(7901, u, v, 5, 3);
            uint32_t id;

            /* Lace: the walls between bubbles, thinning out in patches. */
            stn_cells_wrap(7900, (u + w) * 18, (v - w) * 18, 18, &d1, &d2, &id);
            float k =
                stn_smooth(0.22f, 0.02f, d2 - d1) * stn_smooth(-0.25f, 0.35f, stn_fbm_wrap(7902, u, v, 4, 3));

            *stn_canvas_at(c, x, y) = (stn_pixel){.c = {k, k, k}, .a = 1};
        }
    stn_emit_texture(e, 0, STN_TEXTURE_COLOUR, 0, c);
    stn_canvas_free(c);
}
