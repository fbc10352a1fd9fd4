/* The recorded map on disk: what goes in comes out, two that share a file, a damaged and a locked one, export
 * and import, the bound of the queue; and remembered ground in the map cache. */
#include "base/file.h"
#include "world/mapcache.h"
#include "world/mapkeeper.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/stn-mapstore-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

static const char *path(const char *name)
{
    static char out[4][128];
    static unsigned at;
    at = (at + 1) % 4;
    snprintf(out[at], sizeof out[at], "%s/%s", folder, name);
    return out[at];
}

/* Ground that differs from grid to grid, with heights that are stored without loss. */
static stn_record *ground(int seed)
{
    stn_record *r = stn_record_new();
    assert_non_null(r);
    r->mtime = 1000 + seed;
    assert_int_equal(stn_record_append_set(r, "gfx/tiles/grass", 7, 0), 0);
    assert_int_equal(stn_record_append_set(r, "gfx/tiles/rock", 65535, 0), 1);
    for (int i = 0; i < STN_GRID_CELLS; i++) {
        r->tiles[i] = (uint16_t)((i + seed) % 3 == 0);
        r->z[i] = (float)((i * 7 + seed) % 100);
    }
    return r;
}

static bool is_ground(const stn_record *r, int seed)
{
    stn_record *want = ground(seed);
    bool same = r && r->n_sets == 2 && !strcmp(r->sets[0].name, "gfx/tiles/grass") &&
                r->sets[0].version == 7 && !memcmp(r->tiles, want->tiles, sizeof r->tiles);
    for (int i = 0; same && i < STN_GRID_CELLS; i++)
        same = r->z[i] > want->z[i] - 0.02f && r->z[i] < want->z[i] + 0.02f;
    stn_record_free(want);
    return same;
}

static int64_t id_at(stn_coord gc)
{
    return 1000 + gc.x * 100 + gc.y;
}

/* Records the rectangle of one session, whose origin lies at `off` in the world. */
static void record(stn_mapstore *s, stn_coord ul, stn_coord lr, stn_coord off)
{
    stn_seen_grid seen[64] = {0};
    stn_err err = {0};
    size_t n = 0;

    for (int y = ul.y; y <= lr.y; y++)
        for (int x = ul.x; x <= lr.x; x++) {
            int64_t id = id_at((stn_coord){x, y});
            seen[n++] = (stn_seen_grid){.live = {{x - off.x, y - off.y}, id}, .record = ground((int)id)};
        }
    assert_int_equal(stn_mapstore_record(s, seen, n, &err), STN_OK);
    for (size_t i = 0; i < n; i++)
        stn_record_free(seen[i].record);
}

static stn_mapstore *open_at(const char *name)
{
    stn_mapstore *s;
    stn_err err = {0};
    if (stn_mapstore_open(path(name), 50, &s, &err) != STN_OK)
        fail_msg("%s", err.text);
    return s;
}

/* What is remembered at `at`, seen from a session with this origin that stands in `stand`. */
static int64_t recall(stn_mapstore *s, stn_coord stand, stn_coord at, stn_coord off)
{
    stn_live_grid anchor = {{stand.x - off.x, stand.y - off.y}, id_at(stand)};
    stn_coord wanted = {at.x - off.x, at.y - off.y};
    stn_recalled out;
    stn_err err = {0};

    assert_int_equal(stn_mapstore_recall(s, anchor, &wanted, 1, &out, &err), STN_OK);
    if (out.record) {
        assert_true(is_ground(out.record, (int)id_at(at)));
        assert_int_equal(out.id, id_at(at));
    }
    stn_record_free(out.record);
    return out.record ? out.id : 0;
}

static const stn_coord zero = {0, 0};

static void round_trip(void **state)
{
    stn_mapstore *s = open_at("a.sqlite");
    const stn_coord far_off = {-7, 30};

    (void)state;
    record(s, (stn_coord){0, 0}, (stn_coord){2, 2}, zero);
    assert_int_equal(recall(s, zero, (stn_coord){2, 1}, zero), id_at((stn_coord){2, 1}));
    stn_mapstore_free(s);
    /* Another run, another origin of the session. */
    s = open_at("a.sqlite");
    assert_int_equal(recall(s, (stn_coord){1, 1}, (stn_coord){2, 1}, far_off), id_at((stn_coord){2, 1}));
    assert_int_equal(recall(s, (stn_coord){1, 1}, (stn_coord){3, 1}, far_off), 0);
    assert_int_equal(recall(s, (stn_coord){50, 50}, (stn_coord){2, 1}, far_off), 0); /* no proof */
    /* Apart, and then joined. */
    record(s, (stn_coord){5, 0}, (stn_coord){6, 2}, far_off);
    assert_int_equal(recall(s, (stn_coord){1, 1}, (stn_coord){6, 1}, far_off), 0);
    record(s, (stn_coord){2, 0}, (stn_coord){5, 0}, far_off);
    assert_int_equal(recall(s, (stn_coord){1, 1}, (stn_coord){6, 1}, zero), id_at((stn_coord){6, 1}));
    stn_mapstore_free(s);
}

