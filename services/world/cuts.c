#include "world/cuts.h"

#include "base/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum ticket_state { TICKET_QUEUED, TICKET_PARKED, TICKET_LEASED } ticket_state;

typedef struct product {
    stn_product p;
    struct cut_half *half; /* whose value or built product it is */
    struct product *older, *newer;
} product;

typedef struct cut_half {
    stn_half h;
    uint64_t busy; /* ticket of the lease under way, current or cancelled; 0 = none */
    uint64_t asked; /* tick of the last get */
    uint64_t change; /* that made it stale last; 0 = never */
    char *failure;
} cut_half;

typedef struct grid_cuts {
    stn_coord gc;
    uint64_t incarnation;
    cut_half half[16][STN_CUT_HALVES];
} grid_cuts;

typedef struct ticket {
    stn_cut_job job;
    ticket_state state;
    bool cancelled; /* a lease whose result is not wanted any more */
    cut_half *half; /* NULL: its grid is gone */
    uint64_t asked; /* tick */
    uint64_t viewers; /* that asked in that tick, a bit each */
    uint64_t tried; /* inputs epoch at which it was parked */
    unsigned kills;
    uint32_t mesher;
    int64_t deadline_ns;
    size_t index; /* in the list of all tickets */
} ticket;

struct stn_cuts {
    stn_cuts_hooks hooks;
    size_t budget;
    stn_table *grids; /* coordinate key -> grid_cuts */
    stn_table *by_number; /* ticket number -> ticket */
    stn_table *products; /* product number -> product */
    product *oldest, *newest;
    size_t product_bytes;
    ticket **all;
    size_t n_all, cap_all;
    uint64_t tickets, product_numbers, tick, inputs;
    uint32_t generation[STN_CUT_HALVES];
    uint64_t bumped[STN_CUT_HALVES]; /* the change that the generation came with */
    unsigned turn; /* the viewer that is served next */
    stn_cuts_stats stats;
};

stn_cuts *stn_cuts_new(const stn_cuts_hooks *hooks, size_t byte_budget)
{
    stn_cuts *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->hooks = *hooks;
    c->budget = byte_budget ? byte_budget : STN_CUTS_BYTES;
    c->inputs = 1;
    c->grids = stn_table_new();
    c->by_number = stn_table_new();
    c->products = stn_table_new();
    if (!c->grids || !c->by_number || !c->products) {
        stn_cuts_free(c);
        return NULL;
    }
    return c;
}

/* ---- products */

static void unlink_product(stn_cuts *c, product *p)
{
    if (p->older)
        p->older->newer = p->newer;
    else
        c->oldest = p->newer;
    if (p->newer)
        p->newer->older = p->older;
    else
        c->newest = p->older;
    p->older = p->newer = NULL;
}

static void link_newest(stn_cuts *c, product *p)
{
    p->older = c->newest;
    if (c->newest)
        c->newest->newer = p;
    else
        c->oldest = p;
    c->newest = p;
}

static void release(stn_cuts *c, uint64_t number)
{
    product *p = number ? stn_table_remove(c->products, number) : NULL;
    if (!p)
        return;
    unlink_product(c, p);
    c->product_bytes -= p->p.bytes;
    c->hooks.release(c->hooks.arg, p->p.payload);
    free(p);
}

/* Oldest first, but nothing that was asked for in this tick or the last: that would be built again at once.
 */
static void keep_to_budget(stn_cuts *c)
{
    for (product *p = c->oldest, *next; p && c->product_bytes > c->budget; p = next) {
        stn_half *h = &p->half->h;
        next = p->newer;
        if (p->half->asked + 1 >= c->tick)
            continue;
        if (h->value == p->p.number) {
            h->value = 0;
        } else { /* built, and nobody came to take it */
            h->built = h->ticket = 0;
            h->job = STN_JOB_NONE;
        }
        if (h->job == STN_JOB_NONE)
            h->fresh = false;
        c->stats.evicted++;
        release(c, p->p.number);
    }
}

static uint64_t new_product(stn_cuts *c, cut_half *half, uint32_t generation, void *payload, size_t bytes)
{
    product *p = calloc(1, sizeof *p);
    if (!p)
        return 0;
    p->p = (stn_product){++c->product_numbers, payload, bytes, generation, half->change, 0};
    p->half = half;
    if (!stn_table_put(c->products, p->p.number, p, NULL)) {
        free(p);
        return 0;
    }
    link_newest(c, p);
    c->product_bytes += bytes;
    return p->p.number;
}

