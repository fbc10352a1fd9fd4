#include "homestead/land_file.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
#include "homestead/land_noise.h"
#include "homestead/land_priv.h"
#include "homestead/land_scene.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TILES = STN_LAND_GRID * STN_LAND_GRID, MAX_COORD = 1 << 20 };

/* Kinds by a word in the last part of a tileset's name; the first row that fits counts. Whole words first,
 * because "deeptangle" is a wood and "deep" is a lake. */
static const struct ground_word {
    const char *word;
    bool whole;
    stn_ground kind;
} ground_words[] = {
    {"deep", true, STN_GROUND_DEEP},      {"odeep", true, STN_GROUND_DEEP},
    {"odeeper", true, STN_GROUND_DEEP},   {"water", true, STN_GROUND_WATER},
    {"owater", true, STN_GROUND_WATER},   {"flow", true, STN_GROUND_WATER},
    {"tangle", false, STN_GROUND_FOREST}, {"weald", false, STN_GROUND_FOREST},
    {"wald", false, STN_GROUND_FOREST},   {"bramble", false, STN_GROUND_FOREST},
    {"pine", false, STN_GROUND_FOREST},   {"grove", false, STN_GROUND_FOREST},
    {"wood", false, STN_GROUND_FOREST},   {"forest", false, STN_GROUND_FOREST},
    {"leaf", false, STN_GROUND_FOREST},   {"thicket", false, STN_GROUND_FOREST},
    {"copse", false, STN_GROUND_FOREST},  {"timber", false, STN_GROUND_FOREST},
    {"fir", true, STN_GROUND_FOREST},     {"highground", false, STN_GROUND_ROCK},
    {"mountain", false, STN_GROUND_ROCK}, {"cloudrange", false, STN_GROUND_ROCK},
    {"rock", false, STN_GROUND_ROCK},     {"stone", false, STN_GROUND_ROCK},
    {"cliff", false, STN_GROUND_ROCK},    {"cave", false, STN_GROUND_ROCK},
    {"scree", false, STN_GROUND_ROCK},    {"brick", false, STN_GROUND_ROCK},
    {"beach", false, STN_GROUND_SAND},    {"sand", false, STN_GROUND_SAND},
    {"shell", false, STN_GROUND_SAND},    {"heath", false, STN_GROUND_HEATH},
    {"moor", false, STN_GROUND_HEATH},    {"wold", false, STN_GROUND_HEATH},
    {"lichen", false, STN_GROUND_HEATH},  {"fen", false, STN_GROUND_HEATH},
    {"bog", false, STN_GROUND_HEATH},     {"swamp", false, STN_GROUND_HEATH},
    {"marsh", false, STN_GROUND_HEATH},   {"shady", false, STN_GROUND_FOREST},
    {"field", false, STN_GROUND_FIELD},   {"plow", false, STN_GROUND_FIELD},
    {"farm", false, STN_GROUND_FIELD},    {"dirt", false, STN_GROUND_DIRT},
    {"mud", false, STN_GROUND_DIRT},      {"path", false, STN_GROUND_DIRT},
    {"road", false, STN_GROUND_DIRT},     {"clay", false, STN_GROUND_DIRT},
    {"grass", false, STN_GROUND_GRASS},   {"flat", false, STN_GROUND_GRASS},
    {"meadow", false, STN_GROUND_GRASS},  {"sod", false, STN_GROUND_GRASS},
    {"steppe", false, STN_GROUND_GRASS},  {"green", false, STN_GROUND_GRASS},
    {"lawn", false, STN_GROUND_GRASS},    {"oxpasture", false, STN_GROUND_GRASS},
    {"water", false, STN_GROUND_WATER},   {"river", false, STN_GROUND_WATER},
    {"lake", false, STN_GROUND_WATER},    {"sea", true, STN_GROUND_DEEP},
};

/* Objects by a word anywhere in the name. "" = the person, who is no object of the land but shows where to
 * enter. */
