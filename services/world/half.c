#include "world/half.h"

void stn_half_init(stn_half *h, uint32_t generation)
{
    *h = (stn_half){.stamp = generation};
}

static void forget_job(stn_half *h, stn_half_effect *fx)
{
    fx->cancel = h->ticket;
    fx->release_built = h->built;
    h->ticket = 0;
    h->built = 0;
    h->job = STN_JOB_NONE;
}

static void invalidate(stn_half *h, stn_half_effect *fx)
{
    if (h->disposed)
        return;
    forget_job(h, fx);
    h->fresh = false;
}

void stn_half_invalidate(stn_half *h, stn_half_effect *fx)
{
    *fx = (stn_half_effect){0};
    invalidate(h, fx);
}

stn_half_answer stn_half_get(stn_half *h, uint32_t generation, uint64_t *tickets, stn_half_effect *fx)
{
    *fx = (stn_half_effect){0};
    /* The stamp first: any number of changes between two gets orders one build. */
    if (h->stamp != generation) {
        h->stamp = generation;
        invalidate(h, fx);
    }
    if (h->value && h->job == STN_JOB_NONE && h->fresh)
        return STN_HALF_VALUE;
    if (!h->fresh) {
        h->ticket = ++*tickets;
        h->job = STN_JOB_QUEUED;
        fx->queue = h->ticket;
        h->fresh = true;
    }
    if (!h->value && h->job == STN_JOB_NONE)
        return STN_HALF_WAIT_GRID;
    if (h->job == STN_JOB_PARKED) {
        h->job = STN_JOB_QUEUED;
        fx->queue = h->ticket;
    }
    switch (h->job) {
    case STN_JOB_FAILED:
        return STN_HALF_FAILED;
    case STN_JOB_DONE:
        fx->release = h->value;
        fx->adopted = true;
        h->value = h->built;
        h->built = 0;
        h->ticket = 0;
        h->job = STN_JOB_NONE;
        return STN_HALF_VALUE;
    default:
        return h->value ? STN_HALF_VALUE : STN_HALF_WAIT_JOB;
    }
}

uint64_t stn_half_cur(const stn_half *h)
{
    return h->value;
}

void stn_half_dispose(stn_half *h, stn_half_effect *fx)
{
    *fx = (stn_half_effect){0};
    forget_job(h, fx);
    fx->release = h->value;
    h->value = 0;
    h->disposed = true;
    h->fresh = true;
}

static bool current(const stn_half *h, uint64_t ticket)
{
    return ticket && h->ticket == ticket && (h->job == STN_JOB_QUEUED || h->job == STN_JOB_PARKED);
}

bool stn_half_done(stn_half *h, uint64_t ticket, uint64_t product)
{
    if (!current(h, ticket))
        return false;
    h->job = STN_JOB_DONE;
    h->built = product;
    return true;
}

bool stn_half_failed(stn_half *h, uint64_t ticket)
{
    if (!current(h, ticket))
        return false;
    h->job = STN_JOB_FAILED;
    return true;
}

bool stn_half_parked(stn_half *h, uint64_t ticket)
{
    if (!current(h, ticket))
        return false;
    h->job = STN_JOB_PARKED;
    return true;
}
