#include "world/mapstore.h"

#include "base/clock.h"
#include "base/hash.h"
#include "world/mapstore_impl.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_MS 3000
#define USER_VERSION 2

/* ---- the database */

static stn_status status_of(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return STN_BUSY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_MISMATCH:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR: /* a table or column that is not there: not our file */
        return STN_BAD_DATA;
    case SQLITE_NOMEM:
        return STN_NO_MEMORY;
    case SQLITE_TOOBIG:
        return STN_TOO_BIG;
    default:
        return STN_IO;
    }
}

static stn_status db_fail(stn_mapstore *s, const char *what, int rc, stn_err *err)
{
    return stn_fail(err, status_of(rc), "recorded map %s: %s: %s", s->path, what, sqlite3_errmsg(s->db));
}

/* The first fault within a transaction: the mapfile may take a failed look for "not there". */
static stn_status fault(stn_mapstore *s, const char *what, int rc)
{
    if (s->fault.code == STN_OK)
        db_fail(s, what, rc, &s->fault);
    return status_of(rc);
}

static stn_status run(stn_mapstore *s, const char *sql, stn_err *err)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? STN_OK : db_fail(s, sql, rc, err);
}

static stn_status number_of(stn_mapstore *s, const char *sql, int64_t *out, stn_err *err)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);

    *out = 0;
    if (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        *out = sqlite3_column_int64(q, 0);
        rc = SQLITE_OK;
    }
    if (rc != SQLITE_OK)
        db_fail(s, sql, rc, err);
    sqlite3_finalize(q);
    return rc == SQLITE_OK ? STN_OK : status_of(rc);
}

/* ---- hooks of the mapfile */

static stn_status on_get(void *arg, const char *key, uint8_t **data, size_t *len)
{
    stn_mapstore *s = arg;
    int rc = sqlite3_bind_text(s->get, 1, key, -1, SQLITE_STATIC);
    stn_status st = STN_OK;

    *data = NULL;
    *len = 0;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s->get);
    if (rc == SQLITE_DONE) {
        st = STN_NOT_FOUND;
    } else if (rc != SQLITE_ROW) {
        st = fault(s, key, rc);
    } else {
        const void *blob = sqlite3_column_blob(s->get, 0);
        *len = (size_t)sqlite3_column_bytes(s->get, 0);
        if (!(*data = malloc(*len + 1)))
            st = fault(s, key, SQLITE_NOMEM);
        else if (*len)
            memcpy(*data, blob, *len);
    }
    sqlite3_reset(s->get);
    return st;
}

static stn_status on_put(void *arg, const char *key, const uint8_t *data, size_t len)
{
    stn_mapstore *s = arg;
    int rc = len > INT32_MAX ? SQLITE_TOOBIG : sqlite3_bind_text(s->put, 1, key, -1, SQLITE_STATIC);

    /* A zero-length blob is a value: bind_blob with NULL would be SQL's NULL. */
    if (rc == SQLITE_OK)
        rc = len ? sqlite3_bind_blob(s->put, 2, data, (int)len, SQLITE_STATIC)
                 : sqlite3_bind_zeroblob(s->put, 2, 0);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(s->put, 3, stn_clock_wall_ns() / STN_MS);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(s->put);
    sqlite3_reset(s->put);
    return rc == SQLITE_DONE ? STN_OK : fault(s, key, rc);
}

static int64_t on_random(void *arg)
{
    (void)arg;
    return (int64_t)stn_random_u64();
}

static int64_t on_now(void *arg)
{
    (void)arg;
    return stn_clock_wall_ns() / STN_MS;
}

static const stn_record *on_record(void *arg, size_t live)
{
    stn_mapstore *s = arg;
    return s->seen ? s->seen[live].record : NULL;
}

/* ---- transactions */