static const struct object_word {
    const char *word, *ours;
} object_words[] = {
    {"borka/body", ""},
    {"trees/birch", "trees/birch"},
    {"trees/spruce", "trees/spruce"},
    {"trees/fir", "trees/spruce"},
    {"trees/yew", "trees/spruce"},
    {"trees/pine", "trees/pine"},
    {"trees/larch", "trees/pine"},
    {"trees/cedar", "trees/pine"},
    {"trees/", "trees/beech"},
    {"stump", "things/stump"},
    {"log", "things/log"},
    {"bushes/juniper", "bushes/juniper"},
    {"bushes/", "bushes/bush"},
    {"bumlings/", "things/boulder"},
    {"rowboat", "things/rowboat"},
    {"dugout", "things/rowboat"},
    {"raft", "things/rowboat"},
    {"kritter/swan", "beasts/swan"},
    {"kritter/mallard", "beasts/swan"},
    {"kritter/goose", "beasts/swan"},
    {"kritter/hare", "beasts/hare"},
    {"kritter/rabbit", "beasts/hare"},
    {"deer", "beasts/deer"},
    {"kritter/moose", "beasts/deer"},
    {"kritter/elk", "beasts/deer"},
    {"barrel", "things/barrel"},
    {"cupboard", "things/cupboard"},
    {"chest", "things/crate"},
    {"crate", "things/crate"},
    {"well", "things/well"},
    {"fire", "things/campfire"},
    {"pow", "things/campfire"},
    {"fence", "things/fence"},
    {"palisade", "things/fence"},
    {"logcabin", "things/house"},
    {"timberhouse", "things/house"},
    {"arch/", "things/house"},
    {"mushroom", "things/mushroom"},
    {"bolete", "things/mushroom"},
    {"chantrelle", "things/mushroom"},
    {"cattail", "things/reeds"},
    {"reed", "things/reeds"},
    {"stone", "things/stone"},
};

static void unmapped(stn_land_report *r, const char *name)
{
    for (size_t i = 0; i < r->n_unmapped; i++)
        if (strncmp(r->unmapped[i], name, sizeof r->unmapped[i] - 1) == 0)
            return;
    if (r->n_unmapped < STN_LAND_FILE_MAX_UNMAPPED)
        stn_text_show(name, strlen(name), r->unmapped[r->n_unmapped++], sizeof r->unmapped[0]);
}

static bool ground_of(const char *name, stn_ground *out)
{
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;

    for (size_t i = 0; i < sizeof ground_words / sizeof ground_words[0]; i++) {
        const struct ground_word *w = &ground_words[i];

        if (w->whole ? strcmp(last, w->word) == 0 : strstr(last, w->word) != NULL) {
            *out = w->kind;
            return true;
        }
    }
    *out = STN_GROUND_GRASS;
    return false;
}

/* The declared ids; -1 where an id is not declared. */
typedef struct id_table {
    int8_t kind[65536];
} id_table;

static stn_status read_tilesets(json_t *root, id_table *ids, stn_land_report *r, stn_err *err)
{
    json_t *tiles = json_object_get(root, "tiles");
    size_t n = json_array_size(tiles);

    memset(ids->kind, -1, sizeof ids->kind);
    if (!json_is_array(tiles) || n == 0 || n > STN_LAND_FILE_MAX_TILES)
        return stn_fail(err, STN_BAD_DATA, "land file: `tiles` must be a list of 1..%d entries, found %zu",
                        STN_LAND_FILE_MAX_TILES, n);
    for (size_t i = 0; i < n; i++) {
        json_t *t = json_array_get(tiles, i), *id = json_object_get(t, "id");
        const char *name = json_string_value(json_object_get(t, "name"));
        stn_ground kind;

        if (!json_is_integer(id) || json_integer_value(id) < 0 || json_integer_value(id) > 65535 || !name)
            return stn_fail(err, STN_BAD_DATA, "land file: tiles[%zu] needs an id 0..65535 and a name", i);
        if (!ground_of(name, &kind)) {
            r->tilesets_unmapped++;
            unmapped(r, name);
        }
        ids->kind[json_integer_value(id)] = (int8_t)kind;
    }
    r->tilesets = n;
    return STN_OK;
}