static void kept_tiles(void **state)
{
    stn_mapstore *s = open_at("norepl.sqlite");
    stn_live_grid live = {{0, 0}, 5};
    stn_seen_grid seen = {.live = live, .record = ground(0)};
    bool flags[2] = {true, false};
    stn_recalled out;

    (void)state;
    assert_int_equal(stn_mapstore_record(s, &seen, 1, NULL), STN_OK);
    stn_record_free(seen.record);
    seen.record = stn_record_new();
    stn_record_append_set(seen.record, "gfx/tiles/fog", 1, 0);
    stn_record_append_set(seen.record, "gfx/tiles/sand", 1, 0);
    for (int i = 5000; i < STN_GRID_CELLS; i++)
        seen.record->tiles[i] = 1;
    seen.norepl = flags;
    assert_int_equal(stn_mapstore_record(s, &seen, 1, NULL), STN_OK);
    stn_record_free(seen.record);
    assert_int_equal(stn_mapstore_recall(s, live, &zero, 1, &out, NULL), STN_OK);
    assert_non_null(out.record);
    assert_string_equal(out.record->sets[out.record->tiles[0]].name, "gfx/tiles/rock");
    assert_string_equal(out.record->sets[out.record->tiles[1]].name, "gfx/tiles/grass");
    assert_string_equal(out.record->sets[out.record->tiles[5000]].name, "gfx/tiles/sand");
    stn_record_free(out.record);
    stn_mapstore_free(s);
}

/* Two on one file: each sees what the other did, and neither overwrites it out of its memory. */
static void shared(void **state)
{
    stn_mapstore *a = open_at("shared.sqlite"), *b = open_at("shared.sqlite");

    (void)state;
    record(a, (stn_coord){0, 0}, (stn_coord){1, 1}, zero);
    record(b, (stn_coord){1, 0}, (stn_coord){3, 1}, zero);
    record(a, (stn_coord){0, 1}, (stn_coord){0, 3}, zero);
    assert_int_equal(recall(a, zero, (stn_coord){3, 1}, zero), id_at((stn_coord){3, 1}));
    assert_int_equal(recall(b, (stn_coord){3, 1}, (stn_coord){0, 3}, zero), id_at((stn_coord){0, 3}));
    stn_mapstore_free(a);
    stn_mapstore_free(b);
}

