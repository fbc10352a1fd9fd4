#include "world/mapcache.h"

#include "base/bytes.h"
#include "base/table.h"
#include "world/defrag.h"

#include <stdlib.h>
#include <string.h>

typedef struct request {
    int64_t last_ms;
    int count;
} request;

struct stn_mapcache {
    stn_mapcache_listener on;
    stn_table *grids; /* coordinate key -> stn_grid */
    stn_table *requests; /* coordinate key -> request */
    stn_defrag *defrag;
    stn_tileset_name *tilesets[65536];
    size_t max_grids, n_remembered;
    uint32_t tilesets_end; /* one above the highest id that the session gave */
    uint32_t minted; /* ids given to remembered ground */
    bool ours[65536 - STN_MAPCACHE_MINTED]; /* of those, what the session did not take over */
    bool ids_moved; /* an id that remembered ground may use means something else now */
    stn_coord focus; /* tile */
    uint64_t incarnations;
    int64_t olseq, chseq;
};

static void free_grid(stn_grid *g)
{
    free(g->overlays);
    free(g);
}

stn_mapcache *stn_mapcache_new(const stn_mapcache_listener *listener, size_t max_grids)
{
    stn_mapcache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    if (listener)
        c->on = *listener;
    c->max_grids = max_grids ? max_grids : STN_MAPCACHE_GRIDS;
    c->grids = stn_table_new();
    c->requests = stn_table_new();
    c->defrag = stn_defrag_new();
    if (!c->grids || !c->requests || !c->defrag) {
        stn_mapcache_free(c);
        return NULL;
    }
    return c;
}

static void free_values(stn_table *t, void (*fn)(void *))
{
    size_t it = 0;
    uint64_t key;
    void *v;
    while (t && stn_table_next(t, &it, &key, &v))
        fn(v);
    stn_table_free(t);
}

static void free_grid_value(void *v)
{
    free_grid(v);
}

void stn_mapcache_free(stn_mapcache *c)
{
    if (!c)
        return;
    free_values(c->grids, free_grid_value);
    free_values(c->requests, free);
    stn_defrag_free(c->defrag);
    for (size_t i = 0; i < 65536; i++)
        if (c->tilesets[i]) {
            free(c->tilesets[i]->name);
            free(c->tilesets[i]);
        }
    free(c);
}

void stn_mapcache_focus(stn_mapcache *c, stn_coord tile)
{
    c->focus = tile;
}

const stn_grid *stn_mapcache_ground(const stn_mapcache *c, stn_coord gc)
{
    return stn_table_get(c->grids, stn_coord_key(gc));
}

const stn_grid *stn_mapcache_held(const stn_mapcache *c, stn_coord gc)
{
    const stn_grid *g = stn_mapcache_ground(c, gc);
    return g && !g->remembered ? g : NULL;
}

static bool far_out(stn_coord gc)
{
    return gc.x > STN_GRID_FAR || gc.x < -STN_GRID_FAR || gc.y > STN_GRID_FAR || gc.y < -STN_GRID_FAR;
}

static void ask(stn_mapcache *c, stn_coord gc)
{
    request *r;
    if (far_out(gc) || stn_table_get(c->requests, stn_coord_key(gc)) ||
        stn_table_count(c->requests) >= c->max_grids)
        return;
    r = calloc(1, sizeof *r);
    /* Without memory the next need tries again, as it does after a request has expired. */
    if (r && !stn_table_put(c->requests, stn_coord_key(gc), r, NULL))
        free(r);
}

const stn_grid *stn_mapcache_need(stn_mapcache *c, stn_coord gc)
{
    const stn_grid *g = stn_mapcache_held(c, gc);
    if (!g)
        ask(c, gc);
    return g;
}

size_t stn_mapcache_count(const stn_mapcache *c)
{
    return stn_table_count(c->grids) - c->n_remembered;
}
size_t stn_mapcache_remembered(const stn_mapcache *c)
{
    return c->n_remembered;
}
size_t stn_mapcache_requests(const stn_mapcache *c)
{
    return stn_table_count(c->requests);
}
size_t stn_mapcache_fragments(const stn_mapcache *c)
{
    return stn_defrag_live(c->defrag);
}
int64_t stn_mapcache_olseq(const stn_mapcache *c)
{
    return c->olseq;
}
int64_t stn_mapcache_chseq(const stn_mapcache *c)
{
    return c->chseq;
}
const stn_tileset_name *stn_mapcache_tileset(const stn_mapcache *c, uint16_t tile)
{
    return c->tilesets[tile];
}

