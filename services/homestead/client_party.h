/* client_party.h - what one client is told of the party that its person is in.
 *
 * Inside of the server core. Source: docs/spec/object-cache.md A7.
 */
#ifndef STN_HOMESTEAD_CLIENT_PARTY_H
#define STN_HOMESTEAD_CLIENT_PARTY_H

#include "homestead/conn.h"
#include "homestead/sim.h"

#define STN_CLIENT_PARTY_S 1.0 /* between two words on where a member is */

typedef struct stn_client_party {
    uint32_t number, changes; /* of the party that was told; 0 = none */
    double next;
    bool placed[STN_SIM_PARTY_MAX];
    int32_t at[STN_SIM_PARTY_MAX][2]; /* told, position units */
} stn_client_party;

/* Tells the widget what is new; zeroed to begin with. */
void stn_client_party_run(stn_client_party *p, double now, int32_t widget, const stn_sim *sim,
                          uint32_t person, stn_conn *conn);

#endif
