/* vec-flavor DIR: decoration passes, the chances of a tileset's flavors, and which resources are ambient. */
#include "vec_flavor.h"

#include "base/bytes.h"
#include "mesher/decor.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETS (STN_CUT_TILES * STN_CUT_TILES)
#define MAX_FLAVORS 256

static vec_report report;

typedef struct cut_case {
    stn_job job;
    uint16_t tiles[STN_CUT_TILES * STN_CUT_TILES];
    stn_job_set sets[MAX_SETS];
    stn_tileset *own[MAX_SETS];
    uint8_t slot[MAX_SETS];
} cut_case;

static char *read_text(stn_bytes *in)
{
    uint16_t n = stn_bytes_u16(in);
    const uint8_t *p = stn_bytes_take(in, n);
    return p ? strndup((const char *)p, n) : NULL;
}

/* One tileset of a case; its material slot stands for the common material. */
static bool read_set(stn_bytes *in, cut_case *c, size_t at)
{
    static const char *const materials[] = {NULL, "mat/one", "mat/two", "mat/three"};
    stn_tile_flavor flavors[MAX_FLAVORS];
    char *names[MAX_FLAVORS], own[32];
    stn_tileset_def def = {.handle = (uint32_t)at + 1, .name = own, .tiler = "trn", .flavors = flavors};
    stn_err err = {0};
    bool good = true;

    snprintf(own, sizeof own, "set-%zu", at);
    c->sets[at].id = stn_bytes_u16(in);
    c->slot[at] = stn_bytes_u8(in);
    def.nflavors = stn_bytes_u8(in);
    if (c->slot[at] > 3)
        return false;
    def.common = (stn_material){materials[c->slot[at]], 1, -1};
    def.base = (stn_material){"mat/base", 1, -1};
    memset(names, 0, sizeof names);
    for (size_t i = 0; i < def.nflavors && good; i++) {
        names[i] = read_text(in);
        flavors[i] = (stn_tile_flavor){.res = names[i], .version = 1, .ambient = stn_bytes_u8(in) != 0};
        flavors[i].p = stn_bytes_f64(in);
        good = names[i] != NULL;
    }
    if (good && stn_tileset_new(&def, &c->own[at], &err) != STN_OK) {
        vec_fail(&report, "tileset: %s", err.text);
        good = false;
    }
    for (size_t i = 0; i < def.nflavors; i++)
        free(names[i]);
    c->sets[at].set = c->own[at];
    return good && stn_bytes_ok(in);
}

static bool read_case(stn_bytes *in, cut_case *c)
{
    uint16_t n;

    memset(c, 0, sizeof *c);
    c->job.grid_id = stn_bytes_i64(in);
    c->job.grid.x = stn_bytes_i32(in);
    c->job.grid.y = stn_bytes_i32(in);
    c->job.cut.x = stn_bytes_u8(in);
    c->job.cut.y = stn_bytes_u8(in);
    c->job.density = stn_bytes_u8(in);
    stn_bytes_u8(in);
    n = stn_bytes_u16(in);
    if (n > MAX_SETS)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!read_set(in, c, i))
            return false;
    for (int i = 0; i < STN_CUT_TILES * STN_CUT_TILES; i++)
        c->tiles[i] = stn_bytes_u16(in);
    c->job.nsets = n;
    c->job.sets = c->sets;
    c->job.tiles = c->tiles;
    c->job.tile_window = (stn_window){0, 0, STN_CUT_TILES, STN_CUT_TILES};
    return stn_bytes_ok(in);
}