static int by_coord(const void *a, const void *b)
{
    const stn_coord *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

static size_t list_keys(const stn_table *t, stn_coord *out, size_t cap)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *v;
    while (n < cap && stn_table_next(t, &it, &key, &v))
        out[n++] = stn_coord_of_key(key);
    qsort(out, n, sizeof *out, by_coord);
    return stn_table_count(t);
}

size_t stn_mapcache_grids(const stn_mapcache *c, stn_coord *out, size_t cap)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *g;
    while (n < cap && stn_table_next(c->grids, &it, &key, &g))
        if (!((const stn_grid *)g)->remembered)
            out[n++] = stn_coord_of_key(key);
    qsort(out, n, sizeof *out, by_coord);
    return stn_mapcache_count(c);
}

size_t stn_mapcache_marked(const stn_mapcache *c, uint16_t resid, stn_coord *out, size_t cap)
{
    size_t it = 0, n = 0;
    uint64_t key;
    void *value;
    while (n < cap && stn_table_next(c->grids, &it, &key, &value)) {
        const stn_grid *g = value;
        bool marked = false;
        for (size_t i = 0; i < g->n_overlays && !g->remembered && !marked; i++)
            marked = g->overlays[i].resid == resid;
        if (marked)
            out[n++] = g->gc;
    }
    return n;
}

size_t stn_mapcache_request_list(const stn_mapcache *c, stn_coord *out, size_t cap)
{
    return list_keys(c->requests, out, cap);
}

static void remove_grid(stn_mapcache *c, stn_coord gc)
{
    stn_grid *g = stn_table_remove(c->grids, stn_coord_key(gc));
    if (!g)
        return;
    c->n_remembered -= g->remembered;
    if (c->on.removed)
        c->on.removed(c->on.arg, g);
    free_grid(g);
}

static uint64_t distance2(stn_coord gc, stn_coord focus_tile)
{
    stn_coord f = stn_grid_of_tile(focus_tile);
    int64_t dx = (int64_t)gc.x - f.x, dy = (int64_t)gc.y - f.y;
    return (uint64_t)(dx * dx) + (uint64_t)(dy * dy);
}

/* Makes room for a grid at gc. False: gc is the farthest of all, so it is the one that is refused. Remembered
 * ground gives way to live ground, however near it is, and never the other way round. */
static bool make_room(stn_mapcache *c, stn_coord gc, bool remembered)
{
    bool any = !remembered && c->n_remembered > 0; /* the farthest remembered one goes in any case */
    stn_coord farthest = gc;
    uint64_t most = distance2(gc, c->focus), key;
    size_t it = 0;
    void *v;

    if (stn_table_count(c->grids) < c->max_grids)
        return true;
    while (stn_table_next(c->grids, &it, &key, &v)) {
        uint64_t d = distance2(stn_coord_of_key(key), c->focus);
        if ((any || remembered) && !((const stn_grid *)v)->remembered)
            continue;
        if (d > most || (any && stn_coord_eq(farthest, gc))) {
            most = d;
            farthest = stn_coord_of_key(key);
        }
    }
    if (stn_coord_eq(farthest, gc))
        return false;
    remove_grid(c, farthest);
    return true;
}

static bool tile_known(void *arg, uint16_t tile)
{
    const stn_mapcache *c = arg;
    return c->tilesets[tile] && !(tile >= STN_MAPCACHE_MINTED && c->ours[tile - STN_MAPCACHE_MINTED]);
}

/* The message's names move into the table. */
static stn_status commit_tilesets(stn_mapcache *c, stn_gridmsg *m, stn_err *err)
{
    for (size_t i = 0; i < m->n_tilesets; i++) {
        struct stn_gridmsg_tileset *t = &m->tilesets[i];
        stn_tileset_name *ref = c->tilesets[t->tile];
        if (ref)
            c->ids_moved |= ref->name ? !t->ref.name || strcmp(ref->name, t->ref.name) != 0
                                      : t->ref.name || ref->resid != t->ref.resid;
        else if (!(ref = c->tilesets[t->tile] = calloc(1, sizeof *ref)))
            return stn_fail(err, STN_NO_MEMORY, "tileset table");
        if (t->tile >= STN_MAPCACHE_MINTED)
            c->ours[t->tile - STN_MAPCACHE_MINTED] = false;
        else if (t->tile >= c->tilesets_end)
            c->tilesets_end = t->tile + 1u;
        free(ref->name);
        *ref = t->ref;
        t->ref.name = NULL;
    }
    return STN_OK;
}

