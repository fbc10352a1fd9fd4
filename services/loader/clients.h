/* clients.h - who waits for what, and who holds what.
 *
 * A client is a peer of the door `loader`. It waits for asks (one waiting entry a Get, found by ask) and
 * holds objects (each once). Both end with the client. Knows nothing of messages.
 * Source  docs/spec/resource-loading.md 8.2, 9.
 */
#ifndef STN_LOADER_CLIENTS_H
#define STN_LOADER_CLIENTS_H

#include "loader/ask.h"
#include "loader/saved.h"

#define STN_CLIENT_WAITS_MAX 65536

typedef struct stn_clients stn_clients;
typedef struct stn_client stn_client;

typedef struct stn_wait {
    stn_client *client;
    uint64_t correlation;
    uint32_t want;
    stn_saved *saved; /* of a Get for a stored record, else NULL */
    /* kept by this module */
    stn_asking *ask; /* referenced */
    struct stn_wait *next_of_ask, *prev_of_ask;
    struct stn_wait *next_of_client, *prev_of_client;
} stn_wait;

stn_clients *stn_clients_new(stn_asks *asks); /* NULL: out of memory */
void stn_clients_free(stn_clients *all);

stn_client *stn_client_new(stn_clients *all, void *peer); /* NULL: out of memory */
/* The peer is gone: its waits end, what it held is let go. */
void stn_client_free(stn_client *c);
void *stn_client_peer(const stn_client *c);
size_t stn_client_waits(const stn_client *c);
size_t stn_client_holds(const stn_client *c);

/* Takes `saved`, also on failure. STN_BUSY: the client waits for too many. */
stn_status stn_client_wait(stn_client *c, stn_asking *ask, uint64_t correlation, uint32_t want,
                           stn_saved *saved, stn_err *err);
/* Ends the client's waits for an ask. Returns how many. */
size_t stn_client_cancel(stn_client *c, uint64_t ask);
/* The ask when this client waits for it, else NULL. */
stn_asking *stn_client_ask(const stn_client *c, uint64_t ask);
/* Takes one wait for an ask out of the tables: the caller ends it with stn_wait_free(). NULL: none is left.
 */
stn_wait *stn_clients_take_wait(stn_clients *all, uint64_t ask);
void stn_wait_free(stn_clients *all, stn_wait *w);

bool stn_client_hold(stn_client *c, stn_object *object); /* false: out of memory */
bool stn_client_release(stn_client *c, uint64_t object); /* false: it did not hold it */
bool stn_client_is_holding(const stn_client *c, uint64_t object);

size_t stn_clients_waits(const stn_clients *all);

#endif