/* ---- tickets */

static void free_ticket(stn_cuts *c, ticket *t)
{
    if (t->half && t->half->busy == t->job.ticket)
        t->half->busy = 0;
    stn_table_remove(c->by_number, t->job.ticket);
    c->all[t->index] = c->all[--c->n_all];
    c->all[t->index]->index = t->index;
    free(t);
}

static void cancel(stn_cuts *c, uint64_t number)
{
    ticket *t = number ? stn_table_get(c->by_number, number) : NULL;
    if (!t)
        return;
    if (t->state != TICKET_LEASED) {
        free_ticket(c, t);
        return;
    }
    if (t->cancelled)
        return;
    t->cancelled = true;
    if (c->hooks.cancel && c->hooks.cancel(c->hooks.arg, t->mesher, number))
        free_ticket(c, t);
}

/* False without memory. */
static bool queue(stn_cuts *c, const grid_cuts *g, unsigned cut, stn_cut_half which, cut_half *half,
                  uint64_t number)
{
    ticket *t = stn_table_get(c->by_number, number);
    if (t) { /* parked, and asked for again */
        t->state = TICKET_QUEUED;
        return true;
    }
    if (c->n_all == c->cap_all) {
        size_t cap = c->cap_all ? c->cap_all * 2 : 64;
        ticket **more = realloc(c->all, cap * sizeof(ticket *));
        if (!more)
            return false;
        c->all = more;
        c->cap_all = cap;
    }
    if (!(t = calloc(1, sizeof *t)))
        return false;
    t->job = (stn_cut_job){number, g->gc, g->incarnation, (uint8_t)cut, which, half->h.stamp, 0};
    t->half = half;
    t->index = c->n_all;
    if (!stn_table_put(c->by_number, number, t, NULL)) {
        free(t);
        return false;
    }
    c->all[c->n_all++] = t;
    c->stats.ordered++;
    return true;
}

static void apply(stn_cuts *c, const stn_half_effect *fx)
{
    cancel(c, fx->cancel);
    release(c, fx->release);
    release(c, fx->release_built);
}

/* The number of a change that comes now: that of the tick in which it is first seen. */
static uint64_t change_now(const stn_cuts *c)
{
    return c->tick + 1;
}

static uint64_t while_open(const stn_cuts *c, uint64_t change)
{
    return change + STN_CUTS_SWAP_TICKS >= c->tick ? change : 0;
}

static void invalidate(stn_cuts *c, cut_half *half)
{
    stn_half_effect fx;
    stn_half_invalidate(&half->h, &fx);
    apply(c, &fx);
    half->change = change_now(c);
    free(half->failure);
    half->failure = NULL;
}

/* ---- the ground */

static grid_cuts *grid_at(const stn_cuts *c, stn_coord gc)
{
    return stn_table_get(c->grids, stn_coord_key(gc));
}

static void dispose_grid(stn_cuts *c, grid_cuts *g)
{
    for (size_t i = 0; i < 16 * STN_CUT_HALVES; i++) {
        cut_half *half = &g->half[i / STN_CUT_HALVES][i % STN_CUT_HALVES];
        stn_half_effect fx;
        ticket *t;
        stn_half_dispose(&half->h, &fx);
        apply(c, &fx);
        /* A lease under way outlives the grid: its result will be late. */
        if (half->busy && (t = stn_table_get(c->by_number, half->busy)) != NULL)
            t->half = NULL;
        free(half->failure);
    }
    free(g);
}

void stn_cuts_removed(stn_cuts *c, stn_coord gc)
{
    grid_cuts *g = stn_table_remove(c->grids, stn_coord_key(gc));
    if (g)
        dispose_grid(c, g);
}

void stn_cuts_clear(stn_cuts *c)
{
    size_t it = 0;
    uint64_t key;
    void *g;
    while (stn_table_next(c->grids, &it, &key, &g))
        dispose_grid(c, g);
    stn_table_clear(c->grids);
}

void stn_cuts_free(stn_cuts *c)
{
    if (!c)
        return;
    if (c->grids && c->by_number && c->products) {
        c->hooks.cancel = NULL;
        stn_cuts_clear(c);
        while (c->n_all > 0)
            free_ticket(c, c->all[0]);
    }
    stn_table_free(c->grids);
    stn_table_free(c->by_number);
    stn_table_free(c->products);
    free(c->all);
    free(c);
}

