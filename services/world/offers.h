/* world/offers.h - what a server offers: an object's menu, a thing to place, or another server to go on at.
 * Pure.
 *
 * Only the arguments are read here; game.h keeps the widgets. Text is made
 * good UTF-8 and cut to its room. Source: docs/spec/session-protocol.md 9.2, 9.5, 9.7.
 */
#ifndef STN_WORLD_OFFERS_H
#define STN_WORLD_OFFERS_H

#include "base/err.h"
#include "res/values.h"
#include "session/wire.h"

#include <stddef.h>
#include <stdint.h>

#define STN_MENU_OPTIONS 64
#define STN_MENU_TEXT 128 /* bytes of an option, with its NUL */
#define STN_GHOST_OVERLAYS 8
#define STN_GHOST_SDT 255
#define STN_HAND_HOST 256
#define STN_HAND_ARGS 4096 /* bytes of the extra connect arguments */

typedef struct stn_menu {
    uint32_t number; /* rises with each menu; 0 = none is open */
    int64_t object; /* the object that was clicked last; -1 = none */
    char options[STN_MENU_OPTIONS][STN_MENU_TEXT];
    size_t n;
} stn_menu;

/* A resource with the state bytes of what is made of it. */
typedef struct stn_ghost_part {
    char name[128]; /* "": by its session number */
    uint16_t version, resid;
    uint8_t sdt_len, sdt[STN_GHOST_SDT];
} stn_ghost_part;

/* What is being placed. */
typedef struct stn_ghost {
    uint32_t number; /* rises with each; 0 = nothing is */
    stn_ghost_part body, overlays[STN_GHOST_OVERLAYS];
    size_t n_overlays;
} stn_ghost;

typedef struct stn_hand_over {
    int32_t widget;
    char host[STN_HAND_HOST];
    uint16_t port;
    uint8_t cookie[STN_COOKIE_MAX];
    size_t cookie_len;
    uint8_t args[STN_HAND_ARGS]; /* of the new session: an encoded typed list */
    size_t args_len;
} stn_hand_over;

/* cargs: one text an option. STN_TOO_BIG: more than STN_MENU_OPTIONS. Sets options and n alone. */
stn_status stn_menu_read(const stn_values *cargs, stn_menu *out, stn_err *err);
/* args: a resource, its state bytes, then overlays alike; each state may be left out. Sets all but the
 * number. STN_TOO_BIG: more overlays, a longer name or more state bytes than there may be. */
stn_status stn_ghost_read(const stn_values *args, stn_ghost *out, stn_err *err);
/* cargs: text host, int port, cookie as bytes or hex digits, then the extra arguments. */
stn_status stn_hand_over_read(const stn_values *cargs, stn_hand_over *out, stn_err *err);

#endif
