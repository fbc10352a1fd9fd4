/* world/leg.h - one session with a game server: the pure machine of session/session.h with its socket and its
 * clock.
 *
 * It reads and steps itself from the loop, 256 datagrams a turn at most, and tells by hooks what comes of it.
 * Hooks are called from inside a step and must not free the leg, except `over`, which is the last thing that
 * a leg does. Source: docs/spec/session-protocol.md 4-6.
 */
#ifndef STN_WORLD_LEG_H
#define STN_WORLD_LEG_H

#include "bus/loop.h"
#include "world/line_find.h"
#include "world/session/session.h"

typedef struct stn_leg_hooks {
    void (*opened)(void *arg); /* the server accepted it */
    void (*deliver)(void *arg, const stn_delivery *d);
    void (*over)(void *arg, stn_session_result why);
    void *arg;
} stn_leg_hooks;

typedef struct stn_leg stn_leg;

/* Opens a socket towards the place; the first step is taken with the next turn. Settings as for
 * stn_session_new(). */
stn_status stn_leg_new(stn_loop *loop, const stn_session_settings *settings, const stn_find_place *place,
                       const stn_leg_hooks *hooks, stn_leg **out, stn_err *err);
void stn_leg_free(stn_leg *leg); /* says CLOSE once, without waiting for the answer, unless it is over */
/* Neither reads nor sends until it is let go again: what the server repeats meanwhile waits in the socket. */
void stn_leg_hold(stn_leg *leg, bool hold);
/* No delivery any more, CLOSE once, then `over`: at the end of this step or with the next turn. */
void stn_leg_quit(stn_leg *leg);

bool stn_leg_is_open(const stn_leg *leg); /* accepted, and not over */
const char *stn_leg_address(const stn_leg *leg); /* "127.0.0.1:1870" */
/* False when too much waits. */
bool stn_leg_send(stn_leg *leg, uint8_t type, const void *data, size_t len);
void stn_leg_mapreq(stn_leg *leg, int32_t x, int32_t y);
void stn_leg_malformed(stn_leg *leg); /* a delivered message made no sense */
void stn_leg_stats(const stn_leg *leg, stn_session_stats *out);

#endif
