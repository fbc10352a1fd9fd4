/* world/game.h - the widget tree of a session: enough to enter the world, walk, talk and place things. Pure.
 *
 * Reliable messages come in; what the server must be told goes out through a hook. Unknown widgets and
 * messages are kept as opaque nodes and counted; they do no harm. Of several party widgets, menus,
 * ghosts or hand-overs the newest counts. Limits  65536 widgets; beyond it a new one is refused and counted.
 * Source  docs/spec/session-protocol.md 8, 9, docs/spec/object-cache.md A7.
 */
#ifndef STN_WORLD_GAME_H
#define STN_WORLD_GAME_H

#include "base/err.h"
#include "world/globals.h"
#include "world/offers.h"
#include "world/party.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_GAME_WIDGETS 65536

typedef struct stn_game_hooks {
    /* A reliable message for the server. */
    void (*send)(void *arg, uint8_t type, const uint8_t *data, size_t len);
    /* A line for the person: chat, notices. */
    void (*say)(void *arg, const char *channel, const char *text);
    /* The server wants the session to go on elsewhere: open a second one and answer with stn_game_handed().
     * NULL: it takes that back. May be NULL: then nobody goes. */
    void (*hand_over)(void *arg, const stn_hand_over *to);
    /* The second session takes the place of this one, now. Called with hand_over set alone. */
    void (*go)(void *arg);
    void *arg;
} stn_game_hooks;

typedef struct stn_game_place {
    bool in_world; /* a map view is there */
    bool has_player;
    uint32_t player; /* object id */
    double x, y; /* centre of the view while the player's object is unknown, map units */
} stn_game_place;

typedef struct stn_click {
    double x, y; /* ground, map units */
    int32_t screen_x, screen_y;
    int32_t button, modifiers;
    bool has_object;
    uint32_t object;
    double object_x, object_y; /* the object's last server position */
    int32_t overlay; /* 0 none */
    int32_t part; /* -1 none */
} stn_click;

typedef struct stn_putting {
    double x, y, angle; /* map units, radians */
    int32_t button, modifiers; /* 3: it is left off */
} stn_putting;

typedef struct stn_game stn_game;

/* character: the one to play when the server offers a list; NULL or "" = the first. Copied. */
stn_game *stn_game_new(const stn_game_hooks *hooks, const char *character);
void stn_game_free(stn_game *g);

/* Types of section 8 but RESID and MAPIV, which are the caller's. Unknown types: STN_UNSUPPORTED. */
stn_status stn_game_message(stn_game *g, uint8_t type, const uint8_t *data, size_t len, double now,
                            stn_err *err);
const stn_game_place *stn_game_where(const stn_game *g);
stn_globals *stn_game_globals(stn_game *g);
const stn_party *stn_game_party(const stn_game *g);
const stn_menu *stn_game_menu(const stn_game *g); /* number 0: none is open */
const stn_ghost *stn_game_ghost(const stn_game *g); /* number 0: nothing is being placed */
uint64_t stn_game_ignored(const stn_game *g); /* messages that nobody here understands */
size_t stn_game_widgets(const stn_game *g);

/* STN_AGAIN: there is no map view (game widget) yet. */
stn_status stn_game_click(stn_game *g, const stn_click *c, stn_err *err);
stn_status stn_game_chat(stn_game *g, const char *text, stn_err *err);
/* Chooses an option of the menu `number`; negative: none of them, it closes. STN_AGAIN: that menu is not open
 * any more. STN_BAD_DATA: it has no such option. */
stn_status stn_game_choose(stn_game *g, uint32_t number, int32_t option, int32_t modifiers, stn_err *err);
/* Puts the ghost `number` down, or says that it is left off; the server answers by taking it away. STN_AGAIN:
 * it is not being placed any more. STN_BAD_DATA: not a place, or not an angle. */
stn_status stn_game_put(stn_game *g, uint32_t number, const stn_putting *p, stn_err *err);
/* How the opening of the second session went: an stn_sess_code, 0 = it is open. */
void stn_game_handed(stn_game *g, int32_t widget, unsigned code);
/* Any message to a widget that the server made. args: an encoded typed list. */
stn_status stn_game_widget_message(stn_game *g, uint32_t widget, const char *name, const uint8_t *args,
                                   size_t len, stn_err *err);

#endif