/* Of the neighbour at (dx,dy), the cuts that face the grid: no margin is wider than a cut. */
static void invalidate_edge(stn_cuts *c, stn_coord gc, int dx, int dy)
{
    grid_cuts *n = grid_at(c, stn_coord_add(gc, dx, dy));
    for (int y = 0; n && y < STN_GRID_CUTS; y++)
        for (int x = 0; x < STN_GRID_CUTS; x++) {
            if ((dx == 1 && x != 0) || (dx == -1 && x != 3) || (dy == 1 && y != 0) || (dy == -1 && y != 3))
                continue;
            for (int h = 0; h < STN_CUT_HALVES; h++)
                invalidate(c, &n->half[x + STN_GRID_CUTS * y][h]);
        }
}

/* Makes a grid's cuts, or takes back what was built of an older filling. */
static stn_status take_grid(stn_cuts *c, stn_coord gc, uint64_t incarnation, stn_err *err)
{
    grid_cuts *g = grid_at(c, gc);

    if (g && g->incarnation != incarnation) {
        stn_cuts_removed(c, gc);
        g = NULL;
    }
    if (!g) {
        if (!(g = calloc(1, sizeof *g)) || !stn_table_put(c->grids, stn_coord_key(gc), g, NULL)) {
            free(g);
            return stn_fail(err, STN_NO_MEMORY, "cuts of grid %d,%d", gc.x, gc.y);
        }
        g->gc = gc;
        g->incarnation = incarnation;
        for (size_t i = 0; i < 16; i++)
            for (size_t h = 0; h < STN_CUT_HALVES; h++) {
                stn_half_init(&g->half[i][h].h, c->generation[h]);
                g->half[i][h].change = change_now(c);
            }
    } else {
        for (size_t i = 0; i < 16; i++)
            for (size_t h = 0; h < STN_CUT_HALVES; h++)
                invalidate(c, &g->half[i][h]);
    }
    return STN_OK;
}

stn_status stn_cuts_recalled(stn_cuts *c, stn_coord gc, uint64_t incarnation, stn_err *err)
{
    stn_status st = take_grid(c, gc, incarnation, err);

    if (st == STN_OK)
        stn_cuts_inputs_changed(c);
    return st;
}

stn_status stn_cuts_filled(stn_cuts *c, stn_coord gc, uint64_t incarnation, stn_err *err)
{
    stn_status st = take_grid(c, gc, incarnation, err);

    if (st != STN_OK)
        return st;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                invalidate_edge(c, gc, dx, dy);
    stn_cuts_inputs_changed(c);
    return STN_OK;
}

void stn_cuts_bump(stn_cuts *c, stn_cut_half half)
{
    c->generation[half]++;
    c->bumped[half] = change_now(c);
}
uint32_t stn_cuts_generation(const stn_cuts *c, stn_cut_half half)
{
    return c->generation[half];
}
void stn_cuts_inputs_changed(stn_cuts *c)
{
    c->inputs++;
}

/* ---- asking */

void stn_cuts_tick(stn_cuts *c)
{
    c->tick++;
    keep_to_budget(c);
}

static cut_half *half_at(const stn_cuts *c, stn_coord cc, stn_cut_half which, grid_cuts **grid, unsigned *cut)
{
    stn_coord in = stn_cut_in_grid(cc);
    grid_cuts *g = grid_at(c, stn_grid_of_cut(cc));
    unsigned i = (unsigned)in.x + STN_GRID_CUTS * (unsigned)in.y;

    if (grid)
        *grid = g;
    if (cut)
        *cut = i;
    return g ? &g->half[i][which] : NULL;
}

static void product_of(const stn_cuts *c, const cut_half *half, stn_product *out)
{
    const product *p = half->h.value ? stn_table_get(c->products, half->h.value) : NULL;
    *out = p ? p->p : (stn_product){0};
    out->swap = while_open(c, out->swap);
    out->due =
        half->h.job == STN_JOB_QUEUED || half->h.job == STN_JOB_PARKED ? while_open(c, half->change) : 0;
}