static void forget_remembered(stn_mapcache *c)
{
    stn_coord *list = malloc((c->n_remembered + 1) * sizeof *list);
    size_t it = 0, n = 0;
    uint64_t key;
    void *g;

    if (!list)
        return; /* tried again at the next fill */
    while (n < c->n_remembered && stn_table_next(c->grids, &it, &key, &g))
        if (((const stn_grid *)g)->remembered)
            list[n++] = stn_coord_of_key(key);
    for (size_t i = 0; i < n; i++)
        remove_grid(c, list[i]);
    free(list);
    c->ids_moved = false;
}

/* What was remembered is gone without a trace; whoever shows it keeps the picture until there is a new one.
 */
static void make_live(stn_mapcache *c, stn_grid *g)
{
    free(g->overlays);
    memset(g->tiles, 0, sizeof g->tiles);
    memset(g->z, 0, sizeof g->z);
    g->overlays = NULL;
    g->n_overlays = 0;
    g->has_overlays = false;
    g->id = 0;
    g->seq = -1;
    g->remembered = false;
    c->n_remembered--;
}

static stn_status commit(stn_mapcache *c, stn_coord gc, stn_gridmsg *m, stn_err *err)
{
    uint64_t key = stn_coord_key(gc);
    stn_grid *g = stn_table_get(c->grids, key);
    bool fresh = !g, recalled = g && g->remembered;
    stn_status st;

    if (fresh) {
        if (!make_room(c, gc, false))
            return stn_fail(err, STN_TOO_BIG, "grid %d,%d: %zu grids are held and this is the farthest", gc.x,
                            gc.y, c->max_grids);
        if (!(g = calloc(1, sizeof *g)))
            return stn_fail(err, STN_NO_MEMORY, "grid %d,%d", gc.x, gc.y);
        g->gc = gc;
        g->seq = -1;
    }
    if ((st = commit_tilesets(c, m, err)) != STN_OK ||
        (fresh && !stn_table_put(c->grids, key, g, NULL) &&
         (st = stn_fail(err, STN_NO_MEMORY, "grid table")) != STN_OK)) {
        if (fresh)
            free_grid(g);
        return st;
    }
    if (fresh)
        g->incarnation = ++c->incarnations;
    if (recalled)
        make_live(c, g);
    if (c->ids_moved)
        forget_remembered(c);
    if (m->has_id)
        g->id = m->id;
    if (m->has_tiles)
        memcpy(g->tiles, m->tiles, sizeof g->tiles);
    if (m->has_z)
        memcpy(g->z, m->z, sizeof g->z);
    if (m->has_overlays) {
        stn_overlay_mask *fit;
        free(g->overlays);
        g->overlays = m->overlays;
        g->n_overlays = m->n_overlays;
        g->has_overlays = true;
        m->overlays = NULL;
        /* Room that the message took ahead is given back. */
        if (g->n_overlays && (fit = realloc(g->overlays, g->n_overlays * sizeof *fit)) != NULL)
            g->overlays = fit;
    }
    g->seq = g->seq == INT32_MAX ? 0 : g->seq + 1;
    free(stn_table_remove(c->requests, key));
    c->olseq++;
    c->chseq++;
    if (c->on.filled)
        c->on.filled(c->on.arg, g, fresh || recalled);
    return STN_OK;
}

/* ---- remembered ground */

/* The id of a tileset: the session's own when it has one of that name, else one of ours. -1: none is left. */
static int32_t id_of(stn_mapcache *c, const stn_record_set *set, stn_resid_name_fn name_of, void *arg)
{
    stn_tileset_name *ref;

    for (uint32_t i = 0; i < STN_MAPCACHE_MINTED + c->minted; i++) {
        int32_t version;
        const char *name;
        if (i == c->tilesets_end)
            i = STN_MAPCACHE_MINTED;
        if (i == STN_MAPCACHE_MINTED + c->minted)
            break;
        if (!(ref = c->tilesets[i]))
            continue;
        name = ref->name || !name_of ? ref->name : name_of(arg, ref->resid, &version);
        if (name && !strcmp(name, set->name))
            return (int32_t)i;
    }
    if (c->minted == 65536 - STN_MAPCACHE_MINTED || c->tilesets[STN_MAPCACHE_MINTED + c->minted])
        return -1;
    if (!(ref = calloc(1, sizeof *ref)) || !(ref->name = strdup(set->name))) {
        free(ref);
        return -1;
    }
    ref->version = set->version;
    c->tilesets[STN_MAPCACHE_MINTED + c->minted] = ref;
    c->ours[c->minted] = true;
    return (int32_t)(STN_MAPCACHE_MINTED + c->minted++);
}

