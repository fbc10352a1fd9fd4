#include "loader/clients.h"

#include "base/table.h"

#include <stdlib.h>

struct stn_clients {
    stn_asks *asks;
    stn_table *waits; /* ask id -> first stn_wait */
    size_t wait_count;
};

struct stn_client {
    stn_clients *all;
    void *peer;
    stn_wait *waits;
    size_t wait_count;
    stn_table *holds; /* object id -> stn_object */
};

stn_clients *stn_clients_new(stn_asks *asks)
{
    stn_clients *all = calloc(1, sizeof *all);
    if (!all)
        return NULL;
    all->asks = asks;
    all->waits = stn_table_new();
    if (!all->waits) {
        free(all);
        return NULL;
    }
    return all;
}

void stn_clients_free(stn_clients *all)
{
    if (!all)
        return;
    stn_table_free(all->waits); /* empty: every client has gone */
    free(all);
}

stn_client *stn_client_new(stn_clients *all, void *peer)
{
    stn_client *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->all = all;
    c->peer = peer;
    c->holds = stn_table_new();
    if (!c->holds) {
        free(c);
        return NULL;
    }
    return c;
}

/* Out of both lists. */
static void unlink_wait(stn_clients *all, stn_wait *w)
{
    uint64_t ask = stn_asking_id(w->ask);
    if (w->next_of_ask)
        w->next_of_ask->prev_of_ask = w->prev_of_ask;
    if (w->prev_of_ask)
        w->prev_of_ask->next_of_ask = w->next_of_ask;
    else if (w->next_of_ask)
        stn_table_put(all->waits, ask, w->next_of_ask, NULL); /* replaces: needs no memory */
    else
        stn_table_remove(all->waits, ask);
    *(w->prev_of_client ? &w->prev_of_client->next_of_client : &w->client->waits) = w->next_of_client;
    if (w->next_of_client)
        w->next_of_client->prev_of_client = w->prev_of_client;
    w->next_of_ask = w->prev_of_ask = w->next_of_client = w->prev_of_client = NULL;
    w->client->wait_count--;
    all->wait_count--;
}

void stn_wait_free(stn_clients *all, stn_wait *w)
{
    stn_saved_free(all->asks, w->saved);
    stn_asking_unref(all->asks, w->ask);
    free(w);
}

void stn_client_free(stn_client *c)
{
    if (!c)
        return;
    size_t it = 0;
    uint64_t id;
    void *o;
    while (c->waits) {
        stn_wait *w = c->waits;
        unlink_wait(c->all, w);
        stn_wait_free(c->all, w);
    }
    while (stn_table_next(c->holds, &it, &id, &o))
        stn_object_release(stn_asks_objects(c->all->asks), o);
    stn_table_free(c->holds);
    free(c);
}

void *stn_client_peer(const stn_client *c)
{
    return c->peer;
}

size_t stn_client_waits(const stn_client *c)
{
    return c->wait_count;
}

size_t stn_client_holds(const stn_client *c)
{
    return stn_table_count(c->holds);
}

stn_status stn_client_wait(stn_client *c, stn_asking *ask, uint64_t correlation, uint32_t want,
                           stn_saved *saved, stn_err *err)
{
    stn_wait *w = c->wait_count < STN_CLIENT_WAITS_MAX ? calloc(1, sizeof *w) : NULL;
    uint64_t id = stn_asking_id(ask);
    stn_wait *first = stn_table_get(c->all->waits, id);
    if (!w || !stn_table_put(c->all->waits, id, w, NULL)) {
        free(w);
        stn_saved_free(c->all->asks, saved);
        return c->wait_count < STN_CLIENT_WAITS_MAX
                   ? stn_fail(err, STN_NO_MEMORY, "waiting for a resource")
                   : stn_fail(err, STN_BUSY, "%d asks are open for this client; wait for some to end",
                              STN_CLIENT_WAITS_MAX);
    }
    *w = (stn_wait){.client = c, .correlation = correlation, .want = want, .saved = saved, .ask = ask};
    stn_asking_ref(ask);
    w->next_of_ask = first;
    if (first)
        first->prev_of_ask = w;
    w->next_of_client = c->waits;
    if (c->waits)
        c->waits->prev_of_client = w;
    c->waits = w;
    c->wait_count++;
    c->all->wait_count++;
    return STN_OK;
}

size_t stn_client_cancel(stn_client *c, uint64_t ask)
{
    size_t n = 0;
    stn_wait *w = stn_table_get(c->all->waits, ask);
    while (w) {
        stn_wait *next = w->next_of_ask;
        if (w->client == c) {
            unlink_wait(c->all, w);
            stn_wait_free(c->all, w);
            n++;
        }
        w = next;
    }
    return n;
}

stn_asking *stn_client_ask(const stn_client *c, uint64_t ask)
{
    for (const stn_wait *w = stn_table_get(c->all->waits, ask); w; w = w->next_of_ask)
        if (w->client == c)
            return w->ask;
    return NULL;
}

stn_wait *stn_clients_take_wait(stn_clients *all, uint64_t ask)
{
    stn_wait *w = stn_table_get(all->waits, ask);
    if (w)
        unlink_wait(all, w);
    return w;
}

bool stn_client_hold(stn_client *c, stn_object *object)
{
    uint64_t id = stn_object_id(object);
    if (stn_table_get(c->holds, id))
        return true;
    if (!stn_table_put(c->holds, id, object, NULL))
        return false;
    stn_object_hold(stn_asks_objects(c->all->asks), object);
    return true;
}

bool stn_client_release(stn_client *c, uint64_t object)
{
    stn_object *o = stn_table_remove(c->holds, object);
    if (o)
        stn_object_release(stn_asks_objects(c->all->asks), o);
    return o != NULL;
}

bool stn_client_is_holding(const stn_client *c, uint64_t object)
{
    return stn_table_get(c->holds, object) != NULL;
}

size_t stn_clients_waits(const stn_clients *all)
{
    return all->wait_count;
}