/* The expected objects, read whole and compared one by one; false at the first difference. */
static bool check_objects(stn_bytes *in, const cut_case *c, const stn_decor *got, const char *what)
{
    int64_t seed = stn_bytes_i64(in);
    int32_t n = stn_bytes_i32(in);
    bool good = seed == got->seed && n == (int32_t)got->count;

    if (!good)
        vec_fail(&report, "%s: seed %016llx and %u objects, expected %016llx and %d", what,
                 (unsigned long long)got->seed, got->count, (unsigned long long)seed, n);
    for (int32_t i = 0; i < n && stn_bytes_ok(in); i++) {
        uint16_t set = stn_bytes_u16(in), entry = stn_bytes_u16(in), tx = stn_bytes_u16(in),
                 ty = stn_bytes_u16(in);
        uint64_t x = stn_bytes_u64(in), y = stn_bytes_u64(in), a = stn_bytes_u64(in), own = stn_bytes_u64(in);
        const stn_decor_object *o = good ? &got->objects[i] : NULL;
        if (!good)
            continue;
        good = set < c->job.nsets && o->set == c->own[set] && o->flavor == entry && o->tile_x == tx &&
               o->tile_y == ty && stn_bits_of_f64(o->x) == x && stn_bits_of_f64(o->y) == y &&
               stn_bits_of_f64(o->angle) == a && (uint64_t)o->seed == own;
        if (!good)
            vec_fail(&report, "%s: object %d: tile %u,%u at %a, %a, angle %a, seed %016llx", what, i,
                     o->tile_x, o->tile_y, o->x, o->y, o->angle, (unsigned long long)o->seed);
    }
    return good;
}

static bool check_groups(stn_bytes *in, const cut_case *c, const stn_decor *got, bool compare,
                         const char *what)
{
    uint16_t n = stn_bytes_u16(in);
    bool good = compare && n == got->ngroups;

    if (compare && !good)
        vec_fail(&report, "%s: %u groups, expected %u", what, got->ngroups, n);
    for (uint16_t g = 0; g < n && stn_bytes_ok(in); g++) {
        uint8_t slot = stn_bytes_u8(in);
        int32_t count = stn_bytes_i32(in);
        for (int32_t i = 0; i < count && stn_bytes_ok(in); i++) {
            uint32_t object = stn_bytes_u32(in);
            if (good && (got->groups[g].count != (uint32_t)count || got->groups[g].objects[i] != object)) {
                vec_fail(&report, "%s: group %u (material %u) differs at %d", what, g, slot, i);
                good = false;
            }
        }
        for (size_t s = 0; good && s < c->job.nsets; s++)
            if (got->groups[g].count && c->own[s] == got->objects[got->groups[g].objects[0]].set &&
                c->slot[s] != slot) {
                vec_fail(&report, "%s: group %u has material %u, expected %u", what, g, c->slot[s], slot);
                good = false;
            }
    }
    return good;
}

static void run_cases(const char *dir, const char *name)
{
    size_t len;
    uint8_t *data = vec_read(dir, name, &len);
    stn_bytes in = stn_bytes_of(data, len);
    stn_arena *arena = stn_arena_new(1 << 20, 0);
    cut_case *c = malloc(sizeof *c);
    const uint8_t *magic = stn_bytes_take(&in, 4);
    int32_t n = stn_bytes_i32(&in);

    if (!magic || memcmp(magic, "HXF1", 4) != 0)
        vec_fail(&report, "%s: not a flavor file", name);
    for (int32_t i = 0; i < n && stn_bytes_ok(&in); i++) {
        char what[200];
        stn_decor got;
        stn_err err = {0};
        bool good;
        snprintf(what, sizeof what, "%s case %d", name, i);
        stn_arena_reset(arena);
        if (!read_case(&in, c)) {
            vec_fail(&report, "%s: cannot be read", what);
            break;
        }
        if (stn_decor_run(&c->job, arena, &got, &err) != STN_OK) {
            vec_fail(&report, "%s: %s", what, err.text);
            break;
        }
        good = check_objects(&in, c, &got, what);
        if (check_groups(&in, c, &got, good, what) && stn_bytes_ok(&in))
            vec_pass(&report);
        for (size_t s = 0; s < c->job.nsets; s++)
            stn_tileset_unref(c->own[s]);
    }
    if (!stn_bytes_ok(&in))
        vec_fail(&report, "%s: ends early", name);
    free(c);
    stn_arena_free(arena);
    free(data);
}

int main(int argc, char **argv)
{
    char **names;

    if (argc != 2) {
        fprintf(stderr, "usage: vec-flavor DIR\n");
        return 64;
    }
    names = vec_list(argv[1], ".bin");
    for (size_t i = 0; names[i]; i++)
        run_cases(argv[1], names[i]);
    vec_list_free(names);
    flavor_probabilities(argv[1], &report);
    flavor_ambient(argv[1], &report);
    return vec_done(&report);
}
