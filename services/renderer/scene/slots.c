#include "renderer/scene/slots.h"

#include <stdlib.h>
#include <string.h>

struct ops {
    stn_slot_op op[STN_SLOT_OPS];
    size_t n;
};

struct stn_slot {
    stn_slot *parent, *first, *last, *prev, *next;
    struct ops creation, own;
    bool locked, fresh, used, broken;
    stn_slot_state state;
};

static _Thread_local uint64_t derived;

static bool take(struct ops *to, const stn_slot_op *ops, size_t n)
{
    if (n > STN_SLOT_OPS)
        return false;
    for (size_t i = 0; i < n; i++)
        if (ops[i].kind >= STN_SLOT_KINDS || ops[i].reads >= STN_SLOT_KINDS ||
            (ops[i].what == STN_SLOT_COMPUTE && !ops[i].compute))
            return false;
    if (n)
        memcpy(to->op, ops, n * sizeof *ops);
    to->n = n;
    return true;
}

static bool same(const struct ops *a, const stn_slot_op *b, size_t n)
{
    if (a->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (a->op[i].what != b[i].what || a->op[i].kind != b[i].kind || a->op[i].reads != b[i].reads ||
            a->op[i].value != b[i].value || a->op[i].compute != b[i].compute)
            return false;
    return true;
}

stn_slot *stn_slot_new(stn_slot *parent, const stn_slot_op *creation, size_t n)
{
    stn_slot *s = calloc(1, sizeof *s);

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

void stn_slot_free(stn_slot *s)
{
    if (!s)
        return;
    while (s->last)
        stn_slot_free(s->last);
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
static void stale(stn_slot *s)
{
    if (!s->fresh)
        return;
    s->fresh = false;
    for (stn_slot *c = s->first; c; c = c->next)
        stale(c);
}

static stn_status change(stn_slot *s, struct ops *which, const stn_slot_op *ops, size_t n, stn_err *err)
{
    if (same(which, ops, n))
        return STN_OK;
    if (s->locked)
        return stn_fail(err, STN_DENIED, "the slot is locked");
    if (!take(which, ops, n))
        return stn_fail(err, STN_USAGE, "%zu ops: at most %d, of known kinds", n, STN_SLOT_OPS);
    stale(s);
    return STN_OK;
}

stn_status stn_slot_set_own(stn_slot *s, const stn_slot_op *ops, size_t n, stn_err *err)
{
    return change(s, &s->own, ops, n, err);
}

stn_status stn_slot_set_creation(stn_slot *s, const stn_slot_op *ops, size_t n, stn_err *err)
{
    return change(s, &s->creation, ops, n, err);
}

stn_status stn_slot_lock(stn_slot *s, stn_err *err)
{
    if (s->locked)
        return STN_OK;
    if (s->used)
        return stn_fail(err, STN_BUSY, "the slot's state was used before it was locked");
    s->locked = true;
    return STN_OK;
}

static bool apply(const struct ops *ops, stn_slot_state *st, bool locked, const stn_slot_state *above)
{
    for (size_t i = 0; i < ops->n; i++) {
        const stn_slot_op *o = &ops->op[i];
        uint64_t bit = UINT64_C(1) << o->kind;

        if (o->what == STN_SLOT_COMPUTE) {
            uint64_t read = UINT64_C(1) << o->reads;

            if (locked && !(st->locked & read) && above->value[o->reads])
                return false;
            st->value[o->kind] = o->compute(o->value, st->value[o->reads]);
        } else {
            st->value[o->kind] = o->what == STN_SLOT_PUT ? o->value : NULL;
        }
        st->locked = locked ? st->locked | bit : st->locked & ~bit;
    }
    return true;
}

static void derive(stn_slot *s)
{
    static const stn_slot_state nothing = {.locked = ~UINT64_C(0)};
    const stn_slot_state *above = &nothing;

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

const stn_slot_state *stn_slot_get(stn_slot *s, stn_err *err)
{
    derive(s);
    s->used = true;
    if (s->broken) {
        stn_fail(err, STN_USAGE, "a locked slot computes from a value of an unlocked slot above it");
        return NULL;
    }
    return &s->state;
}

uint64_t stn_slot_derived(void)
{
    return derived;
}
