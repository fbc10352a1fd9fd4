#include "bus/credit.h"

bool stn_credit_granted(stn_credit *c, uint64_t total_bytes, uint64_t total_messages)
{
    uint64_t left;

    if (total_bytes < c->granted_bytes || total_messages < c->granted_messages)
        return false;
    c->granted_bytes = total_bytes;
    c->granted_messages = total_messages;
    left = stn_credit_left_bytes(c);
    if (left > c->window_bytes)
        c->window_bytes = left;
    return true;
}

bool stn_credit_fits(const stn_credit *c, uint64_t bytes)
{
    uint64_t need = bytes < c->window_bytes / 2 ? bytes : c->window_bytes / 2;
    return stn_credit_left_messages(c) > 0 && c->window_bytes > 0 && stn_credit_left_bytes(c) >= need;
}

void stn_credit_spent(stn_credit *c, uint64_t bytes)
{
    c->spent_bytes += bytes;
    c->spent_messages++;
}

uint64_t stn_credit_left_bytes(const stn_credit *c)
{
    return c->granted_bytes > c->spent_bytes ? c->granted_bytes - c->spent_bytes : 0;
}

uint64_t stn_credit_left_messages(const stn_credit *c)
{
    return c->granted_messages > c->spent_messages ? c->granted_messages - c->spent_messages : 0;
}

void stn_grant_init(stn_grant *g, uint64_t window_bytes, uint64_t window_messages)
{
    *g = (stn_grant){.window_bytes = window_bytes, .window_messages = window_messages};
}

void stn_grant_took(stn_grant *g, uint64_t bytes)
{
    g->took_bytes += bytes;
    g->took_messages++;
}

bool stn_grant_due(stn_grant *g, uint64_t *total_bytes, uint64_t *total_messages)
{
    uint64_t bytes = g->took_bytes + g->window_bytes, messages = g->took_messages + g->window_messages;

    if (bytes - g->granted_bytes < (g->window_bytes + 3) / 4 &&
        messages - g->granted_messages < (g->window_messages + 3) / 4)
        return false;
    if (bytes == g->granted_bytes && messages == g->granted_messages)
        return false;
    *total_bytes = g->granted_bytes = bytes;
    *total_messages = g->granted_messages = messages;
    return true;
}

bool stn_grant_overdrawn(const stn_grant *g)
{
    return g->took_messages > g->granted_messages;
}