static stn_status read_grid(json_t *g, size_t at, const id_table *ids, stn_land_recorded_grid *out,
                            stn_err *err)
{
    json_t *gc = json_object_get(g, "gc"), *tiles = json_object_get(g, "tiles"), *z = json_object_get(g, "z");
    json_t *id = json_object_get(g, "id"), *x = json_array_get(gc, 0), *y = json_array_get(gc, 1);

    if (json_array_size(gc) != 2 || !json_is_integer(x) || !json_is_integer(y) || !json_is_integer(id))
        return stn_fail(err, STN_BAD_DATA, "land file: grids[%zu] needs `gc` [x, y] and an integer `id`", at);
    if (llabs(json_integer_value(x)) > MAX_COORD || llabs(json_integer_value(y)) > MAX_COORD)
        return stn_fail(err, STN_BAD_DATA, "land file: grids[%zu]: coordinate outside +-%d", at, MAX_COORD);
    if (json_array_size(tiles) != TILES || json_array_size(z) != TILES)
        return stn_fail(err, STN_BAD_DATA,
                        "land file: grids[%zu] has %zu tiles and %zu heights, expected %d of each", at,
                        json_array_size(tiles), json_array_size(z), TILES);
    out->gx = (int32_t)json_integer_value(x);
    out->gy = (int32_t)json_integer_value(y);
    /* Zero means "not sent yet" on the wire. */
    out->id = json_integer_value(id) ? json_integer_value(id) : 1;
    for (size_t i = 0; i < TILES; i++) {
        json_t *t = json_array_get(tiles, i), *h = json_array_get(z, i);
        json_int_t v = json_integer_value(t);
        double height = json_number_value(h);

        if (!json_is_integer(t) || v < 0 || v > 65535 || ids->kind[v] < 0)
            return stn_fail(err, STN_BAD_DATA,
                            "land file: grids[%zu].tiles[%zu]: %lld is not declared in `tiles`", at, i,
                            (long long)v);
        if (!json_is_number(h) || !isfinite(height) || fabs(height) > 1e5)
            return stn_fail(err, STN_BAD_DATA, "land file: grids[%zu].z[%zu] is not a height within +-100000",
                            at, i);
        out->kinds[i] = (uint8_t)ids->kind[v];
        out->z[i] = (float)height;
    }
    return STN_OK;
}

static int by_place(const void *a, const void *b)
{
    const stn_land_recorded_grid *p = a, *q = b;

    if (p->gy != q->gy)
        return p->gy < q->gy ? -1 : 1;
    return p->gx < q->gx ? -1 : p->gx > q->gx;
}

static stn_status read_grids(json_t *root, const id_table *ids, stn_land *land, stn_land_report *r,
                             stn_err *err)
{
    json_t *grids = json_object_get(root, "grids");
    size_t n = json_array_size(grids);
    stn_status st;

    if (!json_is_array(grids) || n == 0 || n > STN_LAND_FILE_MAX_GRIDS)
        return stn_fail(err, STN_BAD_DATA, "land file: `grids` must be a list of 1..%d entries, found %zu",
                        STN_LAND_FILE_MAX_GRIDS, n);
    if (!(land->grids = calloc(n, sizeof *land->grids)))
        return stn_fail(err, STN_NO_MEMORY, "land file: %zu grids", n);
    for (size_t i = 0; i < n; i++)
        if ((st = read_grid(json_array_get(grids, i), i, ids, &land->grids[i], err)) != STN_OK)
            return st;
    qsort(land->grids, n, sizeof *land->grids, by_place);
    for (size_t i = 1; i < n; i++)
        if (by_place(&land->grids[i - 1], &land->grids[i]) == 0)
            return stn_fail(err, STN_BAD_DATA, "land file: two grids at %d,%d", (int)land->grids[i].gx,
                            (int)land->grids[i].gy);
    land->n_grids = r->grids = n;
    return STN_OK;
}

/* An object of ours that is like the recorded one. False: none is. */
static bool object_of(const char *name, double x, double y, double angle, stn_land_object *out, bool *person)
{
    for (size_t i = 0; i < sizeof object_words / sizeof object_words[0]; i++)
        if (strstr(name, object_words[i].word)) {
            *person = object_words[i].ours[0] == '\0';
            return *person || stn_land_make(object_words[i].ours, x, y, angle, out);
        }
    return false;
}