static void damaged(void **state)
{
    static const char text[] =
        "this is no database, and long enough to be taken for one's first page.........."
        "..................................................................";
    stn_mapstore *s;
    stn_err err = {0};
    uint8_t *data;
    size_t len;
    sqlite3 *db;

    (void)state;
    assert_int_equal(stn_file_write(path("text.sqlite"), text, sizeof text, 0600, false, NULL), STN_OK);
    assert_int_equal(stn_mapstore_open(path("text.sqlite"), 50, &s, &err), STN_BAD_DATA);
    assert_null(s);
    assert_non_null(strstr(err.text, "text.sqlite"));
    assert_int_equal(stn_file_read(path("text.sqlite"), 1 << 20, &data, &len, NULL), STN_OK);
    assert_int_equal(len, sizeof text); /* left alone */
    free(data);

    assert_int_equal(sqlite3_open(path("other.sqlite"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE entries(a); PRAGMA user_version=1", NULL, NULL, NULL), 0);
    sqlite3_close(db);
    assert_int_equal(stn_mapstore_open(path("other.sqlite"), 50, &s, &err), STN_VERSION);

    s = open_at("index.sqlite");
    record(s, zero, zero, zero);
    stn_mapstore_free(s);
    assert_int_equal(sqlite3_open(path("index.sqlite"), &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "UPDATE entries SET data=x'0199' WHERE name='map/index'", NULL, NULL, NULL), 0);
    sqlite3_close(db);
    assert_int_not_equal(stn_mapstore_open(path("index.sqlite"), 50, &s, &err), STN_OK);
    assert_non_null(strstr(err.text, "index"));
    assert_int_equal(stn_mapstore_open("/nowhere/at/all.sqlite", 50, &s, &err), STN_IO);
}

static void locked(void **state)
{
    stn_mapstore *s = open_at("locked.sqlite");
    stn_seen_grid seen = {.live = {{0, 0}, 9}, .record = ground(9)};
    stn_err err = {0};
    sqlite3 *db;

    (void)state;
    assert_int_equal(sqlite3_open(path("locked.sqlite"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), 0);
    assert_int_equal(stn_mapstore_record(s, &seen, 1, &err), STN_BUSY);
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), 0);
    sqlite3_close(db);
    assert_int_equal(stn_mapstore_record(s, &seen, 1, &err), STN_OK);
    stn_record_free(seen.record);
    stn_mapstore_free(s);
}

static void exchange(void **state)
{
    stn_mapstore *a = open_at("from.sqlite"), *b = open_at("to.sqlite"), *c = open_at("fresh.sqlite");
    stn_map_counts n;
    stn_err err = {0};

    (void)state;
    record(a, (stn_coord){0, 0}, (stn_coord){3, 1}, zero);
    record(b, (stn_coord){3, 0}, (stn_coord){4, 1}, (stn_coord){40, 40});
    assert_int_equal(stn_mapstore_export(a, path("x.hmap"), &n, &err), STN_OK);
    assert_int_equal(n.grids, 8);
    assert_int_equal(stn_mapstore_import(b, path("x.hmap"), &n, &err), STN_OK);
    assert_int_equal(n.grids, 6);
    assert_int_equal(n.known, 2);
    assert_int_equal(n.refused, 0);
    assert_int_equal(recall(b, (stn_coord){4, 1}, zero, zero), id_at(zero));
    assert_int_equal(stn_mapstore_import(b, path("x.hmap"), &n, &err), STN_OK); /* nothing is new now */
    assert_int_equal(n.grids, 0);
    assert_int_equal(n.known, 8);
    assert_int_equal(stn_mapstore_import(c, path("x.hmap"), &n, &err), STN_OK);
    assert_int_equal(n.grids, 8);
    assert_int_equal(recall(c, zero, (stn_coord){3, 1}, zero), id_at((stn_coord){3, 1}));
    /* Half a file changes nothing. */
    {
        uint8_t *data;
        size_t len;
        stn_mapstore *d = open_at("half.sqlite");
        assert_int_equal(stn_file_read(path("x.hmap"), 1 << 24, &data, &len, NULL), STN_OK);
        assert_int_equal(stn_file_write(path("half.hmap"), data, len / 2, 0600, false, NULL), STN_OK);
        free(data);
        assert_int_not_equal(stn_mapstore_import(d, path("half.hmap"), &n, &err), STN_OK);
        assert_int_equal(n.grids, 0);
        assert_int_equal(stn_mapstore_export(d, path("none.hmap"), &n, &err), STN_OK);
        assert_int_equal(n.grids, 0);
        stn_mapstore_free(d);
    }
    stn_mapstore_free(a);
    stn_mapstore_free(b);
    stn_mapstore_free(c);
}

/* ---- the thread */

typedef struct outcome {
    size_t done, failed;
    stn_err last;
} outcome;

static void on_done(void *arg, stn_map_job *job)
{
    outcome *o = arg;
    o->done++;
    o->failed += job->err.code != STN_OK;
    if (job->err.code != STN_OK)
        o->last = job->err;
    stn_map_job_free(job);
}

static stn_map_job *job_of(int i)
{
    stn_map_job *job = calloc(1, sizeof *job);
    assert_non_null(job);
    job->kind = STN_MAP_RECORD;
    job->n = 1;
    job->seen[0] = (stn_seen_grid){.live = {{i, 0}, id_at((stn_coord){i, 0})},
                                   .record = ground((int)id_at((stn_coord){i, 0}))};
    return job;
}

static void queue(void **state)
{
    outcome o = {0};
    stn_loop *loop;
    stn_mapkeeper *k;
    stn_err err = {0};
    stn_mapstore *s;
    stn_map_job *over;

    (void)state;
    assert_int_equal(stn_loop_new(&loop, &err), STN_OK);
    assert_int_equal(stn_mapkeeper_new(loop, path("queue.sqlite"), on_done, &o, &k, &err), STN_OK);
    assert_int_equal(stn_mapkeeper_room(k), STN_MAPKEEPER_JOBS - 1);
    for (int i = 1; i < STN_MAPKEEPER_JOBS; i++)
        assert_int_equal(stn_mapkeeper_give(k, job_of(i)), STN_OK);
    /* Room comes when answers are taken, and the loop has not run. */
    over = job_of(STN_MAPKEEPER_JOBS);
    assert_int_equal(stn_mapkeeper_give(k, over), STN_BUSY);
    for (int i = 0; i < 400 && o.done < STN_MAPKEEPER_JOBS; i++)
        stn_loop_turn(loop, 50000000, &err);
    assert_int_equal(o.done, STN_MAPKEEPER_JOBS);
    assert_int_equal(o.failed, 0);
    /* What waits at the end is stored all the same. */
    assert_int_equal(stn_mapkeeper_give(k, over), STN_OK);
    stn_mapkeeper_free(k);
    s = open_at("queue.sqlite");
    assert_int_equal(recall(s, (stn_coord){STN_MAPKEEPER_JOBS, 0}, (stn_coord){STN_MAPKEEPER_JOBS, 0}, zero),
                     id_at((stn_coord){STN_MAPKEEPER_JOBS, 0}));
    stn_mapstore_free(s);
    /* A file that is none: each job says so, nothing hangs. */
    assert_int_equal(stn_file_write(path("bad.sqlite"), folder, sizeof folder, 0600, false, NULL), STN_OK);
    o = (outcome){0};
    assert_int_equal(stn_mapkeeper_new(loop, path("bad.sqlite"), on_done, &o, &k, &err), STN_OK);
    assert_int_equal(stn_mapkeeper_give(k, job_of(1)), STN_OK);
    for (int i = 0; i < 400 && o.done < 2; i++)
        stn_loop_turn(loop, 50000000, &err);
    assert_int_equal(o.failed, 2);
    assert_int_equal(o.last.code, STN_BAD_DATA);
    stn_mapkeeper_free(k);
    stn_loop_free(loop);
}

/* ---- remembered ground */

typedef struct heard {
    size_t filled, fresh, recalled, removed;
} heard;

static void on_filled(void *arg, const stn_grid *g, bool fresh)
{
    heard *h = arg;
    (void)g;
    h->filled++;
    h->fresh += fresh;
}
static void on_recalled(void *arg, const stn_grid *g)
{
    heard *h = arg;
    assert_true(g->remembered);
    h->recalled++;
}
static void on_removed(void *arg, const stn_grid *g)
{
    heard *h = arg;
    (void)g;
    h->removed++;
}

/* A grid message of one tileset: id, tile id, name, heights all z. */
static size_t message(uint8_t *out, int64_t id, uint8_t tile, const char *name, float z)
{
    uint8_t *p = out;
    size_t n = strlen(name);
    uint32_t t_len = (uint32_t)(1 + n + 1 + 2 + 1 + STN_GRID_CELLS);

    *p++ = 1;
    memcpy(p, "m\0\x08", 3);
    memcpy(p + 3, &id, 8);
    p += 11;
    memcpy(p, "t\0\x80", 3);
    memcpy(p + 3, &t_len, 4);
    p += 7;
    *p++ = tile;
    memcpy(p, name, n + 1);
    p += n + 1;
    *p++ = 3;
    *p++ = 0;
    *p++ = 255;
    memset(p, tile, STN_GRID_CELLS);
    p += STN_GRID_CELLS;
    memcpy(p, "h\0\x05", 4);
    p += 3;
    *p++ = 0;
    memcpy(p, &z, 4);
    return (size_t)(p + 4 - out);
}

static void marked(void **state)
{
    static uint8_t msg[20000];
    /* Plot 0 is resource 300; it marks the cells from 1,1 to 3,3. */
    static const uint8_t plots[] = {'p', 'i', 0, 4, 0, 300 & 255, 300 >> 8, 255, 'p',
                                    0,   7,   0, 0, 1, 1,         3,        3,   255};
    stn_mapcache *c = stn_mapcache_new(NULL, 4);
    const stn_coord plain = {0, 0}, plot = {1, 0};
    stn_coord at[2];
    stn_err err = {0};
    size_t len = message(msg, 77, 5, "gfx/tiles/grass", 2);

    (void)state;
    assert_int_equal(stn_mapcache_fill(c, plain, msg, len, &err), STN_OK);
    memcpy(msg + len, plots, sizeof plots);
    assert_int_equal(stn_mapcache_fill(c, plot, msg, len + sizeof plots, &err), STN_OK);
    assert_int_equal(stn_mapcache_marked(c, 300, at, 2), 1);
    assert_true(at[0].x == plot.x && at[0].y == plot.y);
    assert_int_equal(stn_mapcache_marked(c, 301, at, 2), 0);
    assert_int_equal(stn_mapcache_marked(c, 300, at, 0), 0);
    stn_mapcache_free(c);
}

static void remembered(void **state)
{
    static uint8_t msg[20000];
    heard h = {0};
    const stn_mapcache_listener on = {on_filled, on_recalled, on_removed, NULL, &h};
    stn_mapcache *c = stn_mapcache_new(&on, 4);
    stn_record *r = ground(1);
    const stn_grid *g;
    const stn_coord here = {0, 0}, there = {1, 0};
    uint64_t incarnation;
    stn_err err = {0};

    (void)state;
    assert_int_equal(stn_mapcache_fill(c, here, msg, message(msg, 77, 5, "gfx/tiles/grass", 2), &err),
                     STN_OK);
    assert_int_equal(stn_mapcache_recall(c, there, 78, r, NULL, NULL, &err), STN_OK);
    assert_int_equal(h.recalled, 1);
    assert_int_equal(h.filled, 1); /* recalling is no fill: nothing live is invalidated */
    assert_null(stn_mapcache_held(c, there));
    assert_int_equal(stn_mapcache_count(c), 1);
    assert_int_equal(stn_mapcache_remembered(c), 1);
    g = stn_mapcache_ground(c, there);
    assert_true(g && g->remembered && g->id == 78);
    incarnation = g->incarnation;
    /* The session's id where the name is its own; ours where not. */
    assert_int_equal(g->tiles[1], 5);
    assert_int_equal(g->tiles[2], STN_MAPCACHE_MINTED);
    /* Never over live ground. */
    assert_int_equal(stn_mapcache_recall(c, here, 99, r, NULL, NULL, &err), STN_OK);
    assert_int_equal(stn_mapcache_ground(c, here)->id, 77);
    /* It is asked for as if it were not there, and live ground takes its place. */
    assert_null(stn_mapcache_need(c, there));
    assert_int_equal(stn_mapcache_requests(c), 1);
    assert_int_equal(stn_mapcache_fill(c, there, msg, message(msg, 79, 5, "gfx/tiles/grass", 3), &err),
                     STN_OK);
    assert_int_equal(h.fresh, 2);
    assert_int_equal(h.removed, 0);
    g = stn_mapcache_held(c, there);
    assert_true(g && !g->remembered && g->id == 79 && g->seq == 0 && g->incarnation == incarnation);
    assert_true(g->tiles[2] == 5 && g->z[7] == 33.0f && g->n_overlays == 0);
    assert_int_equal(stn_mapcache_remembered(c), 0);
    /* An id that means something else now takes all remembered ground away. */
    assert_int_equal(stn_mapcache_recall(c, (stn_coord){2, 0}, 80, r, NULL, NULL, &err), STN_OK);
    assert_int_equal(stn_mapcache_fill(c, here, msg, message(msg, 77, 5, "gfx/tiles/sand", 2), &err), STN_OK);
    assert_null(stn_mapcache_ground(c, (stn_coord){2, 0}));
    assert_int_equal(stn_mapcache_remembered(c), 0);
    /* No room: remembered gives way to live, live never to remembered. */
    assert_int_equal(stn_mapcache_recall(c, (stn_coord){2, 0}, 80, r, NULL, NULL, &err), STN_OK);
    assert_int_equal(stn_mapcache_recall(c, (stn_coord){0, 1}, 81, r, NULL, NULL, &err), STN_OK);
    assert_int_equal(
        stn_mapcache_fill(c, (stn_coord){9, 9}, msg, message(msg, 82, 6, "gfx/tiles/sand", 2), &err), STN_OK);
    assert_null(stn_mapcache_ground(c, (stn_coord){2, 0}));
    assert_non_null(stn_mapcache_ground(c, (stn_coord){0, 1}));
    assert_int_equal(
        stn_mapcache_fill(c, (stn_coord){8, 9}, msg, message(msg, 83, 6, "gfx/tiles/sand", 2), &err), STN_OK);
    assert_int_equal(stn_mapcache_recall(c, (stn_coord){0, 1}, 81, r, NULL, NULL, &err), STN_TOO_BIG);
    assert_int_equal(stn_mapcache_count(c), 4);
    /* A trim takes both kinds. */
    assert_int_equal(stn_mapcache_invalidate(c, (const uint8_t *)"\2", 1, &err), STN_OK);
    assert_int_equal(stn_mapcache_count(c) + stn_mapcache_remembered(c), 0);
    stn_record_free(r);
    stn_mapcache_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip), cmocka_unit_test(kept_tiles), cmocka_unit_test(shared),
        cmocka_unit_test(damaged),    cmocka_unit_test(locked),     cmocka_unit_test(exchange),
        cmocka_unit_test(queue),      cmocka_unit_test(remembered), cmocka_unit_test(marked),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