stn_status stn_mapcache_recall(stn_mapcache *c, stn_coord gc, int64_t id, const stn_record *r,
                               stn_resid_name_fn name_of, void *arg, stn_err *err)
{
    uint64_t key = stn_coord_key(gc);
    stn_grid *g;
    uint16_t *ids;
    stn_status st = STN_OK;

    if (far_out(gc))
        return stn_fail(err, STN_BAD_DATA, "grid %d,%d is farther out than any server's", gc.x, gc.y);
    if (stn_table_get(c->grids, key))
        return STN_OK;
    if (!make_room(c, gc, true))
        return stn_fail(err, STN_TOO_BIG, "no room to remember grid %d,%d: %zu are held", gc.x, gc.y,
                        c->max_grids);
    g = calloc(1, sizeof *g);
    ids = calloc(r->n_sets + 1, sizeof *ids);
    if (!g || !ids)
        st = stn_fail(err, STN_NO_MEMORY, "grid %d,%d", gc.x, gc.y);
    for (size_t i = 0; st == STN_OK && i < r->n_sets; i++) {
        int32_t tile = id_of(c, &r->sets[i], name_of, arg);
        if (tile < 0)
            st = stn_fail(err, STN_TOO_BIG, "grid %d,%d: no tile id is left for %.80s", gc.x, gc.y,
                          r->sets[i].name);
        else
            ids[i] = (uint16_t)tile;
    }
    for (size_t i = 0; st == STN_OK && i < STN_GRID_CELLS; i++)
        if (r->tiles[i] >= r->n_sets)
            st = stn_fail(err, STN_BAD_DATA, "grid %d,%d: tileset %u of %zu", gc.x, gc.y, r->tiles[i],
                          r->n_sets);
        else
            g->tiles[i] = ids[r->tiles[i]];
    if (st == STN_OK && !stn_table_put(c->grids, key, g, NULL))
        st = stn_fail(err, STN_NO_MEMORY, "grid table");
    free(ids);
    if (st != STN_OK) {
        free(g);
        return st;
    }
    memcpy(g->z, r->z, sizeof g->z);
    g->gc = gc;
    g->id = id;
    g->incarnation = ++c->incarnations;
    g->has_overlays = true; /* an empty list, not an absent one */
    g->remembered = true;
    c->n_remembered++;
    if (c->on.recalled)
        c->on.recalled(c->on.arg, g);
    return STN_OK;
}

stn_status stn_mapcache_fill(stn_mapcache *c, stn_coord gc, const uint8_t *msg, size_t len, stn_err *err)
{
    stn_gridmsg *m;
    stn_status st;

    if (far_out(gc))
        return stn_fail(err, STN_BAD_DATA, "grid %d,%d is farther out than any server's", gc.x, gc.y);
    if ((st = stn_gridmsg_read(msg, len, tile_known, c, &m, err)) != STN_OK)
        return stn_fail_in(err, st, "grid %d,%d", gc.x, gc.y);
    st = commit(c, gc, m, err);
    stn_gridmsg_free(m);
    return st;
}

stn_status stn_mapcache_data(stn_mapcache *c, const uint8_t *body, size_t len, int64_t now_ms, stn_err *err)
{
    uint8_t *blob;
    size_t blob_len;
    stn_bytes in;
    stn_coord gc;
    stn_status st = stn_defrag_feed(c->defrag, body, len, now_ms, &blob, &blob_len, err);

    if (st != STN_OK)
        return st;
    in = stn_bytes_of(blob, blob_len);
    gc.x = stn_bytes_i32(&in);
    gc.y = stn_bytes_i32(&in);
    if (!stn_bytes_ok(&in))
        st = stn_fail(err, STN_TRUNCATED, "map data of %zu bytes has no grid coordinate", blob_len);
    else if (!stn_table_get(c->requests, stn_coord_key(gc)))
        st = STN_AGAIN; /* nobody asked: dropped without a word, as the reference does */
    else
        st = stn_mapcache_fill(c, gc, blob + 8, blob_len - 8, err);
    free(blob);
    return st;
}