static stn_status read_objects(json_t *root, stn_land *land, stn_land_report *r, bool *spawned, stn_err *err)
{
    json_t *objects = json_object_get(root, "objects");
    size_t n = json_array_size(objects);

    if (!objects)
        return STN_OK;
    if (!json_is_array(objects) || n > STN_LAND_FILE_MAX_OBJECTS)
        return stn_fail(err, STN_BAD_DATA,
                        "land file: `objects` must be a list of at most %d entries, found %zu",
                        STN_LAND_FILE_MAX_OBJECTS, n);
    if (n && !(land->objects = calloc(n, sizeof *land->objects)))
        return stn_fail(err, STN_NO_MEMORY, "land file: %zu objects", n);
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_array_get(objects, i), *pos = json_object_get(o, "pos"),
               *name = json_object_get(o, "name");
        json_t *angle = json_object_get(o, "angle");
        double x = json_number_value(json_array_get(pos, 0)), y = json_number_value(json_array_get(pos, 1));
        double a = angle ? json_number_value(angle) : 0.0;
        bool person = false;

        if (json_array_size(pos) != 2 || !isfinite(x) || !isfinite(y) || fabs(x) > 1e9 || fabs(y) > 1e9 ||
            (angle && !json_is_number(angle)) || !isfinite(a))
            return stn_fail(err, STN_BAD_DATA,
                            "land file: objects[%zu] needs `pos` [x, y] and a finite `angle`", i);
        if (name && !json_is_null(name) && !json_is_string(name))
            return stn_fail(err, STN_BAD_DATA, "land file: objects[%zu].name must be text or null", i);
        r->objects++;
        if (!json_is_string(name)) {
            r->objects_unnamed++;
        } else if (!object_of(json_string_value(name), x, y, a, &land->objects[land->n_objects], &person)) {
            r->objects_unmapped++;
            unmapped(r, json_string_value(name));
        } else if (person) {
            if (!*spawned) {
                land->spawn_x = x;
                land->spawn_y = y;
                land->spawn_angle = a;
                *spawned = true;
            }
        } else {
            land->n_objects++;
            r->objects_placed++;
        }
    }
    return STN_OK;
}

static bool walkable(const stn_land_recorded_grid *g, int x, int y)
{
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            uint8_t k = g->kinds[x + dx + STN_LAND_GRID * (y + dy)];

            if (k == STN_GROUND_WATER || k == STN_GROUND_DEEP)
                return false;
        }
    return true;
}

/* Tiles between a place and the border of all grids together. */
static double inside_by(const double box[4], double tx, double ty)
{
    return fmin(fmin(tx - box[0], box[2] - tx), fmin(ty - box[1], box[3] - ty));
}

/* The recorded person may have stood in a boat, or where the recording ends: a dry place near it is looked
 * for, and one that has ground on all sides as far as a client sees is worth a longer way. With no dry place
 * at all the person's own stands. */
static void find_dry_spawn(stn_land *land, bool spawned)
{
    const double sight = 64.0, n = STN_LAND_GRID; /* tiles */
    double best = INFINITY, box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY}, cx, cy;

    for (size_t i = 0; i < land->n_grids; i++) {
        const stn_land_recorded_grid *g = &land->grids[i];

        box[0] = fmin(box[0], g->gx * n);
        box[1] = fmin(box[1], g->gy * n);
        box[2] = fmax(box[2], (g->gx + 1) * n);
        box[3] = fmax(box[3], (g->gy + 1) * n);
    }
    if (!spawned) {
        land->spawn_x = (box[0] + box[2]) / 2 * STN_LAND_TILE;
        land->spawn_y = (box[1] + box[3]) / 2 * STN_LAND_TILE;
        land->spawn_angle = 0.0;
    }
    cx = land->spawn_x / STN_LAND_TILE;
    cy = land->spawn_y / STN_LAND_TILE;
    for (size_t i = 0; i < land->n_grids; i++)
        for (int y = 1; y < STN_LAND_GRID - 1; y++)
            for (int x = 1; x < STN_LAND_GRID - 1; x++) {
                const stn_land_recorded_grid *g = &land->grids[i];
                double tx = g->gx * n + x + 0.5, ty = g->gy * n + y + 0.5;
                double far = hypot(tx - cx, ty - cy) + 6.0 * fmax(0.0, sight - inside_by(box, tx, ty));

                if (far < best && walkable(g, x, y)) {
                    best = far;
                    land->spawn_x = tx * STN_LAND_TILE;
                    land->spawn_y = ty * STN_LAND_TILE;
                }
            }
}

