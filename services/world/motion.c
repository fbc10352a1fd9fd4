/* Where objects are shown. Source: docs/spec/object-cache.md A4. The widths, the order of the operations and
 * the absence of fused ones decide bits here. */
#include "world/ocache.h"

static void place(const stn_ocache_hooks *on, const stn_gob *g, double x, double y, float out[3])
{
    double z = on->height ? on->height(on->arg, g->drawable.kind != STN_DRAW_NONE, x, y) : 0.0;
    out[0] = (float)x;
    out[1] = (float)y;
    out[2] = (float)z;
}

static void homing(const stn_ocache *c, const stn_gob *g, double *x, double *y)
{
    const stn_moving *m = &g->moving;
    const stn_gob *target = stn_ocache_get(c, (int64_t)m->target);

    stn_homing_at(g->x, g->y, target ? target->x : m->tx, target ? target->y : m->ty, m->dist, x, y);
}

/* The position of an object that does not follow another, without its offset. */
static void base_position(const stn_ocache *c, const stn_gob *g, float out[3])
{
    const stn_ocache_hooks *on = stn_ocache_hooks_of(c);
    const stn_moving *m = &g->moving;
    double x = g->x, y = g->y;

    if (m->kind == STN_MOVING_LINEAR)
        stn_linear_at(&m->line, &x, &y);
    else if (m->kind == STN_MOVING_HOMING)
        homing(c, g, &x, &y);
    place(on, g, x, y, out);
}

static void add_offset(const stn_gob *g, float out[3])
{
    if (!g->offset.instance)
        return;
    out[0] += 0.0f;
    out[1] += 0.0f;
    out[2] += g->offset.z;
}

void stn_ocache_position(const stn_ocache *c, const stn_gob *g, float out[3])
{
    const stn_gob *chain[STN_FOLLOW_LINKS + 1];
    size_t n = 0;

    chain[n++] = g;
    while (chain[n - 1]->moving.kind == STN_MOVING_FOLLOWING) {
        const stn_gob *target = stn_ocache_get(c, (int64_t)chain[n - 1]->moving.target);
        bool loop = n == STN_FOLLOW_LINKS + 1;
        if (!target)
            break;
        for (size_t i = 0; i < n && !loop; i++)
            loop = chain[i] == target;
        if (loop) {
            /* The reference recurses for ever; here the object stands where the server put it. */
            place(stn_ocache_hooks_of(c), g, g->x, g->y, out);
            add_offset(g, out);
            return;
        }
        chain[n++] = target;
    }
    base_position(c, chain[n - 1], out);
    while (n > 0)
        add_offset(chain[--n], out);
}

/* Each link remembers what it answered, from the far end to the near one. */
double stn_ocache_speed(const stn_ocache *c, stn_gob *g)
{
    stn_gob *chain[STN_FOLLOW_LINKS + 1];
    size_t n = 0;
    double v;

    chain[n++] = g;
    for (;;) {
        stn_gob *last = chain[n - 1], *target;
        if (last->moving.kind != STN_MOVING_FOLLOWING)
            break;
        if (!(target = stn_ocache_get(c, (int64_t)last->moving.target)))
            break;
        for (size_t i = 0; i < n; i++)
            if (chain[i] == target)
                return 0.0;
        if (n == STN_FOLLOW_LINKS + 1)
            return 0.0;
        chain[n++] = target;
    }
    switch (chain[n - 1]->moving.kind) {
    case STN_MOVING_LINEAR:
        v = stn_linear_speed(&chain[n - 1]->moving.line);
        break;
    case STN_MOVING_HOMING:
        v = chain[n - 1]->moving.v;
        break;
    case STN_MOVING_FOLLOWING:
        v = chain[n - 1]->moving.last_speed;
        break;
    default:
        v = 0.0;
    }
    for (n--; n > 0; n--)
        chain[n - 1]->moving.last_speed = v;
    return v;
}