static void wake(stn_mapcache *c)
{
    if (c->on.woken)
        c->on.woken(c->on.arg);
}

static bool inside(stn_coord c, stn_coord ul, stn_coord lr)
{
    return c.x >= ul.x && c.y >= ul.y && c.x <= lr.x && c.y <= lr.y;
}

/* Both bounds stay. */
static void trim(stn_mapcache *c, stn_coord ul, stn_coord lr)
{
    size_t n = stn_table_count(c->grids) + stn_table_count(c->requests), it = 0, gone = 0, n_grids;
    stn_coord *list = malloc((n ? n : 1) * sizeof *list);
    uint64_t key;
    void *v;

    if (!list)
        return;
    while (stn_table_next(c->grids, &it, &key, &v))
        if (!inside(stn_coord_of_key(key), ul, lr))
            list[gone++] = stn_coord_of_key(key);
    n_grids = gone;
    it = 0;
    while (stn_table_next(c->requests, &it, &key, &v))
        if (!inside(stn_coord_of_key(key), ul, lr))
            list[gone++] = stn_coord_of_key(key);
    for (size_t i = 0; i < n_grids; i++)
        remove_grid(c, list[i]);
    for (size_t i = n_grids; i < gone; i++)
        free(stn_table_remove(c->requests, stn_coord_key(list[i])));
    free(list);
    wake(c);
}

stn_status stn_mapcache_invalidate(stn_mapcache *c, const uint8_t *body, size_t len, stn_err *err)
{
    stn_bytes in = stn_bytes_of(body, len);
    uint8_t kind = stn_bytes_u8(&in);
    stn_coord ul = {0, 0}, lr = {0, 0};

    if (kind <= 1) {
        ul.x = stn_bytes_i32(&in);
        ul.y = stn_bytes_i32(&in);
    }
    if (kind == 1) {
        lr.x = stn_bytes_i32(&in);
        lr.y = stn_bytes_i32(&in);
    }
    if (!stn_bytes_ok(&in))
        return stn_fail(err, STN_TRUNCATED, "map invalidation of %zu bytes", len);
    if (kind == 0)
        ask(c, ul);
    else if (kind == 1)
        trim(c, ul, lr);
    else if (kind == 2)
        trim(c, (stn_coord){INT32_MAX, INT32_MAX}, (stn_coord){INT32_MIN, INT32_MIN});
    return STN_OK;
}

typedef struct due_request {
    stn_coord gc;
    uint64_t distance2;
    request *r;
} due_request;

static int by_distance(const void *a, const void *b)
{
    const due_request *p = a, *q = b;
    if (p->distance2 != q->distance2)
        return p->distance2 < q->distance2 ? -1 : 1;
    return by_coord(&p->gc, &q->gc);
}

/* The nearest to the focus first: the server answers in order, and what is near is wanted first. */
void stn_mapcache_send(stn_mapcache *c, int64_t now_ms, void (*send)(void *arg, stn_coord gc), void *arg)
{
    bool dropped = false;
    size_t n = stn_table_count(c->requests), due = 0, it = 0;
    due_request *list = n ? malloc(n * sizeof *list) : NULL;
    uint64_t key;
    void *v;

    if (!list)
        return;
    while (due < n && stn_table_next(c->requests, &it, &key, &v)) {
        stn_coord gc = stn_coord_of_key(key);
        list[due++] = (due_request){gc, distance2(gc, c->focus), v};
    }
    qsort(list, due, sizeof *list, by_distance);
    for (size_t i = 0; i < due; i++) {
        request *r = list[i].r;
        if (now_ms - r->last_ms <= STN_MAPREQ_AGAIN_MS)
            continue;
        r->last_ms = now_ms;
        if (++r->count >= STN_MAPREQ_TRIES) {
            free(stn_table_remove(c->requests, stn_coord_key(list[i].gc)));
            dropped = true;
        } else {
            send(arg, list[i].gc);
        }
    }
    free(list);
    if (dropped)
        wake(c);
}

stn_status stn_mapcache_corner(void *arg, stn_coord tc, float *z)
{
    const stn_mapcache *c = arg;
    const stn_grid *g = stn_mapcache_held(c, stn_grid_of_tile(tc));
    stn_coord in = stn_tile_in_grid(tc);

    if (!g)
        return STN_AGAIN;
    *z = g->z[in.x + STN_GRID_TILES * in.y];
    return STN_OK;
}