static stn_status read_land(json_t *root, bool dressed, stn_land *land, stn_land_report *r, stn_err *err)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    id_table *ids;
    bool spawned = false;
    stn_status st;

    if (!format || strcmp(format, "land-1") != 0)
        return stn_fail(err, STN_VERSION, "land file: format \"%.40s\", expected \"land-1\"",
                        format ? format : "");
    if (!(ids = malloc(sizeof *ids)))
        return stn_fail(err, STN_NO_MEMORY, "land file: table of tile ids");
    if ((st = read_tilesets(root, ids, r, err)) == STN_OK &&
        (st = read_grids(root, ids, land, r, err)) == STN_OK &&
        (st = read_objects(root, land, r, &spawned, err)) == STN_OK) {
        land->dressed = dressed;
        /* The dressing's chance comes from the ground's own identity, so that a file always looks the same.
         */
        land->seed = stn_land_hash((uint64_t)land->grids[0].id, land->grids[0].gx, land->grids[0].gy);
        find_dry_spawn(land, spawned);
    }
    free(ids);
    return st;
}

stn_status stn_land_parse(const char *json, size_t len, bool dressed, stn_land **out, stn_land_report *report,
                          stn_err *err)
{
    stn_land_report none = {0}, *r = report ? report : &none;
    json_error_t je;
    json_t *root = json_loadb(json, len, 0, &je);
    stn_land *land;
    stn_status st;

    *out = NULL;
    *r = (stn_land_report){0};
    if (!root)
        return stn_fail(err, STN_BAD_DATA, "land file: line %d: %s", je.line, je.text);
    if (!(land = calloc(1, sizeof *land))) {
        json_decref(root);
        return stn_fail(err, STN_NO_MEMORY, "land");
    }
    st = read_land(root, dressed, land, r, err);
    json_decref(root);
    if (st != STN_OK) {
        stn_land_free(land);
        return st;
    }
    *out = land;
    return STN_OK;
}

static stn_status unpack(const uint8_t *data, size_t len, stn_buf *out, stn_err *err)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len};
    int rc = inflateInit2(&z, 15 + 16);

    if (rc != Z_OK)
        return stn_fail(err, STN_NO_MEMORY, "zlib: %s", zError(rc));
    do {
        uint8_t chunk[64 * 1024];

        z.next_out = chunk;
        z.avail_out = sizeof chunk;
        rc = inflate(&z, Z_NO_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END)
            break;
        stn_buf_put(out, chunk, sizeof chunk - z.avail_out);
    } while (rc != Z_STREAM_END && !out->failed);
    inflateEnd(&z);
    if (out->failed)
        return stn_fail(err, STN_TOO_BIG, "unpacks to more than %u bytes", STN_LAND_FILE_MAX_JSON);
    if (rc == Z_BUF_ERROR)
        return stn_fail(err, STN_TRUNCATED, "the gzip stream ends early");
    if (rc != Z_STREAM_END)
        return stn_fail(err, STN_BAD_DATA, "not a gzip stream: %s", zError(rc));
    return STN_OK;
}

stn_status stn_land_load(const char *path, bool dressed, stn_land **out, stn_land_report *report,
                         stn_err *err)
{
    uint8_t *data = NULL;
    size_t len = 0;
    stn_buf json = {.max = STN_LAND_FILE_MAX_JSON};
    stn_status st = stn_file_read(path, STN_LAND_FILE_MAX_BYTES, &data, &len, err);

    *out = NULL;
    if (st != STN_OK)
        return st;
    if ((st = unpack(data, len, &json, err)) == STN_OK)
        st = stn_land_parse((const char *)json.data, json.len, dressed, out, report, err);
    if (st != STN_OK)
        st = stn_fail_in(err, st, "%s", path);
    stn_buf_fini(&json);
    free(data);
    return st;
}
