#include "world/party.h"

#include "map/coords.h"

#include <math.h>
#include <string.h>

void stn_party_clear(stn_party *p, bool has_own, uint32_t own)
{
    uint32_t changes = p->changes + 1;

    memset(p, 0, sizeof *p);
    p->has_own = has_own;
    p->own = own;
    p->changes = changes;
}

static stn_party_member *find(stn_party *p, uint32_t id)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->members[i].id == id)
            return &p->members[i];
    return NULL;
}

static bool named(const uint32_t *ids, size_t n, uint32_t id)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* Object ids come as ints that may be negative (docs/spec/session-protocol.md 15, trap 10). */
static stn_status id_at(const stn_values *v, uint32_t i, uint32_t *out, stn_err *err)
{
    int32_t id;
    stn_status st;

    if (i >= v->count)
        return stn_fail(err, STN_BAD_DATA, "party: an object id is missing");
    if ((st = stn_value_as_int(&v->items[i], &id, err)) == STN_OK)
        *out = (uint32_t)id;
    return st;
}

/* Until a member has moved it looks somewhere; the reference rolls a die, here its number decides. */
static double first_heading(uint32_t id)
{
    return (double)(id * UINT32_C(2654435761) >> 16) * (2.0 * M_PI / 65536.0);
}

static stn_status on_list(stn_party *p, const stn_values *v, stn_err *err)
{
    uint32_t ids[STN_PARTY_MAX], n = 0, id = 0;
    size_t kept = 0;
    stn_status st;

    for (uint32_t i = 0; i < v->count; i++) {
        if ((st = id_at(v, i, &id, err)) != STN_OK)
            return st;
        if (named(ids, n, id))
            continue;
        if (n == STN_PARTY_MAX)
            return stn_fail(err, STN_TOO_BIG, "party: more than %d members", STN_PARTY_MAX);
        ids[n++] = id;
    }
    for (size_t i = 0; i < p->n; i++)
        if (named(ids, n, p->members[i].id))
            p->members[kept++] = p->members[i];
    p->n = kept;
    for (uint32_t i = 0; i < n; i++)
        if (!find(p, ids[i]))
            p->members[p->n++] =
                (stn_party_member){.id = ids[i], .heading = first_heading(ids[i]), .colour = {0, 0, 0, 255}};
    p->has_leader = p->has_leader && find(p, p->leader);
    return STN_OK;
}

static stn_status on_leader(stn_party *p, const stn_values *v, stn_err *err)
{
    uint32_t id = 0;
    stn_status st = id_at(v, 0, &id, err);

    if (st != STN_OK)
        return st;
    p->has_leader = find(p, id) != NULL;
    p->leader = p->has_leader ? id : 0;
    return STN_OK;
}

static stn_status on_member(stn_party *p, const stn_values *v, stn_err *err)
{
    stn_party_member *m, next;
    int32_t c[2];
    uint32_t id = 0;
    stn_status st = id_at(v, 0, &id, err);

    if (st != STN_OK || !(m = find(p, id)))
        return st;
    next = *m;
    next.placed = v->count > 1 && v->items[1].kind != STN_VALUE_NIL;
    if (next.placed) {
        if ((st = stn_value_as_coord(&v->items[1], c, err)) != STN_OK)
            return st;
        next.x = (double)c[0] * STN_POSITION_UNIT;
        next.y = (double)c[1] * STN_POSITION_UNIT;
        if (m->placed)
            next.heading = atan2(next.y - m->y, next.x - m->x);
    }
    if (v->count > 2 && v->items[2].kind != STN_VALUE_NIL &&
        (st = stn_value_as_color(&v->items[2], next.colour, err)) != STN_OK)
        return st;
    *m = next;
    return STN_OK;
}

stn_status stn_party_message(stn_party *p, const char *name, const stn_values *args, stn_err *err)
{
    stn_status st;

    if (!strcmp(name, "list"))
        st = on_list(p, args, err);
    else if (!strcmp(name, "ldr"))
        st = on_leader(p, args, err);
    else if (!strcmp(name, "m"))
        st = on_member(p, args, err);
    else if (!strcmp(name, "pid"))
        st = args->count > 0 ? stn_value_as_int(&args->items[0], &p->id, err)
                             : stn_fail(err, STN_BAD_DATA, "party: its number is missing");
    else
        return stn_fail(err, STN_UNSUPPORTED, "party: no message \"%.32s\" is known", name);
    if (st == STN_OK)
        p->changes++;
    return st;
}