stn_half_answer stn_cuts_get(stn_cuts *c, unsigned viewer, stn_coord cc, stn_cut_half which, int32_t distance,
                             stn_product *out)
{
    grid_cuts *g;
    unsigned cut;
    cut_half *half = half_at(c, cc, which, &g, &cut);
    stn_half_effect fx;
    stn_half_answer a;
    ticket *t;
    product *p;

    *out = (stn_product){0};
    if (!half)
        return STN_HALF_WAIT_GRID;
    if (half->h.stamp != c->generation[which])
        half->change = c->bumped[which];
    a = stn_half_get(&half->h, c->generation[which], &c->tickets, &fx);
    apply(c, &fx);
    /* A parked ticket is only worth trying again when something has come since. */
    if (fx.queue && !queue(c, g, cut, which, half, fx.queue))
        invalidate(c, half); /* no memory now: the next get orders it again */
    if ((t = half->h.ticket ? stn_table_get(c->by_number, half->h.ticket) : NULL) != NULL) {
        if (t->asked != c->tick || distance < t->job.distance)
            t->job.distance = distance;
        if (t->asked != c->tick)
            t->viewers = 0;
        t->viewers |= UINT64_C(1) << viewer % STN_CUTS_VIEWERS;
        t->asked = c->tick;
    }
    half->asked = c->tick;
    if (half->h.value && (p = stn_table_get(c->products, half->h.value)) != NULL && p != c->newest) {
        unlink_product(c, p);
        link_newest(c, p);
    }
    product_of(c, half, out);
    return a;
}

bool stn_cuts_cur(const stn_cuts *c, stn_coord cc, stn_cut_half which, stn_product *out)
{
    const cut_half *half = half_at(c, cc, which, NULL, NULL);
    *out = (stn_product){0};
    if (half)
        product_of(c, half, out);
    return out->number != 0;
}

const char *stn_cuts_failure(const stn_cuts *c, stn_coord cc, stn_cut_half which)
{
    const cut_half *half = half_at(c, cc, which, NULL, NULL);
    return half && half->failure ? half->failure : "";
}

/* ---- leases */

size_t stn_cuts_leases_of(const stn_cuts *c, uint32_t mesher)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_all; i++)
        n += c->all[i]->state == TICKET_LEASED && c->all[i]->mesher == mesher;
    return n;
}

/* A ticket that went down with its holder is built alone. */
static bool holds_suspect(const stn_cuts *c, uint32_t mesher)
{
    for (size_t i = 0; i < c->n_all; i++)
        if (c->all[i]->state == TICKET_LEASED && c->all[i]->mesher == mesher && c->all[i]->kills > 0)
            return true;
    return false;
}

/* How many viewers are served before one that asked for the ticket. */
static unsigned turns_before(const stn_cuts *c, const ticket *t)
{
    uint64_t later = t->viewers >> c->turn;
    return (unsigned)__builtin_ctzll(later ? later : t->viewers) + (later ? 0 : STN_CUTS_VIEWERS - c->turn);
}

static bool more_urgent(const stn_cuts *c, const ticket *a, const ticket *b)
{
    unsigned turn_a = turns_before(c, a), turn_b = turns_before(c, b);
    if (turn_a != turn_b)
        return turn_a < turn_b;
    if (a->job.distance != b->job.distance)
        return a->job.distance < b->job.distance;
    if (a->job.half != b->job.half)
        return a->job.half < b->job.half;
    return a->job.ticket < b->job.ticket;
}

static ticket *most_urgent(const stn_cuts *c, bool alone)
{
    ticket *best = NULL;
    for (size_t i = 0; i < c->n_all; i++) {
        ticket *t = c->all[i];
        if (t->state != TICKET_QUEUED || t->half->busy || t->tried == c->inputs || (t->kills > 0 && !alone) ||
            t->asked + STN_CUTS_STALE_TICKS < c->tick)
            continue;
        if (!best || more_urgent(c, t, best))
            best = t;
    }
    return best;
}

static void fail(stn_cuts *c, ticket *t, const char *text)
{
    cut_half *half = t->half;
    if (half && stn_half_failed(&half->h, t->job.ticket)) {
        free(half->failure);
        half->failure = strdup(text);
        c->stats.failed++;
    }
    free_ticket(c, t);
}

