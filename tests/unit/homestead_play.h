/* homestead_play.h - our client's session, game state, map and object caches against homestead, all in one
 * process: what the tests of homestead as a whole share. Time is the play's own; the line takes DELAY each
 * way.
 */
#ifndef STN_TESTS_HOMESTEAD_PLAY_H
#define STN_TESTS_HOMESTEAD_PLAY_H

#include "homestead/server.h"
#include "session/wire.h"
#include "world/game.h"
#include "world/mapcache.h"
#include "world/ocache.h"
#include "world/session/session.h"

typedef struct letter {
    double at;
    size_t len;
    uint8_t *data;
} letter;

typedef struct side {
    letter queue[4096];
    size_t n;
} side;

typedef struct play {
    stn_land *land;
    stn_sim *sim;
    stn_server *server;
    stn_session *session;
    stn_game *game;
    stn_mapcache *map;
    stn_ocache *objects;
    const char *protocol; /* that it speaks; NULL = as a stock client */
    side to_server, to_client;
    double now, server_wake, client_wake, ticked;
} play;

#define DELAY 0.03 /* seconds */

void begin(play *p, stn_sim_settings sim); /* p is zeroed, from calloc(); its protocol may be set */
void end(play *p); /* frees it too */
void step_server(play *p, const letter *l); /* NULL: nothing came */
void run(play *p, double seconds);
/* The thing of this name that is nearest to the spawn, as a right click on it. */
stn_click click_on(const play *p, const char *name);
/* Right click, and the option of the menu that has this text. */
void choose(play *p, const stn_click *c, const char *text);
/* An object that is shown as a resource. */
const stn_gob *shown(const play *p, uint32_t id);

#endif