stn_status stn_mapstore_begin(stn_mapstore *s, bool write, stn_err *err)
{
    stn_mapfile_hooks hooks = {on_get, on_put, on_random, on_now, on_record, s};
    int64_t version;
    stn_status st = run(s, write ? "BEGIN IMMEDIATE" : "BEGIN", err);

    if (st != STN_OK)
        return st;
    stn_err_clear(&s->fault);
    /* The first look takes the snapshot that the whole transaction reads. */
    if ((st = number_of(s, "SELECT count(*) FROM entries WHERE id = 0", &version, err)) == STN_OK &&
        (st = number_of(s, "PRAGMA data_version", &version, err)) == STN_OK &&
        (!s->map || version != s->data_version)) {
        stn_mapfile_free(s->map);
        s->map = NULL;
        s->data_version = version;
        st = stn_mapfile_open("", &hooks, &s->map, err);
        if (st != STN_OK && s->fault.code != STN_OK && err)
            *err = s->fault;
        else if (st != STN_OK)
            stn_fail_in(err, st, "recorded map %s", s->path);
    }
    if (st != STN_OK)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

stn_status stn_mapstore_end(stn_mapstore *s, stn_status st, stn_err *err)
{
    if (s->fault.code != STN_OK) {
        st = s->fault.code;
        if (err)
            *err = s->fault;
    }
    if (st == STN_OK && (st = run(s, "COMMIT", err)) == STN_OK)
        return STN_OK;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    /* What it holds in memory may be ahead of what is stored. */
    stn_mapfile_free(s->map);
    s->map = NULL;
    return st;
}

/* ---- life */

static stn_status prepare(stn_mapstore *s, stn_err *err)
{
    static const char get[] = "SELECT data FROM entries WHERE name = ?1";
    static const char put[] =
        "INSERT INTO entries(name, data, mtime) VALUES(?1, ?2, ?3) ON CONFLICT(name) DO "
        "UPDATE SET data = excluded.data, mtime = excluded.mtime";
    int64_t version = 0, tables = 0;
    stn_status st;
    int rc;

    if ((st = number_of(s, "PRAGMA user_version", &version, err)) != STN_OK ||
        (st = number_of(s, "SELECT count(*) FROM sqlite_master", &tables, err)) != STN_OK)
        return st;
    if (version != USER_VERSION && (version != 0 || tables != 0))
        return stn_fail(err, STN_VERSION,
                        "recorded map %s: a database of version %lld, known is %d; it is left alone", s->path,
                        (long long)version, USER_VERSION);
    if ((st = run(s, "PRAGMA journal_mode=WAL", err)) != STN_OK ||
        (st = run(s, "PRAGMA synchronous=NORMAL", err)) != STN_OK)
        return st;
    if (version == 0 &&
        (st = run(s,
                  "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS entries(id INTEGER PRIMARY KEY, name TEXT NOT "
                  "NULL UNIQUE, data BLOB NOT NULL, mtime INTEGER NOT NULL); PRAGMA user_version=2; COMMIT",
                  err)) != STN_OK)
        return st;
    if ((rc = sqlite3_prepare_v2(s->db, get, -1, &s->get, NULL)) != SQLITE_OK)
        return db_fail(s, "reading", rc, err);
    if ((rc = sqlite3_prepare_v2(s->db, put, -1, &s->put, NULL)) != SQLITE_OK)
        return db_fail(s, "writing", rc, err);
    return STN_OK;
}

stn_status stn_mapstore_open(const char *path, int busy_ms, stn_mapstore **out, stn_err *err)
{
    stn_mapstore *s = calloc(1, sizeof *s);
    stn_status st = STN_OK;
    int rc;

    *out = NULL;
    if (!s || !(s->path = strdup(path))) {
        free(s);
        return stn_fail(err, STN_NO_MEMORY, "recorded map");
    }
    rc =
        sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK)
        st = s->db ? db_fail(s, "opening", rc, err) : stn_fail(err, STN_NO_MEMORY, "recorded map %s", path);
    if (st == STN_OK) {
        sqlite3_busy_timeout(s->db, busy_ms > 0 ? busy_ms : BUSY_MS);
        st = prepare(s, err);
    }
    /* The index is read now, so that a damaged one is known before anything is to be kept. */
    if (st == STN_OK && (st = stn_mapstore_begin(s, false, err)) == STN_OK)
        st = stn_mapstore_end(s, STN_OK, err);
    if (st != STN_OK) {
        stn_mapstore_free(s);
        return st;
    }
    *out = s;
    return STN_OK;
}

void stn_mapstore_free(stn_mapstore *s)
{
    if (!s)
        return;
    stn_mapfile_free(s->map);
    sqlite3_finalize(s->get);
    sqlite3_finalize(s->put);
    sqlite3_close(s->db);
    free(s->path);
    free(s);
}

/* ---- recording and recalling */

/* Tiles that are not to replace older ones give way to them (10.1). An older record that cannot be read is
 * as good as none. */
static stn_status merge_older(stn_mapstore *s, stn_seen_grid *g, stn_err *err)
{
    stn_record *older;
    stn_status st;
    bool any = false;

    for (size_t i = 0; g->record && g->norepl && i < g->record->n_sets; i++)
        any |= g->norepl[i];
    if (!any || stn_mapfile_grid(s->map, g->live.id, &older, NULL) != STN_OK)
        return STN_OK;
    st = stn_record_merge(g->record, older, g->norepl, err);
    stn_record_free(older);
    return st;
}

stn_status stn_mapstore_record(stn_mapstore *s, stn_seen_grid *seen, size_t n, stn_err *err)
{
    stn_live_grid live[64];
    stn_status st;

    if (n > sizeof live / sizeof live[0])
        return stn_fail(err, STN_USAGE, "recorded map: %zu grids at once, at most 64", n);
    if ((st = stn_mapstore_begin(s, true, err)) != STN_OK)
        return st;
    for (size_t i = 0; i < n && st == STN_OK; i++) {
        live[i] = seen[i].live;
        st = merge_older(s, &seen[i], err);
    }
    s->seen = seen;
    if (st == STN_OK)
        st = stn_mapfile_update(s->map, live, n, err);
    s->seen = NULL;
    return stn_mapstore_end(s, st, err);
}

stn_status stn_mapstore_recall(stn_mapstore *s, stn_live_grid anchor, const stn_coord *wanted, size_t n,
                               stn_recalled *out, stn_err *err)
{
    int64_t segment;
    stn_coord at;
    stn_status st;

    for (size_t i = 0; i < n; i++)
        out[i] = (stn_recalled){.gc = wanted[i]};
    if ((st = stn_mapstore_begin(s, false, err)) != STN_OK)
        return st;
    if (stn_mapfile_place(s->map, anchor.id, &segment, &at, NULL) == STN_OK)
        for (size_t i = 0; i < n; i++) {
            stn_coord place = stn_coord_add(at, wanted[i].x - anchor.gc.x, wanted[i].y - anchor.gc.y), there;
            int64_t grid, in;
            /* The grid's own entry decides where it is: a segment may hold a leftover. */
            if (stn_mapfile_grid_at(s->map, segment, place, &grid, NULL) == STN_OK &&
                stn_mapfile_place(s->map, grid, &in, &there, NULL) == STN_OK && in == segment &&
                stn_coord_eq(there, place) && stn_mapfile_grid(s->map, grid, &out[i].record, NULL) == STN_OK)
                out[i].id = grid;
        }
    st = stn_mapstore_end(s, STN_OK, err);
    for (size_t i = 0; i < n && st != STN_OK; i++) {
        stn_record_free(out[i].record);
        out[i].record = NULL;
    }
    return st;
}
