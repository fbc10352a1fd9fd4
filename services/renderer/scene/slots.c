#include "renderer/scene/slots.h"

#include <stdlib.h>
#include <string.h>

struct ops {
    stn_rslot_op op[STN_RSLOT_OPS];
    size_t n;
};

struct stn_rslot {
    stn_rslot *parent, *first, *last, *prev, *next;
    struct ops creation, own;
    bool locked, fresh, used, broken;
    stn_rslot_state state;
};

static _Thread_local uint64_t derived;

static bool take(struct ops *to, const stn_rslot_op *ops, size_t n)
{
    if (n > STN_RSLOT_OPS)
        return false;
    for (size_t i = 0; i < n; i++)
        if (ops[i].kind >= STN_RSLOT_KINDS || ops[i].reads >= STN_RSLOT_KINDS ||
            (ops[i].what == STN_RSLOT_COMPUTE && !ops[i].compute))
            return false;
    if (n)
        memcpy(to->op, ops, n * sizeof *ops);
    to->n = n;
    return true;
}

static bool same(const struct ops *a, const stn_rslot_op *b, size_t n)
{
    if (a->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (a->op[i].what != b[i].what || a->op[i].kind != b[i].kind || a->op[i].reads != b[i].reads ||
            a->op[i].value != b[i].value || a->op[i].compute != b[i].compute)
            return false;
    return true;
}

stn_rslot *stn_rslot_new(stn_rslot *parent, const stn_rslot_op *creation, size_t n)
{
    stn_rslot *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    if (!take(&s->creation, creation, n)) {
        free(s);
        return NULL;
    }
    s->parent = parent;
    if (parent) {
        s->prev = parent->last;
        if (parent->last)
            parent->last->next = s;
        else
            parent->first = s;
        parent->last = s;
    }
    return s;
}

void stn_rslot_free(stn_rslot *s)
{
    if (!s)
        return;
    while (s->last)
        stn_rslot_free(s->last);
    if (s->prev)
        s->prev->next = s->next;
    else if (s->parent)
        s->parent->first = s->next;
    if (s->next)
        s->next->prev = s->prev;
    else if (s->parent)
        s->parent->last = s->prev;
    free(s);
}

/* A slot that is not fresh has no fresh slot below it, so the walk stops there. */
static void stale(stn_rslot *s)
{
    if (!s->fresh)
        return;
    s->fresh = false;
    for (stn_rslot *c = s->first; c; c = c->next)
        stale(c);
}

static stn_status change(stn_rslot *s, struct ops *which, const stn_rslot_op *ops, size_t n, stn_err *err)
{
    if (same(which, ops, n))
        return STN_OK;
    if (s->locked)
        return stn_fail(err, STN_DENIED, "the slot is locked");
    if (!take(which, ops, n))
        return stn_fail(err, STN_USAGE, "%zu ops: at most %d, of known kinds", n, STN_RSLOT_OPS);
    stale(s);
    return STN_OK;
}

stn_status stn_rslot_set_own(stn_rslot *s, const stn_rslot_op *ops, size_t n, stn_err *err)
{
    return change(s, &s->own, ops, n, err);
}

stn_status stn_rslot_set_creation(stn_rslot *s, const stn_rslot_op *ops, size_t n, stn_err *err)
{
    return change(s, &s->creation, ops, n, err);
}

stn_status stn_rslot_lock(stn_rslot *s, stn_err *err)
{
    if (s->locked)
        return STN_OK;
    if (s->used)
        return stn_fail(err, STN_BUSY, "the slot's state was used before it was locked");
    s->locked = true;
    return STN_OK;
}

static bool apply(const struct ops *ops, stn_rslot_state *st, bool locked, const stn_rslot_state *above)
{
    for (size_t i = 0; i < ops->n; i++) {
        const stn_rslot_op *o = &ops->op[i];
        uint64_t bit = UINT64_C(1) << o->kind;

        if (o->what == STN_RSLOT_COMPUTE) {
            uint64_t read = UINT64_C(1) << o->reads;

            if (locked && !(st->locked & read) && above->value[o->reads])
                return false;
            st->value[o->kind] = o->compute(o->value, st->value[o->reads]);
        } else {
            st->value[o->kind] = o->what == STN_RSLOT_PUT ? o->value : NULL;
        }
        st->locked = locked ? st->locked | bit : st->locked & ~bit;
    }
    return true;
}

static void derive(stn_rslot *s)
{
    static const stn_rslot_state nothing = {.locked = ~UINT64_C(0)};
    const stn_rslot_state *above = &nothing;

    if (s->fresh)
        return;
    if (s->parent) {
        derive(s->parent);
        s->parent->used = true;
        above = &s->parent->state;
    }
    s->state = *above;
    s->broken = (s->parent && s->parent->broken) || !apply(&s->creation, &s->state, s->locked, above) ||
                !apply(&s->own, &s->state, s->locked, above);
    s->fresh = true;
    derived++;
}

const stn_rslot_state *stn_rslot_get(stn_rslot *s, stn_err *err)
{
    derive(s);
    s->used = true;
    if (s->broken) {
        stn_fail(err, STN_USAGE, "a locked slot computes from a value of an unlocked slot above it");
        return NULL;
    }
    return &s->state;
}

uint64_t stn_rslot_derived(void)
{
    return derived;
}