stn_status stn_cuts_lease(stn_cuts *c, uint32_t mesher, int64_t deadline_ns, stn_cuts_ready ready, void *arg,
                          stn_cut_job *out, stn_err *err)
{
    bool alone = stn_cuts_leases_of(c, mesher) == 0;
    ticket *t;

    if (holds_suspect(c, mesher))
        return STN_AGAIN;
    while ((t = most_urgent(c, alone)) != NULL) {
        stn_err why = {0};
        stn_status st = ready(arg, &t->job, &why);
        if (st == STN_OK) {
            t->state = TICKET_LEASED;
            t->mesher = mesher;
            t->deadline_ns = deadline_ns;
            t->half->busy = t->job.ticket;
            c->turn = (c->turn + turns_before(c, t) + 1) % STN_CUTS_VIEWERS;
            *out = t->job;
            return STN_OK;
        }
        if (st == STN_AGAIN) {
            t->tried = c->inputs;
            t->state = TICKET_PARKED;
            stn_half_parked(&t->half->h, t->job.ticket);
        } else {
            if (err)
                *err = why;
            fail(c, t, why.text);
        }
    }
    return STN_AGAIN;
}

stn_status stn_cuts_built(stn_cuts *c, uint32_t mesher, uint64_t number, void *payload, size_t bytes)
{
    ticket *t = stn_table_get(c->by_number, number);
    uint64_t made;

    (void)mesher; /* whoever built it: the same ticket gives the same product */
    if (!t || !t->half || t->cancelled ||
        !(made = new_product(c, t->half, t->job.generation, payload, bytes))) {
        c->hooks.release(c->hooks.arg, payload);
        c->stats.late++;
        if (t)
            free_ticket(c, t);
        return STN_CANCELLED;
    }
    if (!stn_half_done(&t->half->h, number, made)) {
        release(c, made);
        c->stats.late++;
        free_ticket(c, t);
        return STN_CANCELLED;
    }
    c->stats.built++;
    free_ticket(c, t);
    return STN_OK;
}

/* Back into the queue, once; a cancelled lease is over instead. */
static void give_back(stn_cuts *c, ticket *t)
{
    if (t->cancelled || !t->half) {
        free_ticket(c, t);
        return;
    }
    t->state = TICKET_QUEUED;
    t->tried = 0;
    t->mesher = 0;
    t->half->busy = 0;
}

stn_status stn_cuts_failed(stn_cuts *c, uint32_t mesher, uint64_t number, stn_status code, const char *text)
{
    ticket *t = stn_table_get(c->by_number, number);

    if (!t || t->state != TICKET_LEASED || t->mesher != mesher)
        return STN_CANCELLED;
    if (t->cancelled || code == STN_CANCELLED) {
        bool late = t->cancelled;
        give_back(c, t);
        return late ? STN_CANCELLED : STN_OK;
    }
    fail(c, t, text);
    return STN_OK;
}

size_t stn_cuts_mesher_gone(stn_cuts *c, uint32_t mesher, bool died)
{
    size_t n = 0;
    for (size_t i = c->n_all; i-- > 0;) {
        ticket *t = c->all[i];
        if (t->state != TICKET_LEASED || t->mesher != mesher)
            continue;
        n++;
        c->stats.lost++;
        t->kills += died;
        if (t->kills >= STN_CUTS_KILLS && !t->cancelled) {
            char text[128];
            snprintf(
                text, sizeof text, "cut %d,%d of grid %d,%d: set aside, %u meshers died while building it",
                t->job.cut % STN_GRID_CUTS, t->job.cut / STN_GRID_CUTS, t->job.gc.x, t->job.gc.y, t->kills);
            c->stats.set_aside++;
            fail(c, t, text);
        } else {
            give_back(c, t);
        }
    }
    return n;
}

size_t stn_cuts_expire(stn_cuts *c, int64_t now_ns)
{
    size_t n = 0;
    for (size_t i = c->n_all; i-- > 0;) {
        ticket *t = c->all[i];
        if (t->state != TICKET_LEASED || t->deadline_ns > now_ns)
            continue;
        n++;
        c->stats.expired++;
        give_back(c, t);
    }
    return n;
}

void stn_cuts_get_stats(const stn_cuts *c, stn_cuts_stats *out)
{
    *out = c->stats;
    out->grids = stn_table_count(c->grids);
    out->products = stn_table_count(c->products);
    out->product_bytes = c->product_bytes;
    out->queued = out->parked = out->leased = 0;
    for (size_t i = 0; i < c->n_all; i++) {
        out->queued += c->all[i]->state == TICKET_QUEUED;
        out->parked += c->all[i]->state == TICKET_PARKED;
        out->leased += c->all[i]->state == TICKET_LEASED;
    }
}
