/* client.h - one client of homestead: its widgets, its person, the ground and objects that it is sent.
 *
 * Inside of the server core. Source: docs/spec/session-protocol.md 9, 11, 13.
 */
#ifndef STN_HOMESTEAD_CLIENT_H
#define STN_HOMESTEAD_CLIENT_H

#include "homestead/conn.h"
#include "homestead/grids.h"
#include "homestead/server.h"
#include "homestead/view.h"

#define STN_CLIENT_GRIDS 64 /* waiting to be sent */
#define STN_CLIENT_LEAVES_S 3.0 /* from being told to go until it is closed from here */
#define STN_CLIENT_MALFORMED 100 /* messages without sense until it is closed */

typedef struct stn_client stn_client;

/* map_side as in the server's settings. names: it can read the names of people. crypt is taken in every case.
 * NULL when out of memory or the land is full. */
stn_client *stn_client_new(double now, const char *user, stn_sim *sim, double range, unsigned map_side,
                           bool names, stn_crypt *crypt, stn_conn_send send, void *send_user);
void stn_client_free(stn_client *c); /* its person leaves */
void stn_client_accept(stn_client *c); /* SESS 0 */
void stn_client_greet(stn_client *c, const stn_land *land); /* resources, time, widgets */
void stn_client_say_close(stn_client *c);
/* False: it said CLOSE or broke the protocol. */
bool stn_client_take(stn_client *c, double now, const uint8_t *data, size_t len);
/* Its person is about to leave by the boat; said once. */
bool stn_client_goes(stn_client *c);
/* Offers to go on at another server: a cookie for a session there. */
void stn_client_hand_over(stn_client *c, const char *host, unsigned port, const uint8_t *cookie, size_t len);
/* Once a tick: what it sees. The work that it was, as stn_view_run() counts it. */
size_t stn_client_look(stn_client *c, double now);
/* Sends what is due; the time of the next need. */
double stn_client_run(stn_client *c, double now, stn_grids *grids);
bool stn_client_over(const stn_client *c, double now); /* silent, overrun or hopelessly malformed */
bool stn_client_silent(const stn_client *c, double now);
void stn_client_add_stats(const stn_client *c, stn_server_stats *out);

#endif
